"""The hooks with pre-commit itself: both of them, what is excluded, and more files than one command line takes."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from .environment import TAG, Environment

CLEAN = "import jax\n\nx = jax.random.normal(jax.random.key(0))\n"
LEGACY = "import jax\n\nkey = jax.random.PRNGKey(0)\n"
REUSE = "import jax\n\n\ndef f(key):\n    return jax.random.normal(key), jax.random.uniform(key)\n"
SETTINGS = '[tool.olympus-lint]\nextend-select = ["OLY201"]\nextend-exclude = ["generated"]\n'
LONG = 200
"""Characters of a file's name: 131,072 is what pre-commit puts into one command line."""
MANY = 800

pytestmark = pytest.mark.search


class Repository:
    """A git repository whose commits pre-commit checks."""

    def __init__(self, folder: Path, environment: Environment) -> None:
        self.folder = folder
        self.environment = environment
        self.call("git init --quiet")
        self.write("pyproject.toml", SETTINGS)

    def call(self, line: str) -> subprocess.CompletedProcess[str]:
        variables = self.environment.variables
        return subprocess.run(line.split(), cwd=self.folder, env=variables, capture_output=True, text=True, check=False)

    def write(self, name: str, text: str) -> Path:
        file = self.folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        return file

    def hooks(self, *hooks: str) -> None:
        """Write the settings of pre-commit, each hook with its further lines."""
        text = f"repos:\n  - repo: {self.environment.repository}\n    rev: {TAG}\n    hooks:\n"
        self.write(".pre-commit-config.yaml", text + "".join(f"      - id: {hook}\n" for hook in hooks))

    def run(self) -> tuple[int, str]:
        """Run the hooks on all files; return the exit status and what is said."""
        self.call("git add --all")
        done = self.call("pre-commit run --all-files --color never")
        return done.returncode, done.stdout + done.stderr


@pytest.fixture
def repository(environment: Environment, tmp_path: Path) -> Repository:
    return Repository(tmp_path, environment)


def test_one_hook_reports_and_the_other_one_fixes(repository: Repository) -> None:
    legacy, reuse = repository.write("a.py", LEGACY), repository.write("b.pyi", REUSE)
    repository.write("notes.md", f"```python\n{REUSE}```\n")
    repository.hooks("olympus-lint")
    status, said = repository.run()
    assert status == 1 and "a.py:3:7: OLY201" in said and "b.pyi:5:36: OLY104" in said and "Found 2 findings." in said
    assert (legacy.read_text(), reuse.read_text()) == (LEGACY, REUSE)
    repository.hooks("olympus-lint-fix")
    status, said = repository.run()
    assert status == 1 and "files were modified by this hook" in said and "(1 fixed, 1 remaining)" in said
    assert (legacy.read_text(), reuse.read_text()) == (LEGACY.replace("PRNGKey", "key"), REUSE)
    reuse.write_text(CLEAN)
    assert repository.run()[0] == 0


def test_what_either_of_the_two_excludes_is_left_alone(repository: Repository) -> None:
    files = [repository.write(name, LEGACY) for name in ("generated/a.py", "vendored/b.py")]
    repository.write("c.py", CLEAN)
    repository.hooks("olympus-lint\n        exclude: ^vendored/", "olympus-lint-fix\n        exclude: ^vendored/")
    status, said = repository.run()
    assert status == 0 and said.count("Passed") == 2
    assert [file.read_text() for file in files] == [LEGACY, LEGACY]


def test_several_command_lines_are_one_check(repository: Repository) -> None:
    """Each one knows the functions of the files of the others, and the baseline counts for all."""
    shown = "from {} import shown\nimport jax\n\n\ndef f(key):\n    shown(key)\n    return jax.random.normal(key)\n"
    names = [f"m{number:03}{'_' * (LONG - 7)}" for number in range(MANY)]
    for name in names:
        repository.write(f"{name}.py", CLEAN)
    repository.write(f"{names[0]}.py", "def shown(key):\n    print(key.dtype)\n")
    repository.write(f"{names[-1]}.py", shown.format(names[0]))
    repository.hooks("olympus-lint")
    assert repository.run()[0] == 0
    for name in (names[1], names[-2]):
        repository.write(f"{name}.py", REUSE)
    status, said = repository.run()
    assert status == 1 and re.findall(r"^Found .*", said, re.MULTILINE) == ["Found 1 finding."] * 2
    repository.call("olympus-lint --write-baseline known.json")
    repository.write("pyproject.toml", f'{SETTINGS}baseline = "known.json"\n')
    status, said = repository.run()
    assert status == 0, said
