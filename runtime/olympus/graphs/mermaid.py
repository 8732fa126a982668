"""A lineage graph as a Mermaid flowchart: https://mermaid.js.org/syntax/flowchart.html."""

from __future__ import annotations

from olympus.graphs.model import Edge, Graph, Node, plain

SHAPES = {
    "source": ("([", "])"),
    "key": ("[", "]"),
    "sink": ("{{", "}}"),
    "unknown": ("[/", "/]"),
    "returned": ("([", "])"),
}
# Colours that are readable on a light and on a dark page.
CLASSES = {
    "source": "fill:#ddf4ff,stroke:#0969da,color:#1f2328",
    "key": "fill:#f6f8fa,stroke:#8c959f,color:#1f2328",
    "sink": "fill:#dafbe1,stroke:#1a7f37,color:#1f2328",
    "unknown": "fill:#fff8c5,stroke:#9a6700,color:#1f2328",
    "returned": "fill:#fbefff,stroke:#8250df,color:#1f2328",
    "misuse": "fill:#ffebe9,stroke:#cf222e,color:#82071e,stroke-width:3px",
}
MISUSED_EDGE = "stroke:#cf222e,stroke-width:3px"
# Mermaid's own escapes: the number or name of a character between # and ;
ESCAPES = str.maketrans({character: f"#{ord(character)};" for character in '#"<>&`|\\{}'})


def mermaid(graph: Graph) -> str:
    """Return the graph as the text of a flowchart; a misuse has a thick border and a cross, and is red."""
    lines = ["flowchart LR", *map(_node, graph.nodes), *map(_edge, graph.edges)]
    used = {_class(node) for node in graph.nodes}
    lines += [f"    classDef {name} {style}" for name, style in CLASSES.items() if name in used]
    misused = [str(number) for number, edge in enumerate(graph.edges) if edge.misuse]
    if misused:
        lines.append(f"    linkStyle {','.join(misused)} {MISUSED_EDGE}")
    return "\n".join(lines) + "\n"


def _node(node: Node) -> str:
    opening, closing = SHAPES[node.kind]
    mark = f"<br/>✗ {', '.join(node.misuses)}" if node.misuses else ""
    texts = [plain(text).translate(ESCAPES) for text in (node.variable, node.label) if text]
    label = "<br/>".join(texts) or " "  # without any text there is no string
    return f'    {node.id}{opening}"{label}{mark}"{closing}:::{_class(node)}'


def _class(node: Node) -> str:
    return "misuse" if node.misuses else node.kind


def _edge(edge: Edge) -> str:
    arrow = "==>" if edge.misuse else "-->"
    label = f'|"{plain(edge.label).translate(ESCAPES)}"|' if edge.label else ""
    return f"    {edge.source} {arrow}{label} {edge.target}"
