"""Signature packs, traced: what the public functions of a module do with random keys, as the rules read it.

Each function is traced with abstract keys for the parameters that are keys by their names, and with the values of
:func:`samples` for those of ``jax.random`` that it cannot be called without.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

from olympus.signatures.streams import streams
from olympus.signatures.traced import read
from olympus.tracing.jaxprs import raw_key, typed_key

if TYPE_CHECKING:
    from olympus.lineage import Lineage
    from olympus.signatures.signature import KeySignature, Source

WIDTH = 120
KEY_NAME = re.compile(r"(.*_)?(p?rngs?|p?rng_?keys?|(sub)?keys?|keypair)\d*")
MANY_NAME = re.compile(r".*s\d*")
NAMES_A_KEY = re.compile(r"PRNGKey|KeyArray|\bKey\[")  # in an annotation
BUFFER, SEED = "key_bits_array", "seed"
SPLIT_IN = 3  # asked for, to see which parameter counts the children


def samples(qualified: str) -> dict[str, Any]:
    """Return a small value for each parameter of ``jax.random`` that has no default and is no key.

    Args:
        qualified: the function; the names mean something else in a few of them.
    """
    import numpy as np

    ones = ("b", "concentration", "df", "dfden", "dfnum", "lam", "loc", "mean", "right", "scale", "upper")
    values: dict[str, Any] = {
        **dict.fromkeys(ones, 1.0),
        **dict.fromkeys(("left", "lower"), 0.0),
        **dict.fromkeys(("mode", "p"), 0.5),
        **{"a": 2, "d": 2, "data": 1, "maxval": 5, "minval": 0, "n": 3, "x": 4},
        "shape": (),
        "alpha": np.ones(3, np.float32),
        "cov": np.eye(2, dtype=np.float32),
        "logits": np.zeros(3, np.float32),
    }
    if qualified == "jax.random.multivariate_normal":
        values["mean"] = np.ones(2, np.float32)
    if qualified == "jax.random.multinomial":
        values["p"] = np.full(3, 1 / 3, np.float32)
    return values


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a signature pack; ``docs/signature-packs.md`` explains the fields.

    Attributes:
        parameters: the names of the parameters that may be given by position.
        keywords: those that are given by name only.
        sinks: the parameters whose key is consumed.
        folds: those whose key is folded into, or consumed on some executions only.
        inspects: those whose key is looked at.
        forwards: those that come out.
        draw: which streams of the key are read.
        derive: how the result is derived from the first parameter.
        seed: ``typed`` or ``raw`` if the result is made from a seed.
        wrap: whether a buffer comes out as a typed key.
        unwrap: whether a typed key comes out as its buffer.
    """

    parameters: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    sinks: tuple[str, ...] = ()
    folds: tuple[str, ...] = ()
    inspects: tuple[str, ...] = ()
    forwards: tuple[str, ...] = ()
    draw: str | None = None
    derive: str | None = None
    seed: Literal["typed", "raw"] | None = None
    wrap: bool = False
    unwrap: bool = False


@dataclass(frozen=True, slots=True)
class Described:
    """What is known of the functions of some modules.

    Attributes:
        rows: the row of each function, by its qualified name.
        without: why others that take or make keys have none.
    """

    rows: Mapping[str, Row]
    without: Mapping[str, str]


class _CannotBeSaid(Exception):
    """There is no row for a function; the message says why."""


def describe(modules: Iterable[ModuleType]) -> Described:
    """Trace the public functions of modules that take keys or make them.

    These are the names in ``__all__``, or those without a leading underscore; what a module imports from another
    package is left out, and so are classes.
    """
    rows: dict[str, Row] = {}
    without: dict[str, str] = {}
    for module in modules:
        for name, function in _public(module):
            qualified = f"{module.__name__}.{name}"
            try:
                row = _row(qualified, function)
            except _CannotBeSaid as error:
                without[qualified] = str(error)
            else:
                if row is not None:
                    rows[qualified] = row
    return Described(rows, without)


def _public(module: ModuleType) -> Iterator[tuple[str, Callable[..., Any]]]:
    names = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]
    root = module.__name__.partition(".")[0]
    for name in sorted(names):
        value = getattr(module, name, None)
        if not callable(value) or inspect.isclass(value):
            continue
        home = getattr(value, "__module__", None) or root
        if home.partition(".")[0] == root:
            yield name, value


# One function.


def _row(qualified: str, function: Callable[..., Any]) -> Row | None:
    """Return the row of a function, ``None`` for one that neither takes nor makes keys.

    Raises:
        _CannotBeSaid: it cannot be traced, or the format has no words for it.
    """
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None
    keys = [each.name for each in parameters if _is_key(each)]
    buffers = [each.name for each in parameters if each.name == BUFFER]
    if not keys and not buffers and SEED not in (each.name for each in parameters):
        return None
    out_of_reach = [each for each in parameters if each.name in keys and each.kind not in _BY_NAME]
    if out_of_reach:
        raise _CannotBeSaid(f"its key `{str(out_of_reach[0]).partition(':')[0]}` cannot be given by name")
    fixed = _values(qualified, [each for each in parameters if each.name not in (*keys, *buffers)])
    lineage = _traced(function, keys, buffers, fixed)
    positional = tuple(each.name for each in parameters if each.kind in _BY_POSITION)
    keywords = tuple(each.name for each in parameters if each.kind is each.KEYWORD_ONLY)
    row = _Reading(lineage, read(lineage, positional + keywords), tuple(keys)).row(qualified)
    row = replace(row, parameters=positional, keywords=keywords)
    if row.derive == "split" and not _counts(function, positional, fixed):
        row = replace(row, derive=None)
    if row.derive == "fold_in" and positional[1:2] != tuple(fixed)[:1]:
        row = replace(row, derive=None, folds=positional[:1])
    return row if keys or row.seed or row.wrap else None


_BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def _is_key(parameter: inspect.Parameter) -> bool:
    return bool(KEY_NAME.fullmatch(parameter.name) or NAMES_A_KEY.search(str(parameter.annotation)))


def _values(qualified: str, others: Iterable[inspect.Parameter]) -> dict[str, Any]:
    """Return values for the parameters that are no keys and have no default.

    Raises:
        _CannotBeSaid: there is none for one of them.
    """
    known = samples(qualified) if qualified.startswith("jax.random.") else {}
    known |= {SEED: 0}
    needed = [each.name for each in others if each.default is each.empty and each.kind not in _REST]
    unknown = [f"`{name}`" for name in needed if name not in known]
    if unknown:
        raise _CannotBeSaid(f"it needs {' and '.join(unknown)}, for which there is no value")
    return {name: known[name] for name in needed}


_REST = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def _traced(
    function: Callable[..., Any], keys: Iterable[str], buffers: Iterable[str], fixed: Mapping[str, Any]
) -> Lineage:
    """Follow the keys of a function that is given typed keys, raw ones if it does not take them.

    Raises:
        _CannotBeSaid: neither can be traced, or something takes its keys that is not modelled.
    """
    from olympus import lineage

    others = {name: raw_key() for name in buffers}
    reasons = []
    for make in (typed_key, raw_key):
        arguments = {name: make(shape=(2,) if MANY_NAME.fullmatch(name) else ()) for name in keys}
        try:
            found = lineage.of(_arrays_of(partial(function, **fixed)), **arguments, **others)
        except Exception as error:  # the user's code may raise anything
            reasons.append(f"{type(error).__name__}: {' '.join(str(error).split())[:WIDTH]}")
            continue
        if not found.complete:
            raise _CannotBeSaid("it has too many equations to follow")
        if found.unmodelled:
            raise _CannotBeSaid(f"its key goes to `{found.unmodelled[0].name}`, which is not modelled")
        return found
    raise _CannotBeSaid(f"it cannot be traced ({reasons[0]})")


def _arrays_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function without those parts of its result that are no arrays, such as a name."""
    import jax

    def arrays(**arguments: Any) -> Any:
        result = function(**arguments)
        return jax.tree_util.tree_map(lambda leaf: leaf if isinstance(leaf, jax.Array) else None, result)

    return arrays


def _counts(function: Callable[..., Any], positional: tuple[str, ...], fixed: Mapping[str, Any]) -> bool:
    """Return whether the second parameter is the number of children, or they are two if there is none."""
    import jax

    number = () if len(positional) < 2 else (SPLIT_IN,)
    try:
        children = jax.eval_shape(lambda key: partial(function, **fixed)(key, *number), typed_key())
    except Exception:
        return False
    return bool(children.shape == (number or (2,)))


class _Reading:
    """Reads a row off what is known of a traced function."""

    def __init__(self, lineage: Lineage, signature: KeySignature, keys: tuple[str, ...]) -> None:
        self.lineage = lineage
        self.signature = signature
        self.keys = keys

    def row(self, qualified: str) -> Row:
        """Return the row without the parameters.

        Raises:
            _CannotBeSaid: the format has no words for it.
        """
        parts = [sink.path for sink in self.signature.sinks if sink.mask is not None or sink.path not in self.keys]
        if parts:
            raise _CannotBeSaid(f"it consumes a part of `{parts[0]}`, and not all of it")
        sinks = tuple(sink.path for sink in self.signature.sinks if not sink.conditional)
        made = self.made()
        derive = made.via if made is not None and made.parent in self.first() else None
        folded = {sink.path for sink in self.signature.sinks} | self.folded()
        folds = () if derive else tuple(name for name in self.keys if name in folded and name not in sinks)
        forwards = tuple(each.input for each in self.signature.forwards if each.path == "" and each.mask is None)
        kinds = [(self.is_typed(name), self.is_typed()) for name in forwards]
        unwrap = (True, False) in kinds
        used = {*sinks, *folds, *(() if unwrap else forwards), *(self.first() if derive else ())}
        return Row(
            sinks=sinks,
            folds=folds,
            inspects=tuple(name for name in self.keys if name not in used),
            forwards=forwards,
            draw=self.draw(sinks, qualified.removeprefix("jax.random.")),
            derive=derive,
            seed=None if made is None or made.via != "seed" else "typed" if self.is_typed() else "raw",
            wrap=(False, True) in kinds,
            unwrap=unwrap,
        )

    def first(self) -> tuple[str, ...]:
        """Return the first parameter, if it is a key."""
        return tuple(name for name in self.signature.parameters[:1] if name in self.keys)

    def made(self) -> Source | None:
        """Return the fresh key or key array that is the result."""
        found = [source for source in self.signature.sources if source.path in ("", "[*]") and source.mask is None]
        whole = self.lineage.trace.out_tree.num_leaves == 1
        return found[0] if whole and len(found) == 1 and found[0].spent is False else None

    def folded(self) -> set[str]:
        """Return the parameters that keys are derived from without being consumed."""
        events = [event for event in self.lineage.events if event.kind in ("fold_in", "clone")]
        taken = {key for event in events for key in event.keys}
        return {name for name in self.keys if taken.intersection(self.identities(name))}

    def identities(self, name: str) -> list[int]:
        """Return the identities of the keys in an argument."""
        from olympus.lineage.values import Values

        value = self.lineage.inputs[self.lineage.trace.names.index(name)]
        return [key for _, key in Values(self.lineage.identities).keys_at(value)]

    def draw(self, sinks: tuple[str, ...], own: str) -> str | None:
        """Return the word for what is drawn, for a function that draws from one key."""
        if not any(event.kind == "draw" for event in self.lineage.events):
            return None
        identities = self.identities(sinks[0]) if len(sinks) == 1 and self.keys == sinks else []
        return streams(self.lineage, identities[0], own) if len(identities) == 1 else None

    def is_typed(self, name: str | None = None) -> bool:
        """Return whether an argument is of a key dtype; the result, if none is named."""
        from olympus.lineage.values import is_key_dtype

        trace = self.lineage.trace
        atoms: Any = trace.jaxpr.jaxpr
        return is_key_dtype(atoms.outvars[0].aval if name is None else atoms.invars[trace.names.index(name)].aval)


# Text.

HEAD = """\
# What the functions of {modules} do with random keys, traced with JAX {version}.
# `olympus signatures {command}` wrote this; docs/signature-packs.md explains the format.

roots = {roots}
"""


def pack_text(modules: Iterable[ModuleType]) -> str:
    """Return the signature pack of some modules, as TOML."""
    import jax

    modules = list(modules)
    names = [module.__name__ for module in modules]
    described = describe(modules)
    roots = list(dict.fromkeys(name.partition(".")[0] for name in names))
    parts = [
        HEAD.format(
            modules=" and ".join(names), version=jax.__version__, command=" ".join(names), roots=json.dumps(roots)
        )
    ]
    parts += [_text(f"[functions.{json.dumps(name)}]", row) for name, row in described.rows.items()]
    if described.without:
        lines = (f"# {name}: {reason}\n" for name, reason in described.without.items())
        parts.append("".join(("# Without a row:\n", "#\n", *lines)))
    return "\n".join(parts)


def _text(head: str, row: Row) -> str:
    values = ((each.name, getattr(row, each.name)) for each in fields(row))
    return "".join(f"{line}\n" for line in (head, *(_field(name, value) for name, value in values if value)))


def _field(name: str, value: object) -> str:
    line = f"{name} = {json.dumps(value)}"
    if len(line) <= WIDTH or not isinstance(value, tuple):
        return line
    return "\n".join([f"{name} = [", *(f"  {json.dumps(each)}," for each in value), "]"])
