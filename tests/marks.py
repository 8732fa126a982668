"""Writes the confidence of each finding into its mark, in pages, corner cases and twins: ``python -m tests.marks``.

A mark is written without a confidence, such as ``# error: OLY104``, and gets today's. What changes is to be read: a
finding that became less sure may be a fault of the change at hand. Marks without a finding stay and are listed; the
tests say more of them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from olympus_lint.run.engine import lint_text
from tests.rules import pages
from tests.twins import test_twins

Found = tuple[str, str, str]
"""Code, confidence and message of a finding."""


def marked(row: str, found: list[Found]) -> tuple[str, list[str]]:
    """Return a row with the confidences of its findings in its marks, and the marks that no finding meets.

    Args:
        row: a row of a program.
        found: the findings of the row, in the order of its marks.
    """
    left, unmet = list(found), []

    def told(mark: re.Match[str]) -> str:
        code, _, part = mark.groups(default="")
        met = next((each for each in left if each[0] == code and part in each[2]), None)
        if met is None:
            unmet.append(mark[0])
            return mark[0]
        left.remove(met)
        return f"# error: {code} {met[1]}" + (f' "{part}"' if part else "")

    return re.sub(pages.MARK, told, row), unmet


def of_pages() -> Iterator[tuple[Path, int, Found]]:
    """Return file, row and what was found, for each finding of the Python blocks of all pages."""
    for folder in (pages.FOLDER, pages.CASES):
        for file in sorted(folder.glob("*.md")):
            for block in pages.parse(file.stem, file.read_text("utf-8")).blocks:
                for each in lint_text(pages.FILENAME, block.source, pages.settings(block)).findings:
                    yield file, block.row + each.span.start.row, (each.code, each.confidence.label, each.message)


def of_twins() -> Iterator[tuple[Path, int, Found]]:
    """Return file, row and what was found, for each finding of all twins."""
    for raw in test_twins.findings():
        yield Path(raw["filename"]), raw["location"]["row"], (raw["code"], raw["confidence"], raw["message"])


def main() -> int:
    """Write the marks, and list those that no finding meets."""
    by_file: dict[Path, dict[int, list[Found]]] = {}
    for file, row, found in (*of_pages(), *of_twins()):
        by_file.setdefault(file, {}).setdefault(row, []).append(found)
    status = 0
    for file, by_row in by_file.items():
        rows = file.read_text("utf-8").split("\n")
        for number, row in enumerate(rows, 1):
            rows[number - 1], unmet = marked(row, by_row.get(number, []))
            for mark in unmet:
                print(f"{file}:{number}: nothing is found here: {mark}")
                status = 1
        file.write_text("\n".join(rows), "utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())
