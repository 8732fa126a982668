"""Decorators of the project are applied: callers get what the decorator makes of a function.

A line that ends in ``# reuse`` is flagged for certain, one that ends in ``# likely`` with less confidence, and every
other line is quiet.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from olympus_rules.finding import Confidence
from olympus_rules.keyflow.facts import Reuse
from olympus_rules.keyflow.linking.driver import analyse
from olympus_rules.keyflow.linking.project import Project
from olympus_rules.syntax import Document

HEADER = "import contextlib\nimport functools\nimport jax\nfrom jax import random\n"

SUPPLIES = """
def with_key(function):
    def wrapper(x):
        return function(random.key(3), x)
    return wrapper
"""
SCALES = """
def scaled(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return 2 * function(*args, **kwargs)
    return wrapper
"""
NOISY = """
def noisy(key, x):
    return x + random.normal(key)
"""
TWICE = """
def twice(k, x):
    return noisy(k, x) + noisy(k, x)  # reuse
"""
QUIET = """
def twice(x):
    return noisy(x) + noisy(x)
"""
FACTORY = """
def seeded(seed):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(x):
            return function(random.key(seed), x)
        return wrapper
    return decorate
"""
OBJECT = """
class Scaled:
    def __init__(self, function):
        self.function = function

    def __call__(self, key, x):
        return 2 * self.function(key, x)
"""

PROGRAMS = {
    "it supplies the key": SUPPLIES + "\n@with_key" + NOISY + QUIET,
    "applied by hand": SUPPLIES + NOISY + "\nnoisy = with_key(noisy)\n" + QUIET,
    "it hands everything on": SCALES + "\n@scaled" + NOISY + TWICE,
    "by name and by position": SCALES
    + "\n@scaled"
    + NOISY
    + "\ndef twice(k, x):\n    return noisy(key=k, x=x) + noisy(k, x)  # reuse\n",
    "an optional key": SCALES
    + """
@scaled
def noisy(x, key=None):
    return x if key is None else x + random.normal(key)

def twice(k, x):
    return noisy(x, k) + noisy(x, key=k)  # reuse

def without(x):
    return noisy(x) + noisy(x)
""",
    "more functions than a function has specialisations": SCALES
    + "".join(f"\n@scaled{NOISY.replace('noisy', f'noisy{n}')}" for n in range(20))
    + TWICE.replace("noisy", "noisy19"),
    "more calls with different constants": SCALES
    + "\n@scaled"
    + NOISY
    + "\ndef many(k):\n    return ("
    + " + ".join(f"noisy({'k' if n in (0, 19) else f'random.key({n})'}, {n})" for n in range(20))
    + ")  # reuse\n",
    "it passes only the key's child": """
def split_first(function):
    def wrapper(key, *args):
        key, subkey = random.split(key)
        return function(subkey, *args), key
    return wrapper

@split_first
def noisy(key, x):
    return x + random.normal(key)

def threads(k, x):
    first, k = noisy(k, x)
    second, k = noisy(k, x)
    return first + second
""",
    "it changes the order": """
def key_last(function):
    def wrapper(x, key):
        return function(key, x)
    return wrapper

@key_last
def noisy(key, x):
    return x + random.normal(key)

def twice(x, k):
    return noisy(x, k) + noisy(x, k)  # reuse

def once(x, k, j):
    return noisy(x, k) + noisy(x, j)
""",
    "a factory": FACTORY + "\n@seeded(3)" + NOISY + QUIET,
    "a factory that needs no brackets": """
def scaled(function=None, *, by=2.0):
    if function is None:
        return functools.partial(scaled, by=by)
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return by * function(*args, **kwargs)
    return wrapper

@scaled(by=3.0)"""
    + NOISY
    + TWICE,
    "a partial of a decorator": """
def scaled(by, function):
    def wrapper(*args):
        return by * function(*args)
    return wrapper

@functools.partial(scaled, 2.0)"""
    + NOISY
    + TWICE,
    "two of them": SUPPLIES
    + """
def scaled(function):
    def wrapper(*args):
        return 2 * function(*args)
    return wrapper

@scaled
@with_key"""
    + NOISY
    + QUIET,
    "above jit": SCALES + "\n@scaled\n@jax.jit" + NOISY + TWICE,
    "below jit": SCALES + "\n@functools.partial(jax.jit, static_argnums=1)\n@scaled" + NOISY + TWICE,
    "it returns the function": """
REGISTRY = {}

def register(name):
    def decorate(function):
        REGISTRY[name] = function
        return function
    return decorate

@register("noisy")"""
    + NOISY
    + TWICE,
    "it transforms the function": "\ndef compiled(function):\n    return jax.jit(function)\n\n@compiled"
    + NOISY
    + TWICE,
    "a method of a registry": """
class Registry:
    def __init__(self):
        self.known = {}

    def register(self, function):
        self.known[function.__name__] = function
        return function

registry = Registry()

@registry.register"""
    + NOISY
    + TWICE,
    "a class": OBJECT + "\n@Scaled" + NOISY + TWICE,
    "a class that supplies the key": OBJECT.replace("self, key, x", "self, x").replace("(key, x)", "(random.key(0), x)")
    + "\n@Scaled"
    + NOISY
    + QUIET,
    "an object of a class": OBJECT
    + """
class Scaling:
    def __init__(self, by):
        self.by = by

    def __call__(self, function):
        def wrapper(*args):
            return self.by * function(*args)
        return wrapper

@Scaling(2.0)"""
    + NOISY
    + TWICE,
    "update_wrapper": """
def scaled(function):
    def wrapper(key, x):
        return 2 * function(key, x)
    return functools.update_wrapper(wrapper, function)

@scaled"""
    + NOISY
    + TWICE,
    "methods": """
def with_key(method):
    @functools.wraps(method)
    def wrapper(self, x):
        return method(self, random.fold_in(self.key, x), x)
    return wrapper

def scaled(method):
    def wrapper(self, *args, **kwargs):
        return 2 * method(self, *args, **kwargs)
    return wrapper

class Model:
    def __init__(self, key):
        self.key = key

    @with_key
    def noisy(self, key, x):
        return x + random.normal(key)

    @scaled
    def draw(self, key):
        return random.normal(key)

    def both(self, x):
        return self.noisy(x) + self.noisy(x + 1)

    def twice(self, key):
        return self.draw(key) + self.draw(key)  # reuse
""",
    "the body of the function itself": SUPPLIES
    + """
@with_key
def noisy(key, x):
    return x + random.normal(key) + random.uniform(key)  # reuse
""",
    "one that cannot be applied": """
import elsewhere

def wrapped(function):
    return elsewhere.wrap(function, random.key(0))

@wrapped"""
    + NOISY
    + QUIET,
    "one of a library that is not known": "\nimport elsewhere\n\n@elsewhere.logged"
    + NOISY
    + TWICE.replace("# reuse", "# likely"),
    "one of Python": "\n@functools.lru_cache(maxsize=None)" + NOISY + TWICE,
    "a context manager": """
@contextlib.contextmanager
def noise(key):
    yield random.normal(key)

def twice(k):
    with noise(k) as first, noise(k) as second:  # reuse
        return first + second
""",
    "it decorates itself": "\ndef same(function):\n    return function\n\nsame = same(same)\n\n@same" + NOISY + TWICE,
}


def marks(text: str) -> dict[int, str]:
    lines = enumerate(text.splitlines(), 1)
    return {number: line.rpartition("# ")[2] for number, line in lines if line.endswith(("# reuse", "# likely"))}


def found(document: Document, project: Project | None = None) -> dict[int, str]:
    facts = analyse(document, by_name=False, project=project)
    return {
        fact.node.lineno: "reuse" if fact.confidence == Confidence.CERTAIN else "likely"
        for fact in facts
        if isinstance(fact, Reuse)
    }


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str) -> None:
    text = HEADER + PROGRAMS[name]
    assert found(Document("example.py", text)) == marks(text)


OPTIONAL = """
def optional(function):
    try:
        import extra
        return function
    except ImportError:
        pass

    def missing(*args):
        raise ImportError("no extra")

    return missing
"""
HANDS_ON = SCALES.replace("2 * ", "")

ELSEWHERE = {
    "it supplies the key": (SUPPLIES, "with_key", NOISY + QUIET),
    "a factory": (FACTORY, "seeded(3)", NOISY + QUIET),
    "a factory without a word of JAX": (FACTORY.replace("random.key(seed)", "seed"), "seeded(3)", NOISY + QUIET),
    "it hands everything on": (HANDS_ON, "scaled", NOISY + TWICE),
    "it returns the function": ("\ndef same(function):\n    return function\n", "same", NOISY + TWICE),
    "an alias": ("\nfast = functools.partial(jax.jit, static_argnums=1)\n# random\n", "fast", NOISY + TWICE),
    "a name of JAX": ("\nfast = jax.jit\n# random\n", "fast", NOISY + TWICE),
    "it gives another function if an import fails": (OPTIONAL, "optional", NOISY + TWICE),
    "a class": (
        OBJECT.replace("self, key, x", "self, x").replace("(key, x)", "(random.key(0), x)"),
        "Scaled",
        NOISY + QUIET,
    ),
    "an object": (
        "\nclass Registry:\n    def register(self, function):\n        return function\n\nregistry = Registry()\n",
        "registry.register",
        NOISY + TWICE,
    ),
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_decorators_of_other_files(name: str, tmp_path: Path) -> None:
    decorator, written, rest = ELSEWHERE[name]
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "decorators.py").write_text((HEADER if "random" in decorator else "import functools\n") + decorator)
    text = f"{HEADER}from decorators import {written.partition('.')[0].partition('(')[0]}\n\n@{written}{rest}"
    (tmp_path / "noise.py").write_text(text)
    project = Project()
    assert found(project.document(str(tmp_path / "noise.py"), text), project) == marks(text)
    caller = f"{HEADER}from noise import noisy\n{rest.removeprefix(NOISY).replace('(k', '(key')}"
    (tmp_path / "caller.py").write_text(caller)
    assert found(project.document(str(tmp_path / "caller.py"), caller), project) == marks(caller)
