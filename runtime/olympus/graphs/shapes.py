"""What pictures of a graph are made of: the style, the boxes of nodes with their texts, and the heads of arrows."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from olympus.graphs.model import Edge, Graph, Node, plain

MARGIN = 16.0  # pixels, as all lengths here
LINES, PADDING = (30.0, 42.0, 54.0), 10.0  # heights of boxes of one, two and three lines
STEP = 15.0  # from one line to the next
LARGE, SMALL = 13.0, 11.0  # sizes of the fonts
ADVANCE = 0.61  # the width of a character of a monospaced font, as a part of its size
LONGEST = 44  # characters of a label; the rest is in the title
CROSS = "✗"

LIGHT = """\
text { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #1f2328 }
.name { font-size: 13px } .note { font-size: 11px; fill: #57606a }
.page { fill: #ffffff } path { fill: none; stroke: #6e7781; stroke-width: 1.2 } .head { fill: #6e7781; stroke: none }
.box { stroke-width: 1.2 }
.key .box { fill: #f6f8fa; stroke: #8c959f } .source .box { fill: #ddf4ff; stroke: #0969da }
.sink .box { fill: #dafbe1; stroke: #1a7f37 } .unknown .box { fill: #fff8c5; stroke: #9a6700 }
.returned .box { fill: #fbefff; stroke: #8250df }
.misuse .box { fill: #ffebe9; stroke: #cf222e; stroke-width: 3 } .misuse .mark { fill: #a40e26; font-weight: bold }
.misuse path { stroke: #cf222e; stroke-width: 2.6 } .misuse .head { fill: #cf222e; stroke: none }
"""
DARK = """\
  .page { fill: #0d1117 } text { fill: #e6edf3 } .note { fill: #9da7b1 } path { stroke: #8b949e }
  .head { fill: #8b949e }
  .key .box { fill: #161b22; stroke: #6e7681 } .source .box { fill: #0c2d4d; stroke: #58a6ff }
  .sink .box { fill: #0f2f1a; stroke: #3fb950 } .unknown .box { fill: #35290a; stroke: #d29922 }
  .returned .box { fill: #271a40; stroke: #a371f7 }
  .misuse .box { fill: #3f1315; stroke: #ff7b72 } .misuse .mark { fill: #ffa198 }
  .misuse path { stroke: #ff7b72 } .misuse .head { fill: #ff7b72 }
"""
STYLE = f"{LIGHT}@media (prefers-color-scheme: dark) {{\n{DARK}}}\n"


@dataclass(frozen=True, slots=True)
class Box:
    """What takes room: a node, or the label of an edge.

    Attributes:
        x: its left side.
        y: its middle.
        width: its width.
        height: its height.
    """

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Return its right side."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """Return its lower side."""
        return self.y + self.height / 2


def document(parts: Iterable[str], title: str, size: tuple[float, float], *, styled: bool) -> str:
    """Return an SVG document around its parts.

    Args:
        parts: its elements.
        title: what the picture shows, for those who cannot see it.
        size: the width and the height of the parts, from 0.
        styled: whether it has its style; a page with several pictures has ``STYLE`` once.
    """
    width, height = (f"{length + 2 * MARGIN:.0f}" for length in size)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        f' viewBox="{-MARGIN:.0f} {-MARGIN:.0f} {width} {height}" role="img" aria-label="{escape(plain(title))}">',
        f"<title>{escaped(title)}</title>",
        *([f"<style>{STYLE}</style>"] if styled else []),
        f'<rect class="page" x="{-MARGIN:.0f}" y="{-MARGIN:.0f}" width="{width}" height="{height}"/>',
        *parts,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def node_shape(node: Node, box: Box) -> str:
    """Return a node's box with its label; a misuse has a thick border and a cross, and is red."""
    radius = LINES[0] / 2 if node.kind in ("sink", "returned") else 4
    lines = _lines(node)
    first = box.y + 4.5 - STEP / 2 * (len(lines) - 1)
    texts = [line(text, box.x + PADDING, first + STEP * number, style) for number, (text, style) in enumerate(lines)]
    title = f"{node.title}: {', '.join(node.misuses)}" if node.misuses else node.title
    return (
        f'<g class="{node.kind}{" misuse" if node.misuses else ""}"><title>{escaped(title)}</title>'
        f'<rect class="box" x="{box.x:.1f}" y="{box.y - box.height / 2:.1f}" width="{box.width:.1f}"'
        f' height="{box.height:.1f}" rx="{radius:.0f}"/>{"".join(texts)}</g>'
    )


def edge_shape(edge: Edge, graph: Graph, parts: Iterable[str]) -> str:
    """Return the lines and the label of an edge as one element with a title."""
    labels = {node.id: node.label for node in graph.nodes}
    title = f"{labels[edge.source]} → {labels[edge.target]}: {edge.label}"
    kind = "edge misuse" if edge.misuse else "edge"
    return f'<g class="{kind}"><title>{escaped(title)}</title>{"".join(parts)}</g>'


def edge_line(edge: Edge, x: float, y: float) -> str:
    """Return the label of an edge at a place; nothing if it has none."""
    text = _edge_text(edge)
    return line(text, x, y, "note mark" if edge.misuse else "note") if text else ""


def node_size(node: Node) -> tuple[float, float]:
    """Return the width and the height of a node's box."""
    sizes = {"name": LARGE, "note": SMALL, "note mark": SMALL * 1.05}  # bold
    lines = _lines(node)
    return max(_width(text, sizes[style]) for text, style in lines) + 2 * PADDING, LINES[len(lines) - 1]


def edge_width(edge: Edge) -> float:
    """Return the width of an edge's label."""
    return _width(_edge_text(edge), SMALL)


def head(x: float, y: float, across: int, down: int) -> str:
    """Return the head of an arrow that comes from a direction."""
    wide, long = 3.8, 7
    one = (x + across * long + down * wide, y + down * long + across * wide)
    other = (x + across * long - down * wide, y + down * long - across * wide)
    points = " ".join(f"{px:.1f},{py:.1f}" for px, py in ((x, y), one, other))
    return f'<polygon class="head" points="{points}"/>'


def line(text: str, x: float, y: float, style: str) -> str:
    """Return a line of text at a place."""
    return f'<text class="{style}" x="{x:.1f}" y="{y:.1f}" xml:space="preserve">{escaped(text)}</text>'


def escaped(text: str) -> str:
    """Return a text in which nothing is markup, or no XML."""
    return escape(plain(text), quote=False)


def _lines(node: Node) -> list[tuple[str, str]]:
    """Return the lines of a box, each with its style: the variable, the derivation, and what is wrong."""
    lines = [(_short(node.label), "note" if node.variable else "name")]
    if node.variable:
        lines.insert(0, (_short(node.variable), "name"))
    if node.misuses:
        lines.append((f"{CROSS} {', '.join(node.misuses)}", "note mark"))
    return lines


def _edge_text(edge: Edge) -> str:
    return f"{CROSS} {_short(edge.label)}" if edge.misuse else _short(edge.label)


def _short(text: str) -> str:
    text = plain(text)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _width(text: str, size: float) -> float:
    """Return the width of a text; characters of East Asian scripts are twice as wide."""
    return ADVANCE * size * sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
