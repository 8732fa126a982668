"""OLY201 and OLY204: renamed and removed names of ``jax.random``, with their imports."""

from __future__ import annotations

import pytest
from handmade import document, fact, fixed, node

from olympus_rules.finding import Applicability
from olympus_rules.keyflow.facts import Reference


def migrate(code: str, text: str, at: str, context: str, *, name: str = "PRNGKey", nth: int = 0) -> str:
    """Return a text after the fix of one reference; the fix has to be safe."""
    doc = document(text)
    made = fact(Reference, node(doc, at, nth), qualified=f"jax.random.{name}", context=context)
    result, fix = fixed(doc, code, made)
    assert fix is None or fix.applicability is Applicability.SAFE
    return result


@pytest.mark.parametrize(
    ("before", "at", "after"),
    [
        (
            "import jax\nk = jax.random.PRNGKey(0)\n",
            "jax.random.PRNGKey",
            "import jax\nk = jax.random.key(0)\n",
        ),
        (
            'from jax import random as jr\nk = jr.PRNGKey(0, impl="rbg")\n',
            "jr.PRNGKey",
            'from jax import random as jr\nk = jr.key(0, impl="rbg")\n',
        ),
        (
            "from jax.random import PRNGKey\nk = PRNGKey(0)\n",
            "PRNGKey",
            "from jax.random import key\nk = key(0)\n",
        ),
        (
            "from jax.random import PRNGKey\nkey = PRNGKey(0)\n",
            "PRNGKey",
            "import jax\nkey = jax.random.key(0)\n",
        ),
        (
            "from jax.random import PRNGKey, split\nkey = PRNGKey(0)\n",
            "PRNGKey",
            "import jax\nfrom jax.random import split\nkey = jax.random.key(0)\n",
        ),
        (
            "from jax.random import PRNGKey\nk = PRNGKey(0), PRNGKey(1)\n",
            "PRNGKey",
            "from jax.random import key, PRNGKey\nk = key(0), PRNGKey(1)\n",
        ),
        (
            "from jax.random import PRNGKey as K\nk = K(0)\n",
            "K",
            "from jax.random import key\nk = key(0)\n",
        ),
        (
            "import jax\n\ndef f(key):\n    from jax.random import PRNGKey\n    return PRNGKey(0)\n",
            "PRNGKey",
            "import jax\n\ndef f(key):\n    return jax.random.key(0)\n",
        ),
        (
            "from jax.random import PRNGKey; k = PRNGKey(0)",
            "PRNGKey",
            "from jax.random import key; k = key(0)",
        ),
        (
            "from jax.random import PRNGKey, split; key = PRNGKey(0)",
            "PRNGKey",
            "import jax\nfrom jax.random import split; key = jax.random.key(0)",
        ),
    ],
)
def test_constructor(before: str, at: str, after: str) -> None:
    assert migrate("OLY201", before, at, "call") == after


def test_constructor_is_unsafe_where_something_breaks() -> None:
    doc = document("import jax\nk = jax.random.PRNGKey(0)\n")
    made = fact(
        Reference,
        node(doc, "jax.random.PRNGKey"),
        qualified="jax.random.PRNGKey",
        context="call",
        reachable=("line 3 reads `k.shape[:-1]`",),
    )
    _, fix = fixed(doc, "OLY201", made)
    assert fix is not None and fix.applicability is Applicability.UNSAFE


def test_an_import_that_is_no_longer_used_goes() -> None:
    text = "import jax\nfrom jax.random import PRNGKey, bits\nbits(jax.random.key(0))\n"
    doc = document(text)
    made = fact(Reference, doc.tree.body[1], qualified="jax.random.PRNGKey", context="import")
    assert fixed(doc, "OLY201", made)[0] == text.replace("PRNGKey, ", "")


@pytest.mark.parametrize("rest", ["PRNGKey(0)\n", '__all__ = ["PRNGKey"]\n'])
def test_an_import_that_is_used_stays(rest: str) -> None:
    doc = document("from jax.random import PRNGKey\n" + rest)
    made = fact(Reference, doc.tree.body[0], qualified="jax.random.PRNGKey", context="import")
    assert fixed(doc, "OLY201", made)[1] is None


@pytest.mark.parametrize(
    ("before", "at", "context", "name", "after"),
    [
        (
            "import jax\ndef f(k: jax.random.PRNGKey): ...\n",
            "jax.random.PRNGKey",
            "annotation",
            "PRNGKey",
            "import jax\ndef f(k: jax.Array): ...\n",
        ),
        (
            "import jax\ndef f(k: jax.random.KeyArray | None): ...\n",
            "jax.random.KeyArray",
            "annotation",
            "KeyArray",
            "import jax\ndef f(k: jax.Array | None): ...\n",
        ),
        (
            "from jax import Array, random\ndef f(k: random.KeyArray): ...\n",
            "random.KeyArray",
            "annotation",
            "KeyArray",
            "from jax import Array, random\ndef f(k: Array): ...\n",
        ),
        (
            "from jax import random\ndef f(k: Optional[random.KeyArray]): ...\n",
            "random.KeyArray",
            "annotation",
            "KeyArray",
            "import jax\nfrom jax import random\ndef f(k: Optional[jax.Array]): ...\n",
        ),
        (
            "from jax.random import KeyArray\ndef f(k: KeyArray): ...\n",
            "KeyArray",
            "annotation",
            "KeyArray",
            "import jax\ndef f(k: jax.Array): ...\n",
        ),
        (
            "import typing\nif typing.TYPE_CHECKING:\n    import jax\ndef f(k: jax.random.KeyArray): ...\n",
            "jax.random.KeyArray",
            "annotation",
            "KeyArray",
            "import typing\nif typing.TYPE_CHECKING:\n    import jax\ndef f(k: jax.Array): ...\n",
        ),
        (
            "import jax\ndef f(k: 'jax.random.KeyArray'): ...\n",
            "'jax.random.KeyArray'",
            "string-annotation",
            "KeyArray",
            "import jax\ndef f(k: 'jax.Array'): ...\n",
        ),
        (
            "import jax\nKey = jax.random.KeyArray\n",
            "jax.random.KeyArray",
            "value",
            "KeyArray",
            "import jax\nKey = jax.Array\n",
        ),
        (
            "import jax\nok = isinstance(k, jax.random.PRNGKeyArray)\n",
            "jax.random.PRNGKeyArray",
            "isinstance",
            "PRNGKeyArray",
            "import jax\nok = isinstance(k, jax.Array) and jax.numpy.issubdtype(k.dtype, jax.dtypes.prng_key)\n",
        ),
        (
            "import jax\nok = isinstance(k, (int, jax.random.PRNGKeyArray))\n",
            "jax.random.PRNGKeyArray",
            "isinstance",
            "PRNGKeyArray",
            None,
        ),
        (
            "from jax import random\nk = random.rbg_key(s)\n",
            "random.rbg_key",
            "call",
            "rbg_key",
            'from jax import random\nk = random.key(s, impl="rbg")\n',
        ),
        (
            "from jax import random\nw = k.unsafe_raw_array()\n",
            "k.unsafe_raw_array()",
            "call",
            "unsafe_raw_array",
            "from jax import random\nw = random.key_data(k)\n",
        ),
    ],
)
def test_annotation(before: str, at: str, context: str, name: str, after: str | None) -> None:
    assert migrate("OLY204", before, at, context, name=name) == (after or before)
