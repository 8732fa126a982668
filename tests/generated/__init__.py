"""Random key programs, what really happens in them, and what the key flow says of them."""
