"""Trials of the real functions: the module is imported, and its functions are traced with guessed arguments.

This executes the user's code. :mod:`olympus.trials.specs` and :mod:`olympus.trials.names` do not import JAX.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from olympus.verdicts.question import Question, Verdict

__all__ = ["answer", "loaded"]


def answer(
    file: str,
    module: str,
    folders: tuple[Path, ...],
    questions: Sequence[Question],
    hints: Mapping[str, Mapping[str, Any]],
) -> list[Verdict]:
    """Judge the findings of one file by tracing the functions that they are in.

    Args:
        file: the path of the file, as the questions have it.
        module: the name under which it is imported, which executes it.
        folders: where the modules of its project are looked for.
        questions: the findings.
        hints: arguments, as in ``{"pkg.mod:function": {"args": ["key", "f32[3,4]"]}}``.
    """
    from olympus.trials.judging import judged

    return judged(file, module, folders, questions, hints)


def loaded(file: str, module: str, folders: tuple[Path, ...], seconds: float) -> str | None:
    """Import a file before its findings are judged; return why that was not possible, ``None`` if it was."""
    from olympus.trials import judging

    found = judging.loaded(file, module, folders, seconds)
    return found if isinstance(found, str) else None
