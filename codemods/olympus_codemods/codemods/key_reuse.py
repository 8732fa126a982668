"""OLY104: give each consumer a key of its own."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Sequence
from itertools import combinations, takewhile

import libcst as cst

from olympus_codemods.codemod import Codemod, fix_of, told_fix
from olympus_codemods.editing.intentions import is_a_guess, is_repeat, renewal
from olympus_codemods.editing.key_names import child_name
from olympus_codemods.editing.likeness import are_compared
from olympus_codemods.editing.manners import misnames, prefers_again, renews, splits_twice, turns_over
from olympus_codemods.editing.names import Names, dotted
from olympus_codemods.editing.rewriting import insert_line, remove_line, replace
from olympus_codemods.editing.scopes import COMPREHENSIONS, LOOPS, dominates, may_follow, own_nodes, scope_of
from olympus_codemods.editing.spares import NEXT, handed_on, is_spare, spare_keys, suits
from olympus_codemods.editing.splits import (
    Unpacked,
    assigned,
    is_repeated,
    key_array,
    last_binding,
    lengthened,
    thrown_away,
    unpacked,
    with_size,
)
from olympus_codemods.editing.splitting import (
    FAR,
    binding,
    called,
    keep_parent,
    rebinds,
    runs_once_in,
    split_before,
    split_before_all,
    written,
)
from olympus_codemods.editing.wholeness import is_whole
from olympus_rules.finding import Applicability, Edit, Fix
from olympus_rules.keyflow.facts import EqualKeys, Place, Reuse
from olympus_rules.libraries.names import NUMPY, SPLIT
from olympus_rules.rules.key_reuse import copies_in, is_split
from olympus_rules.syntax import Document

BESIDE = 3
"""Rows that a use stands below a split whose child it can take."""
MANY = 50
"""More uses than a split is made longer for."""
ARRAYS = frozenset(f"{NUMPY}.{name}" for name in ("array", "asarray", "stack"))


class KeyReuse(Codemod):
    """Pass an unused child, or split the key."""

    code = "OLY104"

    def fix(self, fact: Reuse | EqualKeys, document: Document) -> Fix | None:
        """Return the first of eight rewrites that is correct; what a list repeats is put right there or nowhere."""
        reuse = plain(fact) if isinstance(fact, Reuse) else None
        if reuse is None or is_a_guess(reuse, document):
            return None
        fix = without_split(reuse, document)
        if fix is not None or reuse.listed is not None:
            return fix
        return keep_parent(reuse, document) or split_earlier(reuse, document) or split_before(reuse, document)

    def fix_together(self, facts: Sequence[Reuse | EqualKeys], document: Document) -> Fix | None:
        """Give all uses in one block keys of their own, unless something better than a split can be done for one."""
        plains = [plain(each) for each in facts if isinstance(each, Reuse)]
        reuses = [reuse for reuse in plains if reuse is not None]
        if any(each.listed is not None or is_a_guess(each, document) for each in reuses):
            return None
        if len(reuses) == len(facts) and (taking := take_unused_children(reuses, document)) is not None:
            return taking
        if len(reuses) == len(facts) and (earlier := split_all_earlier(reuses, document)) is not None:
            return earlier
        if len(reuses) < len(facts) or any(is_split(place) for each in reuses for place in (each.first, each.again)):
            return None
        if split_for_both(reuses[0], document):
            return None
        longer = share_out_above(reuses, document)
        return longer or (None if without_split(reuses[0], document) else split_before_all(reuses, document))

    def is_whole(self, fix: Fix, facts: Sequence[Reuse | EqualKeys], document: Document) -> bool:
        """Return whether a fix gives no two uses of a finding one key, and follows the ways of the code around it."""
        reuses = [plain(each) for each in facts if isinstance(each, Reuse)]
        whole = [reuse for reuse in reuses if reuse is not None]
        is_known = len(whole) == len(facts) and not any(is_a_guess(each, document) for each in whole)
        return is_known and is_whole(fix, whole, document) and is_fitting(fix, whole, document)


def is_fitting(fix: Fix, reuses: Sequence[Reuse], document: Document) -> bool:
    """Return whether a fix is what a person would write who knows the code around it."""
    places = [*{id(place.node): place for place in uses_of(reuses)}.values()]
    return not (
        any(misnames(fix, reuse, document) for reuse in reuses)
        or turns_over(fix, places, document)
        or splits_twice(fix, places, document)
        or are_compared(places, document)
    )


def plain(fact: Reuse) -> Reuse | None:
    """Return a reuse with the keys themselves; ``None`` if no split could put it right."""
    if fact.batch or fact.kept or fact.of_state:  # split takes one key; where the object gets its key may be before
        return None
    if fact.first.what.endswith(".__init__") and fact.again.key is None:  # any key of the new object is used twice
        return None
    return dataclasses.replace(fact, first=unwrapped(fact.first), again=unwrapped(fact.again))


def without_split(reuse: Reuse, document: Document) -> Fix | None:
    """Return the first correct rewrite of those that add no split before the uses."""
    if reuse.listed is not None:
        return split_for_list(reuse, reuse.listed, document)
    return (
        drop_repeat(reuse, document)
        or split_for_both(reuse, document)
        or take_unused_child(reuse, document)
        or split_for_comprehension(reuse, document)
        or extend_split(reuse, document)
        or take_another_index(reuse, document)
    )


def drop_repeat(reuse: Reuse, document: Document) -> Fix | None:
    """Take away a split that stands above word for word, if nothing reads the keys of that one in between."""
    if not is_repeat(document, reuse):
        return None
    again = document.statement(reuse.again.node)
    first = document.statement(reuse.first.node)
    message = f"Remove line {again.lineno}, which repeats line {first.lineno}"
    return told_fix(message, [], remove_line(document, again))


def split_earlier(reuse: Reuse, document: Document) -> Fix | None:
    """``a = normal(key)`` and ``key, _ = split(key)`` become ``key, a_key = split(key)`` and ``a = normal(a_key)``."""
    found, first = renewal(document, reuse), document.statement(reuse.first.node)
    if found is None or reuse.first.key is None or rebinds(first, reuse.first.key):
        return None
    (renewed, name), names = found, Names(document, first)
    scope, split = scope_of(document, first), names.spell(SPLIT, near=called(reuse.again))
    if split is None or not runs_once_in(document, first, reuse.first.node):
        return None
    child = child_name(names, document, reuse.first)
    names.take(child)
    line = f"{name}, {child} = {split}({dotted(reuse.first.key)})"
    message = f"Split `{dotted(reuse.first.key)}` before line {first.lineno} instead of on line {renewed.lineno}"
    edits = [insert_line(document, first, line), replace(document, reuse.first.key, cst.Name(child))]
    fix = told_fix(message, [line], *edits, remove_line(document, renewed), *names.edits())
    return binding(fix, scope, *names.taken)


def split_all_earlier(reuses: Sequence[Reuse], document: Document) -> Fix | None:
    """Do so for several draws, after which ``key, _ = split(key)`` comes too late for all of them."""
    late = [each for each in reuses if renewal(document, each) is not None]
    found = renewal(document, late[0]) if len(late) == 1 < len(reuses) else None
    if found is None or found[1] != dotted(late[0].again.key):
        return None
    draws = [each for each in reuses if each is not late[0]]
    end = document.span(found[0]).start
    if any(document.span(place.node).start >= end for place in uses_of(draws)):
        return None
    fix, removed = split_before_all(draws, document), remove_line(document, found[0])
    if fix is None or removed is None:
        return None
    edits = tuple(sorted((*fix.edits, removed), key=lambda edit: edit.span))
    message = f"{fix.message} instead of on line {found[0].lineno}"
    return dataclasses.replace(fix, message=message, advice=fix.advice.replace(fix.message, message, 1), edits=edits)


def uses_of(reuses: Sequence[Reuse]) -> list[Place]:
    """Return the places of several reuses."""
    return [place for each in reuses for place in (each.first, each.again)]


def split_for_list(fact: Reuse, element: ast.expr, document: Document) -> Fix | None:
    """``jnp.array([key, key])`` becomes ``split(key, 2)``, unless the key is used further down as well."""
    key, size, names = dotted(element), copies_in(element, document), Names(document, element)
    keys, split = array_of(element, names, document), names.spell(SPLIT, near=called(fact.again))
    if not key or not size or keys is None or split is None:
        return None
    end = document.span(keys).end
    if any(dotted(node) == key and document.span(node).start >= end for node in ast.walk(scope_of(document, element))):
        return None
    made = replace(document, keys, cst.parse_expression(f"{split}({key}, {size})"))
    return fix_of(Applicability.UNSAFE, f"Split `{key}` on line {element.lineno}", made, *names.edits())


def array_of(element: ast.expr, names: Names, document: Document) -> ast.expr | None:
    """Return the list that a loop goes over, or the array of it, that an array of keys can stand for."""
    node = document.parents[element]
    around = document.parents[node]
    if isinstance(around, ast.BinOp):
        node, around = around, document.parents[around]
    if not isinstance(node, ast.expr):
        return None
    match around:
        case ast.Call(args=[_], keywords=[]) if names.resolve(around.func) in ARRAYS:
            return around
        case ast.For(iter=source) | ast.comprehension(iter=source) if source is node:
            return node
        case ast.Call(func=ast.Name(id="zip" | "enumerate")):
            return node
    return None


def unwrapped(place: Place) -> Place:
    """Return a place with the key itself if its key is written in a container, ``{"params": key}``."""
    key = place.key
    while isinstance(key, ast.Dict | ast.List | ast.Tuple):
        parts = key.values if isinstance(key, ast.Dict) else key.elts
        key = parts[0] if len(parts) == 1 else None
    return dataclasses.replace(place, key=key)


def take_unused_child(fact: Reuse, document: Document) -> Fix | None:
    """Let one of the two consumers take the only child that nothing uses; a split keeps the parent."""
    if len(fact.unused) != 1:
        return None
    child, is_of_parent = fact.unused[0], is_split(fact.first)
    places = [fact.again, fact.first] if not is_split(fact.again) else [fact.first, fact.again]
    for place in places:
        binding = single_key_binding(document, place.node, child)
        if binding is None or place.key is None or not dominates(document, binding, place.node):
            continue
        if renews(document, place):
            continue
        if not is_of_parent and not suits(document, child, place):
            continue
        split = unpacked(document, binding)
        if place is fact.first and split is not None and child == split.parent:  # the next use would take a child
            continue
        if fact.repeated_by and innermost_loop(document, binding) is not innermost_loop(document, place.node):
            continue
        return taken(document, place.key, child)
    return None


def taken(document: Document, key: ast.expr, child: str) -> Fix | None:
    """Return the fix that puts a key which nothing uses in the place of another one."""
    message = f"Use the unused child `{child}` on line {document.span(key).start.row}"
    return told_fix(message, [], replace(document, key, cst.parse_expression(child)))


def single_key_binding(document: Document, at: ast.AST, name: str) -> ast.stmt | None:
    """Return the only statement that binds a name around a node, if it binds one key and not a key array."""
    stores = [
        node
        for node in own_nodes(scope_of(document, at))
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
    ]
    if len(stores) != 1:
        return None
    statement = document.statement(stores[0])
    if not isinstance(statement, ast.Assign):
        return None
    unpacked = isinstance(document.parents[stores[0]], ast.Tuple | ast.List)
    derived = dotted(statement.value.func) if isinstance(statement.value, ast.Call) else ""
    return statement if unpacked or derived.rpartition(".")[2] in ("fold_in", "clone") else None


def innermost_loop(document: Document, node: ast.AST) -> ast.AST | None:
    """Return the innermost statement loop around a node."""
    return next((each for each in (node, *document.around(node)) if isinstance(each, LOOPS)), None)


def split_for_comprehension(fact: Reuse, document: Document) -> Fix | None:
    """``[f(key) for i in range(n)]`` becomes ``[f(k) for i, k in enumerate(split(key, n))]``."""
    use, key = fact.again.node, fact.again.key
    node = next((each for each in (use, *document.around(use)) if isinstance(each, COMPREHENSIONS)), None)
    if fact.repeated_by != "comprehension" or node is None or key is None or not dotted(key):
        return None
    loop, times = node.generators[0], range_length(node.generators[0])
    mentions = [dotted(inner) for inner in ast.walk(node) if isinstance(inner, ast.expr)]
    if len(node.generators) > 1 or times is None or mentions.count(dotted(key)) != 1:
        return None
    names = Names(document, node)
    child = "k" if names.is_free("k") else names.fresh("subkey")
    split = names.spell(SPLIT, near=called(fact.again))
    index = dotted(loop.target)
    if split is None or not index:
        return None
    uses_index = mentions.count(index) > 1
    keys = f"{split}({document.segment(key)}, {document.segment(times)})"
    target, source = (f"{index}, {child}", f"enumerate({keys})") if uses_index else (child, keys)
    edits = [replace(document, old, cst.parse_expression(new)) for old, new in
             ((loop.target, target), (loop.iter, source), (key, child))]  # fmt: skip
    message = f"Split `{dotted(key)}` once for each element"
    return told_fix(message, [f"for {target} in {source}"], *edits, *names.edits())


def range_length(loop: ast.comprehension) -> ast.expr | None:
    """Return ``n`` of ``for … in range(n)``."""
    match loop.iter:
        case ast.Call(func=ast.Name(id="range"), args=[length], keywords=[]) if not loop.is_async:
            return length
    return None


def extend_split(fact: Reuse, document: Document) -> Fix | None:
    """Let one of the two uses take one more key of a split that stands above it."""
    return split_one_more(fact, document) or split_above(fact, document)


def split_one_more(fact: Reuse, document: Document) -> Fix | None:
    """``a, b = split(key)`` followed by a use of ``key``: the use takes one more child."""
    again = fact.again.key
    if not is_split(fact.first) or fact.repeated_by or again is None or fact.again.node is fact.first.node:
        return None
    split = unpacked(document, document.statement(fact.first.node))
    if split is None or split.call is not fact.first.node or dotted(again) in split.bound:
        return None
    if not dominates(document, split.statement, fact.again.node):
        return None
    return split_off(document, split, fact.again)


def split_above(fact: Reuse, document: Document) -> Fix | None:
    """``k1, k2 = split(key)`` followed by two uses of ``k1``: the second one takes ``k3``.

    After ``key, a_key = split(key)``, the first one takes a child, since ``key`` is what is carried on.
    """
    found = []
    places = (fact.again,) if is_given_back(fact, document) else (fact.first, fact.again)
    for place in places:
        name = dotted(place.key)
        split = unpacked(document, last_binding(document, place.node, name)) if name else None
        if split is not None and name in split.bound and split.call is not place.node:
            found.append((place, split))
    is_other = fact.again.key is None or dotted(fact.again.key) != dotted(fact.first.key)
    if is_other and len(found) == 1 and found[0][0] is fact.first and found[0][1].parent != dotted(fact.first.key):
        return None  # that one takes the child that is named for it; the other one is to take another key
    is_carried = bool(found) and found[0][1].parent == dotted(found[0][0].key)
    is_far = is_carried and is_apart(document, found[0][1], fact, found[0][0])
    if is_far and thrown_away(found[0][1]) is None:
        return None  # a split beside the uses reads better
    fixes = (
        split_off(document, split, place, is_first=place is fact.first and len(places) > 1)
        for place, split in (found if is_carried or prefers_again(document, fact) else reversed(found))
    )
    return next((fix for fix in fixes if fix is not None), None)


def is_apart(document: Document, split: Unpacked, reuse: Reuse, taker: Place) -> bool:
    """Return whether a split is far from the second use, and not just above the one that is to take its child."""
    rows = [document.span(place.node).start.row - split.statement.lineno for place in (reuse.again, taker)]
    return rows[0] > FAR and rows[1] > BESIDE


def share_out_above(reuses: Sequence[Reuse], document: Document) -> Fix | None:
    """``k1, k2 = split(key)`` followed by several uses of ``k1``: those after the first one take more children.

    If at most one of those runs, the first use takes one.
    """
    if not 2 <= len(reuses) <= MANY or reuses[0].again.key is None:
        return None
    places = sorted((each.again for each in reuses), key=lambda place: document.span(place.node).start)
    if not any(may_follow(document, one.node, two.node) for one, two in combinations(places, 2)):
        places = [reuses[0].first]
    names = [dotted(place.key) if place.key is not None else "" for place in places]
    bindings = [last_binding(document, place.node, name) for place, name in zip(places, names, strict=True) if name]
    split = unpacked(document, bindings[0]) if bindings else None
    if split is None or bindings != [split.statement] * len(places):
        return None
    if split.parent in names or isinstance(scope_of(document, split.statement), ast.ClassDef):
        return None
    if any(is_repeated(document, split.statement, place.node) for place in places):
        return None
    spare: list[str] = []
    for place in places:
        left = (name for name in spare_keys(document, split, place, is_first=True) if name in split.bound)
        spare += [next((name for name in left if name not in spare), "")]
    return shared_out(document, split, places, [*takewhile(bool, spare)])


def is_given_back(fact: Reuse, document: Document) -> bool:
    """Return whether the first use seems to return its key, as in ``x, key = f(k)``: it would return any other one."""
    return fact.again.key is not None and dotted(fact.again.key) in assigned(document.statement(fact.first.node))


def take_unused_children(reuses: Sequence[Reuse], document: Document) -> Fix | None:
    """``k1, k2 = split(key)`` followed by several uses of ``key``: each takes a child that nothing reads."""
    first, places = reuses[0].first, [each.again for each in reuses]
    split = unpacked(document, document.statement(first.node)) if is_split(first) else None
    if split is None or split.call is not first.node or len(places) < 2:
        return None
    if any(each.first.node is not first.node or each.repeated_by or each.again.key is None for each in reuses):
        return None
    spare: list[str] = []
    for place in places:
        if not dominates(document, split.statement, place.node) or is_repeated(document, split.statement, place.node):
            return None
        left = (name for name in split.bound if name not in (split.parent, *spare) and suits(document, name, place))
        spare += [next((name for name in left if is_spare(document, split.statement, name, place)), "")]
    return shared_out(document, split, places, spare) if all(spare) else None


def split_for_both(fact: Reuse, document: Document) -> Fix | None:
    """``key, k = split(key)`` followed by two uses of ``key``, which is handed on: both uses take other keys.

    Where a spare key is named as the next one, that is handed on, and one of the uses keeps ``key``.
    """
    first, again = fact.first, fact.again
    if fact.repeated_by or first.node is again.node or first.key is None or again.key is None:
        return None
    split = unpacked(document, last_binding(document, again.node, dotted(again.key)))
    if split is None or last_binding(document, first.node, dotted(first.key)) is not split.statement:
        return None
    reads = handed_on(document, split, first, again)
    if not reads or any(is_repeated(document, split.statement, place.node) for place in (first, again)):
        return None
    spare = [*spare_keys(document, split, first)]
    following = [name for name in spare if NEXT.match(name)]
    if following and len(reads) == 1 and document.span(reads[0]).start > document.span(again.node).end:
        edit = replace(document, reads[0], cst.Name(following[0]))
        return shared_out(document, split, [again], [], edit, and_so=f" and hand on `{following[0]}`,")
    return shared_out(document, split, [first, again], [name for name in spare if name not in following][:2])


def shared_out(
    document: Document,
    split: Unpacked,
    places: Sequence[Place],
    spare: Sequence[str],
    *edits: Edit | None,
    and_so: str = "",
) -> Fix | None:
    """Return the fix that gives places keys of a split: spare ones, and then as many more as are needed.

    Args:
        document: the file.
        split: the split.
        places: the uses.
        spare: keys that nothing else reads, at most one for each place.
        edits: what is changed besides.
        and_so: how the message says that.
    """
    if any(renews(document, place) for place in places):
        return None
    names, siblings = Names(document, split.statement), [name for name in split.bound if name != split.parent]
    for place in places[len(spare) :]:
        names.take(child_name(names, document, place, [*siblings, *names.taken]))
    children, row = [*names.taken], split.statement.lineno
    taken = [replace(document, each.key, cst.Name(name)) if each.key is not None else None
             for each, name in zip(places, (*spare, *children), strict=True)]  # fmt: skip
    if not children:
        return told_fix(f"Use the unused children {listing(spare)} on line {row}", [], *taken, *edits)
    longer = lengthened(document, split, *children)
    if longer is None:
        return None
    is_kept = len(children) == 1 and thrown_away(split) is not None
    more = f"{written(len(children))} more key{'s' if len(children) > 1 else ''}"
    message = f"Keep the child `_` as `{children[0]}`" if is_kept else f"Split off {more}, {listing(children)},"
    also = f" and use the unused child {listing(spare)}," if spare else and_so
    code, made = longer
    return binding(told_fix(f"{message}{also} on line {row}", [code], *made, *taken, *edits), split.scope, *children)


def listing(names: Sequence[str]) -> str:
    """Return names as they stand in a sentence."""
    return " and ".join(f"`{name}`" for name in names)


def split_off(document: Document, split: Unpacked, place: Place, *, is_first: bool = False) -> Fix | None:
    """Return the fix that makes a split longer by one key, which a place takes, unless a child of it is spare."""
    scope = scope_of(document, split.statement)
    if isinstance(scope, ast.ClassDef) or place.key is None or is_repeated(document, split.statement, place.node):
        return None
    if renews(document, place):
        return None
    child = next(spare_keys(document, split, place, is_first=is_first), None)
    return taken(document, place.key, child) if child is not None else shared_out(document, split, [place], [])


def take_another_index(fact: Reuse, document: Document) -> Fix | None:
    """``keys = split(key, 3)`` followed by two uses of ``keys[0]``: the second one takes a number that nothing uses."""
    key = fact.again.key
    if fact.repeated_by not in ("", "arguments") or not isinstance(key, ast.Subscript) or not dotted(key.value):
        return None
    name = dotted(key.value)
    keys = key_array(document, last_binding(document, fact.again.node, name))
    if keys is None or keys.free is None or is_repeated(document, keys.statement, fact.again.node):
        return None
    child, scope = f"{name}[{keys.free}]", scope_of(document, keys.statement)
    if keys.free < keys.size:
        return binding(taken(document, key, child), scope, child)
    edits = [replace(document, key, cst.parse_expression(child)), with_size(document, keys.call, keys.size + 1)]
    message = f"Split off one more key, `{child}`, on line {keys.statement.lineno}"
    return binding(told_fix(message, [keys.longer], *edits), scope, child)
