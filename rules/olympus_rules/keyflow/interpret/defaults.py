"""Callables that are defaults of parameters and of fields: unless a caller gives another one, they are called."""

from __future__ import annotations

from dataclasses import replace

from olympus_rules.code.instructions import FunctionCode
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.domain.values import Bound, Class, Function, Library, Mapped, Partial, Value


def default_callable(file: File, code: FunctionCode, name: str) -> Value | None:
    """Return the callable that is the default of a parameter, ``None`` if it has none that matters to keys."""
    value: Value | None = file.functions.get(code)
    while isinstance(value, Bound | Mapped | Partial):
        value = value.function
    if not isinstance(value, Function) or value.code is not code or name not in code.bound_once:
        return None
    return supposed(file, dict(value.defaults).get(name))


def supposed(file: File, value: Value | None) -> Value | None:
    """Return a callable that another one may replace, so that what it does is in doubt; ``None`` for anything else."""
    if isinstance(value, Function):
        return replace(value, doubtful=True)
    if isinstance(value, Library):
        model = file.table.get(value.qualified)
        if model.row is not None:
            return None if model.row.method else value
        found = file.linker.lookups.outside(value.qualified, concerned=False)
        return supposed(file, found) if found != value else None
    if isinstance(value, Bound | Mapped | Partial) and not isinstance(value.function, Class):
        function = supposed(file, value.function)
        return None if function is None else replace(value, function=function)
    return None
