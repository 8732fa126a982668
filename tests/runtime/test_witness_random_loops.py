"""Random loops: what a witness refutes happens for no number of turns, as far as these are tried one by one.

A program is written of statements that derive, draw, move and keep keys in loops over ``range(n)`` and ``range(m)``. It
is executed with stand-ins whose keys are told apart by how they were made, for small and larger ``n`` and ``m`` and
with several answers to what it asks of ``p``. Two places that get one key in any of these are not to be refuted.

``python tests/runtime/test_witness_random_loops.py COUNT [FIRST]`` tries more of them.
"""

from __future__ import annotations

import itertools
import sys
import tempfile
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from searches import numbers

pytest.importorskip("jax", reason="a witness is traced with JAX")

from olympus.verdicts import Place, Question
from olympus.witness.answer import answer
from olympus.witness.execution import Target

KEYS = ("a", "b", "c", "s")
TURNS = (0, 1, 2, 3, 4, 7)
ANSWERS = 4  # ways to answer what a program asks


class Writer:
    """Writes one program."""

    def __init__(self, rng: Random) -> None:
        self.rng, self.lines = rng, ["import jax", "def f(key, n, m, p):", "    a, b, c = jax.random.split(key, 3)"]
        self.lines += ["    s, count, kept, many = c, 0, [a], jax.random.split(b, n)"]
        for _ in range(rng.choice([1, 1, 2])):
            self.block(4, ("n", "i"))
        self.lines += [f"    jax.random.bits({self.key()})"] if rng.random() < 0.5 else []

    def key(self) -> str:
        return self.rng.choice(KEYS)

    def block(self, indent: int, loop: tuple[str, str]) -> None:
        length, index = loop
        head = self.rng.choice([f"for {index} in range({length}):"] * 4 + [f"for {index}, _ in enumerate(p.{length}):"])
        self.lines.append(" " * indent + head)
        for _ in range(self.rng.randrange(2, 5)):
            self.statement(indent + 4, index)
        if index == "i" and self.rng.random() < 0.3:
            self.block(indent + 4, ("m", "j"))

    def number(self, index: str) -> str:
        return self.rng.choice([index, index, f"{index} + 1", f"2 * {index}", f"{index} % 3", "7", "count", "p.q"])

    def statement(self, indent: int, index: str) -> None:
        key, other, rng = self.key(), self.key(), self.rng
        plain = [
            f"{key}, s = jax.random.split({key})",
            f"{key}, s = jax.random.split({key})",
            f"{key} = jax.random.split({other}, 3)[{rng.randrange(3)}]",
            f"s = jax.random.fold_in({key}, {self.number(index)})",
            f"s = jax.random.fold_in({key}, {self.number(index)})",
            f"jax.random.normal({key})",
            f"jax.random.normal({key})",
            "jax.random.normal(s)",
            "a, b, c = b, c, a",
            "a, b = b, a",
            f"{key} = {other}",
            "count += 1",
            f"kept.append({key})",
            f"s = kept[{rng.choice(['0', '-1', '1', 'count'])}]",
            f"s = many[{rng.choice([index, '0', index + ' + 1'])}]",
        ]
        head = rng.choice(
            [""] * 8
            + ["if count < 2:", f"if p({index}):", f"if {index} == 4:", f"if p.r and count < {rng.randrange(5)}:"]
        )
        if head:
            self.lines.append(" " * indent + head)
        self.lines.append(" " * (indent + 4 * bool(head)) + rng.choice(plain))


class Asked(SimpleNamespace):
    """What the program asks: each answer is drawn, and stays."""

    def __init__(self, rng: Random, n: int, m: int) -> None:
        super().__init__(n=range(n), m=range(m), q=rng.randrange(9), r=rng.random() < 0.5)
        self.rng, self.said = rng, dict[int, bool]()

    def __call__(self, number: int) -> bool:
        return self.said.setdefault(number, self.rng.random() < 0.5)


class Stand:
    """Stands for ``jax.random``; a key is a tuple of how it was made."""

    def __init__(self) -> None:
        self.uses: defaultdict[Any, list[int]] = defaultdict(list)
        self.numbers = itertools.count()

    def split(self, key: Any, count: int = 2) -> list[Any]:
        self.use(key)
        number = next(self.numbers)
        return [("split", number, index) for index in range(count)]

    def fold_in(self, key: Any, data: int) -> Any:
        return "fold_in", key, data

    def use(self, key: Any) -> None:
        self.uses[key].append(sys._getframe(2).f_lineno)

    def normal(self, key: Any) -> float:
        self.use(key)
        return 0.0

    bits = normal


def shared(source: str, seed: int) -> set[tuple[int, int]]:
    """Return the lines that get one key, the earlier one first, in any of the executions that are tried."""
    code, found = compile(source.partition("\n")[2], "program", "exec"), set[tuple[int, int]]()
    for n, m, way in itertools.product(TURNS, (0, 1, 2, 4), range(ANSWERS)):
        stand = Stand()
        scope: dict[str, Any] = {"jax": SimpleNamespace(random=stand)}
        exec(code, scope)
        with suppress(IndexError):  # it ends there
            scope["f"]("key", n, m, Asked(Random(seed * 100 + way), n, m))
        for lines in stand.uses.values():
            found |= set(itertools.combinations(lines, 2))
    return {(first + 1, second + 1) for first, second in found}


def questions(source: str, file: str) -> dict[tuple[int, int], Question]:
    """Return a question for each two lines that consume a key."""
    rows = source.split("\n")
    calls = {}
    for row, text in enumerate(rows, start=1):
        start = next((text.find(name) for name in CALLS if name in text), -1)
        if start >= 0:
            calls[row] = Place(file, row, start + 1, row, text.index(")", start) + 2)
    return {
        (a, b): Question("OLY104", calls[b], None if a == b else calls[a], certain=True)
        for a, b in itertools.product(calls, calls)
    }


CALLS = ("jax.random.normal(", "jax.random.bits(", "jax.random.split(")


def wrong(seed: int, folder: Path) -> tuple[str, list[str], int]:
    """Return a program, what a witness refutes of it wrongly, and how much it refutes."""
    source = "\n".join(Writer(Random(seed)).lines) + "\n"
    file = folder / f"random_{seed}.py"
    file.write_text(source, "utf-8")
    asked, true = questions(source, str(file)), shared(source, seed)
    verdicts = answer(Target(str(file), source, file.stem, ""), list(asked.values()))
    refuted = [pair for pair, verdict in zip(asked, verdicts, strict=True) if verdict.status == "refuted"]
    return source, [f"lines {a} and {b}" for a, b in refuted if (a, b) in true], len(refuted)


@pytest.mark.parametrize("seeds", numbers(2, 10, parts=2), ids=str)
def test_nothing_that_happens_is_refuted(seeds: range, tmp_path: Path) -> None:
    count = 0
    for seed in seeds:
        source, found, refuted = wrong(seed, tmp_path)
        assert not found, f"{seed}: {found}\n{source}"
        count += refuted
    assert count > len(seeds)


if __name__ == "__main__":
    number, begin = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    total = failed = 0
    with tempfile.TemporaryDirectory() as name:
        for seed in range(begin, begin + number):
            source, found, refuted = wrong(seed, Path(name))
            total, failed = total + refuted, failed + bool(found)
            if found:
                print(f"# {seed}: {found}\n{source}", flush=True)
    print(f"{number} programs, {total} refuted, {failed} with what happens")
