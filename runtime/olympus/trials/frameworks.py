"""Verdicts by real frameworks: a function is traced among the definitions of its file, without an import of that."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from olympus.trials.execution import Absent
from olympus.trials.judging import judged
from olympus.trials.limits import Expired, limited
from olympus.trials.modules import quiet
from olympus.trials.project import Project
from olympus.trials.search import Hints
from olympus.verdicts.question import Question, Verdict, too_long
from olympus.witness.execution import Target

DEFINED: dict[Target, tuple[ModuleType, str | None]] = {}
"""The modules of definitions by their files, each with the reason why a framework is missing."""
EFFECTS = (
    "_winapi.", "builtins.breakpoint", "builtins.input", "ctypes.dlopen", "fcntl.", "ftplib.", "http.", "imaplib.",
    "msvcrt.", "os.", "poplib.", "pty.", "shutil.", "signal.", "smtplib.", "socket.", "sqlite3.", "subprocess.",
    "syslog.", "tempfile.", "urllib.", "webbrowser.", "winreg.",
)  # fmt: skip
"""The beginnings of the names of Python's audit events that are about more than this process."""
HARMLESS = frozenset({"os.fwalk", "os.listdir", "os.listdrives", "os.putenv", "os.scandir", "os.unsetenv", "os.walk"})
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def define(target: Target, frameworks: Sequence[str], known: Collection[str], seconds: float) -> str | None:
    """Import the frameworks of a file, and make a module of the file's definitions.

    Args:
        target: the file; nothing in the folders of its project is imported.
        frameworks: the frameworks that it imports.
        known: all of them, which other files of the project may import.
        seconds: after how much time to give up.

    Returns:
        Why that was not possible: no framework can be imported, or it takes too long.
    """
    own = {folder.resolve() for folder in target.folders}
    sys.path[:] = [each for each in sys.path if Path(each).resolve() not in own]
    project = Project(target.folders, known, target.packages)
    try:
        with quiet(target.file), limited(seconds, again=1.0):
            missing = [reason for name in frameworks if (reason := project.missing(name)) is not None]
            if len(missing) == len(frameworks):
                return missing[0]
            sys.addaudithook(stay_inside)  # from now on, as far as Python sees it
            made = project.definitions(Path(target.file), target.text, target.module)
    except Expired:
        return f"importing {' and '.join(frameworks)} {too_long(seconds)}"
    except SyntaxError:
        return "the file is no Python of this version"
    DEFINED[target] = made, missing[0] if missing else None
    return None


def answer(target: Target, questions: Sequence[Question], hints: Hints) -> list[Verdict]:
    """Judge the findings of a file whose module of definitions is made: none of them is refuted.

    Args:
        target: the file.
        questions: the findings.
        hints: arguments for functions, as for the real module.
    """
    made, missing = DEFINED[target]
    unknown = Verdict("not reached", "framework", missing)
    try:
        with quiet(target.file):
            verdicts = judged(made, target.module, ast.parse(target.text), questions, hints)
    except Absent:
        return [unknown] * len(questions)
    return [
        Verdict("confirmed", "framework", each.reason, each.evidence) if each.status == "confirmed" else unknown
        for each in verdicts
    ]


def stay_inside(event: str, args: tuple[Any, ...]) -> None:
    """Raise an error at an event that is about more than this process.

    Raises:
        Absent: it is one.
    """
    if event == "open":
        path, mode, flags = args
        writes = bool(set(mode) & set("wax+")) if isinstance(mode, str) else bool(flags & WRITING)
        if writes and path != os.devnull:
            raise Absent(f"writing {path}")
    elif event.startswith(EFFECTS) and event not in HARMLESS:
        raise Absent(event)
