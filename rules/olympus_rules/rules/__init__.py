"""The rules, one module each: the facts it asks of the key flow, and the message for each."""

from __future__ import annotations

import sys
from functools import cache

from olympus_rules.registry import find_all
from olympus_rules.rule import Rule

__all__ = ["all_rules"]


@cache
def all_rules() -> dict[str, Rule]:
    """Return every rule by code, in the order of codes.

    A rule is a module of this package with a subclass of :class:`Rule` in it; nothing else lists it.
    """
    return {rule.code: rule() for rule in sorted(find_all(sys.modules[__name__], Rule), key=lambda rule: rule.code)}
