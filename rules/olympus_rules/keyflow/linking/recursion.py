"""Recursive functions: their summaries are computed until they no longer change.

Summaries are computed callee before caller. A function that is called while it is being interpreted answers with its
draft, at first none. The outermost function of the cycle is interpreted again, with all functions that rest on its
unfinished summary, until the key signatures of the cycle no longer change.

A function that calls itself with a key made of its own consumes another key in each round, without end. Where the
rounds stop then depends on the outermost function. So a cycle that was entered elsewhere is interpreted from its first
function in the order of the sources: a warm run may enter it by another file than a cold one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

ROUNDS = 4  # a signature that still changes afterwards is taken as it is
DEEPEST = 400  # functions on the stack; released packages stay far below


class Full(Exception):
    """A function was called when the stack was full."""

    def __init__(self, settle: Callable[[], object]) -> None:
        """Remember what computes the summary of that function."""
        super().__init__(f"more than {DEEPEST} functions that call each other")
        self.settle = settle


class Draft(Protocol):
    """The summary of a function after one round."""

    def place(self) -> tuple[Any, ...]:
        """Return its place in the order of the sources."""

    def settle(self) -> None:
        """Compute the final summary of the function."""

    def is_settled(self) -> bool:
        """Return whether the function has a summary."""

    def forget(self) -> None:
        """Withdraw it, and all of the rounds before."""

    def changed(self) -> bool:
        """Return whether its key signature differs from that of the round before."""

    def hold(self, lowest: int | None) -> None:
        """Record the depth of the outermost unfinished function on which it rests, ``None`` if it is final."""

    def withdraw(self) -> None:
        """Withdraw it; it stays the draft until the next round has another one."""


@dataclass(slots=True, eq=False)
class Frame:
    """A function that is being interpreted.

    Attributes:
        depth: its index on the stack.
        lowest: the depth of the outermost function on whose unfinished summary it rests; its own if there is none.
        asked: whether its unfinished summary was used.
        drafts: the summaries that rest on its unfinished one.
    """

    depth: int
    lowest: int
    asked: bool = False
    drafts: list[Draft] = field(default_factory=list)


class Stack:
    """The functions that are being interpreted, of all files."""

    def __init__(self) -> None:
        """Start empty."""
        self.frames: list[Frame] = []

    @property
    def is_full(self) -> bool:
        """Return whether no further function can be interpreted before one of those on the stack is done."""
        return len(self.frames) >= DEEPEST

    def ask(self, frame: Frame) -> None:
        """Record that the innermost function uses the unfinished summary of another one."""
        frame.asked = True
        self.rest_on(frame.depth)

    def rest_on(self, depth: int) -> None:
        """Record that the innermost function uses a summary that rests on the unfinished function at a depth."""
        if self.frames:
            top = self.frames[-1]
            top.lowest = min(top.lowest, depth)

    def settle(self, interpret: Callable[[Frame], Draft]) -> bool:
        """Interpret a function, repeatedly while it is the outermost of a cycle that still changes.

        Args:
            interpret: interprets it once and returns its summary.

        Returns:
            Whether the summary is final: it rests on no function that is still being interpreted.

        Raises:
            Full: by a function that this one calls; nothing is left of what rests on this one.
        """
        turn, elsewhere = 0, False
        while True:
            depth = len(self.frames)
            frame = Frame(depth, depth)
            self.frames.append(frame)
            try:
                draft = interpret(frame)
            except Full:
                for one in frame.drafts:
                    one.hold(None)
                    one.forget()
                raise
            finally:
                self.frames.pop()
            circle = [draft, *frame.drafts]
            for one in circle:
                one.hold(frame.lowest if frame.lowest < depth else None)
            if frame.lowest < depth:  # the rounds of an outer function repeat this one
                self.frames[-1].lowest = min(self.frames[-1].lowest, frame.lowest)
                self.frames[frame.lowest].drafts += circle
                return False
            turn += 1
            if not frame.asked or turn == ROUNDS or not any(one.changed() for one in circle):
                return True
            if turn == 1 and not elsewhere and self._enter(circle):
                if draft.is_settled():
                    return True
                turn, elsewhere = 0, True
                continue
            for one in circle:
                one.withdraw()

    def _enter(self, circle: list[Draft]) -> bool:
        """Interpret a cycle from its first function, and return whether it had been entered by another one."""
        first = min(circle, key=lambda one: one.place())
        if first is circle[0]:
            return False
        for one in circle:
            one.forget()
        first.settle()
        return True
