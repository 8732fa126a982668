"""Folders that cannot be entered, full disks and closed outputs: a sentence each, and the others are reported."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from programs import RAW, REUSE

PROGRAM = Path(sys.executable).parent / "olympus-lint"
TIME_LIMIT = 60  # seconds

UNPRIVILEGED = """\
import ctypes, os, sys
for capability in (1, 2):  # root reads and writes what it likes with these
    if os.geteuid() == 0 and ctypes.CDLL(None).prctl(24, capability, 0, 0, 0):
        sys.exit(77)
os.execv(sys.argv[1], sys.argv[1:])
"""


def unprivileged(*options: str) -> subprocess.CompletedProcess[str]:
    """Run the command as somebody for whom permissions count."""
    command = [sys.executable, "-c", UNPRIVILEGED, PROGRAM, *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT)
    if done.returncode == 77:
        pytest.skip("root cannot give up its rights here")
    assert "Traceback" not in done.stderr
    return done


@pytest.mark.skipif(sys.platform != "linux", reason="root gives up its rights as Linux has it")
@pytest.mark.parametrize(
    ("mode", "options"), [(0o000, []), (0o444, ["--fix"]), (0o111, ["--jobs", "2"]), (0o444, ["--migrate"])]
)
def test_a_folder_that_cannot_be_read(project, mode, options):
    Path("a/locked").mkdir(parents=True)
    for name in ("a/b.py", "a/locked/c.py", "d.py"):
        Path(name).write_text(REUSE)
    Path("a/locked").chmod(mode)
    try:
        done = unprivileged(*options, ".")
    finally:
        Path("a/locked").chmod(0o755)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert done.stderr.startswith("error: a/locked") and "Permission denied" in done.stderr
    assert options == ["--migrate"] or ("a/b.py:6:9: OLY104" in done.stdout and "d.py:6:9: OLY104" in done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="root gives up its rights as Linux has it")
def test_a_cache_folder_that_cannot_be_written(project):
    Path("a.py").write_text(REUSE)
    Path("kept").mkdir(mode=0o555)
    done = unprivileged("--cache-dir", "kept", "-v", "a.py")
    assert done.returncode == 1 and "OLY104" in done.stdout and "note: the cache in" in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("options", [["."], ["--diff", "."], ["--list-rules"], ["--explain", "OLY104"], ["--migrate"]])
def test_a_full_disk_behind_standard_output(project, options):
    Path("a.py").write_text(RAW)
    Path("locked.py").symlink_to("locked.py")
    with open("/dev/full", "w") as full:  # noqa: PTH123
        command = [PROGRAM, "--extend-select", "OLY201", *options]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=TIME_LIMIT)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    sentence = "error: standard output cannot be written (No space left on device), so the report is lost.\n"
    assert done.stderr.endswith(sentence)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_behind_the_output_file(project):
    Path("a.py").write_text(REUSE)
    done = subprocess.run([PROGRAM, "-o", "/dev/full", "a.py"], capture_output=True, text=True, timeout=TIME_LIMIT)
    sentence = "error: --output-file: /dev/full cannot be written (No space left on device); name another file.\n"
    assert (done.returncode, done.stderr) == (2, sentence)


@pytest.mark.parametrize("options", [["--fix", "--select", "OLY2,OLY104"], ["--migrate", "--fix"]])
def test_a_fix_that_finds_no_room(project, options):
    Path("big.py").write_text(RAW + "# filler\n" * 2000)
    Path("small.py").write_text(RAW)
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))  # a disk that is nearly full
    command = [PROGRAM, "--no-cache", *options, "."]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT, preexec_fn=limit)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert "error: big.py: its fixes were not written (File too large); make room on the disk" in done.stderr
    assert "PRNGKey" in Path("big.py").read_text() and "PRNGKey" not in Path("small.py").read_text()
    assert sorted(path.name for path in Path().iterdir()) == ["big.py", "small.py"]


def test_a_cache_that_finds_no_room(project):
    Path("a.py").write_text(REUSE)
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))
    done = subprocess.run([PROGRAM, "a.py"], capture_output=True, text=True, timeout=TIME_LIMIT, preexec_fn=limit)
    assert (done.returncode, done.stderr) == (1, "") and "OLY104" in done.stdout


@pytest.mark.parametrize("options", [["."], ["--list-rules"], ["--show-files", "."], ["--migrate", "."]])
def test_an_output_that_is_closed_from_the_beginning(project, options):
    Path("a.py").write_text(REUSE)
    command = [PROGRAM, *options]
    done = subprocess.run(
        command, stderr=subprocess.PIPE, text=True, timeout=TIME_LIMIT, preexec_fn=lambda: os.close(1)
    )
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert done.stderr.startswith("error: standard output ")
