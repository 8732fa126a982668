"""The import hook: a module of JAX that has no counterpart here is imported under the name ``olympus`` as it is.

``import olympus.scipy.linalg`` gives the module ``jax.scipy.linalg`` itself, so that each class and each function
exists once. A module of this package goes before that of JAX: ``olympus.random`` is ours.
"""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec, PathFinder

TYPE_CHECKING = False  # the hook is a part of `import olympus`, which is to load nothing
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

PREFIX = "olympus."


class JAXFinder:
    """Finds ``olympus.x`` as ``jax.x``, unless this package has a module of that name.

    It stands before Python's finder of files, which would load the files of JAX a second time as ``olympus.x``.
    """

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return how to import a module, or ``None`` if it is another finder's or JAX has none of that name."""
        if not name.startswith(PREFIX) or is_ours(name):
            return None
        from importlib.util import find_spec

        from olympus.namespace.mirror import jax_module

        jax_module()  # says how to install JAX where it is not
        found = find_spec(f"jax.{name.removeprefix(PREFIX)}")
        if found is None:
            return None
        is_package = found.submodule_search_locations is not None
        loader = JAXLoader(found.name)
        return ModuleSpec(name, loader, origin=found.origin, is_package=is_package)  # type: ignore[arg-type]


class JAXLoader:
    """Gives an import the module of JAX that it stands for.

    It has what Python asks of a loader; its base class would be imported for type checkers alone.
    """

    def __init__(self, original: str) -> None:
        self.original = original

    def create_module(self, spec: ModuleSpec) -> None:
        """Let Python make an empty module, which the one of JAX then replaces."""

    def exec_module(self, module: ModuleType) -> None:
        """Put the module of JAX in the place of the empty one; the import returns what stands there in the end."""
        from olympus.namespace.mirror import jax_module

        sys.modules[module.__name__] = jax_module(self.original)


def is_ours(name: str) -> bool:
    """Return whether ``olympus.x.y`` is a file of this package, without importing it.

    Args:
        name: the name of a module whose parent is imported. The parent may be JAX's.
    """
    parent = sys.modules[name.rpartition(".")[0]]
    if parent.__name__ + "." != name[: len(parent.__name__) + 1]:
        return False  # jax.scipy, imported as olympus.scipy
    return PathFinder.find_spec(name, parent.__path__) is not None


def install() -> None:
    """Add the hook to those of Python, once."""
    if not any(isinstance(finder, type) and finder.__name__ == "JAXFinder" for finder in sys.meta_path):
        sys.meta_path.insert(0, JAXFinder)
