"""Calls of library functions, by what the signature tables say of them."""

from __future__ import annotations

import sys

from olympus_rules.keyflow.domain.arguments import Arguments
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Library, Value
from olympus_rules.keyflow.interpret import application, arrays, containers, copies, higher_order, rows
from olympus_rules.keyflow.interpret.flow import Flow
from olympus_rules.keyflow.interpret.unknown import unknown
from olympus_rules.keyflow.notes import conversions, literals, specs
from olympus_rules.syntax.project import locate_name

__all__ = ["call_library"]

ARRAY_MODULES = ("jax.numpy.", "numpy.", "jax.lax.", "jax.nn.", "jax.scipy.", "scipy.", "jax.ops.", "math.")


REPLACING = {"dataclasses.replace", "copy.replace"}
TREE_AT = "equinox.tree_at"


def call_library(flow: Flow, qualified: str, arguments: Arguments) -> Value:
    """Call something from outside this file."""
    converting = conversions.ROWS.get(qualified)
    if converting is None:
        return _call_library(flow, qualified, arguments)
    result = _call_library(flow, qualified, arguments)
    return conversions.converted(flow, converting, qualified, arguments, result)


def _call_library(flow: Flow, qualified: str, arguments: Arguments) -> Value:
    row = flow.file.table.get(qualified)
    if row is not None:
        return rows.random_function(flow, row, arguments)
    if qualified.startswith("builtins."):
        return containers.builtin(flow, qualified[9:], arguments)
    if qualified in literals.CREATORS and (words := literals.made(flow, qualified, arguments)) is not None:
        return words
    first = arguments.positional[0][0] if arguments.positional else None
    if qualified in literals.EVALUATORS and first is not None:
        literals.evaluated(flow, first, tuple(value for value, _ in arguments.positional[1:]))
    result = higher_order.call_library(flow, qualified, arguments)
    if result is not None:
        return result
    returned = flow.file.table.returned(qualified)
    if returned is not None:
        return Library(returned)
    if qualified == TREE_AT and (changed := copies.replaced_at(flow, arguments)) is not None:
        return changed
    if qualified in specs.SHARDINGS:
        return arguments.get(1, "spec") or flow.terms.fresh()
    if flow.file.table.forwards(qualified) and first is not None:
        specs.placed(flow, arguments)
        return first
    if flow.file.table.inspects(qualified):
        return arrays.pure(flow, qualified, arguments)
    if qualified.startswith(ARRAY_MODULES):
        return (
            arrays.pure(flow, qualified, arguments)
            if arguments.asks
            else arrays.array_function(flow, qualified, arguments)
        )
    if qualified in REPLACING and isinstance(first, Term):
        return copies.replaced(flow, first, arguments)
    if qualified.partition(".")[0] in sys.stdlib_module_names:
        return flow.terms.fresh()
    concerned = application.concerns_keys(flow, arguments)
    found = flow.linker.outside(qualified, concerned=concerned)
    if found is not None:
        return flow.call(found, arguments)
    unasked = not concerned and locate_name(flow.file.document.roots, qualified) is not None
    return unknown(flow, Library(qualified), arguments, unasked=unasked)
