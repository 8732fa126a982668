"""The syntax of suppression comments: their places, the rules that they name, and their errors.

``# noqa`` and ``# noqa: OLY104, E501`` hide findings of their line, as in flake8 and ruff.
``# olympus: ignore[OLY104, key-indexing] reason`` does, too, and names only rules of olympus-lint.
On a line of its own, ``# olympus: ignore[...]`` hides the findings of the statement below it.
``# olympus: ignore-file[OLY104] reason`` before the first statement hides the findings of the whole file.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache

from olympus_lint.project.spelling import nearest
from olympus_rules.rules import all_rules
from olympus_rules.syntax.text import split_lines

MARKER = re.compile(r"noqa|olympus:", re.IGNORECASE)
NOQA = re.compile(r"#\s*noqa(?![\w-])(?P<rest>[^#]*)", re.IGNORECASE)
OURS = re.compile(r"#\s*olympus:\s*(?P<verb>[\w-]+)(?P<rest>[^#]*)", re.IGNORECASE)
CODES = re.compile(r"\s*:\s*(?P<names>[A-Z]+\d+\b(?:(?:\s*,\s*|\s+)[A-Z]+\d+\b)*)", re.IGNORECASE)
BRACKETS = re.compile(r"\s*\[(?P<names>[^\]]*)\]")
NAME = re.compile(r"[\w-]+")
PASSED = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING}
GUESSED = 10
"""Unknown names of one comment for which the nearest known one is looked for."""
LAYOUT = {tokenize.ENCODING, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}


class Kind(Enum):
    """How a directive is spelled."""

    NOQA = "noqa"
    IGNORE = "ignore"
    IGNORE_FILE = "ignore-file"


@dataclass(frozen=True, slots=True)
class Listed:
    """A rule as a directive names it.

    Attributes:
        text: the name as written.
        code: the code of the rule; ``None`` for a name of another tool.
        start, end: the columns of the name in its line, counted from 0.
    """

    text: str
    code: str | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Directive:
    """One suppression comment, or part of a comment.

    Attributes:
        kind: how it is spelled.
        row: its line, counted from 1.
        start, end: its columns in the line, counted from 0; a reason in words is part of it.
        listed: the rules that it names; empty for a bare ``# noqa``, which hides everything.
        errors: its errors as sentences; unknown names hide nothing.
        is_alone: whether the comment is alone in its line.
        below: for an ``ignore`` on a line of its own, the rows of the statement below; of a compound one, its header.
    """

    kind: Kind
    row: int
    start: int
    end: int
    listed: tuple[Listed, ...] = ()
    errors: tuple[str, ...] = ()
    is_alone: bool = False
    below: range = range(0)

    @property
    def hides_all(self) -> bool:
        """Say whether this is a bare ``# noqa``."""
        return self.kind is Kind.NOQA and not self.listed and not self.errors


def read_directives(text: str) -> list[Directive]:
    """Return the suppression comments of a text; none if the text cannot be tokenized."""
    if not MARKER.search(text):
        return []
    directives: list[Directive] = []
    code: list[int] = []  # the types of the first tokens that are code
    tokens = tokens_of(text)
    for number, token in enumerate(tokens):
        if token.type == tokenize.COMMENT:
            at_top = code in ([], [tokenize.STRING])  # a docstring may come before
            found = parse_comment(token.string, *token.start, at_top=at_top)
            if not token.line[: token.start[1]].strip():
                below = statement_below(tokens, number)
                found = (
                    replace(each, is_alone=True, below=below if each.kind is Kind.IGNORE else range(0))
                    for each in found
                )
            directives += found
        elif token.type not in LAYOUT and len(code) < 2:
            code.append(token.type)
    return directives


def statement_below(tokens: Sequence[tokenize.TokenInfo], number: int) -> range:
    """Return the rows of the statement below a comment, with its decorators; within a statement, the next row."""
    first = next((n for n in range(number, len(tokens)) if tokens[n].type not in PASSED), len(tokens))
    if first == len(tokens) or tokens[first].type == tokenize.ENDMARKER:
        return range(0)
    row = tokens[first].start[0]
    if not ends_before(tokens, number):
        return range(row, row + 1)
    is_decorated = True
    while is_decorated:
        is_decorated = tokens[first].string == "@"
        while first < len(tokens) - 1 and tokens[first].type != tokenize.NEWLINE:
            first += 1
        last = tokens[first].start[0]
        first = next((n for n in range(first + 1, len(tokens)) if tokens[n].type not in PASSED), first)
    return range(row, last + 1)


def ends_before(tokens: Sequence[tokenize.TokenInfo], number: int) -> bool:
    """Say whether a comment stands between two statements, and not inside a statement."""
    other = {tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT}
    before = next((token.type for token in reversed(tokens[:number]) if token.type not in other), tokenize.NEWLINE)
    return before in (tokenize.NEWLINE, tokenize.ENCODING)


def tokens_of(text: str) -> list[tokenize.TokenInfo]:
    """Return the tokens of a text, with the parser's definition of lines; none if the text cannot be tokenized."""
    lines = "\n".join(line.rstrip("\r\n") for line in split_lines(text)) + "\n"
    try:
        return list(tokenize.generate_tokens(io.StringIO(lines, newline="\n").readline))
    except (tokenize.TokenError, SyntaxError):
        return []


class CommentRows:
    """For each row of a text, the row at the end of which its comment stands.

    If a line ends inside a string or with a backslash, this is the row at which the string or the continued line ends.
    """

    def __init__(self, text: str) -> None:
        """Tokenize the text."""
        self._next: dict[int, int] = {}
        f_strings: list[int] = []
        previous: tokenize.TokenInfo | None = None
        for token in tokens_of(text):
            first, last = token.start[0], token.end[0]
            kind = tokenize.tok_name[token.type]
            if kind in ("FSTRING_START", "TSTRING_START"):  # Python 3.12 and later
                f_strings.append(first)
            elif kind in ("FSTRING_END", "TSTRING_END"):
                first = f_strings.pop()
            elif previous is not None and previous.type not in {*LAYOUT, tokenize.COMMENT}:
                first = min(first, previous.end[0])  # a new row without an end of line: a backslash
            if token.type != tokenize.ENDMARKER:
                self._next.update({row: last for row in range(first, last) if self._next.get(row, 0) < last})
            previous = token

    def of(self, row: int) -> int:
        """Return the row of the comment for a row."""
        while row in self._next:
            row = self._next[row]
        return row


def parse_comment(comment: str, row: int, column: int, *, at_top: bool) -> Iterator[Directive]:
    """Return the directives of one comment.

    Args:
        comment: the comment with its ``#``.
        row: its row, counted from 1.
        column: its first column, counted from 0.
        at_top: whether it precedes all statements.
    """
    for match in NOQA.finditer(comment):
        found = parse_noqa(match, row, column)
        if found is not None:
            yield found
    for match in OURS.finditer(comment):
        found = parse_ours(match, row, column, at_top)
        if found is not None:
            yield found


def parse_noqa(match: re.Match[str], row: int, column: int) -> Directive | None:
    """Return the directive of a ``# noqa``; ``None`` if it is meant for another tool and hides nothing."""
    rest = match["rest"]
    start = column + match.start()
    codes = CODES.match(rest)
    if codes is not None:
        listed, unknown = read_names(codes["names"], column + match.start("rest") + codes.start("names"))
        errors = [error for name, error in unknown if name.upper().startswith("OLY")]
        return Directive(Kind.NOQA, row, start, column + match.start("rest") + codes.end(), listed, tuple(errors))
    words = [word for word in NAME.findall(rest) if code_of(word) or word.upper().startswith("OLY")]
    if words:
        code = code_of(words[0]) or "OLY104"
        error = f"`# noqa` takes codes after a colon; write `# noqa: {code}`"
        return Directive(Kind.NOQA, row, start, column + len(match[0].rstrip()) + match.start(), (), (error,))
    if rest.lstrip().startswith(":"):
        return None
    return Directive(Kind.NOQA, row, start, column + match.start("rest"))


def parse_ours(match: re.Match[str], row: int, column: int, at_top: bool) -> Directive | None:
    """Return the directive of a ``# olympus:``; ``None`` if the words after it are prose."""
    verb = match["verb"].lower()
    near = nearest(verb, [Kind.IGNORE.value, Kind.IGNORE_FILE.value])
    if near is None:
        return None
    kind = Kind(near)
    start, end = column + match.start(), column + match.start() + len(match[0].rstrip())
    brackets = BRACKETS.match(match["rest"])
    listed, unknown = read_names(
        brackets["names"] if brackets else "",
        column + match.start("rest") + (brackets.start("names") if brackets else 0),
    )
    errors = [error for _, error in unknown]
    if verb != kind.value:
        errors = [f"`{match['verb']}` is not a suppression; did you mean `{kind.value}`?"]
    elif not brackets or not (listed or errors):
        errors = [f"name the rules in brackets: `# olympus: {kind.value}[OLY104]`"]
    elif kind is Kind.IGNORE_FILE and not at_top:
        errors = ["`ignore-file` counts only before the first statement; move it to the top of the file"]
    else:
        return Directive(kind, row, start, end, listed, tuple(errors))
    return Directive(kind, row, start, end, (), tuple(errors))


def read_names(names: str, column: int) -> tuple[tuple[Listed, ...], list[tuple[str, str]]]:
    """Read the names in a list; return the known ones, and each unknown one with an error."""
    listed = tuple(
        Listed(match[0], code_of(match[0]), column + match.start(), column + match.end())
        for match in NAME.finditer(names)
    )
    unknown = [each.text for each in listed if each.code is None]
    return listed, [(name, unknown_rule(name, guess=number < GUESSED)) for number, name in enumerate(unknown)]


def code_of(name: str) -> str | None:
    """Return the code of a rule by its code, ignoring case, or its name."""
    rules = all_rules()
    if name.upper() in rules:
        return name.upper()
    return next((code for code, rule in rules.items() if rule.name == name), None)


@lru_cache(1000)
def unknown_rule(name: str, *, guess: bool) -> str:
    """Return the error for an unknown name, with the nearest known one if this is to be guessed, which takes time."""
    near = nearest(name, [*all_rules(), *(rule.name for rule in all_rules().values())]) if guess else None
    return f"there is no rule `{name}`" + (f"; did you mean `{near}`?" if near else "")
