"""Random keys in programs of Equinox: modules made from keys, layers called with ``key=``, filtered transformations."""

from collections.abc import Callable
from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import optax

SIZE = 48
x0 = jnp.linspace(-1.0, 1.0, SIZE)
ones = jnp.ones(SIZE)


class Net(eqx.Module):
    first: eqx.nn.Linear
    dropout: eqx.nn.Dropout
    second: eqx.nn.Linear

    def __init__(self, size: int = SIZE, *, key: jax.Array):
        key1, key2 = jr.split(key)
        self.first = eqx.nn.Linear(size, size, key=key1)
        self.dropout = eqx.nn.Dropout(0.5)
        self.second = eqx.nn.Linear(size, size, key=key2)

    def __call__(self, x, *, key=None, inference: bool | None = None):
        x = jnp.tanh(self.first(x))
        x = self.dropout(x, key=key, inference=inference)
        return self.second(x)


class Jitter(eqx.Module):
    scale: float = 0.1

    def __call__(self, x, key):
        return x + self.scale * jr.normal(key, x.shape)


class KeyedJitter(eqx.Module):
    """Keeps its key as a field; a module is immutable."""

    key: jax.Array
    scale: float = 0.1

    def __call__(self, x):
        return x + self.scale * jr.normal(self.key, x.shape)

    def advance(self):
        return eqx.tree_at(lambda m: m.key, self, jr.split(self.key, 1)[0])


# modules made from keys


def wrong_two_linears(key):
    """Two layers of one shape from one key have equal weights."""
    query = eqx.nn.Linear(16, 16, key=key)
    value = eqx.nn.Linear(16, 16, key=key)
    return query.weight, value.weight


def right_two_linears(key):
    """Each layer has a half of the key."""
    qkey, vkey = jr.split(key)
    query = eqx.nn.Linear(16, 16, key=qkey)
    value = eqx.nn.Linear(16, 16, key=vkey)
    return query.weight, value.weight


def wrong_key_of_constructor(key):
    """__init__ hands its key on to both fields."""

    class GLU(eqx.Module):
        gate: eqx.nn.Linear
        value: eqx.nn.Linear

        def __init__(self, size, *, key):
            self.gate = eqx.nn.Linear(size, size, key=key)
            self.value = eqx.nn.Linear(size, size, key=key)

    glu = GLU(12, key=key)
    return glu.gate.weight, glu.value.weight


def right_key_of_constructor(key):
    """__init__ splits its key, and hands it on to a field that draws nothing."""

    class GLU(eqx.Module):
        gate: eqx.nn.Linear
        value: eqx.nn.Linear
        norm: eqx.nn.LayerNorm

        def __init__(self, size, *, key):
            gkey, vkey = jr.split(key)
            self.gate = eqx.nn.Linear(size, size, key=gkey)
            self.value = eqx.nn.Linear(size, size, key=vkey)
            self.norm = eqx.nn.LayerNorm(size)

    glu = GLU(12, key=key)
    return glu.gate.weight, glu.value.weight, glu.norm.weight[None]


def wrong_layers_in_loop(key):
    """A stack of layers that are equal to each other."""
    layers = []
    for _ in range(3):
        layers.append(eqx.nn.Linear(10, 10, key=key))
    return tuple(layer.weight for layer in layers)


def right_layers_in_loop(key):
    """The key is split in each round of the loop."""
    layers = []
    for _ in range(3):
        key, subkey = jr.split(key)
        layers.append(eqx.nn.Linear(10, 10, key=subkey))
    return tuple(layer.weight for layer in layers)


def wrong_layers_in_comprehension():
    """A comprehension with one key."""
    key = jr.PRNGKey(5678)
    blocks = [eqx.nn.MLP(4, 4, 8, 1, key=key) for _ in range(3)]
    return tuple(block.layers[0].weight for block in blocks)


def right_layers_in_comprehension():
    """A comprehension over keys."""
    key = jr.PRNGKey(5678)
    blocks = [eqx.nn.MLP(4, 4, 8, 1, key=k) for k in jr.split(key, 3)]
    return tuple(block.layers[0].weight for block in blocks)


def wrong_generator_and_discriminator(key):
    """Two models of one class from one key."""
    generator, discriminator = Net(key=key), Net(key=key)
    return generator.first.weight, discriminator.first.weight


def right_generator_and_discriminator(key):
    """One model: it splits its key over its two layers."""
    net = Net(key=key)
    return net.first.weight, net.second.weight


def wrong_weight_of_new_layer(key):
    """The new weight is that of the old layer, made again from the key of the model."""
    model = eqx.nn.Linear(8, 8, key=key)
    replaced = eqx.tree_at(lambda m: m.weight, model, eqx.nn.Linear(8, 8, key=key).weight)
    return model.weight, replaced.weight


def right_weight_of_new_layer(key):
    """The new weight is made from another key."""
    key, fresh = jr.split(key)
    model = eqx.nn.Linear(8, 8, key=key)
    replaced = eqx.tree_at(lambda m: m.weight, model, eqx.nn.Linear(8, 8, key=fresh).weight)
    return model.weight, replaced.weight


def wrong_initialise_all_linears(key):
    """Each weight of the tree is drawn anew, with the same key."""
    model = eqx.nn.MLP(16, 16, 16, 2, key=jr.key(0))
    is_linear = lambda node: isinstance(node, eqx.nn.Linear)
    weights = [m.weight for m in jax.tree.leaves(model, is_leaf=is_linear) if is_linear(m)]
    new_weights = [jax.nn.initializers.lecun_normal()(key, w.shape) for w in weights]
    return tuple(new_weights)


def right_initialise_all_linears(key):
    """As the documentation has it: a key for each weight."""
    model = eqx.nn.MLP(16, 16, 16, 2, key=jr.key(0))
    is_linear = lambda node: isinstance(node, eqx.nn.Linear)
    weights = [m.weight for m in jax.tree.leaves(model, is_leaf=is_linear) if is_linear(m)]
    keys = jr.split(key, len(weights))
    new_weights = [jax.nn.initializers.lecun_normal()(k, w.shape) for w, k in zip(weights, keys)]
    return tuple(new_weights)


def wrong_ensemble(key):
    """The members of the ensemble are made from copies of one key."""

    @eqx.filter_vmap
    def make_ensemble(key):
        return eqx.nn.MLP(2, 2, 8, 1, key=key)

    ensemble = make_ensemble(jnp.repeat(key[None], 3, axis=0))
    return tuple(ensemble.layers[0].weight)


def right_ensemble(key):
    """The members of the ensemble are made from split keys."""

    @eqx.filter_vmap
    def make_ensemble(key):
        return eqx.nn.MLP(2, 2, 8, 1, key=key)

    ensemble = make_ensemble(jr.split(key, 3))
    return tuple(ensemble.layers[0].weight)


def wrong_factory(key):
    """The partial has the key bound, so all of its layers are equal."""
    make_layer: Callable[..., Any] = partial(eqx.nn.Conv1d, 2, 2, 3, key=key)
    return make_layer().weight, make_layer().weight


def right_factory(key):
    """The partial has no key, and each call gives one."""
    make_layer: Callable[..., Any] = partial(eqx.nn.Conv1d, 2, 2, 3)
    return tuple(make_layer(key=k).weight for k in jr.split(key))


def wrong_default_seed():
    """The default of the factory is a seed that both towers get."""

    def make_tower(width: int, seed: int = 0) -> eqx.nn.MLP:
        return eqx.nn.MLP(width, width, width, 1, key=jr.PRNGKey(seed))

    return make_tower(8).layers[0].weight, make_tower(8).layers[0].weight


def right_default_seed():
    """One of the towers has a seed of its own."""

    def make_tower(width: int, seed: int = 0) -> eqx.nn.MLP:
        return eqx.nn.MLP(width, width, width, 1, key=jr.PRNGKey(seed))

    return make_tower(8).layers[0].weight, make_tower(8, seed=1).layers[0].weight


def wrong_recurrent_cells(key):
    """Forward and backward cell have equal weights."""
    forward = eqx.nn.GRUCell(4, 6, key=key)
    backward = eqx.nn.GRUCell(4, 6, key=key)
    return forward.weight_hh, backward.weight_hh


def right_recurrent_cells(key):
    """One cell: its weights come from keys that it splits itself."""
    cell = eqx.nn.GRUCell(6, 6, key=key)
    return cell.weight_hh, cell.weight_ih


# layers called with keys


def wrong_dropout_twice(key):
    """The layer has no state: two calls with one key drop the same units."""
    dropout = eqx.nn.Dropout(p=0.5)
    return dropout(ones, key=key), dropout(ones, key=key)


def right_dropout_twice(key):
    """The second call is in inference mode, and draws nothing."""
    dropout = eqx.nn.Dropout(p=0.5)
    return dropout(ones, key=key), dropout(ones, key=key, inference=True)


def wrong_two_dropouts(key):
    """Two layers are no better than one: the key alone decides."""
    before, after = eqx.nn.Dropout(0.1), eqx.nn.Dropout(0.1)
    return before(ones, key=key), after(ones, key=key)


def right_two_dropouts(key):
    """p=0: the second layer gives its input back."""
    before, after = eqx.nn.Dropout(0.1), eqx.nn.Dropout(p=0)
    return before(ones, key=key), after(ones, key=key)


def wrong_model_twice(key):
    """Two predictions of the model with one key."""
    model_key, key = jr.split(key)
    model = Net(key=model_key)
    return model(x0, key=key), model(x0, key=key)


def right_model_twice(key):
    """The second prediction is that of the model in inference mode."""
    model_key, key = jr.split(key)
    model = Net(key=model_key)
    return model(x0, key=key), eqx.nn.inference_mode(model)(x0, key=key)


def wrong_residual_blocks(key):
    """The model goes through its blocks with one key."""

    class Tower(eqx.Module):
        blocks: list[eqx.nn.Dropout]

        def __call__(self, x, *, key):
            return tuple(block(x, key=key) for block in self.blocks)

    return Tower([eqx.nn.Dropout(0.3), eqx.nn.Dropout(0.3)])(ones, key=key)


def right_residual_blocks(key):
    """The model splits its key over its blocks."""

    class Tower(eqx.Module):
        blocks: list[eqx.nn.Dropout]

        def __call__(self, x, *, key):
            keys = jr.split(key, len(self.blocks))
            return tuple(block(x, key=k) for block, k in zip(self.blocks, keys))

    return Tower([eqx.nn.Dropout(0.3), eqx.nn.Dropout(0.3)])(ones, key=key)


def wrong_sequential(key):
    """The layers are called by hand, each with the key."""
    layers = [eqx.nn.Dropout(0.5), eqx.nn.Lambda(lambda x: x + 1.0), eqx.nn.Dropout(0.5)]
    outputs = []
    for layer in layers:
        outputs.append(layer(ones, key=key))
    return tuple(outputs)


def right_sequential(key):
    """Sequential splits the key for its layers."""
    layers = eqx.nn.Sequential([eqx.nn.Dropout(0.5), eqx.nn.Lambda(lambda x: x + 1.0), eqx.nn.Dropout(0.5)])
    once = layers[:1](ones, key=key)
    return once, layers(ones, key=key)


def wrong_layers_that_ignore_keys(key):
    """Linear makes nothing of its key, but both noises are drawn with it."""
    linear = eqx.nn.Linear(SIZE, SIZE, key=jr.key(0))
    x = linear(x0, key=key)
    return Jitter()(x, key), Jitter()(x, key)


def right_layers_that_ignore_keys(key):
    """Linear and LayerNorm take a key and never use it."""
    linear, norm = eqx.nn.Linear(SIZE, SIZE, key=jr.key(0)), eqx.nn.LayerNorm(SIZE)
    x = linear(x0, key=key)
    y = norm(x, key=key)
    return x, y, Jitter()(y, key)


def wrong_monte_carlo(key):
    """The mean over the passes is the first pass."""
    model = Net(key=jr.PRNGKey(0))
    passes = []
    for _ in range(5):
        passes.append(model(x0, key=key))
    return tuple(passes)


def right_monte_carlo(key):
    """The passes go through filter_vmap over keys."""
    model = Net(key=jr.PRNGKey(0))
    passes = eqx.filter_vmap(lambda k: model(x0, key=k))(jr.split(key, 5))
    return tuple(passes)


def wrong_attention(key):
    """Self-attention and cross-attention drop the same weights: one module, one key."""
    attention = eqx.nn.MultiheadAttention(2, 8, dropout_p=0.5, key=jr.key(0))
    h = jnp.ones((5, 8)) * jnp.arange(1.0, 6.0)[:, None]
    return attention(h, h, h, key=key), attention(h, h, h, key=key)


def right_attention(key):
    """The second call is without dropout."""
    attention = eqx.nn.MultiheadAttention(2, 8, dropout_p=0.5, key=jr.key(0))
    h = jnp.ones((5, 8)) * jnp.arange(1.0, 6.0)[:, None]
    return attention(h, h, h, key=key), attention(h, h, h, key=key, inference=True)


def wrong_key_as_field(key):
    """The field is never replaced, since a module is immutable."""
    jitter = KeyedJitter(key)
    first = jitter(x0)
    jitter.advance()
    return first, jitter(x0)


def right_key_as_field(key):
    """A module with a new key takes the place of the old one, whose key is used up."""
    first_key, second_key = jr.split(key)
    jitter = KeyedJitter(first_key)
    first = jitter(x0)
    jitter = eqx.tree_at(lambda m: m.key, jitter, second_key)
    return first, jitter(x0)


def wrong_state(key):
    """The state of the model holds a key that the model does not replace."""

    class Stateful(eqx.Module):
        index: eqx.nn.StateIndex

        def __init__(self, key):
            self.index = eqx.nn.StateIndex(key)

        def __call__(self, x, state):
            return x + jr.normal(state.get(self.index), x.shape), state

    model, state = eqx.nn.make_with_state(Stateful)(key)
    first, state = model(x0, state)
    second, state = model(x0, state)
    return first, second


def right_state(key):
    """The model sets the key of its state to what is left of it."""

    class Stateful(eqx.Module):
        index: eqx.nn.StateIndex

        def __init__(self, key):
            self.index = eqx.nn.StateIndex(key)

        def __call__(self, x, state):
            key, subkey = jr.split(state.get(self.index))
            return x + jr.normal(subkey, x.shape), state.set(self.index, key)

    model, state = eqx.nn.make_with_state(Stateful)(key)
    first, state = model(x0, state)
    second, state = model(x0, state)
    return first, second


# transformations


def wrong_vmap_closure(key):
    """vmap over the batch, with the key in the closure."""
    dropout = eqx.nn.Dropout(0.5)
    batch = jnp.ones((4, SIZE))
    return tuple(jax.vmap(lambda x: dropout(x, key=key))(batch))


def right_vmap_closure(key):
    """The layer takes the whole batch with one key."""
    dropout = eqx.nn.Dropout(0.5)
    batch = jnp.ones((4, SIZE))
    return tuple(dropout(batch, key=key))


def wrong_vmap_partial(key):
    """partial binds the key before vmap."""
    batch = jnp.zeros((4, SIZE))
    return tuple(jax.vmap(partial(Jitter(), key=key))(batch))


def right_vmap_partial(key):
    """vmap maps keyword arguments, here the keys."""
    batch = jnp.zeros((4, SIZE))
    return tuple(jax.vmap(Jitter())(batch, key=jr.split(key, 4)))


def wrong_vmap_in_axes(key):
    """The axis of the key is None."""
    batch = jnp.zeros((3, SIZE))
    return tuple(jax.vmap(Jitter(), in_axes=(0, None))(batch, key))


def right_vmap_in_axes(key):
    """The axis of the input is None, that of the keys is 0."""
    return tuple(jax.vmap(Jitter(), in_axes=(None, 0))(x0, jr.split(key, 3)))


def wrong_filter_vmap(key):
    """in_axes of filter_vmap holds the key still."""
    model = Net(key=jr.PRNGKey(0))
    forward = eqx.filter_vmap(lambda m, x, k: m.dropout(x, key=k), in_axes=(None, 0, None))
    return tuple(forward(model, jnp.ones((3, SIZE)), key))


def right_filter_vmap(key):
    """in_axes of filter_vmap holds the model still, and maps over the keys."""
    model = Net(key=jr.PRNGKey(0))
    forward = eqx.filter_vmap(lambda m, x, k: m.dropout(x, key=k), in_axes=(None, 0, 0))
    return tuple(forward(model, jnp.ones((3, SIZE)), jr.split(key, 3)))


def wrong_filter_jit(key):
    """The compiled call gets the same key again."""
    model = Net(key=jr.PRNGKey(0))
    forward = eqx.filter_jit(model)
    return forward(x0, key=key), forward(x0, key=key)


def right_filter_jit(key):
    """The compiled function returns the next key."""
    model = Net(key=jr.PRNGKey(0))

    @eqx.filter_jit
    def forward(model, x, key):
        key, subkey = jr.split(key)
        return model(x, key=subkey), key

    first, key = forward(model, x0, key)
    second, key = forward(model, x0, key)
    return first, second


def wrong_scan(key):
    """The walk adds the same step each time."""
    jitter = Jitter()

    def step(position, _):
        noise = jitter(jnp.zeros(3), key)
        return position + noise, noise

    _, noises = jax.lax.scan(step, jnp.zeros(3), length=4)
    return tuple(noises)


def right_scan(key):
    """The keys are the scanned input."""
    jitter = Jitter()

    def step(position, key):
        noise = jitter(jnp.zeros(3), key)
        return position + noise, noise

    _, noises = jax.lax.scan(step, jnp.zeros(3), jr.split(key, 4))
    return tuple(noises)


# training


@eqx.filter_value_and_grad
def batch_loss(model, x, y, keys):
    predictions = jax.vmap(lambda x, k: model(x, key=k))(x, keys)
    return jnp.mean((predictions - y) ** 2)


optimizer = optax.sgd(0.0)


@eqx.filter_jit
def make_step(model, opt_state, x, y, key):
    loss, grads = batch_loss(model, x, y, jr.split(key, x.shape[0]))
    updates, opt_state = optimizer.update(grads, opt_state)
    return eqx.apply_updates(model, updates), opt_state, loss


def wrong_training_loop(key):
    """Each step gets the loader's key (with a learning rate of 0 the losses show it)."""
    model = Net(key=jr.PRNGKey(0))
    opt_state = optimizer.init(eqx.filter(model, eqx.is_array))
    x, losses = jnp.stack([x0, -x0]), []
    for step in range(3):
        model, opt_state, loss = make_step(model, opt_state, x, x, key)
        losses.append(loss)
    return tuple(losses)


def right_training_loop(key):
    """The number of the step is folded in."""
    model = Net(key=jr.PRNGKey(0))
    opt_state = optimizer.init(eqx.filter(model, eqx.is_array))
    x, losses = jnp.stack([x0, -x0]), []
    for step in range(3):
        model, opt_state, loss = make_step(model, opt_state, x, x, jr.fold_in(key, step))
        losses.append(loss)
    return tuple(losses)


def wrong_step_returns_old_key(key):
    """The step splits the key and returns the one that it got."""

    @eqx.filter_jit
    def step(model, x, key):
        new_key, subkey = jr.split(key)
        return model(x, key=subkey), key

    model = Net(key=jr.PRNGKey(0))
    first, key = step(model, x0, key)
    second, key = step(model, x0, key)
    return first, second


def right_step_returns_old_key(key):
    """The step returns the key that it got, and the caller folds the step in."""

    @eqx.filter_jit
    def step(model, x, key, i):
        return model(x, key=jr.fold_in(key, i)), key

    model = Net(key=jr.PRNGKey(0))
    first, key = step(model, x0, key, jnp.asarray(0))
    second, key = step(model, x0, key, jnp.asarray(1))
    return first, second


def dataloader(arrays, batch_size, *, key):
    indices = jnp.arange(arrays.shape[0])
    while True:
        key, subkey = jr.split(key)
        yield arrays[jr.permutation(subkey, indices)[:batch_size]]


def wrong_dataloader(key):
    """Two loaders of one key give equal batches."""
    data = jnp.arange(500.0)
    train = dataloader(data, 32, key=key)
    validation = dataloader(data, 32, key=key)
    return next(train), next(validation)


def right_dataloader(key):
    """One loader, which splits its key between the epochs."""
    data = jnp.arange(500.0)
    train = dataloader(data, 32, key=key)
    return next(train), next(train)


def wrong_epochs_of_dataloader(key):
    """The generator shuffles each epoch with the key that it was given."""

    def shuffled(arrays, key):
        while True:
            yield jr.permutation(key, arrays)[:32]

    epochs = shuffled(jnp.arange(500.0), key)
    return next(epochs), next(epochs)


def right_epochs_of_dataloader(key):
    """Two generators with a half of the key each."""
    data, (k1, k2) = jnp.arange(500.0), jr.split(key)
    first = dataloader(data, 32, key=k1)
    second = dataloader(data, 32, key=k2)
    return next(first), next(second)


def wrong_diffusion_loss(key):
    """Noise and target are drawn with one key: they are one."""

    def single_loss(model, data, key):
        noise = jr.normal(key, data.shape)
        target = jr.normal(key, data.shape)
        return model(data + noise, inference=True), noise, target

    _, noise, target = single_loss(Net(key=jr.PRNGKey(0)), x0, key)
    return noise, target


def right_diffusion_loss(key):
    """The loss splits its key into one for the time and one for the noise."""

    def single_loss(model, data, key):
        tkey, noise_key = jr.split(key)
        t = jr.uniform(tkey, data.shape)
        noise = jr.normal(noise_key, data.shape)
        return model(data + t * noise, inference=True), t, noise

    return single_loss(Net(key=jr.PRNGKey(0)), x0, key)


# further surroundings


def wrong_attribute_of_trainer(key):
    """The trainer keeps a key and splits it without keeping the rest."""

    class Trainer:
        def __init__(self, model: eqx.Module, key):
            self.model, self.key = model, key

        def predict(self, x):
            _, subkey = jr.split(self.key)
            return self.model(x, key=subkey)

    trainer = Trainer(Net(key=jr.key(0)), key)
    return trainer.predict(x0), trainer.predict(x0)


def right_attribute_of_trainer(key):
    """The trainer keeps the rest of its key."""

    class Trainer:
        def __init__(self, model: eqx.Module, key):
            self.model, self.key = model, key

        def predict(self, x):
            self.key, subkey = jr.split(self.key)
            return self.model(x, key=subkey)

    trainer = Trainer(Net(key=jr.key(0)), key)
    return trainer.predict(x0), trainer.predict(x0)


def wrong_subclass(key):
    """The subclass draws its gate with the key that it handed to its parent."""

    class Gated(eqx.nn.Linear):
        gate: jax.Array

        def __init__(self, size, *, key):
            super().__init__(size, size, key=key)
            self.gate = eqx.nn.Linear(size, size, key=key).weight

    layer = Gated(9, key=key)
    return layer.weight, layer.gate


def right_subclass(key):
    """The subclass splits its key between its parent and itself."""

    class Gated(eqx.nn.Linear):
        gate: jax.Array

        def __init__(self, size, *, key):
            parent_key, gate_key = jr.split(key)
            super().__init__(size, size, key=parent_key)
            self.gate = eqx.nn.Linear(size, size, key=gate_key).weight

    layer = Gated(9, key=key)
    return layer.weight, layer.gate


def wrong_dictionary_of_layers(key):
    """A dictionary of layers, whose comprehension hands one key to all."""
    layers = {name: eqx.nn.Linear(7, 7, key=key) for name in ("q", "k", "v")}
    return tuple(layer.weight for layer in layers.values())


def right_dictionary_of_layers(key):
    """The place of the name is folded into the key."""
    layers = {name: eqx.nn.Linear(7, 7, key=jr.fold_in(key, i)) for i, name in enumerate("qkv")}
    return tuple(layer.weight for layer in layers.values())


def wrong_iterator_of_keys(key):
    """The list of keys is gone through from its beginning, twice."""
    keys = jr.split(key, 2)
    encoder = [eqx.nn.Linear(5, 5, key=k) for k in iter(keys)]
    decoder = [eqx.nn.Linear(5, 5, key=k) for k in iter(keys)]
    return tuple(layer.weight for layer in encoder + decoder)


def right_iterator_of_keys(key):
    """One iterator gives each key once."""
    keys = iter(jr.split(key, 4))
    encoder = [eqx.nn.Linear(5, 5, key=next(keys)) for _ in range(2)]
    decoder = [eqx.nn.Linear(5, 5, key=k) for k in keys]
    return tuple(layer.weight for layer in encoder + decoder)


def wrong_optional_key(key):
    """A key that is missing is made from a constant."""

    def predict(model, x, key=None):
        if key is None:
            key = jr.PRNGKey(0)
        return model(x, key=key)

    model = Net(key=key)
    return predict(model, x0), predict(model, x0)


def right_optional_key(key):
    """Without a key the model is in inference mode."""

    def predict(model, x, key=None):
        return model(x, key=key, inference=key is None)

    mkey, dkey = jr.split(key)
    model = Net(key=mkey)
    return predict(model, x0), predict(model, x0, dkey)


def wrong_while_loop(key):
    """The carry of the loop hands its key on as it is."""

    def body(carry):
        i, key, out = carry
        return i + 1, key, out.at[i].set(Jitter()(jnp.zeros(5), key))

    _, _, out = eqx.internal.while_loop(lambda carry: carry[0] < 3, body, (0, key, jnp.zeros((3, 5))), kind="lax")
    return tuple(out)


def right_while_loop(key):
    """The carry of the loop takes the rest of its key on."""

    def body(carry):
        i, key, out = carry
        key, subkey = jr.split(key)
        return i + 1, key, out.at[i].set(Jitter()(jnp.zeros(5), subkey))

    _, _, out = eqx.internal.while_loop(lambda carry: carry[0] < 3, body, (0, key, jnp.zeros((3, 5))), kind="lax")
    return tuple(out)


def wrong_grad_of_two_passes(key):
    """The gradient is averaged over two passes with one mask."""
    model = Net(key=jr.PRNGKey(0))

    @eqx.filter_grad
    def gradient(model, key):
        return model(x0, key=key).sum()

    return tuple(gradient(model, key).second.weight for _ in range(2))


def right_grad_of_two_passes(key):
    """The gradients have split keys."""
    model = Net(key=jr.PRNGKey(0))

    @eqx.filter_grad
    def gradient(model, key):
        return model(x0, key=key).sum()

    return tuple(gradient(model, k).second.weight for k in jr.split(key))
