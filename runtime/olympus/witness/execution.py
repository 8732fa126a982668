"""Execute a function with stand-ins, and trace what it does with keys."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from olympus.lineage import Lineage, failure, follow
from olympus.tracing.spans import is_user_file, span_at
from olympus.verdicts.documented import Documented
from olympus.verdicts.evidence import ASSUMED, DOCUMENTED
from olympus.verdicts.judge import Execution, Interruption
from olympus.verdicts.question import Place as QuestionPlace
from olympus.verdicts.reasons import Reason
from olympus.witness.budget import Exhausted, Met, shallow
from olympus.witness.choices import FEW, Choices
from olympus.witness.entry import Entry, invoke
from olympus.witness.library import EXECUTED, library
from olympus.witness.preparation import Branch, Place, compiled
from olympus.witness.satisfiability import unsettled
from olympus.witness.state import Players
from olympus.witness.unknown import is_unknown
from olympus.witness.world import SourceModule, World

KEYS = 256  # for the unknown values of one execution
NUMBERS = 256
ENOUGH = 60_000  # steps, after which no other execution begins
SHARED = 3  # folders in which fixtures are looked for
MOST = 16  # executions of one function, in each of the two kinds of keys


@dataclass(frozen=True, slots=True)
class Target:
    """A function to execute.

    Attributes:
        file: the path of its file.
        text: the source of the file.
        module: the name of its module.
        function: the qualified name of the function, the outermost one if it is nested; empty for the module itself.
        claimed: places where an operand is a key for certain.
        branches: the conditions of the file that an execution can be told to decide.
        asked: the places whose operands are noted, each with its place in a question.
        ways: for each question, the values of conditions with which its places are reached.
        twice: whether a method is called twice, which shows what it does with a key of its object.
        roots: the packages that have JAX's namespace.
        folders: the source roots of the project.
        documented: functions and methods of libraries that consume keys.
        packages: the import names of the libraries that are described.
    """

    file: str
    text: str
    module: str
    function: str
    claimed: frozenset[Place] = frozenset()
    branches: frozenset[Branch] = frozenset()
    asked: tuple[tuple[Place, QuestionPlace], ...] = ()
    ways: tuple[Mapping[Branch, bool], ...] = ()
    twice: bool = False
    roots: tuple[str, ...] = ("jax", "olympus")
    folders: tuple[Path, ...] = ()
    documented: tuple[Documented, ...] = ()
    packages: frozenset[str] = frozenset()

    @property
    def numbers(self) -> dict[Place, int]:
        """The numbers of the places whose operands are noted."""
        return {place: number for number, (place, _) in enumerate(self.asked)}


class Executor:
    """Executes one function with one kind of keys."""

    def __init__(
        self,
        target: Target,
        *,
        typed: bool,
        constructed: bool = False,
        home: Target | None = None,
    ) -> None:
        """Compile the file.

        Args:
            target: the function.
            typed: the kind of keys.
            constructed: whether the constructor of the method's object is called.
            home: the function with the findings, if it is in another file.

        Raises:
            SyntaxError: if it is no Python of this version.
        """
        self.target, self.typed, self.constructed = target, typed, constructed
        self.known: set[str] = set()
        self.proven: set[str] = set()  # the arguments that the last execution has used as keys
        self.complete = True  # whether all decisions were tried
        self.whole = True  # whether nothing else was left out
        self.forced: dict[str, None] = {}  # conditions that others imply
        own = home or target
        whole = replace(own, function="", documented=(), claimed=frozenset(), ways=(), twice=False)
        self.world, self.module = loaded(whole, typed) if target.function else prepared(whole, typed)
        self.world.claimed = {own.file: own.claimed}
        self.world.documented = {(row.package, row.name): row for row in own.documented}
        if target.file != own.file:
            self.module = self.world.source(target.module, Path(target.file))
        self.world.records, self.world.packages = set(), own.packages
        self.entry = Entry(self.world, target.function, self.named)

    def executions(self) -> Iterator[Execution]:
        """Execute the function with the wanted decisions, and then with each decision both ways.

        There is a limit; the first decisions come first.
        """
        last = len(self.entry.rows) - 1
        ways = [way for way in self.target.ways if way]
        waiting = deque([Choices(row=row, wanted=way) for way in ways for row in dict.fromkeys((0, last))])
        waiting += [Choices(default=False, wanted=way) for way in ways]
        waiting += [Choices(row=row) for row in dict.fromkeys((0, last))]
        waiting += [Choices(default=False), *(Choices(row=row) for row in range(1, last))]
        seen: set[tuple[int, tuple[bool, ...]]] = set()
        start = self.world.budget.spent
        for _ in range(MOST):
            if not waiting:
                return
            if self.world.budget.spent - start > ENOUGH:
                break
            before, choices = len(self.known) + len(self.world.records), waiting.popleft()
            yield self.execute(choices)
            proven = frozenset(self.proven) if self.target.asked else frozenset()
            more = len(self.known) + len(self.world.records) > before
            if more or proven > choices.proven:  # more is known of values
                waiting.appendleft(replace(choices, proven=choices.proven | proven))
                continue
            if self.world.counted and choices.few == FEW and not choices.prefix:
                waiting.append(replace(choices, few=1))
            if choices.default and not choices.wanted and choices.few == FEW:
                others = [prefix for prefix in choices.others() if (choices.row, prefix) not in seen]
                waiting.extend(Choices(prefix, row=choices.row) for prefix in others)
                seen.update((choices.row, prefix) for prefix in others)
        self.complete = not waiting

    def execute(self, choices: Choices) -> Execution:
        """Execute the function once and trace it."""
        import jax

        from olympus.tracing.jaxprs import raw_key, trace, typed_key

        ended: list[BaseException] = []
        cast: list[TracedPlayers] = []

        def run(keys: Any, numbers: Any, clock: Any) -> None:
            players = TracedPlayers(keys, numbers, clock, self.known)
            cast.append(players)
            self.world.begin(choices, players)
            try:
                with shallow():
                    self.drive(choices)
            except (Exception, SystemExit, Exhausted) as error:
                ended.append(error)

        key = (typed_key if self.typed else raw_key)(None, (KEYS,))
        struct: Any = jax.ShapeDtypeStruct  # its constructor has no annotations
        traced = trace(run, key, struct((NUMBERS,), "int32"), struct((), "int32"))
        lineage, (players,) = follow(traced), cast
        met = self.world.budget.met.values()
        failures = tuple(found for found in map(failure, [*(each.error for each in met), *ended]) if found is not None)
        interruptions = (*map(interruption, met), *map(Interruption.of, ended))
        names = tuple(value._olympus_path for value in players.made)
        arrivals = {
            place: [frozenset(map(players.sort_of, arrival)) for arrival in self.world.arrivals.get(number, ())]
            for number, (_, place) in enumerate(self.target.asked)
        }
        grown = tuple(span_at(code, lasti) for code, lasti in self.world.grown)
        self.forced.update(dict.fromkeys(self.world.decisions.forced))
        self.whole &= not interruptions and self.world.cut is None and (not self.world.guessed or bool(choices.wanted))
        self.proven = {name for name, value in self.world.given.items() if players.is_proven(value)}
        others = {at: self.world.others[value] for at, value in enumerate(players.made) if value in self.world.others}
        doubt = Reason.ASSERTED if self.world.fails else unsettled(self.world.decisions.known.items())
        return Execution(
            lineage,
            failures,
            interruptions,
            names,
            self.world.cut,
            arrivals,
            grown,
            doubt,
            others,
            marks_of(lineage, players),
        )

    def named(self, name: str) -> Any:
        """Return the value of a name of the module, or a fixture of a ``conftest.py`` around it."""
        names = self.module._names or {}
        if name in names or not name:
            return names.get(name)
        for folder in list(Path(self.target.file).parents)[:SHARED]:
            if is_there(folder / "conftest.py"):
                file = folder / "conftest.py"
                shared = self.world.source(module_name(file, self.target.folders), file)._loaded()
                if name in shared:
                    return shared[name]
            if folder in self.target.folders:
                break
        return None

    def drive(self, choices: Choices) -> None:
        """Call the function with unknown arguments, and then the functions that it passes on or returns."""
        world, target = self.world, self.target
        if not target.function:
            self.module._names = {}
            source = compiled(target.file, target.text, target.module, target.branches, target.numbers)
            world.execute(target.module, target.file, source, self.module._names)
            return
        for function in self.entry.call(choices.row, constructed=self.constructed, twice=target.twice):
            invoke(world, function)
        handed = 0
        while handed < len(world.handed) and handed < 20:
            invoke(world, world.handed[handed])
            handed += 1


def prepared(target: Target, typed: bool) -> tuple[World, SourceModule]:
    """Return a world for a file, and the file's module, which is not executed yet."""
    world = World(library(target.roots), finder(target), typed=typed)
    module = world.modules[target.module] = SourceModule(world, target.module, Path(target.file))
    return world, module


@lru_cache(maxsize=2)
def loaded(target: Target, typed: bool) -> tuple[World, SourceModule]:
    """Return a world in which a file has been executed; all functions of the file share it.

    Raises:
        SyntaxError: if it is no Python of this version.
    """
    world, module = prepared(target, typed)
    module._names = {}
    source = compiled(target.file, target.text, target.module, target.branches, target.numbers)
    world.load(target.module, target.file, source, module._names)
    return world, module


def interruption(met: Met) -> Interruption:
    """Describe an error that did not end the execution, with all calls around it."""
    inner = Interruption.of(met.error)
    around = [span_at(code, lasti) for code, lasti in met.around if is_user_file(code.co_filename)]
    return replace(inner, chain=(*inner.chain, *around))


def is_there(path: Path) -> bool:
    """Return whether there is a file or folder that this process may read."""
    try:
        return path.exists()
    except OSError:
        return False


def finder(target: Target) -> Callable[[str], Path | None]:
    """Return a function that finds the file of a module of the project."""

    def find(name: str) -> Path | None:
        import jax

        parts = name.split(".")
        above = [Path(jax.__file__).parents[1]] if name.startswith(f"jax.{EXECUTED}.") else []
        for folder in (*target.folders, *above):
            file = folder.joinpath(*parts).with_suffix(".py")
            package = folder.joinpath(*parts, "__init__.py")
            for candidate in (file, package):
                if is_there(candidate):
                    return candidate
        return None

    return find


def module_name(file: Path, folders: Sequence[Path]) -> str:
    """Return the name under which a file is imported."""
    for folder in folders:
        if file.is_relative_to(folder):
            parts = list(file.relative_to(folder).with_suffix("").parts)
            return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return file.stem


class TracedPlayers(Players):
    """Gives unknown values that are used as keys or numbers a traced key or number each."""

    def __init__(self, keys: Any, numbers: Any, clock: Any, known: set[str]) -> None:
        """Prepare for one execution.

        Args:
            keys: the keys for unknown values.
            numbers: the numbers for unknown values.
            clock: a number that nothing else uses; an equation with it is a mark.
            known: the unknown values that are keys; extended.
        """
        self.keys, self.numbers, self.clock, self.known = keys, numbers, clock, known
        self.doubts: list[str] = []  # one for each mark
        self.made: dict[Any, Any] = {}
        self.firsts: set[Any] = set()  # the values of their first reads
        self.counted: dict[Any, Any] = {}
        self.given = 0

    def key(self, value: Any) -> Any:
        """Return the key of an unknown value; any other value itself."""
        if not is_unknown(value):
            return value
        if value not in self.made:
            if len(self.made) == KEYS:
                raise Exhausted(Reason.MOST.of(f"{KEYS} unknown keys"))
            self.made[value] = self.keys[len(self.made)]
            self.firsts.add(value._olympus_first)
            if "(" not in value._olympus_path:
                self.known.add(value._olympus_path)
        return self.made[value]

    def number(self, value: Any) -> Any:
        """Return the number of an unknown value; a part of an object may differ each time."""
        known = self.counted.get(value)
        if known is None or "." in value._olympus_path or "[" in value._olympus_path:
            if self.given == NUMBERS:
                raise Exhausted(Reason.MOST.of(f"{NUMBERS} unknown numbers"))
            known = self.counted[value] = self.numbers[self.given]
            self.given += 1
        return known

    def is_key(self, value: Any) -> bool:
        """Return whether an unknown value was used as a key."""
        return value._olympus_first in self.firsts

    def is_proven(self, value: Any) -> bool:
        """Return whether an unknown value was used as a key, or, if it is an array, what was computed from it."""
        if self.is_key(value):
            return True
        waiting = [value] if (".", "dtype") in value._olympus_parts else []
        while waiting:
            current = waiting.pop()
            if self.is_key(current):
                return True
            for name, part in current._olympus_parts.items():
                if is_unknown(part) and isinstance(name, tuple) and str(name[0]).startswith(("__", "[")):
                    waiting.append(part)
        return False

    def sort_of(self, value: Any) -> str:
        """Return the kind of a value: ``typed`` or ``raw`` keys, ``unknown``, or ``other``."""
        import jax

        if is_unknown(value):
            return "other" if value._olympus_plain or value in self.counted else "unknown"
        if not isinstance(value, jax.Array):
            return "other"
        return "typed" if is_typed(value) else "raw" if is_key(value) else "other"

    def consume(self, values: Sequence[Any], *, known: bool = False) -> None:
        """Consume the keys that are passed to an unknown call, which most likely consumes them."""
        import jax

        for leaf in jax.tree_util.tree_leaves(values):
            if is_unknown(leaf) and (known or self.is_key(leaf) or leaf._olympus_path in self.known):
                leaf = self.key(leaf)
            if isinstance(leaf, jax.Array) and is_key(leaf):
                assumed(leaf, DOCUMENTED if known else ASSUMED)

    def consume_seeds(self, numbers: Sequence[int]) -> None:
        """Consume the keys that a library makes of numbers."""
        import jax

        self.consume([jax.random.key(number % 2**32) for number in numbers], known=True)

    def mark(self, doubt: str) -> None:
        """Mark in the trace why what comes now may not follow on what was before."""
        self.clock + 1
        self.doubts.append(doubt)


def marks_of(lineage: Lineage, players: TracedPlayers) -> tuple[tuple[int, str], ...]:
    """Return the doubts that the trace has marks of, each with the number of the equation before."""
    jaxpr = lineage.trace.jaxpr.jaxpr
    clock = jaxpr.invars[-1]
    places = [number for number, eqn in enumerate(jaxpr.eqns) if any(each is clock for each in eqn.invars)]
    return tuple(zip(places, players.doubts, strict=False))


def is_typed(array: Any) -> bool:
    """Return whether an array is of typed keys."""
    return str(array.dtype).startswith("key<")


def is_key(array: Any) -> bool:
    """Return whether an array is of keys, by its type; raw keys are the only arrays of words in an execution."""
    return is_typed(array) or (str(array.dtype) == "uint32" and array.ndim > 0 and array.shape[-1] == 2)


def assumed(keys: Any, name: str = ASSUMED) -> None:
    """Draw from each key of an array, under a name that says whose word it is."""
    import jax

    draw = jax.random.bits
    for _ in range(keys.ndim if is_typed(keys) else keys.ndim - 1):
        draw = jax.vmap(draw)

    def consume(keys: Any) -> Any:
        return draw(keys)

    consume.__name__ = name
    jax.jit(consume)(keys)
