"""`--watch`, as a process in a folder whose files change, and `extend` in settings."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from command_line import command

pytest.importorskip("watchfiles")
REUSE = "import jax\n\nkey = jax.random.key(0)\nprint(jax.random.normal(key), jax.random.bits(key))\n"
RIGHT = REUSE.replace(", jax.random.bits(key)", "")


class Watched:
    """A watching process and what it has said."""

    def __init__(self, folder: Path) -> None:
        self.out, self.err = folder / "out.txt", folder / "err.txt"
        line = [sys.executable, "-m", "olympus_lint", "--watch", "--output-format", "concise", "--no-cache", "project"]
        with self.out.open("w") as out, self.err.open("w") as err:
            self.process = subprocess.Popen(line, cwd=folder, stdout=out, stderr=err)

    def until(self, holds: Callable[[str], bool]) -> None:
        limit = time.monotonic() + 60
        while not holds(self.out.read_text() + self.err.read_text()):
            assert time.monotonic() < limit, self.out.read_text() + self.err.read_text()
            time.sleep(0.05)

    def runs(self) -> int:
        return self.err.read_text().count("Watching for changes")


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    (tmp_path / "project").mkdir()
    (tmp_path / "project/model.py").write_text(RIGHT)
    process = Watched(tmp_path)
    yield process
    process.process.kill()
    process.process.wait()


def test_changes_are_checked_until_the_user_ends_it(watched: Watched, tmp_path: Path) -> None:
    watched.until(lambda _: watched.runs() == 1)
    (tmp_path / "project/model.py").write_text(REUSE)
    watched.until(lambda said: said.count("OLY104") == 1 and watched.runs() == 2)
    (tmp_path / "project/new.py").write_text(REUSE)
    watched.until(lambda said: said.count("OLY104") == 3)
    (tmp_path / "project/olympus-lint.toml").write_text("ignore = 7\n")
    watched.until(lambda said: "expected a list of strings" in said)
    (tmp_path / "project/olympus-lint.toml").write_text("ignore = ['OLY104']\n")
    before = watched.out.read_text().count("OLY104")
    watched.until(lambda _: watched.runs() >= 5)
    assert watched.out.read_text().count("OLY104") == before
    os.kill(watched.process.pid, signal.SIGINT)
    assert watched.process.wait(timeout=60) in (130, -signal.SIGINT)


def test_a_file_that_is_saved_during_a_check_is_checked_again(tmp_path: Path) -> None:
    from argparse import Namespace

    from olympus_lint.commandline.watch import watch

    model = tmp_path / "model.py"
    model.write_text(RIGHT)
    seen: list[str] = []

    def check(args: Namespace) -> int:
        seen.append(model.read_text())
        if len(seen) == 1:
            model.write_text(REUSE)
            return 0
        raise KeyboardInterrupt

    unseen = threading.Timer(30, os.kill, (os.getpid(), signal.SIGINT))
    unseen.start()
    with pytest.raises(KeyboardInterrupt):
        watch(check, Namespace(paths=[str(tmp_path)]))
    unseen.cancel()
    assert seen == [RIGHT, REUSE]


def test_what_cannot_be_watched(tmp_path: Path) -> None:
    for words, sentence in {
        ("-",): "standard input",
        ("--migrate",): "--migrate",
        ("nowhere",): "does not exist",
    }.items():
        done = command(tmp_path, "--watch", *words)
        assert done.returncode == 2 and sentence in done.stderr


def test_settings_extend_another_file(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "base.toml").write_text(
        "extend-select = ['OLY201']\nignore = ['OLY104']\nexclude = ['inner/skipped.py']\n"
    )
    (inner / "pyproject.toml").write_text("[tool.olympus-lint]\nextend = '../base.toml'\n")
    text = REUSE.replace("key(0)", "PRNGKey(0)")
    (inner / "model.py").write_text(text)
    (inner / "skipped.py").write_text(text)
    shown = command(tmp_path, "--no-cache", "--output-format", "concise", "inner").stdout
    assert shown.count("OLY201") == 1 and "OLY104" not in shown and "skipped" not in shown
    (inner / "pyproject.toml").write_text("[tool.olympus-lint]\nextend = '../base.toml'\nextend-select = ['OLY104']\n")
    assert "OLY104" in command(tmp_path, "--no-cache", "--output-format", "concise", "inner").stdout
    for text, sentence in {
        "extend = 'base.toml'": "extends this file",
        "extend = 7": "expected the path",
        "extend = 'no.toml'": "cannot be read",
    }.items():
        (tmp_path / "base.toml").write_text(text + "\n")
        done = command(tmp_path, "inner")
        assert done.returncode == 2 and sentence in done.stderr
