"""Frameworks from the environment of the JAX that traces, and from nowhere else."""

from __future__ import annotations

import site
import sysconfig
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from olympus.trials.execution import Expired
from olympus.trials.modules import first_line


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
        what = ": ".join(filter(None, [type(error).__name__, first_line(error)]))
        return f"importing {name} failed: {what}"[:300]
    return None


def installed() -> set[Path]:
    """Return the folders in which packages are installed, that of JAX among them."""
    import jax

    schemes = (sysconfig.get_path(name) for name in ("purelib", "platlib"))
    folders = map(Path, [*site.getsitepackages(), site.getusersitepackages(), *schemes])
    return {each.resolve() for each in (*folders, Path(str(jax.__file__)).parents[1])}
