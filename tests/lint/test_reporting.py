"""The output formats, from findings made by hand and from real ones."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from junitparser import JUnitXml
from programs import RAW, REUSE

from olympus.verdicts import Verdict
from olympus_lint.files.problems import Problem
from olympus_lint.project.settings import Settings
from olympus_lint.reporting.formats import format_names, has_summary, render
from olympus_lint.reporting.phrases import rule_url
from olympus_lint.reporting.results import FileResult, RunResult
from olympus_lint.reporting.summary import summary
from olympus_lint.run.engine import lint_text
from olympus_rules.finding import (
    Applicability,
    Confidence,
    Edit,
    Finding,
    Fix,
    Position,
    Related,
    Span,
)

SCHEMA = json.loads((Path(__file__).parent / "data" / "sarif-2.1.0.json").read_text())


def span(row: int, column: int, end_row: int, end_column: int) -> Span:
    return Span(Position(row, column), Position(end_row, end_column))


def a_run(text: str, *findings: Finding, unsafe: bool = False) -> RunResult:
    return RunResult([FileResult("a.py", list(findings), text=text)], unsafe=unsafe)


def a_finding(where: Span, message: str = "Wrong.", **attributes: object) -> Finding:
    return Finding("OLY104", "key-reuse", message, "a.py", where, **attributes)  # type: ignore[arg-type]


FIX = Fix(Applicability.UNSAFE, "Split it", (Edit(span(1, 1, 1, 1), "k = 1\n"), Edit(span(2, 5, 2, 8), "k")))
REUSED = a_finding(
    span(3, 5, 3, 8),
    related=(Related("first consumed here", "a.py", span(1, 5, 1, 8)),),
    effect="same-draw",
    confidence=Confidence.LIKELY,
    fix=FIX,
)
TEXT = "x = one\n\ny = two\n"


def test_the_formats():
    machines = ["azure", "github", "gitlab", "json", "json-lines", "junit", "markdown", "pylint", "rdjson", "sarif"]
    assert format_names() == sorted(["concise", "full", "grouped", "html", *machines])
    assert [name for name in format_names() if has_summary(name)] == ["concise", "full", "grouped"]


@pytest.mark.parametrize("name", format_names())
@pytest.mark.parametrize("color", [False, True])
def test_every_format_shows_a_run_without_findings(name, color):
    shown = render(name, RunResult([]), color=color)
    whole = {
        "sarif": lambda: json.loads(shown)["runs"],
        "html": lambda: "<h1>No findings</h1>" in shown,
        "junit": lambda: [case.is_passed for suite in JUnitXml.fromstring(shown.encode()) for case in suite] == [True],
        "rdjson": lambda: json.loads(shown)["diagnostics"] == [],
        "markdown": lambda: shown.endswith("\n\nNo findings.\n"),
    }
    assert whole[name]() if name in whole else shown in ("", "[]\n")


def test_concise_and_its_mark():
    assert render("concise", a_run(TEXT, REUSED)) == "a.py:3:5: OLY104 Wrong.\n"
    assert render("concise", a_run(TEXT, REUSED, unsafe=True)) == "a.py:3:5: OLY104 [*] Wrong.\n"


def test_grouped():
    other = a_finding(span(12, 10, 12, 11))
    assert render("grouped", a_run(TEXT, REUSED, other)) == ("a.py:\n  3:5   OLY104 Wrong.\n  12:10 OLY104 Wrong.\n\n")


def test_pylint():
    assert render("pylint", a_run(TEXT, REUSED)) == "a.py:3: [OLY104] Wrong.\n"
    assert render("pylint", a_run(TEXT, replace(REUSED, cell=2))) == "a.py:1: [OLY104] cell 2, row 3: Wrong.\n"
    assert render("pylint", a_run(TEXT, a_finding(span(1, 1, 1, 2), "one\ntwo"))) == "a.py:1: [OLY104] one\u240atwo\n"


def test_full_shows_both_places_and_the_fix():
    assert render("full", a_run(TEXT, REUSED)) == (
        "a.py:3:5: OLY104 Wrong.\n"
        "  |\n"
        "1 | x = one\n"
        "  |     --- first consumed here\n"
        "2 |\n"
        "3 | y = two\n"
        "  |     ^^^\n"
        "  |\n"
        "help: Split it (`--fix --unsafe-fixes` tries it)\n"
        "\n"
    )


def test_full_in_colour_says_the_same():
    plain, colored = (render("full", a_run(TEXT, REUSED), color=color) for color in (False, True))
    assert "\x1b[" in colored and "\x1b[" not in plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == plain


def test_colour_does_not_wrap_or_interpret_long_lines(monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    text = f"x = '[bold]{'long' * 20}[/bold]'\n"
    assert text.strip() in render("full", a_run(text, a_finding(span(1, 1, 1, 2))), color=True)


@pytest.mark.parametrize(
    ("text", "where", "shown"),
    [
        ("\tx = key\n", span(1, 6, 1, 9), "1 | \tx = key\n  | \t    ^^^\n"),
        ("日本 = 'é', key\n", span(1, 11, 1, 14), "1 | 日本 = 'é', key\n  |             ^^^\n"),
        ("e\u0301 = key\n", span(1, 6, 1, 9), "1 | e\u0301 = key\n  |     ^^^\n"),
        ("x = 本 + 1\n", span(1, 5, 1, 6), "1 | x = 本 + 1\n  |     ^^\n"),
        ("x = '\x1b[31m'\x0c\n", span(1, 1, 1, 2), "1 | x = '␛[31m'␌\n  | ^\n"),
        ("f(\r\n  a,\r\n)\r\n", span(1, 1, 3, 2), "1 | f(\n  | ^^\n2 |   a,\n  |   ^^\n3 | )\n  | ^\n"),
        ("x = (\n", span(1, 6, 1, 6), "1 | x = (\n  |      ^\n"),
        ("x", span(9, 1, 9, 2), ""),
        ("", span(1, 1, 1, 1), ""),
    ],
)
def test_carets_stand_below_what_they_mark(text, where, shown):
    block = render("full", a_run(text, a_finding(where)))
    frame = f"  |\n{shown}  |\n" if shown else ""
    assert block == f"a.py:{where.start.row}:{where.start.column}: OLY104 Wrong.\n{frame}\n"


def test_long_places_are_cut_and_gaps_are_marked():
    text = "".join(f"line{n}\n" for n in range(1, 31))
    block = render("full", a_run(text, a_finding(span(5, 1, 25, 3))))
    assert [row for row in range(1, 31) if f"{row:>2} | line" in block] == [4, 5, 6, 24, 25, 26]
    assert block.count("\n...\n") == 1


def test_a_second_place_in_another_file():
    far = a_finding(span(1, 1, 1, 2), related=(Related("defined here", "b.py", span(7, 1, 7, 2)),))
    assert "b.py:7:1: defined here\n" in render("full", a_run(TEXT, far))


def test_json_has_the_fixed_shape():
    (found,) = json.loads(render("json", a_run(TEXT, REUSED)))
    assert found == {
        "code": "OLY104",
        "name": "key-reuse",
        "message": "Wrong.",
        "filename": "a.py",
        "cell": None,
        "location": {"row": 3, "column": 5},
        "end_location": {"row": 3, "column": 8},
        "related": [
            {
                "message": "first consumed here",
                "filename": "a.py",
                "location": {"row": 1, "column": 5},
                "end_location": {"row": 1, "column": 8},
            }
        ],
        "confidence": "likely",
        "url": rule_url("key-reuse"),
        "fix": {
            "applicability": "unsafe",
            "message": "Split it",
            "edits": [
                {"content": "k = 1\n", "location": {"row": 1, "column": 1}, "end_location": {"row": 1, "column": 1}},
                {"content": "k", "location": {"row": 2, "column": 5}, "end_location": {"row": 2, "column": 8}},
            ],
        },
        "verdict": None,
        "effect": "same-draw",
    }
    (plain,) = json.loads(render("json", a_run(TEXT, a_finding(span(1, 1, 1, 2)))))
    assert plain["fix"] is None and "effect" not in plain


def test_json_lines():
    run = a_run(TEXT, REUSED, a_finding(span(9, 1, 9, 2)))
    lines = [json.loads(line) for line in render("json-lines", run).splitlines()]
    assert lines == json.loads(render("json", run))


def test_github_annotates_both_places():
    assert render("github", a_run(TEXT, REUSED)) == (
        "::warning file=a.py,line=3,endLine=3,col=5,endColumn=8,title=olympus-lint (OLY104)"
        "::a.py:3:5: OLY104 Wrong.\n"
        "::notice file=a.py,line=1,endLine=1,col=5,endColumn=8,title=olympus-lint (OLY104)"
        "::a.py:1:5: OLY104 first consumed here (see a.py:3:5)\n"
    )


@pytest.mark.parametrize(("level", "word"), list(zip(Confidence, ["notice", "warning", "error"], strict=True)))
def test_github_severities(level, word):
    run = a_run(TEXT, a_finding(span(1, 1, 1, 2), confidence=level))
    assert render("github", run).startswith(f"::{word} file=")


def test_github_escapes():
    odd = Finding("OLY104", "key-reuse", "100%\r\na: b, c", "a,b:c%.py", span(1, 1, 2, 1))
    assert render("github", RunResult([FileResult("a,b:c%.py", [odd], text="x\n")])) == (
        "::error file=a%2Cb%3Ac%25.py,line=1,endLine=2,col=1,title=olympus-lint (OLY104)"
        "::a,b:c%25.py:1:1: OLY104 100%25%0D%0Aa: b, c\n"
    )


def test_gitlab(monkeypatch, tmp_path):
    moved = RunResult([FileResult("a.py", [replace(REUSED, span=span(4, 5, 4, 8))], text=f"z = 0\n{TEXT}")])
    (issue,), (again,) = (json.loads(render("gitlab", run)) for run in (a_run(TEXT, REUSED), moved))
    assert issue == {
        "type": "issue",
        "check_name": "OLY104",
        "description": "OLY104 Wrong.",
        "categories": ["Bug Risk"],
        "severity": "minor",
        "fingerprint": again["fingerprint"],
        "location": {
            "path": "a.py",
            "positions": {"begin": {"line": 3, "column": 5}, "end": {"line": 3, "column": 8}},
        },
    }
    monkeypatch.chdir(tmp_path)
    below = replace(REUSED, filename=str(tmp_path / "src" / "a.py"), cell=2)
    (issue,) = json.loads(render("gitlab", RunResult([FileResult(below.filename, [below])])))
    assert issue["location"]["path"] == "src/a.py" and issue["description"].endswith("cell 2:3:5: OLY104 Wrong.")


def test_gitlab_tells_equal_findings_apart():
    run = a_run("f(k)\nf(k)\n", a_finding(span(1, 3, 1, 4)), a_finding(span(2, 3, 2, 4)))
    assert len({issue["fingerprint"] for issue in json.loads(render("gitlab", run))}) == 2


COMMAND = re.compile(r"##vso\[task\.logissue ((?:\w+=[^;\]\r\n]*;)+)\](.*)")
UNESCAPES = {"%3B": ";", "%5D": "]", "%0A": "\n", "%0D": "\r", "%AZP25": "%"}


def read_azure(line: str) -> tuple[dict[str, str], str]:
    """Read a logging command as the agent of Azure Pipelines does."""

    def plain(text: str) -> str:
        return re.sub("|".join(UNESCAPES), lambda match: UNESCAPES[match[0]], text)

    found = COMMAND.fullmatch(line)
    assert found
    fields = dict(part.partition("=")[::2] for part in found[1].split(";") if part)
    return {name: plain(value) for name, value in fields.items()}, plain(found[2])


@pytest.mark.parametrize(("level", "word"), list(zip(Confidence, ["warning", "warning", "error"], strict=True)))
def test_azure(level, word):
    odd = Finding("OLY104", "key-reuse", "100%\r\n]a: b; ##vso[x]", "a];b\n%3B.py", span(1, 2, 2, 1), level)
    (line,) = render("azure", RunResult([FileResult(odd.filename, [odd], text="x\n")])).splitlines()
    fields, message = read_azure(line)
    place = {"sourcepath": odd.filename, "linenumber": "1", "columnnumber": "2"}
    assert fields == {"type": word, "code": "OLY104", **place}
    assert message == odd.message


def validate_sarif(run: RunResult) -> dict:
    log = json.loads(render("sarif", run))
    jsonschema.Draft4Validator(SCHEMA, format_checker=jsonschema.FormatChecker()).validate(log)
    return log["runs"][0]


def test_the_schema_refuses_what_is_wrong():
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft4Validator(SCHEMA).validate({"version": "2.1.0", "runs": [{"results": []}]})


VERDICT = Verdict("confirmed", "witness", "so it\x1b is", ("key: k", "  at \x1b"))
JUDGED = replace(REUSED, verdict=VERDICT)
UNREACHED = replace(REUSED, verdict=Verdict("not reached", "function"))
FULL = """\
a.py:3:5: OLY104 Wrong.
  |
1 | x = one
  |     --- first consumed here
2 |
3 | y = two
  |     ^^^
  |
verdict: confirmed (witness): so it␛ is
    key: k
      at ␛
help: Split it (`--fix --unsafe-fixes` tries it)

"""


def test_verdicts_in_the_formats_for_people():
    assert render("concise", a_run(TEXT, JUDGED)) == "a.py:3:5: OLY104 Wrong. [confirmed]\n"
    assert render("grouped", a_run(TEXT, UNREACHED)) == "a.py:\n  3:5 OLY104 Wrong. [not reached]\n\n"
    assert render("full", a_run(TEXT, JUDGED)) == FULL
    assert "\nverdict: not reached (function)\nhelp: " in render("full", a_run(TEXT, UNREACHED))
    assert "::a.py:3:5: OLY104 Wrong. [confirmed]\n" in render("github", a_run(TEXT, JUDGED))


def test_verdicts_in_the_formats_for_programs():
    expected = {
        "status": "confirmed",
        "tier": "witness",
        "evidence": ["key: k", "  at \x1b"],
        "reason": "so it\x1b is",
    }
    for name in ("json", "json-lines"):
        (found,) = json.loads(f"[{render(name, a_run(TEXT, JUDGED)).strip().removeprefix('[').removesuffix(']')}]")
        assert found["verdict"] == expected
    (result,) = validate_sarif(a_run(TEXT, JUDGED))["results"]
    assert result["properties"] == {"confidence": "likely", "verdict": expected}
    assert "verdict" not in validate_sarif(a_run(TEXT, REUSED))["results"][0]["properties"]


def test_every_format_shows_verdicts():
    changed = [
        name for name in format_names() if render(name, a_run(TEXT, JUDGED)) != render(name, a_run(TEXT, REUSED))
    ]
    assert changed == format_names()


def test_sarif_notes_are_no_failure():
    half = FileResult("a.py", notes=[Problem("a.py", "is checked in part.")])
    (invocation,) = validate_sarif(RunResult([half]))["invocations"]
    assert invocation["executionSuccessful"] is True
    (said,) = invocation["toolExecutionNotifications"]
    assert (said["level"], said["message"]["text"]) == ("note", "a.py: is checked in part.")


def test_sarif_of_real_findings():
    text = RAW + REUSE.partition("\n")[2] + "z = 1  # noqa: OLY104\n"
    result = lint_text("sub dir/é#1.py", text, Settings(extend_select=["OLY201"]))
    made = validate_sarif(RunResult([result], [Problem("b.py", "cannot be read.")]))
    assert [found["ruleId"] for found in made["results"]] == ["OLY201", "OLY104", "OLY901"]
    rules = made["tool"]["driver"]["rules"]
    assert all(rules[found["ruleIndex"]]["id"] == found["ruleId"] for found in made["results"])
    helped = {rule["id"]: rule["help"] for rule in rules if "help" in rule}
    assert helped.keys() == {"OLY201", "OLY104", "OLY901"}
    assert helped["OLY104"]["markdown"].startswith("# key-reuse (OLY104)\n")
    assert helped["OLY104"]["text"] == helped["OLY104"]["markdown"] and "](../" not in helped["OLY104"]["text"]
    reuse = made["results"][1]
    place = reuse["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "sub%20dir/%C3%A9%231.py"
    assert place["region"] == {"startLine": 8, "startColumn": 9, "endLine": 8, "endColumn": 32}
    assert reuse["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 7
    assert reuse["fixes"][0]["artifactChanges"][0]["replacements"]
    assert reuse["level"] == "error"
    assert not made["invocations"][0]["executionSuccessful"]
    assert made["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"] == "b.py: cannot be read."


def test_sarif_of_no_findings():
    made = validate_sarif(RunResult([]))
    assert made["results"] == [] and made["invocations"][0]["executionSuccessful"]


def test_sarif_of_an_absolute_path_and_a_place_behind_the_end():
    odd = Finding("OLY902", "invalid-syntax", "No.", "/p/a b.py", span(9, 1, 9, 1))
    made = validate_sarif(RunResult([FileResult("/p/a b.py", [odd])]))
    uri = made["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "file:///p/a%20b.py"


def test_fingerprints_outlive_moved_lines_and_tell_equal_lines_apart():
    prints = lambda text, *rows: [
        result["partialFingerprints"]["olympusLint/v1"]
        for result in validate_sarif(a_run(text, *(a_finding(span(row, 1, row, 2)) for row in rows)))["results"]
    ]
    before = prints("x = 1\ny\nx = 1\n", 1, 3)
    assert before[0] != before[1]
    assert prints("# moved\n  x = 1\nx = 1\n", 2, 3) == before
    assert prints("x = 2\n", 1)[0] not in before


SAFE = Fix(Applicability.SAFE, "Rename", ())


@pytest.mark.parametrize(
    ("fixes", "fixed", "errors", "unsafe", "said"),
    [
        ([], 0, 0, False, "All checks passed!\n"),
        ([], 0, 1, False, "Nothing found (1 error).\n"),
        ([None], 0, 0, False, "Found 1 finding.\n"),
        ([None, None], 0, 2, False, "Found 2 findings (2 errors).\n"),
        ([SAFE, None], 0, 0, False, "Found 2 findings.\n[*] 1 fixable with the `--fix` option.\n"),
        (
            [SAFE, FIX, FIX],
            0,
            0,
            False,
            "Found 3 findings.\n[*] 1 fixable with the `--fix` option (2 more with `--unsafe-fixes`).\n",
        ),
        ([SAFE, FIX], 0, 0, True, "Found 2 findings.\n[*] 2 fixable with the `--fix` option.\n"),
        ([FIX], 0, 0, False, "Found 1 finding.\nNo safe fixes (1 available with `--unsafe-fixes`).\n"),
        ([None], 2, 0, False, "Found 3 findings (2 fixed, 1 remaining).\n"),
        ([], 2, 0, False, "Found 2 findings (2 fixed, 0 remaining).\n"),
    ],
)
def test_summary(fixes, fixed, errors, unsafe, said):
    findings = [a_finding(span(1, 1, 1, 2), fix=fix) for fix in fixes]
    file = FileResult("a.py", findings, fixes=Counter({"OLY104": fixed} if fixed else {}))
    assert summary(RunResult([file], [Problem("", "No.")] * errors, unsafe)) == said


def test_junit_has_a_failed_test_for_each_finding():
    worse = a_finding(span(1, 1, 1, 2), "A \x1b[31mred\x00 <word> & \udcff.")
    report = JUnitXml.fromstring(render("junit", a_run(TEXT, REUSED, worse)).encode())
    (suite,) = report
    assert (suite.name, suite.tests, suite.failures) == ("a.py", 2, 2)
    second, first = (case.result[0] for case in suite)  # in the order of places
    assert first.type == "OLY104" and "a.py:1:5: first consumed here" in first.text
    assert second.message == r"A \x1b[31mred\x00 <word> & \udcff."


def test_rdjson_counts_columns_in_bytes():
    found = a_finding(span(1, 3, 1, 4), related=REUSED.related, confidence=Confidence.LIKELY, fix=FIX)
    told = json.loads(render("rdjson", a_run("é🎲k\n", found)))
    (diagnostic,) = told["diagnostics"]
    assert told["source"] == {"name": "olympus-lint"} and diagnostic["severity"] == "WARNING"
    assert diagnostic["location"] == {
        "path": "a.py",
        "range": {"start": {"line": 1, "column": 7}, "end": {"line": 1, "column": 8}},
    }
    assert diagnostic["relatedLocations"][0]["message"] == "first consumed here"
    assert diagnostic["code"] == {"value": "OLY104", "url": rule_url("key-reuse")}
    assert [each["text"] for each in diagnostic["suggestions"]] == ["k = 1\n", "k"]
    (inside,) = json.loads(render("rdjson", a_run("", replace(found, cell=2))))["diagnostics"]
    assert inside["location"] == {"path": "a.py"} and "suggestions" not in inside
