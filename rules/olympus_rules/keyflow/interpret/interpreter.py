"""Abstract interpretation of one function: instructions run once, loops twice; the result records the uses of keys."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

from olympus_rules.code.instructions import Block, FunctionCode
from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain.access import choose
from olympus_rules.keyflow.domain.arguments import Arguments
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.domain.knowledge import give
from olympus_rules.keyflow.domain.paths import ALWAYS, PathCondition
from olympus_rules.keyflow.domain.places import span_of
from olympus_rules.keyflow.domain.run import Run
from olympus_rules.keyflow.domain.summary import Slot
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Choice, Class, Const, Library, Sequence, Value
from olympus_rules.keyflow.interpret import attributes, calls, control, data
from olympus_rules.keyflow.interpret.callees import is_abstract
from olympus_rules.keyflow.interpret.defaults import default_callable
from olympus_rules.keyflow.interpret.flow import Flow
from olympus_rules.keyflow.notes.annotated import is_declared_key
from olympus_rules.keyflow.notes.array_objects import ArrayObjects
from olympus_rules.keyflow.notes.pending import is_stored

BUDGET = 200_000  # instructions executed in one function; over the limit, it stops and keeps what is recorded
HANDLERS: dict[type, Callable[[Any, Any], None]] = {**control.HANDLERS, **data.HANDLERS}


def interpret(file: File, code: FunctionCode, given: Mapping[Slot, Value], arrays: ArrayObjects | None) -> Run:
    """Interpret a function once and return the result.

    Args:
        file: the tables of its file, which the interpretation fills.
        code: the function.
        given: callables that its parameters and enclosing variables hold.
        arrays: looks for objects with ``__jax_array__``, if there may be any.
    """
    code.lower()
    return _Interpreter(file, code, given, arrays).run()


class _Budget(Exception):
    """The function took too many steps."""


class _Interpreter(Flow):
    """Runs the code of one function."""

    def __init__(
        self, file: File, code: FunctionCode, given: Mapping[Slot, Value], arrays: ArrayObjects | None
    ) -> None:
        """Bind each parameter to a term of its own, or to the callable that is given for it."""
        super().__init__(file, code, given, arrays)
        self.steps = 0
        self.places = file.places.ranks
        self.handlers = NOTING if self.places else HANDLERS
        for name in code.every_parameter:
            self.env.set(name, given[name] if name in given else self._parameter(name))
        for slot, value in given.items():
            owner, _, name = ("" if isinstance(slot, str) or slot[0] is not code else slot[1]).partition(".")
            if name:  # the attribute of an object that holds a callable
                self.env.set((self.env.get(owner), name, 0), value)

    def _parameter(self, name: str) -> Value:
        """Return a parameter's value on entry: a term of its own, or the class for that of a class method."""
        term = self.terms.make("param", (self.code, name))
        self.knowledge.name(term, name)
        if self.code.owner is not None and self.code.parameters[:1] == (name,) and self.code.kind != "staticmethod":
            if self.code.kind == "classmethod":
                return Class(self.code.owner)
            self.file.classes[term] = self.code.owner
            return term
        default = default_callable(self.file, self.code, name)
        if default is not None:
            return default
        if term in self.knowledge.named and is_declared_key(self.file.linker, self.code, name):
            self.knowledge.declared.add(term)
        if self.arrays is not None:
            self.arrays.parameter(self, name, term)
        return term

    def run(self) -> Run:
        """Execute the whole code."""
        self.file.environments[self.code] = self.env
        returning: PathCondition | None = ALWAYS
        try:
            self.block(self.code.block)
            returning = self._returning()
        except _Budget:  # what was recorded so far still holds
            name = "" if self.code.kind == "module" else self.code.name
            self.file.add(
                facts.Unfinished(node=self.code.node, confidence=Confidence.CERTAIN, function=name, steps=BUDGET)
            )
        return Run(
            code=self.code,
            terms=self.terms,
            knowledge=self.knowledge,
            decisions=self.decisions,
            path=self.path,
            env=self.env,
            ledger=self.ledger,
            events=self.events,
            returned=self._returned(),
            returning=returning,
        )

    def _returning(self) -> PathCondition | None:
        """Return the condition that holds on all paths that do not raise, ``None`` if there are none."""
        paths = [path for path, _ in self.events.returns] + [self.path] * self.alive
        if self.code.yields or (not paths and is_abstract(self.code)):
            return ALWAYS
        if not paths:
            return None
        return reduce(lambda a, b: (a[0] & b[0], a[1] & b[1]), paths)

    def _returned(self) -> Value:
        """Return the result of the function: for a generator, the elements that a loop over it receives."""
        if self.code.yields:
            return Sequence("list", tuple(value for _, value in self.events.returns), True)
        return choose(self, self.events.returns) if self.events.returns else Const(None)

    def block(self, block: Block) -> None:
        """Execute a block until it ends or is left."""
        handlers = self.handlers
        self.steps += len(block.body)
        if self.steps > BUDGET:
            raise _Budget
        for instruction in block.body:
            if not self.alive:
                return
            handlers[type(instruction)](self, instruction)

    def call(self, function: Value, arguments: Arguments) -> Value:
        """Call a value."""
        return calls.call(self, function, arguments)

    def attribute(self, value: Value, name: str, node: ast.Attribute | None = None) -> Value:
        """Return ``value.name``."""
        return attributes.attribute(self, value, name, node)


def _is_opaque(flow: _Interpreter, part: Value) -> bool:
    """Return whether nothing is known of where a value comes from: it is a part of what unknown code gave."""
    terms = flow.terms
    if not isinstance(part, Term) or part in flow.knowledge.origins:
        return False
    return all(terms.operation(each) in ("fresh", "item") for each in (part, *terms.ancestors(part)))


def _noting(handler: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
    """Return a handler that records that an expression gives a key, if only keys reach it in the whole project."""

    def run(flow: _Interpreter, instruction: Any) -> None:
        handler(flow, instruction)
        node, register = getattr(instruction, "node", None), getattr(instruction, "dst", None)
        if isinstance(node, ast.expr) and register is not None and (span := span_of(node)) in flow.places:
            value = flow.registers[register]
            if isinstance(value, Library):  # a variable of another file
                value = flow.registers[register] = flow.terms.make("symbol", value.qualified)
            if isinstance(value, Choice) and all(_is_opaque(flow, part) for _, part in value.arms):
                value = flow.registers[register] = flow.terms.make("symbol", f"key at {span}")  # whichever it is
            for part in [part for _, part in value.arms] if isinstance(value, Choice) else [value]:
                if isinstance(part, Term) and part not in flow.file.placeholders and not is_stored(flow, part):
                    give(flow.knowledge, part, flow.places[span])

    return run


NOTING = {kind: _noting(handler) for kind, handler in HANDLERS.items()}
"""The handlers of a file of which the whole project was analysed."""
