"""Key operations outside of compiled functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from olympus.recording.executed import Event, Key
from olympus.recording.intended import allows_reuse
from olympus.recording.lanes import Lanes, current_lanes
from olympus.recording.record import Record
from olympus.recording.words import rows_of


def before_operation(record: Record, name: str, args: Sequence[Any]) -> Callable[[Any], None] | None:
    """Look at a primitive that is about to be executed; return what looks at its results."""
    look = EAGER.get(name)
    if look is None:
        return None
    words = rows_of(args[0]) if name in OF_KEYS else None
    return lambda results: None if results is None else look(record, args, words, results)


def _seed(record: Record, args: Sequence[Any], _: None, keys: Any) -> None:
    import numpy as np

    seeds, rows = np.asarray(args[0]).ravel().tolist(), rows_of(keys)
    with record.lock:
        made = record.make("seed", keys, rows, record.epochs.begin(), ((None, seed) for seed in seeds))
        record.happened(Event("seed", "key", (), tuple(made), record.stack()))


def _move(record: Record, args: Sequence[Any], _: None, result: Any) -> None:
    """Follow keys that become words, or words that become keys."""
    epochs = record.epochs.of(args[0])
    if epochs is not None:
        record.epochs.track(result, epochs)


def _split(record: Record, args: Sequence[Any], words: list[bytes], children: Any) -> None:
    rows = rows_of(children)
    with record.lock:
        repeated, parents = _draws(record, "split", args, words)
        one = {parent.epoch for parent in parents}
        certain = len(one) == 1 and min(one) >= 0 and not repeated
        each = children.size // max(len(parents), 1)
        origins = ((parent, index) for parent in parents for index in range(each))
        record.make("split", children, rows, one.pop() if certain else record.epochs.begin(), origins)


def _draw(record: Record, args: Sequence[Any], words: list[bytes], _: Any) -> None:
    with record.lock:
        _draws(record, "draw", args, words)


def _draws(
    record: Record, kind: Literal["split", "draw"], args: Sequence[Any], words: list[bytes]
) -> tuple[bool, list[Key]]:
    """Note that all keys of an array are consumed; return whether one was before, or may be on purpose."""
    keys = [record.key(args[0], row, str(args[0].dtype)) for row in words]
    lanes = current_lanes()
    if lanes.none:
        return False, keys
    own, known = _of_lanes(lanes, keys, args[0].shape)
    name = "split" if kind == "split" else "bits"
    event = Event(kind, name, tuple(own) if known else (), (), record.stack())
    record.happened(event)
    if allows_reuse():
        return True, keys
    repeated = [record.consume(key, event) for key in dict.fromkeys(own)]
    twice = next((key for key in own if own.count(key) > 1), None) if len(set(own)) < len(own) else None
    if twice is not None:
        record.repeat("reuse", event, event, twice)
    return any(repeated) or twice is not None, keys


def _derive(
    record: Record, operation: Literal["fold_in", "clone"], args: Sequence[Any], words: list[bytes], made: Any
) -> None:
    import numpy as np

    rows = rows_of(made)
    data = np.asarray(args[1]).ravel().tolist() if operation == "fold_in" else [None]
    with record.lock:
        parents = [record.key(args[0], row, str(args[0].dtype)) for row in words]
        one = {parent.epoch for parent in parents}
        certain = len(one) == 1 and min(one) >= 0 and operation != "clone"
        count = max(len(parents), len(data)) if parents and data else 0
        origins = [(parents[i % len(parents)], data[i % len(data)]) for i in range(count)]
        keys = record.make(operation, made, rows, one.pop() if certain else record.epochs.begin(), origins)
        record.happened(Event(operation, operation, tuple(parents), tuple(keys), record.stack()))


def _of_lanes(lanes: Lanes, keys: list[Key], shape: Sequence[int]) -> tuple[list[Key], bool]:
    """Return the keys of an array that the lanes of its branches take, and whether all of these are known.

    One key that all lanes have is that of the branch, and not of a lane: which branch draws from it is not known.
    """
    if lanes.all:
        return keys, True
    if len(set(keys)) < len(keys):
        return [], False
    takes = [lanes.takes(shape, row) for row in range(len(keys))]
    return [key for key, taken in zip(keys, takes, strict=True) if taken], None not in takes


EAGER: dict[str, Callable[..., None]] = {
    "random_seed": _seed,
    "random_wrap": _move,
    "random_unwrap": _move,
    "random_split": _split,
    "random_bits": _draw,
    "random_gamma": _draw,
    "random_fold_in": lambda record, *of: _derive(record, "fold_in", *of),
    "random_clone": lambda record, *of: _derive(record, "clone", *of),
}
OF_KEYS = EAGER.keys() - {"random_seed", "random_wrap", "random_unwrap"}
