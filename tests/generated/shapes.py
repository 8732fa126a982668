"""Two guarded uses of one key: where the guard stands, how the use is left, and where its subject comes from."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from .guards import SORTS, Condition, Sort, condition, pair
from .programs import STYLES

__all__ = ["Draft", "guarded_pair", "indented", "spelled"]

SAMPLERS = ["normal", "uniform", "gumbel", "exponential", "bits"]
REBOUND = {"number", "text", "optional", "flag", "type", "sequence", "optional text"}  # whose inputs are plain literals


@dataclass(frozen=True)
class Draft:
    """A program that is not executed yet.

    Attributes:
        source: its text; ``main`` gets a key first.
        arguments: what ``main`` gets besides, as expressions.
        forms: what its guards are made of.
        shape: how it is arranged.
        sort: the sort of its subject, empty where there is none.
        odd: arguments that are unusual.
    """

    source: str
    arguments: tuple[str, ...]
    forms: tuple[str, ...]
    shape: tuple[str, ...]
    sort: str = ""
    odd: tuple[str, ...] = ()


def indented(*lines: str) -> list[str]:
    return ["    " + line for line in lines]


def spelled(rng: Random) -> tuple[str, Callable[[str], str]]:
    """Return how a program imports the functions of ``jax.random``, and how it calls one of them."""
    imports, call = rng.choice(STYLES)
    return imports, call.format


@dataclass
class Place:
    """Where the subject of the guards comes from.

    Attributes:
        parameters: of ``main``.
        argument: what it gets for them, with the values as ``{x}`` and ``{y}``.
        subject: how the guards name it, and ``other`` the second one.
        owner: the object that it is an attribute or item of; the subject itself where there is none.
        before: statements in front of the guards.
        loop: the head of a loop around them, and what binds the key in it.
    """

    parameters: str
    argument: str
    subject: str
    other: str = "y"
    owner: str = ""
    before: list[str] = field(default_factory=list)
    loop: str = ""


def places(sort: Sort, name: str) -> dict[str, Place]:
    """Return where a subject of a sort can come from."""
    if name == "count":
        return {
            "length in a local": Place("xs", "[0] * {x}", "n", before=["n = len(xs)"]),
            "length": Place("xs", "[0] * {x}", "len(xs)", owner="xs"),
            "counter": Place("n", "{x} + 1", "i", loop="for i in range(n):"),
            "counter of enumerate": Place("xs", "[0] * ({x} + 1)", "i", loop="for i, value in enumerate(xs):"),
        }
    if sort.others:
        return {
            "parameter": Place("x, y", "{x}, {y}", "x"),
            "attribute": Place("config", "SimpleNamespace(x={x}, y={y})", "config.x", "config.y", "config"),
            "item": Place("config", '{{"x": {x}, "y": {y}}}', 'config["x"]', 'config["y"]', "config"),
            "local": Place("x, config", "{x}, SimpleNamespace(y={y})", "x", before=["y = config.y"]),
        }
    attribute = Place("config", "SimpleNamespace(x={x})", "config.x", owner="config")
    return {
        "parameter": Place("x", "{x}", "x"),
        "attribute": attribute,
        "item": Place("config", '{{"x": {x}}}', 'config["x"]', owner="config"),
        "local": Place("config", attribute.argument, "x", before=["x = config.x"]),
        "local of an item": Place("config", '{{"x": {x}}}', "x", before=['x = config["x"]']),
        "loop": Place("xs", "[{x}, {x}]", "x", loop="for i, x in enumerate(xs):"),
        "loop over items": Place(
            "xs", '{{"one": {x}, "two": {x}}}', "x", loop="for i, (name, x) in enumerate(xs.items()):"
        ),
        "self": Place("x", "{x}", "self.x", owner="self"),
    }


class Writer:
    """Writes one program around two guards."""

    def __init__(self, rng: Random, place: Place) -> None:
        self.rng = rng
        self.place = place
        self.imports, self.call = spelled(rng)
        self.module: list[str] = []
        self.before: list[str] = list(place.before)
        self.flagged = False
        self.numbers = itertools.count(1)
        self.in_loop = bool(place.loop)

    def name(self, stem: str) -> str:
        return f"{stem}_{next(self.numbers)}"

    def draw(self, key: str = "key") -> str:
        """Return a call that consumes the key, in some cases through a function of the program."""
        kind = self.rng.randrange(10)
        if kind == 0:
            return f"{self.call('split')}({key})[0]"
        sampler = self.call(self.rng.choice(SAMPLERS))
        if kind == 1:
            name = self.name("noise")
            self.module += [f"def {name}(key):", *indented(f"return {sampler}(key)"), "", ""]
            return f"{name}({key})"
        return f"{sampler}({key})"

    def test(self, guard: Condition) -> str:
        """Return the text of a guard, in some cases behind a function of the program."""
        text = guard.of(self.place.subject, self.place.other)
        if self.rng.randrange(12) == 0 and self.place.subject != "len(xs)":
            name = self.name("is_wanted")
            parameters = "x, y" if "{y}" in guard.text else "x"
            given = f"{self.place.subject}, {self.place.other}" if "{y}" in guard.text else self.place.subject
            self.module += [f"def {name}({parameters}):", *indented(f"return {guard.of('x')}"), "", ""]
            return f"{name}({given})"
        return text

    def flag(self) -> str:
        self.flagged = True
        return "flag"


Wrapper = Callable[[Writer, Condition, str], list[str]]


def plain(w: Writer, guard: Condition, target: str) -> list[str]:
    return [f"if {w.test(guard)}:", *indented(f"{target} = {w.draw()}")]


def otherwise(w: Writer, guard: Condition, target: str) -> list[str]:
    return [f"if not ({w.test(guard)}):", *indented("scale = 2.0"), "else:", *indented(f"{target} = {w.draw()}")]


def expression(w: Writer, guard: Condition, target: str) -> list[str]:
    return [f"{target} = {w.draw()} if {w.test(guard)} else 0.0"]


def short_circuit(w: Writer, guard: Condition, target: str) -> list[str]:
    if w.rng.random() < 0.5:
        return [f"{target} = ({w.test(guard)}) and {w.draw()}"]
    return [f"{target} = not ({w.test(guard)}) or {w.draw()}"]


def bound_flag(w: Writer, guard: Condition, target: str) -> list[str]:
    name = w.name("wanted")
    lines = [f"{name} = {w.test(guard)}"]
    if w.rng.random() < 0.5 and not w.in_loop:
        w.before += lines
        lines = []
    return [*lines, f"if {name}:", *indented(f"{target} = {w.draw()}")]


def set_flag(w: Writer, guard: Condition, target: str) -> list[str]:
    name = w.name("wanted")
    return [
        *(f"{name} = False", f"if {w.test(guard)}:", *indented(f"{name} = True")),
        *(f"if {name}:", *indented(f"{target} = {w.draw()}")),
    ]


def nested(w: Writer, guard: Condition, target: str) -> list[str]:
    return [f"if {w.flag()}:", *indented(*plain(w, guard, target))]


def nested_inside(w: Writer, guard: Condition, target: str) -> list[str]:
    return [
        f"if {w.test(guard)}:",
        *indented(f"if {w.flag()}:", *indented(f"{target} = {w.draw()}"), "else:", *indented(f"{target} = {w.draw()}")),
    ]


def conjunction(w: Writer, guard: Condition, target: str) -> list[str]:
    return [f"if {w.flag()} and ({w.test(guard)}):", *indented(f"{target} = {w.draw()}")]


def elif_arm(w: Writer, guard: Condition, target: str) -> list[str]:
    return [
        *(f"if not {w.flag()}:", *indented("scale = 2.0")),
        *(f"elif {w.test(guard)}:", *indented(f"{target} = {w.draw()}")),
        *("else:", *indented("scale = 3.0")),
    ]


def matched(w: Writer, guard: Condition, target: str) -> list[str]:
    pattern = f"case {guard.pattern}:" if guard.pattern else f"case _ if {w.test(guard)}:"
    lines = [pattern, *indented(f"{target} = {w.draw()}"), "case _:", *indented("scale = 2.0")]
    return [f"match {w.place.subject}:", *indented(*lines)]


def while_once(w: Writer, guard: Condition, target: str) -> list[str]:
    return [f"while {w.test(guard)}:", *indented(f"{target} = {w.draw()}", "break")]


def loop_break(w: Writer, guard: Condition, target: str) -> list[str]:
    leave = w.rng.choice(["break", "continue"])
    turns = w.rng.choice(["range(1)", "(0,)", "range(3)"])
    body = [f"if not ({w.test(guard)}):", *indented(leave), f"{target} = {w.draw()}", "break"]
    return [f"for _ in {turns}:", *indented(*body)]


def callee(w: Writer, guard: Condition, target: str) -> list[str]:
    """Guard in a function that is called with the subject, or with the object that it is part of."""
    name, place = w.name("sample"), w.place
    two = "{y}" in guard.text
    whole = bool(place.owner) and place.owner != "self" and w.rng.random() < 0.5
    given = place.owner if whole else f"{place.subject}, {place.other}" if two else place.subject
    parameters = place.owner if whole else "value, other" if two else "value"
    text = guard.of(place.subject, place.other) if whole else guard.of("value", "other")
    if w.rng.random() < 0.5:
        body = [f"if {text}:", *indented(f"return {w.draw()}"), "return 0.0"]
    else:
        body = [f"if not ({text}):", *indented("return 0.0"), f"return {w.draw()}"]
    w.module += [f"def {name}(key, {parameters}):", *indented(*body), "", ""]
    return [f"{target} = {name}(key, {given})"]


def caller_and_callee(w: Writer, guard: Condition, target: str) -> list[str]:
    return [f"if {w.test(guard)}:", *indented(*callee(w, guard, target))]


def closure(w: Writer, guard: Condition, target: str) -> list[str]:
    name = w.name("draw")
    if w.rng.random() < 0.5:
        body = [f"if {w.test(guard)}:", *indented(f"return {w.draw()}"), "return 0.0"]
    else:
        body = [f"if not ({w.test(guard)}):", *indented("return 0.0"), f"return {w.draw()}"]
    return [f"def {name}():", *indented(*body), f"{target} = {name}()"]


def comprehension(w: Writer, guard: Condition, target: str) -> list[str]:
    return [f"{target} = [{w.draw()} for _ in range(1) if {w.test(guard)}]"]


def try_else(w: Writer, guard: Condition, target: str) -> list[str]:
    return [
        *("try:", *indented("scale = float(2)"), "except ValueError:", *indented("scale = 1.0")),
        *("else:", *indented(*plain(w, guard, target))),
    ]


def try_finally(w: Writer, guard: Condition, target: str) -> list[str]:
    return ["try:", *indented(*plain(w, guard, target)), "finally:", *indented("scale = 2.0")]


def leaves(w: Writer) -> str:
    """Return a statement that leaves the function, or the turn of the loop."""
    able = ["return first", 'raise ValueError("done")', "assert False", 'assert False, "done"']
    return w.rng.choice(able + ["continue", "break"] * 2 * w.in_loop)


def exit_after(w: Writer, guard: Condition, target: str) -> list[str]:
    return [f"if {w.test(guard)}:", *indented(f"{target} = {w.draw()}", leaves(w))]


def exit_before(w: Writer, guard: Condition, target: str) -> list[str]:
    return [f"if not ({w.test(guard)}):", *indented(leaves(w)), f"{target} = {w.draw()}"]


def asserted(w: Writer, guard: Condition, target: str) -> list[str]:
    return [f"assert {w.test(guard)}", f"{target} = {w.draw()}"]


def conditional_exit(w: Writer, guard: Condition, target: str) -> list[str]:
    lines = [f"{target} = {w.draw()}", f"if {w.flag()}:", *indented(leaves(w))]
    return [f"if {w.test(guard)}:", *indented(*lines)]


ANYWHERE: dict[str, tuple[int, Wrapper]] = {
    "if": (8, plain),
    "else": (3, otherwise),
    "conditional expression": (3, expression),
    "and/or": (2, short_circuit),
    "bound flag": (3, bound_flag),
    "set flag": (2, set_flag),
    "under a flag": (2, nested),
    "flag inside": (2, nested_inside),
    "flag and": (2, conjunction),
    "elif": (2, elif_arm),
    "match": (4, matched),
    "while": (1, while_once),
    "loop with break": (2, loop_break),
    "callee": (4, callee),
    "caller and callee": (1, caller_and_callee),
    "closure": (2, closure),
    "comprehension": (1, comprehension),
    "try/else": (1, try_else),
    "try/finally": (1, try_finally),
}
FIRST: dict[str, tuple[int, Wrapper]] = {"exit after": (3, exit_after), "conditional exit": (2, conditional_exit)}
LAST: dict[str, tuple[int, Wrapper]] = {"exit before": (4, exit_before), "assert": (2, asserted)}


def chosen(rng: Random, *tables: dict[str, tuple[int, Wrapper]]) -> tuple[str, Wrapper]:
    able = [(name, weight, wrapper) for table in tables for name, (weight, wrapper) in table.items()]
    name, _, wrapper = rng.choices(able, [weight for _, weight, _ in able])[0]
    return name, wrapper


def chain(w: Writer, one: Condition, other: Condition) -> list[str]:
    """Arms of one chain that leave a variable ``None``, or not, and a test of that."""
    arms = [w.rng.choice([f"first = {w.draw()}", "first = None", "first = 1.0", "raise ValueError"]) for _ in range(2)]
    arms.insert(w.rng.randrange(3), f"first = {w.draw()}")
    tests = [f"if {w.test(one)}:", f"elif {w.test(other)}:", "else:"]
    lines = [line for head, arm in zip(tests, arms, strict=True) for line in (head, *indented(arm))]
    end = w.rng.choice(["if first is None:", "if first is None:", "if first is not None:", "if first == 1.0:"])
    return [*lines, end, *indented(f"second = {w.draw()}")]


def optional(w: Writer, one: Condition, other: Condition) -> list[str]:
    """A value that is ``None`` under a guard, and a test of that."""
    draws = [w.draw(), "None"]
    w.rng.shuffle(draws)
    end = w.rng.choice(["if first is None:", "if first is not None:", "if first is None and flag:"])
    if "flag" in end:
        w.flag()
    return [f"first = {draws[0]} if {w.test(one)} else {draws[1]}", end, *indented(f"second = {w.draw()}")]


def between(w: Writer, sort: str) -> tuple[str, list[str]]:
    """Return what happens between the two uses: nothing much, or the subject is bound again."""
    kind = w.rng.randrange(100)
    if kind < 80:
        return "", []
    if kind < 92 or sort not in REBOUND or w.place.loop or w.place.subject == "self.x":
        return "", ["offset = 1.0"]
    value = w.rng.choice(SORTS[sort].inputs)
    lines = [f"{w.place.subject} = {value}"]
    return "bound again", lines if w.rng.random() < 0.5 else [f"if {w.flag()}:", *indented(*lines)]


def arranged(w: Writer, sort: str, one: Condition, other: Condition) -> tuple[tuple[str, ...], list[str]]:
    """Return the statements with the two uses, and the name of their arrangement."""
    kind = w.rng.randrange(100)
    if kind < 6:
        return ("chain",), chain(w, one, other)
    if kind < 10:
        return ("optional value",), optional(w, one, other)
    first, wrap_first = chosen(w.rng, ANYWHERE, FIRST)
    second, wrap_second = chosen(w.rng, ANYWHERE, LAST)
    begin = wrap_first(w, one, "first")
    rebound, middle = between(w, sort)
    names = (first, rebound, second) if rebound else (first, second)
    return names, [*begin, *middle, *wrap_second(w, other, "second")]


def guarded_pair(rng: Random, guards: Random, *, excluding: bool) -> Draft | None:
    """Write a program of two guarded uses.

    Args:
        rng: decides on everything but the guards.
        guards: decides on those.
        excluding: whether the guards are to exclude each other.
    """
    name = rng.choice(list(SORTS))
    sort = SORTS[name]
    drawn = pair(guards, name, excluding=excluding)
    if drawn is None:
        return None
    at, place = rng.choice(list(places(sort, name).items()))
    w = Writer(rng, place)
    shape, body = arranged(w, name, *drawn)
    if rng.random() < 0.06:
        extra = condition(guards, sort)
        body = [f"if {w.test(extra)}:", *indented(*body)]
        shape = (*shape, "inside a third guard")
    source = assembled(w, sort, body)
    flags = ("True", "False") if w.flagged else ("",)

    def given(values: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(
            place.argument.format(x=x, y=y) + (f", {flag}" if flag else "")
            for x in values
            for y in (sort.others or ("None",))
            for flag in flags
        )

    odd = given(sort.odd)
    forms = tuple(sorted((drawn[0].form, drawn[1].form)))
    return Draft(source, given(sort.inputs), forms, (at, *shape), name, odd)


def assembled(w: Writer, sort: Sort, body: list[str]) -> str:
    """Return the program."""
    place = w.place
    result = ["return first, second"]
    start = ["first = second = 0.0", *w.before]
    if place.loop:
        bind = f"key = {w.call('fold_in')}(root, i)"
        start = [*w.before, "first = second = 0.0", place.loop, *indented(bind, *body)]
        body = []
    names = ["root" if place.loop else "key", place.parameters, *(["flag"] if w.flagged else [])]
    lines = [*start, *body, *result]
    if place.subject == "self.x":
        inner = ["self", "key", *(["flag"] if w.flagged else [])]
        given = ", ".join(inner[1:])
        model = ["class Model:", *indented("def __init__(self, x):", *indented("self.x = x"), "")]
        model += indented(f"def draw({', '.join(inner)}):", *indented(*lines))
        main = [*model, "", "", f"def main({', '.join(names)}):", *indented(f"return Model(x).draw({given})")]
    else:
        main = [f"def main({', '.join(names)}):", *indented(*lines)]
    imports = "\n".join(dict.fromkeys(line for text in (sort.imports, w.imports) for line in text.splitlines()))
    parts = [imports, sort.declarations, "\n".join(w.module).strip(), "\n".join(main)]
    return "\n\n\n".join(part for part in parts if part) + "\n"
