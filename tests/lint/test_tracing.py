"""``--trace``: verdicts at findings, from a process that may be given anything and die of it."""

from __future__ import annotations

import ast
import contextlib
import json
import os
import re
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from programs import CLEAN, REUSE

from olympus.verdicts import Verdict
from olympus_lint.commandline.check import is_selected
from olympus_lint.project.settings import Settings
from olympus_lint.reporting.results import FileResult
from olympus_lint.run.engine import lint_text
from olympus_lint.tracing import Choice, Traced, judge
from olympus_lint.tracing.combining import combined
from olympus_lint.tracing.judging import is_judged, question
from olympus_lint.tracing.process import BOOTSTRAP, Refused, Worker, interpreter, network_cut
from olympus_rules.finding import Applicability, Edit, Finding, Fix, Position, Span

pytest.importorskip("jax")
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the programs below are for POSIX")

RUNS_THE_FILE = BOOTSTRAP.replace("main()\n", "")
assert RUNS_THE_FILE != BOOTSTRAP
RUNS_THE_FILE += """
from olympus.verdicts import Verdict
from olympus.worker import process
from olympus.worker.process import OPERATIONS

process.IMPORTS = {"function": lambda request: None}

def run(request, questions):
    names = {"__name__": "tried", "__file__": request["file"]}
    exec(compile(request["text"], request["file"], "exec"), names)
    return [Verdict("refuted", "function", "it came to its end", (str(names.get("said")),))] * len(questions)

main({**OPERATIONS, "function": run})
"""
"""A worker that executes the files it is asked about, as they are."""

ENDED = "it came to its end"
DENIED = "the tracing ended with (PermissionError|OSError): "

LONG = f"1000.{os.getpid()}"  # seconds, by which this test's children are known

HOSTILE = {
    "hangs": ("while True: pass", "it takes more than 1 s"),
    "sleeps": ("import time\ntime.sleep(1000)", "it takes more than 1 s"),
    "masks_the_alarm": (
        "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})\nwhile True: pass",
        "it takes more than 1 s, the limit that --trace-timeout sets",
    ),
    "ignores_the_alarm": (
        "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nwhile True: pass",
        "it takes more than 1 s, the limit that --trace-timeout sets",
    ),
    "exits": ("import sys\nsys.exit(3)", "the tracing ended with SystemExit: 3"),
    "leaves": ("import os\nos._exit(3)", "the worker died of it: exit status 3"),
    "leaves_forked": (
        "import os, time\nif os.fork() == 0: time.sleep(1000)\nos._exit(4)",
        "the worker died of it: exit status 4",
    ),
    "forks": ("import os\nos.fork()", ENDED),
    "prints": ('import os\nprint("{}", flush=True)\nos.write(1, b"[1]\\n")\nos.system("echo {}")', ENDED),
    "prints_much": ("while True: print('x' * 1_000_000)", "the tracing ended with OSError: .*File too large"),
    "reads": ("input()", "the tracing ended with EOFError"),
    "closes": ("import os\nos.closerange(0, 256)", "the worker died of it: "),
    "talks_nonsense": (
        "import os\nfor number in range(3, 20):\n    try: os.write(number, b'[1]\\n')\n    except OSError: pass\n",
        "the worker died of it: an answer that is no JSON object",
    ),
    "allocates": ("bytearray(20 << 30)", "the tracing ended with MemoryError"),
    "crashes": ("import ctypes\nctypes.string_at(0)", "the worker died of it: signal SIGSEGV"),
    "kills": ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "the worker died of it: signal SIGKILL"),
    "recurses": ("def f(): f()\nf()", "the tracing ended with RecursionError: "),
    "raises_oddly": (
        "class Odd(BaseException):\n    def __str__(self): raise self\nraise Odd",
        "the tracing ended with Odd",
    ),
    "starts_threads": ("import threading\ndef f():\n    while True: pass\nthreading.Thread(target=f).start()", ENDED),
    "starts_children": (
        "import subprocess\nsaid = subprocess.Popen(['sleep', '1000']).pid",
        ENDED,
    ),
    "starts_a_session": (
        f"import subprocess\nsubprocess.Popen(['sleep', '{LONG}1'], start_new_session=True)",
        ENDED,
    ),
    "starts_a_session_and_leaves": (
        f"import os, subprocess\nsubprocess.Popen(['sleep', '{LONG}2'], start_new_session=True)\nos._exit(5)",
        "the worker died of it: exit status 5",
    ),
    "starts_a_daemon": (
        "import os\nif os.fork() == 0:\n    os.setsid()\n"
        f"    if os.fork() == 0: os.execve('/bin/sleep', ['sleep', '{LONG}3'], dict())\n    os._exit(0)\nos.wait()",
        ENDED,
    ),
    "deletes_itself": ("import os\nos.remove(__file__)", f"{ENDED}|{DENIED}"),
    "empties_itself": ("open(__file__, 'w').close()", f"{ENDED}|{DENIED}"),
    "writes_beside_itself": ("open(__file__ + '.bak', 'w').close()", f"{ENDED}|{DENIED}"),
    "runs_what_writes": ("import os\nsaid = os.system(f'echo x >> {__file__}')", ENDED),
    "moves_itself": ("import os\nos.rename(__file__, 'mine.py')", f"{ENDED}|{DENIED}"),
    "writes_in_its_home": (
        "import os, tempfile\nopen(os.path.expanduser('~/x'), 'w').close()\n"
        "with tempfile.TemporaryFile() as file: said = file.write(b'x')\nopen('/dev/null', 'w').close()",
        ENDED,
    ),
    "is_good": ("", ENDED),
}


@dataclass(frozen=True)
class Hostile:
    """One run about all hostile files."""

    folder: Path
    files: dict[str, FileResult]
    texts: dict[str, str]
    traced: Traced
    started: list[Worker]


def checked(path: Path) -> FileResult:
    return lint_text(str(path), path.read_text(), Settings())


def traced(*files: FileResult, **options) -> Traced:
    return judge(files, {file.filename: Settings() for file in files}, Choice(**options))


def verdicts(file: FileResult) -> list[Verdict]:
    return [finding.verdict for finding in file.findings if is_judged(finding)]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory) -> Hostile:
    folder = tmp_path_factory.mktemp("hostile")
    files = {}
    for name, (text, _) in HOSTILE.items():
        path = folder / f"{name}.py"
        path.write_text(f"{REUSE}\n\n{text}\n")
        files[name] = checked(path)
    texts = {path.name: path.read_text() for path in folder.iterdir()}
    started: list[Worker] = []

    def start(python: str, device: str) -> Worker:
        started.append(Worker(python, device, bootstrap=RUNS_THE_FILE))
        return started[-1]

    came = traced(*files.values(), tiers=("function",), seconds=1.0, grace=1.0, start=start)
    return Hostile(folder, files, texts, came, started)


@pytest.mark.parametrize("name", HOSTILE)
def test_whatever_a_file_does_ends_in_a_verdict(hostile: Hostile, name: str):
    (verdict,) = verdicts(hostile.files[name])
    expected = HOSTILE[name][1]
    assert verdict.tier == "function" and re.match(expected, verdict.reason)
    assert verdict.status == ("refuted" if verdict.reason == ENDED else "not reached")


def test_no_file_of_the_user_is_changed(hostile: Hostile):
    if not all(worker.about["enclosed"] for worker in hostile.started):
        pytest.skip("this system does not let a process be kept from files")
    assert {path.name: path.read_text() for path in hostile.folder.iterdir()} == hostile.texts


def test_deaths_are_counted_by_their_causes(hostile: Hostile):
    deaths = dict(hostile.traced.deaths)
    assert deaths["signal SIGSEGV"] == deaths["signal SIGKILL"] == deaths["exit status 4"] == 1
    of_workers = deaths["no answer in 2 s"] + deaths["an answer that is no JSON object"]
    assert len(hostile.started) == of_workers + 1  # the others died in a process for their file alone
    assert hostile.traced.peak_kib > 50_000  # JAX alone takes more


def is_running(pid: int) -> bool:
    """Say whether a process lives; a dead one may still wait for its parent to look."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def commands() -> Iterator[tuple[int, bytes]]:
    """Return all processes with their command lines."""
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if folder.name.isdecimal():
                yield int(folder.name), (folder / "cmdline").read_bytes()


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_nothing_is_left_running(hostile: Hostile):
    (verdict,) = verdicts(hostile.files["starts_children"])
    child = int(verdict.evidence[0])
    assert child > 0 and not is_running(child)
    assert not [pid for pid, command in commands() if f"sleep\0{LONG}".encode() in command and is_running(pid)]
    for worker in hostile.started:
        assert not is_running(worker._process.pid)
        assert not Path(worker._home.name).exists()


def test_the_witness_does_not_execute_the_import_of_a_file(tmp_path):
    path = tmp_path / "hostile.py"
    path.write_text(f"import os\nos._exit(3)\n{REUSE}\n\nos._exit(3)\n")
    file = checked(path)
    assert not traced(file).deaths
    assert [verdict.status for verdict in verdicts(file)] == ["confirmed"]


@pytest.mark.skipif(not network_cut(), reason="this system does not let a user take the network away")
def test_there_is_no_network(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        path = tmp_path / "calls.py"
        path.write_text(f"{REUSE}\n\nimport socket\nsocket.create_connection(('127.0.0.1', {port}), timeout=1)\n")
        file = checked(path)
        traced(file, tiers=("function",), start=partial(Worker, bootstrap=RUNS_THE_FILE))
    (verdict,) = verdicts(file)
    assert re.match("the tracing ended with (OSError|ConnectionRefusedError|TimeoutError)", verdict.reason)


def test_the_time_for_all_is_limited(tmp_path):
    path = tmp_path / "hangs.py"
    path.write_text(f"{REUSE}\n\nwhile True: pass\n")
    file = checked(path)
    start = partial(Worker, bootstrap=RUNS_THE_FILE)
    traced(file, tiers=("function",), seconds=3600.0, base=1.0, each=1.0, start=start)  # no test may take an hour
    assert [verdict.reason for verdict in verdicts(file)] == ["the time for all findings, 2 s, is over"]


# Interpreters.


def program(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def with_jax(folder: Path, source: str) -> Path:
    """Return a Python in which ``jax`` is a module of this source."""
    package = folder / "packages" / "jax"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(source)
    return program(folder / "python", f'PYTHONPATH={package.parent} exec {sys.executable} -S "$@"')


@pytest.fixture
def reuse(project: Path) -> Path:
    (project / "reuse.py").write_text(REUSE)
    return project


def assert_refused(ran, python, reason: str):
    """Exit status 2 and one sentence, and all the same the finding."""
    assert ran.status == 2
    assert "reuse.py:6:9: OLY104" in ran.out
    assert re.fullmatch(
        f"error: --python {re.escape(str(python))}: nothing was traced: {reason}; "
        "name a Python 3.11 or later that has JAX with --python.\n",
        ran.err,
    )


def test_an_interpreter_that_does_not_exist(run, reuse):
    assert_refused(run("--trace", "--python", "nowhere/python"), "nowhere/python", "there is no such program")


def test_an_interpreter_that_does_not_exist_is_said_without_findings(run, project):
    (project / "clean.py").write_text(CLEAN)
    ran = run("--trace", "--python", "nowhere/python")
    assert ran.status == 2 and "there is no such program" in ran.err


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("exit 7", "exit status 7"),
        ("echo Hello", "exit status 0|an answer that is no JSON object"),
        ("exec cat", "an answer that makes no sense"),
    ],
)
def test_a_program_that_is_no_python(run, reuse, text, reason):
    python = program(reuse / "python", text)
    assert_refused(
        run("--trace", "--python", python), python, rf"it does not answer as a Python with JAX does \(({reason})\)"
    )


@pytest.mark.parametrize("name", ["bin/python", "bin/python3", "Scripts/python.exe", "python.exe"])
def test_the_folder_of_an_environment_stands_for_its_interpreter(run, reuse, name):
    path = reuse / "env" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    program(path, f'exec {sys.executable} "$@"')
    for folder in ("env", "env/", str(reuse / "env")):
        assert interpreter(folder) == str(path)
    ran = run("--trace", "--python", "env", "--output-format", "concise", "reuse.py")
    assert (ran.status, ran.err) == (1, "") and "[confirmed]" in ran.out


def test_a_folder_without_an_interpreter(run, reuse):
    (reuse / ".venv/bin").mkdir(parents=True)
    (reuse / ".venv/bin/python").symlink_to("nowhere")  # an environment whose Python was removed
    reason = r"it is a folder that has no Python \(bin/python, bin/python3, Scripts/python.exe or python.exe\)"
    assert_refused(run("--trace", "--python", ".venv", "reuse.py"), ".venv", reason)
    (reuse / "reuse.py").write_text(CLEAN)
    ran = run("--trace", "--python", ".venv", "reuse.py")
    assert ran.status == 2 and "has no Python" in ran.err


def test_a_folder_of_sources_does_not_hide_a_program_of_its_name(reuse, monkeypatch):
    program(reuse / "python", "")
    (reuse / "here/python/bin").mkdir(parents=True)
    monkeypatch.setenv("PATH", str(reuse))
    monkeypatch.chdir(reuse / "here")
    assert interpreter("python") == str(reuse / "python")


def test_a_program_that_cannot_be_executed(run, reuse):
    assert_refused(run("--trace", "--python", "reuse.py"), "reuse.py", "there is no such program")


def test_a_python_without_jax(run, reuse):
    python = program(reuse / "python", f'exec {sys.executable} -I -S "$@"')
    assert_refused(run("--trace", "--python", python), python, "it has no JAX")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("__version__ = '0.4.30'", "its JAX is 0.4.30, and 0.6.2 is the oldest that can be traced"),
        ("__version__ = '0.6.1'", "its JAX is 0.6.1, and 0.6.2 is the oldest that can be traced"),
        ("__version__ = '99.0.1'", r"its JAX 99.0.1 cannot be traced \(.+\)"),
        ("import nothing_like_it", r"its JAX cannot be imported \(ModuleNotFoundError: .+\)"),
        ("raise SystemExit(5)", r"its JAX cannot be imported \(SystemExit: 5\)"),
        ("import os; os._exit(5)", r"it does not answer as a Python with JAX does \(exit status 5\)"),
    ],
)
def test_a_jax_that_cannot_be_traced(run, reuse, source, reason):
    python = with_jax(reuse, source)
    assert_refused(run("--trace", "--python", python, "reuse.py"), python, reason)


def test_a_jax_whose_import_hangs(tmp_path):
    with pytest.raises(Refused, match="no answer in 1 s"):
        Worker(str(with_jax(tmp_path, "while True: pass")), start=1.0)


def test_a_device_that_is_not_there(run, reuse):
    ran = run("--trace", "--device", "nonsense", "reuse.py")
    assert ran.status == 2 and "reuse.py:6:9: OLY104" in ran.out
    assert re.search(
        r"its JAX \S+ has no device of the platform 'nonsense' \(.+\); name a Python 3.11 or later", ran.err
    )


def test_no_jax_where_the_linter_runs_is_a_warning(run, reuse, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(program(reuse / "python", f'exec {sys.executable} -I -S "$@"')))
    ran = run("--trace", "--select-verdict", "confirmed", "reuse.py")
    assert ran.status == 1 and "reuse.py:6:9: OLY104" in ran.out
    assert ran.err == (
        "warning: nothing was traced, since JAX is not installed here; install it with "
        "`pip install 'olympus-lint[trace]'`, or name a Python that has it with --python.\n"
    )


def test_the_bootstrap_can_be_read_by_old_pythons():
    ast.parse(BOOTSTRAP, feature_version=(3, 4))


# The command line.


def test_verdicts_reach_the_report(run, reuse):
    ran = run("--trace", "--output-format", "json")
    (finding,) = json.loads(ran.out)
    verdict = finding["verdict"]
    assert ran.status == 1
    assert (verdict["status"], verdict["tier"], verdict["reason"]) == ("confirmed", "witness", None)
    assert any("reuse.py:5" in line for line in verdict["evidence"])
    assert any("reuse.py:6" in line for line in verdict["evidence"])


LIBRARY = """\
import jax
import numpyro.distributions as dist
from nowhere import Normal


def known(seed):
    key, normal = jax.random.key(seed), dist.Normal(0.0, 1.0)
    return normal.sample(key), normal.sample(key, (3,))


def unknown(seed):
    key, normal = jax.random.key(seed), Normal(0.0, 1.0)
    return normal.sample(key), normal.sample(key, (3,))
"""


def test_a_worker_is_told_what_signature_packs_know(run, tmp_path):
    file = tmp_path / "library.py"
    file.write_text(LIBRARY)
    ran = run("--trace", "--select", "OLY104", "--output-format", "json", str(file))
    said = {each["location"]["row"]: each["verdict"]["status"] for each in json.loads(ran.out)}
    assert said == {8: "confirmed", 13: "inconclusive"}


def test_verbose_tells_how_the_tracing_went(run, reuse):
    import jax

    ran = run("--trace", "-v")
    assert f"traced 1 finding with JAX {jax.__version__}\n" in ran.err
    assert re.search(r"the workers took at most \d{2,4} MiB of memory\n", ran.err)
    assert re.search(r"tracing \d+\.\d+ s", ran.err)


def test_standard_input_is_traced(run, reuse, monkeypatch):
    import io

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(REUSE.encode())))
    ran = run("--trace", "--stdin-filename", "shown.py", "--output-format", "concise", "-")
    assert ran.out.splitlines()[0].endswith(" [confirmed]")


def test_verdicts_are_not_kept_between_runs(run, reuse):
    assert run("--output-format", "json").out.count('"verdict": null') == 1
    assert run("--trace", "--output-format", "json").out.count('"status": "confirmed"') == 1
    assert run("--output-format", "json").out.count('"verdict": null') == 1


def test_selected_verdicts(run, reuse):
    """Findings that are left out do not count; a file that is no Python always does."""
    (reuse / "raw.py").write_text("import jax\n\nkey = jax.random.PRNGKey(0)\n")
    call = partial(run, "--trace", "--extend-select", "OLY201", "--output-format", "concise", "-q")
    found = call("--select-verdict", "confirmed").out.splitlines()
    assert [line.partition(": ")[0] for line in found] == ["reuse.py:6:9"]
    nothing = call("--select-verdict", "refuted,inconclusive", "--select-verdict", "not-reached")
    assert (nothing.status, nothing.out) == (0, "")


@pytest.mark.parametrize(
    ("code", "verdict", "words", "selected"),
    [
        ("OLY104", Verdict("not reached", "witness"), ["not-reached"], True),
        ("OLY104", Verdict("not reached", "witness"), ["none", "confirmed"], False),
        ("OLY201", None, ["none"], True),
        ("OLY201", None, ["confirmed"], False),
        ("OLY902", None, ["confirmed"], True),
    ],
)
def test_words_of_verdicts(code, verdict, words, selected):
    start = Position(1, 1)
    assert is_selected(Finding(code, "", "", "a.py", Span(start, start), verdict=verdict), words) is selected


def test_what_an_import_ends_is_said_and_the_verdict_stays(run, reuse):
    (reuse / "ends.py").write_text(f"{REUSE}\n\n{REUSE.replace('def f', 'def g')}\nimport os\nos._exit(3)\n")
    ran = run("--trace", "--trace-import", "--output-format", "concise", "ends.py", "reuse.py")
    assert [line.rpartition(" ")[2] for line in ran.out.splitlines()[:3]] == ["[confirmed]"] * 3
    assert ran.err == (
        "note: 1 worker died while tracing: exit status 3\n"
        "note: ends.py could not be imported: importing ends ended its process: exit status 3\n"
    )


def test_an_import_that_does_not_end_is_said_after_the_time_that_is_set(run, reuse):
    (reuse / "big.py").write_text(f"{REUSE}\nx = 10 ** 10 ** 10\n")
    (reuse / "endless.py").write_text(f"{REUSE}\nwhile True: pass\n")
    ran = run("--trace", "--trace-import", "--trace-timeout", "2", "--output-format", "concise", ".")
    assert ran.status == 1 and ran.out.count("[confirmed]") == 3  # by the witness
    reason = "importing big takes more than 2 s, the limit that --trace-timeout sets"
    assert f"note: big.py could not be imported, and 1 other file: {reason}\n" in ran.err


def test_arguments_of_the_settings_reach_the_trace(run, reuse):
    (reuse / "hinted.py").write_text(
        REUSE.replace("key)\n    y", "key, n.shape)\n    y").replace("f(key)", "f(key, n)")
    )
    (reuse / "olympus-lint.toml").write_text("[trace]\n'hinted:f' = {args = ['key', 'f32[17]']}\n")
    ran = run("--trace", "--trace-import", "--output-format", "json", "hinted.py")
    (finding,) = json.loads(ran.out)
    assert (finding["verdict"]["status"], finding["verdict"]["tier"]) == ("confirmed", "function")
    assert any("shape=(17,)" in line for line in finding["verdict"]["evidence"])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            ["--trace", "--select-verdict", "confirmd"],
            "--select-verdict: expected one of confirmed, refuted, inconclusive, not-reached, none, not 'confirmd'; "
            "did you mean confirmed?",
        ),
        (
            ["--select-verdict", "confirmed"],
            "--select-verdict has no effect without --trace or --trace-events; add one of them.",
        ),
        (["--python", "python3"], "--python has no effect without --trace; add it."),
        (["--trace-timeout", "9"], "--trace-timeout has no effect without --trace; add it."),
        (["--trace", "--trace-timeout", "0"], "argument --trace-timeout: expected a number above 0, not '0'"),
        (["--trace", "--add-noqa"], "--trace cannot be combined with --add-noqa, which reports nothing; see"),
    ],
)
def test_options_that_are_wrong(run, reuse, options, sentence):
    ran = run(*options)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"error: {sentence}")


# Several tiers.

CONFIRMED = Verdict("confirmed", "witness", None, ("key: k",))
OPEN = Verdict("inconclusive", "witness", "a")
MISSED = Verdict("not reached", "function", "b")
REFUTED = Verdict("refuted", "function", "the keys there are different ones")


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([], None),
        ([CONFIRMED], CONFIRMED),
        ([CONFIRMED, Verdict("not reached", "function", "no")], CONFIRMED),
        ([CONFIRMED, Verdict("inconclusive", "recorded", "no")], CONFIRMED),
        ([OPEN, Verdict("not reached", "recorded", "b")], OPEN),
        ([Verdict("not reached", "witness", "a"), MISSED], MISSED),
        (
            [CONFIRMED, REFUTED],
            Verdict(
                "refuted",
                "function",
                "the keys there are different ones; the tiers contradict each other: witness says confirmed",
            ),
        ),
        (
            [Verdict("confirmed", "recorded"), REFUTED],
            Verdict(
                "confirmed",
                "recorded",
                "the tiers contradict each other: function says refuted; the keys there are different ones",
            ),
        ),
    ],
)  # fmt: skip
def test_tiers_are_combined(verdicts, expected):
    assert combined(verdicts) == expected


# Fixes.

SAFE_AND_UNSAFE = f"{REUSE}\n\ndef g(seed):\n    return jax.random.normal(jax.random.PRNGKey(seed))\n"


@pytest.fixture
def fixable(project: Path) -> Path:
    (project / "fixable.py").write_text(SAFE_AND_UNSAFE)
    return project / "fixable.py"


def test_fixes_that_hold_in_a_trace_are_applied(run, fixable):
    plain = run("--diff", "--unsafe-fixes", "--extend-select", "OLY201").out
    assert plain.count("\n+") == 4
    assert run("--diff", "--unsafe-fixes", "--extend-select", "OLY201", "--trace").out == plain
    ran = run("--fix", "--unsafe-fixes", "--extend-select", "OLY201", "--trace")
    assert (ran.status, ran.err) == (0, "")
    assert "Found 2 findings (2 fixed, 0 remaining)." in ran.out
    assert "jax.random.key(seed)" in fixable.read_text()


def test_a_fix_that_does_not_hold_is_withheld(run, fixable, monkeypatch):
    """Both fixes are wrong here: one changes what is drawn, and the other leaves the reuse where it is."""
    from olympus_codemods import fixes

    def wrong(report, document):
        row = report.finding.span.start.row
        at = Span(Position(row, 1), Position(row, 1))
        if report.finding.code == "OLY104":
            return Fix(Applicability.UNSAFE, "Wait", (Edit(at, "    wait = 1\n"),))
        return Fix(Applicability.SAFE, "Draw", (Edit(at, "    jax.random.bits(jax.random.key(seed))\n"),))

    monkeypatch.setattr(fixes, "fix_for", wrong)
    monkeypatch.setattr(fixes, "is_whole", lambda *_: True)  # the trace alone is to see it
    ran = run("--fix", "--unsafe-fixes", "--extend-select", "OLY201", "--trace")
    assert ran.status == 1 and fixable.read_text() == SAFE_AND_UNSAFE
    assert ran.err == (
        "note: fixable.py: the fix of OLY104 on line 6 is withheld: with it, a trace shows as many misuses of keys as "
        "without, in `f`.\n"
        "note: fixable.py: the fix of OLY201 on line 11 is withheld: with it, a trace has other draws, other keys, or "
        "another order of them, in `g`.\n"
    )
    assert "Found 2 findings." in ran.out and "fixable" not in ran.out.replace("fixable.py", "")


def test_a_fix_that_leaves_its_finding_is_withheld(run, project, monkeypatch):
    from olympus_codemods import fixes

    def wrong(report, document):
        return Fix(Applicability.UNSAFE, "Take the other word", (Edit(report.finding.span, "key[0]"),))

    text = "import jax\n\n\ndef f(key):\n    jax.random.split(key)\n    return jax.random.key(key[1])\n"
    (project / "word.py").write_text(text)
    monkeypatch.setattr(fixes, "fix_for", wrong)
    ran = run("--fix", "--unsafe-fixes", "--select", "OLY101", "--trace")
    assert (project / "word.py").read_text() == text
    said = "the fix of OLY101 on line 6 is withheld: with it, there are as many findings of OLY101 as without."
    assert ran.err == f"note: word.py: {said}\n"


def test_no_fix_is_applied_where_nothing_can_be_traced(run, fixable):
    ran = run("--fix", "--trace", "--extend-select", "OLY201", "--python", "nowhere/python")
    assert ran.status == 2 and fixable.read_text() == SAFE_AND_UNSAFE
    withheld = "the fix of OLY201 on line 11 is withheld: nothing can be traced: there is no such program."
    assert f"note: fixable.py: {withheld}\n" in ran.err


# Reasons.

UNKNOWN_CALL = """\
import jax


def f(key, name):
    a = getattr(jax.random, name)(key)
    return a + jax.random.normal(key)
"""
CONFIGURED = """\
import jax


class Model:
    def __init__(self, width, depth):
        self.width, self.depth = width, depth

    def draw(self, key):
        return jax.random.normal(key, (self.width,))


def f(key, config):
    model = Model(**config)
    return model.draw(key) + jax.random.uniform(key)
"""


def test_an_open_verdict_says_what_can_be_done(tmp_path):
    (tmp_path / "program.py").write_text(UNKNOWN_CALL)
    command = [sys.executable, "-m", "olympus_lint", "--no-cache"]

    def said(*options: str) -> str:
        return subprocess.run(
            [*command, *options, "."], cwd=tmp_path, capture_output=True, text=True, check=False
        ).stdout

    first = "verdict: inconclusive (witness): what the calls there do with the key is not known"
    assert f"{first}; a signature pack can say it; `--trace-import` tries the real function" in said("--trace")
    assert "in the setting `trace`" not in said("--trace")
    assert f"{first}; a signature pack can say it; give the function its" in said("--trace", "--trace-import")


def test_a_call_with_an_unknown_mapping_is_traced(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(CONFIGURED)
    file = checked(path)
    traced(file)
    assert [verdict.status for verdict in verdicts(file)] == ["confirmed"]


@pytest.mark.parametrize(
    ("body", "repeats"),
    [
        ("for i in range(3):\n        jax.random.normal(key)", True),
        ("[jax.random.normal(key) for i in range(3)]", True),
        ("jax.lax.scan(lambda c, x: (c, jax.random.normal(key)), 0, None, 3)", True),
        ("return nnx.Linear(3, 4, rngs=nnx.Rngs(params=key, dropout=key))", False),
        ("jax.random.normal(key), jax.random.normal(key)", False),
    ],
)
def test_a_question_says_whether_the_place_is_executed_again(body: str, repeats: bool) -> None:
    text = f"import jax\nfrom flax import nnx\n\n\ndef f(key):\n    {body}\n"
    (finding,) = [each for each in lint_text("a.py", text, Settings()).findings if each.code == "OLY104"]
    assert question(finding).repeats == repeats
