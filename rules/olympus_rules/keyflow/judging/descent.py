"""The way of a key that is used twice: what it is made of, step by step, and its two uses."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.domain.ledger import Consumption
from olympus_rules.keyflow.domain.run import Run
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.facts import Origin
from olympus_rules.keyflow.notes.pending import spelled

MOST = 8
"""Derivations that are shown; a longer way begins with an ellipsis."""
PARTS = ("item", "slice", "list", "lane", "view", "batch", "copy", "unwrap")
UNNAMED = "a key"


class Descent:
    """The ways of the keys of one function; the tables are made once, when the function has a reuse."""

    def __init__(self, file: File, run: Run) -> None:
        """Index the calls, the derivations and the names of the keys."""
        self._file, self._run = file, run
        self._calls = {use.call: use for use in run.ledger.consumptions}
        self._folds = {derivation.child: derivation.node for derivation in run.events.derivations}
        self._constructors = {term: node for node, term in file.constructed.items()}
        self._names = dict(self._written())

    def way(self, term: Term) -> tuple[Origin, ...]:
        """Return where a key comes from: its source, then what makes each key of the one before."""
        terms = self._run.terms
        found: list[Origin] = []
        while len(found) < MOST:
            name, term = self._named(term)
            operation = terms.operation(term)
            if operation == "fold_in":
                datum = terms.constant(terms.args(term)[1])
                how = "fold_in" if datum is None else f"fold_in {datum!r}"
                found.append(Origin("key", name, how, self._folds.get(term)))
            elif operation in ("split", "clone"):
                data = terms.data(term)
                call = self._calls.get(_outermost(data))
                how = operation if isinstance(data, int) or call is None else call.what
                found.append(Origin("key", name, how, None if call is None else call.node))
            else:
                return (self._source(term, name), *reversed(found))
            term = terms.args(term)[0]
        return (Origin("source", "…", "", None), *reversed(found))

    def _named(self, term: Term) -> tuple[str, Term]:
        """Return how a key is written, and what it is a part of."""
        terms = self._run.terms
        name, index = self._names.get(term, ""), ""
        while terms.operation(term) in PARTS:
            if terms.operation(term) == "item":
                number = terms.constant(terms.args(term)[1])
                index = f"[{'…' if number is None else repr(number)}]{index}"
            term = terms.args(term)[0]
            if not name and term in self._names:
                name = f"{self._names[term]}{index}"
        return name or UNNAMED, term

    def _written(self) -> Iterator[tuple[Term, str]]:
        """Yield how keys are written where they are consumed, or where another one is folded from them."""
        places = [(use.term, use.key) for use in self._run.ledger.consumptions]
        places += [(self._run.terms.args(child)[0], call.args[0]) for child, call in self._folds.items() if call.args]
        for term, key in reversed(places):  # the first one is the last to be written into the table
            written = spelled(key) if key is not None else ""
            if written:
                yield term, written

    def _source(self, term: Term, name: str) -> Origin:
        """Return where a key comes from that the function does not derive."""
        terms = self._run.terms
        operation, data = terms.operation(term), terms.data(term)
        if operation == "seed":
            function = self._constructors.get(term)
            call = None if function is None else self._file.document.parents.get(function)
            if isinstance(call, ast.Call):
                return Origin("source", ast.unparse(call), "", call)
            made = self._file.made_at.get(term)
            return Origin("source", "a new key" if made is None else made.written, "", None)
        if operation == "param":
            code, parameter = data
            return Origin("source", f"parameter {parameter} of {code.name}", "", code.node)
        return Origin("source", str(data[1]) if operation == "free" else name, "", None)


def _outermost(data: object) -> int:
    """Return the number of the call in this function that has made a derivation, maybe in what it calls."""
    while isinstance(data, tuple) and data:
        data = data[0]
    return data if isinstance(data, int) else -1


def uses(first: Consumption, again: Consumption) -> tuple[Origin, ...]:
    """Return the two uses of a key; one if something repeats it."""
    last = Origin("again", again.what, again.loop if first.node is again.node else "", again.node)
    return (last,) if first.node is again.node else (Origin("first", first.what, "", first.node), last)
