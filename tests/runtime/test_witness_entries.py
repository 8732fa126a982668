"""A witness finds out what an object or a function is: from rows of tests, fixtures, constructors, callers, containers.

Each program has a reuse at its marks, by calls of which nothing is known unless it is found out.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from marked import read

pytest.importorskip("jax", reason="a witness is traced with JAX")

from olympus.verdicts import Place, Question, Verdict
from olympus.verdicts.documented import Documented
from olympus.witness.answer import answer
from olympus.witness.execution import Target

DRAW = "def draw(key):\n    return jax.random.normal(key)\n"
KEEP = "def keep(key):\n    return 0\n"
TWICE = "key = jax.random.key(0)\n    a = «1 g(key)»\n    return a + «2 g(key)»"
WITH_ROWS = {
    "parametrize": f"import pytest\n{DRAW}@pytest.mark.parametrize('g', [draw])\ndef test_it(g, key):\n    {TWICE}",
    "parametrize, several names": (
        f"import pytest\n{DRAW}@pytest.mark.parametrize('n,g', [pytest.param(1, draw, id='x')])\n"
        f"def test_it(n, g, key):\n    {TWICE}"
    ),
    "parametrize of a class": (
        f"import pytest\n{DRAW}@pytest.mark.parametrize('g', [draw])\n"
        "class TestIt:\n    def test_it(self, g, key):\n        return «1 g(key)», «2 g(key)»"
    ),
    "a later row": (
        f"import pytest\n{DRAW}{KEEP}@pytest.mark.parametrize('g', [keep, draw])\ndef test_it(g, key):\n    {TWICE}"
    ),
    "parameters": (
        f"from absl.testing import parameterized\n{DRAW}class Test(parameterized.TestCase):\n"
        "    @parameterized.parameters((draw, 1), (draw, 2))\n"
        "    def test_it(self, g, n):\n        key = jax.random.key(n)\n        return «1 g(key)», «2 g(key)»"
    ),
    "named parameters": (
        f"from absl.testing import parameterized\n{DRAW}class Test(parameterized.TestCase):\n"
        "    @parameterized.named_parameters(('first', draw), ('second', draw))\n"
        "    def test_it(self, g):\n        key = jax.random.key(0)\n        return «1 g(key)», «2 g(key)»"
    ),
    "named parameters, as dictionaries": (
        f"from absl.testing import parameterized\n{DRAW}class Test(parameterized.TestCase):\n"
        "    @parameterized.named_parameters({'testcase_name': 'first', 'g': draw})\n"
        "    def test_it(self, g):\n        key = jax.random.key(0)\n        return «1 g(key)», «2 g(key)»"
    ),
    "products": (
        f"from absl.testing import parameterized\n{DRAW}class Test(parameterized.TestCase):\n"
        "    @parameterized.product(g=[draw], n=[1, 2])\n"
        "    def test_it(self, g, n):\n        key = jax.random.key(n)\n        return «1 g(key)», «2 g(key)»"
    ),
    "products of chex": (
        "import chex\nfrom absl.testing import parameterized\n"
        f"{DRAW}class Test(parameterized.TestCase):\n"
        "    @parameterized.named_parameters(chex.params_product([('a', 1)], [('b', draw)], named=True))\n"
        "    def test_it(self, n, g):\n        key = jax.random.key(n)\n        return «1 g(key)», «2 g(key)»"
    ),
    "a fixture": f"import pytest\n{DRAW}@pytest.fixture\ndef g():\n    return draw\ndef test_it(g, key):\n    {TWICE}",
    "a fixture that is cleaned up": (
        f"import pytest\n{DRAW}@pytest.fixture\ndef g():\n    yield draw\ndef test_it(g, key):\n    {TWICE}"
    ),
    "a fixture with parameters, which asks for another": (
        f"import pytest\n{DRAW}@pytest.fixture(params=['a'])\ndef name(request):\n    return request.param\n"
        "@pytest.fixture\ndef g(name):\n    return {'a': draw}[name]\n"
        f"def test_it(g, key):\n    {TWICE}"
    ),
    "setUp": (
        f"import unittest\n{DRAW}class Test(unittest.TestCase):\n    def setUp(self):\n        self.g = draw\n"
        "    def test_it(self):\n        key = jax.random.key(0)\n        return «1 self.g(key)», «2 self.g(key)»"
    ),
}
KNOWN = {
    "a constructor": (
        f"{DRAW}class Agent:\n    def __init__(self, size):\n        self.g = draw\n"
        "    def act(self, key):\n        return «1 self.g(key)», «2 self.g(key)»"
    ),
    "a registry": f"{DRAW}GS = {{'a': draw}}\ndef f(name, key):\n    g = GS[name]\n    {TWICE}",
    "a registry that is asked first": (
        f"{DRAW}GS = {{'a': draw}}\ndef f(name, key):\n    if name not in GS:\n        raise ValueError(name)\n"
        f"    g = GS[name]\n    {TWICE}"
    ),
    "an initializer": (
        "def f(key):\n    g = jax.nn.initializers.normal(1.0)\n"
        "    a = «1 g(key, (3,))»\n    return a + «2 g(key, (3,))»"
    ),
    "an example library": (
        "from jax.example_libraries import stax\ndef f(key):\n"
        "    init, apply = stax.serial(stax.Dense(3), stax.Relu)\n"
        "    a = «1 init(key, (2, 2))»\n    return a, «2 init(key, (2, 2))»"
    ),
    "a signature that is looked at": (
        "import functools, inspect\n"
        "def wrapped(g):\n    size = len(inspect.signature(g).parameters)\n"
        "    @functools.wraps(g)\n    def h(*args):\n        return g(*args[:size])\n    return h\n"
        f"@wrapped\n{DRAW}def f(key):\n    a = «1 draw(key, 3)»\n    return a + «2 draw(key, 3)»"
    ),
    "a class that registers itself": (
        f"{DRAW}class Base:\n    def __new__(cls, *args):\n"
        "        return object.__new__(jax.tree_util.register_pytree_node_class(cls))\n"
        "    def g(self, key):\n        return draw(key)\n"
        "def f(key):\n    b = Base()\n    a = «1 b.g(key)»\n    return a + «2 b.g(key)»"
    ),
    "a generic class whose base is not known": (
        f"from library import Module\n{DRAW}class Model(Module):\n    pass\n"
        "class Child(Model[int]):\n    def g(self, key):\n        return draw(key)\n"
        "def f(key):\n    b = Child()\n    a = «1 b.g(key)»\n    return a + «2 b.g(key)»"
    ),
    "a check of the type of what is not known": (
        f"from library import Wrapper\n{DRAW}class Model:\n    def __init__(self, x):\n"
        "        if not isinstance(x, (int, float)):\n            raise TypeError(x)\n"
        "    def g(self, key):\n        return draw(key)\n"
        "def f(key, x):\n    b = Model(x)\n    a = «1 b.g(key)»\n    return a + «2 b.g(key)»"
    ),
    "a branch with its operand by name": (
        f"{DRAW}def f(key, x):\n    def g(key):\n        return jax.lax.cond(x, draw, draw, operand=key)\n    {TWICE}"
    ),
    "a frozen dictionary": (
        f"from frozendict import frozendict\n{DRAW}def f(key):\n    g = frozendict({{'g': draw}})['g']\n    {TWICE}"
    ),
}


def verdict(
    source: str, folder: Path, *, documented: tuple[Documented, ...] = (), others: dict[str, str] | None = None
) -> Verdict:
    """Return what a witness says of the places that are marked in a program of which the linter is not certain."""
    program = read(f"import jax\n{source}\n")
    for name, text in {"program.py": program.text, **(others or {})}.items():
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, "utf-8")
    file = folder / "program.py"
    first, second = (Place(str(file), *program.places[mark]) for mark in "12")
    question = Question("OLY104", second, None if first == second else first)
    (found,) = answer(
        Target(str(file), program.text, "program", "", folders=(folder,), documented=documented), [question]
    )
    return found


@pytest.mark.parametrize("name", [*WITH_ROWS, *KNOWN])
def test_it_is_found_out_what_is_called(name: str, tmp_path: Path) -> None:
    assert verdict({**WITH_ROWS, **KNOWN}[name], tmp_path).status == "confirmed"


@pytest.mark.parametrize(
    "source",
    [
        f"def f(g, key):\n    {TWICE}",
        "import pytest\nfrom library import draw\n"
        f"@pytest.mark.parametrize('g', [draw])\ndef test_it(g, key):\n    {TWICE}",
        f"import pytest\n@pytest.fixture\ndef h():\n    return print\ndef test_it(g, key):\n    {TWICE}",
    ],
)
def test_what_stays_unknown_confirms_nothing(source: str, tmp_path: Path) -> None:
    assert verdict(source, tmp_path).status == "inconclusive"


@pytest.mark.parametrize(
    "source",
    [
        f"import pytest\n{KEEP}@pytest.mark.parametrize('g', [keep])\ndef test_it(g, key):\n    {TWICE}",
        f"{KEEP}GS = {{'a': keep}}\ndef f(name, key):\n    g = GS[name]\n    {TWICE}",
        f"def f(key):\n    g = jax.nn.initializers.constant(1.0)\n    {TWICE}",
        f"def f(key):\n    g = jax.nn.initializers.zeros\n    {TWICE}",
    ],
)
def test_what_leaves_the_key_alone_is_not_confirmed(source: str, tmp_path: Path) -> None:
    assert verdict(source, tmp_path).status != "confirmed"


UNKNOWN = f"def f(g, key):\n    {TWICE}"
CALLERS = {
    "a test beside it": {
        "test_program.py": f"import jax\nimport program\n{DRAW}def test_f():\n    program.f(draw, 0)\n"
    },
    "a test in a folder": {
        "tests/test_program.py": f"import jax\nfrom program import f\n{DRAW}def test_f():\n    f(draw, 0)\n"
    },
    "a test by way of its helper": {
        "test_program.py": (
            f"import jax\nimport pytest\nfrom program import f\n{DRAW}def helper(g):\n    return f(g, 0)\n"
            "@pytest.mark.parametrize('g', [draw])\ndef test_f(g):\n    helper(g)\n"
        )
    },
    "a test with a fixture that tests share": {
        "conftest.py": f"import jax\nimport pytest\n{DRAW}@pytest.fixture\ndef g():\n    return draw\n",
        "test_program.py": "import jax\nfrom program import f\ndef test_f(g):\n    f(g, 0)\n",
    },
}


@pytest.mark.parametrize("name", CALLERS)
def test_a_caller_in_another_file_knows_the_argument(name: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    assert verdict(UNKNOWN, tmp_path, others=CALLERS[name]).status == "confirmed"


def test_another_function_of_the_same_name_is_no_caller(tmp_path: Path) -> None:
    other = f"import jax\n{DRAW}def f(g, key):\n    return g(key)\ndef test_f():\n    f(draw, 0)\n"
    assert verdict(UNKNOWN, tmp_path, others={"test_other.py": other}).status == "inconclusive"


def test_modules_that_import_each_other_in_a_circle(tmp_path: Path) -> None:
    others = {
        "pkg/__init__.py": "from pkg.base import Base\nfrom pkg.child import Child\n",
        "pkg/base.py": "import jax\nclass Base:\n    def g(self, key):\n        return jax.random.normal(key)\n"
        "def child():\n    from pkg.child import Child\n    return Child()\n",
        "pkg/child.py": "from pkg.base import Base\nclass Child(Base):\n    pass\n",
    }
    source = (
        "from pkg.base import child\ndef f(key):\n    b = child()\n    a = «1 b.g(key)»\n    return a + «2 b.g(key)»"
    )
    assert verdict(source, tmp_path, others=others).status == "confirmed"


SAMPLE = Documented("library", "sample", ("key", "shape"), ("key",))
INIT = Documented("", "library.start", ("params", "key"), ("key",))
LAYER = Documented("", "library.nn.Layer.__call__", ("x", "key"), ("key",))
STREAMS = Documented("", "library.Streams", ("default",), ("default", "*"), ("default",))
DOCUMENTED = {
    "a method": "from library import Normal\ndef f():\n    key, d = jax.random.key(0), Normal(0, 1)\n"
    "    a = «1 d.sample(key)»\n    return a + «2 d.sample(key, (3,))»",
    "a method of what a method gives": "import library\ndef f(key):\n    d = library.dist.Normal(0, 1).expand((2,))\n"
    "    a = «1 d.sample(key=key)»\n    return a + «2 jax.random.normal(key)»",
    "a function": "import library\ndef f():\n    key = jax.random.key(0)\n    a = «1 library.start({}, key)»\n"
    "    return a + «2 library.start({}, key)»",
    "a function of an argument": "import library\ndef f(key):\n    a = «1 library.start({}, key)»\n"
    "    return a + «2 library.start({}, key)»",
    "an object": "from library import nn\ndef f(x, key):\n    a = nn.Layer(0.5)\n"
    "    return «1 a(x, key=key)» + «2 nn.Layer(0.1)(x, key)»",
    "any keyword": "import library\ndef f(key):\n    a = «1 library.Streams(first=key)»\n"
    "    return a, «2 library.Streams(other=key)»",
    "a seed": "import library\ndef f():\n    return «1 library.Streams(3)», «2 library.Streams(default=3)»",
    "a seed of a loop": "import library\ndef f():\n    for _ in range(3):\n        «12 library.Streams(3)»",
    "a seed and a key": "import library\ndef f():\n    a = «1 library.Streams(3)»\n"
    "    return a, «2 library.Streams(jax.random.key(3))»",
    "two keywords": "import library\ndef f(key):\n    return «12 library.Streams(first=key, other=key)»",
}


@pytest.mark.parametrize("name", DOCUMENTED)
def test_what_is_documented_is_known(name: str, tmp_path: Path) -> None:
    found = verdict(DOCUMENTED[name], tmp_path, documented=(SAMPLE, INIT, LAYER, STREAMS))
    assert found.status == "confirmed"
    claims = [line for line in found.evidence if "its signature pack says that it consumes the key" in line]
    assert claims and claims[0].partition(": not executed")[0] in ("sample", "start", "a", "Streams")
    assert not any("_consumption" in line for line in found.evidence)
    shows_key = "jax.random.key(0)" in DOCUMENTED[name] or "jax.random.normal(key)" in DOCUMENTED[name]
    assert verdict(DOCUMENTED[name], tmp_path).status == ("inconclusive" if shows_key else "not reached")


@pytest.mark.parametrize(
    "source",
    [
        "def f(d):\n    key = jax.random.key(0)\n    a = «1 d.sample(key)»\n    return a + «2 d.sample(key)»",
        "from other import Normal\ndef f():\n    key, d = jax.random.key(0), Normal()\n"
        "    a = «1 d.sample(key)»\n    return a + «2 d.sample(key)»",
        "from library import Normal\ndef f():\n    key, d = jax.random.key(0), Normal()\n"
        "    a = «1 d.draw(key)»\n    return a + «2 d.draw(key)»",
        "from library import Normal\ndef f():\n    key, d = jax.random.key(0), Normal()\n"
        "    a = «1 d.sample(0, key)»\n    return a + «2 d.sample(0, key)»",
    ],
    ids=["an argument", "another library", "another method", "another place"],
)
def test_what_is_documented_of_something_else_confirms_nothing(source: str, tmp_path: Path) -> None:
    assert verdict(source, tmp_path, documented=(SAMPLE, INIT)).status == "inconclusive"


def test_folders_that_may_not_be_looked_at_have_no_callers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "exists", refuse)
    assert verdict(KNOWN["a registry"], tmp_path).status == "confirmed"
    assert verdict(UNKNOWN, tmp_path).status == "inconclusive"
