"""OLY108: ``split(key, i + 1)[i]`` is ``fold_in(key, i)``; other derivations get a key each."""

from __future__ import annotations

import ast

from olympus_codemods.codemod import Codemod, fix_of
from olympus_codemods.codemods.key_reuse import extend_split
from olympus_codemods.editing.names import Names
from olympus_codemods.editing.rewriting import call, expression, replace
from olympus_codemods.editing.splitting import split_before
from olympus_rules.finding import Applicability, Fix
from olympus_rules.keyflow.facts import DerivationCollision, Reuse
from olympus_rules.libraries.names import FOLD_IN, SPLIT
from olympus_rules.syntax import Document


class DerivationCollisionCodemod(Codemod):
    """Only the first form keeps its numbers (under JAX's default flags)."""

    code = "OLY108"

    def fix(self, fact: DerivationCollision, document: Document) -> Fix | None:
        """Return the rewrite; a datum that is folded in twice has none, as the right datum is unknown."""
        if fact.how == "split-then-index":
            return fold_in_index(fact, document)
        if fact.how == "fold_in-twice" or fact.is_apart or fact.first is None or fact.again is None:
            return None
        if fact.how.endswith("beside-fold_in") and FOLD_IN not in (fact.first.what, fact.again.what):
            return None  # a function that is called folds into the key
        reuse = Reuse(
            node=fact.node,
            confidence=fact.confidence,
            first=fact.first,
            again=fact.again,
            repeated_by=fact.repeated_by,
        )
        return extend_split(reuse, document) or split_before(reuse, document)


def fold_in_index(fact: DerivationCollision, document: Document) -> Fix | None:
    """``split(key, i + 1)[i]`` becomes ``fold_in(key, i)``."""
    match fact.node:
        case ast.Subscript(value=ast.Call(args=[subject, *_], func=function)) as node:
            pass
        case _:
            return None
    names = Names(document, node)
    if names.resolve(function) != SPLIT or isinstance(subject, ast.Starred):
        return None  # a function that splits some key of its own choice
    fold_in = names.spell(FOLD_IN, near=function)
    new = call(fold_in, expression(document, subject), expression(document, fact.index))
    return fix_of(Applicability.SAFE, "Derive the key with `fold_in`", replace(document, node, new), *names.edits())
