"""What is wrong with a program's random keys: syntax, key flow, and one module per rule."""
