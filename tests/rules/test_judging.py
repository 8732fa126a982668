"""What is said of the pairs of consumptions of one function: how sure it is, which places, and which effect."""

from __future__ import annotations

import ast
import textwrap

import pytest

from olympus_rules.finding import Confidence
from olympus_rules.keyflow.facts import (
    ConstantKey,
    DerivationCollision,
    Fact,
    KeyArithmetic,
    KeyKind,
    Place,
    Reference,
    Reuse,
)
from olympus_rules.keyflow.judging.order import unique
from olympus_rules.keyflow.linking.driver import analyse
from olympus_rules.syntax import Document

HEADER = "import jax\nfrom jax import lax, random\nfrom elsewhere import Box, unknown\n\n\n"
CERTAIN, LIKELY, POSSIBLE = Confidence.CERTAIN, Confidence.LIKELY, Confidence.POSSIBLE


def facts_of(source: str, kind: type[Fact]) -> list[Fact]:
    """Return the facts of a kind in a text."""
    return [fact for fact in analyse(Document("a.py", HEADER + textwrap.dedent(source))) if type(fact) is kind]


def reuse_of(source: str) -> Reuse:
    """Return the only reuse in a text."""
    (found,) = facts_of(source, Reuse)
    assert isinstance(found, Reuse)
    return found


def row(place: Place) -> int:
    """Return the row of a place in the text, the first being 1."""
    return getattr(place.node, "lineno", 0) - HEADER.count("\n")


# how sure a reuse is

CONFIDENCES = [
    ("a known callee", "def f(key):\n    random.normal(key)\n    random.bits(key)", CERTAIN),
    ("an unknown function", "def f(key):\n    random.normal(key)\n    unknown(key)", LIKELY),
    ("an unknown class", "def f(key):\n    random.normal(key)\n    Box(key)", POSSIBLE),
    ("a name alone", "def f(key):\n    unknown(key)\n    unknown(key)", POSSIBLE),
    ("a type of keys", "def f(key: jax.random.PRNGKey):\n    noise(key)\n    noise(key)", LIKELY),
    ("a type of JAX 0.12", "def f(key: jax.random.Key):\n    noise(key)\n    noise(key)", LIKELY),
    ("an alias of one", "import chex\ndef f(key: chex.PRNGKey | None):\n    noise(key)\n    noise(key)", LIKELY),
    (
        "a type that is called Key",
        "from .types import Key\ndef f(key: Key, n):\n    n.init(key)\n    n.sample(key)",
        LIKELY,
    ),
    ("callees that say nothing", "def f(n):\n    key = random.key(n)\n    unknown(key)\n    unknown(key)", POSSIBLE),
    ("one that says it draws", "def f(n):\n    key = random.key(n)\n    unknown(key)\n    n.sample(key)", LIKELY),
    ("a type of arrays", "def f(key: jax.Array):\n    unknown(key)\n    unknown(key)", POSSIBLE),
    ("an update of two arguments", "def f(key, x):\n    random.bits(key)\n    return x.update(key, 1)", LIKELY),
    ("a benchmark", "def f(key):\n    random.bits(key).block_until_ready()\n    return random.bits(key)", POSSIBLE),
    (
        "a benchmark of a loop",
        "def f(key):\n    for _ in '123':\n        jax.block_until_ready(random.bits(key))",
        POSSIBLE,
    ),
    (
        "a result that is ready",
        "def f(key):\n    a = random.bits(key).block_until_ready()\n    return a, random.bits(key)",
        CERTAIN,
    ),
    (
        "two unknown conditions",
        "def f(key, x):\n    if unknown(x):\n        random.normal(key)\n    if x.ready():\n        random.bits(key)",
        LIKELY,
    ),
    (
        "one condition",
        "def f(key, x):\n    if unknown(x):\n        random.normal(key)\n    random.bits(key)",
        CERTAIN,
    ),
    (
        "a loop without iterations",
        "def f(key):\n    random.bits(key)\n    for i in unknown():\n        key = random.key(i)\n    random.bits(key)",
        POSSIBLE,
    ),
    (
        "an attribute that is written to the class",
        "class A:\n    def f(self):\n        random.bits(self.key)\n        random.bits(self.key)\n\nA.key = unknown()",
        LIKELY,
    ),
]


COUNTERS = {
    "range": "for i in range(n):\n        unknown(key, i)",
    "enumerate": "for i, x in enumerate(n):\n        unknown(x, key, step=i)",
    "a progress bar": "for i in tqdm(range(n)):\n        unknown(key, 2 * i + 1)",
    "while": "i = 0\n    while unknown():\n        unknown(key, jax.numpy.int32(i))\n        i += 1",
    "a comprehension": "return [unknown(key, i) for i in range(n)]",
    "fori_loop": "return lax.fori_loop(0, n, lambda i, x: unknown(x, key, i, method='step'), n)",
    "map": "return lax.map(lambda i: unknown(key, i), jax.numpy.arange(9))",
    "scan": "def f2(x, i):\n        return unknown(key, i), None\n    return lax.scan(f2, n, jax.numpy.arange(9))",
}
OTHERS = {
    "elements": "for i in n:\n        add_noise(key, i)",
    "elements with numbers": "for i, x in enumerate(n):\n        add_noise(x, key)",
    "elements by number": "for i in range(n):\n        add_noise(n[i], key)",
    "a number that stays": "i = n\n    for _ in range(n):\n        add_noise(key, i)",
    "scan over data": "def body(x, i):\n        return add_noise(x, key, i), None\n    return lax.scan(body, n, n)",
    "the carry": "return lax.fori_loop(0, n, lambda i, x: add_noise(x, key), n)",
}


@pytest.mark.parametrize(
    ("body", "level"),
    [*((body, POSSIBLE) for body in COUNTERS.values()), *((body, LIKELY) for body in OTHERS.values())],
    ids=[*COUNTERS, *OTHERS],
)
def test_a_callee_that_gets_the_counter_of_the_loop_may_fold_it_in(body: str, level: Confidence) -> None:
    assert reuse_of(f"def f(n, seed):\n    key = random.key(seed)\n    {body}").confidence == level


@pytest.mark.parametrize("body", COUNTERS.values(), ids=COUNTERS)
def test_a_name_is_no_evidence_beside_a_counter(body: str) -> None:
    assert facts_of(f"def f(n, key):\n    {body}", Reuse) == []


TRAINING = "unknown(n, train=True, rngs={'dropout': key})"


@pytest.mark.parametrize(
    ("call", "level"),
    [
        (TRAINING, LIKELY),
        ("unknown(n, train=n, rngs={'dropout': key})", LIKELY),
        ("n.init(key, n, train=False)", LIKELY),
        ("n.sample(key, n, test=False)", LIKELY),
        ("unknown(n, train=False, rngs={'dropout': key})", POSSIBLE),
        ("unknown(n, key, deterministic=True)", POSSIBLE),
        ("n.apply_fn(n, key, is_training=False)", POSSIBLE),
        ("n.layer(n, key=key, inference=True)", POSSIBLE),
    ],
)
def test_a_model_that_is_evaluated_may_draw_nothing(call: str, level: Confidence) -> None:
    source = "def f(n, seed):\n    key = random.key(seed)\n    return {}, {}"
    assert reuse_of(source.format(call, TRAINING)).confidence == level
    assert reuse_of(source.format(TRAINING, call)).confidence == level


@pytest.mark.parametrize(("source", "level"), [case[1:] for case in CONFIDENCES], ids=[case[0] for case in CONFIDENCES])
def test_the_least_sure_part_of_a_reuse_decides(source: str, level: Confidence) -> None:
    assert reuse_of(source).confidence == level


@pytest.mark.parametrize(
    "source",
    [
        "def f(value):\n    unknown(value)\n    unknown(value)",
        "def f(key: jax.random.PRNGKey):\n    unknown(key)\n    Box(key)",
        "def f(key, x):\n    random.bits(key)\n    x.update(key)",
        "def f(key, x):\n    random.bits(key)\n    return x.update(1, 2, key=key)",
        "def f(key):\n    if key is None:\n        random.normal(key)\n        random.bits(key)",
        "def f(key, p):\n    random.normal(key) if p else random.bits(key)",
        "def f(key, p):\n    if p:\n        return random.normal(key)\n    return random.bits(key)",
        "def f(key):\n    random.normal(key)\n    random.bits(random.clone(key))",
    ],
)
def test_no_reuse(source: str) -> None:
    assert facts_of(source, Reuse) == []


# what is said of it


@pytest.mark.parametrize(
    ("source", "effect"),
    [
        ("random.normal(key)\nrandom.normal(key)", "same-draw"),
        ("random.normal(key)\nrandom.split(key)", "dependent"),
        ("unknown(key)\nrandom.normal(key)", "dependent"),
    ],
)
def test_the_effect_of_a_reuse(source: str, effect: str) -> None:
    found = reuse_of(f"def f(key):\n{textwrap.indent(source, '    ')}")
    assert found.effect == effect


def test_places_and_the_spelling_of_the_key() -> None:
    found = reuse_of("def f(state):\n    random.normal(state.rng)\n    random.bits(state.rng)")
    assert (row(found.first), row(found.again)) == (2, 3) and found.key == "state.rng"
    assert (found.first.what, found.again.what) == ("jax.random.normal", "jax.random.bits")
    assert found.repeated_by == ""


@pytest.mark.parametrize(
    ("source", "repeated"),
    [
        ("for _ in range(3):\n    random.normal(key)", "loop"),
        ("[random.normal(key) for _ in range(3)]", "comprehension"),
        ("lax.scan(lambda c, x: (c, random.normal(key)), 0, None, length=3)", "scan"),
    ],
)
def test_what_repeats_a_place(source: str, repeated: str) -> None:
    found = reuse_of(f"def f(key):\n{textwrap.indent(source, '    ')}")
    assert found.first.node is found.again.node and found.repeated_by == repeated


def test_two_maps_of_one_function_are_the_places() -> None:
    found = reuse_of(
        "def f(key, xs):\n    draw = lambda x: random.normal(key)\n    jax.vmap(draw)(xs)\n    jax.lax.map(draw, xs)"
    )
    assert found.first.node is not found.again.node


def test_names_that_nothing_reads() -> None:
    source = "def f(key):\n    key, first, second = random.split(key, 3)\n    random.normal(key)\n    random.bits(key)"
    assert set(reuse_of(source).unused) == {"first", "second"}


@pytest.mark.parametrize(
    ("source", "kind", "batch"),
    [
        ("key = random.key(0)\nrandom.normal(key)\nrandom.bits(key)", KeyKind.TYPED, False),
        ("key = random.PRNGKey(0)\nrandom.normal(key)\nrandom.bits(key)", KeyKind.RAW, False),
        (
            "keys = random.split(random.key(0), 3)\njax.vmap(random.normal)(keys)\njax.vmap(random.bits)(keys)",
            KeyKind.TYPED,
            True,
        ),
    ],
)
def test_what_kind_of_key_it_is(source: str, kind: KeyKind, batch: bool) -> None:
    found = reuse_of(f"def f():\n{textwrap.indent(source, '    ')}")
    assert (found.kind, found.batch) == (kind, batch)


# collisions


@pytest.mark.parametrize(
    ("source", "how"),
    [
        ("random.split(key, 2)\nrandom.split(key, 3)", "splits-share-children"),
        ("a = random.fold_in(key, 1)\nb = random.fold_in(key, 1)\nrandom.normal(a), random.normal(b)", None),
        ("random.normal(random.split(key)[0])\nrandom.normal(random.fold_in(key, 0))", None),
    ],
)
def test_children_that_are_equal(source: str, how: str | None) -> None:
    body = textwrap.indent(source, "    ")
    (found,) = facts_of(f"def f(key):\n{body}", DerivationCollision)
    assert isinstance(found, DerivationCollision)
    assert how is None or found.how == how
    assert facts_of(f"def f(key):\n{body}", Reuse) == [], "the derivation is the mistake, and not each draw after it"


@pytest.mark.parametrize(
    "source",
    [
        "a = random.fold_in(key, 1)\nb = random.fold_in(key, 2)\nrandom.normal(a), random.normal(b)",
        "a = random.fold_in(key, i)\nb = random.fold_in(key, i + 1)\nrandom.normal(a), random.normal(b)",
        "for n in range(i):\n    random.normal(random.fold_in(key, n))",
    ],
)
def test_children_that_differ(source: str) -> None:
    body = textwrap.indent(source, "    ")
    assert facts_of(f"def f(key, i):\n{body}", DerivationCollision) == []


# objects


def test_a_method_that_draws_from_what_only_the_constructor_writes() -> None:
    source = """
        class Model:
            def __init__(self, seed):
                self.key = random.key(seed)

            def sample(self):
                return random.normal(self.key)
    """
    found = reuse_of(source)
    assert (found.confidence, found.repeated_by, found.key) == (LIKELY, "call", "self.key")
    written = source.replace("return random", "self.key, sub = random.split(self.key)\n                return random")
    assert facts_of(written.replace("normal(self.key)", "normal(sub)"), Reuse) == []


# one fact for each place


def test_of_several_facts_at_one_node_the_surest_is_kept() -> None:
    nodes = [ast.Call(ast.Name("f"), [], [], lineno=n, col_offset=0) for n in (2, 1)]

    def made(node: ast.Call, confidence: Confidence, key: str, identity: int) -> Reuse:
        place = Place(node, "f")
        return Reuse(node=node, confidence=confidence, key=key, first=place, again=place, identity=identity)

    given = [
        made(nodes[0], LIKELY, "key", 1),
        made(nodes[0], CERTAIN, "key", 2),
        made(nodes[0], POSSIBLE, "key", 3),
        made(nodes[1], POSSIBLE, "other", 4),
    ]
    found = unique(given)
    assert [(fact.node, fact.confidence) for fact in found] == [(nodes[1], POSSIBLE), (nodes[0], CERTAIN)]
    identities = [fact.identity for fact in found if isinstance(fact, Reuse)]
    assert len(set(identities)) == 2, "reuses of one key at one place have one identity"
    assert unique(reversed(given))[1].confidence == CERTAIN


def test_stars_in_the_name_of_an_item_are_a_part_of_it() -> None:
    fact = reuse_of(
        "def f(key, other):\n    table = dict({'**x': key, **other})\n"
        "    return random.normal(table['**x']), random.normal(table['**x'])"
    )
    assert (row(fact.first), row(fact.again)) == (3, 3)


def test_one_call_may_take_a_key_twice_in_each_iteration() -> None:
    streams = "def f(n):\n    return [nnx.Rngs(sample=k, default=k) for k in random.split(random.key(n), 9)]"
    assert reuse_of(f"from flax import nnx\n{streams}").repeated_by == "arguments"


@pytest.mark.parametrize("call", ["n.get_checkpoint_state(key)", "n.checkpoint(key)", "n.maybe_checkpoint(1, key)"])
def test_a_callee_that_makes_a_checkpoint_draws_nothing(call: str) -> None:
    assert facts_of(f"def f(n):\n    key = random.key(n)\n    return {call}, random.bits(key)", Reuse) == []


def test_an_object_that_gives_keys_is_no_key() -> None:
    given = "def given(rngs):\n    return rngs.noise() if isinstance(rngs, nnx.Rngs) else rngs\n"
    drawn = "    key = random.split(given(rngs))\n    return [n.sample(key, rngs=rngs) for _ in n]"
    program = f"from flax import nnx\n{given}def f(n, rngs: {{}}):\n{drawn}"
    assert facts_of(program.format("jax.Array"), Reuse) != []
    assert facts_of(program.format("nnx.Rngs | None").replace("sample(key, ", "sample("), Reuse) == []


def test_a_list_is_as_many_times_as_long() -> None:
    program = (
        "def f(n, k):\n    keys, _ = jax.tree.flatten(k)\n    keys = keys * {}\n    return [*map(random.bits, keys)]"
    )
    assert facts_of(program.format("len(n)"), KeyArithmetic) == []
    assert facts_of(program.format("3"), KeyArithmetic) != []


def test_a_class_variable_that_only_its_body_draws_from_is_no_field() -> None:
    body = "class A:\n    key = random.key(0)\n    data = random.normal(key, (3,))\n"
    assert facts_of(body, ConstantKey) == []
    assert facts_of(f"{body}    def f(self):\n        return random.bits(self.key)", ConstantKey) != []
    assert facts_of("class A:\n    key = random.key(0)\n", ConstantKey) != []


@pytest.mark.parametrize(("comment", "count"), [("", 1), ("  # for other files", 1), ("  # noqa: F401", 0)])
def test_an_import_that_is_not_read_may_be_for_other_files(comment: str, count: int) -> None:
    assert len(facts_of(f"from jax.random import KeyArray{comment}", Reference)) == count
