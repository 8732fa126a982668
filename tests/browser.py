"""A real browser without a screen, over its debugging protocol."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from tornado.websocket import WebSocketClientConnection, websocket_connect

__all__ = ["CHROMIUM", "Browser"]

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
TIMEOUT = 60
WIDE = """[...document.querySelectorAll("html, body *")].filter(each =>
  each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0
  && (each === document.documentElement || ["auto", "scroll"].includes(getComputedStyle(each).overflowX))
).map(each => each.textContent.slice(0, 60))"""


class Browser:
    """A browser with one page.

    Attributes:
        errors: what the page has written to the console, or thrown.
        requests: the addresses that it has asked for.
    """

    def __init__(self, folder: Path) -> None:
        """Take the folder of the profile."""
        self.folder = folder
        self.errors: list[str] = []
        self.requests: list[str] = []
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._loaded = asyncio.Event()

    async def __aenter__(self) -> Browser:
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", "--no-first-run"]
        line = [str(CHROMIUM), *options, f"--user-data-dir={self.folder}", "about:blank"]
        self._process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        assert self._process.stderr is not None
        loop = asyncio.get_running_loop()
        address = None
        while address is None:
            said = await asyncio.wait_for(loop.run_in_executor(None, self._process.stderr.readline), TIMEOUT)
            address = re.search(r"ws://(\S+?)/", said)
        import urllib.request

        def pages() -> Any:
            return json.load(urllib.request.urlopen(f"http://{address[1]}/json", timeout=TIMEOUT))

        page = next(each for each in await loop.run_in_executor(None, pages) if each["type"] == "page")
        self._socket: WebSocketClientConnection = await websocket_connect(
            page["webSocketDebuggerUrl"], max_message_size=1 << 28
        )
        self._reader = loop.create_task(self._read())
        for domain in ("Page", "Runtime", "Log", "Network"):
            await self.send(f"{domain}.enable")
        return self

    async def __aexit__(self, *_: object) -> None:
        self._reader.cancel()
        self._socket.close()
        self._process.kill()
        self._process.communicate()

    async def _read(self) -> None:
        while (text := await self._socket.read_message()) is not None:
            message = json.loads(text)
            match message.get("method"):
                case None:
                    self._waiting.pop(message["id"]).set_result(message.get("result"))
                case "Log.entryAdded" if message["params"]["entry"]["level"] in ("verbose", "info"):
                    pass
                case "Runtime.exceptionThrown" | "Runtime.consoleAPICalled" | "Log.entryAdded":
                    self.errors.append(json.dumps(message["params"]))
                case "Network.requestWillBeSent":
                    self.requests.append(message["params"]["request"]["url"])
                case "Page.loadEventFired":
                    self._loaded.set()

    async def send(self, method: str, **params: object) -> Any:
        """Call a method of the protocol and return its result."""
        number = next(self._numbers)
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        await self._socket.write_message(json.dumps({"id": number, "method": method, "params": params}))
        return await asyncio.wait_for(answer, TIMEOUT)  # it may be there already

    async def open(self, page: Path, fragment: str = "") -> None:
        """Load a file and wait until it is there."""
        await self.visit(page.as_uri() + fragment)

    async def visit(self, page: str) -> None:
        """Load the page of an address and wait until it is there."""
        for address in ("about:blank", page):  # else a new fragment would load nothing
            self._loaded.clear()
            await self.send("Page.navigate", url=address)
            await asyncio.wait_for(self._loaded.wait(), TIMEOUT)

    async def resize(self, width: int, height: int) -> None:
        """Give the window of the page a size."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        await self.send("Emulation.setDeviceMetricsOverride", **size)

    async def prefer(self, scheme: str) -> None:
        """Prefer light or dark pages."""
        await self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    async def sideways(self) -> list[str]:
        """Return the beginnings of what scrolls sideways: of the page, or of elements in it."""
        found: list[str] = await self.ask(WIDE)
        return found

    async def ask(self, script: str) -> Any:
        """Return the value of an expression in the page."""
        done = await self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        return done["result"].get("value")

    async def press(self, key: str) -> None:
        """Press a key."""
        text = "\r" if key == "Enter" else key if len(key) == 1 else ""
        await self.send("Input.dispatchKeyEvent", type="keyDown", key=key, text=text)
        await self.send("Input.dispatchKeyEvent", type="keyUp", key=key)
