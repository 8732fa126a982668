"""What a module consists of that is made of the definitions in a source."""

from __future__ import annotations

import builtins

import pytest

jax = pytest.importorskip("jax", reason="constants may be arrays")

from olympus.trials.definitions import read  # noqa: E402
from olympus.trials.execution import Absent  # noqa: E402
from olympus.trials.project import Builtins  # noqa: E402

HEAD = """\
from __future__ import annotations
import functools, os, sys
import jax, jax.numpy as jnp

def own(x=None):
    raise SystemExit

def wraps(f):
    raise SystemExit
"""
KNOWN = {"annotations", "functools", "os", "sys", "jax", "jnp", "own", "wraps", "__builtins__"}


def names_of(text: str) -> set[str]:
    names = {"__builtins__": Builtins(vars(builtins))}
    read(names, "source.py", HEAD + text, {"jax"}, {"jax"})
    return names.keys() - KNOWN


@pytest.mark.parametrize(
    "text",
    [
        "X = 3",
        "X, (Y, Z) = 1, (2, [3])",
        "X: int = 3",
        "X = jnp.ones((2, 3)).sum(0)",
        "X = jax.jit(own)",
        "X = lambda: own()",
        "X = [each for each in range(3)]",
        "X = 1\nX = 2",
        "def X(a: Unknown) -> Unknown: return own()",
        "@jax.jit\ndef X(a): return own()",
        "@functools.partial(jax.jit, static_argnums=0)\ndef X(a): return a",
        "class X:\n    '''Words.'''\n    a: int = 3\n    b = jnp.ones(3)\n    def c(self): return own()",
        "class X:\n    @property\n    def c(self): return own()\n    @c.setter\n    def c(self, value): own()",
        "X = []\njax.config.update('jax_enable_x64', False)",
        "X = 1\nprint(X)",
        "class X: pass\nstate = own(X)",
        "X = (1, 2)\nown()",
        "X = []\nif __name__ == '__main__':\n    X = own()",
    ],
)
def test_definitions_are_there(text: str) -> None:
    assert "X" in names_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "X = own()",
        "X = [own() for each in range(3)]",
        "X = jax.jit(own)(3)",
        "run = jax.jit(own)\nX = run(3)",
        "X = unknown",
        "from unknown_package import X",
        "import unknown_package as X",
        "from . import X",
        "X = sys.exit()",
        "X = os.getpid()",
        "X = eval('3')",
        "from os import getpid as int\nX = int()",
        "X = (Y := 3)",
        "if own():\n    X = 1",
        "for X in range(3): pass",
        "try:\n    import unknown_package as X\nexcept ImportError:\n    X = None",
        "@wraps\ndef X(): pass",
        "@unknown.command()\ndef X(): pass",
        "class X:\n    own()",
        "class X:\n    a = own()",
        "class X:\n    for a in range(3): pass",
        "class X(unknown.Base): pass",
        # What is left out may change it.
        "X = 3\nX = own()",
        "X = 3\ndel X",
        "X = 3\nX += 1",
        "X = 3\nwith own() as X: pass",
        "X = 3\nfrom unknown_package import *",
        "X = 3\nfrom unknown_package import Y as X",
        "def X(): pass\nX = wraps(X)",
        "class X: pass\nX.a = 3",
        "class X: pass\nsetattr(X, 'a', 3)",
        "class X: pass\ny = [setattr(X, 'a', 3)]",
        "X = {}\nX['a'] = 3",
        "X = {}\nX.update(a=3)",
        "X = []\nunknown(X)",
        "X = []\nown()",
        "X = None\ndef start():\n    global X\n    X = 3",
    ],
)
def test_what_executes_code_of_the_file_or_may_have_changed_is_absent(text: str) -> None:
    assert "X" not in names_of(text)


def test_a_name_that_is_absent_is_no_error_that_code_handles() -> None:
    names = {"__builtins__": Builtins(vars(builtins))}
    text = "def f():\n    try:\n        return unknown\n    except Exception:\n        return 3\n"
    read(names, "source.py", text, (), ())
    with pytest.raises(Absent, match="unknown"):
        names["f"]()
