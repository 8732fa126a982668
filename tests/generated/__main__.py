"""Compare the key flow with the reference on many programs: ``python -m tests.generated [COUNT] [FIRST]``."""

from __future__ import annotations

import sys
import time
from collections import Counter
from random import Random

from .agreement import disagreements, shrunk
from .programs import Layer, write
from .reference import TooMany, Unreached


def main() -> int:
    """Print a shrunk program for each sort of disagreement in each layer."""
    count, first = (int(sys.argv[i]) if len(sys.argv) > i else default for i, default in ((1, 300), (2, 0)))
    layers = [Layer[name] for name in sys.argv[3:]] or list(Layer)
    failed = 0
    for layer in layers:
        began, kinds = time.perf_counter(), Counter[tuple[str, str]]()
        for seed in range(first, first + count):
            program = write(Random(f"{layer.name} {seed}"), layer)
            try:
                found = disagreements(program)
            except (TooMany, Unreached):
                kinds["skipped", ""] += 1
                continue
            except Exception as error:
                print(f"\n# {layer.name} {seed}: {error!r}\n{program.source}")
                failed += 1
                continue
            for kind in {(one.kind, one.code) for one in found}:
                kinds[kind] += 1
                if kinds[kind] <= SHOWN:
                    small = shrunk(
                        program, lambda p, kind=kind: any((o.kind, o.code) == kind for o in disagreements(p))
                    )
                    print(f"\n# {layer.name} {seed}: {disagreements(small)}\n{small.source}")
            failed += bool(found)
        print(f"{layer.name}: {count} programs, {time.perf_counter() - began:.0f} s, {dict(kinds)}", flush=True)
    return 1 if failed else 0


SHOWN = 1  # programs shown of each sort

if __name__ == "__main__":
    sys.exit(main())
