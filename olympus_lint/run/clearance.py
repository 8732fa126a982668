"""The clearance of a run: which constructors of its projects can be renamed safely, and whether anybody asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from olympus_lint.analysis.cache import Cache
from olympus_lint.project.discovery import SourceFile
from olympus_rules.syntax import disk

if TYPE_CHECKING:
    from olympus_lint.migration.safety import Reasons


class Clearance:
    """The constructors of a project that can be renamed safely, computed at the first question.

    Attributes:
        is_asked: whether fixes are applied, or reported with their safety; else nothing is computed.
    """

    def __init__(
        self,
        files: Sequence[SourceFile],
        beside: Sequence[SourceFile] = (),
        cache: Cache | None = None,
        *,
        is_asked: bool = True,
    ) -> None:
        """Take the files whose constructors would be renamed, and those that are checked ``beside`` them.

        They may belong to several projects. The answer is kept in the cache.
        """
        self.is_asked = is_asked
        self._files = files
        self._beside = beside
        self._cache = cache
        self._known: Mapping[str, tuple[str, Reasons]] | None = None
        self._error: Exception | None = None

    def of(self, filename: str, text: str) -> Reasons | None:
        """Return the constructors of a file; ``None`` if the file or this text of it was not analysed.

        Raises:
            Exception: the analysis failed, for all files.
        """
        self.work_out()
        if self._error is not None:
            raise self._error
        known = (self._known or {}).get(str(disk.absolute(filename)))
        return known[1] if known is not None and known[0] == text else None

    def work_out(self) -> None:
        """Compute the answer for all files; called before other processes get a copy."""
        if self._known is None and self.is_asked:
            from olympus_lint.migration.safety import surveyed

            self._known = {}
            try:
                self._known = surveyed(self._files, self._beside, self._cache)
            except Exception as error:
                self._error = error
        self._files, self._beside, self._cache = (), (), None


UNASKED = Clearance((), is_asked=False)
"""That of a run that applies no fixes, and whose report does not say which are safe."""
