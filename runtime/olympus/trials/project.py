"""Modules of a project that consist of their definitions: an import among these executes no module as it is."""

from __future__ import annotations

import builtins
import site
import sys
import sysconfig
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from olympus.trials.definitions import read
from olympus.trials.execution import Absent
from olympus.trials.limits import Expired
from olympus.trials.modules import import_failed
from olympus.witness.execution import is_there


class Builtins(dict[str, Any]):
    """The builtins of a module: a name that is neither there nor in the module is absent."""

    def __missing__(self, name: str) -> Any:
        raise Absent(name)


class Project:
    """Imports modules for the definitions of a project: its own ones as definitions, frameworks, and Python's.

    What these have imported may be imported, too. It is a finder of modules, as ``sys.meta_path`` has them.
    """

    def __init__(self, folders: Sequence[Path], frameworks: Collection[str], libraries: Collection[str]) -> None:
        """Take what there is.

        Args:
            folders: where the modules of the project are looked for.
            frameworks: the frameworks that may be imported.
            libraries: the packages whose functions a module may call, frameworks among them.
        """
        self.folders, self.frameworks = folders, frameworks
        self.libraries = {name for name in libraries if not self.has(name)}
        self.texts: dict[Path, str] = {}  # of files that are not read from disk
        self.is_asked = False  # whether a module of the project is imported, by the project

    def definitions(self, file: Path, text: str, module: str) -> ModuleType:
        """Return the module of a file.

        Args:
            file: its path.
            text: its source.
            module: its name.

        Raises:
            SyntaxError: it is no Python of this version.
        """
        sys.meta_path.insert(0, self)
        self.texts[file] = text
        if module.partition(".")[0] not in sys.stdlib_module_names:
            with suppress(Exception, Absent), self.asking(own=True):
                found = import_module(module)
                if found.__file__ == str(file) and isinstance(found.__loader__, Definitions):
                    return found
        own = self.spec(f"definitions of {module}", file)  # a script may have the name of another module
        made = sys.modules[own.name] = module_from_spec(own)
        Definitions(self, file).exec_module(made)
        return made

    def __call__(self, name: str, around: Any = None, inside: Any = None, wanted: Any = (), level: int = 0) -> Any:
        """Import a module, as ``__import__`` does.

        Raises:
            Absent: the project may not import it here.
        """
        root = name.partition(".")[0]
        there = sys.modules.get(root)
        own = level > 0 or self.has(root) or (there is None and self.is_beside(root))
        if own:
            is_other = there is not None and not isinstance(getattr(there, "__loader__", None), Definitions)
            allowed = level > 0 or not (is_other or root in sys.stdlib_module_names)
        else:
            allowed = there is not None or root in sys.stdlib_module_names or self.missing(root) is None
        if not allowed:
            raise Absent(f"the module {name}")
        with self.asking(own=own):
            return __import__(name, around, inside, wanted, level)

    @contextmanager
    def asking(self, *, own: bool) -> Iterator[None]:
        """Find modules of the project, or none of them."""
        before, self.is_asked = self.is_asked, own
        try:
            yield
        finally:
            self.is_asked = before

    def missing(self, package: str) -> str | None:
        """Import a framework; return why that is not possible."""
        if self.has(package):
            return f"{package} is a module of the project, which `--trace` does not import"
        if package not in self.frameworks:
            return f"{package} is no framework that is known"
        with self.asking(own=False):
            return why_not(package)

    def has(self, name: str) -> bool:
        """Return whether the project has a module or package of a name, which Python prefers to what is installed."""
        files = (f"{name}.py", f"{name}/__init__.py")
        return any(is_there(folder / file) for folder in self.folders for file in files)

    def is_beside(self, name: str) -> bool:
        """Return whether the project has a folder of a name that nothing else has."""
        return name not in self.frameworks and any((folder / name).is_dir() for folder in self.folders)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Find a module of the project."""
        places = [folder.joinpath(*name.split(".")) for folder in self.folders if self.is_asked]
        for place in places:
            for file in (place / "__init__.py", place.with_suffix(".py")):
                if is_there(file):
                    return self.spec(name, file)
        return next((self.spec(name, place / "__init__.py") for place in places if place.is_dir()), None)

    def spec(self, name: str, file: Path) -> ModuleSpec:
        """Return what Python needs to make a module of a file, which may be absent in a package."""
        is_package = file.name == "__init__.py"
        found = ModuleSpec(name, Definitions(self, file), origin=str(file), is_package=is_package)
        found.has_location = True
        if is_package:
            found.submodule_search_locations = [str(file.parent)]
        return found


class Definitions(Loader):
    """Makes a module of the definitions in a file, as loaders of modules do."""

    def __init__(self, project: Project, file: Path) -> None:
        self.project, self.file = project, file

    def create_module(self, spec: ModuleSpec) -> None:
        """Let the module be one as others."""

    def exec_module(self, module: ModuleType) -> None:
        """Execute the definitions."""
        names = vars(module)
        names["__builtins__"] = Builtins(vars(builtins), __import__=self.project)
        names["__getattr__"] = partial(self.other, module.__name__)
        text = self.project.texts.get(self.file)
        if text is None:
            text = self.file.read_text("utf-8") if is_there(self.file) else ""
        with self.project.asking(own=False):
            read(names, str(self.file), text, self.project.libraries, {"jax", *self.project.frameworks})

    def other(self, module: str, name: str) -> Any:
        """Return a module of a package that was not imported.

        Raises:
            Absent: there is none.
            AttributeError: it is a name that Python asks for.
        """
        if name.startswith("__"):
            raise AttributeError(name)
        with self.project.asking(own=True):
            if self.project.find_spec(f"{module}.{name}") is None:
                raise Absent(f"{module}.{name}")
            return import_module(f"{module}.{name}")


def why_not(name: str) -> str | None:
    """Import a framework from where JAX and other packages are installed; return why that is not possible."""
    try:
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            return f"{name} is not installed where JAX is"
        place = Path(spec.origin).parents[1 if spec.submodule_search_locations else 0]
        if place.resolve() not in installed():
            return f"{name} is imported from {place}, where no packages are installed"
        import_module(name)
    except Expired:
        raise
    except BaseException as error:
        return import_failed(name, error)
    return None


def installed() -> set[Path]:
    """Return the folders in which packages are installed, that of JAX among them."""
    import jax

    schemes = (sysconfig.get_path(name) for name in ("purelib", "platlib"))
    folders = map(Path, [*site.getsitepackages(), site.getusersitepackages(), *schemes])
    return {each.resolve() for each in (*folders, Path(str(jax.__file__)).parents[1])}
