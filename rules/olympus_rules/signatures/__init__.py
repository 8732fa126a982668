"""What library functions do with keys: signature packs, one TOML file per library, as one table.

``docs/signature-packs.md`` explains the format. Adding a library is adding a file. A file of this folder is named
after the package that it speaks of, or after a module of it, and is read when a name of that package is first asked
for.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

from olympus.verdicts.documented import Documented
from olympus_rules.signatures.pack import LibraryFunction, Pack
from olympus_rules.signatures.reader import TRANSFORMATIONS, read

__all__ = [
    "LibraryFunction",
    "SignatureTable",
    "Support",
    "package_of",
    "read_pack",
    "shipped",
    "signatures",
    "typed_key_support",
]

FOLDER = Path(__file__).parent
Support: TypeAlias = Literal["yes", "no", "unknown"]
# Modules of the standard library that keep, copy and hand over what they get.
CONTAINERS = frozenset(
    {"builtins", "collections", "contextlib", "copy", "dataclasses", "functools", "itertools", "types", "typing"}
)
PYTHON = "python"  # the pack of the builtins, by their bare names, and of the standard library


class SignatureTable:
    """The rows of all libraries by qualified name; builtins go by their bare name or under ``builtins``."""

    def __init__(self, packs: Iterable[Pack] = (), folder: Path | None = None, without: str = "") -> None:
        """Take packs, and a folder with more of them.

        Args:
            packs: what they say of a name wins over what the folder's say.
            folder: where the packs lie that are read when they are needed.
            without: the package whose pack is not read.
        """
        self._files: dict[str, list[Path]] = {}
        for path in sorted(folder.glob("*.toml")) if folder is not None else ():
            self._files.setdefault(package_of(path), []).append(path)
        self._files.pop(without, None)
        self._functions: dict[str, LibraryFunction] = {}
        self._inspected: set[str] = set()
        self._prefixes: tuple[str, ...] = ()
        self._forwarded: set[str] = set()
        self._transforms: dict[str, str] = {}
        self._returned: dict[str, str] = {}
        self._packs: dict[str, list[Pack]] = {}
        self._support: dict[str, Support] = {}
        self._raw: set[str] = set()
        self._claimed: frozenset[str] = frozenset()
        for pack in packs:
            self._add(pack)
        self._claimed = frozenset().union(*(pack.spoken_of() for found in self._packs.values() for pack in found))
        self._needed = set(self._files)

    def _add(self, pack: Pack) -> None:
        """Index a pack, without what an earlier one has claimed."""
        claimed = self._claimed
        self._functions |= {row.qualified: row for row in pack.functions if row.qualified not in claimed}
        looking = {row.qualified for row in pack.functions if row.inspects}
        self._inspected |= looking.union(pack.listed("inspect", "names")) - claimed
        self._prefixes += pack.listed("inspect", "prefixes")
        self._forwarded |= set(pack.listed("forward", "names")) - claimed
        self._returned |= {name: called for name, called in pack.returns.items() if name not in claimed}
        for kind in TRANSFORMATIONS:
            self._transforms |= {name: kind for name in pack.listed("transform", kind) if name not in claimed}
        raw = {row.qualified for row in pack.functions if row.raw}
        self._raw |= raw.union(pack.raw_names) - claimed
        for root in pack.roots:
            self._packs.setdefault(root, []).append(pack)
            if pack.raw or pack.typed_since:
                self._support.setdefault(root, "no" if pack.raw else "yes")

    def _need(self, root: str) -> None:
        """Read the folder's packs on a package, if there are any that were not read yet."""
        if root in self._needed:
            self._needed.discard(root)
            for path in self._files[root]:
                self._add(read_pack(path))

    def _look(self, qualified: str) -> str:
        """Return the name that a callable has in the table, whose pack is read."""
        name = qualified.removeprefix("builtins.")
        root = name.partition(".")[0]
        self._need(PYTHON if root == name or root in sys.stdlib_module_names else root)
        return name

    @property
    def functions(self) -> tuple[LibraryFunction, ...]:
        """Return the row of every function, by reading every pack."""
        for root in self._files:
            self._need(root)
        return tuple(self._functions.values())

    @property
    def names(self) -> frozenset[str]:
        """Return every name in the table, prefixes left out, by reading every pack."""
        return frozenset(row.qualified for row in self.functions).union(
            self._inspected, self._forwarded, self._transforms, self._returned
        )

    def get(self, qualified: str) -> LibraryFunction | None:
        """Return the row of a function, ``None`` when no pack describes it."""
        self._look(qualified)
        return self._functions.get(qualified)

    def inspects(self, qualified: str) -> bool:
        """Say whether the callable is known to consume no key that it is given."""
        name = self._look(qualified)
        return name in self._inspected or (name.startswith(self._prefixes) and name not in self._claimed)

    def forwards(self, qualified: str) -> bool:
        """Say whether the callable returns its first argument unchanged, and consumes nothing."""
        return self._look(qualified) in self._forwarded

    def returned(self, qualified: str) -> str | None:
        """Return the name under which the table has what a callable returns, where that is a callable, too."""
        return self._returned.get(self._look(qualified))

    def transform(self, qualified: str) -> str | None:
        """Return what a callable does that takes callables: ``transparent``, ``mapping``, ``scan`` …"""
        return self._transforms.get(self._look(qualified))

    def typed_key_support(self, qualified: str) -> Support:
        """Say whether a callable of a library takes typed keys as it takes raw ones.

        JAX does, and so do the containers and iterators of Python; what its modules for storing and hashing make of
        a key is not known, like that of a library whose packs do not speak of it.
        """
        name = self._look(qualified)
        root = name.partition(".")[0]
        if name in self._raw:
            return "no"
        if root == name or root in CONTAINERS:
            return "yes"
        return self._support.get(root, "unknown")

    def methods(self, libraries: Iterable[str], kind: str) -> frozenset[str]:
        """Return methods of the objects of some libraries.

        Args:
            libraries: import names, such as ``flax``.
            kind: ``fold`` for methods that derive keys from the one they are given, by folding in, and may leave it
                alone; ``inspect`` for methods that consume no key.
        """
        return frozenset(name for pack in self._of(libraries) for name in pack.listed(kind, "methods"))

    def method_rows(self, libraries: Iterable[str]) -> dict[str, list[LibraryFunction]]:
        """Return the rows of methods of the objects of some libraries, by name; several may have one name."""
        found: dict[str, list[LibraryFunction]] = {}
        for pack in self._of(libraries):
            for row in pack.methods:
                found.setdefault(row.qualified, []).append(row)
        return found

    def documented(self, text: str) -> list[Documented]:
        """Return the functions of libraries, and the methods of their objects, that consume keys and are in a text."""
        for root in self._files:
            self._need(root)
        packs = {id(pack): pack for packs in self._packs.values() for pack in packs}
        return [
            Documented(package, row.qualified, row.parameters, row.sinks)
            for pack in packs.values()
            for packages, rows in ((("",), pack.functions), (pack.roots, pack.methods))
            for package in packages
            for row in rows
            if row.sinks and row.qualified.rpartition(".")[2] in text
        ]

    def takes_keys(self, libraries: Iterable[str], text: str) -> bool:
        """Say whether a text mentions a function or method of some libraries that consumes keys."""
        rows = (row for pack in self._of(libraries) for row in (*pack.functions, *pack.methods))
        return any(row.sinks and row.qualified.rpartition(".")[2] in text for row in rows)

    def _of(self, libraries: Iterable[str]) -> list[Pack]:
        """Return the packs that speak of some libraries."""
        found: list[Pack] = []
        for root in sorted(libraries):
            self._need(root)
            found += [pack for pack in self._packs.get(root, ()) if pack not in found]
        return found


def package_of(path: Path) -> str:
    """Return the package that a file of the shipped packs speaks of, ``jax`` for ``jax.random.toml``."""
    return path.stem.partition(".")[0]


def read_pack(path: Path) -> Pack:
    """Read a signature pack.

    Raises:
        ValueError: it cannot be read, or something in it is wrong.
    """
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise ValueError(f"{path} cannot be read ({error.strerror}); name a file that can") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not encoded in UTF-8; save it so") from None
    return read(str(path), text)


def shipped() -> list[Path]:
    """Return the files of the packs that come with this package."""
    return sorted(FOLDER.glob("*.toml"))


def typed_key_support(qualified: str, packs: tuple[str, ...] = ()) -> Support:
    """Say whether a callable takes typed keys as it takes raw ones.

    Args:
        qualified: its qualified name; builtins go by their bare name or under ``builtins``.
        packs: the paths of the user's packs; what they say wins.

    Raises:
        ValueError: a pack cannot be read, or something in it is wrong.
    """
    return signatures(packs).typed_key_support(qualified)


@cache
def signatures(packs: tuple[str, ...] = (), without: str = "") -> SignatureTable:
    """Return the table of this package's packs and of the user's.

    Args:
        packs: the paths of the user's packs; what they say of a name wins.
        without: a package that no pack is to speak of, because its source is looked at.

    Raises:
        ValueError: a pack cannot be read, or something in it is wrong.
    """
    read = [read_pack(Path(path)) for path in packs]
    return SignatureTable([pack for pack in read if without not in pack.roots], FOLDER, without)
