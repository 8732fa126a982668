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

from dataclasses import dataclass

__all__ = ["Forward", "KeySignature", "Sink", "Source"]


@dataclass(frozen=True, slots=True)
class Sink:
    """An input that the callable consumes.

    Attributes:
        path: the input path, for example ``key`` or ``state.key``.
        conditional: whether some execution of the callable leaves the key alone.
    """

    path: str
    conditional: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """An output that is a fresh key or key array.

    Attributes:
        path: the output path; ``[*]`` stands for every element of a key array.
        parent: the input path that the key is derived from, ``None`` for a seed or an unknown origin.
        via: the derivation, ``split``, ``fold_in``, ``clone`` or ``seed``.
    """

    path: str
    parent: str | None = None
    via: str = "split"


@dataclass(frozen=True, slots=True)
class Forward:
    """An output that is an input, unchanged.

    Attributes:
        path: the output path.
        input: the input path whose key comes out.
    """

    path: str
    input: str


@dataclass(frozen=True, slots=True)
class KeySignature:
    """The sinks, sources and forwards of one callable.

    Attributes:
        parameters: the parameter names in order, so that positional arguments find their paths.
        sinks: what the callable consumes.
        sources: which of its outputs are fresh keys.
        forwards: which of its outputs are keys that it was given.
    """

    parameters: tuple[str, ...] = ()
    sinks: tuple[Sink, ...] = ()
    sources: tuple[Source, ...] = ()
    forwards: tuple[Forward, ...] = ()

    def consumes(self, path: str) -> bool:
        """Say whether the callable consumes the key at this input path on some execution."""
        return any(sink.path == path for sink in self.sinks)
