"""Methods that a class leaves to its subclasses by a decorator: what they do with a key is out of reach.

The base class is in one file, the rest in another. A wrong program has one reuse, at the marked row; its right twin
none.
"""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from olympus_rules.finding import Confidence
from olympus_rules.keyflow.facts import EqualKeys, Reuse
from olympus_rules.keyflow.linking.project import Project

MARK = "  # reuse"
BASE = '''
from abc import ABC, abstractmethod
import jax
from jaxtyping import PRNGKeyArray


class Environment(ABC):
    @abstractmethod
    def init(self, key: PRNGKeyArray):
        """Begin an episode."""

    @abstractmethod
    def sample(self, key: PRNGKeyArray): ...

    @property
    @abstractmethod
    def size(self):
        pass

    def reset(self, key: PRNGKeyArray):
        return self.init(key)

    def again(self, key: PRNGKeyArray, state):
        return jax.tree.map(lambda x, y: x + y, self.reset(key), state)
'''
MAIN = """
import jax
from jaxtyping import PRNGKeyArray
from .base import Environment


class Wrapper(Environment):
    inner: Environment
"""


def reuses(folder: Path, main: str, base: str = BASE, name: str = "pkg") -> list[tuple[int, Confidence]]:
    """Return the rows of the reuses in the second of two files, with their confidence."""
    package = folder / name
    package.mkdir(exist_ok=True, parents=True)
    (package.parent / "__init__.py").touch()
    (folder / "pyproject.toml").touch()
    for module, text in (("__init__", ""), ("base", base), ("main", main)):
        (package / f"{module}.py").write_text(text, "utf-8")
    project = Project()
    facts = project.analysis(project.document(str(package / "main.py"), main)).run(by_name=False)
    found = [fact for fact in facts if isinstance(fact, Reuse | EqualKeys) and fact.confidence > Confidence.POSSIBLE]
    return [(fact.node.lineno, fact.confidence) for fact in found]


PAIRS = {
    "beside a draw": (
        "def step(self, key: PRNGKeyArray):\n    return self.init(key), jax.random.normal(key)  # reuse",
        "def step(self, key: PRNGKeyArray):\n    one, two = jax.random.split(key)\n"
        "    return self.init(one), jax.random.normal(two)",
    ),
    "by two methods": (
        "def step(self, key: PRNGKeyArray):\n    state = self.init(key)\n    return state, self.sample(key)  # reuse",
        "def step(self, key: PRNGKeyArray, fast):\n    return self.init(key) if fast else self.sample(key)",
    ),
    "through a method of the base": (
        "def step(self, key: PRNGKeyArray):\n    return self.reset(key), jax.random.normal(key)  # reuse",
        "def step(self, key: PRNGKeyArray):\n    return self.reset(key), self.size",
    ),
    "of an object in an object": (
        "def step(self, key: PRNGKeyArray):\n    return self.again(key, self.inner.sample(key))  # reuse",
        "def step(self, key: PRNGKeyArray):\n    one, two = jax.random.split(key)\n"
        "    return self.again(two, self.inner.sample(one))",
    ),
    "in a loop": (
        "def run(self, key: PRNGKeyArray, n):\n    for _ in range(n):\n        self.sample(key)  # reuse",
        "def run(self, key: PRNGKeyArray, n):\n    for i in range(n):\n        self.sample(jax.random.fold_in(key, i))",
    ),
    "of a class that says what it does": (
        "def init(self, key: PRNGKeyArray):\n    return jax.random.uniform(key)\n\n"
        "def step(self, key: PRNGKeyArray):\n    return self.init(key), jax.random.normal(key)  # reuse",
        "def init(self, key: PRNGKeyArray):\n    return 0.0\n\n"
        "def step(self, key: PRNGKeyArray):\n    return self.init(key), jax.random.normal(key)",
    ),
}


@pytest.mark.parametrize(("wrong", "right"), PAIRS.values(), ids=PAIRS.keys())
def test_a_method_that_is_left_to_subclasses(tmp_path: Path, wrong: str, right: str) -> None:
    wrong, right = (f"{MAIN}\n{textwrap.indent(each, '    ')}\n" for each in (wrong, right))
    rows = [row for row, line in enumerate(wrong.splitlines(), 1) if line.endswith(MARK)]
    found = reuses(tmp_path, wrong)
    assert [row for row, _ in found] == rows
    assert all(confidence >= Confidence.LIKELY for _, confidence in found)
    assert not reuses(tmp_path, right)


HERE = """
class Still(Environment):
    def init(self, key):
        return 0.0


class Moving(Environment):
    def init(self, key):
        return jax.random.uniform(key)
"""


@pytest.mark.parametrize(("heir", "expected"), [("Still", 0), ("Moving", 1)])
def test_the_subclasses_in_the_file_say_what_it_does(tmp_path: Path, heir: str, expected: int) -> None:
    own = "".join(f"\n\n\nclass {part}" for part in HERE.split("class ") if part.startswith(heir))
    base = BASE.replace("return self.init(key)", "return self.init(key), jax.random.normal(key)")
    assert len(reuses(tmp_path, base.rstrip() + own)) == expected


def test_a_body_that_does_something_is_no_gap(tmp_path: Path) -> None:
    base = BASE.replace('"""Begin an episode."""', "return jax.random.normal(key)")
    main = MAIN + "\n    def init(self, key):\n        return super().init(key), jax.random.normal(key)\n"
    assert len(reuses(tmp_path, main, base)) == 1


MEASURED = """
import abc

import jax


class Env(abc.ABC):
    @abc.abstractmethod
    def reset(self, rng):
        ...

    @property
    def unwrapped(self) -> 'Env':
        return self


class PipelineEnv(Env):
    @property
    def observation_size(self):
        rng = jax.random.PRNGKey(0)
        return self.unwrapped.reset(rng).obs.shape[-1]
"""
READER = """
from brax.envs.base import PipelineEnv
import jax


class Box:
    def __init__(self, env: PipelineEnv):
        self._env = env
        low = jax.numpy.ones(self._env.observation_size)
        self.bounds = (self._env.observation_size, low)

        def reset(key):
            key1, key2 = jax.random.split(key)
            return self._env.reset(key2), key1

        self._reset = jax.jit(reset)
"""


def test_a_property_is_to_be_the_same_whenever_it_is_read(tmp_path: Path) -> None:
    assert not reuses(tmp_path, READER, MEASURED, name="brax/envs")  # whose `reset` is a known method
