"""An edit that is saved while the command runs is never lost, whatever it is about to write."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from command_line import command
from programs import RAW, REUSE

PROGRAM = Path(sys.executable).parent / "olympus-lint"
TIME_LIMIT = 120  # seconds
EDIT = "# saved by a person\n"

LINT = ("olympus_lint.run.one_file", "check_bytes")
MIGRATE = ("olympus_lint.commandline.migrate", "migrate_texts")
SAVE = f"path.write_text(path.read_text() + {EDIT!r})"


def run_with(seam: tuple[str, str], victim: str, does: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the command; something happens to a file behind the analysis and before anything is written."""
    module, name = import_module(seam[0]), seam[1]
    original = getattr(module, name)

    def analysis(*given: Any, **named: Any) -> Any:
        result = original(*given, **named)
        path = Path(victim)
        if path.is_file() and (not given or given[0] == victim or name != "check_bytes"):
            setattr(module, name, original)
            exec(does, {"path": path})
        return result

    with mock.patch.object(module, name, analysis):
        return command(Path(), *options)


def notebook(code: str) -> str:
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": code}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


def page(code: str) -> str:
    return f"# Title\n\n```python\n{code}```\n"


COMMANDS = {
    "fix": (LINT, ["--fix", "--select", "OLY201"]),
    "fix-only": (LINT, ["--fix-only", "--select", "OLY201"]),
    "add-noqa": (LINT, ["--add-noqa", "--select", "OLY201"]),
    "migrate": (MIGRATE, ["--migrate", "--fix"]),
}


@pytest.mark.parametrize(("name", "made"), [("a.py", str), ("a.ipynb", notebook), ("a.md", page)])
@pytest.mark.parametrize("way", COMMANDS)
def test_a_file_that_was_saved_meanwhile_is_left_alone(project, way, name, made):
    seam, options = COMMANDS[way]
    Path(name).write_text(made(RAW))
    Path("other.py").write_text(RAW)
    done = run_with(seam, name, SAVE, *options, "--extension", "md", ".")
    assert Path(name).read_text() == made(RAW) + EDIT
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert f"error: {name}: was changed while it was checked, so its fixes were not written; run the" in done.stderr
    assert done.stderr.count("error: ") == 1
    assert Path("other.py").read_text() != RAW  # the others are fixed
    assert sorted(path.name for path in Path().iterdir() if not path.name.startswith(".olympus")) == [name, "other.py"]


def test_what_is_reported_is_the_file_as_it_is(project):
    Path("a.py").write_text(RAW)
    done = run_with(LINT, "a.py", f"path.write_text('# a new line' + chr(10) + {RAW!r})", "--fix", "--select=OLY2", ".")
    assert "a.py:4:7: OLY201" in done.stdout and "Fixed" not in done.stdout
    assert done.returncode == 2


def test_a_migration_does_not_count_what_it_did_not_write(project):
    Path("a.py").write_text(RAW)
    done = run_with(MIGRATE, "a.py", SAVE, "--migrate", "--fix", ".")
    assert "Nothing was rewritten." in done.stdout


@pytest.mark.parametrize(
    ("does", "cause"),
    [
        ("path.unlink()", "No such file or directory"),
        ("path.unlink(); path.mkdir()", "Is a directory"),
        ("path.chmod(0o444)", "is read-only"),
    ],
)
@pytest.mark.parametrize("way", COMMANDS)
def test_a_file_that_is_gone_or_locked_meanwhile(project, way, does, cause):
    seam, options = COMMANDS[way]
    Path("a.py").write_text(RAW)
    Path("other.py").write_text(RAW)
    done = run_with(seam, "a.py", does, *options, ".")
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert "error: a.py: " in done.stderr and cause in done.stderr
    assert not Path("a.py").is_file() or Path("a.py").read_text() == RAW
    assert Path("other.py").read_text() != RAW


@pytest.mark.parametrize("options", [["--fix", "--unsafe-fixes", "--select=OLY104"], ["--migrate", "--fix"]])
def test_a_person_who_saves_all_the_time_loses_nothing(project, options):
    Path("a.py").write_text("".join((RAW + REUSE).replace("def f", f"def f{n}") for n in range(60)))
    running = subprocess.Popen([PROGRAM, *options, "a.py"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    edits = 0
    while running.poll() is None:
        with Path("a.py").open("a") as file:
            file.write(f"# edit {edits}\n")
        edits += 1
        time.sleep(0.02)
    _, err = running.communicate(timeout=TIME_LIMIT)
    assert edits > 3 and running.returncode == 2
    assert "error: a.py: was changed while it was checked" in err
    assert Path("a.py").read_text().endswith("".join(f"# edit {n}\n" for n in range(edits)))
