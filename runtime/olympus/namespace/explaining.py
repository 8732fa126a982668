"""Errors that teach: JAX's own exceptions, with what went wrong with which key and what to write instead.

JAX's exception goes on to the caller: the same object, of the same type, whose text starts as JAX wrote it. An
*explanation* adds to that text, and the user's line follows. It happens in two places: :func:`explained` wraps
functions of the namespace, and :mod:`olympus.namespace.operators` wraps the operators of JAX's arrays and tracers,
because ``key + 1`` calls no function of ours.
"""

from __future__ import annotations

import linecache
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from traceback import walk_stack, walk_tb
from types import FrameType, TracebackType
from typing import Any, TypeVar

from olympus.tracing.spans import is_user_file, steps

Function = TypeVar("Function", bound=Callable[..., Any])
FOLDER = f"{Path(__file__).parents[1]}{os.sep}"
"""The package ``olympus``."""
TOLD = "__olympus_explained__"
"""The attribute of an exception whose text has been made longer."""


@dataclass(frozen=True, slots=True)
class Failure:
    """The call that failed.

    Attributes:
        operation: the name of the function or operator, as its module has it: ``normal``, ``vmap``, ``__add__``,
            ``at.set``.
        arguments: the positional arguments; of ``at`` the array, the index and the values.
        keywords: the keyword arguments.
        module: where the operation is found: ``olympus.random``, ``olympus.Array`` for methods; empty for a function
            of the user.
    """

    operation: str
    arguments: tuple[Any, ...]
    keywords: Mapping[str, Any] = field(default_factory=dict)
    module: str = ""

    @property
    def given(self) -> tuple[Any, ...]:
        """Return all arguments."""
        return (*self.arguments, *self.keywords.values())


Explanation = Callable[[Exception, Failure], str | None]
"""Says what went wrong and what to write instead, in sentences, or ``None`` if it knows nothing of the error."""

explanations: list[Explanation] = []
"""They are asked in this order, and the first answer counts. Add to the list to explain other errors."""


def explained(function: Function, name: str | None = None, module: str | None = None) -> Function:
    """Wrap a function so that its errors are explained.

    Args:
        function: any callable.
        name: what explanations know it by, the function's own name by default.
        module: the module that shows the wrapper, so that the wrapper can be pickled.
    """
    operation = name or str(getattr(function, "__name__", "function"))

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        try:
            return function(*args, **kwargs)
        except Exception as error:
            explain(error, Failure(operation, args, kwargs, module or ""))
            raise

    if module is not None:
        call.__module__ = module
    return call  # type: ignore[return-value]


def explain(error: Exception, failure: Failure) -> None:
    """Make the text of an error longer, once, if there is an explanation.

    Frames of this package are taken out of the traceback, and out of that of an explained error those of JAX and of
    NumPy, which JAX asks about dtypes, unless JAX is told to keep its own (``JAX_TRACEBACK_FILTERING=off``).
    """
    traceback = error.__traceback__
    for explanation in () if hasattr(error, TOLD) else explanations:
        with suppress(Exception):  # the user's error must come through, even if an explanation breaks
            text = explanation(error, failure)
            if text:
                lengthen(error, f"\n\n{text}{source_line(origin(error))}")
                break
    import jax
    import numpy

    config: Any = jax.config
    if config.jax_traceback_filtering != "off":
        inner = (jax, numpy) if hasattr(error, TOLD) else ()
        folders = (FOLDER, *(path + os.sep for package in inner for path in package.__path__))
        error.__traceback__ = without(traceback, folders)


def lengthen(error: Exception, text: str) -> None:
    """Append to the text of an error, or add a note where its class makes the text by itself."""
    longer = str(error) + text
    before, error.args = error.args, (longer, *error.args[1:])
    if str(error) != longer:
        error.args = before
        error.add_note(text.lstrip())
    setattr(error, TOLD, True)


def without(traceback: TracebackType | None, folders: tuple[str, ...]) -> TracebackType | None:
    """Return a traceback without the frames of files in some folders."""
    kept: TracebackType | None = None
    for step in reversed(list(steps(traceback))):
        if not step.tb_frame.f_code.co_filename.startswith(folders):
            kept = TracebackType(kept, step.tb_frame, step.tb_lasti, step.tb_lineno)
    return kept


def origin(error: Exception) -> TracebackType | None:
    """Return the traceback of what failed.

    JAX checks the keys of a compiled function at its call, and gives the traceback of the equation as the cause. In a
    check of keys outside of compiled code, the cause is the first use.
    """
    import jax

    cause = error.__cause__
    if type(error) is jax.errors.KeyReuseError and cause is not None and type(cause) is not type(error):
        return cause.__traceback__
    return error.__traceback__


def source_line(traceback: TracebackType | None) -> str:
    """Return the user's innermost line, as a line of text, or nothing if no frame is the user's."""
    frame, number = user_frame(traceback)
    if frame is None:
        return ""
    file = frame.f_code.co_filename
    text = linecache.getline(file, number, frame.f_globals).strip()
    return f"\n  {file}:{number}: {text}".removesuffix(": ")


def user_frame(traceback: TracebackType | None = None) -> tuple[FrameType | None, int]:
    """Return the user's innermost frame and its line: of a traceback, or else of the callers."""
    for frame, number in frames(traceback):
        if is_user_file(frame.f_code.co_filename) and not is_of_jax(frame):
            return frame, number
    return None, 0


def frames(traceback: TracebackType | None) -> Iterator[tuple[FrameType, int]]:
    """Return the frames between the error and this call, and then the callers, each with its line; innermost first."""
    yield from reversed(list(walk_tb(traceback)))
    yield from walk_stack(sys._getframe())


def is_of_jax(frame: FrameType) -> bool:
    """Return whether a frame is of a package that JAX calls, or that calls JAX, on the user's behalf."""
    return str(frame.f_globals.get("__name__")).partition(".")[0] in {"numpy", "ml_dtypes", "opt_einsum", "scipy"}
