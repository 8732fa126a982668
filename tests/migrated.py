"""Programs before and after their migration, run under JAX with raw and with typed keys."""

from __future__ import annotations

import contextlib
import io
import runpy
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from olympus_codemods.fixes import apply_fixes, migration_for
from olympus_codemods.target import NEWEST, Style, Target
from olympus_lint.migration.migration import Migration
from olympus_rules.check import check
from olympus_rules.finding import Confidence
from olympus_rules.rule import Rule
from olympus_rules.rules import all_rules
from olympus_rules.syntax import Document

__all__ = ["BOTH", "FAILED", "assert_migrates", "is_told", "migrated", "numbers", "outcome"]

PASSES = 10
FAILED = "failed"
BOTH = ("threefry2x32", "rbg")


def rules() -> list[Rule]:
    """Return the rules about what typed keys do not survive."""
    words = ("OLY101", "OLY102", "OLY103")
    return [
        rule for code, rule in all_rules().items() if code in words or (code.startswith("OLY2") and code != "OLY201")
    ]


def migrated(
    text: str,
    style: Style = "portable",
    jax: tuple[int, ...] = NEWEST,
    min_confidence: Confidence = Confidence.LIKELY,
) -> str:
    """Return a program made ready for typed keys; its constructors stay."""
    target = Target(style, jax)
    for _ in range(PASSES):
        document = Document("program.py", text)
        checked = check(document, rules(), min_confidence=min_confidence)
        assert not checked.errors, checked.errors[0].__cause__
        fixes = [fix for report in checked.reports if (fix := migration_for(report, document, target)) is not None]
        new, applied = apply_fixes(text, fixes)
        if not applied:
            return text
        text = new
    raise AssertionError(f"the migration finds no end:\n{text}")


def outcome(text: str, *, typed: bool, impl: str = "threefry2x32") -> list[Any] | Exception:
    """Run a program and return the leaves of its ``result`` as lists, or what it raises.

    Args:
        text: the program.
        typed: whether ``PRNGKey`` makes typed keys, as in the dry run that JAX offers.
        impl: the default implementation.
    """
    import jax

    namespace: dict[str, Any] = {"__name__": "program"}
    with jax.default_prng_impl(impl), jax.enable_custom_prng(typed):
        try:
            exec(compile(text, "program.py", "exec", dont_inherit=True), namespace)
            return [shown(leaf) for leaf in jax.tree.leaves(namespace["result"])]
        except Exception as error:
            return error


@cache
def numbers(text: str, *, typed: bool, impl: str = "threefry2x32") -> Any:
    """Return the :func:`outcome` of a program, :data:`FAILED` if it raises."""
    found = outcome(text, typed=typed, impl=impl)
    return FAILED if isinstance(found, Exception) else found


def assert_migrates(
    before: str, *, style: Style = "portable", impls: tuple[str, ...] = BOTH, silent: bool | None = None
) -> str:
    """Assert that a program breaks with typed keys, and that it gives the old numbers after its migration.

    Args:
        before: a program that works with raw keys and leaves what it computes in ``result``.
        style: code of style ``typed`` is not run with raw keys.
        impls: the implementations that the program works with before.
        silent: whether the break is silent; ``None`` for a program that survives as it is.

    Returns:
        The program after its migration.
    """
    after = migrated(before, style)
    assert migrated(after, style) == after
    for impl in impls:
        expected = numbers(before, typed=False, impl=impl)
        assert expected != FAILED
        if silent is not None:
            broken = numbers(before, typed=True, impl=impl)
            assert broken != expected, "typed keys do not break it"
            assert (broken != FAILED) == silent
        if style == "portable":
            assert numbers(after, typed=False, impl=impl) == expected, after
        assert numbers(after, typed=True, impl=impl) == expected, after
    return after


def shown(leaf: Any) -> Any:
    """Return a leaf of a tree as a list, and the words of a key."""
    import jax
    import numpy as np

    if isinstance(leaf, jax.Array) and jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        leaf = jax.random.key_data(leaf)
    return np.asarray(leaf).tolist()


def is_told(migration: Migration) -> bool:
    """Return whether a migration leaves something to do, or its first file gives the same before and after it."""
    if migration.is_open:
        return True
    main = Path(migration.texts[0].filename).name
    old = given({Path(text.filename).name: text.old for text in migration.texts}, main)
    new = {Path(text.filename).name: text.new for text in migration.texts}
    kinds = [False, True] if migration.target.style == "portable" else [False]
    return old is not None and all(old == given(new, main, typed=typed) for typed in kinds)


def given(files: Mapping[str, str], main: str, *, typed: bool = False) -> tuple[str, dict[str, Any]] | None:
    """Run a program of files of one folder; return what it prints and what its variables hold, ``None`` if it fails.

    Args:
        files: the files, by name.
        main: the file to run.
        typed: whether ``PRNGKey`` makes typed keys.
    """
    import jax

    printed, before = io.StringIO(), dict(sys.modules)
    is_typed = jax.enable_custom_prng(typed)
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(printed), is_typed:
        for name, text in files.items():
            (Path(folder) / name).write_text(text)
        sys.path.insert(0, folder)
        try:
            with contextlib.chdir(folder):  # where it may write
                variables = runpy.run_path(str(Path(folder) / main))
        except Exception:
            return None
        finally:
            sys.path.remove(folder)
            for name in set(sys.modules).difference(before):
                if str(getattr(sys.modules[name], "__file__", None) or "").startswith(folder):
                    del sys.modules[name]
    held = {
        name: [shown(leaf) for leaf in jax.tree.leaves(value) if isinstance(leaf, jax.Array | int | float | str)]
        for name, value in variables.items()
        if not name.startswith("__") and not isinstance(value, ModuleType)
    }
    return printed.getvalue(), {name: leaves for name, leaves in held.items() if leaves}
