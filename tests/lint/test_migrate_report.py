"""The report of ``--migrate``: what it groups, folds and shows, what it says of git, and of portable code."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from command_line import command
from migrated import FAILED, numbers

from olympus_lint.project.git import not_in_git

HELD = {
    "a.py": """\
        import jax
        import storage

        one, two = jax.random.PRNGKey(0), jax.random.PRNGKey(1)
        for key in (one, two):
            storage.draw(key)
            storage.put(key)
        storage.draw(jax.random.PRNGKey(2))
        """,
    "b.py": """\
        import jax
        import jax.numpy as jnp

        keys = jax.random.split(jax.random.PRNGKey(3), 4)
        jnp.zeros(keys.shape[:-1])
        if True:
            jnp.zeros(keys.shape[:-1])
        jnp.ones("<b>" and keys.shape[:-1])
        """,
}


def tree(folder: Path, files: dict[str, str]) -> Path:
    """Write files into a folder."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(dedent(text))
    return folder


def report(folder: Path, *options: str) -> dict[str, Any]:
    """Return the report as JSON."""
    return json.loads(command(folder, *(options or ("--migrate", "--strict")), "--output-format", "json", ".").stdout)  # type: ignore[no-any-return]


def test_lines_that_hold_back_the_same_constructors_stand_together(tmp_path: Path) -> None:
    done = command(tree(tmp_path, HELD), "--migrate", "--strict", ".").stdout
    assert "  These 2 lines hold back these 2 constructors: a.py:4:12, 4:35\n    a.py:6 the key is passed" in done
    assert "  This line holds back this constructor: a.py:8:14\n    a.py:8 the key is passed" in done
    assert done.index("What holds constructors back") < done.index("To be rewritten") < done.index("Places, silent")
    found = report(tmp_path)["obstacles"]
    assert [(len(each["lines"]), len(each["constructors"])) for each in found] == [(2, 2), (1, 1)]


def test_each_place_has_its_lines_before_and_after_and_equal_ones_are_folded(tmp_path: Path) -> None:
    done = command(tree(tmp_path, HELD), "--migrate", "--strict", ".").stdout
    shown = """\
  b.py:5, 7 OLY202 (would change silently, 2 places): Ask the shape of `key_data`
    - jnp.zeros(keys.shape[:-1])
    + jnp.zeros(jax.random.key_data(keys).shape[:-1])
"""
    assert shown in done
    assert "    - jax.random.PRNGKey\n    + jax.random.key\n" in done
    places = report(tmp_path)["places"]
    assert [each["row"] for each in places] == [5, 7, 8]
    assert all(each["before"] != each["after"] and "key_data" in each["after"] for each in places)
    assert [each["after"] for each in report(tmp_path)["renamed"]] == ["jax.random.key"]
    text = command(tmp_path, "--migrate", "--strict", "--output-format", "markdown", ".").stdout
    assert "  ```diff\n  - jnp.zeros(keys.shape[:-1])\n  + jnp.zeros(jax.random" in text


def test_a_rewrite_of_several_lines_shows_those_that_change(tmp_path: Path) -> None:
    tree(
        tmp_path,
        {
            "a.py": """\
            from jax.random import PRNGKey
            import numpy as np

            class Keeper:
                def save(self):
                    np.savez(
                        "here",
                        step=1,
                        key=PRNGKey(0),
                    )
            """
        },
    )
    (place,) = report(tmp_path)["places"]
    assert place["before"].endswith("key=PRNGKey(0),") and "step" not in place["before"] + place["after"]
    assert "key_data(PRNGKey(0))" in place["after"] and not place["before"].startswith(" ")


BOTH = [
    "for key in (one, two):",
    "if len(str(one)) > 9:\n    key = one\nelse:\n    key = two\nif True:",
    "key = one\nif one is two:\n    key = two\nwhile True:",
]


@pytest.mark.parametrize("way", BOTH)
@pytest.mark.parametrize("place", ["storage.draw(key)", "w = key.reshape(1, -1)"])
def test_a_line_holds_back_all_constructors_whose_keys_reach_it(way: str, place: str, tmp_path: Path) -> None:
    made = "one = jax.random.PRNGKey(0)\ntwo = jax.random.PRNGKey(1)\nother = jax.random.PRNGKey(2)\n"
    tree(tmp_path, {"a.py": f"import jax\nimport storage\n\n{made}{way}\n    {place}\n"})
    (obstacle,) = report(tmp_path)["obstacles"]
    assert [each["location"]["row"] for each in obstacle["constructors"]] == [4, 5]


# git


def git(folder: Path, *arguments: str) -> None:
    """Run git in a folder, without the settings of this machine."""
    options = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.autocrlf=false"]
    subprocess.run(["git", *options, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_files_with_changes_that_git_does_not_have_are_named(version: str, tmp_path: Path) -> None:
    tree(tmp_path, {**HELD, "deep/down/c.py": HELD["b.py"], "deep/d.py": HELD["b.py"]})
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    if version == "3":
        (tmp_path / "later.py").touch()
        git(tmp_path, "add", "--intent-to-add", "later.py")  # an extended entry
    if version == "4":
        git(tmp_path, "update-index", "--index-version", "4")
    assert report(tmp_path)["not_in_git"] == []
    git(tmp_path, "commit", "-q", "-m", "all")
    with (tmp_path / "deep/down/c.py").open("a") as file:
        file.write("# changed\n")
    tree(tmp_path, {"new.py": HELD["b.py"]})
    assert report(tmp_path)["not_in_git"] == ["deep/down/c.py", "new.py"]
    done = command(tmp_path, "--migrate", "--strict", "--fix", ".").stdout
    assert "2 files had uncommitted changes: deep/down/c.py, new.py." in done
    git(tmp_path, "worktree", "add", "-q", "--force", "other")
    assert report(tmp_path / "other")["not_in_git"] == []


def test_outside_of_a_repository_nothing_is_said_of_git(tmp_path: Path) -> None:
    assert report(tree(tmp_path, HELD))["not_in_git"] == []
    assert not_in_git({str(tmp_path / "a.py"): b""}) == []


@pytest.mark.parametrize("index", [b"", b"DIRC", b"DIRC" + bytes(7) + b"\2" + bytes(3) + b"\7" + bytes(20), b"x" * 99])
def test_a_broken_repository_does_no_harm(index: bytes, tmp_path: Path) -> None:
    tree(tmp_path, {**HELD, ".git/HEAD": ""})
    (tmp_path / ".git/index").write_bytes(index)
    assert report(tmp_path)["not_in_git"] == []
    (tmp_path / ".git/index").unlink()
    assert report(tmp_path)["not_in_git"] == []


# portable code

# a program with what it leaves open in portable style: rows of lines, or nothing
PORTABLE = {
    "a word of a key that only the project shows": (
        "class Box:\n    def __init__(self, thing):\n        self.thing = thing\n"
        "    def words(self):\n        return [int(part) for part in self.thing]\n"
        "result = Box(jax.random.PRNGKey(0)).words()\n",
        False,
    ),
    "all is right": (
        "def draw(key):\n    first, second = jax.random.split(key)\n    return jax.random.normal(first)\n"
        "result = [jax.random.normal(jax.random.PRNGKey(0))]\n",
        False,
    ),
}


@pytest.mark.parametrize("name", PORTABLE)
def test_portable_code_is_said_to_work_only_if_it_does(name: str, tmp_path: Path) -> None:
    pytest.importorskip("jax")
    program, is_open = PORTABLE[name]
    text = f"import jax\nimport jax.numpy as jnp\n\n{program}"
    expected = numbers(text, typed=False)
    tree(tmp_path, {"a.py": text})
    done = command(tmp_path, "--migrate=portable", "--fix", ".")
    after = (tmp_path / "a.py").read_text()
    assert numbers(after, typed=False) == expected != FAILED
    assert done.returncode == is_open, done.stdout
    assert (numbers(after, typed=True) != expected) == is_open
    assert ("What typed keys would break" in done.stdout) == is_open
    assert "Not followed: the insides of libraries" in done.stdout


LIBRARY = """\
import jax
from pkg.tools import count, keep, parts


def sample(key, shape):
    {use}
    return _draw(shape, rng=key)


def _draw(shape, rng):
    return jax.random.normal(rng, shape)


def seeded(seed):
    seed = jax.random.PRNGKey(seed)
    return jax.random.normal(seed)


def resize(thing, n):
    return thing[:n] + thing.size


class Model:
    def __init__(self, rng):
        self.rng, _ = jax.random.split(rng)
"""
TOOLS = """\
def count(thing):
    return thing.size


def keep(thing):
    return {"it": thing}


def parts(thing):
    a, b = thing
    return a
"""


REWRITTEN = ("count(key)", "parts(key)", "a, b = keep(key)['it']")


@pytest.mark.parametrize(
    ("use", "line"),
    [
        *((use, "") for use in REWRITTEN),
        ("import storage; storage.put(key)", "pkg/api.py:6"),
        ("keep(key)", ""),
        ("resize(jax.random.normal(key, (3,)), 2)", ""),
    ],
)
def test_keys_that_callers_pass_to_a_library_are_followed(use: str, line: str, tmp_path: Path) -> None:
    tree(tmp_path, {"pkg/__init__.py": "", "pkg/api.py": LIBRARY.replace("{use}", use), "pkg/tools.py": TOOLS})
    found = report(tmp_path, "--migrate=portable")
    assert [each["spelled"] for each in found["parameters"]] == ["key of sample", "rng of Model.__init__"]
    assert [f"{r['filename']}:{r['row']}" for each in found["parameters"] for r in each["held_back_by"]] == (
        [line] if line else []
    )
    assert found["open"] == bool(line) and bool(found["places"]) == (use in REWRITTEN)
    typed = report(tmp_path)
    assert typed["parameters"] == []  # an application names the whole project
