"""``--migrate``: read the files of a project, migrate them in memory, then show or write the result."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from olympus_codemods.target import NEWEST, Target
from olympus_lint.analysis.cache import Cache, cache_folder
from olympus_lint.analysis.kept_report import KeptReport, Report
from olympus_lint.analysis.prefilter import worth_checking
from olympus_lint.commandline.check import configuration_of, options_over, report_problems, say
from olympus_lint.commandline.output import write_report
from olympus_lint.embedded.module import read as read_pieces
from olympus_lint.files.problems import Problem
from olympus_lint.files.sources import (
    InputError,
    check_size,
    decode_utf8,
    encode_utf8,
    read_bytes,
    reencode,
    write_bytes,
)
from olympus_lint.files.validity import parse_error
from olympus_lint.migration.imported_files import read_along
from olympus_lint.migration.importing_files import look_outside
from olympus_lint.migration.migration import NOTHING, Migration, Withheld
from olympus_lint.migration.project import migrate as migrate_texts
from olympus_lint.migration.project import stays
from olympus_lint.migration.report import render
from olympus_lint.migration.text import Text
from olympus_lint.project.discovery import SourceFile, discover
from olympus_lint.project.git import not_in_git
from olympus_lint.project.settings import Settings
from olympus_lint.reporting.phrases import count
from olympus_lint.run.one_file import unified_diff
from olympus_lint.run.processes import prepare_collector
from olympus_rules.syntax import disk
from olympus_rules.syntax.project import forget_folders
from olympus_rules.syntax.text import decode

if TYPE_CHECKING:
    from olympus_lint.proof.trial import Proof


def migrate(args: Namespace) -> int:
    """Migrate the given paths.

    Returns:
        The exit status: 0 if nothing is left to do, 1 if places are left, 2 after an error.

    Raises:
        SettingsError: an option or a settings file is wrong.
    """
    disk.forget()
    forget_folders()  # so that this run notes all that it looks at
    configuration = configuration_of(args, options_over(args))
    settings = configuration.at(Path.cwd())
    repairs = settings.fix or settings.fix_only
    writes = repairs and not args.diff
    keeps = not (args.no_cache or args.check is not None or writes)
    known = KeptReport(Cache(cache_folder(args, settings)) if keeps else None, args)
    report = known.recall()
    if report is not None:
        return tell(report, args)
    files, problems = discover(args.paths, configuration.at)
    files = each_once(files)
    if not files and not problems:
        print("warning: no Python files found under the given paths", file=sys.stderr)
    prepare_collector()
    texts, data = read(files, problems)
    along, is_cut_short = read_along(texts, configuration.at)
    texts += along
    target = target_of(args.migrate, settings)

    def make(withheld: Withheld = NOTHING) -> Migration:
        fresh = [
            Text(each.filename, each.settings, each.old, embedded=each.embedded, is_named=each.is_named)
            for each in texts
        ]
        return migrate_texts(fresh, target, unsafe=settings.unsafe_fixes, strict=args.strict, withheld=withheld)

    proof, failed = (None, []) if args.check is None else tested(args, make, data, repairs=repairs)
    migration = make() if proof is None else proof.migration
    migration.problems += problems + failed
    keyed = [filename for filename, found in migration.constructors.items() if found]
    migration.outside = look_outside(migration.named, migration.further, configuration.at, keyed)
    migration.outside.is_cut_short |= is_cut_short
    migration.not_in_git = not_in_git(data) if migration.changed else []
    writes = writes and not failed and not (proof is not None and proof.stops)
    if writes:
        write(migration, data)
    report = report_on(migration, args, proof, written=writes)
    if files and not migration.problems:
        known.keep(report, data if migration.changed else {}, migration.not_in_git)
    return tell(report, args, migration.problems)


def report_on(migration: Migration, args: Namespace, proof: Proof | None, *, written: bool) -> Report:
    """Return what is said of a migration: the changes themselves, or the report on them."""
    notes = [f"note: {note}" for text in migration.named for note in text.said]
    if args.diff:
        diffs = [unified_diff(text.filename, text.before, text.after) for text in migration.changed]
        notes.append(f"Would change {count(len(diffs), 'file')}." if diffs else "Nothing to change.")
        return Report("".join(diffs), notes, int(bool(diffs) and not args.exit_zero))
    text = report_text(migration, args, proof, written=written)
    return Report(text, notes, status(migration, args, proof, written=written))


def tell(report: Report, args: Namespace, problems: Sequence[Problem] = ()) -> int:
    """Print a report, and the problems of its run; return the exit status."""
    for note in report.notes:
        say(note, args)
    if report.text is not None:
        write_report(report.text, args.output_file)
    return report_problems([*problems], args) or report.status


def tested(
    args: Namespace, make: Callable[[Withheld], Migration], data: Mapping[str, bytes], *, repairs: bool
) -> tuple[Proof | None, list[Problem]]:
    """Run the command of ``--check`` before and after a migration.

    Args:
        args: the options.
        make: makes the migration.
        data: the bytes of the files before it.
        repairs: whether something may be withheld so that tests pass.

    Returns:
        The proof, or the problem for which there is none.
    """
    from olympus_lint.proof.commands import runner
    from olympus_lint.proof.trees import CheckError, tree_at
    from olympus_lint.proof.trial import Task, prove

    def bytes_of(migration: Migration) -> dict[str, bytes]:
        found = {}
        for text in migration.changed:
            with suppress(InputError):  # the file will not be written either
                found[text.filename] = encoded(text, data[text.filename])
        return found

    try:
        with runner(tree_at(Path.cwd()), args.check, args.check_timeout) as each:
            return prove(each, Task(make, bytes_of, repairs, lambda text: say(f"check: {text}", args))), []
    except (CheckError, InputError) as error:
        return None, [Problem("--check", str(error))]


def report_text(migration: Migration, args: Namespace, proof: Proof | None, *, written: bool) -> str | None:
    """Return the report; with ``--quiet``, there is one only if nothing was written, or if tests fail."""
    section = None
    if proof is not None:
        from olympus_lint.proof.account import account

        section = account(proof)
    if args.quiet and written and (proof is None or proof.is_clean):
        return None
    return render(migration, args.report_format, written=written, section=section)


def each_once(files: list[SourceFile]) -> list[SourceFile]:
    """Return the files without those that are links to others; of links to one file, the first."""
    found: dict[str, SourceFile] = {}
    for file in files:
        real = os.path.realpath(file.filename)
        if real not in found or os.path.abspath(file.filename) == real:  # noqa: PTH100
            found[real] = file
    return list(found.values())


def target_of(style: str, settings: Settings) -> Target:
    """Return the kinds of keys and the release of JAX that the migrated code supports."""
    release = settings.target_jax
    jax = NEWEST if release is None else tuple(int(part) for part in release.split("."))
    return Target("portable" if style == "portable" else "typed", jax)


def read(files: list[SourceFile], problems: list[Problem]) -> tuple[list[Text], dict[str, bytes]]:
    """Return the texts and bytes of files; add a problem for each file that cannot be read."""
    texts, data = [], {}
    for file in files:
        try:
            content = read_bytes(file.filename)
            text = text_of(file, content)
            check_size(text.old.encode(errors="replace"))
            texts.append(text)
            data[file.filename] = content
            problems += broken_parts(file, text, content)
        except InputError as error:
            problems.append(Problem(file.filename, str(error)))
        except (SyntaxError, ValueError) as error:
            problems.append(Problem(file.filename, f"cannot be decoded ({error}), so it is not changed."))
    return texts, data


def broken_parts(file: SourceFile, text: Text, data: bytes) -> list[Problem]:
    """Return problems for invalid syntax that no later step sees: in cells of a notebook, or in a file without keys."""
    if text.embedded is not None and text.embedded.kind != "python":
        cells = text.embedded.broken
        return [
            each for one in cells for each in stays(file.filename, one.code, one.error, file.settings, one.piece.cell)
        ]
    error = None if worth_checking(file.filename, data, file.settings) else parse_error(data)
    return [] if error is None else stays(file.filename, text.old, error, file.settings)


def text_of(file: SourceFile, data: bytes) -> Text:
    """Return the text to migrate: a module, with the examples of its docstrings, or the joined pieces of a file.

    Raises:
        InputError, SyntaxError, ValueError: the file cannot be decoded, or a notebook has another format.
    """
    kind = file.settings.kind_of(file.filename)
    text = decode(data) if kind == "python" else decode_utf8(data)
    if kind == "python" and ">>>" not in text:
        return Text(file.filename, file.settings, text)
    embedded = read_pieces(file.filename, text, kind)
    if kind == "python" and not embedded.is_worth_while:
        return Text(file.filename, file.settings, text)
    return Text(file.filename, file.settings, embedded.text, embedded=embedded)


def write(migration: Migration, data: dict[str, bytes]) -> None:
    """Write each changed file completely or not at all; a file that cannot be written is not reported as migrated."""
    for text in migration.changed:
        try:
            old = data[text.filename]
            write_bytes(text.filename, encoded(text, old), old)
        except InputError as error:
            text.undo()
            migration.problems.append(Problem(text.filename, str(error)))


def encoded(text: Text, old: bytes) -> bytes:
    """Return the new bytes of a file.

    Raises:
        InputError: its encoding lacks a character.
    """
    encode = reencode if text.settings.kind_of(text.filename) == "python" else encode_utf8
    return encode(text.after, old)


def status(migration: Migration, args: Namespace, proof: Proof | None = None, *, written: bool) -> int:
    """Return 1 if something is left to do, or if tests fail that passed before; otherwise 0."""
    waiting = bool(migration.changed) and not written
    if written and migration.changed and args.__dict__.get("exit_non_zero_on_fix"):
        return 1
    fails = proof is not None and not proof.is_clean
    return int((waiting or migration.is_open or fails) and not args.exit_zero)
