"""Findings and fixes that a maintainer can accept as they are, asked of the installed command."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAM = Path(sys.executable).with_name("olympus-lint")

ARRAY = """\
import jax
import jax.numpy as jnp


def body(carry, key):
    return carry + jax.random.normal(key), None


def run(seed):
    k1 = jax.random.key(seed)
    return jax.lax.scan(body, 0.0, jnp.array([k1, k1]))
"""
METHOD = """\
import jax


class World:
    def __init__(self, key):
        self.key = key

    def noise(self):
        return jax.random.normal(self.key)


def run(seed, steps):
    w = World(jax.random.key(seed))
    total = 0.0
    for _ in range(steps):
        total += w.noise()
    return total
"""
NAMES = """\
import jax.random as jr


def resample_hdp_transitions(key, x):
    return jr.normal(key) + x


def sample(key, params):
    params["nu"] = jr.normal(key)
    return params, resample_hdp_transitions(key, 1)
"""
MAPPED = """\
import jax.random as jr


def grow(key, n):
    return [[jr.normal(k) for _ in range(n)] for k in jr.split(key)]
"""
SPARE = """\
import jax.random as jr


def draw(key):
    a, b, c, d = jr.split(key, 4)
    e, spare = jr.split(d)
    return jr.normal(a), jr.normal(b), jr.normal(c), jr.normal(e), jr.uniform(e)
"""


def said(folder: Path, *options: str) -> str:
    done = subprocess.run([PROGRAM, "--no-cache", *options], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def findings(folder: Path, text: str) -> list[dict[str, Any]]:
    """Write the program and return its findings."""
    (folder / "program.py").write_text(text)
    found: list[dict[str, Any]] = json.loads(said(folder, "--output-format", "json", "."))
    return found


def changed(folder: Path) -> list[str]:
    """Fix the program and return the lines that differ; every finding is gone and the program parses."""
    shown = said(folder, "--fix", "--unsafe-fixes", "--diff", ".")
    said(folder, "--fix", "--unsafe-fixes", ".")
    assert json.loads(said(folder, "--output-format", "json", ".")) == []
    compile((folder / "program.py").read_bytes(), "program.py", "exec")
    return [line for line in shown.splitlines() if line[:1] in "+-" and not line.startswith(("+++", "---"))]


def test_a_key_repeated_in_an_array_is_told_and_put_right_there(tmp_path: Path) -> None:
    (finding,) = findings(tmp_path, ARRAY)
    assert [(each["message"], each["location"]["row"]) for each in finding["related"]] == [
        ("the list holds the key again here", 11)
    ]
    assert "Give each element a key of its own" in finding["message"] and "carry" not in finding["message"]
    assert changed(tmp_path) == [
        "-    return jax.lax.scan(body, 0.0, jnp.array([k1, k1]))",
        "+    return jax.lax.scan(body, 0.0, jax.random.split(k1, 2))",
    ]


def test_a_stored_key_is_told_once_and_put_right_in_the_method(tmp_path: Path) -> None:
    (finding,) = findings(tmp_path, METHOD)
    assert "Key `w.key`" in finding["message"]
    assert "Split `self.key` before line 9: `self.key, subkey = jax.random.split(self.key)`." in finding["message"]
    assert 9 in [each["location"]["row"] for each in finding["related"]]
    assert changed(tmp_path) == [
        "-        return jax.random.normal(self.key)",
        "+        self.key, subkey = jax.random.split(self.key)",
        "+        return jax.random.normal(subkey)",
    ]


def test_a_new_key_is_named_after_its_item_and_split_as_the_file_writes_it(tmp_path: Path) -> None:
    (finding,) = findings(tmp_path, NAMES)
    assert "Split `key` before line 9: `key, nu_key = jr.split(key)`." in finding["message"]
    assert changed(tmp_path) == [
        '-    params["nu"] = jr.normal(key)',
        "+    key, nu_key = jr.split(key)",
        '+    params["nu"] = jr.normal(nu_key)',
    ]


def test_a_comprehension_splits_the_key_of_its_own_loop(tmp_path: Path) -> None:
    (finding,) = findings(tmp_path, MAPPED)
    assert "`for subkey in jr.split(k, n)`" in finding["message"]
    assert changed(tmp_path)[1].endswith(" in jr.split(k, n)] for k in jr.split(key)]")


def test_a_spare_child_of_a_nearer_split_is_taken(tmp_path: Path) -> None:
    findings(tmp_path, SPARE)
    assert changed(tmp_path)[1].endswith("jr.normal(e), jr.uniform(spare)")


@pytest.mark.parametrize(("file", "settings"), [("ruff.toml", "line-length = 60\n"), ("pyproject.toml", None)])
def test_fixed_lines_are_as_long_as_the_project_allows(file: str, settings: str | None, tmp_path: Path) -> None:
    (tmp_path / file).write_text(settings or "[tool.black]\nline-length = 60\n")
    text = "import jax.random as jr\n\n\ndef initialise(key_of_the_layer):\n"
    text += "    weights_of_the_layer = jr.normal(key_of_the_layer)\n"
    text += "    return weights_of_the_layer, jr.bits(key_of_the_layer)\n"
    findings(tmp_path, text)
    assert all(len(line) <= 61 for line in changed(tmp_path) if line[0] == "+")


def test_a_trace_passes_what_a_mapping_of_unknown_content_has_to_hold(tmp_path: Path) -> None:
    pytest.importorskip("jax")
    text = "import jax\n\n\ndef helper(key, *, n):\n    return jax.random.normal(key, (n,))\n\n\n"
    text += "def f(key, options):\n    return helper(key, **options), jax.random.uniform(key)\n"
    findings(tmp_path, text)
    (finding,) = json.loads(said(tmp_path, "--trace", "--output-format", "json", "."))
    assert finding["verdict"]["status"] == "confirmed"
