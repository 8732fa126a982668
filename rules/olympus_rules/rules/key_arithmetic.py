"""OLY102: an operator, cast or reduction is applied to a key."""

from __future__ import annotations

from olympus_rules.finding import Applicability, Finding
from olympus_rules.keyflow.facts import KeyArithmetic
from olympus_rules.rule import Rule
from olympus_rules.rules.wording import the_key, written_in
from olympus_rules.syntax import Document

OPERATORS = frozenset(["+", "-", "*", "/", "//", "%", "**", "@", "^", "&", "|", "<<", ">>", "~"])


class KeyArithmeticRule(Rule):
    """Arithmetic, bit operations, casts and reductions on a key."""

    code = "OLY102"
    name = "key-arithmetic"
    summary = "Arithmetic, a bit operation, a cast or a reduction is applied to a key"
    fix = Applicability.UNSAFE
    facts = (KeyArithmetic,)
    migrates = True
    events = ("arithmetic",)

    def check(self, fact: KeyArithmetic, document: Document) -> Finding:
        """Name the operation and the function that derives keys instead."""
        key = fact.key or "key"
        subject = f"Key {the_key(fact)}" if fact.key else "A key"
        if fact.operation not in OPERATORS:
            return self.finding(
                fact,
                document,
                f"`{fact.operation}` is applied to {subject[0].lower()}{subject[1:]}, which is not a number "
                f"to compute with. Read its words with `jax.random.key_data({key})`, if they are wanted.",
            )
        function, argument = ("split", "n") if fact.batch else ("fold_in", "i")
        instead = f"{written_in(document, fact.node, function)}({key}, {argument})"
        return self.finding(
            fact,
            document,
            f"{subject} is changed with `{fact.operation}`, which gives keys that are not independent "
            f"and fails for typed keys. Derive new keys: `{instead}`.",
        )
