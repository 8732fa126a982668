"""Translation of the places in a report, from joined modules to their files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from olympus_lint.embedded.places import Places
from olympus_lint.migration.plan import Constructor
from olympus_lint.migration.reasons import Reason, Step
from olympus_rules.finding import Finding, Position

__all__ = ["constructor_in_file", "finding_in_file"]


def finding_in_file(finding: Finding, places: Mapping[str, Places]) -> Finding:
    """Translate a finding on a module to its file."""
    return places[finding.filename].finding(finding) if finding.filename in places else finding


def constructor_in_file(constructor: Constructor, places: Mapping[str, Places]) -> Constructor:
    """Translate a constructor and its reasons from a module to its file."""
    reasons, checks = (
        tuple(_reason(each, places) for each in told) for told in (constructor.reasons, constructor.checks)
    )
    constructor = replace(constructor, reasons=reasons, checks=checks)
    if constructor.filename not in places:
        return constructor
    cell, place = places[constructor.filename].at(Position(constructor.row, constructor.column))
    return replace(constructor, row=place.row, column=place.column, cell=cell)


def _reason(reason: Reason, places: Mapping[str, Places]) -> Reason:
    text = reason.text
    for filename, each in places.items():
        if filename in text:
            text = _said(text, filename, each)
    reason = replace(reason, path=tuple(_step(step, places) for step in reason.path))
    if reason.filename not in places:
        return replace(reason, text=text)
    cell, place = places[reason.filename].at(Position(reason.row, 1))
    return replace(reason, row=place.row, cell=cell, text=text)


def _step(step: Step, places: Mapping[str, Places]) -> Step:
    if step.filename not in places:
        return step
    cell, place = places[step.filename].at(Position(step.row, 1))
    return replace(step, row=place.row, cell=cell)


def _said(text: str, filename: str, places: Places) -> str:
    """Translate the rows that a text names, as ``file:3`` or ``line 3 of file``."""
    name = re.escape(filename)

    def colon(match: re.Match[str]) -> str:
        cell, place = places.at(Position(int(match[1]), 1))
        return f"{filename}:{place.row}" if cell is None else f"{filename}:cell {cell}:{place.row}"

    def words(match: re.Match[str]) -> str:
        cell, place = places.at(Position(int(match[1]), 1))
        return f"line {place.row} of {filename}" if cell is None else f"line {place.row} of cell {cell} of {filename}"

    return re.sub(rf"\bline (\d+) of {name}", words, re.sub(rf"{name}:(\d+)", colon, text))
