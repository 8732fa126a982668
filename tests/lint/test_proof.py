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

from olympus_lint.proof.trees import tree_at
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
    helper = importlib.import_module("pkg.helper")
    return getattr(helper, "low")(jax.random.PRNGKey(seed))


def size(seed):
    helper = importlib.import_module("pkg.helper")
    return getattr(helper, "size")(jax.random.PRNGKey(seed))
""",
    "src/pkg/helper.py": """\
def low(value):
    return int(value[1])


def size(value):
    return value.size
""",
    "tests/test_sim.py": """\
from pathlib import Path

from pkg import sim


def test_draw():
    assert sim.draw(3) < 9


def test_low():
    assert sim.low(7) == 7


def test_size():
    assert sim.size(7) == 2


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


def test_new_failures_are_found_and_nothing_of_the_tree_is_touched(stubs: Path) -> None:
    project = made(stubs, PROJECT)
    old = contents(project)
    done = command(project, "--migrate", "--check", PYTEST, "--output-format", "json", "src", "tests")
    assert done.returncode == 1, done.stderr
    assert contents(project) == old
    report = json.loads(done.stdout)["check"]
    assert report["before"]["tests"]["tests/test_sim.py::test_low"] == "passed"
    assert report["before"]["tests"]["tests/test_sim.py::test_writes"] == "passed"
    failures = {each["test"]: each for each in report["after"]["new_failures"]}
    assert set(failures) == {"tests/test_sim.py::test_low", "tests/test_sim.py::test_size"}
    low, size = failures.values()
    assert low["traceback"][-1] == {"filename": "src/pkg/helper.py", "row": 2} and "TypeError" in low["message"]
    place = {"filename": "src/pkg/sim.py", "row": 12, "name": "`jax.random.PRNGKey`", "kind": "renamed"}
    assert low["places"] == [place] and not low["announced"]
    assert size["traceback"] == [{"filename": "tests/test_sim.py", "row": 15}]  # a silent change
    assert [each["row"] for each in size["places"]] == [17]
    assert report["not_imported"] == [] and report["withheld"] == []


def test_what_makes_tests_fail_is_withheld(stubs: Path) -> None:
    project = made(stubs, PROJECT)
    done = command(project, "--migrate", "--fix", "--check", PYTEST, "src", "tests")
    assert done.returncode == 1 and "After the migration: 4 passed, 1 failed; no new failure" in done.stdout
    for row, name in ((12, "low"), (17, "size")):
        withheld = f"`jax.random.PRNGKey` stays raw: `tests/test_sim.py::test_{name}` fails otherwise"
        assert f"Withheld: src/pkg/sim.py:{row} {withheld}." in done.stdout
        assert f"makes `tests/test_sim.py::test_{name}` fail if it is typed (src/pkg/sim.py:{row})" in done.stdout
    new = contents(project)
    assert {name for name in new if new[name] != PROJECT[name].encode()} == {"src/pkg/sim.py"}
    changed = PROJECT["src/pkg/sim.py"].replace("PRNGKey", "key", 1)
    assert new["src/pkg/sim.py"].decode() == changed


def test_a_clean_migration_has_exit_status_zero(stubs: Path) -> None:
    project = made(stubs, simple(DRAW, TEST))
    done = command(project, "--migrate", "--fix", "--check", PYTEST, "sim.py", "test_sim.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "With JAX_ENABLE_CUSTOM_PRNG=1: 1 passed; no new failure" in done.stdout
    assert "random.key(" in (project / "sim.py").read_text()
    again = command(project, "--migrate", "--fix", "--check", PYTEST, "sim.py", "test_sim.py")
    assert again.returncode == 0 and "The migration changes nothing" in again.stdout


def test_portable_code_is_run_with_both_kinds_of_keys(stubs: Path) -> None:
    source = DRAW + "\n\ndef low(seed):\n    return getattr(jax.random.PRNGKey(seed), '__getitem__')(1)\n"
    project = made(
        stubs, simple(source, TEST + "\n\ndef test_low():\n    from sim import low\n    assert low(1) == 1\n")
    )
    done = command(project, "--migrate=portable", "--fix", "--check", PYTEST, "sim.py", "test_sim.py")
    assert done.returncode == 1 and "With JAX_ENABLE_CUSTOM_PRNG=1: 1 passed, 1 failed; 1 new failure" in done.stdout
    assert "`test_sim.py::test_low` failed, passed before" in done.stdout
    assert "raised at sim.py:9" in done.stdout and "sim.py:9 `jax.random.PRNGKey` (held back)" in done.stdout


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


def test_the_exit_status_of_another_command_is_compared(stubs: Path) -> None:
    source = DRAW + "\n\ndef low(seed):\n    return getattr(jax.random.PRNGKey(seed), '__getitem__')(1)\n"
    project = made(stubs, simple(source, "from sim import low\n\nassert low(7) == 7\n"))
    run = f"{sys.executable} test_sim.py"
    done = command(project, "--migrate", "--fix", "--check", run, "sim.py", "test_sim.py")
    assert done.returncode == 1 and "only its exit status was compared" in done.stdout
    assert "Withheld: sim.py:9 `jax.random.PRNGKey` stays raw: `the command` fails otherwise." in done.stdout
    assert (project / "sim.py").read_text() == source.replace("PRNGKey", "key", 1)


def test_a_test_that_fails_once_is_run_again(stubs: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    count = tmp_path.with_name(tmp_path.name + "-count")
    flaky = f"""

def test_flaky():
    with open({str(count)!r}, "a") as file:
        file.write("x")
    assert open({str(count)!r}).read() != "xx"
"""
    project = made(stubs, simple(DRAW, TEST + flaky))
    done = command(project, "--migrate", "--fix", "--check", PYTEST, "sim.py", "test_sim.py")
    assert done.returncode == 0 and "passed when they ran again: `test_sim.py::test_flaky`" in done.stdout


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
    options = ["--no-cache", "--migrate", "--check", PYTEST, "sim.py"]
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
