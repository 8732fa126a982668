"""Failures of the analysis itself: one in a function loses that function, and nothing else of its file."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from olympus_rules.code.instructions import FunctionCode
from olympus_rules.finding import Confidence
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.facts import Failed
from olympus_rules.keyflow.linking.recursion import Full

T = TypeVar("T")


class Forgotten(Exception):
    """A question needs a function that was not interpreted, and whose body has been freed."""


def contained(file: File, failures: list[Failed], code: FunctionCode, where: str, compute: Callable[[], T]) -> T | None:
    """Return what a part of an analysis computes, ``None`` if it raises; that is recorded as a failure.

    Args:
        file: the file of the part.
        failures: takes the failure, besides the file.
        code: the function or module.
        where: the part, for the message.
        compute: the part.
    """
    try:
        return compute()
    except (Full, Forgotten, MemoryError):  # the first two have a meaning to a caller
        raise
    except Exception as error:
        failed = Failed(
            node=code.node, confidence=Confidence.CERTAIN, where=where, path=file.document.filename, error=error
        )
        file.add(failed)
        failures.append(failed)
        return None


def place_of(code: FunctionCode) -> str:
    """Return where a function is, for a message."""
    if code.kind == "module":
        return "the code outside functions"
    return f"function `{code.name}` on line {getattr(code.node, 'lineno', 1)}"
