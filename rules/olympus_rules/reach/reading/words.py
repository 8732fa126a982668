"""Raw keys without a constructor: arrays of words, and arrays with the dtype of a key."""

from __future__ import annotations

import ast

from olympus_rules.libraries.names import UINT32

WORDS = (2, 4)
"""The number of words of a raw key."""
SHAPED = frozenset({"ShapeDtypeStruct", "bits", "empty", "full", "ones", "zeros"})
"""Functions that take a shape first, or a shape after a key."""
LISTING = frozenset({"array", "asarray", "uint32"})
"""Functions that take the elements."""
ASKING = frozenset({"can_cast", "dtype", "finfo", "iinfo", "isinstance", "issubdtype", "promote_types", "result_type"})
"""Functions of dtypes, which make no array."""
NAMES = frozenset(name.rpartition(".")[2] for name in UINT32)
CODES = NAMES | {"I", "u4"}


def names_of_dtype(tree: ast.Module) -> frozenset[str]:
    """Return the variables of a module that stand for the dtype of words."""
    assigned = [node for node in tree.body if isinstance(node, ast.Assign) and is_dtype_of_words(node.value)]
    return frozenset(each.id for node in assigned for each in node.targets if isinstance(each, ast.Name))


def is_array_of_words(call: ast.Call, names: frozenset[str]) -> bool:
    """Return whether a call makes an array of ``uint32`` that may be the words of keys, as far as its syntax shows.

    Any function counts that takes the dtype, as what it makes is seen only where it meets keys.

    Args:
        call: the call.
        names: the variables of the module that stand for the dtype.
    """
    name = _last_name(call.func)
    first = call.args[0] if call.args else None
    if name in NAMES:
        return _may_be_words(first)
    if name in ASKING:
        return False
    if name != "bits" and not any(is_dtype_of_words(value, names) for value in _given(call)):
        return False
    if name in SHAPED:
        shape = next((option.value for option in call.keywords if option.arg == "shape"), None)
        place = 1 if name == "bits" else 0
        return _ends_in_words(shape or (call.args[place] if len(call.args) > place else None))
    return name not in LISTING or _may_be_words(first)


def is_of_keys(call: ast.Call) -> bool:
    """Return whether a call gives the words of keys."""
    return _last_name(call.func) == "key_data"


def array_like(call: ast.Call) -> ast.expr | None:
    """Return the array whose dtype a call takes for its own: ``x`` of ``zeros(3, x.dtype)`` and ``zeros_like(x)``."""
    for value in _given(call):
        if isinstance(value, ast.Attribute) and value.attr == "dtype":
            return None if _last_name(call.func) in ASKING else value.value
    has_dtype = any(option.arg == "dtype" for option in call.keywords)
    is_like = _last_name(call.func).endswith("_like") and not has_dtype
    return call.args[0] if is_like and len(call.args) in (1, 2) and not any(map(is_dtype_of_words, call.args)) else None


def keys_of_words(call: ast.Call) -> list[ast.expr]:
    """Return the keys whose words ``wrap_key_data`` wraps: ``k`` of ``wrap_key_data(key_data(k) + 1)``."""
    inner = ast.walk(call) if _last_name(call.func) == "wrap_key_data" else ()
    return [
        each.args[0]
        for each in inner
        if isinstance(each, ast.Call) and _last_name(each.func) == "key_data" and each.args
    ]


def takes_shape(call: ast.Call, model: ast.expr) -> bool:
    """Return whether a call makes an array of the shape of another one, whose dtype it takes."""
    shapes = [option.value for option in call.keywords if option.arg == "shape"] or call.args[:1]
    is_like = _last_name(call.func).endswith("_like") and not any(option.arg == "shape" for option in call.keywords)
    return is_like or [ast.unparse(shape) for shape in shapes] == [f"{ast.unparse(model)}.shape"]


def _last_name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(option.value for option in call.keywords)]


def is_dtype_of_words(node: ast.expr, names: frozenset[str] = frozenset()) -> bool:
    """Return whether an expression stands for ``uint32``."""
    match node:
        case ast.Constant(value=str() as code):
            return code.lstrip("<>=") in CODES
        case ast.Call(args=[inner]) if _last_name(node.func) == "dtype":
            return is_dtype_of_words(inner, names)
        case ast.Name(id=name):
            return name in NAMES or name in names
    return isinstance(node, ast.Attribute) and node.attr in NAMES


def _ends_in_words(shape: ast.expr | None) -> bool:
    """Return whether a shape may have the words in its last axis."""
    if isinstance(shape, ast.Tuple | ast.List):
        shape = shape.elts[-1] if shape.elts else ast.Constant(None)
    return not isinstance(shape, ast.Constant) or shape.value in WORDS


def _may_be_words(elements: ast.expr | None) -> bool:
    """Return whether a list has as many elements in its last axis as a key has words."""
    while isinstance(elements, ast.List | ast.Tuple) and elements.elts:
        if not isinstance(elements.elts[0], ast.List | ast.Tuple):
            return len(elements.elts) in WORDS
        elements = elements.elts[0]
    return not isinstance(elements, ast.Constant | ast.UnaryOp | ast.BinOp)
