"""Pairs of consumptions of one key, as facts with their confidence.

``certain``: every call on the way is known. ``likely``: the value is a known key, and a callable whose source is out
of reach took it, or it is a key by its name and its annotation. ``possible``: the value is a key by its name only, or
a class took it that may only store it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from olympus_rules.code.names import dotted_name
from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.domain.ledger import STATE_OF_OBJECT, Certainty, Consumption, certainty_of
from olympus_rules.keyflow.domain.run import Run
from olympus_rules.keyflow.domain.steady import is_immutable, is_steady
from olympus_rules.keyflow.domain.terms import Term, Terms
from olympus_rules.keyflow.facts import Fact, Place
from olympus_rules.keyflow.judging.counters import takes_counter
from olympus_rules.keyflow.judging.derivations import MET, derivation_facts
from olympus_rules.keyflow.judging.descent import Descent, uses
from olympus_rules.keyflow.judging.forgotten_splits import is_forgotten
from olympus_rules.keyflow.judging.handed_on import is_handed_on
from olympus_rules.keyflow.judging.meant import is_meant, is_said
from olympus_rules.keyflow.judging.remade import (
    attribute_of,
    made_at,
    most_sure,
    shared_seed,
    written_seed,
)
from olympus_rules.keyflow.notes.annotated import is_declared_text, library_class
from olympus_rules.keyflow.notes.pending import spelled
from olympus_rules.libraries.names import TREE_MAP

COPY = re.compile(r"target|teacher|(^|_)(best|ema|loaded|old|prev|previous|ref|restored|slow)(_|$)|average|copy")
"""Names of parameters that follow others, or are read from elsewhere."""


def reuses(file: File, run: Run) -> Iterator[Fact]:
    """Return the reuses and derivation collisions of one function."""
    if not run.ledger.consumptions and not run.events.derivations:
        return
    derivations = list(derivation_facts(file, run))
    collided = {fact.node for fact in derivations if isinstance(fact, facts.DerivationCollision)}
    children = {derivation.child for derivation in run.events.derivations if derivation.node in collided}
    descent = cache(lambda: Descent(file, run))  # made for the first reuse, so that a function without one pays nothing
    for first, again in run.ledger.pairs(run.knowledge.is_concerned):
        if again.term in children:
            continue  # the derivation is the mistake
        fact = _reuse(file, run, first, again, descent)
        if fact is not None:
            yield fact
    for first, again in run.ledger.remade():
        fact = _equal_keys(file, run, first, again, descent)
        if fact is not None:
            yield fact
    yield from derivations


def _weighed(file: File, run: Run, first: Consumption, again: Consumption) -> Confidence | None:
    """Return the confidence of a reuse with what speaks for its being meant; ``None`` if nothing shows a key."""
    confidence = _confidence(file, run, first, again)
    if confidence is None:
        return None
    if confidence == Confidence.CERTAIN and any(
        use.computed
        or use.term in run.knowledge.past_end
        or not is_steady(file, use.term)
        or (use.inside is not None and run.decisions.needs_items(use.path))
        for use in (first, again)
    ):
        confidence = Confidence.LIKELY
    if again.loop == TREE_MAP and first.node is again.node:
        is_leaf = _is_layer_of_tree(file, again)  # a tree may have one leaf, and other layers than those that draw
        confidence = min(confidence, Confidence.POSSIBLE if is_leaf else Confidence.LIKELY)
    if any(_may_draw(file, run, use.term) for use in (first, again)):
        confidence = Confidence.POSSIBLE
    if confidence < Confidence.LIKELY and not is_test(file) and _initialises_two(file, run, first, again):
        confidence = min(MET[run.ledger.meeting(first, again)], Confidence.LIKELY)
    if any(_is_made_equal(file, use) for use in (first, again)):
        confidence = Confidence.POSSIBLE  # a target network starts with the parameters of the network that it follows
    if any(_is_waited_for(file, use.node) for use in (first, again)):
        confidence = Confidence.POSSIBLE  # a benchmark, which throws its numbers away
    if all(_is_of_immutable_object(file, run, use) for use in (first, again)):
        confidence = Confidence.POSSIBLE  # a random function, which is to give the same at the same place
    if confidence > Confidence.POSSIBLE and is_meant(file.document, first, again):
        confidence = Confidence.POSSIBLE
    return confidence


def _is_layer_of_tree(file: File, use: Consumption) -> bool:
    """Return whether a mapped function calls its argument, a leaf of the tree, and gives it a key by a keyword."""
    match use.node:
        case ast.Call(func=ast.Name(id=name), keywords=keywords) if use.key in [each.value for each in keywords]:
            around = file.document.around(use.node)
            scope = next(each for each in around if isinstance(each, ast.Lambda | ast.FunctionDef | ast.Module))
            return not isinstance(scope, ast.Module) and name in [each.arg for each in scope.args.args]
    return False


def _may_draw(file: File, run: Run, term: Term) -> bool:
    """Return whether a key is an attribute of what is called a random generator: each read may give another one."""
    owner = run.terms.args(term)[0] if run.terms.operation(term) == "attr" else None
    return owner in run.knowledge.generators and not is_steady(file, term)


def _reuse(file: File, run: Run, first: Consumption, again: Consumption, descent: Callable[[], Descent]) -> Fact | None:
    confidence = _weighed(file, run, first, again)
    if confidence is None:
        return None
    handed_on = first.certainty == Certainty.KNOWN and is_handed_on(run, again)
    if handed_on:
        confidence = min(MET[run.ledger.meeting(first, again)], Confidence.LIKELY)
    of_state = again.draw == STATE_OF_OBJECT
    listed = run.events.repeated.get(again.term) if first.node is again.node and again.loop else None
    if listed is not None and is_said(file.document, listed, listed):
        confidence = Confidence.POSSIBLE
    key = "" if of_state else spelled(listed) if listed is not None else _name_of(run, first, again)
    kind = run.knowledge.kind(again.term)
    one, two = Place(first.node, first.what, first.key), Place(again.node, again.what, again.key)
    repeated = _repeated_by(first, again)
    node = again.node
    if first.node is node and again.loop and None not in (first.site, again.site) and first.site is not again.site:
        # two maps or scans call one function: each of them is a use of the whole
        one, two = Place(first.site or node, first.what), Place(again.site or node, again.what)
        node, repeated = two.node, ""
    if first.count and again.count and first.count != again.count and first.draw == again.draw == "split":
        return facts.DerivationCollision(
            node=node,
            confidence=confidence,
            key=key,
            kind=kind,
            how="splits-share-children",
            first=one,
            again=two,
            repeated_by=repeated,
        )
    return facts.Reuse(
        node=node,
        confidence=confidence,
        key=key,
        root="" if key or of_state else _root_of(file, run, again.term),
        kind=kind,
        first=one,
        again=two,
        effect=effect(first, again),
        repeated_by=repeated,
        unused=_unused_relatives(run, again.term),
        batch=(run.knowledge.rank(again.term) or 0) > 0,
        sampler=again.sampler,
        of_state=of_state,
        stored=again.stored if again.key is None else "",
        listed=listed,
        taker=run.code.name if handed_on else "",
        identity=(run.code, again.term),
        lineage=() if of_state else (*descent().way(again.term), *uses(first, again)),
    )


def _equal_keys(
    file: File, run: Run, first: Consumption, again: Consumption, descent: Callable[[], Descent]
) -> Fact | None:
    """Return the use of two keys that are made apart from one seed.

    What seems to be a seed may turn out to be a key, whose uses are a reuse.
    """
    confidence, seed = _weighed(file, run, first, again), run.terms.args(run.terms.seed_of(again.term))[0]
    if confidence is None or run.knowledge.is_known(seed) or seed in run.knowledge.passed:
        return None
    result = effect(first, again)
    key = _name_of(run, again, again)
    return facts.EqualKeys(
        node=again.node,
        confidence=min(confidence, most_sure(file, run, first, again, result)),
        key=key,
        root="" if key else _root_of(file, run, again.term),
        kind=run.knowledge.kind(again.term),
        first=Place(first.node, first.what, first.key),
        again=Place(again.node, again.what, again.key),
        effect=result,
        repeated_by=_repeated_by(first, again),
        seed=written_seed(file, first, again),
        made=(made_at(file, first), made_at(file, again)),
        identity=(run.code, shared_seed(file.terms, first.term, again.term)),
        lineage=(*descent().way(again.term), *uses(first, again)),
    )


def _repeated_by(first: Consumption, again: Consumption) -> str:
    """Return what makes one place consume a key twice; empty for two places."""
    if first.node is not again.node:
        return ""
    is_twice_in_it = None not in (first.key, again.key) and first.key is not again.key
    if not is_twice_in_it and again.loop not in ("", "loop"):
        around = next((outer for outer, before in zip(again.outer, first.outer, strict=False) if outer != before), None)
        if around is not None:
            return f"outer {around[0]}"
    return "arguments" if is_twice_in_it else again.loop or "call"


def _name_of(run: Run, first: Consumption, again: Consumption) -> str:
    """Return how the key is spelled: at a consumer, else as a variable that an inner function uses."""
    for use in (again, first):
        written = spelled(use.key) if use.key is not None else ""
        if written:
            return written
    terms = run.terms
    if part := _part_of_variable(terms, again.term):
        return part
    for term in (again.term, *terms.ancestors(again.term)):
        if terms.operation(term) in ("param", "free") and (name := attribute_of(terms, term)):
            return name
    return next(_variables(run, again.term), "") or attribute_of(terms, again.term)


def _root_of(file: File, run: Run, term: Term) -> str:
    """Return how the nearest key is spelled that a key without a name is made from; empty if none has a name."""
    terms = run.terms
    while terms.operation(term) != "op":
        name = next(_variables(run, term), "") or attribute_of(terms, term)
        if name:
            return name
        if terms.operation(term) == "seed":
            made = file.made_at.get(term)
            return "" if made is None else made.written
        if not terms.args(term):
            break
        term = terms.args(term)[0]
    return ""


def _part_of_variable(terms: Terms, term: Term) -> str:
    """Return ``args[0]`` for a constant element of a parameter or an outer variable, and nothing for other terms."""
    if terms.operation(term) != "item":
        return ""
    owner, index = terms.args(term)
    if terms.operation(owner) not in ("param", "free") or terms.operation(index) != "const":
        return ""
    value = terms.data(index)
    return f'{terms.data(owner)[1]}["{value}"]' if isinstance(value, str) else f"{terms.data(owner)[1]}[{value}]"


def _variables(run: Run, term: Term) -> Iterator[str]:
    """Return the variables and the attributes of variables that hold a term."""
    for name, value in run.env.values.items():
        if value != term:
            continue
        if isinstance(name, str) and name.isidentifier():  # and no slot of the lowering or of a callable
            yield name
        elif isinstance(name, tuple) and len(name) == 3 and isinstance(name[1], str):
            yield from (f"{owner}.{name[1]}" for owner in _variables(run, name[0]))


def _unused_relatives(run: Run, term: Term) -> tuple[str, ...]:
    """Return the unread names of children of this key and of its siblings."""
    terms = run.terms
    array = terms.root_array(term)
    return tuple(
        name
        for name, child in run.events.unused.items()
        if terms.root_array(child) == array or terms.args(terms.root_array(child))[:1] == (term,)
    )


def effect(first: Consumption, again: Consumption) -> str:
    """Return the effect of two consumptions of one key: equal draws, equal children, or dependent numbers."""
    if first.folded is not None and first.folded == again.folded:
        return "same-draw"
    if first.draw != again.draw or first.draw in ("call", "fold"):
        return "dependent"
    return "same-children" if first.draw == "split" else "same-draw"


def _confidence(file: File, run: Run, first: Consumption, again: Consumption) -> Confidence | None:
    """Return the confidence of a reuse, ``None`` without evidence that the value is a key."""
    knowledge = run.knowledge
    if _is_none(run, first) or _is_none(run, again) or _is_word(run, first, again) or _is_word(run, again, first):
        return None
    if _is_generator(file, first.term) or _is_generator(file, again.term):
        return None
    if is_declared_text(run.terms, first.term) or is_declared_text(run.terms, again.term):
        return None  # the wrong argument, and no key
    met = MET[run.ledger.meeting(first, again)]
    terms = {first.term, again.term}
    known = any(knowledge.is_known(term) for term in terms)
    lowest = certainty_of(first, again)
    if lowest == Certainty.UNKNOWN and first.node is again.node and takes_counter(file.document, again.node):
        lowest = Certainty.DOUBTFUL  # it may fold the number of the iteration into the key
    if lowest == Certainty.UNKNOWN and not (first.is_seen_to_draw or again.is_seen_to_draw):
        is_slip = known and is_forgotten(file.document, first.node, again.node)
        return min(met, Confidence.LIKELY) if is_slip else Confidence.POSSIBLE
    if known and first.node is again.node and again.loop == "loop" and again.draw == "fold":
        # the same datum is folded in at every iteration; a key that every call has to be given is often not drawn from
        return Confidence.POSSIBLE if _is_required(again) else min(met, Confidence.LIKELY)
    if known:
        if not (_is_drawn_from(file, run, first) and _is_drawn_from(file, run, again)):
            met = min(met, Confidence.LIKELY)
        return min(met, (Confidence.POSSIBLE, Confidence.LIKELY, Confidence.CERTAIN)[lowest])
    if lowest == Certainty.DOUBTFUL:
        return Confidence.POSSIBLE if _initialises_two(file, run, first, again) else None
    if any(term in knowledge.passed for term in terms):
        return min(met, Confidence.POSSIBLE if terms & knowledge.mixed else Confidence.LIKELY)
    if terms & knowledge.declared:
        return min(met, Confidence.LIKELY)
    if not terms & knowledge.named:
        return None
    # a function that takes seeds as well shows no key, but a seed that is used twice gives equal numbers all the same
    return min(met, Confidence.LIKELY) if _are_streams(first, again) else Confidence.POSSIBLE


def _is_drawn_from(file: File, run: Run, use: Consumption) -> bool:
    """Return whether something may draw from the key of a use; not if only code out of sight gets its children."""
    row = file.table.get(use.what).row
    if row is None or row.derive != "split":
        return True
    return run.ledger.takers.get(use.call, Certainty.KNOWN) == Certainty.KNOWN


def _is_required(use: Consumption) -> bool:
    """Return whether a module's function gets its key by position, between parameters and inputs, as haiku's do."""
    call, key = (use.node, use.key) if use.inside is None else (use.inside.node, use.inside.key)
    return isinstance(call, ast.Call) and key in call.args[1:-1]


def _is_generator(file: File, term: Term) -> bool:
    """Return whether a parameter or an attribute holds an object that gives keys, as one of ``flax.nnx.Rngs`` does."""
    operation, data, *args = file.terms.parts[term]
    holder = file.classes.get(args[0]) if operation == "attr" else None
    class_ = "" if holder is None else file.linker.hierarchy.held_library(holder, data[0])
    class_ = library_class(file.linker, *data) if operation == "param" else class_
    row = file.table.get(class_).row if class_ else None
    return row is not None and bool(row.gives)


def _are_streams(first: Consumption, again: Consumption) -> bool:
    """Return whether two known functions of libraries, or one method of a module, make streams from a key or seed.

    One that has bits of its own may do so in a function that is called.
    """
    if first.folded is not None:
        return first.folded == again.folded or first.draw == again.draw == "split"
    return all(use.sampler and use.sampler in (use.what, use.draw) for use in (first, again))


def _is_of_immutable_object(file: File, run: Run, use: Consumption) -> bool:
    """Return whether a method calls another one, which consumes a key that their object keeps and cannot replace."""
    class_, node = run.code.owner, use.node
    if class_ is None or use.key is not None or not run.code.parameters:
        return False
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name))) if name == run.code.parameters[0]:
            return is_immutable(file, class_)
    return False


def _is_waited_for(file: File, node: ast.AST) -> bool:
    """Return whether a statement only waits for a draw: ``jax.random.normal(key).block_until_ready()``."""
    waits, parent = False, file.document.parents.get(node)
    while isinstance(parent, ast.Attribute | ast.Call):
        name = dotted_name(parent.func if isinstance(parent, ast.Call) else parent)
        waits = waits or name.rpartition(".")[2] == "block_until_ready"
        parent = file.document.parents.get(parent)
    return waits and isinstance(parent, ast.Expr)


def _is_made_equal(file: File, use: Consumption) -> bool:
    """Return whether the parameters of a new module are named as a copy of others, to be equal."""
    module, row = _initialised(use), file.table.get(use.sampler).row
    if COPY.search(module.lower()):
        return True
    is_made = bool(module) or (row is not None and bool(row.gives))  # a module takes its streams where it is made
    node: ast.AST | None = use.node if is_made else None
    while node is not None and not isinstance(node, ast.stmt):
        node = file.document.parents.get(node)
        name = node.arg if isinstance(node, ast.keyword) else ""
        targets = node.targets if isinstance(node, ast.Assign) else ()
        names = [name or "", *(part for target in targets for part in _identifiers(target))]
        if any(COPY.search(each) for each in names):
            return True
    return False


def _identifiers(target: ast.expr) -> list[str]:
    """Return the names in the target of an assignment."""
    parts = ast.walk(target)
    return [
        each.id if isinstance(each, ast.Name) else each.attr
        for each in parts
        if isinstance(each, ast.Name | ast.Attribute)
    ]


def is_test(file: File) -> bool:
    """Return whether a file holds tests, which often want equal parameters to compare two modules."""
    name = Path(file.document.filename).stem
    return name == "conftest" or name.startswith("test_") or name.endswith("_test")


def _initialises_two(file: File, run: Run, first: Consumption, again: Consumption) -> bool:
    """Return whether two modules take their first parameters from one key, which makes equal ones in equal layers.

    A target network is to be equal, and so is a module that is initialised twice.
    """
    modules = [_initialised(use) for use in (first, again)]
    knowledge = run.knowledge
    if not any(knowledge.is_known(use.term) or use.term in knowledge.named for use in (first, again)):
        return False
    is_one = modules[0] == modules[1] and not (first.node is again.node and _is_of_loop(file, again.node, modules[0]))
    return all(modules) and not is_one and not any("target" in name.lower() for name in modules)


def _is_of_loop(file: File, node: ast.AST, module: str) -> bool:
    """Return whether an expression is a variable of the loop or comprehension around a node."""
    for parent in file.document.around(node):
        match parent:
            case ast.For(target=target):
                targets = [target]
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                targets = [each.target for each in parent.generators]
            case _:
                continue
        if any(module in _identifiers(target) for target in targets):
            return True
    return False


def _initialised(use: Consumption) -> str:
    """Return the module that a call of ``init`` initialises; empty for any other consumption."""
    match use.node:
        case ast.Call(func=ast.Attribute(value=module, attr="init")) if use.key is not None:
            return ast.unparse(module)
    return ""


def _is_word(run: Run, part: Consumption, whole: Consumption) -> bool:
    """Return whether a callable out of reach gets a word of a key, as a seed or label, and not the key."""
    is_part = part.draw == "call" and whole.term in run.terms.ancestors(part.term)
    return is_part and run.terms.operation(part.term) == "item" and run.knowledge.rank(whole.term) == 0


def _is_none(run: Run, use: Consumption) -> bool:
    """Return whether the consumption is on a path on which the value is ``None``."""
    terms = run.terms
    return any(
        bool(run.decisions.bit(terms.make("op", "Is", part, terms.const(None))) & use.path[0])
        for part in (use.term, *terms.ancestors(use.term))
    )
