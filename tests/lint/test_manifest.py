"""A run in which nothing has changed looks at the status of its files, and tells what the run before told."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from conftest import Outcome

from olympus_lint.run import runner
from olympus_rules.syntax import disk

Run = Callable[..., Outcome]

REUSE = "import jax\n\n\ndef f(key):\n    return jax.random.normal(key) + jax.random.uniform(key)\n"
HELPER = "import jax\n\n\ndef draw(key):\n    return jax.random.normal(key)\n"
USES = "import jax\nfrom pkg.helper import draw\n\n\ndef g(key):\n    return draw(key), jax.random.normal(key)\n"
CELL = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": [], "source": REUSE.splitlines(True)}
NOTEBOOK = json.dumps({"cells": [CELL], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
FILES = {
    "pyproject.toml": "[project]\nname = 'pkg'\n",
    "pkg/__init__.py": "",
    "pkg/helper.py": HELPER,
    "pkg/uses.py": USES,
    "pkg/reuse.py": REUSE,
    "pkg/plain.py": "x = 1\n",
    "book.ipynb": NOTEBOOK,
}


@pytest.fixture(autouse=True)
def files(project: Path) -> Iterator[None]:
    """Write the files."""
    for name, text in FILES.items():
        path = Path(name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    yield
    disk.forget()


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the status of a file prove something at once."""
    monkeypatch.setattr(disk, "RECENT", -(10**18))


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count the runs that check files."""
    runs: list[int] = []
    check_files = runner.checked

    def counted(files, *rest):
        runs.append(len(files))
        return check_files(files, *rest)

    monkeypatch.setattr(runner, "checked", counted)
    return runs


def told(outcome: Outcome) -> tuple[int, str, str]:
    return outcome.status, outcome.out, outcome.err


@pytest.mark.parametrize("output", ["full", "concise", "json", "sarif", "github", "grouped"])
def test_the_second_run_tells_the_same_and_checks_nothing(run: Run, checked: list[int], output: str) -> None:
    first = run(".", "--output-format", output)
    assert first.status == 1
    assert told(run(".", "--output-format", output)) == told(first)
    assert len(checked) == 1


def test_it_reads_only_the_files_that_it_shows(run: Run, settled: None, monkeypatch: pytest.MonkeyPatch) -> None:
    run(".")
    read: list[str] = []
    read_bytes = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda self: (read.append(self.name), read_bytes(self))[1])
    run(".")
    assert {name for name in read if name.endswith((".py", ".ipynb"))} == {"reuse.py", "uses.py", "book.ipynb"}


def test_after_a_change_notebooks_and_pages_are_not_analysed_again(run: Run) -> None:
    Path("page.md").write_text(f"```python\n{REUSE}```\n")
    Path("broken.ipynb").write_text(NOTEBOOK.replace("def f", "def def"))
    Path("plain.ipynb").write_text(NOTEBOOK.replace("jax", "np"))
    first = run(".", "--extension", "md")
    Path("pkg/plain.py").write_text("y = 2\n")
    again = run(".", "--extension", "md", "-v")
    assert "page.md" in first.out and "broken.ipynb" in first.out
    assert (again.status, again.out) == (first.status, first.out)
    assert "analysed 0 of " in again.err


def test_blocks_of_a_page_that_become_one_are_checked_again(run: Run) -> None:
    first, second = "import jax\nkey = jax.random.key(0)\na = jax.random.normal(key)\n", "b = jax.random.uniform(key)\n"
    Path("page.md").write_text(f"```python\n{first}```\n\n```python\n{second}```\n")
    assert "page.md" not in run(".", "--extension", "md").out
    Path("page.md").write_text(f"```python\n{first}\n\n\n{second}```\n")
    assert "page.md" in run(".", "--extension", "md").out


def test_with_several_processes(run: Run, checked: list[int]) -> None:
    first = run(".", "--jobs", "2")
    assert told(run(".", "--jobs", "2")) == told(first)
    assert len(checked) == 1


CHANGES: dict[str, Callable[[], object]] = {
    "a file": lambda: Path("pkg/plain.py").write_text(REUSE),
    "a file of the same size": lambda: Path("pkg/uses.py").write_text(USES.replace("draw(key), ", "draw(kay), ")),
    "a helper": lambda: Path("pkg/helper.py").write_text(HELPER.replace("normal(key)", "fold_in(key, 1)")),
    "a new file": lambda: Path("pkg/new.py").write_text(REUSE),
    "a new folder": lambda: shutil.copytree("pkg", "other"),
    "no file": lambda: Path("pkg/reuse.py").unlink(),
    "another file of a module": lambda: (Path("pkg/helper").mkdir(), Path("pkg/helper/__init__.py").write_text("")),
    "a package less": lambda: Path("pkg/__init__.py").unlink(),
    "settings": lambda: Path("olympus-lint.toml").write_text("ignore = ['OLY104']\n"),
    "ignored files": lambda: (Path(".git").mkdir(), Path(".gitignore").write_text("reuse.py\n")),
    "a cell": lambda: Path("book.ipynb").write_text(NOTEBOOK.replace("uniform", "laplace")),
    "a project inside": lambda: Path("pkg/setup.py").write_text(""),
    "a copy with the time of the old one": lambda: keep_time("pkg/uses.py", USES.replace("draw(key), ", "draw(kay), ")),
}


def keep_time(name: str, text: str) -> None:
    status = Path(name).stat()
    Path(name).write_text(text)
    os.utime(name, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("paths", [["."], ["pkg/uses.py", "pkg/reuse.py"]])
def test_a_change_is_seen(run: Run, checked: list[int], change: str, paths: list[str], settled: None) -> None:
    run(*paths)
    time.sleep(0.02)  # the clock of the file system
    CHANGES[change]()
    before = len(checked)
    seen = run(*paths)
    assert told(seen) == told(run(*paths, "--no-cache"))
    assert len(checked) == before + 2 or paths != ["."]


def test_a_changed_signature_pack_is_seen() -> None:
    pack = '[functions."lib.draw"]\nparameters = ["key"]\nsinks = [{}]\n'
    Path("olympus-lint.toml").write_text("signature-packs = ['pack.toml']\n")
    text = "import jax, lib\n\n\ndef f(key):\n    return lib.draw(key), jax.random.normal(key)\n"
    Path("pkg/lib.py").write_text(text)
    command = [sys.executable, "-m", "olympus_lint", "--output-format", "concise"]
    for sinks, is_found in (('"key"', True), ("", False)):
        Path("pack.toml").write_text(pack.format(sinks))
        shown = [subprocess.run(command, capture_output=True, text=True).stdout for _ in range(2)]
        assert [("pkg/lib.py" in out) for out in shown] == [is_found, is_found]


def test_a_change_at_the_time_of_the_look_is_seen(run: Run) -> None:
    """The file has the size and, where the clock stands still, the time that it had when it was looked at."""
    run(".")
    keep_time("pkg/uses.py", USES.replace("draw(key), ", "draw(kay), "))
    assert told(run(".")) == told(run(".", "--no-cache"))


def test_a_file_that_was_only_written_again_is_the_same(run: Run, checked: list[int], settled: None) -> None:
    first = run(".")
    for name, text in FILES.items():
        Path(name).write_text(text)
    Path("pkg/left").touch()
    Path("pkg/left").unlink()
    assert told(run(".")) == told(first)
    assert len(checked) == 1


@pytest.mark.parametrize(
    "options", [["--select", "OLY101"], ["--ignore-noqa"], ["--exclude", "reuse.py"], ["--config", "other.toml"]]
)
def test_other_options_are_another_run(run: Run, options: list[str]) -> None:
    Path("other.toml").write_text("ignore = ['OLY104']\n")
    run(".")
    assert told(run(".", *options)) == told(run(".", *options, "--no-cache"))
    assert told(run(".")) == told(run(".", "--no-cache"))


def test_a_file_with_an_error_is_checked_again(run: Run, checked: list[int]) -> None:
    Path("pkg/large.py").write_text(REUSE + "#" * 5_000_001)
    first = run(".")
    assert first.status == 2
    assert told(run(".")) == told(first)
    assert len(checked) == 2


def make_projects(names: Sequence[str]) -> list[Path]:
    """Write the files as several projects, two in a third; return those that are checked."""
    for name in names:
        shutil.copytree("pkg", f"{name}/pkg")
        shutil.copy("pyproject.toml", name)
    return [path for name in names for path in sorted(Path(name).rglob("*.py"))]


def test_only_the_project_of_a_changed_file_is_checked(run: Run, checked: list[int], settled: None) -> None:
    names = ["one", "two", "two/inner"]  # imports of `two` may be found in the project that is in it
    make_projects(names)
    run(*names)
    Path("two/inner/pkg/helper.py").write_text(HELPER.replace("normal(key)", "fold_in(key, 1)"))
    assert told(run(*names)) == told(run(*names, "--no-cache"))
    Path("two/pkg/plain.py").write_text(REUSE)
    assert told(run(*names)) == told(run(*names, "--no-cache"))
    assert told(run(*names)) == told(run(*names))
    assert checked == [15, 2, 15, 1, 15]


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.search) for seed in range(1, 8))])
def test_after_any_edits_a_run_tells_what_a_run_without_a_cache_does(run: Run, settled: None, seed: int) -> None:
    """The edits are of texts, and now and then of the files of a folder or of settings."""
    names = ["one", "two", "two/inner"]
    paths = make_projects(names)
    texts = [
        REUSE,
        HELPER,
        USES,
        "x = 1\n",
        "from pkg.reuse import f as draw\n",
        "class A:\n    def __jax_array__(self): 1\n",
    ]
    chance = random.Random(seed)
    run(*names)
    for number in range(12):
        for path in chance.sample(paths, chance.choice([1, 1, 2])):
            path.write_text(chance.choice(texts) + f"# {number}\n")
        if chance.random() < 0.2:
            Path(chance.choice(names), chance.choice(["pkg/helper", "new.py"])).touch()
        if chance.random() < 0.2:
            Path(chance.choice(names), "olympus-lint.toml").write_text(f"ignore = ['OLY10{chance.choice('48')}']\n")
        assert told(run(*names)) == told(run(*names, "--no-cache"))


def test_a_file_that_the_last_run_asked_no_more_than_its_kind_may_change(run: Run, settled: None) -> None:
    run(".")
    Path("pkg/plain.py").write_text(HELPER)
    run(".")
    Path("pkg/__init__.py").write_text(REUSE)
    assert told(run(".")) == told(run(".", "--no-cache"))


def test_where_fixes_rest_on_all_files_all_are_checked(run: Run, checked: list[int], settled: None) -> None:
    names = ["one", "two"]
    paths = make_projects(names)
    Path("one/olympus-lint.toml").write_text("extend-select = ['OLY201']\n")
    run(*names, "--output-format", "json")
    Path("one/pkg/plain.py").write_text("import jax\nkey = jax.random.PRNGKey(0)\n")
    shown = [run(*names, "--output-format", "json", *rest) for rest in ([], ["--no-cache"])]
    assert shown[0].out == shown[1].out and '"safe"' in shown[0].out
    assert checked[1] == len(paths)


def test_where_nobody_asks_for_fixes_only_what_changed_is_checked(run: Run, checked: list[int], settled: None) -> None:
    names = ["one", "two"]
    make_projects(names)
    Path("one/olympus-lint.toml").write_text("extend-select = ['OLY201']\n")
    run(*names)
    Path("one/pkg/plain.py").write_text("import jax\nkey = jax.random.PRNGKey(0)\n")
    assert told(run(*names)) == told(run(*names, "--no-cache"))
    assert checked[1] == 1
    assert told(run(*names)) == told(run(*names, "--no-cache")) and len(checked) == 4


@pytest.mark.parametrize(
    "kept",
    [
        *("[]", "{}", "[{}, [], [[]]]", "[[], {}, 3]", '[{"x": 3}, [], [], []]', "null", '[{}, [["x", 0]], [], []]'),
        *('[{}, [["x", -1]], ["."], []]', "[{}, [], [], [[]]]", "[{}, [], [], [7]]", '[{}, [["x", 0]], [7], []]'),
    ],
)
def test_a_damaged_entry_is_no_result(run: Run, monkeypatch: pytest.MonkeyPatch, kept: str) -> None:
    from olympus_lint.analysis.store import Store

    first = run(".")
    monkeypatch.setattr(Store, "get", lambda self, key: kept)
    assert told(run(".")) == told(first)
