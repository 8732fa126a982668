"""Files that name no JAX namespace and draw through a library are checked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from olympus_lint.analysis.prefilter import worth_checking
from olympus_lint.project.settings import Settings
from olympus_rules.libraries import libraries

EQUINOX = """\
import equinox as eqx


def layers(key):
    first = eqx.nn.Linear(2, 3, key=key)
    return first, eqx.nn.Linear(2, 3, key=key)
"""
FLAX = """\
from flax import nnx


def layers():
    first = nnx.Linear(2, 3, rngs=nnx.Rngs(0))
    return first, nnx.Linear(2, 3, rngs=nnx.Rngs(0))
"""
HAIKU = """\
import haiku as hk


def noise(x):
    key = hk.next_rng_key()
    return hk.dropout(key, 0.5, x), hk.dropout(key, 0.5, x)
"""
NUMPYRO = """\
from numpyro.infer import MCMC, NUTS


def run(model, rng_key):
    MCMC(NUTS(model)).run(rng_key=rng_key)
    return MCMC(NUTS(model)).run(rng_key=rng_key)
"""
OWN = """\
import draws


def two(rng_key):
    return draws.normal(rng_key), draws.normal(rng_key)
"""
PACK = """\
[functions."draws.normal"]
parameters = ["key"]
sinks = ["key"]
"""


def codes(run, *options: str) -> list[str]:
    out = run("--isolated", "--no-cache", "--min-confidence", "possible", "--output-format", "json", *options, ".").out
    return [each["code"] for each in json.loads(out)]


@pytest.mark.parametrize("text", [EQUINOX, FLAX, HAIKU, NUMPYRO], ids=["equinox", "flax", "haiku", "numpyro"])
def test_a_file_that_draws_through_a_library(project: Path, run, text: str):
    Path("a.py").write_bytes(text.encode())
    assert codes(run) == ["OLY104"]
    Path("a.py").write_bytes(text.replace("\n", "\r\n").encode())
    assert codes(run) == ["OLY104"]


def test_a_notebook_that_draws_through_a_library(project: Path, run):
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": EQUINOX.splitlines(keepends=True)}
    book = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    Path("a.ipynb").write_text(json.dumps(book, indent=1))
    assert codes(run) == ["OLY104"]


def test_a_function_of_a_file_that_draws_through_a_library(project: Path, run):
    Path("made.py").write_text(EQUINOX.replace("    return first, eqx.nn.Linear(2, 3, key=key)", "    return first"))
    Path("a.py").write_text("from made import layers\n\n\ndef two(key):\n    return layers(key), layers(key)\n")
    assert codes(run) == ["OLY104"]


def test_a_library_of_the_users_packs(project: Path, run):
    Path("draws.toml").write_text(PACK)
    Path("pyproject.toml").write_text('[tool.olympus-lint]\nsignature-packs = ["draws.toml"]\n')
    Path("a.py").write_text(OWN)
    assert json.loads(run("--no-cache", "--output-format", "json", ".").out)[0]["code"] == "OLY104"


@pytest.mark.parametrize(
    "text",
    ["import numpy\nrandom = numpy.random\n", "import torch\nseed = torch.random.seed()\n", "key = 'flax'\nrngs = 1\n"],
)
def test_other_files_are_not_parsed(text: str):
    assert not worth_checking("a.py", text.encode(), Settings())


def test_the_packages_are_those_of_packs_with_keys():
    known = libraries()
    assert {"flax", "haiku", "equinox", "numpyro", "jax"} <= known.of_keys < known.packages
    assert known.of_keys.isdisjoint({"numpy", "torch", "python", "pytest", "scipy"})
