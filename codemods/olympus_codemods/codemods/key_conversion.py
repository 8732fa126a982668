"""OLY206: pass the words of a key where a key is rejected."""

from __future__ import annotations

import ast
from typing import TypeGuard

import libcst as cst

from olympus_codemods.codemod import Codemod, fix_of
from olympus_codemods.editing.key_data import through_key_data, wrapped
from olympus_codemods.editing.key_layout import is_plain
from olympus_codemods.editing.names import Names, dotted
from olympus_codemods.editing.rewriting import argument, call, expression, parsed, replace
from olympus_codemods.editing.uses import is_only_read
from olympus_codemods.target import Target
from olympus_rules.finding import Applicability, Fix
from olympus_rules.keyflow.facts import Conversion, KeyKind
from olympus_rules.libraries.names import NUMPY, ZEROS_LIKE
from olympus_rules.syntax import Document

AS_KEYS = frozenset(["array", "asarray", "concatenate", "copy", "hstack", "stack", "tile", "vstack", "where"])
BOTH_SIDES = ("assertion", "elementwise", "equality")


class KeyConversionCodemod(Codemod):
    """``np.asarray(key)`` becomes ``np.asarray(jax.random.key_data(key))``, and so on."""

    code = "OLY206"

    def fix(self, fact: Conversion, document: Document) -> Fix | None:
        """Return the same call with the words of the key, or its counterpart that takes both kinds of keys.

        If a typed key works with another result, there is a fix only for a key that is surely raw.
        """
        works = fact.effect == "differs" or fact.before
        return None if works and fact.kind != KeyKind.RAW else rewritten(fact, document)

    def migrate(self, fact: Conversion, document: Document, target: Target) -> Fix | None:
        """Return the fix; if all keys are typed, also code that computes with words and wraps them again."""
        if not fact.breaks(target.jax):
            return None
        if fact.form == "pad" and target.style == "typed" and fact.is_key:
            return wrapped(document, fact.node, fact.subjects, "Pad the words and wrap them")
        return rewritten(fact, document)


def rewritten(fact: Conversion, document: Document) -> Fix | None:
    """Return the form that computes the same for either kind of key."""
    match fact.form:
        case "numpy" if fact.is_key:
            return of_jax_numpy(fact, document)
        case "cast" if fact.is_key:
            return without_dtype(fact, document)
        case "fill":
            return zero_key(fact, document)
        case "shuffle":
            return drawn_index(fact, document)
        case "collective" | "ravel" | "checkpoint" | "processes" | "zeros" | "gather" | "pad":
            return None
        case "device_get" | "words" if fact.is_key:
            return None
    if fact.form in BOTH_SIDES and fact.unsure:
        return None
    return through_key_data(document, fact.node, fact.subjects, "Give it the words of the key")


def of_jax_numpy(fact: Conversion, document: Document) -> Fix | None:
    """``np.stack`` of keys becomes ``jnp.stack``."""
    function = fact.node.func if isinstance(fact.node, ast.Call) else None
    names = Names(document, fact.node)
    module, _, name = names.resolve(function).rpartition(".")
    if function is None or module != "numpy" or name not in AS_KEYS:
        return None
    if not takes_same_arguments(fact.node) or not is_only_read(document, fact.node):
        return None
    edit = replace(document, function, parsed(names.spell(f"{NUMPY}.{name}")))
    message = f"Use `jax.numpy.{name}`, which takes keys of both kinds"
    return fix_of(Applicability.SAFE, message, edit, *names.edits(), shows_keys=True)


def takes_same_arguments(node: ast.AST) -> TypeGuard[ast.Call]:
    """Return whether a call of numpy means the same under ``jax.numpy``: no dtype, no output array."""
    return isinstance(node, ast.Call) and all(option.arg == "axis" for option in node.keywords)


def without_dtype(fact: Conversion, document: Document) -> Fix | None:
    """``jnp.asarray(key, dtype=jnp.uint32)`` becomes ``jnp.asarray(key)``."""
    match fact.node:
        case (
            ast.Call(args=[_], keywords=[ast.keyword(arg="dtype", value=dtype)])
            | ast.Call(args=[_, dtype], keywords=[]) as node
        ) if dotted(dtype).rpartition(".")[2] == "uint32":
            pass
        case _:
            return None
    found = expression(document, node)
    if not isinstance(found, cst.Call):
        return None
    only = found.args[0].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    edit = replace(document, node, found.with_changes(args=[only]))
    return fix_of(Applicability.SAFE, "Leave the dtype to the key", edit, shows_keys=True)


def zero_key(fact: Conversion, document: Document) -> Fix | None:
    """``jnp.where(mask, keys, 0)`` becomes ``jnp.where(mask, keys, jnp.zeros_like(keys))``."""
    match fact.node, fact.subjects:
        case ast.Call(args=[_, one, other], keywords=[]) as node, (subject,):
            number = other if one is subject else one
        case _:
            return None
    if not (
        isinstance(number, ast.Constant)
        and type(number.value) is int
        and number.value == 0
        and is_plain(document, subject)
    ):
        return None
    names = Names(document, node)
    zeros_like = names.spell(ZEROS_LIKE, near=node.func)
    edit = replace(document, number, call(zeros_like, expression(document, subject)))
    return fix_of(Applicability.SAFE, "Fill with the key whose words are 0", edit, *names.edits())


def drawn_index(fact: Conversion, document: Document) -> Fix | None:
    """``permutation(rng, keys)`` becomes ``keys[permutation(rng, len(keys))]``, which draws the same indices."""
    match fact.node, fact.subjects:
        case ast.Call(args=[_, second, *_], keywords=options) as node, (subject,) if second is subject:
            pass
        case _:
            return None
    found, keys = expression(document, node), expression(document, subject)
    if any(option.arg in ("axis", "independent", None) for option in options) or not is_plain(document, subject):
        return None
    if not isinstance(found, cst.Call) or keys is None or len(node.args) > 4:
        return None
    length = found.args[1].with_changes(value=call("len", keys))
    drawn = found.with_changes(args=[found.args[0], length, *found.args[2:]], lpar=[], rpar=[])
    element = cst.SubscriptElement(cst.Index(drawn))
    edit = replace(document, node, cst.Subscript(argument(keys), [element]))
    return fix_of(Applicability.SAFE, "Draw indices", edit)
