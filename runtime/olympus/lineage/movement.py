"""Equations that move elements without changing them, on NumPy arrays of identities, and small known numbers.

What a primitive of this module does to the elements of an array, it does to their identities: the rules below are
those of ``jax.lax``, and a test compares each of them with the primitive itself. Matching is by name, because a
name outlives the module that a primitive is defined in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Rule = Callable[[Sequence[Array], Mapping[str, Any]], Sequence[Array]]


def _slice(operands: Sequence[Array], params: Mapping[str, Any]) -> Sequence[Array]:
    starts, limits = params["start_indices"], params["limit_indices"]
    strides = params["strides"] or (1,) * len(starts)
    return [operands[0][tuple(slice(*bounds) for bounds in zip(starts, limits, strides, strict=True))]]


def _reshape(operands: Sequence[Array], params: Mapping[str, Any]) -> Sequence[Array]:
    array = operands[0]
    if params.get("dimensions") is not None:
        array = array.transpose(params["dimensions"])
    return [array.reshape(params["new_sizes"])]


def _broadcast_in_dim(operands: Sequence[Array], params: Mapping[str, Any]) -> Sequence[Array]:
    shape = [1] * len(params["shape"])
    for own, size in zip(params["broadcast_dimensions"], operands[0].shape, strict=True):
        shape[own] = size
    return [np.broadcast_to(operands[0].reshape(shape), params["shape"])]


def _pad(operands: Sequence[Array], params: Mapping[str, Any]) -> Sequence[Array]:
    array, filling = operands
    config = params["padding_config"]
    shape = [
        low + size + max(size - 1, 0) * inner + high
        for size, (low, high, inner) in zip(array.shape, config, strict=True)
    ]
    result = np.full(shape, filling, array.dtype)
    targets, sources = [], []
    for size, length, (low, _, inner) in zip(array.shape, shape, config, strict=True):
        places = low + np.arange(size) * (inner + 1)
        kept = (places >= 0) & (places < length)
        targets.append(places[kept])
        sources.append(np.flatnonzero(kept))
    result[np.ix_(*targets)] = array[np.ix_(*sources)]
    return [result]


MOVEMENTS: dict[str, Rule] = {
    "broadcast_in_dim": _broadcast_in_dim,
    "concatenate": lambda arrays, params: [np.concatenate(arrays, params["dimension"])],
    "pad": _pad,
    "reshape": _reshape,
    "rev": lambda arrays, params: [np.flip(arrays[0], params["dimensions"])],
    "slice": _slice,
    "split": lambda arrays, params: np.split(arrays[0], np.cumsum(params["sizes"])[:-1], params["axis"]),
    "squeeze": lambda arrays, params: [arrays[0].squeeze(tuple(params["dimensions"]))],
    "stack": lambda arrays, params: [np.stack(arrays, params["axis"])],
    "tile": lambda arrays, params: [np.tile(arrays[0], params["reps"])],
    "transpose": lambda arrays, params: [arrays[0].transpose(params["permutation"])],
    "unstack": lambda arrays, params: list(np.moveaxis(arrays[0], params["axis"], 0)),
    **dict.fromkeys(
        (
            "copy",
            "copy_p",
            "device_put",
            "layout_constraint",
            "mesh_cast",
            "name",
            "optimization_barrier",
            "pbroadcast",
            "pvary",
            "reshard",
            "sharding_constraint",
            "stop_gradient",
        ),
        lambda arrays, params: arrays,
    ),
}


# Numbers that are known from the program's text: indices, counters, predicates.


def _elementwise(function: Callable[..., Any]) -> Rule:
    return lambda arrays, params: [function(*arrays)]


def _iota(operands: Sequence[Array], params: Mapping[str, Any]) -> Sequence[Array]:
    shape, axis = params["shape"], params["dimension"]
    along = np.arange(shape[axis], dtype=params["dtype"])
    return [np.broadcast_to(along.reshape([-1 if each == axis else 1 for each in range(len(shape))]), shape)]


ELEMENTWISE: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "add_any": np.add,
    "and": np.bitwise_and,
    "eq": np.equal,
    "ge": np.greater_equal,
    "gt": np.greater,
    "le": np.less_equal,
    "lt": np.less,
    "max": np.maximum,
    "min": np.minimum,
    "mul": np.multiply,
    "ne": np.not_equal,
    "neg": np.negative,
    "not": np.invert,
    "or": np.bitwise_or,
    "rem": np.fmod,
    "sub": np.subtract,
    "xor": np.bitwise_xor,
}
COMPUTATIONS: dict[str, Rule] = {
    "clamp": lambda arrays, params: [np.minimum(np.maximum(arrays[1], arrays[0]), arrays[2])],
    "convert_element_type": lambda arrays, params: [arrays[0].astype(params["new_dtype"])],
    "iota": _iota,
    "select_n": lambda arrays, params: [np.choose(arrays[0].astype(int), arrays[1:])],
    **{name: _elementwise(function) for name, function in ELEMENTWISE.items()},
}
