"""Summaries: what a call of a function does, computed once and applied at each call.

A summary is the function's key signature together with the terms behind it: what it consumes and returns, in
terms of its parameters and of the variables of enclosing scopes. A call puts the arguments in their place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from olympus.signature import Forward, KeySignature, Sink, Source
from olympus_rules.code.instructions import FunctionCode
from olympus_rules.keyflow.domain import presence
from olympus_rules.keyflow.domain.access import is_large, item_index, leaves, map_leaves
from olympus_rules.keyflow.domain.knowledge import is_key_name
from olympus_rules.keyflow.domain.ledger import Certainty, Consumption
from olympus_rules.keyflow.domain.paths import ALWAYS, PathCondition
from olympus_rules.keyflow.domain.terms import Term, Terms
from olympus_rules.keyflow.domain.values import Bound, Choice, Const, Function, Map, Mapped, Partial, Sequence, Value
from olympus_rules.keyflow.interpret import lanes

if TYPE_CHECKING:
    from olympus_rules.keyflow.interpret.interpreter import Interpreter

__all__ = ["Summary", "needed", "origin", "owners", "summarise", "way_in"]

Captured = tuple[tuple[FunctionCode, str], Value]
Write = tuple[Term, str, Value, PathCondition]
Change = tuple[Term, str | None]
MAX_USES = 40  # consumptions kept of one function; callers need to know that a key is used up, not how often
MAX_CHANGES = 40  # objects kept of one function that it changes; of the others their parameter counts as changed
MAX_NESTED_CHANGE = 4  # parts of parts that a change is told of; of a deeper one the object around it
MAX_HISTORY = 400  # operations behind what a function returns or writes, about a hundred splits in a row


@dataclass(frozen=True, slots=True)
class Summary:
    """What a caller has to know of a function.

    Attributes:
        code: the function.
        uses: its consumptions of what came from outside, and of what it returns.
        returns: what it returns, under which conditions.
        writes: the attributes and items it writes to objects from outside and to those that it returns: (object, name,
            value, condition).
        changes: other attributes and items that it writes: (object, name), without a name where it may be any of them;
            what they hold is not known afterwards.
        captured: what its variables hold that the functions read which it returns, by (scope, name).
        draws: what it draws from keys from outside, through splits as well.
    """

    code: FunctionCode
    uses: tuple[Consumption, ...]
    returns: Value
    writes: tuple[Write, ...]
    captured: tuple[Captured, ...] = ()
    changes: tuple[Change, ...] = ()
    draws: tuple[lanes.Draw, ...] = ()

    def signature(self, terms: Terms) -> KeySignature:
        """Return the key signature, the part of a summary that has a public form."""
        sinks = {
            path: Sink(path, conditional=use.path != ALWAYS)
            for use in self.uses
            if (path := _input_path(terms, use.term)) is not None
        }
        sources: list[Source] = []
        forwards: list[Forward] = []
        for output, term in _outputs(self.returns):
            path = _input_path(terms, term)
            operation = terms.operation(term)
            if path is not None and terms.operation(terms.root(term)) == "param" and operation != "fold_in":
                forwards.append(Forward(output, path))
            elif operation in ("split", "fold_in", "clone", "item"):
                base = terms.root_array(term)
                via = terms.operation(base)
                if via in ("split", "fold_in", "clone"):
                    parent = _input_path(terms, terms.args(base)[0])
                    sources.append(Source(output + ("[*]" if term == base and via == "split" else ""), parent, via))
            elif operation == "seed":
                sources.append(Source(output, None, "seed"))
        return KeySignature(self.code.parameters, tuple(sinks.values()), tuple(sources), tuple(forwards))


def _outputs(value: Value, path: str = "") -> list[tuple[str, Term]]:
    if isinstance(value, Sequence):
        return [found for i, item in enumerate(value.items) for found in _outputs(item, f"{path}[{i}]")]
    if isinstance(value, Map):
        return [found for key, item in value.items for found in _outputs(item, f"{path}[{key!r}]")]
    if isinstance(value, Choice):
        return list(dict.fromkeys(found for _, item in value.arms for found in _outputs(item, path)))
    return [(path, value)] if type(value) is int else []


def _input_path(terms: Terms, term: Term) -> str | None:
    """Return ``state.key``, ``keys[0]`` for a term that is a part of a parameter."""
    operation, data = terms.operation(term), terms.data(term)
    if operation == "param":
        return str(data[1])
    if operation not in ("attr", "item"):
        return None
    base = _input_path(terms, terms.args(term)[0])
    if base is None:
        return None
    if operation == "attr":
        return f"{base}.{data[0]}"
    index = terms.args(term)[1]
    if terms.operation(index) != "const":
        return None
    value = terms.constant(index)
    return f'{base}["{value}"]' if isinstance(value, str) else f"{base}[{value!r}]"


def summarise(flow: Interpreter) -> Summary:
    """Return the summary of a function that was run."""
    terms = flow.terms
    returns = _bounded(flow, flow.returned())
    writes, handed_out = _lasting(flow, returns)
    uses: dict[tuple[Term, str, int | None, object], Consumption] = {}
    for use in flow.ledger.consumptions:
        if use.certainty != Certainty.KNOWN and terms.operation(use.term) == "op":
            continue
        outside = origin(terms, use.term)
        if (
            outside is not None
            and terms.operation(outside) == "free"
            and terms.data(outside)[1] in flow.code.outer_names
        ):
            continue  # it binds the variable anew, so that each call has another key
        if outside is None and handed_out.isdisjoint(_made_from(terms, use.term)):
            continue
        slot = (use.term, use.draw, use.count, use.path if use.path != ALWAYS else None)
        if slot not in uses and len(uses) < MAX_USES:
            uses[slot] = use
    functions = [f for value in (returns, *(value for _, _, value, _ in writes)) for f in functions_in(value)]
    captured = _captured(flow, functions)
    return Summary(flow.code, tuple(uses.values()), returns, writes, captured, _changes(flow), lanes.kept(flow))


def _changes(flow: Interpreter) -> tuple[Change, ...]:
    """Return the attributes of objects from outside that are written with what tells nothing of keys, as counters.

    Objects that something unknown may have changed come first; those of a known class keep to their methods.
    """
    if flow.code.name.endswith("__init__"):
        return ()
    found: dict[Change, None] = {_near(flow.terms, term, None): None for term in flow.forgotten if _is_open(flow, term)}
    asked = presence.slots(flow.terms, flow.asked)
    for term, name, value, _ in flow.writes:
        if name == presence.ELEMENT or (term, name) in asked or origin(flow.terms, term) is None:
            continue
        if name == presence.VARIABLE or not _tells(flow, name, value):
            found[_near(flow.terms, term, name)] = None
    if len(found) <= MAX_CHANGES:
        return tuple(found)
    outside = (origin(flow.terms, term) for term, _ in found)
    return tuple(dict.fromkeys((term, None) for term in outside if term is not None))


def _near(terms: Terms, term: Term, name: str | None) -> Change:
    """Return a change, as one of the object around it where it is far inside: functions in a circle nest forever."""
    around = list(_made_from(terms, term))
    inside = len(around) - 1 - MAX_NESTED_CHANGE
    return (term, name) if inside <= 0 else (around[inside], None)


def _lasting(flow: Interpreter, returns: Value) -> tuple[tuple[Write, ...], set[Term]]:
    """Return the writes that a caller can see, and all the terms that it is handed."""
    handed_out = set(_with_originals(flow.terms, leaves(returns)))
    writes: dict[tuple[Term, str, PathCondition], Write] = {}
    for number, (term, name, value, path) in enumerate(flow.writes):
        path = path[0] & ~flow.returning[0], path[1] & ~flow.returning[1]
        writes.pop((term, name, path), None)  # the later one holds, in its place
        if number >= flow.forgotten.get(term, 0) or not _is_open(flow, term):
            writes[term, name, path] = (term, name, value, path)
    terms, asked = flow.terms, presence.slots(flow.terms, flow.asked)
    kept: dict[int, Write] = {}
    before = -1
    while len(kept) != before:
        before = len(kept)
        for number, (term, name, value, path) in enumerate(writes.values()):
            if number in kept or not (
                (term, name) in asked
                or name == presence.ELEMENT
                or terms.operation(term) == "copy"  # which otherwise seems to have what the original has
                or (name != presence.VARIABLE and _tells(flow, name, value))
            ):
                continue
            if term in handed_out or origin(terms, term) is not None:
                kept[number] = (term, name, _bounded(flow, value), path)
                handed_out.update(_with_originals(terms, leaves(value)))
    return tuple(write for _, write in sorted(kept.items())), handed_out


def _with_originals(terms: Terms, handed: list[Term]) -> Iterator[Term]:
    """Return terms, and what they are made of: a copy has what nobody changed in it from the object that it copies,
    and a batch of objects has what a map made in one lane.
    """
    for term in handed:
        yield term
        while terms.operation(term) in ("copy", "batch"):
            term = terms.args(term)[0]
            yield term


def _is_open(flow: Interpreter, term: Term) -> bool:
    """Say whether a call of what is not known may change an object from outside: not where its class is known."""
    outside = origin(flow.terms, term)
    if outside is None or term in flow.handed:
        return outside is not None
    if term in flow.analysis.classes:
        return False
    scope, name = flow.terms.data(outside)
    is_receiver = scope.owner is not None and scope.parameters[:1] == (name,)
    return not (is_receiver and outside == term)


def _tells(flow: Interpreter, name: str, value: Value) -> bool:
    """Say whether it can matter to keys that this is written to an attribute; otherwise it is as good as unknown."""
    index = item_index(name)
    if not isinstance(value, int | Const) or is_key_name(name if index is None else str(index)):
        return True
    if isinstance(value, Const):
        return False
    parts = (value, *flow.terms.ancestors(value))
    if flow.terms.operation(value) == "param" or value in flow.analysis.classes:
        return True
    return value in flow.analysis.generators or any(flow.knowledge.is_candidate(part) for part in parts)


def functions_in(value: Value) -> Iterator[Function]:
    """Return the functions in a value."""
    if isinstance(value, Function):
        yield value
    elif isinstance(value, Bound | Mapped | Partial):
        yield from functions_in(value.function)
    elif isinstance(value, Sequence):
        for item in value.items:
            yield from functions_in(item)
    elif isinstance(value, Map | Choice):
        for _, item in value.items if isinstance(value, Map) else value.arms:
            yield from functions_in(item)


def _captured(flow: Interpreter, functions: list[Function]) -> tuple[Captured, ...]:
    """Return what the variables hold that functions defined in this one read, and that functions in these read."""
    own = [function for function in functions if function.code.parent is flow.code]
    held: dict[str, Value] = {}
    waiting = [name for function in own for name in function.code.reads]
    while waiting:
        name = waiting.pop()
        value = flow.env.get(name) if name in flow.code.local_names and name not in held else None
        if value is not None:
            held[name] = value
            waiting += (read for function in functions_in(value) for read in function.code.reads)
    return tuple(((flow.code, name), held[name]) for name in sorted(held))


def needed(code: FunctionCode, captured: tuple[Captured, ...]) -> set[str]:
    """Return the names of captured variables that a function reads, itself or through what they hold."""
    found: set[str] = set()
    waiting = list(code.reads)
    values = {name: value for (_, name), value in captured}
    while waiting:
        name = waiting.pop()
        if name in values and name not in found:
            found.add(name)
            waiting += (read for function in functions_in(values[name]) for read in function.code.reads)
    return found


def _bounded(flow: Interpreter, value: Value) -> Value:
    """Return a value with terms unlike anything else for what is too much to follow through every call."""
    terms = flow.terms
    if is_large(value, MAX_HISTORY):
        return terms.fresh()
    return map_leaves(value, lambda term: term if terms.size(term) <= MAX_HISTORY else terms.fresh())


SAME_EACH_TIME = frozenset({"attr", "item", "slice", "lane", "batch", "view", "unwrap", "fold_in"})


def _made_from(terms: Terms, term: Term) -> Iterator[Term]:
    """Return the term and what it is a part of or always derived from in one way, nearest first."""
    yield term
    while terms.operation(term) in SAME_EACH_TIME:
        term = terms.args(term)[0]
        yield term


def owners(terms: Terms, term: Term) -> set[Term]:
    """Return the objects of whose attributes a term is a part, or always derived from in one way."""
    return {terms.args(part)[0] for part in _made_from(terms, term) if terms.operation(part) == "attr"}


def origin(terms: Terms, term: Term) -> Term | None:
    """Return the parameter or outer variable that a term is a part of or is always derived from in one way.

    What a split inside the function gives is of no interest to a caller: each call has children of its own.
    """
    *_, term = _made_from(terms, term)
    return term if terms.operation(term) in ("param", "free") else None


def way_in(terms: Terms, term: Term) -> Term:
    """Return the parameter or outer variable that a term is made from, or the element of it, where it is one."""
    element = None
    while terms.operation(term) in SAME_EACH_TIME:
        is_element = terms.operation(term) == "item" and terms.operation(terms.args(term)[1]) == "const"
        element, term = term if is_element else None, terms.args(term)[0]
    return term if element is None else element
