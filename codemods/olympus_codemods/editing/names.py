"""The spelling of a library name at a place, and the names that are still free there."""

from __future__ import annotations

import ast
from functools import lru_cache
from itertools import count

from olympus_codemods.editing import imports
from olympus_codemods.editing.scopes import (
    COMPREHENSIONS,
    Scope,
    bound_elsewhere,
    bound_names,
    enclosing_scopes,
    identifiers,
    own_imports,
    own_nodes,
    words,
)
from olympus_rules.finding import Edit
from olympus_rules.libraries.names import JAXTYPING, NUMPY, RANDOM, under_jax
from olympus_rules.syntax import Document
from olympus_rules.syntax.imports import bindings, import_statements


def dotted(node: ast.AST | None) -> str:
    """Return ``a.b.c`` for a chain of attributes on a name, the empty string for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


class Names:
    """The names at one place of a document, and the imports that a rewrite there needs.

    Ask for all spellings first, then for :meth:`edits`.

    Attributes:
        visible: the qualified names of the imported names that can be used here.
        taken: the names that the rewrite binds, in order.
    """

    def __init__(self, document: Document, at: ast.AST, *, for_checkers: bool = False) -> None:
        """Collect the imports and scopes around a node.

        Args:
            document: the file.
            at: the node.
            for_checkers: whether the node is never evaluated, so that imports for type checkers count.
        """
        self._document = document
        self._scopes = enclosing_scopes(document, at)
        self._for_checkers = for_checkers
        self.visible = self._imported_names()
        looping = comprehension_targets(document, at)
        self._rebound = self._names_of_others() | looping
        for name in looping | assigned_anew(self._scopes[0]):
            self.visible.pop(name, None)
        self.taken: dict[str, None] = {}
        self._lines: list[str] = []
        self._extended: dict[ast.ImportFrom, list[str]] = {}

    def _imported_names(self) -> dict[str, str]:
        """Return the names that imports bind at run time, except those that an inner scope rebinds."""
        document = self._document
        names = starred(document) | dict(document.imports.names)
        self._imported_inside: set[str] = set()
        if not self._for_checkers:
            for name in names_for_checkers(document):
                names.pop(name, None)
        for scope in self._scopes[1:]:
            self._imported_inside -= bound_names(scope)
            for name in bound_names(scope):
                names.pop(name, None)
            for node in own_imports(scope):
                found = dict(bindings(node, module=document.module, is_package=document.is_package))
                names |= found
                self._imported_inside |= found.keys() - bound_elsewhere(scope)
        return names

    def _names_of_others(self) -> frozenset[str]:
        """Return the names with another meaning than the one that an import at the module's level gives them."""
        imported = {name for node in own_imports(self._scopes[0]) for name, _ in bindings(node)}
        names = set(bound_elsewhere(self._scopes[0])) & imported
        for scope in self._scopes[1:]:
            names |= bound_names(scope)
        return frozenset(names)

    def resolve(self, node: ast.AST | None) -> str:
        """Return the qualified name of an expression under ``jax``, empty if it may have another meaning."""
        head, dot, rest = dotted(node).partition(".")
        if head in self._rebound and head not in self._imported_inside:
            return ""
        qualified = self.visible.get(head) or self._document.imports.names.get(head, "")
        return self._under_jax(f"{qualified}{dot}{rest}") if qualified else ""

    def _under_jax(self, qualified: str) -> str:
        return under_jax(qualified, self._document.namespaces)

    @property
    def at_module_level(self) -> bool:
        """Return whether a name that is bound here is one of the module."""
        return len(self._scopes) == 1

    def is_free(self, name: str) -> bool:
        """Return whether the outermost function does not mention a name, and the module binds none like it."""
        is_known = name in self.taken or name in words(self._document, self._outermost)
        return not is_known and name not in bound_names(self._scopes[0])

    def take(self, name: str) -> None:
        """Note that the rewrite binds a name, which is no longer free."""
        self.taken[name] = None

    def is_unbound(self, name: str) -> bool:
        """Return whether a name is free, or mentioned as that of a parameter of what is called only."""
        is_known = name in self.taken or name in identifiers(self._outermost)
        return not is_known and name not in bound_names(self._scopes[0])

    @property
    def _outermost(self) -> Scope:
        return self._scopes[1] if len(self._scopes) > 1 else self._scopes[0]

    def fresh(self, base: str) -> str:
        """Return ``base``, or ``base_1``, ``base_2`` …, the first name that is free."""
        return next(name for n in count() if self.is_free(name := f"{base}_{n}" if n else base))

    def spell(self, qualified: str, near: ast.AST | None = None) -> str | None:
        """Return the spelling of a name under ``jax``, and request an import if the file has none.

        Args:
            qualified: for example ``jax.random.split``.
            near: the expression whose spelling to follow: beside ``jr.normal`` it is ``jr.split``. Beside a bare name,
                a bare name is imported.

        Returns:
            The spelling, or ``None`` if every one is shadowed.
        """
        module, _, name = qualified.rpartition(".")
        return (
            self._beside(near, module, name)
            or next((local for local, full in self.visible.items() if self._under_jax(full) == qualified), None)
            or (self._extend(module, name) if isinstance(near, ast.Name) else None)
            or self._through(module, name)
            or self._extend(module, name)
            or self._import(module, name)
        )

    def _beside(self, near: ast.AST | None, module: str, name: str) -> str | None:
        for part in ast.walk(near) if near is not None else ():
            if isinstance(part, ast.Attribute) and self.resolve(part.value) == module:
                return f"{dotted(part.value)}.{name}"
        return None

    def _through(self, module: str, name: str) -> str | None:
        """Spell a name through the module or, failing that, through a package around it."""
        path = name
        while module:
            for local, full in self.visible.items():
                if self._under_jax(full) == module:
                    return f"{local}.{path}"
            module, _, last = module.rpartition(".")
            path = f"{last}.{path}"
        return None

    def _extend(self, module: str, name: str) -> str | None:
        taken = name in self._document.text and name in identifiers(self._document.tree)
        if module not in (RANDOM, JAXTYPING) or taken:
            return None
        for statement in self._document.tree.body:
            if not isinstance(statement, ast.ImportFrom) or self._under_jax(statement.module or "") != module:
                continue
            if statement.names[0].name == "*":
                continue
            if imports.change_names(self._document, statement, add=[name]):
                self._extended.setdefault(statement, []).append(name)
                self.visible[name] = f"{module}.{name}"
                return name
        return None

    def _import(self, module: str, name: str) -> str | None:
        if module.partition(".")[0] != "jax":
            return None
        local, full, line = "jax", "jax", "import jax"
        if module == NUMPY:
            local, full, line = "jnp", NUMPY, "import jax.numpy as jnp"
        taken_inside = any(local in bound_names(scope) for scope in self._scopes[1:])
        imported = self._document.imports.names.get(local)
        if taken_inside or (imported != full and local in bound_names(self._scopes[0])):
            return None
        self._lines.append(line)
        self.visible[local] = full
        return self._through(module, name)

    def kept(self, spelled: str) -> list[Edit]:
        """Return an edit that writes the import of a spelled name as it is.

        A fix that takes the name out of its import in the same run has to wait for the next one, in which it sees the
        new use.
        """
        for statement in self._document.tree.body:
            if isinstance(statement, ast.ImportFrom) and any(
                (alias.asname or alias.name) == spelled for alias in statement.names
            ):
                return [Edit(self._document.span(statement), self._document.segment(statement))]
        return []

    def edits(self, leaving: tuple[ast.ImportFrom, str] | None = None) -> list[Edit | None]:
        """Return the edits of import statements that the spellings need.

        Args:
            leaving: an import statement and the name that it loses at the same time.
        """
        document = self._document
        edits: list[Edit | None] = []
        lines = self._lines
        changed = dict.fromkeys([*self._extended, *([leaving[0]] if leaving else [])])
        for statement in changed:
            lost = [leaving[1]] if leaving and leaving[0] is statement else []
            edit = imports.change_names(document, statement, self._extended.get(statement, ()), lost)
            if edit is None and lines and statement not in document.tree.body:
                edit = imports.delete_statement(document, statement, lines)
                lines = lines if edit is None else []
            edit = edit or imports.delete_statement(document, statement)
            edits += [edit] if edit or not lost else []
        if not lines:
            return edits
        block = checkers_block(document) if self._for_checkers else None
        added = imports.add_lines(document, lines) if block is None else imports.add_to_block(document, block, lines)
        return [*edits, added]


def comprehension_targets(document: Document, at: ast.AST) -> frozenset[str]:
    """Return the names that the comprehensions around a node bind."""
    return frozenset(
        part.id
        for node in (at, *document.around(at))
        if isinstance(node, COMPREHENSIONS)
        for loop in node.generators
        for part in ast.walk(loop.target)
        if isinstance(part, ast.Name)
    )


@lru_cache(maxsize=8)
def starred(document: Document) -> dict[str, str]:
    """Return ``jax`` if a file reads it and nothing binds it but ``from x import *``."""
    tree = document.tree
    has_star = any(alias.name == "*" for node in own_imports(tree) for alias in node.names)
    if not has_star or "jax" in bound_names(tree):
        return {}
    is_read = any(isinstance(node, ast.Name) and node.id == "jax" for node in ast.walk(tree))
    return {"jax": "jax"} if is_read else {}


@lru_cache(maxsize=8)
def assigned_anew(module: Scope) -> frozenset[str]:
    """Return the imported names that a module gives another value; ``None`` stands for a failed import."""
    imported = {name for node in own_imports(module) for name, _ in bindings(node)}
    return frozenset(
        target.id
        for node in own_nodes(module)
        if isinstance(node, ast.Assign) and not (isinstance(node.value, ast.Constant) and node.value.value is None)
        for target in node.targets
        if isinstance(target, ast.Name) and target.id in imported
    )


def checkers_block(document: Document) -> ast.If | None:
    """Return the module's block ``if TYPE_CHECKING``, the last one of several."""
    tests = (statement for statement in reversed(document.tree.body) if isinstance(statement, ast.If))
    return next((test for test in tests if dotted(test.test).endswith("TYPE_CHECKING")), None)


def names_for_checkers(document: Document) -> dict[str, str]:
    """Return the names that imports bind for type checkers alone."""
    names: dict[str, str] = {}
    for statement in document.tree.body:
        if isinstance(statement, ast.If) and dotted(statement.test).endswith("TYPE_CHECKING"):
            for inner in import_statements(statement.body):
                names |= dict(bindings(inner, module=document.module, is_package=document.is_package))
    return names
