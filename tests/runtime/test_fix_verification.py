"""Fixes, traced: what a safe one has to keep, and what another one has to remove."""

from __future__ import annotations

import textwrap

import pytest

pytest.importorskip("jax", reason="fixes are traced with JAX")

from olympus.verdicts import Place, Question
from olympus.witness.execution import Target
from olympus.worker.fixes import objection

FILE = "/nowhere/fixed.py"

DRAWS = """\
import jax
from jax import random


def f(seed, shape):
    key = random.PRNGKey(seed)  # changed
    first, second = random.split(key)
    return random.normal(first, shape), random.uniform(second)
"""

REUSE = """\
import jax
from jax import random


def f(key, shape):
    first = random.normal(key, shape)  # changed
    return first + random.uniform(key, shape)
"""


def target(text: str) -> Target:
    return Target(FILE, text, "fixed", "")


def changed(text: str) -> list[int]:
    return [row for row, line in enumerate(text.split("\n"), 1) if line.endswith("# changed")]


def place(text: str, part: str) -> Place:
    start = text.index(part)
    row, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
    return Place(FILE, row, column, row, column + len(part))


def safe(text: str, old: str, new: str) -> str | None:
    assert old in text
    return objection(target(text), target(text.replace(old, new)), changed(text), safe=True)


def unsafe(text: str, old: str, new: str, question: Question | None) -> str | None:
    assert old in text
    return objection(target(text), target(text.replace(old, new)), changed(text), safe=False, question=question)


OTHER = "with it, a trace has other draws, other keys, or another order of them, in `f`"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("random.PRNGKey(seed)", "random.key(seed)", None),
        ("  # changed", "  # noqa", None),
        ("random.normal(first, shape), random.uniform(second)", "random.bits(second), random.uniform(first)", OTHER),
        ("first, second = random.split(key)", "first, second = random.split(random.split(key)[0])", OTHER),
        ("first, second = random.split(key)", "first, second = random.fold_in(key, 0), random.fold_in(key, 1)", None),
        ("random.normal(first, shape), ", "", OTHER),
        ("random.uniform(second)", "random.uniform(second), random.normal(key)", OTHER),
    ],
)  # fmt: skip
def test_safe_fixes_keep_draws_and_keys(old: str, new: str, expected: str | None) -> None:
    assert safe(DRAWS, old, new) == expected


def test_without_draws_the_making_of_keys_is_kept() -> None:
    text = DRAWS.replace("random.normal(first, shape), random.uniform(second)", "first, second")
    assert safe(text, "random.PRNGKey(seed)", "random.key(seed)") is None
    assert safe(text, "random.split(key)", "random.split(random.fold_in(key, 1))") == OTHER


def test_a_method_and_code_outside_functions_are_compared() -> None:
    text = f"{textwrap.dedent(DRAWS)}\n\nclass C:\n    def g(self, key):\n        return random.bits(key)  # changed\n"
    assert safe(text, "random.bits(key)", "random.bits(random.split(key)[0])") == OTHER.replace("`f`", "`C.g`")
    outside = "import jax\n\nkey = jax.random.PRNGKey(0)  # changed\nx = jax.random.bits(key)\n"
    assert safe(outside, "PRNGKey", "key") is None
    assert safe(outside, "bits(key)", "bits(jax.random.split(key)[0])") == OTHER.removesuffix(", in `f`")


REUSED = Question(
    "OLY104", place(REUSE, "random.uniform(key, shape)"), place(REUSE, "random.normal(key, shape)"), certain=True
)


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        ("    key, subkey = random.split(key)\n    first = random.normal(subkey, shape)", None),
        (
            "    first = random.normal(key, shape) + 0.0",
            "with it, a trace shows as many misuses of keys as without, in `f`",
        ),
        (
            "    key, subkey = random.split(key)\n    first = random.normal(subkey, shape) + len(3)",
            "with it, there is a new error (TypeError: ",
        ),
    ],
)
def test_other_fixes_remove_the_finding_and_add_no_error(new: str, expected: str | None) -> None:
    said = unsafe(REUSE, "    first = random.normal(key, shape)", new, REUSED)
    assert said is None if expected is None else str(said).startswith(expected)


def test_a_fix_of_what_is_not_true_is_not_applied() -> None:
    """The finding says that the two draws have one key, and they have not."""
    text = DRAWS.replace("key = random.PRNGKey(seed)  # changed", "key = random.PRNGKey(seed)")
    text = text.replace("first, second = random.split(key)", "first, second = random.split(key)  # changed")
    asked = Question("OLY104", place(text, "random.uniform(second)"), place(text, "random.normal(first, shape)"), True)
    said = unsafe(text, "random.split(key)", "random.split(key, 2)", asked)
    assert said == "the finding is refuted (the keys there are different ones), in `f`"


INDEXED = "import jax\n\n\ndef f(key):\n    return jax.random.key(key[1])  # changed\n"


def test_an_index_into_a_key_that_is_gone() -> None:
    asked = Question("OLY101", place(INDEXED, "key[1]"), certain=True)
    assert unsafe(INDEXED, "jax.random.key(key[1])", "jax.random.split(key)[1]", asked) is None
