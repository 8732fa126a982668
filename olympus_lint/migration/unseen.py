"""Places without a report of a rule, since their file alone does not show that the values there are keys.

The analysis of reach knows the values of the whole project, and in part their number of axes. This module finds uses of
them that certainly break with typed keys. A subscript on a value of unknown rank does not count: it may take a word of
a key, or a key of an array.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from olympus_lint.migration.batches import behind_words, mappings_of
from olympus_lint.migration.callees import library_of
from olympus_lint.migration.dtypes import is_numeric, reads_of, scope_of
from olympus_lint.migration.mapped import MAPPING_AXES, axes_taken, maps_over_words
from olympus_lint.migration.masks import Masks, is_spelled_out
from olympus_rules.libraries.names import (
    ABSTRACT_ARRAY,
    CHOOSING,
    GETITEM,
    GETTERS,
    INITIALIZERS,
    LAX,
    NUMPY,
    OF_ROWS,
    RANDOM,
    SCAN,
    SUM,
)
from olympus_rules.reach.mapping import NOT_MAPPED, mapped_by
from olympus_rules.reach.reading import place_of
from olympus_rules.reach.values import Container, Function, Key, Made, Other, Partial, Place, Value, Words
from olympus_rules.syntax import Document
from olympus_rules.syntax.document import Parents, every_node
from olympus_rules.syntax.rebinding import binds

if TYPE_CHECKING:
    from olympus_rules.reach.project import ProjectReach

__all__ = ["COLLECTIVES", "CONVERTING", "NUMERIC", "STACKING", "is_guarded", "is_permutation", "unseen"]

NUMBERS = frozenset(
    """
    __abs__ __add__ __and__ __array__ __bool__ __complex__ __divmod__ __eq__ __float__ __floordiv__ __ge__ __gt__
    __index__ __int__ __invert__ __le__ __lshift__ __lt__ __matmul__ __mod__ __mul__ __ne__ __neg__ __or__ __pos__
    __pow__ __radd__ __rand__ __rmul__ __ror__ __round__ __rshift__ __rsub__ __rxor__ __sub__ __truediv__ __xor__
    all any argmax argmin
    argpartition argsort astype byteswap choose clip compress conj conjugate cumprod cumsum diagonal dot flatten
    is_ready item max mean min nonzero partition prod ptp ravel repeat round searchsorted sort std sum to_device tobytes
    tolist trace var view
    """.split()  # noqa: SIM905
)
"""Methods that use the words of a raw key."""
WORDLESS = frozenset({"T", "aval", "imag", "mT", "itemsize", "real", "size"})
"""Attributes with another value for a typed key."""
SHAPED = frozenset({"broadcast_to", "full", "reshape", "tile", "dynamic_slice", "slice"})
"""Functions that take the shape of the words, unless the shape comes from a key."""
JOINING = frozenset({"concat", "concatenate", "stack"})
STACKING = frozenset({"block", "column_stack", "dstack", "hstack", "vstack"})
"""Functions that join arrays along an axis that depends on the number of their axes."""
NUMERIC = ("numpy.",)
"""The start of the names of functions that work on arrays of numbers only."""
MAPPING = frozenset({"map", "tree_map", "tree_multimap", "map_structure"})
"""Functions that call their first argument with the parts of the others."""
BY_AXES = frozenset(
    """
    argmax argmin broadcast_in_dim clamp collapse compress conv eq fliplr ge gather gt le lt ne pad reduce rev rot90
    scatter scatter_add scatter_apply scatter_max scatter_min scatter_mul sort sort_key_val take_along_axis top_k
    """.split()  # noqa: SIM905
)
"""Functions of numbers, and those that are given an entry for each axis or the axes by their numbers."""
WHOLE = {"append": 2, "delete": 2, "flip": 1, "insert": 3, "repeat": 2, "roll": 2, "take": 2}
"""Functions that work on all words if they are given no axis, with the position of the axis."""
EQUALITY = frozenset({"array_equal", "array_equiv", "eq", "equal", "ne", "not_equal"})
"""Functions that compare elements, which are keys or numbers."""
ROWS_AT = {SCAN: 2, f"{LAX}.map": 1}
"""Functions that call another one with the rows of an argument, by its position."""
TRANSPOSING = frozenset({"matrix_transpose", "transpose"})
AT_LEAST = {"atleast_1d": 1, "atleast_2d": 2, "atleast_3d": 3}
"""Functions that give arrays at least so many axes, one of which the words of raw keys are."""
REDUCING = ("cumlogsumexp", "cummax", "cummin", "cumprod", "cumsum", "reduce_")
"""The start of the names of functions of ``jax.lax`` that compute with numbers along an axis."""
COLLECTIVES = frozenset({"pmax", "pmean", "pmin", "psum", "psum_scatter"})
CONVERTING = frozenset(
    {"abs", "bytes", "complex", "divmod", "float", "hash", "int", "pow", "range", "repr", "round", "str"}
)
"""Functions of Python that compute with a number, or make a number, bytes or text of a value."""
ITERATING = frozenset(
    """
    all any enumerate filter frozenset iter list map max min next reversed set slice sorted sum tuple zip
    """.split()  # noqa: SIM905
)
"""Functions that take a raw key for a list of its words."""
DESCRIBING = frozenset({"ndim", "result_type", "shape", "size"})
CALLBACKS = frozenset({"io_callback", "pure_callback"})
LACKING = frozenset(
    """
    __float__ __index__ __int__ clone device_buffer device_buffers format is_ready platform tobytes tolist traceback
    weak_type
    """.split()  # noqa: SIM905
)
"""Attributes that raw keys have and typed keys lack."""
AXES_OF_LAX = {
    "concatenate": (1,),
    "dynamic_index_in_dim": (2,),
    "dynamic_slice_in_dim": (3,),
    "dynamic_update_index_in_dim": (3,),
    "dynamic_update_slice_in_dim": (3,),
    "expand_dims": (1,),
    "index_in_dim": (2,),
    "slice_in_dim": (4,),
}
"""The positions of the axes in functions of ``jax.lax``; some are functions of ``jax.numpy``, too."""
AXES_AT = AXES_OF_LAX | {
    "append": (2,),
    "array_split": (2,),
    "delete": (2,),
    "flip": (1,),
    "insert": (3,),
    "moveaxis": (1, 2),
    "repeat": (2,),
    "roll": (2,),
    "split": (2,),
    "stack": (1,),
    "swapaxes": (1, 2),
    "take": (2,),
}
ALONG_FIRST = frozenset(
    """
    array_split dynamic_index_in_dim dynamic_slice_in_dim flipud index_in_dim slice_in_dim split unstack
    """.split()  # noqa: SIM905
)
"""Functions that work along the first axis if they are told no other."""
AXIS_NAMES = frozenset({"axis", "axis1", "axis2", "destination", "dimension", "dimensions", "source"})
TYPED = frozenset({"array", "asarray", "astype", "convert_element_type"})
"""Functions that take the dtype of the result after the array."""
VALUES = (
    *(ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare),
    *(ast.IfExp, ast.BoolOp, ast.NamedExpr, ast.Await),
)
"""Expressions that may give a key; an operator may stand for a method."""
OF_ARRAYS = frozenset(
    "T astype at dtype flatten itemsize nbytes ndim ravel reshape shape size sum tobytes tolist transpose".split()  # noqa: SIM905
)
"""Attributes that no built-in container has."""


def unseen(
    document: Document, path: str, reached: ProjectReach, *, careful: bool = False
) -> Iterator[tuple[ast.expr, ast.expr, int | None]]:
    """Yield the keys of a file, each with an expression that breaks with typed keys.

    Where keys and arrays of keys reach an expression, it may break for those with the fewest axes alone, as ``x[0]``
    does. Then the third item is the number of their axes; it is ``None`` for an expression that breaks for all.

    Args:
        document: the file.
        path: its absolute path.
        reached: the analysis of reach.
        careful: whether keys with an unknown number of axes count as single keys.
    """
    mappings = mappings_of(document)
    for node in every_node(document.tree):
        if isinstance(node, ast.Call):
            behind = behind_words(node, mappings, path, reached)
            for value, broken in (
                *handed_on(node, path, reached),
                *behind,
                *mapped_words(node, document, path, reached),
            ):
                yield value, broken, None
        if not isinstance(node, VALUES):
            continue
        given = [each for each in given_by(node) if reached.has_keys_only(place_of(path, each), of_arrays=True)]
        if not given or is_computed_of_keys(node, path, reached):
            continue
        user = document.parents.get(node)
        is_array = isinstance(user, ast.Attribute) and user.attr in OF_ARRAYS
        is_array = is_array or (isinstance(user, ast.Call) and takes_arrays(user, node, path, reached))
        is_array = is_array or is_operand_of_arrays(user, node) or is_parameter(node, document)
        for each in given:
            if not is_array and not reached.has_keys_only(place_of(path, each)):
                continue
            use = Use(node, document, path, reached, careful=careful, given=each)
            place = use.breaking()
            fewest = None if place is not None else fewest_axes(place_of(path, each), reached)
            if fewest is not None:
                use.axes = fewest
                place = use.breaking()
            if place is not None:
                yield each, place, fewest


def fewest_axes(place: Place, reached: ProjectReach) -> int | None:
    """Return the least number of axes of keys at an expression, where others have more; ``None`` if all are alike.

    The keys of a constructor count if all of their numbers of axes are known.
    """
    ranks: dict[Place, set[int | None]] = defaultdict(set)
    for value in reached.values(place):
        if isinstance(value, Key) and not isinstance(value, Words):
            ranks[value.site].add(value.rank)
    known = {rank for each in ranks.values() if None not in each for rank in each if rank is not None}
    return min(known) if known and len(set[int | None]().union(*ranks.values())) > 1 else None


def given_by(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the expressions whose values an expression may give: itself, or others that choose or name a value."""
    match node:
        case ast.IfExp(body=body, orelse=orelse):
            yield from (*given_by(body), *given_by(orelse))
        case ast.BoolOp(values=values):
            for each in values:
                yield from given_by(each)
        case ast.NamedExpr(value=value) | ast.Await(value=value):
            yield from given_by(value)
        case _:
            yield node


def is_computed_of_keys(node: ast.expr, path: str, reached: ProjectReach) -> bool:
    """Say whether an operator is applied to keys themselves, which breaks before its result is used."""
    match node:
        case ast.BinOp(left=left, right=right):
            operands = [left, right]
        case ast.UnaryOp(operand=operand):
            operands = [operand]
        case ast.Compare(left=left, comparators=others):
            operands = [left, *others]
        case _:
            return False
    return any(reached.has_keys_only(place_of(path, each)) for each in operands)


def handed_on(call: ast.Call, path: str, reached: ProjectReach) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the containers with keys in a call whose parts go to a function that works on their words.

    They are ``a`` and ``b`` of ``jax.tree.map(np.testing.assert_array_equal, a, b)``, ``args`` of
    ``np.asarray(*args)``, and ``keys`` of ``jnp.vstack(keys)``.
    """
    name = library_of(call.func, path, reached)
    if name.startswith(NUMPY) and name.rpartition(".")[2] in STACKING:  # of a list that is made elsewhere
        for arrays in [*call.args[:1], *(option.value for option in call.keywords if option.arg == "tup")]:
            written = place_of(path, arrays)
            if not isinstance(arrays, ast.List | ast.Tuple | ast.Starred) and not reached.has_keys_only(written):
                yield from [(arrays, call)] if reached.keys_at(written) else []
    yield from ((each, call) for each in joined_along_words(call, name, path, reached))
    if name == SUM:
        yield from ((each, call) for each in call.args[:1] if ranks_of_parts(place_of(path, each), reached))
    starred = [argument.value for argument in call.args if isinstance(argument, ast.Starred)]
    if axes := rows_taken(call, name):
        rows = call.args[:1] if axes == 2 else starred
        yield from ((each, call) for each in rows if 0 in ranks_of_parts(place_of(path, each), reached))
    if starred and name.startswith(NUMERIC):
        yield from ((each, call) for each in starred if reached.keys_at(place_of(path, each)))
    if len(call.args) > 1 and library_of(call.args[0], path, reached).startswith(NUMERIC):
        for each in call.args[1:] if name.rpartition(".")[2] in MAPPING else ():
            value = each.value if isinstance(each, ast.Starred) else each
            if reached.keys_at(place_of(path, value)):
                yield value, call


def joined_along_words(call: ast.Call, name: str, path: str, reached: ProjectReach) -> Iterator[ast.expr]:
    """Yield a list of keys, made elsewhere, that a call joins or stacks along an axis behind those of the keys."""
    last = name.rpartition(".")[2]
    if not name.startswith((NUMPY, LAX)) or last not in JOINING:
        return
    for arrays in [*call.args[:1], *(option.value for option in call.keywords if option.arg in ("arrays", "operands"))]:
        ranks = set() if isinstance(arrays, ast.List | ast.Tuple) else ranks_of_parts(place_of(path, arrays), reached)
        known = [rank for rank in ranks if rank is not None]
        is_behind = any(number >= rank + (last == "stack") for number in axis_numbers(call, last, 1) for rank in known)
        if is_behind or (ranks and has_last_axis(call)):
            yield arrays


def mapped_words(
    call: ast.Call, document: Document, path: str, reached: ProjectReach
) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the arguments of a call that takes more axes from them than the keys there have.

    They are ``key`` of ``jax.vmap(f)(key)`` and ``jax.lax.scan(f, 0, key)``, where ``f`` gets the words.
    """
    for argument, axes in mapped_axes(call, path, reached):
        if not axes:
            continue
        for each in argument.elts if isinstance(argument, ast.Tuple | ast.List) else [argument]:
            most = Use(each, document, path, reached).most_axes
            if most is not None and most < axes and reached.has_keys_only(place_of(path, each)):
                yield each, call


def mapped_axes(call: ast.Call, path: str, reached: ProjectReach) -> Iterator[tuple[ast.expr, int]]:
    """Yield the arguments of a call of a mapped function, or of a scan, and how many axes it surely takes."""
    name = library_of(call.func, path, reached)
    if name in ROWS_AT:
        place = ROWS_AT[name]
        rows = [*call.args[place : place + 1], *(option.value for option in call.keywords if option.arg == "xs")]
        yield from ((each, 1) for each in rows)
        return
    made = call.func if isinstance(call.func, ast.Call) else None
    if made is not None and library_of(made.func, path, reached) in MAPPING_AXES:
        several = [mapped_by(made)]
    else:
        callees = reached.values(place_of(path, call.func))
        several = [callee.mapped if isinstance(callee, Partial) else NOT_MAPPED for callee in callees]
    known = [each for each in several if each is not None]
    for place, argument in enumerate(call.args if known and NOT_MAPPED not in known else ()):
        if isinstance(argument, ast.Starred):
            return
        yield argument, min(each.at(place) or 0 for each in known)


def rows_taken(call: ast.Call, name: str) -> int:
    """Return how many axes a function takes apart: 0 for any other, and for one that is told another than the first."""
    told = [*call.args[1:2], *(each.value for each in call.keywords if each.arg == "axis")]
    is_first = all(isinstance(axis, ast.Constant) and axis.value == 0 for axis in told)
    return OF_ROWS.get(name, 0) if is_first or not name.startswith((NUMPY, LAX)) else 0


def takes_arrays(call: ast.Call, node: ast.expr, path: str, reached: ProjectReach) -> bool:
    """Say whether a function of ``jax.numpy`` takes an argument only as an array of numbers, and no list of arrays."""
    name = library_of(call.func, path, reached) if call.args[:1] == [node] else ""
    model = reached.names.libraries.get(name) if name.startswith(f"{NUMPY}.") else None
    return model is not None and model.makes_arrays and not model.takes_keys


def is_operand_of_arrays(operator: ast.AST | None, node: ast.expr) -> bool:
    """Say whether an operator takes no list, tuple or dictionary: by itself, or a sum with a number."""
    match operator:
        case ast.UnaryOp(op=ast.Invert() | ast.USub() | ast.UAdd()):
            return True
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            other = right if left is node else left
            return isinstance(other, ast.Constant) and isinstance(other.value, int | float)
    return False


def is_parameter(node: ast.expr, document: Document) -> bool:
    """Say whether an expression is a parameter as it is given, which may be a list in one call and a key in another.

    The values of other variables may come from several calls of one function that are not told apart.
    """
    scope = scope_of(node, document.parents) if isinstance(node, ast.Name) else None
    if not (isinstance(node, ast.Name) and isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef)):
        return False
    given = (*scope.args.posonlyargs, *scope.args.args, *scope.args.kwonlyargs)
    return any(each.arg == node.id for each in given) and not binds(scope.body, node.id)


def ranks_of_parts(place: Place, reached: ProjectReach) -> set[int | None]:
    """Return the numbers of axes of the elements of an expression, if they are keys."""
    if reached.has_keys_only(place):
        rank = reached.likely_rank(place)
        return set() if rank is None else {rank - 1}
    containers = [value for value in reached.values(place) if isinstance(value, Container)]
    return set[int | None]().union(*(reached.ranks_of_elements(value) for value in containers))


class Use:
    """The use of a value in its expression."""

    def __init__(
        self,
        node: ast.expr,
        document: Document,
        path: str,
        reached: ProjectReach,
        *,
        careful: bool = False,
        given: ast.expr | None = None,
    ) -> None:
        """Take the value, and the expression that gives it where that is another one."""
        self.axes: int | None = None  # those of the keys that are asked about, where others come there as well
        self.careful = careful
        self.node = node
        self.given = given or node
        self.parents = document.parents
        self.path = path
        self.reached = reached

    def breaking(self) -> ast.expr | None:
        """Return the expression that breaks with typed keys, ``None`` for a correct or unclear use."""
        parent = self.parents.get(self.node)
        if parent is None or is_guarded(self.node, self.parents):
            return None
        found = False
        match parent:
            case ast.Attribute():
                found = self.reads(parent, parent.attr)
            case ast.Subscript(value=value, slice=index) if value is self.node:
                found = self.reads_words(index)
            case ast.Assign(targets=[ast.Tuple() | ast.List()]) | ast.Starred():
                found, parent = self.most_axes == 0, self.node  # one key unpacks to its words, an array to keys
            case ast.For(iter=value, target=target) | ast.comprehension(iter=value, target=target) if (
                value is self.node
            ):
                most = 1 if isinstance(target, ast.Tuple | ast.List) else 0  # axes of keys whose words are taken
                found, parent = self.most_axes is not None and self.most_axes <= most, self.node
            case ast.BinOp(left=ast.Constant(value=str()) | ast.JoinedStr(), op=ast.Mod()):
                found = False  # text
            case ast.BinOp(left=left, op=ast.Add(), right=right):  # JAX adds no list to an array: this is a list
                other = right if left is self.node else left
                found = not any(isinstance(value, Container) for value in self.values(other))
            case ast.BinOp() | ast.UnaryOp(op=ast.Invert() | ast.USub()):
                found = True
            case ast.Compare(ops=[ast.Eq() | ast.NotEq()]):
                summed_up = is_summed_up(parent, self.parents) and not self.is_compared_with_numbers(parent)
                found = not (summed_up or is_with_text(self.node, parent))
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[held]) if held is self.node:
                found = self.most_axes == 0
            case ast.Subscript():  # as an index
                found = True
            case ast.Compare(ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()]):
                found = not is_with_text(self.node, parent)
            case ast.Call(func=ast.Name(id="getattr"), args=[key, ast.Constant(value=str() as name), *_]) if (
                key is self.node
            ):
                found = self.reads(parent, name)
            case ast.Assign(targets=[ast.Subscript()]) | ast.AugAssign():
                found, parent = self.is_stored(parent), self.node
            case ast.Tuple() | ast.List() if is_unpacked(self.node, parent, self.parents):
                found, parent = self.most_axes == 0, self.node
            case ast.Call(func=ast.Attribute(attr="extend" | "extendleft"), args=[value]) if value is self.node:
                found = self.most_axes == 0
            case ast.Call() if self.node is not parent.func:
                found = self.is_refused(parent)
            case ast.keyword():
                call = self.parents.get(parent)
                found = isinstance(call, ast.Call) and self.is_refused(call)
                parent = call
            case ast.List() | ast.Tuple():
                call = self.parents.get(parent)
                call = self.parents.get(call) if isinstance(call, ast.keyword) else call
                found = isinstance(call, ast.Call) and (
                    self.is_refused(call, inside=True)
                    or (has_words(parent) and self.reached.names.libraries.get(self.named(call.func)).joins)
                )
                parent = call
        return parent if found and isinstance(parent, ast.expr) else None

    def is_stored(self, statement: ast.stmt) -> bool:
        """Say whether words are put into an array or a list, or added to what a variable has."""
        match statement:
            case ast.Assign(targets=[ast.Subscript(value=buffer, slice=index)]):
                is_array = all(isinstance(value, Key | Other) for value in self.values(buffer))
                return is_array or (isinstance(index, ast.Slice) and self.most_axes == 0)
            case ast.AugAssign(target=target, value=value):  # JAX adds no array to a list: this is a list
                other = value if target is self.node else target
                return not any(isinstance(value, Container) for value in self.values(other))
        return False

    @property
    def rank(self) -> int | None:
        """The number of axes of keys; ``None`` if it is unknown."""
        rank = self.reached.rank(place_of(self.path, self.given))
        if rank is not None or self.careful:
            return rank or 0
        owner = self.given.value if isinstance(self.given, ast.Attribute | ast.Subscript) else None
        is_of_one = owner is not None and self.reached.are_no_batches(place_of(self.path, owner))
        return 0 if is_of_one and self.likely_rank == 0 else None

    @property
    def most_axes(self) -> int | None:
        """The number of axes of keys, or 0 where there is evidence for a single key, and none for an array of keys."""
        return 0 if self.rank == 0 or self.likely_rank == 0 else self.rank

    @property
    def likely_rank(self) -> int | None:
        """The number of axes of those keys of which it is known, ``None`` if it is not one; or that asked for."""
        return self.axes if self.axes is not None else self.reached.likely_rank(place_of(self.path, self.given))

    def reads_words(self, index: ast.expr) -> bool:
        """Say whether a subscript covers more axes than those of keys, or counts axes from the end."""
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        constants = [part.value for part in parts if isinstance(part, ast.Constant)]
        axes = len(parts) - sum(constant in (None, Ellipsis) for constant in constants)
        if self.rank is None and ast.unparse(parts[-1]) == ":" and (len(parts) > 1 or is_item(self.node)):
            return True  # `keys[i, :]` and `keys[i][:]` spell out the axis of the words
        in_tree = isinstance(self.node, ast.Attribute | ast.Subscript) and not self.is_key(self.node.value)
        is_sure = in_tree and not is_part(self.node, self.parents)  # a tree may come from a map, with more axes
        most, taken = self.rank if is_sure else self.most_axes, axes_taken(self.node, self.parents, self.named)
        if taken:
            most = max(0, (self.likely_rank or 0) - taken)
        elif most is None and (self.likely_rank or not in_tree):
            most = self.likely_rank
        return Ellipsis in constants or (most is not None and axes > most)

    def reads(self, attribute: ast.expr, name: str) -> bool:
        """Say whether the use of an attribute of a key, by its name, depends on its words."""
        user = self.parents.get(attribute)
        if is_test_for_none(user):
            return False
        if name == "ndim":
            return not self.counts_axes_of_keys(attribute)
        if name in WORDLESS or name in LACKING:
            return True
        if name == "at":
            indexed = isinstance(user, ast.Subscript) and self.reads_words(user.slice)
            return indexed or self.is_updated_with_numbers(user)
        if name == "shape":
            from_end = self.rank != 0 and is_last_part(user)
            return counts_words(attribute, user) or from_end or self.is_of_words(user) or self.gives_shape(attribute)
        if name == "dtype":
            return self.reads_dtype(attribute)
        if not (isinstance(user, ast.Call) and user.func is attribute):
            return False
        if name == "take":
            return is_without_axis(user, WHOLE[name] - 1) or self.counts_axis_of_words(user, name, first=0)
        if name == "reshape":
            return is_spelled_out(user.args) or mixes_words(user.args) or has_shape_of_words(user, self.values)
        if name == "transpose":
            return not has_star(user) or has_shape_of_words(user, self.values)
        return name in NUMBERS or has_last_axis(user) or self.counts_axis_of_words(user, name, first=0)

    def is_of_words(self, size: ast.AST | None) -> bool:
        """Say whether an item of a shape is the number of words: its axis is behind those that the keys have."""
        taken = axes_taken(self.node, self.parents, self.named)
        match size:
            case ast.Subscript(slice=ast.Constant(value=int() as axis)):
                return self.likely_rank is not None and 0 < self.likely_rank - taken <= axis
        return False

    def reads_dtype(self, dtype: ast.expr) -> bool:
        """Say whether the dtype of a key is used as a dtype of numbers."""
        return is_numeric(dtype, self.parents, self.named)

    def is_updated_with_numbers(self, element: ast.AST | None) -> bool:
        """Say whether numbers are written to ``keys.at[i]``, or computed with its words."""
        method = self.parents.get(element) if element is not None else None
        call = self.parents.get(method) if method is not None else None
        if not isinstance(method, ast.Attribute) or not isinstance(call, ast.Call) or not call.args:
            return False
        if method.attr == "set":
            held = self.values(call.args[0])
            return isinstance(call.args[0], ast.Constant) or (
                bool(held) and all(isinstance(value, Other) for value in held)
            )
        return method.attr not in ("apply", "get")

    def is_compared_with_numbers(self, comparison: ast.Compare) -> bool:
        """Say whether a comparison has numbers on its other side."""
        return self.are_numbers(comparison.comparators[0] if comparison.left is self.node else comparison.left)

    def are_numbers(self, node: ast.expr) -> bool:
        """Say whether a number, a list of numbers or an array of such a list is written out."""
        match node:
            case ast.Constant(value=number):
                return type(number) in (int, float)
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                return bool(parts) and all(map(self.are_numbers, parts))
            case ast.Call(func=function, args=[numbers, *_]):
                return self.named(function).rpartition(".")[2] in ("array", "asarray") and self.are_numbers(numbers)
        return False

    def is_describing(self, call: ast.Call, name: str) -> bool:
        """Say whether what a function says of keys, such as their shape, depends on their words."""
        if name == "result_type":
            return len(call.args) > 1 or self.reads_dtype(call)
        if name == "ndim":
            return not self.counts_axes_of_keys(call)
        return name == "size" or self.gives_shape(call)

    # functions on shapes whose last axis are the words

    def gives_shape(self, shape: ast.expr) -> bool:
        """Say whether a shape that ends with the words is passed to a function of other values than keys."""
        user = self.parents.get(shape)
        if is_test_for_none(user):
            return False
        match user:
            case ast.Subscript(value=value, slice=index) if value is shape:
                has_words = self.ends_with_words(index)
                return has_words and (not isinstance(index, ast.Slice) or self.gives_shape(user))
            case ast.Call(func=ast.Name(id="len")):
                return not self.counts_axes_of_keys(user)
            case ast.Call(func=ast.Name(id="tuple" | "list")) | ast.Starred() | ast.Tuple() | ast.List():
                return self.gives_shape(user)
            case ast.BinOp(op=ast.Add()):
                return self.gives_shape(user)
            case ast.Call() if user.func is not shape:
                return not self.takes_shape_of_keys(user)
            case ast.keyword():
                call = self.parents.get(user)
                return not (isinstance(call, ast.Call) and self.takes_shape_of_keys(call))
            case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[right]):
                other = right if left is shape else left
                if "prng_key" in ast.unparse(other):  # a test for the kind of key
                    return False
                return not (isinstance(other, ast.Attribute) and other.attr == "shape" and self.is_key(other.value))
            case ast.Assign(targets=[ast.Name(id=name)]):
                scope = scope_of(user, self.parents)
                reads = reads_of(name, scope)
                if not reads and isinstance(scope, ast.ClassDef | ast.Module):
                    return True  # a method or another file reads it
                others = (each for path, each in self.reached.names.documents.items() if path != self.path)
                is_imported = isinstance(scope, ast.Module) and any(imports(each, name) for each in others)
                return is_imported or any(map(self.gives_shape, reads))
            case ast.Expr():
                return False
        return True

    def ends_with_words(self, index: ast.expr) -> bool:
        """Say whether an item or slice of a shape includes the axis of the words, which the first axes do not."""
        match index:
            case ast.Slice(upper=None, step=None) | ast.UnaryOp(op=ast.USub()) | ast.Slice(upper=ast.UnaryOp()):
                return True
            case ast.Slice(upper=ast.Constant(value=int() as end), step=None) | ast.Constant(value=int() as end):
                last = end if isinstance(index, ast.Slice) else end + 1
                return self.rank is not None and last > self.rank
            case ast.Slice(lower=None, upper=None):
                return True
        return False

    def takes_shape_of_keys(self, call: ast.Call) -> bool:
        """Say whether a call makes keys or an array of their dtype, for which a shape from a key is right."""
        function = call.func
        if isinstance(function, ast.Attribute) and self.is_key(function.value):
            return function.attr in SHAPED
        if self.named(function).startswith("builtins."):  # `print(key.shape, key.dtype)`
            return False
        options = [option.value for option in call.keywords]
        if self.named(function) == ABSTRACT_ARRAY and isinstance(self.parents.get(call), ast.Attribute):
            return False  # `ShapeDtypeStruct(key.shape, key.dtype).size`
        if any(isinstance(each, ast.Attribute) and each.attr == "dtype" and self.is_key(each.value)
               for each in [*call.args, *options]):  # fmt: skip
            return True
        last = self.named(function).rpartition(".")[2]
        return last in SHAPED and any(map(self.is_key, [*call.args[:1], *options]))

    def counts_axes_of_keys(self, number: ast.expr) -> bool:
        """Say whether a number of axes is used for a range of axes, or for a tuple of ones."""
        user = self.parents.get(number)
        if isinstance(user, ast.BinOp) and isinstance(user.op, ast.Mult):
            other = user.right if user.left is number else user.left
            return isinstance(other, ast.Tuple | ast.List)
        if isinstance(user, ast.BinOp) and isinstance(user.op, ast.Add | ast.Sub):
            return self.counts_axes_of_keys(user)
        return isinstance(user, ast.Call) and ast.unparse(user.func) == "range"

    def is_key(self, node: ast.expr) -> bool:
        """Say whether only keys reach an expression."""
        return self.reached.has_keys_only(place_of(self.path, node))

    def is_refused(self, call: ast.Call, *, inside: bool = False) -> bool:
        """Say whether a function rejects typed keys, or takes the shape of raw ones; ``inside``: within a list."""
        if isinstance(call.func, ast.Call):
            return self.is_refused_by_result(call, call.func)
        name = self.named(call.func)
        package, _, last = name.rpartition(".")
        if package == "builtins":
            if last == "hasattr":
                return any(isinstance(name, ast.Constant) and name.value in LACKING for name in call.args[1:])
            is_iterated = last in ITERATING and self.most_axes == 0
            return not inside and (is_iterated or last in CONVERTING or (last == "len" and self.most_axes == 0))
        if name == GETITEM:
            return not inside and call.args[:1] == [self.node] and self.reads_words(call.args[-1])
        if axes := rows_taken(call, name):
            most = self.most_axes
            return most is not None and most < axes - inside  # a list around keys is an axis more
        if self.takes_words(call, package, last):
            return True
        if last in CALLBACKS:  # what a function of the project does with the key is seen there
            return not any(isinstance(value, Function) for node in call.args[:1] for value in self.values(node))
        if package == NUMPY and last in ("all", "any"):
            return True
        if package == RANDOM:
            is_drawn = last in ("choice", "permutation", "shuffle") and call.args[:1] != [self.node]
            return last == "wrap_key_data" or (is_drawn and bool(call.args))
        if package.partition(".")[0] == "numpy":
            return True
        if package not in (NUMPY, LAX):
            model = self.reached.names.libraries.get(name)
            return model.is_jax and model.makes_arrays and not model.takes_keys and package != INITIALIZERS
        if last in DESCRIBING:
            return self.is_describing(call, last)
        others = [argument for argument in call.args if argument is not self.node]
        options = {keyword.arg: keyword.value for keyword in call.keywords}
        if last in BY_AXES:
            return counts_by_axes(call, last, self.rank)
        if package == NUMPY and last in WHOLE and is_without_axis(call, WHOLE[last]):
            return True
        if (package == NUMPY and not self.reached.names.libraries.get(name).takes_keys) or last in STACKING:
            return True
        if counts_sizes(call, last, [*others, *options.values()]):
            return True
        if last.endswith("_like"):
            given = call.args[2 if last == "full_like" else 1 :][:1]
            return not all(
                ast.unparse(dtype).endswith(".dtype")
                for dtype in [*given, *(options[name] for name in ("dtype",) if name in options)]
            )
        if last in TYPED:
            given = [*call.args[1:2], *(options[name] for name in ("dtype", "new_dtype") if name in options)]
            return not all(ast.unparse(dtype).endswith(".dtype") for dtype in given)
        if last in ("where", "select"):
            masks = call.args[0].elts if call.args and isinstance(call.args[0], ast.List) else call.args[:1]
            return any(map(self.are_numbers, call.args[1:])) or any(
                Masks(self.parents).has_words(mask) for mask in masks
            )
        of_words = last in SHAPED and has_shape_of_words(call, self.values)
        return of_words or has_last_axis(call) or self.counts_axis_of_words(call, last)

    def takes_words(self, call: ast.Call, package: str, last: str) -> bool:
        """Say whether a function computes with words or numbers, or counts their axis among those of the array."""
        if package == LAX and (last in COLLECTIVES or last.startswith(REDUCING) or last == "associative_scan"):
            return True
        if last in TRANSPOSING and len(call.args) + len(call.keywords) == 1:
            beside = (self.node, self.parents.get(call))  # which may transpose the array back
            return self.rank != 0 and not any(
                isinstance(each, ast.Call) and self.named(each.func) == f"{package}.{last}" for each in beside
            )
        if last in AT_LEAST and package == NUMPY:
            return self.most_axes is not None and self.most_axes < AT_LEAST[last]
        if last in CHOOSING | {"choose"} and self.node in call.args[:1]:
            return True  # as a condition
        if last in ("isscalar", "iterable"):
            return self.most_axes == 0
        if last in EQUALITY:
            is_whole = last.startswith("array") or is_summed_up(call, self.parents)
            return not is_whole or any(map(self.are_numbers, call.args))
        return False

    def is_refused_by_result(self, call: ast.Call, made: ast.Call) -> bool:
        """Say whether a function that a call has made rejects typed keys, or works on their words."""
        name = self.named(made.func)
        if name in GETTERS:
            method = made.args[0].value if made.args and isinstance(made.args[0], ast.Constant) else ""
            return self.most_axes == 0 or method in NUMBERS
        place = call.args.index(self.node) if self.node in call.args else -1
        return maps_over_words(made, name, place, self.rank)

    def counts_axis_of_words(self, call: ast.Call, name: str, *, first: int = 1) -> bool:
        """Say whether a function works along an axis that is that of the words, or may be it.

        Args:
            call: the call of the function, or of a method.
            name: the last part of its name.
            first: the position of the first argument after the array: 0 for a method.
        """
        if (
            first
            and self.node not in call.args[:1]
            and not isinstance(self.parents.get(self.node), ast.List | ast.Tuple)
        ):
            return False  # it is put into another array, as a whole
        numbers = axis_numbers(call, name, first)
        most = self.most_axes
        if most is None:
            return name in AXES_OF_LAX and any(number > 0 for number in numbers)
        is_new = name == "expand_dims" or (name == "stack" and self.node not in call.args)  # of a list around the node
        return any(number >= most + is_new for number in numbers)

    def named(self, function: ast.expr) -> str:
        """Return the qualified name of the library function that is called, if it is the only possible callee."""
        return library_of(function, self.path, self.reached)

    def values(self, node: ast.expr) -> list[Value]:
        """Return the values that may reach an expression."""
        return self.reached.values(place_of(self.path, node))


def is_unpacked(node: ast.expr, values: ast.Tuple | ast.List, parents: Parents) -> bool:
    """Say whether a part of a tuple is assigned to several names: to ``a`` and ``b`` in ``(a, b), c = x, y``."""
    match parents.get(values):
        case ast.Assign(targets=[ast.Tuple(elts=targets) | ast.List(elts=targets)]) if len(targets) == len(values.elts):
            return isinstance(targets[values.elts.index(node)], ast.Tuple | ast.List)
    return False


def is_with_text(node: ast.expr, comparison: ast.Compare) -> bool:
    """Say whether a value is compared with text, a truth value or ``None``: it is no key."""
    others = [part for part in (comparison.left, *comparison.comparators) if part is not node]
    constants = [part.value for part in others if isinstance(part, ast.Constant)]
    return any(isinstance(constant, str | bytes | bool | None) for constant in constants)


def is_summed_up(comparison: ast.Compare | ast.Call, parents: Parents) -> bool:
    """Say whether a comparison is reduced to one truth value, by ``all``, ``any`` or ``bool``."""
    user = parents.get(comparison)
    if isinstance(user, ast.Attribute):
        call = parents.get(user)
        return user.attr in ("all", "any") and isinstance(call, ast.Call) and not call.args and not call.keywords
    if isinstance(user, ast.Call):
        return ast.unparse(user.func).rpartition(".")[2] in ("all", "any", "bool") and len(user.args) == 1
    return False


def has_shape_of_words(call: ast.Call, values_of: Callable[[ast.expr], list[Value]]) -> bool:
    """Say whether an argument is computed with the shape or rank of words, of which typed keys may be made."""
    parts = [part for each in [*call.args, *call.keywords] for part in ast.walk(each)]
    shapes = (part.value for part in parts if isinstance(part, ast.Attribute) and part.attr in ("ndim", "shape"))
    return any(are_words(values_of(each)) for each in shapes)


def are_words(values: Iterable[Value]) -> bool:
    """Say whether values are words of keys, or numbers and arrays beside them."""
    keys = [value for value in values if not isinstance(value, Other | Made)]
    return bool(keys) and all(isinstance(value, Words) for value in keys)


def has_words(elements: ast.List | ast.Tuple) -> bool:
    """Say whether a list of arrays has the words of a key as a list of numbers."""
    others = [each for each in elements.elts if isinstance(each, ast.List | ast.Tuple) and each.elts]
    return any(all(isinstance(part, ast.Constant | ast.UnaryOp) for part in each.elts) for each in others)


def imports(document: Document, name: str) -> bool:
    """Say whether a file imports a name, or reads an attribute of that name from what it imports."""
    if name not in document.text:
        return False
    found = [node for node in ast.walk(document.tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    modules = {(alias.asname or alias.name).partition(".")[0] for node in found for alias in node.names}
    reads = (node for node in ast.walk(document.tree) if isinstance(node, ast.Attribute))
    return any(alias.name in (name, "*") for node in found for alias in node.names) or any(
        read.attr == name and base_name(read) in modules for read in reads
    )


def base_name(node: ast.expr) -> str:
    """Return the name that a chain of attributes starts with."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def is_guarded(node: ast.AST | None, parents: Parents) -> bool:
    """Say whether a node is guarded by a test for typed keys."""
    while node is not None:
        node = parents.get(node)
        if isinstance(node, ast.If | ast.IfExp) and "prng_key" in ast.unparse(node.test):
            return True
    return False


def is_item(node: ast.expr) -> bool:
    """Say whether an expression is the element of an array or container: ``keys[0]``."""
    return isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice | ast.Tuple)


def is_part(node: ast.AST | None, parents: Parents) -> bool:
    """Say whether a name is a parameter of a lambda or the target of a comprehension: a part of what these go over."""
    name = node.id if isinstance(node, ast.Name) else ""
    while name and isinstance(node, ast.expr | ast.comprehension | ast.keyword):
        if isinstance(node, ast.Lambda) and any(each.arg == name for each in node.args.args):
            return True
        generators = node.generators if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp) else []
        if any(isinstance(each.target, ast.Name) and each.target.id == name for each in generators):
            return True
        node = parents.get(node)
    return False


def is_test_for_none(user: ast.AST | None) -> bool:
    """Say whether the user of a value only asks whether it is ``None``."""
    return isinstance(user, ast.Compare) and isinstance(user.ops[0], ast.Is | ast.IsNot)


def is_permutation(node: ast.expr) -> bool:
    """Say whether a call transposes an array by the numbers of all of its axes; then no other report speaks of it."""
    match node:
        case ast.Call(func=ast.Attribute(attr="transpose"), args=[ast.Constant(), *_]):
            return True
        case ast.Call(func=ast.Attribute(attr="transpose"), args=[_, ast.Tuple() | ast.List()]):
            return True
    return False


def counts_words(shape: ast.expr, user: ast.AST | None) -> bool:
    """Say whether a shape is used for an array whose last axis are the words."""
    match user:
        case ast.Subscript(slice=ast.Slice(upper=ast.UnaryOp(op=ast.USub()))):
            return True
        case ast.Subscript(slice=ast.UnaryOp(op=ast.USub())):
            return True
        case ast.Compare(left=left, comparators=[right]):
            other = right if left is shape else left
            return isinstance(other, ast.Tuple | ast.List) and is_spelled_out([other])
        case ast.Assign(targets=[ast.Tuple() | ast.List()]):
            return True
    return False


def axis_numbers(call: ast.Call, name: str, first: int) -> list[int]:
    """Return the axes, counted from the front, that a call spells out, or that a function takes by default."""
    places = [place + first - 1 for place in AXES_AT.get(name, ())]
    given = [call.args[place] for place in places if place < len(call.args)]
    given += [option.value for option in call.keywords if option.arg in AXIS_NAMES]
    if not given:
        return [0] if name in ALONG_FIRST else []
    axes = [part for each in given for part in (each.elts if isinstance(each, ast.Tuple | ast.List) else [each])]
    return [axis.value for axis in axes if isinstance(axis, ast.Constant) and type(axis.value) is int]


def mixes_words(sizes: list[ast.expr]) -> bool:
    """Say whether a shape ends with a size that is left open, or is another shape in reverse."""
    parts = sizes[0].elts if len(sizes) == 1 and isinstance(sizes[0], ast.Tuple | ast.List) else sizes
    match parts[-1:]:
        case [ast.UnaryOp(op=ast.USub())]:
            return len(parts) > 1
        case [ast.Subscript(slice=ast.Slice(step=ast.UnaryOp()))]:
            return True
    return False


def is_without_axis(call: ast.Call, place: int) -> bool:
    """Say whether a call has no axis, which may have this position."""
    has_star = any(isinstance(argument, ast.Starred) for argument in call.args)
    may_follow = any(option.arg in (None, "axis") for option in call.keywords)
    return len(call.args) <= place and not has_star and not may_follow


def counts_sizes(call: ast.Call, name: str, given: list[ast.expr]) -> bool:
    """Say whether a function is given the sizes of all axes, or the order of all axes, of raw keys."""
    if name == "transpose":
        is_written = any(isinstance(axes, ast.Tuple | ast.List) for axes in given)
        return is_written and not has_star(call)
    if name == "dynamic_update_slice":
        return is_spelled_out(call.args[2:])
    return name in SHAPED and any(is_spelled_out([argument]) for argument in given)


def has_star(call: ast.Call) -> bool:
    """Say whether a starred expression is among the arguments of a call, or in one."""
    return any(isinstance(part, ast.Starred) for argument in call.args for part in ast.walk(argument))


def is_last_part(user: ast.AST | None) -> bool:
    """Say whether an expression is sliced from the end: ``[-1:]`` of a shape."""
    return (
        isinstance(user, ast.Subscript)
        and isinstance(user.slice, ast.Slice)
        and isinstance(user.slice.lower, ast.UnaryOp)
    )


def counts_by_axes(call: ast.Call, name: str, rank: int | None) -> bool:
    """Say whether a function is given an entry for the axis of the words; ``collapse`` takes the axes to join."""
    if name == "collapse":
        end = call.args[2:] or [option.value for option in call.keywords if option.arg == "stop_dimension"]
        ends = [part.value for part in end if isinstance(part, ast.Constant) and isinstance(part.value, int)]
        return rank is None or len(ends) != 1 or ends[0] > rank
    return not is_of_axes(call)


def is_of_axes(call: ast.Call) -> bool:
    """Say whether an argument is computed from the number of axes or the shape of an array."""
    parts = [part for argument in [*call.args, *call.keywords] for part in ast.walk(argument)]
    return any(isinstance(part, ast.Attribute) and part.attr in ("ndim", "shape") for part in parts)


def has_last_axis(call: ast.Call) -> bool:
    """Say whether an axis is counted from the end."""
    axes = [*call.args[1:], *(option.value for option in call.keywords if (option.arg or "").endswith("axis"))]
    return any(isinstance(axis, ast.UnaryOp) and isinstance(axis.op, ast.USub) for axis in axes)
