"""The page on verdicts: its commands print what it shows."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from olympus_lint.commandline.options import VERDICTS, parser
from olympus_lint.tracing.judging import Choice
from olympus_lint.tracing.process import LIMITS, MEMORY
from olympus_rules.rules import all_rules

jax = pytest.importorskip("jax", reason="the page's commands trace with JAX")

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "verdicts.md").read_text("utf-8")
JUDGED = [code for code, rule in all_rules().items() if rule.events]
COMMANDS = re.findall(r"^```console\n\$ olympus-lint (.+?)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def test_there_are_commands():
    assert len(COMMANDS) == 2


@pytest.mark.parametrize(("arguments", "shown"), COMMANDS, ids=[arguments for arguments, _ in COMMANDS])
def test_commands(run, monkeypatch, arguments: str, shown: str):
    if jax.__version_info__ < (0, 10):
        pytest.skip("the page shows equations as JAX 0.10 writes them")
    monkeypatch.chdir(ROOT)
    assert run(*arguments.split()).out == shown


def test_options_and_words_of_the_page_are_those_there_are():
    known = {option for action in parser()._actions for option in action.option_strings}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", PAGE)) <= known
    sentence = re.search(r"The words are (.+?) for findings of other rules", PAGE)
    assert sentence and set(re.findall(r"`([a-z-]+)`", sentence[1])) == set(VERDICTS)
    assert "Findings of OLY101 to OLY104 and of OLY108 get a verdict" in PAGE
    assert JUDGED == ["OLY101", "OLY102", "OLY103", "OLY104", "OLY108"]


def test_limits_of_the_page_are_those_there_are():
    assert f"has {Choice().seconds:.0f} seconds for a function" in PAGE
    assert f"{MEMORY >> 30} GiB of address space (more with many cores) and files of {LIMITS['file'] >> 20} MiB" in PAGE


def test_every_finding_in_the_bundled_example_is_confirmed(run, monkeypatch):
    monkeypatch.chdir(ROOT)
    found = json.loads(run("--trace", "--no-cache", "--output-format", "json", "docs/example").out)
    judged = [finding for finding in found if finding["code"] in JUDGED]
    assert {finding["code"] for finding in judged} == {"OLY101", "OLY102", "OLY103", "OLY104"}
    assert all(finding["verdict"]["status"] == "confirmed" for finding in judged), judged
