"""OLY204: names that are no type of a key are used as one, and removed helpers of JAX are used."""

from __future__ import annotations

from olympus_rules.finding import Applicability, Finding
from olympus_rules.keyflow.facts import Reference
from olympus_rules.rule import Rule
from olympus_rules.syntax import Document

REASONS = {
    "PRNGKey": "is a function and not a type",
    "key": "is a function and not a type",
    "KeyArray": "was removed from JAX",
    "PRNGKeyArray": "was removed from JAX",
    "PRNGKeyArrayImpl": "is private to JAX",
    "prng_key": "is the type of a dtype and not of a key",
}
HELPERS = {
    "rbg_key": '`jax.random.key(seed, impl="rbg")`',
    "unsafe_rbg_key": '`jax.random.key(seed, impl="unsafe_rbg")`',
    "threefry2x32_key": '`jax.random.key(seed, impl="threefry2x32")`',
    "threefry_prng_key": '`jax.random.key(seed, impl="threefry2x32")`',
    "unsafe_raw_array": "`jax.random.key_data(key)`",
}


class KeyAnnotation(Rule):
    """Annotations, ``isinstance`` tests and removed helpers."""

    code = "OLY204"
    name = "key-annotation"
    summary = "A name that is not the type of a key, or that JAX removed, is used as one"
    fix = Applicability.SAFE
    facts = (Reference,)
    migrates = True
    holds_back = False

    def check(self, fact: Reference, document: Document) -> Finding | None:
        """Say why the name is wrong there and what to write."""
        name = fact.qualified.rpartition(".")[2]
        known = "was removed from JAX" if name in HELPERS else REASONS.get(name, "is not a type")
        reason = "is private to JAX" if "._" in fact.qualified else known
        as_a_type = fact.context in ("annotation", "string-annotation", "isinstance", "alias")
        if fact.context == "import":
            message = f"`{name}` is imported, not used, and {reason}. Remove the import."
        elif fact.context == "words":
            named = f"`{fact.key}` is" if fact.key else "the result is"
            code = " ".join(document.segment(fact.node).split())
            message = (
                f"`{code}` describes the words of a raw key, and {named} a key: a typed one has no axis of words and "
                f"another dtype. Use `PRNGKeyArray` or `Key[Array, …]` of jaxtyping."
            )
        elif name in HELPERS:
            message = f"`{name}` {reason}. Use {HELPERS[name]}."
        elif name == "PRNGKey" and not as_a_type:
            return None  # a constructor, which OLY201 reports
        elif name == "prng_key" and fact.context != "annotation" and fact.context != "string-annotation":
            return None  # `issubdtype(…, prng_key)` is what it is for
        elif fact.context == "isinstance":
            message = (
                f"`{name}` {reason}, so `isinstance` cannot test for it. Ask "
                f"`jnp.issubdtype(key.dtype, jax.dtypes.prng_key)`."
            )
        else:
            message = f"`{name}` {reason}. The type of a key is `jax.Array`."
        return self.finding(fact, document, message)
