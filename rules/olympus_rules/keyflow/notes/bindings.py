"""Checks bindings of keys: names that nothing reads, default arguments, class fields."""

from __future__ import annotations

import ast

from olympus_rules.code import instructions as ir
from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain.state import State
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Value
from olympus_rules.syntax.document import every_node


def bound(flow: State, instruction: ir.Store, value: Value) -> None:
    """Record a name that is bound to a child and never read, for OLY106 and for reuse messages."""
    name = instruction.name
    if not isinstance(value, Term) or name.startswith("_") or "$" in name or name in flow.code.reads:
        return
    operation = flow.terms.operation(value)
    derived = operation == "fold_in" or (
        operation in ("item", "slice") and flow.terms.operation(flow.terms.root_array(value)) == "split"
    )
    if not derived or flow.code.kind == "module" or "." in name or name in flow.code.outer_names:
        return
    flow.events.unused[name] = value
    flow.file.add(
        facts.UnusedKey(node=instruction.node, confidence=Confidence.CERTAIN, key=name, kind=flow.knowledge.kind(value))
    )


def default(flow: State, code: ir.FunctionCode, name: str, value: Value, node: ast.expr) -> None:
    """Detect a key in a default argument, which is made once. A parameter that the body never reads does not matter."""
    if not isinstance(value, Term) or flow.terms.operation(value) != "seed":
        return
    code.lower()
    if name not in code.reads:
        return
    # whether the function draws from it is judged later
    _constant_key(flow, value, node, "default-argument", f"{code.name}({name})", Confidence.POSSIBLE)


def class_fields(flow: State, instruction: ir.MakeClass) -> None:
    """Check the fields of a class body."""
    class_ = instruction.code
    for statement in class_.node.body:
        target: ast.expr | None = statement.target if isinstance(statement, ast.AnnAssign) else None
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
        if isinstance(target, ast.Name) and isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value:
            value = flow.env.get(f"{class_.name}.{target.id}")
            # a caller may pass each object its own key for an annotated field
            confidence = Confidence.LIKELY if isinstance(statement, ast.AnnAssign) else Confidence.CERTAIN
            if isinstance(value, Term) and _is_used_in_body_only(class_.node, target.id):
                continue
            _constant_key(flow, value, statement.value, "class-field", f"{class_.name}.{target.id}", confidence)


def _is_used_in_body_only(class_: ast.ClassDef, name: str) -> bool:
    """Return whether the body of a class draws from a variable of it, and no method from an attribute."""
    methods = [each for each in class_.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
    own = (node for each in class_.body if each not in methods for node in every_node(each))
    is_read = any(isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load) for node in own)
    of_methods = (node for each in methods for node in every_node(each))
    return is_read and not any(isinstance(node, ast.Attribute) and node.attr == name for node in of_methods)


def _constant_key(
    flow: State,
    value: object,
    node: ast.expr,
    where: str,
    owner: str,
    confidence: Confidence = Confidence.CERTAIN,
) -> None:
    if not isinstance(value, Term) or flow.terms.operation(value) != "seed":
        return
    if flow.terms.operation(flow.terms.args(value)[0]) != "const":
        return
    flow.file.add(
        facts.ConstantKey(
            node=node,
            confidence=confidence,
            kind=flow.knowledge.kind(value),
            where=where,
            owner=owner,
        )
    )
