"""Lowering of what binds names: the targets of assignments, and the patterns of ``match``."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from olympus_rules.code import instructions as ir
from olympus_rules.code.names import dotted_name
from olympus_rules.code.scope import Scope


def assign(scope: Scope, target: ast.expr, src: int) -> None:
    """Bind a target to a value."""
    if isinstance(target, ast.Name):
        scope.out.append(ir.Store(scope.bind(target.id), src, target, scope.missing.get(target.id, "")))
    elif isinstance(target, ast.Tuple | ast.List):
        star = next((i for i, part in enumerate(target.elts) if isinstance(part, ast.Starred)), None)
        dsts = [scope.register() for _ in target.elts]
        scope.out.append(ir.Unpack(dsts, src, star, target))
        for part, dst in zip(target.elts, dsts, strict=True):
            assign(scope, part.value if isinstance(part, ast.Starred) else part, dst)
    elif isinstance(target, ast.Attribute):
        fills = scope.missing.get(dotted_name(target), "") if scope.missing else ""
        scope.out.append(ir.SetAttribute(scope.expr(target.value), target.attr, src, target, fills))
    elif isinstance(target, ast.Subscript):
        name = scope.rename(target.value.id) if isinstance(target.value, ast.Name) else None
        obj, index = scope.expr(target.value), scope.expr(target.slice)
        scope.out.append(ir.SetItem(obj, index, src, target, name))


def pattern_test(scope: Scope, pattern: ast.pattern, subject: int) -> int:
    """Emit the condition under which a value matches a pattern, and return its register."""
    dst = scope.register()
    if isinstance(pattern, ast.MatchValue):
        return scope.put(ir.Binary(dst, "Eq", [subject, scope.expr(pattern.value)], pattern))
    if isinstance(pattern, ast.MatchSingleton):
        constant = scope.put(ir.Constant(scope.register(), pattern.value, pattern))
        return scope.put(ir.Binary(dst, "Is", [subject, constant], pattern))
    if isinstance(pattern, ast.MatchOr):
        return scope.put(ir.Boolean(dst, "or", [pattern_test(scope, part, subject) for part in pattern.patterns]))
    if isinstance(pattern, ast.MatchAs) and pattern.pattern is not None:
        return pattern_test(scope, pattern.pattern, subject)
    if isinstance(pattern, ast.MatchClass) and not (pattern.patterns or pattern.kwd_patterns):
        return scope.put(ir.Binary(dst, "isinstance", [subject, scope.expr(pattern.cls)], pattern))
    return scope.put(ir.Binary(dst, "match", [subject], pattern))


def capture(scope: Scope, pattern: ast.pattern, subject: int) -> None:
    """Bind the names of a pattern: to the value, or to parts of it."""
    if isinstance(pattern, ast.MatchAs):
        if pattern.pattern is not None:
            capture(scope, pattern.pattern, subject)
        _store(scope, pattern.name, subject, pattern)
    elif isinstance(pattern, ast.MatchSequence):
        dsts = [scope.register() for _ in pattern.patterns]
        stars = [number for number, part in enumerate(pattern.patterns) if isinstance(part, ast.MatchStar)]
        scope.out.append(ir.Unpack(dsts, subject, stars[0] if stars else None, pattern))
        for part, dst in zip(pattern.patterns, dsts, strict=True):
            capture(scope, part, dst)
    elif isinstance(pattern, ast.MatchStar):
        _store(scope, pattern.name, subject, pattern)
    elif isinstance(pattern, ast.MatchOr) and _captures(pattern):
        _capture_one(scope, pattern.patterns, subject)
    elif isinstance(pattern, ast.MatchMapping | ast.MatchClass):
        for part, what in _parts_of(pattern):
            if _captures(part):
                capture(scope, part, scope.binary(part, [subject], f"match {what}"))
        if isinstance(pattern, ast.MatchMapping) and pattern.rest is not None:
            _store(scope, pattern.rest, scope.binary(pattern, [subject], "match rest"), pattern)


def _store(scope: Scope, name: str | None, src: int, pattern: ast.pattern) -> None:
    if name is not None:
        scope.out.append(ir.Store(scope.bind(name), src, pattern))


def _capture_one(scope: Scope, patterns: Sequence[ast.pattern], subject: int) -> None:
    """Bind the names of the first pattern that matches; the last one matches if no other does."""
    arms = []
    for pattern in patterns[:-1]:
        test = scope.computed(pattern_test, scope, pattern, subject)
        arms.append((*test, scope.within(capture, scope, pattern, subject)))
    scope.out.append(ir.Branch(arms, scope.within(capture, scope, patterns[-1], subject)))


def _parts_of(pattern: ast.MatchMapping | ast.MatchClass) -> Iterator[tuple[ast.pattern, str]]:
    """Yield the parts of a pattern, each with what it matches: an item, an attribute or a position, and its name."""
    if isinstance(pattern, ast.MatchMapping):
        for key, part in zip(pattern.keys, pattern.patterns, strict=True):
            name = key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ""
            yield part, f"item {name}"
    else:
        for position, part in enumerate(pattern.patterns):
            yield part, f"position {position}"
        for name, part in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
            yield part, f"attribute {name}"


def _captures(pattern: ast.pattern) -> bool:
    """Return whether a pattern binds a name."""
    return any(getattr(part, "name", None) or getattr(part, "rest", None) for part in ast.walk(pattern))


def irrefutable(pattern: ast.pattern) -> bool:
    """Return whether a pattern matches every value."""
    return isinstance(pattern, ast.MatchAs) and (pattern.pattern is None or irrefutable(pattern.pattern))
