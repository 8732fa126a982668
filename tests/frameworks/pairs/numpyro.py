"""Random keys in programs of NumPyro: seed handlers, inference, predictions, and distributions."""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from jax import random
from numpyro import handlers
from numpyro.contrib.control_flow import scan
from numpyro.infer import HMC, MCMC, SVI, Predictive, Trace_ELBO
from numpyro.infer.autoguide import AutoNormal
from numpyro.infer.util import initialize_model, log_density

x_data = jnp.linspace(-1.0, 1.0, 6)
y_data = 2.0 * x_data + 0.5


def regression(x, y=None):
    slope = numpyro.sample("slope", dist.Normal(0.0, 1.0))
    intercept = numpyro.sample("intercept", dist.Normal(0.0, 1.0))
    with numpyro.plate("data", x.shape[0]):
        return numpyro.sample("y", dist.Normal(slope * x + intercept, 0.5), obs=y)


def prior():
    return numpyro.sample("theta", dist.Normal(0.0, 1.0).expand([5]).to_event(1))


def two_sites():
    a = numpyro.sample("a", dist.Normal(0.0, 1.0))
    b = numpyro.sample("b", dist.Normal(0.0, 1.0))
    return a, b


def new_mcmc(num_chains: int = 1) -> MCMC:
    kernel = HMC(regression, trajectory_length=None, num_steps=2, adapt_mass_matrix=False)
    return MCMC(
        kernel, num_warmup=2, num_samples=4, num_chains=num_chains, chain_method="vectorized", progress_bar=False
    )


def new_svi(guide=None) -> SVI:
    return SVI(regression, guide or AutoNormal(regression), numpyro.optim.Adam(0.01), Trace_ELBO())


# seed handlers


def wrong_seed_twice(rng_key):
    """Two handlers of one key: the model draws the same."""
    first = handlers.seed(prior, rng_key)()
    second = handlers.seed(prior, rng_key)()
    return first, second


def right_seed_twice(rng_key):
    """Two handlers of two keys."""
    k1, k2 = random.split(rng_key)
    first = handlers.seed(prior, k1)()
    second = handlers.seed(prior, k2)()
    return first, second


def wrong_seeded_model_again(rng_key):
    """A seeded model begins with its key in each call."""
    seeded = handlers.seed(prior, rng_key)
    return seeded(), seeded()


def right_seeded_model_again(rng_key):
    """The model is called twice within one handler, which goes on."""
    with handlers.seed(rng_seed=rng_key):
        return prior(), prior()


def wrong_with_seed(rng_key):
    """Two blocks with one seed."""
    with handlers.seed(rng_seed=rng_key):
        train = prior()
    with handlers.seed(rng_seed=rng_key):
        test = prior()
    return train, test


def right_with_seed(rng_key):
    """Two blocks with one handler: the second goes on where the first ended."""
    seeded = handlers.seed(rng_seed=rng_key)
    with seeded:
        train = prior()
    with seeded:
        test = prior()
    return train, test


def wrong_integer_seed():
    """An integer is the seed of a key."""
    with numpyro.handlers.seed(rng_seed=0):
        first = prior()
    second = numpyro.handlers.seed(prior, random.PRNGKey(0))()
    return first, second


def right_integer_seed():
    """Two integers."""
    with numpyro.handlers.seed(rng_seed=0):
        first = prior()
    second = numpyro.handlers.seed(prior, random.PRNGKey(1))()
    return first, second


def wrong_seed_in_loop():
    """The handler is made in the loop, with a constant seed."""
    draws = []
    for _ in range(3):
        with handlers.seed(rng_seed=1):
            draws.append(numpyro.sample("x", dist.Gamma(2.0, 1.0)))
    return tuple(draws)


def right_seed_in_loop():
    """The loop is in the block of the handler."""
    draws = []
    with handlers.seed(rng_seed=1):
        for _ in range(3):
            draws.append(numpyro.sample("x", dist.Gamma(2.0, 1.0)))
    return tuple(draws)


def wrong_seed_within_model(rng_key):
    """The model seeds its parts itself, with one key."""

    def model():
        with handlers.seed(rng_seed=rng_key):
            a = numpyro.sample("a", dist.Normal(0.0, 1.0))
        with handlers.seed(rng_seed=rng_key):
            b = numpyro.sample("b", dist.Normal(0.0, 1.0))
        return a, b

    return handlers.seed(model, 0)()


def right_seed_within_model(rng_key):
    """The handler around the model splits its key for each site."""
    return handlers.seed(two_sites, rng_key)()


def wrong_trace(rng_key):
    """Two traces of one seeded model hold equal values."""
    model = handlers.seed(regression, rng_key)
    first = handlers.trace(model).get_trace(x_data)
    second = handlers.trace(model).get_trace(x_data)
    return first["y"]["value"], second["y"]["value"]


def right_trace(rng_key):
    """The sites of one trace have keys of their own."""
    trace = handlers.trace(handlers.seed(regression, rng_key)).get_trace(x_data)
    return trace["slope"]["value"], trace["intercept"]["value"], trace["y"]["value"]


def wrong_substitute(rng_key):
    """Only the slope is substituted: the intercept is drawn twice from one key."""
    seeded = handlers.seed(regression, rng_key)
    traces = [handlers.trace(handlers.substitute(seeded, {"slope": s})).get_trace(x_data) for s in (0.0, 1.0)]
    return tuple(trace["intercept"]["value"] for trace in traces)


def right_substitute(rng_key):
    """The second run substitutes what would be drawn, and so draws nothing."""
    seeded = handlers.seed(prior, rng_key)
    drawn = seeded()
    return drawn, handlers.substitute(seeded, {"theta": jnp.ones(5)})()


def wrong_condition(rng_key):
    """The observed site is conditioned on, but the slope is drawn twice with one key."""
    model = handlers.condition(regression, {"y": y_data})
    first = handlers.trace(handlers.seed(model, rng_key)).get_trace(x_data)
    second = handlers.trace(handlers.seed(regression, rng_key)).get_trace(x_data, y_data)
    return first["slope"]["value"], second["slope"]["value"]


def right_condition(rng_key):
    """All sites are conditioned on."""
    data = {"a": jnp.float32(1.0), "b": jnp.float32(2.0)}
    a, b = handlers.seed(handlers.condition(two_sites, data), rng_key)()
    return a, b, *handlers.seed(two_sites, rng_key)()


def wrong_prng_key_kept(rng_key):
    """prng_key is called once, and its key used twice."""
    with handlers.seed(rng_seed=rng_key):
        k = numpyro.prng_key()
        return random.normal(k, (3,)), random.normal(k, (3,))


def right_prng_key_kept(rng_key):
    """prng_key gives another key in each call."""
    with handlers.seed(rng_seed=rng_key):
        return random.normal(numpyro.prng_key(), (3,)), random.normal(numpyro.prng_key(), (3,))


def wrong_rng_key_of_sample(rng_key):
    """Two sites are given one key."""

    def model():
        a = numpyro.sample("a", dist.Normal(0.0, 1.0), rng_key=rng_key)
        b = numpyro.sample("b", dist.Normal(0.0, 1.0), rng_key=rng_key)
        return a, b

    return model()


def right_rng_key_of_sample(rng_key):
    """The second site is observed, and draws nothing with its key."""

    def model():
        a = numpyro.sample("a", dist.Normal(0.0, 1.0), rng_key=rng_key)
        b = numpyro.sample("b", dist.Normal(0.0, 1.0), rng_key=rng_key, obs=jnp.float32(0.0))
        return a, b

    return model()


def wrong_vmap_in_model(rng_key):
    """The model maps over the data with vmap: its site is traced once, with one key."""

    def model(x):
        return jax.vmap(lambda xi: xi + numpyro.sample("noise", dist.Normal(0.0, 1.0)))(x)

    return tuple(handlers.seed(model, rng_key)(jnp.zeros(3)))


def right_vmap_in_model(rng_key):
    """The plate gives the site its size."""

    def model(x):
        with numpyro.plate("data", x.shape[0]):
            return x + numpyro.sample("noise", dist.Normal(0.0, 1.0))

    return tuple(handlers.seed(model, rng_key)(jnp.zeros(3)))


def wrong_scan_in_model(rng_key):
    """lax.scan traces its body once: the site has the same key in each step."""

    def model():
        def transition(z, _):
            step = numpyro.sample("step", dist.Normal(0.0, 1.0))
            return z + step, step

        return jax.lax.scan(transition, 0.0, None, length=4)[1]

    return tuple(handlers.seed(model, rng_key)())


def right_scan_in_model(rng_key):
    """NumPyro's scan splits the key of its handler from step to step."""

    def model():
        def transition(z, _):
            step = numpyro.sample("step", dist.Normal(0.0, 1.0))
            return z + step, step

        return scan(transition, 0.0, None, length=4)[1]

    return tuple(handlers.seed(model, rng_key)())


# distributions


def wrong_sample_twice(key):
    """A distribution has no state."""
    normal = dist.Normal(0, 1)
    return normal.sample(key), normal.sample(key)


def right_sample_twice(key):
    """Two draws from one key, by their shape."""
    return tuple(dist.Normal(0, 1).sample(key, (2,)))


def wrong_two_distributions(key: jax.Array):
    """Two objects of one distribution draw the same from one key."""
    weights = dist.Laplace(0.0, 1.0).expand([6]).sample(key)
    biases = dist.Laplace(0.0, 1.0).sample(key, sample_shape=(6,))
    return weights, biases


def right_two_distributions(key: jax.Array):
    """The second distribution is a point, and draws nothing."""
    weights = dist.Laplace(0.0, 1.0).expand([6]).sample(key)
    biases = dist.Delta(jnp.zeros(6)).sample(key)
    return weights, biases


def wrong_loop_over_distributions(key):
    """All arms of the bandit draw with one key."""
    arms = [dist.Beta(2.0, 3.0) for _ in range(3)]
    return tuple(arm.sample(key, (4,)) for arm in arms)


def right_loop_over_distributions(key):
    """zip gives each arm a key."""
    arms = [dist.Beta(2.0, 3.0) for _ in range(3)]
    return tuple(arm.sample(k, (4,)) for arm, k in zip(arms, random.split(key, len(arms))))


def wrong_sample_in_vmap(key):
    """vmap over the locations, one key for all: the noise is common."""
    locations = jnp.zeros(3)
    return tuple(jax.vmap(lambda loc: dist.Normal(loc, 1.0).sample(key))(locations))


def right_sample_in_vmap(key):
    """A batch of locations in one distribution."""
    return tuple(dist.Normal(jnp.zeros(3), 1.0).sample(key))


def wrong_proposal(key):
    """Proposals of the random walk are equal, since the key stays."""
    steps, position = [], jnp.zeros(4)
    for _ in range(3):
        step = dist.MultivariateNormal(jnp.zeros(4), jnp.eye(4)).sample(key)
        position = position + step
        steps.append(step)
    return tuple(steps)


def right_proposal(key):
    """The walk splits its key."""
    steps, position = [], jnp.zeros(4)
    for _ in range(3):
        key, subkey = random.split(key)
        step = dist.MultivariateNormal(jnp.zeros(4), jnp.eye(4)).sample(subkey)
        position = position + step
        steps.append(step)
    return tuple(steps)


# inference


def wrong_mcmc_run_twice(rng_key):
    """The second run repeats the first."""
    mcmc = new_mcmc()
    mcmc.run(rng_key, x_data, y_data)
    first = mcmc.get_samples()["slope"]
    mcmc.run(rng_key, x_data, y_data)
    return first, mcmc.get_samples()["slope"]


def right_mcmc_run_twice(rng_key):
    """The second run has the key of the last state."""
    mcmc = new_mcmc()
    mcmc.run(rng_key, x_data, y_data)
    first = mcmc.get_samples()["slope"]
    mcmc.run(mcmc.last_state.rng_key, x_data, y_data)
    return first, mcmc.get_samples()["slope"]


def wrong_mcmc_chains(rng_key):
    """Chains that are run one after the other, with one key, are one chain."""
    chains = []
    for _ in range(2):
        mcmc = new_mcmc()
        mcmc.run(rng_key, x_data, y_data)
        chains.append(mcmc.get_samples()["intercept"])
    return tuple(chains)


def right_mcmc_chains(rng_key):
    """MCMC splits its key over its chains."""
    mcmc = new_mcmc(num_chains=2)
    mcmc.run(rng_key, x_data, y_data)
    return tuple(mcmc.get_samples(group_by_chain=True)["intercept"])


def wrong_predictive_twice(rng_key):
    """Two calls with one key give the same draws."""
    predictive = Predictive(regression, num_samples=3)
    return predictive(rng_key, x_data)["y"], predictive(rng_key, x_data)["y"]


def right_predictive_twice(rng_key):
    """The calls have split keys."""
    predictive = Predictive(regression, num_samples=3)
    key_prior, key_test = random.split(rng_key)
    return predictive(key_prior, x_data)["y"], predictive(key_test, x_data)["y"]


def wrong_two_predictives():
    """Prior draws for training and for test are equal."""
    train = Predictive(prior, num_samples=4)(random.PRNGKey(1))
    test = Predictive(prior, num_samples=4)(random.PRNGKey(1))
    return train["theta"], test["theta"]


def right_two_predictives():
    """One call: each draw of it has its key."""
    return tuple(Predictive(prior, num_samples=4)(random.PRNGKey(1))["theta"])


def wrong_posterior_predictive(rng_key):
    """The noise of the predictions is the same for both sets of posterior samples."""
    posterior = {"slope": jnp.zeros(3), "intercept": jnp.zeros(3)}
    one = Predictive(regression, posterior, return_sites=["y"])(rng_key, x_data)
    other = Predictive(regression, posterior_samples=posterior)(rng_key, x_data)
    return one["y"], other["y"]


def right_posterior_predictive(rng_key):
    """The second set holds the predictions as well, and nothing is left to draw."""
    posterior = {"slope": jnp.zeros(3), "intercept": jnp.zeros(3)}
    known = {**posterior, "y": jnp.zeros((3, 6))}
    one = Predictive(regression, posterior, return_sites=["y"])(rng_key, x_data)
    other = Predictive(regression, known, return_sites=["y"])(rng_key, x_data)
    return one["y"], other["y"]


def wrong_svi_init(rng_key):
    """Two states of one key have equal keys and equal first losses."""
    svi = new_svi()
    losses = []
    for _ in range(2):
        state = svi.init(rng_key, x_data, y_data)
        _, loss = svi.update(state, x_data, y_data)
        losses.append(loss)
    return tuple(losses)


def right_svi_init(rng_key):
    """One state, whose key is split by each update."""
    svi = new_svi()
    state = svi.init(rng_key, x_data, y_data)
    losses = []
    for _ in range(2):
        state, loss = svi.update(state, x_data, y_data)
        losses.append(loss)
    return tuple(losses)


def wrong_svi_update(rng_key):
    """The state of the first update is dropped, so the second draws the same."""
    svi = new_svi()
    state = svi.init(rng_key, x_data, y_data)
    _, first = svi.update(state, x_data, y_data)
    _, second = svi.update(state, x_data, y_data)
    return first, second


def right_svi_update(rng_key):
    """The loss is evaluated with the state that the update returned."""
    svi = new_svi()
    state = svi.init(rng_key, x_data, y_data)
    state, first = svi.update(state, x_data, y_data)
    return first, svi.evaluate(state, x_data, y_data)


def wrong_svi_run(rng_key):
    """Two restarts with one key are one."""
    results = [new_svi().run(rng_key, 3, x_data, y_data, progress_bar=False) for _ in range(2)]
    return tuple(result.losses for result in results)


def right_svi_run(rng_key):
    """The restarts have split keys."""
    keys = random.split(rng_key, 2)
    results = [new_svi().run(k, 3, x_data, y_data, progress_bar=False) for k in keys]
    return tuple(result.losses for result in results)


def wrong_guide_samples(rng_key):
    """The guide draws its posterior samples with one key for both figures."""
    guide = AutoNormal(regression)
    svi = new_svi(guide)
    state = svi.init(random.key(0), x_data, y_data)
    params = svi.get_params(state)
    return tuple(guide.sample_posterior(rng_key, params, sample_shape=(4,))["slope"] for _ in range(2))


def right_guide_samples(rng_key):
    """The guide takes its median, which needs no key, and then samples."""
    guide = AutoNormal(regression)
    svi = new_svi(guide)
    state = svi.init(random.key(0), x_data, y_data)
    params = svi.get_params(state)
    median = guide.median(params)["slope"]
    return median, guide.sample_posterior(rng_key, params, sample_shape=(4,))["slope"]


def wrong_initialize_model(rng_key):
    """Both chains start from the same point."""
    inits = [initialize_model(rng_key, regression, model_args=(x_data, y_data)) for _ in range(2)]
    return tuple(init.param_info.z["slope"] for init in inits)


def right_initialize_model(rng_key):
    """A batch of keys gives a batch of starting points."""
    init = initialize_model(random.split(rng_key, 2), regression, model_args=(x_data, y_data))
    return tuple(init.param_info.z["slope"])


def wrong_kernel_state(rng_key):
    """The kernel makes two transitions from one state."""
    kernel = HMC(regression, step_size=0.05, trajectory_length=None, num_steps=2, adapt_mass_matrix=False)
    state = kernel.init(rng_key, 0, None, model_args=(x_data, y_data), model_kwargs={})
    first = kernel.sample(state, (x_data, y_data), {})
    second = kernel.sample(state, (x_data, y_data), {})
    return first.z["slope"], second.z["slope"]


def right_kernel_state(rng_key):
    """The second transition starts from the state that the first one returned."""
    kernel = HMC(regression, step_size=0.05, trajectory_length=None, num_steps=2, adapt_mass_matrix=False)
    state = kernel.init(rng_key, 0, None, model_args=(x_data, y_data), model_kwargs={})
    first = kernel.sample(state, (x_data, y_data), {})
    second = kernel.sample(first, (x_data, y_data), {})
    return first.z["slope"], second.z["slope"]


def wrong_log_density(rng_key):
    """The prior is drawn twice to weigh the draws."""
    weights = []
    for _ in range(2):
        params = Predictive(regression, num_samples=1)(rng_key, x_data)
        draw = {name: params[name][0] for name in ("slope", "intercept")}
        weights.append(log_density(regression, (x_data, y_data), {}, draw)[0])
    return tuple(weights)


def right_log_density(rng_key):
    """log_density of given values needs a key for the handler only."""
    densities = []
    for slope in (0.0, 1.0):
        model = handlers.seed(regression, rng_key)
        draw = {"slope": jnp.float32(slope), "intercept": jnp.float32(0.0)}
        densities.append(log_density(model, (x_data, y_data), {}, draw)[0])
    return tuple(densities)


# users' own code


class Simulator:
    """A simulator for likelihood-free inference, with a key of its own."""

    def __init__(self, rng_key):
        self.rng_key = rng_key

    def simulate(self):
        return handlers.seed(regression, self.rng_key)(x_data)

    def simulate_next(self):
        self.rng_key, key = random.split(self.rng_key)
        return handlers.seed(regression, key)(x_data)


def wrong_simulator(rng_key):
    """The simulator seeds the model with its attribute each time."""
    simulator = Simulator(rng_key)
    return simulator.simulate(), simulator.simulate()


def right_simulator(rng_key):
    """The simulator advances its attribute."""
    simulator = Simulator(rng_key)
    return simulator.simulate_next(), simulator.simulate_next()


class FilterState(NamedTuple):
    particles: jax.Array
    rng_key: jax.Array


def wrong_particle_filter(rng_key):
    """The state of the filter keeps the key with which it drew."""

    def step(state, _):
        noise = dist.Normal(0.0, 1.0).sample(state.rng_key, (5,))
        return state._replace(particles=state.particles + noise), noise

    return tuple(jax.lax.scan(step, FilterState(jnp.zeros(5), rng_key), None, length=3)[1])


def right_particle_filter(rng_key):
    """The state of the filter takes the next key along."""

    def step(state, _):
        rng_key, key = random.split(state.rng_key)
        noise = dist.Normal(0.0, 1.0).sample(key, (5,))
        return FilterState(state.particles + noise, rng_key), noise

    return tuple(jax.lax.scan(step, FilterState(jnp.zeros(5), rng_key), None, length=3)[1])


def wrong_fold_of_fit(rng_key):
    """The folds of the cross-validation predict with one key."""
    predictions = []
    for fold in range(3):
        held_out = x_data[fold * 2 : fold * 2 + 2] * 0.0
        model = handlers.condition(regression, {"slope": jnp.float32(1.0)})
        predictions.append(handlers.seed(model, rng_key)(held_out))
    return tuple(predictions)


def right_fold_of_fit(rng_key):
    """The fold is folded in."""
    predictions = []
    for fold in range(3):
        held_out = x_data[fold * 2 : fold * 2 + 2] * 0.0
        model = handlers.condition(regression, {"slope": jnp.float32(1.0)})
        predictions.append(handlers.seed(model, random.fold_in(rng_key, fold))(held_out))
    return tuple(predictions)


def wrong_key_bound_to_predictive(rng_key):
    """The partial holds model and key, so both calls are the same."""
    draw = partial(Predictive(prior, num_samples=2), rng_key)
    return draw()["theta"], draw()["theta"]


def right_key_bound_to_predictive(rng_key):
    """The partial holds the model, and vmap goes over keys."""
    draw = partial(Predictive(prior, num_samples=2))
    return tuple(jax.vmap(lambda k: draw(k)["theta"])(random.split(rng_key)))


def wrong_jitted_model(rng_key):
    """The compiled function seeds the model with a constant."""

    @jax.jit
    def simulate(x):
        return handlers.seed(regression, rng_key)(x)

    return simulate(x_data), simulate(x_data)


def right_jitted_model(rng_key):
    """The compiled function takes the key."""

    @jax.jit
    def simulate(key, x):
        return handlers.seed(regression, key)(x)

    return tuple(simulate(k, x_data) for k in random.split(rng_key))


def wrong_chains_by_vmap(rng_key):
    """vmap over the data, and one key for all simulations."""
    simulate = lambda x: handlers.seed(prior, rng_key)() + 0.0 * x
    return tuple(jax.vmap(simulate)(jnp.arange(3.0)))


def right_chains_by_vmap(rng_key):
    """vmap over as many keys."""
    simulate = lambda key, x: handlers.seed(prior, key)() + 0.0 * x
    return tuple(jax.vmap(simulate)(random.split(rng_key, 3), jnp.arange(3.0)))


def wrong_hidden_site(rng_key):
    """block hides a site from the trace, not from the key."""
    shown = handlers.seed(two_sites, rng_key)()
    hidden = handlers.seed(handlers.block(two_sites, hide=["a"]), rng_key)()
    return *shown, *hidden


def right_hidden_site(rng_key):
    """The intervention draws from a key of its own."""
    key, do_key = random.split(rng_key)
    shown = handlers.seed(two_sites, key)()
    done = handlers.seed(handlers.do(two_sites, {"a": jnp.float32(1.0)}), do_key)()
    return *shown, *done


def wrong_two_models(rng_key):
    """Two models with other names of their sites draw the same in order."""

    def other():
        return numpyro.sample("alpha", dist.Normal(0.0, 1.0)), numpyro.sample("beta", dist.Normal(0.0, 1.0))

    return *handlers.seed(two_sites, rng_key)(), *handlers.seed(other, rng_key)()


def right_two_models(rng_key):
    """The models run within one handler."""

    def other():
        return numpyro.sample("alpha", dist.Normal(0.0, 1.0)), numpyro.sample("beta", dist.Normal(0.0, 1.0))

    with handlers.seed(rng_seed=rng_key):
        return *two_sites(), *other()
