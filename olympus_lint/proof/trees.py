"""The user's tree, and copies of it in which the tests run."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from olympus_lint.project.git import run_git
from olympus_lint.project.settings import DEFAULT_EXCLUDE
from olympus_rules.syntax.project import project_of

MOST_BYTES = 2 << 30
MOST_FILES = 100_000
CODE = (".py", ".pyi", ".so", ".pyd", ".dll", ".dylib")
"""Suffixes of files that are copied although git ignores them: generated modules and compiled ones."""
ENVIRONMENT = ("pyvenv.cfg", "conda-meta")
"""What a folder with an environment of Python has."""


class CheckError(Exception):
    """The command cannot be run, or shows nothing; the message is the cause and the next step."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree of files.

    Attributes:
        root: its folder, without symbolic links in the path.
        here: the folder of the command, relative to the root.
        files: the files and the symbolic links that belong to it, relative to the root.
        environments: folders with an environment of Python, relative to the root. A copy has links to them.
    """

    root: Path
    here: Path
    files: tuple[str, ...]
    environments: tuple[str, ...] = ()

    def path_of(self, filename: str) -> str:
        """Return the path of a file relative to the root.

        Raises:
            CheckError: the file lies elsewhere.
        """
        path = Path(os.path.realpath(filename))
        if not path.is_relative_to(self.root):
            raise CheckError(
                f"{filename} is not below {self.root}, which is the folder that the tests run in a copy of; "
                "start the command in the project to which all files belong."
            )
        return path.relative_to(self.root).as_posix()

    def copy_to(self, target: Path, changes: Mapping[str, bytes]) -> None:
        """Copy the tree.

        Args:
            target: the folder to make.
            changes: the new content of files, by their path relative to the root.

        Raises:
            CheckError: the disk is full, or a file cannot be read.
        """
        try:
            (target / self.here).mkdir(parents=True)
            for name in dict.fromkeys([*self.files, *changes]):
                self._copy(name, target)
            for name in self.environments:
                place = target / name
                if not place.exists() and not place.is_symlink():
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.symlink_to(self.root / name, target_is_directory=True)
            for name, data in changes.items():
                (target / name).write_bytes(data)
        except (OSError, shutil.Error) as error:
            cause = getattr(error, "strerror", None) or error
            raise CheckError(
                f"the tree cannot be copied to {target.parent} ({cause}); set TMPDIR to a folder with room for it."
            ) from None

    def _copy(self, name: str, target: Path) -> None:
        """Copy one file or link; what is no regular file is left out."""
        source, place = self.root / name, target / name
        try:
            mode = source.lstat().st_mode
        except FileNotFoundError:
            return  # git lists files that were deleted
        place.parent.mkdir(parents=True, exist_ok=True)
        if stat.S_ISREG(mode):
            shutil.copy2(source, place)
            place.chmod(stat.S_IMODE(mode) | stat.S_IWUSR)
        elif stat.S_ISLNK(mode):
            self._copy_link(source, place, target)

    def _copy_link(self, source: Path, place: Path, target: Path) -> None:
        """Make a link to the same file of the copy; what lies outside of the tree is copied."""
        real = Path(os.path.realpath(source))
        inner = real.relative_to(self.root).as_posix() if real.is_relative_to(self.root) else ""
        if inner and any(each == inner or each.startswith(f"{inner}/") for each in self.files):
            place.symlink_to(os.path.relpath(target / inner, place.parent), target_is_directory=real.is_dir())
        elif real.is_file():
            shutil.copy2(real, place)
        elif real.is_dir() and not real.is_relative_to(self.root):
            check_size(real, tuple(_walk(real, "")))
            shutil.copytree(real, place, symlinks=True)

    def import_roots(self, names: Iterator[str] | tuple[str, ...]) -> list[str]:
        """Return the folders from which the packages of some files are imported, relative to the root."""
        found: dict[str, None] = {}
        for name in names:
            folder = Path(name).parent
            if Path(name).suffix == ".py" and self._is_package(folder):
                while self._is_package(folder):
                    folder = folder.parent
                found[folder.as_posix()] = None
        return [folder for folder in found if not self._hides_python(folder)]

    def _is_package(self, folder: Path) -> bool:
        return folder != Path() and (self.root / folder / "__init__.py").is_file()

    def _hides_python(self, folder: str) -> bool:
        """Say whether a module of a folder has the name of one of Python's own, apart from Python's own tests."""
        own = sys.stdlib_module_names - {"test"}
        return any(path.stem in own for path in (self.root / folder).glob("*.py"))


def tree_at(folder: Path) -> Tree:
    """Return the tree to which a folder belongs: its git repository, or its project.

    Raises:
        CheckError: it is too large to be copied.
    """
    here = Path(os.path.realpath(folder))
    top = run_git(here, "rev-parse", "--show-toplevel")
    root = Path(os.path.realpath(top.rstrip("\n"))) if top else here
    if top and not run_git(here, "check-ignore", "--", str(here)):
        files = tuple(dict.fromkeys(_of_git(root, "")))
    else:
        root = project_of(here) or here
        files = tuple(_walk(root, ""))
    check_size(root, files)
    near = dict.fromkeys([root, here])
    environments = tuple(
        entry.relative_to(root).as_posix()
        for each in near
        for entry in sorted(each.iterdir())
        if any((entry / mark).exists() for mark in ENVIRONMENT)
    )
    return Tree(root, here.relative_to(root), files, environments)


def check_size(root: Path, files: tuple[str, ...]) -> None:
    """Refuse a tree that is too large to be copied for each run.

    Raises:
        CheckError: it is.
    """
    size = 0
    for name in files:
        try:
            status = (root / name).lstat()
        except OSError:
            continue
        size += status.st_size if stat.S_ISREG(status.st_mode) else 0
    if size <= MOST_BYTES and len(files) <= MOST_FILES:
        return
    raise CheckError(
        f"{root} has {len(files):,} files with {size / 2**20:,.0f} MiB, and a copy may have {MOST_FILES:,} files with "
        f"{MOST_BYTES / 2**20:,.0f} MiB; let .gitignore name the data, or run the tests by hand as the report says."
    )


def _of_git(root: Path, prefix: str) -> Iterator[str]:
    """Yield what git lists in a repository, and in those below it, with the ignored files of code."""
    listed = run_git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard") or ""
    ignored = run_git(root, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory") or ""
    for name in listed.split("\0"):
        inner = root / name
        if name and inner.is_dir() and not inner.is_symlink():  # a submodule, or another repository
            yield from _of_git(inner, f"{prefix}{name.rstrip('/')}/")
        elif name:
            yield prefix + name
    yield from (prefix + name for name in ignored.split("\0") if name.endswith(CODE))


def _walk(root: Path, prefix: str) -> Iterator[str]:
    """Yield the files below a folder that is in no repository, without caches and environments."""
    for folder, names, files in os.walk(root):
        inner = Path(folder).relative_to(root)
        links = [name for name in names if (Path(folder) / name).is_symlink()]
        names[:] = sorted(name for name in names if name not in links and not _is_excluded(Path(folder, name)))
        yield from (prefix + (inner / name).as_posix() for name in sorted([*files, *links]))


def _is_excluded(folder: Path) -> bool:
    named = folder.name in (*DEFAULT_EXCLUDE, "__pycache__") and not (folder / "__init__.py").is_file()
    return named or any((folder / mark).exists() for mark in ENVIRONMENT)
