"""OLY202: logic on a key's shape counts the buffer axis."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from olympus_rules.finding import Applicability, Finding
from olympus_rules.keyflow.facts import Fact, ShapeLogic
from olympus_rules.rule import Rule

if TYPE_CHECKING:
    from olympus_rules.syntax import Document

__all__ = ["KeyShapeLogic"]


class KeyShapeLogic(Rule):
    """Shape, rank, length and layout of raw keys."""

    code = "OLY202"
    name = "key-shape-logic"
    summary = "Logic on a key's shape, rank, length or layout counts the buffer axis"
    fix = Applicability.SAFE
    facts: ClassVar[tuple[type[Fact], ...]] = (ShapeLogic,)

    def check(self, fact: Fact, document: Document) -> Iterator[Finding]:
        """Quote the expression and its portable form."""
        assert isinstance(fact, ShapeLogic)
        key = fact.key or document.segment(fact.subject)
        code = " ".join(document.segment(fact.node).split())
        opening = f"`{code}` counts the buffer axis of key `{key}`, which a typed key does not have."
        match fact.form:
            case "reshape":
                advice = "Split into the wanted shape: `jax.random.split(key, (a, b))`."
            case "broadcast":
                advice = f"Append the key's own shape: `shape + {key}.shape`."
            case _:
                advice = f"Ask `jax.random.key_data({key})`, which is the same for raw and typed keys."
        yield self.finding(fact, document, f"{opening} {advice}")
