"""Random keys in programs of flax.linen: streams of ``apply``, ``init``, lifted transformations, training states."""

from collections.abc import Callable
from functools import partial
from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax import struct
from flax.training import train_state

FEATURES = 64
X = jnp.linspace(-1.0, 1.0, 2 * FEATURES).reshape(2, FEATURES)
Y = jnp.ones((2, FEATURES))


class Regressor(nn.Module):
    hidden: int = FEATURES
    rate: float = 0.5

    @nn.compact
    def __call__(self, x, train: bool = True):
        x = nn.tanh(nn.Dense(self.hidden)(x))
        x = nn.Dropout(self.rate, deterministic=not train)(x)
        return nn.Dense(self.hidden)(x)


class Masked(nn.Module):
    """Dropout and nothing else: zeros show the mask."""

    rate: float = 0.5

    @nn.compact
    def __call__(self, x):
        return nn.Dropout(self.rate, deterministic=False)(x)


class Jitter(nn.Module):
    scale: float = 0.1

    @nn.compact
    def __call__(self, x):
        return x + self.scale * jax.random.normal(self.make_rng("noise"), x.shape)


class VAE(nn.Module):
    latents: int = 16

    def setup(self):
        self.mean = nn.Dense(self.latents)
        self.logvar = nn.Dense(self.latents)
        self.decoder = nn.Dense(FEATURES)

    def reparameterize(self, mean, logvar):
        eps = jax.random.normal(self.make_rng("latent"), mean.shape)
        return mean + jnp.exp(0.5 * logvar) * eps

    def encode(self, x):
        return self.reparameterize(self.mean(x), self.logvar(x))

    def __call__(self, x):
        return self.decoder(self.encode(x))

    def generate(self, n: int):
        return self.decoder(jax.random.normal(self.make_rng("latent"), (n, self.latents)))


class TrainState(train_state.TrainState):
    key: jax.Array


def params_of(model: nn.Module, x=X):
    return model.init(jax.random.key(100), x)


def new_state(key: jax.Array, lr: float = 0.0) -> TrainState:
    model = Regressor()
    variables = model.init({"params": jax.random.key(100), "dropout": jax.random.key(101)}, X)
    return TrainState.create(apply_fn=model.apply, params=variables["params"], tx=optax.sgd(lr), key=key)


# apply


def wrong_apply_twice(key):
    """Both forward passes of Monte-Carlo dropout draw the same mask."""
    model = Regressor()
    variables = model.init({"params": jax.random.key(1), "dropout": jax.random.key(2)}, X)
    first = model.apply(variables, X, rngs={"dropout": key})
    second = model.apply(variables, X, rngs={"dropout": key})
    return first, second


def right_apply_twice(key):
    """Each forward pass has a half of the key."""
    model = Regressor()
    variables = model.init({"params": jax.random.key(1), "dropout": jax.random.key(2)}, X)
    k1, k2 = jax.random.split(key)
    first = model.apply(variables, X, rngs={"dropout": k1})
    second = model.apply(variables, X, rngs={"dropout": k2})
    return first, second


def wrong_monte_carlo_loop(key, n=4):
    """The loop averages n copies of one prediction."""
    model = Regressor()
    params = model.init(jax.random.PRNGKey(0), X, train=False)
    predictions = []
    for _ in range(n):
        predictions.append(model.apply(params, X, train=True, rngs={"dropout": key}))
    return tuple(predictions)


def right_monte_carlo_loop(key, n=4):
    """The number of the pass is folded in."""
    model = Regressor()
    params = model.init(jax.random.PRNGKey(0), X, train=False)
    predictions = []
    for i in range(n):
        predictions.append(model.apply(params, X, train=True, rngs={"dropout": jax.random.fold_in(key, i)}))
    return tuple(predictions)


def wrong_comprehension():
    """One key for each element of the comprehension."""
    key = jax.random.PRNGKey(0)
    noise = Jitter()
    return tuple([noise.apply({}, X, rngs={"noise": key}) for _ in range(3)])


def right_comprehension():
    """The comprehension goes over split keys."""
    key = jax.random.PRNGKey(0)
    noise = Jitter()
    return tuple([noise.apply({}, X, rngs={"noise": k}) for k in jax.random.split(key, 3)])


def wrong_scan_closure(key):
    """The body of the scan closes over the key: all steps add the same noise."""
    noise = Jitter()

    def step(total, x):
        out = noise.apply({}, x, rngs={"noise": key})
        return total + out.sum(), out - x

    _, noises = jax.lax.scan(step, 0.0, jnp.zeros((3, FEATURES)))
    return tuple(noises)


def right_scan_closure(key):
    """The key travels in the carry and is split in each step."""
    noise = Jitter()

    def step(carry, x):
        total, key = carry
        key, sub = jax.random.split(key)
        out = noise.apply({}, x, rngs={"noise": sub})
        return (total + out.sum(), key), out - x

    _, noises = jax.lax.scan(step, (0.0, key), jnp.zeros((3, FEATURES)))
    return tuple(noises)


def wrong_vmap_over_inputs(key):
    """vmap over examples with one key: each example loses the same units."""
    model = Masked()
    dropped = jax.vmap(lambda x: model.apply({}, x, rngs={"dropout": key}))(jnp.ones((4, FEATURES)))
    return tuple(dropped)


def right_vmap_over_inputs(key):
    """The whole batch goes through one apply, whose mask has the shape of the batch."""
    model = Masked()
    dropped = model.apply({}, jnp.ones((4, FEATURES)), rngs={"dropout": key})
    return tuple(dropped)


def predict(model: nn.Module, params: Any, x: jax.Array, key: jax.Array) -> jax.Array:
    return model.apply(params, x, rngs={"dropout": key})


def wrong_helper(key):
    """The helper hands its key on, so two calls with one key are two equal passes."""
    model = Regressor()
    params = model.init(jax.random.key(3), X, False)
    return predict(model, params, X, key), predict(model, params, X, key)


def right_helper(key):
    """The caller advances the key between the calls."""
    model = Regressor()
    params = model.init(jax.random.key(3), X, False)
    key, sub = jax.random.split(key)
    first = predict(model, params, X, sub)
    key, sub = jax.random.split(key)
    return first, predict(model, params, X, sub)


def wrong_apply_in_partial(key):
    """The key is bound once in a partial that is called twice."""
    model = Regressor()
    forward = partial(model.apply, params_of(model), rngs={"dropout": key})
    return forward(X), forward(X)


def right_apply_in_partial(key):
    """The partial binds parameters only."""
    model = Regressor()
    forward = partial(model.apply, params_of(model))
    k1, k2 = jax.random.split(key)
    return forward(X, rngs={"dropout": k1}), forward(X, rngs={"dropout": k2})


def wrong_dictionary_of_streams(key):
    """The dictionary of streams is made once and serves both passes."""
    model = Regressor()
    params = params_of(model)
    rngs = {"dropout": key}
    student = model.apply(params, X, rngs=rngs)
    teacher = model.apply(params, X, rngs=rngs)
    return student, teacher


def right_dictionary_of_streams(key):
    """The dictionary is made anew from what is left of the key."""
    model = Regressor()
    params = params_of(model)
    rngs = {"dropout": key}
    rngs, rest = ({name: jax.random.fold_in(k, i) for name, k in rngs.items()} for i in range(2))
    student = model.apply(params, X, rngs=rngs)
    teacher = model.apply(params, X, rngs=rest)
    return student, teacher


def wrong_jitted_with_constant_key(key):
    """The compiled function has the key as a constant."""
    model = Regressor()
    params = params_of(model)

    @jax.jit
    def forward(x):
        return model.apply(params, x, rngs={"dropout": key})

    return forward(X), forward(X)


def right_jitted_with_constant_key(key):
    """The compiled function folds its argument into the constant key."""
    model = Regressor()
    params = params_of(model)

    @jax.jit
    def forward(x, i):
        return model.apply(params, x, rngs={"dropout": jax.random.fold_in(key, i)})

    return forward(X, 0), forward(X, 1)


def wrong_default_key():
    """A default argument is one key for all calls that do not give one."""

    def sample(x, key=jax.random.key(0)):
        return Jitter().apply({}, x, rngs={"noise": key})

    return sample(X), sample(X)


def right_default_key():
    """A default of None draws nothing, and only the other call gives a key."""

    def sample(x, key=None):
        return x if key is None else Jitter().apply({}, x, rngs={"noise": key})

    return sample(X), sample(X, jax.random.key(0))


def wrong_methods_of_one_module(key):
    """`__call__` and `encode` draw the latent of one path: the same noise."""
    model = VAE()
    params = model.init({"params": jax.random.key(5), "latent": jax.random.key(6)}, X)
    again = model.apply(params, X, rngs={"latent": key}, method=model.encode)
    latent = model.apply(params, X, rngs={"latent": key}, method="encode")
    return again, latent


def right_methods_of_one_module(key):
    """The second method draws nothing."""
    model = VAE()
    params = model.init({"params": jax.random.key(5), "latent": jax.random.key(6)}, X)
    latent = model.apply(params, X, rngs={"latent": key}, method="encode")
    mean = model.apply(params, X, rngs={"latent": key}, method=lambda vae, x: vae.mean(x))
    return latent, mean


def wrong_generate_per_epoch(key):
    """Each epoch shows the same samples of the prior."""
    model = VAE()
    params_key, latent_key, eval_key = jax.random.split(key, 3)
    params = model.init({"params": params_key, "latent": latent_key}, X)
    images = ()
    for epoch in range(3):
        images += (model.apply(params, 8, rngs={"latent": eval_key}, method=VAE.generate),)
    return images


def right_generate_per_epoch(key):
    """The number of the epoch is folded into the key."""
    model = VAE()
    params_key, latent_key, eval_key = jax.random.split(key, 3)
    params = model.init({"params": params_key, "latent": latent_key}, X)
    images = ()
    for epoch in range(3):
        rngs = {"latent": jax.random.fold_in(eval_key, epoch)}
        images += (model.apply(params, 8, rngs=rngs, method=VAE.generate),)
    return images


# init


def wrong_init_twice(key):
    """One module, one key: the two members of the ensemble are one."""
    model = nn.Dense(FEATURES)
    first = model.init(key, X)
    second = model.init(key, X)
    return first["params"]["kernel"], second["params"]["kernel"]


def right_init_twice(key):
    """The members are made by vmap over split keys."""
    model = nn.Dense(FEATURES)
    ensemble = jax.vmap(model.init, in_axes=(0, None))(jax.random.split(key, 2), X)
    return tuple(ensemble["params"]["kernel"])


def wrong_equal_modules(key):
    """Actor and critic have equal first layers, and start from equal weights."""
    actor, critic = Regressor(), Regressor()
    actor_params = actor.init(key, X, train=False)["params"]
    critic_params = critic.init(key, X, train=False)["params"]
    return actor_params["Dense_0"]["kernel"], critic_params["Dense_0"]["kernel"]


def right_equal_modules(key: jax.Array):
    """Two equal layers of one module: flax folds their paths into the one key."""
    actor_critic = Regressor()
    params = actor_critic.init(key, X, train=False)["params"]
    return params["Dense_0"]["kernel"], params["Dense_1"]["kernel"]


def wrong_init_with_output(key):
    """The target network is initialised with the key of the online network."""
    online, target = nn.Dense(32), nn.Dense(32)
    q, params = online.init_with_output(key, X)
    q_target, _ = target.init_with_output(key, X)
    return q, q_target


def right_init_with_output(key):
    """The target network takes the parameters over, and sees the next batch."""
    online, target = nn.Dense(32), nn.Dense(32)
    q, params = online.init_with_output(key, X)
    q_target = target.apply(params, X + 1.0)
    return q, q_target


def wrong_ensemble_of_seeds():
    """The seed of the ensemble is constant in the loop."""
    members = []
    for _ in range(3):
        rng = jax.random.PRNGKey(42)
        members.append(nn.Dense(8).init(rng, X)["params"]["kernel"])
    return tuple(members)


def right_ensemble_of_seeds():
    """Each member has its own seed."""
    members = []
    for seed in range(3):
        rng = jax.random.PRNGKey(42 + seed)
        members.append(nn.Dense(8).init(rng, X)["params"]["kernel"])
    return tuple(members)


def wrong_initializers(key):
    """Two matrices of one shape from one initializer and one key."""
    init = nn.initializers.lecun_normal()
    query = init(key, (16, 16))
    value = init(key, (16, 16))
    return query, value


def right_initializers(key):
    """The second initializer draws nothing from the key."""
    query = nn.initializers.lecun_normal()(key, (16, 16))
    value = nn.initializers.zeros_init()(key, (16, 16))
    return query, value


# streams inside of modules


def wrong_make_rng_kept(key):
    """The module asks once for a key and draws twice from it."""

    class TwoNoises(nn.Module):
        @nn.compact
        def __call__(self, x):
            rng = self.make_rng("noise")
            return jax.random.normal(rng, x.shape), jax.random.normal(rng, x.shape)

    return TwoNoises().apply({}, X, rngs={"noise": key})


def right_make_rng_kept(key):
    """make_rng counts its calls: each gives another key."""

    class TwoNoises(nn.Module):
        @nn.compact
        def __call__(self, x):
            first = jax.random.normal(self.make_rng("noise"), x.shape)
            return first, jax.random.normal(self.make_rng("noise"), x.shape)

    return TwoNoises().apply({}, X, rngs={"noise": key})


def wrong_two_streams_of_one_key(key):
    """Two streams begin with one key, and a stream's name is not part of what it gives."""

    class Augment(nn.Module):
        def __call__(self, x):
            shift = jax.random.normal(self.make_rng("shift"), x.shape)
            scale = jax.random.normal(self.make_rng("scale"), x.shape)
            return shift, scale

    return Augment().apply({}, X, rngs={"shift": key, "scale": key})


def right_two_streams_of_one_key(key):
    """The streams begin with one key, but are asked at different paths of the module."""

    class Augment(nn.Module):
        @nn.compact
        def __call__(self, x):
            scale = jax.random.bernoulli(self.make_rng("scale"), 0.5, x.shape)
            return nn.Dropout(0.5, deterministic=False)(jnp.ones_like(x)) > 0, scale

    return Augment().apply({}, X, rngs={"dropout": key, "scale": key})


def wrong_dropout_with_rng(key):
    """Both layers are given the key that the module drew once."""

    class Block(nn.Module):
        @nn.compact
        def __call__(self, x):
            rng = self.make_rng("dropout")
            a = nn.Dropout(0.5)(x, deterministic=False, rng=rng)
            b = nn.Dropout(0.5)(x, deterministic=False, rng=rng)
            return a, b

    return Block().apply({}, X, rngs={"dropout": key})


def right_dropout_with_rng(key):
    """Without a key of their own, the layers ask for the stream at their paths."""

    class Block(nn.Module):
        @nn.compact
        def __call__(self, x):
            a = nn.Dropout(0.5)(x, deterministic=False)
            b = nn.Dropout(0.5)(x, deterministic=False)
            return a, b

    return Block().apply({}, X, rngs={"dropout": key})


def wrong_dropout_called_outside(key):
    """A layer of dropout applied with the same key to two tensors."""
    dropout = nn.Dropout(rate=0.3)
    left = dropout.apply({}, Y, deterministic=False, rng=key)
    right = dropout.apply({}, Y, deterministic=False, rng=key)
    return left, right


def right_dropout_called_outside(key):
    """A rate of 0 gives its input back and draws nothing."""
    left = nn.Dropout(rate=0.3).apply({}, Y, deterministic=False, rng=key)
    right = nn.Dropout(rate=0.0).apply({}, Y, deterministic=False, rng=key)
    return left, right


def wrong_two_halves_of_a_network(key):
    """Encoder and decoder are applied apart, so both layers are at the same path."""
    encoder, decoder = Masked(), Masked()
    hidden = encoder.apply({}, Y, rngs={"dropout": key})
    out = decoder.apply({}, Y, rngs={"dropout": key})
    return hidden, out


def right_two_halves_of_a_network(key):
    """Encoder and decoder are parts of one module, at two paths."""

    class Both(nn.Module):
        @nn.compact
        def __call__(self, x):
            return Masked(name="encoder")(x), Masked(name="decoder")(x)

    return Both().apply({}, Y, rngs={"dropout": key})


def wrong_parameters_of_one_key(key):
    """Two parameters are drawn from one key that the module asked for."""

    class LoRA(nn.Module):
        @nn.compact
        def __call__(self, x):
            rng = self.make_rng("params")
            a = self.param("a", lambda _: jax.random.normal(rng, (FEATURES, 4)))
            b = self.param("b", lambda _: jax.random.normal(rng, (FEATURES, 4)))
            return x @ a @ b.T

    params = LoRA().init(key, X)["params"]
    return params["a"], params["b"]


def right_parameters_of_one_key(key):
    """`param` hands each initializer another key."""

    class LoRA(nn.Module):
        @nn.compact
        def __call__(self, x):
            a = self.param("a", lambda rng: jax.random.normal(rng, (FEATURES, 4)))
            b = self.param("b", lambda rng: jax.random.normal(rng, (FEATURES, 4)))
            return x @ a @ b.T

    params = LoRA().init(key, X)["params"]
    return params["a"], params["b"]


# lifted transformations


def wrong_lifted_vmap(key):
    """split_rngs is False for dropout: one mask for the whole batch."""
    Batched = nn.vmap(Masked, variable_axes={"params": None}, split_rngs={"params": False, "dropout": False})
    return tuple(Batched().apply({}, jnp.ones((4, FEATURES)), rngs={"dropout": key}))


def right_lifted_vmap(key):
    """split_rngs is True for dropout: a mask for each example."""
    Batched = nn.vmap(Masked, variable_axes={"params": None}, split_rngs={"params": False, "dropout": True})
    return tuple(Batched().apply({}, jnp.ones((4, FEATURES)), rngs={"dropout": key}))


def wrong_lifted_vmap_parameters(key):
    """The heads have parameters of their own, drawn from one key that is not split."""
    Heads = nn.vmap(nn.Dense, in_axes=None, axis_size=3, variable_axes={"params": 0}, split_rngs={"params": False})
    return tuple(Heads(16).init(key, X)["params"]["kernel"])


def right_lifted_vmap_parameters(key):
    """The key is split over the heads."""
    Heads = nn.vmap(nn.Dense, in_axes=None, axis_size=3, variable_axes={"params": 0}, split_rngs={"params": True})
    return tuple(Heads(16).init(key, X)["params"]["kernel"])


class Step(nn.Module):
    @nn.compact
    def __call__(self, carry, x):
        noise = jax.random.normal(self.make_rng("noise"), x.shape)
        return carry + noise, noise


def wrong_lifted_scan(key):
    """The recurrent noise is equal in all steps of time."""
    RNN = nn.scan(Step, variable_broadcast="params", split_rngs={"params": False, "noise": False})
    _, noises = RNN().apply({}, jnp.zeros(FEATURES), jnp.zeros((4, FEATURES)), rngs={"noise": key})
    return tuple(noises)


def right_lifted_scan(key):
    """The stream is split over the steps of time."""
    RNN = nn.scan(Step, variable_broadcast="params", split_rngs={"params": False, "noise": True})
    _, noises = RNN().apply({}, jnp.zeros(FEATURES), jnp.zeros((4, FEATURES)), rngs={"noise": key})
    return tuple(noises)


def wrong_bind(key):
    """Two bound modules count from the same key."""
    noise = Jitter()
    a = noise.bind({}, rngs={"noise": key})
    b = noise.bind({}, rngs={"noise": key})
    return a(X), b(X)


def right_bind(key):
    """One bound module: it counts what it gives."""
    noise = Jitter().bind({}, rngs={"noise": key})
    return noise(X), noise(X)


# training


def wrong_train_state(key):
    """apply_fn of the state is module.apply: the key in the state is used twice."""
    state = new_state(key)
    clean = state.apply_fn({"params": state.params}, X, rngs={"dropout": state.key})
    noisy = state.apply_fn({"params": state.params}, X, rngs={"dropout": state.key})
    return clean, noisy


def right_train_state(key):
    """The second pass is deterministic and draws nothing."""
    state = new_state(key)
    train = state.apply_fn({"params": state.params}, X, rngs={"dropout": state.key})
    evaluation = state.apply_fn({"params": state.params}, X, train=False, rngs={"dropout": state.key})
    return train, evaluation


@jax.jit
def train_step(state: TrainState, x: jax.Array, y: jax.Array, dropout_key: jax.Array):
    def loss_fn(params):
        out = state.apply_fn({"params": params}, x, train=True, rngs={"dropout": dropout_key})
        return jnp.mean((out - y) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


def wrong_training_loop(key):
    """Each step of the training has the same mask (with a learning rate of 0 the losses show it)."""
    state = new_state(key)
    losses = []
    for _ in range(3):
        state, loss = train_step(state, X, Y, key)
        losses.append(loss)
    return tuple(losses)


def right_training_loop(key):
    """The step of the state is folded into the key, and apply_gradients counts it."""
    state = new_state(key)
    losses = []
    for _ in range(3):
        state, loss = train_step(state, X, Y, jax.random.fold_in(key, state.step))
        losses.append(loss)
    return tuple(losses)


@jax.jit
def step_with_key_of_state(state: TrainState, x, y):
    dropout_key = jax.random.fold_in(key=state.key, data=state.step)

    def loss_fn(params):
        out = state.apply_fn({"params": params}, x, rngs={"dropout": dropout_key})
        return optax.l2_loss(out, y).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


def wrong_state_not_kept(key):
    """The new state is thrown away, so its step stays 0 and the folded key is the same."""
    state = new_state(key)
    _, first = step_with_key_of_state(state, X, Y)
    _, second = step_with_key_of_state(state, X, Y)
    return first, second


def right_state_not_kept(key):
    """The key of the state never changes, but its step does."""
    state = new_state(key)
    state, first = step_with_key_of_state(state, X, Y)
    state, second = step_with_key_of_state(state, X, Y)
    return first, second


def wrong_epoch_folded_into_batches(key):
    """The epoch is folded in, the batch is not."""
    masks = []
    for epoch in range(2):
        epoch_key = jax.random.fold_in(key, epoch)
        for batch in (Y, 2 * Y):
            masks.append(Masked().apply({}, batch, rngs={"dropout": epoch_key}) != 0)
    return tuple(masks)


def right_epoch_folded_into_batches(key):
    """A count over all batches is folded in."""
    masks, count = [], 0
    for _ in range(2):
        for batch in (Y, 2 * Y):
            masks.append(Masked().apply({}, batch, rngs={"dropout": jax.random.fold_in(key, count)}) != 0)
            count += 1
    return tuple(masks)


def wrong_value_and_grad(key):
    """The regularisation compares two passes of one mask: their difference is nought."""
    state = new_state(key)

    def loss_fn(params):
        p = state.apply_fn({"params": params}, X, rngs={"dropout": key})
        q = state.apply_fn({"params": params}, X, rngs={"dropout": key})
        return jnp.mean((p - q) ** 2), (p, q)

    (_, (p, q)), _ = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    return p, q


def right_value_and_grad(key):
    """R-Drop: each pass has its own key."""
    state = new_state(key)

    def loss_fn(params, keys):
        p, q = (state.apply_fn({"params": params}, X, rngs={"dropout": k}) for k in keys)
        return jnp.mean((p - q) ** 2), (p, q)

    (_, (p, q)), _ = jax.value_and_grad(loss_fn, has_aux=True)(state.params, jax.random.split(key))
    return p, q


class Predictor:
    """Holds parameters and a key, as in a service."""

    def __init__(self, model: nn.Module, params: Any, key: jax.Array):
        self.model, self.params, self.key = model, params, key

    def sample(self, x):
        return self.model.apply(self.params, x, rngs={"dropout": self.key})

    def sample_next(self, x):
        self.key, sub = jax.random.split(self.key)
        return self.model.apply(self.params, x, rngs={"dropout": sub})


def wrong_key_in_attribute(key):
    """The attribute never changes between two calls of the method."""
    model = Regressor()
    predictor = Predictor(model, params_of(model), key)
    return predictor.sample(X), predictor.sample(X)


def right_key_in_attribute(key):
    """The method writes the attribute before it draws."""
    model = Regressor()
    predictor = Predictor(model, params_of(model), key)
    return predictor.sample_next(X), predictor.sample_next(X)


def wrong_state_tuple(key):
    """The tuple of the state comes back with the key that it came with."""

    def step(state):
        count, rng = state
        out = Jitter().apply({}, X, rngs={"noise": rng})
        return (count + 1, rng), out

    state, first = step((0, key))
    state, second = step(state)
    return first, second


def right_state_tuple(key):
    """The count of the state is folded into its key."""

    def step(state):
        count, rng = state
        out = Jitter().apply({}, X, rngs={"noise": jax.random.fold_in(rng, count)})
        return (count + 1, rng), out

    state, first = step((0, key))
    state, second = step(state)
    return first, second


def wrong_branches(key):
    """After the branches the key is used again, whichever was taken."""
    augment = True
    model = Jitter()
    x = model.apply({}, X, rngs={"noise": key}) if augment else X
    return x, model.apply({}, X, rngs={"noise": key})


def right_branches(key):
    """Only one of the branches draws."""
    k1, k2 = jax.random.split(key)
    out = []
    for noisy in (True, False):
        if noisy:
            out.append(Jitter().apply({}, X, rngs={"noise": k1}))
        else:
            out.append(Masked().apply({}, X, rngs={"dropout": k1}))
    return (*out, Jitter().apply({}, X, rngs={"noise": k2}))


# further surroundings


@struct.dataclass
class Sampler:
    """A dataclass with the function of a module, as in agents for reinforcement learning."""

    params: Any
    key: jax.Array
    apply_fn: Callable = struct.field(pytree_node=False)

    @classmethod
    def create(cls, model: nn.Module, key: jax.Array) -> "Sampler":
        return cls(params=params_of(model), key=key, apply_fn=model.apply)

    def sample(self, x) -> tuple["Sampler", jax.Array]:
        key, sub = jax.random.split(self.key)
        return self.replace(key=key), self.apply_fn(self.params, x, rngs={"dropout": sub})


def wrong_struct_dataclass(key):
    """The method returns a new object, which the caller drops."""
    sampler = Sampler.create(Regressor(), key)
    _, first = sampler.sample(X)
    _, second = sampler.sample(X)
    return first, second


def right_struct_dataclass(key):
    """The new object takes the place of the old one."""
    sampler = Sampler.create(Regressor(), key)
    sampler, first = sampler.sample(X)
    sampler, second = sampler.sample(X)
    return first, second


def wrong_models_of_registry(key):
    """The models of the registry are initialised in a loop, with one key."""
    registry = {"actor": nn.Dense(16), "critic": nn.Dense(16)}
    params = {name: model.init(key, X)["params"] for name, model in registry.items()}
    return params["actor"]["kernel"], params["critic"]["kernel"]


def right_models_of_registry(key):
    """zip hands a key to each model."""
    registry = {"actor": nn.Dense(16), "critic": nn.Dense(16)}
    keys = dict(zip(registry, jax.random.split(key, len(registry))))
    params = {name: model.init(keys[name], X)["params"] for name, model in registry.items()}
    return params["actor"]["kernel"], params["critic"]["kernel"]


def wrong_keyword_dictionary(key):
    """The keyword arguments are collected once, with the key among them."""
    model = Regressor()
    kwargs = dict(train=True, rngs=dict(dropout=key))
    variables = params_of(model)
    return model.apply(variables, X, **kwargs), model.apply(variables, X, **kwargs)


def right_keyword_dictionary(key):
    """The second call overrides the mode, and draws nothing."""
    model = Regressor()
    kwargs = dict(train=True, rngs=dict(dropout=key))
    variables = params_of(model)
    return model.apply(variables, X, **kwargs), model.apply(variables, X, **{**kwargs, "train": False})


def wrong_while_loop(key):
    """The loop runs until enough is drawn, with what is always the same."""
    noises, total = [], 0
    while total < 3:
        noises.append(Jitter().apply({}, X, rngs={"noise": key}))
        total += 1
    return tuple(noises)


def right_while_loop(key):
    """The loop takes a key off in each round."""
    noises = []
    while len(noises) < 3:
        key, sub = jax.random.split(key)
        noises.append(Jitter().apply({}, X, rngs={"noise": sub}))
    return tuple(noises)


def wrong_fori_loop(key):
    """The body of the loop folds the length in, which is the same in each round."""
    n = 3

    def body(i, out):
        return out.at[i].set(Jitter().apply({}, X[0], rngs={"noise": jax.random.fold_in(key, n)}))

    return tuple(jax.lax.fori_loop(0, n, body, jnp.zeros((n, FEATURES))))


def right_fori_loop(key):
    """The body of the loop folds the number of the round in."""
    n = 3

    def body(i, out):
        return out.at[i].set(Jitter().apply({}, X[0], rngs={"noise": jax.random.fold_in(key, i)}))

    return tuple(jax.lax.fori_loop(0, n, body, jnp.zeros((n, FEATURES))))


def wrong_cond(key):
    """Whichever branch runs, what comes after it drops the same units."""
    drop = lambda x: Masked().apply({}, x, rngs={"dropout": key})
    y = jax.lax.cond(X.sum() < 1.0, drop, lambda x: x, Y)
    return y, drop(Y)


def right_cond(key):
    """Two branches with one key, of which one runs, and a key for what follows."""
    k1, k2 = jax.random.split(key)
    few = lambda x: Masked(0.1).apply({}, x, rngs={"dropout": k1})
    many = lambda x: Masked(0.9).apply({}, x, rngs={"dropout": k1})
    y = jax.lax.cond(X.sum() < 1.0, few, many, Y)
    return y, Masked().apply({}, Y, rngs={"dropout": k2})


def wrong_layers_of_sequential(key):
    """The layers of a Sequential are called one by one, each with the key."""
    layers = nn.Sequential([Masked(), Masked()]).layers
    return tuple(layer.apply({}, Y, rngs={"dropout": key}) for layer in layers)


def right_layers_of_sequential(key):
    """The layers are called one by one, each with its key."""
    layers = nn.Sequential([Masked(), Masked()]).layers
    keys = jax.random.split(key, len(layers))
    return tuple(layer.apply({}, Y, rngs={"dropout": k}) for layer, k in zip(layers, keys))


def wrong_params_stream_as_default(key):
    """Without a stream of its name, make_rng takes from params: both calls of apply are equal."""
    noise = Jitter()
    return noise.apply({}, X, rngs={"params": key}), noise.apply({}, X, rngs={"noise": key})


def right_params_stream_as_default(key):
    """The stream that is missing is not needed, since nothing is drawn."""
    model = Regressor(rate=0.0)
    variables = params_of(model)
    return model.apply(variables, X, rngs={"params": key}), model.apply(variables, X + 1.0, rngs={"dropout": key})


class Layer(nn.Module):
    @nn.compact
    def __call__(self, x, _):
        return nn.tanh(nn.Dense(FEATURES)(x)), None


def wrong_scan_over_layers(key):
    """The layers of the stack have parameters of their own, and all of them are made of one key."""
    Stack = nn.scan(Layer, variable_axes={"params": 0}, split_rngs={"params": False}, length=3)
    return tuple(Stack().init(key, X, None)["params"]["Dense_0"]["kernel"])


def right_scan_over_layers(key):
    """The key is split over the layers of the stack."""
    Stack = nn.scan(Layer, variable_axes={"params": 0}, split_rngs={"params": True}, length=3)
    return tuple(Stack().init(key, X, None)["params"]["Dense_0"]["kernel"])


def wrong_lifted_method(key):
    """A map in a method of a module, over its rows: they share the noise."""

    class Rows(nn.Module):
        @nn.compact
        def __call__(self, x):
            rows = nn.vmap(Jitter, variable_axes={}, split_rngs={"noise": False})
            return rows()(x)

    return tuple(Rows().apply({}, jnp.zeros((4, FEATURES)), rngs={"noise": key}))


def right_lifted_method(key):
    """A map in a method of a module, over its rows, each with noise of its own."""

    class Rows(nn.Module):
        @nn.compact
        def __call__(self, x):
            rows = nn.vmap(Jitter, variable_axes={}, split_rngs={"noise": True})
            return rows()(x)

    return tuple(Rows().apply({}, jnp.zeros((4, FEATURES)), rngs={"noise": key}))
