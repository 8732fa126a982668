"""The plan of a migration: which constructors can make typed keys, and the reasons that hold back the others."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from olympus_lint.migration.constructors import Constructor, Line, Reason, along
from olympus_lint.migration.key_places import keep, taken_by
from olympus_lint.migration.migration import Migration
from olympus_lint.migration.rewriting import is_note, subjects_of
from olympus_rules.finding import Position
from olympus_rules.keyflow.facts import KeyKind
from olympus_rules.libraries import libraries
from olympus_rules.reach.answers.escapes import escapes, lent
from olympus_rules.reach.answers.project import reach
from olympus_rules.reach.solver.values import MERGED, Place, place_of
from olympus_rules.rule import Report
from olympus_rules.rules import all_rules
from olympus_rules.rules.legacy_constructor import LegacyConstructor

if TYPE_CHECKING:
    from olympus_rules.keyflow.facts import Fact
    from olympus_rules.reach.answers.escapes import Escape
    from olympus_rules.reach.answers.joins import Join
    from olympus_rules.reach.answers.paths import Path
    from olympus_rules.reach.answers.project import ProjectReach
    from olympus_rules.reach.solver.failures import Failure

INDIFFERENT = frozenset({"absl", "numpy", "pytest", "unittest"})
"""Packages whose functions that break with typed keys are known to the rules."""
TOO_MUCH = "where too many functions and objects come together to be told apart"
NOT_ALL = "may get anywhere: too many functions and objects come together in this project to follow every key"
NOT_FOUND = "whose definitions olympus-lint does not find"
UNFOLLOWED = "and what becomes of it there is not known"
MANY = 16
"""Constructors at one place: if there are more, the analysis has merged unrelated values."""


def plan(
    migration: Migration,
    found: Mapping[str, Sequence[Report]],
    staying: Mapping[tuple[str, int], str] = {},
    *,
    strict: bool = False,
) -> Sequence[Failure]:
    """Find out which constructors can make typed keys, and the reasons that hold back the others.

    A reason is a place that breaks, and that the key is known to get to. To which places it may get is to be checked.

    Args:
        migration: the files, and the places in them that are not ready; takes the constructors.
        found: the reports on the constructors of each file, in the order of places.
        staying: reasons against constructors that are not renamed in any case, by their file and number.
        strict: whether places to which keys only may get hold constructors back, too.

    Returns:
        The functions that could not be read; they hold back every constructor.
    """
    held = _Held(migration, found, strict=strict)
    open_places = held.by_places_left()
    held.by_exits(open_places)
    held.by_lent_constructors()
    held.by_limits()
    held.by_choice(staying)
    held.by_failures()
    held.by_company()
    migration.constructors = held.constructors()
    migration.taken = held.other_sources()
    migration.is_cut_short = held.is_cut_short
    migration.unlisted += held.unlisted
    held.forget()
    return held.failures


class _Held:
    """The reasons that hold back each constructor of a project.

    Attributes:
        reasons: the reasons by the place of the constructor.
        checks: the places to which keys only may get, likewise; they are reasons in a strict plan.
        failures: the functions that could not be read.
        is_cut_short: whether the project is too large to follow every key to its end.
        unlisted: the number of calls that anything may reach, keys included; they are told in a strict plan.
    """

    def __init__(self, migration: Migration, found: Mapping[str, Sequence[Report]], *, strict: bool) -> None:
        """Find out which places the keys of each constructor reach."""
        self.reasons: dict[Place, set[Reason]] = defaultdict(set)
        self.checks = self.reasons if strict else defaultdict[Place, set[Reason]](set)
        self._documents = migration.documents()
        self._texts = {text.path: text for text in migration.texts if text.path in self._documents}
        self._left = {path: migration.left.get(text.filename, ()) for path, text in self._texts.items()}
        self._target, self._packs = migration.target, migration.packs
        self._found = {path: found[text.filename] for path, text in self._texts.items() if text.filename in found}
        self._places = {
            place_of(path, report.fact.node): report for path, made in self._found.items() for report in made
        }
        self._taken = taken_by(migration)
        with_words = migration.target.style == "portable"
        if migration.reached is not None and not migration.reached.is_of(self._documents, self._taken):
            keep(migration, None)
        if migration.reached is not None and not with_words and migration.reached.takes(self._places):
            self._reached = migration.reached
        else:
            self._reached = reach(
                self._documents, self._places, migration.roots, self._packs, self._taken, with_words=with_words
            )
        self._remade = self._reached.graph.remade
        self.failures = self._reached.graph.failures
        self._joined: set[Place] = set()
        self.unlisted = 0
        self.is_cut_short = self._reached.slots.is_cut_short or migration.is_cut_short
        self._sources = frozenset(self._places).union(self._remade, (each.place for each in self._taken))

    def forget(self) -> None:
        """Let the memory of the analysis go."""
        self._reached.graph.forget()

    def constructors(self) -> dict[str, list[Constructor]]:
        """Return the constructors of each checked file."""
        return {
            self._texts[path].filename: [
                self._constructor(place_of(path, each.fact.node), ast.unparse(each.fact.node)) for each in made
            ]
            for path, made in self._found.items()
        }

    def other_sources(self) -> list[Constructor]:
        """Return parameters that callers pass keys to, and calls that derive keys from words, which count likewise."""
        taken = [self._constructor(each.place, f"{each.name} of {each.callee}", "parameter") for each in self._taken]
        return [*taken, *(self._constructor(*each, "derivation") for each in self._remade.items())]

    def _constructor(self, place: Place, spelled: str, kind: str = "constructor") -> Constructor:
        """Return a constructor, or another source of keys, with what holds it back, or else what is to be checked."""
        text, start = self._texts[place.file], self._documents[place.file].position(place.line, place.column)
        cell, start = text.rows.at(start)
        reasons = tuple(sorted(self.reasons[place]))
        checks = () if reasons else tuple(sorted(self.checks[place]))
        return Constructor(text.filename, start.row, start.column, spelled, reasons, cell, kind, checks)

    def _line(self, path: str, row: int) -> Line:
        """Return a line as the user sees it."""
        cell, start = self._texts[path].rows.at(Position(row, 1))
        return Line(self._texts[path].filename, cell, start.row)

    def _line_of(self, place: Place) -> Line:
        return self._line(place.file, place.line)

    def by_places_left(self) -> list[Reason]:
        """Add the places that are not ready for typed keys; return those that no constructor is known to reach."""
        open_places: list[Reason] = []
        for path, left in self._left.items():
            for report in left:
                stops = all_rules()[report.finding.code].holds_back and not is_note(report, self._target)
                if not stops or report.fact.kind == KeyKind.TYPED or report.finding.code == LegacyConstructor.code:
                    continue
                row = getattr(report.fact.node, "lineno", 1)
                text = f"reaches `{_short(self._documents[path].segment(report.fact.node))}`"
                reason = Reason(self._line(path, row), text, report.finding.code)
                spots = _spots_of(report.fact, path, self._reached)
                makers = frozenset[Place]().union(*map(self._reached.keys_at, spots))
                known = self._known(spots)
                paths = self._reached.paths_to(spots, makers)
                self._add(reason, paths, makers, known, breaks=not report.fact.reached)
                open_places += [] if makers else [reason]
        return open_places

    def _known(self, spots: Iterable[Place]) -> frozenset[Place]:
        """Return the constructors whose keys are known to reach an expression: nothing else does, and few of them."""
        sure = filter(self._reached.has_keys_only, spots)
        known = frozenset[Place]().union(*map(self._reached.keys_at, sure))
        return known if len(known) <= MANY else frozenset()

    def _add(
        self,
        reason: Reason,
        paths: Mapping[Place, Path],
        makers: Iterable[Place],
        known: Collection[Place],
        *,
        breaks: bool = True,
    ) -> None:
        """Add a reason against constructors, to be checked if the key is not known to get to its place, and to break.

        Args:
            reason: the reason.
            paths: the paths of keys to its place.
            makers: the constructors.
            known: those whose keys are known to reach the place.
            breaks: whether it is known that the place does not take typed keys.
        """
        for maker in makers:
            told = along(reason, paths.get(maker), self._line_of, is_sure=maker in known)
            (self.reasons if maker in known and breaks else self.checks)[maker].add(told)

    def by_exits(self, open_places: Sequence[Reason]) -> None:
        """Add the calls that pass keys out of the project."""
        own = {document.module.partition(".")[0] for document in self._documents.values()} - {""}
        for way in escapes(self._reached):
            why = _way_out(way, open_places, self._packs, own) if way.is_sure else None
            if way.is_anything and self.checks is not self.reasons:
                self.unlisted += 1
            elif why is not None:
                reason = Reason(self._line_of(way.place), why)
                paths = self._reached.paths_into(way.place, way.keys)
                self._add(reason, paths, way.keys, way.keys, breaks=_takes_raw_only(way, self._packs))

    def by_lent_constructors(self) -> None:
        """Add the calls that give the constructor itself to a library, of which it is not known what it makes."""
        packs = libraries(self._packs)
        for place, callee, name, lent_ones in lent(self._reached):
            package = name.partition(".")[0]
            if package == "jax" or (package != "typing" and packs.get(name).typed_keys != "yes"):
                reason = Reason(self._line_of(place), f"is made in `{callee}`, {UNFOLLOWED}")
                held = self.reasons if packs.get(name).typed_keys == "no" else self.checks
                for maker in lent_ones & self._sources:
                    held[maker].add(reason)

    def by_limits(self) -> None:
        """Hold all constructors back in a strict plan if not every key is followed to its end."""
        for place in self._sources if self.is_cut_short and self.checks is self.reasons else ():
            self.reasons[place].add(Reason(self._line_of(place), NOT_ALL))

    def by_choice(self, staying: Mapping[tuple[str, int], str]) -> None:
        """Add the reasons against constructors that are not renamed in any case."""
        for path, made in self._found.items():
            for number, report in enumerate(made):
                why = staying.get((self._texts[path].filename, number))
                if why is not None:
                    line = self._line(path, report.finding.span.start.row)
                    self.reasons[place_of(path, report.fact.node)].add(Reason(line, why))

    def by_failures(self) -> None:
        """Hold back every constructor if a function could not be read, as its keys may reach that function."""
        for failure in self.failures[:1]:
            reason = Reason(self._line(failure.file, failure.row), "may reach code whose analysis failed")
            for place in self._sources:
                self.reasons[place].add(reason)

    def by_company(self) -> None:
        """Hold back the keys that meet raw keys in a call that takes keys of one kind only."""
        joins = {(join.keys, join.is_one, join.given): join for join in reversed(self._reached.joins())}.values()
        changed = True
        while changed:
            changed = False
            for join in joins:
                changed |= self._add_company(join)

    def _add_company(self, join: Join) -> bool:
        """Hold back the keys that meet raw keys in one call; return whether that is new for any of them."""
        changed = False
        for name in sorted(filter(self._is_unknown, join.given)):
            company = "what olympus-lint does not follow" if name == MERGED.qualified else f"what `{name}` gives"
            changed |= self._hold(frozenset().union(*join.keys), join, company)
        for one in join.keys:
            for other in join.keys:
                words = sorted(site for site in one if site not in self._sources)
                if len(other) > MANY and (join.is_one or len(one & self._sources) > MANY):
                    words = []  # keys and words of unrelated places, merged in one argument
                meet = join.is_one or self._sources.isdisjoint(one) or self._sources >= other
                raw = sorted(maker for maker in one if self.reasons.get(maker) and maker not in other)
                if words:
                    made = other if meet else (other - one).intersection(self._remade)
                    changed |= self._hold(made, join, f"raw words, made on {self._line_of(words[0])},")
                if raw and not join.is_one:
                    changed |= self._hold(
                        (other - one).intersection(self._places),
                        join,
                        f"keys that stay raw, made on {self._line_of(raw[0])},",
                    )
        return changed

    def _is_unknown(self, qualified: str) -> bool:
        """Return whether a function is one of a library of which it is not known whether it gives typed keys."""
        if qualified == MERGED.qualified:
            return True
        support = self._reached.names.libraries.get(qualified).typed_keys
        return support != "yes" and qualified.partition(".")[0] not in INDIFFERENT

    def _hold(self, makers: Iterable[Place], join: Join, company: str) -> bool:
        """Hold back constructors by what their keys meet in a join; return whether that is new for any of them."""
        untold = self._sources - self._joined  # of several joins one is named: each takes a search of its own
        fresh = [each for each in makers if each in untold and not self.reasons.get(each)]
        if not fresh:
            return False
        self._joined.update(fresh)
        reason = Reason(
            self._line_of(join.place),
            f"reaches `{join.callee}`, and may meet {company} there",
        )
        paths = self._reached.paths_into(join.place, fresh, with_results=True)
        self._add(reason, paths, fresh, fresh if join.is_sure and not join.is_one else ())
        return True


def _short(code: str) -> str:
    """Return the start of a piece of code, in one line."""
    written = " ".join(code.split())
    return written if len(written) <= 60 else f"{written[:57]}..."


def _spots_of(fact: Fact, path: str, reached: ProjectReach) -> list[Place]:
    """Return the expressions that a fact is about, preferably those that only keys reach.

    No key reaches a subject that is computed of a key, as ``key.tolist()``; its parts stand for it.
    """
    subjects = subjects_of(fact)
    spots = [place_of(path, part) for part in subjects]
    if not any(map(reached.keys_at, spots)):
        inner = (part for node in subjects or [fact.node] for part in ast.walk(node) if isinstance(part, ast.expr))
        spots = [place_of(path, part) for part in inner]
    return list(filter(reached.has_keys_only, spots)) or spots


def _takes_raw_only(way: Escape, packs: tuple[str, ...]) -> bool:
    """Return whether a call out of the project surely is one of a library that takes raw keys only."""
    return way.is_certain and libraries(packs).get(way.library).typed_keys == "no"


def _way_out(way: Escape, open_places: Sequence[Reason], packs: tuple[str, ...], own: Collection[str]) -> str | None:
    """Return why a call out of the project holds back a key, ``None`` if it does not.

    An unknown callee may be any function of the project. This is a risk only if a place is not ready and the origin of
    its keys is unknown.
    """
    if way.is_anything:
        return f"is passed to `{way.callee}`, {TOO_MUCH}"
    if not way.library:
        if not open_places:
            return None
        place = open_places[0]
        others = f" and {len(open_places) - 1} more places" if len(open_places) > 1 else ""
        where = f"{place.line}{others}"
        return f"is passed to `{way.callee}`, which is unknown, while the origin of the keys in {where} is unknown, too"
    support = libraries(packs).get(way.library).typed_keys
    package = way.library.partition(".")[0]
    if support == "yes" or package in INDIFFERENT:
        return None
    if package in own:
        return f"is passed to `{way.callee}`, which comes from names of `{package}` {NOT_FOUND}"
    if not way.is_certain:
        return f"is passed to `{way.callee}`, and olympus-lint does not work out what that calls"
    verb = "written" if way.is_written else "passed"
    takes = f"{package} takes raw keys only" if support == "no" else f"whether {package} takes typed keys is unknown"
    return f"is {verb} to `{way.callee}`, and {takes}"
