"""Key signatures of the functions of a file, as the static engine computes them."""

from __future__ import annotations

import textwrap

import pytest

from olympus.signatures import Forward, KeySignature, Sink, Source
from olympus_rules.keyflow.interpret import application
from olympus_rules.keyflow.linking.analysis import Analysis
from olympus_rules.keyflow.linking.project import Project
from olympus_rules.syntax import Document

HEADER = "import jax\nfrom jax import random\n"

FUNCTIONS = {
    "consumes": (
        "def f(key, x):\n    return x + random.normal(key)",
        KeySignature(("key", "x"), sinks=(Sink("key"),)),
    ),
    "consumes on one path": (
        "def f(key, train):\n    return random.normal(key) if train else 0.0",
        KeySignature(("key", "train"), sinks=(Sink("key", conditional=True),)),
    ),
    "consumes parts": (
        """
        def f(state, rngs, keys):
            return random.normal(state.key) + random.normal(rngs["dropout"]) + random.normal(keys[0])
        """,
        KeySignature(("state", "rngs", "keys"), sinks=(Sink("state.key"), Sink('rngs["dropout"]'), Sink("keys[0]"))),
    ),
    "splits": (
        "def f(key):\n    return random.split(key)",
        KeySignature(("key",), sinks=(Sink("key"),), sources=(Source("[*]", "key", "split"),)),
    ),
    "returns a child beside a number": (
        "def f(key):\n    key, sub = random.split(key)\n    return random.normal(sub), key",
        KeySignature(("key",), sinks=(Sink("key"),), sources=(Source("[1]", "key", "split"),)),
    ),
    "folds in": (
        "def f(key, i):\n    return random.fold_in(key, i)",
        KeySignature(("key", "i"), sources=(Source("", "key", "fold_in"),)),
    ),
    "makes a key": (
        "def f(seed):\n    return random.key(seed)",
        KeySignature(("seed",), sources=(Source("", None, "seed"),)),
    ),
    "forwards": (
        "def f(x, key):\n    return x, key",
        KeySignature(("x", "key"), forwards=(Forward("[0]", "x"), Forward("[1]", "key"))),
    ),
}


@pytest.mark.parametrize(("source", "expected"), FUNCTIONS.values(), ids=FUNCTIONS.keys())
def test_signature(source: str, expected: KeySignature) -> None:
    analysis = Analysis(Document("a.py", HEADER + textwrap.dedent(source)), Project().session)
    analysis.run()
    assert analysis.summariser.signatures()["f"] == expected


def test_callees_bring_a_bounded_number_of_conditions(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that tests the kinds of its tensors everywhere took minutes; the code is in its own words."""
    calls = "".join(f"    draw(keys[{i}], x[{i}])\n" for i in range(12))
    source = f"def draw(key, x):\n    if x:\n        random.normal(key)\n\n\ndef f(keys, x):\n{calls}"

    def sinks() -> int:
        analysis = Analysis(Document("a.py", HEADER + source), Project().session)
        analysis.run()
        return len(analysis.summariser.signatures()["f"].sinks)

    assert sinks() == 12
    monkeypatch.setattr(application, "MAX_TAKEN", 5)
    assert sinks() == 6


def test_a_constructor_tells_callers_only_of_values_that_may_matter_to_keys() -> None:
    """Which array a parameter of a layer holds made half of the cost of a file that makes many layers."""
    source = """
        class Layer:
            def __init__(self, key, x, fresh):
                self.kernel = random.normal(key) if fresh else x.kernel
                self.key = key if fresh else x.key

        def f(key, x, fresh):
            layer = Layer(key, x, fresh)
            return layer.key
    """
    analysis = Analysis(Document("a.py", HEADER + textwrap.dedent(source)), Project().session)
    analysis.run()
    constructor = next(
        summary for (code, _), summary in analysis.file.summaries.items() if code.name == "Layer.__init__"
    )
    assert [name for _, name, *_ in constructor.writes] == ["key"]
