"""The packs of all libraries as one table, which is read package by package."""

from __future__ import annotations

import builtins
import re
import sys
from collections.abc import Iterable
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from olympus.verdicts.documented import CALL, Documented
from olympus_rules.libraries.model import Conversion, LibraryFunction, Model, Support
from olympus_rules.libraries.pack import Pack
from olympus_rules.libraries.reader import LISTS, read
from olympus_rules.libraries.transformations import TRANSFORMATIONS
from olympus_rules.syntax import disk

FOLDER = Path(__file__).parent / "packs"
# Modules of the standard library that keep, copy and hand over what they get.
CONTAINERS = frozenset(
    {"builtins", "collections", "contextlib", "copy", "dataclasses", "functools", "itertools", "types", "typing"}
)
WORDS = ("transform", "result", "containers", "counting")
"""Sections that say one word of a function."""
_KEYS = re.compile(rb"^(?:sinks|folds|seeds|makes|gives) =", re.M)
PYTHON = "python"  # the pack of the builtins, by their bare names, and of the standard library


class Libraries:
    """The models of all library functions by qualified name; builtins have their bare name or ``builtins``."""

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
        self._models: dict[str, Model] = {}
        self._functions: dict[str, LibraryFunction] = {}
        self._inspected: set[str] = set()
        self._prefixes: tuple[str, ...] = ()
        self._silencing: set[str] = set()
        self._forwarded: set[str] = set()
        self._copying: set[str] = set()
        self._words: dict[str, dict[str, Any]] = {section: {} for section in WORDS}
        self._returned: dict[str, str] = {}
        self._fields: dict[str, tuple[str, ...]] = {}
        self._arrays: dict[str, set[str]] = {word: set() for word in LISTS["arrays"]}
        self._conversions: dict[str, Conversion] = {}
        self._array_modules: tuple[str, ...] = ()
        self._packs: dict[str, list[Pack]] = {}
        self._of_roots: dict[frozenset[str], list[Pack]] = {}
        self._support: dict[str, Support] = {}
        self._raw: set[str] = set()
        self._claimed: frozenset[str] = frozenset()
        for pack in packs:
            self._add(pack)
        self._claimed = frozenset().union(*(pack.spoken_of() for found in self._packs.values() for pack in found))
        self._needed = set(self._files)

    @property
    def packages(self) -> frozenset[str]:
        """Return the import names of the packages that have a pack."""
        return frozenset(self._files).union(self._packs)

    @cached_property
    def of_keys(self) -> frozenset[str]:
        """The packages that take, make or keep keys. Packs that were not needed are searched, which costs less."""
        found = {root for root, paths in self._files.items() for path in paths if _KEYS.search(path.read_bytes())}
        for root, packs in self._packs.items():
            rows = (row for pack in packs for row in (*pack.functions, *pack.methods))
            if any(row.sinks or row.folds or row.seeds or row.makes or row.gives for row in rows):
                found.add(root)
        return frozenset(found)

    def knows(self, qualified: str) -> bool:
        """Return whether a name is Python's own, or of a package that has a pack."""
        root = qualified.partition(".")[0]
        return root == "builtins" or root in sys.stdlib_module_names or root in self.packages

    def _add(self, pack: Pack) -> None:
        """Index a pack, without what an earlier one has claimed."""
        claimed = self._claimed
        self._functions |= {row.qualified: row for row in pack.functions if row.qualified not in claimed}
        looking = {row.qualified for row in pack.functions if row.inspects}
        self._inspected |= looking.union(pack.listed("inspect", "names")) - claimed
        self._prefixes += pack.listed("inspect", "prefixes")
        self._silencing |= set(pack.listed("silent", "names")) - claimed
        self._copying |= set(pack.listed("forward", "copies")) - claimed
        self._forwarded |= set(pack.listed("forward", "names")).union(pack.listed("forward", "copies")) - claimed
        self._returned |= {name: called for name, called in pack.returns.items() if name not in claimed}
        self._fields |= {name: names for name, names in pack.fields.items() if name not in claimed}
        for section, words in self._words.items():
            for word in LISTS[section]:
                words |= {name: word for name in pack.listed(section, word) if name not in claimed}
        self._conversions |= {name: row for name, row in pack.conversions.items() if name not in claimed}
        for word, names in self._arrays.items():
            names |= set(pack.listed("arrays", word)) - claimed
        self._array_modules += tuple(f"{module}." for module in pack.listed("arrays", "modules"))
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
            self._of_roots.clear()
            for path in self._files[root]:
                self._add(read(str(path), path.read_text("utf-8")))

    def get(self, qualified: str) -> Model:
        """Return the model of a callable; it says nothing of one that no pack speaks of."""
        found = self._models.get(qualified)
        if found is None:
            found = self._models[qualified] = self._model(qualified.removeprefix("builtins."))
        return found

    def _model(self, name: str) -> Model:
        root = name.partition(".")[0]
        is_builtin = hasattr(builtins, name)  # and not the name of a package
        self._need(PYTHON if is_builtin or root in sys.stdlib_module_names else root)
        by_prefix = name.startswith(self._prefixes) and name not in self._claimed
        row, forwards, arrays = self._functions.get(name), name in self._forwarded, self._arrays
        transform = TRANSFORMATIONS.get(self._words["transform"].get(name, ""))
        result = self._words["result"].get(name)
        if result is None and transform is not None:
            result = transform.result
        if result is None and (forwards or (row is not None and row.forwards)):
            result = "same"
        return Model(
            qualified=name,
            row=row,
            inspects=name in self._inspected or by_prefix,
            silences=name in self._silencing,
            forwards=forwards,
            copies=name in self._copying,
            returns=self._returned.get(name),
            fields=self._fields.get(name, ()),
            transform=transform,
            typed_keys="yes" if is_builtin else self._typed_keys(name, root),
            result=result or self._of_module("result", name),
            container=self._words["containers"].get(name) or self._of_module("containers", name),
            counting=self._words["counting"].get(name, ""),
            makes_arrays=name.startswith(self._array_modules),
            conversion=self._conversions.get(name),
            takes_keys=name in arrays["takes-keys"],
            added_axes=1 if name in arrays["stacks"] else 0 if name in arrays["aligned"] else None,
            fits=name in arrays["fits"],
            takes_lists=name in arrays["takes-lists"],
            shaped=name in arrays["shaped"],
            joins=name in arrays["joins"] or (transform is not None and transform.joins),
        )

    def _of_module(self, section: str, name: str) -> Any:
        """Return the word that a section has for all functions of a module: for ``jax.lax.*``, or for ``jax.*``."""
        words, module = self._words[section], name
        while module:
            if f"{module}.*" in words:
                return words[f"{module}.*"]
            module = module.rpartition(".")[0]
        return words.get("builtins.*") if hasattr(builtins, name) else None

    def _typed_keys(self, name: str, root: str) -> Support:
        """Return whether a callable takes typed keys as it takes raw ones.

        JAX does, and so do the containers and iterators of Python. What Python's modules for storing and hashing
        make of a key is unknown, like a library whose packs have no ``[typed-keys]``.
        """
        if name in self._raw:
            return "no"
        if root in CONTAINERS:
            return "yes"
        return self._support.get(root, "unknown")

    def methods(self, libraries: Iterable[str], kind: str, what: str = "methods") -> frozenset[str]:
        """Return methods of the objects of some libraries.

        Args:
            libraries: import names, such as ``flax``.
            kind: ``fold`` for methods that derive keys from the one they are given, by folding in, and may leave it
                alone; ``inspect`` for methods that consume no key.
            what: ``streams`` for the arguments of these methods that take keys, or dictionaries of keys; ``modules``
                for the functions that make a module of a function; ``states`` for those that read a module's state;
                ``initialising`` for those of the methods that call a function with a key; ``parameters`` for the
                streams from which a module draws its first parameters; ``variables`` for what is given like a stream
                and names variables that no key is drawn for.
        """
        return frozenset(name for pack in self._of(libraries) for name in pack.listed(kind, what))

    def method_rows(self, libraries: Iterable[str]) -> dict[str, list[LibraryFunction]]:
        """Return the rows of methods of the objects of some libraries, by name; several may have one name."""
        found: dict[str, list[LibraryFunction]] = {}
        for pack in self._of(libraries):
            for row in pack.methods:
                found.setdefault(row.qualified, []).append(row)
        return found

    def drawing(self, libraries: Iterable[str]) -> frozenset[str]:
        """Return the last names of the functions of some libraries that draw, or give a key to draw from."""
        rows = (row for pack in self._of(libraries) for row in pack.functions if row.makes or row.sinks)
        return frozenset(row.qualified.rpartition(".")[2] for row in rows if not _is_of_generator(row))

    def giving(self, libraries: Iterable[str]) -> frozenset[str]:
        """Return the last names of the functions of some libraries, and methods of their objects, that give a key."""
        rows = (row for pack in self._of(libraries) for row in (*pack.functions, *pack.methods) if row.makes)
        return frozenset(row.qualified.rpartition(".")[2] for row in rows if not _is_of_generator(row))

    def hides(self, libraries: Iterable[str]) -> bool:
        """Return whether functions of some libraries draw from hidden state, or give a key from there."""
        return any(row.makes or row.instead for pack in self._of(libraries) for row in pack.functions)

    def lifted(self, libraries: Iterable[str]) -> dict[str, str]:
        """Return the words under which some libraries list arguments of maps of modules, and layers."""
        packs = self._of(libraries)
        return {name: word for pack in packs for word in LISTS["lifted"] for name in pack.listed("lifted", word)}

    def copies(self, libraries: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return the methods of the objects of some libraries that give a changed copy, with the fields that change."""
        return {name: fields for pack in self._of(libraries) for name, fields in pack.copies.items()}

    def documented(self, text: str) -> list[Documented]:
        """Return the functions of libraries, and the methods of their objects, that use keys up and are in a text."""
        for root in self._files:
            self._need(root)
        packs = {id(pack): pack for packs in self._packs.values() for pack in packs}.values()
        rows = [(root, row) for pack in packs for row in pack.methods for root in pack.roots]
        rows += [("", row) for pack in packs for row in pack.functions]
        rows += [
            ("", replace(row, qualified=f"{maker}{CALL}"))  # what an initializer of flax gives is one of JAX
            for maker, made in self._returned.items()
            if made.endswith(CALL) and (row := self._functions.get(made)) is not None
        ]
        return [
            Documented(package, row.qualified, row.parameters, (*row.sinks, *row.folds), row.seeds)
            for package, row in rows
            if (row.sinks or row.folds) and row.qualified.removesuffix(CALL).rpartition(".")[2] in text
        ]

    def takes_keys(self, libraries: Iterable[str], text: str) -> bool:
        """Return whether a text mentions a function or method of some libraries that consumes keys."""
        rows = (row for pack in self._of(libraries) for row in (*pack.functions, *pack.methods))
        return any(row.sinks and row.qualified.rpartition(".")[2] in text for row in rows)

    def _of(self, libraries: Iterable[str]) -> list[Pack]:
        """Return the packs that speak of some libraries."""
        known = frozenset(root for root in libraries if root in self._needed or root in self._packs)
        if known not in self._of_roots:
            for root in sorted(known):
                self._need(root)
            packs = [pack for root in sorted(known) for pack in self._packs.get(root, ())]
            self._of_roots[known] = list({id(pack): pack for pack in packs}.values())
        return self._of_roots[known]


def _is_of_generator(row: LibraryFunction) -> bool:
    """Return whether a row is of a method of objects that give keys, whose name says nothing without the object."""
    return bool(row.makes) and row.qualified.rpartition(".")[0].rpartition(".")[2][:1].isupper()


def package_of(path: Path) -> str:
    """Return the package that a file of the shipped packs speaks of, ``jax`` for ``jax.random.toml``."""
    return path.stem.partition(".")[0]


def read_pack(path: Path) -> Pack:
    """Read a user's signature pack.

    Raises:
        ValueError: it cannot be read, or something in it is wrong.
    """
    try:
        text = disk.read(path).decode()
    except OSError as error:
        raise ValueError(f"{path} cannot be read ({error.strerror}); name one that can be read") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not encoded in UTF-8; save it so") from None
    except ValueError as error:  # no name of a file
        raise ValueError(f"{path} cannot be read ({error}); name a file that can") from None
    return read(str(path), text)


def shipped() -> list[Path]:
    """Return the files of the packs that come with this package."""
    return sorted(FOLDER.glob("*.toml"))


@cache
def libraries(packs: tuple[str, ...] = (), without: str = "") -> Libraries:
    """Return the models of this package's packs and of the user's.

    Args:
        packs: the paths of the user's packs; what they say of a name wins.
        without: a package that no pack is to speak of, because its source is looked at.

    Raises:
        ValueError: a pack cannot be read, or something in it is wrong.
    """
    read = [read_pack(Path(path)) for path in packs]
    return Libraries([pack for pack in read if without not in pack.roots], FOLDER, without)
