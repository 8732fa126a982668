"""Which files are found, in which order, and under which names."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from olympus_lint.project.discovery import discover
from olympus_lint.project.settings import Settings


def make(*names: str) -> None:
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("x = 1\n")


def found(*paths: str, **settings: object) -> list[str]:
    files, problems = discover(paths or ["."], lambda folder: Settings(**settings))  # type: ignore[arg-type]
    assert problems == []
    return [file.filename for file in files]


def test_python_files_in_order(project):
    make("b.py", "a.pyi", "a.txt", "sub/c.py", "sub/.hidden.py", "a/z.py")
    assert found() == ["a/z.py", "a.pyi", "b.py", "sub/.hidden.py", "sub/c.py"]


def test_names_are_as_given(project):
    make("sub/c.py", "d.py")
    assert found("./sub") == ["sub/c.py"]
    assert found(str(project)) == [f"{project}/d.py", f"{project}/sub/c.py"]
    assert found("sub/../sub/c.py") == ["sub/../sub/c.py"]


def test_each_file_once_in_the_order_of_paths(project):
    make("sub/c.py", "d.py")
    assert found("sub/c.py", ".", "./sub", "d.py") == ["sub/c.py", "d.py"]


def test_named_files_are_checked_whatever_they_are(project):
    make("script", ".venv/a.py")
    assert found("script", ".venv/a.py") == ["script", ".venv/a.py"]
    assert found("script", ".venv/a.py", ".venv", force_exclude=True) == ["script"]


def test_default_excludes(project):
    make("a.py", ".venv/b.py", "node_modules/c.py", "src/build/d.py", "dist/e.py", "src/__pypackages__/f.py")
    assert found() == ["a.py", "src/build/d.py"]
    assert found(exclude=["src"]) == [".venv/b.py", "a.py", "dist/e.py", "node_modules/c.py"]
    assert found(extend_exclude=["*a.py", "build"]) == []


def test_gitignore_at_every_level(project):
    make("a.py", "gen/b.py", "src/gen/c.py", "src/keep.py", "src/skip.py", "src/deep/skip.py", "logs/x.py")
    Path(".gitignore").write_text("/gen/\nskip.py\nlogs\n")
    Path("src/.gitignore").write_text("!skip.py\ndeep/\n")
    assert found() == ["a.py", "src/gen/c.py", "src/keep.py", "src/skip.py"]
    assert len(found(respect_gitignore=False)) == 7


def test_gitignore_above_the_path_counts_within_a_repository(project):
    make("src/a.py", "src/gen/b.py")
    Path(".gitignore").write_text("gen/\n")
    assert found("src") == ["src/a.py", "src/gen/b.py"]
    Path(".git").mkdir()
    assert found("src") == ["src/a.py"]


def test_gitignore_agrees_with_git(project):
    names = ["a.py", "b/a.py", "b/c/a.py", "doc/a.py", "doc/b/a.py", "x/y/z.py", "x/z.py", "t.py", "t/t.py"]
    make(*names)
    Path(".gitignore").write_text("/b/*\n!/b/c\ndoc/**/b\nx/**\n!x/z.py\nt.py\n# note\n\n")
    subprocess.run(["git", "init", "-q"], check=True)
    ignored = subprocess.run(["git", "check-ignore", *names], capture_output=True, text=True).stdout.split()
    assert sorted(found()) == sorted(set(names) - set(ignored))


def test_links(project):
    make("real/a.py", "elsewhere/b.py")
    Path("real/link").symlink_to("../elsewhere", target_is_directory=True)
    Path("real/c.py").symlink_to("../elsewhere/b.py")
    Path("real/gone.py").symlink_to("nowhere.py")
    assert found("real") == ["real/a.py", "real/c.py"]
    assert found("real/link") == ["real/link/b.py"]


def test_a_file_is_checked_once_however_its_path_is_written(project, run):
    make("real/a.py")
    Path("real/a.py").write_text("import jax\n\n\ndef f(key=jax.random.key(0)):\n    return jax.random.normal(key)\n")
    written = ["real/a.py", "./real/a.py", "real/../real/a.py", str(Path("real/a.py").absolute()), "real", "."]
    checked = run("--isolated", "--no-cache", "--output-format", "concise", *written)
    assert checked.out.count("OLY107") == 1, checked.out
    assert checked.out.startswith("real/a.py:4:")
    assert found(*reversed(written)) == ["real/a.py"]


def test_a_link_is_a_file_of_its_own(project):
    make("a.py", "one/a.py", "two/inner/b.py")
    Path("b.py").symlink_to("a.py")
    Path("link").symlink_to("two/inner", target_is_directory=True)
    make("two/a.py")
    assert found("a.py", "b.py", "link/../a.py") == ["a.py", "b.py", "link/../a.py"]


@pytest.mark.parametrize("name", ["nope.py", "no\0pe.py", "a.py/b.py", "x" * 300])
def test_paths_that_lead_nowhere(project, name):
    make("a.py")
    files, problems = discover([name, "a.py"], lambda folder: Settings())
    assert [file.filename for file in files] == ["a.py"]
    assert [problem.filename for problem in problems] == [name]
