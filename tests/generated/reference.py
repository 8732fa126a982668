"""What really happens to the keys of a small program: it is executed with stand-ins for JAX that know identities.

The program runs as ordinary Python; only ``jax`` is replaced. A stand-in key carries two identities, as nested tuples:

``identity``  what a report goes by. Each call of ``split`` and ``clone`` gives children of its own, as does each
              seed: that the second ``split`` of one key consumes it again is the mistake, and what comes out of it is
              not reported once more. ``fold_in`` is a function of the key and the data.
``stream``    which random bits the key gives. Two keys are the same array of words exactly when their streams are
              equal; ``split(K)[i]`` and ``fold_in(K, i)`` are one stream. The test against JAX is about this one.

Every consumption is recorded with its call stack. The *place* of a reuse is the call, in the innermost function that
both consumptions have in common and in whose own terms the two keys are equal, that leads to the second of them. In a
function's own terms two parameters are two keys, even where one call hands the same key to both; the mistake is then
the call. What a transformation such as ``scan`` calls belongs to the function that the transformation is called in.
Derivations of equal children are a mistake where one function makes both; where two calls of a function do, it is the
second use of the child.
"""

from __future__ import annotations

import ast
import functools
import itertools
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import CodeType, FrameType, ModuleType
from typing import Any

__all__ = [
    "Consumption",
    "Derivation",
    "Key",
    "Keys",
    "Recorder",
    "TooMany",
    "Truth",
    "Unreached",
    "beside_splits",
    "evaluate",
    "execute",
    "executions",
    "repeated_folds",
]

FILENAME = "<program>"
COMPREHENSIONS = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}
HANDING = {"scan", "fori_loop", "while_loop", "cond", "switch", "lax_map"}
MAX_EVENTS = 4000
MAX_RUNS = 300
COUNTS = [0, 1, 2]  # what ``input()`` says: the key flow runs a loop of unknown length for two turns

Place = tuple[int, int]
Stack = list[tuple[int, Place]]
Calls = tuple[tuple[CodeType, int], ...]


@dataclass(eq=False, slots=True)
class Key:
    """One key. ``views`` has its identity in the terms of each running function that got it as an argument."""

    identity: tuple[Any, ...]
    stream: tuple[Any, ...]
    views: dict[int, tuple[Any, ...]] = field(default_factory=dict)

    def seen_from(self, frame: int) -> tuple[Any, ...]:
        """Return the identity in a function's own terms."""
        return self.views.get(frame, self.identity)

    def child(self, step: tuple[Any, ...], stream: tuple[Any, ...]) -> Key:
        """Return a key derived from this one."""
        views = {frame: (*step, view) for frame, view in self.views.items()}
        return Key((*step, self.identity), stream, views)


@dataclass(eq=False, slots=True)
class Keys:
    """A key array: its rows are keys or key arrays."""

    rows: list[Key | Keys]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Key | Keys]:
        return iter(self.rows)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, tuple):
            return functools.reduce(lambda value, part: value[part], index, self)
        found = self.rows[index]
        return Keys(found) if isinstance(found, list) else found

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the batch axes."""
        first = self.rows[0] if self.rows else None
        return (len(self.rows), *(first.shape if isinstance(first, Keys) else ()))


def keys_in(value: Any) -> list[Key]:
    """Return the keys of a key or key array."""
    if isinstance(value, Keys):
        return [key for row in value.rows for key in keys_in(row)]
    if not isinstance(value, Key):
        raise TypeError(f"not a key: {value!r}")
    return [value]


@dataclass(slots=True)
class Consumption:
    """A sampler or split took keys: which, where, inside of which functions.

    Attributes:
        count: the literal count of a split.
        number: the number of the execution of a split, which its children have in their identities.
        calls: all of the program's calls that led to it, innermost first, as code objects and instructions.
    """

    keys: list[Key]
    stack: Stack
    functions: set[int]
    count: int | None = None
    number: int | None = None
    calls: Calls = ()


@dataclass(slots=True)
class Derivation:
    """A ``fold_in``, and the function that it stands in."""

    parent: Key
    child: Key
    datum: Any
    stack: Stack
    function: int
    calls: Calls = ()


class Recorder:
    """The stand-ins, and what they saw in one execution.

    Attributes:
        events: what was consumed and derived, in order.
        made: the keys that were made.
        answers: what ``input()`` said; the given ones first, zero after them.
        asked_inside: whether a function that a transformation calls has asked for ``input()``.
        entry: the function that was called, and ``arguments`` what with.
    """

    def __init__(self, answers: tuple[int, ...] = ()) -> None:
        self.given = answers
        self.entry, self.arguments = "", ()
        self.answers: list[int] = []
        self.reached: set[int] = set()
        self.events: list[Consumption | Derivation] = []
        self.made: list[Key] = []
        self.numbers = itertools.count()
        self.frames: list[FrameType] = []  # kept alive, so that their ids stay theirs
        self.asked_inside = False

    def modules(self) -> dict[str, ModuleType]:
        """Return stand-ins for the modules that a program imports."""
        random = ModuleType("jax.random")
        vars(random).update(key=self.seed, PRNGKey=self.seed, split=self.split, fold_in=self.fold_in, clone=self.clone)
        for name in ("normal", "uniform", "gumbel", "exponential", "bits", "randint", "bernoulli"):
            setattr(random, name, self.sample)
        lax = ModuleType("jax.lax")
        vars(lax).update(scan=scan, fori_loop=fori_loop, while_loop=while_loop, cond=cond, switch=switch, map=lax_map)
        numpy = ModuleType("jax.numpy")
        vars(numpy).update(arange=range, zeros=lambda *_: 0.0)
        jax = ModuleType("jax")
        vars(jax).update(random=random, lax=lax, numpy=numpy, jit=lambda function, **_: function, vmap=self.vmap)
        return {"jax": jax, "jax.random": random, "jax.lax": lax, "jax.numpy": numpy}

    def input(self) -> str:
        """Stand in for Python's ``input``."""
        number = len(self.answers)
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            self.asked_inside |= self._handed(frame)
            frame = frame.f_back
        self.answers.append(self.given[number] if number < len(self.given) else 0)
        return str(self.answers[-1])

    def note(self, event: Consumption | Derivation) -> None:
        self.events.append(event)
        if len(self.events) > MAX_EVENTS:
            raise RuntimeError("the program does not end")

    def stack(self) -> Stack:
        """Return the running functions of the program, innermost first, each with the call that it is at."""
        found: Stack = []
        frame: FrameType | None = sys._getframe(2)
        place: Place | None = None
        while frame is not None:
            code = frame.f_code
            if code.co_filename == FILENAME:
                place = place or position(code, frame.f_lasti)
                if code.co_name not in COMPREHENSIONS and not self._handed(frame):
                    self.frames.append(frame)
                    found.append((id(frame), place))
                    place = None
            frame = frame.f_back
        return found

    def calls(self) -> Calls:
        """Return all of the program's calls that are running, innermost first."""
        found, frame = [], sys._getframe(2)
        while frame is not None:
            if frame.f_code.co_filename == FILENAME:
                found.append((frame.f_code, frame.f_lasti))
            frame = frame.f_back  # type: ignore[assignment]
        return tuple(found)

    def functions(self) -> list[int]:
        """Return the running functions of the program, innermost first, those that a transformation called as well."""
        found, frame = [], sys._getframe(2)
        while frame is not None:
            if frame.f_code.co_filename == FILENAME and frame.f_code.co_name not in COMPREHENSIONS:
                self.frames.append(frame)
                found.append(id(frame))
            frame = frame.f_back  # type: ignore[assignment]
        return found

    def _handed(self, frame: FrameType) -> bool:
        """Say whether a transformation called this function, which then belongs to where that one was called."""
        caller = frame.f_back
        return caller is not None and caller.f_code.co_filename == __file__ and caller.f_code.co_name in HANDING

    def entered(self, value: Any, name: str) -> Any:
        """Return an argument as the function sees it: its keys get views in the function's own terms."""
        frame = sys._getframe(1)
        while frame.f_code.co_name in COMPREHENSIONS and frame.f_back is not None:
            frame = frame.f_back
        self.frames.append(frame)
        return viewed(value, id(frame), ("from outside", name))

    # the functions of jax.random

    def seed(self, value: int = 0) -> Key:
        key = Key(("seed", next(self.numbers)), ("seed", value))
        self.made.append(key)
        return key

    def sample(self, key: Key | Keys, *_: Any, **__: Any) -> float:
        self.note(Consumption(keys_in(key), self.stack(), set(self.functions()), calls=self.calls()))
        return 0.0

    def split(self, key: Key, num: int | tuple[int, ...] = 2) -> Keys:
        if not isinstance(key, Key):
            raise TypeError(f"not one key: {key!r}")
        shape = (num,) if isinstance(num, int) else tuple(num)
        count = num if isinstance(num, int) else None
        number, flat = next(self.numbers), itertools.count()
        self.note(Consumption([key], self.stack(), set(self.functions()), count, number, self.calls()))

        def rows(axis: int) -> Key | Keys:
            if axis < len(shape):
                return Keys([rows(axis + 1) for _ in range(shape[axis])])
            index = next(flat)
            child = key.child(("split", number, index), ("child", index, key.stream))
            self.made.append(child)
            return child

        found = rows(0)
        assert isinstance(found, Keys)
        return found

    def fold_in(self, key: Key, data: Any) -> Key:
        child = key.child(("fold_in", data), ("child", data, key.stream))
        self.made.append(child)
        self.note(Derivation(key, child, data, self.stack(), self.functions()[0], self.calls()))
        return child

    def clone(self, key: Key) -> Key:
        return key.child(("clone", next(self.numbers)), key.stream)

    def vmap(self, function: Callable[..., Any], in_axes: Any = 0) -> Callable[..., Any]:
        """Call the function once with key arrays where it expects keys: each lane does the same."""

        def mapped(*args: Any) -> Any:
            return function(*args)

        return mapped


def viewed(value: Any, frame: int, view: tuple[Any, ...]) -> Any:
    """Return a value whose keys are known to a function by where they stand in an argument."""
    if isinstance(value, Key):
        return Key(value.identity, value.stream, {**value.views, frame: view})
    if isinstance(value, Keys):
        return Keys([viewed(row, frame, ("item", i, view)) for i, row in enumerate(value.rows)])
    if type(value) is tuple:
        return tuple(viewed(item, frame, ("item", i, view)) for i, item in enumerate(value))
    if type(value) in (list, dict):  # the function may write to it
        for index, item in enumerate(value) if type(value) is list else list(value.items()):
            value[index] = viewed(item, frame, ("item", index, view))
    return value


@functools.lru_cache(maxsize=1000)
def position(code: CodeType, offset: int) -> Place:
    """Return row and column, from 1, of the expression that an instruction belongs to."""
    row, _, column, _ = next(itertools.islice(code.co_positions(), offset // 2, None))
    assert row is not None and column is not None
    return row, column + 1


# transformations


def element(xs: Any, index: int) -> Any:
    if isinstance(xs, tuple):
        return tuple(element(part, index) for part in xs)
    return None if xs is None else xs[index]


def scan(body: Callable[..., Any], carry: Any, xs: Any = None, length: int | None = None) -> tuple[Any, list[Any]]:
    first = xs[0] if isinstance(xs, tuple) else xs
    outputs = []
    for index in range(len(first) if first is not None else length or 0):
        carry, output = body(carry, element(xs, index))
        outputs.append(output)
    return carry, outputs


def fori_loop(lower: int, upper: int, body: Callable[..., Any], value: Any) -> Any:
    for index in range(lower, upper):
        value = body(index, value)
    return value


def while_loop(test: Callable[..., Any], body: Callable[..., Any], value: Any) -> Any:
    while test(value):
        value = body(value)
    return value


def cond(test: Any, true: Callable[..., Any], false: Callable[..., Any], *operands: Any) -> Any:
    return true(*operands) if test else false(*operands)


def switch(index: int, branches: list[Callable[..., Any]], *operands: Any) -> Any:
    return branches[min(max(index, 0), len(branches) - 1)](*operands)


def lax_map(body: Callable[..., Any], xs: Any) -> list[Any]:
    first = xs[0] if isinstance(xs, tuple) else xs
    return [body(element(xs, index)) for index in range(len(first))]


# programs


class _Entrances(ast.NodeTransformer):
    """Passes what a function gets, as a parameter or as a variable from outside, through ``Recorder.entered``.

    The calls of the program keep their places.
    """

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        names = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
        bound = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        bound |= {arg.arg for arg in ast.walk(node) if isinstance(arg, ast.arg)}
        written = [n.value for n in ast.walk(node) if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)]
        for inner in list(ast.walk(node)):
            for field_, value in ast.iter_fields(inner):
                if _is_read(value) and value.id not in bound and value not in written:
                    setattr(inner, field_, _entered(value))
                elif isinstance(value, list):
                    value[:] = [_entered(v) if _is_read(v) and v.id not in bound else v for v in value]
        self.generic_visit(node)
        lines = [f"__reached__({node.lineno})"]
        lines += [f"{name} = __entered__({name}, {name!r})" for name in names if name != "self"]
        node.body[:0] = ast.parse("\n".join(lines)).body
        return node


def _is_read(node: object) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and not node.id.startswith("__")


def _entered(node: ast.Name) -> ast.Call:
    return ast.copy_location(ast.Call(ast.Name("__entered__", ast.Load()), [node, ast.Constant(node.id)], []), node)


@functools.lru_cache(maxsize=8)
def compiled(source: str) -> CodeType:
    """Return the code of a program with its functions' entrances watched."""
    tree = ast.fix_missing_locations(_Entrances().visit(ast.parse(source)))
    return compile(tree, FILENAME, "exec")


def execute(source: str, entry: str, arguments: list[Any], answers: tuple[int, ...] = ()) -> Recorder:
    """Run a function of a program with stand-ins for JAX.

    Args:
        source: the program.
        entry: the function to call.
        arguments: what it gets.
        answers: what ``input()`` says.

    Returns:
        What the stand-ins saw.
    """
    recorder = Recorder(answers)
    recorder.entry, recorder.arguments = entry, tuple(arguments)
    modules = recorder.modules()
    hidden = {name: sys.modules.pop(name, None) for name in modules}
    sys.modules.update(modules)
    try:
        scope: dict[str, Any] = {"__name__": "program", "input": recorder.input}
        scope.update(__entered__=recorder.entered, __reached__=recorder.reached.add)
        exec(compiled(source), scope)
        scope[entry](*arguments)
    finally:
        for name, module in hidden.items():
            del sys.modules[name]
            if module is not None:
                sys.modules[name] = module
    return recorder


@dataclass
class Truth:
    """The places of a program at which something is reused, over all executions that were tried.

    Attributes:
        reuses: second consumptions, each with the first ones it can be paired with.
        collisions: derivations of equal children and splits that share children, with the other places likewise.
        excused: where either answer is right: second consumptions of a child whose derivation is a collision already,
            derivations of equal children that nothing consumes, and splits that share children with a callee.
        remade: second consumptions of equal keys that are made apart, from one seed; with each first one, in every
            function that has both.
        shown: those of the reuses and collisions that happen although each loop has an iteration.
    """

    reuses: dict[Place, set[Place]] = field(default_factory=dict)
    collisions: dict[Place, set[Place]] = field(default_factory=dict)
    excused: dict[Place, set[Place]] = field(default_factory=dict)
    remade: dict[Place, set[Place]] = field(default_factory=dict)
    shown: set[Place] = field(default_factory=set)


def evaluate(source: str, entries: dict[str, list[Any]]) -> Truth:
    """Run the functions of a program with every combination of opaque values, and collect what is reused.

    Args:
        source: the program.
        entries: the functions, each with the kinds of its arguments.

    Raises:
        TooMany: there are more executions than one would wait for.
        Unreached: there is a function inside of a function that is never called.
    """
    tree = ast.parse(source)
    functions = {node.lineno for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for class_ in tree.body:
        if isinstance(class_, ast.ClassDef):  # its methods are the same in all programs
            functions -= {node.lineno for node in ast.walk(class_) if isinstance(node, ast.FunctionDef)}
    runs = list(executions(source, entries))
    if not functions <= set().union(*(recorder.reached for recorder in runs)):
        raise Unreached
    taken = children_taken(tree)
    truth = _truth(runs, taken)
    iterated = _truth([recorder for recorder in runs if 0 not in recorder.answers], taken)
    truth.shown = {*iterated.reuses, *iterated.collisions}
    return truth


def children_taken(tree: ast.AST) -> dict[Place, set[int]]:
    """Return the numbers of the children that are taken of splits where they stand, as in ``split(key)[0]``."""
    taken: dict[Place, set[int]] = {}
    reads = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(value=ast.Call() as split, slice=ast.Constant(value=int(number))) if number >= 0:
                children = {number}
            case ast.Assign(targets=[ast.Tuple(elts=[*parts])], value=ast.Call() as split) if all(
                isinstance(part, ast.Name) for part in parts
            ):
                children = {number for number, part in enumerate(parts) if part.id != "_" or "_" in reads}
            case _:
                continue
        if ast.unparse(split.func).endswith("split"):
            taken[split.lineno, split.col_offset + 1] = children
    return taken


def _truth(runs: list[Recorder], taken: dict[Place, set[int]]) -> Truth:
    """Collect what is reused in some executions."""
    truth = Truth()
    derived: set[Place] = set()
    for recorder in runs:
        for first, again in (*repeated_folds(recorder.events), *beside_splits(recorder.events)):
            truth.collisions.setdefault(again, set()).add(first)
            derived |= {first, again}
        for first, again in beside_splits(recorder.events, in_calls=True):
            truth.excused.setdefault(again, set()).add(first)
    collided = {
        event.child.identity
        for recorder in runs
        for event in recorder.events
        if isinstance(event, Derivation) and event.stack[0][1] in derived
    }
    for recorder in runs:
        _reuses(recorder.events, collided, truth, taken)
        _remade(recorder.events, truth)
    beside = {again for recorder in runs for _, again in beside_splits(recorder.events)}
    for place in truth.collisions.keys() & _steps(runs) - beside:
        truth.excused.setdefault(place, set()).update(truth.collisions.pop(place))
    return truth


def _steps(runs: list[Recorder]) -> set[Place]:
    """Return the places of derivations whose children their function does not consume, but folds more data into."""
    derived: set[Place] = set()
    used: set[Place] = set()
    for recorder in runs:
        consumed: dict[tuple[Any, ...], set[int]] = {}  # inside of which functions
        for event in recorder.events:
            if isinstance(event, Consumption):
                for key in event.keys:
                    consumed.setdefault(key.identity, set()).update(event.functions)
        for event in recorder.events:
            if isinstance(event, Derivation):
                derived.add(event.stack[0][1])
                if event.function in consumed.get(event.child.identity, ()):
                    used.add(event.stack[0][1])
    return derived - used


def executions(source: str, entries: dict[str, list[Any]]) -> Iterator[Recorder]:
    """Return what each execution does, for every combination of truth values and of answers to ``input()``."""
    number = 0
    for entry, kinds in entries.items():
        for arguments in itertools.product(*(values(kind, (i,)) for i, kind in enumerate(kinds))):
            waiting: list[tuple[int, ...]] = [()]
            while waiting:
                number += 1
                if number > MAX_RUNS:
                    raise TooMany
                answers = waiting.pop()
                own = [list(value) if type(value) is list else value for value in arguments]  # it may write to them
                recorder = execute(source, entry, own, answers)
                yield recorder
                for length in range(len(answers), len(recorder.answers)):  # another answer where zero was assumed
                    waiting += [(*recorder.answers[:length], count) for count in COUNTS[1:]]


def values(kind: Any, name: tuple[Any, ...]) -> list[Any]:
    """Return what an argument of a kind can be."""
    if kind == "flag":
        return [False, True]
    if kind == "key":
        return [Key(("argument", *name), ("argument", *name))]
    rows = [values("key", (*name, i))[0] for i in range(kind[1])]
    return [Keys(rows) if kind[0] == "array" else rows]


class TooMany(Exception):
    """A program has too many executions to try them all."""


class Unreached(Exception):
    """A function is never called, so that nothing can be said of it."""


def meeting(first: Key, one: Stack, again: Key, two: Stack) -> tuple[Place, Place] | None:
    """Return the two places, in the innermost common function in whose terms the keys are equal."""
    earlier = dict(one)
    for frame, place in two:
        if frame in earlier and first.seen_from(frame) == again.seen_from(frame):
            return earlier[frame], place
    return None


def repeated_folds(events: list[Consumption | Derivation]) -> Iterator[tuple[Place, Place]]:
    """Return pairs of ``fold_in`` in one function whose children are equal."""
    seen: dict[tuple[Any, ...], list[Derivation]] = {}
    for event in events:
        if isinstance(event, Derivation):
            for other in seen.get(event.parent.identity, ()):
                same_view = other.parent.seen_from(event.function) == event.parent.seen_from(event.function)
                if other.datum == event.datum and other.function == event.function and same_view:
                    yield other.stack[0][1], event.stack[0][1]
            seen.setdefault(event.parent.identity, []).append(event)


def beside_splits(events: list[Consumption | Derivation], *, in_calls: bool = False) -> Iterator[tuple[Place, Place]]:
    """Return pairs of a ``fold_in`` and a split in one function, or also in its calls, that have a child in common."""
    splits: dict[tuple[Any, ...], list[Consumption]] = {}
    for event in events:
        if isinstance(event, Consumption) and event.count is not None:
            splits.setdefault(event.keys[0].identity, []).append(event)
    for event in events:
        if isinstance(event, Derivation):
            for split in splits.get(event.parent.identity, ()):
                found = list(_beside(event, split, in_calls=in_calls))
                yield from found
                if in_calls and found:  # the use of the child may be named in place of the call that made it
                    yield from _beside_uses(events, event.child, split)


def _beside_uses(
    events: list[Consumption | Derivation], child: Key, split: Consumption
) -> Iterator[tuple[Place, Place]]:
    """Return the consumptions of a child, each in the innermost function that has a split too, with that split."""
    for event in events:
        if isinstance(event, Consumption) and any(key.identity == child.identity for key in event.keys):
            places = dict(event.stack)
            found = next(((places[frame], place) for frame, place in split.stack if frame in places), None)
            if found is not None:
                yield min(found), max(found)


def _beside(fold: Derivation, split: Consumption, *, in_calls: bool) -> Iterator[tuple[Place, Place]]:
    """Return a ``fold_in`` and a split that has its child too; the one further down is the mistake."""
    if not in_calls and fold.function not in split.functions:
        return
    if not in_calls and fold.parent.seen_from(fold.function) != split.keys[0].seen_from(fold.function):
        return
    if split.count is not None and type(fold.datum) is int and 0 <= fold.datum < split.count:
        found = meeting(fold.parent, fold.stack, split.keys[0], split.stack)
        if found is not None and (in_calls or found[0] == fold.stack[0][1]):
            yield min(found), max(found)


def _reuses(
    events: list[Consumption | Derivation],
    collided: set[tuple[Any, ...]],
    truth: Truth,
    taken: dict[Place, set[int]],
) -> None:
    seen: dict[tuple[Any, ...], list[tuple[Key, Consumption]]] = {}
    for event in events:
        if not isinstance(event, Consumption):
            continue
        for key in event.keys:
            for other, first in seen.get(key.identity, ()):
                places = meeting(other, first.stack, key, event.stack)
                children = [taken.get(each.stack[0][1]) for each in (first, event)]
                if places is None or (None not in children and children[0].isdisjoint(children[1])):
                    continue
                if key.identity in collided:
                    group = truth.excused
                elif first.count and event.count and first.count != event.count:
                    group = truth.collisions
                else:
                    group = truth.reuses
                group.setdefault(places[1], set()).add(places[0])
        for key in event.keys:
            seen.setdefault(key.identity, []).append((key, event))


def _remade(events: list[Consumption | Derivation], truth: Truth) -> None:
    """Collect consumptions of keys that have one stream and are not one key."""
    seen: dict[tuple[Any, ...], list[tuple[Key, Consumption]]] = {}
    for event in events:
        if isinstance(event, Consumption):
            for key in event.keys:
                for other, first in seen.get(key.stream, ()):
                    if other.identity != key.identity:
                        earlier = dict(first.stack)
                        for frame, place in event.stack:
                            if frame in earlier:
                                truth.remade.setdefault(place, set()).add(earlier[frame])
            for key in event.keys:
                seen.setdefault(key.stream, []).append((key, event))
