"""A rewrite holds for every value that reaches its place, in ``--fix`` and in both styles of ``--migrate``.

Each program is fixed, migrated and executed. It computes the same numbers with raw keys, whatever was rewritten. With
typed keys it does so as well, unless a place is left or a constructor is held back, which the report says.
"""

from __future__ import annotations

from typing import Any

import pytest
from migrated import FAILED, numbers

from olympus_codemods.fixes import apply_fixes, fix_for
from olympus_codemods.target import Style, Target
from olympus_lint.migration.project import migrate
from olympus_lint.migration.rewriting import is_note
from olympus_lint.migration.text import Text
from olympus_lint.project.settings import Settings
from olympus_rules.check import check
from olympus_rules.finding import Applicability, Confidence
from olympus_rules.rules import all_rules
from olympus_rules.syntax import Document

pytest.importorskip("jax", reason="needs JAX, the extra `trace`")

HEAD = """\
import io

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, random
from jax.random import PRNGKey, split

key = PRNGKey(0)
keys = split(key, 6)
grid = split(key, (2, 3))
draw = jax.vmap(random.normal)
last = jnp.arange(6) > 2
"""

# values that are keys and others at one place
MIXED = {
    "dtypes of a tree": "tree = {'key': key, 'weights': jnp.ones(3)}\n"
    "seen = jax.tree.leaves(jax.tree.map(lambda x: str(x.dtype), tree))\n"
    "result = [len(name) for name in seen], random.normal(tree['key'])",
    "dtypes of a list": "result = [len(str(x.dtype)) for x in [key, jnp.ones(3)]], random.normal(key)",
    "dtypes of arrays of numbers": "result = [jnp.asarray(x) for x in [3, key]"
    " if jnp.issubdtype(jnp.asarray(x).dtype, jnp.integer)]",
    "dtype of an argument": "def is_raw(x):\n    return x.dtype == jnp.uint32\n"
    "result = is_raw(key), is_raw(jnp.ones(3)), random.normal(key)",
    "integers": "def whole(x):\n    return np.issubdtype(x.dtype, np.integer)\n"
    "result = whole(key), whole(jnp.ones(3)), random.normal(key)",
    "one branch uses a key": "def host(name, v):\n    if name == 'key':\n        random.normal(v)\n"
    "    return np.asarray(v).sum()\nresult = host('key', key), host('weights', jnp.ones(3))",
    "columns of arrays": "out = []\nfor v in {'keys': keys, 'points': jnp.ones((3, 2))}.values():\n"
    "    first, second = v[:, 0], v[:, 1]\n    out.append(first + second)\nresult = out",
    "default None": "def tag(key=None):\n    name = str(key)\n"
    "    return len(name), 0 if key is None else random.normal(key)\n"
    "result = tag(key), tag()",
    "list or key": "def draws(x):\n    x = jnp.asarray(x, jnp.uint32)\n    return random.normal(x)\n"
    "result = draws(key), draws([1, 2])",
    "words in a list": "result = draw(np.array(keys.tolist(), np.uint32))",
    "parts of words, joined": "def f(s):\n    c = jnp.concatenate([s[:1], s[1:]])\n"
    "    return c[0] == jax.random.fold_in(c, 7)[0]\nresult = f(np.ones(2, np.uint32))",
    "dtype of a stack": "c = jnp.stack([key, key])\nresult = draw(jnp.array(c, dtype=c.dtype))",
    "shape of a typed key": "def f(x):\n    return x.shape == (2,), random.normal(x)\nresult = f(jax.random.key(0))",
    "sign of others": "def f(x):\n    return -x if x.dtype != jnp.uint32 else x\nresult = f(jnp.ones(3)), f(key)",
}

# arrays with different numbers of axes at one place
RANKS = {
    "vstack of keys and a key": "result = draw(jnp.vstack([keys, key])), draw(jnp.vstack([key, keys]))",
    "reshape in a loop": "result = [x.reshape(-1, 2) for x in (key, keys, grid)]",
    "tile in a loop": "result = [jnp.tile(x, (2, 1)) for x in (key, keys)]",
    "reshape after iterations": "out, x = [], key\nfor i in range(3):\n"
    "    x = split(x)[0] if i < 2 else split(x, 3)\n    out.append(x.reshape(-1, 2))\nresult = out",
    "reshape on one path": "def f(keys, flat):\n    rows = keys.reshape(-1, 2)\n    if flat:\n"
    "        return draw(rows)\n"
    "    return draw(keys), rows\nresult = f(grid, True), f(keys, False)",
    "words of two keys": "result = keys.reshape(-1, 4), keys.reshape(3, 4)",
    "lanes of a stack": "stack = jnp.stack([key, split(key)[0]])\n"
    "one = jax.vmap(lambda k: split(k)[0])(stack)\nresult = one.shape[-1:], len(one.shape), one.reshape(-1, 2)",
    "mask of NumPy": "result = np.where(last[:, None], keys, 0)",
}

# arrays that are written to, or computed with
WRITTEN = {
    "item": "a = np.array(split(key, 4))\na[0] = 7\nresult = draw(a)",
    "word": "def f(key):\n    a = np.array(key)\n    a[1] += 1\n    return random.normal(a)\nresult = f(key)",
    "copy": "a = np.asarray(split(key, 4)).copy()\na[0] = 1\nresult = draw(a)",
    "shuffle": "a = np.array(split(key, 4))\nnp.random.RandomState(0).shuffle(a)\nresult = draw(a)",
    "argument": "def fill(a):\n    a[0] = 3\na = np.array(split(key, 4))\nfill(a)\nresult = draw(a)",
    "row": "a = np.array(split(key, 4))\nrow = a[0]\nrow[1] = 3\nresult = draw(a)",
    "words by an argument": "def fill(a):\n    a[0] = 3\na = np.array([0, 7], np.uint32)\nfill(a)\n"
    "result = random.normal(a)",
    "method": "a = np.zeros((1, 2), np.uint32)\na.fill(3)\nresult = draw(jnp.concatenate([a, keys]))",
    "buffer of numbers": "n = jnp.zeros((6, 2), jnp.uint32)\nresult = jnp.concatenate([keys, n]), n + 1",
    "two keys in a row": "a = jnp.zeros((6, 4), jnp.uint32)\nresult = a.at[:, :2].set(keys).at[:, 2:].set(keys)",
    "carry": "def step(k, x):\n    return k + jnp.uint32(1), random.normal(k)\n"
    "result = lax.scan(step, key, jnp.arange(3))",
    "chosen": "def f(k, flag):\n    other = k + 1\n    return random.normal(jnp.where(flag, other, k))\n"
    "result = f(key, True)",
    "results of a map": "result = jax.vmap(lambda k: (split(k)[0],), out_axes=-1)(keys)",
}

# names with another meaning, expressions with effects
NAMES = {
    "comprehension": "result = [np.asarray(keys).sum() + random for random in range(2)]",
    "module": "shown = np.asarray(key)\nrandom = 3\nresult = np.asarray(key), shown",
    "property": "class A:\n    n = 0\n    @property\n    def key(self):\n        A.n += 1\n"
    "        return random.fold_in(key, A.n)\na = A()\n"
    "result = a.key.reshape(1, 2), jnp.tile(a.key, (3, 1)), random.normal(a.key ^ 5), A.n",
    "property of keys": "class A:\n    n = 0\n    @property\n    def keys(self):\n        A.n += 1\n"
    "        return split(random.fold_in(key, A.n), 4)\na = A()\nresult = random.permutation(key, a.keys), A.n",
    "iterator": "rest = iter([keys, grid])\nresult = next(rest).reshape(2, 3, 2), next(rest).reshape(-1, 2)",
}
PROGRAMS = MIXED | RANKS | WRITTEN | NAMES


def fixed(text: str) -> str:
    """Return a program after its safe fixes, except the rename of constructors."""
    rules = list(all_rules().values())
    for _ in range(10):
        document = Document("program.py", text)
        reports = check(document, rules, min_confidence=Confidence.LIKELY).reports
        fixes = [fix_for(report, document) for report in reports if report.finding.code != "OLY201"]
        safe = [fix for fix in fixes if fix is not None and fix.applicability is Applicability.SAFE]
        text, applied = apply_fixes(text, safe)
        if not applied:
            return text
    raise AssertionError(f"the fixes find no end:\n{text}")


def migrated(text: str, style: Style) -> tuple[str, bool]:
    """Return a program after its migration, and whether the report announces that something is open."""
    migration = migrate([Text("program.py", Settings(), text)], Target(style))
    left = [report for reports in migration.left.values() for report in reports]
    is_open = any(not is_note(report, migration.target) for report in left)
    return migration.texts[0].new, is_open or bool(migration.held)


@pytest.mark.parametrize("body", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_rewrites_hold_for_all_values_of_their_place(body: str) -> None:
    text = f"{HEAD}{body}\n"
    expected = numbers(text, typed=False)
    assert expected != FAILED
    seen: dict[tuple[str, bool], Any] = {(text, False): expected}

    def outcome(program: str, *, typed: bool = False) -> Any:
        if (program, typed) not in seen:
            seen[program, typed] = numbers(program, typed=typed)
        return seen[program, typed]

    assert outcome(fixed(text)) == expected, fixed(text)
    after, is_open = migrated(text, "typed")
    assert outcome(after) == expected or (is_open and "PRNGKey(0)" not in after), after
    after, is_open = migrated(text, "portable")
    assert outcome(after) == expected, after
    assert is_open or outcome(after, typed=True) == expected, after


# what a person would write
WELL_PUT = {
    "added shape": ("def f(pkeys, n):\n    return pkeys.reshape(n + (2,))\nresult = f(keys, (3, 2))",
                    "pkeys.reshape(n + pkeys.shape[1:])"),
    "broadcast": ("result = jnp.broadcast_to(key, (3,) + (2,))", "(3,) + key.shape"),
    "flat": ("def f(pkeys):\n    return draw(pkeys.reshape(-1, 2))\nresult = f(grid)",
             "pkeys.reshape(-1, *pkeys.shape[2:])"),
    "gather": ("class S:\n    def __init__(self, key):\n        self.key = key\n    def take(self, i):\n"
               "        return S(self.key[i])\n    def draw(self):\n        return random.normal(self.key)\n"
               "s = S(keys)\nresult = s.take(2).draw(), draw(s.key[jnp.array([0, 1])])",
               "draw(s.key[jnp.array([0, 1])])"),
    "gather of pairs": ("def f(k, i):\n    pairs = jax.vmap(split)(split(k, 4))\n"
                        "    return draw(pairs[jnp.arange(4), i])\nresult = f(key, jnp.array([0, 1, 1, 0]))",
                        "draw(pairs[jnp.arange(4), i])"),
}  # fmt: skip


@pytest.mark.parametrize(("body", "wanted"), WELL_PUT.values(), ids=WELL_PUT.keys())
def test_rewrites_are_what_a_person_would_write(body: str, wanted: str) -> None:
    text = f"{HEAD}{body}\n"
    after, is_open = migrated(text, "typed")
    assert wanted in after and not is_open
    assert numbers(after, typed=False) == numbers(text, typed=False) != FAILED
