"""Programs in which what was drawn, or what was stored, decides whether a key is consumed again.

Each writer draws from ways that are right and ways that are not; execution tells which one a program is.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from random import Random
from typing import TypeVar

from .shapes import SAMPLERS, Draft, spelled

__all__ = ["stateful"]

LISTS = ("[]", "[1]", "[1, 2]", "[0, 1, 2]", "[None, 1]", "[0, 1, 2, 3]", "[4, 3, 2, 1, 0]")
T = TypeVar("T")
COUNTS = ("0", "1", "2", "3", "4")


class Words:
    """The words that a program is put together of."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.imports, self.call = spelled(rng)
        self.shape: list[str] = []

    def draw(self, key: str) -> str:
        return f"{self.call(self.rng.choice(SAMPLERS))}({key})"

    def pick(self, *named: tuple[str, str]) -> str:
        """Return one of several texts and note its name."""
        name, text = self.rng.choice(named)
        self.shape.append(name)
        return text

    def pick_of(self, named: Mapping[str, T]) -> T:
        """Return one of several things by name and note its name."""
        name = self.rng.choice(list(named))
        self.shape.append(name)
        return named[name]

    def draft(self, form: str, parts: list[str], arguments: tuple[str, ...], imports: str = "") -> Draft:
        head = "\n".join(line for line in (imports, self.imports) if line)
        source = "\n\n\n".join([head, *(textwrap.dedent(part).strip("\n") for part in parts)]) + "\n"
        return Draft(source, arguments, (form,), tuple(self.shape))


def filled(template: str, **words: str) -> str:
    """Put words into a template in place of ``<name>``; a word of several lines keeps the indentation."""
    lines = []
    for line in textwrap.dedent(template).strip("\n").splitlines():
        indent = line[: len(line) - len(line.lstrip())]
        for name, word in words.items():
            line = line.replace(f"<{name}>", word.replace("\n", "\n" + indent))
        lines.append(line)
    return "\n".join(line for line in "\n".join(lines).splitlines() if line.strip() != "-")


def lazy(w: Words) -> Draft:
    """A method that draws at its first call."""
    draw = w.draw("self.key")
    body = w.pick(
        ("stored", f"if self.value is None:\n    self.value = {draw}\nreturn self.value"),
        (
            "stored, early return",
            f"if self.value is not None:\n    return self.value\nself.value = {draw}\nreturn self.value",
        ),
        ("flag", f"if not self.ready:\n    self.value = {draw}\n    self.ready = True\nreturn self.value"),
        ("cache", f'if "value" not in self.cache:\n    self.cache["value"] = {draw}\nreturn self.cache["value"]'),
        ("hasattr", f'if not hasattr(self, "drawn"):\n    self.drawn = {draw}\nreturn self.drawn'),
        ("not stored", f"if self.value is None:\n    value = {draw}\n    return value\nreturn self.value"),
        ("other attribute", f"if self.value is None:\n    self.cached = {draw}\nreturn self.value"),
        ("flag not set", f"if not self.ready:\n    self.value = {draw}\nreturn self.value"),
        (
            "cache under another name",
            f'if "value" not in self.cache:\n    self.cache["other"] = {draw}\nreturn self.cache',
        ),
    )
    calls = w.pick(
        ("twice", "one = sampler.value_of()\ntwo = sampler.value_of()\nreturn one, two"),
        ("loop", "values = []\nfor _ in range(n):\n    values.append(sampler.value_of())\nreturn values"),
        ("by a method", "return sampler.both()"),
        (
            "forgotten between",
            "one = sampler.value_of()\nsampler.value = None\ntwo = sampler.value_of()\nreturn one, two",
        ),
        (
            "two objects",
            "one = sampler.value_of()\ntwo = Sampler(other)\nreturn one, sampler.value_of(), two.value_of()",
        ),
    )
    guard = w.pick(("", ""), ("", ""), ("second under a flag", "if n > 1:\n    sampler.value_of()"))
    module = """
        class Sampler:
            def __init__(self, key):
                self.key = key
                self.value = None
                self.ready = False
                self.cache = {}

            def value_of(self):
                <body>

            <both>
    """
    main = """
        def main(key, n):
            key, other = <split>(key)
            sampler = Sampler(key)
            <guard>
            <calls>
    """
    split = w.call("split")
    both = "def both(self):\n    return self.value_of(), self.value_of()" if "by a method" in w.shape else "-"
    parts = [filled(module, body=body, both=both), filled(main, calls=calls, split=split, guard=guard or "-")]
    return w.draft("lazy attribute", parts, COUNTS)


def lazy_local(w: Words) -> Draft:
    """A variable that a loop draws once."""
    draw = w.draw("key")
    start, body = w.pick(
        ("None", f"value = None;if value is None:\n    value = {draw}"),
        ("None, else", f"value = None;if value is not None:\n    total += 1.0\nelse:\n    value = {draw}"),
        ("done", f"done = False;if not done:\n    total = {draw}\n    done = True"),
        ("done, continue", f"done = False;if done:\n    continue\ntotal = {draw}\ndone = True"),
        ("left", f"left = 1;if left > 0:\n    total = {draw}\n    left -= 1"),
        ("break", f"value = None;total = {draw}\nbreak"),
        ("guard", f"value = None;if value is None and x is not None:\n    value = {draw}"),
        ("in a dict", f'cache = {{}};if "value" not in cache:\n    cache["value"] = {draw}'),
        ("forgotten", f"value = None;if value is None:\n    value = {draw}\nvalue = None"),
        ("another variable", f"value = None;if value is None:\n    other = {draw}\n    total = other"),
        ("inverse", f"value = 0.0;if value is not None:\n    value = {draw}"),
        ("another test", f"value = None;if x is not None:\n    value = {draw}"),
        ("done not set", f"done = False;if not done:\n    total = {draw}"),
        ("left not counted", f"left = 1;if left > 0:\n    total = {draw}"),
    ).split(";", 1)
    loop = w.pick(
        ("for", "for x in xs:"), ("enumerate", "for i, x in enumerate(xs):"), ("range", "for x in range(len(xs)):")
    )
    main = """
        def main(key, xs):
            total = 0.0
            <start>
            <loop>
                <body>
            return total
    """
    return w.draft("drawn once in a loop", [filled(main, start=start, loop=loop, body=body)], LISTS)


def index(w: Words) -> Draft:
    """Uses in chosen turns of a loop."""
    head, given = w.rng.choice(
        [
            ("for i in range(n):", COUNTS),
            ("for i in range(n):", COUNTS),
            ("n = len(xs)\nfor i in range(len(xs)):", LISTS),
            ("n = len(xs)\nfor i, x in enumerate(xs):", LISTS),
            ("n = 3\nfor i in range(3):", ("None",)),
            ("n = len(xs)\nfor i, x in enumerate(xs, 0):", LISTS),
        ]
    )
    parameter = "xs" if given is LISTS else "n" if given is COUNTS else "config"
    tests = [
        *("i == n - 1", "i == 0", "not i", "i < 1", "i > n - 2", "i == 2", "i + 1 == n", "i >= n - 1", "0 == i"),
        *("i != 0", "i > 0", "i < n - 1", "i != n - 1", "i >= 0", "i % 2 == 0", "i < 2", "i", "i < n"),
    ]
    one, other = w.rng.choice(tests), w.rng.choice(tests)
    form = f"turn: {one}"
    after = w.pick(
        ("one use", "-"),
        ("one use, break", "-"),
        ("second use", f"if {other}:\n    second = {w.draw('key')}"),
        ("use after the loop", "-"),
        ("elif", f"elif {other}:\n    second = {w.draw('key')}"),
        ("folded otherwise", f"else:\n    second = {w.draw(w.call('fold_in') + '(key, i)')}"),
    )
    last = f"second = {w.draw('key')}" if "use after the loop" in w.shape else "-"
    leave = "break" if "one use, break" in w.shape else "-"
    template = """
        def main(key, <parameter>):
            first = second = 0.0
            <head>
                if <one>:
                    first = <draw>
                    <leave>
                <after>
            <last>
            return first, second
    """
    source = filled(
        template, parameter=parameter, head=head, one=one, draw=w.draw("key"), leave=leave, after=after, last=last
    )
    return w.draft(form, [source], given)


RECORDS = {
    "dataclass": (
        "import dataclasses\nfrom typing import Any",
        "@dataclasses.dataclass(frozen=True)\nclass State:\n    key: Any\n    step: int = 0\n    limit: Any = None",
        "dataclasses.replace(<state>, <changes>)",
    ),
    "dataclass, replace imported": (
        "from dataclasses import dataclass, replace\nfrom typing import Any",
        "@dataclass\nclass State:\n    key: Any\n    step: int = 0\n    limit: Any = None",
        "replace(<state>, <changes>)",
    ),
    "named tuple": (
        "from typing import Any, NamedTuple",
        "class State(NamedTuple):\n    key: Any\n    step: int = 0\n    limit: Any = None",
        "<state>._replace(<changes>)",
    ),
    "own method": (
        "import dataclasses\nfrom typing import Any",
        "@dataclasses.dataclass(frozen=True)\nclass State:\n    key: Any\n    step: int = 0\n    limit: Any = None\n\n"
        "    def replace(self, **changes):\n        return dataclasses.replace(self, **changes)",
        "<state>.replace(<changes>)",
    ),
}


def records(w: Words) -> Draft:
    """A record whose key is replaced, and then other fields of it."""
    kind = w.rng.choice(list(RECORDS))
    w.shape.append(kind)
    imports, declared, form = RECORDS[kind]

    def replaced(state: str, changes: str) -> str:
        return form.replace("<state>", state).replace("<changes>", changes)

    step = [f"key, sub = {w.call('split')}(state.key)"]
    way = w.rng.choice(
        ["both", "both", "both", "at once", "first forgotten", "of the old one", "not stored", "other key"]
    )
    w.shape.append(way)
    guard = w.rng.choice(
        ["", "", "if state.limit is None:\n    raise ValueError", "if state.step > 2:\n    return state"]
    )
    stored = replaced("state", f"key={'sub' if way == 'other key' else 'key'}")
    if way == "at once":
        step += [f"state = {replaced('state', 'key=key, step=state.step + 1')}"]
    elif way == "of the old one":
        step += [f"new = {stored}", f"state = {replaced('state', 'step=new.step + 1')}"]
    else:
        keep = {"not stored": stored, "first forgotten": f"other = {stored}"}.get(way, f"state = {stored}")
        step += [keep, *([guard] if guard else []), f"state = {replaced('state', 'step=state.step + 1')}"]
    if guard:
        w.shape.append("guard between")
    step.insert(w.rng.choice([1, len(step)]), w.draw("sub"))
    where = w.rng.choice(["straight", "helper", "loop"])
    w.shape.append(where)
    lines = "\n".join(step)
    parts = [declared]
    if where == "helper":
        parts += [filled("def advance(state):\n    <lines>\n    return state", lines=lines)]
        body = "state = advance(state)\nstate = advance(state)\nreturn state.step"
    elif where == "loop":
        inner = "\n".join("    " + line for line in lines.splitlines())
        body = f"for _ in range(n):\n{inner}\nreturn state.step"
    else:
        body = f"{lines}\n{w.draw('state.key')}\nreturn state.step"
    parts += [filled("def main(key, n):\n    state = State(key, 0, n)\n    <body>", body=body)]
    return w.draft("record", parts, (*COUNTS, "None"), imports)


def cached(w: Words) -> Draft:
    """A property that is computed once, or each time."""
    decorator = w.pick(
        ("cached_property", "@functools.cached_property"),
        ("cached_property", "@functools.cached_property"),
        ("property", "@property"),
        ("cache", "@property\n@functools.lru_cache"),
    )
    use = w.pick(
        ("twice", "one = model.noise\ntwo = model.noise\nreturn one, two"),
        ("loop", "return [model.noise for _ in range(n)]"),
        ("under a guard", "if n > 0:\n    model.noise\nif n > 1:\n    model.noise\nreturn n"),
    )
    module = """
        class Model:
            def __init__(self, key):
                self.key = key

            <decorator>
            def noise(self):
                return <draw>
    """
    main = """
        def main(key, n):
            model = Model(key)
            <use>
    """
    parts = [filled(module, decorator=decorator, draw=w.draw("self.key")), filled(main, use=use)]
    return w.draft("cached property", parts, COUNTS, "import functools")


def updated(w: Words) -> Draft:
    """A function that writes to what it is given, between two uses."""
    split = w.call("split")
    draw = w.draw
    kind, declared, make, key = w.rng.choice(
        [
            (
                "object",
                "class State:\n    def __init__(self, key):\n        self.rng = key\n        self.step = 0",
                "State(key)",
                "state.rng",
            ),
            ("dict", "", '{"rng": key, "step": 0}', 'state["rng"]'),
        ]
    )
    w.shape.append(kind)
    step = key.replace("rng", "step")
    update = w.pick(
        ("new key", f"{key}, other = {split}({w.call('fold_in')}({key}, 1))"),
        ("new key at some steps", f"if n > 1:\n    {key} = {w.call('fold_in')}({key}, 1)"),
        ("other field", f"{step} = {step} + 1"),
        ("rebound name", f"state = {{}}\n{step} = 1" if kind == "dict" else "state = None"),
        ("key of its own", f"key = {w.call('fold_in')}({key}, 1)"),
    )
    twice = w.pick(
        ("straight", f"{draw(key)}\nupdate(state, n)\n{draw(key)}"),
        ("guarded", f"if n > 0:\n    {draw(key)}\n    update(state, n)\nif n > 2:\n    {draw(key)}"),
        ("loop", f"for _ in range(n):\n    {draw(key)}\n    update(state, n)"),
    )
    parts = [declared] if declared else []
    parts += [filled("def update(state, n):\n    <update>", update=update)]
    parts += [filled(f"def main(key, n):\n    state = {make}\n    <twice>\n    return {step}", twice=twice)]
    return w.draft("updated by a function", parts, COUNTS)


def carried(w: Words) -> Draft:
    """A step that updates its dictionary or list in place and returns it."""
    split = w.call("split")
    key, make = w.rng.choice([('c["key"]', '{"key": key, "total": 0.0}'), ("c[0]", "[key, 0.0]")])
    body = w.pick(
        ("written", f"{key}, sub = {split}({key})\n{w.draw('sub')}\nreturn c"),
        ("written in two steps", f"new, sub = {split}({key})\n{key} = new\n{w.draw('sub')}\nreturn c"),
        ("written under a guard", f"new, sub = {split}({key})\nif n > 1:\n    {key} = new\n{w.draw('sub')}\nreturn c"),
        ("not written", f"new, sub = {split}({key})\n{w.draw('sub')}\nreturn c"),
    )
    use = w.pick(
        ("twice", "c = step(c, n)\nc = step(c, n)"),
        ("not bound", "step(c, n)\nstep(c, n)"),
        ("loop", "for _ in range(n):\n    c = step(c, n)"),
    )
    parts = [filled("def step(c, n):\n    <body>", body=body)]
    parts += [filled(f"def main(key, n):\n    c = {make}\n    <use>\n    return c", use=use)]
    return w.draft("carried in place", parts, COUNTS)


WRITERS: tuple[Callable[[Words], Draft], ...] = (lazy, lazy_local, index, index, records, cached, updated, carried)


def stateful(rng: Random) -> Draft:
    """Write a program whose state decides."""
    return rng.choice(WRITERS)(Words(rng))
