"""Which names may stand for classes with ``__jax_array__``, or for functions of keys, by the text of their files.

Nothing is parsed. A file counts as a whole: what it defines may be such a class, or make objects of one. Names that
other files pass on, and classes with such a base, are followed from file to file.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, TypeAlias, TypeVar

from olympus_rules.syntax import disk
from olympus_rules.syntax.imports import DEFAULT_ROOTS, imports_in
from olympus_rules.syntax.prefilter import may_hold_keys
from olympus_rules.syntax.project import Location, in_project, locate, locate_name, module_file

STEPS = 8  # from file to file, for a name that each of them passes on or inherits

_DEFINITION = re.compile(rb"def __jax_array__\b|\b__jax_array__\s*=[^=]")
# Variables of flax.nnx, in a file that may hand them to jax.lax; one that makes keys is looked at anyway.
_VARIABLES = re.compile(rb"\bnnx\.(?:Param|Variable|BatchStat|Cache|Intermediate|Perturbation)\b")
_SOURCE = re.compile(rb"\n[ \t]*(?:from[ \t]+(\.|\w+)|import[ \t]+([\w., \t]+))")
_CLASS = re.compile(rb"\nclass[ \t]+(\w+)[ \t]*(?:\(([^)]*)\))?")
_KEYS = re.compile(rb"rng|key\b(?!s?\()")
_DOTTED = re.compile(rb"(?<![\w.=])([A-Za-z_][\w.]*)(?!\s*=)")


Names: TypeAlias = tuple[tuple[str, ...], frozenset[str]]
"""What makes keys: the names of the JAX namespace, and packages of functions of keys."""
Glimpse: TypeAlias = tuple[str, Names | None]
"""What is looked for in a text: a name of it, :data:`KEYS` with what makes them, or :data:`ARRAYS`."""
KEYS, ARRAYS = "?keys", "?arrays"
Found = TypeVar("Found")

_glimpses: dict[str, dict[Glimpse, str]] = {}  # what the texts of files have shown, by path


class Outline(NamedTuple):
    """What the text of a file shows.

    Attributes:
        defines: whether a class of it defines ``__jax_array__``.
        classes: the names in the bases of each class.
        imports: local names and what they stand for; names of star imports are left to ``stars``.
        stars: the modules of star imports.
    """

    defines: bool
    classes: dict[str, tuple[str, ...]]
    imports: dict[str, str]
    stars: tuple[str, ...]


def defines_arrays(data: bytes) -> bool:
    """Return whether a file defines ``__jax_array__``."""
    return b"__jax_array__" in data and _DEFINITION.search(data) is not None


def makes_variables(data: bytes) -> bool:
    """Return whether a file makes variables of flax.nnx and names ``lax``, which does not take them."""
    return b"lax" in data and b"nnx." in data and _VARIABLES.search(data) is not None


def may_hold_arrays(data: bytes, path: Path, roots: Iterable[str] = DEFAULT_ROOTS) -> bool:
    """Return whether a file names a JAX namespace and defines or imports what may be a class with ``__jax_array__``.

    Args:
        data: the file's bytes.
        path: where it lies, or would lie.
        roots: the names under which the JAX namespace may be imported.
    """
    if not any(root.partition(".")[0].encode() in data for root in roots):
        return False
    if defines_arrays(data) or makes_variables(data):
        return True
    place = locate(disk.absolute(path))
    if not any(has_arrays(place.roots, head) for head in _heads(data, place)):
        return False
    return any(stands_for(place.roots, qualified) for _, qualified in imports_in(data, place))


def may_borrow_keys(
    data: bytes, path: Path, roots: Iterable[str] = DEFAULT_ROOTS, packages: frozenset[str] = frozenset()
) -> bool:
    """Return whether a file names a key and imports something from a file of the project that may hold keys.

    Such a file need not name a JAX namespace: it hands keys from one function of the project to another.

    Args:
        data: the file's bytes.
        path: where it lies, or would lie.
        roots: the names under which the JAX namespace may be imported.
        packages: the packages that make or take keys.
    """
    if _KEYS.search(data) is None:
        return False
    place = locate(disk.absolute(path))
    names = tuple(roots), packages
    return any(_holds_keys(place.roots, qualified, names) for _, qualified in imports_in(data, place))


@lru_cache(maxsize=32768)
def _holds_keys(roots: tuple[Path, ...], qualified: str, names: Names, steps: int = STEPS) -> bool:
    """Return whether a qualified name is defined in a file of the project that may hold keys."""
    place = locate_name(roots, qualified) if in_project(roots, qualified.partition(".")[0]) else None
    if place is None:
        return False
    if _file_holds_keys(place[0], names):
        return True
    imported = None if steps == 0 else _shown(place[0], place[1].partition(".")[0]).imported
    return imported is not None and _holds_keys(locate(place[0]).roots, imported, names, steps - 1)


@lru_cache(maxsize=8192)
def _file_holds_keys(path: Path, names: Names) -> bool:
    return _noted(path, (KEYS, names), may_hold_keys(_bytes_of(path), *names))


def _bytes_of(path: Path) -> bytes:
    """Return the bytes of a file, none of one that cannot be read."""
    with contextlib.suppress(OSError):
        return disk.read(path)
    return b""


def _heads(data: bytes, place: Location) -> set[str]:
    """Return the top-level packages and modules that a file imports from."""
    heads: set[str] = set()
    for source, names in _SOURCE.findall(b"\n" + data):
        if source.startswith(b"."):
            heads.add(place.module.partition(".")[0])
        elif source:
            heads.add(source.decode())
        else:
            heads.update(part.strip().partition(".")[0] for part in names.decode().split(","))
    return heads


def imported_names(data: bytes, place: Location) -> dict[str, str]:
    """Return what a file's looking for such classes rests on: qualified names, each with a local name.

    These are the packages of the project that it imports from, and all names from those that have such a class.
    """
    found: dict[str, str] = {}
    for name, qualified in imports_in(data, place):
        head = qualified.partition(".")[0]
        if in_project(place.roots, head):
            found.setdefault(head, head)
            if has_arrays(place.roots, head):
                found.setdefault(qualified, name or head)
    return found


@lru_cache(maxsize=4096)
def has_arrays(roots: tuple[Path, ...], head: str) -> bool:
    """Return whether some file of a top-level package or module of the project defines ``__jax_array__``."""
    top = module_file(roots, head)
    if top is None:
        return False
    return _folder_defines(top.parent) if top.name == "__init__.py" else True


@lru_cache(maxsize=256)
def _folder_defines(folder: Path) -> bool:
    return any(_file_defines(path) for path in _files(folder))


def _files(folder: Path) -> Iterator[Path]:
    """Yield the Python files under a folder; links to folders are not followed."""
    with contextlib.suppress(OSError):
        for name in sorted(disk.names(folder)):
            path = folder / name
            if name.endswith(".py"):
                yield path
            elif not disk.is_link(path) and disk.is_folder(path):
                yield from _files(path)


def _file_defines(path: Path) -> bool:
    return _noted(path, (ARRAYS, None), defines_arrays(_bytes_of(path)))


@lru_cache(maxsize=32768)
def stands_for(roots: tuple[Path, ...], qualified: str, steps: int = STEPS) -> bool:
    """Return whether a qualified name may be a class with ``__jax_array__``, or be defined beside one.

    Args:
        roots: the folders in which absolute imports are looked for.
        qualified: for example ``pkg.params.Param``.
        steps: how many more files are looked at on the way.
    """
    if steps == 0 or not has_arrays(roots, qualified.partition(".")[0]):
        return False
    module = module_file(roots, qualified)
    if module is not None:
        return _shown(module, "").defines
    place = locate_name(roots, qualified)
    return place is not None and _in_file(place[0], place[1].partition(".")[0], steps)


def _in_file(path: Path, name: str, steps: int) -> bool:
    shown = _shown(path, name)
    if shown.defines:
        return True
    if shown.bases is not None:
        return steps > 1 and any(_base(path, base, steps - 1) for base in shown.bases)
    roots = locate(path).roots
    if shown.imported is not None:
        return stands_for(roots, shown.imported, steps - 1)
    return any(stands_for(roots, f"{star}.{name}", steps - 1) for star in shown.stars)


def _base(path: Path, base: str, steps: int) -> bool:
    head, _, rest = base.partition(".")
    shown = _shown(path, head)
    if shown.imported is not None:
        return stands_for(locate(path).roots, f"{shown.imported}.{rest}".rstrip("."), steps)
    return (shown.bases is not None or bool(shown.stars)) and _in_file(path, head, steps)


class Shown(NamedTuple):
    """What the text of a file shows of a name.

    Attributes:
        defines: whether a class of the file defines ``__jax_array__``; then nothing else is looked at.
        bases: the names in the bases of the class of that name; ``None`` if there is no such class.
        imported: what the name is imported from; ``None`` if it is not.
        stars: the modules of star imports.
    """

    defines: bool
    bases: tuple[str, ...] | None
    imported: str | None
    stars: tuple[str, ...]


@lru_cache(maxsize=32768)
def _shown(path: Path, name: str) -> Shown:
    outline = _outline(path)
    found = Shown(outline.defines, outline.classes.get(name), outline.imports.get(name), outline.stars)
    return _noted(path, (name, None), found)


@lru_cache(maxsize=8192)
def _outline(path: Path) -> Outline:
    data = _bytes_of(path)
    if defines_arrays(data):  # all of it counts
        return Outline(True, {}, {}, ())
    imports = list(imports_in(data, locate(path)))
    classes = {
        name.decode(): tuple(base.decode() for base in _DOTTED.findall(bases))
        for name, bases in _CLASS.findall(b"\n" + data)
    }
    names = {name: qualified for name, qualified in imports if name != "*"}
    return Outline(False, classes, names, tuple(q for name, q in imports if name == "*"))


def _noted(path: Path, glimpse: Glimpse, found: Found) -> Found:
    """Note what a text has shown, and return it."""
    _glimpses.setdefault(str(path), {})[glimpse] = repr(found)
    return found


def glimpses() -> dict[str, dict[Glimpse, str]]:
    """Return what the texts of files have shown, by path, and forget it."""
    taken = dict(_glimpses)
    _glimpses.clear()
    return taken


def shows_the_same(path: str, known: Mapping[Glimpse, str]) -> bool:
    """Return whether the text of a file still shows what it has shown."""
    file = Path(path)
    for what, names in known:
        if what == ARRAYS:
            _file_defines(file)
        elif what == KEYS and names is not None:
            _file_holds_keys(file, names)
        else:
            _shown(file, what)
    return known.items() <= _glimpses.get(path, {}).items()


def forget_outlines() -> None:
    """Forget what files hold; they may have changed since."""
    for remembered in (_outline, _shown, stands_for, has_arrays, _folder_defines, _file_holds_keys, _holds_keys):
        remembered.cache_clear()
