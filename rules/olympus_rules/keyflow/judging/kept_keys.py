"""Keys that a function consumes and leaves in an object, where another function, or its next call, consumes them again.

The object is a record that the function returns, or one that a caller sees: its own object, or a parameter. No caller
need be in sight: a function of the file consumes the attribute that keeps the key.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from olympus_rules.code.instructions import ClassCode
from olympus_rules.code.names import dotted_name
from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain import presence
from olympus_rules.keyflow.domain.access import leaves
from olympus_rules.keyflow.domain.classes import class_of
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.domain.knowledge import is_key_name
from olympus_rules.keyflow.domain.ledger import Certainty, Consumption
from olympus_rules.keyflow.domain.paths import ALWAYS, PathCondition, bit_numbers, both, implies
from olympus_rules.keyflow.domain.run import Run
from olympus_rules.keyflow.domain.summary import Summary
from olympus_rules.keyflow.domain.terms import Term, Terms
from olympus_rules.keyflow.domain.values import Choice, Map, Sequence, Value
from olympus_rules.keyflow.facts import Fact, Place
from olympus_rules.keyflow.judging.reuse import effect
from olympus_rules.keyflow.notes.pending import spelled

PEEKS = r"\bread-only\b|\b(?:not|without) (?:advanc|chang|consum|modify|renew|split|updat)"
"""What a docstring says of a function that is to see the numbers of the next step."""
MADE = frozenset({"item", "slice", "split", "fold_in", "clone", "view", "list"})
"""What is done to a key, or to the keys that are made from it, to make a key."""


@dataclass(frozen=True, slots=True)
class _Field:
    """An attribute of the objects of a class.

    Attributes:
        class_: the class; ``None`` if it is not known.
        name: the name.
        is_copied: whether a new object gets the key from that attribute of another one, which looks intended.
        is_renewed: whether the function that consumes the key puts another one there.
        is_read: whether the function that leaves the key there only reads it, so that another one has to renew it.
    """

    class_: ClassCode | None
    name: str
    is_copied: bool = False
    is_renewed: bool = False
    is_read: bool = False


_Takers: TypeAlias = "dict[str, list[tuple[_Field, Run, Consumption]]]"


def kept_keys(file: File, known: Iterable[Fact]) -> Iterator[Fact]:
    """Return the consumptions of keys that are left in objects for another consumption.

    Args:
        file: the tables of the file.
        known: the facts about its reuses so far; a function that one of them names is told already.
    """
    reuses = [each for each in known if isinstance(each, facts.DerivationCollision | facts.Reuse)]
    reuses = [each for each in reuses if each.confidence >= Confidence.LIKELY]
    told = {place.what for each in reuses for place in (each.first, each.again) if place is not None}
    keys = {each.identity for each in reuses if isinstance(each, facts.Reuse)}
    takers: _Takers = defaultdict(list)
    once: _Takers = defaultdict(list)
    general = [(run, file.summaries[task]) for task, run in file.runs.items() if not task[1]]
    general = [(run, summary) for run, summary in general if run.code.kind != "cached_property"]
    set_up = _setting_up(run for run, _ in general)
    called = {use.what for run, _ in general for use in run.ledger.consumptions}
    for run, summary in general:
        for use in run.ledger.consumptions:
            taken = _field_of(file, run, use.term) if _uses_up(use) and run.code.name not in set_up else None
            if taken is not None:
                taken = replace(taken, is_renewed=_is_renewed(run, summary, use.term, taken.name))
                (once if _is_made_once(run, use) else takers)[taken.name].append((taken, run, use))
    for run, summary in general if takers or once else ():
        yield from _shared(file, run, summary, [takers, once])
        if run.code.name not in told:
            kept = [*_kept(file, run, summary)]
            kept += _read(file, run, summary) if run.code.name not in called else ()
            yield from (fact for fact in _of_function(file, run, kept, takers) if fact.identity not in keys)


def _shared(file: File, run: Run, summary: Summary, tables: list[_Takers]) -> Iterator[facts.Reuse]:
    """Return the keys that two new objects of different classes keep, from which a method of each draws later."""
    kept: dict[Term, tuple[ClassCode, ast.Call, PathCondition, Run, Consumption]] = {}
    for owner, name, value, _ in summary.writes:
        class_ = file.classes.get(owner)
        if owner not in run.events.constructed or class_ is None or not isinstance(value, Term):
            continue
        node, path = run.events.constructed[owner]
        field = _Field(class_, name)
        drawn = [
            (taker, use)
            for table in tables
            for taken, taker, use in table.get(name, ())
            if taken.class_ is not None and _is_one(file, field, taken) and use.certainty == Certainty.KNOWN
        ]
        if not drawn:
            continue
        taker, use = drawn[0]
        other = kept.setdefault(value, (class_, node, path, taker, use))
        if other[0] is class_ or not implies(path, other[2]):
            continue
        first, again = _given(other[1], node), _given(node, other[1])
        yield facts.Reuse(
            node=node,
            confidence=Confidence.LIKELY,
            key=spelled(again) if again is not None else "",
            kind=run.knowledge.kind(value),
            first=Place(other[1], other[3].code.name, first),
            again=Place(node, taker.code.name, again),
            effect=effect(other[4], use),
            identity=(run.code, value),
        )


def _given(call: ast.Call, other: ast.Call) -> ast.expr | None:
    """Return the argument of a call that is called a key, and that another call gets as well."""
    arguments, others = ([*each.args, *(keyword.value for keyword in each.keywords)] for each in (call, other))
    texts = {ast.unparse(each) for each in others}
    keys = (each for each in arguments if is_key_name(dotted_name(each).rpartition(".")[2]))
    return next((each for each in keys if ast.unparse(each) in texts), None)


def _uses_up(use: Consumption) -> bool:
    """Return whether a consumption uses a key up; an object that is made with a key keeps it itself."""
    return use.certainty >= Certainty.UNKNOWN and use.draw != "fold" and not use.what.endswith(".__init__")


def _is_made_once(run: Run, use: Consumption) -> bool:
    """Return whether the result is kept when it is first asked for, so that the key is not consumed again."""
    tests = [run.decisions.tests[number] for mask in use.path for number in bit_numbers(mask)]
    written = {(term, name) for term, name, _, _ in run.events.writes}
    return bool(tests) and not presence.slots(run.terms, tests).isdisjoint(written)


def _setting_up(runs: Iterable[Run]) -> set[str]:
    """Return the names of the constructors, and of the methods that only they call: no key was kept before they run."""
    callers: dict[str, set[bool]] = defaultdict(set)
    for run in runs:
        is_constructor = run.code.name.endswith("__init__")
        callers[run.code.name] |= {True} if is_constructor else set()
        for use in run.ledger.consumptions:
            callers[use.what].add(is_constructor)
    return {name for name, called in callers.items() if called == {True}}


def _is_test(run: Run) -> bool:
    """Return whether a function is a test: a runner makes an object of its own for each."""
    return run.code.name.rpartition(".")[2].startswith("test")


def _field_of(file: File, run: Run, term: Term) -> _Field | None:
    """Return the attribute of a parameter that a term is, as the parameter is on entry."""
    terms = run.terms
    if terms.operation(term) != "attr" or terms.data(term)[1]:
        return None
    owner = terms.args(term)[0]
    if terms.operation(owner) != "param" or terms.data(owner)[0] is not run.code:
        return None
    return _Field(class_of(file, owner), terms.data(term)[0])


def _is_renewed(run: Run, summary: Summary, key: Term, name: str) -> bool:
    """Return whether a function that consumes the key of an attribute puts another one there."""
    written = [value for _, each, value, _ in summary.writes if each == name]
    return bool(written) and not any(leaf == key for value in written for leaf in leaves(value))


def _is_made_from(terms: Terms, term: Term, key: Term) -> bool:
    """Return whether a term is a key, or made from it."""
    while term != key and terms.operation(term) in MADE:
        term = terms.args(term)[0]
    return term == key


def _read(file: File, run: Run, summary: Summary) -> Iterator[tuple[Consumption, _Field]]:
    """Yield the consumptions of keys in a state that a public function only reads: its result is no state and no key.

    The state is of a class that is known, and is not bound to another one. Nothing in the file calls the function: a
    caller may hand it a state with a key for it alone.
    """
    terms, name = run.terms, run.code.name.rpartition(".")[2]
    is_private = name.startswith("_") and not name.startswith("__")
    if summary.writes or is_private or not isinstance(run.code.node, ast.FunctionDef):
        return
    if re.search(PEEKS, ast.get_docstring(run.code.node) or ""):
        return
    returned = [leaf for _, value in run.events.returns for leaf in leaves(value)]
    for use in run.ledger.consumptions:
        field = _field_of(file, run, use.term) if _uses_up(use) else None
        if field is None or field.class_ is None or not is_key_name(field.name) or _is_made_once(run, use):
            continue
        owner = terms.args(use.term)[0]
        parameter = terms.data(owner)[1]
        if parameter not in run.code.bound_once or (run.code.kind == "method" and parameter == run.code.parameters[0]):
            continue
        is_handed = any(_is_made_from(terms, leaf, use.term) or _is_copy(terms, leaf, owner) for leaf in returned)
        if not is_handed and owner not in run.events.forgotten:
            yield use, replace(field, is_read=True)


def _is_copy(terms: Terms, term: Term, owner: Term) -> bool:
    """Return whether a term is an object, or a changed copy of it."""
    while term != owner and terms.operation(term) == "copy":
        term = terms.args(term)[0]
    return term == owner


def _of_function(
    file: File, run: Run, kept: list[tuple[Consumption, _Field]], takers: _Takers
) -> Iterator[facts.Reuse]:
    told: set[Term] = set()
    for use, field in kept:
        if use.term in told or not run.knowledge.is_known(use.term):
            continue
        found = [
            (taker, again)
            for taken, taker, again in takers.get(field.name, ())
            if _is_one(file, field, taken)
            and (not field.is_read or (taken.is_renewed and taken.class_ is not None))
            and Certainty.KNOWN in (use.certainty, again.certainty)
            and not (_is_test(run) and _is_test(taker))
        ]
        if not found:
            continue
        told.add(use.term)
        taker, again = min(found, key=lambda pair: (pair[0] is run, getattr(pair[1].node, "lineno", 0)))
        yield facts.Reuse(
            node=use.node,
            confidence=Confidence.POSSIBLE if field.is_copied else Confidence.LIKELY,
            key=_spelled(run, use),
            kind=run.knowledge.kind(use.term),
            first=Place(again.node, again.what, again.key),
            again=Place(use.node, use.what, use.key),
            effect=effect(again, use),
            kept=f"{field.class_.name}.{field.name}" if field.class_ is not None else field.name,
            taker=taker.code.name,
            identity=(run.code, use.term),
        )


def _spelled(run: Run, use: Consumption) -> str:
    terms = run.terms
    if use.key is None and terms.operation(use.term) == "attr":  # the call gets the object
        return f"{terms.data(terms.args(use.term)[0])[1]}.{terms.data(use.term)[0]}"
    return spelled(use.key) if use.key is not None else ""


def _kept(file: File, run: Run, summary: Summary) -> Iterator[tuple[Consumption, _Field]]:
    """Yield the consumptions of keys that are in an object afterwards, with the attribute that keeps them."""
    uses: dict[Term, list[Consumption]] = defaultdict(list)
    for use in run.ledger.consumptions:
        if use.key is not None and _uses_up(use):
            uses[use.term].append(use)
    objects = _Objects(run, summary)
    for owner, name, path, key in objects.attributes({_name_of(run.terms, term) for term in uses} - {""}):
        for use in uses.get(key, ()):
            if both(use.path, path) is not None and not _is_made_once(run, use):
                is_copied = run.terms.operation(owner) == "fresh" and _name_of(run.terms, key) == name
                classes = (class_of(file, each) for each in objects.originals(owner))
                yield use, _Field(next(filter(None, classes), None), name, is_copied)


def _name_of(terms: Terms, term: Term) -> str:
    """Return the name of the attribute that a term is, if it is named like a key; empty for any other term."""
    is_attribute = terms.operation(term) == "attr" and not terms.data(term)[1]
    return terms.data(term)[0] if is_attribute and is_key_name(terms.data(term)[0]) else ""


class _Objects:
    """The objects that a caller sees after a call, with their attributes."""

    def __init__(self, run: Run, summary: Summary) -> None:
        self.run = run
        self.terms = run.terms
        self.written = {(owner, name): (value, path) for owner, name, value, path in summary.writes}
        self.seen: dict[Term, PathCondition] = {}
        for path, leaf in _parts(summary.returns, ALWAYS):
            self.seen.setdefault(leaf, path)
        for owner, _ in self.written:
            if self.terms.operation(owner) in ("param", "free"):
                self.seen.setdefault(owner, ALWAYS)

    def attributes(self, unwritten: set[str]) -> Iterator[tuple[Term, str, PathCondition, Term]]:
        """Yield the attributes of the objects: the object, the name, the condition, and the term that is there.

        Args:
            unwritten: the names of attributes that count even if nothing is written to them.
        """
        waiting = list(self.seen.items())
        while waiting:
            owner, path = waiting.pop()
            history = list(self.originals(owner))
            names = {name for each, name in self.written if each in history}
            for name in sorted(names | unwritten):
                for condition, term in self._values(history, name, path):
                    yield owner, name, condition, term
                    if term not in self.seen and name in names:
                        self.seen[term] = condition
                        waiting.append((term, condition))

    def originals(self, owner: Term) -> Iterator[Term]:
        """Yield an object and those that it is a changed copy of, the latest first."""
        yield owner
        while self.terms.operation(owner) == "copy":
            owner = self.terms.args(owner)[0]
            yield owner

    def _values(self, history: list[Term], name: str, path: PathCondition) -> Iterator[tuple[PathCondition, Term]]:
        """Yield what an attribute of an object holds, by the object's history."""
        for each in history:
            if (each, name) in self.written:
                value, condition = self.written[each, name]
                joined = both(path, condition)
                yield from _parts(value, joined) if joined is not None else ()
                return
        oldest = history[-1]
        if self.terms.operation(oldest) == "param" and oldest not in self.run.events.forgotten:
            yield path, self.terms.make("attr", (name, 0), oldest)


def _parts(value: Value, path: PathCondition) -> Iterator[tuple[PathCondition, Term]]:
    """Yield the terms in a value, each with the condition under which it is there."""
    if isinstance(value, Choice):
        for condition, part in value.arms:
            joined = both(path, condition)
            if joined is not None:
                yield from _parts(part, joined)
    elif isinstance(value, Sequence):
        for item in value.items:
            yield from _parts(item, path)
    elif isinstance(value, Map):
        for _, item in value.items:
            yield from _parts(item, path)
    else:
        yield from ((path, leaf) for leaf in leaves(value))


def _is_one(file: File, kept: _Field, taken: _Field) -> bool:
    """Return whether the attribute that keeps a key is the one that another function reads."""
    if kept.class_ is None or taken.class_ is None:
        holding = [
            each
            for each in file.module.definitions.values()
            if isinstance(each, ClassCode) and kept.name in file.linker.hierarchy.fields(each)
        ]
        known = kept.class_ or taken.class_
        return is_key_name(kept.name) and (known is None or holding == [known])
    hierarchy = file.linker.hierarchy
    return kept.class_ in hierarchy.ancestry(taken.class_) or taken.class_ in hierarchy.ancestry(kept.class_)
