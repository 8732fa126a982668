"""What the steps and the hooks are tried with; the tests of the user's project are run by the journey."""

from __future__ import annotations

import shutil

import pytest

from .environment import Environment, NoIndex

collect_ignore = ["project"]


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Environment:
    """Return the installed wheel, which the processes of one run share."""
    fcntl = pytest.importorskip("fcntl", reason="the commands are those of a POSIX shell")
    folder = tmp_path_factory.getbasetemp() if worker_id == "master" else tmp_path_factory.getbasetemp().parent
    made = Environment(folder / "journey")
    ready = folder / "journey.ready"
    with (folder / "journey.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not ready.exists():
            shutil.rmtree(made.folder, ignore_errors=True)
            try:
                made.build()
            except NoIndex:
                pytest.skip("the packages cannot be downloaded")
            ready.touch()
    return made
