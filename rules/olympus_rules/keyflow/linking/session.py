"""What the analyses of a project's files share."""

from __future__ import annotations

from dataclasses import dataclass, field

from olympus_rules.keyflow.domain.file import KeyedParameter
from olympus_rules.keyflow.linking.answers import Answers
from olympus_rules.keyflow.linking.recursion import Stack
from olympus_rules.signatures import SignatureTable

__all__ = ["Session"]


@dataclass(slots=True)
class Session:
    """The settings of a project, and what is under way in it.

    Attributes:
        roots: the names under which the JAX namespace may be imported.
        table: what library functions do with keys.
        answers: what is known of the names that files asked each other for.
        stack: the functions that are being interpreted, of all files.
        keyed: the parameters that get keys only, if the whole project was looked at.
    """

    roots: tuple[str, ...]
    table: SignatureTable
    answers: Answers
    stack: Stack = field(default_factory=Stack)
    keyed: set[KeyedParameter] = field(default_factory=set)
