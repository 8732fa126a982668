"""OLY202: shapes that are the same for raw and typed keys."""

from __future__ import annotations

import ast
from collections.abc import Callable
from math import prod

import libcst as cst

from olympus_codemods.codemod import Codemod, fix_of
from olympus_codemods.codemods.key_dtype_logic import is_typed_key
from olympus_codemods.editing import key_layout as layout
from olympus_codemods.editing.names import Names
from olympus_codemods.editing.rewriting import call, comments, expression, parsed, replace
from olympus_codemods.editing.scopes import own_nodes, scope_of
from olympus_codemods.editing.splits import split_size
from olympus_codemods.target import Target
from olympus_rules.finding import Applicability, Confidence, Edit, Fix, Span
from olympus_rules.keyflow.facts import KeyKind, ShapeLogic
from olympus_rules.libraries.names import (
    CALLING_THE_METHOD,
    CONCATENATE,
    EXPAND_DIMS,
    PARTITION_SPECS,
    SPLIT,
    STACK,
    VSTACK,
)
from olympus_rules.syntax import Document

Edits = list[Edit | None]

THROUGH_KEY_DATA = (
    "shape-slice",
    "shape-equals",
    "shape-item",
    "shape-unpack",
    "shape-asserted",
    "ndim",
    "len",
    "size",
)
TAKES_TYPED_KEYS = (0, 8, 3)  # a release whose `jnp.take` takes them; that of 0.6.2 does not
ASKED = "Ask the shape of `key_data`"
ONE_KEY = "Take the shape of one key from a key"


class KeyShapeLogicCodemod(Codemod):
    """Questions go through ``key_data``; shapes take the axes of one key from a key, not from a number of words."""

    code = "OLY202"

    def fix(self, fact: ShapeLogic, document: Document) -> Fix | None:
        """Return a form that gives the same result for either kind of key; it is another one where the key is typed."""
        made = self.rewritten(fact, document, Target())
        return Fix(Applicability.UNSAFE, made.message, made.edits) if made is not None and is_answered(fact) else made

    def migrate(self, fact: ShapeLogic, document: Document, target: Target) -> Fix | None:
        """Return the portable form, in either style: which keys stay raw is unknown when a place is rewritten."""
        return None if is_answered(fact) else self.rewritten(fact, document, target)

    def rewritten(self, fact: ShapeLogic, document: Document, target: Target) -> Fix | None:
        """Return the portable form."""
        if not fact.exact:
            return None
        if fact.form == "reshape" and target.has("split-shape"):
            fix = split_into_shape(fact, document)
            if fix is not None:
                return fix
        names = Names(document, fact.node)
        if fact.form == "axis" and called(fact, names) in ("take", "") and target.jax < TAKES_TYPED_KEYS:
            return None
        if fact.form in THROUGH_KEY_DATA:
            return through_key_data(fact, document)
        rewrite = REWRITES.get(fact.form)
        edits = [] if rewrite is None else rewrite(fact, document, names)
        return fix_of(Applicability.SAFE, MESSAGES.get(fact.form, ONE_KEY), *edits, *(names.edits() if edits else ()))


# questions


def is_answered(fact: ShapeLogic) -> bool:
    """Return whether a typed key is asked: the answer of its words is another one than the program has now."""
    return fact.form in THROUGH_KEY_DATA and fact.kind is KeyKind.TYPED


def through_key_data(fact: ShapeLogic, document: Document) -> Fix | None:
    """``keys.shape[:-1]`` becomes ``key_data(keys).shape[:-1]``."""
    if (
        fact.form == "shape-equals"
        and fact.rank is None
        and layout.is_plain(document, fact.subject)
        and asked_directly(fact)
    ):
        return told_by_dtype(fact, document)
    if not asks_where_it_stands(fact, document) or is_size_of_same(fact, document):
        return None
    names = Names(document, fact.node)
    return fix_of(Applicability.SAFE, ASKED, layout.words(document, fact.subject, names), *names.edits())


def is_size_of_same(fact: ShapeLogic, document: Document) -> bool:
    """Return whether the number of words is a size that the same keys get: ``keys.reshape(-1, keys.shape[-1])``."""
    nodes = (fact.node, *document.around(fact.node))
    call = next((each for each in nodes if isinstance(each, ast.Call | ast.stmt)), None)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr != "reshape":
        return False
    return ast.unparse(fact.subject) in map(ast.unparse, (call.func.value, *call.args[:1]))


def asked_directly(fact: ShapeLogic) -> ast.Tuple | None:
    """Return the tuple that the shape is compared with, in ``key.shape == (2,)``."""
    match fact.node:
        case ast.Compare(
            left=ast.Attribute(value=subject, attr="shape"),
            ops=[ast.Eq() | ast.NotEq()],
            comparators=[ast.Tuple() as shape],
        ) if subject is fact.subject:
            return shape
    return None


def told_by_dtype(fact: ShapeLogic, document: Document) -> Fix | None:
    """``x.shape == (2,)``, where ``x`` need not be a key, compares with ``()`` if it is a typed one."""
    shape = asked_directly(fact)
    names = Names(document, fact.node)
    test = is_typed_key(document, fact.subject, names)
    old, fragment = expression(document, shape), document.fragment(fact.node)
    if shape is None or test is None or old is None or not old.lpar or fragment is None:
        return None
    lengths = [document.segment(length) for length in shape.elts[:-1]]
    typed = f"({', '.join(lengths)}{',' * (len(lengths) == 1)})"
    text = f"{typed} if {fragment.code(test)} else {document.segment(shape)}"
    return fix_of(Applicability.SAFE, "Compare with the shape of a typed key, too", Edit(fragment.span(old), text),
                  *names.edits())  # fmt: skip


def asks_where_it_stands(fact: ShapeLogic, document: Document) -> bool:
    """Return whether the question of the fact is the only use of the shape.

    A shape with a name, ``shape = key.shape``, may also be the shape of a new array, and then it has to stay.
    """
    parents = document.parents
    node: ast.AST | None = fact.subject
    while node is not None and not isinstance(node, ast.stmt):
        if node is fact.node:
            return True
        node = parents.get(node)
    match node:
        case ast.Assign(targets=[ast.Tuple() | ast.List() as target]):
            return target is fact.node
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Attribute(value=subject) | ast.Call(args=[subject])) if (
            subject is fact.subject
        ):
            scope = scope_of(document, node)
            reads = [part for part in own_nodes(scope) if isinstance(part, ast.Name) and part.id == name]
            return all(isinstance(read.ctx, ast.Store) or _is_question(parents.get(read), read) for read in reads)
    return False


def _is_question(parent: ast.AST | None, node: ast.AST) -> bool:
    match parent:
        case ast.Subscript(value=value):
            return value is node
        case ast.Call(func=ast.Name(id="len")) | ast.Compare():
            return True
    return False


# shapes that end with the words


def split_into_shape(fact: ShapeLogic, document: Document) -> Fix | None:
    """``split(key, 6).reshape(2, 3, 2)`` becomes ``split(key, (2, 3))``."""
    match fact.node:
        case (
            ast.Call(
                func=ast.Attribute(value=ast.Call(func=function, args=[subject, *_]) as split),
                args=[ast.Tuple(elts=sizes)] | sizes,
                keywords=[],
            ) as node
        ):
            shape = [size.value for size in sizes if isinstance(size, ast.Constant)]
        case _:
            return None
    lengths = [length for length in shape[:-1] if isinstance(length, int) and length > 0]
    if len(shape) != len(sizes) or len(lengths) != len(sizes) - 1 or shape[-1:] != [2] or not lengths:
        return None
    names = Names(document, node)
    if names.resolve(function) != SPLIT or isinstance(subject, ast.Starred):
        return None
    if prod(lengths) != split_size(split):
        return None
    size = parsed(f"({', '.join(map(str, lengths))}{',' * (len(lengths) == 1)})")
    edit = replace(document, node, call(names.spell(SPLIT, near=function), expression(document, subject), size))
    return fix_of(Applicability.SAFE, "Split into the wanted shape", edit, *names.edits())


def end_with_key(fact: ShapeLogic, document: Document, names: Names) -> Edits:
    """``(n, 2)`` becomes ``(n, *key.shape)``, and ``n + (2,)`` becomes ``n + key.shape``."""
    one = layout.key_shape(fact, document, names)
    if one is None or len(fact.parts) != 1 or is_numpys(fact, names):
        return []
    around = document.parents.get(fact.parts[0])
    if isinstance(around, ast.Tuple) and len(around.elts) == 1:
        return [None if "#" in document.segment(around) else Edit(document.span(around), one)]
    return [layout.swap(document, fact.parts[0], f"*{one}")]


def is_numpys(fact: ShapeLogic, names: Names) -> bool:
    """Return whether the callee is a function of NumPy, which may reject typed keys."""
    function = fact.node.func if isinstance(fact.node, ast.Call) else None
    qualified = names.resolve(function)
    return qualified.startswith("numpy.") and qualified not in CALLING_THE_METHOD


def called(fact: ShapeLogic, names: Names) -> str:
    """Return the last name of the called function or method, whatever its alias; empty if unknown."""
    function = fact.node.func if isinstance(fact.node, ast.Call) else None
    qualified = names.resolve(function)
    return qualified.rpartition(".")[2] if qualified else getattr(function, "attr", "")


def end_with_ones(fact: ShapeLogic, document: Document, names: Names) -> Edits:
    """``tile(key, (n, 1))`` becomes ``tile(key, (n, *(1,) * len(key.shape)))``."""
    one = layout.key_shape(fact, document, names)
    if one is None or len(fact.parts) != 1 or is_numpys(fact, names):
        return []
    return [layout.swap(document, fact.parts[0], f"*(1,) * len({one})")]


def slice_all_axes(fact: ShapeLogic, document: Document, names: Names) -> Edits:
    """``dynamic_slice(keys, (i, 0), (1, 2))`` becomes ``(i, *(0,) * len(keys.shape[1:])), (1, *keys.shape[1:])``."""
    one = layout.key_shape(fact, document, names)
    if one is None or not fact.parts:
        return []
    texts = (f"*(0,) * len({one})", f"*{one}")
    return [layout.swap(document, part, text) for part, text in zip(fact.parts, texts, strict=False)]


# axes


def count_from_front(fact: ShapeLogic, document: Document, names: Names) -> Edits:
    """``axis=-2`` becomes the number of the axis."""
    if fact.rank is None or not fact.parts or is_numpys(fact, names):
        return []
    function = called(fact, names)
    if not function and isinstance(fact.node, ast.Call):
        return []  # a variable, which may be a function that adds an axis
    if function == "stack" and fact.confidence < Confidence.CERTAIN:
        return []  # the draw is from the stack, which says little about the rank of its parts
    axes = fact.rank + 1 + (function in ("expand_dims", "stack"))
    edits: Edits = []
    for part in fact.parts:
        match part:
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as number)) if number <= axes:
                edits.append(layout.swap(document, part, str(axes - number)))
            case _:
                return []
    return edits


def name_axes_of_key(fact: ShapeLogic, document: Document, names: Names) -> Edits:
    """``keys.transpose(1, 0, 2)`` becomes ``keys.transpose(1, 0, *range(2, keys.ndim))``.

    What has no name and swaps two axes says so: ``split(key, (n, m)).swapaxes(0, 1)``.
    """
    one = layout.key_shape(fact, document, names)
    if one is None or fact.rank is None or len(fact.parts) != 1 or is_numpys(fact, names):
        return []
    plain = layout.is_plain(document, fact.subject)
    swapped = [] if plain else swap_axes(fact.node, document)
    if swapped:
        return swapped
    end = f"{document.segment(fact.subject)}.ndim" if plain else f"{fact.rank} + len({one})"
    return [layout.swap(document, fact.parts[0], f"*range({fact.rank}, {end})")]


def swap_axes(node: ast.AST, document: Document) -> Edits:
    """``split(key, (n, m)).transpose(1, 0, 2)`` becomes ``split(key, (n, m)).swapaxes(0, 1)``; nothing for others."""
    axes: ast.expr | None = None
    match node:
        case ast.Call(func=ast.Attribute() as function, args=[*_, ast.Tuple(elts=numbers) as axes], keywords=[]):
            pass
        case ast.Call(func=ast.Attribute() as function, args=[ast.Constant(), *_] as numbers, keywords=[]):
            pass
        case _:
            return []
    method, fragment = expression(document, function), document.fragment(function)
    found = [each.value if isinstance(each, ast.Constant) else None for each in numbers]
    if found != [1, 0, 2] or not isinstance(method, cst.Attribute) or fragment is None:
        return []
    named = Edit(fragment.span(method.attr), "swapaxes")
    if axes is None:
        swapped = [layout.swap(document, each, str(at)) for at, each in enumerate(numbers[:2])]
        return [named, *swapped, layout.without_last(document, numbers)]
    old = expression(document, axes)
    if old is None or not old.lpar or comments(old):
        return []
    return [named, Edit(Span(fragment.span(old.lpar[0]).start, fragment.span(old.rpar[-1]).end), "0, 1")]


def work_on_words(fact: ShapeLogic, document: Document, names: Names) -> Edits:
    """``concatenate([key, other])`` becomes ``concatenate([key_data(key), key_data(other)])``."""
    if any(map(is_part_of_words, fact.parts)):
        return []
    return [layout.words(document, part, names) for part in fact.parts]


def is_part_of_words(part: ast.expr) -> bool:
    """Return whether an array may hold some of the words of a key, as ``key[:1]`` does, which are no key."""
    return isinstance(part, ast.Subscript) and isinstance(part.slice, ast.Slice)


def stack_keys(fact: ShapeLogic, document: Document, names: Names) -> Edits:
    """``vstack([key, other])`` becomes ``stack([key, other])``."""
    function = fact.node.func if isinstance(fact.node, ast.Call) else None
    if names.resolve(function) != VSTACK or function is None or fact.rank is None:
        return []
    if isinstance(fact.node, ast.Call) and not fact.node.args:
        return []  # `vstack(tup=keys)`: the other function calls the parameter otherwise
    above = fact.rank - (fact.form == "rows")
    spelled = names.spell(STACK if above == 0 else CONCATENATE, near=function)
    return [] if spelled is None else [layout.swap(document, function, spelled)]


def from_front(fact: ShapeLogic, document: Document, names: Names) -> Edits:
    """``keys.shape[-1:]`` becomes ``keys.shape[1:]``."""
    match fact.node:
        case ast.Subscript(slice=ast.Slice(lower=ast.UnaryOp() as lower)) if fact.rank is not None:
            return [layout.swap(document, lower, str(fact.rank))]
    return []


def leave_out_slice(fact: ShapeLogic, document: Document, names: Names) -> Edits:
    """``keys[i, :]`` becomes ``keys[i]``."""
    old = expression(document, fact.node) if isinstance(fact.node, ast.Subscript) else None
    if not isinstance(old, cst.Subscript) or not isinstance(fact.node, ast.expr) or len(old.slice) < 2:
        return []
    kept = [*old.slice[:-2], old.slice[-2].with_changes(comma=cst.MaybeSentinel.DEFAULT)]
    return [replace(document, fact.node, old.with_changes(slice=kept))]


# masks, specs, signatures


def widen_as_needed(fact: ShapeLogic, document: Document, names: Names) -> Edits:
    """``done[:, None]`` becomes ``expand_dims(done, tuple(range(1, keys.ndim)))``."""
    one = layout.key_shape(fact, document, names)
    if one is None or not fact.rank or is_numpys(fact, names):
        return []
    edits = [_widened(mask, one, fact, document, names) for mask in fact.parts]
    return [edit for each in edits for edit in each] if all(edits) else []


def _widened(mask: ast.expr, one: str, fact: ShapeLogic, document: Document, names: Names) -> Edits:
    where = fact.node.func if isinstance(fact.node, ast.Call) else None
    match mask:
        case ast.Call(func=ast.Attribute(attr="reshape"), args=[_, last]):
            return [layout.swap(document, last, f"*(1,) * len({one})")]
        case ast.Subscript(value=inner, slice=ast.Tuple(elts=[ast.Constant(value=value), _])) if value is ...:
            segment = document.segment(inner)
            held = segment if isinstance(inner, ast.Name | ast.Attribute | ast.Call | ast.Subscript) else f"({segment})"
            return [layout.swap(document, mask, f"{held}[(..., *(None,) * len({one}))]")]
        case ast.Subscript(value=inner, slice=ast.Tuple(elts=[ast.Slice(lower=None, upper=None, step=None), *new])):
            if not all(_is_new_axis(axis) for axis in new):
                return []
            plain = layout.is_plain(document, fact.subject) and len(new) == fact.rank
            end = f"{document.segment(fact.subject)}.ndim" if plain else f"{len(new)} + len({one})"
            wide = names.spell(EXPAND_DIMS, near=where)
            text = f"{wide}({document.segment(inner)}, tuple(range(1, {end})))"
            return [layout.swap(document, mask, text)] if wide else []
    return []


def _is_new_axis(node: ast.expr) -> bool:
    return (isinstance(node, ast.Constant) and node.value is None) or (
        isinstance(node, ast.Attribute) and node.attr == "newaxis"
    )


def leave_out(fact: ShapeLogic, document: Document, names: Names) -> Edits:
    """``P("x", None)`` becomes ``P("x")``."""
    for part in fact.parts:
        for node in ast.walk(part):
            if isinstance(node, ast.Call) and names.resolve(node.func) in PARTITION_SPECS:
                last = node.args[-1] if node.args else None
                if isinstance(last, ast.Constant) and last.value is None and not node.keywords:
                    return [layout.without_last(document, node.args)]
    return []


def choose_signature(fact: ShapeLogic, document: Document, names: Names) -> Edits:
    """``signature="(2)->()"`` becomes ``"()->()"`` if the key is a typed one."""
    match fact.node, fact.parts:
        case ast.Call(func=ast.Call() as mapping), [ast.Constant(value=str(given)) as signature]:
            inline = any(keyword.value is signature for keyword in mapping.keywords)
        case _:
            return []
    test = is_typed_key(document, fact.subject, names) if inline and layout.is_plain(document, fact.subject) else None
    fragment, typed = document.fragment(fact.node), signature_of_typed(fact, given)
    if test is None or fragment is None or typed is None:
        return []
    text = f'"{typed}" if {fragment.code(test)} else {document.segment(signature)}'
    return [layout.swap(document, signature, text)]


def signature_of_typed(fact: ShapeLogic, given: str) -> str | None:
    """Return a signature with an empty group for the key."""
    match fact.node:
        case ast.Call(args=arguments) if fact.subject in arguments:
            position = arguments.index(fact.subject)
        case _:
            return None
    inputs, arrow, outputs = given.partition("->")
    groups = inputs.replace(" ", "").removeprefix("(").removesuffix(")").split("),(")
    groups[position] = ""
    return f"{','.join(f'({group})' for group in groups)}{arrow}{outputs}"


Rewrite = Callable[[ShapeLogic, "Document", Names], Edits]
REWRITES: dict[str, Rewrite] = {
    "reshape": end_with_key,
    "broadcast": end_with_key,
    "tile": end_with_ones,
    "axis": count_from_front,
    "permutation": name_axes_of_key,
    "words": work_on_words,
    "vstack": stack_keys,
    "rows": stack_keys,
    "dynamic-slice": slice_all_axes,
    "word-shape": from_front,
    "index": leave_out_slice,
    "mask": widen_as_needed,
    "spec": leave_out,
    "signature": choose_signature,
}
MESSAGES = {
    "index": "Leave out the slice of the words",
    "axis": "Count the axis from the front",
    "words": "Work on the words by name",
    "vstack": "Stack the keys",
    "rows": "Stack the keys",
    "spec": "Leave out the entry of the words",
    "signature": "Choose the signature by the dtype of the key",
    "mask": "Widen the mask by the axes of one key",
}
