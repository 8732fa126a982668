"""The instructions of a function, their lowering from the syntax, and the choice of functions to interpret."""
