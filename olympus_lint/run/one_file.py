"""One file: read, checked, fixed and written."""

from __future__ import annotations

import difflib
from dataclasses import replace
from typing import TYPE_CHECKING

from olympus_lint.analysis.prefilter import worth_checking
from olympus_lint.analysis.unparsed import not_parsed
from olympus_lint.files.problems import Problem
from olympus_lint.files.sources import (
    ChangedError,
    InputError,
    decode_utf8,
    encode_utf8,
    read_bytes,
    reencode,
    write_bytes,
)
from olympus_lint.project.discovery import SourceFile
from olympus_lint.project.settings import Settings
from olympus_lint.reporting.results import FileResult
from olympus_lint.run.context import Context, Mode
from olympus_lint.run.engine import lint_text, settled
from olympus_lint.run.fixing import fix_text
from olympus_lint.suppression.noqa import add_noqa
from olympus_rules.syntax.text import decode, split_lines

if TYPE_CHECKING:
    from olympus_lint.embedded.module import Embedded


def check_file(file: SourceFile, context: Context) -> FileResult:
    """Check one file on disk and write what the mode changes."""
    try:
        data = read_bytes(file.filename)
    except InputError as error:
        return failure(file.filename, error)
    result, new = check_bytes(file.filename, data, file.settings, context)
    if new != data and context.mode is not Mode.DIFF:
        context.projects.forget(file.filename)
        try:
            write_bytes(file.filename, new, data)
        except ChangedError as error:
            return unchanged(check_file(file, replace(context, mode=Mode.CHECK)), error)
        except InputError as error:
            result, _ = check_bytes(file.filename, data, file.settings)
            return unchanged(result, error)
    return result


def failure(filename: str, error: InputError) -> FileResult:
    """Return the result of a file that was not checked."""
    return FileResult(filename, errors=[Problem(filename, str(error))], analysed=False)


def unchanged(result: FileResult, error: Exception) -> FileResult:
    """Return the result of a file that was checked and could not be rewritten."""
    result.errors.append(Problem(result.filename, str(error)))
    return result


def check_bytes(
    filename: str, data: bytes, settings: Settings, context: Context | None = None
) -> tuple[FileResult, bytes]:
    """Check one file's bytes; return the result and the new bytes of the file."""
    context = context or Context()
    if settings.kind_of(filename) != "python":
        return check_embedded(filename, data, settings, context)
    checked = lint_text(filename, data, settings, context)
    if context.mode is Mode.CHECK or not checked.text:
        return checked, data
    text = decode(data)
    result, new = rewritten(checked, text, settings, context)
    if new == text:
        return result, data
    if context.mode is Mode.DIFF:
        result.diff = unified_diff(filename, text, new)
    try:
        return result, reencode(new, data)
    except InputError as error:
        return unchanged(lint_text(filename, data, settings), error), data


def check_embedded(filename: str, data: bytes, settings: Settings, context: Context) -> tuple[FileResult, bytes]:
    """Check a file with pieces of Python; return the result and the new bytes of the file."""
    embedded = read_embedded(filename, data, settings)
    if isinstance(embedded, FileResult):
        return embedded, data
    # a page shows alternatives side by side: its blocks are no program in which a key is used twice
    context = replace(context, passes_over=embedded.is_parted if embedded.kind == "markdown" else None)
    checked = lint_text(filename, embedded.text, settings, context)
    result, new = checked, embedded.text
    if context.mode is not Mode.CHECK and checked.text:
        result, new = rewritten(checked, new, settings, context)
    try:
        after = embedded if new == embedded.text else embedded.read_back(new)
        written = encode_utf8(after.file, data)
    except InputError as error:
        result, after, written = unchanged(lint_text(filename, embedded.text, settings), error), embedded, data
    result = placed(result, after, embedded, settings)
    if context.mode is Mode.DIFF and written != data:
        result.diff = unified_diff(filename, embedded.file, after.file)
    return result, written


def placed(result: FileResult, after: Embedded, embedded: Embedded, settings: Settings) -> FileResult:
    """Return the result on a module with the places in its file, and with what is wrong with the file itself.

    Args:
        result: the result on the module.
        after: the file as it is after fixes.
        embedded: the file as it was.
        settings: those of the file.
    """
    result.places = after.places
    result.shown = after.sources if result.findings or embedded.broken else {}
    result.notes = [*map(after.places.problem, result.notes), *embedded.notes]
    result.errors = [*map(after.places.problem, result.errors)]
    for each in embedded.broken:
        broken = not_parsed(result.filename, each.code, each.error, settings, each.piece.cell)
        result.findings += broken.findings
        result.errors += broken.errors
        result.text = result.text or embedded.text or " "  # the report shows the cells instead
    return result


def recalled(file: SourceFile, data: bytes, context: Context) -> FileResult | None:
    """Return the result of an earlier run, or one that costs next to nothing; ``None`` if the file is to be checked."""
    filename, settings = file.filename, file.settings
    if settings.kind_of(filename) == "python":
        result = context.projects.recall(filename, data, settings)
        return None if result is None else settled(result, result.text, settings, context.clearance)
    embedded = read_embedded(filename, data, settings)
    if isinstance(embedded, FileResult):
        return embedded
    text = embedded.text.encode(errors="surrogatepass")
    if not worth_checking(filename, text, settings):
        return check_embedded(filename, data, settings, context)[0]
    result = context.projects.recall(filename, text, settings)
    if result is None:
        return None
    return placed(settled(result, embedded.text, settings, context.clearance), embedded, embedded, settings)


def read_embedded(filename: str, data: bytes, settings: Settings) -> Embedded | FileResult:
    """Return a file with its pieces of Python, or the result of a file that is not what its suffix says."""
    from olympus_lint.embedded.module import read
    from olympus_lint.embedded.notebook import NotANotebook

    kind = settings.kind_of(filename)
    try:
        text = decode_utf8(data)
    except InputError as error:
        cause = ValueError(f"it {str(error).removesuffix('.')}")
        return not_parsed(filename, "", cause, settings) if kind == "ipynb" else failure(filename, error)
    try:
        return read(filename, text, kind)
    except NotANotebook as error:
        return not_parsed(filename, "", ValueError(f"it is no notebook of format 4: {error.cause}"), settings)
    except InputError as error:
        return failure(filename, error)


def rewritten(checked: FileResult, text: str, settings: Settings, context: Context) -> tuple[FileResult, str]:
    """Return the result after the rewrite that the mode asks for, and the new text."""
    if context.mode is Mode.ADD_NOQA:
        return suppress_all(checked, text, settings, context)
    return fix(checked, text, settings, context)


def fix(result: FileResult, text: str, settings: Settings, context: Context) -> tuple[FileResult, str]:
    """Apply the fixes; return what is left and the new text."""
    fixed = fix_text(result.filename, text, settings, context, unsafe=settings.unsafe_fixes)
    return replace(fixed, text=fixed.text if fixed.findings else ""), fixed.text


def suppress_all(result: FileResult, text: str, settings: Settings, context: Context) -> tuple[FileResult, str]:
    """Add suppressions; return what could not be suppressed and the new text."""
    new = add_noqa(text, result.findings)
    rest = lint_text(result.filename, new, settings, context)
    rest.suppressed = len(result.findings) - len(rest.findings)
    return (rest, new) if rest.suppressed > 0 else (result, text)


def unified_diff(filename: str, old: str, new: str) -> str:
    """Return a patch that turns the old text into the new one."""
    lines: list[str] = []
    for line in difflib.unified_diff(split_lines(old), split_lines(new), filename, filename):
        complete = line.endswith(("\n", "\r"))
        lines.append(line if complete else f"{line}\n\\ No newline at end of file\n")
    return "".join(lines)
