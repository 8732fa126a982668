"""Random keys in programs of flax.nnx: ``Rngs`` and their counts, merged states, lifted transformations."""

import copy
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import optax
from flax import nnx

FEATURES = 48
X = jnp.linspace(-1.0, 1.0, 2 * FEATURES).reshape(2, FEATURES)
ONES = jnp.ones((2, FEATURES))


class MLP(nnx.Module):
    def __init__(self, width: int, *, rngs: nnx.Rngs):
        self.linear1 = nnx.Linear(width, width, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)
        self.linear2 = nnx.Linear(width, width, rngs=rngs)

    def __call__(self, x):
        return self.linear2(self.dropout(nnx.tanh(self.linear1(x))))


class Noise(nnx.Module):
    def __init__(self, rngs: nnx.Rngs, scale: float = 0.1):
        self.rngs = rngs
        self.scale = scale

    def __call__(self, x):
        return x + self.scale * jax.random.normal(self.rngs.noise(), x.shape)


class VAE(nnx.Module):
    def __init__(self, latents: int, *, rngs: nnx.Rngs):
        self.mean = nnx.Linear(FEATURES, latents, rngs=rngs)
        self.logvar = nnx.Linear(FEATURES, latents, rngs=rngs)
        self.rngs = rngs

    def __call__(self, x):
        key = self.rngs.latent()
        return self.mean(x) + jnp.exp(0.5 * self.logvar(x)) * jax.random.normal(key, (x.shape[0], 8))

    def sample_with(self, x, key):
        return self.mean(x) + jnp.exp(0.5 * self.logvar(x)) * jax.random.normal(key, (x.shape[0], 8))


@dataclass(frozen=True)
class Config:
    width: int = FEATURES
    seed: int = 11


# Rngs


def wrong_rngs_of_one_key(key):
    """Each call makes Rngs anew from the key, so both layers start from equal weights."""
    query = nnx.Linear(16, 16, rngs=nnx.Rngs(key))
    value = nnx.Linear(16, 16, rngs=nnx.Rngs(key))
    return query.kernel[...], value.kernel[...]


def right_rngs_of_one_key(key):
    """Both layers take from one object, which counts."""
    rngs = nnx.Rngs(key)
    query = nnx.Linear(16, 16, rngs=rngs)
    value = nnx.Linear(16, 16, rngs=rngs)
    return query.kernel[...], value.kernel[...]


def wrong_rngs_of_one_integer():
    """Generator and discriminator have equal seeds and equal shapes."""
    generator = MLP(FEATURES, rngs=nnx.Rngs(0))
    discriminator = MLP(FEATURES, rngs=nnx.Rngs(0))
    return generator.linear1.kernel[...], discriminator.linear1.kernel[...]


def right_rngs_of_one_integer():
    """The seeds differ."""
    generator = MLP(FEATURES, rngs=nnx.Rngs(0))
    discriminator = MLP(FEATURES, rngs=nnx.Rngs(1))
    return generator.linear1.kernel[...], discriminator.linear1.kernel[...]


def wrong_integer_and_key():
    """An integer is the seed of a key: Rngs(0) and Rngs(jax.random.key(0)) are equal."""
    train_rngs = nnx.Rngs(0)
    test_rngs = nnx.Rngs(jax.random.key(0))
    return jax.random.normal(train_rngs(), (8,)), jax.random.normal(test_rngs(), (8,))


def right_integer_and_key():
    """The second key has another seed."""
    train_rngs = nnx.Rngs(0)
    test_rngs = nnx.Rngs(jax.random.key(1))
    return jax.random.normal(train_rngs(), (8,)), jax.random.normal(test_rngs(), (8,))


def wrong_streams_of_one_key(key):
    """Two named streams of one key give equal keys in step."""
    rngs = nnx.Rngs(params=key, dropout=key)
    return jax.random.normal(rngs.params(), (16,)), jax.random.normal(rngs.dropout(), (16,))


def right_streams_of_one_key(key):
    """Neither name is a stream: both calls count the default stream."""
    rngs = nnx.Rngs(key)
    return jax.random.normal(rngs.params(), (16,)), jax.random.normal(rngs.dropout(), (16,))


def wrong_streams_of_one_integer():
    """Streams with equal seeds are equal, whatever their names are."""
    rngs = nnx.Rngs(0, noise=0)
    return rngs.normal((3, 4)), rngs.noise.normal((3, 4))


def right_streams_of_one_integer():
    """Each stream has its seed."""
    rngs = nnx.Rngs(0, noise=1)
    return rngs.normal((3, 4)), rngs.noise.normal((3, 4))


def wrong_key_of_stream_kept(key):
    """The stream is asked once, and the key is used twice."""
    rngs = nnx.Rngs(key)
    noise_key = rngs.noise()
    observation = jax.random.normal(noise_key, (FEATURES,))
    action = jax.random.normal(noise_key, (FEATURES,))
    return observation, action


def right_key_of_stream_kept(key):
    """The stream is asked for each use."""
    rngs = nnx.Rngs(key)
    observation = jax.random.normal(rngs.noise(), (FEATURES,))
    action = jax.random.normal(rngs.noise(), (FEATURES,))
    return observation, action


def wrong_key_attribute_of_stream(key):
    """The key attribute of a stream never changes: only a call counts."""
    rngs = nnx.Rngs(params=key)
    w = jax.random.normal(rngs.params.key[...], (4, 4))
    b = jax.random.normal(rngs.params.key[...], (4, 4))
    return w, b


def right_key_attribute_of_stream(key):
    """The stream has methods that draw, and each counts."""
    rngs = nnx.Rngs(params=key)
    w = rngs.params.normal((4, 4))
    b = rngs.params.normal((4, 4))
    return w, b


def wrong_stream_in_new_rngs(key):
    """New Rngs of a stream begin with its key and with the count 0."""
    rngs = nnx.Rngs(key)
    other = nnx.Rngs(rngs.default)
    return rngs.uniform((5,)), other.uniform((5,))


def right_stream_in_new_rngs(key):
    """A fork draws a key from the stream, which counts."""
    rngs = nnx.Rngs(key)
    other = rngs.fork()
    return rngs.uniform((5,)), other.uniform((5,))


def wrong_fork_of_equal_rngs(key):
    """Forks of two objects from one key are equal."""
    left = nnx.Rngs(key).fork()
    right = nnx.Rngs(key).fork()
    return left.normal((7,)), right.normal((7,))


def right_fork_of_equal_rngs(key):
    """Forks of one object differ."""
    rngs = nnx.Rngs(key)
    left = rngs.fork()
    right = rngs.fork()
    return left.normal((7,)), right.normal((7,))


def wrong_broadcast(key):
    """broadcast gives the same key to each lane."""
    rngs = nnx.Rngs(key)
    samples = nnx.vmap(lambda r: r.normal((6,)))(rngs.broadcast(3))
    return tuple(samples)


def right_broadcast(key):
    """split gives each lane a key."""
    rngs = nnx.Rngs(key)
    samples = nnx.vmap(lambda r: r.normal((6,)))(rngs.split(3))
    return tuple(samples)


def wrong_initializers(key):
    """Two tables of one key, outside of any module."""
    init = nnx.initializers.normal(0.02)
    tokens = nnx.Param(init(key, (10, 8)))
    positions = nnx.Param(init(key, (10, 8)))
    return tokens[...], positions[...]


def right_initializers(key):
    """Rngs make a key for each table."""
    rngs = nnx.Rngs(key)
    init = nnx.initializers.normal(0.02)
    tokens = nnx.Param(init(rngs.params(), (10, 8)))
    positions = nnx.Param(init(rngs.params(), (10, 8)))
    return tokens[...], positions[...]


def wrong_seed_of_config():
    """Online and target network are built apart from one configuration."""
    config = Config()

    def build(config: Config) -> MLP:
        return MLP(config.width, rngs=nnx.Rngs(config.seed))

    policy, critic = build(config), build(config)
    return policy.linear2.kernel[...], critic.linear2.kernel[...]


def right_seed_of_config():
    """The caller makes Rngs from the configuration once."""
    config = Config()

    def build(config: Config, rngs: nnx.Rngs) -> MLP:
        return MLP(config.width, rngs=rngs)

    rngs = nnx.Rngs(config.seed)
    policy, critic = build(config, rngs), build(config, rngs)
    return policy.linear2.kernel[...], critic.linear2.kernel[...]


def wrong_layers_in_loop(key):
    """Rngs are made in the loop: a stack of equal layers."""
    layers = []
    for _ in range(3):
        layers.append(nnx.Linear(12, 12, rngs=nnx.Rngs(params=key)))
    return tuple(layer.kernel[...] for layer in layers)


def right_layers_in_loop(key):
    """Rngs are made before the loop."""
    rngs = nnx.Rngs(params=key)
    layers = []
    for _ in range(3):
        layers.append(nnx.Linear(12, 12, rngs=rngs))
    return tuple(layer.kernel[...] for layer in layers)


def wrong_members_by_vmap(key):
    """The keys of the members are copies of one."""

    @nnx.vmap
    def create(k):
        return nnx.Linear(8, 8, rngs=nnx.Rngs(k))

    ensemble = create(jnp.stack([key] * 3))
    return tuple(ensemble.kernel[...])


def right_members_by_vmap(key):
    """Rngs of a key are made in each lane, but the lanes have split keys."""

    @nnx.vmap
    def create(k):
        return nnx.Linear(8, 8, rngs=nnx.Rngs(k))

    ensemble = create(jax.random.split(key, 3))
    return tuple(ensemble.kernel[...])


# calls of modules


def wrong_dropout_given_key(key):
    """A key that is given to the call is used as it is."""
    dropout = nnx.Dropout(0.5)
    return dropout(ONES, rngs=key), dropout(ONES, rngs=key)


def right_dropout_given_key(key):
    """Rngs that are given to the call count."""
    dropout = nnx.Dropout(0.5)
    rngs = nnx.Rngs(key)
    return dropout(ONES, rngs=rngs), dropout(ONES, rngs=rngs)


def wrong_dropout_given_new_rngs():
    """New Rngs for each call of the layer begin anew."""
    dropout = nnx.Dropout(0.5)
    key = jax.random.PRNGKey(3)
    return tuple(dropout(ONES, rngs=nnx.Rngs(dropout=key)) for _ in range(2))


def right_dropout_given_new_rngs():
    """The number of the call is folded into the key of the new Rngs."""
    dropout = nnx.Dropout(0.5)
    key = jax.random.PRNGKey(3)
    return tuple(dropout(ONES, rngs=nnx.Rngs(dropout=jax.random.fold_in(key, i))) for i in range(2))


def wrong_two_dropouts(key):
    """Two layers of equal Rngs drop the same units."""
    attention = nnx.Dropout(0.2, rngs=nnx.Rngs(dropout=key))
    residual = nnx.Dropout(0.2, rngs=nnx.Rngs(dropout=key))
    return attention(ONES), residual(ONES)


def right_two_dropouts(key):
    """The second layer has the rate 0: it draws nothing."""
    attention = nnx.Dropout(0.2, rngs=nnx.Rngs(dropout=key))
    residual = nnx.Dropout(0.0, rngs=nnx.Rngs(dropout=key))
    return attention(ONES), residual(ONES)


def wrong_monte_carlo(key):
    """The model of each pass is built anew from the key."""

    def predict(x):
        model = MLP(FEATURES, rngs=nnx.Rngs(key))
        return model(x)

    return tuple(predict(X) for _ in range(3))


def right_monte_carlo(key):
    """One model is called: its layer counts the masks."""
    model = MLP(FEATURES, rngs=nnx.Rngs(key))
    return tuple(model(X) for _ in range(3))


def wrong_train_and_eval(key):
    """The copy that was put aside before training is in its mode, and has its count."""
    model = MLP(FEATURES, rngs=nnx.Rngs(0, dropout=key))
    evaluated = nnx.clone(model)
    model.train()
    train = model(X)
    evaluated.train()
    return train, evaluated(X)


def right_train_and_eval(key):
    """The second pass is in the mode of evaluation, and the third one counts on."""
    model = MLP(FEATURES, rngs=nnx.Rngs(0, dropout=key))
    train = model(X)
    model.eval()
    evaluation = model(X)
    model.train()
    return train, evaluation, model(X)


def wrong_reseed_per_epoch():
    """Each epoch begins with the same masks."""
    model = MLP(FEATURES, rngs=nnx.Rngs(params=0, dropout=1))
    masks = []
    for epoch in range(3):
        nnx.reseed(model, dropout=42)
        masks.append(model.dropout(ONES))
    return tuple(masks)


def right_reseed_per_epoch():
    """The epoch is part of the seed."""
    model = MLP(FEATURES, rngs=nnx.Rngs(params=0, dropout=1))
    masks = []
    for epoch in range(3):
        nnx.reseed(model, dropout=42 + epoch)
        masks.append(model.dropout(ONES))
    return tuple(masks)


def wrong_clone(key):
    """A clone has the stream and the count of its model."""
    model = MLP(FEATURES, rngs=nnx.Rngs(key))
    target = nnx.clone(model)
    return model(X), target(X)


def right_clone(key):
    """A view shares the streams with its model, so they count together."""
    model = MLP(FEATURES, rngs=nnx.Rngs(key))
    target = nnx.view(model, deterministic=False)
    return model(X), target(X)


def wrong_deepcopy(key):
    """A copy of Rngs begins where they were."""
    rngs = nnx.Rngs(key)
    saved = copy.deepcopy(rngs)
    return rngs.normal((9,)), saved.normal((9,))


def right_deepcopy(key):
    """Another name is no copy."""
    rngs = nnx.Rngs(key)
    saved = rngs
    return rngs.normal((9,)), saved.normal((9,))


def wrong_checkpoint(key):
    """A checkpoint of the whole state brings the count back."""
    model = MLP(FEATURES, rngs=nnx.Rngs(key))
    checkpoint = jax.tree.map(jnp.copy, nnx.state(model))
    first = model(X)
    nnx.update(model, checkpoint)
    return first, model(X)


def right_checkpoint(key):
    """A checkpoint of the parameters leaves the count as it is."""
    model = MLP(FEATURES, rngs=nnx.Rngs(key))
    checkpoint = jax.tree.map(jnp.copy, nnx.state(model, nnx.Param))
    first = model(X)
    nnx.update(model, checkpoint)
    return first, model(X)


class KeyedNoise(nnx.Module):
    def __init__(self, key: jax.Array):
        self.key = nnx.Variable(key)

    def __call__(self, shape):
        return jax.random.normal(self.key[...], shape)

    def advance(self, shape):
        self.key[...], sub = jax.random.split(self.key[...])
        return jax.random.normal(sub, shape)


def wrong_key_in_variable(key):
    """The variable that holds the key is read and never written."""
    noise = KeyedNoise(key)
    return noise((4,)), noise((4,))


def right_key_in_variable(key):
    """The method writes what is left of the key into the variable."""
    noise = KeyedNoise(key)
    return noise.advance((4,)), noise.advance((4,))


def wrong_latent_with_key(key):
    """Both images of the pair get the latent noise of one key."""
    vae = VAE(8, rngs=nnx.Rngs(0))
    return vae.sample_with(X, key), vae.sample_with(X, key)


def right_latent_with_key(key):
    """The module asks its own stream."""
    vae = VAE(8, rngs=nnx.Rngs(params=0, latent=key))
    return vae(X), vae(X)


# jit, merge, and states


def wrong_merge_in_jit(key):
    """The merged model counts inside of the compiled function, and nobody sees it."""
    model = MLP(FEATURES, rngs=nnx.Rngs(key))
    graphdef, state = nnx.split(model)

    @jax.jit
    def forward(state, x):
        return nnx.merge(graphdef, state)(x)

    return forward(state, X), forward(state, X)


def right_merge_in_jit(key):
    """The compiled function returns the state with the counts."""
    model = MLP(FEATURES, rngs=nnx.Rngs(key))
    graphdef, state = nnx.split(model)

    @jax.jit
    def forward(state, x):
        model = nnx.merge(graphdef, state)
        y = model(x)
        return y, nnx.state(model)

    first, state = forward(state, X)
    second, state = forward(state, X)
    return first, second


def wrong_merge_twice(key):
    """Two models are merged from copies of one state, and both count from there."""
    graphdef, state = nnx.split(MLP(FEATURES, rngs=nnx.Rngs(key)))
    return nnx.merge(graphdef, state, copy=True)(X), nnx.merge(graphdef, state, copy=True)(X)


def right_merge_twice(key):
    """Without a copy, the merged models share the variables of the state, so the counts too."""
    graphdef, state = nnx.split(MLP(FEATURES, rngs=nnx.Rngs(key)))
    return nnx.merge(graphdef, state)(X), nnx.merge(graphdef, state)(X)


def wrong_jax_jit_of_model(key):
    """jax.jit takes the model as a tree: its counts stay as they were."""
    noise = Noise(nnx.Rngs(noise=key))
    forward = jax.jit(lambda noise, x: noise(x))
    return forward(noise, X), forward(noise, X)


def right_jax_jit_of_model(key):
    """nnx.jit writes the counts back."""
    noise = Noise(nnx.Rngs(noise=key))
    forward = nnx.jit(lambda noise, x: noise(x))
    return forward(noise, X), forward(noise, X)


def wrong_rngs_as_argument_of_jit(key):
    """Rngs that go through jax.jit do not count outside."""
    rngs = nnx.Rngs(key)

    @jax.jit
    def sample(rngs):
        return rngs.normal((10,))

    return sample(rngs), sample(rngs)


def right_rngs_as_argument_of_jit(key):
    """A key goes through jax.jit, and the stream is asked outside."""
    rngs = nnx.Rngs(key)

    @jax.jit
    def sample(k):
        return jax.random.normal(k, (10,))

    return sample(rngs()), sample(rngs())


def wrong_states_of_one_split(key):
    """Both compiled calls take the state from before the first one, for two batches."""
    graphdef, params, rest = nnx.split(MLP(FEATURES, rngs=nnx.Rngs(key)), nnx.Param, ...)
    forward = jax.jit(lambda params, rest, x: nnx.merge(graphdef, params, rest).dropout(x) != 0)
    return tuple(forward(params, rest, batch) for batch in (ONES, 2 * ONES))


def right_states_of_one_split(key):
    """The streams of the state are reseeded on the way."""
    model = MLP(FEATURES, rngs=nnx.Rngs(params=0, dropout=1))
    graphdef, params, rest = nnx.split(model, nnx.Param, ...)

    @jax.jit
    def forward(params, rest, x, step):
        model = nnx.merge(graphdef, params, rest)
        nnx.reseed(model, dropout=jax.random.fold_in(key, step))
        return model.dropout(x) != 0

    return tuple(forward(params, rest, batch, i) for i, batch in enumerate((ONES, 2 * ONES)))


def wrong_jit_makes_rngs(key):
    """The compiled function makes its Rngs from the key that it closes over."""

    @nnx.jit
    def augment(x):
        rngs = nnx.Rngs(key)
        return x + 0.1 * rngs.normal(x.shape)

    return augment(X), augment(X)


def right_jit_makes_rngs(key):
    """The compiled function takes the Rngs, and nnx.jit writes their counts back."""

    @nnx.jit
    def augment(x, rngs):
        return x + 0.1 * rngs.normal(x.shape)

    rngs = nnx.Rngs(key)
    return augment(X, rngs), augment(X, rngs)


# lifted transformations


def wrong_vmap_in_axes_none(key):
    """With in_axes=None all lanes have one stream at one count."""
    rngs = nnx.Rngs(key)

    @nnx.vmap(in_axes=(None, 0))
    def perturb(rngs, x):
        return x + rngs.normal(x.shape)

    return tuple(perturb(rngs, jnp.zeros((3, 8))))


def right_vmap_in_axes_none(key):
    """The noise has the shape of the whole batch, and is drawn outside of vmap."""
    rngs = nnx.Rngs(key)

    @nnx.vmap(in_axes=(0, 0))
    def perturb(noise, x):
        return x + noise

    return tuple(perturb(rngs.normal((3, 8)), jnp.zeros((3, 8))))


def wrong_split_rngs(key):
    """split_rngs splits the streams that `only` names, and dropout is none of them."""
    model = MLP(FEATURES, rngs=nnx.Rngs(params=0, dropout=key))
    axes = nnx.StateAxes({"params": 0, ...: None})

    @nnx.split_rngs(splits=4, only="params")
    @nnx.vmap(in_axes=(axes, 0))
    def forward(model, x):
        return model.dropout(x)

    return tuple(forward(model, jnp.ones((4, FEATURES))))


def right_split_rngs(key):
    """split_rngs splits dropout, and the axes of vmap follow it."""
    model = MLP(FEATURES, rngs=nnx.Rngs(params=0, dropout=key))
    axes = nnx.StateAxes({"dropout": 0, ...: None})

    @nnx.split_rngs(splits=4, only="dropout")
    @nnx.vmap(in_axes=(axes, 0))
    def forward(model, x):
        return model.dropout(x)

    return tuple(forward(model, jnp.ones((4, FEATURES))))


def wrong_vmap_of_model(key):
    """The state has no axis of examples: each example loses the same units."""
    graphdef, state = nnx.split(nnx.Dropout(0.5, rngs=nnx.Rngs(key)))
    forward = jax.vmap(lambda state, x: nnx.merge(graphdef, state)(x), in_axes=(None, 0))
    return tuple(forward(state, jnp.ones((3, FEATURES))))


def right_vmap_of_model(key):
    """The layer takes the batch at once."""
    dropout = nnx.Dropout(0.5, rngs=nnx.Rngs(key))
    return tuple(dropout(jnp.ones((3, FEATURES))))


def wrong_scan(key):
    """Rngs with the axis None are the same in all steps."""
    rngs = nnx.Rngs(key)

    @nnx.scan(in_axes=(nnx.Carry, 0, None), out_axes=(nnx.Carry, 0))
    def walk(position, drift, rngs):
        step = drift + rngs.normal((3,))
        return position + step, step

    _, steps = walk(jnp.zeros(3), jnp.zeros((4, 3)), rngs)
    return tuple(steps)


def right_scan(key):
    """Rngs in the carry count from step to step."""
    rngs = nnx.Rngs(key)

    @nnx.scan(in_axes=(nnx.Carry, 0), out_axes=(nnx.Carry, 0))
    def walk(carry, drift):
        position, rngs = carry
        step = drift + rngs.normal((3,))
        return (position + step, rngs), step

    _, steps = walk((jnp.zeros(3), rngs), jnp.zeros((4, 3)))
    return tuple(steps)


# training


@nnx.jit
def train_step(model: MLP, optimizer: nnx.Optimizer, x, y):
    def loss_fn(model):
        return jnp.mean((model(x) - y) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)
    return loss


def wrong_training_loop(key):
    """The streams are reseeded with one key before each step (with a learning rate of 0 the losses show it)."""
    model = MLP(FEATURES, rngs=nnx.Rngs(params=0, dropout=1))
    optimizer = nnx.Optimizer(model, optax.sgd(0.0), wrt=nnx.Param)
    losses = []
    for _ in range(3):
        nnx.reseed(model, dropout=key)
        losses.append(train_step(model, optimizer, X, ONES))
    return tuple(losses)


def right_training_loop(key):
    """The model counts through nnx.jit and nnx.value_and_grad."""
    model = MLP(FEATURES, rngs=nnx.Rngs(params=0, dropout=key))
    optimizer = nnx.Optimizer(model, optax.sgd(0.0), wrt=nnx.Param)
    return tuple(train_step(model, optimizer, X, ONES) for _ in range(3))


def wrong_functional_training(key):
    """The functional step returns gradients, and drops the counts."""
    graphdef, params, rest = nnx.split(MLP(FEATURES, rngs=nnx.Rngs(key)), nnx.Param, ...)

    @jax.jit
    @partial(jax.value_and_grad)
    def loss_fn(params, rest, x):
        return jnp.mean(nnx.merge(graphdef, params, rest, copy=True)(x) ** 2)

    first, _ = loss_fn(params, rest, X)
    second, _ = loss_fn(params, rest, X)
    return first, second


def right_functional_training(key):
    """The functional step hands the rest of the state back as an auxiliary value."""
    graphdef, params, rest = nnx.split(MLP(FEATURES, rngs=nnx.Rngs(key)), nnx.Param, ...)

    @jax.jit
    @partial(jax.value_and_grad, has_aux=True)
    def loss_fn(params, rest, x):
        model = nnx.merge(graphdef, params, rest, copy=True)
        return jnp.mean(model(x) ** 2), nnx.split(model, nnx.Param, ...)[2]

    (first, rest), _ = loss_fn(params, rest, X)
    (second, rest), _ = loss_fn(params, rest, X)
    return first, second


def wrong_noise_in_loss(key):
    """The step makes its noise from the key that the trainer keeps."""

    class Trainer:
        def __init__(self, key):
            self.key = key
            self.model = nnx.Linear(FEATURES, FEATURES, rngs=nnx.Rngs(0))

        def step(self, x):
            rngs = nnx.Rngs(self.key)
            return self.model(x + rngs.normal(x.shape)).mean()

    trainer = Trainer(key)
    return trainer.step(X), trainer.step(X)


def right_noise_in_loss(key):
    """The trainer keeps Rngs."""

    class Trainer:
        def __init__(self, key):
            self.rngs = nnx.Rngs(key)
            self.model = nnx.Linear(FEATURES, FEATURES, rngs=nnx.Rngs(0))

        def step(self, x):
            return self.model(x + self.rngs.normal(x.shape)).mean()

    trainer = Trainer(key)
    return trainer.step(X), trainer.step(X)


# further surroundings


def wrong_default_rngs():
    """The default seed is the seed of both towers; a fork of equal Rngs is equal."""

    def build(width: int, seed: int = 0) -> MLP:
        return MLP(width, rngs=nnx.Rngs(seed).fork())

    return build(8).linear1.kernel[...], build(8).linear1.kernel[...]


def right_default_rngs():
    """The default Rngs are one object for all calls, and count."""

    def build(width: int, rngs: nnx.Rngs = nnx.Rngs(0)) -> MLP:
        return MLP(width, rngs=rngs)

    return build(8).linear1.kernel[...], build(8).linear1.kernel[...]


def wrong_blocks_of_list(key):
    """The blocks of the list are made with new Rngs of the key that the model got."""

    class Stack(nnx.Module):
        def __init__(self, depth: int, key: jax.Array):
            self.blocks = nnx.List([nnx.Linear(6, 6, rngs=nnx.Rngs(key)) for _ in range(depth)])

    return tuple(block.kernel[...] for block in Stack(3, key).blocks)


def right_blocks_of_list(key):
    """The blocks of the list are made with the Rngs that the model got."""

    class Stack(nnx.Module):
        def __init__(self, depth: int, rngs: nnx.Rngs):
            self.blocks = nnx.List([nnx.Linear(6, 6, rngs=rngs) for _ in range(depth)])

    return tuple(block.kernel[...] for block in Stack(3, nnx.Rngs(key)).blocks)


def wrong_models_of_dictionary(key):
    """The dictionary of models is made by a comprehension with the key."""
    models = {name: nnx.Linear(6, 6, rngs=nnx.Rngs(params=key)) for name in ("actor", "critic")}
    return models["actor"].kernel[...], models["critic"].kernel[...]


def right_models_of_dictionary(key):
    """The comprehension unpacks split keys beside the names."""
    names = ("actor", "critic")
    models = {n: nnx.Linear(6, 6, rngs=nnx.Rngs(params=k)) for n, k in zip(names, jax.random.split(key))}
    return models["actor"].kernel[...], models["critic"].kernel[...]


def wrong_two_modules_with_one_stream(key):
    """A stream that is unpacked to its key loses its count."""
    rngs = nnx.Rngs(noise=key)
    left, right = Noise(nnx.Rngs(noise=rngs.noise.key[...])), Noise(nnx.Rngs(noise=rngs.noise.key[...]))
    return left(X), right(X)


def right_two_modules_with_one_stream(key):
    """Two modules share one object, and each call of either counts."""
    rngs = nnx.Rngs(noise=key)
    left, right = Noise(rngs), Noise(rngs)
    return left(X), right(X), left(X)


def wrong_dropout_in_value_and_grad(key):
    """The loss clones the model that it gets, so the count of the model stays."""
    model = MLP(FEATURES, rngs=nnx.Rngs(params=0, dropout=key))

    def loss_fn(model):
        return nnx.clone(model)(X).mean()

    return nnx.value_and_grad(loss_fn)(model)[0], nnx.value_and_grad(loss_fn)(model)[0]


def right_dropout_in_value_and_grad(key):
    """nnx.value_and_grad writes the count back into the model."""
    model = MLP(FEATURES, rngs=nnx.Rngs(params=0, dropout=key))

    def loss_fn(model):
        return model(X).mean()

    return nnx.value_and_grad(loss_fn)(model)[0], nnx.value_and_grad(loss_fn)(model)[0]


def wrong_fori_loop(key):
    """The state that the loop closes over has one count in all rounds."""
    graphdef, state = nnx.split(Noise(nnx.Rngs(noise=key)))

    def body(i, out):
        return out.at[i].set(nnx.merge(graphdef, state, copy=True)(jnp.zeros(4)))

    return tuple(jax.lax.fori_loop(0, 3, body, jnp.zeros((3, 4))))


def right_fori_loop(key):
    """nnx.fori_loop carries the module."""

    def body(i, carry):
        noise, out = carry
        return noise, out.at[i].set(noise(jnp.zeros(4)))

    return tuple(nnx.fori_loop(0, 3, body, (Noise(nnx.Rngs(noise=key)), jnp.zeros((3, 4))))[1])


def wrong_examples_by_vmap(key):
    """The model maps over the examples, and its dropout has one count for all of them."""
    model = MLP(FEATURES, rngs=nnx.Rngs(key))
    forward = nnx.vmap(lambda model, x: model(x), in_axes=(None, 0))
    return tuple(forward(model, jnp.ones((3, FEATURES))))


def right_examples_by_vmap(key):
    """The keys of the model are split over the examples, and its parameters are not."""
    model = MLP(FEATURES, rngs=nnx.Rngs(key))
    axes = nnx.StateAxes({nnx.RngState: 0, ...: None})

    @nnx.split_rngs(splits=3)
    @nnx.vmap(in_axes=(axes, 0))
    def forward(model, x):
        return model(x)

    return tuple(forward(model, jnp.ones((3, FEATURES))))


def wrong_noise_by_vmap(key):
    """A layer of noise maps over the rows, with one stream for all of them."""
    noise = Noise(nnx.Rngs(noise=key))
    return tuple(nnx.vmap(lambda layer, row: layer(row), in_axes=(None, 0))(noise, jnp.zeros((3, FEATURES))))


def right_noise_by_vmap(key):
    """The layer of noise gets all rows at once."""
    noise = Noise(nnx.Rngs(noise=key))
    return tuple(noise(jnp.zeros((3, FEATURES))))
