"""IPython's magics, replaced by calls of placeholder functions that Python can parse."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from olympus_rules.syntax.text import split_lines

PYTHON_CELLS = frozenset(
    ["capture", "debug", "ipytest", "memit", "prun", "python", "python3", "snakeviz", "time", "timeit"]
)
"""Cell magics that are followed by Python."""

CELL = re.compile(r"\s*%%(\w+)")
TIMED = re.compile(
    r"(?P<indent>\s*)(?P<magic>%(?:time|timeit|prun|lprun|mprun|memit|debug)\s+"
    r"(?:-[fmTDsSlpug]\s+\S+\s+|-[a-zA-Z]\s?\d+\s+|-[a-zA-Z]\s+)*)(?=[^\s-])"
)
"""Line magics that are followed by a statement."""
ASSIGNED = re.compile(r"(?P<indent>\s*[\w.,\[\] \t]+=[ \t]*)(?P<magic>[%!].*)", re.DOTALL)
LINE = re.compile(r"(?P<indent>\s*)(?P<magic>(?:%%?\w|!|\?+\w).*|[\w.]+\?+\s*$)", re.DOTALL)


PROMPT = re.compile(r"^[ \t]*(?:>>>|\.\.\.|In \[\d+\]:|\.{3,}:)(?:[ \t]|$)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Aside:
    """A magic and its placeholder.

    Attributes:
        name: the placeholder.
        magic: the text of the magic.
        row: its row in the piece, from 0; the columns after it in this row are shifted.
    """

    name: str
    magic: str
    row: int

    @property
    def shift(self) -> int:
        """Return by how many columns the rest of the row is shifted to the left."""
        return len(self.magic) - len(self.name)


def is_python_cell(code: str) -> bool:
    """Say whether the first line of a cell allows that the cell is Python."""
    magic = CELL.match(code)
    return magic is None or magic[1] in PYTHON_CELLS


def without_prompts(code: str) -> str:
    """Return the code that IPython runs for a cell: without prompts, and without the indentation of the first line."""
    code = PROMPT.sub("", code)
    lines = split_lines(code)
    first = next((line for line in lines if line.strip()), "")
    indent = first[: len(first) - len(first.lstrip(" \t"))]
    return "".join(line.removeprefix(indent) for line in lines)


def set_aside(code: str, word: str, first: int) -> tuple[str, list[Aside]]:
    """Return code with calls of placeholder functions instead of magics.

    Args:
        code: the code of a cell.
        word: a prefix of names that the file does not contain.
        first: the number of the first placeholder.
    """
    aside: list[Aside] = []
    made: list[str] = []
    for row, line in _lines(code):
        timed, match = TIMED.match(line), ASSIGNED.match(line) or LINE.match(line)
        name = f"{word}{first + len(aside)}_"
        body = line.rstrip("\r\n")
        ending = line[len(body) :]
        if timed is not None:
            aside.append(Aside(f"{name}(); ", timed["magic"], row))
            made.append(f"{timed['indent']}{name}(); {line[timed.end() :]}")
        elif match is not None:
            magic = body[match.start("magic") :]
            rows = "".join(re.findall(r"\r\n|\r|\n", magic))
            aside.append(Aside(f"{name}({rows})", magic, -1))
            made.append(f"{line[: match.start('magic')]}{name}({rows}){ending}")
        else:
            made.append(line)
    return "".join(made), aside


def _lines(code: str) -> Iterator[tuple[int, str]]:
    """Return the lines with their rows; the continuation lines of a magic belong to it."""
    lines = split_lines(code)
    number = 0
    while number < len(lines):
        start = number
        is_magic = LINE.match(lines[number]) or ASSIGNED.match(lines[number])
        while is_magic and lines[number].rstrip("\r\n").endswith("\\") and number + 1 < len(lines):
            number += 1
        number += 1
        yield start, "".join(lines[start:number])
