"""Errors that JAX raises for misuses of typed keys, told from errors that have nothing to do with keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from olympus.tracing.spans import Chain, traceback_chain

FailureKind = Literal["indexing", "arithmetic", "axis", "seed", "key array", "not a key", "dtype", "conversion"]

# The exception's type, how its text goes on from the start, and what the text has to contain besides.
TEXTS: tuple[tuple[FailureKind, type[Exception], str, str], ...] = (
    ("indexing", IndexError, "Too many indices: array is 0-dimensional", ""),
    ("indexing", IndexError, "Too many indices: 0-dimensional array indexed", ""),  # up to 0.7
    ("arithmetic", TypeError, "", " does not accept dtype"),
    ("axis", ValueError, "vmap was requested to map its argument along axis", ""),
    ("seed", TypeError, "", " accepts a scalar seed, but was given"),
    ("key array", ValueError, "", " accepts a single key, but was given a key array"),
    ("not a key", TypeError, "JAX encountered invalid PRNG key data", ""),
    ("not a key", TypeError, "unexpected PRNG key type", ""),
    ("dtype", TypeError, "Cannot interpret 'key<", ""),
    ("dtype", ValueError, "Cannot convert_element_type from key<", ""),
    ("dtype", ValueError, "Internal: canonicalize_dtype called on extended dtype key<", ""),  # up to 0.6
    ("conversion", TypeError, "JAX array with PRNGKey dtype cannot be converted to a NumPy array", ""),
)


@dataclass(frozen=True, slots=True)
class Failure:
    """An error that says that a key was misused.

    Attributes:
        kind: what was done to the key.
        error: the name of the exception's type.
        text: the first line of its message.
        chain: the spans of the user's calls that led to it, innermost first.
    """

    kind: FailureKind
    error: str
    text: str
    chain: Chain


def failure(exception: BaseException) -> Failure | None:
    """Say which misuse of a key an exception reports.

    Returns:
        The misuse; ``None`` for an exception that is not about keys.
    """
    text = str(exception).partition("\n")[0]
    for kind, error, start, part in TEXTS:
        if not isinstance(exception, error) or not text.startswith(start) or part not in text:
            continue
        if kind == "arithmetic" and "key<" not in text:
            continue
        return Failure(kind, type(exception).__name__, text, traceback_chain(exception))
    return None
