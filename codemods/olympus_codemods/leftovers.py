"""What becomes of ``from jax.random import PRNGKey`` when the last use of the name is rewritten."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from olympus_codemods import imports
from olympus_codemods.codemod import fix_of
from olympus_codemods.names import Names
from olympus_rules.finding import Applicability, Edit, Fix
from olympus_rules.keyflow.facts import Reference
from olympus_rules.syntax.imports import import_statements

if TYPE_CHECKING:
    from olympus_rules.syntax import Document

__all__ = ["drop_import", "leftover_import"]


def leftover_import(document: Document, node: ast.expr, names: Names) -> list[Edit | None]:
    """Return the import edits of a rewrite that removes one use of a name.

    The name leaves its import statement together with its last use. Files that other files import names from,
    as far as that shows, keep it.
    """
    statement = importing(document, node.id) if isinstance(node, ast.Name) else None
    if statement is None or not isinstance(node, ast.Name) or uses(document, node.id) > 1:
        return names.edits()
    return names.edits(leaving=(statement, node.id))


def importing(document: Document, name: str) -> ast.ImportFrom | None:
    """Return the module-level statement that imports a name under its own name, perhaps for type checkers alone."""
    for statement in import_statements(document.tree.body):
        if not isinstance(statement, ast.ImportFrom):
            continue
        if any(alias.name == name and alias.asname in (None, name) for alias in statement.names):
            return statement
    return None


def uses(document: Document, name: str) -> int:
    """Return how often a file uses an imported name; a file that seems to re-export it counts as one more."""
    mentions = 0
    for node in ast.walk(document.tree):
        match node:
            case ast.Name(id=mentioned) | ast.Constant(value=str(mentioned)):
                mentions += mentioned == name
    return mentions + document.filename.endswith("__init__.py")


def drop_import(fact: Reference, document: Document) -> Fix | None:
    """Return the fix that removes an imported name that the file no longer uses."""
    name = fact.qualified.rpartition(".")[2]
    statement = importing(document, name)
    if statement is None or uses(document, name):
        return None
    edit = imports.change_names(document, statement, remove=[name])
    edit = edit or imports.delete_statement(document, statement)
    return fix_of(Applicability.SAFE, f"Remove the unused import of `{name}`", edit)
