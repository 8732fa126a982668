"""Stand-ins for JAX: they do with keys what JAX does, and leave everything else unknown.

Transformations call the function they are given, loops run a few turns, branches are decided. So what is traced in
the end is one straight line of key operations, each at its place in the user's source.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial, wraps
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from olympus.predicates import Applied, Constant, Symbol
from olympus.verdicts.iterations import LOOP, MANY, Turn
from olympus.witness.decisions import Derived, derived
from olympus.witness.loops import TURNS as OPEN_TURNS
from olympus.witness.unknown import Unknown, expression, is_unknown

if TYPE_CHECKING:
    from olympus.witness.world import World

__all__ = ["EXECUTED", "Jax", "library"]

TURNS = 2  # of a loop
TOLD = 10  # derivations of an argument, up to which a result is told by it
EXECUTED = "example_libraries"  # what JAX has there is written as a user's code is
MAKERS = frozenset({"key", "PRNGKey", "threefry2x32_key", "rbg_key", "unsafe_rbg_key"})
KEPT = frozenset({"clone", "key_data", "wrap_key_data", "key_impl", "key_dtype"})
ARRAYS = frozenset({"arange", "array", "asarray", "int32", "uint32", "uint8", "int64", "uint64"})
CONSTANTS = frozenset({"constant", "ones", "zeros"})
WRAPPERS = frozenset(
    """
    jit pjit checkpoint remat named_call custom_jvp custom_vjp custom_gradient closure_convert disable_jit
    experimental.pjit.pjit ad_checkpoint.checkpoint numpy.vectorize named_scope
    """.split()  # noqa: SIM905
)
LANES = frozenset({"vmap", "pmap", "shard_map", "experimental.shard_map.shard_map", "xmap", "smap"})
GRADIENTS = frozenset({"grad", "value_and_grad", "jacfwd", "jacrev", "jacobian", "hessian"})


def library(roots: Sequence[str]) -> Callable[[World, str], Any]:
    """Return what gives the stand-in for a module of JAX.

    Args:
        roots: the packages in which JAX's namespace is, ``jax`` among them.
    """

    def find(world: World, name: str) -> Any:
        if name.startswith(f"jax.{EXECUTED}.") and world.sources(name) is not None:
            return None
        for root in roots:
            if name == root or name.startswith(f"{root}."):
                return Jax(world, name.removeprefix(root).removeprefix("."))
        return None

    return find


class Jax:
    """A name of JAX: a module, a function, or anything else."""

    def __init__(self, world: World, name: str) -> None:
        self._world, self._name = world, name

    def __repr__(self) -> str:
        return f"jax.{self._name}"

    def __getattr__(self, name: str) -> Any:
        if name in ("__name__", "__qualname__"):
            return self._name.rpartition(".")[2]
        if name in ("__version__", "__version_info__") and not self._name:
            import jax

            return getattr(jax, name)
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        full = f"{self._name}.{name}" if self._name else name
        if self._name == EXECUTED:
            return self._world.module(f"jax.{full}")
        value = None if full in WRAPPERS else constant(full)  # some of them are classes
        return Jax(self._world, full) if value is None else value

    def __getitem__(self, item: Any) -> Any:
        return self

    __iter__ = None  # or its items would never end

    def __or__(self, other: Any) -> Any:
        return self

    __ror__ = __or__

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return (self._world.base,)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Do what the function of JAX does."""
        claimed, is_key = self._world.is_claimed(sys._getframe(1)), self._world.players.is_key
        args = tuple(
            self._world.promote(each) if is_unknown(each) and (claimed or is_key(each)) else each for each in args
        )
        return Calls(self._world).call(self._name, args, kwargs)


def constant(name: str) -> Any:
    """Return JAX's own object where it is a type or a number, ``None`` otherwise."""
    import jax

    found: Any = jax
    for part in name.split("."):
        found = getattr(found, part, None)
    if isinstance(found, type) or (isinstance(found, int | float) and not isinstance(found, bool)):
        return found
    return None


class Calls:
    """What the functions of JAX do."""

    def __init__(self, world: World) -> None:
        self.world = world

    def call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a function of JAX by its name below ``jax``."""
        module, _, function = name.rpartition(".")
        if module == "random":
            return self.random(function, args, kwargs)
        if module == "nn.initializers":
            return self.initializer(function)
        if name in WRAPPERS:
            return self.wrapper(args, kwargs)
        if name in LANES:
            return self.lanes(args, kwargs)
        if name in GRADIENTS:
            return self.gradient(name, args, kwargs)
        method = getattr(self, f"do_{function}", None) if module in ("lax", "") else None
        if method is not None:
            return method(*args, **kwargs)
        return self.other(name, args, kwargs)

    def unknown(self, name: str, args: Sequence[Any] = (), *, plain: bool = False) -> Any:
        """Return a new unknown value; a plain one is no key. Of one that is given for some arguments, it is told so."""
        term = None
        if args and all(
            isinstance(expression(each), Constant | Symbol) or (is_unknown(each) and each._olympus_depth < TOLD)
            for each in args
        ):
            term = derived(f"jax.{name}", tuple(map(expression, args)))
        return Unknown(self.world, f"jax.{name}(...)", plain=plain, term=term)

    # Random keys.

    def random(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Do what a function of ``jax.random`` does."""
        import jax

        self.world.count_key_operation()
        if name in MAKERS:
            return self.made(name, args, kwargs)
        arguments = list(args)
        first = arguments.pop(0) if arguments else kwargs.pop(next(iter(kwargs)))
        key = self.world.promote(first)
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
        return self.unknown(f"random.{name}", plain=True)

    def made(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Make a key of a seed; the kind is that of the execution for ``PRNGKey``."""
        import jax

        seed = args[0] if args else kwargs.get("seed", 0)
        maker = jax.random.key if name == "key" or self.world.typed else jax.random.PRNGKey
        return maker(self.number(seed))

    def count(self, number: Any) -> int:
        """Return how many children there are; where that is not known, they stand for any number."""
        if isinstance(number, int) and not is_unknown(number):
            return min(number, 64)
        many = TURNS + 1
        if self.world.open:
            many = self.world.loops.many = OPEN_TURNS + 1  # without one of them, they are still many
        else:
            self.world.cut = MANY
        if is_unknown(number):
            self.world.as_number(number)
            self.world.sizes[number] = many
        return many

    def number(self, value: Any) -> Any:
        """Return a number for what is folded in, or a seed: a traced one for what is not known."""
        if is_unknown(value):
            return self.world.as_number(value)
        if isinstance(value, bool | int):
            return int(value) % 2**32
        if hasattr(value, "dtype"):
            return value
        return self.world.as_number(self.unknown("number"))

    def initializer(self, name: str) -> Any:
        """Return an initializer: it draws from its key, unless it gives a constant."""

        @own
        def draw(key: Any = None, *args: Any, **kwargs: Any) -> Any:
            return self.random(name, (key,), {})

        @own
        def fill(*args: Any, **kwargs: Any) -> Any:
            return self.unknown(f"nn.initializers.{name}")

        if name in CONSTANTS:
            return fill if name == "constant" else fill()
        return draw

    # Transformations.

    def wrapper(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the function as it is; without one, what takes it."""
        if not args and "fun" not in kwargs:
            return partial(self.wrapper_of, kwargs)
        return self.wrapper_of(kwargs, args[0] if args else kwargs["fun"])

    def wrapper_of(self, options: dict[str, Any], function: Any) -> Any:
        """Return what stands for a compiled function, or one with a derivative of its own."""
        return Wrapped(self.world, function) if callable(function) else function

    def lanes(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return a function that is called for one lane of its arguments."""
        if not args:
            return lambda function: self.lanes((function,), kwargs)
        function, axes = args[0], args[1] if len(args) > 1 else kwargs.get("in_axes", 0)
        out_axes = args[2] if len(args) > 2 else kwargs.get("out_axes", 0)

        @own
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
        """Return the mapped axis of each flat argument; what is not known is the first."""
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

        @own
        def differentiated(*values: Any, **named: Any) -> Any:
            result = function(*values, **named)
            gradient = self.unknown(name)
            has = auxiliary if isinstance(auxiliary, bool) else False
            if name == "value_and_grad":
                return result, gradient
            return (gradient, result[1]) if has else gradient

        return differentiated

    # Control flow: a few turns of a loop, one branch of several.

    def do_scan(self, f: Any, init: Any = None, xs: Any = None, length: Any = None, *rest: Any, **named: Any) -> Any:
        """Run the body of a scan for a few turns."""
        import jax

        carry, rows = init, []
        for turn in self.turns(self.length(xs, length), self.count_of(xs, length)):
            carry, row = f(carry, self.element(xs, turn))
            rows.append(row)
        if not rows:
            return carry, self.unknown("lax.scan")
        flat = [jax.tree_util.tree_flatten(row) for row in rows]
        stacked = [self.stacked([leaves[i] for leaves, _ in flat]) for i in range(len(flat[0][0]))]
        return carry, jax.tree_util.tree_unflatten(flat[0][1], stacked)

    def length(self, xs: Any, length: Any) -> int | None:
        """Return how many turns a loop has; ``None`` if that is not known."""
        import jax

        sizes = [leaf.shape[0] for leaf in jax.tree_util.tree_leaves(xs) if is_array(leaf) and leaf.ndim]
        if isinstance(length, int) and not is_unknown(length):
            sizes.append(length)
        return int(min(sizes)) if sizes else None

    def count_of(self, xs: Any, length: Any) -> Hashable:
        """Return what conditions say of the number of turns that a loop has; ``None`` if nothing is known of it."""
        import jax

        if is_unknown(length):
            return expression(length)
        for leaf in filter(is_unknown, jax.tree_util.tree_leaves(xs)):
            match leaf._olympus_term:
                case Derived("jax.numpy.arange", (count,)):
                    return count
                case term:
                    return Applied("len", term)
        return None

    def turns(self, length: int | None, count: Hashable = None, first: int = 0) -> Iterator[Turn]:
        """Return the turns of a loop that are run; of a long one, or one of unknown length, the first.

        Args:
            length: how many there are, if that is known.
            count: what conditions say of where it ends; ``None`` if nothing is known of that.
            first: where it begins.
        """
        if length is not None and length <= TURNS:
            return (Turn(0, number) for number in range(length))
        if self.world.open:
            return self.world.loops.turns()
        self.world.cut = LOOP
        known = count if length is None else None
        return (Turn(0, number - first) for number in self.world.few_turns(known, first))

    def element(self, xs: Any, turn: Turn) -> Any:
        """Return the element of what a loop goes over in one turn."""
        import jax

        def of(leaf: Any) -> Any:
            number = self.world.as_number(self.number_of(turn)) if is_array(leaf) and turn.loop else turn.number
            return leaf[number]

        return jax.tree_util.tree_map(of, xs)

    def number_of(self, turn: Turn) -> Any:
        """Return the number of a turn, one that is not known if it stands for any."""
        return self.world.loops.number(turn) if turn.loop else turn.number

    def stacked(self, rows: list[Any]) -> Any:
        """Return the results of the turns as one array, where they are keys."""
        import jax.numpy as jnp

        if all(is_array(row) for row in rows):
            try:
                return jnp.stack(rows)
            except (TypeError, ValueError):
                pass
        return self.unknown("lax.scan")

    def do_map(self, f: Any, xs: Any, **named: Any) -> Any:
        """Run a function for a few elements."""
        return self.do_scan(lambda carry, x: (carry, f(x)), None, xs)[1]

    def do_fori_loop(self, lower: Any, upper: Any, body_fun: Any, init_val: Any, **named: Any) -> Any:
        """Run a body for a few turns."""
        value = init_val
        known = isinstance(lower, int) and isinstance(upper, int)
        count, first = (expression(upper), lower) if is_unknown(upper) and type(lower) is int else (None, 0)
        for turn in self.turns(max(upper - lower, 0) if known else None, count, first):
            number = self.number_of(turn)
            value = body_fun(number if is_unknown(number) else lower + number, value)
        return value

    def do_while_loop(self, cond_fun: Any, body_fun: Any, init_val: Any) -> Any:
        """Run condition and body for a few turns."""
        value = init_val
        for _ in self.turns(None):
            cond_fun(value)
            value = body_fun(value)
        cond_fun(value)
        return value

    def do_cond(self, pred: Any, true_fun: Any, false_fun: Any, *operands: Any, **named: Any) -> Any:
        """Run one of two branches."""
        if "operand" in named:
            operands = (*operands, named["operand"])
        return (true_fun if self.decided(pred) else false_fun)(*operands)

    def do_switch(self, index: Any, branches: Any, *operands: Any, **named: Any) -> Any:
        """Run one of several branches."""
        if isinstance(index, int) and not is_unknown(index):
            return branches[min(max(index, 0), len(branches) - 1)](*operands)
        *firsts, last = list(branches)
        for place, branch in enumerate(firsts):
            if self.decided(index == place if is_unknown(index) else self.unknown("switch")):
                return branch(*operands)
        return last(*operands)

    def decided(self, predicate: Any) -> bool:
        """Decide a predicate; a traced one is not known either."""
        return predicate if isinstance(predicate, bool) else self.world.decide(self.as_unknown(predicate))

    def as_unknown(self, value: Any) -> Any:
        """Return an unknown value for a traced one."""
        return value if is_unknown(value) else self.world.condition(value)

    def do_associative_scan(self, fn: Any, elems: Any, *rest: Any, **named: Any) -> Any:
        """Run the function for two pairs of elements, and give an unknown result."""
        self.world.cut = LOOP  # what meets what is not known either
        for number in range(TURNS):
            fn(self.element(elems, Turn(0, number)), self.element(elems, Turn(0, number + 1)))
        return self.unknown("lax.associative_scan")

    def do_eval_shape(self, fun: Any, *args: Any, **named: Any) -> Any:
        """Run nothing: abstract evaluation consumes no key."""
        return self.unknown("eval_shape")

    do_make_jaxpr = do_eval_shape

    # Everything else.

    def other(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call JAX's function where all is known that it is given, and keys or indices are in it."""
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
            self.world.count_call()
            return found(*args, **kwargs)
        if short in ("tree_map", "map") and callable(args[0]):
            if any(map(is_unknown, args[1:])):
                return self.map_leaves(args[0], args[1:], name)
            return jax.tree_util.tree_map(*args, **kwargs)
        return self.unknown(name, () if kwargs else args)

    def map_leaves(self, function: Any, trees: Sequence[Any], name: str) -> Any:
        """Call a function for a few leaves of trees that are not known."""
        for turn in self.turns(None):
            function(*(tree[f"leaf {turn.number}"] if is_unknown(tree) else tree for tree in trees))
        return self.unknown(name)

    def predicate(self, value: Any) -> Any:
        """Return an array for what decides elementwise."""
        return self.world.as_number(value) > 0 if is_unknown(value) else value


def key_data(keys: Any) -> Any:
    """Return the words of keys."""
    import jax

    return jax.random.key_data(keys)


class Wrapped:
    """A function that JAX compiles, or whose derivative is given: called, it is the function."""

    def __init__(self, world: World, function: Any) -> None:
        self._world, self._function = world, function
        if isinstance(function, FunctionType | MethodType):
            self.__wrapped__, self.__name__ = function, function.__name__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
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


def own(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function as one of ours, which is not the user's even where it is handed on."""
    return wraps(function)(lambda *args, **kwargs: function(*args, **kwargs))


def is_array(value: Any) -> bool:
    """Say whether a value is an array of JAX, traced or not."""
    import jax

    return isinstance(value, jax.Array)
