"""The command line: options, one module for each command, output and progress."""
