"""The entry point of the key flow: the facts of one document."""

from __future__ import annotations

import sys
from collections.abc import Collection

from olympus_rules.keyflow.facts import Fact
from olympus_rules.keyflow.linking.project import Project
from olympus_rules.syntax import Document

RECURSION_LIMIT = 20_000  # a long chain of operators is a deep tree


def analyse(
    document: Document,
    asked: Collection[type[Fact]] | None = None,
    *,
    by_name: bool = True,
    project: Project | None = None,
) -> list[Fact]:
    """Return the facts of a document, each once, in the order of their places.

    Args:
        document: the parsed file.
        asked: the types of facts to return, all of them by default; others may be left out.
        by_name: whether to include facts about values that are keys by their name only.
        project: the settings, and the state kept about other files between calls.
    """
    project = project or Project()
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, RECURSION_LIMIT))
    try:
        found = project.analysis(document).run(asked, by_name=by_name)
        project.trim()
        return found
    except BaseException:
        project.reset()  # the analyses in progress are incomplete
        raise
    finally:
        sys.setrecursionlimit(limit)
