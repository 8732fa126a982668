"""Slots that hold sets of values, what the values are, and where containers, objects and classes keep theirs."""
