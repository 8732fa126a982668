"""OLY901: a suppression comment hides nothing, or cannot be parsed. The program that reads comments reports it."""

from __future__ import annotations

from collections.abc import Iterator

from olympus_rules.finding import Applicability, Finding
from olympus_rules.keyflow.facts import Fact
from olympus_rules.rule import Rule
from olympus_rules.syntax import Document

__all__ = ["UnusedSuppression"]


class UnusedSuppression(Rule):
    """A suppression without a finding; it asks nothing of the key flow."""

    code = "OLY901"
    name = "unused-suppression"
    summary = "A suppression comment hides nothing or cannot be read"
    fix = Applicability.SAFE

    def check(self, fact: Fact, document: Document) -> Iterator[Finding]:
        """Report nothing: what a comment hides is known only after all other rules."""
        return iter(())
