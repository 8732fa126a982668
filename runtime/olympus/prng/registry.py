"""Names of generators: JAX has a fixed list, and this registry adds to it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from threading import Lock
from types import FunctionType
from typing import TYPE_CHECKING, Any

from olympus.prng.contract import Functions, check

if TYPE_CHECKING:
    from collections.abc import Hashable

# Generators of this package: the module that adds each. Their tags are their names.
SHIPPED = dict.fromkeys(("chacha8", "chacha12", "chacha20"), "olympus.prng.chacha")
WORD = re.compile(r"[A-Za-z_][\w.\-]*")


@dataclass(frozen=True, slots=True)
class Entry:
    """A registered generator, with the object that JAX takes for it."""

    tag: str
    key_shape: tuple[int, ...]
    functions: Functions
    spec: Hashable


_entries: dict[str, Entry] = {}
_lock = Lock()  # for adding; never held while a module is imported


# More than six parameters: they are those of `jax.extend.random.define_prng_impl`, in JAX's words.
def register_prng_impl(
    name: str,
    *,
    key_shape: tuple[int, ...],
    seed: Callable[..., Any],
    split: Callable[..., Any],
    random_bits: Callable[..., Any],
    fold_in: Callable[..., Any],
    tag: str | None = None,
) -> Hashable:
    """Make a generator known by name, so that ``olympus.random.key(0, impl=name)`` makes its keys.

    The functions work on raw keys, which are ``uint32`` arrays of shape ``key_shape``, and have to be pure functions of
    JAX arrays: JAX traces them, and maps them with ``vmap`` over arrays of keys. They are tried on abstract values
    here. Registering the same functions again under their name, as the reload of a module does, changes nothing.

    Args:
        name: by which the generator is chosen: letters, digits, ``_``, ``-`` and ``.``.
        key_shape: the shape of one raw key, ``(words,)``.
        seed: from an integer scalar (``int32``, or ``int64`` where 64-bit types are enabled) to a key.
        split: from a key and a shape to keys, ``uint32[*shape, words]``.
        random_bits: from a key, a width in bits (8, 16, 32 or 64) and a shape to unsigned integers of this width.
        fold_in: from a key and a ``uint32`` scalar to a key.
        tag: what stands in the dtype, ``key<tag>``; the name, if it is not given.

    Returns:
        The object that JAX takes as ``impl``, as ``resolve(name)`` gives it.

    Raises:
        ValueError: the name or the tag is not a word, or belongs to another generator, or the shape is not ``(n,)``.
        TypeError: a function is not callable, or does not give what it has to.
    """
    if isinstance(name, str) and name in SHIPPED:
        load(name)
    return add(name, key_shape, Functions(seed, split, random_bits, fold_in), tag)


def add(name: str, key_shape: tuple[int, ...], functions: Functions, tag: str | None = None) -> Hashable:
    """Do what ``register_prng_impl`` says; the generators of this package call it for themselves."""
    from jax.extend.random import define_prng_impl

    tag = name if tag is None else tag
    for what, word in (("name", name), ("tag", tag)):
        if not isinstance(word, str) or not WORD.fullmatch(word):
            raise ValueError(
                f"the {what} of a PRNG implementation has to be a word of letters, digits, '_', '-' and '.'; "
                f"got {word!r}."
            )
    check_key_shape(name, key_shape)
    spec = define_prng_impl(
        name=name,
        tag=tag,
        key_shape=key_shape,
        **{item.name: getattr(functions, item.name) for item in fields(functions)},
    )
    entry = Entry(tag, key_shape, functions, spec)
    if is_new(name, entry):
        check(name, functions, key_shape)
        with _lock:
            if is_new(name, entry):  # still: another thread may have been faster
                _entries[name] = entry
    return _entries[name].spec


def resolve(impl: Any) -> Any:
    """Turn the name of a registered generator into the object that JAX takes for it.

    Args:
        impl: what a caller gave as ``impl`` or ``dtype``: a name, an object or key dtype of JAX, or ``None``.

    Returns:
        JAX's object for a name of this registry; everything else, JAX's own names among it, unchanged.

    Raises:
        ValueError: the name is known neither here nor to JAX; the message lists those that are.
    """
    if not isinstance(impl, str):
        return impl
    if impl in _entries:
        return _entries[impl].spec
    if impl in SHIPPED:
        return load(impl)
    if jax_tag(impl) is not None:
        return impl
    own = names()
    close = get_close_matches(impl, [*jax_names(), *own], n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    raise ValueError(
        f"{jax_refusal(impl)}\n\n"
        f"olympus.prng has {', '.join(own)} besides; {hint}olympus.prng.register_prng_impl adds others."
    )


def is_registered(name: object) -> bool:
    """Return whether a generator of this registry has a name."""
    return isinstance(name, str) and (name in _entries or name in SHIPPED)


def key_shape(name: str) -> tuple[int, ...]:
    """Return the shape of one raw key of a generator of this registry."""
    load(name)
    return _entries[name].key_shape


def names() -> list[str]:
    """Return the names of this registry."""
    return sorted({*_entries, *SHIPPED})


def load(name: str) -> Hashable:
    """Register a generator of this package, if that has not happened yet, and return what JAX takes for it."""
    if name not in _entries:
        import_module(SHIPPED[name]).register(name)
    return _entries[name].spec


def check_key_shape(name: str, key_shape: object) -> None:
    """Refuse what is not ``(n,)``.

    JAX itself fails late or not at all: it takes shapes of several axes, for which a raw key has no buffer axis that is
    the last one, and shapes without any words.

    Raises:
        ValueError: the shape is something else.
    """
    match key_shape:
        case (int() as words,) if type(key_shape) is tuple and type(words) is int and words > 0:
            return
    raise ValueError(
        f"key_shape of PRNG implementation {name!r} has to be (n,) with n words, n > 0; got {key_shape!r}."
    )


def is_new(name: str, entry: Entry) -> bool:
    """Return whether nothing is registered under a name, rather than the very same generator.

    Tags have to be unique as well as names: people tell dtypes apart as ``key<tag>``.

    Raises:
        ValueError: the name or the tag is another generator's; the message says whose.
    """
    if jax_tag(name) is not None:
        raise ValueError(f"{name!r} is a PRNG implementation of JAX; choose another name.")
    if name in _entries:
        if same(_entries[name], entry):
            return False
        raise ValueError(
            f"the PRNG implementation {name!r} is registered already, with other functions, tag or key_shape; "
            "choose another name, or start Python anew after a change to them."
        )
    owners = {jax_tag(owner): f"JAX's {owner!r}" for owner in jax_names()}
    owners |= {owner: f"{owner!r} of olympus.prng" for owner in SHIPPED if owner != name}
    owners |= {other.tag: repr(owner) for owner, other in list(_entries.items()) if owner not in SHIPPED}
    if entry.tag in owners:
        raise ValueError(
            f"the tag {entry.tag!r} of PRNG implementation {name!r} is the one of {owners[entry.tag]}; "
            "give another tag=."
        )
    return True


def same(known: Entry, new: Entry) -> bool:
    """Return whether two registrations are one, so that the later changes nothing."""
    return (known.tag, known.key_shape) == (new.tag, new.key_shape) and all(
        same_function(getattr(known.functions, item.name), getattr(new.functions, item.name))
        for item in fields(Functions)
    )


def same_function(known: Any, new: Any) -> bool:
    """Return whether two functions are one, or one of them is the other after its module was reloaded."""
    if known is new or known == new:
        return True
    if not (isinstance(known, FunctionType) and isinstance(new, FunctionType)):
        return False
    # A reload runs the module's code in the namespace that it has: the old function sees what the new one sees.
    return (
        known.__globals__ is new.__globals__
        and known.__closure__ is new.__closure__ is None
        and (known.__code__, known.__defaults__, known.__kwdefaults__)
        == (new.__code__, new.__defaults__, new.__kwdefaults__)
    )


@cache
def jax_tag(name: str) -> str | None:
    """Return the tag of one of JAX's own generators, ``None`` for names that JAX does not know."""
    import jax

    try:
        key = jax.eval_shape(lambda: jax.random.key(0, impl=name))
    except ValueError:
        return None
    return str(key.dtype).removeprefix("key<").removesuffix(">")


def jax_refusal(impl: str) -> str:
    """Return what JAX says of a name that it does not know."""
    import jax

    try:
        jax.eval_shape(lambda: jax.random.key(0, impl=impl))
    except ValueError as error:
        return str(error)
    raise AssertionError(f"JAX knows {impl!r}")


@cache
def jax_names() -> tuple[str, ...]:
    """Return the names of JAX's own generators.

    JAX has no public list of them; its refusal of a name that is none lists them. Should another release word it
    otherwise, messages here lose a list, and tags of JAX are not protected.
    """
    return tuple(re.findall(r'"(\w+)"', jax_refusal("?")))
