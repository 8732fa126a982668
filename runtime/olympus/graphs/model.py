"""The lineage of a function as a graph: which key is made of which, and what consumes it.

Only keys that matter are in it: those that are consumed, returned or misused, and what they are made of. Keys that
differ only in the iteration of a loop are one node, and so are children of one key that are used alike.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Literal

from olympus.lineage.events import MisuseKind

NodeKind = Literal["source", "key", "sink", "unknown", "returned"]


@dataclass(frozen=True, slots=True)
class Node:
    """A key, several keys that are used alike, or what uses them.

    Attributes:
        id: a name that is the same for the same program, such as ``n3``.
        kind: ``source`` for keys that come from outside or of a seed, ``key`` for those that are made of others,
            ``sink`` for what consumes keys, ``unknown`` for what is not modelled, and ``returned``.
        label: a few words, such as ``split(key)[0]`` or ``normal``.
        title: the same without anything left out.
        misuses: what is wrong with the key, each kind once.
        variable: what the program calls the key, if that is known.
    """

    id: str
    kind: NodeKind
    label: str
    title: str
    misuses: tuple[MisuseKind, ...] = ()
    variable: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """What makes one key of another, or what consumes a key.

    Attributes:
        source: the ``id`` of a node.
        target: the ``id`` of a node.
        what: such as ``draw``, ``split``, ``fold_in 3``.
        place: the source line, such as ``line 12``, with the file where there are several; empty if not known.
        each_turn: whether a loop does it again in each iteration.
        times: how often it happens to one key, iterations of loops aside.
        misuse: whether it is a part of a misuse.
    """

    source: str
    target: str
    what: str
    place: str = ""
    each_turn: bool = False
    times: int = 1
    misuse: bool = False

    @property
    def label(self) -> str:
        """Return all of it in a few words, such as ``draw, line 12, each turn``."""
        repeated = "" if self.times == 1 else "twice" if self.times == 2 else f"{self.times} times"
        return ", ".join(filter(None, (self.what, self.place, repeated, "each turn" if self.each_turn else "")))


@dataclass(frozen=True, slots=True)
class Graph:
    """The lineage of a function as a graph. It can have cycles, where a loop makes a key of its own result.

    Attributes:
        nodes: the nodes, in the order of the program.
        edges: the edges, in the order of the program.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    def outgoing(self) -> dict[str, list[Edge]]:
        """Return the edges by the ``id`` of their source."""
        found: defaultdict[str, list[Edge]] = defaultdict(list)
        for edge in self.edges:
            found[edge.source].append(edge)
        return dict(found)


def plain(text: str) -> str:
    """Return a text with a mark in the place of what cannot be printed: control characters end lines or are no XML."""
    return "".join(character if character.isprintable() else "�" for character in text)
