"""The page about the documents: each row says whether a promise holds, and names tests that exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "runtime" / "promises.md").read_text("utf-8")
ROWS = [
    tuple(cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1])
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith("| text |")
]
ANSWERS = ("yes", "in part", "no", "today")


@cache
def functions_of(file: Path) -> set[str]:
    return {node.name for node in ast.parse(file.read_text("utf-8")).body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("row", ROWS, ids=[row[0][:50] for row in ROWS])
def test_each_promise_has_an_answer_and_tests_that_exist(row: tuple[str, ...]):
    _, holds, named = row
    answer, reason = re.fullmatch(rf"({'|'.join(ANSWERS)})\b[:;,]?(.*)", holds).groups()
    assert answer == "yes" or reason, "a promise that does not hold as it stands needs a reason"
    tests = re.findall(r"`([\w/]+\.py)::(\w+)`", named)
    assert tests
    assert ", ".join(f"`{file}::{test}`" for file, test in tests) == named
    for file, test in tests:
        assert test in functions_of(ROOT / file if "/" in file else ROOT / "tests" / "runtime" / file)


def test_each_document_has_rows():
    sections = re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]
    assert len(sections) == 3
    assert all(section.count("\n| ") > 20 for section in sections)
