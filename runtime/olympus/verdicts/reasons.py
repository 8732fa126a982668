"""Why a verdict is open, for the user: what could not be found out, and what tells it.

The program adds the next step that is left: :func:`olympus_lint.tracing.combining.advised`.
"""

from __future__ import annotations

import re
from enum import StrEnum


class Reason(StrEnum):
    """A sentence without a full stop, with ``{}`` for what it is about."""

    # Nothing was seen there.
    UNREACHED = "none of the executions that were tried reaches the place"
    FAILED = "with the values that were tried, the code fails before the place: {}"
    APART = "no execution reaches both places"
    DECIDED = "no execution reaches both places: other conditions decide {}"
    OTHER_KIND = "with the other kind of keys, raw or typed, no execution reaches the place"
    LEFT = "what is done with the keys there is not known: {}"
    NO_TIME = "there was no time for an execution of the function"
    SLOW = "an execution of the function took too long"
    UNTRACED = "JAX cannot trace the function: {}"
    ENDED = "the tracing ended with {}"

    # A limit.
    BRANCHES = "the function has more branches than olympus-lint tries"
    STRUCK = "olympus-lint gave up after {} s"
    MOST = "olympus-lint gave up after {}"
    LOOP = "a loop with an unknown number of iterations was executed a few times only"
    LATER = "the later iterations of a loop were not executed"
    ENDED_EARLY = "with the values that were tried, the code fails there: {}"

    # An unknown value.
    CALLS = "what the calls there do with the key is not known; a signature pack can say it"
    WHICH = "which keys are used there depends on values that are not known"
    FOLDED = "the numbers that are folded in are not known, and may be equal"
    ROOTS = "the keys there come from values that are not known, which may be one key"
    READ_AGAIN = "`{}` may give another key each time; an annotation with the class of its object tells"
    CHILDREN = "the number of keys that a split makes is not known"
    GENERATOR = (
        "the keys there are equal with some generators only: those whose child `i` of a split is `fold_in(key, i)`, or "
        "does not depend on the number of children"
    )
    NO_KEYS = "no keys that are known are made there"
    IS_KEY = "whether there is a key is not known"
    DONE = "what is done to the key there is not known"
    NO_KEY = "`{}` has the default {}, which is no key"
    ANNOTATED = "`{}` is annotated as {}, which is no key"
    DEFAULT = "`{}` is taken to have its default"
    KEYWORD = "`{}` is taken to have its default, but may be in `{}`"
    NUMBER = "`{}` is taken for {}"
    CHOSEN = "which function `{}` chooses is not known"
    RETURNS = "`{}` may end the program"
    EXEC = "what `exec` does is not known"

    # Conditions.
    MODEL = "no value of {} was found with which all conditions on the way hold"
    VALUES = "no values were found with which all conditions on the way hold"
    RESULT = "a condition on the way depends on a statement that fails without real values"
    CHANCE = "the way to the place needs a random draw to be one number of very many"
    ASSERTED = "an assertion on the way fails with the values that were tried"
    EXCLUDED = "whether {} contradicts another condition is not known"
    STEADY = "whether {} is the same each time is not known"

    def of(self, *given: object) -> str:
        """Return the sentence about something."""
        return self.format(*given)


STAND_INS = "(?:Unknown|UnknownBase|UnsteadyBase|Options|Attributes|Jax|Wrapped)"
INNER = re.compile(rf"'{STAND_INS}'|\btype {STAND_INS}(?= )")
"""Classes of stand-ins in the messages of Python's errors."""


def plain(error: str) -> str:
    """Return the message of an error without the names of stand-ins."""
    return INNER.sub("a value that is not known", error)
