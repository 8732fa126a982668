"""Reasons that hold back constructors, with the paths of their keys."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from olympus_rules.reach.paths import Way
    from olympus_rules.reach.values import Place

__all__ = ["Reason", "Step", "after_doubt", "by_way", "first_doubt", "is_clear", "not_followed", "short", "with_places"]

NAMED = 2
"""The most places that are not ruled out and are named in a line of text."""
SHOWN = 6
"""The most steps of a path in a line of text."""
CALLS = frozenset({"callee", "method"})
"""The kinds of steps that are calls."""
UNSURE = {"reaches": "may reach", "is passed": "may be passed", "meets": "may meet"}
"""The predicates of reasons, and the same for a path with steps that may not be taken."""


HOLDERS = {"object": "an object", "container": "a container"}
NO_FURTHER = "and olympus-lint does not follow it further"
WHOSE = "it does not tell the objects of the class apart"
OTHERS = "that gets other values as well, and it does not tell which of them is read where"
ATTRIBUTE = f"becomes an attribute `{{name}}`, {NO_FURTHER}: it does not tell apart whose"
OPEN = {
    "anywhere": f"is in an attribute that may be one of a `{{target}}`, {NO_FURTHER}",
    "attribute": ATTRIBUTE,
    "crowd": f"is passed to `{{name}}`, {NO_FURTHER}: it does not tell apart what all callers pass",
    "decided": f"is passed to `{{name}}`, {NO_FURTHER}: what is done with it there depends on what else is passed",
    "given back": f"is passed to `{{name}}`, {NO_FURTHER}: that may give it back or not",
    "held": f"becomes an attribute of the class `{{target}}` or of an object, {NO_FURTHER}: {WHOSE}",
    "kept": f"is passed to `{{name}}`, {NO_FURTHER}: that may keep it",
    "leaf": f"may become an attribute of the class `{{target}}` or of an object, {NO_FURTHER}: {WHOSE}",
    "merger": "is not followed further: from here on olympus-lint does not tell it apart from other values",
    "object": ATTRIBUTE,
    "overwritten": f"becomes an attribute `{{name}}` of the class `{{target}}`, {NO_FURTHER}: {OTHERS}",
    "part": f"is in a container, {NO_FURTHER}: it does not tell its elements apart from others",
    "pool": f"is in one of very many containers and objects, {NO_FURTHER}",
    "uncalled": f"is in an object, {NO_FURTHER}: it does not work out for which objects `{{target}}` is called",
    "returned": f"is returned by `{{target}}`, {NO_FURTHER}: it does not tell apart to which caller",
}
"""What is said of the last sure step of a path, by the doubt of the next one."""
SAME = frozenset({"uncalled", "unknown"})
"""The doubts after which, if the step is taken, the key is not joined with others."""


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
        candidates: the places that may come after it, where it is the last sure step of a path.
        is_far: whether more than the first unsure step is not known of the way to this place.
    """

    filename: str
    row: int
    text: str
    code: str = ""
    cell: int | None = None
    path: tuple[Step, ...] = field(default=(), compare=False)
    candidates: tuple[Step, ...] = field(default=(), compare=False)
    is_far: bool = field(default=False, compare=False)


def is_clear(way: Way) -> bool:
    """Return whether a path has no step that may not be taken, or only calls of one function that is named."""
    return not way.doubts or (len(way.doubts) == 1 and way.doubts[0].kind in CALLS)


def by_way(reason: Reason, way: Way, filenames: Mapping[str, str]) -> Reason:
    """Return a reason with a clear path, and with what is not known of that."""
    path = _path(way.steps, Step(reason.filename, reason.row), filenames)
    if not way.doubts:
        return replace(reason, text=_held(reason.text, way.holder), path=path)
    (doubt,) = way.doubts
    where = f" ({_spot(doubt.place, filenames)})" if doubt.place is not None else ""
    calls = f"calls `{doubt.target}`" if doubt.target else "hands it on"
    text = _held(_unsure(reason.text), way.holder)
    return replace(reason, text=f"{text}, if `{doubt.name}`{where} {calls}", path=path)


def not_followed(maker: Place, filenames: Mapping[str, str]) -> Reason:
    """Return that a key is not followed, as there are too many paths, or the values of several callers are joined."""
    return Reason(filenames[maker.file], maker.line, "is not followed to its end: too much comes together on its way")


def first_doubt(way: Way, maker: Place, filenames: Mapping[str, str]) -> Reason:
    """Return the first step of a path that may not be taken, up to which the path is known."""
    doubt = way.doubts[0]
    steps = way.steps[: way.sure]
    place = steps[-1] if steps else maker
    text = OPEN.get(doubt.kind, "is passed to `{name}`, and olympus-lint does not work out what that calls")
    if doubt.kind not in OPEN and doubt.leaves:
        text = "is returned by `{target}`, and olympus-lint does not work out whether `{name}` calls that"
    elif doubt.kind not in OPEN.keys() - {"crowd", "decided"} and doubt.place is not None:
        place = doubt.place
    said = text.format(name=doubt.name, target=doubt.target or "a function")
    filename = filenames[place.file]
    said = _held(said, doubt.holder)
    return Reason(filename, place.line, said, path=_path(steps, Step(filename, place.line), filenames))


def after_doubt(way: Way | None, place: Reason) -> list[Reason]:
    """Return the place of a path after its first step that may not be taken; none if the path is ruled out there.

    It is near if the path has no other such step, and the key is told apart from others after this one.
    """
    kinds = [doubt.kind for doubt in way.doubts] if way is not None else []
    return [] if kinds[:1] == ["decided"] else [replace(place, is_far=len(kinds) != 1 or kinds[0] not in SAME)]


def with_places(reason: Reason, places: Collection[Reason]) -> Reason:
    """Return a reason that says which places are not ruled out after it: by name if they are few and near."""
    lines: dict[tuple[str, int], Reason] = {}
    for place in sorted(places, key=lambda each: (each, each.is_far)):
        lines.setdefault((place.filename, place.row), place)
    lines.pop((reason.filename, reason.row), None)
    if not lines:
        return reason
    candidates = tuple(Step(each.filename, each.row) for each in lines.values())
    if len(lines) <= NAMED and not any(each.is_far for each in lines.values()):
        found = [f"it {_at(each.text)} on {each.filename}:{each.row}" for each in lines.values()]
        listed = " or that ".join(found)
    else:
        several = f"one of {len(lines)} places" if len(lines) > 1 else "a place"
        listed = f"it gets to {several} that may not take typed keys"
    return replace(reason, text=f"{reason.text}; it is not ruled out that {listed}", candidates=candidates)


def _at(text: str) -> str:
    """Return the place that a reason names, without what is said of the library there."""
    place, quote, _ = text.partition("`, ")
    return f"{place}`" if quote else place


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


def _spot(place: Place, filenames: Mapping[str, str]) -> str:
    return f"{filenames[place.file]}:{place.line}"
