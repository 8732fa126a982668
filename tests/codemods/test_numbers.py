"""Fixes under JAX: safe ones keep every bit, unsafe ones pass JAX's own key-reuse checker."""

from __future__ import annotations

from typing import Any

import pytest
from handmade import document, fact, fixed, node, place, reuse

from olympus_rules.finding import Applicability
from olympus_rules.keyflow.facts import (
    DerivationCollision,
    DtypeLogic,
    Fact,
    KeyArithmetic,
    KeyIndexing,
    KeyTransposition,
    Reference,
    ShapeLogic,
)

jax = pytest.importorskip("jax", reason="needs JAX, the extra `trace`")
np = pytest.importorskip("numpy")

IMPORTS = "import jax\nimport jax.numpy as jnp\nimport numpy as np\n\n\ndef f(key):\n    "


def run(text: str, key: Any) -> Any:
    """Run a program and return what its function ``f`` gives for a key, as numpy arrays."""
    namespace: dict[str, Any] = {}
    exec(compile(text, "program.py", "exec"), namespace)
    return jax.tree.map(words, namespace["f"](key))


def words(leaf: Any) -> Any:
    """Return a leaf as numbers; keys as the words of their buffers."""
    if isinstance(leaf, jax.Array) and jax.numpy.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        leaf = jax.random.key_data(leaf)
    return np.asarray(leaf)


def apply(code: str, body: str, kind: type[Fact], at: str, **attributes: Any) -> tuple[str, str, Applicability]:
    """Return a program, the program after its fix, and whether the fix is safe."""
    doc = document(IMPORTS + body + "\n")
    for name in ("subject", "axis", "index", "consumer"):
        if name in attributes:
            attributes[name] = node(doc, attributes[name])
    text, fix = fixed(doc, code, fact(kind, node(doc, at), **attributes))
    assert fix is not None
    return doc.text, text, fix.applicability


SAFE = [
    ("OLY101", "return int(key[1])", KeyIndexing, "key[1]", {"use": "value"}),
    ("OLY101", "return np.random.RandomState(key[1]).uniform(size=3)", KeyIndexing, "key[1]",
     {"use": "foreign-seed"}),
    ("OLY108", "return [jax.random.split(key, i + 1)[i] for i in range(4)]", DerivationCollision,
     "jax.random.split(key, i + 1)[i]", {"how": "split-then-index", "index": "i"}),
    ("OLY201", "return jax.random.normal(jax.random.PRNGKey(7), (5,))", Reference, "jax.random.PRNGKey",
     {"qualified": "jax.random.PRNGKey", "context": "call"}),
    ("OLY201", "return jax.vmap(jax.random.PRNGKey)(jnp.arange(3))", Reference, "jax.random.PRNGKey",
     {"qualified": "jax.random.PRNGKey", "context": "value"}),
    ("OLY202", "return jnp.zeros(key.shape[:-1])", ShapeLogic, "key.shape[:-1]",
     {"form": "shape-slice", "subject": "key"}),
    ("OLY202", "return key.ndim == 1", ShapeLogic, "key.ndim == 1", {"form": "ndim", "subject": "key"}),
    ("OLY202", "return key.shape == (2,)", ShapeLogic, "key.shape == (2,)",
     {"form": "shape-equals", "subject": "key"}),
    ("OLY202", "return len(key)", ShapeLogic, "len(key)", {"form": "len", "subject": "key"}),
    ("OLY202", "return jax.random.split(key, 6).reshape(2, 3, 2)", ShapeLogic,
     "jax.random.split(key, 6).reshape(2, 3, 2)", {"form": "reshape", "subject": "jax.random.split(key, 6)"}),
    ("OLY203",
     "if key.dtype == jnp.uint32:\n        key = jax.random.wrap_key_data(key)\n    return jax.random.normal(key)",
     DtypeLogic, "key.dtype == jnp.uint32", {"form": "equals", "subject": "key"}),
    ("OLY203", "return key if np.issubdtype(key.dtype, np.integer) else jax.random.key_data(key)", DtypeLogic,
     "np.issubdtype(key.dtype, np.integer)", {"form": "numpy", "subject": "key"}),
]  # fmt: skip


@pytest.mark.parametrize(("code", "body", "kind", "at", "attributes"), SAFE)
def test_safe_fixes_keep_every_bit(code: str, body: str, kind: type[Fact], at: str, attributes: dict[str, Any]) -> None:
    before, after, applicability = apply(code, body, kind, at, **dict(attributes))
    assert applicability is Applicability.SAFE and before != after
    raw, typed = jax.random.PRNGKey(2**40 + 5), jax.random.key(2**40 + 5)
    expected, actual = jax.tree.leaves(run(before, raw)), jax.tree.leaves(run(after, raw))
    assert len(expected) == len(actual)
    for one, other in zip(expected, actual, strict=True):
        assert one.dtype == other.dtype and np.array_equal(one, other)
    for one, other in zip(expected, jax.tree.leaves(run(after, typed)), strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize(("name", "implementation"), [("rbg_key", "rbg"), ("threefry2x32_key", "threefry2x32")])
def test_removed_constructors_give_keys_of_their_implementation(name: str, implementation: str) -> None:
    _, after, _ = apply(
        "OLY204",
        f"return jax.random.{name}(3)",
        Reference,
        f"jax.random.{name}",
        qualified=f"jax.random.{name}",
        context="call",
    )
    expected = words(jax.random.key(3, impl=implementation))
    assert np.array_equal(run(after, None), expected)


REUSES = [
    ("a = jax.random.normal(key)\n    return a, jax.random.uniform(key)", "jax.random.normal(key)",
     "jax.random.uniform(key)", {}),
    ("return jax.random.normal(key), jax.random.uniform(key)", "jax.random.normal(key)",
     "jax.random.uniform(key)", {}),
    ("a, b = jax.random.split(key)\n    c = jax.random.uniform(key)\n    return c, a, b",
     "jax.random.split(key)", "jax.random.uniform(key)", {}),
    ("key, sub = jax.random.split(key)\n    return jax.random.normal(key), jax.random.uniform(key)",
     "jax.random.normal(key)", "jax.random.uniform(key)", {"unused": ("sub",)}),
    ("x = 0.0\n    for _ in range(3):\n        x += jax.random.normal(key)\n    return x",
     "jax.random.normal(key)", "", {"repeated_by": "loop"}),
    ("return [jax.random.normal(key) for _ in range(3)]", "jax.random.normal(key)", "",
     {"repeated_by": "comprehension"}),
    ("return [i * jax.random.normal(key) for i in range(3)]", "jax.random.normal(key)", "",
     {"repeated_by": "comprehension"}),
]  # fmt: skip


@pytest.mark.parametrize(("body", "first", "again", "attributes"), REUSES)
def test_reuse_is_gone_for_the_checker_of_jax(body: str, first: str, again: str, attributes: dict[str, Any]) -> None:
    doc = document(IMPORTS + body + "\n")
    made = reuse(doc, place(doc, first), place(doc, again) if again else None, **attributes)
    after, _ = fixed(doc, "OLY104", made)
    with jax.debug_key_reuse(True):
        with pytest.raises(jax.errors.KeyReuseError):
            run(doc.text, jax.random.key(0))
        run(after, jax.random.key(0))


@pytest.mark.parametrize(
    ("code", "body", "kind", "at", "attributes"),
    [
        ("OLY101", "new = jax.random.key(key[1])\n    return jax.random.bits(new), jax.random.bits(key)",
         KeyIndexing, "key[1]", {"use": "seed", "consumer": "jax.random.key(key[1])"}),
        ("OLY101", "a, b = key\n    return jax.random.bits(a), jax.random.bits(b)", KeyIndexing, "(a, b)",
         {"use": "unpack"}),
        ("OLY102", "return jax.vmap(jax.random.bits)(key + jnp.arange(10)[:, None])", KeyArithmetic,
         "key + jnp.arange(10)[:, None]", {"key": "key", "operation": "+", "batch": True}),
        ("OLY102", "return [jax.random.bits(key + i) for i in range(3)]", KeyArithmetic, "key + i",
         {"key": "key", "operation": "+"}),
        ("OLY103", "return jax.vmap(jax.random.uniform, in_axes=1)(jax.random.split(key))", KeyTransposition,
         "jax.vmap(jax.random.uniform, in_axes=1)", {"how": "in_axes", "axis": "1"}),
    ],
)  # fmt: skip
def test_unsafe_fixes_run_with_typed_keys(
    code: str, body: str, kind: type[Fact], at: str, attributes: dict[str, Any]
) -> None:
    body = body.replace("a, b = key", "(a, b) = key")  # the syntax tree has no place for a bare tuple to find
    before, after, applicability = apply(code, body, kind, at, **dict(attributes))
    assert applicability is Applicability.UNSAFE
    with pytest.raises((TypeError, ValueError, IndexError)):
        run(before, jax.random.key(0))
    with jax.debug_key_reuse(True):
        leaves = jax.tree.leaves(run(after, jax.random.key(0)))
    drawn = np.concatenate([np.ravel(leaf) for leaf in leaves])
    assert len(np.unique(drawn)) == drawn.size
