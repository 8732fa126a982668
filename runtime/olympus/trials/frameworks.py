"""Verdicts by real frameworks: a function is traced among the definitions of its file, without an import of that."""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from types import ModuleType

from olympus.trials.effects import stay_inside
from olympus.trials.execution import Absent, Expired, limited
from olympus.trials.judging import judged
from olympus.trials.modules import quiet
from olympus.trials.project import Project
from olympus.trials.search import Hints
from olympus.verdicts.question import Question, Verdict, too_long
from olympus.witness.execution import Target

DEFINED: dict[Target, tuple[ModuleType, str | None]] = {}
"""The modules of definitions by their files, each with the reason why a framework is missing."""


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
            stay_inside()
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
