"""OLY203: ask whether a dtype is that of typed keys."""

from __future__ import annotations

import ast

import libcst as cst

from olympus_codemods.codemod import Codemod, fix_of
from olympus_codemods.editing.key_data import through_key_data
from olympus_codemods.editing.names import Names, dotted
from olympus_codemods.editing.rewriting import call, expression, parsed, replace
from olympus_codemods.target import Target
from olympus_rules.finding import Applicability, Fix
from olympus_rules.keyflow.facts import DtypeLogic, KeyKind
from olympus_rules.libraries.names import ISSUBDTYPE, KEY, KEY_DTYPE, PRNG_KEY
from olympus_rules.syntax import Document
from olympus_rules.syntax.kinds_of_keys import tells_kinds_apart

CONSTRUCTORS = tuple(name.rpartition(".")[2] for name in (KEY, PRNG_KEY))


class KeyDtypeLogicCodemod(Codemod):
    """``key.dtype == jnp.uint32`` asks whether a key is raw."""

    code = "OLY203"

    def fix(self, fact: DtypeLogic, document: Document) -> Fix | None:
        """Return a test for ``prng_key`` with the same truth value.

        It is safe where it tells the kinds of keys apart. Anywhere else, a rename of the constructor that comes after
        it would turn its answer round.
        """
        test = self.test(fact, document)
        if test is None or tells_kinds_apart(fact.node, document, typed=means_typed(fact)):
            return test
        return Fix(Applicability.UNSAFE, test.message, test.edits)

    def migrate(self, fact: DtypeLogic, document: Document, target: Target) -> Fix | None:
        """Return the test for ``prng_key`` if the code distinguishes the kinds of keys, else one of the words' dtype.

        A test that every raw key passes has to pass for typed keys as well.
        """
        if (fact.form == "name" and means_typed(fact)) or tells_kinds_apart(
            fact.node, document, typed=means_typed(fact)
        ):
            return self.test(fact, document)
        if may_be_seed(fact.subject, document) or fact.kind is KeyKind.TYPED:
            return None  # a seed has no words, and those of a typed key give another answer than it does now
        return through_key_data(document, fact.node, [fact.subject], "Ask for the dtype of the words")

    def test(self, fact: DtypeLogic, document: Document) -> Fix | None:
        """Return a test for ``prng_key`` with the same truth value."""
        typed = means_typed(fact)
        if typed is None or not isinstance(fact.node, ast.expr):
            return None
        names = Names(document, fact.node)
        test = is_typed_key(document, fact.subject, names)
        if test is None:
            return None
        one_of_several = fact.form == "name" and typed  # `key<fry>` is not the only implementation
        is_value = isinstance(document.parents[fact.node], ast.Call | ast.keyword | ast.List | ast.Tuple | ast.Dict)
        unsure = one_of_several or is_value  # it may be written down, and differs for the typed keys that come after
        applicability = Applicability.UNSAFE if unsure else Applicability.SAFE
        node: ast.expr = fact.node
        around = document.parents[node]
        if not typed and isinstance(around, ast.UnaryOp) and isinstance(around.op, ast.Not):
            node, typed = around, True  # `not key.dtype == …` needs no second `not`
        edit = replace(document, node, test if typed else cst.UnaryOperation(cst.Not(), test))
        return fix_of(applicability, "Test for the dtype of typed keys", edit, *names.edits())


def may_be_seed(subject: ast.expr, document: Document) -> bool:
    """Return whether the same function makes a key of a value, which then may be a seed without words."""
    functions = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope = next((each for each in document.around(subject) if isinstance(each, functions)), None)
    calls = [part for part in ast.walk(scope) if isinstance(part, ast.Call) and part.args] if scope is not None else []
    seeds = [call.args[0] for call in calls if dotted(call.func).rpartition(".")[2] in CONSTRUCTORS]
    parts = [part for seed in seeds for part in ast.walk(seed) if isinstance(part, ast.Name | ast.Attribute)]
    return any(dotted(part) == dotted(subject) for part in parts)


def means_typed(fact: DtypeLogic) -> bool | None:
    """Return whether the test is true for typed keys or for raw ones; ``None`` for another question."""
    match fact.form, fact.node:
        case "equals", ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right]):
            return False if is_uint32(left) or is_uint32(right) else None
        case "not-equals", ast.Compare(left=left, ops=[ast.NotEq() | ast.IsNot()], comparators=[right]):
            return True if is_uint32(left) or is_uint32(right) else None
        case "kind", ast.Compare(ops=[ast.Eq()], comparators=[ast.Constant(value="u")]):
            return False
        case "name", ast.Compare(ops=[ast.Eq()], comparators=[ast.Constant(value="uint32")]):
            return False
        case "name", ast.Compare(ops=[ast.Eq()], comparators=[ast.Constant(value="key<fry>")]):
            return True
        case "numpy", ast.Call(args=[_, ast.Attribute(attr="integer" | "unsignedinteger" | "uint32")]):
            return False
    return None


def is_uint32(node: ast.expr) -> bool:
    """Return whether an expression is spelled as the dtype of raw keys."""
    return dotted(node).rpartition(".")[2] == "uint32"


def is_typed_key(document: Document, subject: ast.expr, names: Names) -> cst.Call | None:
    """Build ``jnp.issubdtype(subject.dtype, jax.dtypes.prng_key)``."""
    key, prng_key, issubdtype = expression(document, subject), names.spell(KEY_DTYPE), names.spell(ISSUBDTYPE)
    return None if key is None else call(issubdtype, cst.Attribute(key, cst.Name("dtype")), parsed(prng_key))
