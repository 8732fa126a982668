"""Tests of what some releases of JAX lack: they are skipped there, with the reason."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, version

import pytest


def installed() -> tuple[int, ...]:
    """Return the release of JAX, without importing it."""
    try:
        return tuple(map(int, re.findall(r"\d+", version("jax"))[:3]))
    except PackageNotFoundError:
        return (0,)


VERSION = installed()


def since(release: str, what: str) -> pytest.MarkDecorator:
    """Skip a test where JAX is older than the release that brought what the test is about."""
    is_older = tuple(map(int, release.split("."))) > VERSION
    return pytest.mark.skipif(is_older, reason=f"since JAX {release}: {what}")


def but(release: str, what: str) -> pytest.MarkDecorator:
    """Skip a test of what works before and after one release of JAX, and fails in it without our help."""
    numbers = tuple(map(int, release.split(".")))
    return pytest.mark.skipif(VERSION[: len(numbers)] == numbers, reason=f"not in JAX {release}: {what}")


PHILOX = since("0.10", "the generators philox and threefry4x32")
KEY_DTYPE = since("0.10", "key_dtype, and dtype= of the constructors")
AT_BOUNDARY = since("0.8", "objects with __jax_array__ are refused where a function is traced")
NAMED_JIT = since("0.7", "the primitive of compiled functions is named jit")
