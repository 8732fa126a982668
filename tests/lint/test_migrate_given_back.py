"""A call stores a key in what it returns: the key comes back from there, so that no raw key meets a typed one."""

from __future__ import annotations

import pytest
from migrated import FAILED, numbers

from olympus_codemods.target import Target
from olympus_lint.migration.places import Text
from olympus_lint.migration.project import Migration, migrate
from olympus_lint.project.settings import Settings

pytest.importorskip("jax", reason="needs JAX, the extra `trace`")

HEAD = """\
import jax
import jax.numpy as jnp
from jax.random import PRNGKey, normal

"""
STORED = {
    "argparse": (
        """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--key", default=PRNGKey(0))
args = parser.parse_args([])
""",
        "args.key",
    ),
    "argparse in functions": (
        """
import argparse
def parse():
    parser = argparse.ArgumentParser()
    parser.set_defaults(key=PRNGKey(0))
    return parser.parse_args([])
""",
        "parse().key",
    ),
    "argparse in a class": (
        """
import argparse
class Options:
    def __init__(self):
        self.parser = argparse.ArgumentParser()
        self.parser.add_argument("--key", default=PRNGKey(0))
    def get(self): return self.parser.parse_args([])
""",
        "Options().get().key",
    ),
    "argparse as a dictionary": (
        """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--key", default=PRNGKey(0))
args = vars(parser.parse_args([]))
""",
        'args["key"]',
    ),
    "namedtuple": (
        """
from collections import namedtuple
State = namedtuple("State", "key step", defaults=(PRNGKey(0), 0))
""",
        "State().key",
    ),
    "namedtuple unpacked": (
        """
import collections
State = collections.namedtuple("State", "key step", defaults=[PRNGKey(0), 0])
key, step = State()
""",
        "key",
    ),
    "namedtuple by number": (
        """
import collections
State = collections.namedtuple("State", ["key", "step"], defaults=(PRNGKey(0), 0))
""",
        "State()[0]",
    ),
    "make_dataclass": (
        """
from dataclasses import field, make_dataclass
State = make_dataclass("State", [("key", object, field(default_factory=lambda: PRNGKey(0)))])
""",
        "State().key",
    ),
    "make_dataclass with attributes": (
        """
import dataclasses
State = dataclasses.make_dataclass("State", ["n"], namespace={"key": PRNGKey(0)})
""",
        "State(2).key",
    ),
    "the arguments of partial": (
        """
import functools
draw = functools.partial(normal, PRNGKey(0))
call = functools.partial(lambda key, n: key, PRNGKey(0))
""",
        "call.args[0]",
    ),
    "the keywords of partial": (
        """
import functools
call = functools.partial(lambda key, n: key, key=PRNGKey(0))
""",
        'call.keywords["key"]',
    ),
    "the defaults of a function": (
        """
def draw(key=PRNGKey(0)): return key
""",
        "draw.__defaults__[0]",
    ),
    "the function under a cache": (
        """
import functools
@functools.cache
def make(n): return PRNGKey(n)
""",
        "make.__wrapped__(0)",
    ),
    "a namespace": ("\nimport types\nargs = types.SimpleNamespace(key=PRNGKey(0))\n", "args.key"),
    "a chain": ("\nimport collections\ntable = collections.ChainMap({'k': PRNGKey(0)}, {})\n", 'table["k"]'),
    "an ordered dictionary": ("\nimport collections\ntable = collections.OrderedDict(k=PRNGKey(0))\n", 'table["k"]'),
    "a default": ("\nimport collections\ntable = collections.defaultdict(lambda: PRNGKey(0))\n", 'table["k"]'),
    "repeated": ("\nimport itertools\nkeys = itertools.repeat(PRNGKey(0))\n", "next(keys)"),
    "a cycle": ("\nimport itertools\nkeys = itertools.cycle([PRNGKey(0)])\n", "next(keys)"),
    "a context": ("\nimport contextvars\nheld = contextvars.ContextVar('held', default=PRNGKey(0))\n", "held.get()"),
    "an item": ("\nimport operator\ntake = operator.itemgetter('k')\n", "take({'k': PRNGKey(0)})"),
}
MET = """\
other = PRNGKey(9)
result = [jnp.sum(other[:1]), jnp.stack([{stored}, other])[:, 1]]
"""
"""The keys meet in an array, and one of them stays raw."""
READ = "result = [{stored}[0]]\n"
DRAWN = "result = [normal({stored})]\n"


def migrated(text: str) -> Migration:
    return migrate([Text("program.py", Settings(), text)], Target("typed"), strict=True)


@pytest.mark.parametrize("use", [MET, READ, DRAWN], ids=["met", "read", "drawn"])
@pytest.mark.parametrize(("code", "stored"), STORED.values(), ids=STORED)
def test_a_key_comes_back_from_what_a_call_stores_it_in(code: str, stored: str, use: str) -> None:
    text = HEAD + code.lstrip("\n") + use.format(stored=stored)
    migration = migrated(text)
    before = numbers(text, typed=False)
    assert before != FAILED and numbers(migration.texts[0].new, typed=False) == before
    assert use != DRAWN or not migration.held
