"""Values spread along random graphs as by going along every edge, however many slots are made one on the way."""

from __future__ import annotations

from unittest import mock

from hypothesis import example, given
from hypothesis import strategies as st

from olympus_rules.reach.solver import slots as module
from olympus_rules.reach.solver.slots import Slots
from olympus_rules.reach.solver.values import Container, Library, Made, Unknown, Value

SLOTS = 4
VALUES: list[Value] = [Library("a"), Library("b"), Made("a"), Container(0, 2), Container(1, None)]
KINDS = (Library, Made, Container)

steps = st.one_of(
    st.tuples(st.just("lead"), st.integers(0, SLOTS - 1), st.integers(0, SLOTS - 1)),
    st.tuples(st.just("lead kind"), st.integers(0, SLOTS - 1), st.integers(0, SLOTS - 1), st.sampled_from(KINDS)),
    st.tuples(st.just("put"), st.integers(0, SLOTS - 1), st.integers(0, len(VALUES) - 1)),
    st.tuples(st.just("watch"), st.integers(0, SLOTS - 1), st.sampled_from([*KINDS, object])),
    st.tuples(st.just("bridge"), *[st.integers(0, SLOTS - 1)] * 3),
    st.tuples(st.just("settle")),
)


def expected(program: list[tuple]) -> list[set[Value]]:
    """Return what is in each slot, worked out by going along every edge until nothing changes."""
    held: list[set[Value]] = [set() for _ in range(SLOTS)]
    while True:
        before = [set(each) for each in held]
        for step in program:
            match step:
                case ("lead", source, target):
                    held[target] |= held[source]
                case ("lead kind", source, target, kind):
                    held[target] |= {value for value in held[source] if isinstance(value, kind)}
                case ("bridge", slot, source, target) if held[slot]:
                    held[target] |= held[source]
                case ("put", slot, value):
                    held[slot].add(VALUES[value])
        if before == held:
            return held


@example([("lead", 0, 1), ("lead", 1, 2), ("bridge", 0, 1, 0), ("put", 0, 0)])  # two become one, of which one was sent
@given(st.lists(steps, max_size=80))
def test_values_spread_and_each_watcher_sees_each_once(program: list[tuple]) -> None:
    with mock.patch.multiple(module, FEWEST=0, GROWTH=0):  # so that cycles are looked for at every step
        graph = Slots()
        numbers = [graph.slot("slot", number) for number in range(SLOTS)]
        seen: list[tuple[int, type, list[Value]]] = []
        for step in program:
            match step:
                case ("lead", source, target):
                    graph.add_edge(numbers[source], numbers[target])
                case ("lead kind", source, target, kind):
                    graph.add_edge_of(numbers[source], numbers[target], kind)
                case ("put", slot, value):
                    graph.put(numbers[slot], VALUES[value])
                case ("watch", slot, kind):
                    shown: list[Value] = []
                    seen.append((slot, kind, shown))
                    graph.watch(numbers[slot], shown.append, kind)
                case ("bridge", slot, *ends):  # an edge that is there once something is in a slot
                    graph.watch(numbers[slot], lambda _, ends=ends: graph.add_edge(*[numbers[end] for end in ends]))
                case _:
                    graph.settle()
        graph.settle()
    held = expected(program)
    assert [set(graph.values(number)) for number in numbers] == held
    for slot, kind, shown in seen:
        assert len(shown) == len(set(shown))
        assert set(shown) == {value for value in held[slot] if isinstance(value, kind)}


def test_the_values_that_are_moved_are_bounded() -> None:
    """A few steps that move very many values are too many."""
    with mock.patch.object(module, "MOST_MOVED", 10_000):
        few, many = Slots(), Slots()
    for graph, count in ((few, 10), (many, 1_000)):
        first, lost = graph.slot("first"), graph.slot("lost")
        graph.limit(Unknown("libraries"), lost, Library)
        for number in range(count):
            graph.put(first, Library(str(number)))
        for number in range(20):
            graph.add_edge_of(first, graph.slot(number), Library)
            graph.add_edge(graph.slot(number), graph.slot("last"))
        graph.settle()
    assert not few.is_cut_short and many.is_cut_short
    assert len(few.values(few.slot("last"))) == 10 and Unknown("libraries") not in few.values(few.slot("last"))


def test_values_that_make_others_without_end_come_to_an_end() -> None:
    """Each value makes a longer one, and each step moves a single value."""
    with mock.patch.multiple(module, MOST_MOVED=100_000, SHOWN=10):
        graph = Slots()
        first, second = graph.slot("first"), graph.slot("second")
        graph.limit(Unknown("libraries"), graph.slot("lost"), Library)
        graph.watch(first, lambda value: graph.put(second, Library(f"{value.qualified}.a")), Library)
        graph.watch(second, lambda value: graph.put(first, Library(f"{value.qualified}.b")), Library)
        graph.put(first, Library("a"))
        graph.settle()
    assert graph.is_cut_short and Unknown("libraries") in graph.values(first) + graph.values(second)
