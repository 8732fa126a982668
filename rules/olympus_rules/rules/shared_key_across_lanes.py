"""OLY105: every lane of a map draws from the same key."""

from __future__ import annotations

from olympus_rules.finding import Applicability, Finding
from olympus_rules.keyflow.facts import SharedKey
from olympus_rules.rule import Rule
from olympus_rules.rules.wording import line, related, the_key, written_in
from olympus_rules.syntax import Document

LOOPS = ("fori_loop", "map", "scan", "while_loop")


class SharedKeyAcrossLanes(Rule):
    """A key that is not mapped over, and from which the mapped function draws."""

    code = "OLY105"
    name = "shared-key-across-lanes"
    summary = "Every lane of a mapped function draws from the same key"
    fix = Applicability.UNSAFE
    facts = (SharedKey,)
    is_executed = True

    def check(self, fact: SharedKey, document: Document) -> Finding:
        """Name the key, the draw and the right form."""
        name = fact.key if fact.key.replace(".", "").isidentifier() and not fact.batch else "key"
        if fact.transform == "shard_map":
            advice = "Fold the lane's number in (`jax.lax.axis_index`), or shard keys along the mapped axis."
        else:
            advice = (
                f"Map over keys, `{written_in(document, fact.draw.node)}({name}, n)`, or fold something of the lane in."
            )
        why = "which is one key over and over" if fact.copies else "which is not mapped over"
        inside = fact.draw.node is not fact.node
        where = f" on {line(document, fact.draw.node)}" if inside else ""
        source = fact.hidden or f"{the_key(fact, 'one key')}, {why}. {advice}"
        lane = "call" if fact.transform == "jit" else "step" if fact.transform in LOOPS else "lane"
        draw = f"`{fact.draw.what}`{where} draws from {source}"
        message = f"Every {lane} of this `{fact.transform}` gets the same numbers: {draw}"
        places = (related(document, fact.draw.node, f"drawn here, alike in all {lane}s"),) if inside else ()
        return self.finding(fact, document, message, places)
