"""The mark ``check_keys``, the option ``--check-keys`` and the fixture ``olympus_keys``, in runs of pytest."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from importlib.metadata import entry_points
from pathlib import Path

import pytest

PLUGIN = [] if entry_points(group="pytest11", name="olympus") else ["-p", "olympus.pytest_plugin"]
NO_KEYS = """
    import sys

    def test_passes():
        assert "jax" not in sys.modules
        assert "olympus.recording" not in sys.modules

    def test_with_the_fixture_name_in_a_string():
        assert "olympus_keys"
"""
KEYS = """
    import functools, unittest
    import jax, pytest
    from jax import random as r
    import olympus

    def flag():
        return jax.config.jax_debug_key_reuse

    @pytest.fixture
    def key():
        return r.key(0)

    @pytest.fixture
    def used(key):
        r.normal(key)
        return key

    @pytest.fixture(scope="module")
    def shared():
        return r.key(1)

    checked = pytest.mark.check_keys

    @checked
    def test_bad_eager(key):
        é = r.normal(key)
        return_value = "é", r.uniform(key)

    @checked
    def test_bad_compiled(key):
        @jax.jit
        def step(key):
            return r.normal(r.fold_in(key, 1))
        step(key)
        step(key)

    @checked
    def test_bad_raw():
        key = r.PRNGKey(0)
        r.split(key)
        r.normal(key)

    @checked
    def test_bad_after_fixture(used):
        r.normal(used)

    @checked
    def test_bad_and_failing(key):
        r.normal(key), r.normal(key)
        raise ValueError("own")

    @checked
    def test_good_seed(key):
        assert flag()
        r.normal(key), r.normal(r.key(0))

    @checked
    def test_good_same_seed_again(key):
        a, b = r.split(key)
        r.normal(a), r.normal(b)

    @checked
    def test_good_shared(shared):
        r.normal(shared)

    @checked
    def test_good_shared_again(shared):
        r.normal(shared)

    @checked
    def test_good_allowed(key):
        with olympus.reuse_allowed():
            first = r.normal(key)
        assert first == r.normal(key)

    @checked
    @olympus.reuse_allowed()
    def test_good_allowed_whole(key):
        assert r.normal(key) == r.normal(key)

    @checked
    def test_good_skipped():
        pytest.skip("no reason")

    @checked
    @pytest.mark.xfail(strict=True)
    def test_good_expected(key):
        r.normal(key), r.normal(key)
        assert False

    def test_good_unmarked(key):
        assert not flag()
        r.normal(key), r.normal(key)

    def test_good_fixture(olympus_keys, key):
        r.normal(key), r.normal(key)
        (misuse,) = olympus_keys.misuses
        assert misuse.kind == "reuse"
        olympus_keys.clear()
        assert olympus_keys.misuses == ()

    @checked
    def test_good_cleared(olympus_keys, key):
        r.normal(key), r.normal(key)
        olympus_keys.clear()

    @checked
    class Test(unittest.TestCase):
        def test_bad_method(self):
            key = r.key(0)
            r.normal(key), r.normal(key)

    def test_good_after_all():
        assert not flag()
"""
GOOD = """
    import jax

    def test_draw():
        assert jax.config.jax_debug_key_reuse
        jax.random.normal(jax.random.key(0))
"""
BAD = """
    import jax

    def test_draw_twice():
        key = jax.random.key(0)
        jax.random.normal(key), jax.random.normal(key)
"""


def run(folder: Path, source: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run pytest on one file with the plugin."""
    (folder / "pytest.ini").touch()
    (folder / "test_it.py").write_text(textwrap.dedent(source), "utf-8")
    command = [sys.executable, "-m", "pytest", *PLUGIN, "-p", "no:cacheprovider", "--strict-markers", *options]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, encoding="utf-8")


def outcomes(output: str) -> dict[str, str]:
    """Return the outcome of each test of a run with ``-rA``."""
    rows = re.findall(r"^(PASSED|FAILED|SKIPPED|XFAIL|XPASS|ERROR) (?:\[1\] )?test_it\.py(\S*)", output, re.MULTILINE)
    return {name.rpartition("::")[2]: outcome for outcome, name in rows}


def test_nothing_is_imported_without_a_mark(tmp_path: Path) -> None:
    done = run(tmp_path, NO_KEYS)
    assert done.returncode == 0, done.stdout


def test_help_and_marks(tmp_path: Path) -> None:
    assert "--check-keys" in run(tmp_path, NO_KEYS, "--help").stdout
    assert "@pytest.mark.check_keys:" in run(tmp_path, NO_KEYS, "--markers").stdout


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    pytest.importorskip("jax", "0.9", reason="before, not all calls of compiled functions are seen")
    return run(tmp_path_factory.mktemp("marked"), KEYS, "-rA")


def test_marked_tests(marked: subprocess.CompletedProcess[str]) -> None:
    found = outcomes(marked.stdout)
    failed = {name for name, outcome in found.items() if outcome == "FAILED"}
    assert failed == {name for name in re.findall(r"def (test_\w+)", KEYS) if name.startswith("test_bad")}
    assert found["test_good_expected"] == "XFAIL"
    assert "1 skipped" in marked.stdout
    assert "error" not in marked.stdout.splitlines()[-1]
    assert marked.returncode == 1


def test_the_report_has_both_source_lines(marked: subprocess.CompletedProcess[str]) -> None:
    rows = [re.sub(r"^  .*test_it\.py:", "  test_it.py:", row) for row in marked.stdout.splitlines()]
    start = rows.index("reuse: `key(0)` is consumed twice")
    assert rows[start : start + 7] == [
        "reuse: `key(0)` is consumed twice",
        "  test_it.py:27:9: consumed here by normal",
        "    27 |     é = r.normal(key)",
        "       |         ^^^^^^^^^^^^^",
        "  test_it.py:28:25: consumed again here by uniform",
        '    28 |     return_value = "é", r.uniform(key)',
        "       |                         ^^^^^^^^^^^^^^",
    ]


def test_a_test_that_fails_keeps_its_own_error(marked: subprocess.CompletedProcess[str]) -> None:
    assert "FAILED test_it.py::test_bad_and_failing - ValueError: own" in marked.stdout
    assert "Captured random keys call" in marked.stdout


@pytest.mark.search
def test_a_whole_run_by_its_settings_in_a_worker(tmp_path: Path) -> None:
    pytest.importorskip("jax", reason="the tests of the run draw with JAX")
    pytest.importorskip("xdist", reason="the run has a worker")
    done = run(tmp_path, BAD + GOOD.partition("jax\n")[2], "-o", "check_keys=true", "-n", "1", "-rA")
    assert outcomes(done.stdout) == {"test_draw_twice": "FAILED", "test_draw": "PASSED"}
    assert done.returncode == 1
    assert "test_it.py:6:29: consumed again here by normal" in done.stdout


@pytest.mark.parametrize(
    ("source", "options", "status"),
    [(GOOD, (), 0), ("", (), 5), ("def broken(:", (), 2), (NO_KEYS, ("--no-such-option",), 4)],
    ids=["good", "no tests", "broken file", "bad option"],
)
def test_exit_statuses_stay(tmp_path: Path, source: str, options: tuple[str, ...], status: int) -> None:
    if source == GOOD:
        pytest.importorskip("jax", reason="the test of the run draws with JAX")
    assert run(tmp_path, source, "--check-keys", *options).returncode == status
