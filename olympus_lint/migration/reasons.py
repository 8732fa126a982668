"""Reasons that hold back constructors, with the paths of their keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from olympus_rules.reach.paths import Doubt, Way

__all__ = ["Reason", "Step", "by_way", "not_followed", "short"]

SHOWN = 6
"""The most steps of a path in a line of text."""
DOUBTS = 2
"""The most steps of a path that are called uncertain in a line of text."""
UNSURE = {"reaches": "may reach", "is passed": "may be passed", "meets": "may meet"}
"""The predicates of reasons, and the same for a path with steps that may not be taken."""


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


def by_way(reason: Reason, way: Way, filenames: Mapping[str, str]) -> Reason:
    """Return a reason with a path, and with what is not known of that."""
    steps = [Step(filenames[place.file], place.line) for place in way.steps]
    steps.append(Step(reason.filename, reason.row))
    path = tuple(step for step, before in zip(steps, [None, *steps], strict=False) if step != before)
    mergers = [doubt for doubt in way.doubts if doubt.kind == "merger"]
    others = [doubt for doubt in way.doubts if doubt.kind != "merger"]
    doubts = list(dict.fromkeys(_said(doubt, filenames) for doubt in [*mergers[:1], *others]))
    if not doubts:
        return replace(reason, path=path)
    more = [f"and {len(doubts) - DOUBTS} more such steps"] if len(doubts) > DOUBTS else []
    return replace(reason, text=f"{_unsure(reason.text)}, {', '.join(doubts[:DOUBTS] + more)}", path=path)


def not_followed(reason: Reason) -> Reason:
    """Return a reason whose path is not known, since there are too many."""
    return replace(reason, text=f"{_unsure(reason.text)}, by paths that are too many to tell apart")


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


def _said(doubt: Doubt, filenames: Mapping[str, str]) -> str:
    """Return what is not known of a step."""
    spot = "" if doubt.place is None else f"{filenames[doubt.place.file]}:{doubt.place.line}"
    where = f" ({spot})" if spot else ""
    if doubt.kind == "attribute":
        return f"through the attribute `{doubt.name}`{where} of an object of unknown class"
    if doubt.kind == "merger":
        return f"through {spot}, where unrelated values come together that were not told apart"
    if doubt.kind == "object":
        return f"if the object of `.{doubt.name}`{where} is of class `{doubt.target}` or a related one"
    return f"if `{doubt.name}`{where} " + (f"calls `{doubt.target}`" if doubt.target else "hands it on")
