"""Equations with jaxprs inside: calls, branches, loops, and maps over a mesh."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from olympus.lineage.elements import unknown_keys
from olympus.lineage.movement import Array
from olympus.lineage.state import Rule, State
from olympus.lineage.values import LARGEST, Value, is_key_dtype
from olympus.tracing import adapter

if TYPE_CHECKING:
    from olympus.lineage.events import Context
    from olympus.tracing.jaxprs import Equation

TURNS = 2  # of a loop: what the second iteration consumes again was not refreshed by the first
ANY = TURNS  # in the place of an iteration: what is mapped has no order


def call(state: State, equation: Equation, operands: list[Value], context: Context) -> list[Value]:
    """Follow a call of a jaxpr as if it stood in line: ``jit``, ``custom_jvp_call``, ``custom_vjp_call``."""
    sub = equation.subs[0]
    inner = replace(context, outer=equation)
    library = adapter.is_library(sub.jaxpr) if equation.primitive == "jit" else None
    if library and not context.library:
        inner = replace(inner, library=True, repeated=any(_repeats(operand) for operand in operands))
    elif context.library and library is False:
        inner = replace(inner, library=False)
    return state.run(sub.jaxpr, sub.consts, operands, inner)


def _repeats(value: Value) -> bool:
    """Return whether one key is in an array several times."""
    return value.labels is not None and len(np.unique(value.labels)) < value.labels.size


def remat(state: State, equation: Equation, operands: list[Value], context: Context) -> list[Value]:
    """Follow ``jax.checkpoint``; in a backward pass it draws once more what the forward pass drew, and means to."""
    again = context.recomputed or bool(equation.params.get("differentiated"))
    sub = equation.subs[0]
    return state.run(sub.jaxpr, sub.consts, operands, replace(context, outer=equation, recomputed=again))


# Branches.


def cond(state: State, equation: Equation, operands: list[Value], context: Context) -> list[Value]:
    """Follow all branches; a result is one of theirs. A branch that a known index rules out is followed aside."""
    index, *arguments = operands
    last, decision = len(equation.subs) - 1, state.values.number(index)
    taken = None if index.known is None else min(max(int(index.known), 0), last)
    branches = []
    for case, sub in enumerate(equation.subs):
        if taken is None:
            inner = state.decided(context, decision, case, last + 1)
        else:
            inner = context if case == taken else replace(context, never=(*context.never, state.execution()))
        branches.append(state.run(sub.jaxpr, sub.consts, arguments, replace(inner, outer=equation)))
    if taken is not None:
        return branches[taken]
    number = state.equation_number(equation, operands)
    return [
        joined(state, list(alternatives), decision, equation.outputs[place].aval, (number, place))
        for place, alternatives in enumerate(zip(*branches, strict=True))
    ]


def joined(state: State, alternatives: Sequence[Value], decision: int, aval: Any, origin: tuple[int, int]) -> Value:
    """Return a value that is one of several.

    Args:
        state: the interpreter.
        alternatives: the values.
        decision: the term of what decides.
        aval: the abstract value of the result.
        origin: a number for the place, and the number of the result.
    """
    first = alternatives[0]
    numbers = {state.values.number(each) for each in alternatives}
    if len(numbers) == 1:
        return first
    number = state.identities.number("value", (origin[0],), origin[1])
    if not any(each.has_keys for each in alternatives):
        return Value(first.shape, number)
    if any(each.labels is None for each in alternatives):
        return unknown_keys(state, aval, number)
    labels = state.values.join([each.labels for each in alternatives if each.labels is not None], decision)
    broken = next((each.broken for each in alternatives if each.broken is not None), None)
    return Value(first.shape, labels=labels, broken=broken)


# Loops.


def scan(state: State, equation: Equation, operands: list[Value], context: Context) -> list[Value]:
    """Follow the body of a scan for two iterations, with the first elements or with ones that stand for all."""
    params, sub = equation.params, equation.subs[0]
    consts, carry, mapped = adapter.scanned(params, operands)
    length, loop = int(params["length"]), state.execution()
    columns: list[list[Value]] = []
    for turn in range(min(TURNS, length)):
        variables = sub.jaxpr.invars[len(consts) + len(carry) :]
        elements = [
            lane(state, value, variable.aval, (loop, place, turn))
            for place, (value, variable) in enumerate(zip(mapped, variables, strict=True))
        ]
        inner = replace(context, outer=equation, turns=(*context.turns, (loop, turn)))
        results = state.run(sub.jaxpr, sub.consts, [*consts, *carry, *elements], inner)
        before, carry = carry, results[: len(carry)]
        columns.append(results[len(carry) :])
    if length > TURNS:
        carry = settled(state, equation, [before, carry], loop)
    stacked = []
    for place, output in enumerate(equation.outputs[len(carry) :]):
        rows = [column[place] for column in columns]
        stacked.append(gathered(state, rows, output.aval, length, loop))
    return [*carry, *stacked]


def while_loop(state: State, equation: Equation, operands: list[Value], context: Context) -> list[Value]:
    """Follow condition and body for two iterations. How often the body runs is not known."""
    params = equation.params
    test = next(sub for sub in equation.subs if sub.parameter == "cond_jaxpr")
    body = next(sub for sub in equation.subs if sub.parameter == "body_jaxpr")
    test_consts = operands[: params["cond_nconsts"]]
    body_consts = operands[len(test_consts) : len(test_consts) + params["body_nconsts"]]
    carry = operands[len(test_consts) + len(body_consts) :]
    loop, history = state.execution(), [carry]
    for turn in range(TURNS):
        inner = replace(context, outer=equation, turns=(*context.turns, (loop, turn)))
        state.run(test.jaxpr, test.consts, [*test_consts, *carry], inner)
        carry = state.run(body.jaxpr, body.consts, [*body_consts, *carry], inner)
        history.append(carry)
    return settled(state, equation, history, loop)


def settled(state: State, equation: Equation, history: Sequence[list[Value]], loop: int) -> list[Value]:
    """Return what a loop carries out: what no iteration changes, or a value that is like no other."""
    results = []
    for place, values in enumerate(zip(*history, strict=True)):
        number = state.identities.number("value", (), ("after", loop, place))
        results.append(joined(state, values, number, equation.outputs[place].aval, (number, place)))
    return results


# Lanes: the elements of what a loop or a mesh is mapped over.


def lane(state: State, value: Value, aval: Any, place: tuple[int, int, int]) -> Value:
    """Return the element of a mapped value in one iteration of a scan.

    Args:
        state: the interpreter.
        value: what is mapped, along its first axis.
        aval: the abstract value of the element.
        place: the number of the execution, that of the operand, and the iteration.
    """
    shape, length, turn = value.shape[1:], value.shape[0], place[-1]
    if value.known is not None and turn != ANY:
        return Value(shape, known=value.known[turn])
    if not value.has_keys:
        return Value(shape, state.identities.number("value", (state.values.number(value),), ("lane", *place)))
    if value.labels is None:
        return _lane_of_bulk(state, value, aval, place)
    if length <= TURNS and turn != ANY:
        return Value(shape, labels=value.labels[turn], broken=value.broken)
    return any_lane(state, value.labels, place, value)


def any_lane(state: State, lanes: Array, place: tuple[int, int, int], value: Value) -> Value:
    """Return what any one lane has, where the first axis of an array of identities has the lanes."""
    rows = state.values.rows(lanes)
    if rows is not None and rows.ndim:
        keys = _elements(state, rows, place)
        return Value(lanes.shape[1:], labels=state.values.words(keys, lanes.shape[-1]))
    return Value(lanes.shape[1:], labels=_elements(state, lanes, place), broken=value.broken)


def _elements(state: State, lanes: Array, place: tuple[int, int, int]) -> Array:
    def element(at: tuple[int, ...]) -> int:
        column = tuple(int(each[at]) for each in lanes)
        if not state.identities.is_key(column[0]):
            return state.identities.number("lane", column, place)
        number = state.identities.number("element", (), (*place, at))
        state.ledger.map(number, place[0], column)
        return number

    return state.values.filled(lanes.shape[1:], element)


def _lane_of_bulk(state: State, value: Value, aval: Any, place: tuple[int, int, int]) -> Value:
    """Return the element of an array that is too large to tell its keys apart."""
    element = state.identities.number("element", (), (*place, "bulk"))
    state.ledger.map(element, place[0], (state.values.number(value),))
    if is_key_dtype(aval) and not aval.shape:
        return Value((), labels=np.asarray(element))
    if not is_key_dtype(aval) and len(aval.shape) == 1:
        return Value(tuple(aval.shape), labels=state.values.words(np.asarray(element), aval.shape[0]))
    return unknown_keys(state, aval, element)


def gathered(state: State, rows: Sequence[Value], aval: Any, length: int, loop: int) -> Value:
    """Return the results of all iterations of a scan, stacked.

    Those of iterations that were not followed are known where they come of the key of their lane alone.
    """
    number = state.identities.number("value", (), ("stacked", loop, state.execution()))
    shape = tuple(aval.shape)
    if not any(row.has_keys for row in rows):
        return Value(shape, number)
    if prod(shape) > LARGEST or any(row.labels is None for row in rows):
        return unknown_keys(state, aval, number)
    labels = [row.labels for row in rows if row.labels is not None]
    if length > len(labels):
        keys = labels[-1] if is_key_dtype(aval) else state.values.rows(labels[-1])
        if keys is None:
            return unknown_keys(state, aval, number)
        turns = [_in_lane(state, keys, loop, turn, number) for turn in range(length)]
        labels = turns if is_key_dtype(aval) else [state.values.words(turn, shape[-1]) for turn in turns]
    return Value(shape, labels=np.stack(labels), broken=rows[0].broken)


def _in_lane(state: State, keys: Array, loop: int, turn: int, number: int) -> Array:
    """Return the keys of another iteration, given those of one: children of the lane's key, or unknown keys."""

    def other(at: tuple[int, ...]) -> int:
        key = int(keys[at])
        term = state.identities[key]
        element = term.children[0] if term.operation == "split" else key
        execution, lanes = state.ledger.lanes.get(element, (-1, ()))
        if execution == loop and turn < len(lanes):
            return state.identities.replace(key, {element: lanes[turn]})
        return state.identities.number("opaque", (number,), (turn, at))

    return state.values.filled(keys.shape, other)


# Meshes.


def shard_map(state: State, equation: Equation, operands: list[Value], context: Context) -> list[Value]:
    """Follow the body once, for any one shard. A key that all shards share is consumed once."""
    sub, execution = equation.subs[0], state.execution()
    variables: Sequence[Any] = sub.jaxpr.invars
    locals_ = [
        shard(state, value, tuple(variable.aval.shape), (execution, place, 0))
        for place, (value, variable) in enumerate(zip(operands, variables, strict=True))
    ]
    return _outside(state, equation, locals_, context)


def pmap(state: State, equation: Equation, operands: list[Value], context: Context) -> list[Value]:
    """Follow the body of ``pmap`` once, for any one device; up to 0.7, it is a primitive of its own."""
    sub, execution = equation.subs[0], state.execution()
    variables: Sequence[Any] = sub.jaxpr.invars
    axes = equation.params["in_axes"]
    elements = [
        value if axis is None else lane(state, value, variable.aval, (execution, place, ANY))
        for place, (value, variable, axis) in enumerate(zip(operands, variables, axes, strict=True))
    ]
    return _outside(state, equation, elements, context)


def _outside(state: State, equation: Equation, inputs: list[Value], context: Context) -> list[Value]:
    """Follow the body of a map over a mesh, and return its results as those of all shards or devices."""
    sub, execution = equation.subs[0], state.execution()
    results = state.run(sub.jaxpr, sub.consts, inputs, replace(context, outer=equation, library=False))
    outputs = []
    for place, (result, output) in enumerate(zip(results, equation.outputs, strict=True)):
        number = state.identities.number("value", (state.values.number(result),), ("unsharded", execution, place))
        shape = tuple(output.aval.shape)
        if result.shape == shape:
            outputs.append(result)
        else:
            outputs.append(unknown_keys(state, output.aval, number) if result.has_keys else Value(shape, number))
    return outputs


def shard(state: State, value: Value, shape: tuple[int, ...], place: tuple[int, int, int]) -> Value:
    """Return the part of a value that any one shard has."""
    if shape == value.shape:
        return value
    if value.labels is None:
        number = state.identities.number("value", (state.values.number(value),), ("shard", *place))
        return Value(shape, bulk=number) if value.bulk is not None else Value(shape, number)
    counts = [whole // part for whole, part in zip(value.shape, shape, strict=True)]
    split = value.labels.reshape([size for pair in zip(counts, shape, strict=True) for size in pair])
    order = (*range(0, split.ndim, 2), *range(1, split.ndim, 2))
    return any_lane(state, split.transpose(order).reshape(-1, *shape), place, value)


CONTROL: dict[str, Rule] = {
    "jit": call,
    "custom_jvp_call": call,
    "custom_vjp_call": call,
    "closed_call": call,
    "core_call": call,
    "remat2": remat,
    "cond": cond,
    "scan": scan,
    "while": while_loop,
    "shard_map": shard_map,
    "xla_pmap": pmap,
}
