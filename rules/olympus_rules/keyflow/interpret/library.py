"""Calls of library functions, by their rows in the signature tables."""

from __future__ import annotations

import sys

from olympus_rules.keyflow.domain import dimensions
from olympus_rules.keyflow.domain.access import leaves
from olympus_rules.keyflow.domain.arguments import Arguments
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Library, Sequence, Value
from olympus_rules.keyflow.interpret import (
    application,
    arrays,
    builtins,
    copies,
    counting,
    higher_order,
    lifted,
    lists,
    named,
    rows,
)
from olympus_rules.keyflow.interpret.flow import Flow
from olympus_rules.keyflow.interpret.unknown import unknown
from olympus_rules.keyflow.notes import conversions, literals, specs
from olympus_rules.libraries import Model
from olympus_rules.libraries.names import BY_NAME, CREATORS, EVALUATORS, REPLACING, SHARDINGS, TREE_AT
from olympus_rules.syntax.project import locate_name

REARRANGING = ("bisect.insort", "heapq.heap", "random.shuffle")
"""Functions of Python that change the list that they are given."""


def call_library(flow: Flow, qualified: str, arguments: Arguments) -> Value:
    """Call a function from outside this file."""
    model = flow.file.table.get(qualified)
    if arguments.keywords and flow.file.lifted:
        lifted.look_at(flow, qualified, arguments)
    result = _call_library(flow, model, qualified, arguments)
    if model.shaped:
        parameters = () if model.row is None else model.row.parameters
        place = parameters.index("shape") if "shape" in parameters else 0
        dimensions.shaped(flow, result, arguments.get(place, "shape"))
    if flow.file.places.holders and model.transform is not None and model.transform.parts == "leaves":
        conversions.mapped(flow, arguments)
    if model.conversion is None:
        if flow.file.places and (model.computes or model.makes_arrays):
            conversions.computed(flow, model, arguments)
        return result
    return conversions.converted(flow, model.conversion, qualified, arguments, result)


def _call_library(flow: Flow, model: Model, qualified: str, arguments: Arguments) -> Value:
    counted = counting.call_library(flow, model.counting, arguments) if model.counting and flow.file.counting else None
    if model.row is not None:
        return rows.random_function(flow, model.row, arguments)
    if counted is not None:
        return counted
    if qualified in BY_NAME and (reached := named.called(flow, qualified, arguments)) is not None:
        return reached
    if qualified.startswith("builtins."):
        return builtins.builtin(flow, qualified[9:], arguments)
    if qualified in CREATORS and (words := literals.made(flow, qualified, arguments)) is not None:
        return words
    first = arguments.first
    if qualified in EVALUATORS and first is not None:
        literals.evaluated(flow, first, tuple(value for value, _ in arguments.positional[1:]))
    result = higher_order.call_library(flow, qualified, arguments)
    if result is not None:
        return result
    if model.returns is not None:
        return Library(model.returns)
    if qualified == TREE_AT and (changed := copies.replaced_at(flow, arguments)) is not None:
        return changed
    if qualified in SHARDINGS:
        return arguments.get(1, "spec") or flow.terms.fresh()
    if model.forwards and first is not None and not (model.takes_lists and isinstance(first, Sequence)):
        specs.placed(flow, arguments)
        flow.file.replicated.update(leaves(first) if model.copies else ())
        return first
    if model.inspects:
        return arrays.pure(flow, qualified, arguments)
    if model.makes_arrays:
        return (
            arrays.pure(flow, qualified, arguments)
            if arguments.asks
            else arrays.array_function(flow, qualified, arguments)
        )
    if qualified in REPLACING and isinstance(first, Term):
        return copies.replaced(flow, first, arguments)
    if qualified.startswith(REARRANGING) and first is not None:
        lists.rearrange(flow, first)
    if qualified.partition(".")[0] in sys.stdlib_module_names:
        return flow.terms.fresh()
    concerned = arguments.decorates or arguments.closes or application.concerns_keys(flow, arguments)
    found = flow.linker.lookups.outside(qualified, concerned=concerned)
    if found is not None:
        return flow.call(found, arguments)
    unasked = not concerned and locate_name(flow.file.document.roots, qualified) is not None
    result = unknown(flow, Library(qualified), arguments, unasked=unasked)
    if unasked and isinstance(result, Term):
        flow.file.given_by[result] = Library(qualified)
    return result
