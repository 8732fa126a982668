"""Calls with ``**`` of unknown mappings: what the callee asks for is in them."""

from __future__ import annotations

from pathlib import Path

import pytest
from witnessed import verdict

HELPER = "def helper(key, *, n, m=3):\n    return jax.random.normal(key, (n,))\n"

CONFIRMED = {
    "a required keyword": "def f(key, options):\n    a = «1 helper(key, **options)»\n",
    "what is left of it": "def f(key, options):\n    a = «1 helper(key, m=2, **options)»\n",
    "the variables of an object": "def f(key, args):\n    a = «1 helper(key, **vars(args))»\n",
    "two mappings": "def f(key, one, other):\n    a = «1 helper(key, **one, **other)»\n",
    "a merged dictionary": "def f(key, options):\n    a = «1 helper(key, **{'m': 2, **options})»\n",
    "a dictionary by name": "def f(key, options):\n    both = dict(m=2, **options)\n    a = «1 helper(key, **both)»\n",
    "an update": "def f(key, options):\n    own = {'m': 2}\n    own.update(options)\n    a = «1 helper(key, **own)»\n",
    "unknown names": "def f(key, options):\n    a = «1 helper(key, **{k: v for k, v in options.items()})»\n",
    "the keywords of a caller": "def f(key, **options):\n    a = «1 helper(key, **options)»\n",
    "keywords that are handed down": (
        "def pass_on(key, **more):\n    return helper(key, **more)\n"
        "def f(key, options):\n    a = «1 pass_on(key, **options)»\n"
    ),
    "an object": (
        "class Model:\n    def __init__(self, width, depth):\n        self.width = width\n"
        "    def draw(self, key):\n        return jax.random.normal(key, (self.width,))\n"
        "def f(key, config):\n    model = Model(**config)\n    a = «1 model.draw(key)»\n"
    ),
    "a data class": (
        "import dataclasses\n@dataclasses.dataclass\nclass Config:\n    width: int\n    rate: float\n"
        "    def draw(self, key):\n        return jax.random.normal(key, (self.width,))\n"
        "def f(key, config):\n    a = «1 Config(**config).draw(key)»\n"
    ),
    "a compiled function": (
        "@jax.jit\ndef fast(key, x, y):\n    return jax.random.normal(key) + x\n"
        "def f(key, options):\n    a = «1 fast(key, **options)»\n"
    ),
    "a function that JAX knows": "def f(key, options):\n    a = «1 jax.random.normal(key, **options)»\n",
}


@pytest.mark.parametrize("name", CONFIRMED)
def test_what_a_callee_asks_for_is_in_the_mapping(name: str, tmp_path: Path) -> None:
    head, _, call = CONFIRMED[name].rpartition("    a = ")
    program = f"{HELPER}{head}    a = {call.rstrip()}\n    return a + «2 jax.random.uniform(key)»"
    assert verdict(program, tmp_path).status == "confirmed"


ITEMS = {
    "a parameter": "def use(*, rng, **more):\n    return «1 jax.random.normal(rng)»\n",
    "an item of the keywords": "def use(**more):\n    return «1 jax.random.normal(more['rng'])»\n",
}


@pytest.mark.parametrize("name", ITEMS)
def test_a_key_in_the_mapping_is_the_one_that_it_has(name: str, tmp_path: Path) -> None:
    program = f"{ITEMS[name]}def f(keys):\n    a = use(**keys)\n    return a + «2 jax.random.uniform(keys['rng'])»"
    assert verdict(program, tmp_path).status == "confirmed"


UNDECIDED = {
    "the mapping may have another key": (
        "def use(key, *, rng=None):\n    rng = jax.random.fold_in(key, 1) if rng is None else rng\n"
        "    return «1 jax.random.normal(rng)»\n"
        "def f(key, options):\n    a = use(key, **options)\n    return a + «2 jax.random.uniform(key)»"
    ),
    "the keywords may have another key": (
        "def use(key, **more):\n    return «1 jax.random.normal(more.get('rng', jax.random.fold_in(key, 1)))»\n"
        "def f(key, options):\n    a = use(key, **options)\n    return a + «2 jax.random.uniform(key)»"
    ),
    "a function that writes to its keywords": (
        "def use(**more):\n    more['rng'] = jax.random.key(0)\n    return «1 jax.random.normal(more['rng'])»\n"
        "def f(keys):\n    a = use(**keys)\n    return a + «2 jax.random.uniform(keys['rng'])»"
    ),
}


@pytest.mark.parametrize("name", UNDECIDED)
def test_a_guess_about_a_mapping_refutes_nothing(name: str, tmp_path: Path) -> None:
    assert verdict(UNDECIDED[name], tmp_path).status == "inconclusive"


def test_a_known_mapping_is_passed_as_it_is(tmp_path: Path) -> None:
    program = (
        "def use(*, key, rng):\n    return «1 jax.random.normal(rng)»\ndef f(seed):\n"
        "    key, rng = jax.random.split(jax.random.key(seed))\n    keys = {'key': key, **{'rng': rng}}\n"
        "    return use(**keys) + «2 jax.random.uniform(key)»"
    )
    assert verdict(program, tmp_path).status == "refuted"
