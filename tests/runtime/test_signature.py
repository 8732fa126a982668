"""Key signatures and their normal form; nothing here needs JAX."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import strategies as st
from searches import searched

from olympus.signatures import Forward, KeySignature, Sink, Source
from olympus.signatures.paths import covers, parse, text

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


PARAMETERS = ("a", "b", "c")
OUTPUTS = ("[0]", "[1]", "[2]")
INPUTS = st.sampled_from(["a", "a[0]", "a[1]", "b", "b[0]", "c"])
SINKS = st.lists(st.builds(Sink, INPUTS, st.booleans()), max_size=3)
MADE = st.tuples(st.none() | INPUTS, st.sampled_from(["split", "fold_in"]), st.sampled_from([False, None, True]))


@st.composite
def signatures(draw: st.DrawFn) -> KeySignature:
    """Return a signature; each input comes out once at most."""
    sources, forwards = [], []
    unused = draw(st.permutations(PARAMETERS))
    for path, parameter in zip(OUTPUTS, unused, strict=True):
        match draw(st.integers(0, 3)):
            case 0:
                parent, via, spent = draw(MADE)
                sources.append(Source(path + draw(st.sampled_from(["", "[*]"])), parent, via, spent=spent))
            case 1:
                forwards.append(Forward(path, parameter + draw(st.sampled_from(["", "[0]"]))))
    return KeySignature(PARAMETERS, tuple(draw(SINKS)), tuple(sources), tuple(forwards))


LAWS = {"few": 30, "many": 100, "derandomize": True}


@searched(signatures(), **LAWS)
def test_normal_form_is_one(f: KeySignature):
    assert f.normalised().normalised() == f.normalised()


def test_jax_is_not_imported():
    program = "import sys, olympus.signatures.signature; sys.exit('jax' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
