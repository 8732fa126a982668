"""Inputs that nobody writes by hand: the analysis takes time in proportion to their size, and comes to an end."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from textwrap import indent

import pytest

from olympus_lint.project.settings import Settings
from olympus_lint.run.engine import lint_text

SETTINGS = Settings(select=("ALL",))
HEADER = "import jax\nimport jax.numpy as jnp\n\n\n"
ROUNDS = 6
SOME = 5  # each run of the tests measures every fifth sort of input, `pytest -m search` the others
GROWTH = 8  # at four times the size; twice what proportional work takes
TOO_SHORT = 0.05  # CPU seconds below which a measurement says nothing
BOUND = 30.0  # CPU seconds for the full size, many times what it takes


def long_function(n: int) -> str:
    rows = "".join(
        f"    key, k{i} = jax.random.split(key)\n    x = x + jax.random.normal(k{i})\n" for i in range(n // 2)
    )
    return f"def f(key, x):\n{rows}    return x\n"


def plain_function(n: int) -> str:
    rows = "".join(f"    x{i} = x{i // 2} * {i} + jnp.sin(x)\n" for i in range(1, n))
    return f"def f(key, x, x0):\n{rows}    return x + jax.random.normal(key)\n"


def elif_chain(n: int) -> str:
    arms = "".join(f"    elif mode == {i}:\n        x = jax.random.normal(key, ({i},))\n" for i in range(n))
    return f"def f(key, mode):\n    if mode == -1:\n        x = 0\n{arms}    return x\n"


def unlike_conditions(n: int) -> str:
    arms = "".join(f"    elif flags[{i}]:\n        x = jax.random.normal(key, ({i},))\n" for i in range(n))
    return f"def f(key, flags):\n    if flags is None:\n        x = 0\n{arms}    return x\n"


def sequential_ifs(n: int) -> str:
    rows = "".join(
        f"    if flags[{i}]:\n        key, k = jax.random.split(key)\n        x += jax.random.normal(k)\n"
        for i in range(n)
    )
    return f"def f(key, flags, x):\n{rows}    return x\n"


def sequential_draws(n: int) -> str:
    rows = "".join(f"    if flags[{i}]:\n        x += jax.random.normal(key)\n" for i in range(n))
    return f"def f(key, flags, x):\n{rows}    return x\n"


def early_returns(n: int) -> str:
    rows = "".join(f"    if flags[{i}]:\n        return jax.random.normal(key, ({i},))\n" for i in range(n))
    return f"def f(key, flags):\n{rows}    return 0\n"


def nested_ifs(n: int) -> str:
    body = "x = jax.random.normal(key)"
    for i in range(80):  # as deep as the parser goes, and as many of them as are asked for
        body = f"if flags[{i}]:\n" + indent(body, " ")
    functions = (f"def f{i}(key, flags):\n{indent(body, ' ')}\n" for i in range(n))
    return "\n\n".join(functions)


def nested_loops(n: int) -> str:
    body = "x = jax.random.normal(key)"
    for i in range(15):
        body = f"for i{i} in range(n):\n" + indent(body, " ")
    return "\n\n".join(f"def f{i}(key, n):\n{indent(body, ' ')}\n" for i in range(n))


def mutual_recursion(n: int) -> str:
    return "\n\n".join(
        f"def f{i}(key, x):\n    k, s = jax.random.split(key)\n"
        f"    return f{(i + 1) % n}(k, x) + f{(i * 7 + 3) % n}(s, x)\n"
        for i in range(n)
    )


def circle_over_parts(n: int) -> str:
    return "\n\n".join(
        f"def f{i}(value, key):\n    note(value)\n    if value.kind == {i}:\n"
        f"        return ['a', f{(i + 1) % n}(value[0], key)]\n    if value.sort:\n"
        f"        return [f{(i * 7 + 3) % n}(value.part, key), f{(i + 2) % n}(value.other, key)]\n"
        f"    return jax.random.normal(key)\n"
        for i in range(n)
    )


def everything_calls_everything(n: int) -> str:
    calls = " + ".join(f"f{i}(key)" for i in range(20))
    return "\n\n".join(f"def f{i}(key):\n    return jax.random.normal(key) + {calls}\n" for i in range(n))


def call_chain(n: int) -> str:
    helpers = (f"def f{i}(key):\n    return f{i + 1}(key)\n" for i in range(n))
    return "\n\n".join([*helpers, f"def f{n}(key):\n    return jax.random.normal(key)\n"])


def backward_call_chain(n: int) -> str:
    helpers = (f"def f{i}(key):\n    return f{i - 1}(key)\n" for i in range(1, n))
    return "\n\n".join(["def f0(key):\n    return jax.random.normal(key)\n", *helpers])


def splitting_chain(n: int) -> str:
    helpers = (
        f"def f{i}(key):\n    a, b = jax.random.split(key)\n    return f{i - 1}(a) + jax.random.normal(b)\n"
        for i in range(1, n)
    )
    return "\n\n".join(["def f0(key):\n    return jax.random.normal(key)\n", *helpers])


def literal(n: int) -> str:
    return (
        f"data = [{', '.join(map(str, range(n)))}]\nkey = jax.random.key(data[3])\nx = jax.random.choice(key, data)\n"
    )


def keys_literal(n: int) -> str:
    return (
        f"def f(key):\n    keys = jax.random.split(key, {n})\n"
        f"    xs = [{', '.join(f'jax.random.normal(keys[{i}])' for i in range(n))}]\n    return xs\n"
    )


def display(n: int) -> str:
    rows = ", ".join(f"'k{i}': jax.random.fold_in(key, {i})" for i in range(n))
    return f"def f(key):\n    rngs = {{{rows}}}\n    return jax.random.normal(rngs['k1'])\n"


def filled_display(n: int) -> str:
    rows = "".join(f"    rngs['k{i}'] = jax.random.fold_in(key, {i})\n" for i in range(n))
    return f"def f(key):\n    rngs = {{}}\n{rows}    return jax.random.normal(rngs['k1'])\n"


def appended(n: int) -> str:
    rows = "".join(f"    keys.append(jax.random.fold_in(key, {i}))\n" for i in range(n))
    return f"def f(key):\n    keys = []\n{rows}    return jax.random.normal(keys[0])\n"


def samplers(n: int) -> str:
    return "def f(key):\n" + "".join(f"    x{i} = jax.random.normal(key, ({i},))\n" for i in range(n))


def refreshed(n: int) -> str:
    step = "def step(key):\n    return jax.random.split(key)[0]\n"
    rows = "    key = step(key)\n" * n
    return f"{step}\n\ndef f(key):\n{rows}    return jax.random.normal(key)\n"


def refreshed_out_of_sight(n: int) -> str:
    rows = "    key = step(key)\n" * n
    return f"from helpers import step\n\n\ndef f(key):\n{rows}    return jax.random.normal(key)\n"


def folded(n: int) -> str:
    return "def f(key):\n" + "    key = jax.random.fold_in(key, 1)\n" * n + "    return jax.random.normal(key)\n"


def attributes(n: int) -> str:
    chain = "state" + ".next" * 90
    rows = "".join(f"    x{i} = jax.random.normal({chain}.key{i})\n" for i in range(n))
    return f"def f(state):\n{rows}"


def calls_of_calls(n: int) -> str:
    chain = "model" + ".set(key)" * 60
    return "def f(model, key):\n" + f"    x = {chain}\n" * n + "    return jax.random.normal(key)\n"


def operators(n: int) -> str:
    return f"def f(key, x):\n    return x + {' + '.join(['jax.random.normal(key)'] * n)}\n"


def lambdas(n: int) -> str:
    inner = "jax.random.normal(key)"
    for i in range(60):
        inner = f"(lambda x{i}: {inner})(x)"
    return "\n\n".join(f"def f{i}(key, x):\n    return {inner}\n" for i in range(n))


def closures(n: int) -> str:
    body = "return jax.random.normal(key)"
    for i in range(60):
        body = f"def f{i}(x):\n{indent(body, ' ')}\nreturn f{i}(x)"
    return "\n\n".join(f"def g{i}(key, x):\n{indent(body, ' ')}\n" for i in range(n))


def methods(n: int) -> str:
    rows = "".join(
        f"    def m{i}(self, x):\n        self.key, k = jax.random.split(self.key)\n"
        f"        return self.m{(i + 1) % n}(x) + jax.random.normal(k)\n\n"
        for i in range(n)
    )
    return f"class Model:\n{rows}"


def conditions_of_many_functions(n: int) -> str:
    return "\n\n".join(
        f"def f{i}(key, a, b, c):\n    if (a and b) or c:\n        x = jax.random.normal(key)\n"
        f"    elif a and not c:\n        x = jax.random.uniform(key)\n    else:\n        x = 0\n"
        f"    return x if a or b else jax.random.bits(key)\n"
        for i in range(n)
    )


def lanes(n: int) -> str:
    rows = "".join(f"    x{i} = jax.vmap(g, in_axes=(None, 0))(key, xs)\n" for i in range(n))
    return (
        "def g(key, x):\n    a, b = jax.random.split(key)\n    return x * jax.random.normal(a) + jax.random.normal(b)\n"
        f"\n\ndef f(key, xs):\n{rows}"
    )


def comprehensions(n: int) -> str:
    rows = "".join(f"    x{i} = [jax.random.normal(k) for k in jax.random.split(key)]\n" for i in range(n))
    return f"def f(key):\n{rows}"


def tries(n: int) -> str:
    rows = "    try:\n        x = jax.random.normal(key)\n    except ValueError:\n        x = 0\n" * n
    return f"def f(key):\n{rows}    return x\n"


def scans_of_scans(n: int) -> str:
    scans = (
        f"def b{i}(c, x):\n    k, s = jax.random.split(c)\n    return jax.lax.scan(b{i - 1}, k, x)\n"
        for i in range(1, n)
    )
    return "\n\n".join(["def b0(c, x):\n    return c, jax.random.normal(c)\n", *scans])


def pairs_of_pairs(n: int) -> str:
    return "def f(key):\n    x = key\n" + "    x = (x, x)\n" * n + "    return jax.random.normal(x)\n"


def loops_that_end() -> str:
    body = "x = jax.random.normal(key)"
    for i in range(15):  # each way out of a loop runs what stands in its `else`: three to the fifteenth
        body = f"for i{i} in range(n):\n x = 1\nelse:\n{indent(body, ' ')}"
    return f"def f(key, n):\n{indent(body, ' ')}\n"


INPUTS: dict[Callable[[int], str], int] = {
    long_function: 5_000,
    plain_function: 5_000,
    elif_chain: 2_000,
    unlike_conditions: 2_000,
    sequential_ifs: 500,
    sequential_draws: 500,
    early_returns: 500,
    nested_ifs: 24,
    nested_loops: 4,
    mutual_recursion: 200,
    everything_calls_everything: 100,
    call_chain: 2_000,
    backward_call_chain: 2_000,
    splitting_chain: 400,
    literal: 20_000,
    keys_literal: 2_000,
    display: 4_000,
    filled_display: 2_000,
    appended: 2_000,
    samplers: 2_500,
    refreshed: 2_500,
    refreshed_out_of_sight: 2_500,
    folded: 2_500,
    attributes: 400,
    calls_of_calls: 100,
    operators: 1_000,
    lambdas: 20,
    closures: 20,
    methods: 200,
    conditions_of_many_functions: 800,
    lanes: 1_000,
    comprehensions: 1_000,
    tries: 500,
    scans_of_scans: 200,
    pairs_of_pairs: 2_000,
}


def seconds(text: str) -> float:
    """Return the CPU time of one check."""
    gc.collect()
    gc.disable()  # its work depends on all that the tests before have left behind
    start = time.process_time()
    result = lint_text("a.py", HEADER + text, SETTINGS)
    taken = time.process_time() - start
    gc.enable()
    assert not result.errors
    assert taken < BOUND
    return taken


@pytest.mark.parametrize(
    ("make", "size"),
    [
        pytest.param(make, size, id=make.__name__, marks=[pytest.mark.search] if number % SOME else [])
        for number, (make, size) in enumerate(INPUTS.items())
    ],
)
def test_time_grows_with_size(make: Callable[[int], str], size: int) -> None:
    small, large = make(size // 4), make(size)
    short = long = BOUND
    for _ in range(ROUNDS):  # another process may be in the way; the least of some rounds is what it takes
        short, long = min(short, seconds(small)), min(long, seconds(large))
        if long < GROWTH * max(short, TOO_SHORT):
            return
    raise AssertionError(f"{size // 4} takes {short:.2f} s, {size} takes {long:.2f} s")


def test_functions_in_a_circle_hand_on_what_they_know_within_bounds() -> None:
    """Results and changes of each grow into those of the others: unbounded, eight took ten seconds, twelve an hour."""
    assert seconds(circle_over_parts(16)) < BOUND / 3


@pytest.mark.search
def test_what_takes_quadratic_time_is_seen() -> None:
    """The measure itself: work on every pair does not pass for work on every item."""

    def work(n: int) -> float:
        start = time.process_time()
        sum(1 for i in range(n) for _ in range(i))
        return time.process_time() - start

    short, long = (min(work(n) for _ in range(ROUNDS)) for n in (2_500, 10_000))
    assert short > TOO_SHORT / 2 and long > GROWTH * short


@pytest.mark.search
def test_a_function_without_end_is_left_with_a_note() -> None:
    result = lint_text("a.py", HEADER + loops_that_end(), SETTINGS)
    assert [note.message.partition(" takes")[0] for note in result.notes] == ["function `f` on line 5"]
