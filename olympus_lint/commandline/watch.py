"""``--watch``: the check is made again when a file changes."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

from olympus_lint.project.settings import SettingsError
from olympus_rules.libraries import libraries

CLEAR = "\x1b[2J\x1b[3J\x1b[H"
PAUSE = 200
"""Milliseconds in which changes count as one: an editor writes several files, or one file several times."""
SUFFIXES = (".py", ".pyi", ".ipynb", ".md", ".toml", ".gitignore")


def watch(check: Callable[[Namespace], int], args: Namespace) -> int:
    """Check, and check again after each change of a file under the paths, until the user ends it.

    Returns:
        The exit status of the last check.

    Raises:
        SettingsError: what watches files is not installed, or a path does not exist.
    """
    try:
        from watchfiles import watch as changes
    except ModuleNotFoundError:
        hint = "install it with `pip install 'olympus-lint[watch]'`"
        raise SettingsError(f"--watch: `watchfiles` is not installed here; {hint}.") from None
    missing = next((path for path in args.paths if not Path(path).exists()), None)
    if missing is not None:
        raise SettingsError(f"{missing}: does not exist; check the spelling and the current folder.")
    status: int | None = None
    wanted = lambda _, path: path.endswith(SUFFIXES) and ".olympus-lint-cache" not in path
    # What the first, empty turn says is that the watching has begun: a file saved during a check is seen after it.
    for changed in changes(*args.paths, watch_filter=wanted, step=PAUSE, rust_timeout=PAUSE, yield_on_timeout=True):
        if changed or status is None:
            status = again(check, args)
    return status or 0


def again(check: Callable[[Namespace], int], args: Namespace) -> int:
    """Clear a terminal, and check; wrong settings are told, as they may be right soon."""
    if sys.stdout is not None and sys.stdout.isatty():
        print(CLEAR, end="", flush=True)
    libraries.cache_clear()  # a pack may have changed
    try:
        status = check(args)
    except SettingsError as error:
        print(f"error: {error}", file=sys.stderr)
        status = 2
    print("Watching for changes; Ctrl-C ends it.", file=sys.stderr, flush=True)
    if sys.stdout is not None:
        sys.stdout.flush()
    return status
