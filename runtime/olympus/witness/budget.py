"""How much one execution may do, and the errors that it goes on after."""

from __future__ import annotations

import sys
import time
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import NamedTuple

__all__ = ["Budget", "Exhausted", "Met", "TooLong", "depth", "shallow"]

ERRORS = 1_000  # of one execution
STEPS = 40_000  # of one execution: calls of what is not known, turns, conditions, and what weighs more
HEAVY = 40  # steps: a call of JAX that is traced
NET = 20  # seconds of processor time for one execution: a net below its steps
KEY_OPERATIONS = 200  # in one execution
CALLS = 5_000  # of something unknown, in one execution
MANY = 1_000  # of them, in one call of the user's
DEEPEST = 400  # frames, of JAX's as well; what is not known can keep a recursion from its end
SHALLOW = 80  # frames, up to which such a recursion is left
OUTER = 12  # frames, up to which a call is left that goes on and on: those of the function and of one that it calls


class Exhausted(BaseException):
    """The execution is too long; no handler of the user's is to catch it."""


class TooLong(Exception):
    """A call of the user's goes on and on; it is left, and its result is unknown."""


class Met(NamedTuple):
    """An error, and where the calls were that led to the place where it was handled."""

    error: BaseException
    around: set[tuple[CodeType, int]]


class Budget:
    """What the executions in one world have spent, and the errors that the current one goes on after.

    Attributes:
        spent: the steps of all executions.
        met: the errors of the current one.
    """

    def __init__(self) -> None:
        self.spent = 0
        self.begin(0)

    def begin(self, outermost: int) -> None:
        """Begin another execution.

        Args:
            outermost: how many frames there are.
        """
        self.outermost = outermost
        self.calls = self.fresh = self.steps = self.key_operations = 0
        self.end = time.process_time() + NET
        self.met: dict[Hashable, Met] = {}

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Give what is executed inside steps and time of its own."""
        end, start = self.end, time.process_time()
        self.end, steps, self.steps = start + NET, self.steps, 0
        try:
            yield
        finally:
            self.end, self.steps = end + time.process_time() - start, steps

    def key_operation(self) -> None:
        """End an execution with very many key operations, as a recursion has that nothing stops.

        Raises:
            Exhausted: if it is one.
        """
        self.key_operations += 1
        self.step(HEAVY)
        if self.key_operations > KEY_OPERATIONS:
            raise Exhausted(f"more than {KEY_OPERATIONS} key operations")

    def traced_call(self) -> None:
        """Count a call of JAX that is traced.

        Raises:
            Exhausted: if there were too many steps.
        """
        self.step(HEAVY)

    def step(self, weight: int = 1) -> None:
        """Count what an execution does, and end one that does very much: it is the same on a slower machine.

        Args:
            weight: how many steps it is.

        Raises:
            Exhausted: if that is too much, or takes very long all the same.
        """
        self.steps += weight
        self.spent += weight
        if self.steps > STEPS:
            raise Exhausted(f"more than {STEPS} steps")
        if time.process_time() > self.end:
            raise Exhausted(f"the time limit of {NET} s has struck")

    def unknown_call(self) -> None:
        """Count a call of something unknown.

        Raises:
            Exhausted: if there were too many.
            TooLong: if there were too many in one call of the user's.
        """
        self.calls += 1
        if self.calls > CALLS:
            raise Exhausted(f"more than {CALLS} calls of unknown functions")
        if self.calls - self.fresh > MANY:
            raise TooLong(f"more than {MANY} calls of unknown functions")
        self.step()

    def note(self, error: BaseException, frame: FrameType) -> None:
        """Note an error that the execution goes on after; one that comes again at the same places is noted once.

        Args:
            error: the error.
            frame: where it is handled.

        Raises:
            Exhausted: if there are very many.
        """
        places, traceback = [], error.__traceback__
        while traceback is not None:
            places.append((traceback.tb_frame.f_code, traceback.tb_lasti))
            traceback = traceback.tb_next
        around = self.met.setdefault((type(error), str(error), tuple(places)), Met(error, set())).around
        outer = frame.f_back
        while outer is not None:
            around.add((outer.f_code, outer.f_lasti))
            outer = outer.f_back
        if len(self.met) > ERRORS:
            raise Exhausted(f"more than {ERRORS} errors")

    def goes_on(self, error: BaseException) -> bool:
        """Say whether the execution goes on here after an error: what has no end is left before."""
        if isinstance(error, RecursionError):
            return depth() <= self.outermost + SHALLOW
        if isinstance(error, TooLong):
            if depth() > self.outermost + OUTER:
                return False
            self.fresh = self.calls
        return not isinstance(error, StopIteration)


def depth() -> int:
    """Return how many frames there are."""
    frame: FrameType | None = sys._getframe()
    count = 0
    while frame is not None:
        frame, count = frame.f_back, count + 1
    return count


@contextmanager
def shallow() -> Iterator[None]:
    """End a recursion early."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(min(limit, depth() + DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
