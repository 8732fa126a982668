"""State that changes out of sight between two uses: what is written by a name, computed by a read, or never reached.

A right program gets no finding that is likely; its wrong twin gets a certain one. Where nothing shows which of the two
a program is, its finding is likely.
"""

from __future__ import annotations

import textwrap

import pytest

from olympus_rules.check import check
from olympus_rules.finding import Confidence
from olympus_rules.keyflow.domain.decisions import Decisions
from olympus_rules.keyflow.interpret import named
from olympus_rules.syntax import Document


def said(source: str) -> str:
    """Return how sure the surest reuse in a text is, empty without any that is likely."""
    checked = check(Document("program.py", textwrap.dedent(source)), min_confidence=Confidence.LIKELY)
    assert not checked.errors
    found = [report.finding for report in checked.reports if report.finding.code in ("OLY104", "OLY108")]
    found = [each for each in found if "each time the function is called" not in each.message]  # of the stale attribute
    return max((each.confidence for each in found), default=Confidence.POSSIBLE).label if found else ""


# a write by a name

WRITES = [
    'setattr(self, "{}", key)',
    'name = "{}"\n        setattr(self, name, key)',
    'for name in ["{}"]:\n            setattr(self, name, key)',
    'object.__setattr__(self, "{}", key)',
    'super().__setattr__("{}", key)',
    'super(Stream, self).__setattr__("{}", key)',
    'self.__setattr__("{}", key)',
    'self.__dict__["{}"] = key',
    'self.__dict__.update({{"{}": key}})',
    "self.__dict__.update({}=key)",
    'self.__dict__ |= {{"{}": key}}',
    'vars(self)["{}"] = key',
    "vars(self).update({}=key)",
    'new = {{"{}": key}}\n        vars(self).update(**new)',
    'held = vars(self)\n        held["{}"] = key',
    'operator.setitem(vars(self), "{}", key)',
    'dict.__setitem__(vars(self), "{}", key)',
    'put(vars(self), "{}", key)',
]
STREAM = """
import operator
import jax

def put(target, name, key):
    target[name] = key

class Stream:
    def __init__(self, key):
        self.rng = key

    def draw(self):
        key, sub = jax.random.split(self.rng)
        {write}
        return jax.random.normal(sub)

def main(key):
    stream = Stream(key)
    return stream.draw() + stream.draw()
"""


@pytest.mark.parametrize("write", WRITES)
def test_an_attribute_that_is_written_by_its_name(write: str) -> None:
    is_any = "put(" in write  # the function that writes is analysed for all names at once
    assert said(STREAM.format(write=write.format("rng"))) == ""
    assert said(STREAM.format(write=write.format("other"))) == ("" if is_any else "certain")


@pytest.mark.parametrize(
    "write",
    ["setattr(self, self.name, key)", "vars(self).update(self.new)", "fill(self, key)", "super(C, self).set(key)"],
)
def test_a_name_that_is_computed_may_be_any(write: str) -> None:
    fill = "\n\ndef fill(target, key):\n    for name in dir(target):\n        setattr(target, name, key)\n"
    assert said(STREAM.format(write=write) + fill) == ""


CONTAINERS = [
    'operator.setitem(state, "{}", key)',
    'state.__setitem__("{}", key)',
    'dict.__setitem__(state, "{}", key)',
    'state |= {{"{}": key}}',
    'name = "{}"\n    state[name] = key',
]


@pytest.mark.parametrize("write", CONTAINERS)
def test_an_item_that_is_written_by_a_function(write: str) -> None:
    source = """
import operator
import jax

def draw(state):
    key, sub = jax.random.split(state["rng"])
    {write}
    return jax.random.normal(sub)

def main(key):
    state = {{"rng": key, "other": key}}
    return draw(state) + draw(state)
"""
    assert said(source.format(write=write.format("rng"))) == ""
    assert said(source.format(write=write.format("other"))) == "certain"


GLOBALS = [
    'globals()["{}"] = new',
    "globals().update({}=new)",
    'globals().update({{"{}": new}})',
    'scope = globals()\n    scope["{}"] = new',
    'operator.setitem(globals(), "{}", new)',
]
MODULE = """
import operator
import jax

key = jax.random.key(0)
count = 0

def draw(name):
    new, sub = jax.random.split(key)
    {write}
    return jax.random.normal(sub)

def main(name):
    return draw(name) + draw(name)
"""


@pytest.mark.parametrize("write", GLOBALS)
def test_a_variable_of_the_module_that_is_bound_by_its_name(write: str) -> None:
    assert said(MODULE.format(write=write.format("key"))) == ""
    assert said(MODULE.format(write=write.format("other"))) == "certain"


@pytest.mark.parametrize("write", ["global key\n    key = new", *GLOBALS])
@pytest.mark.parametrize("place", ["inside", "around"])
def test_a_variable_of_the_module_that_is_read_by_its_name(write: str, place: str) -> None:
    statement = write.format("key")
    source = MODULE.replace("jax.random.split(key)", 'jax.random.split(globals()["key"])')
    if place == "around":  # both uses stand in the function that writes
        source = source.replace("return jax", 'return jax.random.normal(globals()["key"]) + jax')
    assert said(source.format(write=statement)) == ""
    assert said(source.format(write="pass")) == "certain"


def test_a_variable_of_the_module_that_may_be_bound_by_a_computed_name() -> None:
    assert said(MODULE.format(write="globals()[name] = new")) == "likely"


def test_a_counter_of_the_module_that_is_bound_by_its_name() -> None:
    source = """
import jax

key = jax.random.key(0)
count = 0

def draw():
    globals()["{}"] += 1
    return jax.random.normal(jax.random.fold_in(key, count))

def main():
    return draw() + draw()
"""
    assert said(source.format("count")) == ""
    assert said(source.format("other")) == "certain"


# a counter in a closure

COUNTERS = [
    ("count = 0", "nonlocal count\n        count += 1", "count"),
    ("count = [0]", "count[0] += 1", "count[0]"),
    ("count = [0]", "operator.setitem(count, 0, count[0] + 1)", "count[0]"),
    ('count = {"n": 0}', 'count["n"] += 1', 'count["n"]'),
    ("count = []", "count.append(0)", "len(count)"),
]
USES = [
    "return draw() + draw()",
    "return [draw() for _ in range(3)]",
    "again = lambda: draw()\n    return again() + again()",
    "return both(draw)",
]


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize(("start", "step", "count"), COUNTERS)
def test_a_closure_that_counts_its_calls(start: str, step: str, count: str, use: str) -> None:
    source = f"""
import operator
import jax

def both(draw):
    return draw() + draw()

def make(key):
    {start}

    def draw():
        STEP
        return jax.random.normal(jax.random.fold_in(key, {count}))

    return draw

def main(key):
    draw = make(key)
    {use}
"""
    assert said(source.replace("STEP", step)) == ""
    assert said(source.replace("STEP", "pass")) in ("certain", "likely")


# what a read computes

READS = [
    ("@property\n    def noise(self)", "stream.noise"),
    ("def __getattr__(self, name)", "stream.noise"),
    ("def __getitem__(self, name)", 'stream["noise"]'),
    ("def __call__(self)", "stream()"),
    ("def __next__(self)", "next(stream)"),
]


@pytest.mark.parametrize("place", ["straight", "helper", "annotated"])
@pytest.mark.parametrize(("method", "read"), READS)
def test_a_read_that_advances_a_stream(method: str, read: str, place: str) -> None:
    uses = {
        "straight": f"return jax.random.normal({read}) + jax.random.normal({read})",
        "helper": "return once(stream) + once(stream)",
        "annotated": "return both(stream)",
    }
    source = f"""
import jax

class Stream:
    def __init__(self, key):
        self.key = key

    {method}:
        {{body}}

def once(stream):
    return jax.random.normal({read})

def both(stream: Stream):
    return jax.random.normal({read}) + jax.random.normal({read})

def main(key):
    stream = Stream(key)
    {uses[place]}
"""
    assert said(source.format(body="self.key, sub = jax.random.split(self.key)\n        return sub")) != "certain"
    if place == "straight":
        assert said(source.format(body="return self.key")) == "certain"


def test_a_descriptor_that_advances_a_stream() -> None:
    source = """
import jax

class Noise:
    def __get__(self, owner, kind):
        {body}

class Stream:
    noise = Noise()

    def __init__(self, key):
        self.key = key

def main(key):
    stream = Stream(key)
    return jax.random.normal(stream.noise) + jax.random.normal(stream.noise)
"""
    assert said(source.format(body="owner.key, sub = jax.random.split(owner.key)\n        return sub")) == ""
    assert said(source.format(body="return owner.key")) == "certain"


TWICE = "jax.random.normal({0}) + jax.random.normal({0})"
OBJECTS = [
    ("a parameter", "def main(state):\n    return " + TWICE.format("state.key"), "likely"),
    ("an item of a parameter", "def main(rngs):\n    return " + TWICE.format('rngs["noise"]'), "likely"),
    ("an element of a parameter", "def main(keys):\n    return " + TWICE.format("keys[0]"), "certain"),
    ("the result of a call", "def main():\n    state = make()\n    return " + TWICE.format("state.key"), "likely"),
    (
        "a record",
        "def main(state):\n    x = " + TWICE.format("state.key") + "\n    return state._replace(x=x)",
        "certain",
    ),
    ("folded", "def main(s):\n    return " + TWICE.format("jax.random.fold_in(s.key, 1)"), "likely"),
    ("an annotated record", "def main(state: State):\n    return " + TWICE.format("state.key"), "certain"),
    ("an unknown base", "class A(Base):\n    def f(self):\n        return " + TWICE.format("self.key"), "likely"),
    ("a known base", "class A(nn.Module):\n    def f(self):\n        return " + TWICE.format("self.key"), "certain"),
    ("no base", "class A:\n    def f(self):\n        return " + TWICE.format("self.key"), "certain"),
]


@pytest.mark.parametrize(("source", "confidence"), [each[1:] for each in OBJECTS], ids=[each[0] for each in OBJECTS])
def test_an_attribute_of_an_unknown_object_may_be_computed(source: str, confidence: str) -> None:
    head = "import jax\nfrom typing import NamedTuple\nfrom elsewhere import Base, make\nfrom flax import linen as nn\n"
    state = "class State(NamedTuple):\n    key: jax.Array\n    x: float\n"
    assert said(f"{head}\n{state}\n{source}\n") == confidence


def test_what_a_base_out_of_reach_may_do_is_passed_on_to_callers() -> None:
    source = """
import jax
from elsewhere import Base

class Stream({base}):
    def __init__(self, key):
        self.key = key

    def draw(self):
        return jax.random.normal(self.key)

def main(key):
    stream = Stream(key)
    return stream.draw() + stream.draw()
"""
    assert said(source.format(base="Base")) == "likely"
    assert said(source.format(base="object")) == "certain"


# calls that do not return

ENDINGS = [
    ("raise", "def fail(m):\n    raise ValueError(m)", 'fail("no")', ""),
    ("two levels", "def deep(m):\n    raise ValueError(m)\n\ndef fail(m):\n    deep(m)", 'fail("no")', ""),
    ("branches", "def fail(m):\n    if m:\n        raise ValueError\n    else:\n        raise KeyError", "fail(1)", ""),
    ("condition", "def fail(wanted):\n    if wanted:\n        raise ValueError", "fail(True)", ""),
    ("exit", "import sys\n\ndef fail():\n    sys.exit(1)", "fail()", ""),
    ("method", "class Guard:\n    def fail(self):\n        raise ValueError", "Guard().fail()", ""),
    ("no raise", "def fail(m):\n    print(m)", 'fail("no")', "certain"),
    ("one branch", "def fail(m):\n    if m:\n        raise ValueError(m)", "fail(n)", "certain"),
    ("unknown", "from elsewhere import fail", 'fail("no")', "likely"),
    ("unknown method", "from elsewhere import parser", 'parser.error("no")', "likely"),
    ("unknown result", "from elsewhere import count", "total = count(n)", "certain"),
    ("logging", "import logging", 'logging.info("no")', "certain"),
    ("keeping", "from elsewhere import results", "results.append(n)", "certain"),
    ("abstract", "class A:\n    def fail(self):\n        raise NotImplementedError", "A().fail()", "likely"),
]


@pytest.mark.parametrize(
    ("definition", "call", "confidence"), [each[1:] for each in ENDINGS], ids=[e[0] for e in ENDINGS]
)
def test_a_use_before_a_call_that_does_not_return(definition: str, call: str, confidence: str) -> None:
    branch = f"""
import jax

{{definition}}

def main(key, n):
    if n > 1:
        jax.random.normal(key)
        {call}
    return jax.random.normal(key)
"""
    assert said(branch.format(definition=definition)) == confidence
    case = branch.replace("if n > 1:", "match n:\n      case 1:")
    assert said(case.format(definition=definition)) == confidence


def test_one_of_two_callees_may_return() -> None:
    source = """
import jax

def fail():
    raise ValueError

def go_on():
    return None

def main(key, n, strict):
    stop = fail if strict else {other}
    if n > 1:
        jax.random.normal(key)
        stop()
    return jax.random.normal(key)
"""
    assert said(source.format(other="go_on")) == "certain"
    assert said(source.format(other="fail")) == ""


CHUNKED = """
class Array:
    def __getitem__(self, index) -> "Array":
        if any(map(is_all, index[:-1])) and index[-1].step is None and (index[-1].start is not None):
            for i in range(len(self.units) + 1):
                if self.units[:i].size == stop:
                    last = i
                    break
                if last is None and stop < self.units[:i].size:
                    number, unit = self.units[i - 1]
                    if (stop - self.units[: i - 1].size) % unit.size == 0:
                        return self.chunked(self.units[: i - 1] + key(unit, number) + self.units[i:])[index]
            return Array(self.units[first:last], self.array[..., start:stop], chunks=self.chunks)[index[:-1]]

    def chunked(self, units) -> "Array":
        if self.units == units:
            return self
        if self._chunks is not None:
            for number, y in zip(self.units, self.chunks):
                while number > 0:
                    if number <= needed:
                        pass
                    elif number > needed:
                        if y is None:
                            pass
                        else:
                            x, y = jnp.split(y, [needed], axis=-2)
        return Array(units, self.array, chunks=chunks)
"""


def test_a_special_method_that_reads_its_own_results(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each result was followed into the method again: ten minutes of a file of e3nn_jax."""
    calls = []
    item = named.item
    monkeypatch.setattr(named, "item", lambda *given: (calls.append(given), item(*given))[1])
    check(Document("p.py", CHUNKED), min_confidence=Confidence.LIKELY)
    assert len(calls) < 1000


def test_a_read_that_names_no_key_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be called for each attribute that is read: in a file of seven thousand lines, for minutes."""
    asked = set[str]()
    bit = Decisions.bit
    monkeypatch.setattr(Decisions, "bit", lambda self, test: asked.add(str(test)) or bit(self, test))
    reads = " + ".join(f"settings.size_{number}" for number in range(40))
    source = f"""
import jax

class Settings:
    def __getattr__(self, name):
        for value in self.__dict__.get("given", ()):
            if value is not None:
                return value
        raise AttributeError("to be split off")

def noise(key):
    settings = Settings()
    return jax.random.normal(key, ({reads},)) + jax.random.normal(key)
"""
    assert said(source) == "certain"
    assert len(asked) < 40
