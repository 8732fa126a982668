"""What the key flow says of a program beside what happens in it, and programs made small while the two disagree."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from olympus_rules.check import check
from olympus_rules.finding import Confidence
from olympus_rules.keyflow.facts import DerivationCollision, EqualKeys, Reuse
from olympus_rules.syntax import Document

from .programs import Program
from .reference import Place, evaluate

__all__ = ["Disagreement", "cuts", "disagreements", "shrunk"]


@dataclass(frozen=True, order=True)
class Disagreement:
    """One place: ``missed``, ``false`` (flagged without reason), ``first`` (paired with a wrong place) or ``error``."""

    kind: str
    code: str
    place: Place
    detail: str = ""


def disagreements(program: Program) -> list[Disagreement]:
    """Compare the places of OLY104 and OLY108, and what they are paired with.

    The two agree when

    - each place of a true reuse is flagged, by OLY104 or, for a split beside one into another number of keys, by
      OLY108; a place at which both come together has either of them. A loop whose number of turns the text does not
      tell is executed for none, one and two of them; what happens only where a loop has none is possible only;
    - each place of two equal derivations in one function is flagged by OLY108;
    - two keys are called equal, however surely, only where two with one stream are consumed at these places;
    - nothing else is flagged, except, at will, the second consumption of a child whose derivation is flagged;
    - the other place that a finding names is one that the place can be paired with;
    - every finding is certain, and no other rule that is on by default says anything.
    """
    truth = evaluate(program.source, program.entries)
    checked = check(Document("program.py", program.source), min_confidence=Confidence.LIKELY)
    found: list[Disagreement] = [Disagreement("error", "", (0, 0), repr(error.__cause__)) for error in checked.errors]
    allowed = {"OLY104": [truth.reuses, truth.excused], "OLY108": [truth.collisions, truth.excused]}
    flagged: set[Place] = set()
    for report in checked.reports:
        finding, fact = report.finding, report.fact
        place = (finding.span.start.row, finding.span.start.column)
        if finding.code not in allowed:
            if finding.code not in OFF:
                found.append(Disagreement("false", finding.code, place, finding.message))
            continue
        assert isinstance(fact, Reuse | DerivationCollision | EqualKeys)
        other = None if fact.first is None else (fact.first.node.lineno, fact.first.node.col_offset + 1)
        if isinstance(fact, EqualKeys):
            if other not in truth.remade.get(place, ()):
                found.append(Disagreement("false", finding.code, place, finding.message))
            continue
        flagged.add(place)
        firsts = [group[place] for group in allowed[finding.code] if place in group]
        if not firsts or finding.confidence != Confidence.CERTAIN:
            found.append(Disagreement("false", finding.code, place, f"{finding.confidence.label}: {finding.message}"))
        elif not any(other in group for group in firsts):
            found.append(Disagreement("first", finding.code, place, f"{other} is none of {firsts}"))
    for code, group in (("OLY104", truth.reuses), ("OLY108", truth.collisions)):
        missed = (group.keys() & truth.shown) - flagged
        found += [Disagreement("missed", code, place, str(group[place])) for place in missed]
    return sorted(found)


OFF = {"OLY106", "OLY107", "OLY201"}  # off by default, or about seeds; they say nothing of what is consumed


def shrunk(program: Program, still: Callable[[Program], bool]) -> Program:
    """Return a program with fewer statements and simpler expressions of which ``still`` is true as well."""
    number, unchanged = 0, 0
    while unchanged <= (count := sum(1 for _ in cuts(ast.parse(program.source)))):
        candidate = smaller(program, number % count)
        try:
            good = candidate != program and still(candidate)
        except Exception:  # it does not run any more
            good = False
        if good:
            program, unchanged = candidate, 0
        else:
            number, unchanged = number + 1, unchanged + 1
    return program


def smaller(program: Program, number: int) -> Program:
    """Return the program with one thing less: the n-th that can be taken away."""
    tree: Any = ast.parse(program.source)
    next(itertools.islice(cuts(tree), number, None))()
    try:
        source = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    except Exception:  # what is left is no syntax tree
        return program
    names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    entries = {name: kinds for name, kinds in program.entries.items() if name in names}
    return replace(program, source=source, entries=entries)


def cuts(tree: ast.AST) -> Iterator[Callable[[], Any]]:
    """Return functions that each take one thing away: a statement, a branch around its body, an operand."""
    for node in list(ast.walk(tree)):
        for name in ("body", "orelse"):
            body = getattr(node, name, None)
            if isinstance(body, list):
                for index, statement in enumerate(body):
                    if isinstance(statement, ast.AugAssign):
                        continue  # without its counter a loop would not end
                    yield lambda body=body, index=index: _remove(body, index)
                    inner = getattr(statement, "body", None)
                    if isinstance(inner, list) and not isinstance(statement, ast.FunctionDef | ast.ClassDef):
                        yield lambda body=body, i=index, inner=inner: body.__setitem__(slice(i, i + 1), inner)
                        other = getattr(statement, "orelse", None)
                        if other:
                            yield lambda body=body, i=index, other=other: body.__setitem__(slice(i, i + 1), other)
                            yield lambda statement=statement: statement.orelse.clear()
        for name, value in ast.iter_fields(node):
            for part in _parts(value):
                yield lambda node=node, name=name, part=part: setattr(node, name, part)
            if isinstance(value, list):
                for index, item in enumerate(value):
                    for part in _parts(item):
                        yield lambda value=value, index=index, part=part: value.__setitem__(index, part)


def _parts(value: object) -> list[ast.expr]:
    """Return what can stand for an expression: one of its operands."""
    if isinstance(value, ast.IfExp):
        return [value.body, value.orelse]
    if isinstance(value, ast.BoolOp):
        return value.values
    if isinstance(value, ast.UnaryOp):
        return [value.operand]
    if isinstance(value, ast.Call):
        return [arg for arg in value.args if not isinstance(arg, ast.Starred)]
    if isinstance(value, ast.Subscript):
        return [*_parts(value.value)]
    return []


def _remove(body: list[ast.stmt], index: int) -> None:
    del body[index]
    if not body:
        body.append(ast.Pass())
