"""The version, for the modules that write it down; ``olympus.__version__`` is the public name."""

__version__ = "0.1.0"
