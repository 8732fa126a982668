"""What the page on ruff says, with the ruff that is installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from programs import REUSE

RUFF = Path(sys.executable).parent / "ruff"
PAGE = Path(__file__).parents[2] / "docs" / "ruff.md"
(SETTING,) = (token.content for token in MarkdownIt().parse(PAGE.read_text("utf-8")) if token.info == "toml")
OURS = REUSE.replace("uniform(key)", "uniform(key)  # noqa: OLY104")
ABOVE = REUSE.replace("    y =", "    # olympus: ignore[OLY104] both are to be equal\n    y =")


def fixed(text: str, rules: str) -> str:
    Path("a.py").write_text(text)
    command = [RUFF, "check", "--fix", "--preview", "--no-cache", "--select", rules, "a.py"]
    subprocess.run(command, capture_output=True, timeout=60)
    return Path("a.py").read_text()


@pytest.mark.skipif(not RUFF.exists(), reason="ruff is not installed")
@pytest.mark.parametrize("rules", ["RUF102", "RUF"])
def test_ruff_leaves_our_codes_alone_if_it_is_told(project, run, rules):
    Path("pyproject.toml").write_text("[tool.ruff]\n")
    assert "OLY104" not in fixed(OURS, rules)
    Path("pyproject.toml").write_text(SETTING)
    assert fixed(OURS, rules) == OURS
    assert run("-q", "a.py").status == 0
    both = OURS.replace("OLY104", "F401, OLY104")
    assert "# noqa: OLY104" in fixed(both, "RUF100,F401")


@pytest.mark.skipif(not RUFF.exists(), reason="ruff is not installed")
def test_our_own_comments_are_nothing_to_ruff(project, run):
    assert fixed(ABOVE, "RUF,ERA") == ABOVE
    assert run("-q", "a.py").status == 0
