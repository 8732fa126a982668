"""Constructors that other files read from the one that imports them: its import stays, and the program runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import command
from migrated import given

TOOLS = "from jax.random import PRNGKey, normal\n\n\ndef draw(seed):\n    return normal(PRNGKey(seed))\n"
READERS = {
    "an attribute": "import jax\nimport tools\n\nresult = jax.random.normal(tools.PRNGKey(0)) + tools.draw(1)\n",
    "an import": "import jax\nfrom tools import PRNGKey, draw\n\nresult = jax.random.normal(PRNGKey(0)) + draw(1)\n",
    "an import in a function": """\
import jax


def draw():
    from tools import PRNGKey

    return jax.random.normal(PRNGKey(0))


result = draw()
""",
    "a star": "import jax\nfrom tools import *\n\nresult = jax.random.normal(PRNGKey(0)) + draw(1)\n",
}


def result(folder: Path) -> list[float]:
    """Return the result of a program."""
    found = given({path.name: path.read_text() for path in folder.glob("*.py")}, "main.py")
    assert found is not None
    return found[1]["result"]


@pytest.mark.parametrize("reader", READERS)
def test_a_constructor_that_another_file_reads_keeps_its_import(reader: str, tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(TOOLS)
    (tmp_path / "main.py").write_text(READERS[reader])
    before = result(tmp_path)
    command(tmp_path, "--migrate", "--fix", ".")
    assert "normal(key(seed))" in (tmp_path / "tools.py").read_text()
    assert result(tmp_path) == before


@pytest.mark.parametrize("reader", READERS)
def test_constructors_that_are_read_from_another_file_are_renamed_together(reader: str, tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(TOOLS)
    both = "both = jax.numpy.stack([{0}(0), jax.random.PRNGKey(1)])"
    name = "tools.PRNGKey" if reader == "an attribute" else "PRNGKey"
    inner = "from tools import PRNGKey\n" if reader == "an import in a function" else ""
    (tmp_path / "main.py").write_text(f"{READERS[reader]}{inner}{both.format(name)}\n")
    before = result(tmp_path)
    command(tmp_path, "--migrate", "--fix", ".")
    assert result(tmp_path) == before
    assert "PRNGKey(" not in (tmp_path / "main.py").read_text()


def test_an_import_that_nobody_reads_goes(tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(TOOLS)
    (tmp_path / "main.py").write_text("import tools\n\nresult = tools.draw(1)\n")
    command(tmp_path, "--migrate", "--fix", ".")
    assert "PRNGKey" not in (tmp_path / "tools.py").read_text()
