"""Guesses from the name of a callee out of reach: whether it draws from a key, or stores, sends or converts it.

A key that goes to code out of reach counts as consumed. That is wrong for code that writes a checkpoint or waits for
a result, and its name says so most of the time.
"""

from __future__ import annotations

import ast
import re

from olympus_rules.code.instructions import FunctionCode
from olympus_rules.code.names import dotted_name
from olympus_rules.keyflow.domain.arguments import Arguments
from olympus_rules.keyflow.domain.values import Const, Value

# Methods that keep or show their arguments, whatever the receiver.
FILLING_METHODS = frozenset({"add", "append", "appendleft", "extend", "insert", "setdefault", "update"})
KEEPING_METHODS = frozenset(
    {
        "_asdict", "_replace", "add", "add_argument", "append", "appendleft", "assert_called_with", "critical", "debug",
        "discard", "emit", "error", "exception", "extend", "format", "get", "index", "info", "insert", "items", "join",
        "keys", "log", "log_metrics", "put", "register", "remove", "replace", "save", "set", "setdefault", "store",
        "update", "values", "warn", "warning", "write",
    }
)  # fmt: skip
MOST_ARGUMENTS = {"get": 2, "update": 1}
"""How many arguments by position the methods of Python's containers take: a method that gets more is another one."""
# Callees that store, send, show or wait for their arguments.
STORING = frozenset(
    {
        "backup", "block_on", "block_until_ready", "commit", "dump", "dumps", "enqueue", "log", "persist", "pickle",
        "pprint", "publish", "push", "put_nowait", "record", "report", "send", "snapshot", "sync", "synchronize",
        "upload", "wait",
    }
)  # fmt: skip
STORING_PREFIXES = (
    "add_scalar", "block_until_", "dump_", "log_dict", "log_metric", "log_param", "log_scalar", "log_state", "pickle_",
    "push_to_", "send_to_", "sync_global_", "wait_", "write_",
)  # fmt: skip
SAVING_PREFIXES = (
    "deserialize", "dump", "load_checkpoint", "load_state", "restore", "save", "serialize", "store_",
)  # fmt: skip
# Objects that write to a file, a service or another process, or bind arguments, by the last word of their name.
STORES = frozenset(
    {
        "checkpointer", "checkpoint", "checkpoints", "ckpt", "ckptr", "conn", "logger", "mlflow", "queue", "saver",
        "serializer", "sig", "signature", "socket", "tensorboard", "wandb", "writer",
    }
)  # fmt: skip
STORE_MANAGERS = ("checkpoint_manager", "ckpt_manager", "checkpoint_mngr", "ckpt_mngr")
DRAWING = frozenset({"draw", "generate", "init", "rand", "random", "run", "sample", "shuffle", "split", "step"})
CONVERTING = re.compile(
    r"__dlpack__|(from|to|as|into|convert_to)_(array|cupy|dlpack|jax|mlx|np|numpy|tensor|tf|torch|warp)"
    r"|(j|jax|jnp|np|numpy|t|tf|torch)(2|_to_)(j|jax|jnp|np|numpy|t|tf|torch)"
)
WAITING = ("after", "block_on", "depend_on", "depends_on", "wait")
# Arguments that turn what is random off, by their keywords, with the value that does so.
EVALUATING = {
    "deterministic": True, "eval": True, "eval_mode": True, "evaluate": True, "evaluation": True, "inference": True,
    "is_train": False, "is_training": False, "train": False, "training": False,
}  # fmt: skip
# Classes and class methods that may keep their arguments for later.
CLASS_NAMES = ("__class__", "cls", "klass")
CLASS_SUFFIXES = ("_class", "_cls")
SETTING_UP = frozenset({"__init__", "__new__", "__post_init__", "__setattr__", "bind"})
ALTERNATIVES = ("create", "from_", "new", "of")
DATA = re.compile(r"(Args|Carry|Config|Container|Context|Data|Info|Options|Record|Snapshot|State|Struct|Transition)$")


def keeps(node: ast.Call, name: str) -> bool:
    """Return whether a method keeps or shows its arguments, by its name and their number.

    Args:
        node: the call.
        name: the name of the method.
    """
    is_other = not node.keywords and len(node.args) > MOST_ARGUMENTS.get(name, len(node.args))
    return name in KEEPING_METHODS and not is_other


def is_abstract(code: FunctionCode) -> bool:
    """Return whether a function is left to others, as a method to subclasses: what it does is out of reach."""
    body = getattr(code.node, "body", None)
    last = body[-1] if isinstance(body, list) and body else None
    if isinstance(last, ast.Raise) and last.exc is not None and "NotImplemented" in ast.unparse(last.exc):
        return True
    name = code.name.rpartition(".")[2]
    return code.is_left_open or (code.owner is not None and name in code.owner.left_open and _is_empty(code.node))


def _is_empty(node: ast.AST) -> bool:
    """Return whether the body of a function is a docstring, an ellipsis or ``pass``."""
    return isinstance(node, ast.FunctionDef) and all(
        isinstance(each, ast.Pass) or (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
        for each in node.body
    )


def leaves_keys_alone(node: ast.Call, name: str) -> bool:
    """Return whether a callee stores, sends, converts or waits for its arguments, by its name or that of its object.

    Args:
        node: the call.
        name: the last part of the callee's name.
    """
    name = name.lstrip("_") or name
    if name in STORING or name.startswith(STORING_PREFIXES) or CONVERTING.fullmatch(name):
        return True
    if "checkpoint" in name.split("_"):
        return True
    if not isinstance(node.func, ast.Attribute) or not DRAWING.isdisjoint(name.split("_")):
        return False
    owner = dotted_name(node.func.value.func if isinstance(node.func.value, ast.Call) else node.func.value)
    owner = owner.rpartition(".")[2].lower()
    return owner.rpartition("_")[2] in STORES or owner.endswith(STORE_MANAGERS)


def saves(name: str) -> bool:
    """Return whether a function saves what it is given, or loads it, by its name: others that it calls do so, too."""
    return name.rpartition(".")[2].lstrip("_").startswith(SAVING_PREFIXES)


def evaluates(arguments: Arguments, name: str) -> bool:
    """Return whether a call evaluates a model, so that it may draw nothing: ``apply(…, train=False)``.

    Args:
        arguments: the arguments of the call.
        name: the last part of the callee's name.
    """
    is_asked = any(turns_off(keyword or "", value) for keyword, value in arguments.keywords)
    return is_asked and DRAWING.isdisjoint(name.split("_"))


def turns_off(parameter: str, value: Value) -> bool:
    """Return whether an argument says that nothing is drawn: ``train=False``."""
    return isinstance(value, Const) and parameter in EVALUATING and value.value is EVALUATING[parameter]


def may_only_keep(function: ast.expr, name: str) -> bool:
    """Return whether a callee is a class, makes an instance or sets a value, and so may only keep its arguments.

    Args:
        function: the expression that is called.
        name: the last part of its name.
    """
    if name.lstrip("_")[:1].isupper() or name in CLASS_NAMES or name.endswith(CLASS_SUFFIXES) or name in SETTING_UP:
        return True
    if name.lstrip("_").startswith("set_"):
        return True
    if isinstance(function, ast.Call):  # type(state)(…)
        return isinstance(function.func, ast.Name) and function.func.id == "type"
    if not isinstance(function, ast.Attribute) or not name.startswith(ALTERNATIVES):
        return False
    return DATA.search(dotted_name(function.value).rpartition(".")[2]) is not None


def is_activation(name: str) -> bool:
    """Return whether a callee is an activation, or makes its parameters, by its name: hardly any has some or draws."""
    return name.endswith("activation")


def waiting_arguments(node: ast.Call) -> list[ast.expr]:
    """Return the arguments that a call only waits for, by their keywords."""
    return [keyword.value for keyword in node.keywords if keyword.arg and keyword.arg.startswith(WAITING)]
