"""Suppression comments: read, applied to findings, and written."""
