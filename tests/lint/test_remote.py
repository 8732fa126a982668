"""Files checked by processes in another current folder: what a path means there is what it means to the user."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

import pytest
from command_line import command

from olympus_lint.run import executors, remote
from olympus_lint.run.remote import Workplace

SETTINGS = """\
[tool.olympus-lint]
select = ["OLY1", "OLY201"]
signature-packs = ["packs/noise.toml"]
[tool.olympus-lint.per-file-ignores]
"src/first/quiet*.py" = ["OLY104"]
"""
REUSE = """\
import jax
import noise
from first.tools import consumed


def draw(seed):
    key = jax.random.PRNGKey(seed)
    return noise.white(key) + jax.random.normal(key) + consumed(key)


def test_words():
    key = jax.random.PRNGKey(0)
    assert jax.random.normal(key).shape == jax.random.normal(key).shape
"""
FILES = {
    "pyproject.toml": SETTINGS,
    "packs/noise.toml": '[functions."noise.white"]\nparameters = ["key"]\nsinks = ["key"]\n',
    "src/first/__init__.py": "",
    "src/first/tools.py": "import jax\n\n\ndef consumed(key):\n    return jax.random.uniform(key)\n",
    "src/first/module.py": REUSE,
    "src/first/quiet.py": REUSE,
    "tests/test_first.py": REUSE,
    "notes/read.md": f"# Text\n\n```python\n{REUSE}```\n",
}
WORKERS = "dask://127.0.0.1:9"
HERE = "checked on this machine"


def written(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return written(tmp_path / "project", FILES)


def leave(folder: Path, kind: str) -> None:
    """Give this process a current folder of its own, or one that is there no more."""
    os.chdir(folder)
    if kind == "gone":
        folder.rmdir()


@pytest.fixture(params=["empty", "gone", "decoy"])
def pool(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Executor]:
    """Stand in for a cluster: a process in an empty folder, in a removed one, or in one with files of these names."""
    folder = tmp_path.joinpath("workers", *"abcdefgh")  # deeper than there are rounds of sending
    folder.mkdir(parents=True)
    if request.param == "decoy":
        written(folder, dict.fromkeys(FILES, "import jax\n"))
    with ProcessPoolExecutor(1, get_context("spawn"), initializer=leave, initargs=(folder, request.param)) as pool:

        @contextmanager
        def workplace(name: str) -> Iterator[Workplace]:
            yield Workplace(name, pool, lambda parcel: parcel)

        monkeypatch.setattr(executors, "workplace", workplace)
        yield pool


@pytest.mark.usefixtures("pool")
def test_a_relative_path_is_one_of_the_sender(project: Path) -> None:
    options = ("--no-cache", "--executor", WORKERS)
    for folder, *words in (
        (".", "."),
        (".", "src", "tests/test_first.py", "--tests", "all"),
        ("src/first", "module.py", "quiet.py", "../../tests"),
        ("notes", "..", "--extension", "md", "--output-format", "json"),
        (".", "--config", "pyproject.toml", str(project / "src")),
    ):
        local = command(project / folder, "--no-cache", *words)
        there = command(project / folder, *options, *words)
        assert (there.stdout, there.stderr, there.returncode) == (local.stdout, local.stderr, 1)
        assert "OLY104" in there.stdout and HERE not in there.stderr


@pytest.mark.parametrize("pool", ["empty"], indirect=True)
def test_the_number_of_files_that_were_checked_here_is_said(
    project: Path, pool: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "ROUNDS", 0)
    local = command(project, "--no-cache", ".", "--ignore", "OLY201")
    there, kept = (command(project, "--executor", WORKERS, ".", "--ignore", "OLY201") for _ in range(2))
    assert (there.stdout, there.returncode) == (local.stdout, 1)
    assert there.stderr == (
        f"note: 4 files were {HERE}: after 0 rounds, {WORKERS} still looked for files that it was not sent.\n"
    )
    assert (kept.stdout, kept.stderr) == (local.stdout, ""), "a note on a run is no note on the next one"
