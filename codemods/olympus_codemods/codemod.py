"""The base of a codemod."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

from olympus_codemods.target import Target
from olympus_rules.finding import Applicability, Edit, Fix
from olympus_rules.syntax import Document


class Codemod(ABC):
    """The fixes of one rule's findings.

    Attributes:
        code: the code of the rule.
    """

    code: ClassVar[str]

    @abstractmethod
    def fix(self, fact: Any, document: Document) -> Fix | None:
        """Return the edits that correct a fact, ``None`` if there is no correct rewrite.

        Args:
            fact: an instance of one of the rule's fact types.
            document: the file that the fact is about.
        """

    def fix_together(self, facts: Sequence[Any], document: Document) -> Fix | None:
        """Return the edits that correct all facts of one finding at once, ``None`` if only one at a time is corrected.

        Args:
            facts: those that are told together, the surest first.
            document: the file that they are about.
        """
        return None

    def is_whole(self, fix: Fix, facts: Sequence[Any], document: Document) -> bool:
        """Return whether a fix of one or more facts of a finding leaves none of them.

        Args:
            fix: the fix.
            facts: those that are told together.
            document: the file that they are about.
        """
        return True

    def migrate(self, fact: Any, document: Document, target: Target) -> Fix | None:
        """Return the edits that make a place ready for typed keys; they keep all numbers, as safe fixes do.

        If the fix of a mistake changes the random stream, the mistake stays, in a form that does the same with typed
        keys: ``key[0]`` becomes ``key_data(key)[0]``.

        Args:
            fact: as for :meth:`fix`.
            document: the file that the fact is about.
            target: the keys and releases that the code has to work with afterwards.
        """
        fix = self.fix(fact, document)
        return fix if fix is not None and fix.applicability is Applicability.SAFE else None


def fix_of(applicability: Applicability, message: str, *edits: Edit | None, shows_keys: bool = False) -> Fix | None:
    """Join edits to a fix; ``None`` if one of them could not be made."""
    made = tuple(edit for edit in edits if edit is not None)
    if not made or len(made) < len(edits):
        return None
    return Fix(applicability, message, tuple(sorted(made, key=lambda edit: edit.span)), shows_keys=shows_keys)


def told_fix(message: str, code: Sequence[str], *edits: Edit | None) -> Fix | None:
    """Return an unsafe fix which the finding's message describes, too, with code that it writes."""
    fix = fix_of(Applicability.UNSAFE, message, *edits)
    written = f": {' and '.join(f'`{line}`' for line in code)}" if code else ""
    return fix if fix is None else replace(fix, advice=f"{message}{written}.")
