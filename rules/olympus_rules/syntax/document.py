"""One source file: its text, its ``ast``, its imports, and LibCST fragments of it on demand."""

from __future__ import annotations

import ast
import bisect
from collections.abc import Iterator
from functools import cached_property, lru_cache
from operator import attrgetter
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING

from olympus_rules.syntax.imports import DEFAULT_ROOTS, ImportTable, import_statements
from olympus_rules.syntax.stubs import ATTACHES, attached_stub
from olympus_rules.syntax.text import Text, decode

if TYPE_CHECKING:
    from olympus_rules.syntax.fragment import Fragment

CHILDLESS = frozenset({int, str, NoneType, ast.Load, ast.Store, ast.Del})  # the classes of most values in a tree
MAX_DEPTH = 200  # of a tree for LibCST, whose parser is lost between 450 and 520 operators in a row


def _link(parents: dict[ast.AST, ast.AST], top: ast.stmt) -> list[ast.stmt]:
    """Note the parent of each node of a statement but those in its inner statements, and return these by line."""
    inner: list[ast.stmt] = []
    waiting: list[ast.AST] = [top]
    while waiting:
        node = waiting.pop()
        for value in node.__dict__.values():  # ``ast.walk`` would take three times as long
            class_ = value.__class__
            if class_ in CHILDLESS:
                continue
            for child in value if class_ is list else (value,):
                if isinstance(child, ast.stmt):
                    parents[child] = node
                    inner.append(child)
                elif isinstance(child, ast.AST):
                    parents[child] = node
                    waiting.append(child)
    return sorted(inner, key=attrgetter("lineno"))


def every_node(top: ast.AST) -> list[ast.AST]:
    """Return a node and all below it but the contexts of names, in half of the time of ``ast.walk``."""
    found = [top]
    for node in found:
        found += children(node)
    return found


@lru_cache(maxsize=2)  # the questions about one function come one after the other
def nodes_in(scope: ast.AST) -> tuple[ast.AST, ...]:
    """Return a function or module and all nodes below it but the contexts of names."""
    return tuple(every_node(scope))


def children(node: ast.AST) -> list[ast.AST]:
    """Return the nodes right below a node but the contexts of names, in half of the time of ``ast``'s own function."""
    found: list[ast.AST] = []
    for value in node.__dict__.values():
        class_ = value.__class__
        if class_ in CHILDLESS:
            continue
        if class_ is list:
            found += [child for child in value if isinstance(child, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


class Parents:
    """The parent of each node, found for one statement when it is first asked for."""

    def __init__(self, tree: ast.Module) -> None:
        """Start with the statements of the module; those in one of them are known when it was looked into."""
        self._tree = tree
        self._parents: dict[ast.AST, ast.AST] = dict.fromkeys(tree.body, tree)
        self._statements = [*tree.body]
        self._starts = [first_line(statement) for statement in tree.body]
        self._done: set[ast.stmt] = set()

    def get(self, node: ast.AST) -> ast.AST | None:
        """Return the parent of a node, ``None`` for the module and for nodes of another tree."""
        found = self._parents.get(node)
        line = getattr(node, "lineno", None) if found is None else None
        while line is not None and found is None and (index := self._waiting_at(line)) is not None:
            statement = self._statements[index]
            inner = _link(self._parents, statement)
            self._done.add(statement)
            self._statements[index + 1 : index + 1] = inner
            self._starts[index + 1 : index + 1] = map(first_line, inner)
            found = self._parents.get(node)
        return found

    def _waiting_at(self, line: int) -> int | None:
        """Return the place of the innermost statement on a line that was not looked into; several may share a line."""
        for index in reversed(range(bisect.bisect_right(self._starts, line))):
            statement = self._statements[index]
            if (statement.end_lineno or statement.lineno) < line:
                if self._parents[statement] is self._tree:
                    return None
            elif statement not in self._done:
                return index
        return None

    def __getitem__(self, node: ast.AST) -> ast.AST:
        """Return the parent of a node.

        Raises:
            KeyError: it has none.
        """
        found = self.get(node)
        if found is None:
            raise KeyError(node)
        return found


class Document(Text):
    """A parsed source file.

    Attributes:
        filename: the path as the user gave it; it stands in findings.
        text: the decoded text with its own line endings; a byte order mark is not part of it.
        tree: the ``ast`` module.
        module: the dotted module name, empty when the file is not part of a package.
        is_package: whether the file is an ``__init__``.
        roots: the folders in which absolute imports of the project are looked for; none are followed without them.
        path: the absolute path, empty for a text that is no file.
        namespaces: the names under which the JAX namespace may be imported (the setting ``library-roots``).
        read_elsewhere: the names that other files read from this one, as far as they were looked for.
    """

    def __init__(
        self,
        filename: str,
        text: str,
        *,
        module: str = "",
        is_package: bool = False,
        roots: tuple[Path, ...] = (),
        path: str = "",
    ) -> None:
        """Parse the text; ``module``, ``is_package`` and ``roots`` are those of its location.

        Raises:
            SyntaxError: the text is not Python.
            ValueError: the text holds a null byte.
            RecursionError, MemoryError: the text nests too deeply for the parser.
        """
        self.filename = filename
        self.text = text
        self.module = module
        self.is_package = is_package
        self.roots = roots
        self.path = path
        self.namespaces: tuple[str, ...] = DEFAULT_ROOTS
        self.read_elsewhere: frozenset[str] = frozenset()
        self.tree = ast.parse(text, filename)

    def let_go(self) -> None:
        """Free the tree and all that hangs on it."""
        self.tree = ast.Module([], [])
        for name in ("parents", "lines", "_fragments", "_statements", "_deep", "attached"):
            self.__dict__.pop(name, None)

    @cached_property
    def imports(self) -> ImportTable:
        """Return the qualified names that module-level imports bind."""
        return ImportTable.from_module(self.tree, module=self.module, is_package=self.is_package)

    @cached_property
    def attached(self) -> list[ast.Import | ast.ImportFrom]:
        """Return the imports of the stub beside a package that ``lazy_loader.attach_stub`` makes the package's own."""
        try:
            stub = ast.parse(decode(attached_stub(self.path, attaches=ATTACHES in self.text)))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return []
        return list(import_statements(stub.body))

    @cached_property
    def parents(self) -> Parents:
        """Return the parent of every node."""
        return Parents(self.tree)

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield what is around a node, from its parent to the module."""
        parent = self.parents.get(node)
        while parent is not None:
            yield parent
            parent = self.parents.get(parent)

    def statement(self, node: ast.AST) -> ast.stmt:
        """Return the innermost statement that holds a node.

        Raises:
            KeyError: the node is not part of this document.
        """
        passed: list[ast.AST] = []
        while not isinstance(node, ast.stmt) and node not in self._statements:
            passed.append(node)
            node = self.parents[node]
        found = node if isinstance(node, ast.stmt) else self._statements[node]
        self._statements.update(dict.fromkeys(passed, found))
        return found

    @cached_property
    def _statements(self) -> dict[ast.AST, ast.stmt]:
        return {}

    @cached_property
    def _fragments(self) -> dict[tuple[int, int], Fragment | None]:
        return {}

    def fragment(self, node: ast.AST) -> Fragment | None:
        """Return the LibCST tree of the smallest piece of whole lines that holds a node and parses alone.

        Whole files are parsed only when nothing smaller will do: LibCST costs fourteen times the C parser.

        Returns:
            The tree, or ``None`` where there is none, or one so deep that LibCST would find no end.
        """
        current: ast.AST | None = node
        while current is not None:
            if isinstance(current, ast.stmt):
                if self.is_deep(current):
                    return None
                header = self._header(current, node)
                found = header or self._parsed(first_line(current), current.end_lineno or current.lineno)
                if found is not None:
                    return found
            current = self.parents.get(current)
        return None if self.is_deep(self.tree) else self._parsed(1, len(self.lines))

    @cached_property
    def _deep(self) -> dict[ast.AST, bool]:
        return {}

    def is_deep(self, node: ast.AST) -> bool:
        """Return whether a tree is deeper than LibCST's parser can be trusted with."""
        if node not in self._deep:
            level, depth = [node], 0
            while level and depth < MAX_DEPTH:
                depth += 1
                level = [child for parent in level for child in ast.iter_child_nodes(parent)]
            self._deep[node] = bool(level)
        return self._deep[node]

    def _header(self, statement: ast.stmt, node: ast.AST) -> Fragment | None:
        """Return the header of a compound statement with an empty body, when the node lies in it."""
        body: list[ast.stmt] = getattr(statement, "body", [])
        if not body or (getattr(node, "end_lineno", None) or 0) >= first_line(body[0]):
            return None
        line = self.lines[body[0].lineno - 1]
        return self._parsed(first_line(statement), first_line(body[0]) - 1, f"{line[: body[0].col_offset]}pass\n")

    def _parsed(self, first: int, last: int, body: str = "") -> Fragment | None:
        from olympus_rules.syntax.fragment import parse_fragment

        if (first, last) not in self._fragments:
            self._fragments[first, last] = parse_fragment(self, first, last, body)
        return self._fragments[first, last]


def first_line(statement: ast.stmt) -> int:
    """Return the line a statement starts on, its decorators included."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min(decorator.lineno for decorator in decorators) if decorators else statement.lineno
