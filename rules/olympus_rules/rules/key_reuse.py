"""OLY104: one key is consumed twice on one path."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile

from olympus_rules.finding import Applicability, Confidence, Finding, Related, Step
from olympus_rules.keyflow.facts import EqualKeys, Origin, Place, Reuse
from olympus_rules.libraries.names import TREE_MAP
from olympus_rules.rule import Rule
from olympus_rules.rules.wording import FUNCTIONS, bound_in, line, names_in, related, the_key, written_in
from olympus_rules.syntax import Document
from olympus_rules.syntax.document import every_node, nodes_in

EFFECTS = {
    "same-draw": "so both calls get the same bits",
    "same-children": "so both splits give the same children",
    "dependent": "so the two results are not independent",
}
REPEATED_EFFECTS = {
    "same-draw": "so all of them get the same bits",
    "same-children": "so all of them get the same children",
    "dependent": "so their results are not independent",
}
REPEATS = {
    "loop": "in every iteration of the loop",
    "comprehension": "for every element of the comprehension",
    "outer loop": "in every iteration of the outer loop",
    "outer comprehension": "for every element of the outer comprehension",
    "call": "each time the function is called",
    "arguments": "in two of its arguments",
    TREE_MAP: "for every leaf of `jax.tree.map`",
}
OF_STATE = (
    "A copy, and what JAX hands to a compiled function, starts from the counts of its original: keep the state with "
    "the new counts, or reseed the copy."
)
OF_HANDED_STATE = "It returns a state with the next key: go on with that one."
COMPILES = re.compile(r"jit\b|\bpmap\b")
REORDERING = frozenset({"choice", "permutation", "shuffle"})


class KeyReuse(Rule):
    """Two consumptions of one key identity."""

    code = "OLY104"
    name = "key-reuse"
    summary = "A key is consumed more than once on one path"
    fix = Applicability.UNSAFE
    facts = (Reuse, EqualKeys)
    events = ("reuse",)
    has_two_places = True

    def matters_in_tests(self, fact: Reuse | EqualKeys) -> bool:
        """Two draws that the file writes itself and that get the same bits: arrays that it takes for independent.

        What a test hands to the code under test may be equal, and often has to be, and a key that is made again from
        its seed is meant to be.
        """
        if isinstance(fact, EqualKeys):
            return False
        return fact.effect == "same-draw" and is_sampler(fact.first) and is_sampler(fact.again)

    def check(self, fact: Reuse | EqualKeys, document: Document) -> Finding:
        """Name both consumers, what the reuse does, and the split or child to use."""
        if isinstance(fact, EqualKeys):
            places = tuple(dict.fromkeys((*first_place(fact, document), *constructors(fact, document))))
            found = self.finding(fact, document, equal(fact, document), places, fact.effect)
            return replace(found, lineage=tuple(step(origin, document) for origin in fact.lineage))
        places = ()
        if is_alike_on_purpose(fact):  # the rows of the leaves belong together
            return replace(self.finding(fact, document, alike(fact), (), fact.effect), confidence=Confidence.POSSIBLE)
        if fact.kept:
            message = f"{kept(fact, document)} {advice(fact, document)}"
            if fact.first.node is not fact.again.node:
                place = related(document, fact.first.node, f"consumed again here, by `{fact.first.what}`")
                places = (replace(place, later=True),)
        elif fact.listed is not None:
            message = listed(fact, fact.listed, document)
            places = (replace(related(document, fact.listed, "the list holds the key again here"), aside=True),)
        elif fact.first.node is fact.again.node:
            message = f"{repeated(fact)} {advice(fact, document)}"
        elif fact.of_state:
            message = f"{copied(fact, document)} {advice(fact, document)}"
            places = (related(document, fact.first.node, f"first drawn from here, by `{caller(fact.first)}`"),)
        else:
            message = f"{twice(fact, document)} {advice(fact, document)}"
            places = first_place(fact, document)
        found = self.finding(fact, document, message, places, fact.effect)
        return replace(found, lineage=tuple(step(origin, document) for origin in fact.lineage))


def step(origin: Origin, document: Document) -> Step:
    """Return a step on the way of a key with its row."""
    row = 0 if origin.node is None else document.span(origin.node).start.row
    return Step(origin.kind, origin.label, origin.how, row)


def first_place(fact: Reuse | EqualKeys, document: Document) -> tuple[Related, ...]:
    """Return the first consumption, if it is another place."""
    if fact.first.node is fact.again.node:
        return ()
    return (related(document, fact.first.node, f"first consumed here, by `{fact.first.what}`"),)


def equal(fact: EqualKeys, document: Document) -> str:
    """Say that two keys are equal as they are made from one seed, and what to do."""
    said = f"{subject(fact)}, which `{fact.again.what}` consumes,"
    if fact.first.node is fact.again.node and fact.repeated_by == "call":
        seed = f"the seed `{fact.seed}`" if fact.seed else "one seed"
        return (
            f"`{fact.again.what}` makes two keys from {seed} and consumes both, {EFFECTS[fact.effect]}. "
            f"Make one key and split it."
        )
    if fact.first.node is fact.again.node:
        when = REPEATS.get(fact.repeated_by, f"in every step of `{fact.repeated_by}`")
        before = " before the loop" if fact.repeated_by == "loop" else ""
        effect = REPEATED_EFFECTS[fact.effect]
        return f"{said} is made anew from one seed {when}, {effect}. Make one key{before} and split it."
    seed = f"the seed `{fact.seed}`" if fact.seed else "one seed"
    is_here = all(is_split(place) or is_sampler(place) for place in (fact.first, fact.again))
    advice = "Make one key and split it." if is_here else "Make one key, split it, and hand each its own child."
    return (
        f"{said} equals the one that `{fact.first.what}` consumed on {line(document, fact.first.node)}: both are made "
        f"from {seed}, {EFFECTS[fact.effect]}. {advice}"
    )


def constructors(fact: EqualKeys, document: Document) -> Iterator[Related]:
    """Yield where the two keys are made, unless that is in the row in which they are used."""
    rows = {document.span(place.node).start.row for place in (fact.first, fact.again)}
    for place, made in zip((fact.first, fact.again), fact.made, strict=True):
        if made is None or fact.first.node is fact.again.node:
            continue
        filename, span = made
        if filename != document.filename or span.start.row not in rows:
            yield Related(f"the key for `{place.what}` is made here", filename, span)


def subject(fact: Reuse | EqualKeys) -> str:
    """Return the key as the subject of a sentence."""
    if not fact.key:
        return f"A key from `{fact.root}`" if fact.root else "This key"
    is_array = isinstance(fact, Reuse) and fact.batch
    return f"Key array {the_key(fact)}" if is_array else f"Key {the_key(fact)}"


def twice(fact: Reuse, document: Document) -> str:
    """Say that a second place consumes the key."""
    first = line(document, fact.first.node)
    when = " in the next iteration of the loop" if is_next_pass(fact, document) else ""
    effect = EFFECTS.get(fact.effect, EFFECTS["dependent"])
    said = f"is consumed again by `{fact.again.what}`{when}"
    if fact.taker:
        said = f"stays in `{fact.again.what}`, from which the next call of `{fact.taker}` consumes it"
    return f"{subject(fact)} {said}: {what_it_did(fact.first)} on {first}, {effect}."


def is_next_pass(fact: Reuse, document: Document) -> bool:
    """Return whether the second place stands above the first one, to which a loop around both comes later."""
    first, again = fact.first.node, fact.again.node
    is_above = document.span(again).start < document.span(first).start
    return is_above and not loops(again, document).isdisjoint(loops(first, document))


def loops(node: ast.AST, document: Document) -> set[ast.AST]:
    """Return the loops around a node in its function."""
    inside = takewhile(lambda each: not isinstance(each, FUNCTIONS), document.around(node))
    return {each for each in inside if isinstance(each, ast.For | ast.AsyncFor | ast.While)}


def what_it_did(place: Place) -> str:
    """Say what a consumer did with the key, in the past tense."""
    if is_split(place):
        return f"`{place.what}` split it"
    if is_sampler(place):
        return f"`{place.what}` drew from it"
    return f"`{place.what}` consumed it"


def is_split(place: Place) -> bool:
    """Return whether a place splits its key."""
    return place.what.endswith("random.split")


def is_sampler(place: Place) -> bool:
    """Return whether a function of ``jax.random`` draws from the key."""
    return ".random." in f".{place.what}" and not is_split(place)


def repeated(fact: Reuse) -> str:
    """Say that one place consumes the key over and over."""
    when = REPEATS.get(fact.repeated_by, f"in every step of `{fact.repeated_by}`")
    effect = REPEATED_EFFECTS.get(fact.effect, REPEATED_EFFECTS["dependent"])
    if fact.of_state:
        return f"`{caller(fact.again)}` draws from one random state {when}, {effect}."
    return f"{subject(fact)} is consumed by `{fact.again.what}` {when}, {effect}."


def listed(fact: Reuse, element: ast.expr, document: Document) -> str:
    """Say that a list gives one key more than once, and what to put in the list's place."""
    effect = REPEATED_EFFECTS.get(fact.effect, REPEATED_EFFECTS["dependent"])
    where = line(document, element)
    said = f"{subject(fact)} is consumed by `{fact.again.what}` each time that the list on {where} gives it, {effect}."
    size = copies_in(element, document)
    instead = f": `{written_in(document, fact.again.node)}({fact.key}, {size})`" if fact.key and size else ""
    return f"{said} Give each element a key of its own{instead}."


def copies_in(element: ast.expr, document: Document) -> str:
    """Return how often a list holds an element that it holds alone, as it is written; empty if it holds others."""
    display = document.parents[element]
    match display, document.parents[display]:
        case ast.List(elts=[_]), ast.BinOp(left=left, right=right):
            return ast.unparse(right if left is display else left)
        case ast.List(elts=items) | ast.Tuple(elts=items), _:
            return str(len(items)) if len({ast.unparse(item) for item in items}) == 1 else ""
    return ""


def copied(fact: Reuse, document: Document) -> str:
    """Say that a copy draws from the random state from which its original, or another copy, has drawn."""
    effect = EFFECTS.get(fact.effect, EFFECTS["dependent"])
    first = f"`{caller(fact.first)}` drew from on {line(document, fact.first.node)}"
    return f"`{caller(fact.again)}` draws from the random state that {first}, {effect}."


def caller(place: Place) -> str:
    """Return how the callee of a place is written."""
    return ast.unparse(place.node.func) if isinstance(place.node, ast.Call) else place.what


def kept(fact: Reuse, document: Document) -> str:
    """Say that an object keeps a consumed key, and who consumes it from there."""
    where = f"`{fact.kept}`" if "." in fact.kept else f"attribute `{fact.kept}`"
    said = f"{subject(fact)} is consumed by `{fact.again.what}` and stays in {where}"
    if fact.first.node is fact.again.node:
        return f"{said}, so that each call of `{fact.taker}` consumes it again."
    effect = EFFECTS.get(fact.effect, EFFECTS["dependent"])
    return f"{said}, which `{fact.taker}` consumes on {line(document, fact.first.node)}, {effect}."


def is_alike_on_purpose(fact: Reuse) -> bool:
    """Return whether one key permutes, or chooses from, all leaves of a tree."""
    return fact.repeated_by == TREE_MAP and fact.sampler.rpartition(".")[2] in REORDERING


def alike(fact: Reuse) -> str:
    """Say what one key for all leaves does, which is mostly intended."""
    return (
        f"{subject(fact)} is consumed by `{fact.again.what}` {REPEATS[fact.repeated_by]}, so all leaves of one length "
        f"are reordered alike and their rows stay together. Only leaves that do not belong together take keys of "
        f"their own."
    )


def made_by(place: Place, document: Document) -> set[str]:
    """Return the names that the statement of a place binds; they do not exist before it."""
    statement = document.statement(place.node)
    if not isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
        return set()
    return bound_in(statement)


def keeper(fact: Reuse, document: Document) -> str:
    """Return the compiled function to which the key is a constant: it does not come in through a traced argument."""
    call, key = fact.again.node, fact.again.key
    if isinstance(key, ast.Attribute):
        around = compiled_around(document, call)
        return around.name if around is not None and is_constant_in(around, key) else ""
    if key is not None or not (fact.key and isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
        return ""
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    is_given = any(fact.key.partition(".")[0] in names_in(each) for each in given)
    return call.func.id if not is_given and is_compiled(call.func.id, document) else ""


def is_compiled(called: str, document: Document) -> bool:
    """Return whether ``jit`` has compiled a function of the file: what it reads from outside is a constant."""
    makers: list[ast.expr] = []
    for node in nodes_in(document.tree) if "jit" in document.text else ():
        match node:
            case ast.FunctionDef(name=name) if name == called:
                makers += node.decorator_list
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=maker)) if name == called:
                makers.append(maker)
    names = [part for maker in makers for part in every_node(maker)]
    return any(name.endswith("jit") for part in names if (name := getattr(part, "attr", "") or getattr(part, "id", "")))


def compiled_around(document: Document, node: ast.AST) -> ast.FunctionDef | None:
    """Return the compiled function or method around a node: what it assigns to an object is lost."""
    functions = (each for each in document.around(node) if isinstance(each, ast.FunctionDef))
    return next((each for each in functions if COMPILES.search(" ".join(map(ast.unparse, each.decorator_list)))), None)


def is_constant_in(function: ast.FunctionDef, key: ast.Attribute) -> bool:
    """Return whether a compiled function reads a key from outside, or from an argument that it is told is static."""
    options = [part for each in function.decorator_list for part in every_node(each) if isinstance(part, ast.keyword)]
    static = {
        part.value
        for option in options
        if (option.arg or "").startswith("static")
        for part in every_node(option.value)
        if isinstance(part, ast.Constant)
    }
    parameters = enumerate([*function.args.posonlyargs, *function.args.args])
    constant = {each.arg for place, each in parameters if not static.isdisjoint((place, each.arg))}
    bound = {part.arg for part in every_node(function) if isinstance(part, ast.arg)} | bound_in(function)
    return (bound - constant).isdisjoint(names_in(key))


def in_method(fact: Reuse, document: Document) -> str:
    """Return the next step where a method draws from a key that its object keeps: it is taken there."""
    method = fact.again.what
    if fact.inside is not None and fact.inside.key is not None and not is_split(fact.inside):
        key = ast.unparse(fact.inside.key)
        return f"Split it in `{method}`: `{key}, subkey = {written_in(document, fact.inside.node)}({key})`."
    if fact.first.what.endswith(".__init__"):
        return f"Let `{fact.first.what}` keep a child of the key that it consumes."
    return f"Let `{method}` replace the key by a child of it, or give it a key at each call."


def advice(fact: Reuse, document: Document) -> str:
    """Return the next step: to use an unused child, or else to split."""
    if fact.of_state:
        return OF_HANDED_STATE if fact.sampler else OF_STATE
    if fact.stored:
        return in_method(fact, document)
    is_made = bool(fact.unused) and not is_next_pass(fact, document)
    made = made_by(fact.again, document) if is_made else set()
    unused = [name for name in fact.unused if name not in made]
    if unused:
        names = " or ".join(f"`{name}`" for name in unused)
        verb = "is" if len(unused) == 1 else "are"
        is_at_first = is_split(fact.again) and fact.first.node is not fact.again.node  # a split keeps the parent
        where = f"on {line(document, fact.first.node)}" if is_at_first else "here"
        return f"{names} {verb} never used; was it meant {where}?"
    function = keeper(fact, document)
    if function:
        return f"`{function}` is compiled and keeps the key that it reads first: pass it the key as an argument."
    key, split = fact.key or "key", written_in(document, fact.again.node)
    if fact.kept and key.replace(".", "").isidentifier():
        new, child = ("new_key", "key") if key == "subkey" else ("key", "subkey")
        return f"Keep a child of it: `{new}, {child} = {split}({key})`."
    if fact.repeated_by.startswith("outer "):
        return "Make the keys anew there, from another key each time."
    if fact.batch:
        return "Give each use keys of its own: split each key first, or split the parent into more."
    if fact.repeated_by == TREE_MAP:
        return "Give each leaf a key of its own, split to the structure of the tree."
    if fact.repeated_by == "comprehension":
        return f"Give each element its own key: `for {'k' if key != 'k' else 'subkey'} in {split}({key}, n)`."
    if fact.repeated_by not in ("", "loop", "call", "arguments"):
        return f"Carry the key and split it in the body, or map over `{split}({key}, n)`."
    where = " in the loop" if fact.repeated_by == "loop" else ""
    if not key.replace(".", "").isidentifier():
        return f"Split it first{where} with `{split}`."
    is_lost = "." in key and not where and compiled_around(document, fact.again.node) is not None
    new, child = "key" if is_lost else key, "subkey" if key != "subkey" else "subkey_1"
    return f"Split it first{where}: `{new}, {child} = {split}({key})`."
