"""OLY201: ``jax.random.key`` in the place of ``jax.random.PRNGKey``."""

from __future__ import annotations

import ast

from olympus_codemods.codemod import Codemod, fix_of
from olympus_codemods.editing.leftovers import drop_import, leftover_import
from olympus_codemods.editing.names import Names
from olympus_codemods.editing.rewriting import parsed, replace
from olympus_codemods.target import Target
from olympus_rules.finding import Applicability, Fix
from olympus_rules.keyflow.facts import Reference
from olympus_rules.libraries.names import KEY
from olympus_rules.syntax import Document


class LegacyConstructor(Codemod):
    """Rename the constructor; safe unless the key reaches code that breaks with a typed key."""

    code = "OLY201"

    def fix(self, fact: Reference, document: Document) -> Fix | None:
        """Return the rename, with the import that a singly imported name needs."""
        return renamed(fact, document, Applicability.UNSAFE if fact.reachable else Applicability.SAFE)

    def migrate(self, fact: Reference, document: Document, target: Target) -> Fix | None:
        """Return the rename, which keeps all numbers if the constructor has no obstacles.

        The caller has to know that: it sees the whole project and not this file alone.
        """
        return renamed(fact, document, Applicability.SAFE) if target.has("typed-keys") else None


def renamed(fact: Reference, document: Document, applicability: Applicability) -> Fix | None:
    """Return the edits that rename one mention, ``None`` if no spelling is free."""
    if fact.context == "import":
        return drop_import(fact, document)
    node = fact.node
    if not isinstance(node, ast.Attribute | ast.Name) or fact.context == "name":
        return None
    names = Names(document, node)
    edit = replace(document, node, parsed(names.spell(KEY, near=node)))
    imports = leftover_import(document, node, names)
    return fix_of(applicability, "Make a typed key with `jax.random.key`", edit, *imports)
