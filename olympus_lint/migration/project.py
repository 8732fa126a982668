"""A project on its way to typed keys: all its files, what was rewritten in them, and what is left."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from olympus_codemods.target import Target
from olympus_lint.engine import Projects, deep_recursion, not_parsed, worth_checking
from olympus_lint.migration.mentions import Mention, mentions_in
from olympus_lint.migration.places import Text, constructors, rename, reports_of, rewrite
from olympus_lint.migration.plan import Constructor, all_held_back, plan
from olympus_lint.migration.whereabouts import constructor_in_file, finding_in_file
from olympus_lint.results import Problem
from olympus_lint.settings import Settings
from olympus_lint.validity import NOT_PARSED
from olympus_rules.keyflow.facts import GlobalImplementation
from olympus_rules.reach.reading import place_of
from olympus_rules.reach.slots import TooLargeError
from olympus_rules.rule import Report
from olympus_rules.syntax import Document

__all__ = ["Migration", "keyed_parameters", "migrate", "planned", "stays"]


@dataclass(slots=True)
class Migration:
    """What came of a migration.

    Attributes:
        target: what the code has to work with afterwards.
        texts: the files, in the order of the command line.
        left: the places that are not ready for typed keys, by file; their rows are those of the new text.
        constructors: the constructors by file, each with what holds it back; their rows are those of the text
            before they were renamed.
        problems: what went wrong.
        mentions: the strings, comments and prose that speak of raw keys.
        is_too_large: whether it could not be worked out where the keys get to.
    """

    target: Target
    texts: list[Text]
    left: dict[str, list[Report]] = field(default_factory=dict)
    constructors: dict[str, list[Constructor]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)
    is_too_large: bool = False

    @property
    def changed(self) -> list[Text]:
        """Return the files that are different afterwards."""
        return [text for text in self.texts if text.new != text.old]

    @property
    def held(self) -> list[Constructor]:
        """Return the constructors that stay."""
        return [each for found in self.constructors.values() for each in found if each.reasons]

    @property
    def free(self) -> list[Constructor]:
        """Return the constructors that make typed keys now, or can."""
        return [each for found in self.constructors.values() for each in found if not each.reasons]


def migrate(texts: Iterable[Text], target: Target, *, unsafe: bool = False) -> Migration:
    """Rewrite the files of a project, in memory, as far as that is certain.

    Args:
        texts: the files; ``new`` is changed.
        target: what the code has to work with; constructors are renamed in style ``typed`` only.
        unsafe: whether constructors are renamed, too, whose keys get to places that are not ready.
    """
    migration = Migration(target, list(texts))
    projects = Projects()
    found: dict[str, list[Report]] = {}
    with deep_recursion():
        keyed = keyed_parameters(migration)
        keyed_files = {path for path, *_ in keyed}
        for text in migration.texts:
            projects.get(text.settings).session.keyed.update(keyed)
            speaks_of_keys = worth_checking(text.filename, text.old.encode(errors="replace"), text.settings)
            if not speaks_of_keys and str(Path(text.filename).absolute()) not in keyed_files:
                continue
            try:
                migration.left[text.filename] = rewrite(text, target, projects)
                found[text.filename] = constructors(reports_of(text, projects)[1])
            except NOT_PARSED as error:
                migration.problems += stays(text.filename, text.new, error, text.settings)
            if not text.settle():
                found.pop(text.filename, None)
                migration.left.pop(text.filename, None)
        migration.constructors = planned(migration, found)
        if target.style == "typed" and target.has("typed-keys"):
            _leave_out_raw_keys(migration, found, unsafe=unsafe)
        in_files(migration)
        if target.style == "typed":
            for text in migration.texts:
                each = migration.constructors.get(text.filename, [])
                if each or text.filename in found:
                    rename(text, [bool(one.reasons) and not unsafe for one in each], target, projects)
    for text in migration.texts:
        text.settle()
        migration.problems += map(text.places.problem, text.problems)
        migration.mentions += mentions_in(text) if target.style == "typed" else []
    return migration


def stays(filename: str, text: str, error: Exception, settings: Settings, cell: int | None = None) -> list[Problem]:
    """Say that a file, or a cell of one, stays as it is, since the running Python cannot parse it."""
    newer = not_parsed(filename, text, error, settings, cell).errors
    where = "" if cell is None else f"cell {cell} "
    cause = f"{error.msg}, line {error.lineno}" if isinstance(error, SyntaxError) else error
    return newer or [Problem(filename, f"{where}cannot be parsed ({cause}), so it stays as it is.")]


def keyed_parameters(migration: Migration) -> frozenset[tuple[str, int, int, str]]:
    """Return the parameters to which nothing but keys comes, whatever they are called."""
    from olympus_rules.reach.project import reach

    documents = {
        str(Path(text.filename).absolute()): document
        for text in migration.texts
        if (document := _parsed(text)) is not None
    }
    if not any("PRNGKey" in document.text for document in documents.values()):
        return frozenset()
    with suppress(TooLargeError):
        return reach(documents, None, _roots(migration), _packs(migration)).parameters()
    migration.is_too_large = True
    return frozenset()


def _roots(migration: Migration) -> set[str]:
    return {root for text in migration.texts for root in text.settings.library_roots}


def _packs(migration: Migration) -> tuple[str, ...]:
    return tuple(dict.fromkeys(pack for text in migration.texts for pack in text.settings.signature_packs))


def planned(
    migration: Migration,
    found: dict[str, list[Report]],
    staying: frozenset[tuple[str, int]] = frozenset(),
    *,
    careful: bool = False,
) -> dict[str, list[Constructor]]:
    """Return the constructors with what holds them back; files without any key pass keys on, and count.

    Args:
        migration: the files, and the places in them that are not ready.
        found: the constructors of each file.
        staying: those that are not renamed in any case, by their file and number.
        careful: whether keys of which the number of axes is not known count as single ones.
    """
    documents = {}
    for text in migration.texts:
        document = _parsed(text)
        if document is not None:
            documents[text.filename] = document
    packs = _packs(migration)
    exits = {text.filename: text.exits for text in migration.texts}
    seen = {text.filename: text.seen for text in migration.texts}
    roots = _roots(migration)
    if not migration.is_too_large:
        with suppress(TooLargeError):
            return plan(
                documents,
                found,
                migration.left,
                exits,
                seen,
                target=migration.target,
                roots=roots,
                packs=packs,
                staying=staying,
                careful=careful,
            )
    return all_held_back(found, "gets to more places than can be followed; name fewer folders at a time")


def _leave_out_raw_keys(migration: Migration, found: dict[str, list[Report]], *, unsafe: bool) -> None:
    """Take off the list what is wrong with raw keys only, where their constructors are renamed."""
    for filename, mentions in found.items():
        planned = zip(mentions, migration.constructors[filename], strict=True)
        typed = {place_of(filename, report.fact.node) for report, one in planned if unsafe or not one.reasons}
        migration.left[filename] = [
            report
            for report in migration.left[filename]
            if not (isinstance(report.fact, GlobalImplementation) and report.fact.form == "raw-key")
            or not (isinstance(report.fact.node, ast.Call) and place_of(filename, report.fact.node.func) in typed)
        ]


def in_files(migration: Migration) -> None:
    """Turn rows of the modules that the pieces of a file make into rows of the file, or of a cell."""
    places = {text.filename: text.places for text in migration.texts if text.embedded is not None}
    if places:
        migration.left = {
            name: [replace(report, finding=finding_in_file(report.finding, places)) for report in reports]
            for name, reports in migration.left.items()
        }
        migration.constructors = {
            name: [constructor_in_file(each, places) for each in found]
            for name, found in migration.constructors.items()
        }


def _parsed(text: Text) -> Document | None:
    """Return a document of a text that no analysis lets go of."""
    from olympus_rules.syntax.project import locate

    place = locate(Path(text.filename).absolute())
    try:
        return Document(text.filename, text.new, module=place.module, is_package=place.is_package, roots=place.roots)
    except NOT_PARSED:
        return None
