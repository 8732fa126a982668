"""Arguments that are guessed: what goes into a trace, and what is made of it inside of the trace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from olympus.trials.specs import Spec

LETTERS = {"float": "f", "int": "i", "uint": "u", "complex": "c", "bfloat": "bf"}
LONGEST = 40  # characters of the text of a value


@dataclass(frozen=True, slots=True)
class Input:
    """An abstract array or key.

    Attributes:
        shape: its shape; of a raw key without the axis of words.
        dtype: its dtype by name; empty for a key.
    """

    shape: tuple[int, ...]
    dtype: str

    @property
    def text(self) -> str:
        """Return it in the words that settings have, too."""
        sizes = ",".join(map(str, self.shape))
        name = self.dtype.rstrip("0123456789")
        start = LETTERS.get(name, name) + self.dtype.removeprefix(name) if self.dtype else "key"
        return f"{start}[{sizes}]" if self.shape or self.dtype else start

    def inputs(self, path: str, *, typed: bool) -> Iterator[tuple[str, Any]]:
        """Return the inputs of the trace that it needs, by name."""
        import jax

        from olympus.tracing.jaxprs import raw_key, typed_key

        struct: Any = jax.ShapeDtypeStruct  # its constructor has no annotations
        if self.dtype:
            yield path, struct(self.shape, jax.dtypes.canonicalize_dtype(self.dtype))
        else:
            yield path, (typed_key if typed else raw_key)(None, self.shape)

    def value(self, path: str, given: dict[str, Any]) -> Any:
        """Return the argument inside of the trace, whose inputs are given."""
        return given[path]


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A value that the trace does not see: a number, a function, a text.

    Attributes:
        held: the value.
        text: what to call it.
    """

    held: Any
    text: str

    def inputs(self, path: str, *, typed: bool) -> Iterator[tuple[str, Any]]:
        """Return no inputs."""
        return iter(())

    def value(self, path: str, given: dict[str, Any]) -> Any:
        """Return the value."""
        return self.held


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """An object that is made inside of the trace.

    Attributes:
        make: called with the parts by name.
        parts: the arguments for it.
        name: what to call it.
        reads: how often the last execution has read each of its attributes; empty if they surely stay the same.
    """

    make: Callable[..., Any]
    parts: dict[str, Argument]
    name: str
    reads: Counter[str] = field(default_factory=Counter)

    @property
    def text(self) -> str:
        """Return it as a call."""
        return f"{self.name}({', '.join(f'{name}={part.text}' for name, part in self.parts.items())})"

    def inputs(self, path: str, *, typed: bool) -> Iterator[tuple[str, Any]]:
        """Return the inputs of the parts."""
        for name, part in self.parts.items():
            yield from part.inputs(f"{path}.{name}", typed=typed)

    def value(self, path: str, given: dict[str, Any]) -> Any:
        """Make the object."""
        self.reads.clear()
        return self.make(**{name: part.value(f"{path}.{name}", given) for name, part in self.parts.items()})


Argument = Input | Value | Made


def read_again(argument: Argument, path: str) -> Iterator[str]:
    """Yield the names of the inputs that an execution has read several times off objects of unknown classes."""
    if isinstance(argument, Made):
        for name, part in argument.parts.items():
            if argument.reads[name] > 1:
                yield f"{path}.{name}"
            yield from read_again(part, f"{path}.{name}")


def key(shape: tuple[int, ...] = ()) -> Input:
    """Return a key or an array of keys."""
    return Input(shape, "")


def array(*shape: int, dtype: str = "float32") -> Input:
    """Return an array."""
    return Input(shape, dtype)


def value(held: Any, text: str | None = None) -> Value:
    """Return a value under its own text."""
    if text is None:
        text = getattr(held, "__name__", None) if callable(held) else None
        text = text or repr(held)
        text = text if len(text) <= LONGEST and text.isprintable() else f"a {type(held).__name__}"
    return Value(held, text)


def many(
    kind: type[tuple[Any, ...]] | type[list[Any]] | type[dict[str, Any]], parts: list[Argument] | dict[str, Argument]
) -> Made:
    """Return a tuple, list or dictionary of arguments."""
    named = parts if isinstance(parts, dict) else {str(index): part for index, part in enumerate(parts)}
    if issubclass(kind, dict):
        return Made(lambda **given: given, named, "dict")
    return Made(lambda **given: kind(given.values()), named, kind.__name__)


def of_spec(given: Spec) -> Argument:
    """Return an argument that was given in words.

    Raises:
        ValueError: the keys of a dict are no texts.
    """
    parts = [of_spec(part) for part in given.parts]
    match given.kind:
        case "key":
            return key(given.shape)
        case "literal":
            return value(given.value)
        case "tuple" | "list":
            return many(tuple if given.kind == "tuple" else list, parts)
        case "dict":
            if not all(isinstance(name, str) for name in given.names):
                raise ValueError("keys of a dict have to be texts")
            return many(dict, dict(zip(given.names, parts, strict=True)))
    return Input(given.shape, given.dtype)
