"""Options that users of ruff try first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
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
