"""``--migrate`` on a part of a project: what it imports is read along, and stays as it is."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from command_line import command

from olympus_lint.migration import imported_files
from olympus_rules.syntax.project import forget_folders

USE = """\
import jax

import lib.tools

key = jax.random.PRNGKey(0)
"""


def tree(folder: Path, files: dict[str, str]) -> Path:
    """Write files below a folder."""
    for name, text in {"pyproject.toml": "", "lib/__init__.py": "", **files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(dedent(text))
    forget_folders()
    return folder


def report(folder: Path, *paths: str, style: str = "typed") -> dict[str, Any]:
    """Return the report on a migration of some paths, as JSON."""
    found: dict[str, Any] = json.loads(
        command(folder, "--fix", f"--migrate={style}", "--strict", "--output-format", "json", *paths).stdout
    )
    return found


def reasons(found: dict[str, Any]) -> list[tuple[str, int]]:
    """Return the places of the reasons that hold constructors back."""
    return sorted({(each["filename"], each["row"]) for one in found["constructors"] for each in one["held_back_by"]})


def test_raw_keys_of_a_file_that_was_not_named_hold_back_what_they_meet(tmp_path: Path) -> None:
    """The constructor there is not renamed, so that its keys stay raw."""
    tools = "import jax\n\n\ndef spare():\n    return jax.random.PRNGKey(7)\n"
    mask = "import jax.numpy as jnp\n\nprint(jnp.where(key[0] > 3, key, lib.tools.spare()))\n"
    place = tree(tmp_path, {"lib/tools.py": tools, "app/main.py": USE + mask.replace("key[0] > 3", "True")})
    found = report(place, "app")
    assert [bool(each["held_back_by"]) for each in found["constructors"]] == [True]
    assert "lib/tools.py:5" in found["constructors"][0]["held_back_by"][0]["text"]
    assert (place / "lib/tools.py").read_text() == tools


def test_words_of_a_file_that_was_not_named_hold_back_what_they_meet(tmp_path: Path) -> None:
    """A default factory of a class there makes raw words."""
    tools = """\
        import dataclasses

        import jax.numpy as jnp


        @dataclasses.dataclass
        class State:
            rng: object = dataclasses.field(default_factory=lambda: jnp.zeros(2, jnp.uint32))
        """
    mask = "import jax.numpy as jnp\n\nrng = jnp.where(True, key, vars(lib.tools.State())['rng'])\n"
    found = report(tree(tmp_path, {"lib/tools.py": tools, "app/main.py": USE + mask}), "app")
    assert reasons(found) == [("app/main.py", 8)]


def test_places_of_a_file_that_was_not_named_hold_back_and_are_left(tmp_path: Path) -> None:
    """They are reported where a key of a named file gets there; others are not."""
    tools = """\
        import jax


        def words(key):
            return key.shape[-1] == 2 and key


        def idle(key):
            return [int(word) for word in jax.random.split(key).ravel()]
        """
    place = tree(tmp_path, {"lib/tools.py": tools, "app/main.py": f"{USE}lib.tools.words(key)\n"})
    found = report(place, "app")
    assert reasons(found) == [("lib/tools.py", 5)]
    assert {(each["filename"], each["location"]["row"]) for each in found["left"]} <= {("lib/tools.py", 5)}
    assert found["files"] == []
    assert (place / "lib/tools.py").read_text() == dedent(tools)


def test_a_function_of_a_file_that_was_not_named_is_followed(tmp_path: Path) -> None:
    """It takes typed keys, so that the constructor is renamed."""
    tools = "import jax\n\n\ndef draw(key):\n    return jax.random.normal(key, (3,))\n"
    found = report(tree(tmp_path, {"lib/tools.py": tools, "app/main.py": f"{USE}lib.tools.draw(key)\n"}), "app")
    assert found["files"] == ["app/main.py"]
    assert not found["open"]


def test_fixtures_are_read_along(tmp_path: Path) -> None:
    """A test has the fixtures of the folders above without an import."""
    fixtures = "import pytest\n\n\n@pytest.fixture\ndef words():\n    return lambda key: [int(word) for word in key]\n"
    test = "import jax\n\n\ndef test_words(words):\n    assert words(jax.random.PRNGKey(0))\n"
    place = tree(tmp_path, {"tests/conftest.py": fixtures, "tests/unit/test_words.py": test})
    assert reasons(report(place, "tests/unit")) == [("tests/conftest.py", 6)]


def test_what_is_wrong_with_a_file_that_was_not_named_is_not_said(tmp_path: Path) -> None:
    """It may be of another release of Python, or have its own migration."""
    tools = "import jax\n\nkey = jax.random.PRNGKey(0)\nassert key.dtype == 'uint32'\n"
    files = {"lib/tools.py": tools, "lib/broken.py": "def (:\n", "app/main.py": f"{USE}import lib.broken\n"}
    place = tree(tmp_path, files)
    found = report(place, "app")
    assert [each["filename"] for each in found["constructors"]] == ["app/main.py"]
    assert (found["left"], found["open"]) == ([], False)
    assert report(place, "app", style="portable")["parameters"] == []


def test_files_over_the_limit_are_announced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not read may hold anything, so the exit status is 1."""
    monkeypatch.setattr(imported_files, "MOST_BYTES", 10)
    tools = "import jax\n\n\ndef draw(key):\n    return jax.random.normal(key, (3,))\n"
    place = tree(tmp_path, {"lib/tools.py": tools, "app/main.py": USE})
    assert report(place, "app")["unread_is_cut_short"]


def test_installed_packages_are_not_read_along(tmp_path: Path) -> None:
    """The folder that holds an installed package holds others that are no part of its project."""
    top = tmp_path / "env/site-packages"
    tools = "def words(key):\n    return [int(word) for word in key]\n"
    main = "import jax\n\nimport other\n\nother.words(jax.random.PRNGKey(0))\n"
    tree(top, {"other/__init__.py": tools, "mine/__init__.py": "", "mine/main.py": main})
    assert "whether other takes typed keys" in str(report(top, "mine")["constructors"])


@pytest.mark.parametrize("value", ["[jax.random.PRNGKey(0)]", "jax.random.split(jax.random.PRNGKey(0))"])
def test_keys_that_are_put_into_an_object_of_unknown_code_are_held_back(tmp_path: Path, value: str) -> None:
    """The class lies in a folder in which nothing is looked for."""
    use = f"import jax\nfrom held import Held\n\nbox = Held()\nbox['rng'] = {value}\nprint(box['rng'])\n"
    place = tree(tmp_path, {"other/src/held.py": "class Held(dict):\n    pass\n", "app/main.py": use})
    assert reasons(report(place, "app")) == [("app/main.py", 5)]
