"""The names of `olympus.numpy` and what they are, at run time and for type checkers."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import pickle
import subprocess
import sys
import timeit
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def test_importing_the_modules_does_not_import_jax():
    program = (
        "import sys, olympus.numpy.fft, olympus.numpy.linalg; olympus.SupportsJAXArray; "
        "print({'jax', 'numpy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


jax = pytest.importorskip("jax", reason="the names are those of JAX")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

import olympus.numpy as onp  # noqa: E402

MODULES = [(onp, jnp), (onp.fft, jnp.fft), (onp.linalg, jnp.linalg)]


@pytest.mark.parametrize(("ours", "theirs"), MODULES)
def test_the_public_names_are_those_of_jax(ours: ModuleType, theirs: ModuleType):
    names = [name for name in dir(theirs) if not name.startswith("_")]
    assert dir(ours) == ours.__all__ == sorted(names)


def test_all_names_are_what_they_are_in_jax():
    for ours, theirs in MODULES:
        for name in ours.__all__:
            mine, original = getattr(ours, name), getattr(theirs, name)
            if isinstance(original, ModuleType):
                assert mine is sys.modules[f"olympus.numpy.{name}"]
            elif isinstance(original, type) or not callable(original):
                assert mine is original, name
            elif hasattr(original, "__name__") and not isinstance(original, jnp.ufunc | type(jnp.float32)):
                check_function(mine, original, name, ours.__name__)


def check_function(mine: Any, original: Any, name: str, module: str) -> None:
    assert mine.__name__ == original.__name__
    assert mine.__doc__ == original.__doc__
    if name != "can_cast":  # in older releases of NumPy it has no signature
        check_parameters(mine, original)
    if name != "vectorize":
        assert pickle.loads(pickle.dumps(mine)) is mine
        assert mine.__module__ == module


def check_parameters(mine: Any, original: Any) -> None:
    before, after = inspect.signature(original).parameters, inspect.signature(mine).parameters
    assert list(before) == list(after), original
    for parameter in before.values():
        assert after[parameter.name].kind == parameter.kind
        assert after[parameter.name].default is parameter.default


def test_a_star_import_gives_all_names():
    namespace: dict[str, Any] = {}
    exec("from olympus.numpy import *", namespace)
    assert namespace["sin"] is onp.sin
    assert set(onp.__all__) <= set(namespace)


def test_members_are_made_once():
    assert onp.cos is onp.cos
    assert vars(onp)["cos"] is onp.cos


def test_submodules_can_be_imported():
    from olympus.numpy.linalg import norm

    assert norm is onp.linalg.norm


@pytest.mark.parametrize("name", ["nonsense", "_src", "__wrapped__"])
def test_other_names_are_errors(name: str):
    with pytest.raises(AttributeError, match=f"module 'olympus.numpy' has no attribute '{name}'"):
        getattr(onp, name)


def test_a_name_that_is_on_its_way_out_warns_each_time(monkeypatch: pytest.MonkeyPatch):
    import warnings

    def deprecated(name: str) -> Any:
        warnings.warn(f"{name} is deprecated", DeprecationWarning, stacklevel=2)
        return jnp.sin

    monkeypatch.setattr(jnp, "__getattr__", deprecated, raising=False)
    for _ in range(2):
        with pytest.warns(DeprecationWarning, match="old_name is deprecated"):
            assert onp.old_name(0.0) == 0.0


def test_the_array_api_finds_its_way():
    assert onp.__array_api_version__ == jnp.__array_api_version__
    assert onp.__array_namespace_info__().capabilities() == jnp.__array_namespace_info__().capabilities()


@pytest.mark.parametrize(
    ("function", "parameter", "annotation"),
    [
        (onp.sin, "x", "ArrayLike | SupportsJAXArray"),
        (onp.sum, "where", "ArrayLike | SupportsJAXArray | None"),
        (onp.sum, "axis", "Axis"),
        (onp.concatenate, "arrays", "np.ndarray | Array | Sequence[ArrayLike | SupportsJAXArray]"),
        (onp.linalg.norm, "x", "ArrayLike | SupportsJAXArray"),
        (onp.fft.fft, "a", "ArrayLike | SupportsJAXArray"),
        (onp.apply_over_axes, "func", "Callable[[ArrayLike, int], Array]"),
        (onp.add, "args", "ArrayLike | SupportsJAXArray"),
        (onp.add.reduce, "a", "ArrayLike | SupportsJAXArray"),
    ],
)
def test_annotations_say_that_objects_are_accepted(function: Any, parameter: str, annotation: str):
    assert inspect.signature(function).parameters[parameter].annotation == annotation


def test_annotations_that_are_types_say_so_too():
    from olympus.namespace.array_protocol import SupportsJAXArray

    annotation = inspect.signature(onp.matmul).parameters["a"].annotation
    assert annotation == jax.typing.ArrayLike | SupportsJAXArray
    assert onp.matmul.__annotations__["a"] == annotation
    assert onp.sin.__annotations__ == {"x": "ArrayLike | SupportsJAXArray", "return": "Array"}


def test_a_function_without_a_signature_is_converted_too():
    from olympus.numpy._wrapping import converting

    class Held:
        def __jax_array__(self) -> jax.Array:
            return jnp.ones(2)

    with pytest.raises(ValueError, match="no signature"):
        inspect.signature(max)
    assert converting(max, "max", "olympus.numpy")(Held()) == 1.0


def test_jax_says_that_an_equation_comes_from_the_line_of_the_caller():
    from jax.extend import source_info_util

    def f(x: Any) -> Any:
        return onp.add.reduce(onp.linalg.norm(onp.sin(x), axis=0))

    line = f.__code__.co_firstlineno + 1
    places = {source_info_util.summarize(equation.source_info) for equation in jax.make_jaxpr(f)(jnp.ones((2, 2))).eqns}
    assert {place.partition(" ")[0].rpartition("/")[2].rpartition(":")[0] for place in places} <= {
        f"{Path(__file__).name}:{line}"
    }, places


def test_a_call_without_objects_costs_little():
    from olympus.numpy._wrapping import converting

    def nothing(*args: Any, **kwargs: Any) -> None:
        """Do nothing, so that the time is that of the wrapper."""

    def seconds(function: Callable[[], object]) -> float:
        return min(timeit.repeat(function, number=2000, repeat=9)) / 2000

    wrapped, x = converting(nothing, "nothing", "olympus.numpy"), jnp.ones(3)
    cheap = seconds(lambda: jnp.negative(x))  # about the least that a call of JAX takes
    for args, kwargs in ([(x,), {}], [(x, np.ones(2)), {}], [(x,), {"axis": 0}], [([x, x],), {}], [(x, (3, 1)), {}]):
        times = [seconds(lambda f=f, a=args, k=kwargs: f(*a, **k)) for f in (nothing, wrapped)]  # type: ignore[misc]
        assert times[1] - times[0] < cheap / 4, f"{args} {kwargs}: {times} s, {cheap} s for a call of JAX"


# -- type checkers ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def generator() -> Any:
    specification = importlib.util.spec_from_file_location("stubs", ROOT / "runtime" / "generate_numpy_stubs.py")
    assert specification
    assert specification.loader
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_the_stubs_are_those_of_the_installed_jax(generator: Any):
    for path, text in generator.stubs():
        stored = path.read_text("utf-8")
        release = stored.splitlines()[1].partition(" of JAX ")[2].partition(",")[0]
        if release != jax.__version__:
            pytest.skip(f"the stubs are of JAX {release}, and {jax.__version__} is installed")
        # Python's releases write the same code in different ways.
        assert ast.dump(ast.parse(stored)) == ast.dump(ast.parse(text)), "run runtime/generate_numpy_stubs.py"


def bound(node: ast.stmt) -> set[str]:
    """Return the names that a statement of a stub binds."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {item.asname or item.name for item in node.names}
    targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
    return {target.id for target in targets if isinstance(target, ast.Name)}


NOT_IN_THE_STUB_OF_JAX = {"float6_e2m3fn", "float6_e3m2fn", "int1", "uint1"}


def test_the_stubs_have_every_name(generator: Any):
    for path, text in generator.stubs():
        theirs = {"__init__": jnp, "fft": jnp.fft, "linalg": jnp.linalg}[path.stem]
        names = set().union(*map(bound, ast.parse(text).body))
        missing = {name for name in dir(theirs) if not name.startswith("_")} - names
        assert missing <= NOT_IN_THE_STUB_OF_JAX, path


PROGRAM = """\
import jax
import olympus.numpy as jnp
from olympus.namespace.array_protocol import SupportsJAXArray

class Held:
    def __jax_array__(self) -> jax.Array:
        return jnp.ones(3)

held: SupportsJAXArray = Held()
a: jax.Array = jnp.sin(Held())
b: jax.Array = jnp.add.reduce(Held())
c: jax.Array = jnp.concatenate([Held(), a])
d: jax.Array = jnp.linalg.norm(Held()) + jnp.fft.fft(Held())
e: jax.Array = jnp.apply_over_axes(lambda a, axis: jnp.sum(a, axis), Held(), [0])
"""
REFUSED = ["jnp.sin(object())", "jnp.linalg.norm(object())", "jnp.fft.fft(object())", "jnp.sin()", "jnp.nonsense"]


@pytest.mark.search  # mypy reads all of JAX
def test_type_checkers_accept_objects_and_refuse_others(tmp_path: Path):
    pytest.importorskip("mypy", reason="the type checker is not installed")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM + "\n".join(REFUSED) + "\n")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", str(ROOT / "pyproject.toml"), str(program)]
    cache = ["--cache-dir", str(tmp_path / "cache")]
    done = subprocess.run(command + cache, capture_output=True, text=True, cwd=ROOT)
    first = PROGRAM.count("\n") + 1
    lines = [int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line]
    assert lines == list(range(first, first + len(REFUSED))), done.stdout
