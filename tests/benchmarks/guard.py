"""What a check costs in instructions and memory, against what it cost: ``python tests/benchmarks/guard.py``.

Usage: ``python tests/benchmarks/guard.py [--record WHY]``

The files are those of ``guarded``, which stay as they are. Instructions are counted by valgrind, so that they do not
depend on what else the machine does. ``guard.jsonl`` has a line for each commit that moved a number, and says why. The
exit status is 1 if a number is more than 3 % above the last line of the same Python and machine; without such a line,
or without valgrind, nothing is compared.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import datetime
import io
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path
from unittest import mock

from olympus_lint.cli import main as check
from olympus_rules.code.instructions import Block, FunctionCode, Instruction
from olympus_rules.keyflow.domain.run import Run
from olympus_rules.keyflow.interpret.interpreter import _Interpreter

HERE = Path(__file__).parent
RECORD = HERE / "guard.jsonl"
FILES = sorted((HERE / "guarded").glob("*.py"))
TOLERANCE = 0.03
COUNTER = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]


def lint(*arguments: object) -> list[str]:
    """Return the command that checks files, with settings of its own."""
    options = [
        "--no-cache",
        "--jobs",
        "1",
        "--exit-zero",
        "-q",
        "--config",
        str(HERE / "guarded" / "olympus-lint.toml"),
    ]
    return [sys.executable, "-m", "olympus_lint", *options, *map(str, arguments)]


def instructions(command: list[str]) -> int:
    """Return how many instructions a command executes."""
    done = subprocess.run(
        [*COUNTER, *command], capture_output=True, text=True, env={**os.environ, "PYTHONHASHSEED": "0"}, check=True
    )
    found = re.search(r"I +refs: +([\d,]+)", done.stderr)
    assert found is not None, done.stderr
    return int(found[1].replace(",", ""))


def peak(command: list[str]) -> int:
    """Return the most memory that a command has, in KiB; the least of three runs."""
    program = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=-3); "
    program += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    return min(int(subprocess.check_output([sys.executable, "-c", program, *command])) for _ in range(3))


def length(part: object) -> int:
    """Return the number of abstract instructions in a block, and in the blocks inside of it."""
    if isinstance(part, Block):
        return len(part.body) + sum(map(length, part.body))
    if isinstance(part, Instruction) and dataclasses.is_dataclass(part):
        return sum(length(getattr(part, field.name)) for field in dataclasses.fields(part))
    return sum(map(length, part)) if isinstance(part, list | tuple) else 0


def interpreted() -> dict[str, int]:
    """Return how many abstract instructions are executed, and how many that is in 100 that the files have."""
    executed, written = 0, 0
    run = _Interpreter.run

    def counted(self: _Interpreter) -> Run:
        nonlocal executed, written
        codes: list[FunctionCode] = [self.code] if self.code.kind == "module" else []
        while codes:
            code = codes.pop()
            code.lower()
            codes += code.nested
            written += length(code.block)
        try:
            return run(self)
        finally:
            executed += self.steps

    with mock.patch.object(_Interpreter, "run", counted), contextlib.redirect_stdout(io.StringIO()):
        check(lint(*FILES)[3:])
    return {"executed": executed, "per 100": round(100 * executed / written)}


def measured() -> dict[str, int]:
    """Return the costs: of the start, of the first file with a finding, of the other files, and the memory of all.

    The last two are those of the interpretation.
    """
    writing = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}  # byte code, whatever the caller says
    subprocess.run(lint(*FILES), stdout=subprocess.DEVNULL, check=True, env=writing)
    start = instructions([sys.executable, "-m", "olympus_lint", "--version"])
    first, every = instructions(lint(FILES[0])), instructions(lint(*FILES))
    costs = {"start": start, "first file": first - start, "other files": every - first, "KiB": peak(lint(*FILES))}
    return costs | interpreted()


def here() -> str:
    """Return the Python and the machine that numbers are compared for."""
    return f"{platform.python_implementation()} {platform.python_version()} {sys.platform} {platform.machine()}"


def main() -> int:
    """Measure, and compare or record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", metavar="WHY", help="add the numbers to the record, with the reason why they moved")
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("guard: skipped, as there is no valgrind here")
        return 0
    now = measured()
    rows = [json.loads(line) for line in RECORD.read_text("utf-8").splitlines()] if RECORD.exists() else []
    known = [row for row in rows if row["for"] == here()]
    last = known[-1]["costs"] if known else {}
    for name, number in now.items():
        change = f"{number / last[name] - 1:+.1%}" if name in last else "no record"
        print(f"{name:12}{number:15,}  {change}")
    if options.record:
        row = {
            "date": str(datetime.datetime.now(datetime.UTC).date()),
            "for": here(),
            "why": options.record,
            "costs": now,
        }
        with RECORD.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        return 0
    over = [name for name, number in now.items() if name in last and number > last[name] * (1 + TOLERANCE)]
    if over:
        print(
            f"error: {' and '.join(over)} cost more than before; spend less, or say why with --record", file=sys.stderr
        )
    return int(bool(over))


if __name__ == "__main__":
    sys.exit(main())
