"""What a witness says of a place at which words may be taken out of a key: OLY101 to OLY103."""

from __future__ import annotations

from pathlib import Path

import pytest
from marked import read

pytest.importorskip("jax", reason="a witness is traced with JAX")

from olympus.verdicts import Place, Question
from olympus.witness.answer import answer
from olympus.witness.execution import Target

CASES = {
    "a word of a raw key": ("confirmed", "key = PRNGKey(seed)\n    return «1 key[0]»"),
    "words of raw keys, which of typed ones are keys": (
        "confirmed",
        "keys = jax.random.split(PRNGKey(seed), 3)\n    return «1 keys[..., 0]»",
    ),
    "the same of typed keys": ("refuted", "keys = jax.random.split(key(seed), 3)\n    return «1 keys[..., 0]»"),
    "an item of a split": ("refuted", "keys = jax.random.split(PRNGKey(seed), 3)\n    return «1 keys[0]»"),
    "words that are asked for": ("refuted", "return «1 jax.random.key_data(PRNGKey(seed))[0]»"),
    "words that are asked for under another name": ("refuted", "return «1 words(PRNGKey(seed))[0]»"),
    "words that were asked for before": (
        "refuted",
        "keys = words(jax.random.split(PRNGKey(seed), 3))\n    return «1 keys[..., 0]»",
    ),
    "an item of a list of keys": ("refuted", "keys = [PRNGKey(seed), PRNGKey(1)]\n    return «1 keys[0]»"),
    "an item of something unknown": ("inconclusive", "return «1 table[0]»"),
    "an item of what was used as a key": ("confirmed", "x = jax.random.normal(table)\n    return x, «1 table[0]»"),
    "an index that fails": ("inconclusive", "keys = jax.random.split(PRNGKey(seed))\n    return «1 keys[None.size]»"),
    "unpacked words": ("confirmed", "«1 a, b» = PRNGKey(seed)\n    return a, b"),
    "an unpacked split": ("refuted", "«1 a, b» = jax.random.split(PRNGKey(seed))\n    return a, b"),
    "words in another order, used by nothing": (
        "confirmed",
        "keys = jax.random.split(PRNGKey(seed), 3)\n    return «1 keys.T»",
    ),
    "lanes that are put last": (
        "confirmed",
        "keys = jax.random.split(PRNGKey(seed), 3)\n    return «1 jax.vmap(jax.random.split, out_axes=-1)(keys)»",
    ),
    "lanes that are put second": (
        "refuted",
        "keys = jax.random.split(PRNGKey(seed), 3)\n    return «1 jax.vmap(jax.random.split, out_axes=1)(keys)»",
    ),
    "a place after a loop that may not run": (
        "inconclusive",
        "keys = jax.random.split(PRNGKey(seed), 3)\n    for _ in table:\n        keys = keys[0]\n    return «1 keys.T»",
    ),
    "a place after a loop of unknown length": (
        "inconclusive",
        "keys = PRNGKey(seed)\n    for _ in table:\n        keys = jax.random.split(keys)[0]\n    return «1 keys.T»",
    ),
}


@pytest.mark.parametrize("certain", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_words(name: str, certain: bool, tmp_path: Path) -> None:
    status, body = CASES[name]
    head = "import jax\nfrom jax.random import PRNGKey, key, key_data as words\n"
    program = read(f"{head}def f(seed, table):\n    {body}\n")
    file = tmp_path / "program.py"
    file.write_text(program.text, "utf-8")
    place = Place(str(file), *program.places["1"])
    if certain and name == "an item of something unknown":
        status = "confirmed"  # the linter knows that it is a key
    (verdict,) = answer(Target(str(file), program.text, "program", ""), [Question("OLY101", place, None, certain)])
    assert verdict.status == status, verdict


SUM = "key + jax.numpy.arange(10, dtype=key.dtype)[:, None]"
PARAMETERS = {
    "the parameter is drawn from": ("confirmed", f"several = «1 {SUM}»\n    return several, jax.random.normal(key)"),
    "what is computed from it is drawn from": (
        "confirmed",
        f"several = «1 {SUM}»\n    return jax.vmap(jax.random.normal)(several)",
    ),
    "it is split in a branch": (
        "confirmed",
        f"several = «1 {SUM}»\n    if several.any():\n        key, _ = jax.random.split(key)\n    return several, key",
    ),
    "nothing uses it as a key": ("inconclusive", f"return «1 {SUM}»"),
    "another one is drawn from": ("inconclusive", f"return «1 {SUM}», jax.random.normal(other)"),
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_a_parameter_is_a_key_if_it_is_used_as_one(name: str, tmp_path: Path) -> None:
    status, body = PARAMETERS[name]
    program = read(f"import jax\n\ndef f(key, other):\n    {body}\n")
    file = tmp_path / "program.py"
    file.write_text(program.text, "utf-8")
    place = Place(str(file), *program.places["1"])
    (verdict,) = answer(Target(str(file), program.text, "program", ""), [Question("OLY102", place)])
    assert verdict.status == status, verdict
