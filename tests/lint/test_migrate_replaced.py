"""Code that replaces the constructor by its name, as a mock does, still replaces it after a migration."""

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
from unittest import mock
from unittest.mock import patch
import jax
from jax import random
from pytest import MonkeyPatch


def fixed(seed):
    return jax.numpy.array([0, 7], "uint32")


def draw(seed):
    return random.normal(jax.random.PRNGKey(seed))


"""
REPLACED = {
    "patch": 'with mock.patch("jax.random.PRNGKey", fixed):\n    result = [draw(1)]\n',
    "patch by another name": 'with patch("jax.random.PRNGKey", new=fixed):\n    result = [draw(1)]\n',
    "patch with a result": 'with mock.patch("jax.random.PRNGKey", return_value=fixed(0)):\n    result = [draw(1)]\n',
    "patch as a keyword": "with mock.patch(target='jax.random.PRNGKey', new=fixed):\n    result = [draw(1)]\n",
    "patch.object": 'with mock.patch.object(jax.random, "PRNGKey", fixed):\n    result = [draw(1)]\n',
    "patch.object of a module": "with patch.object(random, attribute='PRNGKey', new=fixed):\n    result = [draw(1)]\n",
    "decorator": """
@mock.patch("jax.random.PRNGKey", fixed)
def test():
    return draw(1)
result = [test(), draw(1)]
""",
    "monkeypatch": """
with MonkeyPatch.context() as monkeypatch:
    monkeypatch.setattr(jax.random, "PRNGKey", fixed)
    result = [draw(1)]
""",
    "monkeypatch by one name": """
with MonkeyPatch.context() as monkeypatch:
    monkeypatch.setattr("jax.random.PRNGKey", fixed)
    result = [draw(1)]
""",
    "setattr": """
former = jax.random.PRNGKey
setattr(jax.random, "PRNGKey", fixed)
result = [draw(1)]
setattr(jax.random, "PRNGKey", former)
""",
    "assignment": """
former = jax.random.PRNGKey
jax.random.PRNGKey = fixed
result = [draw(1)]
jax.random.PRNGKey = former
""",
    "fake that calls the constructor": """
former = random.PRNGKey
with mock.patch.object(random, "PRNGKey", lambda seed: former(7)):
    result = [draw(1)]
""",
}
CALLS_KEY = """
with mock.patch("jax.random.PRNGKey", lambda seed: jax.random.key(7)):
    result = [draw(1)]
"""


def migrated(**texts: str) -> Migration:
    given = [Text(f"{name}.py", Settings(), text) for name, text in texts.items()]
    return migrate(given, Target("typed"), strict=True)


@pytest.mark.parametrize("code", REPLACED.values(), ids=REPLACED)
def test_the_name_is_rewritten_together_with_the_constructors(code: str) -> None:
    migration = migrated(program=HEAD + code)
    new = migration.texts[0].new
    assert "PRNGKey" not in new and not migration.is_open
    before = numbers(HEAD + code, typed=False)
    assert before != FAILED and numbers(new, typed=False) == before


@pytest.mark.parametrize("code", [CALLS_KEY], ids=["key is called already"])
def test_the_constructors_stay_where_the_name_does(code: str) -> None:
    migration = migrated(program=HEAD + code)
    (made, *_) = migration.constructors["program.py"]
    assert any("replaces by its name" in reason.text for reason in made.reasons)
    before = numbers(HEAD + code, typed=False)
    assert before != FAILED and numbers(migration.texts[0].new, typed=False) == before


def test_an_imported_name_is_held_back_by_what_replaces_it() -> None:
    """It may have another name after the migration."""
    module = "from jax.random import PRNGKey, normal\n\n\ndef draw(seed):\n    return normal(PRNGKey(seed))\n"
    other = "import jax\n\n\ndef other(seed):\n    return jax.random.normal(jax.random.PRNGKey(seed))\n"
    test = 'from unittest import mock\n\n\n@mock.patch("{}.PRNGKey")\ndef test(made):\n    pass\n'
    migration = migrated(model=module, other=other, test_model=test.format("model"))
    assert [bool(migration.constructors[name][0].reasons) for name in ("model.py", "other.py")] == [True, False]
    migration = migrated(model=module, other=other, test_model=test.format("jax.random"))
    assert "PRNGKey" not in "".join(text.new for text in migration.texts)


def test_the_portable_style_leaves_the_name() -> None:
    text = HEAD + REPLACED["patch"]
    migration = migrate([Text("program.py", Settings(), text)], Target("portable"))
    assert migration.texts[0].new == text and migration.is_open
