"""The language server, spoken to by a real client over its standard streams."""

from __future__ import annotations

import ast
import asyncio
import gc
import json
import statistics
import subprocess
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("pygls")
from editor import SERVER, Editor, applied
from lsprotocol import types

from olympus_lint.server.serve import make_server
from olympus_lint.server.workspace import Workspace
from olympus_rules.finding import Applicability, Edit, Position, Span

REUSE = """\
import jax


def draw(seed):
    key = jax.random.PRNGKey(seed)
    first = jax.random.normal(key)
    return first + jax.random.uniform(key)
"""
RIGHT = REUSE.replace(
    "key = jax.random.PRNGKey(seed)", "key, other = jax.random.split(jax.random.PRNGKey(seed))"
).replace("uniform(key)", "uniform(other)")


def edited(folder: Path, session: Callable[[Editor], Awaitable[None]], command: Sequence[str] | None = None) -> None:
    async def run() -> None:
        async with Editor(folder, command) as editor:
            await session(editor)

    asyncio.run(run())


UNPARSED = ["def (:\n", "import jax\nx = '\0'\n", "x = " + "(" * 5000]


def test_text_that_cannot_be_parsed_tells_nothing(tmp_path: Path) -> None:
    """While somebody types, a question meets broken text: it has no answer, and is no error."""
    (tmp_path / "model.py").write_text(REUSE)

    async def session(editor: Editor) -> None:
        await editor.open("model.py")
        assert "Key" in await editor.hover("model.py", 5, 32)
        for text in UNPARSED:
            await editor.change("model.py", text)
            assert await editor.hover("model.py", 0, 1) == ""
            assert await editor.actions("model.py", 0, only="source.fixAll") == []
            await editor.change("model.py", REUSE)
        (tmp_path / "pyproject.toml").write_text("[tool.olympus-lint]\nselect = 3\n")
        editor.type("model.py", REUSE + "\n")
        assert "Key" in await editor.hover("model.py", 5, 32)  # until the editor says that the file has changed

    edited(tmp_path, session)


def test_a_session(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(REUSE)

    async def session(editor: Editor) -> None:
        (found,) = await editor.open("model.py")
        assert (found.code, found.source, found.range.start.line) == ("OLY104", "olympus-lint", 6)
        (other,) = found.related_information or []
        assert other.location.uri == editor.uri("model.py") and other.location.range.start.line == 5

        actions = await editor.actions("model.py", 6, found.range.start.character)
        titles = [each.title for each in actions]
        assert "unsafe" in titles[0] and "Suppress OLY104" in titles[1]
        fixed = applied(REUSE, actions[0])
        assert await editor.change("model.py", fixed) == [] and "split" in fixed
        hidden = applied(REUSE, actions[1])
        assert await editor.change("model.py", hidden) == [] and "noqa: OLY104" in hidden

        assert await editor.change("model.py", RIGHT) == []
        (broken,) = await editor.change("model.py", RIGHT + "def (:\n")
        assert broken.code == "OLY902"
        assert len(await editor.change("model.py", REUSE)) == 1

    edited(tmp_path, session, SERVER)


def test_columns_count_in_the_units_of_the_client(tmp_path: Path) -> None:
    text = "import jax\n\nkey = jax.random.key(0)\nprint('🎲', jax.random.normal(key), '🎲', jax.random.normal(key))\n"

    async def session(editor: Editor) -> None:
        (found,) = await editor.open("model.py", text)
        line = text.splitlines()[3].encode("utf-16-le")
        start, end = found.range.start.character, found.range.end.character
        assert line[2 * start : 2 * end].decode("utf-16-le").startswith(("key", "jax.random.normal(key)"))

    edited(tmp_path, session)


def test_a_change_in_one_file_shows_in_another(tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text("import jax\n\n\ndef use(key):\n    return key\n")
    text = "import jax\nfrom tools import use\n\nkey = jax.random.key(0)\nuse(key)\nprint(jax.random.normal(key))\n"

    async def session(editor: Editor) -> None:
        assert await editor.open("model.py", text) == []
        await editor.open("tools.py")
        editor.type("tools.py", "import jax\n\n\ndef use(key):\n    return jax.random.bits(key)\n")
        await editor.until(editor.uri("model.py"), ["OLY104"])

    edited(tmp_path, session)


def test_a_file_that_gets_another_name(tmp_path: Path) -> None:
    """As editors do it: the document is closed, the file is moved, and it is opened under its new name."""
    tools = "import jax\n\n\ndef use(key):\n    return key\n"
    (tmp_path / "tools.py").write_text(tools)
    text = "import jax\nfrom helpers import use\n\nkey = jax.random.key(0)\nuse(key)\nprint(jax.random.normal(key))\n"

    async def session(editor: Editor) -> None:
        await editor.open("tools.py", tools + REUSE)
        assert [each.code for each in await editor.open("model.py", text)] == ["OLY104"]  # of an unknown function
        old, new = editor.uri("tools.py"), editor.uri("helpers.py")
        await editor.after(old, lambda: editor.close("tools.py"))
        assert editor.found[old] == []
        (tmp_path / "tools.py").rename(tmp_path / "helpers.py")
        kinds = types.FileChangeType
        changed = [types.FileEvent(old, kinds.Deleted), types.FileEvent(new, kinds.Created)]
        editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(changed))
        assert [each.code for each in await editor.open("helpers.py", tools + REUSE)] == ["OLY104"]
        await editor.until(editor.uri("model.py"), [])

    edited(tmp_path, session)


def test_hover_tells_the_lineage_and_the_signature(tmp_path: Path) -> None:
    async def session(editor: Editor) -> None:
        await editor.open("model.py", REUSE + "\n\ndef use(key):\n    return draw(0), jax.random.normal(key)\n")
        told = await editor.hover("model.py", 6, REUSE.splitlines()[6].index("(key") + 1)
        assert "seed(param(draw, seed))" in told and "line 6" in told and "line 7" in told
        assert "consumes `key`" in await editor.hover("model.py", 9, 5)
        assert await editor.hover("model.py", 1, 0) == ""

    edited(tmp_path, session)


LINEAGE = """\
import jax


def step(key):
    first, second = jax.random.split(key)
    first, noise = jax.random.split(first)
    third = jax.random.fold_in(second, 3)
    return jax.random.normal(noise), third, first
"""


@pytest.mark.parametrize(
    ("row", "word", "told"),
    [
        (4, "key", ["line 4: parameter key of step", "line 5: consumed by jax.random.split"]),
        (5, "noise", ["first, made by split", "line 6: noise, made by split", "line 8: consumed by jax.random.normal"]),
        (7, "first", ["split(split(param(step, key))[0])[0]", "line 6: first, made by split", "no use of it"]),
        (4, "first", ["split(param(step, key))[0]`", "line 6: consumed by jax.random.split"]),
        (7, "third", ["line 5: second, made by split", "line 7: third, made by fold_in 3", "no use of it"]),
    ],
)
def test_hover_tells_the_way_of_a_key_that_is_consumed_or_not(
    row: int, word: str, told: list[str], tmp_path: Path
) -> None:
    async def session(editor: Editor) -> None:
        await editor.open("model.py", LINEAGE)
        shown = await editor.hover("model.py", row, LINEAGE.splitlines()[row].index(word))
        places = [shown.find(each) for each in told]
        assert -1 not in places and places == sorted(places), shown

    edited(tmp_path, session)


def test_hover_tells_uses_by_a_closure_and_a_method(tmp_path: Path) -> None:
    text = (
        "import jax\n\n\nclass A:\n    def __init__(self, key):\n        self.key = key\n\n    def draw(self):\n"
        "        return jax.random.normal(self.key)\n\n\ndef f(key, other):\n    def inner():\n"
        "        return jax.random.normal(other)\n\n    a = A(key)\n    return a.draw() + inner()\n"
    )

    async def session(editor: Editor) -> None:
        await editor.open("model.py", text)
        assert "line 17: consumed by A.draw" in await editor.hover("model.py", 15, 10)
        assert "line 17: consumed by inner" in await editor.hover("model.py", 13, 33)

    edited(tmp_path, session)


def test_safe_fixes_of_a_whole_file(tmp_path: Path) -> None:
    text = "import jax\n\nkey = jax.random.PRNGKey(0)\nprint(key.shape == (2,), jax.random.normal(key))\n"

    async def session(editor: Editor) -> None:
        await editor.open("model.py", text)
        (action,) = await editor.actions("model.py", 3, 6, "source.fixAll")
        assert "key_data(key).shape == (2,)" in applied(text, action)

    edited(tmp_path, session)


def test_settings_are_read_again(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(REUSE)
    settings = tmp_path / "pyproject.toml"
    settings.write_text("[tool.olympus-lint]\n")

    async def session(editor: Editor) -> None:
        assert len(await editor.open("model.py")) == 1
        settings.write_text("[tool.olympus-lint]\nignore = ['OLY104']\n")
        changed = types.DidChangeWatchedFilesParams([types.FileEvent(settings.as_uri(), types.FileChangeType.Changed)])
        await editor.after(editor.uri("model.py"), lambda: editor.client.workspace_did_change_watched_files(changed))
        assert editor.found[editor.uri("model.py")] == []
        settings.write_text("[tool.olympus-lint]\nignore = 7\n")
        await editor.after(editor.uri("model.py"), lambda: editor.client.workspace_did_change_watched_files(changed))
        await editor.told("ignore")

    edited(tmp_path, session)


def test_findings_in_the_cells_of_a_notebook(tmp_path: Path) -> None:
    book, cells = (
        (tmp_path / "book.ipynb").as_uri(),
        [f"vscode-notebook-cell:/book.ipynb#{number}" for number in range(3)],
    )
    texts = [
        "import jax\nkey = jax.random.key(0)\n",
        "# Title",
        "%time\na = jax.random.normal(key)\nb = jax.random.bits(key)\n",
    ]
    kinds = [types.NotebookCellKind.Code, types.NotebookCellKind.Markup, types.NotebookCellKind.Code]

    async def session(editor: Editor) -> None:
        opened = types.DidOpenNotebookDocumentParams(
            types.NotebookDocument(
                book,
                "jupyter-notebook",
                1,
                [types.NotebookCell(kind, uri) for kind, uri in zip(kinds, cells, strict=True)],
            ),
            [
                types.TextDocumentItem(uri, "python" if kind == types.NotebookCellKind.Code else "markdown", 1, text)
                for kind, uri, text in zip(kinds, cells, texts, strict=True)
            ],
        )
        (found,) = await editor.after(cells[2], lambda: editor.client.notebook_document_did_open(opened))
        assert (found.code, found.range.start.line) == ("OLY104", 2)
        assert editor.found[cells[0]] == []

    edited(tmp_path, session)


def long_program(lines: int) -> str:
    """Return a program of so many lines: functions that use keys as programs do, one of them wrongly."""
    part = """\
def step{number}(params, key, batch):
    key, noise, drop = jax.random.split(key, 3)
    hidden = jnp.tanh(batch @ params["w{number}"])
    mask = jax.random.bernoulli(drop, 0.9, hidden.shape)
    hidden = jnp.where(mask, hidden / 0.9, 0.0)
    for index in range(3):
        key, inner = jax.random.split(key)
        hidden = hidden + jax.random.normal(inner, hidden.shape) * index
    return hidden + jax.random.normal(noise, hidden.shape), key


"""
    head = "import jax\nimport jax.numpy as jnp\n\n\n"
    parts = [part.format(number=number) for number in range((lines - 12) // 11)]
    return head + "".join(parts) + REUSE.partition("\n\n\n")[2]


@pytest.mark.parametrize("lines", [1000, pytest.param(5000, marks=pytest.mark.search)])
def test_findings_follow_keystrokes(lines: int, tmp_path: Path) -> None:
    text = long_program(lines)

    async def session(editor: Editor) -> None:
        assert [each.code for each in await editor.open("model.py", text)] == ["OLY104"]
        taken, parsing = [], []
        for number in range(5):
            started = time.perf_counter()
            ast.parse(text)
            parsed = time.perf_counter()
            assert len(await editor.change("model.py", f"{text}\nx = {number}\n")) == 1
            taken.append(time.perf_counter() - parsed)
            parsing.append(parsed - started)
        median = statistics.median(taken)
        ratio = median / statistics.median(parsing)
        print(f"{lines} lines: {1000 * median:.0f} ms after a keystroke, {ratio:.1f} times ast.parse")
        assert ratio < 40  # 0.6 s for 1,000 lines, four times the aim, on a machine of any speed or load

    edited(tmp_path, session, SERVER)


def test_only_the_last_of_many_keystrokes_is_checked(tmp_path: Path) -> None:
    text = long_program(2000)

    async def session(editor: Editor) -> None:
        await editor.open("model.py", text)
        for number in range(100):
            editor.type("model.py", f"{text}\nx = {number}\n")
        uri = editor.uri("model.py")
        editor.type("model.py", RIGHT)
        await editor.until(uri, [])
        assert editor.published[uri] < 10  # a text between two keystrokes may be the newest for long enough

    edited(tmp_path, session, SERVER)


def test_edits_leave_nothing_behind(tmp_path: Path) -> None:
    """Hundreds of keystrokes keep no object each; pygls keeps four of each notification."""
    uri = (tmp_path / "model.py").as_uri()

    async def after(edits: int) -> int:
        async def settled() -> None:
            while others := asyncio.all_tasks() - {asyncio.current_task()}:
                await asyncio.wait(others)

        def tell(method: str, **params: object) -> None:
            text = json.dumps({"jsonrpc": "2.0", "method": method, "params": params})
            protocol.handle_message(json.loads(text, object_hook=protocol.structure_message))

        protocol = make_server().protocol
        protocol.set_writer(Silent())
        text = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}})
        protocol.handle_message(json.loads(text, object_hook=protocol.structure_message))
        known = {"uri": uri, "languageId": "python", "version": 1, "text": REUSE}
        tell("textDocument/didOpen", textDocument=known)
        for number in range(edits):
            change = [{"text": f"{REUSE}# {number}\n"}]
            tell("textDocument/didChange", textDocument={"uri": uri, "version": 2 + number}, contentChanges=change)
            await settled()
        gc.collect()
        return len(gc.get_objects())

    _, few, many = (asyncio.run(after(edits)) for edits in (50, 50, 450))  # the first one loads modules
    assert many - few < 5 * 400


class Silent:
    """A client that reads nothing."""

    def write(self, data: bytes) -> None: ...

    def close(self) -> None: ...


def test_the_safety_of_a_rename_is_asked_with_its_action(tmp_path: Path) -> None:
    (tmp_path / "olympus-lint.toml").write_text("extend-select = ['OLY201']\n")
    local = "import jax\n\n\ndef f(seed):\n    key = jax.random.PRNGKey(seed)\n    return jax.random.normal(key)\n"
    texts = {str(tmp_path / "model.py"): local.encode()}
    workspace = Workspace()
    for asks, expected in ((False, Applicability.UNSETTLED), (True, Applicability.SAFE)):
        (found,) = workspace.check(str(tmp_path / "model.py"), texts, asks_safety=asks).findings
        assert found.fix is not None and found.fix.applicability is expected

    async def session(editor: Editor) -> None:
        (found,) = await editor.open("model.py", local)
        assert await editor.actions("model.py", 0) == []  # a fix of the whole file is made where one asks for it
        for only in (None, "quickfix"):
            action, *_ = await editor.actions("model.py", 4, found.range.start.character, only)
            assert "unsafe" not in action.title and action.is_preferred
        (whole,) = await editor.actions("model.py", 0, 0, "source.fixAll")
        assert "PRNGKey" not in applied(local, whole)

    edited(tmp_path, session)


def test_a_fix_that_ends_nothing_is_not_offered(tmp_path: Path) -> None:
    name, workspace = str(tmp_path / "model.py"), Workspace()
    texts = {name: REUSE.encode()}
    found = workspace.check(name, texts).findings
    (reuse,) = [each for each in found if each.code == "OLY104"]
    assert reuse.fix is not None
    assert workspace.held(name, texts, reuse, found).fix == reuse.fix
    place = Span(Position(1, 1), Position(1, 1))
    useless = replace(reuse, fix=replace(reuse.fix, edits=(Edit(place, "import math\n"),)))
    workspace = Workspace()
    assert workspace.held(name, texts, useless, found).fix is None


@pytest.mark.parametrize("name", ["untitled:Untitled-1", "untitled:new.py"])
def test_a_document_that_was_never_saved(tmp_path: Path, name: str) -> None:
    """It is checked as a file of the open folder, whose settings and modules it sees."""
    (tmp_path / "tools.py").write_text("import jax\n\n\ndef use(key):\n    return jax.random.bits(key)\n")
    (tmp_path / "olympus-lint.toml").write_text("extend-select = ['OLY201']\n")
    text = "import jax\nfrom tools import use\n\n\ndef f(seed):\n    key = jax.random.PRNGKey(seed)\n    use(key)\n"
    text += "    return jax.random.normal(key)\n"

    async def session(editor: Editor) -> None:
        found = await editor.open(name, text)
        assert sorted(str(each.code) for each in found) == ["OLY104", "OLY201"]
        (reuse,) = [each for each in found if each.code == "OLY104"]
        assert [each.location.uri for each in reuse.related_information or []] == [name]
        assert "Key" in await editor.hover(name, 7, 30)
        actions = await editor.actions(name, 7, reuse.range.start.character)
        assert len(await editor.change(name, applied(text, actions[0]))) == 1
        await editor.change(name, RIGHT)
        (whole,) = await editor.actions(name, 0, 0, "source.fixAll")
        assert whole.edit is not None and [*(whole.edit.changes or {})] == [name]
        assert await editor.after(name, lambda: editor.close(name)) == []

    edited(tmp_path, session, SERVER)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["olympus-lint.toml", "tools.py"]


def test_a_notebook_that_was_never_saved(tmp_path: Path) -> None:
    cell = "untitled-cell:Untitled-1#a"
    book = types.NotebookDocument("untitled:Untitled-1", "jupyter-notebook", 1, [])
    book.cells = [types.NotebookCell(types.NotebookCellKind.Code, cell)]
    opened = types.DidOpenNotebookDocumentParams(book, [types.TextDocumentItem(cell, "python", 1, REUSE)])

    async def session(editor: Editor) -> None:
        found = await editor.after(cell, lambda: editor.client.notebook_document_did_open(opened))
        assert [each.code for each in found] == ["OLY104"]

    edited(tmp_path, session)


def messages(*parts: dict[str, object] | bytes) -> subprocess.CompletedProcess[str]:
    """Send messages to a server, then the end; return what it has written."""
    end = [{"id": 9, "method": "shutdown"}, {"method": "exit"}]
    sent = b""
    for part in [*parts, *end]:
        body = part if isinstance(part, bytes) else json.dumps({"jsonrpc": "2.0", **part}).encode()
        sent += b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    done = subprocess.run(SERVER, input=sent, capture_output=True, check=False, timeout=60)
    return subprocess.CompletedProcess(SERVER, done.returncode, done.stdout.decode(), done.stderr.decode())


START: dict[str, object] = {"id": 1, "method": "initialize", "params": {"capabilities": {}}}
NO_POSITION = {"textDocument": {"uri": "file:///a.py"}}


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"id": 2, "method": "textDocument/hover", "params": NO_POSITION}, "hover.params.position"),
        ({"method": "textDocument/didOpen", "params": {}}, "didOpen.params.text_document"),
        (
            {"id": 2, "method": "workspace/executeCommand", "params": {"command": "x"}},
            "Command name 'x' is not defined",
        ),
        (b"hello", "Expecting value: line 1 column 1"),
    ],
)
def test_a_wrong_message_ends_in_a_sentence_and_an_answer(message: dict[str, object] | bytes, said: str) -> None:
    done = messages(START, message)
    assert done.returncode == 0 and "Traceback" not in done.stderr + done.stdout
    assert done.stderr.startswith("olympus-lint --server: ") and said in done.stderr and done.stderr.count("\n") == 1
    if isinstance(message, dict) and "id" in message:
        assert '"code": -32602' in done.stdout and '"id": 2' in done.stdout


def test_a_wrong_start_is_answered(tmp_path: Path) -> None:
    done = messages({"id": 1, "method": "initialize", "params": {}})
    assert '"id": 1' in done.stdout and "required field missing @ initialize.params.capabilities" in done.stdout


@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_a_server_without_streams_says_so(closed: str) -> None:
    done = subprocess.run(
        f"'{SERVER[0]}' -m olympus_lint --server {closed}", shell=True, capture_output=True, check=False
    )
    said = b"error: --server: standard input or output is closed; an editor speaks to the server over both.\n"
    assert (done.returncode, done.stderr) == (2, said)
