"""Arguments in words: ``f32[3,4]`` for an array, ``key`` and ``key[5]`` for keys, anything else a Python literal.

Tuples, lists and dicts of these are pytrees: ``(f32[3], {'key': key})``. Options of commands and settings have them.
This module does not import JAX, so that both are checked without it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

SPEC = re.compile(r"(?P<kind>key|bool|(?:bf|f|i|u|c)(?=\d))(?P<bits>\d*)(?:\[(?P<shape>[\d,\s]*)\])?")
SCALAR = re.compile(r"\b(key|bool|(?:bf|f|i|u|c)\d+)\[\s*\]")
KINDS = {"bf": "bfloat", "f": "float", "i": "int", "u": "uint", "c": "complex", "bool": "bool"}
BITS = {"bf": ("16",), "f": ("16", "32", "64"), "c": ("64", "128"), "bool": ("",), "key": ("",)}
INTEGERS = ("4", "8", "16", "32", "64")
NOTHING = "it is no array, key or literal"
WRITE = "write f32[3,4], key, 3, '\"text\"', or a tuple, list or dict of these"


@dataclass(frozen=True, slots=True)
class Spec:
    """An argument.

    Attributes:
        kind: whether it is a key or an array of keys, another array, a value, a pytree of others, an object of the
            function's module, or a call of one.
        shape: of an array, or of a key array without the axis of words.
        dtype: the dtype of an array by NumPy's or JAX's name.
        value: the value; the dotted name of an object.
        parts: what a pytree or a call consists of.
        names: the keys of a dict; the names of the arguments of a call, ``None`` for those without.
    """

    kind: Literal["key", "array", "literal", "tuple", "list", "dict", "object", "call"]
    shape: tuple[int, ...] = ()
    dtype: str = ""
    value: Any = None
    parts: tuple[Spec, ...] = ()
    names: tuple[Any, ...] = ()


def spec(text: str, *, objects: bool = False) -> Spec:
    """Read an argument.

    Args:
        text: the argument.
        objects: whether a name stands for an object of the function's module.

    Raises:
        ValueError: it is none; the message is the cause and the next step.
    """
    text = text.strip()
    if SPEC.fullmatch(text):
        return _array(text)
    try:
        return Spec("literal", value=ast.literal_eval(text))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        pass
    try:
        return _read(ast.parse(SCALAR.sub(r"\1", text), mode="eval").body, objects)
    except (SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise ValueError(f"{NOTHING}; {WRITE}") from error


def _array(text: str) -> Spec:
    match = SPEC.fullmatch(text)
    assert match is not None
    kind, bits = match["kind"], match["bits"]
    shape = tuple(int(size) for size in (match["shape"] or "").split(",") if size.strip())
    if bits not in BITS.get(kind, INTEGERS):
        raise ValueError("there is no such dtype; write f32, i32, u8, bool")
    return Spec("key", shape) if kind == "key" else Spec("array", shape, KINDS[kind] + bits)


def _read(node: ast.expr, objects: bool) -> Spec:
    """Read a part of an argument."""

    def all_of(nodes: Iterable[ast.expr]) -> tuple[Spec, ...]:
        return tuple(_read(each, objects) for each in nodes)

    match node:
        case ast.Name() | ast.Subscript() if SPEC.fullmatch(ast.unparse(node)):
            return _array(ast.unparse(node))
        case ast.Tuple(elts):
            return Spec("tuple", parts=all_of(elts))
        case ast.List(elts):
            return Spec("list", parts=all_of(elts))
        case ast.Dict(keys, values) if None not in keys:
            names = tuple(_value(key) for key in keys if key is not None)
            return Spec("dict", parts=all_of(values), names=names)
        case ast.Name() | ast.Attribute() if objects:
            return Spec("object", value=_dotted(node))
        case ast.Call(function, args, keywords) if objects:
            named = tuple(each.arg for each in keywords)
            parts = all_of([*args, *(each.value for each in keywords)])
            return Spec("call", value=_dotted(function), parts=parts, names=(None,) * len(args) + named)
    return Spec("literal", value=_value(node))


def _value(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError as error:
        raise ValueError(f"{NOTHING}; {WRITE}") from error


def _dotted(node: ast.expr) -> str:
    match node:
        case ast.Name(name):
            return name
        case ast.Attribute(value, name):
            return f"{_dotted(value)}.{name}"
    raise ValueError(f"{NOTHING}, and no name of the module; {WRITE}")
