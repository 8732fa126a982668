"""The command ``olympus-lint``."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from olympus_lint.commandline.options import parse
from olympus_lint.run.signals import die_of_signals

if TYPE_CHECKING:
    from argparse import Namespace


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        argv: the arguments after the program's name; those of the process by default.

    Returns:
        The exit status: 0 nothing to report, 1 findings, 2 wrong options, settings or input, or an internal
        error.

    Raises:
        SystemExit: after ``--help`` and ``--version``, and for wrong options.
    """
    args = parse(argv)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # the locale may lack characters of names and sources
    from olympus_lint.commandline.output import OutputError
    from olympus_lint.project.settings import SettingsError

    try:
        with die_of_signals():
            return run(args)
    except SettingsError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except OutputError as error:
        return unheard(str(error))
    except BrokenPipeError:
        return unheard("")  # of standard error
    except KeyboardInterrupt:
        return 130


def unheard(message: str) -> int:
    """Report that output failed, and discard what the streams still hold, so that Python does not fail at exit."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        print(f"error: {message}", file=sys.stderr, flush=True) if message else None
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except AttributeError:
            pass  # it was closed from the beginning
        except (OSError, ValueError):
            with contextlib.suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return 2


def run(args: Namespace) -> int:
    """Run the command that the options choose, and return the exit status."""
    if args.list_rules:
        from olympus_lint.commandline.information import list_rules
        from olympus_lint.commandline.output import print_out

        print_out(list_rules())
        return 0
    if args.explain:
        from olympus_lint.commandline.information import rule_page

        show_markdown(rule_page(args.explain))
        return 0
    if args.generate_shell_completion:
        from olympus_lint.commandline.completion import completion
        from olympus_lint.commandline.output import print_out

        print_out(completion(args.generate_shell_completion))
        return 0
    if args.derive_pack:
        from olympus_lint.commandline.derive import derive_pack

        return derive_pack(args)
    if args.server:
        return server()
    if args.merge:
        from olympus_lint.commandline.merge import merge

        return merge(args)
    if args.migrate:
        from olympus_lint.commandline.migrate import migrate

        return migrate(args)
    from olympus_lint.commandline.check import check

    if args.watch:
        from olympus_lint.commandline.watch import watch

        return watch(check, args)
    return check(args)


def server() -> int:
    """Serve an editor.

    Raises:
        SettingsError: what the server needs is not installed.
    """
    from olympus_lint.project.settings import SettingsError

    try:
        from olympus_lint.server.serve import serve
    except ModuleNotFoundError as error:
        hint = "install it with `pip install 'olympus-lint[server]'`"
        raise SettingsError(f"--server: `{error.name}` is not installed here; {hint}.") from None
    return serve()


def show_markdown(page: str) -> None:
    """Print a page, with its markup rendered on a terminal."""
    from olympus_lint.commandline.output import has_color, print_out

    if sys.stdout is None or not has_color(sys.stdout):
        print_out(page)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(page))
