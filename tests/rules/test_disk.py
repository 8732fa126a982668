"""Looks at files: what is read of them, and what is noted of a file that changes meanwhile."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from olympus_rules.syntax import disk


@pytest.fixture(autouse=True)
def notes() -> Iterator[None]:
    """Forget the looks."""
    disk.forget()
    yield
    disk.forget()


def test_a_file_is_read_to_its_end_and_a_pipe_up_to_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk, "MOST", 3)
    file = tmp_path / "a.py"
    file.write_bytes(b"x = 1")
    assert disk.contents(str(file)) == b"x = 1"
    if not os.path.exists("/dev/fd"):  # noqa: PTH110
        return
    for data in (b"x", b"x = 1"):
        reader, writer = os.pipe()
        os.write(writer, data)
        os.close(writer)
        try:
            if len(data) > disk.MOST:
                with pytest.raises(OSError, match="too large"):
                    disk.contents(f"/dev/fd/{reader}")
            else:
                assert disk.contents(f"/dev/fd/{reader}") == data
        finally:
            os.close(reader)


def test_nothing_is_certain_of_a_file_that_appears_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"x = 1")
    monkeypatch.setattr(disk, "_status", lambda _: None)
    assert disk.read(file) == b"x = 1"
    assert disk.taken() == {str(file): []}
