"""One key in one function is one finding of OLY104, and the further places are related ones."""

from __future__ import annotations

import json
import re
import textwrap

import pytest

from olympus_lint.analysis.cache import read_finding, write_finding
from olympus_lint.cli import main
from olympus_lint.project.settings import Settings
from olympus_lint.run.engine import lint_text
from olympus_lint.run.fixing import fix_text
from olympus_lint.suppression.noqa import add_noqa
from olympus_lint.tracing.judging import question
from olympus_rules.finding import Confidence, Finding

IMPORTS = "import jax\nfrom labkit import train\n\n\n"
HELPER = """
    def helper(key, other):
        a = jax.random.normal(key)
        b = jax.random.normal(key)
        c = jax.random.normal(other) + jax.random.normal(other)
        return a, b, c, jax.random.bits(key), jax.random.split(key)
"""


def linted(body: str, **settings: object) -> list[Finding]:
    text = IMPORTS + textwrap.dedent(body).lstrip("\n")
    return lint_text("a.py", text, Settings(**settings)).findings  # type: ignore[arg-type]


def shown(finding: Finding) -> tuple[int, list[tuple[int, str]]]:
    """Return the row of a finding in the body, and the rows and messages of the places that go with it."""
    rows = [(other.span.start.row - 4, other.message.partition(", by")[0]) for other in finding.related]
    return finding.span.start.row - 4, rows


def test_further_places_are_related_and_other_keys_are_told_apart():
    first, other = linted(HELPER)
    again = "consumed again here"
    assert shown(first) == (3, [(2, "first consumed here"), (5, again), (5, again)])
    assert shown(other) == (4, [(4, "first consumed here")])
    bits, split = (each.further for each in first.related if each.further is not None)
    assert (shown(bits), shown(split)) == ((5, [(2, "first consumed here")]), (5, [(2, "first consumed here")]))
    assert "`jax.random.bits`" in bits.message and "`jax.random.split`" in split.message


def test_the_surest_place_is_flagged():
    (found,) = linted(
        """
        def helper(seed):
            key = jax.random.key(seed)
            train(key)
            a = jax.random.normal(key)
            return a, jax.random.normal(key), jax.random.uniform(key), train(key)
        """
    )
    assert found.confidence is Confidence.CERTAIN
    again = [(5, "consumed again here"), (5, "may be consumed again here")]
    assert shown(found) == (5, [(4, "first consumed here"), *again])
    (found,) = linted(
        """
        def helper(seed, fast):
            key = jax.random.key(seed)
            a = jax.random.normal(key)
            if fast:
                return train(key)
            return a, jax.random.normal(key)
        """
    )
    assert found.confidence is Confidence.CERTAIN
    assert shown(found) == (6, [(3, "first consumed here"), (5, "may be consumed again here")])


def test_what_is_less_sure_than_asked_for_is_not_told():
    body = """
        def helper(seed, fast):
            key = jax.random.key(seed)
            a = jax.random.normal(key)
            if fast:
                return train(key)
            return a, jax.random.normal(key)
    """
    (found,) = linted(body, min_confidence=Confidence.CERTAIN)
    assert shown(found) == (6, [(3, "first consumed here")])


def test_a_place_that_a_loop_repeats():
    """Without a first place, a further one is not taken for it."""
    (found,) = linted(
        """
        def helper(key, n):
            out = 0.0
            for _ in range(n):
                out += jax.random.normal(key)
            return out, jax.random.bits(key)
        """
    )
    assert shown(found) == (4, [(5, "consumed again here")])
    assert found.other is None and question(found).other is None


def test_turns_of_a_loop_and_callables_that_are_handed_over_make_no_more_of_it():
    found = linted(
        """
        def helper(draw, key, n):
            for _ in range(n):
                key, subkey = jax.random.split(key)
                a = draw(subkey) + jax.random.normal(subkey)
                b = jax.random.bits(subkey)
            return a, b

        def both(key):
            one, two = jax.random.split(key)
            return helper(jax.random.normal, one, 2), helper(jax.random.uniform, two, 3)
        """
    )
    assert len(found) == 1


@pytest.mark.parametrize("comment", ["# noqa: OLY104", "# noqa", "# olympus: ignore[OLY104] on purpose"])
def test_suppressions_cover_the_places_in_their_rows(comment: str):
    lines = textwrap.dedent(HELPER).lstrip("\n").splitlines()
    rest = (4, [(4, "first consumed here")])
    first, again = (2, "first consumed here"), (5, "consumed again here")

    def with_comments(*rows: int) -> list[tuple[int, list[tuple[int, str]]]]:
        commented = [f"{line}  {comment}" if row in rows else line for row, line in enumerate(lines, 1)]
        return [shown(each) for each in linted("\n".join(commented))]

    assert with_comments(3) == [rest, (5, [first, again])]
    assert with_comments(5) == [(3, [first]), rest]
    assert with_comments(3, 5) == [rest]


def test_a_suppressed_pair_covers_both_of_its_places():
    """The next call would consume the key at the first place again, which is less sure and no mistake of its own."""
    body = """
        class Sampler:
            def __init__(self, seed):
                self.key = jax.random.key(seed)

            def pair(self):
                first = jax.random.normal(self.key)
                second = jax.random.normal(self.key)  # noqa: OLY104
                return first, second{more}
    """
    assert linted(body.format(more="")) == []
    more = linted(body.format(more=", jax.random.bits(self.key)"))
    assert [shown(each) for each in more] == [(8, [(6, "first consumed here")])]


def test_a_fix_leaves_suppressed_uses_equal():
    second = "b = jax.random.normal(key)"
    other, left = linted(HELPER.replace(second, f"{second}  # noqa: OLY104"))
    assert (shown(left)[0], left.fix) == (5, None) and other.fix is not None


def test_add_noqa_covers_every_place():
    text = IMPORTS + textwrap.dedent(HELPER).lstrip("\n")
    covered = add_noqa(text, lint_text("a.py", text, Settings()).findings)
    assert [row - 4 for row, line in enumerate(covered.splitlines(), 1) if "noqa: OLY104" in line] == [3, 4, 5]
    assert lint_text("a.py", covered, Settings()).findings == []
    more = covered.replace("    return a", "    d = jax.random.gumbel(key)\n    return a")
    assert [shown(each)[0] for each in lint_text("a.py", more, Settings()).findings] == [5]


def test_fixes_come_to_an_end():
    """Each pass splits once more; after ten passes there has to be less to fix each time."""
    uses = "".join(f"    out.append(jax.random.normal(key, ({n},)))\n" for n in range(25))
    text = f"import jax\n\n\ndef helper(key):\n    out = []\n{uses}    return out\n"
    result = fix_text("a.py", text, Settings(), unsafe=True)
    made = sum(int(number) - 1 for number in re.findall(r"split\(key, (\d)\)", result.text))
    assert (result.findings, result.errors, made) == ([], [], 24)


def test_reports(tmp_path, capsys):
    path = tmp_path / "a.py"
    path.write_text(IMPORTS + textwrap.dedent(HELPER).lstrip("\n"))
    assert main([str(path), "--output-format", "json", "--no-cache"]) == 1
    related = json.loads(capsys.readouterr().out)[0]["related"]
    assert [each["message"] for each in related[1:]] == [
        "consumed again here, by `jax.random.bits`",
        "consumed again here, by `jax.random.split`",
    ]
    assert set(related[0]) == {"message", "filename", "location", "end_location"} | ({"cell"} & set(related[0]))
    assert main([str(path), "--output-format", "sarif", "--no-cache"]) == 1
    result = json.loads(capsys.readouterr().out)["runs"][0]["results"][0]
    assert len(result["relatedLocations"]) == 3
    assert main([str(path), "--output-format", "full", "--no-cache"]) == 1
    assert "consumed again here, by `jax.random.split`" in capsys.readouterr().out


def test_the_cache_keeps_them():
    for finding in linted(HELPER):
        kept = read_finding(write_finding(finding), "a.py")
        assert kept.related == finding.related and kept.at_each_place == finding.at_each_place
