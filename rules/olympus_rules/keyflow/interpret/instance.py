"""One call of a summarised function: its terms, with the caller's values for the parameters."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from typing import Any, cast

from olympus_rules.code.instructions import FunctionCode
from olympus_rules.keyflow.domain import presence
from olympus_rules.keyflow.domain.access import (
    as_term,
    choose,
    dictionary,
    exchanged,
    get_item,
    map_choice,
    map_leaves,
    operand_term,
)
from olympus_rules.keyflow.domain.conditions import is_unmodelled
from olympus_rules.keyflow.domain.dimensions import dimension
from olympus_rules.keyflow.domain.outcomes import Outcomes, outcomes
from olympus_rules.keyflow.domain.paths import ALWAYS, PathCondition, both
from olympus_rules.keyflow.domain.summary import Summary, needed, origin
from olympus_rules.keyflow.domain.terms import CHOICE, COPIES, Term
from olympus_rules.keyflow.domain.values import (
    Bound,
    Choice,
    Condition,
    Const,
    Function,
    Iteration,
    Map,
    Mapped,
    Metadata,
    Partial,
    Sequence,
    Value,
)
from olympus_rules.keyflow.interpret import named, operators, rates, type_tests
from olympus_rules.keyflow.interpret.flow import Flow

NESTING = 2  # levels of closures in closures; the captured values of deeper ones are dropped


class Instance:
    """One call of a summarised function: replaces its terms by the caller's values."""

    def __init__(
        self,
        flow: Flow,
        summary: Summary,
        binding: Mapping[str, Value],
        captured: Mapping[tuple[FunctionCode, str], Value],
    ) -> None:
        """Take the caller, the arguments, and the values of the enclosing variables when the function was returned."""
        self.captured = _settled(flow, summary, captured)
        self._closures: dict[int, Value] = {}  # by identity: hashing the captured values is slow
        self.flow = flow
        self.summary = summary
        self.binding = binding
        self.number = flow.terms.number()
        self._values: dict[Term, Value] = {}
        self._changed: list[tuple[Value, Value]] = []
        self._conditions: dict[int, Outcomes] = {}
        self._paths: dict[PathCondition, PathCondition | None] = {}

    def value(self, term: Term) -> Value:
        """Return the caller's value of a term of the callee."""
        found = self._values.get(term)
        if found is None:
            found = self._values[term] = self._replace(term)
        return found

    def exchange(self, container: Value, changed: Value) -> None:
        """Record the new value of a container of the caller; ``value`` still returns the old one."""
        self._changed.append((container, changed))

    def current(self, term: Term) -> Value:
        """Return the caller's value of a term after the changes that the callee has made to containers so far."""
        value = self.value(term)
        for container, changed in self._changed:
            value = exchanged(value, container, changed)
        return value

    def returned(self, value: Value) -> Value:
        """Return the caller's value of the callee's result."""
        if isinstance(value, Choice):
            arms = [(self.path(path), part) for path, part in value.arms]
            return choose(self.flow, [(path, self.returned(part)) for path, part in arms if path is not None])
        if isinstance(value, Sequence):
            return Sequence(value.kind, tuple(self.returned(item) for item in value.items), value.open)
        if isinstance(value, Map):
            items = ((key, self.returned(item)) for key, item in value.items)
            return dictionary(self.flow, items, is_open=value.open)
        if isinstance(value, Condition):
            return Condition(value.operation, tuple(self.returned(operand) for operand in value.operands))
        if isinstance(value, Function | Bound | Partial | Mapped):
            return self._callable(value)
        if isinstance(value, Metadata):
            return Metadata(value.what, self._term(value.term), value.subject)
        if isinstance(value, Iteration):
            return Iteration(value.kind, tuple(self.returned(part) for part in value.parts))
        return self.current(value) if isinstance(value, Term) else value

    def _callable(self, value: Function | Bound | Partial | Mapped) -> Value:
        """Return a callable that the callee made; a closure carries the values of its enclosing variables."""
        if isinstance(value, Mapped):
            return replace(value, function=self.returned(value.function))
        if isinstance(value, Bound):
            return Bound(self.returned(value.function), self.returned(value.self))
        if isinstance(value, Partial):
            keywords = tuple((name, self.returned(part)) for name, part in value.keywords)
            return Partial(self.returned(value.function), tuple(self.returned(part) for part in value.args), keywords)
        known = id(value)
        if known not in self._closures:
            self._closures[known] = value  # a closure may capture itself
            self._closures[known] = self._closure(value)
        return self._closures[known]

    def _closure(self, value: Function) -> Function:
        captured = {slot: self.returned(part) for slot, part in value.captured}
        scope = value.code.parent
        while scope is not None and scope is not self.summary.code:
            scope = scope.parent
        if scope is not None:
            names = needed(value.code, self.summary.captured)
            captured |= {slot: self.returned(part) for slot, part in self.summary.captured if slot[1] in names}
            around = needed(value.code, tuple(self.captured.items()))
            captured |= {slot: part for slot, part in self.captured.items() if slot[1] in around | value.code.reads}
        defaults = tuple((name, self.returned(part)) for name, part in value.defaults)
        kept = tuple((slot, _shallow(part, NESTING)) for slot, part in captured.items())
        return replace(value, defaults=defaults, captured=kept)

    def _term(self, term: Term) -> Term:
        return as_term(self.flow, self.value(term))

    def _replace(self, term: Term) -> Value:
        terms, knowledge = self.flow.terms, self.flow.knowledge
        parts = terms.parts[term]
        operation, data, args = parts[0], parts[1], parts[2:]
        if operation == "const":
            return Const(data)
        if operation == "param":
            code, name = data
            if code is not self.summary.code:
                return term
            value = self.binding.get(name)
            return self.flow.terms.fresh() if value is None else value
        if operation == "free":
            if data in self.captured:
                return self.captured[data]
            scope, name = data
            written = self.flow.env.get((term, presence.VARIABLE, 0))
            if written is not None:
                return cast(Value, written)
            if scope is self.flow.code:
                held = self.flow.env.get(name)
                return term if held is None else cast(Value, held)
            return term
        if operation in ("fresh", "copy"):
            return self._object(term)
        if operation == "attr":
            owner = self.value(args[0])
            return self.flow.attribute(owner, data[0])
        if operation == "item":
            owner, index = self.value(args[0]), self.value(args[1])
            found = named.item(self.flow, owner, index)
            made = get_item(self.flow, owner, index) if found is None else found
            if term in knowledge.filled and isinstance(made, Term):
                knowledge.fill(made, true=knowledge.filled[term])
            return made
        inner: Hashable = (self.number, data)
        if operation == "seed":
            made = knowledge.seed(data[0], inner, self._term(args[0]))
            if term in self.flow.file.made_at:
                self.flow.file.made_at[made] = self.flow.file.made_at[term]
            return made
        if operation == "split":
            count = self.value(args[1])
            axes = len(count.items) if isinstance(count, Sequence) else 1
            return self._each(args[0], lambda key: knowledge.split(inner, key, as_term(self.flow, count), axes))
        if operation == "fold_in":
            datum = self._term(args[1])
            return self._each(args[0], lambda key: self._folded(key, datum))
        if operation == "clone":
            return self._each(args[0], lambda key: knowledge.clone(inner, key))
        return self._rearranged(operation, data, args)

    def _folded(self, key: Term, datum: Term) -> Term:
        child = self.flow.knowledge.fold_in(key, datum)
        self.flow.events.folded.setdefault(child, self.number)
        return child

    def _object(self, term: Term) -> Term:
        """Return an object that the callee makes: a new one for each call."""
        classes = self.flow.file.classes
        operation, data, *args = self.flow.terms.parts[term]
        kind = data[0] if operation == "fresh" else ""
        made = self.flow.make(operation, (kind, (self.number, data)), *map(self._term, args))
        if term in classes:
            classes[made] = classes[term]
        if term in self.flow.file.rated:
            self.flow.file.rated.add(made)
            if (layer := self.flow.file.made.get(term)) is not None:
                self.flow.file.made[made] = layer._replace(kept=())
        if term in self.flow.knowledge.filled:
            self.flow.knowledge.fill(made, true=self.flow.knowledge.filled[term])
        return made

    def _view(self, name: str, array: Term) -> Term:
        rank = self.flow.knowledge.rank(array)
        return self.flow.knowledge.view(name, array, 1 if rank == 0 and name == COPIES else rank)

    def _rearranged(self, operation: str, data: Any, args: tuple[Term, ...]) -> Value:
        terms, knowledge = self.flow.terms, self.flow.knowledge
        if operation == "slice":
            lower, upper = data
            return self._each(args[0], lambda array: knowledge.slice(array, lower, upper))
        if operation == "list":
            return self._list(args[0], is_open=data[1])
        if operation == "lane":
            return self._each(args[0], knowledge.lane)
        if operation == "batch":
            return self._each(args[0], knowledge.batch)
        if operation == "view":
            return self._each(args[0], lambda array: self._view(str(data), array))
        if operation == "op":
            if presence.is_got(data, args) and not data[1]:
                given = presence.got(self.flow, self.value(args[1]), self.value(args[0]))
                if given is not None:
                    return given
            values = [self.value(arg) for arg in args]
            if data == "len" and isinstance(values[0], Sequence) and not values[0].open:
                return Const(len(values[0].items))
            if isinstance(data, tuple) and data[0] == CHOICE:
                arms = [(self.path(path), value) for path, value in zip(data[1:], values, strict=True)]
                return choose(self.flow, [(path, value) for path, value in arms if path is not None])
            if (number := operators.converted(data, values)) is not None:
                return number
            operands = tuple(operand_term(self.flow, value) for value in values)
            length = dimension(self.flow, data, operands)
            return terms.make(operation, data, *operands) if length is None else length
        return terms.make(operation, data, *(self._term(arg) for arg in args))

    def _list(self, elements: Term, *, is_open: bool) -> Value:
        """Return a list that the callee makes of the elements of an array or container."""
        array = self.value(elements)
        if isinstance(array, Sequence):
            return replace(array, kind="list", open=array.open or is_open)
        listed = self.flow.knowledge.listed
        return map_choice(
            self.flow, array, lambda part: listed(part, is_open=is_open) if isinstance(part, Term) else part
        )

    def _each(self, term: Term, function: Callable[[Term], Value]) -> Value:
        return map_leaves(self.value(term), function)

    def path(self, path: PathCondition) -> PathCondition | None:
        """Return a condition of the callee as one of the caller; ``None`` if the arguments rule it out."""
        if path not in self._paths:
            self._paths[path] = self._path(path)
        return self._paths[path]

    def _path(self, path: PathCondition) -> PathCondition | None:
        result: PathCondition | None = ALWAYS
        for mask, wanted in ((path[0], 0), (path[1], 1)):
            while mask and result is not None:
                lowest = mask & -mask
                mask ^= lowest
                outcome = self._outcome(lowest)[wanted]
                result = None if outcome is None else both(result, outcome)
        return result

    def _outcome(self, bit: int) -> Outcomes:
        found = self._conditions.get(bit)
        if found is None:
            self.flow.taken += 1
            test = self.flow.decisions.tests[bit.bit_length() - 1]
            parts, known = self.flow.decisions.parts(test), len(self.flow.decisions.tests)
            found = outcomes(self.flow, self.condition(test)) if parts is None else self._all(parts)
            self._conditions[bit] = found
            if known < len(self.flow.decisions.tests) and self._is_left_out(test):
                self.flow.decisions.leave_out(found[0] or ALWAYS)
            self.flow.decisions.enters(bit, found[0] or ALWAYS)
        return found

    def _is_left_out(self, test: Term) -> bool:
        """Return whether a condition asks if a parameter is ``None``, and the call passes the result of another one."""
        terms = self.flow.terms
        operation, data, *args = terms.parts[test]
        if (operation, data) != ("op", "Is") or terms.operation(args[0]) != "param" or args[1] != terms.const(None):
            return False
        value = self.value(args[0])
        arms = value.arms if isinstance(value, Choice) else ((ALWAYS, value),)
        given = [part for _, part in arms if part != Const(None)]
        return (
            bool(given)
            and all(isinstance(part, Term) and is_unmodelled(terms, part) for part in given)
            and all(
                self.flow.decisions.is_hardly_taken(path, self.flow.path) for path, part in arms if part == Const(None)
            )
        )

    def _all(self, parts: PathCondition) -> Outcomes:
        """Return the outcomes of one decision that stands for all decisions of a path."""
        path = self.path(parts)
        if path is None:
            return None, ALWAYS
        return (path, None) if path == ALWAYS else self.flow.decisions.alternatives(path)

    def condition(self, test: Term) -> Value:
        """Return the caller's value of a condition, a constant if the arguments decide it."""
        terms = self.flow.terms
        operation, data, *args = terms.parts[test]
        if operation == "op" and data in ("hasattr", presence.CACHED) and len(args) == 2:
            owner, name = self.value(args[0]), terms.constant(args[1])
            if isinstance(owner, Term) and isinstance(name, str):
                return presence.attribute(self.flow, owner, name, data)
        if operation == "op" and data == "isinstance" and len(args) == 2:
            known = type_tests.answer(self.flow, self.value(args[0]), args[1])
            if known is not None:
                return known
        if operation == "op" and data == "In" and len(args) == 2:
            known = presence.entry(self.flow, self.value(args[0]), self.value(args[1]))
            if known is not None:
                return known
        if operation == "op" and data in ("Is", "Eq", "Lt", "In") and len(args) == 2:
            return operators.compare(self.flow, data, self._settled(args[0]), self._settled(args[1]))
        if operation == "op" and data in ("and", "or", "not"):
            return Condition(data, tuple(self.condition(arg) for arg in args))
        return self._settled(test)

    def _settled(self, term: Term) -> Value:
        """Return the caller's value of an operand, which the constructor of the caller's object may have settled."""
        return rates.settled(self.flow, self.value(term))


def _settled(
    flow: Flow, summary: Summary, captured: Mapping[tuple[FunctionCode, str], Value]
) -> Mapping[tuple[FunctionCode, str], Value]:
    """Return the captured values; a variable or container that the function itself changes holds anything."""
    changed = set()
    written = [*((term, name) for term, name, *_ in summary.writes), *summary.changes]
    for term, name in written if captured else ():
        source = origin(flow.terms, term)
        is_object = source is not None and isinstance(captured.get(flow.terms.data(source)), Term)
        if name == presence.VARIABLE or not is_object:  # what is written to an object stays there
            changed.add(source)
    slots = {slot for slot in captured if flow.terms.make("free", slot) in changed}
    return {slot: flow.terms.fresh() if slot in slots else value for slot, value in captured.items()}


def _shallow(value: Value, levels: int) -> Value:
    """Return a captured value whose own captured values nest no deeper than ``levels``."""
    if isinstance(value, Function):
        if not value.captured:
            return value
        if levels == 0:
            return replace(value, captured=())
        return replace(value, captured=tuple((slot, _shallow(part, levels - 1)) for slot, part in value.captured))
    if isinstance(value, Bound):
        return Bound(_shallow(value.function, levels), _shallow(value.self, levels))
    if isinstance(value, Mapped):
        return replace(value, function=_shallow(value.function, levels))
    if isinstance(value, Partial):
        keywords = tuple((name, _shallow(part, levels)) for name, part in value.keywords)
        return Partial(_shallow(value.function, levels), tuple(_shallow(part, levels) for part in value.args), keywords)
    if isinstance(value, Sequence):
        return replace(value, items=tuple(_shallow(item, levels) for item in value.items))
    return value
