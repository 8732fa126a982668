"""Other linters and type checkers: each in a virtual environment of its own, and what is asked of it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from packages import CorpusError, program
from timing import Command

DEFAULT_FOLDER = Path("~/.cache/olympus-lint/rivals")
REQUIREMENTS = {
    "fixit": ("fixit==2.2.1",),
    "mypy": ("mypy==2.4.1",),
    "pylint": ("pylint==4.1.4",),
    "pyrefly": ("pyrefly==1.5.0",),
    "pyright": ("pyright[nodejs]==1.1.414",),
    "torchfix": ("flake8==7.5.0", "TorchFix==0.7.0", "libcst>=1.5,<1.6"),
    "ty": ("ty==0.0.108",),
}
MARK = "installed.txt"


def environment(name: str, folder: Path) -> Path:
    """Install a linter, unless it is there, and return the folder of its commands.

    Raises:
        CorpusError: it cannot be installed.
    """
    home = folder / name
    wanted = "\n".join(REQUIREMENTS[name])
    mark = home / MARK
    if not mark.is_file() or mark.read_text() != wanted:
        pip = [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", *REQUIREMENTS[name]]
        for command in ([sys.executable, "-m", "venv", "--clear", str(home)], pip):
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                raise CorpusError(f"{name} cannot be installed: {done.stderr[-800:]}")
        mark.write_text(wanted)
    return home / "bin"


def ruff(files: Sequence[str], *options: str) -> Command:
    """Return the command that checks files with ruff, on all cores."""
    shared = ["check", "--isolated", "--exit-zero", "-q", "--no-respect-gitignore"]
    return Command([program("ruff"), *shared, *(options or ("--no-cache",)), *files])


def fixit(folder: Path, files: Sequence[str]) -> Command:
    """Return the command that checks files with one rule of Fixit, one that needs no metadata, on all cores."""
    words = ["--quiet", "--rules", "fixit.rules:NoStaticIfCondition", "lint", *files]
    return Command([str(environment("fixit", folder) / "fixit"), *words], statuses=range(8))


def pylint(folder: Path, files: Sequence[str]) -> Command:
    """Return the command that checks files with the cheapest checker of pylint, in one process."""
    settings = ["-j1", f"--rcfile={os.devnull}", "--persistent=n", "--exit-zero"]
    words = [*settings, "--disable=all", "--enable=dangerous-default-value", *files]
    return Command([str(environment("pylint", folder) / "pylint"), *words])


def torchfix(folder: Path, files: Sequence[str]) -> Command:
    """Return the command that checks files with TorchFix as a plugin of flake8, in one process."""
    words = ["--isolated", "-j1", "--exit-zero", "--select=TOR", *files]
    return Command([str(environment("torchfix", folder) / "flake8"), *words])


CHECKS = {
    "ty": ("check", "--exit-zero", "-qq", "--python"),
    "pyrefly": ("check", "--summary=none", "--python-interpreter-path"),
    "mypy": ("--config-file=", "--cache-dir", os.devnull, "--ignore-missing-imports", "--python-executable"),
    "pyright": ("--pythonpath",),
}
"""The words with which a type checker checks files from nothing; the interpreter comes next."""


def type_checker(name: str, folder: Path, package: str) -> Command:
    """Return the command that checks the types of a package, with the libraries that this interpreter has."""
    words = [str(environment(name, folder) / name), *CHECKS[name], sys.executable, package]
    return Command(words, statuses=(0, 1))
