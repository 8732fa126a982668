"""Functions that are mapped over axes of keys: the axes that they do not see, and those of their results."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from olympus_rules.libraries.names import LAX, PMAP, SCAN, VMAP
from olympus_rules.reach.mapping import mapped_by
from olympus_rules.syntax.document import Parents

__all__ = [
    "MAPPING_AXES",
    "axes_given",
    "axes_of_parts",
    "axes_taken",
    "is_behind_words",
    "is_later_axis",
    "maps_over_words",
]

MAPPING_AXES = frozenset({PMAP, VMAP})
TAKING_AXES = MAPPING_AXES | {f"{LAX}.map", SCAN}
"""Functions that call another one with rows of its arguments."""
Named = Callable[[ast.expr], str]
"""Returns the qualified name of a library function at an expression."""


def axes_taken(node: ast.expr, parents: Parents, named: Named) -> int:
    """Return how many axes a mapping takes from the tree of which this is a part: from ``s`` of ``s["rng"]``.

    Args:
        node: the part; a parameter itself is none.
        parents: the syntax of the file.
        named: names library functions.
    """
    base = node
    while isinstance(base, ast.Attribute | ast.Subscript):
        base = base.value
    function: ast.AST | None = base
    while function is not None and not isinstance(function, ast.Lambda | ast.FunctionDef):
        function = parents.get(function)
    if base is node or not isinstance(base, ast.Name) or function is None:
        return 0
    names = [each.arg for each in function.args.args]
    if base.id not in names:
        return 0
    place = names.index(base.id)
    return max((_axes_of(call, place, named) for call in _mapping(function, parents, named)), default=0)


def _axes_of(call: ast.Call | None, position: int, named: Named) -> int:
    """Return how many axes a call that maps or scans takes from the argument at a position."""
    name = "" if call is None else named(call.func)
    if name == SCAN:
        return int(position == 1)
    mapped = mapped_by(call) if call is None or name in MAPPING_AXES else None
    axes = None if mapped is None else mapped.at(position)
    return 1 if axes is None else axes


def _mapping(function: ast.Lambda | ast.FunctionDef, parents: Parents, named: Named) -> Iterator[ast.Call | None]:
    """Yield the calls of the file that map a function, or scan with it; ``None`` for a decorator without arguments."""
    if isinstance(function, ast.Lambda):
        user = parents.get(function)
        if isinstance(user, ast.Call) and user.args[:1] == [function] and named(user.func) in TAKING_AXES:
            yield user
        return
    if any(named(each) in MAPPING_AXES for each in function.decorator_list):
        yield None
    top: ast.AST = function
    while (above := parents.get(top)) is not None:
        top = above
    for call in ast.walk(top):
        if isinstance(call, ast.Call) and [ast.unparse(each) for each in call.args[:1]] == [function.name]:
            yield from [call] if named(call.func) in TAKING_AXES else []


def is_behind_words(made: ast.Call, rank: int | None) -> bool:
    """Say whether a mapped function is told to put the axis of its results behind that of the words, or among these.

    Args:
        made: the call that maps it.
        rank: the number of axes of the resulting keys, if it is likely.
    """
    axes = [*made.args[2:3], *(option.value for option in made.keywords if option.arg == "out_axes")]
    number = axes[0].value if axes and isinstance(axes[0], ast.Constant) else None
    is_from_end = bool(axes) and isinstance(axes[0], ast.UnaryOp)
    return is_from_end or (type(number) is int and rank is not None and 0 < rank <= number)


Axes = list[tuple[str | int | None, ast.expr]]
"""The axes of the parts of a tree, each with the name or number of the part."""


def axes_given(made: ast.Call, position: int) -> Axes:
    """Return the axes of the parts of an argument of a mapped function."""
    axes = [*made.args[1:2], *(option.value for option in made.keywords if option.arg == "in_axes")]
    parts = axes[0].elts if axes and isinstance(axes[0], ast.Tuple | ast.List) else []
    return axes_of_tree(parts[position]) if position < len(parts) else []


def axes_of_parts(made: ast.Call) -> Axes:
    """Return the axes of results that a mapped function gives in a tuple or dictionary."""
    axes = [*made.args[2:3], *(option.value for option in made.keywords if option.arg == "out_axes")]
    return axes_of_tree(axes[0]) if axes else []


def axes_of_tree(axes: ast.expr) -> Axes:
    """Return the axes of the parts of a tree; nothing where all parts have one axis."""
    match axes:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return list(enumerate(parts))
        case ast.Dict(keys=keys, values=parts):
            names = [key.value if isinstance(key, ast.Constant) else None for key in keys]
            return [(name if isinstance(name, str) else None, part) for name, part in zip(names, parts, strict=True)]
    return []


def is_later_axis(axes: ast.expr, rank: int) -> bool:
    """Say whether an axis, or one of several in a tree, is counted from the end or is behind those of keys."""
    parts = list(ast.walk(axes))
    numbers = [part.value for part in parts if isinstance(part, ast.Constant) and type(part.value) is int]
    return any(isinstance(part, ast.USub) for part in parts) or any(number > rank for number in numbers)


def maps_over_words(made: ast.Call, name: str, place: int, rank: int | None) -> bool:
    """Say whether a function that ``vmap`` or the like has made takes or maps over the words of an argument.

    Args:
        made: the call that makes it.
        name: the qualified name of what is called there.
        place: the position of the argument; negative if it is none by position.
        rank: the number of axes of keys.
    """
    if "signature=" in ast.unparse(made):
        return "vectorize" in ast.unparse(made.func) and "'()" not in ast.unparse(made)
    given = [*made.args[1:2], *(option.value for option in made.keywords if option.arg == "in_axes")]
    axes = given[0] if given and name.rpartition(".")[2] in ("pmap", "vmap") else None
    if isinstance(axes, ast.Tuple | ast.List):
        axes = axes.elts[place] if 0 <= place < len(axes.elts) else None
    number = axes.value if isinstance(axes, ast.Constant) else None
    return isinstance(axes, ast.UnaryOp) or (type(number) is int and number >= (rank or 1))
