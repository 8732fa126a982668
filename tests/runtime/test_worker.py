"""The worker, spoken to as the linter does, but by hand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import olympus
from olympus_lint.tracing.process import BOOTSTRAP, Worker

jax = pytest.importorskip("jax", reason="the worker traces with JAX")

RUNTIME = Path(olympus.__file__).parent
LIMITS = {"memory": 4 << 30, "cpu": 600, "file": 1 << 20}
TEXT = """\
import jax


def twice(key):
    return jax.random.bits(key), jax.random.bits(key)


def once(key):
    first, second = jax.random.split(key)
    return jax.random.bits(first), jax.random.bits(second)


def unknown(key):
    return unknown_function(key), jax.random.bits(key)
"""


def place(text: str, number: int) -> list[object]:
    """Return the place of an occurrence of a text."""
    start = -1
    for _ in range(number):
        start = TEXT.index(text, start + 1)
    row, column = TEXT.count("\n", 0, start) + 1, start - TEXT.rfind("\n", 0, start)
    return ["/nowhere/a.py", row, column, row, column + len(text)]


def question(first: list[object], second: list[object], certain: bool = True) -> dict[str, object]:
    return {"code": "OLY104", "place": second, "other": first, "certain": certain}


ASKED = [
    question(place("jax.random.bits(key)", 1), place("jax.random.bits(key)", 2)),
    question(place("jax.random.bits(first)", 1), place("jax.random.bits(second)", 1)),
    question(place("unknown_function(key)", 1), place("jax.random.bits(key)", 3), certain=False),
    question(place("jax.random.bits(key)", 2), place("jax.random.bits(key)", 1)),
]
WITNESS = {
    "op": "witness",
    "file": "/nowhere/a.py",
    "text": TEXT,
    "module": "a",
    "roots": ["jax"],
    "folders": [],
    "seconds": 20,
    "questions": ASKED,
}


def conversation(
    *requests: dict[str, object],
    bootstrap: str = BOOTSTRAP,
    environment: dict[str, str],
    options: Sequence[str] = (),
) -> list[dict]:
    """Return what a worker answers."""
    lines = "".join(json.dumps({"id": number, **request}) + "\n" for number, request in enumerate(requests))
    command = [sys.executable, *options, "-c", bootstrap, str(RUNTIME)]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, env=environment, timeout=100)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def alone() -> dict[str, str]:
    """The environment of a user who has put nothing on Python's path."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "JAX"))} | {
        "JAX_PLATFORMS": "cpu"
    }


@pytest.fixture(scope="module")
def said(alone: dict[str, str]) -> list[dict]:
    return conversation(
        {"op": "hello", "limits": LIMITS, "writable": None}, WITNESS, {**WITNESS, "text": "def ("}, environment=alone
    )


def test_it_says_what_it_is(said: list[dict]) -> None:
    hello = said[0]
    assert hello.pop("pid") > 0
    python = ".".join(map(str, sys.version_info[:3]))
    assert hello == {
        "id": 0,
        "jax": jax.__version__,
        "python": python,
        "operations": ["witness", "framework", "function"],
        "enclosed": False,
    }


def test_questions_are_answered_by_functions(said: list[dict]) -> None:
    answers = [answer for answer in said if answer["id"] == 1]
    assert [sorted(answer["begin"]) for answer in answers if "begin" in answer] == [[0, 3], [1], [2]]
    verdicts = dict(pair for answer in answers for pair in answer.get("verdicts", ()))
    assert [verdicts[number]["status"] for number in range(4)] == ["confirmed", "refuted", "inconclusive", "confirmed"]
    assert {verdict["tier"] for verdict in verdicts.values()} == {"witness"}


def test_the_end_of_a_request_has_the_peak_memory(said: list[dict]) -> None:
    (end,) = [answer for answer in said if answer["id"] == 1 and "done" in answer]
    assert end["peak_kib"] > 50_000  # JAX alone takes more


def test_what_is_no_python_is_a_verdict(said: list[dict]) -> None:
    begin, verdicts, _ = [answer for answer in said if answer["id"] == 2]
    assert begin["begin"] == [0, 1, 2, 3]
    assert {verdict["status"] for _, verdict in verdicts["verdicts"]} == {"not reached"}
    assert all("no Python" in verdict["reason"] for _, verdict in verdicts["verdicts"])


LOOKS_AROUND = (
    BOOTSTRAP.replace("main()\n", "")
    + """
import importlib.util, resource
from olympus.verdicts import Verdict

def look(request, questions):
    found = {name: importlib.util.find_spec(name) is not None for name in ("olympus_lint", "olympus_rules", "random")}
    import random, numpy, olympus
    found["random"] = random.__file__
    found["olympus"] = olympus.__file__
    found["limits"] = [resource.getrlimit(kind) for kind in (resource.RLIMIT_AS, resource.RLIMIT_FSIZE)]
    return [Verdict("refuted", "function", json.dumps(found))]

import json
main({"function": look})
"""
)


def test_the_package_is_loaded_alone_and_under_limits(alone: dict[str, str], tmp_path: Path) -> None:
    """No module of ours goes before one of Python's, and none that lies beside the package can be imported."""
    packages = Path(jax.__file__).parents[1]
    request = {**WITNESS, "op": "function", "questions": ASKED[:1]}
    bare = conversation(
        {"op": "hello", "limits": LIMITS, "writable": None},
        request,
        bootstrap=LOOKS_AROUND,
        environment={**alone, "PYTHONPATH": str(packages)},
        options=["-S"],  # without the links to a checkout that an editable installation makes
    )
    (verdict,) = [pair[1] for answer in bare for pair in answer.get("verdicts", ())]
    found = json.loads(verdict["reason"])
    for name in ("olympus_lint", "olympus_rules"):
        assert found[name] == (packages / name).exists()
    assert Path(found["random"]).parent != RUNTIME
    assert Path(found["olympus"]) == RUNTIME / "__init__.py"
    assert found["limits"] == [[4 << 30, 4 << 30], [1 << 20, 1 << 20]]


@pytest.fixture
def lost_home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker]:
    monkeypatch.setenv("PYTHONNODEBUGRANGES", "1")
    monkeypatch.setenv("SECRET_TOKEN", "x")
    probe = (
        BOOTSTRAP.replace("main()\n", "")
        + """
import os
from olympus.verdicts import Verdict

def look(request, questions):
    return [Verdict("refuted", "function", " ".join(sorted(os.environ)), (os.environ["HOME"], os.getcwd()))]

main({"function": look})
"""
    )
    worker = Worker(sys.executable, bootstrap=probe)
    yield worker
    worker.kill()


def test_it_has_a_home_of_its_own_and_nothing_of_the_session(lost_home: Worker) -> None:
    lost_home.send({"id": 1, **WITNESS, "op": "function", "questions": ASKED[:1]})
    while "verdicts" not in (answer := lost_home.receive(30)):
        assert "done" not in answer
    ((_, verdict),) = answer["verdicts"]
    names, (home, folder) = verdict["reason"].split(), verdict["evidence"]
    assert not {"SECRET_TOKEN", "PYTHONNODEBUGRANGES"} & set(names)
    assert {"PYTHONDONTWRITEBYTECODE", "JAX_PLATFORMS", "XLA_PYTHON_CLIENT_PREALLOCATE"} <= set(names)
    assert home == folder != str(Path.home())
