"""Ways in which a repeat hides: the key or the draw takes a detour that changes nothing when the program runs."""

from __future__ import annotations

import ast
import itertools
import random
from collections.abc import Callable, Iterator

from mutation.change import Edit, Mutant, replaced, with_way
from mutation.draws import Draw, Source, bound, parameters

RECORDS = (
    "class {name}(typing.NamedTuple):\n    key: jax.Array\n",
    "@dataclasses.dataclass\nclass {name}:\n    key: jax.Array\n",
    "class {name}:\n    def __init__(self, key):\n        self.key = key\n",
)
CONTAINERS = (
    ('{{"key": {key}}}', '["key"]'),
    ("[{key}]", "[0]"),
    ("({key}, 1)", "[0]"),
    ("dict(key={key})", '["key"]'),
)


class Place:
    """Where the edits of one mutant go.

    Attributes:
        source: the file.
        mutant: what is hidden.
        outer: the statement of the file that the function stands in.
        number: makes new names unique in the file.
    """

    def __init__(self, source: Source, mutant: Mutant, outer: ast.stmt, number: int) -> None:
        """Keep them."""
        self.source, self.mutant, self.outer, self.number = source, mutant, outer, number

    def above(self, text: str) -> Edit:
        """Return the edit that puts text in front of the outermost statement around the function."""
        decorators = getattr(self.outer, "decorator_list", [])
        row = min([self.outer.lineno, *(each.lineno for each in decorators)])
        return row, 0, 0, f"{text}\n\n"

    def anchor(self, text: str) -> Edit:
        """Return the edit that puts a statement in front of the first draw."""
        assert self.mutant.draw is not None
        at = (self.mutant.first or self.mutant.draw).statement
        return at.lineno, at.col_offset, at.col_offset, f"{text}; "


def helper(draw: Draw, name: str, callee: str, key: str | None) -> tuple[str, str]:
    """Return a function around a draw, and its parameters but for the key; the key is one unless it is given."""
    call = draw.call
    texts, names = [], []
    for number, value in enumerate(call.args):
        if value is draw.key:
            texts.append(key or "key")
            names += [] if key else ["key"]
        else:
            texts.append(f"value_{number}")
            names.append(f"value_{number}")
    for each in call.keywords:
        is_key = each.value is draw.key
        if not is_key or not key:
            names.append(each.arg or "")
        texts.append(f"{each.arg}={key if is_key and key else each.arg}")
    return f"def {name}({', '.join(names)}):\n    return {callee}({', '.join(texts)})\n", ", ".join(names)


def rest(draw: Draw) -> str:
    """Return the arguments of a draw but for its key."""
    texts = [ast.unparse(each) for each in draw.call.args if each is not draw.key]
    return ", ".join(
        [*texts, *(f"{e.arg}={ast.unparse(e.value)}" for e in draw.call.keywords if e.value is not draw.key)]
    )


def is_whole(draw: Draw) -> bool:
    """Return whether a call names each of its arguments, on one line."""
    call = draw.call
    starred = any(isinstance(each, ast.Starred) for each in call.args)
    return not starred and all(e.arg for e in call.keywords) and call.lineno == call.end_lineno


def is_global(place: Place, draw: Draw) -> bool:
    """Return whether the callee of a draw is a name of the file, and not one of its functions."""
    (root, *_) = ast.unparse(draw.call.func).split(".")
    imports = bound(each for each in place.source.tree.body if isinstance(each, ast.Import | ast.ImportFrom))
    function = place.mutant.function
    return draw.is_direct and root.partition(".")[0] in imports - bound(function.body) - set(parameters(function))


def is_method(place: Place, *, plain: bool = False) -> bool:
    """Return whether the draw stands in a method itself, of a class without bases and decorators if need be."""
    function, draw = place.mutant.function, place.mutant.draw
    owner = place.source.parents.get(function)
    if not isinstance(owner, ast.ClassDef) or parameters(function)[:1] != ["self"] or function.decorator_list:
        return False
    inside = draw is not None and draw.path[0][0] == id(function.body)
    return inside and not (plain and (owner.bases or owner.keywords or owner.decorator_list))


def _record(place: Place, choice: random.Random) -> Iterator[Edit]:
    mutant, name = place.mutant, f"Held{place.number}"
    assert mutant.draw is not None
    imports = "import dataclasses\nimport typing\n\nimport jax\n\n"
    yield place.above(imports + choice.choice(RECORDS).format(name=name))
    yield place.anchor(f"held = {name}({mutant.name})")
    yield replaced(mutant.draw.key, "held.key")


def _container(place: Place, choice: random.Random) -> Iterator[Edit]:
    mutant = place.mutant
    assert mutant.draw is not None
    made, taken = choice.choice(CONTAINERS)
    yield place.anchor(f"held = {made.format(key=mutant.name)}")
    yield replaced(mutant.draw.key, f"held{taken}")


def _attribute(place: Place, choice: random.Random) -> Iterator[Edit]:
    mutant = place.mutant
    if mutant.draw is not None and is_method(place, plain=True):
        yield place.anchor(f"self.held_{place.number} = {mutant.name}")
        yield replaced(mutant.draw.key, f"self.held_{place.number}")


def _reader(place: Place, choice: random.Random) -> Iterator[Edit]:
    """Hide the draw in a method that reads the key from its object."""
    mutant, draw = place.mutant, place.mutant.draw
    if draw is not None and is_method(place, plain=True) and is_whole(draw) and is_global(place, draw):
        text, names = helper(draw, f"drawn_{place.number}", ast.unparse(draw.call.func), f"self.held_{place.number}")
        yield _beside(mutant, text.replace("(", "(self, " if names else "(self", 1))
        yield place.anchor(f"self.held_{place.number} = {mutant.name}")
        yield replaced(draw.call, f"self.drawn_{place.number}({rest(draw)})")


def _beside(mutant: Mutant, text: str) -> Edit:
    """Return the edit that puts a method in front of that of a mutant."""
    indent = " " * mutant.function.col_offset
    return mutant.function.lineno, 0, 0, "".join(f"{indent}{line}\n" for line in text.splitlines()) + "\n"


def _helper(place: Place, choice: random.Random) -> Iterator[Edit]:
    mutant = place.mutant
    draw = choice.choice([each for each in (mutant.draw, mutant.first) if each])
    if is_whole(draw) and is_global(place, draw):
        name = f"drawn_{place.number}"
        yield place.above(helper(draw, name, ast.unparse(draw.call.func), None)[0])
        yield replaced(draw.call.func, name)


def _method(place: Place, choice: random.Random) -> Iterator[Edit]:
    mutant, draw = place.mutant, place.mutant.draw
    if draw is not None and is_method(place) and is_whole(draw) and is_global(place, draw):
        text, _ = helper(draw, f"drawn_{place.number}", ast.unparse(draw.call.func), None)
        yield _beside(mutant, text.replace("(", "(self, ", 1))
        yield replaced(draw.call.func, f"self.drawn_{place.number}")


def _file(place: Place, choice: random.Random) -> Iterator[Edit]:
    """Hide the draw in a function of another file: row 0 stands for that file."""
    mutant = place.mutant
    draw = choice.choice([each for each in (mutant.draw, mutant.first) if each])
    if is_whole(draw) and is_global(place, draw):
        name = f"drawn_{place.source.path.stem}_{place.number}"
        callee = place.source.names.called(draw.call.func)
        dot = "." if (place.source.path.parent / "__init__.py").exists() else ""
        yield 0, 0, 0, helper(draw, name, f"jax.random.{callee}", None)[0]
        yield place.above(f"from {dot}drawing_elsewhere import {name}")
        yield replaced(draw.call.func, name)


def _partial(place: Place, choice: random.Random) -> Iterator[Edit]:
    mutant, draw = place.mutant, place.mutant.draw
    if draw is not None and is_whole(draw) and draw.call.args and draw.call.args[0] is draw.key:
        yield place.above("import functools")
        yield place.anchor(f"held = functools.partial({ast.unparse(draw.call.func)}, {mutant.name})")
        yield replaced(draw.call, f"held({rest(draw)})")


def _closure(place: Place, choice: random.Random) -> Iterator[Edit]:
    mutant, draw = place.mutant, place.mutant.draw
    if draw is not None and is_whole(draw):
        text, names = helper(draw, "held", ast.unparse(draw.call.func), mutant.name)
        called = f"held({rest(draw)})"
        if mutant.first is None or choice.random() < 0.5:
            yield place.anchor(f"held = lambda {names}: {text.partition('return ')[2].strip()}")
        else:
            indent = " " * mutant.first.statement.col_offset
            row, column, _, _ = place.anchor("")
            yield row, column, column, text.replace("\n", f"\n{indent}")
        yield replaced(draw.call, called)


def _returned(place: Place, choice: random.Random) -> Iterator[Edit]:
    """Hide the first draw in a function that also returns the key."""
    mutant, first = place.mutant, place.mutant.first
    if mutant.draw is None or first is None or not is_whole(first) or not is_global(place, first):
        return
    statement = first.statement
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and statement.value is first.call:
        name = f"drawn_{place.number}"
        text, _ = helper(first, name, ast.unparse(first.call.func), None)
        yield place.above(f"{text.rstrip()}, key\n")
        target = ast.unparse(statement.targets[0])
        target = f"({target})" if isinstance(statement.targets[0], ast.Tuple) else target
        call = f"{name}({ast.unparse(first.call).partition('(')[2]}"
        yield statement.lineno, statement.col_offset, statement.end_col_offset or 0, f"{target}, held = {call}"
        yield replaced(mutant.draw.key, "held")


WAYS: dict[str, Callable[[Place, random.Random], Iterator[Edit]]] = {
    "record": _record,
    "container": _container,
    "attribute": _attribute,
    "reader": _reader,
    "helper": _helper,
    "method": _method,
    "file": _file,
    "partial": _partial,
    "closure": _closure,
    "returned": _returned,
}
"""Each way of hiding; one that does not fit a mutant yields nothing."""


def fits(edits: tuple[Edit, ...]) -> bool:
    """Return whether no two edits change the same text."""
    spans = sorted((row, start, end) for row, start, end, _ in edits)
    return all(a[0] != b[0] or a[2] <= b[1] for a, b in itertools.pairwise(spans))


def hidden(source: Source, mutant: Mutant, outer: ast.stmt, number: int, choice: random.Random) -> list[Mutant]:
    """Return a mutant in each way in which it can be hidden, the plain one first."""
    found = [mutant]
    if mutant.draw is None:
        return found
    place = Place(source, mutant, outer, number)
    for way, edits in WAYS.items():
        own = list(edits(place, choice))
        keeps = tuple(each for each in mutant.edits if each[:3] != replaced(mutant.draw.key, "")[:3])
        covers = any(each[:3] == replaced(mutant.draw.call, "")[:3] for each in own) if is_whole(mutant.draw) else False
        takes = any(each[:3] == replaced(mutant.draw.key, "")[:3] for each in own)
        base = Mutant(**{**vars(mutant), "edits": keeps if covers or takes else mutant.edits})
        made = with_way(base, way, own)
        if own and fits(made.edits):
            found.append(made)
    return found
