"""A lineage as a graph for people: which key is made of which and what consumes it, as text, Mermaid or SVG."""

from olympus.graphs.assembly import graph
from olympus.graphs.column import column
from olympus.graphs.mermaid import mermaid
from olympus.graphs.model import Edge, Graph, Node, NodeKind
from olympus.graphs.svg import svg
from olympus.graphs.tree import tree

__all__ = ["Edge", "Graph", "Node", "NodeKind", "column", "graph", "mermaid", "svg", "tree"]
