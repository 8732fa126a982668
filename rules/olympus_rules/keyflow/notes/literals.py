"""Raw keys that are made without ``jax.random``: buffers of words to be filled, words written down, abstract arrays.

An array with two or four ``uint32`` words in its last axis is recorded where it is made. The evidence that it holds
keys comes later: it is consumed, keys are written into it, or it is joined with keys.
"""

from __future__ import annotations

from collections.abc import Iterator

from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain.access import leaves
from olympus_rules.keyflow.domain.arguments import Arguments
from olympus_rules.keyflow.domain.file import Placeholder
from olympus_rules.keyflow.domain.ledger import Certainty
from olympus_rules.keyflow.domain.needs import Need
from olympus_rules.keyflow.domain.state import State
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Const, Function, Library, Map, Mapped, Sequence, Value
from olympus_rules.keyflow.facts import Fact, KeyKind
from olympus_rules.keyflow.notes.pending import note
from olympus_rules.libraries.names import ABSTRACT_ARRAY, CREATORS, UINT32

WORDS = (2, 4)
UNSIGNED = (*map(Library, UINT32), Const("uint32"))
UPDATES = frozenset({"set", "add", "apply"})
JOINING = frozenset({"append", "concatenate", "dynamic_update_slice", "select", "stack", "vstack", "where"})


def made(flow: State, qualified: str, arguments: Arguments) -> Term | None:
    """Return the term of an array that may turn out to be raw keys, ``None`` for any other call."""
    node, dtype = arguments.node, arguments.get(CREATORS[qualified], "dtype")
    last = qualified.rpartition(".")[2]
    if last == "uint32":
        dtype = Const("uint32")
    if node is None or dtype not in UNSIGNED:
        return None
    given = arguments.get(0, "object" if last in ("array", "asarray") else "shape")
    if last in ("array", "asarray", "uint32"):
        form = "words" if _is_words(given) else ""
    else:
        form = "" if not _ends_in_words(given) else "abstract" if qualified == ABSTRACT_ARRAY else "buffer"
    if not form:
        return None
    variables = tuple((name, value) for name, value in flow.env.values.items() if _is_variable(name, value))
    return _remember(flow, Placeholder(node, form, variables))  # type: ignore[arg-type]


def _is_variable(name: object, value: object) -> bool:
    return isinstance(name, str) and name.isidentifier() and isinstance(value, Term)


def _is_words(value: Value | None) -> bool:
    """Return whether a value is a list of integers, one for each word of a key."""
    if not isinstance(value, Sequence) or value.open or len(value.items) not in WORDS:
        return False
    return all(isinstance(item, Const) and type(item.value) is int for item in value.items)


def _ends_in_words(shape: Value | None) -> bool:
    if isinstance(shape, Sequence):
        shape = shape.items[-1] if shape.items and not shape.open else None
    return isinstance(shape, Const) and type(shape.value) is int and shape.value in WORDS


def _remember(flow: State, placeholder: Placeholder) -> Term:
    """Return a new term for a placeholder, which is a key if the term is consumed."""
    term = flow.terms.fresh()
    flow.file.placeholders[term] = placeholder

    def build(confidence: Confidence, kind: KeyKind) -> Fact | None:
        return None if term in flow.knowledge.origins else _fact(flow, placeholder, confidence)

    note(flow, term, Need.KEY, build, metadata=True)
    return term


def _fact(
    flow: State,
    placeholder: Placeholder,
    confidence: Confidence,
    key: Term | None = None,
    *,
    in_place: bool = False,
) -> Fact:
    knowledge, terms = flow.knowledge, flow.terms
    like, rank = "", 0
    for name, term in placeholder.variables if key is not None else ():
        axes = knowledge.rank(term)
        if key is not None and axes is not None and terms.seed_of(term) == terms.seed_of(key):
            like, rank = name, axes
            break
    return facts.RawKeyLiteral(
        node=placeholder.node,
        confidence=confidence,
        kind=KeyKind.RAW,
        form=placeholder.form,
        like=like,
        rank=rank,
        in_place=in_place or placeholder.node in flow.file.filled_in_place,
    )


def _written(flow: State, placeholder: Placeholder, value: Value, *, in_place: bool = False) -> None:
    """Record that a value is written into a placeholder: keys make it a buffer of keys."""
    for term in leaves(value):
        if term not in flow.file.placeholders:
            note(
                flow,
                term,
                Need.KNOWN,
                lambda confidence, _, term=term: _fact(flow, placeholder, confidence, term, in_place=in_place),  # type: ignore[misc]
            )


def updated(flow: State, receiver: Term, name: str, arguments: Arguments) -> Term | None:
    """Check ``buffer.at[i].set(key)``, and return the term of the new buffer."""
    terms = flow.terms
    while terms.operation(receiver) in ("item", "slice", "view"):
        receiver = terms.args(receiver)[0]
    if name not in UPDATES or terms.operation(receiver) != "attr" or terms.data(receiver)[0] != "at":
        return None
    placeholder = flow.file.placeholders.get(terms.args(receiver)[0])
    value = arguments.get(0, "values")
    if placeholder is None or value is None:
        return None
    _written(flow, placeholder, value)
    return _remember(flow, placeholder)


def assigned(flow: State, buffer: Term, value: Value) -> None:
    """Check ``buffer[i] = key``."""
    placeholder = flow.file.placeholders.get(buffer)
    if placeholder is not None:
        flow.file.filled_in_place.add(placeholder.node)
        _written(flow, placeholder, value, in_place=True)


def beside(flow: State, name: str, arguments: Arguments) -> Term | None:
    """Check ``where(done, buffer, keys)`` and the like, and return the term of the result."""
    if name not in JOINING:
        return None
    terms = [term for value in arguments.values() for term in leaves(value)]
    found = [(term, flow.file.placeholders[term]) for term in terms if term in flow.file.placeholders]
    for _, placeholder in found:
        for term in terms:
            _written(flow, placeholder, term)
    return _remember(flow, found[0][1]) if found and found[0][1].form == "buffer" else None


def evaluated(flow: State, function: Value, arguments: tuple[Value, ...]) -> None:
    """Check whether the function consumes the argument of ``eval_shape(f, abstract)`` or ``jit(f).lower(abstract)``."""
    held = flow.file.placeholders
    if not any(term in held for value in arguments for _, term in _parts(value)):
        return
    parameters, consumed = _consumed(flow, function)
    for name, value in zip(parameters, arguments, strict=False):
        for names, term in _parts(value):
            if (name, *names) in consumed and term in held:
                flow.knowledge.use(term, path=flow.path)


def _parts(value: Value, names: tuple[object, ...] = ()) -> Iterator[tuple[tuple[object, ...], Term]]:
    """Return the terms in a value, each with the names or positions that lead to it."""
    if isinstance(value, Term):
        yield names, value
    elif isinstance(value, Sequence | Map):
        items = value.items if isinstance(value, Map) else enumerate(value.items)
        for name, part in items:
            yield from _parts(part, (*names, name))


def _way(flow: State, term: Term) -> tuple[object, ...]:
    """Return the parameter that a term comes from, and the names or positions that lead from it to the term."""
    terms = flow.terms
    if terms.operation(term) == "item":
        array, index = terms.args(term)[:2]
        return (*_way(flow, array), terms.constant(index))
    return (terms.data(term)[1],) if terms.operation(term) == "param" else (None,)


def _consumed(flow: State, function: Value) -> tuple[tuple[str, ...], set[tuple[object, ...]]]:
    """Return the parameters of a function, and the ways to the parts of them that are surely keys."""
    if isinstance(function, Mapped) and function.kind == "vmap":
        return _consumed(flow, function.function)
    if isinstance(function, Library):
        row = flow.file.table.get(function.qualified).row
        return ((), set()) if row is None else (row.parameters, {(s,) for s in set(row.sinks).difference(row.seeds)})
    summary = flow.linker.summariser.summary(function.code) if isinstance(function, Function) else None
    if summary is None or not isinstance(function, Function):
        return (), set()
    known = [use.term for use in summary.uses if use.certainty == Certainty.KNOWN]
    known += [flow.terms.root_array(term) for term in known]
    return function.code.parameters, {_way(flow, term) for term in known}
