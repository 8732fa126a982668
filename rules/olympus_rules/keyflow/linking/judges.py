"""All judges of one file; one that raises loses its own facts, and of one function alone where it can."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TypeVar

from olympus_rules.code.instructions import FunctionCode
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.facts import Fact, Failed
from olympus_rules.keyflow.judging.annotations import word_annotations
from olympus_rules.keyflow.judging.constant_noise import constant_noise
from olympus_rules.keyflow.judging.constructors import obstacles
from olympus_rules.keyflow.judging.default_keys import default_keys
from olympus_rules.keyflow.judging.implementations import implementations
from olympus_rules.keyflow.judging.kept_keys import kept_keys
from olympus_rules.keyflow.judging.references import references
from olympus_rules.keyflow.judging.reuse import reuses
from olympus_rules.keyflow.judging.settling import settle
from olympus_rules.keyflow.judging.stale_state import shown_by_callers, stale_state
from olympus_rules.keyflow.linking.failures import contained, place_of

T = TypeVar("T")


def judged(file: File, failures: list[Failed], asked: Collection[type[Fact]] | None) -> list[Fact]:
    """Return the facts of a file whose functions have been interpreted.

    Args:
        file: the file.
        failures: takes what a judge raises.
        asked: the types of facts that are wanted; others may be left out.
    """

    def judge(one: Callable[[], T], code: FunctionCode | None = None) -> T | None:
        where = "the judging of its facts" if code is None else place_of(code)
        return contained(file, failures, code or file.module, where, one)

    found = judge(lambda: default_keys(file, file.facts)) or list(file.facts)
    for run in [*file.runs.values()]:
        found += judge(lambda run=run: reuses(file, run), run.code) or ()  # type: ignore[misc]
    found = judge(lambda: list(shown_by_callers(found, stale_state(file)))) or found
    found += judge(lambda: kept_keys(file, found)) or ()
    found += judge(lambda: constant_noise(file)) or ()
    settled = judge(lambda: list(settle(file))) or []
    found += [fact for _, fact in settled]
    constructions = asked is None or facts.Construction in asked
    found += judge(lambda: references(file, obstacles(file, settled) if constructions else None)) or ()
    found += judge(lambda: word_annotations(file)) or ()
    found += judge(lambda: implementations(file)) or ()
    return found
