"""Misuses of keys, each as one sentence with its place."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from olympus.graphs.labels import Namer
from olympus.trials.modules import shown

if TYPE_CHECKING:
    from olympus.commands.target import Followed
    from olympus.lineage import Failure, Lineage, Misuse
    from olympus.tracing.spans import Span

ADVICE = {
    "indexing": "use split or fold_in to make keys",
    "arithmetic": "use split or fold_in to make keys",
    "transposition": "leave the axis of words the last one, or use typed keys",
    "collision": "use either split or fold_in on one key",
    "reuse": "split it, and give each its own key",
}
TORN = {
    "indexing": "words that were taken out of",
    "arithmetic": "numbers that were computed from",
    "transposition": "words that were moved inside",
}


def report(followed: Followed, stream: TextIO | None = None) -> int:
    """Print what is wrong, and what was not followed.

    Args:
        followed: the result.
        stream: where the findings go: standard output by default. Notes go to standard error.

    Returns:
        The exit status: 1 if something is wrong.
    """
    lines = findings(followed)
    for line in lines:
        print(line, file=stream or sys.stdout)
    lineage = followed.lineage
    if lineage is not None:
        unknown = sorted({event.equation.primitive for event in lineage.unmodelled})
        if unknown:
            print(f"note: what these do with keys is not known: {', '.join(unknown)}", file=sys.stderr)
        if not lineage.complete:
            print(f"note: {followed.function} is too long: its end was not followed", file=sys.stderr)
    return 1 if lines else 0


def findings(followed: Followed) -> list[str]:
    """Return a sentence for each misuse."""
    if followed.failure is not None:
        return [_of_failure(followed.failure)]
    lineage = followed.lineage
    return [_of_misuse(lineage, misuse) for misuse in lineage.misuses] if lineage else []


def _of_failure(failed: Failure) -> str:
    where = f"{place(failed.chain[0])}: " if failed.chain else ""
    return f"{where}misuse of a typed key ({failed.kind}): {failed.error}: {failed.text}"


def _of_misuse(lineage: Lineage, misuse: Misuse) -> str:
    first, second = misuse.where or (None, None)
    start = f"{place(second)}: {misuse.kind}: " if second else f"{misuse.kind}: "
    return f"{start}{_sentence(lineage, misuse, first, second)}; {ADVICE[misuse.kind]}"


def _sentence(lineage: Lineage, misuse: Misuse, first: Span | None, second: Span | None) -> str:
    keys = [misuse.key]
    if not lineage.identities.is_key(misuse.key) or lineage.identities[misuse.key].operation == "mangled":
        keys = sorted(lineage.identities.keys_of(misuse.key))
    names = Namer(lineage, {})
    key = " and ".join(dict.fromkeys(names.label([each], depth=8, longest=80) for each in keys)) or "a key"
    there = "here" if first is None or first == second else f"at {place(first)}"
    if misuse.kind == "collision":
        return f"{key} is the same key as the one that {misuse.first.name} consumes {there}"
    if misuse.kind in TORN:
        return f"a key is made here of {TORN[misuse.kind]} {key} {there}"
    if first == second:
        often = "in each iteration of a loop" if misuse.across_turns else "more than once"
        return f"{misuse.second.name} consumes {key} {often}"
    return f"{misuse.second.name} consumes {key}, which {misuse.first.name} consumes {there}"


def place(span: Span) -> str:
    """Return where a span begins, as ``file:line:column``."""
    file = shown(Path(span.file))
    return f"{file}:{span.line}:{span.column}" if span.column else f"{file}:{span.line}"
