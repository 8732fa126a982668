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


ALONE = """
import sys
sys.path += sys.argv[1:]
from olympus_lint.project.settings import Settings
from olympus_lint.run.engine import lint_text
checked = lint_text("a.py", sys.stdin.read(), Settings(select=("ALL",)))
assert not checked.errors
print(*(f"{finding.code} {finding.fix} {len(finding.related)}" for finding in checked.findings))
"""


def test_a_text_is_checked_with_the_standard_library_alone():
    """As in a browser: findings are there, fixes need LibCST."""
    root = Path(__file__).parent.parent.parent
    roots = [str(root / folder) for folder in ("", "rules", "codemods", "runtime")]
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", ALONE, *roots], input=REUSE, capture_output=True, text=True, timeout=60
    )
    assert (done.stdout, done.stderr) == ("OLY104 None 1\n", "")
