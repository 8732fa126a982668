"""The migration of a project: all of its files, their rewrites, and the places that are left."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from olympus_codemods.target import Target
from olympus_lint.analysis.failures import failed
from olympus_lint.analysis.prefilter import worth_checking
from olympus_lint.analysis.projects import Projects, deep_recursion
from olympus_lint.analysis.unparsed import not_parsed
from olympus_lint.files.problems import Problem
from olympus_lint.files.validity import NOT_PARSED
from olympus_lint.migration.importing_files import Outside
from olympus_lint.migration.plan import Constructor, Plan, Survey, SurveyedFile, plan
from olympus_lint.migration.prose_mentions import Mention, mentions_in
from olympus_lint.migration.reasons import line_of
from olympus_lint.migration.rewriting import (
    constructors,
    context_of,
    is_wanted,
    places_of,
    references_of,
    rename,
    rewrite,
    subjects_of,
)
from olympus_lint.migration.text import Text
from olympus_lint.project.settings import Settings
from olympus_rules.finding import Confidence
from olympus_rules.keyflow.domain.places import span_of
from olympus_rules.keyflow.facts import GlobalImplementation
from olympus_rules.libraries import libraries
from olympus_rules.libraries.names import PRNG_KEY
from olympus_rules.reach.reading import place_of
from olympus_rules.rule import Report
from olympus_rules.syntax import Document

if TYPE_CHECKING:
    from olympus_rules.keyflow.domain.places import Places
    from olympus_rules.reach.sites import Taken

__all__ = ["NOTHING", "Migration", "Withheld", "key_places", "migrate", "planned", "stays"]


@dataclass(frozen=True, slots=True)
class Withheld:
    """What a migration leaves as it is, whatever the analysis says.

    Attributes:
        constructors: reasons against constructors, by their file and number.
        files: reasons against whole files, in which no place is rewritten either.
    """

    constructors: Mapping[tuple[str, int], str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)

    def staying(self, found: Mapping[str, list[Report]]) -> dict[tuple[str, int], str]:
        """Return the reasons against constructors, those of whole files included."""
        whole = {(name, n): why for name, why in self.files.items() for n in range(len(found.get(name, ())))}
        return {**whole, **{each: why for each, why in self.constructors.items() if each[0] in found}}


NAME = PRNG_KEY.rpartition(".")[2]
MOST_LINES = 60_000
"""The size of a project up to which the expressions are searched that only keys reach: it takes a second analysis."""
RARELY = (500_000, 20, 20)
"""Thresholds of the garbage collector."""


@dataclass(slots=True)
class Migration:
    """The state and result of a migration.

    Attributes:
        target: the keys and the release that the code has to support afterwards.
        texts: the files, in the order of the command line, then those that were not named and are read along.
        left: the places that are not ready for typed keys, by file, with rows of the new text.
        constructors: the constructors by file, each with its reasons, with rows of the text before they were renamed.
        unlisted: the number of places that keys may reach, of which most are none of keys; strict plans list them.
        problems: its problems.
        mentions: the mentions of raw keys in strings, comments and prose.
        renamed: whether each constructor of a file was renamed.
        taken: in style ``portable``, further sources of keys: the parameters that callers pass keys to, and calls that
            derive keys from words.
        is_cut_short: whether the project is too large to follow every key to its end.
        outside: the files that were not named and import what changes.
        not_in_git: the files whose content is not in the index of their repository, if any file changes.
        further: the folders in which files of one project find those of another.
        parsed: documents of the texts, which no project owns, by file; they hold as long as a text is the same.
    """

    target: Target
    texts: list[Text]
    left: dict[str, list[Report]] = field(default_factory=dict)
    constructors: dict[str, list[Constructor]] = field(default_factory=dict)
    unlisted: int = 0
    problems: list[Problem] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)
    renamed: dict[str, list[bool]] = field(default_factory=dict)
    taken: list[Constructor] = field(default_factory=list)
    is_cut_short: bool = False
    outside: Outside = field(default_factory=Outside)
    not_in_git: list[str] = field(default_factory=list)
    further: tuple[Path, ...] = field(init=False, default=())
    parsed: dict[str, Document] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Find out where the files can be imported from."""
        from olympus_rules.syntax.project import import_roots

        modules = (Path(text.filename) for text in self.named if text.filename.endswith((".py", ".pyi")))
        self.further = import_roots((path.absolute() for path in modules), libraries(_packs(self)).packages)

    @property
    def named(self) -> list[Text]:
        """Return the files that the user named."""
        return [text for text in self.texts if text.is_named]

    @property
    def changed(self) -> list[Text]:
        """Return the files that the migration changes."""
        return [text for text in self.texts if text.new != text.old]

    @property
    def is_open(self) -> bool:
        """Say whether anything is left to do, or was not seen."""
        outside = self.outside.unread or self.outside.doubts or self.outside.is_cut_short
        taken = any(each.reasons for each in self.taken)
        unsure = self.doubtful or (self.free and self.is_cut_short)
        return bool(any(self.left.values()) or self.unlisted or self.held or unsure or taken or outside)

    @property
    def held(self) -> list[Constructor]:
        """Return the constructors that are held back."""
        return [each for found in self.constructors.values() for each in found if each.reasons]

    @property
    def doubtful(self) -> list[Constructor]:
        """Return the constructors that nothing holds back, and whose keys may get to places that break."""
        return [each for each in self.free if each.checks]

    @property
    def forced(self) -> list[Constructor]:
        """Return the constructors that are renamed although something holds them back."""
        pairs = (
            (self.constructors[name], renamed) for name, renamed in self.renamed.items() if name in self.constructors
        )
        return [each for pair in pairs for each, is_renamed in zip(*pair, strict=True) if is_renamed and each.reasons]

    @property
    def free(self) -> list[Constructor]:
        """Return the constructors that make typed keys after the migration, or can."""
        return [each for found in self.constructors.values() for each in found if not each.reasons]


NOTHING = Withheld()


def migrate(
    texts: Iterable[Text], target: Target, *, unsafe: bool = False, strict: bool = False, withheld: Withheld = NOTHING
) -> Migration:
    """Rewrite the files of a project in memory, where the rewrite is certain.

    Args:
        texts: the files; ``new`` is changed.
        target: the keys and the release that the code has to support; only style ``typed`` renames constructors.
        unsafe: whether constructors are renamed even if their keys reach places that are not ready.
        strict: whether places to which keys only may get hold constructors back, too.
        withheld: what stays as it is.
    """
    migration = Migration(target, list(texts))
    with deep_recursion(), rare_collections():
        strict = strict or target.style == "portable"
        projects, found = _all_ready(migration, withheld)
        if not strict:
            _count_unlisted(migration)
        result = planned(migration, found, withheld.staying(found), strict=strict)
        failures = ((each.file, each.exception()) for each in result.failures)
        migration.problems += [failed(name, "the analysis of where keys get to", error) for name, error in failures]
        migration.is_cut_short = result.is_cut_short
        for filename, reports in result.computed.items():
            migration.left.setdefault(filename, []).extend(reports)
        _put_in_files(migration)
        _leave_out_idle(migration, result)
        both = result.constructors
        migration.constructors = {name: [each for each in made if each.is_constructor] for name, made in both.items()}
        migration.taken = [each for made in both.values() for each in made if not each.is_constructor]
        if target.style == "typed" and target.has("typed-keys"):
            _leave_out_raw_keys(migration, found, unsafe=unsafe)
        if target.style == "typed":
            _rename_free(migration, found, projects, unsafe=unsafe, withheld=withheld)
    for text in migration.texts:
        text.settle()
        if text.is_named:
            migration.problems += map(text.rows.problem, text.problems)
            migration.mentions += mentions_in(text) if target.style == "typed" else []
    return migration


def _all_ready(migration: Migration, withheld: Withheld) -> tuple[Projects, dict[str, list[Report]]]:
    """Make the places of all files ready; return the constructors by file.

    What is known of the expressions moves with the edits. It is looked for again after a rewrite that shows more keys,
    as that of words to a constructor, and if a place is left whose keys may be words by now.
    """
    while True:
        before = {text.filename: len(text.rewritten) for text in migration.texts}
        projects = Projects()
        found = _make_ready(migration, projects, withheld, key_places(migration))
        new = [each.fix for text in migration.texts for each in text.rewritten[before[text.filename] :]]
        is_open = new and any(_may_be_words(migration, text, projects) for text in migration.texts)
        projects.close()  # the plan takes the memory that they do
        if not is_open and not any(fix.shows_keys for fix in new):
            return projects, found


def _may_be_words(migration: Migration, text: Text, projects: Projects) -> bool:
    """Return whether a place that is left is about an expression around a rewrite."""
    around = places_of(text, projects).around
    facts = [report.fact for report in migration.left.get(text.filename, ())] if around else []
    parts = (part for fact in facts for part in subjects_of(fact) or [fact.node])
    return any(isinstance(part, ast.expr) and span_of(part) in around for part in parts)


def _make_ready(
    migration: Migration, projects: Projects, withheld: Withheld, places: Mapping[str, Places]
) -> dict[str, list[Report]]:
    """Make the places of all files ready, but for constructors; return these by file."""
    found: dict[str, list[Report]] = {}
    migration.problems = []
    for text in migration.texts:
        session = projects.get(text.settings).session
        session.places = session.places or dict(places)  # which move with the edits
        session.further = migration.further
        speaks_of_keys = worth_checking(text.filename, text.new.encode(errors="replace"), text.settings)
        speaks_of_keys |= NAME in text.new  # which may be replaced in a module of the project
        if not speaks_of_keys and str(Path(text.filename).absolute()) not in places:
            continue
        try:
            stays_whole = text.filename in withheld.files or not text.is_named
            migration.left[text.filename] = rewrite(text, migration.target, projects, withheld=stays_whole)
            if text.is_named:
                found[text.filename] = constructors(references_of(text, projects))
        except NOT_PARSED as error:
            migration.problems += stays(text.filename, text.new, error, text.settings) if text.is_named else []
        if not text.settle():
            found.pop(text.filename, None)
            migration.left.pop(text.filename, None)
    return found


def _rename_free(
    migration: Migration, found: dict[str, list[Report]], projects: Projects, *, unsafe: bool, withheld: Withheld
) -> None:
    """Rename the constructors that nothing holds back, and names by which code replaces them if all are renamed."""
    staying, target = withheld.staying(found), migration.target
    held = {
        filename: [
            bool(one.reasons) and not (unsafe and (filename, number) not in staying) for number, one in enumerate(made)
        ]
        for filename, made in migration.constructors.items()
    }
    names = target.has("typed-keys") and not any(
        stays and "." in one.spelled
        for filename, made in migration.constructors.items()
        for one, stays in zip(made, held[filename], strict=True)
    )
    for text in migration.texts:
        each = held.get(text.filename, [])
        text.ready = text.after
        migration.renamed[text.filename] = [not one and target.has("typed-keys") for one in each]
        if (each or text.filename in found) and text.filename not in withheld.files:
            rename(text, each, target, projects, names=names)
            left = migration.left.get(text.filename, [])
            migration.left[text.filename] = [one for one in left if not names or context_of(one) != "replaced"]


def stays(filename: str, text: str, error: Exception, settings: Settings, cell: int | None = None) -> list[Problem]:
    """Return the problem of a file, or a cell, that the running Python cannot parse and that stays unchanged."""
    newer = not_parsed(filename, text, error, settings, cell).errors
    where = "" if cell is None else f"cell {cell} "
    cause = f"{error.msg}, line {error.lineno}" if isinstance(error, SyntaxError) else error
    return newer or [Problem(filename, f"{where}cannot be parsed ({cause}), so it is not changed.")]


def key_places(migration: Migration) -> dict[str, Places]:
    """Return the expressions that only keys reach, and those that they may reach, by file."""
    from olympus_rules.reach.evidence import places_in
    from olympus_rules.reach.project import reach

    documents = {
        str(Path(text.filename).absolute()): document
        for text in migration.texts
        if (document := _parsed(migration, text)) is not None
    }
    lines = sum(document.text.count("\n") for document in documents.values())
    is_portable = migration.target.style == "portable"
    migration.is_cut_short = lines > MOST_LINES
    if migration.is_cut_short or not (is_portable or any(NAME in each.text for each in documents.values())):
        return {}
    given = _taken(migration, documents)
    reached = reach(documents, None, _roots(migration), _packs(migration), given, with_words=is_portable)
    migration.is_cut_short = reached.slots.is_cut_short
    found = {} if reached.graph.failures else places_in(reached, documents)
    reached.graph.forget()
    del reached
    gc.collect()  # what is left of the graph is full of circles
    return found


def _taken(migration: Migration, documents: Mapping[str, Document]) -> list[Taken]:
    """Return the parameters of named files to which callers pass keys; only a portable migration follows them."""
    from olympus_rules.reach.callers import taken
    from olympus_rules.reach.project import reach

    if migration.target.style != "portable":
        return []
    named = {str(Path(text.filename).absolute()) for text in migration.named}
    every = taken(reach(documents, None, _roots(migration), _packs(migration)))
    return [each for each in every if each.place.file in named]


def _roots(migration: Migration) -> set[str]:
    return {root for text in migration.texts for root in text.settings.library_roots}


def _packs(migration: Migration) -> tuple[str, ...]:
    return tuple(dict.fromkeys(pack for text in migration.texts for pack in text.settings.signature_packs))


def planned(
    migration: Migration,
    found: dict[str, list[Report]],
    staying: Mapping[tuple[str, int], str] = {},
    *,
    strict: bool = False,
) -> Plan:
    """Return the plan: the constructors with the reasons that hold them back; files without one count, too.

    Args:
        migration: the files, and the places in them that are not ready.
        found: the constructors of each file.
        staying: reasons against constructors that are not renamed in any case, by their file and number.
        strict: whether places to which keys only may get hold constructors back, too.
    """
    return plan(_survey(migration, found), staying, strict=strict)


def _survey(migration: Migration, found: dict[str, list[Report]]) -> Survey:
    """Return what the plan knows of the files that can be parsed."""
    files = {}
    for text in migration.texts:
        document = _parsed(migration, text)
        if document is not None:
            path = str(Path(text.filename).absolute())
            left = migration.left.get(text.filename, ())
            made = found.get(text.filename)
            wanted = partial(is_wanted, text=text)
            files[text.filename] = SurveyedFile(document, path, made, left, text.exits, wanted, text.rows)
    given = _taken(migration, {file.path: file.document for file in files.values()})
    return Survey(files, migration.target, _roots(migration), _packs(migration), given, migration.is_cut_short)


def _count_unlisted(migration: Migration) -> None:
    """Count the places that keys may reach, and do not list them."""
    for filename, reports in migration.left.items():
        listed = [each for each in reports if not each.fact.reached or each.fact.confidence > Confidence.POSSIBLE]
        migration.unlisted += len(reports) - len(listed)
        migration.left[filename] = listed


def _leave_out_idle(migration: Migration, result: Plan) -> None:
    """Remove the places of files that were not named which hold no constructor back."""
    sources = [each for made in result.constructors.values() for each in made]
    lines = {(reason.line, reason.code) for each in sources for reason in (*each.reasons, *each.checks)}
    for text in migration.texts:
        if not text.is_named:
            reports = migration.left.pop(text.filename, [])
            holding = [report for report in reports if (line_of(report.finding), report.finding.code) in lines]
            migration.left.update({text.filename: holding} if holding else {})


def _leave_out_raw_keys(migration: Migration, found: dict[str, list[Report]], *, unsafe: bool) -> None:
    """Remove places that are wrong only for raw keys, if their constructors are renamed."""
    for filename, made in found.items():
        planned = zip(made, migration.constructors[filename], strict=True)
        typed = {place_of(filename, report.fact.node) for report, one in planned if unsafe or not one.reasons}
        migration.left[filename] = [
            report
            for report in migration.left[filename]
            if not (isinstance(report.fact, GlobalImplementation) and report.fact.form == "raw-key")
            or not (isinstance(report.fact.node, ast.Call) and place_of(filename, report.fact.node.func) in typed)
        ]


def _put_in_files(migration: Migration) -> None:
    """Translate what is said of joined modules to their files and cells."""
    for text in migration.texts:
        reports = migration.left.get(text.filename, [])
        reports[:] = [replace(report, finding=text.rows.finding(report.finding)) for report in reports]


def _parsed(migration: Migration, text: Text) -> Document | None:
    """Return a document of the current text that no project owns; ``None`` if it cannot be parsed."""
    from olympus_rules.syntax.project import locate

    known = migration.parsed.get(text.filename)
    if known is not None and known.text == text.new:
        return known
    path = Path(text.filename).absolute()
    place = locate(path, migration.further)
    try:
        document = Document(
            text.filename,
            text.new,
            module=place.module,
            is_package=place.is_package,
            roots=place.roots,
            path=str(path),
        )
    except NOT_PARSED:
        return None
    migration.parsed[text.filename] = document
    return document


@contextmanager
def rare_collections() -> Iterator[None]:
    """Collect garbage rarely: nearly all objects of an analysis live as long as it does."""
    before = gc.get_threshold()
    gc.set_threshold(*RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*before)
