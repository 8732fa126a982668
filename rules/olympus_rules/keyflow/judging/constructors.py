"""Facts for the migration: the uses of the key that a constructor makes."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain.access import item_index, leaves
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.domain.ledger import Certainty
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.facts import Fact
from olympus_rules.keyflow.judging.order import place

OBSTACLES = {
    facts.KeyIndexing: "its words are read",
    facts.KeyArithmetic: "arithmetic is done on it",
    facts.KeyTransposition: "its buffer axis is moved",
    facts.ShapeLogic: "its shape is looked at",
    facts.RawKeyLiteral: "it is put beside raw words",
    facts.DtypeLogic: "its dtype is looked at",
    facts.Conversion: "it is converted",
}


def obstacles(file: File, settled: Iterable[tuple[Term, Fact]]) -> dict[ast.expr, tuple[str, ...]]:
    """Return, for each call of a key constructor, why a typed key in its place may break something.

    A key that only known calls take is safe; one that is passed to code out of reach, returned or kept is not.
    """
    terms = file.terms
    found: dict[Term, list[str]] = {}
    for term, fact in settled:
        why = next((words for kind, words in OBSTACLES.items() if isinstance(fact, kind)), None)
        harmless = isinstance(fact, facts.Conversion) and (fact.effect == "same" or fact.form == "print" or fact.before)
        if why is not None and not harmless:
            found.setdefault(terms.seed_of(term), []).append(f"{why} on line {place(fact.node)[0]}")
    for run in file.runs.values():
        for use in run.ledger.consumptions:
            if use.certainty != Certainty.KNOWN:
                words = f"`{use.what}` on line {place(use.node)[0]} takes it and is out of reach"
                found.setdefault(terms.seed_of(use.term), []).append(words)
        for _, value in run.events.returns:
            for term in leaves(value):
                found.setdefault(terms.seed_of(term), []).append("it is returned")
        for _, name, value, _ in run.events.writes:
            for term in leaves(value):
                kind = "attribute" if item_index(name) is None else "item"
                found.setdefault(terms.seed_of(term), []).append(f"it is kept in the {kind} `{name}`")
    return {node: tuple(dict.fromkeys(found.get(term, ()))) for node, term in file.constructed.items()}
