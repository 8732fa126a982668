"""OLY207: keys from the functions that make them, buffers from the shape and dtype of a key."""

from __future__ import annotations

import ast

from olympus_codemods.codemod import Codemod, fix_of
from olympus_codemods.editing import key_layout as layout
from olympus_codemods.editing.names import Names
from olympus_codemods.editing.rewriting import parsed, replace
from olympus_codemods.editing.uses import is_only_read, uses
from olympus_codemods.target import Target
from olympus_rules.finding import Applicability, Edit, Fix
from olympus_rules.keyflow.facts import RawKeyLiteral
from olympus_rules.libraries.names import EVAL_SHAPE, NUMPY, PRNG_KEY, SPLIT, VMAP, ZEROS
from olympus_rules.syntax import Document

NUMBERS = frozenset(["astype", "max", "mean", "min", "prod", "sum", "view"])
EMPTY = ("zeros", "empty")
LARGEST_SEED = 2**31 - 1  # that gives the same key with and without 64-bit numbers


class RawKeyLiteralCodemod(Codemod):
    """A buffer takes shape and dtype from a key; other words come from the constructor that makes them."""

    code = "OLY207"

    def fix(self, fact: RawKeyLiteral, document: Document) -> Fix | None:
        """Return the portable form."""
        return self.migrate(fact, document, Target())

    def migrate(self, fact: RawKeyLiteral, document: Document, target: Target) -> Fix | None:
        """Return a form that has the same words with raw keys, and is a key with typed ones."""
        if fact.in_place or not isinstance(fact.node, ast.Call) or not holds_whole_keys(fact, fact.node, document):
            return None
        if fact.like and fact.form == "buffer":
            return like_a_key(fact, fact.node, document)
        names = Names(document, fact.node)
        text = made_anew(fact, fact.node, document, names, target)
        edit = replace(document, fact.node, parsed(text))
        kept = [] if (edits := names.edits()) else names.kept(names.spell(PRNG_KEY) or "")
        return fix_of(Applicability.SAFE, "Make the words where keys are made", edit, *edits, *kept, shows_keys=True)


def holds_whole_keys(fact: RawKeyLiteral, node: ast.Call, document: Document) -> bool:
    """Return whether nothing takes the array apart, computes with its words, or writes to it in place."""
    if Names(document, node).resolve(node.func).startswith("numpy.") and not is_only_read(document, node):
        return False
    shape = parameter(node, 0, "shape")
    axes = len(shape.elts) if isinstance(shape, ast.Tuple | ast.List) else 1
    if fact.form == "buffer" and is_four(shape) and "rbg" not in document.text:
        return False  # two keys in a row
    for value, around in uses(document, node):
        index = document.parents.get(around)
        match around, index:
            case ast.Compare(ops=[ast.Is() | ast.IsNot()]), _:
                continue  # a test for `None`
            case ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.AugAssign(), _:
                return False
            case ast.Attribute(attr="at"), ast.Subscript(slice=ast.Tuple(elts=parts)) if len(parts) >= axes:
                return False
            case ast.Attribute(attr=name), _ if value is getattr(around, "value", None) and name in NUMBERS:
                return False
    return True


def is_four(shape: ast.expr | None) -> bool:
    """Return whether a shape ends with 4, the number of words of an rbg key."""
    last = shape.elts[-1] if isinstance(shape, ast.Tuple | ast.List) and shape.elts else shape
    return isinstance(last, ast.Constant) and last.value == 4


def like_a_key(fact: RawKeyLiteral, node: ast.Call, document: Document) -> Fix | None:
    """``jnp.zeros((n, 2), jnp.uint32)`` becomes ``jnp.zeros((n, *key.shape), key.dtype)``."""
    names = Names(document, node)
    name = function_name(node, names)
    if not name:
        return None
    shape, dtype = parameter(node, 0, "shape"), parameter(node, 2 if name == "full" else 1, "dtype")
    function = names.spell(f"{NUMPY}.{name}", near=node.func)
    if shape is None or dtype is None or function is None:
        return None
    one = f"{fact.like}.shape[{fact.rank}:]" if fact.rank else f"{fact.like}.shape"
    edits: list[Edit | None] = [layout.swap(document, dtype, f"{fact.like}.dtype")]
    if isinstance(shape, ast.Tuple | ast.List) and len(shape.elts) > 1:
        edits.append(layout.swap(document, shape.elts[-1], f"*{one}"))
    else:
        edits.append(replace(document, shape, parsed(one)))
    if names.resolve(node.func).startswith("numpy."):
        edits.append(layout.swap(document, node.func, function))
    return fix_of(
        Applicability.SAFE, f"Take shape and dtype from `{fact.like}`", *edits, *names.edits(), shows_keys=True
    )


def made_anew(fact: RawKeyLiteral, node: ast.Call, document: Document, names: Names, target: Target) -> str | None:
    """Return an expression for the words that the constructor of keys makes; ``None`` for other words."""
    constructor = names.spell(PRNG_KEY)
    if constructor is None:
        return None
    if fact.form == "words":
        return seeded(node, constructor)
    lengths = leading(parameter(node, 0, "shape"), document)
    if lengths is None:
        return None
    if fact.form == "abstract":
        return abstract(lengths, names, target, constructor)
    if function_name(node, names) not in EMPTY or len(lengths) > 1:
        return None
    if not lengths:
        return f"{constructor}(0)"
    vmap, zeros = names.spell(VMAP), names.spell(ZEROS)
    return f"{vmap}({constructor})({zeros}({lengths[0]}, int))" if vmap and zeros else None


def seeded(node: ast.Call, constructor: str) -> str | None:
    """``jnp.array([0, 7], jnp.uint32)`` becomes ``PRNGKey(7)``; ``None`` for words without such a seed."""
    match node.args:
        case [ast.List(elts=[ast.Constant(value=0), ast.Constant(value=int(seed))]), *_] if seed <= LARGEST_SEED:
            return f"{constructor}({seed})"
    return None


def abstract(lengths: list[str], names: Names, target: Target, constructor: str) -> str | None:
    """``ShapeDtypeStruct((2,), jnp.uint32)`` becomes ``jax.eval_shape(lambda: PRNGKey(0))``."""
    eval_shape, split = names.spell(EVAL_SHAPE), names.spell(SPLIT)
    if eval_shape is None or split is None or (len(lengths) > 1 and not target.has("split-shape")):
        return None
    if not lengths:
        return f"{eval_shape}(lambda: {constructor}(0))"
    number = lengths[0] if len(lengths) == 1 else f"({', '.join(lengths)})"
    return f"{eval_shape}(lambda: {split}({constructor}(0), {number}))"


def function_name(node: ast.Call, names: Names) -> str:
    """Return the last name of a callee, whatever its alias; empty for a variable."""
    return names.resolve(node.func).rpartition(".")[2]


def parameter(node: ast.Call, position: int, name: str) -> ast.expr | None:
    """Return an argument by position or name."""
    if position < len(node.args):
        return node.args[position]
    return next((keyword.value for keyword in node.keywords if keyword.arg == name), None)


def leading(shape: ast.expr | None, document: Document) -> list[str] | None:
    """Return the lengths before the words, as written."""
    if isinstance(shape, ast.Tuple | ast.List):
        return [document.segment(length) for length in shape.elts[:-1]]
    return [] if isinstance(shape, ast.Constant) else None
