"""Past a limit of the analysis, a constructor is held back that would be held back without it; others stay free."""

from __future__ import annotations

from unittest import mock

import pytest
from migrated import is_told

from olympus_codemods.target import Target
from olympus_lint.migration.migration import Migration
from olympus_lint.migration.project import migrate
from olympus_lint.migration.text import Text
from olympus_lint.project.settings import Settings
from olympus_rules.reach.solver import slots

LIMITS: dict[str, dict[str, object]] = {
    "nothing is told apart": {"MOST_STEPS": 0, "MORE_STEPS": 0},
    "nothing is told apart after some steps": {"MOST_STEPS": 60, "MORE_STEPS": 10},
    "few are told apart": {"MOST_STEPS": 0, "MORE_STEPS": 1_000_000},
    "one of a kind": {"MOST_STEPS": 0, "MORE_STEPS": 1_000_000, "FEWER_TOLD_APART": (1, 0)},
    "one of a kind after some steps": {"MOST_STEPS": 100, "MORE_STEPS": 1_000_000, "FEWER_TOLD_APART": (1, 0)},
}
HEAD = """\
import dataclasses
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


class Pair(NamedTuple):
    w: Any
    rng: Any


@dataclass
class Data:
    w: Any
    rng: Any


class Plain:
    def __init__(self, w, rng):
        self.w, self.rng = w, rng


"""
STRUCT = """\
import flax


@flax.struct.dataclass
class Struct:
    w: Any
    rng: Any


"""
KEY = "jax.random.PRNGKey(0)"
FEW, CALLEES = 3, 40
PROGRAMS = {
    "element": f"def one(x):\n    return x[0]\n\n\nboxes = [[None], [{KEY}]]\none(boxes[1][0])",
    "attribute": f"def one(x):\n    return x.rng.tolist()\n\n\none(Plain(1, {KEY}))",
    "registry of a few": "\n".join(
        [*(f"def f{n}(x):\n    return x{'[0]' if n == 1 else ''}\n" for n in range(FEW)), ""]
    )
    + f"ALL = [{', '.join(f'f{n}' for n in range(FEW))}]\nfor each in ALL:\n    each({KEY})",
    "one that many classes hold": "\n".join(f"class C{n}:\n    rng = {n}\n" for n in range(FEW))
    + f"\nALL = [C0(), C1(), C2(), Plain(1, {KEY})]\nfor each in ALL:\n    each.rng.tolist()",
}


def migrated(program: str, **limits: object) -> tuple[Migration, bool]:
    """Return the migration of a program, and whether its last constructor is renamed."""
    text = f"{HEAD}{program}\nprint(jax.random.normal(jax.random.PRNGKey(7)))\n"
    with mock.patch.multiple(slots, **limits):
        migration = migrate([Text("program.py", Settings(), text)], Target("typed"))
    return migration, not migration.constructors["program.py"][-1].reasons


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_what_is_announced_without_a_limit_is_announced_with_one(program: str) -> None:
    for name, limits in {"no limit": {"MOST_STEPS": slots.MOST_STEPS}, **LIMITS}.items():
        migration, is_last_renamed = migrated(program, **limits)
        assert is_told(migration), name
        assert is_last_renamed, name


@pytest.mark.parametrize("limits", LIMITS.values(), ids=LIMITS)
def test_a_key_for_too_many_callees_is_announced_past_a_limit(limits: dict[str, object]) -> None:
    functions = [f"def f{n}(x):\n    return x{'[0]' if n == CALLEES - 1 else ''}\n" for n in range(CALLEES)]
    registry = f"ALL = [{', '.join(f'f{n}' for n in range(CALLEES))}]\nfor each in ALL:\n    each({KEY})"
    migration, is_last_renamed = migrated("\n".join([*functions, registry]), **limits)
    assert migration.is_open and is_last_renamed


def test_a_project_over_the_limit_of_lines_is_never_said_to_be_right(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the rules are not told of all files, nobody has looked at."""
    monkeypatch.setattr("olympus_rules.reach.answers.project.MOST_LINES", 0)
    text = "import jax\n\nkey = jax.random.PRNGKey(0)\nprint(jax.random.normal(key))\n"
    free, strict = (migrate([Text("a.py", Settings(), text)], Target("typed"), strict=each) for each in (False, True))
    assert free.free and free.is_cut_short and free.is_open
    assert strict.held and not strict.free
