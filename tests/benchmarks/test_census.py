"""The records of a census, and how a finding is matched with one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from census import CENSUS, Record, load, start_of_call
from packages import HERE
from snapshot import Seen

RECORD = Record("pkg-1.0/pkg/a.py", 10, 4, "bug", "bug", "loop", 1, "Two draws.")


def test_records_lie_in_the_files_of_their_half() -> None:
    drawn = json.loads((CENSUS / "1.json").read_text("utf-8"))
    records = load(1)
    assert len({record.file for record in records}) > 100
    for record in records:
        assert record.file in drawn[("first_half", "second_half")[record.half - 1]]
        assert {record.mark, record.second} <= {"bug", "meant", "trap", None}


@pytest.mark.parametrize(
    ("code", "file", "row", "related", "is_told"),
    [
        ("OLY104", "pkg/a.py", 11, (), True),
        ("OLY104", "pkg/a.py", 40, (("pkg/a.py", 10),), True),
        ("OLY104", "pkg/a.py", 12, (), False),
        ("OLY104", "pkg/b.py", 10, (), False),
        ("OLY202", "pkg/a.py", 10, (), False),
    ],
)
def test_a_finding_tells_a_record(
    code: str, file: str, row: int, related: tuple[tuple[str, int], ...], is_told: bool
) -> None:
    assert RECORD.is_told_by(Seen("id", "pkg", file, row, code, "text", "likely", "message", related)) is is_told


def test_an_argument_stands_for_its_call(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("key = seed()\nlayers = [\n    layer(\n        n(1),\n        seed=key,\n    )\n]\n", "utf-8")
    assert start_of_call(path, 5) == 3
    assert start_of_call(path, 2) is None
    finding = Seen("id", "pkg", "pkg/a.py", 6, "OLY104", "text", "likely", "message")
    assert RECORD.is_told_by(finding, 6) and not RECORD.is_told_by(finding)


def test_the_readme_quotes_the_table() -> None:
    rows = [json.loads(line) for line in (CENSUS / "table.jsonl").read_text("utf-8").splitlines()]
    last = {row["half"]: row for row in rows if row["census"] == 1}.values()
    bugs, found = (sum(row[name] for row in last) for name in ("bugs", "found"))
    alarms, traps = (sum(row[name] for row in last) for name in ("alarms", "traps"))
    readme = (HERE.parent.parent / "README.md").read_text("utf-8")
    assert f"Of the {bugs} bugs that both found, the default rules tell {found}," in readme
    assert f"with {('no', 'one')[alarms]} alarm on {traps} places" in readme
