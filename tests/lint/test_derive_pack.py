"""A signature pack derived from a package's source, and what comes of using it."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import jsonschema
import pytest

from olympus_rules.libraries import read_pack
from olympus_rules.libraries.table import FOLDER

Table = dict[str, Any]

FILES = {
    "__init__.py": """
        from . import shapes as forms
        from ._impl import jitter, _secret, ignores
        from ._impl import Layer as Dense
        from ._star import *
    """,
    "_impl.py": """
        import jax
        from elsewhere import mystery

        def jitter(image, key, scale=1.0):
            return image + scale * noise(key, image.shape)

        def noise(key, shape):
            return jax.random.normal(key, shape)

        def ignores(key, x):
            return x

        def _secret(key):
            return jax.random.normal(key)

        class Layer:
            def __init__(self, size, *, key):
                self.weight = jax.random.normal(key, (size,))
    """,
    "_star.py": """
        import jax

        __all__ = ["shown", "_hidden"]

        def shown(key):
            return jax.random.normal(key)

        def _hidden(key):
            return jax.random.normal(key)

        def unlisted(key):
            return jax.random.normal(key)
    """,
    "shapes.py": """
        import functools
        import jax
        from elsewhere import mystery, wrapped
        from .policies import Policy
        from ._impl import Layer, noise

        def area(width, height):
            return width * height

        def lookup(table, key):
            return table[key]

        def name_of(key: str):
            return ""

        def folds(key, step):
            return noise(jax.random.fold_in(key, step), (3,))

        def sometimes(key, x, train):
            if train:
                x = x + noise(key, x.shape)
            return x

        def either_way(key, kind):
            if kind == "normal":
                return noise(key, ())
            elif kind == "uniform":
                return jax.random.uniform(key)
            raise ValueError(kind)

        def by_default(x, key=None):
            if key is None:
                key = jax.random.key(0)
            return noise(key, x.shape)

        def only_with_a_key(x, key=None):
            if key is not None:
                x = x + noise(key, x.shape)
            return x

        def unless_there_is_none(x, key=None):
            if key is None:
                return x
            return x + noise(key, x.shape)

        def checked(size, key):
            if size < 2:
                raise ValueError
            return noise(key, (size,))

        def early(x, key, rate):
            if rate == 0:
                return x
            return noise(key, x.shape)

        def returns(key):
            jax.random.key_data(key)
            return key

        def draws_and_returns(key):
            noise(key, ())
            return key

        def from_seed(seed):
            return jax.random.key(seed)

        def later_seed(config, seed):
            return jax.random.PRNGKey(seed)

        def seed_or_key(seed):
            key = jax.random.key(seed) if isinstance(seed, int) else seed
            return noise(key, ())

        def children(key, num):
            return jax.random.split(key, num)

        def child(key, index):
            return jax.random.fold_in(key, index)

        def three(key):
            return jax.random.split(key, 3)

        def in_lanes(keys):
            return jax.vmap(lambda key: noise(key, ()))(keys)

        def in_a_loop(key, n):
            for _ in range(n):
                key, sub = jax.random.split(key)
                noise(sub, ())

        def one_by_one(key, items):
            for number, item in enumerate(items):
                key, sub = jax.random.split(key)
                noise(sub, (number, item))

        def in_the_third_turn(key, n):
            for number in range(n):
                if number == 2:
                    noise(key, ())

        def even(key, n):
            return odd(key, n - 1)

        def odd(key, n):
            key, sub = jax.random.split(key)
            return even(key, n) if n else noise(sub, ())

        def unknown(key, x):
            key_data = jax.random.key_data(key)
            return mystery(key, x, key_data)

        def unknown_by_annotation(source: "PRNGKeyArray", x):
            return mystery(source, x)

        def looks_at(source: "jax.Array | PRNGKeyArray"):
            return source.shape

        def calls_back(draw: "Callable[[PRNGKeyArray], Array]", x):
            return mystery(draw, x)

        def part(state):
            return noise(state.key, ())

        def first_only(keys):
            return noise(keys[0], ())

        def for_later(key):
            return lambda shape: noise(key, shape)

        def stores(target, key: "PRNGKey"):
            target.key = key

        def maker(scale):
            @jax.jit
            def draw(key, shape):
                return scale * noise(key, shape)
            return draw

        @wrapped
        def decorated(key):
            return noise(key, ())

        def doubled(function):
            def around(*args):
                return 2 * function(*args)
            return around

        @doubled
        def decorated_here(key):
            return noise(key, ())

        @doubled
        def without_key(x):
            return x

        @jax.jit
        def jitted(key):
            return noise(key, ())

        class Wide(Layer):
            pass

        batched = jax.vmap(noise)
        small = functools.partial(noise, shape=())
    """,
    "policies.py": """
        import abc
        import jax
        import labkit._impl as impl

        class Policy:
            def __init__(self, size):
                self.size = size

            def act(self, params, key):
                return impl.noise(key, (self.size,))

            def reset(self, key):
                return impl.noise(key, ())

            def plan(self, key, horizon):
                return impl.noise(key, (horizon,))

            def rollout(self, key):
                return self._rollout(key)

            def _rollout(self, key):
                raise NotImplementedError

            def evaluate(self, params, key):
                return self.size(params) if key is None else params

            @property
            def spread(self):
                return 1

            @classmethod
            def create(cls, key):
                return cls(jax.random.randint(key, (), 1, 9))

            @staticmethod
            def draw(key):
                return jax.random.normal(key)

        class Greedy(Policy):
            def act(self, params, key):
                return impl.noise(key, params)

            def reset(self, state, key):
                return impl.noise(key, ())

            def plan(self, key, depth):
                return impl.noise(key, (depth,))

        class Base(abc.ABC):
            @abc.abstractmethod
            def act(self, params):
                ...
    """,
    "tests/__init__.py": "",
    "tests/test_it.py": "import jax\ndef test_f(key):\n    jax.random.normal(key)\n",
    "_private/__init__.py": "",
    "_private/deep.py": "import jax\ndef deep(key):\n    return jax.random.normal(key)\n",
}


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))
    return folder


@pytest.fixture
def derived(project: Path, run: Callable[..., Any]) -> Table:
    """Return the pack of the package above, which is written to ``labkit.toml``."""
    write(project / "site" / "labkit", FILES)
    outcome = run("--derive-pack", "site/labkit", "-o", "labkit.toml")
    assert (outcome.status, outcome.out) == (0, "")
    return tomllib.loads(Path("labkit.toml").read_text("utf-8"))


ROWS = {
    "jitter": {"parameters": ["image", "key", "scale"], "sinks": ["key"]},
    "ignores": {"parameters": ["key", "x"], "inspects": ["key"]},
    "Dense": {"parameters": ["size"], "keywords": ["key"], "sinks": ["key"]},
    "shown": {"parameters": ["key"], "sinks": ["key"]},
    "shapes.folds": {"parameters": ["key", "step"], "folds": ["key"]},
    "shapes.sometimes": {"parameters": ["key", "x", "train"], "folds": ["key"]},
    "shapes.either_way": {"parameters": ["key", "kind"], "sinks": ["key"]},
    "shapes.by_default": {"parameters": ["x", "key"], "sinks": ["key"]},
    "shapes.only_with_a_key": {"parameters": ["x", "key"], "sinks": ["key"]},
    "shapes.unless_there_is_none": {"parameters": ["x", "key"], "sinks": ["key"]},
    "shapes.checked": {"parameters": ["size", "key"], "sinks": ["key"]},
    "shapes.early": {"parameters": ["x", "key", "rate"], "folds": ["key"]},
    "shapes.returns": {"parameters": ["key"], "forwards": ["key"]},
    "shapes.draws_and_returns": {"parameters": ["key"], "sinks": ["key"], "forwards": ["key"]},
    "shapes.from_seed": {"parameters": ["seed"], "seed": "typed"},
    "shapes.seed_or_key": {"parameters": ["seed"], "sinks": ["seed"], "seeds": ["seed"]},
    "shapes.looks_at": {"parameters": ["source"], "inspects": ["source"]},
    "shapes.children": {"parameters": ["key", "num"], "sinks": ["key"], "derive": "split"},
    "shapes.child": {"parameters": ["key", "index"], "folds": ["key"], "derive": "fold_in"},
    "shapes.three": {"parameters": ["key"], "sinks": ["key"]},
    "shapes.in_lanes": {"parameters": ["keys"], "sinks": ["keys"]},
    "shapes.in_a_loop": {"parameters": ["key", "n"], "sinks": ["key"]},
    "shapes.one_by_one": {"parameters": ["key", "items"], "sinks": ["key"]},
    "shapes.in_the_third_turn": {"parameters": ["key", "n"], "folds": ["key"]},
    "shapes.even": {"parameters": ["key", "n"], "sinks": ["key"]},
    "shapes.odd": {"parameters": ["key", "n"], "sinks": ["key"]},
    "shapes.jitted": {"parameters": ["key"], "sinks": ["key"]},
    "shapes.Wide": {"parameters": ["size"], "keywords": ["key"], "sinks": ["key"]},
    "shapes.maker.draw": {"parameters": ["key", "shape"], "sinks": ["key"]},
    "shapes.batched": {"parameters": ["key", "shape"], "sinks": ["key"]},
    "policies.Policy.create": {"parameters": ["key"], "sinks": ["key"]},
    "policies.Policy.draw": {"parameters": ["key"], "sinks": ["key"]},
}


def test_every_public_function_that_takes_or_makes_keys_has_a_row(derived: Table):
    forms = {name.replace("shapes.", "forms."): row for name, row in ROWS.items() if name.startswith("shapes.")}
    behind = {"_impl.jitter": "jitter", "_impl.ignores": "ignores", "_impl.Layer": "Dense", "_star.shown": "shown"}
    expected = ROWS | forms | {name: ROWS[public] for name, public in behind.items()}
    assert derived["functions"] == {f"labkit.{name}": row for name, row in expected.items()}


def test_methods_have_a_row_where_all_of_one_name_agree(derived: Table):
    assert derived["methods"] == {
        "act": {"parameters": ["params", "key"], "sinks": ["key"]},
        "plan": {"parameters": ["key"], "sinks": ["key"]},
    }


def test_functions_that_return_one_with_a_row_name_it(derived: Table):
    names = ("labkit.forms.maker", "labkit.shapes.maker")
    assert derived["returns"] == {f"{name}.draw": [name] for name in names}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("labkit.shapes.unknown", "its key `key` goes to `elsewhere.mystery`, which is out of reach"),
        ("labkit.shapes.unknown_by_annotation", "its key `source` goes to `elsewhere.mystery`, which is out of reach"),
        ("labkit.shapes.part", "it consumes a part of `state`, and not all of it"),
        ("labkit.shapes.first_only", "it consumes a part of `keys`, and not all of it"),
        ("labkit.shapes.for_later", "its key `key` is used in a function inside of it"),
        ("labkit.shapes.stores", "it keeps its key `key` in an object"),
        ("labkit.shapes.decorated", "it has a decorator that is out of reach"),
        ("labkit.shapes.decorated_here", "it has a decorator that calls it"),
        ("labkit.shapes.small", "it is a partial application"),
        ("labkit.shapes.later_seed", "it makes a key from something other than its first parameter"),
        ("method reset", "methods of this name differ"),
        ("method rollout", "it calls `self._rollout`, which subclasses define"),
    ],
)
def test_what_has_no_row_is_listed_with_the_reason(derived: Table, name: str, reason: str):
    assert f"# {name}: {reason}\n" in Path("labkit.toml").read_text("utf-8")


def test_the_pack_is_one(derived: Table):
    jsonschema.validate(derived, json.loads((FOLDER / "schema.json").read_text("utf-8")))
    pack = read_pack(Path("labkit.toml"))
    assert pack.roots == ("labkit",)
    assert len(pack.functions) == len(derived["functions"])


def test_the_same_source_gives_the_same_text(derived: Table, run: Callable[..., Any]):
    assert run("--derive-pack", "site/labkit").out == Path("labkit.toml").read_text("utf-8")


USER = """\
import jax
import labkit


def wrong(seed, image):
    key = jax.random.key(seed)
    first = labkit.jitter(image, key)
    return first, labkit.{last}


def right(seed, image):
    first_key, second_key = jax.random.split(jax.random.key(seed))
    labkit.ignores(first_key, image)
    return labkit.jitter(image, first_key), labkit.jitter(image, second_key)
"""


@pytest.mark.parametrize(
    "last", ["jitter(image, key)", "Dense(3, key=key)", "shapes.in_lanes(keys=key)", "shapes.maker(2.0)(key, ())"]
)
def test_with_the_pack_a_finding_is_certain_and_right_code_is_quiet(derived: Table, run: Callable[..., Any], last: str):
    Path("user.py").write_text(USER.format(last=last))
    report = lambda: json.loads(run("--output-format", "json", "user.py").out)
    assert "certain" not in {found["confidence"] for found in report()}
    Path("olympus-lint.toml").write_text('signature-packs = ["labkit.toml"]\n')
    (found,) = report()
    assert (found["code"], found["confidence"], found["location"]["row"]) == ("OLY104", "certain", 8)


def test_nothing_of_an_installed_package_is_imported(
    project: Path, run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
):
    body = "import jax\nraise SystemExit('imported')\ndef f(key):\n    return jax.random.normal(key)\n"
    write(project / "site", {"exploding/__init__.py": body})
    write(project / "site", {"exploding-1.5.dist-info/METADATA": "Metadata-Version: 2.1\nName: e\nVersion: 1.5\n"})
    write(project / "site", {"exploding-1.5.dist-info/top_level.txt": "exploding\n"})
    monkeypatch.syspath_prepend(project / "site")
    outcome = run("--derive-pack", "exploding")
    assert outcome.status == 0
    assert outcome.out.startswith("# What the functions of exploding 1.5 do with random keys")
    assert tomllib.loads(outcome.out)["functions"] == {"exploding.f": {"parameters": ["key"], "sinks": ["key"]}}
    assert outcome.err == "Wrote 1 row; 0 names without one.\n"
    assert "exploding" not in sys.modules


def test_what_packs_say_of_the_package_itself_does_not_count(project: Path, run: Callable[..., Any]):
    source = """
        import optax
        def power_iteration(matrix, *, key):
            return optax.tree_utils.tree_random_like(key, matrix)
    """
    write(project / "optax", {"__init__.py": source})
    out = run("--derive-pack", "./optax").out
    assert "functions" not in tomllib.loads(out)
    assert "which is out of reach" in out


def test_folders_of_a_package_without_an_init_belong_to_it(project: Path, run: Callable[..., Any]):
    inner = "from .deep import noise\ndef f(key):\n    return noise(key)\n"
    deep = "import jax\ndef noise(key):\n    return jax.random.normal(key)\n"
    write(
        project / "spread", {"__init__.py": "from ._src.inner import f\n", "_src/inner.py": inner, "_src/deep.py": deep}
    )
    assert set(tomllib.loads(run("--derive-pack", "./spread").out)["functions"]) == {"spread.f", "spread._src.inner.f"}


def test_a_package_of_one_file(project: Path, run: Callable[..., Any]):
    write(
        project,
        {"tiny.py": "import jax\ndef f(key):\n    return g(key)\ndef g(key):\n    return jax.random.bits(key)\n"},
    )
    assert set(tomllib.loads(run("--derive-pack", "./tiny.py").out)["functions"]) == {"tiny.f", "tiny.g"}


@pytest.mark.parametrize(
    ("exported", "public"),
    [
        ('["f"]', {"f"}),
        ('["f"] + inner.__all__', {"f", "g", "h"}),
        ('["f", *inner.__all__]', {"f", "g", "h"}),
        ('["f"]\n__all__ += ["g"]', {"f", "g"}),
        ('["f", NAME]', {"f", "g", "h"}),
    ],
)
def test_names_in_all_that_the_text_does_not_spell_out(
    project: Path, run: Callable[..., Any], exported: str, public: set[str]
):
    body = "".join(f"def {name}(key):\n    return jax.random.normal(key)\n" for name in ("f", "g", "h", "_hidden"))
    write(project / "open", {"__init__.py": f"import jax\nimport inner\n__all__ = {exported}\n{body}"})
    outcome = run("--derive-pack", "./open")
    assert outcome.status == 0
    assert set(tomllib.loads(outcome.out)["functions"]) == {f"open.{name}" for name in public}


def test_a_file_that_does_not_parse_is_left_out(project: Path, run: Callable[..., Any]):
    good = "import jax\ndef f(key):\n    return jax.random.normal(key)\n"
    write(project / "half", {"__init__.py": good, "broken.py": "def f(:\n"})
    outcome = run("--derive-pack", "./half")
    assert outcome.status == 2
    assert set(tomllib.loads(outcome.out)["functions"]) == {"half.f"}
    place = Path("half", "broken.py")
    assert f"{place}: cannot be analysed (SyntaxError: " in outcome.err
    assert outcome.err.startswith("error: ")
    assert f"{place}: SyntaxError" in outcome.out.replace("\n# ", " ")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("no_such_package", "no_such_package: is no package of this Python environment; check the spelling"),
        ("./nowhere", "./nowhere: does not exist; give the path of a package's folder"),
        ("sys", "sys: is built into Python and has no source"),
        ("./plain", "has no __init__.py; give the path of a folder that has one."),
        ("./fast.so", "is no Python source; write a pack by hand"),
        ("a.b", "a.b: does not exist; give the path"),
    ],
)
def test_a_package_without_source_is_one_sentence(project: Path, run: Callable[..., Any], given: str, message: str):
    write(project, {"plain/module.py": "", "fast.so": ""})
    outcome = run("--derive-pack", given)
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith("error: ")
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


def test_paths_and_a_package_do_not_go_together(project: Path, run: Callable[..., Any]):
    outcome = run("--derive-pack", "labkit", "src")
    assert outcome.status == 2
    assert outcome.err.startswith("error: --derive-pack takes one package and no paths; ")


def test_a_long_list_has_a_line_for_each_item(project: Path, run: Callable[..., Any]) -> None:
    names = [f"a_parameter_of_the_model_{number}" for number in range(5)]
    write(
        project / "wide",
        {"__init__.py": f"import jax\n\n\ndef f(key, {', '.join(names)}):\n    return jax.random.normal(key)\n"},
    )
    lines = run("--derive-pack", "./wide").out.splitlines()
    assert 'sinks = ["key"]' in lines
    assert lines[lines.index("parameters = [") + 1 :][:7] == [*(f'  "{name}",' for name in ["key", *names]), "]"]


def test_a_function_that_takes_its_keys_with_a_star_has_no_row(project: Path, run: Callable[..., Any]) -> None:
    body = "import jax\n\n\ndef f(*keys):\n    return jax.vmap(jax.random.normal)(keys)\n"
    write(project / "starred", {"__init__.py": body})
    out = run("--derive-pack", "./starred").out
    assert "starred.f: its key is one of `*keys`" in out and "[functions" not in out
