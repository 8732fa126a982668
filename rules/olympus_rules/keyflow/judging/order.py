"""The facts of a file in the order of their places, each once."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable
from dataclasses import replace

from olympus_rules.keyflow import facts
from olympus_rules.keyflow.facts import Fact


def unique(found: Iterable[Fact]) -> list[Fact]:
    """Return the facts in the order of their places, one of each type at a node, the surest."""
    best: dict[tuple[type[Fact], ast.AST, object], Fact] = {}
    found = _with_one_identity(list(found))
    for fact in found:
        slot = (type(fact), fact.node, getattr(fact, "where", None) or getattr(fact, "qualified", None))
        if slot not in best or fact.confidence > best[slot].confidence:
            best[slot] = fact
    return sorted(best.values(), key=lambda fact: place(fact.node))


def _with_one_identity(found: list[Fact]) -> list[Fact]:
    """Give the reuses of one key one identity: a key has several terms if a function is interpreted several times.

    Reuses are of one key if one place consumes a key of the same name. So are the keys of two iterations of a loop.
    """
    leaders: dict[Hashable, Hashable] = {}

    def leader(slot: Hashable) -> Hashable:
        while (above := leaders.setdefault(slot, slot)) != slot:
            slot = above
        return slot

    reuses = [fact for fact in found if isinstance(fact, facts.Reuse)]
    if len(reuses) < 2:
        return found
    for fact in reuses:
        leaders[leader((fact.node, fact.key))] = leader(fact.identity)
    return [replace(fact, identity=leader(fact.identity)) if isinstance(fact, facts.Reuse) else fact for fact in found]


def after(a: ast.AST, b: ast.AST) -> bool:
    """Return whether one node starts behind another in the text."""
    return place(a) > place(b)


def place(node: ast.AST) -> tuple[int, int]:
    """Return the line and the column of a node."""
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
