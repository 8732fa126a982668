"""Numbers for the data of a call that come from a literal seed: a mask or noise that is the same at each call."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.domain.knowledge import is_key_name
from olympus_rules.keyflow.domain.ledger import Certainty, Consumption
from olympus_rules.keyflow.domain.run import Run
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.judging.derivations import is_own_split
from olympus_rules.keyflow.judging.remade import is_literal_seed
from olympus_rules.keyflow.judging.reuse import is_test
from olympus_rules.keyflow.notes.generators import made_by

DERIVED = frozenset({"clone", "fold_in", "item", "slice", "split", "view"})
MASK = ".bernoulli"
MEANT = re.compile(
    r"arnoldi|constant|determin|dummy|eigen|fixed|hvp|jitter|jvp|krylov|lanczos|perturb|placeholder|power.iter|probe"
    r"|reproduc|same (key|noise|seed)|tangent",
    re.IGNORECASE,
)
"""Words of functions that want the same numbers at each call, as those that begin an iteration do."""


def constant_noise(file: File) -> Iterator[facts.ConstantKey]:
    """Return the keys of literal seeds from which functions draw for what they are given, as far as nothing says why.

    Many a function makes a constant key on purpose, for first parameters, probes or shapes. One whose numbers have the
    shape of an argument, or that is given a key and does not read it, is to have others at each call.
    """
    calls = {term: made_by(file, term) for term in file.constructed.values() if _is_literal(file, term)}
    if not calls or is_test(file):
        return
    for task, run in file.runs.items():
        if task[1] or not isinstance(run.code.node, ast.FunctionDef) or run.code.name.rpartition(".")[2] == "main":
            continue
        roots = [(use, root_of(run, use.term)) for use in run.ledger.consumptions]
        for use, root in roots:
            call = calls.get(root)
            if call is None or use.certainty != Certainty.KNOWN or not _is_within(call, run.code.node):
                continue
            is_default = any(one.node is use.node and other != root for one, other in roots)  # if no key is given
            if _is_for_data(file, run, use, is_default=is_default) and not MEANT.search(_said(file, run.code.node)):
                yield facts.ConstantKey(
                    node=call, confidence=Confidence.LIKELY, where="noise", owner=run.code.name, drawn=use.what
                )


def _is_literal(file: File, key: Term) -> bool:
    """Return whether a key is made of a literal seed."""
    terms = file.terms
    return terms.operation(key) == "seed" and is_literal_seed(terms, terms.args(key)[0])


def root_of(run: Run, term: Term) -> Term:
    """Return the key that a key is derived from."""
    while run.terms.operation(term) in DERIVED:
        term = run.terms.args(term)[0]
    return term


def _is_for_data(file: File, run: Run, use: Consumption, *, is_default: bool) -> bool:
    """Return whether a draw is for an argument of the function, or in place of one from a key that it ignores."""
    code, node = run.code, use.node
    if not isinstance(node, ast.Call) or use.draw == "fold" or is_own_split(file, use):
        return False
    given = set(code.parameters[code.owner is not None and code.kind != "staticmethod" :])
    if any(is_key_name(name) and name not in code.reads for name in given):
        return not use.what.rpartition(".")[2].lstrip("_").startswith("init")
    if use.sampler != use.what:
        return False
    if use.what.endswith(MASK):
        return any(_is_shape(each, given) for each in ast.walk(code.node))
    arguments = (*node.args, *(keyword.value for keyword in node.keywords))
    return not is_default and any(_is_shape(each, given) for each in arguments)


def _is_shape(expression: ast.AST, given: set[str]) -> bool:
    """Return whether an expression is the shape of an argument, or of a part of one."""
    if not isinstance(expression, ast.Attribute) or expression.attr != "shape":
        return False
    owner = expression.value
    while isinstance(owner, ast.Subscript):
        owner = owner.value
    return isinstance(owner, ast.Name) and owner.id in given


def _is_within(node: ast.Call, function: ast.FunctionDef) -> bool:
    return function.lineno <= node.lineno <= (function.end_lineno or 0)


def _said(file: File, function: ast.FunctionDef) -> str:
    """Return the docstring and the comments of a function."""
    lines = file.document.lines[function.lineno - 1 : function.end_lineno]
    return "\n".join([ast.get_docstring(function) or "", *(line.partition("#")[2] for line in lines)])
