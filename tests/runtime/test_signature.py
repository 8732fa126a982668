"""Key signatures and their algebra; nothing here needs JAX."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import assume
from hypothesis import strategies as st
from searches import searched

from olympus.signatures import Forward, KeySignature, Reuse, Sink, Source
from olympus.signatures.paths import covers, meets, parse, text

# Paths.


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("", ("",)),
        ("key", ("key",)),
        ("state.keys[0]", ("state", ".keys", "[0]")),
        ("[0].key", ("", "[0]", ".key")),
        ("rngs['a']", ("rngs", '["a"]')),
        ('rngs["a.b[0]"]', ("rngs", '["a.b[0]"]')),
        ("out[*]", ("out", "[*]")),
    ],
)
def test_parse(path: str, parts: tuple[str, ...]):
    assert parse(path) == parts
    assert parse(text(parts)) == parts


def test_what_is_no_path():
    with pytest.raises(ValueError, match="is not a path"):
        parse("keys[0")


def test_places_in_places():
    assert covers(parse("keys"), parse("keys[0]")) and not covers(parse("keys[0]"), parse("keys"))
    assert covers(parse("[*]"), parse("[3]")) and not covers(parse("[3]"), parse("[*]"))
    assert meets(parse("[3]"), parse("[*]")) and meets(parse("keys[0]"), parse("keys"))
    assert not meets(parse("keys[0]"), parse("keys[1]")) and not meets(parse("s.a"), parse("s.b"))
    assert not covers(parse("[*]"), parse(".a"))


# Normal form.


def test_masks_are_elements():
    signature = KeySignature(
        ("ks",),
        sinks=(Sink("ks", mask=(True, False, True)),),
        sources=(Source("[1]", "ks", mask=((True, False), (True, True))),),
        forwards=(Forward("[0]", "ks", mask=(False, True, False)),),
    ).normalised()
    assert [sink.path for sink in signature.sinks] == ["ks[0]", "ks[2]"]
    assert [source.path for source in signature.sources] == ["[1][0][0]", "[1][1]"]
    assert signature.forwards == (Forward("[0][1]", "ks[1]"),)


def test_a_mask_of_all_is_the_whole():
    assert KeySignature(("ks",), (Sink("ks", mask=(True, True)),)).normalised() == KeySignature(("ks",), (Sink("ks"),))


def test_what_is_said_twice_is_left_out():
    signature = KeySignature(("ks",), (Sink("ks", conditional=True), Sink("ks[0]"), Sink("ks[1]", conditional=True)))
    assert signature.normalised().sinks == (Sink("ks", conditional=True), Sink("ks[0]"))
    both = KeySignature(("key",), (Sink("key", conditional=True), Sink("key")))
    assert both.normalised().sinks == (Sink("key"),)


def test_quotes_do_not_matter():
    one, other = (KeySignature(("r",), (Sink(path),)).normalised() for path in ("r['a']", 'r["a"]'))
    assert one == other


# Examples.

NORMAL = KeySignature(("key",), sinks=(Sink("key"),))
MAYBE = KeySignature(("key",), sinks=(Sink("key", conditional=True),))
SPLIT = KeySignature(("key",), sinks=(Sink("key"),), sources=(Source("[*]", "key"),))
FOLD_IN = KeySignature(("key", "data"), sources=(Source("", "key", "fold_in"),))
NEXT = KeySignature(("key",), sinks=(Sink("key"),), sources=(Source("[0]", "key"), Source("[1]", "key")))


def test_a_child_is_drawn_from():
    assert NEXT.then(NORMAL, {"key": "[1]"}) == NORMAL
    assert SPLIT.then(NORMAL, {"key": "[1]"}) == NORMAL


def test_a_key_is_split_and_drawn_from():
    whole = SPLIT.then(NORMAL)
    assert whole == replace(NORMAL, reuses=(Reuse("key"),))


def test_a_parent_that_is_made_inside_is_no_input():
    assert FOLD_IN.then(SPLIT, {"key": ""}) == KeySignature(("key", "data"), sources=(Source("[*]"),))


def test_a_key_that_was_made_and_consumed_inside_is_spent():
    draws = KeySignature(("key",), (Sink("key"),), forwards=(Forward("", "key"),))
    spent = FOLD_IN.then(draws, {"key": ""})
    assert spent.sources == (Source("", "key", "fold_in", spent=True),) and spent.reuses == ()
    assert spent.then(NORMAL, {"key": ""}).reuses == (Reuse("key", "fold_in"),)


def test_one_element_of_a_split_is_spent():
    draws = KeySignature(("keys",), (Sink("keys[0]"),), forwards=(Forward("", "keys"),))
    spent = SPLIT.then(draws, {"keys": ""})
    assert spent.sources == (Source("[*]", "key"), Source("[0]", "key", spent=True))
    assert spent.then(NORMAL, {"key": "[1]"}).reuses == ()
    assert spent.then(NORMAL, {"key": "[0]"}).reuses == (Reuse("key", "split"),)
    assert spent.then(KeySignature.identity("k"), {"k": "[0]"}).sources == (Source("", "key", spent=True),)


def test_elements_are_told_apart():
    first, second = (KeySignature(("keys",), (Sink(f"keys[{i}]"),)) for i in range(2))
    assert first.then(second).reuses == ()
    assert first.then(KeySignature(("keys",), (Sink("keys"),))).reuses == (Reuse("keys[0]"),)


def test_one_key_for_two_parameters():
    both = KeySignature(("a", "b"), (Sink("a"), Sink("b")))
    assert KeySignature.identity("key").then(both, {"a": "", "b": ""}).reuses == (Reuse("key"),)


def test_conditions():
    assert MAYBE.then(MAYBE).reuses == ()
    assert MAYBE.then(NORMAL).reuses == NORMAL.then(MAYBE).reuses == (Reuse("key"),)


def test_branches():
    assert NORMAL.join(KeySignature(("key",))) == MAYBE
    assert NORMAL.join(SPLIT) == NORMAL
    assert SPLIT.join(NEXT).sources == (Source("[0]", "key"), Source("[1]", "key"))
    other = KeySignature(("key",), sources=(Source("[0]", None), Source("[1]", "key", "fold_in")))
    assert NEXT.join(other).sources == (Source("[0]", None),)


def test_a_loop_that_refreshes_its_key():
    loop = NEXT.loop({"key": "[0]"})
    assert loop == KeySignature(("key",), (Sink("key"),), sources=(Source("[0]"), Source("[1]")))


def test_a_loop_that_does_not():
    assert NORMAL.loop({}).reuses == (Reuse("key"),)
    assert KeySignature(("key",), (Sink("key"),), forwards=(Forward("", "key"),)).loop({"key": ""}).reuses == (
        Reuse("key"),
    )


def test_a_loop_that_may_not_run():
    loop = replace(NEXT, sources=(Source("", "key"),)).loop({"key": ""})
    assert loop.join(KeySignature.identity("key")) == MAYBE


def test_keys_that_change_places():
    body = KeySignature(("a", "b"), (Sink("a"),), forwards=(Forward("[0]", "b"), Forward("[1]", "a")))
    assert body.loop({"a": "[0]", "b": "[1]"}) == KeySignature(
        ("a", "b"), (Sink("a"), Sink("b", conditional=True)), reuses=(Reuse("a"), Reuse("b"))
    )


def test_a_loop_that_goes_ever_deeper_ends():
    body = KeySignature(("tree",), (Sink("tree.key"),), forwards=(Forward("", "tree.rest"),))
    loop = body.loop({"tree": ""})
    assert Sink("tree.key") in loop.sinks and Sink("tree.rest.key", conditional=True) in loop.sinks
    assert loop.forwards == ()


# Laws, for callables with the parameters a, b and c and three outputs. Each input comes out once at most: that two
# outputs are one key is not in a signature.

PARAMETERS = ("a", "b", "c")
OUTPUTS = ("[0]", "[1]", "[2]")
INPUTS = st.sampled_from(["a", "a[0]", "a[1]", "b", "b[0]", "c"])
SINKS = st.lists(st.builds(Sink, INPUTS, st.booleans()), max_size=3)
MADE = st.tuples(st.none() | INPUTS, st.sampled_from(["split", "fold_in"]), st.sampled_from([False, None, True]))


@st.composite
def signatures(draw: st.DrawFn, named: str = "") -> KeySignature:
    """Return a signature; its parameters have names of their own if asked for."""
    sources, forwards = [], []
    unused = draw(st.permutations(PARAMETERS))
    for path, parameter in zip(OUTPUTS, unused, strict=True):
        match draw(st.integers(0, 3)):
            case 0:
                parent, via, spent = draw(MADE)
                sources.append(Source(path + draw(st.sampled_from(["", "[*]"])), parent, via, spent=spent))
            case 1:
                forwards.append(Forward(path, parameter + draw(st.sampled_from(["", "[0]"]))))
    plain = KeySignature(PARAMETERS, tuple(draw(SINKS)), tuple(sources), tuple(forwards))
    return renamed(plain, named) if named else plain.normalised()


def renamed(signature: KeySignature, prefix: str) -> KeySignature:
    """Return a signature with other names of parameters."""

    def other(path: str | None) -> str | None:
        return path and prefix + path

    return KeySignature(
        tuple(map(other, signature.parameters)),
        tuple(replace(sink, path=other(sink.path)) for sink in signature.sinks),
        tuple(replace(source, parent=other(source.parent)) for source in signature.sources),
        tuple(replace(forward, input=other(forward.input)) for forward in signature.forwards),
    ).normalised()


def bindings(parameters: tuple[str, ...]) -> st.SearchStrategy[dict[str, str]]:
    """Return bindings of some of the parameters to outputs, each output for one parameter."""
    return st.permutations(OUTPUTS).flatmap(
        lambda outputs: st.lists(st.sampled_from(parameters), unique=True).map(
            lambda names: dict(zip(names, outputs, strict=False))
        )
    )


def of_parameters(prefix: str) -> tuple[str, ...]:
    return tuple(prefix + name for name in PARAMETERS)


LAWS = {"few": 30, "many": 100, "derandomize": True}


@searched(signatures(), **LAWS)
def test_normal_form_is_one(f: KeySignature):
    assert f.normalised() == f


@searched(
    signatures(), signatures("g"), signatures("h"), bindings(of_parameters("g")), bindings(of_parameters("h")), **LAWS
)
def test_sequence_is_associative(
    f: KeySignature, g: KeySignature, h: KeySignature, a: dict[str, str], b: dict[str, str]
):
    left = f.then(g, a).then(h, b)
    right = f.then(g.then(h, b), a)
    assert left == right


@searched(signatures(), bindings(PARAMETERS), signatures(), **LAWS)
def test_sequence_on_shared_inputs_is_associative(f: KeySignature, a: dict[str, str], g: KeySignature):
    """What comes third takes inputs of the whole as well."""
    h = KeySignature(("hk",), (Sink("hk"),))
    free = [name for name in PARAMETERS if name not in a]
    for name in free:
        assert f.then(g, a).then(h, {"hk": name}) == f.then(g.then(h, {"hk": name}), a)


@searched(signatures(), **LAWS)
def test_identity(f: KeySignature):
    assert f.then(KeySignature.identity("y"), {"y": ""}) == f
    rest = dict(zip(PARAMETERS, OUTPUTS, strict=True))
    assert KeySignature.identity(*PARAMETERS).then(f, rest) == f


@searched(signatures(), signatures(), signatures(), **LAWS)
def test_join(f: KeySignature, g: KeySignature, h: KeySignature):
    assert f.join(f) == f
    assert f.join(g) == g.join(f)
    assert f.join(g).join(h) == f.join(g.join(h))


@searched(signatures(), bindings(PARAMETERS), **LAWS)
def test_a_loop_of_a_loop_is_the_loop(f: KeySignature, carry: dict[str, str]):
    assume(not any("[" in each.input and each.path in carry.values() for each in f.forwards))  # goes ever deeper
    loop = f.loop(carry)
    assert loop.loop(carry) == loop


@searched(signatures(), bindings(PARAMETERS), **LAWS)
def test_a_loop_has_what_one_turn_has(f: KeySignature, carry: dict[str, str]):
    loop = f.loop(carry)
    assert {sink for sink in f.sinks if not sink.conditional} <= set(loop.sinks)
    assert set(f.reuses) <= set(loop.reuses)


def test_jax_is_not_imported():
    program = "import sys, olympus.signatures.signature; sys.exit('jax' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
