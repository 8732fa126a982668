"""Reads a signature pack, and says what is wrong with one: the file, the section, the field, the nearest spelling."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import fields, replace
from pathlib import PurePath
from typing import Any, cast, get_args

from olympus_rules.libraries.model import ContainerCall, Conversion, Effect, Form, LibraryFunction
from olympus_rules.libraries.pack import Pack
from olympus_rules.libraries.transformations import TRANSFORMATIONS, Result
from olympus_rules.syntax.toml import read_toml

LISTS: dict[str, tuple[str, ...]] = {
    "inspect": ("names", "prefixes", "methods"),
    "fold": ("methods", "initialising", "streams", "parameters", "variables", "modules", "states"),
    "layers": ("keywords",),
    "lifted": ("splits", "own", "dropout"),
    "silent": ("names",),
    "counting": (
        "modules", "bases", "layers", "counts", "on", "off", "copied", "split", "merged", "viewed", "updated",
        "restarted",
    ),
    "forward": ("names", "copies"),
    "transform": tuple(TRANSFORMATIONS),
    "result": get_args(Result),
    "containers": get_args(ContainerCall),
    "arrays": ("modules", "joins", "takes-lists", "shaped", "takes-keys", "aligned", "fits", "stacks"),
}  # fmt: skip
ROWS = ("functions", "methods")
NAMED = ("copies", "fields")
"""Sections that list names under a name."""
TYPED_KEYS = "typed-keys"
SUPPORT = ("since", "none", "except")
CONVERSIONS = "conversions"
OF_CONVERSIONS = ("form", "names", "places", "all-from", "keywords", "effect", "before")
MOST_PLACES = 32  # arguments that count where all do
SECTIONS = (*ROWS, "returns", *NAMED, *LISTS, CONVERSIONS, TYPED_KEYS)
CHOICES = {"derive": ("split", "fold_in", "clone"), "seed": ("typed", "raw"), "makes": ("key", "keys")}
FLAGS = ("wrap", "unwrap", "raw")
FIELDS = tuple(field.name for field in fields(LibraryFunction) if field.name not in ("qualified", "method"))
OF_FUNCTIONS = (
    "draw", "derive", "seed", "gives", "keeps", "silent", "needs", "instead", "holds", "advances", "wrap", "unwrap",
)  # fmt: skip
OF_METHODS = tuple(name for name in FIELDS if name not in OF_FUNCTIONS)
OF_PARAMETERS = ("sinks", "folds", "inspects", "forwards", "keeps", "seeds", "needs", "instead", "holds", "advances")


def read(filename: str, text: str) -> Pack:
    """Read a signature pack.

    Args:
        filename: how messages name it; without a list of roots, its stem is the package that it speaks of.
        text: the TOML.

    Raises:
        ValueError: the text is not TOML, or not a signature pack.
    """
    try:
        table = read_toml(text)
    except ValueError as error:
        raise ValueError(f"{filename} is not TOML ({error}); correct it there") from None
    roots: tuple[str, ...] = (PurePath(filename).stem,)
    if "roots" in table:
        roots = _names(f"{filename}: roots", table.pop("roots"))
    rows: dict[str, list[LibraryFunction]] = {section: [] for section in ROWS}
    lists: dict[tuple[str, str], tuple[str, ...]] = {}
    returns: dict[str, str] = {}
    named: dict[str, dict[str, tuple[str, ...]]] = {section: {} for section in NAMED}
    since, raw, raw_names = _typed_keys(f"{filename}: [{TYPED_KEYS}]", table.pop(TYPED_KEYS, {}))
    conversions = _conversions(f"{filename}: [[{CONVERSIONS}]]", table.pop(CONVERSIONS, []))
    for section, entries in table.items():
        _known(filename, "section", section, SECTIONS)
        place = f"{filename}: [{section}]"
        for name, value in _table(place, entries).items():
            if section == "returns":
                returns |= dict.fromkeys(_listed(f'{place} "{name}"', value), name)
            elif section in NAMED:
                named[section][name] = _listed(f"{place} {name}", value)
            elif section in ROWS:
                rows[section].append(_row(f'{filename}: [{section}."{name}"]', name, value, section == "methods"))
            else:
                _known(place, "field", name, LISTS[section])
                lists[section, name] = _listed(f"{place} {name}", value)
    functions, methods = (tuple(replace(row, raw=raw or row.raw) for row in rows[section]) for section in ROWS)
    return Pack(
        roots, functions, methods, returns, named["copies"], named["fields"], lists, conversions, since, raw, raw_names
    )


def _typed_keys(place: str, value: object) -> tuple[str, bool, tuple[str, ...]]:
    """Return since which release a library takes typed keys, whether it takes none, and which functions do not."""
    table = _table(place, value)
    for name in table:
        _known(place, "field", name, SUPPORT)
    since, none = _text(f"{place} since", table.get("since", "")), _flag(f"{place} none", table.get("none", False))
    if since and none:
        raise ValueError(f"{place}: a library that takes typed keys since {since} does not take none; drop one of both")
    return since, none, _names(f"{place} except", table.get("except", []))


def _conversions(place: str, value: object) -> dict[str, Conversion]:
    """Return what functions do with the words of keys, by their names."""
    if not isinstance(value, list):
        raise ValueError(f"{place}: expected an array of tables, not {value!r}")
    return {name: conversion for entry in value for names, conversion in [_conversion(place, entry)] for name in names}


def _conversion(place: str, value: object) -> tuple[tuple[str, ...], Conversion]:
    table = _table(place, value)
    for name in table:
        _known(place, "field", name, OF_CONVERSIONS)
    places = table.get("places", [0])
    first = table.get("all-from", MOST_PLACES)
    before = _text(f"{place} before", table.get("before", ""))
    if not isinstance(places, list) or not all(type(number) is int for number in (first, *places)):
        raise ValueError(f"{place}: expected numbers in `places` and `all-from`, not {places!r} and {first!r}")
    if not all(part.isdecimal() for part in before.split(".") if before):
        raise ValueError(f'{place} before: expected a release such as "0.9.2", not {before!r}')
    return _listed(f"{place} names", table.get("names", [])), Conversion(
        cast("Form", _choice(f"{place} form", table.get("form", ""), get_args(Form))),
        tuple(range(cast("int", first), MOST_PLACES)) if "all-from" in table else tuple(places),
        _names(f"{place} keywords", table.get("keywords", [])),
        cast("Effect", _choice(f"{place} effect", table.get("effect", "fails"), get_args(Effect))),
        tuple(map(int, before.split("."))) if before else (),
    )


def _row(place: str, name: str, value: object, method: bool) -> LibraryFunction:
    row: dict[str, Any] = {}
    for field, given in _table(place, value).items():
        _known(place, "field", field, OF_METHODS if method else FIELDS)
        row[field] = _reader(field)(f"{place} {field}", given)
    parameters = row.get("parameters", ()) + row.get("keywords", ())
    for field in OF_PARAMETERS:
        for parameter in row.get(field, ()):
            _known(f"{place} {field}", "parameter", parameter, parameters)
    for parameter, _ in row.get("silent", ()):
        _known(f"{place} silent", "parameter", parameter, parameters)
    for parameter in row.get("seeds", ()):
        taking = row.get("sinks", ()) + row.get("folds", ()) + row.get("keeps", ())
        _known(f"{place} seeds", "sink, fold or kept key", parameter, taking)
    if row.get("derive") and not row.get("parameters"):
        raise ValueError(f"{place}: a key is derived from the first of `parameters`, and there is none; list them")
    return LibraryFunction(name, **row, method=method)


def _reader(field: str) -> Callable[[str, object], object]:
    if field in CHOICES:
        return lambda place, value: _choice(place, value, CHOICES[field])
    if field in FLAGS:
        return _flag
    if field == "silent":
        return _silent
    return _text if field == "draw" else _names


def _silent(place: str, value: object) -> tuple[tuple[str, object], ...]:
    """Return the values of parameters for which nothing is drawn."""
    return tuple(_table(place, value).items())


def _known(place: str, what: str, name: str, names: Collection[str]) -> None:
    if name in names:
        return
    import difflib  # only for a pack that is wrong

    near = difflib.get_close_matches(name, names, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(names) or 'none'}"
    raise ValueError(f"{place}: unknown {what} {name!r}; {hint}")


def _table(place: str, value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise ValueError(f"{place}: expected a table, not {value!r}")
    return value


def _names(place: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(name, str) and name for name in value):
        raise ValueError(f'{place}: expected a list of names such as ["key"], not {value!r}')
    return tuple(value)


def _listed(place: str, value: object) -> tuple[str, ...]:
    """Return a list of names; a long one may be a text of them, which ``tomllib`` reads in a tenth of the time."""
    return tuple(value.split()) if isinstance(value, str) else _names(place, value)


def _text(place: str, value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{place}: expected a string, not {value!r}")
    return value


def _flag(place: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{place}: expected true or false, not {value!r}")
    return value


def _choice(place: str, value: object, choices: tuple[str, ...]) -> str:
    _known(place, "value", _text(place, value), choices)
    return _text(place, value)
