"""The report of a migration is kept, and told again as long as nothing that it rests on has changed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest
from command_line import command

from olympus_lint.commandline import migrate as module

PROGRAM = Path(sys.executable).parent / "olympus-lint"
MAKE = "import jax\n\nBOX = {'key': jax.random.PRNGKey(0)}\n"
USE = "from box import BOX\n\nprint(BOX['key'].tobytes())\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with two files, of which the second one is read along with the first."""
    for name, text in {"pyproject.toml": "[project]\nname = 'pkg'\n", "box.py": MAKE, "use.py": USE}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def run(folder: Path, *options: str) -> tuple[int, str, str]:
    """Run the installed command."""
    done = subprocess.run(
        [PROGRAM, "--migrate", *options], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    return done.returncode, done.stdout, done.stderr


def test_the_installed_command_says_the_same_twice_and_something_else_after_an_edit(project: Path) -> None:
    first, second = run(project, "."), run(project, ".")
    assert first == second and first[0] == 1 and "1 of 1 constructor can make typed keys" in first[1]
    (project / "box.py").write_text(MAKE + "OTHER = jax.random.PRNGKey(1)\n")
    assert "2 of 2 constructors can make typed keys" in run(project, ".")[1]
    (project / "box.py").write_text(MAKE)
    assert run(project, ".") == first == run(project, "--no-cache", ".")


def is_told_again(folder: Path, *options: str) -> bool:
    """Say whether a run takes its report from an earlier one."""
    with mock.patch.object(module, "migrate_texts", wraps=module.migrate_texts) as migrate:
        command(folder, "--migrate", *options)
    return not migrate.called


def write(name: str, text: str) -> Callable[[Path], object]:
    """Return a change of a project: a file is written."""
    return lambda project: (project / name).write_text(text)


@pytest.mark.parametrize(
    ("change", "paths"),
    [
        (write("box.py", MAKE.replace("(0)", "(1)")), ["."]),
        (write("use.py", USE.replace("tobytes", "tolist")), ["."]),
        (write("box.py", MAKE.replace("(0)", "(1)")), ["use.py"]),
        (write("new.py", "x = 1\n"), ["."]),
        (write("new.py", "from box import BOX\n"), ["box.py"]),
        (lambda project: (project / "use.py").unlink(), ["."]),
        (write("pyproject.toml", "[project]\nname = 'pkg'\n\n[tool.olympus-lint]\nignore = ['OLY206']\n"), ["."]),
    ],
    ids=["a constructor", "a use", "what is read along", "a new file", "one that imports", "one less", "settings"],
)
def test_a_report_holds_until_something_changes(
    project: Path, change: Callable[[Path], object], paths: list[str]
) -> None:
    assert [is_told_again(project, *paths) for _ in range(2)] == [False, True]
    change(project)
    assert [is_told_again(project, *paths) for _ in range(2)] == [False, True]


@pytest.mark.parametrize(
    "options",
    [["--strict"], ["--target-jax", "0.4.16"], ["--output-format", "json"], ["--diff"], ["--ignore-noqa"]],
    ids=" ".join,
)
def test_options_have_reports_of_their_own(project: Path, options: list[str]) -> None:
    assert not is_told_again(project, ".")
    assert [is_told_again(project, *options, ".") for _ in range(2)] == [False, True]
    assert is_told_again(project, ".")


def test_without_a_cache_nothing_is_kept(project: Path) -> None:
    assert not is_told_again(project, ".")
    assert not is_told_again(project, "--no-cache", ".")


def test_what_is_written_is_written_each_time(project: Path) -> None:
    """A run that may write keeps no report, and takes no room for one on the disk that it writes to."""
    assert not is_told_again(project, "--fix", ".")
    assert not (project / ".olympus-lint-cache").exists()
    assert not is_told_again(project, ".")
    assert [is_told_again(project, "--fix", ".") for _ in range(2)] == [False, False]
    (project / "box.py").write_text(MAKE)
    assert not is_told_again(project, "--fix", ".")
    assert "jax.random.key(0)" in (project / "box.py").read_text()


def test_the_report_is_that_of_the_first_run_with_its_notes(project: Path) -> None:
    (project / "page.md").write_text("Text.\n\n```python\nkey = jax.random.PRNGKey(0)\nx = (\n```\n")
    options = ("--migrate", "--extension", "md:markdown", ".")
    first, second = command(project, *options), command(project, *options)
    assert (first.returncode, first.stdout, first.stderr) == (second.returncode, second.stdout, second.stderr)


def test_files_that_are_committed_are_not_named_any_more(project: Path) -> None:
    def git(*words: str) -> None:
        author = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *author, *words], cwd=project, check=True, capture_output=True)

    git("init", "-q")
    git("add", "use.py")
    assert "uncommitted changes" in command(project, "--migrate", ".").stdout
    git("add", ".")
    assert "uncommitted changes" not in command(project, "--migrate", ".").stdout
    git("commit", "-qm", "all")
    git("status")
    assert is_told_again(project, ".")
