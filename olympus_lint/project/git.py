"""What git says of the files of a repository; nothing where it is not installed."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from olympus_rules.syntax import disk


def repository_of(path: Path) -> Path | None:
    """Return the innermost folder with ``.git`` that holds a path, ``None`` outside of repositories."""
    return next((folder for folder in path.parents if disk.exists(folder / ".git")), None)


def run_git(folder: Path, *arguments: str, above: bool = True) -> str | None:
    """Return the output of git; ``None`` after an error, and without git.

    Args:
        folder: where it runs.
        arguments: what it is told.
        above: whether the repository may lie above the folder.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    if not above:
        environment["GIT_CEILING_DIRECTORIES"] = str(folder.parent)
    command = ["git", "-c", "core.fsmonitor=false", *arguments]  # a repository may name a program of its own there
    try:
        done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True)
    except OSError:
        return None
    return os.fsdecode(done.stdout) if done.returncode == 0 else None


def not_in_git(files: Mapping[str, bytes]) -> list[str]:
    """Return the files of repositories whose content is not that in the index: changed or new ones.

    Files outside of repositories, and those in repositories that git cannot read, are left out.

    Args:
        files: the content by path.
    """
    found, known = [], dict[Path, dict[str, str] | None]()
    for name, data in files.items():
        path = Path(os.path.realpath(name))
        repository = repository_of(path)
        if repository is None:
            continue
        if repository not in known:
            known[repository] = _hashes(repository)
        hashes = known[repository]
        if hashes is not None and _is_changed(hashes.get(path.relative_to(repository).as_posix()), data):
            found.append(name)
    return found


def _hashes(repository: Path) -> dict[str, str] | None:
    """Return the hashes of the files in the index by path; ``None`` if git cannot read it."""
    listed = run_git(repository, "ls-files", "--stage", "-z", above=False)
    if listed is None:
        return None
    entries = (entry.partition("\t") for entry in listed.split("\0") if entry)
    return {path: about.split()[1] for about, _, path in entries}


def _is_changed(known: str | None, data: bytes) -> bool:
    """Say whether a file differs from the one of a hash, apart from line ends that git translates."""
    return known is None or known not in (_blob(data, known), _blob(data.replace(b"\r\n", b"\n"), known))


def _blob(data: bytes, like: str) -> str:
    """Return the hash of a file by the algorithm of another hash."""
    algorithm = hashlib.sha1 if len(like) == 40 else hashlib.sha256
    return algorithm(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
