"""Run rules over a document: key flow first, LibCST only around the facts that a rule asks for."""

from __future__ import annotations

from collections.abc import Iterable

from olympus_rules.rule import Report, Rule, all_rules
from olympus_rules.syntax import Document

__all__ = ["RuleError", "check"]


class RuleError(Exception):
    """A rule, or the key flow (``rule`` is ``None``), failed on a file; ``__cause__`` is what it raised."""

    def __init__(self, rule: Rule | None) -> None:
        """Remember the rule."""
        super().__init__(f"internal error in {rule.code if rule else 'the key flow'}")
        self.rule = rule


def check(document: Document, rules: Iterable[Rule] | None = None) -> tuple[list[Report], list[RuleError]]:
    """Return what the given rules (all of them by default) report on a document, sorted by place.

    Neither suppressions nor a minimum confidence are applied here. A rule that raises loses its own reports on
    this file and nothing else; it is returned as an error.
    """
    from olympus_rules.keyflow.analysis import analyse  # loads the interpreter only where a file needs it

    try:
        facts = analyse(document)
    except Exception as error:
        failure = RuleError(None)
        failure.__cause__ = error
        return [], [failure]
    reports: list[Report] = []
    errors: list[RuleError] = []
    for rule in rules if rules is not None else all_rules().values():
        wanted = [fact for fact in facts if isinstance(fact, rule.facts)]
        try:
            for fact in wanted:
                fragment = document.fragment(fact.node)
                node = fragment.find(fact.node, document) if fragment else None
                reports += [Report(finding, fact) for finding in rule.check(fact, node, document)]
        except Exception as error:
            failure = RuleError(rule)
            failure.__cause__ = error
            errors.append(failure)
            reports = [report for report in reports if report.finding.code != rule.code]
    reports.sort(key=lambda report: report.finding.sort_key)
    return reports, errors
