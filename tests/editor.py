"""A real client of the language server, which is a thread of this process, or a process of a command.

The server speaks over streams of bytes in both cases. The start of a process costs a second of CPU.
"""

from __future__ import annotations

import asyncio
import socket
import sys
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from lsprotocol import types
from pygls.io_ import run_async
from pygls.lsp.client import LanguageClient

from olympus_lint.server.serve import make_server

__all__ = ["Editor", "applied"]

TIMEOUT = 60
SERVER = (sys.executable, "-m", "olympus_lint", "--server")


class Editor:
    """An editor with open files.

    Attributes:
        found: the diagnostics shown in each document, by URI.
        published: how often the server has shown those of a document.
        said: the messages shown.
    """

    def __init__(
        self, folder: Path, command: Sequence[str] | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        """Take the folder that is opened, and the server's command, if it is to be a process, and its variables."""
        self.folder = folder
        self._command = command
        self._environment = environment
        self.found: dict[str, list[types.Diagnostic]] = {}
        self.published: Counter[str] = Counter()
        self.said: list[str] = []
        self.client = LanguageClient("test", "1")
        self._versions: dict[str, int] = {}
        self._news = asyncio.Event()

        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def publish(params: types.PublishDiagnosticsParams) -> None:
            self.found[params.uri] = list(params.diagnostics)
            self.published[params.uri] += 1
            self._news.set()

        @self.client.feature(types.WINDOW_SHOW_MESSAGE)
        def show(params: types.ShowMessageParams) -> None:
            self.said.append(params.message)
            self._news.set()

    async def __aenter__(self) -> Editor:
        if self._command is None:
            await self._start_thread()
        else:
            await self.client.start_io(*self._command, env=self._environment)
        params = types.InitializeParams(types.ClientCapabilities(), root_uri=self.folder.as_uri())
        self.server = await asyncio.wait_for(self.client.initialize_async(params), TIMEOUT)
        self.client.initialized(types.InitializedParams())
        return self

    async def _start_thread(self) -> None:
        """Start a server in a thread, and read what it says."""
        ours, theirs = socket.socketpair()

        def serve() -> None:
            with theirs, theirs.makefile("rb") as requests, theirs.makefile("wb") as answers:
                make_server().start_io(requests, answers)

        threading.Thread(target=serve, daemon=True).start()
        reader, writer = await asyncio.open_connection(sock=ours)
        self.client.protocol.set_writer(writer)
        reading = run_async(self.client._stop_event, reader, self.client.protocol)
        self.client._async_tasks.append(asyncio.create_task(reading))

    async def __aexit__(self, *_: object) -> None:
        await asyncio.wait_for(self.client.shutdown_async(None), TIMEOUT)
        self.client.exit(None)
        await self.client.stop()

    def uri(self, name: str) -> str:
        """Return the URI of a file, or of a document that was never saved, which has one as its name."""
        return name if name.startswith("untitled:") else (self.folder / name).as_uri()

    async def open(self, name: str, text: str | None = None) -> list[types.Diagnostic]:
        """Open a file, with a text that is not on disk if one is given; return its diagnostics."""
        uri, text = self.uri(name), (self.folder / name).read_text("utf-8") if text is None else text
        self._versions[uri] = 1
        return await self.after(
            uri,
            lambda: self.client.text_document_did_open(
                types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", 1, text))
            ),
        )

    def close(self, name: str) -> None:
        """Close an open file, and do not wait."""
        uri = self.uri(name)
        known = types.TextDocumentIdentifier(uri)
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(known))

    async def change(self, name: str, text: str) -> list[types.Diagnostic]:
        """Replace the text of an open file; return its diagnostics."""
        uri = self.uri(name)
        return await self.after(uri, lambda: self.type(name, text))

    def type(self, name: str, text: str) -> None:
        """Replace the text of an open file, and do not wait."""
        uri = self.uri(name)
        self._versions[uri] += 1
        known = types.VersionedTextDocumentIdentifier(self._versions[uri], uri)
        changes = [types.TextDocumentContentChangeWholeDocument(text)]
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(known, changes))

    async def after(self, uri: str, act: object) -> list[types.Diagnostic]:
        """Do something and return the diagnostics that the server shows in a document then."""
        self.found.pop(uri, None)
        act()  # type: ignore[operator]
        return await self.shown(uri)

    async def shown(self, uri: str) -> list[types.Diagnostic]:
        """Return the diagnostics of a document as soon as there are some news of it."""
        async with asyncio.timeout(TIMEOUT):
            while uri not in self.found:
                self._news.clear()
                await self._news.wait()
        return self.found[uri]

    async def until(self, uri: str, codes: list[str]) -> None:
        """Wait until a document has findings of some codes, and no others."""
        async with asyncio.timeout(TIMEOUT):
            while [each.code for each in self.found.get(uri, [])] != codes:
                self._news.clear()
                await self._news.wait()

    async def told(self, word: str) -> None:
        """Wait until a message with a word is shown."""
        async with asyncio.timeout(TIMEOUT):
            while not any(word in message for message in self.said):
                self._news.clear()
                await self._news.wait()

    async def actions(self, name: str, row: int, column: int = 0, only: str | None = None) -> list[types.CodeAction]:
        """Return the code actions at a place; rows and columns start at 0."""
        place = types.Position(row, column)
        context = types.CodeActionContext([], only=[only] if only else None)
        params = types.CodeActionParams(
            types.TextDocumentIdentifier(self.uri(name)), types.Range(place, place), context
        )
        found = await asyncio.wait_for(self.client.text_document_code_action_async(params), TIMEOUT)
        return [each for each in found or [] if isinstance(each, types.CodeAction)]

    async def hover(self, name: str, row: int, column: int) -> str:
        """Return the text shown at a place; rows and columns start at 0."""
        params = types.HoverParams(types.TextDocumentIdentifier(self.uri(name)), types.Position(row, column))
        found = await asyncio.wait_for(self.client.text_document_hover_async(params), TIMEOUT)
        return found.contents.value if found is not None else ""  # type: ignore[union-attr]


def applied(text: str, action: types.CodeAction) -> str:
    """Return a text after the edits of an action, whose columns count UTF-16 units of plain characters."""
    assert action.edit is not None and action.edit.changes is not None
    (edits,) = action.edit.changes.values()
    lines = [*text.splitlines(keepends=True), ""]

    def at(position: types.Position) -> int:
        return sum(len(line) for line in lines[: position.line]) + position.character

    for edit in sorted(edits, key=lambda edit: at(edit.range.start), reverse=True):
        text = text[: at(edit.range.start)] + edit.new_text + text[at(edit.range.end) :]
    return text
