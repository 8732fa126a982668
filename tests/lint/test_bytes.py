"""Whatever the line endings, encoding and layout: places are right and only the edits change."""

from __future__ import annotations

import codecs

from hypothesis import strategies as st
from searches import searched

from olympus_lint.project.settings import Settings
from olympus_lint.run.context import Context, Mode
from olympus_lint.run.engine import lint_text
from olympus_lint.run.one_file import check_bytes
from olympus_lint.suppression.noqa import add_noqa
from olympus_rules.syntax.text import decode, split_lines

LEGACY = Settings(select=["OLY201"], unsafe_fixes=True)
CALL = "jax.random.PRNGKey"
ENDINGS = ["\n", "\r\n", "\r"]
ENCODINGS = {"utf-8": "é日𝒜", "latin-1": "éß", "shift_jis": "日本", "cp1251": "жя"}
LINES = [
    "",
    "    ",
    "\t",
    "\x0c",
    "x = 1",
    "\x0cx = 1",
    "# {letters}",
    "s = '{letters}'",
    "s = '{letters}'; k = {call}(0)",
    "k = '{letters}', {call}(1), {call}(2)  # {letters}",
    "if x:\n\tk = {call}(0)\n\t# {letters}",
    "if x:\n    k = [\n  '{letters}',\n  {call}(3)]",
    "s = '''{letters}\n  # noqa: OLY201\n\x0c{letters}''', {call}(4)",
    "k = '{letters}' , \\\n  {call}(5)",
    "k = {call}(6)   ",
]


@st.composite
def sources(draw: st.DrawFn) -> tuple[bytes, str]:
    """A file with legacy constructors, and its encoding."""
    encoding = draw(st.sampled_from(list(ENCODINGS)))
    letters = st.text(ENCODINGS[encoding], max_size=3)
    body = draw(st.lists(st.sampled_from(LINES), max_size=8))
    text = f"# -*- coding: {encoding} -*-\nimport jax\nx = 0\n"
    text += "\n".join(line.replace("{call}", CALL).replace("{letters}", draw(letters)) for line in body)
    text += draw(st.sampled_from(["", "\n", "\n\n"]))
    endings = ENDINGS if encoding == "utf-8" else ENDINGS[:2]  # `tokenize` finds no coding line before a bare \r
    mixed = draw(st.booleans())
    ending = draw(st.sampled_from(endings))
    pieces = text.split("\n")
    ends = [draw(st.sampled_from(endings)) if mixed else ending for _ in pieces[1:]]
    text = pieces[0] + "".join(end + piece for end, piece in zip(ends, pieces[1:], strict=True))
    mark = codecs.BOM_UTF8 if encoding == "utf-8" and draw(st.booleans()) else b""
    return mark + text.encode(encoding), encoding


@searched(sources(), few=20, many=80)
def test_places_point_at_what_is_flagged(source):
    data, _ = source
    lines = split_lines(decode(data))
    result = lint_text("a.py", data, LEGACY)
    assert len(result.findings) == decode(data).count(CALL)
    for finding in result.findings:
        start, end = finding.span.start, finding.span.end
        assert start.row == end.row
        assert lines[start.row - 1][start.column - 1 : end.column - 1] == CALL


@searched(sources(), few=20, many=80)
def test_a_fix_changes_its_edits_only(source):
    data, _ = source
    result, new = check_bytes("a.py", data, LEGACY, Context(Mode.FIX))
    assert result.errors == [] and result.findings == []
    assert new == data.replace(CALL.encode(), b"jax.random.key")
    assert result.fixes.total() == data.count(CALL.encode())
    assert check_bytes("a.py", new, LEGACY, Context(Mode.FIX))[1] == new


@searched(sources(), few=20, many=80)
def test_added_suppressions_hide_everything_and_add_nothing_else(source):
    data, _ = source
    text = decode(data)
    found = lint_text("a.py", data, LEGACY).findings
    new = add_noqa(text, found)
    assert lint_text("a.py", new, LEGACY).findings == []
    assert [line.rstrip() for line in split_lines(new.replace("  # noqa: OLY201", ""))] == [
        line.rstrip() for line in split_lines(text.replace("  # noqa: OLY201", ""))
    ]
    assert add_noqa(new, lint_text("a.py", new, LEGACY).findings) == new
