"""Keys that go through each function which the signature packs call a forward or a transformation.

The programs are written from the packs: words of a key are counted behind the function, or in what it calls. Either
that place is rewritten, or the constructor stays.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from shipped_packs import shipped_pack

from olympus_codemods.target import Target
from olympus_lint.migration.project import migrate
from olympus_lint.migration.text import Text
from olympus_lint.project.settings import Settings
from olympus_rules.libraries import shipped
from olympus_rules.libraries.transformations import TRANSFORMATIONS

HEAD = """\
import jax
import {module}


def count(thing):
    return thing[0]


def same(thing):
    return thing


def keep(carry, _):
    return carry, count(carry)


def first(one, other):
    count(one)
    return one


key = jax.random.PRNGKey(0)
"""
BEHIND = {
    "transparent": "count({name}(same)(key))",
    "mapping": "count({name}(same)(key[None]))",
    "shard_map": "count({name}(same, mesh=None, in_specs=None, out_specs=None)(key[None]))",
    "partial": "count({name}(same, key)())",
    "tree_map": "count({name}(same, [key])[0])",
    "map": "count({name}(same, key[None]))",
    "scan": "count({name}(lambda carry, _: (carry, None), key, None, length=3)[0])",
    "associative_scan": "count({name}(lambda a, b: a, key[None]))",
    "reduce": "count({name}(lambda a, _: a, [1, 2], key))",
    "tree_reduce": "count({name}(lambda a, _: a, [1, 2], key))",
    "fori_loop": "count({name}(0, 3, lambda _, carry: carry, key))",
    "while_loop": "count({name}(lambda _: False, lambda carry: carry, key))",
    "cond": "count({name}(True, same, same, key))",
    "switch": "count({name}(0, [same, same], key))",
}
INSIDE = {
    "transparent": "{name}(count)(key)",
    "value_and_grad": "{name}(count)(key)",
    "mapping": "{name}(count)(key[None])",
    "shard_map": "{name}(count, mesh=None, in_specs=None, out_specs=None)(key[None])",
    "partial": "{name}(count, key)()",
    "tree_map": "{name}(count, [key])",
    "map": "{name}(count, key[None])",
    "scan": "{name}(keep, key, None, length=3)",
    "associative_scan": "{name}(first, key[None])",
    "reduce": "{name}(first, [1, 2], key)",
    "tree_reduce": "{name}(first, [1, 2], key)",
    "fori_loop": "{name}(0, 3, lambda i, carry: first(carry, i), key)",
    "while_loop": "{name}(lambda _: False, lambda carry: first(carry, 1), key)",
    "cond": "{name}(True, count, count, key)",
    "switch": "{name}(0, [count, count], key)",
    "callback": "{name}(count, key)",
    "pure_callback": "{name}(count, 0, key)",
    "tree_map_with_path": "{name}(lambda path, leaf: count(leaf), [key])",
    "make_jaxpr": "{name}(count)(key)",
    "linearize": "{name}(count, key)",
    "vjp": "{name}(count, key)",
    "jvp": "{name}(count, (key,), (key,))",
    "call": "{name}(count, key)",
    "each": "list({name}(count, [key]))",
    "starmap": "list({name}(count, [(key,)]))",
    "filter": "list({name}(count, [key]))",
    "wraps": "",
}
DECORATED = "\n@{name}\ndef inner(thing):\n    return thing[0]\n\n\ninner(key)"
METHOD = "\nclass Own:\n    @{name}\n    def inner(%sthing):\n        return thing[0]\n\n\nOwn().inner(key)"
# rows that are used in another way than the others of their kind
OTHERWISE = {
    "classmethod": METHOD % "cls, ",
    "staticmethod": METHOD % "",
    "abc.abstractmethod": METHOD % "self, ",
    "contextlib.contextmanager": "\n@{name}\ndef inner(thing):\n    yield thing.size\n\n\nwith inner(key) as n:\n    n",
    "functools.wraps": DECORATED.replace("{name}", "{name}(same)"),
    "jax.disable_jit": "with {name}():\n    count(key)",
    "jax.named_scope": "with {name}('scope'):\n    count(key)",
    "flax.linen.cond": "{name}(True, lambda m, k: count(k), lambda m, k: 1, None, key)",
    "flax.linen.switch": "{name}(0, [lambda m, k: count(k), lambda m, k: 1], None, key)",
    "jax.device_put_replicated": "count({name}(key, jax.devices()))",
    "jax.sharding.PartitionSpec": "",
    "jax.P": "",
}
ONLY_DECORATORS = {"typing.overload", "typing_extensions.overload"}  # what they give cannot be called


@cache
def programs() -> list[tuple[str, str]]:
    """Return the programs of all rows, each with what it is called."""
    found: dict[str, str] = {}
    for path in shipped():
        pack = shipped_pack(path)
        for name in pack.listed("forward", "names"):
            found[f"forward {name}"] = OTHERWISE.get(name, "count({name}(key))").format(name=name)
        for kind in TRANSFORMATIONS:
            for name in pack.listed("transform", kind):
                if name in OTHERWISE:
                    found[f"{kind} {name}"] = OTHERWISE[name].format(name=name)
                    continue
                if name in ONLY_DECORATORS:
                    continue
                follows = TRANSFORMATIONS[kind].follows
                if kind in BEHIND or (kind not in INSIDE and follows in BEHIND):
                    found[f"behind {kind} {name}"] = BEHIND[kind if kind in BEHIND else follows].format(name=name)
                found[f"inside {kind} {name}"] = INSIDE[kind if kind in INSIDE else follows].format(name=name)
                if kind in ("transparent", "jit"):
                    found[f"decorator {kind} {name}"] = DECORATED.format(name=name)
    return [
        (what, f"{HEAD.format(module=what.split()[-1].rpartition('.')[0] or 'math')}{body}\n")
        for what, body in found.items()
        if body and "contextmanager" not in what  # which calls a generator
    ]


def sort_of(what: str) -> str:
    """Return which sort of row a program is about."""
    return what.rpartition(" ")[0]


@pytest.mark.parametrize("sort", sorted({sort_of(what) for what, _ in programs()}))
def test_words_behind_each_row_of_the_packs(sort: str) -> None:
    for what, program in programs():
        if sort_of(what) != sort:
            continue
        migration = migrate([Text("program.py", Settings(), program)], Target("typed"), strict=True)
        assert not migration.problems, what
        (constructor,) = migration.constructors["program.py"]
        (text,) = migration.texts
        rewritten = "key_data(thing)[0]" in text.new or "(jax.random.key_data(key))" in text.new
        assert constructor.reasons or rewritten, (what, text.new)


def test_there_are_programs_for_all_kinds() -> None:
    kinds = {what.split()[-2] for what, _ in programs()}
    assert kinds == {"forward", *TRANSFORMATIONS} - {"partition_spec"}


def test_an_object_of_an_unknown_library_holds_its_key_back() -> None:
    program = "import jax\nimport somelib\n\nenv = somelib.make()\nenv.step(jax.random.PRNGKey(0))\n"
    (constructor,) = migrate([Text("a.py", Settings(), program)], Target("typed"), strict=True).constructors["a.py"]
    assert [reason.text for reason in constructor.reasons] == [
        "is passed to `env.step`, and olympus-lint does not work out what that calls"
    ]


def test_a_pack_of_the_user_serves_the_migration(tmp_path: Path) -> None:
    pack = tmp_path / "labkit.toml"
    pack.write_text('[transform]\nmapping = ["labkit.batched"]\n[result]\nsame = ["labkit.mark"]\n')
    program = (
        "import jax\nimport labkit\n\n\ndef draw(key):\n    return key.shape[0]\n\n\n"
        "labkit.batched(draw)(labkit.mark(jax.random.PRNGKey(0)))\n"
    )
    settings = Settings(signature_packs=[str(pack)])
    migration = migrate([Text("a.py", settings, program)], Target("typed"), strict=True)
    (constructor,) = migration.constructors["a.py"]
    (text,) = migration.texts
    assert constructor.reasons or "key_data(key)" in text.new, text.new
    (unknown,) = migrate([Text("a.py", Settings(), program)], Target("typed"), strict=True).constructors["a.py"]
    assert any("labkit" in reason.text for reason in unknown.reasons)
