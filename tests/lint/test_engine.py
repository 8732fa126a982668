"""One text: from bytes to findings with fixes, and fixes until nothing is left."""

from __future__ import annotations

import ast
import re

import pytest
from programs import CLEAN, LOCAL, RAW, REUSE

from olympus_codemods.codemods import all_codemods
from olympus_lint.project.settings import Settings
from olympus_lint.run.engine import lint_text
from olympus_lint.run.fixing import PASSES, fix_text
from olympus_rules.finding import Applicability, Confidence, Edit, Fix, Position, Span

LEGACY = Settings(select=["OLY201"])


def test_text_and_bytes_give_the_same():
    assert lint_text("a.py", REUSE, Settings()) == lint_text("a.py", REUSE.encode(), Settings())


def test_a_result_keeps_the_text_of_findings_only():
    assert lint_text("a.py", REUSE, Settings()).text == REUSE
    assert lint_text("a.py", CLEAN, Settings()).text == ""


@pytest.mark.parametrize("text", ["", "x = 1\n", "import random\n", "import jax\n"])
def test_files_without_keys_are_not_analysed(text):
    result = lint_text("a.py", text, Settings())
    assert (result.analysed, result.findings, result.errors) == (False, [], [])


def test_a_leftover_suppression_is_found_in_a_file_without_keys():
    found = lint_text("a.py", "x = 1  # noqa: OLY104\n", Settings()).findings
    assert [finding.code for finding in found] == ["OLY901"]


def test_findings_are_in_the_order_of_places():
    text = RAW + REUSE.partition("\n")[2] + "z = 1  # noqa: OLY104\n"
    result = lint_text("a.py", text, Settings(extend_select=["OLY201"]))
    assert [finding.code for finding in result.findings] == ["OLY201", "OLY104", "OLY901"]


def test_the_fix_is_filled_in():
    (finding,) = lint_text("a.py", LOCAL, LEGACY).findings
    assert finding.fix is not None and finding.fix.applicability is Applicability.SAFE


def test_targets_that_are_read_are_nodes_of_the_file():
    """``key[0] += 1`` and ``del key[0]`` read words of a key, and there is no fix for either."""
    text = (
        "import jax\n\n\ndef f(rng_key, key):\n    rng_key[0] += 1\n    del key[0]\n    return jax.random.normal(key)\n"
    )
    result = lint_text("a.py", text, Settings(min_confidence=Confidence.POSSIBLE))
    assert [(finding.code, finding.fix) for finding in result.findings] == [("OLY101", None)] * 2
    assert result.errors == []


def test_the_parsers_warnings_are_not_shown(recwarn):
    lint_text("a.py", RAW + 'x = "\\d"\nassert (1, 2)\ny = 1 is 1\n', LEGACY)
    assert list(recwarn) == []


def test_an_unsafe_fix_waits_to_be_asked_for():
    safe = fix_text("a.py", REUSE, Settings())
    assert (safe.text, safe.fixes.total()) == (REUSE, 0)
    assert [finding.code for finding in safe.findings] == ["OLY104"]
    unsafe = fix_text("a.py", REUSE, Settings(), unsafe=True)
    assert unsafe.fixes == {"OLY104": 1} and unsafe.findings == []


def test_fixed_findings_are_counted_by_code_when_they_wait_for_each_other():
    text = "import jax\n\n\ndef f(a, b):\n    x = jax.random.normal(a) + jax.random.normal(b)\n"
    text += "    return x + jax.random.bits(a), jax.random.bits(b)\n"
    result = fix_text("a.py", text, Settings(), unsafe=True)
    assert result.findings == [] and result.errors == []
    assert result.fixes == {"OLY104": 2}


def test_a_finding_with_many_places_counts_once_though_many_passes_fix_it():
    draws = "".join(f"    x{n} = jax.random.normal(key)\n" for n in range(PASSES + 5))
    text = f"import jax\n\n\ndef f(key):\n{draws}"
    assert len(lint_text("a.py", text, Settings()).findings) == 1
    result = fix_text("a.py", text, Settings(), unsafe=True)
    assert result.findings == [] and result.errors == []
    assert (result.fixes, result.along) == ({"OLY104": 1}, 0)
    made = sum(int(number) - 1 for number in re.findall(r"split\(key, (\d+)\)", result.text))
    assert made == PASSES + 4  # a key of its own for each draw


def stub_fix(monkeypatch, make):
    """Let ``make(text)`` say the new text of each finding's line."""

    def fix(self, fact, document):
        row = fact.node.lineno
        line = document.lines[row - 1]
        edit = Edit(Span(Position(row, 1), Position(row, len(line) + 1)), make(line))
        return Fix(Applicability.SAFE, "Change it", (edit,))

    monkeypatch.setattr(type(all_codemods()["OLY201"]), "fix", fix)


def test_a_fix_that_breaks_the_file_is_refused(monkeypatch):
    stub_fix(monkeypatch, lambda line: line.replace("(", "[", 1))
    result = fix_text("a.py", LOCAL, LEGACY)
    assert result.text == LOCAL and result.fixes == {}
    assert [finding.code for finding in result.findings] == ["OLY201"]
    assert "internal error: fixes of OLY201 gave SyntaxError" in result.errors[0].message


def test_fixes_without_end_are_stopped(monkeypatch):
    stub_fix(monkeypatch, lambda line: line.replace("(0", "(00").replace("(000", "(0"))
    result = fix_text("a.py", LOCAL, LEGACY)
    assert result.fixes == {"OLY201": PASSES}
    assert "internal error: fixes of OLY201 find no end" in result.errors[0].message
    ast.parse(result.text)


def test_a_fix_that_changes_nothing_ends_the_loop(monkeypatch):
    stub_fix(monkeypatch, lambda line: line)
    result = fix_text("a.py", LOCAL, LEGACY)
    assert (result.text, result.fixes, result.errors) == (LOCAL, {}, [])


def test_a_comment_of_ours_changes_no_finding(tmp_path):
    """One has the file analysed for values that are keys by their name, too; a property is seen anyhow."""
    source = (
        "import jax\n\n\nclass Stream:\n    def __init__(self, seed):\n        self._key = jax.random.key(seed)\n\n"
        "    @property\n    def key(self):\n        return self._key\n\n\n"
        "def draw(seed):\n    stream = Stream(seed)\n"
        "    return jax.random.normal(stream.key) + jax.random.normal(stream.key)\n"
    )
    for text in (source, source + "# OLY104\n"):
        assert [finding.code for finding in lint_text("a.py", text, Settings()).findings] == ["OLY104"]


@pytest.mark.parametrize("number, confidence", [(5, "certain"), (120, "likely")])
def test_what_is_not_asked_of_a_long_chain_of_returns_is_not_certain(number: int, confidence: str) -> None:
    """Whether so many decisions can hold together takes minutes to find out."""
    parameters = ", ".join(f"a{at}, b{at}" for at in range(number))
    tests = "".join(f"    if a{at} and b{at}:\n        return {at}\n" for at in range(number))
    drawn = "    x = jax.random.normal(key)\n    return x + jax.random.normal(key)\n"
    text = f"import jax\n\n\ndef f(key, {parameters}):\n{tests}{drawn}"
    (finding,) = lint_text("a.py", text, Settings()).findings
    assert finding.confidence.label == confidence
