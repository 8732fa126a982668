"""The way of a key to its two uses, as a graph that the runtime draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

from olympus_rules.finding import Finding, Step

if TYPE_CHECKING:
    from olympus.graphs import Graph
    from olympus.lineage.events import MisuseKind

LONGEST = 60
"""Characters of a label."""


def is_long(finding: Finding) -> bool:
    """Return whether the key of a finding is made in several steps, which its code frame does not show."""
    return sum(step.kind == "key" for step in finding.lineage) > 1


def tree_rows(finding: Finding) -> list[str]:
    """Return the way of a key as the lines of a tree, each key below what it is made of.

    They look as those of :mod:`olympus.graphs`, which takes longer to load than most checks do.
    """
    made, uses = parts(finding)
    rows = [labelled(made[0])]
    for depth, step in enumerate(made[1:]):
        mark = "  ✗ reuse" if step is made[-1] else ""
        rows.append(f"{'   ' * depth}└─ {', '.join(filter(None, (step.how, place(step))))} → {short(step.label)}{mark}")
    for step in uses:
        branch = "└─" if step is uses[-1] else "├─"
        label = ", ".join(filter(None, (what(step), place(step))))
        rows.append(f"{'   ' * (len(made) - 1)}{branch} ✗ {label} → {short(step.label)}")
    return rows


def graph_of(finding: Finding) -> Graph:
    """Return the way of a key as a graph: a path of keys, and the uses of the last one."""
    from olympus.graphs import Edge, Graph, Node

    made, uses = parts(finding)
    nodes, edges = [], []
    for number, step in enumerate(made):
        label = labelled(step)
        misuses: tuple[MisuseKind, ...] = ("reuse",) if number == len(made) - 1 else ()
        nodes.append(Node(f"n{number}", "source" if step.kind == "source" else "key", label, label, misuses))
        if number:
            edges.append(Edge(f"n{number - 1}", f"n{number}", step.how, place(step)))
    for number, step in enumerate(uses, len(made)):
        nodes.append(Node(f"n{number}", "sink", short(step.label), step.label))
        edges.append(Edge(f"n{len(made) - 1}", f"n{number}", what(step), place(step), misuse=True))
    return Graph(tuple(nodes), tuple(edges))


def parts(finding: Finding) -> tuple[list[Step], list[Step]]:
    """Return the keys on a way, and the uses of the last one."""
    made = [step for step in finding.lineage if step.kind in ("source", "key")]
    return made, [step for step in finding.lineage if step.kind not in ("source", "key")]


def labelled(step: Step) -> str:
    """Return what a key is called; its source with the place."""
    return ", ".join(filter(None, (short(step.label), place(step) if step.kind == "source" else "")))


def what(step: Step) -> str:
    """Return which use of a key it is."""
    return step.kind if not step.how else f"each time, by {step.how}"


def place(step: Step) -> str:
    """Return the row of a step; empty if it is not known."""
    if not step.row:
        return ""
    return f"line {step.row}" if step.cell is None else f"cell {step.cell} line {step.row}"


def short(text: str) -> str:
    """Return a label that leaves room for others."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
