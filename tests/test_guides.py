"""The guides: what their programs print, and what their commands say, one after the other."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from command_line import command
from markdown_it import MarkdownIt
from markdown_it.token import Token
from outputs import alike
from pages import plain

DOCS = Path(__file__).parents[1] / "docs"


def fences(name: str) -> list[Token]:
    return [token for token in MarkdownIt().parse((DOCS / name).read_text("utf-8")) if token.type == "fence"]


def programs(name: str) -> Iterator[Any]:
    """Return the programs of a page that are followed by their output, each with it."""
    shown = fences(name)
    for number, (program, output) in enumerate(pairwise(shown)):
        if program.info == "python" and output.info == "text":
            yield pytest.param(program.content, output.content, id=str(number))


KEYS = list(programs("keys.md"))


def test_each_program_of_the_introduction_is_followed_by_its_output():
    assert len(KEYS) == sum(fence.info == "python" for fence in fences("keys.md")) > 10


@pytest.mark.parametrize(("program", "output"), KEYS)
def test_a_program_of_the_introduction_prints_what_is_shown(program: str, output: str, capsys):
    pytest.importorskip("jax", reason="the programs draw with JAX")
    exec(compile(program, "keys.md", "exec"), {"__name__": "example"})
    assert alike(capsys.readouterr().out, output)


COMPARED = [fence for fence in fences("comparison.md") if fence.info.startswith("python")]


@pytest.mark.parametrize("number", range(len(COMPARED)))
def test_the_checker_of_jax_says_what_the_comparison_says(number: int):
    jax = pytest.importorskip("jax", "0.9", reason="the page is about JAX 0.10")
    language, said = COMPARED[number].info.split()
    assert (language, said.partition("=")[0]) == ("python", "jax")
    program = compile(COMPARED[number].content, "comparison.md", "exec")
    with jax.debug_key_reuse(True):
        if said == "jax=raises":
            with pytest.raises(jax.errors.KeyReuseError):
                exec(program, {"__name__": "example"})
        else:
            assert said == "jax=silent"
            exec(program, {"__name__": "example"})


def test_the_commands_of_the_tutorial_print_what_is_shown(tmp_path: Path):
    shutil.copytree(DOCS / "example", tmp_path / "docs" / "example")
    shutil.copy(DOCS.parent / "pyproject.toml", tmp_path)  # which says how long lines are
    commands = [fence.content for fence in fences("tutorial.md") if fence.info == "console"]
    assert len(commands) == 5
    for block in commands:
        line, _, shown = block.partition("\n")
        program, *arguments = line.removeprefix("$ ").split()
        assert program == "olympus-lint"
        ran = command(tmp_path, *arguments)
        assert ran.stdout + ran.stderr == shown, line


def test_the_settings_of_the_tutorial_are_those_of_the_example():
    (settings,) = [fence.content for fence in fences("tutorial.md") if fence.info == "toml"]
    assert settings == (DOCS / "example" / "pyproject.toml").read_text("utf-8")


def test_the_program_of_the_home_page_has_the_finding_and_the_lineage_that_are_shown(tmp_path: Path):
    program, console = (each for each in fences("index.md") if each.info in ("python", "console"))
    (tmp_path / "init.py").write_text(plain(program.content)[0])
    line, _, shown = console.content.partition("\n")
    assert command(tmp_path, *line.removeprefix("$ olympus-lint ").split()).stdout == shown
    pytest.importorskip("jax", reason="the lineage is traced by JAX")
    pytest.importorskip("fast_sugiyama", reason="the layout is by fast-sugiyama")
    drawn = subprocess.run(
        [sys.executable, "-m", "olympus", "lineage", "init.py:init", "--output-format", "svg"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    ).stdout
    old, new = (
        sorted(text for text in ElementTree.fromstring(picture).itertext() if text.strip())
        for picture in ((DOCS / "init.svg").read_text("utf-8"), drawn)
    )
    assert old == new
