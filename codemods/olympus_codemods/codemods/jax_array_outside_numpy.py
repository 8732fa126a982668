"""OLY302: ``jnp.asarray(x)`` in the place of an object with ``__jax_array__``."""

from __future__ import annotations

import ast

from olympus_codemods.codemod import Codemod, fix_of
from olympus_codemods.editing.names import Names
from olympus_codemods.editing.rewriting import call, expression, replace
from olympus_rules.finding import Applicability, Fix
from olympus_rules.keyflow.facts import ArrayOutsideNumpy
from olympus_rules.libraries.names import ASARRAY
from olympus_rules.syntax import Document


class JaxArrayOutsideNumpy(Codemod):
    """Arguments and indices."""

    code = "OLY302"

    def fix(self, fact: ArrayOutsideNumpy, document: Document) -> Fix | None:
        """Convert the object in place: JAX calls ``__jax_array__``, and nothing else changes."""
        return converted(fact.subject, document, Applicability.SAFE)


def converted(subject: ast.expr | None, document: Document, applicability: Applicability) -> Fix | None:
    """Return the edits that convert an object, ``None`` if it is no expression by itself."""
    if subject is None or isinstance(subject, ast.NamedExpr | ast.Starred):
        return None
    names = Names(document, subject)
    asarray = names.spell(ASARRAY)
    edit = replace(document, subject, call(asarray, expression(document, subject)))
    return fix_of(applicability, f"Convert with `{asarray}`", edit, *names.edits())
