"""What JAX expects of a generator's four functions, checked by tracing them on abstract values.

JAX checks none of this itself: a function with a wrong result fails later, inside of a sampler and far from its cause.
The contract is that of ``jax.extend.random.define_prng_impl``; nothing is computed, and no device is touched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

UINTS = {8: "uint8", 16: "uint16", 32: "uint32", 64: "uint64"}


@dataclass(frozen=True, slots=True)
class Functions:
    """The functions of a generator, on raw keys: ``uint32`` arrays of the shape of one key.

    Attributes:
        seed: an integer scalar to a key.
        split: a key and a shape to an array of that many keys.
        random_bits: a key, a width of 8, 16, 32 or 64 bits and a shape to unsigned integers of that width.
        fold_in: a key and a ``uint32`` scalar to a key.
    """

    seed: Callable[..., Any]
    split: Callable[..., Any]
    random_bits: Callable[..., Any]
    fold_in: Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Probe:
    """One call of a function, with what has to come out.

    Attributes:
        call: the call as a reader would write it.
        function: takes abstract arguments.
        arguments: dtype and shape of each.
        shape: the shape of the result.
        dtype: the dtype of the result.
    """

    call: str
    function: Callable[..., Any]
    arguments: tuple[tuple[tuple[int, ...], str], ...]
    shape: tuple[int, ...]
    dtype: str


def probes(functions: Functions, key_shape: tuple[int, ...]) -> Iterator[Probe]:
    """Return the calls that a generator is tried with."""
    key, seed, data = (key_shape, "uint32"), ((), "int32"), ((), "uint32")
    yield Probe("seed(int32 scalar)", functions.seed, (seed,), key_shape, "uint32")
    yield Probe("fold_in(key, uint32 scalar)", functions.fold_in, (key, data), key_shape, "uint32")
    shapes: tuple[tuple[int, ...], ...] = ((3,), (2, 3))
    for shape in shapes:
        split = partial(with_static, functions.split, (shape,))
        yield Probe(f"split(key, {shape})", split, (key,), (*shape, *key_shape), "uint32")
    for width, dtype in UINTS.items():
        bits = partial(with_static, functions.random_bits, (width, (2, 3)))
        yield Probe(f"random_bits(key, {width}, (2, 3))", bits, (key,), (2, 3), dtype)
    scalar = partial(with_static, functions.random_bits, (32, ()))
    yield Probe("random_bits(key, 32, ())", scalar, (key,), (), "uint32")


def with_static(function: Callable[..., Any], static: tuple[Any, ...], key: Any) -> Any:
    """Call a function with a key and what follows it, by position as JAX does."""
    return function(key, *static)


def check(name: str, functions: Functions, key_shape: tuple[int, ...]) -> None:
    """Check that the functions of a generator give what JAX expects.

    Args:
        name: of the generator, for messages.
        functions: what is checked.
        key_shape: the shape of one key.

    Raises:
        TypeError: one of them is not callable, fails on abstract values, or has a result of another shape or dtype;
            the message names the call, what came out and what should have.
    """
    for item in fields(functions):
        function = getattr(functions, item.name)
        if not callable(function):
            raise TypeError(f"{item.name} of PRNG implementation {name!r} has to be a function; got {function!r}.")
    for probe in probes(functions, key_shape):
        got, expected = result(name, probe), f"{probe.dtype}{list(probe.shape)}"
        if got != expected:
            raise TypeError(f"{probe.call} of PRNG implementation {name!r} has to give {expected}; got {got}.")


def result(name: str, probe: Probe) -> str:
    """Trace a call and return dtype and shape of what comes out, as ``uint32[2, 3]``."""
    import jax

    struct: Callable[..., Any] = jax.ShapeDtypeStruct
    arguments = [struct(shape, dtype) for shape, dtype in probe.arguments]
    try:
        # Without this mode, JAX makes uint32 of every uint64.
        with wide_integers() if probe.dtype == "uint64" else nullcontext():
            out = jax.eval_shape(probe.function, *arguments)
    except Exception as error:
        raise TypeError(
            f"{probe.call} of PRNG implementation {name!r} fails when JAX traces it: {type(error).__name__}: {error}"
        ) from error
    return f"{out.dtype}{list(out.shape)}" if isinstance(out, jax.ShapeDtypeStruct) else f"a {type(out).__name__}"


def wide_integers() -> AbstractContextManager[Any]:
    """Return a context in which JAX has 64-bit types; older releases have it in ``jax.experimental``."""
    import jax
    import jax.experimental

    home = jax if hasattr(jax, "enable_x64") else jax.experimental
    context: AbstractContextManager[Any] = vars(home)["enable_x64"](True)
    return context
