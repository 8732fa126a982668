"""The site: it is built without a warning, and each of its links leads somewhere."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from browser import CHROMIUM, Browser
from playground import checked
from preparation import example

pytest.importorskip("zensical", reason="the site is built with Zensical")

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
REPOSITORY = "https://github.com/olympus-lint/olympus-lint/blob/main/"
Session = Callable[[Callable[[Browser, str], Awaitable[None]]], None]
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


def build(root: Path, work: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, root / "docs" / "_site", "--work", work]
    return subprocess.run(command, cwd=root, capture_output=True, text=True)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site and return its folder."""
    work = tmp_path_factory.mktemp("pages")
    done = build(ROOT, work)
    assert done.returncode == 0, done.stdout + done.stderr
    return work / "site"


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {file: Page(file) for file in sorted(site.rglob("*.html"))}


@pytest.fixture
def browsed(site: Path, tmp_path: Path) -> Iterator[Session]:
    """Return what runs a session in a browser, which is given the browser and the address of the site.

    The pages may ask no other host, and write no error.
    """
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/"

    async def run(session: Callable[[Browser, str], Awaitable[None]]) -> None:
        async with Browser(tmp_path / "profile") as opened:
            await session(opened, address)
            assert opened.errors == []
            own = (address, "about:", "data:", "blob:")
            assert [url for url in opened.requests if not url.startswith(own)] == []

    yield lambda session: asyncio.run(run(session))
    server.shutdown()


def brightness(colour: str) -> float:
    """Return how bright a colour such as ``rgb(30, 33, 41)`` is, from 0 to 1."""
    red, green, blue = map(float, re.findall(r"[\d.]+", colour)[:3])
    return (0.299 * red + 0.587 * green + 0.114 * blue) / 255


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and says nothing of it."""

    def log_message(self, *_: object) -> None: ...


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


def test_each_page_is_in_the_navigation_once() -> None:
    listed = re.findall(r"(\S+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))


@pytest.mark.search
def test_no_page_shows_what_only_tests_read(pages: dict[Path, Page]) -> None:
    shown = [file.parent.name for file, page in pages.items() if "# error:" in page.text]
    assert shown == []
    marked = next(file for file in pages if file.parent.name == "key-reuse").read_text("utf-8")
    assert marked.count('<span class="hll">') == len(re.findall("# error:", (DOCS / "rules/key-reuse.md").read_text()))


@pytest.mark.search
def test_no_page_asks_another_host(site: Path, pages: dict[Path, Page], browsed: Session) -> None:
    async def session(opened: Browser, address: str) -> None:
        for file in pages:
            await opened.visit(f"{address}{file.relative_to(site).as_posix()}")

    browsed(session)


@pytest.mark.search
@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed: the site shows diagrams as text")
@pytest.mark.parametrize(("page", "number"), [("architecture", 2), ("runtime/lineage", 1)])
def test_diagrams_are_drawn_in_the_colours_of_the_page(page: str, number: int, browsed: Session) -> None:
    async def session(opened: Browser, address: str) -> None:
        await opened.visit(f"{address}{page}/")
        await opened.ask("drawn")
        assert await opened.ask("document.querySelectorAll('pre.diagram svg .node').length") > 3 * number
        light = await opened.ask("document.querySelector('pre.diagram').innerHTML")
        await opened.ask("document.body.dataset.mdColorScheme = 'slate'; new Promise(requestAnimationFrame)")
        await opened.ask("drawn")
        assert await opened.ask("document.querySelectorAll('pre.diagram svg .node').length") > 3 * number
        assert await opened.ask("document.querySelector('pre.diagram').innerHTML") != light

    browsed(session)


@pytest.mark.search
@pytest.mark.parametrize(("width", "height"), [(1400, 900), (390, 844)])
def test_the_first_screen_shows_mistake_finding_and_picture(width: int, height: int, browsed: Session) -> None:
    async def session(opened: Browser, address: str) -> None:
        await opened.resize(width, height)
        await opened.visit(address)
        seen = "[...document.querySelectorAll('.opening pre, .opening img')].map(each => each.getBoundingClientRect())"
        parts = await opened.ask(f"{seen}.map(each => [each.left, each.right, each.bottom, each.height])")
        assert len(parts) == 3
        assert all(0 < left < right < width and 0 < below < height and tall > 80 for left, right, below, tall in parts)

    browsed(session)


@pytest.mark.search
@pytest.mark.parametrize(("scheme", "is_light"), [("light", True), ("dark", False)])
def test_nothing_scrolls_sideways(
    scheme: str, is_light: bool, site: Path, pages: dict[Path, Page], browsed: Session
) -> None:
    async def session(opened: Browser, address: str) -> None:
        await opened.prefer(scheme)
        for file in pages:
            await opened.visit(f"{address}{file.relative_to(site).as_posix()}")
            colours = "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
            text, ground = (brightness(each) for each in await opened.ask(colours))
            assert abs(text - ground) > 0.5 and (text < ground) is is_light, file
            await opened.resize(1400, 900)  # wide enough for all but long lines of code
            assert await opened.ask("document.documentElement.scrollWidth") <= 1400, file
            await opened.resize(390, 844)
            assert await opened.sideways() == [], file

    browsed(session)


@pytest.mark.search
@pytest.mark.parametrize(
    ("page", "text", "left"),
    [
        ("settings", "gitignore", ["respect-gitignore"]),
        ("settings", "rdjson", ["output-format"]),  # only its section has it
        ("migration-breaks", "assert_allclose", ["Numbers in tests"]),
    ],
)
def test_long_pages_have_a_table_to_search(page: str, text: str, left: list[str], browsed: Session) -> None:
    async def session(opened: Browser, address: str) -> None:
        await opened.visit(f"{address}{page}/")
        rows = "[...document.querySelectorAll('.searchable tbody tr')].filter(row => row.offsetParent !== null)"
        assert await opened.ask(f"{rows}.length") > 20
        await opened.ask("document.querySelector('.searchable input').focus()")
        for key in text:
            await opened.press(key)
        assert await opened.ask(f"{rows}.map(row => row.querySelector('a').textContent)") == left

    browsed(session)


EXAMPLES = [example(page.read_text("utf-8")) for page in sorted((DOCS / "rules").glob("*.md"))]


@pytest.mark.parametrize("each", EXAMPLES, ids=lambda each: each["code"])
def test_an_example_of_the_playground_has_its_finding(each: dict[str, Any]) -> None:
    code = re.compile(rf"<article [^>]*data-rule=\"{each['code']}\"")
    assert code.search(checked(each["source"], not each["on"]))
    assert not code.search(checked("import jax\n", True))


@pytest.mark.search
@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed: the site has no playground")
def test_the_playground_checks_what_is_written(site: Path, browsed: Session) -> None:
    assert (site / "assets" / "pyodide" / "pyodide.asm.wasm").exists()

    async def until(opened: Browser, expected: object, question: str) -> None:
        """Wait for an answer; the test's own time limit ends a wait without one."""
        while await opened.ask(question) != expected:
            await asyncio.sleep(0.2)

    async def check_picture(opened: Browser) -> None:
        """Check that the way of the key is drawn, in the colours and the width of the page."""
        texts = await opened.ask("[...document.querySelectorAll('.lineage svg text')].map(each => each.textContent)")
        root, draw = ["parameter key of init, line 4", "✗ reuse"], "jax.random.normal"
        assert texts == ["✗ first, line 5", "✗ again, line 6", *root, draw, draw]
        colour = "getComputedStyle(document.querySelector('.lineage .sink .name')).fill"
        seen = {}
        for scheme in ("default", "slate"):
            await opened.ask(f"document.body.dataset.mdColorScheme = '{scheme}'")
            seen[scheme] = await opened.ask(colour)
            for width, height in ((390, 844), (1400, 900)):
                await opened.resize(width, height)
                box = "document.querySelector('.lineage svg').getBoundingClientRect()"
                left, right = await opened.ask(f"[{box}.left, {box}.right]")
                assert 0 < left < right < width
                assert await opened.sideways() == []
        assert seen == {"default": "rgb(31, 35, 40)", "slate": "rgb(230, 237, 243)"}

    async def session(opened: Browser, address: str) -> None:
        found = "[...document.querySelectorAll('.findings article')].map(each => each.dataset.rule).join()"
        await opened.visit(f"{address}playground/")
        await until(opened, "OLY104", found)
        marks = "[...document.querySelectorAll('.findings mark')].map(each => each.textContent)"
        assert await opened.ask(marks) == ["jax.random.normal(key, (3, 3))", "jax.random.normal(key, (3,))"]
        assert await opened.ask("document.querySelector('.findings').textContent.includes('error')") is False
        await check_picture(opened)
        selected = "const c = document.querySelector('textarea'); c.value.slice(c.selectionStart, c.selectionEnd)"
        await opened.ask("document.querySelector('.findings h2').click()")
        assert await opened.ask(f"{{ {selected} }}") == "    bias = jax.random.normal(key, (3,))"
        await opened.ask("document.querySelector('textarea').setSelectionRange(0, 0)")
        await opened.ask("document.querySelector('.findings article').focus()")
        await opened.press("Enter")
        assert await opened.ask(f"{{ {selected} }}") == "    bias = jax.random.normal(key, (3,))", "nothing is written"
        for each in sorted(EXAMPLES, key=lambda each: not each["on"]):
            field = "document.querySelector('[name=example]')"
            await opened.ask(f"{field}.value = '{each['code']}'; {field}.dispatchEvent(new Event('change'))")
            await until(opened, "", "document.querySelector('.playground output').textContent")
            assert each["code"] in (await opened.ask(found)).split(",")
        await opened.ask("document.querySelector('textarea').focus(); document.querySelector('textarea').select()")
        for key in "x = '<b>é</b>'":
            await opened.press(key)
        await until(opened, "No findings.", "document.querySelector('.findings').textContent")
        await until(opened, "", "document.querySelector('.playground output').textContent")
        carried = await opened.ask("location.hash")
        await opened.visit(f"{address}playground/{carried}")
        await until(opened, "x = '<b>é</b>'", "document.querySelector('textarea').value")
        assert await opened.ask("document.querySelector('[name=rules]').value") == "all"
        await opened.resize(390, 844)
        assert await opened.sideways() == []

    browsed(session)


@pytest.mark.search
def test_blocks_are_blocks(pages: dict[Path, Page]) -> None:
    """A fence that the generator does not understand would be shown as it is written."""
    assert [file.parent.name for file, page in pages.items() if "```" in page.text] == []


@pytest.mark.search
def test_a_broken_link_fails_the_build(tmp_path: Path) -> None:
    links = ["gone.md", "keys.md#no-such-heading", "/keys.md"]
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    shutil.copytree(DOCS, tmp_path / "docs")
    with (tmp_path / "docs" / "rules.md").open("a") as file:
        file.writelines(f"\n[nowhere]({link})\n" for link in links)
    done = build(tmp_path, tmp_path / "pages")
    told = re.sub(r"\x1b\[[\d;]*m", "", done.stdout + done.stderr)
    assert done.returncode == 1 and all(link.rpartition("#")[2] in told for link in links)
    assert "rules.md" in told
