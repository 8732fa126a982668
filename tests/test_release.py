"""What a release asks for: its scripts, the sentence on how to install until then, the page on versions."""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
VERSION = PROJECT["version"]
SCRIPT = runpy.run_path(str(ROOT / ".ci" / "check-release"))
UNPUBLISHED: str = SCRIPT["UNPUBLISHED"]
PAGES = [*SCRIPT["pages"](ROOT)]
README = PAGES[0].read_text("utf-8")
VERSIONS = (ROOT / "docs" / "versions.md").read_text("utf-8")

PLACES = (
    "pyproject.toml",
    "olympus_lint/__init__.py",
    "runtime/olympus/_version.py",
    "editors/vscode/package.json",
)
INSTALL = re.compile(r"pip install '?olympus-lint(?! @)")


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_pages_say_how_to_install_until_the_project_is_published(page: Path):
    """The paragraph of the README's section on the installation, word for word, or none if the project is published."""
    section = README.partition("\n## Install\n")[2].partition("\n## ")[0]
    told = [line for line in section.splitlines() if UNPUBLISHED in line]
    text = page.read_text("utf-8")
    assert [line for line in text.splitlines() if UNPUBLISHED in line] == (told if INSTALL.search(text) else [])


def test_the_way_until_then_is_one_for_all_extras():
    (line,) = (line for line in README.splitlines() if UNPUBLISHED in line)
    source = f"git+{PROJECT['urls']['Source']}"
    assert f"`pip install 'olympus-lint @ {source}'`" in line and "`olympus-lint[trace] @ …`" in line


def test_messages_and_pages_name_extras_that_exist():
    named = {
        extra
        for path in [*PAGES, *(ROOT / "olympus_lint").rglob("*.py"), *(ROOT / "runtime").rglob("*.py")]
        for found in re.findall(r"olympus-lint\[([\w,]+)\]", path.read_text("utf-8"))
        for extra in found.split(",")
    }
    assert named and named <= set(PROJECT["optional-dependencies"])


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A copy of what the check of a release reads, in which nothing is missing."""
    for name in (*PLACES, "README.md", "CHANGELOG.md", "editors/vscode/README.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    for page in SCRIPT["pages"](tmp_path):
        text = page.read_text("utf-8")
        page.write_text("".join(line for line in text.splitlines(True) if UNPUBLISHED not in line), "utf-8")
    changes = tmp_path / "CHANGELOG.md"
    changes.write_text(changes.read_text("utf-8").replace("## [Unreleased]", f"## [{VERSION}] - 2026-01-31"), "utf-8")
    return tmp_path


wrong: Callable[[Path, str], Iterator[str]] = SCRIPT["wrong"]


def replaced(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


def test_a_complete_release_passes(release: Path):
    assert [*wrong(release, f"v{VERSION}")] == []


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("pyproject.toml", f'"{VERSION}"', '"9.9.9"', "pyproject.toml says version 9.9.9"),
        ("olympus_lint/__init__.py", VERSION, "9.9.9", "olympus_lint/__init__.py says version 9.9.9"),
        ("runtime/olympus/_version.py", VERSION, "9.9.9", "runtime/olympus/_version.py says version 9.9.9"),
        ("editors/vscode/package.json", VERSION, "9.9.9", "editors/vscode/package.json says version 9.9.9"),
        ("CHANGELOG.md", f"[{VERSION}] -", "[9.9.9] -", f"CHANGELOG.md has no heading `## [{VERSION}] - DATE`"),
        ("docs/ci.md", f"=={VERSION}", "==9.9.9", "docs/ci.md names version 9.9.9"),
        ("docs/ci.md", f"@v{VERSION}", "@v9.9.9", "docs/ci.md names version 9.9.9"),
        ("README.md", f"rev: v{VERSION}", "rev: v9.9.9", "README.md names version 9.9.9"),
        ("docs/keys.md", "\n", f" {UNPUBLISHED}\n", f"docs/keys.md says that the project {UNPUBLISHED}"),
    ],
)
def test_what_does_not_fit_the_tag_is_named(release: Path, name: str, old: str, new: str, said: str):
    replaced(release / name, old, new)
    assert [*wrong(release, f"v{VERSION}")] == [said]


def test_a_tag_is_a_version(release: Path):
    assert [*wrong(release, VERSION)] == [f"{VERSION} is no tag of a release, which is like v1.2.3"]


def test_the_check_fails_by_its_status():
    script = str(ROOT / ".ci" / "check-release")
    done = subprocess.run([sys.executable, script, "v999.0.0"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"error: pyproject.toml says version {VERSION}\n" in done.stderr


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("command", "status"),
    [
        ([sys.executable, "-m", "olympus_lint", "--no-cache", "docs/example"], 0),
        ([sys.executable, "-m", "olympus_lint", "--no-cache", "docs/example", "--exit-zero"], 1),
        ([sys.executable, "-m", "olympus_lint", "--no-cache", "docs/example", "--ignore", "OLY103"], 1),
        (["true"], 1),
        (["no-such-command"], 1),
    ],
    ids=["right", "exit-status", "missing-finding", "silent", "absent"],
)
def test_the_lint_of_the_example_fails_unless_it_gives_what_is_promised(command: list[str], status: int):
    done = subprocess.run(
        [ROOT / ".ci" / "lint-example", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == status, done.stdout + done.stderr


def test_the_page_on_versions_names_the_pythons_and_the_jax():
    pythons = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    assert f"at the moment {', '.join(pythons[:-1])} and {pythons[-1]}" in VERSIONS
    assert PROJECT["requires-python"] == f">={pythons[0]}"
    (jax,) = [each for each in PROJECT["optional-dependencies"]["trace"] if each.startswith("jax>")]
    assert f"JAX {jax.partition('>=')[2]} or later" in VERSIONS
