"""What a terminal sees: colours, a progress bar, and a pipe that closes early."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from programs import REUSE

from olympus_lint import progress
from olympus_lint.output import has_color

PROGRAM = Path(sys.executable).parent / "olympus-lint"


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
    shown = b""
    while chunk := read_chunk(leader):  # a terminal holds little: whoever does not read it stops the writer
        shown += chunk
    os.close(leader)
    process.wait(timeout=60)
    return shown.decode()


def read_chunk(leader: int) -> bytes:
    try:
        return os.read(leader, 100_000)
    except OSError:  # Linux says so when the other end is closed
        return b""


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


def test_a_closed_pipe_is_no_traceback(project):
    for n in range(300):
        Path(f"f{n}.py").write_text(REUSE)
    process = subprocess.Popen([PROGRAM, "."], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 1


def test_a_locale_without_the_characters_is_no_traceback(project):
    Path("é.py").write_text(REUSE.replace("return", "# 日本\n    return"), encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run([PROGRAM, "."], capture_output=True, env=environment)
    assert done.returncode == 1 and done.stderr == b""
    assert b"\\xe9.py:6:9: OLY104" in done.stdout
