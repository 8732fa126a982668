"""Exceptions that leave the body of a ``try`` after a key was drawn from: its handlers start with the key used up.

A draw that raises gives nothing, and the handler may draw in its place. So an exception counts only if it comes after
a draw of the body: a ``raise`` or a failed ``assert``, here or in a function that is called; or another call that is
given what was drawn and may refuse it. Exceptions that say nothing of the value do not count: a failure of the network
or of memory, or an interface that is tried out.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator

from olympus_rules.code.names import dotted_name
from olympus_rules.keyflow.domain.access import leaves
from olympus_rules.keyflow.domain.arguments import Arguments
from olympus_rules.keyflow.domain.conditions import roots
from olympus_rules.keyflow.domain.paths import PathCondition, both
from olympus_rules.keyflow.domain.state import Attempt, Snapshot, Thrown
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Bound, Function, Library, Value
from olympus_rules.keyflow.interpret.callees import KEEPING_METHODS, leaves_keys_alone
from olympus_rules.keyflow.interpret.flow import Flow

UNRELATED = (
    AttributeError, EOFError, GeneratorExit, ImportError, KeyboardInterrupt, LookupError, MemoryError, NameError,
    NotImplementedError, OSError, StopIteration, SystemExit, TypeError,
)  # fmt: skip
REFUSING = (ArithmeticError, AssertionError, ValueError)
GENERAL = (Exception, BaseException)
PASSING = sys.stdlib_module_names | {"builtins", "jax"}


def _builtin(name: str) -> type[BaseException] | None:
    found = getattr(builtins, name, None)
    return found if isinstance(found, type) and issubclass(found, BaseException) else None


def _catches(handler: tuple[str, ...], exception: str) -> bool:
    """Return whether a handler of these classes surely catches an exception that says something of a drawn value."""
    raised = _builtin(exception)
    if raised is not None and issubclass(raised, UNRELATED):
        return False
    for name in handler:
        class_ = _builtin(name)
        if name == exception or class_ in GENERAL:
            return True
        if class_ is not None and raised is not None and issubclass(raised, class_):
            return True
    return False


def _refuses(handler: tuple[str, ...]) -> bool:
    """Return whether a handler is for exceptions that functions raise for values that do not suit them."""
    return any((class_ := _builtin(name)) is not None and issubclass(class_, REFUSING) for name in handler)


def _takes_any(handler: tuple[str, ...]) -> bool:
    """Return whether a handler is for any exception, of values that do not suit as well as of a network that fails."""
    return _refuses(handler) or any(_builtin(name) in GENERAL for name in handler)


def _may_refuse(function: Value, node: ast.Call | None) -> bool:
    """Return whether a function out of sight may raise for a value; those of JAX give NaN, and others only show it."""
    if isinstance(function, Library) and function.qualified.partition(".")[0] in PASSING:
        return False
    if node is None or not isinstance(function, Library | Term):
        return False
    last = dotted_name(node.func).rpartition(".")[2]
    return last not in KEEPING_METHODS and not leaves_keys_alone(node, last)


def _written(function: Value) -> Iterator[str]:
    """Yield the exceptions that a function of the file raises by itself, which need not be of interest for its keys."""
    function = function.function if isinstance(function, Bound) else function
    if not isinstance(function, Function) or isinstance(function.code.node, ast.Module):
        return
    for node in ast.walk(function.code.node):
        if isinstance(node, ast.Assert):
            yield AssertionError.__name__
        elif isinstance(node, ast.Raise) and node.exc is not None:
            class_ = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            yield dotted_name(class_).rpartition(".")[2]


def thrown(flow: Flow, exception: str, *, sure: bool) -> None:
    """Record that an exception may leave the body of a ``try`` here: a state in which its handlers may start.

    Args:
        flow: where it is raised.
        exception: the name of its class; empty for one that a called function may raise for a value.
        sure: whether the exception is raised in sight.
    """
    for attempt in reversed(flow.attempts):
        handlers = frozenset(
            number
            for number, handler in enumerate(attempt.catches)
            if (_catches(handler, exception) if exception else _takes_any(handler))
        )
        if handlers and len(flow.ledger.consumptions) > attempt.consumed:
            leaves_here, goes_on = flow.decisions.outcomes(flow.terms.fresh("way" if sure else "thrown"))
            path = both(flow.path, leaves_here)
            assert path is not None
            state = (path, flow.env.changes(attempt.depth))
            ends = not exception and not any(_refuses(attempt.catches[number]) for number in handlers)
            attempt.thrown.append(Thrown(handlers, leaves_here, state, flow.ledger.depart(path), ends))
            flow.path = both(flow.path, goes_on) or flow.path
            return
    if not flow.attempts and exception:
        drawn = bool(flow.ledger.consumptions)
        flow.events.raised[exception] = drawn or flow.events.raised.get(exception, False)


def called(flow: Flow, function: Value, arguments: Arguments) -> Value:
    """Call a value; if it is in the body of a ``try``, record the exceptions that the call may raise."""
    if not flow.attempts:
        return flow.call(function, arguments)
    attempt, before = flow.attempts[-1], len(flow.ledger.consumptions)
    given = bool(attempt.drawn) and any(
        not attempt.drawn.isdisjoint(roots(flow.terms, leaf)) for value in arguments.values() for leaf in leaves(value)
    )
    if given and _may_refuse(function, arguments.node):
        thrown(flow, "", sure=False)
    outer, flow.raised = flow.raised, {}
    result = flow.call(function, arguments)
    raised, flow.raised = flow.raised, outer
    if given:
        raised.update((exception, True) for exception in _written(function))
    for exception, is_drawn in raised.items():
        if (is_drawn or given) and flow.ended is None:
            thrown(flow, exception, sure=False)
    if len(flow.ledger.consumptions) > before:
        attempt.drawn.update(leaves(result))
    return result


def caught(flow: Flow, attempt: Attempt, number: int, raised: PathCondition) -> tuple[PathCondition, list[Snapshot]]:
    """Return the condition under which a handler may start, and the states in which it does.

    Args:
        flow: the state after the body.
        attempt: the exceptions that left the body after a draw.
        number: the number of the handler.
        raised: the condition that the body raised before it drew anything.
    """
    states = [exit_.state for exit_ in attempt.thrown if number in exit_.handlers]
    if not states:
        return raised, []
    is_assumed = all(flow.decisions.is_thrown(path) for path, _ in states)
    starts, never = flow.decisions.outcomes(flow.terms.fresh("thrown" if is_assumed else "way"))
    every = raised[1], raised[0]
    for exit_ in attempt.thrown:
        every = every[0], every[1] | exit_.way[0] * (number in exit_.handlers)
    flow.decisions.combinations.add(never, every, [raised, *(path for path, _ in states)])
    return starts, [(raised, {}), *states]
