"""A draw from a state that all lanes share is named with its place, beside the call of the mapped function."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

HEAD = """\
import jax
from flax import nnx


"""
INSIDE = """\
def run(xs):
    drop = nnx.Dropout(0.5, rngs=nnx.Rngs(0))

    @nnx.vmap(in_axes=(None, 0))
    def go(layer, x):
        return layer(2 * x)

    return go(drop, xs)
"""
IN_METHOD = """\
class Noise(nnx.Module):
    def __init__(self, rngs):
        self.rngs = rngs

    def __call__(self, x):
        return x + jax.random.normal(self.rngs.noise(), x.shape)


def run(xs):
    noise = Noise(nnx.Rngs(0))
    return nnx.vmap(Noise.__call__, in_axes=(None, 0))(noise, xs)
"""


@pytest.mark.parametrize(
    ("body", "callee", "draw"),
    [(INSIDE, "layer", "layer(2 * x)"), (IN_METHOD, "self.rngs.noise", "self.rngs.noise()")],
    ids=["function", "method"],
)
def test_the_draw_is_a_related_place(project: Path, run, body: str, callee: str, draw: str):
    Path("a.py").write_text(HEAD + body)
    lines = (HEAD + body).splitlines()
    row = next(number for number, line in enumerate(lines, 1) if draw in line)
    found = json.loads(run("--isolated", "--no-cache", "--select", "OLY105", "--output-format", "json", "a.py").out)
    (finding,) = found
    assert f": `{callee}` on line {row} draws from one random state, which" in finding["message"]
    (place,) = finding["related"]
    column = lines[row - 1].index(draw) + 1
    assert place["location"] == {"row": row, "column": column}
    assert place["message"] == "drawn here, alike in all lanes"
