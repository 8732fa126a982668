"""The HTML report in a real browser."""

from __future__ import annotations

import asyncio
import math
import re
import time
from collections.abc import Awaitable, Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from browser import CHROMIUM, Browser
from command_line import command

from olympus_lint.reporting.formats.html import code
from olympus_lint.reporting.frame import Mark, frame
from olympus_rules.finding import Position, Span

REUSE = """\
import jax


def draw{number}(seed):
    key = jax.random.PRNGKey(seed)
    note = "</pre><script>window.harmed = 1</script><img src=x onerror='window.harmed = 1'>"
    return jax.random.normal(key) + jax.random.uniform(key), note
"""
VISIBLE = "[...document.querySelectorAll('article')].filter(card => card.offsetParent !== null).length"
browser = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")


def report(folder: Path, number: int, *words: str) -> Path:
    """Write the report on a project of so many files, half of them in another folder."""
    for at in range(number):
        place = folder / ("src" if at % 2 else "tests")
        place.mkdir(parents=True, exist_ok=True)
        (place / f"module{at}.py").write_text(REUSE.format(number=at))
    page = folder / "report.html"
    command(folder, "--no-cache", "--output-format", "html", "-o", "report.html", *words, "src", "tests")
    return page


def browsed(folder: Path, session: Callable[[Browser], Awaitable[None]]) -> None:
    async def run() -> None:
        async with Browser(folder / "profile") as opened:
            await session(opened)
            assert opened.errors == []
            assert {url.partition(":")[0] for url in opened.requests} <= {"file", "about"}

    asyncio.run(run())


@browser
def test_filters_search_and_keys(tmp_path: Path) -> None:
    page = report(tmp_path, 6, "--select", "OLY104,OLY201")

    async def session(opened: Browser) -> None:
        await opened.open(page)
        assert await opened.ask(VISIBLE) == 12
        await opened.press("/")
        for key in "module3":
            await opened.press(key)
        assert await opened.ask(VISIBLE) == 2
        assert await opened.ask("location.hash") == "#text=module3"
        await opened.press("Escape")
        await asyncio.sleep(0.1)
        assert await opened.ask(VISIBLE) == 12
        await opened.press("j")
        await opened.press("j")
        assert await opened.ask("document.activeElement.id") == "f2"
        await opened.press("k")
        assert await opened.ask("document.activeElement.id") == "f1"
        await opened.ask("document.querySelector('button[data-value=OLY104]').click()")
        assert await opened.ask("document.querySelector('output').textContent") == "6 of 12"
        await opened.open(page, "#rule=OLY201&folder=src")
        assert await opened.ask(VISIBLE) == 3

    browsed(tmp_path, session)


@browser
def test_names_and_sources_are_text(tmp_path: Path) -> None:
    page = report(tmp_path, 2)
    worse = tmp_path / "src/<img src=x onerror='window.harmed=1'>.py"
    worse.write_text(REUSE.format(number=1))
    command(tmp_path, "--no-cache", "--output-format", "html", "-o", "report.html", "src", "tests")

    async def session(opened: Browser) -> None:
        await opened.open(page)
        assert await opened.ask("window.harmed") is None
        assert await opened.ask("document.querySelectorAll('img').length") == 0
        assert await opened.ask("document.querySelectorAll('script').length") == 1
        assert await opened.ask("document.body.textContent.includes('window.harmed=1')")

    browsed(tmp_path, session)


@browser
def test_the_time_to_open_grows_with_the_number_of_findings(tmp_path: Path) -> None:
    pages = {number: report(tmp_path / str(number), number) for number in (150, 600)}

    async def session(opened: Browser) -> None:
        taken = dict.fromkeys(pages, math.inf)
        for number, page in [*pages.items()] * 3:  # another process may be in the way; the least is what it takes
            started = time.perf_counter()
            await opened.open(page)
            assert await opened.ask(VISIBLE) == number
            taken[number] = min(taken[number], time.perf_counter() - started)
        assert taken[600] < 8 * taken[150], "twice what work in proportion takes"

    browsed(tmp_path, session)


@browser
@pytest.mark.parametrize("width", [390, 1400])
def test_nothing_scrolls_sideways(width: int, tmp_path: Path) -> None:
    folder = tmp_path / ("a_folder_with_a_name_of_" + "many_" * 8 + "words")
    folder.mkdir()
    line = "    return jax.random.normal(key) + jax.random.uniform(key), " + "'" + 200 * "x" + "'\n"
    (folder / "wide.py").write_text(f"import jax\n\n\ndef draw(key):\n{line}")
    command(tmp_path, "--no-cache", "--output-format", "html", "-o", "report.html", ".")

    async def session(opened: Browser) -> None:
        await opened.resize(width, 844)
        await opened.open(tmp_path / "report.html")
        assert await opened.ask(VISIBLE) == 1
        seen = set()
        for scheme in ("light", "dark"):
            await opened.prefer(scheme)
            seen.add(await opened.ask("getComputedStyle(document.body).backgroundColor"))
            assert await opened.sideways() == []
        assert seen == {"rgb(255, 255, 255)", "rgb(23, 23, 26)"}

    browsed(tmp_path, session)


def marks(lines: list[str], *spans: tuple[Position, Position, str, str]) -> list[tuple[str, str]]:
    """Return what is marked in the code of a report, and the labels, each with its class."""
    rows = frame(lines, [Mark(Span(start, end), sign, label) for start, end, sign, label in spans])
    return re.findall(r'<(?:mark|span) class="(first|other)">(.*?)</', code(rows))


def test_a_place_is_marked_in_its_line() -> None:
    one = (Position(1, 5), Position(1, 9), "^", "")
    two = (Position(1, 1), Position(1, 9), "-", "and here")
    assert marks(["x = call(y)"], one) == [("first", "call")]
    assert marks(["x = call(y)"], one, two) == [("other", "x = "), ("first", "call"), ("other", " and here")]
    assert marks(["日本 = é(y)"], (Position(1, 6), Position(1, 10), "^", "")) == [("first", "é(y)")]
    assert marks(["\tx = y"], (Position(1, 2), Position(1, 3), "^", "")) == [("first", "x")]
    assert marks(["x = ("], (Position(1, 6), Position(1, 6), "^", "")) == [("first", " ")]
    assert marks(["f(", "  key,", ")"], (Position(1, 1), Position(3, 2), "^", "")) == [
        ("first", "f("),
        ("first", "key,"),
        ("first", ")"),
    ]


class Elements(HTMLParser):
    """Counts what is open: every element ends."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_and_names_no_address(tmp_path: Path) -> None:
    page = report(tmp_path, 2).read_text()
    elements = Elements()
    elements.feed(page)
    assert elements.open == []
    assert re.findall(r"https?://|src=|href=", re.sub(r"<pre>.*?</pre>", "", page, flags=re.DOTALL)) == []
    (tmp_path / "src/module1.py").write_text("x = 1\n")
    (tmp_path / "tests/module0.py").write_text("x = 1\n")
    assert "No findings" in report(tmp_path, 0).read_text()
