"""How surely two equal keys are a mistake, if each of them was made from the same seed.

Who writes a seed twice often means it: two trainings to be compared, a key for code that wants one and draws nothing, a
function that is to give the same whenever it is called. What is never meant is that two draws of one computation share
their bits.
"""

from __future__ import annotations

import ast
import os
from pathlib import Path

from olympus_rules.finding import Confidence, Span
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.domain.ledger import UNKNOWN_DRAW, Consumption
from olympus_rules.keyflow.domain.run import Run
from olympus_rules.keyflow.domain.terms import Term, Terms
from olympus_rules.keyflow.notes.generators import made_by
from olympus_rules.syntax.project import module_file


def shared_seed(terms: Terms, first: Term, again: Term) -> Term:
    """Return the seed that two keys are made from, a variable if it may be one."""
    one, two = _seeds(terms, first), _seeds(terms, again)
    return min(
        (seed for seed in one if seed in two),
        key=lambda seed: (is_literal_seed(terms, seed), not spelled_seed(terms, seed)),
    )


def _seeds(terms: Terms, key: Term) -> list[Term]:
    """Return the values that the seed of a key may have."""
    return [seed for _, seed in terms.arms(terms.args(terms.seed_of(key))[0])]


def _are_missing(terms: Terms, first: Term, again: Term) -> bool:
    """Return whether two keys have a literal seed only if two values are both missing, in whose place it stands.

    Parameters may well be left out together.
    """
    one, two = ({seed for seed in _seeds(terms, key) if not is_literal_seed(terms, seed)} for key in (first, again))
    is_left_out = all(terms.operation(seed) == "param" for seed in one | two)
    return bool(one and two) and one.isdisjoint(two) and not is_left_out


def written_seed(file: File, first: Consumption, again: Consumption) -> str:
    """Return how the seed of two keys is written, empty if that is not known."""
    name = spelled_seed(file.terms, shared_seed(file.terms, first.term, again.term))
    calls = (made_by(file, file.terms.seed_of(use.term)) for use in (again, first))
    texts = [ast.unparse(call.args[0]) for call in calls if call is not None and call.args]
    negative = (text for text in texts if text.startswith("-"))
    return next(negative, name) or next(iter(texts), "")


def spelled_seed(terms: Terms, seed: Term) -> str:
    """Return ``config.seed`` for a seed that a callee reads from a variable, or a constant, otherwise nothing."""
    return repr(terms.data(seed)) if terms.operation(seed) == "const" else attribute_of(terms, seed)


def attribute_of(terms: Terms, term: Term) -> str:
    """Return ``state.rng`` for an attribute of a parameter or outer variable, and nothing for other terms."""
    if terms.operation(term) in ("param", "free"):
        name = str(terms.data(term)[1])
        return "" if "#" in name else name  # what a callable carries is written nowhere
    owner = attribute_of(terms, terms.args(term)[0]) if terms.operation(term) == "attr" else ""
    return f"{owner}.{terms.data(term)[0]}" if owner else ""


def made_at(file: File, use: Consumption) -> tuple[str, Span] | None:
    """Return where the key of a use is made: the path, as findings have it, and the call."""
    found, document = file.made_at.get(file.terms.seed_of(use.term)), file.document
    if found is None or found.module == file.name:
        return None if found is None else (document.filename, found.span)
    path = module_file(document.roots, found.module)
    if path is None:
        return None
    beside = Path(document.filename).parent / os.path.relpath(path, Path(document.path).parent)
    return Path(os.path.normpath(beside)).as_posix(), found.span


def most_sure(file: File, run: Run, first: Consumption, again: Consumption, effect: str) -> Confidence:
    """Return the highest confidence of a reuse of two keys that are made apart from one seed."""
    if not isinstance(again.node, ast.Call):
        return Confidence.POSSIBLE  # a property, which is to be the same whenever it is read
    is_alike = first.what == again.what or _is_made_by_one_call(file, first, again)
    if effect == "dependent" and not (is_alike and (_is_method(file, again) or _is_given_the_same(first, again))):
        return Confidence.POSSIBLE
    is_literal = is_literal_seed(file.terms, shared_seed(file.terms, first.term, again.term))
    if is_literal and _are_missing(file.terms, first.term, again.term):
        return Confidence.POSSIBLE
    if again.loop and _counts_in_seed(file, again):
        return Confidence.POSSIBLE  # each turn of the inner loop has its own seed, to be tried under other conditions
    if _is_drawn_here(file, first) and _is_drawn_here(file, again):
        return _of_draws(file, run, first, again, is_literal=is_literal)
    if not is_alike:
        return Confidence.POSSIBLE if is_literal else Confidence.LIKELY
    if again.loop:
        is_same = _only_counts(file, again.node)
    else:
        is_part = is_literal and run.code.kind == "module"  # of a script, which may begin with the same key as others
        is_same = (_is_method(file, again) and not is_part) or _is_given_the_same(first, again)
    return Confidence.LIKELY if is_same and _is_wanted_twice(file, first, again) else Confidence.POSSIBLE


def _of_draws(file: File, run: Run, first: Consumption, again: Consumption, *, is_literal: bool) -> Confidence:
    """Return the highest confidence for two draws, or splits, of keys that one function makes."""
    is_module, are_splits = run.code.kind == "module", first.draw == again.draw == "split"
    if _begins_stream(file, again):
        is_apart = _only_counts(file, again.node) if again.loop else _stand_together(file, first, again, is_literal)
        is_apart = is_apart and not (_is_given_away(file, run, first) or _is_given_away(file, run, again))
        return Confidence.LIKELY if is_apart and not (is_module and is_literal) else Confidence.POSSIBLE
    if again.loop:
        if are_splits:
            return Confidence.POSSIBLE if is_module else Confidence.LIKELY
        return Confidence.CERTAIN if is_literal else Confidence.LIKELY  # a caller's seed may ask for equal numbers
    if not is_literal:
        return Confidence.CERTAIN
    # each part of a script or notebook may begin with the same key, and so may parts of an object
    return Confidence.POSSIBLE if is_module or are_splits else Confidence.LIKELY


def _is_made_by_one_call(file: File, first: Consumption, again: Consumption) -> bool:
    """Return whether two functions draw by one function that they call, which is to give the same for the same seed."""
    one, two = (file.made_at.get(file.terms.seed_of(use.term)) for use in (first, again))
    return None not in (first.given, again.given) and one is not None and one == two


def _begins_stream(file: File, use: Consumption) -> bool:
    """Return whether an object is made of a key that draws later, if it does: a model may be given other weights."""
    row = file.table.get(use.what).row
    return row is not None and bool(row.gives or row.keeps or row.folds)


def _is_given_away(file: File, run: Run, use: Consumption) -> bool:
    """Return whether an object that draws later is only made for a call out of sight, which may leave it alone."""
    taker = file.document.parents.get(use.node)
    if isinstance(taker, ast.keyword):
        taker = file.document.parents.get(taker)
    library = use.what.partition(".")[0]  # its own classes draw
    return any(
        each.node is taker and each.draw == UNKNOWN_DRAW and each.what.partition(".")[0] != library
        for each in run.ledger.consumptions
    )


def _stand_together(file: File, first: Consumption, again: Consumption, is_literal: bool) -> bool:
    """Return whether two objects are there together: the second one does not take the name of the first one.

    One with a literal seed that a statement puts into another object is often to be filled with other weights.
    """
    statements = [file.document.statement(use.node) for use in (first, again)]
    targets = [ast.unparse(each.targets[0]) if isinstance(each, ast.Assign) else "" for each in statements]
    if is_literal and any(isinstance(each, ast.Expr) for each in statements):
        return False
    return statements[0] is statements[1] or targets[0] != targets[1] or not targets[0]


def _is_given_the_same(first: Consumption, again: Consumption) -> bool:
    """Return whether two calls of one function do the same: their arguments are equal, and look so."""
    texts = {ast.unparse(use.node) for use in (first, again)}
    return first.given is not None and first.given == again.given and len(texts) == 1


def _counts_in_seed(file: File, use: Consumption) -> bool:
    """Return whether the seed of a key depends on the variable of the innermost loop around its use."""
    loop = next((each for each in file.document.around(use.node) if isinstance(each, ast.For)), None)
    return loop is not None and any(
        _reads(call, loop.target)
        for call in ast.walk(loop)
        if isinstance(call, ast.Call) and call.func in file.constructed
    )


def _is_drawn_here(file: File, use: Consumption) -> bool:
    """Return whether a function of a library draws from a key, or splits it, that this very function has made."""
    if use.draw == "split":
        row = file.table.get(use.what).row
        return row is not None and row.derive == "split"
    return bool(use.sampler) and use.what == use.sampler


def _is_method(file: File, use: Consumption) -> bool:
    """Return whether a method of a library's object draws: of one object, as far as its name says."""
    return use.draw == "call" and use.what.rpartition(".")[2] in file.method_rows


def is_literal_seed(terms: Terms, seed: Term) -> bool:
    """Return whether a seed is written as a number, and not given as a variable."""
    if terms.operation(seed) == "op":
        return all(is_literal_seed(terms, part) for part in terms.args(seed))
    return terms.operation(seed) == "const"


def _is_wanted_twice(file: File, first: Consumption, again: Consumption) -> bool:
    """Return whether both results of one call are used: a program that only repeats it, as to time it, drops one."""
    kept = [_kept_in(file, use.node) for use in (first, again)]
    return None not in kept and (kept[0] != kept[1] or not kept[0])


def _kept_in(file: File, node: ast.AST) -> str | None:
    """Return the names that a call's result is bound to; empty if it is part of an expression, ``None`` if dropped."""
    match file.document.parents.get(node):
        case ast.Assign(targets=targets):
            return ast.unparse(targets[0])
        case ast.Expr():
            return None
    return ""


def _only_counts(file: File, node: ast.AST) -> bool:
    """Return whether a loop does the same each time: nothing in it reads its variable."""
    for loop in file.document.around(node):
        match loop:
            case ast.For(target=target):
                return not _reads(loop, target)
            case ast.ListComp(generators=[each]) | ast.GeneratorExp(generators=[each]):
                return not _reads(loop, each.target)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda() | ast.While():
                return False
    return False


def _reads(part: ast.AST, target: ast.expr) -> bool:
    """Return whether anything in a part of a loop reads a name that the loop binds."""
    names = {each.id for each in ast.walk(target) if isinstance(each, ast.Name)}
    return any(
        isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load) and each.id in names for each in ast.walk(part)
    )
