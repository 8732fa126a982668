"""Calls of functions of JAX by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from olympus.witness.budget import HEAVY
from olympus.witness.library.control import ControlFlow
from olympus.witness.library.keys import Keys
from olympus.witness.library.results import is_array, unknown
from olympus.witness.library.transformations import Transformations
from olympus.witness.unknown import is_unknown

if TYPE_CHECKING:
    from olympus.witness.state import State

ARRAYS = frozenset({"arange", "array", "asarray", "int32", "uint32", "uint8", "int64", "uint64"})
WRAPPERS = frozenset(
    """
    jit pjit checkpoint remat named_call custom_jvp custom_vjp custom_gradient closure_convert disable_jit
    experimental.pjit.pjit ad_checkpoint.checkpoint numpy.vectorize named_scope
    """.split()  # noqa: SIM905
)
LANES = frozenset({"vmap", "pmap", "shard_map", "experimental.shard_map.shard_map", "xmap", "smap"})
GRADIENTS = frozenset({"grad", "value_and_grad", "jacfwd", "jacrev", "jacobian", "hessian"})


class Calls:
    """What the functions of JAX do: keys, transformations and control flow have classes of their own."""

    def __init__(self, world: State) -> None:
        self.world = world

    def call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a function of JAX by its name below ``jax``."""
        module, _, function = name.rpartition(".")
        if module == "random":
            return Keys(self.world).random(function, args, kwargs)
        if module == "nn.initializers":
            return Keys(self.world).initializer(function)
        if name in WRAPPERS:
            return Transformations(self.world).wrapper(args, kwargs)
        if name in LANES:
            return Transformations(self.world).lanes(args, kwargs)
        if name in GRADIENTS:
            return Transformations(self.world).gradient(name, args, kwargs)
        method = getattr(ControlFlow(self.world), f"do_{function}", None) if module in ("lax", "") else None
        if method is not None:
            return method(*args, **kwargs)
        return self.other(name, args, kwargs)

    def other(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call JAX's function if all arguments are known and keys or indices are among them."""
        import jax

        if callable(kwargs.get("is_leaf")):
            is_leaf = kwargs["is_leaf"]
            kwargs["is_leaf"] = lambda *tree: bool(is_leaf(*tree))
        leaves = jax.tree_util.tree_leaves((args, kwargs), is_leaf=callable)
        if name == "numpy.where" and len(args) == 3 and all(map(is_array, args[1:])):
            args = (self.predicate(args[0]), *args[1:])
            leaves = list(args)
        short = name.rpartition(".")[2]
        if short.startswith("register_") and args and isinstance(args[0], type):
            return args[0]  # as a decorator has it
        known = not any(is_unknown(leaf) or (callable(leaf) and not is_array(leaf)) for leaf in leaves)
        if known and (any(map(is_array, leaves)) or (name.startswith("numpy.") and short in ARRAYS)):
            found: Any = jax
            for part in name.split("."):
                found = getattr(found, part)
            self.world.budget.step(HEAVY)
            return found(*args, **kwargs)
        if short in ("tree_map", "map") and callable(args[0]):
            if any(map(is_unknown, args[1:])):
                return ControlFlow(self.world).map_leaves(args[0], args[1:], name)
            return jax.tree_util.tree_map(*args, **kwargs)
        return unknown(self.world, name, () if kwargs else args)

    def predicate(self, value: Any) -> Any:
        """Return an array for an elementwise condition."""
        return self.world.players.number(value) > 0 if is_unknown(value) else value
