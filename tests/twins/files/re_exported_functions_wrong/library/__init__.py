"""A package that passes on what its module defines."""

from .draws import first, noise, parts

__all__ = ["first", "noise", "parts"]
