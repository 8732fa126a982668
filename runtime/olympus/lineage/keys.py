"""The primitives of ``jax.random``: seeds, derivations, draws, and the way between a key and its words."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np

from olympus.lineage.elements import unknown_keys
from olympus.lineage.events import EventKind, MisuseKind
from olympus.lineage.state import Rule, State
from olympus.lineage.values import LARGEST, Value, is_key_dtype

if TYPE_CHECKING:
    from olympus.lineage.events import Context, Event
    from olympus.tracing.jaxprs import Equation


def seed(state: State, equation: Equation, operands: list[Value], context: Context) -> list[Value]:
    """Follow ``random_seed``. Each execution makes keys of its own: seeding twice with one number is no reuse."""
    (given,) = operands
    execution, number = state.execution(), state.values.number(given)
    keys = state.values.keys(
        given.shape, lambda at: state.identities.number("seed", (number,), (execution, at)), number
    )
    event = state.event("seed", equation, (), state.keys_in(keys), context)
    _seeded_with_words(state, given, event)
    return [keys]


def _seeded_with_words(state: State, given: Value, event: Event) -> None:
    """Report a seed that was taken out of a key, or computed of one."""
    if given.labels is None:
        return
    for label in map(int, given.labels.flat):
        operation = state.identities[label].operation
        if operation in ("word", "lane", "picked", "mixed"):
            state.put_together("arithmetic" if operation == "mixed" else "indexing", given, label, event)


def wrap(state: State, equation: Equation, operands: list[Value], context: Context) -> list[Value]:
    """Follow ``random_wrap``: rows of words become keys, if all words of a key are there in order."""
    (words,) = operands
    shape = words.shape[:-1]
    if words.bulk is not None:
        return [Value(shape, bulk=words.bulk) if prod(shape) > LARGEST else _unknown(state, words.bulk, shape)]
    if words.labels is None:
        return [_unknown(state, state.values.number(words), shape)]
    keys, torn = np.empty(shape, np.int64), []
    for at in np.ndindex(*shape):
        row = tuple(map(int, words.labels[at]))
        key = state.identities.whole_key(row)
        if key is None:
            key = state.identities.number("mangled", row)
            torn.append((row, key))
        else:
            state.is_used_whole(key)
        keys[at] = key
    result = Value(shape, labels=keys)
    event = state.event("wrap", equation, (), state.keys_in(result), context)
    for row, key in torn:
        kind = _torn(state, row)
        if kind is not None:
            state.put_together(kind, words, key, event)
    return [result]


def _unknown(state: State, number: int, shape: tuple[int, ...]) -> Value:
    return state.values.keys(shape, lambda at: state.identities.number("wrap", (number,), at), number)


def _torn(state: State, row: tuple[int, ...]) -> MisuseKind | None:
    """Return what was done to a row of words that is no whole key; ``None`` if it has no word of a key."""
    operations = [state.identities[word].operation for word in row]
    if "mixed" in operations:
        return "arithmetic"
    owners = {owner for word in row for owner in state.identities.keys_of(word)}
    if not owners:
        return None
    if "picked" in operations:
        return "indexing"
    if len(owners) == 1 and (len(set(row)) < len(row) or set(operations) != {"word"}):
        return "indexing"
    return "transposition"


def unwrap(state: State, equation: Equation, operands: list[Value], context: Context) -> list[Value]:
    """Follow ``random_unwrap``: keys become rows of words."""
    (keys,) = operands
    shape = tuple(equation.outputs[0].aval.shape)
    state.event("unwrap", equation, state.keys_in(keys), (), context)
    if keys.labels is None or prod(shape) > LARGEST:
        return [Value(shape, bulk=state.values.number(keys))]
    return [Value(shape, labels=state.values.words(keys.labels, shape[-1]), unwrapped=equation)]


def split(state: State, equation: Equation, operands: list[Value], context: Context) -> list[Value]:
    """Follow ``random_split``.

    The children of each execution are its own: splitting a key twice is reported for the key, and not again for
    its equal children.
    """
    (keys,) = operands
    execution = state.execution()
    own = tuple(equation.params["shape"])
    shape = (*keys.shape, *own)

    def child(at: tuple[int, ...]) -> int:
        parent = int(keys.labels[at[: len(keys.shape)]]) if keys.labels is not None else state.values.number(keys)
        index = int(np.ravel_multi_index(at[len(keys.shape) :], own)) if own else 0
        return state.identities.number("split", (parent,), (own, index, execution))

    bulk = state.identities.number("split", (state.values.number(keys),), (own, -1, execution))
    children = state.values.keys(shape, child, bulk)
    consume(state, "split", equation, keys, children, context)
    return [children]


def fold_in(state: State, equation: Equation, operands: list[Value], context: Context) -> list[Value]:
    """Follow ``random_fold_in``: the same key with the same message is the same key; the parent is not consumed."""
    keys, messages = operands
    parents = state.values.labels(keys) if keys.bulk is None else None
    texts = state.values.labels(messages) if prod(messages.shape) <= LARGEST else None
    if not messages.shape and messages.known is None:  # one number for one value, however it was computed
        texts = np.asarray(state.values.number(messages))

    shape = tuple(equation.outputs[0].aval.shape)

    def child(at: tuple[int, ...]) -> int:
        parent = int(np.broadcast_to(parents, shape)[at]) if parents is not None else state.values.number(keys)
        message = int(np.broadcast_to(texts, shape)[at]) if texts is not None else state.values.number(messages)
        return state.identities.number("fold_in", (parent, message))

    bulk = state.identities.number("fold_in", (state.values.number(keys), state.values.number(messages)))
    children = state.values.keys(shape, child, bulk)
    state.event("fold_in", equation, state.keys_in(keys), state.keys_in(children), context)
    return [children]


def clone(state: State, equation: Equation, operands: list[Value], context: Context) -> list[Value]:
    """Follow ``random_clone``, of keys or of rows of words: a key that may be used beside its original on purpose."""
    (original,) = operands
    execution, number = state.execution(), state.values.number(original)
    keys = original.labels
    if keys is not None and not is_key_dtype(equation.outputs[0].aval):
        keys = state.values.rows(keys)
    if keys is None:
        return [unknown_keys(state, equation.outputs[0].aval, state.identities.number("clone", (number,), execution))]
    copies = state.values.filled(
        keys.shape, lambda at: state.identities.number("clone", (int(keys[at]),), (execution, at))
    )
    if keys is not original.labels:
        copies = state.values.words(copies, original.shape[-1])
    result = Value(original.shape, labels=copies)
    state.event("clone", equation, state.keys_in(original), state.keys_in(result), context)
    return [result]


def draw(state: State, equation: Equation, operands: list[Value], context: Context) -> list[Value]:
    """Follow ``random_bits`` and ``random_gamma``."""
    consume(state, "draw", equation, operands[0], None, context)
    return state.plain(equation, operands)


def draw_of_words(state: State, equation: Equation, operands: list[Value], context: Context) -> list[Value]:
    """Follow a generator that takes words and not a key: ``threefry2x32`` and ``rng_bit_generator``."""
    words = operands[:2] if equation.primitive == "threefry2x32" else operands[:1]
    if not any(operand.labels is not None for operand in words):
        return state.plain(equation, operands)
    labels = [label for operand in words for label in map(int, state.values.labels(operand).flat)]
    key = state.identities.whole_key(tuple(labels))
    if key is None:
        return state.unmodelled(equation, operands, context)
    consume(state, "draw", equation, Value((), labels=np.asarray(key)), None, context)
    return state.plain(equation, operands)


def consume(
    state: State, kind: EventKind, equation: Equation, keys: Value, made: Value | None, context: Context
) -> None:
    """Note that an equation consumes each key of an array.

    One key that comes several times is consumed several times, unless it was JAX that repeated it: a sampler does
    so for the lanes of a map in which only its other arguments differ.
    """
    consumed = [state.values.number(keys)] if keys.labels is None else [int(label) for label in keys.labels.flat]
    distinct = tuple(dict.fromkeys(consumed))
    event = state.event(kind, equation, distinct, () if made is None else state.keys_in(made), context)
    if len(distinct) < len(consumed) and (context.repeated or not context.library):
        repeated = next(key for key in distinct if consumed.count(key) > 1)
        state.ledger.report("reuse", event, event, repeated)
    for key in distinct:
        state.ledger.consume(key, event)


KEY_OPERATIONS: dict[str, Rule] = {
    "random_seed": seed,
    "random_wrap": wrap,
    "random_unwrap": unwrap,
    "random_split": split,
    "random_fold_in": fold_in,
    "random_clone": clone,
    "random_bits": draw,
    "random_gamma": draw,
    "threefry2x32": draw_of_words,
    "rng_bit_generator": draw_of_words,
}
