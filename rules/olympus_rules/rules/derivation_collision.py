"""OLY108: two derivations give equal children although they look independent."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import NamedTuple

from olympus_rules.finding import Applicability, Finding, Related
from olympus_rules.keyflow.facts import DerivationCollision, Place
from olympus_rules.libraries.names import FOLD_IN, RANDOM
from olympus_rules.rule import Rule
from olympus_rules.rules.wording import FUNCTIONS, bound_in, line, names_in, related, the_key, written_in
from olympus_rules.syntax import Document


class DerivationCollisionRule(Rule):
    """Equal children of one parent."""

    code = "OLY108"
    name = "derivation-collision"
    summary = "Two derivations of one key give equal children"
    fix = Applicability.SAFE
    facts = (DerivationCollision,)
    events = ("collision", "derived", "reuse")
    has_two_places = True

    def check(self, fact: DerivationCollision, document: Document) -> Finding:
        """Name both derivations and the change that makes their children differ."""
        places: tuple[Related, ...] = ()
        if fact.first is not None and fact.first.node is not fact.node:
            places = (related(document, fact.first.node, "the other derivation"),)
        return self.finding(fact, document, message(fact, document), places)


def _splitter(place: Place | None, article: str) -> str:
    """Return what splits a key, which may be a function that is called."""
    if place is None or place.what.startswith(f"{RANDOM}."):
        return f"{article} split"
    return f"{article.replace('This', 'The')} split in `{place.what}`"


def message(fact: DerivationCollision, document: Document) -> str:
    """Say which children are equal and what to do."""
    key = the_key(fact, "this key")
    other = f" on {line(document, fact.first.node)}" if fact.first is not None else ""
    if fact.how == "split-then-index":
        datum = document.segment(fact.index) if fact.index is not None else "i"
        fold_in = written_in(document, fact.node, "fold_in")
        return (
            f"The last of `{datum} + 1` keys split from {key} is what `fold_in` gives at once, and every "
            f"longer split has it too. Use `{fold_in}({fact.key or 'key'}, {datum})`."
        )
    if fact.how == "splits-share-children":
        again, first = _splitter(fact.again, "This"), _splitter(fact.first, "the")
        return (
            f"{again} of {key} shares children with {first}{other}: the first keys of a longer split are those of a "
            f"shorter one. Split once into as many keys as are needed."
        )
    if fact.how == "split-beside-fold_in":
        key = "two keys of one seed" if fact.is_apart else key
        derivations = ["`split`", "`fold_in`"]
        derivations[not fact.is_split_first] += other
        return (
            f"{' and '.join(derivations)} of {key} give the same children: `split(key)[i]` equals "
            f"`fold_in(key, i)`. Use one of the two on a key, or split first and fold into a child."
        )
    if fact.how == "call-beside-fold_in":
        caller = next((each.what for each in (fact.first, fact.again) if each and each.what != FOLD_IN), "")
        takers = [f"`{caller}`", "`fold_in`"]
        takers[fact.first is not None and fact.first.what == FOLD_IN] += other
        return (
            f"{' and '.join(takers)} take {key}: if `{caller}` splits it, the two have a child in common, as "
            f"`split(key)[i]` equals `fold_in(key, i)`. Split first, and fold into a child."
        )
    if fact.repeated_by:
        return _in_loops(fact, document) or (
            f"`fold_in` of {key} gets the same data each time (repeated by a {fact.repeated_by}), so every "
            f"child is the same key. Fold in something that changes, such as the index."
        )
    return f"`fold_in` of {key} gets the same data as{other}, so the two children are equal. Use different data."


def _in_loops(fact: DerivationCollision, document: Document) -> str:
    """Say which of several loops the data leave out; empty if they name none of the loops."""
    if not isinstance(fact.node, ast.Call):
        return ""
    data = next((k.value for k in fact.node.keywords if k.arg == "data"), (*fact.node.args, None, None)[1])
    names = set(names_in(fact.node.args[0])) if fact.node.args else set()
    loops = [loop for loop in _loops_around(fact.node, document) if names.isdisjoint(bound_in(loop.node))]
    if data is None or len(loops) < 2:
        return ""
    named = _names(data, [loop.node for loop in loops])
    missing = next((loop for loop in loops if named.isdisjoint(loop.names)), None)
    fold_in = written_in(document, fact.node, "fold_in")
    written, key, subject = document.segment(data), fact.key or "key", the_key(fact, "this key")
    if missing is None:
        folded = _folded(fold_in, key, dict.fromkeys(name for loop in loops for name in loop.names if name in named))
        return (
            f"`fold_in` of {subject} gets `{written}`, which is the same for several iterations of these loops, so "
            f"their children are equal. Fold in one after the other: `{folded}`."
        )
    if all(named.isdisjoint(loop.names) for loop in loops):
        return ""
    said = f"`{missing.counter}`" if missing.counter else "a counter of that loop"
    further = missing.counter or "i"
    folded = _folded(fold_in, key, (further, written) if missing is loops[0] else (written, further))
    return (
        f"`fold_in` of {subject} gets the same `{written}` in every iteration of the loop on "
        f"{line(document, missing.node)}, so each makes the same keys again. Fold in {said} as well: `{folded}`."
    )


def _folded(fold_in: str, key: str, data: Iterable[str]) -> str:
    """Return the expression that folds several data into a key, one after the other."""
    for each in data:
        key = f"{fold_in}({key}, {each})"
    return key


class _Around(NamedTuple):
    """A loop around a place: its node, the names that it binds, and the one that counts (or empty)."""

    node: ast.AST
    names: list[str]
    counter: str


def _loops_around(node: ast.AST, document: Document) -> Iterator[_Around]:
    """Yield the loops around a node in its function, the outermost first."""
    found: list[_Around] = []
    for parent in takewhile(lambda each: not isinstance(each, FUNCTIONS), document.around(node)):
        if isinstance(parent, ast.For | ast.AsyncFor):
            found.append(_Around(parent, names_in(parent.target), _counter(parent.target, parent.iter)))
        elif isinstance(parent, ast.While):
            found.append(_Around(parent, [], ""))
        elif isinstance(parent, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
            parts = reversed(parent.generators)
            found += [_Around(each.target, names_in(each.target), _counter(each.target, each.iter)) for each in parts]
    yield from reversed(found)


def _counter(target: ast.expr, iterable: ast.expr) -> str:
    """Return the variable that counts the iterations, empty if there is none or it is called ``_``."""
    match iterable, target:
        case (ast.Call(func=ast.Name(id="range")), ast.Name(id=name)) | (
            ast.Call(func=ast.Name(id="enumerate")),
            ast.Tuple(elts=[ast.Name(id=name), *_]),
        ):
            return "" if name == "_" else name
    return ""


def _names(data: ast.expr, loops: list[ast.AST]) -> set[str]:
    """Return the names in an expression, and in what the loops assign to them."""
    names = set(names_in(data))
    assigned = [part for loop in loops for part in ast.walk(loop) if isinstance(part, ast.Assign)]
    for part in assigned:
        if any(isinstance(target, ast.Name) and target.id in names for target in part.targets):
            names |= set(names_in(part.value))
    return names
