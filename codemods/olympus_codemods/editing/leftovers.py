"""Edits of ``from jax.random import PRNGKey`` after the last use of the name is rewritten."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from olympus_codemods.codemod import fix_of
from olympus_codemods.editing import imports
from olympus_codemods.editing.names import Names
from olympus_rules.finding import Applicability, Edit, Fix
from olympus_rules.keyflow.facts import Reference
from olympus_rules.syntax import Document
from olympus_rules.syntax.imports import import_statements


def leftover_import(document: Document, node: ast.expr, names: Names) -> list[Edit | None]:
    """Return the import edits of a rewrite that removes one use of a name.

    The name leaves its import statement together with its last use. Files from which other files
    visibly import names keep it.
    """
    found = importing(document, node.id) if isinstance(node, ast.Name) else None
    if found is None or not isinstance(node, ast.Name) or uses(document, node.id) > 1:
        return names.edits()
    return names.edits(leaving=found)


def importing(document: Document, name: str) -> tuple[ast.ImportFrom, str] | None:
    """Return the statement that binds a name, and the imported name.

    It is one at the module's level, perhaps for type checkers alone, or else the only one in a function.
    """
    outer = binding(import_statements(document.tree.body), name)
    if outer:
        return outer[0]
    inner = binding(ast.walk(document.tree), name)
    return inner[0] if len(inner) == 1 else None


def binding(nodes: Iterable[ast.AST], name: str) -> list[tuple[ast.ImportFrom, str]]:
    """Return the ``from … import …`` statements among some nodes that bind a name, and the imported names."""
    return [
        (node, alias.name)
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if (alias.asname or alias.name) == name
    ]


def uses(document: Document, name: str) -> int:
    """Return how often a file uses an imported name; that others read it, or seem to, counts as one more."""
    mentions = 0
    for node in ast.walk(document.tree):
        match node:
            case ast.Name(id=mentioned) | ast.Constant(value=str(mentioned)):
                mentions += mentioned == name
    is_read = document.filename.endswith("__init__.py") or not document.read_elsewhere.isdisjoint((name, "*"))
    return mentions + is_read


def drop_import(fact: Reference, document: Document) -> Fix | None:
    """Return the fix that removes an imported name that the file no longer uses."""
    alias = fact.node
    local = alias.asname or alias.name if isinstance(alias, ast.alias) else fact.qualified.rpartition(".")[2]
    found = importing(document, local)
    if found is None or uses(document, local):
        return None
    statement, name = found
    edit = imports.change_names(document, statement, remove=[name])
    edit = edit or imports.delete_statement(document, statement)
    return fix_of(Applicability.SAFE, f"Remove the unused import of `{name}`", edit)
