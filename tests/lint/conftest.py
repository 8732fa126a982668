from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from olympus_lint.cli import main

REUSE = """\
import jax


def f(key):
    x = jax.random.normal(key)
    y = jax.random.uniform(key)
    return x + y
"""
RAW = "import jax\n\nkey = jax.random.PRNGKey(0)\n"
CLEAN = "import jax\n\nx = jax.random.normal(jax.random.key(0))\n"


@dataclass(frozen=True)
class Outcome:
    """What one call of the command gave."""

    status: int
    out: str
    err: str


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Return a function that calls the command in this process."""

    def call(*arguments: str | Path) -> Outcome:
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as stop:
            status = stop.code if isinstance(stop.code, int) else 1
        out, err = capsys.readouterr()
        return Outcome(status, out, err)

    return call


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty current folder that no settings file and no repository is above."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
