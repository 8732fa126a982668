"""Which files of a project over the limit of lines are read: those that name a constructor, and what is near them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

from olympus_rules.reach.reading.raw_keys import NAME
from olympus_rules.syntax import Document
from olympus_rules.syntax.imports import imports_in
from olympus_rules.syntax.project import Location, locate_name, module_file


def nearest(documents: Mapping[str, Document], most_lines: int) -> Mapping[str, Document]:
    """Return the files to which keys come first, by the number of imports between, up to a number of lines."""
    if sum(document.text.count("\n") for document in documents.values()) <= most_lines:
        return documents
    found: dict[str, Document] = {}
    for path in _by_distance(documents, [path for path, each in documents.items() if NAME in each.text]):
        most_lines -= documents[path].text.count("\n")
        if most_lines < 0:
            break
        found[path] = documents[path]
    return {path: each for path, each in documents.items() if path in found}


def _by_distance(documents: Mapping[str, Document], starts: Collection[str]) -> Iterator[str]:
    """Yield files by the number of imports, in either direction, between them and some files."""
    beside = _imports(documents)
    seen, level = set(starts), sorted(starts)
    while level:
        yield from level
        level = sorted({other for path in level for other in beside[path]} - seen)
        seen.update(level)


def _imports(documents: Mapping[str, Document]) -> Mapping[str, set[str]]:
    """Return the files that each file imports, or is imported by."""
    beside: dict[str, set[str]] = defaultdict(set)
    for path, document in documents.items():
        place = Location(document.module, document.is_package, document.roots)
        for _, name in set(imports_in(document.text.encode(errors="replace"), place)):
            found = locate_name(document.roots, name)
            other = str(module_file(document.roots, name) if found is None else found[0])
            if other in documents and other != path:
                beside[path].add(other)
                beside[other].add(path)
    return beside
