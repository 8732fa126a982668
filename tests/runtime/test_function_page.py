"""The page on verdicts, its section on real functions: its programs get the verdicts that their comments say."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

pytest.importorskip("jax", reason="findings are judged by tracing with JAX")

from olympus.trials.judging import answer
from olympus.verdicts import Place, Question
from olympus_lint.project.settings import Settings
from olympus_lint.run.engine import lint_text
from olympus_rules.finding import Confidence, Span

PAGE = (Path(__file__).parents[2] / "docs" / "runtime" / "verdicts.md").read_text("utf-8")
SECTION = PAGE.partition("\n## The real function\n")[2].partition("\n## ")[0]
BLOCKS = re.findall(r"^```(python|text)\n(.*?)^```$", SECTION, re.DOTALL | re.MULTILINE)
PROGRAMS = [text for kind, text in BLOCKS if kind == "python"]
CALLS = {before: text.strip() for (_, before), (kind, text) in itertools.pairwise(BLOCKS) if kind == "text"}
COMMENT = re.compile(r"  # (confirmed|refuted|inconclusive|not reached)$", re.MULTILINE)
NUMBERS = itertools.count()


def place(file: str, span: Span) -> Place:
    return Place(file, span.start.row, span.start.column, span.end.row, span.end.column)


@pytest.mark.parametrize(
    ("program", "hint"), [*((program, None) for program in PROGRAMS), *((each, "'fast'") for each in PROGRAMS[-1:])]
)
def test_programs_get_the_verdicts_that_they_say(program: str, hint: str | None, tmp_path: Path):
    name = f"page_{next(NUMBERS)}"
    file = tmp_path / f"{name}.py"
    file.write_text(program)
    (finding,) = lint_text(str(file), program, Settings()).findings
    other = place(str(file), finding.related[0].span) if finding.related else None
    certain = finding.confidence is Confidence.CERTAIN
    question = Question(finding.code, place(str(file), finding.span), other, certain)
    hints = {f"{name}:branches": {"args": ["key", hint]}} if hint else {}
    (verdict,) = answer(str(file), name, (tmp_path,), [question], hints)
    (said,) = COMMENT.finditer(program)
    assert program[: said.start()].count("\n") + 1 == finding.span.start.row
    assert verdict.status == ("confirmed" if hint else said[1]), verdict
    assert verdict.evidence[-1] == CALLS.get(program, verdict.evidence[-1])


def test_there_are_programs():
    assert len(PROGRAMS) == 3
    assert len(CALLS) == 2
