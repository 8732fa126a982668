"""OLY110: a derivation whose result is discarded is deleted."""

from __future__ import annotations

import ast

from olympus_codemods.codemod import Codemod, fix_of
from olympus_codemods.editing.imports import delete_statement
from olympus_rules.finding import Applicability, Fix
from olympus_rules.keyflow.facts import DiscardedDerivation
from olympus_rules.syntax import Document


class DiscardedDerivationCodemod(Codemod):
    """The numbers stay the same, but the author meant the key to change: a person has to check."""

    code = "OLY110"

    def fix(self, fact: DiscardedDerivation, document: Document) -> Fix | None:
        """Return the deletion of the statement, ``None`` if it is the only one of its block."""
        statement = document.parents.get(fact.node)
        if not isinstance(statement, ast.Expr):
            return None
        return fix_of(Applicability.UNSAFE, "Delete the call", delete_statement(document, statement))
