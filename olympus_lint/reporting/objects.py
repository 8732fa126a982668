"""Findings as JSON objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from olympus_lint.reporting.phrases import rule_url
from olympus_lint.reporting.plain import list_in, natural_in, text_in
from olympus_lint.reporting.results import FileResult, RunResult
from olympus_rules.finding import Applicability, Confidence, Edit, Finding, Fix, Position, Related, Span, Step

if TYPE_CHECKING:
    from olympus.verdicts import Verdict

QUIET = "not_shown"


def report_objects(run: RunResult) -> list[dict[str, Any]]:
    """Return the findings of a run, and for a part of one, how many findings of each test are not shown."""
    files = run.files if run.is_part else ()
    quiet = [{"filename": file.filename, QUIET: file.quiet} for file in files if file.quiet]
    return [*map(finding_object, run.findings), *quiet]


def result_of(made: dict[str, Any]) -> FileResult:
    """Return what an object of a report says of its file: a finding, or how many are not shown.

    Raises:
        ValueError, TypeError, LookupError, AttributeError: it says neither.
    """
    if QUIET in made:
        return FileResult(text_in(made["filename"]), quiet=natural_in(made[QUIET]))
    finding = finding_of(made)
    return FileResult(finding.filename, [finding])


def finding_object(finding: Finding) -> dict[str, Any]:
    """Return a finding as a JSON object, with ``effect`` and ``lineage`` if the finding has them."""
    made: dict[str, Any] = {
        "code": finding.code,
        "name": finding.name,
        "message": finding.message,
        "filename": finding.filename,
        "cell": finding.cell,
        **locations(finding.span),
        "related": [related_object(other) for other in finding.related],
        "confidence": finding.confidence.label,
        "url": rule_url(finding.name),
        "fix": fix_object(finding.fix) if finding.fix else None,
        "verdict": finding.verdict.to_json() if finding.verdict else None,
    }
    if finding.effect is not None:
        made["effect"] = finding.effect
    if finding.lineage:
        made["lineage"] = [
            {"kind": step.kind, "label": step.label, "how": step.how, "row": step.row, "cell": step.cell}
            for step in finding.lineage
        ]
    return made


def finding_of(made: dict[str, Any]) -> Finding:
    """Return the finding of a JSON object that :func:`finding_object` has made.

    Raises:
        ValueError, TypeError, LookupError, AttributeError: it is none.
    """
    effect, fix, verdict = made.get("effect"), made["fix"], made["verdict"]
    return Finding(
        text_in(made["code"]),
        text_in(made["name"]),
        text_in(made["message"]),
        text_in(made["filename"]),
        _span(made),
        {level.label: level for level in Confidence}[made["confidence"]],
        tuple(map(_related, list_in(made["related"]))),
        None if effect is None else text_in(effect),
        None if fix is None else _fix(fix),
        _cell(made),
        None if verdict is None else _verdict(verdict),
        tuple(map(_step, list_in(made.get("lineage", [])))),
    )


def related_object(other: Related) -> dict[str, Any]:
    """Return a second place as a JSON object, with its ``finding`` if the same mistake is made there once more."""
    alone = {} if other.further is None else {"finding": finding_object(other.further)}
    return {"message": other.message, "filename": other.filename, **cell(other), **locations(other.span), **alone}


def _related(made: dict[str, Any]) -> Related:
    alone = made.get("finding")
    further = None if alone is None else finding_of(alone)
    return Related(text_in(made["message"]), text_in(made["filename"]), _span(made), _cell(made), further=further)


def _fix(made: dict[str, Any]) -> Fix:
    edits = tuple(Edit(_span(each), text_in(each["content"]), _cell(each)) for each in list_in(made["edits"]))
    return Fix(Applicability(text_in(made["applicability"])), text_in(made["message"]), edits)


def _verdict(made: dict[str, Any]) -> Verdict:
    from olympus.verdicts import Status, Tier, Verdict

    if made["status"] not in get_args(Status) or made["tier"] not in get_args(Tier):
        raise ValueError("expected a verdict")
    reason, evidence = made["reason"], tuple(map(text_in, list_in(made["evidence"])))
    return Verdict(made["status"], made["tier"], None if reason is None else text_in(reason), evidence)


def _step(made: dict[str, Any]) -> Step:
    kind, label, how = text_in(made["kind"]), text_in(made["label"]), text_in(made["how"])
    return Step(kind, label, how, natural_in(made["row"]), _cell(made))


def _span(made: dict[str, Any]) -> Span:
    return Span(_position(made["location"]), _position(made["end_location"]))


def _position(made: dict[str, Any]) -> Position:
    row, column = natural_in(made["row"]), natural_in(made["column"])
    if not row or not column:
        raise ValueError("expected rows and columns from 1")
    return Position(row, column)


def _cell(made: dict[str, Any]) -> int | None:
    number = made.get("cell")
    return None if number is None else natural_in(number)


def fix_object(fix: Fix) -> dict[str, Any]:
    """Return a fix as a JSON object."""
    return {
        "applicability": fix.applicability.value,
        "message": fix.message,
        "edits": [{"content": edit.content, **cell(edit), **locations(edit.span)} for edit in fix.edits],
    }


def cell(place: Related | Edit) -> dict[str, int]:
    """Return the cell of a place in a notebook."""
    return {} if place.cell is None else {"cell": place.cell}


def locations(span: Span) -> dict[str, Any]:
    """Return the two ends of a span."""
    return {
        "location": {"row": span.start.row, "column": span.start.column},
        "end_location": {"row": span.end.row, "column": span.end.column},
    }
