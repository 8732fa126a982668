"""The import hook: ``olympus`` in the place of ``jax`` in every import statement."""

from __future__ import annotations

import importlib
import subprocess
import sys
import warnings
from contextlib import suppress
from pathlib import Path
from types import ModuleType

import pytest

jax = pytest.importorskip("jax", reason="the modules are JAX's")

import olympus  # noqa: E402
from olympus.namespace import importing  # noqa: E402

PACKAGE = Path(jax.__file__).parent


def module_names() -> list[str]:
    """Return the names of JAX's public modules below ``jax``, from its files."""
    names = []
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if name and not any(part.startswith("_") for part in name.split(".")):
            names.append(name)
    return names


def imported(name: str) -> ModuleType | None:
    """Import a module, or return `None` where it cannot be: some of JAX's need a GPU, or TensorFlow."""
    with warnings.catch_warnings(), suppress(Exception):
        warnings.simplefilter("ignore")
        return importlib.import_module(name)
    return None


def test_every_module_of_jax_can_be_imported_under_our_name():
    names = module_names()
    assert {"scipy.linalg", "experimental.pallas.ops", "lax.linalg", "numpy.fft", "core"} <= set(names)
    count, failed = 0, set[str]()
    for name in names:
        # One below a package that cannot be imported may be there all the same, left over from that attempt.
        theirs = None if name.rpartition(".")[0] in failed else imported(f"jax.{name}")
        if theirs is None:
            failed.add(name)
            continue
        count += 1
        ours = imported(f"olympus.{name}")
        assert ours is not None, name
        assert ours is theirs or ours.__name__ == f"olympus.{name}"
        assert sys.modules[f"olympus.{name}"] is ours
        assert theirs.__spec__ is not None
        assert theirs.__spec__.name == theirs.__name__ == f"jax.{name}"
    assert count > len(names) / 2


def test_no_file_of_jax_is_loaded_twice():
    importlib.import_module("olympus.experimental.pallas")
    importlib.import_module("olympus.lax.linalg")
    for name, module in list(sys.modules.items()):
        if name.startswith("olympus.") and str(getattr(module, "__file__", "")).startswith(str(PACKAGE)):
            assert module.__name__ == name.replace("olympus", "jax", 1)


STATEMENTS = {
    "import olympus.scipy.stats\nvalue = olympus.scipy.stats": "jax.scipy.stats",
    "import olympus.scipy.stats as s\nvalue = s": "jax.scipy.stats",
    "from olympus.scipy import stats as value": "jax.scipy.stats",
    "from olympus import sharding as value": "jax.sharding",
    "import olympus.core\nvalue = olympus.core": "jax.core",
    "import olympus.lax.linalg\nvalue = olympus.lax.linalg": "jax.lax.linalg",
    "from olympus.experimental import pallas as value": "jax.experimental.pallas",
    "from olympus.experimental.pallas import tpu as value": "jax.experimental.pallas.tpu",
    "import olympus._src.core as value": "jax._src.core",
    "from olympus._src import core as value": "jax._src.core",
    "import olympus\nvalue = olympus._src.core": "jax._src.core",
}


@pytest.mark.search
@pytest.mark.parametrize("statement", STATEMENTS)
def test_statements(statement: str):
    done = subprocess.run(
        [sys.executable, "-c", f"{statement}\nimport sys\nprint(value.__name__, value is sys.modules[value.__name__])"],
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == (f"{STATEMENTS[statement]} True\n", "")


def test_names_of_modules():
    names: dict[str, object] = {}
    exec(
        "from olympus.tree_util import tree_map\nfrom olympus.core import Tracer\nfrom olympus.scipy.special import *\n"
        "import olympus.numpy.linalg as la\nfrom olympus.nn import initializers\n"
        "from olympus.sharding import Mesh, PartitionSpec as P\nfrom olympus.experimental.shard_map import shard_map\n",
        names,
    )
    assert names["tree_map"] is jax.tree_util.tree_map
    assert names["Tracer"] is jax.core.Tracer is olympus.core.Tracer
    assert names["logsumexp"] is jax.scipy.special.logsumexp
    assert names["la"] is olympus.numpy.linalg is not jax.numpy.linalg
    assert names["initializers"] is jax.nn.initializers
    assert names["P"] is jax.sharding.PartitionSpec


def test_our_modules_go_first():
    for name in ("random", "numpy", "numpy.fft", "lax", "dtypes", "tree", "errors"):
        assert importlib.import_module(f"olympus.{name}").__name__ == f"olympus.{name}"


def test_an_unknown_module_is_said_to_be_missing_under_our_name():
    for name in ("olympus.scpy", "olympus.jit", "olympus.lax.lingalg"):
        with pytest.raises(ModuleNotFoundError, match=f"^No module named {name!r}$"):
            importlib.import_module(name)
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'olympus.scipy.stat'"):
        importlib.import_module("olympus.scipy.stat")


def test_other_imports_are_not_ours():
    assert importing.JAXFinder.find_spec("json") is None
    assert importing.JAXFinder.find_spec("olympus_rules") is None
    assert importing.JAXFinder.find_spec("olympus.random") is None


def test_the_hook_is_added_once():
    importing.install()
    importlib.reload(importing).install()
    assert [getattr(finder, "__name__", "") for finder in sys.meta_path].count("JAXFinder") == 1


# -- names that JAX is about to remove, or has removed ---------------------------------------------------------------


def test_a_name_that_jax_removed_is_explained_in_its_words():
    removed = [name for name, (_, value) in getattr(jax, "_deprecations", {}).items() if value is None]
    if not removed:
        pytest.skip("this JAX has removed no name")
    for name in removed:
        with pytest.raises(AttributeError) as theirs:
            getattr(jax, name)
        with pytest.raises(AttributeError) as ours:
            getattr(olympus, name)
        assert str(ours.value) == str(theirs.value)
        assert ours.value.obj is olympus


@pytest.mark.parametrize("name", ["jax", "jax.lax", "jax.random", "jax.numpy"])
def test_a_name_on_its_way_out_warns_at_the_user_s_line(name: str, monkeypatch: pytest.MonkeyPatch):
    def leaving(entry: str) -> object:
        if entry != "leaving":
            raise AttributeError(f"module {name!r} has no attribute {entry!r}")
        warnings.warn("leaving is deprecated", DeprecationWarning, stacklevel=2)
        return 7

    monkeypatch.setattr(sys.modules[name], "__getattr__", leaving, raising=False)
    module = importlib.import_module(name.replace("jax", "olympus", 1))
    for _ in range(2):
        with pytest.warns(DeprecationWarning, match="^leaving is deprecated$") as caught:
            assert module.leaving == 7
        assert [warning.filename for warning in caught] == [__file__]
    with pytest.warns(DeprecationWarning) as caught:
        exec(compile(f"from {module.__name__} import leaving", "user.py", "exec"), {"__name__": "user"})
    assert {warning.filename for warning in caught} == {"user.py"}
    assert "leaving" not in vars(module)


def test_the_version_of_jax_is_not_taken_for_ours():
    assert olympus.__version__ != jax.__version__
    assert olympus.version.__version__ == jax.__version__
    with pytest.raises(AttributeError, match=r"the one of JAX is olympus\.version\.__version_info__$"):
        _ = olympus.__version_info__
