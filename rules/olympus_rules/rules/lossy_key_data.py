"""OLY111: a seed, or the data of ``fold_in``, loses what it was meant to tell apart."""

from __future__ import annotations

from olympus_rules.finding import Finding
from olympus_rules.keyflow.facts import LossyData
from olympus_rules.rule import Rule
from olympus_rules.syntax import Document

CHECKSUM = "Use a checksum, which is the same everywhere: `zlib.crc32(name.encode())`."


class LossyKeyData(Rule):
    """Whole numbers of 32 bits, and what does not fit them."""

    code = "OLY111"
    name = "lossy-key-data"
    summary = "A seed, or the data of `fold_in`, is cut off or differs from run to run"
    facts = (LossyData,)

    def check(self, fact: LossyData, document: Document) -> Finding:
        """Say what is lost, and what to give instead."""
        return self.finding(fact, document, message(fact))


def message(fact: LossyData) -> str:
    """Say what is lost, and what to give instead."""
    function = f"`{fact.function}`"
    if fact.how == "hash":
        return f"`hash` of text differs in each Python process, so no run gives these numbers again. {CHECKSUM}"
    if fact.how == "float":
        return f"{function} cuts off what follows the point, so close numbers give one key. Fold in a whole number."
    if fact.how == "narrow":
        return f"{function} gets a number of a few bits, so many names share one. {CHECKSUM}"
    if fact.how == "wide":
        return f"{function} takes 32 bits, and this number is wider: it is cut off, or an error. Use a smaller one."
    return f"{function} takes whole numbers from 0 on, and this one is negative. Use one that is not."
