"""Results of files that cannot be parsed."""

from __future__ import annotations

import sys
from dataclasses import replace

from olympus_lint.files.newer import newer_syntax
from olympus_lint.files.problems import Problem
from olympus_lint.files.validity import NOT_PARSED, promised
from olympus_lint.project.settings import Settings
from olympus_lint.reporting.results import FileResult
from olympus_rules.rules.invalid_syntax import InvalidSyntax, invalid_syntax
from olympus_rules.syntax.text import decode


def checks_syntax(filename: str, settings: Settings) -> bool:
    """Say whether invalid syntax in a file is reported."""
    return any(rule.code == InvalidSyntax.code for rule in settings.rules_for(filename))


def not_parsed(
    filename: str, text: str | bytes, error: Exception, settings: Settings, cell: int | None = None
) -> FileResult:
    """Return the result of a file that the running Python cannot parse, or of a cell of one.

    Syntax of a newer Python is an error of the run, since the file is valid but was not checked. If the project
    promises to support the running Python, the syntax is a finding instead.
    """
    if isinstance(text, bytes):
        try:
            text = decode(text)
        except NOT_PARSED:
            text = ""
    newer = newer_syntax(text) if isinstance(error, SyntaxError) else None
    if newer is not None:
        release, running = (".".join(map(str, each)) for each in (newer.release, sys.version_info[:2]))
        promise = promised(filename)
        place = f"line {newer.row}" if cell is None else f"line {newer.row} of cell {cell}"
        if promise is None:
            message = (
                f"cannot be read by Python {running}, which runs this: {place} has {newer.what}, syntax of Python "
                f"{release}; run olympus-lint with Python {release} or later, or exclude it."
            )
            return FileResult(filename, errors=[Problem(filename, message, is_newer=True)], analysed=False)
        cause = f'{newer.what} is syntax of Python {release}, and `requires-python = "{promise}"` admits {running}'
        error = SyntaxError(cause, ("", newer.row, 1, None))
    if not checks_syntax(filename, settings):
        return FileResult(filename, text=text)
    found = invalid_syntax(filename, text, error, part="file" if cell is None else "cell")
    return FileResult(filename, [replace(found, cell=cell)], text=text)
