"""The pieces of a file: joined to one module, and put back."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from olympus_lint.embedded.doctests import read_doctests
from olympus_lint.embedded.magics import Aside, set_aside, without_prompts
from olympus_lint.embedded.markdown import read_markdown
from olympus_lint.embedded.notebook import Notebook, read_notebook
from olympus_lint.embedded.pieces import Holder, Piece, parsed
from olympus_lint.embedded.places import Places, Source
from olympus_lint.files.problems import Problem
from olympus_lint.files.sources import InputError
from olympus_lint.files.validity import NOT_PARSED
from olympus_rules.finding import Finding
from olympus_rules.syntax.text import split_lines

SIGN = "# olympus-lint: "
ASIDE = "_aside"
INDENT = "    "
ENDS = ("\n", "\r")
WORTH_A_NOTE = re.compile("jax|PRNG|random")


@dataclass(frozen=True, slots=True)
class Unparsed:
    """A piece that cannot be parsed, its code without magics, and the error.

    Attributes:
        is_ipython: whether IPython can run it: IPython removes prompts and the indentation of the first line.
    """

    piece: Piece
    code: str
    error: Exception
    is_ipython: bool


@dataclass(frozen=True, slots=True)
class Embedded:
    """A file that holds pieces of Python.

    Attributes:
        filename: the path as the user gave it.
        kind: ``ipynb``, ``markdown`` or ``python``, whose pieces are the examples in docstrings.
        file: the text of the file.
        holder: its pieces, and the method that puts them back.
        text: the pieces as one module; the examples of a Python file follow its own text.
        added: the line end that was added to the last line of a Python file.
        sign: the prefix of the comments that mark pieces.
        used: the numbers of the pieces that can be parsed.
        aside: the magics that were replaced.
        places: the places of the module's rows in the file.
        unparsed: the pieces that cannot be parsed and stay unchanged.
    """

    filename: str
    kind: str
    file: str
    holder: Holder
    text: str
    added: str
    sign: str
    used: tuple[int, ...]
    aside: tuple[Aside, ...]
    places: Places
    unparsed: tuple[Unparsed, ...]

    @property
    def notes(self) -> tuple[Problem, ...]:
        """Return notes on the pieces that stay unchanged; a cell with invalid syntax is a finding instead."""
        quiet = [each for each in self.unparsed if self.kind != "ipynb" or each.is_ipython]
        return tuple(note for each in quiet for note in _left_alone(self.filename, each.piece, each.error))

    @property
    def broken(self) -> list[Unparsed]:
        """Return the cells of a notebook with invalid syntax."""
        return [each for each in self.unparsed if self.kind == "ipynb" and not each.is_ipython]

    @property
    def sources(self) -> dict[int | None, Source]:
        """Return the text of each cell, or that of the file."""
        if isinstance(self.holder, Notebook):
            return {piece.cell: self.holder.source(number) for number, piece in enumerate(self.holder.pieces)}
        return {None: Source(self.file)}

    def put_back(self, module: str) -> str:
        """Return the text of the file for a rewritten module.

        Raises:
            InputError: a mark between pieces is missing, or the file cannot hold the new lines.
        """
        return self.file if module == self.text else self.read_back(module).file

    def places_of(self, module: str) -> Places:
        """Return the places of a rewritten module's rows in the rewritten file.

        Raises:
            InputError: as :meth:`put_back`.
        """
        return self.places if module == self.text else self.read_back(module).places

    def read_back(self, module: str) -> Embedded:
        """Return the rewritten file, read again.

        Raises:
            InputError: as :meth:`put_back`.
        """
        head, codes = self._cut(module)
        holder = self.holder
        if self.kind == "python":
            holder = read_doctests(head)
            if len(holder.pieces) != len(self.holder.pieces):
                raise InputError("cannot be rewritten: its docstrings would change.")
        changed = {number: code for number, code in codes.items() if code != holder.pieces[number].code}
        try:
            new = holder.put_back(changed)
            again = read(self.filename, new, self.kind)
        except NOT_PARSED:
            again = None
        if again is None or _essence(again, again.text) != _essence(self, module):
            raise InputError("cannot be rewritten: a changed line would merge with the text around it.")
        return again

    def with_new_docstrings(self, module: str) -> str:
        """Return a rewritten module whose docstrings have the rewritten examples, as an import may be read there only.

        It stays as it is where the examples are divided otherwise then.

        Raises:
            InputError: as :meth:`put_back`.
        """
        if self.kind != "python" or module == self.text:
            return module
        again = self.read_back(module)
        return again.text if again.used == self.used and again.sign == self.sign else module

    def _cut(self, module: str) -> tuple[str, dict[int, str]]:
        """Return the text before the pieces, and the code of each piece.

        Raises:
            InputError: a piece is missing.
        """
        head: list[str] = []
        pieces: dict[int, list[str]] = {}
        current = head
        for line in split_lines(module):
            if line.startswith(self.sign):
                kind, name, *_ = line[len(self.sign) :].split()
                current = pieces.setdefault(int(name), []) if kind == "piece" else []
            else:
                current.append(line)
        if tuple(pieces) != self.used:
            raise InputError("cannot be rewritten: a mark between its pieces of code is missing.")
        codes = {number: self._restored(number, lines) for number, lines in pieces.items()}
        before = "".join(head)
        if self.kind == "python":
            return before.removesuffix(self.added), codes
        if before and codes:  # an import, before the first comment
            codes[self.used[0]] = before + codes[self.used[0]]
        return "", codes

    def _restored(self, number: int, lines: Sequence[str]) -> str:
        """Return the code of a piece from its lines in the module."""
        code = "".join(line.removeprefix(INDENT) for line in lines) if self.kind == "python" else "".join(lines)
        for each in self.aside:
            code = code.replace(each.name, each.magic)
        if self.holder.pieces[number].code.endswith(ENDS):
            return code
        return code.removesuffix("\n").removesuffix("\r")  # the line end was added

    @property
    def is_worth_while(self) -> bool:
        """Say whether a piece may use random keys."""
        return any(
            WORTH_A_NOTE.search(piece.code) or (piece.output and "PRNGKey" in self.file)
            for piece in map(self.holder.pieces.__getitem__, self.used)
        )

    def is_parted(self, module: str, finding: Finding) -> bool:
        """Say whether the places of a finding on the module lie in different blocks of the file."""
        block, blocks = "", []
        for line in split_lines(module):
            block = line.split()[-1] if line.startswith(self.sign) else block
            blocks.append(block)
        rows = [finding.span.start.row]
        rows += [each.span.start.row for each in finding.related if each.filename == finding.filename]
        return len({blocks[row - 1] for row in rows if row <= len(blocks)}) > 1


def _essence(embedded: Embedded, module: str) -> str:
    """Return the code of all pieces without their borders: an example becomes two when an import is added to it."""
    _, codes = embedded._cut(module)
    return "\n".join(code.strip() for code in codes.values() if code.strip())


def read(filename: str, text: str, kind: str) -> Embedded:
    """Read a file that holds pieces of Python; pieces that cannot be parsed stay unchanged.

    Args:
        filename: the path as the user gave it.
        text: its text.
        kind: ``ipynb``, ``markdown``, or ``python`` for the examples in its docstrings.

    Raises:
        InputError: the file is not of this kind.
    """
    if kind == "ipynb":
        return _joined(filename, kind, text, read_notebook(text))
    return _joined(filename, kind, text, read_doctests(text) if kind == "python" else read_markdown(text))


@dataclass(frozen=True, slots=True)
class Readable:
    """A piece that can be parsed: its number, its code without magics, and the magics."""

    number: int
    piece: Piece
    code: str
    magics: tuple[Aside, ...] = ()


def _joined(filename: str, kind: str, text: str, holder: Holder) -> Embedded:
    """Join the pieces of a file."""
    sign, word = SIGN, ASIDE
    while sign in text or word in text:
        sign, word = sign.replace(":", "_:"), f"{word}_"
    newline = "\r\n" if "\r\n" in text and kind != "ipynb" else "\n"
    head = text if kind == "python" else ""
    added = newline if head and not head.endswith(ENDS) else ""
    indent = INDENT if kind == "python" else ""
    readable, unparsed = _readable(holder, word)
    assumed = "import jax" if kind != "ipynb" and _assumes_jax(head, readable) else ""
    made = [head, added]
    rows = len(split_lines(head)) if head else 0
    places: list[tuple[int | None, int, int]] = [(None, row + 1, 0) for row in range(rows)]
    block = 0
    for each in readable:
        piece = each.piece
        before = [f"{sign}piece {each.number} of {piece.block}"]
        if kind == "python" and piece.block != block:
            name = f"def _examples_{piece.block}_():"
            before = [f"{sign}docstring {piece.block}", name, f"{indent}{assumed or 'pass'}", *before]
        elif assumed and not block:
            before = [f"{sign}assumed {piece.block}", assumed, *before]
        end = (places[-1][0], places[-1][1] + 1, 0) if block else (piece.cell, piece.row, 0)
        places += [end] * len(before)
        block = piece.block
        lines = split_lines(each.code)
        made += [f"{line}{newline}" for line in before]
        made += [f"{indent}{line}" if line.strip() else line for line in lines]
        made += [] if each.code.endswith(ENDS) else [newline]
        shifts = {magic.row: magic.shift for magic in each.magics}
        places += [
            (piece.cell, piece.row + row, len(start) - len(indent) + shifts.get(row, 0))
            for row, start in zip(range(len(lines)), piece.before, strict=True)
        ]
    return Embedded(
        filename,
        kind,
        text,
        holder,
        "".join(made),
        added,
        sign,
        tuple(each.number for each in readable),
        tuple(magic for each in readable for magic in each.magics),
        Places(tuple(places)),
        tuple(unparsed),
    )


def _readable(holder: Holder, word: str) -> tuple[list[Readable], list[Unparsed]]:
    """Return the pieces that can be parsed, and those that cannot."""
    found: list[Readable] = []
    unparsed: list[Unparsed] = []
    aside = 0
    for number, piece in enumerate(holder.pieces):
        each = Readable(number, piece, piece.code)
        error = _error(each.code)
        if error is not None and not piece.prompts:
            code, magics = set_aside(piece.code, word, aside)
            each = Readable(number, piece, code, tuple(magics))
            error = _error(code)
        if error is None:
            found.append(each)
            aside += len(each.magics)
        else:
            unparsed.append(Unparsed(piece, each.code, error, _error(without_prompts(each.code)) is None))
    return found, unparsed


def _assumes_jax(head: str, readable: Sequence[Readable]) -> bool:
    """Say whether examples use ``jax`` without an import in the file, as if their runner had imported it."""
    if not any("jax." in each.code for each in readable):
        return False
    imported = (
        alias.asname or alias.name.partition(".")[0]
        for code in (head, *(each.code for each in readable))
        if "jax" in code
        for node in ast.walk(parsed(code))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    )
    return "jax" not in imported


def _error(code: str) -> Exception | None:
    """Return why code cannot be parsed."""
    try:
        parsed(code)
    except NOT_PARSED as error:
        return error
    return None


def _left_alone(filename: str, piece: Piece, error: Exception) -> Iterator[Problem]:
    """Yield a note on a piece that stays unchanged, if it may use random keys."""
    if WORTH_A_NOTE.search(piece.code):
        row = piece.row - 1 + (getattr(error, "lineno", None) or 1)
        where = f"cell {piece.cell}" if piece.cell is not None else f"the code that begins on line {piece.row}"
        cause = f"{getattr(error, 'msg', None) or error}, line {row}"
        yield Problem(filename, f"{where} cannot be parsed ({cause}), so it is not changed.")
