"""Mistakes that are put into correct code: what draws, what is changed, and how the change is hidden."""
