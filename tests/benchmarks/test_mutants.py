from __future__ import annotations

import random
from pathlib import Path

import jax
import mutants
import pytest
from jax.errors import KeyReuseError

PROGRAM = """
import jax
from jax import random as jr


def again(key):
    one, two = jax.random.split(key)
    first = jr.normal(one)
    if True:
        return first, jr.normal(
            two,
        )


def kept(key):
    key, sub = jr.split(key)
    first = jr.normal(sub)
    key, sub = jr.split(key)
    return first, jr.normal(sub)


def loop(key):
    found = []
    for _ in range(2):
        key, sub = jr.split(key)
        found.append(jr.normal(sub))
    return found
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
"""


def made(path: Path, seed: int = 0) -> list[mutants.Mutant]:
    return mutants.mutated(path, random.Random(seed))


def test_mutants_repeat_when_they_run(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    kinds = set()
    for seed in range(12):
        path.write_text(PROGRAM)
        kinds |= {mutant.kind for mutant in made(path, seed)}
        space: dict = {}
        exec(path.read_text(), space)
        for name in ("again", "kept", "loop"):
            with jax.debug_key_reuse(True), pytest.raises(KeyReuseError):
                space[name](jax.random.key(seed))
    assert kinds == {"again", "kept", "loop"}


def test_nothing_is_changed_where_a_repeat_is_not_sure(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(UNTOUCHED)
    assert made(path) == []
    assert path.read_text() == UNTOUCHED


def test_the_command_counts_what_the_linter_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "program.py").write_text(PROGRAM)
    monkeypatch.setattr("sys.argv", ["mutants.py", "--seed", "3", str(folder)])
    assert mutants.main() == 0
    assert "all        3 mutants  likely 100.0%  certain 100.0%" in capsys.readouterr().out
    assert (folder / "program.py").read_text() == PROGRAM
    monkeypatch.setattr(mutants, "findings", lambda folder: {})
    assert mutants.main() == 1
    out = capsys.readouterr().out
    assert "likely   0.0%" in out and "missed: again package/program.py:10" in out
