"""Where the keys of each constructor get to, in small projects: what the analysis for a migration sees through."""

from __future__ import annotations

import ast
from pathlib import Path
from textwrap import dedent
from unittest import mock

import pytest

from olympus_rules.reach.answers.escapes import escapes
from olympus_rules.reach.answers.evidence import places_in
from olympus_rules.reach.answers.project import ProjectReach, reach
from olympus_rules.reach.solver import slots
from olympus_rules.reach.solver.values import Key, Library, Place, Value, place_of
from olympus_rules.syntax import Document
from olympus_rules.syntax.project import forget_folders, locate

IMPORTS = "import jax\nimport jax.numpy as jnp\nfrom jax.random import PRNGKey, normal, split, fold_in\n"


def values(reached: ProjectReach, place: Place) -> list[Value]:
    """Return the values that may reach an expression."""
    slots = reached.slots
    return [value for slot in reached.graph.expressions.get(place, ()) for value in slots.values(slot)]


class Reached:
    """A project of which it was worked out where keys get to; keys are told by their seeds."""

    def __init__(self, folder: Path, files: dict[str, str]) -> None:
        forget_folders()
        (folder / "pyproject.toml").touch()
        self.documents: dict[str, Document] = {}
        self.seeds: dict[Place, int] = {}
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(IMPORTS + dedent(text))
        for name in files:
            where = locate(folder / name)
            document = Document(
                str(folder / name),
                (folder / name).read_text(),
                module=where.module,
                is_package=where.is_package,
                roots=where.roots,
            )
            self.documents[str(folder / name)] = document
        for path, document in self.documents.items():
            for node in ast.walk(document.tree):
                if isinstance(node, ast.Name) and node.id == "PRNGKey":
                    parent = document.parents[node]
                    seeds = parent.args if isinstance(parent, ast.Call) and parent.func is node else []
                    is_known = len(seeds) == 1 and isinstance(seeds[0], ast.Constant)
                    self.seeds[place_of(path, node)] = seeds[0].value if is_known else 0  # type: ignore[attr-defined]
        self.reached: ProjectReach = reach(self.documents, self.seeds)

    def told(self, keys: frozenset[Place]) -> set[int]:
        return {self.seeds[key] for key in keys}

    def ranks(self) -> list[int | None]:
        """Return how many axes the keys have that each ``look(...)`` is given."""
        found = []
        for place in self.looked_at():
            made = [each for each in values(self.reached, place) if isinstance(each, Key) and each.site in self.seeds]
            ranks = {each.rank for each in made}
            found.append(ranks.pop() if len(ranks) == 1 else None)
        return found

    def looks(self) -> list[set[int]]:
        """Return the keys that may be in what each ``look(...)`` is given, in the order of places."""
        return [self.told(self.reached.keys_at(place)) for place in self.looked_at()]

    def looked_at(self) -> list[Place]:
        """Return what each ``look(...)`` is given."""
        found = []
        for path, document in self.documents.items():
            for node in ast.walk(document.tree):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "look":
                    found.append(place_of(path, node.args[0]))
        return sorted(found)


# A project of one file, and the keys at each ``look``; the constructors have their seeds as names, 0 for one that is
# not called where it is mentioned.
CASES: dict[str, tuple[str, list[set[int]]]] = {
    "variable": ("a = PRNGKey(1)\nb = PRNGKey(2)\nlook(a)\nlook(b)\nlook(3)", [{1}, {2}, set()]),
    "argument": ("def f(a, *, b):\n    look(a)\n    look(b)\n\nf(PRNGKey(1), b=PRNGKey(2))", [{1}, {2}]),
    "default": ("def f(a=PRNGKey(1)):\n    look(a)", [{1}]),
    "starred arguments": ("def f(a, b):\n    look(b)\n\nf(*[1, PRNGKey(1)])", [{1}]),
    "gathered arguments": (
        "def f(*args, **options):\n    look(args[0])\n    look(options['b'])\n\nf(PRNGKey(1), b=PRNGKey(2))",
        [{1}, {2}],
    ),
    "result": ("def f():\n    return PRNGKey(1), 2\n\nkey, n = f()\nlook(key)\nlook(n)", [{1}, set()]),
    "derived": ("look(split(fold_in(PRNGKey(1), 2))[0])\nlook(normal(PRNGKey(2)))", [{1}, set()]),
    "a variable that a function inside reads": (
        "def f():\n    key = PRNGKey(1)\n    look(key)\n    key = PRNGKey(2)\n\n    def inner():\n        look(key)\n\n"
        "    return inner",
        [{1}, {1, 2}],
    ),
    "a context variable": (
        "from contextvars import ContextVar\n\nkey = ContextVar('key')\nkey.set(PRNGKey(1))\nlook(key.get())",
        [{1}],
    ),
    "what is said of a key": (
        "keys = split(PRNGKey(1))\nlook(len(keys))\nlook(range(len(keys)))\nlook(str(keys))\nlook(list(keys)[0])",
        [set(), set(), set(), {1}],
    ),
    "list": ("box = [PRNGKey(1), PRNGKey(2)]\nlook(box[0])\nlook(box[1])\nlook(box[look])", [{1}, {2}, {1, 2}]),
    "dictionary": ("box = {'a': PRNGKey(1), 'b': PRNGKey(2)}\nlook(box['a'])\nlook(box.get('b'))", [{1}, {2}]),
    "filled containers": (
        "box, rows = {}, []\nbox['a'] = PRNGKey(1)\nrows.append(PRNGKey(2))\nlook(box['a'])\nlook(rows[0])",
        [{1}, {2}],
    ),
    "loops and comprehensions": (
        "rows = [(1, PRNGKey(1))]\nfor n, key in rows:\n    look(key)\n    look(n)\nlook([k for _, k in rows][0])",
        [{1}, set(), {1}],
    ),
    "iterators": (
        "for i, (a, b) in enumerate(zip([PRNGKey(1)], [PRNGKey(2)])):\n    look(a)\nlook(next(iter([PRNGKey(3)])))",
        [{1}, {3}],
    ),
    "rows of containers": (
        """\
        rows = [(PRNGKey(1), 2)]
        for i, row in enumerate(rows):
            look(row[0])
            look(i)
        for name, (key, n) in {"a": (PRNGKey(2), 3)}.items():
            look(key)
            look(n)
        look({"a": (PRNGKey(3), 4)}.get("a")[0])
        look(next(iter(rows))[0])
        look(sorted(rows)[0][0])
        look(dict([("a", PRNGKey(4))])["a"])
        look([*zip([1], [PRNGKey(5)])][0][1])
        """,
        [{1}, set(), {2}, set(), {3}, {1}, {1}, {4}, {5}],
    ),
    "arrays": (
        """\
        look(jnp.concatenate([split(PRNGKey(1)), split(PRNGKey(2))])[3])
        look(jax.tree.leaves({"a": {"b": PRNGKey(3)}})[0])
        """,
        [{1, 2}, {3}],
    ),
    "generator": ("def f():\n    yield PRNGKey(1)\n\nfor key in f():\n    look(key)", [{1}]),
    "closure": (
        "def f(key):\n    def inner():\n        look(key)\n        return key\n\n    return inner\n\n"
        "look(f(PRNGKey(1))())",
        [{1}, {1}],
    ),
    "global variable": (
        "KEY = None\n\ndef fill():\n    global KEY\n    KEY = PRNGKey(1)\n\ndef use():\n    look(KEY)",
        [{1}],
    ),
    "lambda": ("f = lambda key, n: key\nlook(f(PRNGKey(1), PRNGKey(2)))", [{1}]),
    "attributes by class": (
        """\
        class A:
            def __init__(self, key):
                self.key = key

        class B:
            def __init__(self, key):
                self.key = key

        look(A(PRNGKey(1)).key)
        look(B(PRNGKey(2)).key)
        """,
        [{1}, {2}],
    ),
    "attribute of an unknown object": (
        """\
        class A:
            def __init__(self, key):
                self.key = key

        def use(thing):
            look(thing.key)

        A(PRNGKey(1))
        """,
        [{1}],
    ),
    "inherited method": (
        """\
        class Base:
            def give(self):
                return self.make()

        class Child(Base):
            def make(self):
                return PRNGKey(1)

        look(Child().give())
        """,
        [{1}],
    ),
    "super": (
        """\
        class Base:
            def __init__(self, key):
                self.key = key

        class Child(Base):
            def __init__(self, n, key):
                super().__init__(key)

        look(Child(PRNGKey(2), PRNGKey(1)).key)
        """,
        [{1}],
    ),
    "super in a mixin": (
        """\
        class Base:
            def start(self, key):
                self.key = key

        class Mixin:
            def start(self, key):
                super().start(key)

        class Child(Mixin, Base):
            pass

        child = Child()
        child.start(PRNGKey(1))
        look(child.key)
        """,
        [{1}],
    ),
    "property, static method and class method": (
        """\
        class A:
            @property
            def key(self):
                return PRNGKey(1)

            @staticmethod
            def make(key):
                return key

            @classmethod
            def build(cls, key):
                return key

        look(A().key)
        look(A.make(PRNGKey(2)))
        look(A.build(PRNGKey(3)))
        """,
        [{1}, {2}, {3}],
    ),
    "special methods": (
        """\
        class A:
            def __init__(self, key):
                self.key = key

            def __call__(self):
                return self.key

            def __getitem__(self, index):
                return self.key

            def __iter__(self):
                yield self.key

            def __enter__(self):
                return self.key

        a = A(PRNGKey(1))
        look(a())
        look(a[0])
        for key in a:
            look(key)
        with a as key:
            look(key)
        first, second = a
        look(first)
        look([*a][0])
        """,
        [{1}, {1}, {1}, {1}, {1}, {1}],
    ),
    "iterator of one's own": (
        """\
        class Stream:
            def __init__(self, key):
                self.key = key

            def __iter__(self):
                return self

            def __next__(self):
                self.key, sub = split(self.key)
                return sub

        stream = Stream(PRNGKey(1))
        look(next(stream))
        for key in stream:
            look(key)
        """,
        [{1}, {1}],
    ),
    "data class and named tuple": (
        """\
        import collections
        import dataclasses
        from typing import NamedTuple

        @dataclasses.dataclass
        class A:
            key: object
            n: int = 0

        class B(NamedTuple):
            n: int
            key: object

        C = collections.namedtuple("C", "n key")

        look(A(PRNGKey(1), PRNGKey(9)).key)
        n, key = B(1, PRNGKey(2))
        look(key)
        look(B(1, PRNGKey(2))[1])
        look(C(1, PRNGKey(3)).key)
        """,
        [{1}, {2}, {2}, {3}],
    ),
    "changed copies": (
        """\
        import dataclasses
        from typing import NamedTuple

        @dataclasses.dataclass
        class A:
            key: object

        class B(NamedTuple):
            rng: object

        look(dataclasses.replace(A(None), key=PRNGKey(1)).key)
        look(B(None)._replace(rng=PRNGKey(2)).rng)
        """,
        [{1}, {2}],
    ),
    "decorator": (
        """\
        import functools

        def twice(function):
            @functools.wraps(function)
            def wrapper(*args):
                look(args[0])
                return function(*args)
            return wrapper

        @twice
        def f(key):
            look(key)
            return key

        look(f(PRNGKey(1)))
        """,
        [{1}, {1}, {1}],
    ),
    "partial": (
        "import functools\n\ndef f(a, b):\n    look(a)\n    look(b)\n\nfunctools.partial(f, PRNGKey(1))(PRNGKey(2))",
        [{1}, {2}],
    ),
    "vmap and jit": (
        "def f(key, n):\n    look(key)\n    look(n)\n\njax.jit(jax.vmap(f, in_axes=(0, None)))(split(PRNGKey(1)), 2)",
        [{1}, set()],
    ),
    "constructor as a value": ("look(jax.vmap(PRNGKey)(jnp.arange(3)))\nmake = PRNGKey\nlook(make(1))", [{0}, {0}]),
    "scan": (
        """\
        def body(carry, x):
            look(carry)
            look(x)
            return split(carry)[0], x

        last, rows = jax.lax.scan(body, PRNGKey(1), PRNGKey(2))
        look(last)
        """,
        [{1}, {2}, {1}],
    ),
    "cond and switch": (
        """\
        look(jax.lax.cond(True, lambda k: k, lambda k: PRNGKey(2), PRNGKey(1)))
        look(jax.lax.switch(1, [lambda k: k, lambda k: fold_in(k, 1)], PRNGKey(3)))
        """,
        [{1, 2}, {3}],
    ),
    "fixture": (
        """\
        import pytest

        @pytest.fixture
        def key():
            return PRNGKey(1)

        def test_a(key):
            look(key)

        def other(key):
            look(key)
        """,
        [{1}, set()],
    ),
    "parametrize": (
        "import pytest\n\n@pytest.mark.parametrize('key', [PRNGKey(1)])\ndef test_a(key):\n    look(key)",
        [{1}],
    ),
    "parametrize, of several names": (
        """\
        import pytest

        CASES = [(PRNGKey(1), 3), (PRNGKey(2), 4)]

        @pytest.mark.parametrize(("key", "size"), CASES)
        def test_a(key, size):
            look(key)
            look(size)
        """,
        [{1, 2}, set()],
    ),
    "a function that gives arrays is no transformation": (
        "@jax.vmap\ndef add(a, b):\n    look(a)\n    return a\n\n"
        "def sample(key):\n    return jax.lax.associative_scan(add, normal(key))\n\n"
        "total = sample(PRNGKey(1))\ntotal(PRNGKey(2))\n",
        [set()],
    ),
    "a key among the options": ("look(jnp.asarray(3, dtype=PRNGKey(1)))", [set()]),
    "associative scan": ("look(jax.lax.associative_scan(lambda a, b: look(b) or a, PRNGKey(1)))", [{1}, {1}]),
    "very many functions in a library's call": (
        "".join(f"def f{number}(key):\n    return key\n\n" for number in range(40))
        + f"look(jax.lax.switch(1, [{', '.join(f'f{number}' for number in range(40))}], PRNGKey(1)))",
        [{1}],
    ),
    "objects in a circle": (
        """\
        class A:
            pass

        class B(A):
            def __init__(self, key):
                self.key = key

        b = B(PRNGKey(1))
        for _ in range(3):
            b = b if look(b.key) else B(b.key)
        """,
        [{1}],
    ),
    "set by name": (
        """\
        class A:
            pass

        a = A()
        setattr(a, "key", PRNGKey(1))
        look(getattr(a, "key"))
        """,
        [{1}],
    ),
    "namespace": ("import types\n\nbox = types.SimpleNamespace(key=PRNGKey(1))\nlook(box.key)", [{1}]),
    "condition": ("a = PRNGKey(1)\nlook(a if look else PRNGKey(2))\nb = a or PRNGKey(3)\nlook(b)", [{1, 2}, {1, 3}]),
    "derived by a map": (
        "look(jax.vmap(split)(PRNGKey(1)))\nlook(list(map(split, [PRNGKey(2)]))[0])\n"
        "look(jax.vmap(normal)(PRNGKey(3)))",
        [{1}, {2}, set()],
    ),
    "starred": ("def f(*args):\n    g(*args)\n\ndef g(a, b):\n    look(b)\n\nf(*[1, PRNGKey(1)])", [{1}]),
    "starred, and one more": (
        "def f(a, b, c):\n    look(a)\n    look(c)\n\nf(*[1], PRNGKey(1))\n\n"
        "def g(a, *rest, **options):\n    look(a)\n    look(rest[0])\n"
        "    look(options['key'])\n    look(options['n'])\n\ng(1, PRNGKey(2), key=PRNGKey(3), n=4)",
        [{1}, {1}, set(), {2}, {3}, set()],
    ),
    "a method of the project beside a base of a library": (
        "import lib\n\nclass A(lib.Base):\n    def train(self, key):\n        look(key)\n\nclass B(A):\n    key: int\n"
        "\na = B(key=3)\nB.train(a, key=PRNGKey(1))\nlook(a.key)\nB.create(key=PRNGKey(2))\nlook(a.key)",
        [{1}, {2}, {2}],
    ),
    "options, handed on": (
        "def f(a, **options):\n    g(a, **options)\n\ndef g(a, seed=None, **options):\n    look(options['key'])\n"
        "    look(options.get('n', 3))\n    look(seed)\n\nf(1, key=PRNGKey(1), seed=PRNGKey(2), n=3)",
        [{1}, set(), {2}],
    ),
    "tree": ("look(jax.tree.map(lambda k: split(k)[0], {'a': PRNGKey(1)})['a'])", [{1}]),
    "attributes from a dictionary, of objects of unknown class": (
        """\
        import lib

        def f(state):
            new = {"key": PRNGKey(1)}
            new["rng"] = PRNGKey(2)
            look(state.replace(**new).key)
            look(state.replace(**new).rng)
            look(lib.make().replace(**{"seed": PRNGKey(3)}).seed)
            look(lib.State(**{"noise": PRNGKey(4)}).noise)
        """,
        [{1}, {2}, {3}, {4}],
    ),
    "dictionaries in a dictionary": (
        """\
        a = {"key": PRNGKey(1), "n": 3}
        look({"m": 2, **a}["key"])
        look({"m": 2, **a}["n"])
        look({**a, "key": PRNGKey(2)}["key"])
        look({**{0: PRNGKey(3)}, 0: 4}[0])
        look({**{jax: PRNGKey(4)}, "key": PRNGKey(2)}["other"])
        """,
        [{1}, set(), {2}, set(), {4}],
    ),
    "attributes by computed names": (
        """\
        class Box:
            def __init__(self, key):
                self.key = key

            def state(self):
                return {name: getattr(self, name) for name in ["key"]}

        look(Box(PRNGKey(1)).state()["key"])
        """,
        [{1}],
    ),
    "variables of a namespace": (
        "import types\nlook(vars(types.SimpleNamespace(n=1, key=PRNGKey(1)))['key'])",
        [{1}],
    ),
    "bound before a try, in it, and in its handler": (
        "key = PRNGKey(1)\ntry:\n    key = PRNGKey(2)\nexcept OSError:\n    key = PRNGKey(3)\nlook(key)",
        [{1, 2, 3}],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_keys_at(name: str, tmp_path: Path) -> None:
    text, expected = CASES[name]
    assert Reached(tmp_path, {"main.py": text}).looks() == expected


RANKS = {
    "constructor": ("look(PRNGKey(1))", [0]),
    "split": ("look(split(PRNGKey(1)))\nlook(split(PRNGKey(1), 3))\nlook(split(PRNGKey(1), num=(2, 3)))", [1, 1, 2]),
    "a size that may be a shape": ("def f(n):\n    look(split(PRNGKey(1), n))\n\nf(2)", [None]),
    "fold_in": ("look(fold_in(PRNGKey(1), 2))", [0]),
    "subscript": (
        "keys = split(PRNGKey(1), (2, 3))\nlook(keys[0])\nlook(keys[0, 1])\nlook(keys[:1])\nlook(keys[None, -1])\n"
        "look(keys[look])",
        [1, 0, 2, 2, None],
    ),
    "subscript by a number that is computed": (
        "keys = split(PRNGKey(1), 4)\nlook(keys[jnp.argmax(jnp.arange(4))])\nlook(keys[int(look)])\n"
        "look(keys[look.argmax(1)])",
        [0, 0, None],
    ),
    "loop": ("for key in split(PRNGKey(1)):\n    look(key)", [0]),
    "unpacking": ("a, b = split(PRNGKey(1))\nlook(b)", [0]),
    "argument": ("def f(key):\n    look(key)\n\nf(PRNGKey(1))", [0]),
    "arguments of several ranks": ("def f(key):\n    look(key)\n\nf(PRNGKey(1))\nf(split(PRNGKey(2)))", [None]),
    "mapped": ("def f(key):\n    look(key)\n    return key\n\nlook(jax.vmap(f)(split(PRNGKey(1))))", [0, 1]),
    "mapped, as a decorator": ("@jax.vmap\ndef f(key):\n    look(key)\n\nf(split(PRNGKey(1)))", [0]),
    "mapped in a function": ("def m(g):\n    return jax.vmap(g)\n\nlook(m(lambda k: k)(PRNGKey(1)))", [None]),
    "mapped constructor": ("make = jax.vmap(PRNGKey)\nlook(make(jnp.arange(3)))", [1]),
    "mapped split": ("cut = jax.vmap(split)\nlook(cut(split(PRNGKey(1))))", [None]),
    "compiled": ("look(jax.jit(lambda k: split(k))(PRNGKey(1)))", [1]),
    "a transformation of a library": ("import eqx\nlook(eqx.vmap(lambda k: k)(PRNGKey(1)))", [None]),
    "container": ("box = {'a': PRNGKey(1)}\nlook(box['a'])", [0]),
    "container, mapped": ("box = jax.vmap(lambda k: {'a': k})(split(PRNGKey(1)))\nlook(box['a'])", [None]),
    "attribute": ("class A:\n    pass\n\na = A()\na.key = PRNGKey(1)\nlook(a.key)", [0]),
    "attribute of a pytree": (
        "@flax.struct.dataclass\nclass A:\n    key: object\n\na = A(PRNGKey(1))\nlook(a.key)",
        [None],
    ),
    "carry": ("look(jax.lax.fori_loop(0, 3, lambda i, k: k, PRNGKey(1)))", [0]),
    "scan": (
        "def f(carry, key):\n    look(carry)\n    look(key)\n    return carry, key\n\n"
        "last, rows = jax.lax.scan(f, PRNGKey(1), split(PRNGKey(2)))\nlook(last)\nlook(rows)",
        [0, 0, 0, 1],
    ),
    "scan of a tree": (
        "_, rows = jax.lax.scan(lambda c, x: (c, x), 0, {'a': split(PRNGKey(2))})\nlook(rows['a'])",
        [None],
    ),
    "mapped tree": ("box = jax.tree.map(lambda k: k, {'a': PRNGKey(1)})\nlook(box['a'])", [0]),
    "stacked": ("look(jnp.stack([PRNGKey(1), PRNGKey(2)]))", [1]),
    "a list as an array": ("look(jnp.array([PRNGKey(i) for i in range(2)]))", [1]),
    "an array as an array": ("look(jnp.asarray(split(PRNGKey(1))))", [1]),
    "a copy": ("look(jnp.copy(split(PRNGKey(1))))\nlook(PRNGKey(1).copy())", [1, 0]),
    "rearranged": (
        "keys = split(PRNGKey(1), 4)\nlook(jnp.flip(keys, 0))\nlook(jnp.roll(keys, 1, axis=0))\n"
        "look(jnp.repeat(keys, 2, axis=0))\nlook(jax.lax.slice_in_dim(keys, 0, 1))",
        [1, 1, 1, 1],
    ),
    "reshaped": ("look(split(PRNGKey(1), 4).reshape(2, 2, 2))\nlook(jnp.squeeze(PRNGKey(1)[None], 0))", [None, None]),
    "fitted to each other": ("look(jnp.where(True, split(PRNGKey(1)), PRNGKey(2)))", [None]),
    "lists in a list": ("look(jnp.array([[PRNGKey(1), PRNGKey(2)]]))", [None]),
    "joined": ("look(jnp.concatenate([split(PRNGKey(1)), split(PRNGKey(2))]))", [1]),
}


@pytest.mark.parametrize("name", RANKS)
def test_rank(name: str, tmp_path: Path) -> None:
    """How many axes the keys of each ``look(...)`` have, in the order of places."""
    text, expected = RANKS[name]
    assert Reached(tmp_path, {"main.py": text}).ranks() == expected


def test_an_array_of_something_else_is_not_of_keys_only(tmp_path: Path) -> None:
    mixed = "def f(a):\n    look(jnp.asarray(a))\n    look(jnp.asarray([a]))\n\nf(PRNGKey(1))\n"
    sure, not_sure = Reached(tmp_path, {"main.py": mixed}), Reached(tmp_path, {"main.py": f"{mixed}f(normal)\n"})
    assert [sure.reached.has_keys_only(place) for place in sure.looked_at()] == [True, True]
    assert [not_sure.reached.has_keys_only(place) for place in not_sure.looked_at()] == [False, False]


def joins(folder: Path, text: str) -> list[list[set[int]]]:
    project = Reached(folder, {"main.py": text})
    return [[project.told(keys) for keys in meeting.keys if keys] for meeting in project.reached.joins()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("jnp.where(True, PRNGKey(1), PRNGKey(2))", [{1}, {2}]),
        ("jax.lax.cond(True, lambda: PRNGKey(1), lambda: PRNGKey(2))", [{1}, {2}]),
        ("jax.lax.switch(1, [lambda k: k, lambda k: PRNGKey(2)], PRNGKey(1))", [{1}, {2}]),
        ("jax.lax.cond(True, lambda a, b: 1, lambda a, b: 2, PRNGKey(1), PRNGKey(2))", []),
        ("jax.lax.fori_loop(0, 2, lambda i, k: PRNGKey(2), PRNGKey(1))", [{2}, {1}]),
        ("jax.lax.scan(lambda k, x: (PRNGKey(2), x), PRNGKey(1), PRNGKey(3))", [{2}, {1}]),
    ],
)
def test_meetings(text: str, expected: list[set[int]], tmp_path: Path) -> None:
    assert joins(tmp_path, text) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import vault\nvault.put(PRNGKey(1))", [("vault.put", {1})]),
        ("import vault\nvault.put({'key': [PRNGKey(1)]})", [("vault.put", {1})]),
        ("def f(function):\n    function(PRNGKey(1))", [("", {1})]),
        ("import vault\nvault.put(normal(PRNGKey(1)))", []),
        ("box = []\nbox.append(PRNGKey(1))\nprint(jnp.stack(box))", []),
        ("class A:\n    def put(self, key):\n        pass\n\nA().put(PRNGKey(1))", []),
    ],
)
def test_exits(text: str, expected: list[tuple[str, set[int]]], tmp_path: Path) -> None:
    project = Reached(tmp_path, {"main.py": text})
    assert [(way.library and way.callee, project.told(way.keys)) for way in escapes(project.reached)] == expected


def test_crowded_calls_lead_out(tmp_path: Path) -> None:
    """A call of very many functions is left alone, and its keys are taken to leave the project."""
    functions = "".join(f"def f{number}(key):\n    look(key)\n\n" for number in range(40))
    table = f"table = [{', '.join(f'f{number}' for number in range(40))}]\ntable[look](PRNGKey(1))"
    project = Reached(tmp_path, {"main.py": functions + table})
    assert [(way.library, project.told(way.keys)) for way in escapes(project.reached) if "table" in way.callee] == [
        ("", {1})
    ]


def test_attributes_of_objects_that_are_not_told_apart(tmp_path: Path) -> None:
    """After too many steps, one value stands for several objects, and for those whose attributes are read."""
    classes = "class A:\n    def __init__(self, key):\n        self.key = key\n\nclass B:\n    pass\n\n"
    functions = "def make():\n    return A(PRNGKey(1)) if look else B()\n\ndef f(x):\n    look(vars(x)['key'])\n\n"
    with mock.patch.multiple(slots, MOST_STEPS=0, FEWER_TOLD_APART=(1,)):
        project = Reached(tmp_path, {"main.py": classes + functions + "f(make())"})
    assert project.looks() == [{1}]


FILES = {
    "pkg/__init__.py": "from .keys import *\nfrom .keys import make as build\n",
    "pkg/keys.py": "KEY = PRNGKey(1)\n\ndef make():\n    return PRNGKey(2)\n",
    "pkg/use.py": "import pkg\nfrom pkg import build\nfrom pkg.keys import *\n"
    "look(pkg.KEY)\nlook(build())\nlook(KEY)\nlook(pkg.build())\n",
    "main.py": "import pkg.use as use\nfrom pkg import KEY as mine\nlook(mine)\nlook(use.make())\n",
}


def test_names_across_files(tmp_path: Path) -> None:
    assert Reached(tmp_path, FILES).looks() == [{1}, {2}, {1}, {2}, {1}, {2}]


def test_folders_without_init_are_packages(tmp_path: Path) -> None:
    files = {
        "examples/impala/keys.py": "def show(key):\n    look(key)\n",
        "examples/impala/run.py": "from examples.impala import keys\nkeys.show(PRNGKey(1))\n",
    }
    project = Reached(tmp_path, files)
    assert project.looks() == [{1}]
    assert [way.callee for way in escapes(project.reached)] == ["look"]


def fixture(seed: int, taken: str = "", *, name: str = "key", options: str = "") -> str:
    """Return the text of a fixture that makes a key."""
    return f"@pytest.fixture{options}\ndef {name}({taken}):\n    return PRNGKey({seed})\n\n"


def in_class(class_: str, *functions: str) -> str:
    """Return the text of a class with some functions."""
    return f"class {class_}:\n" + "".join(f"    {line}\n" for each in functions for line in each.splitlines())


PYTEST = "import pytest\n"
TEST = "def test_a(key):\n    look(key)\n"
METHOD = "def test_a(self, key):\n    look(key)\n"
STATE = "@pytest.fixture\ndef state(key):\n    look(key)\n    return [key]\n\n"
OWN = {"a_test.py": PYTEST + fixture(1) + TEST, "b_test.py": PYTEST + fixture(2) + TEST}
# Projects with the keys at each ``look``, in the order of files.
FIXTURES: dict[str, tuple[dict[str, str], list[set[int]]]] = {
    "of the module": (OWN, [{1}, {2}]),
    "of the module before that of the folder": (
        {"a_test.py": TEST, "b_test.py": PYTEST + fixture(2) + TEST, "conftest.py": PYTEST + fixture(3)},
        [{3}, {2}],
    ),
    "of the nearest folder": (
        {
            "conftest.py": PYTEST + fixture(1),
            "deep/conftest.py": PYTEST + fixture(2),
            "deep/a_test.py": TEST,
            "other/a_test.py": TEST,
        },
        [{2}, {1}],
    ),
    "of the class": (
        {
            "a_test.py": PYTEST
            + fixture(1)
            + in_class("TestA", fixture(2, "self"), METHOD, in_class("TestInner", METHOD))
            + in_class("TestB", METHOD)
        },
        [{1, 2}, {1, 2}, {1, 2}],
    ),
    "of a base class": (
        {
            "base.py": PYTEST + in_class("Base", fixture(1, "self"), METHOD),
            "a_test.py": "import pytest\nfrom base import Base as Common\n"
            + in_class("TestA(Common)", fixture(2, "self"), METHOD)
            + in_class("TestB(Common)", METHOD)
            + fixture(3),
        },
        [{1, 2, 3}, {1, 2, 3}, {1, 2, 3}],
    ),
    "imported": (
        {
            "fx.py": PYTEST + fixture(1),
            "a_test.py": "from fx import key\n" + TEST,
            "b_test.py": "from fx import *\n" + TEST,
            "c_test.py": "from fx import key as other\n\ndef test_a(other):\n    look(other)\n",
            "conftest.py": PYTEST + fixture(2),
        },
        [{1, 2}, {1, 2}, {1, 2}],
    ),
    "with a name of its own": (
        {
            "a_test.py": PYTEST + fixture(1, name="made", options="(name='key')") + TEST,
            "b_test.py": "from a_test import made\n" + TEST,
            "conftest.py": PYTEST + fixture(2),
        },
        [{1}, {1, 2}],
    ),
    "asked for by a fixture": (
        {
            "conftest.py": PYTEST + fixture(1) + STATE,
            "a_test.py": PYTEST + fixture(2) + "def test_a(state):\n    pass\n",
            "b_test.py": "def test_a(state):\n    pass\n",
        },
        [{1, 2}],
    ),
    "asked for by one that has its name": (
        {
            "conftest.py": PYTEST + fixture(1),
            "a_test.py": PYTEST + "@pytest.fixture\ndef key(key):\n    look(key)\n    return PRNGKey(2)\n\n" + TEST,
        },
        [{1}, {2}],
    ),
    "of a plugin": (
        {"conftest.py": "pytest_plugins = ['fx']\n", "fx.py": PYTEST + fixture(1), "a_test.py": TEST},
        [{1}],
    ),
    "asked for by one of a plugin": (
        {
            "fx.py": PYTEST + fixture(1) + STATE,
            "a_test.py": PYTEST + fixture(2) + "def test_a(state):\n    pass\n",
        },
        [{1, 2}],
    ),
    "made by a call": (
        {
            "conftest.py": PYTEST + fixture(3),
            "a_test.py": PYTEST
            + "def maker():\n    @pytest.fixture\n    def key():\n        return PRNGKey(1)\n    return key\n\n"
            + "key = maker()\n\n"
            + TEST,
        },
        [{1}],
    ),
}


@pytest.mark.parametrize("name", FIXTURES)
def test_a_test_gets_the_fixtures_of_the_names_of_its_parameters(name: str, tmp_path: Path) -> None:
    files, expected = FIXTURES[name]
    assert Reached(tmp_path, files).looks() == expected


def test_a_star_of_code_out_of_reach_hides_no_name_of_a_file(tmp_path: Path) -> None:
    files = {"tools.py": "key = PRNGKey(1)\n", "main.py": "from tools import *\nfrom elsewhere import *\nlook(key)\n"}
    reached = Reached(tmp_path, files)
    (place,) = reached.looked_at()
    assert reached.looks() == [{1}] and not any(isinstance(value, Library) for value in values(reached.reached, place))


def test_an_update_and_a_transpose_are_no_places_of_keys() -> None:
    keys = "import jax\nkeys = jax.random.split(jax.random.PRNGKey(0), 3)\n"
    text = f"{keys}more = keys.at[0].set(keys[1])\nx = keys.T[0]\n"
    assert {"keys", "keys[1]"} <= places(text)
    assert places(text).isdisjoint({"keys.at", "keys.at[0]", "keys.T", "keys.T[0]"})


def test_a_word_that_a_function_takes_is_no_place_of_keys() -> None:
    text = "import jax\ndef word(x):\n    return x[0]\nw = word(jax.random.PRNGKey(0))\nprint(w + 1)\n"
    assert "x" in places(text)
    assert places(text).isdisjoint({"x[0]", "w"})


def places(text: str) -> set[str]:
    """Return the expressions that only keys reach."""
    document = Document("a.py", text)
    (found,) = places_in(reach({"a.py": document}, None), {"a.py": document}).values()
    lines = text.splitlines()
    return {lines[line - 1][column:end] for line, column, _, end in found.ranks}
