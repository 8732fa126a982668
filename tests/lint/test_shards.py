"""A run in shards, and its reports as one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Outcome
from hypothesis import given
from hypothesis import strategies as st
from test_manifest import FILES

from olympus_lint.project.discovery import SourceFile
from olympus_lint.project.settings import Settings
from olympus_lint.project.shards import shard

Run = Callable[..., Outcome]


@pytest.fixture
def files(project: Path) -> Path:
    for name, text in FILES.items():
        path = Path(name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    for number in range(3):
        Path(f"more{number}").mkdir()
        Path(f"more{number}/one.py").write_text(FILES["pkg/reuse.py"])
    return project


@given(st.lists(st.tuples(st.sampled_from("abcde"), st.integers(0, 30)), unique=True), st.integers(1, 5))
def test_each_file_is_in_one_shard_and_folders_stay_together(names: list[tuple[str, int]], count: int) -> None:
    every = [SourceFile(f"/nowhere/{folder}/{name}.py", Settings()) for folder, name in names]
    parts = [shard(every, number, count) for number in range(1, count + 1)]
    assert sorted(file.filename for part in parts for file in part) == sorted(file.filename for file in every)
    of_folder = [(Path(file.filename).parent, number) for number, part in enumerate(parts) for file in part]
    assert len({folder for folder, _ in of_folder}) == len(set(of_folder))


def test_shards_have_about_as_many_bytes(files: Path) -> None:
    every = []
    for number in range(40):
        path = files / f"f{number}" / "m.py"
        path.parent.mkdir()
        path.write_text("x = 1\n" * (number + 1))
        every.append(SourceFile(str(path), Settings()))
    sizes = [sum(Path(file.filename).stat().st_size for file in shard(every, part, 4)) for part in (1, 2, 3, 4)]
    assert max(sizes) < 1.1 * min(sizes)


@pytest.mark.parametrize("output", ["full", "concise", "json", "sarif", "github", "grouped", "pylint", "json-lines"])
def test_the_reports_of_shards_are_the_report_of_all(run: Run, files: Path, output: str) -> None:
    whole = run(".", "--output-format", output)
    reports = []
    for number in (1, 2, 3):
        part = run(".", "--shard", f"{number}/3", "--output-format", "json", "-o", f"{number}.json", "-q")
        assert part.status in (0, 1) and not part.err
        reports.append(f"{number}.json")
    merged = run("--merge", *reports, "--output-format", output)
    assert (merged.status, merged.out) == (whole.status, whole.out)


def test_a_shard_is_recalled_as_such(run: Run, files: Path) -> None:
    parts = {number: run(".", "--shard", f"{number}/2").out for number in (1, 2)}
    assert parts == {number: run(".", "--shard", f"{number}/2").out for number in (1, 2)}
    assert parts[1] != parts[2]


def test_findings_are_told_once_and_verdicts_stay(run: Run, files: Path) -> None:
    run(".", "--output-format", "json-lines", "-o", "all.jsonl")
    assert run("--merge", "all.jsonl", "all.jsonl").out == run(".").out
    text = Path("all.jsonl").read_text()
    evidence = '{"status": "confirmed", "tier": "witness", "evidence": ["a line"], "reason": null}'
    Path("all.jsonl").write_text(text.replace('"verdict": null', f'"verdict": {evidence}'))
    assert "confirmed" in run("--merge", "all.jsonl").out


HIDDEN = (
    "import jax\n\n\ndef test_same(one, two):\n    key = jax.random.key(1)\n    assert one.sample(key) ** two(key)\n"
    "\n\ndef test_again(one, two):\n    key = jax.random.key(2)\n    assert one.sample(key) ** two(key)\n"
)


@pytest.mark.parametrize("kind", ["json", "json-lines"])
def test_merged_reports_of_shards_say_how_many_findings_in_tests_are_not_shown(files: Path, kind: str) -> None:
    Path("pyproject.toml").touch()
    for folder in ("pkg", "more1", "more2"):
        Path(folder, "test_it.py").write_text(HIDDEN)
    program = Path(sys.executable).with_name("olympus-lint")

    def said(*options: str) -> str:
        done = subprocess.run([program, *options], capture_output=True, text=True, check=False)
        return done.stdout + done.stderr

    reports = [f"{number}.json" for number in (1, 2)]
    for number, report in enumerate(reports, 1):
        said(".", "--shard", f"{number}/2", "--output-format", kind, "-o", report, "-q")
    note = "6 findings in tests are not shown; `--tests all` shows them."
    assert said("--merge", *reports, *reports) == said(".") and note in said(".")
    assert f"note: {note}\n" in said("--merge", *reports, "--output-format", "github")
    said(".", "--output-format", kind, "-o", "whole.json", "-q")
    assert "not_shown" not in Path("whole.json").read_text()


@pytest.mark.parametrize(
    "text",
    [
        '[{"not_shown": 3}]',
        '[{"filename": "a.py", "not_shown": -1}]',
        "{}",
        "[3]",
        "nothing",
        '[{"code": "OLY104"}]',
        "[null]",
    ],
)
def test_what_is_no_report_is_named(run: Run, project: Path, text: str) -> None:
    Path("r.json").write_text(text)
    told = run("--merge", "r.json")
    assert told.status == 2
    assert told.err.startswith("error: --merge: r.json is not a report of `--output-format json` or `json-lines` (")
    assert run("--merge", "no.json").err == (
        "error: --merge: no.json cannot be read (No such file or directory); name a report.\n"
    )


@pytest.mark.parametrize("output", ["concise", "sarif", "markdown"])
def test_a_finding_of_a_rule_that_does_not_exist_is_named(run: Run, files: Path, output: str) -> None:
    run(".", "--output-format", "json-lines", "-o", "all.jsonl")
    text = Path("all.jsonl").read_text()
    Path("all.jsonl").write_text(text.replace('"code": "OLY104"', '"code": "key-reuse"'))
    told = run("--merge", "all.jsonl", "--output-format", output)
    assert told.status == 2 and "(no rule has the code 'key-reuse'); name a report." in told.err


def test_no_findings(run: Run, project: Path) -> None:
    Path("r.json").write_text("[]\n")
    Path("e.jsonl").write_text("")
    assert run("--merge", "r.json", "e.jsonl").status == 0


@pytest.mark.parametrize("value", ["0/2", "3/2", "2", "a/b", "1/0", "/"])
def test_a_wrong_shard(run: Run, value: str) -> None:
    told = run(".", "--shard", value)
    assert told.status == 2 and "expected K/N, such as 1/4" in told.err
