"""``--migrate --check``: the user's tests before and after a migration.

The projects here have a JAX of their own, of a few lines, so that a run of their tests takes half a second.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from textwrap import dedent

import pytest
from command_line import command

from olympus_codemods.target import Target
from olympus_lint.migration.migration import Migration
from olympus_lint.migration.report import render
from olympus_lint.proof import trees
from olympus_lint.proof.account import account
from olympus_lint.proof.blame import Rows, hunks
from olympus_lint.proof.commands import Limits, Ran, Runner, Setup
from olympus_lint.proof.outcomes import Change, Outcome, changes, outcomes_of
from olympus_lint.proof.trees import CheckError, tree_at
from olympus_lint.proof.trial import Compared, Failure, Proof
from olympus_lint.tracing.remains import marked

JAX = {
    "stubs/jax/__init__.py": "from jax import random\n",
    "stubs/jax/random.py": """\
import os

class Key:
    def __init__(self, seed):
        self.words = [0, seed]
    shape, size = (), 1

class Raw(list):
    shape, size = (2,), 2

def key(seed):
    return Key(seed)

def PRNGKey(seed):
    return Key(seed) if os.environ.get("JAX_ENABLE_CUSTOM_PRNG") else Raw([0, seed])

def key_data(key):
    return key if isinstance(key, Raw) else Raw(key.words)

def normal(key):
    return key_data(key)[1] / 10

def split(key, n=2):
    return [key] * n
""",
}
PROJECT = {
    **JAX,
    ".gitignore": "__pycache__\nignored/\n*_version.py\n",
    "pyproject.toml": "[project]\nname = 'pkg'\n",
    "src/pkg/__init__.py": "from pkg._version import VERSION\n",
    "src/pkg/_version.py": "VERSION = 1\n",
    "src/pkg/sim.py": """\
import importlib

import jax


def draw(seed):
    return jax.random.normal(jax.random.PRNGKey(seed))


def low(seed):
    helper = importlib.import_module(f"{__package__}.helper")
    getattr(helper, "low")(jax.random.PRNGKey(seed))


def size(seed):
    helper = importlib.import_module(f"{__package__}.helper")
    getattr(helper, "size")(jax.random.PRNGKey(seed))
""",
    "src/pkg/helper.py": """\
def low(value):
    FOUND.append(int(value[1]))


def size(value):
    FOUND.append(int(value.size))


FOUND = []
""",
    "tests/test_sim.py": """\
from pathlib import Path

from pkg import helper, sim


def test_draw():
    assert sim.draw(3) < 9


def test_low():
    sim.low(7)


def test_size():
    sim.size(7); assert helper.FOUND[-1] == 2


def test_writes():
    assert not Path("written").exists()
    Path("written").mkdir()
    Path("written/file").touch()
    Path("written").chmod(0o500)
    Path(sim.__file__).write_text("")


def test_fails_anyway():
    assert False
""",
}
PYTEST = f"{sys.executable} -m pytest -q"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the tests of the projects without plugins, which take most of the time."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)


def made(folder: Path, files: dict[str, str], *, stubs: bool = True) -> Path:
    """Write a project in a git repository."""
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text))
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".git" not in path.parts
    }


@pytest.fixture
def stubs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "stubs"))
    return tmp_path


def simple(source: str, tests: str) -> dict[str, str]:
    return {**JAX, "sim.py": source, "test_sim.py": tests}


DRAW = "import jax\n\n\ndef draw(seed):\n    return jax.random.normal(jax.random.PRNGKey(seed))\n"
TEST = "from sim import draw\n\n\ndef test_draw():\n    assert draw(3) < 9\n"


def test_what_makes_tests_fail_is_withheld(stubs: Path) -> None:
    project = made(stubs, PROJECT)
    done = command(project, "--migrate", "--fix", "--check", PYTEST, "--output-format", "json", "src", "tests")
    assert done.returncode == 1, done.stderr
    report = json.loads(done.stdout)
    check = report["check"]
    assert check["before"]["tests"] == check["after"]["tests"] and check["after"]["new_failures"] == []
    assert check["before"]["tests"]["tests/test_sim.py::test_writes"] == "passed"  # in each copy anew
    assert check["withheld"] == [
        f"src/pkg/sim.py:{row} `jax.random.PRNGKey` stays raw: `tests/test_sim.py::test_{name}` fails otherwise"
        for row, name in ((12, "low"), (17, "size"))
    ]
    reasons = [one["text"] for each in report["constructors"] for one in each["held_back_by"]]
    assert reasons == [f"makes `tests/test_sim.py::test_{name}` fail if it is typed" for name in ("low", "size")]
    failures = {each["test"]: each for each in check["typed"]["new_failures"]}
    assert set(failures) == {"tests/test_sim.py::test_low", "tests/test_sim.py::test_size"}
    low, size = failures.values()
    assert low["traceback"][-1] == {"filename": "src/pkg/helper.py", "row": 2} and "TypeError" in low["message"]
    place = {"filename": "src/pkg/sim.py", "row": 12, "name": "`jax.random.PRNGKey`", "kind": "held back"}
    assert low["places"] == [{**place, "in_traceback": True}] and low["announced"] and low["also"] == 0
    assert size["traceback"] == [{"filename": "tests/test_sim.py", "row": 15}]  # a silent change
    assert [(each["row"], each["in_traceback"]) for each in size["places"]] == [(17, False)]
    assert check["not_imported"] == []
    changed = {**PROJECT, "src/pkg/sim.py": PROJECT["src/pkg/sim.py"].replace("PRNGKey", "key", 1)}
    assert contents(project) == {name: text.encode() for name, text in changed.items()}  # and no caches


@pytest.mark.search
def test_portable_code_is_run_with_both_kinds_of_keys(stubs: Path) -> None:
    source = DRAW + "\n\ndef low(seed):\n    return getattr(jax.random.PRNGKey(seed), '__getitem__')(1)\n"
    project = made(
        stubs, simple(source, TEST + "\n\ndef test_low():\n    from sim import low\n    assert low(1) == 1\n")
    )
    done = command(project, "--migrate=portable", "--fix", "--check", PYTEST, "sim.py", "test_sim.py")
    assert done.returncode == 1 and "With JAX_ENABLE_CUSTOM_PRNG=1: 1 passed, 1 failed; 1 new failure" in done.stdout
    assert "`test_sim.py::test_low` failed, passed before" in done.stdout
    assert "raised at sim.py:9" in done.stdout and "sim.py:9 `jax.random.PRNGKey` (held back)" in done.stdout


@pytest.mark.search
def test_a_file_whose_rewritten_places_fail_stays_as_it_is(stubs: Path) -> None:
    source = """\
import jax


def lanes(seed, n):
    keys = jax.random.split(jax.random.PRNGKey(seed), n)
    return keys.shape[:-1]
"""
    broken = JAX["stubs/jax/random.py"].replace("return [key] * n", "return Raw([key] * n)")
    broken = broken.replace("return key if", "return None if")
    test = "from sim import lanes\n\n\ndef test_lanes():\n    assert lanes(0, 2) == ()\n"
    project = made(stubs, {**simple(source, test), "stubs/jax/random.py": broken.replace("(2,), 2", "(2,), 1")})
    done = command(project, "--migrate=portable", "--fix", "--check", PYTEST, "sim.py", "test_sim.py")
    assert done.returncode == 1 and (project / "sim.py").read_text() == source
    assert "Withheld: sim.py stays as it is: `test_sim.py::test_lanes` fails otherwise." in done.stdout


def test_what_cannot_be_attributed_stops_the_migration(stubs: Path) -> None:
    reads = "def test_source():\n    assert 'PRNGKey' in (__import__('pathlib').Path('sim.py').read_text())\n"
    project = made(stubs, simple(DRAW, reads))
    done = command(project, "--migrate", "--fix", "--check", PYTEST, "sim.py", "test_sim.py")
    assert done.returncode == 1 and (project / "sim.py").read_text() == DRAW
    assert "`test_sim.py::test_source` failed, passed before" in done.stdout and "Nothing is written:" in done.stdout
    assert "No test has imported 1 changed file, of which nothing is shown: sim.py." in done.stdout


@pytest.mark.parametrize(
    ("test", "sentence"),
    [
        ("import time\n\n\ndef test_a():\n    time.sleep(600)\n", "took longer than 1 s before the migration"),
        ("def test_a():\n    assert False\n", "fail before the migration"),
        ("import missing\n\n\ndef test_a():\n    pass\n", "did not run before the migration"),
    ],
)
def test_a_suite_that_shows_nothing_is_an_error(stubs: Path, test: str, sentence: str) -> None:
    project = made(stubs, simple(DRAW, test))
    limit = "1" if "sleep" in test else "60"
    done = command(project, "--migrate", "--fix", "--check", PYTEST, "--check-timeout", limit, "sim.py")
    assert done.returncode == 2 and "error: --check: " in done.stderr and sentence in done.stderr
    assert (project / "sim.py").read_text() == DRAW and "1 of 1 constructor" in done.stdout


def test_a_command_that_does_not_exist_is_an_error(stubs: Path) -> None:
    project = made(stubs, simple(DRAW, TEST))
    done = command(project, "--migrate", "--fix", "--check", "no-such-program -q", "sim.py")
    assert done.returncode == 2 and "`no-such-program -q` cannot be started" in done.stderr
    assert (project / "sim.py").read_text() == DRAW


def test_pytest_need_not_be_installed_beside_the_linter(stubs: Path) -> None:
    project = made(stubs, simple(DRAW, TEST))
    program = "import sys; sys.modules['pytest'] = None; from olympus_lint.cli import main; sys.exit(main())"
    arguments = [sys.executable, "-c", program, "--migrate", "--check", PYTEST, "sim.py"]
    done = subprocess.run(arguments, cwd=project, capture_output=True, text=True)
    assert done.returncode == 1 and "1 passed" in done.stdout and "Traceback" not in done.stderr


def test_a_command_that_replaces_the_path_is_an_error(stubs: Path) -> None:
    project = made(stubs, simple(DRAW, TEST))
    done = command(project, "--migrate", "--fix", "--check", f"PYTHONPATH=. {PYTEST}", "sim.py")
    assert done.returncode == 2 and "replaces PYTHONPATH" in done.stderr and "before its name" in done.stderr
    assert (project / "sim.py").read_text() == DRAW


def test_the_exit_status_of_another_command_is_compared(stubs: Path) -> None:
    source = DRAW + "\n\ndef low(seed):\n    return getattr(jax.random.PRNGKey(seed), '__getitem__')(1)\n"
    project = made(stubs, simple(source, "from sim import low\n\nassert low(7) == 7\n"))
    run = f"{sys.executable} test_sim.py"
    done = command(project, "--migrate", "--fix", "--check", run, "sim.py", "test_sim.py")
    assert done.returncode == 1 and "only its exit status was compared" in done.stdout
    assert "Withheld: sim.py:9 `jax.random.PRNGKey` stays raw: `the command` fails otherwise." in done.stdout
    assert (project / "sim.py").read_text() == source.replace("PRNGKey", "key", 1)


@pytest.mark.search
def test_a_test_that_fails_once_is_run_again(stubs: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    count = tmp_path.with_name(tmp_path.name + "-count")
    flaky = f"""

def test_flaky():
    with open({str(count)!r}, "a") as file:
        file.write("x")
    assert open({str(count)!r}).read() != "xx"
"""
    project = made(stubs, simple(DRAW, TEST + flaky))
    options = ("--migrate", "--fix", "--check", PYTEST, "sim.py", "test_sim.py")
    done = command(project, *options)
    assert done.returncode == 0 and "passed when they ran again: `test_sim.py::test_flaky`" in done.stdout
    assert "With JAX_ENABLE_CUSTOM_PRNG=1: 2 passed; no new failure" in done.stdout
    assert (project / "sim.py").read_text() == DRAW.replace("PRNGKey", "key")
    again = command(project, *options)
    assert again.returncode == 0 and "The migration changes nothing" in again.stdout


def test_a_crash_and_a_file_that_is_not_collected_are_failures(stubs: Path) -> None:
    source = DRAW + "\n\ndef strange(seed):\n    return type(jax.random.PRNGKey(seed)).__name__\n"
    crash = "\n\ndef test_crash():\n    import os, sim\n    sim.strange(1) == 'Raw' or os._exit(3)\n"
    other = "import sim\n\nassert sim.strange(1) == 'Raw'\n\n\ndef test_a():\n    pass\n\n\ndef test_b():\n    pass\n"
    project = made(stubs, {**simple(source, TEST + crash), "test_import.py": other})
    done = command(project, "--migrate", "--check", PYTEST, "--output-format", "json", "sim.py", "test_sim.py")
    report = json.loads(done.stdout)["check"]
    assert done.returncode == 1
    failures = {
        each["test"]: (each["status"], [one["row"] for one in each["places"]])
        for each in report["after"]["new_failures"]
    }
    assert failures["test_sim.py::test_crash"] == ("crashed", [9])
    assert failures["test_import.py"] == ("not collected", [9])


def test_imports_come_from_the_copy(stubs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = made(stubs, PROJECT)
    (project / "tests/conftest.py").write_text(f"import sys\n\nsys.path.append({str(project / 'src')!r})\n")
    done = command(project, "--migrate", "--check", f"{PYTEST} -k draw", "src", "tests")  # as of an editable install
    assert done.returncode == 1 and "and not from the copy" not in done.stdout + done.stderr
    (project / "tests/conftest.py").write_text(f"import sys\n\nsys.path.insert(0, {str(project / 'src')!r})\n")
    done = command(project, "--migrate", "--check", f"{PYTEST} -k draw", "src", "tests")  # as of one with a hook
    assert done.returncode == 2 and f"import src/pkg/sim.py from {project}, and not from the copy" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="children are looked for in /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_what_was_started(stubs: Path, number: signal.Signals) -> None:
    sleeper = "[sys.executable, '-c', 'import time; time.sleep(600)']"
    test = f"import subprocess, sys\n\n\ndef test_a():\n    subprocess.run({sleeper}, start_new_session=True)\n"
    project = made(stubs, simple(DRAW, test))
    folder = project / "ignored"
    folder.mkdir()
    options = ["--no-cache", "--migrate", "--fix", "--check", PYTEST, "sim.py"]
    running = subprocess.Popen(
        [sys.executable, "-m", "olympus_lint", *options],
        cwd=project,
        env={**os.environ, "TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    until = time.monotonic() + 60
    while len(marked(f"{folder}/olympus-lint-check-")) < 3:  # the shell, pytest, the sleeper
        assert time.monotonic() < until and running.poll() is None
        time.sleep(0.05)
    running.send_signal(number)
    running.communicate(timeout=60)
    assert marked(f"{folder}/olympus-lint-check-") == [] and list(folder.iterdir()) == []
    assert (project / "sim.py").read_text() == DRAW


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--check", "pytest"], "--check has no effect without --migrate"),
        (["--migrate", "--check-timeout", "5"], "--check-timeout has no effect without --check"),
        (["--migrate", "--check", " "], "expected a command"),
        (["--migrate", "--check", "pytest", "--diff"], "--check cannot be combined with --diff"),
        (["--migrate", "--check", "pytest", "--check-timeout", "0"], "expected a number above 0"),
    ],
)
def test_wrong_options(tmp_path: Path, options: list[str], sentence: str) -> None:
    done = command(tmp_path, *options)
    assert done.returncode == 2 and sentence in done.stderr and not done.stdout


@pytest.mark.search
def test_with_jax_and_several_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    files = {name: text for name, text in PROJECT.items() if not name.startswith("stubs")}
    project = made(tmp_path, files)
    done = command(project, "--migrate", "--fix", "--check", f"{PYTEST} -n 2 -x", "src", "tests")
    assert done.returncode == 1 and "After the migration: 4 passed, 1 failed; no new failure" in done.stdout
    changed = PROJECT["src/pkg/sim.py"].replace("PRNGKey", "key", 1)
    assert (project / "src/pkg/sim.py").read_text() == changed


def test_the_tree_of_a_repository(tmp_path: Path) -> None:
    project = made(tmp_path / "project", {"a.py": "", "sub/b.py": "", ".gitignore": "data\n*.so\nvenv\n", "c.so": ""})
    for name in ("data/large", "venv/pyvenv.cfg", "sub/inner/d.py"):
        (project / name).parent.mkdir(parents=True)
        (project / name).write_text(name)
    subprocess.run(["git", "init", "-q"], cwd=project / "sub/inner", check=True)
    (tmp_path / "outside").write_text("text")
    (project / "link.py").symlink_to("a.py")
    (project / "absolute.py").symlink_to(project / "sub/b.py")
    (project / "outer").symlink_to(tmp_path / "outside")
    (project / "dangling").symlink_to("nowhere")
    (project / "old.py").write_text("")
    subprocess.run(["git", "add", "old.py"], cwd=project, check=True)
    (project / "old.py").unlink()
    tree = tree_at(project / "sub")
    assert tree.root == project.resolve() and tree.here == Path("sub") and tree.environments == ("venv",)
    copy = tmp_path / "copy"
    tree.copy_to(copy, {"link.py": b"new"})
    assert (copy / "a.py").read_text() == "new" and (project / "a.py").read_text() == ""
    assert os.path.realpath(copy / "absolute.py") == str(copy / "sub/b.py")
    assert (copy / "outer").read_text() == "text" and not (copy / "outer").is_symlink()
    assert (copy / "c.so").exists() and (copy / "sub/inner/d.py").exists()
    assert not (copy / "data").exists() and not (copy / "old.py").exists() and not (copy / ".git").exists()
    assert (copy / "venv").is_symlink() and (copy / "venv/pyvenv.cfg").exists()


def test_the_tree_of_a_folder_without_a_repository(tmp_path: Path) -> None:
    names = ("pyproject.toml", "pkg/a.py", "pkg/b.py", ".venv/bin/python", "env/pyvenv.cfg", "pkg/__pycache__/a.pyc")
    for name in (*names, "dist/__init__.py", "build/data.bin", "_build/x"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "folder").symlink_to("build", target_is_directory=True)
    tree = tree_at(tmp_path / "pkg")
    assert tree.root == tmp_path.resolve() and tree.environments == ("env",)
    assert set(tree.files) == {"pyproject.toml", "folder", "pkg/a.py", "pkg/b.py", "dist/__init__.py", "build/data.bin"}
    assert tree.import_roots(("pkg/a.py", "dist/__init__.py")) == ["."] and tree.import_roots(("pkg/a.py",)) == []
    with pytest.raises(CheckError, match="is not below"):
        tree.path_of("/elsewhere/a.py")


def test_a_large_tree_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").write_text("x" * 100)
    monkeypatch.setattr(trees, "MOST_BYTES", 99)
    with pytest.raises(CheckError, match=r"let .gitignore name the data"):
        tree_at(tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
@pytest.mark.parametrize(
    ("limits", "cause"),
    [(Limits(60, 1 << 20), "took more than 0.0 GiB of memory"), (Limits(0.2), "took longer than 0.2 s")],
)
def test_limits_end_a_run(tmp_path: Path, limits: Limits, cause: str) -> None:
    (tmp_path / "tree").mkdir()
    runner = Runner(tree_at(tmp_path / "tree"), "echo begun; sleep 60 & sleep 60", limits, tmp_path / "home")
    ran = runner.run(Setup())
    assert ran.stopped == cause and ran.output == "begun\n" and marked(str(tmp_path / "home")) == []


def test_the_environment_names_the_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = made(tmp_path / "project", {"sub/a.py": ""})
    monkeypatch.setenv("DATA", f"{project}/data:/data")
    monkeypatch.setenv("PATH", f"{project}/bin:{os.environ['PATH']}")
    monkeypatch.setenv("JAX_ENABLE_CUSTOM_PRNG", "1")
    runner = Runner(
        tree_at(project / "sub"),
        "pwd; echo $DATA; echo $PATH; echo [$JAX_ENABLE_CUSTOM_PRNG]",
        Limits(60),
        tmp_path / "home",
    )
    ran = runner.run(Setup())
    here, data, path, flag = ran.output.splitlines()
    assert here == f"{ran.copy}/sub" and data == f"{ran.copy}/data:/data" and flag == "[]"
    assert path.startswith(f"{project}/bin:")


def ran(*records: dict[str, object], status: int = 0, output: str = "") -> Ran:
    return Ran(status, output, 1.0, "", ({"event": "pytest"}, *records), "/copy")


def outcome(name: str, status: str) -> list[dict[str, object]]:
    if status == "crashed":
        return [{"event": "begin", "id": name}]
    if status == "not collected":
        return [{"event": "collect", "id": name, "message": "ImportError: no", "frames": [["a.py", 1]]}]
    phases = {
        "passed": [("setup", "passed"), ("call", "passed"), ("teardown", "passed")],
        "failed": [("setup", "passed"), ("call", "failed"), ("teardown", "failed")],
        "error": [("setup", "failed"), ("teardown", "passed")],
        "late error": [("setup", "passed"), ("call", "passed"), ("teardown", "failed")],
        "skipped": [("setup", "skipped"), ("teardown", "passed")],
        "xfailed": [("setup", "passed"), ("call", "skipped"), ("teardown", "passed")],
        "rerun": [
            ("setup", "passed"),
            ("call", "failed"),
            ("teardown", "passed"),
            ("setup", "passed"),
            ("call", "passed"),
        ],
    }[status]
    made = [{"event": "phase", "id": name, "phase": a, "outcome": b, "xfail": status == "xfailed"} for a, b in phases]
    return [{"event": "begin", "id": name}, *made, {"event": "end", "id": name}]


@pytest.mark.parametrize("status", ["passed", "failed", "error", "skipped", "xfailed", "crashed", "not collected"])
def test_the_outcome_of_a_test(status: str) -> None:
    assert outcomes_of(ran(*outcome("a.py::b", status))).tests["a.py::b"].status == status


def test_the_last_of_several_attempts_counts() -> None:
    assert outcomes_of(ran(*outcome("a.py::b", "rerun"))).tests["a.py::b"].status == "passed"
    assert outcomes_of(ran(*outcome("a.py::b", "late error"))).tests["a.py::b"].status == "error"


def test_a_command_that_fails_although_its_tests_pass() -> None:
    before = outcomes_of(ran(*outcome("a.py::b", "passed")))
    output = 'Traceback:\n  File "/copy/run.py", line 3, in <module>\nother.py:4: in f\nKeyError: 1\n'
    after = outcomes_of(ran(*outcome("a.py::b", "passed"), status=1, output=output))
    (change,) = changes(before, after)
    assert change.test.name == "the command" and change.test.message == "exit status 1: KeyError: 1"
    assert change.test.frames == (("run.py", 3), ("other.py", 4))


def test_tests_that_do_not_run_are_counted_with_the_command_that_fails() -> None:
    before = outcomes_of(ran(*outcome("a.py::b", "passed"), *outcome("a.py::c", "passed")))
    (change,) = changes(before, outcomes_of(ran(status=4, output="conftest.py:4: in <module>\nTypeError: no\n")))
    assert (change.test.name, change.test.frames, change.also) == ("the command", (("conftest.py", 4),), 2)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"a::x": "passed"}, {"a::x": "failed"}, {"a::x": ("failed", 0)}),
        ({"a::x": "failed"}, {"a::x": "error"}, {}),
        (
            {"a::x": "passed", "a::y": "skipped"},
            {"a::x": "skipped", "a::y": "error"},
            {"a::x": ("skipped", 0), "a::y": ("error", 0)},
        ),
        ({"a::x": "xfailed"}, {"a::x": "passed"}, {}),
        ({"a::x": "passed", "a::y": "failed"}, {}, {"a::x": ("missing", 0)}),
        ({"a::x": "passed", "a::y": "passed"}, {"a": "not collected"}, {"a": ("not collected", 2)}),
        ({"a::x": "passed", "b::y": "passed"}, {"a::x": "crashed"}, {"a::x": ("crashed", 1)}),
        ({"a": "not collected"}, {"a::x": "failed"}, {}),
        (
            {"a::x[[0 1]]": "passed", "a::x[[0 2]]": "passed"},
            {"a::x[Key(1)]": "passed", "a::x[Key(2)]": "failed"},
            {"a::x[Key(2)]": ("failed", 0)},
        ),
        (
            {"a::x[f at 0x7f12]": "passed", "a::x[1]": "passed"},
            {"a::x[f at 0x7f99]": "passed", "a::x[2]": "passed", "a::x[3]": "passed"},
            {"a::x[1]": ("missing", 0)},
        ),
        ({"a::x": "passed"}, {"a::x": "passed", "a::new": "failed"}, {"a::new": ("failed", 0)}),
    ],
)
def test_new_failures(before: dict[str, str], after: dict[str, str], expected: dict[str, tuple[str, int]]) -> None:
    first, second = (
        outcomes_of(ran(*(record for name, status in each.items() for record in outcome(name, status))))
        for each in (before, after)
    )
    found = changes(first, second)
    assert {
        each.test.name: (each.test.status, each.also) for each in found if each.test.name != "the command"
    } == expected


def test_rows_of_a_changed_text() -> None:
    old, new = "abcde", "xabCCe"
    assert [*hunks(old, new)] == [(range(1, 1), range(1, 2)), (range(3, 5), range(4, 6))]
    rows = Rows(old, new)
    assert [rows.of(range(n, n + 1)) for n in (1, 2, 3, 5)] == [range(2, 3), range(3, 4), range(4, 5), range(6, 7)]
    assert Rows("ab", "b").of(range(1, 2)) == range(0)


def test_formats_of_the_account() -> None:
    before = outcomes_of(ran(*outcome("a.py::x", "passed")))
    after = outcomes_of(ran(*outcome("a.py::x", "failed")))
    failure = Failure(Change(Outcome("a.py::x", "failed", "E: `<b>`\x1b[1m", (("a.py", 2),)), "passed"), ())
    proof = Proof("pytest", Migration(Target("typed"), []), before, 1.0)
    proof.after = proof.typed = Compared(after, 2.0, [failure], ["a.py::y"])
    proof.unseen = ["c.py"]
    section, formats = account(proof), ("full", "markdown", "json")
    shown = {name: render(proof.migration, name, written=False, section=section) for name in formats}
    assert "\n- After the migration, `a.py::x` failed, passed before\n  - `E: '<b>'␛[1m`\n" in shown["markdown"]
    assert "## Checked with the tests" in shown["markdown"] and shown["full"].count("`a.py::x` failed") == 1
    assert json.loads(shown["json"])["check"]["typed"]["passed_again"] == ["a.py::y"]
