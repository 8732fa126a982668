"""Edits of import statements: a line added, a name added to or taken out of ``from … import …``."""

from __future__ import annotations

import ast
import itertools
import sys
from collections.abc import Iterable, Sequence

import libcst as cst

from olympus_codemods.editing.rewriting import comments, ending
from olympus_codemods.editing.scopes import block_of
from olympus_rules.finding import Edit, Position, Span
from olympus_rules.syntax import Document
from olympus_rules.syntax.document import first_line


def add_lines(document: Document, imports: Sequence[str]) -> Edit:
    """Return the edit that adds import statements of modules among the imports at the top of the file.

    They are placed as a sorter of imports would, beside the file's other imports of JAX or of libraries.
    Without imports they follow the docstring, else they stand before the first statement.
    """
    top = _imports_at_the_top(document)
    if not top:
        body = document.tree.body
        first = 1 if ast.get_docstring(document.tree, clean=False) is not None else 0
        if first:
            return _after(document, body[0].end_lineno or 1, imports)
        row = first_line(body[0]) if body else len(document.lines)
        return _insertion(row, "".join(line + ending(document, row) for line in imports))
    section = _section(top)
    following, last = _neighbours(section, imports[0].split()[1]) if section else (None, top[-1])
    if following is not None:
        return _insertion(following.lineno, "".join(line + ending(document, following.lineno) for line in imports))
    row = last.end_lineno or last.lineno
    for statement in document.tree.body:  # further statements after a semicolon
        if statement.lineno <= row:
            row = max(row, statement.end_lineno or row)
    return _after(document, row, imports)


def _imports_at_the_top(document: Document) -> list[ast.Import | ast.ImportFrom]:
    """Return the imports at the start of the file, without those from ``__future__`` if there are others."""
    found: list[ast.Import | ast.ImportFrom] = []
    body = document.tree.body
    for statement in body[ast.get_docstring(document.tree, clean=False) is not None :]:
        if not isinstance(statement, ast.Import | ast.ImportFrom):
            break
        found.append(statement)
    return [statement for statement in found if _module(statement) != "__future__"] or found


def _module(statement: ast.Import | ast.ImportFrom) -> str:
    if isinstance(statement, ast.Import):
        return statement.names[0].name
    return "." * statement.level + (statement.module or "")


def _section(top: list[ast.Import | ast.ImportFrom]) -> list[ast.Import | ast.ImportFrom]:
    """Return the block of imports to which those of JAX belong: the one with JAX in it, else the last of libraries.

    Empty when all imports are of the standard library.
    """
    sections = [[top[0]]]
    for before, statement in itertools.pairwise(top):
        if statement.lineno > (before.end_lineno or before.lineno) + 1:
            sections.append([])
        sections[-1].append(statement)

    def roots(section: list[ast.Import | ast.ImportFrom]) -> set[str]:
        return {_module(statement).partition(".")[0] for statement in section}

    of_jax = [section for section in sections if "jax" in roots(section)]
    of_libraries = [section for section in sections if roots(section) - sys.stdlib_module_names - {""}]
    return of_jax[0] if of_jax else of_libraries[-1] if of_libraries else []


def _neighbours(
    section: list[ast.Import | ast.ImportFrom], module: str
) -> tuple[ast.Import | ast.ImportFrom | None, ast.Import | ast.ImportFrom]:
    """Return the import before which a new one of a module belongs, if any, and the last one before it."""
    plain = list(itertools.takewhile(lambda statement: isinstance(statement, ast.Import), section))
    mixed = any(isinstance(statement, ast.Import) for statement in section[len(plain) :])
    rows = section if mixed else plain
    if not rows:
        return section[0], section[0]
    names = [_module(statement).lower() for statement in rows]
    if names == sorted(names):
        following = next((row for row, name in zip(rows, names, strict=True) if name > module), None)
        return following, rows[-1]
    return None, rows[-1]


def add_to_block(document: Document, block: ast.If, imports: Sequence[str]) -> Edit:
    """Return the edit that adds import statements at the end of a block of them."""
    last = block.body[-1]
    indent = document.lines[last.lineno - 1][: document.position(last.lineno, last.col_offset).column - 1]
    if indent.strip():  # if TYPE_CHECKING: import typing
        return add_lines(document, imports)
    return _after(document, last.end_lineno or last.lineno, [indent + line for line in imports])


def _after(document: Document, row: int, imports: Sequence[str]) -> Edit:
    newline = ending(document, row)
    last = document.lines[row - 1]
    if last.endswith(("\n", "\r")):
        return _insertion(row + 1, "".join(line + newline for line in imports))
    end = Position(row, len(last) + 1)
    return Edit(Span(end, end), "".join(newline + line for line in imports))


def _insertion(row: int, content: str) -> Edit:
    return Edit(Span(Position(row, 1), Position(row, 1)), content)


def change_names(
    document: Document, statement: ast.ImportFrom, add: Iterable[str] = (), remove: Iterable[str] = ()
) -> Edit | None:
    """Return the edit that adds and removes names of a ``from … import …`` statement.

    Added names are sorted in if the names are in order, else appended. ``None`` if there is a comment between
    the names, as its place would be a guess, or if no name would be left.
    """
    fragment = document.fragment(statement)
    span = document.span(statement)
    node = next((n for n in fragment.at(span) if isinstance(n, cst.ImportFrom)), None) if fragment else None
    if node is None or fragment is None or isinstance(node.names, cst.ImportStar):
        return None
    if comments(node):
        return None
    dropped = set(remove)
    kept = [alias for alias in node.names if alias.evaluated_name not in dropped]
    for name in add:
        names = [alias.evaluated_name for alias in kept]
        in_order = names == sorted(names) or names == sorted(names, key=str.lower)
        place = sum(other.lower() < name.lower() for other in names) if in_order else len(names)
        kept.insert(place, cst.ImportAlias(cst.Name(name)))
    if not kept:
        return None
    changed = node.with_changes(names=_with_commas(node, kept), semicolon=cst.MaybeSentinel.DEFAULT)
    return Edit(span, fragment.code(changed))  # a semicolon is outside of the span


def _with_commas(node: cst.ImportFrom, names: Sequence[cst.ImportAlias]) -> list[cst.ImportAlias]:
    """Return names with the separators that the statement uses."""
    assert not isinstance(node.names, cst.ImportStar)
    separator = node.names[0].comma
    if len(node.names) == 1 or not isinstance(separator, cst.Comma):
        space = node.lpar.whitespace_after if node.lpar else cst.SimpleWhitespace(" ")
        separator = cst.Comma(whitespace_after=space if not space.empty else cst.SimpleWhitespace(" "))
    *others, last = names
    trailing = node.names[-1].comma
    return [*(name.with_changes(comma=separator) for name in others), last.with_changes(comma=trailing)]


def delete_statement(document: Document, statement: ast.stmt, instead: Sequence[str] = ()) -> Edit | None:
    """Return the edit that deletes a statement, ``None`` unless its lines hold nothing else.

    Args:
        document: the file.
        statement: the statement.
        instead: statements that take its place; the only statement of a block needs a replacement.
    """
    span = document.span(statement)
    before = document.lines[span.start.row - 1][: span.start.column - 1]
    after = document.lines[span.end.row - 1][span.end.column - 1 :]
    if before.strip() or after.strip():
        return None
    if instead:
        return Edit(span, f"{ending(document, span.end.row)}{before}".join(instead))
    if not isinstance(document.parents.get(statement), ast.Module) and len(block_of(document, statement)) < 2:
        return None
    return Edit(Span(Position(span.start.row, 1), Position(span.end.row + 1, 1)), "")
