"""A package on disk: its place, its modules, and the names under which users reach its definitions."""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

TEST_FOLDERS = frozenset({"test", "tests", "testing"})
TEST_FILE = re.compile(r"(test_.*|.*_test|conftest|__main__|setup)\.py")
STEPS = 10  # from module to module, for a name that each of them re-exports


class PackageError(Exception):
    """A package has no readable source; the message says the place, the cause and the next step."""


@dataclass(frozen=True, slots=True)
class Package:
    """A package whose source was found.

    Attributes:
        name: its import name.
        version: the version of its distribution, empty if unknown.
        files: its modules by their qualified names, tests left out.
    """

    name: str
    version: str
    files: dict[str, Path]


@dataclass(slots=True)
class Module:
    """The names that a module offers to its importers.

    Attributes:
        name: its qualified name.
        is_package: whether it is an ``__init__``.
        exported: its ``__all__``, ``None`` if it has none that the text spells out.
        defined: the names of its functions, classes and variables.
        imported: names bound by imports, with their qualified names.
        stars: the modules from which it imports everything.
    """

    name: str
    is_package: bool
    exported: list[str] | None = None
    defined: list[str] = field(default_factory=list)
    imported: dict[str, str] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)


def find_package(given: str) -> Package:
    """Find a package by its import name in this environment, or by the path of its folder; nothing is imported.

    Raises:
        PackageError: there is none, or none with Python source.
    """
    path = Path(given)
    place = path.resolve() if len(path.parts) > 1 or not given.isidentifier() else _installed(given)
    if place is None and path.is_dir():
        place = path.resolve()
    if place is None:
        raise PackageError(
            f"{given}: is no package of this Python environment; check the spelling, run olympus-lint in the "
            "environment that has it, or give the path of its folder."
        )
    if not place.exists():
        raise PackageError(f"{given}: does not exist; give the path of a package's folder, or an import name.")
    is_folder = place.is_dir()
    if is_folder and not (place / "__init__.py").is_file():
        raise PackageError(f"{given}: {place} has no __init__.py; give the path of a folder that has one.")
    if not is_folder and place.suffix != ".py":
        raise PackageError(
            f"{given}: {place} is no Python source; write a pack by hand, as the documentation explains."
        )
    name = place.name if is_folder else place.stem
    files = dict(_files(place, name)) if is_folder else {name: place}
    return Package(name, _version(place), files)


def _installed(name: str) -> Path | None:
    try:
        spec = importlib.util.find_spec(name)  # imports nothing for a name without dots
    except (ImportError, ValueError):
        return None
    if spec is None:
        return None
    if spec.origin is None or spec.origin in ("built-in", "frozen"):
        folder = next(iter(spec.submodule_search_locations or ()), None)
        if folder is None:
            raise PackageError(f"{name}: is built into Python and has no source; write a pack by hand.")
        return Path(folder)
    return Path(spec.origin).parent if spec.submodule_search_locations is not None else Path(spec.origin)


def _files(folder: Path, name: str) -> Iterator[tuple[str, Path]]:
    """Return the modules under a package's folder in the order of their names."""
    for entry in sorted(folder.iterdir()):
        if entry.is_dir() and entry.name.isidentifier() and entry.name not in TEST_FOLDERS:
            yield from _files(entry, f"{name}.{entry.name}")
        elif entry.name == "__init__.py":
            yield name, entry
        elif entry.suffix == ".py" and entry.stem.isidentifier() and not TEST_FILE.fullmatch(entry.name):
            yield f"{name}.{entry.stem}", entry


def _version(place: Path) -> str:
    """Return the version of the distribution beside a package that contains it."""
    for distribution in metadata.distributions(path=[str(place.parent)]):
        top = (distribution.read_text("top_level.txt") or "").split()
        held = place.stem in top or any(file.parts[0] in (place.name, place.stem) for file in distribution.files or ())
        if held:
            return distribution.version
    return ""


def exports(tree: ast.Module) -> list[str] | None:
    """Return the ``__all__`` of a module, ``None`` if it has none that its text spells out."""
    found: list[str] | None = None
    for statement in tree.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        if not any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
            continue
        value = getattr(statement, "value", None)
        names = value.elts if isinstance(value, ast.List | ast.Tuple) else [value]
        texts = [name.value for name in names if isinstance(name, ast.Constant) and isinstance(name.value, str)]
        if len(texts) < len(names):
            return None
        found = (found or []) + texts
    return found


def public_names(modules: dict[str, Module]) -> dict[str, str]:
    """Return every public name, with the module-level name that it leads to.

    Both sides are qualified. A module is public when no part of its name starts with an underscore.
    """
    found: dict[str, str] = {}
    for module in modules.values():
        if "._" not in module.name:
            found |= _names_of(modules, module, module.name, STEPS)
    return found


def _names_of(modules: dict[str, Module], module: Module, known_as: str, steps: int) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in _shown(modules, module, STEPS):
        target = definition(modules, f"{module.name}.{name}")
        if target in modules:
            if f"{known_as}.{name}" not in modules and steps:  # the module has another name here
                found |= _names_of(modules, modules[target], f"{known_as}.{name}", steps - 1)
        elif target is not None:
            found[f"{known_as}.{name}"] = target
    return found


def _shown(modules: dict[str, Module], module: Module, steps: int) -> list[str]:
    """Return the names that a module offers: ``__all__``, or else its definitions (and imports in an ``__init__``)."""
    names = list(module.defined) if module.exported is None else module.exported
    if module.exported is None and module.is_package and steps:
        inside = module.name.partition(".")[0] + "."
        names += [name for name, target in module.imported.items() if f"{target}.".startswith(inside)]
        names += [n for star in module.stars if star in modules for n in _shown(modules, modules[star], steps - 1)]
    return [name for name in dict.fromkeys(names) if not name.startswith("_")]


def definition(modules: dict[str, Module], qualified: str, steps: int = STEPS) -> str | None:
    """Return the name under which the package defines a qualified name, if it does."""
    holder, _, name = qualified.rpartition(".")
    module = modules.get(holder)
    if module is None:
        outer = definition(modules, holder, steps - 1) if holder and steps else None
        if outer is None or outer == holder:
            return qualified if qualified in modules else None
        return definition(modules, f"{outer}.{name}", steps - 1)
    if name in module.defined:
        return qualified
    if name in module.imported and steps and module.imported[name] != qualified:
        return definition(modules, module.imported[name], steps - 1)
    if qualified in modules:
        return qualified
    stars = (definition(modules, f"{star}.{name}", steps - 1) for star in module.stars if steps and star in modules)
    return next((found for found in stars if found is not None), None)
