"""Array functions that select from an array or rearrange it: what they return holds the same keys as an index would."""

from __future__ import annotations

from collections.abc import Callable

from olympus_rules.keyflow.domain.access import get_item
from olympus_rules.keyflow.domain.arguments import Arguments
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Const, Sequence, SliceOf, Value
from olympus_rules.keyflow.facts import KeyKind
from olympus_rules.keyflow.interpret.flow import Flow

FIRST_AXIS = (None, Const(0))
MAX_PARTS = 64  # of a split array


def selected(flow: Flow, name: str, array: Value | None, arguments: Arguments) -> Value | None:
    """Return what a function of ``jax.numpy`` or ``jax.lax`` selects from an array of keys.

    Args:
        flow: where the call is.
        name: the last part of the function's name.
        array: its first argument.
        arguments: all of its arguments.

    Returns:
        ``None`` for any other function, or if the array is not known to be one of keys.
    """
    handler = SELECTING.get(name)
    if handler is None or not isinstance(array, Term):
        return None
    is_concerned = flow.knowledge.is_candidate(array) if name == "expand_dims" else flow.knowledge.rank(array)
    return handler(flow, array, arguments) if is_concerned else None


def _expanded(flow: Flow, array: Term, arguments: Arguments) -> Value | None:
    axes = (arguments.get(1, "axis"), arguments.get(1, "dimensions"))
    return get_item(flow, array, Const(None)) if Const(0) in axes else None


def _indexed(flow: Flow, array: Term, arguments: Arguments) -> Value | None:
    """Return ``array[index]``; the axis is kept unless it is said otherwise."""
    index, keeps = arguments.get(1, "index"), arguments.get(3, "keepdims")
    if index is None or arguments.get(2, "axis") not in FIRST_AXIS or keeps not in (None, Const(True), Const(False)):
        return None
    item = get_item(flow, array, index)
    return item if keeps == Const(False) else get_item(flow, item, Const(None))


def _is_by_key(flow: Flow, array: Term, axis: Value | None) -> bool:
    """Return whether a function that has no axis by default takes whole keys, and not the words of raw ones."""
    if axis in (None, Const(None)):
        return flow.knowledge.kind(array) == KeyKind.TYPED and flow.knowledge.rank(array) == 1
    return axis == Const(0)


def _taken(flow: Flow, array: Term, arguments: Arguments) -> Value | None:
    index = arguments.get(1, "indices")
    is_by_key = _is_by_key(flow, array, arguments.get(2, "axis"))
    return get_item(flow, array, index) if index is not None and is_by_key else None


def _sliced(flow: Flow, array: Term, arguments: Arguments) -> Value | None:
    """Return ``array[start:limit]`` for ``lax.slice``, whose bounds are tuples, one for each axis."""
    bounds = [arguments.get(1, "start_indices"), arguments.get(2, "limit_indices")]
    if arguments.get(3, "strides") not in (None, Const(None)) or flow.knowledge.rank(array) != 1:
        return None
    first = [each.items[0] for each in bounds if isinstance(each, Sequence) and each.items and not each.open]
    return get_item(flow, array, SliceOf(first[0], first[1], None)) if len(first) == 2 else None


def _sliced_in_dim(flow: Flow, array: Term, arguments: Arguments) -> Value | None:
    start, limit = arguments.get(1, "start_index"), arguments.get(2, "limit_index")
    if arguments.get(3, "stride") not in (None, Const(1)) or arguments.get(4, "axis") not in FIRST_AXIS:
        return None
    return get_item(flow, array, SliceOf(start, limit, None))


def _dynamically_sliced(flow: Flow, array: Term, arguments: Arguments) -> Value | None:
    """Return ``array[start:start + size]``, clamped to the array as the function does it."""
    start, size = arguments.get(1, "start_index"), arguments.get(2, "slice_size")
    if arguments.get(3, "axis") not in FIRST_AXIS:
        return None
    length = flow.terms.length(array)
    if not all(isinstance(each, Const) and type(each.value) is int for each in (start, size)) or length is None:
        return flow.knowledge.view(f"slice {flow.terms.number()}", array, flow.knowledge.rank(array))
    assert isinstance(start, Const) and isinstance(size, Const)
    begin, count = int(str(start.value)), int(str(size.value))
    begin = max(0, min(begin + length if begin < 0 else begin, length - count))
    return flow.knowledge.slice(array, begin, begin + count)


def _flipped(flow: Flow, array: Term, arguments: Arguments) -> Value | None:
    return _reordered(flow, array, arguments) if _is_by_key(flow, array, arguments.get(1, "axis")) else None


def _rolled(flow: Flow, array: Term, arguments: Arguments) -> Value | None:
    return _reordered(flow, array, arguments) if _is_by_key(flow, array, arguments.get(2, "axis")) else None


def _reordered(flow: Flow, array: Term, arguments: Arguments) -> Value | None:
    return flow.knowledge.view(f"reordered {flow.terms.number()}", array, flow.knowledge.rank(array))


def _parts(flow: Flow, array: Term, arguments: Arguments) -> Value | None:
    """Return the slices into which a literal number divides an array of a known length."""
    count, length = arguments.get(1, "indices_or_sections"), flow.terms.length(array)
    if not isinstance(count, Const) or type(count.value) is not int or arguments.get(2, "axis") not in FIRST_AXIS:
        return None
    if length is None or not 0 < count.value <= MAX_PARTS or length % count.value:
        return None
    size = length // count.value
    return Sequence("list", tuple(flow.knowledge.slice(array, n * size, n * size + size) for n in range(count.value)))


SELECTING: dict[str, Callable[[Flow, Term, Arguments], Value | None]] = {
    "array_split": _parts,
    "dynamic_index_in_dim": _indexed,
    "dynamic_slice_in_dim": _dynamically_sliced,
    "expand_dims": _expanded,
    "flip": _flipped,
    "flipud": _reordered,
    "index_in_dim": _indexed,
    "roll": _rolled,
    "slice": _sliced,
    "slice_in_dim": _sliced_in_dim,
    "split": _parts,
    "take": _taken,
}
