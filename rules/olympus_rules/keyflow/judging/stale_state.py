"""Keys that an object keeps and never advances: each call of a method draws the same numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import replace

from olympus_rules.code.instructions import ClassCode
from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain import presence
from olympus_rules.keyflow.domain.access import leaves
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.domain.ledger import Certainty
from olympus_rules.keyflow.domain.paths import bit_numbers
from olympus_rules.keyflow.domain.run import Run
from olympus_rules.keyflow.domain.terms import Term, Terms
from olympus_rules.keyflow.domain.type_tests import asks_for_its_type
from olympus_rules.keyflow.facts import Fact, Place
from olympus_rules.keyflow.judging.reuse import effect

ONCE = (
    "__init__",
    "__post_init__",
    "init",
    "_init",
    "setup",
    "_setup",
    "build",
    "_build",
    "reset",
    "create",
    "main",
    "run",
)


def stale_state(file: File) -> Iterator[facts.Reuse]:
    """Return consumptions of a key that an object keeps and never advances: each call draws the same numbers.

    Such a key is an attribute that ``__init__`` alone writes and another method consumes. If the method is most
    likely called once, or makes new objects of its class, the confidence is ``possible``.
    """
    classes: dict[ClassCode, list[Run]] = {}
    for run in file.runs.values():
        if run.code.owner is not None:
            classes.setdefault(run.code.owner, []).append(run)
    for methods in classes.values():
        methods = [run for run in methods if run.code.kind != "cached_property"]
        kept = {name for run in methods if run.code.name.endswith(".__init__") for name in _written(run)}
        for run in methods:
            if not run.code.name.endswith(".__init__"):
                kept -= _written(run)
        for run in methods:
            if not run.code.name.endswith(".__init__"):
                yield from _stale(run, kept)


def shown_by_callers(found: Iterable[Fact], stale: Iterable[facts.Reuse]) -> Iterator[Fact]:
    """Yield facts, with calls that draw twice from a key that an object keeps as one mistake with the draws there.

    Args:
        found: the facts about a file.
        stale: those of its methods that draw from such a key.
    """
    draws: dict[tuple[str, str], list[facts.Reuse]] = defaultdict(list)
    for each in stale:
        draws[each.taker, each.key.removeprefix("self.")].append(each)
    shown: dict[tuple[str, str], Hashable] = {}
    for fact in found:
        at = (fact.again.what, fact.stored) if isinstance(fact, facts.Reuse) else ("", "")
        if not isinstance(fact, facts.Reuse) or at not in draws:
            yield fact
            continue
        mistake = (fact.again.what.rpartition(".")[0], fact.stored)
        shown |= {(use.what, fact.stored): mistake for use in (fact.first, fact.again)}
        yield replace(fact, identity=mistake, inside=draws[at][0].again)
    for at, inner in draws.items():
        yield from (replace(each, identity=shown.get(at, each.identity)) for each in inner)


def _written(run: Run) -> set[str]:
    """Return the attributes of its object that a method writes."""
    receiver = run.env.get(run.code.parameters[0]) if run.code.parameters else None
    return {name for term, name, _, _ in run.events.writes if term == receiver}


def _originals(terms: Terms, term: Term) -> Iterator[Term]:
    """Yield the objects of which a term is a copy, maybe one of a copy."""
    while terms.operation(term) == "copy":
        term = terms.args(term)[0]
        yield term


def _parents(terms: Terms, keys: Iterable[Term]) -> set[Term]:
    """Return the keys that others are children of."""
    return {parent for key in keys for parent in terms.args(terms.root_array(key))[:1]}


def _stale(run: Run, kept: set[str]) -> Iterator[facts.Reuse]:
    terms = run.terms
    receiver = terms.make("param", (run.code, run.code.parameters[0])) if run.code.parameters else None
    # a test runner makes an object per test; a callee that receives the object may return one with another key
    once = run.code.name.rpartition(".")[2].startswith((*ONCE, "test")) or receiver in run.events.forgotten
    class_ = run.code.owner
    succeeded = class_ is not None and class_.name in run.code.reads  # by an object with a child of the key
    returned = {leaf for _, value in run.events.returns for leaf in leaves(value)}
    succeeded = succeeded or any(receiver is not None and receiver in _originals(terms, leaf) for leaf in returned)
    drawn = _parents(terms, (use.term for use in run.ledger.consumptions))
    handed = _parents(terms, returned) & drawn  # a caller gets another child, to put it in the place of the key
    written = {(terms.args(t)[0] if name == presence.ELEMENT else t, name) for t, name, _, _ in run.events.writes}
    for use in run.ledger.consumptions:
        if terms.operation(use.term) != "attr" or terms.args(use.term)[0] != receiver:
            continue
        tests = [run.decisions.tests[number] for mask in use.path for number in bit_numbers(mask)]
        if tests and not presence.slots(terms, tests).isdisjoint(written):
            continue  # the result of the key is kept and reused by the next call
        name = terms.data(use.term)[0]
        if name in kept and use.certainty == Certainty.KNOWN and run.knowledge.is_known(use.term):
            if asks_for_its_type(run.terms, run.decisions, use):
                continue
            place = Place(use.node, use.what, use.key)
            yield facts.Reuse(
                node=use.node,
                confidence=Confidence.POSSIBLE if once or succeeded or use.term in handed else Confidence.LIKELY,
                key=f"self.{name}",
                first=place,
                again=place,
                effect=effect(use, use),
                repeated_by="call",
                taker=run.code.name,
                identity=(run.code, use.term),
            )
