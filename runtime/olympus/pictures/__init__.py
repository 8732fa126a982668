"""Pictures of a lineage graph: a text tree, Mermaid, and SVG."""

from __future__ import annotations

from olympus.pictures.mermaid import mermaid
from olympus.pictures.svg import svg
from olympus.pictures.tree import tree

__all__ = ["mermaid", "svg", "tree"]
