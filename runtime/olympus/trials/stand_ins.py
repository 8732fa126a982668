"""Functions that are passed to a user's function as arguments."""

from __future__ import annotations

from typing import Any

from olympus.witness.execution import assumed, is_key


def number(*args: Any, **kwargs: Any) -> Any:
    """Return a number, as a loss or a log-density does."""
    import jax
    import jax.numpy as jnp

    consume(args, kwargs)
    leaves = jax.tree_util.tree_leaves((args, kwargs))
    floats = [leaf for leaf in leaves if isinstance(leaf, jax.Array) and jnp.issubdtype(leaf.dtype, jnp.floating)]
    return sum((jnp.sum(leaf) for leaf in floats), jnp.zeros(()))


def same(*args: Any, **kwargs: Any) -> Any:
    """Return the first argument that is no key, as a step or a network does; an array if there is none."""
    import jax
    import jax.numpy as jnp

    consume(args, kwargs)
    others = [each for each in (*args, *kwargs.values()) if not (isinstance(each, jax.Array) and is_key(each))]
    return others[0] if others else jnp.zeros(4)


def paired(*args: Any, **kwargs: Any) -> Any:
    """Return the first argument that is no key, and something about it, as a kernel of a sampler does."""
    import jax.numpy as jnp

    return same(*args, **kwargs), jnp.zeros(())


def consume(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Consume the keys among the arguments; the evidence says that this is assumed."""
    import jax

    for leaf in jax.tree_util.tree_leaves((args, kwargs)):
        if isinstance(leaf, jax.Array) and is_key(leaf):
            assumed(leaf)
