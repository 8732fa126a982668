"""Qualified names of library functions that code spells or compares with, and the one resolver of such names."""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from functools import lru_cache

from olympus_rules.syntax.imports import DEFAULT_ROOTS

PRIVATE = {
    "jax._src.random.core": "jax.random",
    "jax._src.random": "jax.random",
    "jax._src.numpy": "jax.numpy",
    "jax._src.core": "jax",
    "jax.experimental.maps": "jax",
}
"""Modules from which people import public functions, with the modules whose functions these are; inner ones first."""

# modules
RANDOM = "jax.random"
NUMPY = "jax.numpy"
LAX = "jax.lax"
JAXTYPING = "jaxtyping"

# makers of keys, and what derives and converts keys
KEY = "jax.random.key"
PRNG_KEY = "jax.random.PRNGKey"
SPLIT = "jax.random.split"
FOLD_IN = "jax.random.fold_in"
KEY_DATA = "jax.random.key_data"
KEY_IMPL = "jax.random.key_impl"
WRAP_KEY_DATA = "jax.random.wrap_key_data"

CHOICE = "jax.random.choice"
WITHOUT_DRAWING = frozenset({KEY_DATA, KEY_IMPL, WRAP_KEY_DATA})
"""Functions of ``jax.random`` that take a key, or its words, and draw nothing."""
REMOVED_MAKERS = frozenset({"jax.random.rbg_key", "jax.random.unsafe_rbg_key", "jax.random.threefry2x32_key"})

# types
ARRAY = "jax.Array"
LISTS = frozenset({"builtins.list", "builtins.tuple"})
ARRAY_TYPES = (ARRAY, "jax.numpy.ndarray")
KEY_DTYPE = "jax.dtypes.prng_key"
NUMPY_ARRAY = "numpy.ndarray"
ANY_ARRAY = frozenset({*ARRAY_TYPES, NUMPY_ARRAY, "chex.Array", "jaxtyping.Array"})
COPIES_NAMES = frozenset({"functools.wraps", "wraps"})
"""How the decorator is written that gives a function the name of another one and changes nothing else."""
DICT = "builtins.dict"
CHOOSING = frozenset({"where", "select", "select_n"})
"""Functions of ``jax.numpy`` and ``jax.lax``, by their last name, that choose among arrays by their first argument."""
ABSTRACT_ARRAY = "jax.ShapeDtypeStruct"
UINT32 = ("jax.numpy.uint32", "numpy.uint32")
KEY_TYPES = frozenset(
    {
        PRNG_KEY, KEY, KEY_DTYPE, "jax.random.KeyArray", "jax.random.PRNGKeyArray", "jax.random.PRNGKeyArrayImpl",
        "jax.prng.PRNGKeyArray", "jax._src.prng.PRNGKeyArray", "jax._src.prng.PRNGKeyArrayImpl",
    }
)  # fmt: skip
"""Names that stand for keys in annotations and tests of types."""
TYPE_ARGUMENTS = {"typing.cast": 0, "typing.NewType": 1, "typing.assert_type": 1}
"""Where a type is expected outside of annotations: the function, and which of its arguments is one."""
TYPING = ("typing.", "typing_extensions.", "collections.abc.")
LITERALS = frozenset({"typing.Literal", "typing_extensions.Literal"})
ANNOTATED = frozenset({"typing.Annotated", "typing_extensions.Annotated"})
NONE_TYPE = "types.NoneType"
DATACLASS = "dataclasses.dataclass"
JAXTYPING_KEY = "jaxtyping.Key"
JAXTYPING_KEY_ARRAY = "jaxtyping.PRNGKeyArray"
TYPES_OF_KEYS = (JAXTYPING_KEY, JAXTYPING_KEY_ARRAY, "jax.random.Key")
"""Types of keys of either kind; the last one exists from JAX 0.12 on."""
PARTITION_SPECS = ("jax.sharding.PartitionSpec", "jax.P")

# arrays
ARANGE = "jax.numpy.arange"
RANGES = (ARANGE, "numpy.arange")
ASARRAY = "jax.numpy.asarray"
CONCATENATE = "jax.numpy.concatenate"
EXPAND_DIMS = "jax.numpy.expand_dims"
ISSUBDTYPE = "jax.numpy.issubdtype"
MOVEAXIS = "jax.numpy.moveaxis"
STACK = "jax.numpy.stack"
VSTACK = "jax.numpy.vstack"
ZEROS = "jax.numpy.zeros"
ZEROS_LIKE = "jax.numpy.zeros_like"
READING = frozenset(f"numpy.{name}" for name in ("fromfile", "genfromtxt", "load", "loadtxt", "memmap"))
"""Functions that read arrays of numbers from files, which may be the words of keys."""
STREAMS = ("sys.stderr", "sys.stdout")
"""The files of Python that nobody reads again."""
CALLING_THE_METHOD = ("numpy.reshape", "numpy.swapaxes", "numpy.transpose")
"""Functions of NumPy that call the method of that name of an array of JAX."""

DTYPE_TESTS = (ISSUBDTYPE, "jax.dtypes.issubdtype")
CREATORS = {
    **{f"{module}.{name}": 1 for module in (NUMPY, "numpy") for name in ("zeros", "ones", "empty", "array", "asarray")},
    **{f"{module}.full": 2 for module in (NUMPY, "numpy")},
    **dict.fromkeys(UINT32, 1),
    ABSTRACT_ARRAY: 1,
}
"""Functions that make arrays of numbers, with the position of the dtype."""
METADATA = {f"{module}.{name}": name for module in (NUMPY, "numpy") for name in ("ndim", "shape", "size")}
"""Functions that give what an attribute of an array says."""
ELEMENTWISE_MODULES = (f"{NUMPY}.", "numpy.", f"{LAX}.")
MAKING_MODULES = (f"{NUMPY}.", f"{LAX}.", "jax.nn.", f"{RANDOM}.")
PURE_MODULES = (f"{LAX}.", f"{NUMPY}.", f"{RANDOM}.", "numpy.")
CONVERTING = frozenset(
    {
        "jax.lax.convert_element_type", "jax.random.PRNGKey(seed)", "jax.random.categorical(logits)",
        "jax.random.choice(a)", "jax.random.fold_in(data)", "jax.random.key(seed)",
    }
)  # fmt: skip
"""Functions of ``jax.lax`` and ``jax.random`` that call ``__jax_array__`` (JAX 0.4.38 to 0.10.2), by the parameter."""
DEVICE_PUT = "jax.device_put"
SHARDINGS = frozenset({"jax.NamedSharding", "jax.sharding.NamedSharding"})

# Python
STR = "builtins.str"
REPLACING = frozenset({"dataclasses.replace", "copy.replace"})

# settings
CONFIG = "jax.config"
CONFIG_UPDATES = ("jax.config.update", "jax.config.config.update")

# transformations and pytrees
SCAN = "jax.lax.scan"
FORI_LOOP = "jax.lax.fori_loop"
WHILE_LOOP = "jax.lax.while_loop"
LANE_NUMBERS = frozenset({"jax.lax.axis_index"})
EVALUATORS = frozenset({"jax.eval_shape", "jax.make_jaxpr"})
"""Functions that call another one with the shapes of arrays only."""
TREE_AT = "equinox.tree_at"
ERRORS = frozenset(
    f"builtins.{name}"
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
)
"""The classes of Python's exceptions."""
PLAIN_DECORATORS = frozenset(
    {
        DATACLASS, "functools.total_ordering", "typing.final", "typing.runtime_checkable",
        "typing_extensions.final", "typing_extensions.runtime_checkable",
    }
)  # fmt: skip
"""Decorators under which a class is no pytree, unless something else makes it one."""
PLAIN_BASES = frozenset(
    {
        *ERRORS,
        "abc.ABC", "builtins.object", "jax.array_protocol.SupportsJAXArray", "numpy.lib.mixins.NDArrayOperatorsMixin",
        "typing.Generic", "typing.Protocol", "typing_extensions.Generic", "typing_extensions.Protocol",
    }
)  # fmt: skip
PLAIN_PREFIXES = ("collections.abc.", "numbers.", "typing.Supports")
"""The same for bases, by name and by the beginning of the name."""
PLAIN_METACLASS = "abc.ABCMeta"
GLOBALS_CALL = "builtins.globals"
NEXT = "builtins.next"
VARS = "builtins.vars"
WRITERS_BY_NAME = frozenset({"__setattr__", "__setitem__", "setattr", "setitem"})
"""The last names of functions and methods that write an attribute or item under the name that they are given."""
BY_NAME = frozenset(
    {
        GLOBALS_CALL, NEXT, VARS, "builtins.dict.__setitem__", "builtins.list.__setitem__", "builtins.setattr",
        "builtins.object.__setattr__", "builtins.type.__setattr__", "operator.setitem",
    }
)  # fmt: skip
IMMUTABLE_BASES = frozenset({"equinox.Module", "flax.struct.PyTreeNode"})
"""Bases of classes whose objects cannot be written to."""
TREE_UTIL = "jax.tree_util."
TREES = ("jax.tree.", TREE_UTIL)
NNX = "flax.nnx"
VARIABLES = frozenset(
    f"{NNX}.{name}" for name in ("BatchStat", "Cache", "Intermediate", "Param", "Perturbation", "Variable")
)
"""Variables of flax with ``__jax_array__``."""
EVAL_SHAPE = "jax.eval_shape"
JIT = "jax.jit"
VMAP = "jax.vmap"
TREE_MAP = "jax.tree.map"
REGISTER_DATACLASS = "jax.tree_util.register_dataclass"
REGISTER_PYTREE_NODE_CLASS = "jax.tree_util.register_pytree_node_class"


def under_jax(qualified: str, roots: Iterable[str] = DEFAULT_ROOTS) -> str:
    """Return a qualified name with ``jax`` in the place of another name of the JAX namespace.

    Args:
        qualified: for example ``lab.jax_compat.random.split``.
        roots: the names of the namespace, such as ``lab.jax_compat`` (the setting ``library-roots``).
    """
    for root in roots:
        if qualified == root or qualified.startswith(f"{root}."):
            return f"jax{qualified[len(root) :]}"
    return qualified


@lru_cache(maxsize=16384)
def canonical(qualified: str, roots: tuple[str, ...] = DEFAULT_ROOTS) -> str:
    """Return the name under which the packs know a callable: under ``jax``, and in a public module.

    Args:
        qualified: the name as imports give it.
        roots: the names under which the JAX namespace may be imported.
    """
    name = under_jax(qualified, roots)
    for private, public in PRIVATE.items():
        if name == private or name.startswith(f"{private}."):
            return public + name[len(private) :]
    return name


METHODS_OF_NUMBERS = frozenset(
    """
    all any argmax argmin argsort choose clip compress conj conjugate cumprod diagonal nonzero partition ptp round
    searchsorted sort std trace var
    """.split()  # noqa: SIM905
)
"""Methods of arrays of numbers, which typed keys lack, beside those that return the words or compute with them."""
FITTING = frozenset({"broadcast_to", "dynamic_slice", "empty", "full", "ones", "reshape", "zeros"})
"""Functions that are given the axes of an array after others, as rewrites do it: they fit keys of both kinds."""
