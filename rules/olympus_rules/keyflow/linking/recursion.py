"""Functions that call each other in a circle: their summaries are computed until they no longer change.

Summaries are computed callee before caller. A function that is asked for while it is being interpreted answers with
what is known of it so far, at first nothing. The outermost function of the circle is interpreted again, with all that
rests on its unfinished summary, until the key signatures of the circle stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

__all__ = ["Draft", "Frame", "Stack"]

ROUNDS = 4  # a signature that still changes then is taken as it is


class Draft(Protocol):
    """The summary of a function, as one round gives it."""

    def changed(self) -> bool:
        """Say whether its key signature differs from that of the round before."""

    def hold(self, lowest: int | None) -> None:
        """Note the depth of the outermost unfinished function on which it rests, ``None`` when it is final."""

    def withdraw(self) -> None:
        """Take it back; until the next round has another one it is what is known so far."""


@dataclass(slots=True, eq=False)
class Frame:
    """A function that is being interpreted.

    Attributes:
        depth: its place among those that are.
        lowest: the depth of the outermost function on whose unfinished summary it rests; its own for none.
        asked: whether it was asked for meanwhile.
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
        """Note that the innermost function uses what is known so far of one that is not finished."""
        frame.asked = True
        self.rest_on(frame.depth)

    def rest_on(self, depth: int) -> None:
        """Note that the innermost function uses what rests on the unfinished function of a depth."""
        if self.frames:
            top = self.frames[-1]
            top.lowest = min(top.lowest, depth)

    def settle(self, interpret: Callable[[Frame], Draft]) -> bool:
        """Interpret a function, again as long as it is the outermost of a circle that still changes.

        Args:
            interpret: interprets it once and returns its summary.

        Returns:
            Whether the summary is final: it is not when it rests on a function that is still being interpreted.
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
