"""What rests on what, kept from one run with some paths and options to the next.

A run after some edits learns from it which results may be others now, and reads no other file.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias

from olympus_lint.analysis.cache import WRONG, Cache, as_json, digest_of, key_of
from olympus_lint.project.settings import Settings
from olympus_rules.keyflow.linking.rests import Rests, rests_of
from olympus_rules.syntax.array_names import Glimpse, Names
from olympus_rules.syntax.project import locate

Choice: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]
"""``library-roots`` and ``signature-packs``."""


def choice_of(settings: Settings) -> Choice:
    """Return the settings on which answers depend."""
    return tuple(settings.library_roots), tuple(settings.signature_packs)


def root_of(path: Path) -> str:
    """Return the outermost folder in which the imports of a file are looked for."""
    return str(min(locate(path).roots, key=lambda root: len(root.parts)))


@dataclass(slots=True)
class Group:
    """What rests on what among some files.

    Attributes:
        rests: what their results and answers rest on, by choice of settings.
        glimpses: what the texts of files have shown to others without being parsed, by path.
    """

    rests: dict[Choice, Rests] = field(default_factory=dict)
    glimpses: dict[str, dict[Glimpse, str]] = field(default_factory=dict)

    def add(self, later: Group) -> None:
        """Add what a later part of the run has seen."""
        for choice, rests in later.rests.items():
            self.rests.setdefault(choice, Rests()).add(rests)
        for path, seen in later.glimpses.items():
            self.glimpses[path] = self.glimpses.get(path, {}) | seen

    def analysed(self) -> set[str]:
        """Return the files of which it is known what their results and answers rest on."""
        return {path for rests in self.rests.values() for path in rests.asked}

    def roots(self) -> list[str]:
        """Return the outermost folders in which the imports of its files are looked for."""
        paths = self.analysed().union(self.glimpses)
        return sorted({root_of(folder / "_") for folder in {Path(path).parent for path in paths}})

    def as_text(self) -> str:
        """Return it as JSON."""
        names: dict[Names | None, int] = {}
        seen = {
            path: [[what, names.setdefault(made, len(names)), value] for (what, made), value in shown.items()]
            for path, shown in self.glimpses.items()
        }
        makers = [None if each is None else [each[0], sorted(each[1])] for each in names]
        return as_json([[[choice, rests.as_data()] for choice, rests in self.rests.items()], makers, seen])


def group_of(text: str) -> Group:
    """Return the group of a text.

    Raises:
        ValueError, TypeError, LookupError, AttributeError: the text is of another form.
    """
    rests, makers, seen = json.loads(text)
    names = [None if each is None else (tuple(each[0]), frozenset(each[1])) for each in makers]
    return Group(
        {(tuple(roots), tuple(packs)): rests_of(data) for (roots, packs), data in rests},
        {path: {(what, names[made]): value for what, made, value in shown} for path, shown in seen.items()},
    )


class KeptRests:
    """The groups of the files of a run.

    Attributes:
        parts: the kept groups: for the number of each, a digest of its text and its roots.
    """

    def __init__(self, cache: Cache, run: bytes, parts: Mapping[str, Any]) -> None:
        """Take the cache, the key of the run, and what an earlier run has kept."""
        self.parts = dict(parts)
        self._cache, self._run, self._group = cache, run.hex(), Group()

    def take(self, roots: Collection[str]) -> Group | None:
        """Return what is kept of the files with some roots, which the run may change; ``None`` without it."""
        whole = Group()
        for number in [number for number, (_, known) in self.parts.items() if not set(known).isdisjoint(roots)]:
            digest, _ = self.parts.pop(number)
            text = self._cache.store.get(self._key(number))
            if text is None or digest_of(text) != digest:
                return None
            try:
                whole.add(group_of(text))
            except WRONG:
                return None
        return whole

    def add(self, group: Group) -> None:
        """Add what the run has seen, or what still holds of an earlier one."""
        self._group.add(group)

    def save(self) -> None:
        """Keep what was added as one part."""
        group, self._group = self._group, Group()
        if group.rests or group.glimpses:
            number = next(number for number in map(str, count()) if number not in self.parts)
            text = group.as_text()
            self._cache.store.put(self._key(number), text)
            self.parts[number] = [digest_of(text), group.roots()]

    def _key(self, number: str) -> bytes:
        return key_of("rests", self._run, number)
