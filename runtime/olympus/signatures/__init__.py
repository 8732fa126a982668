"""Key signatures by tracing, and signature packs made of them."""

from olympus.signatures.traced import of, read

__all__ = ["of", "read"]
