"""Hostile input, by search: variants of valid files for each reader of what is not Python source.

Usage: ``python tests/benchmarks/fuzz.py [--target NAME] [--seed N] [--number N] [--minutes N]``
       ``python tests/benchmarks/fuzz.py --guided --target NAME --minutes N``

The targets are those of ``readers.py``, the variants those of ``hostile.py``. A variant that breaks a promise, takes
longer than ``SLOW`` seconds or too much memory is kept under ``.olympus-lint-cache/failures``. With ``--guided``, the
variants that reach new code are varied again; this needs `atheris <https://github.com/google/atheris>`_.
"""

from __future__ import annotations

import argparse
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from readers import Target

SLOW = 10.0
"""Seconds for one input."""
MEMORY = 6 << 30
"""Bytes of addresses of the process; the language server reserves 256 MiB for a stack."""
FAILURES = Path(".olympus-lint-cache/failures")
SHOWN = 12  # failures of one target, by their places


class TookTooLong(BaseException):
    """An input took too long; no reader may catch this."""


@contextmanager
def limited(seconds: float = SLOW) -> Iterator[None]:
    """Limit the time of a block."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TookTooLong(f"longer than {seconds:.0f} s")

    former = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)


def wrong(target: Target, data: bytes) -> BaseException | None:
    """Let a target read an input; return what is wrong with that."""
    try:
        with limited():
            target.read(data)
    except (Exception, TookTooLong) as error:
        return error
    return None


def place_of(error: BaseException) -> str:
    """Return what failures of one cause have in common: the type, and the innermost line of this project."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "olympus" in frame.filename]
    last = frames[-1] if frames else None
    where = f"{Path(last.filename).name}:{last.lineno}" if last is not None else "?"
    return f"{type(error).__name__} at {where}: {str(error)[:160]!r}"


def search(name: str, target: Target, seed: int, number: int, until: float) -> int:
    """Try variants, print what came of them, and return how many failed."""
    from hostile import variant

    drawing, started, done = random.Random(f"{name} {seed}"), time.perf_counter(), 0
    found: Counter[str] = Counter()
    while done < number and time.monotonic() < until:
        data = variant(target.seeds, target.form, drawing)
        done += 1
        error = wrong(target, data)
        if error is None:
            continue
        place = place_of(error)
        found[place] += 1
        if found[place] == 1 and len(found) <= SHOWN:
            FAILURES.mkdir(parents=True, exist_ok=True)
            file = FAILURES / f"{name.replace(' ', '-')}-{seed}-{done}"
            file.write_bytes(data)
            print(f"FAILED {name}: {place} ({file})", flush=True)
    seconds, peak = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    failed = found.total()
    print(f"{name}: {done} inputs, {failed} failed in {len(found)} ways, {peak:.0f} MiB, {seconds:.0f} s", flush=True)
    return failed


def guided(name: str, seconds: int) -> None:
    """Search with the coverage of this project's code; ends the process."""
    import atheris

    with atheris.instrument_imports(include=["olympus_lint", "olympus_rules", "olympus", "tomllib"]):
        from readers import TARGETS
    from hostile import variant

    scratch = Path(tempfile.mkdtemp())
    target = TARGETS[name](scratch)
    corpus = scratch / "corpus"
    corpus.mkdir()
    for number, data in enumerate(target.seeds):
        (corpus / str(number)).write_bytes(data)

    def one(data: bytes) -> None:
        error = wrong(target, data)
        if error is not None:
            raise error

    def vary(data: bytes, largest: int, seed: int) -> bytes:
        drawing = random.Random(seed)
        if drawing.random() < 0.5:
            return bytes(atheris.Mutate(data, largest))
        return variant([data], target.form, drawing)[:largest]

    limits = [f"-max_total_time={seconds}", "-max_len=20000", "-rss_limit_mb=3000", f"-timeout={2 * SLOW:.0f}"]
    atheris.Setup([sys.argv[0], *limits, str(corpus)], one, custom_mutator=vary)
    atheris.Fuzz()


def main() -> int:
    """Search, and return whether something failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", help="one reader; all without it")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--number", type=int, default=1000, help="variants for each reader")
    parser.add_argument("--minutes", type=float, default=60.0, help="the limit of time for each reader")
    parser.add_argument("--guided", action="store_true", help="search with coverage, by atheris")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.guided:
        guided(options.target, round(options.minutes * 60))
    from readers import TARGETS

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    failed = 0
    for name in [options.target] if options.target else TARGETS:
        with tempfile.TemporaryDirectory() as scratch:
            target = TARGETS[name](Path(scratch))
            failed += search(name, target, options.seed, options.number, time.monotonic() + 60 * options.minutes)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
