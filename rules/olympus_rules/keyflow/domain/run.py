"""The result of one interpretation of a function, which summaries and judging read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from olympus_rules.code.instructions import FunctionCode
from olympus_rules.keyflow.domain.decisions import Decisions
from olympus_rules.keyflow.domain.environment import Environment
from olympus_rules.keyflow.domain.knowledge import Knowledge
from olympus_rules.keyflow.domain.ledger import Derivation, Ledger
from olympus_rules.keyflow.domain.paths import PathCondition
from olympus_rules.keyflow.domain.summary import Draw, Write
from olympus_rules.keyflow.domain.terms import Term, Terms
from olympus_rules.keyflow.domain.values import Value

__all__ = ["Run"]


@dataclass(frozen=True, slots=True)
class Run:
    """The results of one interpretation of a function.

    Attributes:
        code: the function.
        terms, knowledge, decisions: the tables of its file, which its terms and conditions refer to.
        path: the condition at its end.
        env: the variables at the end, by name; attributes and items of objects by (term, name).
        ledger: the consumptions, in the order of execution.
        derivations: the calls of ``fold_in``.
        draws: the draws of known samplers.
        returned: the value that the function returns.
        returns: the values of its ``return`` statements, with conditions.
        returning: the decisions that hold on each path that does not end in an exception; ``None`` if there is none.
        writes: attributes and items written to objects from outside, in order.
        forgotten: objects that an unknown callee may have changed, with the number of writes before that call.
        handed: those of them that were passed to an unknown callee.
        asked: the tests that paths depend on.
        unused: variables that are bound to a key and never read.
    """

    code: FunctionCode
    terms: Terms
    knowledge: Knowledge
    decisions: Decisions
    path: PathCondition
    env: Environment
    ledger: Ledger
    derivations: Sequence[Derivation]
    draws: Sequence[Draw]
    returned: Value
    returns: Sequence[tuple[PathCondition, Value]]
    returning: PathCondition | None
    writes: Sequence[Write]
    forgotten: Mapping[Term, int]
    handed: frozenset[Term]
    asked: frozenset[Term]
    unused: Mapping[str, Term]
