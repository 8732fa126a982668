"""The script that writes confidences into marks."""

from __future__ import annotations

from pages import plain

from tests.marks import marked

FOUND = [("OLY104", "certain", "`a` twice"), ("OLY104", "likely", "`b` twice")]


def test_each_mark_gets_the_confidence_of_its_finding() -> None:
    row = 'x = f(a) + f(b)  # error: OLY104 "`b`" # error: OLY104 likely'
    written, unmet = marked(row, FOUND)
    assert written == 'x = f(a) + f(b)  # error: OLY104 likely "`b`" # error: OLY104 certain'
    assert unmet == []
    assert marked(written, FOUND) == (written, [])
    assert plain(row)[0] == plain(written)[0]


def test_a_mark_without_a_finding_stays() -> None:
    row = "x = f(a)  # error: OLY101 # error: OLY104 certain"
    assert marked(row, FOUND[1:]) == (row.replace("certain", "likely"), ["# error: OLY101"])
    assert marked("x = f(a)  # first", FOUND) == ("x = f(a)  # first", [])
