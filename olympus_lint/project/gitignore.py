"""The ``.gitignore`` files of a folder and of the folders above it."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from olympus_rules.syntax import disk

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

NAME = ".gitignore"


class GitIgnore:
    """The patterns for one folder; those of the nearest file come last."""

    def __init__(self, specs: tuple[tuple[str, GitIgnoreSpec], ...] = ()) -> None:
        """Take the patterns of each file, with its folder (which ends with a slash)."""
        self._specs = specs

    @classmethod
    def above(cls, folder: Path) -> GitIgnore:
        """Return the patterns of the folders above, up to the root of the repository; none outside a repository."""
        absolute = folder.absolute()
        chain = [absolute, *absolute.parents]
        root = next((n for n, part in enumerate(chain) if disk.exists(part / ".git")), 0)
        ignore = cls()
        for part in reversed(chain[1 : root + 1]):
            ignore = ignore.enter(part, {NAME})
        return ignore

    def enter(self, folder: Path, names: Collection[str]) -> GitIgnore:
        """Return the patterns for a folder whose entries have these names."""
        if NAME not in names:
            return self
        try:
            text = disk.read(folder / NAME).decode(errors="replace")
        except OSError:  # a folder of that name, or a file that git cannot read either
            return self
        from pathspec import GitIgnoreSpec

        base = folder.absolute().as_posix().removesuffix("/") + "/"
        # In git, `x/**` and `x/*` are equivalent; in pathspec, the first also matches the folder `x` itself.
        lines = [line[:-1] if line.endswith("/**") else line for line in text.splitlines()]
        return GitIgnore((*self._specs, (base, GitIgnoreSpec.from_lines(lines))))

    def match(self, path: str, is_folder: bool) -> bool:
        """Say whether an absolute path is ignored; the nearest file with a matching pattern decides."""
        for base, spec in reversed(self._specs):
            decided = spec.check_file(path.removeprefix(base) + ("/" if is_folder else "")).include
            if decided is not None:
                return decided
        return False
