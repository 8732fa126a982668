"""A path of keys and the uses of the last one as SVG, one below the other: it fits a narrow page, without a library."""

from __future__ import annotations

from olympus.graphs.model import Edge, Graph
from olympus.graphs.shapes import Box, document, edge_line, edge_shape, edge_width, head, node_shape, node_size

BETWEEN, STEM, INDENT = 32.0, 20.0, 44.0  # pixels


def column(graph: Graph, title: str, *, styled: bool = True) -> str:
    """Return a graph as an SVG document, from top to bottom.

    Args:
        graph: a graph in which one edge leads to each node but the first, in the order of the nodes.
        title: what the picture shows, for those who cannot see it.
        styled: whether it has its style; a page with several pictures has it once.
    """
    boxes: dict[str, Box] = {}
    outgoing, below = graph.outgoing(), 0.0
    sources = {edge.target: edge.source for edge in graph.edges}
    for node in graph.nodes:
        source = sources.get(node.id)
        x = boxes[source].x + INDENT * (len(outgoing[source]) > 1) if source else 0.0
        width, height = node_size(node)
        boxes[node.id] = Box(x, below + BETWEEN * bool(source) + height / 2, width, height)
        below = boxes[node.id].bottom
    labels = [boxes[edge.source].x + STEM + 8 + edge_width(edge) for edge in graph.edges]
    right = max([*labels, *(box.right for box in boxes.values())], default=0.0)
    edges = [edge_shape(edge, graph, _line(edge, boxes[edge.source], boxes[edge.target])) for edge in graph.edges]
    nodes = [node_shape(node, boxes[node.id]) for node in graph.nodes]
    return document([*edges, *nodes], title, (right, below), styled=styled)


def _line(edge: Edge, source: Box, target: Box) -> list[str]:
    """Return the line of an edge, its label beside it, and the head: straight down, or round a corner."""
    x, top = source.x + STEM, target.y - target.height / 2
    path = f"M{x:.1f} {source.bottom:.1f}V"
    label = edge_line(edge, x + 8, top - BETWEEN / 2 + 4)
    if target.x == source.x:
        return [f'<path d="{path}{top:.1f}"/>', head(x, top, 0, -1), label]
    return [f'<path d="{path}{target.y:.1f}H{target.x:.1f}"/>', head(target.x, target.y, -1, 0), label]
