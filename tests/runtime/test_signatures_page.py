"""The examples of docs/runtime/signatures.md."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

pytest.importorskip("jax", reason="the examples trace functions")

PAGE = Path(__file__).parents[2] / "docs" / "runtime" / "signatures.md"


def test_the_examples_print_what_the_page_says():
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert tried > 10
    assert failed == 0
