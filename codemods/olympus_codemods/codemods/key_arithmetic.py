"""OLY102: ``split`` or ``fold_in`` in the place of arithmetic."""

from __future__ import annotations

import ast

from olympus_codemods.codemod import Codemod, fix_of
from olympus_codemods.editing.key_data import through_key_data, wrapped
from olympus_codemods.editing.names import Names, dotted
from olympus_codemods.editing.rewriting import call, expression, replace
from olympus_codemods.editing.uses import leaves
from olympus_codemods.target import Target
from olympus_rules.finding import Applicability, Fix
from olympus_rules.keyflow.facts import KeyArithmetic
from olympus_rules.libraries.names import RANDOM, RANGES
from olympus_rules.syntax import Document

# Functions of jax.random whose result is a key like their argument; all others give numbers.
DERIVING = frozenset(["clone", "fold_in", "split"])


class KeyArithmeticCodemod(Codemod):
    """``key + jnp.arange(n)[:, None]`` and ``key + i``."""

    code = "OLY102"

    def fix(self, fact: KeyArithmetic, document: Document) -> Fix | None:
        """Return ``split(key, n)`` for a column of offsets and ``fold_in(key, i)`` for one integer."""
        operation = fact.node
        if not isinstance(operation, ast.BinOp) or not isinstance(operation.op, ast.Add | ast.BitXor):
            return None
        names = Names(document, operation)
        for key, offset in ((operation.left, operation.right), (operation.right, operation.left)):
            if document.segment(key) != fact.key:
                continue
            size = arange_column(offset, names)
            datum = offset if not fact.batch and is_integer(offset) else None
            function = "split" if size is not None else "fold_in"
            first, second = expression(document, key), expression(document, size or datum)
            edit = replace(document, operation, call(names.spell(f"{RANDOM}.{function}"), first, second))
            return fix_of(Applicability.UNSAFE, f"Derive keys with `{function}`", edit, *names.edits())
        return None

    def migrate(self, fact: KeyArithmetic, document: Document, target: Target) -> Fix | None:
        """Return the same operation on the key's words, made a key again if it is used as one.

        The result is then typed whatever the operand was. Code that works with raw keys may have this only if the
        result reaches nothing but the call that draws from it.
        """
        if isinstance(fact.node, ast.AugAssign):
            return None
        if not fact.is_key:
            if isinstance(fact.node, ast.BinOp) and leaves(document, fact.node):
                return None  # it may be used as a key elsewhere, beside typed ones
            return through_key_data(document, fact.node, fact.subjects, "Compute with the words of the key")
        if target.style == "typed" or is_drawn_from(fact.node, document):
            return wrapped(document, fact.node, fact.subjects, "Compute with the words of the key, and wrap them")
        return None


def is_drawn_from(node: ast.AST, document: Document) -> bool:
    """Return whether an expression is the key of a call of ``jax.random`` that gives numbers."""
    around = document.parents.get(node)
    if not isinstance(around, ast.Call) or around.args[:1] != [node]:
        return False
    module, _, name = Names(document, node).resolve(around.func).rpartition(".")
    return module == RANDOM and name not in DERIVING


def arange_column(node: ast.expr, names: Names) -> ast.expr | None:
    """Return ``n`` of ``arange(n)[:, None]``."""
    match node:
        case ast.Subscript(
            value=ast.Call(func=function, args=[size], keywords=options),
            slice=ast.Tuple(elts=[ast.Slice(lower=None, upper=None, step=None), new_axis]),
        ) if all(option.arg == "dtype" for option in options):
            is_none = isinstance(new_axis, ast.Constant) and new_axis.value is None
            column = is_none or dotted(new_axis).endswith(".newaxis")
            known = names.resolve(function) in RANGES
            return size if column and known else None
    return None


def is_integer(node: ast.expr) -> bool:
    """Return whether an expression may be one integer: a literal or a plain name."""
    if isinstance(node, ast.Constant):
        return type(node.value) is int
    return bool(dotted(node))
