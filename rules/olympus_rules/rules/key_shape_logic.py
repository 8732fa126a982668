"""OLY202: logic on a key's shape counts the buffer axis."""

from __future__ import annotations

from olympus_rules.finding import Applicability, Finding
from olympus_rules.keyflow.facts import ShapeLogic
from olympus_rules.rule import Rule
from olympus_rules.syntax import Document

ADVICE = {
    "reshape": "End the shape with that of one key, `*{one}`, or split into it: `jax.random.split(key, (a, b))`.",
    "broadcast": "End the shape with that of one key: `*{one}`.",
    "tile": "End the repetitions with as many ones as one key has axes: `*(1,) * len({one})`.",
    "axis": "Count the axis from the front, which is the same for raw and typed keys.",
    "permutation": "Name the axes of one key by their number: `*range({rank}, {key}.ndim)`.",
    "words": "Work on the words by name: `jax.random.key_data`.",
    "vstack": "Use `stack`, or `concatenate` for arrays of keys.",
    "rows": "Use `stack`, or `concatenate` for arrays of keys.",
    "dynamic-slice": "Take as many starts and sizes as there are axes: `*(0,) * len({one})`, `*{one}`.",
    "mask": "Widen the mask by as many axes as one key has: `len({one})`.",
    "spec": "Leave out the last entry: an axis that a spec does not name is not sharded.",
    "signature": "The signature of a typed key is `()`: choose it by `{key}.dtype`.",
    "index": "Leave out the last slice: axes that an index does not name are taken whole.",
    "word-shape": "Take the axes of one key from the front: `{one}`.",
}
THROUGH_KEY_DATA = "Ask `jax.random.key_data({key})`, which is the same for raw and typed keys."


class KeyShapeLogic(Rule):
    """Shape, rank, length and layout of raw keys."""

    code = "OLY202"
    name = "key-shape-logic"
    summary = "Logic on a key's shape, rank, length or layout counts the buffer axis"
    fix = Applicability.SAFE
    facts = (ShapeLogic,)
    migrates = True

    def check(self, fact: ShapeLogic, document: Document) -> Finding:
        """Quote the expression and its portable form."""
        key = fact.key or " ".join(document.segment(fact.subject).split())
        code = " ".join(document.segment(fact.node).split())
        one = f"{key}.shape[{fact.rank}:]" if fact.rank else f"{key}.shape"
        advice = ADVICE.get(fact.form, THROUGH_KEY_DATA).format(key=key, one=one, rank=fact.rank)
        opening = f"`{code}` counts the buffer axis of key `{key}`, which a typed key does not have."
        return self.finding(fact, document, f"{opening} {advice}")
