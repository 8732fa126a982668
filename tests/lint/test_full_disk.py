"""A disk that is full, for real: each file is the old or the new one, whole, and a sentence says what happened."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import command
from programs import RAW, REUSE

PAGE = os.sysconf("SC_PAGE_SIZE")
SIZE = 64 * PAGE
FILLER = "# a line that makes the file longer\n" * 300
FILES = {f"module{number}.py": RAW + REUSE.partition("\n")[2] + FILLER * number for number in range(4)}
ROOMS = (0, 1, 3, 8, 21)
"""Free pages of the disk; all that a run writes takes fewer than the last."""


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 pages."""
    folder = tmp_path / "disk"
    folder.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(folder)]
    if sys.platform != "linux" or shutil.which("mount") is None:
        pytest.skip("needs Linux and its command `mount`")
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"a file system cannot be mounted here, which needs root: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def fill(disk: Path, pages: int) -> None:
    """Leave so many pages of a disk free."""
    with (disk / "filler").open("wb") as file:
        while os.statvfs(disk).f_bavail > pages:
            file.write(b"\0" * PAGE)
            file.flush()


def project(folder: Path) -> dict[str, str]:
    """Write the files of a project, and return the texts of all files."""
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return texts(folder)


def texts(folder: Path) -> dict[str, str]:
    """Return the texts of the files of a folder, also of temporary ones."""
    return {path.name: path.read_text() for path in folder.iterdir() if path.is_file() and path.name != "filler"}


def empty(folder: Path) -> None:
    """Remove all that a folder holds."""
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()


FIXES = {
    "fix": ("--fix", "--select", "OLY2,OLY104", "--unsafe-fixes", "--no-cache"),
    "add-noqa": ("--add-noqa", "--no-cache"),
    "migrate": ("--migrate", "--fix"),
}


@pytest.mark.parametrize("words", FIXES.values(), ids=FIXES)
def test_rewritten_files(disk: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "roomy").mkdir()
    project(tmp_path / "roomy")
    whole = command(tmp_path / "roomy", *words, ".")
    new = texts(tmp_path / "roomy")
    kept = []
    for room in ROOMS:
        empty(disk)
        old = project(disk)
        fill(disk, room)
        ran = command(disk, *words, ".")
        now = texts(disk)
        assert now.keys() == old.keys(), "a temporary file is left"
        assert all(text in (old[name], new[name]) for name, text in now.items())
        missing = [name for name in now if now[name] != new[name]]
        kept.append(len(missing))
        assert "Traceback" not in ran.stderr
        if missing:
            assert ran.returncode == 2
            assert ran.stderr.count("No space left on device") == len(missing)
            assert "make room on the disk" in ran.stderr
        else:
            assert ran.returncode == whole.returncode
    assert kept[0] == len(FILES) and kept[-1] == 0 and len({*kept}) > 2


@pytest.mark.parametrize("option", ["--write-baseline", "--output-file"])
@pytest.mark.parametrize("is_there", [False, True])
def test_new_files(disk: Path, tmp_path: Path, option: str, is_there: bool) -> None:
    (tmp_path / "src").mkdir()
    project(tmp_path / "src")
    for number in range(40):  # a baseline, and a report, of several pages
        (tmp_path / f"src/more{number}.py").write_text(REUSE)
    target = disk / "written"
    kept = ("--cache-dir", str(tmp_path / "cache"))  # the files are checked once, what is found is written often
    words = (option, str(target), "--output-format", "json", *kept, "src")
    statuses = []
    for room in (*ROOMS, 50):
        empty(disk)
        if is_there:
            target.write_text("old\n")
        fill(disk, room)
        ran = command(tmp_path, *words)
        statuses.append(ran.returncode)
        now = texts(disk)
        assert "Traceback" not in ran.stderr
        if ran.returncode == 2:
            assert now == ({"written": "old\n"} if is_there else {})
            assert f"{target} cannot be written (No space left on device); name another file." in ran.stderr
        else:
            assert [*now] == ["written"] and now["written"].rstrip().endswith(("}", "]"))
    assert statuses[0] == 2 and statuses[-1] != 2


def test_the_cache(disk: Path, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    project(tmp_path / "src")
    told = command(tmp_path, "src", "--no-cache")
    unused = 0
    for room in ROOMS:
        empty(disk)
        fill(disk, room)
        for words in ((), ("-v",)):
            ran = command(tmp_path, "src", "--cache-dir", str(disk / "cache"), *words)
            assert (ran.returncode, ran.stdout) == (told.returncode, told.stdout)
            assert words or ran.stderr == told.stderr
            unused += "the cache in" in ran.stderr
        (disk / "filler").unlink()
        for _ in range(2):
            ran = command(tmp_path, "src", "--cache-dir", str(disk / "cache"))
            assert (ran.returncode, ran.stdout, ran.stderr) == (told.returncode, told.stdout, told.stderr)
    assert unused >= 2
