"""What an edit costs in an editor: ``python tests/benchmarks/keystrokes.py ROUNDS FILE ...``, for `speed.py`.

Each file is checked as the language server checks it, in a project that it knows: once, and again after each of some
edits, which insert a statement in the middle. Garbage is collected as seldom as in the server. It prints the medians of
the seconds of the checks, and of `ast.parse` of the same texts, as JSON: `{FILE: [CHECK, PARSE]}`.
"""

from __future__ import annotations

import ast
import gc
import json
import sys
from pathlib import Path
from statistics import median
from time import process_time

from olympus_lint.server.serve import COLLECTED
from olympus_lint.server.workspace import Workspace


def edited(text: str, number: int) -> str:
    """Return a text with a statement more between those in its middle."""
    ends = [node.end_lineno for node in ast.parse(text).body if node.end_lineno is not None]
    lines = text.splitlines(keepends=True)
    row = min(ends, key=lambda end: abs(end - len(lines) / 2)) if ends else 0
    return "".join([*lines[:row], f"edited = {number}\n", *lines[row:]])


def costs(path: Path, rounds: int) -> tuple[float, float]:
    """Return the medians of the seconds for a check after an edit, and for `ast.parse`."""
    workspace, text = Workspace(), path.read_text("utf-8")
    workspace.check(str(path), {str(path): text.encode()})
    checks, parses = [], []
    for number in range(rounds):
        changed = edited(text, number)
        started = process_time()
        ast.parse(changed)
        parsed = process_time()
        workspace.check(str(path), {str(path): changed.encode()})
        checks.append(process_time() - parsed)
        parses.append(parsed - started)
    return median(checks), median(parses)


if __name__ == "__main__":
    gc.set_threshold(COLLECTED)
    print(json.dumps({name: costs(Path(name).absolute(), int(sys.argv[1])) for name in sys.argv[2:]}))
