"""Environment variables: ``OLYMPUS_ENABLE_X64`` stands for ``JAX_ENABLE_X64``, and so for every flag of JAX.

JAX reads its variables when it is imported. A variable of JAX goes before ours.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

PREFIX = "OLYMPUS_"
OTHERS = ("OLYMPUS_LINT_", "OLYMPUS_RECORD_")
"""Variables of the linter and of the recorder."""
BOOLEANS = {
    **dict.fromkeys(("1", "true", "t", "yes", "y", "on"), True),
    **dict.fromkeys(("0", "false", "f", "no", "n", "off"), False),
}


def given() -> Mapping[str, str]:
    """Return the variables that stand for those of JAX, by JAX's names, without those that JAX was given itself."""
    found = {}
    for name, value in os.environ.items():
        theirs = f"JAX_{name.removeprefix(PREFIX)}"
        if name.startswith(PREFIX) and not name.startswith(OTHERS) and theirs not in os.environ:
            found[theirs] = value
    return found


def copy_for_import() -> None:
    """Give JAX the variables before it is imported; a registered generator is made the default here."""
    from olympus.prng import default, registry

    for name, value in given().items():
        if name == "JAX_DEFAULT_PRNG_IMPL" and registry.is_registered(value):
            default.set_for_all_threads(value)
        else:
            os.environ[name] = value


def apply_to_imported(config: Any) -> None:
    """Set the flags of a JAX that was imported before this package was used."""
    from olympus.prng import default, registry

    for name, text in given().items():
        flag = name.lower()
        if name == "JAX_DEFAULT_PRNG_IMPL" and registry.is_registered(text):
            default.set_for_all_threads(text)
        elif hasattr(config, flag):
            config.update(flag, converted(text, getattr(config, flag)))


def converted(text: str, before: object) -> object:
    """Return the value that a text stands for, as one of the type that the flag has."""
    if isinstance(before, bool):
        if text.lower() not in BOOLEANS:
            raise ValueError(f"invalid truth value {text!r} for environment")
        return BOOLEANS[text.lower()]
    return int(text) if isinstance(before, int) else text
