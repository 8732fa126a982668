"""The GitHub action: its steps are run as a runner runs them, and the workflows of the docs are valid."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
REUSE = "import jax\n\nkey = jax.random.key(0)\nprint(jax.random.normal(key), jax.random.normal(key))\n"
BASH = shutil.which("bash")


@pytest.fixture
def runner(tmp_path: Path) -> dict[str, str]:
    """The variables of a runner on which the first step is done: the command of this environment is installed."""
    (tmp_path / "temp/olympus-lint").mkdir(parents=True)
    (tmp_path / "temp/olympus-lint/bin").symlink_to(Path(sys.executable).parent)
    (tmp_path / "project").mkdir()
    told = {"RUNNER_TEMP": "temp", "GITHUB_OUTPUT": "output", "GITHUB_STEP_SUMMARY": "summary"}
    return os.environ | {name: str(tmp_path / place) for name, place in told.items()}


def lint(runner: dict[str, str], folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    given = {name: each["default"] for name, each in ACTION["inputs"].items()} | inputs
    step = next(step for step in ACTION["runs"]["steps"] if step.get("id") == "lint")
    told = {
        name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda found: given[found[1]], value)
        for name, value in step["env"].items()
    }
    line = [str(BASH), "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]]
    return subprocess.run(line, cwd=folder, env=runner | told, capture_output=True, text=True, check=False)


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
def test_findings_are_annotated_counted_and_fail_the_job(runner: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "project"
    (folder / "model.py").write_text(REUSE)
    done = lint(runner, folder, sarif="found.sarif", options="--no-cache")
    assert done.returncode == 1 and "::error file=model.py,line=4" in done.stdout
    assert (tmp_path / "output").read_text() == "findings=1\n"
    summary = (tmp_path / "summary").read_text()
    assert summary.startswith("### olympus-lint\n\n1 finding in 1 file.\n") and "| OLY104 key-reuse | 1 |" in summary
    assert summary.count("```mermaid\nflowchart LR\n") == 1
    assert json.loads((folder / "found.sarif").read_text())["runs"][0]["results"][0]["ruleId"] == "OLY104"


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
def test_a_clean_project_passes_and_wrong_options_fail(runner: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "project"
    (folder / "model.py").write_text("x = 1\n")
    assert lint(runner, folder).returncode == 0
    assert (tmp_path / "output").read_text() == "findings=0\n"
    assert lint(runner, folder, options="--selekt ALL").returncode == 2


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
def test_inputs_are_no_code(runner: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "project"
    lint(runner, folder, paths="$(touch harmed) `touch harmed`; touch harmed", options="; touch harmed")
    assert not (folder / "harmed").exists()
    steps = ACTION["runs"]["steps"]
    assert all("${{" not in step["run"] for step in steps)  # a value would become a part of the script


def test_the_workflows_of_the_docs_are_valid() -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs/ci.md").read_text(), re.DOTALL)
    workflows = [yaml.safe_load(block) for block in blocks]
    for workflow in (each for each in workflows if "jobs" in each):
        assert workflow["permissions"]["contents"] == "read"
        steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
        ours = [step for step in steps if "olympus-lint@" in step.get("uses", "")]
        assert all(set(step.get("with", {})) <= set(ACTION["inputs"]) for step in ours)
    assert len(workflows) == 7
