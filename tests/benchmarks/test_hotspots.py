"""Shares of the time by room, module and function."""

from __future__ import annotations

import ast
import cProfile

import hotspots
import pytest

from olympus_lint.project.settings import Settings
from olympus_lint.run.engine import lint_text


@pytest.mark.parametrize(
    ("file", "module", "room"),
    [
        (
            "/x/olympus_rules/keyflow/domain/terms.py",
            "olympus_rules/keyflow/domain/terms.py",
            "olympus_rules/keyflow/domain",
        ),
        ("/olympus/rules/olympus_rules/check.py", "olympus_rules/check.py", "olympus_rules"),
        ("/usr/lib/python3/ast.py", "ast.py", "Python and its library"),
    ],
)
def test_files_belong_to_rooms(file: str, module: str, room: str) -> None:
    assert hotspots.module_of(file) == module
    assert hotspots.room_of(module) == room


def test_what_is_written_in_c_counts_for_its_callers() -> None:
    text = "x = [1, 2, 3]\n" * 20_000
    profile = cProfile.Profile()
    profile.runcall(ast.parse, text)
    _, modules, functions = hotspots.shares(profile)
    assert functions["ast.py: parse"] / functions.total() > 0.9
    assert modules.total() == pytest.approx(functions.total()) and modules["ast.py"] > 0


def test_a_check_is_spent_in_rooms_of_the_program() -> None:
    text = "import jax\n\n\ndef f(key):\n    return jax.random.normal(key) + jax.random.bits(key)\n"
    profile = cProfile.Profile()
    profile.runcall(lint_text, "a.py", text, Settings())
    rooms, _, _ = hotspots.shares(profile)
    assert rooms["olympus_rules/keyflow/interpret"] > 0 and rooms["Python and its library"] > 0
