"""What a witness says of a program whose text marks the places of a finding."""

from __future__ import annotations

from pathlib import Path

from marked import read

from olympus.verdicts import Place, Question, Verdict
from olympus.witness.answer import answer
from olympus.witness.execution import Target


def verdict(
    source: str, folder: Path, code: str = "OLY104", *, certain: bool = True, packages: frozenset[str] = frozenset()
) -> Verdict:
    """Return what a witness says of the places that are marked in a program."""
    program = read(f"import jax\n{source}\n")
    file = folder / "program.py"
    file.write_text(program.text, "utf-8")
    first, second = (Place(str(file), *program.places[mark]) for mark in "12")
    question = Question(code, second, None if first == second else first, certain)
    (found,) = answer(Target(str(file), program.text, "program", "", packages=packages), [question])
    return found
