"""Rules see through every spelling: import styles, raw and typed keys, and all places where code can stand."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import cycle, islice, product
from textwrap import indent

import pytest
from pages import Block, all_blocks, lint_problems, plain

from olympus_lint.project.settings import Settings
from olympus_lint.run.engine import lint_text

RANDOM_NAME = re.compile(r"\bjax\.random\.(\w+)")
STYLES = {
    "import jax": ("", ""),
    "from jax import random": ("from jax import random", "random."),
    "from jax import random as jr": ("from jax import random as jr", "jr."),
    "import jax.random as jrandom": ("import jax.random as jrandom", "jrandom."),
    "from jax.random import": ("from jax.random import {names}", "jax_"),
    "import olympus": ("", ""),
}
KINDS = {"typed": "jax.random.key(", "raw": "jax.random.PRNGKey("}
BOTH_KINDS = ("OLY101", "OLY102", "OLY104")


def respell(program: str, style: str) -> str:
    """Rewrite a program that says ``jax.random.split`` to another import style, row for row.

    Args:
        program: Python with ``import jax`` in a row of its own.
        style: a key of ``STYLES``; functions imported singly get a name with ``jax_`` before it.
    """
    if style == "import olympus":
        return re.sub(r"\bjax\b", "olympus", program)
    header, prefix = STYLES[style]
    if not header:
        return program
    names = ", ".join(f"{name} as jax_{name}" for name in sorted(set(RANDOM_NAME.findall(program))))
    row = f"import jax; {header.format(names=names)}"
    return re.sub(r"^import jax$", row, RANDOM_NAME.sub(rf"{prefix}\1", program), count=1, flags=re.MULTILINE)


def of_kind(program: str, kind: str) -> str:
    """Make all keys of a program raw or typed."""
    for constructor in KINDS.values():
        program = program.replace(constructor, KINDS[kind])
    return program


PAGE_BLOCKS = [
    block
    for block in all_blocks()
    if "as-is" not in block.words and RANDOM_NAME.search(block.source) and "import jax\n" in block.source
]


@pytest.mark.parametrize("code", sorted({block.code for block in PAGE_BLOCKS}))
def test_page_blocks_in_other_styles(code: str) -> None:
    """Each block in one style, and each rule in each style, if its pages have so many blocks."""
    blocks = [block for block in PAGE_BLOCKS if block.code == code]
    for block, style in zip(blocks, cycle([style for style in STYLES if style != "import jax"]), strict=False):
        source = respell(block.source, style)
        assert source != block.source, (block.name, style)
        assert source.count("\n") == block.source.count("\n"), (block.name, style)
        assert lint_problems(block, lint_text, source) == [], (block.name, style)


@pytest.mark.parametrize(
    ("block", "source"),
    [
        pytest.param(block, of_kind(block.source, kind), id=f"{block.name}-{kind}")
        for block in PAGE_BLOCKS
        for kind in KINDS
        if block.code in BOTH_KINDS and of_kind(block.source, kind) != block.source
    ],
)
def test_page_block_with_the_other_kind_of_key(block: Block, source: str) -> None:
    assert lint_problems(block, lint_text, source) == []


@dataclass(frozen=True)
class Example:
    """One of the misuses that JEP 9263 names, and the code that it gives in its place.

    Attributes:
        code: the rule that flags the misuse.
        incorrect, correct: statements.
        incorrect_lambda, correct_lambda: the same as the body of a lambda.
    """

    code: str
    incorrect: str
    correct: str
    incorrect_lambda: str
    correct_lambda: str


INDEXING = Example(
    code="OLY101",
    incorrect="""
key = jax.random.key(999)
new_key = jax.random.key(key[1])  # error: OLY101 "`key`"
""",
    correct="""
key = jax.random.key(999)
key, new_key = jax.random.split(key)
""",
    incorrect_lambda="jax.random.key((key := jax.random.key(999))[1])  # error: OLY101",
    correct_lambda="jax.random.split(jax.random.key(999))",
)
ARITHMETIC = Example(
    code="OLY102",
    incorrect="""
key = jax.random.key(0)
batched_keys = key + jnp.arange(10, dtype=key.dtype)[:, None]  # error: OLY102 "`key`"
""",
    correct="""
key = jax.random.key(0)
batched_keys = jax.random.split(key, 10)
""",
    incorrect_lambda="jax.random.key(0) + jnp.arange(10)[:, None]  # error: OLY102",
    correct_lambda="jax.random.split(jax.random.key(0), 10)",
)
TRANSPOSITION = Example(
    code="OLY103",
    incorrect="""
keys = jax.random.split(jax.random.key(0))
data = jax.vmap(jax.random.uniform, in_axes=1)(keys)  # error: OLY103
""",
    correct="""
keys = jax.random.split(jax.random.key(0))
data = jax.vmap(jax.random.uniform, in_axes=0)(keys)
""",
    incorrect_lambda=("jax.vmap(jax.random.uniform, in_axes=1)(jax.random.split(jax.random.key(0)))  # error: OLY103"),
    correct_lambda="jax.vmap(jax.random.uniform, in_axes=0)(jax.random.split(jax.random.key(0)))",
)
REUSE = Example(
    code="OLY104",
    incorrect="""
key = jax.random.key(0)
x = jax.random.uniform(key, (100,))
y = jax.random.uniform(key, (100,))  # error: OLY104 "`key`"
""",
    correct="""
key = jax.random.key(0)
key1, key2 = jax.random.split(key)
x = jax.random.uniform(key1, (100,))
y = jax.random.uniform(key2, (100,))
""",
    incorrect_lambda=(
        "(jax.random.uniform(key := jax.random.key(0), (9,)), jax.random.uniform(key, (9,)))  # error: OLY104"
    ),
    correct_lambda=(
        "(jax.random.uniform((keys := jax.random.split(jax.random.key(0)))[0]), jax.random.uniform(keys[1]))"
    ),
)
EXAMPLES = (INDEXING, ARITHMETIC, TRANSPOSITION, REUSE)
PLACES = ("module", "function", "method", "nested function", "lambda")


def program(example: Example, place: str, *, correct: bool) -> str:
    """Put an example in its place, with the imports that it needs."""
    body = (example.correct if correct else example.incorrect).strip() + "\n"
    if place == "module":
        code = body
    elif place == "function":
        code = f"def run():\n{indent(body, '    ')}"
    elif place == "method":
        code = f"class Model:\n    def run(self):\n{indent(body, '        ')}"
    elif place == "nested function":
        code = f"def outer():\n    def run():\n{indent(body, '        ')}    return run()\n"
    else:
        code = f"run = lambda: {example.correct_lambda if correct else example.incorrect_lambda}\n"
    return f"import jax\nimport jax.numpy as jnp\n\n{code}"


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.code)
def test_jep_9263(example: Example, style: str) -> None:
    kinds = islice(cycle(KINDS), [*STYLES].index(style), None)
    for (place, correct), kind in zip(product(PLACES, (False, True)), kinds, strict=False):
        source, expectations = plain(program(example, place, correct=correct))
        assert [wanted.code for wanted in expectations] == ([] if correct else [example.code])
        block = Block("jep-9263", example.code, place, 1, frozenset(), source, expectations)
        assert lint_problems(block, lint_text, respell(of_kind(source, kind), style)) == [], (place, correct, kind)


def test_respelling_is_not_the_identity() -> None:
    source = program(REUSE, "function", correct=False)
    spelled = {respell(of_kind(source, kind), style) for kind in KINDS for style in STYLES}
    assert len(spelled) == len(STYLES) * len(KINDS)
    single = respell(source, "from jax.random import")
    assert "import jax; from jax.random import key as jax_key, uniform as jax_uniform\n" in single
    assert "jax_uniform(key, (100,))" in single
    assert "olympus.random.uniform(key" in respell(source, "import olympus")


def test_each_spelling_is_valid_python() -> None:
    for block in PAGE_BLOCKS:
        for style in STYLES:
            compile(respell(block.source, style), "example.py", "exec")


@pytest.mark.parametrize("name", ["PRNGKey", "make", "key"])
def test_a_seed_made_of_a_word_under_every_name_of_the_constructor(name: str) -> None:
    source = f"from jax.random import PRNGKey as {name}\n\n\ndef fresh(rng):\n    return {name}(rng[0])\n"
    assert [finding.code for finding in lint_text("example.py", source, Settings()).findings] == ["OLY101"]
