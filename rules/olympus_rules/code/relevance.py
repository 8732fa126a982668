"""Selects the functions of a file that may concern keys, judged by their text.

Most functions of a file with keys do not use any. A function is left out if its text has none of the words below,
no local name for anything in ``jax.random``, and no name of a selected function. Callees of selected functions are
still followed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection

from olympus_rules.code.instructions import ClassCode, FunctionCode
from olympus_rules.syntax import Document
from olympus_rules.syntax.document import first_line
from olympus_rules.syntax.project import in_project

__all__ = ["mentioning", "relevant"]

WORDS = ("random", "rng", "split", "seed", "initializer")
# Evidence by name alone gives only a finding of the lowest confidence.
NAMES = ("key",)
IDENTIFIER = re.compile(r"\w+")
ROUNDS = 3  # helpers of helpers of helpers


def relevant(
    document: Document,
    module: FunctionCode,
    callables: Collection[str],
    arrays: Collection[str] = (),
    *,
    by_name: bool,
) -> list[FunctionCode]:
    """Return the module-level functions, methods included, that are worth interpreting on their own.

    Args:
        document: the file.
        module: its lowered module.
        callables: the module's variables that hold functions (``noise = lambda key: …``, ``step = jax.jit(…)``).
        arrays: names that concern objects with ``__jax_array__``.
        by_name: whether to include functions in which a key's name is the only evidence of a key.
    """
    # a star import may bind any name of jax.random
    words = WORDS + NAMES if by_name or module.stars else WORDS
    names = {*callables, *(name for name, qualified in module.imported.items() if "random" in qualified)}
    neighbours = {name for name, qualified in module.imported.items() if in_project(document.roots, qualified)}
    found: list[FunctionCode] = []
    rest: list[tuple[FunctionCode, set[str]]] = []
    defaults: dict[ClassCode | None, set[str]] = {None: set()}
    for code in module.nested:
        text = _text(document, code)
        lower = text.lower()
        if any(word in lower for word in words):
            found.append(code)
        else:
            mentioned = set(IDENTIFIER.findall(text))
            mentioned |= _bases(code)
            names_a_key = any(name in lower for name in NAMES)
            if names_a_key and code.owner not in defaults:
                defaults[code.owner] = _defaults(code)
            if names_a_key and not (mentioned.isdisjoint(neighbours) and defaults[code.owner].isdisjoint(names)):
                found.append(code)  # a name from another module may be a re-export of jax.random
            else:
                rest.append((code, mentioned))
    found, rest = _with_siblings(document, found, rest)
    if arrays:
        found, rest = _of_arrays(document, found, rest, arrays)
    names.update(_called_as(code) for code in found)
    for _ in range(ROUNDS):
        fresh = [code for code, mentioned in rest if not mentioned.isdisjoint(names)]
        if not fresh:
            break
        rest = [(code, mentioned) for code, mentioned in rest if mentioned.isdisjoint(names)]
        names = {_called_as(code) for code in fresh}
        found += fresh
    return found


def _with_siblings(
    document: Document, found: list[FunctionCode], rest: list[tuple[FunctionCode, set[str]]]
) -> tuple[list[FunctionCode], list[tuple[FunctionCode, set[str]]]]:
    """Add the methods that mention a key, if another method of their class was selected."""
    classes = {code.owner for code in found if code.owner is not None}
    siblings = {
        code
        for code, _ in rest
        if code.owner in classes and any(name in _text(document, code).lower() for name in NAMES)
    }
    return found + [code for code, _ in rest if code in siblings], [pair for pair in rest if pair[0] not in siblings]


def _of_arrays(
    document: Document,
    found: list[FunctionCode],
    rest: list[tuple[FunctionCode, set[str]]],
    arrays: Collection[str],
) -> tuple[list[FunctionCode], list[tuple[FunctionCode, set[str]]]]:
    """Add the functions that mention array classes, and all methods of these and of classes that hold their objects."""
    methods = [(code, set(IDENTIFIER.findall(_text(document, code)))) for code in found if code.owner is not None]
    owners = {code.owner for code, mentioned in (*rest, *methods) if not mentioned.isdisjoint(arrays)} - {None}
    concerned = {
        code
        for code, mentioned in rest
        if not mentioned.isdisjoint(arrays)
        or (code.owner is not None and (code.owner in owners or code.owner.name in arrays))
    }
    return found + [code for code, _ in rest if code in concerned], [pair for pair in rest if pair[0] not in concerned]


def mentioning(document: Document, module: FunctionCode, names: Collection[str]) -> list[FunctionCode]:
    """Return the module-level functions whose text calls one of these names, or an attribute of one."""
    called = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})(?:\.\w+)*\(")
    return [code for code in module.nested if not code.yields and called.search(_text(document, code))]


def _called_as(code: FunctionCode) -> str:
    """Return the name by which other functions of the file call this function."""
    return code.name.rpartition(".")[2]


def _bases(code: FunctionCode) -> set[str]:
    """Return the names in the bases of a method's class: methods called on the object may be theirs."""
    bases = code.owner.node.bases if code.owner is not None else []
    return {part.id for base in bases for part in ast.walk(base) if isinstance(part, ast.Name)}


def _defaults(code: FunctionCode) -> set[str]:
    """Return the names in the values that the body of a method's class binds to attributes, which methods may call."""
    body = code.owner.node.body if code.owner is not None else []
    values = [each.value for each in body if isinstance(each, ast.AnnAssign | ast.Assign) and each.value is not None]
    return {part.id for value in values for part in ast.walk(value) if isinstance(part, ast.Name)}


def _text(document: Document, code: FunctionCode) -> str:
    node = code.node
    start = first_line(node)  # type: ignore[arg-type]
    return "".join(document.lines[start - 1 : getattr(node, "end_lineno", start)])
