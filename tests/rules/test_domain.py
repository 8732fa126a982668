"""What the key flow computes with, each part by itself: terms, path conditions, variables, knowledge, the ledger."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from olympus_rules.keyflow.domain.decisions import Decisions
from olympus_rules.keyflow.domain.environment import Environment
from olympus_rules.keyflow.domain.knowledge import Knowledge, is_key_name
from olympus_rules.keyflow.domain.ledger import Certainty, Consumption, Derivation, Ledger, Meeting
from olympus_rules.keyflow.domain.paths import (
    ALWAYS,
    PathCondition,
    bit_numbers,
    both,
    compatible,
    implies,
)
from olympus_rules.keyflow.domain.terms import MAX_SIZE, Term, Terms
from olympus_rules.keyflow.domain.values import Choice, Const, Library, Map, Sequence
from olympus_rules.keyflow.facts import KeyKind

# terms

LEAVES = st.one_of(
    st.tuples(st.just("const"), st.one_of(st.integers(-2, 2), st.booleans(), st.none(), st.sampled_from([0.0, 1.0]))),
    st.tuples(st.just("param"), st.sampled_from(["key", "x"])),
    st.tuples(st.just("symbol"), st.sampled_from(["a.b", "a.c"])),
)
DESCRIPTIONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(st.just("split"), st.integers(0, 1), inner, inner),
        st.tuples(st.just("fold_in"), st.none(), inner, inner),
        st.tuples(st.just("op"), st.sampled_from(["Add", "Eq"]), inner, inner),
    ),
    max_leaves=8,
)


def built(terms: Terms, description: tuple[Any, ...]) -> Term:
    """Return the term of a description: an operation, data, and the descriptions of the arguments."""
    operation, data, *args = description
    if operation == "const":
        return terms.const(data)
    return terms.make(operation, data, *(built(terms, arg) for arg in args))


def spelled(description: tuple[Any, ...]) -> str:
    """Return a description as text, in which 1, 1.0 and True differ."""
    return repr(description)


@given(st.lists(DESCRIPTIONS, max_size=6))
def test_terms_of_equal_parts_are_one_identity_and_no_others_are(descriptions: list[tuple[Any, ...]]) -> None:
    terms = Terms()
    found = [(built(terms, each), spelled(each)) for each in descriptions]
    for (one, first), (other, second) in itertools.product(found, found):
        assert (one == other) == (first == second)


@given(DESCRIPTIONS)
def test_a_term_has_the_parts_that_it_was_made_of(description: tuple[Any, ...]) -> None:
    terms = Terms()
    term = built(terms, description)
    operation, data, *args = description
    assert (terms.operation(term), terms.data(term)) == (operation, data)
    assert list(terms.args(term)) == [built(terms, arg) for arg in args]
    assert terms.constant(term) == (data if operation == "const" else None)
    assert terms.size(term) == 1 + sum(terms.size(arg) for arg in terms.args(term))


def test_fresh_terms_are_unlike_anything_else() -> None:
    terms = Terms()
    one, other = terms.fresh("first"), terms.fresh("first")
    assert one != other and terms.kind(one) == terms.kind(other) == "first"
    assert terms.kind(terms.const(0)) == ""
    assert terms.is_structural(terms.data(one)) and not terms.is_structural(terms.data(terms.fresh()))


def test_results_of_operators_are_bounded_and_chains_of_splits_are_not() -> None:
    terms = Terms()
    value = key = terms.make("param", "key")
    for _ in range(MAX_SIZE):
        value = terms.make("op", "Add", value, terms.const(1))
        key = terms.make("split", 0, key, terms.const(2))
    assert terms.size(value) < MAX_SIZE < terms.size(key)
    assert terms.root(key) == terms.make("param", "key")


def array(terms: Terms, length: int | None = 5) -> Term:
    """Return the term of a split into a number of keys."""
    count = terms.make("param", "n") if length is None else terms.const(length)
    return terms.make("split", 0, terms.make("param", "key"), count)


@given(
    length=st.integers(1, 6),
    bounds=st.lists(st.tuples(*[st.one_of(st.none(), st.integers(-7, 7))] * 2), max_size=3),
    index=st.integers(-7, 7),
)
@example(length=2, bounds=[(None, 1), (None, 2)], index=-1)
def test_an_element_of_slices_is_that_element_of_the_array(
    length: int, bounds: list[tuple[int | None, int | None]], index: int
) -> None:
    """Wherever two ways to write an element are one term, they are one element."""
    terms = Terms()
    whole = array(terms, length)
    part, elements = whole, list(range(length))
    for lower, upper in bounds:
        part, elements = terms.slice(part, lower, upper), elements[lower:upper]
    if not -len(elements) <= index < len(elements):
        return
    found = terms.item(part, terms.const(index))
    others = [number for number in range(length) if terms.item(whole, terms.const(number)) == found]
    assert others in ([], [elements[index]])
    if not bounds:
        assert others
    if all((lower or 0) >= 0 for lower, _ in bounds) and index >= 0:
        assert others  # without negative numbers it is always known


def test_the_array_that_a_part_is_taken_from() -> None:
    terms = Terms()
    whole = array(terms)
    first = terms.item(whole, terms.make("param", "i"))
    inner = terms.item(terms.slice(first, 1, None), terms.make("param", "j"))
    assert terms.ancestors(inner) == [terms.slice(first, 1, None), first, whole]
    assert terms.root_array(inner) == whole == terms.root_array(whole)
    assert terms.length(whole) == 5 and terms.length(terms.slice(whole, 1, -1)) == 3
    assert terms.length(array(terms, None)) is None


# path conditions

BITS = 6
MASKS = st.integers(0, 2**BITS - 1)
PATHS = st.builds(lambda holds, fails: (holds & ~fails, fails), MASKS, MASKS)


def satisfied(path: PathCondition, assignment: int) -> bool:
    """Say whether a path condition holds where exactly the decisions of an assignment hold."""
    return path[0] & assignment == path[0] and not path[1] & assignment


def models(path: PathCondition | None) -> set[int]:
    """Return the assignments under which a path condition holds."""
    return set() if path is None else {each for each in range(2**BITS) if satisfied(path, each)}


@given(PATHS, PATHS)
def test_conditions_of_paths_mean_what_their_assignments_say(a: PathCondition, b: PathCondition) -> None:
    assert models(both(a, b)) == models(a) & models(b)
    assert compatible(a, b) == bool(models(a) & models(b))
    assert implies(a, b) == (models(a) <= models(b))
    assert both(a, ALWAYS) == a and implies(a, ALWAYS)


@given(MASKS)
def test_numbers_of_bits(mask: int) -> None:
    assert sum(1 << number for number in bit_numbers(mask)) == mask


FORMULAS = st.recursive(
    st.integers(0, 3),
    lambda inner: st.tuples(st.sampled_from(["and", "or"]), st.tuples(inner, inner)),
    max_leaves=4,
)


def truth(formula: Any, flags: tuple[bool, ...]) -> bool:
    """Evaluate a formula over flags."""
    if isinstance(formula, int):
        return flags[formula]
    operation, parts = formula
    return (all if operation == "and" else any)(truth(part, flags) for part in parts)


def decided(
    decisions: Decisions, terms: Terms, formula: Any
) -> tuple[Term, PathCondition | None, PathCondition | None]:
    """Return the term of a formula, and when it holds and fails, with its parts noted as the interpreter does."""
    if isinstance(formula, int):
        term = terms.make("param", f"flag {formula}")
        return (term, *decisions.outcomes(term))
    operation, inner = formula
    parts = [decided(decisions, terms, part) for part in inner]
    term = terms.make("op", operation, *(part[0] for part in parts))
    holds, fails = decisions.outcomes(term)
    own = 1 if operation == "and" else 2
    every: PathCondition | None = ALWAYS
    for part in parts:
        condition = part[own]
        assert condition is not None
        every = None if every is None else both(every, condition)
    decisions.combinations.add(holds if own == 1 else fails, every, [part[3 - own] for part in parts])  # type: ignore[misc]
    return term, holds, fails


@given(st.lists(st.tuples(FORMULAS, st.booleans()), max_size=4))
def test_a_path_that_can_be_taken_is_never_closed(asked: list[tuple[Any, bool]]) -> None:
    """What follows from a path holds in each of its executions; a path without an execution may be found open."""
    terms = Terms()
    decisions = Decisions(terms)
    path: PathCondition | None = ALWAYS
    conditions = []
    for formula, wanted in asked:
        _, holds, fails = decided(decisions, terms, formula)
        conditions.append((formula, holds))
        chosen = holds if wanted else fails
        path = None if path is None or chosen is None else both(path, chosen)
    found = decisions.combinations.closure(path)
    for flags in itertools.product([False, True], repeat=4):
        if all(truth(formula, flags) is wanted for formula, wanted in asked):
            assert found is not None
            for formula, holds in conditions:
                assert holds is not None
                assert truth(formula, flags) or not implies(found, holds)


def comparison(terms: Terms, operation: str, value: object) -> Term:
    """Return the term of a comparison of one variable with a constant."""
    return terms.make("op", operation, terms.make("param", "x"), terms.const(value))


@pytest.mark.parametrize(
    ("one", "other", "possible"),
    [
        (("Eq", 1), ("Eq", 2), False),
        (("Eq", "a"), ("Is", None), False),
        (("Lt", 1), ("Eq", 3), False),
        (("Lt", 1), ("Eq", 0), True),
        (("Lt", 1), ("Lt", 2), True),
    ],
)
def test_conditions_about_one_value_exclude_each_other(
    one: tuple[str, object], other: tuple[str, object], possible: bool
) -> None:
    terms = Terms()
    decisions = Decisions(terms)
    (first, _), (second, second_fails) = (decisions.outcomes(comparison(terms, *each)) for each in (one, other))
    joined = both(first, second)
    assert (joined is not None and decisions.combinations.closure(joined) is not None) == possible
    assert decisions.combinations.closure(both(first, second_fails)) is not None or one == ("Lt", 1)


def test_the_opposite_of_a_path_is_anything_but_it() -> None:
    terms = Terms()
    decisions = Decisions(terms)
    p, q = (decisions.bit(terms.make("param", name)) for name in "pq")
    holds, fails = decisions.alternatives((p, q))
    assert implies(holds, (p, q)) and not compatible(holds, fails)
    assert decisions.combinations.closure(both(fails, (p, q))) is None
    for other in ((p | q, 0), (0, p | q), (q, p)):
        assert decisions.combinations.closure(both(fails, other)) is not None
    assert decisions.alternatives((p, 0)) == ((p, 0), (0, p))


def test_a_path_on_which_a_loop_has_no_iteration_is_doubtful() -> None:
    terms = Terms()
    decisions = Decisions(terms)
    first, raised, plain = (decisions.bit(terms.fresh(kind)) for kind in ("first", "raised", ""))
    assert decisions.is_doubtful((0, first)) and not decisions.is_doubtful((first, 0))
    assert decisions.is_doubtful((raised, 0)) and not decisions.is_doubtful((0, raised))
    assert not decisions.is_doubtful((plain, 0)) and not decisions.is_doubtful((0, plain))


# variables

STEPS = st.lists(
    st.one_of(st.tuples(st.just("set"), st.sampled_from("abc"), st.integers(0, 9)), st.just(("open",))), max_size=20
)


@given(STEPS)
def test_a_layer_that_is_closed_leaves_everything_as_it_was(steps: list[tuple[Any, ...]]) -> None:
    environment, before = Environment(), list[dict[object, Any]]()
    for step in steps:
        if step[0] == "set":
            environment.set(step[1], step[2])
        else:
            before.append(dict(environment.values))
            assert environment.open() == len(before)
    for depth in range(len(before), 0, -1):
        values, old = dict(environment.values), before.pop()
        for name in "abc":
            assert environment.before(name, depth) == old.get(name)
        changes = environment.changes(depth)
        assert {**old, **changes} == values
        assert environment.close() == changes
        assert environment.values == old


# knowledge


def test_a_key_by_its_source() -> None:
    terms = Terms()
    knowledge = Knowledge(terms)
    key = knowledge.seed(KeyKind.RAW, 0, terms.const(0))
    keys = knowledge.split(1, key, terms.const(3), 1)
    child = knowledge.item(keys, terms.const(0))
    assert [knowledge.rank(each) for each in (key, keys, child)] == [0, 1, 0]
    assert knowledge.rank(knowledge.slice(keys, 1, None)) == 1
    assert {knowledge.kind(each) for each in (key, keys, child, knowledge.fold_in(child, key))} == {KeyKind.RAW}
    assert not knowledge.is_known(knowledge.item(child, terms.const(0))), "a word is no key"
    assert knowledge.is_known(child) and knowledge.is_something(child)
    assert knowledge.clone(2, key) != key and knowledge.made() != knowledge.made()


def test_lanes_and_batches_undo_each_other() -> None:
    terms = Terms()
    knowledge = Knowledge(terms)
    keys = knowledge.split(0, knowledge.made(), terms.const(3), 1)
    lane = knowledge.lane(keys)
    assert knowledge.rank(lane) == 0 and knowledge.batch(lane) == keys
    batch = knowledge.batch(knowledge.made())
    assert knowledge.rank(batch) == 1 and knowledge.rank(knowledge.lane(batch)) == 0


def test_a_key_by_its_use() -> None:
    terms = Terms()
    knowledge = Knowledge(terms)
    keys = terms.make("param", "keys")
    knowledge.use(knowledge.item(keys, terms.const(0)))
    assert knowledge.is_known(keys) and knowledge.rank(keys) == 1, "a key in it makes it an array of keys"
    assert knowledge.kind(keys) == KeyKind.UNKNOWN and not knowledge.is_something(keys)


def test_a_use_counts_on_its_paths() -> None:
    terms = Terms()
    knowledge, decisions = Knowledge(terms), Decisions(terms)
    key, mask = terms.make("param", "x"), decisions.bit(terms.make("param", "flag"))
    assert knowledge.used_on(key, (0, mask))
    knowledge.use(key, path=(mask, 0))
    assert knowledge.used_on(key, (mask, 0)) and not knowledge.used_on(key, (0, mask))
    knowledge.use(key)
    assert knowledge.used_on(key, (0, mask))


def test_a_name_is_no_evidence() -> None:
    terms = Terms()
    knowledge = Knowledge(terms)
    term = terms.make("param", "rng")
    knowledge.name(term, "rng")
    assert knowledge.is_candidate(term) and not knowledge.is_known(term) and term in knowledge.generators
    other = terms.make("param", "x")
    knowledge.name(other, "monkey")
    assert not knowledge.is_candidate(other)


@pytest.mark.parametrize("name", ["key", "rng", "subkey", "dropout_rng", "prng_key", "key1", "keys", "rngs"])
def test_names_of_keys(name: str) -> None:
    assert is_key_name(name)


@pytest.mark.parametrize("name", ["x", "monkey", "keyword", "string", "params"])
def test_names_of_other_things(name: str) -> None:
    assert not is_key_name(name)


def test_the_kinds_of_keys_that_calls_give_to_a_parameter_are_added_up() -> None:
    terms = Terms()
    knowledge = Knowledge(terms)
    parameter = terms.make("param", "key")
    for kind, kinds in ((KeyKind.TYPED, 1), (KeyKind.RAW, 2), (KeyKind.TYPED, 2)):
        knowledge.pass_on(parameter, knowledge.seed(kind, terms.number(), terms.const(0)))
        assert kind in knowledge.passed[parameter]
        assert len(knowledge.passed[parameter]) == kinds


# the ledger


class Book:
    """A ledger with a table of terms, in which consumptions are written down in order."""

    def __init__(self) -> None:
        self.terms = Terms()
        self.decisions = Decisions(self.terms)
        self.ledger = Ledger(self.terms, self.decisions)

    def consume(self, term: Term, path: PathCondition = ALWAYS, **attributes: Any) -> Consumption:
        """Note a consumption by a call of its own."""
        given: dict[str, Any] = {"certainty": Certainty.KNOWN, "call": self.terms.number()} | attributes
        time = self.ledger.tick()
        made = Consumption(ast.Pass(), "f", path=path, term=term, time=time, **given)
        self.ledger.add(made)
        return made

    def flag(self, name: str) -> int:
        """Return the mask of a decision."""
        return self.decisions.bit(self.terms.make("param", name))

    def pairs(self) -> list[tuple[int, int]]:
        """Return the pairs of consumptions of one key, each by its number."""
        made = self.ledger.consumptions
        return [(made.index(first), made.index(again)) for first, again in self.ledger.pairs(lambda term: True)]


def test_each_consumption_has_an_earlier_one_of_its_key() -> None:
    book = Book()
    key, other = (book.terms.make("param", name) for name in ("key", "other"))
    for term in (key, other, key, key):
        book.consume(term)
    assert book.pairs() == [(0, 2), (0, 3)]


def test_what_is_no_candidate_is_left_out() -> None:
    book = Book()
    book.consume(book.terms.const(0))
    book.consume(book.terms.const(0))
    assert list(book.ledger.pairs(lambda term: False)) == []


@pytest.mark.parametrize(
    ("first", "again", "meets"),
    [
        (lambda t, keys: keys, lambda t, keys: t.item(keys, t.const(1)), True),
        (lambda t, keys: t.item(keys, t.const(1)), lambda t, keys: keys, True),
        (lambda t, keys: t.item(keys, t.const(1)), lambda t, keys: t.item(keys, t.const(2)), False),
        (lambda t, keys: t.item(keys, t.const(4)), lambda t, keys: t.item(keys, t.const(-1)), True),
        (lambda t, keys: t.item(keys, t.make("param", "i")), lambda t, keys: t.item(keys, t.make("param", "j")), False),
        (lambda t, keys: t.slice(keys, 0, 3), lambda t, keys: t.slice(keys, 2, 5), True),
        (lambda t, keys: t.slice(keys, 0, 3), lambda t, keys: t.slice(keys, 3, 5), False),
        (lambda t, keys: t.slice(keys, 0, 3), lambda t, keys: t.item(keys, t.const(2)), True),
        (lambda t, keys: t.make("lane", None, keys), lambda t, keys: keys, True),
    ],
    ids=range(9),
)
def test_parts_of_one_array(
    first: Callable[[Terms, Term], Term], again: Callable[[Terms, Term], Term], meets: bool
) -> None:
    book = Book()
    keys = array(book.terms)
    book.consume(first(book.terms, keys))
    book.consume(again(book.terms, keys))
    assert book.pairs() == ([(0, 1)] if meets else [])


def test_consumptions_on_paths_that_exclude_each_other() -> None:
    book = Book()
    key, p = book.terms.make("param", "key"), book.flag("p")
    book.consume(key, (p, 0))
    book.consume(key, (0, p))
    assert book.pairs() == []
    book.consume(key)
    assert book.pairs() == [(0, 2)]


def test_a_path_that_ends_meets_nothing_that_follows() -> None:
    book = Book()
    key, p = book.terms.make("param", "key"), book.flag("p")
    first = book.consume(key, (p, 0))
    departure = book.ledger.depart((p, 0))
    assert book.ledger.meeting(first, book.consume(key)) == Meeting.NEVER
    departure.end = book.ledger.tick()
    assert book.ledger.meeting(first, book.consume(key)) == Meeting.SHOWN


def test_how_surely_two_consumptions_meet() -> None:
    book = Book()
    key = book.terms.make("param", "key")
    unknown = [book.terms.fresh() for _ in range(2)]
    one, other = (book.decisions.bit(book.terms.make("op", "bool", term)) for term in unknown)
    skipped = book.decisions.bit(book.terms.fresh("first"))
    first = book.consume(key, (one, 0))
    assert book.ledger.meeting(first, book.consume(key, (one, 0))) == Meeting.SHOWN
    assert book.ledger.meeting(first, book.consume(key, (other, 0))) == Meeting.ASSUMED
    assert book.ledger.meeting(first, book.consume(key, (one, skipped))) == Meeting.DOUBTFUL


def test_the_surest_earlier_consumption_is_the_one_that_is_named() -> None:
    book = Book()
    key, skipped = book.terms.make("param", "key"), book.decisions.bit(book.terms.fresh("first"))
    book.consume(key, (0, skipped))
    book.consume(key, certainty=Certainty.UNKNOWN)
    book.consume(key)
    assert book.pairs()[-1] == (1, 2)


def test_one_call_consumes_a_key_once() -> None:
    book = Book()
    key, a, b = (book.terms.make("param", name) for name in ("key", "a", "b"))
    book.consume(key, call=7, origin=a)
    book.consume(key, call=7, origin=a)
    assert book.pairs() == []
    book.consume(key, call=7, origin=b)
    assert book.pairs() == [(0, 2)]


def test_only_one_of_several_callees_is_called() -> None:
    book = Book()
    key = book.terms.make("param", "key")
    book.consume(key, arms=((1, 0),))
    book.consume(key, arms=((1, 1),))
    assert book.pairs() == []
    book.consume(key, arms=((1, 0), (2, 0)))
    assert book.pairs() == [(0, 2)]


def test_an_element_that_was_replaced_is_another_key() -> None:
    book = Book()
    keys = array(book.terms)
    element = book.terms.item(keys, book.terms.const(0))
    first = book.consume(element)
    replaced = ((element, ALWAYS, book.ledger.tick()),)
    assert book.ledger.meeting(first, book.consume(keys, replaced=replaced)) == Meeting.NEVER
    assert book.ledger.meeting(first, book.consume(keys)) == Meeting.SHOWN


def test_derivations_meet_as_consumptions_do() -> None:
    book = Book()
    p, child = book.flag("p"), book.terms.make("param", "child")
    node = ast.Call(ast.Name("f"), [], [])
    made = [Derivation(node, path, child, "", number, number) for number, path in enumerate([(p, 0), (0, p), ALWAYS])]
    assert book.ledger.on_one_path(made[0], made[1]) == Meeting.NEVER
    assert book.ledger.on_one_path(made[0], made[2]) == Meeting.SHOWN


# values


def test_values_are_compared_by_what_they_hold() -> None:
    term = Terms().fresh()
    for make in (
        lambda: Const((1, 2)),
        lambda: Sequence("tuple", (term, Const(None))),
        lambda: Map((("a", term),), open=True),
        lambda: Choice((((1, 0), term), ((0, 1), Const(0)))),
        lambda: Library("jax.random.normal"),
    ):
        assert make() == make() and hash(make()) == hash(make())
    assert Sequence("tuple", (term,)) != Sequence("list", (term,))
    assert Sequence("tuple", (term,)) != Sequence("tuple", (term,), open=True)
