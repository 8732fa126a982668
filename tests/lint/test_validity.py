"""What is no Python, or no notebook, is reported, whether it holds a key or not; newer syntax is another matter."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import command_line
import pytest
from programs import CLEAN, REUSE

from olympus_lint.files import sources, validity
from olympus_lint.files.newer import BRACKETS, OPERATORS, newer_syntax
from olympus_lint.files.validity import parse_error
from olympus_lint.reporting.formats import format_names

PROGRAM = Path(sys.executable).parent / "olympus-lint"
TIME_LIMIT = 60  # seconds

NEWER = [
    ("class A[T]:\n    pass\n", (3, 12), 1),
    ("async def f[**P](*a: P.args): pass\n", (3, 12), 1),
    ("x = 1\ntype X = int\n", (3, 12), 2),
    ("def f():\n    type X[T] = list[T]\n", (3, 12), 2),
    ("x = f'{a['b']}' 'c'\n", (3, 12), 1),
    ("x = f'{'\\n'.join(a)}'\n", (3, 12), 1),
    ("x = f'{a  # why\n}'\n", (3, 12), 1),
    ("type X = int\nclass A[T = int]:\n    pass\n", (3, 13), 2),
    ("x = t'{a}'\n", (3, 14), 1),
    ("try:\n    pass\nexcept A, B:\n    pass\n", (3, 14), 3),
]
NEVER = [
    "x = = 1\n",
    "print x\n",
    "class A[T]:\n    x = = 1\n",
    "class A[T]:\n    f(a=1, b)\n",
    "x = f'{a b}'\n",
    "x = f'{a!z}'\n",
    "type X = int; x y\n",
    "class A[T]:\n  pass\n    pass\n",
]


def command(*options: str) -> subprocess.CompletedProcess[str]:
    done = command_line.command(Path(), *options)
    assert "Traceback" not in done.stderr
    return done


@pytest.mark.parametrize(("text", "release", "row"), NEWER)
def test_newer_syntax_is_known(text, release, row):
    error = parse_error(text.encode())
    if release <= sys.version_info[:2]:
        assert error is None
    else:
        found = newer_syntax(text)
        assert error is not None and found is not None
        assert (found.release, found.row) == (release, row)


@pytest.mark.parametrize("text", NEVER)
def test_what_no_python_can_parse_is_no_newer_syntax(text):
    assert parse_error(text.encode()) is not None
    assert newer_syntax(text) is None


DEEP = {
    "brackets": "[" * 3_000 + "1" + "]" * 3_000,
    "signs": "-" * 30_000 + "1",
    "lambdas": "lambda: " * 10_000 + "1",
    "conditions": " and ".join(["x"] * 10_000),
    "lines": "(" + "\nand ".join(["x"] * 10_000) + ")",
}


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="parses the newest syntax that there is")
@pytest.mark.parametrize("name", DEEP)
def test_what_ends_the_process_of_the_parser_is_not_parsed(project, name):
    """LibCST's parser recurses without a limit: a process of its own, since a crash would end that of the tests."""
    Path("deep.py").write_text(f"import jax.random\ny = t'{{x}}'\nz = {DEEP[name]}\n")
    done = subprocess.run([PROGRAM, "--no-cache", "deep.py"], capture_output=True, text=True, timeout=TIME_LIMIT)
    assert done.returncode == 1 and "OLY902 Cannot be parsed" in done.stdout


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="parses the newest syntax that there is")
def test_what_is_long_and_not_deep_is_searched_for_newer_syntax():
    rows = ", ".join(f"-{n} + {n} * (1 - {n})" for n in range(OPERATORS // 3))
    calls = "".join(f"f(a + {n}, '((((')  # [[[\n" for n in range(BRACKETS))
    assert newer_syntax(f"x = [{rows}]\n{calls}y = t'{{x}}'\n").row == BRACKETS + 2


@pytest.mark.parametrize(
    "text",
    ["x = 1\n", "def f(a, a): pass\n", "return\n", "x = 1\r\ry = 2", "# coding: latin-1\nx = '\xe9'\n", "\ufeffx = 1"],
)
def test_what_python_parses_is_python(text):
    data = text.encode("latin-1" if "latin" in text else "utf-8")
    assert parse_error(data) is None  # also what only a compiler refuses, as in files with keys


BROKEN = {
    "syntax.py": b"def f(:\n    pass\n",
    "nothing.ipynb": b"",
    "list.ipynb": b"[1]",
    "number.ipynb": b'{"cells": 3}',
    "source.ipynb": b'{"cells": [{"cell_type": "code", "source": 3}]}',
    "table.ipynb": b'{"cells": [{"cell_type": "code", "source": {"a": 1}}]}',
    "behind.ipynb": b'{"cells": []} x',
    "bytes.ipynb": b'{"cells": ["\xff"]}',
    "bytes.py": b"x = '\xff'\n",
    "zero.py": b"x = 1\0\n",
    "cell.ipynb": b'{"cells": [{"cell_type": "code", "source": "x = 1"}, {"cell_type": "code", "source": "x = = 1"}]}',
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("options", [[], ["--fix"], ["--jobs", "2"], ["--diff"], ["--no-cache"]])
def test_what_is_asked_for_and_no_python_is_a_finding(project, name, options):
    Path(name).write_bytes(BROKEN[name])
    Path("good.py").write_text("x = 1\n")
    for _ in range(2):  # the second run has a cache
        done = command(*options, ".")
        if "--diff" in options:
            assert done.returncode == 0 and done.stdout == ""  # it shows fixes, and no findings
        else:
            assert done.returncode == 1 and done.stderr == ""
            assert f"{name}:{'cell 2:' if name.startswith('cell') else ''}1:" in done.stdout
            assert done.stdout.count("OLY902 ") == 1 and "Found 1 finding" in done.stdout
    assert Path(name).read_bytes() == BROKEN[name]


@pytest.mark.parametrize("name", BROKEN)
def test_a_migration_names_what_is_no_python(project, name):
    Path(name).write_bytes(BROKEN[name])
    done = command("--migrate", ".")
    assert done.returncode == 2 and done.stderr.startswith(f"error: {name}: ") and done.stderr.count("\n") == 1


@pytest.mark.parametrize(("given", "name"), [(b"x = = 1\n", "a.py"), (b"[1]", "a.ipynb")])
def test_standard_input(project, given, name):
    done = subprocess.run(
        [PROGRAM, "-", "--stdin-filename", name], input=given, capture_output=True, timeout=TIME_LIMIT
    )
    assert done.returncode == 1 and b"OLY902" in done.stdout and done.stderr == b""


def test_the_other_cells_are_checked_and_fixed(project):
    cells = [
        "x = = 1",
        "%matplotlib inline\n!ls",
        "import jax\nkey = jax.random.PRNGKey(0)",
        "  y = 1\n  z = 2",
        ">>> 1\n1",
    ]
    made = [{"cell_type": "code", "source": cell} for cell in cells[:4]]
    Path("a.ipynb").write_text(json.dumps({"cells": made}))
    done = command("--fix", "--extend-select", "OLY201", "--output-format", "json", "a.ipynb")
    assert [(found["code"], found["cell"]) for found in json.loads(done.stdout)] == [("OLY902", 1)]
    assert "Nothing in this cell was checked." in done.stdout
    assert "jax.random.key(0)" in Path("a.ipynb").read_text()
    for form in format_names():
        assert "OLY902" in command("--output-format", form, "a.ipynb").stdout


def test_it_can_be_left_out(project):
    for name, data in BROKEN.items():
        Path(name).write_bytes(data)
    done = command("--ignore", "OLY902", ".")
    assert (done.returncode, done.stdout) == (0, "All checks passed!\n")


def test_what_was_parsed_is_remembered(project, run, monkeypatch):
    Path("a.py").write_text("x = 1\n")
    run(".")
    monkeypatch.setattr("olympus_lint.run.engine.parse_error", lambda data: pytest.fail("parsed again"))
    assert run(".").status == 0
    Path("b.py").write_text("x = 1\n")  # what counts is the content
    assert run(".").status == 0


def test_a_large_file_without_keys_is_named(project, run, monkeypatch):
    monkeypatch.setattr(sources, "LARGEST_FILE", 10)
    Path("a.py").write_text("x = 1\n" * 3)
    done = run("a.py")
    assert done.status == 0 and done.err.startswith("note: a.py: has 0.0 MB, more than the 0 MB that are analysed")


@pytest.fixture
def old_python(monkeypatch):
    """Let the running Python be 3.11."""
    if sys.version_info[:2] != (3, 11):
        pytest.skip("these files are for a Python that is newer than 3.11")


@pytest.mark.parametrize("head", ["", "import jax\n\nkey = jax.random.key(0)\n"])
def test_a_file_for_a_newer_python_is_no_invalid_syntax(project, old_python, head):
    Path("new.py").write_text(f"{head}class A[T]:\n    pass\n")
    Path("other.py").write_text(REUSE)
    row = head.count("\n") + 1
    done = command("--output-format", "concise", ".")
    assert done.returncode == 2 and "OLY902" not in done.stdout and "OLY104" in done.stdout
    assert "Found 1 finding (1 file of a newer Python not checked).\n" in done.stdout
    assert done.stderr == (
        f"error: new.py: cannot be read by Python 3.11, which runs this: line {row} has a list of type parameters, "
        "syntax of Python 3.12; run olympus-lint with Python 3.12 or later, or exclude it.\n"
    )
    alone = command("new.py")
    assert alone.returncode == 2
    assert alone.stdout == "Nothing found (1 file of a newer Python not checked).\n"
    assert "syntax of Python 3.12" in command("--migrate", "new.py").stderr


def test_a_cell_for_a_newer_python(project, old_python):
    cells = [{"cell_type": "code", "source": text} for text in ("x = 1\ntype X = int", REUSE)]
    Path("a.ipynb").write_text(json.dumps({"cells": cells}))
    done = command("a.ipynb")
    assert done.returncode == 2 and "OLY104" in done.stdout and "OLY902" not in done.stdout
    assert (
        "error: a.ipynb: cannot be read by Python 3.11, which runs this: line 2 of cell 1 has a `type`" in done.stderr
    )


@pytest.mark.parametrize(
    ("wanted", "is_promised"),
    [
        (">=3.10", True),
        (">=3.11,<4", True),
        (">3.10", True),
        ("~=3.9", True),
        ("==3.11.*", True),
        ("!=3.11.0", True),
        (">=3.12", False),
        ("~=3.12", False),
        (">=3.11, !=3.11.*", False),
        ("==3.13.*", False),
        ("what?", False),
    ],
)
def test_the_project_says_for_which_python_it_is(project, monkeypatch, run, wanted, is_promised):
    monkeypatch.setattr(validity, "RUNNING", (3, 11))
    Path("pyproject.toml").write_text(f'[project]\nname = "x"\nversion = "1"\nrequires-python = "{wanted}"\n')
    Path("src").mkdir()
    assert validity.promised("src/a.py") == (wanted if is_promised else None)


def test_newer_syntax_in_a_project_that_promises_an_older_python_is_invalid(project, old_python):
    Path("pyproject.toml").write_text('[project]\nrequires-python = ">=3.10"\n')
    Path("a.py").write_text("x = 1\ntype X = int\n")
    done = command("--output-format", "concise", ".")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith(
        "a.py:2:1: OLY902 Cannot be parsed: a `type` statement is syntax of Python 3.12, and "
        '`requires-python = ">=3.10"` admits 3.11. Nothing in this file was checked.'
    )


def test_a_notebook_of_an_older_format_is_not_checked(project):
    Path("old.ipynb").write_text('{"worksheets": []}')
    Path("good.py").write_text(CLEAN)
    done = command(".")
    assert done.returncode == 2
    assert done.stderr.startswith("error: old.ipynb: is a notebook of format 3; convert it with")


def test_a_page_that_is_no_text_is_not_checked(project):
    Path("a.md").write_bytes(b"\xff")
    done = command("--extension", "md", ".")
    assert done.returncode == 2 and "error: a.md: is not UTF-8 (byte 0); convert it." in done.stderr
