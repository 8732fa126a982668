"""Single files: reading and writing their bytes, what they hold, and whether they are Python."""
