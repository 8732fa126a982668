"""OLY301: ``jnp.asarray(x)`` where an object crosses a transformation, or its class registered as a pytree."""

from __future__ import annotations

import ast

from olympus_codemods.codemod import Codemod, fix_of
from olympus_codemods.codemods.jax_array_outside_numpy import converted
from olympus_codemods.editing.names import Names, dotted
from olympus_codemods.editing.rewriting import ending, insert_line
from olympus_rules.finding import Applicability, Edit, Fix, Position, Span
from olympus_rules.keyflow.facts import ArrayAtTransform
from olympus_rules.libraries.names import DATACLASS, REGISTER_DATACLASS, REGISTER_PYTREE_NODE_CLASS
from olympus_rules.syntax import Document

INDENT = "    "


class JaxArrayAtTransform(Codemod):
    """A conversion if the object is an argument; a registration if it is a result, or has to stay an object inside."""

    code = "OLY301"

    def fix(self, fact: ArrayAtTransform, document: Document) -> Fix | None:
        """Return the remedy of the two that fits; a person has to check either."""
        if fact.role in ("result", "parameter") and (fix := registered(fact.definition, document)) is not None:
            return fix
        return converted(fact.subject, document, Applicability.UNSAFE)


def registered(class_: ast.ClassDef | None, document: Document) -> Fix | None:
    """Return the edits that register a class of the same file, ``None`` if its fields are unknown."""
    if class_ is None:
        return None
    names = Names(document, class_)
    if any(names.resolve(part) == DATACLASS for part in map(called, class_.decorator_list)):
        decorator = names.spell(REGISTER_DATACLASS)
        first = None if decorator is None else insert_line(document, class_, f"@{decorator}")
        return fix_of(Applicability.UNSAFE, f"Register `{class_.name}`", first, *names.edits())
    fields = written_fields(class_)
    decorator = names.spell(REGISTER_PYTREE_NODE_CLASS)
    if not fields or decorator is None:
        return None
    first = insert_line(document, class_, f"@{decorator}")
    methods = add_methods(document, class_, fields)
    return fix_of(Applicability.UNSAFE, f"Register `{class_.name}`", first, methods, *names.edits())


def called(decorator: ast.expr) -> ast.expr:
    """Return a decorator without its arguments."""
    return decorator.func if isinstance(decorator, ast.Call) else decorator


def written_fields(class_: ast.ClassDef) -> list[str]:
    """Return the attributes that ``__init__`` sets, in order; none if there may be others."""
    methods = [node for node in class_.body if isinstance(node, ast.FunctionDef) and node.name == "__init__"]
    if len(methods) != 1 or not methods[0].args.args:
        return []
    receiver = methods[0].args.args[0].arg
    nodes = list(ast.walk(methods[0]))
    if any(isinstance(node, ast.Name) and node.id == "super" for node in nodes):
        return []
    targets = [node for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)]
    ordered = sorted(targets, key=lambda node: (node.lineno, node.col_offset))
    return list(dict.fromkeys(node.attr for node in ordered if dotted(node.value) == receiver))


def add_methods(document: Document, class_: ast.ClassDef, fields: list[str]) -> Edit | None:
    """Return the edit that writes ``tree_flatten`` and ``tree_unflatten`` at the end of a class."""
    row = class_.end_lineno or class_.lineno
    body = class_.body[0]
    line = document.lines[body.lineno - 1]
    indent = line[: document.position(body.lineno, body.col_offset).column - 1]
    if indent.strip() or any(other.lineno == row and other.end_lineno != row for other in class_.body[:0]):
        return None
    children = ", ".join(f"self.{name}" for name in fields) + ("," if len(fields) == 1 else "")
    code = [
        "",
        "def tree_flatten(self):",
        f"{INDENT}return ({children}), None",
        "",
        "@classmethod",
        "def tree_unflatten(cls, aux_data, children):",
        f"{INDENT}self = object.__new__(cls)",
        f"{INDENT}{f'({children})' if len(fields) == 1 else children} = children",
        f"{INDENT}return self",
    ]
    newline = ending(document, row)
    text = [f"{indent}{part}" if part else "" for part in code]
    last = document.lines[row - 1]
    if last.endswith(("\n", "\r")):
        start = Position(row + 1, 1)
        return Edit(Span(start, start), "".join(part + newline for part in text))
    end = Position(row, len(last) + 1)
    return Edit(Span(end, end), "".join(newline + part for part in text))
