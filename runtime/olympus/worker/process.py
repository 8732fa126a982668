"""The process that judges findings for the linter, which has no JAX itself: JSON lines in, JSON lines out.

It is started with any interpreter that has JAX, and needs nothing but this package and JAX there. Requests come on
standard input, each with an ``id`` and an ``op``; the answers of one have its ``id``:

``{"id": 1, "op": "hello", "parent": …, "limits": {"memory": …, "cpu": …, "file": …}, "writable": […]}``
    The worker ends with the process ``parent``, which has started it. The limits, in bytes and seconds, are set before JAX is imported, and so are the folders, if not ``null``, below
    which alone files may be changed. The answer has the versions, the operations, and whether the system lets a process
    be kept to such folders (``enclosed``); or ``refused``: why this interpreter does not do, with ``missing`` if that is because it has no JAX.

``{"id": 2, "op": "witness", "file": …, "text": …, "module": …, "roots": […], "folders": […], "documented": […], "packages": […], "seconds": …, "hints": {…}, "questions": […]}``
    Or ``framework`` or ``function`` for the next tiers, which need the ``hints``, and ``importing``, the seconds for the import of the frameworks or of the file: ``framework`` needs the ``frameworks`` that the file imports, and all that are ``known``. The first ``begin`` is the import's, and has what it is doing and the time for it, and ``failed`` says why it has failed. It is answered in a fork of this process, and ``ended`` says how that has ended. A process that cannot be forked, because JAX has started its threads, answers only one such request, and none after another one: it says ``spent``. ``documented`` has what is known of libraries without their sources, ``packages`` the import names of these libraries. Answered function by function: ``begin`` has the numbers of the questions that are taken up next, ``verdicts`` pairs
    of such a number and a verdict. The last line has ``done``, and the peak memory as ``peak_kib``.

``{"id": 3, "op": "fix", …, "after": …, "lines": […], "safe": …, "question": …}``
    Like ``witness``, with the text after a fix, the lines before it that it changes, and the finding, or ``null``. The
    answer has an ``objection``: why the fix should not be applied, or ``null``.

What user code prints goes to standard error, and what it raises is a verdict. What ends the process ends a question:
the reader of the answers knows from ``begin`` which.
"""  # noqa: E501

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias, TypeVar

from olympus._version import OLDEST_JAX, too_old
from olympus.trials.limits import limited
from olympus.verdicts.documented import Documented
from olympus.verdicts.question import Question, Tier, Verdict, too_long
from olympus.verdicts.reasons import Reason
from olympus.worker.apart import apart, deafen, is_forkable
from olympus.worker.enclosure import adopt, confine, enclose

if TYPE_CHECKING:
    from olympus.witness.execution import Target

LOOK = 0.5  # seconds between looks at whether the parent lives

REUSE = "def reuse(key):\n    return jax.random.bits(key), jax.random.bits(key)\n"

dumps, leave, own_number, write = json.dumps, os._exit, os.getpid, os.write  # user code may put others in their place

Answer = TypeVar("Answer")
Request: TypeAlias = Mapping[str, Any]
Operation: TypeAlias = Callable[[Request, Sequence[Question]], list[Verdict]]


class OutOfTime(BaseException):
    """The time for one function is over, the message says which; no ``except Exception`` of a user's catches it."""


def main(operations: Mapping[Tier, Operation] | None = None) -> None:
    """Answer requests until there are no more.

    Args:
        operations: what can be asked besides ``hello``, by the tier of its verdicts; :data:`OPERATIONS` by default.
    """
    source, sink = os.fdopen(os.dup(0), "rb"), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)  # user code that reads or prints must not meet the requests and answers
    os.dup2(2, 1)
    deafen()
    serve(source, sink, OPERATIONS if operations is None else operations)


def serve(source: BinaryIO, sink: int, operations: Mapping[Tier, Operation]) -> None:
    """Answer the requests of a stream."""
    is_fresh = True  # whether no code of a user's was executed yet
    for line in source:
        request = json.loads(line)
        send = partial(send_to, sink, os.getpid(), request["id"])
        if request["op"] == "hello":
            send(hello(request, operations))
            continue
        if request["op"] == "fix":
            send({"objection": objection_to(request)})
        elif request["op"] in IMPORTS and is_forkable():
            import olympus.trials.judging  # noqa: F401  # once for all forks

            end = apart(partial(answer_apart, request, operations[request["op"]], source, sink, os.getpid()))
            send({"ended": end.cause, "peak_kib": end.peak_kib})
        elif request["op"] in IMPORTS and not is_fresh:
            send({"spent": True})
        else:
            for answer in answers(request, operations[request["op"]]):
                send(answer)
        is_fresh = False


def send_to(sink: int, own: int, number: int, answer: Mapping[str, Any]) -> None:
    """Send an answer to a request of a number, if this is still the process that is to answer it."""
    if own_number() != own:  # user code has forked, and this is the child
        leave(0)
    rest = memoryview(dumps({"id": number, **answer}).encode() + b"\n")
    while rest:
        rest = rest[write(sink, rest) :]


def answer_apart(request: Request, operation: Operation, source: BinaryIO, sink: int, parent: int) -> None:
    """Answer a request in a fork."""
    os.close(source.fileno())  # user code that reads must not meet the other requests
    end_with(parent)
    confine()
    send = partial(send_to, sink, os.getpid(), request["id"])
    for answer in answers(request, operation):
        if "done" not in answer:  # who forked this process says that
            send(answer)


# What there is.


def hello(request: Request, operations: Mapping[Tier, object]) -> dict[str, Any]:
    """Set the limits, import JAX and see whether it can be traced."""
    if "parent" in request:
        end_with(request["parent"])
    limit(request["limits"])
    adopt()
    confine()
    enclosed = request["writable"] is not None and enclose(request["writable"])
    try:
        import jax
    except BaseException as error:
        missing = isinstance(error, ModuleNotFoundError) and error.name == "jax"
        return {
            "refused": "it has no JAX" if missing else f"its JAX cannot be imported ({named(error)})",
            "missing": missing,
        }
    version = str(getattr(jax, "__version__", "of unknown version"))
    refused = unfit(version) or without_device(version)
    if refused is not None:
        return {"refused": refused, "missing": False}
    python = ".".join(map(str, sys.version_info[:3]))
    known = list(operations)
    return {"jax": version, "python": python, "pid": os.getpid(), "operations": known, "enclosed": enclosed}


def unfit(version: str) -> str | None:
    """Return why a release of JAX cannot be traced; the newest ones are known by trying."""
    if too_old(version):
        return f"its JAX is {version}, and {'.'.join(map(str, OLDEST_JAX))} is the oldest that can be traced"
    try:
        import jax

        from olympus.lineage import follow
        from olympus.tracing.jaxprs import trace, typed_key

        names: dict[str, Any] = {"jax": jax}
        exec(compile(REUSE, str(Path.cwd() / "reuse.py"), "exec"), names)  # as code of a user's file
        lineage = follow(trace(names["reuse"], typed_key()))
        first, second = (event for event in lineage.events if event.consumes)
        if not first.chain or first.keys != second.keys:
            return f"its JAX {version} is not understood: in a trace, no key is seen to be used twice"
    except BaseException as error:
        return f"its JAX {version} cannot be traced ({named(error)})"
    return None


def without_device(version: str) -> str | None:
    """Return why the device that was asked for is not there; the CPU is, and is not started for that."""
    platform = os.environ.get("JAX_PLATFORMS", "cpu")
    if platform == "cpu":
        return None
    try:
        import jax

        jax.devices()
    except BaseException as error:
        return f"its JAX {version} has no device of the platform {platform!r} ({named(error)})"
    return None


def end_with(parent: int) -> None:
    """End this process, and all that is in its group, soon after its parent, however that ends.

    Requests are not read while one is being answered, so that their end would come too late.
    """
    if sys.platform == "win32":  # there, a process keeps the number of its parent
        return

    look, sleep = os.getppid, time.sleep  # user code may put others in their place

    def watch() -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())  # they are for user code
        while look() == parent:
            sleep(LOOK)
        if os.getpgrp() == os.getpid():
            os.killpg(0, signal.SIGKILL)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def limit(limits: Mapping[str, int | None]) -> None:
    """Set limits, for this process and its children, where the system has them."""
    try:
        import resource
    except ImportError:  # Windows
        return
    names = {"memory": resource.RLIMIT_AS, "cpu": resource.RLIMIT_CPU, "file": resource.RLIMIT_FSIZE}
    wanted = {names[name]: value for name, value in limits.items() if value is not None}
    for kind, value in {**wanted, resource.RLIMIT_CORE: 0}.items():
        hard = resource.getrlimit(kind)[1]
        lowest = value if hard == resource.RLIM_INFINITY else min(value, hard)
        with contextlib.suppress(OSError, ValueError):  # macOS has no limit of address space
            resource.setrlimit(kind, (lowest, lowest))


def peak_kib() -> int | None:
    """Return the most memory that this process has taken, in KiB."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // 1024 if sys.platform == "darwin" else peak


# Questions.


def answers(request: Request, operation: Operation) -> Iterator[dict[str, Any]]:
    """Answer the questions of one file, function by function."""
    tier: Tier = request["op"]
    questions = [Question.from_json(question) for question in request["questions"]]
    if tier in IMPORTS and "importing" in request:
        numbers, seconds = list(range(len(questions))), request["importing"]
        what = " and ".join(request["frameworks"]) if tier == "framework" else request["module"]
        yield {"begin": numbers, "seconds": seconds, "doing": f"importing {what}"}
        reason = IMPORTS[tier](request)
        if reason is not None:
            given = [[number, Verdict("not reached", tier, reason).to_json()] for number in numbers]
            yield {"verdicts": given, "failed": reason}
            yield {"done": True, "peak_kib": peak_kib()}
            return
    for group in groups(request["text"], questions):
        yield {"begin": group}
        asked = [questions[number] for number in group]
        try:
            verdicts = in_time(partial(operation, request, asked), request["seconds"])
            assert len(verdicts) == len(asked)
        except OutOfTime as error:
            verdicts = [Verdict("not reached", tier, str(error))] * len(asked)
        except BaseException as error:  # user code may raise anything, SystemExit among it
            verdicts = [Verdict("not reached", tier, Reason.ENDED.of(named(error)))] * len(asked)
        pairs = [[number, verdict.to_json()] for number, verdict in zip(group, verdicts, strict=True)]
        yield {"verdicts": pairs}
    yield {"done": True, "peak_kib": peak_kib()}


def groups(text: str, questions: Sequence[Question]) -> list[list[int]]:
    """Return the numbers of the questions about each function; all in one, if the file is no Python."""
    import ast

    from olympus.witness.answer import by_function

    try:
        return list(by_function(ast.parse(text), questions).values())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [list(range(len(questions)))]


def in_time(call: Callable[[], Answer], seconds: float) -> Answer:
    """Call a function with a time limit; on Windows, who reads the answers ends this process.

    Raises:
        OutOfTime: it took longer. It is raised again each second while the code goes on.
    """
    with limited(seconds, again=1.0, error=OutOfTime(f"it {too_long(seconds)}")):
        return call()


def named(error: BaseException) -> str:
    """Return an exception in one line that is not too long."""
    try:
        text = " ".join(str(error).split())
    except BaseException:  # of the user's own class
        text = ""
    text = f"{text[:200]}…" if len(text) > 200 else text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def objection_to(request: Request) -> str | None:
    """Return why a fix should not be applied."""
    from olympus.worker.fixes import objection

    before = target(request)
    asked = None if request["question"] is None else Question.from_json(request["question"])
    call = partial(
        objection,
        before,
        replace(before, text=request["after"]),
        request["lines"],
        safe=request["safe"],
        question=asked,
    )
    try:
        return in_time(call, request["seconds"])
    except OutOfTime as error:
        return f"tracing it fails: {error}"
    except BaseException as error:
        return f"tracing it ended with {named(error)}"


def target(request: Request) -> Target:
    """Return what is executed with stand-ins."""
    from olympus.witness.execution import Target

    folders = tuple(map(Path, request["folders"]))
    roots = tuple(request["roots"])
    documented = tuple(map(Documented.from_json, request.get("documented", ())))
    file, text, module = request["file"], request["text"], request["module"]
    packages = frozenset(request.get("packages", ()))
    return Target(file, text, module, "", roots=roots, folders=folders, documented=documented, packages=packages)


def witness(request: Request, questions: Sequence[Question]) -> list[Verdict]:
    """Judge by executing the functions with stand-ins."""
    from olympus.witness.answer import answer

    return answer(target(request), questions)


def function(request: Request, questions: Sequence[Question]) -> list[Verdict]:
    """Judge by importing the file, which executes it, and tracing its functions."""
    from olympus.trials.judging import answer

    folders = tuple(map(Path, request["folders"]))
    return answer(request["file"], request["module"], folders, questions, request["hints"])


def framework(request: Request, questions: Sequence[Question]) -> list[Verdict]:
    """Judge by tracing the functions among the definitions of the file, with real frameworks."""
    from olympus.trials.frameworks import answer

    return answer(target(request), questions, request["hints"])


def defined(request: Request) -> str | None:
    """Import the frameworks of the file of a request; return why that was not possible."""
    from olympus.trials.frameworks import define

    return define(target(request), request["frameworks"], request["known"], request["importing"])


def imported(request: Request) -> str | None:
    """Import the file of a request; return why that was not possible."""
    from olympus.trials.judging import loaded

    folders = tuple(map(Path, request["folders"]))
    found = loaded(request["file"], request["module"], folders, request["importing"])
    return found if isinstance(found, str) else None


IMPORTS: Mapping[Tier, Callable[[Request], str | None]] = {"framework": defined, "function": imported}
"""What is imported for the operations that execute code of a file as it is: its frameworks, or the file."""

OPERATIONS: Mapping[Tier, Operation] = {"witness": witness, "framework": framework, "function": function}
"""What can be asked, by the tier of the verdicts."""
