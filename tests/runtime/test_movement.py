"""What moves elements of NumPy arrays is compared with the primitive of the same name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

jax = pytest.importorskip("jax", reason="NumPy rules are compared with JAX's primitives")
from jax import lax  # noqa: E402
from jax import numpy as jnp  # noqa: E402

from olympus.lineage.movement import COMPUTATIONS, MOVEMENTS  # noqa: E402


def compared(function: Any, *arrays: Any) -> set[str]:
    """Compare each equation of a traced function with its rule; return the names of the rules that were used."""
    jaxpr = jax.make_jaxpr(function)(*arrays).jaxpr
    held = dict(zip(jaxpr.invars, map(np.asarray, arrays), strict=True))
    names = set()
    for eqn in jaxpr.eqns:
        name = eqn.primitive.name
        rule = MOVEMENTS.get(name) or COMPUTATIONS[name]
        operands = [np.asarray(atom.val) if hasattr(atom, "val") else held[atom] for atom in eqn.invars]
        expected = eqn.primitive.bind(*operands, **eqn.params)
        expected = list(expected) if eqn.primitive.multiple_results else [expected]
        results = rule(operands, eqn.params)
        assert len(results) == len(expected), name
        for result, other in zip(results, expected, strict=True):
            np.testing.assert_array_equal(np.asarray(result), np.asarray(other), name)
        held.update(zip(eqn.outvars, map(np.asarray, expected), strict=True))
        names.add(name)
    return names


def numbers(*shape: int) -> np.ndarray[Any, Any]:
    return np.arange(np.prod(shape), dtype=np.int32).reshape(shape) * 7 - 20


NEW = {"stack": (0, 10), "tile": (0, 9), "unstack": (0, 10)}
CASES = {
    "broadcast_in_dim": (lambda a: lax.broadcast_in_dim(a, (2, 3, 4), (1, 2)), numbers(3, 4)),
    "concatenate": (lambda a, b: lax.concatenate([a, b, a], 1), numbers(3, 2), numbers(3, 4)),
    "pad": (lambda a: lax.pad(a, jnp.int32(-1), [(1, 2, 1), (-1, 0, 0)]), numbers(3, 4)),
    "reshape": (lambda a: lax.reshape(a, (6, 2)), numbers(3, 4)),
    "rev": (lambda a: lax.rev(a, (0, 2)), numbers(2, 3, 4)),
    "slice": (lambda a: lax.slice(a, (0, 1), (3, 4), (2, 1)), numbers(3, 4)),
    "split": (lambda a: lax.split(a, (1, 3), 1), numbers(3, 4)),
    "squeeze": (lambda a: lax.squeeze(a, (0, 2)), numbers(1, 3, 1)),
    "stack": (lambda a, b: jnp.stack([a, b], 1), numbers(3, 4), numbers(3, 4)),
    "tile": (lambda a: jnp.tile(a, (2, 3)), numbers(3, 4)),
    "transpose": (lambda a: lax.transpose(a, (2, 0, 1)), numbers(2, 3, 4)),
    "unstack": (lambda a: jnp.unstack(a, axis=1), numbers(3, 4)),
    "copy": (lambda a: lax.copy_p.bind(a) if hasattr(lax, "copy_p") else jnp.copy(a), numbers(3)),
    "optimization_barrier": (lambda a, b: lax.optimization_barrier((a, b)), numbers(3), numbers(2, 2)),
    "iota": (lambda a: lax.broadcasted_iota(jnp.int32, (2, 3), 1) + a, numbers(2, 3)),
    "convert_element_type": (lambda a: lax.convert_element_type(a, jnp.uint8), numbers(3)),
    "select_n": (lambda a, b: lax.select_n(a > 0, a, b), numbers(3, 4), numbers(3, 4)[::-1].copy()),
    "clamp": (lambda a: lax.clamp(jnp.int32(-3), a, jnp.int32(5)), numbers(3, 4)),
    "rem": (lambda a: lax.rem(a, jnp.full_like(a, 3)), numbers(3, 4)),
    "add": (lambda a: (a + 3) * 2 - a, numbers(3)),
    "max": (lambda a: lax.max(lax.min(a, a[::-1]), -a), numbers(3)),
    "xor": (lambda a: (a ^ 5) & 12 | ~a, numbers(3)),
    "lt": (lambda a: ((a < 3) == (a >= 1)) != ((a <= 2) & (a > -1)), numbers(3, 4)),
}


@pytest.mark.parametrize("name", CASES)
def test_a_rule_does_what_the_primitive_does(name: str) -> None:
    function, *arrays = CASES[name]
    if name in NEW and jax.__version_info__ < NEW[name]:
        pytest.skip(f"{name} is no primitive of JAX {jax.__version__}")
    assert name in compared(function, *arrays) or name == "copy"


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_slices_and_pads_of_any_shape(data: st.DataObject) -> None:
    shape = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    array = numbers(*shape)
    config = [
        (data.draw(st.integers(-1, 2)), data.draw(st.integers(-1, 2)), data.draw(st.integers(0, 2))) for _ in shape
    ]
    lengths = [low + size + (size - 1) * inner + high for size, (low, high, inner) in zip(shape, config, strict=True)]
    if min(lengths) >= 0:
        compared(lambda a: lax.pad(a, jnp.int32(99), config), array)
    bounds = [sorted(data.draw(st.tuples(st.integers(0, size), st.integers(0, size)))) for size in shape]
    steps = [data.draw(st.integers(1, 3)) for _ in shape]
    compared(lambda a: lax.slice(a, [low for low, _ in bounds], [high for _, high in bounds], steps), array)


def test_every_rule_is_compared_but_those_that_do_nothing() -> None:
    if jax.__version_info__ < max(NEW.values()):
        pytest.skip("the cases are written for the primitives of JAX 0.10")
    same = {name for name, rule in MOVEMENTS.items() if rule is MOVEMENTS["copy"]}
    seen = set().union(*(compared(function, *arrays) for function, *arrays in CASES.values()))
    unseen = {*MOVEMENTS, *COMPUTATIONS} - seen - same
    assert unseen <= {"add_any"}, "a rule that no case uses"
