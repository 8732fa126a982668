"""Random projects of raw keys, migrated and run: ``python -m tests.generated.migration [small] [COUNT] [FIRST]``.

``small`` projects have one strand, so that the exit status says something of it. ``python -m tests.generated.migration
parts`` tries each part of the projects alone.

Two shares are printed. A project *failed* if it breaks in any way that `failures` names. It is *silent* if it computes
other numbers, or raises an error, after exit status 0.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import itertools
import json
import re
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.machinery import ModuleSpec
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, TypeAlias
from unittest import mock

from olympus_codemods.fixes import apply_fixes
from olympus_codemods.target import Style
from olympus_lint.migration import rewriting
from olympus_rules.finding import Fix
from olympus_rules.syntax.project import forget_folders

from .agreement import cuts
from .legacy import Legacy, write_legacy
from .legacy_chains import chains, project_of

__all__ = ["Failure", "failures", "ran", "shrunk", "text_of"]

Files: TypeAlias = Mapping[str, str]
Spot: TypeAlias = tuple[str, int]
KINDS = ("typed", "portable", "fix", "partly")
RUNNING = (*KINDS, "portable-typed")
"""The kinds of failures of a project that runs otherwise than before."""
NUMBERED = re.compile(r"\b(?!u?int\d|float\d|md5|sha1)(\w*[a-z])_?\d+\b")
"""Names of variables and definitions with the number that the generator gave them."""


@dataclass(frozen=True, order=True)
class Failure:
    """What the tool does wrong with a project.

    The kinds:

    - ``legacy``: the project does not run as it is, so that nothing can be said; a few do not.
    - ``problem``: the migration reports a problem.
    - ``typed``, ``portable``, ``portable-typed``, ``fix``: other numbers or an error, which no announcement excuses.
    - ``partly``: the same, after a migration of some folders.
    - ``again``: a second run changes something.
    - ``edits``: a file differs outside of the edits.

    Attributes:
        kind: the kind.
        detail: the error, or the kind of the other numbers.
        where: the line that raised the error, or the title of the strand whose numbers changed.
        status: the exit status of the migration; that of a safe fix says nothing of its changes and counts as 0.
    """

    kind: str
    detail: str = ""
    where: str = ""
    status: int = 0

    @property
    def is_silent(self) -> bool:
        """Whether the project computes other numbers, or raises an error, and nothing has said so."""
        return not self.status and self.kind in RUNNING

    @property
    def sort(self) -> tuple[str, str, str]:
        """The failure without numbers and names of variables, so that equal causes count together."""
        return self.kind, self.detail.partition(":")[0], NUMBERED.sub(r"\1", self.where)


# run


class _Finder:
    """Finds the modules of a project in memory."""

    def __init__(self, project: Legacy) -> None:
        self.files = {project.module(name): name for name in project.files}
        self.texts = project.files

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name not in self.files:
            return None
        is_package = self.files[name].endswith("__init__.py")
        return importlib.util.spec_from_loader(name, self, origin=self.files[name], is_package=is_package)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        name = self.files[module.__name__]
        exec(compile(self.texts[name], PREFIX + name, "exec"), module.__dict__)


PREFIX = "legacy:"


@dataclass(frozen=True)
class Outcome:
    """What a project computed.

    Attributes:
        values: the leaves of ``out``, each with the number of its strand; ``None`` after an error.
        error: the error.
        frames: the lines of the project that led to the error, the innermost last.
    """

    values: list[tuple[int, Any]] | None
    error: str = ""
    frames: tuple[Spot, ...] = ()

    def differing(self, other: Outcome) -> int | None:
        """Return the strand of the first value that is not that of another outcome."""
        mine, others = self.values or [], other.values or []
        if mine == others:
            return None
        for one, two in itertools.zip_longest(mine, others):
            if one != two:
                return (two or one)[0]
        return None


def ran(project: Legacy, *, typed: bool = False) -> Outcome:
    """Run the main module of a project.

    Args:
        project: the project.
        typed: whether ``PRNGKey`` makes typed keys, as in the dry run that JAX offers.
    """
    import jax

    finder: Any = _Finder(project)
    impl = "threefry2x32" if project.words == 2 else "rbg"
    sys.meta_path.insert(0, finder)
    try:
        with jax.default_prng_impl(impl), jax.enable_custom_prng(typed), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            out = importlib.import_module(project.module(project.main)).out
            return Outcome(list(by_strand(out)))
    except Exception as error:
        found = traceback.extract_tb(error.__traceback__)
        frames = [(each.filename.removeprefix(PREFIX), each.lineno or 0) for each in found if PREFIX in each.filename]
        return Outcome(None, f"{type(error).__name__}: {str(error)[:200]}", tuple(frames))
    finally:
        sys.meta_path.remove(finder)
        for name in finder.files:
            sys.modules.pop(name, None)


def by_strand(out: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    """Yield the leaves of what a project computed, each with the number of its strand."""
    import jax

    strand = -1
    for item in out:
        if isinstance(item, str) and item.startswith("strand "):
            strand = int(item.removeprefix("strand "))
        for leaf in jax.tree.leaves(item):
            if not isinstance(leaf, jax.core.Tracer):
                yield strand, shown(leaf)


def shown(leaf: Any) -> Any:
    """Return a leaf as plain values; a key as its words."""
    import jax
    import numpy as np

    if isinstance(leaf, jax.Array) and jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        leaf = jax.random.key_data(leaf)
    array = np.asarray(leaf)
    text = repr(array.tolist())  # in which not a number equals itself
    return array.shape, re.sub(r" at 0x[0-9a-f]+", "", text)


# migrate


@dataclass
class Migrated:
    """A project after a call of the command.

    Attributes:
        project: the project with the new texts.
        status: the exit status.
        said: what the command said on its error output.
        report: the report of a migration.
        unlisted: files that differ outside of the edits that were listed.
    """

    project: Legacy
    status: int
    said: str
    report: dict[str, Any] = field(default_factory=dict)
    unlisted: list[str] = field(default_factory=list)

    @property
    def constructors(self) -> list[dict[str, Any]]:
        """The constructors, each with what holds it back."""
        return self.report.get("constructors", [])

    @property
    def renamed(self) -> int:
        """The number of constructors that were renamed."""
        return sum(not each["held_back_by"] for each in self.constructors) if self.report.get("style") == "typed" else 0

    @property
    def announced(self) -> set[Spot]:
        """The lines that the report names as open, and all lines of files that it names as unread.

        There are none after exit status 0. A line that was rewritten, or that only mentions a constructor, is not open.
        """
        if not self.status:
            return set()
        told = [(each, each["held_back_by"] + each["to_check"]) for each in self.constructors]
        told += [(each, each["held_back_by"]) for each in self.report.get("parameters", [])]
        named = [*self.report.get("left", []), *(each for each, reasons in told if reasons)]
        named += [reason for _, reasons in told for reason in reasons]
        spots = {(place["filename"], place.get("row") or place["location"]["row"]) for place in named}
        for unread in self.report.get("unread", []):
            files = {name: text for name, text in self.project.files.items() if name.startswith(unread["path"])}
            spots |= {(name, row + 1) for name, text in files.items() for row in range(text.count("\n"))}
        return spots


@contextlib.contextmanager
def folder(project: Legacy) -> Iterator[Path]:
    """Write a project into a folder in memory, if there is one."""
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as name:
        place = Path(name)
        for marker in project.markers:
            (place / marker).mkdir(exist_ok=True, parents=True)
            (place / marker / "pyproject.toml").touch()
        for file, text in project.files.items():
            (place / file).parent.mkdir(exist_ok=True, parents=True)
            (place / file).write_text(text)
        yield place
    forget_folders()


def called(project: Legacy, *options: str, paths: Sequence[str] = (".",)) -> Migrated:
    """Call the command on files of a project, by default on all; they are written."""
    from command_line import command  # a run as a program has to find it first

    steps: dict[str, str] = {}

    def watched(text: str, fixes: Sequence[Fix]) -> tuple[str, int]:
        new, count = apply_fixes(text, fixes)
        assert new == applied(text, fixes)
        steps[text] = new
        return new, count

    with folder(project) as place, mock.patch.object(rewriting, "apply_fixes", watched):
        done = command(place, "--no-cache", "--fix", *options, *paths)
        files = {name: (place / name).read_text() for name in project.files}
    report = json.loads(done.stdout) if "json" in options else {}
    plain = [name for name, text in project.files.items() if ">>>" not in text]  # others are migrated in pieces
    unlisted = [name for name in plain if report and files[name] != last_step(project.files[name], steps)]
    return Migrated(replace(project, files=files), done.returncode, done.stderr, report, unlisted)


def last_step(text: str, steps: Mapping[str, str]) -> str:
    """Return the text that the listed edits lead to."""
    seen = {text}
    while text in steps and steps[text] not in seen:
        text = steps[text]
        seen.add(text)
    return text


def migrated(project: Legacy, style: Style) -> Migrated:
    """Migrate a project."""
    listing = ["--strict"] if style == "typed" else []  # which lists what is only counted otherwise
    return called(project, f"--migrate={style}", *listing, "--output-format", "json")


def applied(text: str, fixes: Sequence[Fix]) -> str:
    """Apply edits, in another way than the migration does: from the last to the first, on offsets."""
    starts = list(itertools.accumulate((len(line) for line in text.splitlines(keepends=True)), initial=0))
    spans = {
        (
            starts[edit.span.start.row - 1] + edit.span.start.column - 1,
            starts[edit.span.end.row - 1] + edit.span.end.column - 1,
            edit.content,
        )
        for fix in fixes
        for edit in fix.edits
    }
    for start, end, content in sorted(spans, reverse=True):
        text = text[:start] + content + text[end:]
    return text


# judge


def failures(project: Legacy, seen: Counter[str] | None = None, kinds: Collection[str] = KINDS) -> list[Failure]:
    """Migrate a project in both styles, fix it, and run what comes of it.

    - In style ``typed``, the project gives the numbers that it gave, whatever was rewritten or held back.
    - In style ``portable``, it does so with raw keys, and with typed ones.
    - After safe fixes it does so, too.
    - If only some of its folders are named, the report names what else uses their keys.
    - A second migration changes nothing, and nothing differs outside of the edits.

    Where typed keys are made, an error is excused if the report names a line that led to it as open. Other numbers are
    excused if the report names a line of their strand. Where only raw keys are made, nothing is excused.

    Args:
        project: the project.
        seen: counts what was tried.
        kinds: the styles that are tried.
    """
    counts = Counter[str]() if seen is None else seen
    expected = ran(project)
    if expected.values is None:
        return [failure_of("legacy", project, expected, expected)]
    found: list[Failure] = []
    for style in ("typed", "portable"):
        if style in kinds:
            found += failures_of_style(project, style, expected, counts)
    if "partly" in kinds:
        found += failures_of_parts(project, expected, counts)
    if "fix" in kinds:
        done = called(project, "--select", "OLY")
        found += judged("fix", done, project, expected, set())
        counts["fix: files changed"] += done.project.files != project.files
    return found


def failures_of_style(project: Legacy, style: Style, expected: Outcome, counts: Counter[str]) -> list[Failure]:
    """Migrate a project in one style, and judge what comes of it."""
    done = migrated(project, style)
    found = [Failure("problem", done.said, status=done.status)] if done.status not in (0, 1) else []
    found += [Failure("edits", name) for name in done.unlisted]
    announced = done.announced
    found += judged(style, done, project, expected, announced if done.renamed else set(), counts)
    if style == "portable" and not project.has_raw_literals:
        outcome = ran(done.project, typed=True)
        found += judged("portable-typed", done, project, expected, announced, counts, outcome)
    if done.project.files != project.files:
        again = migrated(done.project, style)
        changed = [name for name, text in again.project.files.items() if text != done.project.files[name]]
        found += [Failure("again", style, first_difference(again.project, done.project, name)) for name in changed[:1]]
    counts[f"{style}: exit {done.status}"] += 1
    counts[f"{style}: places rewritten"] += len(done.report.get("places", []))
    if style == "typed":
        counts["constructors renamed"] += done.renamed
        counts["constructors held back"] += len(done.constructors) - done.renamed
    return found


def failures_of_parts(project: Legacy, expected: Outcome, counts: Counter[str]) -> list[Failure]:
    """Migrate the folder of the main module alone, or the others alone, and judge what comes of it."""
    folders = {name: f"{name.split('/')[0]}" for name in project.files}
    own = folders[project.main]
    others = sorted({*folders.values()} - {own})
    found: list[Failure] = []
    for paths in [[own], others] if others and own != project.main else []:
        done = called(project, "--migrate=typed", "--strict", "--output-format", "json", paths=paths)
        found += [Failure("problem", done.said, status=done.status)] if done.status not in (0, 1) else []
        found += judged("partly", done, project, expected, done.announced, counts)
        counts[f"partly: exit {done.status}"] += 1
    return found


def judged(
    kind: str,
    done: Migrated,
    project: Legacy,
    expected: Outcome,
    announced: set[Spot],
    counts: Counter[str] | None = None,
    outcome: Outcome | None = None,
) -> list[Failure]:
    """Return the failure, if the new project gives other numbers, or an error, that was not announced.

    Args:
        kind: the kind of the failure.
        done: the migration.
        project: the project before.
        expected: what it computes.
        announced: the lines that excuse an error or other numbers.
        counts: counts what is excused.
        outcome: what the new project computes, if that is known.
    """
    if outcome is None:
        outcome = expected if done.project.files == project.files else ran(done.project)
    strand = outcome.differing(expected)
    if strand is None:
        return []
    spots = frame_lines(done.project, outcome) if outcome.values is None else strand_lines(done.project, strand)
    if spots & announced:
        if counts is not None:
            counts[f"{kind}: excused {'error' if outcome.values is None else 'numbers'}"] += 1
        return []
    status = 0 if kind == "fix" else done.status
    return [replace(failure_of(kind, done.project, outcome, expected), status=status)]


def failure_of(kind: str, project: Legacy, outcome: Outcome, expected: Outcome) -> Failure:
    """Return a failure with the line of its error, or the title of its strand."""
    if outcome.values is None:
        where = ""
        if outcome.frames:
            name, row = outcome.frames[-1]
            where = project.files[name].splitlines()[row - 1].strip()
        return Failure(kind, outcome.error, where)
    strand = outcome.differing(expected)
    known = strand is not None and 0 <= strand < len(project.titles)
    return Failure(kind, "other numbers", project.titles[strand or 0] if known else "")


def first_difference(one: Legacy, two: Legacy, name: str) -> str:
    """Return the first line of a file that differs in two projects."""
    lines = zip(one.files[name].splitlines(), two.files[name].splitlines(), strict=False)
    return next((a.strip() for a, b in lines if a != b), "")


def frame_lines(project: Legacy, outcome: Outcome) -> set[Spot]:
    """Return the lines of the statements that led to an error."""
    spots: set[Spot] = set()
    for name, row in outcome.frames:
        spots |= {(name, each) for each in statement_rows(ast.parse(project.files[name]), row)}
    return spots


def statement_rows(tree: ast.Module, row: int) -> range:
    """Return the rows of the innermost statement in a row; of a compound statement, those of its head."""
    found = range(row, row + 1)
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and node.lineno <= row <= (node.end_lineno or row):
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if body and body[0].lineno > node.lineno else node.end_lineno or row
            if row <= last:
                found = range(node.lineno, last + 1)
    return found


def strand_lines(project: Legacy, strand: int) -> set[Spot]:
    """Return the lines of a strand in the main module, and of all definitions that it needs."""
    main = ast.parse(project.files[project.main])
    groups: dict[int, list[ast.stmt]] = {-1: []}
    at = -1
    for statement in main.body:
        title = re.match(r"out\.append\('strand (\d+)'\)", ast.unparse(statement))
        at = int(title[1]) if title else at
        groups.setdefault(at, []).append(statement)
    wanted = [(project.main, statement) for statement in groups.get(strand, [])]
    elsewhere = [(name, each) for name, text in project.files.items() for each in ast.parse(text).body]
    needed: set[str] = set()
    chosen: dict[tuple[str, int], ast.stmt] = {}
    while wanted:
        name, statement = wanted.pop()
        if (name, statement.lineno) in chosen:
            continue
        chosen[name, statement.lineno] = statement
        needed |= names_in(statement)
        wanted += [(file, each) for file, each in elsewhere if defined_by(each) & needed]
    return {
        (name, row) for (name, first), each in chosen.items() for row in range(first, (each.end_lineno or first) + 1)
    }


def names_in(statement: ast.stmt) -> set[str]:
    """Return the names and attributes that a statement mentions."""
    nodes = list(ast.walk(statement))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return names | {node.attr for node in nodes if isinstance(node, ast.Attribute)}


def defined_by(statement: ast.stmt) -> set[str]:
    """Return the names that a statement of a module defines, without imports."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    nodes = ast.walk(statement)
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)} - {"out"}


# small


def shrunk(project: Legacy, still: Callable[[Legacy], bool]) -> Legacy:
    """Return a project with fewer statements and simpler expressions of which ``still`` is true as well."""
    tries = 0
    for name in list(project.files):
        number, unchanged = 0, 0
        while tries < TRIES and unchanged <= (count := sum(1 for _ in cuts(ast.parse(project.files[name])))):
            tries += 1
            candidate = smaller(project, name, number % max(count, 1))
            if candidate != project and still(candidate):
                project, unchanged = candidate, 0
            else:
                number, unchanged = number + 1, unchanged + 1
    return project


def smaller(project: Legacy, name: str, number: int) -> Legacy:
    """Return a project with one thing less in a file: the n-th that can be taken away."""
    tree: Any = ast.parse(project.files[name])
    cut = next(itertools.islice(cuts(tree), number, None), None)
    if cut is None:
        return project
    cut()
    try:
        text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    except Exception:  # what is left is no syntax tree
        return project
    return replace(project, files={**project.files, name: text})


def small(project: Legacy, failure: Failure) -> Legacy:
    """Return a small project with a failure of the same sort."""
    kinds = [failure.kind.partition("-")[0]] if failure.kind.startswith(KINDS) else KINDS

    def still(candidate: Legacy) -> bool:
        found = failures(candidate, kinds=kinds)
        return any(alike(each) == alike(failure) for each in found)

    def alike(each: Failure) -> tuple[str, str, bool]:
        return each.kind, each.sort[1], each.is_silent

    for number in range(len(project.titles)):
        fewer = without_strand(project, number)
        project = fewer if fewer != project and still(fewer) else project
    fewer = without_imports(project)
    return shrunk(fewer if still(fewer) else project, still)


def without_strand(project: Legacy, number: int) -> Legacy:
    """Return a project without the statements of a strand in its main module."""
    title = f"out.append('strand {number}')\n"
    before, found, after = project.files[project.main].partition(title)
    rest = re.search(r"^out\.append\('strand \d+'\)$", after, re.MULTILINE)
    text = before + (after[rest.start() :] if rest else "")
    return replace(project, files={**project.files, project.main: text}) if found else project


def without_imports(project: Legacy) -> Legacy:
    """Return a project without the imports that no file uses, which are many."""
    files = {}
    for name, text in project.files.items():
        lines = text.splitlines()
        unused = [
            i for i, line in enumerate(lines) if re.fullmatch(r"import (\w+)", line) and text.count(line[7:]) == 1
        ]
        files[name] = "\n".join(line for i, line in enumerate(lines) if i not in unused) + "\n"
    return replace(project, files=files)


def text_of(project: Legacy) -> str:
    """Return all files of a project as one text."""
    return "\n".join(f"# {name}\n{text.strip()}" for name, text in project.files.items() if text.strip())


def projects(arguments: Sequence[str]) -> Iterator[tuple[str, Legacy]]:
    """Yield the projects that the arguments ask for, each with its name."""
    if arguments[:1] == ["parts"]:
        yield from ((f"part {number}", project_of(chain)) for number, chain in enumerate(chains()))
        return
    is_small = arguments[:1] == ["small"]
    numbers = arguments[is_small:]
    count, first = (int(each) for each in (*numbers, *("100", "0")[len(numbers) :]))
    for seed in range(first, first + count):
        yield str(seed), write_legacy(Random(f"legacy {seed}"), strands=1 if is_small else None)


def main() -> int:
    """Print a small project for each sort of failure, and both shares."""
    sys.path.append(str(Path(__file__).resolve().parents[1]))  # the helpers of the tests
    sorts, seen = Counter[tuple[bool, tuple[str, str, str]]](), Counter[str]()
    number, failed, silent = 0, 0, 0
    began = time.perf_counter()
    for name, project in projects(sys.argv[1:]):
        found = failures(project, seen)
        number += 1
        failed += any(failure.kind != "legacy" for failure in found)
        silent += any(failure.is_silent for failure in found)
        for failure in found:
            key = failure.is_silent, failure.sort
            sorts[key] += 1
            if sorts[key] <= SHOWN:
                small_one = project if len(project.parts) < LONG else small(project, failure)
                print(f"\n# {name}: {failure}\n{text_of(small_one)}", flush=True)
    took = time.perf_counter() - began
    print(f"\n{number} projects, {failed} failed, {silent} of them silent, {took:.0f} s, {dict(seen)}")
    for (is_silent, sort), times in sorts.most_common():
        print(f"{times:5} {'silent' if is_silent else '      '} {' | '.join(sort)}")
    return 1 if failed else 0


LONG = 4  # parts of a project that is made small
SHOWN = 1  # projects shown of each sort
TRIES = 200  # steps to make one of them small

if __name__ == "__main__":
    sys.exit(main())
