"""``--migrate``: a project of several files, planned, shown and rewritten by the installed command."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from unittest import mock

import pytest
from command_line import command

from olympus_codemods.target import SINCE, Target
from olympus_lint.commandline.options import parser
from olympus_lint.migration.migration import Migration
from olympus_lint.migration.project import migrate
from olympus_lint.migration.report import DRY_RUN
from olympus_lint.migration.text import Text
from olympus_lint.project.settings import Settings
from olympus_rules.reach.solver import slots

PROJECT = {
    "pyproject.toml": "[project]\nname = 'pkg'\n",
    "pkg/__init__.py": "",
    "pkg/envs.py": """\
import jax
import jax.numpy as jnp


def reset(seed, n):
    keys = jax.random.split(jax.random.PRNGKey(seed), n)
    return keys, jnp.zeros(keys.shape[:-1])  # one for each environment
""",
    "pkg/main.py": """\
from jax.random import PRNGKey, normal

from pkg.envs import reset
from pkg.keep import keep
import storage


def main():
    storage.draw(PRNGKey(3))
    keep(PRNGKey(4))
    return reset(0, 4), normal(PRNGKey(1))
""",
    "pkg/keep.py": """\
class Keeper:
    def __init__(self, rng):
        self.rng = rng

    def show(self):
        import vault
        return vault.draw(self.rng)


def keep(rng):
    return Keeper(rng).show()
""",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in PROJECT.items():
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    return tmp_path


def texts(folder: Path) -> dict[str, str]:
    return {name: (folder / name).read_text() for name in PROJECT}


def test_report_names_what_holds_constructors_back(project: Path) -> None:
    done = command(project, "--migrate", "--strict", ".")
    assert done.returncode == 1 and not done.stderr
    assert "2 of 4 constructors can make typed keys; 2 held back." in done.stdout
    for name, place in (("storage", "main.py:9"), ("vault", "keep.py:7")):
        reason = f"    pkg/{place} the key is passed to `{name}.draw`, and whether {name} takes typed keys is unknown"
        assert reason in done.stdout
    assert "JAX_ENABLE_CUSTOM_PRNG=1 python -m pytest" in done.stdout
    assert texts(project) == PROJECT


def test_fix_renames_what_is_free_and_nothing_else(project: Path) -> None:
    done = command(project, "--migrate", "--strict", "--fix", ".")
    assert done.returncode == 1  # two are held back
    new = texts(project)
    assert new["pkg/envs.py"] == PROJECT["pkg/envs.py"].replace("PRNGKey", "key").replace(
        "keys.shape", "jax.random.key_data(keys).shape"
    )
    assert "PRNGKey(3)" in new["pkg/main.py"] and "PRNGKey(4)" in new["pkg/main.py"]
    assert "normal(key(1))" in new["pkg/main.py"] and "PRNGKey(1)" not in new["pkg/main.py"]
    assert new["pkg/keep.py"] == PROJECT["pkg/keep.py"]
    again = command(project, "--migrate", "--strict", "--fix", ".")
    assert texts(project) == new and "0 of 2 constructors make typed keys now; 2 held" in again.stdout


def test_unsafe_fixes_rename_all(project: Path) -> None:
    plan = command(project, "--migrate", "--strict", "--unsafe-fixes", ".")
    against = "4 of 4 constructors {} typed keys{}, 2 of them against the reasons below, as `--unsafe-fixes` asks"
    assert against.format("would make", "") in plan.stdout
    done = command(project, "--migrate", "--strict", "--fix", "--unsafe-fixes", ".")
    assert against.format("make", " now") in done.stdout and "\nCheck it:\n" in done.stdout
    assert "Check it" not in command(project, "--migrate", "--strict", ".").stdout  # no constructor is left
    assert not any("PRNGKey" in text for text in texts(project).values())


def test_portable_style_leaves_constructors(project: Path) -> None:
    done = command(project, "--migrate=portable", "--fix", ".")
    assert done.returncode == 1 and "This line breaks typed keys of this constructor: pkg/main.py:9:18" in done.stdout
    new = texts(project)
    assert "jax.random.key_data(keys).shape[:-1]" in new["pkg/envs.py"] and "PRNGKey(seed)" in new["pkg/envs.py"]
    assert new["pkg/main.py"] == PROJECT["pkg/main.py"]


def test_diff_writes_nothing_and_applies(project: Path) -> None:
    done = command(project, "--migrate", "--strict", "--diff", ".")
    assert done.returncode == 1 and done.stdout.startswith("--- pkg/envs.py") and texts(project) == PROJECT
    subprocess.run(["patch", "-p0", "--silent"], cwd=project, input=done.stdout, text=True, check=True)
    patched = texts(project)
    for name, text in PROJECT.items():
        (project / name).write_text(text)
    command(project, "--migrate", "--strict", "--fix", ".")
    assert texts(project) == patched


def test_the_plan_hangs_on_nothing_but_the_project(project: Path) -> None:
    """Where very many values come together only some are told apart: the same ones each time."""
    functions = "".join(f"def f{n}(key):\n    return key\n\n\nclass C{n}:\n    go = f{n}\n\n\n" for n in range(80))
    calls = "for each in (" + ", ".join(f"C{n}" for n in range(80)) + "):\n    each().go(PRNGKey(1)).sum()\n"
    (project / "pkg/many.py").write_text(f"from jax.random import PRNGKey\n\n\n{functions}{calls}")
    reports = {
        subprocess.run(
            [sys.executable, "-m", "olympus_lint", "--no-cache", "--migrate", "--strict", "."],
            cwd=project,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=False,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(reports) == 1 and "pkg/many.py" in reports.pop()


def test_formats(project: Path) -> None:
    data = json.loads(command(project, "--migrate", "--strict", "--output-format", "json", ".").stdout)
    assert data["style"] == "typed" and data["written"] is False and len(data["constructors"]) == 4
    assert [each["held_back_by"] != [] for each in data["constructors"]].count(True) == 2
    text = command(project, "--migrate", "--strict", "--output-format", "markdown", ".").stdout
    assert text.startswith("# Migration of JAX random keys\n")
    assert "- This line holds back this constructor: `pkg/main.py:9:18`\n  - `pkg/main.py:9` the key is" in text


def test_parameters_are_keys_by_what_the_project_hands_to_them(project: Path) -> None:
    (project / "pkg/sizes.py").write_text(
        "def lanes(x):\n    return x.shape[:-1]\n\n\ndef of(y):\n    return y.shape[:-1]\n"
    )
    (project / "pkg/use.py").write_text(
        "import jax\nfrom pkg.sizes import lanes, of\n\n\ndef use(data):\n"
        "    keys = jax.random.split(jax.random.PRNGKey(0), 3)\n    return lanes(keys), of(data), of(keys)\n"
    )
    command(project, "--migrate", "--strict", "--fix", ".")
    sizes = (project / "pkg/sizes.py").read_text()
    assert "jax.random.key_data(x).shape[:-1]" in sizes and "return y.shape[:-1]" in sizes


@pytest.mark.parametrize(
    ("use", "word"),
    [
        ("print(BOX['one'][0])", "BOX['one'][0]"),
        ("print(BOX['many'][0])", ""),
        ("print(BOX['many'][0, 1])", "BOX['many'][0, 1]"),
        ("a, b = BOX['one']", "BOX['one']"),
        ("a, b = BOX['many']", ""),
        ("for word in BOX['one']: print(word)", "BOX['one']"),
        ("for key in BOX['many']: print(key)", ""),
        ("print(jax.vmap(lambda key: key[0])(BOX['many']))", "key[0]"),
    ],
)
def test_words_that_only_the_project_shows_to_be_words(use: str, word: str, tmp_path: Path) -> None:
    """An axis more than there are of keys is that of words; one of an array of keys stays."""
    make = "import jax\n\nBOX = {'one': jax.random.PRNGKey(0), 'many': jax.random.split(jax.random.PRNGKey(1), 3)}\n"
    (tmp_path / "box.py").write_text(make)
    (tmp_path / "use.py").write_text(f"import jax\nimport jax.numpy as jnp\nfrom box import BOX\n\n{use}\n")
    report = json.loads(command(tmp_path, "--migrate", "--strict", "--output-format", "json", ".").stdout)
    assert not any(each["held_back_by"] for each in report["constructors"])
    assert {bool(word in each["before"]) for each in report["places"]} == ({True} if word else set())


@pytest.mark.parametrize(
    "keys", ["jax.vmap(jax.random.PRNGKey)(jnp.arange(2))", "partial(jax.random.PRNGKey, 0)()[None]"]
)
def test_a_place_holds_back_what_a_transformation_makes(keys: str, tmp_path: Path) -> None:
    imports = "from functools import partial\n\nimport jax\nimport jax.numpy as jnp\n"
    (tmp_path / "main.py").write_text(f"{imports}\nkeys = {keys}\nprint(keys.ndim - 1)\n")
    report = json.loads(command(tmp_path, "--migrate", "--strict", "--output-format", "json", ".").stdout)
    (constructor,) = report["constructors"]
    assert [reason["text"] for reason in constructor["held_back_by"]] == ["reaches `keys.ndim - 1`"]


def test_a_function_that_may_be_another_one_holds_nothing_back(tmp_path: Path) -> None:
    """A callee that may be numpy's, but for a merger, is not known to refuse typed keys."""
    text = """\
        import jax
        import numpy as np

        def run(function, *arguments):
            return function(*arguments)

        run(np.sin, 1.0)
        print(run(jax.random.normal, jax.random.PRNGKey(0)))
        """
    (tmp_path / "main.py").write_text(dedent(text))
    report = json.loads(command(tmp_path, "--migrate", "--strict", "--output-format", "json", ".").stdout)
    assert [each["held_back_by"] for each in report["constructors"]] == [[]]


def test_the_number_of_keys_holds_nothing_back(project: Path) -> None:
    """What a shuffle of keys is rewritten to is one of numbers."""
    file = project / "pkg/keep.py"
    file.write_text(
        "import jax\n\nkeys = jax.random.split(jax.random.PRNGKey(1), 4)\n"
        "mixed = jax.random.permutation(jax.random.PRNGKey(0), keys)\n"
    )
    command(project, "--migrate", "--strict", "--fix", ".")
    assert "PRNGKey" not in file.read_text() and "keys[jax.random.permutation(" in file.read_text()


@pytest.mark.parametrize(("release", "broken"), [("0.8.3", True), ("0.9.2", False)])
def test_what_only_older_releases_refuse_is_rewritten_for_them(project: Path, release: str, broken: bool) -> None:
    (project / "pkg/keep.py").write_text("import jax\nimport pickle\n\npickle.dumps(jax.random.PRNGKey(0))\n")
    (project / "pkg/main.py").write_text("")
    done = command(project, "--migrate", "--strict", "--fix", "--target-jax", release, ".")
    pickled = "jax.random.key_data(jax.random.key(0))" if broken else "jax.random.key(0)"
    assert f"pickle.dumps({pickled})" in (project / "pkg/keep.py").read_text() and done.returncode == 0


def test_what_is_wrong_with_a_raw_key_is_not_left_when_it_is_typed(project: Path) -> None:
    (project / "pkg/main.py").write_text("import jax\n\njax.random.split(jax.random.PRNGKey(2, impl='rbg'))\n")
    report = json.loads(command(project, "--migrate", "--strict", "--output-format", "json", "pkg/main.py").stdout)
    assert report["left"] == [] and [each["held_back_by"] for each in report["constructors"]] == [[]]
    (project / "pkg/main.py").write_text(
        "import jax\nimport storage\n\nkey = jax.random.PRNGKey(2, impl='rbg')\n"
        "storage.draw(key)\njax.random.split(key)\n"
    )
    report = json.loads(command(project, "--migrate", "--strict", "--output-format", "json", "pkg/main.py").stdout)
    assert [each["code"] for each in report["left"]] == ["OLY205"]


def plan_of(project: Path, **files: str) -> dict[int, list[str]]:
    """Return the reasons and checks of each constructor in ``main.py``, by its row."""
    for name, text in files.items():
        (project / f"{name}.py").write_text(text)
    migration = migrate([Text(str(project / f"{n}.py"), Settings(), t) for n, t in files.items()], Target("typed"))
    made = migration.constructors[str(project / "main.py")]
    return {each.row: [reason.text for reason in (*each.reasons, *each.checks)] for each in made}


def test_a_project_that_is_too_large_is_migrated_without_what_is_not_told_apart(project: Path) -> None:
    def migrated(*, strict: bool) -> tuple[Migration, set[str]]:
        texts = [Text(str(project / name), Settings(), text) for name, text in PROJECT.items() if name.endswith(".py")]
        with mock.patch.multiple(slots, MOST_STEPS=3, MORE_STEPS=1):
            migration = migrate(texts, Target("typed"), strict=strict)
        every = (each for made in migration.constructors.values() for each in made if each.row == 10)
        return migration, {reason.text for each in every for reason in (*each.reasons, *each.checks)}

    migration, told = migrated(strict=False)
    assert migration.is_cut_short and migration.is_open and migration.unlisted > 0
    not_apart = "is passed to `keep`, where too many functions and objects come together to be told apart"
    assert not_apart not in told
    assert not_apart in migrated(strict=True)[1]
    assert any("key_data(keys).shape" in text.new for text in migration.texts)


def test_suppressed_and_ignored_places_stay(project: Path) -> None:
    file = project / "pkg/envs.py"
    file.write_text(file.read_text().replace("# one", "# noqa: OLY202 one"))
    command(project, "--migrate", "--strict", "--fix", ".")
    assert "keys.shape[:-1])  # noqa" in file.read_text() and "random.key(seed)" in file.read_text()
    file.write_text(PROJECT["pkg/envs.py"])
    command(project, "--migrate", "--strict", "--fix", "--ignore", "OLY202", ".")
    assert "jnp.zeros(keys.shape[:-1])" in file.read_text()


def test_line_endings_and_encoding_stay(project: Path) -> None:
    file = project / "pkg/envs.py"
    old = ("# -*- coding: latin-1 -*-\n# caf\xe9\n" + PROJECT["pkg/envs.py"]).replace("\n", "\r\n").encode("latin-1")
    file.write_bytes(old)
    command(project, "--migrate", "--strict", "--fix", ".")
    new = old.replace(b"PRNGKey", b"key").replace(b"keys.shape", b"jax.random.key_data(keys).shape")
    assert file.read_bytes() == new


def test_target_jax_decides_what_is_legal(project: Path) -> None:
    command(project, "--migrate", "--strict", "--fix", "--target-jax", "0.4.13", ".")
    assert texts(project)["pkg/main.py"] == PROJECT["pkg/main.py"]  # `jax.random.key` came later


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--migrate=both"], "invalid choice: 'both'"),
        (["--migrate", "--target-jax", "new"], "expected a release of JAX such as"),
        (["--migrate", "--trace"], "--trace cannot be combined with --migrate"),
        (["--migrate", "--output-format", "markdwon"], "did you mean markdown?"),
        (["--migrate", "-"], "not standard input"),
    ],
)
def test_wrong_options(project: Path, options: list[str], sentence: str) -> None:
    done = command(project, *options)
    assert done.returncode == 2 and sentence in done.stderr and not done.stdout


def test_broken_file_is_a_problem_and_the_others_go_on(project: Path) -> None:
    (project / "pkg/broken.py").write_text("import jax\nkey = jax.random.PRNGKey(0\n")
    done = command(project, "--migrate", "--strict", "--fix", ".")
    assert done.returncode == 2 and "pkg/broken.py: cannot be parsed" in done.stderr
    assert "random.key(seed)" in (project / "pkg/envs.py").read_text()


ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "migration.md").read_text("utf-8")


def test_the_page_shows_what_the_command_prints() -> None:
    ((arguments, shown),) = re.findall(
        r"^```console\n\$ olympus-lint (.+?)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE
    )
    assert command(ROOT, *arguments.split()).stdout == shown


def test_options_of_the_page_are_those_there_are() -> None:
    known = {option for action in parser()._actions for option in action.option_strings}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", PAGE)) <= known
    assert f"typed keys came with {'.'.join(map(str, SINCE['typed-keys']))}" in PAGE
    assert DRY_RUN in PAGE
