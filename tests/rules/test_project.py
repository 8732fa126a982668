"""Names that lead through other modules of the project."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import pytest

from olympus_rules.finding import Confidence
from olympus_rules.keyflow.facts import Reuse
from olympus_rules.keyflow.linking import project as linking
from olympus_rules.keyflow.linking.driver import analyse
from olympus_rules.keyflow.linking.project import Project
from olympus_rules.syntax import Document
from olympus_rules.syntax.project import locate, locate_name

FILES = {
    "pyproject.toml": "",
    "src/pkg/__init__.py": "from pkg.compat import (  # the public names\n    jr,\n    split_two as split,\n)\n",
    "src/pkg/compat.py": "try:\n    from jax import random as jr\nexcept ImportError:\n    jr = None\n"
    "from jax.random import split as split_two\nfrom . import rng_utils\n\n\ndef helper(key):\n    return key\n",
    "src/pkg/rng_utils.py": "import jax.random as jrandom\nfrom pkg.ring import loop\n",
    "src/pkg/ring.py": "from pkg.rng_utils import loop\n",
    "tests/test_a.py": "",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("pkg.split", ("src/pkg/__init__.py", "split")),
        ("pkg.compat.jr", ("src/pkg/compat.py", "jr")),
        ("pkg.compat.Class.method", ("src/pkg/compat.py", "Class.method")),
        ("pkg.rng_utils.loop", ("src/pkg/rng_utils.py", "loop")),
        ("pkg", None),
        ("jax.random.normal", None),
        ("elsewhere.thing", None),
    ],
)
def test_places_of_names(project: Path, name: str, place: tuple[str, str] | None) -> None:
    found = locate_name(locate(project / "tests/test_a.py").roots, name)
    assert found == (None if place is None else (project / place[0], place[1]))


def test_module_names(project: Path) -> None:
    inner, package = locate(project / "src/pkg/compat.py"), locate(project / "src/pkg/__init__.py")
    assert (inner.module, inner.is_package) == ("pkg.compat", False)
    assert (package.module, package.is_package) == ("pkg", True)
    assert locate(project / "tests/test_a.py").module == ""
    assert locate(Path("-")).module == ""


def test_a_folder_in_a_package_without_an_init_belongs_to_it(project: Path) -> None:
    inner = locate(project / "src/pkg/scripts/run.py")
    assert inner.module == "pkg.scripts.run"
    assert inner.roots[0] == project / "src/pkg/scripts"  # a script finds what lies beside it
    assert project / "src" in inner.roots


def test_the_root_of_a_project_is_no_package(tmp_path: Path) -> None:
    """Some repositories have an ``__init__`` beside their settings."""
    (tmp_path / "repo" / "pkg").mkdir(parents=True)
    for name in ("repo/__init__.py", "repo/pyproject.toml", "repo/pkg/__init__.py", "repo/pkg/a.py"):
        (tmp_path / name).touch()
    assert locate(tmp_path / "repo/pkg/a.py").module == "pkg.a"
    assert tmp_path / "repo" in locate(tmp_path / "repo/tests/test_a.py").roots


@pytest.mark.parametrize(
    ("imports", "draw"),
    [
        ("from pkg import jr", "jr.normal"),
        ("import pkg", "pkg.jr.normal"),
        ("from pkg import compat", "compat.jr.normal"),
        ("from pkg.compat import rng_utils as u", "u.jrandom.normal"),
    ],
)
def test_reuse_through_a_reexport(project: Path, imports: str, draw: str) -> None:
    path = project / "tests/test_a.py"
    source = f"import jax\n{imports}\n\n\ndef f(key):\n    return {draw}(key) + {draw}(key)\n"
    place = locate(path)
    facts = analyse(Document(str(path), source, module=place.module, roots=place.roots), by_name=False)
    assert [fact.node.lineno for fact in facts if isinstance(fact, Reuse)] == [6]  # type: ignore[attr-defined]


MAKER = """
import jax

def draw(key):
    return jax.random.normal(key)

def make(function):
    def inner(key):
        return function(key)
    return inner

step = make(draw)
"""
TWICE = """
import jax
from maker import step

def twice(key):
    return step(key) + jax.random.normal(key)
"""


@pytest.mark.parametrize("order", [("maker", "user"), ("user", "maker"), ("user",)])
def test_a_finding_does_not_depend_on_the_order_of_the_files(tmp_path: Path, order: tuple[str, ...]) -> None:
    for name, text in {"pyproject.toml": "", "maker.py": MAKER, "user.py": TWICE}.items():
        (tmp_path / name).write_text(text)
    files, found = Project(), []
    for name in order:
        path = tmp_path / f"{name}.py"
        found += files.analysis(files.document(str(path), path.read_text())).run()
    assert [fact.confidence for fact in found if isinstance(fact, Reuse)] == [Confidence.CERTAIN]


def test_closed_analyses_are_freed_without_the_garbage_collector(tmp_path: Path) -> None:
    files, kept = Project(), []
    source = (
        "from jax import random\n\n\ndef draw(key, n, m):\n    if n > 1 and m > 2 or not n:\n"
        "        return random.normal(key)\n    return random.uniform(key), random.split(key)\n"
        "\n\nclass Drawer:\n    def __init__(self, key):\n        self.key = key\n"
    )
    gc.collect()
    gc.disable()
    try:
        for name in ("a.py", "b.py"):
            path = tmp_path / name
            path.write_text(source, "utf-8")
            document = files.document(str(path), source)
            assert analyse(document, project=files)
            file = files.analysis(document).file
            kept += [weakref.ref(part) for part in (file.terms, file.decisions, file.knowledge)]
            del document, file
        files.close()
        assert [part() for part in kept[:3]] == [None] * 3
    finally:
        gc.enable()


def test_analyses_are_kept_as_long_as_their_texts_are_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files, text = Project(), "from jax import random\n\n\ndef draw(key):\n    return random.normal(key)\n"

    def kept(name: str, text: str = text) -> set[str]:
        path = tmp_path / name
        path.write_text(text, "utf-8")
        analyse(files.document(str(path), text), project=files)
        return {Path(path).name for path in files._analyses}

    monkeypatch.setattr(linking, "MOST_TEXT", 2 * len(text))
    monkeypatch.setattr(linking, "GROWTH", 0)
    assert kept("a.py") == {"a.py"}
    assert kept("b.py") == {"a.py", "b.py"}
    assert kept("c.py") == {"b.py", "c.py"}
    assert kept("long.py", text * 9) == {"long.py"}  # the latest one stays, however long it is
    monkeypatch.setattr(linking, "GROWTH", 1)
    assert kept("d.py") == {"d.py"}  # it needs room before it is opened


def test_a_closed_analysis_holds_no_class_with_its_scope() -> None:
    source = "class Drawer:\n    def __init__(self, key):\n        self.key = key\n"
    analysis = Project().analysis(Document("a.py", source))  # asked by other files, so its own facts are never judged
    analysis.prepare()
    module = analysis.file.module
    assert module.block.body
    analysis.close()
    assert not module.block.body


SIBLING = {
    "helpers.py": "from jax import random\n\n\ndef noise(key):\n    return random.normal(key)\n\n\n"
    "class Sampler:\n    def __init__(self, key):\n        self.key = key\n\n    def draw(self):\n"
    "        return random.uniform(self.key)\n",
    "__init__.py": "",
}
SCRIPTS = {
    "a function": ("from helpers import noise", "noise({})"),
    "a module": ("import helpers", "helpers.noise(key={})"),
    "a class": ("from helpers import Sampler", "Sampler({}).draw()"),
}


@pytest.mark.parametrize(("imported", "call"), SCRIPTS.values(), ids=SCRIPTS)
@pytest.mark.parametrize("is_right", [True, False])
def test_a_script_imports_what_lies_beside_it(tmp_path: Path, imported: str, call: str, *, is_right: bool) -> None:
    folder = tmp_path / "pkg" / "scripts"
    folder.mkdir(parents=True)
    for name, text in {"../../pyproject.toml": "", "../__init__.py": "", **SIBLING}.items():
        (folder / name).write_text(text)
    second = "other" if is_right else "key"
    source = (
        f"from jax import random\n{imported}\n\n\ndef main():\n    key, other = random.split(random.key(0))\n"
        f"    return {call.format('key')} + {call.format(second)}\n"
    )
    files = Project()
    found = files.analysis(files.document(str(folder / "run.py"), source)).run()
    assert sum(isinstance(fact, Reuse) for fact in found) == (0 if is_right else 1)


WRITTEN = ["if mine:\n            self.normal = mine", "if self.flag: self.normal = mine", "self.normal: object = mine"]


@pytest.mark.parametrize("statement", WRITTEN)
def test_a_namespace_whose_sampler_may_be_another_is_not_followed(statement: str) -> None:
    source = (
        "import jax\n\n\nclass Backend:\n    flag = True\n    normal = staticmethod(jax.random.normal)\n\n"
        f"    def __init__(self, mine):\n        {statement}\n\n\n"
        "def main(mine):\n    backend, key = Backend(mine), jax.random.key(0)\n"
        "    return backend.normal(key), backend.normal(key)\n"
    )
    found = analyse(Document("a.py", source))
    assert not [fact for fact in found if isinstance(fact, Reuse) and fact.confidence is Confidence.CERTAIN]
