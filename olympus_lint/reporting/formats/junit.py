"""``junit``: an XML report of tests, of which each finding is one that failed; CI services show it beside the tests."""

from __future__ import annotations

import re
from itertools import groupby
from xml.etree import ElementTree

from olympus_lint.reporting.fingerprints import TOP, spans_in_file
from olympus_lint.reporting.phrases import place, verdict_mark
from olympus_lint.reporting.results import RunResult

UNPRINTABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML cannot hold, even escaped."""


def render(run: RunResult, *, color: bool) -> str:
    """Return one suite for each file with findings, and one that passed if there are none."""
    findings, span_of = run.findings, spans_in_file(run)
    number = str(len(findings))
    root = ElementTree.Element("testsuites", name="olympus-lint", tests=str(len(findings) or 1), failures=number)
    for filename, group in groupby(findings, key=lambda finding: finding.filename):
        found = list(group)
        number = str(len(found))
        named = plain(filename)
        suite = ElementTree.SubElement(root, "testsuite", name=named, tests=number, failures=number, errors="0")
        for finding in found:
            row = (span_of(finding) or TOP).start.row
            told = {"name": finding.code, "classname": named, "file": named, "line": str(row)}
            case = ElementTree.SubElement(suite, "testcase", told)
            failure = ElementTree.SubElement(case, "failure", message=plain(finding.message), type=finding.code)
            where = place(filename, finding.span, finding.cell)
            others = [f"{place(each.filename, each.span, each.cell)}: {each.message}" for each in finding.related]
            head = f"{where}: {finding.code} {finding.message}{verdict_mark(finding)}"
            failure.text = plain("\n".join([head, *others]))
    if not findings:
        suite = ElementTree.SubElement(root, "testsuite", name="olympus-lint", tests="1", failures="0", errors="0")
        ElementTree.SubElement(suite, "testcase", name="no findings", classname="olympus-lint")
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def plain(text: str) -> str:
    """Return a text with what XML cannot hold as escapes."""
    return UNPRINTABLE.sub(lambda found: ascii(found[0])[1:-1], text)
