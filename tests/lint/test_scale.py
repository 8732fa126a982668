"""Scale without cliffs: time grows with the findings, the file, the project and the depth of calls, and not faster.

Each input is doubled three times. The exponent of the growth is that of the line through the logarithms of the times.
"""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable
from pathlib import Path

import command_line
import pytest

DOUBLINGS = 3
EXPONENT = 1.2
ROUNDS = 2
HEADER = "import jax\n\n\n"
REUSE = "def f{0}(key):\n    a = jax.random.normal(key)\n    return a + jax.random.uniform(key)\n\n\n"
CLEAN = (
    "def f{0}(key, x):\n    k, key = jax.random.split(key)\n"
    "    if x.ndim > {0}:\n        x = x + jax.random.normal(k)\n"
    "    for _ in range(3):\n        key, k = jax.random.split(key)\n        x = x * jax.random.uniform(k)\n"
    "    return key, x\n\n\n"
)


def findings_on_a_line(n: int) -> dict[str, str]:
    return {"a.py": f"{HEADER}def f(key):\n    return [{', '.join(['jax.random.normal(key)'] * n)}]\n"}


def keys_on_a_line(n: int) -> dict[str, str]:
    draws = ", ".join(f"jax.random.normal(k{i}), jax.random.uniform(k{i})" for i in range(n))
    return {"a.py": f"{HEADER}def f({', '.join(f'k{i}' for i in range(n))}):\n    return [{draws}]\n"}


def findings_in_a_file(n: int) -> dict[str, str]:
    return {"a.py": HEADER + "".join(REUSE.format(i) for i in range(n))}


def findings_in_a_function(n: int) -> dict[str, str]:
    rows = "".join(f"    x{i} = jax.random.normal(key, ({i},))\n" for i in range(n))
    return {"a.py": f"{HEADER}def f(key):\n{rows}"}


def size_of_a_file(n: int) -> dict[str, str]:
    return {"a.py": HEADER + "".join(CLEAN.format(i) for i in range(n))}


def files_of_a_project(n: int) -> dict[str, str]:
    call = "def g(key, x):\n    key, x = f0(key, x)\n    return f1(key, x)\n\n\n"
    files = {"part0.py": HEADER + CLEAN.format(0) + CLEAN.format(1) + REUSE.format(2)}
    for i in range(1, n):
        imports = f"from part{i // 2} import f0, f1\nfrom part{i - 1} import f2\n\n\n"
        files[f"part{i}.py"] = (
            "import jax\n\n" + imports + call + "def h(key):\n    return f2(key)\n\n\n" + CLEAN.format(i)
        )
    return files


def depth_of_calls(n: int) -> dict[str, str]:
    links = "".join(f"def f{i}(key):\n    return f{i + 1}(key)\n\n\n" for i in range(n))
    return {"a.py": f"{HEADER}{links}{REUSE.format(n)}f0(jax.random.key(0))\n"}


def depth_of_methods(n: int) -> dict[str, str]:
    links = "".join(f"    def m{i}(self, key):\n        return self.m{i + 1}(key)\n\n" for i in range(n))
    last = f"    def m{n}(self, key):\n        return jax.random.normal(key)\n\n\n"
    return {"a.py": f"{HEADER}class A:\n{links}{last}A().m0(jax.random.key(0))\n"}


SCALES: dict[Callable[[int], dict[str, str]], int] = {
    findings_on_a_line: 20,
    keys_on_a_line: 20,
    findings_in_a_file: 50,
    findings_in_a_function: 50,
    size_of_a_file: 40,
    files_of_a_project: 15,
    depth_of_calls: 150,
    depth_of_methods: 150,
}
CHECK, DIFF = ("--output-format", "full"), ("--diff", "--unsafe-fixes")
OFTEN = (keys_on_a_line, depth_of_calls)  # each run of the tests measures these, `pytest -m search` the others
MANY_PASSES = (keys_on_a_line,)
"""Fixes of several keys in one statement: each pass applies one of them, so that ``--diff`` takes quadratic time."""


def seconds(folder: Path, options: tuple[str, ...]) -> float:
    """Return the CPU time of a run of the command, in this process."""
    gc.collect()
    start = time.process_time()
    done = command_line.command(folder, "--select", "ALL", "--no-cache", "--jobs", "1", *options, ".")
    taken = time.process_time() - start
    assert done.returncode in (0, 1) and "internal error" not in done.stderr, done.stderr
    return taken


def exponent(sizes: list[int], taken: list[float]) -> float:
    """Return the slope of the line through the logarithms, by least squares."""
    xs, ys = [math.log(size) for size in sizes], [math.log(each) for each in taken]
    middle, height = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - middle) * (y - height) for x, y in zip(xs, ys, strict=True)) / sum((x - middle) ** 2 for x in xs)


@pytest.mark.parametrize(
    ("make", "options"),
    [
        pytest.param(
            make,
            options,
            id=f"{make.__name__}-{options[0]}",
            marks=[] if make in OFTEN and options is CHECK else [pytest.mark.search],
        )
        for make in SCALES
        for options in (CHECK, DIFF)
        if options is CHECK or make not in MANY_PASSES
    ],
)
def test_time_grows_no_faster_than_the_input(
    make: Callable[[int], dict[str, str]], options: tuple[str, ...], tmp_path: Path
) -> None:
    sizes = [SCALES[make] << doubling for doubling in range(DOUBLINGS + 1)]
    for size in sizes:
        (tmp_path / str(size)).mkdir()
        for name, text in make(size).items():
            (tmp_path / str(size) / name).write_text(text)
    seconds(tmp_path / str(sizes[0]), options)  # loads modules
    taken = [math.inf for _ in sizes]
    for _ in range(ROUNDS):  # another process may be in the way; the least of some rounds is what it takes
        taken = [min(least, seconds(tmp_path / str(size), options)) for least, size in zip(taken, sizes, strict=True)]
        grows = exponent(sizes, taken)
        if grows <= EXPONENT:
            return
    raise AssertionError(f"exponent {grows:.2f}: {[f'{each:.2f} s' for each in taken]}")


def test_the_exponent_is_that_of_the_growth() -> None:
    sizes = [10, 20, 40, 80, 160]
    assert exponent(sizes, [3.0 * size**2 for size in sizes]) == pytest.approx(2)
    assert exponent(sizes, [0.5 * size for size in sizes]) == pytest.approx(1)
