"""After edits: a run tells what one without a cache tells, and checks what the edits reach and nothing else.

The programs are drawn by a seed: modules that import each other, in circles, too, with base classes and their heirs,
names that a package passes on, keyless modules between two others, and arrays of one's own.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import Outcome

from olympus_lint.run import runner
from olympus_rules.keyflow.linking.summariser import Summariser
from olympus_rules.syntax import disk

Run = Callable[..., Outcome]

MODULES = 10
HUBS = 2
"""The first modules, from which most others import."""
CALLS = ["{0}(key)", "{0}(jax.random.fold_in(key, {1}))", "{0}(jax.random.split(key)[{1}])"]
DRAWS = ["jax.random.normal(key)", "jax.random.uniform(key, ({1},))", "jax.random.fold_in(key, {1})", "key", "{1}"]
FUNCTION = "def {name}(key, n={default}):\n{body}"
BODIES = [
    "    return {first}\n",
    "    return {first}, {second}\n",
    "    if n > 1:\n        return {first}\n    return {second}\n",
    "    x = {first}\n    for _ in range(n):\n        x = {second}\n    return x\n",
    "    key, sub = jax.random.split(key)\n    x = jax.random.normal(sub)\n    return {first}, x\n",
]
BASE = "class Base{number}{base}:\n    def __init__(self, key):\n        self.key = key\n\n    def run(self, key):\n"
RUNS = ["        return self.draw(key), self.draw(key)\n", "        return self.draw(key), {first}\n"]
METHOD = "\n    def draw(self, key):\n        return {second}\n"
ARRAY = "class Base{number}:\n    def __jax_array__(self):\n        return jax.numpy.zeros(3)\n"
CELLS = ["import jax\nfrom pkg import {0}\n", "key = jax.random.key({1})\n", "a = {0}(key)\n", "b = {0}(key)\n"]


def expression(chance: random.Random, names: list[str]) -> str:
    callee = chance.choice(names) if names and chance.random() < 0.7 else ""
    form = chance.choice(CALLS if callee else DRAWS)
    return form.format(callee, chance.randrange(2, 4) if not callee else chance.randrange(2))


def module(number: int, chance: random.Random) -> str:
    """Return the text of a module that imports from the hubs, modules before it and few later ones."""
    others = [other for other in range(MODULES) if other != number and (other < number or chance.random() < 0.1)]
    chosen = {*chance.sample(others, min(len(others), 2)), *(hub for hub in range(HUBS) if hub < number)}
    lines, names, bases = ["# " * chance.randrange(2), "import jax"], list[str](), list[str]()
    for other in sorted(chosen):
        if chance.random() < 0.3:
            lines.append(f"import pkg.m{other}")
            names.append(f"pkg.m{other}.f{other}")
            bases += [f"pkg.m{other}.Base{other}"]
        else:
            source = chance.choice([f"pkg.m{other}", "pkg", "pkg.plain"])
            lines.append(f"from {source} import f{other}, Base{other}")
            names.append(f"f{other}")
            bases += [f"Base{other}"]
    base = f"({chance.choice(bases)})" if bases and chance.random() < 0.7 else ""
    filled = {"first": expression(chance, names), "second": expression(chance, names), "number": number, "base": base}
    class_ = BASE + chance.choice(RUNS) + METHOD * (chance.random() < 0.8)
    parts = [ARRAY if chance.random() < 0.1 else class_]
    for name in (f"f{number}", f"g{number}"):
        inner = {"first": expression(chance, names), "second": expression(chance, [*names, f"Base{number}"])}
        body = chance.choice(BODIES).format(**inner)
        parts.append(FUNCTION.format(name=name, default=chance.randrange(3), body=body))
    return "\n".join(lines) + "\n\n\n" + "\n\n".join(part.format(**filled) for part in parts)


def passing_on(chance: random.Random) -> str:
    """Return the text of a module without keys that passes names of others on."""
    whole = chance.random() < 0.2
    return "".join(
        f"from pkg.m{number} import {'*' if whole else f'f{number}, Base{number}'}\n" for number in range(MODULES)
    )


def notebook(chance: random.Random) -> str:
    cells = [cell.format(f"f{chance.randrange(MODULES)}", chance.randrange(2)) for cell in CELLS]
    made = [
        {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": [], "source": cell} for cell in cells
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def write_program(chance: random.Random) -> None:
    Path("pkg").mkdir()
    Path("pyproject.toml").write_text("[project]\nname = 'pkg'\n")
    for number in range(MODULES):
        Path(f"pkg/m{number}.py").write_text(module(number, chance))
    for name in ("__init__", "plain"):
        Path(f"pkg/{name}.py").write_text(passing_on(chance))
    Path("book.ipynb").write_text(notebook(chance))


def edit(chance: random.Random) -> str:
    """Edit some files, add, delete or rename one; return what was done."""
    kind = chance.choices(
        ["leaf", "hub", "several", "passing", "book", "delete", "add", "rename"], [5, 3, 2, 1, 1, 1, 2, 1]
    )
    leaf, there = chance.randrange(HUBS, MODULES), sorted(Path("pkg").glob("m*.py"))
    chosen = {
        "leaf": [leaf],
        "hub": [chance.randrange(HUBS)],
        "several": chance.sample(range(MODULES), 3),
        "add": [leaf],
    }
    for number in chosen.get(kind[0], []):
        Path(f"pkg/m{number}.py").write_text(module(number, chance))
    if kind[0] == "passing":
        Path("pkg", chance.choice(["__init__.py", "plain.py"])).write_text(passing_on(chance))
    elif kind[0] == "book":
        Path("book.ipynb").write_text(notebook(chance))
    elif kind[0] == "delete":
        chance.choice(there).unlink()
    elif kind[0] == "rename":
        chance.choice(there).rename(chance.choice([f"pkg/m{leaf}.py", f"pkg/m{leaf}_moved.py"]))
    elif kind[0] == "add":
        Path("pkg", f"new{chance.randrange(3)}.py").write_text(module(leaf, chance))
    return kind[0]


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the status of a file prove something at once; forget the looks of the test."""
    monkeypatch.setattr(disk, "RECENT", -(10**18))
    yield
    disk.forget()


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """List the files that each run checks, as far as it checks any."""
    runs: list[list[str]] = []
    check = runner.checked

    def listed(files, *rest):
        runs.append(sorted(Path(file.filename).name for file in files))
        return check(files, *rest)

    monkeypatch.setattr(runner, "checked", listed)
    return runs


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """List the files whose functions are interpreted, once for each function."""
    files: list[str] = []
    interpret = Summariser._interpret

    def listed(self, *rest):
        files.append(Path(self.file.document.path).name)
        return interpret(self, *rest)

    monkeypatch.setattr(Summariser, "_interpret", listed)
    return files


def told(outcome: Outcome) -> tuple[int, str, str]:
    return outcome.status, outcome.out, outcome.err


@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.search) for seed in range(4, 40))])
def test_after_any_edit_a_run_tells_what_a_run_without_a_cache_does(run: Run, project: Path, seed: int) -> None:
    chance = random.Random(seed)
    write_program(chance)
    options = [".", "--output-format", "json", "--select", "OLY", "--min-confidence", "possible"]
    run(*options)
    for number in range(14):
        done = edit(chance)
        assert told(run(*options)) == told(run(*options, "--no-cache")), (number, done)


def layered(files: int) -> None:
    """Write a hub, modules that import it, and a module for each of these that imports that one alone."""
    Path("pkg").mkdir()
    Path("pyproject.toml").write_text("[project]\nname = 'pkg'\n")
    draw = "import jax\n\n\ndef draw(key):\n    return jax.random.normal(key)\n"
    texts = {"__init__": "", "hub": draw + "\n\ndef other(key):\n    return jax.random.bits(key)\n"}
    for number in range(files):
        name = "draw" if number else "other"
        texts[f"use{number}"] = (
            f"import jax.random\nfrom pkg.hub import {name}\n\n\ndef f(key):\n    return {name}(key), 1\n"
        )
        texts[f"leaf{number}"] = (
            f"import jax.random\nfrom pkg.use{number} import f\n\n\ndef g(key):\n    return f(key), f(key)\n"
        )
    for name, text in texts.items():
        Path(f"pkg/{name}.py").write_text(text)


def replace(name: str, old: str, new: str) -> None:
    text = Path(name).read_text()
    assert old in text
    Path(name).write_text(text.replace(old, new))


def test_an_edit_costs_the_file_and_what_rests_on_it(
    run: Run, project: Path, checked: list[list[str]], interpreted: list[str]
) -> None:
    layered(6)
    run(".")
    interpreted.clear()
    replace("pkg/leaf3.py", "return f(key), f(key)", "return f(key)")
    assert "leaf3.py" not in run(".").out
    assert checked[-1] == ["leaf3.py"]
    assert set(interpreted) == {"leaf3.py"}, "what it imports is known"
    interpreted.clear()
    replace("pkg/hub.py", "return jax.random.normal(key)", "x = jax.random.normal(key)\n    return x")
    run(".")
    assert checked[-1] == ["hub.py"], "its answers are the same"
    assert set(interpreted) == {"hub.py"}
    interpreted.clear()
    replace("pkg/hub.py", "return jax.random.bits(key)", "return jax.random.fold_in(key, 1)")
    run(".")
    assert checked[-1] == ["hub.py", "leaf0.py", "use0.py"], "only these ask for that function"
    assert set(interpreted) == {*checked[-1]}
    interpreted.clear()
    replace("pkg/use0.py", "other(key), 1", "other(key), 2")
    replace("pkg/use1.py", "draw(key), 1", "draw(key), draw(key)")
    run(".")
    assert {"use0.py", "use1.py"} <= {*checked[-1]} <= {"leaf0.py", "leaf1.py", "use0.py", "use1.py"}
    assert told(run(".")) == told(run(".", "--no-cache"))


def test_a_text_that_shows_something_else_to_others_is_looked_at_by_all(
    run: Run, project: Path, checked: list[list[str]]
) -> None:
    """Whether a file that names no library is checked hangs on the names that others pass on."""
    layered(2)
    Path("pkg/plain.py").write_text("from pkg.__init__ import other as draw\n")
    Path("pkg/asks.py").write_text("from pkg.plain import draw\n\n\ndef f(key):\n    return draw(key), draw(key)\n")
    assert "asks.py" not in run(".").out
    replace("pkg/plain.py", "pkg.__init__ import other as", "pkg.hub import")
    assert "asks.py" in run(".").out
    assert "asks.py" in checked[-1]
    assert told(run(".")) == told(run(".", "--no-cache"))


def test_classes_that_are_bases_of_each_other_while_they_are_edited(run: Run, project: Path) -> None:
    text = "import jax\nfrom {0} import {0}\n\n\nclass {1}({0}):\n    def run(self, key):\n{2}"
    twice = "        return jax.random.normal(key), jax.random.normal(key)\n"
    Path("A.py").write_text(text.format("B", "A", twice))
    Path("B.py").write_text(text.format("A", "B", twice.replace("normal", "bits")))
    found = run(".", "--output-format", "concise")
    assert found.status == 1
    assert found.out.count("OLY104") == 2
