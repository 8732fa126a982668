"""Seeds and data of ``fold_in`` that are not what they look like: JAX keeps a whole number of 32 bits of each."""

from __future__ import annotations

import ast

from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain.access import as_term
from olympus_rules.keyflow.domain.state import State
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Const, Sequence, Value

BITS = 32
NARROW = 8  # bits of a number that is too small to tell many things apart
HEXADECIMAL, BITS_OF_DIGIT = 16, 4
CONVERTED = frozenset({"Add", "BitAnd", "BitXor", "Mod", "RShift", "abs", "int"})
"""Operations on a hash that leave it different in each process."""
MAX_OPERATIONS = 6  # on a hash


def as_datum(datum: Value) -> Value:
    """Return a constant as ``fold_in`` reads it: it cuts off what follows the point, and ``True`` is 1."""
    if isinstance(datum, Const) and isinstance(datum.value, float | bool) and abs(datum.value) < 2**BITS:
        return Const(int(datum.value), datum.counter)
    return datum


def as_seed(seed: Value) -> Value:
    """Return a constant as a key is made of it: -1 is the largest number of 32 bits."""
    if isinstance(seed, Const) and type(seed.value) is int and -(2 ** (BITS - 1)) <= seed.value < 0:
        return Const(seed.value % 2**BITS, seed.counter)
    return seed


def hashed(flow: State, value: Value, node: ast.Call | None) -> Term:
    """Return the term of ``hash(value)``, with how it is known that the value is text (empty if it is not)."""
    expression = node.args[0] if node is not None and node.args else None
    return flow.terms.make("op", ("hash", _text(flow, value, expression)), as_term(flow, value))


def _text(flow: State, value: Value, expression: ast.expr | None) -> str:
    """Return ``certain`` for text, ``likely`` for what is called a name, empty for anything else.

    The hash of numbers, and of tuples of them, is the same in each process.
    """
    if isinstance(value, Const):
        return "certain" if isinstance(value.value, str | bytes) else ""
    if isinstance(value, Sequence):
        return "certain" if any(_text(flow, item, None) for item in value.items) else ""
    match expression:
        case ast.JoinedStr():
            return "certain"
        case ast.Call(func=ast.Name(id="str" | "repr")):
            return "certain"
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            known = (_text(flow, as_term(flow, value), part) for part in (left, right))
            return next(filter(None, known), "")
        case ast.Constant(value=str()):
            return "certain"
        case ast.Name(id=name):
            return "certain" if _is_annotated(flow, name) else "likely" if name.endswith("name") else ""
        case ast.Attribute(attr=name):
            return "likely" if name.endswith(("name", "name__")) else ""
    return ""


def _is_annotated(flow: State, name: str) -> bool:
    """Return whether a variable is a parameter that is annotated as text."""
    arguments = getattr(flow.code.node, "args", None)
    if not isinstance(arguments, ast.arguments):
        return False
    parameters = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    return any(
        each.arg == name and isinstance(each.annotation, ast.Name) and each.annotation.id == "str"
        for each in parameters
    )


def look_at(flow: State, value: Value, node: ast.AST | None, function: str, *, is_datum: bool) -> None:
    """Note a seed, or the datum of a ``fold_in``, that loses what it was meant to tell apart."""
    how, confidence = _loss(flow, value, is_datum=is_datum)
    if how and node is not None:
        flow.file.add(facts.LossyData(node=node, confidence=confidence, how=how, function=function))


def _loss(flow: State, value: Value, *, is_datum: bool) -> tuple[str, Confidence]:
    if isinstance(value, Term):
        if is_datum and _has_fraction(flow, value):
            return "float", Confidence.LIKELY
        if (bits := _bits_of_digits(flow, value)) is not None:
            return "wide" if bits > BITS else "narrow" if bits <= NARROW else "", Confidence.LIKELY
        text = _hash_in(flow, value, MAX_OPERATIONS)
        return "hash" if text else "", Confidence.CERTAIN if text == "certain" else Confidence.LIKELY
    number = value.value if isinstance(value, Const) and not value.counter else None
    if type(number) is float and is_datum and not number.is_integer():
        return "float", Confidence.CERTAIN
    if type(number) is int and (number < 0 if is_datum else number < -(2 ** (BITS - 1))):
        return "negative", Confidence.CERTAIN
    if type(number) is int and number >= 2**BITS:
        return "wide", Confidence.CERTAIN
    return "", Confidence.CERTAIN


def _bits_of_digits(flow: State, term: Term) -> int | None:
    """Return how many bits a number has that is read from some digits of a text, as of a checksum."""
    terms = flow.terms
    if terms.operation(term) != "op" or terms.data(term) != "int" or len(terms.args(term)) != 2:
        return None
    text, base = terms.args(term)
    if terms.constant(base) != HEXADECIMAL or terms.operation(text) not in ("item", "slice"):
        return None
    lower, upper = terms.data(text) if terms.operation(text) == "slice" else (0, 1)
    return None if upper is None or upper < 0 else (upper - (lower or 0)) * BITS_OF_DIGIT


def _has_fraction(flow: State, term: Term) -> bool:
    """Return whether a number is a quotient, or a sum or difference with a number that has a fraction."""
    operation, data = flow.terms.operation(term), flow.terms.data(term)
    if operation != "op" or data not in ("Add", "Div", "Sub"):
        return False
    operands = map(flow.terms.constant, flow.terms.args(term))
    return data == "Div" or any(isinstance(each, float) and not each.is_integer() for each in operands)


def _hash_in(flow: State, term: Term, depth: int) -> str:
    """Return how it is known that a number comes from the hash of text, empty if it does not."""
    if flow.terms.operation(term) != "op" or not depth:
        return ""
    data = flow.terms.data(term)
    if isinstance(data, tuple) and data[0] == "hash":
        return str(data[1])
    if data not in CONVERTED:
        return ""
    return next(filter(None, (_hash_in(flow, part, depth - 1) for part in flow.terms.args(term))), "")
