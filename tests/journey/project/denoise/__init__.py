"""A small network that removes noise from signals."""
