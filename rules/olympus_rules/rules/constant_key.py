"""OLY107: a key is made from a literal seed where it will be made again."""

from __future__ import annotations

from dataclasses import replace

from olympus_rules.finding import Confidence, Finding
from olympus_rules.keyflow.facts import ConstantKey
from olympus_rules.rule import Rule
from olympus_rules.rules.wording import line, related
from olympus_rules.syntax import Document

OFTEN_MEANT = ("function-body", "same-seed")


class ConstantKeyRule(Rule):
    """Literal seeds in defaults, class fields and function bodies."""

    code = "OLY107"
    name = "constant-key"
    summary = "A key made from a literal seed is the same at every call or for every object"
    facts = (ConstantKey,)

    def check(self, fact: ConstantKey, document: Document) -> Finding:
        """Say who shares the key; where a constant is often meant, the confidence is ``possible`` at most."""
        owner = f"`{fact.owner}`" if fact.owner else ""
        match fact.where:
            case "default-argument":
                message = (
                    f"The default key of {owner or 'this parameter'} is one key for all calls, so callers "
                    f"that leave it out get the same numbers. Make the parameter required."
                )
            case "class-field":
                message = (
                    f"Field {owner or '`key`'} has one key for all objects that are not given another, so these get "
                    f"the same numbers. Pass a key when an object is made."
                )
            case "same-seed" if fact.first is not None:
                message = (
                    f"This seed already made a key on {line(document, fact.first)}, so the two keys are "
                    f"equal. Split one key, or use another seed."
                )
            case "noise":
                message = (
                    f"`{fact.drawn}` draws from the same key at every call of {owner}, so each call gets the same "
                    f"numbers. Take the key as a parameter."
                )
            case _:
                message = (
                    f"{owner or 'This function'} makes the same key at every call, so its numbers never "
                    f"change. Take the key as a parameter."
                )
        places = (related(document, fact.first, "the same seed"),) if fact.first is not None else ()
        finding = self.finding(fact, document, message, places)
        if fact.where in OFTEN_MEANT:
            finding = replace(finding, confidence=min(finding.confidence, Confidence.POSSIBLE))
        return finding
