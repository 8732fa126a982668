"""Which definitions of a local variable reach which of its reads (A. Aho et al.: Compilers, 9.2.4).

The graph has one slot for a variable. Where a variable is bound several times, a read may see only some of the values:
an argument that is replaced before the read on all paths is not among them.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import TypeAlias

from olympus_rules.code import instructions as ir
from olympus_rules.code.names import dotted_name

__all__ = ["Definitions", "is_imported"]

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
        self._bound: list[str] = []
        self._writes: dict[int, int] = {}
        self._reads: dict[int, tuple[str, int]] = {}
        self._brought: dict[int, int] = {}
        self._loops: list[tuple[list[State], list[State]]] = []
        self._written: list[State] = []
        self._falls_through = self._is_lazy = False
        self._lazily_bound: set[str] = set()
        self._versions: dict[int, tuple[int, ...]] = {}
        if self._names:
            self._block(code.block, {name: self._define(name) for name in sorted(self._given)})
            self._versions = dict(self._numbered())

    def of(self, instruction: object) -> tuple[int, ...] | None:
        """Return the versions of a variable that an instruction reads or writes; ``None`` if it has one only.

        Version 0 is what callers give; of a variable without them, it is all that other functions may read.
        """
        return self._versions.get(id(instruction))

    # the result

    def _numbered(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield the reads and writes, each with its versions: definitions with the same reads are one."""
        made: dict[str, list[int]] = defaultdict(list)
        for each, name in enumerate(self._bound):
            if each not in self._brought:
                made[name].append(each)
        reads: dict[str, dict[int, int]] = defaultdict(dict)
        for read, (name, mask) in self._reads.items():
            every = sum(1 << each for each in made[name])
            reads[name][read] = every if mask == EVERY else self._resolved(mask)
        for name, seen in reads.items():
            if (
                len(made[name]) > MOST
                or name in self._lazily_bound
                or all(mask.bit_count() == len(made[name]) for mask in seen.values())
            ):
                continue
            version = self._grouped(name, made[name], seen)
            for read, mask in seen.items():
                yield read, tuple(sorted({version[each] for each in bits(mask)}))
            shared = (0,) if name in self._shared else ()
            yield from ((write, (*shared, version[each])) for write, each in self._writes.items() if each in version)

    def _grouped(self, name: str, made: list[int], reads: dict[int, int]) -> dict[int, int]:
        """Return the version of each definition of a variable."""
        readers = {each: tuple(read for read, mask in reads.items() if mask >> each & 1) for each in made}
        groups = {readers[made[0]]: 0} if name in self._given else {}
        first = 0 if name in self._given else 1
        return {each: groups.setdefault(readers[each], len(groups) + first) for each in made}

    def _resolved(self, mask: int) -> int:
        """Return the definitions of a mask, with those that a loop brings in place of the one at its start."""
        found, fresh = 0, mask
        while fresh:
            found |= fresh
            further = 0
            for each in bits(fresh):
                further |= self._brought.get(each, 0)
            fresh = further & ~found
        return sum(1 << each for each in bits(found) if each not in self._brought)

    # the walk

    def _define(self, name: str) -> int:
        self._bound.append(name)
        return 1 << len(self._bound) - 1

    def _block(self, block: ir.Block, before: State | None) -> State | None:
        """Go through a block, and return what reaches its end; ``None`` if nothing does."""
        state = None if before is None else dict(before)
        outer = self._falls_through
        for number, each in enumerate(block.body):
            if state is None:
                break
            match each:
                case ir.Load(name=name) | ir.SetItem(name=str(name)) if name in self._names:
                    self._reads[id(each)] = name, EVERY if self._is_lazy else state.get(name, 0)
                case ir.Store(name=name) if name in self._names:
                    self._store(each, state)
                case ir.Branch():
                    state = self._branch(each, state)
                case ir.Loop():
                    state = self._loop(each, state, is_lazy=is_lazy(block, number))
                case ir.Try():
                    state = self._try(each, state)
                case ir.Raising(body=body):
                    state = joined(state, *self._followed(body, state))
                case ir.MakeClass(body=body):
                    state = self._block(body, state)
                case ir.Binary(operation="with"):
                    self._falls_through = True  # it may stop exceptions, and its body goes up to the end of the block
                case ir.Jump() | ir.Return(leaves=True):
                    state = self._jump(each, state)
        self._falls_through = outer
        return state

    def _store(self, made: ir.Store, state: State) -> None:
        definition = self._define(made.name)
        self._lazily_bound.update([made.name] if self._is_lazy else [])
        self._writes[id(made)] = len(self._bound) - 1
        state[made.name] = definition | (state.get(made.name, 0) if self._falls_through else 0)
        for written in self._written:
            written[made.name] = written.get(made.name, 0) | definition

    def _jump(self, made: ir.Jump | ir.Return, state: State) -> State | None:
        if isinstance(made, ir.Jump) and made.kind in ("break", "continue") and self._loops:
            self._loops[-1][made.kind == "continue"].append(dict(state))
        return state if self._falls_through else None

    def _branch(self, made: ir.Branch, state: State) -> State | None:
        ends: list[State | None] = []
        tested: State | None = state
        for test, _, body in made.arms:
            tested = self._block(test, tested)
            ends.append(self._block(body, tested))
        return joined(*ends, self._block(made.orelse, tested))

    def _loop(self, made: ir.Loop, state: State, *, is_lazy: bool) -> State | None:
        """Go through a loop once: one definition at its start stands for all that its iterations bring there."""
        outer, self._is_lazy = self._is_lazy, self._is_lazy or is_lazy
        tests = [] if made.test is None else [made.test[0]]
        rebound = sorted(self._names.intersection(stored(*tests, made.body)))
        brought = {name: self._define(name) for name in rebound}
        breaks: list[State] = []
        nexts = [state]
        self._loops.append((breaks, nexts))
        tested: State | None = state | brought
        for test in tests:
            tested = self._block(test, tested)
        ends = self._block(made.body, tested)
        self._loops.pop()
        arriving = joined(*nexts, ends) or {}
        for name, definition in brought.items():
            self._brought[definition.bit_length() - 1] = arriving.get(name, 0)
        self._is_lazy = outer
        return joined(self._block(made.orelse, tested), *breaks)

    def _followed(self, block: ir.Block, state: State | None) -> tuple[State | None, State]:
        """Go through a block, and return what reaches its end, and all definitions in it."""
        written: State = {}
        self._written.append(written)
        ends = self._block(block, state)
        self._written.pop()
        return ends, written

    def _try(self, made: ir.Try, state: State) -> State | None:
        """Go through a ``try``: a handler starts at any point of its body; a jump goes through its ``finally``."""
        outer, self._falls_through = self._falls_through, self._falls_through or bool(made.final.body)
        ends, written = self._followed(made.body, state)
        caught = joined(state, written)
        parts = [self._followed(each, caught) for each in made.handlers] + [self._followed(made.orelse, ends)]
        self._falls_through = outer
        after = joined(*(end for end, _ in parts))
        if not made.final.body:
            return after
        return self._block(made.final, joined(after, caught, *(written for _, written in parts)))


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


def is_lazy(block: ir.Block, number: int) -> bool:
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


def bits(mask: int) -> Iterator[int]:
    """Yield the numbers of the bits of a mask."""
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1
