"""A traced function in the grammar of JAX's jaxprs; each equation has its place and its keys in a comment.

```
jaxpr ::= { lambda Var* ; Var*. let Eqn* in (Expr*,) }
Eqn   ::= Var* = Primitive[Param*] Expr*    # place in function: keys
```
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from itertools import groupby
from typing import TYPE_CHECKING, Any

from olympus.commands.findings import place
from olympus.graphs.labels import Namer
from olympus.tracing.adapter import shown_type
from olympus.tracing.jaxprs import Equation

if TYPE_CHECKING:
    from jax.extend.core import Jaxpr

    from olympus.lineage import Lineage
    from olympus.lineage.stepwise import Stepwise
    from olympus.tracing.jaxprs import Sub

LETTERS = "abcdefghijklmnopqrstuvwxyz"
LONGEST = 60  # characters of a parameter
COLUMN = 64  # of the comments, unless all equations are shorter; a longer equation pushes its own
Line = tuple[str, str]


def written(lineage: Lineage, state: Stepwise, *, internal: bool) -> list[str]:
    """Return the lines of a traced function.

    Args:
        lineage: the function, and what is known of its keys.
        state: what has followed it.
        internal: whether the inside of functions of JAX is written, too.
    """
    writer = Writer(lineage, state, internal=internal)
    jaxpr = lineage.trace.jaxpr.jaxpr
    lines = [*writer.jaxpr(jaxpr, [Equation(eqn) for eqn in jaxpr.eqns], 0)]
    names = zip(map(writer.variable, jaxpr.invars), lineage.trace.names, strict=True)
    told = ", ".join(f"{name} = {path}" for name, path in names)
    lines[0] = (lines[0][0], told)
    column = min(COLUMN, max(len(text) for text, _ in lines))
    return [f"{text:{column}}  # {note}" if note else text for text, note in lines]


class Writer:
    """Gives each variable a letter, in the order in which they appear."""

    def __init__(self, lineage: Lineage, state: Stepwise, *, internal: bool) -> None:
        self.lineage = lineage
        self.state = state
        self.internal = internal
        self.names: dict[Any, str] = {}
        self.keys = Namer(lineage, {})

    def jaxpr(self, jaxpr: Jaxpr, equations: Iterable[Equation], indent: int, before: str = "") -> Iterator[Line]:
        """Yield the lines of a jaxpr, of which the first one has something before it."""
        consts, inputs = (" ".join(map(self.typed, each)) for each in (jaxpr.constvars, jaxpr.invars))
        head = f"{{ lambda {consts}; {inputs}. let" if consts else f"{{ lambda ; {inputs}. let"
        yield f"{' ' * indent}{before}{head}", ""
        for equation in equations:
            yield from self.equation(equation, indent + 4)
        results = ", ".join(map(self.atom, jaxpr.outvars)) + ("," if len(jaxpr.outvars) == 1 else "")
        yield f"{' ' * (indent + 2)}in ({results}) }}", ""

    def equation(self, equation: Equation, indent: int) -> Iterator[Line]:
        """Yield the lines of an equation; jaxprs among its parameters have lines of their own."""
        # Operands are named before what stands in the jaxprs, as in the order of the program.
        operands = "".join(f" {self.atom(each)}" for each in equation.inputs)
        params = " ".join(f"{name}={value}" for name, value in equation.params.items() if _is_plain(value))
        name = equation.eqn.primitive.name
        subs = [sub for sub in equation.subs if self.internal or self.is_users(equation, sub)]
        made = " ".join(map(self.typed, equation.outputs))
        start = f"{' ' * indent}{made} = {name}" if made else f"{' ' * indent}{name}"
        note = self.note(equation)
        if not subs:
            yield f"{start}[{params}]{operands}" if params else f"{start}{operands}", note
            return
        yield f"{start}[{params}", note
        for parameter, group in groupby(subs, lambda sub: sub.parameter):
            parts = list(group)
            several = isinstance(equation.params[parameter], tuple | list)
            inner = indent + (4 if several else 2)
            if several:
                yield f"{' ' * (indent + 2)}{parameter}=(", ""
            for sub in parts:
                before = "" if several else f"{parameter}="
                yield from self.jaxpr(sub.jaxpr, equation.sub_equations(sub), inner, before)
            if several:
                yield f"{' ' * (indent + 2)})", ""
        yield f"{' ' * indent}]{operands}", ""

    def is_users(self, equation: Equation, sub: Sub) -> bool:
        """Return whether the user's code has a part in a jaxpr: all but what is inside of functions of JAX."""
        return any(
            not inner.internal or any(self.is_users(inner, each) for each in inner.subs)
            for inner in equation.sub_equations(sub)
        )

    def variable(self, variable: Any) -> str:
        """Return the letters of a variable; ``_`` is one that nothing reads."""
        if str(variable).startswith("_"):
            return "_"
        if variable not in self.names:
            number, letters = len(self.names), ""
            while number >= 0:
                number, letter = divmod(number, len(LETTERS))
                number, letters = number - 1, LETTERS[letter] + letters
            self.names[variable] = letters
        return self.names[variable]

    def typed(self, variable: Any) -> str:
        """Return a variable where it is bound."""
        return f"{self.variable(variable)}:{shown_type(variable.aval)}"

    def atom(self, atom: Any) -> str:
        """Return a variable or a literal where it is used."""
        if not hasattr(atom, "val"):
            return self.variable(atom)
        import numpy as np

        return f"{np.asarray(atom.val).item()}:{shown_type(atom.aval)}"

    def note(self, equation: Equation) -> str:
        """Return where an equation comes from, and which keys come out, or else which ones go in."""
        where = ""
        if equation.chain:
            span = equation.chain[0]
            end = f"-{span.end_line}:{span.end_column}" if span.column else ""
            where = f"{place(span)}{end} ({span.function})"
        step = self.state.step(equation)
        keys = ""
        if step.given:
            keys = f"gives {'' if step.whole else 'words of '}{self.told(step.given)}"
        elif step.taken:
            keys = f"takes {self.told(step.taken)}"
        return "; ".join(part for part in (where, keys) if part)

    def told(self, keys: Sequence[int]) -> str:
        """Return what some keys are called."""
        alike: dict[str, list[int]] = {}
        for key in keys:
            alike.setdefault(self.lineage.identities[key].operation, []).append(key)
        return ", ".join(self.keys.label(each, depth=8, longest=80) for each in alike.values())


def _is_plain(value: Any) -> bool:
    """Return whether a parameter tells something in a few characters: no function, no layout, nothing left open."""
    if isinstance(value, tuple):
        told = any(each is not None and each is not False for each in value)
    else:
        told = value is not None and value is not False and getattr(value, "name", "") != "AUTO"
    return told and _is_word(value) and len(str(value)) <= LONGEST


def _is_word(value: Any) -> bool:
    import numpy as np

    if isinstance(value, tuple):
        return all(map(_is_word, value))
    return value is None or isinstance(value, bool | int | float | str | np.dtype | Enum)
