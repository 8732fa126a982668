"""Detects keys that are no longer used as keys: in numpy, files, text, comparisons, collectives.

``[[conversions]]`` in the packs lists the arguments that may be keys, and the effect on a typed key.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from olympus_rules.code.names import dotted_name
from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain.access import leaves, map_leaves
from olympus_rules.keyflow.domain.arguments import Arguments, parts
from olympus_rules.keyflow.domain.needs import Need
from olympus_rules.keyflow.domain.paths import both
from olympus_rules.keyflow.domain.places import span_of
from olympus_rules.keyflow.domain.state import State
from olympus_rules.keyflow.domain.terms import WORDS, Term
from olympus_rules.keyflow.domain.values import Choice, Const, Library, Map, Metadata, Sequence, Value
from olympus_rules.keyflow.facts import Fact, KeyKind
from olympus_rules.keyflow.notes.axes import HANDLERS
from olympus_rules.keyflow.notes.layout import ARITHMETIC_METHODS
from olympus_rules.keyflow.notes.pending import (
    dtype_fact,
    is_stored,
    is_used_as_key,
    note,
    passes_by,
    passes_value,
    spelled,
)
from olympus_rules.libraries import Conversion, Model
from olympus_rules.libraries.model import Form
from olympus_rules.libraries.names import (
    CHOICE,
    DTYPE_TESTS,
    FITTING,
    METADATA,
    METHODS_OF_NUMBERS,
    PURE_MODULES,
    RANDOM,
    STR,
    STREAMS,
)

MANY = 32  # leaves of a tree that are checked

METHODS = frozenset({"item", "tobytes", "tolist"})
"""Methods of an array that return its words to Python: the result is no array."""
ROWS = frozenset({"writerow", "writerows"})
"""Methods of the writers of ``csv``."""
COMPARISONS = frozenset({"Eq", "Gt", "GtE", "Lt", "LtE", "NotEq"})
WHOLE = {"Eq": "all", "NotEq": "any"}  # the same for words and for keys


def converted(flow: State, row: Conversion, qualified: str, arguments: Arguments, result: Value) -> Value:
    """Check a call of a function with a conversion in a pack, and return its result."""
    node = arguments.node or flow.site
    if row.form == "dtype" or qualified == STR:
        _dtype(flow, qualified, arguments)
    if row.form == "dtype":
        return result
    found = list(_selected(flow, row, arguments))
    if row.form in ("cast", "numpy"):
        found = [pair for pair in found if not _is_read_back(flow, pair[0], casts=_casts(arguments))]
    if row.form == "cast" and not _casts(arguments):
        return result
    if node is None or not found:
        return result
    if row.form == "elementwise" and row.effect == "differs" and _as_a_whole(flow, qualified, node):
        return result
    if row.form == "zeros" and (_is_filler(flow, node) or _is_of_numbers(qualified, arguments)):
        return result
    if row.form == "fill" and not any(_is_number(value) for value in _pair(arguments)):
        return result
    effect, before, form = row.effect, row.before, row.form
    if form == "text" and _is_for_people(flow, node):
        form = "print"
    if form == "print" and _is_written(arguments):
        form = "text"
    if qualified == CHOICE and arguments.get(3, "replace") in (None, Const(True)):
        before = (0, 8, 3)
    if row.form in ("numpy", "cast", "device_get"):
        result = _words(flow, result)
    _note(flow, _Use(form, _known_as(arguments, qualified), node, effect, before), found, result)
    return result


def mapped(flow: State, arguments: Arguments) -> None:
    """Detect a function with a conversion that is mapped over the leaves of what holds keys, as the project shows."""
    function, node = arguments.first, arguments.node
    row = flow.file.table.get(function.qualified).conversion if isinstance(function, Library) else None
    if row is None or row.effect != "fails" or node is None or not isinstance(function, Library):
        return
    held = [(flow.terms.fresh("object"), each) for each in node.args[1:] if span_of(each) in flow.file.places.holders]
    if held:
        _note(flow, _Use(row.form, function.qualified, node, row.effect, row.before), list(held), Const(None))


def _is_written(arguments: Arguments) -> bool:
    """Return whether ``print`` writes to a file or buffer, which may be read again, and not to a terminal."""
    file = next((value for name, value in arguments.keywords if name == "file"), None)
    is_stream = isinstance(file, Library) and file.qualified in STREAMS
    return file is not None and file != Const(None) and not is_stream


def _is_of_numbers(qualified: str, arguments: Arguments) -> bool:
    """Return whether an array shaped like a key is made with its own dtype."""
    dtype = arguments.get(2 if qualified.endswith("full_like") else 1, "dtype")
    return dtype not in (None, Const(None)) and not isinstance(dtype, Metadata)


def _is_read_back(flow: State, term: Term, *, casts: bool) -> bool:
    """Return whether a term is a part of what a function outside JAX returned, such as ``json.loads(text)["key"]``.

    Where a dtype is asked for, that may be any function out of sight.
    """
    terms = flow.terms
    while terms.operation(term) in ("item", "slice", "attr") and terms.args(term):
        term = terms.args(term)[0]
    if terms.operation(term) == "fresh" and term not in flow.knowledge.origins:
        return casts and not terms.kind(term)
    if terms.operation(term) != "op":
        return False
    data = terms.data(term)
    name = str(data[0] if isinstance(data, tuple) else data)
    return "." in name and not name.startswith(OWN)


OWN = (RANDOM.partition(".")[0], *PURE_MODULES)
INTEGERS = frozenset(["integer", "number", "uint32", "unsignedinteger"])


def _dtype(flow: State, qualified: str, arguments: Arguments) -> None:
    """Detect ``np.issubdtype(key.dtype, …)`` and other functions that take the dtype of numbers."""
    for value in arguments.values():
        if not isinstance(value, Metadata) or value.what != "dtype" or arguments.node is None:
            continue
        if _is_added(flow, arguments.node, value.subject):
            continue
        form = "name" if qualified == STR else "numpy"
        if qualified in DTYPE_TESTS:
            kind = arguments.get(1, "arg2")
            if not isinstance(kind, Library) or kind.qualified.rpartition(".")[2] not in INTEGERS:
                continue  # a key is no floating-point number, raw or typed
            form = "integer"
        dtype_fact(flow, value, form, arguments.node)


def _is_added(flow: State, node: ast.AST, subject: ast.expr) -> bool:
    """Return whether the code computes ``key + jnp.arange(n, dtype=key.dtype)``: then the sum is the mistake."""
    around = flow.file.document.parents.get(node)
    while isinstance(around, ast.Subscript):
        around = flow.file.document.parents.get(around)
    key = spelled(subject)
    return isinstance(around, ast.BinOp) and key != "" and key in (spelled(around.left), spelled(around.right))


def _words(flow: State, result: Value) -> Value:
    """Return a NumPy array of keys' words: consumers treat it as the same keys, but reading its words is no fact."""
    knowledge = flow.knowledge

    def words(term: Term) -> Value:
        return knowledge.view(WORDS, term, knowledge.rank(term)) if knowledge.is_candidate(term) else term

    return map_leaves(result, words)


def _known_as(arguments: Arguments, qualified: str) -> str:
    node = arguments.node
    qualified = qualified.removeprefix("builtins.")
    return ast.unparse(node.func) if node is not None and isinstance(node.func, ast.Name | ast.Attribute) else qualified


def _pair(arguments: Arguments) -> Iterator[Value | None]:
    yield from (arguments.get(1, "x"), arguments.get(2, "y"))


def _is_filler(flow: State, node: ast.AST) -> bool:
    """Return whether an expression is the value that ``where`` substitutes for unwanted keys."""
    around = flow.file.document.parents.get(node)
    return isinstance(around, ast.Call) and isinstance(around.func, ast.Attribute) and around.func.attr == "where"


def _is_number(value: Value | None) -> bool:
    return isinstance(value, Const) and isinstance(value.value, int | float)


def _casts(arguments: Arguments) -> bool:
    """Return whether ``jnp.asarray`` gets a dtype that is not the dtype of an existing array."""
    dtype = arguments.get(1, "dtype")
    return dtype is not None and dtype != Const(None) and not isinstance(dtype, Metadata)


Found = tuple[Term, ast.expr | None]


def _selected(flow: State, row: Conversion, arguments: Arguments) -> Iterator[Found]:
    """Return the terms in the relevant arguments, each with its own expression if it has one."""
    node = arguments.node
    starred = any(is_starred for _, is_starred in arguments.positional)
    nodes = node.args if node is not None and len(node.args) == len(arguments.positional) else []
    for place in row.places:
        if place >= len(arguments.positional) or starred:
            break
        yield from _leaves(flow, arguments.positional[place][0], nodes[place] if nodes else None)
    for each in node.args if node is not None and starred else ():
        if isinstance(each, ast.Starred) and span_of(each.value) in flow.file.places.holders:
            yield flow.terms.fresh("object"), each.value
    for name, value in arguments.keywords:
        expression = None
        if node is not None:
            expression = next((keyword.value for keyword in node.keywords if keyword.arg == name), None)
        is_held = name is None and expression is not None and span_of(expression) in flow.file.places.holders
        if name in row.names or (row.names == ("*",) and (name is not None or is_held)):
            yield from _leaves(flow, value, expression)


def _leaves(flow: State, value: Value, expression: ast.expr | None) -> Iterator[Found]:
    if isinstance(value, Term):
        yield value, expression
    elif isinstance(value, Choice):
        for path, part in value.arms:
            if both(flow.path, path) is not None:
                yield from _leaves(flow, part, expression)
    elif isinstance(value, Const):
        passes_value(flow, value, expression)
    elif isinstance(value, Sequence) and value.kind == "stack":  # an array of keys, with its own expression
        yield from ((term, expression) for term in leaves(value)[:MANY])
    elif isinstance(value, Sequence | Map):
        passes_value(flow, value, expression)
        for part, own in list(parts(value, expression))[:MANY]:
            yield from _leaves(flow, part, own)
    elif expression is not None and span_of(expression) in flow.file.places.holders:
        yield flow.terms.fresh("object"), expression


class _Use(NamedTuple):
    """A place that takes values apart or converts them.

    Attributes:
        form: the kind of use, as in :class:`~olympus_rules.keyflow.facts.Conversion`.
        function: the name of the callable.
        node: the place.
        effect: its effect on typed keys: ``fails``, ``differs`` or ``same``.
        before: the oldest release of JAX in which it does not fail.
    """

    form: str
    function: str
    node: ast.AST
    effect: str = "differs"
    before: tuple[int, ...] = ()


def _note(flow: State, use: _Use, found: list[Found], result: Value) -> None:
    """Record that one of the terms found is a key; which of them are keys is settled later."""
    candidates = [
        (term, expression) for term, expression in found if not (is_stored(flow, term) or _is_word(flow, term))
    ]

    def build(confidence: Confidence, kind: KeyKind) -> Fact:
        known = [pair for pair in candidates if flow.knowledge.is_known(pair[0])]
        expressions = [expression for _, expression in known]
        subjects = tuple(dict.fromkeys(expression for expression in expressions if expression is not None))
        # if the term stays the same, the use of the result is unknown
        unchanged = not set(leaves(result)).isdisjoint(term for term, _ in candidates)
        is_key = not unchanged and is_used_as_key(flow, result)
        # consumers of keys accept this one, and so does what puts it back
        stays = use.form == "device_get" and (is_key or _is_put_back(flow, use.node))
        return facts.Conversion(
            node=use.node,
            confidence=Confidence.POSSIBLE if use.before or stays or use.form == "print" else confidence,
            key=next((spelled(e) for t, e in known or candidates if e is not None and _is_or_gets_key(flow, t)), ""),
            kind=kind,
            form=use.form,
            function=use.function,
            subjects=subjects if None not in expressions else (),
            effect="same" if stays else use.effect,
            is_key=is_key,
            unsure=any(_may_be_key(flow, term) for term, _ in found if not flow.knowledge.is_known(term)),
            before=use.before,
        )

    for term, expression in found:
        if is_stored(flow, term):
            passes_by(flow, term, expression)
    for term, expression in dict(candidates).items():
        note(flow, term, Need.KNOWN if use.effect == "fails" else Need.RAW, build, at=expression)


def _is_put_back(flow: State, node: ast.AST) -> bool:
    """Return whether an array goes straight to a function of JAX that returns any array unchanged."""
    taker = flow.file.document.parents.get(node)
    name = flow.file.document.imports.resolve(dotted_name(taker.func)) if isinstance(taker, ast.Call) else None
    return name is not None and flow.file.table.get(name).forwards


def _is_word(flow: State, term: Term) -> bool:
    """Return whether a term may be a word: an element of raw keys that were rearranged, as ``jnp.ravel(key)[0]``."""
    terms = flow.terms
    array = terms.args(term)[0] if terms.operation(term) == "item" else None
    if array is None or terms.operation(array) != "view" or flow.knowledge.kind(array) is KeyKind.TYPED:
        return False
    return flow.knowledge.rank(array) is None


def _is_or_gets_key(flow: State, term: Term) -> bool:
    return flow.knowledge.is_known(term) or term in flow.knowledge.passed


def _may_be_key(flow: State, term: Term) -> bool:
    """Return whether a term without evidence may be a key: a result of unknown code, or composed of such results."""
    terms = flow.terms
    operation, data = terms.operation(term), terms.data(term)
    if operation == "op":
        if isinstance(data, tuple) and not str(data[0]).startswith((f"{RANDOM}.", "numpy.")):
            return any(_may_be_key(flow, part) for part in terms.args(term))
        return False
    return operation != "const" and not is_stored(flow, term)


def method(flow: State, term: Term, name: str, node: ast.Call, subject: ast.expr) -> None:
    """Detect a method of an array that returns its words to Python."""
    if name in METHODS or name in METHODS_OF_NUMBERS or (name in ARITHMETIC_METHODS and flow.file.places):
        _note(flow, _Use("words", f".{name}", node, "fails"), [(term, subject)], Const(None))


def row_written(flow: State, name: str, arguments: Arguments) -> None:
    """Detect a row of a CSV file that is a key, of which the words are the columns, or holds one, which is its text."""
    node = arguments.node
    if name not in ROWS or node is None or len(node.args) != 1 or isinstance(node.args[0], ast.Starred):
        return
    row, written = arguments.first, node.args[0]
    use = _Use("words", name, node, "fails") if isinstance(row, Term) else _Use("text", name, node, "differs")
    found = [(row, written)] if isinstance(row, Term) else [*_leaves(flow, row, written)] if row is not None else []
    if found:
        _note(flow, use, [*found], Const(None))


def counted(flow: State, term: Term, node: ast.Attribute) -> None:
    """Detect what counts the words of a raw key, or their axis; operators, subscripts and assignments check it.

    Code that is given a shape or number of axes may be right for both kinds: a migration asks to check it.
    """
    user = flow.file.document.parents.get(node)
    if node.attr == "size" and not isinstance(user, ast.BinOp | ast.Compare):
        _note(flow, _Use("size", ".size", node), [(term, node.value)], Const(None))
    if node.attr in ("ndim", "shape") and flow.file.places and not _is_checked(flow, node, user):
        _note_unsure(flow, "size", f".{node.attr}", node, [(term, node.value)])


def computed(flow: State, model: Model, arguments: Arguments) -> None:
    """Detect an array function that computes with numbers, says how many there are, or works along an axis.

    The last of these have a detector for what is known to be a key.
    """
    node, qualified = arguments.node, model.qualified
    form: Form = "size" if qualified in METADATA else "words"
    if not model.computes and qualified.rpartition(".")[2] not in HANDLERS:
        return
    if node is not None and len(node.args) == len(arguments.positional):
        pairs = zip(arguments.positional, node.args, strict=True)
        found = [(value, each) for (value, _), each in pairs if isinstance(value, Term)]
        places = flow.file.places
        unsure = (span_of(at) in places.likely or span_of(at) in places.possible for _, at in found)
        found = [pair for pair, is_unsure in zip(found, unsure, strict=True) if model.computes or is_unsure]
        _note_unsure(flow, form, _known_as(arguments, qualified), node, found)


def _note_unsure(flow: State, form: Form, function: str, node: ast.AST, found: Iterable[tuple[Term, ast.expr]]) -> None:
    """Note a use of keys that is told only where the project shows that one may get there; nothing rewrites it."""
    for term, at in found:
        fact = facts.Conversion(
            node=node, confidence=Confidence.POSSIBLE, form=form, function=function, subjects=(at,),
            effect="differs", alone=False, reached=True,
        )  # fmt: skip
        note(flow, term, Need.RAW, lambda _, kind, fact=fact: replace(fact, kind=kind), at=at)  # type: ignore[misc]


def _is_checked(flow: State, node: ast.Attribute, user: ast.AST | None) -> bool:
    """Return whether what is done with a shape has a check of its own, or is right for both kinds."""
    around: ast.AST | None = user
    while isinstance(around, ast.Starred | ast.Tuple):
        around = flow.file.document.parents.get(around)
    is_fitted = isinstance(user, ast.Starred) and isinstance(around, ast.Call)
    if is_fitted and isinstance(around, ast.Call) and ast.unparse(around.func).rpartition(".")[2] in FITTING:
        return True
    return isinstance(user, ast.Attribute | ast.BinOp | ast.Compare | ast.Subscript)


def shown(flow: State, operands: Iterable[Value], node: ast.AST) -> None:
    """Detect an f-string with a key in it."""
    if not isinstance(node, ast.JoinedStr):
        return
    values = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
    found: list[Found] = [
        pair for value, part in zip(operands, values, strict=False) for pair in _leaves(flow, value, part)
    ]
    if found:
        form = "print" if _is_for_people(flow, node) else "text"
        _note(flow, _Use(form, "f-string", node), found, Const(None))


TELLING = frozenset(["critical", "debug", "error", "exception", "fail", "info", "log", "print", "warn", "warning"])


def _is_for_people(flow: State, node: ast.AST) -> bool:
    """Return whether text is used only in a log or an error message."""
    parents = flow.file.document.parents
    around = parents.get(node)
    while isinstance(around, ast.expr | ast.keyword):
        if isinstance(around, ast.Call):
            name = around.func.attr if isinstance(around.func, ast.Attribute) else getattr(around.func, "id", "")
            if name in TELLING:
                return True
        node, around = around, parents.get(around)
    return isinstance(around, ast.Raise) or (isinstance(around, ast.Assert) and node is around.msg)


def compared(flow: State, operation: str, operands: list[Value], node: ast.AST) -> None:
    """Detect ``==`` and ``!=`` of keys, which give one truth value for each typed key, not for each word."""
    if operation not in COMPARISONS or not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return
    for operand, side in zip(operands, (node.left, *node.comparators), strict=True):
        if not isinstance(operand, Term):
            passes_value(flow, operand, side)
    if any(map(_is_numeric, operands)):
        _with_numbers(flow, operands, node)
        return
    if operation not in WHOLE or _as_a_whole(flow, operation, node):
        return
    sides = (node.left, node.comparators[0])
    found: list[Found] = [(term, side) for term, side in zip(operands, sides, strict=True) if isinstance(term, Term)]
    if len(found) < len(operands):
        _note_unsure(flow, "elementwise", "==", node, [(term, side) for term, side in found if side is not None])
        return
    _note(flow, _Use("elementwise", "==" if operation == "Eq" else "!=", node), found, Const(None))


def _with_numbers(flow: State, operands: list[Value], node: ast.Compare) -> None:
    """Detect the comparison of the words of a key with numbers, which a typed key rejects."""
    sides = (node.left, node.comparators[0])
    found = [(term, side) for term, side in zip(operands, sides, strict=True) if isinstance(term, Term)]
    if found:
        symbol = ast.unparse(node).removeprefix(ast.unparse(node.left)).split()[0]
        _note(flow, _Use("words", symbol, node, "fails"), list(found), Const(None))


def _is_numeric(value: Value) -> bool:
    """Return whether a value is a number or a list of numbers."""
    if isinstance(value, Sequence):
        return bool(value.items) and not value.open and all(map(_is_numeric, value.items))
    return isinstance(value, Const) and type(value.value) in (int, float)


def _as_a_whole(flow: State, operation: str, node: ast.AST) -> bool:
    """Return whether the test is that ``all`` words are equal, or ``any`` differ: it means the same for keys."""
    wanted = WHOLE.get(operation) or ("any" if operation.endswith("not_equal") else "all")
    parents = flow.file.document.parents
    around = parents.get(node)
    if isinstance(around, ast.Attribute):  # (a == b).all()
        call = parents.get(around)
        return around.attr == wanted and isinstance(call, ast.Call) and not call.args and not call.keywords
    if isinstance(around, ast.Call) and isinstance(around.func, ast.Attribute):  # jnp.all(a == b)
        return around.func.attr == wanted and len(around.args) == 1 and not around.keywords
    return False
