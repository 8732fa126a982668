"""Small changes of Python source, each of which some test should notice: what `mutate_engine.py` tries.

Not changed are annotations, decorators, assertions (``strict=True`` of ``zip`` is one), texts, and what only a type
checker runs. Numbers above 9, and those that a module names, are limits: a choice, of which no test says the last unit.
"""

from __future__ import annotations

import ast
import copy
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("rules/olympus_rules", "codemods/olympus_codemods")
LARGEST_NUMBER = 9
OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


@dataclass(frozen=True, slots=True)
class Mutation:
    """A change of one place.

    Attributes:
        path: the file, from the root of the repository.
        function: the qualified name of the class or function around the place; empty at the level of the module.
        change: ``old -> new``, with a number if the same change is possible several times there. With path and
            function, it names the mutation for as long as the place itself stays as it is.
        row: the row of the place.
        start, end: the bytes of the file that change.
        new: what they become.
    """

    path: str
    function: str
    change: str
    row: int
    start: int
    end: int
    new: str

    @property
    def key(self) -> str:
        """Return the name of the mutation, which stays when rows move."""
        return f"{self.path}::{self.function}: {self.change}"

    def rank(self, seed: int) -> str:
        """Return a number of the mutation that depends on nothing but the seed and the mutation itself."""
        return hashlib.sha256(f"{seed} {self.key}".encode()).hexdigest()

    def applied(self) -> bytes:
        """Return the file with the change."""
        data = (ROOT / self.path).read_bytes()
        return data[: self.start] + self.new.encode() + data[self.end :]


def all_mutations() -> Iterator[Mutation]:
    """Return all mutations of the engine and the codemods."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield from mutations(path.relative_to(ROOT).as_posix(), path.read_bytes())


def mutations(path: str, data: bytes) -> Iterator[Mutation]:
    """Return all mutations of a file."""
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    seen: Counter[tuple[str, str]] = Counter()
    for function, node, new in sites(ast.parse(data), ""):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        change = f"{' '.join(data[start:end].decode().split())} -> {new}"
        seen[function, change] += 1
        number = seen[function, change]
        yield Mutation(path, function, change + (f" ({number})" if number > 1 else ""), node.lineno, start, end, new)


def sites(node: ast.AST, function: str) -> Iterator[tuple[str, ast.expr | ast.stmt, str]]:
    """Return the places in a node that can change: the function around it, the place, and what it becomes."""
    if isinstance(node, ast.JoinedStr | ast.Assert) or asserts_lengths(node):
        return
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        return
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        function = f"{function}.{node.name}".lstrip(".")
    if isinstance(node, ast.expr):
        yield from ((function, node, f"({new})") for new in other_expressions(node))
    if isinstance(node, ast.Assign | ast.AnnAssign) and not function and isinstance(node.value, ast.Constant):
        return
    for field, value in ast.iter_fields(node):
        if field in ("decorator_list", "annotation", "returns", "type_params", "test") and not (
            field == "test" and isinstance(node, ast.If | ast.IfExp | ast.While)
        ):
            continue
        if field == "test" and not constant(value):
            yield from ((function, value, new) for new in ("False", "True")[: 1 if isinstance(node, ast.While) else 2])
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, ast.AST):
                yield from sites(each, function)
            if isinstance(each, ast.stmt):
                yield from ((function, each, new) for new in other_statements(each, early=not is_function(node)))
    if isinstance(node, ast.comprehension):
        yield from ((function, test, "True") for test in node.ifs)


def asserts_lengths(node: ast.AST) -> bool:
    """Say whether a node is ``strict=True``, an assertion that two lengths are equal."""
    return isinstance(node, ast.keyword) and node.arg == "strict" and ast.unparse(node.value) == "True"


def is_false(node: ast.expr) -> bool:
    """Say whether an expression is written as a false value, which callers hardly tell from ``None``."""
    is_empty = isinstance(node, ast.Tuple | ast.List) and not node.elts
    return is_empty or (isinstance(node, ast.Constant) and not node.value)


def is_function(node: ast.AST) -> bool:
    """Say whether a node is a function."""
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)


def constant(node: ast.AST) -> bool:
    """Say whether a node is a constant."""
    return isinstance(node, ast.Constant)


def other_expressions(node: ast.expr) -> Iterator[str]:
    """Return what an expression can become."""
    match node:
        case ast.Compare(ops=[operator, *_]):
            other = copy.deepcopy(node)
            other.ops[0] = OPPOSITES[type(operator)]()
            yield ast.unparse(other)
        case ast.BoolOp(op=operator, values=values):
            yield ast.unparse(ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), values))
            for dropped in range(len(values)):
                left = values[:dropped] + values[dropped + 1 :]
                yield ast.unparse(ast.BoolOp(operator, left) if len(left) > 1 else left[0])
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield ast.unparse(operand)
        case ast.Constant(value=bool() as value):
            yield str(not value)
        case ast.Constant(value=int() as value) if value <= LARGEST_NUMBER:
            yield str(value + 1)


def other_statements(node: ast.stmt, *, early: bool) -> Iterator[str]:
    """Return what a statement can become.

    Args:
        node: the statement.
        early: whether it stands in a block of a function.
    """
    match node:
        case ast.Return(value=value):
            if value is not None and not is_false(value):
                yield "return None"
            if early:
                yield "pass"
        case ast.Continue() | ast.Break():
            yield "pass"
