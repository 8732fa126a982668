"""Reading, decoding, encoding and writing of files; a write replaces a file completely or not at all."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
import tempfile
import tokenize
from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path

from olympus_rules.syntax import disk
from olympus_rules.syntax.text import decode

LARGEST_FILE = 5_000_000  # bytes; Python's parser needs about a hundred times as much memory


NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class InputError(Exception):
    """A file cannot be read or written; the message is the cause and the next step, without the place."""


class ChangedError(InputError):
    """A file was changed after it was read."""


def read_bytes(filename: str) -> bytes:
    """Return the bytes of a file.

    Raises:
        InputError: it cannot be read.
    """
    try:
        return disk.read(filename)
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or error
        raise InputError(f"cannot be read ({cause}); make it readable or exclude it.") from None


def check_size(data: bytes) -> None:
    """Refuse a file on which the parser would spend minutes and gigabytes.

    Raises:
        InputError: it is larger than :data:`LARGEST_FILE`.
    """
    if len(data) > LARGEST_FILE:
        size, limit = len(data) / 1e6, LARGEST_FILE / 1e6
        raise InputError(f"has {size:.1f} MB, more than the {limit:.0f} MB that are analysed; split or exclude it.")


def reencode(text: str, data: bytes) -> bytes:
    """Encode a changed text in the encoding of its file.

    Args:
        text: the new text.
        data: the old bytes, which determine encoding and byte order mark.

    Raises:
        InputError: the encoding would change bytes outside the edits, or lacks a character.
    """
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    with contextlib.suppress(UnicodeEncodeError):
        if decode(data).encode(encoding) == data:
            return text.encode(encoding)
    raise InputError(f"cannot be rewritten in {encoding} byte for byte; convert it to UTF-8.")


def decode_utf8(data: bytes) -> str:
    """Decode a file of another format than Python, such as a notebook.

    Raises:
        InputError: it is not UTF-8.
    """
    try:
        return data.removeprefix(BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8 (byte {error.start}); convert it.") from None


def encode_utf8(text: str, data: bytes) -> bytes:
    """Encode a changed text as UTF-8, with the byte order mark of the old bytes."""
    return (BOM_UTF8 if data.startswith(BOM_UTF8) else b"") + text.encode()


def write_bytes(filename: str, data: bytes, old: bytes) -> None:
    """Replace the content of a file in one step; mode and symbolic links stay.

    Args:
        filename: the file.
        data: the new content.
        old: the content when the file was read. A file with other content was saved since, and is not written.

    Raises:
        ChangedError: the file has other content than ``old``.
        InputError: it is read-only, its folder cannot be written, or the disk is full.
    """
    path = Path(os.path.realpath(filename))
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
        if not (mode & 0o222 and os.access(path, os.W_OK)):
            raise InputError("is read-only, so its fixes were not written; make it writable.")
        with _replaced(path, data, mode):
            if path.read_bytes() != old:  # as late as possible, since the file is not locked
                raise ChangedError(
                    "was changed while it was checked, so its fixes were not written; run the command again."
                )
    except OSError as error:
        cause = f"its fixes were not written ({error.strerror or error})"
        raise InputError(f"{cause}; {next_step(error)}.") from None


def write_new(filename: str, data: bytes) -> None:
    """Write a file of this program in one step, whether it exists or not.

    Raises:
        InputError: it cannot be written.
    """
    path = Path(os.path.realpath(filename))
    try:
        with _replaced(path, data, stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o666 & ~_mask()):
            pass
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror or error}); name another file.") from None


@contextlib.contextmanager
def _replaced(path: Path, data: bytes, mode: int) -> Iterator[None]:
    """Write a file beside another one, which it replaces after the block; it is removed if the block fails."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        temporary = Path(file.name)
        try:
            file.write(data)
            file.close()
            temporary.chmod(mode)
            yield
            temporary.replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise


def _mask() -> int:
    """Return the mode bits that this process leaves out of new files."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def next_step(error: OSError) -> str:
    """Return the advice for a file that could not be written."""
    if error.errno in NO_SPACE:
        return "make room on the disk and run the command again"
    if isinstance(error, FileNotFoundError | IsADirectoryError | NotADirectoryError):
        return "it was removed while it was checked"
    return "check the permissions of its folder"
