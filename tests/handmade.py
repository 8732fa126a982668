"""Facts made by hand: nodes of a document found by their source text."""

from __future__ import annotations

import ast
from typing import Any

from olympus_rules.finding import Confidence, Fix
from olympus_rules.keyflow.facts import Fact, Place, Reuse
from olympus_rules.rule import Report
from olympus_rules.rules import all_rules
from olympus_rules.syntax import Document

__all__ = ["document", "fact", "fixed", "message", "node", "place", "report", "reuse"]


def document(text: str, filename: str = "example.py") -> Document:
    """Parse a text."""
    return Document(filename, text)


def node(doc: Document, text: str, nth: int = 0) -> Any:
    """Return the nth expression whose source is ``text``, in the order of places."""
    found = [n for n in ast.walk(doc.tree) if isinstance(n, ast.expr) and doc.segment(n) == text]
    return sorted(found, key=lambda n: (n.lineno, n.col_offset))[nth]


def place(doc: Document, text: str, nth: int = 0, *, key: str = "key", what: str = "") -> Place:
    """Return the place of a call; its key is the first expression in it that is spelled ``key``."""
    call = node(doc, text, nth)
    holders = [n for n in ast.walk(call) if isinstance(n, ast.expr) and doc.segment(n) == key]
    name = what or "jax.random." + ast.unparse(call.func).rpartition(".")[2]
    return Place(call, name, holders[0] if holders else None)


def reuse(doc: Document, first: Place, again: Place | None = None, **attributes: Any) -> Reuse:
    """Return a reuse; without ``again`` something repeats the first place."""
    again = again or first
    key = doc.segment(first.key) if first.key is not None else ""
    return Reuse(node=again.node, confidence=Confidence.CERTAIN, key=key, first=first, again=again, **attributes)


def fact(kind: type[Fact], at: ast.AST, **attributes: Any) -> Fact:
    """Return a certain fact."""
    return kind(node=at, confidence=Confidence.CERTAIN, **attributes)


def report(doc: Document, code: str, made: Fact) -> Report | None:
    """Return what a rule reports on a fact."""
    reports = [Report(finding, made) for finding in [all_rules()[code].check(made, doc)] if finding is not None]
    assert len(reports) <= 1
    return reports[0] if reports else None


def message(doc: Document, code: str, made: Fact) -> str:
    """Return what a rule says of a fact."""
    reported = report(doc, code, made)
    assert reported is not None
    return reported.finding.message


def fixed(doc: Document, code: str, made: Fact) -> tuple[str, Fix | None]:
    """Return the text after the fix of a fact, and the fix."""
    from olympus_codemods.fixes import apply_fixes, fix_for

    reported = report(doc, code, made)
    assert reported is not None
    fix = fix_for(reported, doc)
    if fix is None:
        return doc.text, None
    text, applied = apply_fixes(doc.text, [fix])
    assert applied == 1
    ast.parse(text)
    return text, fix
