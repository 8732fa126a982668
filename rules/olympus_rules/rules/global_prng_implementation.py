"""OLY205: the generator is chosen for the whole program instead of for each key."""

from __future__ import annotations

from olympus_rules.finding import Finding
from olympus_rules.keyflow.facts import GlobalImplementation
from olympus_rules.rule import Rule
from olympus_rules.rules.wording import line, related
from olympus_rules.syntax import Document


class GlobalPrngImplementation(Rule):
    """Settings that choose the generator of all keys, and raw keys used under another generator than their own."""

    code = "OLY205"
    name = "global-prng-implementation"
    summary = "The generator of random numbers is chosen for the whole program, or is not that of a raw key"
    facts = (GlobalImplementation,)
    migrates = True
    holds_back = False

    def check(self, fact: GlobalImplementation, document: Document) -> Finding:
        """Say what the setting does to other code, and what to write."""
        if fact.form == "default":
            message = (
                f"`{fact.setting}` chooses the generator of every key in the program, those of libraries included, "
                f"and raw keys made before or elsewhere no longer fit. Choose it where a key is made: "
                f"`jax.random.key(seed, impl=...)`."
            )
        elif fact.form == "custom":
            message = (
                f"`{fact.setting}` makes `PRNGKey` return typed keys in the whole program, libraries included. It is "
                f"for a dry run. Make typed keys with `jax.random.key`."
            )
        else:
            assert fact.used is not None
            message = (
                f"A raw key does not say that it is one of `{fact.setting}`: `{fact.used.what}` on "
                f"{line(document, fact.used.node)} takes it for a key of the default generator. Make a typed key: "
                f'`jax.random.key(seed, impl="{fact.setting}")`.'
            )
        others = (related(document, fact.used.node, "used here"),) if fact.used is not None else ()
        return self.finding(fact, document, message, others)
