"""A plugin for pytest that writes down the outcome of each test, with the lines of its traceback.

The file is copied to a folder of its own, and the user's Python imports it from there. So it imports nothing of
olympus-lint, and needs only Python 3.8; olympus-lint does not import it, since pytest may not be installed beside it.
The variable of the environment that has the name of this module in capitals is the path of the task: a JSON file that
says what to record, and where. Each record is written at once, since the process may crash or be killed.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

import pytest

LONGEST = 300  # characters of a message
MOST_FRAMES = 200


class Recorder:
    """The records of this process.

    Attributes:
        task: ``records``, a folder; ``copy`` and ``tree``, the copied tree and the user's; ``only``, the files whose
            tests run, or nothing; ``watch``, rows by file.
        test: the test that runs; empty between tests.
    """

    def __init__(self, task: dict[str, Any]) -> None:
        """Take the task."""
        self.task = task
        self.test = ""
        self.root = ""
        self._inside: dict[str, str] = {}
        self._seen: set[tuple[str, str, int]] = set()
        self._rows = {file: frozenset(rows) for file, rows in task["watch"].items()}

    def write(self, event: str, **data: Any) -> None:
        """Append a record to the file of this process, which may have been forked."""
        file = Path(self.task["records"], f"{os.getpid()}.jsonl")
        with file.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps({"event": event, **data}) + "\n")

    def inside(self, filename: str) -> str:
        """Return the path of a file relative to the copy; empty for a file outside of it."""
        known = self._inside.get(filename)
        if known is None:
            known = self._inside[filename] = below(filename, self.task["copy"])
        return known

    def name(self, node: str) -> str:
        """Return the identity of a test: its node, with the path relative to the copy."""
        file, mark, rest = node.partition("::")
        return (self.inside(str(Path(self.root, file))) or file) + mark + rest

    def frames(self, error: BaseException) -> list[tuple[str, int]]:
        """Return the rows of a traceback in files of the copy, innermost last; those of causes come first."""
        found: list[tuple[str, int]] = []
        seen: set[int] = set()
        waiting: BaseException | None = error
        while waiting is not None and id(waiting) not in seen:
            seen.add(id(waiting))
            found = [*self._rows_of(waiting.__traceback__), *found]
            waiting = waiting.__cause__ or (None if waiting.__suppress_context__ else waiting.__context__)
        return found[-MOST_FRAMES:]

    def _rows_of(self, trace: TracebackType | None) -> Iterator[tuple[str, int]]:
        while trace is not None:
            file = self.inside(trace.tb_frame.f_code.co_filename)
            if file:
                yield file, trace.tb_lineno
            trace = trace.tb_next

    def modules(self) -> None:
        """Record which files were imported from the copy, and which from the user's tree."""
        copied, original = set(), set()
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None)
            if not isinstance(file, str):
                continue
            if self.inside(file):
                copied.add(self.inside(file))
            elif not below(file, os.path.realpath(sys.prefix)) and "site-packages" not in Path(file).parts:
                path = below(file, self.task["tree"])
                original |= {(path, name)} if path else set()
        self.write("modules", copied=sorted(copied), original=sorted(original))

    def trace(self) -> None:
        """Record the watched rows that are executed from now on."""
        if self._rows and sys.gettrace() != self._call:
            sys.settrace(self._call)
            threading.settrace(self._call)

    def _call(self, frame: FrameType, event: str, argument: Any) -> Any:
        return self._line if self.inside(frame.f_code.co_filename) in self._rows else None

    def _line(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            file = self.inside(frame.f_code.co_filename)
            place = (self.test, file, frame.f_lineno)
            if frame.f_lineno in self._rows[file] and place not in self._seen:
                self._seen.add(place)
                self.write("line", id=self.test, file=file, row=frame.f_lineno)
        return self._line


def below(filename: str, folder: str) -> str:
    """Return the path of a file relative to a folder, with slashes; empty if it lies elsewhere."""
    path = os.path.realpath(filename)
    return Path(path).relative_to(folder).as_posix() if path.startswith(folder + os.sep) else ""


def _recorder() -> Recorder | None:
    file = os.environ.get(__name__.upper())
    return Recorder(json.loads(Path(file).read_text("utf-8"))) if file else None


RECORDER = _recorder()
if RECORDER is not None:
    RECORDER.write("pytest")
    RECORDER.trace()


def message_of(error: BaseException) -> str:
    """Return the type and the first line of an error."""
    try:
        lines = str(error).strip().splitlines()
    except Exception:  # the user's own `__str__`
        lines = []
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:LONGEST]


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: Any) -> None:
    """Run all tests, also after a failure, or a file that is not collected."""
    if RECORDER is not None:
        RECORDER.root = str(getattr(config, "rootpath", None) or config.rootdir)
        config.option.maxfail = 0
        config.option.continue_on_collection_errors = True


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Leave only the tests of some files."""
    if RECORDER is None or not RECORDER.task["only"]:
        return
    wanted = set(RECORDER.task["only"])
    left_out = [item for item in items if RECORDER.name(item.nodeid).partition("::")[0] not in wanted]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        kept = {id(item) for item in left_out}
        items[:] = [item for item in items if id(item) not in kept]


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector: Any) -> Any:
    """Record a file that cannot be collected."""
    if RECORDER is not None:
        RECORDER.test = RECORDER.name(collector.nodeid)
        RECORDER.trace()
    outcome = yield
    report = outcome.get_result()
    if RECORDER is not None:
        RECORDER.test = ""
    call = getattr(report, "call", None)
    if RECORDER is not None and report.outcome == "failed":
        error = call.excinfo.value if call is not None and call.excinfo is not None else None
        known = {"frames": RECORDER.frames(error), "message": message_of(error)} if error is not None else {}
        RECORDER.write("collect", id=RECORDER.name(report.nodeid), **known)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logstart(nodeid: str) -> None:
    """Record that a test begins."""
    if RECORDER is not None:
        RECORDER.test = RECORDER.name(nodeid)
        RECORDER.trace()
        RECORDER.write("begin", id=RECORDER.test)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Any:
    """Record the outcome of a phase."""
    outcome = yield
    if RECORDER is None:
        return
    report = outcome.get_result()
    data: dict[str, Any] = {"phase": report.when, "outcome": report.outcome, "xfail": hasattr(report, "wasxfail")}
    if call.excinfo is not None and report.outcome == "failed":
        data["frames"] = RECORDER.frames(call.excinfo.value)
        data["message"] = message_of(call.excinfo.value)
    elif report.outcome == "failed":
        data["message"] = str(report.longrepr)[:LONGEST]
    RECORDER.write("phase", id=RECORDER.name(item.nodeid), **data)


@pytest.hookimpl(trylast=True)
def pytest_runtest_logfinish(nodeid: str) -> None:
    """Record that a test ends."""
    if RECORDER is not None:
        RECORDER.write("end", id=RECORDER.name(nodeid))
        RECORDER.test = ""


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Record which files were imported."""
    if RECORDER is not None:
        RECORDER.modules()
