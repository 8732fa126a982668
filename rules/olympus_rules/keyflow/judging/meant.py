"""Two uses of one key that are to get equal bits, or of which nothing depends, as the code around them shows."""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from itertools import islice

from olympus_rules.code.names import dotted_name
from olympus_rules.keyflow.domain.ledger import Consumption
from olympus_rules.syntax import Document
from olympus_rules.syntax.document import every_node, nodes_in

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.Module)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
NESTING = 50
"""How many expressions around a call are looked at."""
SHUFFLES = frozenset(["permutation", "shuffle"])
SELECTS = frozenset(["choose", "select", "where"])
MADE = frozenset(["grad", "hessian", "jacfwd", "jacrev", "jit", "jvp", "linearize", "value_and_grad", "vjp"])
DUMMY = frozenset(["dummy", "fake", "ignored", "placeholder", "unused"])
NUMBER = frozenset([*"bdijklmnpqrst", "count", "len", "length", "num", "size", "total"])
# Patterns are compiled where they are first asked, which most runs never do.
INVERSE = r"^(?:inverse|inv|un|undo|de)_?|_(?:inverse|inv)$"
SIGN = r"plus|minus| [+-] "
COMPARED = r"^(?!.*(?:shape|rank|type)).*(?:assert|allclose|isclose|(?:^|_)equal)"
SAID = (
    r"\b(?:same|identical|shared|re-?us(?:e|ed|ing))\b.{0,30}"
    r"\b(?:keys?|rngs?|seeds?|noise|samples?|random\w*|masks?|crops?|minibatch(?:es)?)\b"
)
DENIED = r"\b(?:not|never|avoid|bug|todo|fixme|different|instead|devices?|hosts?|process(?:es)?)\b|n't\b"


def is_meant(document: Document, first: Consumption, again: Consumption) -> bool:
    """Return whether the code around two uses of a key shows that they are to get equal bits, or that none matters."""
    checks = (
        _is_dummy(document, again),
        _is_dummy(document, first),
        _is_benchmark(again),
        _is_documented(document, again),
    )
    is_one = first.what == again.what  # what is said of two calls of one function is not said of others near them
    if any(checks) or (is_one and is_said(document, first.node, again.node)):
        return True
    one, two = first.node, again.node
    if not isinstance(one, ast.Call) or not isinstance(two, ast.Call):
        return False
    if all(use.what.rpartition(".")[2] in SHUFFLES for use in (first, again)):
        return _shuffles_alike(document, one, two)
    if one is two:
        return _is_tried_again(document, one)
    may_differ = not _are_direct(first, again)
    return (
        _is_inverse(one, two)
        or _is_selected(document, one, two)
        or _is_made_of(document, one, two)
        or (may_differ and _is_warm_up(document, one, two))
        or _is_compared(document, one, two, may_differ=may_differ)
    )


def _is_tried_again(document: Document, call: ast.Call) -> bool:
    """Return whether a loop calls again what has given nothing: ``x = take(key)``, ``if x is None: continue``."""
    statement = document.parents.get(call)
    if not isinstance(statement, ast.Assign):
        return False
    loop = document.parents.get(statement)
    if not isinstance(loop, ast.While) or statement not in loop.body:
        return False
    match loop.body[loop.body.index(statement) + 1 :]:
        case [ast.If(test=ast.Compare(left=left, ops=[ast.Is()]), body=[*_, ast.Continue()], orelse=[]), *rest]:
            ends = isinstance(rest[-1], ast.Return | ast.Break) if rest else False
            return ends and ast.unparse(left) == ast.unparse(statement.targets[0])
    return False


def _are_direct(first: Consumption, again: Consumption) -> bool:
    """Return whether two places draw or split themselves, and not in a function that they call."""
    return all(use.what.endswith("random.split") or use.what in (use.sampler, use.draw) for use in (first, again))


def _is_dummy(document: Document, use: Consumption) -> bool:
    """Return whether a key, or what is made with it, is named as something of which nothing depends."""
    names = {dotted_name(use.key)} if use.key is not None else set[str]()
    if isinstance(use.node, ast.Call):
        names |= _result(document, use.node)
    return any(not DUMMY.isdisjoint(name.lower().split("_")) for name in names)


def is_said(document: Document, first: ast.AST, again: ast.AST) -> bool:
    """Return whether a comment at one of two places says that what is random there is the same."""
    rows: set[int] = set()
    for node in (first, again):
        span = document.span(node)
        rows.update(range(max(span.start.row - 3, 1), min(span.end.row, len(document.lines)) + 1))
    comments = (comment.lower() for row in rows if (comment := document.lines[row - 1].partition("#")[2]))
    return any(re.search(SAID, comment) and not re.search(DENIED, comment) for comment in comments)


def _is_documented(document: Document, use: Consumption) -> bool:
    """Return whether the docstring of a function says that its key is shared."""
    key = dotted_name(use.key) if use.key is not None else ""
    functions = (each for each in document.around(use.node) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))
    function = next(functions, None)
    lines = ((ast.get_docstring(function) or "").splitlines()) if function is not None and key else []
    said = rf"\b{re.escape(key)}\b.{{0,40}}\b(?:shared|re-?used)\b"
    return any(re.search(said, line) and not re.search(DENIED, line.lower()) for line in lines)


def _is_benchmark(use: Consumption) -> bool:
    """Return whether a key goes to a benchmark, whose numbers do not matter."""
    return "benchmark" in use.what.rpartition(".")[2].lower()


def _shuffles_alike(document: Document, one: ast.Call, two: ast.Call) -> bool:
    """Return whether several arrays are shuffled with one key, which keeps in one order what belongs together."""
    arrays = [_shuffled(call) for call in (one, two)]
    if one is not two:
        return "" not in arrays and arrays[0] != arrays[1]
    loops = (each for each in document.around(one) if isinstance(each, (ast.For, *COMPREHENSIONS)))
    return any(arrays[0] in _targets(loop) for loop in loops)


def _shuffled(call: ast.Call) -> str:
    """Return the array that ``permutation(key, array)`` shuffles, as it is written; empty if that may be a number."""
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    array = named.get("x") or next(iter(call.args[0 if "key" in named else 1 :]), None)
    written = "" if array is None else dotted_name(array)
    return "" if not NUMBER.isdisjoint(written.rpartition(".")[2].lower().split("_")) else written


def _targets(loop: ast.AST) -> set[str]:
    """Return the variables of a loop or comprehension."""
    if isinstance(loop, ast.For):
        return _names(loop.target)
    return (
        {name for each in loop.generators for name in _names(each.target)}
        if isinstance(loop, COMPREHENSIONS)
        else set()
    )


def _names(node: ast.AST) -> set[str]:
    """Return the variables that an expression mentions."""
    return {part.id for part in every_node(node) if isinstance(part, ast.Name)}


def _is_inverse(one: ast.Call, two: ast.Call) -> bool:
    """Return whether one call undoes what the other one does: ``rotate(x, key)`` and ``inverse_rotate(x, key)``."""
    names = [dotted_name(call.func).rpartition(".")[2] for call in (one, two)]
    bare = [re.sub(INVERSE, "", name) for name in names]
    return names[0] != names[1] and (bare[0] == names[1] or bare[1] == names[0])


def _is_selected(document: Document, one: ast.Call, two: ast.Call) -> bool:
    """Return whether each element of a result comes from one of two draws at most.

    That is so in ``where(mask, normal(key), gumbel(key))``, and in ``x = where(mask, normal(key), x)`` for some masks.
    """
    for select, arm, variable in _arms(document, one):
        for other, other_arm, other_variable in _arms(document, two):
            if (select is other and arm is not other_arm) or (select is not other and "" != variable == other_variable):
                return True
    return False


def _arms(document: Document, call: ast.Call) -> list[tuple[ast.Call, ast.AST, str]]:
    """Return the selections around a call, each with the arm of the call, and the variable that it changes in part."""
    found: list[tuple[ast.Call, ast.AST, str]] = []
    node: ast.AST = call
    for around in islice(document.around(call), NESTING):
        if isinstance(around, ast.stmt | ast.Lambda):
            break
        if isinstance(around, ast.Call) and node in around.args[1:] and dotted_name(around.func).endswith((*SELECTS,)):
            target = _target(document, around)
            others = {dotted_name(arm) for arm in around.args[1:] if arm is not node}
            found.append((around, node, target if target in others else ""))
        node = around
    return found


def _target(document: Document, value: ast.expr) -> str:
    """Return the variable that gets a value."""
    match document.parents[value]:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name
    return ""


def _is_made_of(document: Document, one: ast.Call, two: ast.Call) -> bool:
    """Return whether one function is made of the other one, or of its call: a gradient, or a compiled form of it."""
    if two.func is one and len(two.args) > 1:
        return {ast.dump(argument) for argument in two.args} <= {ast.dump(argument) for argument in one.args}
    functions = [_definition(document, call.func) for call in (one, two)]
    for made, other in (functions, functions[::-1]):
        match made:
            case ast.Call(func=maker, args=[function, *_]) if dotted_name(maker).rpartition(".")[2] in MADE:
                if ast.dump(function) == ast.dump(other):
                    return True
    return False


def _definition(document: Document, function: ast.expr) -> ast.expr:
    """Return the only value that a function or module gives a variable, if that is what is called."""
    if not isinstance(function, ast.Name):
        return function
    scope = _scope(document, function)
    values = _assignments(scope).get(function.id, [])
    return values[0] if len(values) == 1 and isinstance(values[0], ast.Call) else function


def _scope(document: Document, node: ast.AST) -> ast.AST:
    """Return the function or module that a node is in."""
    statement = document.statement(node)
    return next((each for each in document.around(statement) if isinstance(each, FUNCTIONS)), document.tree)


@lru_cache(maxsize=8)  # the keys of one function come one after the other
def _assignments(scope: ast.AST) -> dict[str, list[ast.expr]]:
    """Return the values that the assignments in a scope give to variables."""
    found: dict[str, list[ast.expr]] = {}
    for node in nodes_in(scope):
        if isinstance(node, ast.Assign):
            for name in _stored(node):
                found.setdefault(name, []).append(node.value)
    return found


@lru_cache(maxsize=8)
def _comparing(scope: ast.AST) -> tuple[ast.AST, ...]:
    """Return the calls, assertions and differences in a scope, any of which may compare two results."""
    return tuple(node for node in nodes_in(scope) if _may_compare(node))


def _may_compare(node: ast.AST) -> bool:
    """Return whether an expression or assertion may compare two results, by its form and the name of what it calls."""
    match node:
        case ast.Call(args=[ast.Lambda(), *_]) | ast.Assert() | ast.BinOp(op=ast.Sub()):
            return True
        case ast.Call(func=function):
            return re.search(COMPARED, dotted_name(function).rpartition(".")[2]) is not None
    return False


def _stored(statement: ast.Assign) -> set[str]:
    """Return the variables that an assignment binds."""
    return {name for target in statement.targets for name in _names(target)}


def _is_warm_up(document: Document, one: ast.Call, two: ast.Call) -> bool:
    """Return whether a compiled function is called once to compile it, and then with the same arguments."""
    is_dropped = [isinstance(document.parents[call], ast.Expr) for call in (one, two)]
    if is_dropped[0] is is_dropped[1] or ast.dump(one) != ast.dump(two):
        return False
    match _definition(document, one.func):
        case ast.Call(func=maker):
            return dotted_name(maker).endswith("jit")
    return "jit" in ast.unparse(one.func)


def _is_compared(document: Document, one: ast.Call, two: ast.Call, *, may_differ: bool) -> bool:
    """Return whether the results of two calls are compared.

    A difference compares them, too, if one function gives both at two points: its randomness is to be the same there.
    At one point it would be nought.
    """
    is_one = may_differ and ast.dump(one.func) == ast.dump(two.func) and ast.dump(one) != ast.dump(two)
    if is_one and len({re.sub(SIGN, "±", ast.unparse(call)) for call in (one, two)}) == 1:
        return True
    scope = _scope(document, two)
    results = [_result(document, call) for call in (one, two)]
    if not all(results) or results[0] & results[1]:
        results = [set(), set()]
    around = {*islice(document.around(one), NESTING)}
    shared = (each for each in islice(document.around(two), NESTING) if each in around)
    nodes = _comparing(scope) if all(results) else shared
    found = (node for node in nodes if _compares(node, (one, two), results, is_one=is_one))
    return any(may_differ or _is_asserted(document, node) for node in found)


def _is_asserted(document: Document, node: ast.AST) -> bool:
    """Return whether a comparison is an assertion, or a part of one."""
    is_call = isinstance(node, ast.Call) and "assert" in dotted_name(node.func)
    return is_call or isinstance(document.statement(node), ast.Assert)


def _subtracts(node: ast.AST) -> bool:
    """Return whether an expression is a difference."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)


def _result(document: Document, call: ast.Call) -> set[str]:
    """Return the variables that get the result of a call."""
    statement = document.parents[call]
    return _stored(statement) if isinstance(statement, ast.Assign) else set()


def _compares(node: ast.AST, calls: tuple[ast.Call, ast.Call], results: list[set[str]], *, is_one: bool) -> bool:
    """Return whether an expression compares the results of two calls, in place or by the variables that get them."""
    match node:
        case ast.Call(func=function, args=sides) if re.search(COMPARED, dotted_name(function).rpartition(".")[2]):
            pass
        case ast.Assert(test=ast.Compare(left=left, comparators=[right])):
            sides = [left, right]
        case ast.BinOp(left=left, op=ast.Sub(), right=right) if is_one:
            sides = [left, right]
        case ast.Call(args=[ast.Lambda(body=body), *sides]) if is_one and any(map(_subtracts, every_node(body))):
            pass
        case _:
            return False
    found = [
        {number for number, side in enumerate(sides) if call in every_node(side) or result & _names(side)}
        for call, result in zip(calls, results, strict=True)
    ]
    return bool(found[0] and found[1]) and len(found[0] | found[1]) > 1
