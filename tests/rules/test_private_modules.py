"""The source of ``jax.random``: what the pack says of its functions holds where they are defined, too."""

from __future__ import annotations

import inspect
from pathlib import Path

import jax.random
import pytest

from tests.command_line import command

WRONG = {
    "two samplers": "def drawn(key, shape):\n  return normal(key, shape) + uniform(key, shape)  # error\n",
    "two splits": "def halves(key):\n  one = split(key)\n  return one, split(key)  # error\n",
    "a sampler and its inner function": (
        "def drawn(key, shape):\n  one, _ = _split(key)\n"
        "  first = uniform(one, shape)\n  return first + _normal(one, shape, float, None)  # error\n"
    ),
}
RIGHT = "def drawn(key, shape):\n  one, two = split(key)\n  return normal(one, shape) + uniform(two, shape)\n"


def source() -> tuple[Path, str]:
    """Return where in its package the source of the samplers is, and its text."""
    path = Path(inspect.getsourcefile(jax.random.normal) or "")
    return Path("jax", path.relative_to(Path(jax.__file__).parent)), path.read_text("utf-8")


def copied(folder: Path, text: str) -> str:
    """Write a package like JAX with some text at the end of that source, and return the file's path in it."""
    place, before = source()
    for package in [*place.parents][:-1]:
        (folder / package).mkdir(parents=True, exist_ok=True)
        (folder / package / "__init__.py").touch()
    (folder / place).write_text(f"{before}\n\n{text}", "utf-8")
    return str(place)


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_a_repeat_beside_the_samplers_is_found(tmp_path: Path, text: str) -> None:
    place = copied(tmp_path, text)
    said = command(tmp_path, "--no-cache", "--output-format", "concise", place).stdout
    row = (tmp_path / place).read_text("utf-8").split("  # error")[0].count("\n") + 1
    assert [line.split(":")[1] for line in said.splitlines() if "OLY104" in line] == [str(row)]


def test_the_samplers_themselves_are_quiet(tmp_path: Path) -> None:
    assert command(tmp_path, "--no-cache", copied(tmp_path, RIGHT)).returncode == 0


def test_names_of_private_modules_are_those_of_the_samplers(tmp_path: Path) -> None:
    body = "def drawn(key, shape):\n    return {0}(key, shape) + {0}(key, shape)\n"
    for module in ("jax._src.random", "jax._src.random.core"):
        (tmp_path / "program.py").write_text(f"from {module} import normal\n\n\n{body.format('normal')}")
        assert "OLY104" in command(tmp_path, "--no-cache", "program.py").stdout
