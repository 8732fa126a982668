"""Import a user's module, and say why that was not possible."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import TextIO, cast

from olympus.tracing.spans import is_user_file, traceback_chain


class Elsewhere(Exception):
    """The name of a module is that of another file; the message says which."""


def imported(file: Path, module: str, folders: Sequence[Path]) -> ModuleType:
    """Import a file under its name among the modules of a project.

    Args:
        file: the file.
        module: its dotted name.
        folders: where the modules of the project are looked for, first of all.

    Raises:
        Elsewhere: the name is that of another module.
        BaseException: what importing it raises, :class:`SystemExit` included.
    """
    for folder in reversed([str(folder.resolve()) for folder in folders]):
        if folder not in sys.path:
            sys.path.insert(0, folder)
    known = sys.modules.get(module)
    if known is not None and not is_of(known, file) and "." not in module:
        return load(f"{module} of {file.parent}", file)  # a script may have the name of a module that is there
    found = importlib.import_module(module)
    if not is_of(found, file):
        raise Elsewhere(f"{module} is imported from {getattr(found, '__file__', None) or 'elsewhere'}")
    return found


def is_of(module: ModuleType, file: Path) -> bool:
    """Return whether a module was made of a file."""
    own = getattr(module, "__file__", None)
    return own is not None and Path(own).resolve() == file.resolve()


def load(name: str, path: Path) -> ModuleType:
    """Execute a file as a module of a name that nothing else has."""
    if name in sys.modules and is_of(sys.modules[name], path):
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None, "a path that ends in .py has a loader"
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


@contextmanager
def quiet(file: str) -> Iterator[None]:
    """Let Python code print nothing and read nothing, and see a command line without arguments."""
    argv, stdin = sys.argv, sys.stdin
    with Path(os.devnull).open("r+", encoding="utf-8") as nothing:
        sink = cast(TextIO, nothing)
        sys.argv, sys.stdin = [file], sink
        try:
            with redirect_stdout(sink), redirect_stderr(sink):
                yield
        finally:
            sys.argv, sys.stdin = argv, stdin


def place_of(error: BaseException, path: Path) -> str:
    """Return where in the user's code an import failed, as the user would write it."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return f"{shown(Path(error.filename))}:{error.lineno}"
    chain = traceback_chain(error)
    return f"{shown(Path(chain[0].file))}:{chain[0].line}" if chain and is_user_file(chain[0].file) else shown(path)


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message without a full stop; nothing, if it raises another one."""
    try:
        return str(error).strip().partition("\n")[0].rstrip(".")
    except Exception:
        return ""


def import_failed(name: str, error: BaseException) -> str:
    """Return why an import failed: the type and the first line of the error."""
    what = ": ".join(filter(None, [type(error).__name__, first_line(error)]))
    return f"importing {name} failed: {what}"[:300]


def shown(path: Path) -> str:
    """Return a path as the user would write it."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
