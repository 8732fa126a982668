"""The examples in JAX's own documentation of random keys: nothing is flagged but what is there to show a reuse."""

from __future__ import annotations

import doctest
import inspect

import pytest

from olympus_lint.project.settings import Settings
from olympus_lint.run.engine import lint_text

jax = pytest.importorskip("jax", reason="the examples come from the installed JAX")

# The module's text draws twice from one key to show that the numbers are the same, and then goes on to split that key.
SHOWS_REUSE = {"module": ["random.uniform(key)"]}
PARSER = doctest.DocTestParser()
HEADER = "import jax\nimport jax.numpy as jnp\nfrom jax import random, lax\nimport numpy as np\n"


def documented() -> dict[str, str]:
    """Return the docstrings of the module and of its public functions that hold examples."""
    functions = {name: getattr(jax.random, name) for name in dir(jax.random) if not name.startswith("_")}
    texts = {name: inspect.getdoc(function) or "" for name, function in functions.items() if callable(function)}
    texts["module"] = jax.random.__doc__ or ""
    return {name: text for name, text in texts.items() if ">>>" in text}


def test_there_are_examples() -> None:
    assert {"module", "key_data", "wrap_key_data"} & documented().keys()


@pytest.mark.parametrize("name", documented())
def test_only_shown_reuse_is_flagged(name: str) -> None:
    """All examples of one docstring are one session, as a reader types them."""
    source = HEADER + "".join(example.source for example in PARSER.get_examples(documented()[name]))
    result = lint_text("example.py", source, Settings())
    assert not result.errors
    rows = source.splitlines()
    assert [rows[finding.span.start.row - 1] for finding in result.findings] == SHOWS_REUSE.get(name, []), source
