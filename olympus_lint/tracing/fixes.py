"""The check of a fix by tracing, before it is applied."""

from __future__ import annotations

from olympus_lint.project.settings import Settings
from olympus_lint.reporting.results import FileResult
from olympus_lint.run.engine import lint_text
from olympus_lint.tracing.judging import Choice, is_judged, question, request
from olympus_lint.tracing.process import Died, Refused, Worker
from olympus_rules.finding import Applicability, Finding
from olympus_rules.rules import all_rules


class FixChecker:
    """Finds objections to fixes, with one worker at a time."""

    def __init__(self, choice: Choice) -> None:
        """Take the options for tracing; the first fix starts the worker."""
        self._choice = choice
        self._worker: Worker | None = None
        self._refused: Refused | None = None

    def objection(self, filename: str, text: str, fixed: str, finding: Finding, settings: Settings) -> str | None:
        """Return why the fix of a finding should not be applied, ``None`` if it can be.

        Args:
            filename: the path as the user gave it.
            text: the file without the fix.
            fixed: the file with this fix.
            finding: the finding, with its fix.
            settings: those of the file.
        """
        assert finding.fix is not None
        safe = finding.fix.applicability is Applicability.SAFE
        if (
            not safe and not all_rules()[finding.code].has_two_places
        ):  # for a reuse, the trace decides: its fix may uncover another reuse
            before, after = (
                sum(found.code == finding.code for found in lint_text(filename, each, settings).findings)
                for each in (text, fixed)
            )
            if after >= before:
                return f"with it, there are as many findings of {finding.code} as without"
        rows = {row for edit in finding.fix.edits for row in (edit.span.start.row, edit.span.end.row)}
        asked = question(finding).to_json() if is_judged(finding) else None
        message = {
            **request(FileResult(filename, text=text), "witness", settings, self._choice),
            "op": "fix",
            "after": fixed,
            "lines": sorted(rows),
            "safe": safe,
            "question": asked,
        }
        try:
            worker = self._started()
            worker.send({"id": 1, **message})
            said = worker.receive(self._choice.seconds + self._choice.grace).get(
                "objection", "the worker gave no answer"
            )
        except Refused as refused:
            return f"nothing can be traced: {refused}"
        except Died as died:
            self.close()
            return f"the worker died while tracing it: {died}"
        return None if said is None else str(said)

    def _started(self) -> Worker:
        if self._refused is not None:
            raise self._refused
        if self._worker is None:
            try:
                self._worker = self._choice.worker()
            except Refused as refused:
                self._refused = refused
                raise
        return self._worker

    def close(self) -> None:
        """End the worker."""
        if self._worker is not None:
            self._worker.kill()
            self._worker = None
