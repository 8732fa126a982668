from __future__ import annotations

import random
import runpy
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import jax
import mutants
import pytest
from jax.errors import KeyReuseError
from mutation.change import Mutant
from mutation.draws import Project
from mutation.hiding import WAYS
from searches import numbers

PROGRAM = """
from typing import NamedTuple

import jax
from jax import lax
from jax import random as jr


def noise(key, scale):
    return scale * jr.normal(key)


def again(key):
    one, two = jax.random.split(key)
    first = jr.normal(one)
    if True:
        return first, jr.normal(
            two,
        )


def calls(key):
    one, two = jr.split(key)
    first = noise(one, 1.0)
    return first, noise(two, scale=1.0)


def kept(key):
    key, sub = jr.split(key)
    first = jr.normal(sub, shape=())
    key, sub = jr.split(key)
    return first, jr.normal(sub, ())


def loop(key):
    found = []
    for _ in range(2):
        key, sub = jr.split(key)
        found.append(jr.normal(sub))
    return found


def several(key):
    found = []
    for _ in range(2):
        key, sub, _ = jr.split(key, 3)
        found.append(jr.normal(sub))
    return found


def constant(key):
    found = []
    for i in range(2):
        sub = jr.fold_in(key, i)
        found.append(jr.normal(sub))
    return found


def scanned(key):
    def body(state, _):
        total, key = state
        key, sub = jr.split(key)
        value = jr.normal(sub)
        return (total + value, key), value

    return lax.scan(body, (0.0, key), None, length=2)[1].tolist()


def counted(key):
    def body(i, state):
        key, found = state
        key, sub = jr.split(key)
        found = found.at[i].set(jr.normal(sub))
        return key, found

    return lax.fori_loop(0, 2, body, (key, jax.numpy.zeros(2)))[1].tolist()


class Agent:
    def __init__(self, key):
        self.key = key

    def noise(self, key):
        return jr.normal(key)

    def sample(self):
        self.key, sub = jr.split(self.key)
        return jr.normal(sub)

    def pair(self, key):
        one, two = jr.split(key)
        first = jr.normal(one, ())
        second = jr.normal(two, ())
        return first, second

    def called(self, key):
        one, two = jr.split(key)
        return self.noise(one), self.noise(two)

    def both(self, key):
        one, two = jr.split(key)
        first = self.noise(one)
        return first, self.noise(two)


class State(NamedTuple):
    value: jax.Array
    key: jax.Array

    def replace(self, **fields):
        return self._replace(**fields)


def reset(key):
    key, sub = jr.split(key)
    value = jr.normal(sub)
    return State(value=value, key=key)


def step(state):
    key, sub = jr.split(state.key)
    return state.replace(value=jr.normal(sub), key=key)


def two_steps(key):
    one = step(State(jax.numpy.zeros(()), key))
    return one.value, step(one).value


def first_step(key):
    one = reset(key)
    return one.value, jr.normal(one.key)


def agent(key):
    one = Agent(key)
    return one.sample(), one.sample()


def paired(key):
    return Agent(key).pair(key)


def both(key):
    return Agent(key).both(key)


DRIVERS = dict(
    again=again, calls=calls, kept=kept, loop=loop, several=several, constant=constant, scanned=scanned,
    counted=counted, sample=agent, reset=first_step, step=two_steps, pair=paired, both=both,
)
"""
UNTOUCHED = """
import jax


def bound_between(key, other):
    first = jax.random.normal(key)
    key = other
    return first, jax.random.normal(other)


def bound_in_another_turn(key, other):
    first = jax.random.normal(key)
    for _ in range(2):
        first += jax.random.normal(other)
        key, other = other, jax.random.fold_in(other, 1)
    return first


def perhaps(key, other, test):
    first = jax.random.normal(key) if test else 0.0
    return first, jax.random.normal(other)


def inner(key, other):
    draw = lambda: jax.random.normal(key)
    return draw, jax.random.normal(other)


def no_draw(key, other):
    return other.normal(key), jax.random.normal(key)


def one_turn(key):
    for _ in range(2):
        key, sub = jax.random.split(key)
        break
    return jax.random.normal(sub)


def leaves(key, done):
    if done:
        return 0.0
    return jax.random.normal(key)


def rebinds(key, other):
    key = other.key
    return jax.random.normal(key)


def lazily(key):
    yield jax.random.normal(key)


def wrapped(key):
    return other(jax.random.normal)(key)


def calls(key, other, x):
    first = leaves(key, x), rebinds(key, x), lazily(key), wrapped(key)
    return first, leaves(other, x), rebinds(other, x), lazily(other), wrapped(other)


def in_turn(key, xs):
    def body(total, key):
        key, sub = jax.random.split(key)
        return total + jax.random.normal(sub), key

    return jax.lax.scan(body, 0.0, xs)


class Agent:
    def sample(self):
        self.key, sub = jax.random.split(self.key)
        return jax.random.normal(sub)

    def reset(self, seed):
        self.key = jax.random.key(seed)
"""


def made(path: Path, seed: int = 0) -> list[Mutant]:
    project = Project(path.parent)
    source = project.sources[path]
    found = mutants.chosen(project, source, random.Random(seed))
    mutants.written(source, found)
    return found


def repeats(driver: Callable[[jax.Array], Sequence[float]], seed: int) -> bool:
    """Return whether JAX finds a key that is used twice, or two draws are equal."""
    try:
        with jax.debug_key_reuse(True):
            first, second = driver(jax.random.key(seed))
    except KeyReuseError:
        return True
    return float(first) == float(second)


SEEDS = 24


def mutated(folder: Path, seed: int) -> tuple[Path, dict[str, Mutant]]:
    """Write the program with the mutants of a seed; return its file, and the mutants by the functions they are in."""
    path = folder / str(seed) / "program.py"
    path.parent.mkdir()
    path.write_text(PROGRAM)
    return path, {mutant.function.name: mutant for mutant in made(path, seed)}


@pytest.mark.parametrize("seeds", numbers(4, 16, parts=1), ids=str)
def test_mutants_repeat_when_they_run(seeds: range, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in seeds:
        path, found = mutated(tmp_path, seed)
        monkeypatch.syspath_prepend(path.parent)
        monkeypatch.delitem(sys.modules, "drawing_elsewhere", raising=False)
        for name, driver in runpy.run_path(str(path))["DRIVERS"].items():
            assert repeats(driver, seed) is (name in found), (name, found.get(name))


def test_mutants_are_of_all_kinds(tmp_path: Path) -> None:
    found = [mutant for seed in range(SEEDS) for mutant in mutated(tmp_path, seed)[1].values()]
    kinds, ways = {mutant.kind for mutant in found}, {mutant.way for mutant in found}
    assert kinds == {"again", "calls", "carried", "constant", "escaped", "hoist", "kept", "loop", "replace", "stored"}
    assert ways == {"plain", *WAYS}


def test_a_program_without_mutants_does_not_repeat(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    assert not any(repeats(driver, 0) for driver in runpy.run_path(str(path))["DRIVERS"].values())


def test_nothing_is_changed_where_a_repeat_is_not_sure(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(UNTOUCHED)
    assert made(path) == []
    assert path.read_text() == UNTOUCHED


def test_a_function_of_another_file_draws(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").touch()
    (tmp_path / "package" / "noise.py").write_text(
        "import jax\n\n\ndef noise(key):\n    return jax.random.normal(key)\n"
    )
    for line in ("from .noise import noise", "from package.noise import noise"):
        path = tmp_path / "package" / "program.py"
        path.write_text(f"{line}\n\n\ndef use(key, other):\n    first = noise(key)\n    return first, noise(other)\n")
        project = Project(tmp_path)
        (found,) = mutants.chosen(project, project.sources[path], random.Random(0))
        assert found.kind == "calls"


def test_the_command_counts_what_the_linter_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "program.py").write_text(PROGRAM)
    monkeypatch.setattr("sys.argv", ["mutants.py", "--seed", "3", str(folder)])
    assert mutants.main() == 0
    assert "all                12 mutants  likely 100.0%" in capsys.readouterr().out
    assert (folder / "program.py").read_text() == PROGRAM
    monkeypatch.setattr(mutants, "findings", lambda folder: {})
    assert mutants.main() == 1
    out = capsys.readouterr().out
    assert "likely   0.0%" in out and "package/program.py:" in out
