"""The expressions of all files of a migration that keys reach."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from olympus_lint.migration.migration import Migration
from olympus_rules.libraries.names import PRNG_KEY
from olympus_rules.reach.callers import taken
from olympus_rules.reach.evidence import places_in
from olympus_rules.reach.project import reach

if TYPE_CHECKING:
    from olympus_rules.keyflow.domain.places import Places
    from olympus_rules.reach.sites import Taken

__all__ = ["NAME", "key_places", "taken_by"]

NAME = PRNG_KEY.rpartition(".")[2]
MOST_LINES = 60_000
"""The size of a project up to which the expressions are searched that only keys reach: it takes a second analysis."""


def key_places(migration: Migration) -> dict[str, Places]:
    """Return the expressions that only keys reach, and those that they may reach, by file."""
    documents = migration.documents()
    lines = sum(document.text.count("\n") for document in documents.values())
    is_portable = migration.target.style == "portable"
    migration.is_cut_short = lines > MOST_LINES
    if migration.is_cut_short or not (is_portable or any(NAME in each.text for each in documents.values())):
        return {}
    given = taken_by(migration)
    reached = reach(documents, None, migration.roots, migration.packs, given, with_words=is_portable)
    migration.is_cut_short = reached.slots.is_cut_short
    found = {} if reached.graph.failures else places_in(reached, documents)
    reached.graph.forget()
    del reached
    gc.collect()  # what is left of the graph is full of circles
    return found


def taken_by(migration: Migration) -> list[Taken]:
    """Return the parameters of named files to which callers pass keys; only a portable migration follows them."""
    if migration.target.style != "portable":
        return []
    named = {text.path for text in migration.named}
    every = taken(reach(migration.documents(), None, migration.roots, migration.packs))
    return [each for each in every if each.place.file in named]
