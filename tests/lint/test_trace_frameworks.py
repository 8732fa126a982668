"""``--trace`` and frameworks: the installed one is real, and of the project nothing but definitions is executed."""

from __future__ import annotations

import os
import textwrap
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from olympus.verdicts import Verdict
from olympus_lint.project.settings import Settings
from olympus_lint.run.engine import lint_text
from olympus_lint.tracing import Choice, Traced, judge
from olympus_lint.tracing.frameworks import imported_frameworks
from olympus_lint.tracing.process import BOOTSTRAP, Worker

pytest.importorskip("jax")
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the programs below are for POSIX")

LINEN = """\
import jax

class Module:
    def apply(self, variables, x, rngs):
        Module.rngs = rngs
        return self(x)

def compact(method):
    return method

class Dropout(Module):
    def __init__(self, rate, deterministic):
        self.rate = rate

    def __call__(self, x):
        return x * jax.random.bernoulli(jax.random.fold_in(Module.rngs["dropout"], 1), self.rate, x.shape)
"""
"""As much of flax as the programs here need."""
HEAD = """\
import os
import jax
import flax.linen as nn
"""
NET = """\
class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dropout(0.5, deterministic=False)(x)
"""
TWICE = """\
def twice(x: jax.Array, key):
    net = Net()
    {before}
    first = net.apply({{}}, x, rngs={{"dropout": key}})
    return first, net.apply({{}}, x, rngs={{"dropout": key}})
"""
PROGRAM = HEAD + NET + TWICE.format(before="pass")


def written(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return a folder of installed packages with a flax of ours."""
    written(tmp_path / "site", {"flax/__init__.py": "", "flax/linen.py": LINEN})
    return tmp_path / "site"


def bootstrap(site: Path, *, installed: bool = True) -> str:
    """Return what starts a worker that has a folder of packages."""
    known = f"import site\nsite.getsitepackages = lambda: [{str(site)!r}]\n" if installed else ""
    return BOOTSTRAP.replace("main()\n", f"sys.path.insert(0, {str(site)!r})\n{known}main()\n")


def judged(
    project: Path, files: dict[str, str], site: Path, *, installed: bool = True, **options: Any
) -> tuple[Verdict, Traced]:
    """Return the verdict on the one finding in ``program.py``, and how the tracing went."""
    written(project, files)
    verdicts, traced = all_judged([project / "program.py"], site, installed=installed, **options)
    return verdicts[project.name], traced


def all_judged(
    paths: list[Path], site: Path, *, installed: bool = True, **options: Any
) -> tuple[dict[str, Verdict], Traced]:
    """Return the verdict on the one finding in each file, by the name of its folder, and how the tracing went."""
    files = [lint_text(str(path), path.read_text(), Settings()) for path in paths]
    start = partial(Worker, bootstrap=bootstrap(site, installed=installed))
    traced = judge(files, {file.filename: Settings() for file in files}, Choice(start=start, **options))
    found: dict[str, Verdict] = {}
    for path, file in zip(paths, files, strict=True):
        (verdict,) = [each.verdict for each in file.findings if each.code == "OLY104"]
        assert verdict is not None
        found[path.parent.name] = verdict
    return found, traced


def each_judged(folder: Path, programs: dict[str, str], site: Path) -> tuple[dict[str, Verdict], Traced]:
    """Return the verdicts on programs that one worker traces, each in a folder of its own."""
    written(folder, {f"{name}/program.py": program for name, program in programs.items()})
    return all_judged([folder / name / "program.py" for name in programs], site)


def test_the_real_framework_says_what_its_modules_draw(tmp_path: Path, site: Path) -> None:
    verdict, traced = judged(tmp_path / "project", {"program.py": PROGRAM}, site)
    assert (verdict.status, verdict.tier, verdict.reason) == ("confirmed", "framework", None)
    assert verdict.evidence[0] == "key: fold_in(key, 1)"
    assert verdict.evidence[-1] == "traced: twice(x=f32[4], key=key)"
    assert not traced.deaths and not traced.failed


ENDS = "os._exit(3)"
LEVELS = {
    "a_call": ENDS,
    "a_value": f"x = {ENDS}",
    "a_function": f"def run():\n    {ENDS}\n\nrun()",
    "a_decorator": f"def run(f):\n    {ENDS}\n\n@run\ndef other():\n    pass",
    "a_class": f"class Other:\n    {ENDS}",
    "a_base": f"def run():\n    {ENDS}\n\nclass Other(run()):\n    pass",
    "a_default": f"def run():\n    {ENDS}\n\ndef other(x=run()):\n    pass",
    "a_condition": f"if {ENDS}:\n    pass",
    "a_loop": "while True:\n    pass",
    "a_comprehension": f"x = [{ENDS} for each in range(3)]",
    "a_file": "x = open('written', 'w')",
    "a_program": "import subprocess\nx = subprocess.run(['sleep', '1000'])",
    "a_compiled_function": f"@jax.jit\ndef run():\n    {ENDS}\n\nrun()",
    "main": f"if __name__ == '__main__':\n    {ENDS}",
}


def test_nothing_that_a_module_does_at_its_level_happens(tmp_path: Path, site: Path) -> None:
    programs = {name: HEAD + text + "\n\n\n" + NET + TWICE.format(before="pass") for name, text in LEVELS.items()}
    verdicts, traced = each_judged(tmp_path / "projects", programs, site)
    found = {name: (verdict.status, verdict.tier) for name, verdict in verdicts.items()}
    assert found == dict.fromkeys(LEVELS, ("confirmed", "framework"))
    assert not traced.deaths and not [*tmp_path.rglob("written")]


def test_other_modules_of_the_project_are_their_definitions_too(tmp_path: Path, site: Path) -> None:
    files = {
        "program.py": HEAD + "from nets import Net\n\n\n" + TWICE.format(before="pass"),
        "nets/__init__.py": f"import os\n{ENDS}\nfrom .dropout import Net\n",
        "nets/dropout.py": HEAD + f"from . import sizes\n{ENDS}\n\n\n" + NET,
        "nets/sizes.py": ENDS,
    }
    verdict, traced = judged(tmp_path / "project", files, site)
    assert (verdict.status, verdict.tier) == ("confirmed", "framework") and not traced.deaths


EFFECTS = {
    "writes": "open('written', 'w')",
    "removes": "os.remove('program.py')",
    "starts": "__import__('subprocess').run(['true'])",
    "connects": "__import__('socket').create_connection(('127.0.0.1', 9))",
    "asks": "input()",
    "needs_a_module": "import unknown_package",
    "needs_a_name": "unknown_name",
}


@pytest.mark.parametrize("before", ["{}", "try:\n        {}\n    except:\n        pass"], ids=["bare", "caught"])
def test_what_has_an_effect_or_needs_what_is_absent_ends_an_execution(tmp_path: Path, site: Path, before: str) -> None:
    programs = {name: HEAD + NET + TWICE.format(before=before.format(effect)) for name, effect in EFFECTS.items()}
    programs["good"] = PROGRAM
    verdicts, traced = each_judged(tmp_path / "projects", programs, site)
    assert [name for name, verdict in verdicts.items() if verdict.status == "confirmed"] == ["good"]
    assert not traced.deaths and not [*tmp_path.rglob("written")]


def test_a_folder_of_the_project_is_no_framework(tmp_path: Path, site: Path) -> None:
    program = "import flax\nimport jax\n\n\ndef f(key):\n    return flax.draw(key), jax.random.normal(key)\n"
    files = {"program.py": program, "flax/__init__.py": f"import os\n{ENDS}"}
    verdict, traced = judged(tmp_path / "project", files, site)
    assert verdict.status != "confirmed" and not traced.deaths
    assert verdict.reason is not None
    assert verdict.reason.endswith("; flax is a module of the project, which `--trace` does not import")


def test_a_folder_in_which_no_packages_are_installed_has_no_framework(tmp_path: Path) -> None:
    written(tmp_path / "elsewhere", {"flax/__init__.py": f"import os\n{ENDS}", "flax/linen.py": LINEN})
    verdict, traced = judged(tmp_path / "project", {"program.py": PROGRAM}, tmp_path / "elsewhere", installed=False)
    assert verdict.status != "confirmed" and not traced.deaths and verdict.reason is not None
    place = tmp_path / "elsewhere"
    assert verdict.reason.endswith(f"; flax is imported from {place}, where no packages are installed")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("raise RuntimeError('broken.')", "importing flax failed: RuntimeError: broken"),
        ("raise SystemExit", "importing flax failed: SystemExit"),
        ("while True: pass", "importing flax takes more than 2 s, the limit that --trace-timeout sets"),
    ],
)
def test_a_framework_that_cannot_be_imported_leaves_the_verdict(tmp_path: Path, site: Path, text: str, reason: str):
    (site / "flax/__init__.py").write_text(text)
    verdict, traced = judged(tmp_path / "project", {"program.py": PROGRAM}, site, importing=2.0)
    assert (verdict.status, verdict.tier) == ("not reached", "witness")
    assert verdict.reason is not None and verdict.reason.endswith(f"; {reason}")
    assert not traced.failed and not traced.deaths


def test_a_framework_that_is_missing_is_named(tmp_path: Path, site: Path) -> None:
    program = "import jax\nimport alphafold\n\n\ndef f(key):\n    return alphafold.draw(key), jax.random.normal(key)\n"
    verdict, traced = judged(tmp_path / "project", {"program.py": program}, site)
    assert verdict.tier == "witness" and verdict.reason is not None
    assert verdict.reason.endswith("; alphafold is not installed where JAX is") and not traced.failed


@pytest.mark.parametrize(
    ("text", "started"),
    [
        (PROGRAM, 2),
        ("import jax\n\n\ndef f(net, key):\n    return net(key), jax.random.bits(key)\n", 1),
        ("import flax\nimport jax\n\n\ndef f(key):\n    return jax.random.bits(key), jax.random.bits(key)\n", 1),
    ],
    ids=["open", "no_framework", "decided"],
)
def test_frameworks_are_asked_only_for_what_the_witness_left_open(
    tmp_path: Path, site: Path, text: str, started: int
) -> None:
    path = tmp_path / "program.py"
    path.write_text(text)
    file = lint_text(str(path), text, Settings())
    workers = []

    def start(*args: Any) -> Worker:
        workers.append(Worker(*args, bootstrap=bootstrap(site)))
        return workers[-1]

    judge([file], {file.filename: Settings()}, Choice(start=start))
    assert file.findings and len(workers) == started


@pytest.mark.parametrize(("ending", "tier"), [("", "function"), ("1 / 0", "framework")], ids=["imported", "fails"])
def test_the_real_module_is_preferred_where_it_can_be_imported(
    tmp_path: Path, site: Path, ending: str, tier: str
) -> None:
    files = {"program.py": f"{PROGRAM}\n\n{ending}\n"}
    verdict, _ = judged(tmp_path / "project", files, site, tiers=("witness", "function"))
    assert (verdict.status, verdict.tier) == ("confirmed", tier)


def test_frameworks_are_read_off_imports() -> None:
    text = """\
    import jax, optax as o
    from flax import linen
    from .haiku import nets
    import numpy

    def f():
        import equinox.nn
    """
    assert imported_frameworks(textwrap.dedent(text)) == ("equinox", "flax", "optax")
    assert imported_frameworks("import flax +") == () == imported_frameworks("x = 'flax'")
