"""Random key programs: short, valid, and in the forms that people write.

``main`` gets a key and a few opaque arguments: truth values ``p``, ``q`` and ``r``. How often a loop of unknown length
runs is read from ``input()``, each time anew. All that the program does with keys it does with ``jax.random`` and with
what it defines itself, so that every call is known.

The writer keeps track of what each variable holds, so that a program runs whatever the opaque arguments are: what is
bound in a branch or loop is out of scope after it, and a variable from outside keeps its kind when it is bound again.

What the key flow does not look at by design is left out: inside a function, how long its parameters are (so that two
loops over one of them take as many turns) and under which condition it was defined; functions without any word that
has to do with keys; loops of ``jax.lax`` for other than two turns; conditions on a loop's counter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import IntEnum
from random import Random
from typing import Any, TypeAlias

from hypothesis import strategies as st

__all__ = ["Kind", "Layer", "Program", "programs", "write"]


class Layer(IntEnum):
    """What a program is made of; each layer has all before it."""

    STRAIGHT = 0
    BRANCHES = 1
    LOOPS = 2
    HELPERS = 3
    STATE = 4
    TRANSFORMS = 5


# What a variable holds: "key", ("array", length), ("grid", rows, columns), ("tuple", kinds), ("list", length),
# ("dict", names), "state", "flag" for an opaque truth value, "value" for a number.
Kind: TypeAlias = "str | tuple[Any, ...]"


@dataclass(frozen=True)
class Program:
    """A program.

    Attributes:
        source: its text.
        layer: what it is made of.
        entries: the functions of the module, each with the kinds of its parameters; all of them are looked at by
            themselves, as the key flow does, whatever ``main`` hands to them.
    """

    source: str
    layer: Layer
    entries: dict[str, list[Kind]]


KEY_NAMES = ["key", "rng", "k", "sub", "subkey", "k1", "k2", "a", "b", "seed_key", "noise", "left", "x", "rng_key"]
ARRAY_NAMES = ["keys", "ks", "subkeys", "rngs", "lanes", "key", "children"]
OTHER_NAMES = ["pair", "state", "bundle", "box", "parts", "named", "rngs", "key"]
# A function that says nothing of keys by any word in it is not followed; with these names each of them does.
PARAMETERS = ["key", "rng", "subkey", "rng_key", "key1"]
ARRAY_PARAMETERS = ["keys", "rngs", "subkeys"]
SAMPLERS = ["normal", "uniform", "gumbel", "exponential", "bits"]
FUNCTIONS = ["key", "PRNGKey", "split", "fold_in", "clone", *SAMPLERS]
# How a program imports the functions: the statements, and how one of them is called.
STYLES: list[tuple[str, str]] = [
    ("import jax", "jax.random.{}"),
    ("import jax\nfrom jax import random", "random.{}"),
    ("import jax\nimport jax.random as jr", "jr.{}"),
    ("import jax\nfrom jax import random as jrandom", "jrandom.{}"),
    ("import jax\nfrom jax.random import " + ", ".join(f"{name} as j_{name}" for name in FUNCTIONS), "j_{}"),
]


@dataclass
class Helper:
    """A function of the program: the kinds of its parameters, of its result, and whether it is a generator of calls."""

    name: str
    takes: list[Kind]
    gives: Kind | None


@dataclass
class Scope:
    """The variables in reach, innermost block last; a function does not bind those of the functions around it."""

    blocks: list[dict[str, Kind]] = field(default_factory=lambda: [{}])
    outer: frozenset[str] = frozenset()

    def visible(self) -> dict[str, Kind]:
        """Return each variable with its kind."""
        return {name: kind for block in self.blocks for name, kind in block.items()}


class Writer:
    """Writes one program."""

    def __init__(self, rng: Random, layer: Layer) -> None:
        self.rng = rng
        self.layer = layer
        self.lines: list[str] = []
        self.depth = 0
        self.scope = Scope()
        self.helpers: list[Helper] = []
        self.imports, self.spelling = rng.choice(STYLES)
        self.loops = 0  # loops around the present place
        self.inner = 0  # functions around it, inside the outermost
        self.arguments: set[str] = set()
        self.flags = ["p", "q", "r"]  # the truth values in reach
        self.gives: Kind | None = None  # what the present function returns
        self.numbers = 0
        self.budget = 0

    # text

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    @contextmanager
    def indented(self) -> Iterator[None]:
        """Write a block whose variables are its own."""
        self.depth += 1
        self.scope.blocks.append({})
        yield
        self.scope.blocks.pop()
        self.depth -= 1

    def jax(self, name: str) -> str:
        return self.spelling.format(name)

    def chance(self, percent: int) -> bool:
        """Say yes in so many of a hundred cases; what is simplest to read should be the answer no."""
        return self.rng.randrange(100) >= 100 - percent

    # variables

    def named(self, *wanted: str) -> list[tuple[str, Kind]]:
        """Return the variables of some kinds."""
        return [
            (name, kind)
            for name, kind in self.scope.visible().items()
            if (kind if isinstance(kind, str) else kind[0]) in wanted
        ]

    def sequences(self) -> list[tuple[str, Kind]]:
        """Return what a loop can go over; the key flow follows two turns where it does not know how many there are."""
        known = not self.inner
        return [(n, k) for n, k in self.named("array", "list") if known or (k[1] == 2 and not self.loops)]

    def target(self, kind: Kind, pool: list[str], but: tuple[str, ...] = ()) -> str:
        """Return a variable to bind and note what it holds: a new one, or one in scope, of its kind in a block."""
        visible, innermost = self.scope.visible(), self.scope.blocks[-1]
        able = [
            name
            for name in pool
            if name not in but
            and name not in self.scope.outer
            and (name not in visible or visible[name] == kind or name in innermost)
        ]
        if not able:
            self.numbers += 1
            able = [f"{pool[0]}_{self.numbers}"]
        name = self.rng.choice(able)
        holder = next((block for block in reversed(self.scope.blocks) if name in block), innermost)
        holder[name] = kind
        return name

    # expressions

    def key(self, depth: int = 0) -> str:
        """Write an expression that gives one key."""
        forms: list[Callable[[], str | None]] = [self.variable] * 6
        forms += [self.part] * 4
        if depth < 2:
            forms += [lambda: self.folded(depth)] * 2
            forms += [lambda: f"{self.jax('clone')}({self.key(depth + 1)})"]
            forms += [lambda: f"{self.jax('split')}({self.key(depth + 1)})[{self.rng.choice([0, 1, -1])}]"]
            if self.layer >= Layer.BRANCHES and self.flags:
                forms += [lambda: f"({self.key(depth + 1)} if {self.condition()} else {self.key(depth + 1)})"]
            if self.layer >= Layer.HELPERS:
                forms += [lambda: self.called("key", depth)] * 2
        for _ in range(4):
            found = self.rng.choice(forms)()
            if found is not None:
                return found
        return self.variable() or f"{self.jax('key')}({self.rng.randrange(3)})"

    def variable(self) -> str | None:
        names = [name for name, _ in self.named("key")]
        return self.rng.choice(names) if names else None

    def part(self) -> str | None:
        """Write an element of a container or array, or an attribute."""
        holders = self.named("array", "grid", "tuple", "list", "dict", "state")
        if not holders:
            return None
        name, kind = self.rng.choice(holders)
        if kind == "state":
            return f"{name}.key"
        if kind[0] == "dict":
            return f"{name}[{self.rng.choice(kind[1])!r}]"
        if kind[0] == "tuple":
            able = [i for i, part in enumerate(kind[1]) if part == "key"]
            return f"{name}[{self.rng.choice(able)}]" if able else None
        if kind[0] == "grid":
            row, column = self.rng.randrange(kind[1]), self.rng.randrange(kind[2])
            return self.rng.choice([f"{name}[{row}, {column}]", f"{name}[{row}][{column}]"])
        index = self.rng.randrange(kind[1])
        # a function does not know how long its parameters are
        return f"{name}[{index - kind[1] if not self.inner and self.chance(25) else index}]"

    def folded(self, depth: int) -> str:
        return f"{self.jax('fold_in')}({self.key(depth + 1)}, {self.rng.choice([0, 1, 2, 7, 11, 42])})"

    def condition(self) -> str:
        """Write a condition of opaque truth values; the same ones come again, so that places are correlated."""
        one, two = self.rng.choice(self.flags), self.rng.choice(self.flags)
        self.arguments |= {one}
        form = self.rng.randrange(10)
        if form < 6:
            return one
        if form < 8:
            return f"not {one}"
        self.arguments |= {two}
        return f"{one} and {two}" if form == 8 else f"{one} or {two}"

    def sample(self, key: str | None = None) -> str:
        return f"{self.jax(self.rng.choice(SAMPLERS))}({self.key() if key is None else key})"

    def called(self, gives: Kind | None, depth: int = 0) -> str | None:
        """Write a call of a helper that gives something of this kind (``None``: any)."""
        able = [helper for helper in self.helpers if helper.gives == gives or gives is None]
        if not able:
            return None
        helper = self.rng.choice(able)
        arguments = [self.argument(kind, depth) for kind in helper.takes]
        return None if None in arguments else f"{helper.name}({', '.join(a for a in arguments if a is not None)})"

    def argument(self, kind: Kind, depth: int) -> str | None:
        if kind == "key":
            return self.key(depth + 1)
        if kind == "flag":
            return self.condition() if self.flags and self.chance(70) else self.rng.choice(["True", "False"])
        names = [name for name, held in self.scope.visible().items() if held == kind]
        return self.rng.choice(names) if names else None

    # statements

    def block(self, statements: int) -> None:
        """Write some statements."""
        for _ in range(statements):
            self.statement()

    def statement(self) -> None:
        """Write one statement of a form that the layer has."""
        self.budget -= 1
        forms: list[Callable[[], None]] = [self.draw] * 6
        forms += [self.split] * 5 + [self.array] * 2 + [self.derive] * 3 + [self.contain] * 2 + [self.take_apart]
        nested = self.depth < 4 and self.budget > 0
        if self.layer >= Layer.BRANCHES and nested and self.flags:
            forms += [self.branch] * 3 + [self.guard]
        if self.layer >= Layer.LOOPS and nested and self.loops < 2:
            forms += [self.loop] * 4 + [self.comprehension] * 2
        if self.layer >= Layer.LOOPS and self.loops and self.flags and self.chance(30):
            forms += [self.leave] * 3
        if self.layer >= Layer.HELPERS:
            forms += [self.call] * 4
            if nested and self.inner < 1:
                forms += [self.closure]
        if self.layer >= Layer.STATE:
            forms += [self.keep] * 3
        if self.layer >= Layer.TRANSFORMS and self.inner < 1 and nested:
            forms += [self.scan] * 2 + [self.conditional] + [self.lanes]
        self.rng.choice(forms)()

    def draw(self) -> None:
        self.line(self.rng.choice(["", "", "value = "]) + self.sample())

    def split(self) -> None:
        """Unpack a split, most often so that the key is replaced."""
        parent = self.variable()
        key = parent if parent is not None and self.chance(80) else self.key()
        count = self.rng.choice([2, 2, 2, 3, 4])
        call = f"{self.jax('split')}({key}{'' if count == 2 and self.chance(70) else f', {count}'})"
        if count > 2 and self.chance(30):
            name = self.target("key", KEY_NAMES)
            rest = self.target(("list", count - 1), ARRAY_NAMES, (name,))
            self.line(f"{name}, *{rest} = {call}")
            return
        names: list[str] = []
        if parent is not None and key == parent and parent not in self.scope.outer and self.chance(60):
            names.append(parent)
        while len(names) < count:
            names.append(self.target("key", KEY_NAMES, tuple(names)))
        self.line(f"{', '.join(names)} = {call}")

    def array(self) -> None:
        """Keep a split, or a slice of one."""
        arrays = self.named("array")
        if arrays and self.chance(30):
            name, kind = self.rng.choice(arrays)
            lower = self.rng.randrange(kind[1])
            upper = self.rng.randrange(lower + 1, kind[1] + 1)
            text = f"{name}[{lower or ''}:{'' if upper == kind[1] else upper}]"
            self.line(f"{self.target(('array', upper - lower), ARRAY_NAMES)} = {text}")
        elif self.chance(15):
            rows, columns = self.rng.choice([(2, 2), (2, 3)])
            text = f"{self.jax('split')}({self.key()}, ({rows}, {columns}))"
            self.line(f"{self.target(('grid', rows, columns), ARRAY_NAMES)} = {text}")
        else:
            count = self.rng.choice([2, 3, 4])
            text = f"{self.jax('split')}({self.key()}, {count})"
            self.line(f"{self.target(('array', count), ARRAY_NAMES)} = {text}")

    def derive(self) -> None:
        """Bind a key: an alias, a derived key, a new seed."""
        if self.chance(8):
            text = f"{self.jax(self.rng.choice(['key', 'PRNGKey']))}({self.rng.randrange(4)})"
        else:
            text = self.key()
        self.line(f"{self.target('key', KEY_NAMES)} = {text}")

    def contain(self) -> None:
        """Build a container of keys, or write to one."""
        holders = self.named("dict", "list")
        form = self.rng.randrange(5)
        if form == 4 and holders:
            name, kind = self.rng.choice(holders)
            index = repr(self.rng.choice(kind[1])) if kind[0] == "dict" else self.rng.randrange(kind[1])
            self.line(f"{name}[{index}] = {self.key()}")
            return
        one, two = self.key(), self.key()
        if form == 0:
            self.line(f"{self.target(('tuple', ('key', 'key')), OTHER_NAMES)} = ({one}, {two})")
        elif form == 1:
            self.line(f"{self.target(('tuple', ('value', 'key')), OTHER_NAMES)} = (0.0, {one})")
        elif form == 2:
            self.line(f"{self.target(('list', 2), OTHER_NAMES)} = [{one}, {two}]")
        else:
            text = f'{{"params": {one}, "dropout": {two}}}'
            self.line(f"{self.target(('dict', ('params', 'dropout')), OTHER_NAMES)} = {text}")

    def take_apart(self) -> None:
        """Unpack a container."""
        holders = [(name, kind) for name, kind in self.named("tuple", "list", "array") if _length(kind) <= 4]
        if not holders:
            return self.draw()
        name, kind = self.rng.choice(holders)
        targets: list[str] = []
        for index in range(_length(kind)):
            is_key = kind[0] != "tuple" or kind[1][index] == "key"
            targets.append(self.target("key", KEY_NAMES, tuple(targets)) if is_key else "_")
        self.line(f"{', '.join(targets)}{',' if len(targets) == 1 else ''} = {name}")

    def suite(self, limit: int = 3) -> None:
        """Write the body of a branch or loop."""
        with self.indented():
            self.block(1 + self.rng.randrange(limit))

    def branch(self) -> None:
        self.line(f"if {self.condition()}:")
        self.suite()
        if self.chance(25):
            self.line(f"elif {self.condition()}:")
            self.suite()
        if self.chance(50):
            self.line("else:")
            self.suite()

    def guard(self) -> None:
        """Return early."""
        self.line(f"if {self.condition()}:")
        with self.indented():
            if self.chance(50):
                self.statement()
            self.line(f"return {self.given(self.gives)}")

    def leave(self) -> None:
        """Leave a loop or a turn of it."""
        self.line(f"if {self.condition()}:")
        with self.indented():
            if self.chance(40):
                self.statement()
            self.line(self.rng.choice(["continue", "break"]))

    def loop(self) -> None:
        """Write a loop over a count, keys, or while a counter lasts."""
        arrays = self.sequences()
        form = self.rng.randrange(6) if arrays else self.rng.randrange(3)
        with self.looping():
            if form < 2:
                self.counted()
            elif form == 2:
                self.counting()
            else:
                self.over(arrays, form)
        if self.chance(15):
            self.line("else:")
            self.suite(2)

    @contextmanager
    def looping(self) -> Iterator[None]:
        self.loops += 1
        yield
        self.loops -= 1

    def counted(self) -> None:
        counter = f"i{self.depth}"
        if self.chance(60):
            self.line(f"for {counter} in range(int(input())):")
        else:
            self.line(f"for {counter} in range({self.rng.choice([2, 3])}):")
        with self.indented():
            if self.chance(35):
                text = f"{self.jax('fold_in')}({self.key()}, {counter})"
                self.line(f"{self.target('key', KEY_NAMES)} = {text}")
            self.block(1 + self.rng.randrange(3))

    def counting(self) -> None:
        counter = f"count{self.depth}"
        self.line(f"{counter} = int(input())")
        self.line(f"while {counter} > 0:")
        with self.indented():
            self.line(f"{counter} -= 1")
            self.block(1 + self.rng.randrange(3))

    def over(self, arrays: list[tuple[str, Kind]], form: int) -> None:
        name, kind = self.rng.choice(arrays)
        self.scope.blocks.append({})
        if form == 3:
            head = f"for {self.target('key', KEY_NAMES)} in {name}:"
        elif form == 4:
            head = f"for i{self.depth}, {self.target('key', KEY_NAMES)} in enumerate({name}):"
        else:
            one = self.target("key", KEY_NAMES)
            two = self.target("key", KEY_NAMES, (one,))
            other = self.rng.choice([n for n, k in arrays if k == kind])
            head = f"for {one}, {two} in zip({name}, {other}):"
        self.line(head)
        self.suite()
        self.scope.blocks.pop()

    def comprehension(self) -> None:
        arrays = self.sequences()
        form = self.rng.randrange(4) if arrays else self.rng.randrange(2)
        if form == 0:
            self.line(f"values = [{self.sample()} for _ in range(int(input()))]")
        elif form == 1:
            text = f"{self.jax('fold_in')}({self.key(1)}, i)"
            if self.chance(50):
                self.line(f"values = [{self.sample(text)} for i in range(3)]")
            else:
                self.line(f"{self.target(('list', 3), ARRAY_NAMES)} = [{text} for i in range(3)]")
        else:
            name, kind = self.rng.choice(arrays)
            variable = self.rng.choice(["k", "key", "sub"])
            if form == 2:
                self.line(f"values = [{self.sample(variable)} for {variable} in {name}]")
            else:
                text = self.rng.choice([f"{self.jax('clone')}({variable})", f"{self.jax('split')}({variable})[1]"])
                target = self.target(("list", kind[1]), ARRAY_NAMES)
                self.line(f"{target} = [{text} for {variable} in {name}]")

    # functions

    def call(self) -> None:
        """Call a helper and keep what it gives."""
        if not self.helpers:
            return self.draw()
        helper = self.rng.choice(self.helpers)
        arguments = [self.argument(kind, 0) for kind in helper.takes]
        if None in arguments:
            return self.draw()
        text = f"{helper.name}({', '.join(a for a in arguments if a is not None)})"
        if helper.gives is None:
            self.line(text)
        elif helper.gives == "key":
            self.line(f"{self.target('key', KEY_NAMES)} = {text}")
        elif helper.gives[0] == "tuple":
            targets: list[str] = []
            for kind in helper.gives[1]:
                targets.append(self.target("key", KEY_NAMES, tuple(targets)) if kind == "key" else "_")
            self.line(f"{', '.join(targets)} = {text}")
        else:
            self.line(f"{self.target(helper.gives, ARRAY_NAMES)} = {text}")

    def function(self, name: str, takes: list[Kind], gives: Kind | None) -> None:
        """Write a function; its parameters and what it binds are out of reach afterwards."""
        parameters: list[str] = []
        for kind in takes:
            pool = ["p", "q"] if kind == "flag" else PARAMETERS if kind == "key" else ARRAY_PARAMETERS
            parameters.append(self.rng.choice([n for n in pool if n not in parameters]))
        self.line(f"def {name}({', '.join(parameters)}):")
        held = dict(zip(parameters, takes, strict=True))
        around = {n: k for n, k in self.scope.visible().items() if n not in held} if self.depth else {}
        with self.inside(Scope([around, {n: k for n, k in held.items() if k != "flag"}], frozenset(around))):
            flags = [n for n, kind in held.items() if kind == "flag"]
            self.flags, self.gives = flags, gives  # a function does not know under which condition it is defined
            self.budget = min(self.budget, 3)
            self.block(self.rng.randrange(4))
            self.line(f"return {self.given(gives)}")

    @contextmanager
    def inside(self, scope: Scope) -> Iterator[None]:
        """Write the body of a function."""
        outer = self.scope, self.loops, self.inner, self.budget, self.flags, self.gives
        self.scope, self.loops, self.inner = scope, 0, self.inner + 1
        self.depth += 1
        yield
        self.depth -= 1
        self.scope, self.loops, self.inner, self.budget, self.flags, self.gives = outer

    def given(self, gives: Kind | None) -> str:
        if gives is None:
            return self.sample()
        if gives == "key":
            return self.key(1)
        if gives[0] == "tuple":
            return ", ".join(self.key(1) if kind == "key" else self.sample() for kind in gives[1])
        return f"{self.jax('split')}({self.key(1)}, {gives[1]})"

    def helper(self, number: int) -> None:
        """Write a function of the module."""
        takes = self.rng.choice([["key"], ["key"], ["key", "key"], [("array", 2)], ["key", "flag"], [("list", 2)]])
        gives = self.rng.choice(
            [None, None, "key", ("tuple", ("value", "key")), ("tuple", ("key", "key")), ("array", 2)]
        )
        name = self.rng.choice(["noise", "init", "advance", "layer", "pick", "draw"]) + str(number)
        self.budget = 3
        layer, self.layer = self.layer, min(self.layer, Layer.HELPERS)
        self.function(name, list(takes), gives)
        self.layer = layer
        self.line("")
        self.line("")
        self.helpers.append(Helper(name, list(takes), gives))

    def closure(self) -> None:
        """Write a function inside of a function, and most often call it."""
        self.numbers += 1
        name = f"inner{self.numbers}"
        takes: list[Kind] = ["key"] if self.chance(50) else []
        if self.chance(50):
            self.function(name, takes, None)
        elif self.chance(50):
            self.line(f"{name} = lambda k: {self.sample('k')}")
            takes = ["key"]
        else:
            self.line(f"{name} = functools.partial({self.jax(self.rng.choice(SAMPLERS))}, {self.key()})")
            takes = []
        for _ in range(self.rng.choice([1, 1, 2])):
            self.line(f"{name}({', '.join(self.key() for _ in takes)})")

    # state

    def keep(self) -> None:
        """Make an object that keeps a key, or use one."""
        states = [name for name, _ in self.named("state")]
        if not states or self.chance(25):
            text = f"Stream({self.key()})"
            self.line(f"{self.target('state', OTHER_NAMES)} = {text}")
            return
        name = self.rng.choice(states)
        form = self.rng.randrange(6)
        if form == 0:
            self.line(f"{name}.key = {self.key()}")
        elif form == 1:
            self.line(f"{name}.key, {self.target('key', KEY_NAMES)} = {self.jax('split')}({name}.key)")
        elif form == 2:
            self.line(self.sample(f"{name}.key"))
        elif form == 3:
            self.line(f"{name}.draw()")
        elif form == 4:
            self.line(f"{self.target('key', KEY_NAMES)} = {name}.next()")
        else:
            self.line(f"{name}.peek()")

    def stream(self) -> None:
        """Write the class."""
        self.lines += [
            "class Stream:",
            "    def __init__(self, key):",
            "        self.key = key",
            "",
            "    def next(self):",
            f"        self.key, sub = {self.jax('split')}(self.key)",
            "        return sub",
            "",
            "    def draw(self):",
            f"        return {self.sample('self.next()')}",
            "",
            "    def peek(self):",
            f"        return {self.sample('self.key')}",
            "",
            "",
        ]

    # transformations

    def scan(self) -> None:
        """Write a loop of ``jax.lax``."""
        self.numbers += 1
        name, form = f"step{self.numbers}", self.rng.randrange(3)
        start = self.key()
        self.line(f"def {name}({'carry, _' if form < 2 else 'i, carry'}):")
        around = self.scope.visible()
        with self.inside(Scope([around, {"carry": "key"}], frozenset(around))):
            self.flags = []
            for _ in range(1 + self.rng.randrange(2)):
                self.rng.choice([self.draw, self.split])()
            carried = self.key(1)
            self.line(f"return {carried}, 0.0" if form < 2 else f"return {carried}")
        target = self.target("key", KEY_NAMES)
        if form < 2:
            self.line(f"{target}, _ = jax.lax.scan({name}, {start}, None, length=2)")
        else:
            self.line(f"{target} = jax.lax.fori_loop(0, 2, {name}, {start})")

    def conditional(self) -> None:
        """Write ``jax.lax.cond``."""
        true, false = self.sample("k"), self.sample("k")
        if not self.flags:
            return self.draw()
        if ("bits" in true) != ("bits" in false):  # both branches have to give numbers of one type
            true, false = true.replace("bits", "normal"), false.replace("bits", "normal")
        self.line(f"jax.lax.cond({self.condition()}, lambda k: {true}, lambda k: {false}, {self.key()})")

    def lanes(self) -> None:
        """Map a sampler over a key array."""
        arrays = self.named("array")
        if not arrays:
            return self.array()
        function = self.rng.choice([self.jax("normal"), f"lambda k: {self.sample('k')}"])
        self.line(f"jax.vmap({function})({self.rng.choice(arrays)[0]})")

    # the whole

    def program(self) -> Program:
        """Write all of it."""
        if self.layer >= Layer.STATE:
            self.stream()
        if self.layer >= Layer.HELPERS:
            for number in range(1 + self.rng.randrange(3)):
                self.helper(number)
        head, self.lines = self.lines, []
        self.arguments = set()
        self.scope = Scope([{"key": "key"}])
        self.depth, self.budget, self.flags = 1, 14, ["p", "q", "r"]
        self.block(2 + self.rng.randrange(6))
        used = [name for name in "pqr" if name in self.arguments]
        imports = self.imports if self.layer < Layer.HELPERS else f"import functools\n\n{self.imports}"
        source = [imports, "", "", *head, f"def main({', '.join(['key', *used])}):", *self.lines]
        entries: dict[str, list[Kind]] = {helper.name: helper.takes for helper in self.helpers}
        entries["main"] = ["key", *("flag" for _ in used)]
        return Program("\n".join(source) + "\n", self.layer, entries)


def _length(kind: Kind) -> int:
    return len(kind[1]) if kind[0] == "tuple" else int(kind[1])


def write(rng: Random, layer: Layer) -> Program:
    """Return a random program of a layer."""
    return Writer(rng, layer).program()


def programs(layer: Layer) -> st.SearchStrategy[Program]:
    """Return the strategy of programs of a layer."""
    return st.randoms(use_true_random=False).map(lambda rng: write(rng, layer))
