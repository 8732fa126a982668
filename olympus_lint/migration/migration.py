"""The state and the result of a migration."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from olympus_codemods.target import Target
from olympus_lint.files.problems import Problem
from olympus_lint.files.validity import NOT_PARSED
from olympus_lint.migration.constructors import Constructor
from olympus_lint.migration.importing_files import Outside
from olympus_lint.migration.text import Text
from olympus_rules.libraries import libraries
from olympus_rules.reach.answers.project import ProjectReach
from olympus_rules.rule import Report
from olympus_rules.syntax import Document
from olympus_rules.syntax.project import import_roots, locate

if TYPE_CHECKING:
    from olympus_rules.reach.answers.project import ProjectReach


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


NOTHING = Withheld()


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
        renamed: whether each constructor of a file was renamed.
        taken: in style ``portable``, further sources of keys: the parameters that callers pass keys to, and calls that
            derive keys from words.
        is_cut_short: whether the project is too large to follow every key to its end.
        outside: the files that were not named and import what changes.
        not_in_git: the files whose content is not in the index of their repository, if any file changes.
        further: the folders in which files of one project find those of another.
        parsed: documents of the texts, which no project owns, by path; they hold as long as a text is the same.
        reached: the last analysis of where keys get to; it holds as long as all texts are the same.
    """

    target: Target
    texts: list[Text]
    left: dict[str, list[Report]] = field(default_factory=dict)
    constructors: dict[str, list[Constructor]] = field(default_factory=dict)
    unlisted: int = 0
    problems: list[Problem] = field(default_factory=list)
    renamed: dict[str, list[bool]] = field(default_factory=dict)
    taken: list[Constructor] = field(default_factory=list)
    is_cut_short: bool = False
    outside: Outside = field(default_factory=Outside)
    not_in_git: list[str] = field(default_factory=list)
    further: tuple[Path, ...] = field(init=False, default=())
    parsed: dict[str, Document] = field(default_factory=dict)
    reached: ProjectReach | None = None

    def __post_init__(self) -> None:
        """Find out where the files can be imported from."""
        modules = (Path(text.filename) for text in self.named if text.filename.endswith((".py", ".pyi")))
        self.further = import_roots((path.absolute() for path in modules), libraries(self.packs).packages)

    @property
    def roots(self) -> set[str]:
        """Return the names under which the JAX namespace may be imported."""
        return {root for text in self.texts for root in text.settings.library_roots}

    @property
    def packs(self) -> tuple[str, ...]:
        """Return the paths of the user's signature packs."""
        return tuple(dict.fromkeys(pack for text in self.texts for pack in text.settings.signature_packs))

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

    def documents(self) -> dict[str, Document]:
        """Return documents of the current texts by their absolute path, without those that cannot be parsed."""
        for text in self.texts:
            known = self.parsed.get(text.path)
            if known is None or known.text != text.new:
                self.parsed.pop(text.path, None)
                place = locate(Path(text.path), self.further)
                with suppress(*NOT_PARSED):
                    self.parsed[text.path] = Document(
                        text.filename,
                        text.new,
                        module=place.module,
                        is_package=place.is_package,
                        roots=place.roots,
                        path=text.path,
                    )
        return {text.path: self.parsed[text.path] for text in self.texts if text.path in self.parsed}
