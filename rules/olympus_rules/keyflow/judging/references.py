"""Mentions of the names that the migration to typed keys concerns, found by name without interpretation."""

from __future__ import annotations

import ast
import bisect
import itertools
import re
from collections.abc import Iterator
from typing import TypeGuard

from olympus_rules.code.instructions import FunctionCode
from olympus_rules.code.names import dotted_name
from olympus_rules.finding import Confidence
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.domain.values import Library
from olympus_rules.keyflow.facts import Construction, Fact, KeyKind, Reference
from olympus_rules.libraries.names import (
    ANNOTATED,
    KEY,
    KEY_DTYPE,
    KEY_TYPES,
    LITERALS,
    PRNG_KEY,
    RANDOM,
    REMOVED_MAKERS,
    TYPE_ARGUMENTS,
    TYPING,
)
from olympus_rules.syntax.document import first_line

CONSTRUCTORS = frozenset({PRNG_KEY})
PRESENT = frozenset({KEY, KEY_DTYPE})
GONE = REMOVED_MAKERS | (KEY_TYPES - CONSTRUCTORS - PRESENT)
"""Names that JAX has removed or made private."""
NAMES = frozenset({PRNG_KEY.rpartition(".")[2]})
BY_NAME = frozenset(
    {"attrgetter", "delattr", "getattr", "methodcaller", "object", "patch", "setattr", "setitem", "spy", "stub"}
)
"""Functions, by last name, that read or replace an attribute by its name."""
GENERICS = frozenset({"dict", "frozenset", "list", "set", "tuple", "type"})
LAST_NAMES = {name.rpartition(".")[2] for name in CONSTRUCTORS | KEY_TYPES | REMOVED_MAKERS} | {"unsafe_raw_array"}
CALLED = ("PRNGKey", "random.key")
SPELLINGS = (*sorted(LAST_NAMES - {"key"}), "random.key", ": key", "-> key")


def references(file: File, obstacles: dict[ast.expr, tuple[str, ...]] | None) -> Iterator[Fact]:
    """Return a reference for each mention of a constructor, a removed helper, or a key type.

    Args:
        file: the tables of the file.
        obstacles: why a typed key may break something, for each call of a constructor; ``None`` if constructors
            are not asked for.
    """
    rows = _rows_of_interest(file, calls=obstacles is not None)
    if rows:
        yield from _Scan(file, rows, obstacles or {}).run()


def _rows_of_interest(file: File, *, calls: bool) -> list[int]:
    """Return the rows that hold one of the names, or a local name that an import gives to one of them.

    Without ``calls``, a direct call of a constructor does not count: most mentions are such calls.
    """
    text = file.document.text
    aliases = (
        name
        for name, qualified in file.document.imports.names.items()
        if qualified.rpartition(".")[2] in LAST_NAMES and name not in LAST_NAMES
    )
    found: list[int] = []
    for word in (*SPELLINGS, *aliases):
        start = text.find(word)
        while start >= 0:
            end = start + len(word)
            if calls or word not in CALLED or text[end : end + 1] != "(":
                found.append(start)
            start = text.find(word, end)
    if not found:
        return []
    starts = list(itertools.accumulate((len(line) for line in file.document.lines), initial=0))
    return sorted({bisect.bisect_right(starts, place) for place in found})


class _Scan:
    """Walks the parts of the tree that hold rows of interest, and tracks the names of scopes."""

    def __init__(self, file: File, rows: list[int], obstacles: dict[ast.expr, tuple[str, ...]]) -> None:
        self.file = file
        self.document = file.document
        self.rows = rows
        self.obstacles = obstacles
        self.nested: dict[FunctionCode, dict[ast.AST, FunctionCode]] = {}

    def run(self) -> Iterator[Fact]:
        yield from self.visit(self.document.tree, self.file.module, "value")

    def holds_rows(self, node: ast.AST) -> bool:
        """Return whether a statement holds a row of interest; other nodes are not worth the test."""
        if not isinstance(node, ast.stmt):
            return True
        index = bisect.bisect_left(self.rows, first_line(node))
        return index < len(self.rows) and self.rows[index] <= (node.end_lineno or node.lineno)

    def visit(self, node: ast.AST, code: FunctionCode, context: str) -> Iterator[Fact]:
        if isinstance(node, ast.Name | ast.Attribute):
            yield from self.mention(node, code, context)
            if isinstance(node, ast.Attribute):
                yield from self.visit(node.value, code, "part")
            return
        if isinstance(node, ast.ImportFrom):
            yield from self.imported(node, code)
            return
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if context == "annotation":
                yield from self.string(node, code)
            elif self.is_name(node, node.value):
                yield self.named(node)
            return
        if isinstance(node, ast.keyword) and node.arg in NAMES:
            call = self.document.parents.get(node)
            if isinstance(call, ast.Call) and dotted_name(call.func).endswith(("patch.dict", "patch.multiple")):
                yield self.named(node.value)
        if not self.holds_rows(node):
            return
        if isinstance(node, ast.If | ast.IfExp | ast.Try) and asks_for_names(node):
            return  # code for several releases of JAX
        scope = self.scope(node, code)
        for name, child in _children(node):
            if isinstance(child, ast.expr_context):
                continue
            inner = scope if name == "body" else code
            yield from self.visit(child, inner, self.context(node, name, child, context, code))

    def context(self, node: ast.AST, field: str, child: ast.AST, outer: str, code: FunctionCode) -> str:
        """Return the context of a child: a type, the callee of a call, an ``isinstance`` class, or a value."""
        if field in ("annotation", "returns"):
            return "annotation"
        if isinstance(node, ast.Call):
            return self.call_context(node, field, child, code)
        if isinstance(node, ast.Subscript):
            return self.subscript_context(node, field, outer, code)
        if field == "value" and isinstance(node, ast.Assign | ast.AnnAssign):
            return self.assigned_context(node, code)
        if outer == "annotation" and isinstance(node, ast.Tuple | ast.List | ast.BinOp):
            metadata = isinstance(node, ast.Tuple) and child is not node.elts[0] and self.is_annotated(node, code)
            return "value" if metadata else outer
        if outer == "isinstance" and isinstance(node, ast.Tuple | ast.BinOp):
            return outer
        return "annotation" if field == "value" and type(node).__name__ == "TypeAlias" else "value"

    def assigned_context(self, node: ast.Assign | ast.AnnAssign, code: FunctionCode) -> str:
        """Return the context of the assigned value: an alias of a type, or a value."""
        if isinstance(node, ast.AnnAssign):
            declared = (self.qualified(node.annotation, code) or "").rpartition(".")[2] == "TypeAlias"
            return "annotation" if declared else "value"
        target = node.targets[0]
        if isinstance(target, ast.Name) and len(node.targets) == 1 and self.names_a_type(node, target.id, code):
            return "annotation" if target.id.startswith("_") else "alias"
        return "value"

    def call_context(self, node: ast.Call, field: str, child: ast.AST, code: FunctionCode) -> str:
        """Return the context of a part of a call."""
        if field == "func":
            return "call"
        if isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "issubclass"):
            return "isinstance" if len(node.args) > 1 and child is node.args[1] else "value"
        if dotted_name(node.func).rpartition(".")[2] in ("cast", "NewType", "assert_type"):
            place = TYPE_ARGUMENTS.get(self.qualified(node.func, code) or "")
            if place is not None and len(node.args) > place and child is node.args[place]:
                return "annotation"
        return "value"

    def subscript_context(self, node: ast.Subscript, field: str, outer: str, code: FunctionCode) -> str:
        """Return the context of a part of ``generic[…]``; the subscript of an unknown name is a value."""
        if field != "slice":
            return outer if outer == "annotation" else "value"
        if isinstance(node.value, ast.Name) and node.value.id in GENERICS:
            return "annotation"
        qualified = self.qualified(node.value, code) or ""
        if qualified in LITERALS or qualified.startswith("jaxtyping."):
            return "value"
        if qualified in ANNOTATED and not isinstance(node.slice, ast.Tuple):
            return "value"
        return "annotation" if qualified.startswith(TYPING) or outer == "annotation" else "value"

    def is_annotated(self, node: ast.Tuple, code: FunctionCode) -> bool:
        """Return whether a tuple is the subscript of ``Annotated[…]``."""
        around = self.document.parents.get(node)
        return isinstance(around, ast.Subscript) and self.qualified(around.value, code) in ANNOTATED

    def names_a_type(self, node: ast.Assign, name: str, code: FunctionCode) -> bool:
        """Return whether a variable is an alias of the constructor that only annotations in the file use."""
        if not isinstance(node.value, ast.Name | ast.Attribute) or code.kind != "module":
            return False
        if self.qualified(node.value, code) not in CONSTRUCTORS:
            return False
        parts = [part for top in ast.walk(self.document.tree) for part in _annotations(top)]
        typed = {id(part) for annotation in parts for part in ast.walk(annotation)}
        uses = [
            use
            for use in ast.walk(self.document.tree)
            if isinstance(use, ast.Name) and use.id == name and isinstance(use.ctx, ast.Load)
        ]
        return bool(uses) and all(id(use) in typed for use in uses)

    def scope(self, node: ast.AST, code: FunctionCode) -> FunctionCode:
        """Return the scope of a node's body."""
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return code
        if code not in self.nested:
            code.lower()
            self.nested[code] = {inner.node: inner for inner in code.nested}
        inner = self.nested[code].get(node, code)
        inner.lower()
        return inner

    def mention(self, node: ast.Name | ast.Attribute, code: FunctionCode, context: str) -> Iterator[Fact]:
        if isinstance(node.ctx, ast.Store | ast.Del):
            if isinstance(node, ast.Attribute) and self.qualified(node, code) in CONSTRUCTORS:
                yield self.named(node)
            return
        if isinstance(node, ast.Attribute) and node.attr in NAMES and gives_module(node.value):
            yield self.named(node)
            return
        if isinstance(node, ast.Attribute) and node.attr == "unsafe_raw_array":
            yield Reference(node=node, confidence=Confidence.LIKELY, qualified="unsafe_raw_array", context=context)
            return
        qualified = self.qualified(node, code)
        if qualified is not None and _concerns(qualified, context):
            kind = Construction if qualified in CONSTRUCTORS and context in ("call", "value") else Reference
            yield kind(
                node=node,
                confidence=Confidence.CERTAIN,
                kind=KeyKind.RAW if qualified == PRNG_KEY else KeyKind.UNKNOWN,
                qualified=qualified,
                context=context,
                reachable=self.reachable(node, qualified, context),
            )

    def is_name(self, node: ast.Constant, text: str) -> bool:
        """Return whether a string names the constructor in code that reads or replaces an attribute by its name."""
        if text.rpartition(".")[2] not in NAMES:
            return False
        user = self.document.parents.get(node)
        if isinstance(user, ast.keyword):
            user = self.document.parents.get(user)
        if isinstance(user, ast.Subscript):
            return ast.unparse(user.value).endswith("__dict__") or ast.unparse(user.value).startswith("vars(")
        if isinstance(user, ast.Assign) and isinstance(user.targets[0], ast.Name):
            calls = (call for call in ast.walk(self.document.tree) if takes_name(call))
            return any(argument.id == user.targets[0].id for call in calls
                       for argument in call.args if isinstance(argument, ast.Name))  # fmt: skip
        return takes_name(user)

    def named(self, node: ast.expr) -> Reference:
        """Return a reference to the constructor by its name."""
        return Construction(
            node=node, confidence=Confidence.LIKELY, kind=KeyKind.RAW, qualified=PRNG_KEY, context="name"
        )

    def imported(self, node: ast.ImportFrom, code: FunctionCode) -> Iterator[Fact]:
        """Return the imports of names that are no longer read, unless the file says that they are for other files."""
        lines = self.document.lines[node.lineno - 1 : node.end_lineno]
        if any("noqa" in line.partition("#")[2] for line in lines):
            return
        for alias in node.names:
            name = alias.asname or alias.name
            known = code.imported.get(name)
            qualified = "" if known is None else self.origin(self.file.linker.names.library(known).qualified)
            exported = "__all__" in code.local_names or alias.asname == alias.name or self.document.is_package
            if qualified in CONSTRUCTORS | GONE and not self.is_read(name, node) and not exported:
                kind = Construction if qualified in CONSTRUCTORS else Reference
                yield kind(node=alias, confidence=Confidence.CERTAIN, qualified=qualified, context="import")

    def is_read(self, name: str, node: ast.ImportFrom) -> bool:
        """Return whether a name occurs anywhere else in the file."""
        found = re.finditer(rf"\b{re.escape(name)}\b", self.document.text)
        rows = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        return any(self.document.text.count("\n", 0, match.start()) + 1 not in rows for match in found)

    def reachable(self, node: ast.expr, qualified: str, context: str) -> tuple[str, ...]:
        """Return the obstacles to typed keys from this constructor."""
        if qualified not in CONSTRUCTORS or context not in ("call", "value"):
            return ()
        return self.obstacles.get(node, ("it is handed on as a function",))

    def string(self, node: ast.Constant, code: FunctionCode) -> Iterator[Fact]:
        """Return the mentions in an annotation that is a string, or a part of one."""
        try:
            inner = ast.parse(str(node.value), mode="eval").body
        except (SyntaxError, ValueError):
            return
        for qualified in dict.fromkeys(self.types_in(inner, code)):
            yield Reference(node=node, confidence=Confidence.CERTAIN, qualified=qualified, context="string-annotation")

    def types_in(self, node: ast.AST, code: FunctionCode) -> Iterator[str]:
        """Return the names that concern the migration in an annotation whose nodes have no place in the file."""
        if isinstance(node, ast.Name | ast.Attribute):
            qualified = self.qualified(node, code)
            if qualified is not None and _concerns(qualified, "annotation"):
                yield qualified
            return
        for name, child in _children(node):
            if not isinstance(node, ast.Subscript) or self.subscript_context(node, name, "annotation", code) != "value":
                yield from self.types_in(child, code)

    def qualified(self, node: ast.expr, code: FunctionCode) -> str | None:
        """Return the qualified name that a dotted name stands for in a scope."""
        written, names = dotted_name(node), self.file.linker.names
        if "?" in written:
            return None
        if code.binder(written.partition(".")[0]) is not None:
            known = code.imported_name(node)
            return None if known is None else self.origin(names.library(known).qualified)
        for star in self.file.module.stars:
            qualified = self.origin(names.library(f"{star}.{written}").qualified)
            if qualified in CONSTRUCTORS | KEY_TYPES | REMOVED_MAKERS:
                return qualified
        return None

    def origin(self, qualified: str) -> str:
        """Return the name of a constructor under JAX that another file of the project imports and this one from it."""
        if qualified in CONSTRUCTORS or qualified.rpartition(".")[2] not in NAMES:
            return qualified
        found = self.file.linker.lookups.outside(qualified, concerned=True)
        return found.qualified if isinstance(found, Library) else qualified


def takes_name(call: ast.AST | None) -> TypeGuard[ast.Call]:
    """Return whether a call reads or replaces an attribute by its name."""
    return isinstance(call, ast.Call) and dotted_name(call.func).rpartition(".")[2] in BY_NAME


def gives_module(node: ast.expr) -> bool:
    """Return whether an expression finds the module of the constructors by its name."""
    match node:
        case ast.Call(func=function, args=[ast.Constant(value=name), *_]):
            return name == RANDOM and dotted_name(function).rpartition(".")[2] in ("import_module", "__import__")
        case ast.Subscript(value=modules, slice=ast.Constant(value=name)):
            return name == RANDOM and dotted_name(modules) == "sys.modules"
    return False


def asks_for_names(node: ast.If | ast.IfExp | ast.Try) -> bool:
    """Return whether code runs only if JAX has one of the names, or provides for its absence."""
    if isinstance(node, ast.Try):
        caught = {
            name.id
            for handler in node.handlers
            if handler.type
            for name in ast.walk(handler.type)
            if isinstance(name, ast.Name)
        }
        return bool(caught & {"AttributeError", "ImportError", "ModuleNotFoundError"})
    return any(
        isinstance(part, ast.Call)
        and isinstance(part.func, ast.Name)
        and part.func.id == "hasattr"
        and any(isinstance(arg, ast.Constant) and arg.value in LAST_NAMES for arg in part.args)
        for part in ast.walk(node.test)
    )


def _concerns(qualified: str, context: str) -> bool:
    if context in ("annotation", "isinstance", "alias"):
        return qualified in KEY_TYPES
    if context == "part":
        return False
    return (
        qualified in CONSTRUCTORS
        or qualified in REMOVED_MAKERS
        or (qualified in KEY_TYPES and qualified not in PRESENT)
    )


def _children(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    for name, value in ast.iter_fields(node):
        if isinstance(value, ast.AST):
            yield name, value
        elif isinstance(value, list):
            for part in value:
                if isinstance(part, ast.AST):
                    yield name, part


def _annotations(node: ast.AST) -> Iterator[ast.AST]:
    """Return the annotations that a node has of its own."""
    for name in ("annotation", "returns"):
        annotation = getattr(node, name, None)
        if isinstance(annotation, ast.AST):
            yield annotation
