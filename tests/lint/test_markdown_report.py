"""The format `markdown`, for the summary of a CI job."""

from __future__ import annotations

from pathlib import Path

from olympus.verdicts import Verdict
from olympus_lint.reporting.formats.markdown import MOST, render
from olympus_lint.reporting.results import FileResult, RunResult
from olympus_rules.finding import Confidence, Finding, Position, Span, Step

REUSE = """\
import jax


def f(key):
    a, b = jax.random.split(key)
    return jax.random.normal(a), jax.random.bits(a), b
"""
WAY = (Step("source", "key", "", 1), Step("first", "f", "", 2), Step("again", "g", "", 3))


def found(number: int, *, status: str | None = None, confidence: Confidence = Confidence.CERTAIN) -> Finding:
    """Return a reuse at a row."""
    verdict = None if status is None else Verdict(status, "witness", None, ())  # type: ignore[arg-type]
    span = Span(Position(number, 1), Position(number, 2))
    return Finding("OLY104", "key-reuse", "Key `k_1` is <b>.", "a.py", span, confidence, verdict=verdict, lineage=WAY)


def page(*findings: Finding) -> str:
    return render(RunResult([FileResult("a.py", list(findings))]), color=False)


def test_a_page(project: Path, run):
    Path("a.py").write_text(REUSE)
    shown = run("--output-format", "markdown", "a.py")
    assert shown.status == 1 and shown.err == ""
    head = "### olympus-lint\n\n1 finding in 1 file.\n\n| rule | findings |\n|---|--:|\n| OLY104 key-reuse | 1 |\n\n"
    assert shown.out.startswith(
        f"{head}<details><summary><code>a&#46;py&#58;6&#58;34</code> OLY104 (certain)</summary>"
    )
    picture = shown.out.partition("```mermaid\n")[2].partition("\n```\n")[0]
    assert picture.splitlines()[:8] == [
        "flowchart LR",
        '    n0(["parameter key of f, line 4"]):::source',
        '    n1["a<br/>✗ reuse"]:::misuse',
        '    n2{{"jax.random.normal"}}:::sink',
        '    n3{{"jax.random.bits"}}:::sink',
        '    n0 -->|"split, line 5"| n1',
        '    n1 ==>|"first, line 6"| n2',
        '    n1 ==>|"again, line 6"| n3',
    ]
    assert shown.out.endswith("```\n\n</details>\n")


def test_no_findings(project: Path, run):
    Path("a.py").write_text("x = 1\n")
    assert run("--output-format", "markdown", "a.py").out == "### olympus-lint\n\nNo findings.\n"


def test_what_is_confirmed_is_drawn_or_else_what_is_certain():
    assert page(found(1), found(2, confidence=Confidence.LIKELY)).count("mermaid") == 1
    traced = page(found(1, status="refuted"), found(2, status="confirmed", confidence=Confidence.LIKELY), found(3))
    assert traced.count("mermaid") == 1 and "OLY104 (likely, confirmed)" in traced
    assert "| rule | findings | confirmed |\n|---|--:|--:|\n| OLY104 key-reuse | 3 | 1 |\n" in traced


def test_text_is_no_markup():
    assert "\nKey <code>k&#95;1</code> is &#60;b&#62;&#46;\n" in page(found(1))


def test_there_is_a_limit():
    shown = page(*map(found, range(1, MOST + 4)))
    assert shown.count("mermaid") == MOST
    assert shown.endswith("\n\n3 more of them are not shown here.\n")


def test_what_is_not_shown_in_tests_is_counted():
    run = RunResult([FileResult("test_a.py", quiet=2)])
    assert render(run, color=False).endswith("<code>&#45;&#45;tests all</code> shows them&#46;\n")
