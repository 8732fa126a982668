"""Which reads of attributes see one write only: the last one before them, where no other code can run between.

An attribute has one slot for all objects of a class and all times. Straight-line code that writes an attribute of a
variable and reads it again reads what it has written (a strong update: D. Chase et al.: Analysis of Pointers and
Structures, 1990). Whatever might run code that is not known, as a call does, ends this.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from typing import TypeAlias

from olympus_rules.code import instructions as ir
from olympus_rules.reach.definitions import is_imported

__all__ = ["Hooks", "Overwriting"]

State: TypeAlias = "dict[tuple[str, str], ir.Register]"
"""What was written last: the register of each variable and attribute that no other code may have written since."""
ACCESS = frozenset({"__delattr__", "__getattribute__", "__set__", "__setattr__"})
"""Methods that make any attribute something else than what was written to it."""
MISSING = "__getattr__"
TRUTH = frozenset({"__bool__", "__len__"})
"""Methods that a test may call."""


class Hooks:
    """What the classes of a project let run where an attribute is read or written, or an object tested.

    Attributes:
        give_all: whether a class has methods that any read or write of an attribute runs.
        at_tests: whether a class has methods that a test runs.
    """

    def __init__(self, classes: Iterable[ast.ClassDef], methods: Collection[str], written: Iterable[set[str]]) -> None:
        """Take the classes, the names of all methods, and the attributes that each class writes."""
        self.give_all = not ACCESS.isdisjoint(methods)
        self.at_tests = not TRUTH.isdisjoint(methods)
        self._gives_missing = MISSING in methods
        self._hooked = {name for each in classes for name in hooked(each.body)}
        self._known = set(methods).union(*written)

    def is_plain(self, name: str) -> bool:
        """Return whether no class makes an attribute a property or another descriptor."""
        return name not in self._hooked and not name.startswith("__")

    def is_silent(self, code: ir.FunctionCode, made: ir.Attribute) -> bool:
        """Return whether a read runs no code: of a method or an attribute of the project, or what an import has."""
        if isinstance(made.node.ctx, ast.Del) or self._gives_missing or not self.is_plain(made.name):
            return False
        return made.name in self._known or is_imported(code, made.node)


def hooked(body: Iterable[ast.stmt]) -> Iterator[str]:
    """Yield the names that a class binds to what may be a descriptor: all but functions and constants."""
    for each in body:
        match each:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                if each.decorator_list or isinstance(each, ast.ClassDef):
                    yield name
            case ast.Assign(value=ast.Constant()) | ast.AnnAssign(value=None | ast.Constant()):
                pass
            case _:
                yield from bound(each)


def bound(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement binds, and those that functions in it do."""
    for node in ast.walk(statement):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.alias(name=name, asname=None) | ast.alias(asname=str(name)):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name


class Overwriting:
    """The reads in a function that see one write only."""

    def __init__(self, code: ir.FunctionCode, hooks: Hooks) -> None:
        """Find the reads of a function; at an ``await``, for which there is no instruction, other code runs."""
        self._code = code
        self._hooks = hooks
        self._seen: dict[int, ir.Register] = {}
        self._is_left_early = False
        if isinstance(code.node, ast.FunctionDef) and not hooks.give_all:
            self._block(code.block, {})

    def seen_by(self, read: ir.Attribute) -> ir.Register | None:
        """Return the register with the only value that a read can see; ``None`` if there may be others."""
        return self._seen.get(id(read))

    def _block(self, block: ir.Block, state: State) -> State:
        """Go through a block with what is known before it, and return what is known after it."""
        outer = self._is_left_early
        state = dict(state)
        before: ir.Instruction | None = None
        for each in block.body:
            match each:
                case ir.Attribute():
                    self._read(each, owner(before, each.obj), state)
                case ir.SetAttribute():
                    self._write(each, owner(before, each.obj), state)
                case ir.Store(name=name) | ir.Assign(name=name):
                    forget(state, [written for written in state if written[0] == name])
                case ir.Branch():
                    state = self._branch(each, state)
                case ir.Loop() | ir.Try() | ir.Raising() | ir.MakeClass():
                    self._parts(each, state)
                    state.clear()
                case _ if self._may_run_code(each):
                    state.clear()
            if isinstance(each, ir.Binary) and each.operation == "with":
                self._is_left_early = True  # its end, where other code runs, is not among the instructions
            before = each
        self._is_left_early = outer
        return state

    def _read(self, made: ir.Attribute, name: str | None, state: State) -> None:
        register = None if name is None else state.get((name, made.name))
        if register is not None and not isinstance(made.node.ctx, ast.Del):
            self._seen[id(made)] = register
        elif not self._hooks.is_silent(self._code, made):
            state.clear()

    def _write(self, made: ir.SetAttribute, name: str | None, state: State) -> None:
        if not self._hooks.is_plain(made.name):
            state.clear()
            return
        forget(state, [written for written in state if written[1] == made.name])  # which may be the same object
        if name is not None and not self._is_left_early:
            state[name, made.name] = made.src

    def _branch(self, made: ir.Branch, state: State) -> State:
        ends: list[State] = []
        for test, _, body in made.arms:
            state = self._block(test, state)
            if self._hooks.at_tests:
                state.clear()
            ends.append(self._block(body, state))
        last = self._block(made.orelse, state)
        return {written: src for written, src in last.items() if all(end.get(written) == src for end in ends)}

    def _parts(self, made: ir.Loop | ir.Try | ir.Raising | ir.MakeClass, state: State) -> None:
        """Go through the blocks of an instruction; only the body of a ``try`` surely starts with what was before."""
        match made:
            case ir.Loop(test=test, body=body, orelse=orelse):
                parts = [body, orelse, *([] if test is None else [test[0]])]
            case ir.Try(body=body, handlers=handlers, orelse=orelse, final=final):
                self._block(body, state)
                parts = [*handlers, orelse, final]
            case ir.Raising(body=body) | ir.MakeClass(body=body):
                parts = [body]
        for part in parts:
            self._block(part, {})

    def _may_run_code(self, made: ir.Instruction) -> bool:
        """Return whether other code may run; most operators are methods of their operands."""
        match made:
            case ir.Constant() | ir.Load() | ir.Slice() | ir.Jump() | ir.Append() | ir.Collect():
                return False
            case ir.Binary(operation="Is" | "IsNot"):
                return False
            case ir.BuildSequence(items=items):
                return made.kind == "set" or any(is_starred for _, is_starred in items)
            case ir.MakeFunction(decorators=decorators):
                return bool(decorators)
            case ir.Boolean():
                return self._hooks.at_tests
            case ir.Return(leaves=leaves):
                return not leaves
        return True


def owner(before: ir.Instruction | None, obj: ir.Register) -> str | None:
    """Return the variable that holds an object, which was read just before; ``None`` for another expression."""
    return before.name if isinstance(before, ir.Load) and before.dst == obj else None


def forget(state: State, written: Iterable[tuple[str, str]]) -> None:
    """Forget what was written."""
    for each in written:
        del state[each]
