"""State that changes out of sight, between two uses of it: ``python -m tests.generated.hidden COUNT SEED [--trace]``.

For each seed there is a pair of programs. In the *correct* one, what is drawn from changes in a way that is not an
assignment to a name: by an attribute's name in a string, by a counter in a closure, by a special method, in a module
that no analysis sees. In the *wrong* one nothing changes, or something else does. An execution decides which is which.

Nothing may be certain of a correct program, and no tier may confirm any two places of it; of a wrong program no tier
may refute two places that get one key.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random

from olympus.verdicts import Question

from .guarded import TIERS, Guarded, Wrong, by_function, by_witness, found, is_correct, is_twin, runs, smallest, wrong
from .questions import of_something
from .states import COUNTS, Words, filled

__all__ = ["KINDS", "refuted", "right_and_wrong"]


@dataclass
class Holder:
    """What is drawn from, and how.

    Attributes:
        use: an expression that draws once.
        make: statements of ``main`` before the first use.
        name: the variable of ``main`` that the expression reads; empty if it only reads names of the module.
        parts: definitions of the module.
        imports: further imports.
        elsewhere: the source of a module out of reach.
    """

    use: str
    make: str = "-"
    name: str = ""
    parts: list[str] = field(default_factory=list)
    imports: str = ""
    elsewhere: str = ""


# an attribute, written by its name

WRITES = {
    "setattr": 'setattr(<s>, "<name>", <value>)',
    "setattr, name in a variable": 'name = "<name>"\nsetattr(<s>, name, <value>)',
    "setattr in a loop": 'for name in ["<name>"]:\n    setattr(<s>, name, <value>)',
    "setattr of a helper": 'put(<s>, "<name>", <value>)',
    "assignment of a helper": "put_<name>(<s>, <value>)",
    "assignment": "<s>.<name> = <value>",
}
FROZEN_WRITES = {
    "object.__setattr__": 'object.__setattr__(<s>, "<name>", <value>)',
    "super().__setattr__": 'super(type(<s>), <s>).__setattr__("<name>", <value>)',
    "__dict__ item": '<s>.__dict__["<name>"] = <value>',
    "vars item": 'vars(<s>)["<name>"] = <value>',
    "__dict__ in a variable": 'held = <s>.__dict__\nheld["<name>"] = <value>',
    "__dict__ update": '<s>.__dict__.update({"<name>": <value>})',
    "__dict__ update by a keyword": "<s>.__dict__.update(<name>=<value>)",
    "vars update": "vars(<s>).update(<name>=<value>)",
    "vars update, dictionary": 'new = {"<name>": <value>}\nvars(<s>).update(**new)',
    "vars or-update": 'held = vars(<s>)\nheld |= {"<name>": <value>}',
    "operator.setitem": 'operator.setitem(vars(<s>), "<name>", <value>)',
}
HELPERS = """
    def put(target, name, value):
        setattr(target, name, value)


    def put_rng(target, value):
        target.rng = value


    def put_other(target, value):
        target.other = value
"""
PLAIN = """
    class Stream:
        <shared>
        def __init__(self, key):
            self.rng = key
            self.other = key

        <method>
"""
FROZEN = """
    @dataclass(frozen=True)
    class Stream:
        <shared>
        rng: Any
        other: Any = None

        <method>
"""
ACCESSES = {
    "method": ("def draw(self):", "self", "<s>.draw()"),
    "property": ("@property\ndef noise(self):", "self", "<s>.noise"),
    "__call__": ("def __call__(self):", "self", "<s>()"),
    "__getitem__": ("def __getitem__(self, name):", "self", '<s>["noise"]'),
    "__getattr__": ("def __getattr__(self, name):", "self", "<s>.noise"),
    "__next__": ("def __next__(self):", "self", "next(<s>)"),
    "descriptor": ("def __get__(self, owner, kind):", "owner", "<s>.noise"),
    "class method of the stream": ("@classmethod\ndef of(cls, stream):", "stream", "Stream.of(<s>)"),
}


def by_name(w: Words, right: bool) -> Holder:
    """An object whose key is an attribute that is written by its name, whenever something is drawn."""
    frozen = w.rng.random() < 0.3
    writes = FROZEN_WRITES if frozen else {**WRITES, **FROZEN_WRITES}
    write = writes[w.pick(*((name, name) for name in writes))]
    head, receiver, use = ACCESSES[w.pick(*((name, name) for name in ACCESSES))]
    if not right and w.rng.random() < 0.3:
        write = "-"
    target = "rng" if right else "other"
    split, fold_in = w.call("split"), w.call("fold_in")
    step = w.pick(
        ("split", f"key, sub = {split}({receiver}.rng)\n<write>\nreturn sub"),
        ("folded", f"sub = {receiver}.rng\nkey = {fold_in}(sub, 1)\n<write>\nreturn {fold_in}(sub, 2)"),
    )
    write = write.replace("<s>", receiver).replace("<name>", target).replace("<value>", "key")
    body = filled(step, write=write)
    inside = w.rng.random() < 0.4
    if inside:  # what is returned is drawn, no key
        w.shape.append("drawn inside")
        *lines, last = body.splitlines()
        body = "\n".join([*lines, f"return {w.draw(last.removeprefix('return '))}"])
    method = filled(f"{head}\n    <body>", body=body)
    shared = "-"
    parts = [HELPERS] if "put" in write else []
    if receiver == "owner":
        parts += [filled("class Noise:\n    <method>", method=method)]
        shared, method = "noise = Noise()", "-"
    parts += [filled(FROZEN if frozen else PLAIN, shared=shared, method=method)]
    imports = "import operator\nfrom dataclasses import dataclass\nfrom typing import Any"
    return Holder(use if inside else w.draw(use), "<s> = Stream(key)", "<s>", parts, imports)


# counters that are folded in


def counter(w: Words, right: bool) -> Holder:
    """A function of ``main`` that counts its calls in a variable of ``main``, or in a cell."""
    fold_in = w.call("fold_in")
    cells = {
        "nonlocal": ("count = 0", "nonlocal count\ncount += 1", "count", "other = 1"),
        "list cell": ("count = [0]", "count[0] += 1", "count[0]", "count[0] = 1"),
        "dict cell": ('count = {"n": 0}', 'count["n"] += 1', 'count["n"]', 'count["other"] = 1'),
        "operator.setitem": ("count = [0]", "operator.setitem(count, 0, count[0] + 1)", "count[0]", "count[0] + 1"),
        "length": ("count = []", "count.append(0)", "len(count)", "other = [*count, 0]"),
        "next": ("count = iter(range(99))", "number = next(count)", "number", "number = 0"),
        "itertools": ("count = itertools.count()", "number = next(count)", "number", "number = 0"),
        "object": ("count = SimpleNamespace(n=0)", "count.n += 1", "count.n", "count.other = 1"),
        "setattr": ("count = SimpleNamespace(n=0)", 'setattr(count, "n", count.n + 1)', "count.n", "count.other = 1"),
        "vars": ("count = SimpleNamespace(n=0)", "vars(count).update(n=count.n + 1)", "count.n", "count.other = 1"),
    }
    make, step, value, idle = w.pick_of(cells)
    order = w.rng.choice(["before", "after"]) if step.startswith(("count", "setattr", "vars", "operator")) else "before"
    drawn = w.draw(f"{fold_in}(key, {value})")
    lines = [step if right else idle, f"return {drawn}"]
    if order == "after":
        lines = [f"value = {drawn}", step if right else idle, "return value"]
    body = "\n".join(lines)
    imports = "import itertools\nimport operator\nfrom types import SimpleNamespace"
    if w.rng.random() < 0.5:
        draw = filled("<make>\n\ndef <s>():\n    <body>", make=make, body=body)
        return Holder("<s>()", draw, "<s>", imports=imports)
    w.shape.append("made by a function")
    maker = filled(
        "def make(key):\n    <make>\n\n    def draw():\n        <body>\n\n    return draw", make=make, body=body
    )
    return Holder("<s>()", "<s> = make(key)", "<s>", [maker], imports)


def counted_method(w: Words, right: bool) -> Holder:
    """A method that folds in a number that the object keeps: a counter, or the length of what it has drawn."""
    fold_in = w.call("fold_in")
    make, value, step, idle = w.pick_of(
        {
            "counter": ("0", "self.count", "self.count += 1", "self.other += 1"),
            "setattr": ("0", "self.count", 'setattr(self, "count", self.count + 1)', 'setattr(self, "other", 1)'),
            "__dict__": ("0", "self.count", 'self.__dict__["count"] += 1', 'self.__dict__["other"] += 1'),
            "length": ("[]", "len(self.count)", "self.count.append(value)", "value = value"),
            "length, list replaced": ("[]", "len(self.count)", "self.count = [*self.count, value]", "value = value"),
            "length of a dictionary": ("{}", "len(self.count)", "self.count[len(self.count)] = value", "value = value"),
            "list cell": ("[0]", "self.count[0]", "self.count[0] += 1", "self.other += 1"),
            "counter of the class": ("0", "self.count", "type(self).count += 1", "type(self).other += 1"),
        }
    )
    own = "-" if "of the class" in w.shape[-1] else f"self.count = {make}"
    cls = """
        class Stream:
            count = 0
            other = 0

            def __init__(self, key):
                self.key = key
                <own>

            def draw(self):
                value = <drawn>
                <step>
                return value
    """
    drawn = w.draw(f"{fold_in}(self.key, {value})")
    part = filled(cls, own=own, drawn=drawn, step=step if right else idle)
    return Holder("<s>.draw()", "<s> = Stream(key)", "<s>", [part])


# containers and the module


def container(w: Words, right: bool) -> Holder:
    """A dictionary or list whose key is replaced, by a call."""
    split = w.call("split")
    make, item, writes = w.pick_of(
        {
            "dict": (
                '{"rng": key, "other": key}',
                '"<name>"',
                {
                    "operator.setitem": "operator.setitem(<s>, <i>, key)",
                    "setitem imported": "setitem(<s>, <i>, key)",
                    "__setitem__": "<s>.__setitem__(<i>, key)",
                    "dict.__setitem__": "dict.__setitem__(<s>, <i>, key)",
                    "update": "<s>.update({<i>: key})",
                    "or-update": "<s> |= {<i>: key}",
                    "pop and set": "<s>.pop(<i>)\n<s>.setdefault(<i>, key)",
                    "item in a variable": "place = <i>\n<s>[place] = key",
                },
            ),
            "list": (
                "[key, key]",
                "<number>",
                {
                    "operator.setitem": "operator.setitem(<s>, <i>, key)",
                    "__setitem__": "<s>.__setitem__(<i>, key)",
                    "list.__setitem__": "list.__setitem__(<s>, <i>, key)",
                    "slice": "<s>[<i>:<i> + 1] = [key]",
                    "pop and insert": "<s>.pop(<i>)\n<s>.insert(<i>, key)",
                    "item in a variable": "place = <i>\n<s>[place] = key",
                },
            ),
        }
    )
    write = w.pick_of(writes)

    def at(name: str, number: int) -> str:
        return item.replace("<name>", name).replace("<number>", str(number))

    write = write.replace("<i>", at("rng", 0) if right else at("other", 1)).replace("<s>", "state")
    read = f"state[{at('rng', 0)}]"
    body = f"key, sub = {split}({read})\n{write}\nreturn {w.draw('sub')}"
    part = filled("def draw(state):\n    <body>", body=body)
    return Holder("draw(<s>)", f"<s> = {make}", "<s>", [part], "import operator\nfrom operator import setitem")


def module_level(w: Words, right: bool) -> Holder:
    """A variable of the module, which a function rebinds by its name."""
    split = w.call("split")
    write = w.pick_of(
        {
            "globals": 'globals()["<name>"] = new',
            "globals update": "globals().update(<name>=new)",
            "globals update, dictionary": 'globals().update({"<name>": new})',
            "globals in a variable": 'scope = globals()\nscope["<name>"] = new',
            "name in a variable": 'name = "<name>"\nglobals()[name] = new',
            "operator.setitem": 'operator.setitem(globals(), "<name>", new)',
            "global": "<name> = new",
            "list": "<name>_cell[0] = new",
        }
    )
    write = write.replace("<name>", "stream" if right else "other")
    read = "stream_cell[0]" if "cell" in write else "stream"
    declared = "global stream, other\n" if w.shape[-1] == "global" else ""
    body = f"{declared}new, sub = {split}({read})\n{write}\nreturn {w.draw('sub')}"
    seeded = f"stream = {w.call('key')}(0)\nother = {w.call('key')}(1)\nstream_cell, other_cell = [stream], [other]"
    return Holder("draw()", parts=[seeded, filled("def draw():\n    <body>", body=body)], imports="import operator")


# what no analysis of the file sees

BASE = """
    class Base:
        def __init__(self, key):
            self.kept = key

        @property
        def rng(self):
            <body>

        @rng.setter
        def rng(self, key):
            self.kept = key
"""
MAKE = "\n\n\ndef make(key):\n    return Base(key)\n"


def unknown_object(w: Words, right: bool) -> Holder:
    """An attribute of an object, or of a class with a base, that comes from a module out of reach."""
    body = "import jax\nself.kept, sub = jax.random.split(self.kept)\nreturn sub" if right else "return self.kept"
    elsewhere = filled(BASE, body=body) + MAKE
    where = w.pick_of(
        {
            "made by a call": ("from elsewhere import make", "-", "<s> = make(key)", w.draw("<s>.rng")),
            "of a class out of reach": ("from elsewhere import Base", "-", "<s> = Base(key)", w.draw("<s>.rng")),
            "by getattr": ("from elsewhere import make", "-", "<s> = make(key)", w.draw('getattr(<s>, "rng")')),
            "unknown base": (
                "from elsewhere import Base",
                f"class Stream(Base):\n    def draw(self):\n        return {w.draw('self.rng')}",
                "<s> = Stream(key)",
                "<s>.draw()",
            ),
            "unknown base, set": (
                "from elsewhere import Base",
                "class Stream(Base):\n    def __init__(self, key):\n        self.rng = key\n\n"
                f"    def draw(self):\n        return {w.draw('self.rng')}",
                "<s> = Stream(key)",
                "<s>.draw()",
            ),
            "unknown base, from outside": (
                "from elsewhere import Base",
                "class Stream(Base):\n    pass",
                "<s> = Stream(key)",
                w.draw("<s>.rng"),
            ),
        }
    )
    imports, part, make, use = where
    if w.rng.random() < 0.3 and ".rng)" in use:
        w.shape.append("folded")
        use = use.replace("<s>.rng)", f"{w.call('fold_in')}(<s>.rng, 1))")
    return Holder(use, make, "<s>", [] if part == "-" else [part], imports, elsewhere)


KINDS: tuple[Callable[[Words, bool], Holder], ...] = (
    by_name,
    by_name,
    by_name,
    counter,
    counted_method,
    container,
    module_level,
    unknown_object,
)


# where it is used


def twice(w: Words, holder: Holder) -> tuple[list[str], str]:
    """Return definitions that use a holder, and statements of ``main`` that use it twice."""
    use = holder.use.replace("<s>", "stream_of" if holder.name else "")
    parameter = "stream_of" if holder.name else ""
    argument = "s" if holder.name else ""
    here = holder.use.replace("<s>", "s")
    places = {
        "straight": ([], f"one = {here}\ntwo = {here}\nreturn one, two"),
        "one expression": ([], f"return {here} + {here}"),
        "loop": ([], f"total = 0.0\nfor _ in range(n):\n    total += {here}\nreturn total"),
        "while": ([], f"i, total = 0, 0.0\nwhile i < n:\n    total += {here}\n    i += 1\nreturn total"),
        "comprehension": ([], f"return [{here} for _ in range(n)]"),
        "guards": ([], f"if n > 0:\n    {here}\nif n > 1:\n    {here}\nreturn n"),
        "lambda": ([], f"draw_one = lambda: {here}\nreturn draw_one() + draw_one()"),
        "inner function": ([], f"def once():\n    return {here}\n\nreturn once(), once()"),
        "helper": (
            [f"def once({parameter}):\n    return {use}"],
            f"return once({argument}) + once({argument})",
        ),
        "helper that does both": (
            [f"def both({parameter}):\n    one = {use}\n    return one + {use}"],
            f"return both({argument})",
        ),
        "two helpers": (
            [f"def one({parameter}):\n    return {use}", f"def two({parameter}):\n    return {use}"],
            f"return one({argument}) + two({argument})",
        ),
        "helper in a loop": (
            [f"def once({parameter}):\n    return {use}"],
            f"total = 0.0\nfor _ in range(n):\n    total += once({argument})\nreturn total",
        ),
    }
    if holder.name:
        owned = holder.use.replace("<s>", "self.stream_of")
        user = filled(
            "class User:\n    def __init__(self, stream_of):\n        self.stream_of = stream_of\n\n"
            "    def one(self):\n        return <use>\n\n    def both(self):\n        return self.one() + <use>",
            use=owned,
        )
        places["other methods"] = ([user], "user = User(s)\nreturn user.one() + user.one() + user.both()")
        places["attribute of an object"] = ([user], "user = User(s)\nreturn user.both()")
    return w.pick_of(places)


def ending(w: Words, right: bool) -> tuple[list[str], str, str, str]:
    """Return definitions, statements, imports and a module out of reach: one use is followed by a call that raises."""
    raising = "raise ValueError(message)" if right else "message = len(message)"
    guarded = "if message:\n    raise ValueError(message)\nraise TypeError" if right else "if message:\n    pass"
    imports, parts, call = w.pick_of(
        {
            "function": ("", ["def fail(message):\n    <raising>"], 'fail("no")'),
            "branches": ("", ["def fail(message):\n    <guarded>"], 'fail("no")'),
            "two levels": (
                "",
                ["def deep(message):\n    <raising>", "def fail(message):\n    deep(message)"],
                'fail("no")',
            ),
            "method": ("", ["class Guard:\n    def fail(self, message):\n        <raising>"], 'Guard().fail("no")'),
            "static method": (
                "",
                ["class Guard:\n    @staticmethod\n    def fail(message):\n        <raising>"],
                'Guard.fail("no")',
            ),
            "finally": (
                "",
                ["def fail(message):\n    try:\n        <raising>\n    finally:\n        message = None"],
                'fail("no")',
            ),
            "condition": ("", ["def fail(wanted):\n    if wanted:\n        <condition>"], "fail(True)"),
            "out of reach": ("from elsewhere import fail", [], 'fail("no")'),
            "method of an object out of reach": ("from elsewhere import guard", [], 'guard.fail("no")'),
        }
    )
    condition = "raise ValueError" if right else "pass"
    parts = [filled(part, raising=raising, guarded=guarded, condition=condition) for part in parts]
    elsewhere = filled(
        "def fail(message):\n    <raising>\n\n\nclass Guard:\n    def fail(self, message):\n"
        "        <raising>\n\n\nguard = Guard()",
        raising=raising,
    )
    one, two = w.draw("key"), w.draw("key")
    body = w.pick_of(
        {
            "arm": f"if n > 1:\n    {one}\n    {call}\nreturn {two}",
            "else": f"if n < 2:\n    total = 0.0\nelse:\n    total = {one}\n    {call}\nreturn total + {two}",
            "in a loop": f"for i in range(n):\n    if i > 0:\n        {one}\n        {call}\nreturn {two}",
            "match": f"match n:\n    case 2:\n        {one}\n        {call}\nreturn {two}",
            "deep": f"if n > 1:\n    if n > 2:\n        {one}\n        {call}\n    n = 0\nreturn {two}",
        }
    )
    return parts, body, imports, elsewhere if imports else ""


def written(seed: str, *, right: bool) -> Guarded:
    """Write one program of a pair, which may not be what it is meant to be."""
    w = Words(Random(seed))
    if w.rng.random() < 0.15:
        parts, body, imports, elsewhere = ending(w, right)
        form = "ending"
    else:
        kind = w.rng.choice(KINDS)
        form = kind.__name__
        holder = kind(w, right)
        uses, body = twice(w, holder)
        parts, imports, elsewhere = [*holder.parts, *uses], holder.imports, holder.elsewhere
        body = f"{holder.make.replace('<s>', 's')}\n{body}"
    main = filled("def main(key, n):\n    <body>", body=body)
    draft = w.draft(form, [*parts, main], COUNTS, imports)
    return Guarded(draft.source, draft, elsewhere=elsewhere)


@lru_cache(maxsize=512)  # several tests ask for the same ones
def right_and_wrong(seed: str) -> tuple[Guarded, Guarded]:
    """Write a pair of programs: the first draws from each key once, the second draws from one twice."""
    for attempt in itertools.count():
        pair = [written(f"{seed} {attempt}", right=right) for right in (True, False)]
        if is_correct(pair[0]) and is_twin(pair[1]):
            return pair[0], pair[1]
    raise AssertionError


def refuted(program: Guarded, tiers: Sequence[str] = TIERS) -> list[Wrong]:
    """Return for which places of a wrong program that get one key a tier says that they do not."""
    questions: list[Question] = of_something([run for run in runs(program) if run.twice and not run.odd])  # type: ignore[misc]
    found = []
    for tier in tiers:
        verdicts = by_witness(program, questions) if tier == "witness" else by_function(program, questions)
        for question, verdict in zip(questions, verdicts, strict=True):
            if verdict.status == "refuted":
                found.append(Wrong(tier, question.code, f"{question.other} and {question.place}: {verdict}"))
    return found


# the command


def compare(seed: str, kinds: Counter[str], shown: Counter[tuple[str, ...]], *, trace: bool, show: int) -> None:
    """Compare both programs of a seed, and print a small one for each new sort of failure."""
    right, wrong_one = right_and_wrong(seed)
    form = right.draft.forms[0]
    kinds[f"{form}: pairs"] += 1
    kinds[f"{form}: wrong, {found(wrong_one) or 'missed'}"] += 1
    for one in {one.kind: one for one in wrong(right, TIERS if trace else ())}.values():
        kinds[f"{form}: correct, {one.kind}"] += 1
        sort = (one.kind, one.code, form, *right.draft.shape[:2])
        shown[sort] += 1
        if shown[sort] <= show and one.kind != "likely":
            small, own = smallest(right, one.kind, one.code)
            print(f"\n# {seed} correct, {one.kind} {right.draft.shape}\n# {own[:2]}\n{small.source}", flush=True)
    for one in refuted(wrong_one) if trace else ():
        kinds[f"{form}: wrong, refuted by {one.kind}"] += 1
        sort = ("refuted", one.kind, form, *wrong_one.draft.shape[:2])
        shown[sort] += 1
        if shown[sort] <= show:
            print(f"\n# {seed} wrong, refuted {wrong_one.draft.shape}\n# {one}\n{wrong_one.source}", flush=True)


def main() -> int:
    """Print counts, and a small program for each sort of failure."""
    parser = argparse.ArgumentParser(prog="python -m tests.generated.hidden", description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=300)
    parser.add_argument("seed", type=int, nargs="?", default=0, help="the first one")
    parser.add_argument("--trace", action="store_true", help="ask the witness and the traced function as well")
    parser.add_argument("--show", type=int, default=1, help="programs shown of each sort of failure")
    given = parser.parse_args()
    began, kinds, shown = time.perf_counter(), Counter[str](), Counter[tuple[str, ...]]()
    for seed in range(given.seed, given.seed + given.count):
        try:
            compare(str(seed), kinds, shown, trace=given.trace, show=given.show)
        except Exception as error:
            kinds["error"] += 1
            print(f"\n# {seed}: {error!r}", flush=True)
    print()
    for name, count in sorted(kinds.items()):
        print(f"{count:8} {name}")
    print(f"{time.perf_counter() - began:8.0f} s")
    bad = ("correct, certain", "correct, witness", "correct, function", "refuted by", "error")
    return 1 if any(part in name for name in kinds for part in bad) else 0


if __name__ == "__main__":
    sys.exit(main())
