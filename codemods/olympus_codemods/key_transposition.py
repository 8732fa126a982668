"""OLY103: map over the axis of keys, not over the words of a buffer."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import libcst as cst

from olympus_codemods.codemod import Codemod, fix_of
from olympus_codemods.rewriting import replace
from olympus_rules.finding import Applicability, Fix
from olympus_rules.keyflow.facts import Fact, KeyTransposition

if TYPE_CHECKING:
    from olympus_rules.syntax import Document

__all__ = ["KeyTranspositionCodemod"]


class KeyTranspositionCodemod(Codemod):
    """``in_axes=1`` and ``out_axes=-1``; transposes stay: their batch order is not known."""

    code = "OLY103"

    def fix(self, fact: Fact, document: Document) -> Fix | None:
        """Return the axis that holds the keys."""
        assert isinstance(fact, KeyTransposition)
        match fact.how, fact.axis:
            case "in_axes", ast.Constant(value=1) as axis:
                right = "0"
            case "out_axes", ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)) as axis:
                right = "1"
            case _:
                return None
        edit = replace(document, axis, cst.Integer(right))
        return fix_of(Applicability.UNSAFE, f"Use `{fact.how}={right}`, the axis of the keys", edit)
