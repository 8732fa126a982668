"""The state of an execution with stand-ins: what is decided, what is a key, and what unknown calls do."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from types import CodeType, FrameType, FunctionType, MethodType
from typing import Any

from olympus.predicates import Applied, Constant, Shifted, Symbol
from olympus.verdicts.documented import CALL, Documented
from olympus.verdicts.reasons import Reason
from olympus.witness.budget import Budget, depth
from olympus.witness.choices import FEW, Choices
from olympus.witness.decisions import Decisions, Derived, Same, joined
from olympus.witness.helpers import HELPERS
from olympus.witness.preparation import Branch, Place
from olympus.witness.unknown import Unknown, UnknownBase, UnsteadyBase, expression, is_plain, is_traced, is_unknown

TOLD = 10  # derivations of a callable, up to which the terms of its results have its arguments
READING = frozenset(name for kind in (str, bytes, tuple, frozenset, float) for name in dir(kind)) | {
    "all", "any", "argmax", "argmin", "astype", "copy", "cumsum", "flatten", "get", "item", "items", "keys", "max",
    "mean", "min", "prod", "ravel", "reshape", "std", "sum", "tolist", "transpose", "values", "var",
}  # fmt: skip
"""Methods that do not change their object."""
COPIES = ("replace", "_replace")
"""Methods of records, whose attributes are fields."""


class State(ABC):
    """The state of an execution; several executions share the modules.

    Attributes:
        budget: what the executions have spent.
        typed: whether keys are typed.
        claimed: the places where an operand is certainly a key, as the linter knows.
        documented: what consumes keys in libraries, by package (empty for functions) and name.
        indexed: whether a class of the project gives items of its own.
        packages: the libraries that are described, whose classes keep what is stored in their objects.
        records: unknown values that are records, as their use shows.
        modules: what stands for each module that has been imported.
        sources: gives the file of a module of the project, ``None`` for one that is not the project's.
        handed: functions of the user that were passed to unknown calls.
        written: the parts of unknown values that this execution has set.
        guessed: whether a decision was made without trying the other one.
        cut: why loops were cut short, ``None`` if none was.
    """

    sources: Callable[[str], Path | None]

    def __init__(self, *, typed: bool) -> None:
        self.modules: dict[str, Any] = {}
        self.budget = Budget()
        self.typed = typed
        self.claimed: Mapping[str, frozenset[Place]] = {}
        self.helpers = {**HELPERS, "sys.modules": Modules(self)}
        self.documented: Mapping[tuple[str, str], Documented] = {}
        self.changed: list[tuple[dict[str, Any], str, Any]] = []
        self.written: list[tuple[dict[Hashable, Any], Hashable]] = []
        self.records: set[str] = set()
        self.packages: frozenset[str] = frozenset()
        self.indexed = False
        self.begin(Choices(), Players())
        self.own: type = type("UnknownBase", (UnknownBase,), {"_olympus_world": self})
        self.base = type("UnsteadyBase", (UnsteadyBase, self.own), {})

    def begin(self, choices: Choices, players: Players) -> None:
        """Forget the decisions and writes of the last execution; modules stay executed.

        Args:
            choices: the choices of the next execution.
            players: gives keys and numbers for unknown values.
        """
        self.choices, self.players = choices, players
        self.decided: dict[Unknown, bool] = {}
        self.ended: str | None = None  # the unknown call at the end of the function that has returned
        self.reads: dict[
            tuple[Same, Hashable], Any
        ] = {}  # the attributes that were read, of objects of unknown classes
        self.given: dict[str, Unknown] = {}  # the unknown arguments of the function
        self.kinds: dict[Unknown, type] = {}  # the classes of arguments, by their annotations
        self.others: dict[
            Unknown, str
        ] = {}  # arguments and fields that are no keys, each with a sentence that says why
        self.decisions = Decisions()
        self.guessed = False
        self.fails = False  # whether the execution went on after an assertion that did not hold
        self.counted = False  # whether a loop was taken to end after a few iterations
        self.updated: list[tuple[dict[str, Any], Unknown]] = []  # dictionaries with the unknown mappings put into them
        self.conditions: dict[Same, Unknown] = {}  # what traced values are as conditions
        self.handed: list[Callable[..., Any]] = []
        self.budget.begin(depth())
        self.cut: str | None = None
        self.sizes: dict[Unknown, int] = {}  # the assumed values of unknown numbers of children
        self.grown: list[tuple[CodeType, int]] = []  # where the last child of a split into one more is taken
        self.arrivals: dict[int, list[list[Any]]] = {}
        for parts, name in self.written:
            parts.pop(name, None)
        self.written.clear()
        for attributes, name, value in reversed(self.changed):
            attributes[name] = value
        self.changed.clear()

    # What the modules are, which are executed as they are imported.

    @abstractmethod
    def module(self, name: str) -> Any:
        """Return what stands for a module of this name."""

    @abstractmethod
    def is_source(self, name: str) -> bool:
        """Return whether a module has been executed from a source of the project."""

    @abstractmethod
    def transformed(self, function: Callable[..., Any]) -> Any:
        """Return what an unknown decorator makes of a function: most likely one that does the same."""

    # Keys and numbers.

    def as_claimed_key(self, value: Unknown) -> Any:
        """Return the key that an unknown value is: it was used as one, or stands at a place that says so."""
        is_key = self.players.is_key(value) or self.is_claimed(sys._getframe(2))
        return self.players.key(value) if is_key else None

    def is_claimed(self, frame: FrameType) -> bool:
        """Return whether a frame stands at a place where an operand is a key for certain."""
        while frame.f_code.co_name == "__olympus_opened__" and frame.f_back is not None:  # a call with ``**mapping``
            frame = frame.f_back
        places = self.claimed.get(frame.f_code.co_filename)
        return places is not None and position(frame.f_code, frame.f_lasti) in places

    # Attributes.

    def read(self, owner: Any, name: Hashable, value: Any) -> Any:
        """Return what a read of an attribute or item gives: a property may give another key at the second read.

        Args:
            owner: the object.
            name: the name of the attribute, or the index of the item in a tuple.
            value: its value, as far as it was read or written before.
        """
        if name in COPIES and is_unknown(owner):
            self.records.add(owner._olympus_path)
        if not (is_unknown(value) or is_traced(value)) or self.is_steady(owner, name):
            return value
        place = (Same(owner._olympus_first if is_unknown(owner) else owner), name)
        if self.reads.get(place) is not value:  # the first read, or the first one after a write
            self.reads[place] = value
            return value
        again = value._olympus_again if isinstance(value, Unknown) else None
        return Unknown(self, f"{type(owner).__name__}.{name}") if again is None else again()

    def is_steady(self, owner: Any, name: Hashable) -> bool:
        """Return whether an attribute is surely no property: of a module, a record, or an object of a known class.

        An item is one of a container, unless a class of the project gives items of its own.
        """
        if not isinstance(name, str):
            return not self.indexed
        if not is_unknown(owner):
            return not isinstance(owner, UnsteadyBase) or type(owner)._olympus_packages <= self.packages
        if isinstance(owner._olympus_term, Symbol) or owner._olympus_path in self.records:
            return True
        kind = self.kinds.get(owner._olympus_first)
        return kind is not None and is_plain(kind, name)

    # Decisions.

    def decide(self, value: Unknown, wanted: bool | None = None) -> bool:
        """Decide an unknown condition: consistently, and so that all decisions can hold in one run.

        Args:
            value: a condition.
            wanted: whether it should hold, if earlier decisions allow it; ``None`` for a choice of this execution.
        """
        value = value._olympus_first
        if value not in self.decided:
            self.budget.step()
            term = value._olympus_term
            holds = self.decisions.told(term, value._olympus_path)
            if holds is not None:
                self.decisions.forced.append(value._olympus_path)
                if self.decisions.doubtful is not None:
                    self.cut = Reason.EXCLUDED.of(self.decisions.doubtful)
                elif has_call(term):
                    self.cut = Reason.STEADY.of(value._olympus_path)
            elif wanted is None:
                self.guessed |= self.choices.is_over
                holds = self.choices.choose()
            else:
                self.guessed = True
                holds = wanted
            self.decided[value] = holds
            self.decisions.note(term, holds)
        return self.decided[value]

    def condition(self, value: Any) -> Unknown:
        """Return the unknown condition that stands for a traced value."""
        return self.conditions.setdefault(Same(value), Unknown(self, "a traced condition"))

    def few_turns(self, count: Hashable, first: int = 0) -> Iterator[int]:
        """Return the first iterations of a loop with an unknown number of iterations; then it is taken to end.

        Args:
            count: the term of its end, ``None`` if that is unknown.
            first: where it begins.
        """
        if count is None:
            yield from range(first, first + FEW)
            return
        end = first + self.choices.few
        for turn in range(first, end):
            if not self.decisions.allows(joined("__lt__", (Constant(turn), count)), True):
                return
            yield turn
        self.counted = True
        self.decisions.allows(joined("__lt__", (Constant(end), count)), False)

    def lean(self, value: Any, branch: Branch, *, positive: bool) -> Any:
        """Decide an unknown condition so that the execution takes the wanted branch, if there is one."""
        wanted = self.choices.wanted.get(branch)
        if wanted is None or not (is_unknown(value) or is_traced(value)):
            return value
        decided = value if is_unknown(value) else self.condition(value)
        self.decide(decided, wanted == positive)
        return decided

    # Calls of something unknown.

    def unknown_call(self, callee: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the result of an unknown call: it consumes keys, may write to objects, and keeps functions."""
        self.budget.unknown_call()
        for value in (*args, *kwargs.values()):
            if isinstance(value, FunctionType) and value not in self.handed:
                self.handed.append(value)
        row = self.documented_row(callee)
        taken = [] if row is None else row.consumed(args, kwargs)
        self.players.consume(taken, known=True)
        self.players.consume_seeds([] if row is None else row.seeded(args, kwargs))
        if row is None:
            self.may_be_written(callee, [*args, *kwargs.values()])
        self.players.consume([each for each in (*args, *kwargs.values()) if not any(each is one for one in taken)])
        if len(args) == 1 and not kwargs and isinstance(args[0], FunctionType | MethodType):
            return self.transformed(args[0])
        path = callee._olympus_path if is_unknown(callee) else type(callee).__name__
        term = None
        if is_unknown(callee) and callee._olympus_depth < TOLD:
            named = [expression((name, value)) for name, value in kwargs.items()]
            term = joined("call", (callee._olympus_term, *map(expression, args), *named))
        return Unknown(self, f"{path}(...)", plain=is_unknown(callee) and callee._olympus_plain, term=term)

    def may_be_written(self, callee: Any, given: Sequence[Any]) -> None:
        """Forget what is known of the objects that an unknown call may change: its receiver and its arguments."""
        owner = callee._olympus_owner if is_unknown(callee) else None
        reads = owner is None or callee._olympus_path.rpartition(".")[2] in READING
        for value in (*given, *([] if reads else [owner])):
            if is_unknown(value) and not isinstance(value._olympus_term, Symbol):
                value._olympus_forget()
            elif self.is_source(type(value).__module__):
                self.forget(value)

    def forget(self, instance: Any) -> None:
        """Replace the attributes of an object that something unknown may have written."""
        if is_unknown(instance):
            instance._olympus_forget()
            return
        own: dict[str, Any] = getattr(instance, "__dict__", {})
        for name, value in list(own.items()):
            if is_unknown(value) or is_traced(value):
                term = joined(".", (Same(instance), Constant(name)))
                self.changed.append((own, name, value))
                own[name] = Unknown(self, f"{type(instance).__name__}.{name}", term=term)

    def documented_row(self, callee: Any) -> Documented | None:
        """Return the row of a function of a library, or of a method of its objects."""
        if not self.documented or not is_unknown(callee):
            return None
        path = callee._olympus_path
        made = path.removesuffix("(...)")  # an object that is called
        receiver, _, name = (path if made == path else made + CALL).rpartition(".")
        parts = receiver.partition("(")[0].split(".")
        modules = (self.modules.get(".".join(parts[: count + 1])) for count in range(len(parts)))
        if not any(map(is_unknown, modules)):
            return None
        package = parts[0]
        return self.documented.get((package, name) if "(" in receiver else ("", f"{receiver}.{name}"))


class Players:
    """One key and one number for all unknown values: while modules are executed, which is not traced."""

    def key(self, value: Any) -> Any:
        """Return the key of an unknown value; any other value itself."""
        import jax

        return jax.random.key(0) if is_unknown(value) else value

    def number(self, value: Any) -> Any:
        """Return the number of an unknown value."""
        return 0

    def is_key(self, value: Any) -> bool:
        """Return whether an unknown value was used as a key."""
        return False

    def consume(self, values: Sequence[Any], *, known: bool = False) -> None:
        """Consume the keys that are passed to an unknown call, ``known`` if a signature pack says that it does."""

    def consume_seeds(self, numbers: Sequence[int]) -> None:
        """Consume the keys that a library makes of numbers, as a signature pack says."""

    def mark(self, doubt: str) -> None:
        """Note why what comes now may not follow on what was before."""


class Modules:
    """Stands for ``sys.modules``."""

    def __init__(self, world: State) -> None:
        self.world = world

    def __getitem__(self, name: str) -> Any:
        return self.world.module(name)


def has_call(term: Hashable) -> bool:
    """Return whether a term contains a call, whose result may differ each time."""
    match term:
        case Derived(operation, operands):
            return operation == "call" or any(map(has_call, operands))
        case Applied(subject=subject) | Shifted(subject=subject):
            return has_call(subject)
    return False


def position(code: CodeType, lasti: int) -> Place | None:
    """Return the place of the instruction in execution."""
    for index, (line, end_line, column, end_column) in enumerate(code.co_positions()):
        if index == lasti // 2:
            if line is None or end_line is None or column is None or end_column is None:
                return None
            return line, column, end_line, end_column
    return None
