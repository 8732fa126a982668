"""Random projects of raw keys, migrated and run: ``python -m tests.generated.migration [COUNT] [FIRST]``."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import itertools
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.machinery import ModuleSpec
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, TypeAlias
from unittest import mock

from olympus_codemods.fixes import apply_fixes
from olympus_codemods.target import Style, Target
from olympus_lint.migration import places
from olympus_lint.migration.places import Text
from olympus_lint.migration.project import Migration, migrate
from olympus_lint.project.settings import Settings
from olympus_rules.finding import Fix
from olympus_rules.syntax.project import forget_folders

from .agreement import cuts
from .legacy import Legacy, write_legacy

__all__ = ["Failure", "failures", "shrunk"]

Files: TypeAlias = Mapping[str, str]


@dataclass(frozen=True, order=True)
class Failure:
    """What a migration does wrong with a project.

    ``legacy`` (the project does not run as it is, so that nothing can be said), ``problem``, ``typed``, ``portable``,
    ``portable-typed`` (other numbers), ``again`` (a second run changes something), ``edits`` (something outside of the
    edits is different).
    """

    kind: str
    detail: str = ""


# run


class _Finder:
    """Finds the modules of a project in memory."""

    def __init__(self, files: Files) -> None:
        self.files = {name.removesuffix(".py").replace("/", ".").removesuffix(".__init__"): name for name in files}
        self.texts = files

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name not in self.files:
            return None
        is_package = self.files[name].endswith("__init__.py")
        return importlib.util.spec_from_loader(name, self, origin=self.files[name], is_package=is_package)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        name = self.files[module.__name__]
        exec(compile(self.texts[name], name, "exec"), module.__dict__)


def numbers(files: Files, *, typed: bool = False, words: int = 2) -> list[Any] | str:
    """Run ``main`` of a project and return the leaves of its ``out``, or the error as text.

    Args:
        files: the texts by path.
        typed: whether ``PRNGKey`` makes typed keys, as in the dry run that JAX offers.
        words: those of the raw keys of the default implementation.
    """
    import jax

    finder: Any = _Finder(files)
    impl = "threefry2x32" if words == 2 else "rbg"
    sys.meta_path.insert(0, finder)
    try:
        with jax.default_prng_impl(impl), jax.enable_custom_prng(typed), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            out = importlib.import_module("main").out
            return [shown(leaf) for leaf in jax.tree.leaves(out) if not isinstance(leaf, jax.core.Tracer)]
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:200]}"
    finally:
        sys.meta_path.remove(finder)
        for name in finder.files:
            sys.modules.pop(name, None)


def shown(leaf: Any) -> Any:
    """Return a leaf as plain values; a key as its words."""
    import jax
    import numpy as np

    if isinstance(leaf, jax.Array) and jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        leaf = jax.random.key_data(leaf)
    array = np.asarray(leaf)
    return array.shape, array.tolist()


# migrate


@dataclass
class Migrated:
    """A project after a migration.

    Attributes:
        files: the new texts.
        migration: what came of it.
        unlisted: files that differ outside of the edits that were listed.
    """

    files: dict[str, str]
    migration: Migration
    unlisted: list[str]


_numbers = itertools.count()


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """Give a folder in memory, if there is one."""
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as name:
        yield Path(name)
    forget_folders()


def migrated(files: Files, style: Style) -> Migrated:
    """Migrate a project."""
    steps: dict[str, str] = {}
    with folder() as place:
        (place / "pyproject.toml").touch()
        for name, text in files.items():
            (place / name).parent.mkdir(exist_ok=True, parents=True)
            (place / name).write_text(text)
        texts = [Text(str(place / name), Settings(), text) for name, text in files.items()]
        by_text = {text.old: text for text in texts}

        def watched(text: str, fixes: Sequence[Fix]) -> tuple[str, int]:
            new, count = apply_fixes(text, fixes)
            assert new == applied(text, fixes)
            steps[text] = new
            return new, count

        with mock.patch.object(places, "apply_fixes", watched):
            migration = migrate(texts, Target(style))
        unlisted = []
        for old, text in by_text.items():
            seen = {old}
            while old in steps and steps[old] not in seen:
                old = steps[old]
                seen.add(old)
            if old != text.new:
                unlisted.append(text.filename)
        return Migrated({str(Path(t.filename).relative_to(place)): t.new for t in texts}, migration, unlisted)


def applied(text: str, fixes: Sequence[Fix]) -> str:
    """Apply edits, in another way than the migration does: from the last to the first, on offsets."""
    starts = list(itertools.accumulate((len(line) for line in text.splitlines(keepends=True)), initial=0))
    spans = {
        (
            starts[edit.span.start.row - 1] + edit.span.start.column - 1,
            starts[edit.span.end.row - 1] + edit.span.end.column - 1,
            edit.content,
        )
        for fix in fixes
        for edit in fix.edits
    }
    for start, end, content in sorted(spans, reverse=True):
        text = text[:start] + content + text[end:]
    return text


def failures(project: Legacy, seen: Counter[str] | None = None) -> list[Failure]:
    """Migrate a project in both styles and run what comes of it.

    - In style ``typed``, the project gives the numbers that it gave, whatever was rewritten or held back.
    - In style ``portable``, it does so with raw keys, and with typed ones where the report says that nothing is open.
    - A second migration changes nothing, and nothing differs outside of the edits.

    Args:
        project: the project.
        seen: counts what was tried.
    """
    expected = numbers(project.files, words=project.words)
    if isinstance(expected, str):
        return [Failure("legacy", expected)]
    found: list[Failure] = []

    def same(kind: str, files: Files, *, typed: bool = False) -> None:
        got = expected if files == project.files and not typed else numbers(files, typed=typed, words=project.words)
        if got != expected:
            found.append(Failure(kind, got if isinstance(got, str) else "other numbers"))

    counts = Counter[str]() if seen is None else seen
    for style in ("typed", "portable"):
        done = migrated(project.files, style)
        found += [Failure("problem", problem.message) for problem in done.migration.problems]
        found += [Failure("edits", name) for name in done.unlisted]
        same(style, done.files)
        left = [report for reports in done.migration.left.values() for report in reports]
        if style == "portable" and not done.migration.is_open:
            counts["portable: run with typed keys"] += 1
            same("portable-typed", done.files, typed=True)
        if done.files != project.files:
            again = migrated(done.files, style)
            if again.files != done.files:
                found.append(Failure("again", style))
        counts[f"{style}: {'some' if left else 'nothing'} left"] += 1
        counts[f"{style}: places rewritten"] += sum(len(text.rewritten) for text in done.migration.texts)
        if style == "typed":
            counts["constructors renamed"] += len(done.migration.free)
            counts["constructors held back"] += len(done.migration.held)
    return found


# small


def shrunk(project: Legacy, still: Callable[[Legacy], bool]) -> Legacy:
    """Return a project with fewer statements and simpler expressions of which ``still`` is true as well."""
    for name in list(project.files):
        number, unchanged = 0, 0
        while unchanged <= (count := sum(1 for _ in cuts(ast.parse(project.files[name])))):
            candidate = smaller(project, name, number % max(count, 1))
            if candidate != project and still(candidate):
                project, unchanged = candidate, 0
            else:
                number, unchanged = number + 1, unchanged + 1
    return project


def smaller(project: Legacy, name: str, number: int) -> Legacy:
    """Return a project with one thing less in a file: the n-th that can be taken away."""
    tree: Any = ast.parse(project.files[name])
    cut = next(itertools.islice(cuts(tree), number, None), None)
    if cut is None:
        return project
    cut()
    try:
        text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    except Exception:  # what is left is no syntax tree
        return project
    return replace(project, files={**project.files, name: text})


def text_of(project: Legacy) -> str:
    """Return all files of a project as one text."""
    return "\n".join(f"# {name}\n{text.strip()}" for name, text in project.files.items() if text.strip())


def main() -> int:
    """Print a small project for each sort of failure."""
    count, first = (int(sys.argv[i]) if len(sys.argv) > i else default for i, default in ((1, 100), (2, 0)))
    shown_already, seen, failed = Counter[tuple[str, str]](), Counter[str](), 0
    began = time.perf_counter()
    for seed in range(first, first + count):
        project = write_legacy(Random(f"legacy {seed}"))
        found = failures(project, seen)
        failed += bool(found)
        for failure in found:
            sort = (failure.kind, failure.detail[:40])
            shown_already[sort] += 1
            if shown_already[sort] <= SHOWN:
                small = shrunk(project, lambda p, f=failure: any(o.kind == f.kind for o in failures(p)))
                print(f"\n# {seed}: {failure}\n{text_of(small)}", flush=True)
    print(
        f"{count} projects, {failed} failed, {time.perf_counter() - began:.0f} s, {dict(seen)}, {dict(shown_already)}"
    )
    return 1 if failed else 0


SHOWN = 2  # projects shown of each sort

if __name__ == "__main__":
    sys.exit(main())
