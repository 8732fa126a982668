"""``sarif``: SARIF 2.1.0, for code scanning services."""

from __future__ import annotations

import json
from typing import Any

from olympus_lint import __version__
from olympus_lint.files.problems import Problem
from olympus_lint.reporting.fingerprints import SpanOf, fingerprints, spans_in_file, uri
from olympus_lint.reporting.pages import page_of
from olympus_lint.reporting.phrases import in_file, rule_url
from olympus_lint.reporting.results import RunResult
from olympus_lint.reporting.severities import SEVERITIES
from olympus_rules.finding import Applicability, Edit, Finding, Fix, Related, Span
from olympus_rules.rule import Rule
from olympus_rules.rules import all_rules

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
PROJECT = "https://github.com/olympus-lint/olympus-lint"


def render(run: RunResult, *, color: bool) -> str:
    """Return one SARIF log with one run and a line end."""
    rules = list(all_rules().values())
    index = {rule.code: number for number, rule in enumerate(rules)}
    prints, span_of = fingerprints(run), spans_in_file(run)
    found = {finding.code for finding in run.findings}
    driver = {
        "name": "olympus-lint",
        "version": __version__,
        "informationUri": PROJECT,
        "rules": [rule_object(rule, helps=rule.code in found) for rule in rules],
    }
    made = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": not run.errors,
                "toolExecutionNotifications": [
                    *(notification(problem, "error") for problem in run.errors),
                    *(notification(note, "note") for note in run.notes),
                ],
            }
        ],
        "results": [
            result_object(finding, index[finding.code], fingerprint, span_of)
            for finding, fingerprint in zip(run.findings, prints, strict=True)
        ],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [made]}, indent=2) + "\n"


def rule_object(rule: Rule, *, helps: bool) -> dict[str, Any]:
    """Return the metadata of a rule, with its page where it has findings."""
    page = page_of(rule.name) if helps else None
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "helpUri": rule_url(rule.name),
        "defaultConfiguration": {"enabled": rule.default},
        **({"help": {"text": page, "markdown": page}} if page is not None else {}),
    }


def result_object(finding: Finding, rule_index: int, fingerprint: str, span_of: SpanOf) -> dict[str, Any]:
    """Return a finding with its related places and its fix."""
    made: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": rule_index,
        "level": SEVERITIES[finding.confidence],
        "message": {"text": finding.message},
        "locations": [location(finding, span_of(finding))],
        "partialFingerprints": {"olympusLint/v1": fingerprint},
        "properties": {"confidence": finding.confidence.label},
    }
    if finding.related:
        made["relatedLocations"] = [
            location(other, span_of(other)) | {"id": number, "message": {"text": other.message}}
            for number, other in enumerate(finding.related)
        ]
    if finding.verdict is not None:
        made["properties"]["verdict"] = finding.verdict.to_json()
    if finding.fix is not None and finding.cell is None:
        made["fixes"] = [fix_object(finding.fix, finding.filename)]
    return made


def fix_object(fix: Fix, filename: str) -> dict[str, Any]:
    """Return a fix as changes of one file."""
    is_open = fix.applicability is Applicability.UNSETTLED
    change = {
        "artifactLocation": {"uri": uri(filename)},
        "replacements": [replacement(edit) for edit in fix.edits],
    }
    return {
        "description": {"text": f"{fix.message} ({'not known to be safe' if is_open else fix.applicability.value})"},
        "artifactChanges": [change],
    }


def replacement(edit: Edit) -> dict[str, Any]:
    """Return an edit; an insertion is the deletion of an empty region."""
    return {"deletedRegion": region(edit.span), "insertedContent": {"text": edit.content}}


def location(place: Finding | Related, span: Span | None) -> dict[str, Any]:
    """Return a physical location, if its span in the file is known with a region; a place in a cell has a name, too."""
    physical: dict[str, Any] = {"artifactLocation": {"uri": uri(place.filename)}}
    if span is not None:
        physical["region"] = region(span)
    if place.cell is None:
        return {"physicalLocation": physical}
    named = {"fullyQualifiedName": in_file(place.span, place.cell), "kind": "cell"}
    return {"physicalLocation": physical, "logicalLocations": [named]}


def region(span: Span) -> dict[str, int]:
    """Return a region; like ours, SARIF's columns start at 1 and end after the last character."""
    return {
        "startLine": span.start.row,
        "startColumn": span.start.column,
        "endLine": span.end.row,
        "endColumn": span.end.column,
    }


def notification(problem: Problem, level: str) -> dict[str, Any]:
    """Return a problem as a notification."""
    made: dict[str, Any] = {"level": level, "message": {"text": str(problem)}}
    if problem.filename:
        made["locations"] = [{"physicalLocation": {"artifactLocation": {"uri": uri(problem.filename)}}}]
    return made
