"""The pre-commit hooks: their description, and what they do to a repository with staged files."""

from __future__ import annotations

import os
import shlex
import subprocess
import sysconfig
from pathlib import Path

import pytest
import yaml

HOOKS = yaml.safe_load((Path(__file__).parents[1] / ".pre-commit-hooks.yaml").read_text("utf-8"))
SUFFIXES = {"python": ".py", "pyi": ".pyi", "jupyter": ".ipynb"}

LEGACY = "import jax\n\nkey = jax.random.PRNGKey(0)\n"
REUSE = "import jax\n\n\ndef f(key):\n    return jax.random.normal(key), jax.random.uniform(key)\n"
CLEAN = "import jax\n\nx = jax.random.normal(jax.random.key(0))\n"
SETTINGS = '[tool.olympus-lint]\nextend-select = ["OLY201"]\nexclude = ["generated"]\n'


class Repository:
    """A git repository whose hooks are run as pre-commit runs them: the entry, then the staged files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.git("init", "--quiet")
        (folder / "pyproject.toml").write_text(SETTINGS)

    def git(self, *arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=self.folder, capture_output=True, text=True, check=True)
        return done.stdout

    def write(self, name: str, text: str) -> Path:
        file = self.folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        return file

    def run(self, hook_id: str) -> subprocess.CompletedProcess[str]:
        self.git("add", "--all")
        hook = next(hook for hook in HOOKS if hook["id"] == hook_id)
        suffixes = {SUFFIXES[kind] for kind in hook["types_or"]}
        staged = self.git("diff", "--cached", "--name-only", "-z").split("\0")
        files = [name for name in staged if Path(name).suffix in suffixes]
        scripts = sysconfig.get_path("scripts")
        return subprocess.run(
            [*shlex.split(hook["entry"]), *files],
            cwd=self.folder,
            env={**os.environ, "PATH": os.pathsep.join([scripts, os.environ["PATH"]])},
            capture_output=True,
            text=True,
        )


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def test_the_hooks_have_what_pre_commit_asks_for():
    assert [hook["id"] for hook in HOOKS] == ["olympus-lint", "olympus-lint-fix"]
    for hook in HOOKS:
        assert set(hook) == {"id", "name", "description", "entry", "language", "types_or", "require_serial"}
        assert hook["language"] == "python"
        assert hook["types_or"] == list(SUFFIXES)
        assert hook["require_serial"] is True


@pytest.mark.parametrize("hook", [hook["id"] for hook in HOOKS])
def test_clean_files_pass(repository: Repository, hook: str):
    file = repository.write("clean.py", CLEAN)
    repository.write("notes.md", LEGACY)
    done = repository.run(hook)
    assert done.returncode == 0, done.stdout + done.stderr
    assert file.read_text() == CLEAN


def test_findings_stop_the_commit_and_change_nothing(repository: Repository):
    files = {repository.write(name, text): text for name, text in [("a.py", LEGACY), ("b.pyi", REUSE)]}
    done = repository.run("olympus-lint")
    assert done.returncode == 1
    assert "a.py:3:7: OLY201" in done.stdout
    assert "b.pyi:5:36: OLY104" in done.stdout
    assert {file: file.read_text() for file in files} == files


def test_safe_fixes_are_applied_and_stop_the_commit(repository: Repository):
    file = repository.write("a.py", LEGACY)
    first = repository.run("olympus-lint-fix")
    assert first.returncode == 1
    assert file.read_text() == LEGACY.replace("PRNGKey", "key")
    assert repository.run("olympus-lint-fix").returncode == 0


def test_unsafe_fixes_are_left_to_people(repository: Repository):
    file = repository.write("a.py", REUSE)
    done = repository.run("olympus-lint-fix")
    assert done.returncode == 1
    assert "OLY104" in done.stdout
    assert file.read_text() == REUSE


@pytest.mark.parametrize("hook", [hook["id"] for hook in HOOKS])
def test_excluded_files_are_left_alone_though_they_are_staged(repository: Repository, hook: str):
    file = repository.write("generated/a.py", LEGACY)
    done = repository.run(hook)
    assert done.returncode == 0, done.stdout + done.stderr
    assert file.read_text() == LEGACY
