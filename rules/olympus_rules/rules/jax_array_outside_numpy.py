"""OLY302: an object with ``__jax_array__`` is passed to a function that requires an array, or is an index."""

from __future__ import annotations

from olympus_rules.finding import Applicability, Finding
from olympus_rules.keyflow.facts import ArrayOutsideNumpy
from olympus_rules.rule import Rule
from olympus_rules.rules.wording import object_of
from olympus_rules.syntax import Document

LONG = 40  # a longer expression is not repeated in a message


class JaxArrayOutsideNumpy(Rule):
    """Arguments of ``jax.lax`` and ``jax.random``, and indices."""

    code = "OLY302"
    name = "jax-array-outside-numpy"
    summary = "An object with `__jax_array__` is given to `jax.lax` or `jax.random`, or is an index"
    fix = Applicability.SAFE
    facts = (ArrayOutsideNumpy,)

    def check(self, fact: ArrayOutsideNumpy, document: Document) -> Finding:
        """Name the object, the function that does not convert it, and the conversion."""
        subject = object_of(fact)
        written = "" if fact.subject is None else document.segment(fact.subject)
        if not written or len(written) > LONG or "\n" in written:
            written = fact.key or "x"
        wants = {
            "key": f"is the key of `{fact.function}`, which takes keys only",
            "index": "is an index, where JAX does not call `__jax_array__`",
        }.get(fact.role, f"is given to `{fact.function}`, which does not call `__jax_array__`")
        return self.finding(
            fact,
            document,
            f"{subject[0].upper()}{subject[1:]} {wants}. Convert it: `jnp.asarray({written})`.",
        )
