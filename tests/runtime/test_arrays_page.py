"""The examples of docs/runtime/arrays.md."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest
from releases import AT_BOUNDARY

pytest.importorskip("jax", reason="the examples use JAX")

PAGE = Path(__file__).parents[2] / "docs" / "runtime" / "arrays.md"


@AT_BOUNDARY
def test_the_examples_print_what_the_page_says():
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert tried > 10
    assert failed == 0
