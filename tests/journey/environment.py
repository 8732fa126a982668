"""What a first user has: the wheel in a fresh environment, a repository with the hooks, and nothing of ours."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

__all__ = ["TAG", "Environment", "NoIndex"]

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
TAG = f"v{version('olympus-lint')}"
"""The tag of the release that the working tree is to become."""
PUBLISHED = (".pre-commit-hooks.yaml", "LICENSE", "README.md", "codemods", "docs", "olympus_lint", "pyproject.toml")
PUBLISHED += ("rules", "runtime")  # what the wheel is built from, and the description of the hooks
OURS = re.compile("OLYMPUS|JAX|XLA|PYTHON|PYTEST|GIT|CI$|COVERAGE|VIRTUAL_ENV|(NO|FORCE)_COLOR|TERM$|COLUMNS")
"""Variables that change what the commands do or say."""
PERSON = {
    "GIT_AUTHOR_NAME": "A User",
    "GIT_AUTHOR_EMAIL": "user@example.org",
    "GIT_COMMITTER_NAME": "A User",
    "GIT_COMMITTER_EMAIL": "user@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


class NoIndex(Exception):
    """The package index cannot be reached."""


@dataclass(frozen=True)
class Environment:
    """An installed olympus-lint.

    Attributes:
        folder: where all of it is: the environment `venv`, the repository `olympus-lint`.
    """

    folder: Path

    @property
    def programs(self) -> Path:
        """The folder of the installed commands."""
        return self.folder / "venv" / "bin"

    @property
    def repository(self) -> Path:
        """The git repository that pre-commit gets the hooks from."""
        return self.folder / "olympus-lint"

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables of the user's commands."""
        kept = {name: value for name, value in os.environ.items() if not OURS.match(name)}
        return {
            **kept,
            **PERSON,
            "PATH": os.pathsep.join([str(self.programs), os.environ["PATH"]]),
            "COLUMNS": "100",  # of `--help`
            "JAX_PLATFORMS": "cpu",
            "JAX_COMPILATION_CACHE_DIR": str(self.folder / "compiled"),  # half of the time is for compilation
            "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
            "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
            "XLA_FLAGS": "--xla_backend_optimization_level=0",  # more is compiled here than is executed
            "PRE_COMMIT_HOME": str(self.folder / "pre-commit"),
        }

    def build(self) -> None:
        """Build the wheel from the working tree, and install it with what the steps need.

        Raises:
            NoIndex: if the packages cannot be downloaded.
        """
        self.folder.mkdir()
        self._call(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(self.folder), str(ROOT))
        self._call(sys.executable, "-m", "venv", str(self.folder / "venv"))
        wheel = next(self.folder.glob("*.whl"))
        install = [str(self.programs / "pip"), "install", "--quiet", "--no-compile"]  # most modules are never imported
        asked = ["--constraint", str(HERE / "constraints.txt"), f"{wheel}[server,trace]", "pre-commit", "pytest"]
        self._call(*install, *asked)
        self._publish()

    def _publish(self) -> None:
        """Make a git repository of the working tree, with the tag that the settings of the hooks name."""
        self.repository.mkdir()
        for name in PUBLISHED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, self.repository / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, self.repository)
        for command in ("init --quiet", "add --all", "commit --quiet --message=Release", f"tag {TAG}"):
            self._call("git", "-C", str(self.repository), *command.split())

    def _call(self, *command: str) -> None:
        done = subprocess.run(command, env=self.variables, capture_output=True, text=True)
        if done.returncode and "No matching distribution found" in done.stderr:
            raise NoIndex(done.stderr)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr}")
