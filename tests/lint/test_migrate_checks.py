"""What a migration asks to check: lines to which keys of renamed constructors may get, and that may not take them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import command
from test_raw_partners import HEAD, PROGRAMS

from olympus_codemods.target import Target
from olympus_lint.migration.migration import Migration
from olympus_lint.migration.project import migrate
from olympus_lint.migration.text import Text
from olympus_lint.project.settings import Settings

SAMPLERS = """\
import jax
import jax.numpy as jnp
import somelib


class Words:
    def draw(self, key):
        return key[0]


def run():
    return somelib.draw(jax.random.PRNGKey(0))


def words():
    return Words().draw(jax.random.PRNGKey(1))
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "samplers.py").write_text(SAMPLERS.replace("key[0]", "key.reshape(1, -1)"))
    return tmp_path


def test_a_key_that_may_get_to_a_place_is_typed_and_the_place_is_named(project: Path) -> None:
    done = command(project, "--migrate", "--fix", ".")
    assert done.returncode == 1
    text = (project / "samplers.py").read_text()
    assert "somelib.draw(jax.random.key(0))" in text and "Words().draw(jax.random.PRNGKey(1))" in text
    (line,) = done.stdout.partition("Check these lines")[2].partition("\n\n")[0].splitlines()[1:]
    said = "the key is passed to `somelib.draw`, and whether somelib takes typed keys is unknown"
    assert line == f"  samplers.py:12 {said} (from samplers.py:12)"


def test_a_strict_migration_keeps_it_raw(project: Path) -> None:
    done = command(project, "--migrate", "--strict", "--fix", ".")
    assert "Check these lines" not in done.stdout
    assert (project / "samplers.py").read_text().count("PRNGKey") == 2


def test_a_fix_of_the_constructor_is_unsafe_as_in_a_strict_migration(project: Path) -> None:
    command(project, "--select", "OLY201", "--fix", ".")
    assert (project / "samplers.py").read_text().count("PRNGKey") == 2


def test_json_has_all_lines_and_constructors(project: Path) -> None:
    report = json.loads(command(project, "--migrate", "--output-format", "json", ".").stdout)
    assert [(each["row"], each["constructors"]) for each in report["checks"]] == [(12, 1)]
    assert [(bool(each["held_back_by"]), bool(each["to_check"])) for each in report["constructors"]] == [
        (False, True),
        (True, False),
    ]


def test_markdown_has_the_section(project: Path) -> None:
    assert "Check these lines" in command(project, "--migrate", "--output-format", "markdown", ".").stdout


def test_strict_is_an_option_of_the_migration(project: Path) -> None:
    done = command(project, "--strict", ".")
    assert done.returncode == 2 and "--strict has no effect without --migrate" in done.stderr


def planned(code: str, *, strict: bool) -> Migration:
    return migrate([Text("program.py", Settings(), HEAD + code)], Target("typed"), strict=strict)


@pytest.mark.parametrize("name", sorted(PROGRAMS)[::15])
def test_what_a_strict_migration_holds_back_is_held_back_or_named(name: str) -> None:
    """But for keys that meet others which stay raw only in the strict one."""
    code = PROGRAMS[name][-1]
    strict, free = planned(code, strict=True), planned(code, strict=False)
    for cautious, one in zip(strict.constructors["program.py"], free.constructors["program.py"], strict=True):
        assert not one.reasons or cautious.reasons
        others = [reason for reason in cautious.reasons if "keys that stay raw" not in reason.text]
        assert not others or one.reasons or one.checks or free.unlisted
    assert free.is_open == strict.is_open or not strict.is_open
