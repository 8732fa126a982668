"""OLY206: a key is used where typed keys are rejected or have another value."""

from __future__ import annotations

from olympus_rules.finding import Applicability, Finding
from olympus_rules.keyflow.facts import Conversion
from olympus_rules.rule import Rule
from olympus_rules.syntax import Document

KEY_DATA = "Give it the words: `jax.random.key_data({key})`."
TREE = "Take the keys out of the tree first, or replace each by `jax.random.key_data`."

# The effect on a typed key, and what to write instead.
ADVICE = {
    "numpy": ("makes a NumPy array of {key}, which cannot be done with a typed key", KEY_DATA),
    "words": ("reads the words of {key}, which a typed key hides", KEY_DATA),
    "cast": ("gives {key} a number's dtype, which a typed key cannot have", KEY_DATA),
    "equality": (
        "compares {key} as a NumPy array, which a typed key cannot become",
        "Compare `jax.random.key_data` of both, or write `jax.numpy.array_equal`, which takes keys of both kinds.",
    ),
    "elementwise": (
        "compares {key} word by word; a typed key is compared as a whole",
        "Compare `jax.random.key_data` of both, or ask `(a == b).all()`, which is the same for both kinds.",
    ),
    "assertion": (
        "checks the words, shape or dtype of {key}, which a typed key does not have",
        "Check `jax.random.key_data({key})`.",
    ),
    "fill": (
        "puts a number into {key}, where a typed key is needed",
        "Put a key there: `jnp.zeros_like({key})` holds the same words as 0.",
    ),
    "pad": (
        "pads {key} with numbers, where typed keys are needed",
        "Concatenate it with keys, or pad the words and wrap them: "
        "`jax.random.wrap_key_data(words, impl=jax.random.key_impl({key}))`.",
    ),
    "shuffle": (
        "chooses among the keys of {key}, which JAX refuses for typed keys",
        "Draw indices: `{key}[jax.random.permutation(rng, len({key}))]`.",
    ),
    "collective": ("sums or compares {key} over an axis, and typed keys are not numbers", TREE),
    "ravel": ("joins {key} with numbers in one array, and typed keys are not numbers", TREE),
    "generator": ("seeds another generator with {key}, and a typed key is not an array of numbers", KEY_DATA),
    "save": (
        "writes the words of {key} to a file, which a typed key hides",
        "Save `jax.random.key_data({key})`, and wrap what is read again with `jax.random.wrap_key_data`.",
    ),
    "checkpoint": (
        "writes {key} to a file as an array, which a typed key is not",
        "Put `jax.random.key_data` in its place, and wrap what is restored with `jax.random.wrap_key_data`.",
    ),
    "processes": (
        "makes a NumPy array of {key} for other processes, which a typed key cannot become",
        "Give it `jax.random.key_data({key})`, and wrap what comes back with `jax.random.wrap_key_data`.",
    ),
    "pickle": ("pickles {key}", "Pickle `jax.random.key_data({key})`."),
    "device_get": (
        "makes a NumPy array of {key}; a typed key stays a JAX array",
        "Ask for `jax.random.key_data({key})`.",
    ),
    "text": ("turns {key} into text, which is another text for a typed key", "Write `jax.random.key_data({key})`."),
    "print": ("prints {key}, and a typed key prints differently", "Print `jax.random.key_data({key})`."),
    "size": (
        "counts the words of {key}, or their axis, and a typed key has none",
        "Count those of `jax.random.key_data({key})`, or leave the keys out of what is counted.",
    ),
    "zeros": (
        "makes a key of constant words from {key}, also from a typed one: there is no error, and all that is drawn "
        "from it is the same",
        "See that nothing draws from it.",
    ),
    "gather": ("gathers from {key}", "Index it: `{key}[i]`."),
}


class KeyConversion(Rule):
    """Numpy, files, text, comparisons, collectives."""

    code = "OLY206"
    name = "key-conversion"
    summary = "A key goes where typed keys are refused or are another value: numpy, equality, files, collectives"
    fix = Applicability.SAFE
    facts = (Conversion,)
    migrates = True

    def check(self, fact: Conversion, document: Document) -> Finding:
        """Say what happens to a typed key there, and what to write."""
        happens, instead = ADVICE[fact.form]
        written = " ".join(document.segment(fact.subjects[0]).split()) if fact.subjects else fact.key
        subject = f"key `{written}`" if written else "a key in its arguments"
        happens, instead = happens.format(key=subject), instead.format(key=written or "key")
        when = f" Before JAX {'.'.join(map(str, fact.before))} it fails for typed keys." if fact.before else ""
        return self.finding(fact, document, f"`{fact.function}` {happens}.{when} {instead}")
