"""Keys in objects, dictionaries and recursive walks keep their way: programs that break are not renamed silently."""

from __future__ import annotations

import pytest
from migrated import FAILED, is_told, numbers

from olympus_codemods.target import Target
from olympus_lint.migration.migration import Migration
from olympus_lint.migration.project import migrate
from olympus_lint.migration.text import Text
from olympus_lint.project.settings import Settings

HEAD = """\
import collections
import copy
import dataclasses
import itertools
import threading
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

T = TypeVar("T")
result = []
key = jax.random.PRNGKey(0)
keys = jax.random.split(key, 3)
first, second = jax.random.split(key)
TREE = {"a": {"w": jnp.ones(3), "key": key}}
STATE = {"w": jnp.ones(3), "key": key}


@dataclass
class Data:
    w: Any
    key: Any


class Row(NamedTuple):
    w: Any
    key: Any


class Box(Generic[T]):
    def __init__(self, item):
        self.item = item

    def get(self):
        return self.item


class Seq:
    def __init__(self, key):
        self.key = key

    def __iter__(self):
        return self

    def __next__(self):
        self.key, sub = jax.random.split(self.key)
        return sub


class Stack:
    def __init__(self):
        self.storage = collections.deque()

    def push(self, item):
        self.storage.append(item)

    def peek(self):
        return self.storage[-1]


"""
WALK = """
def walk(tree):
    if isinstance(tree, {kind}):
        return {parts}
    return {leaf}
result = walk({tree})
"""
BREAKING = {
    "decorated function": """
def timed(f):
    def inner(*args, **kwargs):
        return f(*args, **kwargs)
    return inner
@timed
def shown(x):
    return np.asarray(x)
result = shown(key)
""",
    "decorator that looks at arguments": """
def looked(f):
    def inner(*args, **kwargs):
        result.append([np.asarray(each) for each in args])
        return f(*args, **kwargs)
    return inner
@looked
def draw(x):
    return jax.random.normal(x)
draw(key)
""",
    "decorator that looks at the result": """
def looked(f):
    def inner(*args, **kwargs):
        made = f(*args, **kwargs)
        result.append(np.asarray(made))
        return made
    return inner
@looked
def same(x):
    return x
same(key)
""",
    "special method": """
class Source:
    def __init__(self, key):
        self.key = key
    def __getitem__(self, number):
        return jax.random.fold_in(self.key, number)
result = np.asarray(Source(key)[1])
""",
    "index of a subclass of list": """
class Keys(list):
    pass
result = np.asarray(Keys([key])[0])
""",
    "index of a named tuple": """
result = np.asarray(Row('a', key)[1])
""",
    "test in a function, of arrays too": """
def is_known(x):
    return isinstance(x, (list, jax.Array))
def save(value):
    return np.asarray(value) if is_known(value) else value
result = save(key), save([2])
""",
    "test in a function, that it does not pass": """
def is_sequence(x):
    return isinstance(x, list)
def save(value):
    return value if is_sequence(value) else np.asarray(value)
result = save(key), save([2])
""",
    "test in a function of another name": """
def is_sequence(x):
    return isinstance(x, list)
if len(STATE) > 1:
    def is_sequence(x):
        return True
def save(value):
    return np.asarray(value) if is_sequence(value) else value
result = save(key), save([2])
""",
    "vars of self": """
class A:
    def __init__(self, key):
        self.key = key
    def words(self):
        return vars(self)["key"].shape[-1]
result = A(key).words()
""",
    "text of a dtype": "result = [len(x) for x in jax.tree.leaves(jax.tree.map(lambda x: str(x.dtype), STATE))]",
    "description": "specs = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), STATE)\n"
    "result = [each.size for each in jax.tree.leaves(specs)]",
    "class method of a base": """
class Base:
    @classmethod
    def create(cls, **given):
        return cls(**given)
@jax.tree_util.register_dataclass
@dataclass
class State(Base):
    w: Any
    key: Any
result = sum(x.size for x in jax.tree.leaves(State.create(w=jnp.ones(3), key=key)))
""",
    "copy of a named tuple": "result = [x.size for x in Row(jnp.ones(3), None)._replace(key=key)]",
    "named tuple of a list": "result = np.sum(Row._make([jnp.ones(3), key]).key)",
    "merged dictionaries": "result = (STATE | {'n': 1})['key'].size",
    "merged with what may have the name": """
def merged(flag):
    more = {}
    if flag:
        more["other"] = 1
    return STATE | more
result = merged(False)["key"].size
""",
    "dictionary of a dictionary": "result = dict(STATE, n=1)['key'].size",
    "loop over a chain of rows": "for word in itertools.chain.from_iterable(keys):\n    result.append(int(word))",
    "next of an iterator": "result = next(iter(Seq(key))).size",
    "subscript of a generic base": """
class KeyBox(Box[int]):
    pass
result = KeyBox(key).get().size
""",
    "subscript of a generic class": "result = Box[int](key).get().size",
    "base of the standard library": """
class Local(Stack, threading.local):
    pass
STACK = Local()
STACK.push(Seq(key))
result = next(STACK.peek()).size
""",
    "stack of frames": """
class Frame(NamedTuple):
    params: Any
    keys: Any
STACK = Stack()
STACK.push(Frame({}, Stack()))
STACK.peek().keys.push(Seq(key))
result = next(STACK.peek().keys.peek()).size
""",
}
LIBRARIES = {
    "attribute": "result = state.key.size",
    "leaves": "result = [np.asarray(x) for x in jax.tree.leaves(state)]",
    "bytes": "result = len(flax.serialization.to_bytes(state))",
    "copy": "result = sum(x.size for x in jax.tree.leaves(state.replace(key=jax.random.PRNGKey(1))))",
}
TRAINING = """
import flax
from flax.training import train_state
class State(train_state.TrainState):
    key: Any
state = State.create(apply_fn=None, params={"w": jnp.ones(3)}, tx=None, key=key)
"""
RIGHT = {
    "walk": """
def walk(tree, f):
    if isinstance(tree, dict):
        return {k: walk(v, f) for k, v in tree.items()}
    return f(tree)
result = jax.random.normal(walk(TREE, lambda x: x)["a"]["key"])
""",
    "another decorated function": """
import functools, time
def timed(f):
    'Say how long it takes.'
    @functools.wraps(f)
    def inner(*args, **kwargs):
        started = time.time()
        with jax.named_scope(f.__name__):
            made = f(*args, **kwargs)
        result.append(time.time() > started)
        return made
    return inner
@timed
def draw(key, scale=1.0):
    return jax.random.normal(key) * scale
@timed
def shown(x):
    return np.asarray(x)
result = draw(key, scale=2.0), shown([1.0])
""",
    "another special method": """
class Source:
    def __init__(self, key):
        self.key = key
    def __next__(self):
        self.key, sub = jax.random.split(self.key)
        return sub
    def __getitem__(self, number):
        return [1.0, 2.0][number]
source = Source(key)
result = np.asarray(source[1]), jax.random.normal(next(source))
""",
    "test in a function": """
def is_sequence(x):
    'Say whether it has parts.'
    return isinstance(x, (list, tuple))
def is_long(x):
    return is_sequence(x) and len(x) > 1
def save(value):
    if is_long(value):
        return [np.asarray(v) for v in value]
    if is_sequence(value):
        return np.asarray(value)
    return jax.random.normal(value)
result = save(key), save([np.ones(3), np.ones(2)]), save([2])
""",
    "no such test": """
def is_sequence(x):
    return isinstance(x, (list, tuple))
def save(value):
    if not is_sequence(value):
        return jax.random.normal(value)
    return np.asarray(value)
result = save(key), save([2])
""",
    "spread": "result = jax.random.normal({**STATE, 'n': 1}['key'])",
    "overwritten": "result = ({'key': jnp.ones(2)} | {'key': key, 'w': 1})['key']",
    "another element": "other = STATE | {'n': 1}\nresult = np.sum(other['w']), jax.random.normal(other['key'])",
    "grid": "grid = jax.random.split(key, (2, 3))\n"
    "result = [jax.random.normal(k) for k in itertools.chain.from_iterable(grid)]",
    "slice": "result = [jax.random.normal(k) for k in itertools.islice(keys, 2)]",
    "lists": "result = [jax.random.normal(k) for k in itertools.chain.from_iterable([[first], [second]])]",
    "product": "result = [jax.random.normal(k) * n for k, n in itertools.product(keys, range(2))]",
    "repeat": "result = [jax.random.normal(k) for k in itertools.repeat(key, 2)]",
    "next": "result = jax.random.normal(next(iter(keys))), jax.random.normal(next(Seq(key)))",
    "text": "result = jax.random.normal(Row('abc'.replace('a', 'b'), key).key)",
}


def migrated(body: str, *, strict: bool = True) -> Migration:
    """Return the migration of a program."""
    return migrate([Text("program.py", Settings(), f"{HEAD}{body}\n")], Target("typed"), strict=strict)


FOLLOWED = ("decorator that looks at arguments", "special method")
"""Programs whose reads the key flow sees, so that they are rewritten."""


@pytest.mark.parametrize("name", FOLLOWED)
def test_what_is_followed_is_rewritten(name: str) -> None:
    migration = migrated(BREAKING[name])
    assert migration.free and not migration.held
    pytest.importorskip("jax", reason="the programs are executed")
    (text,) = migration.changed
    assert "key_data" in text.new
    assert numbers(text.new, typed=False) == numbers(text.old, typed=False) != FAILED


@pytest.mark.parametrize("name", [name for name in BREAKING if name not in FOLLOWED])
def test_what_breaks_is_announced(name: str) -> None:
    migration = migrated(BREAKING[name])
    assert is_told(migration) and not (migration.held and migration.free)


@pytest.mark.parametrize("use", LIBRARIES.values(), ids=LIBRARIES)
def test_objects_of_library_classes_keep_their_keys(use: str) -> None:
    migration = migrated(TRAINING + use)
    assert migration.held


@pytest.mark.parametrize("body", RIGHT.values(), ids=RIGHT)
def test_what_works_is_renamed(body: str) -> None:
    migration = migrated(body, strict=False)
    assert migration.free and not migration.held
    pytest.importorskip("jax", reason="needs JAX, the extra `trace`")
    assert numbers(migration.texts[0].new, typed=False) == numbers(f"{HEAD}{body}\n", typed=False) != []
