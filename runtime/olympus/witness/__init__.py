"""The witness of a finding: its function, executed with stand-ins for all unknown values, and traced."""
