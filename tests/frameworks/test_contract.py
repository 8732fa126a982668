"""The tables of the page on frameworks, against recordings: which two uses of a key draw from equal keys.

A section of the page has definitions and a table. A program is made of them, with two lines for each row of the table,
and executed under ``olympus record``. The record names the pairs of places that had one key.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

import olympus
from olympus.recording.eventfile import Process, Site, read_events
from olympus_rules.check import check
from olympus_rules.finding import Confidence
from olympus_rules.syntax import Document

PAGE = Path(__file__).parents[2] / "docs" / "frameworks.md"
MISUSES = frozenset({"draw", "split"})
RECORD = "import sys; sys.path.insert(0, sys.argv.pop(1)); from olympus.__main__ import main; sys.exit(main())"


@dataclass(frozen=True)
class Uses:
    """One row of a table: two expressions that use ``key``, and what the page says of the keys that they draw from."""

    one: str
    another: str
    keys: str


@dataclass(frozen=True)
class Section:
    """The definitions and the table of one framework."""

    name: str
    definitions: str
    rows: tuple[Uses, ...]

    def program(self) -> tuple[str, list[tuple[int, int]]]:
        """Return the program of a section, with the lines of the two uses in each row."""
        lines, places = self.definitions.splitlines(), list[tuple[int, int]]()
        for number, row in enumerate(self.rows):
            lines += ["", "", f"key = jax.random.key({number})", f"one = {row.one}", f"another = {row.another}"]
            places.append((len(lines) - 1, len(lines)))
        return "\n".join(lines) + "\n", places


def sections() -> list[Section]:
    """Return the sections of the page that have a table of uses."""
    found, heading, block, rows = list[Section](), "", "", list[Uses]()
    cells = list[str]()
    tokens = MarkdownIt().enable("table").parse(PAGE.read_text("utf-8"))
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        if token.type == "heading_open" and following is not None:
            heading = following.content.removeprefix("In ")
        elif token.type == "fence":
            block = token.content
        elif token.type == "tr_open":
            cells = []
        elif token.type == "td_open" and following is not None:
            cells.append(following.content.strip("`"))
        elif token.type == "tr_close" and cells:
            rows.append(Uses(*cells))
        elif token.type == "table_close":
            found.append(Section(heading, block, tuple(rows)))
            rows = []
    return found


SECTIONS = sections()
section = pytest.mark.parametrize("section", SECTIONS, ids=lambda each: each.name)


def recorded(program: Path) -> Process:
    """Return what a program did with keys."""
    source = str(Path(olympus.__file__).parents[1])
    command = [sys.executable, "-c", RECORD, source, "record", "--", sys.executable, program.name]
    subprocess.run(command, cwd=program.parent, check=True, capture_output=True, timeout=300)
    (process,) = read_events(program.parent / "events.jsonl").processes
    return process


def at(program: Path, site: Site, line: int) -> bool:
    """Return whether an operation was reached from a line of a program."""
    return any(Path(span.file).name == program.name and span.line == line for span in site.chain)


@pytest.mark.frameworks
@section
def test_the_tables_agree_with_recordings(section: Section, tmp_path: Path) -> None:
    imported = re.findall(r"^(?:import|from) (\w+)", section.definitions, re.MULTILINE)
    if absent := sorted({package for package in imported if find_spec(package) is None}):
        pytest.skip(f"needs {', '.join(absent)}")
    program = tmp_path / "uses.py"
    text, places = section.program()
    program.write_text(text)
    process = recorded(program)
    pairs = [each for each in process.pairs if each.kind not in ("derived", "words")]
    for row, (first, second) in zip(section.rows, places, strict=True):
        draws = [
            [site for site in process.sites.values() if site.kind in MISUSES and at(program, site, line)]
            for line in (first, second)
        ]
        assert draws[0], row
        assert bool(draws[1]) == (row.keys != "nothing"), row
        met = any(
            at(program, process.sites[pair.first], first) and at(program, process.sites[pair.second], second)
            for pair in pairs
        )
        assert met == (row.keys == "equal"), row


def test_each_framework_has_equal_uses_and_others() -> None:
    assert len(SECTIONS) == 5
    assert all({row.keys for row in each.rows} <= {"equal", "different", "nothing"} for each in SECTIONS)
    assert all(len({row.keys for row in each.rows}) > 1 for each in SECTIONS)


@section
def test_the_linter_agrees_with_the_tables(section: Section) -> None:
    """What is equal is at least possible, and nothing else is reported by default."""
    text, places = section.program()
    reports = check(Document("uses.py", text), min_confidence=Confidence.POSSIBLE).reports
    found = {each.finding.span.start.row: each.finding for each in reports if each.finding.code == "OLY104"}
    for row, (_, second) in zip(section.rows, places, strict=True):
        if row.keys == "equal":
            assert second in found, row
        else:
            assert second not in found or found[second].confidence < Confidence.LIKELY, row
