"""The calls that make keys, and the generators that they name."""

from __future__ import annotations

import ast

from olympus_rules.code.names import dotted_name
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.libraries.names import KEY, PRNG_KEY

UNLIKE = "unsafe_rbg"
"""The generator of JAX whose ``split(key, n)[i]`` is not ``fold_in(key, i)``."""


def made_by(file: File, key: Term) -> ast.Call | None:
    """Return the call in this file that makes a key of a seed."""
    made = (file.document.parents.get(node) for node, term in file.constructed.items() if term == key)
    return next((call for call in made if isinstance(call, ast.Call)), None)


def implementation(call: ast.Call) -> str | None:
    """Return the generator that a call of a constructor names."""
    for keyword in call.keywords:
        if keyword.arg == "impl" and isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, str):
            return keyword.value.value
    return None


def splits_as_it_folds(file: File, key: Term) -> bool:
    """Return whether ``split(key, n)[i]`` is ``fold_in(key, i)``.

    The text that names the other generator makes keys of it, or gets some: there, the call that makes the key decides.
    """
    text = file.document.text
    if UNLIKE not in text:
        return True
    call = made_by(file, file.terms.seed_of(key))
    if call is None or file.document.imports.resolve(dotted_name(call.func)) not in (KEY, PRNG_KEY):
        return False
    if any(keyword.arg in ("impl", None) for keyword in call.keywords):
        return implementation(call) not in (UNLIKE, None)
    return "default_prng_impl" not in text.lower()
