"""Findings, fixes and lineage as the language server protocol writes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from lsprotocol import types
from pygls.uris import from_fs_path
from pygls.workspace import PositionCodec

from olympus_rules.finding import Applicability, Edit, Finding, Fix, Span
from olympus_rules.keyflow.linking.lineage import Told
from olympus_rules.syntax.text import split_lines

SEVERITIES = {
    "certain": types.DiagnosticSeverity.Error,
    "likely": types.DiagnosticSeverity.Warning,
    "possible": types.DiagnosticSeverity.Information,
}
FADED = frozenset({"OLY106", "OLY110", "OLY901"})
"""Rules on code that has no effect, which editors show faded."""


class Texts:
    """The lines of the files and cells that places are in: editors count columns in units of their own.

    Args:
        codec: the units of the client.
        texts: the texts of the open documents, by URI.
        uris: the URIs of the open documents, by absolute name.
        cells: the URIs of the cells of the notebook that is spoken of, by their number.
    """

    def __init__(
        self, codec: PositionCodec, texts: Mapping[str, str], uris: Mapping[str, str], cells: Sequence[str]
    ) -> None:
        """Take the texts."""
        self._codec = codec
        self._texts = texts
        self._uris = uris
        self._cells = cells
        self._lines: dict[str, list[str]] = {}

    def uri(self, filename: str, cell: int | None) -> str:
        """Return the URI of a file, or of a cell of it."""
        if cell is not None and cell <= len(self._cells):
            return self._cells[cell - 1]
        name = str(Path(filename).absolute())
        return self._uris.get(name) or from_fs_path(name) or filename

    def range(self, uri: str, span: Span) -> types.Range:
        """Return a span in the units of the client."""
        lines = self._of(uri)
        start, end = (types.Position(position.row - 1, position.column - 1) for position in (span.start, span.end))
        return self._codec.range_to_client_units(lines, types.Range(start, end)) if lines else types.Range(start, end)

    def place(self, uri: str, position: types.Position) -> tuple[int, int]:
        """Return the row and the column, from 1, of a position of the client."""
        found = self._codec.position_from_client_units(self._of(uri), position)
        return found.line + 1, found.character + 1

    def _of(self, uri: str) -> list[str]:
        if uri not in self._lines:
            self._lines[uri] = split_lines(self._texts[uri]) if uri in self._texts else []
        return self._lines[uri]


def diagnostic(finding: Finding, texts: Texts) -> types.Diagnostic:
    """Return the diagnostic of a finding, with its other places."""
    related = [
        types.DiagnosticRelatedInformation(
            types.Location(uri := texts.uri(each.filename, each.cell), texts.range(uri, each.span)), each.message
        )
        for each in finding.related
    ]
    return types.Diagnostic(
        range=texts.range(texts.uri(finding.filename, finding.cell), finding.span),
        message=finding.message,
        severity=SEVERITIES[finding.confidence.label],
        code=finding.code,
        source="olympus-lint",
        tags=[types.DiagnosticTag.Unnecessary] if finding.code in FADED else None,
        related_information=related or None,
    )


def edits_of(filename: str, edits: Iterable[Edit], texts: Texts) -> types.WorkspaceEdit:
    """Return edits of a file or of the cells of a notebook."""
    changes: dict[str, list[types.TextEdit]] = {}
    for edit in edits:
        uri = texts.uri(filename, edit.cell)
        changes.setdefault(uri, []).append(types.TextEdit(texts.range(uri, edit.span), edit.content))
    return types.WorkspaceEdit(changes=dict(changes))


def whole(uri: str, old: str, new: str) -> types.WorkspaceEdit:
    """Return the edit that replaces a text, from its first line that differs to its last one."""
    before, after = split_lines(old), split_lines(new)
    start = next((at for at, (one, other) in enumerate(zip(before, after, strict=False)) if one != other), None)
    start = min(len(before), len(after)) if start is None else start
    most = min(len(before), len(after)) - start
    same = next((at for at in range(most) if before[-1 - at] != after[-1 - at]), most)
    place = types.Range(types.Position(start, 0), types.Position(len(before) - same, 0))
    content = "".join(after[start : len(after) - same])
    return types.WorkspaceEdit(changes={uri: [types.TextEdit(place, content)]})


def title_of(fix: Fix) -> str:
    """Return what a fix does; one that may change the numbers says so."""
    return fix.message if fix.applicability is Applicability.SAFE else f"{fix.message} (unsafe: changes the numbers)"


def hover_text(told: Told) -> str:
    """Return what is known of a key or a function, as Markdown."""
    if told.signature is not None:
        said = told.signature
        lines = [f"consumes `{sink.path}`{' on some paths' if sink.conditional else ''}" for sink in said.sinks]
        lines += [f"returns{_at(source.path)} a fresh key{_from(source.parent, source.via)}" for source in said.sources]
        lines += [f"returns{_at(forward.path)} `{forward.input}`, unchanged" for forward in said.forwards]
        return "\n".join([f"**Key signature** of `{told.name}`", "", *(f"- {line}" for line in lines)])
    head = f"**Key** `{told.name}`: `{told.identity}`"
    way = [f"- {f'line {step.row}: ' if step.row else ''}{step.what}" for step in told.way]
    uses = [f"- line {use.row}: consumed by {use.what}" for use in told.uses]
    return "\n".join([head, "", *way, *(uses or ["- no use of it is seen in this function"])])


def _at(path: str) -> str:
    return f" at `{path}`" if path else ""


def _from(parent: str | None, via: str) -> str:
    return f", by `{via}` from `{parent}`" if parent else f", by `{via}`"
