"""A world in which a function can be executed that knows JAX's random keys and nothing else.

The source of the function's file is executed with stand-ins: for JAX, functions that do what JAX does to keys; for
modules of the same project, their sources, executed in the same way; for the standard library's pure helpers,
themselves; for everything else, unknown values. No module of the user's is imported, and no code of a library runs.
"""

from __future__ import annotations

import ast
import builtins
import sys
import time
from abc import ABC, ABCMeta
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache, partial, wraps
from importlib import import_module
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType, FunctionType, MethodType
from typing import Any, NamedTuple

from olympus.verdicts.documented import Documented
from olympus.witness.helpers import HELPERS
from olympus.witness.unknown import Unknown, UnknownBase, is_unknown

__all__ = ["Branch", "Choices", "Exhausted", "Met", "Place", "World", "shallow"]

Place = tuple[int, int, int, int]
"""Line, column, end line, end column: lines from 1, columns in UTF-8 bytes from 0, as ``ast`` has them."""

Asked = Mapping[Place, int]
"""Places at which it is noted what comes there, each with its number."""

Branch = tuple[int, int]
"""Line and column of a statement or expression with a condition, as ``ast`` has them."""

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
FORBIDDEN = frozenset(
    {
        "__import__", "breakpoint", "compile", "copyright", "credits", "delattr", "eval", "exec", "exit", "help",
        "input", "license", "memoryview", "open", "print", "quit",
    }
)  # fmt: skip
DECISIONS = 24  # of one execution: what is unknown after that is false
LONGEST = 3  # turns of a loop
SHORT = 8  # elements of a list that are all gone over


ERRORS = 1_000  # of one execution
SECONDS = 1  # of processor time, for one execution
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


Failed = Exception
"""What a guarded statement goes on after."""


class Choices:
    """The decisions of one execution: some that are given, and one answer to all after them; and a row of arguments.

    Attributes:
        prefix: the first decisions.
        default: all after them.
        row: the row of arguments with which a test is called.
        wanted: what conditions of the user's have to be where that can be chosen, by line and column.
        made: what was decided so far.
    """

    def __init__(
        self,
        prefix: tuple[bool, ...] = (),
        *,
        default: bool = True,
        row: int = 0,
        wanted: Mapping[Branch, bool] | None = None,
    ) -> None:
        self.prefix, self.default, self.row = prefix, default, row
        self.made: list[bool] = []
        self.wanted = wanted or {}

    def again(self) -> Choices:
        """Return the same, before anything is decided."""
        return Choices(self.prefix, default=self.default, row=self.row, wanted=self.wanted)

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
        self.written: list[tuple[dict[Hashable, Any], Hashable]] = []
        self.begin(Choices(), Players())
        self.base = type("UnknownBase", (UnknownBase,), {"_olympus_world": self})
        self.builtins = Builtins(self)

    def begin(self, choices: Choices, players: Players) -> None:
        """Forget what the last execution decided and wrote; modules stay executed."""
        self.choices, self.players = choices, players
        self.decided: dict[Unknown, bool] = {}
        self.handed: list[Callable[..., Any]] = []
        self.calls = self.fresh = 0
        self.end = time.process_time() + SECONDS
        self.key_operations = 0
        self.cut: str | None = None  # why loops did not run as they would
        self.met: dict[Hashable, Met] = {}
        self.outermost = depth()
        self.sizes: dict[Unknown, int] = {}  # what numbers of children that are not known are taken for
        self.grown: list[tuple[CodeType, int]] = []  # where the last child of a split into one more is taken
        self.arrivals: dict[int, list[set[str]]] = {}
        for parts, name in self.written:
            parts.pop(name, None)
        self.written.clear()

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
        if self.key_operations > KEY_OPERATIONS:
            raise Exhausted(f"more than {KEY_OPERATIONS} key operations")

    def check_time(self) -> None:
        """End an execution that takes too long.

        Raises:
            Exhausted: if it does.
        """
        if time.process_time() > self.end:
            raise Exhausted(f"more than {SECONDS} seconds")

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
        """Decide what is not known: the same way for the same value."""
        if value not in self.decided:
            self.decided[value] = self.choices.choose()
        return self.decided[value]

    def lean(self, value: Any, branch: Branch, *, positive: bool) -> Any:
        """Decide what is not known, so that the execution takes the branch that it is to take, if there is one."""
        wanted = self.choices.wanted.get(branch)
        if wanted is None or not (is_unknown(value) or is_traced(value)):
            return value
        return self.decided.setdefault(value, wanted == positive) if is_unknown(value) else wanted == positive

    def unknown_call(self, callee: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the result of a call of something unknown: it is given what the call gives it, and does its work."""
        self.calls += 1
        if self.calls > CALLS:
            raise Exhausted(f"more than {CALLS} calls of unknown functions")
        if self.calls - self.fresh > MANY:
            raise TooLong(f"more than {MANY} calls of unknown functions")
        self.check_time()
        for value in (*args, *kwargs.values()):
            if isinstance(value, FunctionType) and value not in self.handed:
                self.handed.append(value)
        row = self.documented_row(callee)
        taken = [] if row is None else row.consumed(args, kwargs)
        self.players.consume(taken, known=True)
        self.players.consume([each for each in (*args, *kwargs.values()) if not any(each is one for one in taken)])
        if len(args) == 1 and not kwargs and isinstance(args[0], FunctionType | MethodType):
            return self.transformed(args[0])
        path = callee._olympus_path if is_unknown(callee) else type(callee).__name__
        return Unknown(self, f"{path}(...)")

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
        unknown = Unknown(self, name)
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
        self.end = start + SECONDS
        try:
            with jax.ensure_compile_time_eval(), suppress(Exhausted):
                self.execute(name, file, source, namespace)
        finally:
            self.players, self.choices = players, choices
            self.end = end + time.process_time() - start


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
        value = names[name] = Unknown(self._world, f"{self._name}.{name}")
        return value


class CompiledModule:
    """The statements of a file, each compiled at its place."""

    def __init__(self, statements: list[CodeType]) -> None:
        self.statements = statements


def compiled(
    file: str, text: str, module: str, branches: Collection[Branch] = (), asked: Asked | None = None
) -> CompiledModule:
    """Compile a file for execution with stand-ins; every node keeps its place.

    Args:
        file: its path.
        text: its source.
        module: the name of its module.
        branches: the conditions that an execution may be told to decide in one way.
        asked: the places at which it is noted what comes there.

    Raises:
        SyntaxError: if it is no Python of this version.
    """
    package = module if Path(file).name == "__init__.py" else module.rpartition(".")[0]
    tree = Prepared(package, branches, asked).visit(ast.parse(text, file))
    statements = []
    for statement in tree.body:
        code = ast.Module([statement], [])
        statements.append(compile(ast.fix_missing_locations(code), file, "exec", dont_inherit=True))
    return CompiledModule(statements)


@lru_cache(maxsize=1024)
def compiled_file(file: Path, module: str) -> CompiledModule:
    """Compile a file of the project, once; nothing is in one that cannot be read or parsed."""
    try:
        return compiled(str(file), file.read_text("utf-8"), module)
    except (OSError, SyntaxError, ValueError):
        return CompiledModule([])


def call(name: str, *args: ast.expr, at: ast.AST) -> ast.expr:
    """Return a call of one of our functions, at the place of a node."""
    return ast.copy_location(ast.Call(ast.copy_location(ast.Name(name, ast.Load()), at), list(args), []), at)


def parted(test: ast.expr, change: Callable[[ast.expr, bool], ast.expr], *, positive: bool = True) -> ast.expr:
    """Change the parts of a condition between ``and``, ``or`` and ``not``, told whether it is true when they are."""
    if isinstance(test, ast.BoolOp):
        test.values = [parted(value, change, positive=positive) for value in test.values]
        return test
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.NotIn | ast.IsNot):
        operator = ast.In() if isinstance(test.ops[0], ast.NotIn) else ast.Is()
        inside = ast.copy_location(ast.Compare(test.left, [operator], test.comparators), test)
        test = ast.copy_location(ast.UnaryOp(ast.Not(), inside), test)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test.operand = parted(test.operand, change, positive=not positive)
        return test
    return change(test, positive)


def is_ours(node: ast.AST) -> bool:
    """Say whether a node is a call of one of our functions."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.startswith("__olympus")


def place_of(node: Any) -> Place:
    """Return the place of a node of a syntax tree."""
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def noted(number: int, value: ast.expr, *, first: bool = False) -> ast.expr:
    """Return an expression that notes what comes to a place."""
    told = [ast.copy_location(ast.Constant(each), value) for each in (number, first)]
    return call("__olympus_noted__", value, *told, at=value)


class Head(NamedTuple):
    """The head of a compound statement: statements that come before it, and an expression that cannot fail."""

    statements: list[ast.stmt]
    value: ast.expr


class Prepared(ast.NodeTransformer):
    """Makes a module ready for stand-ins; every node of the user keeps its place.

    * Annotations are left out, and a decorator that is not known leaves the function as it is.
    * A statement that fails gives unknown values to its names, and the execution goes on. So does the head of a loop,
      of a condition, or of a ``with``.
    * Loops run a few turns. What is not known is taken not to lead to an error.
    * Keywords of unknown names are left out.
    * Relative imports become absolute ones.
    """

    def __init__(self, package: str, branches: Collection[Branch] = (), asked: Asked | None = None) -> None:
        self.package, self.branches, self.asked = package, branches, asked or {}

    def visit(self, node: ast.AST) -> Any:
        """Prepare a node; at a place that is asked about, its operands are noted."""
        own = isinstance(node, ast.expr | ast.AugAssign) and not is_ours(node)
        number = self.asked.get(place_of(node)) if own else None
        if number is not None:
            self.note_operands(node, number)
        return super().visit(node)

    def note_operands(self, node: ast.AST, number: int) -> None:
        """Note what comes to an expression: what is indexed, computed with, or given to a call."""
        seen = partial(noted, number)
        match node:
            case ast.BinOp():
                node.left, node.right = seen(node.left, first=True), seen(node.right)
            case ast.Subscript() | ast.Attribute() | ast.AugAssign():
                node.value = seen(node.value, first=True)
            case ast.Call():
                if isinstance(node.func, ast.Attribute):
                    node.func.value = seen(node.func.value, first=True)
                else:
                    node.func = seen(node.func, first=True)
                node.args = [each if isinstance(each, ast.Starred) else seen(each) for each in node.args]
                for keyword in node.keywords:
                    keyword.value = seen(keyword.value)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Any:
        """Prepare a function."""
        match node.body:
            case [*_, ast.If(body=[*_, ast.Return()]) as last, ast.Raise()]:
                last.test = self.unlikely(last.test, wanted=True)
        self.generic_visit(node)
        node.returns = None
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                argument.annotation = None
        lazy = any(ast.unparse(each).endswith("contextmanager") for each in node.decorator_list)
        eager = isinstance(node, ast.FunctionDef) and not lazy and only_gives(node)
        self.decorated(node)
        if eager:
            node.decorator_list.append(ast.copy_location(ast.Name("__olympus_generator__", ast.Load()), node))
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> Any:
        """Prepare a function."""
        return self.visit_FunctionDef(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        """Prepare a class."""
        self.generic_visit(node)
        return self.decorated(node)

    def decorated(self, node: Any) -> Any:
        """Apply each decorator by a function of ours."""
        node.decorator_list = [call("__olympus_decorator__", each, at=each) for each in node.decorator_list]
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> Any:
        """Make a relative import an absolute one."""
        if node.module == "__future__":
            return ast.copy_location(ast.Pass(), node)
        if node.level:
            base = self.package.split(".")
            base = base[: len(base) - node.level + 1]
            node.module = ".".join([*base, node.module] if node.module else base)
            node.level = 0
        return node

    # Statements that may fail.

    def visit_Assign(self, node: ast.Assign) -> Any:
        """Go on with unknown values if it fails."""
        unpacked = [self.asked[place_of(target)] for target in node.targets if place_of(target) in self.asked]
        if unpacked:
            node.value = noted(unpacked[0], node.value, first=True)
        self.generic_visit(node)
        return self.guarded(node, node.targets)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        """Go on with an unknown value if it fails."""
        self.generic_visit(node)
        return self.guarded(node, [node.target])

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        """Go on with an unknown value if it fails."""
        self.generic_visit(node)
        return self.guarded(node, [node.target]) if node.value is not None else node

    def visit_Expr(self, node: ast.Expr) -> Any:
        """Go on if it fails."""
        self.generic_visit(node)
        return node if isinstance(node.value, ast.Constant) else self.guarded(node, [])

    def visit_Delete(self, node: ast.Delete) -> Any:
        """Go on if it fails."""
        self.generic_visit(node)
        return self.guarded(node, [])

    def visit_Return(self, node: ast.Return) -> Any:
        """Return an unknown value if it fails."""
        self.generic_visit(node)
        if node.value is None:
            return node
        instead = ast.copy_location(ast.Return(call("__olympus_failed__", at=node)), node)
        return self.guard(node, [instead])

    def guarded(self, node: ast.stmt, targets: Sequence[ast.expr]) -> ast.stmt:
        """Return a statement that gives unknown values to its names if it fails."""
        names = [
            each.id
            for target in targets
            for each in ast.walk(target)
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
        ]
        instead: list[ast.stmt] = [
            ast.copy_location(
                ast.Assign([ast.copy_location(ast.Name(name, ast.Store()), node)], call("__olympus_failed__", at=node)),
                node,
            )
            for name in names
        ]
        return self.guard(node, instead or [ast.copy_location(ast.Expr(call("__olympus_failed__", at=node)), node)])

    def guard(self, node: ast.stmt, instead: list[ast.stmt]) -> ast.stmt:
        """Return a statement with what is done instead if it fails."""
        kind = ast.copy_location(ast.Name("__olympus_error__", ast.Load()), node)
        handler = ast.copy_location(ast.ExceptHandler(kind, None, instead), node)
        return ast.copy_location(ast.Try([node], [handler], [], []), node)

    # What is looked up in a known container by what is not known.

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        """Let an index that is not known find something."""
        self.generic_visit(node)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if not isinstance(node.ctx, ast.Load) or any(isinstance(p, ast.Slice | ast.Starred) for p in parts):
            return node
        constant = all(isinstance(part, ast.Constant) for part in parts)
        return node if constant else call("__olympus_item__", node.value, node.slice, at=node)

    def visit_Compare(self, node: ast.Compare) -> Any:
        """Leave it open whether a known container has what is not known, and whether that is some known thing."""
        self.generic_visit(node)
        match node:
            case ast.Compare(left, [ast.Is() | ast.IsNot() as sign], [ast.Constant(None)]):
                found = call("__olympus_none__", left, at=node)
            case ast.Compare(left, [ast.In() | ast.NotIn() as sign], [right]):
                found = call("__olympus_in__", left, right, at=node)
            case ast.Compare(left, [ast.Is() | ast.IsNot() as sign], [right]) if not isinstance(right, ast.Constant):
                found = call("__olympus_same__", left, right, at=node)
            case _:
                return node
        return found if isinstance(sign, ast.In | ast.Is) else ast.copy_location(ast.UnaryOp(ast.Not(), found), node)

    # Loops and conditions.

    def visit_For(self, node: ast.For) -> Any:
        """Run a few turns."""
        self.generic_visit(node)
        head = self.head(node.iter)
        node.iter = call("__olympus_few__", head.value, at=node.iter)
        return [*head.statements, node]

    def visit_comprehension(self, node: ast.comprehension) -> Any:
        """Take a few elements."""
        self.generic_visit(node)
        if not node.is_async:
            node.iter = call("__olympus_few__", node.iter, at=node.iter)
        return node

    def visit_While(self, node: ast.While) -> Any:
        """Run a few turns."""
        self.lead(node)
        self.generic_visit(node)
        if node.orelse:  # it runs when the condition fails, which the loop below cannot tell from its own end
            test = call("__olympus_truth__", node.test, at=node.test)
            turn = call("__olympus_turn__", at=node.test)
            node.test = ast.copy_location(ast.BoolOp(ast.And(), [turn, test]), node.test)
            return node
        head = self.head(call("__olympus_truth__", node.test, at=node.test))
        end = ast.If(
            ast.copy_location(ast.UnaryOp(ast.Not(), head.value), node.test), [ast.copy_location(ast.Break(), node)], []
        )
        target = ast.copy_location(ast.Name("__olympus_number__", ast.Store()), node)
        turns = call("__olympus_turns__", at=node.test)
        body = [*head.statements, ast.copy_location(end, node), *node.body]
        return ast.copy_location(ast.For(target, turns, body, []), node)

    def visit_If(self, node: ast.If) -> Any:
        """Take what is not known for false, or true, where otherwise there is nothing but an error."""
        self.lead(node)
        if node.body and isinstance(node.body[-1], ast.Raise):
            node.test = self.unlikely(node.test)
        elif node.orelse and isinstance(node.orelse[-1], ast.Raise):
            node.test = self.unlikely(node.test, wanted=True)
        self.generic_visit(node)
        head = self.head(call("__olympus_truth__", node.test, at=node.test))
        node.test = head.value
        return [*head.statements, node]

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        """Decide a traced condition, too."""
        self.lead(node)
        self.generic_visit(node)
        node.test = call("__olympus_truth__", node.test, at=node.test)
        return node

    def visit_With(self, node: ast.With) -> Any:
        """Go on with the body if what is around it fails."""
        self.generic_visit(node)
        body: list[ast.stmt] = node.body
        for item in reversed(node.items):
            head = self.head(item.context_expr)
            item.context_expr = call("__olympus_context__", head.value, at=item.context_expr)
            body = [*head.statements, ast.copy_location(ast.With([item], body), node)]
        return body

    def visit_Call(self, node: ast.Call) -> Any:
        """Leave out keywords of unknown names, and numbers as they are."""
        self.generic_visit(node)
        match node:
            case ast.Call(ast.Name("int" | "float"), [number], []):
                return call("__olympus_plain__", node.func, number, at=node)
        for keyword in node.keywords:
            if keyword.arg is None:
                keyword.value = call("__olympus_keywords__", keyword.value, at=keyword.value)
        return node

    def head(self, value: ast.expr) -> Head:
        """Return the head of a compound statement, evaluated before it: an unknown value if it fails."""
        if isinstance(value, ast.Name | ast.Constant):
            return Head([], value)
        name = "__olympus_head__"
        target = ast.copy_location(ast.Name(name, ast.Store()), value)
        made = ast.copy_location(ast.Assign([target], value), value)
        return Head([self.guarded(made, [target])], ast.copy_location(ast.Name(name, ast.Load()), value))

    def unlikely(self, test: ast.expr, *, wanted: bool = False) -> ast.expr:
        """Return a condition in which what is not known makes it false, or true below a ``not``."""
        return parted(
            test,
            lambda part, positive: call(
                "__olympus_likely__" if wanted == positive else "__olympus_unlikely__", part, at=part
            ),
        )

    def lead(self, node: ast.If | ast.While | ast.IfExp) -> None:
        """Let an execution be told how to decide a condition."""
        if (node.lineno, node.col_offset) in self.branches:
            at = (node.lineno, node.col_offset)

            def lean(part: ast.expr, positive: bool) -> ast.expr:
                told = [ast.copy_location(ast.Constant(each), part) for each in (*at, positive)]
                match part:
                    case ast.Compare(left, [ast.Is()], [ast.Constant(None)]):
                        return call("__olympus_none__", left, *told, at=part)
                return call("__olympus_lean__", part, *told, at=part)

            node.test = parted(node.test, lean)

    def visit_Assert(self, node: ast.Assert) -> Any:
        """Leave out what is asserted, and execute it: keys may be used there."""
        return self.visit_Expr(ast.copy_location(ast.Expr(node.test), node))


def is_traced(value: Any) -> bool:
    """Say whether a value is one of JAX's, which has no truth value in a trace."""
    return type(value).__module__.startswith("jax")


def sort_of(value: Any) -> str:
    """Say what a value is to one who looks for keys: an array of two words each may be keys."""
    if is_unknown(value):
        return "unknown"
    dtype = str(getattr(value, "dtype", "")) if is_traced(value) else ""
    if dtype.startswith("key<"):
        return "typed"
    return "raw" if dtype == "uint32" and value.shape[-1:] == (2,) else "other"


def only_gives(function: ast.FunctionDef) -> bool:
    """Say whether a function is a generator that is given nothing: it may be run when it is called."""
    waiting: list[ast.AST] = list(function.body)
    gives = False
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield | ast.YieldFrom):
            gives = True
            waiting += ast.iter_child_nodes(node.value)
        elif isinstance(node, ast.Yield | ast.YieldFrom):
            return False
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)
    return gives


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


class Builtins(dict[str, Any]):
    """The built-in names; one that is not defined anywhere is unknown."""

    def __init__(self, world: World) -> None:
        known = {name: value for name, value in vars(builtins).items() if name not in FORBIDDEN}
        super().__init__(known)
        self.world = world
        self.update(
            __import__=self.importer,
            __build_class__=self.build_class,
            __olympus_decorator__=self.decorator,
            __olympus_error__=Failed,
            __olympus_failed__=self.failed,
            __olympus_item__=self.item,
            __olympus_in__=self.has,
            __olympus_context__=self.context,
            __olympus_few__=self.few,
            __olympus_generator__=self.generator,
            __olympus_keywords__=self.keywords,
            __olympus_none__=self.none,
            __olympus_noted__=self.noted,
            __olympus_plain__=self.plain,
            __olympus_same__=self.same,
            __olympus_truth__=self.truth,
            __olympus_turn__=self.turn,
            __olympus_turns__=self.turns,
            __olympus_lean__=self.lean,
            __olympus_likely__=self.likely,
            __olympus_unlikely__=self.unlikely,
            range=self.short_range,
            print=self.nothing,
            isinstance=self.is_instance,
            len=self.length,
            hasattr=self.has_attribute,
        )

    def __missing__(self, name: str) -> Any:
        if name.startswith("__"):
            raise KeyError(name)
        value = self[name] = Unknown(self.world, name)
        return value

    def importer(self, name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        """Stand for ``__import__``."""
        return self.world.import_module(name, tuple(fromlist or ()))

    def nothing(self, *args: Any, **kwargs: Any) -> None:
        """Stand for what has an effect outside of the program."""

    def is_instance(self, value: Any, kind: Any) -> Any:
        """Stand for ``isinstance``: what is not known of is decided, the same way for the same value and type."""
        if is_unknown(value):
            return value._olympus_part(("isinstance", id(kind)), f"isinstance({value._olympus_path})")
        if is_unknown(kind):
            return Unknown(self.world, "isinstance")
        try:
            return isinstance(value, kind)
        except TypeError:
            return False

    def has_attribute(self, value: Any, name: Any) -> Any:
        """Stand for ``hasattr``, likewise."""
        if is_unknown(value):
            return value._olympus_part(("hasattr", str(name)), f"hasattr({value._olympus_path})")
        return hasattr(value, name)

    def plain(self, kind: Any, value: Any) -> Any:
        """Stand for ``int`` and ``float``: a number that is traced or not known stays what it is."""
        return value if is_unknown(value) or is_traced(value) else kind(value)

    def length(self, value: Any) -> Any:
        """Stand for ``len``: most lengths are shapes and counts, and need not be known."""
        return value._olympus_part("len", f"len({value._olympus_path})") if is_unknown(value) else len(value)

    def short_range(self, *bounds: Any) -> Iterator[int] | range:
        """Stand for ``range``; a long one has its first turns only."""
        try:
            full = range(*bounds) if not any(is_unknown(bound) for bound in bounds) else None
        except TypeError:  # a traced bound
            full = None
        if full is None:
            self.world.cut = "how often a loop runs is not known"
            return range(2)
        return full

    def failed(self) -> Any:
        """Note the error that is being handled, and return what takes the place of a result."""
        error = sys.exc_info()[1]
        if error is not None:
            if not self.world.goes_on(error):
                raise error
            self.world.check_time()
            self.world.note(error, sys._getframe(1))
        return Unknown(self.world, "failed(...)")

    def item(self, container: Any, index: Any) -> Any:
        """Stand for ``container[index]``: of known functions and objects, one that is not known is the first."""
        if is_unknown(container):
            is_key = self.world.players.is_key(container) or self.world.is_claimed(sys._getframe(1))
            return (self.world.promote(container) if is_key else container)[index]
        if is_unknown(index) and isinstance(container, Mapping | list | tuple) and container:
            values = container.values() if isinstance(container, Mapping) else container
            first = next(iter(values))
            if callable(first) and not is_unknown(first):
                self.world.cut = f"{index} is not known"
                return first
        if is_traced(container):
            index = tuple(map(self.number, index)) if isinstance(index, tuple) else self.number(index)
        return container[index]

    def number(self, index: Any) -> Any:
        """Return a number for an index into an array, if it is not known: one of a split into one more is the last."""
        if not is_unknown(index):
            return index
        following = [index._olympus_parts.get((name, ("int", 1))) for name in ("__add__", "__radd__")]
        size = next((self.world.sizes[each] for each in following if each in self.world.sizes), None)
        if size is None:
            return self.world.as_number(index)
        frame = sys._getframe(2)
        self.world.grown.append((frame.f_code, frame.f_lasti))
        return size - 1

    def has(self, value: Any, container: Any) -> Any:
        """Stand for ``value in container``."""
        if is_unknown(value) and isinstance(container, Mapping | set | frozenset) and value not in container:
            return value._olympus_part(("in", id(container)), f"{value} in ...")
        return value in container

    def few(self, values: Any) -> Iterator[Any]:
        """Return the first elements of what a loop goes over."""
        self.world.check_time()
        if is_unknown(values):
            self.world.cut = "how often a loop runs is not known"
        elements = self.elements(values)
        short = isinstance(values, list | tuple) and len(values) <= SHORT
        yield from islice(elements, SHORT if short else LONGEST)
        if next(elements, self) is not self:
            self.world.cut = "the later turns of a loop were left out"

    def elements(self, values: Any) -> Iterator[Any]:
        """Return the elements of what a loop goes over; in the place of one that cannot be had, unknown ones."""
        try:
            iterator = iter(values)
        except Exception:
            iterator = iter(self.failed())
        while True:
            try:
                element = next(iterator)
            except StopIteration:
                return
            except Exception:
                self.world.cut = "how often a loop runs is not known"
                iterator = iter(self.failed())
                continue
            yield element

    def generator(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a generator function that does its work when it is called, as the linter sees it."""

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            elements = list(self.few(function(*args, **kwargs)))
            return (element for element in elements)

        return call

    def truth(self, value: Any) -> Any:
        """Return a condition as a truth value; a traced one is decided, as an unknown one is."""
        return self.world.decide(Unknown(self.world, "a traced condition")) if is_traced(value) else bool(value)

    def lean(self, value: Any, line: int, column: int, positive: bool) -> Any:
        """Return a condition, decided so that a place is come to."""
        return self.world.lean(value, (line, column), positive=positive)

    def same(self, left: Any, right: Any) -> Any:
        """Stand for ``left is right``; what is not known may be any other thing, and never ``None``."""
        if left is right or left is None or right is None or not (is_unknown(left) or is_unknown(right)):
            return left is right
        either, other = (left, right) if is_unknown(left) else (right, left)
        return either._olympus_part(("is", id(other)), f"{either._olympus_path} is ...")

    def none(self, value: Any, line: int = 0, column: int = 0, positive: bool = True) -> bool:
        """Stand for ``value is None``: what is not known is something, unless a place is come to only if it is not."""
        if not is_unknown(value):
            return value is None
        part = value._olympus_part(("is", None), f"{value._olympus_path} is None")
        if self.world.lean(part, (line, column), positive=positive) is part:
            return self.world.decided.get(part, False)
        return self.world.decided[part]

    def noted(self, value: Any, number: int, first: bool) -> Any:
        """Note what comes to a place, and return it."""
        arrivals = self.world.arrivals.setdefault(number, [])
        if first or not arrivals:
            arrivals.append(set())
        arrivals[-1].add(sort_of(value))
        return value

    def keywords(self, values: Any) -> dict[str, Any]:
        """Return what ``**`` gives to a call, without what has no known name."""
        if is_unknown(values):
            return {}
        return {name: value for name, value in dict(values).items() if isinstance(name, str)}

    def context(self, manager: Any) -> Context:
        """Stand for what a ``with`` statement is given."""
        return Context(self, manager)

    def turn(self) -> bool:
        """Say that a loop may go on."""
        self.world.check_time()
        self.world.cut = "how often a loop runs is not known"
        return True

    def turns(self) -> Iterator[int]:
        """Return the turns of a loop with a condition."""
        self.world.check_time()
        self.world.cut = "how often a loop runs is not known"
        return iter(range(LONGEST))

    def likely(self, value: Any) -> Any:
        """Take an unknown condition for true."""
        return True if is_unknown(value) else value

    def unlikely(self, value: Any) -> Any:
        """Take an unknown condition for false."""
        return False if is_unknown(value) else value

    def decorator(self, decorator: Any) -> Callable[[Any], Any]:
        """Stand for a decorator: one that is not known leaves what it decorates as it is."""

        def apply(decorated: Any) -> Any:
            if is_unknown(decorator):
                return decorated
            try:
                result = decorator(decorated)
            except Exception:
                return decorated
            return decorated if is_unknown(result) else result

        return apply

    def build_class(self, body: Callable[..., Any], name: str, *bases: Any, **keywords: Any) -> Any:
        """Stand for the making of a class; unknown bases become one that takes everything."""
        known = [base for base in bases if isinstance(base, type) or hasattr(base, "__mro_entries__")]
        own = [self.world.base if is_unknown(base) else base for base in known]
        unique = [base for base in dict.fromkeys(own) if base is not object]
        if all(base is ABC for base in unique):
            unique.append(self.world.base)
        if self.world.base in unique:  # last, so that no order of bases is impossible
            unique = [*(base for base in unique if base is not self.world.base), self.world.base]
            keywords = {name: value for name, value in keywords.items() if name == "metaclass" and value is ABCMeta}
        return builtins.__build_class__(body, name, *unique, **keywords)


class Context:
    """What a ``with`` statement is given; its body is executed even if that cannot be entered."""

    def __init__(self, builtins: Builtins, manager: Any) -> None:
        self.builtins, self.manager = builtins, manager

    def __enter__(self) -> Any:
        try:
            return self.manager.__enter__()
        except Exception:
            self.manager = self.builtins.failed()
            return self.manager.__enter__()

    def __exit__(self, *problem: Any) -> Any:
        try:
            return self.manager.__exit__(*problem)
        except Exception as error:
            if error is problem[1]:
                return None
            self.builtins.failed()
            return None
