"""Derivations whose children look independent and are equal."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from olympus_rules.code.names import dotted_name
from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain.access import leaves
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.domain.ledger import UNKNOWN_DRAW, Certainty, Consumption, Derivation, Meeting
from olympus_rules.keyflow.domain.paths import PathCondition, both
from olympus_rules.keyflow.domain.run import Run
from olympus_rules.keyflow.domain.steady import is_steady
from olympus_rules.keyflow.domain.summary import sources_of
from olympus_rules.keyflow.domain.terms import Term, Terms
from olympus_rules.keyflow.facts import Fact, Place
from olympus_rules.keyflow.judging.counters import is_counter, takes_counter
from olympus_rules.keyflow.judging.order import after
from olympus_rules.keyflow.judging.remade import is_literal_seed, shared_seed
from olympus_rules.keyflow.notes.generators import splits_as_it_folds
from olympus_rules.keyflow.notes.pending import spelled
from olympus_rules.libraries.names import ARANGE, FOLD_IN

MET = {
    Meeting.NEVER: Confidence.POSSIBLE,
    Meeting.DOUBTFUL: Confidence.POSSIBLE,
    Meeting.ASSUMED: Confidence.LIKELY,
    Meeting.SHOWN: Confidence.CERTAIN,
}
ASSUMED_COUNT = 2
"""How many keys a split into a number that is counted gives at least: a program that needs one counts nothing."""


def derivation_facts(file: File, run: Run) -> Iterator[Fact]:
    """Return the facts about the derivations of one run."""
    yield from _collisions(file, run)
    yield from _discarded(file, run)


def _discarded(file: File, run: Run) -> Iterator[Fact]:
    """Return the derivations with a discarded result whose key is used elsewhere, unless the code is expected to raise.

    At module level, a notebook or a doctest shows the value of a statement. If nothing else uses the key, the
    derivation is most likely a check that it works.
    """
    if run.code.kind == "module":
        return
    uses = Counter(use.term for use in run.ledger.consumptions)
    lost_splits = [use for use in run.ledger.consumptions if uses[use.term] > 1 and is_own_split(file, use)]
    folded = [each for each in run.events.derivations if uses[run.terms.args(each.child)[0]]]
    for node, path in [(use.node, use.path) for use in lost_splits] + [(each.node, each.path) for each in folded]:
        lost = isinstance(node, ast.Call) and isinstance(file.document.parents.get(node), ast.Expr)
        if isinstance(node, ast.Call) and lost and not run.decisions.is_doubtful(path):
            yield facts.DiscardedDerivation(
                node=node,
                confidence=Confidence.CERTAIN,
                key=spelled(node.args[0]) if node.args else "",
                function=ast.unparse(node.func),
            )


def is_own_split(file: File, use: Consumption) -> bool:
    """Return whether a consumption is a call of a library's ``split``, and not of a function that splits."""
    row = file.table.get(use.what).row if use.draw == "split" else None
    return row is not None and row.derive == "split"


def _collisions(file: File, run: Run) -> Iterator[Fact]:
    """Return derivations of equal children: one datum folded in twice, or one that equals the index of a split."""
    terms, knowledge = run.terms, run.knowledge
    steps = _steps(run)
    seen: dict[Term, list[Derivation]] = {}
    for again in run.events.derivations:
        child, node = again.child, again.node
        earlier = [d for d in seen.get(child, ()) if d.call != again.call]
        # of two arms in a loop, each repeats itself in more runs than it meets the other one
        first = max(earlier, key=lambda d: (run.ledger.on_one_path(d, again), d.node is node), default=None)
        met = Meeting.NEVER if first is None else run.ledger.on_one_path(first, again)
        seen.setdefault(child, []).append(again)
        if first is None or met == Meeting.NEVER or terms.operation(terms.args(child)[1]) == "fresh":
            continue
        if not any(run.ledger.on_one_path(again, further) for further in steps.get(child, ())):
            yield facts.DerivationCollision(
                node=node,
                confidence=_confidence(file, met, child),
                key=spelled(node.args[0]) if node.args else "",
                kind=knowledge.kind(child),
                how="fold_in-twice",
                first=Place(first.node, FOLD_IN),
                again=Place(node, FOLD_IN),
                repeated_by=again.loop or "loop" if first.node is node else "",
            )
    yield from _split_beside_fold_in(file, run)


def _confidence(file: File, met: Meeting, child: Term) -> Confidence:
    """Return the confidence of a collision: code out of sight may compute what a child is made from."""
    return MET[met] if is_steady(file, child) else min(MET[met], Confidence.LIKELY)


def _steps(run: Run) -> dict[Term, list[Derivation]]:
    """Return the further derivations of keys that are only derived from: two such keys may be equal without harm."""
    terms = run.terms
    steps: dict[Term, list[Derivation]] = {}
    for derivation in run.events.derivations:
        steps.setdefault(terms.args(derivation.child)[0], []).append(derivation)
    used = {term for use in run.ledger.consumptions for term in (use.term, *terms.ancestors(use.term))}
    for value in [value for _, value in run.events.returns] + [value for _, _, value, _ in run.events.writes]:
        used.update(leaves(value))
    return {term: derivations for term, derivations in steps.items() if term not in used}


def _assumed_count(split: Consumption) -> int:
    """Return the number of keys by which a split of unknown size has indices of its own; in a shape, none has."""
    num = split.node.args[1] if isinstance(split.node, ast.Call) and len(split.node.args) > 1 else None
    return 0 if isinstance(num, ast.Tuple) else ASSUMED_COUNT


def _split_beside_fold_in(file: File, run: Run) -> Iterator[Fact]:
    """Return the children that are made by ``fold_in`` from a key that is split as well, here or in callees."""
    terms = run.terms
    if not run.events.derivations and not run.events.folded:
        return
    splits: dict[Term, list[Consumption]] = {}
    apart: dict[Term, list[Consumption]] = {}  # by the key of which they are equals
    for use in run.ledger.consumptions:
        if use.draw in ("split", UNKNOWN_DRAW) and use.certainty != Certainty.DOUBTFUL:
            splits.setdefault(use.term, []).append(use)
            for path, equal in terms.equal_keys(use.term) if use.draw == "split" else ():
                apart.setdefault(equal, []).extend(_under(path, use))
    for fold, child in _folds(run) if splits else ():
        parent, datum = terms.args(child)
        index, sure = _folded_number(file, terms, fold, datum)
        if index is None:
            continue
        found = list(splits.get(parent, ()))
        found += _of_other_roots(run, fold, child, apart)
        inside = run.events.folded.get(child) if isinstance(fold, Consumption) else None  # reported in the callee
        for split in found:
            fewest = _assumed_count(split) if sure == Confidence.CERTAIN else 0
            if split.call != inside and 0 <= index < (fewest if split.count is None else split.count):
                yield from _beside(file, run, fold, split, child, sure)


def _folded_number(
    file: File, terms: Terms, fold: Derivation | Consumption, datum: Term
) -> tuple[int | None, Confidence]:
    """Return the number that is folded in, and how sure that is.

    The counter of a loop over ``range(start, n)`` is most likely 0 at first, in a run that resumes nothing.
    """
    number = _counted(terms, datum)
    if number is not None or not isinstance(fold, Derivation):
        return number, Confidence.CERTAIN
    data = next((each.value for each in fold.node.keywords if each.arg == "data"), (*fold.node.args, None, None)[1])
    return (0 if data is not None and is_counter(file.document, fold.node, data) else None), Confidence.LIKELY


def _of_other_roots(
    run: Run, fold: Derivation | Consumption, child: Term, apart: dict[Term, list[Consumption]]
) -> Iterator[Consumption]:
    """Yield the splits of keys that are made apart from the seed of a folded key.

    Who writes a seed twice often means it. Two calls of one function do the same, which is judged as that.
    """
    terms, parent = run.terms, run.terms.args(child)[0]
    for path, equal in terms.equal_keys(parent):
        for use in apart.get(equal, ()):
            is_alike = isinstance(fold, Consumption) and fold.what == use.what
            if is_alike or terms.seed_of(use.term) == terms.seed_of(parent):
                continue
            if not is_literal_seed(terms, shared_seed(terms, use.term, child)):
                yield from _under(path, use)


def _may_split(file: File, use: Consumption) -> bool:
    """Return whether a callee out of sight may split a key, which may be another one each time as far as it is seen.

    One that gets a counter beside the key is as likely to fold it in.
    """
    return file.terms.operation(use.term) != "fold_in" and not takes_counter(file.document, use.node)


def _under(path: PathCondition, use: Consumption) -> Iterator[Consumption]:
    """Yield a use under a further condition, unless both cannot hold."""
    joined = both(path, use.path)
    if joined is not None:
        yield use if joined == use.path else replace(use, path=joined)


def _folds(run: Run) -> Iterator[tuple[Derivation | Consumption, Term]]:
    """Yield each derivation, and each use of a key that a callee derives, with the child."""
    here = {derivation.child for derivation in run.events.derivations}
    yield from ((derivation, derivation.child) for derivation in run.events.derivations)
    for use in run.ledger.consumptions:
        if use.certainty == Certainty.DOUBTFUL:
            continue
        child = next((each for each in sources_of(run.terms, use.term) if run.terms.operation(each) == "fold_in"), None)
        if child is not None and child not in here:
            yield use, child


def _counted(terms: Terms, datum: Term) -> int | None:
    """Return the number that is folded in; the first one for the counter of a map."""
    operation = terms.operation(datum)
    if operation == "lane" and _is_range(terms, terms.args(datum)[0]):
        return 0
    if operation == "item" and _is_range(terms, terms.args(datum)[0]):
        datum = terms.args(datum)[1]
    number = terms.constant(datum)
    return number if type(number) is int else None


def _is_range(terms: Terms, array: Term) -> bool:
    """Return whether an array is ``jnp.arange(n)``."""
    data, args = terms.data(array), terms.args(array)
    is_made = terms.operation(array) == "op" and isinstance(data, tuple) and data[0] == ARANGE
    return is_made and bool(args) and all(terms.operation(each) == "symbol" for each in args[1:])  # and a dtype


def _beside(
    file: File, run: Run, fold: Derivation | Consumption, split: Consumption, child: Term, sure: Confidence
) -> Iterator[Fact]:
    """Return the collision of a split with a child that is folded from the same key, if one run has both."""
    met, place, key, is_sure = _met(file, run, fold, split)
    if met == Meeting.NEVER or not all(splits_as_it_folds(file, each) for each in (split.term, child)):
        return
    if split.draw == UNKNOWN_DRAW and not (place.what == FOLD_IN and _may_split(file, split)):
        return
    if not is_sure or split.count is None:
        sure = Confidence.LIKELY
    is_apart = split.term != run.terms.args(child)[0]
    parted = Place(split.node, split.what, split.key)
    later, earlier = (place, parted) if after(place.node, split.node) else (parted, place)
    yield facts.DerivationCollision(
        node=later.node,
        confidence=min(_confidence(file, met, child), sure, Confidence.LIKELY if is_apart else Confidence.CERTAIN),
        key="" if key is None or is_apart else spelled(key),
        kind=run.knowledge.kind(child),
        how="split-beside-fold_in" if split.draw == "split" else "call-beside-fold_in",
        first=earlier,
        again=later,
        is_apart=is_apart,
        is_split_first=earlier is parted,
    )


def _met(
    file: File, run: Run, fold: Derivation | Consumption, split: Consumption
) -> tuple[Meeting, Place, ast.expr | None, bool]:
    """Return whether one run has both, the place of the fold, the key, and whether all callees are known."""
    is_known, is_first = split.certainty == Certainty.KNOWN, fold.time < split.time
    if isinstance(fold, Consumption):
        met = run.ledger.meeting(*((fold, split) if is_first else (split, fold)))
        place, is_sure = Place(fold.node, fold.what, fold.key), is_known and fold.certainty == Certainty.KNOWN
        if isinstance(fold.key, ast.Call) and _is_fold(file, fold.key):
            return met, Place(fold.key, FOLD_IN), fold.key.args[0] if fold.key.args else None, is_sure
        return met, place, split.key, is_sure
    met = run.ledger.on_one_path(*((fold, split) if is_first else (split, fold)))
    return met, Place(fold.node, FOLD_IN), fold.node.args[0] if fold.node.args else None, is_known


def _is_fold(file: File, call: ast.Call) -> bool:
    """Return whether an expression is a call of ``fold_in``."""
    return file.document.imports.resolve(dotted_name(call.func)) == FOLD_IN
