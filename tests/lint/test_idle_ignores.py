"""Patterns of ``per-file-ignores`` that match no file: told only by a run that has looked where they could match."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from programs import REUSE

PROGRAM = Path(sys.executable).with_name("olympus-lint")
NOTE = "note: per-file-ignores: "


@pytest.fixture
def tree(project: Path) -> Path:
    """Return a project with a file in ``src``, one in ``tests`` and one that is excluded."""
    for name in ("src/a.py", "tests/test_a.py", "gen/made_pb2.py"):
        file = project / name
        file.parent.mkdir()
        file.write_text(REUSE)
    return project


def settings(tree: Path, *patterns: str, more: str = "") -> None:
    rows = "".join(f'"{pattern}" = ["OLY104"]\n' for pattern in patterns)
    text = f"[tool.olympus-lint]\n{more}\n[tool.olympus-lint.per-file-ignores]\n{rows}"
    (tree / "pyproject.toml").write_text(text)


def notes(*options: str, folder: Path | None = None) -> list[str]:
    """Return the notes on patterns of a run of the installed command."""
    done = subprocess.run([PROGRAM, *options], cwd=folder, capture_output=True, text=True, check=False)
    return [line.removeprefix(NOTE) for line in done.stderr.splitlines() if line.startswith(NOTE)]


def test_a_run_over_the_project_names_patterns_without_files_also_from_the_cache(tree: Path) -> None:
    settings(tree, "test/*", "tests", "sorce/**/a.py", "b.py", "tests/*", "a.py", "src/**/a.py")
    told = [
        "test/* matches no file; correct it, or take it out.",
        "tests matches no file; write tests/*.",
        "sorce/**/a.py matches no file; correct it, or take it out.",
        "b.py matches no file; correct it, or take it out.",
    ]
    assert notes(".") == told == notes(".") == notes("src", ".", str(tree)) == notes(".", "--shard", "1/2")
    assert notes("--quiet", ".") == []
    (tree / "b.py").write_text(REUSE)
    assert notes(".") == told[:3]


def test_a_run_over_some_files_or_another_folder_says_nothing(tree: Path) -> None:
    settings(tree, "test/*", "b.py", "src/b*")
    assert notes("src/a.py", "tests/test_a.py") == []
    assert notes("tests") == notes(".", folder=tree / "tests") == []
    assert notes("src") == ["src/b* matches no file; correct it, or take it out."]


def test_excluded_files_count_since_a_run_may_be_given_their_names(tree: Path) -> None:
    settings(tree, "gen/*", "*_pb2.py", more='exclude = ["gen"]\n')
    assert notes(".") == []


def test_a_pattern_of_the_command_line_and_of_an_outer_project(tree: Path) -> None:
    assert notes(".", "--per-file-ignores", "b.py:OLY104") == ["b.py matches no file; correct it, or take it out."]
    assert notes("src/a.py", "--per-file-ignores", "b.py:OLY104") == []
    settings(tree, "inner/b*")
    (tree / "inner").mkdir()
    (tree / "inner/b.py").write_text(REUSE)
    settings(tree / "inner", "c.py")
    assert notes(".") == []
    assert notes("inner") == ["c.py matches no file; correct it, or take it out."]
