"""The JSON Schema of the settings: up to date, and never stricter than the program."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import settings_schema
from conftest import Outcome

from olympus_lint.project.settings import READERS, SettingsError, from_table

SCHEMA: dict[str, Any] = json.loads(settings_schema.FILE.read_text("utf-8"))
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)
SHARED = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "properties": {"tool": {"properties": {"olympus-lint": SCHEMA}}},
}
PAGE = (settings_schema.ROOT / "docs" / "settings.md").read_text("utf-8")

VALID = [
    "",
    "select = ['ALL', 'OLY', 'OLY1', 'OLY10', 'OLY104', 'key-reuse']",
    "per-file-ignores = {'tests/*' = ['OLY104'], 'a.py' = []}",
    "extension = ['md', '.MD', 'qmd:markdown']",
    "library-roots = ['jax', 'my.jax', 'größe']",
    "target-jax = '0.4.30'",
    "trace = {'a.b:C.d' = {args = ['key', 'f32[3]']}, 'a:b' = {args = {x = '3'}}}",
    "min-confidence = 'certain'\ntests = 'all'\noutput-format = 'json-lines'",
    "cache-dir = '/tmp'\nbaseline = 'known.json'\nfix = true",
]
# What is wrong, and whether a schema can tell.
INVALID = [
    ("selct = ['OLY1']", True),
    ("min_confidence = 'likely'", True),
    ("select = 'OLY1'", True),
    ("select = [1]", True),
    ("ignore = ['OLY140']", True),
    ("fix = 1", True),
    ("min-confidence = 'sure'", True),
    ("tests = 'some'", True),
    ("output-format = 'jason'", True),
    ("library-roots = ['a b']", True),
    ("library-roots = ['1a']", False),
    ("cache-dir = 3", True),
    ("baseline = ''", True),
    ("per-file-ignores = []", True),
    ("per-file-ignores = {'a' = 'OLY1'}", True),
    ("extension = ['qmd']", False),
    ("extension = ['qmd:word']", True),
    ("exclude = ['a*']\nextend-exclude = 'b'", True),
    (f"exclude = ['{'a' * 1001}']", True),
    ("target-jax = 'new'", True),
    ("trace = {step = {args = []}}", True),
    ("trace = {'a:b' = {arg = []}}", True),
    ("trace = {'a:b' = {}}", True),
    ("trace = {'a:b' = {args = ['f33']}}", False),
]


def documented() -> list[str]:
    """Return the examples of the page."""
    found = re.findall(r"```toml\n(\[tool\.olympus-lint.+?)```", PAGE, re.DOTALL)
    assert len(found) > 20
    return found


def test_it_is_what_the_settings_give() -> None:
    assert settings_schema.FILE.read_text("utf-8") == settings_schema.text(), "run `python -m tests.tables`"


def test_it_has_each_setting_with_its_meaning() -> None:
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    assert SCHEMA["properties"].keys() == {"extend", *(name.replace("_", "-") for name in READERS)}
    assert all(f"docs/settings.md#{name}" in each["description"] or name == "extend"
               for name, each in SCHEMA["properties"].items())  # fmt: skip


@pytest.mark.parametrize("example", documented())
def test_documented_examples_are_valid_in_a_pyproject(example: str) -> None:
    jsonschema.Draft7Validator(SHARED).validate(tomllib.loads(example))
    assert not jsonschema.Draft7Validator(SHARED).is_valid({"tool": {"olympus-lint": {"selct": []}}})


@pytest.mark.parametrize("name", SCHEMA["properties"])
def test_its_defaults_and_examples_are_valid(name: str) -> None:
    own = SCHEMA["properties"][name]
    for value in (*own.get("examples", ()), *([own["default"]] if "default" in own else ())):
        VALIDATOR.validate({name: value})


@pytest.mark.parametrize("text", VALID)
def test_what_is_valid(text: str, tmp_path: Path) -> None:
    table = tomllib.loads(text)
    from_table(table, "", tmp_path)
    VALIDATOR.validate(table)


@pytest.mark.parametrize(("text", "can_tell"), INVALID)
def test_what_is_invalid(text: str, can_tell: bool, tmp_path: Path) -> None:
    table = tomllib.loads(text)
    with pytest.raises(SettingsError):
        from_table(table, "", tmp_path)
    assert VALIDATOR.is_valid(table) is not can_tell


def test_settings_that_are_valid_are_taken_by_the_command(project: Path, run: Any) -> None:
    text = "\n".join(VALID)
    VALIDATOR.validate(tomllib.loads(text))
    Path("olympus-lint.toml").write_text(text.replace("baseline = 'known.json'\n", ""))
    ran: Outcome = run("--show-settings", ".")
    assert (ran.status, ran.err) == (0, "")
