"""How long verdicts take: ``python -m tests.benchmarks.trace [QUESTIONS]``.

The findings are those of the programs in ``tests/twins``, each program as often as it takes, in a folder of its own and
under a name of its own, so that nothing is answered twice by what a worker remembers.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from olympus_lint.project.settings import Settings
from olympus_lint.reporting.results import FileResult
from olympus_lint.run.engine import lint_text
from olympus_lint.tracing import Choice, judge
from olympus_lint.tracing.judging import is_judged

ALL = Settings(tests="all")
TWINS = Path(__file__).parents[1] / "twins"
LIMIT = 30.0  # seconds for 1,000 questions after the start, on two cores


def results(folder: Path, wanted: int) -> list[FileResult]:
    """Return the results of copies of the programs, with at least so many findings that can be traced."""
    made: list[FileResult] = []
    asked = copy = 0
    programs = [(path, lint_text(str(path), path.read_text("utf-8"), ALL)) for path in TWINS.rglob("*_wrong.py")]
    while asked < wanted:
        copy += 1
        for path, found in sorted(programs, key=lambda pair: pair[0]):
            judged = [finding for finding in found.findings if is_judged(finding)]
            if not judged or asked >= wanted:
                continue
            place = folder / f"copy_{copy}" / path.parent.name / path.name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, place)
            made.append(lint_text(str(place), place.read_text("utf-8"), ALL))
            asked += len(judged)
    return made


def main(wanted: int) -> int:
    """Measure, print, and return 1 if it took longer than it may."""
    choice = Choice()
    with tempfile.TemporaryDirectory() as folder:
        files = results(Path(folder), wanted)
        started = time.perf_counter()
        choice.worker().kill()
        ready = time.perf_counter() - started
        started = time.perf_counter()
        traced = judge(files, {file.filename: ALL for file in files}, choice)
        wall = time.perf_counter() - started
    said = Counter(f.verdict.status for file in files for f in file.findings if f.verdict is not None)
    print(f"{traced.questions} questions in {len(files)} files: {wall:.1f} s, of which {ready:.1f} s are the start")
    print(f"{1000 * (wall - ready) / traced.questions:.1f} ms for each, at most {traced.peak_kib / 1024:.0f} MiB")
    print(", ".join(f"{number} {status}" for status, number in said.most_common()), "; died:", dict(traced.deaths))
    return int((wall - ready) / traced.questions * 1000 > LIMIT)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
