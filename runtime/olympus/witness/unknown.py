"""Unknown values: stand-ins for arguments, libraries and results of calls.

An unknown value can be used in any way. What is derived from it the same way twice is the same unknown value, so that
``self.key`` is one key wherever it is written, ``i + 1`` one number and ``x > 0`` one decision. Only calls give a new
value each time. An unknown value becomes a key, or a number, when it is first used as one.
"""

from __future__ import annotations

import dis
import inspect
import sys
from collections.abc import Callable, Generator, Hashable, Iterator, MutableMapping
from types import FrameType
from typing import Any, ClassVar

from olympus.namespace.operators import BINARY, COMPARISONS
from olympus.predicates import Applied, Constant, Symbol
from olympus.verdicts.reasons import Reason
from olympus.witness.decisions import CLOSED, GROUPS, Same, Subject, constant, derived, joined

DEEPEST = 8  # derivations after which a value has no elements
NEST = 3  # derivations that an element counts for: a walk down nested lists takes both elements at each level
ELEMENTS = 2  # of what is iterated over: enough for the second iteration of a loop
TOLD = 12  # derivations in the term of a condition; a deeper value is a subject of its own
CONDITIONS = GROUPS | {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "is", "len", "type", "has"}
DIMENSIONS = ("shape", "ndim", "size", "dtype")
NOTHING: Any = object()


class Unknown:
    """A value whose origin alone is known.

    Its own attributes begin with ``_olympus``, for any other name is an attribute of the unknown object. There is one
    method for each operation of Python on a value.
    """

    __slots__ = (
        "_olympus_depth",
        "_olympus_first",
        "_olympus_owner",
        "_olympus_parts",
        "_olympus_path",
        "_olympus_plain",
        "_olympus_term",
        "_olympus_world",
    )

    def __init__(
        self, world: Any, path: str, depth: int = 0, *, plain: bool = False, term: Hashable = None, owner: Any = None
    ) -> None:
        """Make a value.

        Args:
            world: where it is used: an :class:`olympus.witness.state.State`.
            path: where it comes from, as a reader would write it.
            depth: how many derivations ago it was an argument or a result.
            plain: whether it is known to be no key, such as a random draw.
            term: its term in conditions; a subject of its own by default.
            owner: the object whose attribute it is.
        """
        set_own = object.__setattr__
        set_own(self, "_olympus_plain", plain)
        set_own(self, "_olympus_depth", depth)
        set_own(self, "_olympus_world", world)
        set_own(self, "_olympus_path", path)
        set_own(self, "_olympus_parts", {})
        set_own(self, "_olympus_term", Subject(path) if term is None else term)
        set_own(self, "_olympus_owner", owner)
        set_own(self, "_olympus_first", self)

    def __repr__(self) -> str:
        return f"<unknown {self._olympus_path}>"

    # Parts.

    def _olympus_part(self, name: Hashable, path: str, deeper: int = 1, *, operand: Any = NOTHING) -> Any:
        parts: dict[Hashable, Any] = self._olympus_parts
        if name not in parts:
            known = self._olympus_world.helpers.get(path)
            parts[name] = self._olympus_derived(name, path, deeper, operand) if known is None else known
        return parts[name]

    def _olympus_derived(self, name: Hashable, path: str, deeper: int, operand: Any) -> Unknown:
        operation, *rest = name if isinstance(name, tuple) else (name,)
        depth, owner = self._olympus_depth + deeper, self if operation == "." else None
        term: Hashable = None
        if operation == "." and isinstance(self._olympus_term, Symbol):
            term = Symbol(path)
        elif name == (".", "ndim"):
            term = derived("len", (derived(".", (self._olympus_term, Constant("shape"))),))
        elif depth <= TOLD or operation in CONDITIONS or (operation == "." and rest[0] in DIMENSIONS):
            tell = group if operation in GROUPS else expression
            told = map(expression, rest) if operand is NOTHING else (tell(operand),)
            term = derived(str(operation), (self._olympus_term, *told))
        return Unknown(self._olympus_world, path, depth, plain=self._olympus_plain, term=term, owner=owner)

    def _olympus_again(self) -> Unknown:
        """Return the value of another read: it is alike in conditions, and may be another key."""
        own = (self._olympus_world, self._olympus_path, self._olympus_depth)
        value = Unknown(*own, plain=self._olympus_plain, term=self._olympus_term, owner=self._olympus_owner)
        object.__setattr__(value, "_olympus_parts", self._olympus_parts)
        object.__setattr__(value, "_olympus_first", self._olympus_first)
        return value

    def _olympus_forget(self) -> None:
        """Forget the attributes and items of an object that an unknown call may have written."""
        self._olympus_world.guessed = True  # its truth value may have changed as well
        self._olympus_parts.pop("len", None)
        for name, value in list(self._olympus_parts.items()):
            inner = isinstance(name, tuple) and name[0] in (".", "[")
            if inner and (is_unknown(value) or type(value).__module__.startswith("jax")):
                del self._olympus_parts[name]

    def __getattr__(self, name: str) -> Any:
        if name in ("__name__", "__qualname__"):
            return self._olympus_path
        if name == "__dict__":
            return Attributes(self)
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        key = self._olympus_world.as_claimed_key(self)
        if key is not None and hasattr(key, name):
            return getattr(key, name)
        if name == "keys" and _in_double_star(sys._getframe(1)):
            return tuple  # no keyword at all
        value = self._olympus_part((".", name), f"{self._olympus_path}.{name}")
        return self._olympus_world.read(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        self._olympus_set((".", name), value)

    def _olympus_set(self, name: Hashable, value: Any) -> None:
        self._olympus_world.written.append((self._olympus_parts, name))
        self._olympus_parts[name] = value

    def __delattr__(self, name: str) -> None:
        self._olympus_parts.pop((".", name), None)

    def __getitem__(self, item: Any) -> Any:
        key = self._olympus_world.as_claimed_key(self)
        if key is not None:
            return key[item]
        name = ("[", _hashable(item))
        value = self._olympus_part(name, f"{self._olympus_path}[{item!r}]", operand=item)
        return self._olympus_world.read(self, name, value)

    def __setitem__(self, item: Any, value: Any) -> None:
        if isinstance(item, str | int):
            self._olympus_world.guessed = True  # its length may have changed
            self._olympus_parts.pop("len", None)
        else:  # any item may be this one
            self._olympus_forget()
        self._olympus_set(("[", _hashable(item)), value)
        self._olympus_set(("has", _hashable(item)), True)  # as in a dictionary

    def __delitem__(self, item: Any) -> None:
        self._olympus_parts.pop(("[", _hashable(item)), None)
        self._olympus_set(("has", _hashable(item)), False)

    def __iter__(self) -> Iterator[Any]:
        key = self._olympus_world.as_claimed_key(self)
        if key is not None:
            yield from key
            return
        wanted = _wanted(sys._getframe(1))
        if wanted is None:
            self._olympus_world.cut = Reason.LOOP
        count = ELEMENTS if wanted is None else wanted
        if self._olympus_depth > DEEPEST and count == ELEMENTS:
            return  # a walk down nested lists ends
        length = Applied("len", self._olympus_term)
        for index in range(count) if wanted is not None else self._olympus_world.few_turns(length):
            yield self._olympus_part(("[", index), f"{self._olympus_path}[{index}]", NEST if count == ELEMENTS else 1)

    def __next__(self) -> Any:
        """Give another value at each call, as an iterator of unknown values does."""
        self._olympus_world.budget.step()
        return Unknown(self._olympus_world, f"next({self._olympus_path})", plain=self._olympus_plain)

    def __reversed__(self) -> Iterator[Any]:
        return iter(list(self)[::-1])

    # Calls, decisions, conversions.

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Give an unknown result."""
        return self._olympus_world.unknown_call(self, args, kwargs)

    def __bool__(self) -> bool:
        return bool(self._olympus_world.decide(self))

    def __len__(self) -> int:
        return self._olympus_guess()

    def __index__(self) -> int:
        return self._olympus_guess()

    def __int__(self) -> int:
        return self._olympus_guess()

    def _olympus_guess(self) -> int:
        self._olympus_world.cut = Reason.NUMBER.of(self._olympus_path, ELEMENTS)
        return ELEMENTS

    def __float__(self) -> float:
        return 1.0

    def __str__(self) -> str:
        return str(self._olympus_path)

    def __format__(self, specification: str) -> str:
        return str(self._olympus_path)

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(f"{self._olympus_path} is no array")  # NumPy would take it for endlessly nested lists

    def __contains__(self, item: Any) -> bool:
        return bool(self._olympus_part(("has", _hashable(item)), f"... in {self._olympus_path}", operand=item))

    __hash__ = object.__hash__

    # With statements, awaiting, use as a base class.

    def __enter__(self) -> Any:
        return self._olympus_part("with", f"with {self._olympus_path}")

    def __exit__(self, *problem: Any) -> None:
        return None

    async def __aenter__(self) -> Any:
        return self._olympus_part("with", f"with {self._olympus_path}")

    async def __aexit__(self, *problem: Any) -> None:
        return None

    def __await__(self) -> Generator[Any, Any, Any]:
        yield from ()
        return self._olympus_part("await", f"await {self._olympus_path}")

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return (UnknownBase,)


class Attributes(MutableMapping[str, Any]):
    """The ``__dict__`` of an unknown object; which names it has is unknown."""

    def __init__(self, owner: Unknown) -> None:
        self.owner = owner

    def __getitem__(self, name: str) -> Any:
        return getattr(self.owner, name)

    def __setitem__(self, name: str, value: Any) -> None:
        if isinstance(name, str):
            setattr(self.owner, name, value)
        else:
            self.owner._olympus_forget()

    def __delitem__(self, name: str) -> None:
        delattr(self.owner, name)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return len(self.owner)


def _wanted(frame: FrameType) -> int | None:
    """Return how many elements an unpacking asks for; ``None`` for any other iteration."""
    code, at = frame.f_code.co_code, frame.f_lasti
    match dis.opname[code[at]]:
        case "UNPACK_SEQUENCE":
            return code[at + 1]
        case "UNPACK_EX":
            return code[at + 1] + ELEMENTS
    return None


def _in_double_star(frame: FrameType) -> bool:
    """Return whether a frame is about to merge keywords, as ``f(**unknown)`` and ``{**unknown}`` do."""
    return dis.opname[frame.f_code.co_code[frame.f_lasti]] in ("DICT_MERGE", "DICT_UPDATE")


def _hashable(item: Any) -> Hashable:
    """Return a hashable value for an index; equal indices give equal values."""
    if isinstance(item, slice):
        return ("slice", _hashable(item.start), _hashable(item.stop), _hashable(item.step))
    if isinstance(item, tuple | list):
        return tuple(map(_hashable, item))
    if isinstance(item, str | int | float | bool | bytes | type(None)):
        return (type(item).__name__, item)
    return Same(item._olympus_first if is_unknown(item) else item)


def expression(value: Any) -> Hashable:
    """Return the term of a value in conditions; two slices with equal bounds have one."""
    if isinstance(value, slice):
        return joined("slice", tuple(map(expression, (value.start, value.stop, value.step))))
    term: Hashable = value._olympus_term if is_unknown(value) else constant(value)
    return term


def group(values: Any) -> Hashable:
    """Return the term of a group of values, for a test of membership."""
    several = isinstance(values, tuple | list | set | frozenset)
    told = tuple(
        map(
            expression,
            sorted(values, key=repr) if isinstance(values, set | frozenset) else values if several else (values,),
        )
    )
    return told if all(isinstance(each, Constant | Symbol) for each in told) else Same(values)


def _short(value: Any) -> str:
    """Return the other operand as a reader would write it, if that is short."""
    if is_unknown(value):
        return str(value._olympus_path)
    return repr(value) if isinstance(value, str | int | float | bool | bytes | type(None)) else "..."


def is_unknown(value: Any) -> bool:
    """Return whether a value is a stand-in."""
    return isinstance(value, Unknown)


def is_traced(value: Any) -> bool:
    """Return whether a value belongs to JAX, and so has no truth value in a trace."""
    return type(value).__module__.startswith("jax")


class UnknownBase:
    """The base of a class whose real base is unknown: it takes any arguments, and has any attribute."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Accept the keywords of any metaclass."""

    def __class_getitem__(cls, item: Any) -> Any:
        """Leave out the arguments of a generic class."""
        return cls

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Take fields in the order of the annotations, as dataclasses and modules do."""
        names = [name for base in reversed(type(self).__mro__) for name in vars(base).get("__annotations__", ())]
        for name, value in (*zip(names, args, strict=False), *kwargs.items()):
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        world = type(self)._olympus_world  # type: ignore[attr-defined]
        value = Unknown(world, f"{type(self).__name__}.{name}")
        object.__setattr__(self, name, value)
        return world.read(self, name, value)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Give an unknown result."""
        return type(self)._olympus_world.unknown_call(self, args, kwargs)  # type: ignore[attr-defined]


class UnsteadyBase(UnknownBase):
    """The base of a class whose real base is out of reach: an attribute may be a property of that.

    Attributes:
        _olympus_packages: the packages of the unknown bases.
    """

    _olympus_packages: ClassVar[frozenset[str]] = frozenset()

    def __getattribute__(self, name: str) -> Any:
        value = super().__getattribute__(name)
        world = type(self)._olympus_world  # type: ignore[attr-defined]
        return value if name.startswith("__") else world.read(self, name, value)


def is_plain(kind: type, name: str) -> bool:
    """Return whether an attribute of the objects of a class is what was stored in it: no code runs when it is read."""
    lookup = [inspect.getattr_static(kind, each, None) for each in ("__getattribute__", "__getattr__")]
    if kind not in CLOSED or lookup != [object.__getattribute__, UnknownBase.__getattr__]:
        return False
    found = inspect.getattr_static(kind, name, None)
    return inspect.getattr_static(found, "__get__", None) is None or inspect.ismemberdescriptor(found)


# Operators: the same operation on the same operands gives the same unknown value.


def _operator(name: str, sign: str) -> Callable[[Unknown, Any], Any]:
    def apply(self: Unknown, other: Any) -> Any:
        key = self._olympus_world.as_claimed_key(self)
        if key is not None:
            return getattr(key, name)(other)
        return self._olympus_part(
            (name, _hashable(other)), f"{self._olympus_path} {sign} {_short(other)}", operand=other
        )

    apply.__name__ = name
    return apply


def _unary(name: str, sign: str) -> Callable[[Unknown], Any]:
    def apply(self: Unknown) -> Any:
        return self._olympus_part(name, f"{sign}{self._olympus_path}")

    apply.__name__ = name
    return apply


for _name, _sign in BINARY.items():
    setattr(Unknown, f"__{_name}__", _operator(f"__{_name}__", _sign))
    setattr(Unknown, f"__r{_name}__", _operator(f"__r{_name}__", _sign))
for _name, _sign in {**COMPARISONS, "eq": "==", "ne": "!="}.items():
    setattr(Unknown, f"__{_name}__", _operator(f"__{_name}__", _sign))
for _name, _sign in {"neg": "-", "pos": "+", "invert": "~", "abs": "abs "}.items():
    setattr(Unknown, f"__{_name}__", _unary(f"__{_name}__", _sign))


def _inherited(name: str, sign: str) -> Callable[..., Any]:
    def apply(self: UnknownBase, *others: Any) -> Any:
        world = type(self)._olympus_world  # type: ignore[attr-defined]
        return Unknown(world, f"{type(self).__name__} {sign}")

    apply.__name__ = name
    return apply


for _name, _sign in BINARY.items():  # an unknown base may define them
    setattr(UnknownBase, f"__{_name}__", _inherited(f"__{_name}__", _sign))
    setattr(UnknownBase, f"__r{_name}__", _inherited(f"__r{_name}__", _sign))
for _name in ("neg", "pos", "invert", "abs", "lt", "le", "gt", "ge"):
    setattr(UnknownBase, f"__{_name}__", _inherited(f"__{_name}__", _name))
