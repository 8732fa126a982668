"""The safety of the fix that renames a constructor: whether typed keys change anything else in the project.

The question is that of a migration: which places in all files of the project do the keys reach? Without a project
(standard input, an editor), or for a text that is not on disk, the analysis sees one file only, and keys that may leave
the file count as lost.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from olympus_codemods.fixes import fix_for
from olympus_codemods.target import NEWEST, Target
from olympus_lint.analysis.cache import WRONG, as_json, digest_of, key_of, knowledge, tool
from olympus_lint.analysis.prefilter import worth_checking
from olympus_lint.analysis.projects import Projects, deep_recursion
from olympus_lint.files.sources import InputError, read_bytes
from olympus_lint.files.validity import NOT_PARSED
from olympus_lint.migration.key_places import key_places
from olympus_lint.migration.migration import Migration
from olympus_lint.migration.plan import plan
from olympus_lint.migration.rewriting import CONSTRUCTOR, constructors, reports_of
from olympus_lint.migration.text import Text
from olympus_lint.project.discovery import SourceFile, walk
from olympus_lint.project.gitignore import GitIgnore
from olympus_lint.project.settings import DEFAULT_EXCLUDE, Settings
from olympus_lint.reporting.phrases import from_here
from olympus_lint.reporting.plain import list_in, natural_in, text_in
from olympus_lint.reporting.results import FileResult
from olympus_lint.suppression.comments import Suppressions
from olympus_rules.finding import Applicability, Confidence, Finding, Position
from olympus_rules.keyflow.facts import Reference
from olympus_rules.reach.solver.slots import TooMuchWork, at_most
from olympus_rules.rule import Report
from olympus_rules.syntax import disk
from olympus_rules.syntax.project import has_marker, locate, project_of
from olympus_rules.syntax.text import decode

if TYPE_CHECKING:
    from olympus_lint.analysis.cache import Cache
    from olympus_lint.migration.constructors import Constructor
    from olympus_rules.syntax import Document

Reasons: TypeAlias = Mapping[Position, str] | str
"""Why each constructor of a file has to stay raw, or all have to; empty for a constructor that can be renamed."""
MOST_BYTES = 2_000_000
"""Bytes of a project: the analysis of a larger one takes too long for a fix."""
MOST_STEPS = 1_000_000
"""Steps of the analysis of reach: with more of them, a fix would take longer than anybody waits for it."""
TOO_MUCH = "could not be followed within the limit of a fix, which `--migrate` does not have"
LOST = "may be read outside this file, and only this file was analysed"


def settle_fixes(result: FileResult, text: str, settings: Settings, known: Reasons | None) -> FileResult:
    """Return a result in which a fix of a constructor is safe only if the analysis shows it.

    Args:
        result: the findings on a text.
        text: the text.
        settings: those of the file.
        known: the reasons in the project; ``None`` for a file by itself.
    """
    reasons = _alone(result.filename, text, settings) if known is None else known
    return replace(result, findings=[_cleared(finding, reasons) for finding in result.findings])


def distrusted(result: FileResult) -> FileResult:
    """Return a result in which no fix of a constructor is safe, since the analysis of reach failed."""
    return replace(result, findings=[_cleared(finding, "could not be followed") for finding in result.findings])


def _cleared(finding: Finding, reasons: Reasons) -> Finding:
    """Return a finding; a reason against its fix makes the fix unsafe and is added to its message."""
    reason = reasons if isinstance(reasons, str) else reasons.get(finding.span.start)
    if finding.code != CONSTRUCTOR or finding.fix is None or not reason or not _is_safe(finding):
        return finding
    message = f"{finding.fix.message}; unsafe, as the key {reason}"
    return replace(finding, fix=replace(finding.fix, applicability=Applicability.UNSAFE, message=message))


def _is_safe(finding: Finding) -> bool:
    return finding.fix is not None and finding.fix.applicability is Applicability.SAFE


# the files of a project


def surveyed(
    files: Sequence[SourceFile], beside: Sequence[SourceFile], cache: Cache | None = None
) -> dict[str, tuple[str, Reasons]]:
    """Return the text and the reasons of each readable file of the projects, by its path.

    Args:
        files: the files whose constructors would be renamed.
        beside: files that are checked beside them.
        cache: where the answer for these texts is kept.
    """
    given = {str(Path(file.filename).absolute()): file for file in files}
    texts = _texts(given, beside)
    old = {text.filename: text.old for text in texts}
    known = _remembered(texts, [path for path in given if path in old], cache)
    return {filename: (old[filename], reasons) for filename, reasons in known.items()}


def _texts(given: Mapping[str, SourceFile], beside: Sequence[SourceFile]) -> list[Text]:
    """Return the readable files of the projects; none of projects that are too large."""
    texts: list[Text] = []
    size = 0
    for file in _whole(given, beside):
        with suppress(InputError, SyntaxError, ValueError):
            data = read_bytes(file.filename)
            size += len(data)
            if size > MOST_BYTES:
                return []
            texts.append(Text(file.filename, file.settings, decode(data)))
    return texts


def _remembered(texts: list[Text], renamed: Sequence[str], cache: Cache | None) -> dict[str, Reasons]:
    """Return the reasons of the constructors of each file, from an earlier run on the same texts if there was one."""
    if cache is None:
        return _reasons(texts, renamed)
    told = [[text.filename, digest_of(text.old), repr(text.settings), knowledge(text.settings)] for text in texts]
    key = key_of("clearance", tool(), str(Path.cwd()), told, renamed)
    with suppress(*WRONG):
        kept: dict[str, Any] = json.loads(cache.store.get(key) or "")
        return {text_in(name): _read(reasons) for name, reasons in kept.items()}
    found = _reasons(texts, renamed)
    cache.store.put(key, as_json({name: _written(reasons) for name, reasons in found.items()}))
    return found


def _written(reasons: Reasons) -> str | list[list[int | str]]:
    return reasons if isinstance(reasons, str) else [[at.row, at.column, why] for at, why in reasons.items()]


def _read(data: Any) -> Reasons:
    """Return reasons from plain data.

    Raises:
        ValueError, TypeError: the data are none.
    """
    if isinstance(data, str):
        return data
    return {Position(natural_in(row), natural_in(column)): text_in(why) for row, column, why in list_in(data)}


def _whole(given: Mapping[str, SourceFile], beside: Sequence[SourceFile]) -> list[SourceFile]:
    """Return the Python files of the projects to which some files belong, and others; they keep their settings."""
    paths = ((str(Path(file.filename).absolute()), file) for file in beside)
    found = {path: SourceFile(path, file.settings) for path, file in paths if file.settings.kind_of(path) == "python"}
    folders: dict[Path, Settings] = {}
    for path, file in given.items():
        if file.settings.kind_of(path) == "python":
            found[path] = SourceFile(path, file.settings)
            folders.setdefault(_project_of(Path(path)), file.settings)
    for folder, settings in folders.items():
        looking = replace(settings, exclude=DEFAULT_EXCLUDE, extend_exclude=(), extension=())
        entries: Iterable[SourceFile] = (SourceFile(str(each), looking) for each in _beside(folder))
        if has_marker(folder):
            entries = walk(folder, lambda _, looking=looking: looking, GitIgnore.above(folder), [])  # type: ignore[misc]
        for each in entries:
            if each.filename.endswith((".py", ".pyi")):
                found.setdefault(each.filename, each)
    return list(found.values())


def _project_of(path: Path) -> Path:
    """Return the folder of the project to which a file belongs, or the folder of its outermost package."""
    folder = project_of(path.parent)
    if folder is not None:
        return folder
    depth = len(locate(path).module.split(".")) if locate(path).module else 1
    return path.parents[min(depth, len(path.parents)) - 1]


def _beside(folder: Path) -> Iterator[Path]:
    """Yield the Python files of a folder that is no project, and those of the packages in it."""
    with suppress(OSError):
        for entry in sorted(folder.iterdir()):
            if entry.is_dir() and (entry / "__init__.py").is_file():
                yield from sorted(entry.rglob("*.py"))
            elif entry.suffix == ".py" and entry.is_file():
                yield entry


# one analysis for both


def _reasons(texts: list[Text], renamed: Sequence[str]) -> dict[str, Reasons]:
    """Return the reasons of the constructors of each file; one for all of them past the limit of the analysis."""
    try:
        with _within_limits():
            return _analysed(texts, renamed)
    except TooMuchWork:
        return dict.fromkeys(renamed, TOO_MUCH)


@contextmanager
def _within_limits() -> Iterator[None]:
    """Limit the analysis, and drop the warnings of the parser about the user's files."""
    with at_most(MOST_STEPS), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _analysed(texts: list[Text], renamed: Sequence[str]) -> dict[str, Reasons]:
    """Return the reasons of the constructors of each file.

    Args:
        texts: the files, by their absolute path.
        renamed: the files whose constructors would be renamed.

    Raises:
        TooMuchWork: the analysis takes too long.
    """
    if not any("PRNGKey" in text.old for text in texts):
        return {}
    wanted = {path: text.settings for path in renamed for text in texts if text.filename == path}
    jax = next((settings.target_jax for settings in wanted.values()), None)
    target = Target("typed", NEWEST if jax is None else tuple(int(part) for part in jax.split(".")))
    for text in texts:  # a suppressed place may still change the computed numbers
        own = text.settings
        confidence = min(own.min_confidence, Confidence.LIKELY)
        text.settings = replace(
            own,
            select=["ALL"],
            extend_select=(),
            ignore=(),
            per_file_ignores={},
            ignore_noqa=True,
            min_confidence=confidence,
        )
    migration = Migration(target, texts)
    projects, found, staying = Projects(), dict[str, list[Report]](), set[tuple[str, int]]()
    by_name: list[str] = []  # the places that may replace the constructor
    with deep_recursion():
        places = key_places(migration)
        for text in texts:
            session = projects.get(text.settings).session
            session.places = places
            session.further = migration.further
            data = text.old.encode(errors="replace")
            if text.filename not in places and not worth_checking(text.filename, data, text.settings):
                continue
            with suppress(*NOT_PARSED):
                document, reports = reports_of(text, projects)
                found[text.filename] = made = constructors(reports)
                by_name += [f"{from_here(text.filename)}:{row}" for row in _named(reports)]
                migration.left[text.filename] = [each for each in reports if each.finding.code != CONSTRUCTOR]
                stays = _staying(made, document, wanted.get(text.filename))
                staying |= {(text.filename, number) for number in stays}
        reasons = dict.fromkeys(staying, "is left raw")
        for named in by_name[:1]:
            numbered = ((path, number) for path, made in found.items() for number in range(len(made)))
            reasons |= dict.fromkeys(numbered, f"comes from a constructor that `{named}` may replace by its name,")
        for failure in plan(migration, found, reasons, strict=True):
            raise failure.exception()
    return {filename: {_place(each): _why(each) for each in made} for filename, made in migration.constructors.items()}


def _named(reports: Sequence[Report]) -> Iterator[int]:
    """Yield the rows that read or replace the constructor by its name, as a mock does: the new name escapes them."""
    for report in reports:
        if isinstance(report.fact, Reference) and report.fact.context == "name":
            yield report.finding.span.start.row


def _staying(made: Sequence[Report], document: Document, settings: Settings | None) -> Iterator[int]:
    """Yield the numbers of the constructors that ``--fix`` does not rename; keys that meet theirs have to stay raw."""
    is_on = settings is not None and CONSTRUCTOR in {rule.code for rule in settings.rules_for(document.filename)}
    comments = Suppressions("" if settings is None or settings.ignore_noqa else document.text)
    for number, report in enumerate(made):
        fix = fix_for(report, document) if is_on and not comments.hides(report.finding) else None
        unsafe = settings is not None and settings.unsafe_fixes
        if fix is None or (fix.applicability is Applicability.UNSAFE and not unsafe):
            yield number


def _place(constructor: Constructor) -> Position:
    return Position(constructor.row, constructor.column)


def _why(constructor: Constructor) -> str:
    """Return the first reason against a constructor, as the predicate of a sentence."""
    if not constructor.reasons:
        return ""
    reason = constructor.reasons[0]
    return f"{reason.text} on line {reason.line.row} of {from_here(reason.line.filename)}"


# one file by itself


def _alone(filename: str, text: str, settings: Settings) -> Reasons:
    """Return the reasons of a file's constructors when only this file is known."""
    path = str(disk.absolute(filename))
    known = _reasons([Text(path, settings, text)], [path]).get(path, {})
    if isinstance(known, str) or all(known.values()):
        return known
    try:
        with _within_limits():
            lost = _lost(path, text, settings)
    except TooMuchWork:
        return TOO_MUCH
    return {place: reason or lost.get(place, "") for place, reason in known.items()}


def _lost(path: str, text: str, settings: Settings) -> dict[Position, str]:
    """Return the constructors of a file whose keys may leave it, with the reason.

    Raises:
        TooMuchWork: the analysis takes too long.
    """
    from olympus_rules.reach.answers.escapes import escapes
    from olympus_rules.reach.answers.project import reach
    from olympus_rules.syntax import Document

    where = locate(Path(path))
    document = Document(path, text, module=where.module, is_package=where.is_package, roots=where.roots)
    with deep_recursion():
        reached = reach({path: document}, None, settings.library_roots, tuple(settings.signature_packs))
    is_imported = Path(path).suffix in ("", ".py", ".pyi")
    lost = dict.fromkeys(reached.exported(path), LOST) if is_imported else {}
    for way in escapes(reached):
        lost |= dict.fromkeys(way.keys, f"is passed to `{way.callee}`, which was not analysed,")
    for join in reached.joins():
        for maker in frozenset().union(*join.keys):
            if not all(maker in keys for keys in join.keys):
                lost[maker] = f"meets others in `{join.callee}`"
    return {document.position(maker.line, maker.column): why for maker, why in lost.items()}
