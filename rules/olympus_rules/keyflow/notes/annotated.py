"""What the annotations of parameters say of their values: a class of the project, or a container of its objects."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from olympus_rules.code.instructions import FunctionCode
from olympus_rules.code.names import dotted_name
from olympus_rules.code.origins import unquoted
from olympus_rules.keyflow.domain.linker import NOTHING, Held, Linker
from olympus_rules.keyflow.domain.terms import Term, Terms
from olympus_rules.keyflow.domain.values import Class, Library, Value
from olympus_rules.libraries.names import TYPES_OF_KEYS

OF_ONE = frozenset({"Annotated", "ClassVar", "Final", "Optional"})
"""The last names of generics whose first argument is the type of the value itself."""
OF_ELEMENTS = frozenset(
    """
    Collection Dict Iterable List Mapping MutableMapping MutableSequence Sequence Tuple deque dict list tuple
    """.split()  # noqa: SIM905
)
"""The last names of containers whose last argument is the type of what a subscript or a loop gives."""


KEY_TYPE_NAME = re.compile(r"((P?RNG|Random|JAX|Jax)?Key(Array)?)|KeyArrayLike")
"""Names of types of keys: of libraries, as ``chex.PRNGKey``, and of the aliases that projects make."""


@lru_cache(maxsize=64)
def annotations_of(node: ast.AST) -> dict[str, ast.expr]:
    """Return the annotations of the parameters of a function."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return {}
    given = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    return {each.arg: unquoted(each.annotation) for each in given if each.annotation is not None}


def named(linker: Linker, scope: FunctionCode | None, annotation: ast.expr) -> Value | None:
    """Return the value that an annotation in a scope names, ``None`` for an annotation of several types."""
    annotation = _without_none(annotation)
    name = dotted_name(annotation)
    head, *rest = name.split(".")
    if not all(part.isidentifier() for part in (head, *rest)):
        return None
    value = linker.names.value_in(scope, head)
    if not rest:
        return value
    return linker.names.library(f"{value.qualified}.{'.'.join(rest)}") if isinstance(value, Library) else None


def library_class(linker: Linker, code: FunctionCode, name: str) -> str:
    """Return the class of a library that the annotation of a parameter names, empty if there is none."""
    annotation = annotations_of(code.node).get(name)
    value = None if annotation is None else named(linker, code.parent, _of_one(annotation))
    return value.qualified if isinstance(value, Library) else ""


def is_declared_key(linker: Linker, code: FunctionCode, name: str) -> bool:
    """Return whether the annotation of a parameter is a type of keys, of a library or by its own name."""
    annotation = annotations_of(code.node).get(name)
    if annotation is None:
        return False
    annotation = _of_one(annotation)
    written = annotation.value if isinstance(annotation, ast.Subscript) else annotation  # Key[Array, ""]
    if KEY_TYPE_NAME.fullmatch(_last_name(written)):
        return True
    value = named(linker, code.parent, written)
    return isinstance(value, Library) and value.qualified in TYPES_OF_KEYS


def is_declared_text(terms: Terms, term: Term) -> bool:
    """Return whether a term is a parameter that is annotated as text, or as a container of texts."""
    if terms.operation(term) not in ("param", "free"):
        return False
    code, name = terms.data(term)
    annotation = annotations_of(code.node).get(name)
    while annotation is not None:
        annotation = _of_one(annotation)
        if not (isinstance(annotation, ast.Subscript) and _last_name(annotation.value) in OF_ELEMENTS):
            return isinstance(annotation, ast.Name) and annotation.id == "str"
        is_tuple = _last_name(annotation.value) in ("Tuple", "tuple")
        annotation = _repeated(annotation.slice) if is_tuple else _last(annotation.slice)
    return False


def held_by(linker: Linker, scope: FunctionCode | None, annotation: ast.expr) -> Held:
    """Return what an annotation in a scope says of an object: a class of the project, or that of its elements."""
    annotation = _of_one(annotation)
    if isinstance(annotation, ast.Subscript) and _last_name(annotation.value) in OF_ELEMENTS:
        is_tuple = _last_name(annotation.value) in ("Tuple", "tuple")
        part = _repeated(annotation.slice) if is_tuple else _last(annotation.slice)
        return NOTHING if part is None else Held(part=held_by(linker, scope, part).class_)
    if isinstance(annotation, ast.Subscript):  # State[T] is a State
        annotation = annotation.value
    value = named(linker, scope, annotation)
    return Held(linker.hierarchy.known_class(value)) if isinstance(value, Class | Library) else NOTHING


def _of_one(annotation: ast.expr) -> ast.expr:
    """Return the type of the value itself in ``Optional[…]`` and the like."""
    annotation = _without_none(annotation)
    while isinstance(annotation, ast.Subscript) and _last_name(annotation.value) in OF_ONE:
        annotation = _without_none(annotation.slice)
    return annotation


def _without_none(annotation: ast.expr) -> ast.expr:
    """Return the other type of one that is optional."""
    while isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        if not (isinstance(annotation.right, ast.Constant) and annotation.right.value is None):
            return annotation
        annotation = annotation.left
    return annotation


def _last(parts: ast.expr) -> ast.expr:
    """Return the type of the elements of a list, or of the values of a dictionary."""
    return parts.elts[-1] if isinstance(parts, ast.Tuple) and parts.elts else parts


def _repeated(parts: ast.expr) -> ast.expr | None:
    """Return the type of all elements of a tuple, ``None`` if each has its own."""
    match parts:
        case ast.Tuple(elts=[part, ast.Constant(value=last)]) if last is ...:
            return part
    return None


def _last_name(node: ast.expr) -> str:
    return dotted_name(node).rpartition(".")[2]
