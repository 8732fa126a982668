"""The witness of a finding: its function, executed with stand-ins for all that is not known, and traced."""
