"""OLY208: typed keys are passed to code that takes raw keys only, or mixed with raw keys."""

from __future__ import annotations

from olympus_rules.finding import Applicability, Finding
from olympus_rules.keyflow.facts import KeyKind, UntypedBoundary
from olympus_rules.rule import Rule
from olympus_rules.rules.wording import related
from olympus_rules.syntax import Document


class UntypedBoundaryRule(Rule):
    """Keys handed to libraries without typed keys, and raw and typed keys in one value."""

    code = "OLY208"
    name = "untyped-boundary"
    summary = "A typed key meets code that takes raw keys only, or a raw key"
    fix = Applicability.SAFE
    facts = (UntypedBoundary,)
    migrates = True

    def check(self, fact: UntypedBoundary, document: Document) -> Finding:
        """Say what is incompatible, and how to convert it."""
        if fact.form == "argument":
            key = fact.key or " ".join(document.segment(fact.node).split())
            why = (
                f"`{key}` is a typed key"
                if fact.kind is KeyKind.TYPED
                else f"a typed key in the place of `{key}` breaks it"
            )
            return self.finding(
                fact,
                document,
                f"`{fact.function}` takes raw keys only, and {why}. Hand over `jax.random.key_data({key})`, with a "
                f"note to remove it when the function takes typed keys.",
            )
        typed = f"`{document.segment(fact.other)}`" if fact.other is not None else "the other one"
        raw = f"`{' '.join(document.segment(fact.subject).split())}`" if fact.subject is not None else "one value"
        others = (related(document, fact.other, "the typed key"),) if fact.other is not None else ()
        return self.finding(
            fact,
            document,
            f"`{fact.function}` gets keys of both kinds: {raw} is raw and {typed} is typed, which raises an error. "
            f"Make both with `jax.random.key`, or convert the raw one with `jax.random.wrap_key_data`.",
            others,
        )
