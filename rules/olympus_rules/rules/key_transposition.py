"""OLY103: the buffer axis of keys and a batch axis are exchanged."""

from __future__ import annotations

from olympus_rules.finding import Applicability, Finding
from olympus_rules.keyflow.facts import KeyTransposition
from olympus_rules.rule import Rule
from olympus_rules.rules.wording import related, the_key
from olympus_rules.syntax import Document


class KeyTranspositionRule(Rule):
    """Mapping over, transposing or reshaping the buffer axis."""

    code = "OLY103"
    name = "key-transposition"
    summary = "Words of key buffers change places with the batch by mapping, transposing or reshaping"
    fix = Applicability.UNSAFE
    facts = (KeyTransposition,)
    migrates = True
    events = ("transposition",)

    def check(self, fact: KeyTransposition, document: Document) -> Finding:
        """Say which axis is taken for which."""
        keys = f"key array {the_key(fact)}" if fact.key else "a key array"
        axis = document.segment(fact.axis) if fact.axis is not None else ""
        places = (related(document, fact.axis, "the axis is given here"),) if fact.axis is not None else ()
        if fact.how == "in_axes":
            message = (
                f"`in_axes={axis}` maps over the words inside the keys of {keys}, so each lane gets parts of "
                f"several keys. Map over the keys: `in_axes=0`."
            )
        elif fact.how == "out_axes":
            message = (
                f"`out_axes={axis}` puts the batch behind the words of the keys, so the last axis no longer "
                f"holds keys. Count the axis from the front: `out_axes=1`."
            )
        else:
            message = (
                f"`{fact.how}` mixes the words of different keys in {keys}: the last axis of raw keys is "
                f"their buffer. Move only the axes before it, or use typed keys (`jax.random.key`)."
            )
        return self.finding(fact, document, message, places)
