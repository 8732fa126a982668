"""What is known of a library's callables without their source, as values and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

CALL = ".__call__"
"""The end of the name of what an object does when it is called."""


class Documented(NamedTuple):
    """A function of a library, or a method of its objects, that is known to consume keys.

    Attributes:
        package: for a method, the package whose objects have it, by its import name; empty for a function.
        name: the qualified name of a function, the name of a method.
        parameters: those that may be given by position, in order.
        sinks: those whose key it consumes, or derives others from; ``*`` for any keyword that is not in ``parameters``.
        seeds: those of them that take a whole number, too, which is the seed of a key.
    """

    package: str
    name: str
    parameters: tuple[str, ...]
    sinks: tuple[str, ...]
    seeds: tuple[str, ...] = ()

    def consumed(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        """Return the arguments of a call that it consumes."""
        return self._given(self.sinks, args, kwargs)

    def seeded(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[int]:
        """Return the whole numbers among the arguments of a call of which it makes keys, which it consumes."""
        return [value for value in self._given(self.seeds, args, kwargs) if type(value) is int]

    def _given(self, names: tuple[str, ...], args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        """Return the arguments of a call for parameters."""
        given = {**dict(zip(self.parameters, args, strict=False)), **kwargs}
        others = [name for name in kwargs if name not in self.parameters] if "*" in names else []
        return [given[name] for name in (*names, *others) if name in given]

    @classmethod
    def from_json(cls, data: list[Any]) -> Self:
        """Read what JSON makes of it."""
        return cls(data[0], data[1], *map(tuple, data[2:]))
