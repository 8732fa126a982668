"""A look at a file's bytes that says whether parsing it can be worth while."""

from __future__ import annotations

import re
from collections.abc import Iterable

from olympus_rules.syntax.imports import DEFAULT_ROOTS

# keys are made in haiku and flax by the two functions, and taken by what is made in modules of initialisers; a file
# that only hands keys on names the parameters of frameworks that take them
_KEY_WORDS = re.compile(
    rb"random|PRNG|prng|KeyArray|next_rng_key|make_rng|initializers|\brngs\b|rng_key|\brng=|\b(key|seed)=\w*(key|rng)"
)


def may_hold_keys(data: bytes, roots: Iterable[str] = DEFAULT_ROOTS) -> bool:
    """Return whether a file can hold a JAX key: it names a JAX namespace and something that makes or types keys.

    Args:
        data: the file's bytes, in any encoding that agrees with ASCII.
        roots: the names under which the JAX namespace may be imported (the setting ``library-roots``).
    """
    heads = (root.partition(".")[0].encode() for root in roots)  # `from lab import jax_compat` is `lab.jax_compat`
    return any(head in data for head in heads) and _KEY_WORDS.search(data) is not None
