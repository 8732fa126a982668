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
from olympus_rules.syntax.document import every_node, first_line
from olympus_rules.syntax.project import in_project

WORDS = ("random", "rng", "split", "seed", "initializer")
# Evidence by name alone gives only a finding of the lowest confidence.
NAMES = ("key",)
IDENTIFIER = re.compile(r"\w+")
ROUNDS = 3  # helpers of helpers of helpers


def names_keys(code: FunctionCode) -> bool:
    """Return whether a variable or an attribute in a function is named after what makes keys, or like one."""
    names = {getattr(node, "id", getattr(node, "attr", "")).lower() for node in every_node(code.node)}
    return any(word in name for name in names for word in WORDS + NAMES)


class Texts:
    """The texts of a file's functions, and the identifiers in them; several questions look at each.

    Attributes:
        document: the file.
    """

    def __init__(self, document: Document) -> None:
        """Read nothing yet."""
        self.document = document
        self._texts: dict[FunctionCode, str] = {}
        self._mentioned: dict[FunctionCode, set[str]] = {}

    def text(self, code: FunctionCode) -> str:
        """Return the lines of a function."""
        if code not in self._texts:
            start = first_line(code.node)  # type: ignore[arg-type]
            lines = self.document.lines[start - 1 : getattr(code.node, "end_lineno", start)]
            self._texts[code] = "".join(lines)
        return self._texts[code]

    def mentioned(self, code: FunctionCode) -> set[str]:
        """Return the identifiers in a function."""
        if code not in self._mentioned:
            self._mentioned[code] = set(IDENTIFIER.findall(self.text(code)))
        return self._mentioned[code]


def relevant(
    texts: Texts,
    module: FunctionCode,
    callables: Collection[str],
    arrays: Collection[str] = (),
    *,
    by_name: bool,
) -> list[FunctionCode]:
    """Return the module-level functions, methods included, that are worth interpreting on their own.

    Args:
        texts: those of the file's functions.
        module: its lowered module.
        callables: the module's variables that hold functions (``noise = lambda key: …``, ``step = jax.jit(…)``).
        arrays: names that concern objects with ``__jax_array__``.
        by_name: whether to include functions in which a key's name is the only evidence of a key.
    """
    # a star import may bind any name of jax.random
    words = WORDS + NAMES if by_name or module.stars else WORDS
    names = {*callables, *(name for name, qualified in module.imported.items() if "random" in qualified)}
    neighbours = {name for name, qualified in module.imported.items() if in_project(texts.document.roots, qualified)}
    found: list[FunctionCode] = []
    rest: list[tuple[FunctionCode, set[str]]] = []
    defaults: dict[ClassCode | None, set[str]] = {None: set()}
    for code in module.nested:
        lower = texts.text(code).lower()
        if any(map(lower.__contains__, words)):
            found.append(code)
        else:
            mentioned = texts.mentioned(code) | _bases(code)
            names_a_key = any(name in lower for name in NAMES)
            if names_a_key and code.owner not in defaults:
                defaults[code.owner] = _defaults(code)
            if names_a_key and not (mentioned.isdisjoint(neighbours) and defaults[code.owner].isdisjoint(names)):
                found.append(code)  # a name from another module may be a re-export of jax.random
            else:
                rest.append((code, mentioned))
    found, rest = _with_siblings(texts, found, rest)
    if arrays:
        found, rest = _of_arrays(texts, found, rest, arrays)
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
    texts: Texts, found: list[FunctionCode], rest: list[tuple[FunctionCode, set[str]]]
) -> tuple[list[FunctionCode], list[tuple[FunctionCode, set[str]]]]:
    """Add the methods that mention a key, if another method of their class was selected."""
    classes = {code.owner for code in found if code.owner is not None}
    siblings = {
        code for code, _ in rest if code.owner in classes and any(name in texts.text(code).lower() for name in NAMES)
    }
    return found + [code for code, _ in rest if code in siblings], [pair for pair in rest if pair[0] not in siblings]


def _of_arrays(
    texts: Texts,
    found: list[FunctionCode],
    rest: list[tuple[FunctionCode, set[str]]],
    arrays: Collection[str],
) -> tuple[list[FunctionCode], list[tuple[FunctionCode, set[str]]]]:
    """Add the functions that mention array classes, and all methods of these and of classes that hold their objects."""
    methods = [(code, texts.mentioned(code)) for code in found if code.owner is not None]
    owners = {code.owner for code, mentioned in (*rest, *methods) if not mentioned.isdisjoint(arrays)} - {None}
    concerned = {
        code
        for code, mentioned in rest
        if not mentioned.isdisjoint(arrays)
        or (code.owner is not None and (code.owner in owners or code.owner.name in arrays))
    }
    return found + [code for code, _ in rest if code in concerned], [pair for pair in rest if pair[0] not in concerned]


def constructors(module: FunctionCode, selected: Collection[FunctionCode]) -> set[FunctionCode]:
    """Return the constructors of classes with a selected method, or one that takes a key, that may turn a draw off.

    They do so with a rate, which is 0 by default.
    """
    methods = [code for code in module.nested if any(name in NAMES for name in code.parameters)]
    classes = {code.owner for code in (*methods, *selected) if code.owner is not None}
    found = (class_.methods.get("__init__") for class_ in classes)
    return {code for code in found if code is not None and any(map(code.is_rate, code.parameters))}


def mentioning(texts: Texts, module: FunctionCode, names: Collection[str]) -> list[FunctionCode]:
    """Return the module-level functions whose text calls one of these names, or an attribute of one."""
    called = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})(?:\.\w+)*\(")
    return [code for code in module.nested if not code.yields and called.search(texts.text(code))]


def _called_as(code: FunctionCode) -> str:
    """Return the name by which other functions of the file call this function."""
    return code.name.rpartition(".")[2]


def _bases(code: FunctionCode) -> set[str]:
    """Return the names in the bases of a method's class: methods called on the object may be theirs."""
    bases = code.owner.node.bases if code.owner is not None else []
    return {part.id for base in bases for part in every_node(base) if isinstance(part, ast.Name)}


def _defaults(code: FunctionCode) -> set[str]:
    """Return the names in the values that the body of a method's class binds to attributes, which methods may call."""
    body = code.owner.node.body if code.owner is not None else []
    values = [each.value for each in body if isinstance(each, ast.AnnAssign | ast.Assign) and each.value is not None]
    return {part.id for value in values for part in every_node(value) if isinstance(part, ast.Name)}
