"""Key signatures: the type and its algebra, signatures by tracing, and signature packs made of them."""

from olympus.signatures.signature import Forward, KeySignature, Mask, Reuse, Sink, Source
from olympus.signatures.traced import of, read

__all__ = ["Forward", "KeySignature", "Mask", "Reuse", "Sink", "Source", "of", "read"]
