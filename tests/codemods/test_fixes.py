"""``apply_fixes``: whole fixes, no overlaps, every other character untouched."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from olympus_codemods.codemods import all_codemods
from olympus_codemods.fixes import apply_fixes
from olympus_rules.finding import Applicability, Edit, Fix, Position, Span
from olympus_rules.rules import all_rules


def edit(row: int, column: int, end_row: int, end_column: int, content: str) -> Edit:
    return Edit(Span(Position(row, column), Position(end_row, end_column)), content)


def fix(*edits: Edit) -> Fix:
    return Fix(Applicability.SAFE, "", edits)


def test_rows_and_columns_count_characters() -> None:
    text = "é = 1\r\n\tb\x0c = 2\rlast"
    edits = [edit(1, 5, 1, 6, "one"), edit(2, 7, 2, 8, "two"), edit(3, 5, 3, 5, "!")]
    assert apply_fixes(text, [fix(*edits)]) == ("é = one\r\n\tb\x0c = two\rlast!", 1)


def test_a_fix_that_overlaps_is_left_out_as_a_whole() -> None:
    text = "abcdef\n"
    first = fix(edit(1, 1, 1, 4, "X"))
    second = fix(edit(1, 3, 1, 5, "Y"), edit(1, 6, 1, 7, "Z"))
    assert apply_fixes(text, [second, first]) == ("Xdef\n", 1)


def test_insertions_at_one_place_exclude_each_other_unless_they_are_one_import() -> None:
    text = "a\nb\n"
    line = edit(1, 1, 1, 1, "import jax\n")
    assert apply_fixes(text, [fix(line, edit(1, 1, 1, 2, "A")), fix(line, edit(2, 1, 2, 2, "B"))]) == (
        "import jax\nA\nB\n",
        2,
    )
    statement = edit(1, 1, 1, 1, "key, subkey = jax.random.split(key)\n")
    both = [fix(statement, edit(1, 1, 1, 2, "A")), fix(statement, edit(2, 1, 2, 2, "B"))]
    assert apply_fixes(text, both) == ("key, subkey = jax.random.split(key)\nA\nb\n", 1)


def test_the_same_fix_twice_is_applied_once() -> None:
    once = fix(edit(1, 1, 1, 2, "A"))
    assert apply_fixes("a", [once, once]) == ("A", 1)


def test_insertion_stands_before_a_replacement_at_the_same_place() -> None:
    assert apply_fixes("a", [fix(edit(1, 1, 1, 1, "x"), edit(1, 1, 1, 2, "b"))]) == ("xb", 1)


def test_no_fixes() -> None:
    assert apply_fixes("a\r", []) == ("a\r", 0)
    assert apply_fixes("", [fix()]) == ("", 0)


def test_edit_outside_the_text() -> None:
    with pytest.raises(IndexError):
        apply_fixes("a\n", [fix(edit(7, 1, 7, 1, "x"))])


CHARACTERS = ["a", "é", "𝒳", "\t", "\x0c", "\n", "\r", "\r\n", "\u2028", "\x1c"]
texts = st.lists(st.sampled_from(CHARACTERS), max_size=30).map("".join)


@st.composite
def text_and_ranges(draw: st.DrawFn) -> tuple[str, list[tuple[int, int, str]]]:
    """Return a text and replacements by offset, none of which cuts a line ending in two."""
    text = draw(texts)
    places = [n for n in range(len(text) + 1) if text[n - 1 : n + 1] != "\r\n"]
    pairs = st.tuples(st.sampled_from(places), st.sampled_from(places), st.text("xyz\n", max_size=3))
    return text, [(min(a, b), max(a, b), content) for a, b, content in draw(st.lists(pairs, max_size=6))]


def position(text: str, offset: int) -> Position:
    lines = io.StringIO(text[:offset], newline="").readlines() or [""]
    if lines[-1].endswith(("\n", "\r")):
        lines.append("")
    return Position(len(lines), len(lines[-1]) + 1)


@given(text_and_ranges())
def test_every_character_outside_the_edits_stays(case: tuple[str, list[tuple[int, int, str]]]) -> None:
    text, ranges = case
    fixes = [fix(Edit(Span(position(text, a), position(text, b)), content)) for a, b, content in ranges]
    result, applied = apply_fixes(text, fixes)
    expected, done, count = "", 0, 0
    chosen: list[tuple[int, int, str]] = []
    for start, end, content in sorted(ranges, key=lambda r: (r[0], r[1])):
        if not any((start < e and s < end) or (start, end) == (s, e) for s, e, _ in chosen):
            chosen.append((start, end, content))
            count += 1
    for start, end, content in sorted(chosen):
        expected += text[done:start] + content
        done = end
    assert (result, applied) == (expected + text[done:], count)


def test_fixes_are_applied_without_libcst() -> None:
    code = (
        "import sys\nfrom olympus_codemods.fixes import apply_fixes\n"
        "from olympus_rules.rules import all_rules\nall_rules()\napply_fixes('', [])\n"
        "sys.exit('libcst' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_rule_with_a_fix_has_a_codemod() -> None:
    elsewhere = {"OLY901"}  # suppressions are comments, which the engine knows
    assert {code for code, rule in all_rules().items() if rule.fix is not None} - elsewhere == set(all_codemods())
