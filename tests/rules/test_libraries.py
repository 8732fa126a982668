"""The models of library functions, without any other part of the program."""

from __future__ import annotations

import pytest

from olympus_rules.libraries import Libraries, Model, libraries
from olympus_rules.libraries.names import canonical, under_jax
from olympus_rules.libraries.reader import read


def table(text: str, name: str = "kit") -> Libraries:
    return Libraries([read(f"{name}.toml", text)])


def test_a_name_that_no_pack_speaks_of() -> None:
    assert table("").get("kit.f") == Model("kit.f")


def test_one_model_says_all_of_a_function() -> None:
    model = table(
        '[functions."kit.f"]\nparameters = ["key"]\nsinks = ["key"]\n[inspect]\nnames = ["kit.f"]\n'
        '[transform]\nscan = ["kit.f"]\n[result]\narrays = ["kit.f"]\n[typed-keys]\nsince = "1"\n'
        '[arrays]\nmodules = ["kit"]\njoins = ["kit.f"]'
    ).get("kit.f")
    assert model.row is not None and model.row.sinks == ("key",)
    assert model.inspects and not model.forwards
    assert model.transform is not None and model.transform.kind == "scan"
    assert (model.result, model.typed_keys, model.makes_arrays, model.joins) == ("arrays", "yes", True, True)


@pytest.mark.parametrize(
    ("name", "result"),
    [
        ("kit.f", "nothing"),  # its own word
        ("kit.forward", "same"),  # what follows of the other sections
        ("kit.loop", "same"),
        ("kit.ops.f", "arrays"),  # its module's, the innermost first
        ("kit.ops.more.f", "arrays"),
        ("kit.other", "computed"),
        ("kit", "computed"),
        ("kitchen.f", None),
    ],
)
def test_what_a_call_gives_back(name: str, result: str | None) -> None:
    text = (
        '[forward]\nnames = ["kit.forward"]\n[transform]\ncond = ["kit.loop"]\n'
        '[result]\nnothing = ["kit.f"]\narrays = ["kit.ops.*"]\ncomputed = ["kit.*"]'
    )
    assert table(text).get(name).result == result


def test_a_long_list_may_be_a_text() -> None:
    found = table("[forward]\nnames = '''\nkit.f kit.g\nkit.h\n'''")
    assert all(found.get(f"kit.{name}").forwards for name in "fgh")


@pytest.mark.parametrize("name", ["len", "builtins.len"])
def test_builtins_have_two_names(name: str) -> None:
    assert libraries().get(name).result == "nothing" and libraries().get(name).typed_keys == "yes"


def test_a_package_is_no_builtin() -> None:
    assert libraries().get("somelib") == Model("somelib")
    assert libraries().get("flax").typed_keys == "yes"


@pytest.mark.parametrize(
    ("name", "canonically"),
    [
        ("jax.random.split", "jax.random.split"),
        ("olympus.random.split", "jax.random.split"),
        ("lab.jax_compat.random.split", "jax.random.split"),
        ("lab.other.split", "lab.other.split"),
        ("jax._src.random.split", "jax.random.split"),
        ("jaxtyping.Key", "jaxtyping.Key"),
    ],
)
def test_names_of_the_jax_namespace(name: str, canonically: str) -> None:
    assert canonical(name, ("jax", "olympus", "lab.jax_compat")) == canonically


def test_a_private_module_is_spelled_as_it_is() -> None:
    assert under_jax("olympus._src.random.split") == "jax._src.random.split"
