"""A function's instructions: what they are, lowered from the syntax, and which functions are worth it."""
