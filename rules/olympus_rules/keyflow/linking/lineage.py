"""What is known of the key or the function at a place: where the key comes from, who consumes it, the signature."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from olympus.signatures import KeySignature
from olympus_rules.code.instructions import ClassCode, FunctionCode
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.domain.ledger import Consumption
from olympus_rules.keyflow.domain.run import Run
from olympus_rules.keyflow.domain.summary import GENERAL
from olympus_rules.keyflow.domain.terms import Term, Terms
from olympus_rules.keyflow.facts import Origin
from olympus_rules.keyflow.judging.descent import UNNAMED, Descent

Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
DEPTH = 6
"""Derivations that an identity is written with; an ellipsis stands for the rest."""


@dataclass(frozen=True, slots=True)
class Use:
    """A consumption or a derivation: what it is to the user, and the row; 0 if that is not known."""

    what: str
    row: int


@dataclass(frozen=True, slots=True)
class Told:
    """What is known of a name.

    Attributes:
        name: the expression.
        identity: the identity of its key, as ``split(param(f, key))[0]``; empty for a function.
        way: what the key comes from, and what makes each key of the one before.
        uses: what consumes the key in this function, by place.
        signature: the key signature of a function; ``None`` for a key.
    """

    name: str
    identity: str = ""
    way: tuple[Use, ...] = ()
    uses: tuple[Use, ...] = ()
    signature: KeySignature | None = None


def told_at(file: File, row: int, column: int) -> Told | None:
    """Return what is known of the key or function at a place of an analysed file; ``None`` if that is nothing.

    Args:
        file: the tables of the file, with the runs of its functions.
        row: the row, from 1.
        column: the column, from 1.
    """
    node = _name_at(file.document.tree, row, column - 1, file.document.lines[row - 1] if row else "")
    if node is None:
        return None
    if isinstance(node, Definition):
        return _function(file, next((code for code in _codes(file.module) if code.node is node), None), node.name)
    return _key(file, node) or _function(file, _defined(file, node), ast.unparse(node))


def _name_at(tree: ast.AST, row: int, offset: int, line: str) -> ast.expr | Definition | None:
    """Return the smallest name or attribute at a place, or the function whose name is there."""
    at = len(line[:offset].encode())
    found: ast.expr | None = None
    for node in ast.walk(tree):
        if isinstance(node, Definition) and node.lineno == row:
            start = line.encode().find(f"def {node.name}".encode(), node.col_offset) + len("def ")
            if start <= at <= start + len(node.name.encode()):
                return node
        if isinstance(node, ast.Name | ast.Attribute) and node.lineno <= row <= (node.end_lineno or row):
            starts = (node.lineno, node.col_offset) <= (row, at)
            ends = (row, at) <= (node.end_lineno or row, node.end_col_offset or at)
            if starts and ends and (found is None or _length(node) < _length(found)):
                found = node
    return found


def _length(node: ast.expr) -> tuple[int, int]:
    return (node.end_lineno or 0) - node.lineno, (node.end_col_offset or 0) - node.col_offset


def _codes(module: FunctionCode) -> Iterator[FunctionCode]:
    waiting = [module]
    while waiting:
        code = waiting.pop()
        yield code
        waiting += code.nested


def _key(file: File, node: ast.expr) -> Told | None:
    """Return what is known of the key that an expression holds, in the innermost function around it."""
    name = ast.unparse(node)
    for run in reversed([run for (code, given), run in file.runs.items() if given == GENERAL and _holds(code, node)]):
        found = list(dict.fromkeys(_held(run, node, name)))
        if found:
            used = {_use(each) for each in run.ledger.consumptions if each.term in found}
            identity = " or ".join(written(file.terms, term) for term in found)
            way = [_made(each, name) for each in Descent(file, run).way(found[0])] if len(found) == 1 else []
            return Told(name, identity, tuple(way), tuple(sorted(used, key=lambda use: (use.row, use.what))))
    return None


def _held(run: Run, node: ast.expr, name: str) -> list[Term]:
    """Return the keys that an expression may hold at its place.

    It is what is consumed there or next under this name, else what the variable holds at the end of the function.
    """
    consumptions = [each for each in run.ledger.consumptions if each.key is not None]
    here = [each.term for each in consumptions if each.key is node]
    if here:
        return here
    alike = [(_place(each.key), each.term) for each in consumptions if each.key and ast.unparse(each.key) == name]
    after = (node.lineno + 1, 0) if _is_bound(node) else _place(node)
    following = min((place for place, _ in alike if place >= after), default=None)
    if following is not None:
        return [term for place, term in alike if place == following]
    value = run.env.get(name)
    if isinstance(value, Term) and run.knowledge.is_known(value) and _is_last(run, node, name):
        return [value]
    return [term for _, term in alike]


def _is_last(run: Run, node: ast.expr, name: str) -> bool:
    """Return whether nothing binds a variable after a place."""
    if name in run.code.bound_once:
        return True
    bound = (each for each in ast.walk(run.code.node) if isinstance(each, ast.Name) and each.id == name)
    return all(_place(each) <= _place(node) for each in bound if _is_bound(each))


def _is_bound(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store)


def _place(node: ast.expr | None) -> tuple[int, int]:
    return (node.lineno, node.col_offset) if node is not None else (0, 0)


def _made(origin: Origin, name: str) -> Use:
    """Return a step on the way of a key."""
    row = getattr(origin.node, "lineno", 0)
    if origin.kind == "source":
        return Use(origin.label if row else f"from {origin.label}", row)
    return Use(f"{name if origin.label == UNNAMED else origin.label}, made by {origin.how}", row)


def _holds(code: FunctionCode, node: ast.expr) -> bool:
    return code.kind == "module" or any(each is node for each in ast.walk(code.node))


def _use(consumption: Consumption) -> Use:
    return Use(consumption.what, getattr(consumption.node, "lineno", 0))


def _defined(file: File, node: ast.expr) -> FunctionCode | None:
    """Return the function of the file that a name or ``Class.method`` means."""
    head, _, rest = ast.unparse(node).partition(".")
    definition = file.module.definitions.get(head)
    if isinstance(definition, ClassCode):
        return definition.methods.get(rest or "__init__")
    return definition if isinstance(definition, FunctionCode) and not rest else None


def _function(file: File, code: FunctionCode | None, name: str) -> Told | None:
    """Return the signature of a function; ``None`` if it does nothing with keys."""
    summary = file.summaries.get((code, GENERAL)) if code is not None else None
    if summary is None or not summary.says_something(file.terms):
        return None
    return Told(name, signature=summary.signature(file.terms))


def written(terms: Terms, term: Term, depth: int = DEPTH) -> str:
    """Return an identity as the documentation writes it: ``fold_in(split(seed(0))[1], 3)``."""
    operation, data, args = terms.operation(term), terms.data(term), terms.args(term)
    if depth == 0:
        return "…"
    inner = [written(terms, each, depth - 1) for each in args]
    match operation:
        case "const":
            return repr(data)
        case "param":
            code, name = data
            return f"param({code.name}, {name})"
        case "free":
            return str(data[1])
        case "symbol":
            return str(data)
        case "seed" | "fold_in":
            return f"{operation}({', '.join(inner)})"
        case "split" | "clone":
            return f"{operation}({inner[0]})"
        case "item":
            return f"{inner[0]}[{inner[1]}]"
        case "slice":
            lower, upper = ("" if bound is None else bound for bound in data)
            return f"{inner[0]}[{lower}:{upper}]"
        case "attr":
            return f"{inner[0]}.{data[0]}"
        case "lane" | "list" | "view" | "batch" | "copy":
            return inner[0]
    return "…"
