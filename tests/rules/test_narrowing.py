"""What a test says of a variable, for the analysis of where keys get to."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from tests.rules.test_reach import Reached

CALLS = "\nf(PRNGKey(1))\nf([PRNGKey(2)])\n"
# Bodies of a function that gets key 1 and a list of key 2, with the keys at each ``look``.
TESTS: dict[str, tuple[str, list[set[int]]]] = {
    "list": ("if isinstance(x, list):\n    look(x)\nelse:\n    look(x)", [{2}, {1, 2}]),
    "list or tuple": ("if isinstance(x, (list, tuple)) and x:\n    look(x)", [{2}]),
    "list or array": ("if isinstance(x, list | jax.Array):\n    look(x)", [{1, 2}]),
    "array": ("if isinstance(x, jnp.ndarray):\n    look(x)", [{1}]),
    "array of numpy": ("if isinstance(x, np.ndarray):\n    look(x)", [{1}]),
    "number": ("return look(x) if isinstance(x, int | float) else look(x)", [set(), {1, 2}]),
    "neither": ("if not isinstance(x, list):\n    return look(x)\nlook(x)", [{1, 2}, {2}]),
    "either": ("if isinstance(x, list) or x is None:\n    look(x)", [{2}]),
    "left": ("for _ in range(3):\n    if not isinstance(x, list):\n        continue\n    look(x)", [{2}]),
    "asserted": ("assert isinstance(x, list)\nlook(x)", [{2}]),
    "and": ("isinstance(x, list) and look(x)", [{2}]),
    "or": ("isinstance(x, list) or look(x)", [{1, 2}]),
    "comprehension": ("[look(y) for y in [x, 3] if isinstance(y, list)]", [{2}]),
    "iterable": ("from typing import Iterable\nif isinstance(x, Iterable):\n    look(x)", [{1, 2}]),
    "own class of that name": ("class list:\n    pass\n\nif isinstance(x, list):\n    look(x)", [{1, 2}]),
    "another variable": ("y = x\nif isinstance(y, list):\n    look(x)", [{1, 2}]),
    "bound in the block": ("if isinstance(x, list):\n    x = x[0]\n    look(x)", [{2}]),
    "bound after the test": (
        "if not isinstance(x, list):\n    return\nx = PRNGKey(3)\nlook(x)",
        [{3}],
    ),
    "bound by a loop": ("if isinstance(x, list):\n    for x in x:\n        look(x)", [{1, 2}]),
    "in a function of the block": (
        "if isinstance(x, list):\n    def g():\n        look(x)\n    x = PRNGKey(3)",
        [{1, 2, 3}],
    ),
    "bound by a comprehension": ("if isinstance(x, list):\n    [look(x) for x in x]", [{1, 2}]),
    "read later by a generator": (
        "if isinstance(x, list):\n    rows = (look(x) for _ in range(3))\n    x = PRNGKey(3)\n    list(rows)",
        [{1, 2, 3}],
    ),
    "bound in the expression": ("isinstance(x, list) and (x := PRNGKey(3)) and look(x)", [{3}]),
}


@pytest.mark.parametrize("name", TESTS)
def test_a_test_narrows_a_variable(name: str, tmp_path: Path) -> None:
    body, expected = TESTS[name]
    text = f"import numpy as np\n\ndef f(x):\n{indent(body, '    ')}\n{CALLS}"
    assert Reached(tmp_path, {"main.py": text}).looks() == expected
