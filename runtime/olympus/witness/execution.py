"""Execute a function with stand-ins, and trace what it does with keys."""

from __future__ import annotations

import inspect
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from olympus.lineage import failure, follow
from olympus.spans import is_user_file, span_at
from olympus.verdicts.judge import ASSUMED, Execution, Interruption
from olympus.witness.library import Jax, Wrapped, library
from olympus.witness.unknown import Unknown, is_unknown
from olympus.witness.world import (
    Branch,
    Choices,
    Exhausted,
    Met,
    Place,
    Players,
    SourceModule,
    World,
    compiled,
    shallow,
)

__all__ = ["Executor", "Target"]

KEYS = 256  # that unknown values of one execution can be
NUMBERS = 256
ENOUGH = 2  # seconds of processor time, after which no other execution begins
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
        ways: what conditions have to be so that an execution comes to the places of a question, for each of them.
        roots: the packages in which JAX's namespace is.
        folders: where the modules of the project are looked for.
    """

    file: str
    text: str
    module: str
    function: str
    claimed: frozenset[Place] = frozenset()
    ways: tuple[Mapping[Branch, bool], ...] = ()
    roots: tuple[str, ...] = ("jax", "olympus")
    folders: tuple[Path, ...] = ()


class Executor:
    """Executes one function with one kind of keys."""

    def __init__(self, target: Target, *, typed: bool) -> None:
        """Compile the file.

        Raises:
            SyntaxError: if it is no Python of this version.
        """
        self.target, self.typed = target, typed
        branches = {branch for way in target.ways for branch in way}
        self.source = compiled(target.file, target.text, target.module, branches)
        self.known: set[str] = set()
        self.complete = True  # whether all decisions were tried
        self.world = World(library(target.roots), finder(target), {target.file: target.claimed}, typed=typed)
        self.module = SourceModule(self.world, target.module, Path(target.file))
        self.world.modules[target.module] = self.module
        if target.function:
            self.module._names = self.world.load(target.module, target.file, self.source)

    def executions(self) -> Iterator[Execution]:
        """Execute the function on the ways that are wanted, and then with each of its decisions both ways.

        There is a limit; the first decisions come first.
        """
        led = [Choices(default=default, wanted=way) for way in self.target.ways for default in (True, False) if way]
        waiting = deque([*led, Choices(), Choices(default=False)])
        seen: set[tuple[bool, ...]] = set()
        start = time.process_time()
        for _ in range(MOST):
            if not waiting:
                return
            if time.process_time() - start > ENOUGH:
                break
            before, choices = len(self.known), waiting.popleft()
            yield self.execute(choices)
            if len(self.known) > before:  # more is known to be a key: once more
                waiting.appendleft(Choices(choices.prefix, default=choices.default, wanted=choices.wanted))
                continue
            if choices.default and not choices.wanted:
                waiting.extend(Choices(prefix) for prefix in choices.others() if prefix not in seen)
                seen.update(choices.others())
        self.complete = not waiting

    def execute(self, choices: Choices) -> Execution:
        """Execute the function once and trace it."""
        import jax

        from olympus.jaxprs import raw_key, trace, typed_key

        ended: list[BaseException] = []
        made: list[dict[Any, Any]] = []

        def run(keys: Any, numbers: Any) -> None:
            players = TracedPlayers(keys, numbers, self.known)
            made.append(players.made)
            self.world.begin(choices, players)
            try:
                with shallow():
                    self.drive()
            except (Exception, Exhausted) as error:
                ended.append(error)

        key = (typed_key if self.typed else raw_key)(None, (KEYS,))
        struct: Any = jax.ShapeDtypeStruct  # its constructor has no annotations
        traced = trace(run, key, struct((NUMBERS,), "int32"))
        met = self.world.met.values()
        failures = tuple(found for found in map(failure, [*(each.error for each in met), *ended]) if found is not None)
        interruptions = (*map(interruption, met), *map(Interruption.of, ended))
        names = tuple(value._olympus_path for value in made[0])
        return Execution(follow(traced), failures, interruptions, names, self.world.cut)

    def drive(self) -> None:
        """Call the function with unknown arguments, and then what it hands on or returns."""
        world, target = self.world, self.target
        if not target.function:
            self.module._names = {}
            world.execute(target.module, target.file, self.source, self.module._names)
            return
        outer = target.function.partition(".<locals>")[0].split(".")
        found: Any = (self.module._names or {}).get(outer[0])
        for name in outer[1:]:
            owner, found = found, getattr(found, name, None)
            if isinstance(owner, type) and not isinstance(inspect.getattr_static(owner, name, None), staticmethod):
                found = bound(owner, found)
        result = invoke(world, found)
        for function in (*returned(result), *returned(getattr(found, "__self__", None))):
            invoke(world, function)
        handed = 0
        while handed < len(world.handed) and handed < 20:
            invoke(world, world.handed[handed])
            handed += 1


def interruption(met: Met) -> Interruption:
    """Describe an error that the execution went on after, with all calls that it happened in."""
    inner = Interruption.of(met.error)
    around = [span_at(code, lasti) for code, lasti in met.around if is_user_file(code.co_filename)]
    return replace(inner, chain=(*inner.chain, *around))


def finder(target: Target) -> Callable[[str], Path | None]:
    """Return what finds the file of a module of the project."""

    def find(name: str) -> Path | None:
        parts = name.split(".")
        for folder in target.folders:
            file = folder.joinpath(*parts).with_suffix(".py")
            package = folder.joinpath(*parts, "__init__.py")
            for candidate in (file, package):
                if candidate.is_file():
                    return candidate
        return None

    return find


class TracedPlayers(Players):
    """Gives unknown values that are used as keys or numbers a traced key or number each."""

    def __init__(self, keys: Any, numbers: Any, known: set[str]) -> None:
        """Prepare for one execution; ``known`` has the unknown values that are keys, and is added to."""
        self.keys, self.numbers, self.known = keys, numbers, known
        self.made: dict[Any, Any] = {}
        self.counted: dict[Any, Any] = {}
        self.given = 0

    def key(self, value: Any) -> Any:
        """Return the key that a value is; anything that is no unknown value is itself."""
        if not is_unknown(value):
            return value
        if value not in self.made:
            if len(self.made) == KEYS:
                raise Exhausted(f"more than {KEYS} unknown keys")
            self.made[value] = self.keys[len(self.made)]
            if "(" not in value._olympus_path:
                self.known.add(value._olympus_path)
        return self.made[value]

    def number(self, value: Any) -> Any:
        """Return the number that an unknown value is; a part of an object may be another one each time."""
        known = self.counted.get(value)
        if known is None or "." in value._olympus_path or "[" in value._olympus_path:
            if self.given == NUMBERS:
                raise Exhausted(f"more than {NUMBERS} unknown numbers")
            known = self.counted[value] = self.numbers[self.given]
            self.given += 1
        return known

    def consume(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Consume the keys that are given to something unknown: that is what it most likely does with them."""
        import jax

        for leaf in jax.tree_util.tree_leaves((args, kwargs)):
            if is_unknown(leaf) and (leaf in self.made or leaf._olympus_path in self.known):
                leaf = self.key(leaf)
            if isinstance(leaf, jax.Array) and is_key(leaf):
                assumed(leaf)


def is_typed(array: Any) -> bool:
    """Say whether an array is of typed keys."""
    return str(array.dtype).startswith("key<")


def is_key(array: Any) -> bool:
    """Say whether an array is of keys, by its type; raw keys are the only arrays of words in an execution."""
    return is_typed(array) or (str(array.dtype) == "uint32" and array.ndim > 0 and array.shape[-1] == 2)


def assumed(keys: Any) -> None:
    """Draw from each of an array of keys, under a name that says that it is an assumption."""
    import jax

    draw = jax.random.bits
    for _ in range(keys.ndim if is_typed(keys) else keys.ndim - 1):
        draw = jax.vmap(draw)

    def consume(keys: Any) -> Any:
        return draw(keys)

    consume.__name__ = ASSUMED
    jax.jit(consume)(keys)


# Getting at the function.


def bound(owner: type, function: Any) -> Any:
    """Return a method of an object whose constructor was not run."""
    try:
        make: Any = owner.__new__
        instance = make(owner)
    except TypeError:
        return function
    return getattr(instance, getattr(function, "__name__", ""), function)


def invoke(world: World, function: Any) -> Any:
    """Call a function with unknown arguments, named as its parameters are."""
    if isinstance(function, Unknown | Jax) or not callable(function):
        return None
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None
    args, kwargs = [], {}
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        value = Unknown(world, parameter.name)
        if parameter.kind is parameter.KEYWORD_ONLY:
            kwargs[parameter.name] = value
        else:
            args.append(value)
    result = function(*args, **kwargs)
    if inspect.isgenerator(result):
        return [value for _, value in zip(range(4), result, strict=False)]
    if inspect.iscoroutine(result):
        try:
            result.send(None)
        except StopIteration as end:
            return end.value
        finally:
            result.close()
    return result


def returned(result: Any) -> list[Any]:
    """Return the functions in a result: in a tuple, in a list, or in the fields of an object."""
    values = list(result) if isinstance(result, tuple | list) else [result]
    if not is_unknown(result) and not inspect.isfunction(result):
        values += list(getattr(result, "__dict__", {}).values())
    plain = [value._function if isinstance(value, Wrapped) else value for value in values]
    return [value for value in plain if inspect.isfunction(value) or inspect.ismethod(value)][:MOST]
