"""What a migration costs does not grow with the square of what comes together in it."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import pytest

from olympus_codemods.target import Target
from olympus_lint.migration import rewriting
from olympus_lint.migration.project import migrate
from olympus_lint.migration.text import Text
from olympus_lint.project.settings import Settings
from olympus_rules.reach.answers import paths
from olympus_rules.reach.answers.project import ProjectReach, reach
from olympus_rules.reach.solver.slots import Slots
from olympus_rules.syntax import Document

MANY = 40


def reached(text: str) -> tuple[ProjectReach, Document]:
    """Return the analysis of one file."""
    document = Document("a.py", text)
    return reach({"a.py": document}, None), document


CLASSES = "".join(
    f"class C{number}:\n    def __init__(self):\n        self.a = Field()\n\n\n" for number in range(MANY)
)
DESCRIPTORS = f"""\
import jax


class Field:
    def __get__(self, owner, kind):
        return jax.random.PRNGKey(0)


{CLASSES}def read(x):
    return [{", ".join("x.a" for _ in range(MANY))}]


{"".join(f"read(C{number}())" + chr(10) for number in range(MANY))}"""


def test_what_a_special_method_gives_is_worked_out_once_for_a_class() -> None:
    watched: list[object] = []
    watch = Slots.watch

    def counted(slots: Slots, *args: object, **options: bool) -> None:
        watched.append(args[0])
        watch(slots, *args, **options)  # type: ignore[arg-type]

    with mock.patch.object(Slots, "watch", counted):
        reached(DESCRIPTORS)
    assert len(watched) < MANY * MANY * 2


@pytest.mark.parametrize(
    ("text", "checks"),
    [
        ("import jax\n\n\ndef draw(key):\n    return jax.random.normal(key)\n", 1),
        ("import jax\n\nkey = jax.random.PRNGKey(0)\n", 1),
        ("from jax.random import PRNGKey\n\nkey = PRNGKey(0)\n", 2),
    ],
    ids=["nothing to do", "a constructor is renamed", "an import is renamed with it"],
)
def test_a_text_is_checked_as_long_as_there_is_more_to_rename(tmp_path: Path, text: str, checks: int) -> None:
    with mock.patch.object(rewriting, "check", wraps=rewriting.check) as check:
        made = migrate([Text(str(tmp_path / "a.py"), Settings(), text)], Target("typed"), strict=True)
    assert check.call_count == checks
    assert ("jax.random.key(0)" in made.texts[0].new) == ("PRNGKey" in text)
    assert "PRNGKey" not in made.texts[0].new


CALLS = 30
HANDED = f"""\
import jax
import unknown

{"".join(f"def f{number}(x):" + chr(10) + f"    return f{number + 1}(x)" + chr(10) * 3 for number in range(CALLS))}
def f{CALLS}(x):
    return x


keys = [jax.random.PRNGKey(0), jax.random.PRNGKey(1)]
{"".join(f"unknown.take(f0(keys[{number % 2}]))" + chr(10) for number in range(CALLS))}"""


def plan_of(text: str) -> list[list[tuple[int, str, int]]]:
    """Return what is said of each constructor: lines, reasons, and the lengths of the paths."""
    made = migrate([Text("a.py", Settings(), text)], Target("typed"), strict=True)
    return [[(r.line.row, r.text, len(r.path)) for r in each.reasons] for each in made.constructors["a.py"]]


def test_past_the_limit_of_searches_only_the_paths_are_missing() -> None:
    whole = plan_of(HANDED)
    assert all(any(length > 2 for *_, length in reasons) for reasons in whole)
    with mock.patch.object(paths, "MOST_VISITED", 0):
        cut = plan_of(HANDED)
    assert cut == [[(row, text, 0) for row, text, _ in reasons] for reasons in whole]


def test_a_search_ends_at_the_constructors_that_are_asked_for() -> None:
    document = Document("a.py", HANDED)
    found = reach({"a.py": document}, None)
    (place, *_) = [call.place for call in found.calls.all if call.callee == "unknown.take"]
    first, second = sorted(found.paths_into(place, found.keys_in(found.calls.all[-1].given)))
    before = found._paths._left
    assert [*found.paths_into(place, [first])] == [first]
    one = before - found._paths._left
    before = found._paths._left
    assert {*found.paths_into(place, [first, second])} == {first, second}
    assert one <= before - found._paths._left
    before = found._paths._left
    assert not found.paths_into(place, []) and found._paths._left == before


def test_a_constructor_in_an_f_string_is_renamed(tmp_path: Path) -> None:
    text = "import jax\n\nprint(f'{jax.random.PRNGKey(0).shape} {jax.random.PRNGKey(0).shape}')\n"
    made = migrate([Text(str(tmp_path / "a.py"), Settings(), text)], Target("typed"), unsafe=True)
    assert made.texts[0].new.count("jax.random.key(0)") == 2
