"""The limits of one execution, and the errors that do not end it."""

from __future__ import annotations

import sys
import time
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from traceback import walk_stack
from types import CodeType, FrameType
from typing import NamedTuple

from olympus.tracing.spans import steps
from olympus.verdicts.reasons import Reason

ERRORS = 1_000  # of one execution
STEPS = 40_000  # of one execution: unknown calls, iterations, conditions, and heavier operations
HEAVY = 40  # steps: a call of JAX that is traced
NET = 20  # seconds of processor time for one execution, should the steps not bound it
KEY_OPERATIONS = 200  # in one execution
CALLS = 5_000  # unknown calls in one execution
MANY = 1_000  # unknown calls in one call of the user
DEEPEST = 400  # frames, those of JAX included; unknown values can keep a recursion from ending
SHALLOW = 80  # frames, down to which such a recursion is unwound
OUTER = 12  # frames, down to which an endless call is unwound: the function and one that it calls


class Exhausted(BaseException):
    """The execution is too long; no handler of the user may catch it."""


class TooLong(Exception):
    """A call of the user does not end; it is left, and its result is unknown."""


class Met(NamedTuple):
    """An error, and the calls around the place where it was handled."""

    error: BaseException
    around: set[tuple[CodeType, int]]


class Budget:
    """What the executions in one world have spent, and the errors that did not end the current one.

    Attributes:
        spent: the steps of all executions.
        met: these errors.
    """

    def __init__(self) -> None:
        self.spent = 0
        self.begin(0)

    def begin(self, outermost: int) -> None:
        """Begin another execution.

        Args:
            outermost: the depth of the stack.
        """
        self.outermost = outermost
        self.calls = self.fresh = self.steps = self.key_operations = 0
        self.end = time.process_time() + NET
        self.met: dict[Hashable, Met] = {}

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Count steps and time inside separately."""
        end, start = self.end, time.process_time()
        self.end, steps, self.steps = start + NET, self.steps, 0
        try:
            yield
        finally:
            self.end, self.steps = end + time.process_time() - start, steps

    def key_operation(self) -> None:
        """Count a key operation: an endless recursion has very many.

        Raises:
            Exhausted: if there were too many.
        """
        self.key_operations += 1
        self.step(HEAVY)
        if self.key_operations > KEY_OPERATIONS:
            raise Exhausted(Reason.MOST.of(f"{KEY_OPERATIONS} key operations"))

    def step(self, weight: int = 1) -> None:
        """Count steps; unlike time, they are the same on a slower machine.

        Args:
            weight: the number of steps.

        Raises:
            Exhausted: if there were too many, or they took very long.
        """
        self.steps += weight
        self.spent += weight
        if self.steps > STEPS:
            raise Exhausted(Reason.MOST.of(f"{STEPS} steps"))
        if time.process_time() > self.end:
            raise Exhausted(Reason.STRUCK.of(NET))

    def unknown_call(self) -> None:
        """Count a call of something unknown.

        Raises:
            Exhausted: if there were too many.
            TooLong: if there were too many in one call of the user's.
        """
        self.calls += 1
        if self.calls > CALLS:
            raise Exhausted(Reason.MOST.of(f"{CALLS} calls of unknown functions"))
        if self.calls - self.fresh > MANY:
            raise TooLong(Reason.MOST.of(f"{MANY} calls of unknown functions"))
        self.step()

    def note(self, error: BaseException, frame: FrameType) -> None:
        """Note an error that does not end the execution, once for each place.

        Args:
            error: the error.
            frame: where it is handled.

        Raises:
            Exhausted: if there are very many.
        """
        places = tuple((step.tb_frame.f_code, step.tb_lasti) for step in steps(error.__traceback__))
        around = self.met.setdefault((type(error), str(error), places), Met(error, set())).around
        around.update((outer.f_code, outer.f_lasti) for outer, _ in walk_stack(frame.f_back))
        if len(self.met) > ERRORS:
            raise Exhausted(Reason.MOST.of(f"{ERRORS} errors"))

    def goes_on(self, error: BaseException) -> bool:
        """Return whether the execution goes on here after an error; an endless call is unwound further."""
        if isinstance(error, RecursionError):
            return not is_deeper(self.outermost + SHALLOW)
        if isinstance(error, TooLong):
            if is_deeper(self.outermost + OUTER):
                return False
            self.fresh = self.calls
        return not isinstance(error, StopIteration)


def depth() -> int:
    """Return the depth of the stack."""
    return sum(1 for _ in walk_stack(sys._getframe()))


def is_deeper(frames: int) -> bool:
    """Return whether the stack has more frames: a deep one is asked at each step of its unwinding."""
    frame: FrameType | None = sys._getframe()
    while frame is not None and frames >= 0:
        frame, frames = frame.f_back, frames - 1
    return frames < 0


@contextmanager
def shallow() -> Iterator[None]:
    """End a recursion early."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(min(limit, depth() + DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
