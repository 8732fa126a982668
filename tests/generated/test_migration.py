"""Random projects of raw keys give the same numbers after their migration, bit by bit.

``OLYMPUS_MIGRATIONS`` sets how many projects a search tries; ``python -m tests.generated.migration`` tries as many as
it is told and shows a small project for each sort of failure.
"""

from __future__ import annotations

import os
from collections import Counter
from random import Random

import pytest
from hypothesis import HealthCheck
from searches import numbers as numbers_of
from searches import searched

from olympus_codemods.target import Target
from olympus_lint.migration.places import Text
from olympus_lint.migration.project import migrate
from olympus_lint.project.settings import Settings

from .legacy import Legacy, legacy_projects, write_legacy
from .migration import failures, numbers, shrunk, text_of

pytest.importorskip("jax", reason="JAX is not installed, so that no program can be run")

COUNT = int(os.environ.get("OLYMPUS_MIGRATIONS", "30"))
FEW = 8  # in each run


@pytest.mark.parametrize("seeds", numbers_of(FEW, COUNT, parts=2), ids=str)
def test_numbers_stay(seeds: range) -> None:
    seen = Counter[str]()
    for number in seeds:
        project = write_legacy(Random(f"legacy {number}"))
        found = failures(project, seen)
        if found:
            kinds = {failure.kind for failure in found}
            small = shrunk(project, lambda p, kinds=kinds: any(f.kind in kinds for f in failures(p)))  # type: ignore[misc]
            pytest.fail(f"project {number}: {found}\n\n{text_of(small)}", pytrace=False)
    assert seen["constructors renamed"] > len(seeds) / 2 and seen["constructors held back"], "nothing to see"
    assert seen["typed: places rewritten"] > len(seeds) and seen["portable: places rewritten"]


@searched(legacy_projects(), few=1, many=5, derandomize=True, suppress_health_check=list(HealthCheck))
def test_numbers_stay_for_hypothesis(project: Legacy) -> None:
    assert failures(project) == [], text_of(project)


def test_a_wrong_migration_is_seen() -> None:
    """The comparison fails for a project whose constructors are renamed and whose places are not ready."""
    text = (
        "import jax\nimport jax.numpy as jnp\n\nout = []\nkeys = jax.random.split(jax.random.PRNGKey(0), 3)\n"
        "out.append(jnp.zeros(keys.shape[:-1]))\n"
    )
    assert numbers({"main.py": text}) != numbers({"main.py": text.replace("PRNGKey", "key")})
    ready = text.replace("keys.shape[:-1]", "jax.random.key_data(keys).shape[:-1]")
    assert numbers({"main.py": text}) == numbers({"main.py": ready.replace("PRNGKey", "key")})


# Places that the file by itself does not show to be about keys; the constructor is held back.
OUT_OF_SIGHT = [
    "out.append(jnp.zeros(k.shape[:-1]))",
    "out.append(k.shape == (2,))",
    "out.append(k.ndim == 1)",
    "out.append(len(k.shape) > 1)",
    "out.append(k.size)",
    "out.append(k.dtype == jnp.uint32)",
    "out.append(k.dtype.itemsize)",
    "out.append(jnp.issubdtype(k.dtype, jnp.integer))",
    "out.append(k.astype(jnp.int32))",
    "out.append(k.sum())",
    "out.append(jnp.sum(k))",
    "out.append(k + 1)",
    "out.append(k.reshape(1, 2))",
    "out.append(jnp.reshape(k, (1, 2)))",
    "out.append(jnp.tile(k, (3, 1)))",
    "out.append(jnp.vstack([k, k]))",
    "out.append(jnp.where(jnp.array([True, False])[:, None], k, k))",
    "out.append(jnp.concatenate([k, k], axis=-1))",
    "out.append(np.asarray(k))",
    "out.append(k == k)",
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
def test_places_out_of_sight_hold_constructors_back(place: str) -> None:
    (constructor,) = constructors(f"{BOX}{place}\n")
    assert constructor.reasons and constructor.reasons[0].text.startswith("reaches ")


@pytest.mark.parametrize("place", RIGHT)
def test_what_both_kinds_do_holds_nothing_back(place: str) -> None:
    (constructor,) = constructors(f"{BOX}{place}\n")
    assert not constructor.reasons


def constructors(text: str) -> list[object]:
    found = migrate([Text("main.py", Settings(), text)], Target("typed")).constructors
    return [constructor for each in found.values() for constructor in each]
