"""How a function is called: on which object, and with fixtures, rows of a parametrised test, or unknown arguments."""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import islice
from types import CoroutineType, GeneratorType
from typing import Any

from olympus.verdicts.reasons import Reason
from olympus.witness.helpers import FIXTURE, NO_ROW, ROWS, Row
from olympus.witness.keywords import passed, takes_options
from olympus.witness.library import Jax, Wrapped
from olympus.witness.objects import OTHERS, blank, note_other
from olympus.witness.state import State
from olympus.witness.unknown import Unknown, is_unknown

ALIASES = {"Tuple": "tuple", "List": "list", "Dict": "dict", "Set": "set"}  # of typing
PREPARING = ("setUp", "setup_method", "setUpClass", "setup_class")
FUNCTIONS = 16  # in a result that are called
NESTED = 4  # fixtures that ask for fixtures
YIELDED = 4  # values of a generator


class Entry:
    """A function of a module, and how it is called."""

    def __init__(self, world: State, qualified: str, find: Callable[[str], Any]) -> None:
        """Find the function; nothing is executed yet.

        Args:
            world: where it is executed.
            qualified: its name, with the classes around it.
            find: returns the value of a name of the module, or a shared fixture.
        """
        self.world, self.find = world, find
        first, *rest = qualified.partition(".<locals>")[0].split(".")
        self.owner: Any = None
        self.function: Any = find(first)
        for name in rest:
            self.owner, self.function = self.function, getattr(self.function, name, None)
        self.name = rest[-1] if rest else first
        around: Sequence[Row] = rows(self.owner) if isinstance(self.owner, type) else (NO_ROW,)
        given = [own.joined(other) for own in rows(self.function) for other in around]
        self.rows = [*(row for row in given if row is not NO_ROW), NO_ROW]

    @property
    def has_constructor(self) -> bool:
        """Whether it is a method of a class whose constructor is the user's."""
        if not isinstance(self.owner, type) or self.is_test:
            return False
        return inspect.isfunction(inspect.getattr_static(self.owner, "__init__", None)) and self.name != "__init__"

    @property
    def is_test(self) -> bool:
        """Whether it is a method of a test case."""
        return any(callable(inspect.getattr_static(self.owner, name, None)) for name in PREPARING)

    def call(self, row: int, *, constructed: bool, twice: bool) -> list[Any]:
        """Call it, and return the functions in the result.

        Args:
            row: the number of the row of arguments.
            constructed: whether the constructor of its object is called.
            twice: whether a method is called a second time.
        """
        function = self.function
        if isinstance(self.owner, type) and not isinstance(
            inspect.getattr_static(self.owner, self.name, None), staticmethod
        ):
            function = self.method(constructed=constructed)
        result = invoke(self.world, function, self.rows[row], self.fixture, given=self.world.given)
        if twice and inspect.ismethod(function):
            invoke(self.world, function, self.rows[row], self.fixture)
        return [*returned(result), *returned(getattr(function, "__self__", None))]

    def method(self, *, constructed: bool) -> Any:
        """Return the bound method; the plain function if no object can be made."""
        try:
            instance = blank(self.world, self.owner)
        except TypeError:
            return self.function
        prepared = [name for name in PREPARING if name != self.name] if self.is_test else []
        for name in [*prepared, *(["__init__"] if constructed else [])]:
            with suppress(Exception):
                invoke(self.world, getattr(instance, name, None), NO_ROW, self.fixture)
        return getattr(instance, self.name, self.function)

    def fixture(self, name: str, depth: int = 0) -> Any:
        """Return the value of a fixture; an unknown value if there is no such fixture."""
        function = self.find(name)
        params = getattr_static(function, FIXTURE, None)
        if params is None or depth > NESTED:
            return Unknown(self.world, name)
        request = Unknown(self.world, "request")
        for value in params[:1]:
            request.param = value
        with suppress(Exception):
            made = invoke(
                self.world, function, Row((), {"request": request}), lambda inner: self.fixture(inner, depth + 1)
            )
            return made[0] if inspect.isgeneratorfunction(inspect.unwrap(function)) and made else made
        return Unknown(self.world, name)


def getattr_static(value: Any, name: str, default: Any) -> Any:
    """Return an attribute that was set, without asking ``__getattr__``."""
    return inspect.getattr_static(
        getattr(value, "__func__", value) if inspect.ismethod(value) else value, name, default
    )


def rows(value: Any) -> Sequence[Row]:
    """Return the rows of arguments of a parametrised function or class."""
    if is_unknown(value) or value is None:
        return (NO_ROW,)
    return getattr_static(value, ROWS, None) or (NO_ROW,)


def invoke(
    world: State,
    function: Any,
    row: Row = NO_ROW,
    fixture: Callable[[str], Any] | None = None,
    *,
    given: dict[str, Unknown] | None = None,
) -> Any:
    """Call a function; missing arguments are unknown values with the names of the parameters.

    Args:
        world: where it is executed.
        function: any value; only a function of the user is called.
        row: the given arguments.
        fixture: returns other arguments by their names.
        given: the unknown arguments by their names; filled.
    """
    if isinstance(function, Unknown | Jax) or not callable(function):
        return None
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    positional = list(row.args)
    for parameter in parameters:
        if parameter.kind is parameter.VAR_KEYWORD and takes_options(function):
            kwargs |= passed(world, Unknown(world, parameter.name), 0)
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        value = value_of(world, parameter, row, positional, fixture)
        if is_unknown(value):
            note_other(world, value, parameter.default)
            told(world, value, annotated(function, parameter), given)
        if parameter.kind is parameter.KEYWORD_ONLY:
            kwargs[parameter.name] = value
        else:
            args.append(value)
    return advanced(function(*args, **kwargs))


def advanced(result: Any) -> Any:
    """Run a generator for a few values, and a coroutine until it waits."""
    kind = type(result)  # an object may answer anything when it is asked for its class
    if issubclass(kind, GeneratorType):
        return list(islice(result, YIELDED))
    if issubclass(kind, CoroutineType):
        try:
            result.send(None)
        except StopIteration as end:
            return end.value
        finally:
            result.close()
    return result


def value_of(
    world: State,
    parameter: inspect.Parameter,
    row: Row,
    given: list[Any],
    fixture: Callable[[str], Any] | None,
) -> Any:
    """Return the argument for a parameter."""
    if parameter.name in row.kwargs:
        return row.kwargs[parameter.name]
    if given and parameter.kind is not parameter.KEYWORD_ONLY:
        return given.pop(0)
    if row is not NO_ROW and parameter.default is not parameter.empty:
        return parameter.default
    return Unknown(world, parameter.name) if fixture is None else fixture(parameter.name)


def told(world: State, value: Unknown, kind: type | None, given: dict[str, Unknown] | None) -> None:
    """Note what is known of an unknown argument: its class, and whether it was used as a key before."""
    if kind in OTHERS:
        world.others[value] = Reason.ANNOTATED.of(value._olympus_path, kind.__name__)
    if kind is not None:
        world.kinds[value] = kind
    if given is not None:
        given[value._olympus_path] = value
        if value._olympus_path in world.choices.proven:
            world.players.key(value)


def annotated(function: Any, parameter: inspect.Parameter) -> Any:
    """Return the class that the annotation of a parameter names; ``None`` for any other annotation."""
    name = str(parameter.annotation).strip("'\"").partition("[")[0]
    first, *rest = ALIASES.get(name.rpartition(".")[2], name).split(".")
    found = getattr(inspect.unwrap(function), "__globals__", {}).get(first, getattr(builtins, first, None))
    for name in rest:
        found = None if is_unknown(found) else getattr(found, name, None)
    return found if isinstance(found, type) else None


def returned(result: Any) -> list[Any]:
    """Return the functions in a result: the result itself, or in a tuple, a list or the fields of an object."""
    values = list(result) if isinstance(result, tuple | list) else [result]
    if not is_unknown(result) and not inspect.isfunction(result):
        values += list(getattr(result, "__dict__", {}).values())
    plain = [value._function if isinstance(value, Wrapped) else value for value in values]
    return [value for value in plain if inspect.isfunction(value) or inspect.ismethod(value)][:FUNCTIONS]
