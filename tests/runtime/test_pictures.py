"""The three pictures of a graph: what they look like, that they are well-formed, and that nothing overlaps."""

from __future__ import annotations

import itertools
import re
import sys
import unicodedata
from xml.etree import ElementTree

import pytest
from hypothesis import strategies as st
from searches import searched

from olympus.graphs import Edge, Graph, Node, column, mermaid, svg, tree
from olympus.graphs.layout import MissingLibrary
from olympus.graphs.shapes import STYLE

SMALL = Graph(
    (
        Node("n1", "source", "key", "key", ("reuse",)),
        Node("n2", "key", "split(key)[0]", "split(key)[0]", variable="noise_key"),
        Node("n3", "sink", "normal", "normal at f.py:3"),
        Node("n4", "sink", "uniform", "uniform at f.py:4"),
        Node("n5", "returned", "returned", "returned by the function"),
    ),
    (
        Edge("n1", "n2", "split", "line 2", misuse=True),
        Edge("n1", "n4", "draw", "line 4", times=2, misuse=True),
        Edge("n2", "n2", "split", "line 3", each_turn=True),
        Edge("n2", "n3", "draw", "line 3"),
        Edge("n2", "n5", ""),
    ),
)
TREE = """\
key  ✗ reuse
├─ ✗ split, line 2 → noise_key = split(key)[0]
│  ├─ split, line 3, each turn → noise_key = split(key)[0]  (above)
│  ├─ draw, line 3 → normal
│  └─ returned
└─ ✗ draw, line 4, twice → uniform
"""
MERMAID = """\
flowchart LR
    n1(["key<br/>✗ reuse"]):::misuse
    n2["noise_key<br/>split(key)[0]"]:::key
    n3{{"normal"}}:::sink
    n4{{"uniform"}}:::sink
    n5(["returned"]):::returned
    n1 ==>|"split, line 2"| n2
    n1 ==>|"draw, line 4, twice"| n4
    n2 -->|"split, line 3, each turn"| n2
    n2 -->|"draw, line 3"| n3
    n2 --> n5
    classDef key fill:#f6f8fa,stroke:#8c959f,color:#1f2328
    classDef sink fill:#dafbe1,stroke:#1a7f37,color:#1f2328
    classDef returned fill:#fbefff,stroke:#8250df,color:#1f2328
    classDef misuse fill:#ffebe9,stroke:#cf222e,color:#82071e,stroke-width:3px
    linkStyle 0,1 stroke:#cf222e,stroke-width:3px
"""
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="─("), max_size=60)
KINDS = st.sampled_from(["source", "key", "sink", "unknown", "returned"])
MISUSES = st.sampled_from([(), (), ("reuse",), ("collision", "reuse"), ("indexing",)])


@st.composite
def graphs(draw: st.DrawFn, texts: st.SearchStrategy[str] = TEXTS, most: int = 40) -> Graph:
    """Return any graph of the size that people look at, with circles, loops at one node, and loose nodes."""
    count = draw(st.integers(1, most))
    names = [f"n{number}" for number in range(1, count + 1)]
    variables = st.one_of(st.just(""), texts)
    nodes = [Node(name, draw(KINDS), draw(texts), draw(texts), draw(MISUSES), draw(variables)) for name in names]
    ends = st.tuples(st.sampled_from(names), st.sampled_from(names))
    pairs = draw(st.lists(ends, max_size=count + 8))
    edges = [
        Edge(one, other, draw(texts), "line 1", draw(st.booleans()), 1, draw(st.booleans())) for one, other in pairs
    ]
    return Graph(tuple(nodes), tuple(edges))


@st.composite
def ways(draw: st.DrawFn) -> Graph:
    """Return a path of keys, the last of which has one use or two."""
    count = draw(st.integers(1, 10))
    names = [f"n{number}" for number in range(count + draw(st.integers(1, 2)))]
    nodes = [Node(name, draw(KINDS), draw(TEXTS), draw(TEXTS), draw(MISUSES)) for name in names]
    ends = [(names[min(number, count) - 1], names[number]) for number in range(1, len(names))]
    edges = [Edge(one, other, draw(TEXTS), "line 1", misuse=draw(st.booleans())) for one, other in ends]
    return Graph(tuple(nodes), tuple(edges))


def test_tree() -> None:
    assert tree(SMALL) == TREE
    assert tree(Graph((), ())) == ""


@searched(graphs(), few=5, many=30)
def test_a_tree_has_every_node_and_every_edge_once(graph: Graph) -> None:
    lines = tree(graph).splitlines()
    full = [line for line in lines if not line.endswith("  (above)")]
    assert len(full) == len(graph.nodes)
    assert sum(bool(re.match("[│ ]*[├└]─ ", line)) for line in lines) == len(graph.edges)


def test_a_deep_tree() -> None:
    nodes = tuple(Node(f"n{number}", "key", "key", "key") for number in range(3000))
    edges = tuple(Edge(one.id, other.id, "split") for one, other in itertools.pairwise(nodes))
    assert len(tree(Graph(nodes, edges)).splitlines()) == 3000


def test_mermaid() -> None:
    assert mermaid(SMALL) == MERMAID


# The part of Mermaid's grammar that is used; no text can end the string that it is in, or be read as markup.
STRING = r'"[^"<>`|&\n]*(<br/>[^"<>`|&\n]*)?(<br/>✗ [a-z, ]+)?"'
NODE = rf"    n\d+(\(\[{STRING}\]\)|\[{STRING}\]|\{{\{{{STRING}\}}\}}|\[/{STRING}/\]):::\w+"
EDGE = rf"    n\d+ (-->|==>)(\|{STRING}\|)? n\d+"
REST = r"    (classDef \w+ [\w:#,-]+|linkStyle [\d,]+ [\w:#,-]+)"


@searched(graphs(), few=10, many=30)
def test_mermaid_is_well_formed(graph: Graph) -> None:
    first, *lines = mermaid(graph).removesuffix("\n").split("\n")
    assert first == "flowchart LR"
    count = len(graph.nodes)
    assert all(re.fullmatch(NODE, line) for line in lines[:count])
    assert all(re.fullmatch(EDGE, line) for line in lines[count : count + len(graph.edges)])
    assert all(re.fullmatch(REST, line) for line in lines[count + len(graph.edges) :])


def test_mermaid_escapes() -> None:
    text = mermaid(Graph((Node("n1", "key", '"a" #1 <b>`c`\n&', ""),), ()))
    assert '"#34;a#34; #35;1 #60;b#62;#96;c#96;�#38;"' in text


# SVG.

NAMESPACE = "{http://www.w3.org/2000/svg}"
WIDTH = 0.6021  # of a character of DejaVu Sans Mono, in parts of the font's size; others are as wide or less
SIZES = {"name": 13.0, "note": 11.0}
Rectangle = tuple[float, float, float, float]


def parsed(graph: Graph) -> ElementTree.Element:
    pytest.importorskip("fast_sugiyama", reason="the layout is by fast-sugiyama")
    return ElementTree.fromstring(svg(graph, "a title"))


def of_box(box: ElementTree.Element) -> Rectangle:
    x, y, width, height = (float(box.attrib[name]) for name in ("x", "y", "width", "height"))
    return x, y, x + width, y + height


def of_text(text: ElementTree.Element) -> Rectangle:
    size = SIZES[text.attrib["class"].split()[0]]
    characters = sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text.text or "")
    x, baseline = float(text.attrib["x"]), float(text.attrib["y"])
    return x, baseline - 0.76 * size, x + WIDTH * size * characters, baseline + 0.24 * size


def overlap(one: Rectangle, other: Rectangle) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def within(inner: Rectangle, outer: Rectangle) -> bool:
    return inner[0] >= outer[0] and inner[1] >= outer[1] and inner[2] <= outer[2] and inner[3] <= outer[3]


@searched(graphs(), few=10, many=30)
def test_no_two_labels_overlap(graph: Graph) -> None:
    check_room(graph, parsed(graph))


@searched(ways(), few=10, many=30)
def test_no_two_labels_of_a_column_overlap(graph: Graph) -> None:
    root = ElementTree.fromstring(column(graph, "a title"))
    check_room(graph, root)
    rows = [of_box(box) for box in root.iter(f"{NAMESPACE}rect")][1:]
    assert all(above[3] < below[1] for above, below in itertools.pairwise(rows))


def check_room(graph: Graph, root: ElementTree.Element) -> None:
    """Check that texts are in their boxes, and that boxes and labels do not overlap."""
    page = of_box(next(root.iter(f"{NAMESPACE}rect")))
    groups = root.findall(f"{NAMESPACE}g")
    nodes = [group for group in groups if group.find(f"{NAMESPACE}rect") is not None]
    boxes = [of_box(group.find(f"{NAMESPACE}rect")) for group in nodes]  # type: ignore[arg-type]
    texts = [[of_text(text) for text in group.findall(f"{NAMESPACE}text")] for group in nodes]
    labels = [of_text(text) for group in groups if group not in nodes for text in group.findall(f"{NAMESPACE}text")]
    assert len(boxes) == len(graph.nodes)
    assert len(labels) == sum(bool(edge.label) for edge in graph.edges)
    for box, own in zip(boxes, texts, strict=True):
        assert all(within(text, box) for text in own)
        assert not any(overlap(*pair) for pair in itertools.combinations(own, 2))
    everything = boxes + labels
    assert not any(overlap(*pair) for pair in itertools.combinations(everything, 2))
    assert all(within(each, page) for each in everything)


@searched(graphs(most=12), few=10, many=20)
def test_svg_has_titles_and_no_control_characters(graph: Graph) -> None:
    root = parsed(graph)
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-label"] == root.findtext(f"{NAMESPACE}title") == "a title"
    groups = root.findall(f"{NAMESPACE}g")
    assert len(groups) == len(graph.nodes) + len(graph.edges)
    assert all(group.find(f"{NAMESPACE}title") is not None for group in groups)


def test_a_misuse_is_told_by_more_than_its_colour() -> None:
    groups = parsed(SMALL).findall(f"{NAMESPACE}g")
    crossed = [any("✗" in (text.text or "") for text in group.findall(f"{NAMESPACE}text")) for group in groups]
    assert crossed == ["misuse" in group.attrib["class"].split() for group in groups]
    assert sum(crossed) == 3
    assert re.search(r"\.misuse \.box \{[^}]*stroke-width: 3", STYLE)


def test_what_comes_first_in_the_program_stands_above() -> None:
    nodes = [Node("n1", "source", "key", "key"), *(Node(f"n{at}", "sink", f"draw {at}", "") for at in (2, 3, 4))]
    root = parsed(Graph(tuple(nodes), tuple(Edge("n1", each.id, "draw") for each in nodes[1:])))
    height = {text.text: float(text.attrib["y"]) for text in root.iter(f"{NAMESPACE}text")}
    assert height["draw 2"] < height["draw 3"] < height["draw 4"]


def test_a_picture_is_drawn_alike_every_time() -> None:
    pytest.importorskip("fast_sugiyama", reason="the layout is by fast-sugiyama")
    assert svg(SMALL, "a title") == svg(SMALL, "a title")


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours such as ``#f6f8fa`` (WCAG 2.2, from 1 to 21)."""

    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_can_be_read_on_their_ground(scheme: str) -> None:
    light, dark = STYLE.split("@media")
    style = light if scheme == "light" else dark
    fills = {name.strip(): colour for name, colour in re.findall(r"([\w. ]+?) \{[^}]*?fill: (#[0-9a-f]{6})", style)}
    boxes = {name for name in fills if name.endswith(".box")}
    assert len(boxes) == 6
    for ground in (*boxes, ".page"):
        assert contrast(fills["text"], fills[ground]) >= 4.5
    for ground in (".page", ".key .box", ".source .box"):
        assert contrast(fills[".note"], fills[ground]) >= 4.5
    assert contrast(fills[".misuse .mark"], fills[".page"]) >= 4.5
    assert contrast(fills[".misuse .mark"], fills[".misuse .box"]) >= 4.5


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fast_sugiyama", None)
    with pytest.raises(MissingLibrary):
        svg(SMALL, "a title")
