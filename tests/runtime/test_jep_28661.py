"""The examples of JEP 28661, `Supporting the __jax_array__ protocol`, one after the other.

The blocks are the document's; where it leaves something out, a comment says what was put there.
"""

from __future__ import annotations

import inspect
from typing import Any

import pytest

jax = pytest.importorskip("jax", reason="the examples are about JAX")

import numpy as np  # noqa: E402
from releases import AT_BOUNDARY  # noqa: E402

import olympus  # noqa: E402
import olympus.numpy as jnp  # noqa: E402
from olympus.namespace.array_protocol import SupportsJAXArray  # noqa: E402


class CustomArray:
    data: np.ndarray

    def __init__(self, data: np.ndarray):
        self.data = data

    def __jax_array__(self) -> olympus.Array:
        return jnp.asarray(self.data)


@olympus.tree_util.register_pytree_node_class
class RegisteredArray(CustomArray):
    """The class as the document assumes it: registered as a pytree, with a method of its own."""

    def custom_method(self) -> olympus.Array:
        return jnp.sum(self)

    def tree_flatten(self) -> tuple[tuple[Any], None]:
        return (self.data,), None

    @classmethod
    def tree_unflatten(cls, _: None, children: tuple[Any]) -> RegisteredArray:
        return cls(*children)


def test_level_1_converts_the_input_and_returns_a_jax_array():
    x = CustomArray(np.arange(5))
    result = jnp.sin(x)  # Converts `x` to JAX array and returns a JAX array

    assert isinstance(result, olympus.Array)
    assert result.tolist() == jax.numpy.sin(jax.numpy.arange(5)).tolist()


def test_level_2_is_not_what_the_protocol_does():
    x = CustomArray(np.arange(5))
    result = jnp.sin(x)  # the document: "returns a new CustomArray", with a protocol for outputs, which is not there

    assert not isinstance(result, CustomArray)


def test_level_3_objects_of_a_subclass_are_no_arrays():
    class Mine(olympus.Array):
        pass

    with pytest.raises((NotImplementedError, TypeError)):
        jnp.sin(Mine())


def test_synopsis(capsys: pytest.CaptureFixture[str]):
    arr = CustomArray(np.arange(5))
    result = jnp.multiply(arr, 2)
    print(repr(result))

    assert capsys.readouterr().out == "Array([0, 2, 4, 6, 8], dtype=int32)\n"


@olympus.jit
def f(x: Any) -> None:
    print("is JAX array:", isinstance(x, olympus.Array))
    print(f"type(x)={type(x).__name__}")  # the second printing of the document


def test_at_the_jit_boundary_flattening_comes_first(capsys: pytest.CaptureFixture[str]):
    f(RegisteredArray(np.arange(5)))

    assert capsys.readouterr().out == "is JAX array: False\ntype(x)=RegisteredArray\n"


@AT_BOUNDARY
def test_at_the_jit_boundary_nothing_converts_by_itself():
    with pytest.raises(ValueError, match="Triggering __jax_array__"):
        f(CustomArray(np.arange(5)))


def test_casting_before_the_boundary_opts_in_to_conversion(capsys: pytest.CaptureFixture[str]):
    f(jnp.asarray(CustomArray(np.arange(5))))

    assert "is JAX array: True\n" in capsys.readouterr().out


def test_traced_attributes_become_one_traced_array():
    def total(x: RegisteredArray) -> olympus.Array:
        assert isinstance(x.data, olympus.core.Tracer)
        assert isinstance(jnp.asarray(x), olympus.core.Tracer)
        return jnp.sum(x)

    assert olympus.jit(total)(RegisteredArray(np.arange(5))) == 10


def test_the_results_with_and_without_jit_agree():
    def f(x: Any) -> olympus.Array:
        if isinstance(x, CustomArray):
            return x.custom_method()
        else:
            raise AssertionError("x is no longer a CustomArray")  # the document: do something else

    x = RegisteredArray(np.arange(5))
    result1 = f(x)
    result2 = olympus.jit(f)(x)

    assert result1 == result2 == 10


def test_vmap_goes_over_the_dimensions_of_the_flattened_contents():
    class Transposed(RegisteredArray):
        def __jax_array__(self) -> olympus.Array:
            return jnp.asarray(self.data).T

    olympus.tree_util.register_pytree_node_class(Transposed)
    x = Transposed(np.arange(6).reshape(2, 3))

    assert jnp.shape(x) == (3, 2)
    assert olympus.vmap(lambda row: jnp.sum(row))(x).tolist() == [3, 12]  # two rows of the contents, not three


def test_grad_treats_inputs_the_same_forward_and_backward():
    gradient = olympus.grad(lambda x: jnp.sum(jnp.square(x)))(RegisteredArray(np.arange(3.0)))

    assert isinstance(gradient, RegisteredArray)
    assert gradient.data.tolist() == [0.0, 2.0, 4.0]


@AT_BOUNDARY
def test_lax_is_not_among_the_supported_functions():
    x = CustomArray(np.arange(5.0))

    for add in (olympus.lax.add, olympus.lax.add_p.bind):
        with pytest.raises(ValueError, match="Triggering __jax_array__"):
            add(x, x)
    assert jnp.add(x, x).tolist() == [0.0, 2.0, 4.0, 6.0, 8.0]


def test_the_annotation_is_the_one_of_the_document():
    assert inspect.signature(jnp.add).parameters["args"].annotation == "ArrayLike | SupportsJAXArray"
    assert isinstance(CustomArray(np.arange(5)), SupportsJAXArray)
