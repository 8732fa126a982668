"""Reasons that hold back constructors, with the paths of their keys."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from olympus_rules.reach.paths import Way
    from olympus_rules.reach.values import Place

__all__ = ["Reason", "Step", "by_way", "first_doubt", "is_clear", "not_followed", "short", "with_places"]

SHOWN = 6
"""The most steps of a path in a line of text."""
CALLS = frozenset({"callee", "method"})
"""The kinds of steps that are calls."""
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


def is_clear(way: Way) -> bool:
    """Return whether a path has no step that may not be taken, or only calls of one function that is named."""
    return not way.doubts or (len(way.doubts) == 1 and way.doubts[0].kind in CALLS)


def by_way(reason: Reason, way: Way, filenames: Mapping[str, str]) -> Reason:
    """Return a reason with a clear path, and with what is not known of that."""
    path = _path(way.steps, Step(reason.filename, reason.row), filenames)
    if not way.doubts:
        return replace(reason, path=path)
    (doubt,) = way.doubts
    where = f" ({_spot(doubt.place, filenames)})" if doubt.place is not None else ""
    calls = f"calls `{doubt.target}`" if doubt.target else "hands it on"
    return replace(reason, text=f"{_unsure(reason.text)}, if `{doubt.name}`{where} {calls}", path=path)


def not_followed(maker: Place, filenames: Mapping[str, str]) -> Reason:
    """Return that the paths of a key are not known, as there are too many, or the values of several are joined."""
    return Reason(filenames[maker.file], maker.line, "is not told apart from other values on its way")


def first_doubt(way: Way, maker: Place, filenames: Mapping[str, str]) -> Reason:
    """Return the first step of a path that may not be taken, up to which the path is known."""
    doubt = way.doubts[0]
    steps = way.steps[: way.sure]
    last = steps[-1] if steps else maker
    if doubt.kind in ("attribute", "object"):
        place, text = last, f"becomes the attribute `{doubt.name}` of an object that is not told apart from others"
    elif doubt.kind == "part":
        place, text = last, "is in a container that is not told apart from others"
    elif doubt.kind == "leaf":
        place, text = last, f"is in an object of `{doubt.target}`, and where such objects go is not known"
    elif doubt.kind == "merger" or doubt.place is None:  # that the key gets there may itself be by the merger
        steps = steps[:-1]
        place = steps[-1] if steps else maker
        text = f"may get to {_spot(doubt.place or last, filenames)}, where unrelated values come together"
    elif doubt.leaves:
        place, text = last, f"is returned by `{doubt.target or 'a function'}`, which may be what `{doubt.name}` calls"
    else:
        place, text = doubt.place, f"is passed to `{doubt.name}`, of which it is not known what it calls"
    filename = filenames[place.file]
    return Reason(filename, place.line, text, path=_path(steps, Step(filename, place.line), filenames))


def with_places(reason: Reason, places: Collection[Reason]) -> Reason:
    """Return a reason that says which places may come after it: the first one by name, and the number of the others."""
    lines: dict[tuple[str, int], Reason] = {}
    for place in sorted(places):
        lines.setdefault((place.filename, place.row), place)
    first, *others = lines.values()
    more = f", or {len(others)} other place{'s'[: len(others) > 1]}" if others else ""
    found = f"{_unsure(first.text)} on {first.filename}:{first.row}"
    return replace(reason, text=f"{reason.text}; from here it {found}{more}")


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


def _spot(place: Place, filenames: Mapping[str, str]) -> str:
    return f"{filenames[place.file]}:{place.line}"
