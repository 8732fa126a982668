"""Conditions that test the type of a value before its use as a key."""

from __future__ import annotations

from olympus_rules.keyflow.domain.decisions import Decisions
from olympus_rules.keyflow.domain.ledger import Consumption
from olympus_rules.keyflow.domain.paths import bit_numbers
from olympus_rules.keyflow.domain.terms import Terms

TYPE_TESTS = ("isinstance", "issubclass", "hasattr", "callable")
CONNECTIVES = ("and", "or", "not")


def asks_for_its_type(terms: Terms, decisions: Decisions, use: Consumption) -> bool:
    """Return whether the callee tests the value's type before it uses the value as a key, which may then be no key."""
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
            subject = terms.args(test)[0]  # the value, each arm of a choice, or the owner of an attribute
            if not subjects.isdisjoint((subject, *terms.args(subject))):
                return True
    return False
