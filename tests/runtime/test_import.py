"""What ``import olympus`` costs, and what it needs. These tests need no JAX."""

from __future__ import annotations

import statistics
import subprocess
import sys

import pytest

HEAVY = ("jax", "jaxlib", "numpy")


def run(code: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *options, "-c", code], capture_output=True, text=True)


def seconds(code: str) -> float:
    """Return the CPU time of a process after the start of Python."""
    timed = f"import time\nstart = time.process_time()\n{code}\nprint(time.process_time() - start)"
    return float(run(timed).stdout)


@pytest.mark.parametrize(
    "code",
    ["import olympus", "import olympus; dir(olympus)", "from olympus import Sink", "import olympus; olympus.random"]
    + [f"import olympus.{name}" for name in ("config", "dtypes", "errors", "lax", "random", "tree")],
)
def test_importing_loads_nothing_heavy(code: str):
    done = run(f"import sys\n{code}\nprint(*(name for name in {HEAVY} if name in sys.modules))")
    assert (done.stdout, done.stderr) == ("\n", "")


def test_importing_takes_under_30_ms():
    assert statistics.median(seconds("import olympus") for _ in range(7)) < 0.03


NO_JAX = "import sys; sys.modules['jax'] = None\nimport olympus\n"  # as if it were not installed


@pytest.mark.parametrize(
    "code",
    [
        "olympus.jit",
        "olympus.random.key(0)",
        "from olympus.lax import scan",
        "olympus.config.jax_enable_x64",
        "import olympus.scipy.linalg",
        "from olympus.tree_util import tree_map",
    ],
)
def test_without_jax_the_first_use_says_how_to_install_it(code: str):
    done = run(f"{NO_JAX}{code}")
    assert done.stderr.splitlines()[-1] == (
        "ImportError: olympus needs JAX for this; install it with: pip install 'olympus-lint[trace]'"
    )


def test_without_jax_the_rest_works():
    done = run(f"{NO_JAX}print(olympus.Sink('key').path)\nassert 'random' in dir(olympus)")
    assert (done.stdout, done.stderr) == ("key\n", "")
