"""Keywords of unknown names: what ``f(**mapping)`` gives a function if nothing is known of the mapping.

A prepared source opens the callee of such a call, and passes the mapping as a keyword with a name of ours. A parameter
that nothing else gives is then an item of the mapping, and so is what the callee reads in its own ``**options``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from olympus.verdicts.reasons import Reason
from olympus.witness.library.transformations import Wrapped
from olympus.witness.preparation import TAKING
from olympus.witness.unknown import NOTHING, Attributes, Unknown, is_unknown

if TYPE_CHECKING:
    from olympus.witness.state import State

Source = Unknown | Attributes
"""A mapping of which nothing is known: a value, or the ``__dict__`` of one."""
OPEN = "__olympus_open_"
"""The beginning of the keywords that pass an unknown mapping."""


class Options(Unknown):
    """A dictionary of keywords, of which some come from an unknown mapping."""

    __slots__ = ("_olympus_source",)

    def __init__(self, world: State, sources: list[Source]) -> None:
        """Take the mappings; items are those of the mapping if there is one only."""
        only = sources[0] if len(sources) == 1 and isinstance(sources[0], Unknown) else None
        super().__init__(world, "..." if only is None else only._olympus_path)
        object.__setattr__(self, "_olympus_source", only)

    def _olympus_part(self, name: Hashable, path: str, deeper: int = 1, *, operand: Any = NOTHING) -> Any:
        if name not in self._olympus_parts and self._olympus_source is not None:
            self._olympus_parts[name] = self._olympus_source._olympus_part(name, path, deeper, operand=operand)
        return super()._olympus_part(name, path, deeper, operand=operand)

    def _olympus_forget(self) -> None:
        super()._olympus_forget()
        object.__setattr__(self, "_olympus_source", None)


class OpenDict(dict[str, Any]):
    """A dictionary that unknown mappings were merged into."""

    def __init__(self, items: Mapping[str, Any], sources: list[Source]) -> None:
        """Take what is known, and the mappings."""
        super().__init__(items)
        self.sources = sources

    def __missing__(self, name: str) -> Any:
        return self.sources[-1][name]


def passed(world: State, values: Any, number: int) -> dict[str, Any]:
    """Return the keywords that ``**values`` passes, with what is unknown under a name of ours."""
    if isinstance(values, Source):
        return {f"{OPEN}{number}__": values}
    sources: list[Source] = [source for dictionary, source in world.updated if dictionary is values]
    sources += values.sources if isinstance(values, OpenDict) else []
    sources += [Unknown(world, "...") for name in values if is_unknown(name)][:1]
    known = {name: value for name, value in dict(values).items() if isinstance(name, str)}
    return known | {f"{OPEN}{number}_{at}__": source for at, source in enumerate(sources)}


def merged(world: State, *parts: Any) -> Any:
    """Return the dictionary of ``{**one, **other}``; what an unknown mapping may replace is unknown."""
    made: dict[str, Any] = {}
    sources: list[Source] = []
    for part in parts:
        if isinstance(part, Source):
            made = {name: Unknown(world, f"...[{name!r}]") if is_unknown(old) else old for name, old in made.items()}
            sources.append(part)
        else:
            made |= dict(part)
            sources += part.sources if isinstance(part, OpenDict) else []
    return OpenDict(made, sources) if sources else made


def opened(world: State, function: Any) -> Callable[..., Any]:
    """Return a function that passes on keywords, and the items of unknown mappings where the callee needs them."""

    def __olympus_opened__(*args: Any, **kwargs: Any) -> Any:
        sources = [kwargs.pop(name) for name in [*kwargs] if name.startswith(OPEN)]
        if sources and function is dict:
            return merged(world, *map(dict, args), *sources, kwargs)
        if sources:
            give(world, function, args, kwargs, sources)
        return function(*args, **kwargs)

    return __olympus_opened__


def give(world: State, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], sources: list[Source]) -> None:
    """Add to keywords what a function of the user asks for; a parameter with a default keeps it, as a guess."""
    function = function._function if isinstance(function, Wrapped) else function
    try:
        parameters = inspect.signature(function, follow_wrapped=False).parameters.values()
    except (TypeError, ValueError):
        return
    if is_unknown(function):
        return
    by_name = [each for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
    ahead = [each for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    taken = {*kwargs, *(each.name for each in ahead[: len(args)])}
    for parameter in by_name:
        if parameter.name in taken:
            continue
        if parameter.default is parameter.empty:
            name = parameter.name
            kwargs[name] = sources[0][name] if len(sources) == 1 else Unknown(world, f"...[{name!r}]")
        else:
            world.cut = Reason.KEYWORD.of(parameter.name, name_of(sources[0]))
    if takes_options(function):
        kwargs.update({f"{OPEN}{number}__": source for number, source in enumerate(sources)})


def name_of(source: Source) -> str:
    """Return a mapping as a reader would write it."""
    return str(source._olympus_path) if isinstance(source, Unknown) else f"vars({source.owner})"


def takes_options(function: Any) -> bool:
    """Return whether a function is one of the user that takes keywords of any name."""
    while isinstance(function, partial | Wrapped):
        function = function.func if isinstance(function, partial) else function._function
    if isinstance(function, type):
        function = inspect.getattr_static(function, "__init__", None)
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return code is not None and TAKING in code.co_names


def options(world: State, values: dict[str, Any]) -> Any:
    """Return the keywords that a function was given: a dictionary, or one with unknown items."""
    sources = [values.pop(name) for name in [*values] if name.startswith(OPEN)]
    if not sources:
        return values
    made = Options(world, sources)
    for name, value in values.items():
        made._olympus_parts["[", (type(name).__name__, name)] = value
        made._olympus_parts["has", (type(name).__name__, name)] = True
    return made
