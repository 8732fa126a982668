"""What a program asks of a key that is typed already has its answer: no safe fix and no migration changes it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import command

from olympus_codemods.target import Target
from olympus_lint.migration.project import migrate
from olympus_lint.migration.text import Text
from olympus_lint.project.settings import Settings

HEAD = "import jax\nimport jax.numpy as jnp\nimport numpy as np\n\n"
TYPED = {
    "made": "key = jax.random.key(0)\n",
    "wrapped": "key = jax.random.wrap_key_data(jnp.asarray(np.array([0, 2], np.uint32)))\n",
}
ASKED = {
    "shape": "key.shape == (2,)",
    "axes": "key.ndim == 1",
    "dtype": "jnp.issubdtype(key.dtype, jnp.integer)",
    "name": "key.dtype.name",
}


@pytest.mark.parametrize("question", ASKED.values(), ids=ASKED)
@pytest.mark.parametrize("made", TYPED.values(), ids=TYPED)
@pytest.mark.parametrize("style", ["typed", "portable"])
def test_a_migration_leaves_what_a_typed_key_is_asked(made: str, question: str, style: str) -> None:
    text = f"{HEAD}{made}print({question})\n"
    assert migrate([Text("program.py", Settings(), text)], Target(style)).texts[0].new == text  # type: ignore[arg-type]


@pytest.mark.parametrize("question", ASKED.values(), ids=ASKED)
def test_no_safe_fix_changes_what_a_typed_key_is_asked(question: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(f"{HEAD}{TYPED['made']}print({question})\n")
    found = json.loads(command(tmp_path, "--exit-zero", "--output-format", "json", "program.py").stdout)
    assert {each["code"] for each in found} <= {"OLY202", "OLY203"} and found
    assert all(each["fix"] is None or each["fix"]["applicability"] == "unsafe" for each in found)


@pytest.mark.parametrize("question", [ASKED["shape"], ASKED["axes"]])
def test_no_safe_fix_changes_what_a_parameter_is_asked_that_may_get_a_typed_key(question: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        f"{HEAD}import collections\n\nheld = collections.deque([jax.random.wrap_key_data(jax.random.PRNGKey(1))])\n\n\n"
        f"def draw(key):\n    print({question})\n    return jax.random.normal(key)\n\n\ndraw(held[0])\n"
    )
    old = program.read_text()
    command(tmp_path, "--fix", "program.py")
    assert program.read_text() == old


def test_keys_at_several_places_are_an_array_of_keys(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        f"{HEAD}keys = jax.random.split(jax.random.PRNGKey(1), 3)[jnp.arange(3)]\n"
        "print(keys.reshape(*keys.shape[:-1], 1, 2)[:, 0].shape)\n"
    )
    command(tmp_path, "--fix", "program.py")
    assert "*keys.shape)" not in program.read_text()


def test_a_dictionary_that_has_a_key_is_no_array_of_keys(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        f"{HEAD}state = dict([('rng', jax.random.PRNGKey(1))])\n"
        "key = jax.random.fold_in(state['rng'], 3)\n"
        "buffer = jnp.zeros((3, 2), jnp.uint32).at[1].set(key)\nprint(jax.random.normal(buffer[1]))\n"
    )
    command(tmp_path, "--fix", "program.py")
    assert "state.shape" not in program.read_text() and "state.dtype" not in program.read_text()


@pytest.mark.parametrize("question", ["key.dtype == jnp.uint32", "key.shape == SHAPE and key.dtype == jnp.uint32"])
def test_safe_fixes_together_keep_the_answers_of_a_program(question: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        f"{HEAD}SHAPE = (2,)\nkey = jax.random.PRNGKey(1)\nassert {question}\nprint(jax.random.normal(key))\n"
    )
    command(tmp_path, "--select", "ALL", "--fix", "program.py")
    assert "jax.random.PRNGKey(1)" in program.read_text() and "key.dtype == jnp.uint32" in program.read_text()
