"""``--migrate`` on several projects of one repository: their imports of each other, and files that were not named."""

from __future__ import annotations

import importlib
import json
import runpy
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from command_line import command

from olympus_lint.migration import importing_files
from olympus_rules.syntax.project import forget_folders, import_roots, locate, module_file

MAKE = """\
import jax


def make(seed):
    return jax.random.PRNGKey(seed)
"""
# a word of the key, which only the whole project shows
TAKE = """\
from alpha.data import make


def words(key):
    return key


result = [int(word) for word in words(make(0))]
"""
FREE = """\
import jax

from alpha.data import make

result = jax.random.normal(make(0), (2,))
"""


def tree(folder: Path, files: dict[str, str]) -> Path:
    """Write files below a folder."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(dedent(text))
    forget_folders()
    return folder


def report(folder: Path, *options: str) -> dict[str, Any]:
    """Return the report as JSON."""
    return json.loads(command(folder, "--migrate", "--strict", "--output-format", "json", *options).stdout)  # type: ignore[no-any-return]


def result(folder: Path, script: str, roots: list[Path]) -> Any:
    """Run a script with some roots to import from, and return its ``result`` as plain values."""
    path = folder / script
    importlib.invalidate_caches()
    before, known = list(sys.path), set(sys.modules)
    sys.path[:0] = [str(path.parent), *map(str, roots)]
    try:
        found = runpy.run_path(str(path))["result"]
    finally:
        sys.path[:] = before
        for name in set(sys.modules) - known:
            if name.partition(".")[0] == "alpha":  # a package without an init has no file
                del sys.modules[name]
        sys.path_importer_cache.clear()
    return [float(number) for number in found]


LAYOUTS = {
    "src and flat, both with a marker": (
        {"one/pyproject.toml": "", "one/src/alpha/__init__.py": "", "two/setup.py": "", "two/beta/__init__.py": ""},
        "one/src/alpha/data.py",
        "two/beta/use.py",
    ),
    "a monorepo with one marker": (
        {".git/HEAD": "", "one/src/alpha/__init__.py": "", "two/beta/__init__.py": ""},
        "one/src/alpha/data.py",
        "two/beta/use.py",
    ),
    "no marker": (
        {"one/src/alpha/__init__.py": ""},
        "one/src/alpha/data.py",
        "scripts/use.py",
    ),
    "a package without an init in src": (
        {"one/pyproject.toml": ""},
        "one/src/alpha/data.py",
        "scripts/use.py",
    ),
    "a package without an init and without a marker": (
        {},
        "alpha/data.py",
        "scripts/use.py",
    ),
    "flat, in a project of its own": (
        {"one/pyproject.toml": "", "one/alpha/__init__.py": ""},
        "one/alpha/data.py",
        "two/src/beta/use.py",
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_module_of_another_project_is_found(layout: str, tmp_path: Path) -> None:
    """Its key reaches the other project: what takes its words there holds the constructor back, or is rewritten."""
    pytest.importorskip("jax")
    files, made, used = LAYOUTS[layout]
    roots = [tmp_path / made.removesuffix("/alpha/data.py")] if made != "alpha/data.py" else [tmp_path]
    tree(tmp_path, {**files, made: MAKE, used: TAKE})
    expected = result(tmp_path, used, roots)
    command(tmp_path, "--migrate", "--strict", "--fix", ".")
    forget_folders()
    assert result(tmp_path, used, roots) == expected
    found = report(tmp_path, ".")
    (constructor,) = found["constructors"] or [{"held_back_by": ["renamed"]}]
    assert constructor["held_back_by"], (tmp_path / used).read_text()
    # a use that is right lets the constructor be renamed: nothing is lost to an unknown library
    tree(tmp_path, {made: MAKE, used: FREE})
    expected = result(tmp_path, used, roots)
    done = command(tmp_path, "--migrate", "--strict", "--fix", ".")
    assert done.returncode == 0 and "PRNGKey" not in (tmp_path / made).read_text(), done.stdout
    assert result(tmp_path, used, roots) == expected


def test_a_library_is_not_taken_for_a_folder_of_examples(tmp_path: Path) -> None:
    """An example may have the name of a library, known or unknown; other projects mean the library."""
    files = {
        "one/pyproject.toml": "",
        "one/pkg/__init__.py": "",
        "one/pkg/run.py": "import jax\nimport optax\nimport storage\n\nstorage.draw(jax.random.PRNGKey(0))\n",
        "examples/storage.py": "print('an example')\n",
        "demos/optax.py": "print('an example')\n",
    }
    tree(tmp_path, files)
    ((constructor,),) = [report(tmp_path, ".")["constructors"]]
    assert "whether storage takes typed keys is unknown" in constructor["held_back_by"][0]["text"]
    roots = import_roots([tmp_path / name for name in files if name.endswith(".py")], {"optax"})
    assert tmp_path / "examples" in roots and tmp_path / "demos" not in roots
    place = locate(tmp_path / "one/pkg/run.py", roots)
    assert module_file(place.roots, "pkg.run") == tmp_path / "one/pkg/run.py"
    assert module_file(place.roots, "optax") is None


def test_a_file_by_two_paths_counts_once(tmp_path: Path) -> None:
    """Neither a link to a file nor a link to a folder makes a second constructor; imports through them are followed."""
    tree(
        tmp_path,
        {
            "one/pyproject.toml": "",
            "one/alpha/__init__.py": "",
            "one/alpha/data.py": MAKE,
            "two/pyproject.toml": "",
            "two/use.py": "from shared.data import make\nfrom copy_of_data import make as again\n"
            "\nprint(make(0).sum(), again(1).sum())\n",
        },
    )
    (tmp_path / "two/shared").symlink_to(tmp_path / "one/alpha", target_is_directory=True)
    (tmp_path / "two/copy_of_data.py").symlink_to(tmp_path / "one/alpha/data.py")
    forget_folders()
    for paths in (["."], ["two", "one", "two/shared"], ["two/copy_of_data.py", "two", "one/alpha"]):
        found = report(tmp_path, *paths)
        (constructor,) = found["constructors"]
        assert constructor["filename"] == "one/alpha/data.py"
        assert not constructor["held_back_by"]
        assert {(each["filename"], each["row"]) for each in found["places"]} == {("two/use.py", 4)}


PACKAGE = {
    "pyproject.toml": "",
    "src/pkg/__init__.py": "from pkg.data import make\n",
    "src/pkg/data.py": MAKE,
    "src/pkg/plain.py": "def double(x):\n    return 2 * x\n",
}


@pytest.mark.parametrize(
    ("file", "text", "imports"),
    [
        ("tests/test_data.py", "import jax\nfrom pkg.data import make\n", "pkg.data"),
        ("tests/test_data.py", "import pkg as p\n", "pkg"),
        ("tests/test_data.py", "from pkg import make\n", "pkg"),
        ("tests/deep/down/test_data.py", "def test():\n    from pkg import data\n", "pkg.data"),
        ("tests/test_data.py", "import os; import pkg.data\n", "pkg.data"),
        ("tests/test_data.py", "from importlib import import_module\nd = import_module('pkg.data')\n", "pkg.data"),
        ("tests/test_data.py", "from unittest import mock\nmock.patch('pkg.data.make', lambda seed: 0)\n", "pkg.data"),
        ("tests/test_data.py", "from pkg import plain\n", ""),
        ("tests/test_data.py", "import pkgs.data\n", ""),
        ("tests/test_data.py", "'pkg.data'  # said in a string\n", "pkg.data"),
        (".gitignored/test_data.py", "import pkg.data\n", ""),
        ("node_modules/test_data.py", "import pkg.data\n", ""),
    ],
)
def test_a_folder_that_was_not_named_is_reported(file: str, text: str, imports: str, tmp_path: Path) -> None:
    tree(tmp_path, {**PACKAGE, ".git/HEAD": "", ".gitignore": ".gitignored/\n", file: text})
    done = command(tmp_path, "--migrate", "--strict", "--fix", "src")
    assert "PRNGKey" not in (tmp_path / "src/pkg/data.py").read_text()
    folder = f"{file.partition('/')[0]}/"
    assert done.returncode == bool(imports), done.stdout
    assert (f"  {folder}, which imports `{imports}` ({file}:" in done.stdout) == bool(imports)


@pytest.mark.parametrize(
    ("text", "imports"), [("from .data import make\n", "pkg.data"), ("from . import data\n", "pkg.data"), ("", "")]
)
def test_a_file_beside_a_named_one_is_reported(text: str, imports: str, tmp_path: Path) -> None:
    tree(tmp_path, {**PACKAGE, "src/pkg/train.py": text})
    found = report(tmp_path, "src/pkg/data.py", "src/pkg/__init__.py")
    assert [(each["path"], each["imports"]) for each in found["unread"]] == (
        [("src/pkg/train.py", imports)] if imports else []
    )
    assert found["open"] == bool(imports)


def test_a_notebook_another_project_and_a_broken_file_are_reported(tmp_path: Path) -> None:
    cell = {"cell_type": "code", "source": ["%matplotlib inline\n", "import pkg\n"], "metadata": {}, "outputs": []}
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}
    tree(
        tmp_path,
        {
            **{f"one/{name}": text for name, text in PACKAGE.items()},
            "two/setup.py": "",
            "two/other/__init__.py": "",
            "two/other/use.py": "import pkg.data\n",
            "notes/a.ipynb": json.dumps(notebook),
            "broken/a.py": "import pkg.data\nimport (\n",
            "two/pyproject.toml": "[tool.olympus-lint]\nselect = 3\n",  # wrong, and none of this run's business
        },
    )
    done = command(tmp_path, "--migrate", "--strict", "one")
    assert done.returncode == 1
    assert "  broken/, which imports `pkg.data` (broken/a.py:1)" in done.stdout  # it may be of a newer Python
    assert "  notes/, which imports `pkg` (" in done.stdout
    assert "  two/, which imports `pkg.data` (two/other/use.py:1)" in done.stdout


def test_what_imports_an_importing_folder_is_reported(tmp_path: Path) -> None:
    """After a run with that folder, the migrated module would not change any more, and nothing would be said."""
    files = {"two/setup.py": "", "two/beta/__init__.py": "", "two/beta/use.py": "import pkg.data\n"}
    files |= {"two/beta/other.py": "", "apps/run.py": "from beta import use\n", "apps2/run.py": "import beta.other\n"}
    tree(tmp_path, {**PACKAGE, **files})
    found = {each["path"]: each["imports"] for each in report(tmp_path, "src")["unread"]}
    assert found == {"two/": "pkg.data", "apps/": "beta.use"}


def test_tests_that_use_fixtures_of_a_named_file_are_reported(tmp_path: Path) -> None:
    fixture = "import jax\nimport pytest\n\n\n@pytest.fixture\ndef key():\n    return jax.random.PRNGKey(0)\n"
    test = "def test(key):\n    assert key.shape == (2,)\n"
    tree(tmp_path, {"setup.py": "", "tests/conftest.py": fixture, "tests/deep/test_a.py": test})
    found = report(tmp_path, "tests/conftest.py")
    assert [(each["path"], each["imports"]) for each in found["unread"]] == [("tests/deep/", "conftest")]
    assert report(tmp_path, "tests")["unread"] == []


def test_nothing_is_reported_when_all_is_named_or_nothing_changes(tmp_path: Path) -> None:
    tree(tmp_path, {**PACKAGE, "tests/test_data.py": "import pkg.data\n"})
    assert report(tmp_path, "src", "tests")["unread"] == []
    assert report(tmp_path, "src/pkg/plain.py")["unread"] == []
    command(tmp_path, "--migrate", "--strict", "--fix", "src", "tests")
    assert command(tmp_path, "--migrate", "--strict", "--fix", "src", "tests").returncode == 0


def test_an_import_that_may_mean_two_files_is_reported(tmp_path: Path) -> None:
    use = "import helpers\n\nprint(helpers.make(0))\n"
    tree(tmp_path, {"one/helpers.py": MAKE, "two/helpers.py": MAKE, "apps/run.py": use})
    done = command(tmp_path, "--migrate", "--strict", "one", "two", "apps")
    said = "  apps/run.py:1 imports `helpers`: read as one/helpers.py, and may be two/helpers.py"
    assert done.returncode == 1 and said in done.stdout
    (tmp_path / "apps/helpers.py").write_text("make = None\n")
    forget_folders()
    assert "helpers`" not in command(tmp_path, "--migrate", "--strict", "one", "two", "apps").stdout


def test_the_search_for_importing_files_has_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(tmp_path, {**PACKAGE, "a/b/c.py": "", "d/e.py": "import pkg\n"})
    monkeypatch.setattr(importing_files, "MOST_FOLDERS", 2)
    done = command(tmp_path, "--migrate", "--strict", "src")
    assert done.returncode == 1 and "ended at its limit" in done.stdout


def test_a_module_is_found_through_a_package_without_an_init(tmp_path: Path) -> None:
    tree(
        tmp_path,
        {
            "pyproject.toml": "",
            "space/alpha/__init__.py": "",
            "space/alpha/data.py": "import jax\n\ndef draw(key):\n    return jax.random.normal(key)\n",
            "use.py": "import jax\nimport space.alpha.data\nspace.alpha.data.draw(jax.random.PRNGKey(0))\n",
            "other.py": "import jax\nimport space.beta\nspace.beta.draw(jax.random.PRNGKey(0))\n",
        },
    )
    held = {each["filename"]: each["held_back_by"] for each in report(tmp_path, ".")["constructors"]}
    assert held["use.py"] == []
    assert "whether space takes typed keys is unknown" in held["other.py"][0]["text"]


def test_a_name_of_the_project_that_is_not_found_is_not_taken_for_a_library(tmp_path: Path) -> None:
    lazy = "import lazy\n__getattr__ = lazy.attach(__name__)\n"
    use = "import jax\nfrom alpha.config import Model\nModel().draw(jax.random.PRNGKey(0))\n"
    tree(tmp_path, {"alpha/__init__.py": "", "alpha/config.py": lazy, "alpha/use.py": use})
    ((reason,),) = (each["held_back_by"] for each in report(tmp_path, ".")["constructors"])
    assert reason["text"].endswith("which comes from names of `alpha` whose definitions olympus-lint does not find")


def test_a_name_of_a_stub_that_a_package_attaches_is_found(tmp_path: Path) -> None:
    project = {
        "pkg/__init__.py": "",
        "pkg/nets/__init__.py": "import lazy_loader\n\n__getattr__, *_ = lazy_loader.attach_stub(__name__, __file__)\n",
        "pkg/nets/__init__.pyi": "from .net import Net\n",
        "pkg/nets/net.py": "import jax\n\nclass Net:\n    def draw(self, key):\n        jax.random.normal(key)\n",
        "pkg/use.py": "import jax\nfrom pkg.nets import Net\n\nNet().draw(jax.random.PRNGKey(0))\n",
    }
    (constructor,) = report(tree(tmp_path, project), ".")["constructors"]
    assert constructor["held_back_by"] == []


def test_a_name_that_one_of_several_stars_imports_is_found(tmp_path: Path) -> None:
    project = {
        "pyproject.toml": "",
        "pkg/__init__.py": "",
        "pkg/nets/__init__.py": "from pkg.nets.first import *\nfrom pkg.nets.second import *\n",
        "pkg/nets/first.py": "import jax\nfrom pkg.nets.second import *\nfirst = jax.random.normal\n",
        "pkg/nets/second.py": """\
            import jax
            from pkg.nets.first import *


            class Net:
                def draw(self, key):
                    return jax.random.normal(key)
            """,
        "pkg/main.py": """\
            import jax
            import pkg.nets as nets

            nets.Net().draw(jax.random.PRNGKey(0))
            nets.Missing().draw(jax.random.PRNGKey(1))
            """,
    }
    found = report(tree(tmp_path, project), ".")["constructors"]
    assert [[reason["text"] for reason in each["held_back_by"]] for each in found] == [
        [],
        [
            "is passed to `nets.Missing().draw`, "
            "which comes from names of `pkg` whose definitions olympus-lint does not find"
        ],
    ]


def test_a_star_of_a_module_that_is_not_read_ends(tmp_path: Path) -> None:
    main = "import jax\nimport pkg\n\npkg.draw(jax.random.PRNGKey(0))\n"
    project = {
        "pyproject.toml": "",
        "pkg/__init__.py": "from pkg.names import *\n",
        "pkg/names.pyi": "",
        "main.py": main,
    }
    (made,) = report(tree(tmp_path, project), ".")["constructors"]
    assert made["held_back_by"]


def test_a_key_is_followed_through_a_method_beside_a_star_that_is_not_read(tmp_path: Path) -> None:
    main = """\
import io

import jax
import numpy as np
from common import *
from other import *

key = hold(jax.random.PRNGKey(0)).addressable_data(0)
np.savez(io.BytesIO(), key)
"""
    project = {"pyproject.toml": "", "common.py": "def hold(rng):\n    return rng\n", "main.py": main}
    found = report(tree(tmp_path, project), ".")
    assert {each["row"] for each in found["places"] if each["code"] != "OLY201"} == {9}
