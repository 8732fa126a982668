"""Whether a text is Python: for the Python that runs this, for a newer one, or for none."""

from __future__ import annotations

import ast
import re
import sys
import warnings
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from olympus_rules.syntax.document import decode

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["NOT_PARSED", "Newer", "newer_syntax", "parse_error", "promised"]

NOT_PARSED = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What parsing raises."""

RUNNING = sys.version_info[:2]
LARGEST = 1_000_000  # characters that are read with LibCST

HINT = re.compile(r"\[|^\s*type\s|\b[fFrRtT]{1,2}['\"]|^\s*except\b", re.MULTILINE)
"""What newer syntax cannot do without: a bracket, ``type``, a formatted string, ``except``."""

CLAUSE = re.compile(r"\s*(===?|~=|!=|<=|>=|<|>)\s*(\d+)(?:\.(\d+)(\.\d+)?)?")


class Newer(NamedTuple):
    """Syntax that the running Python does not have.

    Attributes:
        release: the first Python that has it.
        what: what it is called.
        row: its row.
    """

    release: tuple[int, int]
    what: str
    row: int


def parse_error(data: bytes) -> Exception | None:
    """Return why a file is no Python; ``None`` where it is.

    The tables of symbols come first: making them takes two thirds of the time, and half of the memory, of a tree of
    Python's objects. What they alone refuse is no matter of syntax.
    """
    import symtable

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            symtable.symtable(data, "<file>", "exec")  # type: ignore[arg-type]  # it takes bytes as `compile` does
            return None
        except NOT_PARSED:
            pass
        try:
            compile(decode(data), "<file>", "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
        except NOT_PARSED as error:
            return error
    return None


def newer_syntax(text: str) -> Newer | None:
    """Return the newest syntax in a text that a newer Python can parse; ``None`` for what none can.

    LibCST's parser knows newer syntax. Since it also takes some texts that no Python does, what is newer is written
    in the old way, and then the running Python has to parse the text.
    """
    if len(text) > LARGEST or not HINT.search(text):
        return None
    import libcst as cst
    from libcst.metadata import MetadataWrapper

    try:
        wrapper = MetadataWrapper(cst.parse_module(text))
        older = _writer()()
        old = wrapper.visit(older).code
        found: list[Newer] = older.found
        if not found:
            return None
        ast.parse(old)
    except (*NOT_PARSED, cst.ParserSyntaxError, cst.CSTValidationError):
        return None
    newest = max(each.release for each in found)
    return next(each for each in found if each.release == newest)


@cache
def _writer() -> Callable[[], Any]:
    """Return the class that writes newer syntax in the old way and keeps what it has found."""
    import libcst as cst
    from libcst.metadata import PositionProvider

    class Older(cst.CSTTransformer):
        METADATA_DEPENDENCIES = (PositionProvider,)

        def __init__(self) -> None:
            super().__init__()
            self.found: list[Newer] = []

        def note(self, node: cst.CSTNode, release: tuple[int, int], what: str) -> bool:
            if release <= RUNNING:
                return False
            row = self.get_metadata(PositionProvider, node).start.line
            self.found.append(Newer(release, what, row))
            return True

        def leave_FunctionDef(self, node: cst.FunctionDef, new: cst.FunctionDef) -> Any:
            return self.without_types(node, new)

        def leave_ClassDef(self, node: cst.ClassDef, new: cst.ClassDef) -> Any:
            return self.without_types(node, new)

        def without_types(self, node: Any, new: Any) -> Any:
            if node.type_parameters is None:
                return new
            has_default = any(param.default is not None for param in node.type_parameters.params)
            if has_default and self.note(node, (3, 13), "a type parameter with a default"):
                return new.with_changes(type_parameters=None)
            if self.note(node, (3, 12), "a list of type parameters"):
                return new.with_changes(type_parameters=None)
            return new

        def leave_TypeAlias(self, node: cst.TypeAlias, new: cst.TypeAlias) -> Any:
            if not self.note(node, (3, 12), "a `type` statement"):
                return new
            return cst.Assign([cst.AssignTarget(new.name)], new.value)

        def leave_FormattedString(self, node: cst.FormattedString, new: cst.FormattedString) -> Any:
            if _parses(cst.Module([]).code_for_node(node)):
                return new
            self.note(node, (3, 12), "an f-string with quotes, a backslash or a comment inside its braces")
            return cst.SimpleString("''")

        def leave_TemplatedString(self, node: Any, new: Any) -> Any:
            return cst.SimpleString("''") if self.note(node, (3, 14), "a t-string") else new

        def leave_ExceptHandler(self, node: cst.ExceptHandler, new: cst.ExceptHandler) -> Any:
            return self.with_parentheses(node, new)

        def leave_ExceptStarHandler(self, node: Any, new: Any) -> Any:
            return self.with_parentheses(node, new)

        def with_parentheses(self, node: Any, new: Any) -> Any:
            bare = isinstance(node.type, cst.Tuple) and not node.type.lpar
            if not bare or not self.note(node, (3, 14), "an `except` clause with several types and no parentheses"):
                return new
            return new.with_changes(type=new.type.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()]))

    return Older


def _parses(expression: str) -> bool:
    try:
        ast.parse(f"({expression})")
    except NOT_PARSED:
        return False
    return True


def promised(filename: str) -> str | None:
    """Return the ``requires-python`` of the nearest ``pyproject.toml``, if it admits the running Python."""
    wanted = _requires_python(Path(filename).absolute().parent)
    return wanted if wanted and _admits(wanted) else None


def _requires_python(folder: Path) -> str | None:
    import tomllib

    for parent in (folder, *folder.parents):
        try:
            table = tomllib.loads((parent / "pyproject.toml").read_text(encoding="utf-8"))
        except OSError:
            continue
        except ValueError:
            return None
        project = table.get("project")
        wanted = project.get("requires-python") if isinstance(project, dict) else None
        return wanted if isinstance(wanted, str) else None
    return None


def _admits(wanted: str) -> bool:
    """Say whether a version specifier admits some release of the running Python; not one that cannot be read."""
    for clause in wanted.split(","):
        match = CLAUSE.match(clause)
        if match is None:
            return False
        relation, major, minor = match[1], int(match[2]), match[3]
        given = (major,) if minor is None else (major, int(minor))
        if not _holds(relation, RUNNING[: len(given)], given, patch=match[4] is not None):
            return False
    return True


def _holds(relation: str, running: tuple[int, ...], given: tuple[int, ...], *, patch: bool) -> bool:
    """Say whether a clause admits some release of the running Python; ``patch`` says that it names a patch release."""
    if relation == "~=":
        return running == given if patch else running >= given and running[0] == given[0]
    if relation in ("==", "==="):
        return running == given
    if relation == "!=":
        return running != given or patch
    if relation == "<":
        return running < given or (patch and running == given)
    return running <= given if relation == "<=" else running >= given
