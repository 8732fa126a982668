"""Arguments from the example in a function's docstring."""

from __future__ import annotations

import ast
import doctest
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from olympus.trials.arguments import Argument, Input, Value, value
from olympus.trials.guesses import REST
from olympus.trials.names import is_key, is_keys


def example(
    function: Callable[..., Any], name: str, parameters: Sequence[inspect.Parameter], namespace: Mapping[str, Any]
) -> dict[str, Argument]:
    """Return the arguments of the first call of a function in its docstring.

    The examples before the call are executed, in a copy of the namespace of the function's module.

    Args:
        function: the function.
        name: its name.
        parameters: its parameters.
        namespace: that of its module.

    Returns:
        The arguments by parameter; none if there is no such call, or it fails.
    """
    text = inspect.getdoc(function) or ""
    if ">>>" not in text:
        return {}
    names = dict(namespace)
    try:
        for each in doctest.DocTestParser().get_examples(text):
            call = next(calls(ast.parse(each.source), name), None)
            if call is not None:
                return bound(call, parameters, names)
            exec(compile(each.source, "<docstring>", "exec"), names)
    except (Exception, SystemExit):  # an example may be out of date, or need what is not there
        return {}
    return {}


def calls(tree: ast.AST, name: str) -> Iterator[ast.Call]:
    """Return the calls of a function, whatever the module is called."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == name:
            yield node


def bound(call: ast.Call, parameters: Sequence[inspect.Parameter], names: dict[str, Any]) -> dict[str, Argument]:
    """Evaluate the arguments of a call, and give arrays of their shapes in the place of arrays."""
    gather = ast.Call(ast.Name("__given", ast.Load()), call.args, call.keywords)
    code = compile(ast.fix_missing_locations(ast.Expression(gather)), "<docstring>", "eval")
    args, kwargs = eval(code, names | {"__given": lambda *args, **kwargs: (args, kwargs)})
    found = inspect.Signature([each.replace(annotation=each.empty) for each in parameters]).bind(*args, **kwargs)
    kinds = {each.name: each.kind for each in parameters}
    return {each: abstract(held, each) for each, held in found.arguments.items() if kinds[each] not in REST}


def abstract(held: Any, name: str) -> Argument:
    """Return an array of a shape for an array, a key for a key, and anything else as it is."""
    import jax
    import numpy as np

    if not isinstance(held, jax.Array | np.ndarray):
        return value(held)
    if jax.dtypes.issubdtype(held.dtype, jax.dtypes.prng_key):  # type: ignore[attr-defined]
        return Input(tuple(held.shape), "")
    if held.ndim and str(held.dtype) == "uint32" and (is_key(name) or is_keys(name)):
        return Input(tuple(held.shape[:-1]), "")
    numeric = held.dtype.kind in "biufcV"  # bfloat16 is of the kind V
    return Input(tuple(held.shape), str(held.dtype)) if numeric else Value(held, "an array")
