"""What stand-ins for JAX give: arrays of JAX, and unknown values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from olympus.predicates import Constant, Symbol
from olympus.witness.decisions import derived
from olympus.witness.unknown import Unknown, expression, is_unknown

if TYPE_CHECKING:
    from olympus.witness.state import State

TOLD = 10  # derivations of an argument, up to which the term of a result has it


def unknown(world: State, name: str, args: Sequence[Any] = (), *, plain: bool = False) -> Any:
    """Return a new unknown value; a plain one is no key. Its term has the arguments, if they are given."""
    term = None
    if args and all(
        isinstance(expression(each), Constant | Symbol) or (is_unknown(each) and each._olympus_depth < TOLD)
        for each in args
    ):
        term = derived(f"jax.{name}", tuple(map(expression, args)))
    return Unknown(world, f"jax.{name}(...)", plain=plain, term=term)


def is_array(value: Any) -> bool:
    """Return whether a value is an array of JAX, traced or not."""
    import jax

    return isinstance(value, jax.Array)
