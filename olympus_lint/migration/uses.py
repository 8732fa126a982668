"""Uses of values that only keys reach, of which no rule speaks, and that typed keys do not survive.

The key flow knows what functions do with the axes of keys, and reports what its codemods can rewrite. This is the rest:
an attribute that typed keys lack, arithmetic, words that are taken one by one, and functions of numbers. What is
reported here holds a constructor back, or is to be checked; nothing is rewritten.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from olympus_lint.migration.shown import is_for_people
from olympus_lint.migration.sinks import CONVERTING, is_guarded
from olympus_rules.libraries.names import ABSTRACT_ARRAY, CHOOSING, INITIALIZERS, LAX, METADATA, NUMPY, RANDOM
from olympus_rules.reach.reading import place_of
from olympus_rules.reach.values import Place
from olympus_rules.syntax import Document
from olympus_rules.syntax.document import Parents, every_node

if TYPE_CHECKING:
    from olympus_rules.reach.project import ProjectReach

__all__ = ["uses"]

LACKING = frozenset(
    """
    __abs__ __add__ __and__ __array__ __bool__ __complex__ __divmod__ __eq__ __float__ __floordiv__ __ge__ __gt__
    __index__ __int__ __invert__ __le__ __lshift__ __lt__ __matmul__ __mod__ __mul__ __ne__ __neg__ __or__ __pos__
    __pow__ __radd__ __rand__ __rmul__ __ror__ __round__ __rshift__ __rsub__ __rxor__ __sub__ __truediv__ __xor__ T all
    any argmax argmin argpartition argsort astype aval byteswap choose clip clone compress conj conjugate cumprod cumsum
    device_buffer device_buffers diagonal dot flatten format imag is_ready item itemsize mT max mean min ndim nonzero
    partition platform prod ptp ravel real round searchsorted size sort std sum to_device tobytes tolist trace traceback
    var view weak_type
    """.split()  # noqa: SIM905
)
"""Attributes that typed keys lack, or that have another value for them."""
ITERATING = frozenset(
    """
    all any enumerate filter frozenset iter len list map max min next reversed set slice sorted sum tuple zip
    """.split()  # noqa: SIM905
)
"""Functions that take a raw key for a list of its words."""
TYPED = frozenset({"array", "asarray", "astype", "convert_element_type"})
"""Functions that take the dtype of the result after the array."""
NEW_AXIS = frozenset({"expand_dims", "stack"})
COUNTING = frozenset({"atleast_1d", "atleast_2d", "atleast_3d", "isscalar", "iterable", "transpose"})
"""Functions whose result depends on the number of axes."""
TEXT = frozenset({"format", "hash", "repr", "str"})
QUESTIONS = frozenset({"can_cast", "canonicalize_dtype", "dtype", "finfo", "iinfo", "promote_types", "result_type"})
"""Functions of ``jax.numpy`` and ``jax.dtypes`` that reject the dtype of typed keys, or answer otherwise."""
WORDS = (2, 4)
"""The number of words of a raw key."""
SHAPED = frozenset({"broadcast_to", "full", "reshape", "tile", "dynamic_slice", "slice"})
"""Functions that take the shape of the words, unless the shape comes from a key."""
VALUES = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.BinOp, ast.IfExp, ast.NamedExpr)
BY_AXES = frozenset(
    """
    all any argmax argmin broadcast_in_dim clamp compress conv eq fliplr ge gather gt le lt ne pad population_count
    reduce rev rot90 scatter scatter_add scatter_apply scatter_max scatter_min scatter_mul shift_left sort sort_key_val
    take_along_axis top_k
    """.split()  # noqa: SIM905
)
"""Functions of numbers, and those that are given an entry for each axis."""
REDUCING = ("associative_scan", "cumlogsumexp", "cummax", "cummin", "cumprod", "cumsum", "pm", "psum", "reduce_")
"""The start of the names of functions that compute with numbers along an axis."""
WHOLE = frozenset({"append", "delete", "flip", "insert", "repeat", "roll", "take"})
"""Functions that work on all words if they are given no axis."""


def uses(document: Document, path: str, reached: ProjectReach) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the keys of a file, each with an expression that breaks with typed keys.

    Args:
        document: the file.
        path: its absolute path.
        reached: the analysis of reach.
    """
    for node in every_node(document.tree):
        is_indexed = isinstance(node, ast.Name) and is_element(document.parents.get(node))
        if isinstance(node, VALUES) and reached.has_keys_only(place := place_of(path, node), of_arrays=is_indexed):
            broken = Use(node, axes_at(node, place, reached, path), document, path, reached).broken()
            if broken is not None and not is_guarded(node, document.parents):
                yield node, broken


def axes_at(node: ast.expr, place: Place, reached: ProjectReach, path: str) -> int | None:
    """Return the number of axes of the keys at an expression; of several the least, for which the use breaks first.

    A part of a tree may be a batch, unless nothing maps what it is read from.
    """
    rank = reached.rank(place)
    if rank is None and isinstance(node, ast.Attribute | ast.Subscript):
        return reached.fewest_axes(place) if reached.are_no_batches(place_of(path, node.value)) else None
    return reached.fewest_axes(place) if rank is None else rank


class Use:
    """The use of a key in its expression."""

    def __init__(self, node: ast.expr, rank: int | None, document: Document, path: str, reached: ProjectReach) -> None:
        """Take the key, with its number of batch axes if it is known."""
        self.node, self.rank = node, rank
        self._parents = document.parents
        self._path, self._reached = path, reached

    def broken(self) -> ast.expr | None:
        """Return the expression that breaks with typed keys, ``None`` for a correct or unclear use."""
        user = self._parents.get(self.node)
        match user:
            case ast.Attribute(attr="at"):
                return user if self._is_updated_with_numbers(user) else None
            case ast.Attribute(attr=name):
                return user if self._is_read(user, name) else None
            case ast.Call(func=ast.Name(id="getattr"), args=[key, ast.Constant(value=str() as name), *_]) if (
                key is self.node
            ):
                return user if name == "shape" or name in LACKING else None
            case ast.Subscript(value=value, slice=index):
                return user if value is not self.node or self._takes_words(index) else None
            case ast.Assign(targets=[ast.Tuple() | ast.List()]) | ast.Starred() | ast.For() | ast.comprehension():
                return self.node if self.rank == 0 else None
            case ast.BinOp(left=ast.Constant(value=str()) | ast.JoinedStr(), op=ast.Mod()):
                return None  # text
            case ast.BinOp() | ast.UnaryOp(op=ast.Invert() | ast.USub()) | ast.AugAssign():
                return user if isinstance(user, ast.expr) else self.node
            case ast.Compare(ops=[ast.Is() | ast.IsNot() | ast.In() | ast.NotIn()]):
                return None
            case ast.Compare():
                return None if self._is_summed_up(user) or is_for_people(user, self._parents) else user
            case ast.Call() if user.func is not self.node:
                return user if self._is_refused(user) else None
        return self._broken_in_part(user)

    def _broken_in_part(self, user: ast.AST | None) -> ast.expr | None:
        """Return the call around a keyword, or around a list of keys, that breaks with typed keys."""
        around = self._parents.get(user) if isinstance(user, ast.keyword | ast.List | ast.Tuple) else None
        around = self._parents.get(around) if isinstance(around, ast.keyword) else around
        if not isinstance(around, ast.Call):
            return None
        is_listed = not isinstance(user, ast.keyword)
        name = self._named(around.func)
        if is_listed and not name.startswith((NUMPY, LAX, "numpy.")):
            return None
        return around if self._is_refused(around) else None

    def _is_read(self, attribute: ast.Attribute, name: str) -> bool:
        """Say whether the use of an attribute depends on the words."""
        user = self._parents.get(attribute)
        if isinstance(user, ast.Compare) and isinstance(user.ops[0], ast.Is | ast.IsNot):
            return False
        if name == "shape":
            return self._counts_words(attribute, user)
        if name == "dtype":
            return is_numeric(attribute, self._parents, self._named)
        if name == "ndim":
            return not self._counts_axes_of_keys(attribute)
        call = user if isinstance(user, ast.Call) and user.func is attribute else None
        if name in ("reshape", "transpose") and call is not None:
            parts = [part for each in call.args for part in ast.walk(each)]
            names = {part.attr for part in parts if isinstance(part, ast.Attribute)}
            return names.isdisjoint({"ndim", "shape"}) and not any(isinstance(part, ast.Starred) for part in parts)
        return name in LACKING or (name in WHOLE and call is not None and self._has_axis(call))

    def _is_updated_with_numbers(self, at: ast.Attribute) -> bool:
        """Say whether numbers are written to ``keys.at[i]``, or words are computed with."""
        element = self._parents.get(at)
        method = self._parents.get(element) if isinstance(element, ast.Subscript) else None
        call = self._parents.get(method) if isinstance(method, ast.Attribute) else None
        if (
            not isinstance(element, ast.Subscript)
            or not isinstance(method, ast.Attribute)
            or not isinstance(call, ast.Call)
        ):
            return False
        if method.attr == "set":
            return self._takes_words(element.slice) or any(map(is_number, call.args))
        return method.attr not in ("apply", "get")

    def _counts_words(self, shape: ast.expr, user: ast.AST | None) -> bool:
        """Say whether what is done with a shape depends on the axis of the words."""
        match user:
            case ast.Assign(targets=[ast.Tuple() | ast.List()]):
                return True
            case ast.Subscript(slice=index):
                return self._ends_with_words(index) and self._gives_shape(shape)
        return self._gives_shape(shape)

    def _gives_shape(self, shape: ast.expr) -> bool:
        """Say whether a shape that ends with the words is passed to a function of other values than keys."""
        user = self._parents.get(shape)
        if is_test_for_none(user):
            return False
        match user:
            case ast.Subscript(value=value, slice=index) if value is shape:
                has_words = self._ends_with_words(index)
                return has_words and (not isinstance(index, ast.Slice) or self._gives_shape(user))
            case ast.Call(func=ast.Name(id="len")):
                return not self._counts_axes_of_keys(user)
            case ast.Call(func=ast.Name(id="tuple" | "list")) | ast.Starred() | ast.Tuple() | ast.List():
                return self._gives_shape(user)
            case ast.BinOp(op=ast.Add()):
                return self._gives_shape(user)
            case ast.Call() if user.func is not shape:
                return not self._takes_shape_of_keys(user)
            case ast.keyword():
                call = self._parents.get(user)
                return not (isinstance(call, ast.Call) and self._takes_shape_of_keys(call))
            case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[right]):
                other = right if left is shape else left
                if "prng_key" in ast.unparse(other):  # a test for the kind of key
                    return False
                return not (isinstance(other, ast.Attribute) and other.attr == "shape" and self._is_key(other.value))
            case ast.Assign(targets=[ast.Name(id=name)]):
                scope = scope_of(user, self._parents)
                reads = reads_of(name, scope)
                if not reads and isinstance(scope, ast.ClassDef | ast.Module):
                    return True  # a method or another file reads it
                return any(map(self._gives_shape, reads))
            case ast.Expr():
                return False
        return True

    def _ends_with_words(self, index: ast.expr) -> bool:
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

    def _takes_shape_of_keys(self, call: ast.Call) -> bool:
        """Say whether a call makes keys or an array of their dtype, for which a shape from a key is right."""
        function = call.func
        if isinstance(function, ast.Attribute) and self._is_key(function.value):
            return function.attr in SHAPED
        if self._named(function).startswith("builtins."):  # `print(key.shape, key.dtype)`
            return False
        options = [option.value for option in call.keywords]
        if self._named(function) == ABSTRACT_ARRAY and isinstance(self._parents.get(call), ast.Attribute):
            return False  # `ShapeDtypeStruct(key.shape, key.dtype).size`
        if any(isinstance(each, ast.Attribute) and each.attr == "dtype" and self._is_key(each.value)
               for each in [*call.args, *options]):  # fmt: skip
            return True
        last = self._named(function).rpartition(".")[2]
        return last in SHAPED and any(map(self._is_key, [*call.args[:1], *options]))

    def _counts_axes_of_keys(self, number: ast.expr) -> bool:
        """Say whether a number of axes is used for a range of axes, or for a tuple of ones."""
        user = self._parents.get(number)
        if isinstance(user, ast.BinOp) and isinstance(user.op, ast.Mult):
            other = user.right if user.left is number else user.left
            return isinstance(other, ast.Tuple | ast.List)
        if isinstance(user, ast.BinOp) and isinstance(user.op, ast.Add | ast.Sub):
            return self._counts_axes_of_keys(user)
        return isinstance(user, ast.Call) and ast.unparse(user.func) == "range"

    def _is_key(self, node: ast.expr) -> bool:
        """Say whether only keys reach an expression."""
        return self._reached.has_keys_only(place_of(self._path, node))

    def _takes_words(self, index: ast.expr) -> bool:
        """Say whether a subscript covers more axes than those of the keys."""
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        constants = [part.value for part in parts if isinstance(part, ast.Constant)]
        axes = len(parts) - sum(constant in (None, Ellipsis) for constant in constants)
        if Ellipsis in constants:
            return True
        is_spelled = len(parts) > 1 and isinstance(parts[-1], ast.Slice)
        return axes > self.rank if self.rank is not None else is_spelled

    def _is_summed_up(self, comparison: ast.Compare) -> bool:
        """Say whether a comparison of keys is reduced to one truth value, which does not depend on their axes."""
        sides = [comparison.left, *comparison.comparators]
        if not all(self._reached.has_keys_only(place_of(self._path, each)) for each in sides):
            return any(isinstance(each, ast.Constant) and isinstance(each.value, str | None) for each in sides)
        user = self._parents.get(comparison)
        if isinstance(user, ast.Attribute):
            call = self._parents.get(user)
            is_whole = isinstance(call, ast.Call) and not call.args and not call.keywords
            return user.attr in ("all", "any") and is_whole
        return isinstance(user, ast.Call) and ast.unparse(user.func).rpartition(".")[2] in ("all", "any", "bool")

    def _is_refused(self, call: ast.Call) -> bool:
        """Say whether a library's function does not take typed keys, or counts the axis of the words."""
        name = self._named(call.func)
        package, _, last = name.rpartition(".")
        model = self._reached.names.libraries.get(name)
        if package == "builtins":
            return last in CONVERTING or (last in ITERATING and self.rank == 0)
        if package.partition(".")[0] == "numpy":
            return model.row is None
        if package == RANDOM:
            return last == "wrap_key_data"
        if package not in (NUMPY, LAX):
            return model.is_jax and model.makes_arrays and not model.takes_keys and package != INITIALIZERS
        if name in METADATA:
            return last == "size" or (last != "ndim" and self._gives_shape(call))
        if last == "result_type":
            return len(call.args) > 1 or is_numeric(call, self._parents, self._named)
        if last in TYPED or last.endswith("_like"):
            given = [option.value for option in call.keywords if option.arg in ("dtype", "new_dtype")]
            given += call.args[2:3] if last == "full_like" else call.args[1:2]
            return not all(ast.unparse(dtype).endswith(".dtype") for dtype in given)
        if last in COUNTING or (package == NUMPY and not model.takes_keys):
            return True
        if last in BY_AXES or last.startswith(REDUCING):
            return not any(isinstance(part, ast.Attribute) and part.attr == "ndim" for part in ast.walk(call))
        if last in CHOOSING:
            return call.args[:1] == [self.node] or any(map(is_number, call.args[1:])) or has_axis_of_words(call.args[0])
        return (last in WHOLE and not any(option.arg == "axis" for option in call.keywords)) or self._has_axis(call)

    def _has_axis(self, call: ast.Call) -> bool:
        """Say whether an axis is given by its number that is that of the words, or may be it."""
        options = [option.value for option in call.keywords if (option.arg or "").startswith(("axis", "dim"))]
        is_method = isinstance(call.func, ast.Attribute) and call.func.value is self.node
        numbers = [ast.unparse(each) for each in [*call.args[0 if is_method else 1 :], *options]]
        if any(number.startswith("-") and number[1:].isdigit() for number in numbers):
            return True
        axes = [int(number) for number in map(ast.unparse, options) if number.isdigit()]
        last = ast.unparse(call.func).rpartition(".")[2]
        return self.rank is not None and any(axis >= self.rank + (last in NEW_AXIS) for axis in axes)

    def _named(self, function: ast.expr) -> str:
        """Return the qualified name of the library function that is called, if it is the only possible callee."""
        is_name = isinstance(function, ast.Name | ast.Attribute)
        return self._reached.library_at(place_of(self._path, function)) if is_name else ""


def is_element(user: ast.AST | None) -> bool:
    """Say whether an element is taken by a number: of a list, where one comes, or the word of a key."""
    return isinstance(user, ast.Subscript) and isinstance(user.slice, ast.Constant) and type(user.slice.value) is int


def has_axis_of_words(mask: ast.expr) -> bool:
    """Say whether a mask is written with an axis that keys do not have: a list of flags, or ``mask[:, None]``."""
    match mask:
        case ast.Subscript(slice=ast.Tuple(elts=[*_, ast.Constant(value=None)])):
            return True
        case ast.Compare(left=ast.Call(func=function)) | ast.Call(func=function):
            return ast.unparse(function).rpartition(".")[2] in ("arange", "array", "asarray")
    return False


def is_number(node: ast.expr) -> bool:
    """Say whether a number, a list of numbers or an array of such a list is written out."""
    match node:
        case ast.Constant(value=number):
            return type(number) in (int, float)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return bool(parts) and all(map(is_number, parts))
        case ast.Call(args=[numbers, *_]):
            return ast.unparse(node.func).rpartition(".")[2] in ("array", "asarray", "ones", "zeros") and is_number(
                numbers
            )
    return False


def is_numeric(dtype: ast.expr, parents: Parents, named: Callable[[ast.expr], str]) -> bool:
    """Say whether the dtype of a key is used as a dtype of numbers, or for a new array whose shape ends with the words.

    Args:
        dtype: the expression.
        parents: those of its file.
        named: returns the qualified name of a library function.
    """
    user = parents.get(dtype)
    call = parents.get(user) if isinstance(user, ast.keyword) else user
    match user:
        case ast.FormattedValue():
            return not is_for_people(dtype, parents)
        case ast.Assign(targets=[ast.Name(id=name)]):
            return any(is_numeric(read, parents, named) for read in reads_of(name, scope_of(user, parents)))
    if not isinstance(call, ast.Call):
        return isinstance(user, ast.Compare | ast.Attribute)
    if "issubdtype" in ast.unparse(call.func):
        return "prng_key" not in ast.unparse(call)
    package, _, name = named(call.func).rpartition(".")
    if package == "builtins" and name in TEXT:
        return not is_for_people(dtype, parents)
    if package.partition(".")[0] == "numpy" or (package.startswith("jax.") and name in QUESTIONS):
        return True
    shape = next((option.value for option in call.keywords if option.arg == "shape"), [*call.args, None][0])
    last = shape.elts[-1] if isinstance(shape, ast.Tuple | ast.List) and shape.elts else shape
    return isinstance(last, ast.Constant) and last.value in WORDS


def scope_of(statement: ast.AST, parents: Parents) -> ast.AST | None:
    """Return the function, class or module around a statement."""
    scope: ast.AST | None = statement
    while not isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module | None):
        scope = parents.get(scope)
    return scope


def reads_of(name: str, scope: ast.AST | None) -> list[ast.expr]:
    """Return the reads of a variable in a scope and in inner scopes."""
    parts = ast.walk(scope) if scope is not None else ()
    return [part for part in parts
            if isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Load)]  # fmt: skip


def is_test_for_none(user: ast.AST | None) -> bool:
    """Say whether the user of a value only asks whether it is ``None``."""
    return isinstance(user, ast.Compare) and isinstance(user.ops[0], ast.Is | ast.IsNot)
