"""OLY301: an object with ``__jax_array__``, of a class that is no pytree, crosses a transformation."""

from __future__ import annotations

from olympus_rules.finding import Applicability, Finding
from olympus_rules.keyflow.facts import ArrayAtTransform
from olympus_rules.rule import Rule
from olympus_rules.rules.wording import object_of, related
from olympus_rules.syntax import Document

CROSSES = {
    "argument": "{it} is an argument across `{function}`",
    "parameter": "parameter {it} takes an object of class `{class_}` across `{function}`",
    "carry": "{it} is the initial carry of `{function}`",
    "input": "{it} is what `{function}` goes over",
    "operand": "{it} is an operand of `{function}`",
    "result": "{it} is returned across `{function}`",
}


class JaxArrayAtTransform(Rule):
    """Arguments, results, carries and operands of transformations."""

    code = "OLY301"
    name = "jax-array-at-transform"
    summary = "An object with `__jax_array__` that is no pytree crosses `jit`, `vmap`, `grad`, `scan` or the like"
    fix = Applicability.UNSAFE
    facts = (ArrayAtTransform,)

    def check(self, fact: ArrayAtTransform, document: Document) -> Finding:
        """Name the object, the transformation and the two remedies."""
        subject = f"`{fact.key}`" if fact.role == "parameter" else object_of(fact)
        crosses = CROSSES[fact.role].format(it=subject, function=fact.function, class_=fact.class_name)
        where = f" ({fact.place})" if fact.place and fact.role == "parameter" else ""
        remedy = "Convert it with `jnp.asarray`, or register" if fact.subject is not None else "Register"
        message = (
            f"{crosses[0].upper()}{crosses[1:]}, which does not call `__jax_array__`. {remedy} class "
            f"`{fact.class_name}`{where} as a pytree."
        )
        places = () if fact.definition is None else (related(document, fact.definition, "the class"),)
        return self.finding(fact, document, message, places)
