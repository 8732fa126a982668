"""``--migrate`` and calls that may call very many functions: keys, and what holds them, are followed into each."""

from __future__ import annotations

import pytest
from migrated import is_told

from olympus_codemods.target import Target
from olympus_lint.migration.project import migrate
from olympus_lint.migration.text import Text
from olympus_lint.project.settings import Settings

MANY = 20
HEAD = """\
import jax
import jax.numpy as jnp
import numpy as np


"""
KEY = "jax.random.PRNGKey(0)"


def functions(last: str, others: str = "return x", parameters: str = "x") -> str:
    """Return very many functions, of which the last one differs, and a list of them."""
    bodies = [others] * (MANY - 1) + [last]
    made = [f"def f{number}({parameters}):\n    {body}\n\n\n" for number, body in enumerate(bodies)]
    return f"{''.join(made)}ALL = [{', '.join(f'f{number}' for number in range(MANY))}]\n"


def classes(last: str, others: str, method: str, parameters: str = "self, x") -> str:
    """Return very many classes with one method, and a list of them."""
    bodies = [others] * (MANY - 1) + [last]
    made = [f"class C{n}:\n    def {method}({parameters}):\n        {body}\n\n\n" for n, body in enumerate(bodies)]
    return f"{''.join(made)}ALL = [{', '.join(f'C{n}' for n in range(MANY))}]\n"


FOUND = {
    "functions": functions("return x[0]") + f"for f in ALL:\n    f({KEY})",
    "a keyword": functions("return x[0]") + f"for f in ALL:\n    f(x={KEY})",
    "a starred argument": functions("return x[0]") + f"for f in ALL:\n    f(*[{KEY}])",
    "keyword arguments": functions("return x[0]") + f"for f in ALL:\n    f(**{{'x': {KEY}}})",
    "the rest": functions("return a[0][0]", "return a", "*a") + f"for f in ALL:\n    f({KEY})",
    "further keywords": functions("return k['x'][0]", "return k", "**k") + f"for f in ALL:\n    f(x={KEY})",
    "a container": functions("return x['a'][0]") + f"for f in ALL:\n    f({{'a': {KEY}}})",
    "a container of containers": functions("return x[0]['a'][0]") + f"for f in ALL:\n    f([{{'a': {KEY}}}])",
    "an object": "class Box:\n    def __init__(self, key):\n        self.key = key\n\n\n"
    + functions("return x.key.tolist()", "return None")
    + f"for f in ALL:\n    f(Box({KEY}))",
    "a mapped function": functions("return x[0]") + f"for f in ALL:\n    jax.tree.map(f, [{KEY}])",
    "a transformed function": functions("return x[0]") + f"for f in ALL:\n    jax.jit(f)({KEY})",
    "a function mapped over keys": functions("return x[0]")
    + f"for f in ALL:\n    jax.vmap(f)(jax.random.split({KEY}, 3))",
    "constructors": classes("self.x = x[0]", "self.x = x", "__init__") + f"for C in ALL:\n    C({KEY})",
    "callable objects": classes("return x[0]", "return x", "__call__") + f"for C in ALL:\n    C()({KEY})",
    "methods": classes("return x[0]", "return x", "run") + f"for C in ALL:\n    C().run({KEY})",
    "a sink": classes("return {'a': x}", "return {'a': x, 'n': 1}", "reset")
    + f"import chex\nfor C in ALL:\n    chex.assert_tree_all_finite(C().reset({KEY}))",
    "through two of them": functions("return x[0]")
    + "def g(f, x):\n    return f(x)\n\n\n"
    + f"for f in ALL:\n    g(f, {KEY})",
}
FINE = {
    "functions": functions("return jax.random.normal(x)") + f"for f in ALL:\n    f({KEY})",
    "mapped functions": functions("return jax.random.normal(x)")
    + f"for f in ALL:\n    jax.vmap(f)(jax.random.split({KEY}, 3))",
    "other arguments": functions("return y[0] + jax.random.normal(x)", "return x", "x, y")
    + f"for f in ALL:\n    f({KEY}, jnp.ones(3))",
    "methods": classes("return jax.random.split(x)", "return x", "run") + f"for C in ALL:\n    C().run({KEY})",
    "words beside keys": functions("return jnp.where(True, x['a'], 1.0)")
    + f"for f in ALL:\n    f({{'a': np.zeros(3, np.uint32)}})\nprint(jax.random.normal({KEY}))",
}


def reasons(program: str) -> list[tuple[str, ...]]:
    """Return the reasons of each constructor, and places that are left as one more."""
    migration = migrate([Text("program.py", Settings(), HEAD + program + "\n")], Target("typed"), strict=True)
    left = tuple(report.finding.message for each in migration.left.values() for report in each)
    return [tuple(each.text for each in made.reasons) + left for made in migration.constructors["program.py"]]


@pytest.mark.parametrize("program", FOUND.values(), ids=FOUND)
def test_what_one_of_very_many_functions_does_is_announced(program: str) -> None:
    migration = migrate([Text("program.py", Settings(), HEAD + program + "\n")], Target("typed"), strict=True)
    assert all(reasons(program)) or (is_told(migration) and not migration.held)


@pytest.mark.parametrize("program", FINE.values(), ids=FINE)
def test_what_very_many_functions_do_right_holds_nothing_back(program: str) -> None:
    assert not any(reasons(program))


POOLED = {
    "dictionaries that a class is made of": """
import dataclasses
@dataclasses.dataclass
class State:
    keys: object = None
def make(options):
    return State(**options)
for options in [{each}]:
    last = make(options)
result = [int(word) for word in last.keys[0]]
""",
}


@pytest.mark.parametrize("name", POOLED)
def test_what_is_pooled_of_very_many_objects_holds_back(name: str) -> None:
    """The dictionaries, attributes and methods of more objects than are told apart at one place."""
    number = 80
    method = "    def __add__(self, other): return self.keys[0]"
    classes = "\n".join(
        f"class C{each}:\n    def __init__(self, keys): self.keys = keys\n{method}" for each in range(number)
    )
    objects = ", ".join(f"C{each}([{KEY if each == number - 1 else 0}])" for each in range(number))
    each = ", ".join(f"{{'keys': [{KEY if each == number - 1 else 0}], 'n{each}': 0}}" for each in range(number))
    code = POOLED[name].replace("{classes}", classes).replace("{objects}", objects).replace("{each}", each)
    migration = migrate([Text("program.py", Settings(), HEAD + code)], Target("typed"), strict=True)
    assert is_told(migration)
