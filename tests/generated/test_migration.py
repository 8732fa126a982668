"""Random projects of raw keys give the same numbers after their migration, bit by bit, or the report says where not.

``OLYMPUS_MIGRATIONS`` sets how many projects a search tries, ``OLYMPUS_PARTS`` how many of the parts by themselves;
``python -m tests.generated.migration`` tries as many as it is told and shows a small project for each sort of failure.
"""

from __future__ import annotations

import os
from collections import Counter
from random import Random

import pytest
from searches import numbers as numbers_of

from olympus_codemods.target import Style, Target
from olympus_lint.migration.project import migrate
from olympus_lint.migration.text import Text
from olympus_lint.project.settings import Settings

from .legacy import Legacy, write_legacy
from .legacy_chains import chains, project_of
from .migration import (
    Failure,
    Migrated,
    failures,
    frame_lines,
    judged,
    migrated,
    ran,
    small,
    strand_lines,
    text_of,
)

pytest.importorskip("jax", reason="JAX is not installed, so that no program can be run")

COUNT = int(os.environ.get("OLYMPUS_MIGRATIONS", "20"))
PARTS = int(os.environ.get("OLYMPUS_PARTS", "60"))
FEW = 5  # in each run
STILL_SILENT = 0.5
"""The share of random projects in which a line of a strand may change without being named, after exit status 1; a third
have one, and none should. After exit status 0, none may change at all."""
STILL_SILENT_ALONE = 0.2
"""The same for one part of a project by itself."""


@pytest.mark.parametrize("seeds", numbers_of(FEW, COUNT, parts=2), ids=str)
def test_most_numbers_stay(seeds: range) -> None:
    seen, silent = Counter[str](), []
    for number in seeds:
        project = write_legacy(Random(f"legacy {number}"))
        found = failures(project, seen)
        seen["runs"] += all(failure.kind != "legacy" for failure in found)
        found = [failure for failure in found if failure.kind != "legacy"]
        assert not {failure.kind for failure in found} & {"again", "edits"}, text_of(project)
        assert not any(failure.is_silent for failure in found), f"{found}\n{text_of(project)}"
        silent += [(number, project, found[0])] if found else []
    if len(silent) > max(1, STILL_SILENT * len(seeds)):
        told = "\n\n".join(f"project {number}: {failure}" for number, _, failure in silent)
        pytest.fail(f"{told}\n\n{text_of(small(*silent[0][1:]))}", pytrace=False)
    assert seen["runs"] >= 0.9 * len(seeds) - 1, "too many projects do not run as they are"
    assert seen["constructors renamed"] >= len(seeds) / 2 and seen["constructors held back"], "nothing to see"
    assert seen["typed: places rewritten"] > len(seeds) / 2 and seen["portable: places rewritten"]


BEYOND = {
    "def f$n(value):\n    return jnp.arange(5)[value]": "an index is a number and a key: that fails loudly",
    "f$n = $PRNGKey(0).shape": "the fix of one file keeps the shape of a key with which that of another is compared",
}
"""The definitions of parts whose programs break after exit status 0, and how; no released package is known to do so."""

EVERY = list(chains())
CHAINS = Random("parts").sample(EVERY, min(PARTS, len(EVERY)))


@pytest.mark.parametrize("some", numbers_of(4, len(CHAINS), parts=4), ids=str)
def test_most_numbers_stay_for_each_part_alone(some: range) -> None:
    found = [(failures(project_of(CHAINS[number])), number) for number in some]
    bad = [f"{each}\n{text_of(project_of(CHAINS[number]))}" for each, number in found if each]
    silent = {number: each for each, number in found if any(failure.is_silent for failure in each)}
    assert not {
        n: each for n, each in silent.items() if BEYOND.keys().isdisjoint(part.definition for part in CHAINS[n])
    }
    assert len(bad) <= max(1, STILL_SILENT_ALONE * len(some)), "\n\n".join(bad)


# The judge


def test_a_wrong_migration_is_seen() -> None:
    """The comparison fails for a project whose constructors are renamed and whose places are not ready."""
    text = (
        "import jax\nimport jax.numpy as jnp\n\nout = []\nkeys = jax.random.split(jax.random.PRNGKey(0), 3)\n"
        "out.append(jnp.zeros(keys.shape[:-1]))\n"
    )
    assert ran(Legacy({"main.py": text})) != ran(Legacy({"main.py": text.replace("PRNGKey", "key")}))
    ready = text.replace("keys.shape[:-1]", "jax.random.key_data(keys).shape[:-1]")
    assert ran(Legacy({"main.py": text})) == ran(Legacy({"main.py": ready.replace("PRNGKey", "key")}))


@pytest.mark.parametrize("status", [0, 1])
def test_a_wrong_migration_is_silent_after_exit_status_0(status: int) -> None:
    text = "import jax\n\nout = []\nout.append('strand 0')\nout.append(jax.random.PRNGKey(0).shape)\n"
    project, wrong = (Legacy({"main.py": each}) for each in (text, text.replace("PRNGKey", "key")))
    (found,) = judged("typed", Migrated(wrong, status, ""), project, ran(project), announced=set())
    assert found.detail == "other numbers" and found.is_silent == (status == 0)
    (found,) = judged("fix", Migrated(wrong, status, ""), project, ran(project), announced=set())
    assert found.is_silent, "the exit status of a safe fix counts findings"
    assert not judged("typed", Migrated(wrong, status, ""), project, ran(project), announced={("main.py", 5)})


def test_the_exit_status_is_that_of_the_command() -> None:
    """What is left gives 1 in each style; what is rewritten gives 0."""
    done, left = (Legacy({"main.py": f"{BOX}out.append({each})\n"}) for each in ("jax.random.normal(k)", "k.shape"))
    styles: tuple[Style, ...] = ("typed", "portable")
    assert [migrated(each, style).status for style in styles for each in (done, left)] == [0, 1, 0, 1]


def test_small_projects_have_one_strand() -> None:
    for number in range(20):
        project = write_legacy(Random(f"legacy {number}"), strands=1)
        assert len(project.titles) == 1 and "'strand 1'" not in project.files[project.main]


TWO_STRANDS = Legacy(
    {
        "main.py": (
            "import numpy as np\nimport tools\n\nout = []\nout.append('strand 0')\nout.append(\n    1\n)\n"
            "out.append('strand 1')\n\ndef case():\n    return tools.load(2)\n\nout.append(case())\n"
        ),
        "tools.py": (
            "def save(x):\n    return x\n\ndef load(x):\n    return clean(\n        x\n    )\n\n"
            "def clean(x):\n    return x.y\n"
        ),
    },
)


def test_an_announcement_excuses_an_error_on_its_lines_only() -> None:
    outcome = ran(TWO_STRANDS)
    assert outcome.values is None and outcome.error.startswith("AttributeError")
    excusing = frame_lines(TWO_STRANDS, outcome)
    assert excusing == {
        ("main.py", 14),
        ("main.py", 12),
        ("tools.py", 5),
        ("tools.py", 6),
        ("tools.py", 7),
        ("tools.py", 10),
    }


def test_an_announcement_excuses_other_numbers_in_its_strand_only() -> None:
    assert strand_lines(TWO_STRANDS, 0) == {("main.py", row) for row in (5, 6, 7, 8)}
    assert strand_lines(TWO_STRANDS, 1) == {("main.py", row) for row in (9, 11, 12, 14)} | {
        ("tools.py", row) for row in (4, 5, 6, 7, 9, 10)
    }


def test_other_numbers_are_those_of_a_strand() -> None:
    text = "out = []\nout.append('strand 0')\nout.append(1)\nout.append('strand 1')\nout.append([2, float('nan')])\n"
    one = ran(Legacy({"main.py": text}))
    assert one.differing(one) is None and one.differing(ran(Legacy({"main.py": text}))) is None
    assert ran(Legacy({"main.py": text.replace("2", "3")})).differing(one) == 1
    assert ran(Legacy({"main.py": text.replace("(1)", "(3)")})).differing(one) == 0


def test_failures_of_one_sort_count_together() -> None:
    one, two = (Failure("typed", f"TypeError: {n}", f"key_{n} = f{n}(2)") for n in (3, 14))
    assert one.sort == two.sort == ("typed", "TypeError", "key = f(2)")


# Places that the file by itself does not show to be about keys.
OUT_OF_SIGHT = [
    "out.append(jnp.issubdtype(k.dtype, jnp.integer))",
    "out.append(k + 1)",
    "out.append(jnp.vstack([k, k]))",
    "out.append(jnp.concatenate([k, k], axis=-1))",
    "out.append(k == k)",
    "out.append(jnp.zeros(k.shape[:-1]))",
    "out.append(k.shape == (2,))",
    "out.append(k.ndim == 1)",
    "out.append(len(k.shape) > 1)",
    "out.append(k.size)",
    "out.append(k.dtype == jnp.uint32)",
    "out.append(k.dtype.itemsize)",
    "out.append(k.astype(jnp.int32))",
    "out.append(k.sum())",
    "out.append(jnp.sum(k))",
    "out.append(k.reshape(1, 2))",
    "out.append(jnp.reshape(k, (1, 2)))",
    "out.append(jnp.tile(k, (3, 1)))",
    "out.append(np.asarray(k))",
    "out.append(str(k))",
    "out.append(k[..., 0])",
    "buffer = np.zeros((2, 2), np.uint32)\nbuffer[0] = k\nout.append(buffer)",
]
RIGHT = [
    "out.append(jax.random.key_data(k).shape[:-1])",
    "out.append(jnp.zeros((3, *k.shape), k.dtype))",
    "out.append(k[None])",
    "out.append(jnp.tile(k, (3, *(1,) * len(k.shape))))",
    "out.append(k.reshape(1, *k.shape))",
    "out.append(bool((k == k).all()))",
    "out.append(jnp.where(len(out) > 0, k, k))",
    "out.append(jnp.stack([k, k]))",
    "if jnp.issubdtype(k.dtype, jax.dtypes.prng_key):\n    out.append(k.ndim)",
]
BOX = """\
import jax
import jax.numpy as jnp
import numpy as np


class Box:
    def __init__(self, thing):
        self.thing = thing

    def __iter__(self):
        yield self.thing


out = []
for k in Box(jax.random.PRNGKey(0)):
    pass
"""


@pytest.mark.parametrize("place", OUT_OF_SIGHT)
def test_places_out_of_sight_are_rewritten_or_hold_constructors_back(place: str) -> None:
    text = f"{BOX}{place}\n"
    (constructor,) = constructors(text, strict=True)
    assert not constructor.reasons or "reach" in constructor.reasons[0].text
    assert constructor.reasons or not failures(Legacy({"main.py": text}))


@pytest.mark.parametrize("place", RIGHT)
def test_what_both_kinds_do_holds_nothing_back(place: str) -> None:
    (constructor,) = constructors(f"{BOX}{place}\n", strict=False)
    assert not constructor.reasons


def constructors(text: str, *, strict: bool) -> list[object]:
    found = migrate([Text("main.py", Settings(), text)], Target("typed"), strict=strict).constructors
    return [constructor for each in found.values() for constructor in each]
