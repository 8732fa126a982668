"""Stand-ins for the transformations of JAX: they give functions that call the one that they are given."""

from __future__ import annotations

from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from olympus.witness.library.results import is_array, unknown
from olympus.witness.unknown import Unknown, is_unknown

if TYPE_CHECKING:
    from olympus.witness.state import State


class Transformations:
    """What the transformations of JAX do."""

    def __init__(self, world: State) -> None:
        self.world = world

    def wrapper(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the function itself; without one, a decorator."""
        if not args and "fun" not in kwargs:
            return self.wrapped
        return self.wrapped(args[0] if args else kwargs["fun"])

    def wrapped(self, function: Any) -> Any:
        """Return what stands for a compiled function, or one with a derivative of its own."""
        return Wrapped(self.world, function) if callable(function) else function

    def lanes(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return a function that is called for one lane of its arguments."""
        if not args:
            return lambda function: self.lanes((function,), kwargs)
        function, axes = args[0], args[1] if len(args) > 1 else kwargs.get("in_axes", 0)
        out_axes = args[2] if len(args) > 2 else kwargs.get("out_axes", 0)

        def mapped(*values: Any, **named: Any) -> Any:
            return self.placed(self.map_lanes(function, axes, values, named), out_axes)

        return mapped

    def map_lanes(self, function: Any, axes: Any, values: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Call a function for the lanes of the keys among its arguments, as ``vmap`` does."""
        import jax

        leaves, tree = jax.tree_util.tree_flatten((values, named))
        flat_axes = self.flat_axes(axes, values, named)
        real = [i for i, leaf in enumerate(leaves) if is_array(leaf) and flat_axes[i] is not None]
        lanes = [
            leaf if i in real or flat_axes[i] is None or not is_unknown(leaf) else leaf["lane"]
            for i, leaf in enumerate(leaves)
        ]
        results: list[Any] = []

        def call(*arrays: Any) -> Any:
            filled = list(lanes)
            for index, array in zip(real, arrays, strict=True):
                filled[index] = array
            inner, inner_named = jax.tree_util.tree_unflatten(tree, filled)
            flat, structure = jax.tree_util.tree_flatten(function(*inner, **inner_named))
            results[:] = [structure, flat]
            return [leaf for leaf in flat if is_array(leaf)]

        if real:
            arrays = jax.vmap(call, in_axes=tuple(flat_axes[i] for i in real))(*(leaves[i] for i in real))
        else:
            arrays = call()
        structure, flat = results
        stacked = iter(arrays)
        return jax.tree_util.tree_unflatten(structure, [next(stacked) if is_array(leaf) else leaf for leaf in flat])

    def placed(self, result: Any, axes: Any) -> Any:
        """Put the mapped axis of results where ``out_axes`` says; it is the first one."""
        import jax
        import jax.numpy as jnp

        if isinstance(axes, tuple | list) and isinstance(result, tuple | list) and len(axes) == len(result):
            return type(result)(self.placed(each, axis) for each, axis in zip(result, axes, strict=True))
        if is_unknown(axes) or not isinstance(axes, int) or axes == 0:
            return result
        return jax.tree_util.tree_map(lambda leaf: jnp.moveaxis(leaf, 0, axes) if is_array(leaf) else leaf, result)

    def flat_axes(self, axes: Any, values: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
        """Return the mapped axis of each flat argument; an unknown one is the first."""
        import jax

        each = axes if isinstance(axes, tuple | list) and len(axes) == len(values) else (axes,) * len(values)
        flat: list[Any] = []
        for axis, value in zip(each, values, strict=True):
            count = len(jax.tree_util.tree_leaves(value))
            flat += [axis if axis is None or (isinstance(axis, int) and not is_unknown(axis)) else 0] * count
        return flat + [0] * len(jax.tree_util.tree_leaves(named))

    def gradient(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return a function that calls the differentiated one, and gives an unknown gradient."""
        if not args:
            return lambda function: self.gradient(name, (function,), kwargs)
        function, auxiliary = args[0], kwargs.get("has_aux", False)

        def differentiated(*values: Any, **named: Any) -> Any:
            result = function(*values, **named)
            gradient = unknown(self.world, name)
            has = auxiliary if isinstance(auxiliary, bool) else False
            if name == "value_and_grad":
                return result, gradient
            return (gradient, result[1]) if has else gradient

        return differentiated


class Wrapped:
    """A function that JAX compiles, or whose derivative is given: called, it is the function."""

    def __init__(self, world: State, function: Any) -> None:
        self._world, self._function = world, function
        if isinstance(function, FunctionType | MethodType):
            self.__wrapped__, self.__name__ = function, function.__name__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function."""
        return self._function(*args, **kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None or not isinstance(self._function, FunctionType):
            return self
        return MethodType(self._function, instance)

    def __getitem__(self, item: Any) -> Any:
        return Unknown(self._world, "compiled[...]")

    def __getattr__(self, name: str) -> Any:
        if name in ("__name__", "__qualname__", "__doc__", "__module__"):
            return getattr(self._function, name)
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Unknown(self._world, f"compiled.{name}")
