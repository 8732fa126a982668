"""Identities against the key words of a run: equal identities are equal keys, and different ones are not.

A random program makes keys of keys and draws from them. It returns the words of every key that it draws from, so that
executing it tells what the identities have to say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from searches import searched

jax = pytest.importorskip("jax", reason="identities are compared with the keys of a run")
from jax import lax  # noqa: E402
from jax import numpy as jnp  # noqa: E402
from jax import random as r  # noqa: E402

from olympus import lineage  # noqa: E402

Step = tuple[str, int, int]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ["split", "fold", "pick", "stack", "reverse", "gather", "where", "words", "clone", "seed", "cond", "draw"]
        ),
        st.integers(0, 9),
        st.integers(0, 3),
    ),
    min_size=2,
    max_size=14,
)


def program(steps: list[Step]) -> Callable[[Any], list[Any]]:
    """Return a function of a key that does these steps and returns the words of the keys that it draws from."""

    def run(key: Any) -> list[Any]:
        keys, batches, words = [key], [r.split(key, 3)], []
        for name, which, number in steps:
            one, batch = keys[which % len(keys)], batches[which % len(batches)]
            match name:
                case "split":
                    batches.append(r.split(one, number + 1))
                case "fold":
                    keys.append(r.fold_in(one, number))
                case "pick":
                    keys.append(batch[number % len(batch)])
                case "stack":
                    batches.append(jnp.stack([one, keys[number % len(keys)]]))
                case "reverse":
                    batches.append(batch[::-1])
                case "gather":
                    batches.append(batch[jnp.array([number % len(batch), 0])])
                case "where":
                    keys.append(jnp.where(jnp.arange(3).sum() > number, one, batch[0]))
                case "words":
                    again = r.wrap_key_data(r.key_data(one))
                    keys.append(again if one.dtype == again.dtype else r.key_data(again))
                case "clone":
                    keys.append(r.clone(one))
                case "seed":
                    keys.append(r.key(number) if one.dtype != jnp.uint32 else r.PRNGKey(number))
                case "cond":
                    keys.append(lax.cond(number > 1, lambda a, b: a, lambda a, b: b, one, batch[-1]))
                case "draw":
                    words.append(r.key_data(one))
                    r.bits(one)
        return words

    return run


def stream(state: Any, number: int) -> Any:
    """Return what a key's bits are a function of: derivations that give one key are one."""
    operation, children, data = state[number]
    if operation == "split" and len(data[0]) == 1:
        return ("child", stream(state, children[0]), data[1])
    if operation == "fold_in" and state[children[1]].operation == "literal":
        return ("child", stream(state, children[0]), state[children[1]].data)
    if operation == "clone":
        return stream(state, children[0])
    if operation == "seed":
        return ("seed", state[children[0]])
    return ("key", number)


@searched(STEPS, few=12, many=40)
def test_equal_identities_are_equal_keys(steps: list[Step]) -> None:
    function = program([*steps, ("draw", 0, 0)])
    key = r.key(1_000)  # no step seeds with this
    found = lineage.of(function, key)
    drawn = [event.keys[0] for event in found.events if event.kind == "draw"]
    words = [tuple(np.asarray(each).tolist()) for each in function(key)]
    assert len(drawn) == len(words)
    known = [
        (stream(found.identities, number), word)
        for number, word in zip(drawn, words, strict=True)
        if found.identities.is_certain(number)
    ]
    by_stream: dict[Any, tuple[int, ...]] = {}
    for identity, word in known:
        assert by_stream.setdefault(identity, word) == word
    assert len(set(by_stream.values())) == len(by_stream)


@searched(STEPS, few=6, many=20)
def test_raw_keys_have_the_misuses_of_typed_ones(steps: list[Step]) -> None:
    function = program([*steps, ("draw", 0, 0)])
    typed = lineage.of(function, r.key(1_000))
    raw = lineage.of(lambda key: function(r.key_data(key)), r.key(1_000))
    assert [each.kind for each in typed.misuses] == [each.kind for each in raw.misuses]
