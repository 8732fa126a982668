"""OLY208: raw words for code that takes nothing else, typed keys for code that joins keys."""

from __future__ import annotations

import ast

from olympus_codemods.codemod import Codemod, fix_of
from olympus_codemods.editing.leftovers import leftover_import
from olympus_codemods.editing.names import Names
from olympus_codemods.editing.rewriting import call, expression, insert_line, parsed, replace
from olympus_codemods.target import Target
from olympus_rules.finding import Applicability, Edit, Fix
from olympus_rules.keyflow.facts import UntypedBoundary
from olympus_rules.libraries.names import KEY, KEY_DATA, PRNG_KEY, WRAP_KEY_DATA
from olympus_rules.syntax import Document


class UntypedBoundaryCodemod(Codemod):
    """Conversions at the boundary."""

    code = "OLY208"

    def fix(self, fact: UntypedBoundary, document: Document) -> Fix | None:
        """Return the conversion of the key that does not fit."""
        if fact.subject is None:
            return None
        if fact.form == "argument":
            return hand_over_words(fact.subject, fact.function, document)
        return construct_typed(fact.subject, document) or wrap(fact.subject, document)

    def migrate(self, fact: UntypedBoundary, document: Document, target: Target) -> Fix | None:
        """Return the conversion, if the oldest release of JAX has the functions that it needs."""
        needed = "key_data" if fact.form == "argument" else "wrap_key_data"
        return super().migrate(fact, document, target) if target.has(needed) else None


def hand_over_words(subject: ast.expr, function: str, document: Document) -> Fix | None:
    """``lib.f(key)`` becomes ``lib.f(key_data(key))``, under a comment that says until when."""
    names = Names(document, subject)
    words = call(names.spell(KEY_DATA), expression(document, subject))
    edits: list[Edit | None] = [replace(document, subject, words), *names.edits()]
    statement = document.statement(subject)
    reminder = f"# TODO: hand over the key itself when {function} takes typed keys"
    row = document.span(statement).start.row
    if row < 2 or document.lines[row - 2].strip() != reminder:
        note = insert_line(document, statement, reminder)
        edits += [note] if note is not None else []
    return fix_of(Applicability.SAFE, "Hand over the words of the key", *edits)


def construct_typed(subject: ast.expr, document: Document) -> Fix | None:
    """``PRNGKey(seed)`` beside typed keys becomes ``key(seed)``."""
    names = Names(document, subject)
    if not isinstance(subject, ast.Call) or names.resolve(subject.func) != PRNG_KEY:
        return None
    edit = replace(document, subject.func, parsed(names.spell(KEY, near=subject.func)))
    edits = leftover_import(document, subject.func, names)
    return fix_of(Applicability.SAFE, "Make a typed key with `jax.random.key`", edit, *edits)


def wrap(subject: ast.expr, document: Document) -> Fix | None:
    """A raw key beside typed ones becomes ``wrap_key_data(key)``."""
    names = Names(document, subject)
    edit = replace(document, subject, call(names.spell(WRAP_KEY_DATA), expression(document, subject)))
    return fix_of(Applicability.SAFE, "Convert the raw key", edit, *names.edits(), shows_keys=True)
