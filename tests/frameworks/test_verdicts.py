"""What executing the pairs says of the findings in them: nearly all are confirmed, and none on a wrong twin is refuted.

The real frameworks are traced, with and without an import of the programs, so they have to be installed where the tests
run, as for ``test_pairs.py``.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path

import pytest
from command_line import command
from frameworks.test_pairs import MODULES, functions, missing

CONFIRMED = {"equinox": 35, "flax_linen": 39, "flax_nnx": 44, "haiku": 35, "numpyro": 35, "others": 44}
"""How many wrong twins have a confirmed finding."""


@pytest.mark.frameworks
@pytest.mark.parametrize("tier", ["framework", "function"])
@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.stem)
def test_wrong_twins_are_confirmed_and_not_refuted(module: Path, tier: str, tmp_path: Path) -> None:
    if absent := missing(module):
        pytest.skip(f"needs {', '.join(absent)}")
    copy = tmp_path / f"programs_of_{module.stem}.py"  # no module of the framework's name
    copy.write_text(module.read_text("utf-8"), "utf-8")
    options = ("--isolated", "--no-cache", "--output-format", "json", "--trace")
    told = command(tmp_path, *options, *(["--trace-import"] if tier == "function" else []), copy.name)
    spans = {name: range(node.lineno, (node.end_lineno or 0) + 1) for name, node in functions(module).items()}
    said = defaultdict[str, set[str]](set)
    for finding in json.loads(told.stdout):
        rows = {each["location"]["row"] for each in (finding, *finding["related"])}
        for name, span in spans.items():
            if finding["verdict"] is not None and not rows.isdisjoint(span):
                assert finding["verdict"]["tier"] in ("witness", tier)
                said[finding["verdict"]["status"]].add(name)
    wrong = {status: {name for name in names if name.startswith("wrong_")} for status, names in said.items()}
    assert len(wrong["confirmed"]) >= CONFIRMED[module.stem]
    assert wrong.get("refuted", set()) <= wrong["confirmed"]
    assert said["confirmed"] == wrong["confirmed"]


@pytest.mark.frameworks
def test_the_program_on_the_page_is_confirmed_as_it_says(tmp_path: Path) -> None:
    pytest.importorskip("flax")
    page = (Path(__file__).parents[2] / "docs" / "runtime" / "verdicts.md").read_text("utf-8")
    section = page.partition("\n## The real framework\n")[2]
    (program,), (last,) = (re.findall(rf"^```{kind}\n(.*?)^```$", section, re.S | re.M) for kind in ("python", "text"))
    (tmp_path / "page.py").write_text(program, "utf-8")
    told = command(tmp_path, "--isolated", "--no-cache", "--output-format", "json", "--trace", "page.py")
    (verdict,) = [finding["verdict"] for finding in json.loads(told.stdout)]
    assert (verdict["status"], verdict["tier"], verdict["evidence"][-1]) == ("confirmed", "framework", last.strip())
