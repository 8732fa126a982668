"""``--trace-import``: what the import of a file does to its process, or sends to others, ends with that file."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from programs import REUSE

from olympus_lint.project.settings import Settings
from olympus_lint.reporting.results import FileResult
from olympus_lint.run.engine import lint_text
from olympus_lint.tracing import Choice, judge
from olympus_lint.tracing.process import BOOTSTRAP, Worker

pytest.importorskip("jax")
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the programs below are for POSIX")

MEDDLES = {
    "finders": "import sys\nsys.meta_path[:] = []",
    "finder_that_fails": "import sys\nclass Finder:\n    def find_spec(self, *_): raise OSError\n"
    "sys.meta_path.insert(0, Finder())",
    "path_hooks": "import sys\nsys.path_hooks.clear()\nsys.path_importer_cache.clear()",
    "path": "import sys\nsys.path.clear()",
    "import_function": "import builtins\nbuiltins.__import__ = None",
    "builtins": "import builtins\nbuiltins.len = builtins.isinstance = builtins.open = None",
    "modules": "import sys\nfor name in [*sys.modules]:\n"
    "    if name.startswith(('jax', 'olympus')): del sys.modules[name]",
    "module_of_jax": "import jax.random\njax.random.normal = jax.make_jaxpr = None",
    "functions_of_json": "import json\njson.dumps = json.loads = None",
    "functions_of_os": "import os\nos._exit = os.write = os.getpid = os.fork = os.close = lambda *_: 0",
    "handlers": "import signal\nfor number in range(1, 32):\n"
    "    try: signal.signal(number, signal.SIG_IGN)\n    except (OSError, ValueError): pass",
    "environment": "import os\nos.environ.clear()\nos.environ['JAX_PLATFORMS'] = 'nonsense'",
    "folder": "import os, tempfile\nplace = tempfile.mkdtemp()\nos.chdir(place)\nos.rmdir(place)",
    "outputs": "import os\nos.close(0), os.close(1), os.close(2)",
    "all_files": "import os\nos.closerange(0, 256)",
    "requests": "import os\nfor number in range(3, 30):\n    try:\n        os.set_blocking(number, False)\n"
    "        os.read(number, 1 << 20)\n    except OSError: pass",
    "flags": "import jax\njax.config.update('jax_enable_x64', True)\njax.config.update('jax_disable_jit', True)",
    "recursion": "import sys\nsys.setrecursionlimit(60)",
    "tracing": "import sys\nsys.settrace(lambda *_: 1 / 0)",
    "ends": "raise SystemExit",
    "raises_oddly": "class Odd(BaseException):\n    def __str__(self): raise ValueError\nraise Odd",
    "leaves": "import os\nos._exit(0)",
    "crashes": "import ctypes\nctypes.string_at(0)",
}
ENDS = {
    "sends_its_parent_a_signal": "os.kill(os.getppid(), signal.SIGTERM)",
    "interrupts_its_parent": "os.kill(os.getppid(), signal.SIGINT)",
    "hangs_up": "os.kill(os.getppid(), signal.SIGHUP)",
    "sends_its_group_a_signal": "os.killpg(os.getpgrp(), signal.SIGTERM)",
    "sends_group_0_a_signal": "os.kill(0, signal.SIGTERM)",
    "sends_the_group_of_its_parent_a_signal": "os.killpg(os.getpgid(os.getppid()), signal.SIGTERM)",
    "kills_its_parent": "os.kill(os.getppid(), signal.SIGKILL)",
    "kills_the_group_of_its_parent": "os.killpg(os.getpgid(os.getppid()), signal.SIGKILL)",
    "stops_its_parent": "os.kill(os.getppid(), signal.SIGSTOP)\nsignal.pause()",
    "leaves_what_sends_a_signal": "parent = os.getppid()\n"
    "if os.fork() == 0:\n    time.sleep(0.2)\n    os.kill(parent, signal.SIGTERM)\n    os._exit(0)",
}
STOPS = {
    "loops": "while True: pass",
    "catches_all": "while True:\n    try:\n        while True: pass\n    except: pass",
    "counts": "x = 10 ** 10 ** 10",
    "stops": "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)",
    "waits": "import threading\nthreading.Event().wait()",
}


def written(folder: Path, name: str, text: str) -> FileResult:
    path = folder / f"{name}.py"
    path.write_text(f"{text}\n{REUSE}\n")
    return lint_text(str(path), path.read_text(), Settings())


def between_good_ones(folder: Path, texts: dict[str, str]) -> list[FileResult]:
    """Return files of these texts, with a good one before and after each."""
    files = [written(folder, "good", "")]
    for name, text in texts.items():
        files += [written(folder, name, text), written(folder, f"good_after_{name}", "")]
    return files


@dataclass(frozen=True)
class Judged:
    status: str
    reason: str | None


def judged(files: list[FileResult], **options: Any) -> dict[str, Judged]:
    settings = {file.filename: Settings() for file in files}
    judge(files, settings, Choice(tiers=("function",), **options))
    found = {}
    for file in files:
        (finding,) = file.findings
        assert finding.verdict is not None
        found[Path(file.filename).stem] = Judged(finding.verdict.status, finding.verdict.reason)
    return found


@pytest.fixture(scope="module")
def meddled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Judged]:
    return judged(between_good_ones(tmp_path_factory.mktemp("meddled"), MEDDLES))


@pytest.mark.parametrize("name", MEDDLES)
def test_the_next_file_sees_nothing_of_what_a_file_has_changed(meddled: dict[str, Judged], name: str):
    assert meddled[f"good_after_{name}"] == meddled["good"] == Judged("confirmed", None)
    own = meddled[name]
    assert own.status == "confirmed" or (own.status == "not reached" and own.reason)


UNCONFINED = BOOTSTRAP.replace(
    "main()\n", "import olympus.worker.process as process\nprocess.confine = lambda: False\nmain()\n"
)


@pytest.mark.parametrize("bootstrap", [BOOTSTRAP, UNCONFINED], ids=["confined", "unconfined"])
def test_the_linter_outlives_the_signals_of_a_file(tmp_path: Path, bootstrap: str):
    texts = {name: f"import os, signal, time\n{text}" for name, text in ENDS.items()}
    files = between_good_ones(tmp_path, texts)
    found = judged(files, importing=2.0, grace=1.0, start=partial(Worker, bootstrap=bootstrap))
    for name in ENDS:
        assert found[f"good_after_{name}"] == Judged("confirmed", None)
        own = found[name]
        assert own.status == "confirmed" or (own.status == "not reached" and f"importing {name}" in str(own.reason))


def test_an_import_that_does_not_end_costs_its_time_once(tmp_path: Path):
    started: list[Worker] = []

    def start(*arguments: str) -> Worker:
        started.append(Worker(*arguments))
        return started[-1]

    found = judged(between_good_ones(tmp_path, STOPS), importing=1.0, grace=0.5, start=start)
    assert len(started) <= len(STOPS) + 1, "a file ends more than one worker"
    for name in STOPS:
        own = f"importing {name} takes more than 1 s, the limit that --trace-timeout sets"
        assert found[name] == Judged("not reached", own)
        assert found[f"good_after_{name}"] == Judged("confirmed", None)


def test_an_import_that_ends_its_process_is_the_reason_for_all_functions_of_the_file(tmp_path: Path):
    second = REUSE.replace("import jax", "").replace("def f", "def g")
    path = tmp_path / "leaves.py"
    path.write_text(f"import os\nos._exit(3)\n{REUSE}{second}")
    file = lint_text(str(path), path.read_text(), Settings())
    traced = judge([file], {file.filename: Settings()}, Choice(tiers=("function",)))
    reasons = [finding.verdict.reason for finding in file.findings if finding.verdict is not None]
    assert reasons == ["importing leaves ended its process: exit status 3"] * 2
    assert traced.deaths == {"exit status 3": 1}


UNFORKABLE = BOOTSTRAP.replace(
    "main()\n", "import olympus.worker.process as process\nprocess.is_forkable = lambda: False\nmain()\n"
)


def test_a_worker_that_cannot_be_forked_imports_one_file(tmp_path: Path):
    started: list[Worker] = []

    def start(python: str, device: str) -> Worker:
        started.append(Worker(python, device, bootstrap=UNFORKABLE))
        return started[-1]

    assert UNFORKABLE != BOOTSTRAP
    texts = {name: MEDDLES[name] for name in ("finders", "leaves")} | {"good": ""}
    found = judged([written(tmp_path, *each) for each in texts.items()], start=start)
    assert found["good"] == Judged("confirmed", None)
    assert found["leaves"] == Judged("not reached", "importing leaves ended its process: exit status 0")
    assert len(started) == 3


CONFINED = """\
import os, signal, subprocess, sys, time
from olympus.worker.enclosure import confine
if not confine():
    sys.exit(77)
child = subprocess.Popen(["sleep", "60"])
child.terminate()
assert child.wait(10) == -signal.SIGTERM
for number in (int(sys.argv[1]), os.getppid()):
    try:
        os.kill(number, signal.SIGTERM)
    except PermissionError:
        continue
    sys.exit(f"a signal went to {number}")
"""


def test_a_confined_process_sends_signals_to_its_own_only():
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as other:
        done = subprocess.run([sys.executable, "-c", CONFINED, str(other.pid)], capture_output=True, text=True)
        running = other.poll() is None
        other.kill()
    if done.returncode == 77:
        pytest.skip("this system does not keep signals from other processes")
    assert (done.returncode, done.stderr, running) == (0, "", True)


LANES = """\
import jax
import jax.numpy as jnp


class Noise:
    def __call__(self, x, key):
        return x + jax.random.normal(key, x.shape)


def rows(key):
    noise, key = Noise(), jax.random.fold_in(key, 1)
    return jax.vmap(lambda row: noise(row, {given}))(jnp.ones((3, 2)))
"""


@pytest.mark.parametrize(
    ("given", "tiers", "status"),
    [
        ("key", ("witness",), None),
        ("key", ("witness", "function"), "confirmed"),
        ("jax.random.fold_in(key, row[0].astype(int))", ("witness", "function"), None),
    ],
)
def test_lanes_are_judged_by_the_real_function(
    tmp_path: Path, given: str, tiers: tuple[Any, ...], status: str | None
) -> None:
    path = tmp_path / "lanes.py"
    path.write_text(LANES.format(given=given))
    file = lint_text(str(path), path.read_text(), Settings(tests="all"))
    judge([file], {file.filename: Settings()}, Choice(tiers=tiers))
    verdicts = [finding.verdict for finding in file.findings if finding.code == "OLY105"]
    assert [verdict and verdict.status for verdict in verdicts] == ([status] if given == "key" else [])
