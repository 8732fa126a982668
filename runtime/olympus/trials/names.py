"""What a parameter is by its name, where nothing else says it."""

from __future__ import annotations

import re
from typing import Literal

KEY_ARRAY = (4,)
"""The shape of an argument that is named like several keys."""

Sort = Literal[
    "key", "keys", "count", "size", "small", "index", "number", "shape", "dtype", "axis", "text", "function", "array"
]
"""``count``: of draws or iterations; ``size``: of an axis; ``small``: of layers and the like."""

KEY = re.compile(r"(?:.*_)?(?:key|rng)|subkey")
KEYS = re.compile(r"(?:.*_)?(?:keys|rngs)")
LOOSE_KEY = re.compile(r"(?:.*_)?(?:p?rng|rngkey|seed|random_state)_?|key_|prngkey", re.IGNORECASE)
"""Names of keys in some libraries that elsewhere name something else."""

SORTS: tuple[tuple[Sort, re.Pattern[str]], ...] = (
    ("shape", re.compile(r"(?:.*_)?(?:shapes?|dims)")),
    ("dtype", re.compile(r"(?:.*_)?dtype")),
    ("text", re.compile(r"(?:.*_)?name|prefix|suffix|mode")),
    ("axis", re.compile(r"(?:.*_)?axis|axes")),
    ("small", re.compile(r"(?:.*_)?(?:depth|order|ndims?|rank|num_layers|n_layers|num_heads|n_heads|heads)")),
    (
        "size",
        re.compile(r"(?:.*_)?(?:size|dim|features?|channels?|width|hidden|in_features|out_features)|d|d_.*|dim_.*"),
    ),
    ("count", re.compile(r"n|m|num|length|count|repeats|total|(?:n|num|max|number)_.*|(?:.*_)?(?:steps|count|length)")),
    ("index", re.compile(r"i|j|idx|(?:.*_)?(?:index|idx|step|epoch|iteration)")),
    (
        "number",
        re.compile(
            r"p|t|t0|t1|dt|dt0|lr|eps|tol|[ab]|alpha|beta|gamma|sigma|tau|mu|loc|scale|low|high|minval|maxval|lower"
            r"|upper|(?:.*_)?(?:rate|prob|probability|temperature|epsilon|std|stddev|tol|threshold|momentum|decay)"
        ),
    ),
    (
        "function",
        re.compile(
            r"f|g|fn|fun|func|function|model|kernel|callback|sampler|target|loss|cost|energy|policy|network|apply"
            r"|(?:.*_)?(?:fn|fun|func|function|init|apply|generator|density|logdensity|logprob|log_prob|kernel|cls)"
        ),
    ),
)


def is_key(name: str) -> bool:
    """Return whether a parameter is a key by its name."""
    return KEY.fullmatch(name) is not None


def is_keys(name: str) -> bool:
    """Return whether a parameter is an array of keys by its name."""
    return KEYS.fullmatch(name) is not None


def sort_of(name: str) -> Sort:
    """Return what a parameter most likely is."""
    if is_key(name):
        return "key"
    if is_keys(name):
        return "keys"
    if LOOSE_KEY.fullmatch(name):
        return "key"
    return next((sort for sort, pattern in SORTS if pattern.fullmatch(name)), "array")
