"""What the rules say: the variable, both places, the next step."""

from __future__ import annotations

from dataclasses import replace

import pytest
from handmade import document, fact, message, node, place, report, reuse

from olympus_lint.project.settings import Settings
from olympus_lint.run.engine import lint_text
from olympus_rules.finding import Confidence, Position
from olympus_rules.keyflow.facts import (
    ConstantKey,
    DerivationCollision,
    DtypeLogic,
    GlobalImplementation,
    KeyArithmetic,
    KeyIndexing,
    KeyTransposition,
    Place,
    RawKeyLiteral,
    Reference,
    SeedConfusion,
    ShapeLogic,
    SharedKey,
    UntypedBoundary,
    UnusedKey,
)
from olympus_rules.rules import all_rules

TWO_DRAWS = document(
    "import jax\n\ndef f(key):\n    a = jax.random.normal(key)\n    return a + jax.random.uniform(key)\n"
)
FIRST, AGAIN = place(TWO_DRAWS, "jax.random.normal(key)"), place(TWO_DRAWS, "jax.random.uniform(key)")


def test_codes_names_and_summaries_are_complete() -> None:
    rules = all_rules()
    assert {
        code: rule.name for code, rule in rules.items() if code not in ("OLY901", "OLY902")
    } == {
        "OLY101": "key-indexing",
        "OLY102": "key-arithmetic",
        "OLY103": "key-transposition",
        "OLY104": "key-reuse",
        "OLY105": "shared-key-across-lanes",
        "OLY106": "unused-key",
        "OLY107": "constant-key",
        "OLY108": "derivation-collision",
        "OLY109": "key-seed-confusion",
        "OLY110": "discarded-derivation",
        "OLY111": "lossy-key-data",
        "OLY201": "legacy-constructor",
        "OLY202": "key-shape-logic",
        "OLY203": "key-dtype-logic",
        "OLY204": "key-annotation",
        "OLY205": "global-prng-implementation",
        "OLY206": "key-conversion",
        "OLY207": "raw-key-literal",
        "OLY208": "untyped-boundary",
        "OLY301": "jax-array-at-transform",
        "OLY302": "jax-array-outside-numpy",
    }  # fmt: skip
    assert {code for code, rule in rules.items() if not rule.default} == {"OLY106", "OLY201"}
    assert all(rule.summary and not rule.summary.endswith(".") for rule in rules.values())


def test_reuse_names_both_places_and_the_effect() -> None:
    reported = report(TWO_DRAWS, "OLY104", reuse(TWO_DRAWS, FIRST, AGAIN, effect="same-draw"))
    assert reported is not None
    finding = reported.finding
    assert finding.message == (
        "Key `key` is consumed again by `jax.random.uniform`: `jax.random.normal` drew from it on line 4, so "
        "both calls get the same bits. Split it first: `key, subkey = jax.random.split(key)`."
    )
    assert finding.effect == "same-draw"
    assert finding.span.start == Position(5, 16)
    assert [place.span.start for place in finding.related] == [Position(4, 9)]


def test_reuse_after_a_split_and_by_a_helper() -> None:
    doc = document("def f(key):\n    a, b = jax.random.split(key)\n    return a, self.reset(key)\n")
    made = reuse(doc, place(doc, "jax.random.split(key)"), place(doc, "self.reset(key)", what="self.reset"))
    assert message(doc, "OLY104", made).startswith(
        "Key `key` is consumed again by `self.reset`: `jax.random.split` split it on line 2, so the two "
        "results are not independent."
    )
    turned = reuse(
        doc,
        place(doc, "self.reset(key)", what="self.reset"),
        place(doc, "jax.random.split(key)"),
        effect="same-children",
    )
    assert "`self.reset` consumed it on line 3, so both splits give the same children" in message(doc, "OLY104", turned)


@pytest.mark.parametrize(
    ("repeated_by", "words"),
    [
        ("loop", "in every iteration of the loop, so all of them get the same bits. Split it first in the loop"),
        ("comprehension", "for every element of the comprehension"),
        ("scan", "in every step of `scan`"),
        ("call", "each time the function is called"),
        ("arguments", "in two of its arguments"),
    ],
)
def test_repeated_consumption(repeated_by: str, words: str) -> None:
    made = reuse(TWO_DRAWS, FIRST, effect="same-draw", repeated_by=repeated_by)
    reported = report(TWO_DRAWS, "OLY104", made)
    assert reported is not None and words in reported.finding.message
    assert reported.finding.related == ()


def test_reuse_asks_about_unused_children() -> None:
    one = message(TWO_DRAWS, "OLY104", reuse(TWO_DRAWS, FIRST, AGAIN, unused=("sub",)))
    assert one.endswith("`sub` is never used; was it meant here?")
    two = message(TWO_DRAWS, "OLY104", reuse(TWO_DRAWS, FIRST, AGAIN, unused=("a", "b")))
    assert two.endswith("`a` or `b` are never used; was it meant here?")


def test_a_split_keeps_the_parent_and_the_other_consumer_takes_the_unused_child() -> None:
    doc = document(
        "def f(key):\n    x = jax.random.normal(key)\n    key, sub = jax.random.split(key)\n    return x, key\n"
    )
    made = reuse(
        doc, place(doc, "jax.random.normal(key)"), place(doc, "jax.random.split(key)"), unused=("other", "sub")
    )
    assert message(doc, "OLY104", made).endswith("`other` is never used; was it meant on line 2?")


def test_reuse_in_the_next_pass_of_a_loop() -> None:
    doc = document(
        "def f(key, n):\n"
        "    for _ in range(n):\n"
        "        key, sub = jax.random.split(key)\n"
        "        x = jax.random.normal(key)\n"
        "    return x\n"
    )
    made = reuse(doc, place(doc, "jax.random.normal(key)"), place(doc, "jax.random.split(key)"), unused=("sub",))
    assert message(doc, "OLY104", made) == (
        "Key `key` is consumed again by `jax.random.split` in the next iteration of the loop: `jax.random.normal` "
        "drew from it on line 4, so the two results are not independent. `sub` is never used; was it meant on line 4?"
    )


def test_reuse_of_a_key_without_a_plain_name() -> None:
    nameless = reuse(TWO_DRAWS, Place(FIRST.node, FIRST.what), Place(AGAIN.node, AGAIN.what))
    assert message(TWO_DRAWS, "OLY104", nameless).startswith("This key is consumed again")
    doc = document("a = jax.random.normal(keys[0])\nb = jax.random.bits(keys[0])\n")
    places = (
        place(doc, "jax.random.normal(keys[0])", key="keys[0]"),
        place(doc, "jax.random.bits(keys[0])", key="keys[0]"),
    )
    assert message(doc, "OLY104", reuse(doc, *places)).endswith("Split it first with `jax.random.split`.")


@pytest.mark.parametrize(
    ("use", "words"),
    [
        ("seed", "`rng, new_key = jax.random.split(rng)`"),
        ("foreign-seed", "one word is half of the key"),
        ("value", "`jax.random.key_data(rng)`"),
        ("unpack", "is unpacked into the words of its buffer"),
        ("unknown", "a typed key has no words to index"),
    ],
)
def test_key_indexing(use: str, words: str) -> None:
    doc = document("x = rng[0]\n")
    said = message(doc, "OLY101", fact(KeyIndexing, node(doc, "rng[0]"), key="rng", use=use))
    assert said.startswith("Key `rng` is ") and words in said


def test_key_indexing_without_a_name() -> None:
    doc = document("x = f()[0]\n")
    assert message(doc, "OLY101", fact(KeyIndexing, node(doc, "f()[0]"))).startswith("This key is indexed")


@pytest.mark.parametrize(
    ("operation", "batch", "words"),
    [
        ("+", True, "Key `key` is changed with `+`"),
        ("^", False, "`jax.random.fold_in(key, i)`"),
        ("+", True, "`jax.random.split(key, n)`"),
        ("astype", False, "`astype` is applied to key `key`"),
    ],
)
def test_key_arithmetic(operation: str, batch: bool, words: str) -> None:
    doc = document("x = key + 1\n")
    made = fact(KeyArithmetic, node(doc, "key + 1"), key="key", operation=operation, batch=batch)
    assert words in message(doc, "OLY102", made)
    of_no_name = message(doc, "OLY102", replace(made, key=""))
    assert of_no_name.startswith("A key is changed") or "is applied to a key, which" in of_no_name


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("in_axes", "`in_axes=1` maps over the words inside the keys of key array `keys`"),
        ("out_axes", "`out_axes=1` puts the batch behind the words"),
        (".T", "`.T` mixes the words of different keys in key array `keys`"),
    ],
)
def test_key_transposition(how: str, words: str) -> None:
    doc = document("x = jax.vmap(f, in_axes=1)(keys)\n")
    axis = node(doc, "1") if how.endswith("axes") else None
    made = fact(KeyTransposition, node(doc, "jax.vmap(f, in_axes=1)(keys)"), key="keys", how=how, axis=axis)
    assert words in message(doc, "OLY103", made)


@pytest.mark.parametrize(
    ("decorator", "taken", "words"),
    [
        ("@jax.jit", "state", "Split it first: `key, subkey = jax.random.split(state.key)`."),
        ("@partial(jax.jit, static_argnums=0)", "state", "`draw` is compiled and keeps the key"),
        ("@partial(jax.jit, static_argnames=('state',))", "x, state", "`draw` is compiled and keeps"),
        ("@partial(jax.jit, static_argnums=0)", "x, state", "Split it first: `key, subkey ="),
        ("@jax.jit", "", "`draw` is compiled and keeps the key that it reads first"),
        ("", "state", "Split it first: `state.key, subkey = jax.random.split(state.key)`."),
    ],
)
def test_a_compiled_function_keeps_what_does_not_come_in_through_a_traced_argument(
    decorator: str, taken: str, words: str
) -> None:
    text = (
        f"import jax\nfrom functools import partial\n\ndef make(state):\n    {decorator}\n    def draw({taken}):\n"
        f"        return jax.random.normal(state.key) + jax.random.normal(state.key)\n    return draw\n"
    )
    (finding,) = lint_text("example.py", text, Settings()).findings
    assert words in finding.message


@pytest.mark.parametrize(
    ("taken", "given", "words"),
    [("state", "state", "Split it first"), ("", "", "`draw` is compiled and keeps the key that it reads first")],
)
def test_a_call_of_a_compiled_function_that_hands_it_the_key(taken: str, given: str, words: str) -> None:
    text = (
        f"import jax\n\n\ndef two(state):\n    @jax.jit\n    def draw({taken}):\n"
        f"        return jax.random.normal(state.key)\n\n    return draw({given}) + draw({given})\n"
    )
    (finding,) = lint_text("example.py", text, Settings()).findings
    assert words in finding.message


@pytest.mark.parametrize(
    ("drawn", "words"),
    [
        ("jax.lax.map(lambda k: N(k) + x, keys)", "in every iteration of the outer loop, so all"),
        ("[N(k) + x for k in keys]", "in every iteration of the outer loop, so all"),
        ("[[N(k) + y for k in keys] for y in x]", "for every element of the outer comprehension, so all"),
        ("jax.lax.map(lambda y: N(keys[0]) + y, x)", "in every step of `map`, so all"),
        ("[N(keys[0]) + y for y in x]", "for every element of the comprehension, so all"),
    ],
)
def test_a_loop_around_a_map_over_keys_repeats_the_draws(drawn: str, words: str) -> None:
    text = (
        f"import jax\nfrom jax.random import normal as N\n\ndef draw(key, xs):\n"
        f"    keys = jax.random.split(key, 3)\n    for x in xs:\n        yield {drawn}\n"
    )
    (finding,) = lint_text("example.py", text, Settings()).findings
    assert words in finding.message


def test_unused_key() -> None:
    doc = document("key, sub = jax.random.split(key)\n")
    made = fact(UnusedKey, node(doc, "sub"), key="sub")
    assert message(doc, "OLY106", made).startswith("Key `sub` is derived and never used")


@pytest.mark.parametrize(
    ("where", "owner", "confidence", "words"),
    [
        ("default-argument", "init(key)", Confidence.CERTAIN, "The default key of `init(key)` is one key"),
        ("class-field", "Config.key", Confidence.CERTAIN, "Field `Config.key` has one key for all objects"),
        ("function-body", "init", Confidence.POSSIBLE, "`init` makes the same key at every call"),
        ("noise", "f", Confidence.CERTAIN, "so each call gets the same numbers. Take the key as a parameter."),
        ("same-seed", "", Confidence.POSSIBLE, "already made a key on line 1"),
    ],
)
def test_constant_key(where: str, owner: str, confidence: Confidence, words: str) -> None:
    doc = document("a = jax.random.key(0)\nb = jax.random.key(0)\n")
    first = node(doc, "jax.random.key(0)") if where == "same-seed" else None
    made = fact(ConstantKey, node(doc, "jax.random.key(0)", 1), where=where, owner=owner, first=first)
    reported = report(doc, "OLY107", made)
    assert reported is not None and words in reported.finding.message
    assert reported.finding.confidence is confidence


@pytest.mark.parametrize(
    ("how", "repeated_by", "words"),
    [
        ("fold_in-twice", "", "gets the same data as on line 1, so the two children are equal"),
        ("fold_in-twice", "loop", "gets the same data each time (repeated by a loop)"),
        ("split-beside-fold_in", "", "`split` and `fold_in` on line 1 of `key` give the same children"),
        ("splits-share-children", "", "shares children with the split on line 1"),
        ("split-then-index", "", "Use `jax.random.fold_in(key, i)`"),
    ],
)
def test_derivation_collision(how: str, repeated_by: str, words: str) -> None:
    doc = document("a = fold_in(key, 0)\nb = split(key, i + 1)[i]\n")
    made = fact(
        DerivationCollision,
        node(doc, "split(key, i + 1)[i]"),
        key="key",
        how=how,
        repeated_by=repeated_by,
        first=None if how == "split-then-index" else place(doc, "fold_in(key, 0)"),
        index=node(doc, "i", 1) if how == "split-then-index" else None,
    )
    assert words in message(doc, "OLY108", made)


@pytest.mark.parametrize(
    ("fold_row", "split_row", "words"),
    [
        (4, 5, "`split` and `fold_in` on line 4 of `key` give"),
        (5, 4, "`split` on line 4 and `fold_in` of `key` give"),
    ],
)
def test_the_row_of_a_split_beside_fold_in_stands_with_the_derivation_on_it(
    fold_row: int, split_row: int, words: str
) -> None:
    rows = {fold_row: "    a = jax.random.fold_in(key, 0)\n", split_row: "    b = jax.random.split(key)\n"}
    text = f"import jax\n\ndef f(key):\n{rows[4]}{rows[5]}    return a, b\n"
    findings = [finding for finding in lint_text("example.py", text, Settings()).findings if finding.code == "OLY108"]
    assert [finding.span.start.row for finding in findings] == [5]
    assert findings[0].message.startswith(words)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("key-as-seed", "`jax.random.PRNGKey` takes an integer seed, but `x` is a key"),
        ("seed-as-key", "`jax.random.PRNGKey` takes a key, but `x` is an integer"),
        ("text-as-key", "`jax.random.PRNGKey` takes a key, and gets text"),
    ],
)
def test_key_seed_confusion(how: str, words: str) -> None:
    doc = document("k = jax.random.PRNGKey(x)\n")
    made = fact(SeedConfusion, node(doc, "jax.random.PRNGKey(x)"), key="x", how=how, function="jax.random.PRNGKey")
    assert words in message(doc, "OLY109", made)


def test_legacy_constructor() -> None:
    doc = document("k = jr.PRNGKey(0)\n")
    attributes = {"qualified": "jax.random.PRNGKey", "context": "call"}
    made = fact(Reference, node(doc, "jr.PRNGKey"), **attributes)
    assert message(doc, "OLY201", made) == ("`jr.PRNGKey` makes a raw key. Make a typed key with `jax.random.key`.")
    breaks = fact(Reference, node(doc, "jr.PRNGKey"), **attributes, reachable=("line 7 indexes `k`",))
    assert message(doc, "OLY201", breaks).endswith("what a typed key does not survive: line 7 indexes `k`.")


def test_key_shape_and_dtype_logic() -> None:
    doc = document("a = key.ndim == 1\nb = key.dtype == jnp.uint32\n")
    shape = fact(ShapeLogic, node(doc, "key.ndim == 1"), key="key", form="ndim", subject=node(doc, "key"))
    assert message(doc, "OLY202", shape).startswith("`key.ndim == 1` counts the buffer axis of key `key`")
    dtype = fact(
        DtypeLogic,
        node(doc, "key.dtype == jnp.uint32"),
        key="key",
        form="equals",
        subject=node(doc, "key", 1),
    )
    assert "`jnp.issubdtype(key.dtype, jax.dtypes.prng_key)`" in message(doc, "OLY203", dtype)


@pytest.mark.parametrize(
    ("name", "context", "words"),
    [
        (
            "PRNGKey",
            "annotation",
            "`PRNGKey` is a function and not a type. The type of a key is `jax.Array`.",
        ),
        ("KeyArray", "value", "`KeyArray` was removed from JAX"),
        ("jax._src.prng.PRNGKeyArray", "annotation", "`PRNGKeyArray` is private to JAX. The type"),
        ("jax._src.prng.PRNGKeyArray", "import", "not used, and is private to JAX. Remove"),
        ("KeyArray", "import", "not used, and was removed from JAX. Remove"),
        ("prng_key", "annotation", "`prng_key` is the type of a dtype"),
        ("PRNGKeyArray", "isinstance", "so `isinstance` cannot test for it"),
        ("rbg_key", "call", 'Use `jax.random.key(seed, impl="rbg")`'),
        ("PRNGKey", "call", None),
        ("PRNGKey", "value", None),
        ("prng_key", "value", None),
    ],
)
def test_key_annotation(name: str, context: str, words: str | None) -> None:
    doc = document("x: y\n")
    qualified = name if "." in name else f"jax.random.{name}"
    made = fact(Reference, node(doc, "y"), qualified=qualified, context=context)
    reported = report(doc, "OLY204", made)
    assert (reported is None) if words is None else (reported is not None and words in reported.finding.message)


@pytest.mark.parametrize(("name", "context"), [("KeyArray", "value"), ("PRNGKey", "annotation")])
def test_other_names_are_no_constructors(name: str, context: str) -> None:
    doc = document("x: y\n")
    made = fact(Reference, node(doc, "y"), qualified=f"jax.random.{name}", context=context)
    assert report(doc, "OLY201", made) is None


def test_shared_key_names_the_draw_and_the_next_step() -> None:
    doc = document("lane = lambda k: jax.random.normal(k)\nx = jax.vmap(lane, in_axes=None)(key)\n")
    draw = Place(node(doc, "jax.random.normal(k)"), "jax.random.normal")
    at = node(doc, "jax.vmap(lane, in_axes=None)(key)")
    made = fact(SharedKey, at, key="key", transform="vmap", draw=draw)
    assert message(doc, "OLY105", made) == (
        "Every lane of this `vmap` gets the same numbers: `jax.random.normal` on line 1 draws from `key`, which is not "
        "mapped over. Map over keys, `jax.random.split(key, n)`, or fold something of the lane in."
    )
    copies = fact(
        SharedKey, at, key="keys", transform="pmap", draw=Place(at, "jax.random.bits"), copies=True, batch=True
    )
    assert message(doc, "OLY105", copies) == (
        "Every lane of this `pmap` gets the same numbers: `jax.random.bits` draws from `keys`, which is one key over "
        "and over. Map over keys, `jax.random.split(key, n)`, or fold something of the lane in."
    )
    sharded = message(doc, "OLY105", fact(SharedKey, at, transform="shard_map", draw=draw))
    assert "draws from one key, which" in sharded and "`jax.lax.axis_index`" in sharded


@pytest.mark.parametrize(
    ("form", "rank", "words"),
    [
        ("broadcast", 0, "End the shape with that of one key: `*key.shape`."),
        ("broadcast", 2, "End the shape with that of one key: `*key.shape[2:]`."),
        ("mask", 1, "as many axes as one key has: `len(key.shape[1:])`."),
        ("axis", 1, "Count the axis from the front"),
        ("spec", 1, "Leave out the last entry"),
        ("shape-slice", None, "Ask `jax.random.key_data(key)`"),
    ],
)
def test_key_shape_logic_says_what_to_write(form: str, rank: int | None, words: str) -> None:
    doc = document("a = f(key)\n")
    made = fact(ShapeLogic, node(doc, "f(key)"), key="key", form=form, subject=node(doc, "key"), rank=rank)
    assert words in message(doc, "OLY202", made)


@pytest.mark.parametrize(
    ("form", "more", "words"),
    [
        ("buffer", {}, "`jnp.zeros((…, *key.shape), key.dtype)`"),
        ("buffer", {"like": "state.rng"}, "`jnp.zeros((…, *state.rng.shape), state.rng.dtype)`"),
        ("buffer", {"in_place": True}, "Collect the keys in a list, and stack them."),
        ("words", {}, "writes down the words of a raw key"),
        ("abstract", {}, "`jax.eval_shape(lambda: jax.random.key(0))`"),
    ],
)
def test_raw_key_literal(form: str, more: dict[str, object], words: str) -> None:
    doc = document("a = f(2)\n")
    assert words in message(doc, "OLY207", fact(RawKeyLiteral, node(doc, "f(2)"), form=form, **more))


def test_untyped_boundary_names_the_function_and_the_conversion() -> None:
    doc = document("lib.f(self.key)\ny = where(done, key, raw)\n")
    at = node(doc, "self.key")
    made = fact(UntypedBoundary, at, key="self.key", form="argument", function="lib.f", subject=at)
    assert message(doc, "OLY208", made) == (
        "`lib.f` takes raw keys only, and a typed key in the place of `self.key` breaks it. Hand over "
        "`jax.random.key_data(self.key)`, with a note to remove it when the function takes typed keys."
    )
    raw, typed = node(doc, "raw"), node(doc, "key")
    mixed = fact(UntypedBoundary, raw, form="mixed", function="jax.numpy.where", subject=raw, other=typed)
    reported = report(doc, "OLY208", mixed)
    assert reported is not None and "`raw` is raw and `key` is typed" in reported.finding.message
    assert [other.span.start.column for other in reported.finding.related] == [17]


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("default", "`jax_default_prng_impl` chooses the generator of every key in the program"),
        ("custom", "makes `PRNGKey` return typed keys in the whole program"),
        ("raw-key", "`jax.random.split` on line 2 takes it for a key of the default generator"),
    ],
)
def test_global_implementation_says_what_it_does_to_others(form: str, words: str) -> None:
    doc = document("k = PRNGKey(0)\nsplit(k)\n")
    used = Place(node(doc, "split(k)"), "jax.random.split") if form == "raw-key" else None
    made = fact(GlobalImplementation, node(doc, "PRNGKey(0)"), form=form, setting="jax_default_prng_impl", used=used)
    assert words in message(doc, "OLY205", made)
