"""The examples of ``docs/runtime/checks.md``: run, with what their comments say."""

from __future__ import annotations

import linecache
import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

pytest.importorskip("jax", "0.9", reason="the examples draw with JAX; before, not all compiled calls are seen")

import olympus

PAGE = Path(__file__).parents[2] / "docs" / "runtime" / "checks.md"
FENCES = [token for token in MarkdownIt().parse(PAGE.read_text("utf-8")) if token.type == "fence"]
BLOCKS = [token.content for token in FENCES if token.info == "python"]
TESTS = [block for block in BLOCKS if "def test_" in block]
SCRIPTS = [block for block in BLOCKS if block not in TESTS]
SAID = re.compile(r"# (raises|prints|fails): (.*)")


def test_the_page_has_examples_of_all_kinds() -> None:
    assert {kind for block in BLOCKS for kind, _ in SAID.findall(block)} == {"raises", "prints", "fails"}


@pytest.mark.parametrize("number", range(len(SCRIPTS)))
def test_scripts(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    said = dict(SAID.findall(SCRIPTS[number]))
    code = compile(SCRIPTS[number], f"<script {number}>", "exec")
    if "raises" in said:
        with pytest.raises(olympus.KeyReuseError, match=re.escape(said["raises"])):
            exec(code, {"__name__": "script"})
    else:
        exec(code, {"__name__": "script"})
    assert said.get("prints", "") in capsys.readouterr().out


def test_the_error_is_the_one_on_the_page() -> None:
    (text,) = (token.content for token in FENCES if token.info == "text")
    source = SCRIPTS[0]
    linecache.cache["noisy.py"] = (len(source), None, source.splitlines(keepends=True), "noisy.py")
    with pytest.raises(olympus.KeyReuseError) as caught:
        exec(compile(source, "noisy.py", "exec"), {"__name__": "script"})
    assert str(caught.value) == text.rstrip("\n")


def test_tests(tmp_path: Path) -> None:
    """The tests of the page, in one run: those pass or fail as they say."""
    plugin = [] if entry_points(group="pytest11", name="olympus") else ["-p", "olympus.pytest_plugin"]
    (tmp_path / "pytest.ini").touch()
    for number, block in enumerate(TESTS):
        (tmp_path / f"test_{number}.py").write_text(block, "utf-8")
    command = [sys.executable, "-m", "pytest", *plugin, "-p", "no:cacheprovider", "-rA", "--tb=short"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, encoding="utf-8")
    found = dict(re.findall(r"^(?:(?=PASSED|FAILED)\w+) \S+::(\w+)(.*)$", done.stdout, re.MULTILINE))
    for block in TESTS:
        for part in block.split("\ndef ")[1:]:
            name, said = part.partition("(")[0], dict(SAID.findall(part))
            if name.startswith("test_"):
                assert bool(found[name]) == ("fails" in said), done.stdout
                assert said.get("fails", "") in done.stdout
