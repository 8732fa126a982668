"""What the linter says of the pairs: the wrong twins that it finds by default, and the right ones that it alarms on."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import command
from frameworks.test_pairs import MODULES, functions

from olympus_rules.check import check
from olympus_rules.finding import Confidence
from olympus_rules.syntax import Document

REUSE = ("OLY104", "OLY108")
FOUND = {"equinox": 27, "flax_linen": 34, "flax_nnx": 16, "haiku": 24, "numpyro": 26, "others": 24}
"""How many wrong twins are found; the numbers only grow."""
ALARMS = {
    "equinox": {"right_key_as_field"},
    "flax_linen": set[str](),
    "flax_nnx": {"right_two_dropouts"},
    "haiku": {"right_evaluation", "right_key_in_state", "right_state_of_sequence"},
    "numpyro": {"right_condition", "right_posterior_predictive"},
    "others": set[str](),
}
"""The right twins with a finding: what draws nothing there depends on a value, or on what a library does with it."""


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.stem)
def test_wrong_twins_are_found_and_right_ones_are_quiet(module: Path) -> None:
    checked = check(Document("programs.py", module.read_text("utf-8")), min_confidence=Confidence.LIKELY)
    assert not checked.errors
    findings = [report.finding for report in checked.reports if report.finding.code in REUSE]
    rows = [{each.span.start.row, *(place.span.start.row for place in each.related)} for each in findings]
    spans = {name: range(node.lineno, (node.end_lineno or 0) + 1) for name, node in functions(module).items()}
    told = {name for name, span in spans.items() if any(not found.isdisjoint(span) for found in rows)}
    assert len({name for name in told if name.startswith("wrong_")}) >= FOUND[module.stem]
    assert {name for name in told if name.startswith("right_")} == ALARMS[module.stem]


NETS = """\
import flax.linen as nn
import jax


class Net(nn.Module):
    @nn.compact
    def __call__(self, x, train=True):
        return nn.Dropout(0.5, deterministic=not train)(x)


def predict(model, params, x, key):
    return model.apply(params, x, rngs={"dropout": key})
"""


@pytest.mark.parametrize(
    ("models", "is_found"),
    [("net, net", True), ("Net(), Net()", True), ("net, other", False), ("Net(), nets.Net(0.1)", False)],
)
def test_a_module_is_known_across_files(tmp_path: Path, models: str, is_found: bool) -> None:
    first, second = models.split(", ")
    (tmp_path / "nets.py").write_text(NETS)
    (tmp_path / "main.py").write_text(
        "import jax\nimport nets\nfrom nets import Net, predict\n\n\n"
        "def twice(net, other, params, x, seed):\n    key = jax.random.key(seed)\n"
        f"    return predict({first}, params, x, key), predict({second}, params, x, key)\n"
    )
    done = command(tmp_path, "--isolated", "--no-cache", "--output-format", "concise", ".")
    assert done.returncode == int(is_found)
    assert ("OLY104" in done.stdout) == is_found
