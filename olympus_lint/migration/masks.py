"""Masks over the words of keys: they have an axis that keys have not once they are typed."""

from __future__ import annotations

import ast

from olympus_rules.libraries.names import KEY_DATA
from olympus_rules.reach.mapping import mapped_by
from olympus_rules.syntax.document import Parents

__all__ = ["Masks", "is_spelled_out"]

DEPTH = 4
"""How many variables, parameters and functions a mask is followed through."""
WORDS = (1, 2, 4)
"""The sizes of the last axis of a mask over words."""
WORDS_OF = KEY_DATA.rpartition(".")[2]
ELEMENTWISE = frozenset(
    """
    abs array asarray bitwise_and bitwise_not bitwise_or bitwise_xor equal greater greater_equal invert isfinite isin
    less less_equal logical_and logical_not logical_or logical_xor mod not_equal remainder where
    """.split()  # noqa: SIM905
)
"""Functions that compute masks element by element."""
DRAWN = "bernoulli"
SHAPED = {DRAWN: 2, "empty": 0, "full": 0, "ones": 0, "zeros": 0}
"""Functions that make a mask of a shape, with the position of the shape."""


class Masks:
    """Follows masks through the variables, parameters, attributes and functions of one file."""

    def __init__(self, parents: Parents) -> None:
        """Take the syntax of the file."""
        self.parents = parents

    def has_words(self, mask: ast.expr, depth: int = DEPTH) -> bool:
        """Say whether a mask has an axis for the words, or may be given such a mask."""
        if is_widened(mask) or is_of_words(mask):
            return True
        return depth > 0 and any(self.has_words(each, depth - 1) for each in [*self.given(mask), *parts_of(mask)])

    def given(self, mask: ast.expr) -> list[ast.expr]:
        """Return what a variable, attribute or parameter may be given, or a function of the file may return."""
        match mask:
            case ast.Name(id=name):
                return self.of_variable(mask, name)
            case ast.Attribute(attr=name):
                parts = ast.walk(self.top(mask))
                return [
                    part.value
                    for part in parts
                    if isinstance(part, ast.Assign)
                    and any(isinstance(target, ast.Attribute) and target.attr == name for target in part.targets)
                ]
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                functions = [
                    part for part in ast.walk(self.top(mask)) if isinstance(part, ast.FunctionDef) and part.name == name
                ]
                return [
                    part.value
                    for function in functions
                    for part in ast.walk(function)
                    if isinstance(part, ast.Return) and part.value is not None
                ]
        return []

    def of_variable(self, mask: ast.expr, name: str) -> list[ast.expr]:
        """Return what is assigned to a variable, and what calls give to a parameter of that name."""
        scope: ast.AST | None = self.parents.get(mask)
        found: list[ast.expr] = []
        while scope is not None:
            if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.Module):
                assigned = [part for part in ast.walk(scope) if isinstance(part, ast.Assign)]
                found += [part.value for part in assigned if is_named(part.targets, name)]
                if not isinstance(scope, ast.Module):
                    found += self.of_parameter(scope, name)
                if found:
                    return found
            scope = self.parents.get(scope)
        return found

    def of_parameter(self, function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, name: str) -> list[ast.expr]:
        """Return the default of a parameter, and what the calls of its function in this file give to it."""
        every = [*function.args.posonlyargs, *function.args.args]
        names = [parameter.arg for parameter in every]
        pairs = [
            *zip(reversed(names), reversed(function.args.defaults), strict=False),
            *zip((each.arg for each in function.args.kwonlyargs), function.args.kw_defaults, strict=False),
        ]
        given = [default for parameter, default in pairs if parameter == name and default is not None]
        for call in ast.walk(self.top(function)):
            if isinstance(call, ast.Call):
                given += self.of_call(call, self.names_of(function), names, name)
        return given

    def of_call(self, call: ast.Call, called: set[str], names: list[str], name: str) -> list[ast.expr]:
        """Return what a call gives to a parameter: one of a function, or of what maps it or binds its arguments."""
        inner = call.func if isinstance(call.func, ast.Call) else None
        mapped = mapped_by(inner) if inner is not None else None
        if _last_name(call.func) in called or (inner is not None and _is_given(inner, called)):
            arguments = call.args
        elif _is_given(call, called) and _last_name(call.func) == "partial":
            arguments = call.args[1:]
        else:
            return []
        first = names[:1] == ["self"] and _last_name(call.func) != names[0]
        place = names.index(name) - first if name in names else len(arguments)
        given = [*arguments[place : place + 1], *(option.value for option in call.keywords if option.arg == name)]
        if mapped is not None and mapped.at(place):
            return [each for each in given if is_widened(each)]  # a row of the mask, which has an axis less
        return given

    def names_of(self, function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> set[str]:
        """Return the names by which a function is called: for a constructor, that of its class."""
        if isinstance(function, ast.Lambda):
            user = self.parents.get(function)
            targets = user.targets if isinstance(user, ast.Assign) else []
            return {target.id for target in targets if isinstance(target, ast.Name)}
        around = self.parents.get(function)
        is_constructor = isinstance(around, ast.ClassDef) and function.name == "__init__"
        return {around.name} if isinstance(around, ast.ClassDef) and is_constructor else {function.name}

    def top(self, node: ast.AST) -> ast.AST:
        """Return the module around a node."""
        while (parent := self.parents.get(node)) is not None:
            node = parent
        return node


def _last_name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _is_given(call: ast.Call, names: set[str]) -> bool:
    """Return whether the first argument of a call is one of the functions."""
    return bool(call.args) and _last_name(call.args[0]) in names


def _ends_in_words(shape: ast.expr) -> bool:
    """Return whether a shape ends with the number of words."""
    sizes = shape.elts[-1:] if isinstance(shape, ast.Tuple | ast.List) else [shape]
    return any(isinstance(size, ast.Constant) and type(size.value) is int and size.value in WORDS for size in sizes)


def is_named(targets: list[ast.expr], name: str) -> bool:
    """Say whether a variable is one of the targets of an assignment."""
    return any(isinstance(target, ast.Name) and target.id == name for target in targets)


def is_spelled_out(sizes: list[ast.expr]) -> bool:
    """Say whether a shape is written as sizes that do not come from another shape."""
    parts = [part for size in sizes for part in (size.elts if isinstance(size, ast.Tuple | ast.List) else [size])]
    return bool(parts) and all(
        isinstance(inner, ast.Name | ast.Constant | ast.UnaryOp | ast.BinOp) and not _is_text(inner)
        for part in parts
        for inner in ([part, part.left, part.right] if isinstance(part, ast.BinOp) else [part])
    )


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not isinstance(node.value, int)


def is_widened(mask: ast.expr) -> bool:
    """Say whether a mask has an axis for the words."""
    match mask:
        case ast.Subscript(slice=ast.Tuple(elts=[*_, last]) | (ast.Constant(value=None) as last)):
            return (isinstance(last, ast.Constant) and last.value is None) or "newaxis" in ast.unparse(last)
        case ast.UnaryOp(operand=operand):
            return is_widened(operand)
        case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
            return is_widened(left) or is_widened(right)
        case ast.Call(func=ast.Attribute(attr="logical_not" | "logical_and" | "logical_or"), args=parts):
            return any(map(is_widened, parts))
        case ast.Call(func=ast.Attribute(attr="reshape"), args=sizes):
            return is_spelled_out(sizes)
        case ast.Call(func=ast.Attribute(attr="broadcast_to" | "repeat" | "tile"), args=[mask, *_]):
            return is_widened(mask)
        case ast.Call(func=ast.Attribute(attr="expand_dims"), args=[_, *axes], keywords=options):
            return is_spelled_out([*axes, *(option.value for option in options)])
    return False


def parts_of(mask: ast.expr) -> list[ast.expr]:
    """Return the arrays from which a mask is computed element by element: it has all of their axes."""
    match mask:
        case ast.UnaryOp(operand=operand):
            return [operand]
        case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
            return [left, right]
        case ast.Call(func=ast.Attribute(value=owner, attr="astype")):
            return [owner]
        case ast.Call(func=function, args=parts) if _last_name(function) in ELEMENTWISE:
            return [part for part in parts if not isinstance(part, ast.Starred)]
    return []


def is_of_words(mask: ast.expr) -> bool:
    """Say whether a mask has the axis of the words: it is a list, or compares words, or a range, with a number."""
    match mask:
        case ast.Call(func=function) if _last_name(function) == WORDS_OF:
            return True
        case ast.UnaryOp(operand=operand):
            return is_of_words(operand)
        case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
            return is_of_words(left) or is_of_words(right)
        case ast.List(elts=[ast.Constant(), *_]):
            return True
        case ast.Call(func=ast.Attribute(attr="logical_not" | "logical_and" | "logical_or"), args=parts):
            return any(map(is_of_words, parts))
        case ast.Call(func=ast.Attribute(attr="array" | "asarray"), args=[elements, *_]):
            return is_of_words(elements)
        case ast.Call(func=ast.Attribute(attr="arange" | "linspace")):
            return True
        case ast.Call(func=ast.Attribute(attr=name), args=parts, keywords=options) if name in SHAPED:
            given = [*parts, *(option.value for option in options if option.arg == "shape")]
            return any(map(_ends_in_words, given[SHAPED[name] :][:1]))
    return False
