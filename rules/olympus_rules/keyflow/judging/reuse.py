"""Pairs of consumptions, and derivations of equal children, as facts with their confidence.

``certain``: every call on the way is known. ``likely``: the key is known to be one, and a callable whose source is
out of reach took it. ``possible``: the value is a key by its name only, or a class took it that may just store it.
"""

from __future__ import annotations

from collections.abc import Iterator

from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain.access import leaves
from olympus_rules.keyflow.domain.ledger import Certainty, Consumption, Derivation, Meeting
from olympus_rules.keyflow.domain.run import Run
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.facts import Fact, Place
from olympus_rules.keyflow.judging.order import after
from olympus_rules.keyflow.notes.pending import spelled

__all__ = ["effect", "reuses"]


def reuses(run: Run) -> Iterator[Fact]:
    """Return the reuses and derivation collisions of one function."""
    if len(run.ledger.consumptions) < 2 and not run.derivations:
        return
    collisions = list(_collisions(run))
    collided = {fact.node for fact in collisions}
    children = {derivation.child for derivation in run.derivations if derivation.node in collided}
    for first, again in run.ledger.pairs(run.knowledge.is_candidate):
        if again.term in children:
            continue  # the derivation is the mistake
        fact = _reuse(run, first, again)
        if fact is not None:
            yield fact
    yield from collisions


def _reuse(run: Run, first: Consumption, again: Consumption) -> Fact | None:
    confidence = _confidence(run, first, again)
    if confidence is None:
        return None
    key = _name_of(run, first, again)
    kind = run.knowledge.kind(again.term)
    one, two = Place(first.node, first.what, first.key), Place(again.node, again.what, again.key)
    repeated = again.loop or "call" if first.node is again.node else ""
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
        kind=kind,
        first=one,
        again=two,
        effect=effect(first, again),
        repeated_by=repeated,
        unused=_unused_relatives(run, again.term),
        batch=(run.knowledge.rank(again.term) or 0) > 0,
        identity=(run.code, again.term),
    )


def _name_of(run: Run, first: Consumption, again: Consumption) -> str:
    """Return how the key is spelled: at a consumer, else as a variable that an inner function uses."""
    for use in (again, first):
        written = spelled(use.key) if use.key is not None else ""
        if written:
            return written
    terms = run.terms
    for term in (again.term, *terms.ancestors(again.term)):
        if terms.operation(term) in ("param", "free"):
            return str(terms.data(term)[1])
    return next((name for name in _variables(run, again.term)), "")


def _variables(run: Run, term: Term) -> Iterator[str]:
    """Return the variables and the attributes of variables that hold a term."""
    for name, value in run.env.values.items():
        if value != term:
            continue
        if isinstance(name, str) and "$" not in name:
            yield name
        elif isinstance(name, tuple) and len(name) == 3 and isinstance(name[1], str):
            yield from (f"{owner}.{name[1]}" for owner in _variables(run, name[0]))


def _unused_relatives(run: Run, term: Term) -> tuple[str, ...]:
    """Return names that nothing reads of children of this key and of its siblings."""
    terms = run.terms
    array = terms.root_array(term)
    return tuple(
        name
        for name, child in run.unused.items()
        if terms.root_array(child) == array or terms.args(terms.root_array(child))[:1] == (term,)
    )


def effect(first: Consumption, again: Consumption) -> str:
    """Return what two consumptions of one key do: equal draws, equal children, or numbers that depend on each other."""
    if first.draw != again.draw or first.draw in ("call", "fold"):
        return "dependent"
    return "same-children" if first.draw == "split" else "same-draw"


MET = {
    Meeting.NEVER: Confidence.POSSIBLE,
    Meeting.DOUBTFUL: Confidence.POSSIBLE,
    Meeting.ASSUMED: Confidence.LIKELY,
    Meeting.SHOWN: Confidence.CERTAIN,
}


def _confidence(run: Run, first: Consumption, again: Consumption) -> Confidence | None:
    """Return how sure a reuse is, ``None`` when nothing says that the value is a key."""
    knowledge = run.knowledge
    if _is_none(run, first) or _is_none(run, again):
        return None
    met = MET[run.ledger.meeting(first, again)]
    terms = {first.term, again.term}
    known = any(knowledge.is_known(term) for term in terms)
    lowest = min(first.certainty, again.certainty)
    if known and first.node is again.node and again.loop == "loop" and again.draw == "fold":
        return min(met, Confidence.LIKELY)  # whatever is folded in, it is the same in every pass
    if known:
        return min(met, (Confidence.POSSIBLE, Confidence.LIKELY, Confidence.CERTAIN)[lowest])
    if lowest != Certainty.DOUBTFUL and any(term in knowledge.named for term in terms):
        return Confidence.POSSIBLE
    return None


def _is_none(run: Run, use: Consumption) -> bool:
    """Say whether the consumption is on a path on which the value is ``None``."""
    terms = run.terms
    return any(
        bool(run.decisions.bit(terms.make("op", "Is", part, terms.const(None))) & use.path[0])
        for part in (use.term, *terms.ancestors(use.term))
    )


def _collisions(run: Run) -> Iterator[Fact]:
    """Return derivations of equal children: one datum folded in twice, or one that equals a split's index."""
    terms, knowledge = run.terms, run.knowledge
    steps = _steps(run)
    seen: dict[Term, list[Derivation]] = {}
    for again in run.derivations:
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
                confidence=MET[met],
                key=spelled(node.args[0]) if node.args else "",
                kind=knowledge.kind(child),
                how="fold_in-twice",
                first=Place(first.node, "jax.random.fold_in"),
                again=Place(node, "jax.random.fold_in"),
                repeated_by=again.loop or "loop" if first.node is node else "",
            )
    yield from _split_beside_fold_in(run)


def _steps(run: Run) -> dict[Term, list[Derivation]]:
    """Return where more data is folded into keys with which nothing else is done: that two are equal does no harm."""
    terms = run.terms
    steps: dict[Term, list[Derivation]] = {}
    for derivation in run.derivations:
        steps.setdefault(terms.args(derivation.child)[0], []).append(derivation)
    used = {term for use in run.ledger.consumptions for term in (use.term, *terms.ancestors(use.term))}
    for value in [value for _, value in run.returns] + [value for _, _, value, _ in run.writes]:
        used.update(leaves(value))
    return {term: derivations for term, derivations in steps.items() if term not in used}


def _split_beside_fold_in(run: Run) -> Iterator[Fact]:
    terms = run.terms
    splits: dict[Term, list[Consumption]] = {}
    for use in run.ledger.consumptions:
        if use.draw == "split" and use.count is not None and use.certainty == Certainty.KNOWN:
            splits.setdefault(use.term, []).append(use)
    for derivation in run.derivations:
        parent, datum = terms.args(derivation.child)
        index, node = terms.constant(datum), derivation.node
        if type(index) is not int:
            continue
        for use in splits.get(parent, ()):
            if use.count is None or not 0 <= index < use.count:
                continue
            fold_first = derivation.time < use.time
            met = run.ledger.on_one_path(*((derivation, use) if fold_first else (use, derivation)))
            if met != Meeting.NEVER:
                fold, split = Place(node, "jax.random.fold_in"), Place(use.node, use.what, use.key)
                later, earlier = (fold, split) if after(node, use.node) else (split, fold)
                yield facts.DerivationCollision(
                    node=later.node,
                    confidence=MET[met],
                    key=spelled(node.args[0]) if node.args else "",
                    kind=run.knowledge.kind(derivation.child),
                    how="split-beside-fold_in",
                    first=earlier,
                    again=later,
                )
