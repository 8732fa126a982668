"""What ``import olympus`` costs, and what it needs. These tests need no JAX."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from olympus._version import OLDEST_JAX

PROJECT = Path(__file__).parents[2] / "pyproject.toml"
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


FIRST_USES = [
    "olympus.jit",
    "olympus.random.key(0)",
    "from olympus.lax import scan",
    "olympus.config.jax_enable_x64",
    "import olympus.scipy.linalg",
    "from olympus.tree_util import tree_map",
]


@pytest.mark.parametrize("code", FIRST_USES)
def test_without_jax_the_first_use_says_how_to_install_it(code: str):
    done = run(f"{NO_JAX}{code}")
    assert done.stderr.splitlines()[-1] == (
        "ImportError: olympus needs JAX for this; install it with: pip install 'olympus-lint[trace]'"
    )


@pytest.mark.parametrize(
    "code",
    [
        *FIRST_USES,
        "from olympus import lineage; lineage.of(abs, 1)",
        "olympus.check(abs, 1)",
        "from olympus.recording import Recorder; Recorder().__enter__()",
    ],
)
def test_with_a_jax_that_is_too_old_the_first_use_says_so(tmp_path: Path, code: str):
    (tmp_path / "jax.py").write_text("__version__ = '0.4.38'\n")
    done = run(f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\nimport olympus\n{code}")
    assert done.stderr.splitlines()[-1] == (
        "ImportError: JAX 0.4.38 is too old for olympus, which needs 0.6.2 or later; "
        "install it with: pip install --upgrade 'olympus-lint[trace]'"
    )


def test_the_extra_asks_for_the_oldest_jax_that_works():
    extra = tomllib.loads(PROJECT.read_text("utf-8"))["project"]["optional-dependencies"]["trace"]
    oldest = ".".join(map(str, OLDEST_JAX))
    assert extra == [f"jax>={oldest}", f"jaxlib>={oldest}"]


def test_without_jax_the_rest_works():
    done = run(f"{NO_JAX}print(olympus.Sink('key').path)\nassert 'random' in dir(olympus)")
    assert (done.stdout, done.stderr) == ("key\n", "")
