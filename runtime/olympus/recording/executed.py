"""What a recorder has seen: keys, operations, and where in the user's code they were executed."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Literal, NamedTuple

from olympus.tracing.spans import Chain, Span, diverging, is_user_file, span_at

if TYPE_CHECKING:
    from olympus import lineage


class Key(NamedTuple):
    """A concrete key.

    Attributes:
        epoch: the number of the seeding that it comes from; -1 if that is not certain, 0 if it was before the record.
        implementation: the key dtype, such as ``key<fry>``.
        words: its buffer.
    """

    epoch: int
    implementation: str
    words: bytes

    @property
    def numbers(self) -> tuple[int, ...]:
        """Return the words as numbers."""
        return tuple(memoryview(self.words).cast("I"))


@dataclass(frozen=True, eq=False)
class Stack:
    """The user's part of a Python stack: spans are computed when they are asked for.

    Attributes:
        calls: its code objects and instructions, innermost first.
    """

    calls: tuple[tuple[CodeType, int], ...]

    @cached_property
    def chain(self) -> Chain:
        """The spans, innermost first."""
        return tuple(span_at(code, lasti) for code, lasti in self.calls)


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """One key operation that was executed.

    Attributes:
        kind: what was done. ``draw`` and ``split`` consume the keys that go in.
        name: the function that the user called, where JAX compiles it under its name, such as ``normal``.
        keys: the keys that go in.
        made: the keys that come out; inside of compiled functions they are not known.
        stack: the Python stack of the operation, or of the call of the compiled function.
        inner: the operation in the compiled function.
        certain: whether the lineage of the compiled function knows the key, though not its words.
        turns: the iterations of the compiled loops around it, outermost first, each from 0; ``None`` where these were
            not probed.
    """

    kind: Literal["seed", "split", "fold_in", "clone", "draw"]
    name: str
    keys: tuple[Key, ...]
    made: tuple[Key, ...]
    stack: Stack
    inner: lineage.Event | None = None
    certain: bool = False
    turns: tuple[int, ...] | None = None

    @property
    def chain(self) -> Chain:
        """Return the spans of the user's calls that led to it, innermost first."""
        return (*(self.inner.chain if self.inner is not None else ()), *self.stack.chain)


@dataclass(frozen=True, slots=True, eq=False)
class Repeat:
    """A key that two operations consumed; ``collision`` if it was derived in two ways."""

    kind: Literal["reuse", "collision"]
    first: Event
    second: Event
    key: Key


def user_frames() -> list[tuple[int, CodeType, int]]:
    """Return the user's part of the live Python stack, innermost first: frame numbers, code objects, instructions.

    The number of a frame is given out again once it is gone.
    """
    found = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        whose = role(code.co_filename)
        if whose == "runner":
            break
        if whose == "user":
            found.append((id(frame), code, frame.f_lasti))
        frame = frame.f_back
    return found


@lru_cache(maxsize=4096)
def role(file: str) -> Literal["user", "library", "runner"]:
    """Say whose a file is: what called a test is no part of the program."""
    parts = Path(file).parts
    if "_pytest" in parts or "pluggy" in parts:
        return "runner"
    return "user" if is_user_file(file) else "library"


@lru_cache(maxsize=4096)
def is_installed(file: str) -> bool:
    """Return whether a file is of an installed package."""
    return not {"site-packages", "dist-packages"}.isdisjoint(Path(file).parts)


def places_of(first: Chain, second: Chain) -> tuple[Span, Span] | None:
    """Return the places to report of two chains, ``None`` if they are within one call into an installed package."""
    own = [tuple(span for span in chain if not is_installed(span.file)) for chain in (first, second)]
    if not all(own) or (own[0] == own[1] and first != second):
        return None
    return diverging(*own)
