"""OLY207: raw keys made without ``jax.random``."""

from __future__ import annotations

from olympus_rules.finding import Applicability, Finding
from olympus_rules.keyflow.facts import RawKeyLiteral
from olympus_rules.rule import Rule
from olympus_rules.syntax import Document


class RawKeyLiteralRule(Rule):
    """Words of keys as literals, buffers and abstract arrays."""

    code = "OLY207"
    name = "raw-key-literal"
    summary = "Raw keys are written down as words, or as a `uint32` array that is to hold keys"
    fix = Applicability.SAFE
    facts = (RawKeyLiteral,)
    migrates = True

    def check(self, fact: RawKeyLiteral, document: Document) -> Finding:
        """Say what the array is for, and how to make it of keys."""
        code = " ".join(document.segment(fact.node).split())
        match fact.form:
            case "words":
                message = f"`{code}` writes down the words of a raw key. Make the key with `jax.random.key`."
            case "abstract":
                message = (
                    f"`{code}` stands for a raw key; a typed key has another shape and dtype. "
                    f"Take those of a real key: `jax.eval_shape(lambda: jax.random.key(0))`."
                )
            case _ if fact.in_place:
                message = (
                    f"`{code}` is filled with raw keys, which typed keys cannot be assigned to. "
                    f"Collect the keys in a list, and stack them."
                )
            case _:
                key = fact.like or "key"
                message = (
                    f"`{code}` is a buffer for raw keys, which cannot hold typed ones. "
                    f"Take shape and dtype from a key: `jnp.zeros((…, *{key}.shape), {key}.dtype)`."
                )
        return self.finding(fact, document, message)
