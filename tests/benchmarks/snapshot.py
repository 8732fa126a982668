"""Reviewed findings: how a finding is recognised again, and what a person said of it."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

Mark = Literal["true", "intended", "false-alarm"]
MARKS: tuple[str, ...] = get_args(Mark)


@dataclass(frozen=True)
class Seen:
    """A finding of one package.

    ``id`` stands for package, file, code, the text of the row and how often these four were met before in the
    file. The row itself is there for the reader: rows move when a package is updated, texts seldom.
    """

    id: str
    package: str
    file: str
    row: int
    code: str
    text: str
    confidence: str
    message: str
    related: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Review:
    """A person's word on a finding."""

    finding: Seen
    mark: str
    sentence: str


def read_findings(package: str, folder: Path, output: str) -> list[Seen]:
    """Turn the linter's JSON output into findings that can be compared.

    Args:
        package: the package's name.
        folder: the folder that was linted, to which relative filenames refer.
        output: a JSON array of findings.
    """
    rows = sorted(json.loads(output), key=lambda raw: (raw["filename"], raw["location"]["row"]))
    met: Counter[tuple[str, str, str]] = Counter()
    findings = []
    for raw in rows:
        file, row = _place(folder, raw)
        text = _line(folder / file, row)
        key = (file, raw["code"], text)
        identity = "\0".join([package, *key, str(met[key])])
        met[key] += 1
        findings.append(
            Seen(
                id=hashlib.sha256(identity.encode()).hexdigest()[:10],
                package=package,
                file=file,
                row=row,
                code=raw["code"],
                text=text,
                confidence=raw["confidence"],
                message=raw["message"],
                related=tuple(_place(folder, other) for other in raw["related"]),
            )
        )
    return findings


def _place(folder: Path, raw: dict[str, Any]) -> tuple[str, int]:
    file = (folder / raw["filename"]).resolve().relative_to(folder.resolve()).as_posix()
    return file, raw["location"]["row"]


def _line(path: Path, row: int) -> str:
    lines = source_lines(path)
    return lines[row - 1].strip() if row <= len(lines) else ""


@cache
def source_lines(path: Path) -> list[str]:
    """Return the rows of a file as editors count them; bytes that are no UTF-8 do not matter here."""
    return path.read_text("utf-8", errors="replace").split("\n")


def load_reviews(path: Path, marks: Sequence[str] = MARKS) -> dict[str, Review]:
    """Read the snapshot; a missing file is an empty one.

    Args:
        path: the snapshot.
        marks: the marks that a row may have.

    Raises:
        ValueError: a row is no review.
    """
    if not path.exists():
        return {}
    reviews = {}
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        try:
            row = json.loads(line)
            mark, sentence = row.pop("mark"), row.pop("sentence")
            finding = Seen(**row | {"related": tuple((file, at) for file, at in row["related"])})
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path.name}:{number} is no review: {error}") from error
        if mark not in marks:
            raise ValueError(f"{path.name}:{number}: the mark is {mark!r}, not one of {', '.join(marks)}")
        reviews[finding.id] = Review(finding, mark, sentence)
    return reviews


def save_reviews(path: Path, reviews: Iterable[Review]) -> None:
    """Write the snapshot, sorted so that a change of one review is a change of one line."""
    ordered = sorted(reviews, key=lambda review: _order(review.finding))
    lines = [
        json.dumps(asdict(review.finding) | {"mark": review.mark, "sentence": review.sentence}) for review in ordered
    ]
    path.write_text("".join(line + "\n" for line in lines), "utf-8")


def _order(finding: Seen) -> tuple[str, str, int, str, str]:
    return finding.package, finding.file, finding.row, finding.code, finding.id


@dataclass(frozen=True)
class Comparison:
    """What changed between the snapshot and a run."""

    unreviewed: list[Seen]
    gone: list[Review]


def compare(findings: Iterable[Seen], reviews: dict[str, Review], packages: Iterable[str]) -> Comparison:
    """Compare a run over some packages with the snapshot; reviews of other packages are left alone."""
    found = {finding.id: finding for finding in findings}
    linted = set(packages)
    return Comparison(
        unreviewed=sorted((f for f in found.values() if f.id not in reviews), key=_order),
        gone=[r for r in reviews.values() if r.finding.package in linted and r.finding.id not in found],
    )


def refresh(findings: Iterable[Seen], reviews: dict[str, Review], packages: Iterable[str]) -> dict[str, Review]:
    """Return the snapshot without gone findings, the others with today's row, message and confidence."""
    found = {finding.id: finding for finding in findings}
    gone = {review.finding.id for review in compare(found.values(), reviews, packages).gone}
    return {
        id_: replace(review, finding=found.get(id_, review.finding))
        for id_, review in reviews.items()
        if id_ not in gone
    }


def false_alarm_share(reviews: Iterable[Review]) -> float:
    """Return the share of false alarms among reviewed findings of confidence ``likely`` or better, 0 to 1."""
    marks = [review.mark for review in reviews if review.finding.confidence in ("likely", "certain")]
    return marks.count("false-alarm") / len(marks) if marks else 0.0
