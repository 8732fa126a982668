"""The harness of the rule pages can pass and can fail: a stand-in for the linter shows both."""

from __future__ import annotations

import pytest
from pages import Block, Expectation, fix_problems, lint_problems, parse, plain

from olympus_lint.files.problems import Problem
from olympus_lint.project.settings import Settings
from olympus_lint.reporting.results import FileResult
from olympus_rules.finding import Confidence, Finding, Position, Span

PAGE = """# key-reuse (OLY104)

A key is consumed twice.

Default: on. Fix: unsafe.

More about the rule.

## Example

```python
bad(key)  # error: OLY104 certain "twice"
good(key)
```

```python unsafe-fix
mended(key)
good(key)
```

```text
bad(key)
```

## Known limits
"""


def finding(row: int, code: str = "OLY104", message: str = "used twice") -> Finding:
    """Return a finding in a row."""
    return Finding(code, "key-reuse", message, "example.py", Span(Position(row, 1), Position(row, 4)))


def flags_bad(filename: str, text: str, settings: Settings) -> FileResult:
    """Flag each row with the word ``bad``."""
    rows = enumerate(text.splitlines(), start=1)
    return FileResult(filename, [finding(number) for number, row in rows if "bad" in row])


def mends_bad(filename: str, text: str, settings: Settings, *, unsafe: bool) -> FileResult:
    """Replace ``bad``, if unsafe fixes are asked for."""
    return FileResult(filename, text=text.replace("bad", "mended") if unsafe else text)


def block(source: str, info: str = "python") -> Block:
    """Return the block of a page with no other block."""
    return parse("key-reuse", f"# key-reuse (OLY104)\n\n## Example\n\n```{info}\n{source}```\n").blocks[0]


def test_a_page_is_read() -> None:
    page = parse("key-reuse", PAGE)
    assert (page.title, page.rule) == ("key-reuse (OLY104)", "key-reuse")
    assert (page.summary, page.status) == ("A key is consumed twice.", "Default: on. Fix: unsafe.")
    assert [(section.heading, section.row) for section in page.sections] == [("Example", 9), ("Known limits", 25)]
    assert page.rows == 25
    example, fix = page.blocks
    assert example.source == "bad(key)\ngood(key)\n"
    assert example.expectations == (Expectation(1, "OLY104", "twice", "certain"),)
    assert (example.row, example.code, example.before, example.is_fix) == (11, "OLY104", None, False)
    assert fix.before is example
    assert (fix.is_fix, fix.name) == (True, "key-reuse-example-16")


def test_a_page_that_agrees_passes() -> None:
    for each in parse("key-reuse", PAGE).blocks:
        assert lint_problems(each, flags_bad) == []
    assert fix_problems(parse("key-reuse", PAGE).blocks[1], mends_bad) == []


def test_several_marks_and_other_comments_in_one_row() -> None:
    text, marks = plain('a = 1  # noqa: OLY104  # error: OLY104 likely # error: OLY106 "`a`"\nb = 2  # plain\n')
    assert text == "a = 1  # noqa: OLY104\nb = 2  # plain\n"
    assert marks == (Expectation(1, "OLY104", confidence="likely"), Expectation(1, "OLY106", "`a`"))


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        pytest.param("bad(key)\n", "row 1: unexpected OLY104 certain: used twice", id="not asked for"),
        pytest.param("bad(key)  # error: OLY104 likely\n", "row 1: no OLY104 likely", id="another confidence"),
        pytest.param("good(key)  # error: OLY104\n", "row 1: no OLY104", id="missing"),
        pytest.param("\nbad(key)  # error: OLY101\n", "row 2: no OLY101", id="another code"),
        pytest.param(
            'bad(key)  # error: OLY104 "thrice"\n',
            'row 1: no OLY104 with "thrice" in its message',
            id="another message",
        ),
        pytest.param("good(key)  # error: OLY104\nbad(key)\n", "row 1: no OLY104", id="another row"),
        pytest.param("bad(key)  # error: OLY104 # error: OLY104\n", "row 1: no OLY104", id="fewer than asked for"),
    ],
)
def test_a_block_that_disagrees_fails(source: str, problem: str) -> None:
    assert problem in lint_problems(block(source), flags_bad)


def test_more_findings_than_marks_fail() -> None:
    def flags_twice(filename: str, text: str, settings: Settings) -> FileResult:
        return FileResult(filename, [finding(1), finding(1)])

    twice = lint_problems(block("bad(key)  # error: OLY104\n"), flags_twice)
    assert twice == ["row 1: unexpected OLY104 certain: used twice"]


def test_an_internal_error_fails() -> None:
    def breaks(filename: str, text: str, settings: Settings) -> FileResult:
        return FileResult(filename, errors=[Problem("", "broken")])

    assert lint_problems(block("good(key)\n"), breaks) == ["internal error: broken"]


def test_a_fix_that_differs_fails() -> None:
    fix = parse("key-reuse", PAGE.replace("mended(key)", "mended( key )")).blocks[1]
    assert len(fix_problems(fix, mends_bad)) == 1
    safe = parse("key-reuse", PAGE.replace("unsafe-fix", "fix")).blocks[1]
    assert len(fix_problems(safe, mends_bad)) == 1
    assert fix_problems(block("mended(key)\n", "python unsafe-fix"), mends_bad) != []


def test_settings_of_a_block() -> None:
    seen: list[Settings] = []

    def remembers(filename: str, text: str, settings: Settings) -> FileResult:
        seen.append(settings)
        return FileResult(filename)

    for info in ("python", "python possible"):
        lint_problems(block("good(key)\n", info), remembers)
    assert [settings.min_confidence for settings in seen] == [Confidence.LIKELY, Confidence.POSSIBLE]
    assert all("OLY104" in settings.extend_select for settings in seen)


@pytest.mark.parametrize(
    "comment",
    ["# error OLY104", "# error: 104", '# error: OLY104 "open', "#error: OLY104", "# error: OLY104 sure"],
)
def test_a_mark_with_a_slip_is_no_quiet_line(comment: str) -> None:
    with pytest.raises(ValueError, match="malformed error comment in row 1"):
        plain(f"bad(key)  {comment}\n")


def test_a_page_with_a_slip_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown words"):
        block("good(key)\n", "python posible")
    with pytest.raises(ValueError, match="title"):
        parse("key-reuse", "# key-reuse\n")
