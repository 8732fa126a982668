"""State that changes, or does not, between two uses: what a read of a key gives, and what writes it."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("jax", reason="a witness is traced with JAX")

from witnessed import verdict

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


@pytest.mark.parametrize("change", ADVANCED)
@pytest.mark.parametrize("name", READS)
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
    assert (found.status, found.reason) == ("inconclusive", "Model.shared is taken for its default")


def test_the_default_of_a_field_that_is_called_confirms(tmp_path: Path) -> None:
    assert verdict(HEAD + CALLED, tmp_path, certain=False).status == "confirmed"
    refuted = (HEAD + CALLED).replace("jax.random.normal(key)", "jax.random.fold_in(key, 3)")
    assert verdict(refuted, tmp_path, certain=False).status == "inconclusive"
