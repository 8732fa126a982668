"""OLY110: the result of a split or fold_in is discarded."""

from __future__ import annotations

from olympus_rules.finding import Applicability, Finding
from olympus_rules.keyflow.facts import DiscardedDerivation
from olympus_rules.rule import Rule
from olympus_rules.syntax import Document


class DiscardedDerivationRule(Rule):
    """A derivation as a statement of its own."""

    code = "OLY110"
    name = "discarded-derivation"
    summary = "The result of a split or `fold_in` is discarded, and the key stays as it was"
    fix = Applicability.UNSAFE
    facts = (DiscardedDerivation,)

    def check(self, fact: DiscardedDerivation, document: Document) -> Finding:
        """Say that the key is unchanged."""
        key = f"`{fact.key}`" if fact.key else "the key"
        return self.finding(
            fact,
            document,
            f"`{fact.function}` returns new keys and leaves {key} as it was; here its result is discarded. Bind it: "
            f"`{fact.key or 'key'} = …`, or delete the call.",
        )
