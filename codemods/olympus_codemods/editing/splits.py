"""Splits that are unpacked, ``k1, k2 = split(key)``, or indexed, ``keys[0]``, and one more key from such a split."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import libcst as cst

from olympus_codemods.editing.names import Names, dotted
from olympus_codemods.editing.rewriting import expression, replace
from olympus_codemods.editing.scopes import COMPREHENSIONS, LOOPS, Scope, block_of, scope_of
from olympus_codemods.editing.widths import line_length
from olympus_rules.finding import Edit
from olympus_rules.libraries.names import SPLIT
from olympus_rules.syntax import Document
from olympus_rules.syntax.document import children, every_node

REPEATING = (ast.Lambda, *COMPREHENSIONS)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.Module)
THROWAWAY = "_"


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A statement that unpacks a split.

    Attributes:
        statement: the assignment.
        left: its targets.
        call: the split.
        bound: the targets as they are written.
        scope: the function or module that it stands in.
    """

    statement: ast.Assign
    left: ast.Tuple
    call: ast.Call
    bound: tuple[str, ...]
    scope: Scope

    @property
    def parent(self) -> str:
        """Return the key that is split, as it is written; empty if it is no name."""
        argument = self.call.args[0] if self.call.args else self.call.keywords[0].value
        return as_target(argument)


def as_target(node: ast.expr) -> str:
    """Return a variable, an attribute or an item of a record, ``info["rng"]``, as it is written; empty for the rest."""
    match node:
        case ast.Subscript(value=record, slice=ast.Constant(value=str(name))) if dotted(record):
            return f'{dotted(record)}["{name}"]'
    return dotted(node)


def unpacked(document: Document, statement: ast.stmt | None) -> Unpacked | None:
    """Return a statement as an unpacked split whose size is written, ``None`` if it is something else."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=targets) as left], value=ast.Call() as call):
            bound = tuple(as_target(target) for target in targets)
        case _:
            return None
    if not all(bound) or split_size(call) != len(bound) or Names(document, statement).resolve(call.func) != SPLIT:
        return None
    return Unpacked(statement, left, call, bound, scope_of(document, statement))


@dataclass(frozen=True, slots=True)
class KeyArray:
    """A statement that keeps a split as an array of keys, each of which is used by its number, ``keys[0]``.

    Attributes:
        statement: the assignment.
        call: the split.
        size: the number of keys.
        taken: the numbers that are used, with those from the end as they are written.
    """

    statement: ast.Assign
    call: ast.Call
    size: int
    taken: frozenset[int]

    @property
    def free(self) -> int | None:
        """Return a number that nothing uses: of a longer split, if need be and no number counts from its end."""
        spare = next((n for n in range(self.size) if not {n, n - self.size} & self.taken), None)
        return self.size if spare is None and min(self.taken, default=0) >= 0 else spare

    @property
    def longer(self) -> str:
        """Return the statement with one more key."""
        keyword = "num=" if self.call.keywords else ""
        call = f"{ast.unparse(self.call.func)}({ast.unparse(self.call.args[0])}, {keyword}{self.size + 1})"
        return f"{dotted(self.statement.targets[0])} = {call}"


def key_array(document: Document, statement: ast.stmt | None) -> KeyArray | None:
    """Return a statement as a split of written size whose keys are used by number only."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name) as target], value=ast.Call() as call):
            size = split_size(call)
        case _:
            return None
    if size is None or Names(document, statement).resolve(call.func) != SPLIT:
        return None
    taken = set()
    for node in every_node(scope_of(document, statement)):
        if isinstance(node, ast.Name) and node.id == name and node is not target:
            number = written_index(document.parents[node], node)
            if number is None:
                return None
            taken.add(number)
    return KeyArray(statement, call, size, frozenset(taken))


def written_index(subscript: ast.AST, value: ast.Name) -> int | None:
    """Return the number in ``value[number]`` that is read."""
    match subscript:
        case ast.Subscript(value=inner, slice=index, ctx=ast.Load()) if inner is value:
            try:
                number = ast.literal_eval(index)
            except ValueError:
                return None
            return number if type(number) is int else None
    return None


def split_size(call: ast.Call) -> int | None:
    """Return the number of keys that a ``split`` gives, if the call spells it out."""
    match call:
        case ast.Call(args=[_], keywords=[]):
            return 2
        case ast.Call(args=[_, ast.Constant(value=int(size))], keywords=[]):
            return size
        case ast.Call(args=[_], keywords=[ast.keyword(arg="num", value=ast.Constant(value=int(size)))]):
            return size
    return None


def lengthened(
    document: Document, split: Unpacked, *children: str, is_first: bool = False
) -> tuple[str, list[Edit | None]] | None:
    """Return a split that gives more keys, and the edits that make it so, ``None`` if its line has no room.

    A child that is thrown away takes the name of a single one, and the split keeps its size.

    Args:
        document: the file.
        split: the split.
        children: the names of the keys.
        is_first: whether they stand before the others.
    """
    if len(children) == 1 and (place := thrown_away(split)) is not None:
        targets = [*split.bound[:place], *children, *split.bound[place + 1 :]]
        return as_written(split, targets), [replace(document, split.left.elts[place], cst.parse_expression(*children))]
    if thrown_away(split) == len(split.bound) - 1 and not is_first:
        return instead_of_last(document, split, children)
    statement = split.statement
    last = document.lines[(split.left.end_lineno or statement.lineno) - 1].rstrip()
    is_default = len(split.call.args) + len(split.call.keywords) == 1
    added = sum(len(f", {child}") for child in children) + (len(", 3") if is_default else 0)
    has_end = split.left.end_lineno == statement.end_lineno
    is_row = split.left.lineno == split.left.end_lineno
    if is_row and len(last) + added - (0 if has_end or not is_default else len(", 3")) > line_length(document):
        return None
    targets = [*children, *split.bound] if is_first else [*split.bound, *children]
    return as_written(split, targets), [
        with_more(document, split, children, is_first=is_first),
        with_size(document, split.call, len(targets)),
    ]


def instead_of_last(document: Document, split: Unpacked, children: Sequence[str]) -> tuple[str, list[Edit | None]]:
    """Return a split that gives several keys in the place of a last one that is thrown away, and the edits for that."""
    targets = [*split.bound[:-1], *children]
    names = listed(*(cst.parse_expression(child) for child in children))
    edits = [replace(document, split.left.elts[-1], names), with_size(document, split.call, len(targets))]
    return as_written(split, targets), edits


def thrown_away(split: Unpacked) -> int | None:
    """Return which target of a split is a ``_`` that nothing reads."""
    is_thrown_away = split.bound.count(THROWAWAY) == 1 and not is_read(split.scope, THROWAWAY)
    return split.bound.index(THROWAWAY) if is_thrown_away else None


def as_written(split: Unpacked, targets: Sequence[str]) -> str:
    """Return a split as one line that unpacks its keys to these targets."""
    key, *size = split.call.args
    keyword = "num=" if split.call.keywords else ""
    more = f", {keyword}{len(targets)}" if size or keyword or len(targets) > len(split.bound) else ""
    return f"{', '.join(targets)} = {ast.unparse(split.call.func)}({ast.unparse(key)}{more})"


def with_more(document: Document, split: Unpacked, names: Sequence[str], *, is_first: bool) -> Edit | None:
    """Return the edit that writes more targets before the first one or after the last one, in its row."""
    target = split.left.elts[0 if is_first else -1]
    old, new = expression(document, target), [cst.parse_expression(name) for name in names]
    return None if old is None else replace(document, target, listed(*((*new, old) if is_first else (old, *new))))


def with_size(document: Document, call: ast.Call, size: int) -> Edit | None:
    """Return the edit with which a split gives so many keys."""
    number = cst.Integer(str(size))
    written = [*call.args[1:], *(keyword.value for keyword in call.keywords)]
    if written:
        return replace(document, written[0], number)
    key = expression(document, call.args[0])
    return None if key is None else replace(document, call.args[0], listed(key, number))


def listed(*parts: cst.BaseExpression) -> cst.Tuple:
    """Return expressions as they stand in a longer list of them."""
    return cst.Tuple([cst.Element(part) for part in parts], lpar=[], rpar=[])


def last_binding(document: Document, node: ast.AST, name: str) -> ast.stmt | None:
    """Return the statement that has bound a variable or attribute when a node runs, where the syntax shows it."""
    child: ast.AST = document.statement(node)
    while not isinstance(child, SCOPES):
        around = document.parents[child]
        block = block_of(document, child)
        for earlier in reversed(block[: block.index(child)] if block else ()):
            if isinstance(earlier, ast.stmt) and name in assigned(earlier):
                return earlier
        if isinstance(around, (*LOOPS, ast.Try)) and name in assigned(around):
            return None  # an earlier iteration, or a part of what was tried
        child = around
    return None


_ASSIGNED: WeakKeyDictionary[ast.AST, frozenset[str]] = WeakKeyDictionary()
"""What statements assign to: those of one function are asked about again and again. It keeps no tree alive."""


def assigned(statement: ast.AST) -> frozenset[str]:
    """Return the variables and attributes that a statement assigns to."""
    found = _ASSIGNED.get(statement)
    if found is None:
        names, waiting = set[str](), [statement]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
                names.add(dotted(node))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not may_assign(node):
                names.add(node.name)
            else:
                waiting += children(node)
        found = _ASSIGNED[statement] = frozenset(names)
    return found


def may_assign(function: ast.AST) -> bool:
    """Return whether a function may assign to what is not its own: to an outer variable, or an attribute."""
    return any(
        isinstance(node, ast.Nonlocal | ast.Global)
        or (isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store))
        for node in every_node(function)
    )


def is_read(scope: ast.AST, name: str) -> bool:
    """Return whether a scope, or one inside it, reads a variable."""
    return any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load) for node in every_node(scope)
    )


def is_repeated(document: Document, statement: ast.stmt, node: ast.AST) -> bool:
    """Return whether a node may run more than once for one run of an earlier statement of its function."""
    scope = scope_of(document, statement)
    if scope_of(document, node) is not scope:
        return True
    outer = {*document.around(statement)}
    return any(isinstance(each, (*LOOPS, *REPEATING)) and each not in outer for each in document.around(node))
