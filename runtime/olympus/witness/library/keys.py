"""Stand-ins for ``jax.random`` and for initializers, which draw from a key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from olympus.verdicts.reasons import Reason
from olympus.witness.library.results import unknown
from olympus.witness.unknown import is_unknown

if TYPE_CHECKING:
    from olympus.witness.state import State

MAKERS = frozenset({"key", "PRNGKey", "threefry2x32_key", "rbg_key", "unsafe_rbg_key"})
KEPT = frozenset({"clone", "key_data", "wrap_key_data", "key_impl", "key_dtype"})
CONSTANTS = frozenset({"constant", "ones", "zeros"})
CHILDREN = 3  # of a split into an unknown number
LARGEST = 64  # children of a split that are made


class Keys:
    """What the functions of ``jax.random`` do."""

    def __init__(self, world: State) -> None:
        self.world = world

    def random(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Do what a function of ``jax.random`` does."""
        import jax

        self.world.budget.key_operation()
        if name in MAKERS:
            return self.made(name, args, kwargs)
        arguments = list(args)
        first = arguments.pop(0) if arguments else kwargs.pop(next(iter(kwargs)))
        key = self.world.players.key(first)
        if name == "split":
            number = arguments[0] if arguments else kwargs.get("num", 2)
            shape = tuple(self.count(n) for n in number) if isinstance(number, tuple | list) else self.count(number)
            return jax.random.split(key, shape)
        if name == "fold_in":
            data = arguments[0] if arguments else kwargs.get("data")
            return jax.random.fold_in(key, self.number(data))
        if name == "key_data":  # by this name, whatever the user calls it
            return jax.jit(key_data)(key)
        if name in KEPT:
            return getattr(jax.random, name)(key)
        jax.random.bits(key)
        return unknown(self.world, f"random.{name}", plain=True)

    def made(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Make a key of a seed; ``PRNGKey`` makes the kind of the execution."""
        import jax

        seed = args[0] if args else kwargs.get("seed", 0)
        maker = jax.random.key if name == "key" or self.world.typed else jax.random.PRNGKey
        return maker(self.number(seed))

    def count(self, number: Any) -> int:
        """Return the number of children; an unknown number is taken for a few that stand for any."""
        if isinstance(number, int) and not is_unknown(number):
            return min(number, LARGEST)
        self.world.cut = Reason.CHILDREN
        if is_unknown(number):
            self.world.players.number(number)
            self.world.sizes[number] = CHILDREN
        return CHILDREN

    def number(self, value: Any) -> Any:
        """Return a number for folded data or a seed: a traced one for an unknown value."""
        if is_unknown(value):
            return self.world.players.number(value)
        if isinstance(value, bool | int):
            return int(value) % 2**32
        if hasattr(value, "dtype"):
            return value
        return self.world.players.number(unknown(self.world, "number"))

    def initializer(self, name: str) -> Any:
        """Return an initializer: it draws from its key, unless its result is constant."""

        def draw(key: Any = None, *args: Any, **kwargs: Any) -> Any:
            return self.random(name, (key,), {})

        def fill(*args: Any, **kwargs: Any) -> Any:
            return unknown(self.world, f"nn.initializers.{name}")

        if name in CONSTANTS:
            return fill if name == "constant" else fill()
        return draw


def key_data(keys: Any) -> Any:
    """Return the words of keys."""
    import jax

    return jax.random.key_data(keys)
