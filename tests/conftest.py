"""Fixtures of all tests, and JAX's settings. This folder is on the import path through this file."""

from __future__ import annotations

import ctypes
import gc
import os
import platform
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import wraps
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest


def quick_compilation() -> str:
    """Return the options with which XLA compiles fastest: more is compiled here than is executed."""
    options = ["--xla_backend_optimization_level=0"]
    with suppress(PackageNotFoundError):
        release = tuple(map(int, version("jaxlib").split(".")[:2]))
        if release >= (0, 6):  # an option that a release does not know ends the process
            options += ["--xla_cpu_parallel_codegen_split_count=1"]
        if (0, 6) <= release < (0, 11):
            options += ["--xla_cpu_use_fusion_emitters=false"]
    return " ".join(options)


COMPILED = Path(__file__).parents[1] / ".pytest_cache" / "compiled" / platform.node()  # of this machine only
JAX_SETTINGS = {  # read when JAX is first imported, also by the processes that tests start
    "JAX_NUM_CPU_DEVICES": "4",  # for shard_map and pmap
    "JAX_COMPILATION_CACHE_DIR": str(COMPILED),  # half of the time of a test under JAX is for compilation
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    "XLA_FLAGS": quick_compilation(),
}
for name, value in JAX_SETTINGS.items():
    os.environ.setdefault(name, value)
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # hundreds of processes: each would compile all that it imports
sys.dont_write_bytecode = False

for number in (signal.SIGINT, signal.SIGHUP) if threading.current_thread() is threading.main_thread() else ():
    if signal.getsignal(number) is signal.SIG_IGN:  # of a shell's background job; the processes of tests inherit it
        signal.signal(number, signal.SIG_DFL if number != signal.SIGINT else signal.default_int_handler)

MUCH_MEMORY = 1500 << 20  # bytes
GROWTH = 300 << 20  # bytes
kept = 0  # bytes: what this process had when its caches were last empty
PROCESS_LIMIT = 300  # seconds; below the limit of a test, so that the failure names the process


def pytest_configure() -> None:
    """Let Hypothesis take its time: how busy the machine is, is no property of the code."""
    gc.disable()  # until the tests are collected: nearly all that is made until then stays
    if find_spec("hypothesis") is None:
        return
    from hypothesis import HealthCheck, settings

    settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("busy")


def pytest_collection_finish() -> None:
    """Take what lives until the end, 12,000 tests and their modules, out of the sight of the garbage collector."""
    gc.collect()
    gc.freeze()
    gc.enable()
    gc.set_threshold(20_000, 20, 20)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Iterator[None]:
    """Drop what JAX has traced and compiled when the process has much memory, and more than after the last time."""
    yield
    global kept  # a session-wide fact of this process
    if "jax" not in sys.modules or resident() < max(kept + GROWTH, MUCH_MEMORY):
        return
    sys.modules["jax"].clear_caches()
    gc.collect()
    if sys.platform == "linux" and hasattr(ctypes.CDLL(None), "malloc_trim"):
        ctypes.CDLL(None).malloc_trim(0)  # glibc keeps what was freed, hundreds of MiB
    kept = resident()


def resident() -> int:
    """Return the bytes that this process has in memory, 0 where the system does not say."""
    pages = Path("/proc/self/statm")
    return int(pages.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if pages.exists() else 0


@pytest.fixture(scope="session", autouse=True)
def processes_end() -> Iterator[None]:
    """Give each wait for another process a limit, also the waits of `subprocess.run` and of a `with` statement."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("wait", "communicate"):
            patch.setattr(subprocess.Popen, name, limited(getattr(subprocess.Popen, name)))
        yield


def limited(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of `Popen` whose argument `timeout` has a default."""

    @wraps(method)
    def call(process: Any, *arguments: Any, **options: Any) -> Any:
        position = 0 if method.__name__ == "wait" else 1
        if len(arguments) > position or options.get("timeout") is not None:
            return method(process, *arguments, **options)
        try:
            return method(process, *arguments, **{**options, "timeout": PROCESS_LIMIT})
        except subprocess.TimeoutExpired:
            process.kill()
            raise

    return call
