"""What the command line asks for: its options, one module for each command, and where the output goes."""
