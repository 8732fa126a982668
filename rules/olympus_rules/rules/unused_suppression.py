"""OLY901: a suppression comment hides nothing, or cannot be parsed. The program that reads comments reports it."""

from __future__ import annotations

from olympus_rules.finding import Applicability
from olympus_rules.rule import Rule


class UnusedSuppression(Rule):
    """A suppression without a finding; it asks nothing of the key flow."""

    code = "OLY901"
    name = "unused-suppression"
    summary = "A suppression comment hides nothing or cannot be read"
    fix = Applicability.SAFE
