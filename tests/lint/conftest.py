from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from olympus_lint.cli import main
from olympus_lint.tracing.judging import Choice
from olympus_lint.tracing.process import Worker


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


class Lent:
    """A worker that goes on after a run, for the next one: its start, with JAX, takes a second of CPU."""

    def __init__(self, worker: Worker, idle: list[Lent]) -> None:
        """Take the worker, and where it waits for the next run."""
        self._worker = worker
        self._idle = idle
        self._is_spent = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._worker, name)

    def receive(self, seconds: float) -> dict[str, Any]:
        """Return the next line."""
        answer = self._worker.receive(seconds)
        self._is_spent |= "spent" in answer
        return answer

    def kill(self) -> None:
        """Let the worker wait; it is killed if it cannot serve another run."""
        if self._is_spent or self._worker._process.poll() is not None:
            self._worker.kill()
        else:
            self._idle.append(self)


@pytest.fixture(scope="session", autouse=True)
def workers_go_on() -> Iterator[None]:
    """Keep the workers that a run starts; those that a test starts in its own way are not concerned."""
    idle: dict[tuple[str, str], list[Lent]] = defaultdict(list)

    def worker(choice: Choice) -> Any:
        if choice.start is not Worker:
            return choice.start(choice.python, choice.device)
        waiting = idle[choice.python, choice.device]
        return waiting.pop() if waiting else Lent(Worker(choice.python, choice.device), waiting)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Choice, "worker", worker)
        yield
    for waiting in idle.values():
        for each in waiting:
            each._worker.kill()
