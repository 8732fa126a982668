"""Presence: values that are made once, on first use.

``if self.noise is None: self.noise = normal(self.key)`` consumes the key in its first call only. So a test of the form
``x is None``, ``hasattr(x, …)``, ``k in x`` or ``x.get(k) is None`` is answered by the writes so far, and the summary
of a function includes its writes to the slots that it tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import cast

from olympus_rules.keyflow.domain.access import as_term, choose, item_name
from olympus_rules.keyflow.domain.outcomes import outcomes
from olympus_rules.keyflow.domain.paths import PathCondition, implies
from olympus_rules.keyflow.domain.state import State
from olympus_rules.keyflow.domain.terms import CHANGED, Term, Terms
from olympus_rules.keyflow.domain.values import Choice, Condition, Const, Map, Value

Slot = tuple[Term, str]
CACHED = "cached"  # the test whether a cached property was computed
ELEMENT = "[*]"  # a write to a dictionary item whose index is a term
GET = ".get"  # the entry of a dictionary, or None
HANDED = "*"  # any attribute or item: an unknown function was given the object, or a name is computed
KEYWORDS = "**"  # the attributes that further keywords of the function name
AGAIN = "* *"  # any of them once more, after a key was read that may have been changed before
VARIABLE = "="  # a write to the variable that a term stands for
ATTRIBUTE_TESTS = ("hasattr", CACHED)


def by_arm(flow: State, value: Choice, question: Callable[[Value], Value]) -> Value:
    """Answer a question for each value of a choice."""
    return choose(flow, answers(flow, value, question))


def answers(flow: State, value: Choice, question: Callable[[Value], Value]) -> list[tuple[PathCondition, Value]]:
    """Answer a question for each value of a choice; the value's own condition may decide the answer."""
    arms: list[tuple[PathCondition, Value]] = []
    for path, part in value.arms:
        answer = question(part)
        holds, fails = outcomes(flow, answer)
        if holds is not None and fails is not None:
            if implies(path, holds):
                answer = Const(True)
            elif implies(path, fails):
                answer = Const(False)
        arms.append((path, answer))
    return arms


def attribute(flow: State, owner: Term, name: str, test: str = "hasattr") -> Value:
    """Return whether an object has an attribute, judged by the writes to it."""
    terms = flow.terms
    generation = flow.generation(owner)
    stored = flow.env.get((owner, name, generation))
    asked = terms.make("op", test, owner, terms.const(name))
    return asked if stored is None else _there(flow, stored, terms.make("attr", (name, generation), owner), asked)


def entry(flow: State, index: Value, container: Value) -> Value | None:
    """Return whether an index is in a dictionary, judged by the writes to it; ``None`` for any other container."""
    terms = flow.terms
    if isinstance(container, Map) and isinstance(index, Const):
        known = any(name == index.value for name, _ in container.items)
        return Const(known) if known or not container.open else None
    if not isinstance(container, Term):
        return None
    generation = flow.generation(container)
    slot = as_term(flow, index)
    stored = flow.env.get((container, slot, generation))
    asked = terms.make("op", "In", slot, changed(terms, container, generation))
    return asked if stored is None else _there(flow, stored, terms.make("item", None, container, slot), asked)


def got(flow: State, index: Value, container: Value) -> Value | None:
    """Return the result of a dictionary's ``get``, judged by the writes to it; ``None`` for any other container."""
    if isinstance(container, Map) and isinstance(index, Const):
        found = dict(container.items).get(index.value)
        return Const(None) if found is None and not container.open else found
    if not isinstance(container, Term):
        return None
    generation = flow.generation(container)
    slot = as_term(flow, index)
    stored = flow.env.get((container, slot, generation))
    asked = flow.terms.make("op", (GET, generation), container, slot)
    if not isinstance(stored, Choice):
        return asked if stored is None else cast(Value, stored)
    unwritten = flow.knowledge.item(container, slot)
    return choose(flow, [(path, asked if part == unwritten else part) for path, part in stored.arms])


def is_got(data: object, args: Sequence[Term]) -> bool:
    """Return whether an operation is a dictionary's ``get``, judged by its data and arguments."""
    return isinstance(data, tuple) and data[0] == GET and len(data) == len(args) == 2


def is_asked(flow: State, slot: Term, container: Term) -> bool:
    """Return whether a decision depends on the entry of a dictionary in this slot."""
    terms, generation = flow.terms, flow.generation(container)
    given = terms.make("op", (GET, generation), container, slot)
    tests = terms.make("op", "In", slot, changed(terms, container, generation)), given, _is_none(terms, given)
    return not flow.events.asked.isdisjoint(tests)


def filled(flow: State, slot: Term, container: Term, value: Value) -> None:
    """Record that a value written to a dictionary is present from then on; it is true if its truth was tested."""
    if isinstance(value, Term) and is_asked(flow, slot, container):
        generation = flow.generation(container)
        flow.knowledge.fill(value, true=flow.terms.make("op", (GET, generation), container, slot) in flow.events.asked)


def _is_none(terms: Terms, value: Term) -> Term:
    return terms.make("op", "Is", value, terms.const(None))


def changed(terms: Terms, container: Term, generation: int) -> Term:
    """Return the term of a container after a number of unknown changes."""
    return terms.make("op", (CHANGED, generation), container) if generation else container


def _there(flow: State, stored: Value, unwritten: Term, asked: Term) -> Value:
    """Answer by the stored value; on a path where it is still the initial value, it may be missing."""
    if isinstance(stored, Choice):
        return by_arm(flow, stored, lambda part: asked if part == unwritten else Const(True))
    return asked if stored == unwritten else Const(True)


def is_sure(flow: State, path: PathCondition, index: Value, container: Value) -> bool:
    """Return whether a conditional write leaves an item surely present, because otherwise it was there before."""
    asked, given = entry(flow, index, container), got(flow, index, container)
    tests: list[Value] = [] if asked is None else [asked]
    if isinstance(given, Term):
        tests += [Condition("not", (_is_none(flow.terms, given),)), given]
    otherwise = flow.decisions.alternatives(path)[1]
    found = [outcomes(flow, test)[0] for test in tests]
    return not tests or any(holds is not None and implies(otherwise, holds) for holds in found)


def slots(terms: Terms, tests: Iterable[Term]) -> set[Slot]:
    """Return the attributes, items and variables that tests depend on, as (object, name)."""
    found: set[Slot] = set()
    for test in tests:
        operation, data, *args = terms.parts[test]
        if operation == "op" and data == "Is" and terms.parts[args[1]] == ("const", None):
            operation, data, *args = terms.parts[subject := args[0]]
        else:
            subject = test
        if operation == "attr":
            found.add((args[0], data[0]))
        elif operation == "free":
            found.add((subject, VARIABLE))
        elif operation == "op" and data in ATTRIBUTE_TESTS:
            found.add((args[0], str(terms.constant(args[1]))))
        elif operation == "op" and (data == "In" or is_got(data, args)):
            place, container = args if data == "In" else reversed(args)
            index = terms.constant(place)
            found.add((container, item_name(index) if isinstance(index, str | int) else ELEMENT))
    return found
