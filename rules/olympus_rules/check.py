"""Run rules over a document: each gets the facts of the key flow that it asks for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from olympus_rules.finding import Confidence
from olympus_rules.rule import Report, Rule
from olympus_rules.rules import all_rules
from olympus_rules.syntax import Document

if TYPE_CHECKING:
    from olympus_rules.keyflow.facts import Unfinished
    from olympus_rules.keyflow.linking.project import Project


class RuleError(Exception):
    """A rule, or the key flow (``rule`` is ``None``), failed on a file; ``__cause__`` is what it raised.

    Attributes:
        rule: the rule.
        where: the part of the file on which the key flow failed; empty for all of it.
    """

    def __init__(self, rule: Rule | None, cause: Exception, where: str = "") -> None:
        """Remember what failed, and why."""
        super().__init__(f"internal error in {rule.code if rule else 'the key flow'}")
        self.rule, self.where = rule, where
        self.__cause__ = cause


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of a check.

    Attributes:
        reports: what the rules report, sorted by place.
        errors: one for each rule that raised: it loses its own reports on this file and nothing else; and one for
            each function on which the key flow did.
        unfinished: functions that were too much for the analysis; what it saw of them is reported.
    """

    reports: list[Report] = field(default_factory=list)
    errors: list[RuleError] = field(default_factory=list)
    unfinished: list[Unfinished] = field(default_factory=list)


def check(
    document: Document,
    rules: Iterable[Rule] | None = None,
    *,
    min_confidence: Confidence = Confidence.POSSIBLE,
    project: Project | None = None,
) -> Checked:
    """Run rules over a document; suppressions are not applied here.

    Args:
        document: the parsed file.
        rules: the rules to run, all of them by default.
        min_confidence: facts below it are not handed to rules; a rule may lower a confidence and never raises it.
        project: the settings, and what is known of other files from one call to the next.
    """
    from olympus_rules.keyflow.facts import Failed, Unfinished
    from olympus_rules.keyflow.linking.driver import analyse  # loads the interpreter only where a file needs it

    rules = list(all_rules().values() if rules is None else rules)
    asked = {kind for rule in rules for kind in rule.facts}
    try:
        by_name = min_confidence == Confidence.POSSIBLE
        seen = analyse(document, asked, by_name=by_name, project=project)
        facts = [fact for fact in seen if fact.confidence >= min_confidence]
    except Exception as error:
        return Checked(errors=[RuleError(None, error)])
    reports: list[Report] = []
    errors = [
        RuleError(None, fact.error, fact.where if fact.path == document.filename else f"{fact.where} of {fact.path}")
        for fact in facts
        if isinstance(fact, Failed)
    ]
    for rule in rules:
        wanted = [fact for fact in facts if type(fact) in rule.facts]
        try:
            found = ((rule.check(fact, document), fact) for fact in wanted)
            reports += [Report(finding, fact) for finding, fact in found if finding is not None]
        except Exception as error:
            errors.append(RuleError(rule, error))
            reports = [report for report in reports if report.finding.code != rule.code]
    reports.sort(key=lambda report: report.finding.sort_key)
    unfinished = [fact for fact in facts if isinstance(fact, Unfinished)]
    return Checked(reports, errors, unfinished)
