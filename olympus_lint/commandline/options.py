"""The options of the command line; ``--help`` and ``--version`` load no other module."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from olympus_lint import __version__
from olympus_lint.project.spelling import nearest
from olympus_lint.reporting.formats import format_names

STYLES = ("typed", "portable")
"""The values of ``--migrate``; the first is the default."""
REPORTS = ("full", "markdown", "json")
"""The formats of the report on a migration."""
CHECK_TIMEOUT = 1800
"""Seconds of one run of ``--check``."""
COMMAND = "check"
"""What ruff's users type first; this program has one command only, and takes it as said."""
OPTIONS = {"rule": "--explain", "linter": "--list-rules", "config": "--show-settings"}
"""Further commands of ruff, and the options that do here what they do there."""
ENVIRONMENT = ("no_cache", "output_file", "output_format")
"""The options that variables such as ``OLYMPUS_LINT_NO_CACHE`` give, too; that of ``--cache-dir`` is read with it."""
SHELLS = ("bash", "zsh", "tcsh", "fish", "powershell")
"""The values of ``--generate-shell-completion``."""
COLORS = ("auto", "always", "never")
"""The values of ``--color``."""
NEEDS = {
    "trace_import": "trace",
    "trace_timeout": "trace",
    "python": "trace",
    "device": "trace",
    "check": "migrate",
    "check_timeout": "check",
    "strict": "migrate",
}
"""The options that have an effect only beside another one."""
VERDICTS = ("confirmed", "refuted", "inconclusive", "not-reached", "none")
"""The values of ``--select-verdict``; ``none`` stands for findings without a verdict."""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one sentence."""

    def error(self, message: str) -> NoReturn:
        """Print the cause and the next step, and exit with 2."""
        hint = "." if ";" in message else "; see `olympus-lint --help`."  # after a semicolon is the next step
        if message.endswith("?"):
            hint = ""
        if message.startswith("unrecognized arguments:"):
            options = [option for action in self._actions for option in action.option_strings]
            near = nearest(message.split()[2].partition("=")[0], options)
            hint = f"; did you mean {near}?" if near else hint
        print(f"error: {message}{hint}", file=sys.stderr)
        sys.exit(2)


def parse(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse a command line; a setting is an attribute only if its option was given.

    Raises:
        SystemExit: after ``--help`` and ``--version``, and for wrong options.
    """
    given = sys.argv[1:] if argv is None else argv  # so that `--migrate` does not take a path as its style
    args = parser().parse_intermixed_args([f"--migrate={STYLES[0]}" if word == "--migrate" else word for word in given])
    if args.paths[0] == COMMAND and not os.path.exists(COMMAND):  # noqa: PTH110
        args.paths = args.paths[1:] or ["."]
    check_command(args)
    from_environment(args)
    args.inline = [text for text in args.config if "=" in text and not os.path.exists(text)]  # noqa: PTH110
    files = [text for text in args.config if text not in args.inline]
    if len(files) > 1:
        parser().error(f"--config names {len(files)} settings files; leave all but one out")
    args.config = files[0] if files else None
    if args.isolated and args.config is not None:
        parser().error("--isolated reads no settings file, and --config names one; leave one of them out")
    if "-" in args.paths and len(args.paths) > 1:
        parser().error("`-` stands for standard input and cannot be combined with other paths")
    if getattr(args, "diff", False) and args.add_noqa:
        parser().error("--diff cannot be combined with --add-noqa")
    for option, other in NEEDS.items():
        if getattr(args, option) not in (None, False) and not getattr(args, other):
            parser().error(f"--{option.replace('_', '-')} has no effect without --{other}; add it")
    check_tracing(args)
    check_migration(args)
    check_watch(args)
    if args.derive_pack and args.paths != ["."]:
        parser().error("--derive-pack takes one package and no paths")
    return args


def from_environment(args: argparse.Namespace) -> None:
    """Take what the environment says of options that the command line leaves open."""
    said = {name: os.environ.get(f"OLYMPUS_LINT_{name.upper()}", "") for name in ENVIRONMENT}
    if said["output_format"] and "output_format" not in args:
        args.output_format = said["output_format"]
    args.output_file = args.output_file or said["output_file"] or None
    args.no_cache = args.no_cache or said["no_cache"].lower() not in ("", "0", "false")


def check_command(args: argparse.Namespace) -> None:
    """Check that the first path is no command that is an option here, such as ``rule`` or ``migrate``.

    Raises:
        SystemExit: it is one, and no file has its name.
    """
    word = args.paths[0]
    if os.path.exists(word):  # noqa: PTH110
        return
    option = OPTIONS.get(word, f"--{word}")
    if option in parser()._option_string_actions:
        hint = f"check the spelling and the current folder, or write the option {option}"
        parser().error(f"{word}: does not exist; {hint}")


def check_watch(args: argparse.Namespace) -> None:
    """Check the combination of ``--watch`` with other options.

    Raises:
        SystemExit: they cannot be combined.
    """
    others = ("add_noqa", "merge", "migrate", "output_file", "server", "show_files", "show_settings", "write_baseline")
    given = next((name for name in others if getattr(args, name)), None)
    if args.watch and (given or args.paths == ["-"]):
        other = f"--{given.replace('_', '-')}" if given else "standard input"
        parser().error(f"--watch shows findings again and again, and cannot be combined with {other}")


def check_tracing(args: argparse.Namespace) -> None:
    """Check the combination of the options for tracing.

    Raises:
        SystemExit: they cannot be combined.
    """
    if args.select_verdict is not None and not args.trace and args.trace_events is None:
        parser().error("--select-verdict has no effect without --trace or --trace-events; add one of them")
    if args.add_noqa and (args.trace or args.trace_events is not None):
        option = "--trace" if args.trace else "--trace-events"
        parser().error(f"{option} cannot be combined with --add-noqa, which reports nothing")
    if args.trace_events is not None and args.paths == ["-"]:
        parser().error("--trace-events takes files, and not standard input, since it compares their versions")
    for word in args.select_verdict or ():
        if word not in VERDICTS:
            near = nearest(word, VERDICTS)
            hint = f"; did you mean {near}?" if near else ""
            parser().error(f"--select-verdict: expected one of {', '.join(VERDICTS)}, not {word!r}{hint}")


def check_migration(args: argparse.Namespace) -> None:
    """Check the combination of the options for a migration, and set the format of its report.

    Raises:
        SystemExit: they cannot be combined.
    """
    args.report_format = "full"
    if args.check is not None and not args.check.strip():
        parser().error("--check: expected a command such as `python -m pytest`, not an empty text")
    if args.check is not None and args.diff:
        parser().error("--check cannot be combined with --diff, which has no report; leave one of them out")
    args.check_timeout = args.check_timeout or CHECK_TIMEOUT
    if args.migrate is None:
        return
    for name in ("add_noqa", "trace", "trace_events", "show_files", "show_settings", "statistics"):
        if getattr(args, name):
            parser().error(f"--{name.replace('_', '-')} cannot be combined with --migrate, which has its own report")
    if args.paths == ["-"]:
        parser().error("--migrate takes the files of a project, and not standard input")
    args.report_format = args.__dict__.pop("output_format", "full")
    if args.report_format not in REPORTS:
        near = nearest(args.report_format, REPORTS)
        hint = f"; did you mean {near}?" if near else ""
        expected = f"expected one of {', '.join(REPORTS)} with --migrate"
        parser().error(f"--output-format: {expected}, not {args.report_format!r}{hint}")


def parser() -> Parser:
    """Build the parser."""
    made = Parser(
        prog="olympus-lint",
        usage="%(prog)s [OPTION ...] [PATH ...]",
        description="Find misuse of JAX's random keys, and fix it.",
        epilog="Exit status: 0 nothing to report, 1 findings, 2 wrong options, settings or input, or an "
        "internal error. Environment variables that stand for options: "
        f"{', '.join(f'OLYMPUS_LINT_{name.upper()}' for name in (*ENVIRONMENT, 'cache_dir'))}; NO_COLOR and "
        "FORCE_COLOR choose colours.",
        allow_abbrev=False,
    )
    made.add_argument("paths", nargs="*", default=["."], metavar="PATH", help="files and folders; `-` for stdin")
    add_actions(made)
    add_rule_selection(made)
    add_file_selection(made)
    add_migration(made)
    add_tracing(made)
    add_miscellaneous(made)
    return made


def add_actions(made: Parser) -> None:
    """Add the options for actions and output."""
    group = made.add_argument_group("Actions and output")
    flag(group, "--fix", "apply safe fixes")
    what = "apply no fixes, whatever the settings say"
    group.add_argument("--no-fix", dest="fix", action="store_false", default=argparse.SUPPRESS, help=what)
    flag(group, "--unsafe-fixes", "with --fix or --diff, apply fixes that change the random stream, too")
    flag(group, "--fix-only", "apply fixes without reporting remaining findings; implies --fix")
    flag(group, "--show-fixes", "list the fixes that were applied")
    group.add_argument("--diff", action="store_true", help="print the changes of the fixes; write nothing")
    group.add_argument("--add-noqa", action="store_true", help="suppress every finding with a `# noqa` comment")
    flag(group, "--ignore-noqa", "ignore suppression comments")
    formats = ", ".join(format_names())
    setting(group, "--output-format", "FORMAT", f"one of {formats} (default: full)")
    group.add_argument("-o", "--output-file", metavar="FILE", help="write the report to a file")
    group.add_argument("--statistics", action="store_true", help="print the number of findings of each rule")
    setting(group, "--baseline", "FILE", "do not report the findings of this file, which --write-baseline has written")
    group.add_argument("--write-baseline", metavar="FILE", help="write all findings to a file, and report none")
    what = "check again when a file changes, until Ctrl-C"
    group.add_argument("-w", "--watch", action="store_true", help=what)
    group.add_argument("--show-files", action="store_true", help="print the files that would be checked")
    group.add_argument("--show-settings", action="store_true", help="print the settings of the first path")
    group.add_argument("--explain", metavar="RULE", help="print a rule's page")
    group.add_argument("--list-rules", action="store_true", help="print all rules")
    what = "print a signature pack derived from the source of an installed package, or of a package's folder"
    group.add_argument("--derive-pack", metavar="PACKAGE", help=what)


def add_rule_selection(made: Parser) -> None:
    """Add the options that select rules."""
    group = made.add_argument_group("Rule selection")
    what = "codes, prefixes, names or ALL"
    listing(group, "--select", "RULES", f"rules to run instead of the default ones: {what}")
    listing(group, "--ignore", "RULES", "rules to leave out")
    listing(group, "--extend-select", "RULES", "additional rules to run")
    listing(group, "--per-file-ignores", "PATTERN:RULE", "rules to skip in the files of a pattern")
    listing(group, "--fixable", "RULES", "rules whose fixes are offered (default: all)")
    listing(group, "--unfixable", "RULES", "rules whose fixes are not offered")
    setting(group, "--min-confidence", "LEVEL", "possible, likely or certain (default: likely)")
    what = "in tests, show reuses of keys that may change what a test checks (`quiet`, default), or `all`"
    setting(group, "--tests", "PRESET", what)


def add_file_selection(made: Parser) -> None:
    """Add the options that select files."""
    group = made.add_argument_group("File selection")
    listing(group, "--exclude", "PATTERNS", "files and folders to skip instead of the default ones")
    listing(group, "--extend-exclude", "PATTERNS", "additional files and folders to skip")
    group.add_argument(
        "--no-respect-gitignore",
        dest="respect_gitignore",
        action="store_false",
        default=argparse.SUPPRESS,
        help="check files that .gitignore names, too",
    )
    what = "check files with these suffixes, too: `md` for Markdown; others with their kind, such as `qmd:markdown`"
    listing(group, "--extension", "NAMES", what)
    flag(group, "--force-exclude", "skip excluded files even if they are named")
    group.add_argument("--stdin-filename", metavar="NAME", help="the name of the file that comes from stdin")


def add_migration(made: Parser) -> None:
    """Add the options of the migration."""
    group = made.add_argument_group("Migration")
    what = (
        "plan the migration of the project from PRNGKey to typed keys; --fix applies it, --diff shows it. "
        "`--migrate=portable` is for libraries: their code then works with both kinds of keys"
    )
    group.add_argument("--migrate", choices=STYLES, metavar="[=STYLE]", help=what)
    what = "with --migrate, hold a constructor back, too, if its keys only may get to code that breaks"
    group.add_argument("--strict", action="store_true", help=what)
    setting(group, "--target-jax", "VERSION", "the oldest JAX that migrated code supports (default: the newest)")
    what = (
        "run this shell command, such as `pytest -q`, in copies of the tree: before the migration, after it, and with "
        "typed keys everywhere; report which tests fail then. With --fix, what makes them fail stays as it is"
    )
    group.add_argument("--check", metavar="COMMAND", help=what)
    what = f"the longest time of one run of --check (default: {CHECK_TIMEOUT})"
    group.add_argument("--check-timeout", type=positive, metavar="SECONDS", help=what)


def add_tracing(made: Parser) -> None:
    """Add the options for tracing."""
    group = made.add_argument_group("Tracing")
    what = "add verdicts to findings by tracing with JAX and installed frameworks; your code is not imported"
    group.add_argument("--trace", action="store_true", help=what)
    what = "with --trace, trace the real functions, too: this imports, and so executes, the files with findings"
    group.add_argument("--trace-import", action="store_true", help=what)
    what = "the longest time of one import, and of the tracing of one function (default: 30 and 120)"
    group.add_argument("--trace-timeout", type=positive, metavar="SECONDS", help=what)
    what = "the Python to trace with, which has JAX, or the folder of its environment (default: the running Python)"
    group.add_argument("--python", metavar="PATH", help=what)
    what = "add a verdict to each finding from the events of `olympus record`, and report misuses without a finding"
    group.add_argument("--trace-events", metavar="FILE", help=what)
    group.add_argument("--device", metavar="PLATFORM", help="the JAX platform to trace on (default: cpu)")
    what = f"report findings with these verdicts only: {', '.join(VERDICTS)}"
    group.add_argument("--select-verdict", type=comma, action="extend", metavar="VERDICTS", help=what)


def add_miscellaneous(made: Parser) -> None:
    """Add the other options."""
    group = made.add_argument_group("Miscellaneous")
    what = "read settings from this file only, or take one setting as TOML, such as \"ignore = ['OLY104']\""
    group.add_argument("--config", action="append", default=[], metavar="FILE|SETTING", help=what)
    group.add_argument("--isolated", action="store_true", help="read no settings file")
    group.add_argument("-n", "--no-cache", action="store_true", help="neither read nor write the cache")
    setting(group, "--cache-dir", "DIR", "the folder of the cache (default: .olympus-lint-cache)")
    what = "check the K-th of N parts of the files, for N machines that have the whole tree"
    group.add_argument("--shard", type=fraction, metavar="K/N", help=what)
    what = "read the paths as reports that `--output-format json` has written, and report them as one"
    group.add_argument("--merge", action="store_true", help=what)
    what = "a Dask cluster, `dask://HOST:PORT`: the files are sent to its workers, which check them"
    group.add_argument("--executor", type=cluster, metavar="URL", help=what)
    group.add_argument("--server", action="store_true", help="serve an editor over standard input and output (LSP)")
    group.add_argument("--jobs", type=positive, metavar="N", help="processes to use (default: by the amount of work)")
    group.add_argument("-e", "--exit-zero", action="store_true", help="exit with 0 even when there are findings")
    group.add_argument("--exit-non-zero-on-fix", action="store_true", help="exit with 1 when something was fixed")
    group.add_argument("--color", choices=COLORS, default=COLORS[0], help="colours in the report (default: auto)")
    what = f"print a script for the completion of options in a shell: {', '.join(SHELLS)}"
    group.add_argument("--generate-shell-completion", choices=SHELLS, metavar="SHELL", help=what)
    level = group.add_mutually_exclusive_group()
    level.add_argument("-v", "--verbose", action="store_true", help="print skipped files, times and tracebacks, too")
    level.add_argument("-q", "--quiet", action="store_true", help="print findings only, no summary")
    group.add_argument("--version", action="version", version=f"olympus-lint {__version__}", help="print the version")


def flag(group: argparse._ArgumentGroup, name: str, help: str) -> None:
    """Add a setting that its option switches on."""
    group.add_argument(name, action="store_true", default=argparse.SUPPRESS, help=help)


def setting(group: argparse._ArgumentGroup, name: str, metavar: str, help: str) -> None:
    """Add a setting with one value."""
    group.add_argument(name, metavar=metavar, default=argparse.SUPPRESS, help=help)


def listing(group: argparse._ArgumentGroup, name: str, metavar: str, help: str) -> None:
    """Add a setting with values between commas, which may be given several times."""
    group.add_argument(name, type=comma, action="extend", metavar=metavar, default=argparse.SUPPRESS, help=help)


def comma(text: str) -> list[str]:
    """Split at commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


def fraction(text: str) -> tuple[int, int]:
    """Read ``K/N``: a part and the number of parts."""
    number, slash, count = text.partition("/")
    if not (slash and number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise argparse.ArgumentTypeError(f"expected K/N, such as 1/4, not {text!r}")
    return int(number), int(count)


def cluster(text: str) -> str:
    """Read the address of a Dask scheduler."""
    host, _, port = text.removeprefix("dask://").rpartition(":")
    if not (text.startswith("dask://") and host and port.isdecimal()):
        raise argparse.ArgumentTypeError(f"expected dask://HOST:PORT, such as dask://localhost:8786, not {text!r}")
    return text


def positive(text: str) -> int:
    """Read a number above 0."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a number above 0, not {text!r}")
    return int(text)
