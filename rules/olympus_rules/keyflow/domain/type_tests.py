"""Conditions that ask for the type of a value before it is taken for a key."""

from __future__ import annotations

from olympus_rules.keyflow.domain.decisions import Decisions
from olympus_rules.keyflow.domain.ledger import Consumption
from olympus_rules.keyflow.domain.paths import bit_numbers
from olympus_rules.keyflow.domain.terms import Terms

__all__ = ["CONNECTIVES", "asks_for_its_type"]


TYPE_TESTS = ("isinstance", "issubclass", "hasattr", "callable")
CONNECTIVES = ("and", "or", "not")


def asks_for_its_type(terms: Terms, decisions: Decisions, use: Consumption) -> bool:
    """Say whether the callee takes the value for a key only after a look at its type, so that it may be no key here."""
    subjects = {use.term, *terms.ancestors(use.term)}
    waiting = [decisions.tests[number] for mask in use.path for number in bit_numbers(mask)]
    while waiting:
        test = waiting.pop()
        if terms.operation(test) != "op" or not terms.args(test):
            continue
        data = terms.data(test)
        parts = decisions.parts(test)
        if parts is not None:
            waiting += [decisions.tests[number] for mask in parts for number in bit_numbers(mask)]
        elif data in CONNECTIVES or (isinstance(data, tuple) and data[0] == "choice"):
            waiting += terms.args(test)
        elif data in TYPE_TESTS:
            subject = terms.args(test)[0]  # of a value that differs by path, each arm; an attribute of it
            if not subjects.isdisjoint((subject, *terms.args(subject))):
                return True
    return False
