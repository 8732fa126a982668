"""What keys are called in a picture: short, and one name for keys that are used alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from olympus.graphs.calls import parents

if TYPE_CHECKING:
    from olympus.lineage import Lineage

SHORT = 16  # characters: a longer name of a parent is left out of the names of its children
LONG = 24  # the same where not much else is said
MOST = 3  # numbers, runs of numbers and names
UNKNOWN = "…"


def spelled(values: Iterable[int | str]) -> str:
    """Return numbers and names in a few words: ``0:5`` for numbers in a row, ``…`` for too many."""
    distinct = list(dict.fromkeys(values))
    runs: list[list[int]] = []
    for number in sorted(value for value in distinct if isinstance(value, int)):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    shown = [str(run[0]) if len(run) == 1 else f"{run[0]}:{run[-1] + 1}" for run in runs]
    shown += [value for value in distinct if isinstance(value, str)]
    return ", ".join(shown) if len(shown) <= MOST else UNKNOWN


class Namer:
    """Gives the names of the keys of one lineage."""

    def __init__(self, lineage: Lineage, turns: dict[int, list[int]]) -> None:
        """Prepare for a lineage.

        Args:
            lineage: the lineage.
            turns: the keys that one key stands for, which differ only in the iteration of a loop.
        """
        self.lineage = lineage
        self.turns = turns
        values = zip(lineage.inputs, lineage.trace.names, strict=True)
        self.inputs = {value.number: name for value, name in values if value.number >= 0}

    def label(self, keys: Sequence[int], depth: int = 3, longest: int = SHORT) -> str:
        """Return the name of a node of some keys, of one operation.

        Args:
            keys: the keys.
            depth: how many derivations to tell.
            longest: the length of the names of parents above which they are left out.
        """
        operation, _, data = self.lineage.identities[keys[0]]
        if operation == "argument" and isinstance(data, tuple):
            return self._array(data[0], keys)
        if operation == "seed":
            return f"key({spelled(self._number(self._child(key)) for key in keys)})"
        if operation in ("constant", "join", "opaque", "wrap"):
            return self.lineage.describe(keys[0]).replace("...", UNKNOWN)
        inside = self._inside(keys, depth, max(longest, LONG) if operation in ("element", "mangled") else longest)
        match operation:
            case "split":
                return f"split({inside})[{spelled(map(self.index, keys))}]"
            case "fold_in":
                return f"fold_in({inside}, {spelled(map(self.index, keys))})"
            case "clone":
                return f"clone({inside})"
            case "element":
                return f"each of {inside}"
            case "mangled":
                return f"words of {inside}"
        return "keys"

    def _inside(self, keys: Sequence[int], depth: int, longest: int) -> str:
        """Return the name of what some keys are made of."""
        above = list(dict.fromkeys(parent for key in keys for parent in parents(self.lineage, key)))
        if not above or not depth:
            return UNKNOWN
        alike: dict[object, list[int]] = {}
        for key in above:
            operation, _, data = self.lineage.identities[key]
            array = operation == "argument" and isinstance(data, tuple)
            alike.setdefault(data[0] if array and isinstance(data, tuple) else operation, []).append(key)
        text = spelled(self.label(each, depth - 1, longest) for each in alike.values())
        return text if len(text) <= longest and f"({UNKNOWN}" not in text else UNKNOWN

    def _array(self, argument: int, keys: Sequence[int]) -> str:
        """Return the name of some keys of an argument: of the argument itself where they are all."""
        name = self.lineage.trace.names[argument]
        positions = [data[1] for key in keys if isinstance(data := self.lineage.identities[key].data, tuple)]
        labels = self.lineage.inputs[argument].labels
        typed = labels is not None and labels.size and self.lineage.identities.is_key(int(labels.flat[0]))
        size = 1 if labels is None else labels.size if typed else labels[..., 0].size
        if len(positions) == size:
            return name
        if len(positions) == 1:
            return name + "".join(f"[{each}]" for each in positions[0])
        if len(positions[0]) != 1:
            return f"{name}[{UNKNOWN}]"
        return f"{name}[{spelled(position[0] for position in positions)}]"

    def _child(self, key: int) -> int:
        children = self.lineage.identities[key].children
        return children[-1] if children else 0

    def index(self, key: int) -> int | str:
        """Return which child of a split a key is, or what was folded in, as far as it is known."""
        operation, _, data = self.lineage.identities[key]
        if operation == "fold_in":
            messages = {self._number(self._child(each)) for each in (key, *self.turns.get(key, ()))}
            return messages.pop() if len(messages) == 1 else UNKNOWN
        return int(data[1]) if isinstance(data, tuple) and len(data) > 1 and data[1] >= 0 else UNKNOWN

    def _number(self, number: int) -> int | str:
        """Return a number that is known, or the name of the argument that it is, converted or not."""
        while True:
            operation, children, data = self.lineage.identities[number]
            if operation == "literal":
                return int(str(data))
            if number in self.inputs:
                return self.inputs[number]
            if len(children) != 1 or operation not in ("value", "computed"):
                return UNKNOWN
            if operation == "computed" and isinstance(data, tuple) and data[0] != "convert_element_type":
                return UNKNOWN
            number = children[0]
