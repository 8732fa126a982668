"""Text of keys, examples that show keys, and shapes of keys behind names: announced before anything is renamed."""

from __future__ import annotations

import contextlib
import doctest
import io

import pytest
from migrated import is_told

from olympus_codemods.target import Target
from olympus_lint.embedded.module import read
from olympus_lint.migration.migration import Migration
from olympus_lint.migration.project import migrate
from olympus_lint.migration.report_content import is_silent, left_in_order
from olympus_lint.migration.text import Text
from olympus_lint.project.settings import Settings

HEAD = """\
import dataclasses
import hashlib
import logging
import math
import pprint
import typing
import warnings

import jax
import jax.numpy as jnp
import numpy as np

log = logging.getLogger()


class Tuple(typing.NamedTuple):
    key: jax.Array


@dataclasses.dataclass
class Record:
    key: jax.Array


class Plain:
    def __init__(self, key):
        self.key = key


key = jax.random.PRNGKey(0)
state, named, record, plain = {"key": key, "n": 1}, Tuple(key), Record(key), Plain(key)
names = {}
"""
PRINTED = """
print(key)
print(f"key {key}")
print(state)
print(named)
print(record)
print("%s" % key)
print("{}".format(key))
log.info("key %s", key)
logging.warning("state %s", state)
jax.debug.print("{}", key)
jax.debug.print("{k}", k=key)
pprint.pprint(state)
warnings.warn(f"key {key}")
""".strip().splitlines()
STORED = """
x = f"{state}"
x = f"{named!r}"
x = f"{record}"
x = str(named)
x = repr(state)
x = pprint.pformat(state)
names[repr(state)] = 1
x = hashlib.sha256(repr(state).encode()).hexdigest()
x = hash(str(record))
x = [str(each) for each in (state, named)]
""".strip().splitlines()
SHAPES = {
    "item": "key = jax.random.PRNGKey(0)\nKEY_SHAPE = key.shape\nx = KEY_SHAPE[0]",
    "length": "key = jax.random.PRNGKey(0)\nKEY_SHAPE = key.shape\nx = len(KEY_SHAPE)",
    "last item": "SHAPE = jax.random.split(jax.random.PRNGKey(0)).shape\ndef f():\n    return SHAPE[-1]",
    "first items": "SHAPE = jax.random.split(jax.random.PRNGKey(0)).shape\ndef f():\n    return SHAPE[:-1]",
    "last items": "SHAPE = jax.random.split(jax.random.PRNGKey(0)).shape\ndef f():\n    return SHAPE[-1:]",
    "constant": "KEY_SHAPE = jax.random.PRNGKey(0).shape\ndef f(x):\n    return x.shape[-1:] == KEY_SHAPE",
    "constant for others": "KEY_SHAPE = jax.random.PRNGKey(0).shape",
    "constant of a class": "class C:\n    SHAPE = jax.random.PRNGKey(0).shape\n    def f(self):\n        self.SHAPE",
    "np.prod": "x = np.prod(jax.random.PRNGKey(0).shape)",
    "math.prod": "x = math.prod(jax.random.PRNGKey(0).shape)",
    "jnp.shape": "SHAPE = jnp.shape(jax.random.PRNGKey(0))",
    "np.size": "x = np.size(jax.random.PRNGKey(0))",
    "np.ndim": "x = np.ndim(jax.random.PRNGKey(0))",
    "size": "x = jax.random.PRNGKey(0).size * 4",
    "printed": "key = jax.random.PRNGKey(0)\nprint(key.shape, key.dtype)",
    "reduced": "state = {'k': jax.random.PRNGKey(0)}\nn = jax.tree.reduce(lambda n, x: n + x.size, state, 0)",
    "counted": "import optax\nstate = {'k': jax.random.PRNGKey(0)}\nn = optax.tree_utils.tree_size(state)",
    "flattened": "from jax.flatten_util import ravel_pytree\nx = ravel_pytree({'k': jax.random.PRNGKey(0)})",
}  # fmt: skip
EXAMPLES = [
    "key",
    "key, 3",
    "[key]",
    "key.shape",
    "key.dtype",
    "key.ndim",
    "key.size * 2",
    "len(key.shape)",
    "type(key)",
    "print(key)",
    "print(state)",
    "jax.random.PRNGKey(3)",
    "jax.random.split(key)",
    "jax.random.split(key).shape",
    "jax.random.split(key)[0]",
    "state",
    "named",
    "jax.tree.map(jnp.shape, state)",
    "jax.tree.map(lambda x: x.shape, state)",
    "jax.eval_shape(jax.random.split, key)",
    "jax.make_jaxpr(lambda k: jax.random.fold_in(k, 1))(key)",
    "f'{key}'",
    "make(3)",
]
SAME = [
    "jax.random.uniform(key)",
    "jax.random.uniform(key, (3,)).shape",
    "jax.random.split(key, 3).shape[0]",
    "key is None",
    "len(jax.random.split(key))",
]


def migrated(text: str, *, strict: bool = False) -> Migration:
    embedded = read("program.py", text, "python")
    one = Text("program.py", Settings(), embedded.text, embedded=embedded)
    return migrate([one], Target("typed"), strict=strict)


def rows(migration: Migration) -> list[int]:
    """Return the rows of silent changes that are left."""
    return [each.report.finding.span.start.row for each in left_in_order(migration) if is_silent(each.report.fact)]


def with_lines(lines: list[str]) -> str:
    return HEAD + "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize("line", STORED)
def test_text_that_is_kept_holds_back(line: str) -> None:
    assert is_told(migrated(with_lines([line]), strict=True))


def test_text_without_keys_is_no_matter() -> None:
    lines = ["print(state['n'], len(names))", "x = f'{state[\"n\"]}'", "log.info('%d', 3)", "x = '%s' % names"]
    migration = migrated(with_lines(lines))
    assert migration.free and not migration.is_open


def test_text_that_a_class_writes_itself_is_rewritten_there() -> None:
    method = ["class One(Plain):", "    def __str__(self):", "        return str(self.key)", "x = str(One(key))"]
    migration = migrated(with_lines(method))
    assert migration.free and not migration.held and is_told(migration)
    assert "str(jax.random.key_data(self.key))" in migration.texts[0].new


def test_suppressed_text_is_not_told() -> None:
    assert not migrated(with_lines(["print(named)  # noqa: OLY206"])).is_open


@pytest.mark.parametrize("code", SHAPES.values(), ids=SHAPES)
def test_shapes_behind_names_hold_back(code: str) -> None:
    text = f"import math\nimport jax\nimport jax.numpy as jnp\nimport numpy as np\n\n{code}\n"
    migration = migrated(text, strict=True)
    assert (migration.held and not migration.free) or any(text.rewritten for text in migration.texts)


def module_with(examples: list[str], outputs: list[str]) -> str:
    setup = [
        "import jax, jax.numpy as jnp, collections",
        "key = jax.random.PRNGKey(42)",
        "state = {'key': key}",
        "named = collections.namedtuple('Named', 'key')(key)",
    ]
    lines = [f">>> {line}" for line in setup]
    for example, output in zip(examples, outputs, strict=True):
        lines += [f">>> {example}", *output.splitlines()]
    docstring = "\n".join(lines)
    return f'r"""Keys.\n\n{docstring}\n"""\nimport jax\n\n\ndef make(seed):\n    return jax.random.PRNGKey(seed)\n'


def outputs_of(examples: list[str]) -> list[str]:
    """Return what Python shows for each example, with raw keys."""
    found = []
    scope: dict[str, object] = {}
    text = module_with([], [])
    exec(text, scope)
    for line in doctest.DocTestParser().get_examples(str(scope["__doc__"])):
        exec(line.source, scope)
    for example in examples:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(example, "<example>", "single"), scope)
        found.append(out.getvalue())
    return found


def test_examples_without_keys_in_their_output_are_no_matter() -> None:
    migration = migrated(module_with(SAME, ["0"] * len(SAME)))
    assert migration.free and not migration.held and not rows(migration)
