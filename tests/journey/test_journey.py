"""What a first user reads in each step is what a person has reviewed."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("pygls")
from .environment import Environment
from .steps import STEPS
from .user import User, visible

SNAPSHOTS = Path(__file__).parent / "snapshots"
WRITE = os.environ.get("OLYMPUS_SNAPSHOTS") == "write"
NAMES = {step: f"{number:02}-{step.__name__}.txt" for number, step in enumerate(STEPS, 1)}


@pytest.mark.search
@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
def test_a_step_says_what_its_snapshot_says(
    step: Callable[[User], None], environment: Environment, tmp_path: Path
) -> None:
    user = User(tmp_path / "denoise", environment)
    step(user)
    told, snapshot = user.told(), SNAPSHOTS / NAMES[step]
    if WRITE:
        snapshot.write_text(told, "utf-8")
    lines = [text.splitlines() for text in (snapshot.read_text("utf-8"), told)]
    changed = "\n".join(difflib.unified_diff(*lines, "snapshot", "now", lineterm=""))
    assert not changed, f"{snapshot.name} (tests/journey/__init__.py says how to write it anew):\n{changed}"


def test_each_step_has_a_snapshot_and_no_other_has() -> None:
    assert sorted(path.name for path in SNAPSHOTS.iterdir()) == sorted(NAMES.values())


def test_the_text_of_a_page_is_what_a_browser_shows() -> None:
    page = "<style>p {}</style><h1>A &amp; B</h1><table><tr><td>1<td>two</tr></table><script>x = '<p>no'</script>"
    assert visible(page) == ["A & B", " | 1 | two"]
