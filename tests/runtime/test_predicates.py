"""The decision procedure over predicates: what it says of single cases, and of random ones against real values."""

import builtins
import operator
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import strategies as st
from searches import searched

from olympus.predicates import Applied, Consistency, Constant, Counter, Literal, Predicate, Shifted, Symbol, consistency

X, Y, N = "x", "y", "n"
LENGTH, TYPE = Applied("len", X), Applied("type", X)


def const(*values: object) -> Any:
    return tuple(map(Constant, values)) if len(values) > 1 else Constant(values[0])


def classes(*names: str) -> tuple[Symbol, ...]:
    return tuple(Symbol(f"builtins.{name}") for name in names)


def is_a(*names: str) -> Predicate:
    return Predicate("isinstance", X, classes(*names))


def one_of(*values: object) -> Predicate:
    return Predicate("in", X, tuple(map(Constant, values)))


def equal(left: Any, right: Any) -> Predicate:
    return Predicate("eq", left, right)


def less(left: Any, right: Any) -> Predicate:
    return Predicate("lt", left, right)


TRUE = Predicate("truth", X)
NONE = Predicate("is", X, Constant(None))
EXACTLY_INT = Predicate("is", TYPE, Symbol("builtins.int"))

IMPOSSIBLE: dict[str, list[Literal]] = {
    "two types": [(is_a("int"), True), (is_a("str"), True)],
    "tuples of types": [(is_a("int", "float"), True), (is_a("str", "list"), True)],
    "a bool is an int": [(is_a("int"), False), (is_a("bool"), True)],
    "two exact types": [(EXACTLY_INT, True), (Predicate("is", TYPE, Symbol("builtins.float")), True)],
    "an exact type and another": [(EXACTLY_INT, True), (is_a("str"), True)],
    "an exact type and not it": [(EXACTLY_INT, True), (is_a("int"), False)],
    "None has no other type": [(NONE, True), (is_a("int"), True)],
    "text is text": [(equal(X, const("a")), True), (is_a("str"), False)],
    "arrays are no numbers": [(Predicate("isinstance", X, (Symbol("jax.Array"),)), True), (is_a("int"), True)],
    "members": [(Predicate("is", X, Symbol("K.A")), True), (equal(X, Symbol("K.B")), True)],
    "dtypes": [(equal(X, Symbol("jax.numpy.float32")), True), (equal(X, Symbol("numpy.int32")), True)],
    "one of others": [(one_of("a", "b"), True), (equal(X, const("c")), True)],
    "one of fewer": [(one_of("a", "b"), True), (one_of("a", "b", "c"), False)],
    "a range": [(less(const(0), X), True), (less(X, const(3)), True), (less(X, const(3)), False)],
    "a number in a range": [(less(X, const(3)), True), (equal(X, const(3)), True)],
    "false and long": [(TRUE, False), (less(const(0), LENGTH), True)],
    "true and empty": [(TRUE, True), (equal(LENGTH, const(0)), True)],
    "true and shorter than one": [(TRUE, True), (less(LENGTH, const(1)), True)],
    "a length that is true and none": [(Predicate("truth", LENGTH), True), (equal(LENGTH, const(0)), True)],
    "None is false": [(NONE, True), (TRUE, True)],
    "no text is false": [(equal(X, const("")), True), (TRUE, True)],
    "False is false": [(Predicate("is", X, Constant(False)), True), (TRUE, True)],
    "None has no length": [(NONE, True), (less(const(0), LENGTH), True)],
    "None has no order": [(NONE, True), (less(X, const(1)), True)],
    "zero is false": [(equal(X, const(0)), True), (TRUE, True)],
    "larger than zero is true": [(less(const(0), X), True), (TRUE, False)],
    "two ways round": [(less(X, Y), True), (less(Y, X), True)],
    "smaller and equal": [(less(X, Y), True), (equal(Y, X), True)],
    "neither smaller nor equal": [(less(X, Y), False), (less(Y, X), False), (equal(X, Y), False)],
    "a circle": [(less(X, Y), True), (less(Y, N), True), (less(N, X), True)],
    "equal to what differs": [(equal(X, Y), True), (equal(X, const(1)), True), (equal(Y, const(2)), True)],
    "the last iteration comes once": [
        (equal(Counter(0), Shifted(N, -1)), True),
        (equal(Counter(1), Shifted(N, -1)), True),
    ],
    "another iteration after the last": [(less(Counter(0), Shifted(N, -1)), False), (less(Counter(1), N), True)],
    "two iterations of one": [(equal(N, const(1)), True), (less(Counter(1), N), True)],
}

POSSIBLE: dict[str, list[Literal]] = {
    "a bool is an int": [(is_a("int"), True), (is_a("bool"), True)],
    "a common type": [(is_a("int", "float"), True), (is_a("str", "float"), True)],
    "an exact type and a type": [(EXACTLY_INT, True), (is_a("int"), True)],
    "one of those": [(one_of("a", "b"), True), (equal(X, const("b")), True)],
    "inside a range": [(less(const(0), X), True), (less(X, const(3)), True), (equal(X, const(2)), True)],
    "true and long": [(TRUE, True), (less(const(0), LENGTH), True)],
    "false and empty": [(TRUE, False), (equal(LENGTH, const(0)), True)],
    "None is false": [(NONE, True), (TRUE, False)],
    "an int may equal a float": [(equal(X, const(3)), True), (is_a("float"), True)],
    "equal if not ordered": [(less(X, Y), False), (less(Y, X), False)],
    "numbers and truth values": [(equal(X, const(1)), True), (equal(X, const(True)), True)],
    "aliases of a dtype": [(equal(X, Symbol("jax.numpy.int32")), True), (equal(X, Symbol("jax.numpy.int32")), True)],
    "an iteration after the last but one": [
        (less(Counter(0), Shifted(N, -2)), False),
        (less(Counter(1), N), True),
    ],
    "not equal": [(equal(X, Y), False)],
    "a counter is any number": [(equal(Counter(0), const(5)), True)],
}


@pytest.mark.parametrize("literals", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_what_cannot_hold_together(literals: list[Literal]) -> None:
    assert consistency(literals) == Consistency.IMPOSSIBLE
    assert consistency(literals[::-1]) == Consistency.IMPOSSIBLE


@pytest.mark.parametrize("literals", POSSIBLE.values(), ids=POSSIBLE)
def test_what_can_hold_together(literals: list[Literal]) -> None:
    assert consistency(literals) == Consistency.POSSIBLE
    assert consistency(literals[::-1]) == Consistency.POSSIBLE


def test_names_that_may_stand_for_one_value_are_doubtful() -> None:
    other = [(Predicate("is", X, Symbol("colours.RED")), True), (Predicate("is", X, Symbol("numbers.ONE")), True)]
    assert consistency(other) == Consistency.DOUBTFUL
    unrelated = [
        Predicate("isinstance", X, (Symbol("shapes.Round"),)),
        Predicate("isinstance", X, (Symbol("shapes.Blue"),)),
    ]
    assert consistency([(test, True) for test in unrelated]) == Consistency.DOUBTFUL


VALUES: list[object] = [None, False, True, 0, 1, 2, 3, -1, 0.5, 2.0, "", "a", "b", "abc", (), (1,), (1, 2)]
NAMES = ["int", "float", "str", "bool", "tuple"]
SCALARS = [None, False, True, 0, 1, 2, "", "a", "b"]


def _evaluators() -> st.SearchStrategy[tuple[Predicate, Callable[[Any, Any], bool]]]:
    """Return tests of ``x`` and ``y``, each with what it comes to for values of them."""
    sides = st.sampled_from(["x", "y", 0, 1, 2])
    names = st.lists(st.sampled_from(NAMES), min_size=1, max_size=2)
    scalars = st.sampled_from(SCALARS)

    def read(side: object, x: Any, y: Any) -> Any:
        return {"x": x, "y": y}.get(side, side) if isinstance(side, str) else side

    def expression(side: object) -> Any:
        return side if isinstance(side, str) else Constant(side)

    return st.one_of(
        names.map(lambda n: (is_a(*n), lambda x, y: isinstance(x, tuple(getattr(builtins, m) for m in n)))),
        st.sampled_from(NAMES).map(
            lambda n: (Predicate("is", TYPE, Symbol(f"builtins.{n}")), lambda x, y: type(x) is getattr(builtins, n))
        ),
        scalars.map(lambda c: (equal(X, Constant(c)), lambda x, y: x == c)),
        scalars.map(lambda c: (Predicate("is", X, Constant(c)), lambda x, y: x is c)),
        st.lists(scalars, min_size=1, max_size=3).map(lambda cs: (one_of(*cs), lambda x, y: x in cs)),
        st.just((TRUE, lambda x, y: bool(x))),
        st.just((Predicate("truth", LENGTH), lambda x, y: bool(len(x)))),
        st.sampled_from([0, 1, 2]).map(lambda c: (less(LENGTH, const(c)), lambda x, y: len(x) < c)),
        st.sampled_from([0, 1, 2]).map(lambda c: (equal(LENGTH, const(c)), lambda x, y: len(x) == c)),
        st.tuples(sides, sides, st.sampled_from([("lt", operator.lt), ("eq", operator.eq)])).map(
            lambda p: (
                Predicate(p[2][0], expression(p[0]), expression(p[1])),
                lambda x, y: p[2][1](read(p[0], x, y), read(p[1], x, y)),
            )
        ),
        st.sampled_from([-1, 1]).map(lambda c: (less(Shifted(X, c), Y), lambda x, y: x + c < y)),
        st.sampled_from([-1, 1]).map(lambda c: (equal(Y, Shifted(X, c)), lambda x, y: y == x + c)),
    )


@searched(
    st.lists(_evaluators(), min_size=1, max_size=4),
    st.sampled_from(VALUES),
    st.sampled_from(VALUES),
    few=100,
    many=200,
)
def test_what_some_values_satisfy_is_never_impossible(
    tests: list[tuple[Predicate, Callable[[Any, Any], bool]]], x: Any, y: Any
) -> None:
    try:
        literals = [(test, bool(evaluate(x, y))) for test, evaluate in tests]
    except TypeError:  # the comparison raises for these values
        return
    assert consistency(literals) != Consistency.IMPOSSIBLE


def test_conditions_of_one_form_are_decided_for_each_choice_of_things() -> None:
    for one, two in ((X, X), (X, Y), (Y, Y), (N, X)):
        literals: list[Literal] = [(less(one, two), True), (less(two, one), True)]
        assert consistency(literals) is Consistency.IMPOSSIBLE
        assert (consistency(literals[:1]) is Consistency.POSSIBLE) == (one != two)
