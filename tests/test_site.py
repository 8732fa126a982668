"""The site: it is built without a warning, and each of its links leads somewhere."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

pytest.importorskip("material", reason="the site is built with MkDocs Material")

ROOT = Path(__file__).parents[1]
REPOSITORY = "https://github.com/olympus-lint/olympus-lint/blob/main/"
EDITS = "https://github.com/olympus-lint/olympus-lint/edit/main/"


class Page(HTMLParser):
    """The links and anchors of a page."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.text = ""
        self.feed(file.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value is not None:
                self.links.append(value)
            elif name == "id" and value:
                self.anchors.add(value)

    def handle_data(self, data: str) -> None:
        self.text += data


def build(root: Path, site: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)]
    return subprocess.run(
        command, cwd=root, capture_output=True, text=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    )


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Page]:
    site = tmp_path_factory.mktemp("site")
    done = build(ROOT, site)
    assert done.returncode == 0, done.stderr
    return {file: Page(file) for file in sorted(site.rglob("*.html"))}


def broken(pages: dict[Path, Page]) -> Iterator[str]:
    """Return the links of the pages that lead to nothing on the site or in the repository."""
    for file, page in pages.items():
        for link in page.links:
            for prefix in (REPOSITORY, EDITS):
                if link.startswith(prefix) and not (ROOT / urlsplit(link.removeprefix(prefix)).path).exists():
                    yield f"{file.name}: {link}"
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or file.name == "404.html":
                continue  # the page of errors has links from the root of the host
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            target = target / "index.html" if target.is_dir() else target
            if not target.exists() or (
                parts.fragment and target in pages and parts.fragment not in pages[target].anchors
            ):
                yield f"{file.name}: {link}"


@pytest.mark.search
def test_no_link_is_broken(pages: dict[Path, Page]) -> None:
    sources = {path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")}
    assert len(pages) == len(sources) + 1  # and the page of errors
    assert sum(len(page.links) for page in pages.values()) > 1000
    assert list(broken(pages)) == []


@pytest.mark.search
def test_blocks_are_blocks(pages: dict[Path, Page]) -> None:
    """A fence that MkDocs does not understand would be shown as it is written."""
    assert [file.parent.name for file, page in pages.items() if "```" in page.text] == []


@pytest.mark.search
def test_a_broken_link_fails_the_build(tmp_path: Path) -> None:
    links = ["gone.md", "keys.md#no-such-heading", "/keys.md"]
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    with (tmp_path / "docs" / "faq-of-nobody.md").open("w") as file:
        file.write("# Nobody\n")
    assert "faq-of-nobody.md" in build(tmp_path, tmp_path / "site").stderr
    (tmp_path / "docs" / "faq-of-nobody.md").unlink()
    with (tmp_path / "docs" / "rules.md").open("a") as file:
        file.writelines(f"\n[nowhere]({link})\n" for link in links)
    done = build(tmp_path, tmp_path / "site")
    assert done.returncode == 1 and all(link.rpartition("#")[2] in done.stderr for link in links)
    assert "rules.md" in done.stderr
