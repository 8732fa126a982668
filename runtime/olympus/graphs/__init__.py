"""Lineages as graphs, for people to look at: which key is made of which, and what consumes it."""

from olympus.graphs.graph import Edge, Graph, Node, NodeKind, graph

__all__ = ["Edge", "Graph", "Node", "NodeKind", "graph"]
