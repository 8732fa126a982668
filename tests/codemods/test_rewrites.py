"""The rewrites of one expression: what each rule's fix makes of it, and where there is none."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from handmade import document, fact, fixed, node, place

from olympus_rules.finding import Applicability
from olympus_rules.keyflow.facts import (
    DerivationCollision,
    DtypeLogic,
    Fact,
    KeyArithmetic,
    KeyIndexing,
    KeyTransposition,
    Place,
    ShapeLogic,
    SharedKey,
)

SAFE, UNSAFE = Applicability.SAFE, Applicability.UNSAFE
IMPORTS = "import jax\nimport jax.numpy as jnp\nfrom jax import random as jr\n\n\ndef f(key, x):\n    "


def rewrite(code: str, body: str, kind: type[Fact], at: str, **attributes: Any) -> tuple[str, Applicability | None]:
    """Return a function body after the fix; strings for node attributes name nodes by their source."""
    doc = document(IMPORTS + body)
    for name in ("subject", "axis", "index", "consumer"):
        if name in attributes:
            attributes[name] = node(doc, attributes[name])
    text, fix = fixed(doc, code, fact(kind, node(doc, at), **attributes))
    assert text.startswith(IMPORTS)
    return text.removeprefix(IMPORTS), fix.applicability if fix else None


@pytest.mark.parametrize(
    ("before", "at", "use", "consumer", "after", "applicability"),
    [
        ("return int(key[0])", "key[0]", "value", None, "return int(jr.key_data(key)[0])", SAFE),
        (
            "np.random.seed(key[0])",
            "key[0]",
            "foreign-seed",
            None,
            "np.random.seed(jr.key_data(key)[0])",
            SAFE,
        ),
        ("return x.keys[:, 0]", "x.keys[:, 0]", "value", None, "return jr.key_data(x.keys)[:, 0]", SAFE),
        ("return f'{key[0]}'", "key[0]", "value", None, "return f'{jr.key_data(key)[0]}'", SAFE),
        (
            "new = jr.PRNGKey(key[1])",
            "key[1]",
            "seed",
            "jr.PRNGKey(key[1])",
            "key, new = jr.split(key)",
            UNSAFE,
        ),
        ("new = jr.PRNGKey(key[1]) + 1", "key[1]", "seed", "jr.PRNGKey(key[1])", None, None),
        ("new = jr.PRNGKey(x.k[1])", "x.k[1]", "seed", "jr.PRNGKey(x.k[1])", None, None),
        ("a, b = key", "key", "unpack", None, "a, b = jr.split(key)", UNSAFE),
        ("a, b, c, d = key", "key", "unpack", None, "a, b, c, d = jr.split(key, 4)", UNSAFE),
        ("a, *b = key", "key", "unpack", None, None, None),
        ("return key[0]", "key[0]", "unknown", None, None, None),
    ],
)
def test_key_indexing(
    before: str,
    at: str,
    use: str,
    consumer: str | None,
    after: str | None,
    applicability: Applicability | None,
) -> None:
    attributes: dict[str, Any] = {"use": use, **({"consumer": consumer} if consumer else {})}
    assert rewrite("OLY101", before, KeyIndexing, at, **attributes) == (after or before, applicability)


@pytest.mark.parametrize(
    ("before", "batch", "after"),
    [
        ("key + jnp.arange(10)[:, None]", True, "jr.split(key, 10)"),
        ("jnp.arange(x, dtype=jnp.uint32)[:, jnp.newaxis] ^ key", True, "jr.split(key, x)"),
        ("key + 1", False, "jr.fold_in(key, 1)"),
        ("x + key", False, "jr.fold_in(key, x)"),
        ("key + (\n        x\n    )", False, "jr.fold_in(key, x)"),
        ("key + (  # keep\n        x\n    )", False, None),
        ("key + x", True, None),
        ("key + 1.0", False, None),
        ("key * 2", False, None),
        ("key + jnp.arange(10)", True, None),
        ("key + [0, 1]", False, None),
    ],
)
def test_key_arithmetic(before: str, batch: bool, after: str | None) -> None:
    result, applicability = rewrite(
        "OLY102", f"k = {before}", KeyArithmetic, before, operation="+", batch=batch, key="key"
    )
    assert result == f"k = {after or before}"
    assert applicability is (UNSAFE if after else None)


@pytest.mark.parametrize(
    ("how", "axis", "after"),
    [("in_axes", "1", "0"), ("out_axes", "-1", "1"), ("in_axes", "x", None), (".T", None, None)],
)
def test_key_transposition(how: str, axis: str | None, after: str | None) -> None:
    before = f"jax.vmap(f, {how}={axis})(key)" if axis else "key.T"
    attributes = {"axis": axis} if axis else {}
    result, applicability = rewrite("OLY103", before, KeyTransposition, before, how=how, **attributes)
    assert result == (f"jax.vmap(f, {how}={after})(key)" if after else before)
    assert applicability is (UNSAFE if after else None)


@pytest.mark.parametrize(
    ("before", "index", "after"),
    [
        ("jr.split(key, x + 1)[x]", "x", "jr.fold_in(key, x)"),
        ("jax.random.split(key, num=x + 1)[x]", "x", "jax.random.fold_in(key, x)"),
    ],
)
def test_derivation_collision(before: str, index: str, after: str) -> None:
    result = rewrite(
        "OLY108", f"k = {before}", DerivationCollision, before, how="split-then-index", index=index, key="key"
    )
    assert result == (f"k = {after}", SAFE)


@pytest.mark.parametrize(
    ("first", "again", "how", "after"),
    [
        ("jr.split(key)", "jr.split(key, 5)", "splits-share-children", "jr.split(subkey, 5)"),
        ("jr.split(key)", "jr.fold_in(key, 1)", "split-beside-fold_in", "jr.fold_in(subkey, 1)"),
    ],
)
def test_colliding_derivations_get_a_key_each(first: str, again: str, how: str, after: str) -> None:
    doc = document(f"{IMPORTS}a, b = {first}\n    return {again}, a, b")
    places = {"first": place(doc, first), "again": place(doc, again)}
    result, fix = fixed(doc, "OLY108", fact(DerivationCollision, node(doc, again), how=how, **places))
    assert result == f"{IMPORTS}a, b, subkey = jr.split(key, 3)\n    return {after}, a, b"
    assert fix is not None and fix.applicability is UNSAFE


def test_data_folded_in_twice_is_left_alone() -> None:
    doc = document(f"{IMPORTS}a = jr.fold_in(key, 0)\n    return jr.fold_in(key, 0)")
    places = {"first": place(doc, "jr.fold_in(key, 0)"), "again": place(doc, "jr.fold_in(key, 0)", 1)}
    made = fact(DerivationCollision, places["again"].node, how="fold_in-twice", **places)
    assert fixed(doc, "OLY108", made)[1] is None


@pytest.mark.parametrize(
    ("before", "at", "form", "subject", "after"),
    [
        (
            "jnp.zeros(key.shape[:-1])",
            "key.shape[:-1]",
            "shape-slice",
            "key",
            "jnp.zeros(jr.key_data(key).shape[:-1])",
        ),
        ("key.ndim == 1", "key.ndim == 1", "ndim", "key", "jr.key_data(key).ndim == 1"),
        ("len(x.key) == 2", "len(x.key) == 2", "len", "x.key", "len(jr.key_data(x.key)) == 2"),
        (
            "(x or key).shape == (2,)",
            "(x or key).shape == (2,)",
            "shape-equals",
            "x or key",
            "(jr.key_data(x or key)).shape == (2,)",
        ),
        (
            "jr.split(key, 6).reshape(2, 3, 2)",
            "jr.split(key, 6).reshape(2, 3, 2)",
            "reshape",
            "jr.split(key, 6)",
            "jr.split(key, (2, 3))",
        ),
        (
            "jr.split(key, 6).reshape((6, 2))",
            "jr.split(key, 6).reshape((6, 2))",
            "reshape",
            "jr.split(key, 6)",
            "jr.split(key, (6,))",
        ),
        (
            "jr.split(key, 6).reshape(2, 2, 2)",
            "jr.split(key, 6).reshape(2, 2, 2)",
            "reshape",
            "jr.split(key, 6)",
            None,
        ),
        (
            "jr.split(key, 6).reshape(-1, 2)",
            "jr.split(key, 6).reshape(-1, 2)",
            "reshape",
            "jr.split(key, 6)",
            None,
        ),
        ("jnp.broadcast_to(key, (3, 2))", "jnp.broadcast_to(key, (3, 2))", "broadcast", "key", None),
    ],
)
def test_key_shape_logic(before: str, at: str, form: str, subject: str, after: str | None) -> None:
    result = rewrite("OLY202", f"return {before}", ShapeLogic, at, form=form, subject=subject)
    assert result == (f"return {after or before}", SAFE if after else None)


TYPED = "jnp.issubdtype(key.dtype, jax.dtypes.prng_key)"


@pytest.mark.parametrize(
    ("before", "at", "form", "after", "applicability"),
    [
        (
            "if key.dtype == jnp.uint32:\n        key = jax.random.wrap_key_data(key)\n    return key",
            "key.dtype == jnp.uint32",
            "equals",
            f"if not {TYPED}:\n        key = jax.random.wrap_key_data(key)\n    return key",
            SAFE,
        ),
        ("return key.dtype == jnp.uint32", "key.dtype == jnp.uint32", "equals", f"return not {TYPED}", UNSAFE),
        ("return key.dtype != jnp.uint32", "key.dtype != jnp.uint32", "not-equals", f"return {TYPED}", UNSAFE),
        ("return not key.dtype == jnp.uint32", "key.dtype == jnp.uint32", "equals", f"return {TYPED}", UNSAFE),
        (
            "return x+(key.dtype == jnp.uint32)",
            "key.dtype == jnp.uint32",
            "equals",
            f"return x+(not {TYPED})",
            UNSAFE,
        ),
        (
            "assert(key).dtype == jnp.uint32",
            "(key).dtype == jnp.uint32",
            "equals",
            "assert not jnp.issubdtype((key).dtype, jax.dtypes.prng_key)",
            UNSAFE,
        ),
        (
            "return np.issubdtype(key.dtype, np.integer) * 2",
            "np.issubdtype(key.dtype, np.integer)",
            "numpy",
            f"return (not {TYPED}) * 2",
            UNSAFE,
        ),
        (
            "return np.issubdtype(key.dtype, np.floating)",
            "np.issubdtype(key.dtype, np.floating)",
            "numpy",
            None,
            None,
        ),
        (
            'return key.dtype.name == "key<fry>"',
            'key.dtype.name == "key<fry>"',
            "name",
            f"return {TYPED}",
            UNSAFE,
        ),
        ('return key.dtype.kind == "u"', 'key.dtype.kind == "u"', "kind", f"return not {TYPED}", UNSAFE),
        ('return key.dtype.kind == "f"', 'key.dtype.kind == "f"', "kind", None, None),
        ('return key.dtype == "uint32"', 'key.dtype == "uint32"', "name", f"return not {TYPED}", UNSAFE),
        ("return jnp.uint32 == key.dtype", "jnp.uint32 == key.dtype", "equals", f"return not {TYPED}", UNSAFE),
        ("return key.dtype == jnp.float32", "key.dtype == jnp.float32", "equals", None, None),
        ("return 1 < key.dtype == x", "1 < key.dtype == x", "equals", None, None),
    ],
)
def test_key_dtype_logic(
    before: str, at: str, form: str, after: str | None, applicability: Applicability | None
) -> None:
    result = rewrite("OLY203", before, DtypeLogic, at, form=form, subject="key")
    assert result == (after or before, applicability)


def test_imports_of_one_rewrite_are_one_insertion() -> None:
    text = "import numpy as np\n\ndef f(key):\n    return key.dtype == np.uint32\n"
    doc = document(text)
    made = fact(DtypeLogic, node(doc, "key.dtype == np.uint32"), form="equals", subject=node(doc, "key"))
    result, _ = fixed(doc, "OLY203", made)
    assert result == (
        "import jax\nimport numpy as np\n\ndef f(key):\n"
        "    return not jax.numpy.issubdtype(key.dtype, jax.dtypes.prng_key)\n"
    )


def test_a_node_that_python_misplaces_is_left_alone() -> None:
    doc = document('import jax\ndef f(key):\n    return f"""\n{key[0]}\n"""\n')
    subscript = next(found for found in ast.walk(doc.tree) if isinstance(found, ast.Subscript))
    result, fix = fixed(doc, "OLY101", fact(KeyIndexing, subscript, use="value"))
    assert (fix is None and result == doc.text) or "{jax.random.key_data(key)[0]}" in result


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "n = x.shape; return jax.vmap(f, in_axes=(None, 0))(key, x)",
            "n = x.shape; return jax.vmap(f, in_axes=(0, 0))(jr.split(key, x.shape[0]), x)",
        ),
        (
            "n = x.shape; return jax.vmap(f, (1, None))(x, key)",
            "n = x.shape; return jax.vmap(f, (1, 0))(x, jr.split(key, x.shape[1]))",
        ),
        (
            "return jax.vmap(f, in_axes=(0, None))(jnp.arange(x), key)",
            "return jax.vmap(f, in_axes=(0, 0))(jnp.arange(x), jr.split(key, x))",
        ),
        (
            "return jax.vmap(f, in_axes=(0, None), axis_size=8)(x, key)",
            "return jax.vmap(f, in_axes=(0, 0), axis_size=8)(x, jr.split(key, 8))",
        ),
        ("return jax.vmap(f, in_axes=(None, 0))(key, x)", None),  # x may be a tree
        ("n = x.shape; return jax.vmap(f, in_axes=(None, None))(key, x)", None),
        ("n = x.shape; return jax.vmap(f, in_axes=(None, -1))(key, x)", None),
        ("n = x.shape; return jax.vmap(f, in_axes=None)(key, x)", None),
        ("n = x.shape; return jax.vmap(f, in_axes=(None, 0))(key, *x)", None),
        ("n = x.shape; return jax.vmap(f, in_axes=(None, 0))(key, x, y=1)", None),
        ("n = x.shape; return jax.vmap(f, in_axes=(None, {'a': 0}))(key, x)", None),
        ("return jax.vmap(f, in_axes=(None, 0))(  # why\n        key, jnp.arange(4)\n    )",
         "return jax.vmap(f, in_axes=(0, 0))(  # why\n        jr.split(key, 4), jnp.arange(4)\n    )"),
    ],
)  # fmt: skip
def test_shared_key(before: str, after: str | None) -> None:
    doc = document(IMPORTS + before)
    call = node(doc, before.partition("return ")[2])
    made = fact(
        SharedKey,
        call,
        key="key",
        transform="vmap",
        draw=Place(call, "jax.random.normal"),
        argument=next(argument for argument in call.args if doc.segment(argument) == "key"),
        mapping=call.func,
    )
    text, fix = fixed(doc, "OLY105", made)
    assert text == IMPORTS + (after or before)
    assert (fix is None) == (after is None)


@pytest.mark.parametrize("change", [{"batch": True}, {"argument": None}, {"mapping": None}])
def test_shared_key_that_cannot_be_split_here(change: dict[str, Any]) -> None:
    doc = document(IMPORTS + "return jax.vmap(f, in_axes=(None, 0))(key, jnp.arange(4))")
    call = node(doc, "jax.vmap(f, in_axes=(None, 0))(key, jnp.arange(4))")
    given = {"argument": call.args[0], "mapping": call.func, "batch": False} | change
    made = fact(SharedKey, call, transform="vmap", draw=Place(call, "jax.random.normal"), **given)
    assert fixed(doc, "OLY105", made)[1] is None
