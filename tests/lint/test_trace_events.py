"""`--trace-events`: what a recorded run says of findings, what it adds to them, and files that are no events."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, get_args

import pytest
from conftest import Outcome
from markdown_it import MarkdownIt

from olympus.verdicts import Status
from olympus_lint.commandline.options import parse
from olympus_lint.project.settings import Settings
from olympus_lint.reporting.results import FileResult
from olympus_lint.tracing.paths import depends_on_path
from olympus_lint.tracing.recorded import judge_recorded
from olympus_rules.finding import Finding, Position, Related, Span

SOURCE = """\
from jax import random

def f(key, x):
    a = random.normal(key)
    b = random.uniform(key)
    return a + b

def g(key, flag):
    return random.normal(key) if flag else random.bits(key)

def main(key):
    for _ in range(2):
        f(key, 1)
        g(key, True)
"""
# What is called in which row, as far as the events below speak of it.
PLACES = {
    "normal": (4, "random.normal(key)"),
    "uniform": (5, "random.uniform(key)"),
    "g": (14, "g(key, True)"),
    "f": (13, "f(key, 1)"),
    "normal in g": (9, "random.normal(key)"),
    "bits in g": (9, "random.bits(key)"),
}


def span_of(name: str) -> tuple[int, int, int, int]:
    row, text = PLACES[name]
    column = SOURCE.splitlines()[row - 1].index(text) + 1
    return row, column, row, column + len(text)


class Events:
    """A file of events, row by row."""

    def __init__(self, path: Path, source: str = SOURCE) -> None:
        self.rows: list[Any] = [
            {"olympus": "events", "format": 1, "version": "0", "command": ["pytest", "tests"]},
            {"process": 1, "olympus": "0", "jax": "0", "python": "3"},
            {"file": 0, "path": str(path), "sha256": hashlib.sha256(source.encode()).hexdigest()},
        ]
        self.numbers: dict[Any, int] = {}

    def row(self, **row: Any) -> None:
        self.rows.append(row)

    def span(self, name: str) -> int:
        if name not in self.numbers:
            self.numbers[name] = len(self.numbers) + 1
            self.row(span=self.numbers[name], **{"is": [0, *span_of(name), "f"]})
        return self.numbers[name]

    def site(self, *chain: str, kind: str = "draw", **details: Any) -> int:
        if chain not in self.numbers:
            spans = [self.span(name) for name in chain]
            self.numbers[chain] = len(self.numbers) + 1
            self.row(site=self.numbers[chain], **{"is": [kind, chain[0].split()[0], *spans]}, **details)
        return self.numbers[chain]

    def pair(self, first: tuple[str, ...], second: tuple[str, ...], kind: str = "reuse", **details: Any) -> None:
        self.row(pair=[self.site(*first), self.site(*second)], kind=kind, key="key(0)", **details)

    def together(self, *names: str) -> None:
        self.row(together=[self.span(name) for name in names])

    def text(self) -> str:
        rows = [*self.rows, {"finished": True}, {"processes": 1}]
        return "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)


@pytest.fixture
def events(project: Path) -> Events:
    (project / "a.py").write_text(SOURCE)
    return Events((project / "a.py").resolve())


def finding(code: str, place: str, other: str | None = None) -> Finding:
    def span(name: str) -> Span:
        row, column, end_row, end_column = span_of(name)
        return Span(Position(row, column), Position(end_row, end_column))

    related = (Related("first consumed here", "a.py", span(other)),) if other is not None else ()
    return Finding(code, "a-rule", "a message", "a.py", span(place), related=related)


def verdict(events: Events, given: Finding) -> tuple[str, str | None]:
    Path("events.jsonl").write_text(events.text())
    file = FileResult("a.py", [given], text=SOURCE)
    done = judge_recorded("events.jsonl", [file], {"a.py": Settings(select=["OLY901"])})
    assert (done.problems, done.notes) == ([], [])
    found = next(each for each in file.findings if each == given).verdict
    assert found is not None and found.tier == "recorded"
    return found.status, found.reason


# Verdicts.

REUSE = finding("OLY104", "uniform", "normal")


def test_a_reuse_that_happened_is_confirmed_with_both_chains_and_the_words(events: Events, run: Callable[..., Outcome]):
    events.pair(("normal", "f"), ("uniform", "f"), words=[0, 7], device="cpu:0")
    Path("events.jsonl").write_text(events.text())
    outcome = run("--no-cache", "--trace-events", "events.jsonl", "--output-format", "json", "a.py")
    (found,) = (each for each in json.loads(outcome.out) if each["location"]["row"] == 5)
    path = Path("a.py").resolve()
    assert found["verdict"] == {
        "status": "confirmed",
        "tier": "recorded",
        "reason": None,
        "evidence": [
            "key: key(0)",
            "normal, words [0, 7] on cpu:0",
            f"  {path}:4:9-4:27 in f",
            f"  {path}:13:9-13:18 in f",
            "uniform, words [0, 7] on cpu:0",
            f"  {path}:5:9-5:28 in f",
            f"  {path}:13:9-13:18 in f",
        ],
    }


def test_two_keys_in_one_call_refute_a_reuse(events: Events):
    events.site("normal", "f"), events.site("uniform", "f")
    events.together("normal", "uniform")
    assert verdict(events, REUSE) == ("refuted", "one call reached both places, and the keys were different")


def test_what_is_not_enough_to_refute(events: Events):
    sites = events.site("normal", "f"), events.site("uniform", "f")
    assert verdict(events, REUSE) == ("inconclusive", "no call of the function reached both places")
    events.together("normal", "uniform")
    assert verdict(events, REUSE)[0] == "refuted"
    events.row(unknown=sites[1])
    said = "the keys that were consumed there are unknown"
    assert verdict(events, REUSE) == ("inconclusive", f"{said}; `olympus record --probe` may show them")
    events.rows[1]["probe"] = True
    assert verdict(events, REUSE) == ("inconclusive", said)


PATHS = {
    "assigned in an arm": ("if flag:\n    b = split(a)[0]\nelse:\n    b = a\nnormal(a)\nnormal(b)", True),
    "chosen in an expression": ("normal(a)\nnormal(a if flag else b)", True),
    "chosen on the way": ("b = flag and c or a\nnormal(a)\nnormal(b)", True),
    "changed between": ("normal(a)\nwhile flag():\n    a, _ = split(a)\nnormal(a)", True),
    "changed by a method": ("normal(s.key)\nif flag:\n    s.next()\nnormal(s.key)", True),
    "after an error": ("try:\n    a = load()\nexcept OSError:\n    pass\nnormal(a)\nnormal(b)", True),
    "a case": ("match flag:\n    case 1:\n        b = a\nnormal(a)\nnormal(b)", True),
    "one path": ("b = split(a)[0]\nnormal(a)\nnormal(b)", False),
    "a decision about something else": ("if flag:\n    x = 1\nnormal(a)\nnormal(b, x)", True),
    "a decision about nothing": ("if flag:\n    x = 1\nnormal(a)\nnormal(b)", False),
    "both in one arm": ("if flag:\n    b = split(a)[0]\n    normal(a)\n    normal(b)", False),
    "an arm in their arm": ("for _ in x:\n    if flag:\n        b = a\n    normal(a)\n    normal(b)", True),
}


@pytest.mark.parametrize("name", PATHS)
def test_other_paths(name: str):
    body, other = PATHS[name]
    text = f"def f(a, b, c, s, x, flag):\n{textwrap.indent(body, '    ')}\n"
    calls = [(row, line.find("normal(") + 1, len(line) + 1) for row, line in enumerate(text.splitlines(), start=1)]
    first, second = (Span(Position(row, start), Position(row, end)) for row, start, end in calls if start)
    assert depends_on_path(text, first, second) is other
    assert not depends_on_path("def f(:", first, second)


def test_a_run_on_one_of_several_paths_refutes_nothing(project: Path):
    text = SOURCE.replace("    b =", "    key = random.split(key)[0] if x else key; b =")
    (project / "a.py").write_text(text)
    made = Events((project / "a.py").resolve(), text)
    column = text.splitlines()[4].index("random.uniform") + 1
    made.row(span=1, **{"is": [0, *span_of("normal"), "f"]})
    made.row(span=2, **{"is": [0, 5, column, 5, column + 19, "f"]})
    made.row(site=1, **{"is": ["draw", "normal", 1]}), made.row(site=2, **{"is": ["draw", "uniform", 2]})
    made.row(together=[1, 2])
    place = Span(Position(5, column), Position(5, column + 19))
    given = Finding("OLY104", "r", "m", "a.py", place, related=REUSE.related)
    Path("events.jsonl").write_text(made.text())
    file = FileResult("a.py", [given], text=text)
    judge_recorded("events.jsonl", [file], {"a.py": Settings(select=["OLY901"])})
    (found,) = file.findings
    assert found.verdict is not None
    assert found.verdict.status == "inconclusive"
    assert found.verdict.reason == "the keys were different on the path of this run, but there is another path"


def test_the_turns_of_a_compiled_loop_are_told_from_one_on(events: Events):
    events.pair(("normal", "f"), ("normal", "f"), at=[[0, 4], [1, 0]], words=[0, 7], device="cpu:0")
    Path("events.jsonl").write_text(events.text())
    file = FileResult("a.py", [finding("OLY104", "f")], text=SOURCE)
    judge_recorded("events.jsonl", [file], {"a.py": Settings(select=["OLY901"])})
    assert file.findings[0].verdict is not None
    said = [line for line in file.findings[0].verdict.evidence if line.startswith("normal")]
    assert said == [f"normal, words [0, 7] on cpu:0, in iteration {number}" for number in ("1.5", "2.1")]


@pytest.mark.parametrize("kind", ["words", "reuse"])
def test_equal_words_of_two_seedings_or_a_common_third_place_refute_nothing(kind: str, events: Events):
    events.together("normal", "uniform")
    events.pair(("g",), ("normal", "f"), kind)
    events.pair(("g",), ("uniform", "f"), kind)
    assert verdict(events, REUSE) == ("inconclusive", "each place had a key that was consumed at a third one")


def test_a_reuse_by_two_calls_does_not_confirm_one_within_a_call(events: Events):
    events.together("normal", "uniform")
    events.pair(("normal", "f"), ("uniform", "g"))
    said = "keys were reused there, but not as the finding says"
    assert verdict(events, REUSE) == ("inconclusive", said)


def test_a_place_that_was_not_reached(events: Events):
    events.site("uniform", "f")
    assert verdict(events, REUSE) == ("not reached", "no key was consumed in line 4 in this run")


def test_a_loop_that_uses_its_key_again(events: Events):
    events.pair(("normal", "f"), ("normal", "f"))
    assert verdict(events, finding("OLY104", "f"))[0] == "confirmed"


def test_a_reuse_inside_of_one_call_is_no_reuse_by_a_loop_around_it(events: Events):
    events.pair(("normal", "f"), ("uniform", "f"))
    assert verdict(events, finding("OLY104", "f"))[0] == "inconclusive"


def test_different_keys_in_a_loop_may_be_of_two_calls(events: Events):
    events.row(times=[[events.site("normal", "f"), 6, 6]])
    status, reason = verdict(events, finding("OLY104", "f"))
    assert (status, reason and reason[:51]) == (
        "inconclusive",
        "the keys there were different: reached 6 times with",
    )


def test_a_compiled_loop_of_which_both_turns_are_known(events: Events):
    events.site("normal", "f", looped=True)
    assert verdict(events, finding("OLY104", "f")) == ("refuted", "each iteration of the loop had its own key")


def test_a_misuse_in_a_branch_that_may_not_have_run(events: Events):
    events.pair(("normal", "f"), ("uniform", "f"), maybe=True)
    assert verdict(events, REUSE) == (
        "confirmed",
        "whether the run reached its branch or iteration is unknown; `--probe` may show it",
    )


@pytest.mark.parametrize(("code", "kind"), [("OLY101", "indexing"), ("OLY103", "transposition"), ("OLY108", "derived")])
def test_other_rules_have_misuses_of_their_own(code: str, kind: str, events: Events):
    events.pair(("normal", "f"), ("uniform", "f"), kind)
    assert verdict(events, finding(code, "uniform", "normal"))[0] == "confirmed"
    assert verdict(events, REUSE)[0] != "confirmed"


def test_two_splits_of_one_key_share_children(events: Events):
    events.site("normal", "f", kind="split"), events.site("uniform", "f", kind="split")
    events.pair(("normal", "f"), ("uniform", "f"))
    assert verdict(events, finding("OLY108", "uniform", "normal"))[0] == "confirmed"


def test_two_draws_with_one_key_are_no_equal_derivations(events: Events):
    events.pair(("normal", "f"), ("uniform", "f"))
    assert verdict(events, finding("OLY108", "uniform", "normal"))[0] == "inconclusive"


COMPREHENSION = """\
from jax import random

def f(key):
    a = [random.split(key) for _ in range(1)]
    return a, random.normal(key)
"""


def test_a_place_in_a_comprehension_is_in_the_same_call(project: Path):
    (project / "a.py").write_text(COMPREHENSION)
    made = Events((project / "a.py").resolve(), COMPREHENSION)
    for number, (*place, function) in enumerate(
        [(4, 10, 4, 27, "f.<locals>.<listcomp>"), (4, 9, 4, 46, "f"), (5, 15, 5, 33, "f"), (9, 1, 9, 5, "<module>")]
    ):
        made.row(span=number, **{"is": [0, *place, function]})
    made.row(site=10, **{"is": ["split", "split", 0, 1, 3]})
    made.row(site=11, **{"is": ["draw", "normal", 2, 3]})
    made.row(pair=[10, 11], kind="reuse", key="key(0)")
    first, second = Span(Position(4, 10), Position(4, 27)), Span(Position(5, 15), Position(5, 33))
    given = Finding("OLY104", "r", "m", "a.py", second, related=(Related("first", "a.py", first),))
    assert verdict(made, given)[0] == "confirmed"


def test_a_file_in_another_folder_is_known_by_its_content(events: Events, project: Path):
    events.rows[2]["path"] = "/somewhere/else/a.py"
    events.pair(("normal", "f"), ("uniform", "f"))
    assert verdict(events, REUSE)[0] == "confirmed"


# What no rule has found.


def lint(run: Callable[..., Outcome], events: Events, *options: str) -> tuple[list[str], Outcome]:
    Path("events.jsonl").write_text(events.text())
    arguments = ["--no-cache", "--trace-events", "events.jsonl", "--select", "OLY104,OLY108,OLY901", *options]
    outcome = run(*arguments, "--output-format", "concise", "a.py")
    return re.findall(r"^a\.py:(\d+:\d+: OLY\d+)", outcome.out, re.MULTILINE), outcome


STATIC = ["5:9: OLY104", "13:9: OLY104"]


def test_the_rules_find_these_by_themselves(events: Events, run: Callable[..., Outcome]):
    assert lint(run, events)[0] == STATIC


def test_a_misuse_that_no_rule_has_found_is_reported(events: Events, run: Callable[..., Outcome]):
    events.pair(("normal",), ("bits in g",))
    found, outcome = lint(run, events)
    assert found == [*STATIC[:1], "9:44: OLY104", *STATIC[1:]]
    assert (
        "Key `key(0)` was consumed again by `bits`, after `normal` on line 4, when `pytest tests` ran." in outcome.out
    )


def test_one_that_a_rule_has_found_is_reported_once(events: Events, run: Callable[..., Outcome]):
    events.pair(("normal", "f"), ("uniform", "f"))
    events.pair(("normal", "f"), ("normal", "f"))
    assert lint(run, events)[0] == STATIC


def test_all_pairs_that_a_finding_speaks_of_are_reported_with_it(events: Events, run: Callable[..., Outcome]):
    events.pair(("normal", "f"), ("uniform", "f"))
    events.pair(("bits in g", "normal", "f"), ("normal in g", "uniform", "f"))  # inside of the two calls
    assert lint(run, events)[0] == STATIC


def test_a_comment_hides_it_and_is_of_use(events: Events, run: Callable[..., Outcome], project: Path):
    source = SOURCE.replace("random.bits(key)", "random.bits(key)  # noqa: OLY104")
    (project / "a.py").write_text(source)
    marked = Events((project / "a.py").resolve(), source)
    assert "9:62: OLY901" in lint(run, marked)[0]
    marked.pair(("normal",), ("bits in g",))
    assert lint(run, marked)[0] == STATIC


def test_a_rule_that_is_off_reports_nothing(events: Events, run: Callable[..., Outcome]):
    events.pair(("normal",), ("bits in g",), "collision")
    assert "9:44: OLY108" in lint(run, events)[0]
    assert lint(run, events, "--ignore", "OLY108")[0] == STATIC


@pytest.mark.parametrize("kind", ["words", "derived", "something new"])
def test_what_is_no_misuse_is_not_reported(kind: str, events: Events, run: Callable[..., Outcome]):
    events.pair(("normal",), ("bits in g",), kind)
    assert lint(run, events)[0] == STATIC


def test_verdicts_select_findings(events: Events, run: Callable[..., Outcome]):
    events.pair(("normal", "f"), ("uniform", "f"))
    assert lint(run, events, "--select-verdict", "confirmed")[0] == ["5:9: OLY104"]


def test_fixed_files_are_another_version(events: Events, run: Callable[..., Outcome]):
    events.pair(("normal",), ("bits in g",))
    found, outcome = lint(run, events, "--fix", "--unsafe-fixes")
    assert "9:44: OLY104" not in found
    assert outcome.status in (0, 1)


# Files that are no events, or no longer.


def damaged(events: Events, number: int, line: str) -> str:
    lines = events.text().splitlines(keepends=True)
    return "".join([*lines[:number], line, *lines[number:]])


UNUSABLE = {
    "no file": (None, "cannot be read: No such file or directory; check the path."),
    "empty": ("", "is no file of events"),
    "Python": (SOURCE, "is no file of events"),
    "other JSON": ('{"events": []}\n', "is no file of events"),
    "binary": ("\0\1\2" * 1000, "is no file of events"),
    "a first line without an end": ('{"olympus":"events",' + '"a":[' * 100_000, "is damaged in its first line"),
    "a later format": ('{"olympus":"events","format":99,"command":[]}\n', "has format 99, and this release reads 1"),
}


@pytest.mark.parametrize("case", UNUSABLE)
def test_what_is_no_file_of_events_is_one_sentence(case: str, events: Events, run: Callable[..., Outcome]):
    text, said = UNUSABLE[case]
    if text is not None:
        Path("events.jsonl").write_text(text)
    outcome = run("--no-cache", "--trace-events", "events.jsonl", "--output-format", "concise", "a.py")
    assert outcome.status == 2
    assert [line[:-1] for line in outcome.err.splitlines()] == [] or len(outcome.err.splitlines()) == 1
    assert f"error: events.jsonl: {said}" in outcome.err
    assert outcome.out.count("OLY104") == len(STATIC)


DAMAGE = {
    "no JSON": "{\n",
    "half of a row": '{"span":99,"is":[0,1,2\n',
    "a list": "[1, 2]\n",
    "a number": "7\n",
    "too deep": "[" * 100_000 + "\n",
    "a span of no file": '{"span":99,"is":[5,1,2,3,4,"f"]}\n',
    "a span with a wrong type": '{"span":99,"is":[0,1,"2",3,4,"f"]}\n',
    "a site of no span": '{"site":99,"is":["draw","normal",1234]}\n',
    "a huge number": '{"span":99,"is":[0,' + "9" * 3000 + ',2,3,4,"f"]}\n',
    "text that is no UTF-8": "\udcff\n",
    "a null": '{"pair":null,"kind":"reuse"}\n',
}


@pytest.mark.parametrize("case", DAMAGE)
def test_what_stands_before_the_damage_is_used(case: str, events: Events, run: Callable[..., Outcome]):
    events.pair(("normal", "f"), ("uniform", "f"))
    number = len(events.rows)
    Path("events.jsonl").write_bytes(damaged(events, number, DAMAGE[case]).encode(errors="surrogateescape"))
    outcome = run("--no-cache", "--trace-events", "events.jsonl", "--select-verdict", "confirmed", "a.py")
    assert outcome.status == 1
    assert f"note: events.jsonl: is damaged in line {number + 1}; the events of that process end there." in outcome.err
    assert "a.py:5:9: OLY104" in outcome.out


def test_a_process_that_was_killed_while_it_wrote_hides_no_other(events: Events, run: Callable[..., Outcome]):
    good = events.rows[1:]
    events.rows.append("half a row")
    events.rows += good
    events.numbers = {}
    events.pair(("normal", "f"), ("uniform", "f"))
    Path("events.jsonl").write_text(events.text())
    outcome = run("--no-cache", "--trace-events", "events.jsonl", "--select-verdict", "confirmed", "a.py")
    assert "a.py:5:9: OLY104" in outcome.out


def test_a_truncated_file_is_used_as_far_as_it_goes(events: Events, run: Callable[..., Outcome]):
    events.pair(("normal", "f"), ("uniform", "f"))
    text = events.text()
    for end in range(len(text) - 3, 60, -97):
        Path("events.jsonl").write_text(text[:end])
        outcome = run("--no-cache", "--trace-events", "events.jsonl", "--output-format", "concise", "a.py")
        assert outcome.out.count("OLY104") == len(STATIC)
        assert "truncated" in outcome.err or "damaged" in outcome.err
        assert "Traceback" not in outcome.err


def test_events_of_another_version_of_a_file_are_not_used(events: Events, run: Callable[..., Outcome]):
    events.pair(("normal", "f"), ("uniform", "f"))
    Path("events.jsonl").write_text(events.text())
    Path("a.py").write_text(f"\n{SOURCE}")
    outcome = run("--no-cache", "--trace-events", "events.jsonl", "--output-format", "json", "a.py")
    assert [each["verdict"] for each in json.loads(outcome.out)] == [None] * len(STATIC)
    assert outcome.status == 1
    assert "note: a.py: the events are of another version of this file; record the command again." in outcome.err


def test_a_record_without_jax_says_so(events: Events, run: Callable[..., Outcome]):
    events.rows = events.rows[:1]
    Path("events.jsonl").write_text(events.text().replace('{"finished":true}\n', ""))
    outcome = run("--no-cache", "--trace-events", "events.jsonl", "a.py")
    assert "note: events.jsonl: has no process that imported JAX" in outcome.err


def test_names_in_the_events_do_not_control_the_terminal(events: Events, run: Callable[..., Outcome]):
    events.rows[0]["command"] = ["pytest", "\x1b[2J"]
    events.pair(("normal",), ("bits in g",))
    events.rows[-1]["key"] = "key\x1b[31m\n"
    assert "\x1b" not in lint(run, events)[1].out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--trace-events", "e", "-"], "not standard input"),
        (["--trace-events", "e", "--add-noqa"], "cannot be combined with --add-noqa"),
        (["--select-verdict", "confirmed"], "add one of them"),
    ],
)
def test_options_that_do_not_go_together(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        parse(arguments)
    assert said in capsys.readouterr().err


# From the command to the finding.

PAGE = Path(__file__).parents[2] / "docs" / "runtime" / "record.md"


def blocks(language: str) -> list[str]:
    """Return what stands in the page's fences of one language."""
    tokens = MarkdownIt().parse(PAGE.read_text("utf-8"))
    return [token.content for token in tokens if token.type == "fence" and token.info == language]


@pytest.mark.skipif(find_spec("jax") is None, reason="the command uses JAX")
def test_the_example_of_the_page(project: Path, run: Callable[..., Outcome]):
    program, commands, report = blocks("python")[0], blocks("console")[1], blocks("text")[0]
    (project / "train.py").write_text(program)
    assert "olympus record -- python train.py\n" in commands
    command = [sys.executable, "-m", "olympus", "record", "--", "python", "train.py"]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(command, check=False, capture_output=True, env={**os.environ, "PATH": path})
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert "All checks passed!" in run("--no-cache", "train.py").out
    outcome = run("--no-cache", "--trace-events", "events.jsonl", "train.py")
    assert outcome.status == 1
    assert outcome.out.replace(f"{project.resolve()}/", "").startswith(report)


@pytest.mark.skipif(find_spec("jax") is None, reason="the command uses JAX")
def test_the_example_of_the_probe(project: Path, run: Callable[..., Outcome]):
    program, command, report = blocks("python")[1], blocks("console")[2], blocks("text")[1]
    (project / "train.py").write_text(program)
    assert command == "$ olympus record --probe -- python train.py\n"
    started = [sys.executable, "-m", "olympus", *command.split()[2:5], sys.executable, "train.py"]
    done = subprocess.run(started, check=False, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    outcome = run("--no-cache", "--trace-events", "events.jsonl", "train.py")
    assert report in outcome.out.replace(f"{project.resolve()}/", "")


def test_the_page_names_what_verdicts_there_are():
    for status in get_args(Status):
        assert f"| {status} |" in PAGE.read_text("utf-8")


SEARCH = """\
import sys

import jax
import jax.numpy as jnp
from jax import lax, random


def root(draw, depth):
    return random.normal(draw, (2,)).sum()


def interior(draw, depth):
    return random.uniform(draw, (2,)).max() TWICE


def choose(draw, depth):
    return lax.cond(depth == 0, root, interior, draw, depth)


def simulate(draw, length):
    def step(state):
        draw, depth, total = state
        draw, own = random.split(draw)
        return draw, depth + 1, total + choose(own, depth)

    return lax.while_loop(lambda state: state[1] < length, step, (draw, 0, 0.0))[2]


draws, lengths = random.split(random.key(0), 3), jnp.arange(3)
compiled = jax.jit if sys.argv[1] == "compiled" else lambda f: f
compiled(jax.vmap(choose))(draws, lengths)
compiled(jax.vmap(simulate))(jax.vmap(random.fold_in, (0, None))(draws, 1), lengths)
"""


@pytest.mark.search
@pytest.mark.skipif(find_spec("jax") is None, reason="the command uses JAX")
@pytest.mark.parametrize(("how", "option"), [("compiled", ["--probe"]), ("eager", [])])
def test_branches_that_all_lanes_execute_are_confirmed_where_one_lane_draws_twice(
    how: str, option: list[str], project: Path, run: Callable[..., Outcome]
):
    command = [sys.executable, "-m", "olympus", "record", *option, "--", sys.executable, "search.py", how]
    for twice, expected in (("", 0), ("+ random.gumbel(draw)", 1)):
        (project / "search.py").write_text(SEARCH.replace("TWICE", twice))
        done = subprocess.run(command, check=False, capture_output=True)
        assert (done.returncode, done.stderr) == (0, b"")
        outcome = run("--no-cache", "--trace-events", "events.jsonl", "search.py")
        assert outcome.out.count("verdict: confirmed (recorded)") == expected, outcome.out
