"""``olympus trace``: the equations of a function, with the places in its source that asked for them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from olympus.commands.findings import place, report
from olympus.commands.target import add_target, follow

if TYPE_CHECKING:
    from olympus.tracing.jaxprs import Equation, Trace

__all__ = ["add"]

EPILOG = """\
The module of the function is imported, which executes it; the function itself is traced and computes nothing.
Exit status: 0; 1 if a key is misused; 2 if the function cannot be traced.
"""


def add(commands: Any) -> None:
    """Describe the command to the parser of ``olympus``."""
    parser = commands.add_parser(
        "trace",
        help="list a function's equations with their places in the source",
        description="Trace a function and list its equations: what comes out, and the call that asked for it.",
        epilog=EPILOG,
    )
    add_target(parser)
    parser.add_argument("--internal", action="store_true", help="list the equations inside the functions of JAX, too")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """List the equations, and report what is wrong; returns the exit status."""
    followed = follow(options)
    if followed.lineage is not None:
        for line in _lines(followed.lineage.trace, internal=options.internal):
            print(line)
    return report(followed)


def _lines(trace: Trace, *, internal: bool) -> list[str]:
    rows = [_row(equation) for equation in trace.equations() if internal or not equation.internal]
    width = max((len(what) for what, _ in rows), default=0)
    return [f"{what:{width}}  {where}".rstrip() for what, where in rows]


def _row(equation: Equation) -> tuple[str, str]:
    """Return an equation, indented by how deep it is nested, and its place."""
    depth, outer = 0, equation.outer
    while outer is not None:
        depth, outer = depth + 1, outer.outer
    name = equation.params.get("name")
    called = f"[{name}]" if isinstance(name, str) else ""
    made = ", ".join(str(variable.aval) for variable in equation.outputs)
    what = f"{'  ' * depth}{equation.primitive}{called} : {made}"
    if not equation.chain:
        return what, ""
    span = equation.chain[0]
    end = f"-{span.end_line}:{span.end_column}" if span.column else ""
    return what, f"{place(span)}{end} ({span.function})"
