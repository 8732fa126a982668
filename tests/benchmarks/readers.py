"""All readers of input that is not Python source, each as a target: valid files, and what a variant of one may do.

A target raises :class:`Broken`, or what the reader raises, for input that breaks the promise: bad input gets a sentence
with the place, the cause and the next step, or is ignored where that is documented; never a traceback.
"""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
import logging
import os
import re
import shutil
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import chdir, closing, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Protocol
from unittest import mock

from hostile import Form

from olympus_lint.analysis.cache import AnswerMemory, Cache
from olympus_lint.analysis.manifest import Manifest
from olympus_lint.analysis.projects import Projects, deep_recursion
from olympus_lint.analysis.store import NAME, Store
from olympus_lint.cli import main
from olympus_lint.commandline.check import inline_settings
from olympus_lint.commandline.information import show_settings
from olympus_lint.commandline.options import parse
from olympus_lint.embedded.module import read as read_pieces
from olympus_lint.files.problems import CONTROL
from olympus_lint.files.sources import InputError, decode_utf8
from olympus_lint.project.configuration import Configuration
from olympus_lint.project.settings import Settings, SettingsError, override
from olympus_lint.reporting.formats import format_names
from olympus_lint.reporting.results import FileResult, RunResult
from olympus_lint.run.context import Context, Mode
from olympus_lint.run.one_file import check_bytes
from olympus_lint.server.buffers import Buffers
from olympus_lint.suppression import baseline
from olympus_lint.suppression.comments import Suppressions
from olympus_lint.suppression.noqa import add_noqa
from olympus_lint.tracing.recorded import judge_recorded
from olympus_rules.finding import Finding, Position, Related, Span
from olympus_rules.keyflow.linking.rests import Question
from olympus_rules.libraries import libraries, read_pack
from olympus_rules.libraries.table import FOLDER, Libraries
from olympus_rules.syntax import disk

__all__ = ["TARGETS", "Broken", "Target", "targets"]

SOURCE = """\
import jax
from lab import sample


def draw(key):
    first = jax.random.normal(key)
    sample(key, 3)
    return first + jax.random.uniform(key)
"""
ROOT = Path("/nowhere/project")
"""A folder that is shown and does not exist; above it there are no settings."""
ONE_IN = 16
"""The share of the accepted inputs with which code is checked, too."""


class Broken(Exception):
    """A reader broke its promise."""


class Target(Protocol):
    """A reader, with what it reads."""

    form: Form
    seeds: Sequence[bytes]

    def read(self, data: bytes) -> None:
        """Read one input; raise an error if the reader breaks its promise."""


def sentence(error: object) -> None:
    """Refuse a message that is no sentence, or that could control a terminal."""
    text = str(error)
    if not re.search(r"[.?]$", text) or not re.search(r"[;:,(]", text):
        raise Broken(f"no sentence: {text[:200]!r}")
    if len(text) > 2000:
        raise Broken(f"a sentence of {len(text)} characters: {text[:100]!r}")


def visible(text: str) -> None:
    """Refuse a text that could control a terminal."""
    if text.translate(CONTROL) != text:
        raise Broken(f"control characters: {text[:200]!r}")


def one_in(data: bytes, share: int = ONE_IN) -> bool:
    """Say whether an input is one of the few that more is done with."""
    return zlib.crc32(data) % share == 0


def text_of(data: bytes) -> str:
    """Return bytes as the text of a source, in which nothing is refused here."""
    return data.decode(errors="replace")


def check(name: str, data: bytes, settings: Settings) -> None:
    """Check and fix a file; there may be no internal error."""
    with deep_recursion():
        result, _ = check_bytes(name, data, settings, Context(Mode.FIX, Projects()))
    for problem in result.errors:
        if "internal error" in str(problem):
            raise Broken(str(problem))
        sentence(problem)


@contextmanager
def shown(texts: Mapping[str, bytes]) -> Iterator[None]:
    """Show files in the folder of the project."""
    with disk.showing(Buffers({str(ROOT / name): data for name, data in texts.items()})):
        yield


# Settings and signature packs.

PACK = """\
roots = ["lab"]
[functions."lab.sample"]
parameters = ["key", "count"]
sinks = ["key"]
draw = "bits"
[functions."lab.children"]
parameters = ["key", "n"]
derive = "split"
[methods."draw"]
parameters = ["rng"]
folds = ["rng"]
[inspect]
names = ["lab.show"]
prefixes = ["lab.debug."]
[forward]
names = "lab.same lab.cast"
[transform]
vmap = ["lab.each"]
[result]
shape = ["lab.shape"]
[arrays]
modules = ["lab.numpy"]
joins = ["lab.concat"]
[returns]
"jax.random.split" = ["lab.two"]
[[conversions]]
form = "call"
names = ["lab.save"]
places = [0, 1]
effect = "fails"
before = "0.9.2"
[typed-keys]
since = "0.4.16"
except = ["lab.old"]
"""
TABLE = """\
select = ["ALL", "OLY104", "key-reuse"]
extend-select = ["OLY2"]
ignore = ["OLY107"]
per-file-ignores = {"tests/*" = ["OLY107"], "**/gen/**/*.py" = ["OLY1"]}
exclude = ["third_party", "*_pb2.py", "a/**/b"]
extend-exclude = ["old"]
respect-gitignore = true
extension = ["qmd:markdown", "pyx:python"]
force-exclude = false
min-confidence = "possible"
library-roots = ["jax", "my.jax"]
signature-packs = ["lab.toml"]
output-format = "full"
fix = true
fixable = ["OLY104"]
unfixable = ["OLY105"]
unsafe-fixes = true
fix-only = false
show-fixes = false
cache-dir = "~/cache"
baseline = "known.json"
target-jax = "0.4.30"
"""
TRACED = """\
[trace]
"pkg.mod:function" = {args = ["key", "f32[3,4]", "raw", "keys[2]", "3", "true"]}
"pkg.mod:other" = {args = {x = "i32[2]", k = "key"}}
"""


class SettingsFile:
    """``olympus-lint.toml``, and what is asked of the settings."""

    form: Form = "toml"
    name = "olympus-lint.toml"
    seeds: Sequence[bytes] = (
        TABLE.encode(),
        (TABLE + TRACED).encode(),
        *(f"{line}\n".encode() for line in TABLE.splitlines()),
    )

    def read(self, data: bytes) -> None:
        libraries.cache_clear()
        with shown({self.name: data, "lab.toml": PACK.encode(), "base.toml": b"select = ['OLY1']"}):
            try:
                settings = Configuration({}).at(ROOT)
                self.use(settings, data)
            except SettingsError as error:
                sentence(error)

    def use(self, settings: Settings, data: bytes) -> None:
        """Ask for all that the settings say."""
        settings.excluded.match_any(ROOT / "a/gen/b.py")
        settings.rules_for(str(ROOT / "tests/gen/a.py"))
        show_settings(settings)
        assert settings.suffixes and settings.kind_of("a.qmd") and settings.fixable_codes is not None
        if one_in(data):
            check(str(ROOT / "a.py"), SOURCE.encode(), settings)


class SharedSettings(SettingsFile):
    """``pyproject.toml``."""

    name = "pyproject.toml"
    seeds = (
        *(f"[tool.{kind}]\n{text}".encode() for kind in ("olympus-lint", "other") for text in (TABLE, "line = 3\n")),
        b'[tool.olympus-lint]\nextend = "base.toml"\nselect = ["OLY104"]\n',
    )


class Inline:
    """``--config`` with settings in the place of a file."""

    form: Form = "toml"
    seeds = tuple(line.encode() for line in TABLE.splitlines() if "packs" not in line)

    def read(self, data: bytes) -> None:
        with shown({}):
            try:
                settings = override(Settings(), inline_settings([text_of(data)]))
                SettingsFile().use(settings, data)
            except SettingsError as error:
                sentence(error)


class SignaturePack:
    """A signature pack, and the table of models that is made with it."""

    form: Form = "toml"
    seeds = (PACK.encode(), *(path.read_bytes() for path in sorted(FOLDER.glob("*.toml")) if len(path.stem) < 8))

    def read(self, data: bytes) -> None:
        with shown({"lab.toml": data}):
            try:
                pack = read_pack(ROOT / "lab.toml")
            except ValueError as error:
                sentence(SettingsError(f"{error}."))
                return
            table = Libraries([pack], FOLDER)
            for name in (
                "lab.sample",
                "lab.save",
                "lab.debug.x",
                "lab.numpy.y",
                *[row.qualified for row in pack.functions],
            ):
                table.get(name)
            table.method_rows(pack.roots)
            table.methods(pack.roots, "fold")
            if one_in(data):
                libraries.cache_clear()
                settings = replace(Settings(), signature_packs=[str(ROOT / "lab.toml")], select=["ALL"])
                check(str(ROOT / "a.py"), SOURCE.encode(), settings)


# Suppression comments, and files with pieces of Python.

COMMENTS = """\
# olympus: ignore-file[OLY107, key-reuse] a reason
import jax  # noqa: E501,OLY104
x = jax.random.normal(key)  # noqa
# olympus: ignore[OLY104]
y = f(key,  # noqa : OLY104 , OLY201 #noqa:OLY1
      '''text # noqa
      ''')  # olympus: ignore[key-reuse, nope] why  # noqa OLY104
@deco  # olympus: ignores[OLY104]
def f(): return key \\
    + 1  # olympus: ignore[
"""
NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# noqa: OLY104\n", "text"]},
        {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": [], "source": SOURCE.splitlines(True)},
        {
            "cell_type": "code",
            "execution_count": None,
            "metadata": {"a": [1]},
            "outputs": [{"x": 1}],
            "source": "%time 1",
        },
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": "%%bash\nls é\n"},
        {"cell_type": "raw", "metadata": {}, "source": ""},
    ],
    "metadata": {"kernelspec": {"language": "python", "name": "python3"}, "language_info": {"name": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}
PAGE = f"""\
# Title

```python
{SOURCE}```

> ~~~{{code-cell}} python
> import jax
> ~~~

1. item
   ```pycon
   >>> import jax
   >>> key = jax.random.key(0)  # noqa: OLY104
   ... x
   3
   ```

    >>> indented

````{{doctest}}
>>> for i in x:
...     i
````
"""
DOCSTRINGS = f'''"""
>>> import jax
>>> if 1:
...     jax
3
"""
{SOURCE}    r"""x

    >>> draw(key)
    >>> 1
    1
    """
'''


def places(name: str = "a.py") -> list[Finding]:
    """Return findings at some places."""
    spans = [Span(Position(row, 3), Position(end, 9)) for row, end in ((1, 1), (3, 3), (5, 7), (7, 7), (40, 41))]
    other = (Related("first", name, spans[1]),)
    return [Finding("OLY104", "key-reuse", "A message.", name, span, related=other) for span in spans]


class Comments:
    """Suppression comments."""

    form: Form = "text"
    seeds = (COMMENTS.encode(), *(line.encode() for line in COMMENTS.splitlines() if "#" in line))

    def read(self, data: bytes) -> None:
        text = text_of(data)
        comments = Suppressions(text)
        for finding in places():
            comments.hides(finding)
        list(comments.unused("a.py", ["OLY104", "OLY107"]))
        add_noqa(text, [each for each in places() if each.span.end.row <= text.count("\n")])


@dataclass
class Pieces:
    """Files that hold pieces of Python."""

    name: str
    kind: str
    form: Form
    seeds: Sequence[bytes]

    def read(self, data: bytes) -> None:
        try:
            text = decode_utf8(data)
            found = read_pieces(self.name, text, self.kind)
        except InputError as error:
            sentence(f"{self.name}: {error}")
            return
        if found.put_back(found.text) != text or (self.kind != "python" and found.holder.put_back({}) != text):
            raise Broken("the file changes when nothing is put back")
        for note in found.notes:
            sentence(note)
        if one_in(data):
            check(self.name, data, override(Settings(), {"select": ["ALL"], "extension": ["md:markdown"]}))


# Files of this program: events, baselines, reports, the cache.


class OnDisk:
    """A reader of a file on disk: it is in a scratch folder, beside a checked file."""

    form: Form = "json"
    seeds: Sequence[bytes]

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.source = folder / "a.py"
        self.source.write_text(SOURCE)
        self.file = folder / "input"
        self.prepare()

    def prepare(self) -> None:
        """Make the valid files."""

    def results(self) -> list[FileResult]:
        """Return the results of a check."""
        return [FileResult(str(self.source), places(str(self.source)), text=SOURCE)]


class Events(OnDisk):
    """The events of a recorded run."""

    form: Form = "json-lines"

    def prepare(self) -> None:
        digest = hashlib.sha256(SOURCE.encode()).hexdigest()
        rows: list[dict[str, Any]] = [
            {"olympus": "events", "format": 1, "version": "0", "command": ["pytest", "tests"]},
            {"process": 1, "olympus": "0", "jax": "0", "python": "3", "probe": True},
            {"file": 0, "path": os.path.realpath(self.source), "sha256": digest},
            {"span": 1, "is": [0, 3, 3, 3, 9, "draw"]},
            {"span": 2, "is": [0, 7, 3, 7, 9, "draw"]},
            {"site": 1, "is": ["draw", "normal", 1]},
            {"site": 2, "is": ["draw", "uniform", 2, -1], "looped": True},
            {"pair": [1, 2], "kind": "reuse", "key": "key(0)", "words": [1, 2], "device": "cpu:0", "at": [[0], [1]]},
            {"pair": [1, 1], "kind": "collision", "key": "k", "turns": True, "maybe": True},
            {"unknown": 2}, {"together": [1, 2]}, {"times": [[1, 3, 1], [2, 3, 3]]},
            {"unfollowed": "f"}, {"note": "n"}, {"finished": True}, {"processes": 1},
        ]  # fmt: skip
        whole = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)
        self.seeds = [whole.encode(), (whole + whole).encode()]

    def read(self, data: bytes) -> None:
        self.file.write_bytes(data)
        files = self.results()
        done = judge_recorded(str(self.file), files, {files[0].filename: override(Settings(), {"select": ["ALL"]})})
        for problem in done.problems:
            sentence(problem)
        for note in done.notes:
            visible(str(note))


class Baseline(OnDisk):
    """A baseline."""

    def prepare(self) -> None:
        baseline.write(RunResult(self.results()), str(self.file))
        self.seeds = [self.file.read_bytes(), b'{"version": 1, "findings": []}']

    def read(self, data: bytes) -> None:
        self.file.write_bytes(data)
        try:
            baseline.apply(RunResult(self.results()), str(self.file))
        except SettingsError as error:
            sentence(error)


class Report(OnDisk):
    """A report for ``--merge``, which is reported in one of the formats."""

    def prepare(self) -> None:
        self.seeds = []
        for name in ("json", "json-lines"):
            told = command(self.folder, "a.py", "--select", "ALL", "--no-cache", "--isolated", "--output-format", name)
            self.seeds.append(told.out.encode())

    def read(self, data: bytes) -> None:
        self.file.write_bytes(data)
        names = format_names()
        name = names[zlib.crc32(data) % len(names)]
        told = command(self.folder, "--isolated", "--merge", str(self.file), "--output-format", name)
        told.accept()
        if name in ("json", "sarif", "gitlab", "rdjson") and told.status != 2:
            json.loads(told.out)


class CacheEntries(OnDisk):
    """The entries of the cache: results, needs, answers and the results of a whole run."""

    def prepare(self) -> None:
        self.seeds = [row.encode() for row in cached(self.folder, self.source)]

    def read(self, data: bytes) -> None:
        cache_ = Cache(self.folder)
        value = text_of(data)
        with mock.patch.object(cache_.store, "get", lambda _: value):
            entry = cache_.load_result(str(self.source), Settings())
            answer = AnswerMemory(cache_, (), ()).load(Question("a", "b", True))
            earlier = Manifest(parse([str(self.source)]), {}).recall(cache_)
            if earlier is not None:
                for result in earlier.results.values():
                    assert result.findings is not None
        assert entry is None or entry.result.cached
        assert answer is None or isinstance(answer.text, str)


class CacheFile(OnDisk):
    """The SQLite file of the cache: what is damaged is not used, and the next run has a new one."""

    form: Form = "text"

    def prepare(self) -> None:
        cached(self.folder, self.source)
        self.seeds = [(self.folder / ".cache" / NAME).read_bytes()]

    def read(self, data: bytes) -> None:
        folder = self.folder / "damaged"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / NAME).write_bytes(data)
        for _ in range(2):
            store = Store(folder)
            for key in (b"\0" * 16, b"new"):
                store.get(key)
            store.put(b"new", "value")
            store.close()
            if store.note and "is not used" not in store.note:
                raise Broken(store.note)


def cached(folder: Path, source: Path) -> list[str]:
    """Check a file with a cache, and return the entries."""
    told = command(folder, str(source), "--cache-dir", ".cache", "--isolated", "--select", "OLY1")
    told.accept()
    with closing(sqlite3.connect(folder / ".cache" / NAME)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        rows = [text for (text,) in connection.execute("SELECT value FROM entries ORDER BY length(value)")]
        connection.execute("PRAGMA journal_mode = DELETE")
    return rows


# The command.


@dataclass
class Told:
    """What one call of the command gave."""

    status: int
    out: str
    err: str

    def accept(self) -> None:
        """Refuse another exit status than those that are documented, and what is no sentence."""
        if self.status not in (0, 1, 2) or "internal error" in self.err or "Traceback" in self.err:
            raise Broken(f"status {self.status}: {self.err[-500:]}")
        for line in self.err.splitlines():
            if line.startswith("error: "):
                sentence(line)
            visible(line)
        if self.status == 2 and not self.err:
            raise Broken("status 2 without a sentence")


def command(folder: Path, *words: str) -> Told:
    """Call the command in a folder, in this process."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    libraries.cache_clear()
    with chdir(folder), redirect_stdout(out), redirect_stderr(err):
        try:
            status = main(list(words))
        except SystemExit as stop:
            status = stop.code if isinstance(stop.code, int) else 1
    texts = [stream.buffer.getvalue().decode() for stream in (out, err)]  # type: ignore[attr-defined]
    return Told(status, *texts)


class Command(OnDisk):
    """A whole run in a project of which one file is damaged."""

    form: Form = "text"
    WORDS = (
        ".",
        "--select",
        "ALL",
        "--baseline",
        "known.json",
        "--trace-events",
        "events.jsonl",
        "--extension",
        "md:markdown",
    )

    def prepare(self) -> None:
        self.root = self.folder / "project"
        self.root.mkdir()
        events = Events(self.root)
        table = '[tool.olympus-lint]\nsignature-packs = ["lab.toml"]\nignore = ["OLY107"]\n'
        self.files = {
            "pyproject.toml": table.encode(), "lab.toml": PACK.encode(), "book.ipynb": json.dumps(NOTEBOOK).encode(),
            "page.md": PAGE.encode(), "events.jsonl": events.seeds[0], "known.json": b'{"version": 1, "findings": []}',
            "a.py": (SOURCE + COMMENTS).encode(), ".gitignore": b"*.pyc\n!a.py\n/b/**/c\n[x]\n",
        }  # fmt: skip
        (self.root / "input").unlink(missing_ok=True)
        for name, data in self.files.items():
            (self.root / name).write_bytes(data)
        command(self.root, *self.WORDS).accept()
        self.seeds = [name.encode() + b"\n" + data for name, data in self.files.items()]

    def read(self, data: bytes) -> None:
        name = data.partition(b"\n")[0].decode(errors="replace")
        if name not in self.files:
            return
        (self.root / name).write_bytes(data.partition(b"\n")[2])
        try:
            command(self.root, *self.WORDS, "--no-cache").accept()
        finally:
            (self.root / name).write_bytes(self.files[name])


# The language server.

URI = f"file://{ROOT}/a.py"
BOOK = f"file://{ROOT}/b.ipynb"
CELL = "vscode-notebook-cell:/b.ipynb#1"


def message(method: str, number: int | None = None, **params: Any) -> dict[str, Any]:
    """Return a message of the protocol."""
    return {"jsonrpc": "2.0", "method": method, "params": params} | ({} if number is None else {"id": number})


def session() -> list[dict[str, Any]]:
    """Return the messages of an editor in which a file and a notebook are open."""
    at, known = {"line": 7, "character": 20}, {"uri": URI, "version": 2}
    here = {"start": at, "end": {"line": 7, "character": 25}}
    opened = {"uri": URI, "languageId": "python", "version": 1, "text": SOURCE}
    cell = {"uri": CELL, "languageId": "python", "version": 1, "text": SOURCE}
    book = {"uri": BOOK, "notebookType": "jupyter-notebook", "version": 1, "cells": [{"kind": 2, "document": CELL}]}
    lines = message("textDocument/codeAction", 3, textDocument={"uri": URI}, range=here, context={"diagnostics": []})
    return [
        message("textDocument/didOpen", textDocument=opened),
        message("textDocument/didChange", textDocument=known, contentChanges=[{"text": SOURCE + "x = 1\n"}]),
        message("textDocument/didChange", textDocument=known, contentChanges=[{"range": here, "text": "normal"}]),
        message("textDocument/hover", 2, textDocument={"uri": URI}, position=at),
        lines,
        message("notebookDocument/didOpen", notebookDocument=book, cellTextDocuments=[cell]),
        message(
            "notebookDocument/didChange",
            notebookDocument={"uri": BOOK, "version": 2},
            change={"cells": {"textContent": [{"document": {"uri": CELL, "version": 2}, "changes": [{"text": "x"}]}]}},
        ),
        message("textDocument/codeAction", 4, **(lines["params"] | {"textDocument": {"uri": CELL}})),
        message("textDocument/didSave", textDocument={"uri": f"file://{ROOT}/pyproject.toml"}),
        message("workspace/didChangeWatchedFiles", changes=[{"uri": URI, "type": 2}]),
        message("notebookDocument/didClose", notebookDocument={"uri": BOOK}, cellTextDocuments=[{"uri": CELL}]),
        message("textDocument/didClose", textDocument={"uri": URI}),
    ]


class Server:
    """The handlers of the language server: after any messages, it answers the next valid one."""

    form: Form = "json"
    PATIENCE = 20.0

    def __init__(self) -> None:
        from olympus_lint.server import serve

        self.serve = serve
        self.seeds = [json.dumps(session()).encode(), json.dumps(session()[:5]).encode()]
        self.sent = io.BytesIO()
        self.failed: list[logging.LogRecord] = []
        handler = logging.Handler()
        handler.emit = self.failed.append  # type: ignore[method-assign]
        logging.getLogger("pygls").addHandler(handler)
        logging.getLogger("pygls").propagate = False

    def read(self, data: bytes) -> None:
        try:
            messages = json.loads(data)
        except (ValueError, RecursionError):
            messages = [data]
        asyncio.run(self.talk(messages if isinstance(messages, list) else [messages]))

    async def talk(self, messages: Sequence[object]) -> None:
        """Send the messages to a new server, and then a valid question."""
        services: list[Any] = []
        made = self.serve.Service
        with mock.patch.object(self.serve, "Service", lambda server: services.append(made(server)) or services[0]):
            server = self.serve.make_server()
        try:
            await self.say(server, messages)
        finally:
            services[0]._thread.shutdown(cancel_futures=True)

    async def say(self, server: Any, messages: Sequence[object]) -> None:
        """Send the messages to a server."""
        server.protocol.set_writer(Sink())
        self.failed.clear()
        start = message("initialize", 1, capabilities={}, processId=None, rootUri=None)
        asked = session()
        for each in (start, message("initialized"), *messages, asked[0], asked[3] | {"id": "last"}):
            self.receive(server, each)
            await asyncio.sleep(0)
        await self.settled(server)
        self.judge(server)

    def receive(self, server: Any, each: object) -> None:
        """Hand over a message as the reader of the server does, which tells errors of the protocol to the log."""
        try:
            body = each if isinstance(each, bytes) else json.dumps(each).encode()
            server.protocol.handle_message(json.loads(body, object_hook=server.protocol.structure_message))
        except Exception:
            logging.getLogger("pygls").exception("not handled")

    async def settled(self, server: Any) -> None:
        """Wait until nothing runs."""
        until = time.monotonic() + self.PATIENCE
        while others := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(others, timeout=0.5)
            if time.monotonic() > until:
                raise Broken("no end of the work")

    def judge(self, server: Any) -> None:
        """Refuse an error inside our own handlers, and silence."""
        for record in self.failed:
            trace = record.exc_info[2] if record.exc_info else None
            while trace is not None:
                if (
                    "olympus" in trace.tb_frame.f_code.co_filename
                    and "/tests/" not in trace.tb_frame.f_code.co_filename
                ):
                    raise Broken(f"a handler failed: {record.exc_info[1]!r}") from record.exc_info[1]  # type: ignore[index]
                trace = trace.tb_next
        if b'"last"' not in server.protocol.writer.sent:
            raise Broken("no answer to a valid question")


class Sink:
    """What the server writes."""

    def __init__(self) -> None:
        self.sent = b""

    def write(self, data: bytes) -> None:
        self.sent += data

    def close(self) -> None:
        """Nothing is open."""


TARGETS: dict[str, Callable[[Path], Target]] = {
    "settings": lambda _: SettingsFile(),
    "pyproject": lambda _: SharedSettings(),
    "inline": lambda _: Inline(),
    "pack": lambda _: SignaturePack(),
    "comments": lambda _: Comments(),
    "notebook": lambda _: Pieces("b.ipynb", "ipynb", "json", [json.dumps(NOTEBOOK, indent=1).encode()]),
    "markdown": lambda _: Pieces("b.md", "markdown", "text", [PAGE.encode()]),
    "docstrings": lambda _: Pieces("b.py", "python", "text", [DOCSTRINGS.encode()]),
    "events": Events,
    "baseline": Baseline,
    "report": Report,
    "cache entries": CacheEntries,
    "cache file": CacheFile,
    "command": Command,
    "server": lambda _: Server(),
}
"""What makes each target, for a scratch folder of its own."""


@cache
def targets(scratch: Path) -> dict[str, Target]:
    """Return all targets."""
    made: dict[str, Target] = {}
    for name, make in TARGETS.items():
        folder = scratch / name.replace(" ", "-")
        folder.mkdir(parents=True)
        made[name] = make(folder)
    return made
