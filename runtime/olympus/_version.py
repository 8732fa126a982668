"""The version of olympus, and the oldest one of JAX that it works with; ``olympus.__version__`` is the public name."""

__version__ = "0.1.0"

OLDEST_JAX = (0, 6, 2)
"""The extra ``trace`` of the package asks for it as well."""


def too_old(jax: str) -> str:
    """Return a sentence about a release of JAX that is too old, empty for any other."""
    numbers = tuple(int(part) if part.isdecimal() else 0 for part in jax.split(".")[:3])
    oldest = ".".join(map(str, OLDEST_JAX))
    return f"JAX {jax} is too old for olympus, which needs {oldest} or later" if numbers < OLDEST_JAX else ""
