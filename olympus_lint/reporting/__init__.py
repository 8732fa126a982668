"""Results of files and runs, the summary, and the output formats (one module each in ``formats``)."""
