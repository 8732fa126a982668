"""What the linter says of the pairs: the wrong twins that it finds by default, and the right ones that it alarms on."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import command
from frameworks.test_pairs import MODULES, functions

from olympus_rules.check import check
from olympus_rules.finding import Confidence
from olympus_rules.syntax import Document

MISUSE = ("OLY104", "OLY105", "OLY108", "OLY111")
FOUND = {"equinox": 36, "flax_linen": 45, "flax_nnx": 45, "haiku": 38, "numpyro": 37, "others": 47}
"""How many wrong twins are found.

The numbers grow, but for kinds that real packages show to be no mistake more often than one.
"""


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.stem)
def test_wrong_twins_are_found_and_right_ones_are_quiet(module: Path) -> None:
    checked = check(Document("programs.py", module.read_text("utf-8")), min_confidence=Confidence.LIKELY)
    assert not checked.errors
    findings = [report.finding for report in checked.reports if report.finding.code in MISUSE]
    rows = [{each.span.start.row, *(place.span.start.row for place in each.related)} for each in findings]
    spans = {name: range(node.lineno, (node.end_lineno or 0) + 1) for name, node in functions(module).items()}
    told = {name for name, span in spans.items() if any(not found.isdisjoint(span) for found in rows)}
    assert len({name for name in told if name.startswith("wrong_")}) >= FOUND[module.stem]
    assert not {name for name in told if name.startswith("right_")}


NETS = """\
import flax.linen as nn
import jax


class Net(nn.Module):
    @nn.compact
    def __call__(self, x, train=True):
        return nn.Dropout(0.5, deterministic=not train)(x)


def predict(model, params, x, key):
    return model.apply(params, x, rngs={"dropout": key})
"""


@pytest.mark.parametrize(
    ("models", "is_found"),
    [("net, net", True), ("Net(), Net()", True), ("net, other", False), ("Net(), nets.Net(0.1)", False)],
)
def test_a_module_is_known_across_files(tmp_path: Path, models: str, is_found: bool) -> None:
    first, second = models.split(", ")
    (tmp_path / "nets.py").write_text(NETS)
    (tmp_path / "main.py").write_text(
        "import jax\nimport nets\nfrom nets import Net, predict\n\n\n"
        "def twice(net, other, params, x, seed):\n    key = jax.random.key(seed)\n"
        f"    return predict({first}, params, x, key), predict({second}, params, x, key)\n"
    )
    done = command(tmp_path, "--isolated", "--no-cache", "--output-format", "concise", ".")
    assert done.returncode == int(is_found)
    assert ("OLY104" in done.stdout) == is_found


TRANSFORMED = """\
import haiku as hk
import jax


def forward(x, is_training=True):
    return hk.dropout(hk.next_rng_key(), 0.5, hk.Linear(8)(x)) if is_training else x


def shifting(x):
    return hk.dropout(hk.next_rng_key(), 0.5, x) + hk.get_state("shift", [])


net, plain = hk.transform(forward), hk.without_apply_rng(hk.transform(lambda x: hk.Linear(8)(x)))
moving = hk.transform(shifting)


def program(seed, params, x):
    key = jax.random.key(seed)
    return {first}, {second}
"""


@pytest.mark.parametrize(
    ("first", "second", "is_found"),
    [
        ("net.init(key, x)", "jax.random.split(key)", True),
        ("net.init(key, x)", "net.apply(params, key, x)", True),
        ("net.init(key, x)", "net.apply(params, key, x, False)", False),
        ("plain.init(key, x)", "jax.random.normal(key)", True),
        ("plain.init(key, x)", "plain.apply(params, x)", False),
        ("net.apply(params, key, x)", "moving.apply(params, key, x)", False),
    ],
)
def test_a_transformed_function_splits_its_key(first: str, second: str, is_found: bool) -> None:
    text = TRANSFORMED.format(first=first, second=second)
    checked = check(Document("programs.py", text), min_confidence=Confidence.LIKELY)
    assert [report.finding.code for report in checked.reports] == ["OLY104"] * is_found


SEVERAL = """\
import haiku as hk
import jax


class Model(hk.Module):
    def sample(self, x):
        return noise(x)

    def mean(self, x):
        return hk.Linear(8)(x)


def noise(x):
    return x + jax.random.normal(hk.next_rng_key(), x.shape)


def build():
    model = Model()

    def shift(x):
        return x + hk.get_parameter("shift", [8])

    return model.mean, (model.sample, noise, model.mean, shift)


net = hk.multi_transform(build)


def program(params, x, seed):
    key = jax.random.key(seed)
    sample, other, mean, shift = net.apply
    return {first}(params, key, x), {second}(params, key, x)
"""


@pytest.mark.parametrize(
    ("first", "second", "is_found"),
    [
        ("sample", "sample", True),
        ("sample", "other", True),
        ("other", "net.apply[0]", True),
        ("sample", "jax.jit(other)", True),
        ("sample", "mean", False),
        ("mean", "shift", False),
    ],
)
def test_functions_of_one_module_begin_with_its_key(first: str, second: str, is_found: bool) -> None:
    text = SEVERAL.format(first=first, second=second)
    checked = check(Document("programs.py", text), min_confidence=Confidence.LIKELY)
    assert [report.finding.code for report in checked.reports] == ["OLY104"] * is_found


LAYERS = """\
import equinox as eqx
import jax


class Tower(eqx.Module):
    annotated: {annotation}
    made: list

    def __init__(self, n):
        self.made = [{made} for _ in range(n)]

    def __call__(self, x, key):
        for layer in self.{attribute}:
            x = layer(x, key=key)
        return jax.random.normal(key, x.shape) + x
"""


@pytest.mark.parametrize(
    ("annotation", "made", "attribute", "is_found"),
    [
        ("list[eqx.nn.Dropout]", "None", "annotated", True),
        ("tuple[eqx.nn.Linear, ...]", "None", "annotated", False),
        ("list", "eqx.nn.Dropout(0.1)", "made", True),
        ("list", "eqx.nn.Lambda(abs)", "made", False),
    ],
)
def test_layers_in_a_list_are_known(annotation: str, made: str, attribute: str, is_found: bool) -> None:
    text = LAYERS.format(annotation=annotation, made=made, attribute=attribute)
    checked = check(Document("programs.py", text), min_confidence=Confidence.LIKELY)
    assert bool(checked.reports) == is_found


STREAMS = """\
import flax.linen as nn
import jax


class Augment(nn.Module):
    flip: bool = False

    def __call__(self, x):
        shift = jax.random.normal(self.make_rng("shift"), x.shape)
        {second}
        return shift + scale


def program(seed, x):
    key = jax.random.key(seed)
    return Augment().apply({{}}, x, rngs={rngs})
"""
BOTH = '{"shift": key, "scale": key}'


@pytest.mark.parametrize(
    ("second", "rngs", "is_found"),
    [
        ('scale = jax.random.normal(self.make_rng("scale"), x.shape)', BOTH, True),
        ('scale = jax.random.normal(self.make_rng("scale"), x.shape)', '{"shift": key, "dropout": key}', False),
        ("scale = nn.Dropout(0.5, deterministic=False)(x)", '{"shift": key, "dropout": key}', False),
        ('scale = self.make_rng("scale") if self.flip else x', BOTH, False),
    ],
)
def test_streams_that_one_method_asks_for_are_equal(second: str, rngs: str, is_found: bool) -> None:
    text = STREAMS.format(second=second, rngs=rngs)
    checked = check(Document("programs.py", text), min_confidence=Confidence.LIKELY)
    assert [report.finding.code for report in checked.reports] == ["OLY104"] * is_found


INITIALISING = """\
import haiku as hk


class Model:
    def init(self, rng_key, x):
        {first} = self.{one}.init(rng_key, x)
        {second} = self.{two}.init(rng_key, x)
        return {first}, {second}
"""


@pytest.mark.parametrize(
    ("first", "one", "second", "two", "is_found"),
    [
        ("prior", "prior_net", "dynamics", "dynamics_net", True),
        ("params", "net", "again", "net", True),
        ("params", "net", "prev_params", "other_net", False),
        ("params", "net", "opt_state", "target_net", False),
    ],
)
def test_two_modules_of_one_key(first: str, one: str, second: str, two: str, is_found: bool) -> None:
    text = INITIALISING.format(first=first, one=one, second=second, two=two) + "# .apply\n"
    checked = check(Document("programs.py", text), min_confidence=Confidence.LIKELY)
    assert [report.finding.code for report in checked.reports] == ["OLY104"] * is_found


TRACED = """\
import haiku as hk
import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from numpyro.handlers import replay, seed, substitute, trace


def model(x=None):
    return numpyro.sample("z", dist.Normal(0, 1), obs=x)


def layers(x, values, rng_key):
    keys = hk.next_rng_keys(5)

    def folded(carry, row):
        return carry + 1, hk.dropout(jax.random.fold_in(keys[0], carry), 0.5, row)

    def begun(carry, key):
        with hk.with_rng(key):
            return carry, hk.dropout(hk.next_rng_key(), 0.5, x)

    def seeded(key):
        with seed(rng_seed=key):
            return model()

    def halves(carry, row):
        first, second = jax.random.split(hk.next_rng_key())
        return carry, hk.dropout(first, 0.5, row) + hk.dropout(second, 0.5, row)

    return {expression}
"""


@pytest.mark.parametrize(
    ("expression", "is_found"),
    [
        ("jax.lax.scan(halves, 0, x)", True),
        ("jax.lax.map(lambda row: hk.dropout(hk.next_rng_key(), 0.5, row), x)", True),
        ("jax.vmap(lambda row: hk.dropout(hk.next_rng_key(), 0.5, row))(x)", True),
        ('jax.vmap(lambda row: row + numpyro.sample("z", dist.Normal(0, 1)))(x)', True),
        ('jax.lax.scan(lambda c, _: (c, numpyro.sample("z", dist.Normal(0, 1))), 0, x)', True),
        ("jax.lax.scan(lambda c, row: (c, hk.dropout(hk.next_rng_key(), 0.0, row)), 0, x)", False),
        ("jax.lax.fori_loop(0, 5, lambda i, v: v + jax.random.normal(keys[i]), 0.0)", False),
        ("jax.vmap(lambda k, row: hk.dropout(k, 0.5, row))(keys, x)", False),
        ("jax.lax.scan(folded, 0, x)", False),
        ("jax.lax.scan(begun, 0, keys)", False),
        ("hk.scan(halves, 0, x)", False),
        ("hk.vmap(lambda row: hk.dropout(hk.next_rng_key(), 0.5, row), split_rng=True)(x)", False),
        ("jax.lax.scan(lambda c, row: (c, model(row)), 0, x)", False),
        ("jax.vmap(lambda k: seed(model, k)())(keys)", False),
        ("jax.vmap(lambda k: trace(seed(model, k)).get_trace())(keys)", False),
        ("jax.vmap(seeded)(keys)", False),
        ("jax.lax.map(seeded, keys)", False),
        ("jax.vmap(lambda p: substitute(model, p)())(values)", False),
        ("jax.vmap(lambda p: replay(model, p)())(values)", False),
    ],
)
def test_keys_of_hidden_state_in_what_is_traced_once(expression: str, is_found: bool) -> None:
    text = TRACED.format(expression=expression)
    checked = check(Document("programs.py", text), min_confidence=Confidence.LIKELY)
    assert [report.finding.code for report in checked.reports] == ["OLY105"] * is_found


STATES = """\
import jax
from numpyro.infer import NUTS, SVI, Trace_ELBO


def program(model, guide, optimizer, rng_key, x):
    kernel, svi = NUTS(model), SVI(model, guide, optimizer, Trace_ELBO())
    state = svi.init(rng_key, x)
    update = jax.jit(svi.update)

    def step(state, x):
        return svi.update(state, x)

    {statement}
    return state, last
"""


@pytest.mark.parametrize(
    ("statement", "is_found"),
    [
        ("last = svi.update(state, x), svi.update(state, x)", True),
        ("last = [kernel.sample(state, (), {}) for _ in range(3)]", True),
        ("for _ in range(3): _, last = update(state, x)", True),
        ("last = jax.lax.fori_loop(0, 9, lambda i, total: total + svi.update(state, x)[1], 0.0)", True),
        ("last = step(state, x), step(state, x)", True),
        ("for _ in range(3): state, last = update(state, x)", False),
        ("state, last = jax.lax.scan(step, state, x); last = step(state, x)", False),
        ("last = jax.lax.fori_loop(0, 9, lambda i, state: svi.update(state, x)[0], state)", False),
        ("last = svi.get_params(state), svi.evaluate(state, x), svi.update(state, x)", False),
        ("last = kernel.sample(kernel.sample(state, (), {}), (), {})", False),
    ],
)
def test_a_state_that_holds_a_key(statement: str, is_found: bool) -> None:
    text = STATES.replace("{statement}", statement)
    checked = check(Document("programs.py", text), min_confidence=Confidence.LIKELY)
    assert [report.finding.code for report in checked.reports] == ["OLY104"] * is_found


COPIES = """\
import equinox as eqx
import jax
import jax.numpy as jnp


class Member(eqx.Module):
    layer: eqx.nn.Linear

    def __init__(self, key):
        self.layer = eqx.nn.Linear(3, 4, key=key)


def draws(seed, x):
    key = jax.random.key(seed)
    keys = jnp.stack([key] * 3)
    return {expression}
"""


@pytest.mark.parametrize(
    ("expression", "is_found"),
    [
        ("jax.vmap(Member)(keys)", True),
        ("jax.vmap(lambda k: eqx.nn.Linear(3, 4, key=k))(jnp.repeat(key[None], 3, axis=0))", True),
        ("jax.vmap(lambda k, row: eqx.nn.Linear(3, 4, key=k)(row))(keys, x)", False),
        ("jax.vmap(lambda k, i: eqx.nn.Linear(3, 4, key=k).weight + i)(keys, jnp.array([1, 2, 3]))", False),
        ("jax.vmap(jax.random.normal)(keys)", False),  # one start for all policies
        ("jax.pmap(Member)(keys)", False),
    ],
)
def test_members_that_are_made_of_nothing_but_copies_of_a_key(expression: str, is_found: bool) -> None:
    text = COPIES.format(expression=expression)
    checked = check(Document("programs.py", text), min_confidence=Confidence.LIKELY)
    assert [report.finding.code for report in checked.reports] == ["OLY105"] * is_found


SAMPLED = """\
import distrax
import jax
import numpyro.distributions as dist


def program(locations, dists, seed):
    key = jax.random.key(seed)
    keys = jax.random.split(jax.random.key(seed + 1), 3)
    return {expression}
"""


@pytest.mark.parametrize(
    ("expression", "is_found"),
    [
        ("jax.vmap(lambda loc: dist.Normal(loc, 1).sample(key))(locations)", True),
        ("jax.vmap(lambda loc: dist.Normal(loc, 1).expand((3,)).sample(key))(locations)", True),
        ("jax.vmap(lambda each: each.sample(key=key))(dists)", True),
        ("jax.vmap(lambda loc: distrax.Normal(loc, 1).sample_and_log_prob(seed=key)[0])(locations)", True),
        ("jax.vmap(lambda loc, k: dist.Normal(loc, 1).sample(k))(locations, keys)", False),
        ("jax.vmap(lambda loc: loc + dist.Normal(0, 1).sample(key))(locations)", False),  # one draw for all
        ("jax.vmap(lambda loc: distrax.Deterministic(loc).sample(seed=key))(locations)", False),
    ],
)
def test_lanes_that_sample_from_distributions_of_their_own(expression: str, is_found: bool) -> None:
    text = SAMPLED.format(expression=expression)
    checked = check(Document("programs.py", text), min_confidence=Confidence.LIKELY)
    assert [report.finding.code for report in checked.reports] == ["OLY105"] * is_found


GIVEN = """\
import copy

import jax
from flax import nnx


class Block(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.first = nnx.Dropout(0.5)
        self.second = nnx.Dropout(0.5)
        self.itself = self

    def __call__(self, x, rngs):
        return self.second(self.first(x, rngs=rngs), rngs=rngs)


def twice(x, rngs: nnx.Rngs | None = None):
    block = Block(rngs=rngs)
    return copy.deepcopy(block)(block(x, rngs=rngs), rngs=rngs)
"""


def test_rngs_that_are_handed_to_layers_count() -> None:
    checked = check(Document("given.py", GIVEN), min_confidence=Confidence.LIKELY)
    assert not checked.errors
    assert not checked.reports


SWITCHED = """\
from flax import nnx


def program(seed, x):
    layer = nnx.Dropout(0.5, rngs=nnx.Rngs(seed))
    {switch}
    first, other = layer(x), nnx.clone(layer)
    return first, layer(x), other(x)
"""


@pytest.mark.parametrize(
    ("switch", "is_found"),
    [("pass", True), ("layer.eval()", False), ("layer.eval(); layer(x); layer.train()", True)],
)
def test_a_module_that_is_off_stays_off_when_it_is_called(switch: str, is_found: bool) -> None:
    checked = check(Document("programs.py", SWITCHED.format(switch=switch)), min_confidence=Confidence.LIKELY)
    assert [report.finding.code for report in checked.reports] == ["OLY104"] * is_found


MAPPED = """\
import jax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(3, 3, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)


def program(x, key):
    model = Net(nnx.Rngs(params=0, dropout=key))
    axes = nnx.StateAxes({axes})

    @nnx.split_rngs(splits=4, only="{only}")
    @nnx.vmap(in_axes=(axes, 0))
    def forward(model, x):
        return model.{layer}(x)

    return forward(model, x)
"""


@pytest.mark.parametrize(
    ("axes", "only", "layer", "is_found"),
    [
        ('{"params": 0, ...: None}', "params", "dropout", True),
        ("{...: None}", "params", "dropout", True),
        ("{...: None}", "params", "linear", False),
        ('{"dropout": 0, ...: None}', "dropout", "dropout", False),
        ("{nnx.RngState: 0, ...: None}", "dropout", "dropout", False),
        ("{nnx.Param: None, ...: 0}", "dropout", "dropout", False),
    ],
)
def test_streams_that_the_axes_of_a_map_leave_common(axes: str, only: str, layer: str, is_found: bool) -> None:
    text = MAPPED.format(axes=axes, only=only, layer=layer)
    checked = check(Document("programs.py", text), min_confidence=Confidence.LIKELY)
    assert [report.finding.code for report in checked.reports] == ["OLY105"] * is_found


FALLBACK = """\
import jax
from flax import nnx


class Linear(nnx.Module):
    def __init__(self, size, *, rngs: nnx.Rngs | None = None):
        if rngs is None:
            rngs = nnx.Rngs(0)
        self.kernel = nnx.Param(jax.random.normal(rngs.params(), (size, size)))


class Block(nnx.Module):
    def __init__(self, *, rngs: nnx.Rngs{default}):
        self.gate = Linear(3, rngs=rngs)
        self.experts = nnx.List([Linear(3, rngs=rngs) for _ in range(4)])
"""


@pytest.mark.parametrize(("default", "is_found"), [("", False), (" | None = None", True)])
def test_what_an_annotation_requires_is_not_none(tmp_path: Path, default: str, is_found: bool) -> None:
    """Layers that fall back on a fixed seed were told to be equal where each gets the streams of its caller."""
    (tmp_path / "a.py").write_text(FALLBACK.format(default=default))
    done = command(tmp_path, "--isolated", "--no-cache", "--output-format", "concise", ".")
    assert ("OLY104" in done.stdout) == is_found


SEQUENCE = "seq = hk.PRNGSequence(key); state = seq.internal_state"
HANDED = """\
import dataclasses
from enum import IntEnum

import equinox as eqx
import flax.linen as nn
import haiku as hk
import jax
import numpyro
import numpyro.distributions as dist
import optax
from flax import nnx
from numpyro import handlers


class Stream(IntEnum):
    NOISE = 0
    MASK = {mask}


@dataclasses.dataclass
class Buffer:
    key: jax.Array
    draws: int = dataclasses.field(default=0)

    def sample(self):
        self.draws += 1
        return jax.random.normal(jax.random.fold_in(self.key, self.draws))


class Scaled(nn.Module):
    @nn.compact
    def __call__(self, x):
        rng, other = jax.random.split(self.make_rng("params"))
        a = self.param("a", lambda _: jax.random.normal(rng, x.shape))
        return a * self.param("b", lambda own, shape: jax.random.normal({made}, shape), x.shape)


class Shaken(nn.Module):
    def __call__(self, x):
        return x + jax.random.normal(self.make_rng("noise"), x.shape)


def model(x):
    first, second = numpyro.sample("a", dist.Normal(0, 1)), numpyro.sample("b", dist.Normal(0, 1))
    return first + second * x


def step(state, x):
    key, new = jax.random.split(state["key"])
    return {{**state, {written}: {value}}}, jax.random.normal(key, x.shape)


def program(seed, x, grads):
    key = jax.random.key(seed)
    k1, k2 = jax.random.split(jax.random.key(seed + 1))
    {statement}
    return result
"""
FORMS = {"mask": "1", "made": "own", "written": '"key"', "value": "new"}


@pytest.mark.parametrize(
    ("statement", "forms", "is_found"),
    [
        ("result = [jax.random.normal(jax.random.fold_in(key, s)) for s in (Stream.NOISE, Stream.MASK)]", {}, False),
        (
            "result = [jax.random.normal(jax.random.fold_in(key, s)) for s in (Stream.NOISE, Stream.MASK)]",
            {"mask": "0"},
            True,
        ),
        ("one = Buffer(key); result = one.sample(), dataclasses.replace(one).sample()", {}, False),
        ("one = Buffer(key); other = dataclasses.replace(one); result = one.sample(), other.sample()", {}, True),
        ("result = None", {"made": "rng"}, True),
        ("result = None", {"made": "other"}, False),
        ('m = Shaken(); result = [m.apply({}, x, rngs={s: key}) for s in ("params", "noise")]', {}, True),
        ('m = Shaken(); result = m.apply({}, x, rngs={"params": key}), m.apply({}, x, rngs={"noise": k1})', {}, False),
        ("d = nnx.Dropout(0.5); result = d(x, rngs=k1), d(x, rngs=k1)", {}, True),
        ("d = nnx.Dropout(0.5); result = d(x, rngs=k1), d(x, rngs=k2)", {}, False),
        (
            "m = eqx.nn.Sequential([eqx.nn.Dropout(0.5), eqx.nn.Lambda(abs), eqx.nn.Dropout(0.5)])\n"
            "    result = [layer(x, key=key) for layer in m.layers]",
            {},
            True,
        ),
        (
            "m = eqx.nn.Sequential([eqx.nn.Dropout(0.5), eqx.nn.Lambda(abs), eqx.nn.Identity()])\n"
            "    result = [layer(x, key=key) for layer in m.layers]",
            {},
            False,
        ),
        (
            "m = handlers.substitute(handlers.seed(model, key), {'a': 1.0}); result = m(x), m(x)",
            {},
            True,
        ),
        (
            "m = handlers.substitute(handlers.seed(model, key), {'a': 1.0, 'b': 1.0}); result = m(x), m(x)",
            {},
            False,
        ),
        (
            "tx = optax.add_noise(1, 1, key); s = tx.init(x); result = tx.update(grads, s), tx.update(grads, s)",
            {},
            True,
        ),
        ("tx = optax.add_noise(1, 1, key); s = tx.init(x); result, s = tx.update(grads, s)", {}, False),
        ("keys = hk.PRNGSequence(key).take(2); result = [jax.random.normal(k) for k in keys]", {}, False),
        (f"{SEQUENCE}; a = next(seq); seq.replace_internal_state(state); result = a, next(seq)", {}, True),
        (f"{SEQUENCE}; a = seq.take(2); seq.replace_internal_state(state); result = a, seq.take(2)", {}, True),
        (f"{SEQUENCE}; a = next(seq); seq.replace_internal_state(seq.internal_state); result = next(seq)", {}, False),
        (f"{SEQUENCE}\n    for _ in range(3): result = next(seq)\n    seq.replace_internal_state(state)", {}, False),
        (f"{SEQUENCE}\n    for _ in range(3): seq.replace_internal_state(state); result = next(seq)", {}, True),
        (f"{SEQUENCE}; other = hk.PRNGSequence(key); other.replace_internal_state(x); result = next(seq)", {}, False),
        (f"{SEQUENCE}; other = hk.PRNGSequence(key); result = next(other); other.replace_internal_state(x)", {}, True),
        (
            "keys = hk.PRNGSequence(key).take(2); result = [jax.random.normal(k) for k in keys]\n"
            "    result += [jax.random.normal(keys[i]) for i in range(2)]",
            {},
            True,
        ),
        ('state = {"key": key}; state, one = step(state, x); state, result = step(state, x)', {}, False),
        (
            'state = {"key": key}; state, one = step(state, x); state, result = step(state, x)',
            {"written": '"count"', "value": "1"},
            True,
        ),
    ],
)
def test_what_libraries_are_handed(statement: str, forms: dict[str, str], is_found: bool) -> None:
    text = HANDED.format(statement=statement, **FORMS | forms)
    checked = check(Document("programs.py", text), min_confidence=Confidence.LIKELY)
    assert not checked.errors
    assert any(report.finding.code in MISUSE for report in checked.reports) == is_found


COMPILED = """\
import haiku as hk
import jax
import numpyro
import numpyro.distributions as dist
from numpyro.handlers import seed


def program(x, k1, k2):
    def seeded(key):
        with seed(rng_seed=key):
            return numpyro.sample("z", dist.Normal(0, 1))

    drop = lambda x: hk.dropout(hk.next_rng_key(), 0.5, x)
    given = jax.jit(lambda key, x: hk.dropout(key, 0.5, x))
    {statement}
"""


@pytest.mark.parametrize(
    ("statement", "is_found"),
    [
        ("drop = jax.jit(drop); return drop(x), drop(x)", True),
        ("drop = hk.jit(drop); return drop(x), drop(x)", False),
        ("return jax.jit(drop)(x), jax.jit(drop)(x)", False),
        ("return given(hk.next_rng_key(), x), given(hk.next_rng_key(), x)", False),
        ("simulate = jax.jit(seeded); return simulate(k1), simulate(k2)", False),
    ],
)
def test_a_compiled_function_keeps_the_key_of_its_first_call(statement: str, is_found: bool) -> None:
    text = COMPILED.format(statement=statement)
    checked = check(Document("programs.py", text), min_confidence=Confidence.LIKELY)
    assert [report.finding.code for report in checked.reports] == ["OLY105"] * is_found
