"""Which places count as conversions of keys, and which do not; the rows of the table are names that exist."""

from __future__ import annotations

import re
import textwrap

import pytest
from shipped_packs import shipped_pack

from olympus_rules.finding import Confidence
from olympus_rules.keyflow.facts import Conversion, DtypeLogic
from olympus_rules.keyflow.linking.driver import analyse
from olympus_rules.libraries import shipped
from olympus_rules.rules.key_conversion import ADVICE
from olympus_rules.syntax import Document

ROWS = {
    name if "." in name else f"builtins.{name}": row
    for path in shipped()
    for name, row in shipped_pack(path).conversions.items()
}
HEADER = "import jax\nimport jax.numpy as jnp\nimport numpy as np\nimport pickle\nfrom jax import lax, random\n"


def facts_of(program: str) -> tuple[str, list[Conversion | DtypeLogic]]:
    """Return a program with its imports, and what is seen in it."""
    source = HEADER + textwrap.dedent(program)
    found = analyse(Document("program.py", source))
    return source, [fact for fact in found if isinstance(fact, Conversion | DtypeLogic)]


PROGRAMS = {
    "attribute that holds nothing but keys": """
        class Buffer:
            def __init__(self, seed):
                self.key = random.PRNGKey(seed)
                self.other = None

            def advance(self, value):
                self.key, sub = random.split(self.key)
                self.other = value
                return random.normal(sub)

            def words(self):
                return np.asarray(self.key), 1  # conversion

            def others(self):
                return np.asarray(self.other)
        """,
    "attribute that holds typed keys": """
        class Buffer:
            def __init__(self, seed):
                self.key = random.key(seed)

            def label(self):
                return str(self.key)

            def words(self):
                return np.asarray(self.key)  # conversion
        """,
    "attribute that holds other things, too": """
        class Buffer:
            def __init__(self, seed, words):
                self.key = random.PRNGKey(seed)
                self.words = words

            def load(self, words):
                self.key = words

            def words(self):
                return np.asarray(self.key)
        """,
    "parameter that gets a key": """
        def store(path, key, data):
            np.savez(path, data=data)
            np.save(path, key)  # conversion

        def main(seed, data):
            store("path", random.PRNGKey(seed), data)
        """,
    "parameter that gets a typed key": """
        def label(key):
            return f"run_{key}"

        def main(seed):
            return label(random.key(seed))
        """,
    "parameter that is drawn from as an array of numpy": """
        def main(key, x):
            key = np.asarray(key)  # conversion
            return random.normal(key) + np.asarray(x)
        """,
    "leaf of a tree": """
        def main(seed, weights):
            state = {"weights": weights, "key": random.PRNGKey(seed)}
            return jax.tree.map(lambda leaf: lax.psum(leaf, "devices"), state)  # conversion
        """,
    "guarded leaf of a tree": """
        def total(leaf):
            if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
                return leaf
            return lax.psum(leaf, "devices")

        def main(seed, weights):
            return jax.tree.map(total, {"weights": weights, "key": random.PRNGKey(seed)})
        """,
    "samples are no keys": """
        def main(seed, path):
            key = random.PRNGKey(seed)
            x = random.normal(key, (3,))
            np.save(path, x)
            np.savez(path, x=x, words=random.key_data(key))
            return np.asarray(x), x == 0, str(x), np.stack([x, x]), jax.device_get(x), x.tolist()
        """,
    "words that were read before": """
        def main(seed):
            words = np.asarray(random.key_data(random.PRNGKey(seed)))
            return np.array_equal(words, words), words.tobytes(), words[0], f"{words}"
        """,
    "whole keys compared": """
        def main(seed):
            a, b = random.split(random.PRNGKey(seed))
            if (a == b).all() or not (a != b).any() or jnp.all(a == b) or jnp.array_equal(a, b):
                return a is b, a == None, a in {}
            return (a == b).all(axis=-1)  # conversion
        """,
    "text for people": """
        def main(seed, log):
            key = random.PRNGKey(seed)
            log.info(f"start with {key}")
            print("key", str(key))
            assert key is not None, f"no key but {key}"
            if seed < 0:
                raise ValueError(f"bad key {key}")
            return "key %s" % seed
        """,
    "choice of a dictionary's key": """
        def main(table, seed):
            rng = random.PRNGKey(seed)
            for key, value in table.items():
                if key == "weights" or str(key) in table or np.array_equal(key, value):
                    rng = random.fold_in(rng, hash(key))
            return rng
        """,
    "dtype at hand": """
        def main(seed):
            key = random.PRNGKey(seed)
            other = jnp.asarray(random.split(key)[0], dtype=key.dtype)
            slots = jnp.zeros((3, *key.shape), key.dtype)
            return slots, other, key.dtype == other.dtype, key.dtype == jnp.float32, key.dtype != "float32"
        """,
    "dtype of numbers": """
        def main(seed, x):
            key = random.PRNGKey(seed)
            if jnp.issubdtype(key.dtype, jnp.floating) or x.dtype == jnp.uint32:
                return x
            return jnp.issubdtype(key.dtype, np.unsignedinteger)  # conversion
        """,
    "filler of where": """
        def main(seed, mask):
            key = random.PRNGKey(seed)
            kept = jnp.where(mask, key, jnp.zeros_like(key))
            return kept, jnp.zeros_like(key)  # conversion
        """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_places(program: str) -> None:
    source, found = facts_of(program)
    lines = sorted(fact.node.lineno for fact in found if fact.confidence >= Confidence.LIKELY)  # type: ignore[attr-defined]
    assert lines == [row for row, line in enumerate(source.splitlines(), 1) if re.search(r"# conversion\b", line)]


@pytest.mark.parametrize(
    ("call", "jax", "breaks"),
    [
        ("pickle.dumps(key)", (0, 8, 3), True),
        ("pickle.dumps(key)", (0, 9, 2), False),
        ("random.choice(other, keys)", (0, 6, 2), True),
        ("random.choice(other, keys)", (0, 8, 3), False),
        ("random.choice(other, keys, replace=False)", (0, 10, 2), True),
        ("jnp.take(keys, 1, axis=0)", (0, 6, 2), True),
        ("jnp.zeros_like(key)", (0, 4, 38), False),
        ("np.asarray(key)", (0, 10, 2), True),
    ],
)
def test_breaks(call: str, jax: tuple[int, ...], breaks: bool) -> None:
    """What fails in older releases only is worth a note."""
    setup = "key, other = random.PRNGKey(0), random.PRNGKey(1)\nkeys = random.split(key)\n"
    _, (fact,) = facts_of(f"{setup}x = {call}\n")
    assert isinstance(fact, Conversion)
    assert fact.breaks(jax) == breaks
    assert (fact.confidence == Confidence.POSSIBLE) == bool(fact.before)


def test_every_form_has_its_advice() -> None:
    assert {row.form for row in ROWS.values()} - {"dtype"} == set(ADVICE) - {"example"}


@pytest.mark.parametrize("module", sorted({name.rpartition(".")[0] for name in ROWS} - {"tensorflow"}))
def test_rows_name_functions(module: str) -> None:
    imported = pytest.importorskip(module)
    functions = [name.rpartition(".")[2] for name in ROWS if name.rpartition(".")[0] == module]
    assert [name for name in functions if not callable(getattr(imported, name))] == []
