"""A package that hands on what its modules define."""

from .sampling import sample_batch as batch

__all__ = ["batch"]
