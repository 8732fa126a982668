"""The changes of source that `mutate_engine.py` tries, and a few of them with their tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import engine_sites
import mutate_engine
import pytest

CHANGES = {
    "a comparison": ("x = a < b", ["(a >= b)"]),
    "and": ("x = a and b", ["(a or b)", "(b)", "(a)"]),
    "or of three": ("x = a or b or c", ["(a and b and c)", "(b or c)", "(a or c)", "(a or b)"]),
    "not": ("x = not a", ["(a)"]),
    "a number": ("f(1)", ["(2)"]),
    "a limit": ("x = 1\nf(1000)", []),
    "a truth value": ("f(True)", ["(False)"]),
    "equal lengths": ("zip(a, b, strict=True)", []),
    "a text": ("f('a')", []),
    "a branch": ("if a:\n    b", ["False", "True"]),
    "a loop": ("while a:\n    b", ["False"]),
    "a condition of an iteration": ("x = [a for a in b if c]", ["True"]),
    "what is returned at the end": ("def f():\n    return a", ["return None"]),
    "a false result": ("def f():\n    return False", ["(True)"]),
    "an early return": ("def f():\n    if a:\n        return\n    b", ["False", "True", "pass"]),
    "a jump": ("for a in b:\n    continue", ["pass"]),
    "what no test runs": ("if TYPE_CHECKING:\n    x = 1\nassert a and b\n\n@f(1)\ndef g(x: L[1]): ...", []),
}


@pytest.mark.parametrize(("source", "changes"), CHANGES.values(), ids=CHANGES)
def test_changes_of_a_source(source: str, changes: list[str]) -> None:
    found = list(engine_sites.mutations("a.py", source.encode()))
    assert [each.new for each in found] == changes
    assert len({each.key for each in found}) == len(found)


def test_a_change_is_named_by_its_function_and_stays_when_rows_move() -> None:
    source = "class A:\n    def f(self):\n        é = 'é', 1, 1\n"
    one, two = engine_sites.mutations("a.py", source.encode())
    assert (one.key, two.key) == ("a.py::A.f: 1 -> (2)", "a.py::A.f: 1 -> (2) (2)")
    moved = list(engine_sites.mutations("a.py", f"import b\n\n\n{source}".encode()))
    assert [each.key for each in moved] == [one.key, two.key]
    data = source.encode()
    assert data[two.start : two.end] == b"1" and data[: two.start].decode().endswith("'é', 1, ")


def test_those_listed_as_equivalent_are_changes_that_could_be_tried() -> None:
    listed = mutate_engine.equivalent()
    files = sorted({key.partition("::")[0] for key in listed})
    known = {
        each.key for path in files for each in engine_sites.mutations(path, (mutate_engine.ROOT / path).read_bytes())
    }
    assert set(listed) <= known
    assert all(listed.values())


def test_the_tests_of_each_part_are_there() -> None:
    for part in mutate_engine.TESTS:
        for test in mutate_engine.tests_of(part):
            assert Path(test.partition("::")[0]).is_file()


@pytest.mark.search
def test_a_few_mutations_are_noticed() -> None:
    command = [sys.executable, mutate_engine.__file__, "--seed", "2", "--mutations", "2"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
