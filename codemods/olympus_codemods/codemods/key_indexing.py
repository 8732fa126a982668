"""OLY101: read the words through ``key_data``, or split where new keys were wanted."""

from __future__ import annotations

import ast

import libcst as cst

from olympus_codemods.codemod import Codemod, fix_of
from olympus_codemods.editing.key_data import through_key_data
from olympus_codemods.editing.names import Names, dotted
from olympus_codemods.editing.ownership import assignable
from olympus_codemods.editing.rewriting import call, expression, parsed, replace
from olympus_codemods.editing.scopes import scope_of
from olympus_codemods.target import Target
from olympus_rules.finding import Applicability, Fix
from olympus_rules.keyflow.facts import KeyIndexing
from olympus_rules.libraries.names import SPLIT
from olympus_rules.syntax import Document


class KeyIndexingCodemod(Codemod):
    """``key[0]`` as a value, as a seed, and ``a, b = key``."""

    code = "OLY101"

    def fix(self, fact: KeyIndexing, document: Document) -> Fix | None:
        """Return the rewrite for the use of the word."""
        if fact.use in ("value", "foreign-seed"):
            return read_key_data(fact, document)
        if fact.use == "seed":
            return split_for_seed(fact, document)
        return split_for_unpacking(fact, document) if fact.use == "unpack" else None

    def migrate(self, fact: KeyIndexing, document: Document, target: Target) -> Fix | None:
        """Return the same reading of words through ``key_data``, whatever their use."""
        around = document.parents.get(fact.node)
        is_whole = isinstance(around, ast.Starred) or (
            isinstance(around, ast.For | ast.comprehension) and around.iter is fact.node
        )
        if isinstance(fact.node, ast.Subscript) and not is_whole:
            return read_key_data(fact, document)
        if isinstance(fact.node, ast.Tuple | ast.List):
            statement = document.parents.get(fact.node)
            values = [statement.value] if isinstance(statement, ast.Assign) else []
        else:
            values = [fact.node] if isinstance(fact.node, ast.expr) else []  # the iterable of a loop, or behind a star
        return through_key_data(document, fact.node, values, "Read the words through `key_data`")


def read_key_data(fact: KeyIndexing, document: Document) -> Fix | None:
    """``key[0]`` becomes ``jax.random.key_data(key)[0]``, the same number for either kind of key."""
    subject = fact.node.value if isinstance(fact.node, ast.Subscript) else None
    if not isinstance(getattr(fact.node, "ctx", None), ast.Load):
        return None  # the words are written, and those of `key_data` cannot be
    subjects = [] if subject is None else [subject]
    return through_key_data(document, fact.node, subjects, "Read the word through `key_data`")


def split_for_seed(fact: KeyIndexing, document: Document) -> Fix | None:
    """``new = PRNGKey(key[1])`` becomes ``key, new = split(key)``."""
    subject = fact.node.value if isinstance(fact.node, ast.Subscript) else None
    statement = document.statement(fact.node)
    match statement:
        case ast.Assign(targets=[ast.Name(id=new) as target], value=ast.Call() as value):
            pass
        case _:
            return None
    if fact.consumer is not value or not isinstance(subject, ast.Name) or subject.id == new:
        return None
    names = Names(document, statement)
    if not assignable(document, subject, scope_of(document, statement)):
        return None
    split = call(names.spell(SPLIT, near=value.func), expression(document, subject))
    both = replace(document, target, parsed(f"{subject.id}, {new}"))
    edits = [both, replace(document, value, split), *names.edits()]
    return fix_of(Applicability.UNSAFE, f"Split `{subject.id}` instead of seeding with a part of it", *edits)


def split_for_unpacking(fact: KeyIndexing, document: Document) -> Fix | None:
    """``a, b = key`` becomes ``a, b = split(key)``."""
    match document.statement(fact.node):
        case ast.Assign(targets=[ast.Tuple(elts=targets) | ast.List(elts=targets)], value=value) as statement:
            pass
        case _:
            return None
    if not dotted(value) or any(isinstance(target, ast.Starred) for target in targets):
        return None
    names = Names(document, statement)
    size = [] if len(targets) == 2 else [cst.Integer(str(len(targets)))]
    edit = replace(document, value, call(names.spell(SPLIT), expression(document, value), *size))
    return fix_of(Applicability.UNSAFE, f"Split `{dotted(value)}` into keys", edit, *names.edits())
