"""``olympus lineage``: what becomes of a function's keys, as a picture."""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from olympus.commands import Trouble
from olympus.commands.files import write_whole
from olympus.commands.findings import report
from olympus.commands.target import EPILOG, add_target, follow

if TYPE_CHECKING:
    from olympus.graphs.model import Graph

COLOURS = {"": "", "faint": "dim", "source": "blue", "sink": "green", "misuse": "bold red"}


def add(commands: Any) -> None:
    """Describe the command to the parser of ``olympus``."""
    parser = commands.add_parser(
        "lineage",
        help="show what becomes of a function's keys, as a picture",
        description="Trace a function and show the origin and the consumers of each of its keys.",
        epilog=EPILOG,
    )
    add_target(parser)
    parser.add_argument(
        "--output-format", choices=("text", "mermaid", "svg"), default="text", help="the kind of picture"
    )
    parser.add_argument("--output-file", metavar="FILE", type=Path, help="where to write the picture")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Draw the picture, and report what is wrong; returns the exit status."""
    if options.output_format == "svg" and find_spec("fast_sugiyama") is None:
        raise Trouble("SVG needs a library for its layout: pip install 'olympus-lint[pictures]'")
    followed = follow(options)
    if followed.lineage is None:
        return report(followed)
    from olympus.graphs import graph as graph_of

    graph = graph_of(followed.lineage)
    if options.output_file is not None:
        write_whole(options.output_file, _picture(graph, options.output_format, followed.function))
        return report(followed)
    if options.output_format == "text":
        _show(graph)
        return report(followed)
    sys.stdout.write(_picture(graph, options.output_format, followed.function))
    return report(followed, sys.stderr)


def _picture(graph: Graph, form: str, function: str) -> str:
    from olympus.graphs import mermaid, svg, tree

    if form == "svg":
        return svg(graph, f"Key lineage of {function}")
    return mermaid(graph) if form == "mermaid" else tree(graph)


def _show(graph: Graph) -> None:
    """Print the tree, in colours where rich is installed and standard output is a terminal."""
    from olympus.graphs.tree import pieces, tree

    if not graph.nodes:
        print("no keys are used")
    elif not sys.stdout.isatty() or find_spec("rich") is None:
        sys.stdout.write(tree(graph))
    else:
        from rich.console import Console
        from rich.text import Text

        console = Console(highlight=False)
        for line in pieces(graph):
            console.print(Text.assemble(*((text, COLOURS[style]) for text, style in line)), soft_wrap=True)
