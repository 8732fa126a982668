"""The reasons that hold back constructors: each names a path that its key can take, or says what is not known."""

from __future__ import annotations

from textwrap import dedent

import pytest

from olympus_codemods.target import Target
from olympus_lint.migration.constructors import Constructor, Line, short
from olympus_lint.migration.project import migrate
from olympus_lint.migration.text import Text
from olympus_lint.project.settings import Settings


def constructors(text: str) -> list[Constructor]:
    """Return the constructors of a program, as its migration plans them."""
    program = "import jax, somelib\n" + dedent(text)
    return migrate([Text("program.py", Settings(), program)], Target("typed"), strict=True).constructors["program.py"]


def held(text: str) -> list[bool]:
    """Return which constructors of a program are held back."""
    return [bool(each.reasons) for each in constructors(text)]


PATHS = {
    "argument and return": (
        """
        def same(key):
            return key
        def show():
            key = jax.random.PRNGKey(0)
            other = same(key)
            return somelib.show(other)
        """,
        [6, 7, 4, 7, 8],
    ),
    "attribute": (
        """
        class Agent:
            def __init__(self, key):
                self.key = key
            def show(self):
                return somelib.show(self.key)
        Agent(jax.random.PRNGKey(0)).show()
        """,
        [8, 5, 7],
    ),
}


@pytest.mark.parametrize("name", PATHS)
def test_a_reason_has_the_lines_from_the_constructor_to_the_place(name: str) -> None:
    text, rows = PATHS[name]
    (constructor,) = constructors(text)
    (reason,) = constructor.reasons
    assert reason.text.startswith("is passed to `somelib.show`"), reason
    assert [step.row for step in reason.path] == rows


# Programs with the constructors that are held back: those whose keys can get to the place.
TOLD_APART = {
    "a container that is written to after it was returned": (
        """
        def fill(state, key):
            state["key"] = key
            return state
        def show():
            state = {}
            fill(state, jax.random.PRNGKey(0))
            return somelib.show(state['key'])
        """,
        [True],
    ),
    "a list that a function appends to": (
        """
        def add(keys, key):
            keys.append(key)
        def show():
            keys = []
            add(keys, jax.random.PRNGKey(0))
            return [somelib.show(key) for key in keys]
        """,
        [True],
    ),
    "a function with its first argument bound": (
        """
        from functools import partial
        def give(key, n):
            return key
        def show():
            later = partial(give, jax.random.PRNGKey(0))
            return somelib.show(later(3))
        """,
        [True],
    ),
    "a closure": (
        """
        def maker(key):
            def inner():
                return key
            return inner
        def show():
            inner = maker(jax.random.PRNGKey(0))
            return somelib.show(inner())
        """,
        [True],
    ),
    "a carry": (
        """
        def body(carry, _):
            key, n = carry
            return (key, n + 1), n
        def show():
            (key, _), _ = jax.lax.scan(body, (jax.random.PRNGKey(0), 0), None, length=3)
            return somelib.show(key)
        """,
        [True],
    ),
    "an updated dictionary": (
        """
        def show():
            state = {"n": 1}
            state.update({"key": jax.random.PRNGKey(0)})
            for key in state.values():
                somelib.show(key)
        """,
        [True],
    ),
    "the leaves of a tree of trees": (
        """
        def show():
            state = {"a": {"b": [(jax.random.PRNGKey(0), 1)]}}
            for leaf in jax.tree.leaves(state):
                somelib.show(leaf)
        """,
        [True],
    ),
    "an object in a list": (
        """
        class State:
            def __init__(self, key):
                self.keys = [key]
        def show(states):
            somelib.show(states[0].keys[0])
        show([State(jax.random.PRNGKey(0))])
        """,
        [True],
    ),
    "a generator": (
        """
        def keys(key):
            while True:
                key, now = jax.random.split(key)
                yield now
        def show():
            for key in keys(jax.random.PRNGKey(0)):
                somelib.show(key)
        """,
        [True],
    ),
    "a function in an attribute": (
        """
        class Runner:
            def __init__(self, step):
                self.step = step
            def run(self, key):
                return self.step(key)
        def same(key):
            return key
        def show():
            somelib.show(Runner(same).run(jax.random.PRNGKey(0)))
        """,
        [True],
    ),
    "a decorator that keeps results": (
        """
        def cached(function):
            found = {}
            def inner(key):
                found["last"] = function(key)
                return found
            return inner
        @cached
        def same(key):
            return key
        def show():
            same(jax.random.PRNGKey(0))
            somelib.show(same(None)["last"])
        """,
        [True],
    ),
    "a container that a function gives and takes again": (
        """
        def step(state, key):
            state = {} if state is None else state
            state["key"] = key
            return state
        def show():
            state = step(None, None)
            step(state, jax.random.PRNGKey(0))
            somelib.show(state["key"])
        """,
        [True],
    ),
    "keyword arguments passed on": (
        """
        def inner(key, **rest):
            return rest["other"], key
        def outer(**options):
            return inner(**options)
        def show():
            other, _ = outer(key=1, other=jax.random.PRNGKey(0))
            somelib.show(other)
        """,
        [True],
    ),
    "starred arguments passed on": (
        """
        def inner(n, key):
            return key
        def outer(*arguments):
            return inner(*arguments)
        def show():
            somelib.show(outer(1, jax.random.PRNGKey(0)))
        """,
        [True],
    ),
    "mapped functions": (
        """
        def each(key):
            return key, 1
        def show():
            keys, _ = jax.vmap(each)(jax.random.split(jax.random.PRNGKey(0)))
            somelib.show(list(map(each, keys))[0][0])
        """,
        [True],
    ),
    "a variable that is bound again": (
        """
        def first(key):
            somelib.show(key)
            key = jax.random.PRNGKey(0)
            return jax.random.normal(key)
        def last():
            key = jax.random.PRNGKey(1)
            key = somelib.load()
            somelib.show(key)
        def default(key=jax.random.PRNGKey(2)):
            key = 3
            return somelib.show(key)
        """,
        [False, False, False],
    ),
    "a variable that is bound again on some ways": (
        """
        def branch(n):
            key = jax.random.PRNGKey(0)
            if n:
                key = 3
            somelib.show(key)
        def failure(n):
            key = jax.random.PRNGKey(1)
            try:
                key = n()
            except ValueError:
                pass
            somelib.show(key)
        def context(n):
            key = jax.random.PRNGKey(2)
            with n:
                key = n()
            somelib.show(key)
        def late(n):
            try:
                if n:
                    key = jax.random.PRNGKey(3)
                    return n()
            finally:
                somelib.show(key)
        """,
        [True, True, True, True],
    ),
    "a variable that is read later": (
        """
        def inside():
            key = 3
            def inner():
                somelib.show(key)
            key = jax.random.PRNGKey(0)
            return inner
        def lazily(n):
            key = 3
            shown = (somelib.show(key) for _ in n)
            key = jax.random.PRNGKey(1)
            return list(shown)
        def outside():
            key = jax.random.PRNGKey(2)
            def inner():
                return key
            jax.random.normal(key)
            key = 3
            return somelib.show(key), inner()
        KEY = jax.random.PRNGKey(3)
        def read():
            return somelib.show(KEY)
        read()
        KEY = 3
        """,
        [True, True, False, True],
    ),
    "a variable that is changed in place": (
        """
        def added(other):
            keys = [jax.random.PRNGKey(0)]
            keys += other
            somelib.show(keys[0])
        def written(n):
            keys = [None] * n
            keys[0] = jax.random.PRNGKey(1)
            somelib.show(keys[0])
        """,
        [True, True],
    ),
    "what a mapped function makes of keys": (
        """
        def draw(x, key):
            return x + jax.random.normal(key)
        def show(x):
            drawn = jax.lax.map(lambda key: draw(x, key), jax.random.split(jax.random.PRNGKey(0)))
            somelib.show(drawn)
        def show_keys(x):
            keys = jax.lax.map(lambda key: jax.random.fold_in(key, x), jax.random.split(jax.random.PRNGKey(1)))
            somelib.show(keys)
        """,
        [False, True],
    ),
    "a method of a class that is spelled out": (
        """
        class Quiet:
            @staticmethod
            def act(key):
                return jax.random.normal(key)
        class Loud(Quiet):
            @staticmethod
            def act(key):
                return somelib.show(key)
        Quiet.act(jax.random.PRNGKey(0))
        Loud.act(jax.random.PRNGKey(1))
        """,
        [False, True],
    ),
    "positional arguments of a class with fields and an __init__": (
        """
        import equinox as eqx
        class Flow(eqx.Module):
            size: int
            mean: object
            def __init__(self, key, size, mean=None):
                self.size = size
                self.mean = jax.random.normal(key) if mean is None else mean
            def show(self):
                return somelib.show(self.size)
        Flow(jax.random.PRNGKey(0), 3).show()
        """,
        [False],
    ),
    "an attribute with the name of an argument of a layer": (
        """
        import equinox as eqx
        class Sampler:
            def __init__(self, key):
                self.key = key
            def show(self):
                return somelib.show(self.key)
        def build():
            return eqx.nn.Linear(2, 3, key=jax.random.PRNGKey(0))
        def show(sampler):
            return somelib.show(sampler.key), build()
        """,
        [False],
    ),
    "a comparison with a number or text": (
        """
        def walk(key, n, mode):
            if n == 0 or mode == "legacy":
                return jax.random.normal(key)
            return walk(key, mode, n)
        def draw():
            return walk(jax.random.PRNGKey(0), 3, "new")
        """,
        [False],
    ),
    "the arguments of a method beside those of its object": (
        """
        class Env:
            def transition(self, state, action, key):
                raise NotImplementedError
            def step(self, state, action, key):
                return self.transition(state, action, key)
        class Pendulum(Env):
            def transition(self, state, action, key):
                return state + action + jax.random.normal(key)
        def run(env: Env):
            return env.step(1.0, 2.0, jax.random.PRNGKey(0)), Pendulum().step(1.0, 2.0, jax.random.PRNGKey(1))
        """,
        [False, False],
    ),
    "a keyword of a call of what a library made": (
        """
        from flax.training import train_state
        def infer(module, x):
            return somelib.infer(module.rngs, x)
        def loss(model, params, x):
            state = train_state.TrainState.create(apply_fn=model.apply, params=params)
            return state.apply_fn(params, x, rngs={"dropout": jax.random.PRNGKey(0)})
        """,
        [False],
    ),
    "elements of a starred tuple": (
        """
        import numpy as np
        def draw(key, low, high):
            return np.concatenate((low, high)), jax.random.normal(key)
        def run(step, arguments):
            return step(*arguments)
        arguments = jax.random.PRNGKey(0), np.ones(2), np.ones(3)
        draw(*arguments)
        run(lambda key, x: np.sum(x), (jax.random.PRNGKey(1), np.ones(3)))
        """,
        [False, False],
    ),
    "elements of a starred list of unknown order": (
        """
        import numpy as np
        def draw(low, key):
            return np.asarray(key)
        arguments = []
        for n in range(2):
            arguments.append(jax.random.PRNGKey(n))
        draw(*arguments)
        """,
        [False],
    ),
    "leaves that a function of the project gives": (
        """
        def size(x):
            return x[0].size
        def draw(shapes):
            keys = list(jax.random.split(jax.random.PRNGKey(0), len(shapes)))
            return size(jax.tree.map(lambda key, shape: jax.random.normal(key, shape), keys, list(shapes)))
        """,
        [False],
    ),
    "a callback of a function of a library": (
        """
        from jax import jit
        def progress(steps, metrics):
            somelib.log(metrics)
        make, params = somelib.train(progress_fn=progress)
        act = jit(make(params))
        act(1, jax.random.PRNGKey(0))
        """,
        [True],
    ),
    "updates of other arrays": (
        """
        import jax.numpy as jnp
        def draw(x, keys):
            keys = keys.at[0].set(jax.random.PRNGKey(0))
            return jnp.cumsum(x.at[0].set(1)), jax.random.normal(keys[0])
        """,
        [False],
    ),
    "an object with a key that is passed to a library": (
        """
        import dataclasses
        @dataclasses.dataclass
        class State:
            key: object
        def show(state):
            somelib.show([state])
        show(State(jax.random.PRNGKey(0)))
        """,
        [True],
    ),
    "a decorator that gives back its function": (
        """
        def needs_somelib(function):
            if somelib.is_there:
                return function
            def fails(*arguments):
                raise ImportError
            return fails
        @needs_somelib
        def size(x):
            return x.size
        @needs_somelib
        def draw(key):
            return jax.random.normal(key)
        draw(jax.random.PRNGKey(0))
        """,
        [False],
    ),
    "a method of text with the name of one for keys": (
        """
        class Source:
            def __init__(self, key):
                self.key = key
            def split(self):
                self.key, key = jax.random.split(self.key)
                return key
        def indented(text):
            return [" " + line for line in text.split(",")]
        def draw(source):
            return jax.random.normal(source.split())
        draw(Source(jax.random.PRNGKey(0)))
        """,
        [False],
    ),
    "attributes of which a loop spells out the names": (
        """
        class Agent:
            def __init__(self, key, n):
                self.key, self.n = key, n
            def show(self):
                return [somelib.show(getattr(self, name)) for name in ("n",)]
            def show_all(self):
                return [somelib.show(getattr(self, name)) for name in ("n", "key")]
            def show_other(self):
                for name in ("n",):
                    name = name.replace("n", "key")
                    somelib.show(getattr(self, name))
        Agent(jax.random.PRNGKey(0), 1).show()
        """,
        [True],
    ),
    "an attribute beside those of which a loop spells out the names": (
        """
        class Agent:
            def __init__(self, key, n):
                self.key, self.n = key, n
            def show(self):
                return [somelib.show(getattr(self, name)) for name in ("n",)]
        Agent(jax.random.PRNGKey(0), 1).show()
        """,
        [False],
    ),
    "an attribute of another name than the one that is written in a loop": (
        """
        class Agent:
            def __init__(self, key):
                for name in ("first", "second"):
                    setattr(self, name, key)
                self.key = 1
            def show(self):
                return somelib.show(self.key)
            def show_first(self):
                return somelib.show(self.first.T)
        Agent(jax.random.PRNGKey(0)).show()
        """,
        [True],
    ),
    "functions of a dictionary that are looked up by name": (
        """
        def draw(key):
            return jax.random.normal(key)
        def show(x):
            return somelib.show(x)
        FUNCTIONS = {"draw": draw, "show": show}
        FUNCTIONS["draw"](jax.random.PRNGKey(0))
        FUNCTIONS.get("draw")(jax.random.PRNGKey(1))
        FUNCTIONS.get("show", None)(jax.random.PRNGKey(2))
        """,
        [False, False, True],
    ),
    "a dictionary that is updated from another one": (
        """
        state = {"n": 1, "key": None}
        state.update({"key": jax.random.PRNGKey(0)})
        somelib.show(state["n"])
        other = {"n": 1}
        other.update({"key": jax.random.PRNGKey(1)})
        somelib.show(other["key"])
        third = {"n": 1}
        third.update([("key", jax.random.PRNGKey(2))])
        somelib.show(third["key"])
        fourth = {"n": 1}
        fourth.update(key=jax.random.PRNGKey(3))
        somelib.show(fourth["key"])
        fifth = {"n": 1}
        fifth.update({f"{each}": jax.random.PRNGKey(4) for each in "ab"})
        somelib.show(fifth["a"])
        """,
        [False, True, True, True, True],
    ),
    "a copy of an object with another one's name of an attribute": (
        """
        import dataclasses
        @dataclasses.dataclass
        class State:
            key: object
        @dataclasses.dataclass
        class Table:
            key: object
        def step(state: State):
            return dataclasses.replace(state, key=jax.random.PRNGKey(0))
        step(State(None))
        somelib.show(Table("a").key)
        """,
        [False],
    ),
    "a copy of an object of unknown class": (
        """
        import dataclasses
        def step(state):
            return dataclasses.replace(state, key=jax.random.PRNGKey(0))
        def other_step(state):
            return state.replace(rng=jax.random.PRNGKey(1))
        def show(state):
            return somelib.show(state.key), somelib.show(state.rng)
        """,
        [True, True],
    ),
    "attributes of two subclasses of one class": (
        """
        class Base:
            pass
        class Agent(Base):
            def __init__(self, key):
                self.key = key
        class Table(Base):
            def __init__(self, key):
                self.key = key
            def show(self):
                return somelib.show(self.key)
        Agent(jax.random.PRNGKey(0))
        Table("a").show()
        Table(jax.random.PRNGKey(1)).show()
        """,
        [False, True],
    ),
    "an attribute that a base class, a subclass, or one beside it reads": (
        """
        class Base:
            def show(self):
                return somelib.show(self.key)
        class Agent(Base):
            def __init__(self, key):
                self.key = key
        class Showing:
            def show(self):
                return somelib.show(self.rng)
        class Holding:
            def __init__(self, rng):
                self.rng = rng
        class Both(Showing, Holding):
            pass
        class Seeded:
            def __init__(self, seed):
                self.seed = seed
        class Heir(Seeded):
            def show(self):
                return somelib.show(self.seed)
        Agent(jax.random.PRNGKey(0)).show()
        Both(jax.random.PRNGKey(1)).show()
        Heir(jax.random.PRNGKey(2)).show()
        """,
        [True, True, True],
    ),
    "an attribute of a class whose base is known late": (
        """
        def with_mixin(base):
            class Mixed(base, Showing):
                pass
            return Mixed
        class Showing:
            def show(self):
                return somelib.show(self.rng)
        class Holding:
            def __init__(self, rng):
                self.rng = rng
        with_mixin(Holding)(jax.random.PRNGKey(0)).show()
        """,
        [True],
    ),
    "arguments that a function hands on": (
        """
        def draw(n, key):
            return somelib.show(n), jax.random.normal(key)
        def hand_on(*args):
            return draw(*args)
        def hand_on_rest(*args):
            return draw(1, *args)
        def hand_on_part(name, *args):
            return somelib.show(args[1:][0])
        def swap(*args):
            return draw(*args[::-1])
        hand_on(1, jax.random.PRNGKey(0))
        hand_on_rest(jax.random.PRNGKey(1))
        hand_on_part("a", 1, jax.random.PRNGKey(2))
        swap(jax.random.PRNGKey(3), 1)
        swap(1, jax.random.PRNGKey(4))
        """,
        [False, False, True, True, True],
    ),
    "a slice of a tuple": (
        """
        def show(key):
            row = (1, key)
            somelib.show(row[1:][0])
        show(jax.random.PRNGKey(0))
        """,
        [True],
    ),
    "the elements over which a function is mapped": (
        """
        def layer(key, n):
            return jax.random.normal(key, (n,))
        def same(key):
            return key
        class State:
            def __init__(self, key):
                self.key = key
        def layers():
            keys = jax.random.split(jax.random.PRNGKey(0))
            somelib.show(list(map(layer, keys, [1, 2])))
        def keys():
            keys = jax.random.split(jax.random.PRNGKey(1))
            somelib.show(list(map(same, keys)))
        def states():
            keys = jax.random.split(jax.random.PRNGKey(2))
            somelib.show([each.key for each in map(State, keys)])
        def any_of(function):
            keys = jax.random.split(jax.random.PRNGKey(3))
            somelib.show(list(map(function, keys)))
        """,
        [False, True, True, True],
    ),
    "an attribute of its own in a class of a library": (
        """
        import gym
        class Wrapper(gym.Env):
            def __init__(self, env):
                self._env = env
            def reset(self):
                return self._env.start(jax.random.PRNGKey(0))
        """,
        [False],
    ),
}


@pytest.mark.parametrize("name", TOLD_APART)
def test_only_keys_with_a_path_to_the_place_are_held_back(name: str) -> None:
    text, expected = TOLD_APART[name]
    assert held(text) == expected


def test_a_reason_does_not_name_the_library_of_what_a_parameter_may_be() -> None:
    (constructor,) = constructors(
        """
        def draw(key, apply):
            return apply(key)
        def run(model):
            return draw(jax.random.PRNGKey(0), somelib.model().apply)
        """
    )
    (reason,) = constructor.reasons
    assert reason.text == "is passed to `apply`, and olympus-lint does not work out what that calls"


def test_a_reason_names_the_attribute_of_a_library_that_a_key_is_written_to() -> None:
    (constructor,) = constructors(
        """
        config = somelib.Config()
        config.key = jax.random.PRNGKey(0)
        """
    )
    (reason,) = constructor.reasons
    assert reason.text == "is written to `config.key`, and whether somelib takes typed keys is unknown"


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("box.add(key)", "is passed to `box.add`"),
        ("box = box.evolve(key=key)", "is passed to `box.evolve`"),
        ("box = somelib.Box(1)._replace(key=key)", "is passed to `somelib.Box(1)._replace`"),
        ("setattr(box, 'key', key)", "is written to `box.key`"),
        ("object.__setattr__(box, 'key', key)", "is written to `box.key`"),
        ("vars(box)['key'] = key", "is written to `vars(box)['key']`"),
        ("box.parts.append(key)", "is passed to `box.parts.append`"),
        ("BOX['key'] = key", "is written to `BOX['key']`"),
    ],
)
def test_a_reason_names_how_an_object_of_a_library_gets_a_key(statement: str, said: str) -> None:
    (constructor,) = constructors(
        f"""
        from somelib import BOX
        key = jax.random.PRNGKey(0)
        box = somelib.Box(1)
        {statement}
        """
    )
    (reason,) = constructor.reasons
    assert reason.text == f"{said}, and whether somelib takes typed keys is unknown"


def test_names_of_a_library_for_one_function_are_no_doubt() -> None:
    (constructor,) = constructors(
        """
        try:
            from jax.tree import map as tree_map
        except ImportError:
            from jax.tree_util import tree_map
        def show(key):
            return tree_map(lambda each: somelib.show(each), {"key": key})
        show(jax.random.PRNGKey(0))
        """
    )
    (reason,) = constructor.reasons
    assert reason.text == "is passed to `somelib.show`, and whether somelib takes typed keys is unknown"


RUNNER = """
class Runner:
    def __init__(self, key):
        self.key = key
    def run(self):
        return self.step(self.key)
    def run_with(self, key):
        return self.step(key)
    def run_all(self):
        return [self.run()]
    def forget(self):
        self.step = None
class Loud(Runner):
    def __init__(self, key):
        super().__init__(key)
        self.step = show
class Quiet(Runner):
    def __init__(self, key):
        super().__init__(key)
        self.step = draw
class Silent(Quiet):
    pass
def show(key):
    return somelib.show(key)
def draw(key):
    return jax.random.normal(key)
"""
# What is done with these classes, and which constructors are held back.
RUNS = {
    "a subclass that writes the attribute again": (
        """
        class Changed(Quiet):
            def change(self):
                self.step = show
        def first():
            return Changed(jax.random.PRNGKey(0)).run()
        def second():
            return Quiet(jax.random.PRNGKey(1)).run()
        """,
        [True, True],  # an object of a class may be one of a subclass
    ),
    "an attribute that is written from outside": (
        """
        def first():
            runner = Silent(jax.random.PRNGKey(0))
            runner.step = show
            return runner.run()
        def second(runner):
            runner.step = show
        """,
        [True],
    ),
    "an attribute that is written to an unknown object": (
        """
        def first():
            return Quiet(jax.random.PRNGKey(0)).run()
        def change(runner):
            runner.step = show
        """,
        [True],
    ),
    "an attribute with a computed name": (
        """
        def first(name):
            runner = Quiet(jax.random.PRNGKey(0))
            setattr(runner, name, show)
            return runner.run()
        """,
        [True],
    ),
    "an attribute of the class": (
        """
        Quiet.step = show
        def first():
            return Quiet(jax.random.PRNGKey(0)).run()
        """,
        [True],
    ),
    "a method of another object": (
        """
        class Other(Runner):
            def __init__(self, runner):
                self.run_with = runner.run_with
        def first():
            return Other(Loud(None)).run_with(jax.random.PRNGKey(0))
        """,
        [True],
    ),
    "a key that another object has": (
        """
        class Taking(Quiet):
            def take(self, other):
                return other.step(self.key)
        def first():
            return Taking(jax.random.PRNGKey(0)).take(Loud(None))
        """,
        [True],
    ),
    "a key that another object is given": (
        """
        class Taking(Runner):
            def take(self, other):
                other.key = self.key
                return other.run()
        def first():
            return Taking(jax.random.PRNGKey(0)).take(Loud(None))
        """,
        [True],
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_a_path_enters_what_an_attribute_of_its_object_may_hold(name: str) -> None:
    text, expected = RUNS[name]
    assert held(RUNNER + dedent(text)) == expected


OBJECTS = """
class Agent:
    def __init__(self, key):
        self.key = key
    def show(self):
        return somelib.show(self.key)
    def draw(self):
        return jax.random.normal(self.key)
class Loud(Agent):
    def __init__(self, key, n):
        super().__init__(key)
        self.n = n
    def show_all(self):
        return [self.show()]
class Quiet(Agent):
    pass
def show():
    agent = Agent(jax.random.PRNGKey(0))
    return agent.show()
def draw():
    agent = Agent(jax.random.PRNGKey(1))
    return agent.draw()
def show_all():
    return Loud(jax.random.PRNGKey(2), 3).show_all()
def reset(agent):
    agent.key = jax.random.PRNGKey(3)
    return agent
def show_again():
    agent = Quiet(None)
    return reset(agent).draw()
"""


METHODS = """
class Agent:
    def run(self, key):
        return self.act(key)
    def act(self, key):
        return jax.random.normal(key)
class Loud(Agent):
    def act(self, key):
        return somelib.show(key)
class Quiet(Agent):
    pass
def run_one():
    agent = Loud()
    return agent.run(jax.random.PRNGKey(0))
def run_other():
    agent = Quiet()
    return agent.run(jax.random.PRNGKey(1))
def run(model):
    act = somelib.made(Loud().act)
    return act(jax.random.PRNGKey(2))
"""


def test_what_a_library_made_may_give_a_key_back() -> None:
    (constructor,) = constructors(
        """
        def run(function):
            model = somelib.transform(function)
            samples = model.apply(jax.random.PRNGKey(0))
            otherlib.show(samples)
        import otherlib
        """
    )
    texts = [reason.text for reason in constructor.reasons]
    assert any(
        text == "is passed to `model.apply`, and olympus-lint does not work out what that calls" for text in texts
    )
    assert not any(text.startswith("is passed to `otherlib.show`") for text in texts)


def test_a_long_path_is_shown_without_its_middle() -> None:
    path = tuple(Line("a.py", None, row) for row in range(1, 10))
    assert short(path) == "a.py:1 → :2 → :3 → … → a.py:7 → :8 → :9"
    assert short(path[:2]) == ""


def test_a_key_in_an_object_or_container_is_passed_with_it() -> None:
    found = constructors(
        """
        class Policy:
            def __init__(self):
                self.key = jax.random.PRNGKey(0)
        class Agent(somelib.Base):
            def __init__(self, policy):
                super().__init__(policy)
        Agent(Policy())
        somelib.show({"key": jax.random.PRNGKey(1)})
        """
    )
    assert [reason.text for each in found for reason in each.reasons] == [
        "is passed to `super().__init__`, and whether somelib takes typed keys is unknown",
        "is passed to `somelib.show`, and whether somelib takes typed keys is unknown",
    ]


LARGE = """
def same(key):
    return key
def other(key):
    return somelib.draw(same(key))
def act(key):
    return somelib.show(key)
def quiet(key):
    return jax.random.normal(key)
def run(function):
    return function(same(jax.random.PRNGKey(0)))
run(act), run(quiet)
"""


@pytest.mark.parametrize("callee, is_held", [("jax.random.split", False), ("somelib.sample", True)])
def test_a_constructor_that_is_given_away_is_held_back_where_it_may_be_called(callee: str, is_held: bool) -> None:
    """A default that names the constructor, and does not call it; ``jax.random`` calls none of its arguments."""
    assert held(f"def train(key=jax.random.PRNGKey):\n    return {callee}(key)\n") == [is_held]


@pytest.mark.parametrize(
    "branches, reasons",
    [
        ("[draw, other]", []),
        ("(draw, jax.random.split)", ["is passed to `somelib.show`, and whether somelib takes typed keys is unknown"]),
    ],
)
def test_a_switch_gives_back_what_its_branches_do(branches: str, reasons: list[str]) -> None:
    (constructor,) = constructors(
        f"""
        def draw(key):
            return jax.random.normal(key)
        def other(key):
            return 1.0
        def run(i, fs):
            return somelib.show(jax.lax.switch(i, {branches}, jax.random.PRNGKey(0)))
        """
    )
    assert [reason.text.partition(";")[0] for reason in constructor.reasons] == reasons


DECIDED = {}


@pytest.mark.parametrize("name", DECIDED)
def test_a_path_ends_where_what_else_is_passed_decides_against_it(name: str) -> None:
    first, second = constructors(DECIDED[name])
    (decided,), (shown,) = first.reasons, second.reasons
    assert decided.text.startswith("may be passed")
    assert shown.text == "is passed to `somelib.show`, and whether somelib takes typed keys is unknown"


@pytest.mark.parametrize("call", ["act(key, *modes)", "act(key, **modes)", "act(key, mode())", "act(key, 'draw', 1)"])
def test_what_is_not_known_to_be_passed_decides_nothing(call: str) -> None:
    """A starred argument, one that is computed, and a parameter that is bound again."""
    (constructor,) = constructors(
        f"""
        def act(key, mode="draw", again=0):
            if again:
                mode = "show"
            if mode == "show":
                return somelib.show(key)
            return jax.random.normal(key)
        def run(modes, mode):
            key = jax.random.PRNGKey(0)
            return {call}
        """
    )
    assert [reason.text for reason in constructor.reasons] == [
        "is passed to `somelib.show`, and whether somelib takes typed keys is unknown"
    ]


def test_elements_of_a_list_are_not_told_apart_from_its_end() -> None:
    """It may have become longer."""
    program = """
        def run(x):
            values = [jax.random.PRNGKey(0), x]
            values.append(x)
            values.pop()
            values.pop()
            return somelib.show(values[-1])
        """
    assert held(program) == [True]


READS = {}


@pytest.mark.parametrize("name", READS)
def test_python_calls_properties_and_special_methods(name: str) -> None:
    method, use = READS[name]
    shown, quiet = constructors(
        f"""
class One:
    def __init__(self, key):
        self.key = key
    {method}
        return somelib.show(self.key)
def run():
    shown, quiet = One(jax.random.PRNGKey(0)), One(jax.random.PRNGKey(1))
    return {use.format("shown")}, quiet
"""
    )
    passed = "is passed to `somelib.show`, and whether somelib takes typed keys is unknown"
    assert [reason.text for reason in shown.reasons] == [passed]
    assert passed not in [reason.text for reason in quiet.reasons]


def test_a_property_may_be_read_of_an_object_that_leaves_the_project_as_well() -> None:
    shown, quiet = constructors(
        """
        class One:
            def __init__(self, key):
                self._key = key
            @property
            def key(self):
                return self._key
        def run():
            one = One(jax.random.PRNGKey(0))
            other = One(jax.random.PRNGKey(1))
            somelib.register(other)
            return somelib.show(one.key)
        """
    )
    passed = "is passed to `somelib.show`, and whether somelib takes typed keys is unknown"
    assert passed in [reason.text for reason in shown.reasons]
    assert quiet.reasons  # nothing is freed because another object has a path


def test_keys_of_very_many_constructors_at_one_place_are_to_be_checked() -> None:
    """Of so many, the analysis does not tell which get there: none is held back, and all of them name the place."""
    made = "".join(f"words(jax.random.PRNGKey({number}))\n" for number in range(20))
    program = f"import jax\nimport numpy as np\n\n\ndef words(key):\n    return np.uint32(key + 1)\n\n\n{made}"
    found = migrate([Text("a.py", Settings(), program)], Target("typed")).constructors["a.py"]
    assert [len(each.reasons) for each in found] == [0] * 20
    assert all(reason.line.row == 6 for each in found for reason in each.checks) and all(each.checks for each in found)
