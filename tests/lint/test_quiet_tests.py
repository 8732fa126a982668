"""The setting `tests`: which reuses are shown in tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from olympus_lint.commandline.check import options_over
from olympus_lint.commandline.options import parse
from olympus_lint.project.settings import Settings
from olympus_lint.run.one_file import check_bytes

HEAD = "import jax\nimport jax.random as jr\n\n\n"
MEANT = HEAD + (
    "def test_same(one, two):\n    key = jax.random.key(1)\n    assert one.sample(key) ** two(key)\n\n\n"
    "def test_other(model):\n    key = jax.random.key(0)\n    x = jr.normal(key)\n    model.init(key, x)\n"
)
EQUAL = HEAD + "def test_equal(key, f):\n    x = jr.normal(key, (3,))\n    assert f(x, jr.normal(key, (2,)))\n"


@pytest.mark.parametrize(
    "name",
    ["test_a.py", "a_test.py", "conftest.py", "tests/a.py", "pkg/test/a.py", "testing/deep/a.py", "tests/test_a.ipynb"],
)
def test_what_a_test_hands_to_the_code_under_test_is_not_shown(project: Path, name: str):
    (project / "pyproject.toml").touch()
    assert shown(project / name, MEANT) == ([], 2)
    assert shown(project / name, MEANT, tests="all") == (["OLY104", "OLY104"], 0)
    assert shown(project / name, EQUAL) == (["OLY104"], 0)


@pytest.mark.parametrize("name", ["a.py", "latest.py", "testimony/a.py", "tests.py", "src/contest.py"])
def test_other_files_show_all(project: Path, name: str):
    (project / "pyproject.toml").touch()
    assert shown(project / name, MEANT) == (["OLY104", "OLY104"], 0)


def test_a_folder_above_the_project_says_nothing(project: Path):
    (project / "tests/app").mkdir(parents=True)
    (project / "tests/app/pyproject.toml").touch()
    assert shown(project / "tests/app/a.py", MEANT) == (["OLY104", "OLY104"], 0)


def shown(path: Path, text: str, **chosen: str) -> tuple[list[str], int]:
    """Return the codes of the findings that are shown, and how many are not."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = text
    if path.suffix == ".ipynb":
        import json

        cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": text}
        data = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    result, _ = check_bytes(str(path), data.encode(), Settings(**chosen))
    assert not result.errors
    return [finding.code for finding in result.findings], result.quiet


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        ("x = jr.normal(key)\n    y = jr.normal(key)", ["OLY104"]),
        ("x = jr.normal(key)\n    y = jr.uniform(key)", ["OLY104"]),
        ("x = [jr.normal(key) for _ in range(3)]", ["OLY104"]),
        ("x = jax.tree.map(lambda a: jr.normal(key, a.shape), f)", ["OLY104"]),
        ("for _ in range(3):\n        f(jr.normal(key))", ["OLY104"]),
        ("x = jr.normal(key)\n    a, b = jr.split(key)\n    f(a, b)", []),
        ("x = jr.normal(key)\n    y = jr.gamma(key, 2.0)", []),
        ("a, b = jr.split(key)\n    c, d = jr.split(key)\n    f(a, b, c, d)", []),
        ("x = f(key)\n    y = jr.normal(key)", []),
        ("f.init(key)\n    f.init(key)", []),
        ("a, b = jr.split(key)\n    c = jr.split(key, 5)\n    f(a, b, c)", ["OLY108"]),
    ],
)
def test_draws_with_the_same_bits_are_shown(project: Path, body: str, codes: list[str]):
    text = f"{HEAD}def test_it(f):\n    key = jax.random.key(0)\n    {body}\n"
    found, quiet = shown(project / "test_a.py", text)
    assert found == codes
    everything, none = shown(project / "test_a.py", text, tests="all")
    assert len(everything) == len(found) + quiet > 0 and none == 0


def test_equal_draws_are_shown_beside_what_is_handed_on(project: Path):
    text = f"{HEAD}def test_it(f, key):\n    f(key)\n    x = jr.normal(key)\n    assert f(key) == x + jr.normal(key)\n"
    result, _ = check_bytes(str(project / "test_a.py"), text.encode(), Settings())
    (finding,) = result.findings
    assert (finding.span.start.row, result.quiet) == (8, 0)
    assert "`jax.random.normal` drew from it on line 7" in finding.message


def test_the_report_and_the_exit_status(project: Path, run):
    Path("test_a.py").write_text(MEANT)
    for _ in ("checked", "from the cache"):
        done = run("test_a.py")
        assert done.status == 0
        assert done.out == "All checks passed!\n2 findings in tests are not shown; `--tests all` shows them.\n"
    assert run("-q", "test_a.py").out == ""
    done = run("--tests", "all", "test_a.py")
    assert done.status == 1 and "Found 2 findings." in done.out and "not shown" not in done.out
    done = run("--output-format", "json", "test_a.py")
    assert done.out == "[]\n"
    assert done.err == "note: 2 findings in tests are not shown; `--tests all` shows them.\n"
    assert "<code>--tests all</code>" in run("--output-format", "html", "test_a.py").out


def test_one_finding(project: Path, run):
    Path("test_a.py").write_text(MEANT.partition("def test_other")[0])
    said = "1 finding in tests is not shown; `--tests all` shows it.\n"
    assert run("--no-cache", "test_a.py").out.endswith(said)


def test_a_changed_file_beside_cached_ones(project: Path, run):
    Path("test_a.py").write_text(MEANT)
    assert "2 findings in tests" in run(".").out
    Path("test_b.py").write_text(MEANT)
    assert "4 findings in tests" in run(".").out  # of one, the result is kept


def test_a_suppression_of_a_finding_that_is_not_shown_is_in_use(project: Path, run):
    Path("test_a.py").write_text(MEANT.replace("two(key)", "two(key)  # noqa: OLY104"))
    done = run("--no-cache", "test_a.py")
    assert done.status == 0 and "1 finding in tests is not shown" in done.out


def test_fixes_leave_alone_what_is_not_shown(project: Path, run):
    Path("test_a.py").write_text(MEANT)
    done = run("--fix", "--unsafe-fixes", "test_a.py")
    assert done.status == 0 and "2 findings in tests are not shown" in done.out
    assert Path("test_a.py").read_text() == MEANT


def test_a_wrong_value(project: Path, run):
    done = run("--tests", "quite", ".")
    assert done.status == 2
    assert done.err == "error: --tests: expected one of quiet, all, not 'quite'; did you mean 'quiet'?\n"


def test_what_a_recorded_run_has_seen_is_shown_in_tests_as_well():
    assert "tests" not in options_over(parse(["tests"]))
    assert options_over(parse(["--trace-events", "run.jsonl", "tests"]))["tests"] == "all"
    assert options_over(parse(["--trace-events", "run.jsonl", "--tests", "quiet", "tests"]))["tests"] == "quiet"
