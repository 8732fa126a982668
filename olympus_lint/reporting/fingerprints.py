"""What names a finding wherever its lines have moved to, and how other tools name its file and place."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from olympus_lint.reporting.results import RunResult
from olympus_rules.finding import Finding, Position, Related, Span

SpanOf = Callable[[Finding | Related], Span | None]
TOP = Span(Position(1, 1), Position(1, 1))
"""Where a finding is shown whose place in its file is unknown."""


def fingerprints(run: RunResult) -> list[str]:
    """Return for each finding a fingerprint that survives moved lines: code, file, text of its first line.

    Findings that agree in all of these are numbered.
    """
    met: Counter[tuple[str, str, str]] = Counter()
    prints: list[str] = []
    first_line = lines_of(run)
    for finding in run.findings:
        key = (finding.code, uri(finding.filename), first_line(finding))
        prints.append(hashlib.sha256("\0".join([*key, str(met[key])]).encode(errors="surrogatepass")).hexdigest()[:32])
        met[key] += 1
    return prints


def lines_of(run: RunResult) -> Callable[[Finding], str]:
    """Return what gives the text of the first line of a finding, empty where its file is not here."""
    lines = run.lines

    def first_line(finding: Finding) -> str:
        rows = lines.get((finding.filename, finding.cell), [])
        row = finding.span.start.row
        return rows[row - 1].strip() if row <= len(rows) else ""

    return first_line


def spans_in_file(run: RunResult) -> SpanOf:
    """Return what gives the span of a place in its file: in a notebook that of its JSON, ``None`` if it is not here."""
    sources = run.sources if any(finding.cell is not None for finding in run.findings) else {}

    def span_of(place: Finding | Related) -> Span | None:
        if place.cell is None:
            return place.span
        source = sources.get((place.filename, place.cell))
        return None if source is None else source.in_file(place.span)

    return span_of


def uri(filename: str) -> str:
    """Return a path as a relative reference, or an absolute one as a ``file`` address."""
    name = Path(filename).as_posix()
    try:
        path = quote(os.fsencode(name))
    except UnicodeEncodeError:  # no file of this system has this name, but that in a merged report may
        path = quote(name, errors="surrogatepass")
    return f"file://{path}" if Path(filename).is_absolute() else path
