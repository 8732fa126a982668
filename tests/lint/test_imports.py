"""What the program loads: little for ``--help``, and never JAX."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from programs import CLEAN, RAW, REUSE

HEAVY = ("jax", "jaxlib", "numpy", "rich", "libcst", "pathspec", "pygments")
PROBE = """
import sys
from olympus_lint.cli import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print("LOADED", *sorted({name.partition(".")[0] for name in sys.modules}))
"""


def loaded(*arguments: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *arguments], capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stdout.rpartition("LOADED ")[2].split())


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_loads_nothing_heavy(option):
    assert loaded(option).isdisjoint({*HEAVY, "tomllib", "olympus_rules", "olympus_codemods"})


def test_a_run_without_findings_loads_no_libcst(project):
    Path("a.py").write_text(CLEAN)
    assert loaded("a.py").isdisjoint(HEAVY)


def test_a_run_without_changes_loads_nothing_heavy(project):
    Path("a.py").write_text(REUSE)
    assert "libcst" in loaded("a.py")
    for output in ("full", "concise", "json", "sarif"):
        assert loaded("--output-format", output, "a.py").isdisjoint(HEAVY), output


def test_a_run_never_loads_jax(project):
    Path("a.py").write_text(RAW + REUSE.partition("\n")[2])
    names = loaded("--fix", "--unsafe-fixes", "--select", "ALL", "--output-format", "sarif", "a.py")
    assert names.isdisjoint({"jax", "jaxlib", "numpy", "rich"})
    assert "libcst" in names
