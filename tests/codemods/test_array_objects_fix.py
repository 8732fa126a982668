"""Fixes of OLY301 and OLY302 under JAX: what is flagged raises, and what the fix makes of it gives the same numbers."""

from __future__ import annotations

from typing import Any

import pytest

from olympus_lint.project.settings import Settings
from olympus_lint.run.engine import lint_text
from olympus_lint.run.fixing import fix_text

jax = pytest.importorskip("jax", reason="needs JAX, the extra `trace`")
np = pytest.importorskip("numpy")

PLAIN = """\
import jax
import jax.numpy as jnp
from jax import lax


class Box:
    def __init__(self, data):
        self.data = data

    def __jax_array__(self):
        return self.data
"""
REGISTERED = (
    PLAIN.replace("class Box", "@jax.tree_util.register_pytree_node_class\nclass Box")
    + """\

    def tree_flatten(self):
        return (self.data,), None

    @classmethod
    def tree_unflatten(cls, aux_data, children):
        return cls(*children)
"""
)
FILENAME = "program.py"


def result(program: str, **names: Any) -> Any:
    """Run a program and return the leaves of its ``result``, those of objects as their arrays."""
    namespace: dict[str, Any] = {"__name__": "program", **names}
    exec(compile(program, FILENAME, "exec"), namespace)
    leaves = jax.tree.leaves(namespace["result"])
    leaves = [leaf.__jax_array__() if type(leaf).__name__ == "Box" else leaf for leaf in leaves]
    return [np.asarray(jax.random.key_data(leaf) if _is_key(leaf) else leaf).tolist() for leaf in leaves]


def _is_key(leaf: Any) -> bool:
    return isinstance(leaf, jax.Array) and jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def flagged(program: str) -> list[str]:
    return [finding.code for finding in lint_text(FILENAME, program, Settings()).findings]


X, INDEX, KEY = "jnp.array([3.0, 1.0, 2.0])", "jnp.array(1)", "jax.random.key(7)"
OUTSIDE = {
    "lax.add": ("lax.add({}, {})", X, X),
    "lax.mul": ("lax.mul({}, {})", X, X),
    "lax.sin": ("lax.sin({})", X),
    "lax.neg": ("lax.neg(x={})", X),
    "lax.reshape": ("lax.reshape({}, (3, 1))", X),
    "lax.broadcast": ("lax.broadcast({}, (2,))", X),
    "lax.broadcast_in_dim": ("lax.broadcast_in_dim({}, (2, 3), (1,))", X),
    "lax.dot": ("lax.dot({}, {})", X, X),
    "lax.dot_general": ("lax.dot_general({}, {}, (((0,), (0,)), ((), ())))", X, X),
    "lax.select": ("lax.select(jnp.ones(3, bool), {}, {})", X, X),
    "lax.concatenate": ("lax.concatenate([{}, {}], 0)", X, X),
    "lax.dynamic_slice": ("lax.dynamic_slice({}, (0,), (2,))", X),
    "lax.dynamic_slice start": ("lax.dynamic_slice(jnp.arange(3.0), ({},), (2,))", INDEX),
    "lax.dynamic_update_slice": ("lax.dynamic_update_slice({}, jnp.ones(2), (0,))", X),
    "lax.dynamic_index_in_dim": ("lax.dynamic_index_in_dim({}, 0)", X),
    "lax.slice": ("lax.slice({}, (0,), (2,))", X),
    "lax.pad": ("lax.pad({}, 0.0, ((1, 1, 0),))", X),
    "lax.cumsum": ("lax.cumsum({})", X),
    "lax.sort": ("lax.sort({})", X),
    "lax.top_k": ("lax.top_k({}, 2)", X),
    "lax.clamp": ("lax.clamp(0.0, {}, 1.5)", X),
    "lax.integer_pow": ("lax.integer_pow({}, 2)", X),
    "lax.max": ("lax.max({}, {})", X, X),
    "lax.reduce": ("lax.reduce({}, 0.0, lax.add, (0,))", X),
    "lax.expand_dims": ("lax.expand_dims({}, (0,))", X),
    "lax.rev": ("lax.rev({}, (0,))", X),
    "lax.argmax": ("lax.argmax({}, 0, jnp.int32)", X),
    "lax.eq": ("lax.eq({}, {})", X, X),
    "lax.reduce_precision": ("lax.reduce_precision({}, 5, 10)", X),
    "lax.linalg.cholesky": ("lax.linalg.cholesky({})", "jnp.eye(2)"),
    "random.normal": ("jax.random.normal({})", KEY),
    "random.normal of words": ("jax.random.normal({})", "jax.random.PRNGKey(7)"),
    "random.split": ("jax.random.split({}, 3)", KEY),
    "random.fold_in": ("jax.random.fold_in({}, 1)", KEY),
    "random.key_data": ("jax.random.key_data({})", KEY),
    "random.wrap_key_data": ("jax.random.wrap_key_data({})", "jax.random.PRNGKey(7)"),
    "an index": ("jnp.arange(3)[{}]", INDEX),
    "an index among slices": ("jnp.ones((2, 3))[{}, :]", INDEX),
    "a mask": ("jnp.arange(2)[{}]", "jnp.array([True, False])"),
    "an index of at": ("jnp.arange(3).at[{}].set(9)", INDEX),
    "the bound of a slice": ("jnp.arange(3)[{}:]", INDEX),
}
OF_PLAIN_CLASSES = {
    "lax.stop_gradient": ("lax.stop_gradient({})", X),
    "lax.full": ("lax.full((2,), {})", "jnp.array(1.0)"),
    "lax.optimization_barrier": ("lax.optimization_barrier({})", X),
    "random.uniform": ("jax.random.uniform(jax.random.key(1), (3,), minval={})", X),
    "random.bernoulli": ("jax.random.bernoulli(jax.random.key(1), {})", "jnp.array(0.5)"),
    "random.gamma": ("jax.random.gamma(jax.random.key(1), {})", "jnp.ones(3)"),
    "random.permutation": ("jax.random.permutation(jax.random.key(1), {})", X),
    "random.choice": ("jax.random.choice(jax.random.key(1), 3, p={})", "jnp.ones(3) / 3"),
    "device_put": ("jax.device_put({})", X),
}


def programs(class_: str, form: tuple[str, ...]) -> tuple[str, str]:
    """Return a call with objects, and with the arrays that they stand for."""
    template, *data = form
    objects = "".join(f"x{i} = Box({text})\n" for i, text in enumerate(data))
    call = template.format(*(f"x{i}" for i in range(len(data))))
    return f"{class_}\n\n{objects}result = {call}\n", f"{class_}\n\nresult = {template.format(*data)}\n"


CASES = [
    pytest.param(class_, form, id=f"{name}-{kind}")
    for kind, class_ in (("plain", PLAIN), ("registered", REGISTERED))
    for name, form in (OUTSIDE | (OF_PLAIN_CLASSES if class_ == PLAIN else {})).items()
]


@pytest.mark.parametrize(("class_", "form"), CASES)
def test_an_object_outside_of_numpy(class_: str, form: tuple[str, ...]) -> None:
    program, wanted = programs(class_, form)
    assert set(flagged(program)) == {"OLY302"}
    with pytest.raises((AttributeError, TypeError, ValueError)):
        result(program)
    fixed = fix_text(FILENAME, program, Settings())
    assert not fixed.findings
    assert result(fixed.text) == result(wanted)


ACCEPTED = {
    "convert_element_type": ("lax.convert_element_type({}, jnp.int32)", X),
    "key": ("jax.random.key({})", INDEX),
    "PRNGKey": ("jax.random.PRNGKey({})", INDEX),
    "fold_in": ("jax.random.fold_in(jax.random.key(1), {})", INDEX),
    "categorical": ("jax.random.categorical(jax.random.key(1), {})", X),
    "choice": ("jax.random.choice(jax.random.key(1), {})", X),
    "asarray": ("jnp.asarray({})", X),
    "an operator": ("jnp.ones(3) + {}", X),
    "a value that is set": ("jnp.zeros((2, 3)).at[0].set({})", X),
}
ACCEPTED_TREES = {
    "stop_gradient": ("lax.stop_gradient({})", X),
    "optimization_barrier": ("lax.optimization_barrier({})", X),
    "uniform": ("jax.random.uniform(jax.random.key(1), (3,), minval={})", X),
    "device_put": ("jax.device_put({})", X),
    "sin": ("jnp.sin({})", X),
    "jit": ("jax.jit(lambda x: x)({})", X),
    "vmap": ("jax.vmap(lambda x: x)({})", X),
    "grad": ("jax.grad(lambda x: jnp.sum(jnp.square(x)))({})", X),
    "scan": ("lax.scan(lambda c, x: (c, x), {}, jnp.ones(2))", X),
    "cond": ("lax.cond(True, lambda x: x, lambda x: x, {})", X),
}


@pytest.mark.parametrize(
    ("class_", "form"),
    [pytest.param(class_, form, id=name) for class_ in (PLAIN, REGISTERED) for name, form in ACCEPTED.items()]
    + [pytest.param(REGISTERED, form, id=name) for name, form in ACCEPTED_TREES.items()],
)
def test_what_jax_takes_is_quiet(class_: str, form: tuple[str, ...]) -> None:
    program, wanted = programs(class_, form)
    assert flagged(program) == []
    assert result(program) == result(wanted)


CROSSING = {
    "jit": ("jax.jit(lambda x: x * 2)({})", X),
    "jit by name": ("jax.jit(lambda x: x * 2)(x={})", X),
    "jit of a list": ("jax.jit(lambda x: x[0] * 2)([{}])", X),
    "vmap": ("jax.vmap(lambda x: x * 2)({})", X),
    "vmap of one": ("jax.vmap(lambda x, y: x * y, in_axes=(None, 0))(2.0, {})", X),
    "grad": ("jax.grad(lambda x: jnp.sum(jnp.square(x)))({})", X),
    "grad by another": ("jax.grad(lambda x, y: jnp.sum(x * y), argnums=1)(2.0, {})", X),
    "value_and_grad": ("jax.value_and_grad(lambda x: jnp.sum(jnp.square(x)))({})", X),
    "jacfwd": ("jax.jacfwd(jnp.square)({})", X),
    "jacrev": ("jax.jacrev(jnp.square)({})", X),
    "hessian": ("jax.hessian(lambda x: jnp.sum(jnp.square(x)))({})", X),
    "checkpoint": ("jax.checkpoint(lambda x: x * 2)({})", X),
    "vjp": ("jax.vjp(jnp.square, {})[0]", X),
    "jvp": ("jax.jvp(jnp.square, ({},), (jnp.ones(3),))", X),
    "linearize": ("jax.linearize(jnp.square, {})[0]", X),
    "scan carry": ("lax.scan(lambda c, x: (c + x, x), {}, jnp.ones(2))", X),
    "scan input": ("lax.scan(lambda c, x: (c + x, x), 0.0, {})", X),
    "fori_loop": ("lax.fori_loop(0, 3, lambda i, c: c + i, {})", X),
    "while_loop": ("lax.while_loop(lambda c: c[0] < 5, lambda c: c + 1, init_val={})", X),
    "map": ("lax.map(lambda x: x * 2, {})", X),
    "associative_scan": ("lax.associative_scan(jnp.add, {})", X),
    "cond": ("lax.cond(True, jnp.sin, jnp.cos, {})", X),
    "switch": ("lax.switch(1, [jnp.sin, jnp.cos], {})", X),
    "pure_callback": ("jax.pure_callback(lambda x: x, jax.ShapeDtypeStruct((3,), jnp.float32), {})", X),
}


@pytest.mark.parametrize("form", CROSSING.values(), ids=CROSSING)
def test_an_object_that_goes_in(form: tuple[str, ...]) -> None:
    program, wanted = programs(PLAIN, form)
    assert flagged(program) == ["OLY301"]
    with pytest.raises((AttributeError, ValueError)):
        result(program)
    fixed = fix_text(FILENAME, program, Settings(), unsafe=True)
    assert not fixed.findings
    assert result(fixed.text) == result(wanted)
    assert fix_text(FILENAME, program, Settings()).text == program


BODIES = {
    "jit": "jax.jit(lambda x: Box(x))(jnp.ones(3))",
    "vmap": "jax.vmap(lambda x: Box(x))(jnp.ones(3))",
    "has_aux": "jax.jit(lambda x: (x, {'box': Box(x)}))(jnp.ones(3))",
    "scan output": "lax.scan(lambda c, x: (c, Box(x)), 0.0, jnp.ones(3))",
    "cond": "lax.cond(True, lambda x: Box(x), lambda x: Box(2 * x), jnp.ones(3))",
    "map": "lax.map(lambda x: Box(x), jnp.ones(3))",
}
DATA_CLASS = PLAIN.replace("class Box:", "@dataclass\nclass Box:").replace(
    "    def __init__(self, data):\n        self.data = data\n", "    data: jax.Array\n"
)


@pytest.mark.parametrize("class_", [PLAIN, f"from dataclasses import dataclass\n{DATA_CLASS}"], ids=["plain", "data"])
@pytest.mark.parametrize("call", BODIES.values(), ids=BODIES)
def test_an_object_that_comes_out(class_: str, call: str) -> None:
    program = f"{class_}\n\nresult = {call}\n"
    assert set(flagged(program)) == {"OLY301"}
    with pytest.raises((TypeError, ValueError)):
        result(program)
    fixed = fix_text(FILENAME, program, Settings(), unsafe=True)
    assert not fixed.findings
    assert result(fixed.text) == result(f"{PLAIN}\n\nresult = {call.replace('Box(', '(')}\n")
