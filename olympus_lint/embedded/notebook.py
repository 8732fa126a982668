"""Notebooks: the code cells of an ``.ipynb`` file, and the file with rewritten cells."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from olympus_lint.embedded.magics import is_python_cell
from olympus_lint.embedded.pieces import Piece
from olympus_lint.embedded.places import Source
from olympus_lint.files.sources import InputError
from olympus_rules.finding import Position
from olympus_rules.syntax.text import split_lines

BLANK = re.compile(r"[ \t\r\n]*")
DECODER = json.JSONDecoder()
PYTHON = ("python", "ipython")


class NotANotebook(InputError):
    """A file with the suffix of a notebook is no notebook.

    Attributes:
        cause: the first violation of the format.
    """

    def __init__(self, cause: str) -> None:
        """Take the cause."""
        super().__init__(f"cannot be read as a notebook of format 4 ({cause}); repair or exclude it.")
        self.cause = cause


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a JSON text, and its place in the text."""

    value: Any
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Notebook:
    """A notebook.

    Attributes:
        text: the JSON.
        pieces: the code cells that are Python.
        sources: the place of each piece's code in the JSON.
    """

    text: str
    pieces: Sequence[Piece]
    sources: Sequence[Value]

    def put_back(self, codes: Mapping[int, str]) -> str:
        """Return the JSON with rewritten cells; all other text stays the same."""
        text = self.text
        for number in sorted(codes, reverse=True):
            source = self.sources[number]
            text = f"{text[: source.start]}{_written(self.text, source, codes[number])}{text[source.end :]}"
        return text

    def source(self, number: int) -> Source:
        """Return a piece with its place in the JSON."""
        value = self.sources[number]
        before = self.text[: value.start]
        start = Position(before.count("\n") + 1, value.start - before.rfind("\n"))
        return Source(self.pieces[number].code, self.text[value.start : value.end], start)


def read_notebook(text: str) -> Notebook:
    """Read a notebook.

    Raises:
        NotANotebook: the text is no notebook.
        InputError: the notebook has an older format.
    """
    try:
        json.loads(text)  # reports invalid JSON with its position, also after the cells
        top = dict(_members(text, _skip(text, 0)))
        if "cells" not in top and "worksheets" in top:
            raise InputError("is a notebook of format 3; convert it with `jupyter nbconvert --to notebook --inplace`.")
        cells = [dict(_members(text, cell.start)) for cell in _items(text, top["cells"].start)]
        sources = [cell["source"] for cell in cells]
        kinds = [cell["cell_type"].value for cell in cells]
        codes = [_text(source.value) for source in sources]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        cause = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise NotANotebook(cause) from None
    is_code = [kind == "code" for kind in kinds] if _is_python(top.get("metadata")) else [False] * len(cells)
    chosen = [number for number, code in enumerate(codes) if is_code[number] and is_python_cell(code)]
    pieces = [
        Piece(codes[number], 1, ("",) * len(split_lines(codes[number])), number + 1, number + 1) for number in chosen
    ]
    return Notebook(text, pieces, [sources[number] for number in chosen])


def _text(source: Any) -> str:
    """Return the source of a cell: a text, or a list of texts."""
    if not isinstance(source, str | list):
        raise ValueError("a cell whose source is no text")
    return "".join(source)


def _is_python(metadata: Value | None) -> bool:
    """Say whether the language of a notebook is Python, which is the default."""
    named = metadata.value if metadata is not None and isinstance(metadata.value, dict) else {}
    for table, key in (("language_info", "name"), ("kernelspec", "language")):
        part = named.get(table)
        language = part.get(key) if isinstance(part, dict) else None
        if isinstance(language, str):
            return language.lower() in PYTHON
    return True


def _members(text: str, start: int) -> Iterator[tuple[str, Value]]:
    """Return the members of the JSON object that begins at a place."""
    for key in _parts(text, start, "{}"):
        colon = _skip(text, key.end)
        if text[colon : colon + 1] != ":":
            raise ValueError("expected a colon")
        value = _value(text, _skip(text, colon + 1))
        yield key.value, value


def _items(text: str, start: int) -> Iterator[Value]:
    """Return the elements of the JSON array that begins at a place."""
    yield from _parts(text, start, "[]")


def _parts(text: str, start: int, brackets: str) -> Iterator[Value]:
    """Return the elements of an array, or the keys of an object."""
    if text[start : start + 1] != brackets[0]:
        raise ValueError(f"expected {brackets[0]} at character {start + 1}")
    place = _skip(text, start + 1)
    while text[place : place + 1] != brackets[1]:
        part = _value(text, place)
        yield part
        place = part.end
        if brackets == "{}":
            place = _value(text, _skip(text, _skip(text, place) + 1)).end
        place = _skip(text, place)
        if text[place : place + 1] == ",":
            place = _skip(text, place + 1)
        elif text[place : place + 1] != brackets[1]:
            raise ValueError(f"expected {brackets[1]} at character {place + 1}")


def _value(text: str, start: int) -> Value:
    value, end = DECODER.raw_decode(text, start)
    return Value(value, start, end)


def _skip(text: str, place: int) -> int:
    match = BLANK.match(text, place)
    return match.end() if match is not None else place


def _written(text: str, source: Value, code: str) -> str:
    """Return code as JSON, in the form of the source that it replaces; equal lines keep their spelling."""
    old = text[source.start : source.end]
    to_ascii = old.isascii() and "\\u" in old.lower()  # every character is escaped
    if isinstance(source.value, str):
        return _quoted(code, to_ascii=to_ascii)
    items = list(_items(text, source.start))
    known = {item.value: text[item.start : item.end] for item in items}
    by_line = [item.value for item in items] == "".join(source.value).splitlines(keepends=True)
    lines = code.splitlines(keepends=True) if by_line else [code]
    shown = [known.get(line) or _quoted(line, to_ascii=to_ascii) for line in lines]
    if not items:
        return f"[{', '.join(shown)}]"
    lead, tail = text[source.start + 1 : items[0].start], text[items[-1].end : source.end - 1]
    between = text[items[0].end : items[1].start] if len(items) > 1 else f",{lead or ' '}"
    return f"[{lead}{between.join(shown)}{tail}]" if shown else "[]"


def _quoted(text: str, *, to_ascii: bool) -> str:
    """Return a text as JSON; a lone surrogate has to be escaped."""
    return json.dumps(text, ensure_ascii=to_ascii or any("\ud800" <= character <= "\udfff" for character in text))
