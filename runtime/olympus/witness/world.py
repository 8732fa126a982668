"""A world in which a function can be executed that knows JAX's random keys and nothing else.

The source of the function's file is executed with stand-ins: for JAX, functions that do what JAX does to keys; for
modules of the same project, their sources, executed in the same way; for the standard library's pure helpers,
themselves; for everything else, unknown values. No module of the user's is imported, and no code of a library runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import CodeType
from typing import Any

from olympus.predicates import Symbol
from olympus.witness.budget import Exhausted
from olympus.witness.choices import Choices
from olympus.witness.library import Wrapped
from olympus.witness.preparation import compiled_file
from olympus.witness.state import Players, State
from olympus.witness.substitutes import Builtins
from olympus.witness.unknown import Unknown

# Pure helpers of the standard library, which work with stand-ins as well.
PURE = frozenset(
    {
        "__future__", "abc", "collections", "copy", "dataclasses", "enum", "functools", "inspect", "itertools", "math",
        "operator", "string", "types", "typing",
    }
)  # fmt: skip


class World(State):
    """Where a function is executed, several times, with the modules that it needs.

    Attributes:
        library: gives the stand-in for a module of JAX by its name, ``None`` for one that is not JAX's.
    """

    def __init__(
        self,
        library: Callable[[State, str], Any],
        sources: Callable[[str], Path | None],
        *,
        typed: bool,
    ) -> None:
        super().__init__(typed=typed)
        self.library = library
        self.sources = sources
        self.builtins = Builtins(self)

    def module(self, name: str) -> Any:
        """Return what stands for a module of this name."""
        if name not in self.modules:
            self.modules[name] = self._found(name)
        return self.modules[name]

    def is_source(self, name: str) -> bool:
        """Return whether a module has been executed from a source of the project."""
        return isinstance(self.modules.get(name), SourceModule)

    def transformed(self, function: Callable[..., Any]) -> Any:
        """Return what an unknown decorator makes of a function: most likely one that does the same."""
        return Wrapped(self, function)

    def enter(self, package: str) -> None:
        """Execute a package before its module, as an import does."""
        around = self.module(package) if package else None
        if isinstance(around, SourceModule):
            around._loaded()

    def source(self, name: str, file: Path) -> SourceModule:
        """Return a module of the project by its file; it is executed."""
        module = self.modules.get(name)
        if not isinstance(module, SourceModule):
            module = self.modules[name] = SourceModule(self, name, file)
        module._loaded()
        return module

    def _found(self, name: str) -> Any:
        library = self.library(self, name)
        if library is not None:
            return library
        if name.partition(".")[0] in PURE:
            return self.builtins.sizes.modules.get(name) or import_module(name)
        file = self.sources(name)
        if file is not None:
            return SourceModule(self, name, file)
        return Unknown(self, name, term=Symbol(name))

    def execute(self, name: str, file: str, source: Sequence[CodeType], namespace: dict[str, Any]) -> None:
        """Execute a file, statement by statement; a statement that fails leaves its names unknown.

        Args:
            name: the name of the module.
            file: the path of the file.
            source: its statements.
            namespace: where its names go.
        """
        namespace.update({"__name__": name, "__file__": file, "__builtins__": self.builtins})
        for statement in source:
            with suppress(Exception, SystemExit):
                exec(statement, namespace)

    def load(self, name: str, file: str, source: Sequence[CodeType], namespace: dict[str, Any]) -> None:
        """Execute a file untraced, once for all executions, with steps and time of its own."""
        import jax

        players, self.players = self.players, Players()
        choices, self.choices = self.choices, Choices()
        try:
            with self.budget.apart(), jax.ensure_compile_time_eval(), suppress(Exhausted):
                self.execute(name, file, source, namespace)
        finally:
            self.players, self.choices = players, choices


class SourceModule:
    """A module of the project, executed when a name of it is first used."""

    def __init__(self, world: World, name: str, file: Path) -> None:
        self._world, self._name, self._file = world, name, file
        self._names: dict[str, Any] | None = None

    def _loaded(self) -> dict[str, Any]:
        if self._names is None:
            self._world.enter(self._name.rpartition(".")[0])
        if self._names is None:
            self._names = {}  # a circular import sees the names so far
            self._world.load(self._name, str(self._file), compiled_file(self._file, self._name), self._names)
        return self._names

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("_world", "_name", "_file", "_names"):
            object.__setattr__(self, name, value)
            return
        names = self._loaded()
        self._world.changed.append((names, name, names.get(name)))
        names[name] = value

    def __getattr__(self, name: str) -> Any:
        if name == "__dict__":
            return self._loaded()
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        names = self._loaded()
        if name in names:
            return names[name]
        inner = self._world.sources(f"{self._name}.{name}")
        if inner is not None:
            return self._world.module(f"{self._name}.{name}")
        path = f"{self._name}.{name}"
        value = names[name] = Unknown(self._world, path, term=Symbol(path))
        return value
