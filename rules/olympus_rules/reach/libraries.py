"""What functions of libraries do with what they are given, as far as it matters to where keys get."""

from __future__ import annotations

import ast
from functools import cache

from olympus_rules.libraries import libraries

__all__ = [
    "ARRAYS",
    "ARRAY_MAKING",
    "AXES_KEEPING",
    "BRANCHING",
    "CHANGING",
    "COPYING",
    "DERIVING",
    "ELEMENTWISE",
    "FILLING",
    "FIRST_OPERAND",
    "HANDING_ON",
    "KEEPING",
    "LEAFWISE",
    "MANY",
    "MAPPING",
    "MOVING",
    "PARTIAL",
    "RUNNING",
    "SETTINGS",
    "TELLING",
    "TOLD_THE_RESULT",
    "TRANSFORMS",
    "axes_of_size",
    "counterpart",
    "maps",
]

DERIVING = frozenset({"split", "fold_in", "clone"})
HANDING_ON = frozenset(
    {
        "builtins", "chex", "collections", "contextlib", "copy", "dataclasses", "functools", "itertools", "jax",
        "operator", "typing",
    }
)  # fmt: skip
"""Packages whose functions give back what they are given, or a part of it, or a container of it."""
TRANSFORMS = frozenset(
    map(
        "jax.{}".format,
        """
    jit pjit vmap pmap grad value_and_grad checkpoint remat custom_vjp custom_jvp shard_map hessian jacfwd jacrev
    make_jaxpr linearize named_call ad_checkpoint.checkpoint experimental.shard_map.shard_map experimental.pjit.pjit
    numpy.vectorize named_scope ensure_compile_time_eval
    """.split(),  # noqa: SIM905
    )
)
"""What gives a function that takes what the given one takes."""
BRANCHING = frozenset({"jax.lax.cond", "jax.lax.switch"})
FIRST_OPERAND = {"jax.lax.cond": 3, "jax.lax.switch": 2, "jax.lax.fori_loop": 3, "jax.lax.while_loop": 2}
"""How many arguments come before those that functions are given."""
MAPPING = frozenset(
    {
        "builtins.filter", "builtins.map", "functools.partial", "functools.reduce", "jax.eval_shape", "jax.lax.map",
        "jax.tree.map", "jax.tree_map", "jax.tree_util.Partial", "jax.tree_util.tree_map", "jax.vjp", "jax.jvp",
        "jax.tree_util.tree_map_with_path", "jax.tree.map_with_path", "itertools.starmap", "jax.debug.callback",
        "jax.experimental.io_callback", "jax.pure_callback",
    }
)  # fmt: skip
"""What hands the arguments after a function to it, each in its place."""
ELEMENTWISE = frozenset({"builtins.filter", "builtins.map", "functools.reduce", "itertools.starmap"})
LEAFWISE = frozenset(name for name in MAPPING if "tree" in name and name != "jax.tree_util.Partial")
"""What hands on the elements of the arguments, and what hands on their leaves."""
RUNNING = BRANCHING | {
    "builtins.map", "jax.lax.associative_scan", "jax.lax.scan", "jax.lax.fori_loop", "jax.lax.while_loop",
    "jax.lax.map", "jax.tree.map", "jax.tree_map", "jax.tree_util.tree_map", "jax.eval_shape", "functools.reduce",
    "builtins.filter", "jax.debug.callback", "jax.experimental.io_callback", "jax.pure_callback",
}  # fmt: skip
"""What calls a function there and then, and does not give it back."""
AXES_KEEPING = frozenset(
    map(
        "jax.{}".format,
        """
    jit pjit grad value_and_grad checkpoint remat custom_vjp custom_jvp make_jaxpr linearize named_call
    ad_checkpoint.checkpoint experimental.pjit.pjit named_scope ensure_compile_time_eval eval_shape lax.cond lax.switch
    lax.fori_loop lax.scan lax.while_loop tree.map tree_map tree_util.tree_map tree_util.Partial vjp jvp disable_jit
    tree_util.register_pytree_node_class device_put device_get copy lax.optimization_barrier lax.stop_gradient
    block_until_ready debug.callback experimental.io_callback pure_callback
    """.split(),  # noqa: SIM905
    )
)
"""What gives a function the arrays that it is given itself, with the axes that they have."""
MOVING = frozenset(
    """
    append array asarray at atleast_1d broadcast_to choose compress concatenate copy device_get device_put
    dynamic_index_in_dim dynamic_slice dynamic_slice_in_dim dynamic_update_slice expand_dims flip hstack ravel repeat
    reshape roll select select_n split squeeze stack swapaxes moveaxis take take_along_axis tile transpose tree_map map
    map_with_path tree_leaves leaves tree_flatten flatten tree_unflatten unflatten vstack where optimization_barrier
    stop_gradient all_gather block_until_ready replicate shard_map_array device_put_replicated cond switch while_loop
    fori_loop broadcast concat rev
    """.split()  # noqa: SIM905
)
"""Functions of JAX that give back what they are given, moved or chosen from; no others give keys."""
KEEPING = frozenset(
    """
    cond switch while_loop fori_loop map tree_map map_with_path device_put device_get optimization_barrier
    stop_gradient block_until_ready replicate device_put_replicated copy all_gather
    """.split()  # noqa: SIM905
)
"""Those of them that give back trees as they are."""
TELLING = frozenset(
    map(
        "builtins.{}".format,
        ["bool", "bytes", "float", "hash", "id", "int", "isinstance", "len", "repr", "str"],
    )
)
"""Built-in functions that say something of what they are given, and give none of it back."""
SETTINGS = frozenset(
    "axis axis_name copy device dtype in_axes length mode num order out_axes reverse shape size unroll".split()  # noqa: SIM905
)
"""Options of JAX that are no arrays."""
COPYING = frozenset({"copy", "dataclasses", "functools", "typing"})
ARRAY_MAKING = ("jax.lax.", "jax.nn.", "jax.numpy.", "jax.random.", "jax.scipy.", "math.", "numpy.", "scipy.")
"""Whose functions give arrays, whatever functions they are given; but for those named above."""
ARRAYS = frozenset({"builtins", "numpy", "scipy", "absl", "pytest", "math", "operator", "unittest"})
"""Packages whose objects take no keys."""
MANY = 16  # functions that one call may call
FILLING = frozenset({"add", "append", "appendleft", "extend", "insert", "put", "setdefault", "update"})
CHANGING = frozenset({"replace", "_replace", "evolve", "tree_at"})


PARTIAL = frozenset({"functools.partial", "jax.tree_util.Partial"})
TOLD_THE_RESULT = frozenset({"jax.experimental.io_callback", "jax.pure_callback"})
"""What is told the shape of the result between the function and its arguments."""
UNCHANGED = "jax.lax.stop_gradient"
REPLICATED = "jax.device_put_replicated"
COUNTERPARTS = {
    "associative_scan": "jax.lax.associative_scan",
    "callback": "jax.debug.callback",
    "cond": "jax.lax.cond",
    "fori_loop": "jax.lax.fori_loop",
    "map": "jax.lax.map",
    "mapping": "jax.vmap",
    "partial": "functools.partial",
    "reduce": "functools.reduce",
    "scan": "jax.lax.scan",
    "shard_map": "jax.shard_map",
    "switch": "jax.lax.switch",
    "transparent": "jax.jit",
    "tree_map": "jax.tree.map",
    "value_and_grad": "jax.value_and_grad",
    "while_loop": "jax.lax.while_loop",
}
"""For each kind of transformation of the signature packs, a function of JAX or Python that the tables here know."""
TOLD_HERE = TRANSFORMS | RUNNING | MAPPING | ELEMENTWISE | {"functools.wraps"}


@cache
def counterpart(name: str, packs: tuple[str, ...] = ()) -> str:
    """Return the function of JAX or Python that does with keys and callables what a library's function does.

    Signature packs know transformations, and functions that give back their first argument, of many libraries.

    Args:
        name: a qualified name, under ``jax`` for JAX.
        packs: the paths of the user's packs.

    Returns:
        The name itself where the tables here know it, or the packs say nothing of it.
    """
    package, _, last = name.rpartition(".")
    if name in TOLD_HERE or (package.startswith("jax") and last in MOVING) or name.startswith("jax.random."):
        return name
    model = libraries(packs).get(name)
    kind = model.transform
    if kind is not None:
        return COUNTERPARTS.get(kind, name)
    row = model.row
    if package.partition(".")[0] in ARRAYS | COPYING or not (model.forwards or (row and row.forwards)):
        return name
    return REPLICATED if "replicate" in last or "local_array" in last else UNCHANGED


def maps(name: str) -> bool:
    """Say whether a library may hand other axes to a function than it is given itself, as ``vmap`` does."""
    package = name.partition(".")[0]
    if package == "jax":
        return name not in AXES_KEEPING
    return package not in HANDING_ON | ARRAYS


def axes_of_size(size: ast.expr) -> int | None:
    """Return how many axes a split of a size has, ``None`` where that is not known."""
    match size:
        case ast.Constant(value=int()) | ast.BinOp(op=ast.Mult() | ast.Sub() | ast.FloorDiv()):
            return 1
        case ast.Call(func=ast.Name(id="len" | "int")):
            return 1
        case ast.Tuple(elts=sizes) if not any(isinstance(each, ast.Starred) for each in sizes):
            return len(sizes)
    return None
