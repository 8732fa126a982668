"""The language server: ``olympus-lint --server`` speaks the protocol over standard input and output."""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path, urlparse

from olympus_lint import __version__
from olympus_lint.project.settings import SettingsError
from olympus_lint.reporting.results import is_unsettled
from olympus_lint.server.messages import Texts, diagnostic, edits_of, hover_text, title_of, whole
from olympus_lint.server.protocol import Protocol, log_sentences
from olympus_lint.server.workspace import Checked, Workspace
from olympus_lint.suppression.noqa import add_noqa
from olympus_rules.finding import Applicability, Finding

STACK = 256 * 1024 * 1024
"""Bytes of the stack of the thread that checks: an expression is as deep as its author wrote it."""
SWITCH = 0.0005
"""Seconds after which the thread that checks lets the loop of the protocol read the next message."""
COLLECTED = 50_000
"""New objects after which the garbage collector runs: a check makes many, which all go without it."""
PAUSE = 0.3
"""Seconds without a keystroke after which the other open files are checked."""
FIX_ALL = "source.fixAll.olympus-lint"
SETTINGS = (".toml", ".gitignore")
"""Endings of what the checks ask beside Python files: settings, signature packs, ignored files."""
NOTEBOOKS = types.NotebookDocumentSyncOptions(
    [types.NotebookDocumentFilterWithCells(notebook="jupyter-notebook", cells=[types.NotebookCellLanguage("python")])]
)
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Shown:
    """What the editor shows of a document: the version of its text and the result of its check."""

    version: int | None
    checked: Checked


class Service:
    """The state of a server: which documents are shown with which findings.

    The checks run in one thread, in which alone the workspace is used; the rest runs in the loop of the protocol.
    """

    def __init__(self, server: LanguageServer) -> None:
        """Start the thread."""
        self.server = server
        self.workspace = Workspace()
        self.shown: dict[str, Shown] = {}
        self._told: str | None = None
        self._later: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        former = threading.stack_size(STACK)
        self._thread = ThreadPoolExecutor(1, "checks", lambda: None)
        self._thread.submit(int).result()  # starts the thread with this stack
        threading.stack_size(former)

    async def run(self, function: Callable[..., Answer], *given: object) -> Answer:
        """Call a function in the thread of the checks."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, partial(function, *given))

    # texts

    def documents(self) -> Iterator[str]:
        """Yield the URIs of the open files and notebooks."""
        cells = {cell.document for book in self.server.workspace.notebook_documents.values() for cell in book.cells}
        yield from (uri for uri in self.server.workspace.text_documents if uri not in cells)
        yield from self.server.workspace.notebook_documents

    def version(self, uri: str) -> int | None:
        """Return the version of an open document; ``None`` of one that is closed, or that has none."""
        workspace = self.server.workspace
        book = workspace.notebook_documents.get(uri)
        if book is not None:
            cells = (workspace.text_documents.get(cell.document) for cell in book.cells)
            return hash((book.version, *(cell.version for cell in cells if cell is not None)))
        document = workspace.text_documents.get(uri)
        return None if document is None else document.version

    def name(self, uri: str) -> str | None:
        """Return the absolute name of a document; a new one that was never saved is taken for one of the folder."""
        name = to_fs_path(uri)
        scheme, _, path, *_ = urlparse(uri)
        if scheme == "untitled":
            suffix = ".ipynb" if uri in self.server.workspace.notebook_documents and not path.endswith(".ipynb") else ""
            name = str(Path(self.server.workspace.root_path or ".", f"{path}{suffix}"))
        return None if name is None else str(Path(name).absolute())

    def texts(self) -> dict[str, bytes]:
        """Return the bytes of all open files and notebooks, by absolute name."""
        found = ((self.name(uri), self.text(uri)) for uri in self.documents())
        return {name: text.encode(errors="surrogatepass") for name, text in found if name}

    def text(self, uri: str) -> str:
        """Return the text of a document; that of a notebook as its file would have it."""
        workspace = self.server.workspace
        book = workspace.notebook_documents.get(uri)
        if book is None:
            return workspace.get_text_document(uri).source
        cells: list[dict[str, object]] = [
            {"cell_type": "code", "source": self.source(cell), "metadata": {}, "outputs": [], "execution_count": None}
            if cell.kind == types.NotebookCellKind.Code
            else {"cell_type": "markdown", "source": "", "metadata": {}}
            for cell in book.cells
        ]
        return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4})

    def source(self, cell: types.NotebookCell) -> str:
        """Return the text of a cell; nothing if it is of another language."""
        document = self.server.workspace.text_documents.get(cell.document)
        return "" if document is None or document.language_id not in ("python", None) else document.source

    def places(self, uri: str) -> Texts:
        """Return what places in a document are counted with."""
        workspace = self.server.workspace
        book = workspace.notebook_documents.get(uri)
        texts = {each: document.source for each, document in workspace.text_documents.items()}
        uris = {name: each for each in self.documents() if (name := self.name(each))}
        return Texts(workspace.position_codec, texts, uris, [cell.document for cell in book.cells] if book else [])

    def holder(self, uri: str) -> str:
        """Return the URI of the notebook of a cell, or of the document itself."""
        books = self.server.workspace.notebook_documents.items()
        return next((name for name, book in books if any(cell.document == uri for cell in book.cells)), uri)

    # checks

    async def check(self, uri: str) -> None:
        """Check an open document and publish its findings, unless there is a newer text by then."""
        version, name, texts = self.version(uri), self.name(uri), self.texts()
        if name not in texts:
            return

        def check() -> Checked | None:
            is_stale = self.version(uri) != version
            return None if is_stale else self.workspace.check(name, texts)

        checked = await self.run(check)
        if checked is not None and self.version(uri) == version:
            self.publish(uri, checked)

    def publish(self, uri: str, checked: Checked) -> None:
        """Show the findings of a document."""
        self.shown[uri] = Shown(self.version(uri), checked)
        places = self.places(uri)
        book = self.server.workspace.notebook_documents.get(uri)
        found: dict[str, list[types.Diagnostic]] = {cell.document: [] for cell in book.cells} if book else {uri: []}
        for finding in checked.findings:
            found.setdefault(places.uri(finding.filename, finding.cell), []).append(diagnostic(finding, places))
        for each, diagnostics in found.items():
            document = self.server.workspace.text_documents.get(each)
            version = document.version if document is not None else None
            self.server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(each, diagnostics, version))
        self.say(checked)

    def say(self, checked: Checked) -> None:
        """Show what went wrong, once."""
        said = "; ".join(map(str, checked.problems))
        if said and said != self._told:
            self.server.window_show_message(types.ShowMessageParams(types.MessageType.Warning, f"olympus-lint: {said}"))
        self._told = said or self._told

    async def changed(self, uri: str) -> None:
        """Check a document that has changed, and the other open ones when nothing changes for a while."""
        if self._later is not None:
            self._later.cancel()
        self._later = asyncio.get_running_loop().call_later(PAUSE, self.check_others, uri)
        await self.check(uri)

    def check_others(self, uri: str) -> None:
        """Check the open documents but one, which may have changed what it tells them."""
        for each in self.documents():
            if each != uri:
                task = asyncio.get_running_loop().create_task(self.check(each))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    async def reload(self) -> None:
        """Read settings and files again, and check all open documents."""
        await self.run(self.workspace.refresh)
        for uri in [*self.documents()]:
            await self.check(uri)

    def forget(self, uri: str) -> None:
        """Show nothing of a closed document."""
        self.shown.pop(uri, None)
        self.server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    # requests

    async def actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """Return the fixes of the findings in a range, ways to suppress them, and the fix of the whole file."""
        uri = self.holder(params.text_document.uri)
        shown = self.shown.get(uri)
        if shown is None or shown.version != self.version(uri):
            return []
        places, wanted = self.places(uri), params.context.only
        wants_all = wanted and _is_wanted(FIX_ALL, wanted)  # an editor asks for any action at each step of the cursor
        if any(is_unsettled(each) for each in shown.checked.findings if wants_all or _is_meant(each, params, places)):
            shown = await self.settled(uri, shown)
        actions: list[types.CodeAction] = []
        for finding in shown.checked.findings if _is_wanted(types.CodeActionKind.QuickFix, wanted) else ():
            if _is_meant(finding, params, places):
                actions += self.fixes(uri, await self.held(uri, finding, shown), places)
        is_safe = any(each.fix and each.fix.applicability is Applicability.SAFE for each in shown.checked.findings)
        if is_safe and uri == params.text_document.uri and _is_wanted(FIX_ALL, wanted):
            actions += await self.fix_all(uri)
        return actions

    async def settled(self, uri: str, shown: Shown) -> Shown:
        """Find out which fixes of a document are safe, where that takes another analysis; once for each text."""
        name, texts = self.name(uri), self.texts()
        checked = await self.run(partial(self.workspace.check, asks_safety=True), name, texts)
        if self.version(uri) == shown.version:
            self.shown[uri] = shown = Shown(shown.version, checked)
        return shown

    async def held(self, uri: str, finding: Finding, shown: Shown) -> Finding:
        """Return a finding that has a fix only if the fix ends it, as far as that can be found out."""
        name = self.name(uri)
        if name is None or finding.fix is None or uri in self.server.workspace.notebook_documents:
            return finding
        return await self.run(self.workspace.held, name, self.texts(), finding, shown.checked.findings)

    def fixes(self, uri: str, finding: Finding, places: Texts) -> Iterator[types.CodeAction]:
        """Yield the fix of a finding, and the comment that suppresses it."""
        shown = [diagnostic(finding, places)]
        kind = types.CodeActionKind.QuickFix
        if finding.fix is not None:
            is_safe = finding.fix.applicability is Applicability.SAFE
            edit = edits_of(finding.filename, finding.fix.edits, places)
            title = f"olympus-lint: {title_of(finding.fix)}"
            yield types.CodeAction(title, kind=kind, diagnostics=shown, is_preferred=is_safe or None, edit=edit)
        where = places.uri(finding.filename, finding.cell)
        old = self.server.workspace.get_text_document(where).source
        new = add_noqa(old, [replace(finding, cell=None)])
        if new != old:
            title = f"olympus-lint: Suppress {finding.code} in this line"
            yield types.CodeAction(title, kind=kind, diagnostics=shown, edit=whole(where, old, new))

    async def fix_all(self, uri: str) -> list[types.CodeAction]:
        """Return the action that applies all safe fixes of a Python file."""
        name, texts = self.name(uri), self.texts()
        if name is None or uri in self.server.workspace.notebook_documents:
            return []
        old = self.text(uri)
        new = await self.run(self.workspace.fixed, name, texts)
        if new is None:
            return []
        return [types.CodeAction("olympus-lint: Fix all (safe)", kind=FIX_ALL, edit=whole(uri, old, new))]

    async def hover(self, params: types.HoverParams) -> types.Hover | None:
        """Return what is known of the key or function under the cursor."""
        uri = params.text_document.uri
        name, texts = self.name(uri), self.texts()
        if name not in texts:
            return None
        row, column = self.places(uri).place(uri, params.position)
        told = await self.run(self.workspace.told, name, texts, row, column)
        return None if told is None else types.Hover(types.MarkupContent(types.MarkupKind.Markdown, hover_text(told)))


def _is_wanted(kind: str, only: Any) -> bool:
    return not only or any(kind == each or kind.startswith(f"{each}.") for each in only)


def _is_meant(finding: Finding, params: types.CodeActionParams, places: Texts) -> bool:
    """Return whether a finding is in the range for which actions are asked for."""
    where = places.uri(finding.filename, finding.cell)
    return where == params.text_document.uri and _overlap(places.range(where, finding.span), params.range)


def _overlap(one: types.Range, other: types.Range) -> bool:
    def of(position: types.Position) -> tuple[int, int]:
        return position.line, position.character

    return of(one.start) <= of(other.end) and of(other.start) <= of(one.end)


def make_server() -> LanguageServer:
    """Return a server with its features."""
    server = LanguageServer("olympus-lint", __version__, notebook_document_sync=NOTEBOOKS, protocol_cls=Protocol)
    service = Service(server)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: types.DidOpenTextDocumentParams | types.DidChangeTextDocumentParams) -> None:
        await service.changed(params.text_document.uri)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    async def book_changed(params: types.DidOpenNotebookDocumentParams | types.DidChangeNotebookDocumentParams) -> None:
        await service.changed(params.notebook_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        if params.text_document.uri.endswith(SETTINGS):
            await service.reload()

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(params: types.DidCloseTextDocumentParams) -> None:
        service.forget(params.text_document.uri)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    async def book_closed(params: types.DidCloseNotebookDocumentParams) -> None:
        for cell in params.cell_text_documents:
            service.forget(cell.uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def watched(params: types.DidChangeWatchedFilesParams) -> None:
        await service.reload()

    options = types.CodeActionOptions([types.CodeActionKind.QuickFix, FIX_ALL])

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)
    async def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        return await service.actions(params)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        return await service.hover(params)

    @server.feature(types.INITIALIZED)
    async def initialized(params: types.InitializedParams) -> None:
        watchers = [types.FileSystemWatcher(f"**/*{ending}") for ending in (".py", *SETTINGS)]
        told = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        able = server.client_capabilities.workspace
        watched = able.did_change_watched_files if able is not None else None
        if watched is not None and watched.dynamic_registration:
            registration = types.Registration("watch", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, told)
            await server.client_register_capability_async(types.RegistrationParams([registration]))

    return server


def serve() -> int:
    """Serve until the client disconnects; return the exit status.

    Raises:
        SettingsError: there is nothing to speak over.
    """
    if sys.stdin is None or sys.stdout is None:
        raise SettingsError("--server: standard input or output is closed; an editor speaks to the server over both.")
    log_sentences()
    sys.setswitchinterval(SWITCH)
    gc.set_threshold(COLLECTED)
    make_server().start_io()
    return 0
