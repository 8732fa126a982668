"""The lowering of one scope: its registers, the names that it binds, and the block that instructions go to."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Protocol, TypeVar, TypeVarTuple

from olympus_rules.code import instructions as ir
from olympus_rules.code.conditions import calls_asked

Handler = Callable[[Any, Any], Any]
T = TypeVar("T")
Parts = TypeVarTuple("Parts")


@dataclass(frozen=True, slots=True)
class Module:
    """What the scopes of one module share.

    Attributes:
        name, is_package: the module's dotted name and whether it is an ``__init__``, for relative imports.
        has_globals: whether functions may bind the module's names, so that no body is deferred.
        statements, expressions: what lowers a node, by its type.
    """

    name: str
    is_package: bool
    has_globals: bool
    statements: Mapping[type[ast.AST], Handler]
    expressions: Mapping[type[ast.AST], Handler]


class _Computes(Protocol):
    """An instruction with a result."""

    dst: int


class Scope:
    """A scope while it is lowered; each nested function has a scope of its own.

    Attributes:
        code: the code that it becomes.
        out: the block that instructions are added to.
        register: returns a new register.
        renames: the variables that names stand for, from the outermost comprehension or class body to the innermost.
        bound: how many statements bind each name.
        class_: the class whose body is being lowered.
        asking: the calls that are operands of conditions.
        closing: the calls as statements that bodies end with.
        missing: variables and attributes that hold no value where this is being lowered, as ``Store.fills`` says.
        started: variables and attributes that got a value earlier if they had none.
    """

    def __init__(self, code: ir.FunctionCode, module: Module) -> None:
        self.code, self.module = code, module
        self.expressions, self.statements = module.expressions, module.statements
        self.out: list[Any] = code.block.body
        self.register = count().__next__
        self.renames: list[dict[str, str]] = []
        self.bound: dict[str, int] = {}
        self.class_: ir.ClassCode | None = None
        self.temporaries = 0
        self.asking: set[ast.expr] = set()
        self.closing: set[ast.expr] = set()
        self.missing: dict[str, str] = {}
        self.started: set[str] = set()

    def lower(self, body: Sequence[ast.stmt]) -> None:
        """Lower the whole scope."""
        self.run(body)
        code = self.code
        code.registers = self.register()
        once = {name for name, count in self.bound.items() if count == 1 and name not in code.rebound}
        code.bound_once = once.union(set(code.parameters).difference(self.bound, code.rebound))
        code.definitions = {name: value for name, value in code.definitions.items() if name in once}
        code.imported = {
            name: value for name, value in code.imported.items() if self.bound.get(name, 0) == 0 or name in once
        }

    def ending(self, body: Sequence[ast.stmt]) -> None:
        """Record the call that a body ends with, if it is a statement: it may be one that does not return."""
        if body and isinstance(body[-1], ast.Expr):
            self.closing.add(body[-1].value)

    # names

    def temporary(self) -> str:
        """Return the name of a new variable, which no name of the source is."""
        self.temporaries += 1
        return f"${self.temporaries}"

    def rename(self, name: str) -> str:
        """Return the variable that a name stands for."""
        for names in reversed(self.renames):
            if name in names:
                return names[name]
        return name

    def bind(self, name: str) -> str:
        """Record that this scope binds a name, and return the name of its variable."""
        renamed = self.rename(name)
        if renamed == name and self.class_ is not None:
            renamed = self.renames[0].setdefault(name, f"{self.class_.name}.{name}")
        self.code.local_names.add(renamed)
        self.bound[renamed] = self.bound.get(renamed, 0) + 1
        return renamed

    # instructions

    def put(self, instruction: _Computes) -> int:
        """Add an instruction, and return the register of its result."""
        self.out.append(instruction)
        return instruction.dst

    def binary(self, node: ast.AST, operands: Sequence[int] = (), operation: str = "opaque") -> int:
        """Add an operation on any number of values, and return the register of its result."""
        return self.put(ir.Binary(self.register(), operation, list(operands), node))

    def expr(self, node: ast.expr) -> int:
        """Lower an expression, and return the register of its value."""
        handler = self.expressions.get(type(node))
        return self.binary(node) if handler is None else handler(self, node)

    def run(self, body: Sequence[ast.stmt]) -> None:
        """Lower statements."""
        for statement in body:
            handler = self.statements.get(type(statement))
            if handler is not None:
                handler(self, statement)

    # blocks

    def block(self, body: Sequence[ast.stmt]) -> ir.Block:
        """Lower statements to a block of their own."""
        return self.within(self.run, body)

    def within(self, emit: Callable[[*Parts], object], *args: *Parts) -> ir.Block:
        """Call a function, and return a block of what it adds."""
        return self.computed(emit, *args)[0]

    def computed(self, emit: Callable[[*Parts], T], *args: *Parts) -> tuple[ir.Block, T]:
        """Call a function, and return a block of what it adds, and its result."""
        block, outer = ir.Block(), self.out
        self.out = block.body
        try:
            return block, emit(*args)
        finally:
            self.out = outer

    def test(self, node: ast.expr) -> tuple[ir.Block, int]:
        """Lower a condition to a block of its own; the second part is the register of its value."""
        self.asking.update(calls_asked(node))
        return self.computed(self.expr, node)
