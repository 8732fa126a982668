"""What bad input gets: a sentence, the right status, and the findings of all other files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from programs import CLEAN, RAW, REUSE

from olympus_lint.files import sources
from olympus_rules.keyflow.interpret import interpreter
from olympus_rules.keyflow.linking import driver
from olympus_rules.reach.reading.calls import Calls
from olympus_rules.reach.reading.reader import Reader
from olympus_rules.reach.reading.settling import Settling
from olympus_rules.rules.key_reuse import KeyReuse


@pytest.fixture(autouse=True)
def other_file(project):
    """A file with a finding, which must be reported whatever happens to its neighbours."""
    Path("other.py").write_text(REUSE)


def still_reported(ran):
    return "other.py:6:9: OLY104" in ran.out


def test_missing_path(run):
    ran = run("nope.py", "other.py")
    assert ran.status == 2 and still_reported(ran)
    assert ran.err == "error: nope.py: does not exist; check the spelling and the current folder.\n"


def test_file_that_cannot_be_read(run, monkeypatch):
    Path("locked.py").write_text(CLEAN)
    read = Path.read_bytes

    def refuse(self):
        if self.name == "locked.py":
            raise PermissionError(13, "Permission denied")
        return read(self)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    ran = run(".")
    assert ran.status == 2 and still_reported(ran)
    assert ran.err == "error: locked.py: cannot be read (Permission denied); make it readable or exclude it.\n"


def test_folder_that_cannot_be_listed(run, monkeypatch):
    Path("locked").mkdir()
    scan = os.scandir

    def refuse(path):
        if Path(path).name == "locked":
            raise PermissionError(13, "Permission denied")
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    ran = run(".")
    assert ran.status == 2 and still_reported(ran)
    assert "error: locked: cannot be listed (Permission denied)" in ran.err


@pytest.mark.parametrize(
    ("data", "place", "cause"),
    [
        (b"import jax\nx = jax.random.key(0) # \xff\n", "2:1", "byte 35 is not utf-8; declare"),
        (b"# coding: klingon\nimport jax.random\n", "1:1", "unknown encoding: klingon"),
        (b"import jax.random\ndef f(:\n    pass\n", "2:7", "invalid syntax"),
        (b"import jax.random\nx = 1\n  y = 2\n", "3:2", "unexpected indent"),
        (b"import jax.random\nx = (1,\n", "2:5", "'(' was never closed"),
        (b"import jax.random\nx = '\xc3\xa9\xc3\xa9' y\n", "2:10", "invalid syntax"),
        (b"import jax.random\nx = 1\0\n", "2:6", "source code string cannot contain null bytes"),
        (b"import jax.random\nx = " + b"(" * 1000 + b")" * 1000 + b"\n", "2", "too many nested parentheses"),
        (b"import jax.random\nx = " + b"-" * 100_000 + b"1\n", "1:1", "it nests too deeply"),
    ],
)
def test_what_cannot_be_parsed_is_a_finding(run, data, place, cause):
    Path("bad.py").write_bytes(data)
    ran = run(".", "--output-format", "concise")
    assert ran.status == 1 and still_reported(ran) and ran.err == ""
    line = next(line for line in ran.out.splitlines() if line.startswith("bad.py:"))
    assert line.startswith(f"bad.py:{place}")
    assert f"OLY902 Cannot be parsed: {cause}" in line
    assert run(".", "--output-format", "full").status == 1  # the frame, too, survives the place


def test_syntax_errors_can_be_left_out(run):
    Path("bad.py").write_text("import jax.random\nx = = 1\n")
    assert run("bad.py", "--ignore", "OLY902").status == 0


def test_large_file(run, monkeypatch):
    monkeypatch.setattr(sources, "LARGEST_FILE", 1000)
    Path("large.py").write_text(CLEAN + "x = 1\n" * 200)
    ran = run(".")
    assert ran.status == 2 and still_reported(ran)
    assert ran.err == "error: large.py: has 0.0 MB, more than the 0 MB that are analysed; split or exclude it.\n"


def test_ten_megabytes(run):
    Path("large.py").write_text(CLEAN + "x = 1\n" * 1_700_000)
    Path("data.py").write_text("x = 1\n" * 1_700_000)  # without a key it is not refused
    ran = run(".")
    assert ran.status == 2 and still_reported(ran)
    note, error = ran.err.splitlines()
    assert error.startswith("error: large.py: has 10.2 MB, more than the 5 MB that are analysed;")
    assert note.startswith("note: data.py: has 10.2 MB") and note.endswith("to see whether it is valid Python.")


def test_loops_of_links(run):
    Path("sub").mkdir()
    Path("sub/up").symlink_to("..", target_is_directory=True)
    assert run(".").out.count("OLY104 ") == 1
    Path("self.py").symlink_to("self.py")
    Path(".#other.py").symlink_to("nobody@nowhere.1234")  # an editor's lock
    ran = run(".")
    assert ran.status == 2 and still_reported(ran)
    assert ran.err.startswith("error: self.py: cannot be read (Too many levels of symbolic links);")
    assert ran.err.count("\n") == 1


def test_broken_suppression(run):
    Path("other.py").write_text(REUSE.replace("uniform(key)", "uniform(key)  # olympus: ignore OLY104"))
    ran = run(".")
    assert ran.status == 1 and still_reported(ran)
    assert "OLY901 Suppression not understood: name the rules in brackets" in ran.out


def test_read_only_file_under_fix(run):
    locked = Path("locked.py")
    locked.write_text(RAW)
    locked.chmod(0o444)
    Path("open.py").write_text(RAW)
    ran = run("--fix", "--extend-select", "OLY201", ".")
    assert ran.status == 2 and still_reported(ran)
    assert ran.err == ("error: locked.py: is read-only, so its fixes were not written; make it writable.\n")
    assert "locked.py:3:7: OLY201" in ran.out
    assert locked.read_text() == RAW
    assert "PRNGKey" not in Path("open.py").read_text()


def test_rule_that_raises(run, monkeypatch):
    def fail(self, fact, document):
        raise KeyError("lost")

    monkeypatch.setattr(KeyReuse, "check", fail)
    Path("other.py").write_text(RAW + REUSE.partition("\n")[2])
    ran = run("--extend-select", "OLY201", ".")
    assert ran.status == 2
    assert "OLY201" in ran.out
    assert ran.err.startswith("error: other.py: internal error: rule OLY104 failed with KeyError: 'lost'; please")
    assert "https://github.com/olympus-lint/olympus-lint/issues" in ran.err
    assert "Traceback" not in ran.err
    assert "Traceback" in run("-v", ".").err


def test_function_that_takes_too_many_steps(run, monkeypatch):
    monkeypatch.setattr(interpreter, "BUDGET", 30)
    long = "".join(f"    x{n} = jax.random.normal(key, ({n},))\n" for n in range(20))
    Path("other.py").write_text(REUSE + f"\n\ndef long(key):\n{long}    return x0\n")
    ran = run("other.py")
    assert ran.status == 1 and "other.py:6:9: OLY104" in ran.out
    assert ran.err == (
        "note: other.py: function `long` on line 10 takes more than 30 steps to analyse, so findings in it may be "
        "missing; split it into smaller functions to have the whole code checked.\n"
    )
    assert run("-q", "other.py").err == ""
    Path("other.py").write_text(f"import jax\n\nkey = jax.random.key(0)\nif key:\n{long}")
    ran = run("--fix", "other.py")
    assert ran.status == 0
    assert ran.err.startswith("note: other.py: the code outside functions takes more than 30 steps")


@pytest.mark.parametrize("error", [ValueError("odd"), RecursionError("deep"), MemoryError()])
def test_key_flow_that_raises(run, monkeypatch, error):
    original = driver.analyse

    def fail(document, *rest, **options):
        if document.filename == "bad.py":
            raise error
        return original(document, *rest, **options)

    monkeypatch.setattr(driver, "analyse", fail)
    Path("bad.py").write_text(REUSE + "z = 1  # noqa: OLY104\n")
    ran = run(".")
    assert ran.status == 2 and still_reported(ran)
    assert f"error: bad.py: internal error: the key flow failed with {type(error).__name__}" in ran.err
    assert "OLY901" not in ran.out  # nothing is known of a rule that did not run


def test_codemod_that_raises(run, monkeypatch):
    from olympus_codemods.codemods.key_reuse import KeyReuse as Codemod

    def fail(self, fact, document):
        raise RuntimeError("stuck")

    monkeypatch.setattr(Codemod, "fix", fail)
    ran = run(".")
    assert ran.status == 2 and still_reported(ran)
    assert "error: other.py: internal error: the fix of OLY104 failed with RuntimeError: stuck;" in ran.err


def test_function_whose_analysis_raises(run, monkeypatch):
    original = interpreter.interpret

    def interpret(file, code, given, arrays):
        if code.name == "lost":
            raise IndexError("odd")
        return original(file, code, given, arrays)

    monkeypatch.setattr(interpreter, "interpret", interpret)
    Path("bad.py").write_text(f"{REUSE}\n\ndef lost(key):\n    return jax.random.normal(key)\n")
    ran = run("bad.py")
    assert ran.status == 2 and "bad.py:6:9: OLY104" in ran.out
    assert (
        "error: bad.py: internal error: the key flow, in function `lost` on line 10, failed with IndexError" in ran.err
    )
    assert run("bad.py").status == 2  # nothing that was seen of such a file is kept


def lost(code):
    return getattr(code, "name", "") == "lost"


READING = {
    "a function": (Reader, "block", lambda self, code, block: lost(code), "function `lost` on line 4"),
    "a call site": (Calls, "apply", lambda self, value, call: call.callee == "lost", "the call of `lost` on line 9"),
    "all of them": (Settling, "run", lambda self: True, "what the functions hand to each other on line 1"),
}


@pytest.mark.parametrize("part", READING)
@pytest.mark.parametrize("options", [["--migrate"], ["--select", "OLY201", "--fix"]], ids=["migrate", "fix"])
def test_part_of_a_project_that_reach_cannot_read(part, options, run, monkeypatch):
    where, name, breaks, said = READING[part]
    original = getattr(where, name)

    def broken(self, *arguments):
        return 1 / 0 if breaks(self, *arguments) else original(self, *arguments)

    monkeypatch.setattr(where, name, broken)
    text = "import jax\n\n\ndef lost(key):\n    return jax.random.normal(key)\n\n\ndef calls():\n"
    Path("bad.py").write_text(f"{text}    return lost(jax.random.PRNGKey(0))\n")
    Path("other.py").write_text(RAW)
    ran = run(*options, ".")
    assert ran.status == 2 and "Traceback" not in ran.err
    assert "internal error: the analysis" in ran.err and f"{said} of " in ran.err
    assert "PRNGKey" in Path("other.py").read_text() and "PRNGKey" in Path("bad.py").read_text()
    assert "2 held back" in ran.out or ran.out.count("OLY201 ") == 2
