"""Arguments in words: ``f32[3,4]`` for an array, ``key`` and ``key[5]`` for keys, anything else a Python literal.

Options of commands and settings have them. This module does not import JAX, so that both are checked without it.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Any, Literal

SPEC = re.compile(r"(?P<kind>key|bool|(?:bf|f|i|u|c)(?=\d))(?P<bits>\d*)(?:\[(?P<shape>[\d,\s]*)\])?")
KINDS = {"bf": "bfloat", "f": "float", "i": "int", "u": "uint", "c": "complex", "bool": "bool"}
BITS = {"bf": ("16",), "f": ("16", "32", "64"), "c": ("64", "128"), "bool": ("",), "key": ("",)}
INTEGERS = ("4", "8", "16", "32", "64")


@dataclass(frozen=True, slots=True)
class Spec:
    """An argument.

    Attributes:
        kind: whether it is a key or an array of keys, another array, or a value.
        shape: of an array, or of a key array without the axis of words.
        dtype: the dtype of an array by NumPy's or JAX's name.
        value: the value.
    """

    kind: Literal["key", "array", "literal"]
    shape: tuple[int, ...] = ()
    dtype: str = ""
    value: Any = None


def spec(text: str) -> Spec:
    """Read an argument.

    Raises:
        ValueError: it is none; the message is the cause and the next step.
    """
    match = SPEC.fullmatch(text.strip())
    if match is None:
        try:
            return Spec("literal", value=ast.literal_eval(text.strip()))
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
            raise ValueError("it is no array, key or literal; write f32[3,4], key, 3 or '\"text\"'") from error
    kind, bits = match["kind"], match["bits"]
    shape = tuple(int(size) for size in (match["shape"] or "").split(",") if size.strip())
    if bits not in BITS.get(kind, INTEGERS):
        raise ValueError("there is no such dtype; write f32, i32, u8, bool")
    return Spec("key", shape) if kind == "key" else Spec("array", shape, KINDS[kind] + bits)
