"""``ast`` and LibCST agree on what a node is: every node that a fact can name has its LibCST node."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import olympus_lint
import olympus_rules
from olympus_rules.syntax import Document
from olympus_rules.syntax.fragment import COUNTERPARTS, parse_fragment

PACKAGES = (olympus_lint, olympus_rules)
SOURCES = sorted(path for package in PACKAGES for path in Path(package.__path__[0]).rglob("*.py"))[::5]
SOME = 4  # one of these files in so many is read in each run


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=[pytest.mark.search] if n % SOME else []) for n, path in enumerate(SOURCES)],
    ids=lambda path: path.stem,
)
def test_every_node_is_found(path: Path) -> None:
    document = Document(str(path), path.read_text("utf-8"))
    formatted = {
        inner for node in ast.walk(document.tree) if isinstance(node, ast.JoinedStr) for inner in ast.walk(node)
    }
    for node in ast.walk(document.tree):
        parent = document.parents.get(node)
        if isinstance(node, ast.Tuple) and isinstance(parent, ast.Subscript) and node is parent.slice:
            continue  # LibCST has no node for the tuple in `a[b, c]`
        if isinstance(node, ast.Starred) and isinstance(parent, ast.Call):
            continue  # nor for the star in `f(*a)`, which is part of the argument
        if type(node) in COUNTERPARTS and node not in formatted:
            fragment = document.fragment(node)
            assert fragment is not None
            found = fragment.find(node, document)
            assert found is not None, f"line {node.lineno}: {document.segment(node)}"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "source",
    [
        "if a:\n    pass\nelif f(key):\n    pass\n",
        "def f(x: jax.Array = g(key)) -> T:\n    return x\n",
        "@decorate(key)\nclass A(B[key]):\n    x = 1\n",
        "x = (f\n     .g(key))\n",
        "\té = 1; y = f(key)\n".replace("\t", ""),
        "if a: b = f(key)\nelse: c = f(key)\n",
        "with f(key) as k, g(key):\n\treturn k\n".replace("return", "yield"),
        "for k, in f(key): pass\n",
        "x = [f(key) for k in (a, b) if (k)]\n",
        "try:\n    f(key)\nexcept E(key):\n    pass\n",
        "x = (  # a, then b\n    f(a),  # (\n    '#)'  # b)\n)\n",
        "if x:\n    y = ( # each\n\n  (f(key)) for k in a # of a\n    )\n",
        "x = a[\n    (b),\n        f(key),\n      c,\n]\n",
        "async def f():\n    async with g(key):\n        await h(key)\n",
    ],
)
def test_shapes(source: str) -> None:
    document = Document("a.py", source)
    for node in ast.walk(document.tree):
        kinds = ast.Call | ast.Name | ast.Tuple | ast.GeneratorExp | ast.Attribute | ast.Subscript
        if isinstance(node, kinds):
            fragment = document.fragment(node)
            assert fragment is not None
            found = fragment.find(node, document)
            parent = document.parents.get(node)
            is_index = isinstance(node, ast.Tuple) and isinstance(parent, ast.Subscript)
            assert found is not None or is_index


@pytest.mark.parametrize(("row", "is_whole"), [(1, False), (2, True), (3, False), (4, True), (5, True)])
def test_rows_that_are_python_by_themselves_are_parsed_alone(row: int, is_whole: bool) -> None:
    """Other rows need the whole file, which costs much more."""
    document = Document("a.py", "if a:\n    x = 1\nelif b:\n\tx = 2\nx = 3\n")
    assert (parse_fragment(document, row, row) is not None) == is_whole
