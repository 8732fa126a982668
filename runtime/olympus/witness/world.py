"""A world in which a function can be executed that knows JAX's random keys and nothing else.

The source of the function's file is executed with stand-ins: for JAX, functions that do what JAX does to keys; for
modules of the same project, their sources, executed in the same way; for the standard library's pure helpers,
themselves; for everything else, unknown values. No module of the user's is imported, and no code of a library runs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType, FunctionType, MethodType
from typing import Any, NamedTuple

from olympus.predicates import Applied, Constant, Shifted, Symbol
from olympus.verdicts.documented import Documented
from olympus.witness.decisions import Decisions, Derived, Same, joined
from olympus.witness.helpers import HELPERS
from olympus.witness.loops import FEW, Loops, is_traced
from olympus.witness.preparation import Branch, CompiledModule, Place, compiled_file
from olympus.witness.substitutes import Builtins
from olympus.witness.unknown import Unknown, UnknownBase, expression, is_unknown

__all__ = ["Choices", "Exhausted", "Met", "World", "shallow"]


# Pure helpers of the standard library, which do what they do with stand-ins, too.
PURE = frozenset(
    {
        "__future__", "abc", "collections", "copy", "dataclasses", "enum", "functools", "inspect", "itertools", "math",
        "operator", "string", "types", "typing",
    }
)  # fmt: skip
PURE_PARTS = {
    "contextlib": (
        "AbstractContextManager",
        "ContextDecorator",
        "ExitStack",
        "contextmanager",
        "nullcontext",
        "suppress",
    )
}
TOLD = 10  # derivations of what is called, up to which its results are told by its arguments
READING = frozenset(name for kind in (str, bytes, tuple, frozenset, float) for name in dir(kind)) | {
    "all", "any", "argmax", "argmin", "astype", "copy", "cumsum", "flatten", "get", "item", "items", "keys", "max",
    "mean", "min", "prod", "ravel", "reshape", "std", "sum", "tolist", "transpose", "values", "var",
}  # fmt: skip
"""Methods that do not change their object."""

DECISIONS = 24  # of one execution: what is unknown after that is false


ERRORS = 1_000  # of one execution
STEPS = 40_000  # of one execution: calls of what is not known, turns, conditions, and what weighs more
HEAVY = 40  # steps: a call of JAX that is traced
NET = 20  # seconds of processor time for one execution: a net below its steps
KEY_OPERATIONS = 200  # in one execution
CALLS = 5_000  # of something unknown, in one execution
MANY = 1_000  # of them, in one call of the user's
DEEPEST = 400  # frames, of JAX's as well; what is not known can keep a recursion from its end
SHALLOW = 80  # frames, up to which such a recursion is left
OUTER = 12  # frames, up to which a call is left that goes on and on: those of the function and of one that it calls


class Exhausted(BaseException):
    """The execution is too long; no handler of the user's is to catch it."""


class TooLong(Exception):
    """A call of the user's goes on and on; it is left, and its result is unknown."""


class Met(NamedTuple):
    """An error, and where the calls were that led to the place where it was handled."""

    error: BaseException
    around: set[tuple[CodeType, int]]


class Choices:
    """The decisions of one execution: some that are given, and one answer to all after them; and a row of arguments.

    Attributes:
        prefix: the first decisions.
        default: all after them.
        row: the row of arguments with which a test is called.
        wanted: what conditions of the user's have to be where that can be chosen, by line and column.
        few: how many turns a loop does of which that is not known.
        made: what was decided so far.
    """

    def __init__(
        self,
        prefix: tuple[bool, ...] = (),
        *,
        default: bool = True,
        row: int = 0,
        wanted: Mapping[Branch, bool] | None = None,
        few: int = FEW,
    ) -> None:
        self.prefix, self.default, self.row = prefix, default, row
        self.made: list[bool] = []
        self.wanted, self.few = wanted or {}, few

    def again(self, few: int | None = None) -> Choices:
        """Return the same, before anything is decided; with another number of turns if one is given."""
        few = self.few if few is None else few
        return Choices(self.prefix, default=self.default, row=self.row, wanted=self.wanted, few=few)

    @property
    def is_over(self) -> bool:
        """Whether no more decisions are made, and the other side of the next one is not tried."""
        return len(self.made) >= DECISIONS

    def choose(self) -> bool:
        """Make the next decision."""
        index = len(self.made)
        if index >= DECISIONS:
            return False
        choice = self.prefix[index] if index < len(self.prefix) else self.default
        self.made.append(choice)
        return choice

    def others(self) -> Iterator[tuple[bool, ...]]:
        """Return the beginnings of other executions: as this one, but for one decision after those that were given."""
        for index in range(len(self.prefix), len(self.made)):
            yield (*self.made[:index], not self.made[index])


class Players:
    """What plays the part of unknown values that are used as keys or numbers: here, where modules are executed."""

    def key(self, value: Any) -> Any:
        """Return the key that a value is; what is no unknown value is itself."""
        import jax

        return jax.random.key(0) if is_unknown(value) else value

    def number(self, value: Any) -> Any:
        """Return the number that an unknown value is."""
        return 0

    def is_key(self, value: Any) -> bool:
        """Say whether an unknown value was used as a key."""
        return False

    def consume(self, values: Sequence[Any], *, known: bool = False) -> None:
        """Consume the keys that are given to something unknown, of which that may be known."""

    def turn(self, loop: int, number: int | None) -> None:
        """Be told that a turn of an open loop begins, or, without a number, that the loop has ended."""


class World:
    """Where a function is executed, several times.

    Attributes:
        choices: the decisions of this execution.
        typed: whether keys are typed.
        players: what plays the part of unknown values.
        library: gives the stand-in for a module of JAX by its name, ``None`` for one that is not JAX's.
        sources: gives the file of a module of the project, ``None`` for one that is not the project's.
        claimed: places where an operand is a key for certain, by what is known without an execution.
        documented: what consumes keys in libraries, by package, which is empty for functions, and name.
        helpers: stand-ins for what is imported under some names.
        open: whether loops of which it is not known how often they run stand for all numbers of turns.
        loops: those of this execution.
        handed: functions of the user that were given to something unknown.
    """

    def __init__(
        self,
        library: Callable[[World, str], Any],
        sources: Callable[[str], Path | None],
        claimed: Mapping[str, frozenset[Place]],
        *,
        typed: bool,
    ) -> None:
        self.choices = Choices()
        self.typed = typed
        self.library = library
        self.sources = sources
        self.claimed = claimed
        self.helpers = HELPERS
        self.documented: Mapping[tuple[str, str], Documented] = {}
        self.modules: dict[str, Any] = {}
        self.spent = 0  # steps of all executions
        self.late = False  # whether a time limit has struck
        self.changed: list[tuple[dict[str, Any], str, Any]] = []
        self.written: list[tuple[dict[Hashable, Any], Hashable]] = []
        self.begin(Choices(), Players())
        self.base = type("UnknownBase", (UnknownBase,), {"_olympus_world": self})
        self.builtins = Builtins(self)

    def begin(self, choices: Choices, players: Players, *, is_open: bool = False) -> None:
        """Forget what the last execution decided and wrote; modules stay executed.

        Args:
            choices: the decisions of the next one.
            players: what plays the part of unknown values in it.
            is_open: whether its loops stand for all numbers of turns.
        """
        self.choices, self.players = choices, players
        self.decided: dict[Unknown, bool] = {}
        self.decisions = Decisions()
        self.guessed = False  # whether it was decided in one way only what may be otherwise
        self.fails = False  # whether the execution went on after an assertion that did not hold
        self.counted = False  # whether a loop was taken to end after a few turns
        self.conditions: dict[Same, Unknown] = {}  # what traced values are as conditions
        self.handed: list[Callable[..., Any]] = []
        self.calls = self.fresh = 0
        self.end = time.process_time() + NET
        self.steps = 0
        self.key_operations = 0
        self.open = is_open
        self.loops = Loops(self)
        self.cut: str | None = None  # why loops did not run as they would
        self.met: dict[Hashable, Met] = {}
        self.outermost = depth()
        self.sizes: dict[Unknown, int] = {}  # what numbers of children that are not known are taken for
        self.grown: list[tuple[CodeType, int]] = []  # where the last child of a split into one more is taken
        self.arrivals: dict[int, list[list[Any]]] = {}
        for parts, name in self.written:
            parts.pop(name, None)
        self.written.clear()
        for attributes, name, value in reversed(self.changed):
            attributes[name] = value
        self.changed.clear()

    # What unknown values ask for.

    def promote(self, value: Any) -> Any:
        """Return the key that a value is."""
        return self.players.key(value)

    def as_number(self, value: Any) -> Any:
        """Return the number that an unknown value is."""
        return self.players.number(value)

    def count_key_operation(self) -> None:
        """End an execution with very many key operations, as a recursion has that nothing stops.

        Raises:
            Exhausted: if it is one.
        """
        self.key_operations += 1
        self.step(HEAVY)
        if self.key_operations > KEY_OPERATIONS:
            raise Exhausted(f"more than {KEY_OPERATIONS} key operations")

    def count_call(self) -> None:
        """Count a call of JAX that is traced.

        Raises:
            Exhausted: if there were too many steps.
        """
        self.step(HEAVY)

    def step(self, weight: int = 1) -> None:
        """Count what an execution does, and end one that does very much: it is the same on a slower machine.

        Args:
            weight: how many steps it is.

        Raises:
            Exhausted: if that is too much, or takes very long all the same.
        """
        self.steps += weight
        self.spent += weight
        if self.steps > STEPS:
            raise Exhausted(f"more than {STEPS} steps")
        if time.process_time() > self.end:
            self.late = True
            raise Exhausted(f"the time limit of {NET} s has struck")

    def note(self, error: BaseException, frame: FrameType) -> None:
        """Note an error that the execution goes on after; one that comes again at the same places is noted once.

        Args:
            error: the error.
            frame: where it is handled.

        Raises:
            Exhausted: if there are very many.
        """
        places, traceback = [], error.__traceback__
        while traceback is not None:
            places.append((traceback.tb_frame.f_code, traceback.tb_lasti))
            traceback = traceback.tb_next
        around = self.met.setdefault((type(error), str(error), tuple(places)), Met(error, set())).around
        outer = frame.f_back
        while outer is not None:
            around.add((outer.f_code, outer.f_lasti))
            outer = outer.f_back
        if len(self.met) > ERRORS:
            raise Exhausted(f"more than {ERRORS} errors")

    def goes_on(self, error: BaseException) -> bool:
        """Say whether the execution goes on here after an error: what has no end is left before."""
        if isinstance(error, RecursionError):
            return depth() <= self.outermost + SHALLOW
        if isinstance(error, TooLong):
            if depth() > self.outermost + OUTER:
                return False
            self.fresh = self.calls
        return not isinstance(error, StopIteration)

    def decide(self, value: Unknown) -> bool:
        """Decide what is not known: the same way for the same value, and so that all decisions hold in one run."""
        return self.settled(value, None)

    def settled(self, value: Unknown, wanted: bool | None) -> bool:
        """Decide what is not known, in the way that is wanted if that can be.

        Args:
            value: a condition.
            wanted: whether it is to hold; ``None`` for a choice of this execution.
        """
        if value not in self.decided:
            self.step()
            term = value._olympus_term
            holds = self.decisions.told(term, value._olympus_path)
            if holds is not None:
                self.decisions.forced.append(value._olympus_path)
                if self.decisions.doubtful is not None:
                    self.cut = f"it is not known whether {self.decisions.doubtful} excludes another condition"
                elif has_call(term):
                    self.cut = f"it is not known whether {value._olympus_path} is the same each time"
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
        """Return what a traced value is as a condition."""
        return self.conditions.setdefault(Same(value), Unknown(self, "a traced condition"))

    def goes_round(self, turn: int, count: Hashable, *, on: bool = True) -> bool:
        """Say whether a loop may do a turn, of which the number that it does is not known; it is decided that it does.

        Args:
            turn: the number of the turn.
            count: how many turns there are.
            on: whether there is one; otherwise it is decided that there is none, if that can be.
        """
        return self.decisions.allows(joined("__lt__", (Constant(turn), count)), on)

    def few_turns(self, count: Hashable, first: int = 0) -> Iterator[int]:
        """Return the first turns of a loop of which it is not known how often it runs; then it is taken to end.

        Args:
            count: where it ends, ``None`` if nothing is known of that.
            first: where it begins.
        """
        few = FEW if count is None else self.choices.few
        for turn in range(first, first + few):
            if count is not None and not self.goes_round(turn, count):
                return
            yield turn
        if count is not None:
            self.counted = True
            self.goes_round(first + few, count, on=False)

    def lean(self, value: Any, branch: Branch, *, positive: bool) -> Any:
        """Decide what is not known, so that the execution takes the branch that it is to take, if there is one."""
        wanted = self.choices.wanted.get(branch)
        if wanted is None or not (is_unknown(value) or is_traced(value)):
            return value
        decided = value if is_unknown(value) else self.condition(value)
        self.settled(decided, wanted == positive)
        return decided

    def unknown_call(self, callee: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the result of a call of something unknown: it is given what the call gives it, and does its work."""
        self.calls += 1
        if self.calls > CALLS:
            raise Exhausted(f"more than {CALLS} calls of unknown functions")
        if self.calls - self.fresh > MANY:
            raise TooLong(f"more than {MANY} calls of unknown functions")
        self.step()
        for value in (*args, *kwargs.values()):
            if isinstance(value, FunctionType) and value not in self.handed:
                self.handed.append(value)
        row = self.documented_row(callee)
        taken = [] if row is None else row.consumed(args, kwargs)
        self.players.consume(taken, known=True)
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
        """Forget what is known of objects that an unknown call may change: that of a method, and what it is given."""
        owner = callee._olympus_owner if is_unknown(callee) else None
        reads = owner is None or callee._olympus_path.rpartition(".")[2] in READING
        for value in (*given, *([] if reads else [owner])):
            if is_unknown(value) and not isinstance(value._olympus_term, Symbol):
                value._olympus_forget()
            elif isinstance(self.modules.get(type(value).__module__), SourceModule):
                self.forget(value)

    def forget(self, instance: Any) -> None:
        """Take other things for the attributes of an object of the user's that something unknown may have written."""
        own: dict[str, Any] = getattr(instance, "__dict__", {})
        for name, value in list(own.items()):
            if is_unknown(value) or is_traced(value):
                term = joined(".", (Same(instance), Constant(name)))
                self.changed.append((own, name, value))
                own[name] = Unknown(self, f"{type(instance).__name__}.{name}", term=term)

    def documented_row(self, callee: Any) -> Documented | None:
        """Return what is known of a function of a library, or of a method of an object that comes from it."""
        if not self.documented or not is_unknown(callee):
            return None
        receiver, _, name = callee._olympus_path.rpartition(".")
        parts = receiver.partition("(")[0].split(".")
        modules = (self.modules.get(".".join(parts[: count + 1])) for count in range(len(parts)))
        if not any(map(is_unknown, modules)):
            return None
        package = parts[0]
        return self.documented.get((package, name) if "(" in receiver else ("", f"{receiver}.{name}"))

    def transformed(self, function: Callable[..., Any]) -> Any:
        """Return what something unknown makes of a function: most likely one that does the same."""
        from olympus.witness.library import Wrapped

        return Wrapped(self, function)

    def as_claimed_key(self, value: Unknown) -> Any:
        """Return the key that an unknown value is: it was used as one, or stands at a place that says so."""
        is_key = self.players.is_key(value) or self.is_claimed(sys._getframe(2))
        return self.promote(value) if is_key else None

    def is_claimed(self, frame: FrameType) -> bool:
        """Say whether a frame stands at a place where an operand is a key for certain."""
        places = self.claimed.get(frame.f_code.co_filename)
        return places is not None and position(frame.f_code, frame.f_lasti) in places

    # Modules.

    def import_module(self, name: str, fromlist: tuple[str, ...] = ()) -> Any:
        """Return what stands for a module; without ``fromlist`` its outermost package, as ``import a.b`` binds."""
        shown = name if fromlist else name.partition(".")[0]
        return self.module(shown)

    def module(self, name: str) -> Any:
        """Return what stands for a module of this name."""
        if name not in self.modules:
            self.modules[name] = self._found(name)
        return self.modules[name]

    def enter(self, package: str) -> None:
        """Execute a package before a module in it, as an import does."""
        around = self.module(package) if package else None
        if isinstance(around, SourceModule):
            around._loaded()

    def source(self, name: str, file: Path) -> SourceModule:
        """Return a module of the project by its file; it is executed."""
        module = self.modules.get(name)
        if not isinstance(module, SourceModule):
            module = self.modules[name] = SourceModule(self, name, file)
        module._loaded()
        return module

    def _found(self, name: str) -> Any:
        library = self.library(self, name)
        if library is not None:
            return library
        if name.partition(".")[0] in PURE:
            return import_module(name)
        file = self.sources(name)
        if file is not None:
            return SourceModule(self, name, file)
        unknown = Unknown(self, name, term=Symbol(name))
        for part in PURE_PARTS.get(name, ()):
            unknown._olympus_parts[".", part] = getattr(import_module(name), part)
        return unknown

    def execute(self, name: str, file: str, source: CompiledModule, namespace: dict[str, Any]) -> None:
        """Execute a file, statement by statement: one that fails leaves its names unknown.

        Args:
            name: the name of the module.
            file: the path of the file.
            source: its statements.
            namespace: where its names go.
        """
        namespace.update({"__name__": name, "__file__": file, "__builtins__": self.builtins})
        for statement in source.statements:
            with suppress(Exception):
                exec(statement, namespace)

    def load(self, name: str, file: str, source: CompiledModule, namespace: dict[str, Any]) -> None:
        """Execute a file outside of what is traced; it is executed once for all executions, and has time of its own."""
        import jax

        players, self.players = self.players, Players()
        choices, self.choices = self.choices, Choices()
        end, start = self.end, time.process_time()
        self.end, steps, self.steps = start + NET, self.steps, 0
        try:
            with jax.ensure_compile_time_eval(), suppress(Exhausted):
                self.execute(name, file, source, namespace)
        finally:
            self.players, self.choices = players, choices
            self.end, self.steps = end + time.process_time() - start, steps


class SourceModule:
    """A module of the project, executed when something of it is first asked for."""

    def __init__(self, world: World, name: str, file: Path) -> None:
        self._world, self._name, self._file = world, name, file
        self._names: dict[str, Any] | None = None

    def _loaded(self) -> dict[str, Any]:
        if self._names is None:
            self._world.enter(self._name.rpartition(".")[0])
        if self._names is None:
            self._names = {}  # what imports it in a circle sees what there is so far
            self._world.load(self._name, str(self._file), compiled_file(self._file, self._name), self._names)
        return self._names

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        names = self._loaded()
        if name in names:
            return names[name]
        inner = self._world.sources(f"{self._name}.{name}")
        if inner is not None:
            return self._world.module(f"{self._name}.{name}")
        path = f"{self._name}.{name}"
        value = names[name] = Unknown(self._world, path, term=Symbol(path))
        return value


def has_call(term: Hashable) -> bool:
    """Say whether what a condition says of a value goes through a call that may give something else each time."""
    match term:
        case Derived(operation, operands):
            return operation == "call" or any(map(has_call, operands))
        case Applied(subject=subject) | Shifted(subject=subject):
            return has_call(subject)
    return False


def depth() -> int:
    """Return how many frames there are."""
    frame: FrameType | None = sys._getframe()
    count = 0
    while frame is not None:
        frame, count = frame.f_back, count + 1
    return count


@contextmanager
def shallow() -> Iterator[None]:
    """End a recursion early."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(min(limit, depth() + DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def position(code: CodeType, lasti: int) -> Place | None:
    """Return the place of the instruction in execution."""
    for index, (line, end_line, column, end_column) in enumerate(code.co_positions()):
        if index == lasti // 2:
            if line is None or end_line is None or column is None or end_column is None:
                return None
            return line, column, end_line, end_column
    return None
