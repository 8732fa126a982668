"""What library functions do with keys: one TOML file per library, loaded into one table.

``jax.toml`` explains the format. Adding a library is adding a file.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from olympus.signature import Forward, KeySignature, Sink, Source

__all__ = ["LibraryFunction", "SignatureTable", "read_pack", "signatures"]


@dataclass(frozen=True, slots=True)
class LibraryFunction:
    """The row of one library function.

    Attributes:
        qualified: its qualified name, for example ``jax.random.normal``.
        parameters: the names of the parameters that may be given by position, in order.
        keywords: the names of the keyword-only parameters.
        sinks: the parameters whose key it consumes.
        draw: which streams of the key a sampler reads; two draws from one key share their bits when these
            words are equal. ``None`` for what is no sampler.
        derive: ``split``, ``fold_in`` or ``clone`` when the result is derived from the first parameter.
        seed: ``typed`` or ``raw`` when the result is a key made from a seed.
        wrap: whether a forwarded buffer comes out as a typed key.
        unwrap: whether a forwarded typed key comes out as its buffer.
        inspects: the parameters whose key it looks at without consuming it.
        forwards: the parameters that come out as the result, with their key identity.
    """

    qualified: str
    parameters: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    sinks: tuple[str, ...] = ()
    draw: str | None = None
    derive: str | None = None
    seed: str | None = None
    wrap: bool = False
    unwrap: bool = False
    inspects: tuple[str, ...] = ()
    forwards: tuple[str, ...] = ()

    def key_signature(self) -> KeySignature:
        """Return the same knowledge in the type that project functions have."""
        sources: tuple[Source, ...] = ()
        if self.seed:
            sources = (Source("", via="seed"),)
        elif self.derive:
            sources = (Source("[*]" if self.derive == "split" else "", parent=self.parameters[0], via=self.derive),)
        return KeySignature(
            parameters=self.parameters + self.keywords,
            sinks=tuple(Sink(name) for name in self.sinks),
            sources=sources,
            forwards=tuple(Forward("", name) for name in self.forwards),
        )


class SignatureTable:
    """The rows of all libraries by qualified name; builtins go by their bare name or under ``builtins``."""

    def __init__(
        self,
        functions: Iterable[LibraryFunction] = (),
        inspect_names: Iterable[str] = (),
        inspect_prefixes: Iterable[str] = (),
        forward_names: Iterable[str] = (),
        methods: Mapping[str, Mapping[str, Iterable[str]]] | None = None,
    ) -> None:
        """Index the rows.

        Args:
            functions: one row for each function that is described parameter by parameter.
            inspect_names: callables that consume no key that they are given.
            inspect_prefixes: beginnings of the names of such callables.
            forward_names: callables that return their first argument unchanged.
            methods: by library and then by ``folds`` or ``inspect``, methods of the library's objects.
        """
        self._methods = methods or {}
        self._functions = {function.qualified: function for function in functions}
        inspectors = {function.qualified for function in self._functions.values() if function.inspects}
        self._inspect_names = frozenset(inspectors.union(inspect_names))
        self._inspect_prefixes = tuple(inspect_prefixes)
        self._forward_names = frozenset(forward_names)

    @property
    def functions(self) -> tuple[LibraryFunction, ...]:
        """Return every row, in the order of the files."""
        return tuple(self._functions.values())

    @property
    def names(self) -> frozenset[str]:
        """Return every name in the table, prefixes left out."""
        return self._inspect_names | self._forward_names | self._functions.keys()

    def get(self, qualified: str) -> LibraryFunction | None:
        """Return the row of a function, ``None`` when no library file describes it."""
        return self._functions.get(qualified)

    def inspects(self, qualified: str) -> bool:
        """Say whether the callable is known to consume no key that it is given."""
        name = qualified.removeprefix("builtins.")
        return name in self._inspect_names or name.startswith(self._inspect_prefixes)

    def forwards(self, qualified: str) -> bool:
        """Say whether the callable returns its first argument unchanged, and consumes nothing."""
        return qualified in self._forward_names

    def methods(self, libraries: Iterable[str], kind: str) -> frozenset[str]:
        """Return methods of the objects of some libraries.

        Args:
            libraries: import names, such as ``flax``.
            kind: ``folds`` for methods that derive keys from the one they are given, by folding in, and may leave it
                alone; ``inspect`` for methods that consume no key.
        """
        return frozenset(name for library in libraries for name in self._methods.get(library, {}).get(kind, ()))


def read_tables(texts: dict[str, str]) -> SignatureTable:
    """Read library files.

    Args:
        texts: the TOML text of each file by its name.

    Raises:
        ValueError: a file is not TOML or has an unknown section or field; the message names file and field.
    """
    functions: list[LibraryFunction] = []
    methods: dict[str, dict[str, list[str]]] = {}
    lists: dict[tuple[str, str], list[str]] = {
        ("inspect", "names"): [],
        ("inspect", "prefixes"): [],
        ("forward", "names"): [],
    }
    for filename, text in texts.items():
        try:
            table = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise ValueError(f"{filename}: {error}") from error
        for qualified, row in table.pop("functions", {}).items():
            functions.append(_function(filename, qualified, row))
        methods[filename.removesuffix(".toml")] = table.pop("methods", {})
        if unknown := methods[filename.removesuffix(".toml")].keys() - {"folds", "inspect"}:
            raise ValueError(f"{filename}: unknown field {min(unknown)!r} of section 'methods'")
        for section, entries in table.items():
            for field, names in entries.items():
                if (section, field) not in lists:
                    raise ValueError(f"{filename}: unknown field {field!r} of section {section!r}")
                lists[section, field] += names
    return SignatureTable(
        functions, lists["inspect", "names"], lists["inspect", "prefixes"], lists["forward", "names"], methods
    )


def _function(filename: str, qualified: str, row: dict[str, Any]) -> LibraryFunction:
    known = {field.name for field in fields(LibraryFunction)} - {"qualified"}
    for field, value in row.items():
        if field not in known:
            raise ValueError(f"{filename}: unknown field {field!r} of {qualified}")
        if isinstance(value, list):
            row[field] = tuple(value)
    return LibraryFunction(qualified, **row)


def read_pack(path: Path) -> str:
    """Return the text of a user's signature pack, which is right.

    Raises:
        ValueError: it cannot be read, or something in it is wrong.
    """
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise ValueError(f"{path} cannot be read ({error.strerror}); name a file that can") from None
    read_tables({str(path): text})
    return text


@cache
def signatures(packs: tuple[str, ...] = ()) -> SignatureTable:
    """Return the table of every library file of this package and of the user's packs, read once.

    Args:
        packs: the paths of the user's packs; their rows win over the package's.
    """
    folder = Path(__file__).parent
    texts = {path.name: path.read_text("utf-8") for path in sorted(folder.glob("*.toml"))}
    return read_tables(texts | {path: read_pack(Path(path)) for path in packs})
