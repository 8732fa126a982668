"""A look at a file's bytes that says whether parsing it can be worth while."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from olympus_rules.syntax.imports import DEFAULT_ROOTS

# keys are made in haiku and flax by the two functions, and taken by what is made in modules of initialisers; a file
# that only hands keys on names the parameters of frameworks that take them
_KEY_WORDS = (b"random", b"PRNG", b"prng", b"KeyArray", b"next_rng_key", b"make_rng", b"initializers", b"rng_key")
_NAMED = ((b"rngs", re.compile(rb"\brngs\b")), (b"rng=", re.compile(rb"\brng=")))
_GIVEN = re.compile(rb"\b(key|seed)=\w*(key|rng)")


def may_hold_keys(data: bytes, roots: Iterable[str] = DEFAULT_ROOTS, packages: frozenset[str] = frozenset()) -> bool:
    """Return whether a file can hold a JAX key, by what it names.

    It names a JAX namespace, or imports a package of functions of keys, and has a word for what makes or types keys.

    Args:
        data: the file's bytes, in any encoding that agrees with ASCII.
        roots: the names under which the JAX namespace may be imported (the setting ``library-roots``).
        packages: the packages that make or take keys, by the signature packs.
    """
    heads = (root.partition(".")[0].encode() for root in roots)  # `from lab import jax_compat` is `lab.jax_compat`
    is_near_keys = any(map(data.__contains__, heads)) or imports_one_of(data, packages)
    return is_near_keys and _names_keys(data)


def _names_keys(data: bytes) -> bool:
    """Return whether a text has a word for what makes, takes or types keys; looking for fixed bytes first is faster."""
    if any(map(data.__contains__, _KEY_WORDS)):
        return True
    if any(word in data and pattern.search(data) is not None for word, pattern in _NAMED):
        return True
    return (b"key=" in data or b"seed=" in data) and _GIVEN.search(data) is not None


def imports_one_of(data: bytes, packages: frozenset[str]) -> bool:
    """Return whether a file, a cell of a notebook or an example has a line that imports one of some packages."""
    return bool(packages) and _imports(packages).search(b"\n" + data) is not None


@cache
def _imports(packages: frozenset[str]) -> re.Pattern[bytes]:
    """Return a pattern that begins with a fixed byte, which is looked for ten times as fast as a choice of words."""
    names = "|".join(sorted(packages))
    return re.compile(rf'\n[ \t">]*(?:from|import)[ \t]+(?:{names})\b'.encode())
