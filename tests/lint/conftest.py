from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from olympus_lint.cli import main


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
