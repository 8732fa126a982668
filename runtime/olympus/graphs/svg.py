"""A lineage graph as SVG: boxes for keys and sinks, and the source lines on the edges."""

from __future__ import annotations

from olympus.graphs.layout import Layout, layout
from olympus.graphs.model import Graph
from olympus.graphs.shapes import SMALL, Box, document, edge_line, edge_shape, edge_width, head, node_shape, node_size

ROW, GAP = 56.0, 26.0  # pixels


def svg(graph: Graph, title: str) -> str:
    """Return the graph as an SVG document; a misuse has a thick border and a cross, and is red.

    Args:
        graph: the graph.
        title: what the picture shows, for those who cannot see it.

    Raises:
        MissingLibrary: if the library for the layout, fast-sugiyama, is not installed.
    """
    drawing = _Drawing(graph)
    parts = [*map(drawing.edge, drawing.order()), *map(node_shape, graph.nodes, drawing.boxes)]
    return document(parts, title, (drawing.layout.width, drawing.layout.height), styled=True)


class _Drawing:
    """The nodes of a graph and the labels of its edges, each a box of the layout."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.numbers = {node.id: number for number, node in enumerate(graph.nodes)}
        sizes = [*map(node_size, graph.nodes), *((edge_width(edge), SMALL + 4) for edge in graph.edges)]
        links = [link for number in range(len(graph.edges)) for link in self.links(number)]
        self.layout: Layout = layout([width for width, _ in sizes], links, row=ROW, gap=GAP)
        self.boxes = [Box(at.x, at.y, *size) for at, size in zip(self.layout.places, sizes, strict=True)]

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

    def edge(self, number: int) -> str:
        """Return an edge: two lines with the label between them."""
        edge, label = self.graph.edges[number], self.boxes[len(self.graph.nodes) + number]
        source, target = self.numbers[edge.source], self.numbers[edge.target]
        parts = [self.line(*link) for link in self.links(number)]
        if source == target:
            parts.append(self.ear(number))
        else:
            tip = self.boxes[target]
            parts.append(head(*((tip.right, tip.y, 1) if source > target else (tip.x, tip.y, -1)), 0))
        return edge_shape(edge, self.graph, [*parts, edge_line(edge, label.x, label.y + 4)])

    def line(self, source: int, target: int) -> str:
        """Return the line of a link: level across each layer, and curved between two layers."""
        start, end = self.boxes[source], self.layout.places[target]
        x, y = self.layout.places[source].right, start.y
        path = [f"M{start.right:.1f} {start.y:.1f}H{x:.1f}"]
        for stop in (*self.layout.routes.get((source, target), ()), end):
            middle = (x + stop.x) / 2
            path.append(f"C{middle:.1f} {y:.1f} {middle:.1f} {stop.y:.1f} {stop.x:.1f} {stop.y:.1f}")
            x, y = stop.x, stop.y
            if stop is not end:
                path.append(f"H{stop.right:.1f}")
                x = stop.right
        return f'<path d="{"".join(path)}"/>'

    def ear(self, number: int) -> str:
        """Return the line from a label back to the node that its edge begins and ends at."""
        node = self.boxes[self.numbers[self.graph.edges[number].source]]
        label = self.boxes[len(self.graph.nodes) + number]
        x, y = label.x + label.width / 2, label.bottom
        tip, below = node.x + node.width / 2, node.bottom
        low = max(y, below) + 16
        line = f'<path d="M{x:.1f} {y:.1f}C{x:.1f} {low:.1f} {tip:.1f} {low:.1f} {tip:.1f} {below:.1f}"/>'
        return line + head(tip, below, 0, 1)
