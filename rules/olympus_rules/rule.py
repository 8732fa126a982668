"""The base of a rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from olympus_rules.finding import Applicability, Finding, Related
from olympus_rules.keyflow.facts import Fact
from olympus_rules.syntax import Document


@dataclass(frozen=True, slots=True)
class Report:
    """A finding with the fact behind it, for the codemod that puts it right.

    Attributes:
        finding: the finding.
        fact: the fact.
        in_part: whether a comment suppresses the same mistake at another place, which a fix might change.
    """

    finding: Finding
    fact: Fact
    in_part: bool = False


class Rule:
    """One rule: what it is called, which facts it asks of the key flow, and what it says of them.

    A rule does not walk the file. It gets the facts, and asks the document for the LibCST tree around one where
    the spelling matters; the statement is parsed then and not before, as LibCST costs fourteen times the C parser.

    Attributes:
        code, name: the fixed identifiers of the rule.
        summary: one line for ``--list-rules``.
        default: whether the rule is on without configuration.
        fix: the applicability of its fix, ``None`` when there is none; a fix that is safe only at some places
            is listed as safe.
        facts: the fact types that it looks at; empty for rules that the engine itself reports.
        migrates: whether it flags what breaks, or is to be rewritten, when raw keys become typed keys.
        holds_back: whether a constructor of raw keys stays as long as its keys come to a place that it flags.
        events: what its mistake is called among the events of a traced or recorded program, the exact name first;
            empty for a rule whose findings get no verdict.
        has_two_places: whether its mistake is that one key comes to two places.
        is_executed: whether its findings get a verdict from the real function only, which has to reach the related
            place through theirs.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    summary: ClassVar[str]
    default: ClassVar[bool] = True
    fix: ClassVar[Applicability | None] = None
    facts: ClassVar[tuple[type[Fact], ...]] = ()
    migrates: ClassVar[bool] = False
    holds_back: ClassVar[bool] = True
    events: ClassVar[tuple[str, ...]] = ()
    has_two_places: ClassVar[bool] = False
    is_executed: ClassVar[bool] = False

    def check(self, fact: Any, document: Document) -> Finding | None:
        """Return the finding for one fact, ``None`` if there is nothing to say; a rule without facts is asked nothing.

        Args:
            fact: an instance of one of ``facts``.
            document: the file, for spans and text; ``document.fragment`` gives the LibCST tree around a node.
        """
        return None

    def matters_in_tests(self, fact: Any) -> bool:
        """Return whether a fact in a test may change what the test checks; the quiet preset shows no other ones."""
        return True

    def finding(
        self,
        fact: Fact,
        document: Document,
        message: str,
        related: tuple[Related, ...] = (),
        effect: str | None = None,
    ) -> Finding:
        """Build a finding of this rule at the fact's node."""
        return Finding(
            code=self.code,
            name=self.name,
            message=message,
            filename=document.filename,
            span=document.span(fact.node),
            confidence=fact.confidence,
            related=related,
            effect=effect,
        )
