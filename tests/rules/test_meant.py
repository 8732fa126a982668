"""A key that is used twice on purpose: what the code around both uses says."""

from __future__ import annotations

import pytest
from handmade import document

from olympus_rules.check import check
from olympus_rules.finding import Confidence


def confidence(body: str) -> Confidence:
    """Return the confidence of the reuse in the body of a function; ``N`` draws, ``f`` and ``h`` consume."""
    helpers = "".join(
        f"def {name}(key, *x):\n    return jax.random.normal(key, x)\n\n\n"
        for name in ("h", "rotate", "inverse_rotate", "unrotate", "benchmark")
    )
    helpers += "def shuffled(key, x):\n    return jax.random.permutation(key, x)\n\n\n"
    text = f"import jax\nimport jax.numpy as jnp\n\n\n{helpers}def f(key, x, y, m, n):\n{body}"
    text = text.replace("N(", "jax.random.normal(").replace("P(", "jax.random.permutation(")
    found = [report.finding for report in check(document(text)).reports if report.finding.code == "OLY104"]
    return max(finding.confidence for finding in found)


@pytest.mark.parametrize(
    ("meant", "not_meant"),
    [
        ("    return P(key, x), P(key, y)\n", "    return P(key, n), P(key, m)\n"),
        ("    return P(key, x), P(key, y)\n", "    return P(key, x), P(key, x)\n"),
        ("    return P(key, x), P(key, y)\n", "    return P(key, x), shuffled(key, y)\n"),
        ("    return P(key=key, x=x), P(x=y, key=key)\n", "    return P(key=key, x=5), P(x=7, key=key)\n"),
        ("    return [P(key, each) for each in x]\n", "    return [P(key, x) for each in y]\n"),
        ("    return inverse_rotate(key, rotate(key, x))\n", "    return h(key, rotate(key, x))\n"),
        ("    return rotate(key, x), unrotate(key, x)\n", "    return rotate(key, x), rotate(key, y)\n"),
        ("    return jnp.where(m, N(key), jax.random.gumbel(key))\n", "    return jnp.where(m, N(key), x) + N(key)\n"),
        (
            "    x = jnp.where(m, N(key), x)\n    x = jnp.where(n, N(key), x)\n    return x\n",
            "    x = jnp.where(m, N(key), x)\n    y = jnp.where(n, N(key), y)\n    return x, y\n",
        ),
        (
            "    g = jax.grad(h)\n    return h(key, x), g(key, x)\n",
            "    g = jax.vmap(h)\n    return h(key, x), rotate(key)\n",
        ),
        ("    return h(key, x), jax.jit(h)(key, x)\n", "    return h(key, x), jax.jit(rotate)(key, x)\n"),
        ("    c = jax.jit(h)\n    c(key, x)\n    return c(key, x)\n", "    h(key, x)\n    return h(key, x)\n"),
        ("    return h(key, x + 1) * h(key, x - 1)\n", "    return h(key, x + 1) * h(key, y - 1)\n"),
        ("    return h(key, x) - h(key, y)\n", "    return h(key, x) + h(key, y)\n"),
        ("    return h(key, x) - h(key, y)\n", "    return h(key, x) - h(key, x)\n"),
        (
            "    a = h(key, x)\n    b = h(key, y)\n    return a - b\n",
            "    a = N(key)\n    b = N(key)\n    return a - b\n",
        ),
        (
            "    a = h(key, x)\n    b = rotate(key, y)\n    assert jnp.allclose(a, b)\n",
            "    a = h(key, x)\n    b = rotate(key, y)\n    assert_equal_shape(a, b)\n",
        ),
        (
            "    a = h(key, x)\n    b = h(key, y)\n    return jax.tree.map(lambda u, v: u - v, a, b)\n",
            "    a = h(key, x)\n    b = h(key, y)\n    return jax.tree.map(lambda u, v: u + v, a, b)\n",
        ),
        (
            '    """Draw.\n\n    key: the key (shared by both)\n    """\n    return N(key), N(key)\n',
            '    """Draw.\n\n    key: the key\n    x: shared\n    """\n    return N(key), N(key)\n',
        ),
        (
            "    for each in x:\n        benchmark(key, each)\n",
            "    for each in x:\n        h(key, each)\n",
        ),
        ("    return h(key, x)(key, x)\n", "    return h(key, x)(rotate(key, x))\n"),
        ("    dummy_input = N(key)\n    return h(key, dummy_input)\n", "    a = N(key)\n    return h(key, a)\n"),
        (
            "    a = N(key)\n    b = N(key)\n    assert jnp.array_equal(a, b)\n",
            "    a = N(key)\n    b = N(key)\n    print(jnp.array_equal(a, b))\n",
        ),
        (
            "    a = N(key)\n    return a + N(key)  # the same noise for both\n",
            "    a = N(key)\n    return a + N(key)  # not the same noise\n",
        ),
        (
            "    # the same key gives the same result\n    return h(key, x), h(key, x)\n",
            "    # the same key gives the same result\n    return h(key, x), rotate(key, x)\n",
        ),
        (
            "    dummy_key = key\n    return N(dummy_key), h(dummy_key)\n",
            "    my_key = key\n    return N(my_key), h(my_key)\n",
        ),
    ],
)
def test_what_is_meant_is_possible_only(meant: str, not_meant: str) -> None:
    assert confidence(meant) == Confidence.POSSIBLE
    assert confidence(not_meant) >= Confidence.LIKELY


RETRY = """    sub = jax.random.split(key)[0]
    while n():
        a = m.sample(sub)
        if a is None:
            continue
        return a
"""


@pytest.mark.parametrize(
    ("meant", "not_meant"),
    [
        (RETRY, RETRY.replace("return a", "m.put(a)")),
        (RETRY, RETRY.replace("            continue\n", "            a = 3\n").replace("return a", "m.put(a)")),
        (RETRY.replace("return a", "break"), RETRY.replace("a is None", "a is not None").replace("return", "x =")),
        (
            RETRY.replace("            cont", "            m.wait()\n            cont"),
            RETRY.replace("return a", "y += a"),
        ),
        (RETRY.replace("return a", "x = a\n        return x"), RETRY.replace("return a", "x = a\n        y = x")),
        (RETRY.replace("n()", "True"), RETRY.replace("while n()", "for _ in x").replace("return a", "m.put(a)")),
    ],
    ids=["taken", "replaced", "ended", "waited", "handed on", "for ever"],
)
def test_what_gave_nothing_is_tried_again_with_the_key(meant: str, not_meant: str) -> None:
    assert confidence(meant) == Confidence.POSSIBLE
    assert confidence(not_meant) >= Confidence.LIKELY
