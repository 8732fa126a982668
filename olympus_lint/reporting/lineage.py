"""The way of a key to its two uses, as a graph that the runtime draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

from olympus_rules.finding import Finding, Step

if TYPE_CHECKING:
    from olympus.graphs import Graph

__all__ = ["graph_of", "is_long", "tree_rows"]

LONGEST = 60
"""Characters of a label."""


def is_long(finding: Finding) -> bool:
    """Return whether the key of a finding is made in several steps, which its code frame does not show."""
    return sum(step.kind == "key" for step in finding.lineage) > 1


def tree_rows(finding: Finding) -> list[str]:
    """Return the way of a key as the lines of a tree, each key below what it is made of."""
    from olympus.graphs import tree  # loads what only a long way needs

    return tree(graph_of(finding)).splitlines()


def graph_of(finding: Finding) -> Graph:
    """Return the way of a key as a graph: a path of keys, and the uses of the last one."""
    from olympus.graphs import Edge, Graph, Node

    made = [step for step in finding.lineage if step.kind in ("source", "key")]
    uses = finding.lineage[len(made) :]
    nodes, edges = [], []
    for number, step in enumerate(made):
        is_source = step.kind == "source"
        label = ", ".join(filter(None, (short(step.label), place(step) if is_source else "")))
        last = number == len(made) - 1
        nodes.append(Node(f"n{number}", "source" if is_source else "key", label, label, ("reuse",) if last else ()))
        if number:
            edges.append(Edge(f"n{number - 1}", f"n{number}", step.how, place(step)))
    for number, step in enumerate(uses, len(made)):
        label = short(step.label)
        what = step.how if len(uses) == 1 else "first" if step.kind == "first" else "again"
        nodes.append(Node(f"n{number}", "sink", label, label))
        edges.append(Edge(f"n{len(made) - 1}", f"n{number}", what, place(step), misuse=True))
    return Graph(tuple(nodes), tuple(edges))


def place(step: Step) -> str:
    """Return the row of a step; empty if it is not known."""
    if not step.row:
        return ""
    return f"line {step.row}" if step.cell is None else f"cell {step.cell} line {step.row}"


def short(text: str) -> str:
    """Return a label that leaves room for others."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
