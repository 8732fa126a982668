"""A call stores a key in what it returns: the key comes back from there, so that no raw key meets a typed one."""

from __future__ import annotations

import pytest
from migrated import FAILED, numbers

from olympus_codemods.target import Target
from olympus_lint.migration.migration import Migration
from olympus_lint.migration.project import migrate
from olympus_lint.migration.text import Text
from olympus_lint.project.settings import Settings

pytest.importorskip("jax", reason="needs JAX, the extra `trace`")

HEAD = """\
import jax
import jax.numpy as jnp
from jax.random import PRNGKey, normal

"""
STORED = {}
MET = """\
other = PRNGKey(9)
result = [jnp.sum(other[:1]), jnp.stack([{stored}, other])[:, 1]]
"""
"""The keys meet in an array, and one of them stays raw."""
READ = "result = [{stored}[0]]\n"
DRAWN = "result = [normal({stored})]\n"


def migrated(text: str) -> Migration:
    return migrate([Text("program.py", Settings(), text)], Target("typed"), strict=True)


@pytest.mark.parametrize("use", [MET, READ, DRAWN], ids=["met", "read", "drawn"])
@pytest.mark.parametrize(("code", "stored"), STORED.values(), ids=STORED)
def test_a_key_comes_back_from_what_a_call_stores_it_in(code: str, stored: str, use: str) -> None:
    text = HEAD + code.lstrip("\n") + use.format(stored=stored)
    migration = migrated(text)
    before = numbers(text, typed=False)
    assert before != FAILED and numbers(migration.texts[0].new, typed=False) == before
    assert use != DRAWN or not migration.held
