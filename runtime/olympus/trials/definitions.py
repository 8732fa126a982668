"""Execute the definitions in a source, and nothing else at the level of its module.

Definitions are functions, classes, constants, what functions of libraries make of these, and imports. The other
statements are left out, with all that they bind or may change: their names are absent.
"""

from __future__ import annotations
import __future__

import ast
import builtins
from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import Any

from olympus.trials.execution import Absent

CALLED = frozenset(
    {
        "abc", "collections", "contextlib", "contextvars", "copy", "dataclasses", "datetime", "decimal", "enum",
        "fractions", "functools", "hashlib", "itertools", "logging", "math", "numbers", "operator", "pathlib", "random",
        "re", "string", "textwrap", "threading", "time", "types", "typing", "uuid", "warnings", "zlib",
    }
)  # fmt: skip
"""Modules of Python whose functions give values and do nothing else."""
DOING = frozenset(
    {
        "__import__", "breakpoint", "compile", "delattr", "eval", "exec", "exit", "filter", "input", "map", "next",
        "open", "print", "quit", "setattr", "sorted",
    }
)  # fmt: skip
"""Builtins that do more than to give a value, or call what they are given."""
CONSTANT = frozenset({"builtins", "enum", "functools", "jax", "jaxlib", "types", "typing"})
"""The packages of classes whose objects no statement changes, but for containers."""
ACCESSORS = frozenset({"deleter", "getter", "register", "setter"})
"""Decorators that a function has as methods."""


def read(names: dict[str, Any], file: str, text: str, libraries: Collection[str], acting: Collection[str]) -> None:
    """Execute the definitions in a source.

    Args:
        names: the namespace of its module.
        file: its path.
        text: the source.
        libraries: the packages whose functions may be called for a value, besides some of Python.
        acting: those of them that may be called for what they do.

    Raises:
        SyntaxError: it is no Python of this version.
    """
    tree = ast.parse(text, file)
    reader = Reader(names, tree, CALLED.union(libraries), acting)
    for statement in tree.body:
        reader.take(statement, file)
    for node in ast.walk(tree):
        for each in node.names if isinstance(node, ast.Global) else ():
            reader.remove(each)  # a function may have assigned it before


class Reader:
    """Executes the definitions among the statements of a file.

    Attributes:
        names: the namespace of the module.
        own: the names of functions and classes of the file, and of what is made of them.
        called: the names of what may be called for a value: of libraries, and of what they gave.
        acting: the names of what may be called for what it does.
    """

    def __init__(
        self, names: dict[str, Any], tree: ast.Module, libraries: Collection[str], acting: Collection[str]
    ) -> None:
        self.names, self.libraries, self.of_acting = names, libraries, acting
        self.own = {node.name for node in ast.walk(tree) if isinstance(node, DEFINITIONS)}
        self.called: set[str] = set()
        self.acting: set[str] = set()

    def take(self, statement: ast.stmt, file: str) -> None:
        """Execute a statement if it is a definition; leave it out otherwise, and if that fails."""
        if isinstance(statement, ast.If) and ast.unparse(statement.test) in MAIN:
            return  # not executed by an import
        texts = __future__.annotations.compiler_flag
        first = texts if self.names.get("annotations") is __future__.annotations else 0
        for flags in dict.fromkeys((first, texts)) if self.is_definition(statement) else ():
            code = ast.Module([statement], [])  # annotations are texts if what they name is absent
            raised = Absent.raised
            with suppress(Exception, SystemExit, Absent):
                exec(compile(code, file, "exec", flags, dont_inherit=True), self.names)
                self.note(statement)
                return
            Absent.raised = raised  # nothing goes on without it
        self.leave_out(statement)

    def note(self, statement: ast.stmt) -> None:
        """Note what the names of a definition are: of the file, or of a library."""
        if isinstance(statement, ast.Import | ast.ImportFrom):
            above = getattr(statement, "module", None)
            for alias in statement.names:
                package = (above or alias.name).partition(".")[0]
                name = bound(alias)
                (self.called.add if package in self.libraries else self.called.discard)(name)
                (self.acting.add if package in self.of_acting else self.acting.discard)(name)
        elif isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            parts = list(ast.walk(statement.value))
            is_own = any(isinstance(each, ast.Lambda) or getattr(each, "id", None) in self.own for each in parts)
            stored = {each.id for each in ast.walk(statement) if isinstance(each, ast.Name) and is_stored(each)}
            (self.own if is_own else self.called).update(stored)

    def is_definition(self, node: ast.stmt) -> bool:
        """Return whether a statement executes no code of the file, and is there for nothing but its names."""
        match node:
            case ast.Import() | ast.ImportFrom() | ast.Pass() | ast.Expr(ast.Constant()):
                return True
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return self.is_decorated_plainly(node) and self.is_plain(node.args, node.returns)
            case ast.ClassDef():
                plain = self.is_plain(*node.bases, *node.keywords) and self.is_decorated_plainly(node)
                return plain and all(map(self.is_definition, node.body))
            case ast.Assign(targets=targets, value=value):
                return all(map(is_names, targets)) and self.is_plain(value)
            case ast.AnnAssign(target=target, annotation=annotation, value=value):
                return is_names(target) and self.is_plain(annotation, value)
            case ast.Expr(ast.Call() as call):
                return root_of(call) in self.acting and self.is_plain(call)
        return False

    def is_decorated_plainly(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
        """Return whether all decorators are of libraries."""
        for each in node.decorator_list:
            is_method = isinstance(each, ast.Attribute) and each.attr in ACCESSORS
            if not self.is_plain(each) or not (is_method or self.may_call(each)):
                return False
        return True

    def may_call(self, function: ast.expr) -> bool:
        """Return whether a function is none of the file, and gives a value."""
        root = root_of(function)
        if root is None or root in self.own:
            return False
        is_builtin = hasattr(builtins, root) and root not in self.names and root not in DOING
        return not root or root in self.called or is_builtin

    def is_plain(self, *nodes: ast.AST | None) -> bool:
        """Return whether expressions call nothing of the file."""
        waiting = list(nodes)
        while waiting:
            node = waiting.pop()
            if node is None:
                continue
            if isinstance(node, ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr):
                return False
            if isinstance(node, ast.Call) and (isinstance(node.func, ast.Call) or not self.may_call(node.func)):
                return False
            waiting += [node.args] if isinstance(node, ast.Lambda) else ast.iter_child_nodes(node)
        return True

    def leave_out(self, statement: ast.stmt) -> None:
        """Remove what a statement binds, and what it may change: all that may change, if it calls a function."""
        nodes = list(outside_of_functions(statement))
        for node in nodes:
            match node:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    self.remove(name)
                case ast.alias(name="*"):
                    for each in [each for each in self.names if not each.startswith("__")]:
                        self.remove(each)
                case ast.alias():
                    self.remove(bound(node))
                case ast.Name() if not isinstance(node.ctx, ast.Load) or may_change(self.names.get(node.id)):
                    self.remove(node.id)
                case ast.Attribute() | ast.Subscript() if not isinstance(node.ctx, ast.Load):
                    self.remove(root_of(node))
                case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[changed, *_]):
                    self.remove(root_of(changed))
        if any(isinstance(node, ast.Call) and root_of(node) in self.own for node in nodes):
            for name in [each for each, value in self.names.items() if may_change(value) and not each.startswith("__")]:
                self.remove(name)

    def remove(self, name: str | None) -> None:
        """Let a name be absent."""
        self.names.pop(name or "", None)


DEFINITIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
MAIN = ("__name__ == '__main__'", "'__main__' == __name__")


def outside_of_functions(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the nodes of a statement that are executed with it."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        yield node
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                waiting += [*node.decorator_list, node.args]
            case ast.Lambda():
                waiting.append(node.args)
            case _:
                waiting += ast.iter_child_nodes(node)


def root_of(node: ast.expr) -> str | None:
    """Return the name at the beginning of an expression, an empty one for a constant, ``None`` for anything else."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else "" if isinstance(node, ast.Constant) else None


def bound(alias: ast.alias) -> str:
    """Return the name that an import binds."""
    return alias.asname or alias.name.partition(".")[0]


def is_stored(node: ast.AST) -> bool:
    """Return whether a node is a name that is assigned."""
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def is_names(target: ast.expr) -> bool:
    """Return whether a target of an assignment has names only."""
    if isinstance(target, ast.Tuple | ast.List):
        return all(map(is_names, target.elts))
    return isinstance(target, ast.Name)


def may_change(value: Any) -> bool:
    """Return whether a statement may change a value that it is given."""
    if isinstance(value, type | tuple):
        return False
    package = type(value).__module__.partition(".")[0]
    return isinstance(value, list | dict | set | bytearray) or package not in CONSTANT
