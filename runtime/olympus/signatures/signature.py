"""Key signatures: what a caller has to know about a callable to follow random keys through it.

The three words are those of JAX's own checker (``jax.experimental.key_reuse``):

* a *sink* is an input that the callable consumes,
* a *source* is an output that is a fresh key,
* a *forward* is an output that is an input, unchanged.

Inputs and outputs are named by *paths*. An input path starts with a parameter name and may go on with
attributes, items and keys: ``key``, ``state.key``, ``keys[0]``, ``rngs["dropout"]``. An output path is what
follows the returned value: the empty path is the value itself, ``[0]`` its first element, ``[*]`` every element.

The static engine reads these from source text, the tracing engine from a jaxpr; both give this one type.
This module imports nothing but the standard library.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from olympus.signatures.paths import covers, parse, text

Mask: TypeAlias = "tuple[bool | Mask, ...]"
"""Elements of a key array, in tuples that are nested as the array has axes."""


@dataclass(frozen=True, slots=True)
class Sink:
    """An input that the callable consumes.

    Attributes:
        path: the input path, for example ``key`` or ``state.key``.
        conditional: whether some execution of the callable leaves the key alone.
        mask: which elements of a key array are consumed; ``None`` for the whole input.
    """

    path: str
    conditional: bool = False
    mask: Mask | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """An output that is a fresh key or key array.

    Attributes:
        path: the output path; ``[*]`` stands for every element of a key array.
        parent: the input path that the key is derived from, ``None`` for a seed or an unknown origin.
        via: the derivation, ``split``, ``fold_in``, ``clone`` or ``seed``.
        mask: which elements of a key array are fresh; ``None`` for the whole output.
        spent: whether the callable has consumed the key that it gives; ``None`` if it does so on some executions.
    """

    path: str
    parent: str | None = None
    via: str = "split"
    mask: Mask | None = None
    spent: bool | None = False


@dataclass(frozen=True, slots=True)
class Forward:
    """An output that is an input, unchanged.

    Attributes:
        path: the output path.
        input: the input path whose key comes out.
        mask: which elements of a key array come out, each at the place where it went in; ``None`` for all.
    """

    path: str
    input: str
    mask: Mask | None = None


@dataclass(frozen=True, slots=True)
class Reuse:
    """A key that the callable consumes twice on some execution.

    Attributes:
        path: the input path of the key, or of what the key is derived from inside; ``None`` for an unknown origin.
        via: how it is derived from that, as of a :class:`Source`; empty for the input itself.
    """

    path: str | None
    via: str = ""


@dataclass(frozen=True, slots=True)
class KeySignature:
    """The sinks, sources and forwards of one callable.

    Attributes:
        parameters: the parameter names in order, so that positional arguments find their paths.
        sinks: what the callable consumes.
        sources: which of its outputs are fresh keys.
        forwards: which of its outputs are keys that it was given.
        reuses: the keys that it consumes more than once; the static engine reports these as facts instead.
    """

    parameters: tuple[str, ...] = ()
    sinks: tuple[Sink, ...] = ()
    sources: tuple[Source, ...] = ()
    forwards: tuple[Forward, ...] = ()
    reuses: tuple[Reuse, ...] = ()

    def consumes(self, path: str) -> bool:
        """Return whether the callable consumes the key at this input path on some execution."""
        return any(sink.path == path for sink in self.sinks)

    def normalised(self) -> KeySignature:
        """Return the normal form of equivalent signatures.

        Masks become paths of elements, ``keys[1]``; redundant entries are left out; the rest is in the order of
        the paths. Law: ``x.normalised().normalised() == x.normalised()``.
        """
        sinks = [replace(sink, path=path, mask=None) for sink in self.sinks for path in _paths(sink.path, sink.mask)]
        sources = [
            replace(source, path=path, parent=source.parent and text(parse(source.parent)), mask=None)
            for source in self.sources
            for path in _paths(source.path, source.mask)
        ]
        forwards = [
            Forward(path, input)
            for each in self.forwards
            for path, input in zip(_paths(each.path, each.mask), _paths(each.input, each.mask), strict=True)
        ]
        reuses = [Reuse(each.path and text(parse(each.path)), each.via) for each in self.reuses]
        return KeySignature(
            self.parameters,
            tuple(sorted(_without_repeated(sinks), key=lambda sink: sink.path)),
            tuple(sorted(_without_covered(sources), key=lambda source: (source.path, source.parent or "", source.via))),
            tuple(sorted(set(forwards), key=lambda forward: (forward.path, forward.input))),
            tuple(sorted(_without_parts(reuses), key=lambda reuse: (reuse.path or "", reuse.via))),
        )


# Normal form.


def _paths(path: str, mask: Mask | None) -> Iterator[str]:
    """Return the paths of the elements that a mask chooses; the path of the whole where it chooses all."""
    whole = text(parse(path))
    if mask is None or all(_flat(mask)):
        yield whole
    else:
        for index, chosen in enumerate(mask):
            if chosen:
                yield from _paths(f"{whole}[{index}]", chosen if isinstance(chosen, tuple) else None)


def _flat(mask: Mask) -> Iterator[bool]:
    for chosen in mask:
        yield from _flat(chosen) if isinstance(chosen, tuple) else [chosen]


def _without_repeated(sinks: list[Sink]) -> list[Sink]:
    """Leave out sinks that lie in another one which is as certain."""
    certain = {parse(sink.path) for sink in sinks if not sink.conditional}
    either = {parse(sink.path) for sink in sinks}

    def is_needed(sink: Sink) -> bool:
        path = parse(sink.path)
        if sink.conditional and path in certain:
            return False
        return not any(whole != path and covers(whole, path) for whole in (either if sink.conditional else certain))

    return [sink for sink in dict.fromkeys(sinks) if is_needed(sink)]


def _without_covered(sources: list[Source]) -> list[Source]:
    """Leave out sources that lie in another one with the same origin."""
    return [
        source
        for source in dict.fromkeys(sources)
        if not any(
            other.path != source.path
            and replace(other, path=source.path) == source
            and covers(parse(other.path), parse(source.path))
            for other in sources
        )
    ]


def _without_parts(reuses: list[Reuse]) -> list[Reuse]:
    wholes = [parse(reuse.path) for reuse in reuses if reuse.path is not None and not reuse.via]
    return [
        reuse
        for reuse in dict.fromkeys(reuses)
        if reuse.via
        or reuse.path is None
        or not any(whole != parse(reuse.path) and covers(whole, parse(reuse.path)) for whole in wholes)
    ]
