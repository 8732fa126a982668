"""Spans, the conversion of bytes to characters, the pair of places to report, and chains of exceptions."""

from __future__ import annotations

import json
import linecache
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from source_places import at

import olympus
from olympus.tracing.spans import Chain, Span, diverging, is_user_file, span, traceback_chain


def place(line: int, function: str = "f", file: str = "a.py") -> Span:
    return Span(file, line, 5, line, 9, function)


def test_a_span_is_printed_as_editors_count():
    assert str(Span("a.py", 3, 5, 4, 9, "f")) == "a.py:3:5-4:9"


def test_a_span_without_columns_is_printed_as_a_line():
    assert str(span("a.py", 3, -1, 3, -1, "f")) == "a.py:3"
    assert span("a.py", 3, -1, 3, -1, "f") == Span("a.py", 3, 0, 3, 0, "f")


def test_spans_are_ordered_by_file_and_place():
    spans = [place(2), place(10), place(1, file="b.py")]
    assert sorted([spans[2], spans[1], spans[0]]) == spans


@pytest.mark.parametrize(
    ("text", "piece", "columns"),
    [
        ("x = draw(key)", "draw(key)", (5, 14)),
        ("é = draw(key)", "draw(key)", (5, 14)),
        ("x = draw('日本', key) + 1", "draw('日本', key)", (5, 20)),
        ("'𝛼𝛽'; draw(key)", "draw(key)", (7, 16)),
        ("\tdraw(key)", "draw(key)", (2, 11)),
        ("", "", (1, 1)),
    ],
)
def test_bytes_become_characters(tmp_path: Path, text: str, piece: str, columns: tuple[int, int]):
    file = tmp_path / "source.py"
    file.write_text(f"# first\n{text}\n", "utf-8")
    start = text.encode().index(piece.encode())
    found = span(str(file), 2, start, 2, start + len(piece.encode()), "f")
    assert (found.column, found.end_column) == columns
    linecache.clearcache()


def test_each_end_of_a_span_is_converted_by_its_own_line(tmp_path: Path):
    file = tmp_path / "source.py"
    file.write_text("éé = draw(\n   'ö', key)\n", "utf-8")
    assert span(str(file), 1, 7, 2, 13, "f") == Span(str(file), 1, 6, 2, 13, "f")
    linecache.clearcache()


def test_without_the_source_bytes_count_as_characters():
    assert span("<nowhere>", 1, 4, 1, 6, "f") == Span("<nowhere>", 1, 5, 1, 7, "f")


def test_events_at_two_places_are_told_apart_by_these():
    assert diverging((place(1), place(9)), (place(2), place(9))) == (place(1), place(2))


def test_a_helper_called_twice_is_told_apart_by_its_calls():
    helper = place(1, "helper")
    assert diverging((helper, place(8), place(20)), (helper, place(9), place(20))) == (place(8), place(9))


def test_the_innermost_difference_counts():
    helper = place(1, "helper")
    one = (helper, place(5), place(8), place(20))
    other = (helper, place(6), place(9), place(20))
    assert diverging(one, other) == (place(5), place(6))


def test_a_helper_called_once_directly_is_told_apart_by_its_calls():
    helper = place(1, "helper")
    one = (helper, place(8))
    other = (helper, place(5, "between"), place(9))
    assert diverging(one, other) == (place(8), place(5, "between"))


def test_equal_chains_give_the_innermost_place_twice():
    chain = (place(1), place(8))
    assert diverging(chain, chain) == (place(1), place(1))


def test_an_event_without_a_place_cannot_be_reported():
    with pytest.raises(ValueError, match="empty"):
        diverging((), (place(1),))


chains = st.lists(st.integers(1, 3).map(place), min_size=1, max_size=5).map(tuple)


@given(chains, chains)
def test_the_two_places_are_of_their_chains(one: Chain, other: Chain):
    a, b = diverging(one, other)
    assert a in one
    assert b in other


@given(chains, chains)
def test_the_order_of_the_events_does_not_matter(one: Chain, other: Chain):
    assert diverging(one, other) == diverging(other, one)[::-1]


@given(chains, chains)
def test_the_same_place_is_given_twice_only_where_aligned_chains_agree(one: Chain, other: Chain):
    a, b = diverging(one, other)
    shared = min(len(one), len(other))
    assert (a == b) == (one[:shared] == other[:shared])


@given(chains, chains, chains)
def test_what_both_events_have_around_them_does_not_matter(one: Chain, other: Chain, around: Chain):
    if len(one) == len(other):
        assert diverging(one + around, other + around) == diverging(one, other)


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        (__file__, True),
        ("<string>", True),
        (pytest.__file__, True),
        (threading.__file__, False),
        (json.__file__, False),
        ("<frozen importlib._bootstrap>", False),
        (str(Path(olympus.__file__).with_name("jaxprs.py")), False),
    ],
)
def test_files_of_users(file: str, expected: bool):
    assert is_user_file(file) is expected


def raising(value: str) -> int:
    return int("é") + int(value)


def through_the_library(text: str) -> object:
    return json.loads(text, object_hook=lambda found: raising(found["a"]))


def test_the_chain_of_an_exception_leaves_the_standard_library_out():
    with pytest.raises(ValueError) as caught:
        through_the_library('{"a": "b"}')
    here = test_the_chain_of_an_exception_leaves_the_standard_library_out
    chain = traceback_chain(caught.value)
    assert chain[:4] == (
        at(raising, 'int("é")'),
        at(through_the_library, 'raising(found["a"])'),
        at(through_the_library, 'json.loads(text, object_hook=lambda found: raising(found["a"]))'),
        at(here, 'through_the_library(\'{"a": "b"}\')'),
    )


def test_an_exception_that_was_not_raised_has_no_chain():
    assert traceback_chain(ValueError()) == ()


def test_an_exception_without_columns_has_lines(tmp_path: Path):
    program = tmp_path / "program.py"
    program.write_text(
        "from olympus.tracing.spans import traceback_chain\n"
        "def f():\n"
        "    return (1 +\n"
        "        int('x'))\n"
        "try:\n"
        "    f()\n"
        "except ValueError as error:\n"
        "    print(*traceback_chain(error), sep='\\n')\n"
    )
    command = [sys.executable, "-X", "no_debug_ranges", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [f"{program}:4", f"{program}:6"]
