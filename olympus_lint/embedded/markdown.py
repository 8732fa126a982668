"""Markdown: the fenced blocks of Python on a page."""

from __future__ import annotations

import re
from collections.abc import Iterator

from olympus_lint.embedded.doctests import examples
from olympus_lint.embedded.magics import is_python_cell
from olympus_lint.embedded.pieces import Lines, Piece
from olympus_rules.syntax.text import split_lines

LANGUAGE = re.compile(r"(?:\{(?:code-cell|code-block|code|sourcecode)\}\s*|\{\s*\.?)?(?P<name>[\w-]*)", re.IGNORECASE)
PYTHON = frozenset(["python", "python3", "py", "py3", "ipython", "ipython3", "pycon", "python-repl", "testcode"])
PROMPTED = frozenset(["", "text", "console", "doctest", "default"])
"""Further languages of blocks with prompts of Python."""
OPTION = re.compile(r":[\w-]+:")
PROMPT = re.compile(r"\s*>>>(?:\s|$)")


def read_markdown(text: str) -> Lines:
    """Return the blocks of Python on a page, including those in lists and quotations."""
    from markdown_it import MarkdownIt

    lines = split_lines(text)
    pieces: list[Piece] = []
    fences = [token for token in MarkdownIt("commonmark").parse(text) if token.type == "fence" and token.map]
    for number, token in enumerate(fences, 1):
        content = token.content.removesuffix("\n").split("\n") if token.content else []
        first = (token.map or [0])[0] + 1
        raw = lines[first : first + len(content)]
        language = LANGUAGE.match(token.info.strip())
        name = language["name"].lower() if language is not None else ""
        pieces += _pieces(name, content, raw, first + 1, number)
    return Lines(text, pieces)


def _pieces(language: str, content: list[str], raw: list[str], row: int, block: int) -> Iterator[Piece]:
    """Return the pieces of Python in a block, unless the Markdown parser has changed the text before a line."""
    bodies = [line.rstrip("\r\n") for line in raw]
    if len(raw) != len(content) or not all(map(str.endswith, bodies, content)):
        return
    before = [body[: len(body) - len(line)] for body, line in zip(bodies, content, strict=True)]
    lines = [line[len(start) :] for line, start in zip(raw, before, strict=True)]
    while lines and OPTION.match(lines[0]):  # the options of a directive of MyST
        lines, before, row = lines[1:], before[1:], row + 1
    if not "".join(lines).strip():
        return
    has_prompts = any(PROMPT.match(line) for line in lines)
    if has_prompts and language in PYTHON | PROMPTED:
        yield from examples("".join(lines), row, before, block)
    elif language in PYTHON and is_python_cell("".join(lines)):
        yield Piece("".join(lines), row, tuple(before), block)
