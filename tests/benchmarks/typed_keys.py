"""Call functions of libraries with raw and with typed keys: ``python tests/benchmarks/typed_keys.py flax blackjax``.

This is what ``since`` and ``except`` in the sections ``[typed-keys]`` of the signature packs rest on. For each call
the answer is ``same`` (both kinds give the same numbers), ``different``, ``typed raises`` or ``raw raises``, which
says that the call is wrong. Libraries that are not installed are left out.
"""

from __future__ import annotations

import argparse
import importlib
import io
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np

Call: TypeAlias = Callable[[Any], Any]
Calls: TypeAlias = Iterator[tuple[str, Call]]

RAW = jax.random.PRNGKey(0)
TYPED = jax.random.key(0)
X = jnp.ones((2, 2))


def energy(x: jax.Array) -> jax.Array:
    """Return minus the logarithm of a density, but for its sign."""
    return -jnp.sum(x**2)


def equinox_calls(eqx: ModuleType) -> Calls:
    layers = {
        "Linear": lambda key: eqx.nn.Linear(2, 3, key=key),
        "MLP": lambda key: eqx.nn.MLP(2, 3, 4, 2, key=key),
        "Conv2d": lambda key: eqx.nn.Conv2d(2, 3, 3, key=key),
        "GRUCell": lambda key: eqx.nn.GRUCell(2, 3, key=key),
        "MultiheadAttention": lambda key: eqx.nn.MultiheadAttention(2, 4, key=key),
    }
    yield from layers.items()
    yield "Dropout", lambda key: eqx.nn.Dropout(0.5)(jnp.ones(8), key=key)
    yield "filter_jit", lambda key: eqx.filter_jit(jax.random.normal)(key)
    yield "filter_vmap", lambda key: eqx.filter_vmap(jax.random.normal)(jax.random.split(key))
    yield "partition", lambda key: eqx.combine(*eqx.partition({"key": key, "x": 1.0}, eqx.is_array))

    def stored(key: Any) -> Any:
        file = io.BytesIO()
        eqx.tree_serialise_leaves(file, key)
        file.seek(0)
        return eqx.tree_deserialise_leaves(file, key)

    yield "tree_serialise_leaves", stored


def flax_calls(flax: ModuleType) -> Calls:
    nn, nnx = importlib.import_module("flax.linen"), importlib.import_module("flax.nnx")
    dropout, dense = nn.Dropout(0.5, deterministic=False), nn.Dense(3)
    yield "linen init", lambda key: dense.init(key, X)
    yield "linen apply", lambda key: dropout.apply({}, X, rngs={"dropout": key})
    split = nn.vmap(nn.Dense, variable_axes={"params": 0}, split_rngs={"params": True})
    yield "linen vmap", lambda key: split(3).init(key, X)
    yield "linen remat", lambda key: nn.remat(nn.Dense)(3).init(key, X)
    yield "linen RNN", lambda key: nn.RNN(nn.LSTMCell(3)).init(key, jnp.ones((2, 4, 3)))
    yield "nnx Rngs", lambda key: nnx.Linear(2, 3, rngs=nnx.Rngs(key)).kernel[...]
    yield "nnx Dropout", lambda key: nnx.Dropout(0.5, rngs=nnx.Rngs(key))(jnp.ones(8))
    yield "jax_utils.replicate", lambda key: importlib.import_module("flax.jax_utils").replicate(key)
    serialization = importlib.import_module("flax.serialization")
    yield "serialization.to_bytes", lambda key: serialization.from_bytes(key, serialization.to_bytes(key))


def haiku_calls(hk: ModuleType) -> Calls:
    def noise(x: Any = 0.0) -> Any:
        return x + jax.random.normal(hk.next_rng_key())

    model = hk.transform(lambda x: hk.dropout(hk.next_rng_key(), 0.5, hk.Linear(3)(x)))
    parameters = model.init(RAW, X)
    yield "init", lambda key: model.init(key, X)
    yield "apply", lambda key: model.apply(parameters, key, X)
    yield "PRNGSequence", lambda key: hk.PRNGSequence(key).take(3)
    yield "next_rng_keys", lambda key: hk.transform(lambda: hk.next_rng_keys(3)).apply({}, key)
    yield "vmap", lambda key: hk.transform(lambda: hk.vmap(noise, split_rng=True)(jnp.ones(3))).apply({}, key)
    yield "remat", lambda key: hk.transform(lambda: hk.remat(noise)(1.0)).apply({}, key)
    yield "cond", lambda key: hk.transform(lambda: hk.cond(True, noise, lambda x: x, 1.0)).apply({}, key)
    yield (
        "scan",
        lambda key: hk.transform(lambda: hk.scan(lambda c, _: (c, noise()), 0.0, None, length=3)).apply({}, key),
    )


def optax_calls(optax: ModuleType) -> Calls:
    yield "tree.random_like", lambda key: optax.tree.random_like(key, X)
    yield "perturbations.Normal", lambda key: optax.perturbations.Normal().sample(key, (3,))
    yield "perturbations", lambda key: optax.perturbations.make_perturbed_fun(jnp.sign, 10)(key, jnp.ones(3))


def distrax_calls(distrax: ModuleType) -> Calls:
    made = {
        "Normal": distrax.Normal(0.0, 1.0),
        "Categorical": distrax.Categorical(jnp.ones(3)),
        "Bernoulli": distrax.Bernoulli(0.3),
        "Gamma": distrax.Gamma(1.0, 1.0),
        "Dirichlet": distrax.Dirichlet(jnp.ones(3)),
        "MultivariateNormalDiag": distrax.MultivariateNormalDiag(jnp.zeros(2), jnp.ones(2)),
        "Transformed": distrax.Transformed(distrax.Normal(0.0, 1.0), distrax.Tanh()),
        "Joint": distrax.Joint({"a": distrax.Normal(0.0, 1.0)}),
    }
    for name, distribution in made.items():
        yield name, lambda key, d=distribution: d.sample(seed=key, sample_shape=(3,))


def tensorflow_probability_calls(_: ModuleType) -> Calls:
    tfp = importlib.import_module("tensorflow_probability.substrates.jax")
    tfd = tfp.distributions
    made = {
        "Normal": tfd.Normal(0.0, 1.0),
        "Beta": tfd.Beta(1.0, 1.0),
        "Poisson": tfd.Poisson(1.0),
        "TruncatedNormal": tfd.TruncatedNormal(0.0, 1.0, -1.0, 1.0),
        "MultivariateNormalDiag": tfd.MultivariateNormalDiag(jnp.zeros(2), jnp.ones(2)),
        "JointDistributionSequential": tfd.JointDistributionSequential([tfd.Normal(0.0, 1.0)]),
    }
    for name, distribution in made.items():
        yield name, lambda key, d=distribution: d.sample(3, seed=key)
    kernel = tfp.mcmc.HamiltonianMonteCarlo(energy, 0.1, 3)
    yield "sample_chain", lambda key: tfp.mcmc.sample_chain(5, 0.0, kernel=kernel, trace_fn=None, seed=key)
    yield "split_seed", lambda key: tfp.random.split_seed(key)


def diffrax_calls(diffrax: ModuleType) -> Calls:
    yield "VirtualBrownianTree", lambda key: diffrax.VirtualBrownianTree(0.0, 1.0, 1e-2, (2,), key).evaluate(0.0, 0.5)
    yield "UnsafeBrownianPath", lambda key: diffrax.UnsafeBrownianPath((2,), key=key).evaluate(0.0, 0.5)


def chex_calls(chex: ModuleType) -> Calls:
    for name in ("equal", "equal_shapes_and_dtypes", "close", "close_ulp"):
        check = getattr(chex, f"assert_trees_all_{name}")
        yield f"assert_trees_all_{name}", lambda key, check=check: check({"key": key}, {"key": key})
    yield "assert_tree_all_finite", lambda key: chex.assert_tree_all_finite({"key": key})


def blackjax_calls(blackjax: ModuleType) -> Calls:
    position, ones = jnp.ones(2), jnp.ones(2)
    samplers = {
        "hmc": blackjax.hmc(energy, 0.1, ones, 3),
        "nuts": blackjax.nuts(energy, 0.1, ones),
        "mala": blackjax.mala(energy, 0.1),
        "elliptical_slice": blackjax.elliptical_slice(energy, mean=jnp.zeros(2), cov=jnp.eye(2)),
    }
    for name, sampler in samplers.items():
        yield name, lambda key, s=sampler: s.step(key, s.init(position))[0].position
    adaptation = blackjax.window_adaptation(blackjax.nuts, energy)
    yield "window_adaptation", lambda key: adaptation.run(key, position, 20)[0].state.position
    yield "pathfinder", lambda key: blackjax.vi.pathfinder.approximate(key, energy, position)[0].position
    yield "resampling", lambda key: blackjax.smc.resampling.systematic(key, jnp.ones(4) / 4, 4)


def numpyro_calls(numpyro: ModuleType) -> Calls:
    infer = importlib.import_module("numpyro.infer")
    dist = importlib.import_module("numpyro.distributions")

    def model() -> None:
        x = numpyro.sample("x", dist.Normal(0, 1))
        numpyro.sample("y", dist.Normal(x, 1), obs=1.0)

    def chain(kernel: Any, **options: Any) -> Call:
        def run(key: Any) -> Any:
            mcmc = infer.MCMC(kernel(model), num_warmup=5, num_samples=5, progress_bar=False, **options)
            mcmc.run(key)
            return mcmc.get_samples()

        return run

    yield "sample", lambda key: dist.Gamma(1.0, 1.0).sample(key, (3,))
    yield "handlers.seed", lambda key: numpyro.handlers.seed(numpyro.prng_key, key)()
    yield "Predictive", lambda key: infer.Predictive(model, num_samples=3)(key)
    yield from {name: chain(getattr(infer, name)) for name in ("NUTS", "HMC", "SA", "BarkerMH")}.items()
    yield "chains", chain(infer.NUTS, num_chains=2, chain_method="vectorized")


def rlax_calls(rlax: ModuleType) -> Calls:
    logits = jnp.ones(3)
    yield "categorical_sample", lambda key: rlax.categorical_sample(key, jax.nn.softmax(logits))
    yield "softmax", lambda key: rlax.softmax().sample(key, logits)
    yield "epsilon_greedy", lambda key: rlax.epsilon_greedy(0.1).sample(key, logits)
    yield "gaussian_diagonal", lambda key: rlax.gaussian_diagonal().sample(key, jnp.zeros(2), jnp.ones(2))


def mctx_calls(mctx: ModuleType) -> Calls:
    zeros, logits = jnp.zeros(2), jnp.zeros((2, 3))
    root = mctx.RootFnOutput(prior_logits=logits, value=zeros, embedding=zeros)

    def step(_: Any, key: Any, action: Any, embedding: Any) -> Any:
        reward = jax.random.normal(key, (2,))
        output = mctx.RecurrentFnOutput(reward=reward, discount=jnp.ones(2), prior_logits=logits, value=zeros)
        return output, embedding

    for name in ("muzero_policy", "gumbel_muzero_policy"):
        policy = getattr(mctx, name)
        yield name, lambda key, p=policy: p(None, key, root, step, num_simulations=4).action_weights


def environment_calls(module: ModuleType, names: tuple[str, ...]) -> Calls:
    """Return a reset and a step of environments with the interface of gymnax."""
    for name in names:

        def episode(key: Any, name: str = name) -> Any:
            env, params = module.make(name)
            _, state = env.reset(key, params)
            return env.step(key, state, env.action_space(params).sample(key), params)[0]

        yield name, episode


def gymnax_calls(gymnax: ModuleType) -> Calls:
    if not hasattr(jax, "tree_map"):  # gymnax 0.0.8 is older than its removal
        jax.tree_map = jax.tree.map
    yield from environment_calls(gymnax, ("CartPole-v1", "Pendulum-v1", "Breakout-MinAtar", "Catch-bsuite"))


def jumanji_calls(jumanji: ModuleType) -> Calls:
    for name in ("Snake-v1", "Game2048-v1", "Maze-v0", "Knapsack-v1", "TSP-v1"):
        yield name, lambda key, name=name: jumanji.make(name).reset(key)[1].observation


def jaxmarl_calls(jaxmarl: ModuleType) -> Calls:
    for name in ("MPE_simple_spread_v3", "switch_riddle", "overcooked", "hanabi"):

        def episode(key: Any, name: str = name) -> Any:
            env = jaxmarl.make(name)
            _, state = env.reset(key)
            return env.step(key, state, {agent: env.action_space(agent).sample(key) for agent in env.agents})[0]

        yield name, episode


def craftax_calls(_: ModuleType) -> Calls:
    module = importlib.import_module("craftax.craftax_env")

    def episode(key: Any) -> Any:
        env = module.make_craftax_env_from_name("Craftax-Classic-Symbolic-v1", auto_reset=True)
        _, state = env.reset(key, env.default_params)
        return env.step(key, state, env.action_space(env.default_params).sample(key), env.default_params)[0]

    yield "Classic-Symbolic", episode


def flashbax_calls(flashbax: ModuleType) -> Calls:
    for name in ("item", "flat"):
        buffer = getattr(flashbax, f"make_{name}_buffer")(10, 2, 2)
        state = buffer.init({"x": jnp.zeros(2)})
        for number in range(8):
            state = buffer.add(state, {"x": jnp.full(2, float(number))})
        yield name, lambda key, b=buffer, s=state: b.sample(s, key).experience


def evosax_calls(evosax: ModuleType) -> Calls:
    for name in ("CMA_ES", "OpenES", "SimpleGA", "PSO", "DE"):

        def generation(key: Any, name: str = name) -> Any:
            strategy = getattr(evosax, name)(popsize=8, num_dims=3)
            parameters = strategy.default_params
            population, state = strategy.ask(key, strategy.initialize(key, parameters), parameters)
            state = strategy.tell(population, jnp.sum(population**2, 1), state, parameters)
            return strategy.ask(key, state, parameters)[0]

        yield name, generation


def dynamax_calls(_: ModuleType) -> Calls:
    hmm = importlib.import_module("dynamax.hidden_markov_model").GaussianHMM(2, 2)
    yield "GaussianHMM.initialize", lambda key: hmm.initialize(key)[0]
    yield "GaussianHMM.sample", lambda key: hmm.sample(hmm.initialize(RAW)[0], key, 5)


def qdax_calls(_: ModuleType) -> Calls:
    operators = importlib.import_module("qdax.core.emitters.mutation_operators")
    genes = jnp.full((4, 3), 0.5)
    yield "isoline_variation", lambda key: operators.isoline_variation(genes, genes, key, 0.1, 0.1)
    yield "polynomial_mutation", lambda key: operators.polynomial_mutation(genes, key, 0.5, 1.0, 0.0, 1.0)


def gpjax_calls(gpjax: ModuleType) -> Calls:
    data = gpjax.Dataset(jnp.ones((10, 1)), jnp.ones((10, 1)))
    yield "get_batch", lambda key: importlib.import_module("gpjax.fit").get_batch(data, 3, key).X


def orbax_calls(_: ModuleType) -> Calls:
    import pathlib
    import tempfile

    checkpoint = importlib.import_module("orbax.checkpoint")

    def stored(key: Any) -> Any:
        path = pathlib.Path(tempfile.mkdtemp()) / "checkpoint"
        with checkpoint.StandardCheckpointer() as checkpointer:
            checkpointer.save(path, {"key": key})
            checkpointer.wait_until_finished()
            return checkpointer.restore(path, {"key": key})

    yield "StandardCheckpointer", stored


LIBRARIES: dict[str, Callable[[ModuleType], Calls]] = {
    name.removesuffix("_calls"): function
    for name, function in globals().items()
    if name.endswith("_calls") and name != "environment_calls"
}


def arrays(tree: Any) -> list[np.ndarray]:
    """Return the arrays of a tree, the words of typed keys in their place."""
    leaves = [leaf for leaf in jax.tree.leaves(tree) if isinstance(leaf, jax.Array)]
    keys = (jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key) for leaf in leaves)
    return [np.asarray(jax.random.key_data(leaf) if key else leaf) for leaf, key in zip(leaves, keys, strict=True)]


def verdict(call: Call) -> str:
    """Return what becomes of a call with keys of either kind."""
    try:
        expected = arrays(call(RAW))
    except Exception as error:
        return f"raw raises {type(error).__name__}: {error}"
    try:
        found = arrays(call(TYPED))
    except Exception as error:
        return f"typed raises {type(error).__name__}: {error}"
    same = len(found) == len(expected) and all(map(np.array_equal, found, expected))
    return "same" if same else "different"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("libraries", nargs="*", choices=[[], *LIBRARIES], metavar="LIBRARY")
    for name in parser.parse_args().libraries or LIBRARIES:
        try:
            module = importlib.import_module(name)
        except ImportError as error:
            print(f"{name}: not here ({error})")
            continue
        for what, call in LIBRARIES[name](module):
            print(f"{name} {getattr(module, '__version__', '')} {what}: {verdict(call)[:100]}", flush=True)


if __name__ == "__main__":
    main()
