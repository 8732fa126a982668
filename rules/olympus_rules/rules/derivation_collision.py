"""OLY108: two derivations give equal children although they look independent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from olympus_rules.finding import Applicability, Finding, Related
from olympus_rules.keyflow.facts import DerivationCollision, Fact, Place
from olympus_rules.libraries.names import RANDOM
from olympus_rules.rule import Rule
from olympus_rules.rules.wording import line, related, the_key

if TYPE_CHECKING:
    from olympus_rules.syntax import Document

__all__ = ["DerivationCollisionRule"]


class DerivationCollisionRule(Rule):
    """Equal children of one parent."""

    code = "OLY108"
    name = "derivation-collision"
    summary = "Two derivations of one key give equal children"
    fix = Applicability.SAFE
    facts: ClassVar[tuple[type[Fact], ...]] = (DerivationCollision,)
    events = ("collision", "derived", "reuse")
    has_two_places = True

    def check(self, fact: Fact, document: Document) -> Iterator[Finding]:
        """Name both derivations and the change that makes their children differ."""
        assert isinstance(fact, DerivationCollision)
        places: tuple[Related, ...] = ()
        if fact.first is not None and fact.first.node is not fact.node:
            places = (related(document, fact.first.node, "the other derivation"),)
        yield self.finding(fact, document, message(fact, document), places)


def _splitter(place: Place | None, article: str) -> str:
    """Return what splits a key, which may be a function that is called."""
    if place is None or place.what.startswith(f"{RANDOM}."):
        return f"{article} split"
    return f"{article.replace('This', 'The')} split in `{place.what}`"


def message(fact: DerivationCollision, document: Document) -> str:
    """Say which children are equal and what to do."""
    key = the_key(fact, "this key")
    other = f" on {line(document, fact.first.node)}" if fact.first is not None else ""
    if fact.how == "split-then-index":
        datum = document.segment(fact.index) if fact.index is not None else "i"
        return (
            f"The last of `{datum} + 1` keys split from {key} is what `fold_in` gives at once, and every "
            f"longer split has it too. Use `jax.random.fold_in({fact.key or 'key'}, {datum})`."
        )
    if fact.how == "splits-share-children":
        again, first = _splitter(fact.again, "This"), _splitter(fact.first, "the")
        return (
            f"{again} of {key} shares children with {first}{other}: the first keys of a longer split are those of a "
            f"shorter one. Split once into as many keys as are needed."
        )
    if fact.how == "split-beside-fold_in":
        return (
            f"`split` and `fold_in`{other} of {key} give the same children: `split(key)[i]` equals "
            f"`fold_in(key, i)`. Use one of the two on a key, or split first and fold into a child."
        )
    if fact.repeated_by:
        return (
            f"`fold_in` of {key} gets the same data each time (repeated by a {fact.repeated_by}), so every "
            f"child is the same key. Fold in something that changes, such as the index."
        )
    return f"`fold_in` of {key} gets the same data as{other}, so the two children are equal. Use different data."
