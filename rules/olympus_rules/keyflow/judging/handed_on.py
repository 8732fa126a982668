"""Keys that a function takes from a place of a state, and puts, or a child of them, in that place of the next state."""

from __future__ import annotations

import ast

from olympus_rules.keyflow.domain.ledger import Certainty, Consumption
from olympus_rules.keyflow.domain.run import Run
from olympus_rules.keyflow.domain.terms import Term, Terms

DERIVED = frozenset({"item", "slice", "split", "clone", "view"})


def is_handed_on(run: Run, again: Consumption) -> bool:
    """Return whether a call makes the next state: a class from elsewhere gets a key in the place that it came from.

    A state that is unpacked has places with numbers, and fields are given by name. The next call of the function
    consumes the key, as this call consumed the one that came in.
    """
    if again.certainty != Certainty.DOUBTFUL or again.draw == "fold" or not isinstance(again.node, ast.Call):
        return False
    place = _place(run, again.term)
    if place is None or not any(use.term == place and use.certainty == Certainty.KNOWN for use in _uses(run)):
        return False
    given: list[tuple[object, ast.expr]] = [*enumerate(again.node.args)]
    given += [(keyword.arg, keyword.value) for keyword in again.node.keywords]
    return any(node is again.key and where == _where(run.terms, place) for where, node in given)


def _uses(run: Run) -> list[Consumption]:
    return [use for use in run.ledger.consumptions if use.draw != "fold"]


def _place(run: Run, term: Term) -> Term | None:
    """Return the part of a parameter that a key is, or is made from by splits alone."""
    terms = run.terms
    while _where(terms, term) is None:
        if terms.operation(term) not in DERIVED:
            return None
        term = terms.args(term)[0]
    return term


def _where(terms: Terms, term: Term) -> object:
    """Return the number or the name under which a parameter holds a term; ``None`` for any other term."""
    operation, args = terms.operation(term), terms.args(term)
    if operation not in ("attr", "item") or terms.operation(args[0]) != "param":
        return None
    return terms.data(term)[0] if operation == "attr" else terms.constant(args[1])
