"""Callers of a function: the functions of its file and of other files of its project that mention its name."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from olympus.witness.execution import Target, is_there, module_name

NEAR = 3  # functions of the same file that are executed
FAR = 3  # of other files
OPENED = 8  # other files that are parsed for them
FILES = 2_000  # of a project that are searched
LARGEST = 400_000  # bytes of one of them
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
MARKERS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")
LEFT_OUT = frozenset({"__pycache__", "build", "dist", "node_modules", "site-packages", "venv"})


def callers(target: Target, tree: ast.Module) -> Iterator[Target]:
    """Return the possible callers of a function, such as a loop or a test with known arguments; the module among them.

    Args:
        target: the function; module-level code has no callers.
        tree: its file.
    """
    if not target.function:
        return
    *owners, name = target.function.split(".")
    for qualified in referring(tree, name, target.function)[:NEAR]:
        yield replace(target, function=qualified)
    if any(name in names_in(node) for node in tree.body if not isinstance(node, DEFINITIONS)):
        yield replace(target, function="")
    found = 0
    for file, text in elsewhere(target, [name, *owners[-1:]]):
        try:
            other = ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        wanted = owners[-1] if owners and name.startswith("__") else name
        for qualified in outer(other, wanted):
            yield replace(
                target,
                file=str(file),
                text=text,
                module=module_name(file, target.folders),
                function=qualified,
                claimed=frozenset(),
            )
            found += 1
            if found == FAR:
                return


def referring(tree: ast.Module, name: str, itself: str) -> list[str]:
    """Return the functions and methods of a file that mention a name."""
    return [qualified for qualified, node in functions(tree.body, "") if qualified != itself and name in names_in(node)]


def names_in(tree: ast.AST) -> set[str]:
    """Return the names and attributes in a part of a file."""
    return {getattr(node, "attr", "") or getattr(node, "id", "") for node in ast.walk(tree)}


def outer(tree: ast.Module, name: str) -> list[str]:
    """Return the functions of another file that mention a name; for a helper of tests, the tests that use it."""
    found: dict[str, None] = {}
    for qualified in referring(tree, name, ""):
        short = qualified.rpartition(".")[2]
        around = [] if short.startswith("test") else referring(tree, short, qualified)
        found.update(dict.fromkeys([each for each in around if "test" in each.rpartition(".")[2]] or [qualified]))
    return list(found)


def functions(body: Sequence[ast.stmt], prefix: str) -> Iterator[tuple[str, ast.AST]]:
    """Return the functions and methods of a file, without nested functions."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from functions(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{prefix}{node.name}", node


def elsewhere(target: Target, words: Sequence[str]) -> list[tuple[Path, str]]:
    """Return a few other files of the project that mention a function: tests first, as they give all arguments.

    Args:
        target: the function.
        words: its name, and that of its class.
    """
    if not is_there(Path(target.file)):  # a text of its own, such as a test has: nothing around it is its project
        return []
    files = project(target.file, target.module, target.folders)
    heads = [f"{kind} {word}{end}".encode() for word in words for kind in ("def", "class") for end in "(:"]
    wanted = [word.encode() for word in words if not word.startswith("__")]
    if sum(any(head in content for head in heads) for _, content in files) > 1:  # others have that name, too
        wanted += [part.encode() for part in target.module.split(".")[-2:]]
    has = [
        (file, content)
        for file, content in files
        if str(file) != target.file and all(word in content for word in wanted)
    ]
    own = Path(target.file)
    has.sort(key=lambda pair: rank(own, *pair))
    return [(file, content.decode("utf-8", "replace")) for file, content in has[:OPENED]]


def rank(own: Path, file: Path, content: bytes) -> tuple[bool, bool, int, int]:
    """Return the rank of a file: nearby tests that are named after the target come first."""
    shared = sum(a == b for a, b in zip(own.parts, file.parts, strict=False))
    return "test" not in file.name, own.stem not in file.stem, -shared, len(content)


@lru_cache(maxsize=1)
def project(file: str, module: str, folders: tuple[Path, ...]) -> list[tuple[Path, bytes]]:
    """Return the files of a project that mention JAX."""
    marked = [folder for folder in folders if any(is_there(folder / marker) for marker in MARKERS)]
    outermost = Path(file).parents[module.count(".")] if module.count(".") < len(Path(file).parents) else Path(file)
    found: list[tuple[Path, bytes]] = []
    for folder, inner, names in os.walk(marked[0] if marked else outermost):
        inner[:] = sorted(name for name in inner if not name.startswith(".") and name not in LEFT_OUT)
        for name in sorted(names):
            if name.endswith(".py") and len(found) < FILES:
                found += read(Path(folder, name))
    return found


def read(file: Path) -> list[tuple[Path, bytes]]:
    """Return a file with its content; nothing for a very large file or one without JAX."""
    try:
        content = file.read_bytes() if file.stat().st_size <= LARGEST else b""
    except OSError:
        return []
    return [(file, content)] if b"jax" in content else []
