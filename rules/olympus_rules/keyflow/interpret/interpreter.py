"""Abstract interpretation of one function: runs its instructions once, loops twice, and notes what happens to keys."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any, cast

from olympus_rules.code import instructions as ir
from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain import presence
from olympus_rules.keyflow.domain.access import (
    MAX_DEPTH,
    as_term,
    choose,
    exchanged,
    get_item,
    is_large,
    is_never_none,
    item_name,
    leaves,
    map_choice,
    objects,
    with_item,
)
from olympus_rules.keyflow.domain.arguments import Arguments, parts, positional, unpacked, unstarred
from olympus_rules.keyflow.domain.ledger import Consumption, Derivation, Ledger
from olympus_rules.keyflow.domain.paths import ALWAYS, Environment, PathCondition, both, implies
from olympus_rules.keyflow.domain.terms import Term, Terms
from olympus_rules.keyflow.domain.values import (
    Bound,
    Choice,
    Class,
    Condition,
    Const,
    Function,
    Library,
    Map,
    Metadata,
    Sequence,
    SliceOf,
    Super,
    Value,
)
from olympus_rules.keyflow.interpret import calls, containers, control, lanes, operators
from olympus_rules.keyflow.notes import bindings, layout, literals, words

if TYPE_CHECKING:
    from olympus_rules.keyflow.interpret.specialisation import Slot
    from olympus_rules.keyflow.linking.analysis import Analysis

__all__ = ["Budget", "Interpreter"]

BUDGET = 200_000  # instructions executed in one function; a runaway analysis ends with what it has seen

State = tuple[PathCondition, dict[object, Any]]


class Budget(Exception):
    """The function took too many steps."""


class Interpreter:
    """Runs the code of one function.

    Attributes:
        env: variables by name, attributes and items of objects by (term, name).
        path: the condition under which the present instruction runs.
        alive: whether it is reached at all.
        given: callables that parameters and variables of enclosing functions hold in this run.
        returns: what was returned, with conditions.
        writes: attributes and items written to objects that came from outside, in order.
        asked: the tests that decide on paths.
        holders: objects of which attributes or named items were consumed, or written by functions.
        handed: those among them that something unknown was given.
        born: the condition under which an object was made, where there is one.
        returning: what surely holds when the function returns, as others ways end in an exception.
        replaced: the elements that containers had before others were written in their place, with condition and time.
        forgotten: objects that something unknown may have changed, with how many writes there were up to then.
    """

    def __init__(self, analysis: Analysis, code: ir.FunctionCode, given: dict[Slot, Value]) -> None:
        """Bind the parameters to terms of their own, apart from those that are given as callables."""
        code.lower()
        self.given = given
        self.analysis = analysis
        self.terms: Terms = analysis.terms
        self.knowledge = analysis.knowledge
        self.decisions = analysis.decisions
        self.code = code
        self.env = Environment()
        self.path: PathCondition = ALWAYS
        self.alive = True
        self.ledger = Ledger(self.terms, self.decisions)
        self.returns: list[tuple[PathCondition, Value]] = []
        self.writes: list[tuple[Term, str, Value, PathCondition]] = []
        self.forgotten: dict[Term, int] = {}
        self.replaced: dict[Term, dict[Term, tuple[PathCondition, int]]] = {}
        self.asked: set[Term] = set()
        self.handed: set[Term] = set()
        self.holders: set[Term] = set()
        self.born: dict[Term, PathCondition] = {}
        self.returning: PathCondition = ALWAYS
        self.registers: list[Any] = [None] * code.registers
        self.loops: list[str] = []
        self.rounds = control.ROUNDS
        self.turns = 1
        self.steps = 0
        self.exits: list[control.Exits] = []
        self.collected: dict[str, list[tuple[PathCondition, Value]]] = {}
        self.unused: dict[str, Term] = {}
        self.derivations: list[Derivation] = []
        self.site: ast.expr | None = None
        self.draws: list[lanes.Draw] = []
        for name in (*code.parameters, code.vararg, code.kwarg):
            if name is not None:
                self.env.set(name, given[name] if name in given else self.parameter(name))

    def parameter(self, name: str) -> Value:
        """Return a parameter's value on entry: a term of its own, but the class for that of a class method."""
        term = self.terms.make("param", (self.code, name))
        self.knowledge.name(term, name)
        if self.code.owner is not None and self.code.parameters[:1] == (name,) and self.code.kind != "staticmethod":
            if self.code.kind == "classmethod":
                return Class(self.code.owner)
            self.analysis.classes[term] = self.code.owner
        elif self.analysis.arrays is not None:
            self.analysis.arrays.parameter(self, name, term)
        return term

    def run(self) -> None:
        """Execute the whole code."""
        try:
            self.block(self.code.block)
            self.returning = self._returning()
        except Budget:  # what was seen up to then still holds
            name = "" if self.code.kind == "module" else self.code.name
            self.analysis.add(
                facts.Unfinished(node=self.code.node, confidence=Confidence.CERTAIN, function=name, steps=BUDGET)
            )

    def _returning(self) -> PathCondition:
        """Return what holds on all paths that do not end in an exception."""
        paths = [path for path, _ in self.returns] + [self.path] * self.alive
        if self.code.yields or not paths:
            return ALWAYS
        return reduce(lambda a, b: (a[0] & b[0], a[1] & b[1]), paths)

    def returned(self) -> Value:
        """Return what the function returns: for a generator, what goes over it gets, one after the other."""
        if self.code.yields:
            return Sequence("list", tuple(value for _, value in self.returns), True)
        return choose(self, self.returns) if self.returns else Const(None)

    def let_go(self) -> None:
        """Free all but the variables, which inner functions may read."""
        self.ledger = Ledger(self.terms, self.decisions)
        self.returns, self.writes, self.registers, self.derivations, self.draws = [], [], [], [], []
        self.forgotten, self.handed, self.born, self.replaced = {}, set(), {}, {}

    def block(self, block: ir.Block) -> None:
        """Execute a block until it ends or is left."""
        handlers = HANDLERS
        self.steps += len(block.body)
        if self.steps > BUDGET:
            raise Budget
        for instruction in block.body:
            if not self.alive:
                return
            handlers[type(instruction)](self, instruction)

    def outcomes(self, value: Value) -> tuple[PathCondition | None, PathCondition | None]:
        """Return the conditions under which a value is true and false; ``None`` for never."""
        if isinstance(value, Const) and not value.counter:
            return (ALWAYS, None) if value.value else (None, ALWAYS)
        if isinstance(value, Condition):
            return self.combined(value)
        if isinstance(value, Choice):
            parted = self._parted(value)
            if parted is not None:
                return parted
        term = operators.compared(self, value)
        if self.knowledge.filled.get(term):
            return ALWAYS, None
        self.asked.add(term)
        return self.decisions.outcomes(term)

    def _outcomes_on(self, path: PathCondition, value: Value) -> tuple[PathCondition | None, PathCondition | None]:
        """Return the outcomes of a value under a condition, which may be what decides it."""
        true, false = self.outcomes(value)
        if true is None or false is None:
            return true, false
        return (ALWAYS, None) if implies(path, true) else (None, ALWAYS) if implies(path, false) else (true, false)

    def _parted(self, value: Choice) -> tuple[PathCondition | None, PathCondition | None] | None:
        """Return the outcomes of a choice that only one of its values makes true, or only one of them false."""
        found = [(path, *self._outcomes_on(path, part)) for path, part in value.arms]
        trues = [joined for path, true, _ in found if (joined := self._able(path, true)) is not None]
        falses = [joined for path, _, false in found if (joined := self._able(path, false)) is not None]
        if not trues or not falses:
            return (ALWAYS, None) if trues else (None, ALWAYS)
        if len(trues) == len(falses) == 1 and len(found) == 2:
            return trues[0], falses[0]
        if len(trues) == 1:
            return self.decisions.alternatives(trues[0])
        if len(falses) == 1:
            fails, holds = self.decisions.alternatives(falses[0])
            return holds, fails
        return None

    def _able(self, path: PathCondition, outcome: PathCondition | None) -> PathCondition | None:
        joined = None if outcome is None else both(path, outcome)
        return None if joined is None or self.decisions.closure(joined) is None else joined

    def combined(self, value: Condition) -> tuple[PathCondition | None, PathCondition | None]:
        """Return the outcomes of ``not``, ``and`` and ``or``."""
        if value.operation == "not":
            true, false = self.outcomes(value.operands[0])
            return false, true
        wanted = 0 if value.operation == "and" else 1  # all parts hold, or all parts fail
        every: PathCondition | None = ALWAYS
        parts = [self.outcomes(operand) for operand in value.operands]
        parts = [part for part in parts if part[1 - wanted] is not None]  # those that decide anything
        if len(parts) < 2:
            return parts[0] if parts else (ALWAYS, None) if value.operation == "and" else (None, ALWAYS)
        if any(part[wanted] is None for part in parts):
            return (None, ALWAYS) if value.operation == "and" else (ALWAYS, None)
        for part in parts:
            every = None if every is None or part[wanted] is None else both(every, part[wanted] or ALWAYS)
        term = as_term(self, value)
        self.asked.add(term)
        holds, fails = self.decisions.outcomes(term)
        whole, rest = (holds, fails) if value.operation == "and" else (fails, holds)
        self.decisions.combine(whole, every, [other for part in parts if (other := part[1 - wanted]) is not None])
        every = None if every is None else both(every, whole)
        return (every, rest) if value.operation == "and" else (rest, every)

    # data

    def run_constant(self, instruction: ir.Constant) -> None:
        """Put a constant into a register."""
        self.registers[instruction.dst] = Const(instruction.value)

    def run_load(self, instruction: ir.Load) -> None:
        """Read a variable."""
        value = self.env.get(instruction.name)
        if value is None:
            value = self.lookup(instruction.name)
        elif isinstance(value, Choice):
            value = map_choice(self, value, lambda part: part)
        self.registers[instruction.dst] = value

    def lookup(self, name: str) -> Value:
        """Return the value of a name that has none in this scope yet."""
        if name in self.code.local_names and name not in self.code.outer_names and self.code.kind != "module":
            value: Value = self.terms.fresh()
        else:
            value = self._given_around(name) or self.analysis.outer_value(self.code, name)
        written = self.env.get((value, presence.VARIABLE, 0)) if type(value) is int else None
        if written is not None:  # by a function that was called
            return cast(Value, written)
        if name not in self.code.local_names:
            self.env.values[name] = value  # the same for the whole function, so outside any layer
        return value

    def _given_around(self, name: str) -> Value | None:
        """Return the callable that a variable of an enclosing function is known to hold in this run."""
        scope = self.code.parent
        while self.given and scope is not None:
            if name in scope.local_names:
                return self.given.get((scope, name))
            scope = scope.parent
        return None

    def run_store(self, instruction: ir.Store) -> None:
        """Bind a variable."""
        value = self.registers[instruction.src]
        if type(value) is int:
            self.knowledge.name(value, instruction.name)
            if instruction.name not in self.code.reads:
                bindings.bound(self, instruction, value)
            if instruction.fills:
                self.knowledge.fill(value, true=instruction.fills == "true")
        if instruction.name in self.code.outer_names:
            self.env.values.setdefault(instruction.name, self.lookup(instruction.name))
            variable = self.analysis.variable(self.code, instruction.name)
            if variable is not None:
                self.writes.append((variable, presence.VARIABLE, value, self.path))
        self.env.set(instruction.name, value)

    def run_assign(self, instruction: ir.Assign) -> None:
        """Bind a temporary."""
        self.env.set(instruction.name, self.registers[instruction.src])

    def run_import(self, instruction: ir.Import) -> None:
        """Bind imported names."""
        for name, qualified in instruction.bindings:
            self.env.set(name, self.analysis.library(qualified))

    def run_attribute(self, instruction: ir.Attribute) -> None:
        """Read an attribute."""
        value = self.registers[instruction.obj]
        self.registers[instruction.dst] = self.get_attribute(value, instruction.name, instruction.node)

    def get_attribute(self, value: Value, name: str, node: ast.Attribute | None = None) -> Value:
        """Return ``value.name``."""
        if isinstance(value, Choice):
            return map_choice(self, value, lambda part: self.get_attribute(part, name, node))
        if isinstance(value, Library):
            return self.analysis.library(f"{value.qualified}.{name}")
        if isinstance(value, Class):
            method = self.analysis.hierarchy.method(value.code, name)
            if method is None and self.analysis.hierarchy.is_constant(value.code, name):
                class_name = self.terms.data(as_term(self, value))
                self.terms.members[class_name] = self.analysis.hierarchy.members(value.code)
                return self.terms.make("symbol", f"{class_name}.{name}")
            if method is None or method.is_property:
                return self.terms.fresh()
            function = self.analysis.function(method)
            return Bound(function, value) if method.kind == "classmethod" else function
        if isinstance(value, Super):
            return self._inherited_attribute(value, name, node)
        if type(value) is int:
            return self._term_attribute(value, name, node)
        if isinstance(value, Metadata) and value.what == "dtype":
            if node is not None:
                layout.dtype_attribute(self, value, name, node)
            return Metadata(f"dtype.{name}", value.term, value.subject)
        if isinstance(value, Sequence) and name == "T":
            return value
        return self.terms.make("attr", (name, 0), as_term(self, value))

    def _inherited_attribute(self, value: Super, name: str, node: ast.Attribute | None) -> Value:
        """Return ``super().name``."""
        heir = self.analysis.classes.get(value.self) if type(value.self) is int else None
        method = self.analysis.hierarchy.inherited(value.code, name, heir)
        if method is None:
            return self.terms.make("attr", (name, 0), as_term(self, value.self))
        return self._method(method, value.self, Class(value.code), node)

    def _method(
        self, method: ir.FunctionCode, owner: Value, class_: Class, node: ast.Attribute | None, *, sure: bool = True
    ) -> Value:
        """Return a method as an attribute of an object; a property is called.

        It is in doubt where the object may be one of a subclass that has another method of this name.
        """
        function = self.analysis.function(method)
        if not sure and isinstance(function, Function):
            function = replace(function, doubtful=True)
        if method.kind == "cached_property" and type(owner) is int:
            return self._cached(method, owner, node)
        if method.is_property:
            return self._property(function, owner, node)
        if method.kind == "staticmethod":
            return function
        return Bound(function, class_ if method.kind == "classmethod" else owner)

    def _property(self, function: Value, owner: Value, node: ast.Attribute | None) -> Value:
        """Return what a property gives."""
        outer, self.site = self.site, node or self.site
        value = calls.call(self, Bound(function, owner), Arguments((), (), None))
        self.site = outer
        return value

    def _cached(self, method: ir.FunctionCode, owner: Term, node: ast.Attribute | None) -> Value:
        """Return what a cached property gives: it is computed unless it was before, and then an attribute."""
        function, name = self.analysis.function(method), method.name.rpartition(".")[2]
        here, missing = self.outcomes(presence.attribute(self, owner, name, presence.CACHED))
        before = None if here is None else both(self.path, here)
        states: list[State | None] = [None if before is None else (before, {})]
        if missing is not None:
            states.append(
                control.arm(
                    self, missing, lambda: self.set_attribute(owner, name, self._property(function, owner, node))
                )
            )
        control.join(self, [state for state in states if state is not None])
        generation = self.env.get((owner, "generation")) or 0
        value = cast("Value | None", self.env.get((owner, name, generation)))
        return self.terms.make("attr", (name, generation), owner) if value is None else value

    def _term_attribute(self, term: Term, name: str, node: ast.Attribute | None) -> Value:
        if node is not None:
            seen = layout.attribute(self, term, name, node)
            if seen is not None:
                return seen
        generation = self.env.get((term, "generation")) or 0
        stored = self.env.get((term, name, generation))
        if stored is not None:
            return cast(Value, stored)
        class_ = self.analysis.classes.get(term)
        if class_ is not None:
            if name == "__class__":
                return Class(class_)
            method = self.analysis.hierarchy.method(class_, name) if name not in calls.REPLACING else None
            if method is not None:
                sure = self.terms.operation(term) == "fresh" or not self.analysis.hierarchy.may_be_overridden(
                    class_, name
                )
                return self._method(method, term, Class(class_), node, sure=sure)
        if self.terms.operation(term) == "copy" and not generation:
            return self.get_attribute(self.terms.args(term)[0], name, node)
        attribute = self.terms.make("attr", (name, generation), term)
        self.knowledge.name(attribute, name)
        return attribute

    def run_set_attribute(self, instruction: ir.SetAttribute) -> None:
        """Write an attribute."""
        value = self.registers[instruction.src]
        if instruction.fills and type(value) is int:
            self.knowledge.fill(value, true=instruction.fills == "true")
        for path, term in objects(self, self.registers[instruction.obj]):
            class_ = self.analysis.classes.get(term)
            setter = class_ and self.analysis.hierarchy.method(class_, ir.setter(instruction.name))
            if setter:
                calls.call(self, Bound(self.analysis.function(setter), term), positional(value))
            else:
                self.set_attribute(term, instruction.name, self.alternative(path, value, term, instruction.name))

    def alternative(self, path: PathCondition, value: Value, term: Term, name: str) -> Value:
        """Return what an attribute holds that is written under a condition: otherwise what it held."""
        if path == ALWAYS:
            return value
        holds, fails = self.decisions.alternatives(path)
        return choose(self, [(holds, value), (fails, self.get_attribute(term, name))])

    def set_attribute(self, term: Term, name: str, value: Value) -> None:
        """Write an attribute of an object."""
        generation = self.env.get((term, "generation")) or 0
        self.env.set((term, name, generation), value)
        self.writes.append((term, name, value, self.since(term)))

    def make(self, operation: str, data: Hashable, *args: Term) -> Term:
        """Return an object that is made here; whoever has it knows that the present condition held."""
        term = self.terms.make(operation, data, *args)
        if self.path != ALWAYS:
            self.born[term] = self.path
        return term

    def since(self, term: Term) -> PathCondition:
        """Return the decisions of the present path that were made after an object was."""
        born = self.born.get(term)
        return self.path if born is None else (self.path[0] & ~born[0], self.path[1] & ~born[1])

    def forget(self, term: Term, *, handed: bool = False) -> None:
        """Note that something unknown may have changed an object's attributes and items, maybe one that got it."""
        generation = self.env.get((term, "generation")) or 0
        self.env.set((term, "generation"), generation + 1)
        self.forgotten[term] = len(self.writes)
        if handed:
            self.handed.add(term)

    def stored_item(self, term: Term, index: Value) -> Value | None:
        """Return what was written to ``term[index]``."""
        generation = self.env.get((term, "generation")) or 0
        if not generation and not isinstance(index, Const):
            return None
        stored = self.env.get((term, as_term(self, index), generation))
        if stored is None and generation and term not in self.knowledge.origins:
            return self.knowledge.item(self.terms.make("op", ("changed", generation), term), as_term(self, index))
        return cast("Value | None", stored)

    def run_item(self, instruction: ir.Item) -> None:
        """Read a subscript."""
        value, index = self.registers[instruction.obj], self.registers[instruction.index]
        if isinstance(index, Choice):
            index = map_choice(self, index, lambda part: part)
        if self.analysis.arrays is not None:
            self.analysis.arrays.indexed(self, value, index, instruction.node)
        seen = words.item(self, value, index, instruction.node)
        self.registers[instruction.dst] = get_item(self, value, index) if seen is None else seen

    def run_set_item(self, instruction: ir.SetItem) -> None:
        """Write a subscript."""
        container, index = self.registers[instruction.obj], self.registers[instruction.index]
        value = self.registers[instruction.src]
        if isinstance(container, Map | Sequence) and isinstance(index, Const):
            self.exchange(container, with_item(container, index.value, value), instruction.name)
        elif type(container) is int and container in self.analysis.placeholders:
            literals.assigned(self, container, value)
        elif type(container) is int and isinstance(index, Const):
            self.set_item(container, index, value)
        elif type(container) is int:
            self.set_element(container, index, value)
        else:
            self.exchange(container, self.terms.fresh(), instruction.name)

    def exchange(self, container: Value, changed: Value, name: str | None = None) -> None:
        """Give what holds a container that is changed in place what it has become.

        Args:
            container: what it was.
            changed: what it is now.
            name: the variable by which it was changed.
        """
        if name is not None:
            self.env.set(name, changed)
        depth = 0 if self.code.kind == "module" else MAX_DEPTH
        for other, value in [*self.env.values.items()]:
            if isinstance(value, Map | Sequence | Choice):
                held = exchanged(value, container, changed, depth)
                if held is not value:
                    self.env.set(other, held)

    def set_item(self, container: Term, index: Const, value: Value) -> None:
        """Write an item of an object that came from outside, or of which nothing is known."""
        generation, slot = self.env.get((container, "generation")) or 0, as_term(self, index)
        presence.filled(self, slot, container, value)
        self._replace(container, slot, value)
        self.env.set((container, slot, generation), value)
        if isinstance(index.value, str | int):
            self.writes.append((container, item_name(index.value), value, self.path))

    def set_element(self, container: Term, index: Value, value: Value) -> None:
        """Write an item of which only a term is known: what the others hold is not known afterwards."""
        if isinstance(index, Const):
            return self.set_item(container, index, value)
        generation, slot = self.env.get((container, "generation")) or 0, as_term(self, index)
        if presence.is_asked(self, slot, container):  # a cache: what was in it is in it
            presence.filled(self, slot, container, value)
            others = [
                (key[1], held)
                for key, held in self.env.values.items()
                if isinstance(key, tuple) and key[::2] == (container, generation)
            ]
            self.env.set((container, "generation"), generation + 1)
            for other, held in others:
                if type(other) is int:
                    kept = self.terms.fresh()
                    if is_never_none(self, held):
                        self.knowledge.fill(kept, true=False)
                    self.env.set((container, other, generation + 1), kept)
            item = self.terms.make("item", None, container, slot)
            self.writes.append((item, presence.ELEMENT, value, self.path))
        else:
            self.forget(container)
        self._replace(container, slot, value)
        self.env.set((container, slot, generation + 1), value)

    def _replace(self, container: Term, slot: Term, value: Value) -> None:
        """Note that a container no longer has the element that it had."""
        element = self.terms.item(container, slot)
        if element in leaves(value):
            self.replaced.get(container, {}).pop(element, None)
        else:
            self.replaced.setdefault(container, {})[element] = (self.path, self.ledger.tick())

    def run_slice(self, instruction: ir.Slice) -> None:
        """Build a slice."""
        parts = (instruction.lower, instruction.upper, instruction.step)
        lower, upper, step = (None if part is None else self.registers[part] for part in parts)
        self.registers[instruction.dst] = SliceOf(lower, upper, step)

    def run_sequence(self, instruction: ir.BuildSequence) -> None:
        """Build a tuple, list or set."""
        items: list[Value] = []
        is_open = False
        for register, starred in instruction.items:
            value = containers.spread(self, self.registers[register]) if starred else self.registers[register]
            if not starred:
                items.append(value)
            elif isinstance(value, Sequence) and not value.open:
                items.extend(value.items)
            else:
                is_open = True
                break
        built = Sequence(instruction.kind, tuple(items), is_open)
        self.registers[instruction.dst] = self.terms.fresh() if is_large(built) else built

    def run_map(self, instruction: ir.BuildMap) -> None:
        """Build a dictionary."""
        items: dict[object, Value] = {}
        is_open = False
        for key, register in instruction.items:
            value = self.registers[register]
            name = None if key is None else self.registers[key]
            if isinstance(name, Const):
                items[name.value] = value
            elif key is None and isinstance(value, Map):
                items.update(value.items)
                is_open = is_open or value.open
            else:
                is_open = True
                items[("unknown", len(items))] = value
        built = Map(tuple(items.items()), is_open)
        self.registers[instruction.dst] = self.terms.fresh() if is_large(built) else built

    def run_call(self, instruction: ir.Call) -> None:
        """Call a value."""
        registers = self.registers
        arguments = Arguments(
            unstarred((registers[register], starred) for register, starred in instruction.args),
            unpacked((name, registers[register]) for name, register in instruction.keywords),
            instruction.node,
            instruction.receiver,
            None if instruction.owner is None else registers[instruction.owner],
            asks=instruction.asks,
        )
        registers[instruction.dst] = calls.call(self, registers[instruction.func], arguments)

    def run_binary(self, instruction: ir.Binary) -> None:
        """Apply an operator or a comparison."""
        operands = [self.registers[register] for register in instruction.operands]
        value = operators.binary(self, instruction.operation, operands, instruction.node)
        if instruction.operation in ("In", "NotIn") and type(operands[1]) is int:
            answer = presence.entry(self, *operands)
            if answer is not None:
                value = answer if instruction.operation == "In" else Condition("not", (answer,))
        self.registers[instruction.dst] = value

    def run_boolean(self, instruction: ir.Boolean) -> None:
        """Combine conditions."""
        operands = tuple(self.registers[register] for register in instruction.operands)
        self.registers[instruction.dst] = Condition(instruction.operation, operands)

    def run_unpack(self, instruction: ir.Unpack) -> None:
        """Unpack a value into registers."""
        value, dsts, star = self.registers[instruction.src], instruction.dsts, instruction.star
        words.unpacked(self, value, instruction)
        for position, dst in enumerate(dsts):
            if star is None or position < star:
                index: Value = Const(position)
            elif position == star and type(value) is int and (length := self.terms.length(value)) is not None:
                rest = range(star, length - (len(dsts) - star - 1))
                items = tuple(get_item(self, value, Const(number)) for number in rest)
                self.registers[dst] = Sequence("list", items)
                continue
            elif position == star:
                after = len(dsts) - star - 1
                index = SliceOf(Const(star), Const(-after) if after else None, None)
            else:
                index = Const(position - len(dsts))
            self.registers[dst] = get_item(self, value, index)

    def run_append(self, instruction: ir.Append) -> None:
        """Add to the result of a comprehension."""
        self.collected.setdefault(instruction.name, []).append((self.path, self.registers[instruction.src]))

    def run_collect(self, instruction: ir.Collect) -> None:
        """Finish a comprehension."""
        items = self.collected.pop(instruction.name, [])
        whole = bool(items) and all(path == self.path for path, _ in items)  # no turn and no element was in doubt
        self.registers[instruction.dst] = Sequence("list", tuple(value for _, value in items), not whole)

    def run_make_function(self, instruction: ir.MakeFunction) -> None:
        """Build a function value and wrap it in its decorators."""
        code = instruction.code
        defaults = tuple((name, self.registers[register]) for name, register, _ in instruction.defaults)
        for name, register, node in instruction.defaults:
            bindings.default(self, code, name, self.registers[register], node)
        value: Value = Function(code, defaults=defaults)
        for register in reversed(instruction.decorators):
            value = calls.decorate(self, self.registers[register], value)
        self.analysis.functions[code] = value
        self.registers[instruction.dst] = value

    def run_make_class(self, instruction: ir.MakeClass) -> None:
        """Run a class body and build a class value."""
        self.analysis.hierarchy.bases[instruction.code] = [self.registers[base] for base in instruction.bases]
        self.block(instruction.body)
        bindings.class_fields(self, instruction)
        self.registers[instruction.dst] = Class(instruction.code)

    # keys

    def derived(self, child: Term, arguments: Arguments, number: int) -> None:
        """Note that ``fold_in`` derives a child here, in the call of this number."""
        if arguments.node is not None:
            loop = self.loops[-1] if self.loops else ""
            self.derivations.append(Derivation(arguments.node, self.path, child, loop, number, self.ledger.tick()))

    def _replaced_in(self, container: Term) -> tuple[tuple[Term, PathCondition, int], ...]:
        """Return the elements of a container that are others by now: under which condition, and since when."""
        if self.terms.operation(container) == "lane":
            container = self.terms.args(container)[0]
        elements = self.replaced.get(container, {})
        return tuple((element, path, time) for element, (path, time) in elements.items())

    def hold(self, term: Term) -> None:
        """Note the objects of which a key that is consumed is an attribute or an item that has a name."""
        terms = self.terms
        while (operation := terms.operation(term)) in ("attr", "item"):
            owner, *index = terms.args(term)
            if operation == "attr" or isinstance(terms.constant(index[0]), str):
                self.holders.add(owner)
            term = owner

    def consume(self, value: Value, use: Consumption) -> None:
        """Note that a value's keys are consumed.

        Args:
            value: what went in; each key in it counts.
            use: where and by what; it becomes the entry of a single key, and is copied for several.
        """
        if type(value) is int:
            use.term, use.time, use.site = value, self.ledger.tick(), self.site
            use.loop = use.loop or (self.loops[-1] if self.loops else "")
            use.replaced = self._replaced_in(value) if self.replaced else ()
            self.ledger.add(use)
            self.hold(value)
        elif isinstance(value, Choice):
            for condition, part in value.arms:
                joined = both(use.path, condition)
                if joined is not None:
                    self.consume(part, replace(use, path=joined))
        elif isinstance(value, Sequence | Map):
            for part, expression in parts(value, use.key):
                self.consume(part, replace(use, key=expression))


HANDLERS: dict[type, Callable[[Interpreter, Any], None]] = {
    **control.HANDLERS,
    ir.Constant: Interpreter.run_constant,
    ir.Load: Interpreter.run_load,
    ir.Store: Interpreter.run_store,
    ir.Assign: Interpreter.run_assign,
    ir.Attribute: Interpreter.run_attribute,
    ir.SetAttribute: Interpreter.run_set_attribute,
    ir.Item: Interpreter.run_item,
    ir.SetItem: Interpreter.run_set_item,
    ir.Slice: Interpreter.run_slice,
    ir.BuildSequence: Interpreter.run_sequence,
    ir.BuildMap: Interpreter.run_map,
    ir.Call: Interpreter.run_call,
    ir.Binary: Interpreter.run_binary,
    ir.Boolean: Interpreter.run_boolean,
    ir.Unpack: Interpreter.run_unpack,
    ir.Append: Interpreter.run_append,
    ir.Collect: Interpreter.run_collect,
    ir.Import: Interpreter.run_import,
    ir.MakeFunction: Interpreter.run_make_function,
    ir.MakeClass: Interpreter.run_make_class,
}
