"""The default command: find the files, check them, report."""

from __future__ import annotations

import os
import sys
import time
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from olympus_lint.analysis.cache import Cache, cache_folder
from olympus_lint.analysis.manifest import Earlier, Manifest
from olympus_lint.analysis.projects import Projects
from olympus_lint.commandline.information import show_settings
from olympus_lint.commandline.output import OutputError, has_color, print_bytes, print_out, report_text, write_report
from olympus_lint.commandline.progress import track
from olympus_lint.files.problems import Problem
from olympus_lint.files.sources import InputError
from olympus_lint.project.configuration import Configuration
from olympus_lint.project.discovery import SourceFile, discover
from olympus_lint.project.idle_ignores import idle_ignores
from olympus_lint.project.settings import READERS, TABLE_ONLY, Settings, SettingsError, from_table
from olympus_lint.project.shards import shard
from olympus_lint.reporting.formats import has_summary, render
from olympus_lint.reporting.phrases import count, left_out
from olympus_lint.reporting.results import FileResult, RunResult
from olympus_lint.reporting.summary import fixes_list
from olympus_lint.run.clearance import UNASKED
from olympus_lint.run.context import Context, Mode, Objection, asks_for_safety
from olympus_rules.finding import Finding
from olympus_rules.rules.invalid_syntax import InvalidSyntax
from olympus_rules.rules.legacy_constructor import LegacyConstructor
from olympus_rules.syntax import disk
from olympus_rules.syntax.toml import read_toml

if TYPE_CHECKING:
    from olympus.verdicts import Tier
    from olympus_lint.suppression.baseline import Applied
    from olympus_lint.tracing import Choice, Traced


def check(args: Namespace) -> int:
    """Check the given paths and report the findings.

    Returns:
        The exit status.

    Raises:
        SettingsError: an option or a settings file is wrong.
    """
    disk.forget()
    options = options_over(args)
    configuration = configuration_of(args, options)
    configuration.at(Path.cwd())
    if args.paths == ["-"]:
        return check_stdin(args, configuration)
    if args.show_settings:
        first = Path(args.paths[0])
        if not first.exists():
            raise SettingsError(f"{first}: does not exist; check the spelling and the current folder.")
        print_out(show_settings(configuration.at(first if first.is_dir() else first.parent)))
        return 0
    return check_paths(args, configuration, Manifest(args, options))


def check_paths(args: Namespace, configuration: Configuration, manifest: Manifest) -> int:
    """Check files and folders, or report what an earlier run has found in them; return the exit status.

    Args:
        args: the arguments.
        configuration: the settings of each folder.
        manifest: the results of a run like this one.
    """
    started = time.perf_counter()
    settings = configuration.at(Path.cwd())
    mode = mode_of(args, settings)
    cache = None if args.no_cache or args.show_files else Cache(cache_folder(args, settings))
    asks_safety = asks_for_safety(mode, settings)
    keeps = mode is Mode.CHECK and not args.trace and args.trace_events is None
    earlier = manifest.recall(cache) if cache is not None and keeps else None
    if earlier is not None and not earlier.stale:
        kept = earlier.holding()
        tell_idle_ignores(args, [file.filename for file in kept], configuration)
        status = finish(RunResult(kept, [], settings.unsafe_fixes, args.shard is not None), args, settings)
        conclude(kept, {}, started, args, cache)
        return status
    if args.executor is not None and mode is not Mode.CHECK:
        raise SettingsError("--executor: other machines check files and rewrite none; leave it out, or the fixes.")
    from olympus_lint.run.runner import checked

    files, problems, earlier = files_to_check(args, configuration, earlier, asks_safety=asks_safety)
    projects = Projects(cache if mode is Mode.CHECK else None)
    if cache is not None and keeps:
        projects, earlier, files = manifest.opened(cache, earlier, files)
    found = time.perf_counter()
    if args.show_files:
        print_out("".join(f"{file.filename}\n" for file in files))
        return report_problems(problems, args)
    with fix_checker(args, mode) as objection:
        found_in_turn = checked(files, Context(mode, projects, objection=objection), args.jobs, cache, args.executor)
        results = list(track(found_in_turn, len(files)))
    settings_of = {file.filename: file.settings for file in files}
    names = [*settings_of] if earlier is None else earlier.names
    found_in = {name: number for number, name in enumerate(names)}
    results.sort(key=lambda result: found_in[result.filename])  # the cache and several processes change the order
    rests_on_all = asks_safety and any(
        each.code == LegacyConstructor.code for file in results for each in file.findings
    )
    if cache is not None and keeps and files and not problems and not rests_on_all:
        manifest.keep(cache, results, settings_of, earlier, projects)
    if earlier is not None:
        results = sorted([*results, *earlier.holding()], key=lambda result: found_in[result.filename])
    run = RunResult(results, problems, settings.unsafe_fixes, args.shard is not None)
    done = time.perf_counter()
    if not problems:
        tell_idle_ignores(args, names, configuration)
    traced = verdicts(run, args, settings, settings_of)
    if not files and not problems and args.shard is None:
        print("warning: no Python files found under the given paths", file=sys.stderr)
    stages = {"finding files": found - started, "checking": done - found}
    if args.trace:
        stages["tracing"] = time.perf_counter() - done
    status = finish(run, args, settings, traced)
    conclude(results, stages, started, args, cache)
    return status


def files_to_check(
    args: Namespace, configuration: Configuration, earlier: Earlier | None, *, asks_safety: bool
) -> tuple[list[SourceFile], list[Problem], Earlier | None]:
    """Return the files to check, and the earlier results of the others.

    There are none of these where the safety of a fix of OLY201 is asked for, which depends on all files.
    """
    if earlier is not None:
        stale = [SourceFile(name, configuration.at(Path(name).parent)) for name in earlier.stale]
        if not (asks_safety and any(LegacyConstructor.code in file.settings.codes for file in stale)):
            return stale, [], earlier
    files, problems = discover(args.paths, configuration.at)
    return files if args.shard is None else shard(files, *args.shard), problems, None


def configuration_of(args: Namespace, options: Mapping[str, object]) -> Configuration:
    """Return the settings of each folder.

    Raises:
        SettingsError: the named settings file is wrong.
    """
    return Configuration(options, Path(args.config) if args.config else None, isolated=args.isolated)


def options_over(args: Namespace) -> dict[str, object]:
    """Return the settings that the command line gives.

    Raises:
        SettingsError: one of them is wrong.
    """
    names = READERS.keys() - TABLE_ONLY
    given = {name.replace("_", "-"): value for name, value in vars(args).items() if name in names}
    if "per-file-ignores" in given:
        given["per-file-ignores"] = ignores_table(given["per-file-ignores"])
    if args.trace_events is not None:
        given.setdefault("tests", "all")  # what has happened is told, whatever the file
    over = inline_settings(args.inline) | from_table(given, "--", Path.cwd())
    if over.get("fix") is False:
        over["fix_only"] = False
    return over | ({"ignore_noqa": True} if "ignore_noqa" in args else {})


def inline_settings(texts: Sequence[str]) -> dict[str, object]:
    """Read settings that ``--config`` gives in the place of a file.

    Raises:
        SettingsError: one of them is no TOML, or wrong.
    """
    found: dict[str, object] = {}
    for text in texts:
        try:
            table = read_toml(text)
        except ValueError as error:
            sentence = f"--config: {text!r} is neither a file nor a setting as TOML ({error})"
            raise SettingsError(f"{sentence}; write it as \"ignore = ['OLY104']\".") from None
        found |= from_table(table, "--config: ", Path.cwd())
    return found


def ignores_table(pairs: list[str]) -> dict[str, list[str]]:
    """Read ``PATTERN:RULE`` pairs.

    Raises:
        SettingsError: a pair has no colon.
    """
    table: dict[str, list[str]] = {}
    for pair in pairs:
        pattern, colon, selector = pair.rpartition(":")
        if not colon:
            raise SettingsError(f"--per-file-ignores: expected PATTERN:RULE, not {pair!r}.")
        table.setdefault(pattern, []).append(selector)
    return table


def mode_of(args: Namespace, settings: Settings) -> Mode:
    """Return the mode that the options choose."""
    if args.add_noqa:
        return Mode.ADD_NOQA
    if args.diff:
        return Mode.DIFF
    return Mode.FIX if settings.fix or settings.fix_only else Mode.CHECK


def check_stdin(args: Namespace, configuration: Configuration) -> int:
    """Check standard input; after a fix, the text goes to standard output and the report to standard error."""
    from olympus_lint.run.one_file import check_bytes

    name = args.stdin_filename or "-"
    settings = configuration.at(Path(name).parent)
    try:
        data = sys.stdin.buffer.read()
    except (OSError, AttributeError) as error:
        cause = getattr(error, "strerror", None) or "it is closed"
        raise SettingsError(f"standard input cannot be read ({cause}); give it a file.") from None
    mode = mode_of(args, settings)
    result, new = FileResult(name, analysed=False), data
    if not (settings.force_exclude and settings.excluded.match_any(Path(name))):
        with fix_checker(args, mode) as objection:
            clearance = None if asks_for_safety(mode, settings) else UNASKED
            context = Context(mode, clearance=clearance, objection=objection)
            result, new = check_bytes(name, data, settings, context)
    if mode in (Mode.FIX, Mode.ADD_NOQA):
        print_bytes(new)
        sys.stdout = sys.stderr
    run = RunResult([result], unsafe=settings.unsafe_fixes)
    return finish(run, args, settings, verdicts(run, args, settings, {name: settings}))


def verdicts(run: RunResult, args: Namespace, settings: Settings, settings_of: Mapping[str, Settings]) -> Traced | None:
    """Add verdicts to the findings of a run if an option asks for them, and drop findings that are not selected.

    Invalid syntax is always reported. If nothing can be traced, all findings are.
    """
    if settings.fix_only or mode_of(args, settings) is Mode.DIFF:
        return None  # neither reports findings
    traced = None
    if args.trace:
        from olympus_lint.tracing import judge

        traced = judge(run.files, settings_of, tracing(args))
    usable = traced is not None and traced.refused is None
    if args.trace_events is not None:
        usable = recorded(run, args, settings_of) or usable
    if usable and args.select_verdict:
        for file in run.files:
            file.findings = [finding for finding in file.findings if is_selected(finding, args.select_verdict)]
    return traced


def tracing(args: Namespace) -> Choice:
    """Return the options for tracing."""
    from olympus_lint.tracing import Choice

    limit = args.trace_timeout
    given = {"python": args.python, "device": args.device, "seconds": limit, "importing": limit}
    options = {name: value for name, value in given.items() if value is not None}
    tiers: tuple[Tier, ...] = ("witness", "function") if args.trace_import else ("witness",)
    return Choice(**options, tiers=tiers)


@contextmanager
def fix_checker(args: Namespace, mode: Mode) -> Iterator[Objection | None]:
    """Provide the objection to fixes if fixes are traced; its worker ends with the context."""
    if not args.trace or mode not in (Mode.FIX, Mode.DIFF):
        yield None
        return
    from olympus_lint.tracing import FixChecker

    checker = FixChecker(tracing(args))
    try:
        yield checker.objection
    finally:
        checker.close()


def recorded(run: RunResult, args: Namespace, settings: Mapping[str, Settings]) -> bool:
    """Judge findings by the events of a recorded run, and add misuses without a finding; return whether this worked."""
    from olympus_lint.tracing.recorded import judge_recorded

    done = judge_recorded(args.trace_events, run.files, settings)
    run.problems.extend(done.problems)
    for note in done.notes:
        say(f"note: {note}", args)
    return not done.problems


def is_selected(finding: Finding, words: Sequence[str]) -> bool:
    """Say whether ``--select-verdict`` with these words reports a finding."""
    verdict = finding.verdict.status.replace(" ", "-") if finding.verdict is not None else "none"
    return verdict in words or finding.code == InvalidSyntax.code


def along(run: RunResult) -> str:
    """Return the remark on findings that had no fix of their own, so that the numbers agree with those of a check."""
    number = sum(file.along for file in run.files)
    return f" ({number} of them with the fix of another one)" if number else ""


def finish(run: RunResult, args: Namespace, settings: Settings, traced: Traced | None = None) -> int:
    """Report a run, and return the exit status."""
    if traced is not None:
        run = tell(traced, run, args)
    fixed = run.fixes.total()
    mode = mode_of(args, settings)
    for note in run.notes:
        say(f"note: {note}", args)
    if mode is Mode.ADD_NOQA:
        report_noqa(run)
        return report_problems(run.errors, args)
    if mode is Mode.DIFF:
        diffs = [file.diff for file in run.files if file.diff]
        write_report("".join(diffs), args.output_file)
        say(f"Would fix {count(fixed, 'finding')}{along(run)}." if diffs else "Nothing to fix.", args)
        return report_problems(run.errors, args) or int(bool(diffs) and not args.exit_zero)
    if settings.fix_only:
        write_report(fixes_list(run) if settings.show_fixes else "", args.output_file)
        say(f"Fixed {count(fixed, 'finding')}{along(run)}.", args)
        return report_problems(run.errors, args) or int(bool(fixed) and args.exit_non_zero_on_fix)
    if args.write_baseline:
        return write_baseline(run, args)
    applied = without_known(run, settings)
    run = run if applied is None else applied.run
    color = args.output_file is None and sys.stdout is not None and has_color(sys.stdout, args.color)
    text = report_text(run, settings, statistics=args.statistics, quiet=args.quiet, color=color)
    try:
        write_report(text, args.output_file)
    except (OutputError, SettingsError):
        report_problems(run.errors, args)  # the report failed, but the problems can be printed
        raise
    if run.quiet and not has_summary(settings.output_format):
        say(f"note: {left_out(run.quiet)}", args)
    if applied is not None and settings.baseline is not None:
        tell_baseline(applied, settings.baseline, args)
    if args.output_file is not None:
        say(f"Wrote {count(len(run.findings), 'finding')} to {args.output_file}.", args)
    status = report_problems(run.errors, args)
    if fixed and args.exit_non_zero_on_fix:
        return status or 1
    return status or int(bool(run.findings) and not args.exit_zero)


def without_known(run: RunResult, settings: Settings) -> Applied | None:
    """Return a run without the findings of the baseline; ``None`` if there is no baseline.

    Raises:
        SettingsError: the file is none.
    """
    if settings.baseline is None:
        return None
    from olympus_lint.suppression import baseline

    return baseline.apply(run, settings.baseline)


def write_baseline(run: RunResult, args: Namespace) -> int:
    """Write the findings of a run as a baseline, and return the exit status."""
    from olympus_lint.suppression import baseline

    try:
        number = baseline.write(run, args.write_baseline)
    except InputError as error:
        raise SettingsError(f"--write-baseline: {args.write_baseline} {error}") from None
    say(f"Wrote {count(number, 'finding')} to {args.write_baseline}.", args)
    return report_problems(run.errors, args)


def tell_idle_ignores(args: Namespace, names: Sequence[str], configuration: Configuration) -> None:
    """Print which patterns of ``per-file-ignores`` match no file, unless the run has looked at some files only."""
    for sentence in idle_ignores(args.paths, names, configuration) if not args.quiet else ():
        say(f"note: {sentence}", args)


def tell_baseline(applied: Applied, file: str, args: Namespace) -> None:
    """Print how many findings the baseline has hidden, and how many of them are gone."""
    name = os.path.relpath(file)
    if applied.known:
        verb = "is" if applied.known == 1 else "are"
        say(f"note: {count(applied.known, 'finding')} {verb} in the baseline {name}, and not reported.", args)
    if applied.gone:
        number = len(applied.gone)
        verb, them = ("is", "it") if number == 1 else ("are", "them")
        gone = f"{count(number, 'finding')} of the baseline {name} {verb} gone"
        say(f"note: {gone}; take {them} out with --write-baseline {name}.", args)
        for each in applied.gone if args.verbose else ():
            say(f"gone: {each}", args)


def tell(traced: Traced, run: RunResult, args: Namespace) -> RunResult:
    """Print how the tracing went; return the run with the problems of the tracing."""
    refused = traced.refused
    if refused is not None and refused.missing and args.python is None:
        print(
            "warning: nothing was traced, since JAX is not installed here; install it with "
            "`pip install 'olympus-lint[trace]'`, or name a Python that has it with --python.",
            file=sys.stderr,
        )
    elif refused is not None:
        where = f"--python {args.python}" if args.python is not None else "--trace"
        wanted = "JAX" if args.device is None else "JAX and this device"
        sentence = (
            f"{where}: nothing was traced: {refused}; name a Python 3.11 or later that has {wanted} with --python."
        )
        return replace(run, problems=[*run.problems, Problem("", sentence)])
    for cause, number in traced.deaths.items():
        say(f"note: {count(number, 'worker')} died while tracing: {cause}", args)
    if traced.failed:
        others = f", and {count(len(traced.failed) - 1, 'other file')}" if len(traced.failed) > 1 else ""
        name, reason = next(iter(traced.failed.items()))
        say(f"note: {os.path.relpath(name)} could not be imported{others}: {reason}", args)
    if args.verbose and traced.questions and refused is None:
        say(f"traced {count(traced.questions, 'finding')} with JAX {traced.about['jax']}", args)
        say(f"the workers took at most {traced.peak_kib / 1024:.0f} MiB of memory", args)
    return run


def say(text: str, args: Namespace) -> None:
    """Print a sentence on standard error, except with ``--quiet``."""
    if not args.quiet:
        print(text, file=sys.stderr)


def report_problems(problems: list[Problem], args: Namespace) -> int:
    """Print problems on standard error; return 2 when there are any."""
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
        if args.verbose and problem.detail:
            print(problem.detail, file=sys.stderr)
    return 2 if problems else 0


def report_noqa(run: RunResult) -> None:
    """Print how many findings were suppressed, and which ones cannot be."""
    suppressed = sum(file.suppressed for file in run.files)
    print(f"Suppressed {count(suppressed, 'finding')}.", file=sys.stderr)
    if run.findings:
        print("These findings cannot be suppressed in their line:", file=sys.stderr)
        sys.stderr.write(render("concise", run))


def conclude(
    results: Sequence[FileResult], stages: Mapping[str, float], started: float, args: Namespace, cache: Cache | None
) -> None:
    """Close the cache, and with ``--verbose`` print which files were not analysed, and how long each stage took."""
    if cache is not None:
        cache.close()
    if not args.verbose:
        return
    if cache is not None and cache.store.note:
        print(f"note: {cache.store.note}", file=sys.stderr)
    for result in results:
        if not result.analysed and not result.errors:
            print(f"skipped: {result.filename} (it cannot hold a key)", file=sys.stderr)
    cached = sum(result.cached for result in results)
    analysed = sum(result.analysed for result in results) - cached
    times = "".join(f"{name} {seconds:.3f} s, " for name, seconds in stages.items())
    total = time.perf_counter() - started
    kept = f" ({cached} from the cache)" if cached else ""
    print(f"analysed {analysed} of {count(len(results), 'file')}{kept}; {times}total {total:.3f} s", file=sys.stderr)
