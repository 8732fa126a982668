"""The page on lineage: its commands and its code are run, and its pictures are those of today."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from releases import VERSION

pytest.importorskip("jax", reason="the page's commands trace with JAX")

from olympus.__main__ import main

FOLDER = Path(__file__).parents[2] / "docs" / "runtime"
PAGE = (FOLDER / "lineage.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
COMMANDS = [text for word, text in BLOCKS if word == "console" and text.startswith("$ ")]


@pytest.fixture(autouse=True)
def beside_the_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(FOLDER / "augment.py", tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delitem(sys.modules, "augment", raising=False)


@pytest.mark.parametrize("block", COMMANDS, ids=lambda block: block.splitlines()[0].partition("image")[2])
def test_commands(block: str, capsys: pytest.CaptureFixture[str]) -> None:
    line, _, expected = block.partition("\n")
    program, *arguments = shlex.split(line.removeprefix("$ "))
    assert program == "olympus"
    if "jit[" in expected and VERSION < (0, 10):
        pytest.skip("since JAX 0.10, equations are written as on the page")
    if "squeeze[" in expected and VERSION >= (0, 11):
        pytest.skip("up to JAX 0.10, unpacking is as on the page; it is one equation since")
    if "svg" in arguments:
        pytest.importorskip("fast_sugiyama", reason="the layout is by fast-sugiyama")
    assert main(arguments) == 1
    shown = capsys.readouterr()
    if "mermaid" in arguments:
        (drawn,) = (text for word, text in BLOCKS if word == "mermaid")
        assert shown.out == drawn
        assert shown.err == expected
    else:
        assert shown.out == expected


def test_the_picture_says_what_it_would_say_today(tmp_path: Path) -> None:
    """Its geometry may be that of another release of the library for layouts."""
    pytest.importorskip("fast_sugiyama", reason="the layout is by fast-sugiyama")
    (command,) = (block for block in COMMANDS if "svg" in block)
    main(shlex.split(command.partition("\n")[0])[2:])
    (name,) = re.findall(r"!\[.+\]\((.+\.svg)\)", PAGE)
    old, new = (
        sorted(text for text in ElementTree.parse(folder / name).getroot().itertext() if text.strip())
        for folder in (FOLDER, tmp_path)
    )
    assert old == new


def test_the_program_is_the_file() -> None:
    program = next(text for word, text in BLOCKS if word == "python")
    assert (FOLDER / "augment.py").read_text("utf-8").partition('"""\n\n')[2] == program


def test_the_code(capsys: pytest.CaptureFixture[str]) -> None:
    _, code = (text for word, text in BLOCKS if word == "python")
    (expected,) = (text for word, text in BLOCKS if word == "text")
    exec(code, {})
    assert capsys.readouterr().out == expected
