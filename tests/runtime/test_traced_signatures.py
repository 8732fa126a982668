"""Key signatures by tracing: against what is expected, against JAX's own checker, and against the static engine."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

jax = pytest.importorskip("jax", reason="signatures are read off JAX's jaxprs")

from olympus import signatures  # noqa: E402
from olympus.signatures import Forward, KeySignature, Reuse, Sink, Source  # noqa: E402
from olympus.tracing.jaxprs import raw_key, typed_key  # noqa: E402
from olympus_rules.keyflow.linking.analysis import Analysis  # noqa: E402
from olympus_rules.keyflow.linking.project import Project  # noqa: E402
from olympus_rules.syntax import Document  # noqa: E402

HEADER = "import jax\nimport jax.numpy as jnp\nfrom jax import lax, random\n"


def function(text: str) -> Callable[..., Any]:
    scope: dict[str, Any] = {}
    exec(HEADER + textwrap.dedent(text), scope)
    return scope["f"]


def arguments(f: Callable[..., Any], key: Callable[..., Any]) -> list[Any]:
    """Return an argument for each parameter; the names say which are keys."""
    given = {
        "key": key(),
        "other": key(),
        "keys": key(shape=(3,)),
        "state": {"key": key(), "step": 0},
        "pair": (key(), key()),
        "p": jax.ShapeDtypeStruct((), bool),
        "i": 1,
        "seed": 7,
        "x": 1.0,
    }
    return [given[name] for name in f.__code__.co_varnames[: f.__code__.co_argcount]]


KEY = ("key",)
KEYS = ("keys",)
# What tracing says and the static engine says as well.
AGREED = {
    "draws": ("def f(key): return random.normal(key)", KeySignature(KEY, (Sink("key"),))),
    "draws twice": (
        "def f(key): return random.normal(key) + random.uniform(key)",
        KeySignature(KEY, (Sink("key"),), reuses=(Reuse("key"),)),
    ),
    "looks": ("def f(key): return random.key_data(key).sum()", KeySignature(KEY)),
    "splits": (
        "def f(key): return random.split(key)",
        KeySignature(KEY, (Sink("key"),), (Source("[*]", "key"),)),
    ),
    "splits in three": (
        "def f(key): a, b, c = random.split(key, 3); return c, a",
        KeySignature(KEY, (Sink("key"),), (Source("[0]", "key"), Source("[1]", "key"))),
    ),
    "returns one child": (
        "def f(key): return random.split(key)[0]",
        KeySignature(KEY, (Sink("key"),), (Source("", "key"),)),
    ),
    "draws from a child": (
        "def f(key): key, sub = random.split(key); return random.normal(sub), key",
        KeySignature(KEY, (Sink("key"),), (Source("[1]", "key"),)),
    ),
    "draws from the child that it returns": (
        "def f(key): sub = random.fold_in(key, 1); return random.normal(sub), sub",
        KeySignature(KEY, sources=(Source("[1]", "key", "fold_in", spent=True),)),
    ),
    "splits a child": (
        "def f(key): a, b = random.split(key); c, d = random.split(a); return c, b",
        KeySignature(KEY, (Sink("key"),), (Source("[0]"), Source("[1]", "key"))),
    ),
    "folds in": (
        "def f(key, i): return random.fold_in(key, i)",
        KeySignature(("key", "i"), (), (Source("", "key", "fold_in"),)),
    ),
    "folds in and draws": ("def f(key, i): return random.normal(random.fold_in(key, i))", KeySignature(("key", "i"))),
    "clones": ("def f(key): return random.clone(key)", KeySignature(KEY, (), (Source("", "key", "clone"),))),
    "seeds": ("def f(seed): return random.key(seed)", KeySignature(("seed",), (), (Source("", None, "seed"),))),
    "seeds and draws": ("def f(seed): return random.normal(random.PRNGKey(seed))", KeySignature(("seed",))),
    "gives back": (
        "def f(key, other): return other, key",
        KeySignature(("key", "other"), forwards=(Forward("[0]", "other"), Forward("[1]", "key"))),
    ),
    "keys put together": (
        "def f(key, other): return jnp.stack([key, other])",
        KeySignature(("key", "other"), forwards=(Forward("[0]", "key"), Forward("[1]", "other"))),
    ),
    "gives back what it consumed": (
        "def f(key): return random.normal(key), key",
        KeySignature(KEY, (Sink("key"),), forwards=(Forward("[1]", "key"),)),
    ),
    "one element": ("def f(keys): return random.normal(keys[1])", KeySignature(KEYS, (Sink("keys[1]"),))),
    "one element each": (
        "def f(keys): return keys[2], random.normal(keys[0])",
        KeySignature(KEYS, (Sink("keys[0]"),), forwards=(Forward("[0]", "keys[2]"),)),
    ),
    "parts of a state": (
        'def f(state): return {"key": random.split(state["key"])[0], "step": 1}',
        KeySignature(("state",), (Sink('state["key"]'),), (Source('["key"]', 'state["key"]'),)),
    ),
    "one of a pair": (
        "def f(pair): a, b = pair; return random.normal(a), b",
        KeySignature(("pair",), (Sink("pair[0]"),), forwards=(Forward("[1]", "pair[1]"),)),
    ),
    "words and back": (
        "def f(key): return random.wrap_key_data(random.key_data(key))",
        KeySignature(KEY, forwards=(Forward("", "key"),)),
    ),
    "maps": ("def f(keys): return jax.vmap(random.normal)(keys)", KeySignature(KEYS, (Sink("keys"),))),
    "compiles": ("def f(key): return jax.jit(random.normal)(key)", KeySignature(KEY, (Sink("key"),))),
    "checkpoints": ("def f(key): return jax.checkpoint(random.normal)(key)", KeySignature(KEY, (Sink("key"),))),
    "one branch": (
        "def f(key, p): return lax.cond(p, lambda k: random.normal(k), lambda k: 0.0, key)",
        KeySignature(("key", "p"), (Sink("key", conditional=True),)),
    ),
    "a while loop": (
        "def f(key): return lax.while_loop(lambda k: True, lambda k: random.split(k)[0], key)",
        KeySignature(KEY, (Sink("key"),), (Source(""),)),
    ),
    "a selection": (
        "def f(key, p): return lax.select(p, random.normal(key), 0.0)",
        KeySignature(("key", "p"), (Sink("key"),)),
    ),
    "scans": (
        """
        def f(key):
            def body(k, _):
                k, sub = random.split(k)
                return k, random.normal(sub)
            return lax.scan(body, key, None, length=4)
        """,
        KeySignature(KEY, (Sink("key"),), (Source("[0]"),)),
    ),
    "two of three branches": (
        "def f(key, i): return lax.switch(i, [random.normal, random.uniform, lambda k: 0.0], key)",
        KeySignature(("key", "i"), (Sink("key", conditional=True),)),
    ),
}
# What tracing says, and the reason for which the static engine says something else or nothing.
DIFFERENT = {
    "both branches": (
        "lambdas are called under a condition, and that the conditions are all cases is not asked",
        "def f(key, p): return lax.cond(p, lambda k: random.normal(k), lambda k: random.uniform(k), key)",
        KeySignature(("key", "p"), (Sink("key"),)),
        KeySignature(("key", "p"), (Sink("key", conditional=True),)),
    ),
    "refreshes in a loop": (
        "the body of a loop is called under a condition, and that its bounds are numbers is not asked",
        "def f(key): return lax.fori_loop(0, 5, lambda i, k: random.split(k)[0], key)",
        KeySignature(KEY, (Sink("key"),), (Source(""),)),
        KeySignature(KEY, (Sink("key", conditional=True),), (Source(""),)),
    ),
    "does not refresh in a loop": (
        "the body of a loop is called under a condition, and that its bounds are numbers is not asked",
        "def f(key): return lax.fori_loop(0, 5, lambda i, x: x + random.normal(key), 0.0)",
        KeySignature(KEY, (Sink("key"),), reuses=(Reuse("key"),)),
        KeySignature(KEY, (Sink("key", conditional=True),)),
    ),
    "all elements of unknown number": (
        "how many elements there are is not known, the first two stand for all",
        "def f(keys): return lax.map(random.normal, keys)",
        KeySignature(KEYS, (Sink("keys"),)),
        KeySignature(KEYS, (Sink("keys[0]"), Sink("keys[1]"))),
    ),
    "a slice of a split": (
        "a slice of an array of keys is no source",
        "def f(key): return random.split(key, 3)[1:]",
        KeySignature(KEY, (Sink("key"),), (Source("[*]", "key"),)),
        KeySignature(KEY, (Sink("key"),)),
    ),
    "a reversed array": (
        "an array of keys in another order is no forward",
        "def f(keys): return keys[::-1]",
        KeySignature(KEYS, forwards=tuple(Forward(f"[{i}]", f"keys[{2 - i}]") for i in range(3))),
        KeySignature(KEYS),
    ),
    "mapped derivations": (
        "what a mapped function returns is no source",
        "def f(key): return jax.vmap(lambda i: random.fold_in(key, i))(jnp.arange(3))",
        KeySignature(KEY, (), (Source("[*]", "key", "fold_in"),)),
        KeySignature(KEY),
    ),
    "a traced index": (
        "an index that is not known has no path",
        "def f(keys, i): return random.normal(keys[i])",
        KeySignature(("keys", "i"), (Sink("keys", conditional=True),)),
        KeySignature(("keys", "i")),
    ),
}


def traced(text: str, key: Callable[..., Any]) -> KeySignature:
    f = function(text)
    return signatures.of(f, *arguments(f, key)).normalised()


def static(text: str) -> KeySignature:
    analysis = Analysis(Document("a.py", HEADER + textwrap.dedent(text)), Project().session)
    analysis.run()
    return analysis.summariser.signatures()["f"].normalised()


def comparable(signature: KeySignature) -> KeySignature:
    """Leave out reuses, of which the static engine makes facts, and that a source is spent, which it does not say."""
    sources = tuple(replace(source, spent=False) for source in signature.sources)
    return replace(signature, sources=sources, reuses=()).normalised()


@pytest.mark.parametrize("key", [typed_key, raw_key], ids=["typed", "raw"])
@pytest.mark.parametrize(("text", "expected"), AGREED.values(), ids=AGREED)
def test_what_tracing_says(text: str, expected: KeySignature, key: Callable[..., Any]):
    assert traced(text, key) == expected


@pytest.mark.parametrize(("text", "expected"), AGREED.values(), ids=AGREED)
def test_the_engines_agree(text: str, expected: KeySignature):
    assert static(text) == comparable(traced(text, typed_key))


@pytest.mark.parametrize("name", DIFFERENT)
def test_the_engines_differ(name: str):
    _, text, dynamic, expected = DIFFERENT[name]
    assert traced(text, typed_key) == traced(text, raw_key) == dynamic
    assert static(text) == expected


def test_a_mask_says_which_elements():
    f = function("def f(keys): return random.normal(keys[1]), keys[::2]")
    signature = signatures.of(f, typed_key(shape=(3,)))
    assert signature.sinks == (Sink("keys", mask=(False, True, False)),)
    assert signature.forwards == (Forward("[1][0]", "keys[0]"), Forward("[1][1]", "keys[2]"))


def test_a_part_of_an_array_is_not_all_of_it():
    signature = signatures.of(function("def f(keys): return keys[:2]"), typed_key(shape=(3,)))
    assert signature.forwards == (Forward("[0]", "keys[0]"), Forward("[1]", "keys[1]"))


def test_a_mask_of_a_mixed_array():
    f = function("def f(keys): return jnp.concatenate([keys[:1], random.split(keys[0])])")
    signature = signatures.of(f, typed_key(shape=(3,)))
    assert signature.sources == (Source("", "keys[0]", mask=(False, True, True)),)
    assert signature.forwards == (Forward("", "keys", mask=(True, False, False)),)
    assert signature.sinks == (Sink("keys", mask=(True, False, False)),)


def test_large_arrays_are_one_key():
    signature = signatures.of(
        function("def f(keys): return keys, jax.vmap(random.split)(keys)"), typed_key(shape=(5000,))
    )
    assert signature.sinks == (Sink("keys"),)
    assert signature.forwards == (Forward("[0]", "keys"),)
    assert signature.sources == (Source("[1][*]", "keys"),)
    assert traced("def f(key): return random.split(key, 5000)", typed_key).sources == (Source("[*]", "key"),)


def test_numbers_are_no_keys():
    words = jax.ShapeDtypeStruct((2,), "uint32")
    assert signatures.of(lambda words: words, words) == KeySignature(("words",))
    assert signatures.of(lambda key: key, raw_key()).forwards == (Forward("", "key"),)
    used = signatures.of(lambda words: (jax.random.normal(words), words), words)
    assert used == KeySignature(("words",), (Sink("words"),), forwards=(Forward("[1]", "words"),))


def test_a_known_branch_is_the_only_one():
    f = function("def f(key): return lax.cond(True, lambda k: 0.0, lambda k: random.normal(k), key)")
    assert signatures.of(f, typed_key()) == KeySignature(KEY)


def test_keys_that_are_exchanged_often():
    """There are 2 ** 40 ways to each key."""
    f = function(
        """
        def f(key, other, p):
            a, b = key, other
            for i in range(40):
                a, b = (lax.cond(p[i], lambda: one, lambda: two) for one, two in ((a, b), (b, a)))
            return random.normal(a), b
        """
    )
    found = signatures.of(f, typed_key(), typed_key(), jax.ShapeDtypeStruct((40,), bool))
    assert found.forwards == found.sources == ()
    assert found.sinks == (Sink("key", conditional=True), Sink("other", conditional=True))


def test_keys_from_outside():
    key = jax.random.key(0)
    assert signatures.of(lambda x: x + jax.random.normal(key), 1.0) == KeySignature(("x",))


# JAX's own checker. It names flat inputs and outputs by number, says nothing of conditions, and raises for a reuse.

SAME_AS_JAX = {
    "draws": "def f(key): return random.normal(key)",
    "splits": "def f(key): return random.split(key)",
    "unpacks": "def f(key): a, b = random.split(key); return b, a",
    "folds in": "def f(key): return random.fold_in(key, 1)",
    "clones": "def f(key): return random.clone(key)",
    "seeds": "def f(seed): return random.key(seed)",
    "one element": "def f(keys): return random.normal(keys[1])",
    "a slice": "def f(keys): return jax.vmap(random.normal)(keys[1:])",
    "maps": "def f(keys): return jax.vmap(random.split)(keys)",
    "gives back": "def f(key, other): return random.normal(key), other",
    "one branch": "def f(key, p): return lax.cond(p, lambda k: random.normal(k), lambda k: 0.0, key)",
    "compiles": "def f(key): return jax.jit(lambda k: random.normal(k))(key)",
    "scans": "def f(key): return lax.scan(lambda k, _: tuple(random.split(k)), key, length=3)[0]",
    "a slice of a split": "def f(key): return random.split(key, 3)[1:]",
    "mapped derivations": "def f(key): return jax.vmap(lambda i: random.fold_in(key, i))(jnp.arange(3))",
    "a while loop": "def f(key): return lax.while_loop(lambda k: True, lambda k: random.split(k)[0], key)",
    "maps in a loop": "def f(keys): return lax.map(random.normal, keys)",
}
# What JAX's checker says instead, and why.
UNLIKE_JAX = {
    "an output that was consumed inside is no source": (
        "def f(key): a = random.fold_in(key, 1); random.normal(a); return a",
        "KeyReuseSignature()",
        KeySignature(KEY, (), (Source("", "key", "fold_in", spent=True),)),
    ),
    "the way through the words is a new key": (
        "def f(key): return random.wrap_key_data(random.key_data(key))",
        "KeyReuseSignature(Source(0),)",
        KeySignature(KEY, forwards=(Forward("", "key"),)),
    ),
    "it knows nothing of some primitives, and takes their keys for consumed": (
        "def f(keys): return keys[::-1]",
        "KeyReuseSignature(Sink(0),)",
        KeySignature(KEYS, forwards=tuple(Forward(f"[{i}]", f"keys[{2 - i}]") for i in range(3))),
    ),
    "nor of this one": (
        "def f(key, other): return jnp.stack([key, other])",
        "KeyReuseSignature(Sink(0), Sink(1))",
        KeySignature(("key", "other"), forwards=(Forward("[0]", "key"), Forward("[1]", "other"))),
    ),
    "an element at an unknown index is the whole array": (
        "def f(keys, i): return random.normal(keys[i])",
        "KeyReuseSignature(Sink(0),)",
        KeySignature(("keys", "i"), (Sink("keys", conditional=True),)),
    ),
    "parts that are put together are new": (
        "def f(keys): return jnp.concatenate([keys[:1], keys[1:]])",
        "KeyReuseSignature(Sink(0), Source(0))",
        KeySignature(KEYS, forwards=(Forward("", "keys"),)),
    ),
}


@pytest.fixture(scope="module")
def checker() -> Callable[..., Any]:
    core = pytest.importorskip("jax.experimental.key_reuse._core")
    if jax.__version_info__ < (0, 10, 2):
        pytest.skip("what JAX's checker says differs between releases; this is that of 0.10.2")
    return core.function_type_signature


@pytest.mark.parametrize("text", SAME_AS_JAX.values(), ids=SAME_AS_JAX)
def test_jax_says_the_same(text: str, checker: Callable[..., Any]):
    f = function(text)
    concrete = [*map(concrete_keys, arguments(f, typed_key))]
    theirs = checker(f, *concrete)
    ours = signatures.of(f, *arguments(f, typed_key))
    names = ours.parameters
    assert {(names[sink.idx], mask_of(sink)) for sink in theirs.sinks} == {
        (sink.path, sink.mask) for sink in ours.sinks
    }
    flat = flat_outputs(f, concrete)
    assert {flat[source.idx] for source in theirs.sources} == {
        source.path.removesuffix("[*]") for source in ours.sources
    }
    assert {(flat[forward.out_idx], names[forward.in_idx]) for forward in theirs.forwards} == {
        (forward.path, forward.input) for forward in ours.forwards
    }


@pytest.mark.parametrize(("text", "theirs", "ours"), UNLIKE_JAX.values(), ids=UNLIKE_JAX)
def test_jax_says_something_else(text: str, theirs: str, ours: KeySignature, checker: Callable[..., Any]):
    f = function(text)
    assert repr(checker(f, *map(concrete_keys, arguments(f, typed_key)))) == theirs
    assert traced(text, typed_key) == ours


def test_jax_sees_no_raw_keys(checker: Callable[..., Any]):
    assert repr(checker(jax.random.normal, jax.random.PRNGKey(0))) == "KeyReuseSignature()"
    assert signatures.of(jax.random.normal, raw_key()).sinks == (Sink("key"),)


def concrete_keys(leaf: Any) -> Any:
    """Return a value for an abstract one: JAX's checker wants values."""
    if not isinstance(leaf, jax.ShapeDtypeStruct):
        return leaf
    if leaf.dtype == bool:
        return True
    return jax.random.split(jax.random.key(0), leaf.shape) if leaf.shape else jax.random.key(0)


def mask_of(sink: Any) -> Any:
    return None if sink.mask is True else tuple(sink.mask.tolist())


def flat_outputs(f: Callable[..., Any], args: list[Any]) -> list[str]:
    found, _ = jax.tree_util.tree_flatten_with_path(jax.eval_shape(f, *args))
    return [jax.tree_util.keystr(path) for path, _ in found]
