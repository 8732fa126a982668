"""Time generators against threefry2x32: ``python tests/benchmarks/prng.py chacha20 chacha8``.

For each size, the first call (which compiles) and the best of several later calls of ``jax.random.bits`` under ``jit``,
with the ratio to threefry2x32 in brackets. JAX has to be installed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import perf_counter
from typing import Any

import jax

from olympus.prng import resolve

SIZES = {"16": 16, "4 Mi": 2**22}


def seconds(call: Callable[[], Any]) -> float:
    """Return how long a call takes until its result is there."""
    start = perf_counter()
    jax.block_until_ready(call())
    return perf_counter() - start


def measure(name: str, size: int, rounds: int) -> tuple[float, float]:
    """Return the seconds of the first draw of words, and of the fastest later one."""
    key = jax.random.key(0, impl=resolve(name))
    draw = jax.jit(lambda key: jax.random.bits(key, (size,)))
    return seconds(lambda: draw(key)), min(seconds(lambda: draw(key)) for _ in range(rounds))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", default=["chacha20", "chacha12", "chacha8"])
    parser.add_argument("--rounds", type=int, default=20, help="calls of each program; the fastest counts")
    options = parser.parse_args()
    print(f"JAX {jax.__version__} on {jax.devices()[0].device_kind}")
    measure("threefry2x32", 1, 1)  # what JAX does once in a process
    for label, size in SIZES.items():
        base = measure("threefry2x32", size, options.rounds)
        for name in ("threefry2x32", *options.names):
            found = base if name == "threefry2x32" else measure(name, size, options.rounds)
            first, later = (f"{1e3 * new:9.3f} ms ({new / old:.1f})" for new, old in zip(found, base, strict=True))
            print(f"{label:>5} words  {name:13} first call {first}  later {later}")


if __name__ == "__main__":
    main()
