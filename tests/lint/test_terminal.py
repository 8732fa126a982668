"""What a terminal sees: colours, a progress bar, and a pipe that closes early."""

from __future__ import annotations

import io
import os
import pty
import select
import subprocess
import sys
from pathlib import Path

import pytest
from programs import REUSE

from olympus_lint.commandline import progress
from olympus_lint.commandline.output import has_color

PROGRAM = Path(sys.executable).parent / "olympus-lint"
TIME_LIMIT = 60  # seconds


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "environment", "color"),
    [
        (Terminal(), {"TERM": "xterm"}, True),
        (Terminal(), {"TERM": "dumb"}, False),
        (Terminal(), {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (Terminal(), {"TERM": "xterm", "NO_COLOR": ""}, True),
        (io.StringIO(), {"TERM": "xterm"}, False),
    ],
)
def test_colours(monkeypatch, stream, environment, color):
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert has_color(stream) is color


def on_a_terminal(*arguments: str, **environment: str) -> str:
    leader, follower = pty.openpty()
    settings = {**os.environ, "TERM": "xterm", **environment}
    process = subprocess.Popen([PROGRAM, *arguments], stdout=follower, stderr=subprocess.DEVNULL, env=settings)
    os.close(follower)
    shown = read_terminal(leader)  # while it runs: a terminal that nobody reads makes its writer wait
    os.close(leader)
    process.wait(TIME_LIMIT)
    return shown


def read_terminal(leader: int) -> str:
    """Return what is written until nobody holds the other side; fail when nothing comes for too long."""
    pieces: list[bytes] = []
    while True:
        ready, _, _ = select.select([leader], [], [], TIME_LIMIT)
        assert ready, "the terminal was silent for too long"
        try:
            piece = os.read(leader, 4096)
        except OSError:  # how Linux says that the other side is closed
            piece = b""
        if not piece:
            return b"".join(pieces).decode()
        pieces.append(piece)


def test_a_terminal_gets_colours_unless_told_otherwise(project):
    Path("a.py").write_text(REUSE)
    assert "\x1b[" in on_a_terminal("a.py", NO_COLOR="")
    plain = on_a_terminal("a.py", NO_COLOR="1")
    assert "\x1b[" not in plain and "first consumed here" in plain
    assert "\x1b[" not in on_a_terminal("a.py", "--output-format", "json", NO_COLOR="")
    assert "\x1b[" in on_a_terminal("--explain", "OLY901", NO_COLOR="")


@pytest.mark.parametrize(
    ("stream", "patience", "bar"), [(Terminal, 0.0, True), (Terminal, 9.0, False), (io.StringIO, 0.0, False)]
)
def test_progress_bar_for_long_runs_on_a_terminal(monkeypatch, stream, patience, bar):
    stderr = stream()
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setattr(progress, "PATIENCE", patience)
    monkeypatch.setenv("TERM", "xterm")
    assert list(progress.track(iter(range(5)), 5)) == [0, 1, 2, 3, 4]
    assert ("Checking" in stderr.getvalue()) is bar


def test_no_items_and_no_bar(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert list(progress.track([], 0)) == []


def test_a_terminal_takes_more_than_its_buffer(project):
    Path("a.py").write_text("".join(REUSE.replace("def f", f"def f{n}") for n in range(200)))
    assert on_a_terminal("a.py", NO_COLOR="").count("OLY104") == 200


def test_a_closed_pipe_is_no_traceback(project):
    for n in range(300):
        Path(f"f{n}.py").write_text(REUSE)
    process = subprocess.Popen([PROGRAM, "."], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b"error: standard output was closed before the whole report was written.\n"
    process.stderr.close()
    assert process.wait(TIME_LIMIT) == 2  # 0 and 1 say that the report is there


def test_a_locale_without_the_characters_is_no_traceback(project):
    Path("é.py").write_text(REUSE.replace("return", "# 日本\n    return"), encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run([PROGRAM, "."], capture_output=True, env=environment, timeout=TIME_LIMIT)
    assert done.returncode == 1 and done.stderr == b""
    assert b"\\xe9.py:6:9: OLY104" in done.stdout
