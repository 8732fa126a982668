"""Copies of records and objects with some fields changed."""

from __future__ import annotations

import ast
from dataclasses import replace

from olympus_rules.keyflow.domain.arguments import Arguments
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import (
    Function,
    Sequence,
    Value,
)
from olympus_rules.keyflow.interpret.flow import Flow

REPLACING = frozenset({"replace", "_replace"})  # the functions and methods that make such copies


def replaced(flow: Flow, receiver: Term, arguments: Arguments) -> Term:
    """Return a copy of a record with some fields changed: any, if the names of the new values are not known."""
    is_open = any(name is None for name, _ in arguments.keywords)
    changed = flow.terms.fresh() if is_open else flow.make("copy", flow.terms.number(), receiver)
    flow.file.plain |= {receiver, changed}
    class_ = flow.file.classes.get(receiver)
    if is_open and class_ is not None:
        flow.file.classes[changed] = class_
    for field in flow.linker.hierarchy.fields(class_) if class_ is not None and not is_open else ():  # as they are now
        flow.env.set((changed, field, 0), flow.attribute(receiver, field))
    for name, value in arguments.keywords:
        if name is not None:
            flow.set_attribute(changed, name, value)
    return changed


def renewed(flow: Flow, receiver: Term, arguments: Arguments, fields: tuple[str, ...]) -> Value:
    """Return the copy that a method gives of its object: some fields are new, others as the arguments say."""
    changed = replaced(flow, receiver, arguments)
    for name in fields:
        flow.set_attribute(changed, name, flow.terms.fresh())
    return changed


def replaced_at(flow: Flow, arguments: Arguments) -> Value | None:
    """Return what ``tree_at(lambda tree: tree.field, tree, new)`` makes of an object, ``None`` if it is no object."""
    where, tree, new = (arguments.get(i, name) for i, name in enumerate(("where", "pytree", "replace")))
    node = where.code.node if isinstance(where, Function) else None
    if not isinstance(tree, Term) or not isinstance(node, ast.Lambda):
        return None
    parts = node.body.elts if isinstance(node.body, ast.Tuple | ast.List) else [node.body]
    values = new.items if isinstance(new, Sequence) and len(new.items) == len(parts) > 1 else None
    fields: list[tuple[str | None, Value]] = []
    for number, part in enumerate(parts):
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
            value = values[number] if values is not None else new if len(parts) == 1 else None
            fields.append((part.attr, flow.terms.fresh() if value is None else value))
    return replaced(flow, tree, replace(arguments, keywords=tuple(fields)))


def copied(flow: Flow, record: Value, arguments: Arguments) -> Value:
    """Return a copy of a value that may be a record."""
    return replaced(flow, record, arguments) if isinstance(record, Term) else flow.terms.fresh()
