"""The expressions of all files of a migration that keys reach."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from olympus_lint.migration.migration import Migration
from olympus_rules.libraries.names import PRNG_KEY
from olympus_rules.reach.answers.callers import taken
from olympus_rules.reach.answers.evidence import places_in
from olympus_rules.reach.answers.project import reach

if TYPE_CHECKING:
    from olympus_rules.keyflow.domain.places import Places
    from olympus_rules.reach.answers.project import ProjectReach
    from olympus_rules.reach.reading.sites import Taken

NAME = PRNG_KEY.rpartition(".")[2]


def key_places(migration: Migration) -> dict[str, Places]:
    """Return the expressions that only keys reach, and those that they may reach, by file."""
    documents = migration.documents()
    is_portable = migration.target.style == "portable"
    if not (is_portable or any(NAME in each.text for each in documents.values())):
        return {}
    given = taken_by(migration)
    reached = reach(documents, None, migration.roots, migration.packs, given, with_words=is_portable)
    migration.is_cut_short = reached.slots.is_cut_short
    found = {} if reached.graph.failures else places_in(reached, documents)
    keep(migration, reached)
    return found


def keep(migration: Migration, reached: ProjectReach | None) -> None:
    """Keep an analysis for the plan, which takes it if no text changes, in place of another one."""
    if migration.reached is not None:
        migration.reached.graph.forget()
        migration.reached = None
        gc.collect()  # what is left of the graph is full of circles
    migration.reached = reached


def taken_by(migration: Migration) -> list[Taken]:
    """Return the parameters of named files to which callers pass keys; only a portable migration follows them."""
    if migration.target.style != "portable":
        return []
    named = {text.path for text in migration.named}
    every = taken(reach(migration.documents(), None, migration.roots, migration.packs))
    return [each for each in every if each.place.file in named]
