"""The result of one interpretation of a function, which summaries and judging read."""

from __future__ import annotations

from dataclasses import dataclass

from olympus_rules.code.instructions import FunctionCode
from olympus_rules.keyflow.domain.decisions import Decisions
from olympus_rules.keyflow.domain.environment import Environment
from olympus_rules.keyflow.domain.events import Events
from olympus_rules.keyflow.domain.knowledge import Knowledge
from olympus_rules.keyflow.domain.ledger import Ledger
from olympus_rules.keyflow.domain.paths import PathCondition
from olympus_rules.keyflow.domain.terms import Terms
from olympus_rules.keyflow.domain.values import Value


@dataclass(frozen=True, slots=True)
class Run:
    """The results of one interpretation of a function.

    Attributes:
        code: the function.
        terms, knowledge, decisions: the tables of its file, which its terms and conditions refer to.
        path: the condition at its end.
        env: the variables at the end, by name; attributes and items of objects by (term, name).
        ledger: the consumptions, in the order of execution.
        events: what else has happened.
        returned: the value that the function returns.
        returning: the decisions that hold on each path that does not end in an exception; ``None`` if there is none.
    """

    code: FunctionCode
    terms: Terms
    knowledge: Knowledge
    decisions: Decisions
    path: PathCondition
    env: Environment
    ledger: Ledger
    events: Events
    returned: Value
    returning: PathCondition | None
