"""With and without the look at bytes, the findings are the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from prefilter import differences, told
from samples import python_files, with_keys

from olympus_lint.run import engine, runner

ROOT = Path(__file__).parents[2]
KEYS = "import jax\n\n\ndef draw(key):\n    return jax.random.normal(key)\n"
BORROWS = "from keys import draw\n\n\ndef twice(key):\n    return draw(key), draw(key)\n"


@pytest.mark.search
@pytest.mark.parametrize("folder", ["tests/twins/files", "codemods"])
def test_files_of_this_repository(folder: str) -> None:
    files = python_files([ROOT / folder])
    assert len(files) > 5
    assert differences(files) == []


def test_files_beside_each_other(tmp_path: Path) -> None:
    for name, text in {"keys": KEYS, "borrows": BORROWS, "plain": "x = 1\n", "broken": "x = (\n"}.items():
        (tmp_path / f"{name}.py").write_text(text)
    files = python_files([tmp_path])
    assert [path.name for path in with_keys(files)] == ["borrows.py", "keys.py"]
    assert {each.partition(": ")[2][:6] for each in told(files)} == {"OLY104", "OLY902"}
    assert differences(files) == []


def test_what_a_look_would_lose_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (engine, runner):
        monkeypatch.setattr(module, "worth_checking", lambda *_: False)
    (tmp_path / "keys.py").write_text(KEYS.replace("(key)\n", "(key) + jax.random.bits(key)\n"))
    (found,) = differences([tmp_path / "keys.py"])
    assert found.startswith("without: ") and "OLY104" in found
