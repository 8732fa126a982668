"""What is kept between runs: it saves work and changes no result."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import hypothesis
import pytest
from conftest import Outcome
from hypothesis import given, settings
from hypothesis import strategies as st

import olympus_lint
from olympus_lint.analysis import cache as cache_module
from olympus_lint.analysis import projects as projects_module
from olympus_lint.analysis import store as store_module
from olympus_lint.analysis.cache import Cache
from olympus_lint.analysis.projects import Projects
from olympus_lint.analysis.store import NAME, STAMP, Store
from olympus_lint.commandline.check import check  # noqa: F401  loaded before the clock of a test starts
from olympus_lint.project.discovery import SourceFile
from olympus_lint.project.settings import Settings
from olympus_lint.reporting.results import FileResult
from olympus_lint.run.context import Mode
from olympus_lint.run.runner import check_files

Run = Callable[..., Outcome]

CONSUMES = "import jax.random as jr\n\n\ndef draw(key):\n    return jr.normal(key)\n"
FOLDS = "import jax.random as jr\n\n\ndef draw(key):\n    return jr.fold_in(key, 1)\n"
TWICE = "import jax\nfrom {module} import draw\n\n\ndef f(key):\n    return draw(key), jax.random.normal(key)\n"
ALONE = "import jax\n\n\ndef g(key):\n    return jax.random.normal(key) + jax.random.uniform(key)\n"
PASSES_ON = "import jax.random\nfrom pkg.c import draw as inner\n\n\ndef draw(key):\n    return inner(key)\n"


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in {"pyproject.toml": "[project]\nname = 'pkg'\n", **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def lint(root: Path, *, chosen: Settings | None = None, jobs: int = 1, cached: bool = True) -> list[FileResult]:
    """Check all files under a folder, with its cache."""
    files = [SourceFile(str(path), chosen or Settings()) for path in sorted(root.rglob("*.py"))]
    results = check_files(files, Mode.CHECK, jobs, Cache(root / "kept") if cached else None)
    return sorted(results, key=lambda result: result.filename)


def rows(results: list[FileResult]) -> dict[str, list[int]]:
    return {Path(r.filename).name: [f.span.start.row for f in r.findings] for r in results if r.findings}


def analysed(results: list[FileResult]) -> set[str]:
    return {Path(r.filename).name for r in results if r.analysed and not r.cached}


def plain(results: list[FileResult]) -> list[object]:
    """Return all of the results that must not hang on the cache; a finding's fix is no part of its equality."""
    return [(r.filename, r.findings, [f.fix for f in r.findings], r.errors, r.notes, r.text) for r in results]


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Return a package whose main.py calls draw of c.py through b.py, beside a file that has to do with neither."""
    write(tmp_path, {"pkg/__init__.py": "", "pkg/c.py": CONSUMES, "pkg/b.py": PASSES_ON})
    write(tmp_path, {"pkg/main.py": TWICE.format(module="pkg.b"), "pkg/alone.py": ALONE})
    return tmp_path


def test_a_second_run_analyses_nothing_and_finds_the_same(package: Path) -> None:
    first, second = lint(package), lint(package)
    assert analysed(first) == {"alone.py", "b.py", "c.py", "main.py"}
    assert analysed(second) == set()
    assert rows(first) == {"main.py": [6], "alone.py": [5]}
    assert plain(first) == plain(second) == plain(lint(package, cached=False))


def test_a_helper_that_changes_what_it_does_changes_its_callers(package: Path) -> None:
    lint(package)
    write(package, {"pkg/c.py": FOLDS})
    second = lint(package)
    assert rows(second) == {"alone.py": [5]}
    assert analysed(second) == {"c.py", "b.py", "main.py"}
    write(package, {"pkg/c.py": CONSUMES})
    assert rows(lint(package)) == {"main.py": [6], "alone.py": [5]}


@pytest.mark.parametrize(
    "text",
    [
        f"# a comment\n\n{CONSUMES}",
        CONSUMES + "\n\ndef other(key):\n    return jr.split(key)\n",
        CONSUMES.replace("return jr.normal(key)", "numbers = jr.normal(key)\n    return numbers"),
    ],
    ids=["comment", "another function", "another spelling"],
)
def test_a_change_that_no_caller_can_see_goes_no_further(package: Path, text: str) -> None:
    before = lint(package)
    write(package, {"pkg/c.py": text})
    after = lint(package)
    assert analysed(after) == {"c.py"}
    assert plain(after) == plain(lint(package, cached=False))
    assert rows(after) == rows(before)


def test_a_change_stops_where_an_answer_stays_the_same(package: Path) -> None:
    """What c.py says changes, and what b.py makes of it does not."""
    write(package, {"pkg/b.py": PASSES_ON.replace("return inner(key)", "inner(key)\n    return jax.random.bits(key)")})
    write(package, {"pkg/main.py": TWICE.format(module="pkg.b")})
    lint(package)
    write(package, {"pkg/c.py": CONSUMES.replace("return jr.normal(key)", "jr.normal(key)\n    return 1")})
    after = lint(package)
    assert plain(after) == plain(lint(package, cached=False))
    assert analysed(after) == {"b.py", "c.py"}


def test_a_helper_behind_a_reexport(package: Path) -> None:
    write(package, {"pkg/__init__.py": "from pkg.c import draw\n", "pkg/main.py": TWICE.format(module="pkg")})
    assert "main.py" in rows(lint(package))
    write(package, {"pkg/c.py": FOLDS})
    assert "main.py" not in rows(lint(package))
    write(package, {"pkg/__init__.py": "from pkg.b import draw\n", "pkg/b.py": CONSUMES})
    after = lint(package)
    assert "main.py" in rows(after)
    assert "alone.py" not in analysed(after)


def test_a_stub_that_a_package_attaches(package: Path) -> None:
    """It counts as a part of its package, also in a run that needs no more of the package than it knows."""
    lazy = "import lazy_loader\n\n__getattr__, *_ = lazy_loader.attach_stub(__name__, __file__)\n"
    main = TWICE.format(module="pkg.lazy")
    write(package, {"pkg/lazy/__init__.py": lazy, "pkg/lazy/__init__.pyi": "from ..c import draw\n"})
    write(package, {"pkg/main.py": main, "pkg/folds.py": FOLDS})
    assert rows(lint(package))["main.py"] == [6]
    write(package, {"pkg/main.py": f"\n{main}"})
    assert rows(lint(package))["main.py"] == [7]
    write(package, {"pkg/lazy/__init__.pyi": "from ..folds import draw\n"})
    assert "main.py" not in rows(lint(package))


def test_a_module_that_appears_and_goes_away(package: Path) -> None:
    main = TWICE.format(module="pkg.later")
    write(package, {"pkg/main.py": main})
    message = lint(package)[-1].findings
    write(package, {"pkg/later.py": FOLDS})
    assert rows(lint(package)) == {"alone.py": [5]}
    (package / "pkg" / "later.py").unlink()
    assert lint(package)[-1].findings == message
    (package / "pkg" / "later").mkdir()
    write(package, {"pkg/later/__init__.py": FOLDS})
    assert rows(lint(package)) == {"alone.py": [5]}


def test_a_helper_that_is_deleted(package: Path) -> None:
    lint(package)
    write(package, {"pkg/c.py": "import jax.random as jr\n"})
    after = lint(package)
    assert plain(after) == plain(lint(package, cached=False))
    assert {"c.py", "b.py"} <= analysed(after)


def test_a_circle_of_files(package: Path) -> None:
    """b.py and c.py ask each other; a change of one is seen in both, and in main.py."""
    circle = "import jax.random as jr\nfrom pkg.b import draw as other\n\n\ndef draw(key, n=0):\n    {}\n"
    write(package, {"pkg/c.py": circle.format("return other(key) if n else jr.normal(key)")})
    lint(package)
    assert rows(lint(package)) == {"main.py": [6], "alone.py": [5]}
    write(package, {"pkg/c.py": circle.format("return other(jr.fold_in(key, n)) if n else jr.fold_in(key, 1)")})
    after = lint(package)
    assert plain(after) == plain(lint(package, cached=False))
    assert "main.py" not in rows(after) and "alone.py" not in analysed(after)


def test_settings_that_matter_have_results_of_their_own(package: Path) -> None:
    lint(package)
    for other in (Settings(select=["OLY201"]), Settings(library_roots=["labjax"]), Settings(ignore_noqa=True)):
        assert rows(lint(package, chosen=other)) == rows(lint(package, chosen=other, cached=False))
    assert analysed(lint(package, chosen=Settings(select=["OLY201"]))) == set()
    assert analysed(lint(package, chosen=Settings(output_format="json"))) == set()
    ignoring = Settings(per_file_ignores={"main.py": ["OLY104"]})
    assert rows(lint(package, chosen=ignoring)) == {"alone.py": [5]}
    assert analysed(lint(package)) == set()


def test_another_version_of_the_tool_starts_anew(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lint(package)
    monkeypatch.setattr(cache_module, "tool", lambda: "another")
    assert "main.py" in analysed(lint(package))


def test_the_tool_is_known_by_its_sources(tmp_path: Path) -> None:
    program = "from olympus_lint.analysis.cache import tool; print(tool())"
    package = Path(olympus_lint.__file__).parent
    shutil.copytree(package, tmp_path / "olympus_lint", ignore=shutil.ignore_patterns("__pycache__"))

    def named() -> str:
        command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {program}"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    before = named()
    assert named() == before
    with (tmp_path / "olympus_lint" / "run" / "engine.py").open("a") as file:
        file.write("# changed\n")
    assert named() != before


def test_one_or_several_processes(package: Path) -> None:
    alone = plain(lint(package, cached=False))
    assert plain(lint(package, jobs=2)) == alone
    again = lint(package, jobs=2)
    assert plain(again) == alone and analysed(again) == set()


@pytest.mark.parametrize("damage", ["garbage", "truncated", "empty", "another database", "another schema", "a folder"])
def test_a_damaged_file_is_replaced(package: Path, damage: str) -> None:
    before = plain(lint(package))
    file = package / "kept" / NAME
    if damage == "garbage":
        file.write_bytes(b"no database at all" * 1000)
    elif damage == "truncated":
        file.write_bytes(file.read_bytes()[:5000])
    elif damage == "empty":
        file.write_bytes(b"")
    elif damage == "a folder":
        file.unlink()
        file.mkdir()
    else:
        file.unlink()
        with closing(sqlite3.connect(file)) as other:
            other.execute("CREATE TABLE entries (key)" if damage == "another schema" else "PRAGMA user_version = 99")
    assert plain(lint(package)) == before
    assert plain(lint(package)) == before
    assert damage == "a folder" or analysed(lint(package)) == set()


@pytest.mark.parametrize("seed", range(5))
def test_a_file_with_a_wrong_page(package: Path, seed: int) -> None:
    before = plain(lint(package))
    file = package / "kept" / NAME
    data, chance = bytearray(file.read_bytes()), random.Random(seed)
    for _ in range(200):
        data[chance.randrange(len(data))] = chance.randrange(256)
    file.write_bytes(data)
    assert [type(result) for result in lint(package)] == [FileResult] * 5  # and nothing raised
    shutil.rmtree(package / "kept")
    assert plain(lint(package)) == before


HOSTILE = ["", "null", "[]", "{}", "3", '"text"', "[" * 5000, "[1,2,3,4]", '["a","b","c",0,0,0]', '[[["a"]]]', "nan"]


@pytest.mark.parametrize("value", HOSTILE)
def test_values_of_another_shape_are_passed_over(package: Path, value: str) -> None:
    before = plain(lint(package))
    with closing(sqlite3.connect(package / "kept" / NAME)) as store:
        store.execute("UPDATE entries SET value = ?", (value,))
        store.commit()
    assert plain(lint(package)) == before


@pytest.mark.parametrize(
    "record", ["{}", "[]", '{"value": 3}', '{"alias": 7}', '{"class": []}', '{"value": ["term", 9]}']
)
def test_answers_of_another_shape_are_passed_over(package: Path, record: str) -> None:
    lint(package)
    with closing(sqlite3.connect(package / "kept" / NAME)) as store:
        changed = []
        for key, value in store.execute("SELECT key, value FROM entries").fetchall():
            parts = json.loads(value)
            if len(parts) == 6:  # an answer: its stamp and needs are right, its record is not
                changed.append((json.dumps([*parts[:5], record]), key))
        store.executemany("UPDATE entries SET value = ? WHERE key = ?", changed)
        store.commit()
    assert changed
    with (package / "pkg" / "main.py").open("a") as file:
        file.write("# changed, so that it asks again\n")
    assert plain(lint(package)) == plain(lint(package, cached=False))


def test_two_processes_at_once(package: Path) -> None:
    for number in range(30):
        write(package, {f"pkg/more{number}.py": TWICE.format(module="pkg.b")})
    command = [sys.executable, "-m", "olympus_lint", "--cache-dir", "kept", "--output-format", "json", "--jobs", "1"]
    both = [
        subprocess.Popen(command, cwd=package, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    (first, first_errors), (second, second_errors) = [process.communicate() for process in both]
    assert first == second and (first_errors, second_errors) == ("", "")
    assert [process.returncode for process in both] == [1, 1]
    assert len(json.loads(first)) == 32


# what is deleted


def stored(folder: Path, uses: Sequence[int], *, size: int = 1) -> None:
    """Write entries that were used so many days ago, in a store that was last pruned yesterday."""
    today = int(time.time()) // store_module.DAY
    store = Store(folder)
    for number in range(len(uses)):
        store.put(bytes([number]), "x" * size)
    store.close()
    with closing(sqlite3.connect(folder / NAME)) as file, file:
        file.executemany(
            "UPDATE entries SET used = ? WHERE key = ?", [(today - n, bytes([k])) for k, n in enumerate(uses)]
        )
    os.utime(folder / STAMP, (time.time() - 2 * store_module.DAY,) * 2)


def kept(folder: Path) -> list[int]:
    store = Store(folder)
    found = [number for number in range(100) if store.get(bytes([number])) is not None]
    store.close()
    return found


def test_entries_that_were_not_used_for_long_are_deleted(tmp_path: Path) -> None:
    stored(tmp_path, [0, 40, 29, 31, -5])
    assert kept(tmp_path) == [0, 2]


def test_the_oldest_of_too_many_entries_are_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored(tmp_path, [3, 9, 1, 8, 2])
    monkeypatch.setattr(store_module, "MOST", 3)
    assert kept(tmp_path) == [0, 2, 4]


def test_the_oldest_of_too_large_entries_are_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored(tmp_path, [*range(20)], size=50_000)
    before = (tmp_path / NAME).stat().st_size
    monkeypatch.setattr(store_module, "LARGEST", 600_000)
    assert kept(tmp_path) == [*range(5)]
    assert before > 1_000_000 and (tmp_path / NAME).stat().st_size < 300_000
    os.utime(tmp_path / STAMP, (time.time() - 2 * store_module.DAY,) * 2)
    assert kept(tmp_path) == [*range(5)]


def test_a_store_that_others_read_is_pruned_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored(tmp_path, [*range(20)], size=50_000)
    monkeypatch.setattr(store_module, "LARGEST", 600_000)
    monkeypatch.setattr(store_module, "PATIENCE", 0.1)
    with closing(sqlite3.connect(tmp_path / NAME)) as other:
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM entries").fetchall()
        assert kept(tmp_path) == [*range(5)]


# the command


@pytest.fixture
def example(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("OLYMPUS_LINT_CACHE_DIR", raising=False)
    write(project, {"pkg/__init__.py": "", "pkg/c.py": CONSUMES, "pkg/main.py": TWICE.format(module="pkg.c")})
    (project / "pyproject.toml").write_text("[tool.olympus-lint]\n")
    return project


def test_the_folder_is_left_alone_by_other_tools(example: Path, run: Run) -> None:
    first, second = run("--output-format", "json"), run("--output-format", "json")
    folder = example / ".olympus-lint-cache"
    assert (first.status, first.out) == (second.status, second.out)
    assert (folder / ".gitignore").read_text() == "*\n"
    assert (folder / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55\n")


def test_the_folder_lies_beside_the_settings(example: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(example / "pkg")
    run()
    assert (example / ".olympus-lint-cache").is_dir() and not (example / "pkg" / ".olympus-lint-cache").exists()


def test_without_a_cache_nothing_is_written(example: Path, run: Run) -> None:
    before = sorted(example.rglob("*"))
    run("--no-cache")
    run("--diff", "--unsafe-fixes")
    assert sorted(example.rglob("*")) == before


def test_which_folder_counts(example: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    (example / "pyproject.toml").write_text('[tool.olympus-lint]\ncache-dir = "set"\n')
    run()
    monkeypatch.setenv("OLYMPUS_LINT_CACHE_DIR", "environment")
    run()
    run("--cache-dir", "named")
    made = {path.name for path in example.iterdir() if path.is_dir()}
    assert made == {"pkg", "set", "environment", "named"}


def test_what_verbose_counts(example: Path, run: Run) -> None:
    assert "analysed 2 of 3 files;" in run("-v").err
    assert "analysed 0 of 3 files (2 from the cache);" in run("-v").err


def test_a_folder_that_cannot_be_made(example: Path, run: Run) -> None:
    expected = run("--no-cache")
    (example / "file").touch()
    assert run("--cache-dir", "file/inside") == expected
    assert "note: the cache in " in run("--cache-dir", "file/inside", "-v").err


def test_fixes_leave_a_stale_result_behind(example: Path, run: Run) -> None:
    assert "OLY104" in run("--output-format", "concise").out
    run("--fix", "--unsafe-fixes")
    assert run("--output-format", "concise") == run("--output-format", "concise", "--no-cache")


def test_a_file_by_another_name(example: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run()
    monkeypatch.chdir(example / "pkg")
    outcome = run("-v", "main.py", "--output-format", "concise")
    assert outcome.out.startswith("main.py:6:") and "(1 from the cache)" in outcome.err


def test_a_place_in_another_file_is_seen_from_the_new_name(
    project: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeded = "import jax.random as jr\n\n\ndef draw(seed):\n    return jr.normal(jr.key(seed))\n"
    draws = "draw(seed), jax.random.bits(jax.random.key(seed))"
    both = f"import jax\nfrom pkg.c import draw\n\n\ndef f(seed):\n    return {draws}\n"
    write(project, {"pkg/__init__.py": "", "pkg/c.py": seeded, "pkg/main.py": both, "pyproject.toml": ""})
    for folder, name in ((project, "pkg/c.py"), (project / "pkg", "c.py")):
        monkeypatch.chdir(folder)
        (found,) = json.loads(run("--output-format", "json", "--min-confidence", "possible", "--select", "OLY104").out)
        assert [(each["filename"], each["location"]["row"]) for each in found["related"]][1:] == [(name, 5)]


def test_names_of_files_may_be_any(project: Path, run: Run) -> None:
    write(project, {"schlüssel 鍵.py": ALONE, "pyproject.toml": "[tool.olympus-lint]\n"})
    assert run("--output-format", "json") == run("--output-format", "json")
    assert "(1 from the cache)" in run("-v").err


# edits

BODIES = [
    "return jax.random.normal(key)",
    "return jax.random.fold_in(key, 3)",
    "return key",
    "return jax.random.split(key)",
    "return first.draw(key)",
    "return second.draw(jax.random.fold_in(key, 1))",
    "return second.draw(key), first.draw(key)",
    "return State(key).noise()",
    "if key is None:\n        return first.draw(key)\n    return jax.random.normal(key)",
]
HEAD = """\
import jax
import pkg.{} as first
from pkg import {} as second


class State(getattr(second, "Base", object)):
    def __init__(self, key):
        self.key = key

    def noise(self):
        return jax.random.normal(self.key)


def draw(key):
    {}


def caller(key):
    return draw(key), draw(key), State(key).noise(), first.draw(key)
"""
FILES = st.tuples(st.sampled_from("abc"), st.sampled_from("abc"), st.sampled_from(BODIES))
EDITS = st.lists(st.tuples(st.sampled_from("abc"), FILES), min_size=1, max_size=4)


@settings(max_examples=8, deadline=None)
@given(start=st.tuples(FILES, FILES, FILES), edits=EDITS)
@hypothesis.example(  # a circle of files in which a function also calls itself, entered from another side than before
    start=(
        ("b", "a", "return first.draw(key)"),
        ("c", "a", "return jax.random.normal(key)"),
        ("a", "c", "return second.draw(key), first.draw(key)"),
    ),
    edits=[("b", ("a", "c", "return State(key).noise()"))],
)
@hypothesis.example(  # a circle of files whose keys grow with each round, entered from another side than before
    start=(
        ("c", "a", "if key is None:\n        return first.draw(key)\n    return jax.random.normal(key)"),
        ("b", "a", "return jax.random.normal(key)"),
        ("b", "a", "return second.draw(key), first.draw(key)"),
    ),
    edits=[("b", ("a", "c", "return second.draw(jax.random.fold_in(key, 1))"))],
)
@hypothesis.example(  # a function that calls itself, asked for while another file of its circle is interpreted
    start=(
        ("b", "a", "return jax.random.normal(key)"),
        ("c", "c", "return jax.random.normal(key)"),
        ("c", "a", "return second.draw(key), first.draw(key)"),
    ),
    edits=[("a", ("a", "b", "return second.draw(jax.random.fold_in(key, 1))"))],
)
def test_a_warm_run_equals_a_cold_one(
    start: tuple[tuple[str, str, str], ...], edits: list[tuple[str, tuple[str, ...]]]
):
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write(root, {"pkg/__init__.py": ""})
        for name, parts in [*zip("abc", start, strict=True), *edits]:
            write(root, {f"pkg/{name}.py": HEAD.format(*parts)})
            if (root / "pkg" / "c.py").exists():
                assert plain(lint(root)) == plain(lint(root, cached=False))
        lint(root)  # what rests on a circle of files may be kept by the run after the next only
        assert analysed(lint(root)) == set()


def test_a_link_in_the_place_of_the_file_is_not_followed(package: Path) -> None:
    (package / "kept").mkdir()
    (package / "kept" / NAME).symlink_to(package / "elsewhere")
    assert rows(lint(package)) == {"main.py": [6], "alone.py": [5]}
    assert not (package / "elsewhere").exists()


def test_what_is_known_of_a_project_is_let_go_when_another_one_follows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    circle = {
        "pkg/__init__.py": "",
        "pkg/a.py": TWICE.format(module="pkg.b"),
        "pkg/b.py": PASSES_ON,
        "pkg/c.py": CONSUMES + "\n\nfrom pkg import a\n",
    }
    for name in ("first", "second"):
        write(tmp_path / name, circle)
    expected = lint(tmp_path, cached=False)
    kept: list[int] = []
    enter = Projects.enter

    def entered(projects: Projects, filename: str) -> None:
        before = sum(answers.number for answers in projects._answers.values())
        enter(projects, filename)
        if before and not projects._answers:
            kept.append(before)

    monkeypatch.setattr(Projects, "enter", entered)
    assert rows(lint(tmp_path)) == rows(expected) != {}
    assert not kept, "so few answers are no reason to ask again"
    shutil.rmtree(tmp_path / "kept")
    monkeypatch.setattr(projects_module, "MOST_KNOWN", 0)
    assert rows(lint(tmp_path)) == rows(expected)
    assert len(kept) == 1
    assert not analysed(lint(tmp_path)), "the results of both projects are kept for the next run"
