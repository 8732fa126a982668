"""Reasons that hold back constructors, with the paths of their keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from olympus_rules.reach.answers.paths import Path
    from olympus_rules.reach.solver.values import Place

__all__ = ["Reason", "Step", "along", "short"]

SHOWN = 6
"""The most steps of a path in a line of text."""
UNSURE = {"reaches": "may reach", "is passed": "may be passed", "meets": "may meet"}
"""The predicates of reasons, and the same for a path with steps that may not be taken."""


HOLDERS = {"object": "an object", "container": "a container"}


@dataclass(frozen=True, slots=True)
class Step:
    """A line on the path of a key; ``cell`` is the cell of a notebook."""

    filename: str
    row: int
    cell: int | None = None


@dataclass(frozen=True, slots=True, order=True)
class Reason:
    """A reason that holds back a constructor.

    Attributes:
        filename, row: its place.
        text: the reason, as the predicate of a sentence whose subject is the key.
        code: the rule that reports it; empty for a call.
        cell: the cell of a notebook.
        path: the lines from the constructor to the place; empty if no path is known.
    """

    filename: str
    row: int
    text: str
    code: str = ""
    cell: int | None = None
    path: tuple[Step, ...] = field(default=(), compare=False)


def along(reason: Reason, way: Path | None, filenames: Mapping[str, str], *, is_sure: bool) -> Reason:
    """Return a reason with the lines on the way of the key, as far as one is known.

    Args:
        reason: the reason.
        way: a way of the key to the place.
        filenames: the names of the files by their paths.
        is_sure: whether the key is known to get there.
    """
    text = reason.text if is_sure else _unsure(reason.text)
    if way is None:
        return replace(reason, text=text)
    path = _path(way.steps, Step(reason.filename, reason.row), filenames)
    return replace(reason, text=_held(text, way.holder), path=path)


def _path(places: Iterable[Place], last: Step, filenames: Mapping[str, str]) -> tuple[Step, ...]:
    steps = [*(Step(filenames[place.file], place.line) for place in places), last]
    return tuple(step for step, before in zip(steps, [None, *steps], strict=False) if step != before)


def short(path: tuple[Step, ...]) -> str:
    """Return a path as text: at most some steps, without the middle; nothing for a path of one line or two."""
    if len(path) < 3:
        return ""
    half = SHOWN // 2
    steps = [*path[:half], None, *path[-half:]] if len(path) > SHOWN else list(path)
    said = []
    before: Step | None = None
    for step in steps:
        if step is None:
            said.append("…")
            before = None
            continue
        cell = "" if step.cell is None else f"cell {step.cell}:"
        is_same = before is not None and (step.filename, step.cell) == (before.filename, before.cell)
        said.append(f":{step.row}" if is_same else f"{step.filename}:{cell}{step.row}")
        before = step
    return " → ".join(said)


def _unsure(text: str) -> str:
    for sure, unsure in UNSURE.items():
        if text.startswith(sure):
            return unsure + text.removeprefix(sure)
    return text


def _held(text: str, holder: str) -> str:
    """Return what is said of a key, or the same of the object or container that has it."""
    moves = text.startswith(("is passed", "is written", "is returned", "may be passed", "becomes", "may become"))
    return f"is in {HOLDERS[holder]} that {text}" if holder and moves else text
