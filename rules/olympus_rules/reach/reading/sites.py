"""Call sites of a project, and the parameters to which its callers pass keys."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from olympus_rules.code.instructions import FunctionCode
from olympus_rules.reach.solver.slots import Slot
from olympus_rules.reach.solver.values import Place


class Anywhere(tuple[Slot, ...]):
    """The slots of arguments that come to a parameter or to any after it, as those of a starred argument do."""

    __slots__ = ()


Given: TypeAlias = Sequence[Slot]
"""Slots whose values one parameter may get; -1 stands for none."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of the project.

    Attributes:
        place: where it is.
        code: the function or module that it stands in.
        node: how it is written.
        callee: how the callee is written.
        function: the slot of the callee.
        arguments: the slots of the positional arguments, and whether each is starred.
        keywords: the names and slots of the others; ``None`` for ``**``.
        result: the slot of the result.
        owner: the slot of the object of a method call.
    """

    place: Place
    code: FunctionCode
    node: ast.Call
    callee: str
    function: Slot
    arguments: tuple[tuple[Slot, bool], ...]
    keywords: tuple[tuple[str | None, Slot], ...]
    result: Slot
    owner: Slot | None

    @property
    def given(self) -> list[Slot]:
        """Return the slots of all arguments."""
        return [slot for slot, _ in self.arguments] + [slot for _, slot in self.keywords]


@dataclass(frozen=True, slots=True)
class Taken:
    """A parameter to which callers pass keys.

    Attributes:
        place: where it is declared.
        function: the line and column of its function.
        name: its name.
        callee: the name of its function, after that of its class.
        rank: 0 if it must be a single key, otherwise ``None``.
    """

    place: Place
    function: tuple[int, int]
    name: str
    callee: str
    rank: int | None


@dataclass(frozen=True, slots=True)
class Written:
    """An attribute or element that is written.

    Attributes:
        place: where it is written.
        spelled: how it is written, or the object for a call of ``setattr`` with a computed name.
        owner: the slot of the object.
        source: the slot of the value.
    """

    place: Place
    spelled: str
    owner: Slot
    source: Slot
