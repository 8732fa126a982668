"""`--executor`: the workers of a real Dask cluster check files, and the output is that of a local run."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from command_line import command

pytestmark = pytest.mark.skipif(find_spec("distributed") is None, reason="Dask is not installed")
FILES = 60
REUSE = """\
import jax
from {package}.tools import consumed


def draw{number}(seed):
    key = jax.random.PRNGKey(seed)
    first = jax.random.normal(key)
    return first + consumed(key)
"""
TOOLS = "import jax\n\n\ndef consumed(key):\n    return jax.random.uniform(key)\n"


class Cluster:
    """A scheduler and two workers, each a process of its own in a folder that has none of the files."""

    def __init__(self, folder: Path) -> None:
        """Start the scheduler."""
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []
        self._start("dask_scheduler", "--port", "0", "--host", "127.0.0.1", "--scheduler-file", "scheduler.json")
        import distributed

        self.client: Any = distributed.Client(
            scheduler_file=str(self._written("scheduler.json")), timeout=60, set_as_default=False
        )
        self.url = self.client.scheduler.address.replace("tcp://", "dask://")
        self.pids: dict[str, int] = {}

    def complete(self, workers: int = 2) -> None:
        """Start the workers that it lacks, and wait until they are there."""
        for _ in range(workers - len(self.client.scheduler_info()["workers"])):
            self._start("dask_worker", self.client.scheduler.address, "--nthreads", "1", "--no-nanny")
        self.client.wait_for_workers(workers, timeout=60)
        self.pids = self.client.run(os.getpid)

    def _start(self, module: str, *words: str) -> None:
        line = [sys.executable, "-m", f"distributed.cli.{module}", *words, "--no-dashboard"]
        null = subprocess.DEVNULL
        self.processes.append(subprocess.Popen(line, cwd=self.folder, stdout=null, stderr=null))

    def _written(self, name: str) -> Path:
        limit = time.monotonic() + 60
        while not (self.folder / name).exists() and time.monotonic() < limit:
            time.sleep(0.05)
        return self.folder / name

    def busy(self) -> int:
        """Return the process of a worker that has something to do, once there is one."""
        limit = time.monotonic() + 60
        while time.monotonic() < limit:
            doing = [worker for worker, tasks in self.client.processing().items() if tasks]
            if doing:
                return self.pids[doing[0]]
            time.sleep(0.01)
        raise TimeoutError

    def close(self) -> None:
        """End all processes."""
        self.client.close()
        for process in reversed(self.processes):
            process.kill()
            process.wait()


def started(folder: Path, *options: str) -> subprocess.Popen[str]:
    """Start the command in a folder."""
    line = [sys.executable, "-m", "olympus_lint", *options]
    return subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture(scope="module")
def started_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("cluster").joinpath(*"abcdefgh")  # deeper than there are rounds of sending
    folder.mkdir(parents=True)
    made = Cluster(folder)
    yield made
    made.close()


@pytest.fixture
def cluster(started_cluster: Cluster) -> Cluster:
    """The cluster of all tests, complete; each of its processes takes seconds of CPU to start."""
    started_cluster.complete()
    return started_cluster


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of two packages, one of which imports the other."""
    root = tmp_path / "project"
    for package, of in (("src/first", "first"), ("tests", "first")):
        folder = root / package
        folder.mkdir(parents=True)
        (folder / "__init__.py").touch()
        for number in range(FILES // 2):
            (folder / f"module{number}.py").write_text(REUSE.format(package=of, number=number))
    (root / "src/first/tools.py").write_text(TOOLS)
    (root / "pyproject.toml").write_text("[tool.olympus-lint]\nselect = ['OLY104', 'OLY201']\n")
    return root


def test_a_cluster_gives_the_bytes_of_a_local_run(cluster: Cluster, project: Path) -> None:
    for words in ((".",), ("--output-format", "json", "--tests", "all", "tests"), ("--output-format", "sarif", ".")):
        local = command(project, "--no-cache", *words)
        there = command(project, "--no-cache", "--executor", cluster.url, *words)
        assert (there.stdout, there.stderr, there.returncode) == (local.stdout, local.stderr, 1)
        assert "OLY104" in there.stdout


def test_a_run_outlives_one_of_its_workers(cluster: Cluster, project: Path) -> None:
    local = command(project, "--no-cache", ".")
    running = started(project, "--no-cache", "--executor", cluster.url, ".")
    os.kill(cluster.busy(), signal.SIGKILL)
    out, _ = running.communicate(timeout=120)
    assert (out, running.returncode) == (local.stdout, 1)
    assert len(cluster.client.scheduler_info()["workers"]) == 1


def test_a_run_outlives_all_of_its_workers(started_cluster: Cluster, project: Path) -> None:
    cluster = started_cluster
    cluster.complete(1)
    local = command(project, "--no-cache", ".")
    running = started(project, "--no-cache", "--executor", cluster.url, ".")
    cluster.busy()
    for process in cluster.processes:
        process.kill()  # the last test of the cluster
    out, said = running.communicate(timeout=120)
    assert (out, running.returncode) == (local.stdout, 1)
    assert re.search(
        r"^note: \d+ files were checked on this machine: processes of dask://[\d.:]+ were lost with them\.$", said, re.M
    )


def test_what_cannot_be_used_is_said(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("olympus_lint.run.executors.TIMEOUT", 1)
    nobody = command(project, "--executor", "dask://127.0.0.1:9", ".")
    assert nobody.returncode == 2 and "there is no scheduler" in nobody.stderr
    other = command(project, "--executor", "127.0.0.1:9", ".")
    assert other.returncode == 2 and "expected dask://HOST:PORT" in other.stderr
    fixing = command(project, "--executor", "dask://127.0.0.1:9", "--fix", ".")
    assert fixing.returncode == 2 and "rewrite none" in fixing.stderr
