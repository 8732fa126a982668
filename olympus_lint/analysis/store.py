"""The SQLite file of the cache. Any failure of it ends its use, and the run continues without it."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

NAME = "cache.sqlite3"
STAMP = "pruned"  # a file whose time is that of the last pruning
SCHEMA = "CREATE TABLE entries (key BLOB PRIMARY KEY, value TEXT, used INTEGER) WITHOUT ROWID"
VERSION = 1
PATIENCE = 2.0  # seconds to wait for another process
KEEP = 30  # days after which an unused entry is deleted
MOST = 200_000  # entries
LARGEST = 512 << 20  # bytes of entries
MANY = 1_000  # entries in one transaction
TOUCH = 3  # days after which another use is recorded
DAY = 86_400
TAG = """\
Signature: 8a477f597d28d172789f06886806bc55
# This folder is a cache of olympus-lint; see https://bford.info/cachedir/
"""


class Store:
    """The file of a cache folder. It is opened at the first use, and again after :meth:`close`.

    Attributes:
        folder: the cache folder.
        note: why the store is not used, as a sentence; empty while it is in use.
    """

    def __init__(self, folder: Path) -> None:
        """Take the folder, which the first read or write creates."""
        self.folder = folder
        self.note = ""
        self._connection: sqlite3.Connection | None = None
        self._today = int(time.time()) // DAY
        self._was_empty = False  # then only entries of this run can be found
        self._pending: dict[bytes, str] = {}
        self._touched: list[bytes] = []

    def get(self, key: bytes) -> str | None:
        """Return the value of a key, or ``None``."""
        if key in self._pending:
            return self._pending[key]
        if self._was_empty:
            return None
        rows = self._execute("SELECT value, used FROM entries WHERE key = ?", (key,))
        if not rows or not isinstance(rows[0][0], str):
            return None
        if not isinstance(rows[0][1], int) or rows[0][1] + TOUCH < self._today:
            self._touched.append(key)
        return rows[0][0]

    def put(self, key: bytes, value: str) -> None:
        """Store a value; the next :meth:`commit` writes it, or the next full batch."""
        if not self.note:
            self._pending[key] = value
            if len(self._pending) >= MANY:
                self.commit()

    def commit(self) -> None:
        """Write pending values."""
        pending, self._pending = self._pending, {}
        if pending:
            rows = [(key, value, self._today) for key, value in pending.items()]
            self._execute("INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", rows, many=True)

    def close(self) -> None:
        """Write pending values and uses, and close the file."""
        self.commit()
        touched, self._touched = [(self._today, key) for key in self._touched], []
        if touched:
            self._execute("UPDATE entries SET used = ? WHERE key = ?", touched, many=True)
        if self._connection is not None:
            with contextlib.suppress(Exception):
                self._connection.close()
            self._connection = None

    def _execute(self, command: str, values: object, *, many: bool = False) -> list[tuple[object, ...]]:
        """Run a command in its own transaction; a failure returns no rows and ends the use of the store."""
        import sqlite3

        if self.note:
            return []
        try:
            if self._connection is None:
                self._connection = self._open()
            if not many:
                return self._connection.execute(command, values).fetchall()  # type: ignore[arg-type]
            with self._connection:
                self._connection.executemany(command, values)  # type: ignore[arg-type]
        except (sqlite3.Error, OSError, ValueError, OverflowError) as error:
            self._give_up(error)
        return []

    def _open(self) -> sqlite3.Connection:
        """Open the file; replace one that is damaged or has another schema."""
        import sqlite3

        make_folder(self.folder)
        for name in (NAME, STAMP):
            if (self.folder / name).is_symlink():  # a committed link must not choose where this program writes
                raise OSError(f"{name} is a link")
        try:
            return self._connect()
        except sqlite3.OperationalError:
            raise  # locked or read-only: other processes may still use it
        except sqlite3.DatabaseError:
            self._remove()
            return self._connect()

    def _connect(self) -> sqlite3.Connection:
        """Open the file as it is.

        Raises:
            sqlite3.DatabaseError: it cannot be opened, or has another schema.
        """
        import sqlite3

        connection = sqlite3.connect(self.folder / NAME, timeout=PATIENCE)
        try:
            connection.execute("PRAGMA trusted_schema = OFF")
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            schema = connection.execute("SELECT sql FROM sqlite_master").fetchall()
            if version == 0 and not schema:
                connection.execute("PRAGMA journal_mode = WAL")
                with connection:
                    connection.execute("BEGIN IMMEDIATE")
                    connection.execute(SCHEMA.replace("TABLE", "TABLE IF NOT EXISTS"))
                    connection.execute(f"PRAGMA user_version = {VERSION}")
            elif version != VERSION or [" ".join(str(sql).split()) for (sql,) in schema] != [SCHEMA]:
                raise sqlite3.DatabaseError("another version")
            connection.execute("PRAGMA synchronous = NORMAL")
            self._prune(connection)
            self._was_empty = not connection.execute("SELECT 1 FROM entries LIMIT 1").fetchall()
        except BaseException:
            connection.close()
            raise
        return connection

    def _prune(self, connection: sqlite3.Connection) -> None:
        """Once a day, delete entries that were not used for long, and the oldest ones above the limits."""
        stamp = self.folder / STAMP
        with contextlib.suppress(OSError):
            if not stamp.exists() or int(stamp.lstat().st_mtime) // DAY == self._today:
                stamp.touch()
                return
            stamp.touch()
            with connection:
                connection.execute("DELETE FROM entries WHERE used < ? OR used > ?", (self._today - KEEP, self._today))
                spare = connection.execute("SELECT count(*) FROM entries").fetchone()[0] - MOST
                if spare > 0:
                    oldest = "SELECT key FROM entries ORDER BY used LIMIT ?"
                    connection.execute(f"DELETE FROM entries WHERE key IN ({oldest})", (spare,))
            _shrink(connection)

    def _give_up(self, error: Exception) -> None:
        """End the use of the store; remove a damaged file, so that the next run creates a new one."""
        import sqlite3

        self.note = f"the cache in {self.folder} is not used ({error})"
        self._pending.clear()
        self._touched.clear()
        if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
            self._remove()
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(Exception):
                connection.close()

    def _remove(self) -> None:
        for ending in ("", "-wal", "-shm"):
            with contextlib.suppress(OSError):
                (self.folder / f"{NAME}{ending}").unlink()


def _shrink(connection: sqlite3.Connection) -> None:
    """Delete the oldest entries of a file above its limit, down to the half of it, and give their pages back."""
    import sqlite3

    pages, free, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    if (pages - free) * size <= LARGEST:
        return
    running = "SELECT key, sum(length(key) + length(value)) OVER (ORDER BY used DESC, key) AS total FROM entries"
    with connection:
        connection.execute(
            f"DELETE FROM entries WHERE key IN (SELECT key FROM ({running}) WHERE total > ?)", (LARGEST // 2,)
        )
    with contextlib.suppress(sqlite3.OperationalError):  # another process reads; the pages are used again
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def make_folder(folder: Path) -> None:
    """Create a cache folder that version control and backups ignore.

    Raises:
        OSError: it cannot be made.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in ((".gitignore", "*\n"), ("CACHEDIR.TAG", TAG)):
        with contextlib.suppress(FileExistsError), (folder / name).open("x", encoding="utf-8") as file:
            file.write(text)
