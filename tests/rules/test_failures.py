"""An exception in the analysis of one function: that function is lost, is named, and everything else is reported."""

from __future__ import annotations

import textwrap

import pytest

from olympus_rules.check import Checked, check
from olympus_rules.keyflow.interpret import interpreter
from olympus_rules.keyflow.linking import judges
from olympus_rules.keyflow.linking.project import Project
from olympus_rules.syntax import Document

BESIDE = """\
import jax


def sound(key):
    return jax.random.normal(key) + jax.random.uniform(key)


"""


@pytest.fixture
def breaks(monkeypatch):
    """Let the interpretation of a function raise that is called ``broken``."""
    original = interpreter.interpret

    def interpret(file, code, given, arrays):
        if code.name.rpartition(".")[2] == "broken":
            raise AssertionError("no such luck")
        return original(file, code, given, arrays)

    monkeypatch.setattr(interpreter, "interpret", interpret)


def checked(text: str) -> Checked:
    return check(Document("example.py", BESIDE + textwrap.dedent(text)))


def reused(found: Checked) -> list[tuple[int, str]]:
    reports = [report.finding for report in found.reports if report.finding.code == "OLY104"]
    return [(finding.span.start.row, finding.confidence.name) for finding in reports]


LOST = {
    "alone": """
        def broken(key):
            return jax.random.normal(key) + jax.random.normal(key)
        """,
    "called": """
        def broken(key):
            return jax.random.normal(key)

        def calls(key):
            return broken(key)
        """,
    "in a circle": """
        def broken(key, n):
            return other(key, n - 1)

        def other(key, n):
            return broken(key, n - 1) if n else jax.random.normal(key)
        """,
    "a method": """
        class Model:
            def broken(self, key):
                return jax.random.normal(key)

            def sample(self, key):
                return self.broken(key)
        """,
    "given to scan": """
        def broken(carry, x):
            return carry, x

        def scanned(xs, key):
            return jax.lax.scan(broken, key, xs)
        """,
    "handed a function": """
        def broken(function, key):
            return function(key)

        def hands(key):
            return broken(jax.random.normal, key)
        """,
}


@pytest.mark.parametrize("name", LOST)
def test_a_function_is_lost_alone(name, breaks):
    found = checked(LOST[name])
    assert reused(found) == [(5, "CERTAIN")]
    places = {failure.where.rpartition(" on line ")[0] for failure in found.errors}
    assert places in ({"function `broken`"}, {"function `Model.broken`"})
    assert {type(failure.__cause__) for failure in found.errors} == {AssertionError}


def test_what_a_lost_function_may_change_is_unknown(breaks):
    found = checked(
        """
        class Stream:
            def __init__(self, key):
                self.key = key

            def broken(self):
                self.key = jax.random.fold_in(self.key, 1)

            def two(self):
                first = jax.random.normal(self.key)
                self.broken()
                return first + jax.random.normal(self.key)

        seed = jax.random.key(0)

        def broken():
            global seed
            seed = jax.random.fold_in(seed, 1)

        def pair():
            first = jax.random.normal(seed)
            broken()
            return first + jax.random.normal(seed)
        """
    )
    assert [place for place in reused(found) if place[1] != "POSSIBLE"] == [(5, "CERTAIN")]
    assert len(found.errors) == 2


def test_the_code_outside_functions(monkeypatch):
    original = interpreter.interpret

    def interpret(file, code, given, arrays):
        if code.kind != "module":
            return original(file, code, given, arrays)
        with monkeypatch.context() as patched:
            patched.setattr(interpreter._Interpreter, "block", lambda self, block: {}["lost"])
            return original(file, code, given, arrays)

    monkeypatch.setattr(interpreter, "interpret", interpret)
    found = checked(
        """
        def calls(key):
            return draw(key) + draw(key)

        def draw(key):
            return jax.random.normal(key)
        """
    )
    assert reused(found) == [(5, "CERTAIN"), (10, "CERTAIN")]
    assert [failure.where for failure in found.errors] == ["the code outside functions"]


@pytest.mark.parametrize("judge", ["stale_state", "kept_keys", "settle", "references", "implementations"])
def test_a_judge_loses_its_own_facts(judge, monkeypatch):
    monkeypatch.setattr(judges, judge, lambda *_: 1 / 0)
    found = checked("")
    assert reused(found) == [(5, "CERTAIN")]
    assert [failure.where for failure in found.errors] == ["the judging of its facts"]


def test_the_judge_of_one_function(monkeypatch):
    original = judges.reuses

    def reuses(file, run):
        return original(file, run) if run.code.name != "other" else [][0]

    monkeypatch.setattr(judges, "reuses", reuses)
    found = checked("def other(key):\n    return jax.random.normal(key)\n")
    assert reused(found) == [(5, "CERTAIN")]
    assert [failure.where for failure in found.errors] == ["function `other` on line 8"]


def test_a_function_of_another_file(breaks, tmp_path):
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "library.py").write_text("import jax\n\n\ndef broken(key):\n    return jax.random.normal(key)\n")
    main = tmp_path / "main.py"
    main.write_text(BESIDE + "from library import broken\n\n\ndef calls(key):\n    return broken(key)\n")
    project = Project()
    for path in (main, tmp_path / "library.py", main):
        found = check(project.document(str(path), path.read_text()), project=project)
        of = "" if path.name == "library.py" else f" of {tmp_path / 'library.py'}"
        assert [failure.where for failure in found.errors][:1] in ([f"function `broken` on line 4{of}"], [])
        assert found.errors or path is main
        assert path.name == "library.py" or reused(found) == [(5, "CERTAIN")]


def test_no_memory_is_no_fault_of_a_function(monkeypatch):
    def interpret(*_):
        raise MemoryError

    monkeypatch.setattr(interpreter, "interpret", interpret)
    assert [failure.where for failure in checked("").errors] == [""]
