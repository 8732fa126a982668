"""The fix of OLY206 is safe: there is one only where every program goes on to compute the same."""

from __future__ import annotations

import pytest
from handmade import document

from olympus_codemods.fixes import fix_for, migration_for
from olympus_codemods.target import Target
from olympus_rules.check import check
from olympus_rules.finding import Applicability, Confidence
from olympus_rules.rule import Report
from olympus_rules.rules import all_rules
from olympus_rules.syntax import Document

HEADER = "import jax\nimport jax.numpy as jnp\nimport numpy as np\nimport pickle\nfrom jax import lax, random\n\n"


def reported(text: str) -> tuple[Document, Report]:
    """Return the one report of OLY206 on a program."""
    doc = document(HEADER + text)
    checked = check(doc, [all_rules()["OLY206"]], min_confidence=Confidence.POSSIBLE)
    assert not checked.errors
    (report,) = checked.reports
    return doc, report


@pytest.mark.parametrize(
    ("expression", "raw", "unknown"),
    [
        ("str(key)", True, False),
        ("key == other", True, False),
        ("jax.device_get(key)", True, False),
        ("np.array_equal(key, other)", True, False),
        ("pickle.dumps(key)", True, False),
        ("np.asarray(key)", True, True),
        ("key.tobytes()", True, True),
    ],
)
@pytest.mark.parametrize("kind", ["raw", "unknown"])
def test_keys_that_may_be_typed(expression: str, raw: bool, unknown: bool, kind: str) -> None:
    """A typed key works there, and would give something else after the fix."""
    made = (
        "key, other = random.PRNGKey(0), random.PRNGKey(1)" if kind == "raw" else "random.bits(key), random.bits(other)"
    )
    doc, report = reported(f"def f(key, other):\n    {made}\n    return {expression}\n")
    fix = fix_for(report, doc)
    assert (fix is not None) == (raw if kind == "raw" else unknown)
    assert fix is None or fix.applicability is Applicability.SAFE


HELD_BACK = {
    "B30 something that may be a key": (
        "def f(key, saved):\n    random.bits(key)\n    return np.array_equal(key, saved)\n"
    ),
    "B31 something that may be a key": (
        "def f(key, saved):\n    random.bits(key)\n    np.testing.assert_array_equal(key, saved)\n"
    ),
    "B34 another number": "x = jnp.where(True, random.PRNGKey(0), 7)\n",
    "B34 an axis": "k = random.PRNGKey(0)\nx = random.permutation(k, random.split(k), axis=1)\n",
    "B34 a pad": "k = random.split(random.PRNGKey(0))\nx = jnp.pad(k, ((0, 1), (0, 0)))\n",
    "B35 a sum over devices": "def f(key):\n    random.bits(key)\n    return lax.psum(key, 'devices')\n",
    "B35 a tree": (
        "state = {'key': random.PRNGKey(0)}\nmean = jax.tree.map(lambda leaf: lax.pmean(leaf, 'devices'), state)\n"
    ),
    "B36 ravel": "from jax.flatten_util import ravel_pytree\nx, _ = ravel_pytree([random.PRNGKey(0)])\n",
    "B40 a list behind a name": "keys = [random.PRNGKey(0), random.PRNGKey(1)]\nrows = np.array(keys)\n",
    "B43 a checkpoint": "import flax\nx = flax.serialization.to_bytes({'key': random.PRNGKey(0)})\n",
    "a parameter": "def f(path, key):\n    np.save(path, key)\n\n\nf('a', random.PRNGKey(0))\n",
}


@pytest.mark.parametrize("program", HELD_BACK.values(), ids=HELD_BACK.keys())
def test_held_back(program: str) -> None:
    """It breaks, and no rewrite is right for all that may be there."""
    doc, report = reported(program)
    assert report.finding.confidence >= Confidence.LIKELY
    assert fix_for(report, doc) is None
    assert migration_for(report, doc, Target()) is None
