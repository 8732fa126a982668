"""Where the boxes of a drawing go: a layered layout from left to right, by the library fast-sugiyama.

All boxes have one height, so that the library's even spacing fits; a layer is as wide as its widest box.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

Link = tuple[int, int]


class MissingLibrary(Exception):
    """The library for layouts is not installed."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a box is.

    Attributes:
        x: its left side.
        y: its middle.
        right: the right side of its layer.
    """

    x: float
    y: float
    right: float


@dataclass(frozen=True, slots=True)
class Layout:
    """A layout.

    Attributes:
        places: the place of each box.
        routes: for each link that passes other layers, where it does so; from source to target.
        width: of the whole, from 0.
        height: of the whole, from 0.
    """

    places: list[Place]
    routes: dict[Link, list[Place]]
    width: float
    height: float


def layout(widths: Sequence[float], links: Sequence[Link], *, row: float, gap: float) -> Layout:
    """Place boxes, each left of those that it is linked to.

    Args:
        widths: the width of each box.
        links: pairs of boxes, each pair once, without circles.
        row: the distance between the middles of two boxes that are one above the other.
        gap: the distance between two layers.

    Raises:
        MissingLibrary: if fast-sugiyama is not installed.
    """
    places: dict[int, Place] = {}
    routes: dict[Link, list[Place]] = {}
    top = 0.0
    for boxes in _components(len(widths), links):
        own = [link for link in links if link[0] in boxes]
        found, drawn = _arranged(boxes, own, row)
        columns = _columns(found, widths, gap)
        first = min(across for across, _ in found.values())
        here = {
            vertex: Place(columns[layer][0], top + across - first + row / 2, columns[layer][1])
            for vertex, (across, layer) in found.items()
        }
        places.update((box, here[box]) for box in boxes)
        routes.update((link, [here[bend] for bend in bends]) for link, bends in _routes(drawn).items())
        top += max(across for across, _ in found.values()) - first + row
    width = max((place.x + widths[box] for box, place in places.items()), default=0.0)
    return Layout([places[box] for box in range(len(widths))], routes, width, top)


def _components(count: int, links: Sequence[Link]) -> Iterator[set[int]]:
    """Yield the boxes that hang together. The library mixes up the numbers of bends if it is given several such."""
    beside: dict[int, set[int]] = {box: set() for box in range(count)}
    for source, target in links:
        beside[source].add(target)
        beside[target].add(source)
    left = dict.fromkeys(range(count))
    while left:
        waiting = [next(iter(left))]
        found = set(waiting)
        while waiting:
            fresh = beside[waiting.pop()] - found
            found |= fresh
            waiting += fresh
        for box in found:
            del left[box]
        yield found


def _arranged(boxes: set[int], links: list[Link], row: float) -> tuple[dict[int, tuple[float, int]], list[Link]]:
    """Return for each box and bend its position across the layers and the number of its layer; and all links.

    Bends have negative numbers. The library draws from the top down.
    """
    if not links:
        return dict.fromkeys(boxes, (0.0, 0)), []
    try:
        from fast_sugiyama import from_edges
    except ImportError as error:
        raise MissingLibrary from error
    order = sorted(boxes)
    number = {box: place for place, box in enumerate(order)}
    found: Any = from_edges(
        [(number[source], number[target]) for source, target in links], vertex_spacing=row, check_layout=True
    )
    ((positions, _, _, drawn),) = found  # names of vertices can be text, too, but here they are numbers

    def own(vertex: int) -> int:
        return order[vertex] if vertex < len(order) else -vertex

    heights = sorted({y for _, (_, y) in positions}, reverse=True)
    layers = {y: layer for layer, y in enumerate(heights)}
    placed = {own(vertex): (across, layers[y]) for vertex, (across, y) in positions}
    if _is_turned(placed):
        placed = {vertex: (-across, layer) for vertex, (across, layer) in placed.items()}
    return placed, [(own(source), own(target)) for source, target in drawn]


def _is_turned(placed: dict[int, tuple[float, int]]) -> bool:
    """Return whether most boxes stand below those of their layer that come later in the program."""
    layers: dict[int, list[float]] = {}
    for vertex in sorted(vertex for vertex in placed if vertex >= 0):
        layers.setdefault(placed[vertex][1], []).append(placed[vertex][0])
    turned = [one > other for layer in layers.values() for one, other in pairwise(layer)]
    return 2 * sum(turned) > len(turned)


def _columns(
    found: dict[int, tuple[float, int]], widths: Sequence[float], gap: float
) -> dict[int, tuple[float, float]]:
    """Return the left and the right side of each layer."""
    widest: dict[int, float] = {}
    for vertex, (_, layer) in found.items():
        widest[layer] = max(widest.get(layer, 0.0), widths[vertex] if vertex >= 0 else 0.0)
    columns, left = {}, 0.0
    for layer in sorted(widest):
        columns[layer] = (left, left + widest[layer])
        left += widest[layer] + gap
    return columns


def _routes(drawn: list[Link]) -> dict[Link, list[int]]:
    """Return the bends between the two ends of each link that has some."""
    after = {source: target for source, target in drawn if source < 0}
    routes = {}
    for source, target in drawn:
        if source >= 0 > target:
            path = [target]
            while path[-1] < 0:
                path.append(after[path[-1]])
            routes[source, path.pop()] = path
    return routes
