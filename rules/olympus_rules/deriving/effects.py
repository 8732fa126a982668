"""The effect of a function on its keys, as a row of a signature pack."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from olympus_rules.code.instructions import FunctionCode
from olympus_rules.deriving.certainty import happens_always
from olympus_rules.keyflow.domain.access import leaves
from olympus_rules.keyflow.domain.ledger import Certainty, Consumption
from olympus_rules.keyflow.domain.summary import GENERAL, origin
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Bound, Function, Mapped, Value
from olympus_rules.keyflow.facts import KeyKind, Unfinished
from olympus_rules.keyflow.linking.analysis import Analysis
from olympus_rules.libraries import LibraryFunction

# in an annotation
IS_A_KEY = re.compile(r"PRNGKey|KeyArray|\bKey\[")
MAY_BE_A_KEY = re.compile("key|prng|rng|array|any", re.IGNORECASE)
KEY_NAME = re.compile("(^|_)(key|p?rng)$")  # one key; a value named `rngs` may be anything
DERIVATIONS = ("split", "fold_in", "clone")


@dataclass(frozen=True, slots=True)
class Undecided:
    """A function that takes or makes keys, and whose row would be wrong or incomplete.

    Attributes:
        reason: why, as the end of a sentence.
    """

    reason: str


Effect = LibraryFunction | Undecided | None


def effect(analysis: Analysis, value: Value) -> Effect:
    """Return the row of a function or method, without its qualified name.

    Args:
        analysis: the analysis of its file.
        value: the function after its decorators.

    Returns:
        ``None`` for a function that neither takes nor makes keys.
    """
    while isinstance(value, Mapped | Bound):
        value = value.function
    if not isinstance(value, Function) or value.code.is_foreign:
        return None
    if value.captured:  # what a decorator made of a function
        held = (effect(analysis, part) for _, part in value.captured)
        return Undecided("it has a decorator that calls it") if any(each is not None for each in held) else None
    try:
        found = _Reading(analysis, value.code).row()
    except _CannotBeSaid as error:
        return Undecided(str(error))
    if found is not None and value.doubtful:
        return Undecided("it has a decorator that is out of reach")
    return found


def returned(analysis: Analysis, value: Value) -> tuple[str, LibraryFunction] | None:
    """Return the name and the row of the function that a function makes and returns, ``None`` for any other."""
    if not isinstance(value, Function) or value.code.is_foreign or value.doubtful:
        return None
    summary = analysis.summariser.summary(value.code)
    made = None if summary is None else summary.returns
    while isinstance(made, Mapped):
        made = made.function
    if not isinstance(made, Function) or made.code.parent is not value.code or not made.code.name:
        return None
    row = effect(analysis, made)
    return (made.code.name.rpartition(".")[2], row) if isinstance(row, LibraryFunction) else None


class _CannotBeSaid(Exception):
    """The format cannot express the function; the message says why."""


class _Reading:
    """Derives one function's row from its interpretation."""

    def __init__(self, analysis: Analysis, code: FunctionCode) -> None:
        self.analysis = analysis
        self.code = code
        self.terms = analysis.file.terms
        self.knowledge = analysis.file.knowledge
        self.summary = analysis.summariser.summary(code)
        run = analysis.file.runs.get((code, GENERAL))
        if run is None:
            raise _CannotBeSaid("its analysis ends in an internal error")
        self.run = run
        own = 1 if code.owner is not None and code.kind != "staticmethod" else 0
        self.positional = code.parameters[own : code.positional]
        self.keywords = code.parameters[max(code.positional, own) :]

    @cached_property
    def seeds(self) -> set[Term]:
        """Return the terms that keys are made from."""
        return {arg for parts in self.terms.parts if parts[0] == "seed" for arg in parts[2:]}

    def row(self) -> LibraryFunction | None:
        """Return the row, ``None`` if it would be empty.

        Raises:
            _CannotBeSaid: the format cannot express it.
        """
        words = {name: self.word(name) for name in (*self.positional, *self.keywords)}
        for name in (self.code.vararg, self.code.kwarg):
            if name is not None and self.word(name) in ("sinks", "folds"):
                raise _CannotBeSaid(f"its key is one of `*{name}`")
        made = self.made()
        spoken_of = {field: tuple(n for n, word in words.items() if word == field) for field in set(words.values())}
        spoken_of.pop("", None)
        forwarded = self.forwarded(words)
        if not spoken_of and not forwarded and made == LibraryFunction(""):
            return None
        taken = [
            fact for fact in self.analysis.file.facts if isinstance(fact, Unfinished) and fact.node is self.code.node
        ]
        if taken and taken[0].circle:
            raise _CannotBeSaid(f"it calls itself through more than {taken[0].circle} other functions")
        if taken:
            raise _CannotBeSaid(f"it takes more than {taken[0].steps:,} steps to analyse")
        seeds = tuple(
            name for name, word in words.items() if word in ("sinks", "folds") and self.param(name) in self.seeds
        )
        return replace(
            made,
            parameters=self.positional,
            keywords=self.keywords,
            sinks=spoken_of.get("sinks", ()),
            folds=spoken_of.get("folds", ()),
            inspects=tuple(name for name in spoken_of.get("inspects", ()) if name not in forwarded),
            forwards=forwarded,
            seeds=seeds,
        )

    def param(self, name: str) -> Term:
        """Return the term of a parameter."""
        return self.terms.make("param", (self.code, name))

    # parameters

    def word(self, name: str) -> str:
        """Return the field that a parameter belongs to, empty for one that takes no key.

        Raises:
            _CannotBeSaid: no field describes its use.
        """
        term = self.param(name)
        known, unknown, parts, folds = self._uses(term)
        if known:
            return "sinks" if happens_always(self.run, term, known) else "folds"
        if parts:
            raise _CannotBeSaid(f"it consumes a part of `{name}`, and not all of it")
        is_key = term in self.knowledge.used or self._annotated(name)
        if not is_key and not self._may_be_key(name):
            return ""
        left_open = self._left_to_subclasses(name)
        if left_open:
            raise _CannotBeSaid(f"it calls `self.{left_open}`, which subclasses define")
        if unknown:
            raise _CannotBeSaid(f"its key `{name}` goes to `{unknown[0].what}`, which is out of reach")
        if any(name in inner.reads for inner in _nested(self.code)):
            raise _CannotBeSaid(f"its key `{name}` is used in a function inside of it")
        if any(term in leaves(value) for _, _, value, _ in self.run.events.writes):
            raise _CannotBeSaid(f"it keeps its key `{name}` in an object")
        if not is_key and name in self.code.reads:
            return ""  # a key for a dictionary, an attention key
        return "folds" if folds else "inspects"

    def _uses(self, term: Term) -> tuple[list[Consumption], list[Consumption], list[Consumption], bool]:
        """Return a parameter's consumptions by known callees, by unknown ones, of parts; and whether it is folded."""
        known: list[Consumption] = []
        unknown: list[Consumption] = []
        parts: list[Consumption] = []
        folds = any(origin(self.terms, derivation.child) == term for derivation in self.run.events.derivations)
        for use in self.run.ledger.consumptions:
            if origin(self.terms, use.term) != term:
                continue
            way = set(self._way(use.term))
            if use.draw == "fold" or "fold_in" in way:
                folds = True
            elif "part" in way:
                parts += [use] if use.certainty == Certainty.KNOWN else []
            else:
                (known if use.certainty == Certainty.KNOWN else unknown).append(use)
        return known, unknown, parts, folds

    def _way(self, term: Term) -> Iterator[str]:
        """Return the operations that make a term from its parameter."""
        while self.terms.operation(term) != "param":
            operation, args = self.terms.operation(term), self.terms.args(term)
            literal = operation == "item" and self.terms.operation(args[1]) == "const"
            yield "part" if literal or operation in ("attr", "slice") else operation
            term = args[0]

    def _left_to_subclasses(self, name: str) -> str:
        """Return an abstract method that a reader of a parameter calls, directly or not; empty for none."""
        if self.code.owner is None or name not in self.code.reads:
            return ""
        seen: dict[str, None] = {}
        waiting = [self.code]
        while waiting:
            code = waiting.pop()
            for called in _own_calls(code):
                method = self.analysis.hierarchy.method(self.code.owner, called)
                if method is None or called in seen:
                    continue
                if is_abstract(method):
                    return called
                seen[called] = None
                waiting.append(method)
        return ""

    def _annotation(self, name: str) -> str:
        arguments = self.code.node.args if isinstance(self.code.node, ast.FunctionDef | ast.AsyncFunctionDef) else None
        if arguments is None:
            return ""
        given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        return next((ast.unparse(arg.annotation) for arg in given if arg.arg == name and arg.annotation), "")

    def _annotated(self, name: str) -> bool:
        """Return whether a parameter is a key by its annotation."""
        annotation = self._annotation(name)
        return IS_A_KEY.search(annotation) is not None and "Callable" not in annotation

    def _may_be_key(self, name: str) -> bool:
        """Return whether a parameter has the name of one key, is no seed, and has no annotation of another type."""
        annotation = self._annotation(name)
        fits = not annotation or MAY_BE_A_KEY.search(annotation) is not None
        return fits and KEY_NAME.search(name) is not None and self.param(name) not in self.seeds

    # results

    def made(self) -> LibraryFunction:
        """Return the fields of a row that describe the result.

        Raises:
            _CannotBeSaid: it is a key, and the format cannot express its source.
        """
        row = LibraryFunction("")
        result = None if self.summary is None else self.summary.returns
        if not isinstance(result, Term):
            return row
        operation, args = self.terms.operation(result), self.terms.args(result)
        first = self.param(self.positional[0]) if self.positional else None
        if operation in DERIVATIONS and args[0] == first and self._plain_derivation(operation, args):
            return replace(row, derive=operation)
        if operation != "seed":
            return row
        kind = self.terms.data(result)[0]
        if kind is KeyKind.UNKNOWN and self.terms.operation(args[0]) == "fresh":
            return replace(row, makes="key")
        if kind is KeyKind.UNKNOWN or args[0] != first:
            raise _CannotBeSaid("it makes a key from something other than its first parameter")
        return replace(row, seed=str(kind.value))

    def _plain_derivation(self, operation: str, args: tuple[Term, ...]) -> bool:
        """Return whether the second parameter, or the default, is the count or the datum."""
        if operation == "clone":
            return True
        if len(self.positional) > 1:
            return args[1] == self.param(self.positional[1])
        return operation == "split" and self.terms.constant(args[1]) == 2

    def forwarded(self, words: dict[str, str]) -> tuple[str, ...]:
        """Return the parameter that is returned, if it may be a key."""
        result = None if self.summary is None else self.summary.returns
        same = (name for name in words if self.param(name) == result)
        return tuple(name for name in same if words[name] or self._may_be_key(name))


def _own_calls(code: FunctionCode) -> list[str]:
    """Return the names of the methods that a method calls on its object."""
    owners = (*code.parameters[:1], "super()")
    called = (node.func for node in ast.walk(code.node) if isinstance(node, ast.Call))
    return [func.attr for func in called if isinstance(func, ast.Attribute) and ast.unparse(func.value) in owners]


def is_abstract(code: FunctionCode) -> bool:
    """Return whether a method only declares those of subclasses, or has its body in another file."""
    body = getattr(code.node, "body", None)
    if not isinstance(body, list):
        return False
    rest = [part for part in body if not (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))]
    return all(isinstance(part, ast.Raise | ast.Pass) for part in rest)


def _nested(code: FunctionCode) -> Iterator[FunctionCode]:
    for inner in code.nested:
        yield inner
        yield from _nested(inner)
