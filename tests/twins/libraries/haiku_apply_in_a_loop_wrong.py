"""A network in sight that drops out, applied in a loop with one key: each time it drops the same units."""

import haiku as hk
import jax


def network(batch):
    return hk.dropout(hk.next_rng_key(), 0.5, hk.Linear(3)(batch))


def outputs(params, batches):
    applied = hk.transform(network)
    key = jax.random.PRNGKey(0)
    found = []
    for batch in batches:
        found.append(applied.apply(params, key, batch))  # error: OLY104 likely
    return found
