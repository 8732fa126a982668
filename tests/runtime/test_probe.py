"""`olympus record --probe`: what compiled loops and branches consume, against the same program without compilation."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import olympus
from olympus.recording.eventfile import EventFile, Process, read_events

jax = pytest.importorskip(
    "jax", "0.9", reason="before, JAX does not send all calls of compiled functions through Python"
)

from olympus.recording import Recorder  # noqa: E402
from olympus.recording.probing import ProbingStream  # noqa: E402
from olympus.recording.stream import Stream  # noqa: E402

PRELUDE = "import jax, jax.numpy as jnp, numpy as np\nfrom jax import lax, random\n"


def run(text: str, recorder: Recorder, path: Path, **names: Any) -> None:
    path.write_text(PRELUDE + textwrap.dedent(text))
    with recorder:
        exec(compile(path.read_text(), str(path), "exec"), {"__name__": "program", **names})


@pytest.fixture
def events(tmp_path: Path) -> Iterator[Callable[..., EventFile]]:
    """Return a function that records a program, with the probe if nothing else is said."""
    number = iter(range(100))

    def record(text: str, kind: type[Stream] = ProbingStream) -> EventFile:
        path = tmp_path / f"program_{next(number)}.py"
        rows = path.with_suffix(".jsonl")
        recorder = kind(rows)
        run(text, recorder, path)
        recorder.finish()
        rows.write_text(f'{{"olympus":"events","format":1,"command":[]}}\n{rows.read_text()}{{"processes":1}}\n')
        found: EventFile = read_events(rows)
        assert found.damage is None
        return found

    yield record


@pytest.fixture
def stream(events: Callable[..., EventFile]) -> Callable[..., Process]:
    def one(text: str, kind: type[Stream] = ProbingStream) -> Process:
        found = events(text, kind)
        assert found.notes == []
        return found.processes[0]

    return one


# What happened, and no more than that.

PROGRAMS = {
    "refreshed every third turn": """
        def step(key, i):
            x = random.normal(key)
            return lax.cond(i % 3 == 2, lambda k: random.split(k)[0], lambda k: k, key), x
        lax.scan(step, random.key(0), jnp.arange(7))
    """,
    "refreshed in each turn that uses it": """
        def body(state):
            i, key, x = state
            def use(key):
                key, own = random.split(key)
                return key, random.normal(own)
            key, x = lax.cond(i % 2 == 0, use, lambda key: (key, x), key)
            return i + 1, key, x
        lax.while_loop(lambda state: state[0] < 5, body, (0, random.key(0), 0.0))
    """,
    "keys in rotation": """
        def body(i, state):
            keys, x = state
            return jnp.roll(keys, 1), x + random.normal(keys[0])
        jax.jit(lambda keys, n: lax.fori_loop(0, n, body, (keys, 0.0)))(random.split(random.key(0), 3), 5)
    """,
    "a key of a computed number": """
        keys = random.split(random.key(0), 4)
        lax.fori_loop(0, 6, lambda i, x: x + random.normal(keys[i * i % 4]), 0.0)
    """,
    "loops in loops": """
        def inner(key, i):
            key = lax.cond(i == 1, lambda k: random.fold_in(k, i), lambda k: k, key)
            return key, random.normal(key)
        def outer(key, i):
            own = random.fold_in(key, i // 2)
            return key, lax.scan(inner, own, jnp.arange(3))[1]
        lax.scan(outer, random.key(0), jnp.arange(4))
    """,
    "lanes that end at different times": """
        def wait(key):
            def body(state):
                key, x = state
                key, own = random.split(key)
                return key, random.uniform(own)
            return lax.while_loop(lambda state: state[1] < 0.7, body, (key, 0.0))
        each(wait, random.split(random.key(0), 4))
    """,
    "lanes that branch": """
        def walk(key):
            def step(state, i):
                key, x = state
                def use(key):
                    key, own = random.split(key)
                    return key, random.normal(own)
                key, x = lax.cond(x < 0.3, use, lambda key: (random.fold_in(key, i), 0.0), key)
                return (key, x), x
            return lax.scan(step, (key, 0.0), jnp.arange(4))
        each(walk, random.split(random.key(0), 3))
    """,
    "a step that is called three times": """
        @jax.jit
        def step(key, refresh):
            x = random.normal(key)
            return lax.cond(refresh, lambda k: random.split(k)[1], lambda k: k, random.fold_in(key, 1)), x
        key = random.key(0)
        for refresh in (True, False, True):
            key, _ = step(key, refresh)
    """,
    "the condition of a loop draws": """
        def test(state):
            key, i = state
            return (random.uniform(random.fold_in(key, i // 2)) < 2) & (i < 5)
        lax.while_loop(test, lambda state: (state[0], state[1] + 1), (random.key(0), 0))
    """,
    "one of three branches": """
        def body(i, x):
            draws = [lambda k: random.normal(k), lambda k: random.uniform(k), lambda k: 0.0]
            return x + lax.switch(i % 3, draws, random.fold_in(random.wrap_key_data(words), i // 3))
        words = random.key_data(random.key(3))
        jax.jit(lambda n: lax.fori_loop(0, n, body, 0.0))(7)
    """,
}


class Probing(ProbingStream):
    """One that keeps its events."""

    def happened(self, event: Any) -> None:
        self.events.append(event)
        super().happened(event)


def consumed(recorder: Recorder) -> Counter[tuple[int, bytes]]:
    """Return how often each line has consumed which words."""
    draws = [event for event in recorder.events if event.kind in ("draw", "split")]
    assert all(event.keys for event in draws)
    return Counter((event.chain[0].line, key.words) for event in draws for key in event.keys)


@pytest.mark.parametrize("name", PROGRAMS)
def test_all_words_are_those_of_the_program_without_compilation(name: str, tmp_path: Path):
    expected, found = Recorder(), Probing(tmp_path / "rows.jsonl")
    with jax.disable_jit():
        run(PROGRAMS[name], expected, tmp_path / "program.py", each=lambda f, keys: [f(key) for key in keys])
    run(PROGRAMS[name], found, tmp_path / "program.py", each=lambda f, keys: jax.vmap(f)(keys))
    assert consumed(found) == consumed(expected) != Counter()
    assert found.unfollowed == []


# What is reported.


def reuses(process: Process) -> list[tuple[str, str, tuple[tuple[int, ...], ...]]]:
    """Return the repeats: the names of both places, and their turns."""
    names = process.sites
    return [
        (names[pair.first].name, names[pair.second].name, pair.at) for pair in process.pairs if pair.kind == "reuse"
    ]


REFRESHED = """
    def step(key, i):
        return lax.cond(REFRESH, lambda k: random.fold_in(k, i), lambda k: k, key), random.normal(key)
    lax.scan(step, random.key(0), jnp.arange(4))
"""


def test_a_repeat_that_happened_has_its_words_and_turns(stream: Callable[..., Process]):
    process = stream(REFRESHED.replace("REFRESH", "i != 2"))
    assert reuses(process) == [("normal", "normal", ((2,), (3,)))]
    (pair,) = (pair for pair in process.pairs if pair.kind == "reuse")
    key = jax.random.fold_in(jax.random.fold_in(jax.random.key(0), 0), 1)
    assert pair.words == tuple(jax.random.key_data(key).tolist())
    assert (pair.device, pair.maybe) == ("cpu:0", False)
    assert process.probed


def test_a_repeat_that_did_not_happen_is_not_reported(stream: Callable[..., Process]):
    process = stream(REFRESHED.replace("REFRESH", "i >= 0"))
    assert reuses(process) == []
    assert not process.unknown
    assert [(process.sites[site].name, times) for site, times in process.times.items()] == [("normal", (4, 4))]


def test_without_the_probe_it_is_not_known(stream: Callable[..., Process]):
    process = stream(REFRESHED.replace("REFRESH", "i != 2"), Stream)
    assert reuses(process) == []
    assert [process.sites[site].name for site in process.unknown] == ["normal"]


ONCE = """
    key = random.key(0)
    lax.while_loop(lambda i: i < TURNS, lambda i: i + random.randint(key, (), 1, 2), 0)
"""


@pytest.mark.parametrize(
    ("turns", "kind", "maybe"), [(1, ProbingStream, []), (2, ProbingStream, [False]), (1, Stream, [True])]
)
def test_a_loop_of_one_turn_repeats_nothing(
    turns: int, kind: type[Stream], maybe: list[bool], stream: Callable[..., Process]
):
    process = stream(ONCE.replace("TURNS", str(turns)), kind)
    assert [pair.maybe for pair in process.pairs if pair.kind == "reuse"] == maybe


def test_a_repeat_between_two_calls(stream: Callable[..., Process]):
    process = stream("""
        @jax.jit
        def f(key, draw):
            return lax.cond(draw, random.normal, lambda key: 0.0, key)
        key = random.key(0)
        f(key, True), f(key, False)
        random.uniform(key)
        f(key, False)
    """)
    assert reuses(process) == [("normal", "uniform", ((), ()))]


def test_what_comes_of_a_repeated_split_is_not_reported_as_well(stream: Callable[..., Process]):
    process = stream("""
        def step(state, i):
            key, x = state
            next, own = random.split(key)
            return (lax.cond(i == 1, lambda: key, lambda: next), x + random.normal(own)), None
        lax.scan(step, (random.key(0), 0.0), jnp.arange(5))
    """)
    assert reuses(process) == [("split", "split", ((1,), (2,)))]


def test_results_that_are_dropped_consume_nothing(stream: Callable[..., Process]):
    process = stream("""
        def step(state, _):
            key, x, done = state
            new, own = random.split(key)
            y = x + random.uniform(own, (2,))
            key = jnp.where(done, key, new)
            x = jnp.where(jnp.broadcast_to(~done, (2,)), y, x)
            return (key, x, done | (x > 1).any()), x
        lax.scan(step, (random.key(0), jnp.zeros(2), False), None, length=12)
    """)
    assert reuses(process) == []
    (times,) = set(process.times.values())
    assert times[0] == times[1] < 12


def test_two_ways_to_one_key_in_a_loop_are_a_collision(stream: Callable[..., Process]):
    process = stream("""
        def body(i, state):
            key, x = state
            x = x + random.normal(random.split(key, 3)[1]) + random.uniform(random.fold_in(key, i))
            return lax.cond(i >= 0, lambda k: random.fold_in(k, 7), lambda k: k, key), x
        jax.jit(lambda n: lax.fori_loop(1, n, body, (random.key(0), 0.0)))(2)
    """)
    kinds = [(pair.kind, pair.at) for pair in process.pairs if pair.kind in ("reuse", "collision")]
    assert kinds == [("collision", ((0,), (0,)))]


def test_keys_of_two_seedings_with_one_number(stream: Callable[..., Process]):
    process = stream("""
        def walk(key):
            return lax.scan(lambda key, i: (lax.cond(i > 0, lambda k: random.fold_in(k, i), lambda k: k, key),
                                            random.normal(random.fold_in(key, i))), key, jnp.arange(3))
        walk(random.key(0)), walk(random.key(0))
    """)
    assert reuses(process) == []
    assert not process.unknown


def test_rows_without_room_make_a_site_unknown(stream: Callable[..., Process], monkeypatch: pytest.MonkeyPatch):
    from olympus.recording import probe

    monkeypatch.setattr(probe, "ROWS", 3)
    process = stream(REFRESHED.replace("REFRESH", "i >= 0"))
    assert [process.sites[site].name for site in process.unknown] == ["normal"]


# The program is as without it.

EFFECTS = """
    def step(state, i):
        key, x = state
        jax.debug.print("turn {}", i)
        key, own = lax.cond(i % 2 == 0, lambda k: tuple(random.split(k)), lambda k: (k, random.fold_in(k, i)), key)
        return (key, jnp.sin(x) + random.normal(own)), x
    f = jax.jit(lambda key, x: lax.scan(step, (key, x), jnp.arange(4)), donate_argnums=(0, 1))
    (key, x), rows = f(random.key(0), jnp.float32(0.5))
    jax.effects_barrier()
    print(random.key_data(key), np.asarray(x).tobytes().hex(), np.asarray(rows).tobytes().hex())
"""


def test_output_and_numbers_are_those_of_the_program(stream: Callable[..., Process], capfd: pytest.CaptureFixture[str]):
    said = []
    for kind in (Stream, ProbingStream):
        process = stream(EFFECTS, kind)
        said.append(capfd.readouterr().out)
    assert said[0] == said[1]
    assert said[0].count("turn") == 4
    assert process.probed and not process.unknown


@pytest.mark.parametrize(
    ("inside", "reason"),
    [
        pytest.param("io_callback(lambda: calls.append(1), None)", "`io_callback` in it has effects", id="effects"),
        pytest.param("random.clone(key)", "equal on purpose", id="clone"),
        pytest.param("random.key(3)", "equal on purpose", id="seed"),
    ],
)
def test_what_cannot_be_executed_twice_is_executed_once_and_named(
    inside: str, reason: str, events: Callable[..., EventFile]
):
    found = events(f"""
        from jax.experimental import io_callback
        calls = []
        def step(key, i):
            {inside}
            return lax.cond(i > 1, lambda k: random.fold_in(k, i), lambda k: k, key), random.normal(key)
        lax.scan(step, random.key(0), jnp.arange(3))
        jax.effects_barrier()
        assert len(calls) in (0, 3)
    """)
    (note,) = found.notes
    assert reason in note
    assert [found.processes[0].sites[site].name for site in found.processes[0].unknown] == ["normal"]


def test_a_callback_that_keys_do_not_depend_on_is_called_once(stream: Callable[..., Process]):
    process = stream("""
        calls = []
        def look(x):
            calls.append(1)
            return x
        def step(state, i):
            key, x = state
            x = jax.pure_callback(look, jax.ShapeDtypeStruct((), jnp.float32), x) + random.normal(key)
            return (lax.cond(i > 5, lambda k: random.fold_in(k, i), lambda k: k, key), x), None
        lax.scan(step, (random.key(0), jnp.float32(0)), jnp.arange(3))
        assert len(calls) == 3, calls
    """)
    assert reuses(process) == [("normal", "normal", ((0,), (1,)))]


def test_the_option_reaches_the_processes_of_the_command(tmp_path: Path):
    (tmp_path / "train.py").write_text(PRELUDE + textwrap.dedent(REFRESHED.replace("REFRESH", "i != 2")))
    start = f"import sys; sys.path.insert(0, {str(Path(olympus.__file__).parents[1])!r}); "
    start += "from olympus.__main__ import main; sys.exit(main())"
    command = [sys.executable, "-c", start, "record", "--probe", "--", sys.executable, "train.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    (process,) = read_events(tmp_path / "events.jsonl").processes
    assert process.probed
    assert [at for _, _, at in reuses(process)] == [((2,), (3,))]
