"""Logic on shape and layout, migrated: the numbers stay, with raw and with typed keys."""

from __future__ import annotations

import pytest
from migrated import assert_migrates

pytest.importorskip("jax", reason="needs JAX, the extra `trace`")

IMPORTS = "import jax\nimport jax.numpy as jnp\nfrom jax import random\n\n"


def test_batch_shape() -> None:
    """B11."""
    body = "keys = random.split(random.PRNGKey(0), 3)\nresult = jnp.zeros(keys.shape[:-1])\n"
    assert "key_data(keys).shape[:-1]" in assert_migrates(IMPORTS + body, silent=True)
