"""The files of a project, each analysed when a file that imports it asks for a name, and at most once."""

from __future__ import annotations

import warnings
from pathlib import Path

from olympus_rules.keyflow.linking.analysis import Analysis
from olympus_rules.keyflow.linking.answering import answer as answer_of
from olympus_rules.keyflow.linking.answers import Answers, Need
from olympus_rules.keyflow.linking.failures import Forgotten
from olympus_rules.keyflow.linking.records import Record
from olympus_rules.keyflow.linking.recursion import Stack
from olympus_rules.keyflow.linking.rests import Question
from olympus_rules.keyflow.linking.session import Session
from olympus_rules.libraries import libraries
from olympus_rules.syntax import Document, disk
from olympus_rules.syntax.array_names import imported_names, may_hold_arrays
from olympus_rules.syntax.imports import DEFAULT_ROOTS
from olympus_rules.syntax.prefilter import may_hold_keys
from olympus_rules.syntax.project import locate
from olympus_rules.syntax.text import decode

PACKAGE = "__init__.py"  # re-exports names, so it is asked for them whether it holds keys or not
MOST_TEXT = 1_800_000  # characters of the files whose analyses are kept for the files that import them
GROWTH = 5  # how many kept analyses take the memory of one that is under way
LARGEST_FILE = 1_000_000  # bytes of a file that is analysed for another one
NOT_PARSED = (SyntaxError, ValueError, RecursionError, MemoryError)


class Project:
    """Opens files, keeps the latest analyses, and answers questions about names in them.

    Attributes:
        answers: the known answers to questions about names in files.
        session: what the analyses share.
        opened: the number of parsed files.
    """

    def __init__(
        self, roots: tuple[str, ...] = DEFAULT_ROOTS, packs: tuple[str, ...] = (), answers: Answers | None = None
    ) -> None:
        """Start without any file, and forget the known folders on disk.

        Args:
            roots: the names under which the JAX namespace may be imported.
            packs: the paths of the user's signature packs.
            answers: the answers known so far.
        """
        self.answers = Answers(self.compute) if answers is None else answers
        self.session = Session(roots, libraries(packs), self.answers)
        self.opened = 0
        self.reset()

    def reset(self) -> None:
        """Forget all files, for example after an aborted analysis."""
        self.session.stack = Stack()
        self._analyses: dict[str, Analysis] = {}
        self._last: Analysis | None = None
        self._keyed: dict[str, bool] = {}
        self._of_no_interest: dict[str, tuple[tuple[Path, ...], dict[Need, None]]] = {}

    def document(self, filename: str, text: str) -> Document:
        """Return the document of a text: the one that an importing file has opened, if the text is the same.

        Raises:
            SyntaxError, ValueError, RecursionError, MemoryError: as the parser raises them.
        """
        path = disk.absolute(filename)
        analysis = self._analyses.get(str(path))
        if analysis is not None:
            if analysis.document.text == text and not analysis.summariser.judged:
                analysis.document.filename = filename
                return analysis.document
            self.forget(str(path))
        self.trim(len(text))
        place = locate(path, self.session.further)
        self.opened += 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            document = Document(
                filename, text, module=place.module, is_package=place.is_package, roots=place.roots, path=str(path)
            )
        document.namespaces = self.session.roots
        return document

    def analysis(self, document: Document) -> Analysis:
        """Return the analysis of a document; it is kept for the files that import it."""
        if self._last is not None and self._last.document is not document:
            self._last.let_go()
        analysis = self._analyses.pop(document.path, None) if document.path else None
        if analysis is None or analysis.document is not document:
            analysis = Analysis(document, self.session)
        if document.path:
            self._analyses[document.path] = analysis
        self._last = analysis
        return analysis

    def forget(self, path: str) -> None:
        """Forget a file that has changed."""
        self._close(path)
        self._keyed.pop(path, None)
        self._of_no_interest.pop(path, None)
        self.answers.forget(path)

    def _close(self, path: str) -> None:
        analysis = self._analyses.pop(path, None)
        if analysis is not None and not analysis.summariser.busy:
            self._last = None if self._last is analysis else self._last
            analysis.close()

    def needs(self, document: Document) -> dict[Need, None] | None:
        """Return the look-ups of a document's file in other files, ``None`` if it was not analysed."""
        analysis = self._analyses.get(document.path)
        return None if analysis is None or analysis.document is not document else analysis.lookups.needs

    def trim(self, coming: int = 0) -> None:
        """Close the analyses that were least recently used, until the texts of the others are short enough.

        The latest one stays: what its result rests on may still be asked for.

        Args:
            coming: the characters of a file that will be analysed next.
        """
        if self.session.stack.frames:  # they may rest on any of the others
            return
        spare = sum([analysis.length for analysis in self._analyses.values()]) + GROWTH * coming - MOST_TEXT
        for path, analysis in list(self._analyses.items()) if spare > 0 else ():
            if spare > 0 and analysis is not self._last and not analysis.summariser.busy:
                spare -= analysis.length
                self._close(path)

    def close(self) -> None:
        """Close the analyses of all files; answers about their names are kept."""
        for path in list(self._analyses):
            self._close(path)

    def compute(self, question: Question) -> Record | None:
        """Ask the file; its answer must not depend on the earlier questions for which it was opened."""
        path, name, concerned = question
        holds_keys = concerned or self._holds_keys(path)
        if not holds_keys and Path(path).name != PACKAGE:
            self.answers.keep(question, *self._why_not(path))
            return None
        analysis = self._open(path)
        try:
            answer = None if analysis is None else answer_of(analysis, name, concerned)
        except Forgotten:
            self._close(path)
            return self.compute(question)
        if answer is not None and not holds_keys and "alias" not in answer:
            answer = None
        if answer is None or answer.get("final", True):
            roots, needs = ((), {}) if analysis is None else (analysis.document.roots, analysis.lookups.needs)
            self.answers.keep(question, roots, needs)
        return answer

    def _holds_keys(self, path: str) -> bool:
        """Return whether a file can hold keys, by its bytes."""
        found = self._keyed.get(path)
        if found is None:
            try:
                data = disk.read(path)
                roots = self.session.roots
                found = may_hold_keys(data, roots, self.session.table.of_keys) or may_hold_arrays(
                    data, Path(path), roots
                )
            except OSError:
                found = False
            self._keyed[path] = found
        return found

    def _why_not(self, path: str) -> tuple[tuple[Path, ...], dict[Need, None]]:
        """Return the needs behind the answer that a file is of no interest, with the folders of its imports."""
        if path not in self._of_no_interest:
            place = locate(Path(path), self.session.further)
            try:
                names = imported_names(disk.read(path), place)
            except OSError:
                names = {}
            self._of_no_interest[path] = place.roots, {Need("array", name): None for name in names}
        return self._of_no_interest[path]

    def _open(self, path: str) -> Analysis | None:
        """Return the analysis of a file on disk, ``None`` for one that cannot be parsed or is too large."""
        analysis = self._analyses.pop(path, None)
        if analysis is None:
            try:
                data = disk.read(path)
                if len(data) > LARGEST_FILE:
                    return None
                self.answers.stamp(path, data)
                analysis = Analysis(self.document(path, decode(data)), self.session)
            except (OSError, *NOT_PARSED):
                return None
        self._analyses[path] = analysis  # the most recent one
        return None if len(analysis.document.text) > LARGEST_FILE else analysis
