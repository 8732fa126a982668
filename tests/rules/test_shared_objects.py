"""Objects of two classes that keep one key and draw from it later, as pairs of a wrong program and a right one."""

from __future__ import annotations

import textwrap

import jax
import pytest

from olympus_rules.check import check
from olympus_rules.finding import Confidence
from olympus_rules.syntax import Document

CLASSES = """
import jax


class Kernel:
    def __init__(self, key, width=3):
        self.key = key
        self.width = width
        self.value = None

    def build(self, x):
        if self.value is None:
            self.value = jax.random.normal(self.key, (self.width,))
        return x + self.value


class Bias:
    def __init__(self, key):
        self.key = key

    def draw(self, x):
        return x + jax.random.normal(self.key, (3,))


class Named:
    def __init__(self, key):
        self.key = key
        self.name = "named"


"""
MAIN = "\n\nif __name__ == '__main__':\n    run(jax.random.key(0))\n"
PAIRS = {
    "in a constructor": (
        """
        class Pair:
            def __init__(self, key):
                self.kernel = Kernel(key)
                self.bias = Bias(key)

        def run(key):
            pair = Pair(key)
            return pair.kernel, pair.bias
        """,
        """
        class Pair:
            def __init__(self, key):
                one, two = jax.random.split(key)
                self.kernel = Kernel(one)
                self.bias = Bias(two)
        """,
    ),
    "returned": (
        "def run(key):\n    return Kernel(key), Bias(key)\n",
        "def run(key):\n    return Kernel(key), Named(key)\n",
    ),
    "by keywords": (
        "def run(rng):\n    kernel = Kernel(width=3, key=rng)\n    return kernel, Bias(key=rng)\n",
        "def run(rng, key):\n    kernel = Kernel(width=3, key=rng)\n    return kernel, Bias(key=key)\n",
    ),
    "a child": (
        "def run(key):\n    one, two = jax.random.split(key)\n    return Kernel(one), Bias(one)\n",
        "def run(key):\n    one, two = jax.random.split(key)\n    return Kernel(one), Bias(two)\n",
    ),
    "on one path": (
        "def run(key, wide=True):\n    kernel = Kernel(key, 3 if wide else 4)\n    return kernel, Bias(key)\n",
        "def run(key, wide=True):\n    return Kernel(key) if wide else Bias(key)\n",
    ),
    "in a dictionary": (
        'def run(key):\n    made = {"a": Kernel(key), "b": Bias(key)}\n    return made["a"], made["b"]\n',
        'def run(key):\n    key, other = jax.random.split(key)\n    return {"a": Kernel(key), "b": Bias(other)}\n',
    ),
}


def found(program: str) -> list[Confidence]:
    """Return the confidence of the reuses that are reported by default."""
    reports = check(
        Document("program.py", CLASSES + textwrap.dedent(program) + MAIN), min_confidence=Confidence.LIKELY
    ).reports
    return [each.finding.confidence for each in reports if "Bias.draw" in each.finding.message]


@pytest.mark.parametrize(("wrong", "right"), PAIRS.values(), ids=PAIRS.keys())
def test_pairs(wrong: str, right: str) -> None:
    assert found(wrong) == [Confidence.LIKELY]
    assert found(right) == []


@pytest.mark.parametrize("wrong", [wrong for wrong, _ in PAIRS.values()], ids=PAIRS.keys())
def test_the_two_objects_of_a_wrong_program_draw_equal_numbers(wrong: str) -> None:
    names: dict = {}
    exec(compile(CLASSES + textwrap.dedent(wrong), "program.py", "exec"), names)
    kernel, bias = names["run"](jax.random.key(0))
    x = jax.numpy.zeros(3)
    assert (kernel.build(x) == bias.draw(x)).all()


def test_one_of_two_objects_is_made_before_a_function_ends() -> None:
    assert found("def run(key, wide=True):\n    if wide:\n        return Kernel(key)\n    return Bias(key)\n") == []


def test_objects_of_one_class_may_be_meant_to_be_equal() -> None:
    assert found("def run(key):\n    return Bias(key), Bias(key)\n") == []
