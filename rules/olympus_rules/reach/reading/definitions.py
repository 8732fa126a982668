"""Which definitions of a local variable reach which of its reads.

The graph has one slot for a variable. Where a variable is bound several times, a read may see only some of the values:
an argument that is replaced before the read is not among them.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from olympus_rules.code import instructions as ir

NAMESPACES = frozenset({"dir", "eval", "exec", "locals", "vars"})
"""Functions that read or write all variables of a scope."""


class Definitions:
    """The versions of the variables of a function or module.

    A statement of the function itself that binds a variable makes a new version of it; what a branch, a loop or another
    statement in it binds belongs to the version before. Only variables count that the function alone binds, several
    times. A function inside of it may read at any time, and so may a generator expression.
    """

    def __init__(self, code: ir.FunctionCode) -> None:
        """Number the definitions of a function."""
        names = told_apart(code)
        shared = names if code.kind == "module" else names & inside(code)
        self._versions: dict[int, tuple[int, ...]] = {}
        current = {name: int(name not in code.every_parameter) for name in names}
        replaces = True
        for statement in code.block.body if names else ():
            if isinstance(statement, ir.Store) and statement.name in names and replaces:
                current[statement.name] += 1
            if isinstance(statement, ir.Binary) and statement.operation == "with":
                replaces = False  # it may stop exceptions, and its body goes up to the end of the function
            for each in instructions(ir.Block([statement])):
                match each:
                    case ir.Load(name=name) | ir.SetItem(name=str(name)) if name in names:
                        self._versions[id(each)] = (current[name],)
                    case ir.Store(name=name) if name in names:
                        self._versions[id(each)] = (*((0,) if name in shared else ()), current[name])

    def of(self, instruction: object) -> tuple[int, ...] | None:
        """Return the versions of a variable that an instruction reads or writes; ``None`` if it has one only.

        Version 0 is what callers give; of a variable without them, it is all that other functions may read.
        """
        return self._versions.get(id(instruction))


def told_apart(code: ir.FunctionCode) -> frozenset[str]:
    """Return the variables that only a function or module itself binds, several times.

    A parameter that a function inside reads is none, as that reads what callers give and what is bound later.
    """
    if not NAMESPACES.isdisjoint(code.reads):
        return frozenset()
    every = list(instructions(code.block))
    counts = Counter([*(each.name for each in every if isinstance(each, ir.Store)), *code.every_parameter])
    several = {name for name, count in counts.items() if count > 1 and "." not in name}
    if not several:
        return frozenset()
    imported = {name for each in every if isinstance(each, ir.Import) for name, _ in each.bindings}
    later = {each.name for each in instructions(*lazy_loops(code.block)) if isinstance(each, ir.Load)}
    others = inside(code).intersection(code.every_parameter)
    return frozenset(several - imported - code.outer_names - code.rebound - others - later)


def inside(code: ir.FunctionCode) -> set[str]:
    """Return the names that the functions in a function read."""
    return set[str]().union(*(each.reads for each in code.nested))


def blocks(*given: ir.Block) -> Iterator[ir.Block]:
    """Yield some blocks and those in them."""
    waiting = list(given)
    while waiting:
        block = waiting.pop()
        yield block
        for each in block.body:
            match each:
                case ir.Branch(arms=arms, orelse=orelse):
                    waiting += [orelse, *(part for test, _, body in arms for part in (test, body))]
                case ir.Loop(test=test, body=body, orelse=orelse):
                    waiting += [body, orelse, *([] if test is None else [test[0]])]
                case ir.Try(body=body, handlers=handlers, orelse=orelse, final=final):
                    waiting += [body, *handlers, orelse, final]
                case ir.Raising(body=body) | ir.MakeClass(body=body):
                    waiting.append(body)


def instructions(*given: ir.Block) -> Iterator[ir.Instruction]:
    """Yield the instructions of some blocks and of those in them."""
    for block in blocks(*given):
        yield from block.body


def lazy_loops(block: ir.Block) -> Iterator[ir.Block]:
    """Yield the bodies of the loops of generator expressions, which run later."""
    for each in blocks(block):
        for loop, made in pairwise(each.body):
            if isinstance(loop, ir.Loop) and isinstance(made, ir.Collect) and isinstance(made.node, ast.GeneratorExp):
                yield loop.body
