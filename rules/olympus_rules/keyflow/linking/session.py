"""What the analyses of a project's files share."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from olympus_rules.keyflow.domain.places import Places
from olympus_rules.keyflow.facts import Failed
from olympus_rules.keyflow.linking.answers import Answers
from olympus_rules.keyflow.linking.recursion import Stack
from olympus_rules.libraries import Libraries


@dataclass(slots=True)
class Session:
    """The settings of a project, and the state of its analysis.

    Attributes:
        roots: the names under which the JAX namespace may be imported.
        table: the effects of library functions on keys.
        answers: the known answers to questions about names in files.
        stack: the functions that are being interpreted, of all files.
        places: the expressions that only keys reach, by file, if the whole project was analysed.
        failures: what raised since the last file was done, in it or in files that it asked.
        further: the folders of other projects in which imports are looked for, too.
    """

    roots: tuple[str, ...]
    table: Libraries
    answers: Answers
    stack: Stack = field(default_factory=Stack)
    places: dict[str, Places] = field(default_factory=dict)
    failures: list[Failed] = field(default_factory=list)
    further: tuple[Path, ...] = ()
