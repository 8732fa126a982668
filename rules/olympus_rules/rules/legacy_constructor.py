"""OLY201: ``jax.random.PRNGKey`` makes raw keys."""

from __future__ import annotations

from olympus_rules.finding import Applicability, Finding
from olympus_rules.keyflow.facts import Construction, Reference
from olympus_rules.rule import Rule
from olympus_rules.syntax import Document

CONTEXTS = ("call", "value", "import", "name")


class LegacyConstructor(Rule):
    """The constructor called, passed as a value or imported."""

    code = "OLY201"
    name = "legacy-constructor"
    summary = "`jax.random.PRNGKey` makes a raw key"
    default = False
    fix = Applicability.SAFE
    facts = (Construction,)
    migrates = True

    def check(self, fact: Reference, document: Document) -> Finding | None:
        """Say how to write it, and what would break."""
        if not fact.qualified.endswith("random.PRNGKey") or fact.context not in CONTEXTS:
            return None
        if fact.context == "name":
            code = " ".join(document.segment(fact.node).split())
            message = f"`{code}` names the constructor of raw keys, and code with typed keys calls `jax.random.key`."
            return self.finding(fact, document, f"{message} Name that one, if all keys here are typed.")
        what = {"call": "makes a raw key", "value": "is passed on and makes raw keys"}.get(fact.context)
        if what is None:
            return self.finding(fact, document, "`PRNGKey` is imported and not used any more. Remove the import.")
        message = f"`{document.segment(fact.node)}` {what}. Make a typed key with `jax.random.key`"
        if fact.reachable:
            message += f"; before that, mend what a typed key does not survive: {'; '.join(fact.reachable)}"
        return self.finding(fact, document, f"{message}.")
