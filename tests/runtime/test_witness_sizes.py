"""What Python computes by itself is limited: no number, list or iterator of a program keeps a witness for long."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from searches import each_once

pytest.importorskip("jax", reason="a witness is traced with JAX")

from witnessed import verdict

from olympus.witness.sizes import BITS, ELEMENTS, is_too_large

REUSE = "    a = «1 jax.random.normal(key)»\n    return a + «2 jax.random.normal(key)»"
BIG = {
    "power": "x = 10 ** 10 ** 10",
    "power of powers": "x = 7 ** 7 ** 7 ** 7",
    "power of a product": "n = 10 ** 5\nx = (n * n) ** n",
    "power in place": "x = 10\nx **= 10 ** 10",
    "power of an attribute in place": "class A:\n    n = 10\nA.n **= 10 ** 10",
    "function of a power": "x = pow(10, 10 ** 10)",
    "operator of a power": "import operator\nx = operator.pow(10, 10 ** 10)",
    "operator by name": "from operator import ipow\nx = ipow(10, 10 ** 10)",
    "method of a class": "class A:\n    x = [2 ** n for n in (10 ** 11,)]\nx = A.x",
    "text of a power": "x = f'{10 ** 10 ** 10:>3}'",
    "default of a lambda": "x = lambda n=10 ** 10 ** 10: n",
    "element in place": "x = {'a': 10}\nx['a'] **= 10 ** 10",
    "annotated": "x: int = 10 ** 10 ** 10",
    "shift": "x = 1 << 10 ** 10",
    "shift in place": "x = 1\nx <<= 10 ** 11",
    "text": "x = 'ab' * 10 ** 9",
    "text from the left": "x = 10 ** 9 * b'ab'",
    "list": "x = [None] * (4 * 10 ** 8)",
    "list in place": "x = [0]\nx *= 4 * 10 ** 8",
    "tuple of tuples": "x = ((0,) * 10 ** 5) * 10 ** 5",
    "factorial": "import math\nx = math.factorial(10 ** 7)",
    "factorial by name": "from math import factorial as f\nx = f(3 * 10 ** 6)",
    "binomial": "import math\nx = math.comb(10 ** 8, 4 * 10 ** 7)",
    "permutations": "import math\nx = math.perm(10 ** 7)",
    "squares": "import functools\nx = functools.reduce(lambda a, _: a * a, range(60), 3)",
    "powers in a recursion": "def p(n):\n    return 3 if n == 0 else p(n - 1) ** 3\nx = p(50)",
    "factorial by hand": "def p(n):\n    return 1 if n < 2 else n * p(n - 1)\nx = p(60) ** 10 ** 6",
    "product": "import math\nx = math.prod(range(1, 10 ** 7))",
    "operators": "import functools, operator\nx = functools.reduce(operator.mul, range(1, 10 ** 7))",
    "sum": "x = sum(range(10 ** 12))",
    "largest": "x = max(range(10 ** 12))",
    "list of a range": "x = list(range(3 * 10 ** 8))",
    "sorted": "x = sorted(range(10 ** 9))",
    "set": "x = set(reversed(range(10 ** 9)))",
    "counter": "import itertools\nx = sum(itertools.count())",
    "cycle": "from itertools import cycle\nx = max(cycle([1, 2]))",
    "repetition": "import collections, itertools\nx = collections.deque(itertools.repeat(0), maxlen=1)",
    "permutations of a list": "import itertools\nx = sum(1 for _ in []) + len(list(itertools.permutations(range(20))))",
    "products of a range": "import itertools\nx = sum(map(len, itertools.product(range(9), repeat=30)))",
    "map": "x = any(map(bool, (0).__class__ and iter(range(0, -10 ** 12, -1))))",
}


HALF = 1 << BITS // 2


@pytest.mark.parametrize(("name", "place"), each_once(BIG, ["module", "function", "default"]))
def test_it_is_unknown_and_the_execution_goes_on(tmp_path: Path, name: str, place: str):
    text = BIG[name]
    inner = "".join(f"    {line}\n" for line in text.splitlines())
    program = {
        "module": f"{text}\ndef f(key):\n{REUSE}",
        "function": f"def f(key):\n{inner}{REUSE}",
        "default": f"def made():\n{inner}    return x\ndef f(key, x=made()):\n{REUSE}",
    }[place]
    before = time.process_time()
    assert verdict(program, tmp_path).status == "confirmed"
    assert time.process_time() - before < 20


def test_an_unknown_number_is_the_same_number_twice(tmp_path: Path):
    program = (
        "def f(key):\n    a = jax.random.fold_in(key, 3 ** 10 ** 9)\n    b = jax.random.fold_in(key, 3 ** 10 ** 9)\n"
        "    return «1 jax.random.normal(a)» + «2 jax.random.normal(b)»"
    )
    assert verdict(program, tmp_path).status != "refuted"


def test_small_results_are_what_python_computes(tmp_path: Path):
    program = (
        "import functools, itertools, math, operator\n"
        "def f(key):\n"
        "    n = 2\n    n **= 3\n    n *= 2\n    n <<= 1\n    t = ['a'] * 2\n    t *= 2\n"
        "    assert n == 32 and t == ['a'] * 4 and 2 ** -1 == 0.5 and pow(3, 4, 5) == 1 and 'ab' * 2 == 'abab'\n"
        "    assert (1 << 3, 0 << 10 ** 12, 1 ** 10 ** 12, (-1) ** 3, 2.0 ** 10) == (8, 0, 1, -1, 1024.0)\n"
        "    assert math.factorial(5) == 120 and math.comb(5, 2) == 10 and math.perm(5) == math.perm(5, 5) == 120\n"
        "    assert functools.reduce(operator.mul, range(1, 6)) == 120 and operator.pow(2, 3) == 8\n"
        "    assert list(itertools.islice(itertools.count(3), 2)) == [3, 4]\n"
        "    assert range(10 ** 12)[-1] == 10 ** 12 - 1 and len(range(10 ** 6)) == 10 ** 6 and 5 in range(10 ** 9)\n"
        "    if n == 32:\n"
        "        key = jax.random.split(key, n)[n - 1]\n"
        "    a = «1 jax.random.normal(key)»\n"
        "    return a + «2 jax.random.normal(key)»"
    )
    assert verdict(program, tmp_path).status == "confirmed"


def test_keys_and_arrays_keep_their_places(tmp_path: Path):
    program = (
        "def f(key, x):\n    a = 2 ** x * «1 jax.random.normal(key)» * 3 << 0\n"
        "    x *= «2 jax.random.normal(key)»\n    return a * x ** 2 ** x"
    )
    assert verdict(program, tmp_path).status == "confirmed"


@pytest.mark.parametrize(
    ("left", "sign", "right", "expected"),
    [
        (2, "**", BITS // 2, False),
        (2, "**", BITS, True),
        (-2, "**", BITS, True),
        (2, "**", -BITS, False),
        (-1, "**", BITS * 9, False),
        (True, "**", BITS * 9, False),
        (1, "<<", BITS - 1, False),
        (1, "<<", BITS, True),
        (0, "<<", BITS, False),
        (1, "<<", -1, False),
        (HALF, "*", HALF >> 2, False),
        (HALF, "*", HALF, True),
        ("a", "*", ELEMENTS, False),
        ("a", "*", ELEMENTS + 1, True),
        (ELEMENTS + 1, "*", [0], True),
        ("a", "*", -1, False),
        ("", "*", ELEMENTS + 1, False),
        ([0], "*", 2.0, False),
        (2.0, "**", BITS, False),
        ("%d", "**", 3, False),
    ],
    ids=lambda value: str(value)[:9] if not isinstance(value, int) or abs(value) < 1 << 64 else "half",
)
def test_limits(left: object, sign: str, right: object, expected: bool):
    assert is_too_large(sign, left, right) is expected
