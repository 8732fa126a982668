"""The namespace ``olympus``: what resolves where, and what transformations return."""

from __future__ import annotations

import ast
import functools
import inspect
import operator
import pickle
import re
import weakref
from collections.abc import Callable
from pathlib import Path
from time import process_time
from timeit import repeat
from types import ModuleType

import pytest

jax = pytest.importorskip("jax", reason="the namespace stands for JAX's")

from releases import VERSION  # noqa: E402

import olympus  # noqa: E402
from olympus.errors import explained  # noqa: E402
from olympus.namespace.transforms import Compiled  # noqa: E402

jnp = jax.numpy
OURS = {"config", "default_prng_impl", "dtypes", "errors", "lax", "nn", "numpy", "random", "tree"}
TYPED = Path(olympus.__file__).with_name("jax_names.pyi")


def public(module: object) -> set[str]:
    return {name for name in dir(module) if not name.startswith("_")}


def bare(function: object) -> object:
    """Return what JAX has, of which a function of ours may be a wrapper."""
    return inspect.unwrap(function) if callable(function) else function


def test_every_public_name_of_jax_resolves():
    for name in public(jax) - OURS:
        theirs = getattr(jax, name)
        assert bare(getattr(olympus, name)) is bare(theirs), name


def test_dir_lists_the_public_names():
    # Names that another test's import made: jax.extend, jax.monitoring and so on are there when imported.
    modules = {name for name in public(jax) if inspect.ismodule(getattr(jax, name))}
    assert public(jax) - modules <= set(dir(olympus))
    assert OURS - {"numpy"} <= set(dir(olympus))
    for name in dir(olympus):
        assert getattr(olympus, name) is not None, name


@pytest.mark.parametrize("name", ["dtypes", "lax", "nn", "random", "tree", "errors"])
def test_modules_show_all_public_names_of_jax(name: str):
    theirs, ours = getattr(jax, name), getattr(olympus, name)
    assert ours.__name__ == f"olympus.{name}"
    assert public(theirs) <= public(ours)
    for entry in public(theirs):
        assert bare(getattr(ours, entry)) is bare(getattr(theirs, entry)), entry


def test_type_checkers_see_the_names():
    if jax.version.__version_info__[:2] != (0, 10):
        pytest.skip("the list for type checkers is that of JAX 0.10")
    (statement,) = ast.parse(TYPED.read_text("utf-8")).body
    assert isinstance(statement, ast.ImportFrom)
    listed = {alias.asname for alias in statement.names}
    modules = {name for name in public(jax) if inspect.ismodule(getattr(jax, name))}
    assert listed == (public(jax) - OURS - modules) | (listed & modules)
    assert not listed & OURS


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"^module 'olympus' has no attribute 'jitt'$") as caught:
        _ = olympus.jitt
    assert (caught.value.name, caught.value.obj) == ("jitt", olympus)
    with pytest.raises(AttributeError, match=r"^module 'olympus.random' has no attribute 'norml'$"):
        _ = olympus.random.norml
    with pytest.raises(AttributeError, match=r"^module 'olympus' has no attribute '_sources'$"):
        _ = olympus._sources


def test_ways_to_import():
    names: dict[str, object] = {}
    exec(
        "import olympus.random as r\nfrom olympus import dtypes, random, vmap\nfrom olympus.random import key, normal\n"
        "from olympus.lax import *\n",
        names,
    )
    assert names["r"] is names["random"] is olympus.random
    assert names["dtypes"] is olympus.dtypes
    assert names["vmap"] is olympus.vmap
    assert names["key"] is olympus.random.key
    assert names["scan"] is olympus.lax.scan
    assert names["add"] is olympus.lax.add
    assert names["add_p"] is jax.lax.add_p


def test_modules_below_jax_that_are_not_imported_with_it():
    assert olympus.example_libraries is jax.example_libraries


def test_reductions_know_our_functions():
    # By their identity: another function is traced, and compiled to a slower reduction.
    def reductions(lax: ModuleType) -> Callable[[jax.Array], object]:
        return lambda x: (
            lax.reduce(x, 0.0, lax.add, (0,)),
            lax.reduce(x, operator.neg(jnp.inf), computation=lax.max, dimensions=(0,)),
            lax.reduce_window(x, 0.0, lax.add, (2,), (1,), "VALID"),
            lax.reduce(x, 0.0, lambda a, b: a + b, (0,)),
        )

    found = (str(jax.make_jaxpr(reductions(lax))(jnp.ones(3))) for lax in (olympus.lax, jax.lax))
    ours, theirs = (re.sub("0x[0-9a-f]+", "0x…", each) for each in found)
    assert ours == theirs
    assert "reduce_sum" in ours and "reduce_max" in ours and "reduce_window_sum" in ours


# -- transformations stay what they are ---------------------------------------------------------------------------


def double(x: jax.Array, n: int = 2) -> jax.Array:
    """Multiply."""
    return x * n


def test_a_compiled_function_keeps_its_attributes():
    ours, theirs = olympus.jit(double), jax.jit(double)
    for name in public(theirs):
        assert getattr(ours, name) is not None
    assert isinstance(ours, jax.stages.Wrapped)
    assert ours.lower(1.0).compile()(1.0) == 2
    assert ours.trace(1.0).jaxpr.out_avals == theirs.trace(1.0).jaxpr.out_avals
    assert ours.eval_shape(1.0).shape == ()
    ours(1.0)
    assert ours._cache_size() == 1
    ours.clear_cache()
    assert ours._cache_size() == 0
    assert (ours.__name__, ours.__doc__, inspect.signature(ours)) == ("double", "Multiply.", inspect.signature(double))
    assert weakref.ref(ours)() is ours


def test_transformations_compose():
    x = jnp.arange(3.0)
    jitted = olympus.jit(olympus.jit(double))
    assert (jitted(x) == 2 * x).all()
    assert (olympus.vmap(jitted)(x) == 2 * x).all()
    assert (olympus.vmap(olympus.grad(jitted))(x) == 2).all()
    assert (olympus.jit(olympus.checkpoint(olympus.jit(double)))(x) == 2 * x).all()
    assert str(olympus.make_jaxpr(jitted)(1.0)) == str(jax.make_jaxpr(jax.jit(jax.jit(double)))(1.0))


def test_options_of_a_transformation():
    static = functools.partial(olympus.jit, static_argnames="n")(double)
    assert static(1.0, n=5) == 5
    if VERSION >= (0, 8):
        decorator = olympus.jit(static_argnums=1)
        assert decorator(double)(1.0, 7) == 7

    class Model:
        @olympus.jit
        def apply(self, x: jax.Array) -> jax.Array:
            return x + 1

    jax.tree_util.register_static(Model)
    assert Model().apply(1) == 2


def test_compiled_functions_are_shared_with_jax():
    def traced(x: jax.Array) -> jax.Array:
        counts.append(1)
        return x

    counts: list[int] = []
    olympus.jit(traced)(1.0)
    olympus.jit(traced)(1.0)
    jax.jit(traced)(1.0)
    assert len(counts) == 1


def test_functions_of_a_module_can_be_pickled():
    for function in (olympus.random.normal, olympus.random.key, olympus.lax.scan, olympus.jit, olympus.eval_shape):
        assert pickle.loads(pickle.dumps(function)) is function


@pytest.mark.parametrize("wrap", [explained, lambda function: Compiled(function, "jit")])
def test_a_call_costs_under_5_microseconds_more(wrap: Callable[[object], Callable[[int], int]]):
    wrapped = wrap(abs)
    ours = min(repeat(lambda: wrapped(1), timer=process_time, number=1000, repeat=20))
    bare = min(repeat(lambda: abs(1), timer=process_time, number=1000, repeat=20))
    assert (ours - bare) * 1e3 < 5  # CPU seconds for 1,000 calls
