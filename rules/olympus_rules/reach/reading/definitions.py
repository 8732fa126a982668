"""Which definitions of a local variable reach which of its reads (A. Aho et al.: Compilers, 9.2.4).

The graph has one slot for a variable. Where a variable is bound several times, a read may see only some of the values:
an argument that is replaced before the read on all paths is not among them.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeAlias

from olympus_rules.code import instructions as ir
from olympus_rules.code.names import dotted_name

EVERY = -1
"""The mask of all definitions of a variable."""
MOST = 48
"""The limit of definitions of one variable; with more of them, its reads are not told apart."""
NAMESPACES = frozenset({"dir", "eval", "exec", "locals", "vars"})
"""Functions that read or write all variables of a scope."""
State: TypeAlias = "dict[str, int]"
"""The definitions of each variable that reach a place, as a bit mask."""


class Definitions:
    """The definitions of the variables of a function or module that reach its reads.

    Only variables count that it alone binds, several times. A function inside of it may read at any time, and so may
    a generator expression.
    """

    def __init__(self, code: ir.FunctionCode) -> None:
        """Find the definitions of a function."""
        self._names = told_apart(code)
        self._given = self._names.intersection(parameters(code))
        self._shared = self._names if code.kind == "module" else self._names & inside(code)
        self._count: Counter[str] = Counter(self._given)
        self._writes: dict[int, tuple[str, int]] = {}
        self._reads: dict[int, tuple[str, int]] = {}
        self._versions: dict[int, tuple[int, ...]] = {}
        if self._names:
            self._block(code.block, dict.fromkeys(self._given, 1))
            self._versions = dict(self._numbered())

    def of(self, instruction: object) -> tuple[int, ...] | None:
        """Return the versions of a variable that an instruction reads or writes; ``None`` if it has one only.

        Version 0 is what callers give; of a variable without them, it is all that other functions may read.
        """
        return self._versions.get(id(instruction))

    # the result

    def _numbered(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield the reads and writes, each with its versions: definitions with the same reads are one."""
        reads: dict[str, dict[int, int]] = defaultdict(dict)
        for read, (name, mask) in self._reads.items():
            reads[name][read] = (1 << self._count[name]) - 1 if mask == EVERY else mask
        for name, seen in reads.items():
            count = self._count[name]
            if count > MOST or all(mask.bit_count() == count for mask in seen.values()):
                continue
            version = self._grouped(name, seen)
            for read, mask in seen.items():
                yield read, tuple(sorted({version[each] for each in range(count) if mask >> each & 1}))
            shared = (0,) if name in self._shared else ()
            for write, (written, mask) in self._writes.items():
                if written == name:
                    yield write, (*shared, version[mask.bit_length() - 1])

    def _grouped(self, name: str, reads: dict[int, int]) -> list[int]:
        """Return the version of each definition of a variable."""
        is_given = name in self._given
        groups: dict[tuple[int, ...], int] = {}
        versions = []
        for each in range(self._count[name]):
            readers = tuple(read for read, mask in reads.items() if mask >> each & 1)
            versions.append(groups.setdefault(readers, len(groups) + (not is_given)))
        return versions

    # the walk

    def _definition(self, made: ir.Store) -> int:
        """Return the mask of a definition."""
        if id(made) not in self._writes:
            self._writes[id(made)] = made.name, 1 << self._count[made.name]
            self._count[made.name] += 1
        return self._writes[id(made)][1]

    def _all(self, *blocks: ir.Block) -> State:
        """Return all definitions in some blocks."""
        found: State = {}
        for each in instructions(*blocks):
            if isinstance(each, ir.Store) and each.name in self._names:
                found[each.name] = found.get(each.name, 0) | self._definition(each)
        return found

    def _block(
        self, block: ir.Block, before: State | None, *, is_lazy: bool = False, replaces: bool = True
    ) -> State | None:
        """Go through a block, and return what reaches its end; ``None`` if nothing does.

        Args:
            block: the block.
            before: what reaches its start.
            is_lazy: whether it may run at any time after that.
            replaces: whether it surely runs up to its end, unless it returns.
        """
        state = None if before is None else dict(before)
        for number, each in enumerate(block.body):
            if state is None:
                break
            go = partial(self._block, is_lazy=is_lazy, replaces=replaces)
            match each:
                case ir.Load(name=name) | ir.SetItem(name=str(name)) if name in self._names:
                    self._reads[id(each)] = name, EVERY if is_lazy else state.get(name, 0)
                case ir.Store(name=name) if name in self._names:
                    state[name] = self._definition(each) | (0 if replaces else state.get(name, 0))
                case ir.Branch(arms=arms, orelse=orelse):
                    ends = []
                    for test, _, body in arms:
                        state = go(test, state)
                        ends.append(go(body, state))
                    state = joined(*ends, go(orelse, state))
                case ir.Loop(test=test, body=body, orelse=orelse):
                    parts = [*([] if test is None else [test[0]]), body]
                    go_in = partial(go, is_lazy=is_lazy or runs_later(block, number))
                    state = joined(state, self._brought(parts, state, go_in))
                    for part in parts:
                        go_in(part, state)
                    state = go(orelse, state)
                case ir.Try():
                    state = self._try(each, state, go)
                case ir.Raising(body=body):
                    go(body, state)
                    state = joined(state, self._all(body))
                case ir.MakeClass(body=body):
                    state = go(body, state)
                case ir.Binary(operation="with"):
                    replaces = False  # it may stop exceptions, and its body goes up to the end of the block
                case ir.Jump() | ir.Return(leaves=True):
                    state = None if replaces else state
        return state

    def _brought(self, parts: list[ir.Block], state: State | None, go: Callable[..., State | None]) -> State | None:
        """Return what an iteration of a loop brings to the next one, and to what comes after the loop."""
        if any(isinstance(each, ir.Jump) for each in instructions(*parts)):
            return self._all(*parts)
        for part in parts:
            state = go(part, state)
        return state

    def _try(self, made: ir.Try, state: State, go: Callable[..., State | None]) -> State | None:
        """Go through a ``try``: a handler starts at any point of its body; a jump goes through its ``finally``."""
        replaces = {} if not made.final.body else {"replaces": False}
        ends = go(made.body, state, **replaces)
        caught = joined(state, self._all(made.body))
        after = joined(*(go(each, caught, **replaces) for each in made.handlers), go(made.orelse, ends, **replaces))
        if not made.final.body:
            return after
        return go(made.final, joined(after, caught, self._all(*made.handlers, made.orelse)))


def told_apart(code: ir.FunctionCode) -> frozenset[str]:
    """Return the variables that only a function or module itself binds, several times.

    A parameter that a function inside reads is none, as that reads what callers give and what is bound later.
    """
    if not NAMESPACES.isdisjoint(code.reads):
        return frozenset()
    counts = Counter([*stored(code.block), *parameters(code)])
    several = {name for name, count in counts.items() if count > 1 and "." not in name}
    if not several:
        return frozenset()
    imported = {name for each in instructions(code.block) if isinstance(each, ir.Import) for name, _ in each.bindings}
    return frozenset(several - imported - code.outer_names - code.rebound - inside(code).intersection(parameters(code)))


def inside(code: ir.FunctionCode) -> set[str]:
    """Return the names that the functions in a function read."""
    return set[str]().union(*(each.reads for each in code.nested))


def parameters(code: ir.FunctionCode) -> Iterator[str]:
    """Return all parameters of a function."""
    yield from code.parameters
    yield from filter(None, (code.vararg, code.kwarg))


def is_imported(code: ir.FunctionCode, node: ast.expr) -> bool:
    """Return whether an expression is the name of an import, or attributes of one."""
    head = dotted_name(node).partition(".")[0]
    scope: ir.FunctionCode | None = code
    while scope is not None and head not in scope.local_names:
        scope = scope.parent
    return scope is not None and head in scope.imported


def instructions(*blocks: ir.Block) -> Iterator[ir.Instruction]:
    """Yield the instructions of some blocks and of those in them."""
    waiting = list(blocks)
    while waiting:
        for each in waiting.pop().body:
            yield each
            match each:
                case ir.Branch(arms=arms, orelse=orelse):
                    waiting += [orelse, *(part for test, _, body in arms for part in (test, body))]
                case ir.Loop(test=test, body=body, orelse=orelse):
                    waiting += [body, orelse, *([] if test is None else [test[0]])]
                case ir.Try(body=body, handlers=handlers, orelse=orelse, final=final):
                    waiting += [body, *handlers, orelse, final]
                case ir.Raising(body=body) | ir.MakeClass(body=body):
                    waiting.append(body)


def stored(*blocks: ir.Block) -> Iterator[str]:
    """Yield the names that some blocks bind, each as often as they do."""
    return (each.name for each in instructions(*blocks) if isinstance(each, ir.Store))


def runs_later(block: ir.Block, number: int) -> bool:
    """Return whether a loop of a block is that of a generator expression, which runs later."""
    made = block.body[number + 1] if number + 1 < len(block.body) else None
    return isinstance(made, ir.Collect) and isinstance(made.node, ast.GeneratorExp)


def joined(*states: State | None) -> State | None:
    """Return what reaches a place from one of several others; ``None`` if all of them are left before."""
    found: State | None = None
    for each in states:
        if each is not None and found is None:
            found = dict(each)
        elif each is not None and found is not None:
            for name, mask in each.items():
                found[name] = found.get(name, 0) | mask
    return found
