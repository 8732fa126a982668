"""The format of signature packs, what the packs say against the libraries' sources, and what comes of it."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import os
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from shipped_packs import shipped_pack

from olympus_lint.project.settings import Settings
from olympus_lint.run.engine import lint_text
from olympus_lint.run.fixing import fix_text
from olympus_rules.finding import Confidence
from olympus_rules.libraries import LibraryFunction, libraries, package_of, shipped
from olympus_rules.libraries.pack import Pack
from olympus_rules.libraries.reader import FIELDS, LISTS, OF_METHODS, SECTIONS, read
from olympus_rules.libraries.table import FOLDER

SCHEMA = json.loads((FOLDER / "schema.json").read_text("utf-8"))
CHECKED_ELSEWHERE = {"jax", "numpy", "python", "typing_extensions"}  # test_signatures.py
# Folders with unpacked packages beside what is installed; `tests/benchmarks/corpus.py fetch` fills the default one.
SOURCES = Path(os.environ.get("OLYMPUS_CORPUS", "~/.cache/olympus-lint/corpus")).expanduser()


# The format.

RIGHT = """
roots = ["a"]
[functions."a.f"]
parameters = ["key", "x"]
keywords = ["rng"]
sinks = ["key"]
folds = ["rng"]
inspects = ["x"]
seeds = ["key", "rng"]
gives = ["__next__"]
draw = "bits"
[functions."a.g"]
makes = "keys"
[methods.h]
parameters = ["key"]
forwards = ["key"]
[inspect]
prefixes = ["a.is_"]
[transform]
scan = ["a.scan"]
[returns]
"a.f" = ["a.make_f"]
[typed-keys]
since = "1.2"
except = ["a.save"]
"""


def test_a_pack_that_is_right() -> None:
    pack = read("some/a.toml", RIGHT)
    assert pack.roots == ("a",)
    assert [row.qualified for row in pack.functions] == ["a.f", "a.g"]
    assert pack.methods == (LibraryFunction("h", parameters=("key",), forwards=("key",), method=True),)
    assert pack.listed("transform", "scan") == ("a.scan",) and pack.listed("fold", "methods") == ()
    assert pack.spoken_of() == {"a.f", "a.g", "a.make_f", "a.scan"}
    assert (pack.typed_since, pack.raw, pack.raw_names) == ("1.2", False, ("a.save",))
    jsonschema.Draft202012Validator(SCHEMA).validate(tomllib.loads(RIGHT))


@pytest.mark.parametrize(
    ("section", "answers"),
    [
        ("", ["unknown", "no", "unknown", "unknown"]),
        ("[typed-keys]\nsince = '1.2'", ["yes", "no", "yes", "yes"]),
        ("[typed-keys]\nsince = '1.2'\nexcept = ['lib.save']", ["yes", "no", "yes", "no"]),
        ("[typed-keys]\nnone = true", ["no", "no", "no", "no"]),
    ],
)
def test_what_a_pack_says_of_typed_keys(tmp_path: Path, section: str, answers: list[str]) -> None:
    path = tmp_path / "lib.toml"
    rows = '\n[functions."lib.f"]\nparameters = ["key"]\n[functions."lib.g"]\nparameters = ["key"]\nraw = true\n'
    path.write_text(section + rows, encoding="utf-8")
    asked = ["lib.f", "lib.g", "lib.other", "lib.save"]
    assert [libraries((str(path),)).get(name).typed_keys for name in asked] == answers


def test_what_is_known_of_typed_keys_without_a_pack_of_ones_own() -> None:
    asked = ["jax.random.normal", "zip", "builtins.list", "functools.partial", "flax.linen.Dense"]
    assert [libraries().get(name).typed_keys for name in asked] == ["yes"] * len(asked)
    assert libraries().get("flax.serialization.to_bytes").typed_keys == "no"
    assert [libraries().get(name).typed_keys for name in ("somelib.f", "pickle.dumps", "brax.envs.create")] == [
        "unknown"
    ] * 3


RAW_ONLY = """[typed-keys]
none = true
[functions."lib.draw"]
parameters = ["key"]
sinks = ["key"]
[functions."lib.next_key"]
makes = "key"
"""


def test_keys_at_the_boundary_of_a_library_that_takes_raw_keys_only(tmp_path: Path) -> None:
    path = tmp_path / "lib.toml"
    path.write_text(RAW_ONLY, encoding="utf-8")
    text = (
        "import jax\nimport jax.numpy as jnp\nimport lib\n\n\ndef f(seed, done):\n"
        "    a, b, c = jax.random.split(jax.random.key(seed), 3)\n    lib.draw(a), lib.Anything(b)\n"
        "    return jnp.where(done, c, lib.next_key())\n"
    )
    settings = Settings(select=("OLY208",), signature_packs=(str(path),))
    assert [f.span.start.row for f in lint_text("a.py", text, settings).findings] == [8, 8, 9]
    fixed = fix_text("a.py", text, settings).text
    assert "    lib.draw(jax.random.key_data(a)), lib.Anything(jax.random.key_data(b))\n" in fixed
    assert fixed.count("# TODO") == 2
    assert "jnp.where(done, c, jax.random.wrap_key_data(lib.next_key()))\n" in fixed
    assert lint_text("a.py", fixed, settings).findings == []


def test_a_pack_speaks_of_the_package_that_it_is_named_after() -> None:
    assert read("some/folder/kit.toml", "").roots == ("kit",)


# What is wrong, what the message says of it, and whether a schema can tell.
WRONG = [
    ("[function.f]", r"a\.toml: unknown section 'function'; did you mean 'functions'\?", True),
    (
        "[x]",
        r"unknown section 'x'; known are functions, methods, returns, copies, fields, inspect, fold, layers, lifted, "
        r"silent, counting, forward, transform, result, containers, arrays, conversions, typed-keys",
        True,
    ),
    ("inspect = 3", r"a\.toml: \[inspect\]: expected a table, not 3", True),
    ("roots = 'a'", r"""a\.toml: roots: expected a list of names such as \["key"\], not 'a'""", True),
    (
        '[functions."a.f"]\nsink = ["key"]',
        r"""a\.toml: \[functions\."a\.f"\]: unknown field 'sink'; did you mean 'sinks'\?""",
        True,
    ),
    ('[functions."a.f"]\nsinks = "key"', r"""\[functions\."a\.f"\] sinks: expected a list of names""", True),
    ('[functions."a.f"]\nmakes = "kye"', r"makes: unknown value 'kye'; did you mean 'key'\?", True),
    ('[functions."a.f"]\nwrap = 1', r"wrap: expected true or false, not 1", True),
    ('[functions."a.f"]\ndraw = 1', r"draw: expected a string, not 1", True),
    ('[functions]\n"a.f" = 1', r"""a\.toml: \[functions\."a\.f"\]: expected a table, not 1""", True),
    (
        '[functions."a.f"]\nderive = "split"',
        r"a key is derived from the first of `parameters`, and there is none",
        True,
    ),
    ('[methods.f]\ngives = ["g"]', r"""\[methods\."f"\]: unknown field 'gives'; """, True),
    ('[forward]\nnames = ["a.f", 1]', r"a\.toml: \[forward\] names: expected a list of names", True),
    ("[forward]\nprefixes = []", r"a\.toml: \[forward\]: unknown field 'prefixes'; known are names", True),
    ("[returns]\n'a.f' = 3", r'\[returns\] "a\.f": expected a list of names', True),
    ("[transform]\nscans = []", r"a\.toml: \[transform\]: unknown field 'scans'; did you mean 'scan'\?", True),
    ("[conversions]", r"a\.toml: \[\[conversions\]\]: expected an array of tables, not \{\}", True),
    ('[[conversions]]\nform = "word"\nnames = []', r"form: unknown value 'word'; did you mean 'words'\?", True),
    ('[[conversions]]\nform = "words"\nnames = []\nplaces = 1', r"expected numbers in `places`", True),
    ('[[conversions]]\nform = "words"\nnames = []\nbefore = "new"', r"expected a release such as", False),
    ("[typed-keys]\nsinse = '1'", r"a\.toml: \[typed-keys\]: unknown field 'sinse'; did you mean 'since'\?", True),
    ("[typed-keys]\nsince = 1", r"\[typed-keys\] since: expected a string, not 1", True),
    ("[typed-keys]\nsince = '1'\nnone = true", r"takes typed keys since 1 does not take none; drop one", True),
    (
        '[functions."a.f"]\nparameters = ["key"]\nsinks = ["kye"]',
        r"sinks: unknown parameter 'kye'; did you mean 'key'\?",
        False,
    ),
    (
        '[functions."a.f"]\nparameters = ["key", "x"]\nsinks = ["key"]\nseeds = ["x"]',
        r"seeds: unknown sink, fold or kept key 'x'; known are key",
        False,
    ),
]


@pytest.mark.parametrize(("text", "message", "in_schema"), WRONG)
def test_a_pack_that_is_wrong(text: str, message: str, in_schema: bool) -> None:
    with pytest.raises(ValueError, match=message):
        read("a.toml", text)
    assert jsonschema.Draft202012Validator(SCHEMA).is_valid(tomllib.loads(text)) is not in_schema


def test_a_file_that_is_not_toml() -> None:
    with pytest.raises(ValueError, match=r"a\.toml is not TOML \(.+\); correct it there"):
        read("a.toml", "[forward")


def test_the_schema_knows_what_the_reader_knows() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    sections = SCHEMA["properties"]
    assert set(sections) == {"roots", *SECTIONS}
    assert {name: tuple(sections[name]["properties"]) for name in LISTS} == LISTS
    assert set(SCHEMA["$defs"]["function"]["properties"]) == set(FIELDS)
    assert set(SCHEMA["$defs"]["method"]["properties"]) == set(OF_METHODS)


@pytest.mark.parametrize("path", shipped(), ids=lambda path: path.stem)
def test_packs_agree_with_the_schema(path: Path) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(tomllib.loads(path.read_text("utf-8")))


@pytest.mark.parametrize("path", shipped(), ids=lambda path: path.stem)
def test_a_pack_is_found_under_the_names_that_it_speaks_of(path: Path) -> None:
    pack = shipped_pack(path)
    names = pack.spoken_of() | {*pack.listed("inspect", "prefixes")}
    roots = {name.partition(".")[0] if "." in name else "python" for name in names}
    assert {"python" if root in sys.stdlib_module_names else root for root in roots} <= {package_of(path)}
    assert pack.roots == (package_of(path),)


# The packs against the libraries.


@cache
def package(name: str) -> Path | None:
    """Return the folder of a package's source: unpacked in the corpus, or installed."""
    found = sorted(SOURCES.glob(f"*/{name}/__init__.py")) + sorted(SOURCES.glob(f"*/src/{name}/__init__.py"))
    if found:
        return found[0].parent
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    file = Path(spec.origin) if spec is not None and spec.origin else None
    return file.parent if file is not None and file.name == "__init__.py" else None


def fields_of(class_: ast.ClassDef) -> ast.arguments:
    """Return the fields of a class, which the constructor of a dataclass takes."""
    names = [
        each.target.id for each in class_.body if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
    ]
    args = [ast.arg(name) for name in names]
    return ast.arguments(posonlyargs=[], args=args, kwonlyargs=[], kw_defaults=[], defaults=[])


@cache
def names_of(root: str) -> re.Pattern[str]:
    """Return what finds a definition of a name that the packs have of a package; most of its files have none."""
    packs = [shipped_pack(path) for path in shipped() if path.stem == root]
    names = {row.qualified for pack in packs for row in (*pack.functions, *pack.methods)}
    names.update(*map(listed_methods, packs))
    bare = {name.rpartition(".")[2] for name in names}
    return re.compile(rf"\b(def|class)\s+({'|'.join(map(re.escape, bare))})\b")


@cache
def definitions(name: str) -> dict[str, list[ast.arguments]]:
    """Return the arguments of each function, class and method of a package by its bare name, ``self`` left out."""
    folder = package(name)
    found: dict[str, list[ast.arguments]] = {}
    texts = [file.read_text("utf-8", errors="replace") for file in sorted(folder.rglob("*.py"))] if folder else []
    for text in filter(names_of(name).search, texts):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ClassDef):
                for part in node.body:
                    if isinstance(part, ast.FunctionDef):
                        static = any(ast.unparse(each) == "staticmethod" for each in part.decorator_list)
                        rest = part.args.args[0 if static else 1 :]
                        own = ast.arguments(**{**vars(part.args), "args": rest})
                        found.setdefault(node.name if part.name == "__init__" else part.name, []).append(own)
                found.setdefault(node.name, []).append(fields_of(node))
            elif isinstance(node, ast.FunctionDef):
                found.setdefault(node.name, []).append(node.args)
    return found


def agrees(row: LibraryFunction, arguments: ast.arguments) -> bool:
    """Say whether a definition has the parameters of a row; those that it has besides come after them."""
    positional = [each.arg for each in arguments.posonlyargs + arguments.args]
    keywords = {each.arg for each in arguments.kwonlyargs}
    named = set(row.keywords) <= keywords or arguments.kwarg is not None
    return tuple(positional[: len(row.parameters)]) == row.parameters and named


# Taken from a later release than the one in the corpus, optax 0.2.8.
LATER = {
    "optax.add_noise",
    "optax.contrib.differentially_private_aggregate",
    "optax.noisy_sgd",
    "optax.tree.random_like",
    "optax.tree.size",
    "optax.tree.split_key_like",
    "optax.tree_utils.tree_norm",
    "optax.tree_utils.tree_scale",
    "optax.tree_utils.tree_size",
}
ROWS_OF_PACKS = [
    pytest.param(path.stem, row, id=f"{path.stem}-{row.qualified}")
    for path in shipped()
    if package_of(path) not in CHECKED_ELSEWHERE
    for row in (*shipped_pack(path).functions, *shipped_pack(path).methods)
    if row.qualified not in LATER
]


@pytest.mark.parametrize(("root", "row"), ROWS_OF_PACKS)
def test_rows_have_the_parameters_of_the_source(root: str, row: LibraryFunction) -> None:
    if package(root) is None:
        pytest.skip(f"{root} is neither installed nor in {SOURCES}")
    found = definitions(root).get(row.qualified.rpartition(".")[2], [])
    assert any(agrees(row, arguments) for arguments in found), [ast.unparse(arguments) for arguments in found][:5]


def module_texts(qualified: str) -> Iterator[str]:
    """Return the text of the module that a name is imported from, wherever it lies in its package."""
    *parts, _ = qualified.split(".")
    folder = package(parts[0])
    assert folder is not None
    places = folder.rglob(f"{parts[-1]}.py"), folder.rglob(f"{parts[-1]}/__init__.py")
    files = [folder / "__init__.py"] if len(parts) == 1 else [file for place in places for file in place]
    yield from (file.read_text("utf-8") for file in files)


REMOVED = {"haiku.jit"}  # public in older releases


@pytest.mark.parametrize(
    "path", [path for path in shipped() if package_of(path) not in CHECKED_ELSEWHERE], ids=lambda path: path.stem
)
def test_names_are_exported(path: Path) -> None:
    if package(path.stem) is None:
        pytest.skip(f"{path.stem} is neither installed nor in {SOURCES}")
    missing = []
    for name in sorted(shipped_pack(path).spoken_of() - REMOVED - LATER):
        exported = re.match(r"(?:[a-z_]\w*\.)*\w+", name)[0]  # a method of a class is exported with it
        last = re.compile(rf"\b{exported.rpartition('.')[2]}\b")
        missing += [] if any(last.search(text) for text in module_texts(exported)) else [name]
    assert missing == []


def listed_methods(pack: Pack) -> set[str]:
    return {*pack.listed("fold", "methods"), *pack.listed("inspect", "methods")}


@pytest.mark.parametrize(
    "path", [path for path in shipped() if listed_methods(shipped_pack(path))], ids=lambda path: path.stem
)
def test_listed_methods_exist(path: Path) -> None:
    if package(path.stem) is None:
        pytest.skip(f"{path.stem} is neither installed nor in {SOURCES}")
    transformed = {"apply", "init"} if path.stem == "haiku" else set()  # fields of haiku.Transformed
    assert listed_methods(shipped_pack(path)) - transformed - definitions(path.stem).keys() == set()


# What comes of it.


def confidences(program: str, packs: tuple[str, ...] = ()) -> list[tuple[int, str]]:
    """Return row and confidence of the findings in a program; those of default confidence are found by default."""
    found: dict[Confidence, list[tuple[int, str]]] = {}
    for level in (Confidence.POSSIBLE, Confidence.LIKELY):
        settings = Settings(select=["OLY1"], min_confidence=level, signature_packs=packs)
        result = lint_text("example.py", inspect.cleandoc(program), settings)
        assert not result.errors
        found[level] = [(finding.span.start.row, finding.confidence.label) for finding in result.findings]
    assert found[Confidence.LIKELY] == [pair for pair in found[Confidence.POSSIBLE] if pair[1] != "possible"]
    return found[Confidence.POSSIBLE]


PROGRAMS: dict[str, tuple[str, Any]] = {
    "fresh key by its source": (
        """
        import haiku as hk, jax
        from labmodel import sample_code, shuffle_code
        key = hk.next_rng_key()
        sample_code(key)
        shuffle_code(key)
        """,
        [(5, "likely")],
    ),
    "each call gives another": (
        """
        import haiku as hk, jax
        def one(): return hk.next_rng_key()
        jax.random.normal(one()) + jax.random.normal(one())
        jax.random.normal(hk.next_rng_key())
        """,
        [],
    ),
    "an array of fresh keys": (
        """
        import haiku as hk, jax
        keys = hk.next_rng_keys(3)
        jax.random.normal(keys[0]) + jax.random.normal(keys[1])
        jax.random.normal(keys[2])
        jax.random.normal(keys[-1])
        """,
        [(5, "certain")],
    ),
    "a sequence of keys": (
        """
        import haiku as hk, jax
        from labmodel import sample_code, shuffle_code
        keys = hk.PRNGSequence(42)
        key, other = next(keys), next(keys)
        sample_code(key)
        sample_code(other)
        shuffle_code(key)
        """,
        [(7, "likely")],
    ),
    "a sequence uses its key up": (
        """
        import haiku as hk, jax
        key = jax.random.key(0)
        keys = hk.PRNGSequence(key)
        jax.random.normal(key)
        """,
        [(4, "certain")],
    ),
    "streams of nnx": (
        """
        import jax.random
        from flax import nnx
        from labmodel import sample_code, shuffle_code
        rngs = nnx.Rngs(0, params=1)
        key = rngs.params()
        sample_code(key)
        sample_code(rngs())
        shuffle_code(key)
        noise = rngs.normal((2,)) * 2
        print(noise[0])
        """,
        [(8, "likely")],
    ),
    "a key with a guard": (
        """
        import jax
        from alphafold.model.prng import SafeKey
        from labmodel import sample_code, shuffle_code
        safe = SafeKey(jax.random.key(0))
        key = safe.get()
        sample_code(key)
        shuffle_code(key)
        """,
        [(7, "likely")],
    ),
    "streams are folded": (
        """
        import jax
        from flax import nnx
        key = jax.random.key(0)
        rngs = nnx.Rngs(key)
        jax.random.normal(key)
        """,
        [(5, "possible")],
    ),
    "make_rng": (
        """
        import flax.linen as nn
        import jax
        from labmodel import sample_code, shuffle_code
        class Block(nn.Module):
            def __call__(self, x):
                key = self.make_rng("dropout")
                other = self.make_rng("dropout")
                return sample_code(key), shuffle_code(other), shuffle_code(key)
        """,
        [(8, "likely")],
    ),
    "two layers from one key": (
        """
        import equinox as eqx, jax
        def build(key):
            return eqx.nn.Linear(2, 3, key=key), eqx.nn.MLP(3, 3, 8, 2, key=key)
        fresh = jax.random.key
        """,
        [(3, "certain")],
    ),
    "an environment": (
        """
        import gymnax, jax
        def run(seed, env, params):
            key = jax.random.key(seed)
            obs, state = env.reset(key, params)
            return env.step(key, state, 0, params)
        """,
        [(5, "likely")],
    ),
    "an environment with keys of its own": (
        """
        import gymnax, jax
        def run(seed, env, params):
            a, b = jax.random.split(jax.random.key(seed))
            obs, state = env.reset(a, params)
            return env.step(b, state, 0, params)
        """,
        [],
    ),
    "a key by name and method": (
        """
        import jax.random, gymnax
        def run(rng, env, params):
            obs, state = env.reset(rng, params)
            return env.step(rng, state, 0, params)
        """,
        [(4, "likely")],
    ),
    "no key by method alone": (
        """
        import jax, gymnax
        def run(word, table, jax_random):
            return table.reset(word), table.step(word), word[0] + 1
        """,
        [],
    ),
    "seeds that are numbers": (
        """
        import distrax, jax
        law = distrax.Normal(0.0, 1.0)
        law.sample(seed=3) + law.sample(seed=3) + jax.random.normal(jax.random.key(0))
        """,
        [(3, "possible")],
    ),
    "a state that goes before the key": (
        """
        import flashbax, jax
        def draw(seed, buffer, state):
            key = jax.random.key(seed)
            batch = buffer.sample(state, key)
            return batch, jax.random.normal(key)
        """,
        [(5, "likely")],
    ),
    "keys that are not where the row says": (
        """
        import gymnax, jax
        def run(seed, env):
            key, other = jax.random.split(jax.random.key(seed))
            env.reset(key, other)
            return jax.random.normal(other)
        """,
        [(5, "likely")],
    ),
    "a prediction": (
        """
        import jax
        from numpyro.infer import Predictive
        def predict(model, samples, data, seed):
            key = jax.random.key(seed)
            first = Predictive(model, samples)(key, data)
            again = Predictive(model, num_samples=3)
            return first, again(key, data)
        """,
        [(7, "certain")],
    ),
    "an initializer that draws nothing": (
        """
        import flax.linen as nn
        import jax
        key = jax.random.key(0)
        bias = nn.initializers.zeros_init()(key, (3,)) + nn.initializers.constant(1.0)(key, (3,))
        kernel = nn.initializers.lecun_normal()(key, (3, 3))
        """,
        [],
    ),
    "a function that takes a key for nothing": (
        """
        import jax
        from qdax.tasks.arm import arm_scoring_function
        key = jax.random.key(0)
        arm_scoring_function(jax.random.normal(key), key)
        """,
        [],
    ),
    "a checkpoint": (
        """
        import jax, orbax.checkpoint as ocp
        key = jax.random.key(0)
        state = ocp.args.StandardSave(key)
        jax.random.normal(key)
        """,
        [],
    ),
    "a joint distribution, which folds its name into the seed": (
        """
        import jax
        import tensorflow_probability.substrates.jax as tfp
        tfd = tfp.distributions
        @tfd.JointDistributionCoroutine
        def model():
            yield tfd.Normal(0.0, 1.0)
        named = tfd.JointDistributionNamed({"a": tfd.Normal(0.0, 1.0)})
        def right(seed):
            return model.sample(seed=seed), jax.random.normal(seed)
        def right_with_others(seed):
            a = named.sample(3, seed=seed), tfd.JointDistributionSequential([model]).sample(seed=seed)
            return a, tfd.Normal(0.0, 1.0).sample(seed=seed)
        def wrong(seed):
            x = model.sample(seed=seed), jax.random.normal(seed)
            return x, tfd.Normal(0.0, 1.0).sample(seed=seed)
        """,
        [(9, "possible"), (11, "possible"), (15, "likely")],
    ),
    "a distribution that draws nothing": (
        """
        import distrax, jax, numpyro.distributions as dist, tensorflow_probability.substrates.jax as tfp
        def draw(distribution):
            return lambda key: distribution.sample(key)
        def right(key, keys):
            x = jax.random.normal(key)
            d, e = distrax.Deterministic(x), tfp.distributions.Deterministic(x)
            a = dist.Delta(x).to_event(1).sample(key), dist.Delta(x).sample(key, (3,)), draw(dist.Delta(x))(key)
            return a, d.sample(seed=key), e.sample(seed=key), jax.vmap(dist.Delta(x).sample)(keys)
        def wrong(key):
            x = jax.random.normal(key)
            return dist.Normal(x).sample(key)
        def wrong_in_function(key):
            x = jax.random.normal(key)
            return draw(dist.Normal(x))(key)
        """,
        [(11, "likely"), (14, "possible")],
    ),
    "a carry of zeros": (
        """
        import flax.linen as nn, jax
        key = jax.random.key(0)
        carry = nn.LSTMCell(3).initialize_carry(key, (2,))
        jax.random.normal(key)
        """,
        [],
    ),
    "a scan of haiku": (
        """
        import haiku as hk, jax
        def step(key, x):
            return key, jax.random.normal(key)
        hk.scan(step, jax.random.key(0), None, 3)
        """,
        [(3, "certain")],
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_the_packs_make_of(name: str) -> None:
    program, expected = PROGRAMS[name]
    assert confidences(program) == expected


def test_a_pack_of_the_user(tmp_path: Path) -> None:
    program = """
        import jax, labkit
        key = jax.random.key(0)
        labkit.jitter(key)
        jax.random.normal(key)
        """
    assert confidences(program) == [(4, "likely")]
    pack = tmp_path / "labkit.toml"
    pack.write_text('[functions."labkit.jitter"]\nparameters = ["key"]\nsinks = ["key"]')
    assert confidences(program, (str(pack),)) == [(4, "certain")]
    quiet = tmp_path / "quiet.toml"
    quiet.write_text('[inspect]\nnames = ["labkit.jitter"]')
    assert confidences(program, (str(quiet),)) == []
