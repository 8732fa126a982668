"""Signature packs by tracing: the rows of a user's module, the words for streams, and the command that writes them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, fields
from pathlib import Path
from types import ModuleType

import pytest

jax = pytest.importorskip("jax", reason="the functions of a pack are traced by JAX")

import jax.numpy as jnp  # noqa: E402
from jax import lax, random  # noqa: E402

from olympus import lineage  # noqa: E402
from olympus.__main__ import main  # noqa: E402
from olympus.signatures.packs import Row, describe  # noqa: E402
from olympus.signatures.streams import streams  # noqa: E402
from olympus.tracing.jaxprs import typed_key  # noqa: E402
from olympus_lint.project.settings import Settings  # noqa: E402
from olympus_lint.run.engine import lint_text  # noqa: E402
from olympus_rules.libraries.reader import read  # noqa: E402

MODULE = """
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, random
from jax.random import normal

print("imported")

def jitter(key): return normal(key, (3,))
def two(rng): a, b = random.split(rng); return normal(a) + random.gamma(b, 2.0)
def scaled(scale=1.0, *, noise_key=None): return scale * normal(noise_key)
def annotated(stream: "jax.random.KeyArray"): return normal(stream)
def children(key, num=2): return random.split(key, num)
def three(key): return random.split(key, 3)
def child(key): return random.split(key)[0]
def pair(key): return normal(key), key
def copied(key): return random.clone(key)
def drawn(key): made = random.clone(key); normal(made); return made
def seeded(seed): return random.key(seed)
def legacy(seed): return random.PRNGKey(seed)
def number(seed): return seed + 1
def folded(key): return normal(random.fold_in(key, 1))
def folding(key, step=0): return random.fold_in(key, step)
def maybe(key): return lax.cond(random.key_data(key).sum() > 3, lambda: normal(key), lambda: 0.0)
def look(key): return random.key_data(key).sum()
def words(key): return random.key_data(key)
def same(key): return key
def many(keys): return jax.vmap(normal)(keys)
def raw_only(key): return normal(key), key[0]
def looping(key): return lax.fori_loop(0, 3, lambda i, k: random.split(k)[0], key)
def unpacked(key): a, b = random.split(key); return b, a
def reused(key): return normal(key) + random.gamma(key, 1.0)
def named(key): return "normal" if key.shape else "uniform"

def strict(seed): return random.key(int(seed))
def several(*keys): return normal(keys[0])
def unnamed(key, /): return normal(key)
def needs(key, image): return image + normal(key)
def breaks(key): raise LookupError("no such key,\\n  ever")
def part(keys): return normal(keys[0])
def called_back(key): return jax.pure_callback(np.sum, jax.ShapeDtypeStruct((), np.uint32), random.key_data(key))

def nothing(x): return x
def _private(key): return normal(key)
class Net:
    def __init__(self, key): ...
"""
KEY = ("key",)
ROWS = {
    "annotated": Row(("stream",), sinks=("stream",), draw="bits"),
    "child": Row(KEY, sinks=KEY),
    "children": Row(("key", "num"), sinks=KEY, derive="split"),
    "copied": Row(KEY, derive="clone"),
    "drawn": Row(KEY, folds=KEY),
    "folded": Row(KEY, folds=KEY),
    "folding": Row(("key", "step"), folds=KEY),
    "jitter": Row(KEY, sinks=KEY, draw="bits"),
    "legacy": Row(("seed",), seed="raw"),
    "look": Row(KEY, inspects=KEY),
    "looping": Row(KEY, sinks=KEY),
    "many": Row(("keys",), sinks=("keys",)),
    "maybe": Row(KEY, folds=KEY),
    "named": Row(KEY, inspects=KEY),
    "pair": Row(KEY, sinks=KEY, draw="bits"),
    "raw_only": Row(KEY, sinks=KEY, draw="bits"),
    "reused": Row(KEY, sinks=KEY),
    "same": Row(KEY, forwards=KEY),
    "scaled": Row(("scale",), ("noise_key",), sinks=("noise_key",), draw="bits"),
    "seeded": Row(("seed",), seed="typed"),
    "strict": Row(("seed",), seed="typed"),
    "three": Row(KEY, sinks=KEY),
    "two": Row(("rng",), sinks=("rng",), draw="split(bits, gamma)"),
    "unpacked": Row(KEY, sinks=KEY),
    "words": Row(KEY, inspects=KEY, forwards=KEY, unwrap=True),
}
WITHOUT = {
    "breaks": "it cannot be traced (LookupError: no such key, ever)",
    "called_back": "its key goes to `pure_callback`, which is not modelled",
    "needs": "it needs `image`, for which there is no value",
    "part": "it consumes a part of `keys`, and not all of it",
    "several": "its key `*keys` cannot be given by name",
    "unnamed": "its key `key` cannot be given by name",
}


@pytest.fixture
def labkit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Write the module and go to its folder."""
    (tmp_path / "labkit.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield tmp_path
    sys.modules.pop("labkit", None)


def test_the_pack_of_a_users_module(labkit: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["signatures", "labkit"]) == 0
    shown = capsys.readouterr()
    pack = read("own.toml", shown.out)
    assert pack.roots == ("labkit",)
    names = [field.name for field in fields(Row)]
    found = {row.qualified: {name: getattr(row, name) for name in names} for row in pack.functions}
    assert found == {f"labkit.{name}": asdict(row) for name, row in ROWS.items()}
    comments = [line for line in shown.out.splitlines() if line.startswith("# labkit.")]
    assert comments == [f"# labkit.{name}: {reason}" for name, reason in WITHOUT.items()]
    assert shown.err == "imported\n"


def test_a_file_is_written(labkit: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["signatures", "labkit", "--output-file", "own.toml"]) == 0
    assert capsys.readouterr().out == ""
    assert read("own.toml", (labkit / "own.toml").read_text()).roots == ("labkit",)


def test_the_rules_read_it(labkit: Path, capsys: pytest.CaptureFixture[str]):
    main(["signatures", "labkit", "--output-file", "own.toml"])
    source = "import jax, labkit\nkey = jax.random.key(0)\nlabkit.{first}(key)\nlabkit.{second}(key)\n"
    packs = Settings(signature_packs=[str(labkit / "own.toml")])

    def found(first: str, second: str) -> list[tuple[str, str]]:
        findings = lint_text("use.py", source.format(first=first, second=second), packs).findings
        return [(finding.code, finding.confidence.label) for finding in findings if finding.code == "OLY104"]

    assert found("jitter", "two") == [("OLY104", "certain")]
    assert found("look", "jitter") == found("same", "jitter") == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no_such_module"], "no_such_module cannot be imported (ModuleNotFoundError"),
        (["string", "--output-file", "no/such/folder.toml"], "folder.toml: it cannot be written"),
    ],
)
def test_trouble_is_one_sentence(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]):
    assert main(["signatures", *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ") and message in line


def test_names_of_other_packages_are_left_out():
    module = ModuleType("own")
    vars(module).update(normal=random.normal, draw=lambda key: random.normal(key))
    module.draw.__module__ = "own.inner"
    assert list(describe([module]).rows) == ["own.draw"]


def test_a_list_of_public_names_counts():
    module = ModuleType("own")
    functions = {name: lambda key: random.normal(key) for name in ("_first", "second")}
    for function in functions.values():
        function.__module__ = "own"
    vars(module).update(functions, __all__=["_first"])
    assert list(describe([module]).rows) == ["own._first"]


def test_long_lists_are_wrapped():
    names = ", ".join(f"parameter_{i}=0" for i in range(12))
    scope: dict[str, Callable[..., object]] = {}
    exec(f"def f(key, {names}): return key", scope)
    from olympus.signatures.packs import _text

    text = _text("[functions.f]", Row(tuple(scope["f"].__code__.co_varnames)))
    assert max(map(len, text.splitlines())) < 120
    assert read("f.toml", text).functions[0].parameters == scope["f"].__code__.co_varnames


# Streams.


def spread(key: jax.Array) -> jax.Array:
    return lax.scan(lambda total, k: (total + random.normal(k), None), 0.0, random.split(key, 3))[0]


@pytest.mark.parametrize(
    ("f", "word"),
    [
        (random.normal, "bits"),
        (lambda key: random.gamma(key, 1.0), "gamma"),
        (lambda key: random.normal(random.split(key)[1]), "split(_, bits)"),
        (lambda key: random.normal(random.split(random.split(key)[0])[1]), "split(split(_, bits), _)"),
        (lambda key: jax.vmap(random.normal)(random.split(key, 3)), "split(bits, bits, bits)"),
        (lambda key: random.key_data(key), "_"),
        (spread, "own"),
        (lambda key: lax.fori_loop(0, 3, lambda i, k: random.split(k)[0], key), "own"),
        (lambda key: random.normal(random.fold_in(key, 1)), None),
        (lambda key: random.normal(random.clone(key)), None),
        (lambda key: random.normal(key) + random.uniform(key), None),
        (lambda key: jax.pure_callback(jnp.sum, random.key_data(key)[0], random.key_data(key)), None),
    ],
)
def test_streams(f: Callable[..., object], word: str | None):
    found = lineage.of(f, typed_key())
    assert found.inputs[0].labels is not None
    assert streams(found, int(found.inputs[0].labels), "own") == word
