"""A lineage graph as SVG: boxes for keys and sinks, and the source lines on the edges."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from xml.sax.saxutils import escape

from olympus.graphs.layout import Layout, Place, layout
from olympus.graphs.model import Edge, Graph, Node, plain

ROW, GAP, MARGIN = 56.0, 26.0, 16.0  # pixels, as all lengths here
LINES, PADDING = (30.0, 42.0, 54.0), 10.0  # heights of boxes of one, two and three lines
STEP = 15.0  # from one line to the next
LARGE, SMALL = 13.0, 11.0  # sizes of the fonts
ADVANCE = 0.61  # the width of a character of a monospaced font, as a part of its size
LONGEST = 44  # characters of a label; the rest is in the title
CROSS = "✗"

STYLE = """\
text { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #1f2328 }
.name { font-size: 13px } .note { font-size: 11px; fill: #57606a }
.page { fill: #ffffff } path { fill: none; stroke: #6e7781; stroke-width: 1.2 } .head { fill: #6e7781; stroke: none }
.box { stroke-width: 1.2 }
.key .box { fill: #f6f8fa; stroke: #8c959f } .source .box { fill: #ddf4ff; stroke: #0969da }
.sink .box { fill: #dafbe1; stroke: #1a7f37 } .unknown .box { fill: #fff8c5; stroke: #9a6700 }
.returned .box { fill: #fbefff; stroke: #8250df }
.misuse .box { fill: #ffebe9; stroke: #cf222e; stroke-width: 3 } .misuse .mark { fill: #a40e26; font-weight: bold }
.misuse path { stroke: #cf222e; stroke-width: 2.6 } .misuse .head { fill: #cf222e; stroke: none }
@media (prefers-color-scheme: dark) {
  .page { fill: #0d1117 } text { fill: #e6edf3 } .note { fill: #9da7b1 } path { stroke: #8b949e }
  .head { fill: #8b949e }
  .key .box { fill: #161b22; stroke: #6e7681 } .source .box { fill: #0c2d4d; stroke: #58a6ff }
  .sink .box { fill: #0f2f1a; stroke: #3fb950 } .unknown .box { fill: #35290a; stroke: #d29922 }
  .returned .box { fill: #271a40; stroke: #a371f7 }
  .misuse .box { fill: #3f1315; stroke: #ff7b72 } .misuse .mark { fill: #ffa198 }
  .misuse path { stroke: #ff7b72 } .misuse .head { fill: #ff7b72 }
}
"""


@dataclass(frozen=True, slots=True)
class Box:
    """What takes room: a node, or the label of an edge.

    Attributes:
        width: its width.
        height: its height.
        place: where it is.
    """

    width: float
    height: float
    place: Place

    @property
    def right(self) -> float:
        """Return its right side."""
        return self.place.x + self.width


def svg(graph: Graph, title: str, *, styled: bool = True) -> str:
    """Return the graph as an SVG document; a misuse has a thick border and a cross, and is red.

    Args:
        graph: the graph.
        title: what the picture shows, for those who cannot see it.
        styled: whether it has its style; a page with several pictures has ``STYLE`` once.

    Raises:
        MissingLibrary: if the library for the layout, fast-sugiyama, is not installed.
    """
    drawing = _Drawing(graph)
    width, height = (f"{length + 2 * MARGIN:.0f}" for length in (drawing.layout.width, drawing.layout.height))
    label = escape(plain(title), {'"': "&quot;"})
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        f' viewBox="{-MARGIN:.0f} {-MARGIN:.0f} {width} {height}" role="img" aria-label="{label}">',
        f"<title>{escape(plain(title))}</title>",
        *([f"<style>{STYLE}</style>"] if styled else []),
        f'<rect class="page" x="{-MARGIN:.0f}" y="{-MARGIN:.0f}" width="{width}" height="{height}"/>',
        *(drawing.edge(number) for number in drawing.order()),
        *(drawing.node(number) for number in range(len(graph.nodes))),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


class _Drawing:
    """The nodes of a graph and the labels of its edges, each a box of the layout."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.numbers = {node.id: number for number, node in enumerate(graph.nodes)}
        widths = [_node_width(node) for node in graph.nodes]
        widths += [_width(_edge_text(edge), SMALL) for edge in graph.edges]
        links = [link for number in range(len(graph.edges)) for link in self.links(number)]
        self.layout: Layout = layout(widths, links, row=ROW, gap=GAP)
        heights = [LINES[len(_lines(node)) - 1] for node in graph.nodes] + [SMALL + 4] * len(graph.edges)
        self.boxes = [Box(*each) for each in zip(widths, heights, self.layout.places, strict=True)]

    def links(self, number: int) -> list[tuple[int, int]]:
        """Return the links from an edge's source to its label and on to its target, always in the program's order.

        Those of an edge that goes back are turned round, and a circle is left open: a layout has no circles.
        """
        edge, label = self.graph.edges[number], len(self.graph.nodes) + number
        source, target = self.numbers[edge.source], self.numbers[edge.target]
        if source == target:
            return [(source, label)]
        return [(min(source, target), label), (label, max(source, target))]

    def order(self) -> list[int]:
        """Return the edges in the order of drawing: those of misuses last, so that nothing hides them."""
        return sorted(range(len(self.graph.edges)), key=lambda number: self.graph.edges[number].misuse)

    def node(self, number: int) -> str:
        """Return a node's box with its label."""
        node, box = self.graph.nodes[number], self.boxes[number]
        x, y = box.place.x, box.place.y
        radius = LINES[0] / 2 if node.kind in ("sink", "returned") else 4
        lines = _lines(node)
        first = y + 4.5 - STEP / 2 * (len(lines) - 1)
        texts = [_text(text, x + PADDING, first + STEP * number, style) for number, (text, style) in enumerate(lines)]
        title = f"{node.title}: {', '.join(node.misuses)}" if node.misuses else node.title
        return (
            f'<g class="{node.kind}{" misuse" if node.misuses else ""}"><title>{escape(plain(title))}</title>'
            f'<rect class="box" x="{x:.1f}" y="{y - box.height / 2:.1f}" width="{box.width:.1f}"'
            f' height="{box.height:.1f}" rx="{radius:.0f}"/>{"".join(texts)}</g>'
        )

    def edge(self, number: int) -> str:
        """Return an edge: two lines with the label between them."""
        edge, label = self.graph.edges[number], self.boxes[len(self.graph.nodes) + number]
        source, target = self.numbers[edge.source], self.numbers[edge.target]
        parts = [self.line(*link) for link in self.links(number)]
        if source == target:
            parts.append(self.ear(number))
        else:
            tip = self.boxes[target]
            parts.append(
                _head(*((tip.right, tip.place.y, 1) if source > target else (tip.place.x, tip.place.y, -1)), 0)
            )
        text = _edge_text(edge)
        if text:
            style = "note mark" if edge.misuse else "note"
            parts.append(_text(text, label.place.x, label.place.y + 4, style))
        title = f"{self.graph.nodes[source].label} → {self.graph.nodes[target].label}: {edge.label}"
        kind = "edge misuse" if edge.misuse else "edge"
        return f'<g class="{kind}"><title>{escape(plain(title))}</title>{"".join(parts)}</g>'

    def line(self, source: int, target: int) -> str:
        """Return the line of a link: level across each layer, and curved between two layers."""
        start, end = self.boxes[source], self.boxes[target]
        path = [f"M{start.right:.1f} {start.place.y:.1f}H{start.place.right:.1f}"]
        x, y = start.place.right, start.place.y
        for stop in (*self.layout.routes.get((source, target), ()), end.place):
            middle = (x + stop.x) / 2
            path.append(f"C{middle:.1f} {y:.1f} {middle:.1f} {stop.y:.1f} {stop.x:.1f} {stop.y:.1f}")
            x, y = stop.x, stop.y
            if stop is not end.place:
                path.append(f"H{stop.right:.1f}")
                x = stop.right
        return f'<path d="{"".join(path)}"/>'

    def ear(self, number: int) -> str:
        """Return the line from a label back to the node that its edge begins and ends at."""
        node = self.boxes[self.numbers[self.graph.edges[number].source]]
        label = self.boxes[len(self.graph.nodes) + number]
        x, y = label.place.x + label.width / 2, label.place.y + label.height / 2
        tip, below = node.place.x + node.width / 2, node.place.y + node.height / 2
        low = max(y, below) + 16
        return f'<path d="M{x:.1f} {y:.1f}C{x:.1f} {low:.1f} {tip:.1f} {low:.1f} {tip:.1f} {below:.1f}"/>' + _head(
            tip, below, 0, 1
        )


def _lines(node: Node) -> list[tuple[str, str]]:
    """Return the lines of a box, each with its style: the variable, the derivation, and what is wrong."""
    lines = [(_short(node.label), "note" if node.variable else "name")]
    if node.variable:
        lines.insert(0, (_short(node.variable), "name"))
    if node.misuses:
        lines.append((f"{CROSS} {', '.join(node.misuses)}", "note mark"))
    return lines


def _node_width(node: Node) -> float:
    sizes = {"name": LARGE, "note": SMALL, "note mark": SMALL * 1.05}  # bold
    return max(_width(text, sizes[style]) for text, style in _lines(node)) + 2 * PADDING


def _edge_text(edge: Edge) -> str:
    return f"{CROSS} {_short(edge.label)}" if edge.misuse else _short(edge.label)


def _short(text: str) -> str:
    text = plain(text)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _width(text: str, size: float) -> float:
    """Return the width of a text; characters of East Asian scripts are twice as wide."""
    return ADVANCE * size * sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def _text(text: str, x: float, y: float, style: str) -> str:
    return f'<text class="{style}" x="{x:.1f}" y="{y:.1f}" xml:space="preserve">{escape(text)}</text>'


def _head(x: float, y: float, across: int, down: int) -> str:
    """Return the head of an arrow that comes from a direction."""
    wide, long = 3.8, 7
    one = (x + across * long + down * wide, y + down * long + across * wide)
    other = (x + across * long - down * wide, y + down * long - across * wide)
    points = " ".join(f"{px:.1f},{py:.1f}" for px, py in ((x, y), one, other))
    return f'<polygon class="head" points="{points}"/>'
