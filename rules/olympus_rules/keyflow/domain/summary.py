"""The summary of a function for its callers: consumptions, result and writes, in terms of its parameters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from olympus.signatures.signature import Forward, KeySignature, Sink, Source
from olympus_rules.code.instructions import FunctionCode
from olympus_rules.keyflow.domain.ledger import Consumption
from olympus_rules.keyflow.domain.paths import ALWAYS, PathCondition
from olympus_rules.keyflow.domain.terms import Term, Terms
from olympus_rules.keyflow.domain.values import Bound, Choice, Function, Map, Mapped, Partial, Sequence, Value
from olympus_rules.keyflow.facts import Place

Captured: TypeAlias = tuple[tuple[FunctionCode, str], Value]
Write: TypeAlias = tuple[Term, str, Value, PathCondition]
Change: TypeAlias = tuple[Term, str | None]
Slot: TypeAlias = "str | tuple[FunctionCode, str]"
Specialisation: TypeAlias = "tuple[tuple[Slot, Value], ...]"
GENERAL: Specialisation = ()
RECEIVER = "@"  # between the name of an inherited method, or of its object, and the class that inherits it
Task: TypeAlias = "tuple[FunctionCode, Specialisation]"
"""A function and the callables that it is interpreted for."""

SAME_EACH_TIME = frozenset({"attr", "item", "slice", "list", "lane", "batch", "view", "unwrap", "fold_in"})


@dataclass(slots=True)
class Draw:
    """A function draws from a key.

    Attributes:
        term: the key.
        place: the call and the expression of the key, in the function that draws.
        path: the path condition.
        callee: what draws, if nothing is known of it here; a caller may know.
        is_known: whether it surely draws.
        is_layer: whether a layer draws, as far as known.
        beside: what it is given beside the key, as far as known.
    """

    term: Term
    place: Place
    path: PathCondition
    callee: Term | None = None
    is_known: bool = True
    is_layer: bool = False
    beside: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of a function for its callers.

    Attributes:
        code: the function.
        uses: its consumptions of outside values, and of the values that it returns.
        returns: the returned value, with conditions.
        writes: its writes to attributes and items of outside and returned objects: (object, name, value, condition).
        changes: other attributes and items that it writes: (object, name); the name is ``None`` or ``HANDED`` if any
            may be written. Their values are unknown afterwards.
        captured: the values of its variables that the returned functions read, by (scope, name).
        draws: its draws from outside keys, including draws through splits.
        raised: the exceptions that it raises, each with whether a draw comes before.
        returning: the condition that holds on each path that returns; ``None`` if each ends in an exception.
    """

    code: FunctionCode
    uses: tuple[Consumption, ...]
    returns: Value
    writes: tuple[Write, ...]
    captured: tuple[Captured, ...] = ()
    changes: tuple[Change, ...] = ()
    draws: tuple[Draw, ...] = ()
    returning: PathCondition | None = ALWAYS
    raised: tuple[tuple[str, bool], ...] = ()

    @property
    def is_conditional(self) -> bool:
        """Whether an effect or the result depends on conditions."""
        paths = (*(use.path for use in self.uses), *(path for *_, path in self.writes))
        return isinstance(self.returns, Choice) or any(path != ALWAYS for path in paths)

    def says_something(self, terms: Terms) -> bool:
        """Return whether the function does anything with keys."""
        said = self.signature(terms)
        return bool(self.uses or said.sinks or said.sources or said.forwards)

    def signature(self, terms: Terms) -> KeySignature:
        """Return the key signature, the public form of a part of the summary."""
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
    return [(path, value)] if isinstance(value, Term) else []


def _input_path(terms: Terms, term: Term) -> str | None:
    """Return the path of a part of a parameter, such as ``state.key`` or ``keys[0]``."""
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


def needed(code: FunctionCode, captured: tuple[Captured, ...]) -> set[str]:
    """Return the names of captured variables that a function reads, directly or through functions in their values."""
    found: set[str] = set()
    waiting = list(code.reads)
    values = {name: value for (_, name), value in captured}
    while waiting:
        name = waiting.pop()
        if name in values and name not in found:
            found.add(name)
            waiting += (read for function in functions_in(values[name]) for read in function.code.reads)
    return found


def sources_of(terms: Terms, term: Term) -> Iterator[Term]:
    """Return the term and the terms that it is a part of or deterministically derived from, nearest first."""
    yield term
    while terms.operation(term) in SAME_EACH_TIME:
        term = terms.args(term)[0]
        yield term


def owners(terms: Terms, term: Term) -> set[Term]:
    """Return the objects whose attributes a term is a part of, or deterministically derived from."""
    return {terms.args(part)[0] for part in sources_of(terms, term) if terms.operation(part) == "attr"}


def origin(terms: Terms, term: Term) -> Term | None:
    """Return the parameter or outer variable that a term is a part of or deterministically derived from.

    The children of a split inside the function do not concern a caller: each call has children of its own.
    """
    while (parts := terms.parts[term])[0] in SAME_EACH_TIME:
        term = parts[2]
    return term if parts[0] in ("param", "free") else None


def is_remade(terms: Terms, term: Term) -> bool:
    """Return whether a key is derived deterministically from one that the function makes anew from a given seed."""
    *_, root = sources_of(terms, term)
    return terms.operation(root) == "seed" and _is_given(terms, terms.args(root)[0])


def _is_given(terms: Terms, term: Term) -> bool:
    """Return whether a value is constant, or the caller's: computed from constants and outside values alone."""
    if len(arms := terms.arms(term)) > 1:
        return any(_is_given(terms, arm) for _, arm in arms)
    if terms.operation(term) in ("op", "attr", "item"):
        return bool(terms.args(term)) and all(_is_given(terms, arg) for arg in terms.args(term))
    return terms.operation(term) in ("const", "param", "free")


def way_in(terms: Terms, term: Term) -> Term:
    """Return the parameter or outer variable that a term is made from, or its constant element on the way."""
    element = None
    while terms.operation(term) in SAME_EACH_TIME or terms.operation(term) == "seed":
        is_element = terms.operation(term) == "item" and terms.operation(terms.args(term)[1]) == "const"
        element, term = term if is_element else None, terms.args(term)[0]
        term = next((arm for _, arm in terms.arms(term) if _is_given(terms, arm)), term)
    return term if element is None else element
