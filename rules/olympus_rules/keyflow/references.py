"""Mentions of the names that the move to typed keys concerns, found by name without any flow."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from olympus_rules.finding import Confidence
from olympus_rules.keyflow.facts import Fact, KeyKind, Reference

if TYPE_CHECKING:
    from olympus_rules.keyflow.analysis import Analysis

__all__ = ["references"]

CONSTRUCTORS = {"jax.random.PRNGKey"}
TYPES = {
    "jax.random.PRNGKey",
    "jax.random.key",
    "jax.random.KeyArray",
    "jax.random.PRNGKeyArray",
    "jax.random.PRNGKeyArrayImpl",
    "jax.prng.PRNGKeyArray",
    "jax._src.prng.PRNGKeyArray",
    "jax._src.prng.PRNGKeyArrayImpl",
    "jax.dtypes.prng_key",
}
REMOVED = {"jax.random.rbg_key", "jax.random.unsafe_rbg_key", "jax.random.threefry2x32_key"}
WORDS = ("PRNGKey", "KeyArray", "prng_key", "rbg_key", "threefry2x32_key", "unsafe_raw_array", "random.key")


def references(analysis: Analysis) -> Iterator[Fact]:
    """Return a reference for each mention of a constructor, a removed helper, or a key type."""
    text = analysis.document.text
    if any(word in text for word in WORDS) or ": key" in text:
        yield from _Scan(analysis).run()


class _Scan:
    """Walks the tree once with the scopes' names in mind."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.document = analysis.document
        self.codes = {code.node: code for code in _all_codes(analysis.module)}

    def run(self) -> Iterator[Fact]:
        yield from self.visit(self.document.tree, self.analysis.module, "value")

    def visit(self, node: ast.AST, code: object, context: str) -> Iterator[Fact]:
        if isinstance(node, ast.Name | ast.Attribute):
            yield from self.mention(node, code, context)
            if isinstance(node, ast.Attribute):
                yield from self.visit(node.value, code, "part")
            return
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if context == "annotation":
                yield from self.string(node, code)
            return
        for name, child in _children(node):
            inner = self.codes.get(node, code) if name == "body" else code
            yield from self.visit(child, inner, _context(node, name, child, context))

    def mention(self, node: ast.Name | ast.Attribute, code: object, context: str) -> Iterator[Fact]:
        if isinstance(node.ctx, ast.Store | ast.Del):
            return
        if isinstance(node, ast.Attribute) and node.attr == "unsafe_raw_array":
            yield Reference(node=node, confidence=Confidence.LIKELY, qualified="unsafe_raw_array", context=context)
            return
        qualified = self.qualified(node, code)
        if qualified is not None and _concerns(qualified, context):
            yield Reference(
                node=node,
                confidence=Confidence.CERTAIN,
                kind=KeyKind.RAW if qualified == "jax.random.PRNGKey" else KeyKind.UNKNOWN,
                qualified=qualified,
                context=context,
            )

    def string(self, node: ast.Constant, code: object) -> Iterator[Fact]:
        try:
            inner = ast.parse(str(node.value), mode="eval").body
        except SyntaxError:
            return
        if isinstance(inner, ast.Name | ast.Attribute):
            qualified = self.qualified(inner, code)
            if qualified is not None and _concerns(qualified, "annotation"):
                yield Reference(
                    node=node, confidence=Confidence.CERTAIN, qualified=qualified, context="string-annotation"
                )

    def qualified(self, node: ast.expr, code: object) -> str | None:
        """Return the qualified name that a dotted name stands for in a scope."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        scope = code
        while scope is not None:
            if node.id in scope.local_names:  # type: ignore[attr-defined]
                head = scope.imported.get(node.id)  # type: ignore[attr-defined]
                if head is None:
                    return None
                return self.analysis.library(".".join([head, *reversed(parts)])).qualified
            scope = scope.parent  # type: ignore[attr-defined]
        return None


def _concerns(qualified: str, context: str) -> bool:
    if context in ("annotation", "isinstance"):
        return qualified in TYPES
    if context == "part":
        return False
    return qualified in CONSTRUCTORS or qualified in REMOVED or (
        qualified in TYPES and qualified not in ("jax.random.key", "jax.dtypes.prng_key")
    )


def _children(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    for name, value in ast.iter_fields(node):
        if isinstance(value, ast.AST):
            yield name, value
        elif isinstance(value, list):
            for part in value:
                if isinstance(part, ast.AST):
                    yield name, part


def _context(node: ast.AST, field: str, child: ast.AST, outer: str) -> str:
    """Return what a child stands for: an annotation, the callee of a call, an ``isinstance`` class, or a value."""
    if field in ("annotation", "returns"):
        return "annotation"
    if isinstance(node, ast.Call):
        if field == "func":
            return "call"
        is_test = isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "issubclass")
        return "isinstance" if is_test and len(node.args) > 1 and child is node.args[1] else "value"
    if outer in ("annotation", "isinstance") and isinstance(
        node, ast.Subscript | ast.Tuple | ast.BinOp | ast.List | ast.Load | ast.BitOr
    ):
        return outer
    return "value"


def _all_codes(code: object) -> Iterator[object]:
    yield code
    for nested in code.nested:  # type: ignore[attr-defined]
        yield from _all_codes(nested)
