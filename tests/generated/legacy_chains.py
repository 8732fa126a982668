"""Projects of one short strand: each part of the tables alone, between a plain constructor and a plain use.

They show the smallest form of a failure, and cover what a random search finds late.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from .legacy import CARRIERS, HEAD, PLACES, PRODUCERS, STANDARD, WORDS, Legacy, LegacyWriter, Subject
from .legacy_parts import CONTAINERS, CONVERSIONS, OBJECTS, PARTNERS, SINKS, SOURCES, Part
from .legacy_uses import ARRAY_SINKS, USES

__all__ = ["chains", "project_of"]

STYLE = ("import jax", "jax.random.{}")
KEY = PRODUCERS[0]
KEYS = Part("", "array", "$v = $split($PRNGKey($n), $c)", "$v")
FIRST = {part.gives: part for part in reversed(OBJECTS)}
"""The first way to make each kind of container."""
SAVE = Part("mapping", "", "for name, value in $e.items():\n    out.append(np.asarray(value))")
SAVES = Part("leaves", "", "for leaf in $e:\n    out.append(np.asarray(leaf))")


def chains() -> Iterator[tuple[Part, ...]]:
    """Yield chains of parts that together hold each part in each of its kinds."""
    for part in [*PRODUCERS, *SOURCES]:
        yield (part,)
    for part in [*CARRIERS, *PARTNERS, *PLACES, *WORDS, *USES]:
        for kind in ["key", "array"] if part.takes == "any" else part.takes.split():
            yield (KEY if kind == "key" else KEYS), part
    for part in [*ARRAY_SINKS, *SINKS]:
        for kind in part.takes.split():
            if kind in FIRST:
                yield KEY, FIRST[kind], part
            elif kind in ("key", "array"):
                yield (KEY if kind == "key" else KEYS), part
    for part in OBJECTS:
        yield KEY, part, *saved(part.gives)
    for part in CONVERSIONS:
        for kind in part.takes.split():
            if kind in FIRST:
                gives = kind if part.gives == "any" else part.gives
                yield KEY, FIRST[kind], part, *(saved(gives) if gives in CONTAINERS else ())


def saved(kind: str) -> tuple[Part, ...]:
    """Return the parts that save all values of a container."""
    if kind in ("mapping", "leaves"):
        return (SAVE if kind == "mapping" else SAVES,)
    whole = next(part for part in CONVERSIONS if kind in part.takes.split() and part.gives in ("mapping", "leaves"))
    return whole, *saved(whole.gives)


def project_of(chain: tuple[Part, ...]) -> Legacy:
    """Return a project of one strand, in one file, without imports that nothing needs."""
    writer = LegacyWriter(Random("chain"), numeric=float(chain[-1] in ARRAY_SINKS), styles={"main.py": STYLE})
    lines, text = writer.part(chain[0], c="3")
    subject = Subject(text, chain[0].gives, "3")
    for part in chain[1:]:
        lines += writer.step(subject, [part])
        subject.kind = part.gives and subject.kind
    if subject.kind in ("key", "array"):
        sample = "jax.random.normal" if subject.kind == "key" else "jax.vmap(jax.random.normal)"
        lines.append(f"out.append({sample}({subject.text}))")
    strand = "\n".join(["out = []", "out.append('strand 0')", *lines])
    body = "\n\n\n".join([*writer.definitions.get("main.py", []), strand])
    imports = [line for line in (*STANDARD, STYLE[0], *HEAD.splitlines()) if is_needed(line, body)]
    return Legacy({"main.py": "\n".join([*imports, "", "", body, ""])}, titles=(chain[-1].body,), parts=chain)


def is_needed(line: str, body: str) -> bool:
    """Say whether a text mentions a name of an import."""
    names = line.split(" import ")[-1].rpartition(" as ")[-1].removeprefix("import ").split(", ")
    return any(re.search(rf"\b{name}\b", body) for name in names if name)
