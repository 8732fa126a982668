"""Which qualified name a name stands for, read from import statements.

LibCST's own provider for this costs five times its parse; a module's imports are a dictionary.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from olympus_rules.syntax.project import Location

DEFAULT_ROOTS = ("jax", "olympus")
"""The names under which the JAX namespace may be imported, if no setting says otherwise."""

# a pattern that begins with a fixed byte is looked for several times as fast as one that begins with a place
_IMPORT = re.compile(rb"\n[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]*(\([^)]*\)|[^\n#(]*)|import[ \t]+(.*))")
_NAME = re.compile(rb"([A-Za-z_]\w*|\*)(?:\s+as\s+([A-Za-z_]\w*))?")
_COMMENT = re.compile(rb"#[^\n]*")


@dataclass(frozen=True, slots=True)
class ImportTable:
    """The names that the imports of a module bind, at any depth outside functions and classes.

    Attributes:
        names: local name to qualified name (``jr`` to ``jax.random``); what star imports bind is not among them.
    """

    names: dict[str, str]

    @classmethod
    def from_module(cls, tree: ast.Module, *, module: str = "", is_package: bool = False) -> ImportTable:
        """Read the imports of a module body, those under ``if``, ``try`` and ``with`` included.

        Args:
            tree: the parsed module.
            module: its dotted name, against which relative imports are resolved.
            is_package: whether the file is an ``__init__``.
        """
        names: dict[str, str] = {}
        for statement in import_statements(tree.body):
            for name, qualified in bindings(statement, module=module, is_package=is_package):
                if name != "*":
                    names.setdefault(name, qualified)
        return cls(names)

    def resolve(self, dotted: str) -> str | None:
        """Return the qualified name of a dotted name as written, ``None`` when no import binds its head."""
        head, _, rest = dotted.partition(".")
        base = self.names.get(head)
        if base is None:
            return None
        return f"{base}.{rest}" if rest else base


def import_statements(body: Iterable[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    """Return the import statements of a body, looking into ``if``, ``try`` and ``with`` but not into scopes."""
    for statement in body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            yield statement
        elif isinstance(statement, ast.If | ast.Try | ast.With | ast.For | ast.While):
            for field in ("body", "handlers", "orelse", "finalbody"):
                for part in getattr(statement, field, ()):
                    yield from import_statements(part.body if isinstance(part, ast.ExceptHandler) else [part])


def absolute_name(name: str, dots: int, module: str, is_package: bool) -> str:
    """Return the absolute name of a module that an import statement of another one writes after some dots."""
    if not dots:
        return name
    parts = module.split(".") if module else []
    return ".".join([*parts[: len(parts) - (dots - is_package)], *filter(None, [name])])


def imports_in(data: bytes, place: Location) -> Iterator[tuple[str, str]]:
    """Return (local name, qualified name) for each import, by the text alone: some may stand in a string.

    It is ``("*", module)`` for star imports; ``import a.b`` binds ``a`` and gives ``("", "a.b")`` as well.
    """
    for source, names, plain in _IMPORT.findall(b"\n" + data):
        if plain:
            for part in _COMMENT.sub(b"", plain).decode(errors="replace").split(","):
                words = part.split()
                if len(words) == 3:
                    yield words[2], words[0]
                elif words:
                    head = words[0].partition(".")[0]
                    yield head, head
                    if head != words[0]:
                        yield "", words[0]
            continue
        written = source.decode()
        name = written.lstrip(".")
        base = absolute_name(name, len(written) - len(name), place.module, place.is_package)
        if base:
            for imported, alias in _NAME.findall(_COMMENT.sub(b"", names)):
                if imported == b"*":
                    yield "*", base
                else:
                    yield (alias or imported).decode(), f"{base}.{imported.decode()}"


def bindings(
    statement: ast.Import | ast.ImportFrom, *, module: str = "", is_package: bool = False
) -> Iterator[tuple[str, str]]:
    """Return (local name, qualified name) for each name that an import statement binds.

    ``import a.b`` binds ``a``; ``from m import *`` gives ``("*", "m")``.
    """
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            if alias.asname:
                yield alias.asname, alias.name
            else:
                head = alias.name.partition(".")[0]
                yield head, head
        return
    base = absolute_name(statement.module or "", statement.level, module, is_package) or "." * statement.level
    for alias in statement.names:
        if alias.name == "*":
            yield "*", base
        else:
            yield alias.asname or alias.name, f"{base}.{alias.name}"
