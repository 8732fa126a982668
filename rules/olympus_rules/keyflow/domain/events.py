"""What happens in the interpretation of a function, besides the consumptions of keys."""

from __future__ import annotations

import ast
from collections.abc import Hashable
from dataclasses import dataclass, field

from olympus_rules.keyflow.domain.ledger import Derivation
from olympus_rules.keyflow.domain.paths import PathCondition
from olympus_rules.keyflow.domain.summary import Draw, Write
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Value


@dataclass(slots=True)
class Events:
    """The events of one interpretation, each list in the order of execution.

    Attributes:
        derivations: the calls of ``fold_in``.
        folded: the children that callees make by ``fold_in``, each with the number of the first such call.
        draws: the draws of known samplers.
        returns: the returned values, with conditions.
        writes: attributes and items written to objects that came from outside.
        forgotten: objects that an unknown callee may have changed, with the number of writes up to that call.
        handed: those of them that were passed to an unknown callee.
        named: objects whose attributes are written that the further keywords of the function name, with how often.
        asked: the tests that paths depend on.
        raised: the names of the exceptions that it raises, each with whether something was consumed before.
        unused: variables that are bound to a key and not read.
        compiled: the compiled functions that were called, by where each draws from hidden state.
        is_seeded: whether a ``with`` block gives a key to libraries, which draw from it and not from hidden state.
        displays: the expressions written in lists that hold one term more than once, by what the lists hold.
        repeated: the terms that a loop, or what maps a function, takes from such a list again, and where each is
            written.
        constructed: the objects of classes in reach that it makes, each with the call and its condition.
    """

    derivations: list[Derivation] = field(default_factory=list)
    folded: dict[Term, int] = field(default_factory=dict)
    draws: list[Draw] = field(default_factory=list)
    returns: list[tuple[PathCondition, Value]] = field(default_factory=list)
    writes: list[Write] = field(default_factory=list)
    forgotten: dict[Term, int] = field(default_factory=dict)
    handed: set[Term] = field(default_factory=set)
    named: dict[Term, int] = field(default_factory=dict)
    asked: set[Term] = field(default_factory=set)
    raised: dict[str, bool] = field(default_factory=dict)
    unused: dict[str, Term] = field(default_factory=dict)
    compiled: dict[ast.AST, Value] = field(default_factory=dict)
    is_seeded: bool = False
    displays: dict[Hashable, list[ast.expr]] = field(default_factory=dict)
    repeated: dict[Term, ast.expr] = field(default_factory=dict)
    constructed: dict[Term, tuple[ast.Call, PathCondition]] = field(default_factory=dict)
