"""What the README promises: its two commands, the outputs and numbers that it shows, its table of rules."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from outputs import alike
from tables import rule_rows

from olympus_lint.cli import main
from olympus_lint.commandline.options import parser
from olympus_lint.project.configuration import Configuration
from olympus_lint.project.discovery import discover
from olympus_lint.reporting.formats import format_names
from olympus_lint.run.context import Mode
from olympus_lint.run.runner import check_files

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
CI = (ROOT / ".ci" / "run").read_text("utf-8")
FENCES = {
    language: [
        token.content for token in MarkdownIt().parse(README) if token.type == "fence" and token.info == language
    ]
    for language in ("console", "python", "text", "toml")
}
SETUPS = [block.strip() for block in FENCES["console"] if block.startswith("python3 -m venv")]


@pytest.fixture
def at_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def example_codes() -> Counter[str]:
    files, problems = discover(["docs/example"], Configuration({}).at)
    assert problems == []
    results = list(check_files(files, Mode.CHECK, jobs=1))
    assert [error for result in results for error in result.errors] == []
    return Counter(finding.code for result in results for finding in result.findings)


def test_ci_runs_the_two_commands():
    assert len(SETUPS) == 2
    lint, test = SETUPS
    assert lint.endswith(".venv/bin/olympus-lint docs/example")
    assert test.endswith(".venv/bin/pytest")
    rows = [row.strip() for row in CI.splitlines()]
    assert rows.count(lint) == rows.count(test) == 1
    assert rows.count(".venv/bin/pytest -m search") == 1  # what the second command leaves out


def test_the_shown_output_is_what_the_command_prints(at_root: None, capsys: pytest.CaptureFixture[str]):
    command, _, shown = FENCES["console"][0].partition("\n")
    assert command.startswith("$ olympus-lint docs/example/")
    assert main(command.split()[2:]) == 1
    assert capsys.readouterr().out == shown


def test_the_example_gives_the_codes_that_are_named(at_root: None):
    found = example_codes()
    sentence = re.search(r"ends with exit status 1 and six findings: (.+?)\. ", README, re.DOTALL)
    assert sentence
    assert set(re.findall(r"OLY\d{3}", sentence[1])) == set(found)
    assert "OLY104 (twice," in sentence[1]
    assert found == Counter(["OLY101", "OLY102", "OLY103", "OLY104", "OLY104", "OLY201"])
    assert f'expected="{" ".join(sorted(found.elements()))}"' in (ROOT / ".ci" / "lint-example").read_text("utf-8")


def test_each_mistake_of_the_example_has_a_quiet_neighbour(at_root: None, capsys: pytest.CaptureFixture[str]):
    main(["docs/example", "--output-format", "concise", "--quiet"])
    rows: dict[str, set[int]] = {}
    for line in capsys.readouterr().out.splitlines():
        filename, row, *_ = line.split(":")
        rows.setdefault(filename, set()).add(int(row))
    assert len(rows) == 3
    for filename, flagged in rows.items():
        starts = [n for n, row in enumerate(Path(filename).read_text().splitlines(), 1) if row.startswith("def ")]
        functions = [range(a, b) for a, b in zip(starts, [*starts[1:], 10_000], strict=True)]
        wrong = [bool(flagged.intersection(function)) for function in functions]
        assert [wrong[n + 1] for n, flag in enumerate(wrong) if flag] == [False] * sum(wrong), filename


def test_the_rule_table_agrees_with_the_rules():
    rows = re.findall(r"^\| \[OLY.+$", README, re.MULTILINE)
    assert rows == rule_rows("docs/rules")


def test_options_and_formats_in_the_readme_exist():
    known = {option for action in parser()._actions for option in action.option_strings}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", README)) <= known
    assert set(re.findall(r"--output-format ([a-z-]+)", README)) <= set(format_names())


def test_the_settings_in_the_readme_are_accepted(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (block,) = FENCES["toml"]
    (tmp_path / "pyproject.toml").write_text(block)
    assert main(["--show-settings", str(tmp_path)]) == 0
    assert "OLY201" in capsys.readouterr().out


def test_the_ci_script_is_bash():
    done = subprocess.run(["bash", "-n", str(ROOT / ".ci" / "run")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_the_first_example_prints_what_is_shown(capsys: pytest.CaptureFixture[str]):
    pytest.importorskip("jax", reason="the example draws with JAX")
    exec(compile(FENCES["python"][0], "README.md", "exec"), {"__name__": "example"})
    assert alike(capsys.readouterr().out, FENCES["text"][0])


LOOKS = [
    (json.loads(path.with_suffix(".json").read_text("utf-8")), path.read_text("utf-8").splitlines())
    for path in sorted((ROOT / "tests" / "benchmarks" / "first_looks").glob("[0-9]*.jsonl"))
]


def test_the_mistakes_in_packages_are_records_of_first_looks():
    shown = re.findall(r"^\| (\w+) ([\d.]+) \| `(.+?):(\d+)` \| (.+) \|$", README, re.MULTILINE)
    assert len(shown) == 3
    records = {
        (mark["package"], package["version"], mark["file"], str(mark["row"]), mark["sentence"])
        for look, marks in LOOKS
        for mark in map(json.loads, marks)
        for package in look["packages"]
        if package["name"] == mark["package"] and mark["mark"] == "true"
    }
    assert set(shown) <= records


def test_the_numbers_of_all_first_looks_are_those_of_the_records():
    marks = [json.loads(mark) for _, rows in LOOKS for mark in rows]
    packages = [mark["package"] for mark in marks if mark["mark"] == "true" and mark["code"].startswith("OLY1")]
    drawn = sum(len(look["packages"]) for look, _ in LOOKS)
    assert (
        f"In {drawn} released packages that the analysis had never been tuned on, "
        f"{len(packages)} findings of misused keys were read and are true, in {len(set(packages))} of the packages."
    ) in README


def test_each_place_that_names_a_version_names_this_one():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert f"\n## [{version}] - " in changes or f"\n## [Unreleased]\n\nTo be released as {version}.\n" in changes
    pages = README + "".join(page.read_text("utf-8") for page in (ROOT / "docs").rglob("*.md"))
    pins = re.findall(r"(?:rev: v|olympus-lint@v|olympus-lint(?:\[\w+\])?==)([\w.]+)", pages)
    assert len(pins) > 5 and set(pins) == {version}
    assert "@COMMIT" not in pages and "rev: COMMIT" not in pages


def test_links_of_the_package_index_are_absolute():
    """What the build makes of this page; a relative link leads nowhere on the index."""
    pytest.importorskip("hatch_fancy_pypi_readme", reason="the long description is built with it")
    command = [sys.executable, "-m", "hatch_fancy_pypi_readme"]
    made = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    links = re.compile(r"\]\(([^)\s]+)\)")
    ours, theirs = links.findall(README), links.findall(made)
    assert len(ours) == len(theirs) > 30
    for before, after in zip(ours, theirs, strict=True):
        if before.startswith(("#", "https://")):
            assert after == before
        else:
            assert after.startswith("https://github.com/olympus-lint/olympus-lint/")
            assert after.endswith(f"/{before}")
            assert (ROOT / before.partition("#")[0]).exists()
