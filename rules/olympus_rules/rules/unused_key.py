"""OLY106: a derived key is never used."""

from __future__ import annotations

from olympus_rules.finding import Finding
from olympus_rules.keyflow.facts import UnusedKey
from olympus_rules.rule import Rule
from olympus_rules.rules.wording import the_key
from olympus_rules.syntax import Document


class UnusedKeyRule(Rule):
    """A key that is bound to a name and not read."""

    code = "OLY106"
    name = "unused-key"
    summary = "A derived key is bound to a name that nothing reads"
    default = False
    facts = (UnusedKey,)

    def check(self, fact: UnusedKey, document: Document) -> Finding:
        """Name the unused key."""
        name = the_key(fact, f"`{document.segment(fact.node)}`")
        return self.finding(
            fact,
            document,
            f"Key {name} is derived and never used. Use it where it was meant, or name it `_`.",
        )
