"""Results of files and runs, and how they are shown; ``formats`` has one module for each output format."""
