"""The command ``olympus``."""

from __future__ import annotations

import subprocess
import sys

import olympus


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "olympus", *arguments], capture_output=True, text=True)


def test_versions() -> None:
    shown = run("--version")
    assert shown.returncode == 0
    assert shown.stdout.startswith(f"olympus {olympus.__version__}, jax ")


def test_bad_argument() -> None:
    assert run("--nonsense").returncode == 2


def test_jax_is_not_imported() -> None:
    code = "import sys, olympus.__main__ as m; m.main([]); sys.exit('jax' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0
