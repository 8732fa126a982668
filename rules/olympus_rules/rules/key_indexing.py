"""OLY101: words are read out of a key's buffer."""

from __future__ import annotations

import ast

from olympus_rules.finding import Applicability, Finding
from olympus_rules.keyflow.facts import KeyIndexing
from olympus_rules.rule import Rule
from olympus_rules.rules.wording import the_key, written_in
from olympus_rules.syntax import Document

ADVICE = {
    "seed": "a seed made from it gives a key that equals another one. Split the key: "
    "`{key}, new_key = {split}({key})`.",
    "foreign-seed": "one word is half of the key, and often 0. Draw a seed with `jax.random.bits`, or read it with "
    "`jax.random.key_data({key})`.",
    "value": "a typed key has no words to index. Read them with `jax.random.key_data({key})`.",
    "unpack": "its words are not keys. Split it: `a, b = {split}({key})`.",
    "unknown": "a typed key has no words to index. Use `{split}` for new keys and `jax.random.key_data` for the words.",
}


class KeyIndexingRule(Rule):
    """Indexing or unpacking one key."""

    code = "OLY101"
    name = "key-indexing"
    summary = "Words are read out of a key's buffer by index or unpacking"
    fix = Applicability.SAFE
    facts = (KeyIndexing,)
    migrates = True
    events = ("indexing",)

    def check(self, fact: KeyIndexing, document: Document) -> Finding:
        """Say what the word is used for and what to do instead."""
        what = (
            "is unpacked into the words of its buffer"
            if fact.use == "unpack"
            else "is indexed down to the words of its buffer"
        )
        subject = the_key(fact, "this key array" if fact.batch else "this key")
        advice = mixed(fact) or ADVICE.get(fact.use, ADVICE["unknown"]).format(
            key=fact.key or "key", split=written_in(document, fact.node)
        )
        kind = "Key array" if fact.batch else "Key"
        opening = f"{kind} {subject}" if fact.key else subject.capitalize()
        return self.finding(fact, document, f"{opening} {what}: {advice}")


def mixed(fact: KeyIndexing) -> str:
    """Return the advice for ``keys[..., 0]`` of keys split in lanes, where ``keys[:, 0]`` was meant."""
    match fact.node:
        case ast.Subscript(slice=ast.Tuple(elts=[ast.Constant(value=value), ast.Constant(value=int(number))])) if (
            value is ... and fact.use == "unknown" and fact.rank is not None and fact.rank > 1
        ):
            index = ", ".join([":"] * (fact.rank - 1) + [str(number)])
            key = fact.key or "key"
            return (
                f"`{key}[..., {number}]` has word {number} of each key, so that what looks like a key mixes words of "
                f"two. Take the keys themselves with `{key}[{index}]`."
            )
    return ""
