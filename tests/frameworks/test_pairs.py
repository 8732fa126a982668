"""Programs with random keys in JAX's frameworks, as a wrong and a right twin, each executed with the framework itself.

A module of ``pairs`` is named after a framework. A function of it returns entries that ought to be independent draws.
In ``wrong_NAME`` at least two entries are equal, bit for bit; in ``right_NAME`` no two are. Where a function takes a
key, what a wrong one repeats also has to change with the key: equal zeros would show nothing.

The frameworks are no dependency of the project. A pair is skipped where one of its imports is not installed::

    $ .venv/bin/pip install flax dm-haiku equinox numpyro optax distrax blackjax
    $ .venv/bin/pytest -n 0 tests/frameworks
"""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

PAIRS = Path(__file__).parent / "pairs"
MODULES = sorted(PAIRS.glob("*.py"))


def functions(module: Path) -> dict[str, ast.FunctionDef]:
    """Return the twins of a module by name, without an import of it."""
    body = ast.parse(module.read_text("utf-8")).body
    found = [node for node in body if isinstance(node, ast.FunctionDef)]
    return {node.name: node for node in found if node.name.startswith(("wrong_", "right_"))}


def missing(module: Path) -> list[str]:
    """Return the packages that a module imports and that are not installed."""
    packages = set()
    for node in ast.parse(module.read_text("utf-8")).body:
        if isinstance(node, ast.Import):
            packages |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            packages.add(str(node.module).split(".")[0])
    return sorted(package for package in packages if find_spec(package) is None)


def programs() -> Iterator[Any]:
    """Return each function of each module as a test case, a module that cannot be imported as one that is skipped."""
    for module in MODULES:
        if absent := missing(module):
            skip = pytest.mark.skip(reason=f"needs {', '.join(absent)}")
            yield pytest.param(module.stem, "", marks=skip, id=module.stem)
            continue
        for name in functions(module):
            yield pytest.param(module.stem, name, id=f"{module.stem}-{name}")


def draws(function: Callable[..., Any], seed: int) -> list[Any]:
    """Return the entries of a function as NumPy arrays; the function gets a key if it takes one."""
    import jax
    import numpy as np

    keys = [jax.random.key(seed)] if inspect.signature(function).parameters else []
    entries = function(*keys)
    assert isinstance(entries, tuple) and len(entries) > 1, "a tuple of at least two draws is expected"
    return [np.asarray(entry) for entry in entries]


def repeated(entries: list[Any]) -> list[int]:
    """Return the positions of the entries that equal a later one."""
    import numpy as np

    return [i for (i, one), (_, other) in combinations(enumerate(entries), 2) if np.array_equal(one, other)]


@pytest.mark.frameworks
@pytest.mark.parametrize(("module", "name"), list(programs()))
def test_a_wrong_twin_repeats_numbers_and_a_right_one_does_not(module: str, name: str) -> None:
    import numpy as np

    function = getattr(importlib.import_module(f"tests.frameworks.pairs.{module}"), name)
    entries = draws(function, 7)
    equal = repeated(entries)
    if name.startswith("right_"):
        assert not equal
        return
    assert equal
    if inspect.signature(function).parameters:
        others = draws(function, 8)
        assert any(not np.array_equal(entries[i], others[i]) for i in equal), "what is repeated is no draw"


@pytest.mark.frameworks
@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.stem)
def test_each_twin_has_its_other_half_and_says_what_it_shows(module: Path) -> None:
    found = functions(module)
    halves = [{name[6:] for name in found if name.startswith(side)} for side in ("wrong_", "right_")]
    assert halves[0] == halves[1]
    assert len(halves[0]) >= 25
    assert [name for name, node in found.items() if "\n" in (ast.get_docstring(node) or "\n")] == []
