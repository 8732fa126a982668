"""The one module that touches private or version-dependent names of JAX.

Each function says what it reaches for, and why a public name does not do.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache, lru_cache, partial
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast
from weakref import WeakKeyDictionary

from olympus._version import too_old
from olympus.tracing.spans import Span, is_user_file, span

if TYPE_CHECKING:
    from jax.extend.core import Jaxpr, JaxprEqn

T = TypeVar("T")

PRIMITIVES = {
    "pjit": "jit",  # up to 0.6
}
"""Names of primitives in other releases, with the names of today."""

_TRACER = str(Path(__file__).with_name("jaxprs.py"))  # what calls it is no part of the traced function
_TRACING = {"trace_to_jaxpr", "trace_to_jaxpr_dynamic", "trace_to_jaxpr_dynamic2"}  # functions that make a jaxpr


def require_jax() -> None:
    """Import JAX, if it is new enough.

    Raises:
        ImportError: JAX is not installed, or is older than what this package is tested with.
    """
    try:
        import jax
    except ModuleNotFoundError as error:
        if error.name not in {"jax", "jaxlib"}:
            raise
        message = "olympus needs JAX for this; install it with: pip install 'olympus-lint[trace]'"
        raise ImportError(message, name=error.name) from None
    if said := too_old(jax.__version__):
        raise ImportError(f"{said}; install it with: pip install --upgrade 'olympus-lint[trace]'", name="jax")


def user_frames(eqn: JaxprEqn, *, top: bool) -> tuple[Span, ...]:
    """Return the spans of the user's frames that led to an equation, innermost first.

    ``jax.extend.source_info_util`` has only ``summarize``, which gives no end of a span. The ``source_info`` of an
    equation and jaxlib's traceback are not documented. ``jax._src.source_info_util.user_frames`` reads the same,
    but it takes installed packages for the standard library where there is no virtual environment.

    Args:
        eqn: the equation.
        top: whether it stands in the jaxpr of the traced function itself. Elsewhere the spans end where the trace
            of its jaxpr began; they go on with those of the equation around it.
    """
    traceback = eqn.source_info.traceback
    if traceback is None:
        return ()
    spans = []
    locate = type(traceback).code_addr2location
    for code, lasti in zip(*traceback.raw_frames(), strict=True):
        if code.co_filename == _TRACER:
            # Up to 0.8, a backward pass gives an inner equation the frames of the one around it.
            return tuple(spans) if top else ()
        if not top and _begins_trace(code):
            break
        if is_user_file(code.co_filename):
            line, start, end_line, end = locate(code, lasti)
            spans.append(span(code.co_filename, line, start, end_line, end, code.co_qualname))
    return tuple(spans)


def _begins_trace(code: CodeType) -> bool:
    """Return whether a frame is of the function of JAX that makes a jaxpr.

    Up to 0.8, frames go on outwards from there, to where a function was first called that is traced only once.
    """
    return code.co_name in _TRACING and code.co_filename.endswith("partial_eval.py")


def is_library(jaxpr: Jaxpr) -> bool | None:
    """Return whether a jaxpr is of a function of JAX itself; ``None`` if it does not say.

    Read off ``debug_info``, an undocumented attribute of a public class.
    """
    source = getattr(getattr(jaxpr, "debug_info", None), "func_src_info", None)
    return _is_of_library(source) if source else None


@lru_cache(maxsize=4096)
def _is_of_library(source: str) -> bool | None:
    file = _file_of(source)
    return not is_user_file(file) if file else None


def _file_of(source: str) -> str:
    # "_normal at /path/jax/_src/random/core.py:965"
    return source.partition(" at ")[2].rpartition(":")[0]


def is_sampler(jaxpr: Jaxpr) -> bool:
    """Return whether a jaxpr is of a function of ``jax.random``, a file up to 0.9 and a folder since then."""
    source = str(getattr(getattr(jaxpr, "debug_info", None), "func_src_info", None) or "")
    return is_library(jaxpr) is True and {"random", "random.py"} & {*Path(_file_of(source)).parts} != set()


def sub_jaxprs(params: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Return each jaxpr, open or closed, in the parameters of an equation, with the parameter's name.

    ``jax.extend.core.jaxprs_in_params`` exists from 0.10 on, and drops the constants of closed jaxprs.
    """
    kinds = _jaxpr_types()
    for name, value in params.items():
        if isinstance(value, kinds):
            yield name, value
        elif isinstance(value, tuple | list):
            yield from ((name, item) for item in value if isinstance(item, kinds))


def shown_type(aval: Any) -> str:
    """Return a type as jaxprs have it, ``f32[3,4]``."""
    short = getattr(aval, "str_short", None)
    return str(aval) if short is None else str(short(short_dtypes=True))


@cache
def _jaxpr_types() -> tuple[type, ...]:
    from jax.extend.core import ClosedJaxpr, Jaxpr

    return (ClosedJaxpr, Jaxpr)


def closed_parts(jaxpr: Any) -> tuple[Jaxpr, tuple[Any, ...]]:
    """Return the open jaxpr and the constants of an open or closed jaxpr."""
    consts = getattr(jaxpr, "consts", None)
    return (jaxpr, ()) if consts is None else (jaxpr.jaxpr, tuple(consts))


def every_equation(jaxpr: Jaxpr) -> Iterator[JaxprEqn]:
    """Return the equations of a jaxpr, and of those inside it, however deep."""
    for eqn in jaxpr.eqns:
        yield eqn
        for _, sub in sub_jaxprs(eqn.params):
            yield from every_equation(closed_parts(sub)[0])


def scanned(params: dict[str, Any], operands: list[T]) -> tuple[list[T], list[T], list[T]]:
    """Return the operands of a scan in three parts: the constants of its body, the carry, and the scanned arrays."""
    if "ft_in" in params:  # from 0.11 on: a tree of the three
        consts, carry, rows = params["ft_in"].update(operands).unpack()
        return [*consts], [*carry], [*rows]
    start = params["num_consts"]
    end = start + params["num_carry"]
    return operands[:start], operands[start:end], operands[end:]


def threefry_partitionable() -> bool:
    """Return whether threefry's partitionable form is on: flags are attributes that no annotation names."""
    import jax

    return bool(getattr(jax.config, "jax_threefry_partitionable", True))


def key_buffer(array: Any) -> Any:
    """Return the ``uint32`` array that a typed key holds; any other array itself.

    ``jax.random.key_data`` makes a new array, and iterating over a key array makes keys around arrays that only the
    private attribute shows: which of them came from which key is known only by these.
    """
    buffer = getattr(array, "_base_array", None)
    return array if buffer is None else buffer


@cache
def key_spec(dtype: Any) -> Any:
    """Return the generator of a key dtype, as ``impl=`` takes it; ``jax.random.key_impl`` only takes an array."""
    import jax

    found: list[Any] = []
    struct: Any = jax.ShapeDtypeStruct
    jax.eval_shape(lambda key: found.append(jax.random.key_impl(key)), struct((), dtype))
    return found[0]


def execute(eqn: JaxprEqn, operands: list[Any]) -> list[Any]:
    """Return the results of an equation, in the context that it was traced in.

    This is what ``jax.core.eval_jaxpr`` does; nothing public executes one equation.
    """
    primitive = cast(Any, eqn.primitive)
    given = primitive.get_bind_params(eqn.params)
    functions, params = given if isinstance(given, tuple) else ([], given)  # up to 0.8, with functions
    with cast(Any, eqn).ctx.manager:
        results = primitive.bind(*functions, *operands, **params)
    return list(results) if primitive.multiple_results else [results]


def without_unused(closed: Any) -> tuple[Any, tuple[bool, ...]]:
    """Return a closed jaxpr without what its results do not depend on, and which of its inputs are left.

    ``jax.interpreters.partial_eval`` is not documented; compiled code may still call back what is of no use.
    """
    from jax.extend.core import ClosedJaxpr
    from jax.interpreters import partial_eval

    jaxpr, used = cast(Any, partial_eval).dce_jaxpr(closed.jaxpr, [True] * len(closed.jaxpr.outvars))
    return ClosedJaxpr(jaxpr, closed.consts), tuple(used)


def function_of(closed: Any) -> Callable[..., list[Any]]:
    """Return the function that a closed jaxpr is."""
    from jax.extend.core import jaxpr_as_fun

    return cast("Callable[..., list[Any]]", jaxpr_as_fun(closed))


# Branches of ``cond`` that are executed for all lanes of a map. ``jax.vmap`` executes all of them and selects among
# the results; that they were branches is lost. While the marks are on, it is written into the names of scopes.

_COND, _BRANCH = "olympus.cond", "olympus.branch"
INDICES = 1024  # decisions whose numbers are held


class Branch(NamedTuple):
    """A branch of a ``cond`` or ``switch`` that ``jax.vmap`` executes for all lanes, beside the other branches.

    Attributes:
        decision: a number for each time that a map comes to such a ``cond``.
        cases: how many branches there are.
        case: the number of the branch; ``None`` for what selects among them.
    """

    decision: int
    cases: int
    case: int | None


def branches_of(eqn: JaxprEqn) -> tuple[Branch, ...]:
    """Return the branches that an equation is in, outermost first, of those that were marked.

    The names of scopes are only in ``source_info``, which is not documented.
    """
    stack = eqn.source_info.name_stack.stack
    return _branches(stack) if stack else ()


def is_mapped(eqn: JaxprEqn) -> bool:
    """Return whether an equation is of a function under ``jax.vmap``, which ``source_info`` says and nothing else."""
    stack = eqn.source_info.name_stack.stack
    return any(type(each).__name__ == "Transform" and each.name == "vmap" for each in stack)


def current_branches() -> tuple[Branch, ...]:
    """Return the marked branches that this thread is executing, outermost first: ``current_name_stack`` is private."""
    if not _MARKS.depth:
        return ()
    from jax._src import source_info_util

    stack = source_info_util.current_name_stack().stack
    return _branches(stack) if stack else ()


def current_calls() -> list[tuple[CodeType, int]]:
    """Return the user's calls in the branch that this thread is executing, innermost first.

    They were made when the branch was traced, and are in the traceback of the equation that is executed now.
    """
    from jax._src import source_info_util

    traceback = cast(Any, source_info_util).current().traceback
    calls: list[tuple[CodeType, int]] = []
    for code, lasti in () if traceback is None else zip(*traceback.raw_frames(), strict=True):
        if _begins_trace(code):
            break
        if is_user_file(code.co_filename):
            calls.append((code, lasti))
    return calls


def indices_of(branches: Sequence[Branch]) -> list[Any] | None:
    """Return what decides in each branch that this thread is executing: a number for each lane of the maps around it.

    ``None`` where the numbers are not known. They are while :func:`key_hooks` is open.
    """
    import numpy as np

    found = [_MARKS.indices.get((threading.get_ident(), branch.decision)) for branch in branches]
    return None if any(index is None for index in found) else [np.asarray(index) for index in found]


def _note_index(primitive: Any, args: Sequence[Any]) -> None:
    """Note what decides among branches: JAX's rule compares it with the number of each of them."""
    branches = current_branches() if primitive.name == "eq" else ()
    if branches and branches[-1].case is None:
        indices, known = _MARKS.indices, (threading.get_ident(), branches[-1].decision)
        indices.pop(known, None)
        indices[known] = args[0]
        if len(indices) > INDICES:
            indices.pop(next(iter(indices)), None)


@lru_cache(maxsize=4096)
def _branches(stack: Sequence[Any]) -> tuple[Branch, ...]:
    found: list[Branch] = []
    for scope in stack:
        kind, *numbers = scope.name.rsplit(".", 2)
        if kind == _COND:
            found.append(Branch(int(numbers[0]), int(numbers[1]), None))
        elif scope.name.startswith(_BRANCH) and found:
            found[-1] = found[-1]._replace(case=int(numbers[-1]))
    return tuple(found)


class _Marks:
    """How often the marks are on; JAX's rule for a mapped ``cond`` is replaced while they are."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.depth = 0
        self.numbers = itertools.count()
        self.original: Any = None
        self.known: WeakKeyDictionary[Any, dict[int, Any]] = WeakKeyDictionary()
        self.indices: dict[tuple[int, int], Any] = {}

    def add(self, change: int) -> None:
        """Turn the marks on or off, once more."""
        from jax._src.interpreters import batching
        from jax.extend.core.primitives import cond_p

        with self.lock:
            rules = cast(Any, batching).fancy_primitive_batchers
            if self.depth == 0:
                self.original, rules[cond_p] = rules[cond_p], self.rule
            self.depth += change
            if self.depth == 0:
                rules[cond_p] = self.original

    def rule(self, *given: Any, **params: Any) -> Any:
        """Do what JAX's rule does, in scopes whose names tell its branches."""
        from jax._src import source_info_util

        index_axis, *_ = given[-1]
        if not isinstance(index_axis, int):  # one branch is executed, as without a map
            return self.original(*given, **params)
        branches = params["branches"]
        params["branches"] = tuple(self.marked(branch, number) for number, branch in enumerate(branches))
        with source_info_util.extend_name_stack(f"{_COND}.{next(self.numbers)}.{len(branches)}"):
            return self.original(*given, **params)

    def marked(self, closed: Any, number: int) -> Any:
        """Return the jaxpr of a branch with its number in the scopes of all equations; one for each jaxpr."""
        known = self.known.setdefault(closed, {})
        if number not in known:
            known[number] = _in_scope(closed, f"{_BRANCH}.{number}")
        return known[number]


def _in_scope(closed: Any, name: str) -> Any:
    from jax._src import source_info_util

    scope = cast(Any, source_info_util).new_name_stack(name)
    equations = [
        eqn.replace(source_info=eqn.source_info.replace(name_stack=scope + eqn.source_info.name_stack))
        for eqn in closed.jaxpr.eqns
    ]
    return closed.replace(jaxpr=closed.jaxpr.replace(eqns=equations))


_MARKS = _Marks()


@contextmanager
def marked_branches() -> Iterator[None]:
    """Let what ``jax.vmap`` makes of ``cond`` tell its branches, to :func:`branches_of` and :func:`current_branches`.

    JAX has no public hook. Its table of rules for maps has one for ``cond``, which is put back at the end. Numbers
    are not changed by this, nor what is compiled, but for the names of scopes. A release that has no such table, or
    none of the names that are asked for here, makes no marks.
    """
    try:
        _MARKS.add(1)
    except (ImportError, AttributeError, KeyError):
        yield
        return
    try:
        yield
    finally:
        _MARKS.add(-1)


@contextmanager
def elsewhere() -> Iterator[None]:
    """Trace without what is known of the equation that is being executed: its place, and the branches around it.

    What is traced for all calls of a function must not have the place of one of them. The context is private; what
    JAX has to set it only adds to it.
    """
    from jax._src import source_info_util

    module = cast(Any, source_info_util)
    state = module._source_info_context
    before, state.context = state.context, module.new_source_info()
    try:
        yield
    finally:
        state.context = before


def retraced() -> AbstractContextManager[Any]:
    """Have JAX trace compiled functions anew inside of this, and keep these traces apart from all others."""
    context = _trace_context()
    return nullcontext() if context is None else cast("AbstractContextManager[Any]", context("olympus"))


@cache
def _trace_context() -> Any:
    """Return what JAX's caches of traces are asked by as well; before 0.8 there is none."""
    import jax

    make = getattr(jax, "make_user_context", None)
    return None if make is None else make()


Observer = Callable[[Any, tuple[Any, ...], dict[str, Any]], Callable[[Any], None] | None]
"""Called before a primitive with it, its operands and its parameters; returns what is called with its results.

The results are ``None`` if the primitive failed.
"""


@contextmanager
def key_hooks(observe: Observer) -> Iterator[None]:
    """Call an observer for each primitive and compiled function that is executed in any thread, while this is open.

    JAX has no public hook. Its key-reuse checker has two functions that JAX looks up each time; while the flag
    ``jax_debug_key_reuse`` is on, everything comes to them, because the C++ path past them is off. They are put back
    at the end, and so is the flag. JAX's own check goes on where the program itself has turned it on.

    What the observer executes itself is not observed, and neither is what implements a primitive of keys, such as
    the hash function behind ``random_split``.

    Args:
        observe: must not raise; it may be called in several threads at once.
    """
    import jax
    from jax.experimental.key_reuse import _core

    module, config = cast(Any, _core), cast(Any, jax.config)
    state = cast(Any, jax.debug_key_reuse)  # not documented: it has the values for the process and for the thread
    before = bool(state.get_global() if hasattr(state, "get_global") else config.jax_debug_key_reuse)
    local = getattr(state, "get_local", lambda: None)
    execute, trace = module.call_impl_with_key_reuse_checks, module.check_key_reuse_jaxpr
    quiet = threading.local()

    # Positional-only: random_seed has a parameter named ``impl``.
    def call(primitive: Any, implementation: Callable[..., Any], /, *args: Any, **params: Any) -> Any:
        run = partial(execute, primitive, implementation) if before or local() is True else implementation
        if getattr(quiet, "on", False):
            return run(*args, **params)
        quiet.on, results = True, None
        _note_index(primitive, args)
        done = observe(primitive, args, params)
        quiet.on = primitive.name.startswith("random_")
        try:
            results = run(*args, **params)
            return results
        finally:
            quiet.on = True
            if done is not None:
                done(results)
            quiet.on = False

    module.call_impl_with_key_reuse_checks = call
    module.check_key_reuse_jaxpr = lambda jaxpr: trace(jaxpr) if before or local() is True else None
    config.update("jax_debug_key_reuse", True)
    try:
        with marked_branches():
            yield
    finally:
        config.update("jax_debug_key_reuse", before)
        module.call_impl_with_key_reuse_checks, module.check_key_reuse_jaxpr = execute, trace
