"""What callables do that take callables: one row for each kind that a pack's ``[transform]`` lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Result: TypeAlias = Literal["same", "contents", "reshaped", "arrays", "rearranged", "derived", "computed", "nothing"]
"""What a call gives back of the values that it is given; ``docs/signature-packs.md`` explains the words."""


@dataclass(frozen=True, slots=True)
class Transformation:
    """One kind of transformation.

    Attributes:
        kind: its name in packs.
        follows: the kind whose calls the key flow treats alike; empty for one that it does not follow.
        gives_function: whether the result is a function of the same parameters.
        runs: whether it calls the function there and then, and does not give it back.
        hands_on: whether the arguments after the function go to it, each in its place.
        after: how many arguments stand between the function and those that it is given.
        parts: what the function gets instead of the arguments: their elements, their leaves, the items of the first one
            each in its place, or the items of its elements.
        operands: the position of the first argument that is no function, where several may be.
        keeps_axes: whether the function gets and gives arrays with the axes that they have.
        joins: whether what the functions give has to be of one kind with what they are given.
        result: what a call gives back of its arguments.
        takes_apart: the arguments that JAX takes apart as pytrees: position, name, and what the argument is.
        parameters: the names of its first parameters, in order, where they may be given by name.
    """

    kind: str
    follows: str
    gives_function: bool = False
    runs: bool = False
    hands_on: bool = False
    after: int = 0
    parts: Literal["", "elements", "leaves", "items", "rows"] = ""
    operands: int = 0
    keeps_axes: bool = True
    joins: bool = False
    result: Result = "nothing"
    takes_apart: tuple[tuple[int, str, str], ...] = ()
    parameters: tuple[str, ...] = ()

    @property
    def has_branches(self) -> bool:
        """Return whether it calls one of several functions with the same operands."""
        return self.follows in ("cond", "switch")

    @property
    def maps(self) -> bool:
        """Return whether its result is made of what the function gives of each part, and of nothing else."""
        return self.parts == "leaves" or self.kind in ("each", "starmap", "map")


MOST_OPERANDS = 6  # of a conditional
MOST_ARGUMENTS = 8  # of a function that is called for its shape, its derivatives or on the host


def _each(first: int, count: int, name: str, role: str) -> tuple[tuple[int, str, str], ...]:
    return tuple((position, name, role) for position in range(first, first + count))


TRANSFORMATIONS = {
    row.kind: row
    for row in (
        # a function of a function
        Transformation("transparent", "transparent", gives_function=True),
        Transformation("jit", "transparent", gives_function=True),
        Transformation("grad", "transparent", gives_function=True),
        Transformation("jacobian", "transparent", gives_function=True, keeps_axes=False),
        Transformation("wraps", "wraps"),
        Transformation("value_and_grad", "value_and_grad", gives_function=True),
        Transformation("mapping", "mapping", gives_function=True, keeps_axes=False),
        Transformation("pmap", "mapping", gives_function=True, keeps_axes=False),
        Transformation("vectorize", "mapping", gives_function=True, keeps_axes=False),
        Transformation("shard_map", "shard_map", gives_function=True, keeps_axes=False),
        Transformation("make_jaxpr", "callback", gives_function=True),
        Transformation(
            "linearize", "", gives_function=True, hands_on=True, takes_apart=_each(1, MOST_ARGUMENTS, "", "argument")
        ),
        Transformation("partial", "partial", hands_on=True, result="same"),
        # a call of a function
        Transformation(
            "tree_map", "tree_map", runs=True, hands_on=True, parts="leaves", result="same", parameters=("f", "tree")
        ),
        Transformation(
            "tree_map_with_path",
            "tree_map",
            runs=True,
            hands_on=True,
            parts="leaves",
            result="same",
            parameters=("f", "tree"),
        ),
        Transformation(
            "map",
            "map",
            runs=True,
            hands_on=True,
            keeps_axes=False,
            result="reshaped",
            takes_apart=((1, "xs", "input"),),
            parameters=("f", "xs"),
        ),
        Transformation(
            "scan",
            "scan",
            runs=True,
            joins=True,
            takes_apart=((1, "init", "carry"), (2, "xs", "input")),
            parameters=("f", "init", "xs", "length"),
        ),
        Transformation(
            "associative_scan",
            "associative_scan",
            runs=True,
            keeps_axes=False,
            takes_apart=((1, "elems", "input"),),
            parameters=("fn", "elems"),
        ),
        Transformation("reduce", "reduce", runs=True, hands_on=True, parts="elements", result="same"),
        Transformation("tree_reduce", "", runs=True, hands_on=True, parts="leaves", result="same"),
        Transformation("call", "", runs=True, hands_on=True),
        Transformation("each", "", runs=True, hands_on=True, parts="elements", result="contents"),
        Transformation("starmap", "", runs=True, hands_on=True, parts="rows", result="contents"),
        Transformation("filter", "", runs=True, hands_on=True, parts="elements", result="contents"),
        Transformation(
            "fori_loop",
            "fori_loop",
            runs=True,
            operands=3,
            joins=True,
            result="same",
            takes_apart=((3, "init_val", "carry"),),
            parameters=("lower", "upper", "body_fun", "init_val"),
        ),
        Transformation(
            "while_loop",
            "while_loop",
            runs=True,
            operands=2,
            joins=True,
            result="same",
            takes_apart=((2, "init_val", "carry"),),
            parameters=("cond_fun", "body_fun", "init_val"),
        ),
        Transformation(
            "cond",
            "cond",
            runs=True,
            operands=3,
            joins=True,
            result="same",
            takes_apart=_each(3, MOST_OPERANDS, "operand", "operand"),
            parameters=("pred", "true_fun", "false_fun"),
        ),
        Transformation(
            "switch",
            "switch",
            runs=True,
            operands=2,
            joins=True,
            result="same",
            takes_apart=_each(2, MOST_OPERANDS, "operand", "operand"),
            parameters=("index", "branches"),
        ),
        Transformation("callback", "callback", runs=True, hands_on=True),
        Transformation(
            "eval_shape", "callback", runs=True, hands_on=True, takes_apart=_each(1, MOST_ARGUMENTS, "", "argument")
        ),
        Transformation(
            "pure_callback",
            "callback",
            runs=True,
            hands_on=True,
            after=1,
            takes_apart=_each(2, MOST_ARGUMENTS, "", "argument"),
        ),
        Transformation("vjp", "", hands_on=True, takes_apart=_each(1, MOST_ARGUMENTS, "", "argument")),
        Transformation(
            "jvp",
            "",
            hands_on=True,
            parts="items",
            takes_apart=((1, "primals", "argument"), (2, "tangents", "argument")),
        ),
        # no function
        Transformation("partition_spec", "partition_spec"),
    )
}
