"""What equations do with the elements of arrays that hold keys or their words: move them, choose, mix."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from olympus.lineage.movement import MOVEMENTS, Array
from olympus.lineage.state import Rule, State
from olympus.lineage.values import LARGEST, Value, is_key_dtype

if TYPE_CHECKING:
    from olympus.lineage.events import Context
    from olympus.tracing.jaxprs import Equation


def shape_of(equation: Equation, index: int = 0) -> tuple[int, ...]:
    """Return the shape of a result."""
    return tuple(equation.outputs[index].aval.shape)


# Moving.


def move(state: State, equation: Equation, operands: list[Value]) -> list[Value]:
    """Follow an equation that moves elements without changing them."""
    shapes = [shape_of(equation, index) for index in range(len(equation.outputs))]
    if any(operand.bulk is not None for operand in operands) or any(prod(shape) > LARGEST for shape in shapes):
        return _unknown_places(state, equation, operands)
    arrays = MOVEMENTS[equation.primitive]([state.values.labels(operand) for operand in operands], equation.params)
    if len(arrays) == len(operands):  # optimization_barrier and device_put take and give several
        pairs = zip(operands, arrays, strict=True)
        return [moved(state, equation, [one], array) if one.has_keys else one for one, array in pairs]
    return [moved(state, equation, operands, array) for array in arrays]


def moved(state: State, equation: Equation, operands: Sequence[Value], labels: Array) -> Value:
    """Return an array of moved elements; the equation that tears rows of words apart is remembered."""
    broken = next((operand.broken for operand in operands if operand.broken is not None), None)
    if broken is None and labels.size and not _is_whole(state, labels):
        broken = equation
        state.tear(equation, operands)
    unwrapped = next((operand.unwrapped for operand in operands if operand.unwrapped is not None), None)
    return Value(labels.shape, labels=labels, broken=broken, unwrapped=unwrapped)


def _is_whole(state: State, labels: Array) -> bool:
    """Return whether an array holds keys, or words in rows that are whole keys."""
    return state.identities.is_key(int(labels.flat[0])) or state.values.rows(labels) is not None


def _unknown_places(state: State, equation: Equation, operands: list[Value]) -> list[Value]:
    """Follow an equation that takes elements from places, or to places, that cannot be told apart."""
    number = state.equation_number(equation, operands)
    return [
        unknown_keys(state, equation.outputs[index].aval, state.identities.number("value", (number,), index))
        for index in range(len(equation.outputs))
    ]


def unknown_keys(state: State, aval: Any, number: int) -> Value:
    """Return an array of keys of unknown origin, or of the words of such keys."""
    shape = tuple(aval.shape)
    if prod(shape) > LARGEST:
        return Value(shape, bulk=number)
    typed = is_key_dtype(aval)
    if not typed and not shape:
        return Value(shape, number)
    rows = shape if typed else shape[:-1]
    keys = state.values.filled(rows, lambda at: state.identities.number("opaque", (number,), at))
    return Value(shape, labels=keys if typed else state.values.words(keys, shape[-1]))


# Mixing.


def mix(state: State, equation: Equation, operands: list[Value]) -> list[Value]:
    """Follow an equation that computes numbers from words of keys."""
    if equation.primitive == "convert_element_type" and _keeps_type(equation) and operands[0].labels is not None:
        return [moved(state, equation, operands, operands[0].labels)]
    broken = next((operand.broken for operand in operands if operand.broken is not None), equation)
    if broken is equation:
        state.tear(equation, operands)
    number = state.equation_number(equation, operands)
    results = []
    for index in range(len(equation.outputs)):
        shape = shape_of(equation, index)
        if prod(shape) > LARGEST:
            results.append(Value(shape, state.identities.number("value", (number,), index)))
            continue
        mixed = partial(_mixed, state, number, index)
        results.append(Value(shape, labels=state.values.filled(shape, mixed), broken=broken))
    return results


def _mixed(state: State, number: int, index: int, position: tuple[int, ...]) -> int:
    return state.identities.number("mixed", (number,), (index, position))


def _keeps_type(equation: Equation) -> bool:
    return bool(equation.inputs[0].aval.dtype == equation.outputs[0].aval.dtype)


# Choosing. What chooses may be known; an element at an unknown position is one of several.


def select(state: State, equation: Equation, operands: list[Value], context: Context) -> list[Value]:
    """Follow ``select_n``."""
    which, *cases = operands
    if not any(case.has_keys for case in cases):
        return state.plain(equation, operands)
    shape = shape_of(equation)
    if any(case.bulk is not None for case in cases) or prod(shape) > LARGEST:
        return _unknown_places(state, equation, operands)
    labels = [state.values.labels(case) for case in cases]
    if which.known is not None:
        chosen = np.choose(np.broadcast_to(which.known.astype(int), shape), labels)
    else:
        chosen = state.values.join(labels, state.values.number(which))
    return [moved(state, equation, cases, chosen)]


def dynamic_slice(state: State, equation: Equation, operands: list[Value], context: Context) -> list[Value]:
    """Follow a slice at indices that may not be known; it is clamped to the array."""
    array, *starts = operands
    if not array.has_keys:
        return state.plain(equation, operands)
    sizes = equation.params["slice_sizes"]
    known = [start.known for start in starts if start.known is not None]
    if array.labels is not None and len(known) == len(starts):
        return [moved(state, equation, [array], _applied(equation, [array.labels, *known]))]
    return [_picked(state, equation, operands, whole_rows=sizes[-1:] == array.shape[-1:])]


def gather(state: State, equation: Equation, operands: list[Value], context: Context) -> list[Value]:
    """Follow an array of indices: where it is known, the primitive itself is applied to the identities."""
    array, indices = operands
    if not array.has_keys:
        return state.plain(equation, operands)
    if array.labels is not None and indices.known is not None:
        return [moved(state, equation, [array], _applied(equation, [array.labels, indices.known]))]
    collapsed = equation.params["dimension_numbers"].collapsed_slice_dims
    last = len(array.shape) - 1
    whole = last not in collapsed and equation.params["slice_sizes"][-1] == array.shape[-1]
    return [_picked(state, equation, operands, whole_rows=whole)]


def update(state: State, equation: Equation, operands: list[Value], context: Context) -> list[Value]:
    """Follow ``scatter`` and ``dynamic_update_slice`` at indices that may not be known."""
    scatter = equation.primitive == "scatter"
    array, new = operands[0], operands[2 if scatter else 1]
    indices = operands[1:2] if scatter else operands[2:]
    if not array.has_keys and not new.has_keys:
        return state.plain(equation, operands)
    known = [index.known for index in indices if index.known is not None]
    if array.bulk is not None or new.bulk is not None or prod(array.shape) > LARGEST or len(known) < len(indices):
        return _unknown_places(state, equation, operands)
    labels = [state.values.labels(array), state.values.labels(new)]
    arrays = [labels[0], *known, labels[1]] if scatter else [*labels, *known]
    return [moved(state, equation, [array, new], _applied(equation, arrays))]


def _applied(equation: Equation, arrays: Sequence[Array]) -> Array:
    """Return what the primitive itself does with an array of identities.

    Where an index is out of bounds and the primitive fills in a number, it is the identity of no key.
    """
    import jax

    params = dict(equation.params)
    if "fill_value" in params:
        params["fill_value"] = 0
    with jax.ensure_compile_time_eval():
        operands = [np.asarray(array, np.int32) for array in arrays]
        primitive: Any = equation.eqn.primitive
        return np.asarray(primitive.bind(*operands, **params), np.int64)


def _picked(state: State, equation: Equation, operands: list[Value], *, whole_rows: bool) -> Value:
    """Return elements of an array at unknown positions.

    Whole keys stay keys, each one of several; words that are taken out of keys do not.
    """
    array = operands[0]
    number = state.equation_number(equation, operands)
    aval = equation.outputs[0].aval
    shape = tuple(aval.shape)
    if prod(shape) > LARGEST:
        return Value(shape, bulk=number)
    if is_key_dtype(aval):
        return Value(shape, labels=state.values.filled(shape, lambda at: one_of(state, array, number, at)))
    in_rows = array.bulk is not None or (array.labels is not None and state.values.rows(array.labels) is not None)
    if whole_rows and shape and in_rows:
        keys = state.values.filled(shape[:-1], lambda at: one_of(state, array, number, at))
        return Value(shape, labels=state.values.words(keys, shape[-1]))
    labels = state.values.filled(shape, lambda at: state.identities.number("picked", (number,), at))
    if array.broken is None:
        state.tear(equation, [array])
    return Value(shape, labels=labels, broken=array.broken or equation)


def one_of(state: State, array: Value, number: int, position: tuple[int, ...]) -> int:
    """Return the identity of one of the keys of an array."""
    alternatives = () if array.labels is None else tuple(sorted(state.keys_in(array)))
    if len(alternatives) == 1:
        return alternatives[0]
    return state.identities.number("join", (number, *alternatives), position)


CHOICES: dict[str, Rule] = {
    "dynamic_slice": dynamic_slice,
    "dynamic_update_slice": update,
    "gather": gather,
    "scatter": update,
    "select_n": select,
}
