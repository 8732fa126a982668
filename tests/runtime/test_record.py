"""`olympus record`: the command is as without it, and the file has what its processes did with keys."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import olympus
from olympus.recording.eventfile import EventFile, Process, read_events

needs_jax = pytest.mark.skipif(find_spec("jax") is None, reason="the command uses JAX")

SOURCE = str(Path(olympus.__file__).parents[1])
# The command has neither olympus nor anything of this repository on its path.
START = f"import sys; sys.path.insert(0, {SOURCE!r}); from olympus.__main__ import main; sys.exit(main())"
NOTE = b"note: no process of the command imported JAX under the recorder"
FAKE_JAX = "__version__ = '0.0'\nprint('this is not JAX')\n"


def record(
    *command: str, folder: Path, options: tuple[str, ...] = (), **environment: str
) -> subprocess.CompletedProcess[bytes]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHONPATH", "OLYMPUS"))}
    return subprocess.run(
        [sys.executable, "-c", START, "record", *options, "--", *command],
        cwd=folder,
        env=inherited | environment,
        capture_output=True,
        check=False,
        timeout=120,
    )


def python(text: str) -> list[str]:
    return [sys.executable, "-c", textwrap.dedent(text)]


# The command is as without the recorder.


@pytest.mark.parametrize("status", [0, 1, 2, 5, 126, 255])
def test_the_exit_status_is_that_of_the_command(status: int, tmp_path: Path):
    assert record("sh", "-c", f"exit {status}", folder=tmp_path).returncode == status


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV, signal.SIGINT])
def test_it_ends_by_the_signal_that_ended_the_command(number: signal.Signals, tmp_path: Path):
    done = record(*python(f"import os; os.kill(os.getpid(), {int(number)})"), folder=tmp_path)
    assert done.returncode == -number
    assert read_events(tmp_path / "events.jsonl").processes == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1])
def test_signals_come_to_the_command(number: signal.Signals, tmp_path: Path):
    program = f"""
        import signal, sys
        signal.signal({int(number)}, lambda *_: (print("got it", flush=True), sys.exit(7)))
        print("ready", flush=True)
        signal.pause()
    """
    command = [sys.executable, "-c", START, "record", "--", *python(program)]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(number)
        assert process.stdout.read() == b"got it\n"
    assert process.returncode == 7


def test_an_interrupt_at_the_terminal_is_the_commands_to_handle(tmp_path: Path):
    program = """
        import time
        try:
            print("ready", flush=True)
            time.sleep(60)
        except KeyboardInterrupt:
            print("cleaned up", flush=True)
            raise SystemExit(3)
    """
    command = [sys.executable, "-c", START, "record", "--", *python(program)]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        os.killpg(process.pid, signal.SIGINT)
        assert process.stdout.read() == b"cleaned up\n"
    assert process.returncode == 3
    assert (tmp_path / "events.jsonl").exists()


def test_input_and_output_go_through_byte_by_byte(tmp_path: Path):
    program = "import sys; sys.stdout.buffer.write(bytes(range(256))); sys.stderr.buffer.write(b'\\xff\\x00\\r\\n')"
    done = record(sys.executable, "-c", program, folder=tmp_path)
    assert done.stdout == bytes(range(256))
    assert done.stderr.startswith(b"\xff\x00\r\n" + NOTE)


def test_the_users_own_sitecustomize_is_executed_in_its_place(tmp_path: Path):
    (tmp_path / "sitecustomize.py").write_text("marker = 'mine'\n")
    program = """
        import sys, sitecustomize
        ours = [path for path in sys.path if "olympus" in path]
        print(sitecustomize.marker, sitecustomize.__file__, ours, "olympus" in sys.modules)
    """
    done = record(*python(program), folder=tmp_path, PYTHONPATH=str(tmp_path))
    assert done.stdout.decode() == f"mine {tmp_path}/sitecustomize.py [] False\n"


def test_a_sitecustomize_that_fails_is_reported_by_python_as_ever(tmp_path: Path):
    (tmp_path / "sitecustomize.py").write_text("1 / 0\n")
    done = record(*python("print('on it goes')"), folder=tmp_path, PYTHONPATH=str(tmp_path))
    assert done.stdout == b"on it goes\n"
    assert b"ZeroDivisionError" in done.stderr


def test_a_recorder_that_cannot_start_leaves_the_program_alone(tmp_path: Path):
    (tmp_path / "jax.py").write_text(FAKE_JAX.replace("0.0", "99.0"))
    done = record(*python("import jax; print(jax.__version__)"), folder=tmp_path, PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stdout) == (0, b"this is not JAX\n99.0\n")
    assert "the recorder failed with" in read_events(tmp_path / "events.jsonl").notes[0]


def test_a_jax_that_is_too_old_is_a_note(tmp_path: Path):
    (tmp_path / "jax.py").write_text(FAKE_JAX)
    done = record(*python("import jax; print(jax.__version__)"), folder=tmp_path, PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stdout) == (0, b"this is not JAX\n0.0\n")
    (note,) = read_events(tmp_path / "events.jsonl").notes
    assert note == "JAX 0.0 is too old for olympus, which needs 0.6.2 or later: the program was not recorded"


def test_a_process_that_outlives_the_command_goes_on(tmp_path: Path):
    (tmp_path / "jax.py").write_text(FAKE_JAX)
    package = Path(olympus.__file__).parent
    environment = {
        "PYTHONPATH": os.pathsep.join([str(package / "recording" / "startup"), str(tmp_path)]),
        "OLYMPUS_RECORD_SOURCE": str(package),
        "OLYMPUS_RECORD_FOLDER": str(tmp_path / "gone"),
    }
    command = python("import jax; print(jax.__version__)")
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"this is not JAX\n0.0\n", b"")


def test_another_module_of_the_name_olympus_is_left_alone(tmp_path: Path):
    (tmp_path / "jax.py").write_text(FAKE_JAX)
    (tmp_path / "olympus.py").write_text("mine = True\n")
    done = record(*python("import jax, olympus; print(olympus.mine)"), folder=tmp_path, PYTHONPATH=str(tmp_path))
    assert done.stdout.endswith(b"True\n")
    assert "another module of the name olympus" in read_events(tmp_path / "events.jsonl").notes[0]


def test_a_command_without_jax_gives_an_empty_record_and_a_note(tmp_path: Path):
    done = record(*python("print(1)"), folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, b"1\n")
    assert done.stderr.startswith(NOTE)
    events = read_events(tmp_path / "events.jsonl")
    assert (events.processes, events.damage) == ([], None)


# What is given wrongly.


def test_a_command_that_does_not_exist(tmp_path: Path):
    done = record("no-such-command", folder=tmp_path)
    assert (done.returncode, done.stderr) == (127, b"error: no-such-command: command not found\n")


def test_a_command_that_cannot_be_executed(tmp_path: Path):
    (tmp_path / "text").write_text("no program")
    done = record(str(tmp_path / "text"), folder=tmp_path)
    assert done.returncode == 126
    assert b"Permission denied" in done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        pytest.param((), b"there is no command to run", id="no command"),
        pytest.param(("-o", "no/such/events.jsonl"), b"its folder does not exist", id="no folder"),
        pytest.param(("-o", "train.py"), b"holds something other than events", id="a file of the user's"),
        pytest.param(("-o", "."), b"cannot be written", id="a folder"),
    ],
)
def test_what_cannot_be_written_is_said_before_the_command_runs(options: tuple[str, ...], said: bytes, tmp_path: Path):
    (tmp_path / "train.py").write_text("open('ran', 'w')\n")
    command = [sys.executable, "train.py"] if options else []
    done = record(*command, folder=tmp_path, options=options)
    assert done.returncode == 2
    assert said in done.stderr
    assert not (tmp_path / "ran").exists()
    assert (tmp_path / "train.py").read_text() == "open('ran', 'w')\n"


def test_an_earlier_record_is_overwritten(tmp_path: Path):
    for _ in range(2):
        assert record("true", folder=tmp_path).returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == ["events.jsonl"]


# What is recorded, in whole programs.

CHILDREN = """\
import multiprocessing, os, subprocess, sys

def consume(seed):
    from jax import random
    key = random.key(seed)
    random.bits(key), random.bits(key)

if __name__ == "__main__":
    if sys.argv[1:] == ["child"]:
        consume(1)
        os._exit(9)  # nothing is done at the end
    child = subprocess.Popen([sys.executable, __file__, "child"])
    spawned = multiprocessing.get_context("spawn").Process(target=consume, args=(2,))
    spawned.start()
    forked = os.fork()
    if forked == 0:
        consume(3)
        os._exit(0)
    consume(4)
    late = os.fork()
    if late == 0:
        os._exit(0)
    os.waitpid(forked, 0), os.waitpid(late, 0), spawned.join()
    print(child.wait())
    os.abort()
"""


@needs_jax
def test_each_process_is_recorded_up_to_where_it_ends(tmp_path: Path):
    (tmp_path / "train.py").write_text(CHILDREN)
    done = record(sys.executable, "train.py", folder=tmp_path)
    assert (done.returncode, done.stdout) == (-signal.SIGABRT, b"9\n")
    events = read_events(tmp_path / "events.jsonl")
    assert (events.damage, events.notes) == (None, [])
    assert sorted(pair.key for process in events.processes for pair in process.pairs) == [
        f"key({seed})" for seed in (1, 2, 3, 4)
    ]
    assert len(events.processes) == 5  # with the late one, which consumed nothing
    assert [process.finished for process in events.processes].count(True) == 1  # the one that was spawned


TESTS = """\
import jax, pytest
from jax import random

@jax.jit
def step(key):
    return random.normal(key)

@pytest.mark.parametrize("n", range(4))
def test_seeds(n):
    step(random.key(0))

def test_reuse():
    key = random.key(0)
    step(key)
    step(key)

def test_fails():
    assert random.normal(random.key(0)) == 100
"""


@needs_jax
@pytest.mark.search
def test_a_test_suite_in_two_processes(tmp_path: Path):
    (tmp_path / "test_it.py").write_text(TESTS)
    done = record(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "2", folder=tmp_path)
    assert done.returncode == 1
    assert b"1 failed, 5 passed" in done.stdout
    assert b"olympus" not in done.stderr  # xdist interrupts its workers at the end, and what they collect may say so
    events = read_events(tmp_path / "events.jsonl")
    pairs = [(process, pair) for process in events.processes for pair in process.pairs if pair.kind == "reuse"]
    ((process, pair),) = pairs
    assert [process.sites[n].chain[1].line for n in (pair.first, pair.second)] == [14, 15]
    assert (pair.key, pair.words, pair.device) == ("key(0)", (0, 0), "cpu:0")


# What one process writes.


@pytest.fixture
def stream(tmp_path: Path) -> Iterator[Callable[..., Process]]:
    """Return a function that records what a program does."""
    pytest.importorskip("jax", "0.9")
    from olympus.recording.stream import Stream

    number = iter(range(100))

    def run(text: str, **names: Any) -> Process:
        path = tmp_path / f"program_{next(number)}.py"
        path.write_text("import jax\nfrom jax import lax, random\n" + textwrap.dedent(text))
        code = compile(path.read_text(), str(path), "exec")
        rows = path.with_suffix(".jsonl")
        recorder = Stream(rows)
        with recorder:
            exec(code, {"__name__": "program"} | names)
        recorder.finish()
        head, tail = '{"olympus":"events","format":1,"command":[]}\n', '{"processes":1}\n'
        rows.write_text(head + rows.read_text() + tail)
        events: EventFile = read_events(rows)
        assert (events.damage, events.notes, len(events.processes)) == (None, [], 1)
        return events.processes[0]

    yield run


def kinds(process: Process) -> list[tuple[str, str, str]]:
    return [(pair.kind, process.sites[pair.first].name, process.sites[pair.second].name) for pair in process.pairs]


def test_all_pairs_of_consumers_of_one_key_are_told(stream: Callable[..., Process]):
    process = stream("k = random.key(0)\nrandom.normal(k)\nrandom.bits(k)\nrandom.split(k)")
    assert kinds(process) == [("reuse", "normal", "bits"), ("reuse", "normal", "split"), ("reuse", "bits", "split")]


def test_a_misuse_inside_of_a_compiled_function_has_the_words_of_its_key(stream: Callable[..., Process]):
    process = stream(
        "@jax.jit\ndef f(k):\n    return random.normal(k), random.bits(k)\nfor n in (5, 6):\n    f(random.key(n))"
    )
    assert kinds(process) == [("reuse", "normal", "bits")]
    assert process.pairs[0].words == (0, 5)


def test_two_makers_of_one_key_are_told_though_it_is_not_consumed(stream: Callable[..., Process]):
    process = stream("k = random.key(0)\na = random.fold_in(k, 1)\nb = random.split(k)[1]")
    assert kinds(process) == [("derived", "fold_in", "split")]


def test_keys_of_equal_words_from_two_seedings_are_no_misuse(stream: Callable[..., Process]):
    process = stream("random.normal(random.key(0))\nrandom.normal(random.key(0))")
    assert kinds(process) == [("words", "normal", "normal")]


ALIKE = """
import numpy as np
for _ in 0, 1:
    key = random.key(0)
random.normal(random.wrap_key_data(np.asarray(random.key_data(key))))
"""


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        pytest.param("random.normal(random.key(0))", 0, id="known"),
        pytest.param("with allowed():\n    random.normal(random.key(0))", 1, id="allowed on purpose"),
        pytest.param("@jax.jit\ndef f(k):\n    return random.normal(k)\nf(random.key(0))", 0, id="inside"),
        pytest.param("jax.jit(lambda k, n: random.bits(random.split(k)[n]))(random.key(0), 1)", 1, id="which child"),
        pytest.param(ALIKE, 1, id="of two seedings"),
    ],
)
def test_where_it_is_not_known_which_key_is_consumed(text: str, unknown: int, stream: Callable[..., Process]):
    assert len(stream(text, allowed=olympus.reuse_allowed).unknown) == unknown


@pytest.mark.parametrize(
    ("calls", "together"),
    [
        pytest.param("f(0, 1)", True, id="one call"),
        pytest.param("f(0)\nf(1)", False, id="two calls"),
        pytest.param("for n in 1, 0:\n    f(n)", False, id="two calls in a loop, backwards"),
        pytest.param("jax.jit(f, static_argnums=(0, 1))(0, 1)", True, id="compiled"),
    ],
)
def test_which_places_one_call_has_come_to(calls: str, together: bool, stream: Callable[..., Process]):
    process = stream(
        f"def f(*which):\n"
        f"    if 0 in which:\n        random.normal(random.key(1))\n"
        f"    if 1 in which:\n        random.normal(random.key(2))\n"
        f"{calls}"
    )
    groups = [{span.line for span in group} for group in process.together]
    assert any({5, 7} <= group for group in groups) is together


def test_memory_is_bounded(stream: Callable[..., Process], monkeypatch: pytest.MonkeyPatch):
    from olympus.recording import stream as module

    monkeypatch.setattr(module, "KEYS", 100)
    many = "key = random.key(0)\nfor n in range(300):\n    random.bits(random.fold_in(key, n))\n"
    process = stream(f"{many}random.bits(random.fold_in(key, 299))\nrandom.bits(random.fold_in(key, 1))")
    assert len([pair for pair in process.pairs if pair.kind == "reuse"]) == 1  # the key that was consumed last
    assert sorted(process.times.values()) == [(1, 0), (1, 1), (300, 300)]


def test_the_file_does_not_grow_with_what_is_repeated(stream: Callable[..., Process], tmp_path: Path):
    sizes = []
    for turns in (3, 300):
        process = stream(f"for n in range({turns}):\n    random.bits(random.key(n))")
        assert max(process.times.values()) == (turns, turns)
        sizes.append(max(path.stat().st_size for path in tmp_path.glob("*.jsonl")))
    assert sizes[1] - sizes[0] < 100


def test_rows_are_written_when_they_are_first_known(tmp_path: Path):
    pytest.importorskip("jax", "0.9")
    from jax import random

    from olympus.recording.stream import Stream

    path = tmp_path / "events.jsonl"
    recorder = Stream(path)
    with recorder:
        key = random.key(0)
        random.normal(key)
        assert "site" in path.read_text()
        random.normal(key)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert [row["kind"] for row in rows if "pair" in row] == ["reuse"]


@pytest.mark.parametrize(
    ("body", "arguments", "words"),
    [
        pytest.param("random.normal(k), random.bits(k)", "random.key(5)", [0, 5], id="argument"),
        pytest.param(
            "(lambda c: (random.normal(c), random.bits(c)))(random.split(k)[1])", "random.key(0)", None, id="split"
        ),
        pytest.param(
            "(lambda c: (random.bits(c), random.bits(c)))(random.fold_in(k, n + 1))", "random.key(0)", None, id="fold"
        ),
        pytest.param("(lambda c: (random.bits(c), random.bits(c)))(random.key(7))", "random.key(0)", [0, 7], id="seed"),
        pytest.param(
            "(lambda c: (random.bits(c), random.bits(c)))(random.clone(k))", "random.PRNGKey(9)", [0, 9], id="raw"
        ),
        pytest.param("(lambda c: (random.bits(c), random.bits(c)))(kept)", "random.key(0)", [0, 4], id="constant"),
    ],
)
def test_words_of_keys_that_are_derived_inside(
    body: str, arguments: str, words: list[int] | None, stream: Callable[..., Process]
):
    process = stream(f"kept = random.key(4)\n@jax.jit\ndef f(k, n):\n    return {body}\nf({arguments}, 0)")
    (pair,) = (pair for pair in process.pairs if pair.kind == "reuse")
    if words is None:  # split(key)[1] is fold_in(key, 1)
        words = [928981903, 3453687069]
    assert (list(pair.words), pair.device) == (words, "cpu:0")
