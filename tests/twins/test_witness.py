"""The witness of every wrong twin: what the linter says of it is executed with stand-ins, and traced."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from twins.test_twins import FOLDER, findings

pytest.importorskip("jax", reason="a witness is traced with JAX")

from olympus.verdicts import Place, Question, Verdict
from olympus.witness.answer import answer
from olympus.witness.execution import Target, module_name

JUDGED = {"OLY101", "OLY102", "OLY103", "OLY104", "OLY108"}


def place(raw: dict, file: str) -> Place:
    start, end = raw["location"], raw["end_location"]
    return Place(file, start["row"], start["column"], end["row"], end["column"])


def question(raw: dict) -> Question:
    other = None
    if raw["code"] in ("OLY104", "OLY108") and raw["related"]:
        other = place(raw["related"][0], raw["related"][0]["filename"])
    own = place(raw, raw["filename"])
    if other is not None and raw["related"][0]["message"].startswith("consumed again"):
        own, other = other, own
    return Question(raw["code"], own, other, raw["confidence"] == "certain")


def verdicts() -> dict[tuple[str, int], Verdict]:
    """Return the verdict of each finding in the folder, by file and row."""
    by_file: dict[str, list[dict]] = {}
    for raw in findings():
        if raw["code"] in JUDGED:
            by_file.setdefault(raw["filename"], []).append(raw)
    found = {}
    for name, raws in by_file.items():
        path = Path(name)
        folder = path.parent
        while (folder / "__init__.py").is_file():
            folder = folder.parent
        target = Target(name, path.read_text(), module_name(path, [folder]), "", folders=(folder,))
        for raw, verdict in zip(raws, answer(target, [question(raw) for raw in raws]), strict=True):
            found[path.relative_to(FOLDER).as_posix(), raw["location"]["row"]] = verdict
    return found


def test_no_mistake_is_refuted_and_most_are_confirmed() -> None:
    found = verdicts()
    refuted = {at: verdict for at, verdict in found.items() if verdict.status == "refuted"}
    assert refuted == {}
    counts = Counter(verdict.status for verdict in found.values())
    left = {at: (verdict.status, verdict.reason) for at, verdict in found.items() if verdict.status != "confirmed"}
    assert counts["confirmed"] >= 0.8 * len(found), left
