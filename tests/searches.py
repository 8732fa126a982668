"""Few examples of many: of random searches, whose others have the mark `search`, and of what can be combined."""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import cycle, islice, pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis.strategies import SearchStrategy

__all__ = ["each_once", "numbers", "searched"]


def each_once(*axes: Collection[Any]) -> list[tuple[Any, ...]]:
    """Return few combinations in which each value of each axis occurs, for axes that do not depend on each other."""
    return list(islice(zip(*map(cycle, axes), strict=False), max(map(len, axes))))


def numbers(few: int, count: int, parts: int = 4) -> list[Any]:
    """Return ranges of examples as parameters: the first few, and the others in parts with the mark.

    Args:
        few: how many examples each run tries.
        count: how many there are; fewer than `few` are all tried in each run.
        parts: how many processes can share the others.
    """
    few = min(few, count)
    bounds = [few + part * (count - few) // parts for part in range(parts + 1)]
    ranges = [range(*bound) for bound in pairwise(bounds)]
    return [range(few), *(pytest.param(each, marks=pytest.mark.search) for each in ranges if each)]


def searched(*strategies: SearchStrategy[Any], few: int, many: int, **options: Any) -> Callable[..., Any]:
    """Make a test of a law: tried on a few examples of hypothesis in each run, and on many with the mark.

    Args:
        strategies: what the law is given.
        few: the number of examples of each run.
        many: the number of examples of a search.
        options: further settings of hypothesis.
    """

    def decorate(law: Callable[..., None]) -> Callable[[int], None]:
        def test(examples: int) -> None:
            settings(max_examples=examples, deadline=None, **options)(given(*strategies)(law))()

        test.__name__, test.__qualname__, test.__doc__, test.__module__ = (
            law.__name__,
            law.__qualname__,
            law.__doc__,
            law.__module__,
        )
        return pytest.mark.parametrize("examples", [few, pytest.param(many, marks=pytest.mark.search)])(test)

    return decorate
