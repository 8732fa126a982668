"""The calls of a user's program behind the events of a lineage, and where keys come from.

One call of a sampler is many equations, and often many events: those inside of a function of JAX belong to the call
that the user wrote. An equation in the body of a loop is followed twice; both iterations are one place.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from olympus.lineage.events import Event

if TYPE_CHECKING:
    from olympus.lineage import Lineage
    from olympus.lineage.identity import Term
    from olympus.tracing.jaxprs import Equation

LOOPS = ("scan", "while")
UNMADE = ("join", "element", "opaque")  # identities that no event makes


@dataclass(slots=True, eq=False)
class Call:
    """One call in the program, in all iterations of the loops around it.

    Attributes:
        equation: the outermost equation of the call.
        events: its events.
    """

    equation: Equation
    events: list[Event] = field(default_factory=list)

    @property
    def site(self) -> tuple[object, ...]:
        """Return what calls have in common that one place in the source makes, as in a Python loop."""
        return (self.events[0].name, self.equation.chain or self.equation.path)

    def again(self, event: Event) -> bool:
        """Return whether one of its events happens in a later iteration of a loop around the call."""
        own = event.context.turns[: len(loops_around(self.equation))]
        return any(turn > 0 for _, turn in own)


def loops_around(equation: Equation) -> list[Equation]:
    """Return the loops around an equation, the outermost first."""
    return [each for each in reversed(equation.around[1:]) if each.primitive in LOOPS]


def parents(lineage: Lineage, key: int) -> tuple[int, ...]:
    """Return the keys that a key is directly made of."""
    operation, children, _ = lineage.identities[key]
    if operation == "element":
        return tuple(dict.fromkeys(lineage.lanes[key][1])) if key in lineage.lanes else ()
    if operation == "join":
        children = children[1:]  # the first one is what decides
    elif operation == "fold_in":
        children = children[:1]
    found: dict[int, None] = {}
    for child in children:
        if child >= 0:
            found.update(dict.fromkeys(sorted(lineage.identities.keys_of(child))))
    return tuple(found)


class Calls:
    """The calls of a lineage.

    Attributes:
        lineage: the lineage.
        by_path: the calls in the order of the program.
        of_event: the call of each event, by the event's ``id``.
        makers: the event that made a key first, and the key's place among what that event made.
    """

    def __init__(self, lineage: Lineage) -> None:
        self.lineage = lineage
        self.by_path: dict[tuple[int, ...], Call] = {}
        self.of_event: dict[int, Call] = {}
        self.makers: dict[int, tuple[Event, int]] = {}
        self.loops: dict[int, Equation] = {}
        for event in lineage.events:
            self._enter(event)
        for misuse in lineage.misuses:
            for event in (misuse.first, misuse.second):
                self._enter(event)

    def _enter(self, event: Event) -> None:
        if id(event) in self.of_event:
            return
        equation = event.equation.call
        call = self.by_path.setdefault(equation.path, Call(equation))
        call.events.append(event)
        self.of_event[id(event)] = call
        for place, key in enumerate(event.made):
            operation = self.term(key).operation
            if event.kind == ("wrap" if operation == "mangled" else operation):
                self.makers.setdefault(key, (event, place))
        for (loop, _), equation in zip(event.context.turns, loops_around(event.equation), strict=False):
            self.loops.setdefault(loop, equation)

    def term(self, key: int) -> Term:
        """Return the term of an identity."""
        return self.lineage.identities[key]

    def maker(self, key: int) -> Event | None:
        """Return the event that made a key."""
        return self.makers[key][0] if key in self.makers else None

    def roots(self, call: Call, keys: tuple[int, ...]) -> tuple[int, ...]:
        """Return the keys that a call was given, in the place of those that it made of them inside."""
        found: dict[int, None] = {}
        waiting = list(reversed(keys))
        while waiting:
            key = waiting.pop()
            if self._is_inside(call, key):
                waiting += reversed(parents(self.lineage, key))
            else:
                found[key] = None
        return tuple(found)

    def _is_inside(self, call: Call, key: int) -> bool:
        maker = self.maker(key)
        if maker is not None:
            return self.of_event[id(maker)] is call
        unmade = self.term(key).operation in UNMADE
        return unmade and any(self._is_inside(call, each) for each in parents(self.lineage, key))

    def same_in_turns(self) -> dict[int, int]:
        """Return, for keys that differ only in the iteration of a loop or in the lane of a map, the first of them.

        A split that was followed for the key of any one lane gives all lanes children with the same data.
        """
        first: dict[object, int] = {}
        same: dict[int, int] = {}
        positions: defaultdict[object, list[int]] = defaultdict(list)
        for key, (event, place) in self.makers.items():
            positions["made", event.equation.path, place].append(key)
        for key in self.lineage.lanes:
            positions[self._lane(key)].append(key)
        for call in self.by_path.values():
            for event in call.events:
                for place, key in enumerate(event.keys):
                    if event.context.turns and self.term(key).operation in ("join", "opaque"):
                        positions["used", event.equation.path, place, self.term(key).operation].append(key)
        for position, keys in positions.items():
            for key in keys:
                same.setdefault(key, first.setdefault(position, key))
        made = {self.term(key).data: key for key in self.makers if self.term(key).operation == "split"}
        for key, (operation, _, data) in enumerate(self.lineage.identities.terms):
            if operation == "split" and key not in self.makers and data in made:
                same[key] = made[data]
        return same

    def _lane(self, key: int) -> object:
        execution, place, _, at = data if isinstance(data := self.term(key).data, tuple) else (0, 0, 0, key)
        loop = self.loops.get(execution)
        return "lane", execution if loop is None else loop.path, place, at

    def is_loop(self, key: int) -> bool:
        """Return whether a mapped key is one of a loop, and not of a mesh."""
        data = self.term(key).data
        return isinstance(data, tuple) and data[0] in self.loops
