"""Notes that prove to be about keys once the whole file is interpreted."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

from olympus_rules.code.instructions import ClassCode
from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain.access import DICTIONARY, leaves
from olympus_rules.keyflow.domain.file import File, Pending
from olympus_rules.keyflow.domain.knowledge import Knowledge
from olympus_rules.keyflow.domain.needs import Need
from olympus_rules.keyflow.domain.paths import ALWAYS, bit_numbers, implies
from olympus_rules.keyflow.domain.places import span_of
from olympus_rules.keyflow.domain.terms import CHOICE, Term, Terms
from olympus_rules.keyflow.domain.type_tests import CONNECTIVES
from olympus_rules.keyflow.domain.values import Choice, Const, Map, Sequence, Value
from olympus_rules.keyflow.facts import Fact, KeyKind
from olympus_rules.libraries.names import LISTS, NUMPY_ARRAY


def settle(file: File) -> Iterator[tuple[Term, Fact]]:
    """Return the notes that prove to be about keys, with the keys."""
    if not file.pending:
        return
    _learn_attributes(file)
    elements = {
        file.terms.args(term)[0]
        for term in [*file.knowledge.used, *file.knowledge.origins]
        if file.terms.operation(term) in ("item", "lane")
    }
    rearranged = {
        file.terms.args(term)[0]
        for term in file.knowledge.used
        if file.terms.operation(term) == "view" and file.terms.data(term) != DICTIONARY
    }
    found: list[tuple[Pending, Fact]] = []
    for pending in file.pending:
        confidence = _settled(file, pending, elements, rearranged)
        is_reached = confidence in (None, Confidence.POSSIBLE) and _is_reached(file, pending)
        if confidence is None and pending.at is not None:
            file.others.setdefault(pending.at, set()).add(pending.term)
        if (confidence is not None or is_reached) and not _is_guarded(file, pending):
            fact = pending.build(confidence or Confidence.POSSIBLE, file.knowledge.kind(pending.term))
            if fact is not None and is_reached:
                fact = _reached(file, pending, fact)
            skips_loop = bool(pending.path[1] & file.decisions.entering)
            if fact is not None and (skips_loop or _may_be_numbers(file, pending, fact)):
                fact = replace(fact, confidence=Confidence.POSSIBLE)
            if fact is not None:
                found.append((pending, fact))
    ranks = _ranks(file)
    shared = {
        fact.node
        for pending, fact in found
        if not _only_keys(file, pending, fact) or (_counts_axes(fact) and len(ranks.get(pending.at, ())) > 1)
    }
    for pending, fact in found:
        yield pending.term, replace(fact, alone=False) if fact.node in shared else fact


def _is_reached(file: File, pending: Pending) -> bool:
    """Return whether keys may get to the expression of a note, or into what is there, as the project shows."""
    if pending.term in file.knowledge.origins:  # a key of this file, of which all is known
        return False
    is_new = pending.at is not None and file.gets_keys_only(pending.at) and not file.knowledge.is_known(pending.term)
    return is_new or file.may_get_keys(pending.at)


def _reached(file: File, pending: Pending, fact: Fact) -> Fact | None:
    """Return the fact on a place that a key may reach, ``None`` if it is no mistake for what may be there."""
    place = span_of(pending.at) if pending.at is not None else None
    takes_trees = isinstance(fact, facts.Conversion) and fact.form not in OF_ARRAYS
    if place in file.places.holders and not takes_trees:
        return None
    confidence = Confidence.LIKELY if place in file.places.likely else Confidence.POSSIBLE
    return replace(fact, confidence=confidence, alone=False, reached=True)


OF_ARRAYS = frozenset({"elementwise", "words"})
"""Forms of conversions of arrays: containers and objects are none."""


def _may_be_numbers(file: File, pending: Pending, fact: Fact) -> bool:
    """Return whether an array is made as a key of what a call passes, which is no key there: a list of its words."""
    is_array = isinstance(fact, facts.Conversion) and fact.form in ARRAYS and _has_dtype(fact.node)
    return is_array and pending.term in file.knowledge.mixed and pending.term not in file.knowledge.origins


def _ranks(file: File) -> dict[ast.AST | None, set[int | None]]:
    """Return the numbers of axes that keys have at each expression, in all iterations and on all paths."""
    ranks: dict[ast.AST | None, set[int | None]] = {}
    for pending in file.pending:
        if pending.at is not None and file.knowledge.is_known(pending.term):
            ranks.setdefault(pending.at, set()).add(file.knowledge.rank(pending.term))
    return ranks


FAIL_FOR_NONE = (facts.KeyIndexing, facts.KeyTransposition, facts.ShapeLogic, facts.DtypeLogic)
"""What fails for ``None``, raw or rewritten, so that only keys can have got there."""
QUESTIONS = frozenset(
    {"len", "ndim", "shape-asserted", "shape-equals", "shape-item", "shape-slice", "shape-unpack", "size"}
)


def _counts_axes(fact: Fact) -> bool:
    """Return whether a rewrite rests on the number of axes of a key array; a question about its shape does not."""
    return isinstance(fact, facts.ShapeLogic) and fact.form not in QUESTIONS


def _arrays(value: Value) -> list[Term]:
    """Return the terms that a value may be; none if it may be a list, tuple or dictionary, which is no key."""
    arms = [part for _, part in value.arms] if isinstance(value, Choice) else [value]
    return [] if any(isinstance(part, Map | Sequence) for part in arms) else leaves(value)


def _learn_attributes(file: File) -> None:
    """Treat an attribute as a key in all methods of a class if the methods write only keys to it."""
    terms, knowledge = file.terms, file.knowledge
    written: dict[tuple[ClassCode, str], set[Term]] = {}
    for run in file.runs.values():
        owner = run.code.owner
        if owner is not None and run.code.parameters:
            receiver = terms.make("param", (run.code, run.code.parameters[0]))
            for term, name, value, _ in run.events.writes:
                if term == receiver and value != Const(None):
                    written.setdefault((owner, name), set()).update(_arrays(value) or [receiver])  # or what is no key
    for term in {pending.term for pending in file.pending}:
        if terms.operation(term) != "attr" or knowledge.is_known(term):
            continue
        owner_term = terms.args(term)[0]
        code, name = terms.data(owner_term) if terms.operation(owner_term) == "param" else (None, "")
        if code is None or code.owner is None or code.parameters[:1] != (name,):
            continue
        values = written.get((code.owner, terms.data(term)[0]), set())
        ranks = {knowledge.rank(value) for value in values if knowledge.is_known(value)}
        rank = ranks.pop() if len(ranks) == 1 else None
        if rank is not None and all(knowledge.is_known(value) for value in values):
            kinds = {knowledge.kind(value) for value in values}
            knowledge.use(term, rank)
            knowledge.kinds[term] = kinds.pop() if len(kinds) == 1 else KeyKind.UNKNOWN


def _only_keys(file: File, pending: Pending, fact: Fact) -> bool:
    """Return whether only keys reach the expression of a note, in all iterations and on all paths.

    A question about the shape of a raw key has another answer for a typed one, so none of these may reach it.
    """
    knowledge, term = file.knowledge, pending.term
    row = getattr(pending.at, "lineno", 0)
    whenever = term in knowledge.used and _used_whenever(file, pending)
    if pending.at is not None and file.gets_keys_only(pending.at):
        place = span_of(pending.at)
        is_one = isinstance(fact, FAIL_FOR_NONE) or place not in file.places.optional
        rank = file.places.ranks[place]
        is_one = is_one or whenever or _default_is_none(file, term, before=row)
        if is_one and (rank is not None or not _counts_axes(fact)):
            return not _counts_axes(fact) or rank == getattr(fact, "rank", None)
    others = file.others.get(pending.at, ()) if pending.at is not None else ()
    if not all(knowledge.is_known(other) or _default_is_none(file, other, before=row) for other in others):
        return False  # a parameter that a key replaces if it is `None` is a key as well
    if isinstance(fact, facts.ShapeLogic) and _may_be_typed(knowledge, term):
        return False
    if term in knowledge.origins:
        return True
    if _counts_axes(fact) and term in knowledge.used and not whenever:
        return False  # on another path, the array may have other axes
    if isinstance(fact, facts.Conversion) and fact.form in ARRAYS and _has_dtype(fact.node):
        return False  # the result is used as a key, the argument may be a list
    return whenever or (term in knowledge.named.difference(knowledge.mixed) and not _default_is_none(file, term))


def _may_be_typed(knowledge: Knowledge, term: Term) -> bool:
    """Return whether a parameter may get a typed key: from a call, or in another way in a file that makes one."""
    passed = knowledge.passed.get(term, frozenset())
    if knowledge.terms.operation(term) != "param" or knowledge.kind(term) == KeyKind.RAW:
        return KeyKind.TYPED in passed
    made = any(origin.kind == KeyKind.TYPED for origin in knowledge.origins.values())
    return KeyKind.TYPED in passed or (made and passed != {KeyKind.RAW})


ARRAYS = frozenset({"cast", "numpy"})


def _has_dtype(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and (len(node.args) > 1 or any(option.arg == "dtype" for option in node.keywords))


def _used_whenever(file: File, pending: Pending) -> bool:
    """Return whether the term is used as a key on each path through the note, except where it was ``None``."""
    knowledge, term = file.knowledge, pending.term
    uses = [*knowledge.use_paths.get(term, ()), *knowledge.part_paths.get(term, ())] or [ALWAYS]
    if any(implies(pending.path, use) for use in uses):
        return True
    holds, fails = pending.path
    replaced = _default_is_none(file, term, before=getattr(pending.at, "lineno", 0))
    return replaced and any((more & ~holds).bit_count() + (less & ~fails).bit_count() == 1 for more, less in uses)


def _default_is_none(file: File, term: Term, *, before: int = 0) -> bool:
    """Return whether a term is a parameter with the default ``None``, that is replaced ``before`` a row if given."""
    if file.terms.operation(term) != "param":
        return False
    code, name = file.terms.data(term)
    default = code.default(name)
    if not isinstance(default, ast.Constant) or default.value is not None:
        return False
    stores = (part for part in ast.walk(code.node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store))
    return not before or any(part.id == name and part.lineno < before for part in stores)


def _settled(file: File, pending: Pending, elements: set[Term], rearranged: set[Term]) -> Confidence | None:
    """Return the confidence that a term is what a note needs, ``None`` if it is not or without evidence."""
    knowledge, term = file.knowledge, pending.term
    if not knowledge.is_known(term):
        return _guessed(file, pending, rearranged)
    by_source = term in knowledge.origins
    if not by_source and not knowledge.used_on(term, pending.path):
        return None
    subject = Subject(knowledge.kind(term), knowledge.rank(term), by_source or term not in elements, pending.axes)
    if not MET[pending.need](subject):
        return None
    if pending.need == Need.RAW_FLAT and subject.kind != KeyKind.RAW and subject.rank != 1:
        return Confidence.POSSIBLE
    return Confidence.CERTAIN if by_source else Confidence.LIKELY


def _guessed(file: File, pending: Pending, rearranged: set[Term]) -> Confidence | None:
    """Return the confidence of a note about a term that is no key by source or use in this file."""
    knowledge, term, need = file.knowledge, pending.term, pending.need
    if need in (Need.KEY, Need.KNOWN) and term in rearranged:
        return Confidence.LIKELY
    if need == Need.KEY and pending.metadata and _gets_raw(knowledge, term):
        return Confidence.LIKELY
    if need in (Need.KNOWN, Need.RAW):
        wanted = term in knowledge.passed and (need == Need.KNOWN or _gets_raw(knowledge, term))
        return Confidence.LIKELY if wanted else None
    telling = need == Need.WORD or (need == Need.KEY and pending.metadata)
    if (telling and term in knowledge.generators) or need == Need.SEED:
        return Confidence.POSSIBLE if file.has_other_generators else Confidence.LIKELY
    return Confidence.POSSIBLE if need in BY_NAME and term in knowledge.named else None


def _gets_raw(knowledge: Knowledge, term: Term) -> bool:
    """Return whether a call gives a key to a parameter that may be raw."""
    return not knowledge.passed.get(term, frozenset()) <= {KeyKind.TYPED}


class Subject(NamedTuple):
    """A key that a note is about.

    Attributes:
        kind: raw or typed.
        rank: its batch axes, ``None`` if unknown.
        whole: whether its elements are not used as keys themselves.
        axes: the number in the note.
    """

    kind: KeyKind
    rank: int | None
    whole: bool
    axes: int


def _is_single(subject: Subject) -> bool:
    return subject.rank == 0 and subject.whole


BY_NAME = frozenset({Need.KEY, Need.SINGLE, Need.UNTYPED, Need.WORD})
MET: dict[Need, Callable[[Subject], bool]] = {
    Need.KEY: lambda subject: True,
    Need.KNOWN: lambda subject: True,
    Need.RAW: lambda subject: subject.kind != KeyKind.TYPED,
    Need.SINGLE: _is_single,
    Need.WORD: _is_single,
    Need.SEED: _is_single,
    Need.FLAT: lambda subject: subject.rank == 1,
    Need.RAW_FLAT: lambda subject: subject.kind != KeyKind.TYPED and subject.rank not in (None, 0),
    Need.RAW_ARRAY: lambda subject: subject.kind != KeyKind.TYPED and subject.rank != 0,
    Need.UNTYPED: lambda subject: (
        subject.kind == KeyKind.RAW or (subject.kind == KeyKind.UNKNOWN and subject.rank is not None)
    ),
    Need.FEWER_AXES: lambda subject: subject.rank is not None and subject.rank < subject.axes,
}


KEY_DTYPES = (".prng_key", ".extended")


MAX_QUESTIONS = 16  # followed in one decision


def _is_guarded(file: File, pending: Pending) -> bool:
    """Return whether a note lies behind a test for typed keys, alone or combined with others: the code handles both.

    What is a list there is no key either.
    """
    tests = file.decisions.tests
    if any(_asks_for_list(file.terms, tests[number], pending.term) for number in bit_numbers(pending.path[0])):
        return True
    taken = bit_numbers(pending.path[0] | pending.path[1])
    return any(pending.term in _typed_keys_asked(file, file.decisions.tests[number]) for number in taken)


def _asks_for_list(terms: Terms, test: Term, term: Term) -> bool:
    """Return whether a decision asks of a term, or of a choice that it is a part of, whether it is a list."""
    if terms.operation(test) != "op" or terms.data(test) != "isinstance" or len(terms.args(test)) != 2:
        return False
    subject, asked = terms.args(test)
    is_choice = isinstance(data := terms.data(subject), tuple) and data[:1] == (CHOICE,)
    classes = {terms.data(each) for each in (terms.args(asked) or (asked,))}
    return classes <= LISTS and term in (terms.args(subject) if is_choice else (subject,))


def _typed_keys_asked(file: File, decision: Term) -> set[Term]:
    """Return the terms that a decision, or one that it is made of, tests for being typed keys."""
    terms, found = file.terms, set[Term]()
    waiting, steps = [decision], 0
    while waiting and (steps := steps + 1) < MAX_QUESTIONS:
        test = waiting.pop()
        operation, data, *args = terms.parts[test]
        if operation != "op" or not args:
            continue
        parts = file.decisions.parts(test)
        if parts is not None:
            waiting += [file.decisions.tests[inner] for mask in parts for inner in bit_numbers(mask)]
        elif data in CONNECTIVES or (isinstance(data, tuple) and data[0] == "choice"):
            waiting += args
        elif (key := _typed_key_asked(terms, test)) is not None:
            found.add(key)
    return found


def _typed_key_asked(terms: Terms, test: Term) -> Term | None:
    """Return the term that a test for typed keys is about."""
    asked, args = terms.data(test), terms.args(test)
    if not isinstance(asked, str):
        return None
    if asked.endswith("issubdtype") and terms.operation(args[0]) == "op" and terms.data(args[0]) == "dtype":
        is_number = terms.operation(args[1]) == "symbol" and not terms.data(args[1]).endswith(KEY_DTYPES)
        return None if is_number else terms.args(args[0])[0]
    if asked == "isinstance" and terms.data(args[1]) == NUMPY_ARRAY:  # no typed key is one
        return args[0]
    return None
