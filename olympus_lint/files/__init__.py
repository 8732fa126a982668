"""Single files: reading and writing their bytes, their kind by suffix, and whether they are valid Python."""
