"""Looks at keys that leave the world of keys: to numpy, files, text, comparisons, collectives.

The table says which arguments of which function may be keys, and what becomes of a typed key there. What it says of
typed keys was measured, from JAX 0.4.38 to 0.10.2.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain.access import leaves, map_leaves
from olympus_rules.keyflow.domain.arguments import Arguments, parts
from olympus_rules.keyflow.domain.needs import Need
from olympus_rules.keyflow.domain.paths import both
from olympus_rules.keyflow.domain.state import State
from olympus_rules.keyflow.domain.terms import WORDS, Term
from olympus_rules.keyflow.domain.values import Choice, Const, Library, Map, Metadata, Sequence, Value
from olympus_rules.keyflow.facts import Fact, KeyKind
from olympus_rules.keyflow.notes.pending import dtype_fact, is_stored, is_used_as_key, note, spelled

__all__ = ["ROWS", "compared", "converted", "method", "shown"]

MANY = 32  # leaves of a tree that are looked at

EVERYWHERE = tuple(range(MANY))


@dataclass(frozen=True, slots=True)
class Row:
    """What a function does with keys among its arguments.

    Attributes:
        form: see :data:`ROWS`.
        places: the positions of the arguments that count.
        names: their names; ``*`` for any keyword.
        effect: what a typed key does there: ``fails``, ``differs`` or the ``same``.
        before: the oldest release of JAX in which a typed key works.
    """

    form: str
    places: tuple[int, ...] = (0,)
    names: tuple[str, ...] = ()
    effect: str = "fails"
    before: tuple[int, ...] = ()


def _rows(module: str, names: str, row: Row) -> dict[str, Row]:
    return {f"{module}.{name}": row for name in names.split()}


ROWS: dict[str, Row] = {
    # numpy: an array of words where there was a key
    **_rows(
        "numpy",
        "array asanyarray asarray ascontiguousarray atleast_1d atleast_2d broadcast_to concatenate copy empty_like"
        " expand_dims full_like hstack isfinite isin isinf isnan ones_like ravel repeat stack tile uint32 uint64 int32"
        " int64 unique vstack zeros_like",
        Row("numpy", names=("a", "object", "arrays", "x", "array", "prototype", "m")),
    ),
    **_rows("numpy", "append where", Row("numpy", (0, 1, 2), ("arr", "values"))),
    **_rows(
        "tensorflow", "constant convert_to_tensor cast random.stateless_uniform random.stateless_normal", Row("numpy")
    ),
    **_rows("hashlib", "blake2b md5 sha1 sha256 sha512", Row("words")),
    **_rows("builtins", "bytes memoryview", Row("words")),
    # words as numbers
    **_rows("jax.numpy", "array asarray", Row("cast", names=("a", "object"))),
    **_rows("jax.numpy", "argsort lexsort sort unique", Row("words", names=("a", "ar", "keys"))),
    **_rows("numpy", "argsort lexsort sort", Row("words", names=("a", "keys"))),
    "jax.lax.sort": Row("words", names=("operand",)),
    # dtypes
    **_rows(
        "numpy",
        "can_cast dtype empty full iinfo issubdtype ones promote_types result_type zeros",
        Row("dtype", EVERYWHERE, ("dtype",)),
    ),
    **_rows(
        "jax.numpy", "arange dtype iinfo issubdtype promote_types result_type", Row("dtype", EVERYWHERE, ("dtype",))
    ),
    "jax.dtypes.issubdtype": Row("dtype"),
    # comparisons
    **_rows("numpy", "array_equal array_equiv", Row("equality", (0, 1), ("a1", "a2"), "differs")),
    "numpy.allclose": Row("equality", (0, 1), ("a", "b")),
    **_rows("numpy", "equal isclose not_equal", Row("elementwise", (0, 1), ("x1", "x2", "a", "b"))),
    **_rows("jax.numpy", "equal not_equal", Row("elementwise", (0, 1), ("x", "y"), "differs")),
    **_rows(
        "numpy.testing",
        "assert_allclose assert_almost_equal assert_array_almost_equal assert_array_equal assert_array_less"
        " assert_equal",
        Row("assertion", (0, 1), ("actual", "desired", "x", "y")),
    ),
    **_rows("chex", "assert_trees_all_close assert_tree_all_finite", Row("assertion", EVERYWHERE)),
    **_rows("chex", "assert_rank assert_type", Row("assertion", names=("inputs",))),
    # values that are no keys among keys
    "jax.numpy.where": Row("fill", (1, 2), ("x", "y")),
    "jax.numpy.pad": Row("pad", names=("array",)),
    "numpy.pad": Row("numpy", names=("array",)),
    "jax.lax.pad": Row("pad", (0, 1), ("operand", "padding_value")),
    **_rows("jax.random", "permutation", Row("shuffle", (1,), ("x",))),
    **_rows("jax.random", "choice", Row("shuffle", (1,), ("a",))),
    # sums over devices and trees
    **_rows("jax.lax", "pmax pmean pmin psum psum_scatter", Row("collective", names=("x",))),
    "optax.global_norm": Row("collective"),
    "jax.flatten_util.ravel_pytree": Row("ravel", names=("pytree",)),
    # seeds
    **_rows("numpy.random", "RandomState seed", Row("generator", names=("seed",))),
    # files
    **_rows("numpy", "save savetxt", Row("save", (1,), ("arr", "X"))),
    **_rows("numpy", "savez savez_compressed", Row("save", EVERYWHERE[1:], ("*",))),
    "jax.numpy.save": Row("save", (1,), ("arr",)),
    "jax.numpy.savez": Row("save", EVERYWHERE[1:], ("*",)),
    **_rows("flax.serialization", "msgpack_serialize to_bytes", Row("checkpoint", names=("pytree", "target"))),
    "equinox.tree_serialise_leaves": Row("checkpoint", (1,), ("pytree",)),
    **_rows("pickle", "dump dumps", Row("pickle", names=("obj",), before=(0, 9, 2))),
    **_rows("cloudpickle", "dump dumps", Row("pickle", names=("obj",), before=(0, 9, 2))),
    **_rows("joblib", "dump", Row("pickle", names=("value",), before=(0, 9, 2))),
    # shown
    "jax.device_get": Row("device_get", names=("x",), effect="differs"),
    **_rows("builtins", "ascii format repr str", Row("text", effect="differs")),
    "builtins.print": Row("print", EVERYWHERE, effect="differs"),
    **_rows("numpy", "array2string array_repr array_str", Row("words", names=("a", "arr"))),
    **_rows("jax.numpy", "array_repr array_str", Row("words", names=("a", "arr"))),
    # keys of zeros
    **_rows("jax.numpy", "empty_like full_like ones_like zeros_like", Row("zeros", names=("a", "x"), effect="same")),
    # older releases
    **_rows("jax.numpy", "take take_along_axis", Row("gather", names=("a", "arr"), before=(0, 8, 3))),
    "jax.lax.ppermute": Row("gather", names=("x",), before=(0, 8, 3)),
}  # fmt: skip
"""Functions by qualified name. The forms, with the portable rewrite where there is one:

=============  ==================================================================
numpy, words   ``key_data(key)``; a function of ``jax.numpy`` where a key comes out
dtype          see :class:`facts.DtypeLogic`
cast           ``key_data(key)``, or no dtype where a key comes out
equality       ``key_data`` on both sides
elementwise    ``key_data`` on both sides
assertion      ``key_data`` on both sides
fill           keys in the place of numbers: ``zeros_like(keys)`` for 0
pad, shuffle   the words are padded; an index is drawn
collective     —
ravel          —
generator      ``key_data(key)``
save, pickle   ``key_data(key)``
checkpoint     —
device_get     ``key_data(key)`` for one key
text, print    ``key_data(key)``
zeros          a note: nothing breaks
gather         a note: older releases of JAX only
=============  ==================================================================
"""

METHODS = frozenset({"item", "tobytes", "tolist"})
WHOLE = {"Eq": "all", "NotEq": "any"}  # of words and of keys alike


def converted(flow: State, row: Row, qualified: str, arguments: Arguments, result: Value) -> Value:
    """Look at a call of a function that :data:`ROWS` speaks of, and return its result."""
    node = arguments.node or flow.site
    if row.form == "dtype" or qualified == "builtins.str":
        _dtype(flow, qualified, arguments)
    if row.form == "dtype":
        return result
    found = list(_selected(flow, row, arguments))
    if row.form == "cast" and not _casts(arguments):
        return result
    if node is None or not found:
        return result
    if row.form == "elementwise" and row.effect == "differs" and _as_a_whole(flow, qualified, node):
        return result
    if row.form == "zeros" and (_is_filler(flow, node) or _is_of_numbers(qualified, arguments)):
        return result
    if row.form == "fill" and not any(_is_number(value) for value in _pair(arguments)):
        return result
    effect, before, form = row.effect, row.before, row.form
    if form == "text" and _is_for_people(flow, node):
        form = "print"
    if qualified == "jax.random.choice" and arguments.get(3, "replace") in (None, Const(True)):
        before = (0, 8, 3)
    if row.form in ("numpy", "cast", "device_get"):
        result = _words(flow, result)
    _note(flow, _Use(form, _known_as(arguments, qualified), node, effect, before), found, result)
    return result


def _is_of_numbers(qualified: str, arguments: Arguments) -> bool:
    """Say whether an array like a key is made with a dtype of its own."""
    dtype = arguments.get(2 if qualified.endswith("full_like") else 1, "dtype")
    return dtype not in (None, Const(None)) and not isinstance(dtype, Metadata)


INTEGERS = frozenset(["integer", "number", "uint32", "unsignedinteger"])


def _dtype(flow: State, qualified: str, arguments: Arguments) -> None:
    """Look at ``np.issubdtype(key.dtype, …)`` and other functions that take the dtype of numbers."""
    for value in arguments.values():
        if not isinstance(value, Metadata) or value.what != "dtype" or arguments.node is None:
            continue
        if _is_added(flow, arguments.node, value.subject):
            continue
        form = "name" if qualified == "builtins.str" else "numpy"
        if qualified in ("jax.numpy.issubdtype", "jax.dtypes.issubdtype"):
            kind = arguments.get(1, "arg2")
            if not isinstance(kind, Library) or kind.qualified.rpartition(".")[2] not in INTEGERS:
                continue  # a key is no floating-point number, raw or typed
            form = "integer"
        dtype_fact(flow, value, form, arguments.node)


def _is_added(flow: State, node: ast.AST, subject: ast.expr) -> bool:
    """Say whether ``key + jnp.arange(n, dtype=key.dtype)`` is what is computed: the sum is the mistake."""
    around = flow.file.document.parents.get(node)
    while isinstance(around, ast.Subscript):
        around = flow.file.document.parents.get(around)
    key = spelled(subject)
    return isinstance(around, ast.BinOp) and key != "" and key in (spelled(around.left), spelled(around.right))


def _words(flow: State, result: Value) -> Value:
    """Return an array of numpy with the words of keys: the same keys to what takes them, but nothing to read."""
    knowledge = flow.knowledge

    def words(term: Term) -> Value:
        return knowledge.view(WORDS, term, knowledge.rank(term)) if knowledge.is_candidate(term) else term

    return map_leaves(result, words)


def _known_as(arguments: Arguments, qualified: str) -> str:
    node = arguments.node
    qualified = qualified.removeprefix("builtins.")
    return ast.unparse(node.func) if node is not None and isinstance(node.func, ast.Name | ast.Attribute) else qualified


def _pair(arguments: Arguments) -> Iterator[Value | None]:
    yield from (arguments.get(1, "x"), arguments.get(2, "y"))


def _is_filler(flow: State, node: ast.AST) -> bool:
    """Say whether an expression is what ``where`` puts in the place of keys that are not wanted."""
    around = flow.file.document.parents.get(node)
    return isinstance(around, ast.Call) and isinstance(around.func, ast.Attribute) and around.func.attr == "where"


def _is_number(value: Value | None) -> bool:
    return isinstance(value, Const) and isinstance(value.value, int | float)


def _casts(arguments: Arguments) -> bool:
    """Say whether ``jnp.asarray`` is given a dtype other than that of an array at hand."""
    dtype = arguments.get(1, "dtype")
    return dtype is not None and dtype != Const(None) and not isinstance(dtype, Metadata)


Found = tuple[Term, ast.expr | None]


def _selected(flow: State, row: Row, arguments: Arguments) -> Iterator[Found]:
    """Return the terms in the arguments that count, each with its expression where it has one of its own."""
    node = arguments.node
    starred = any(is_starred for _, is_starred in arguments.positional)
    nodes = node.args if node is not None and len(node.args) == len(arguments.positional) else []
    for place in row.places:
        if place >= len(arguments.positional) or starred:
            break
        yield from _leaves(flow, arguments.positional[place][0], nodes[place] if nodes else None)
    for name, value in arguments.keywords:
        if name in row.names or (row.names == ("*",) and name is not None):
            expression = None
            if node is not None:
                expression = next((keyword.value for keyword in node.keywords if keyword.arg == name), None)
            yield from _leaves(flow, value, expression)


def _leaves(flow: State, value: Value, expression: ast.expr | None) -> Iterator[Found]:
    if isinstance(value, Term):
        yield value, expression
    elif isinstance(value, Choice):
        for path, part in value.arms:
            if both(flow.path, path) is not None:
                yield from _leaves(flow, part, expression)
    elif isinstance(value, Sequence) and value.kind == "stack":  # an array of keys, with an expression of its own
        yield from ((term, expression) for term in leaves(value)[:MANY])
    elif isinstance(value, Sequence | Map):
        for part, own in list(parts(value, expression))[:MANY]:
            yield from _leaves(flow, part, own)


class _Use(NamedTuple):
    """A place that takes values apart or turns them into something else.

    Attributes:
        form: what happens there, as in :class:`~olympus_rules.keyflow.facts.Conversion`.
        function: how it is called.
        node: the place.
        effect: what it does with typed keys: ``fails``, ``differs`` or ``same``.
        before: the releases of JAX before which it fails.
    """

    form: str
    function: str
    node: ast.AST
    effect: str = "differs"
    before: tuple[int, ...] = ()


def _note(flow: State, use: _Use, found: list[Found], result: Value) -> None:
    """Keep the fact that one of the terms found is a key; which of them are turns out later."""
    candidates = [(term, expression) for term, expression in found if not is_stored(flow, term)]

    def build(confidence: Confidence, kind: KeyKind) -> Fact:
        known = [pair for pair in candidates if flow.knowledge.is_known(pair[0])]
        expressions = [expression for _, expression in known]
        subjects = tuple(dict.fromkeys(expression for expression in expressions if expression is not None))
        # where the term stays the same, it is not known what the result is used for
        unchanged = not set(leaves(result)).isdisjoint(term for term, _ in candidates)
        is_key = not unchanged and is_used_as_key(flow, result)
        stays = use.form == "device_get" and is_key  # what takes keys takes this one
        return facts.Conversion(
            node=use.node,
            confidence=Confidence.POSSIBLE if use.before or stays or use.form == "print" else confidence,
            key=next((spelled(e) for t, e in known or candidates if e is not None and _is_or_gets_key(flow, t)), ""),
            kind=kind,
            form=use.form,
            function=use.function,
            subjects=subjects if None not in expressions else (),
            effect="same" if stays else use.effect,
            is_key=is_key,
            unsure=any(_may_be_key(flow, term) for term, _ in found if not flow.knowledge.is_known(term)),
            before=use.before,
        )

    for term in dict.fromkeys(term for term, _ in candidates):
        note(flow, term, Need.KNOWN if use.effect == "fails" else Need.RAW, build)


def _is_or_gets_key(flow: State, term: Term) -> bool:
    return flow.knowledge.is_known(term) or term in flow.knowledge.passed


def _may_be_key(flow: State, term: Term) -> bool:
    """Say whether a term that nothing shows to be a key may be one: what comes out of unknown code, and what is put
    together of such parts."""
    terms = flow.terms
    operation, data = terms.operation(term), terms.data(term)
    if operation == "op":
        if isinstance(data, tuple) and not str(data[0]).startswith(("jax.random.", "numpy.")):
            return any(_may_be_key(flow, part) for part in terms.args(term))
        return False
    return operation != "const" and not is_stored(flow, term)


def method(flow: State, term: Term, name: str, node: ast.Call, subject: ast.expr) -> None:
    """Look at a method of an array that gives its words to Python."""
    if name in METHODS:
        _note(flow, _Use("words", f".{name}", node, "fails"), [(term, subject)], Const(None))


def shown(flow: State, operands: Iterable[Value], node: ast.AST) -> None:
    """Look at an f-string with a key in it."""
    if not isinstance(node, ast.JoinedStr):
        return
    values = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
    found: list[Found] = [
        pair for value, part in zip(operands, values, strict=False) for pair in _leaves(flow, value, part)
    ]
    if found:
        form = "print" if _is_for_people(flow, node) else "text"
        _note(flow, _Use(form, "f-string", node), found, Const(None))


TELLING = frozenset(["critical", "debug", "error", "exception", "fail", "info", "log", "print", "warn", "warning"])


def _is_for_people(flow: State, node: ast.AST) -> bool:
    """Say whether text goes to a log or into the message of an error, and nowhere else."""
    parents = flow.file.document.parents
    around = parents.get(node)
    while isinstance(around, ast.expr | ast.keyword):
        if isinstance(around, ast.Call):
            name = around.func.attr if isinstance(around.func, ast.Attribute) else getattr(around.func, "id", "")
            if name in TELLING:
                return True
        node, around = around, parents.get(around)
    return isinstance(around, ast.Raise) or (isinstance(around, ast.Assert) and node is around.msg)


def compared(flow: State, operation: str, operands: list[Value], node: ast.AST) -> None:
    """Look at ``==`` and ``!=`` of keys, which is one truth value for each key and no longer one for each word."""
    if operation not in WHOLE or not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return
    if not all(isinstance(operand, Term) for operand in operands):
        return
    if _as_a_whole(flow, operation, node):
        return
    sides = (node.left, node.comparators[0])
    found: list[Found] = [(term, side) for term, side in zip(operands, sides, strict=True) if isinstance(term, Term)]
    _note(flow, _Use("elementwise", "==" if operation == "Eq" else "!=", node), found, Const(None))


def _as_a_whole(flow: State, operation: str, node: ast.AST) -> bool:
    """Say whether ``all`` words are asked for to be equal, or ``any`` not to be: keys say the same."""
    wanted = WHOLE.get(operation) or ("any" if operation.endswith("not_equal") else "all")
    parents = flow.file.document.parents
    around = parents.get(node)
    if isinstance(around, ast.Attribute):  # (a == b).all()
        call = parents.get(around)
        return around.attr == wanted and isinstance(call, ast.Call) and not call.args and not call.keywords
    if isinstance(around, ast.Call) and isinstance(around.func, ast.Attribute):  # jnp.all(a == b)
        return around.func.attr == wanted and len(around.args) == 1 and not around.keywords
    return False
