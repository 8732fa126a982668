"""What is wrong with a key, as a reader gets to see it: both places with their source lines, and the right call."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from olympus.tracing.spans import Span

if TYPE_CHECKING:
    from olympus.lineage.events import Misuse, MisuseKind

TITLES: dict[MisuseKind, str] = {
    "reuse": "`{key}` is consumed twice",
    "collision": "`{key}` is one key that is derived in two ways",
    "indexing": "a part of a key's buffer is used as a key or a seed: {key}",
    "arithmetic": "a number computed from a key's words is used as a key or a seed: {key}",
    "transposition": "a key is put together from words in another order, or of several keys: {key}",
}
NOTES: dict[MisuseKind, tuple[str, str]] = {
    "reuse": ("consumed here by {name}", "consumed again here by {name}"),
    "collision": ("consumed here by {name}", "the same key, consumed here by {name}"),
    "indexing": ("taken out of the buffer here", "used here as a {name}"),
    "arithmetic": ("computed here", "used here as a {name}"),
    "transposition": ("put together here", "used here as a {name}"),
}
WORDS = {"wrap": "key"}  # what a reader does not know by the name that it has in JAX
REMEDIES: dict[MisuseKind, str] = {
    "reuse": "give each its own key: `first, second = jax.random.split(key)`; "
    "if both are to draw the same numbers, pass `jax.random.clone(key)` to one of them",
    "collision": "`split(key)[i]` and `fold_in(key, i)` are equal: derive all keys of a parent in one way",
    "indexing": "make new keys with `jax.random.split(key, n)`; `n` keys are mapped over with `jax.vmap`",
    "arithmetic": "make a new key from a key and a number with `jax.random.fold_in(key, number)`",
    "transposition": "the last axis of raw keys has the words of one key: map over another one, such as `in_axes=0`, "
    "or use typed keys, `jax.random.key(seed)`",
}


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One misuse of a key, ready to be shown.

    Attributes:
        kind: what is wrong; see :class:`olympus.lineage.Misuse`.
        key: the identity of the key, as a reader would write it.
        first: the place of the earlier consumption, or where words were taken out of a key; ``None`` if no user code
            was involved.
        second: the place of the later consumption.
        names: the functions that were called there, such as ``normal``.
        across_turns: whether it is one place in two iterations of a loop.
        call: where the compiled function was called that has the place, if it is one place in two calls.
    """

    kind: MisuseKind
    key: str
    first: Span | None
    second: Span | None
    names: tuple[str, str]
    across_turns: bool = False
    call: Span | None = None

    def __str__(self) -> str:
        """Return the text: a title, both places with their source lines underlined, and what to write instead."""
        title = f"{self.kind}: {TITLES[self.kind].format(key=self.key)}"
        if self.across_turns:
            title += ", in two iterations of a loop"
        names = [WORDS.get(name, name) for name in self.names]
        earlier, later = (note.format(name=name) for note, name in zip(NOTES[self.kind], names, strict=True))
        rows = [title]
        if self.first == self.second:
            rows += _place(self.second, f"{earlier}, and {'in the next iteration' if self.across_turns else 'again'}")
            rows += _place(self.call, "in another call from here") if self.call is not None else []
        else:
            rows += [*_place(self.first, earlier), *_place(self.second, later)]
        return "\n".join([*rows, f"help: {REMEDIES[self.kind]}"])


def _place(span: Span | None, note: str) -> list[str]:
    """Return the rows for one place: where it is, the source line, and the underline."""
    if span is None:
        return [f"  {note} (no user code)"]
    where = f"{span.file}:{span.line}" + (f":{span.column}" if span.column else "")
    rows = [f"  {where}: {note}"]
    text = linecache.getline(span.file, span.line).rstrip("\r\n")
    if not text.strip():
        return rows
    number = str(span.line)
    rows.append(f"    {number} | {text}")
    if span.column:
        end = span.end_column - 1 if span.end_line == span.line else len(text.rstrip())
        # Tabs stay tabs, so that the underline stands below what it means.
        before = "".join(character if character == "\t" else " " for character in text[: span.column - 1])
        rows.append(f"    {' ' * len(number)} | {before}{'^' * max(end - span.column + 1, 1)}")
    return rows


def of_misuse(misuse: Misuse, describe: Callable[[int], str], places: tuple[Span, Span] | None = None) -> Diagnosis:
    """Return the diagnosis of a misuse that a lineage has found.

    Args:
        misuse: the misuse.
        describe: gives an identity as a reader would write it, such as :meth:`olympus.lineage.Lineage.describe`.
        places: the two places, where the lineage does not know all calls around them.
    """
    events = misuse.first, misuse.second
    first, second = places or misuse.where or (event.chain[0] if event.chain else None for event in events)
    names = (misuse.first.name, misuse.second.name)
    return Diagnosis(misuse.kind, describe(misuse.key), first, second, names, misuse.across_turns)


def listing(diagnoses: Iterable[Diagnosis]) -> str:
    """Return the texts of several diagnoses, with an empty line between them."""
    return "\n\n".join(map(str, diagnoses))
