"""Checks and fixes of one text, of one file, and of many files in several processes."""
