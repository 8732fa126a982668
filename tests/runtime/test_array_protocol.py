"""Objects with ``__jax_array__`` as arguments of every function of `olympus.numpy`."""

from __future__ import annotations

import inspect
import io
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

jax = pytest.importorskip("jax", reason="the functions are those of JAX")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from array_calls import CALLS, LEFT_OUT, NOT_GIVEN, Call  # noqa: E402

import olympus.numpy as onp  # noqa: E402
from olympus.array_protocol import SupportsJAXArray, converted  # noqa: E402


class Unregistered:
    """An object that becomes an array, and nothing else."""

    def __init__(self, data: Any) -> None:
        self.data = data

    def __jax_array__(self) -> jax.Array:
        return jnp.asarray(self.data)


@jax.tree_util.register_pytree_node_class
class Registered(Unregistered):
    """An object that becomes an array, and that transformations can look into."""

    def tree_flatten(self) -> tuple[tuple[Any], None]:
        return (self.data,), None

    @classmethod
    def tree_unflatten(cls, _: None, children: tuple[Any]) -> Registered:
        return cls(*children)


def function_of(module: Any, name: str) -> Callable[..., Any]:
    for part in name.split("."):
        module = getattr(module, part)
    return module


def functions() -> list[str]:
    """Return the names of all functions of `jax.numpy` and its two submodules."""
    return [
        prefix + name
        for prefix, module in (("", jnp), ("fft.", jnp.fft), ("linalg.", jnp.linalg))
        for name in dir(module)
        if not name.startswith("_")
        and callable(getattr(module, name))
        and not isinstance(getattr(module, name), type)
        and not isinstance(getattr(module, name), type(jnp.float32))
        and hasattr(getattr(module, name), "__name__")
    ]


def with_arrays(value: Any, make: Callable[[np.ndarray], Any]) -> Any:
    """Return arguments in which something else stands for each array."""
    if isinstance(value, np.ndarray):
        return make(value)
    if isinstance(value, list | tuple):
        return type(value)(with_arrays(item, make) for item in value)
    if isinstance(value, dict):
        return {key: with_arrays(item, make) for key, item in value.items()}
    return value


def outcome(function: Callable[..., Any], call: Call, make: Callable[[np.ndarray], Any]) -> list[Any]:
    """Return what a call gives: values with the types and dtypes of the arrays among them."""
    result = function(*with_arrays(call.args, make), **with_arrays(call.kwargs, make))
    leaves, structure = jax.tree.flatten(result)
    described = [
        (leaf.dtype, leaf.shape, leaf.weak_type, np.asarray(leaf).tobytes()) if isinstance(leaf, jax.Array) else repr(leaf)
        for leaf in leaves
    ]
    return [str(structure), *described]


ALL = [pytest.param(name, call, id=f"{name}-{i}") for name, calls in CALLS.items() for i, call in enumerate(calls)]


@pytest.mark.parametrize(("name", "call"), ALL)
def test_an_object_counts_as_its_array(name: str, call: Call):
    expected = outcome(function_of(jnp, name), call, jnp.asarray)
    assert outcome(function_of(onp, name), call, Unregistered) == expected
    assert outcome(function_of(onp, name), call, Registered) == expected


def traced(function: Callable[..., Any], call: Call, make: Callable[[Any], Any]) -> str:
    """Return the jaxpr of a call whose arrays are traced, or the error of one that needs to know their values."""
    arrays: list[np.ndarray] = []
    with_arrays((call.args, call.kwargs), arrays.append)

    def flat(*given: Any) -> Any:
        assert all(type(item) is Registered for item in given) or make is jnp.asarray
        remaining = iter(given)
        args, kwargs = with_arrays((call.args, call.kwargs), lambda _: next(remaining))
        return jax.tree.leaves(function(*args, **kwargs))

    try:
        return str(jax.make_jaxpr(flat)(*map(make, arrays)))
    except (jax.errors.JAXTypeError, jax.errors.JAXIndexError, TypeError, ValueError) as error:
        return type(error).__name__


@pytest.mark.parametrize(("name", "call"), ALL)
def test_a_registered_object_counts_as_its_array_when_it_is_traced(name: str, call: Call):
    expected = traced(function_of(jnp, name), call, jnp.asarray)
    assert traced(function_of(onp, name), call, Registered) == expected


def test_every_function_is_called_or_left_out_for_a_reason():
    names = set(functions())
    assert names - set(CALLS) - set(LEFT_OUT) == set(), "these functions need a call in array_calls.py"
    assert set(CALLS) & set(LEFT_OUT) == set()


def test_no_call_is_of_a_function_that_is_gone():
    assert set(CALLS) | set(LEFT_OUT) <= set(functions())


def given(name: str) -> set[str]:
    """Return the parameters of a function that are an array, or hold one, in one of its calls."""
    found = set()
    for call in CALLS[name]:
        bound = inspect.signature(function_of(jnp, name)).bind(*call.args, **call.kwargs)
        for parameter, value in bound.arguments.items():
            with_arrays(value, lambda _, parameter=parameter: found.add(parameter))
    return found


def test_every_parameter_for_arrays_gets_one():
    parameters = {
        (name, parameter.name)
        for name in CALLS
        for parameter in inspect.signature(function_of(onp, name)).parameters.values()
        if "SupportsJAXArray" in str(parameter.annotation)
    }
    assert parameters - {(name, parameter) for name in CALLS for parameter in given(name)} == set(NOT_GIVEN)
