"""Derivations whose children look independent and are equal."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain.access import leaves
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.domain.ledger import Certainty, Consumption, Derivation, Meeting
from olympus_rules.keyflow.domain.run import Run
from olympus_rules.keyflow.domain.steady import is_steady
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.facts import Fact, Place
from olympus_rules.keyflow.judging.order import after
from olympus_rules.keyflow.notes.pending import spelled
from olympus_rules.libraries.names import FOLD_IN

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
    lost_splits = [use for use in run.ledger.consumptions if uses[use.term] > 1 and _is_own_split(file, use)]
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


def _is_own_split(file: File, use: Consumption) -> bool:
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
        first = max(earlier, key=lambda d: run.ledger.on_one_path(d, again), default=None)
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
    terms = run.terms
    splits: dict[Term, list[Consumption]] = {}
    for use in run.ledger.consumptions:
        if use.draw == "split" and use.certainty == Certainty.KNOWN:
            splits.setdefault(use.term, []).append(use)
    for derivation in run.events.derivations:
        parent, datum = terms.args(derivation.child)
        index, node = terms.constant(datum), derivation.node
        if type(index) is not int:
            continue
        for use in splits.get(parent, ()):
            if not 0 <= index < (_assumed_count(use) if use.count is None else use.count):
                continue
            fold_first = derivation.time < use.time
            met = run.ledger.on_one_path(*((derivation, use) if fold_first else (use, derivation)))
            if met != Meeting.NEVER:
                fold, split = Place(node, FOLD_IN), Place(use.node, use.what, use.key)
                later, earlier = (fold, split) if after(node, use.node) else (split, fold)
                yield facts.DerivationCollision(
                    node=later.node,
                    confidence=min(
                        _confidence(file, met, derivation.child),
                        Confidence.LIKELY if use.count is None else Confidence.CERTAIN,
                    ),
                    key=spelled(node.args[0]) if node.args else "",
                    kind=run.knowledge.kind(derivation.child),
                    how="split-beside-fold_in",
                    first=earlier,
                    again=later,
                )
