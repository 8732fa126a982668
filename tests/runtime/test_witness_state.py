"""State that changes, or does not, between two uses: what a read of a key gives, and what writes it."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("jax", reason="a witness is traced with JAX")

from searches import each_once
from witnessed import verdict

from olympus.verdicts.reasons import Reason

OWNER = "class Model:\n    def __init__(self, root):\n        self.root, self.count = root, 0\n"
CHILD = "jax.random.split(self.root)[0]"
TWICE = "    def run(self):\n        return «1 jax.random.normal({read})» + «2 jax.random.uniform({read})»\n"
READS = {
    "a property": ("self.key", "    @property\n    def key(self):\n        return {child}\n"),
    "a method": ("self.key()", "    def key(self):\n        return {child}\n"),
    "__getattr__": ("self.key", "    def __getattr__(self, name):\n        return {child}\n"),
    "__getitem__": ("self['key']", "    def __getitem__(self, name):\n        return {child}\n"),
    "a property of a property": (
        "self.noise",
        "    @property\n    def key(self):\n        return {child}\n"
        "    @property\n    def noise(self):\n        return jax.random.fold_in(jax.random.split(self.key)[1], 3)\n",
    ),
    "a descriptor": (
        "self.key",
        "    class Child:\n        def __get__(_, self, owner=None):\n            return {child}\n    key = Child()\n",
    ),
}
ADVANCED = {
    "a counter": "self.count += 1\n{indent}return jax.random.fold_in(self.root, self.count)",
    "a stream": "self.root, key = jax.random.split(self.root)\n{indent}return key",
    "setattr": "setattr(self, 'count', self.count + 1)\n{indent}return jax.random.fold_in(self.root, self.count)",
    "a name that is computed": (
        "setattr(self, 'co' + 'unt', self.count + 1)\n{indent}return jax.random.fold_in(self.root, self.count)"
    ),
    "the dictionary": ("self.__dict__['root'], key = jax.random.split(self.__dict__['root'])\n{indent}return key"),
    "vars": "vars(self).update(count=self.count + 1)\n{indent}return jax.random.fold_in(self.root, self.count)",
    "object.__setattr__": (
        "new, key = jax.random.split(self.root)\n{indent}object.__setattr__(self, 'root', new)\n{indent}return key"
    ),
}


def read_twice(name: str, gives: str) -> str:
    """Return a class that reads a key twice, by what has a body of its own."""
    read, way = READS[name]
    at = way.index("return {child}")
    indent = " " * (at - way.rindex("\n", 0, at) - 1)
    return OWNER + way.replace("return {child}", gives.replace("{indent}", indent)) + TWICE.replace("{read}", read)


@pytest.mark.parametrize("name", READS)
def test_what_gives_the_same_child_at_each_read_is_confirmed(name: str, tmp_path: Path) -> None:
    assert verdict(read_twice(name, f"return {CHILD}"), tmp_path).status == "confirmed"


@pytest.mark.parametrize(("name", "change"), each_once(READS, ADVANCED))
def test_what_advances_at_each_read_is_not_confirmed(name: str, change: str, tmp_path: Path) -> None:
    assert verdict(read_twice(name, ADVANCED[change]), tmp_path).status in ("refuted", "inconclusive")


RUN = (
    "    def run(self, key):\n        a, b = jax.random.split(key)\n        if self.shared:\n            b = a\n"
    "        return «1 jax.random.normal(a)» + «2 jax.random.normal(b)»\n"
)
FIELDS = {
    "a dataclass": "@dataclass\nclass Model:\n    shared: bool = False\n",
    "a frozen dataclass with slots": "@dataclass(frozen=True, slots=True)\nclass Model:\n    shared: bool = False\n",
    "a field of a dataclass": "@dataclass\nclass Model:\n    shared: bool = dataclasses.field(default=False)\n",
    "a factory": "@dataclass\nclass Model:\n    shared: bool = dataclasses.field(default_factory=bool)\n",
    "a dataclass by a decorator of the project": (
        "def record(made):\n    return dataclass(frozen=True)(made)\n@record\nclass Model:\n    shared: bool = False\n"
    ),
    "a field of the base": (
        "@dataclass\nclass Base:\n    shared: bool = False\n@dataclass\nclass Model(Base):\n    size: int = 3\n"
    ),
    "what is derived of a field": (
        "@dataclass\nclass Model:\n    mode: str = 'apart'\n"
        "    @property\n    def shared(self):\n        return self.mode == 'shared'\n"
    ),
    "flax.struct": "import flax\n@flax.struct.dataclass\nclass Model:\n    shared: bool = False\n",
    "flax.linen": "import flax.linen as nn\nclass Model(nn.Module):\n    shared: bool = False\n",
    "equinox": "import equinox as eqx\nclass Model(eqx.Module):\n    shared: bool = False\n",
    "chex": "import chex\n@chex.dataclass(frozen=True)\nclass Model:\n    shared: bool = False\n",
    "attrs": "import attrs\n@attrs.define\nclass Model:\n    shared: bool = False\n",
    "pydantic": "import pydantic\nclass Model(pydantic.BaseModel):\n    shared: bool = False\n",
    "a named tuple": "class Model(typing.NamedTuple):\n    shared: bool = False\n",
    "a constructor": "class Model:\n    def __init__(self, shared=False):\n        self.shared = shared\n",
}
ATTRIBUTES = {
    "an attribute of the class": "class Model:\n    shared = False\n",
    "an attribute of the base": "class Base:\n    shared = False\nclass Model(Base):\n    pass\n",
    "an annotated attribute": "class Model:\n    shared: bool = False\n",
    "an attribute that is no field": "@dataclass\nclass Model:\n    shared: typing.ClassVar[bool] = False\n",
}
CALLED = (
    "def draw(key):\n    return jax.random.normal(key)\n@dataclass\nclass Model:\n    draw: object = draw\n"
    "    def run(self, key):\n        return «1 self.draw(key)» + «2 self.draw(key)»\n"
)
HEAD = "import dataclasses, typing\nfrom dataclasses import dataclass\n"


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_is_a_parameter_whatever_its_default(name: str, tmp_path: Path) -> None:
    assert verdict(HEAD + FIELDS[name] + RUN, tmp_path).status == "confirmed"


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_the_default_of_an_attribute_refutes_nothing(name: str, tmp_path: Path) -> None:
    found = verdict(HEAD + ATTRIBUTES[name] + RUN, tmp_path)
    assert (found.status, found.reason) == ("inconclusive", Reason.DEFAULT.of("Model.shared"))


def test_the_default_of_a_field_that_is_called_confirms(tmp_path: Path) -> None:
    assert verdict(HEAD + CALLED, tmp_path, certain=False).status == "confirmed"
    refuted = (HEAD + CALLED).replace("jax.random.normal(key)", "jax.random.fold_in(key, 3)")
    assert verdict(refuted, tmp_path, certain=False).status == "inconclusive"


WRITES = {
    "setattr": "setattr({s}, '{name}', {new})",
    "setattr, name in a variable": "name = '{name}'\n    setattr({s}, name, {new})",
    "setattr of a helper": "put({s}, '{name}', {new})",
    "a partial application": "functools.partial(setattr, {s}, '{name}')({new})",
    "its own __setattr__": "{s}.__setattr__('{name}', {new})",
    "object.__setattr__": "object.__setattr__({s}, '{name}', {new})",
    "__dict__": "{s}.__dict__['{name}'] = {new}",
    "__dict__, in a variable": "held = {s}.__dict__\n    held['{name}'] = {new}",
    "__dict__ that is updated": "{s}.__dict__.update({name}={new})",
    "vars": "vars({s})['{name}'] = {new}",
    "vars that are updated": "vars({s}).update({{'{name}': {new}}})",
    "operator.setitem": "operator.setitem(vars({s}), '{name}', {new})",
    "dict.__setitem__": "dict.__setitem__(vars({s}), '{name}', {new})",
}
WRITTEN = (
    "import functools, operator, dataclasses\ndef put(owner, name, value):\n    setattr(owner, name, value)\n"
    "@dataclasses.dataclass(frozen={frozen})\nclass State:\n    rng: object\n    other: object = None\n"
    "def f({s}, key):\n    {make}\n    a = «1 jax.random.normal({s}.rng)»\n    {write}\n"
    "    return a + «2 jax.random.uniform({s}.rng)»\n"
)
OBJECTS = {"made there": "{s} = State(key)", "an argument": "pass"}


def written(way: str, name: str, made: str, *, annotated: bool = True) -> str:
    """Return a function that reads a key of an object twice, and writes an attribute between."""
    frozen = any(each in way for each in ("object", "__dict__", "vars", "setitem"))
    write = WRITES[way].format(s="s", name=name, new="jax.random.fold_in(s.rng, 1)")
    program = WRITTEN.format(s="s", frozen=frozen, write=write, make=OBJECTS[made].format(s="s"))
    return program.replace("def f(s,", "def f(s: State,") if annotated else program


@pytest.mark.parametrize("made", OBJECTS)
@pytest.mark.parametrize("way", WRITES)
def test_a_key_that_is_written_by_its_name_is_another_one(way: str, made: str, tmp_path: Path) -> None:
    assert verdict(written(way, "rng", made), tmp_path).status in ("refuted", "inconclusive")
    assert verdict(written(way, "rng", made, annotated=False), tmp_path).status in ("refuted", "inconclusive")


@pytest.mark.parametrize("made", OBJECTS)
@pytest.mark.parametrize("way", WRITES)
def test_a_write_to_another_name_confirms(way: str, made: str, tmp_path: Path) -> None:
    assert verdict(written(way, "other", made), tmp_path).status == "confirmed"


BETWEEN = "    return a + «2 jax.random.uniform({key})»\n"
OUT_OF_SIGHT = {
    "an unknown name": (
        "@dataclass\nclass State:\n    rng: object\n"
        "def f(key, name):\n    s = State(key)\n    a = «1 jax.random.normal(s.rng)»\n"
        "    setattr(s, name, jax.random.fold_in(key, 1))\n" + BETWEEN.format(key="s.rng"),
        Reason.ROOTS,
    ),
    "unknown names": (
        "@dataclass\nclass State:\n    rng: object\n"
        "def f(key, names):\n    s = State(key)\n    a = «1 jax.random.normal(s.rng)»\n"
        "    vars(s).update(names)\n" + BETWEEN.format(key="s.rng"),
        Reason.ROOTS,
    ),
    "a dictionary that unknown items update": (
        "def f(key, items):\n    s = {'rng': key}\n    a = «1 jax.random.normal(s['rng'])»\n"
        "    s.update(items)\n" + BETWEEN.format(key="s['rng']"),
        Reason.ROOTS,
    ),
    "exec": (
        "def f(key):\n    a = «1 jax.random.normal(key)»\n    exec('key = 3')\n" + BETWEEN.format(key="key"),
        Reason.EXEC,
    ),
    "a slice of an unknown list": (
        "def f(keys, key):\n    a = «1 jax.random.normal(keys[0])»\n    keys[:] = [key]\n"
        + BETWEEN.format(key="keys[0]"),
        Reason.ROOTS,
    ),
    "an unknown list that grows": (
        "def f(key, past):\n    a = «1 jax.random.normal(jax.random.fold_in(key, len(past)))»\n    past.append(a)\n"
        + BETWEEN.format(key="jax.random.fold_in(key, len(past))"),
        Reason.FOLDED,
    ),
    "a variable of a module": (
        "import sys\nkey = jax.random.key(0)\ndef f():\n    a = «1 jax.random.normal(key)»\n"
        "    setattr(sys.modules[__name__], 'key', jax.random.key(1))\n" + BETWEEN.format(key="key"),
        Reason.ROOTS,
    ),
    "globals": (
        "key = jax.random.key(0)\ndef f():\n    a = «1 jax.random.normal(key)»\n"
        "    globals()['key'] = jax.random.key(1)\n" + BETWEEN.format(key="key"),
        Reason.ROOTS,
    ),
    "an attribute of an argument": (
        "def f(s):\n    a = «1 jax.random.normal(s.rng)»\n" + BETWEEN.format(key="s.rng"),
        Reason.READ_AGAIN.of("s.rng"),
    ),
    "a part of an attribute of an argument": (
        "def f(s):\n    a = «1 jax.random.normal(s.state.rng)»\n" + BETWEEN.format(key="s.state.rng"),
        Reason.READ_AGAIN.of("s.state.rng"),
    ),
    "an attribute of what a library gives": (
        "import library\ndef f():\n    s = library.State()\n"
        "    a = «1 jax.random.normal(s.rng)»\n" + BETWEEN.format(key="s.rng"),
        Reason.READ_AGAIN.of("library.State(...).rng"),
    ),
    "an attribute of an argument, in each iteration": (
        "def f(s, n):\n    for i in range(n):\n        «12 jax.random.normal(s.rng)»\n",
        Reason.LOOP,
    ),
    "an unknown base": (
        "import library\nclass State(library.Base):\n    def f(self):\n"
        "        return «1 jax.random.normal(self.rng)» + «2 jax.random.uniform(self.rng)»\n",
        Reason.READ_AGAIN.of("State.rng"),
    ),
    "an unknown base that takes what is stored": (
        "import library\nclass State(library.Base):\n    def __init__(self, key):\n        self.rng = key\n"
        "    def f(self):\n        return «1 jax.random.normal(self.rng)» + «2 jax.random.uniform(self.rng)»\n",
        Reason.ROOTS,
    ),
    "the base of a base": (
        "import library\nclass Base(library.Base):\n    pass\nclass State(Base):\n    def f(self):\n"
        "        return «1 jax.random.normal(self.rng)» + «2 jax.random.uniform(self.rng)»\n",
        Reason.READ_AGAIN.of("State.rng"),
    ),
}
STEADY = {
    "a class of the file": (
        "@dataclass\nclass State:\n    rng: object\n"
        "def f(s: State):\n    a = «1 jax.random.normal(s.rng)»\n" + BETWEEN.format(key="s.rng")
    ),
    "an annotation in a text": (
        "class State:\n    def __init__(self, key):\n        self.rng = key\n"
        "def f(s: 'State'):\n    a = «1 jax.random.normal(s.rng)»\n" + BETWEEN.format(key="s.rng")
    ),
    "a record": (
        "def f(s):\n    a = «1 jax.random.normal(s.rng)»\n    b = «2 jax.random.uniform(s.rng)»\n"
        "    return s.replace(x=a + b)\n"
    ),
    "an attribute that is read once": (
        "def f(s):\n    key = s.rng\n    a = «1 jax.random.normal(key)»\n" + BETWEEN.format(key="key")
    ),
    "an attribute of its own": (
        "class State:\n    def f(self):\n"
        "        return «1 jax.random.normal(self.rng)» + «2 jax.random.uniform(self.rng)»\n"
    ),
    "a base of Python": (
        "import unittest\nclass State(unittest.TestCase):\n    def setUp(self):\n        self.rng = jax.random.key(0)\n"
        "    def test(self):\n        return «1 jax.random.normal(self.rng)» + «2 jax.random.uniform(self.rng)»\n"
    ),
    "a variable of a library": (
        "import library\ndef f():\n    a = «1 jax.random.normal(library.KEY)»\n" + BETWEEN.format(key="library.KEY")
    ),
}


@pytest.mark.parametrize("name", OUT_OF_SIGHT)
def test_what_may_change_out_of_sight_is_not_confirmed(name: str, tmp_path: Path) -> None:
    source, reason = OUT_OF_SIGHT[name]
    found = verdict(HEAD + source, tmp_path)
    assert (found.status, found.reason) == ("inconclusive", reason)


@pytest.mark.parametrize("name", STEADY)
def test_what_nothing_out_of_sight_changes_is_confirmed(name: str, tmp_path: Path) -> None:
    assert verdict(HEAD + STEADY[name], tmp_path).status == "confirmed"


ARMS = {
    "an arm": (
        "    if flag:\n        a = «1 jax.random.normal(key)»\n        {call}\n    return «2 jax.random.uniform(key)»\n"
    ),
    "the other arm": (
        "    if flag:\n        a = 0\n    else:\n        a = «1 jax.random.normal(key)»\n        {call}\n"
        "    return «2 jax.random.uniform(key)»\n"
    ),
    "a case": (
        "    match flag:\n        case 1:\n            a = «1 jax.random.normal(key)»\n            {call}\n"
        "    return «2 jax.random.uniform(key)»\n"
    ),
}
RAISES = {
    "a function": "def fail(x):\n    raise ValueError(x)\n",
    "both branches": (
        "def fail(x):\n    if x is None:\n        raise ValueError(x)\n    else:\n        raise TypeError(x)\n"
    ),
    "a function that calls one": "def deep(x):\n    raise ValueError(x)\ndef fail(x):\n    deep(x)\n",
    "an error of a library": "import library\ndef fail(x):\n    raise library.Error(x)\n",
    "an assertion": "def fail(x):\n    assert False, x\n",
    "sys.exit": "import sys\ndef fail(x):\n    sys.exit(1)\n",
    "exit": "def fail(x):\n    exit(1)\n",
    "os._exit": "from os import _exit as fail\n",
    "pytest.skip": "import pytest\ndef fail(x):\n    pytest.skip(x)\n",
    "an endless loop": "def fail(x):\n    while True:\n        print(x)\n",
}
MAY_RAISE = {
    "a function of a library": ("from library import fail\n", Reason.RETURNS.of("library.fail(...)")),
    "a method of a library": (
        "import library\ndef fail(x):\n    library.parser().error(x)\n",
        Reason.RETURNS.of("library.parser(...).error(...)"),
    ),
    "an argument": ("fail = None\n", Reason.RETURNS.of("fail(...)")),
}
RETURNS = {
    "a function that may raise": "def fail(x):\n    if x is None:\n        raise ValueError(x)\n",
    "a method of a list": "past = []\ndef fail(x):\n    past.append(x)\n",
    "a log": "import logging\ndef fail(x):\n    logging.getLogger('f').info(x)\n",
    "an array": "import numpy as np\ndef fail(x):\n    np.mean(x)\n",
}


def branch(arm: str, definition: str, given: str = "") -> str:
    """Return a function with a branch that draws and then calls ``fail``."""
    return f"{definition}def f(key, flag{given}):\n{ARMS[arm].format(call='fail(a)')}"


@pytest.mark.parametrize(("name", "arm"), each_once(RAISES, ARMS))
def test_a_branch_that_raises_is_not_left(name: str, arm: str, tmp_path: Path) -> None:
    assert verdict(branch(arm, RAISES[name]), tmp_path).status == "not reached"


@pytest.mark.parametrize("arm", ARMS)
@pytest.mark.parametrize("name", MAY_RAISE)
def test_a_branch_that_ends_with_an_unknown_call_may_not_be_left(name: str, arm: str, tmp_path: Path) -> None:
    definition, reason = MAY_RAISE[name]
    found = verdict(branch(arm, definition, ", fail" if name == "an argument" else ""), tmp_path)
    assert (found.status, found.reason) == ("inconclusive", reason)


@pytest.mark.parametrize("arm", ARMS)
@pytest.mark.parametrize("name", RETURNS)
def test_a_branch_that_returns_confirms(name: str, arm: str, tmp_path: Path) -> None:
    assert verdict(branch(arm, RETURNS[name]), tmp_path).status == "confirmed"


def test_an_unknown_call_after_both_uses_or_in_a_branch_that_is_not_needed_confirms(tmp_path: Path) -> None:
    both = (
        "def f(key, flag, g):\n    if flag:\n        a = «1 jax.random.normal(key)»\n"
        "        a += «2 jax.random.bits(key)»\n        g(a)\n"
    )
    other = (
        "def f(key, flag, g):\n    a = «1 jax.random.normal(key)»\n    if flag:\n        g(a)\n"
        "    return a + «2 jax.random.bits(key)»\n"
    )
    assert verdict(both, tmp_path).status == verdict(other, tmp_path).status == "confirmed"


NO_KEYS = {
    "a tuple of texts": ("names=('a', 'b')", "`names` has the default ('a', 'b'), which is no key"),
    "a text": ("names='a'", "`names` has the default 'a', which is no key"),
    "a number": ("names=3", "`names` has the default 3, which is no key"),
    "annotated": ("names: tuple[str, ...]", "`names` is annotated as tuple, which is no key"),
    "annotated by typing": ("names: typing.Dict[str, int]", "`names` is annotated as dict, which is no key"),
    "annotated as a number": ("names: 'int'", "`names` is annotated as int, which is no key"),
}
MISPLACED = "def draw(x, key, names):\n    return x + jax.random.normal(key)\n"


@pytest.mark.parametrize("name", NO_KEYS)
def test_what_is_no_key_is_no_reused_key(name: str, tmp_path: Path) -> None:
    parameter, reason = NO_KEYS[name]
    called = f"def f(x, key, {parameter}):\n    return «1 draw(x, names, key)» + «2 draw(x, names, key)»\n"
    found = verdict(HEAD + MISPLACED + called, tmp_path)
    assert (found.status, found.reason) == ("inconclusive", reason)


def test_a_field_that_is_no_key_is_no_reused_key(tmp_path: Path) -> None:
    owner = (
        "@dataclass\nclass Model:\n    names: object = ('a', 'b')\n"
        "    def f(self, x, key):\n        return «1 draw(x, self.names, key)» + «2 draw(x, self.names, key)»\n"
    )
    assert verdict(HEAD + MISPLACED + owner, tmp_path).status == "inconclusive"


@pytest.mark.parametrize("parameter", ["key", "key=None", "key: jax.Array", "key: 'jax.Array | None' = None"])
def test_a_default_or_an_annotation_that_may_be_a_key_confirms(parameter: str, tmp_path: Path) -> None:
    source = f"def f({parameter}):\n    return «1 jax.random.normal(key)» + «2 jax.random.normal(key)»\n"
    assert verdict(source, tmp_path).status == "confirmed"


@pytest.mark.parametrize("name", ["an unknown base", "an unknown base that takes what is stored", "the base of a base"])
def test_the_class_of_a_described_library_keeps_what_is_stored(name: str, tmp_path: Path) -> None:
    source, _ = OUT_OF_SIGHT[name]
    assert verdict(HEAD + source, tmp_path, packages=frozenset({"library"})).status == "confirmed"


STREAM = (
    "class Stream:\n    def __init__(self, key):\n        self.key = key\n"
    "    def __getitem__(self, name):\n        self.key, sub = jax.random.split(self.key)\n        return sub\n"
)
ITEMS = "def f(keys):\n    return «1 jax.random.normal(keys['a'])» + «2 jax.random.normal(keys['a'])»\n"


def test_an_item_of_an_argument_is_one_key_unless_a_class_of_the_file_gives_items(tmp_path: Path) -> None:
    assert verdict(ITEMS, tmp_path).status == "confirmed"
    assert verdict(STREAM + ITEMS, tmp_path).status == "inconclusive"
