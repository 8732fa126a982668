"""Abstract interpretation of one function: runs its instructions once, loops twice, and notes what happens to keys."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from olympus_rules.keyflow import calls, observe
from olympus_rules.keyflow import instructions as ir
from olympus_rules.keyflow.access import as_term, choose, element, get_item, leaves, map_choice
from olympus_rules.keyflow.ledger import Certainty, Consumption, Departure, Ledger
from olympus_rules.keyflow.paths import ALWAYS, Environment, PathCondition, both
from olympus_rules.keyflow.terms import Term
from olympus_rules.keyflow.values import (
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
    Value,
)

if TYPE_CHECKING:
    from olympus_rules.keyflow.analysis import Analysis

__all__ = ["Budget", "Interpreter"]

ROUNDS = 2
BUDGET = 200_000  # instructions executed in one function; a runaway analysis ends with what it has seen

State = tuple[PathCondition, dict[object, object]]


@dataclass(slots=True)
class _Exits:
    """Where ``break`` and ``continue`` of the innermost loop go.

    Attributes:
        depth: the depth of the loop's layer.
        broken, continued: the states at ``break`` (of all turns) and at ``continue`` (of this turn).
        breaks, continues: the departures that go with them.
    """

    depth: int
    broken: list[State] = field(default_factory=list)
    continued: list[State] = field(default_factory=list)
    breaks: list[Departure] = field(default_factory=list)
    continues: list[Departure] = field(default_factory=list)


class Budget(Exception):
    """The function took too many steps."""


class Interpreter:
    """Runs the code of one function.

    Attributes:
        env: variables by name, attributes and items of objects by (term, name).
        path: the condition under which the present instruction runs.
        alive: whether it is reached at all.
        returns: what was returned, with conditions.
        writes: attributes written to objects that came from outside, in order.
    """

    def __init__(self, analysis: Analysis, code: ir.FunctionCode) -> None:
        """Bind the parameters to terms of their own."""
        self.analysis = analysis
        self.terms = analysis.terms
        self.knowledge = analysis.knowledge
        self.decisions = analysis.decisions
        self.code = code
        self.env = Environment()
        self.path: PathCondition = ALWAYS
        self.alive = True
        self.ledger = Ledger(self.terms)
        self.returns: list[tuple[PathCondition, Value]] = []
        self.writes: list[tuple[Term, str, Value, PathCondition]] = []
        self.registers: list[Any] = [None] * code.registers
        self.sources: dict[int, ast.expr] = {}
        self.loops: list[str] = []
        self.rounds = ROUNDS
        self.steps = 0
        self.exits: list[_Exits] = []
        self.collected: dict[str, list[Value]] = {}
        self.unused: dict[str, Term] = {}
        self.derivations: list[tuple[Term, PathCondition, ast.Call, str]] = []
        self.site: ast.Call | None = None
        for name in (*code.parameters, code.vararg, code.kwarg):
            if name is not None:
                self.env.set(name, self.parameter(name))

    def parameter(self, name: str) -> Term:
        """Return the term of a parameter's value on entry."""
        term = self.terms.make("param", (self.code, name))
        self.knowledge.name(term, name)
        if self.code.owner is not None and self.code.parameters[:1] == (name,) and self.code.kind != "staticmethod":
            self.analysis.classes[term] = self.code.owner
        return term

    def run(self) -> None:
        """Execute the whole code."""
        try:
            self.block(self.code.block)
        except Budget:
            self.analysis.exhausted.append(self.code)

    # control flow

    def block(self, block: ir.Block) -> None:
        """Execute a block until it ends or is left."""
        handlers = HANDLERS
        for instruction in block.body:
            if not self.alive:
                return
            self.steps += 1
            handlers[type(instruction)](self, instruction)
        if self.steps > BUDGET:
            raise Budget

    def arm(self, path: PathCondition, run: Callable[[], None]) -> State | None:
        """Run something under a condition in a layer of its own; ``None`` when its end is not reached."""
        outer = self.path
        joined = both(outer, path)
        if joined is None:
            return None
        self.path, self.alive = joined, True
        self.env.open()
        run()
        changes = self.env.close()
        state = (self.path, changes) if self.alive else None
        self.path, self.alive = outer, True
        return state

    def join(self, states: list[State]) -> None:
        """Go on from several states: variables that differ become choices."""
        if not states:
            self.alive = False
            return
        self.alive = True
        if len(states) == 1:
            self.path = states[0][0]
            self.env.update(states[0][1])
            return
        holds, fails = states[0][0]
        for path, _ in states[1:]:
            holds, fails = holds & path[0], fails & path[1]
        self.path = (holds, fails)
        for name in dict.fromkeys(name for _, changes in states for name in changes):
            if isinstance(name, tuple) and name[1] == "generation":
                self.env.set(name, max(changes.get(name) or 0 for _, changes in states))  # type: ignore[type-var]
                continue
            arms: list[tuple[PathCondition, Value]] = []
            for path, changes in states:
                value = changes[name] if name in changes else self.env.get(name)
                if value is None and isinstance(name, tuple):
                    value = self.unwritten(name)
                if value is not None:
                    arms.append((path, value))
            self.env.set(name, choose(self, arms))

    def unwritten(self, name: tuple[Any, ...]) -> Value | None:
        """Return what an attribute or item holds where it was not written."""
        term, part, generation = name
        if isinstance(part, str):  # a term stands for an item
            return self.terms.make("attr", (part, generation), term)
        return None

    def outcomes(self, value: Value) -> tuple[PathCondition | None, PathCondition | None]:
        """Return the conditions under which a value is true and false; ``None`` for never."""
        if isinstance(value, Const) and not value.counter:
            return (ALWAYS, None) if value.value else (None, ALWAYS)
        if isinstance(value, Condition):
            return self.combined(value)
        if isinstance(value, Choice):
            found = [(path, *self.outcomes(part)) for path, part in value.arms]
            if all((true is None) != (false is None) for _, true, false in found):
                trues = [path for path, true, _ in found if true is not None]
                falses = [path for path, _, false in found if false is not None]
                return self._one(trues, value), self._one(falses, value)
        return self.decisions.outcomes(as_term(self, value))

    def _one(self, paths: list[PathCondition], value: Value) -> PathCondition | None:
        if len(paths) > 1:
            return ALWAYS
        return paths[0] if paths else None

    def combined(self, value: Condition) -> tuple[PathCondition | None, PathCondition | None]:
        """Return the outcomes of ``not``, ``and`` and ``or``."""
        if value.operation == "not":
            true, false = self.outcomes(value.operands[0])
            return false, true
        wanted = 0 if value.operation == "and" else 1  # all parts hold, or all parts fail
        every: PathCondition | None = ALWAYS
        for operand in value.operands:
            part = self.outcomes(operand)[wanted]
            every = None if every is None or part is None else both(every, part)
        holds, fails = self.decisions.outcomes(as_term(self, value))
        whole, rest = (holds, fails) if value.operation == "and" else (fails, holds)
        every = None if every is None else both(every, whole)
        return (every, rest) if value.operation == "and" else (rest, every)

    def run_branch(self, instruction: ir.Branch) -> None:
        """Run each arm under its test, and join."""
        states: list[State] = []
        remaining: PathCondition | None = ALWAYS
        start = self.path
        for test, register, body in instruction.arms:
            self.block(test)
            true, false = self.outcomes(self.registers[register])
            if true is not None:
                state = self.arm(true, partial(self.block, body))
                if state is not None:
                    states.append(state)
            remaining = None if false is None else both(self.path, false)
            if remaining is None:
                break
            self.path = remaining
        if remaining is not None:
            state = self.arm(ALWAYS, lambda: self.block(instruction.orelse))
            if state is not None:
                states.append(state)
        self.path = start
        self.join(states)

    def run_loop(self, loop: ir.Loop) -> None:
        """Run a body for two turns, and go on from zero, one or two of them."""
        value = self.registers[loop.iterable] if loop.iterable is not None else None
        if value is not None:
            observe.iterated(self, value, loop)
        exits: list[State] = []
        start, rounds, endless = self.path, self.rounds, self._endless(loop)
        ways = _Exits(self.env.open())
        self.loops.append(loop.label)
        for turn in range(rounds):
            if not self._turn(loop, value, turn, ways, exits):
                break
            self.rounds = 1  # one turn of an inner loop is enough once the outer one repeats
        else:
            if self.alive and not endless:
                exits.append((self.path, self.env.changes(ways.depth)))
        self.rounds = rounds
        self.loops.pop()
        self.env.close()
        self.path = start
        if loop.orelse.body:  # runs after each way that the loop ends by itself
            states = [self.arm(ALWAYS, partial(self._go_on, state, loop.orelse)) for state in exits]
            exits = [state for state in states if state is not None]
        for departure in ways.breaks:
            departure.end = self.steps
        self.join(exits + ways.broken)

    def _go_on(self, state: State, block: ir.Block) -> None:
        self.join([state])
        self.block(block)

    def _endless(self, loop: ir.Loop) -> bool:
        if loop.test is None:
            return False
        body = loop.test[0].body
        return len(body) == 1 and isinstance(body[0], ir.Constant) and bool(body[0].value)

    def _turn(self, loop: ir.Loop, value: Value | None, turn: int, ways: _Exits, exits: list[State]) -> bool:
        """Run one turn in the loop's layer; says whether there can be another."""
        again, ends = self.decisions.outcomes(self.terms.fresh())
        if value is not None:
            item = element(self, value, turn)
            if item is None:
                exits.append((self.path, self.env.changes(ways.depth)))
                return False
            self.registers[loop.element] = item
        elif loop.test is not None:
            self.block(loop.test[0])
            true, _ = self.outcomes(self.registers[loop.test[1]])
            again = again if true is None else both(again, true) or again
        ended = both(self.path, ends)
        if ended is not None and not self._endless(loop):
            exits.append((ended, self.env.changes(ways.depth)))
        entered = both(self.path, again)
        if entered is None:
            return False
        self.path = entered
        self.exits.append(ways)
        self.block(loop.body)
        self.exits.pop()
        if ways.continued:
            self._merge_continued(ways)
        return self.alive

    def _merge_continued(self, ways: _Exits) -> None:
        """Join the ends of a turn, which share the loop's layer: what one did not bind it has as before the loop."""
        changed = self.env.changes(ways.depth)
        if self.alive:
            ways.continued.append((self.path, changed))
        before = {name: self.env.before(name, ways.depth) for name in changed}
        known = {name: value for name, value in before.items() if value is not None}
        self.join([(path, {**known, **changes}) for path, changes in ways.continued])
        for departure in ways.continues:
            departure.end = self.steps
        ways.continued, ways.continues = [], []

    def run_try(self, instruction: ir.Try) -> None:
        """Run the body, or, as if nothing of it had happened, a handler."""
        start = self.path
        states: list[State] = []
        raised, normal = self.decisions.outcomes(self.terms.fresh())
        if not instruction.handlers:
            normal = ALWAYS
        state = self.arm(normal, lambda: self._run_both(instruction.body, instruction.orelse))
        if state is not None:
            states.append(state)
        for handler in instruction.handlers:
            this, others = self.decisions.outcomes(self.terms.fresh())
            path = both(raised, this)
            if path is not None:
                state = self.arm(path, partial(self.block, handler))
                if state is not None:
                    states.append(state)
            raised = both(raised, others) or raised
        self.path = start
        self.join(states)
        if instruction.final.body:
            alive, self.alive = self.alive, True
            self.block(instruction.final)
            self.alive = self.alive and alive

    def _run_both(self, first: ir.Block, second: ir.Block) -> None:
        self.block(first)
        self.block(second)

    def run_raising(self, instruction: ir.Raising) -> None:
        """Run a body that raises: what it consumed does not count afterwards."""
        inside, after = self.decisions.outcomes(self.terms.fresh())
        self.arm(inside, lambda: self.block(instruction.body))
        self.path = both(self.path, after) or self.path

    def run_jump(self, instruction: ir.Jump) -> None:
        """Leave the loop or the function."""
        departure = self.ledger.depart(self.path, self.steps)
        if instruction.kind != "raise" and self.exits:
            ways = self.exits[-1]
            state = (self.path, self.env.changes(ways.depth))
            if instruction.kind == "break":
                ways.broken.append(state)
                ways.breaks.append(departure)
            else:
                ways.continued.append(state)
                ways.continues.append(departure)
        self.alive = False

    def run_return(self, instruction: ir.Return) -> None:
        """Note what is returned."""
        value = Const(None) if instruction.src is None else self.registers[instruction.src]
        self.returns.append((self.path, value))
        if instruction.leaves:
            self.ledger.depart(self.path, self.steps)
            self.alive = False

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
            value = self.analysis.outer_value(self.code, name)
        if name not in self.code.local_names:
            self.env.values[name] = value  # the same for the whole function, so outside any layer
        return value

    def run_store(self, instruction: ir.Store) -> None:
        """Bind a variable."""
        value = self.registers[instruction.src]
        if type(value) is int:
            self.knowledge.name(value, instruction.name)
        observe.bound(self, instruction, value)
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
            method = self.analysis.method(value.code, name)
            return Function(method) if method is not None else self.terms.fresh()
        if type(value) is int:
            return self._term_attribute(value, name, node)
        if isinstance(value, Metadata) and value.what == "dtype":
            return Metadata(f"dtype.{name}", value.term, value.subject)
        if isinstance(value, Sequence) and name == "T":
            return value
        return self.terms.make("attr", (name, 0), as_term(self, value))

    def _term_attribute(self, term: Term, name: str, node: ast.Attribute | None) -> Value:
        if node is not None:
            seen = observe.attribute(self, term, name, node)
            if seen is not None:
                return seen
        generation = self.env.get((term, "generation")) or 0
        stored = self.env.get((term, name, generation))
        if stored is not None:
            return stored
        class_ = self.analysis.classes.get(term)
        if class_ is not None:
            method = self.analysis.method(class_, name)
            if method is not None:
                bound = Bound(Function(method), term)
                if method.kind == "property":
                    return calls.call(self, bound, calls.Arguments((), (), None))
                return Function(method) if method.kind == "staticmethod" else bound
        attribute = self.terms.make("attr", (name, generation), term)
        self.knowledge.name(attribute, name)
        return attribute

    def run_set_attribute(self, instruction: ir.SetAttribute) -> None:
        """Write an attribute."""
        value = self.registers[instruction.src]
        for term in leaves(self.registers[instruction.obj])[:1]:
            self.set_attribute(term, instruction.name, value)

    def set_attribute(self, term: Term, name: str, value: Value) -> None:
        """Write an attribute of an object."""
        generation = self.env.get((term, "generation")) or 0
        self.env.set((term, name, generation), value)
        self.writes.append((term, name, value, self.path))

    def forget(self, term: Term) -> None:
        """Note that something unknown may have changed an object's attributes and items."""
        generation = self.env.get((term, "generation")) or 0
        self.env.set((term, "generation"), generation + 1)  # type: ignore[operator]

    def stored_item(self, term: Term, index: Value) -> Value | None:
        """Return what was written to ``term[index]``."""
        generation = self.env.get((term, "generation")) or 0
        if not generation and not isinstance(index, Const):
            return None
        stored = self.env.get((term, as_term(self, index), generation))
        if stored is None and generation and term not in self.knowledge.origins:
            return self.knowledge.item(self.terms.make("op", ("changed", generation), term), as_term(self, index))
        return stored

    def run_item(self, instruction: ir.Item) -> None:
        """Read a subscript."""
        value, index = self.registers[instruction.obj], self.registers[instruction.index]
        if isinstance(index, Choice):
            index = map_choice(self, index, lambda part: part)
        seen = observe.item(self, value, index, instruction.node)
        self.registers[instruction.dst] = get_item(self, value, index) if seen is None else seen

    def run_set_item(self, instruction: ir.SetItem) -> None:
        """Write a subscript."""
        container, index = self.registers[instruction.obj], self.registers[instruction.index]
        value = self.registers[instruction.src]
        if isinstance(container, Map) and isinstance(index, Const) and instruction.name is not None:
            items = {**dict(container.items), index.value: value}
            self.env.set(instruction.name, Map(tuple(items.items()), container.open))
        elif isinstance(container, Sequence) and isinstance(index, Const) and instruction.name is not None:
            position = index.value
            if isinstance(position, int) and -len(container.items) <= position < len(container.items):
                changed = list(container.items)
                changed[position] = value
                self.env.set(instruction.name, Sequence(container.kind, tuple(changed), container.open))
        elif type(container) is int and isinstance(index, Const):
            generation = self.env.get((container, "generation")) or 0
            self.env.set((container, as_term(self, index), generation), value)
        elif type(container) is int:
            self.forget(container)
        elif instruction.name is not None:
            self.env.set(instruction.name, self.terms.fresh())

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
            value = self.registers[register]
            if not starred:
                items.append(value)
            elif isinstance(value, Sequence) and not value.open:
                items.extend(value.items)
            else:
                is_open = True
                break
        self.registers[instruction.dst] = Sequence(instruction.kind, tuple(items), is_open)

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
        self.registers[instruction.dst] = Map(tuple(items.items()), is_open)

    def run_call(self, instruction: ir.Call) -> None:
        """Call a value."""
        registers = self.registers
        arguments = calls.Arguments(
            tuple((registers[register], starred) for register, starred in instruction.args),
            tuple((name, registers[register]) for name, register in instruction.keywords),
            instruction.node,
            instruction.receiver,
            None if instruction.owner is None else registers[instruction.owner],
            asks=instruction.asks,
        )
        registers[instruction.dst] = calls.call(self, registers[instruction.func], arguments)

    def run_binary(self, instruction: ir.Binary) -> None:
        """Apply an operator or a comparison."""
        operands = [self.registers[register] for register in instruction.operands]
        self.registers[instruction.dst] = observe.binary(self, instruction.operation, operands, instruction.node)

    def run_boolean(self, instruction: ir.Boolean) -> None:
        """Combine conditions."""
        operands = tuple(self.registers[register] for register in instruction.operands)
        self.registers[instruction.dst] = Condition(instruction.operation, operands)

    def run_unpack(self, instruction: ir.Unpack) -> None:
        """Unpack a value into registers."""
        value, dsts, star = self.registers[instruction.src], instruction.dsts, instruction.star
        observe.unpacked(self, value, instruction)
        for position, dst in enumerate(dsts):
            if star is None or position < star:
                index: Value = Const(position)
            elif position == star:
                after = len(dsts) - star - 1
                index = SliceOf(Const(star), Const(-after) if after else None, None)
            else:
                index = Const(position - len(dsts))
            self.registers[dst] = get_item(self, value, index)

    def run_append(self, instruction: ir.Append) -> None:
        """Add to the result of a comprehension."""
        self.collected.setdefault(instruction.name, []).append(self.registers[instruction.src])

    def run_collect(self, instruction: ir.Collect) -> None:
        """Finish a comprehension."""
        items = self.collected.pop(instruction.name, [])
        self.registers[instruction.dst] = Sequence("list", tuple(items), True)

    def run_make_function(self, instruction: ir.MakeFunction) -> None:
        """Build a function value and wrap it in its decorators."""
        code = instruction.code
        defaults = tuple((name, self.registers[register]) for name, register, _ in instruction.defaults)
        for name, register, node in instruction.defaults:
            observe.default(self, code, name, self.registers[register], node)
        value: Value = Function(code, defaults=defaults)
        for register in reversed(instruction.decorators):
            value = calls.decorate(self, self.registers[register], value)
        self.analysis.functions[code] = value
        self.registers[instruction.dst] = value

    def run_make_class(self, instruction: ir.MakeClass) -> None:
        """Run a class body and build a class value."""
        self.block(instruction.body)
        observe.class_fields(self, instruction)
        record = any(
            isinstance(value, Library) and calls.makes_records(value.qualified)
            for value in map(self._decorator, [*instruction.decorators, *instruction.bases])
        )
        self.registers[instruction.dst] = Class(instruction.code, record)

    def _decorator(self, register: int) -> Value:
        value = self.registers[register]
        return self.analysis.decorators.get(value, value) if type(value) is int else value

    # keys

    def derived(self, child: Term, arguments: calls.Arguments) -> None:
        """Note that ``fold_in`` derives a child here."""
        if arguments.node is not None:
            self.derivations.append((child, self.path, arguments.node, self.loops[-1] if self.loops else ""))

    def consume(
        self,
        value: Value,
        *,
        node: ast.AST,
        what: str,
        certainty: Certainty,
        draw: str = "call",
        key: ast.expr | None = None,
        call: int = 0,
        origin: object = None,
        loop: str = "",
        count: int | None = None,
        path: PathCondition | None = None,
    ) -> None:
        """Note that a value's keys are consumed here."""
        if isinstance(value, Choice):
            for condition, part in value.arms:
                joined = both(path or self.path, condition)
                if joined is not None:
                    self.consume(
                        part,
                        node=node,
                        what=what,
                        certainty=certainty,
                        draw=draw,
                        key=key,
                        call=call,
                        origin=origin,
                        loop=loop,
                        count=count,
                        path=joined,
                    )
            return
        label = loop or (self.loops[-1] if self.loops else "")
        for term in leaves(value):
            self.ledger.add(
                Consumption(
                    term,
                    path or self.path,
                    node,
                    what,
                    key,
                    certainty,
                    draw,
                    call,
                    origin,
                    label,
                    count,
                    self.steps,
                )
            )


HANDLERS: dict[type, Callable[[Interpreter, Any], None]] = {
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
    ir.Branch: Interpreter.run_branch,
    ir.Loop: Interpreter.run_loop,
    ir.Try: Interpreter.run_try,
    ir.Raising: Interpreter.run_raising,
    ir.Append: Interpreter.run_append,
    ir.Collect: Interpreter.run_collect,
    ir.Return: Interpreter.run_return,
    ir.Jump: Interpreter.run_jump,
    ir.Import: Interpreter.run_import,
    ir.MakeFunction: Interpreter.run_make_function,
    ir.MakeClass: Interpreter.run_make_class,
}
