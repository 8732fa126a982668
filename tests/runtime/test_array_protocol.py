"""Objects with ``__jax_array__`` as arguments of every function of `olympus.numpy`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

jax = pytest.importorskip("jax", reason="the functions are those of JAX")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from array_calls import CALLS, LEFT_OUT, NOT_GIVEN, Call  # noqa: E402
from releases import AT_BOUNDARY, VERSION, since  # noqa: E402

import olympus.numpy as onp  # noqa: E402
from olympus.namespace.array_protocol import SupportsJAXArray, converted  # noqa: E402
from olympus.namespace.explaining import Failure  # noqa: E402
from olympus.namespace.key_errors import not_converted  # noqa: E402

PAGE = Path(__file__).parents[2] / "docs" / "runtime" / "arrays.md"


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


def test_a_class_that_exec_makes_without_a_module_is_a_class_of_the_user():
    names: dict[str, Any] = {}
    exec("class Bare:\n    def __jax_array__(self):\n        return 3", names)
    assert names["Bare"].__module__ == "builtins"
    assert onp.add(names["Bare"](), 1) == 4
    assert converted([names["Bare"](), 2])[0] == 3


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


def outcome(function: Callable[..., Any], call: Call, make: Callable[[Any], Any]) -> list[Any]:
    """Return what a call gives: the program that JAX would compile, which takes longer, and the values put into it.

    Of a function that has to know values it is the result: values with the types and dtypes of the arrays among them.
    """
    args, kwargs = with_arrays((call.args, call.kwargs), lambda array: make(jnp.asarray(array)))
    try:
        program, structure = jax.make_jaxpr(lambda: function(*args, **kwargs), return_shape=True)()
        return [anonymous(program), str(structure), *map(described, program.consts)]
    except (jax.errors.JAXTypeError, jax.errors.JAXIndexError, TypeError, ValueError):  # TypeError: it gives a text
        leaves, structure = jax.tree.flatten(function(*args, **kwargs))
        return [str(structure), *map(described, leaves)]


def anonymous(program: Any) -> str:
    """Return the text of a jaxpr without the addresses of functions among the parameters of its equations."""
    return re.sub(r"0x[0-9a-f]+", "address", str(program))


def described(leaf: Any) -> Any:
    if isinstance(leaf, jax.Array):
        return leaf.dtype, leaf.shape, leaf.weak_type, np.asarray(leaf).tobytes()
    return repr(leaf)


def takes(function: Callable[..., Any], call: Call) -> bool:
    """Return whether a function has the parameters that a call gives."""
    try:
        inspect.signature(function).bind(*call.args, **call.kwargs)
    except TypeError:
        return False
    return True


NEW = {
    "from_dlpack": since("0.7", "from_dlpack in compiled code"),
    "einsum_path": since("0.10", "a traced function that gives a text is a TypeError"),
}
OF_CALLS = since("0.10", "the functions that array_calls.py calls")
ALL = [
    pytest.param(name, call, id=f"{name}-{i}", marks=NEW.get(name, ()))
    for number, (name, calls) in enumerate(CALLS.items())
    for i, call in enumerate(calls)
    if i == number % len(calls)  # of each function one call, and of all functions calls of each sort
]


@pytest.mark.parametrize(("name", "call"), ALL)
def test_an_object_counts_as_its_array(name: str, call: Call):
    if VERSION < (0, 10) and not takes(function_of(jnp, name), call):
        pytest.skip(f"{name} of this JAX has other parameters")
    expected = outcome(function_of(jnp, name), call, lambda array: array)
    assert outcome(function_of(onp, name), call, Unregistered) == expected
    assert outcome(function_of(onp, name), call, Registered) == expected
    expected_when_traced = traced(function_of(jnp, name), call, jnp.asarray)
    assert traced(function_of(onp, name), call, Registered) == expected_when_traced


# Each function that a description is enough for, with the attributes; `full_like` takes its value besides.
DESCRIBED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("empty_like", "full_like", "ones_like", "zeros_like"), ("shape", "dtype")),
    **dict.fromkeys(("iscomplexobj", "isrealobj", "result_type"), ("dtype",)),
    "issubdtype": ("dtype",),
    "ndim": ("ndim",),
    "shape": ("shape",),
    "size": ("size",),
}
DESCRIPTION = {"shape": (2, 3), "dtype": np.dtype("complex64"), "ndim": 2, "size": 6}
MORE = {"full_like": (2,), "issubdtype": (np.inexact,)}


def refuse(self: object) -> None:
    raise LookupError("__jax_array__ was called")


def with_attributes(*names: str) -> Any:
    return type("Described", (), {"__jax_array__": refuse, **{name: DESCRIPTION[name] for name in names}})()


@pytest.mark.parametrize("name", DESCRIBED)
def test_a_description_is_preferred_to_the_array(name: str):
    described_ = with_attributes(*DESCRIBED[name])
    with pytest.raises(LookupError):  # or this test would show nothing
        onp.asarray(described_)
    ours, theirs = (getattr(module, name)(described_, *MORE.get(name, ())) for module in (onp, jnp))
    assert described(ours) == described(theirs)
    more = {"dtype": "int8", "shape": (4,)} if name.endswith("_like") else {}
    ours, theirs = (getattr(module, name)(described_, *MORE.get(name, ()), **more) for module in (onp, jnp))
    assert described(ours) == described(theirs)


@pytest.mark.parametrize("name", DESCRIBED)
def test_half_a_description_is_not_enough(name: str):
    half = {"shape": "ndim", "ndim": "dtype", "size": "ndim"}.get(name, "shape")
    with pytest.raises(LookupError):
        getattr(onp, name)(with_attributes(half), *MORE.get(name, ()))


@pytest.mark.parametrize("name", [name for name in DESCRIBED if name not in {"issubdtype"}])
def test_an_object_without_a_description_becomes_an_array_all_the_same(name: str):
    data, more = np.ones((2, 3), "complex64"), MORE.get(name, ())
    assert described(getattr(onp, name)(Unregistered(data), *more)) == described(getattr(jnp, name)(data, *more))


def test_the_value_of_full_like_is_converted():
    result = onp.full_like(with_attributes("shape", "dtype"), Unregistered(3))
    assert described(result) == described(jnp.full((2, 3), 3, "complex64"))


NUMBERS = (True, 2, 0.5, 2j)


class Verbatim(Unregistered):
    def __jax_array__(self) -> Any:
        return self.data


@pytest.mark.parametrize("make", [Unregistered, Verbatim], ids=["its array", "the number"])
@pytest.mark.parametrize("number", NUMBERS)
def test_weak_types_stay_weak(number: complex, make: type[Unregistered]):
    array, weak = jnp.ones(3, jnp.bfloat16), make(number)
    expected = array + number
    assert expected.dtype == (array + weak).dtype  # JAX's operator converts
    assert described(onp.add(array, weak)) == described(expected)
    assert described(onp.where(True, array, weak)) == described(jnp.where(True, array, number))
    assert onp.result_type(array, weak) == jnp.result_type(array, number)
    assert described(jax.jit(lambda: onp.add(array, weak))()) == described(expected)


@pytest.mark.parametrize("make", [Unregistered, Verbatim], ids=["its array", "the number"])
@pytest.mark.parametrize("name", ["array", "asarray", "copy"])
@pytest.mark.parametrize("number", NUMBERS)
def test_arrays_that_are_made_of_objects_are_strong(number: complex, name: str, make: type[Unregistered]):
    theirs = getattr(jnp, name)(make(number))
    assert not theirs.weak_type
    assert described(getattr(onp, name)(make(number))) == described(theirs)
    assert described(getattr(onp, name)(jnp.asarray(number))) == described(getattr(jnp, name)(jnp.asarray(number)))


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
        return anonymous(jax.make_jaxpr(flat)(*map(make, arrays)))
    except (jax.errors.JAXTypeError, jax.errors.JAXIndexError, TypeError, ValueError) as error:
        return type(error).__name__


@OF_CALLS
def test_every_function_is_called_or_left_out_for_a_reason():
    names = set(functions())
    assert names - set(CALLS) - set(LEFT_OUT) == set(), "these functions need a call in array_calls.py"
    assert set(CALLS) & set(LEFT_OUT) == set()


def test_no_call_is_of_a_function_that_is_gone():
    assert set(CALLS) | set(LEFT_OUT) <= set(functions())


def test_the_page_says_which_functions_are_left_out():
    page = PAGE.read_text("utf-8")
    release = re.search(r"With JAX (\S+), a test", page)
    assert release
    if release[1] != jax.__version__:
        pytest.skip(f"the page is about JAX {release[1]}, and {jax.__version__} is installed")
    assert f"{len(CALLS)} of the {len(functions())} functions" in page
    for reason in set(LEFT_OUT.values()):
        names = ", ".join(f"`{name}`" for name in sorted(LEFT_OUT) if LEFT_OUT[name] == reason)
        assert f"| {names} | {reason} |" in page


def given(name: str) -> set[str]:
    """Return the parameters of a function that are an array, or hold one, in one of its calls."""
    found = set()
    for call in CALLS[name]:
        bound = inspect.signature(function_of(jnp, name)).bind(*call.args, **call.kwargs)
        for parameter, value in bound.arguments.items():
            with_arrays(value, lambda _, parameter=parameter: found.add(parameter))
    return found


@OF_CALLS
def test_every_parameter_for_arrays_gets_one():
    parameters = {
        (name, parameter.name)
        for name in CALLS
        for parameter in inspect.signature(function_of(onp, name)).parameters.values()
        if "SupportsJAXArray" in str(parameter.annotation)
    }
    assert parameters - {(name, parameter) for name in CALLS for parameter in given(name)} == set(NOT_GIVEN)


# -- what is converted, and what is not ---------------------------------------------------------------------------


class Pair(NamedTuple):
    left: Any
    right: Any


@pytest.mark.parametrize(
    "value",
    [
        None,
        3,
        "ij,jk->ik",
        slice(1, 2),
        np.arange(3),
        np.float32(1.0),
        jnp.float32,
        np.dtype("int32"),
        len,
        Unregistered,
        [1, 2.0],
        (2, -1),
        Pair(1, None),
        {"size": 3, "axis": int},
        [[1, 2], (3, "x")],
    ],
    ids=repr,
)
def test_what_is_no_object_stays_the_same(value: Any):
    assert converted(value) is value


def test_arrays_and_tracers_stay_the_same():
    x = jnp.arange(3.0)
    assert converted(x) is x
    assert jax.jit(lambda y: converted(y) is y and y)(True)
    assert jax.vmap(lambda y: y if converted(y) is y else None)(x).tolist() == [0.0, 1.0, 2.0]


def test_containers_are_looked_through():
    x = Unregistered([1.0])
    assert converted([1, [x]])[1][0].tolist() == [1.0]
    assert converted((x, "x"))[1] == "x"
    assert converted({"a": x, "b": 2})["a"].tolist() == [1.0]
    pair = converted(Pair(x, 2))
    assert isinstance(pair, Pair)
    assert pair.left.tolist() == [1.0]


def test_an_object_that_is_a_list_counts_as_its_array():
    class Samples(list[float]):
        def __jax_array__(self) -> jax.Array:
            return jnp.asarray(sum(self))

    assert onp.add(Samples([1.0, 2.0]), 1) == 4


def test_a_method_of_the_instance_counts_as_in_jax():
    x = SimpleNamespace(__jax_array__=lambda: jnp.ones(2))
    assert onp.add(x, jnp.asarray(x)).tolist() == [2.0, 2.0]


def test_the_own_objects_of_jax_are_left_to_it():
    from jax import export

    (size,) = export.symbolic_shape("size")
    assert hasattr(size, "__jax_array__")
    exported = export.export(jax.jit(lambda x: onp.reshape(x, (x.shape[0], 1))))(
        jax.ShapeDtypeStruct((size,), jnp.float32)
    )
    assert str(exported.out_avals) == "(ShapedArray(float32[size,1]),)"


@pytest.mark.parametrize("array", [np.arange(3), np.float32(2), 3, True, 1.5, 2j, jnp.asarray(2.0)], ids=repr)
def test_numbers_and_numpy_arrays_count_as_arrays(array: Any):
    class Held:
        def __jax_array__(self) -> Any:
            return array

    result, expected = converted(Held()), jnp.asarray(array)
    assert described(result) == described(expected)


def test_a_key_array_stays_one():
    class Held:
        def __jax_array__(self) -> jax.Array:
            return jax.random.split(jax.random.key(0))

    assert onp.shape(Held()) == (2,)
    assert jax.dtypes.issubdtype(onp.stack([Held()]).dtype, jax.dtypes.prng_key)


class Broken:
    """An object with a method that does not work."""

    class Error(Exception):
        """What it raises."""

    def __jax_array__(self) -> jax.Array:
        raise self.Error("not loaded yet")


def test_what_the_method_raises_is_passed_on():
    with pytest.raises(Broken.Error, match="not loaded yet"):
        onp.sin(Broken())


@pytest.mark.parametrize("returned", [None, [1.0], "array", object(), Unregistered([1.0])], ids=type)
def test_a_method_that_returns_no_array_is_an_error(returned: Any):
    class Wrong:
        def __jax_array__(self) -> Any:
            return returned

    with pytest.raises(TypeError) as caught:
        onp.concatenate([jnp.ones(2), Wrong()])
    kind = type(returned).__name__
    assert f"Wrong.__jax_array__() returned an object of type {kind}, which is no array" in str(caught.value)


def test_the_protocol_is_a_type():
    assert isinstance(Unregistered(1.0), SupportsJAXArray)
    assert not isinstance(object(), SupportsJAXArray)
    assert not isinstance(jnp.ones(2), SupportsJAXArray)


def test_operators_of_arrays_convert_in_jax_itself():
    x, y = jnp.arange(2.0), Unregistered([1.0, 2.0])
    assert (x + y).tolist() == (y.__jax_array__() + x).tolist() == [1.0, 3.0]
    assert (x @ y).tolist() == 2.0
    assert (x < y).tolist() == [True, True]
    assert x.at[0].set(Unregistered(5.0)).tolist() == [5.0, 1.0]


def test_index_tricks_convert_in_jax_itself():
    x = Unregistered([1.0, 2.0])
    assert onp.r_[x, 3.0].tolist() == [1.0, 2.0, 3.0]
    assert onp.c_[x, x].shape == (2, 2)


def test_dtypes_convert_in_jax_itself():
    assert onp.int32(Unregistered([1.0])).dtype == jnp.int32


# -- functions that call functions of the user --------------------------------------------------------------------


class CallableObject(Unregistered):
    """An object that is a function as well."""

    def __call__(self, *args: Any) -> Any:
        return jnp.sum(jnp.stack(args)) if len(args) > 1 else args[0] * 2


def test_an_object_in_the_place_of_a_function_is_called():
    f, x = CallableObject([5.0]), Unregistered(np.ones((2, 2)))
    assert onp.apply_along_axis(f, 0, x).tolist() == [[2, 2], [2, 2]]
    assert onp.vectorize(f)(x).tolist() == [[2, 2], [2, 2]]
    assert onp.fromfunction(f, (2, 2)).shape == (2, 2)
    assert onp.piecewise(x, [x.data > 0], [f]).tolist() == [[2, 2], [2, 2]]


def test_an_object_in_the_place_of_an_array_is_not_called():
    assert onp.sin(CallableObject([0.0])).tolist() == [0.0]
    assert onp.concatenate([CallableObject([0.0])]).tolist() == [0.0]


def test_what_is_handed_on_arrives_as_it_is():
    class Scale(Unregistered):
        pass

    def scaled(row: Any, scale: Any, *, offset: Any) -> Any:
        assert type(scale) is type(offset) is Scale
        return row * scale.data + offset.data

    scale = Scale(2.0)
    assert onp.apply_along_axis(scaled, 0, Unregistered([1.0]), scale, offset=scale).tolist() == [4.0]
    vectorized = onp.vectorize(lambda x, scale: scaled(x, scale, offset=scale), excluded={1})
    assert vectorized(Unregistered([1.0]), scale).tolist() == [4.0]


def test_a_ufunc_of_the_user_converts():
    add = onp.frompyfunc(lambda x, y: x + y, 2, 1, identity=0)
    x = Unregistered([1.0, 2.0])
    assert add(x, x).tolist() == [2.0, 4.0]
    assert add.reduce(x) == 3.0
    assert add.outer(x, x).shape == (2, 2)


def test_masks_are_made_of_a_function():
    rows, columns = onp.mask_indices(Unregistered(2), jnp.triu, 0)
    assert (rows.tolist(), columns.tolist()) == ([0, 0, 1], [0, 1, 1])


def test_files_are_written_with_the_arrays(tmp_path: Any):
    onp.save(tmp_path / "one.npy", Unregistered([1.0]))
    onp.savez(tmp_path / "two.npz", Unregistered([1.0]), named=Unregistered([2.0]))
    assert onp.load(tmp_path / "one.npy").tolist() == [1.0]
    assert onp.load(tmp_path / "two.npz")["named"].tolist() == [2.0]


# -- ufuncs -------------------------------------------------------------------------------------------------------

UFUNCS = [name for name in dir(jnp) if isinstance(getattr(jnp, name), jnp.ufunc)]


@pytest.mark.parametrize("name", UFUNCS)
def test_ufuncs_keep_their_attributes(name: str):
    ours, theirs = getattr(onp, name), getattr(jnp, name)
    assert isinstance(ours, onp.ufunc)
    assert ours == theirs
    assert hash(ours) == hash(theirs)
    for attribute in ("__name__", "__doc__", "nin", "nout", "nargs", "identity"):
        assert getattr(ours, attribute) == getattr(theirs, attribute)
    assert repr(ours) == repr(theirs)


@pytest.mark.parametrize("name", ["add", "logaddexp", "maximum"])
@pytest.mark.parametrize("make", [Unregistered, Registered])
def test_methods_of_ufuncs_convert(name: str, make: Callable[[Any], Any]):
    ours, theirs = getattr(onp, name), getattr(jnp, name)
    x, start, mask = np.float32([1, 2, 4]), np.float32(0.5), np.array([True, False, True])
    assert ours.reduce(make(x), initial=make(start), where=make(mask)) == theirs.reduce(x, initial=start, where=mask)
    assert described(ours.accumulate(make(x))) == described(theirs.accumulate(x))
    assert described(ours.outer(make(x), make(x))) == described(theirs.outer(x, x))
    at, index = np.array([0, 2]), np.array([0, 1])
    given, plain = (make(x), make(at), make(x[:2])), (x, at, x[:2])
    assert described(ours.at(*given, inplace=False)) == described(theirs.at(*plain, inplace=False))
    assert described(ours.reduceat(make(x), make(index))) == described(theirs.reduceat(jnp.asarray(x), index))


# -- transformations ----------------------------------------------------------------------------------------------


def test_transformations_keep_the_type_of_a_registered_object():
    seen = []

    def f(x: Any) -> Any:
        seen.append(type(x))
        return onp.sum(onp.sin(x) * x)

    x = Registered(jnp.arange(3.0))
    assert np.allclose(jax.jit(f)(x), f(x))
    assert isinstance(jax.grad(f)(x), Registered)
    assert jax.vmap(lambda x: onp.multiply(x, 2))(x).tolist() == [0.0, 2.0, 4.0]
    assert jax.lax.scan(lambda carry, x: (carry, onp.add(carry, x)), x, x)[1].shape == (3, 3)
    assert set(seen) == {Registered}


def test_gradients_flow_through_the_conversion():
    gradient = jax.grad(lambda data: onp.sum(onp.square(Unregistered(data))))(jnp.array([1.0, 3.0]))
    assert gradient.tolist() == [2.0, 6.0]


def failing(operation: str, function: Callable[..., Any], *arguments: Any, module: str = "olympus") -> str:
    """Return the explanation of the error that a call raises."""
    with pytest.raises(ValueError, match="Triggering __jax_array__") as caught:
        function(*arguments)
    text = not_converted(caught.value, Failure(operation, arguments, module=module))
    assert text is not None
    return text


TRANSFORMED = {
    "jit": jax.jit(lambda x: x),
    "vmap": jax.vmap(lambda x: x),
    "make_jaxpr": jax.make_jaxpr(lambda x: x),
    "eval_shape": lambda x: jax.eval_shape(lambda y: y, x),
    "checkpoint": jax.checkpoint(lambda x: x),
    "device_put": jax.device_put,
}


@AT_BOUNDARY
@pytest.mark.parametrize("operation", TRANSFORMED)
def test_an_unregistered_object_is_an_error_with_both_remedies(operation: str):
    text = failing(operation, TRANSFORMED[operation], Unregistered([1.0]))
    assert "convert Unregistered with olympus.numpy.asarray(x)" in text
    assert "jax.tree_util.register_dataclass or jax.tree_util.register_pytree_node_class" in text
    assert f"{operation} passes it on as it is" in text


@AT_BOUNDARY
def test_the_unregistered_one_of_two_is_named():
    text = failing("jit", jax.jit(lambda x, y: x), Registered([1.0]), Unregistered([1.0]))
    assert "convert Unregistered" in text


@AT_BOUNDARY
def test_an_object_that_is_returned_has_no_name_to_give():
    text = failing("jit", jax.jit(lambda: Unregistered(1.0)))
    assert "convert the object with olympus.numpy.asarray(x)" in text


@AT_BOUNDARY
def test_a_loop_is_a_transformation():
    text = failing("scan", jax.lax.scan, lambda carry, x: (carry, x), Unregistered(1.0), None, 2, module="olympus.lax")
    assert "register_dataclass" in text


@AT_BOUNDARY
@pytest.mark.parametrize("make", [Unregistered, Registered])
def test_functions_of_lax_do_not_convert(make: Callable[[Any], Any]):
    text = failing("sin", jax.lax.sin, make(1.0), module="olympus.lax")
    assert text == (
        f"sin takes arrays, and only olympus.numpy makes them of objects: "
        f"convert {make.__name__} with olympus.numpy.asarray(x)."
    )


@pytest.mark.parametrize("error", [ValueError("another"), TypeError("__jax_array__() during abstractification")])
def test_other_errors_are_not_explained(error: Exception):
    assert not_converted(error, Failure("jit", ())) is None


@AT_BOUNDARY
@pytest.mark.parametrize("make", [Unregistered, Registered])
def test_lax_and_random_do_not_convert(make: Callable[[Any], Any]):
    from olympus import lax, random

    with pytest.raises(ValueError, match="__jax_array__"):
        lax.sin(make(1.0))
    with pytest.raises(TypeError):
        random.normal(make(jax.random.key_data(jax.random.key(0))))
