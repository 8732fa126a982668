"""The name of a new key, as a person chooses it: after what is made with the key."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import count

from olympus_codemods.editing.names import Names, dotted
from olympus_codemods.editing.widths import line_length
from olympus_rules.keyflow.facts import Place
from olympus_rules.libraries.names import RANDOM, SPLIT
from olympus_rules.syntax import Document
from olympus_rules.syntax.document import nodes_in

LONGEST = 25
"""Characters of a name that a new name is made from; longer ones say more than a reader needs."""
LONGEST_OBJECT = 18
"""Those of what a function makes, in its name."""
KEYISH = re.compile(r"key|rng|seed|random_state", re.IGNORECASE)
NAMED_KEY = re.compile(r"(?!(?:prng|rng|sub|new)_)\w+_(?:key|rng)")
"""The parameters whose name says what the key is for: ``dropout_key``, and not ``rng_key``."""
NUMBERED = re.compile(r"(.*?)(\d+)")
SPARE = {"key": "subkey", "rng": "sub_rng"}
VERBS = frozenset(
    """
    add apply build compute create draw evaluate fit generate get init initialise initialize make resample run sample
    """.split()  # noqa: SIM905
)
GENERIC = {"rng", "key", "subkey", "sub_key", "subrng", "sub_rng"}
KEY_WORDS = {"k", "key", "rng", "seed", "sub", "subkey"}


def child_name(names: Names, document: Document, place: Place, siblings: Sequence[str] = ()) -> str:
    """Return a free name for the key that a place takes.

    After ``k1, k2`` comes ``k3``. Else the name follows what is made with the key: ``noise = normal(key)`` takes
    ``noise_key``, beside ``key_a, key_b`` it takes ``key_noise``. Where nothing has a name, ``subkey`` does.

    Args:
        names: the names at the place where the new one is bound; equal ones that it takes are numbered.
        document: the file.
        place: the use.
        siblings: the names of the keys that the same split gives, without that of its parent.
    """
    parameter = named_parameter(document, place)
    if parameter and names.is_unbound(parameter):
        return parameter
    word = "rng" if re.search(r"rng\d*$", dotted(place.key)) else "key"
    if siblings and all(name.endswith("key") for name in siblings):
        word = "key"
    form = form_of(siblings or [dotted(place.key)]) or f"{{}}_{word}"
    unnamed = [form.format(base) for base in called_base(place)]
    spares = [*usual_names(document, place), SPARE[word]]
    spares = [*spares, f"split_{word}"] if splits(place) else spares
    is_drawn = is_sampler(names, place) and not names.at_module_level
    unnamed = [*spares, *unnamed] if is_drawn else [*unnamed, *spares]
    made = [*singular(document, place), *map(form.format, bases(document, place))]
    free = [name for each in (*following(siblings), *made, *unnamed) if (name := numbered(names, each))]
    if dotted(place.key).isupper():
        free = [name.upper() for name in free if names.is_free(name.upper())]
    others = (f"{SPARE[word]}_{number}" for number in count(2))
    return next((name for name in free if fits(document, place, name)), None) or min(
        free, key=len, default=next(filter(names.is_free, others))
    )


def usual_names(document: Document, place: Place) -> Sequence[str]:
    """Return what a file calls the child of such a key where it names it for nothing: ``rng, _rng = split(rng)``."""
    return children_in(document.tree).get(dotted(place.key), ())


@lru_cache(maxsize=2)  # the findings of one file come one after the other
def children_in(tree: ast.AST) -> dict[str, list[str]]:
    """Return the generic names of the children of each key that a file splits and rebinds, the commonest first."""
    found: dict[str, Counter[str]] = {}
    for node in nodes_in(tree):
        match node:
            case ast.Assign(
                targets=[ast.Tuple(elts=[ast.Name(id=one), ast.Name(id=two)])],
                value=ast.Call(args=[ast.Name(id=parent), *_]) as call,
            ) if parent in (one, two) and dotted(call.func).endswith("split"):
                found.setdefault(parent, Counter())[two if one == parent else one] += 1
    return {
        parent: [name for name, _ in names.most_common() if name.strip("_") in GENERIC]
        for parent, names in found.items()
    }


def numbered(names: Names, name: str) -> str:
    """Return a name if it is free, and with a number if the rewrite has taken it; empty if something else has it."""
    if name in names.taken:
        return next(each for number in count(2) if names.is_free(each := f"{name}_{number}"))
    return name if names.is_free(name) else ""


def form_of(siblings: Sequence[str]) -> str:
    """Return ``key_{}`` if all of several names begin so, and ``{}_rng`` if all end so; empty for others."""
    parts = [(name.partition("_")[0], name.rpartition("_")[2]) for name in siblings if "_" in name]
    named = {(first, last) for first, last in parts if not {first, last} <= KEY_WORDS}
    if len(parts) < len(siblings) or not named:
        return ""
    first, last = ({each[side] for each in named} for side in (0, 1))
    if len(first) == 1 and first <= KEY_WORDS:
        return f"{first.pop()}_{{}}"
    return f"{{}}_{last.pop()}" if len(last) == 1 and last <= KEY_WORDS else ""


def fits(document: Document, place: Place, name: str) -> bool:
    """Return whether the line of a place, and that of a split before it, has room for the name of its key."""
    if place.key is None or place.key.lineno != place.key.end_lineno:
        return True
    key, statement = document.segment(place.key), document.statement(place.node)
    line = len(document.lines[place.key.lineno - 1].partition("  #")[0].partition(" # ")[0].rstrip())
    split = f"{key}, {name} = {SPLIT}({key})"
    most = line_length(document)
    return (line > most or line - len(key) + len(name) <= most) and statement.col_offset + len(split) <= most


def following(siblings: Sequence[str]) -> Iterator[str]:
    """Yield the next of several names with numbers: ``k3`` after ``k1, k2``; a single one has to be a word for keys."""
    found = [NUMBERED.fullmatch(name) for name in siblings]
    if not found or not all(found):
        return
    parts = [(each[1], each[2]) for each in found if each is not None]
    stem, first = parts[0][0], int(parts[0][1])
    is_enough = len(parts) > 1 or stem.strip("_") in KEY_WORDS
    if is_enough and all(part == (stem, str(first + step)) for part, step in zip(parts, count(), strict=False)):
        yield f"{stem}{first + len(parts)}"


def singular(document: Document, place: Place) -> Iterator[str]:
    """Yield ``noise_key`` for the key that ``noise_keys = split(key, 3)`` takes."""
    around = document.parents.get(place.node)
    if isinstance(around, ast.Assign) and splits(place):
        name = dotted(around.targets[0])
        if name.endswith("s") and NAMED_KEY.fullmatch(name[:-1]):
            yield name[:-1]


def named_parameter(document: Document, place: Place) -> str:
    """Return the parameter that takes the key, where its name says what the key is for."""
    around = document.parents.get(place.key) if place.key is not None else None
    is_named = isinstance(around, ast.keyword) and around.arg is not None and NAMED_KEY.fullmatch(around.arg)
    return str(around.arg) if isinstance(around, ast.keyword) and is_named else ""


def bases(document: Document, place: Place) -> Iterator[str]:
    """Yield the names of what is made with a key, from the innermost one outwards."""
    node: ast.AST | None = place.key
    while node is not None and not isinstance(node, ast.stmt):
        around = document.parents.get(node)
        name = ""
        if isinstance(around, ast.keyword) and node is not place.key:
            name = around.arg or ""
        elif isinstance(around, ast.Dict):
            name = next((str(k.value) for k, v in zip(around.keys, around.values, strict=True)
                         if v is node and isinstance(k, ast.Constant)), "")  # fmt: skip
        elif isinstance(around, ast.NamedExpr):
            name = dotted(around.target)
        elif isinstance(around, ast.Assign | ast.AnnAssign | ast.AugAssign):
            name = target_of(around, place.key)
        yield from worded(name)
        node = around


def target_of(statement: ast.Assign | ast.AnnAssign | ast.AugAssign, key: ast.expr | None) -> str:
    """Return the variable, attribute, item or container that an assignment gives what is made with a key."""
    target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
    value = statement.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        pairs = zip(target.elts, value.elts, strict=True)
        target = next((one for one, made in pairs if any(part is key for part in ast.walk(made))), target)
    if isinstance(target, ast.Tuple):  # ``samples, _ = f(key)``
        kept = [one for one in target.elts if not dotted(one).startswith("_")]
        target = kept[0] if len(kept) == 1 else target
    while isinstance(target, ast.Subscript):
        if isinstance(target.slice, ast.Constant) and isinstance(target.slice.value, str):
            return target.slice.value
        target = target.value
    return dotted(target)


def called_base(place: Place) -> Iterator[str]:
    """Yield the callee that takes a key: ``dropout(x, key)`` takes a ``dropout_key``.

    The name of a function of several words says what it does, perhaps to what, and that of a class what is made.
    """
    if isinstance(place.node, ast.Call):
        name = dotted(place.node.func)
        last = name.rpartition(".")[2].strip("_")
        verb, _, thing = last.partition("_")
        if last.startswith(("split", "fold_in", "clone")):
            return
        if not thing or not last.islower():
            yield from worded(name)
        elif verb in VERBS and len(thing) <= LONGEST_OBJECT and not thing.startswith("and_"):
            yield from worded(thing)


def splits(place: Place) -> bool:
    """Return whether a place splits its key."""
    return isinstance(place.node, ast.Call) and dotted(place.node.func).rpartition(".")[2] == "split"


def is_sampler(names: Names, place: Place) -> bool:
    """Return whether a function of ``jax.random`` takes a key, whose name says little about what is made."""
    return isinstance(place.node, ast.Call) and names.resolve(place.node.func).startswith(f"{RANDOM}.")


def worded(name: str) -> Iterator[str]:
    """Yield the last part of a name in lower case, if that can begin the name of a key."""
    last = name.rpartition(".")[2].strip("_")
    word = re.sub(r"(?<=[a-z0-9])(?=[A-Z][a-z])", "_", last).lower()
    if word.isidentifier() and len(word) <= LONGEST and not KEYISH.search(word):
        yield word
