"""What a thread consumes twice on purpose: where the user says so, and in the backward pass of ``jax.checkpoint``."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, ContextDecorator
from typing import Any, Literal, Self


class reuse_allowed(ContextDecorator, AbstractContextManager["reuse_allowed"]):
    """Let a recorder, and the mark ``check_keys``, accept what this thread consumes inside: it is meant to be.

    It is a context manager and a decorator. What is consumed inside is not compared with anything, inside or outside.
    In a function that is compiled it has no effect; there, and for :func:`olympus.check`, ``jax.random.clone`` says
    that a key is to be consumed twice.
    """

    def __enter__(self) -> Self:
        _local.allowed = _state("allowed") + 1
        return self

    def __exit__(self, *exception: object) -> None:
        _local.allowed -= 1


_local = threading.local()


def _state(name: Literal["allowed", "recomputing"]) -> int:
    """Return how often this thread is inside of something."""
    depth: int = getattr(_local, name, 0)
    return depth


def allows_reuse() -> bool:
    """Return whether what this thread consumes is meant to be: see :class:`reuse_allowed`."""
    return _state("allowed") > 0


def is_recomputing() -> bool:
    """Return whether this thread draws in a backward pass what it drew before."""
    return _state("recomputing") > 0


def recompute() -> Callable[[Any], None]:
    """Note that ``jax.checkpoint`` does in a backward pass what it did before; what is returned ends it."""
    _local.recomputing = _state("recomputing") + 1

    def end(_: Any) -> None:
        _local.recomputing -= 1

    return end
