"""What the report on a migration says, in the order of its sections; the formats render it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from olympus_codemods.target import Style
from olympus_lint.migration.constructors import Constructor, Line, Reason, line_of, short
from olympus_lint.migration.importing_files import Doubt, Unread
from olympus_lint.migration.migration import Migration
from olympus_lint.migration.rewriting import CONSTRUCTOR
from olympus_lint.migration.text import Rewritten
from olympus_lint.reporting.phrases import count, place
from olympus_rules.keyflow.facts import Conversion, DtypeLogic, Fact, KeyIndexing, KeyTransposition, ShapeLogic
from olympus_rules.rule import Report

CUT_SHORT = "The search for files that import or are imported by these ended at its limit: name the whole project."
NOT_ALL = (
    "The project is too large to follow every key to its end, so places may be missing below: "
    "run its tests before and after, as `--check` does."
)
FAILING = frozenset(
    {"axis", "dynamic-slice", "len", "permutation", "shape-unpack", "signature", "spec", "vstack", "word-shape"}
)
"""Forms of logic on shapes that raise an error with typed keys; the others silently give another result."""
SHOWN = 5
"""Files with uncommitted changes that are named."""


def is_silent(fact: Fact) -> bool:
    """Say whether a typed key gives another result at a place, without an error."""
    match fact:
        case ShapeLogic(form=form):
            return form not in FAILING
        case DtypeLogic(form=form):
            return form != "numpy"
        case KeyTransposition(how=how):
            return how == "out_axes"
        case KeyIndexing(batch=batch):
            return batch
        case Conversion(effect=effect):
            return effect != "fails"
    return False


# rewritten places


def rewritten_places(migration: Migration, *, renamed: bool = False) -> list[Rewritten]:
    """Return the rewritten places, silent changes first: the constructors, or all other places."""
    every = (each for text in migration.texts for each in text.rewritten)
    done = [each for each in every if (each.report.finding.code == CONSTRUCTOR) == renamed]
    return sorted(done, key=lambda each: (not is_silent(each.report.fact), each.report.finding.sort_key))


def equal_rewrites(migration: Migration) -> list[list[Rewritten]]:
    """Return the rewritten places, equal ones together, and those of constructors last."""
    equal: dict[tuple[object, ...], list[Rewritten]] = defaultdict(list)
    for each in rewritten_places(migration) + rewritten_places(migration, renamed=True):
        key = each.report.finding.code, each.fix.message, each.before, each.after, is_silent(each.report.fact)
        equal[key].append(each)
    return [*equal.values()]


def headline(equal: Sequence[Rewritten]) -> str:
    """Return what is said of equal rewrites: code and message, with the number of places."""
    one = equal[0]
    notes = ["would change silently"] if is_silent(one.report.fact) else []
    notes += [count(len(equal), "place")] if len(equal) > 1 else []
    note = f" ({', '.join(notes)})" if notes else ""
    return f"{one.report.finding.code}{note}: {one.fix.message}"


def title(equal: Sequence[Rewritten]) -> str:
    """Return the places of equal rewrites."""
    findings = (each.report.finding for each in equal)
    return listed((each.filename, each.cell, each.span.start.row) for each in findings)


def by_rule(migration: Migration) -> list[tuple[str, str, int]]:
    """Return the number of rewritten places of each rule, as (code, name, number)."""
    findings = (each.report.finding for text in migration.texts for each in text.rewritten)
    done = Counter((finding.code, finding.name) for finding in findings)
    return [(code, name, number) for (code, name), number in sorted(done.items())]


# places that are left, and what they hold back


@dataclass(frozen=True, slots=True)
class Left:
    """A place that a person has to review.

    Attributes:
        report: the report on the place.
        holds: the number of constructors that it holds back.
    """

    report: Report
    holds: int

    @property
    def is_silent(self) -> bool:
        """Say whether a typed key gives another result there, without an error."""
        return is_silent(self.report.fact)

    @property
    def place(self) -> str:
        """Return the place as text."""
        finding = self.report.finding
        return place(finding.filename, finding.span, finding.cell)

    @property
    def text(self) -> str:
        """Return the code and the message."""
        finding = self.report.finding
        return f"{finding.code}{' (changes silently)' if self.is_silent else ''}: {finding.message}"


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Lines that hold back the same constructors.

    Attributes:
        lines: their places, each with what is said of it.
        reasons: the reasons.
        constructors: the constructors.
        is_silent: whether one of the places would silently give another result.
        style: that of the migration.
    """

    lines: tuple[tuple[str, str], ...]
    reasons: tuple[Reason, ...]
    constructors: tuple[Constructor, ...]
    is_silent: bool
    style: Style

    @property
    def headline(self) -> str:
        """Return what holds back how much."""
        lines, held = len(self.lines), len(self.constructors)
        verb = ("breaks", "break") if self.style == "portable" else ("holds back", "hold back")
        these = f"This line {verb[0]}" if lines == 1 else f"These {lines} lines {verb[1]}"
        sources = {each.kind for each in self.constructors}
        noun = sources.pop() if len(sources) == 1 else "source"
        of = "typed keys of " if self.style == "portable" else ""
        return f"{these} {of}{f'this {noun}' if held == 1 else f'these {held} {noun}s'}"

    @property
    def held(self) -> str:
        """Return the places of the constructors."""
        return listed((each.filename, each.cell, _column(each)) for each in self.constructors)


_Spot = tuple[Line, str]
"""A line, and the rule that reports it."""


def left_in_order(migration: Migration) -> list[Left]:
    """Return the places that are left: silent changes first, then by the number of constructors that they hold back."""
    holding = Counter(spot for each in migration.held for spot in {reason.spot for reason in each.reasons})
    left = [Left(report, holding[_spot_of(report)]) for reports in migration.left.values() for report in reports]
    return sorted(left, key=lambda each: (not each.is_silent, -each.holds, each.report.finding.sort_key))


def left_alone(migration: Migration) -> list[Left]:
    """Return the places that are left, hold no constructor back, and are none to be checked."""
    told = {each.reason.spot for each in checks(migration)}
    return [each for each in left_in_order(migration) if not each.holds and _spot_of(each.report) not in told]


@dataclass(frozen=True, slots=True)
class Check:
    """A line to which keys of constructors that can be renamed may get, and that may not take typed keys.

    Attributes:
        reason: the line, with what is done there, and the way of one of the keys.
        constructors: the constructors.
    """

    reason: Reason
    constructors: tuple[Constructor, ...]

    @property
    def text(self) -> str:
        """Return what is said of the line."""
        one = self.constructors[0]
        way = short(self.reason.path) or where(one)
        others = f", and {count(len(self.constructors) - 1, 'other constructor')}" if len(self.constructors) > 1 else ""
        code = f"{self.reason.code}: " if self.reason.code else ""
        return f"{code}the key {self.reason.text} (from {way}{others})"


def checks(migration: Migration) -> list[Check]:
    """Return the lines to be checked, those of most constructors first."""
    found: dict[Reason, dict[Constructor, None]] = defaultdict(dict)
    for constructor in migration.doubtful:
        for reason in constructor.checks:
            found[reason][constructor] = None
    listed = [Check(reason, tuple(constructors)) for reason, constructors in found.items()]
    return sorted(listed, key=lambda each: (-len(each.constructors), each.reason))


def obstacles(migration: Migration) -> list[Obstacle]:
    """Return what holds constructors back: silent changes first, then by the number of constructors."""
    left = {_spot_of(each.report): each for each in left_in_order(migration)}
    reasons: dict[_Spot, dict[str, Reason]] = defaultdict(dict)
    held: dict[_Spot, dict[Constructor, None]] = defaultdict(dict)
    for constructor in [*migration.held, *migration.taken]:
        for reason in constructor.reasons:
            reasons[reason.spot].setdefault(reason.text, reason)
            held[reason.spot][constructor] = None
    together: dict[tuple[Constructor, ...], list[_Spot]] = defaultdict(list)
    for spot in sorted(held):
        together[tuple(held[spot])].append(spot)
    found = [
        Obstacle(
            tuple(_said(left.get(spot), list(reasons[spot].values())) for spot in spots),
            tuple(reason for spot in spots for reason in reasons[spot].values()),
            constructors,
            any(spot in left and left[spot].is_silent for spot in spots),
            migration.target.style,
        )
        for constructors, spots in together.items()
    ]
    return sorted(found, key=lambda each: (not each.is_silent, -len(each.constructors), each.lines))


def _said(left: Left | None, reasons: list[Reason]) -> tuple[str, str]:
    """Return the place of an obstacle, and what is said of it, with the path of one of the keys."""
    paths = [f" (from {path})" for reason in reasons if (path := short(reason.path))]
    if left is not None:
        return left.place, f"{left.text}{''.join(paths[:1])}"
    texts = list(dict.fromkeys(reason.text for reason in reasons))
    more = f" (and {count(len(texts) - 1, 'other use')} on this line)" if len(texts) > 1 else ""
    code = f"{reasons[0].code}: " if reasons[0].code else ""
    return str(reasons[0].line), f"{code}the key {texts[0]}{more}{''.join(paths[:1])}"


def _spot_of(report: Report) -> _Spot:
    return line_of(report.finding), report.finding.code


# words


def where(place: Constructor) -> str:
    """Return the file, the cell in a notebook, and the row."""
    return str(Line(place.filename, place.cell, place.row))


def listed(places: Iterable[tuple[str, int | None, object]]) -> str:
    """Return places as text, those of one file together: file, cell, and row or row and column."""
    files: dict[str, list[str]] = defaultdict(list)
    for filename, cell, spot in places:
        files[f"{filename}:{'' if cell is None else f'cell {cell}:'}"].append(str(spot))
    return "; ".join(f"{file}{', '.join(dict.fromkeys(spots))}" for file, spots in files.items())


def _column(source: Constructor) -> str:
    """Return row and column of a source of keys; one that is no constructor has its name."""
    return f"{source.row}:{source.column}{'' if source.is_constructor else f' ({source.spelled})'}"


def unread(each: Unread) -> str:
    """Return what is said of a folder or file that was not named."""
    return f"{each.path}, which imports `{each.imports}` ({each.filename}:{each.row})"


def doubt(each: Doubt) -> str:
    """Return what is said of an import that may mean several files."""
    first, *others = each.paths
    return f"{each.filename}:{each.row} imports `{each.module}`: read as {first}, and may be {' or '.join(others)}"


def sentences(migration: Migration, *, written: bool) -> list[str]:
    """Return the summary of a migration as sentences."""
    style = "portable code, for raw and typed keys" if migration.target.style == "portable" else "typed keys"
    release = ".".join(map(str, migration.target.jax))
    places = sum(len(text.rewritten) for text in migration.texts)
    verb, nothing = ("Rewrote", "Nothing was rewritten.") if written else ("Would rewrite", "Nothing to rewrite.")
    lines = [
        f"Migration to {style}, for JAX {release} and later.",
        f"{verb} {count(places, 'place')} in {count(len(migration.changed), 'file')}." if places else nothing,
    ]
    free, held = len(migration.free), len(migration.held)
    if free + held and migration.target.style == "typed":
        forced = len(migration.forced)
        make = (
            f"make{'s' if free + forced == 1 else ''} typed keys now"
            if written
            else "would make typed keys"
            if forced
            else "can make typed keys"
        )
        against = f", {forced} of them against the reasons below, as `--unsafe-fixes` asks" if forced else ""
        lines.append(
            f"{free + forced} of {count(free + held, 'constructor')} {make}{against}; {held - forced} held back."
        )
    elif migration.target.style == "portable":
        lines += followed(migration)
    if migration.is_cut_short:
        lines.append(NOT_ALL)
    if migration.unlisted:
        further = count(migration.unlisted, "further line")
        lines.append(f"{further} may get keys beside other values; `--strict` lists them.")
    if migration.not_in_git:
        lines.append(uncommitted(migration.not_in_git, written=written))
    return lines


def followed(migration: Migration) -> list[str]:
    """Return which keys a portable migration has followed, and which it has not."""
    made = [each for found in migration.constructors.values() for each in found]
    lines = []
    for sources, noun, keys in (
        (made, "constructor", "the keys of"),
        (of_kind("parameter", migration), "parameter", "the keys that callers pass to"),
        (of_kind("derivation", migration), "derivation", "the keys, typed under JAX's flag, of"),
    ):
        ready = sum(not each.reasons for each in sources)
        if sources:
            of = f"{ready} of {count(len(sources), noun)}"
            lines.append(f"Followed through the named files: {keys} {of} reach only code that takes both kinds.")
    unknown = "the insides of libraries, objects and containers that callers pass"
    lines.append(f"Not followed: {unknown}, and code that the named files do not import.")
    return lines


def of_kind(kind: str, migration: Migration) -> list[Constructor]:
    """Return the sources of keys of one kind beside constructors."""
    return [each for each in migration.taken if each.kind == kind]


def uncommitted(files: list[str], *, written: bool) -> str:
    """Return the sentence on files with uncommitted changes."""
    named = ", ".join(files[:SHOWN]) + (f" and {len(files) - SHOWN} more" if len(files) > SHOWN else "")
    had = "had" if written else "have" if len(files) > 1 else "has"
    advice = "" if written else " Commit or stash them first, so that the migration can be undone."
    return f"{count(len(files), 'file')} {had} uncommitted changes: {named}.{advice}"


def check_it(migration: Migration) -> str:
    """Return the sentence about the dry run; empty where the flag makes no difference."""
    if not (migration.changed or migration.free or migration.held or migration.taken):
        return ""
    if migration.target.style == "portable":
        return "Run the tests without this flag, and then with it: it lets `PRNGKey` make typed keys"
    return "With this flag, JAX makes typed keys wherever `PRNGKey` is left"
