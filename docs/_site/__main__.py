"""Builds the site: ``python docs/_site`` writes it to ``build/pages/site``, ``python docs/_site --serve`` shows it.

The pages are read on GitHub as they are. For the site they are copied to ``build/pages`` and changed there.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Sequence
from operator import itemgetter
from pathlib import Path

from preparation import DOCS, example, prepared

ROOT = DOCS.parent
HERE = Path(__file__).parent
MERMAID = "mermaid@12.3.0"  # draws diagrams in the browser
PYODIDE = "pyodide@314.0.7"  # Python in the browser, for the playground
PYTHON = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json", "python_stdlib.zip"]
PACKAGES = ("olympus_lint", "rules/olympus_rules", "codemods/olympus_codemods", "runtime/olympus")


def main() -> int:
    """Prepare the pages and build the site."""
    options = argparse.ArgumentParser(prog="docs/_site", description="Build the site.")
    options.add_argument("--work", type=Path, default=ROOT / "build" / "pages", metavar="FOLDER", help="to build it in")
    options.add_argument("--serve", action="store_true", help="show it; run the command again after a change")
    chosen = options.parse_args()
    prepare(chosen.work)
    words = ["serve"] if chosen.serve else ["build", "--clean", "--strict"]
    return subprocess.run([sys.executable, "-m", "zensical", *words], cwd=chosen.work).returncode


def prepare(work: Path) -> None:
    """Write the pages, and what the site has beside them, to a folder."""
    shutil.rmtree(work / "docs", ignore_errors=True)
    shutil.copytree(DOCS, work / "docs", ignore=shutil.ignore_patterns("_site", "__pycache__"))
    shutil.copytree(HERE / "assets", work / "docs" / "assets")
    shutil.copytree(HERE / "theme", work / "theme", dirs_exist_ok=True)
    shutil.copy(ROOT / "mkdocs.yml", work)
    assets = work / "docs" / "assets"
    drawn = fetched(MERMAID, ["dist/mermaid.min.js"], assets)
    playable = fetched(PYODIDE, PYTHON, assets / "pyodide")
    if not (drawn and playable):
        print("npm is not there, or has no network: no diagrams, and no playground", file=sys.stderr)
    pack(assets / "program.zip")
    rules = [example(page.read_text("utf-8")) for page in (DOCS / "rules").glob("*.md")]
    (assets / "examples.json").write_text(json.dumps(sorted(rules, key=itemgetter("code"))), "utf-8")
    for page in (work / "docs").rglob("*.md"):
        name = page.relative_to(work / "docs").as_posix()
        page.write_text(prepared(page.read_text("utf-8"), name, drawn=drawn), "utf-8")


def pack(archive: Path) -> None:
    """Write the linter for the playground: its modules, and what they read."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
        for package in PACKAGES:
            folder = ROOT / package
            for file in sorted(path for path in folder.rglob("*") if path.suffix in (".py", ".toml")):
                opened.write(file, file.relative_to(folder.parent))


def fetched(package: str, members: Sequence[str], folder: Path) -> bool:
    """Copy files of an npm package to a folder and say whether they are there. The package is kept for next time."""
    kept = ROOT / "build" / "npm" / f"{package.replace('@', '-')}.tgz"
    npm = shutil.which("npm")
    if not kept.exists() and npm:
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept.parent) as download:
            subprocess.run([npm, "pack", "--silent", package], cwd=download, stdout=subprocess.DEVNULL)
            for archive in Path(download).iterdir():
                archive.replace(kept)
    if not kept.exists():
        return False
    folder.mkdir(exist_ok=True)
    with tarfile.open(kept) as opened:
        for member in members:
            file = opened.extractfile(f"package/{member}")
            assert file is not None, member
            (folder / Path(member).name).write_bytes(file.read())
    return True


if __name__ == "__main__":
    sys.exit(main())
