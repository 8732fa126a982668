"""Random keys in programs of Haiku: transformed functions, ``next_rng_key``, and ``PRNGSequence``."""

from functools import partial
from typing import NamedTuple

import haiku as hk
import jax
import jax.numpy as jnp
import optax

FEATURES = 48
X = jnp.linspace(-1.0, 1.0, 2 * FEATURES).reshape(2, FEATURES)
ONES = jnp.ones((2, FEATURES))


def net(x, is_training: bool = True):
    x = jnp.tanh(hk.Linear(FEATURES)(x))
    if is_training:
        x = hk.dropout(hk.next_rng_key(), 0.5, x)
    return hk.Linear(FEATURES)(x)


def perturb(x):
    return x + 0.1 * jax.random.normal(hk.next_rng_key(), x.shape)


class NoisyLinear(hk.Module):
    def __init__(self, size: int, name: str | None = None):
        super().__init__(name=name)
        self.size = size

    def __call__(self, x):
        w = hk.get_parameter("w", (x.shape[-1], self.size), init=hk.initializers.RandomNormal())
        return x @ w + jax.random.normal(hk.next_rng_key(), (x.shape[0], self.size))


class TrainingState(NamedTuple):
    params: hk.Params
    opt_state: optax.OptState
    rng: jax.Array
    step: int = 0


network = hk.transform(net)
noisy = hk.transform(perturb)


# transformed functions


def wrong_apply_twice(key):
    """apply has no memory: two calls with one key are equal."""
    params = network.init(jax.random.PRNGKey(1), X)
    return network.apply(params, key, X), network.apply(params, key, X)


def right_apply_twice(key):
    """The key is split for the two calls."""
    params = network.init(jax.random.PRNGKey(1), X)
    k1, k2 = jax.random.split(key)
    return network.apply(params, k1, X), network.apply(params, k2, X)


def wrong_init_twice(key):
    """Two members of an ensemble start from one key."""
    members = [network.init(key, X) for _ in range(2)]
    return tuple(params["linear"]["w"] for params in members)


def right_init_twice(key):
    """One init: Haiku takes the next key of a sequence for each parameter."""
    params = network.init(key, X)
    return params["linear"]["w"], params["linear_1"]["w"]


def wrong_equal_transforms():
    """Policy and value network have equal shapes and are initialised with one key."""
    policy = hk.transform(lambda x: hk.nets.MLP([16, 16])(x))
    value = hk.without_apply_rng(hk.transform(lambda x: hk.nets.MLP([16, 16])(x)))
    rng = jax.random.PRNGKey(0)
    policy_params = policy.init(rng, X)
    value_params = value.init(rng, X)
    return policy_params["mlp/~/linear_0"]["w"], value_params["mlp/~/linear_0"]["w"]


def right_equal_transforms():
    """The networks are initialised with the two halves of the key."""
    policy = hk.transform(lambda x: hk.nets.MLP([16, 16])(x))
    value = hk.without_apply_rng(hk.transform(lambda x: hk.nets.MLP([16, 16])(x)))
    rng_policy, rng_value = jax.random.split(jax.random.PRNGKey(0))
    policy_params = policy.init(rng_policy, X)
    value_params = value.init(rng_value, X)
    return policy_params["mlp/~/linear_0"]["w"], value_params["mlp/~/linear_0"]["w"]


def wrong_without_apply_rng(rng):
    """The stochastic network is applied with one key, for the network and for its target."""
    rng, init_rng = jax.random.split(rng)
    params = network.init(init_rng, X)
    online = network.apply(params, rng, X)
    target = network.apply(params, rng, X)
    return online, target


def right_without_apply_rng(rng):
    """The target is applied without a key, and draws nothing."""
    rng, init_rng = jax.random.split(rng)
    params = network.init(init_rng, X)
    online = network.apply(params, rng, X)
    target = network.apply(params, None, X, is_training=False)
    return online, target


def wrong_evaluation(rng):
    """The evaluation leaves the dropout on, and has the key of the training."""
    params = network.init(jax.random.PRNGKey(1), X)
    train = network.apply(params, rng, X, True)
    evaluation = network.apply(params, rng, X)
    return train, evaluation


def right_evaluation(rng):
    """The evaluation has the key, but takes none from it."""
    params = network.init(jax.random.PRNGKey(1), X)
    train = network.apply(params, rng, X, True)
    evaluation = network.apply(params, rng, X, False)
    return train, evaluation


def wrong_transform_with_state(key):
    """The state comes back from apply, the key does not."""
    model = hk.transform_with_state(net)
    params, state = model.init(jax.random.PRNGKey(1), X)
    first, state = model.apply(params, state, key, X)
    second, state = model.apply(params, state, key, X)
    return first, second


def right_transform_with_state(key):
    """The network keeps its key in the state, and writes what is left of it."""

    def stateful(x):
        rng = hk.get_state("rng", [2], jnp.uint32, init=lambda *_: jax.random.PRNGKey(5))
        rng, sub = jax.random.split(rng)
        hk.set_state("rng", rng)
        return hk.dropout(sub, 0.5, x)

    model = hk.transform_with_state(stateful)
    params, state = model.init(key, X)
    first, state = model.apply(params, state, None, X)
    second, state = model.apply(params, state, None, X)
    return first, second


def wrong_key_in_state(key):
    """The network reads the key of its state, and does not write it."""

    def stateful(x):
        rng = hk.get_state("rng", [2], jnp.uint32, init=lambda *_: jax.random.PRNGKey(5))
        return hk.dropout(rng, 0.5, x)

    model = hk.transform_with_state(stateful)
    params, state = model.init(jax.random.PRNGKey(1), X)
    state = {**state, "~": {"rng": key}}
    first, state = model.apply(params, state, None, X)
    second, state = model.apply(params, state, None, X)
    return first, second


def right_key_in_state(key):
    """The network counts its calls in the state, and folds the count into the key."""

    def stateful(x):
        count = hk.get_state("count", [], jnp.int32, init=jnp.zeros)
        hk.set_state("count", count + 1)
        return hk.dropout(jax.random.fold_in(hk.next_rng_key(), count), 0.5, x)

    model = hk.transform_with_state(stateful)
    params, state = model.init(jax.random.PRNGKey(1), X)
    first, state = model.apply(params, state, key, X)
    second, state = model.apply(params, state, key, X)
    return first, second


def wrong_multi_transform(key):
    """Both functions of the pair take their first key from the same sequence."""

    def build():
        def sample(x):
            return jax.random.normal(hk.next_rng_key(), x.shape)

        return sample, (sample, sample)

    model = hk.multi_transform(build)
    prior, posterior = model.apply
    params = model.init(jax.random.PRNGKey(1), X)
    return prior(params, key, X), posterior(params, key, X)


def right_multi_transform(key):
    """The second function of the pair draws nothing."""

    def build():
        def sample(x):
            return jax.random.normal(hk.next_rng_key(), x.shape)

        def shift(x):
            return x + hk.get_parameter("shift", [FEATURES], init=jnp.ones)

        return shift, (sample, shift)

    model = hk.multi_transform(build)
    sample, shift = model.apply
    params = model.init(jax.random.PRNGKey(1), X)
    return sample(params, key, X), shift(params, key, X)


# keys inside of a transformed function


def wrong_next_rng_key_kept(key):
    """The next key is taken once and serves two dropouts."""

    def f(x):
        rng = hk.next_rng_key()
        return hk.dropout(rng, 0.5, x), hk.dropout(rng, 0.5, x)

    return hk.transform(f).apply({}, key, ONES)


def right_next_rng_key_kept(key):
    """Each dropout takes the next key."""

    def f(x):
        return hk.dropout(hk.next_rng_key(), 0.5, x), hk.dropout(hk.next_rng_key(), 0.5, x)

    return hk.transform(f).apply({}, key, ONES)


def wrong_next_rng_keys(key):
    """The loop takes the first of the keys in each round."""

    def f(x):
        keys = hk.next_rng_keys(3)
        return tuple(jax.random.normal(keys[0], x.shape) for _ in range(3))

    return hk.transform(f).apply({}, key, X)


def right_next_rng_keys(key):
    """The loop goes over the keys."""

    def f(x):
        return tuple(jax.random.normal(k, x.shape) for k in hk.next_rng_keys(3))

    return hk.transform(f).apply({}, key, X)


def wrong_maybe_next_rng_key(key):
    """The key that may be missing is taken once, and used in two branches that both run."""

    def f(x):
        rng = hk.maybe_next_rng_key()
        a = x if rng is None else hk.dropout(rng, 0.5, x)
        b = x if rng is None else hk.dropout(rng, 0.5, x)
        return a, b

    return hk.transform(f).apply({}, key, ONES)


def right_maybe_next_rng_key(key):
    """Without a key there is no draw; with one, it is the next."""

    def f(x):
        rng = hk.maybe_next_rng_key()
        return x if rng is None else hk.dropout(rng, 0.5, x)

    model = hk.transform(f)
    return model.apply({}, None, ONES), model.apply({}, key, ONES)


def wrong_with_rng(key):
    """with_rng starts a sequence from the key, each time the same."""

    def f(x):
        with hk.with_rng(key):
            a = hk.dropout(hk.next_rng_key(), 0.5, x)
        with hk.with_rng(key):
            b = hk.dropout(hk.next_rng_key(), 0.5, x)
        return a, b

    return hk.transform(f).apply({}, None, ONES)


def right_with_rng(key):
    """One with_rng, and two keys of its sequence."""

    def f(x):
        with hk.with_rng(key):
            a = hk.dropout(hk.next_rng_key(), 0.5, x)
            b = hk.dropout(hk.next_rng_key(), 0.5, x)
        return a, b

    return hk.transform(f).apply({}, None, ONES)


def wrong_key_as_argument(key):
    """The key is an argument of the function, and goes to two layers."""

    def f(x, rng):
        a = hk.dropout(rng, 0.1, x)
        b = hk.dropout(rng, 0.1, x)
        return a, b

    return hk.transform(f).apply({}, None, ONES, key)


def right_key_as_argument(key):
    """The second layer has the rate 0: it gives its input back."""

    def f(x, rng):
        a = hk.dropout(rng, 0.1, x)
        b = hk.dropout(rng, 0.0, x)
        return a, b

    return hk.transform(f).apply({}, None, ONES, key)


def wrong_module_applied_apart(key):
    """Two modules are applied in two transformed functions, with one key."""
    left = hk.transform(lambda x: NoisyLinear(8, name="left")(x))
    right = hk.transform(lambda x: NoisyLinear(8, name="right")(x))
    zeros = jnp.zeros((4, FEATURES))
    params = left.init(jax.random.PRNGKey(1), zeros), right.init(jax.random.PRNGKey(2), zeros)
    return left.apply(params[0], key, zeros), right.apply(params[1], key, zeros)


def right_module_applied_apart(key):
    """Two modules in one transformed function share its sequence."""
    both = hk.transform(lambda x: (NoisyLinear(8, name="left")(x), NoisyLinear(8, name="right")(x)))
    zeros = jnp.zeros((4, FEATURES))
    return both.apply(both.init(jax.random.PRNGKey(1), zeros), key, zeros)


def wrong_nested_function(key):
    """The nested function closes over the key that was taken outside."""

    def f(x):
        rng = hk.next_rng_key()

        def augment(image):
            return image + jax.random.uniform(rng, image.shape)

        return augment(x), augment(x)

    return hk.transform(f).apply({}, key, X)


def right_nested_function(key):
    """The nested function takes the next key itself."""

    def f(x):
        def augment(image):
            return image + jax.random.uniform(hk.next_rng_key(), image.shape)

        return augment(x), augment(x)

    return hk.transform(f).apply({}, key, X)


# loops and transformations


def wrong_monte_carlo_loop(key):
    """Ten passes, one key."""
    params = network.init(jax.random.PRNGKey(1), X)
    forward = jax.jit(network.apply)
    return tuple(forward(params, key, X) for _ in range(10))


def right_monte_carlo_loop(key):
    """The passes go through vmap, over split keys."""
    params = network.init(jax.random.PRNGKey(1), X)
    forward = jax.jit(jax.vmap(network.apply, in_axes=(None, 0, None)))
    return tuple(forward(params, jax.random.split(key, 10), X))


def wrong_jax_vmap(key):
    """vmap over the batch with one key for all."""
    return tuple(jax.vmap(noisy.apply, in_axes=(None, None, 0))({}, key, jnp.zeros((3, FEATURES))))


def right_jax_vmap(key):
    """vmap over the batch and over as many keys."""
    keys = jax.random.split(key, 3)
    return tuple(jax.vmap(noisy.apply, in_axes=(None, 0, 0))({}, keys, jnp.zeros((3, FEATURES))))


def wrong_lax_scan(key):
    """The body takes the same key of the closure in each step."""

    def body(carry, x):
        y = noisy.apply({}, key, x)
        return carry + y, y

    _, ys = jax.lax.scan(body, jnp.zeros(FEATURES), jnp.zeros((4, FEATURES)))
    return tuple(ys)


def right_lax_scan(key):
    """The keys are scanned with the inputs."""

    def body(carry, inputs):
        rng, x = inputs
        y = noisy.apply({}, rng, x)
        return carry + y, y

    keys = jax.random.split(key, 4)
    _, ys = jax.lax.scan(body, jnp.zeros(FEATURES), (keys, jnp.zeros((4, FEATURES))))
    return tuple(ys)


def wrong_hk_vmap(key):
    """split_rng=False: each lane of hk.vmap takes the same key."""

    def f(xs):
        return hk.vmap(perturb, split_rng=False)(xs)

    return tuple(hk.transform(f).apply({}, key, jnp.zeros((3, FEATURES))))


def right_hk_vmap(key):
    """split_rng=True: the lanes have keys of their own, except while parameters are made."""

    def f(xs):
        return hk.vmap(perturb, split_rng=not hk.running_init())(xs)

    return tuple(hk.transform(f).apply({}, key, jnp.zeros((3, FEATURES))))


def wrong_scan_inside(key):
    """The key is taken outside of the scan, and each step uses it."""

    def f(xs):
        rng = hk.next_rng_key()

        def step(state, x):
            y = x + jax.random.normal(rng, x.shape)
            return state + y, y

        return hk.scan(step, jnp.zeros(FEATURES), xs)[1]

    return tuple(hk.transform(f).apply({}, key, jnp.zeros((3, FEATURES))))


def right_scan_inside(key):
    """hk.scan carries the sequence: next_rng_key in its body differs from step to step."""

    def f(xs):
        def step(state, x):
            y = perturb(x)
            return state + y, y

        return hk.scan(step, jnp.zeros(FEATURES), xs)[1]

    return tuple(hk.transform(f).apply({}, key, jnp.zeros((3, FEATURES))))


def wrong_loop_inside(key):
    """lax.fori_loop traces its body once: next_rng_key gives the key of the trace to all rounds."""

    def f():
        return jax.lax.fori_loop(0, 3, lambda i, a: a.at[i].set(jax.random.normal(hk.next_rng_key())), jnp.zeros(3))

    return tuple(hk.transform(f).apply({}, key))


def right_loop_inside(key):
    """hk.fori_loop carries the sequence."""

    def f():
        return hk.fori_loop(0, 3, lambda i, a: a.at[i].set(jax.random.normal(hk.next_rng_key())), jnp.zeros(3))

    return tuple(hk.transform(f).apply({}, key))


def wrong_vmap_inside(key):
    """vmap traces its function once: next_rng_key gives one key to all lanes."""

    def f(xs):
        return jax.vmap(lambda x: hk.dropout(hk.next_rng_key(), 0.5, x))(xs)

    return tuple(hk.transform(f).apply({}, key, jnp.ones((3, FEATURES))))


def right_vmap_inside(key):
    """The keys are drawn before, one for each lane."""

    def f(xs):
        return jax.vmap(lambda k, x: hk.dropout(k, 0.5, x))(hk.next_rng_keys(3), xs)

    return tuple(hk.transform(f).apply({}, key, jnp.ones((3, FEATURES))))


def wrong_jit_inside(key):
    """The function that jax.jit compiled keeps the key of its first call."""

    def f(x):
        drop = jax.jit(lambda x: hk.dropout(hk.next_rng_key(), 0.5, x))
        return drop(x), drop(x)

    return hk.transform(f).apply({}, key, ONES)


def right_jit_inside(key):
    """The key goes into the compiled function as an argument."""

    def f(x):
        drop = jax.jit(lambda rng, x: hk.dropout(rng, 0.5, x))
        return drop(hk.next_rng_key(), x), drop(hk.next_rng_key(), x)

    return hk.transform(f).apply({}, key, ONES)


# PRNGSequence


def wrong_two_sequences(key):
    """Two sequences of one key give equal keys."""
    actor_rng = hk.PRNGSequence(key)
    learner_rng = hk.PRNGSequence(key)
    return jax.random.normal(next(actor_rng), (5,)), jax.random.normal(next(learner_rng), (5,))


def right_two_sequences(key):
    """Two names of one sequence."""
    actor_rng = learner_rng = hk.PRNGSequence(key)
    return jax.random.normal(next(actor_rng), (5,)), jax.random.normal(next(learner_rng), (5,))


def wrong_sequence_of_integer():
    """The sequences of player and evaluator have one seed."""
    player, evaluator = hk.PRNGSequence(42), hk.PRNGSequence(jax.random.PRNGKey(42))
    return jax.random.gumbel(next(player), (5,)), jax.random.gumbel(next(evaluator), (5,))


def right_sequence_of_integer():
    """The second sequence starts from a key of the first one."""
    player = hk.PRNGSequence(42)
    evaluator = hk.PRNGSequence(next(player))
    return jax.random.gumbel(next(player), (5,)), jax.random.gumbel(next(evaluator), (5,))


def wrong_sequence_made_in_function():
    """The function makes its sequence anew in each call."""

    def rollout(x):
        rng_seq = hk.PRNGSequence(0)
        return noisy.apply({}, next(rng_seq), x)

    return rollout(X), rollout(X)


def right_sequence_made_in_function():
    """The sequence is made outside and goes on."""
    rng_seq = hk.PRNGSequence(0)

    def rollout(x):
        return noisy.apply({}, next(rng_seq), x)

    return rollout(X), rollout(X)


def wrong_next_of_sequence_kept(key):
    """next is called once before the loop."""
    rng = next(hk.PRNGSequence(key))
    return tuple(noisy.apply({}, rng, X) for _ in range(3))


def right_next_of_sequence_kept(key):
    """next is called in the loop, by zip."""
    return tuple(noisy.apply({}, rng, x) for x, rng in zip([X, X, X], hk.PRNGSequence(key)))


def wrong_take(key):
    """Two lists of keys are taken from sequences of one key."""
    a, b = hk.PRNGSequence(key).take(2)
    c, d = hk.PRNGSequence(key).take(2)
    return tuple(jax.random.exponential(k, (6,)) for k in (a, b, c, d))


def right_take(key):
    """Two lists of keys are taken from one sequence."""
    rng_seq = hk.PRNGSequence(key)
    (a, b), (c, d) = rng_seq.take(2), rng_seq.take(2)
    return tuple(jax.random.exponential(k, (6,)) for k in (a, b, c, d))


def wrong_state_of_sequence(key):
    """The state of the sequence is put back."""
    rng_seq = hk.PRNGSequence(key)
    state = rng_seq.internal_state
    first = jax.random.laplace(next(rng_seq), (6,))
    rng_seq.replace_internal_state(state)
    return first, jax.random.laplace(next(rng_seq), (6,))


def right_state_of_sequence(key):
    """The state goes to another sequence, and the first one stops there."""
    rng_seq = hk.PRNGSequence(key)
    first = jax.random.laplace(next(rng_seq), (6,))
    state = rng_seq.internal_state
    rest = hk.PRNGSequence(key)
    rest.replace_internal_state(state)
    return first, jax.random.laplace(next(rest), (6,))


def wrong_reserved_keys(key):
    """reserve makes keys ahead of time, which a second sequence of the key makes as well."""
    ahead = hk.PRNGSequence(key)
    ahead.reserve(3)
    again = hk.PRNGSequence(key)
    again.reserve(3)
    return tuple(jax.random.normal(next(seq), (3,)) for seq in (ahead, again))


def right_reserved_keys(key):
    """reserve makes keys ahead of time, and next hands each out once."""
    rng_seq = hk.PRNGSequence(key)
    rng_seq.reserve(2)
    return tuple(jax.random.normal(next(rng_seq), (3,)) for _ in range(4))


# training


optimizer = optax.sgd(0.0)


def new_state(rng: jax.Array) -> TrainingState:
    params = network.init(jax.random.PRNGKey(1), X)
    return TrainingState(params, optimizer.init(params), rng)


def loss_fn(params: hk.Params, rng: jax.Array, x: jax.Array, y: jax.Array) -> jax.Array:
    return jnp.mean((network.apply(params, rng, x) - y) ** 2)


def wrong_update(key):
    """The update returns the state with the key that it used."""

    @jax.jit
    def update(state: TrainingState):
        loss, grads = jax.value_and_grad(loss_fn)(state.params, state.rng, X, ONES)
        updates, opt_state = optimizer.update(grads, state.opt_state)
        return TrainingState(optax.apply_updates(state.params, updates), opt_state, state.rng), loss

    state = new_state(key)
    state, first = update(state)
    state, second = update(state)
    return first, second


def right_update(key):
    """The update splits the key of the state."""

    @jax.jit
    def update(state: TrainingState):
        rng, sub = jax.random.split(state.rng)
        loss, grads = jax.value_and_grad(loss_fn)(state.params, sub, X, ONES)
        updates, opt_state = optimizer.update(grads, state.opt_state)
        return TrainingState(optax.apply_updates(state.params, updates), opt_state, rng), loss

    state = new_state(key)
    state, first = update(state)
    state, second = update(state)
    return first, second


def wrong_step_of_state(key):
    """The step that is folded in is never counted up."""

    @jax.jit
    def update(state: TrainingState):
        rng = jax.random.fold_in(state.rng, state.step)
        return state._replace(params=state.params), loss_fn(state.params, rng, X, ONES)

    state = new_state(key)
    state, first = update(state)
    state, second = update(state)
    return first, second


def right_step_of_state(key):
    """The key stays, the step counts."""

    @jax.jit
    def update(state: TrainingState):
        rng = jax.random.fold_in(state.rng, state.step)
        return state._replace(step=state.step + 1), loss_fn(state.params, rng, X, ONES)

    state = new_state(key)
    state, first = update(state)
    state, second = update(state)
    return first, second


class Updater:
    """As in Haiku's examples: the state is a dictionary."""

    def init(self, rng, x):
        out_rng, init_rng = jax.random.split(rng)
        return {"step": 0, "rng": out_rng, "params": network.init(init_rng, x)}


class UpdaterWithoutNewKey(Updater):
    def update(self, state, x):
        rng, new_rng = jax.random.split(state["rng"])
        loss = loss_fn(state["params"], rng, x, ONES)
        return {**state, "step": state["step"] + 1}, loss


class UpdaterWithNewKey(Updater):
    def update(self, state, x):
        rng, new_rng = jax.random.split(state["rng"])
        loss = loss_fn(state["params"], rng, x, ONES)
        return {**state, "step": state["step"] + 1, "rng": new_rng}, loss


def wrong_updater(key):
    """The updater splits the key, and forgets to return the new one."""
    updater = UpdaterWithoutNewKey()
    state = updater.init(key, X)
    losses = []
    for _ in range(2):
        state, loss = updater.update(state, X)
        losses.append(loss)
    return tuple(losses)


def right_updater(key):
    """The updater returns the new key."""
    updater = UpdaterWithNewKey()
    state = updater.init(key, X)
    losses = []
    for _ in range(2):
        state, loss = updater.update(state, X)
        losses.append(loss)
    return tuple(losses)


class Agent:
    def __init__(self, seed: int = 1):
        self._rng = jax.random.PRNGKey(seed)
        self._rngs = hk.PRNGSequence(seed + 1)

    def act(self, observation):
        return noisy.apply({}, self._rng, observation)

    def explore(self, observation):
        return noisy.apply({}, next(self._rngs), observation)


def wrong_agent():
    """The agent keeps one key for all of its actions."""
    agent = Agent()
    return agent.act(X), agent.act(X)


def right_agent():
    """The agent keeps a sequence."""
    agent = Agent()
    return agent.explore(X), agent.explore(X)


# further surroundings


def wrong_partial_of_apply(key):
    """The key is bound with the parameters."""
    forward = partial(network.apply, network.init(jax.random.PRNGKey(0), X), key)
    return forward(X), forward(X)


def right_partial_of_apply(key):
    """The parameters are bound, the keys are not."""
    forward = partial(network.apply, network.init(jax.random.PRNGKey(0), X))
    return tuple(forward(k, X) for k in jax.random.split(key))


def wrong_unpacked_pair(key):
    """init and apply are unpacked, which changes nothing."""
    init, apply = hk.transform(lambda x: NoisyLinear(8)(x))
    params = init(jax.random.PRNGKey(0), X)
    return apply(params, key, X), apply(params, key, X)


def right_unpacked_pair(key):
    """The second batch is another, and so is its key."""
    init, apply = hk.transform(lambda x: NoisyLinear(8)(x))
    params = init(jax.random.PRNGKey(0), X)
    outputs = []
    for batch in (X, -X):
        key, sub = jax.random.split(key)
        outputs.append(apply(params, sub, batch))
    return tuple(outputs)


def wrong_initializer(key):
    """Two initialisers are called in two sequences of one key."""

    def f():
        return hk.initializers.TruncatedNormal()([4, 4], jnp.float32)

    model = hk.transform(f)
    return tuple(model.apply({}, key) for _ in range(2))


def right_initializer(key):
    """The initialisers are called in one sequence, and each takes a key."""

    def f():
        init = hk.initializers.TruncatedNormal()
        return init([4, 4], jnp.float32), init([4, 4], jnp.float32)

    return hk.transform(f).apply({}, key)


def wrong_dictionary_of_networks(key):
    """The networks of the dictionary are initialised in a comprehension, with one key."""
    networks = {name: hk.transform(lambda x: hk.Linear(9, name="out")(x)) for name in ("q", "v")}
    params = {name: model.init(key, X) for name, model in networks.items()}
    return tuple(p["out"]["w"] for p in params.values())


def right_dictionary_of_networks(key):
    """A sequence hands a key to each network."""
    networks = {name: hk.transform(lambda x: hk.Linear(9, name="out")(x)) for name in ("q", "v")}
    rngs = hk.PRNGSequence(key)
    params = {name: model.init(next(rngs), X) for name, model in networks.items()}
    return tuple(p["out"]["w"] for p in params.values())


def wrong_keys_of_split_in_order(key):
    """Both loops begin at the first key of the list."""
    keys = list(hk.PRNGSequence(key).take(3))
    train = [noisy.apply({}, k, X) for k in keys]
    test = [noisy.apply({}, keys[i], X) for i in range(2)]
    return (*train, *test)


def right_keys_of_split_in_order(key):
    """The first loop takes what the second leaves."""
    keys = list(hk.PRNGSequence(key).take(5))
    test = [noisy.apply({}, keys.pop(), X) for _ in range(2)]
    train = [noisy.apply({}, k, X) for k in keys]
    return (*train, *test)


def wrong_hk_vmap_of_dropout(key):
    """Each example is masked in a lane of its own, and all lanes take one key."""

    def f(xs):
        return hk.vmap(lambda x: hk.dropout(hk.next_rng_key(), 0.5, x), split_rng=False)(xs)

    return tuple(hk.transform(f).apply({}, key, jnp.ones((3, FEATURES))))


def right_hk_vmap_of_dropout(key):
    """Each example is masked in a lane of its own, with a key of its own."""

    def f(xs):
        keys = jax.random.split(hk.next_rng_key(), len(xs))
        return hk.vmap(lambda k, x: hk.dropout(k, 0.5, x), split_rng=False)(keys, xs)

    return tuple(hk.transform(f).apply({}, key, jnp.ones((3, FEATURES))))
