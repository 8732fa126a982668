"""A lineage graph as a tree in plain text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from olympus.graphs.model import Edge, Graph, Node, plain

Style = Literal["", "faint", "source", "sink", "misuse"]
Piece = tuple[str, Style]
"""Some characters of a line, and how to show them where there are colours."""

CROSS = "✗"


def tree(graph: Graph) -> str:
    """Return the graph as lines of text, each key below what it is made of.

    A node that several edges lead to is drawn in full once, and named at the others: ``(above)``.
    """
    return "".join("".join(text for text, _ in line) + "\n" for line in pieces(graph))


def pieces(graph: Graph) -> Iterator[list[Piece]]:
    """Return the lines of :func:`tree` in pieces."""
    nodes = {node.id: node for node in graph.nodes}
    outgoing = graph.outgoing()
    shown: set[str] = set()
    for root in _roots(graph):
        if root.id in shown:
            continue
        yield _node(root, above=False)
        shown.add(root.id)
        # Edges that are still to be shown, each with what stands left of its children: a chain of keys can be long.
        waiting = _children(outgoing.get(root.id, []), "")
        while waiting:
            edge, stem, branch, below = waiting.pop()
            target = nodes[edge.target]
            above = target.id in shown
            yield [(stem + branch, "faint"), *_edge(edge), *_node(target, above=above)]
            shown.add(target.id)
            if not above:
                waiting += _children(outgoing.get(target.id, []), below)


def _children(edges: list[Edge], stem: str) -> list[tuple[Edge, str, str, str]]:
    """Return edges, the last one first, with the stem, the branch and the stem of what is below."""
    found = [(edge, stem, "├─ ", stem + "│  ") for edge in edges]
    if found:
        found[-1] = (edges[-1], stem, "└─ ", stem + "   ")
    return found[::-1]


def _roots(graph: Graph) -> list[Node]:
    """Return the nodes that no other leads to, then the rest: one of a circle that nothing leads to is drawn, too."""
    reached = {edge.target for edge in graph.edges if edge.source != edge.target}
    return sorted(graph.nodes, key=lambda node: node.id in reached)


def _edge(edge: Edge) -> list[Piece]:
    if not edge.label:
        return []
    label = f"{plain(edge.label)} → "
    return [(f"{CROSS} {label}", "misuse") if edge.misuse else (label, "faint")]


def _node(node: Node, *, above: bool) -> list[Piece]:
    style: Style = "source" if node.kind == "source" else "sink" if node.kind == "sink" else ""
    label = f"{node.variable} = {node.label}" if node.variable else node.label
    found: list[Piece] = [(plain(label), "misuse" if node.misuses else style)]
    if node.misuses:
        found.append((f"  {CROSS} {', '.join(node.misuses)}", "misuse"))
    if above:
        found.append(("  (above)", "faint"))
    return found
