"""``--migrate --fix`` on a program that reads, compares, stores and shows keys: every number stays."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("jax", reason="needs JAX, the extra `trace`")

PROGRAM = """\
import io

import jax
import jax.numpy as jnp
import numpy as np


class Buffer:
    def __init__(self, seed):
        self.key = jax.random.PRNGKey(seed)

    def draw(self):
        self.key, subkey = jax.random.split(self.key)
        return jax.random.normal(subkey)

    def label(self):
        return f"{int(self.key[1])} {self.key.tobytes()!r}"


def main():
    buffer = Buffer(3)
    key, other = jax.random.split(jax.random.PRNGKey(4))
    keys = jax.random.split(other, 3)
    slot = jnp.zeros_like(key)
    file = io.BytesIO()
    np.save(file, key)
    yield buffer.draw(), buffer.label(), buffer.draw(), buffer.label()
    yield np.asarray(keys), np.array_equal(keys, keys), bool((key == other).all()), keys.astype(jnp.float32).sum()
    yield jax.random.normal(jnp.where(False, key, 0)), file.getvalue(), key.dtype == jnp.uint32
    yield np.random.RandomState(key).randint(1000), jax.random.uniform(key ^ 5), jax.random.normal(slot)


for row in main():
    print(row)
"""


def run(folder: Path, *command: str) -> str:
    done = subprocess.run([sys.executable, *command], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.search
def test_every_number_stays(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    before = run(tmp_path, "program.py")
    run(tmp_path, "-m", "olympus_lint", "--migrate", "--fix", "--exit-zero", "program.py")
    assert "PRNGKey" not in file.read_text()
    assert run(tmp_path, "program.py") == before
