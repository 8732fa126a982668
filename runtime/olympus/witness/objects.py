"""Objects that no constructor has made: what they read is unknown, and the defaults of their classes are guesses."""

from __future__ import annotations

import dataclasses
import inspect
import reprlib
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar, get_origin
from weakref import WeakSet

from olympus.verdicts.reasons import Reason
from olympus.witness.decisions import CLOSED
from olympus.witness.unknown import Unknown, UnknownBase, is_unknown

if TYPE_CHECKING:
    from olympus.witness.state import State

OTHERS = (str, bytes, bool, int, float, tuple, list, dict, set, frozenset)  # types of values that are no keys
FIELDED: WeakSet[type] = WeakSet()
"""Classes with an unknown decorator, which may make parameters of annotated attributes, as ``attrs.define`` does."""


class Default:
    """An attribute that an object has by default: its value may confirm a finding, and never refutes one."""

    def __init__(self, world: State, path: str, value: Any) -> None:
        self.world, self.path, self.value = world, path, value

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        self.world.cut = Reason.DEFAULT.of(self.path)
        return self.value


def blank(world: State, owner: type) -> Any:
    """Return an object of a class without a call of its constructor: its fields are parameters, so they are unknown.

    Raises:
        TypeError: if the class has no such objects.
    """
    made = open_class(world, owner)
    if issubclass(owner, tuple) and hasattr(owner, "_fields"):
        return tuple.__new__(made, [unknown_field(world, owner, name) for name in owner._fields])
    make: Any = made.__new__
    instance = make(made)
    for name, default in fields(owner).items():
        if not is_behaviour(default):
            value = unknown_field(world, owner, name)
            note_other(world, value, default)
            with suppress(AttributeError):
                object.__setattr__(instance, name, value)
    return instance


def open_class(world: State, owner: type) -> type:
    """Return a subclass whose objects have any attribute: without its constructor, an object lacks its own."""

    def __getattr__(self: Any, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        value = unknown_field(world, owner, name)
        object.__setattr__(self, name, value)
        return world.read(self, name, value)

    guesses = defaults(world, owner).items()
    names: dict[str, Any] = {name: Default(world, f"{owner.__name__}.{name}", value) for name, value in guesses}
    names["__module__"] = owner.__module__
    if not hasattr(owner, "__getattr__"):
        names["__getattr__"] = __getattr__
    with suppress(Exception):
        return type(owner)(owner.__name__, (owner,), names)
    return owner


def unknown_field(world: State, owner: type, name: str) -> Unknown:
    """Return what an attribute of an object is that nothing has set."""
    return Unknown(world, f"{owner.__name__}.{name}")


def note_other(world: State, value: Unknown, default: Any) -> None:
    """Note that an argument or field is no key, by its default: ``None``, say, leaves that open."""
    if isinstance(default, OTHERS):
        world.others[value] = Reason.NO_KEY.of(value._olympus_path, reprlib.repr(default))


def defaults(world: State, owner: type) -> dict[str, Any]:
    """Return the attributes of a class and its bases in the project that objects and subclasses may have otherwise."""
    found: dict[str, Any] = {}
    for base in reversed(owner.__mro__):
        if world.is_source(base.__module__) and not issubclass(base, tuple):
            found |= {name: value for name, value in vars(base).items() if is_default(name, value)}
    return found | {name: value for name, value in fields(owner).items() if is_behaviour(value)}


def is_default(name: str, value: Any) -> bool:
    """Return whether an attribute of a class is a value, and neither a method nor a name of Python or ours."""
    ours = name.startswith(("__", "_abc", "_is_", "_olympus")) or is_unknown(value) or isinstance(value, type)
    return not ours and inspect.getattr_static(value, "__get__", None) is None


def fields(owner: type) -> dict[str, Any]:
    """Return the fields of a class that its constructor takes, each with its default, if it has one."""
    if dataclasses.is_dataclass(owner):
        return {field.name: field.default for field in dataclasses.fields(owner)}
    found: dict[str, Any] = {}
    for base in reversed(owner.__mro__):
        if base in FIELDED or (issubclass(base, UnknownBase) and base not in CLOSED):
            kinds: dict[str, Any] = vars(base).get("__annotations__", {})
            found |= {name: vars(base).get(name) for name, kind in kinds.items() if not is_of_class(kind)}
    return found


def is_of_class(annotation: Any) -> bool:
    """Return whether an annotation says that an attribute belongs to the class."""
    return annotation is ClassVar or get_origin(annotation) is ClassVar


def is_behaviour(value: Any) -> bool:
    """Return whether a value is called: the default is the best guess of what it does."""
    return callable(value) and not isinstance(value, type) and not is_unknown(value)
