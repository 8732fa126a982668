"""The workflows of this repository: what they may do, and that what they run exists. The forms for issues."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from olympus_lint.cli import main
from olympus_lint.commandline.options import parser

ROOT = Path(__file__).parents[1]
GITHUB = ROOT / ".github"
WORKFLOWS = {path.stem: yaml.safe_load(path.read_text("utf-8")) for path in GITHUB.glob("workflows/*.yml")}
FORMS = {path.stem: yaml.safe_load(path.read_text("utf-8")) for path in GITHUB.glob("ISSUE_TEMPLATE/*.yml")}
CONTACTS = FORMS.pop("config")
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
PUBLISHER = "pypa/gh-action-pypi-publish"
INSTALLED = {
    ".[dev,trace]": {"python -m pytest"},
    "uv": {"uv", "uvx"},
    "pipx": {"pipx"},
    "dist/*.whl": {"olympus-lint"},
    "../..[server]": {"olympus-lint"},
}
"""The commands that a package brings; any other one is a module that Python runs."""
EXTENSION = {"run": {"working-directory": "editors/vscode"}}
SETUPS = {"actions/setup-python": "python", "actions/setup-node": "npm"}
SCRIPTS = json.loads((ROOT / "editors/vscode/package.json").read_text("utf-8"))["scripts"]

Job = dict[str, Any]


def jobs() -> Iterator[tuple[str, Job]]:
    for workflow, content in WORKFLOWS.items():
        yield from ((f"{workflow}:{name}", job) for name, job in content["jobs"].items())


def steps() -> Iterator[tuple[str, Job]]:
    for name, job in jobs():
        yield from ((name, step) for step in job.get("steps", ()))


def used() -> Iterator[str]:
    for _, each in [*jobs(), *steps()]:
        if "uses" in each:
            yield each["uses"]


def needed(workflow: str, name: str) -> set[str]:
    """The jobs without whose success a job does not start."""
    needs = WORKFLOWS[workflow]["jobs"][name].get("needs", [])
    first = {needs} if isinstance(needs, str) else set(needs)
    return first.union(*(needed(workflow, each) for each in first))


def test_a_push_and_a_pull_request_run_the_tests_and_lint_the_project():
    assert {"push", "pull_request"} <= set(WORKFLOWS["ci"][True])  # YAML reads `on` as true
    assert [step["run"] for name, step in steps() if name == "ci:run" and "run" in step] == [".ci/run"]
    assert "./" in [step.get("uses") for name, step in steps() if name == "ci:lint"]


def test_the_project_passes_its_own_lint(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.chdir(ROOT)
    (inputs,) = [step["with"] for _, step in steps() if step.get("uses") == "./"]
    assert set(inputs) <= set(ACTION["inputs"])
    paths = inputs["paths"].split()
    assert {"olympus_lint", "rules", "codemods", "runtime"} <= set(paths)
    assert main(["--no-cache", *paths]) == 0, capsys.readouterr().out


def test_a_tag_of_a_version_starts_the_release_and_nothing_else():
    assert WORKFLOWS["release"][True] == {"push": {"tags": ["v*"]}}


def test_only_the_job_that_publishes_may_do_more_than_read():
    assert all(workflow["permissions"] == {"contents": "read"} for workflow in WORKFLOWS.values())
    assert {name: job["permissions"] for name, job in jobs() if "permissions" in job} == {
        "release:publish": {"id-token": "write"}
    }


def test_the_job_that_publishes_runs_none_of_our_code():
    publish = WORKFLOWS["release"]["jobs"]["publish"]
    assert publish["environment"] == "pypi"
    assert [step["uses"].partition("@")[0] for step in publish["steps"]] == ["actions/download-artifact", PUBLISHER]


def test_what_is_published_was_tested_built_checked_and_tried():
    assert needed("release", "publish") == {"test", "build", "try"}
    assert WORKFLOWS["release"]["jobs"]["test"]["uses"] == "./.github/workflows/ci.yml"
    assert "workflow_call" in WORKFLOWS["ci"][True]
    ran = [
        step["run"].partition(" #")[0].strip() for name, step in steps() if name == "release:build" and "run" in step
    ]
    assert ran.index('.ci/check-release "$GITHUB_REF_NAME"') < ran.index("python -m build")
    assert ran.index("python -m build") < ran.index("python -m twine check --strict dist/*")
    tried = [step["run"] for name, step in steps() if name == "release:try" and "run" in step]
    assert tried == ["python -m pip install dist/*.whl", ".ci/lint-example olympus-lint docs/example"]
    release = [step for name, step in steps() if name.startswith("release:")]
    assert {step["with"]["name"] for step in release if "-artifact@" in step.get("uses", "")} == {"dist"}


def test_no_workflow_has_a_secret_or_the_rights_of_the_repository_for_a_fork():
    for path in GITHUB.glob("workflows/*.yml"):
        text = path.read_text("utf-8")
        assert "secrets" not in text and "pull_request_target" not in text and "workflow_run" not in text
    checkouts = [step for _, step in steps() if step.get("uses", "").startswith("actions/checkout@")]
    assert checkouts and all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_actions_of_others_are_pinned_to_one_hash_each():
    pins: dict[str, set[str]] = {}
    for use in used():
        if use.startswith("./"):
            assert (ROOT / use).is_file() or (ROOT / use / "action.yml").is_file(), use
        else:
            name, _, commit = use.partition("@")
            assert re.fullmatch(r"[0-9a-f]{40}", commit), use
            pins.setdefault(name, set()).add(commit)
    assert pins and all(len(commits) == 1 for commits in pins.values())


def test_a_pin_says_which_version_it_is():
    for path in GITHUB.glob("workflows/*.yml"):
        pins = re.findall(r"uses: [\w/-]+@[0-9a-f]{40}(.*)", path.read_text("utf-8"))
        assert all(re.fullmatch(r" # v\d+(\.\d+)*", said) for said in pins)


def commands(script: str) -> Iterator[list[str]]:
    for line in script.splitlines():
        if words := shlex.split(line, comments=True):
            yield words


@pytest.mark.parametrize("name", [name for name, job in jobs() if "steps" in job])
def test_the_commands_of_a_job_exist(name: str):
    """A program is a script of the repository, comes with Python, or was installed by a step before."""
    known: set[str] = set()
    for step in [step for job, step in steps() if job == name]:
        known.add(SETUPS.get(step.get("uses", "").partition("@")[0], ""))
        for words in commands(step.get("run", "")):
            if words[0] == ".ci/lint-example":
                assert_exists(words[0])
                words = words[1:]
            if words[:4] == ["python", "-m", "pip", "install"]:
                assert "python" in known
                known.update(*(INSTALLED.get(each, {f"python -m {each}"}) for each in words[4:]))
            elif words[0] == "npm":
                assert "npm" in known and WORKFLOWS["ci"]["jobs"]["vscode"]["defaults"] == EXTENSION
                assert words[1] == "ci" or words[-1] in SCRIPTS
            elif words[:2] == ["python", "-m"]:
                assert " ".join(words[:3]) in known
            elif "/" in words[0]:
                assert_exists(words[0])
            else:
                assert words[0] in known, words


def assert_exists(script: str) -> None:
    path = ROOT / script
    assert path.is_file() and path.stat().st_mode & 0o111, script


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_steps_are_bash_and_take_no_values_as_code():
    scripts = [step["run"] for _, step in steps() if "run" in step]
    assert scripts and not any("${{" in script for script in scripts)
    for script in scripts:
        assert subprocess.run(["bash", "-n", "-c", script], check=False).returncode == 0


def test_the_extension_is_tested_and_kept():
    ran = [step for name, step in steps() if name == "ci:vscode"]
    assert [step["run"] for step in ran if step.get("run", "").startswith("npm")] == [
        "npm ci",
        "npm test",
        "npm run package",
    ]
    file = ran[-1]["with"]["path"]
    assert SCRIPTS["package"].endswith(f" --out {Path(file).name}") and file.startswith("editors/vscode/")


def test_there_is_a_form_for_each_kind_of_report():
    assert set(FORMS) == {"false-alarm", "missed-bug", "fault"}
    assert all({"name", "url", "about"} == set(link) for link in CONTACTS["contact_links"])


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_form_is_valid(form: dict[str, Any]):
    assert set(form) == {"name", "description", "title", "labels", "body"}
    ids = [field["id"] for field in form["body"]]
    assert len(ids) == len(set(ids)) and all(re.fullmatch(r"[\w-]+", each) for each in ids)
    for field in form["body"]:
        assert field["type"] in {"input", "textarea", "dropdown"}
        assert set(field) <= {"type", "id", "attributes", "validations"}
        assert field["attributes"]["label"]
        assert set(field["attributes"]) <= {"label", "description", "render", "options"}
        assert ("options" in field["attributes"]) == (field["type"] == "dropdown")
    assert any(field.get("validations", {}).get("required") for field in form["body"])


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_the_options_that_a_form_names_exist(form: dict[str, Any]):
    told = str(form["body"])
    options = {option for action in parser()._actions for option in action.option_strings}
    assert set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", told)) <= options
    assert "olympus-lint --version" in told
