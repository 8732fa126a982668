"""Builds the site: ``python docs/_site`` writes it to ``build/pages/site``, ``python docs/_site --serve`` shows it.

The pages are read on GitHub as they are. For the site they are copied to ``build/pages`` and changed there.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from pages import DOCS, prepared

ROOT = DOCS.parent
HERE = Path(__file__).parent
MERMAID = "mermaid@12.3.0"  # draws diagrams in the browser


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
    drawn = fetched(MERMAID, "package/dist/mermaid.min.js", work / "docs" / "assets")
    if not drawn:
        print("npm is not there, or has no network: diagrams are shown as text", file=sys.stderr)
    for page in (work / "docs").rglob("*.md"):
        name = page.relative_to(work / "docs").as_posix()
        page.write_text(prepared(page.read_text("utf-8"), name, drawn=drawn), "utf-8")


def fetched(package: str, member: str, folder: Path) -> bool:
    """Copy a file of an npm package to a folder and say whether it is there. The package is kept for the next time."""
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
    with tarfile.open(kept) as opened:
        file = opened.extractfile(member)
        assert file is not None, member
        (folder / Path(member).name).write_bytes(file.read())
    return True


if __name__ == "__main__":
    sys.exit(main())
