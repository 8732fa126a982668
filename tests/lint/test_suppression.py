"""Suppression comments: what they hide, what is said of idle and broken ones, and ``--add-noqa``."""

from __future__ import annotations

import pytest
from programs import REUSE

from olympus_lint.project.settings import Settings
from olympus_lint.run.engine import lint_text
from olympus_lint.run.fixing import fix_text
from olympus_lint.suppression.directives import CommentRows, read_directives
from olympus_lint.suppression.noqa import add_noqa

HEAD = "import jax\n\n\ndef f(key):\n    x = jax.random.normal(key)\n"


def reports(text: str, **settings: object) -> list[str]:
    result = lint_text("a.py", text, Settings(**settings))  # type: ignore[arg-type]
    assert result.errors == []
    return [f"{finding.span.start.row}:{finding.code}" for finding in result.findings]


def second_use(comment: str) -> str:
    return f"{HEAD}    return x + jax.random.uniform(key)  {comment}\n"


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa",
        "# NOQA",
        "#noqa",
        "# noqa because both are meant to be equal",
        "# noqa: OLY104",
        "# noqa:OLY104",
        "# noqa : oly104",
        "# noqa: E501, OLY104",
        "# noqa: E501,OLY104 both equal",
        "# noqa: E501 OLY104",
        "# type: ignore # noqa: OLY104",
        "# noqa: E501 # olympus: ignore[OLY104]",
        "# olympus: ignore[OLY104]",
        "# olympus:ignore[key-reuse] both equal",
        "# Olympus: ignore[ OLY104 , OLY104 ]",
    ],
)
def test_what_hides(comment):
    assert reports(second_use(comment)) == []


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa: E501",
        "# noqa: because",
        "# noqa-file",
        "# nonoqa",
        "# no noqa: OLY104 said in passing",
        "# olympus: a mountain in Greece",
        "# about OLY104",
    ],
)
def test_what_is_no_suppression_of_ours(comment):
    assert reports(second_use(comment)) == ["6:OLY104"]


@pytest.mark.parametrize(
    ("comment", "part"),
    [
        ("# noqa: OLY140", "there is no rule `OLY140`; did you mean `OLY104`?"),
        ("# noqa OLY104", "write `# noqa: OLY104`"),
        ("# noqa: key-reuse", "write `# noqa: OLY104`"),
        ("# noqa (OLY104)", "write `# noqa: OLY104`"),
        ("# olympus: ignore", "name the rules in brackets"),
        ("# olympus: ignore OLY104", "name the rules in brackets"),
        ("# olympus: ignore[]", "name the rules in brackets"),
        ("# olympus: ignore[OLY104", "name the rules in brackets"),
        ("# olympus: ignore[OLY140]", "there is no rule `OLY140`; did you mean `OLY104`?"),
        ("# olympus: ignore[key-resue]", "there is no rule `key-resue`; did you mean `key-reuse`?"),
        ("# olympus: ingore[OLY104]", "`ingore` is not a suppression; did you mean `ignore`?"),
        ("# olympus: ignore-file[OLY104]", "counts only before the first statement"),
        ("# olympus: ignore_file[OLY104]", "did you mean `ignore-file`?"),
    ],
)
def test_broken_suppressions_are_reported_and_hide_nothing(comment, part):
    result = lint_text("a.py", second_use(comment), Settings())
    assert [finding.code for finding in result.findings] == ["OLY104", "OLY901"]
    assert part in result.findings[1].message
    assert result.findings[1].fix is None
    line = second_use(comment).splitlines()[5]
    assert result.findings[1].span.start.column == line.index("#") + 1


def test_good_names_count_beside_broken_ones():
    assert reports(second_use("# olympus: ignore[OLY104, OLY140]")) == ["6:OLY901"]


@pytest.mark.parametrize(
    ("line", "fixed"),
    [
        ("y = 1  # noqa: OLY104", "y = 1"),
        ("y = 1  # noqa: OLY101, OLY104", "y = 1"),
        ("y = 1  # noqa: E501, OLY104", "y = 1  # noqa: E501"),
        ("y = 1  # noqa: OLY104, E501", "y = 1  # noqa: E501"),
        ("y = 1  # noqa: E501,OLY104,W291", "y = 1  # noqa: E501,W291"),
        ("y = 1  # noqa: E501 OLY104 W291", "y = 1  # noqa: E501 W291"),
        ("y = 1  # noqa: OLY104 equal rows", "y = 1  # equal rows"),
        ("y = 1  # noqa: OLY104 # type: ignore", "y = 1  # type: ignore"),
        ("y = 1  # type: ignore # noqa: OLY104", "y = 1  # type: ignore"),
        ("y = 1  # olympus: ignore[OLY104] equal rows", "y = 1"),
        ("y = 1  # olympus: ignore[OLY104, OLY101] equal rows", "y = 1"),
        ("é = 'é'  # olympus: ignore[OLY104] # more", "é = 'é'  # more"),
        ("\ty = 1", "\ty = 1"),
    ],
)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_idle_suppressions_are_removed(line, fixed, ending):
    text = f"import jax.random\nif 1:\n {line}\n".replace("\n \t", "\n\t").replace("\n", ending)
    wanted = f"import jax.random\nif 1:\n {fixed}\n".replace("\n \t", "\n\t").replace("\n", ending)
    assert fix_text("a.py", text, Settings()).text == wanted


def test_a_line_with_nothing_else_goes_as_a_whole():
    text = "# olympus: ignore-file[OLY104] why\nimport jax.random\n    # noqa: OLY101\nx = 1"
    assert fix_text("a.py", text, Settings()).text == "import jax.random\nx = 1"
    assert fix_text("a.py", "x = 1\n# noqa: OLY101", Settings()).text == "x = 1\n"


@pytest.mark.parametrize("comment", ["# noqa", "# noqa: E501", "# noqa: OLY201", "# noqa: OLY901", "# noqa: OLY9"])
def test_suppressions_of_others_and_of_rules_that_are_off_are_not_idle(comment):
    findings = lint_text("a.py", f"import jax.random\nx = 1  {comment}\n", Settings()).findings
    assert [f for f in findings if "Nothing here" in f.message] == []


def test_a_finding_below_the_minimum_confidence_keeps_its_suppression():
    text = "import jax\n\n\ndef f():\n    return jax.random.normal(jax.random.key(0))  # noqa: OLY107\n"
    assert reports(text) == []
    assert reports(text, select=["OLY107", "OLY901"], ignore_noqa=True, min_confidence=1) == ["5:OLY107"]


def test_the_rule_can_be_off_and_comments_ignored():
    text = second_use("# noqa: OLY104, OLY101")
    assert reports(text) == ["6:OLY901"]
    assert reports(text, ignore=["OLY901"]) == []
    assert reports(text, ignore_noqa=True) == ["6:OLY104"]


def test_ignore_file():
    assert reports("# olympus: ignore-file[OLY104] why\n" + REUSE) == []
    assert reports('"""Doc."""\n\n# olympus: ignore-file[key-reuse]\n' + REUSE) == []
    assert reports("# olympus: ignore-file[OLY101]\n" + REUSE) == ["1:OLY901", "7:OLY104"]


def test_comments_in_strings_are_text():
    text = f"{HEAD}    return x + jax.random.uniform(key), '# noqa: OLY104'\n"
    assert reports(text) == ["6:OLY104"]


@pytest.mark.parametrize(
    "use",
    [
        "jax.random.uniform(  # noqa: OLY104\n        key,\n    )",
        "jax.random.uniform(\n        key,\n    )  # noqa: OLY104",
        '["""\n\n""", jax.random.uniform(key), """\n\n"""]  # noqa: OLY104',
        "jax.random.uniform(key) + \\\n        x \\\n        + x  # noqa: OLY104",
        '("""\n""", jax.random.uniform(key), """\n""") + \\\n   ()  # noqa: OLY104',
        "jax.random.uniform(key), f'''\n {x}'''  # noqa: OLY104",
    ],
)
def test_places_over_several_lines(use):
    assert reports(f"{HEAD}    y = {use}\n") == []
    moved = use.replace("  # noqa: OLY104", "")
    assert [report for report in reports(f"{HEAD}    y = {moved}\n") if "OLY104" in report]


def test_a_comment_inside_of_a_finding_does_not_count():
    text = f"{HEAD}    y = jax.random.uniform(\n        key,  # noqa: OLY104\n    )\n"
    assert reports(text) == ["6:OLY104", "7:OLY901"]


def test_comment_rows():
    text = 'a = """\n\n"""; b = 1 + \\\n  2\nc = (1,\n  2)\n\nd = \\\n\\\n3\n'
    rows = CommentRows(text)
    assert [rows.of(row) for row in range(1, 11)] == [4, 4, 4, 4, 5, 6, 7, 10, 10, 10]


def test_text_without_tokens_has_no_suppressions():
    assert read_directives("x = '''  # noqa\n") == []


@pytest.mark.parametrize(
    ("use", "written"),
    [
        ("jax.random.uniform(key)", "jax.random.uniform(key)  # noqa: OLY104"),
        ("jax.random.uniform(key)   ", "jax.random.uniform(key)  # noqa: OLY104"),
        ("jax.random.uniform(key)  # why", "jax.random.uniform(key)  # why  # noqa: OLY104"),
        ("jax.random.uniform(key)  # noqa: E501", "jax.random.uniform(key)  # noqa: E501, OLY104"),
        (
            "jax.random.uniform(key)  # noqa: E501 long # x",
            "jax.random.uniform(key)  # noqa: E501, OLY104 long # x",
        ),
        ("jax.random.uniform(\n  key)", "jax.random.uniform(  # noqa: OLY104\n  key)"),
        (
            '["""\n""", jax.random.uniform(key), """\n"""]',
            '["""\n""", jax.random.uniform(key), """\n"""]  # noqa: OLY104',
        ),
        ("jax.random.uniform(key) + \\\n  x", "jax.random.uniform(key) + \\\n  x  # noqa: OLY104"),
        ("jax.random.uniform(key) + x\\\n\\\n\n", "jax.random.uniform(key) + x\\\n\\\n  # noqa: OLY104\n"),
    ],
)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_add_noqa(use, written, ending):
    before, after = (f"{HEAD}    y = {each}\n".replace("\n", ending) for each in (use, written))
    assert add_noqa(before, lint_text("a.py", before, Settings()).findings) == after
    assert reports(after) == []


def test_add_noqa_joins_codes_of_a_line():
    text = f"{HEAD}    y = jax.random.uniform(key) + jax.random.PRNGKey(0)[0]\n"
    settings = Settings(select=["OLY1", "OLY201"])
    after = add_noqa(text, lint_text("a.py", text, settings).findings)
    assert after.endswith("  # noqa: OLY101, OLY104, OLY201\n")


ABOVE = "    # olympus: ignore[OLY104] both are to be equal\n"
USES = [
    f"{ABOVE}    y = jax.random.uniform(key)\n",
    f"{ABOVE}    # a word more\n\n    y = jax.random.uniform(key)\n",
    f"{ABOVE}    y = [\n        1,\n        jax.random.uniform(key),\n    ]\n",
    f"{ABOVE}    y = 1 + \\\n        jax.random.uniform(key)\n",
    f"{ABOVE}    if jax.random.uniform(key) > x:\n        pass\n",
    f"    y = [\n        1,\n    {ABOVE}        jax.random.uniform(key),\n    ]\n",
    f"{ABOVE}    @g(jax.random.uniform(key))\n    def h():\n        pass\n",
    f"{ABOVE}    @g\n    def h(y=jax.random.uniform(key)):\n        pass\n",
    "    # olympus: ignore[key-reuse]\n    y = jax.random.uniform(key)\n",
]
ELSEWHERE = [
    f"{ABOVE}    y = 1\n    z = jax.random.uniform(key)\n",
    f"{ABOVE}    if x:\n        z = jax.random.uniform(key)\n",
    f"    z = jax.random.uniform(key)\n{ABOVE}",
    f"    z = [\n    {ABOVE}        1,\n        jax.random.uniform(key),\n    ]\n",
    "    # noqa: OLY104\n    y = jax.random.uniform(key)\n",
]


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_comment_above_a_statement_hides_its_findings(use, ending):
    text = f"{HEAD}{use}".replace("\n", ending)
    assert reports(text) == []
    assert fix_text("a.py", text, Settings()).text == text
    assert any("OLY104" in found for found in reports(text, ignore_noqa=True))


@pytest.mark.parametrize("use", ELSEWHERE)
def test_a_comment_is_not_deleted_while_the_finding_stands(use):
    text = f"{HEAD}{use}"
    found = lint_text("a.py", text, Settings()).findings
    assert sorted(finding.code for finding in found) == ["OLY104", "OLY901"]
    (standing,) = (finding for finding in found if finding.code == "OLY104")
    (idle,) = (finding for finding in found if finding.code == "OLY901")
    assert idle.fix is None and f"For the finding on line {standing.span.start.row}, put" in idle.message
    assert fix_text("a.py", text, Settings()).text == text


def test_a_comment_above_that_hides_nothing_is_removed():
    text = f"import jax.random\n\n\ndef f():\n{ABOVE}    return 1\n"
    assert reports(text) == ["5:OLY901"]
    assert fix_text("a.py", text, Settings()).text == text.replace(ABOVE, "")


def test_a_comment_above_a_compound_statement_is_about_its_header():
    head = HEAD.replace("key)", "key, other)", 1)
    body = "        z = jax.random.normal(other) + jax.random.uniform(other)\n"
    text = f"{head}{ABOVE}    for y in jax.random.uniform(key):\n{body}"
    assert reports(text) == ["8:OLY104"]
