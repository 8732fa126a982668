"""OLY105: map over as many keys as there are lanes."""

from __future__ import annotations

import ast
from functools import lru_cache

import libcst as cst

from olympus_codemods.codemod import Codemod, fix_of
from olympus_codemods.editing.names import Names, dotted
from olympus_codemods.editing.rewriting import call, expression, replace
from olympus_codemods.editing.scopes import Scope, own_nodes, scope_of
from olympus_rules.finding import Applicability, Fix
from olympus_rules.keyflow.facts import SharedKey
from olympus_rules.libraries.names import ARANGE, SPLIT
from olympus_rules.syntax import Document


class SharedKeyAcrossLanesCodemod(Codemod):
    """``vmap(f, in_axes=(None, 0))(key, xs)``; a key that is no argument would need another function."""

    code = "OLY105"

    def fix(self, fact: SharedKey, document: Document) -> Fix | None:
        """Split the key at the call site, and map over the children."""
        node, mapping, key = fact.node, fact.mapping, fact.argument
        if not isinstance(node, ast.Call) or mapping is None or node.func is not mapping or fact.batch:
            return None
        if key is None or not dotted(key) or key not in node.args or node.keywords:
            return None
        axes = written_axes(mapping)
        position = node.args.index(key)
        if len(axes) != len(node.args) or any(isinstance(part, ast.Starred) for part in node.args):
            return None
        axis = axes[position]
        if not isinstance(axis, ast.Constant) or axis.value is not None:
            return None
        names = Names(document, node)
        count = lanes(document, node, mapping, axes, names)
        split = names.spell(SPLIT, near=fact.draw.node.func if isinstance(fact.draw.node, ast.Call) else None)
        edits = [
            replace(document, axis, cst.Integer("0")),
            replace(document, key, call(split, expression(document, key), count)),
            *names.edits(),
        ]
        return fix_of(Applicability.UNSAFE, f"Split `{dotted(key)}` into a key for each lane", *edits)


def written_axes(mapping: ast.Call) -> list[ast.expr]:
    """Return the axes of the arguments if the call spells out each."""
    given = next((keyword.value for keyword in mapping.keywords if keyword.arg == "in_axes"), None)
    if given is None and len(mapping.args) == 2 and dotted(mapping.func).endswith("vmap"):
        given = mapping.args[1]
    return given.elts if isinstance(given, ast.Tuple | ast.List) else []


def lanes(
    document: Document, node: ast.Call, mapping: ast.Call, axes: list[ast.expr], names: Names
) -> cst.BaseExpression | None:
    """Return an expression for the number of lanes: one in the code, or the length of an argument."""
    size = next((keyword.value for keyword in mapping.keywords if keyword.arg == "axis_size"), None)
    if size is not None:
        return expression(document, size) if isinstance(size, ast.Name | ast.Attribute | ast.Constant) else None
    for value, axis in zip(node.args, axes, strict=True):
        if not isinstance(axis, ast.Constant) or type(axis.value) is not int:
            continue
        match value:
            case ast.Call(args=[ast.Name() | ast.Constant() | ast.Attribute() as count], keywords=[]) if (
                names.resolve(value.func) == ARANGE
            ):
                return expression(document, count)
            case ast.Name() if value.id in measured(scope_of(document, node)):
                return cst.parse_expression(f"{value.id}.shape[{axis.value}]")
    return None


@lru_cache(maxsize=8)
def measured(scope: Scope) -> frozenset[str]:
    """Return the variables whose shape a scope reads: they are arrays, as a tree of arrays has no shape."""
    return frozenset(
        node.value.id
        for node in own_nodes(scope)
        if isinstance(node, ast.Attribute) and node.attr == "shape" and isinstance(node.value, ast.Name)
    )
