"""The program: command line, settings, discovery, engine and reporting."""

__version__ = "0.1.0"
