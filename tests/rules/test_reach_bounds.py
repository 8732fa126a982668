"""Values of the domain are bounded in depth and number, and what the solver moves is, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from olympus_rules.reach.answers.project import ProjectReach, reach
from olympus_rules.reach.solver.values import Library, Made
from olympus_rules.syntax import Document
from olympus_rules.syntax.project import forget_folders, locate

HEAD = "import jax\nkey = jax.random.PRNGKey(0)\n"


def reached(folder: Path, **files: str) -> ProjectReach:
    """Return the analysis of a project of some modules."""
    forget_folders()
    (folder / "pyproject.toml").touch()
    paths = [folder / f"{name}.py" for name in files]
    for path in paths:
        path.write_text(files[path.stem])
    places = [(path, locate(path)) for path in paths]
    documents = {
        str(path): Document(str(path), path.read_text(), module=where.module, roots=where.roots)
        for path, where in places
    }
    return reach(documents, None)


def names(found: ProjectReach) -> set[str]:
    """Return the names of libraries that were told apart."""
    values = found.slots.listed(found.slots.of_kinds(Library))
    return {value.qualified for value in values if isinstance(value, Library)}


@pytest.mark.parametrize(
    "text",
    [
        "import numpy as np\nnp = np.linalg\n",
        "import tensorflow_probability as tfp\ntfp = tfp.substrates.jax\n",
        "import tree\nfor _ in range(3):\n    tree = tree.next\n",
        "import tree\ndef walk():\n    global tree\n    tree = tree.left\n    tree = tree.right\n",
        "import tree\nimport other\ntree, other = other.a, tree.b\n",
        "import tree\n" + "".join(f"tree = tree.a{number}\n" for number in range(12)),
        "import tree\n" + "".join(f"t{number} = tree.a{number}\ntree = t{number}.b\n" for number in range(12)),
        "import tree\ntree = (tree if tree.flag else tree.left).right\n",
        "import tree\ntree = getattr(tree, 'next')\n",
    ],
)
def test_a_name_that_is_bound_to_an_attribute_of_itself(text: str, tmp_path: Path) -> None:
    found = names(reached(tmp_path, main=HEAD + text))
    assert len(found) < 2_000 and max(each.count(".") for each in found) < 16


def test_the_first_step_of_such_a_name_is_told(tmp_path: Path) -> None:
    """The idiom itself: the name before it, after it, and anything of the library for what comes of a repetition."""
    text = "import tensorflow_probability as tfp\ntfp = tfp.substrates.jax\ntfp.distributions.Normal(0, 1)\n"
    found = reached(tmp_path, main=HEAD + text)
    assert {each for each in names(found) if each.startswith("tensorflow") and "distributions" not in each} == {
        "tensorflow_probability",
        "tensorflow_probability.substrates",
        "tensorflow_probability.substrates.jax",
    }
    assert "tensorflow_probability.substrates.jax.distributions.Normal" in names(found)
    assert Made("tensorflow_probability") in found.slots.listed(found.slots.of_kinds(Made))


GROWING = {
    "tuples in tuples": "x = key\nwhile jax:\n    x = (x, x)\n",
    "lists in lists": "x = key\nwhile jax:\n    x = [x]\n    x.append(x)\n    x = x + [x] * 2\n",
    "tuples that get longer": "x = (key,)\nwhile jax:\n    x = x + (key,)\n    x += (x,)\n    x = (*x, key, *x)\n",
    "dictionaries": "x = {'a': key}\nwhile jax:\n    x = {'b': x, **x}\n    x = dict(x, c=x)\n    x = x | {'d': x}\n",
    "items of items": "x = {'a': key}\nwhile jax:\n    x = list(x.items())\n    x = list(zip(x, enumerate(x)))\n",
    "trees": "x = key\nwhile jax:\n    x = jax.tree.map(lambda each: (each, x), x)\n    x = jax.tree.leaves([x, x])\n",
    "rows": "x = key\nwhile jax:\n    x = x[None]\n    x = jax.random.split(x)\n    x = jnp.stack([x, x])\n",
    "bound arguments": "def f(*a):\n    return a\n\nwhile jax:\n    f = partial(f, key)\n    f(key)\n",
    "mapped functions": "def f(a, b):\n    return f\n\n"
    "while jax:\n    f = jax.vmap(f)\n    f = jax.vmap(f, (0, None))\n    f(key, key)\n",
    "gradients": "def f(a):\n    return a\n\n"
    "while jax:\n    f = jax.value_and_grad(f)\n    f = jax.jit(f)\n    f(key)\n",
    "functions of functions": "def f(a):\n    return lambda b: f(a)(b)\n\nwhile jax:\n    f = f(f)\n    f(key)\n",
    "a decorator of itself": "def d(f):\n    @d\n    def g(*a):\n        return f(*a)\n    return g\n\nd(d)(d)(key)\n",
    "constructors": "f = jax.random.PRNGKey\nwhile jax:\n    f = jax.vmap(f)\n    f(key)\n",
    "objects in objects": "class A:\n    def __init__(self, a):\n        self.a = a\n        self.b = A(self)\n\n"
    "x = A(key)\nwhile jax:\n    x = A(x.a)\n    x = x.__class__(x.__dict__)\n    x = vars(x)\n",
    "bound methods": "class A:\n    def f(self, a=None):\n        return self.f\n\n"
    "x = A().f\nwhile jax:\n    x = x(x)\n    x = x.__self__.f\n",
    "methods of superclasses": "class A:\n    def f(self):\n        return super().f\n\n"
    "class B(A):\n    def f(self):\n        return super().f().f\n\nB().f()(key)\n",
    "results of results": "x = jax.f\nwhile jax:\n    x = x(key)(x)\n    x = x.a(x).b\n",
    "modules": "import main\nwhile jax:\n    main = main.main\n    main = main.jax\n",
    "generators": "def g(a):\n    yield a\n    yield from g(g(a))\n\nx = g(key)\n"
    "while jax:\n    x = next(x)\n    x = g(x)\n",
    "arguments of arguments": "def f(*a, **o):\n    return f(a, *a, o=o, **o)\n\nf(key, k=key)\n",
    "structures": "x = key\nwhile jax:\n    x, t = jax.tree.flatten(x)\n    x = jax.tree.unflatten(t, (x, t))\n",
    "named tuples": "from collections import namedtuple\nP = namedtuple('P', 'a b')\n"
    "x = P(key, key)\nwhile jax:\n    x = P(*x)\n    x = x._replace(a=x)\n    x = P(x, x._asdict())\n",
}


@pytest.mark.parametrize("text", GROWING.values(), ids=GROWING.keys())
def test_what_is_made_of_itself_again_and_again(text: str, tmp_path: Path) -> None:
    imports = "import jax.numpy as jnp\nfrom functools import partial\n"
    slots = reached(tmp_path, main=HEAD + imports + text).slots
    assert len(slots.numbers) < 150 and slots.of_kinds(object).bit_length() < 40


def test_stars_of_many_layers(tmp_path: Path) -> None:
    """A name that no module binds is looked for once in each module, however many stars lead there."""
    layers, each = 12, 3
    stars = {
        f"m{layer}_{number}": HEAD + "".join(f"from m{layer + 1}_{other} import *\n" for other in range(each))
        for layer in range(layers)
        for number in range(each)
    }
    last = {f"m{layers}_{number}": HEAD for number in range(each)}
    main = HEAD + "from m0_0 import *\nimport m0_0\nm0_0.nobody\n"
    assert "m0_0.nobody" in names(reached(tmp_path, **stars, **last, main=main))


def test_of_a_large_project_the_files_nearest_to_the_constructors_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = "import b\n" + "x = 1\n" * 20
    files = {"a": HEAD, "b": "from a import key\n", "c": far, "d": "x = 1\n" * 20}
    every = reached(tmp_path, **files)
    assert len(every.names.documents) == 4 and not every.slots.is_cut_short
    monkeypatch.setattr("olympus_rules.reach.answers.project.MOST_LINES", 10)
    few = reached(tmp_path, **files)
    assert [Path(path).stem for path in few.names.documents] == ["a", "b"] and few.slots.is_cut_short
