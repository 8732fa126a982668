"""Summaries: the effect of a function, computed once and applied at each call site.

A summary is the function's key signature with the terms behind it: what it consumes and returns, in terms of its
parameters and of the variables of enclosing scopes. A call replaces these by its arguments.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from olympus_rules.code.instructions import FunctionCode
from olympus_rules.code.wrappers import hands_on
from olympus_rules.keyflow.domain import presence
from olympus_rules.keyflow.domain.access import is_large, item_index, leaves, map_leaves
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.domain.knowledge import is_key_name
from olympus_rules.keyflow.domain.ledger import STATE, Certainty, Consumption
from olympus_rules.keyflow.domain.paths import ALWAYS, PathCondition
from olympus_rules.keyflow.domain.run import Run
from olympus_rules.keyflow.domain.steady import may_be_computed
from olympus_rules.keyflow.domain.summary import (
    Captured,
    Change,
    Summary,
    Write,
    functions_in,
    is_remade,
    origin,
    sources_of,
)
from olympus_rules.keyflow.domain.terms import Term, Terms
from olympus_rules.keyflow.domain.values import Choice, Const, Function, Sequence, Value, is_zero
from olympus_rules.keyflow.interpret import lanes

MAX_USES = 40  # consumptions kept of one function; to callers it matters that a key is used up, not how often
MAX_CHANGES = 40  # changed objects kept of one function; over the limit, whole parameters count as changed
MAX_NESTED_CHANGE = 4  # levels of parts in a change; a deeper change is one of the object around it
MAX_HISTORY = 400  # operations behind what a function returns or writes, about a hundred splits in a row


def summarise(file: File, run: Run) -> Summary:
    """Return the summary of a function from its interpretation."""
    terms = file.terms
    returns = _bounded(file, run, run.returned)
    if hands_on(run.code):  # what it returns is to a caller the function that it is given
        returns = terms.make("param", (run.code, run.code.parameters[0]))
    writes, handed_out = _lasting(file, run, returns)
    uses: dict[tuple[Term, str, Term | None, int | None, object], Consumption] = {}
    for use in run.ledger.consumptions:
        if use.certainty != Certainty.KNOWN and terms.operation(use.term) == "op":
            continue
        outside = origin(terms, use.term)
        if (
            outside is not None
            and terms.operation(outside) == "free"
            and terms.data(outside)[1] in run.code.outer_names
        ):
            continue  # it rebinds the variable, so that each call has another key
        if _is_lost(file, use):
            continue
        if outside is None and not is_remade(terms, use.term) and handed_out.isdisjoint(sources_of(terms, use.term)):
            continue
        slot = (use.term, use.draw, use.folded, use.count, use.path if use.path != ALWAYS else None)
        if slot not in uses and len(uses) < MAX_USES:
            uses[slot] = replace(use, computed=True) if may_be_computed(file, use.term) else use
    functions = [f for value in (returns, *(value for _, _, value, _ in writes)) for f in functions_in(value)]
    captured = _captured(file, run, functions)
    return Summary(
        run.code,
        tuple(uses.values()),
        returns,
        writes,
        captured,
        _changes(file, run),
        lanes.kept(file.terms, run.events),
        run.returning,
        tuple(run.events.raised.items()),
    )


def _is_lost(file: File, use: Consumption) -> bool:
    """Return whether a split is tried to see whether its argument is a key: its children are thrown away."""
    parents, row = file.document.parents, file.table.get(use.what).row if use.draw == "split" else None
    statement = parents.get(use.node) if row is not None and row.derive == "split" else None
    return isinstance(statement, ast.Expr) and isinstance(parents.get(statement), ast.Try)


def _changes(file: File, run: Run) -> tuple[Change, ...]:
    """Return the attributes of objects from outside that are written with values irrelevant to keys, such as counters.

    Objects that an unknown call may have changed come first; objects of a known class change by their methods only.
    """
    if run.code.name.endswith("__init__"):
        return ()
    found: dict[Change, None] = {
        _near(file.terms, term, presence.HANDED if term in run.events.handed else None): None
        for term in run.events.forgotten
        if _is_open(file, run, term) and not _is_named(run, term)
    }
    found |= {(term, presence.KEYWORDS): None for term in run.events.named}
    found |= {(term, presence.AGAIN): None for term in _changed_again(run) if _is_open(file, run, term)}
    asked = presence.slots(file.terms, run.events.asked) if run.events.writes else ()
    for term, name, value, _ in run.events.writes:
        if name == presence.ELEMENT or (term, name) in asked or origin(file.terms, term) is None:
            continue
        if name == presence.VARIABLE or not _tells(file, run, name, value):
            found[_near(file.terms, term, name)] = None
    if len(found) <= MAX_CHANGES:
        return tuple(found)
    outside = (origin(file.terms, term) for term, _ in found)
    return tuple(dict.fromkeys((term, None) for term in outside if term is not None))


def _changed_again(run: Run) -> Iterator[Term]:
    """Yield the objects that an unknown call may have changed before a key of theirs is consumed and after that."""
    for use in run.ledger.consumptions:
        operation, data, *args = run.terms.parts[use.term]
        if operation == "attr" and 0 < data[1] < (run.env.get((args[0], "generation")) or 0):
            yield args[0]


def _is_named(run: Run, term: Term) -> bool:
    """Return whether an object is changed by nothing out of sight but further keywords, after which it is not read."""
    named = run.events.named.get(term)
    return (
        named is not None
        and named == run.env.get((term, "generation"))
        and not any(parts[0] == "attr" and parts[1][1] and parts[2] == term for parts in run.terms.parts)
    )


def _near(terms: Terms, term: Term, name: str | None) -> Change:
    """Return a change; one nested too deeply becomes one of the object around it, as recursion nests without end."""
    around = list(sources_of(terms, term))
    inside = len(around) - 1 - MAX_NESTED_CHANGE
    return (term, name) if inside <= 0 else (around[inside], None)


def _lasting(file: File, run: Run, returns: Value) -> tuple[tuple[Write, ...], set[Term]]:
    """Return the writes that a caller can see, and all terms that escape to it."""
    handed_out = set(_with_originals(file.terms, leaves(returns)))
    if not run.events.writes:
        return (), handed_out
    writes: dict[tuple[Term, str, PathCondition], Write] = {}
    returning = run.returning or ALWAYS
    for number, (term, name, value, path) in enumerate(run.events.writes):
        path = path[0] & ~returning[0], path[1] & ~returning[1]
        writes.pop((term, name, path), None)  # the later write replaces it
        is_kept = number >= run.events.forgotten.get(term, 0) or not _is_open(file, run, term) or _is_named(run, term)
        if is_kept or name == STATE:  # a new state is as good as an unknown one
            if isinstance(value, Sequence):  # it may have got further items in place
                value = run.env.get((term, name, run.env.get((term, "generation")) or 0)) or value
            writes[term, name, path] = (term, name, value, path)
    terms, asked = file.terms, presence.slots(file.terms, run.events.asked)
    kept: dict[int, Write] = {}
    visible: list[int] = []
    hidden: dict[Term, list[int]] = {}  # the writes to objects that have not escaped so far
    rows = list(writes.values())
    for number, (term, name, value, _) in enumerate(rows):
        if (
            (term, name) in asked
            or name == presence.ELEMENT
            or terms.operation(term) == "copy"  # which would otherwise seem to hold the items of the original
            or (name != presence.VARIABLE and _tells(file, run, name, value))
        ):
            is_visible = term in handed_out or origin(terms, term) is not None
            (visible if is_visible else hidden.setdefault(term, [])).append(number)
    while visible:
        number = visible.pop()
        term, name, value, path = rows[number]
        kept[number] = (term, name, _bounded(file, run, value), path)
        for escaped in _with_originals(terms, leaves(value)):
            handed_out.add(escaped)
            visible += hidden.pop(escaped, ())
    return tuple(write for _, write in sorted(kept.items())), handed_out


def _with_originals(terms: Terms, handed: list[Term]) -> Iterator[Term]:
    """Return terms and their originals: a copy shares the unchanged fields of the object that it copies, and a batch
    of objects those of the object that a map made in one lane.
    """
    for term in handed:
        yield term
        while terms.operation(term) in ("copy", "batch"):
            term = terms.args(term)[0]
            yield term


def _is_open(file: File, run: Run, term: Term) -> bool:
    """Return whether an unknown call may change an object from outside: not if its class is known."""
    outside = origin(file.terms, term)
    if outside is None or term in run.events.handed:
        return outside is not None
    if term in file.classes:
        return False
    scope, name = file.terms.data(outside)
    is_receiver = scope.owner is not None and scope.parameters[:1] == (name,)
    return not (is_receiver and outside == term)


def _tells(file: File, run: Run, name: str, value: Value) -> bool:
    """Return whether a value written to an attribute can matter to keys; otherwise it is treated as unknown."""
    if isinstance(value, Choice):
        return any(_tells(file, run, name, part) for _, part in value.arms)
    index = item_index(name)
    if not isinstance(value, Term | Const) or is_key_name(name if index is None else str(index)):
        return True
    if isinstance(value, Const):
        return is_zero(value) and run.code.name.endswith("__init__")  # a rate, which may turn a draw off
    parts = (value, *file.terms.ancestors(value))
    if file.terms.operation(value) == "param" or value in file.classes:
        return True
    made = file.made.get(value)
    if value in file.generators or value in file.rated or (made is not None and (file.counting or made.is_silent)):
        return True
    return any(file.knowledge.is_candidate(part) for part in parts)


def _captured(file: File, run: Run, functions: list[Function]) -> tuple[Captured, ...]:
    """Return the values of the variables that inner functions read, and that functions in these values read."""
    own = [function for function in functions if function.code.parent is run.code]
    held: dict[str, Value] = {}
    waiting = [name for function in own for name in function.code.reads]
    while waiting:
        name = waiting.pop()
        value = run.env.get(name) if name in run.code.local_names and name not in held else None
        if value is not None:
            held[name] = value
            waiting += (read for function in functions_in(value) for read in function.code.reads)
    return tuple(((run.code, name), held[name]) for name in sorted(held))


def _bounded(file: File, run: Run, value: Value) -> Value:
    """Return a value in which fresh terms replace those that are too large to follow through every call."""
    terms = file.terms
    if is_large(value, MAX_HISTORY):
        return terms.fresh()
    return map_leaves(value, lambda term: term if terms.size(term) <= MAX_HISTORY else terms.fresh())


def unknown_summary(file: File, code: FunctionCode) -> Summary:
    """Return the summary of a function of which nothing is known: it may change what it is given and what it binds."""
    changes: list[Change] = [(file.terms.make("param", (code, name)), None) for name in code.every_parameter]
    variables = (file.linker.names.variable(code, name) for name in sorted(code.outer_names))
    changes += [(variable, presence.VARIABLE) for variable in variables if variable is not None]
    return Summary(code, (), file.terms.fresh(), (), changes=tuple(changes))
