from __future__ import annotations

import io
import json
import sys
import tarfile
from pathlib import Path
from typing import Any

import first_look
import pytest
from first_look import Look, in_tests, load_look, load_table, order, sample, totals
from packages import CorpusError, load_packages
from snapshot import Seen

PAGES = [first_look.ROOT / page for page in ("docs/confidence.md", "tests/benchmarks/README.md")]


def sdist(path: Path, files: dict[str, str]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(f"{path.name.removesuffix('.tar.gz')}/{name}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return path


class Index:
    """Stands in for the package index: which sdists there are."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: dict[str, dict[str, str]] = {}
        self.asked: list[str] = []

    def download(self, name: str, version: str | None, folder: Path) -> tuple[Path, str]:
        self.asked.append(name)
        if name not in self.files:
            raise CorpusError("no sdist")
        return sdist(folder / f"{name}-1.0.tar.gz", self.files[name]), "1.0"


class Tool:
    """The command with folders of its own and stand-ins for the index and the linter."""

    def __init__(self, folder: Path, index: Index) -> None:
        self.cache, self.looks, self.index = folder / "cache", folder / "looks", index
        self.looks.mkdir()
        self.linter = folder / "fake-lint"

    def candidates(self, *names: str) -> None:
        (self.looks / "candidates.txt").write_text("# a title\n" + "\n".join(names) + "\n")

    def report(self, *rows: tuple[str, int, str]) -> None:
        """Let the linter report findings: file, row and confidence of each."""
        findings = [
            {
                "code": "OLY104",
                "message": "reused",
                "filename": file,
                "location": {"row": row, "column": 1},
                "confidence": confidence,
                "related": [],
            }
            for file, row, confidence in rows
        ]
        self.linter.write_text(f"#!{sys.executable}\nprint({json.dumps(findings)!r})\n")
        self.linter.chmod(0o755)

    def run(self, command: str, *arguments: str, seed: int = 1) -> int:
        shared = ["--seed", str(seed), "--cache", str(self.cache), "--looks", str(self.looks)]
        return first_look.main([command, *shared, *arguments])


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tool:
    index = Index(tmp_path)
    tool = Tool(tmp_path, index)
    monkeypatch.setattr(first_look, "download", index.download)
    monkeypatch.setattr(first_look, "commit", lambda: "c0ffee")
    monkeypatch.setattr(first_look, "digest", lambda: "before")
    monkeypatch.setattr("reading.program", lambda name: str(tool.linter))
    return tool


@pytest.fixture
def drawn(tool: Tool) -> Tool:
    tool.candidates("demo")
    source = "from jax import random\n" + "random.normal(key)\n" * 3
    tool.index.files = {"demo": {"demo/m.py": source, "tests/test_m.py": source}}
    assert tool.run("draw", "--packages", "1") == 0
    return tool


def ids(tool: Tool) -> list[str]:
    rows: list[dict[str, Any]] = json.loads((tool.cache / "findings-1.json").read_text())
    return [row["id"] for row in rows]


# Drawing.


def test_the_order_is_that_of_the_seed_and_leaves_out_what_was_seen() -> None:
    names = ["a", "b", "c", "d", "e", "f"]
    assert order(1, names, {"c"}) == order(1, reversed(names), {"c"})
    assert sorted(order(1, names, {"c"})) == ["a", "b", "d", "e", "f"]
    assert len({tuple(order(seed, names, set())) for seed in range(9)}) > 1


def test_a_draw_records_what_it_took_and_why_it_passed_others_over(tool: Tool) -> None:
    tool.candidates("gone", "plain", "keys", "flax")
    tool.index.files = {
        "plain": {"plain.py": "import jax.numpy as jnp\n", "tests/test_plain.py": "import jax.random\n"},
        "keys": {"keys.py": "import jax\njax.random.key(0)\n"},
        "flax": {"flax.py": "import jax\njax.random.key(0)\n"},
    }
    assert tool.run("draw", "--packages", "2") == 2  # flax is in the corpus
    look = load_look(tool.looks, 1)
    assert [package.requirement for package in look.pinned()] == ["keys==1.0"]
    assert look.passed_over == {"gone": "no sdist", "plain": "no source outside tests that uses jax.random"}
    assert "flax" not in tool.index.asked


def test_a_package_that_was_for_another_python_may_be_drawn_again(drawn: Tool) -> None:
    look = load_look(drawn.looks, 1)
    look.passed_over = {"newer": first_look.FOR_ANOTHER_PYTHON, "plain": "no source outside tests that uses jax.random"}
    look.save(drawn.looks)
    drawn.candidates("demo", "newer", "plain")
    drawn.index.files["newer"] = {"newer.py": "import jax\njax.random.key(0)\n"}
    assert drawn.run("draw", "--packages", "1", seed=2) == 0
    assert [package.name for package in load_look(drawn.looks, 2).pinned()] == ["newer"]
    assert "plain" not in drawn.index.asked


def test_a_draw_that_is_recorded_fetches_the_same_files(drawn: Tool, capsys: pytest.CaptureFixture[str]) -> None:
    asked = len(drawn.index.asked)
    assert drawn.run("draw") == 0
    assert len(drawn.index.asked) == asked
    (drawn.cache / "demo-1.0").rename(drawn.cache / "away")
    drawn.index.files = {"demo": {"demo/m.py": "another\n"}}
    assert drawn.run("draw") == 2
    assert "differs from the pinned SHA-256" in capsys.readouterr().err


def test_a_second_look_draws_nothing_that_the_first_has_seen(drawn: Tool) -> None:
    drawn.candidates("demo", "other")
    drawn.index.files["other"] = {"other.py": "import jax\njax.random.key(0)\n"}
    assert drawn.run("draw", "--packages", "1", seed=2) == 0
    assert [package.name for package in load_look(drawn.looks, 2).pinned()] == ["other"]


@pytest.mark.parametrize(
    ("source", "uses"),
    [
        ("import jax\nk = jax.random.key(0)", True),
        ("import jax.random as jr", True),
        ("from jax import numpy as jnp, random", True),
        ("from jax import random as jrandom", True),
        ("from jax.random import PRNGKey", True),
        ("import random\nfrom jax import numpy", False),
        ("import jax.numpy as jnp", False),
    ],
)
def test_a_package_of_use_speaks_of_keys(tmp_path: Path, source: str, uses: bool) -> None:
    (tmp_path / "m.py").write_text(source)
    assert first_look.uses_keys(tmp_path / "m.py") is uses


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("demo/m.py", False),
        ("tests/helpers.py", True),
        ("demo/test/m.py", True),
        ("demo/m_test.py", True),
        ("test_m.py", True),
        ("demo/conftest.py", True),
        ("demo/testing.py", False),
        ("demo/contest.py", False),
        ("demo/latest.py", False),
    ],
)
def test_which_files_are_tests(file: str, expected: bool) -> None:
    assert in_tests(file) is expected


# Linting and reading.


def test_a_look_from_lint_to_the_table(drawn: Tool, capsys: pytest.CaptureFixture[str]) -> None:
    drawn.report(("demo/m.py", 2, "certain"), ("demo/m.py", 3, "likely"), ("tests/test_m.py", 2, "certain"))
    assert drawn.run("lint") == 1
    assert "2 findings outside tests, 1 in tests, 3 to read" in capsys.readouterr().out
    assert drawn.run("close") == 2
    assert "3 findings wait for a mark" in capsys.readouterr().err
    assert drawn.run("review", "--lines", "1") == 1
    assert "  >     2 random.normal(key)\n" in capsys.readouterr().out

    first, second, third = ids(drawn)
    assert drawn.run("mark", first, "true", "The key is drawn from twice.") == 0
    assert drawn.run("mark", second, "zero-turns", "The loop makes a new key.") == 0
    assert drawn.run("mark", third, "intended", "The test compares two draws.") == 0
    assert drawn.run("review") == 0
    assert drawn.run("close") == 0
    (row,) = load_table(drawn.looks)
    assert (row["seed"], row["commit"], row["packages"]) == (1, "c0ffee", 1)
    assert row["found"] == {"outside": 2, "tests": 1}
    assert totals(row) == {"true": 1, "intended": 1, "zero-turns": 1, "false-alarm": 0, "read": 3}
    assert totals(row, ["certain"], ["tests"])["intended"] == 1
    assert "1 (33.3 %) are true only if a loop runs zero times" in capsys.readouterr().out

    assert drawn.run("close") == 2
    assert "rows are not changed" in capsys.readouterr().err
    assert drawn.run("lint") == 2


def test_a_mark_after_a_change_of_the_analysis_is_refused(
    drawn: Tool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn.report(("demo/m.py", 2, "certain"))
    drawn.run("lint")
    monkeypatch.setattr(first_look, "digest", lambda: "after")
    assert drawn.run("mark", *ids(drawn), "true", "It is so.") == 2
    assert "the analysis has changed since the lint" in capsys.readouterr().err
    assert drawn.run("review") == 1


def test_a_mark_is_of_a_finding_that_is_to_be_read(drawn: Tool, capsys: pytest.CaptureFixture[str]) -> None:
    drawn.report(("demo/m.py", 2, "certain"))
    drawn.run("lint")
    assert drawn.run("mark", "0123456789", "true", "It is so.") == 2
    assert "no finding of the last run has the id 0123456789" in capsys.readouterr().err


def test_the_digest_follows_the_sources_of_the_analysis(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_look, "ROOT", tmp_path)
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "pack.toml").write_text("a = 1")
    first = first_look.digest()
    (tmp_path / "rules" / "notes.txt").write_text("no source")
    assert first_look.digest() == first
    (tmp_path / "rules" / "pack.toml").write_text("a = 2")
    assert first_look.digest() != first


def test_a_sample_is_that_of_the_seed() -> None:
    findings = [Seen(str(number), "demo", "m.py", number, "OLY104", "", "likely", "") for number in range(9)]
    assert sample(1, findings, 9) == findings
    assert len(sample(1, findings, 4)) == 4
    assert sample(1, findings, 4) == sample(1, findings, 4)


# The stored looks and the pages that quote them.


def test_candidates_are_named_once_and_are_not_in_the_corpus() -> None:
    names = first_look.candidates(first_look.LOOKS)
    assert len(names) == len(set(names)) >= 120
    assert not set(names) & {package.name for package in load_packages()}


@pytest.mark.parametrize("row", load_table(), ids=lambda row: f"seed {row['seed']}")
def test_a_row_agrees_with_its_marks(row: dict[str, Any]) -> None:
    look: Look = load_look(first_look.LOOKS, row["seed"])
    marks = first_look.load_reviews(first_look.LOOKS / f"{look.seed}.jsonl", first_look.LOOK_MARKS)
    assert sorted(marks) == look.to_read
    assert first_look.summarise(look, marks.values(), row["date"]) == row


def test_the_pages_quote_the_last_look() -> None:
    confidence, benchmarks = (page.read_text("utf-8") for page in PAGES)
    rows = load_table()
    assert first_look.sentence(rows[-1]) in confidence
    assert first_look.so_far(rows, first_look.load_reviews(first_look.HERE / "snapshot.jsonl").values()) in confidence
    assert first_look.by_confidence(rows[-1]) in confidence
    assert first_look.markdown(rows) in benchmarks
