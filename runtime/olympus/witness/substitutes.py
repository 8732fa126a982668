"""Stand-ins for Python's built-in names, and the functions that prepared sources call."""

from __future__ import annotations

import builtins
import dis
import sys
from abc import ABC, ABCMeta
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import partial, wraps
from itertools import islice
from types import UnionType
from typing import TYPE_CHECKING, Any, get_args

from olympus.tracing.spans import is_user_file
from olympus.verdicts.evidence import FAILED
from olympus.verdicts.reasons import Reason
from olympus.witness import keywords
from olympus.witness.decisions import CLOSED, Same
from olympus.witness.helpers import end
from olympus.witness.objects import FIELDED
from olympus.witness.sizes import LONG, LongRange, OpenRange, Sizes
from olympus.witness.unknown import Attributes, Unknown, is_traced, is_unknown

if TYPE_CHECKING:
    from olympus.witness.state import State

FORBIDDEN = frozenset(
    {
        "__import__", "breakpoint", "compile", "copyright", "credits", "delattr", "eval", "exec", "exit", "help",
        "input", "license", "memoryview", "open", "print", "quit",
    }
)  # fmt: skip
METHODS = frozenset(name for kind in (list, dict, set, deque) for name in dir(kind))
LIBRARY = sys.stdlib_module_names
RETURNING = LIBRARY - {"os", "sys"} | {"jax", "numpy"}
LONGEST = 3  # iterations of a loop
SHORT = 8  # elements of a list that is iterated over to its end


class Builtins(dict[str, Any]):
    """The built-in names, with one method for each that is mirrored; a name that is defined nowhere is unknown."""

    def __init__(self, world: State) -> None:
        known = {name: value for name, value in vars(builtins).items() if name not in FORBIDDEN}
        super().__init__(known)
        self.world, self.sizes = world, Sizes(world)
        self.update(
            __import__=self.importer,
            __build_class__=partial(build_class, world),
            __olympus_error__=Exception,
            __olympus_end__=end,
            __olympus_merged__=partial(keywords.merged, world),
            __olympus_opened__=partial(keywords.opened, world),
            __olympus_options__=partial(keywords.options, world),
            __olympus_passed__=partial(keywords.passed, world),
            __olympus_operand__=self.sizes.operand,
            __olympus_operation__=self.sizes.operation,
            pow=self.sizes.pow,
            range=self.short_range,
            print=lambda *args, **kwargs: None,
            exec=self.executed,
            exit=end,
            quit=end,
            getattr=self.get_attribute,
            setattr=self.set_attribute,
            vars=self.variables,
            isinstance=self.is_instance,
            len=self.length,
            hasattr=self.has_attribute,
            callable=self.is_callable,
            **{f"__olympus_{name}__": getattr(self, name) for name in vars(Builtins) if not name.startswith("_")},
        )

    def __missing__(self, name: str) -> Any:
        if name.startswith("__"):
            raise KeyError(name)
        value = self[name] = Unknown(self.world, name)
        return value

    def importer(self, name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        """Stand for ``__import__``."""
        return self.world.module(name if fromlist else name.partition(".")[0])  # `import a.b` binds `a`

    # Writes by names.

    def get_attribute(self, owner: Any, name: Any, *default: Any) -> Any:
        """Stand for ``getattr``: what an unknown name finds is unknown."""
        if not is_unknown(name):
            return getattr(owner, name, *default)
        whose = owner._olympus_path if is_unknown(owner) else getattr(owner, "__name__", "...")
        return Unknown(self.world, f"getattr({whose}, {name})")

    def set_attribute(self, owner: Any, name: Any, value: Any) -> None:
        """Stand for ``setattr``: an unknown name may be that of any attribute."""
        if is_unknown(name):
            self.world.forget(owner)
        else:
            setattr(owner, name, value)

    def writer(self, write: Callable[..., Any]) -> Callable[..., Any]:
        """Stand for ``__setattr__`` or ``__setitem__`` of a class or object: an unknown object takes any write."""

        def put(*args: Any) -> Any:
            owner, name = args[-3:-1] if len(args) > 2 else (getattr(write, "__self__", None), args[0])
            if not isinstance(owner, Unknown | Attributes) and not is_unknown(name):
                return write(*args)
            if write.__name__ == "__setattr__":
                return self.set_attribute(owner, name, args[-1])
            owner[name] = args[-1]
            return None

        return put

    def update_of(self, owner: Any) -> Callable[..., Any]:
        """Stand for the method ``update``: unknown items may be under any name that a dictionary has."""

        def update(*args: Any, **kwargs: Any) -> None:
            if not any(map(is_unknown, args)):
                owner.update(*args, **kwargs)
                return
            for name, value in owner.items():
                if is_unknown(value) or is_traced(value):
                    owner[name] = Unknown(self.world, f"...[{name!r}]")
            self.world.updated += [(owner, source) for source in args if is_unknown(source)]

        return update if isinstance(owner, dict) else owner.update

    def variables(self, *owner: Any) -> Any:
        """Stand for ``vars``."""
        return owner[0].__dict__ if owner else sys._getframe(1).f_locals

    def executed(self, *args: Any, **kwargs: Any) -> None:
        """Stand for ``exec``, which may change anything."""
        self.world.players.mark(Reason.EXEC)

    # Calls that may not return.

    def begun(self) -> None:
        """Note that the last statement of a branch begins."""
        self.world.ended = None

    def last(self, result: Any) -> Any:
        """Note the unknown call that a function ends with."""
        self.world.ended = unknown_call(result) or self.world.ended
        return result

    def left(self, begun: None, result: Any) -> Any:
        """Mark that a branch may not be left, because the unknown call that it ends with may not return."""
        called = unknown_call(result) or self.world.ended
        if called is not None and not is_returning(called):
            self.world.players.mark(Reason.RETURNS.of(called))
        return result

    def is_instance(self, value: Any, kind: Any) -> Any:
        """Stand for ``isinstance``: for an unknown value it is a condition, the same for the same type."""
        if is_unknown(value):
            name = getattr(kind, "__name__", "...")
            kinds = get_args(kind) if isinstance(kind, UnionType) else kind
            path = f"isinstance({value._olympus_path}, {name})"
            return value._olympus_part(("isinstance", Same(kind)), path, operand=kinds)
        if is_unknown(kind):
            return kind._olympus_part(("instance", Same(value)), f"isinstance(..., {kind._olympus_path})")
        try:
            return isinstance(value, kind)
        except TypeError:
            return False

    def has_attribute(self, value: Any, name: Any) -> Any:
        """Stand for ``hasattr``, likewise."""
        if is_unknown(value):
            return value._olympus_part(("hasattr", str(name)), f"hasattr({value._olympus_path})")
        return hasattr(value, name)

    def is_callable(self, value: Any) -> Any:
        """Stand for ``callable``, likewise."""
        if is_unknown(value):
            return value._olympus_part("callable", f"callable({value._olympus_path})")
        return callable(value)

    def plain(self, kind: Any, value: Any) -> Any:
        """Stand for ``int``, ``float`` and ``bool``: a traced or unknown value stays as it is."""
        return value if is_unknown(value) or is_traced(value) else kind(value)

    def length(self, value: Any) -> Any:
        """Stand for ``len``: the length of an unknown value is unknown."""
        return value._olympus_part("len", f"len({value._olympus_path})") if is_unknown(value) else len(value)

    def type_of(self, value: Any) -> Any:
        """Stand for ``type`` of one object."""
        return value._olympus_part("type", f"type({value._olympus_path})") if is_unknown(value) else type(value)

    def short_range(self, *bounds: Any) -> range | LongRange | OpenRange:
        """Stand for ``range``; a long one has its first iterations only."""
        try:
            full = range(*bounds) if not any(is_unknown(bound) for bound in bounds) else None
        except TypeError:  # a traced bound
            full = None
        if full is None:
            return OpenRange(self.world, bounds)
        return full if len(full) <= LONG else LongRange(self.world, full)

    def failed(self) -> Any:
        """Note the error that is being handled, and return an unknown result."""
        error = sys.exc_info()[1]
        if error is not None:
            if not self.world.budget.goes_on(error) or is_raised(error):
                raise error
            self.world.budget.step()
            self.world.budget.note(error, sys._getframe(1))
        return Unknown(self.world, FAILED)

    def item(self, container: Any, index: Any) -> Any:
        """Stand for ``container[index]``: an unknown index into known functions gives the first."""
        if is_unknown(container):
            is_key = self.world.players.is_key(container) or self.world.is_claimed(sys._getframe(1))
            return (self.world.players.key(container) if is_key else container)[index]
        if is_unknown(index) and isinstance(container, Mapping | list | tuple) and container:
            values = container.values() if isinstance(container, Mapping) else container
            first = next(iter(values))
            if callable(first) and not is_unknown(first):
                self.world.cut = Reason.CHOSEN.of(index)
                return first
        if is_traced(container):
            index = tuple(map(self.number, index)) if isinstance(index, tuple) else self.number(index)
        return container[index]

    def number(self, index: Any) -> Any:
        """Return a number for an unknown index into an array: index ``n`` of a split into ``n + 1`` is the last."""
        if not is_unknown(index):
            return index
        following = [index._olympus_parts.get((name, ("int", 1))) for name in ("__add__", "__radd__")]
        size = next((self.world.sizes[each] for each in following if each in self.world.sizes), None)
        if size is None:
            return self.world.players.number(index)
        frame = sys._getframe(2)
        self.world.grown.append((frame.f_code, frame.f_lasti))
        return size - 1

    def has(self, value: Any, container: Any) -> Any:
        """Stand for ``value in container``."""
        if is_unknown(value) and isinstance(container, Mapping | set | frozenset) and value not in container:
            return value._olympus_part(("in", Same(container)), f"{value} in ...", operand=frozenset(container))
        return value in container

    def few(self, values: Any) -> Iterator[Any]:
        """Return the first elements that a loop iterates over."""
        self.world.budget.step()
        if is_unknown(values):
            self.world.cut = Reason.LOOP
        elements = self.elements(values)
        short = isinstance(values, list | tuple) and len(values) <= SHORT
        yield from islice(elements, SHORT if short else LONGEST)
        if next(elements, self) is not self:
            self.world.cut = Reason.LATER

    def elements(self, values: Any) -> Iterator[Any]:
        """Return the elements that a loop iterates over; unknown ones after an error."""
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
                self.world.cut = Reason.LOOP
                iterator = iter(self.failed())
                continue
            yield element

    def generator(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a generator function that runs when it is called, as the key flow takes it."""

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            elements = list(self.few(function(*args, **kwargs)))
            return (element for element in elements)

        return call

    def truth(self, value: Any) -> Any:
        """Return a condition as a truth value; a traced one is decided like an unknown one."""
        return self.world.decide(self.world.condition(value)) if is_traced(value) else bool(value)

    def lean(self, value: Any, line: int, column: int, positive: bool) -> Any:
        """Return a condition, decided so that the wanted place is reached."""
        return self.world.lean(value, (line, column), positive=positive)

    def same(self, left: Any, right: Any) -> Any:
        """Stand for ``left is right``; an unknown value may be any other object, but not ``None``."""
        left, right = (each._olympus_first if is_unknown(each) else each for each in (left, right))
        if left is right or left is None or right is None or not (is_unknown(left) or is_unknown(right)):
            return left is right
        either, other = (left, right) if is_unknown(left) else (right, left)
        name = repr(other) if isinstance(other, bool) else getattr(other, "_olympus_path", "...")
        return either._olympus_part(("is", Same(other)), f"{either._olympus_path} is {name}", operand=other)

    def none(self, value: Any, line: int = 0, column: int = 0, positive: bool = True) -> Any:
        """Stand for ``value is None``: false for an unknown value, unless the wanted place needs it to be true."""
        if not is_unknown(value):
            return value is None
        part = value._olympus_part(("is", None), f"{value._olympus_path} is None")
        if value._olympus_plain:  # an array
            self.world.decided[part] = False
        self.world.lean(part, (line, column), positive=positive)
        return self.world.decide(part, False)

    def noted(self, value: Any, number: int, first: bool) -> Any:
        """Note a value that reaches a place, and return it."""
        arrivals = self.world.arrivals.setdefault(number, [])
        if first or not arrivals:
            arrivals.append([])
        arrivals[-1].append(value)
        return value

    def context(self, manager: Any) -> Context:
        """Stand for the manager of a ``with`` statement."""
        return Context(self, manager)

    def turn(self) -> bool:
        """Let a loop go on."""
        self.world.budget.step()
        self.world.cut = Reason.LOOP
        return True

    def turns(self) -> Iterator[int]:
        """Return the iterations of a loop with a condition."""
        self.world.budget.step()
        self.world.cut = Reason.LOOP
        return iter(range(LONGEST))

    def decided(self, value: Any, wanted: bool) -> Any:
        """Decide an unknown condition as true or false, if that is possible."""
        return self.world.decide(value, wanted) if is_unknown(value) else value

    def holds(self, value: Any) -> None:
        """Stand for ``assert``: what is asserted holds afterwards.

        Raises:
            AssertionError: it is false.
        """
        false = not is_unknown(value) and not is_traced(value) and not value
        if false and self.world.cut is None:
            raise AssertionError
        self.world.fails |= false  # a loop that was cut short may be the reason

    def decorator(self, decorator: Any) -> Callable[[Any], Any]:
        """Stand for a decorator: an unknown one changes nothing."""

        def apply(decorated: Any) -> Any:
            result = decorator
            if not is_unknown(decorator):
                try:
                    result = decorator(decorated)
                except Exception:
                    return decorated
            if is_unknown(result) and isinstance(decorated, type):
                FIELDED.add(decorated)
            return decorated if is_unknown(result) else result

        return apply


def build_class(world: State, body: Callable[..., Any], name: str, /, *bases: Any, **given: Any) -> Any:
    """Stand for ``__build_class__``; unknown bases become one that accepts everything."""
    known = [base for base in bases if isinstance(base, type) or hasattr(base, "__mro_entries__")]
    own = [world.base if is_unknown(base) else base for base in known]
    unique = [base for base in dict.fromkeys(own) if base is not object]
    if all(base is ABC for base in unique):
        unique.append(world.own)
    packages = {str(base._olympus_path).partition(".")[0] for base in bases if is_unknown(base)} - LIBRARY
    packages = packages.union(*(getattr(base, "_olympus_packages", ()) for base in known if not is_unknown(base)))
    last = world.base if world.base in unique else world.own
    if last in unique:  # so that an order of bases exists
        unique = [*(base for base in unique if base not in (world.base, world.own)), last]
        given = {name: value for name, value in given.items() if name == "metaclass" and value is ABCMeta}
    made: Any = builtins.__build_class__(body, name, *unique, **given)
    if len(known) == len(bases) and all(base in CLOSED or not hasattr(base, "_olympus_world") for base in known):
        CLOSED.add(made)
    world.indexed |= "__getitem__" in vars(made)
    if packages:
        made._olympus_packages = frozenset(packages)
    return made


def unknown_call(result: Any) -> str | None:
    """Return the unknown call whose result a value is, as a reader would write it; ``None`` for any other value."""
    path = str(result._olympus_path) if is_unknown(result) else ""
    return path if path.endswith("(...)") and path != FAILED else None


def is_returning(called: str) -> bool:
    """Return whether a call surely returns: of the standard library, of JAX, or of a method of containers."""
    root, _, _ = called.partition("(")[0].partition(".")
    return root in RETURNING or called.removesuffix("(...)").rpartition(".")[2] in METHODS


def is_raised(error: BaseException) -> bool:
    """Return whether a statement of the user has raised an error, and not a stand-in."""
    last = error.__traceback__
    if last is None:
        return False
    while last.tb_next is not None:  # long where a recursion is unwound
        last = last.tb_next
    code = last.tb_frame.f_code
    if code in (Builtins.holds.__code__, end.__code__):
        return True
    return is_user_file(code.co_filename) and dis.opname[code.co_code[last.tb_lasti]] == "RAISE_VARARGS"


class Context:
    """The manager of a ``with`` statement; the body is executed even if it cannot be entered."""

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
