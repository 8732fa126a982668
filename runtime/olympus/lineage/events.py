"""What happens to keys while a function is followed, and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from olympus.tracing import adapter
from olympus.tracing.spans import Chain, Span, diverging

if TYPE_CHECKING:
    from olympus.lineage.conditions import Facts
    from olympus.tracing.jaxprs import Equation

EventKind = Literal["seed", "wrap", "unwrap", "split", "fold_in", "clone", "draw", "torn", "unmodelled"]
MisuseKind = Literal["reuse", "collision", "indexing", "arithmetic", "transposition"]
Turn = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Context:
    """Where in the nest of jaxprs an equation is being followed.

    Attributes:
        outer: the equation in whose jaxpr it stands.
        library: whether it is inside of a function of JAX that is compiled as a whole.
        repeated: whether one key came several times into that function.
        conditions: the branches that are taken, each by what decides: its number, and how many there are. What decides
            is the term of a predicate for a branch of ``cond``, and a pair of numbers for a selection among results.
        facts: what is known of numbers where these branches are taken.
        turns: the iterations of the loops around it, each by a number of the loop's execution and its own.
        never: the branches around it that a known predicate rules out; what stands there meets only its like.
        recomputed: whether it recomputes a forward pass.
    """

    outer: Equation | None = None
    library: bool = False
    repeated: bool = False
    conditions: dict[object, tuple[int, int]] = field(default_factory=dict)
    facts: Facts = ()
    turns: tuple[Turn, ...] = ()
    never: tuple[int, ...] = ()
    recomputed: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """One key operation of a traced function.

    Attributes:
        kind: what is done. ``draw`` and ``split`` consume the keys that go in; ``torn`` takes words of keys out of
            their place, or computes with them; of what ``unmodelled`` does nothing is known.
        equation: the equation that does it.
        keys: the identities that go in.
        made: the identities that come out.
        context: the branches and loops around it.
        order: its number among the events of the lineage.
    """

    kind: EventKind
    equation: Equation
    keys: tuple[int, ...]
    made: tuple[int, ...]
    context: Context
    order: int

    @property
    def chain(self) -> Chain:
        """Return the spans of the user's calls that led to it, innermost first."""
        return self.equation.chain

    @property
    def implementation(self) -> str:
        """Return the dtype of what goes in first, such as ``key<fry>``."""
        return str(getattr(self.equation.inputs[0].aval, "dtype", ""))

    @property
    def consumes(self) -> bool:
        """Return whether the keys that go in are used up."""
        return self.kind in ("draw", "split")

    @property
    def is_mapped(self) -> bool:
        """Return whether a map of JAX does it in all of its lanes."""
        return any(adapter.is_mapped(each.eqn) for each in self.equation.around)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Return how many keys go in: one that differs in the lanes of a map has an axis for them."""
        avals: list[Any] = [value.aval for value in self.equation.eqn.invars]  # a token has no dtype
        return tuple(aval.size for aval in avals if str(getattr(aval, "dtype", "")).startswith("key<"))

    @property
    def name(self) -> str:
        """Return the function of ``jax.random`` that the user called, such as ``normal``, or what JAX compiles there.

        JAX compiles ``permutation`` as ``shuffle``, so that the source is asked first; it may have a name of its own.
        """
        import jax

        called = self.chain[0].called() if self.chain else None
        if called is not None and hasattr(jax.random, called):
            return called
        call = self.equation.call
        return str(call.params.get("name", call.primitive)).strip("_").removeprefix("random_")

    @property
    def conditional(self) -> bool:
        """Return whether it happens on some executions only."""
        return bool(self.context.conditions or self.context.never)


@dataclass(frozen=True, slots=True, eq=False)
class Misuse:
    """Something wrong with the keys of a traced function, decided by identities.

    Attributes:
        kind: ``reuse`` of a key; a ``collision`` of two derivations that give one key; ``indexing`` into a key's
            buffer, ``arithmetic`` with its words, ``transposition``: words of several keys in one, or in another order.
        first: the earlier consumption; what took the words apart.
        second: the later consumption; what uses the words as a key.
        key: the identity that is consumed twice, or the key that was put together.
        where: the spans of the two events, where their chains of calls differ.
        across_turns: whether it is one place in two iterations of a loop.
    """

    kind: MisuseKind
    first: Event
    second: Event
    key: int
    where: tuple[Span, Span] | None
    across_turns: bool = False

    @classmethod
    def of(cls, kind: MisuseKind, first: Event, second: Event, key: int) -> Misuse:
        """Return a misuse of two events, with the places that a reader has to look at."""
        where = diverging(first.chain, second.chain) if first.chain and second.chain else None
        earlier, later = dict(first.context.turns), dict(second.context.turns)
        across = any(turn != later.get(loop, turn) for loop, turn in earlier.items())
        return cls(kind, first, second, key, where, across)
