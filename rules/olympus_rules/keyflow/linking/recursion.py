"""Recursive functions: their summaries are computed until they no longer change.

Summaries are computed callee before caller. A function that is called while it is being interpreted answers with its
draft, at first none. The outermost function of the cycle is interpreted again, with all functions that rest on its
unfinished summary, until the key signatures of the cycle no longer change.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

__all__ = ["Draft", "Frame", "Stack"]

ROUNDS = 4  # a signature that still changes afterwards is taken as it is


class Draft(Protocol):
    """The summary of a function after one round."""

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
        """
        for turn in range(ROUNDS):
            depth = len(self.frames)
            frame = Frame(depth, depth)
            self.frames.append(frame)
            try:
                draft = interpret(frame)
            finally:
                self.frames.pop()
            circle = [draft, *frame.drafts]
            for one in circle:
                one.hold(frame.lowest if frame.lowest < depth else None)
            if frame.lowest < depth:  # the rounds of an outer function repeat this one
                self.frames[-1].lowest = min(self.frames[-1].lowest, frame.lowest)
                self.frames[frame.lowest].drafts += circle
                return False
            if not frame.asked or turn == ROUNDS - 1 or not any(one.changed() for one in circle):
                return True
            for one in circle:
                one.withdraw()
        raise AssertionError("the last turn returns")
