"""Trace a function and walk its equations, each with the exact spans of the user's calls that led to it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from olympus.tracing import adapter
from olympus.tracing.spans import Chain

if TYPE_CHECKING:
    import jax
    import numpy as np
    from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn


@dataclass(frozen=True, slots=True)
class RawKey:
    """An abstract raw key, or an array of them: a ``uint32`` array that is known to be a key.

    Attributes:
        shape: the array's shape; its last axis has the words of a key.
    """

    shape: tuple[int, ...]

    @property
    def dtype(self) -> np.dtype[np.uint32]:
        """Return ``uint32``."""
        import numpy as np

        return np.dtype(np.uint32)


def typed_key(impl: object = None, shape: tuple[int, ...] = ()) -> jax.ShapeDtypeStruct:
    """Return an abstract typed key.

    Args:
        impl: the generator: a name or an object that ``jax.random.key`` takes; JAX's default if ``None``.
        shape: the shape of the key array.

    Raises:
        ValueError: if there is no generator of that name; JAX's message lists them.
    """
    import jax

    from olympus.prng import resolve  # names of registered generators are not JAX's

    one = jax.eval_shape(lambda: jax.random.key(0, impl=resolve(impl)))
    return _struct(shape, one.dtype)


def raw_key(impl: object = None, shape: tuple[int, ...] = ()) -> RawKey:
    """Return an abstract raw key.

    Args:
        impl: the generator: a name or an object that ``jax.random.key`` takes; JAX's default if ``None``.
        shape: the shape of the key array, without the axis of words.

    Raises:
        ValueError: if there is no generator of that name; JAX's message lists them.
    """
    import jax

    return RawKey(jax.eval_shape(jax.random.key_data, typed_key(impl, shape)).shape)


@dataclass(frozen=True, slots=True)
class Sub:
    """A jaxpr in the parameters of an equation.

    Attributes:
        jaxpr: the open jaxpr.
        consts: the values of its ``constvars``.
        parameter: the name of the parameter, which says what the equation does with it; empty at the top.
    """

    jaxpr: Jaxpr
    consts: tuple[Any, ...]
    parameter: str = ""


class Equation:
    """An equation, the equation in whose jaxpr it stands, and where the user's code asked for it.

    Attributes:
        eqn: JAX's equation.
        outer: the equation in whose parameters the jaxpr of this one is; ``None`` at the top.
        primitive: the name of the primitive, as the newest release has it.
        inputs: the variables and literals that go in.
        outputs: the variables that come out.
        params: the parameters of the primitive.
    """

    def __init__(self, eqn: JaxprEqn, outer: Equation | None = None, sub: Sub | None = None) -> None:
        """Describe an equation; nothing is computed yet.

        Args:
            eqn: JAX's equation.
            outer: the equation around it.
            sub: the jaxpr of ``outer`` that it stands in; looked up where it is needed and not given.
        """
        self.eqn = eqn
        self.outer = outer
        name = eqn.primitive.name
        self.primitive: str = adapter.PRIMITIVES.get(name, name)
        self.inputs: Sequence[Any] = eqn.invars
        self.outputs: Sequence[Any] = eqn.outvars
        self.params: dict[str, Any] = eqn.params
        self._sub = sub

    def __repr__(self) -> str:
        return f"Equation({self.primitive})"

    @cached_property
    def subs(self) -> tuple[Sub, ...]:
        """Return the jaxprs in the parameters."""
        return tuple(Sub(*adapter.closed_parts(jaxpr), name) for name, jaxpr in adapter.sub_jaxprs(self.eqn.params))

    @property
    def sub(self) -> Sub:
        """Return the jaxpr of ``outer`` that it stands in.

        Raises:
            ValueError: at the top.
        """
        if self._sub is None:
            if self.outer is None:
                raise ValueError(f"{self} is in no other equation")
            subs = self.outer.subs
            held = (sub for sub in subs if any(eqn is self.eqn for eqn in sub.jaxpr.eqns))
            self._sub = subs[0] if len(subs) == 1 else next(held)
        return self._sub

    def sub_equations(self, sub: Sub) -> Iterator[Equation]:
        """Return the equations of one of the jaxprs in the parameters, without those inside of them."""
        return (Equation(eqn, self, sub) for eqn in sub.jaxpr.eqns)

    @property
    def around(self) -> tuple[Equation, ...]:
        """Return it and the equations around it, innermost first."""
        return (self,) if self.outer is None else (self, *self.outer.around)

    @property
    def path(self) -> tuple[int, ...]:
        """Return what tells it from others, and from itself in another call of its function: one for all iterations."""
        return tuple(id(each.eqn) for each in self.around)

    @property
    def call(self) -> Equation:
        """Return the call of the user's program that it belongs to: itself, unless it is internal."""
        return next(each for each in self.around if not each.internal or each.outer is None)

    @cached_property
    def internal(self) -> bool:
        """Return whether JAX itself wrote it, inside a function of JAX that is compiled as a whole.

        What such a function calls back, as ``jnp.piecewise`` and ``jax.pmap`` do, is the user's again.
        """
        return self._in_library() and self.outer is not None and self.chain == self.outer.chain

    @cached_property
    def chain(self) -> Chain:
        """Return the spans of the user's calls, innermost first: its own, then those of the equations around it.

        An internal equation has the chain of the call from outside. The chain is empty if no user code is involved,
        as when a function of JAX is traced itself.
        """
        return self._own() if self.outer is None else (*self._own(), *self.outer.chain)

    def _in_library(self) -> bool:
        outer = self.outer
        if outer is None:
            return False
        return outer.internal or (outer.primitive == "jit" and adapter.is_library(self.sub.jaxpr) is not False)

    def _own(self) -> Chain:
        """Return the spans of the calls since the trace of its jaxpr began."""
        outer = self.outer
        if outer is None:
            return adapter.user_frames(self.eqn, top=True)
        own = adapter.user_frames(self.eqn, top=False)
        # A derivative may give what is inside a function of JAX, or of one with a derivative of its own, the frames of
        # the call from outside.
        may_be_outer = outer.primitive in ("custom_jvp_call", "custom_vjp_call") or self._in_library()
        return () if may_be_outer and own == outer.chain[: len(own)] else own


@dataclass(frozen=True, slots=True)
class Trace:
    """A traced function.

    Attributes:
        jaxpr: what it computes.
        names: a readable path for each flat input, such as ``key``, ``state.key`` or ``keys[0]``.
        raw_keys: the numbers of the flat inputs that were given as :class:`RawKey`.
        out_tree: the structure of its result.
    """

    jaxpr: ClosedJaxpr
    names: tuple[str, ...]
    raw_keys: frozenset[int]
    out_tree: Any

    def equations(self) -> Iterator[Equation]:
        """Return all equations, depth first, an outer one before those inside it."""
        for eqn in self.jaxpr.jaxpr.eqns:
            yield from _walk(Equation(eqn))


def _walk(equation: Equation) -> Iterator[Equation]:
    yield equation
    for sub in equation.subs:
        for inner in equation.sub_equations(sub):
            yield from _walk(inner)


def trace(f: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Trace:
    """Trace a function; it is not run on a device, and abstract arguments touch none.

    Args:
        f: the function.
        args: its arguments: pytrees of arrays, scalars, ``jax.ShapeDtypeStruct``, :func:`typed_key` and
            :func:`raw_key`. Leaves that are no arrays for JAX, such as strings and functions, are handed to ``f``
            as they are and are no inputs of the jaxpr.
        kwargs: its keyword arguments, likewise.

    Raises:
        ImportError: JAX is not installed, or too old.
        Exception: what ``f`` raises, unchanged.
    """
    adapter.require_jax()
    import jax

    paths, tree = jax.tree_util.tree_flatten_with_path((args, kwargs))
    leaves = [leaf for _, leaf in paths]
    inputs = [number for number, leaf in enumerate(leaves) if _is_input(leaf)]
    named = _names(f)

    def flat(*values: Any) -> Any:
        filled = list(leaves)
        for number, value in zip(inputs, values, strict=True):
            filled[number] = value
        own_args, own_kwargs = jax.tree_util.tree_unflatten(tree, filled)
        return f(*own_args, **own_kwargs)

    avals = [_abstract(leaves[number]) for number in inputs]
    with adapter.marked_branches(), adapter.retraced():
        jaxpr, out = jax.make_jaxpr(flat, return_shape=True)(*avals)
    return Trace(
        jaxpr=jaxpr,
        names=tuple(named(paths[number][0]) for number in inputs),
        raw_keys=frozenset(flat for flat, number in enumerate(inputs) if isinstance(leaves[number], RawKey)),
        out_tree=jax.tree_util.tree_structure(out),
    )


def _is_input(leaf: object) -> bool:
    """Return whether JAX takes a leaf for an array."""
    import jax
    import numpy as np

    if isinstance(leaf, bool | int | float | complex | RawKey | jax.Array | jax.ShapeDtypeStruct):
        return True
    return isinstance(leaf, np.ndarray | np.generic) and leaf.dtype.kind not in "OSUMm"


def _abstract(leaf: Any) -> Any:
    return _struct(leaf.shape, leaf.dtype) if isinstance(leaf, RawKey) else leaf


def _struct(shape: tuple[int, ...], dtype: Any) -> jax.ShapeDtypeStruct:
    import jax

    struct: Any = jax.ShapeDtypeStruct  # its constructor has no annotations
    return cast("jax.ShapeDtypeStruct", struct(shape, dtype))


def _names(f: Callable[..., Any]) -> Callable[[tuple[Any, ...]], str]:
    """Return what gives the readable name of a path into ``(args, kwargs)``."""
    import jax

    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    positional = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    rest = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), "args")

    def name(path: tuple[Any, ...]) -> str:
        side, entry, *inner = path
        if side.idx == 1:
            first = entry.key
        elif entry.idx < len(positional):
            first = positional[entry.idx]
        else:
            first = f"{rest}[{entry.idx - len(positional)}]"
        return f"{first}{jax.tree_util.keystr(tuple(inner))}"

    return name
