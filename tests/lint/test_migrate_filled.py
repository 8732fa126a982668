"""``--migrate`` and keys that are put into containers which a call made empty, and into those beside other results."""

from __future__ import annotations

from textwrap import dedent

import pytest
from migrated import is_told

from olympus_codemods.target import Target
from olympus_lint.migration.project import migrate
from olympus_lint.migration.text import Text
from olympus_lint.project.settings import Settings

STACK = """\
import collections
import dataclasses
import queue
from collections import deque

import jax


class Stack:
    def __init__(self):
        self.items = {made}

    def push(self, item):
        self.items.{put}(item)

    def top(self):
        return self.items{take}


stack = Stack()


def top():
    return stack.top()


stack.push(jax.random.PRNGKey(0))
assert top().shape == (2,)
"""
FILLED = {
    "deque": ("collections.deque()", "append", "[-1]"),
    "imported deque": ("deque(maxlen=3)", "appendleft", ".pop()"),
    "popleft": ("collections.deque()", "append", ".popleft()"),
    "list": ("list()", "append", "[0]"),
    "user list": ("collections.UserList()", "append", "[0]"),
    "deque in a dictionary": ('{"a": collections.deque()}["a"]', "append", "[-1]"),
}
FIELD = """\
import collections
import dataclasses

import jax


@dataclasses.dataclass
class Buffer:
    items: object = dataclasses.field(default_factory={factory})

    def push(self, item):
        self.items.append(item)


def newest(buffer):
    return buffer.items[-1]


buffer = Buffer()
buffer.push(jax.random.PRNGKey(0))
assert newest(buffer).shape == (2,)
"""
PAIRS = """\
from typing import NamedTuple

import jax


class Pair(NamedTuple):
    init: object
    apply: object


def with_state(function):
    def apply(params, state, rng):
        return function(rng), state

    return Pair(None, apply)


def without_state(pair):
    def apply(params, *args, **kwargs):
        out, _ = pair.apply(params, None, *args, **kwargs)
        return out

    return Pair(None, apply)


def first(rng):
    return jax.random.split(rng)[0]


_, apply = without_state(with_state(first))
out = apply({}, jax.random.PRNGKey(0))
assert out.shape == (2,)
"""
HELD = {
    **{name: STACK.replace("{made}", made).replace("{put}", put).replace("{take}", take)
       for name, (made, put, take) in FILLED.items()},
    **{f"field of {factory}": FIELD.replace("{factory}", factory) for factory in ("list", "collections.deque")},
}  # fmt: skip


@pytest.mark.parametrize("program", HELD.values(), ids=HELD.keys())
def test_the_shape_of_a_key_from_a_container_holds_back(program: str) -> None:
    migration = migrate([Text("program.py", Settings(), program)], Target("typed"), strict=True)
    (constructor,) = migration.constructors["program.py"]
    assert {reason.row for reason in constructor.reasons} <= {len(program.splitlines())}
    assert is_told(migration)


def test_containers_without_such_a_use_hold_nothing_back() -> None:
    program = dedent(
        """\
        from collections import deque

        import jax

        keys = deque(maxlen=2)
        keys.append(jax.random.PRNGKey(0))
        print(jax.random.normal(keys.popleft(), (2,)).shape == (2,))
        """
    )
    migration = migrate([Text("program.py", Settings(), program)], Target("typed"), strict=True)
    assert "jax.random.key(0)" in migration.texts[0].new
