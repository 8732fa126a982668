"""The key flow's front door: the facts of one document."""

from __future__ import annotations

from olympus_rules.keyflow.facts import Fact
from olympus_rules.syntax import Document

__all__ = ["analyse"]


def analyse(document: Document) -> list[Fact]:
    """Return the facts of a document in the order of their places."""
    return []
