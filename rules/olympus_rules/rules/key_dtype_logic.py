"""OLY203: a test, name or view of a key's dtype."""

from __future__ import annotations

from olympus_rules.finding import Applicability, Finding
from olympus_rules.keyflow.facts import DtypeLogic
from olympus_rules.rule import Rule
from olympus_rules.syntax import Document

WORDS = ("asserted", "integer", "kind", "name", "numpy")
"""Forms that ask for the dtype of a number, not whether it is a key."""


class KeyDtypeLogic(Rule):
    """Tests that hold for raw keys only, or for one implementation of typed keys."""

    code = "OLY203"
    name = "key-dtype-logic"
    summary = "A test, name or view of a key's dtype holds for one kind of key only"
    fix = Applicability.SAFE
    facts = (DtypeLogic,)
    migrates = True

    def check(self, fact: DtypeLogic, document: Document) -> Finding:
        """Quote the test, and the one that holds for both kinds."""
        key = fact.key or document.segment(fact.subject)
        code = " ".join(document.segment(fact.node).split())
        typed = f"`jnp.issubdtype({key}.dtype, jax.dtypes.prng_key)`, which is true for every typed key"
        words = f"the dtype of its words is `jax.random.key_data({key}).dtype`"
        advice = f"Ask {typed}; {words}." if fact.form in WORDS else f"Ask {typed}."
        return self.finding(
            fact,
            document,
            f"`{code}` expects the dtype of key `{key}` to be an integer type, or one particular key type. {advice}",
        )
