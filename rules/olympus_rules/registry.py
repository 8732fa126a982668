"""Finds rules and codemods by walking their package, so that adding one is adding a module."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType
from typing import Any


def find_all(package: ModuleType, base: type) -> list[type[Any]]:
    """Return each subclass of a base that the modules of a package define."""
    found: list[type[Any]] = []
    for info in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        for value in vars(module).values():
            is_part = isinstance(value, type) and issubclass(value, base) and value is not base
            if is_part and value.__module__ == module.__name__:
                found.append(value)
    return found
