"""Stand-ins for helpers of other libraries that decide what is executed and do nothing with keys.

Tests are called with rows of arguments, which stand in their decorators. Frozen dictionaries are dictionaries.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Any

from olympus.witness.unknown import is_unknown

ROWS = "_olympus_rows"
"""The attribute of a function that has the rows of arguments with which it is called."""

FIXTURE = "_olympus_fixture"
"""The attribute of a function that makes an argument of tests: the values that it is parametrised with."""

MOST_ROWS = 4
MANAGERS = (
    "AbstractContextManager", "ContextDecorator", "ExitStack", "contextmanager", "nullcontext", "suppress",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """Arguments with which a test is called."""

    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)

    def joined(self, other: Row) -> Row:
        """Return the arguments of two decorators."""
        return Row((*self.args, *other.args), {**self.kwargs, **other.kwargs}) if other is not NO_ROW else self


NO_ROW = Row()


class Values(tuple[Any, ...]):
    """The values of ``pytest.param``."""


def first(values: Any) -> list[Any]:
    """Return the first few elements of a value that may be unknown."""
    if is_unknown(values):
        return []
    try:
        return list(islice(iter(values), MOST_ROWS))
    except TypeError:
        return []


def marking(made: Callable[..., Iterator[Row]]) -> Callable[..., Callable[[Any], Any]]:
    """Make of what gives rows of arguments what gives a decorator that adds them to a function, and does no more."""

    def mark(*args: Any, **kwargs: Any) -> Callable[[Any], Any]:
        def decorate(decorated: Any) -> Any:
            earlier = vars(decorated).get(ROWS) or [NO_ROW]
            own = list(islice(made(*args, **kwargs), MOST_ROWS))
            both = [one.joined(other) for one, other in product(own, earlier)]
            if both:
                setattr(decorated, ROWS, both[:MOST_ROWS])
            return decorated

        return decorate

    return mark


@marking
def parametrize(argnames: Any, argvalues: Any, *args: Any, **kwargs: Any) -> Iterator[Row]:
    """Stand for ``pytest.mark.parametrize``."""
    names = [name.strip() for name in argnames.split(",")] if isinstance(argnames, str) else list(argnames)
    for value in first(argvalues):
        if len(names) == 1:
            yield Row((), {names[0]: value[0] if isinstance(value, Values) else value})
        else:
            yield Row((), dict(zip(names, value, strict=False)))


def positional(value: Any, *, named: bool = False) -> Row:
    """Return the arguments that one row of ``absl`` stands for, without the name of the test."""
    if isinstance(value, Mapping):
        return Row((), {name: each for name, each in value.items() if name != "testcase_name"})
    return Row(tuple(value)[int(named) :] if isinstance(value, tuple | list) else (value,))


@marking
def parameters(*values: Any) -> Iterator[Row]:
    """Stand for ``absl.testing.parameterized.parameters``."""
    single = len(values) == 1 and not isinstance(values[0], tuple | Mapping)
    return map(positional, first(values[0] if single else values))


@marking
def named_parameters(*values: Any) -> Iterator[Row]:
    """Stand for ``absl.testing.parameterized.named_parameters``."""
    single = len(values) == 1 and not (isinstance(values[0], Mapping) or isinstance(next(iter(values[0]), 0), str))
    return (positional(value, named=True) for value in first(values[0] if single else values))


@marking
def products(*several: Any, **each: Any) -> Iterator[Row]:
    """Stand for ``absl.testing.parameterized.product``."""
    dimensions = [[{name: value} for value in first(values)] for name, values in each.items()]
    for values in product(*(first(value) for value in several), *dimensions):
        yield Row((), {name: value for part in values for name, value in part.items()})


def params_product(*several: Any, named: bool = False) -> list[tuple[Any, ...]]:
    """Stand for ``chex.params_product``."""
    skipped = int(named)
    return [
        ("_".join(str(part[0]) for part in parts),) * skipped + tuple(each for part in parts for each in part[skipped:])
        for parts in islice(product(*map(first, several)), MOST_ROWS)
    ]


@marking
def expand(values: Any, *args: Any, **kwargs: Any) -> Iterator[Row]:
    """Stand for ``parameterized.parameterized.expand``."""
    return map(positional, first(values))


def fixture(function: Any = None, *args: Any, **kwargs: Any) -> Any:
    """Stand for ``pytest.fixture``."""

    def decorate(decorated: Any) -> Any:
        setattr(decorated, FIXTURE, first(kwargs.get("params") or ()))
        return decorated

    return decorate if function is None else decorate(function)


def param(*values: Any, **kwargs: Any) -> Values:
    """Stand for ``pytest.param``."""
    return Values(values)


def end(*args: Any, **kwargs: Any) -> None:
    """Stand for a function that does not return, such as ``sys.exit``."""
    raise SystemExit("the call does not return")


HELPERS: Mapping[str, Any] = {
    "sys.exit": end,
    "os._exit": end,
    "os.abort": end,
    "pytest.exit": end,
    "pytest.fail": end,
    "pytest.skip": end,
    "pytest.xfail": end,
    "pytest.mark.parametrize": parametrize,
    "pytest.param": param,
    "pytest.fixture": fixture,
    "absl.testing.parameterized.parameters": parameters,
    "absl.testing.parameterized.named_parameters": named_parameters,
    "absl.testing.parameterized.product": products,
    "chex.params_product": params_product,
    "parameterized.parameterized.expand": expand,
    "parameterized.parameterized": parameters,
    **{f"contextlib.{name}": getattr(contextlib, name) for name in MANAGERS},
    "frozendict.frozendict": dict,
    "immutabledict.immutabledict": dict,
}
"""Stand-ins by the names under which they are imported."""
