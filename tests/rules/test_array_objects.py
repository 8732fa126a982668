"""Objects with ``__jax_array__`` through the files of a project; the marked rows are what the rules flag."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages import plain

from olympus_lint.analysis.cache import Cache
from olympus_lint.project.discovery import SourceFile
from olympus_lint.project.settings import Settings
from olympus_lint.run.context import Mode
from olympus_lint.run.runner import check_files
from olympus_rules.syntax.array_names import forget_outlines, imported_names, may_borrow_keys, may_hold_arrays
from olympus_rules.syntax.project import forget_folders, locate

CLASS = """
    def __init__(self, data):
        self.data = data

    def __jax_array__(self):
        return jnp.asarray(self.data)
"""
PROJECT = {
    "pyproject.toml": "",
    "pkg/__init__.py": "from .params import Weights as Weights\nfrom pkg.layers import *\n",
    "pkg/params.py": f"""\
import abc
import dataclasses
import functools
import typing
import jax
import jax.numpy as jnp
from jax.tree_util import register_pytree_node_class, register_pytree_with_keys


class Base(abc.ABC):{CLASS}

class Weights(Base):
    pass


@dataclasses.dataclass(frozen=True)
class Data(typing.Generic[typing.TypeVar("T")]):
    data: object

    def __jax_array__(self):
        return jnp.asarray(self.data)


@register_pytree_node_class
class Decorated(Base):
    def tree_flatten(self):
        return (self.data,), None

    @classmethod
    def tree_unflatten(cls, _, children):
        return cls(*children)


class Called(Base):
    pass


register_pytree_with_keys(Called, lambda x: (x.data, None), lambda _, data: Called(*data))


class Registering(Base):
    def __init_subclass__(cls):
        jax.tree_util.register_static(cls)


class Heir(Registering):
    pass


@functools.partial(jax.tree_util.register_dataclass, data_fields=["data"], meta_fields=[])
class Chosen(Base):
    pass


def make(data):
    return Weights(data)


def same(x):
    return jnp.asarray(x)


class Keeper:
    def __init__(self, weights):
        self.weights = jnp.asarray(weights)
""",
    "pkg/layers.py": """\
import jax
from somewhere import Unknown
from .params import Base, Weights


class Scale(Weights):
    pass


class Foreign(Weights, Unknown):
    pass


class Keyed(Weights, metaclass=type(Unknown)):
    pass


@jax.jit
def apply(x):
    return x


step = jax.jit(lambda x: 1.0)
slope = jax.grad(apply)
""",
}


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def found(root: Path, *, cached: bool = False) -> dict[str, list[tuple[int, str]]]:
    """Return the rows and codes of what is flagged in each file."""
    files = [SourceFile(str(path), Settings()) for path in sorted(root.rglob("*.py"))]
    results = list(check_files(files, Mode.CHECK, 1, Cache(root / "kept") if cached else None))
    assert not any(result.errors for result in results)
    return {
        str(Path(result.filename).relative_to(root)): [(f.span.start.row, f.code) for f in result.findings]
        for result in results
        if result.findings
    }


def messages(root: Path) -> list[str]:
    files = [SourceFile(str(path), Settings()) for path in sorted(root.rglob("*.py"))]
    return [f.message for result in check_files(files, Mode.CHECK, 1, None) for f in result.findings]


def assert_marked(root: Path, program: str) -> None:
    text, wanted = plain(program)
    write(root, PROJECT | {"pkg/use.py": text})
    assert found(root).get("pkg/use.py", []) == [(mark.row, mark.code) for mark in wanted]


FLAGGED = {
    "constructed": "import jax\nfrom pkg import Weights\nprint(jax.jit(print)(Weights(1)))  # error: OLY301",
    "of a class that inherits": "from jax import lax\nfrom pkg import Scale\nlax.sin(Scale(1))  # error: OLY302",
    "by a module": "from jax import lax\nimport pkg.params\nlax.sin(pkg.params.Data(1))  # error: OLY302",
    "from a module": "from jax import lax\nfrom pkg import params as p\nlax.sin(p.Data(1))  # error: OLY302",
    "returned by a function": "from jax import lax\nfrom pkg.params import make\nlax.sin(make(1))  # error: OLY302",
    "into a function of another file": (
        "import jax\nfrom pkg.layers import apply, slope, step\nfrom pkg.params import Data\n\n\ndef f(x):\n"
        "    apply(Data(x))  # error: OLY301\n    slope(Data(x))  # error: OLY301\n    step(Data(x))  # error: OLY301"
    ),
    "by annotations": (
        "from __future__ import annotations\nimport jax\nfrom jax import lax\nfrom pkg import Weights, params\n\n\n"
        "def f(w: Weights, d: params.Data | None, s: 'Weights'):\n"
        "    lax.sin(w)  # error: OLY302\n    lax.sin(d)  # error: OLY302\n    lax.sin(s)  # error: OLY302"
    ),
    "held by an object": (
        "from jax import lax\nfrom pkg import Weights\n\n\nclass Layer:\n    def __init__(self, x):\n"
        "        self.w = Weights(x)\n\n    def __call__(self, x):\n        return lax.dot(self.w, x)  # error: OLY302"
    ),
    "a method under jit": (
        "import jax\nfrom pkg import Weights\n\n\nclass Own(Weights):\n    @jax.jit\n"
        "    def norm(self):  # error: OLY301\n        return self.data"
    ),
    "a bound method": (
        "import jax\nfrom pkg import Weights\n\n\nclass Model:\n    def loss(self, w):\n        return w\n\n\n"
        "def f(model_class, x):\n    return jax.jit(Model().loss)(Weights(x))  # error: OLY301"
    ),
    "a partial function": (
        "import functools\nimport jax\nfrom pkg import Weights\n\n\ndef loss(a, b):\n    return b\n\n\n"
        "def f(x):\n    return jax.jit(functools.partial(loss, x))(Weights(x))  # error: OLY301"
    ),
    "in containers": (
        "import jax\nfrom pkg import Weights\n\n\ndef f(x):\n    w = Weights(x)\n"
        "    return jax.jit(print)({'w': [w, x]})  # error: OLY301"
    ),
    "registered ones outside of numpy": (
        "import jax\nfrom jax import lax\nfrom pkg.params import Decorated\n\n\ndef f(x: jax.Array):\n"
        "    d = Decorated(x)\n    return lax.sin(d), x[d]  # error: OLY302 # error: OLY302"
    ),
    "slices": (
        "import jax.numpy as jnp\nfrom pkg import Weights\n\n\ndef f(x, n):\n    w = Weights(n)\n"
        "    return jnp.sin(x)[w:], x[w, :]  # error: OLY302 # error: OLY302"
    ),
    "on one path": (
        "import jax.numpy as jnp\nfrom jax import lax\nfrom pkg import Weights\n\n\ndef f(x, wrapped):\n"
        "    w = Weights(x) if wrapped else x\n    return lax.sin(w)  # error: OLY302"
    ),
}


@pytest.mark.parametrize("program", FLAGGED.values(), ids=FLAGGED)
def test_flagged(tmp_path: Path, program: str) -> None:
    assert_marked(tmp_path, program)


QUIET = {
    "registered": (
        "import jax\nfrom pkg.params import Called, Chosen, Decorated, Heir\n\n\n"
        "def f(x):\n    return jax.jit(print)(Called(x), Chosen(x), Decorated(x), Heir(x))"
    ),
    "registered in the file that uses it": (
        "import jax\nfrom pkg import Weights\njax.tree_util.register_pytree_node(Weights, vars, print)\n"
        "jax.jit(print)(Weights(1))"
    ),
    "registered in a loop": (
        "import jax\nfrom pkg import Weights\n\n\nclass Own(Weights):\n    pass\n\n\n"
        "for cls in (Own,):\n    jax.tree_util.register_static(cls)\njax.jit(print)(Own(1))"
    ),
    "with bases out of reach": (
        "import jax\nfrom pkg.layers import Foreign, Keyed\njax.jit(print)(Foreign(1), Keyed(1))"
    ),
    "converted by a function": (
        "import jax\nfrom jax import lax\nfrom pkg import Weights\nfrom pkg.params import Keeper, same\n\n\n"
        "def f(x):\n    w = Weights(x)\n    return lax.sin(same(w)), lax.sin(Keeper(w).weights)"
    ),
    "converted on the way": (
        "import jax\nimport jax.numpy as jnp\nimport numpy as np\nfrom jax import lax\nfrom pkg import Weights\n\n\n"
        "def f(w: Weights):\n    w = jnp.asarray(w)\n    rows = jnp.stack([Weights(1), Weights(2)])\n"
        "    return lax.sin(w), jax.jit(print)(rows), lax.sin(np.array(Weights(3)))"
    ),
    "one of two types": (
        "import jax\nfrom jax import lax\nfrom pkg import Weights\n\n\n"
        "def f(w: Weights | jax.Array):\n    return lax.sin(w)"
    ),
    "static or bound before": (
        "import functools\nimport jax\nfrom pkg import Weights\n\n\ndef loss(a, b):\n    return b\n\n\n"
        "def f(x, numbers):\n    w = Weights(x)\n    jax.jit(functools.partial(loss, w))(x)\n"
        "    jax.jit(functools.partial(loss, b=w))(x)\n    jax.jit(loss, static_argnames='a')(w, x)\n"
        "    jax.jit(loss, static_argnums=(0,))(w, x)\n    jax.jit(loss, static_argnums=numbers)(w, x)\n"
        "    return jax.grad(loss, argnums=1)(w, x)"
    ),
    "other transformations": (
        "import equinox as eqx\nimport jax\nfrom pkg import Weights\n\n\n@eqx.filter_jit\ndef f(w: Weights):\n"
        "    return w\n\n\nf(Weights(1))\neqx.filter_vmap(f)(Weights(2))\njax.tree.map(print, Weights(3))"
    ),
    "parts of an object": (
        "from jax import lax\nfrom pkg import Weights\n\n\n"
        "def f(x):\n    w = Weights(x)\n    return lax.sin(w.data), lax.sin(w[0]), lax.sin(-w), lax.sin(w.T)"
    ),
    "dictionaries and lists": (
        "from pkg import Weights\nimport jax\n\n\ndef f(x, table):\n    w = Weights(x)\n    return table[w], {w: 1}[w]"
    ),
    "what jax.numpy takes": (
        "import jax.numpy as jnp\nfrom pkg import Weights\n\n\ndef f(x):\n    w = Weights(x)\n"
        "    return jnp.dot(w, x) + w, jnp.zeros(3).at[0].add(w)"
    ),
    "trees of registered ones": (
        "from jax import lax\nfrom pkg.params import Decorated\n\n\n"
        "def f(x):\n    return lax.psum(lax.stop_gradient(Decorated(x)), 'i')"
    ),
}


@pytest.mark.parametrize("program", QUIET.values(), ids=QUIET)
def test_quiet(tmp_path: Path, program: str) -> None:
    assert_marked(tmp_path, program)


def test_a_class_of_another_file_is_named_with_its_place(tmp_path: Path) -> None:
    write(tmp_path, PROJECT | {"pkg/use.py": FLAGGED["constructed"] + "\n"})
    line = PROJECT["pkg/params.py"].splitlines().index("class Weights(Base):") + 1
    assert messages(tmp_path) == [
        f"An object of class `Weights` (line {line} of pkg/params.py) is an argument across `jax.jit`, which does not "
        f"call `__jax_array__`. Convert it with `jnp.asarray`, or register class `Weights` as a pytree."
    ]


def test_results_follow_changes_in_other_files(tmp_path: Path) -> None:
    write(tmp_path, PROJECT | {"pkg/use.py": "from jax import lax\nfrom pkg import Scale\nlax.sin(Scale(1))\n"})
    flagged = {"pkg/use.py": [(3, "OLY302")]}
    assert [found(tmp_path, cached=True) for _ in range(2)] == [flagged, flagged]
    for name, old, new in (
        ("pkg/params.py", "def __jax_array__", "def __array__"),
        ("pkg/layers.py", "class Scale(Weights)", "class Scale"),
        ("pkg/__init__.py", "from pkg.layers import *", ""),
    ):
        text = (tmp_path / name).read_text()
        assert old in text
        (tmp_path / name).write_text(text.replace(old, new))
        assert found(tmp_path, cached=True) == {}, name
        (tmp_path / name).write_text(text)
        assert found(tmp_path, cached=True) == flagged, name


@pytest.mark.parametrize("program", [*FLAGGED.values(), *QUIET.values()], ids=[*FLAGGED, *QUIET])
def test_files_are_looked_at_for_what_they_import(tmp_path: Path, program: str) -> None:
    write(tmp_path, PROJECT | {"pkg/use.py": program})
    forget_outlines()
    forget_folders()
    path = tmp_path / "pkg" / "use.py"
    assert may_hold_arrays(path.read_bytes(), path)
    assert "pkg" in imported_names(path.read_bytes(), locate(path))


@pytest.mark.parametrize(
    "text",
    [
        b"import jax\nfrom pkg import layers\n",
        b"import jax\nimport numpy as np\n",
        b"from pkg import Weights\n",
        b"import jax\nfrom pkg import Missing, plain\nfrom pkg.missing import Weights\n",
    ],
)
def test_other_files_are_not_looked_at(tmp_path: Path, text: bytes) -> None:
    write(tmp_path, PROJECT | {"pkg/plain.py": "import jax\n"})
    forget_outlines()
    forget_folders()
    assert not may_hold_arrays(text, tmp_path / "pkg" / "use.py")


@pytest.mark.parametrize(
    ("text", "borrows"),
    [
        (b"from pkg.draw import draw\n\ndef f(key):\n    return draw(key)\n", True),
        (b"from pkg.draw import draw\n\ndef f(rng):\n    return draw(rng)\n", True),
        (b"from pkg.draw import draw\n\ndef f(x):\n    return draw(x)\n", False),  # it names no key
        (b"from pkg.draw import draw\n\ndef f(x):\n    return draw(x.keys())\n", False),
        (b"from os import path\n\ndef f(key):\n    return path.join(key)\n", False),
    ],
)
def test_files_that_name_a_key_borrow_from_others(tmp_path: Path, text: bytes, borrows: bool) -> None:
    write(tmp_path, PROJECT | {"pkg/draw.py": "import jax\n\ndef draw(key):\n    return jax.random.normal(key)\n"})
    forget_outlines()
    forget_folders()
    assert may_borrow_keys(text, tmp_path / "pkg" / "use.py") == borrows


def test_circles_of_imports_end(tmp_path: Path) -> None:
    files = {"pkg/a.py": "from pkg.b import Weights as C\n", "pkg/b.py": "from pkg.a import C as Weights\n"}
    write(tmp_path, PROJECT | files | {"pkg/use.py": ""})
    forget_outlines()
    forget_folders()
    assert not may_hold_arrays(b"import jax\nfrom pkg.a import C\n", tmp_path / "pkg" / "use.py")
