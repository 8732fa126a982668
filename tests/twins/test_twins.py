"""Programs as people write them, each as a wrong and a right twin.

A twin is a file ``NAME_wrong.py`` or ``NAME_right.py``, or a package of that name, whose program is ``main.py``. In a
wrong twin, the row of each finding ends with ``# error: CODE CONFIDENCE`` and a place that the finding refers to
bears ``# first``. A right twin is quiet. The same place in another turn of a loop needs no mark. ``python -m
tests.marks`` writes the confidences.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from types import ModuleType

import pytest

from olympus_lint.cli import main

FOLDER = Path(__file__).parent
TWINS = sorted(path for path in FOLDER.glob("*/*") if re.search(r"_(wrong|right)(\.py)?$", path.name))
NAMES = [path.relative_to(FOLDER).as_posix() for path in TWINS]
WRONG = [name for name in NAMES if "_wrong" in name]

PENDING: dict[str, str] = {  # twins that the analysis gets wrong today, with the cause
}

Place = tuple[str, int]


@cache
def findings() -> list[dict]:
    """Return the findings of the whole folder with default settings, as the JSON output has them."""
    out = StringIO()
    with redirect_stdout(out):
        status = main(["--output-format", "json", "--tests", "all", str(FOLDER)])
    assert status == 1
    return json.loads(out.getvalue())


def place(raw: dict) -> Place:
    return Path(raw["filename"]).resolve().relative_to(FOLDER).as_posix(), raw["location"]["row"]


def files(twin: str) -> list[Path]:
    path = FOLDER / twin
    return sorted(path.rglob("*.py")) if path.is_dir() else [path]


def marked(twin: str, pattern: str) -> list[tuple[Place, str]]:
    """Return the places in a twin whose row has the pattern, and what its group holds."""
    return sorted(
        ((file.relative_to(FOLDER).as_posix(), row), found.group(1))
        for file in files(twin)
        for row, line in enumerate(file.read_text().splitlines(), 1)
        for found in re.finditer(pattern, line)
    )


@cache
def by_file() -> dict[str, list[dict]]:
    """Return the findings of each file."""
    found: dict[str, list[dict]] = {}
    for raw in findings():
        found.setdefault(place(raw)[0], []).append(raw)
    return found


def of(twin: str) -> list[dict]:
    """Return the findings in the files of a twin."""
    return [raw for file in files(twin) for raw in by_file().get(file.relative_to(FOLDER).as_posix(), [])]


def test_every_wrong_twin_has_a_right_one():
    assert len(WRONG) >= 60
    assert sorted(name.replace("_wrong", "_right") for name in WRONG) == [name for name in NAMES if "_right" in name]
    assert set(PENDING) <= set(NAMES)


def test_marks_stand_in_wrong_twins_only():
    for name in NAMES:
        assert bool(marked(name, "# (error|first)")) == (name in WRONG), name


def unlike_marks(twin: str) -> list:
    """Return findings and marks of a twin that differ: what was found there, and what is marked."""
    found = sorted((place(raw), f"{raw['code']} {raw['confidence']}") for raw in of(twin))
    related = sorted({place(other) for raw in of(twin) for other in raw["related"] if place(other) != place(raw)})
    wanted = marked(twin, r"# error: (OLY\d{3}(?: \w+)?)"), [where for where, _ in marked(twin, "# (first)")]
    return [(one, other) for one, other in zip((found, related), wanted, strict=True) if one != other]


def test_findings_are_those_marked() -> None:
    """One test, since one run checks all twins; those that are pending must fail, so that the list is kept true."""
    unlike = {twin: found for twin in NAMES if (found := unlike_marks(twin))}
    assert {twin: found for twin, found in unlike.items() if twin not in PENDING} == {}
    assert unlike.keys() == PENDING.keys()


@pytest.mark.parametrize("twin", NAMES)
def test_programs_run(twin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code that does not run is no evidence: ``main`` is run, ``example`` is traced; other libraries may be missing."""
    for file in files(twin):
        compile(file.read_bytes(), str(file), "exec")
    jax = pytest.importorskip("jax")
    module = load(FOLDER / twin, monkeypatch)
    if hasattr(module, "main"):
        module.main()
    else:
        jax.eval_shape(module.example)


def load(path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Import a twin by its name; what it imports by the names of this folder is forgotten after the test."""
    monkeypatch.syspath_prepend(path.parent)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = set(sys.modules)
    try:
        return importlib.import_module(f"{path.stem}.main" if path.is_dir() else path.stem)
    except ModuleNotFoundError as error:
        if error.name is None or (path.parent / error.name).exists():
            raise
        pytest.skip(f"needs {error.name}")
    finally:
        for name in set(sys.modules) - before:
            if name.partition(".")[0] == path.stem:
                del sys.modules[name]
