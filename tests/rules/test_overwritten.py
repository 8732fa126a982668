"""An attribute that is overwritten before a read in straight-line code holds what was written, and no other key."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest
from test_reach import Reached

BOX = """
class Box:
    def __init__(self):
        self.size = 3
        self.key = PRNGKey(1)

    def log(self, text):
        self.key = PRNGKey(3)

"""
SEEN = {
    "the next statement": "self.key = PRNGKey(2)\nlook(self.key)",
    "an argument of a method": "self.key = PRNGKey(2)\nself.log(look(self.key))",
    "another attribute between": "self.key = PRNGKey(2)\nself.size = 3\nlook(self.key)",
    "an import between": "self.key = PRNGKey(2)\nmake = jax.random.split\nlook(self.key)",
    "the read in a block": "self.key = PRNGKey(2)\nif other is None:\n    look(self.key)",
    "a return between": "self.key = PRNGKey(2)\nif other is None:\n    return other\nlook(self.key)",
    "both in a block": "if other:\n    self.key = PRNGKey(2)\n    look(self.key)",
    "both in a loop": "for _ in other:\n    self.key = PRNGKey(2)\n    look(self.key)",
    "a branch between": "self.key = PRNGKey(2)\nif other:\n    self.size = 3\nlook(self.key)",
    "both in a try": "try:\n    self.key = PRNGKey(2)\n    look(self.key)\nexcept OSError:\n    pass",
    "written again": "self.key = PRNGKey(3)\nself.key = PRNGKey(2)\nlook(self.key)",
    "another variable": "other.key = PRNGKey(2)\nlook(other.key)",
    "unpacked": "self.key, a = PRNGKey(2), 3\nlook(self.key)",
    "augmented": "self.key = PRNGKey(2)\nself.key += 0\nlook(self.key)",
}
HIDDEN = {
    "overwritten in one branch": "if other:\n    self.key = PRNGKey(2)\nlook(self.key)",
    "overwritten in one arm of a conditional": "(other and (f := self.log(3)))\nlook(self.key)",
    "a call of a method": "self.key = PRNGKey(2)\nself.log(3)\nlook(self.key)",
    "a call of a function": "self.key = PRNGKey(2)\nother(self)\nlook(self.key)",
    "a call in a branch": "self.key = PRNGKey(2)\nif other:\n    self.log(3)\nlook(self.key)",
    "a call in a test": "self.key = PRNGKey(2)\nif other.log(3):\n    look(self.key)",
    "a call in an earlier test": "self.key = PRNGKey(2)\nif other:\n    a = 3\nelif other(self):\n    look(self.key)",
    "a call in a comprehension": "self.key = PRNGKey(2)\na = [self.log(3) for _ in other]\nlook(self.key)",
    "read before in a loop": "for _ in other:\n    look(self.key)\n    self.key = PRNGKey(2)",
    "written before a loop that writes": (
        "old = PRNGKey(1)\nself.key = PRNGKey(2)\nwhile other:\n    look(self.key)\n    self.key = old"
    ),
    "written in a branch": "old = PRNGKey(1)\nself.key = PRNGKey(2)\nif other:\n    self.key = old\nlook(self.key)",
    "written in a loop": "for _ in other:\n    self.key = PRNGKey(2)\nlook(self.key)",
    "an iterator": "self.key = PRNGKey(2)\nfor _ in other:\n    look(self.key)",
    "an alias": "old, other = PRNGKey(1), self\nself.key = PRNGKey(2)\nother.key = old\nlook(self.key)",
    "the namespace": "old = PRNGKey(1)\nself.key = PRNGKey(2)\nself.__dict__['key'] = old\nlook(self.key)",
    "another class": "self.key = PRNGKey(2)\nself.__class__ = other\nlook(self.key)",
    "deleted": "self.key = PRNGKey(2)\ndel self.key\nlook(self.key)",
    "a generator": "self.key = PRNGKey(2)\nyield 3\nlook(self.key)",
    "a try": "try:\n    self.key = PRNGKey(2)\nexcept OSError:\n    pass\nlook(self.key)",
    "a handler": "try:\n    a = other()\n    self.key = PRNGKey(2)\nexcept OSError:\n    look(self.key)",
    "a finally": "try:\n    a = other()\n    self.key = PRNGKey(2)\nfinally:\n    look(self.key)",
    "a context that stops errors": "with other:\n    a = other()\n    self.key = PRNGKey(2)\nlook(self.key)",
    "a context that is left": "with other:\n    self.key = PRNGKey(2)\nlook(self.key)",
    "the object is another one": "self.key = PRNGKey(2)\nself = other\nlook(self.key)",
    "the object is another one in a branch": "self.key = PRNGKey(2)\nif other:\n    self = other\nlook(self.key)",
    "the object is another one in an expression": "self.key = PRNGKey(2)\nlook((self := other).key)",
    "a function that runs later": "self.key = PRNGKey(2)\ndef later():\n    look(self.key)\nreturn later",
    "a lambda": "self.key = PRNGKey(2)\nreturn lambda: look(self.key)",
    "a function that runs before": "def first():\n    self.key = PRNGKey(2)\nlook(self.key)",
    "a decorated function": "self.key = PRNGKey(2)\n@other\ndef f():\n    pass\nlook(self.key)",
    "an operator": "self.key = PRNGKey(2)\na = other + 3\nlook(self.key)",
    "an element": "self.key = PRNGKey(2)\na = other[3]\nlook(self.key)",
    "elements": "self.key = PRNGKey(2)\na, b = other\nlook(self.key)",
    "elements in a list": "self.key = PRNGKey(2)\na = [*other]\nlook(self.key)",
    "elements of a set": "self.key = PRNGKey(2)\na = {other}\nlook(self.key)",
    "an import": "self.key = PRNGKey(2)\nimport vault\nlook(self.key)",
    "an attribute of a library": "self.key = PRNGKey(2)\na = other.unheard_of\nlook(self.key)",
    "added in place to the old one": "self.key += 0\nlook(self.key)",
}
HOOKS = {
    "a function of another name": "    if other:\n        def key(self):\n            return PRNGKey(1)\n",
    "an import": "    from vault import key\n",
    "a property": "    @property\n    def key(self):\n        return self._key\n\n"
    "    @key.setter\n    def key(self, value):\n        self._key = PRNGKey(1)\n",
    "a property of another name": "    @property\n    def size(self):\n        self.key = PRNGKey(1)\n",
    "a property by a call": "    def get(self):\n        return PRNGKey(1)\n\n    key = property(get)\n",
    "a property by another name": "    def get(self):\n        return PRNGKey(1)\n\n    key = made = property(get)\n",
    "a method with a decorator": "    @other\n    def key(self):\n        return PRNGKey(1)\n",
    "__setattr__": "    def __setattr__(self, name, value):\n        self.__dict__[name] = PRNGKey(1)\n",
    "__getattribute__": "    def __getattribute__(self, name):\n        return PRNGKey(1)\n",
    "__getattr__": "    def __getattr__(self, name):\n        self.key = PRNGKey(1)\n",
    "__set__": "    def __set__(self, owner, value):\n        owner.key = PRNGKey(1)\n",
    "__bool__": "    def __bool__(self):\n        Box.only.key = PRNGKey(1)\n        return True\n",
}


def project(folder: Path, body: str, more: str = "", head: str = "def") -> Reached:
    method = f"    {head} run(self, other):\n{indent(body, ' ' * 8)}\n\n"
    return Reached(folder, {"main.py": f"{BOX}{method}{more}\nbox = Box()\nbox.run(Box())\n"})


@pytest.mark.parametrize("name", SEEN)
def test_only_the_key_that_was_written_last_is_read(name: str, tmp_path: Path) -> None:
    assert project(tmp_path, SEEN[name]).looks() == [{2}]


@pytest.mark.parametrize("name", HIDDEN)
def test_other_keys_may_be_read_as_well(name: str, tmp_path: Path) -> None:
    (looks,) = project(tmp_path, HIDDEN[name]).looks()
    assert 1 in looks


@pytest.mark.parametrize("name", HOOKS)
def test_code_of_a_class_may_run_at_a_read_or_a_write(name: str, tmp_path: Path) -> None:
    body = "self.key = PRNGKey(2)\nself.size\nif other:\n    look(self.key)"
    (looks,) = project(tmp_path, body, HOOKS[name]).looks()
    assert 1 in looks


def test_another_task_may_run_at_an_await(tmp_path: Path) -> None:
    (looks,) = project(tmp_path, "self.key = PRNGKey(2)\nawait other\nlook(self.key)", head="async def").looks()
    assert 1 in looks


def test_a_function_of_an_object_of_unknown_class(tmp_path: Path) -> None:
    text = "def run(state, other):\n    state.key = PRNGKey(2)\n    look(state.key)\n    look(other.key)\n"
    assert Reached(tmp_path, {"main.py": f"{BOX}\n{text}"}).looks() == [{2}, {1, 2, 3}]
