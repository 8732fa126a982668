"""Guess arguments for a parameter, the likeliest first: of its annotation, its default and its name."""

from __future__ import annotations

import collections
import collections.abc
import dataclasses
import enum
import inspect
import types
import typing
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

from olympus.trials.arguments import Argument, Input, Made, Value, array, key, many, value
from olympus.trials.execution import Absent
from olympus.trials.names import KEY_ARRAY, Sort, sort_of
from olympus.trials.uses import Use
from olympus.witness.execution import assumed, is_key

DEPTH = 3  # of objects in objects
MOST = 6  # guesses for one parameter
SIZES = (3, 4, 2, 5)  # of named axes, in the order in which they are met
ARRAYS = (array(4), array(3, 4), array(), array(2, 3, 4), array(2, 8, 8, 3))
INTEGERS = (array(dtype="int32"), array(4, dtype="int32"))
REST = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
TEXT = frozenset(name for name in dir(str) if name.startswith("is")) | {
    "capitalize", "casefold", "endswith", "lower", "lstrip", "removeprefix", "removesuffix", "rstrip", "splitlines",
    "startswith", "strip", "swapcase", "title", "upper",
}  # fmt: skip
"""Methods of text that little else has."""
DICT = frozenset({"items", "keys", "values", "get", "update", "pop"})
NUMBERS = frozenset({"number", "count", "size", "small", "index"})
FLOATING = ("float32", "bfloat16", "float16", "float64")


def parameters_of(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """Return the parameters of a function, with their annotations evaluated where that is possible.

    Raises:
        ValueError, TypeError: they are not known.
    """
    found = _parameters_of(function)
    if isinstance(function, type) and all(each.kind in REST for each in found):
        # What a class of classes says of all of its classes is less than what each says itself.
        initial: Callable[..., Any] = function.__init__  # type: ignore[misc]
        return _parameters_of(initial)[1:]
    return found


def _parameters_of(function: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(function, eval_str=True).parameters.values())
    except (ValueError, TypeError):
        raise
    except (Exception, Absent):  # an annotation may name what only a type checker imports
        return list(inspect.signature(function).parameters.values())


class Guesser:
    """Guesses for the parameters of one function: axes of one name have one size."""

    def __init__(self, namespace: Mapping[str, Any], uses: Mapping[str, Use]) -> None:
        """Prepare.

        Args:
            namespace: that of the function's module, for annotations that are text.
            uses: what the function reads off its parameters.
        """
        self.namespace, self.uses = namespace, uses
        self.sizes: dict[str, int] = {}

    def guesses(self, parameter: inspect.Parameter) -> list[Argument]:
        """Return the guesses for a parameter, none if it can only be left out."""
        if parameter.kind in REST:
            return []
        annotated = self.annotated(parameter.annotation, parameter.name, DEPTH)
        sort = sort_of(parameter.name)
        default = parameter.default
        if default is parameter.empty:
            likely = [*annotated, *self.named(parameter.name, sort)]
            use = self.uses.get(parameter.name)
            if use is not None and (not annotated or (isinstance(likely[0], Input) and likely[0].dtype)):
                likely = [*self.used(parameter.name, use, DEPTH), *likely]
            return _some(likely)
        own = value(default)
        if default is None:
            wanted = annotated or (self.named(parameter.name, sort) if sort in ("key", "keys", "function") else [])
            return _some([*wanted, own] if _is_key(wanted) else [own, *wanted])
        if isinstance(default, bool):
            return [own, value(not default)]
        return _some([own, *annotated])

    # By annotation.

    def annotated(self, annotation: Any, name: str, depth: int) -> list[Argument]:
        """Return the guesses that an annotation admits."""
        if depth < 0 or annotation in (inspect.Parameter.empty, Any) or isinstance(annotation, typing.TypeVar):
            return []
        if isinstance(annotation, str | typing.ForwardRef):
            return self.spelled(annotation if isinstance(annotation, str) else annotation.__forward_arg__, name, depth)
        if hasattr(annotation, "dim_str") and hasattr(annotation, "dtypes"):
            return self.shaped(annotation)
        origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
        if origin is typing.Annotated or isinstance(annotation, typing.NewType):
            return self.annotated(inner[0] if inner else annotation.__supertype__, name, depth)
        if origin in (typing.Union, types.UnionType):
            return self.united(inner, name, depth)
        if origin is Literal:
            return [value(each) for each in inner]
        if origin is collections.abc.Callable or annotation in (Callable, typing.Callable):
            return functions(name)
        if origin is None:
            return self.classed(annotation, name, depth)
        return self.generic(origin, inner, name, depth)

    def spelled(self, text: str, name: str, depth: int) -> list[Argument]:
        """Return the guesses for an annotation that is text."""
        try:
            return self.annotated(eval(text, dict(self.namespace)), name, depth - 1)
        except (Exception, Absent):  # what it names may be there for type checkers only
            pass
        if "PRNGKey" in text or "KeyArray" in text or text.startswith("Key["):
            return [key()]
        if text.startswith(("Callable", "collections.abc.Callable", "typing.Callable")):
            return functions(name)
        return []

    def shaped(self, annotation: Any) -> list[Argument]:
        """Return an array of the dtype and the axes that a type of jaxtyping names."""
        shape = tuple(size for axis in annotation.dim_str.split() for size in self.axis(axis))
        dtypes = annotation.dtypes
        known = [str(each) for each in dtypes] if isinstance(dtypes, tuple | list) else ["float32"]
        if any("prng_key" in each for each in known):
            return [key(shape)]
        likely = [each for each in (*FLOATING, "int32", "bool", "uint32", "complex64") if each in known]
        return [array(*shape, dtype=(likely or known)[0])]

    def axis(self, text: str) -> tuple[int, ...]:
        """Return the size of an axis that jaxtyping writes so; several axes at once are none."""
        text = text.lstrip("#?").rpartition("=")[2]
        if text.startswith(("*", "...")):
            return ()
        if text.isdigit():
            return (int(text),)
        if text.isidentifier():
            return (self.sizes.setdefault(text, SIZES[len(self.sizes) % len(SIZES)]),)
        try:
            return (int(eval(text.strip("{}"), {"__builtins__": {}}, dict(self.sizes))),)
        except Exception:  # it may speak of an attribute of an argument
            return (SIZES[0],)

    def united(self, members: Iterable[Any], name: str, depth: int) -> list[Argument]:
        """Return the guesses of all members of a union, one of each first; a key is typed or raw by another choice."""
        lists = [[value(None)] if each is types.NoneType else self.annotated(each, name, depth) for each in members]
        if any(_is_key(each) for each in lists):
            return [key(), value(None)] if types.NoneType in members else [key()]
        if sort_of(name) in NUMBERS:  # of `float | Array` and the like, the number
            lists.sort(key=lambda each: not (each and isinstance(getattr(each[0], "held", None), int | float)))
        elif any(each and isinstance(each[0], Input) for each in lists):  # of trees, arrays, then trees of arrays
            lists.sort(key=lambda each: [Input, Made, Value].index(type(each[0])) if each else 3)
        longest = max((len(each) for each in lists), default=0)
        return [each[index] for index in range(longest) for each in lists if index < len(each)]

    def classed(self, annotation: Any, name: str, depth: int) -> list[Argument]:
        """Return the guesses for a class, or for what a library uses as one."""
        import jax
        import numpy as np

        sort = sort_of(name)
        if annotation in (jax.Array, np.ndarray):
            return self.named(name, sort, arrays=True)
        if not isinstance(annotation, type):
            return []
        if annotation is types.NoneType:
            return [value(None)]
        if annotation is bool:
            return [value(False), value(True)]
        if annotation is int:
            return [*map(value, integers(sort)), INTEGERS[0]]
        if annotation is float:
            return [value(0.5), array(), value(2.0)]
        if annotation is str:
            return [value(name or "name")]
        if annotation in (tuple, list, dict):
            return self.generic(annotation, (), name, depth)
        if issubclass(annotation, enum.Enum):
            return [value(each) for each in annotation]
        if annotation.__module__ in ("builtins", "numpy"):
            return []
        if annotation.__name__ in ("PyTree", "PRNGKeyArray"):
            return [key()] if annotation.__name__ == "PRNGKeyArray" else self.named(name, sort, arrays=True)
        return self.constructed(annotation, depth)

    def constructed(self, kind: type, depth: int) -> list[Argument]:
        """Return objects of a class, whose fields are guessed in turn, and of one that derives from it."""
        if kind.__module__.startswith("flax.nnx") and kind.__name__ == "Rngs":
            return [Made(kind, {"default": key()}, "Rngs")]
        if getattr(kind, "_is_protocol", False):
            return functions("") if "__call__" in vars(kind) else []
        others = [each for each in derived(kind) if not inspect.isabstract(each) and not required(each)]
        own = [] if inspect.isabstract(kind) else self.built(kind, depth)
        return [*own[:1], *(each for other in others[:1] for each in self.built(other, depth)[:1]), *own[1:]]

    def built(self, kind: type, depth: int) -> list[Argument]:
        """Return objects of this very class."""
        if depth <= 0:
            return []
        try:
            parameters = parameters_of(kind)
        except (TypeError, ValueError):
            return []
        fields: dict[str, list[Argument]] = {}
        for parameter in parameters:
            if parameter.kind in REST:
                continue
            if parameter.kind is parameter.POSITIONAL_ONLY:
                return []
            needed = parameter.default is parameter.empty
            annotated = self.annotated(parameter.annotation, parameter.name, depth - 1)
            sort = sort_of(parameter.name)
            if needed or (parameter.default is None and _is_key(annotated)):
                fields[parameter.name] = annotated or self.named(parameter.name, sort)
            if needed and not fields[parameter.name]:
                return []
        longest = max((len(each) for each in fields.values()), default=1)
        return [
            Made(kind, {name: each[min(index, len(each) - 1)] for name, each in fields.items()}, kind.__name__)
            for index in range(min(longest, 2))
        ]

    def generic(self, origin: Any, inner: tuple[Any, ...], name: str, depth: int) -> list[Argument]:
        """Return containers of guesses."""
        if origin is type or not isinstance(origin, type):
            return []
        if issubclass(origin, collections.abc.Callable):  # type: ignore[arg-type]
            return functions(name)
        if issubclass(origin, collections.abc.Mapping):
            held = self.annotated(inner[1], name, depth - 1) if len(inner) == 2 and depth else []
            first = (held or [array(4)])[0]
            return [many(dict, {"a": first, "b": first})]  # two, for what is wrong between iterations of a loop
        if not issubclass(origin, collections.abc.Iterable) or dataclasses.is_dataclass(origin):
            return self.constructed(origin, depth)
        kind = tuple if issubclass(origin, tuple) or sort_of(name) == "shape" else list
        if sort_of(name) == "shape" and (not inner or int in inner):
            return [value(shape) for shape in ((3, 4), (4,), ())]
        if issubclass(origin, tuple) and inner and ... not in inner:
            parts = [self.annotated(each, "", depth - 1) for each in inner] if depth else []
            return [many(tuple, [(part or [array(4)])[0] for part in parts])]
        held = self.annotated(inner[0], "", depth - 1) if inner and depth else []
        first = (held or [array(4)])[0]
        return [many(kind, [first, first])]

    # By what the function reads off it.

    def used(self, name: str, use: Use, depth: int) -> list[Argument]:
        """Return an object or dictionary with what a function reads off it, or a function if it is called."""
        from jax import Array

        if depth == 0:
            return []
        if use.items:
            return [many(dict, {item: self.part(item, inner, depth) for item, inner in use.items.items()})]
        attributes = {each: inner for each, inner in use.attributes.items() if not hasattr(Array, each)}
        if any(each in TEXT and inner.called for each, inner in attributes.items()):
            return [value(name)]
        if DICT & attributes.keys():
            return [many(dict, {"a": array(4), "b": array(4)})]
        parts = {
            each: self.part(each, inner, depth)
            for each, inner in attributes.items()
            if not each.startswith("_") and each != "replace"
        }
        if parts or attributes:
            reads: Counter[str] = Counter()
            made = record(name, tuple(parts), None if "replace" in attributes else reads)
            return [Made(made, parts, name.title().replace("_", ""), reads)]
        return functions(name) if use.called else []

    def part(self, name: str, use: Use, depth: int) -> Argument:
        """Return the likeliest guess for what is read off an argument."""
        return (self.used(name, use, depth - 1) or self.named(name, sort_of(name)))[0]

    # By name.

    def named(self, name: str, sort: Sort, *, arrays: bool = False) -> list[Argument]:
        """Return the guesses for a name; of what is an array for certain, only those that are."""
        if sort in ("key", "keys"):
            return [key(KEY_ARRAY), key()] if sort == "keys" else [key(), key(KEY_ARRAY)]
        if sort == "index":
            return [INTEGERS[0], *([] if arrays else [value(1)])]
        if sort == "number":
            return [array(), array(4)] if arrays else [value(0.5), array(), array(4)]
        if arrays:
            return [*INTEGERS, array()] if sort in NUMBERS else [*ARRAYS[:4], *INTEGERS[1:]]
        if sort in ("count", "size", "small"):
            return [*map(value, integers(sort)), array(), array(4)]
        if sort == "shape":
            return [value(shape) for shape in ((3, 4), (4,), (), 4)]
        if sort == "dtype":
            return [value("float32", "float32"), value("int32", "int32")]
        if sort == "text":
            return [value(name), array(4)]
        if sort == "axis":
            return [value(0), value(-1)]
        if sort == "function":
            return [*functions(name), array(4)]
        return [*ARRAYS[:3], value(3), value(same, "a function that returns its argument"), ARRAYS[4]]


def derived(kind: type) -> list[type]:
    """Return the classes that derive from a class directly; those of the type of types cannot be asked."""
    return [] if issubclass(kind, type) else kind.__subclasses__()


def required(kind: type) -> bool:
    """Return whether a class cannot be made without arguments."""
    try:
        parameters = parameters_of(kind)
    except (TypeError, ValueError):
        return True
    return any(each.default is each.empty and each.kind not in REST for each in parameters)


def record(name: str, fields: tuple[str, ...], reads: Counter[str] | None) -> type:
    """Return a class of tuples with named fields, which are trees for JAX.

    Args:
        name: the name that the class gets.
        fields: the fields.
        reads: counts the reads of each field, which may be a property in the program; ``None`` for those of a record.
    """
    kind = collections.namedtuple(name.title().replace("_", ""), fields)  # type: ignore[misc]
    if reads is not None:
        for index, each in enumerate(fields):
            setattr(kind, each, property(partial(counted, reads, index, each)))
    kind.replace = kind._replace  # type: ignore[attr-defined]  # as data classes of flax have it
    return kind


def counted(reads: Counter[str], index: int, name: str, record: tuple[Any, ...]) -> Any:
    """Return a field of a record, and count that it is read."""
    reads[name] += 1
    return record[index]


def integers(sort: Sort) -> tuple[int, ...]:
    """Return integers for a parameter: sizes fit the arrays that are guessed, counts repeat what is in a loop."""
    return {"size": (4, 3), "small": (2, 1), "axis": (0, -1), "index": (1, 0)}.get(sort, (3, 4))


def functions(name: str) -> list[Argument]:
    """Return functions that stand for what a parameter of this name is given."""
    numeric = any(part in name for part in ("density", "logprob", "log_prob", "loss", "cost", "energy", "potential"))
    ordered = (number, same, paired) if numeric else (same, number, paired)
    return [value(each, f"a function ({TEXTS[each.__name__]})") for each in ordered]


TEXTS = {"same": "returns its argument", "number": "returns a number", "paired": "returns its argument and a number"}


def _is_key(guesses: Sequence[Argument]) -> bool:
    return bool(guesses) and guesses[0] == key()


def _some(guesses: list[Argument]) -> list[Argument]:
    """Return the first few guesses, each text once."""
    some: dict[str, Argument] = {}
    for each in guesses:
        some.setdefault(each.text, each)
    return list(some.values())[:MOST]


# Functions that are passed to a user's function as arguments.


def number(*args: Any, **kwargs: Any) -> Any:
    """Return a number, as a loss or a log-density does."""
    import jax
    import jax.numpy as jnp

    consume(args, kwargs)
    leaves = jax.tree_util.tree_leaves((args, kwargs))
    floats = [leaf for leaf in leaves if isinstance(leaf, jax.Array) and jnp.issubdtype(leaf.dtype, jnp.floating)]
    return sum((jnp.sum(leaf) for leaf in floats), jnp.zeros(()))


def same(*args: Any, **kwargs: Any) -> Any:
    """Return the first argument that is no key, as a step or a network does; an array if there is none."""
    import jax
    import jax.numpy as jnp

    consume(args, kwargs)
    others = [each for each in (*args, *kwargs.values()) if not (isinstance(each, jax.Array) and is_key(each))]
    return others[0] if others else jnp.zeros(4)


def paired(*args: Any, **kwargs: Any) -> Any:
    """Return the first argument that is no key, and something about it, as a kernel of a sampler does."""
    import jax.numpy as jnp

    return same(*args, **kwargs), jnp.zeros(())


def consume(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Consume the keys among the arguments; the evidence says that this is assumed."""
    import jax

    for leaf in jax.tree_util.tree_leaves((args, kwargs)):
        if isinstance(leaf, jax.Array) and is_key(leaf):
            assumed(leaf)
