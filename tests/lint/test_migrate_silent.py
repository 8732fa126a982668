"""What typed keys change without an error is told before anything is renamed: each sort of it, by the report."""

from __future__ import annotations

import pytest

from olympus_codemods.target import Target
from olympus_lint.migration.project import migrate
from olympus_lint.migration.report import render
from olympus_lint.migration.report_content import is_silent
from olympus_lint.migration.text import Text
from olympus_lint.project.settings import Settings

HEAD = """\
import jax
import jax.numpy as jnp
import numpy as np

key = jax.random.PRNGKey(0)
keys = jax.random.split(key, 4)
"""
SILENT = {
    "B11 batch shape": "steps = jnp.zeros(keys.shape[:-1])",
    "B12 is a key, by its shape": "one = key.shape == (2,)",
    "B13 one or several, by the rank": "one = key.ndim == 1",
    "B15 reshape to rows of words": "rows = keys.reshape(-1, 2)",
    "B16 reshape that leaves the words": "rows = keys.reshape(2, 2, -1)",
    "B17 broadcast to words": "rows = jnp.broadcast_to(key, (3, 2))",
    "B18 first word of each": "words = keys[..., 0]",
    "B26 dtype": "raw = key.dtype == jnp.uint32",
    "B28 dtype by name": 'raw = key.dtype.name == "uint32"',
    "B30 equality": "same = np.array_equal(keys[0], keys[1])",
    "B38 a key of zeros": "empty = jnp.zeros_like(key)",
    "B45 what is fetched": "words = jax.device_get(key)",
    "B45 what is printed": "print(key)",
}


@pytest.mark.parametrize("code", SILENT.values(), ids=SILENT.keys())
def test_silent_changes_are_told(code: str) -> None:
    migration = migrate([Text("program.py", Settings(), f"{HEAD}{code}\n")], Target("typed"), strict=True)
    facts = [each.report.fact for text in migration.texts for each in text.rewritten]
    facts += [report.fact for reports in migration.left.values() for report in reports]
    assert [fact.node.lineno for fact in facts if is_silent(fact)] == [7]  # type: ignore[attr-defined]
    assert "silently" in render(migration, "full", written=False)
