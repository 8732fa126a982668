"""Reads the rule pages and their corner cases: headings and code blocks, and what each block says must be flagged.

A rule has a page for its users (``docs/rules``) and, under the same name, a file of corner cases (``tests/pages``).
Both have one format, and the Python blocks of both are the specification of the rule. A line that must be flagged ends
with ``# error: CODE CONFIDENCE`` or ``# error: CODE CONFIDENCE "part of the message"``; every other line must be quiet.
Pages of prose have the same marks, and may leave the confidence out. The words after ``python`` in the fence:

* ``possible``: findings of the lowest confidence count too,
* ``fix`` / ``unsafe-fix``: the block is what the safe fixes, or all fixes, make of the block before it,
* ``as-is``: the block is not rewritten into other spellings,
* ``beside=NAME``: the block is a file of the project in which the blocks before it, in ``example.py``, are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Protocol

from markdown_it import MarkdownIt

from olympus_lint.project.settings import Settings
from olympus_lint.reporting.results import FileResult
from olympus_rules.finding import Confidence, Finding

__all__ = [
    "Block",
    "Expectation",
    "Page",
    "Section",
    "all_blocks",
    "all_cases",
    "all_pages",
    "fix_problems",
    "lint_problems",
    "parse",
    "plain",
]

FOLDER = Path(__file__).parents[2] / "docs" / "rules"
CASES = Path(__file__).parents[1] / "pages"
FILENAME = "example.py"
INFO_WORDS = frozenset({"possible", "fix", "unsafe-fix", "as-is"})
MARK = r'# error: (OLY\d{3})(?: (certain|likely|possible))?(?: "([^"]*)")?'
MARKED_ROW = re.compile(rf"(?P<program>.*?)(?P<marks>(?:\s*{MARK})+)")

Lint = Callable[[str, str, Settings], FileResult]


class Repair(Protocol):
    """The signature of ``olympus_lint.run.engine.fix_text``."""

    def __call__(self, filename: str, text: str, settings: Settings, *, unsafe: bool) -> FileResult: ...


@dataclass(frozen=True, slots=True)
class Expectation:
    """A finding that a block asks for: its row in the block, its code, a part of its message, and its confidence."""

    row: int
    code: str
    part: str = ""
    confidence: str = ""

    def met_by(self, finding: Finding) -> bool:
        """Say whether a finding is the one that is asked for."""
        place_and_code = (finding.span.start.row, finding.code)
        as_sure = self.confidence in ("", finding.confidence.label)
        return place_and_code == (self.row, self.code) and as_sure and self.part in finding.message


@dataclass(frozen=True, slots=True)
class Block:
    """A Python block of a page.

    Attributes:
        page: the page's name.
        code: the rule's code.
        heading: the section that it stands in.
        row: the row of its fence in the page.
        words: what the fence says after ``python``.
        source: the program, without the marks.
        expectations: the findings that the marks ask for.
        before: the Python block before it on the page.
    """

    page: str
    code: str
    heading: str
    row: int
    words: frozenset[str]
    source: str
    expectations: tuple[Expectation, ...]
    before: Block | None = field(default=None, repr=False, compare=False)

    @property
    def name(self) -> str:
        """Return a readable test id."""
        heading = re.sub(r"\W+", "-", self.heading.lower()).strip("-")
        return f"{self.page}-{heading}-{self.row}"

    @property
    def beside(self) -> str:
        """Return the name of the file that the block is beside others, empty for one of its own."""
        return next((word.partition("=")[2] for word in self.words if word.startswith("beside=")), "")

    @property
    def is_fix(self) -> bool:
        """Say whether the block is the fix of the one before."""
        return bool(self.words & {"fix", "unsafe-fix"})


@dataclass(frozen=True, slots=True)
class Section:
    """A heading of the second level and the row that it stands in."""

    heading: str
    row: int


@dataclass(frozen=True, slots=True)
class Page:
    """A rule page, or the corner cases of a rule.

    Attributes:
        name: the file name without ``.md``; for corner cases, with ``cases-`` before it.
        title: the heading of the first level: the rule's name and code.
        summary: the first paragraph.
        status: the second paragraph; on a rule page it says whether the rule is on and what its fix is.
        sections: the headings of the second level, in order.
        blocks: the Python blocks, in order.
        rows: the number of rows of the file.
    """

    name: str
    title: str
    summary: str
    status: str
    sections: tuple[Section, ...]
    blocks: tuple[Block, ...]
    rows: int

    @property
    def rule(self) -> str:
        """Return the name of the page's rule."""
        return self.title.partition(" ")[0]


def plain(marked: str) -> tuple[str, tuple[Expectation, ...]]:
    """Take the marks out of a program.

    Returns:
        The program, row for row, and what the marks ask for.

    Raises:
        ValueError: a comment looks like a mark and is not one.
    """
    rows: list[str] = []
    expectations: list[Expectation] = []
    for number, row in enumerate(marked.splitlines(), start=1):
        found = MARKED_ROW.fullmatch(row)
        program, marks = (found["program"], found["marks"]) if found else (row, "")
        if re.search(r"#\s*error", program):
            raise ValueError(f"malformed error comment in row {number}: {program.strip()}")
        rows.append(program)
        expectations += [Expectation(number, code, part, level) for code, level, part in re.findall(MARK, marks)]
    return "".join(f"{row}\n" for row in rows), tuple(expectations)


def parse(name: str, text: str) -> Page:
    """Parse a page.

    Args:
        name: the page's name.
        text: its Markdown.

    Raises:
        ValueError: a fence has an unknown word, an error comment is malformed, or the title has no code.
    """
    title = heading = code = ""
    paragraphs: list[str] = []
    sections: list[Section] = []
    blocks: list[Block] = []
    tokens = MarkdownIt().parse(text)
    for token, following in zip(tokens, tokens[1:] + tokens[-1:], strict=True):
        row = token.map[0] + 1 if token.map else 0
        if token.type == "heading_open" and token.tag == "h1":
            title = following.content
            code = title.rpartition("(")[2].rstrip(")")
            if not re.fullmatch(r"OLY\d{3}", code):
                raise ValueError(f"{name}: the title must end with the code in parentheses")
        elif token.type == "heading_open" and token.tag == "h2":
            heading = following.content
            sections.append(Section(heading, row))
        elif token.type == "paragraph_open":
            paragraphs.append(following.content)
        elif token.type == "fence" and token.info.split()[:1] == ["python"]:
            words = frozenset(token.info.split()[1:])
            unknown = sorted(word for word in words - INFO_WORDS if not word.startswith("beside="))
            if unknown:
                raise ValueError(f"{name}: row {row}: unknown words in the fence: {unknown}")
            source, expectations = plain(token.content)
            before = blocks[-1] if blocks else None
            blocks.append(Block(name, code, heading, row, words, source, expectations, before))
    summary, status = (*paragraphs, "", "")[:2]
    return Page(name, title, summary, status, tuple(sections), tuple(blocks), len(text.splitlines()))


@cache
def all_pages() -> tuple[Page, ...]:
    """Return every rule page, by name."""
    files = sorted(FOLDER.glob("*.md"))
    return tuple(parse(file.stem, file.read_text(encoding="utf-8")) for file in files)


@cache
def all_cases() -> tuple[Page, ...]:
    """Return the corner cases of every rule, by name."""
    files = sorted(CASES.glob("*.md"))
    return tuple(parse(f"cases-{file.stem}", file.read_text(encoding="utf-8")) for file in files)


def all_blocks() -> Iterator[Block]:
    """Return the blocks of all pages and of all corner cases."""
    for page in (*all_pages(), *all_cases()):
        yield from page.blocks


def settings(block: Block) -> Settings:
    """Return the settings that a block runs with: the default rules and the page's own."""
    confidence = Confidence.POSSIBLE if "possible" in block.words else Confidence.LIKELY
    return Settings(extend_select=(block.code,), min_confidence=confidence)


def unmet(expectations: Iterable[Expectation], findings: Iterable[Finding]) -> list[str]:
    """Return a sentence for each finding that is missing and each that was not asked for."""
    left = list(findings)
    problems: list[str] = []
    for wanted in expectations:
        found = next((finding for finding in left if wanted.met_by(finding)), None)
        if found is None:
            level = f" {wanted.confidence}" if wanted.confidence else ""
            part = f' with "{wanted.part}" in its message' if wanted.part else ""
            problems.append(f"row {wanted.row}: no {wanted.code}{level}{part}")
        else:
            left.remove(found)
    problems += [f"row {f.span.start.row}: unexpected {f.code} {f.confidence.label}: {f.message}" for f in left]
    return problems


def lint_problems(block: Block, lint: Lint, source: str | None = None) -> list[str]:
    """Lint a block and return what differs from its marks, as sentences.

    Args:
        block: the block.
        lint: ``olympus_lint.run.engine.lint_text`` or a stand-in.
        source: the block's program in another spelling, row for row.
    """
    result = lint(FILENAME, block.source if source is None else source, settings(block))
    errors = [f"internal error: {error}" for error in result.errors]
    return errors + unmet(block.expectations, result.findings)


def fix_problems(block: Block, repair: Repair) -> list[str]:
    """Fix the block before this one and return how the result differs, as sentences.

    Args:
        block: a block whose fence says ``fix`` or ``unsafe-fix``.
        repair: ``olympus_lint.run.engine.fix_text`` or a stand-in.
    """
    if block.before is None:
        return ["there is no block before this one to be fixed"]
    result = repair(FILENAME, block.before.source, settings(block), unsafe="unsafe-fix" in block.words)
    if result.text == block.source:
        return []
    return [f"the fix gives\n{result.text}and the page says\n{block.source}"]
