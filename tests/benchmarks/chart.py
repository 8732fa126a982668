"""The picture of a measurement: bars of CPU seconds against `ast.parse` of the same files, as SVG."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from html import escape
from math import log10
from typing import Any

BASE = "ast.parse"
LEFT, WIDTH, ROW = 260, 380, 22  # pixels: of the names, of the longest bar, of a bar with its space
STYLE = """\
text { font: 13px system-ui, sans-serif; fill: #24292f; }
.ours { fill: #8250df; } .theirs { fill: #8c959f; }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3; } .ours { fill: #a371f7; } }
"""


def bars(parts: Mapping[str, Any], shown: Mapping[str, Collection[str]]) -> dict[str, float]:
    """Return how many times `ast.parse` of the same files some commands take.

    Args:
        parts: a measurement.
        shown: the names of the commands, by part.
    """
    return {
        name: run["cpu"] / parts[part]["runs"][BASE]["cpu"]
        for part, names in shown.items()
        for name, run in parts.get(part, {}).get("runs", {}).items()
        if name in names
    }


def drawn(values: Mapping[str, float], title: str, notes: Sequence[str] = ()) -> str:
    """Return bars on a logarithmic scale, the longest last, with notes under them, as SVG."""
    ordered = sorted(values.items(), key=lambda item: item[1])
    least = min(0, *(log10(value) for _, value in ordered)) - 0.3
    unit = WIDTH / (max(0, *(log10(value) for _, value in ordered)) - least)
    height = ROW * (len(ordered) + len(notes) + 2)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 70} {height}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{STYLE}</style>",
        f'<text x="8" y="16">{escape(title)}</text>',
    ]
    for number, (name, value) in enumerate(ordered, start=1):
        top, length = number * ROW + 6, (log10(value) - least) * unit
        kind = "ours" if name.startswith("olympus-lint") else "theirs"
        lines.append(f'<text x="{LEFT - 8}" y="{top + 13}" text-anchor="end">{escape(name)}</text>')
        lines.append(f'<rect class="{kind}" x="{LEFT}" y="{top}" width="{length:.0f}" height="{ROW - 5}" rx="2"/>')
        lines.append(f'<text x="{LEFT + length + 6:.0f}" y="{top + 13}">{rounded(value)}</text>')
    for number, note in enumerate(notes, start=len(ordered) + 1):
        lines.append(f'<text x="8" y="{number * ROW + 24}">{escape(note)}</text>')
    return "\n".join([*lines, "</svg>", ""])


def rounded(value: float) -> str:
    """Return a number with about two digits that say something."""
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"
