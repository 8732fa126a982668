"""Whether a file is Python for the running interpreter, and which interpreters its project promises to support."""

from __future__ import annotations

import ast
import re
import sys
import warnings
from pathlib import Path

from olympus_rules.syntax import disk
from olympus_rules.syntax.text import decode
from olympus_rules.syntax.toml import read_toml

NOT_PARSED = (SyntaxError, ValueError, RecursionError, MemoryError)
"""The exceptions that parsing raises."""

RUNNING = sys.version_info[:2]


CLAUSE = re.compile(r"\s*(===?|~=|!=|<=|>=|<|>)\s*(\d+)(?:\.(\d+)(\.\d+)?)?")


def parse_error(data: bytes) -> Exception | None:
    """Return the error of a file that cannot be parsed; ``None`` for valid Python.

    The symbol table comes first: it takes two thirds of the time, and half of the memory, of a syntax tree. It also
    rejects valid syntax, so the parser decides where it fails.
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


def promised(filename: str) -> str | None:
    """Return the ``requires-python`` of the nearest ``pyproject.toml``, if it admits the running Python."""
    wanted = _requires_python(disk.absolute(filename).parent)
    return wanted if wanted and _admits(wanted) else None


def _requires_python(folder: Path) -> str | None:
    for parent in (folder, *folder.parents):
        try:
            table = read_toml(disk.read(parent / "pyproject.toml").decode())
        except OSError:
            continue
        except ValueError:
            return None
        project = table.get("project")
        wanted = project.get("requires-python") if isinstance(project, dict) else None
        return wanted if isinstance(wanted, str) else None
    return None


def _admits(wanted: str) -> bool:
    """Say whether a version specifier admits a release of the running Python; an unreadable one does not."""
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
    """Say whether a clause admits a release of the running Python; ``patch`` marks a clause with a patch release."""
    if relation == "~=":
        return running == given if patch else running >= given and running[0] == given[0]
    if relation in ("==", "==="):
        return running == given
    if relation == "!=":
        return running != given or patch
    if relation == "<":
        return running < given or (patch and running == given)
    return running <= given if relation == "<=" else running >= given
