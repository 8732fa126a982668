"""The olympus runtime: JAX's random keys, described and (with the extra ``trace``) traced.

Importing this package imports neither JAX nor anything else outside the standard library, so that it can be
loaded alone into any interpreter, and so that the linter never pays for JAX.
"""

from olympus.signature import Forward, KeySignature, Sink, Source

__all__ = ["Forward", "KeySignature", "Sink", "Source"]
__version__ = "0.1.0"
