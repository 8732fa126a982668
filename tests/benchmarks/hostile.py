"""Hostile variants of valid files: changes of their bytes, of their tokens and of the trees that they are read as."""

from __future__ import annotations

import json
import math
import random
import re
import tomllib
from collections.abc import Callable, Sequence
from typing import Any, Literal

from reliability import CHANGES

__all__ = ["FORMS", "Form", "variant"]

Form = Literal["json", "json-lines", "text", "toml"]
FORMS: tuple[Form, ...] = ("json", "json-lines", "text", "toml")
LITERAL = re.compile(rb'"(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?|\btrue\b|\bfalse\b|\bnull\b')
DEEP = 100_000
"""Brackets: far more than any reader has calls."""
WORDS = [
    "", " ", "\0", "\n", "\x1b[31m", "\ud800", "é", "\N{RIGHT-TO-LEFT OVERRIDE}", "~nobody/x", "~", ".", "..", "/",
    "../" * 40, "/dev/zero", "/dev/null", "x" * 300, "x/" * 2500, "**/" * 40, "[", "[!", "*" * 60, "(" * 50, "ALL",
    "OLY", "OLY104", "a:b:c", ":", "f32[", "f32[99999999999]", "key[-1]", "1.2.", "9" * 5000, "١", "pyproject.toml",
]  # fmt: skip
NUMBERS = [0, -1, 1, 2, 3, 2**31, 2**63, 2**70, -(2**63), 10**400, 0.5, 1e308, math.inf, -math.inf, math.nan]
RAW = [
    b"[" * DEEP, b"[" * DEEP + b"]" * DEEP, b'{"a":' * DEEP, b"{a=" * 2000 + b"1" + b"}" * 2000, b"9" * 5000,
    b"-" + b"9" * 5000, b"1e999", b"NaN", b"-Infinity", b'"\\ud800"', b'"\\u0000"', b"''", b"1979-05-27T07:32:00Z",
    b"07:32:00", b"null", b"true", b"\xff\xfe", b"\xef\xbb\xbf", b'"""', b"\n", b"[[a]]\n", b"[a.b.c]\n", b"a.b = 1\n",
]  # fmt: skip


def variant(seeds: Sequence[bytes], form: Form, drawing: random.Random) -> bytes:
    """Return a variant of one of some files.

    Args:
        seeds: valid files.
        form: what they are.
        drawing: makes all choices.
    """
    data = drawing.choice(seeds)
    for _ in range(drawing.choice((1, 1, 1, 2, 2, 3, 6))):
        kind = drawing.randrange(8)
        if kind < 4 and form != "text":
            data = changed_tree(data, form, drawing)
        elif kind == 4:
            data = put_raw(data, drawing)
        elif kind == 5:
            data = splice(data, drawing.choice(seeds), drawing)
        else:
            data = drawing.choice(CHANGES)(data, drawing)
    return data


def put_raw(data: bytes, drawing: random.Random) -> bytes:
    """Put something odd in the place of a literal, or anywhere."""
    found = [match.span() for match in LITERAL.finditer(data)]
    start, end = drawing.choice(found) if found and drawing.random() < 0.8 else (drawing.randint(0, len(data)),) * 2
    return data[:start] + drawing.choice(RAW) + data[end:]


def splice(data: bytes, other: bytes, drawing: random.Random) -> bytes:
    """Put a part of one file into another one."""
    at, start = drawing.randint(0, len(data)), drawing.randint(0, len(other))
    return data[:at] + other[start : start + drawing.randint(1, 200)] + data[at + drawing.randint(0, 50) :]


def changed_tree(data: bytes, form: Form, drawing: random.Random) -> bytes:
    """Read a file, change the tree, and write it again; a file that cannot be read stays as it is."""
    try:
        tree = READ[form](data)
        return WRITE[form](change(tree, drawing)).encode(errors="surrogatepass")
    except (ValueError, RecursionError, TypeError):
        return data


def change(tree: Any, drawing: random.Random) -> Any:
    """Change a value somewhere in a tree."""
    if isinstance(tree, dict | list) and tree and drawing.random() < 0.85:
        made = tree.copy()
        key: Any = drawing.choice([*made]) if isinstance(made, dict) else drawing.randrange(len(made))
        match drawing.randrange(8):
            case 0:
                del made[key]
            case 1 if isinstance(made, list):
                made.insert(drawing.randint(0, len(made)), made[key])
            case 1:
                made[drawing.choice(WORDS)] = made[key]
            case 2:
                other = drawing.choice([*made]) if isinstance(made, dict) else drawing.randrange(len(made))
                made[key], made[other] = made[other], made[key]
            case _:
                made[key] = change(made[key], drawing)
        return made
    return other_value(tree, drawing)


def other_value(value: Any, drawing: random.Random) -> Any:
    """Return a value in the place of another one, often of another type."""
    match drawing.randrange(8):
        case 0:
            return [value]
        case 1:
            return {drawing.choice(WORDS): value}
        case 2:
            return drawing.choice([None, True, False, [], {}])
        case 3 | 4:
            return drawing.choice(NUMBERS)
        case 5 if isinstance(value, int | float) and -(2**80) < value < 2**80:
            return value + drawing.choice((-1, 1, -1000, 1000))
        case 6 if isinstance(value, str):
            at = drawing.randint(0, len(value))
            return value[:at] + drawing.choice(WORDS) + value[at:]
        case _:
            return drawing.choice(WORDS)


def toml_value(value: Any) -> str:
    """Return a value as TOML; its strings are those of JSON, but for lone surrogates."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml_value(key)} = {toml_value(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_text(tree: Any) -> str:
    """Return a table as TOML, one line for each of its values."""
    if not isinstance(tree, dict):
        return toml_value(tree)
    return "".join(f"{toml_value(key)} = {toml_value(value)}\n" for key, value in tree.items())


READ: dict[Form, Callable[[bytes], Any]] = {
    "json": json.loads,
    "json-lines": lambda data: [json.loads(line) for line in data.splitlines()],
    "toml": lambda data: tomllib.loads(data.decode()),
}
WRITE: dict[Form, Callable[[Any], str]] = {
    "json": json.dumps,
    "json-lines": lambda rows: "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows),
    "toml": toml_text,
}
