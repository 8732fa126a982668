"""`--fix` of OLY201: what a program prints stays, whatever its keys are asked in this file and in others."""

from __future__ import annotations

import io
import json
import runpy
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from command_line import command

from olympus_lint.migration import safety
from olympus_lint.project.discovery import SourceFile
from olympus_lint.project.settings import Settings
from olympus_lint.run.context import Mode
from olympus_lint.run.fixing import fix_text
from olympus_lint.run.runner import check_files

LEGACY = Settings(select=["OLY201"], output_format="json")
IMPORTS = "import jax\nimport jax.numpy as jnp\n\n"
HELD = {
    "default": "def describe(key=jax.random.PRNGKey(0)):\n    return 'batch' if key.ndim else 'single'\n\n\n"
    "print(describe())\n",
    "class attribute": "class Box:\n    key = jax.random.PRNGKey(0)\n\n\n"
    "def is_one(box):\n    return box.key.shape == (2,)\n\n\nprint(is_one(Box()))\n",
    "bare shape": "def noise(seed):\n    key = jax.random.PRNGKey(seed)\n"
    "    return jax.random.normal(key, key.shape)\n\n\nprint(noise(1))\n",
    "handed on": "def count(thing):\n    return thing.size\n\n\n"
    "print(count(jax.lax.stop_gradient(jax.random.PRNGKey(0))))\n",
    "closure": "def make():\n    key = jax.random.PRNGKey(0)\n    return lambda: key\n\n\nprint(len(make()().shape))\n",
    "accepted place": "key = jax.random.PRNGKey(0)\nprint(key.ndim == 1)  # noqa: OLY202\n",
    "company that stays": "key = jax.random.PRNGKey(0)\nraw = jax.random.PRNGKey(1)  # noqa: OLY201\n"
    "print(jax.random.normal(jnp.where(True, key, raw)))\n",
    "company that is held back": "key = jax.random.PRNGKey(0)\nraw = jax.random.PRNGKey(1)\nprint(raw.size)\n"
    "print(jax.random.normal(jnp.where(True, key, raw)))\n",
    "index of a copy": "key = jax.random.PRNGKey(1)\ncopy = jnp.full_like(key, 0).at[:].set(key)\n"
    "print(jax.random.normal(copy))\n",
    "values of a dictionary": "made = {'a': jax.random.PRNGKey(0)}\nfor each in made.values():\n    print(each.size)\n",
    "printed to a buffer": "import io\nkey = jax.random.PRNGKey(0)\nbuffer = io.StringIO()\n"
    "print(key, file=buffer)\nprint(buffer.getvalue())\n",
    "parts printed to a buffer": "import io\n\n\ndef show(thing):\n    buffer = io.StringIO()\n"
    "    print(thing, file=buffer)\n    print(buffer.getvalue())\n\n\n"
    "show([leaf for leaf in jax.tree.leaves({'a': jax.random.PRNGKey(0)})])\n",
    "parts handed to NumPy": "import numpy as np\n\n\ndef check(one, other):\n"
    "    jax.tree.map(np.testing.assert_array_equal, one, other)\n\n\n"
    "check([jax.random.PRNGKey(0)], [jax.random.PRNGKey(0)])\n",
    "mock": "from unittest import mock\n\n\ndef draw():\n    return jax.random.normal(jax.random.PRNGKey(1))\n\n\n"
    "with mock.patch('jax.random.PRNGKey', return_value=jnp.array([0, 5], 'uint32')):\n    print(draw())\n",
    "assigned name": "def draw():\n    return jax.random.normal(jax.random.PRNGKey(1))\n\n\n"
    "made = jax.random.PRNGKey\njax.random.PRNGKey = lambda seed: made(5)\nprint(draw())\njax.random.PRNGKey = made\n",
}
SEEN_BY_THE_RULE = (
    HELD["closure"],
    HELD["values of a dictionary"],
    HELD["accepted place"],
    HELD["printed to a buffer"],
)  # the reason is in the message of the finding
FREE = {
    "local": "def noise(seed):\n    key = jax.random.PRNGKey(seed)\n"
    "    return jax.random.normal(key)\n\n\nprint(noise(1))\n",
    "loop": "def noise(seed):\n    def body(key, _):\n        key, sub = jax.random.split(key)\n"
    "        return key, jax.random.normal(sub)\n\n"
    "    _, rows = jax.lax.scan(body, jax.random.PRNGKey(seed), None, length=3)\n    return rows\n\n\n"
    "print(noise(1))\n",
}
KEPT = "KEY = jax.random.PRNGKey(0)\n"  # safe where nothing else reads it


def renamed(folder: Path, *options: str, text: str | None = None) -> str:
    done = command(folder, "--select", "OLY201", "--exit-zero", *options, text=text)
    assert done.returncode == 0, done.stderr
    return done.stdout


def fixes(folder: Path, *options: str) -> list[dict[str, Any]]:
    return [found["fix"] for found in json.loads(renamed(folder, "--output-format", "json", *options))]


def printed(program: Path) -> str:
    out = io.StringIO()
    with redirect_stdout(out):
        runpy.run_path(str(program), run_name="__main__")
    return out.getvalue()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").touch()
    return tmp_path


@pytest.mark.parametrize("body", HELD.values(), ids=HELD.keys())
def test_what_is_asked_of_the_key_stays(body: str, project: Path) -> None:
    pytest.importorskip("jax", reason="needs JAX, the extra `trace`")
    file = project / "program.py"
    file.write_text(IMPORTS + body)
    before = printed(file)
    shown = [each for each in fixes(project, "program.py") if each is not None]
    assert {each["applicability"] for each in shown} == {"unsafe"}
    assert any("unsafe, as the key " in each["message"] for each in shown) or body in SEEN_BY_THE_RULE
    renamed(project, "--fix", "program.py")
    assert printed(file) == before and "PRNGKey" in file.read_text()


def test_a_constructor_that_a_test_replaces(project: Path) -> None:
    (project / "draws.py").write_text(IMPORTS + "def draw():\n    return jax.random.normal(jax.random.PRNGKey(1))\n")
    (project / "test_draws.py").write_text(
        "import draws\n\n\ndef test_draw(monkeypatch):\n"
        "    monkeypatch.setattr('jax.random.PRNGKey', lambda seed: None)\n    draws.draw()\n"
    )
    (shown,) = fixes(project, "draws.py")
    assert shown["applicability"] == "unsafe" and "`test_draws.py:5` may replace" in shown["message"]


def test_words_that_are_joined_are_no_key() -> None:
    body = "key = jax.random.PRNGKey(1)\nkey = jnp.concatenate([key[:1], key[1:]])\nprint(jax.random.normal(key))\n"
    fixed = fix_text("program.py", IMPORTS + body, Settings(select=["OLY202"])).text
    assert fixed == IMPORTS + body


@pytest.mark.parametrize("body", FREE.values(), ids=FREE.keys())
@pytest.mark.parametrize("alone", [True, False], ids=["alone", "project"])
def test_a_key_that_stays_in_sight(body: str, alone: bool, project: Path) -> None:
    if alone:
        assert "PRNGKey" not in fix_text("program.py", IMPORTS + body, LEGACY).text
        return
    (project / "program.py").write_text(IMPORTS + body)
    renamed(project, "--fix", ".")
    assert "PRNGKey" not in (project / "program.py").read_text()


@pytest.mark.parametrize(
    "read",
    [
        "box.KEY.shape == (2,)",
        "print(box.KEY.size)",
        "jnp.ones(box.KEY.shape)",
        "words = jnp.array((lambda key: lambda: key)(box.KEY)().tolist(), jnp.uint32)\njax.random.split(words)",
    ],
)
def test_a_key_that_another_file_reads(read: str, project: Path) -> None:
    """The file that reads it need not be among those that are checked."""
    (project / "box.py").write_text(IMPORTS + KEPT)
    (project / "tests").mkdir()
    (project / "tests" / "test_box.py").write_text(f"import box\nimport jax, jax.numpy as jnp\n\n{read}\n")
    (shown,) = fixes(project, "box.py")
    assert shown["applicability"] == "unsafe" and "on line 4 of tests/test_box.py" in shown["message"]
    renamed(project, "--fix", "box.py")
    assert "PRNGKey" in (project / "box.py").read_text()
    (project / "tests" / "test_box.py").write_text("import box\nimport jax\n\njax.random.normal(box.KEY)\n")
    renamed(project, "--fix", "box.py")
    assert "PRNGKey" not in (project / "box.py").read_text()


def test_one_file_alone_does_not_know_who_reads_it(project: Path) -> None:
    (shown,) = json.loads(renamed(project, "--output-format", "json", "-", text=IMPORTS + KEPT))
    assert shown["fix"]["applicability"] == "unsafe" and "outside this file" in shown["fix"]["message"]
    assert renamed(project, "--fix", "-", text=IMPORTS + KEPT) == IMPORTS + KEPT
    local = "import jax\n\n\ndef f(seed):\n    key = jax.random.PRNGKey(seed)\n    return jax.random.normal(key)\n"
    assert renamed(project, "--fix", "-", text=local) == local.replace("PRNGKey", "key")


def test_a_notebook_is_imported_by_nobody(project: Path) -> None:
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    sources = ["import jax\nkey = jax.random.PRNGKey(0)\n", "jax.random.normal(key)\n"]
    cells = [{**cell, "source": source} for source in sources]
    file = project / "a.ipynb"
    file.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}))
    renamed(project, "--fix", "a.ipynb")
    assert "PRNGKey" not in file.read_text()
    cells[1]["source"] = "print(key.size)\n"
    cells[0]["source"] = sources[0]
    file.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}))
    renamed(project, "--fix", "a.ipynb")
    assert "PRNGKey" in file.read_text()


def test_the_cache_and_other_processes_say_the_same(project: Path) -> None:
    """The answer is that of the project as it is, and not that of an earlier run."""
    (project / "box.py").write_text(IMPORTS + KEPT)
    (project / "use.py").write_text("import box\n\nprint(box.KEY.size)\n")
    for _ in range(2):
        assert [each["applicability"] for each in fixes(project, ".")] == ["unsafe"]
    (project / "use.py").write_text("import box\n")
    for _ in range(2):
        assert [each["applicability"] for each in fixes(project, ".")] == ["safe"]


def test_several_processes(project: Path) -> None:
    (project / "use.py").write_text("import jax\nimport box\n\nprint(box.KEY.size, jax.random.PRNGKey(1))\n")
    (project / "box.py").write_text(IMPORTS + KEPT)
    files = [SourceFile(str(project / name), LEGACY) for name in ("use.py", "box.py")]
    alone, together = (
        sorted((each.filename, each.findings[0].fix) for each in check_files(files, Mode.CHECK, jobs))  # type: ignore[type-var]
        for jobs in (1, 2)
    )
    assert alone == together and "box.KEY.size" in str(alone[0][1])


@pytest.fixture
def analyses(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Record the number of files of each analysis of reach."""
    made: list[int] = []
    analysed = safety._analysed

    def counted(texts: list[Any], renamed: Any) -> Any:
        made.append(len(texts))
        return analysed(texts, renamed)

    monkeypatch.setattr(safety, "_analysed", counted)
    return made


@pytest.mark.parametrize("options", [["--output-format", "concise"], [], ["--statistics"], ["--add-noqa"]])
def test_nothing_is_analysed_where_nobody_asks(options: list[str], project: Path, analyses: list[int]) -> None:
    (project / "box.py").write_text(IMPORTS + KEPT)
    shown = renamed(project, *options, "box.py")
    assert not analyses
    if not options:
        assert "OLY201 [?] " in shown and "(`--fix` does it where that is safe)" in shown
        assert shown.endswith("[?] 1 fixable with the `--fix` option where that is safe.\n")
        assert "OLY201 [*] " in renamed(project, "--unsafe-fixes", "box.py") and not analyses
    renamed(project, "-", *options, text=IMPORTS + KEPT)
    assert not analyses


@pytest.mark.parametrize("options", [["--output-format", "json"], ["--output-format", "json-lines"], ["--diff"]])
def test_the_files_of_a_project_are_analysed_once(options: list[str], project: Path, analyses: list[int]) -> None:
    """For all files and runs, as long as the texts are the same."""
    names = [f"box{number}.py" for number in range(3)]
    for name in names:
        (project / name).write_text(IMPORTS + KEPT)
    first = renamed(project, *options, ".")
    assert analyses == [3] and first
    assert renamed(project, *options, ".") == first and analyses == [3]
    (project / names[0]).write_text(IMPORTS + KEPT + "print(KEY.size)\n")
    assert renamed(project, *options, ".") != first and analyses == [3, 3]


def test_a_damaged_answer_is_none(project: Path, analyses: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "box.py").write_text(IMPORTS + KEPT)
    first = fixes(project, "box.py")
    for damaged in ("[]", "{", '{"box.py": 3}', '{"box.py": [[1, 2]]}', '{"box.py": [[-1, 0, ""]]}'):
        monkeypatch.setattr(safety, "as_json", lambda _, damaged=damaged: damaged)
        (project / "box.py").write_text(IMPORTS + KEPT + f"# {len(analyses)}\n")
        before = len(analyses)
        assert fixes(project, "box.py") == fixes(project, "box.py") == first
        assert len(analyses) == before + 2


@pytest.mark.parametrize("limit", ["MOST_STEPS", "alone"])
def test_what_takes_too_long_is_not_safe(limit: str, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(safety, "MOST_STEPS", 10)
    (project / "program.py").write_text(IMPORTS + FREE["loop"])
    given = ("-",) if limit == "alone" else ("program.py",)
    shown = renamed(project, "--output-format", "json", *given, text=IMPORTS + FREE["loop"])
    (fix,) = [found["fix"] for found in json.loads(shown)]
    assert fix["applicability"] == "unsafe" and "within the limit of a fix" in fix["message"]
    renamed(project, "--fix", "program.py")
    assert "PRNGKey" in (project / "program.py").read_text()


def test_an_analysis_that_fails_is_made_once(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    def fail(texts: list[Any], renamed: Any) -> None:
        tried.append(len(texts))
        raise RuntimeError("broken")

    monkeypatch.setattr(safety, "_analysed", fail)
    for name in ("a.py", "b.py"):
        (project / name).write_text(IMPORTS + KEPT)
    done = command(project, "--select", "OLY201", "--output-format", "json", ".")
    assert tried == [2] and done.returncode == 2 and done.stderr.count("broken") >= 2
    assert {each["fix"]["applicability"] for each in json.loads(done.stdout)} == {"unsafe"}
