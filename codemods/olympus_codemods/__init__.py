"""Fixes of findings: one module per codemod."""
