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
        ("import jax\n\nkey = jax.random.PRNGKey(0)\n", 2),
    ],
    ids=["nothing to do", "a constructor is renamed"],
)
def test_each_text_of_a_file_is_checked_once(tmp_path: Path, text: str, checks: int) -> None:
    with mock.patch.object(rewriting, "check", wraps=rewriting.check) as check:
        made = migrate([Text(str(tmp_path / "a.py"), Settings(), text)], Target("typed"), strict=True)
    assert check.call_count == checks
    assert ("jax.random.key(0)" in made.texts[0].new) == ("PRNGKey" in text)


def test_a_constructor_in_an_f_string_is_renamed(tmp_path: Path) -> None:
    text = "import jax\n\nprint(f'{jax.random.PRNGKey(0).shape} {jax.random.PRNGKey(0).shape}')\n"
    made = migrate([Text(str(tmp_path / "a.py"), Settings(), text)], Target("typed"), unsafe=True)
    assert made.texts[0].new.count("jax.random.key(0)") == 2
