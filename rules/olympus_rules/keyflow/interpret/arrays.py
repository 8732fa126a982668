"""Calls of array functions: they consume nothing, but may read the words of a key."""

from __future__ import annotations

from olympus_rules.keyflow.domain.access import as_term, get_item
from olympus_rules.keyflow.domain.arguments import Arguments
from olympus_rules.keyflow.domain.arguments import parts as parts_of
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Choice, Const, Metadata, Sequence, Value
from olympus_rules.keyflow.interpret.flow import Flow
from olympus_rules.keyflow.interpret.selecting import selected
from olympus_rules.keyflow.notes import axes, boundaries, layout, literals, masks
from olympus_rules.libraries.names import CHOOSING, ELEMENTWISE_MODULES, METADATA

STACKING = {"stack", "array", "asarray", "concatenate", "vstack", "hstack"}
JOINING = STACKING | CHOOSING


def pure(flow: Flow, qualified: str, arguments: Arguments) -> Value:
    """Return the term of a call that depends on its arguments alone."""
    metadata = METADATA.get(qualified)
    if metadata is not None and arguments.node is not None and arguments.node.args:
        first = arguments.get(0, "a")
        if isinstance(first, Term):
            return Metadata(metadata, first, arguments.node.args[0])
    if qualified.rpartition(".")[2].startswith("assert"):
        layout.asserted(flow, arguments)
    terms = [as_term(flow, value) for value in arguments.values()]
    return flow.terms.make("op", qualified, *terms)


def array_function(flow: Flow, qualified: str, arguments: Arguments) -> Value:
    """Call a function of ``jax.numpy`` or the like: it consumes nothing, but may read a key's words."""
    name = qualified.rpartition(".")[2]
    first = _first(name, arguments)
    if name in JOINING:
        _join(flow, qualified, name, arguments)
    if flow.file.placeholders and (joined := literals.beside(flow, name, arguments)) is not None:
        return joined
    if name in STACKING and isinstance(first, Sequence) and not (name == "concatenate" and _may_be_words(flow, first)):
        axes.look_at_joined(flow, name, first, arguments)
        return _joined_rows(flow, name, first, arguments)
    if name in ("array", "asarray") and isinstance(first, Term):
        return first
    if (
        name == "stack"
        and isinstance(first, Term)
        and len(arguments.values()) == 1
        and flow.knowledge.is_candidate(first)
    ):
        return first
    if name in CHOOSING:
        masks.chosen(flow, arguments)
    if arguments.node is not None and qualified.startswith(ELEMENTWISE_MODULES):
        subject = arguments.expression(0, "a")
        result = None
        if subject is not None and isinstance(first, Term | Sequence | Choice | Const):
            result = layout.array_method(flow, first, axes.ArrayCall(name, arguments.node, subject, arguments, 1))
        result = selected(flow, name, first, arguments) if result is None else result
        if result is not None:
            return result
        if name in ("issubdtype", "dtype", "shape", "ndim", "size"):
            return pure(flow, qualified, arguments)
    if "issubdtype" in name:
        return pure(flow, qualified, arguments)
    return flow.terms.make("op", (qualified, flow.terms.number()), *(as_term(flow, v) for v in arguments.values()))


def _first(name: str, arguments: Arguments) -> Value | None:
    """Return the first argument, or the arrays that a function gets by name."""
    first = arguments.first
    return first if first is not None or name not in axes.ARRAYS else arguments.get(0, axes.ARRAYS[name])


def _may_be_words(flow: Flow, arrays: Sequence) -> bool:
    """Return whether arrays are parts of what may be one raw key, whose elements are words."""
    return any(
        isinstance(array, Term)
        and flow.terms.operation(array) == "slice"
        and flow.knowledge.rank(flow.terms.args(array)[0]) is None
        for array in arrays.items
    )


def _joined_rows(flow: Flow, name: str, arrays: Sequence, arguments: Arguments) -> Sequence:
    """Return the rows of joined arrays: the arrays, or the rows of each if they are concatenated."""
    rows: list[Value] = []
    is_open = arrays.open
    joins_rows = name == "concatenate" and arguments.get(1, "axis") in (None, Const(0))
    for array in arrays.items:
        if isinstance(array, Sequence) and array.kind == "stack" and joins_rows:
            rows += array.items
            is_open = is_open or array.open
        elif not (
            (joins_rows and isinstance(array, Term | Choice))
            or (name == "vstack" and isinstance(array, Term) and flow.knowledge.rank(array))
        ):
            rows.append(array)
        elif isinstance(array, Term) and (flow.terms.operation(array), flow.terms.data(array)) == ("view", "newaxis"):
            rows.append(flow.terms.args(array)[0])
        else:  # any number of rows
            rows.append(get_item(flow, array, flow.terms.fresh()))
            is_open = True
    return Sequence("stack", tuple(rows), is_open)


def _join(flow: Flow, qualified: str, name: str, arguments: Arguments) -> None:
    """Look for raw keys beside typed ones among the values that an array function joins or chooses from."""
    first = _first(name, arguments)
    parts = list(arguments.expressions())[1:3] if name in CHOOSING else []
    if name in STACKING and isinstance(first, Sequence):
        parts = list(parts_of(first, arguments.expression(0, axes.ARRAYS.get(name, "arrays"))))
    boundaries.joined(flow, qualified, parts, arguments.node)
