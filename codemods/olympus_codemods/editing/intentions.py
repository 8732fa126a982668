"""Uses of one key that may be meant to get equal bits: a fix would be a guess, and the message is all there is."""

from __future__ import annotations

import ast
import re
from itertools import takewhile

from olympus_codemods.editing.key_names import is_sampler as takes_from
from olympus_codemods.editing.likeness import are_copies, is_mirrored, is_told
from olympus_codemods.editing.names import Names, dotted
from olympus_codemods.editing.scopes import COMPREHENSIONS, LOOPS, NESTED, block_of, scope_of
from olympus_codemods.editing.splits import assigned, last_binding, unpacked
from olympus_rules.keyflow.facts import Place, Reuse
from olympus_rules.rules.key_reuse import is_next_pass, is_sampler, is_split
from olympus_rules.syntax import Document

REPLAYS = re.compile(r"(?:^|_)(?:backward|replay|resume|reverse|rewind|undo)(?:_|$)")


def is_a_guess(reuse: Reuse, document: Document) -> bool:
    """Return whether the code at two uses leaves open whether they are to get keys of their own, and which."""
    places = (reuse.first, reuse.again)
    return (
        any(is_dropped(document, place) or REPLAYS.search(last_name(place)) for place in places)
        or any(is_told(document, place) for place in places)
        or is_mirrored(document, reuse)
        or are_copies(document, reuse)
        or is_restored(document, reuse)
        or takes_others(document, reuse)
        or is_sweep(document, reuse)
        or is_another_try(document, reuse)
        or carries_child(document, reuse)
    )


def last_name(place: Place) -> str:
    """Return the last part of what a place calls."""
    return place.what.rpartition(".")[2].lower()


def is_dropped(document: Document, place: Place) -> bool:
    """Return whether a draw is thrown away: it is a mistake of another kind."""
    is_statement = isinstance(document.parents.get(place.node), ast.Expr)
    return is_statement and takes_from(Names(document, place.node), place) and not is_split(place)


def is_restored(document: Document, reuse: Reuse) -> bool:
    """Return whether one statement stands twice, and each time gives the same: a state is set back to what it was."""
    one, two = (document.statement(place.node) for place in (reuse.first, reuse.again))
    if one is two or not isinstance(one, ast.Assign) or ast.dump(one) != ast.dump(two):
        return False
    if is_sampler(reuse.first) or is_split(reuse.first):
        return False
    names = {part.id for part in ast.walk(one.value) if isinstance(part, ast.Name)}
    return all(last_binding(document, one, name) is last_binding(document, two, name) for name in names)


def takes_others(document: Document, reuse: Reuse) -> bool:
    """Return whether two splits of a key give one child each, ``split(key)[0]`` and ``split(key)[1]``."""
    items = [document.parents.get(place.node) for place in (reuse.first, reuse.again) if is_split(place)]
    numbers = [ast.dump(each.slice) for each in items if isinstance(each, ast.Subscript)]
    return len(numbers) == 2 and numbers[0] != numbers[1]


def is_sweep(document: Document, reuse: Reuse) -> bool:
    """Return whether a loop uses one key for each of several written numbers or cases, which compares them."""
    node = reuse.again.node
    if reuse.first.node is not node or reuse.repeated_by not in ("loop", "comprehension"):
        return False
    is_plain = is_sampler(reuse.again) or is_split(reuse.again)
    for around in takewhile(lambda each: not isinstance(each, NESTED), document.around(node)):
        loops = around.generators if isinstance(around, COMPREHENSIONS) else [around]
        sources = [loop.iter for loop in loops if isinstance(loop, ast.For | ast.comprehension)]
        if any(is_listing(document, source, of_numbers=is_plain) for source in sources):
            return True
    return False


def is_another_try(document: Document, reuse: Reuse) -> bool:
    """Return whether a loop ends with its first pass that succeeds: what a pass drew before it is not kept."""
    if reuse.first.node is not reuse.again.node or reuse.repeated_by != "loop":
        return False
    loop = next((each for each in document.around(reuse.again.node) if isinstance(each, LOOPS)), None)
    return loop is not None and isinstance(loop.body[-1], ast.Break | ast.Return | ast.Raise)


def is_listing(document: Document, source: ast.expr, *, of_numbers: bool) -> bool:
    """Return whether a loop goes over a written list of numbers, or of rows of a table as well."""
    match source:
        case ast.Call(func=ast.Name(id="zip" | "enumerate"), args=parts):
            pass
        case _:
            parts = [source]
    for part in parts:
        made = None
        if isinstance(part, ast.Name):
            made = last_binding(document, part, part.id) or of_module(document, part.id)
        match made.value if isinstance(made, ast.Assign) else part:
            case ast.List(elts=elements) | ast.Tuple(elts=elements) if len(elements) > 1:
                if all(is_case(each, of_numbers=of_numbers) for each in elements):
                    return True
    return False


def is_case(element: ast.expr, *, of_numbers: bool) -> bool:
    """Return whether an element of a list is a number; or a row of a table, with a number in it."""
    match element:
        case ast.UnaryOp(operand=ast.Constant(value=int() | float())) | ast.Constant(value=int() | float()):
            return True
        case ast.Tuple(elts=parts) if not of_numbers:
            return any(is_case(part, of_numbers=True) for part in parts)
    return False


def of_module(document: Document, name: str) -> ast.stmt | None:
    """Return the only statement of a module that binds a name."""
    made = [statement for statement in document.tree.body if name in assigned(statement)]
    return made[0] if len(made) == 1 else None


def carries_child(document: Document, reuse: Reuse) -> bool:
    """Return whether the next iteration of a loop goes on with a child that was used, and not with its parent."""
    name = dotted(reuse.first.key)
    if not name or name != dotted(reuse.again.key) or not is_next_pass(reuse, document):
        return False
    split = unpacked(document, last_binding(document, reuse.first.node, name))
    return split is not None and name in split.bound and name != split.parent and split.parent in split.bound


def renewal(document: Document, reuse: Reuse) -> tuple[ast.Assign, str] | None:
    """Return the statement of a second use, and its variable, if all it does is to make one child of the key.

    That is ``key, _ = split(key)`` or ``new_key = split(key)[0]``, in the block of the first use. The variable is none
    that something in between mentions.
    """
    statement, key = document.statement(reuse.again.node), dotted(reuse.again.key)
    first, scope = document.statement(reuse.first.node), scope_of(document, reuse.again.node)
    if not isinstance(statement, ast.Assign) or not is_split(reuse.again) or len(statement.targets) != 1:
        return None
    names, value = assigned(statement) - {"_"}, statement.value
    while isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Constant):
        value = value.value
    if value is not reuse.again.node or len(names) != 1 or not key or key != dotted(reuse.first.key):
        return None
    (name,), block = names, block_of(document, statement)
    is_single = value is not statement.value or isinstance(statement.targets[0], ast.Tuple | ast.List)
    if not is_single or first is statement or first not in block or block.index(first) > block.index(statement):
        return None
    start, end = document.span(first).start, document.span(statement).start
    parts = (part for part in ast.walk(scope) if isinstance(part, ast.Name) and part.id == name != key)
    return None if any(start <= document.span(part).start < end for part in parts) else (statement, name)


def is_repeat(document: Document, reuse: Reuse) -> bool:
    """Return whether a split stands twice, word for word, and nothing reads the keys of the first one."""
    one, two = (document.statement(place.node) for place in (reuse.first, reuse.again))
    if one is two or not isinstance(one, ast.Assign) or ast.dump(one) != ast.dump(two):
        return False
    split = unpacked(document, one)
    if split is None or split.call is not reuse.first.node or split.parent in split.bound:
        return False
    start, end = document.span(one).end, document.span(two).start
    scope = split.scope
    between = (
        part
        for part in ast.walk(scope)
        if isinstance(part, ast.Name) and part.id in split.bound and start <= document.span(part).start < end
    )
    is_together = document.parents[one] is document.parents[two] and not any(
        isinstance(each, LOOPS) and each not in document.around(one) for each in document.around(two)
    )
    return is_together and next(between, None) is None
