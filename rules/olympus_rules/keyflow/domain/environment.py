"""Variables, and the attributes and items of objects, with an undo log: each arm of a branch runs in a layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class _Missing:
    def __repr__(self) -> str:
        return "MISSING"


MISSING = _Missing()


class Environment:
    """Variables and the attributes and items of objects, with an undo log of layers.

    Attributes:
        values: what each is bound to.
        get: returns a variable's value, ``None`` when it has none.
    """

    def __init__(self) -> None:
        """Start empty, outside any layer."""
        self.values: dict[object, Any] = {}
        self.get: Callable[[object], Any] = self.values.get
        self._layers: list[dict[object, Any]] = []

    def set(self, name: object, value: object) -> None:
        """Bind a variable."""
        if self._layers:
            self._layers[-1].setdefault(name, self.values.get(name, MISSING))
        self.values[name] = value

    @property
    def depth(self) -> int:
        """The number of layers."""
        return len(self._layers)

    def open(self) -> int:
        """Start a layer, and return its depth."""
        self._layers.append({})
        return len(self._layers)

    def changes(self, depth: int) -> dict[object, Any]:
        """Return the bindings since the layer of this depth was opened, without closing it."""
        return {name: self.values[name] for layer in self._layers[depth - 1 :] for name in layer}

    def before(self, name: object, depth: int) -> Any:
        """Return the value of a variable before the layer of this depth was opened, ``None`` for none."""
        for layer in self._layers[depth - 1 :]:
            if name in layer:
                return None if layer[name] is MISSING else layer[name]
        return self.values.get(name)

    def close(self) -> dict[object, Any]:
        """Undo the last layer and return its bindings."""
        layer = self._layers.pop()
        changed = {name: self.values[name] for name in layer}
        for name, old in layer.items():
            if old is MISSING:
                del self.values[name]
            else:
                self.values[name] = old
        return changed

    def update(self, changes: dict[object, Any]) -> None:
        """Bind several variables."""
        for name, value in changes.items():
            self.set(name, value)
