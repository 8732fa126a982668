"""Key flow through the files of a project: each program is several modules, the marked rows are its reuses."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from olympus_rules.finding import Confidence
from olympus_rules.keyflow.facts import DerivationCollision, Reuse
from olympus_rules.keyflow.linking.project import Project
from olympus_rules.keyflow.linking.rests import Question

MARK = "  # reuse"

HELPERS = """
import jax
from jax import random


def draw(key, n=3):
    return random.normal(key, (n,))


def ignore(key, x):
    return x


def fold(key, x):
    return random.normal(random.fold_in(key, 7))


def give_back(key, x):
    return key, x


def children(key):
    left, right = random.split(key)
    return left, right


def fresh(seed):
    return random.key(seed)


def twice(f, key):
    return f(key)


def recursive(key, depth):
    if depth == 0:
        return random.normal(key)
    return recursive(key, depth - 1)


step = jax.jit(draw)
"""

MODELS = """
import dataclasses
from typing import NamedTuple
import jax
import labkit
from .helpers import draw


class State(NamedTuple):
    params: object
    key: jax.Array


class Base:
    def __init__(self, key):
        self.key = key
        self.weights = draw(key)

    def sample(self, key):
        return draw(key)

    @property
    def noise(self):
        return jax.random.normal(self.key)

    @staticmethod
    def static(key):
        return jax.random.uniform(key)

    @classmethod
    def create(cls, key, n):
        return cls(key)

    def quiet(self, key):
        return self.weights


class Child(Base):
    def sample(self, key):
        return super().sample(key)


def init(key):
    return State(draw(key), key)


def fresh_state(key):
    one, two = jax.random.split(key)
    return State(draw(one), two)


def make(key):
    def step(x):
        return jax.random.normal(key) + x

    return step


class Trained(labkit.TrainState):
    rng: jax.Array

    def draw(self):
        return jax.random.normal(self.rng)

    @classmethod
    def start(cls, key):
        return cls.create(params=draw(key), rng=key)


class Receiverless:
    def __init__(*args, **kwargs):
        args[0].seed = args[1]

    def bare(*args):
        return args

    @staticmethod
    def make():
        return 3

    @staticmethod
    def static(key):
        return jax.random.uniform(key)


class Factory:
    @classmethod
    def initialize(cls, key):
        return cls.start(key)

    @classmethod
    def start(cls, key):
        return jax.random.uniform(key)


class Strategy:
    def initialize(self, key):
        return self.start(key)

    def start(self, key):
        raise NotImplementedError


def trainer(fast):
    def compute(key, i):
        return jax.random.normal(jax.random.fold_in(key, i))

    if fast:
        fn = jax.jit(compute)
    else:
        fn = compute

    def step(key, i):
        return fn(key, i)

    return step


def chain(key):
    def link(key):
        jax.random.normal(key)
        return link

    return link(key)


def make_train(config):
    def train(key):
        return jax.random.normal(key) * config["scale"]

    return train
"""

PROGRAMS = {
    "consumed by a helper": """
        from pkg.helpers import draw

        def f(key):
            return draw(key) + draw(key)  # reuse
        """,
    "ignored": """
        from pkg.helpers import draw, ignore

        def f(key):
            return ignore(key, 1) + ignore(key, 2) + draw(key)
        """,
    "folded": """
        import jax
        from pkg import helpers

        def f(seed):
            key = jax.random.key(seed)
            a = jax.random.normal(key)
            return helpers.fold(key, a), helpers.fold(key, a)  # reuse
        """,
    "returned unchanged": """
        from pkg.helpers import draw, give_back

        def f(key):
            same, _ = give_back(key, 1)
            return draw(key), draw(same)  # reuse
        """,
    "children": """
        from pkg.helpers import children, draw

        def right(key):
            left, right = children(key)
            return draw(left), draw(right)

        def wrong(key):
            left, right = children(key)
            return draw(left), draw(left)  # reuse
        """,
    "made from a seed": """
        from pkg.helpers import draw, fresh

        def right(seed):
            return draw(fresh(seed)), draw(fresh(seed + 1))

        def wrong(seed):
            key = fresh(seed)
            return draw(key), draw(key)  # reuse
        """,
    "jitted at the module's level": """
        from pkg.helpers import step

        def f(key):
            return step(key) + step(key)  # reuse
        """,
    "recursive": """
        from pkg.helpers import recursive

        def f(key):
            return recursive(key, 3) + recursive(key, 4)  # reuse
        """,
    "re-exported": """
        import pkg

        def f(key):
            return pkg.draw(key) + pkg.draw(key)  # reuse
        """,
    "star import": """
        from pkg.helpers import *

        def f(key):
            return draw(key) + draw(key)  # reuse
        """,
    "constructor": """
        from pkg.models import Base

        def right(key, other):
            return Base(key).quiet(other), Base(other)

        def wrong(key):
            return Base(key), Base(key)  # reuse
        """,
    "method": """
        from pkg.models import Base

        def f(key, other):
            base = Base(key)
            return base.sample(other), base.sample(other)  # reuse

        def right(key, other):
            base = Base(key)
            return base.quiet(other), base.sample(other)
        """,
    "method of a base in another file": """
        from pkg.models import Base

        class Mine(Base):
            def extra(self, key):
                return self.sample(key) + self.sample(key)  # reuse

            def right(self, key):
                return self.quiet(key), self.sample(key)
        """,
    "super": """
        from pkg.models import Base

        class Mine(Base):
            def sample(self, key):
                return super().sample(key), super().sample(key)  # reuse

            def quiet(self, key):
                return super().quiet(key), super().sample(key)
        """,
    "super inside the other file": """
        from pkg.models import Child

        def f(key, other):
            child = Child(key)
            return child.sample(other), child.sample(other)  # reuse
        """,
    "property": """
        import jax
        from pkg.models import Base

        def f(key):
            base = Base(key)
            return base.noise  # reuse
        """,
    "static and class methods": """
        from pkg.models import Base

        def static(key):
            return Base.static(key) + Base.static(key)  # reuse

        def create(key):
            return Base.create(key, 1), Base.create(key, 2)  # reuse
        """,
    "state that keeps a consumed key": """
        from pkg.helpers import draw
        from pkg.models import fresh_state, init

        def wrong(key):
            state = init(key)
            return draw(state.key)  # reuse

        def right(key):
            state = fresh_state(key)
            return draw(state.key)

        def again(key):
            state = fresh_state(key)
            state = state._replace(params=0)
            return draw(state.key) + draw(state.key)  # reuse
        """,
    "closure": """
        from pkg.models import make, make_train

        def wrong(key):
            step = make(key)
            return step(1) + step(2)  # reuse

        def right(key, other):
            return make(key)(1) + make(other)(1)

        def trained(key):
            train = make_train({"scale": 1})
            return train(key) + train(key)  # reuse
        """,
    "relative import": """
        from .helpers import draw

        def f(key):
            return draw(key) + draw(key)  # reuse
        """,
    "inside scan": """
        import jax
        from pkg.helpers import draw

        def f(key, xs):
            def body(carry, x):
                return carry, draw(key) + x  # reuse

            return jax.lax.scan(body, 0, xs)
        """,
    "a function that returns itself": """
        from pkg.models import chain

        def f(key, other):
            return chain(other), chain(key)(key)  # reuse
        """,
    "an inherited method calls one that the class overrides": """
        import jax
        from pkg.models import Strategy
        from pkg.strategies import Drawing, Quiet

        class Mine(Strategy):
            def start(self, key):
                return jax.random.normal(key)

        def drawing(key):
            strategy = Drawing()
            return strategy.initialize(key), jax.random.normal(key)  # reuse

        def mine(key):
            strategy = Mine()
            return strategy.initialize(key), jax.random.normal(key)  # reuse

        def right(key):
            strategy = Quiet()
            return strategy.initialize(key), jax.random.normal(key)
        """,
    "inherited methods without an object": """
        import jax
        from pkg.models import Receiverless

        class Mine(Receiverless):
            def __init__(*args, **kwargs):
                super().__init__(*args)

            def right(self, seed):
                one, two = jax.random.split(jax.random.key(seed))
                return self.make(), self.bare(), jax.random.normal(one), jax.random.normal(two)

            def wrong(self, seed):
                key = jax.random.key(seed)
                self.make()
                return jax.random.normal(key), jax.random.normal(key)  # reuse

        class Setting(Receiverless):
            def setup():
                return 3

            def wrong(self, key):
                return self.static(key), self.static(key)  # reuse

        def outside(seed):
            mine = Mine(seed)
            key = jax.random.key(seed)
            return mine.make(), mine.static(key), mine.wrong(seed), mine.static(key)  # reuse
        """,
    "a known class that only stores the key": """
        import jax
        from pkg.models import State, Trained

        def right(seed):
            key = jax.random.key(seed)
            return State(0, key), Trained(rng=key), Trained.create(rng=key), jax.random.normal(key)

        def wrong(seed):
            key = jax.random.key(seed)
            return Trained.start(key), jax.random.normal(key)  # reuse

        def method(seed, params):
            key = jax.random.key(seed)
            return Trained(rng=key).draw(), jax.random.normal(key)  # reuse
        """,
    "an inherited class method calls one that the class overrides": """
        import jax
        from pkg.models import Factory

        class Drawing(Factory):
            @classmethod
            def start(cls, key):
                return jax.random.normal(key)

        class Quiet(Factory):
            @classmethod
            def start(cls, key):
                return 0

        def wrong(key):
            return Drawing.initialize(key), jax.random.normal(key)  # reuse

        def right(key):
            return Quiet.initialize(key), jax.random.normal(key)
        """,
    "a closure over a function that two branches bind": """
        import jax
        from pkg.models import trainer

        def f(seed):
            key = jax.random.key(seed)
            step = trainer(True)
            return step(key, 1), step(key, 2), jax.random.normal(key)
        """,
    "handed on to a file without keys": """
        import jax
        from pkg.disk import save

        def f(seed):
            key = jax.random.key(seed)
            save(key)
            return jax.random.normal(key)
        """,
    "a circle of files": """
        from pkg.ring import ping

        def f(key):
            return ping(key, 3) + ping(key, 4)  # reuse
        """,
}

RING = {
    "strategies.py": """
        import jax
        from .models import Strategy

        class Drawing(Strategy):
            def start(self, key):
                return jax.random.normal(key)

        class Quiet(Strategy):
            def start(self, key):
                return 0
        """,
    "plain.py": """
        def write(where, tree):
            print(where, tree)
        """,
    "disk.py": """
        from .plain import write

        def save(tree):
            write("x", tree)
        """,
    "ring.py": """
        from . import gnir

        def ping(key, n):
            return gnir.pong(key, n - 1) if n else 0
        """,
    "gnir.py": """
        import jax
        from .ring import ping

        def pong(key, n):
            if n > 100:
                return jax.random.normal(key)
            return ping(key, n - 1)
        """,
}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    files = {"helpers.py": HELPERS, "models.py": MODELS, "__init__.py": "from .helpers import *\n", **RING}
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pyproject.toml").touch()
    for name, text in files.items():
        (tmp_path / "pkg" / name).write_text(textwrap.dedent(text))
    return tmp_path / "pkg"


def reuses(project: Project, path: Path) -> list[int]:
    document = project.document(str(path), path.read_text())
    facts = project.analysis(document).run(by_name=False)
    found = [fact for fact in facts if fact.confidence > Confidence.POSSIBLE]
    assert all(fact.confidence >= Confidence.CERTAIN for fact in found if isinstance(fact, Reuse)), found
    return [fact.node.lineno for fact in found if isinstance(fact, Reuse | DerivationCollision)]  # type: ignore[attr-defined]


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_programs(package: Path, program: str) -> None:
    source = textwrap.dedent(program)
    (package / "main.py").write_text(source)
    marked = [number for number, line in enumerate(source.splitlines(), 1) if line.endswith(MARK)]
    assert reuses(Project(), package / "main.py") == marked


def test_the_order_of_files_does_not_matter(package: Path) -> None:
    """What a file says to its importers is the same before and after its own run, and on either way into a circle."""
    source = (
        "from pkg.ring import ping\nfrom pkg.gnir import pong\n\n\ndef f(key):\n    return ping(key, 1), pong(key, 2)\n"
    )
    (package / "main.py").write_text(source)
    for order in (
        ["ring.py", "gnir.py", "main.py"],
        ["main.py", "gnir.py", "ring.py"],
        ["gnir.py", "main.py", "ring.py"],
    ):
        project = Project()
        assert {name: reuses(project, package / name) for name in order} == {
            "ring.py": [],
            "gnir.py": [],
            "main.py": [6],
        }


def test_an_answer_does_not_hang_on_why_its_file_was_opened(package: Path) -> None:
    """A package that holds no key itself passes names on, and a module without keys says nothing, opened or not."""
    (package / "__init__.py").write_text("from .models import Model\n")
    (package / "plain.py").write_text("def twice(x):\n    return 2 * x\n")
    names = {package / "__init__.py": "Model", package / "plain.py": "twice"}
    for path, name in names.items():
        asked, opened = Project(), Project()
        opened.analysis(opened.document(str(path), path.read_text())).run()
        question = Question(str(path), name, False)
        assert asked.answers.answer(question) == opened.answers.answer(question)
        assert (asked.answers.answer(question) is None) == (name == "twice")


def test_a_package_has_the_names_of_the_stub_that_it_attaches(package: Path) -> None:
    attached = package / "lazy"
    attached.mkdir()
    (attached / "__init__.py").write_text(
        "import lazy_loader\n\n__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)\n"
    )
    (attached / "__init__.pyi").write_text('__all__ = ["draw"]\n\nfrom ..helpers import draw\nfrom .missing import x\n')
    (package / "main.py").write_text("from pkg.lazy import draw\n\n\ndef f(key):\n    return draw(key), draw(key)\n")
    assert reuses(Project(), package / "main.py") == [5]
    (attached / "__init__.pyi").write_text("def (:")
    assert reuses(Project(), package / "main.py") == []


def test_a_record_has_numbers_of_its_own(package: Path) -> None:
    """What a function's record holds is the same whatever else of its file was interpreted before."""
    source = (
        "import jax\n\n\ndef other(x, mode):\n    return x[1:] if mode == 'a' else x.reshape(2, 3)\n\n\n"
        "class Box:\n    def fill(self, key, mode, keys):\n        if mode == 'b' and key is not None:\n"
        "            self.key = jax.random.fold_in(key, 1)\n        return keys.reshape(3, 2), key\n\n\n"
        "def fill(key, mode, keys):\n    box = Box()\n    a, b = box.fill(key, mode, keys)\n"
        "    return jax.random.normal(a[0]), b, box.key\n"
    )
    path = package / "records.py"
    path.write_text(source)
    questions = [Question(str(path), name, True) for name in ("other", "Box.fill", "fill")]
    records = []
    for order in (questions, questions[::-1]):
        project = Project()
        records.append({question: project.answers.answer(question) for question in order})
    assert records[0] == records[1] and None not in records[0].values()
