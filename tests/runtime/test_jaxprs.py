"""Tracing: arguments, equations and jaxprs inside of them, and the user's call chain of each."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from source_places import at

jax = pytest.importorskip("jax", reason="these tests trace with JAX")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.experimental import pallas  # noqa: E402
from jax.sharding import Mesh, PartitionSpec  # noqa: E402

import olympus  # noqa: E402
from olympus.tracing.jaxprs import Equation, RawKey, Trace, raw_key, trace, typed_key  # noqa: E402
from olympus.tracing.spans import Chain, Span, diverging, traceback_chain  # noqa: E402

VERSION = jax.__version_info__
LINE = jax.ShapeDtypeStruct((4,), "float32")
WORDS = {
    "threefry2x32": 2,
    "rbg": 4,
    "unsafe_rbg": 4,
    **({"threefry4x32": 4, "philox2x32": 1, "philox4x32": 2} if VERSION >= (0, 10) else {}),
}


def chains(f: Callable[..., object], *args: object, of: str = "random_bits") -> list[Chain]:
    return [equation.chain for equation in trace(f, *args).equations() if equation.primitive == of]


def shard_map(*args: Any, **kwargs: Any) -> Any:
    if VERSION >= (0, 6, 1):
        return jax.shard_map(*args, **kwargs)
    from jax.experimental.shard_map import shard_map as older

    return older(*args, **kwargs)


# Abstract keys


@pytest.mark.parametrize("impl", WORDS)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
def test_abstract_keys_are_like_concrete_ones(impl: str, shape: tuple[int, ...]):
    typed, raw = typed_key(impl, shape), raw_key(impl, shape)
    concrete = jax.random.key(0, impl=impl)
    assert (typed.dtype, typed.shape) == (concrete.dtype, shape)
    assert (raw.dtype, raw.shape) == (np.dtype("uint32"), (*shape, WORDS[impl]))
    assert raw.shape[-1:] == jax.random.key_data(concrete).shape


def test_keys_are_of_the_default_generator():
    assert typed_key().dtype == jax.random.key(0).dtype
    assert raw_key().shape == jax.random.PRNGKey(0).shape
    with jax.default_prng_impl("rbg"):
        assert raw_key().shape == (4,)


def test_an_unknown_generator_is_refused():
    with pytest.raises(ValueError, match="nonsense"):
        typed_key("nonsense")


def test_a_generator_of_ones_own():
    from jax.extend.random import define_prng_impl

    def words(key: Any) -> Any:
        return key

    spec = define_prng_impl(
        key_shape=(1,),
        seed=lambda seed: jnp.reshape(seed, (1,)).astype("uint32"),
        split=lambda key, shape: jnp.zeros((*shape, 1), "uint32"),
        random_bits=lambda key, width, shape: jnp.zeros(shape, f"uint{width}"),
        fold_in=lambda key, datum: key,
        name="olympus_test",
        tag="olt",
    )
    assert raw_key(spec, (2,)).shape == (2, 1)
    assert "key<olt>[]" in str(trace(jax.random.split, typed_key(spec)).jaxpr.in_avals[0])


# Arguments


@jax.tree_util.register_pytree_with_keys_class
@dataclass
class State:
    key: Any
    step: Any

    def tree_flatten_with_keys(self) -> Any:
        get = jax.tree_util.GetAttrKey
        return ((get("key"), self.key), (get("step"), self.step)), None

    @classmethod
    def tree_unflatten(cls, _: object, children: Any) -> State:
        return cls(*children)


def test_inputs_have_readable_names():
    def step(state: State, keys: Any, /, rate: float, *rest: Any, table: Any, **options: Any) -> Any:
        return rate

    state = State(typed_key(), 3)
    keys = [typed_key(), raw_key()]
    traced = trace(step, state, keys, 0.1, LINE, (LINE,), table={"a": LINE}, seed=1)
    assert traced.names == (
        "state.key",
        "state.step",
        "keys[0]",
        "keys[1]",
        "rate",
        "rest[0]",
        "rest[1][0]",
        "seed",
        "table['a']",
    )
    assert len(traced.jaxpr.in_avals) == len(traced.names)
    assert traced.raw_keys == {3}


class Model:
    def draw(self, key: Any) -> Any:
        return jax.random.normal(key)


def test_a_method_is_traced_without_its_object():
    assert trace(Model().draw, raw_key()).names == ("key",)


def test_a_function_without_a_signature_has_numbered_inputs():
    assert trace(max, [1]).names == ("args[0][0]",)


def test_values_that_are_no_arrays_are_handed_over():
    seen = []

    def f(x: Any, how: str, inner: Any, nothing: None, names: Any, *, scale: Any) -> Any:
        seen.append((how, nothing, names.tolist(), scale))
        return inner(x)

    unit = object()
    traced = trace(f, 2.0, "fast", jnp.sin, None, np.array(["a", "b"]), scale=[unit])
    assert seen == [("fast", None, ["a", "b"], [unit])]
    assert traced.names == ("x",)


@pytest.mark.parametrize("value", [True, 1, 1.5, 2j, np.float32(1), np.arange(3), LINE, jnp.ones(2), typed_key()])
def test_whatever_jax_takes_is_an_input(value: Any):
    traced = trace(lambda x: None, value)
    expected = jax.make_jaxpr(lambda x: None)(value)
    assert traced.jaxpr.in_avals == expected.in_avals
    assert traced.raw_keys == frozenset()


def test_the_structure_of_the_result_is_kept():
    traced = trace(lambda x: {"a": (x, None), "b": [x]}, 1.0)
    assert traced.out_tree == jax.tree_util.tree_structure({"a": (1, None), "b": [1]})


def test_a_raw_key_is_an_ordinary_array_to_the_function():
    traced = trace(lambda key: key + 1, RawKey((5, 2)))
    assert traced.jaxpr.in_avals == [jax.core.ShapedArray((5, 2), np.dtype("uint32"))]


def test_no_device_is_touched():
    program = (
        "import jax; from olympus.tracing.jaxprs import *\n"
        "f = lambda key: jax.random.normal(jax.random.fold_in(jax.random.wrap_key_data(key), 1))\n"
        "print(len(list(trace(f, raw_key('rbg')).equations())) > 3, typed_key('rbg').dtype)\n"
        "try: jax.devices()\n"
        "except RuntimeError: print('there is none')\n"
    )
    environment = {**os.environ, "JAX_PLATFORMS": "olympus_has_none", "JAX_DEFAULT_PRNG_IMPL": "rbg"}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.splitlines() == ["True key<rbg>", "there is none"]


# Exceptions


class Odd(Exception):
    pass


def test_what_the_function_raises_passes_unchanged():
    error = Odd("as it was")

    @jax.jit
    def inner(x: Any) -> Any:
        raise error

    with pytest.raises(Odd) as caught:
        trace(lambda x: inner(x) + 1, 1.0)
    assert caught.value is error
    assert (error.args, error.__cause__) == (("as it was",), None)


def indexing(key: Any) -> Any:
    return jax.random.normal(key[0])


def calls_indexing(key: Any) -> Any:
    return 2 * jax.jit(indexing)(key)


def test_the_chain_of_an_exception_ends_at_the_traced_function():
    with pytest.raises((IndexError, TypeError)) as caught:
        trace(calls_indexing, typed_key())
    assert traceback_chain(caught.value) == (at(indexing, "key[0]"), at(calls_indexing, "jax.jit(indexing)(key)"))


# Chains: functions


def plain(key: Any) -> Any:
    return jax.random.normal(key)


def two_on_a_line(a: Any, b: Any) -> Any:
    return jax.random.normal(a) + jax.random.normal(b)


def non_ascii(key: Any) -> Any:
    é = "日本"; ключ = key; return len(é) * jax.random.normal(ключ)  # fmt: skip # noqa: E702


def several_lines(key: Any) -> Any:
    return 1 + jax.random.normal(
        key,
        shape=(2,),
    )


def in_a_lambda(key: Any) -> Any:
    return (lambda k: jax.random.normal(k))(key)


def in_a_comprehension(key: Any) -> Any:
    return [jax.random.normal(key) for _ in range(1)]


def helper(key: Any) -> Any:
    return jax.random.normal(key)


def helper_twice(key: Any) -> Any:
    first = helper(key)
    return first + helper(key + 0)


@jax.jit
def compiled(key: Any) -> Any:
    return jax.random.normal(key)


def compiled_twice(key: Any) -> Any:
    first = compiled(key)
    return first + compiled(jnp.array(key))


def compiled_in_helper_twice(key: Any) -> Any:
    def own(k: Any) -> Any:
        return compiled(k)

    return own(key) + own(jnp.array(key))


def mapped(keys: Any) -> Any:
    return jax.vmap(lambda k: jax.random.normal(k))(keys)


def compiled_map(keys: Any) -> Any:
    return jax.jit(jax.vmap(lambda k: jax.random.normal(k)))(keys)


def compiled_partial(key: Any) -> Any:
    return jax.jit(partial(lambda x, k: x * jax.random.normal(k), 2))(key)


def differentiated(x: Any, key: Any) -> Any:
    return jax.grad(lambda y: y * jax.random.normal(key))(x)


def compiled_and_differentiated(x: Any, key: Any) -> Any:
    return jax.value_and_grad(jax.jit(lambda y: y * jax.random.normal(key)))(x)


KEY = raw_key()
KEYS = raw_key(shape=(4,))
FUNCTIONS: list[tuple[Callable[..., object], tuple[object, ...], list[list[str]]]] = [
    (plain, (KEY,), [["jax.random.normal(key)"]]),
    (two_on_a_line, (KEY, KEY), [["jax.random.normal(a)"], ["jax.random.normal(b)"]]),
    (non_ascii, (KEY,), [["jax.random.normal(ключ)"]]),
    (several_lines, (KEY,), [["jax.random.normal(key, shape=(2,))"]]),
    (in_a_lambda, (KEY,), [["jax.random.normal(k)", "(lambda k: jax.random.normal(k))(key)"]]),
    (mapped, (KEYS,), [["jax.random.normal(k)", "jax.vmap(lambda k: jax.random.normal(k))(keys)"]]),
    (compiled_map, (KEYS,), [["jax.random.normal(k)", "jax.jit(jax.vmap(lambda k: jax.random.normal(k)))(keys)"]]),
    (
        compiled_partial,
        (KEY,),
        [["jax.random.normal(k)", "jax.jit(partial(lambda x, k: x * jax.random.normal(k), 2))(key)"]],
    ),
    (
        differentiated,
        (1.0, KEY),
        [["jax.random.normal(key)", "jax.grad(lambda y: y * jax.random.normal(key))(x)"]],
    ),
    (
        compiled_and_differentiated,
        (1.0, KEY),
        [["jax.random.normal(key)", "jax.value_and_grad(jax.jit(lambda y: y * jax.random.normal(key)))(x)"]],
    ),
]


@pytest.mark.parametrize(("f", "args", "expected"), FUNCTIONS, ids=lambda value: getattr(value, "__name__", ""))
def test_chains_in_functions(f: Callable[..., object], args: tuple[object, ...], expected: list[list[str]]):
    assert chains(f, *args) == [tuple(at(f, text) for text in chain) for chain in expected]


def test_a_comprehension_is_a_function_up_to_python_3_11():
    comprehension = "[jax.random.normal(key) for _ in range(1)]"
    (chain,) = chains(in_a_comprehension, KEY)
    inlined = sys.version_info >= (3, 12)
    assert [(s.line, s.column, s.end_column) for s in chain] == [
        (s.line, s.column, s.end_column)
        for s in [at(in_a_comprehension, "jax.random.normal(key)"), at(in_a_comprehension, comprehension)]
    ][: 1 if inlined else 2]


def test_a_helper_called_twice():
    one, other = chains(helper_twice, KEY)
    draw = at(helper, "jax.random.normal(key)")
    first, second = at(helper_twice, "helper(key)"), at(helper_twice, "helper(key + 0)")
    assert (one, other) == ((draw, first), (draw, second))
    assert diverging(one, other) == (first, second)


def test_a_compiled_function_called_twice():
    one, other = chains(compiled_twice, KEY)
    draw = at(compiled, "jax.random.normal(key)")
    first, second = at(compiled_twice, "compiled(key)"), at(compiled_twice, "compiled(jnp.array(key))")
    assert (one, other) == ((draw, first), (draw, second))
    assert diverging(one, other) == (first, second)


def test_a_compiled_function_that_was_traced_elsewhere():
    chains(compiled_twice, KEY)
    one, other = chains(compiled_in_helper_twice, KEY)
    draw, call = at(compiled, "jax.random.normal(key)"), at(compiled_in_helper_twice, "compiled(k)")
    first = at(compiled_in_helper_twice, "own(key)")
    second = at(compiled_in_helper_twice, "own(jnp.array(key))")
    assert (one, other) == ((draw, call, first), (draw, call, second))


def test_a_compiled_function_traced_by_itself_has_only_its_own_calls():
    assert chains(compiled, KEY) == [(at(compiled, "jax.random.normal(key)"),)]


def test_a_function_of_jax_traced_by_itself_has_no_chain():
    assert set(chains(jax.random.normal, KEY)) == {()}


def through_the_namespace(key: Any) -> Any:
    return olympus.jit(lambda k: olympus.vmap(olympus.random.normal)(k[None]))(key)


def test_the_namespace_is_not_in_the_chain():
    call = "olympus.jit(lambda k: olympus.vmap(olympus.random.normal)(k[None]))(key)"
    expected = (
        at(through_the_namespace, "olympus.vmap(olympus.random.normal)(k[None])"),
        at(through_the_namespace, call),
    )
    assert chains(through_the_namespace, typed_key()) == [expected]


def unpacking(key: Any) -> Any:
    a, b = jax.random.split(key)
    return a, b


def test_unpacking_is_at_its_targets():
    traced = trace(unpacking, typed_key())
    found = {equation.chain for equation in traced.equations() if equation.primitive in ("squeeze", "unstack")}
    targets = at(unpacking, "(a, b)", 0)
    assert found == {(targets,)}
    assert targets.end_column - targets.column == len("a, b")


def method_chain(x: Any) -> Any:
    return (
        jnp.sin(x)
        .reshape((2, 2))
        .sum()
    )  # fmt: skip


def test_a_call_of_a_method_chain_starts_at_the_name_of_its_method():
    # Python gives a call of a method on another line than its object the place of the name.
    whole = at(method_chain, "jnp.sin(x).reshape((2, 2)).sum()")
    ((found,),) = chains(method_chain, LINE, of="reduce_sum")
    assert found == Span(whole.file, whole.end_line, 10, whole.end_line, whole.end_column, whole.function)


# Chains: control flow and other jaxprs inside


def scanned(x: Any) -> Any:
    return jax.lax.scan(lambda c, _: (jnp.sin(c), None), x, None, length=3)


def while_looped(x: Any) -> Any:
    return jax.lax.while_loop(lambda a: jnp.sin(a[0]) < 0, lambda b: jnp.sin(b), x)


def counted(x: Any) -> Any:
    return jax.lax.fori_loop(0, 3, lambda i, c: jnp.sin(c), x)


def counted_to(x: Any, n: Any) -> Any:
    return jax.lax.fori_loop(0, n, lambda i, c: jnp.sin(c), x)


def branched(x: Any) -> Any:
    return jax.lax.cond(x[0] > 0, lambda a: jnp.sin(a), lambda b: jnp.sin(b), x)


def switched(x: Any, i: Any) -> Any:
    return jax.lax.switch(i, [lambda a: jnp.sin(a), lambda b: jnp.sin(b), lambda c: c], x)


def checkpointed(x: Any) -> Any:
    return jax.checkpoint(lambda a: jnp.sin(a))(x)


def sharded(x: Any) -> Any:
    mesh = Mesh(np.array(jax.devices()[:1]), ("i",))
    both = PartitionSpec("i")
    return shard_map(lambda a: jnp.sin(a), mesh=mesh, in_specs=both, out_specs=both)(x)


def parallel(x: Any) -> Any:
    return jax.pmap(lambda a: jnp.sin(a))(x[None])


def kernel(a_ref: Any, b_ref: Any) -> None:
    b_ref[...] = jnp.sin(a_ref[...])


def with_a_kernel(x: Any) -> Any:
    return pallas.pallas_call(kernel, out_shape=LINE, interpret=True)(x)


@jax.custom_jvp
def with_jvp(x: Any) -> Any:
    return jnp.sin(x)


@with_jvp.defjvp
def rule(primals: Any, tangents: Any) -> Any:
    return jnp.sin(primals[0]), tangents[0]


@jax.custom_vjp
def with_vjp(x: Any) -> Any:
    return jnp.sin(x)


def forward(x: Any) -> Any:
    return jnp.sin(x), x


with_vjp.defvjp(forward, lambda saved, g: (g,))


def custom(x: Any) -> Any:
    return with_jvp(x) + with_vjp(x)


def custom_differentiated(x: Any) -> Any:
    return jax.grad(lambda y: with_jvp(y) + with_vjp(y))(x)


def solved(x: Any) -> Any:
    return jax.lax.custom_linear_solve(lambda a: 2 * a, x, lambda _, b: jnp.sin(b), symmetric=True)


def elementwise(x: Any) -> Any:
    return jax.lax.map(lambda a: jnp.sin(a), x)


def piecewise(x: Any) -> Any:
    return jnp.piecewise(x, [x < 0], [lambda a: jnp.sin(a), lambda b: jnp.sin(b)])


def nested(x: Any) -> Any:
    def body(c: Any, _: Any) -> Any:
        return jax.lax.cond(c[0] > 0, lambda a: jax.jit(lambda b: jnp.sin(b))(a), lambda a: a, c), None

    return jax.lax.scan(body, x, None, length=3)


def body_twice(x: Any) -> Any:
    def body(c: Any, _: Any) -> Any:
        return jnp.sin(c), None

    once, _ = jax.lax.scan(body, x, None, length=3)
    return jax.lax.scan(body, once, None, length=3)


Place = tuple[Callable[..., object], str]
CONTROL: list[tuple[Callable[..., object], tuple[object, ...], list[list[str | Place]]]] = [
    (scanned, (LINE,), [["jnp.sin(c)", "jax.lax.scan(lambda c, _: (jnp.sin(c), None), x, None, length=3)"]]),
    (
        while_looped,
        (LINE,),
        [
            ["jnp.sin(a[0])", "jax.lax.while_loop(lambda a: jnp.sin(a[0]) < 0, lambda b: jnp.sin(b), x)"],
            ["jnp.sin(b)", "jax.lax.while_loop(lambda a: jnp.sin(a[0]) < 0, lambda b: jnp.sin(b), x)"],
        ],
    ),
    (counted, (LINE,), [["jnp.sin(c)", "jax.lax.fori_loop(0, 3, lambda i, c: jnp.sin(c), x)"]]),
    (counted_to, (LINE, 3), [["jnp.sin(c)", "jax.lax.fori_loop(0, n, lambda i, c: jnp.sin(c), x)"]]),
    (
        branched,
        (LINE,),
        [  # the branch for false comes first
            ["jnp.sin(b)", "jax.lax.cond(x[0] > 0, lambda a: jnp.sin(a), lambda b: jnp.sin(b), x)"],
            ["jnp.sin(a)", "jax.lax.cond(x[0] > 0, lambda a: jnp.sin(a), lambda b: jnp.sin(b), x)"],
        ],
    ),
    (
        switched,
        (LINE, 1),
        [
            ["jnp.sin(a)", "jax.lax.switch(i, [lambda a: jnp.sin(a), lambda b: jnp.sin(b), lambda c: c], x)"],
            ["jnp.sin(b)", "jax.lax.switch(i, [lambda a: jnp.sin(a), lambda b: jnp.sin(b), lambda c: c], x)"],
        ],
    ),
    (checkpointed, (LINE,), [["jnp.sin(a)", "jax.checkpoint(lambda a: jnp.sin(a))(x)"]]),
    (
        sharded,
        (LINE,),
        [["jnp.sin(a)", "shard_map(lambda a: jnp.sin(a), mesh=mesh, in_specs=both, out_specs=both)(x)"]],
    ),
    (parallel, (LINE,), [["jnp.sin(a)", "jax.pmap(lambda a: jnp.sin(a))(x[None])"]]),
    (
        with_a_kernel,
        (LINE,),
        [[(kernel, "jnp.sin(a_ref[...])"), "pallas.pallas_call(kernel, out_shape=LINE, interpret=True)(x)"]],
    ),
    (
        custom,
        (1.0,),
        [[(with_jvp, "jnp.sin(x)"), "with_jvp(x)"], [(with_vjp, "jnp.sin(x)"), "with_vjp(x)"]],
    ),
    (
        custom_differentiated,
        (1.0,),
        [
            [(rule, "jnp.sin(primals[0])"), "with_jvp(y)", "jax.grad(lambda y: with_jvp(y) + with_vjp(y))(x)"],
            [(forward, "jnp.sin(x)"), "with_vjp(y)", "jax.grad(lambda y: with_jvp(y) + with_vjp(y))(x)"],
        ],
    ),
    (
        solved,
        (LINE,),
        [["jnp.sin(b)", "jax.lax.custom_linear_solve(lambda a: 2 * a, x, lambda _, b: jnp.sin(b), symmetric=True)"]]
        * 2,
    ),
    (elementwise, (LINE,), [["jnp.sin(a)", "jax.lax.map(lambda a: jnp.sin(a), x)"]]),
    (
        piecewise,
        (LINE,),
        [
            ["jnp.sin(b)", "jnp.piecewise(x, [x < 0], [lambda a: jnp.sin(a), lambda b: jnp.sin(b)])"],
            ["jnp.sin(a)", "jnp.piecewise(x, [x < 0], [lambda a: jnp.sin(a), lambda b: jnp.sin(b)])"],
        ],
    ),
    (
        nested,
        (LINE,),
        [
            [
                "jnp.sin(b)",
                "jax.jit(lambda b: jnp.sin(b))(a)",
                "jax.lax.cond(c[0] > 0, lambda a: jax.jit(lambda b: jnp.sin(b))(a), lambda a: a, c)",
                "jax.lax.scan(body, x, None, length=3)",
            ]
        ],
    ),
    (
        body_twice,
        (LINE,),
        [
            ["jnp.sin(c)", "jax.lax.scan(body, x, None, length=3)"],
            ["jnp.sin(c)", "jax.lax.scan(body, once, None, length=3)"],
        ],
    ),
]


@pytest.mark.parametrize(("f", "args", "expected"), CONTROL, ids=lambda value: getattr(value, "__name__", ""))
def test_chains_in_control_flow(f: Callable[..., object], args: tuple[object, ...], expected: list[list[str | Place]]):
    places = [tuple(at(f, place) if isinstance(place, str) else at(*place) for place in chain) for chain in expected]
    assert chains(f, *args, of="sin") == places


WITH_JAXPRS = [
    (compiled, (KEY,), ("jit", 1)),
    (scanned, (LINE,), ("scan", 1)),
    (while_looped, (LINE,), ("while", 2)),
    (branched, (LINE,), ("cond", 2)),
    (switched, (LINE, 1), ("cond", 3)),
    (checkpointed, (LINE,), ("remat2", 1)),
    (sharded, (LINE,), ("shard_map", 1)),
    (with_a_kernel, (LINE,), ("pallas_call", 1)),
    (with_jvp, (1.0,), ("custom_jvp_call", 1)),
    (with_vjp, (1.0,), ("custom_vjp_call", 1)),
    (solved, (LINE,), ("custom_linear_solve", 4)),
]


@pytest.mark.parametrize(("f", "args", "expected"), WITH_JAXPRS, ids=lambda value: getattr(value, "__name__", ""))
def test_jaxprs_inside_have_the_name_of_their_parameter(
    f: Callable[..., object], args: tuple[object, ...], expected: tuple[str, int]
):
    found = next(equation for equation in trace(f, *args).equations() if equation.subs)
    assert (found.primitive, len(found.subs)) == expected
    assert all(sub.parameter in found.params for sub in found.subs)
    if found.primitive == "while":
        assert [sub.parameter for sub in found.subs] == ["cond_jaxpr", "body_jaxpr"]
    assert all(isinstance(sub.jaxpr, jax.extend.core.Jaxpr) for sub in found.subs)
    assert all(len(sub.consts) == len(sub.jaxpr.constvars) for sub in found.subs if found.primitive != "pallas_call")


# Equations


def all_jaxprs(jaxpr: Any) -> Iterator[Any]:
    yield jaxpr
    for eqn in jaxpr.eqns:
        for inner in jax.core.jaxprs_in_params(eqn.params) if VERSION < (0, 10) else ():
            yield from all_jaxprs(inner)
        for inner in jax.extend.core.jaxprs_in_params(eqn.params) if VERSION >= (0, 10) else ():
            yield from all_jaxprs(inner)


@pytest.mark.parametrize("f", [f for f, args, _ in CONTROL if args == (LINE,)])
def test_every_equation_is_visited_once(f: Callable[..., object]):
    traced = trace(f, LINE)
    visited = [id(equation.eqn) for equation in traced.equations()]
    assert sorted(visited) == sorted(id(eqn) for jaxpr in all_jaxprs(traced.jaxpr.jaxpr) for eqn in jaxpr.eqns)


def test_equations_come_outer_before_inner():
    order = [(equation.primitive, depth(equation)) for equation in trace(nested, LINE).equations()]
    assert order[0] == ("scan", 0)
    assert [pair for pair in order if pair[0] in {"scan", "cond", "jit", "sin"}] == [
        ("scan", 0),
        ("cond", 1),
        ("jit", 2),
        ("sin", 3),
    ]


def depth(equation: Equation) -> int:
    return 0 if equation.outer is None else 1 + depth(equation.outer)


def test_an_equation_shows_what_jax_has():
    equation = next(trace(scanned, LINE).equations())
    assert list(equation.inputs) == list(equation.eqn.invars)
    assert list(equation.outputs) == list(equation.eqn.outvars)
    assert equation.params["length"] == 3


def test_an_equation_made_by_hand_finds_its_jaxpr():
    loop = next(trace(while_looped, LINE).equations())
    for sub in loop.subs:
        for eqn, walked in zip(sub.jaxpr.eqns, loop.sub_equations(sub), strict=True):
            made = Equation(eqn, loop)
            assert made.sub is sub
            assert (made.chain, made.internal) == (walked.chain, walked.internal)


def test_an_equation_at_the_top_is_in_no_jaxpr_of_another():
    with pytest.raises(ValueError, match="scan"):
        _ = next(trace(scanned, LINE).equations()).sub


def internal(traced: Trace) -> set[str]:
    return {equation.primitive for equation in traced.equations() if equation.internal}


def test_the_inside_of_a_function_of_jax_is_internal():
    traced = trace(compiled_twice, typed_key())
    assert "random_bits" in internal(traced)
    own = [equation for equation in traced.equations() if depth(equation) < 2]
    assert {equation.primitive for equation in own} >= {"jit"}
    assert not any(equation.internal for equation in own)


def test_loops_inside_a_function_of_jax_are_internal():
    equations = list(trace(lambda key: jax.random.poisson(key, 3.0), typed_key()).equations())
    loops = [equation for equation in equations if equation.primitive == "while"]
    inside = [equation for equation in equations if equation.outer in loops]
    assert loops
    assert inside
    assert all(equation.internal for equation in loops + inside)


def test_what_a_function_of_jax_calls_back_is_not_internal():
    assert "sin" not in internal(trace(piecewise, LINE))
    assert "select_n" in internal(trace(piecewise, LINE))


def test_a_jaxpr_of_a_user_inside_a_function_of_jax_is_not_internal():
    def f(x: Any) -> Any:
        pieces = [lambda a: jax.lax.fori_loop(0, 3, lambda i, b: jnp.sin(b), a), 0.0]
        return jnp.piecewise(x, [x < 0], pieces)

    ((draw, mapping, call),) = chains(f, LINE, of="sin")
    assert draw == at(f, "jnp.sin(b)")
    assert mapping == at(f, "jax.lax.fori_loop(0, 3, lambda i, b: jnp.sin(b), a)")
    assert call == at(f, "jnp.piecewise(x, [x < 0], pieces)")
    assert internal(trace(f, LINE)).isdisjoint({"sin", "scan"})


def test_a_derivative_adds_no_place_inside_functions_of_jax():
    # The derivative of a loop gives the inside of `relu` the frames of the call from outside.
    def f(x: Any) -> Any:
        return jax.lax.fori_loop(0, 3, lambda i, c: jax.nn.relu(c * x), x).sum()

    def gradient(x: Any) -> Any:
        return jax.grad(f)(x)

    outer = (
        at(f, "jax.lax.fori_loop(0, 3, lambda i, c: jax.nn.relu(c * x), x)"),
        at(gradient, "jax.grad(f)(x)"),
    )
    found = {equation.chain for equation in trace(gradient, LINE).equations()}
    inside = {chain for chain in found if chain[1:] == outer}
    assert {chain[0] for chain in inside} == {at(f, "jax.nn.relu(c * x)"), at(f, "c * x")}
    assert all(len(chain) <= 2 for chain in found - inside)


def test_a_backward_rule_has_the_place_of_the_forward_call():
    # JAX keeps no other: where it does one day, the page on tracing has to say so.
    chain = (at(backward, "with_backward_rule(y)"), at(backward, "jax.grad(lambda y: with_backward_rule(y))(x)"))
    assert set(chains(backward, 1.0, of="tan")) == {chain}


@jax.custom_vjp
def with_backward_rule(x: Any) -> Any:
    return x


with_backward_rule.defvjp(lambda x: (x, x), lambda saved, g: (g * jnp.tan(saved),))


def backward(x: Any) -> Any:
    return jax.grad(lambda y: with_backward_rule(y))(x)


def test_the_example_of_the_page(tmp_path: Path):
    page = Path(__file__).parents[2] / "docs" / "runtime" / "tracing.md"
    program, _, output = page.read_text("utf-8").partition("```python\n")[2].partition("```\n")
    (tmp_path / "draw.py").write_text(program)
    expected = output.partition("$ python draw.py\n")[2].partition("```")[0]
    command = [sys.executable, "draw.py"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.replace(f"{tmp_path}{os.sep}", "") == expected


PROGRAM = """\
import jax
from olympus.tracing.jaxprs import trace, raw_key

@jax.jit
def inner(key):
    return jax.random.normal(
        key)

def outer(key):
    return (1 +
        inner(key))

(chain,) = [e.chain for e in trace(outer, raw_key()).equations() if e.primitive == "random_bits"]
print(*chain, sep="\\n")
"""


def test_without_columns_there_are_lines(tmp_path: Path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    environment = {**os.environ, "PYTHONNODEBUGRANGES": "1"}
    command = [sys.executable, str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.split() == [f"{program}:6", f"{program}:11"]
