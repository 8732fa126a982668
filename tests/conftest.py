"""Puts this folder on the import path, for what the tests of several packages share."""
