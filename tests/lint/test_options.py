"""Options that users of ruff try first."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import command
from conftest import Outcome

Run = Callable[..., Outcome]

REUSE = "import jax\n\n\ndef f(key):\n    return jax.random.normal(key) + jax.random.uniform(key)\n"
SHAPED = "import jax\n\n\ndef f(key):\n    return key.shape == (2,), jax.random.normal(key)\n"


@pytest.fixture(autouse=True)
def files(project: Path) -> None:
    Path("pkg").mkdir()
    Path("pkg/a.py").write_text(REUSE)
    Path("pkg/b.py").write_text(SHAPED)


@pytest.mark.parametrize("paths", [[], ["."], ["pkg"], ["pkg/a.py", "pkg/b.py"], ["pkg", "--select", "OLY104"]])
def test_check_is_taken_as_said(run: Run, paths: list[str]) -> None:
    assert run("check", *paths) == run(*paths)


def test_a_folder_named_check_is_a_folder(run: Run) -> None:
    Path("check").mkdir()
    Path("check/c.py").write_text(REUSE)
    assert run("check", "--output-format", "concise").out.startswith("check/c.py:5")


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["rule", "OLY104"], "--explain"),
        (["linter"], "--list-rules"),
        (["config"], "--show-settings"),
        (["server"], "--server"),
        (["explain", "OLY104"], "--explain"),
        (["migrate", "pkg"], "--migrate"),
        (["tests"], "--tests"),  # a folder, more likely
    ],
)
def test_a_command_that_is_an_option_here_is_told(run: Run, words: list[str], option: str) -> None:
    told = run(*words)
    assert (told.status, told.out) == (2, "")
    said = f"{words[0]}: does not exist; check the spelling and the current folder, or write the option {option}."
    assert told.err == f"error: {said}\n"


def test_a_file_with_the_name_of_an_option_is_a_file(run: Run) -> None:
    Path("rule").write_text(REUSE)
    assert run("rule", "--output-format", "concise").out.startswith("rule:5")


@pytest.mark.parametrize("setting", ["fix = true", "fix-only = true", "fix = true\nunsafe-fixes = true"])
def test_no_fix_overrules_the_settings(run: Run, setting: str) -> None:
    Path("olympus-lint.toml").write_text(setting + "\n")
    told = run(".", "--no-fix")
    assert told.status == 1 and "OLY202" in told.out
    assert Path("pkg/b.py").read_text() == SHAPED
    run(".")
    assert Path("pkg/b.py").read_text() != SHAPED


def test_the_last_of_fix_and_no_fix_holds(run: Run) -> None:
    run(".", "--fix", "--no-fix")
    assert Path("pkg/b.py").read_text() == SHAPED
    run(".", "--no-fix", "--fix")
    assert Path("pkg/b.py").read_text() != SHAPED


def test_isolated_reads_no_settings(run: Run) -> None:
    plain = run(".")
    Path("pyproject.toml").write_text("[tool.olympus-lint]\nignore = ['OLY104']\n")
    assert run(".").out != plain.out
    assert run(".", "--isolated").out == plain.out
    both = run(".", "--isolated", "--config", "pyproject.toml")
    assert both.status == 2 and both.err.startswith("error: --isolated reads no settings file")


ESCAPE = "\x1b["


def test_colours(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    assert ESCAPE not in run(".").out
    assert ESCAPE in run(".", "--color", "always").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert ESCAPE in run(".").out
    assert ESCAPE not in run(".", "--color", "never").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert ESCAPE not in run(".").out
    assert ESCAPE in run(".", "--color", "always").out
    assert ESCAPE not in run(".", "--color", "always", "-o", "report.txt").out
    assert ESCAPE not in Path("report.txt").read_text()


REUSED = """\
import jax

key = jax.random.PRNGKey(0)
print(jax.random.normal(key), jax.random.normal(key), key.shape == (2,))
"""


def fixes_of(folder: Path, *words: str) -> dict[str, bool]:
    found = json.loads(command(folder, "--exit-zero", "--output-format", "json", *words, "model.py").stdout)
    return {each["code"]: each["fix"] is not None for each in found}


def test_rules_whose_fixes_are_offered(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(REUSED)
    assert fixes_of(tmp_path) == {"OLY104": True, "OLY202": True}
    assert fixes_of(tmp_path, "--unfixable", "OLY104") == {"OLY104": False, "OLY202": True}
    assert fixes_of(tmp_path, "--fixable", "OLY104") == {"OLY104": True, "OLY202": False}
    assert fixes_of(tmp_path, "--fixable", "OLY1,OLY2", "--unfixable", "OLY202") == {"OLY104": True, "OLY202": False}
    (tmp_path / "pyproject.toml").write_text("[tool.olympus-lint]\nunfixable = ['ALL']\n")
    assert fixes_of(tmp_path) == {"OLY104": False, "OLY202": False}  # and no result of another run
    assert command(tmp_path, "--fix", "--unsafe-fixes", "--exit-zero", "model.py").returncode == 0
    assert (tmp_path / "model.py").read_text() == REUSED


def test_settings_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(REUSED)
    (tmp_path / "own.toml").write_text("ignore = ['OLY202']\n")
    assert set(fixes_of(tmp_path, "--config", "ignore = ['OLY104']")) == {"OLY202"}
    assert set(fixes_of(tmp_path, "--config", "own.toml")) == {"OLY104"}
    both = ("--config", "own.toml", "--config", "extend-select = ['OLY201']")
    assert set(fixes_of(tmp_path, *both)) == {"OLY104", "OLY201"}
    assert set(fixes_of(tmp_path, "--config", "ignore = ['OLY104']", "--ignore", "OLY202")) == {"OLY104"}
    assert set(fixes_of(tmp_path, "--isolated", "--config", "ignore = ['OLY104']")) == {"OLY202"}
    for words, sentence in {
        ("ignore = [",): "neither a file nor a setting",
        ("ignroe = []",): "did you mean 'ignore'",
        ("own.toml", "other.toml"): "names 2 settings files",
    }.items():
        line = [part for word in words for part in ("--config", word)]
        done = command(tmp_path, *line, "model.py")
        assert done.returncode == 2 and sentence in done.stderr


def test_options_in_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model.py").write_text(REUSED)
    monkeypatch.setenv("OLYMPUS_LINT_OUTPUT_FORMAT", "json")
    assert json.loads(command(tmp_path, "--no-cache", "model.py").stdout)
    assert command(tmp_path, "--no-cache", "--output-format", "concise", "model.py").stdout.startswith("model.py:4")
    monkeypatch.setenv("OLYMPUS_LINT_OUTPUT_FILE", "found.json")
    monkeypatch.setenv("OLYMPUS_LINT_NO_CACHE", "1")
    assert command(tmp_path, "model.py").stdout == ""
    assert json.loads((tmp_path / "found.json").read_text())
    assert not (tmp_path / ".olympus-lint-cache").exists()
    monkeypatch.setenv("OLYMPUS_LINT_NO_CACHE", "0")
    command(tmp_path, "model.py")
    assert (tmp_path / ".olympus-lint-cache").exists()
    monkeypatch.setenv("OLYMPUS_LINT_OUTPUT_FORMAT", "jsn")
    done = command(tmp_path, "model.py")
    assert done.returncode == 2 and "did you mean 'json'" in done.stderr
