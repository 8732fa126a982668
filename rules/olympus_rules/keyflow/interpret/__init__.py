"""The abstract interpreter: evaluates instructions, applies calls, summarises functions."""
