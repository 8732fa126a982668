"""Verdicts by a recorded run: findings against the events of ``olympus record``, and misuses without a finding."""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from olympus.recording.eventfile import EventFile, NotEvents, Pair, Process, Site, read_events
from olympus.tracing.spans import Span as Place
from olympus.tracing.spans import diverging
from olympus.verdicts import Status, Verdict
from olympus_lint.files.problems import Problem
from olympus_lint.files.sources import InputError, read_bytes
from olympus_lint.project.settings import Settings
from olympus_lint.reporting.results import FileResult
from olympus_lint.suppression.comments import Suppressions
from olympus_lint.tracing.combining import combined
from olympus_lint.tracing.judging import is_judged
from olympus_lint.tracing.paths import depends_on_path
from olympus_rules.finding import Confidence, Finding, Position, Related, Span
from olympus_rules.rule import Rule
from olympus_rules.rules import all_rules
from olympus_rules.rules.unused_suppression import UnusedSuppression
from olympus_rules.syntax.text import decode

NAMED = 3  # names of files with another version; more are counted
CONSUMING = ("draw", "split")


@dataclass(slots=True)
class Recorded:
    """What the judging could not use.

    Attributes:
        problems: why the file of events cannot be used; there are no verdicts then.
        notes: events and files that could not be used.
    """

    problems: list[Problem] = field(default_factory=list)
    notes: list[Problem] = field(default_factory=list)


def judge_recorded(path: str, files: Sequence[FileResult], settings: Mapping[str, Settings]) -> Recorded:
    """Add verdicts to findings, and findings for further misuses, from a recorded run.

    Args:
        path: the file of events.
        files: the results of the check, which are changed.
        settings: those of each file.

    Returns:
        What could not be used. If the file of events cannot be used, the findings do not change.
    """
    done = Recorded()
    try:
        events = read_events(Path(path))
    except NotEvents as error:
        done.problems.append(Problem(path, str(error)))
        return done
    done.notes += [Problem(path, text) for text in (events.damage, *dict.fromkeys(events.notes)) if text]
    if not events.processes:
        done.notes.append(Problem(path, "has no process that imported JAX; see that the command's Python is recorded."))
    sources = _sources(events, files, done)
    texts = {file.filename: file for file in files}
    judges = [Judge(process, sources, texts) for process in events.processes]
    for file in files:
        if file.filename in sources.stale:
            continue
        for number, finding in enumerate(file.findings):
            if is_judged(finding) and file.filename in sources.names:
                verdict = _strongest([judge.verdict(finding) for judge in judges])
                own = [verdict] if finding.verdict is None else [finding.verdict, verdict]
                file.findings[number] = replace(finding, verdict=combined(own))
    found = {file.filename: file for file in files}
    for finding in _further(events, judges, files):
        _add(finding, found[finding.filename], settings[finding.filename])
    return done


# Recorded files and checked files.


@dataclass(slots=True)
class Sources:
    """The checked files in the events.

    Attributes:
        names: the real path of each checked file that was or could have been recorded.
        of: the checked file with the same content, by path and digest in the events.
        stale: the checked files of which another version was recorded.
    """

    names: dict[str, str] = field(default_factory=dict)
    of: dict[tuple[str, str], str] = field(default_factory=dict)
    stale: set[str] = field(default_factory=set)


def _sources(events: EventFile, files: Iterable[FileResult], done: Recorded) -> Sources:
    """Find the checked files in the events by path and content, or, in another folder, by name and content."""
    recorded = {(path, digest) for process in events.processes for path, digest in process.digests.items()}
    paths = {path for path, _ in recorded}
    names = {Path(path).name for path in paths}
    found = Sources()
    for file in files:
        path = os.path.realpath(file.filename)
        found.names[file.filename] = path
        if Path(path).name not in names or file.diff or file.fixes:
            continue
        try:
            digest = hashlib.sha256(read_bytes(file.filename)).hexdigest()
        except InputError:
            continue
        if (path, digest) in recorded:
            found.of[path, digest] = file.filename
        elif path in paths:
            found.stale.add(file.filename)
        else:
            for other, known in recorded:
                if known == digest and Path(other).name == Path(path).name:
                    found.of[other, digest] = file.filename
    for name in sorted(found.stale)[:NAMED]:
        done.notes.append(Problem(name, "the events are of another version of this file; record the command again."))
    if len(found.stale) > NAMED:
        done.notes.append(Problem("", f"so they are of {len(found.stale) - NAMED} other files."))
    return found


# Judging.


class Judge:
    """Judges findings by the events of one process."""

    def __init__(self, process: Process, sources: Sources, files: Mapping[str, FileResult]) -> None:
        """Take the checked files."""
        self.process = process
        self.files = files
        self.filenames = {path: sources.of.get((path, digest)) for path, digest in process.digests.items()}
        self.by_place: dict[tuple[str, int], set[int]] = {}
        for number, site in process.sites.items():
            for span in site.chain:
                self.by_place.setdefault((span.file, span.end_line), set()).add(number)
        self.together: dict[tuple[str, int], list[frozenset[Place]]] = {}
        for group in process.together:
            for key in {(span.file, span.end_line) for span in group}:
                self.together.setdefault(key, []).append(group)
        self.paths: dict[str, list[str]] = {}
        for path, filename in self.filenames.items():
            if filename is not None:
                self.paths.setdefault(filename, []).append(path)
        self.used: set[Pair] = set()

    def at(self, place: Related | Finding) -> list[tuple[int, int]]:
        """Return the operations with a place in their call chain, each with the position of the place in it."""
        found = []
        for path in self.paths.get(place.filename, ()):
            for number in sorted(self.by_place.get((path, place.span.end.row), ())):
                for depth, span in enumerate(self.process.sites[number].chain):
                    if span.file == path and is_within(span, place.span):
                        found.append((number, depth))
                        break
        return found

    def verdict(self, finding: Finding) -> Verdict:
        """Judge one finding."""
        other = finding.other if all_rules()[finding.code].has_two_places else None
        later = self.at(finding)
        earlier = later if other is None else self.at(other)
        reached = dict((*earlier, *later))
        for further in (each for each in finding.related if each.further is not None):
            again = dict(self.at(further))
            self.used.update(self.shared(finding.code, reached, again, same=False))
            self.used.update(self.shared(finding.code, again, again, same=True))
            reached |= again
        pairs = list(self.shared(finding.code, dict(earlier), dict(later), same=other is None))
        if pairs:
            self.used.update(pairs)
            pair = min(pairs, key=lambda each: each.maybe)
            return self.confirmed(pair)
        if not all_rules()[finding.code].has_two_places:
            if later:
                return _said("inconclusive", "uses of a key's words are recorded in compiled functions only")
            return _said("not reached", f"no key was consumed in line {finding.span.start.row} in this run")
        for place, sites in ((other or finding, earlier), (finding, later)):
            if not sites:
                return _said("not reached", f"no key was consumed in line {place.span.start.row} in this run")
        if not _is_reuse(finding.code):
            return _said("inconclusive", "no equal keys were made at both places in this run")
        return self.different(finding, other, [site for site, _ in earlier], [site for site, _ in later])

    def confirmed(self, pair: Pair) -> Verdict:
        """Return the verdict on a misuse that happened."""
        maybe = "whether the run reached its branch or iteration is unknown; `--probe` may show it"
        return Verdict("confirmed", "recorded", maybe if pair.maybe else None, tuple(self.evidence(pair)))

    def shared(self, code: str, first: Mapping[int, int], second: Mapping[int, int], *, same: bool) -> Iterator[Pair]:
        """Yield the pairs of operations at the two places with the same key."""
        rule = all_rules()[code]
        for pair in self.process.pairs:
            is_other = pair.kind == "reuse" and not _is_reuse(code) and not self.splits(pair)
            if pair.kind not in rule.events or is_other:
                continue
            if not rule.has_two_places:
                if pair.first in first or pair.second in second:
                    yield pair
                continue
            for one, two in ((pair.first, pair.second), (pair.second, pair.first)):
                if one not in first or two not in second:
                    continue
                a, b = self.process.sites[one].chain, self.process.sites[two].chain
                again = pair.turns or a[: first[one] + 1] == b[: second[two] + 1]
                if again if same else in_one_call(a[first[one] :], b[second[two] :]):
                    yield pair
                    break

    def splits(self, pair: Pair) -> bool:
        """Say whether one key was split twice, which gives the same children twice."""
        return {self.process.sites[number].kind for number in (pair.first, pair.second)} == {"split"}

    def different(self, finding: Finding, other: Related | None, earlier: list[int], later: list[int]) -> Verdict:
        """Judge a reuse that did not happen although both places were reached."""
        sites = self.process.sites
        both = [number for number in {*earlier, *later} if sites[number].kind in CONSUMING]
        if not {*earlier} & {*both} or not {*later} & {*both}:
            return _said("inconclusive", "keys were derived there, and none was consumed")
        if self.process.unknown & {*both}:
            probe = "" if self.process.probed else "; `olympus record --probe` may show them"
            return _said("inconclusive", f"the keys that were consumed there are unknown{probe}")
        for site in both:
            for partner in self.partners(site):
                own = {site, partner}
                if own & {*earlier} and own & {*later} and (other is not None or site != partner):
                    return _said("inconclusive", "keys were reused there, but not as the finding says")
        if {p for s in earlier for p in self.partners(s)} & {p for s in later for p in self.partners(s)} - {*earlier}:
            return _said("inconclusive", "each place had a key that was consumed at a third one")
        if other is None:
            if all(sites[number].looped for number in both):
                return _said("refuted", "each iteration of the loop had its own key")
            turns = f"{self.often(later)}, but whether in iterations of one loop is unknown"
            return _said("inconclusive", f"the keys there were different: {turns}")
        if not self.met(other, finding):
            return _said("inconclusive", "no call of the function reached both places")
        evidence = (f"first place: {self.often(earlier)}", f"second place: {self.often(later)}")
        if depends_on_path(self.text(finding.filename), other.span, finding.span):
            reason = "the keys were different on the path of this run, but there is another path"
            return Verdict("inconclusive", "recorded", reason, evidence)
        return Verdict("refuted", "recorded", "one call reached both places, and the keys were different", evidence)

    def text(self, filename: str) -> str:
        """Return the source of a checked file, which results from the cache lack."""
        file = self.files[filename]
        if not file.text:
            with suppress(InputError, SyntaxError, ValueError):
                file.text = decode(read_bytes(filename))
        return file.text

    def partners(self, site: int) -> Iterator[int]:
        """Return the operations that shared a key, or the words of a key, with one."""
        for pair in self.process.pairs:
            if pair.kind in ("reuse", "collision", "words") and site in (pair.first, pair.second):
                yield pair.second if site == pair.first else pair.first

    def met(self, one: Related, other: Finding) -> bool:
        """Say whether one call of a function reached both places."""
        for path in self.paths.get(one.filename, ()):
            for group in self.together.get((path, one.span.end.row), ()):
                first = [span for span in group if span.file == path and is_within(span, one.span)]
                second = [span for span in group if span.file == path and is_within(span, other.span)]
                if any(a != b for a in first for b in second):
                    return True
        return False

    def often(self, sites: Iterable[int]) -> str:
        """Return how often places were reached, and with how many keys."""
        times = [self.process.times.get(site, (1, 1)) for site in sites if self.process.sites[site].kind in CONSUMING]
        reached, new = (sum(numbers) for numbers in zip(*times, strict=True))
        return f"reached {reached} times with {new} keys" if reached != 1 else "reached once"

    def evidence(self, pair: Pair) -> Iterator[str]:
        """Return the evidence for a misuse: the key, its words, and both operations with their calls."""
        yield f"key: {pair.key}"
        words = f", words {list(pair.words)} on {pair.device}" if pair.words else ""
        for number, turns in zip((pair.first, pair.second), pair.at, strict=True):
            site = self.process.sites[number]
            turn = f", in iteration {'.'.join(str(turn + 1) for turn in turns)}" if turns else ""
            yield f"{site.name}{words}{turn}"
            yield from (f"  {span} in {span.function}" for span in site.chain)


def in_one_call(first: Sequence[Place], second: Sequence[Place]) -> bool:
    """Say whether the same calls reached two places, and not two calls of one function.

    One place may be in a function, such as a comprehension, that the function of the other calls.
    """
    if first[0].function == second[0].function:
        return first[1:] == second[1:]
    return any(
        one.function == other.function and first[i + 1 :] == second[j + 1 :]
        for i, one in enumerate(first)
        for j, other in enumerate(second)
    )


def is_within(span: Place, place: Span) -> bool:
    """Say whether a recorded place is that of a finding; in Python, a chain of calls starts at its last attribute."""
    start, end = place.start, place.end
    if not span.column:
        return start.row <= span.line <= end.row
    return (span.end_line, span.end_column) == (end.row, end.column) and (span.line, span.column) >= (
        start.row,
        start.column,
    )


RANK: dict[Status, int] = {"not reached": 0, "inconclusive": 1, "refuted": 2, "confirmed": 3}


def _strongest(verdicts: Sequence[Verdict]) -> Verdict:
    """Return one verdict from those of several processes."""
    found = max(verdicts, key=lambda verdict: RANK[verdict.status], default=None)
    return found or _said("not reached", "no process was recorded")


def _said(status: Status, reason: str) -> Verdict:
    return Verdict(status, "recorded", reason)


def _is_reuse(code: str) -> bool:
    """Say whether a rule reports one key that is consumed twice, and not equal keys that are made twice."""
    return all_rules()[code].events[0] == "reuse"


# Misuses without a finding.


def _further(events: EventFile, judges: Iterable[Judge], files: Iterable[FileResult]) -> Iterator[Finding]:
    """Yield findings for misuses at places without one."""
    known = {
        (finding.filename, finding.span)
        for file in files
        for finding in file.findings
        if finding.verdict is not None and finding.verdict.status == "confirmed" and finding.verdict.tier == "recorded"
    }
    reported = _reported_by()
    for judge in judges:
        for pair in judge.process.pairs:
            if pair.kind not in reported or pair in judge.used:
                continue
            if pair.kind == "collision" and any(pair.key == used.key for used in judge.used):
                continue  # a finding has the place where the key was made
            finding = _finding(events, judge, pair)
            if finding is None:
                continue
            place = finding.filename, finding.span
            if place not in known:  # one misuse for each place is enough
                known.add(place)
                yield finding


def _reported_by() -> dict[str, Rule]:
    """Return the rules for misuses without a finding, by the name of the event."""
    return {rule.events[0]: rule for rule in all_rules().values() if rule.has_two_places}


def _finding(events: EventFile, judge: Judge, pair: Pair) -> Finding | None:
    """Return the finding for a misuse; ``None`` if it lies outside the checked files or within one library call."""
    first, second = judge.process.sites[pair.first], judge.process.sites[pair.second]
    own = [tuple(span for span in site.chain if judge.filenames.get(span.file)) for site in (first, second)]
    if not all(own) or (own[0] == own[1] and first.chain != second.chain):
        return None
    earlier, later = diverging(own[0], own[1])
    if not earlier.column or not later.column:
        return None
    rule = _reported_by()[pair.kind]
    name = judge.filenames[later.file]
    assert name is not None
    related: tuple[Related, ...] = ()
    if earlier != later:
        other = judge.filenames[earlier.file]
        assert other is not None
        related = (Related(f"first consumed here, by `{first.name}`", other, _span(earlier)),)
    return Finding(
        rule.code,
        rule.name,
        _message(pair, first, second, earlier, later, shlex.join(events.command)),
        name,
        _span(later),
        Confidence.CERTAIN,
        related,
        _effect(first, second) if pair.kind == "reuse" else None,
        verdict=judge.confirmed(pair),
    )


def _message(pair: Pair, first: Site, second: Site, earlier: Place, later: Place, command: str) -> str:
    """Return the message: the events of the run, and the next step."""
    run = command if len(command) <= 60 else f"{command[:57]}..."
    if pair.kind == "collision":
        return (
            f"`{second.name}` and `{first.name}` consumed one key, `{pair.key}`, which was derived in two ways, when "
            f"`{run}` ran. Derive all keys of a parent in one way: `split(key)[i]` and `fold_in(key, i)` are equal."
        )
    where = f" of `{Path(earlier.file).name}`" if earlier.file != later.file else ""
    if earlier == later:
        return (
            f"Key `{pair.key}` was consumed here by `{second.name}` more than once when `{run}` ran. Split it, and "
            "give each call a key of its own."
        )
    return (
        f"Key `{pair.key}` was consumed again by `{second.name}`, after `{first.name}` on line {earlier.line}{where}, "
        f"when `{run}` ran. Split it, and give each its own key."
    )


def _effect(first: Site, second: Site) -> str:
    if first.kind == second.kind == "split":
        return "same-children"
    return "same-draw" if first.kind == second.kind and first.name == second.name else "dependent"


def _span(place: Place) -> Span:
    return Span(Position(place.line, place.column), Position(place.end_line, place.end_column))


def _add(finding: Finding, file: FileResult, settings: Settings) -> None:
    """Add a finding to the results, unless its rule is off for the file or a comment hides it."""
    if finding.code not in {rule.code for rule in settings.rules_for(file.filename)}:
        return
    if not file.text:
        try:
            file.text = decode(read_bytes(file.filename))
        except (InputError, SyntaxError, ValueError):
            return
    comments = Suppressions("" if settings.ignore_noqa else file.text)
    if comments.hides(finding):
        # The suppression hides a finding now, so it is not unused.
        rows = {finding.span.start.row, finding.span.end.row}
        file.findings = [
            each for each in file.findings if each.code != UnusedSuppression.code or each.span.start.row not in rows
        ]
        return
    file.findings = sorted([*file.findings, finding], key=lambda each: each.sort_key)
