"""The interface of the interpreter's parts: the state, and the operations that they call on each other."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from olympus_rules.code.instructions import Block, FunctionCode
from olympus_rules.keyflow.domain.arguments import Arguments
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.domain.paths import PathCondition
from olympus_rules.keyflow.domain.state import State
from olympus_rules.keyflow.domain.summary import Slot
from olympus_rules.keyflow.domain.values import Value
from olympus_rules.keyflow.notes.array_objects import ArrayObjects


class Flow(State, ABC):
    """The interpretation of one function, as its parts see it: evaluating and applying are mutually recursive.

    Attributes:
        arrays: looks for objects with ``__jax_array__``, ``None`` if there are none.
        given: callables that parameters and variables of enclosing functions hold in this run.
        registers: the values of the registers.
        collected: the elements of the comprehensions that are being built.
        rounds: the number of iterations followed of a loop of unknown length.
        ended: whether the call just made surely did not return; ``None`` if it did.
        raised: the exceptions that the call just made may raise, each with whether a draw comes before it.
        taken: the number of conditions of callees that were followed up to now.
        iterations: the product of the iterations followed of the loops around the present instruction.
    """

    def __init__(
        self, file: File, code: FunctionCode, given: Mapping[Slot, Value], arrays: ArrayObjects | None
    ) -> None:
        """Start at the entry of a function."""
        super().__init__(file, code)
        self.given, self.arrays = given, arrays
        self.registers: list[Any] = [None] * code.registers
        self.collected: dict[str, list[tuple[PathCondition, Value]]] = {}
        self.rounds = 2
        self.iterations = 1
        self.taken = 0
        self.ended: bool | None = None
        self.raised: dict[str, bool] = {}

    @abstractmethod
    def block(self, block: Block) -> None:
        """Execute a block until it ends or is left."""

    @abstractmethod
    def call(self, function: Value, arguments: Arguments) -> Value:
        """Call a value."""

    @abstractmethod
    def attribute(self, value: Value, name: str, node: ast.Attribute | None = None) -> Value:
        """Return ``value.name``."""
