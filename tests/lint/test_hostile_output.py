"""Hostile file names and sources in each output format, read by the parser of that format: they stay text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
from command_line import command
from junitparser import JUnitXml

from olympus_lint.reporting.formats import format_names

NAMES = {
    "terminal": "a\x1b]0;owned\x07\x1b[31mred.py",
    "workflow command": "::error file=x::owned.py",
    "workflow command on a line of its own": "a\n::error file=x::owned.py",
    "azure command": "a]##vso[task.setvariable variable=x]owned.py",
    "carriage return": "a\r::set-env name=X::owned.py",
    "markup": "<img src=x onerror=alert(1)>\"'&.py",
    "right to left": "a\u202egnp.py",
    "not in UTF-8": "a\udcff\udc80.py",
    "quotes": "a\"'`$(touch owned).py",
}
SOURCE = """\
import jax

key = jax.random.key(0)
note = "</pre><script>alert(1)</script> \x1b[31m ::error::owned ##vso[task.complete] ]]>"; jax.random.normal(key)
jax.random.normal(key), "</code><img src=x>\x1b]0;owned\x07"
"""
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
RED = re.compile(r"\x1b\[[\d;]*m")


@pytest.fixture(params=NAMES.values(), ids=NAMES)
def hostile(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A project of one file, which has a finding."""
    (tmp_path / "project").mkdir()
    file = tmp_path / "project" / request.param
    file.write_text(SOURCE)
    return file


def report(file: Path, name: str, *words: str) -> str:
    done = command(file.parent, "--no-cache", "--select", "OLY104", "--output-format", name, *words)
    assert done.returncode == 1, done.stderr
    assert not CONTROL.search(done.stderr)
    return done.stdout


def strings(value: object) -> Iterator[str]:
    """Yield all strings in plain data."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from strings(each)


def test_every_format_is_tested() -> None:
    people, data = ["concise", "full", "grouped", "pylint"], ["gitlab", "json", "json-lines", "rdjson", "sarif"]
    assert sorted([*people, *data, "azure", "github", "html", "junit", "markdown"]) == format_names()


@pytest.mark.parametrize("name", ["concise", "full", "grouped", "pylint"])
@pytest.mark.parametrize("color", ["never", "always"])
def test_lines_for_people_control_no_terminal(hostile: Path, name: str, color: str) -> None:
    shown = report(hostile, name, "--color", color)
    assert not CONTROL.search(RED.sub("", shown) if color == "always" else shown)
    plain = RED.sub("", shown)
    assert not any(line.startswith(("::", "##")) for line in plain.splitlines())


@pytest.mark.parametrize("name", ["gitlab", "json", "rdjson", "sarif"])
def test_json_holds_one_finding(hostile: Path, name: str) -> None:
    told = json.loads(report(hostile, name))
    found = {
        "gitlab": lambda: told,
        "json": lambda: told,
        "rdjson": lambda: told["diagnostics"],
        "sarif": lambda: told["runs"][0]["results"],
    }[name]()
    assert len(found) == 1
    names = {unquote(each, errors="surrogateescape") for each in strings(found)}
    assert any(hostile.name in each for each in names)


def test_each_line_of_json_is_one_finding(hostile: Path) -> None:
    (line,) = report(hostile, "json-lines").splitlines()
    assert Path(json.loads(line)["filename"]).name == hostile.name


def test_github_sees_two_commands(hostile: Path) -> None:
    lines = re.split(r"\r\n|\r|\n", report(hostile, "github").removesuffix("\n"))
    assert [line.split()[0] for line in lines] == ["::error", "::notice"]
    for line in lines:
        fields, _, _ = line.partition(" ")[2].partition("::")
        told = dict(field.split("=", 1) for field in fields.split(","))
        name = told["file"].replace("%3A", ":").replace("%2C", ",").replace("%0A", "\n").replace("%0D", "\r")
        assert name.replace("%25", "%") == hostile.name.encode(errors="backslashreplace").decode()


def test_azure_sees_two_commands(hostile: Path) -> None:
    lines = re.split(r"\r\n|\r|\n", report(hostile, "azure").removesuffix("\n"))
    assert len(lines) in (1, 2)
    for line in lines:  # as the agent reads it: from the first sign of a command to the bracket after it
        assert line.startswith("##vso[task.logissue ")
        told = dict(
            field.split("=", 1) for field in line[len("##vso[task.logissue ") : line.index("]")].split(";") if field
        )
        name = told["sourcepath"]
        for sign, escape in {";": "%3B", "\r": "%0D", "\n": "%0A", "]": "%5D", "%": "%AZP25"}.items():
            name = name.replace(escape, sign)
        assert name == hostile.name.encode(errors="backslashreplace").decode()


def test_junit_has_one_case(hostile: Path) -> None:
    report_ = JUnitXml.fromstring(report(hostile, "junit").encode())
    assert [len(list(suite)) for suite in report_] == [1]


class Tags(HTMLParser):
    """Collects the elements of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.events: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(tag)
        self.events += [name for name, _ in attrs if name.startswith("on") or name in ("src", "href")]


def test_a_page_has_no_element_of_theirs(hostile: Path) -> None:
    tags, page = Tags(), report(hostile, "html")
    tags.feed(page)
    assert tags.found.count("script") == 1 and "img" not in tags.found and tags.events == []
    assert tags.found.count("article") == 1 and not CONTROL.search(page)


def test_a_job_summary_has_no_markup_of_theirs(hostile: Path) -> None:
    hostile.write_text(SOURCE.replace("key(0)", "key(int('`]--> <img> x[\"y\"]` ```'[:0] or 0))"))
    page = report(hostile, "markdown")
    assert not CONTROL.search(page)
    text, fence, rest = page.partition("\n```mermaid\n")
    picture, end, after = rest.partition("\n```\n")
    assert fence and end and "```" not in text + picture + after
    signs = re.sub(r"&#\d+;", "", text)
    tags = Tags()
    tags.feed(signs)
    assert set(tags.found) <= {"details", "summary", "code"} and not re.search(r"[`*\[\]@$]", signs)
    nodes = [line for line in picture.splitlines() if ":::" in line]
    assert len(nodes) == 3  # the key and its two uses
    for line in nodes:
        assert re.fullmatch(r'    n\d+(\(\[|\[|\{\{)"[^"<>`\\]*(<br/>✗ reuse)?"(\]\)|\]|\}\}):::\w+', line)


def test_the_migration_report_has_no_element_of_theirs(hostile: Path) -> None:
    hostile.write_text(SOURCE.replace("key(0)", "PRNGKey(0)"))
    done = command(hostile.parent, "--migrate", "--output-format", "html")
    tags = Tags()
    tags.feed(done.stdout)
    assert not {"script", "img"} & set(tags.found) and tags.events == []
