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
