"""What the command has started ends with it, however it ends."""

from __future__ import annotations

import multiprocessing
import os
import signal
import struct
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from programs import REUSE
from searches import each_once

from olympus_lint.project.discovery import SourceFile
from olympus_lint.project.settings import Settings
from olympus_lint.run.context import Mode
from olympus_lint.run.processes import abandon
from olympus_lint.run.runner import check_files
from olympus_lint.tracing.remains import below, end

PROGRAM = Path(sys.executable).parent / "olympus-lint"
TIME_LIMIT = 60  # seconds

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="children are looked for in /proc")


def alive(pids: list[int]) -> list[int]:
    """Return the processes that live; one that nobody has waited for is a zombie."""
    found = []
    for pid in pids:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        found += [pid] if state != "Z" else []
    return found


def children_of(pid: int, number: int) -> list[int]:
    """Return the children of a process as soon as it has some."""
    until = time.monotonic() + TIME_LIMIT
    while len(found := below(pid)) < number:
        assert time.monotonic() < until, "it starts no processes"
        time.sleep(0.02)
    return found


def wait_for_end(pids: list[int]) -> list[int]:
    """Return which of some processes live for long, and kill them."""
    until = time.monotonic() + TIME_LIMIT
    while (left := alive(pids)) and time.monotonic() < until:
        time.sleep(0.05)
    end(left)
    return left


def much_to_do() -> None:
    heavy = "".join(REUSE.replace("def f", f"def f{n}") for n in range(400))
    for n in range(24):
        Path(f"heavy{n}.py").write_text(heavy)


@pytest.mark.parametrize(
    ("number", "options"),
    each_once([signal.SIGTERM, signal.SIGHUP, signal.SIGKILL, signal.SIGINT], [[], ["--fix", "--unsafe-fixes"]]),
)
def test_processes_of_a_pool_end_with_their_parent(project, number, options):
    much_to_do()
    command = [PROGRAM, "--jobs", "3", "--no-cache", *options, "."]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    children = children_of(running.pid, 3)
    time.sleep(0.5)
    running.send_signal(number)
    out, err = running.communicate(timeout=TIME_LIMIT)
    assert wait_for_end(children) == []
    assert running.returncode == (130 if number == signal.SIGINT else -number)
    assert b"Traceback" not in err and out == b""


def test_a_whole_group_that_is_interrupted_says_nothing(project):
    much_to_do()
    command = [PROGRAM, "--jobs", "3", "--no-cache", "."]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    children = children_of(running.pid, 3)
    time.sleep(0.5)
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does
    assert running.communicate(timeout=TIME_LIMIT) == (b"", b"")
    assert wait_for_end(children) == [] and running.returncode == 130


def test_a_process_of_the_pool_that_dies_is_told(project):
    much_to_do()
    command = [PROGRAM, "--jobs", "3", "--no-cache", "--output-format", "concise", "."]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    children = children_of(running.pid, 5)  # the server that starts the others, and the tracker of its resources
    time.sleep(0.5)
    os.kill(max(children), signal.SIGKILL)
    out, err = running.communicate(timeout=TIME_LIMIT)
    assert running.returncode == 2 and "Traceback" not in err
    lines = err.splitlines()
    assert lines and all("was not checked: a process that checks files died; try --jobs 1." in line for line in lines)
    checked = {line.partition(":")[0] for line in out.splitlines() if "OLY104" in line}
    assert len(checked) + len(lines) == 24


def test_a_run_that_nobody_finishes_leaves_no_processes(project):
    much_to_do()
    results = check_files([SourceFile(f"heavy{n}.py", Settings()) for n in range(24)], Mode.CHECK, 3)
    next(results)
    children = [process.pid for process in multiprocessing.active_children()]
    assert len(children) == 3
    results.close()
    assert wait_for_end(children) == []


@pytest.mark.timeout(100)
def test_a_process_that_is_killed_while_it_sends_leaves_nobody_waiting():
    pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))
    pool.submit(time.sleep, 1000)
    pool._result_queue._writer._send(struct.pack("!i", 1000) + b"the beginning")
    time.sleep(1.0)  # the pool's thread reads
    abandon(pool)
    pool.shutdown(cancel_futures=True)


def test_signals_that_are_ignored_stay_so(project):
    Path("a.py").write_text(REUSE)
    ignoring = (
        "import os, signal, sys; signal.signal(signal.SIGHUP, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])"
    )
    command = [sys.executable, "-c", ignoring, PROGRAM, "-"]
    running = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    time.sleep(1.0)
    running.send_signal(signal.SIGHUP)
    out, _ = running.communicate(REUSE, timeout=TIME_LIMIT)
    assert running.returncode == 1 and "OLY104" in out


def test_the_command_leaves_signals_as_they_were(project, run):
    Path("a.py").write_text(REUSE)
    run("a.py")
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


SLEEPS = """\
import struct
import subprocess
import jax

subprocess.Popen(["sleep", "{seconds}"])
while True:
    pass


def f(key):
    return jax.random.normal(key) + jax.random.normal(key)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_worker_that_traces_ends_with_its_parent(project, number):
    pytest.importorskip("jax")
    Path("a.py").write_text(SLEEPS.replace("{seconds}", f"1000.{os.getpid()}"))
    command = [PROGRAM, "--trace", "--trace-import", "--no-cache", "a.py"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    children = children_of(running.pid, 2)  # the worker, and what the file starts
    running.send_signal(number)
    running.communicate(timeout=TIME_LIMIT)
    assert wait_for_end(children) == []
    assert running.returncode == -number
