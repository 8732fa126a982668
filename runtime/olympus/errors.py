"""Errors that teach, and all names of ``jax.errors``.

JAX's own exception goes on to the caller: the same object, of the same type, whose text starts as JAX wrote it.
An *explanation* adds what went wrong with which key and what to write instead, and the user's line is added to
that. It happens in two places: :func:`explained` wraps functions of the namespace, and :func:`install` wraps the
operators of JAX's arrays and tracers, because ``key + 1`` calls no function of ours.
"""

from __future__ import annotations

import linecache
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import wraps
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from olympus.mirror import jax_module, mirror
from olympus.spans import is_user_file

if TYPE_CHECKING:
    from jax.errors import *  # noqa: F403
else:
    __getattr__, __dir__ = mirror(__name__, "jax.errors")

OWN = ("Explanation", "Failure", "explained", "explanations", "install")

Function = TypeVar("Function", bound=Callable[..., Any])
FOLDER = __file__.rpartition("errors.py")[0]
TOLD = "__olympus_explained__"
"""The attribute of an exception whose text has been made longer."""


@dataclass(frozen=True, slots=True)
class Failure:
    """The call that failed.

    Attributes:
        operation: the name of the function or operator, as its module has it: ``normal``, ``vmap``, ``__add__``.
        arguments: the positional arguments.
        keywords: the keyword arguments.
    """

    operation: str
    arguments: tuple[Any, ...]
    keywords: Mapping[str, Any] = field(default_factory=dict)


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
            explain(error, Failure(operation, args, kwargs))
            raise

    if module is not None:
        call.__module__ = module
    return call  # type: ignore[return-value]


def explain(error: Exception, failure: Failure) -> None:
    """Make the text of an error longer, once, if there is an explanation.

    Frames of this package are taken out of the traceback, and out of that of an explained error those of JAX,
    unless JAX is told to keep its own (``JAX_TRACEBACK_FILTERING=off``).
    """
    traceback = error.__traceback__
    for explanation in () if hasattr(error, TOLD) else explanations:
        with suppress(Exception):  # the user's error must come through, even if an explanation breaks
            text = explanation(error, failure)
            if text:
                lengthen(error, f"\n\n{text}{source_line(traceback)}")
                break
    jax = jax_module()
    if jax.config.jax_traceback_filtering != "off":
        folders = (FOLDER, *(path + os.sep for path in jax.__path__)) if hasattr(error, TOLD) else (FOLDER,)
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
    steps: list[TracebackType] = []
    while traceback is not None:
        steps.append(traceback)
        traceback = traceback.tb_next
    kept: TracebackType | None = None
    for step in reversed(steps):
        if not step.tb_frame.f_code.co_filename.startswith(folders):
            kept = TracebackType(kept, step.tb_frame, step.tb_lasti, step.tb_lineno)
    return kept


def source_line(traceback: TracebackType | None) -> str:
    """Return the user's innermost line, as a line of text, or nothing if no frame is the user's."""
    for frame, number in frames(traceback):
        file = frame.f_code.co_filename
        if is_user_file(file) and not is_of_jax(frame):
            text = linecache.getline(file, number, frame.f_globals).strip()
            return f"\n  {file}:{number}: {text}".removesuffix(": ")
    return ""


def frames(traceback: TracebackType | None) -> Iterator[tuple[FrameType, int]]:
    """Return the frames between the error and this call, and then the callers, each with its line; innermost first."""
    steps = []
    while traceback is not None:
        steps.append((traceback.tb_frame, traceback.tb_lineno))
        traceback = traceback.tb_next
    yield from reversed(steps)
    caller: FrameType | None = sys._getframe()
    while caller is not None:
        yield caller, caller.f_lineno
        caller = caller.f_back


def is_of_jax(frame: FrameType) -> bool:
    """Return whether a frame is of a package that JAX calls, or that calls JAX, on the user's behalf."""
    return str(frame.f_globals.get("__name__")).partition(".")[0] in {"numpy", "ml_dtypes", "opt_einsum", "scipy"}


# -- what is wrapped in JAX ---------------------------------------------------------------------------------------

SYMBOLS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "divmod": "divmod",
    "pow": "**",
    "matmul": "@",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
}
COMPARISONS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}
UNARY = {"neg": "-", "pos": "+", "abs": "abs", "invert": "~", "round": "round"}
ARITHMETIC = {
    **{f"__{name}__": symbol for name, symbol in (UNARY | COMPARISONS | SYMBOLS).items()},
    **{f"__r{name}__": symbol for name, symbol in SYMBOLS.items()},
}
"""The operators that a random key has no meaning for; ``==`` and ``!=`` compare keys and stay as they are."""
CONVERSIONS = ("__array__", "__bool__", "__int__", "__float__", "__index__", "astype")
UNPACKING = ("__iter__", "__len__")

_lock = threading.Lock()


def install() -> None:
    """Wrap the operators of JAX's key arrays, arrays and tracers, once, so that their errors are explained.

    The wrappers call the original and change nothing but the text of an error. Numeric arrays are among the
    classes for ``array + key``, which asks the array first. ``jax.Array`` knows its classes; asking for the type
    of a key instead would start a backend, which a program may want to configure first.
    """
    import jax
    from jax.extend.source_info_util import register_exclusion

    from olympus import array_protocol, key_errors

    register_exclusion(FOLDER)  # our frames between a user's call and JAX's are not the user's
    numeric = [*(name for name in ARITHMETIC if name.strip("_") not in UNARY), "__getitem__"]
    everything = [*ARITHMETIC, "__getitem__", *CONVERSIONS, *UNPACKING]
    methods = {"Tracer": everything, "PRNGKeyArray": everything, "ArrayImpl": numeric}
    with _lock:
        own: tuple[Explanation, ...] = (*key_errors.EXPLANATIONS, array_protocol.not_converted)
        explanations.extend(item for item in own if item not in explanations)
        kinds: list[type] = [jax.core.Tracer, *jax.Array.__subclasses__()]
        for kind in kinds:
            for name in methods.get(kind.__name__, ()):
                if callable(getattr(kind, name, None)):
                    wrap_method(kind, name)


def wrap_method(kind: type, name: str) -> None:
    """Replace a method by one that explains errors with a key among the operands, unless that has been done."""
    original = getattr(kind, name)
    if getattr(original, TOLD, False):
        return

    @wraps(original)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        try:
            return original(self, *args, **kwargs)
        except Exception as error:
            if any(map(is_key, (self, *args))):
                explain(error, Failure(name, (self, *args), kwargs))
            raise

    setattr(method, TOLD, True)
    setattr(kind, name, method)


def is_key(value: object) -> bool:
    """Return whether a value is a typed key or an array of typed keys, traced or not."""
    dtypes = jax_module("jax.dtypes")
    try:
        return bool(dtypes.issubdtype(getattr(value, "dtype", object), dtypes.prng_key))
    except TypeError:  # it is no dtype at all
        return False
