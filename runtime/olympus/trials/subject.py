"""The function that a place is in, as an object of its module, and the calls that lead into it."""

from __future__ import annotations

import functools
import inspect
import unittest
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from olympus.trials.arguments import Argument
from olympus.trials.libraries import RNGS, is_linen, linen_call

MAKERS = ("__init__", "__new__", "__post_init__")
DEPTH = 4  # of results in results, and of wrappers in wrappers


class Unfit(Exception):
    """There is no such function to call; the message says why, without a full stop."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One call on the way to a place.

    Attributes:
        pick: gives the function to call, of the result of the step before.
        signature: a callable that has its parameters.
        besides: arguments that are no parameters of it.
        bound: whether the first parameter is not given: it is the object of a method.
        name: what hints call it, such as ``Model.step``.
    """

    pick: Callable[[Any], Any]
    signature: Callable[..., Any]
    name: str
    bound: bool = False
    besides: Mapping[str, Argument] = field(default_factory=dict)


def steps(module: ModuleType, qualified: str) -> list[Step]:
    """Return the calls that lead into a function of a module.

    Args:
        module: the module.
        qualified: the function's name, with the classes around it.

    Raises:
        Unfit: there is no such function.
    """
    *classes, name = qualified.split(".")
    owner: Any = module
    for each in classes:
        owner = getattr(owner, each, None)
    if not hasattr(owner, name):
        name = renamed(owner, qualified)
    found = getattr(owner, name)
    if not classes or not isinstance(owner, type):
        if not callable(found):
            raise Unfit(f"{qualified} is no function after the import of its module")
        return [Step(lambda _: found, found, qualified)]
    held = inspect.getattr_static(owner, name)
    if isinstance(held, staticmethod | classmethod):
        return [Step(lambda _: found, found, qualified)]
    kind = concrete(owner, name)
    making = Step(lambda _: kind, kind, ".".join([*classes[:-1], kind.__name__]))
    if name in MAKERS:
        return [making]
    if isinstance(held, property | functools.cached_property):
        get = held.fget if isinstance(held, property) else held.func
        assert get is not None, "a property with a body has a getter"
        return [making, Step(lambda instance: lambda: getattr(instance, name), get, qualified, bound=True)]
    if issubclass(kind, unittest.TestCase):
        called = alone if name.startswith("test") else found
        return [making, Step(lambda instance: tested(instance, name), called, qualified, bound=True)]
    if is_linen(kind):
        return [making, Step(lambda instance: linen_call(instance, name), found, qualified, bound=True, besides=RNGS)]
    return [making, Step(lambda instance: getattr(instance, name), found, qualified, bound=True)]


def renamed(owner: Any, qualified: str) -> str:
    """Return the name by which a function is there that a decorator gave another, as for tests with parameters.

    Raises:
        Unfit: there is none.
    """
    members: dict[str, Any] = dict(vars(owner)) if hasattr(owner, "__dict__") else {}
    for name, held in members.items():
        if callable(held) and any(code.co_qualname == qualified for code in codes(held, DEPTH)):
            return name
    raise Unfit(f"the module has no {qualified} after its import")


def alone(self: Any) -> None:
    """Have the parameters of a test: whoever decorates one gives it its own."""


def tested(case: Any, name: str) -> Callable[..., Any]:
    """Return a function that runs a test as its runner does: prepared first."""

    def run(*args: Any, **kwargs: Any) -> Any:
        if name != "setUp":
            case.setUp()
        return getattr(case, name)(*args, **kwargs)

    return run


def concrete(owner: type, name: str) -> type:
    """Return a class that can be made and has a method of another: this one, or one that derives from it."""
    if not inspect.isabstract(owner):
        return owner
    waiting: list[type] = list(owner.__subclasses__())
    while waiting:
        kind = waiting.pop(0)
        inherited = inspect.getattr_static(kind, name, None) is inspect.getattr_static(owner, name)
        if inherited and not inspect.isabstract(kind):
            return kind
        waiting += kind.__subclasses__()
    raise Unfit(f"{owner.__name__} is abstract, and its module has no class that derives from it")


Closure = tuple[Callable[[Any], Any], Callable[..., Any], CodeType]
"""What picks a function out of a result, the function, and the code in it that has a place."""


def closures(result: Any, lines: set[int], file: str) -> list[Closure]:
    """Return the functions in a result whose source has one of some lines of a file."""
    found = []
    for pick, part in walked(result, DEPTH):
        code = next((each for each in codes(part, DEPTH) if has_lines(each, lines, file)), None)
        if code is not None:
            found.append((pick, part, code))
    return found


def walked(result: Any, depth: int) -> Iterator[tuple[Callable[[Any], Any], Any]]:
    """Return the parts of tuples, lists, dictionaries and objects, each with what picks it out."""
    yield (lambda whole: whole), result
    if depth == 0:
        return
    inner: list[tuple[Callable[[Any], Any], Any]] = []
    if isinstance(result, tuple | list):
        inner = [(itemgetter(index), part) for index, part in enumerate(result[:20])]
    elif isinstance(result, dict):
        inner = [(itemgetter(name), part) for name, part in list(result.items())[:20]]
    elif type(result).__module__ not in ("builtins", "functools") and not isinstance(result, type):
        fields = list(getattr(result, "__dict__", {}).items())[:20]
        inner = [(functools.partial(_field, name), part) for name, part in fields]
    for get, part in inner:
        for pick, innermost in walked(part, depth - 1):
            yield functools.partial(_through, get, pick), innermost


def _field(name: str, whole: Any) -> Any:
    return getattr(whole, name)


def _through(get: Callable[[Any], Any], pick: Callable[[Any], Any], whole: Any) -> Any:
    return pick(get(whole))


def codes(function: Any, depth: int) -> Iterator[CodeType]:
    """Return the code of a function, and of those that it wraps."""
    if depth < 0:
        return
    if isinstance(function, functools.partial):
        yield from codes(function.func, depth - 1)
        return
    if isinstance(function, MethodType):
        yield from codes(function.__func__, depth - 1)
        return
    if isinstance(function, FunctionType):
        yield function.__code__
        for cell in function.__closure__ or ():
            try:
                held = cell.cell_contents
            except ValueError:  # not assigned yet
                continue
            if callable(held):
                yield from codes(held, depth - 1)
    wrapped = getattr(function, "__wrapped__", None)
    if callable(wrapped):
        yield from codes(wrapped, depth - 1)


def has_lines(code: CodeType, lines: set[int], file: str) -> bool:
    """Return whether the source of a function has one of some lines."""
    return code.co_filename == file and any(code.co_firstlineno <= line <= last_line(code) for line in lines)


def last_line(code: CodeType) -> int:
    """Return the last line of a function, with those inside of it."""
    inner = [last_line(constant) for constant in code.co_consts if isinstance(constant, CodeType)]
    return max([code.co_firstlineno, *inner, *(line for _, _, line in code.co_lines() if line is not None)])
