"""OLY109: a key is passed as a seed, or an integer or text as a key."""

from __future__ import annotations

from olympus_rules.finding import Finding
from olympus_rules.keyflow.facts import SeedConfusion
from olympus_rules.rule import Rule
from olympus_rules.rules.wording import constructor_in, the_key, written_in
from olympus_rules.syntax import Document


class KeySeedConfusion(Rule):
    """Keys and seeds exchanged."""

    code = "OLY109"
    name = "key-seed-confusion"
    summary = "A key is given where a seed is wanted, or an integer or text where a key is wanted"
    facts = (SeedConfusion,)

    def check(self, fact: SeedConfusion, document: Document) -> Finding:
        """Say which of the two was passed and which the function takes."""
        if fact.how == "key-as-seed":
            given = f"`{fact.function}` takes an integer seed, but {the_key(fact, 'its argument')} is a key."
            message = f"{given} Use the key as it is, or derive one with `{written_in(document, fact.node)}`."
        elif fact.how == "text-as-key":
            given = f"`{fact.function}` takes a key, and gets text in its place."
            message = f"{given} Give it the key; the arguments may be in another order."
        else:
            given = f"`{fact.function}` takes a key, but {the_key(fact, 'its first argument')} is an integer."
            constructor = constructor_in(document, fact.node)
            message = f"{given} Make a key from it: `{constructor}({fact.key or 'seed'})`."
        return self.finding(fact, document, message)
