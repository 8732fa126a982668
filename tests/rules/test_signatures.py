from __future__ import annotations

import builtins
import importlib
import inspect
import sys
from dataclasses import asdict, fields, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from shipped_packs import shipped_pack

from olympus_rules.libraries import Libraries, LibraryFunction, libraries, shipped
from olympus_rules.libraries.reader import read
from olympus_rules.libraries.table import FOLDER

if TYPE_CHECKING:
    from olympus.signatures.packs import Described

DESCRIBED_JAX = (0, 10, 2)
WITHOUT_KEY = {"key_dtype"}
REMOVED = {
    "jax.ad_checkpoint.checkpoint",
    "jax.device_put_replicated",
    "jax.experimental.pjit.with_sharding_constraint",
    "jax.lax.pvary",
    "jax.pjit",
    "jax.random.rbg_key",
    "jax.tree_flatten",
    "jax.tree_leaves",
    "jax.random.shuffle",
    "jax.random.threefry2x32_key",
    "jax.random.threefry_2x32",
    "jax.random.unsafe_rbg_key",
    "jax.tree_map",
}
PACKS = [shipped_pack(path) for path in shipped()]
NAMES = frozenset(name for pack in PACKS for name in pack.spoken_of())
JAX_RANDOM = [
    function
    for pack in PACKS
    for function in pack.functions
    if function.qualified.startswith("jax.random.") and function.qualified not in REMOVED
]
MAKING_KEYS = [function for function in JAX_RANDOM if function.seed or function.wrap]
TAKING_KEYS = [function for function in JAX_RANDOM if function not in MAKING_KEYS]


def each(functions: list[LibraryFunction]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("function", functions, ids=[function.qualified for function in functions])


@pytest.fixture(scope="module")
def jax() -> ModuleType:
    module = pytest.importorskip("jax", reason="the table is checked against an installed JAX")
    if module.__version_info__ < DESCRIBED_JAX:
        pytest.skip(f"the table describes JAX {DESCRIBED_JAX}, installed is {module.__version__}")
    return module


# The table against the installed JAX.


def test_every_public_function_that_takes_a_key_is_described(jax: ModuleType) -> None:
    public = {
        name
        for name, value in vars(jax.random).items()
        if not name.startswith("_") and callable(value) and not inspect.isclass(value) and name != "Key"  # a type
    }
    described = {function.qualified.removeprefix("jax.random.") for function in JAX_RANDOM}
    assert described == public - WITHOUT_KEY


def test_the_table_is_what_the_command_writes(jax: ModuleType) -> None:
    if jax.__version_info__ != DESCRIBED_JAX:
        pytest.skip(f"the table is that of JAX {DESCRIBED_JAX}, installed is {jax.__version__}")
    from olympus.signatures.packs import pack_text

    written = (FOLDER / "jax.random.toml").read_text("utf-8")
    assert pack_text([jax.random]) == written, "olympus signatures --output-file <the pack> writes it anew"


@pytest.fixture(scope="module")
def traced(jax: ModuleType) -> Described:
    from olympus.signatures.packs import describe

    return describe([jax.random])


@each(JAX_RANDOM)
def test_what_happens_to_the_key_is_what_a_trace_says(traced: Described, function: LibraryFunction) -> None:
    row = traced.rows[function.qualified]
    row = replace(row, keywords=tuple(each for each in row.keywords if each in function.keywords))  # there may be more
    assert {field.name: getattr(function, field.name) for field in fields(row)} == asdict(row)


def test_nothing_is_left_out(traced: Described) -> None:
    assert traced.without == {}
    assert set(traced.rows) == {function.qualified for function in JAX_RANDOM}


@each([*MAKING_KEYS, *(function for function in TAKING_KEYS if function.unwrap)])
def test_the_kind_of_the_result_is_what_jax_gives(jax: ModuleType, function: LibraryFunction) -> None:
    given: Any = 0
    if function.unwrap:
        given = jax.random.key(0)
    elif function.wrap:
        given = jax.random.key_data(jax.random.key(0))
    result = getattr(jax.random, function.qualified.removeprefix("jax.random."))(given)
    typed = jax.numpy.issubdtype(result.dtype, jax.dtypes.prng_key)
    assert typed == (function.seed == "typed" or function.wrap)


def test_equal_draw_words_mean_equal_bits(jax: ModuleType) -> None:
    key = jax.random.key(7)
    signs = jax.random.rademacher(key, (64,))
    below_half = jax.random.uniform(key, (64,)) < 0.5
    assert row("jax.random.rademacher").draw == row("jax.random.uniform").draw
    assert ((signs > 0) == below_half).all()


def resolves(qualified: str) -> bool:
    head, *rest = qualified.split(".")
    value: Any = importlib.import_module(head) if rest else getattr(builtins, head, None)
    path = head
    for name in rest:
        path += f".{name}"
        if not hasattr(value, name) and isinstance(value, ModuleType):
            try:
                importlib.import_module(path)
            except ImportError:
                return False
        value = getattr(value, name, None)
    return value is not None


def names_of(*roots: str) -> list[str]:
    return sorted(name for name in NAMES if name.partition(".")[0] in roots)


def test_jax_names_exist(jax: ModuleType) -> None:
    assert [name for name in names_of("jax") if name not in REMOVED and not resolves(name)] == []


def test_numpy_names_exist() -> None:
    pytest.importorskip("numpy")
    assert [name for name in names_of("numpy") if not resolves(name)] == []


def test_names_of_typing_extensions_exist() -> None:
    pytest.importorskip("typing_extensions")
    assert [name for name in names_of("typing_extensions") if not resolves(name)] == []


def test_builtin_and_standard_library_names_exist() -> None:
    plain = [name for name in NAMES if "." not in name]
    later = {"typing.override"} if sys.version_info < (3, 12) else set()
    others = names_of("abc", "contextlib", "copy", "dataclasses", "functools", "typing")
    assert [name for name in plain + others if name not in later and not resolves(name)] == []


# The table.


def row(qualified: str) -> LibraryFunction:
    function = libraries().get(qualified).row
    assert function is not None
    return function


def test_rows_of_keys() -> None:
    assert row("jax.random.normal").sinks == ("key",)
    split = row("jax.random.split")
    assert (split.sinks, split.derive, split.seed) == (("key",), "split", None)
    fold_in = row("jax.random.fold_in")
    assert (fold_in.sinks, fold_in.derive, fold_in.seed) == ((), "fold_in", None)
    assert (row("jax.random.key").seed, row("jax.random.key").sinks) == ("typed", ())
    assert row("jax.random.wrap_key_data").forwards == ("key_bits_array",)


@pytest.mark.parametrize("name", ["print", "builtins.print", "logging.info", "jax.debug.print", "jax.random.key_data"])
def test_inspectors(name: str) -> None:
    assert libraries().get(name).inspects


@pytest.mark.parametrize("name", ["jax.random.normal", "printer", "loggingx.info", "jax.device_put", "sum"])
def test_others_are_no_inspectors(name: str) -> None:
    assert not libraries().get(name).inspects


def test_forwards_and_unknown_names() -> None:
    table = libraries()
    assert table.get("jax.device_put").forwards and table.get("copy.deepcopy").forwards
    assert not table.get("jax.random.split").forwards and not table.get("nobody.knows").forwards
    assert table.get("nobody.knows").row is None


def test_no_name_both_inspects_and_forwards() -> None:
    table = libraries()
    assert [name for name in NAMES if table.get(name).inspects and table.get(name).forwards] == []


def table(**packs: str) -> Libraries:
    return Libraries(read(f"{name}.toml", text) for name, text in packs.items())


def test_packs_are_merged() -> None:
    merged = table(
        a='[functions."a.f"]\nparameters = ["key"]\nsinks = ["key"]\n[forward]\nnames = ["a.g"]',
        b='[inspect]\nnames = ["b.h"]\nprefixes = ["b.assert_"]',
    )
    assert merged.get("a.f").row == LibraryFunction("a.f", parameters=("key",), sinks=("key",))
    assert merged.get("a.g").forwards and merged.get("b.h").inspects and merged.get("b.assert_equal").inspects


def test_methods_are_those_of_the_libraries_that_are_asked_for() -> None:
    row = '[methods.draw]\nparameters = ["key"]\nsinks = ["key"]\n'
    merged = table(a=row + '[fold]\nmethods = ["init"]', b=f'roots = ["bee", "wasp"]\n{row}')
    assert merged.methods(["a", "bee"], "fold") == {"init"}
    assert merged.methods(["bee"], "fold") == frozenset()
    assert [row.qualified for row in merged.method_rows(["a", "bee", "wasp"])["draw"]] == ["draw", "draw"]
    assert merged.method_rows(["b"]) == {}
    assert merged.takes_keys(["a", "c"], "x.draw(key)") and not merged.takes_keys(["c"], "x.draw(key)")
    assert not merged.takes_keys(["a", "c"], "x.init(key)")


def test_what_a_user_says_of_a_name_wins(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(
        '[functions."a.f"]\nparameters = ["key"]\nsinks = ["key"]\n'
        '[inspect]\nnames = ["a.g", "a.h"]\nprefixes = ["a.is_"]\n'
        '[transform]\nmapping = ["a.map"]\n'
    )
    own = read("own.toml", '[forward]\nnames = ["a.f", "a.g", "a.is_odd", "a.map"]')
    merged = Libraries([own], tmp_path)
    for name in ("a.f", "a.g", "a.is_odd", "a.map"):
        assert merged.get(name).forwards
        assert merged.get(name).row is None and not merged.get(name).inspects and merged.get(name).transform is None
    assert merged.get("a.h").inspects and merged.get("a.is_even").inspects


def test_a_pack_is_read_when_its_package_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.toml").write_text(f'[forward]\nnames = ["{name}.f"]')
    opened: list[str] = []
    monkeypatch.setattr(
        "olympus_rules.libraries.table.read", lambda name, text: opened.append(Path(name).stem) or read(name, text)
    )
    lazy = Libraries([], tmp_path)
    assert lazy.get("c.f").row is None and opened == []
    assert lazy.get("a.f").forwards and lazy.get("a.f").inspects is False and opened == ["a"]
    assert lazy.methods(["b"], "fold") == frozenset() and opened == ["a", "b"]


def test_a_package_may_have_several_files(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('[forward]\nnames = ["a.f"]')
    (tmp_path / "a.b.toml").write_text('roots = ["a"]\n[methods.g]\nparameters = ["key"]\n[inspect]\nnames = ["a.b.h"]')
    whole = Libraries([], tmp_path)
    assert whole.get("a.b.h").inspects and whole.get("a.f").forwards and "g" in whole.method_rows(["a"])
    without = Libraries([], tmp_path, without="a")
    assert not without.get("a.b.h").inspects and not without.get("a.f").forwards


def test_builtins_and_the_standard_library_are_one_pack() -> None:
    fresh = Libraries([], FOLDER)
    assert fresh.get("len").inspects
    assert fresh.get("copy.deepcopy").forwards
    assert fresh.get("builtins.staticmethod").follows == "transparent"


def test_an_empty_table_knows_nothing() -> None:
    assert not Libraries().get("print").inspects
