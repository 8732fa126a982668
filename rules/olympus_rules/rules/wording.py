"""Phrases that the rules' messages share."""

from __future__ import annotations

import ast

from olympus_rules.finding import Related
from olympus_rules.keyflow.facts import ArrayObject, Fact
from olympus_rules.libraries.names import RANDOM, under_jax
from olympus_rules.syntax import Document

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def the_key(fact: Fact, otherwise: str = "the key") -> str:
    """Return the key's name in backquotes, or other words for a key without one."""
    return f"`{fact.key}`" if fact.key else otherwise


def line(document: Document, node: ast.AST) -> str:
    """Return ``line N`` for the place where a node starts."""
    return f"line {document.span(node).start.row}"


def object_of(fact: ArrayObject) -> str:
    """Return how to refer to an object with ``__jax_array__``: its name with its class, or the class alone."""
    class_ = f"an object of class `{fact.class_name}`" + (f" ({fact.place})" if fact.place else "")
    return f"`{fact.key}`, {class_}," if fact.key else class_


def related(document: Document, node: ast.AST, message: str) -> Related:
    """Return a second place in the same file."""
    return Related(message, document.filename, document.span(node))


def written_in(document: Document, near: ast.AST, function: str = "split") -> str:
    """Return how a file writes a function of ``jax.random``: beside a call of ``jr.normal``, split is ``jr.split``."""
    imports = document.imports

    def stands_for(written: str) -> str:
        return under_jax(imports.resolve(written) or "", document.namespaces)

    module = ast.unparse(near.func.value) if isinstance(near, ast.Call) and isinstance(near.func, ast.Attribute) else ""
    if stands_for(module) == RANDOM:
        return f"{module}.{function}"
    spellings = {f"{RANDOM}.{function}": "", RANDOM: f".{function}", "jax": f".random.{function}"}
    for qualified, rest in spellings.items():
        found = next((name for name in imports.names if stands_for(name) == qualified), None)
        if found is not None:
            return f"{found}{rest}"
    return f"{RANDOM}.{function}"


def constructor_in(document: Document, near: ast.AST) -> str:
    """Return how a file writes the constructor of its keys, which is that of raw keys where it has any."""
    return written_in(document, near, "PRNGKey" if "PRNGKey" in document.text else "key")


def names_in(expression: ast.AST) -> list[str]:
    """Return the names in an expression, in order."""
    return [part.id for part in ast.walk(expression) if isinstance(part, ast.Name)]


def bound_in(node: ast.AST) -> set[str]:
    """Return the names that a statement, a loop or a function binds in it."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
