"""Conditions of one value (or of two), by the sort of the value, with inputs that tell them apart.

Whether two conditions exclude each other is never written down here: they are evaluated on the inputs of their sort.
Inputs are *odd* where only an unusual value makes two conditions hold together: a pair that does so for odd inputs
alone is no example of either.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from types import SimpleNamespace
from typing import Any

__all__ = ["NUMPY", "SORTS", "Array", "Condition", "Sort", "condition", "exclusive", "pair"]

COLORS = "class Color(enum.Enum):\n    RED = 1\n    GREEN = 2\n    BLUE = 3"
CLASSES = "class Shape:\n    pass\n\n\nclass Square(Shape):\n    pass\n\n\nclass Letter:\n    pass"


@dataclass(frozen=True)
class Sort:
    """A sort of value.

    Attributes:
        atoms: conditions of ``{x}`` (and ``{y}``), each with the name of its form.
        inputs: what the value can be, as expressions.
        odd: unusual values, as expressions.
        others: what the second value can be, where there is one.
        patterns: the conditions that ``match`` can express, each with its pattern.
        imports: what a program needs for them.
        declarations: the classes that they speak of.
    """

    atoms: tuple[tuple[str, str], ...]
    inputs: tuple[str, ...]
    odd: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    patterns: tuple[tuple[str, str], ...] = ()
    imports: str = ""
    declarations: str = ""


def _of(form: str, *texts: str) -> tuple[tuple[str, str], ...]:
    return tuple((form, text) for text in texts)


NONE = _of("none", "{x} is None", "{x} is not None")
TRUTH = _of("truth", "{x}", "not {x}", "bool({x})")
LENGTH = _of("length", "len({x}) > 0", "len({x}) == 0", "len({x})", "len({x}) != 0", "len({x}) < 1")
ORDER = _of(
    "order",
    *("{x} < 1", "{x} >= 1", "{x} > 3", "{x} <= 3", "{x} < 3", "{x} >= 3", "0 < {x} < 3", "1 <= {x} <= 2"),
    *("{x} > 0", "{x} <= 0", "0 <= {x} < 1", "3 < {x}", "1 > {x}", "{x} < -1", "not {x} < 3", "not {x} > 0"),
)

SORTS: dict[str, Sort] = {
    "number": Sort(
        (
            *ORDER,
            *_of("order", "{x} > 0.5", "{x} <= 0.5", "{x} < 1.5", "0.5 < {x} < 1.5", "0.25 <= {x} <= 0.5"),
            *_of("equality", "{x} == 0", "{x} == 1", "{x} == 3", "{x} != 0", "{x} == 0.5", "2 == {x}", "{x} != 3"),
            *_of(
                "membership", "{x} in (0, 1)", "{x} in (2, 3)", "{x} not in (1, 2)", "{x} in [3, 4]", "{x} in {{0, 3}}"
            ),
            *TRUTH,
        ),
        ("-2", "-1", "-0.5", "0", "0.25", "0.3", "0.5", "0.75", "1", "1.25", "1.5", "2", "2.5", "3", "3.5", "4", "9"),
        ("float('nan')", "float('inf')", "True", "False", "-0.0", "0.1", "0.6", "-0.1", "None", '""', "[]", '"a"'),
        patterns=(("{x} == 0", "0"), ("{x} == 1", "1"), ("{x} == 3", "3"), ("{x} in (0, 1)", "0 | 1")),
    ),
    "two numbers": Sort(
        _of(
            "order of two",
            *("{x} < {y}", "{y} < {x}", "{x} == {y}", "{x} != {y}", "{x} <= {y}", "{x} >= {y}", "{x} > {y}"),
            *("not {x} < {y}", "not {x} == {y}", "{y} > {x}", "{y} >= {x}", "{y} == {x}"),
        ),
        ("-1", "0", "0.5", "1", "2"),
        ("float('nan')",),
        others=("-1", "0", "0.5", "1", "2"),
    ),
    "text": Sort(
        (
            *_of("equality", '{x} == "a"', '{x} == "c"', '{x} != "a"', '{x} == ""', '"b" == {x}', '{x} != "b"'),
            *_of(
                "membership", '{x} in ("a", "b")', '{x} in ["c", "d"]', '{x} not in ("a", "b")', '{x} in {{"b", "c"}}'
            ),
            *_of(
                "pure call", '{x}.startswith("a")', '{x}.endswith("b")', "{x}.isdigit()", '{x}.startswith(("b", "c"))'
            ),
            *_of("pure call", 'not {x}.startswith("a")', "not {x}.isdigit()", "len({x}) > 2", "len({x}) <= 2"),
            *_of("pure call", '{x}.lower() == "a"', '{x}.strip() == "c"', '{x}[:1] == "a"', 'not {x}.endswith("b")'),
            *_of("containment", '"a" in {x}', '"a" not in {x}', '"b" in {x}'),
            *(*LENGTH, *TRUTH),
        ),
        (
            '""',
            '"a"',
            '"b"',
            '"c"',
            '"d"',
            '"A"',
            '"ab"',
            '"abc"',
            '"cab"',
            '"ba"',
            '"bcd"',
            '"cc"',
            '"1"',
            '"123"',
            '" c "',
        ),
        ('"\\xe9"', '"a\\n"', '"½"', '"cb"', '"dd"', '"1b"', '"Ab"', '"ac"', '"b1"', '" b"'),
        patterns=(
            ('{x} == "a"', '"a"'),
            ('{x} == "c"', '"c"'),
            ('{x} == ""', '""'),
            ('{x} in ("a", "b")', '"a" | "b"'),
        ),
    ),
    "type": Sort(
        (
            *_of("isinstance", "isinstance({x}, int)", "isinstance({x}, str)", "isinstance({x}, float)"),
            *_of(
                "isinstance", "isinstance({x}, (int, float))", "isinstance({x}, (str, bytes))", "isinstance({x}, bool)"
            ),
            *_of("isinstance", "isinstance({x}, (list, tuple))", "isinstance({x}, dict)", "isinstance({x}, list)"),
            *_of(
                "isinstance",
                "not isinstance({x}, str)",
                "isinstance({x}, int | str)",
                "not isinstance({x}, (int, float))",
            ),
            *_of("type is", "type({x}) is int", "type({x}) is float", "type({x}) == str", "type({x}) == float"),
            *_of(
                "type is", "type({x}) in (int, float)", "type({x}) is not int", "type({x}) is bool", "type({x}) != str"
            ),
            *NONE,
        ),
        ("0", "3", "True", "0.5", '"a"', '""', "b'a'", "[]", "[1]", "()", "(1, 2)", "{}", "{1: 2}", "None"),
        tuple(f"type('Own', ({kind},), {{}})()" for kind in ("int", "str", "float", "dict", "list", "tuple")),
        patterns=(
            ("isinstance({x}, int)", "int()"),
            ("isinstance({x}, str)", "str()"),
            ("isinstance({x}, (int, float))", "int() | float()"),
            ("isinstance({x}, dict)", "{}"),
            ("{x} is None", "None"),
        ),
    ),
    "class": Sort(
        (
            *_of(
                "isinstance of a class", "isinstance({x}, Shape)", "isinstance({x}, Square)", "isinstance({x}, Letter)"
            ),
            *_of("isinstance of a class", "not isinstance({x}, Shape)", "not isinstance({x}, Square)"),
            *_of("type is a class", "type({x}) is Shape", "type({x}) is Square", "type({x}) == Letter"),
            *_of("type is a class", "type({x}) is not Shape", "type({x}) in (Shape, Letter)"),
            *NONE,
        ),
        ("Shape()", "Square()", "Letter()", "None", "3"),
        (
            "type('Both', (Square, Letter), {})()",
            "type('Circle', (Shape,), {})()",
            "type('A', (Letter,), {})()",
            *(f"type('Empty', ({kind},), {{'__len__': lambda self: 0}})()" for kind in ("Shape", "Letter")),
        ),
        patterns=(("isinstance({x}, Shape)", "Shape()"), ("isinstance({x}, Letter)", "Letter()")),
        declarations=CLASSES,
    ),
    "enum": Sort(
        (
            *_of("identity", "{x} is Color.RED", "{x} is Color.GREEN", "{x} is not Color.RED", "{x} is not Color.BLUE"),
            *_of(
                "equality of a member",
                "{x} == Color.RED",
                "{x} == Color.GREEN",
                "{x} != Color.RED",
                "Color.BLUE == {x}",
            ),
            *_of("membership", "{x} in (Color.RED, Color.GREEN)", "{x} not in (Color.RED, Color.BLUE)"),
            *_of("membership", "{x} in {{Color.BLUE}}", "{x} in [Color.GREEN, Color.BLUE]"),
            *NONE,
        ),
        ("Color.RED", "Color.GREEN", "Color.BLUE", "None"),
        ("3", '"a"', "0.5"),
        patterns=(("{x} == Color.RED", "Color.RED"), ("{x} in (Color.RED, Color.GREEN)", "Color.RED | Color.GREEN")),
        imports="import enum",
        declarations=COLORS,
    ),
    "array": Sort(
        (
            *_of("dtype", "{x}.dtype == jnp.float32", "{x}.dtype == jnp.int32", "{x}.dtype != jnp.float32"),
            *_of(
                "dtype", "{x}.dtype == jnp.bfloat16", "{x}.dtype in (jnp.float32, jnp.bfloat16)", '{x}.dtype == "int32"'
            ),
            *_of(
                "issubdtype", "jnp.issubdtype({x}.dtype, jnp.floating)", "not jnp.issubdtype({x}.dtype, jnp.floating)"
            ),
            *_of(
                "rank",
                "{x}.ndim == 0",
                "{x}.ndim == 1",
                "{x}.ndim > 1",
                "{x}.ndim != 0",
                "{x}.ndim < 2",
                "{x}.ndim >= 1",
            ),
            *_of("shape", "{x}.shape == ()", "{x}.shape == (3,)", "{x}.shape != ()", "len({x}.shape) == 2"),
        ),
        tuple(
            f"Array({dtype!r}, {shape})"
            for dtype in ("float32", "bfloat16", "int32", "uint8")
            for shape in ("()", "(3,)", "(2, 3)", "(1, 2, 3)")
        ),
        tuple(
            f"Array({dtype!r}, {shape})"
            for dtype in ("float16", "int8", "float32", "int32")
            for shape in ("()", "(2,)", "(3,)", "(2, 3)", "(5, 5)", "(2, 2, 2)")
        ),
        imports="import jax.numpy as jnp",
    ),
    "sequence": Sort(
        (
            *LENGTH,
            *TRUTH,
            *_of("length", "len({x}) == 1", "len({x}) >= 2", "len({x}) > 2", "len({x}) <= 1", "1 <= len({x}) < 3"),
            *_of("equality of a sequence", "{x} == []", "{x} != []", "{x} == [1]"),
            *_of("containment", "1 in {x}", "1 not in {x}"),
        ),
        ("[]", "[1]", "[2]", "[1, 2]", "[2, 3]", "[1, 2, 3]", "[0, 0, 0]"),
        ("()", "(1,)", "(2, 2)", "{}", "{1: 2}", '""', '"ab"', "range(3)", "(1, 2, 3)"),
        patterns=(("len({x}) == 1", "[_]"), ("len({x}) == 0", "[]"), ("len({x}) >= 2", "[_, _, *_]")),
    ),
    "optional": Sort(
        (
            *NONE,
            *TRUTH,
            *_of("equality", "{x} == 0", "{x} == 2", "{x} != 2", "{x} == None"),
            *_of("isinstance", "isinstance({x}, int)", "not isinstance({x}, int)"),
            *_of(
                "none and more", "{x} is not None and {x} > 1", "{x} is None or {x} > 1", "{x} is not None and {x} < 2"
            ),
        ),
        ("None", "0", "1", "2", "3"),
        ("True", "False", "1.5", "-0.5", "0.0", "2.0", "[]", "[1]", '""', '"a"'),
        patterns=(("{x} is None", "None"), ("{x} == 2", "2"), ("isinstance({x}, int)", "int()")),
    ),
    "flag": Sort(
        (
            *TRUTH,
            *_of("bool", "{x} is True", "{x} is False", "{x} is not True", "{x} is not False"),
            *_of("bool", "{x} == True", "{x} == False"),
            *NONE,
        ),
        ("True", "False", "None", '""', '"a"', "[]", "[1]", "0", "1", "2"),
        patterns=(("{x} is True", "True"), ("{x} is False", "False"), ("{x} is None", "None")),
    ),
    "optional text": Sort(
        (
            *NONE,
            *TRUTH,
            *_of("equality", '{x} == ""', '{x} == "a"', '{x} != ""', '{x} != "a"'),
            *_of("membership", '{x} in ("a", "b")', '{x} in (None, "b")', '{x} in ("", None)'),
            *_of("isinstance", "isinstance({x}, str)", "not isinstance({x}, str)"),
        ),
        ("None", '""', '"a"', '"b"', '"c"', '"cc"'),
        ("0", "3", "[]", "['a']", "b''", "b'a'"),
        patterns=(("{x} is None", "None"), ('{x} == "a"', '"a"'), ("isinstance({x}, str)", "str()")),
    ),
    "count": Sort(
        (
            *_of("count", "{x} == 0", "{x} > 0", "{x} < 1", "{x} >= 1", "{x} != 0", "{x} == 1", "{x} > 1", "{x} < 2"),
            *_of("count", "{x} >= 2", "0 < {x} < 2", "{x} <= 0", "{x} % 2 == 0", "{x} % 2 == 1", "{x} % 2"),
            *TRUTH,
        ),
        ("0", "1", "2", "3", "4", "5"),
    ),
}


@dataclass(frozen=True)
class Condition:
    """A condition of ``{x}`` and ``{y}``: its text, the forms that it is made of, and its pattern, if it has one."""

    text: str
    forms: tuple[str, ...]
    pattern: str = ""

    def of(self, subject: str, other: str = "y") -> str:
        """Return the text for a subject."""
        return self.text.format(x=subject, y=other)

    @property
    def form(self) -> str:
        """The name of the form; one name for all that are put together of several."""
        return self.forms[0] if len(self.forms) == 1 else "combined"


def condition(rng: Random, sort: Sort) -> Condition:
    """Draw a condition: an atom, most often."""
    form, text = rng.choice(sort.atoms)
    atom = Condition(text, (form,), dict(sort.patterns).get(text, ""))
    kind = rng.randrange(100)
    if kind < 60:
        return atom
    if kind < 75:
        return Condition(f"not ({text})", (form,))
    form2, text2 = rng.choice(sort.atoms)
    if kind < 85:
        return Condition(f"({text}) and ({text2})", ("and", form, form2))
    if kind < 93:
        return Condition(f"({text}) or ({text2})", ("or", form, form2))
    if kind < 96:
        return Condition(f"not (({text}) or ({text2}))", ("not or", form, form2))
    form3, text3 = rng.choice(sort.atoms)
    return Condition(f"(({text}) if {text2} else ({text3}))", ("conditional", form, form2, form3))


class Array:
    """Stands for an array of JAX."""

    def __init__(self, dtype: str, shape: tuple[int, ...]) -> None:
        self.dtype, self.shape, self.ndim = dtype, shape, len(shape)


def issubdtype(dtype: str, kind: str) -> bool:
    """Stand in for ``jnp.issubdtype``."""
    return kind == "floating" and "float" in dtype


NUMPY: dict[str, Any] = {
    **{name: name for name in ("float32", "bfloat16", "int32", "floating")},
    "issubdtype": issubdtype,
}


def namespace(sort: Sort) -> dict[str, Any]:
    """Return the names that conditions and inputs of a sort speak of."""
    names: dict[str, Any] = {"enum": enum, "dataclasses": dataclasses, "functools": functools, "__name__": "inputs"}
    names |= {"jnp": SimpleNamespace(**NUMPY), "Array": Array, "SimpleNamespace": SimpleNamespace}
    exec(sort.declarations, names)
    return names


def situations(sort: Sort, *, odd: bool) -> Iterator[tuple[str, str]]:
    """Return what the two values can be; the second one is ``None`` for most sorts."""
    values = sort.odd if odd else sort.inputs
    others = sort.others or ("None",)
    yield from itertools.product(values, others)
    if odd and sort.others:
        yield from itertools.product(sort.inputs, sort.odd)


@functools.lru_cache(maxsize=20_000)
def held(name: str, text: str) -> tuple[frozenset[int], frozenset[int]]:
    """Return in which situations of a sort a condition holds, in usual ones and in odd ones."""
    sort = SORTS[name]
    names = namespace(sort)
    code = compile(text.format(x="x", y="y"), "<condition>", "eval")
    found = []
    for odd in (False, True):
        numbers = set()
        for number, (x, y) in enumerate(situations(sort, odd=odd)):
            names["x"], names["y"] = eval(x, names), eval(y, names)
            try:
                if eval(code, names):
                    numbers.add(number)
            except (TypeError, AttributeError):
                continue
        found.append(frozenset(numbers))
    return found[0], found[1]


def exclusive(name: str, one: Condition, other: Condition) -> bool | None:
    """Say whether two conditions never hold together; ``None`` where one never holds, or only odd inputs tell."""
    (usual, odd), (usual2, odd2) = held(name, one.text), held(name, other.text)
    if not usual or not usual2:
        return None
    if usual & usual2:
        return False
    return None if odd & odd2 else True


def pair(rng: Random, name: str, *, excluding: bool) -> tuple[Condition, Condition] | None:
    """Draw two conditions that exclude each other, or that do not."""
    for _ in range(60):
        one, other = condition(rng, SORTS[name]), condition(rng, SORTS[name])
        if one.text == other.text and rng.random() < 0.8:
            continue
        if exclusive(name, one, other) is excluding:
            return one, other
    return None
