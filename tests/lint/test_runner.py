"""Many files: the same result in one process and in several; writing that loses nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import CLEAN, RAW, REUSE

from olympus_lint.files import sources
from olympus_lint.files.sources import InputError, reencode, write_bytes
from olympus_lint.project.discovery import SourceFile
from olympus_lint.project.settings import Settings
from olympus_lint.run import one_file, runner
from olympus_lint.run.context import Context, Mode
from olympus_lint.run.one_file import check_bytes
from olympus_lint.run.runner import check_files

LEGACY = Settings(select=["OLY201"])


def test_processes_change_nothing(project):
    texts = [REUSE, CLEAN, RAW, "x = 1\n", "import jax.random\nx = = 1\n"]
    files = [SourceFile(f"f{n}.py", Settings(extend_select=["OLY201"])) for n in range(20)]
    for n, file in enumerate(files):
        Path(file.filename).write_text(texts[n % len(texts)])
    files.append(SourceFile("missing.py", Settings()))
    alone, together = (list(check_files(files, Mode.CHECK, jobs)) for jobs in (1, 2))
    assert alone == together
    assert sum(len(result.findings) for result in alone) == 12
    assert sum(len(result.errors) for result in alone) == 1


def test_a_pool_is_started_for_much_work_only(project, monkeypatch):
    started: list[int] = []
    monkeypatch.setattr(runner, "run", lambda files, keyless, jobs, context: started.append(jobs) or iter(()))
    monkeypatch.setattr(runner, "default_jobs", lambda: 8)
    for n in range(9):
        Path(f"f{n}.py").write_text(CLEAN)
    files = [SourceFile(f"f{n}.py", Settings()) for n in range(9)]
    list(check_files(files, Mode.CHECK))
    list(check_files(files, Mode.CHECK, 3))
    monkeypatch.setattr(runner, "WORTH_A_POOL", 100)
    list(check_files(files, Mode.CHECK))
    list(check_files(files[:2], Mode.CHECK))
    assert started == [1, 3, 8, 2]


def test_fixes_in_processes_are_written(project):
    files = [SourceFile(f"f{n}.py", LEGACY) for n in range(6)]
    for file in files:
        Path(file.filename).write_text(RAW)
    results = list(check_files(files, Mode.FIX, 2))
    assert all(result.fixes == {"OLY201": 1} and not result.findings for result in results)
    assert {Path(file.filename).read_text() for file in files} == {RAW.replace("PRNGKey", "key")}


def test_only_changed_files_are_written(project, monkeypatch):
    Path("a.py").write_text(CLEAN)
    monkeypatch.setattr(one_file, "write_bytes", lambda *arguments: pytest.fail("written"))
    list(check_files([SourceFile("a.py", LEGACY)], Mode.FIX, 1))


def test_writing_keeps_mode_and_links(project):
    Path("real.py").write_text("old")
    Path("real.py").chmod(0o754)
    Path("link.py").symlink_to("real.py")
    write_bytes("link.py", b"new", b"old")
    assert Path("link.py").is_symlink()
    assert Path("real.py").read_bytes() == b"new"
    assert Path("real.py").stat().st_mode & 0o777 == 0o754
    assert sorted(path.name for path in Path().iterdir()) == ["link.py", "real.py"]


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(project, monkeypatch):
    Path("a.py").write_text("old")

    def fail(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(InputError, match=r"were not written \(No space left on device\); make room"):
        write_bytes("a.py", b"new", b"old")
    assert Path("a.py").read_text() == "old" and list(Path().iterdir()) == [Path("a.py")]


def test_a_text_that_its_encoding_cannot_give_back_is_left_alone():
    # This encoding has several byte sequences for one text; the longer one here would be lost.
    data = b'# coding: iso2022_jp\nimport jax\njax.random.normal(jax.random.PRNGKey(0))  # \x1b$B$"\x1b(B\x1b(B\n'
    result, new = check_bytes("a.py", data, LEGACY, Context(Mode.FIX))
    assert new == data
    assert [finding.code for finding in result.findings] == ["OLY201"]
    assert str(result.errors[0]) == "a.py: cannot be rewritten in iso2022_jp byte for byte; convert it to UTF-8."


def test_a_character_without_a_code_is_refused():
    with pytest.raises(InputError, match="cannot be rewritten in iso-8859-1"):
        reencode("x = '\u20ac'\n", b"# coding: latin-1\n")


def test_size_limit_is_in_bytes(monkeypatch):
    monkeypatch.setattr(sources, "LARGEST_FILE", 10)
    sources.check_size(b"x" * 10)
    with pytest.raises(InputError):
        sources.check_size(b"x" * 11)
