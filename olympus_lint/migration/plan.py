"""Which constructors can make typed keys, and what holds the others back."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from olympus_lint.migration.places import is_note
from olympus_lint.migration.unseen import unseen
from olympus_rules.keyflow.facts import KeyKind
from olympus_rules.libraries import libraries
from olympus_rules.reach.reading import place_of
from olympus_rules.reach.values import Place
from olympus_rules.rule import Report, all_rules
from olympus_rules.syntax import Document

if TYPE_CHECKING:
    from olympus_codemods.target import Target
    from olympus_rules.keyflow.facts import Fact, HandedOut
    from olympus_rules.reach.project import Escape, ProjectReach

__all__ = ["Constructor", "Reason", "all_held_back", "plan"]

INDIFFERENT = frozenset({"absl", "numpy", "pytest", "unittest"})
"""Packages of which the rules know the functions that typed keys do not survive."""
MANY = 16
"""Constructors: where more come together, values were merged that have nothing to do with each other."""


@dataclass(frozen=True, slots=True, order=True)
class Reason:
    """What holds a constructor back.

    Attributes:
        filename, row: where.
        text: what, as the rest of a sentence that begins with the key.
        code: the rule that says so; empty for a call.
        cell: the cell of a notebook.
    """

    filename: str
    row: int
    text: str
    code: str = ""
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Constructor:
    """A mention of the constructor of raw keys.

    Attributes:
        filename, row, column: where, with rows and columns from 1.
        spelled: as it is written.
        reasons: what holds it back; none for one that can be renamed.
        cell: the cell of a notebook.
    """

    filename: str
    row: int
    column: int
    spelled: str
    reasons: tuple[Reason, ...]
    cell: int | None = None


def plan(
    documents: Mapping[str, Document],
    mentions: Mapping[str, Sequence[Report]],
    left: Mapping[str, Sequence[Report]],
    exits: Mapping[str, Sequence[HandedOut]],
    seen: Mapping[str, Collection[int]],
    *,
    target: Target,
    roots: Iterable[str],
    packs: tuple[str, ...] = (),
    staying: Collection[tuple[str, int]] = (),
    careful: bool = False,
) -> dict[str, list[Constructor]]:
    """Return the constructors of a project by file, each with what holds it back.

    Args:
        documents: all files by the path that the user gave.
        mentions: the constructors of each file, in the order of places.
        left: the places of each file that are not ready for typed keys.
        exits: the calls of each file that give keys to what is out of reach.
        seen: the rows of each file of which a rule speaks.
        target: what the code has to work with.
        roots: the names under which the JAX namespace may be imported.
        packs: the paths of the user's signature packs.
        staying: constructors that are not renamed in any case, by their file and number.
        careful: whether keys of which the number of axes is not known count as single ones.
    """
    from olympus_rules.reach.project import reach

    paths = {filename: str(Path(filename).absolute()) for filename in documents}
    filenames = {path: filename for filename, path in paths.items()}
    places = {
        place_of(paths[filename], report.fact.node): report for filename, each in mentions.items() for report in each
    }
    reached = reach({paths[filename]: document for filename, document in documents.items()}, places, roots, packs)
    reasons: dict[Place, set[Reason]] = defaultdict(set)
    open_places: list[Reason] = []
    for fact, reason in _left_in(left, documents, target):
        sites = _sites_of(fact, paths[reason.filename], reached, places)
        open_places += [] if sites else [reason]
        for site in sites:
            reasons[site].add(reason)
    for filename, path in paths.items():
        for value, node in unseen(documents[filename], path, reached, careful=careful):
            sites = reached.keys_at(place_of(path, value))
            counts = node.lineno not in seen.get(filename, ()) and len(sites) <= MANY
            for site in sites if counts else ():
                reasons[site].add(_place(filename, node, documents[filename]))
    leaving = _leaving(exits, paths, places)
    for way in reached.escapes():
        told = _way_out(way, open_places, packs) if way.is_sure or way.place in leaving else None
        for site in (leaving.get(way.place) or way.keys) if told else ():
            reasons[site].add(Reason(filenames[way.place.file], way.place.line, str(told)))
    for filename, number in staying:
        report = mentions[filename][number]
        reasons[place_of(paths[filename], report.fact.node)].add(_stays(filename, report))
    _hold_company(reached, filenames, places, reasons)
    return {
        filename: [
            _constructor(filename, report, reasons[place_of(paths[filename], report.fact.node)]) for report in each
        ]
        for filename, each in mentions.items()
    }


def _left_in(
    left: Mapping[str, Sequence[Report]], documents: Mapping[str, Document], target: Target
) -> Iterator[tuple[Fact, Reason]]:
    """Yield the places that are not ready for typed keys, with what they say of a constructor whose keys come there."""
    for filename, reports in left.items():
        for report in reports:
            stops = all_rules()[report.finding.code].holds_back and not is_note(report, target)
            if stops and report.fact.kind != KeyKind.TYPED:
                yield report.fact, _place_left(filename, report, documents[filename])


def all_held_back(mentions: Mapping[str, Sequence[Report]], why: str) -> dict[str, list[Constructor]]:
    """Return the constructors of a project by file, all of them held back."""
    return {
        filename: [
            _constructor(filename, report, {Reason(filename, report.finding.span.start.row, why)}) for report in each
        ]
        for filename, each in mentions.items()
    }


def _leaving(
    exits: Mapping[str, Sequence[HandedOut]], paths: Mapping[str, str], places: Collection[Place]
) -> dict[Place, set[Place]]:
    """Return the calls that give keys to what is out of reach, with the constructors that are known to make them."""
    leaving: dict[Place, set[Place]] = {}
    for filename, each in exits.items():
        for fact in each:
            made = _mentions_in(fact.maker, paths[filename], places)
            leaving.setdefault(place_of(paths[filename], fact.node), set()).update(made)
    return leaving


def _mentions_in(maker: ast.AST | None, path: str, places: Collection[Place]) -> frozenset[Place]:
    """Return the mentions of constructors in what made a key: the constructor, or a transformation of it."""
    parts = () if maker is None else ast.walk(maker)
    return frozenset(place_of(path, part) for part in parts).intersection(places)


def _constructor(filename: str, report: Report, reasons: set[Reason]) -> Constructor:
    start = report.finding.span.start
    return Constructor(filename, start.row, start.column, ast.unparse(report.fact.node), tuple(sorted(reasons)))


def _stays(filename: str, report: Report) -> Reason:
    return Reason(filename, report.finding.span.start.row, "is left raw")


def _place_left(filename: str, report: Report, document: Document) -> Reason:
    return _place(filename, report.fact.node, document, report.finding.code)


def _place(filename: str, node: ast.AST, document: Document, code: str = "") -> Reason:
    written = " ".join(document.segment(node).split())
    shown = written if len(written) <= 60 else f"{written[:57]}..."
    return Reason(filename, getattr(node, "lineno", 1), f"gets to `{shown}`", code)


def _sites_of(fact: Fact, path: str, reached: ProjectReach, places: Collection[Place]) -> frozenset[Place]:
    """Return the constructors whose keys may be what a fact is about.

    The key flow knows some; otherwise it is what may be in the expressions of the fact, first of all in those to
    which nothing but keys comes.
    """
    made = _mentions_in(fact.maker, path, places)
    if made:
        return made
    subjects = [*getattr(fact, "subjects", ()), *filter(None, [getattr(fact, "subject", None)])]
    inner = [part for node in subjects or [fact.node] for part in ast.walk(node) if isinstance(part, ast.expr)]
    spots = [place_of(path, part) for part in (subjects or inner)]
    sure = [reached.keys_at(spot) for spot in spots if reached.has_keys_only(spot)]
    return frozenset().union(*(sure or [reached.keys_at(spot) for spot in spots]))


def _way_out(way: Escape, open_places: Sequence[Reason], packs: tuple[str, ...]) -> str | None:
    """Return why a call out of the project holds a key back, ``None`` if it does not.

    A callee that nothing is known of may be any function of the project. That is a risk where there are places that
    are not ready, and of which it is not known where their keys come from; and none where there are no such places.
    """
    if not way.library:
        if not open_places:
            return None
        place = open_places[0]
        return f"is given to `{way.callee}`, which may lead to line {place.row} of {place.filename}"
    support = libraries(packs).get(way.library).typed_keys
    package = way.library.partition(".")[0]
    if support == "yes" or package in INDIFFERENT:
        return None
    if support == "no":
        return f"is given to `{way.callee}`, and {package} takes raw keys only"
    return f"is given to `{way.callee}`, and it is not known whether {package} takes typed keys"


def _hold_company(
    reached: ProjectReach,
    filenames: Mapping[str, str],
    places: Mapping[Place, Report],
    reasons: dict[Place, set[Reason]],
) -> None:
    """Hold back what meets keys that stay raw in a call which wants keys of one kind."""
    joins = reached.joins()
    changed = True
    while changed:
        changed = False
        for join in joins:
            for one in join.keys:
                for other in join.keys:
                    raw = sorted(site for site in one if reasons.get(site) and site not in other)
                    if not raw or other == one:
                        continue
                    first = f"{filenames[raw[0].file]}:{raw[0].line}"
                    text = f"meets keys that stay raw, made on {first}, in `{join.callee}`"
                    for site in other - one:
                        if site in places and not reasons.get(site):
                            reasons[site].add(Reason(filenames[join.place.file], join.place.line, text))
                            changed = True
