"""What becomes of consumptions and notes once the whole file has been seen: facts, each with its confidence.

``certain``: every call on the way is known. ``likely``: the key is known to be one, and a callable whose source is
out of reach took it. ``possible``: the value is a key by its name only, or a class took it that may just store it.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import replace

from olympus_rules.code.instructions import ClassCode
from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain import presence
from olympus_rules.keyflow.domain.access import DICTIONARY, item_index, leaves
from olympus_rules.keyflow.domain.file import File, Pending
from olympus_rules.keyflow.domain.ledger import Certainty, Consumption, Derivation, Meeting
from olympus_rules.keyflow.domain.paths import bit_numbers
from olympus_rules.keyflow.domain.run import Run
from olympus_rules.keyflow.domain.terms import Term, Terms
from olympus_rules.keyflow.domain.type_tests import CONNECTIVES, asks_for_its_type
from olympus_rules.keyflow.domain.values import Const
from olympus_rules.keyflow.facts import Fact, KeyKind, Place
from olympus_rules.keyflow.notes.pending import spelled

__all__ = ["handed_out", "judge", "obstacles", "settle", "stale_state", "unique", "with_makers"]


def judge(run: Run) -> Iterator[Fact]:
    """Return the reuses and derivation collisions of one function."""
    if len(run.ledger.consumptions) < 2 and not run.derivations:
        return
    collisions = list(_collisions(run))
    collided = {fact.node for fact in collisions}
    children = {derivation.child for derivation in run.derivations if derivation.node in collided}
    for first, again in run.ledger.pairs(run.knowledge.is_candidate):
        if again.term in children:
            continue  # the derivation is the mistake
        fact = _reuse(run, first, again)
        if fact is not None:
            yield fact
    yield from collisions


def _reuse(run: Run, first: Consumption, again: Consumption) -> Fact | None:
    confidence = _confidence(run, first, again)
    if confidence is None:
        return None
    key = _name_of(run, first, again)
    kind = run.knowledge.kind(again.term)
    one, two = Place(first.node, first.what, first.key), Place(again.node, again.what, again.key)
    repeated = again.loop or "call" if first.node is again.node else ""
    node = again.node
    if first.node is node and again.loop and None not in (first.site, again.site) and first.site is not again.site:
        # two maps or scans call one function: each of them is a use of the whole
        one, two = Place(first.site or node, first.what), Place(again.site or node, again.what)
        node, repeated = two.node, ""
    if first.count and again.count and first.count != again.count and first.draw == again.draw == "split":
        return facts.DerivationCollision(
            node=node,
            confidence=confidence,
            key=key,
            kind=kind,
            how="splits-share-children",
            first=one,
            again=two,
            repeated_by=repeated,
        )
    return facts.Reuse(
        node=node,
        confidence=confidence,
        key=key,
        kind=kind,
        first=one,
        again=two,
        effect=_effect(first, again),
        repeated_by=repeated,
        unused=_unused_relatives(run, again.term),
        batch=(run.knowledge.rank(again.term) or 0) > 0,
        identity=(run.code, again.term),
    )


def _name_of(run: Run, first: Consumption, again: Consumption) -> str:
    """Return how the key is spelled: at a consumer, else as a variable that an inner function uses."""
    for use in (again, first):
        written = spelled(use.key) if use.key is not None else ""
        if written:
            return written
    terms = run.terms
    for term in (again.term, *terms.ancestors(again.term)):
        if terms.operation(term) in ("param", "free"):
            return str(terms.data(term)[1])
    return next((name for name in _variables(run, again.term)), "")


def _variables(run: Run, term: Term) -> Iterator[str]:
    """Return the variables and the attributes of variables that hold a term."""
    for name, value in run.env.values.items():
        if value != term:
            continue
        if isinstance(name, str) and "$" not in name:
            yield name
        elif isinstance(name, tuple) and len(name) == 3 and isinstance(name[1], str):
            yield from (f"{owner}.{name[1]}" for owner in _variables(run, name[0]))


def _unused_relatives(run: Run, term: Term) -> tuple[str, ...]:
    """Return names that nothing reads of children of this key and of its siblings."""
    terms = run.terms
    array = terms.root_array(term)
    return tuple(
        name
        for name, child in run.unused.items()
        if terms.root_array(child) == array or terms.args(terms.root_array(child))[:1] == (term,)
    )


def _effect(first: Consumption, again: Consumption) -> str:
    if first.draw != again.draw or first.draw in ("call", "fold"):
        return "dependent"
    return "same-children" if first.draw == "split" else "same-draw"


MET = {
    Meeting.NEVER: Confidence.POSSIBLE,
    Meeting.DOUBTFUL: Confidence.POSSIBLE,
    Meeting.ASSUMED: Confidence.LIKELY,
    Meeting.SHOWN: Confidence.CERTAIN,
}


def _confidence(run: Run, first: Consumption, again: Consumption) -> Confidence | None:
    """Return how sure a reuse is, ``None`` when nothing says that the value is a key."""
    knowledge = run.knowledge
    if _is_none(run, first) or _is_none(run, again):
        return None
    met = MET[run.ledger.meeting(first, again)]
    terms = {first.term, again.term}
    known = any(knowledge.is_known(term) for term in terms)
    lowest = min(first.certainty, again.certainty)
    if known and first.node is again.node and again.loop == "loop" and again.draw == "fold":
        return min(met, Confidence.LIKELY)  # whatever is folded in, it is the same in every pass
    if known:
        return min(met, (Confidence.POSSIBLE, Confidence.LIKELY, Confidence.CERTAIN)[lowest])
    if lowest != Certainty.DOUBTFUL and any(term in knowledge.named for term in terms):
        return Confidence.POSSIBLE
    return None


def _is_none(run: Run, use: Consumption) -> bool:
    """Say whether the consumption is on a path on which the value is ``None``."""
    terms = run.terms
    return any(
        bool(run.decisions.bit(terms.make("op", "Is", part, terms.const(None))) & use.path[0])
        for part in (use.term, *terms.ancestors(use.term))
    )


def _collisions(run: Run) -> Iterator[Fact]:
    """Return derivations of equal children: one datum folded in twice, or one that equals a split's index."""
    terms, knowledge = run.terms, run.knowledge
    steps = _steps(run)
    seen: dict[Term, list[Derivation]] = {}
    for again in run.derivations:
        child, node = again.child, again.node
        earlier = [d for d in seen.get(child, ()) if d.call != again.call]
        first = max(earlier, key=lambda d: run.ledger.on_one_path(d, again), default=None)
        met = Meeting.NEVER if first is None else run.ledger.on_one_path(first, again)
        seen.setdefault(child, []).append(again)
        if first is None or met == Meeting.NEVER or terms.operation(terms.args(child)[1]) == "fresh":
            continue
        if not any(run.ledger.on_one_path(again, further) for further in steps.get(child, ())):
            yield facts.DerivationCollision(
                node=node,
                confidence=MET[met],
                key=spelled(node.args[0]) if node.args else "",
                kind=knowledge.kind(child),
                how="fold_in-twice",
                first=Place(first.node, "jax.random.fold_in"),
                again=Place(node, "jax.random.fold_in"),
                repeated_by=again.loop or "loop" if first.node is node else "",
            )
    yield from _split_beside_fold_in(run)


def _steps(run: Run) -> dict[Term, list[Derivation]]:
    """Return where more data is folded into keys with which nothing else is done: that two are equal does no harm."""
    terms = run.terms
    steps: dict[Term, list[Derivation]] = {}
    for derivation in run.derivations:
        steps.setdefault(terms.args(derivation.child)[0], []).append(derivation)
    used = {term for use in run.ledger.consumptions for term in (use.term, *terms.ancestors(use.term))}
    for value in [value for _, value in run.returns] + [value for _, _, value, _ in run.writes]:
        used.update(leaves(value))
    return {term: derivations for term, derivations in steps.items() if term not in used}


def _split_beside_fold_in(run: Run) -> Iterator[Fact]:
    terms = run.terms
    splits: dict[Term, list[Consumption]] = {}
    for use in run.ledger.consumptions:
        if use.draw == "split" and use.count is not None and use.certainty == Certainty.KNOWN:
            splits.setdefault(use.term, []).append(use)
    for derivation in run.derivations:
        parent, datum = terms.args(derivation.child)
        index, node = terms.constant(datum), derivation.node
        if type(index) is not int:
            continue
        for use in splits.get(parent, ()):
            if use.count is None or not 0 <= index < use.count:
                continue
            fold_first = derivation.time < use.time
            met = run.ledger.on_one_path(*((derivation, use) if fold_first else (use, derivation)))
            if met != Meeting.NEVER:
                fold, split = Place(node, "jax.random.fold_in"), Place(use.node, use.what, use.key)
                later, earlier = (fold, split) if _after(node, use.node) else (split, fold)
                yield facts.DerivationCollision(
                    node=later.node,
                    confidence=MET[met],
                    key=spelled(node.args[0]) if node.args else "",
                    kind=run.knowledge.kind(derivation.child),
                    how="split-beside-fold_in",
                    first=earlier,
                    again=later,
                )


def _after(a: ast.AST, b: ast.AST) -> bool:
    return _place(a) > _place(b)


def _place(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


ONCE = (
    "__init__",
    "__post_init__",
    "init",
    "_init",
    "setup",
    "_setup",
    "build",
    "_build",
    "reset",
    "create",
    "main",
    "run",
)


def stale_state(file: File) -> Iterator[Fact]:
    """Return consumptions of a key that an object keeps and never advances: each call gets the same numbers.

    It is one when ``__init__`` alone writes the attribute and another method consumes it. A method that is most
    likely called once, or makes new objects of its class, leaves it possible.
    """
    classes: dict[ClassCode, list[Run]] = {}
    for run in file.runs.values():
        if run.code.owner is not None:
            classes.setdefault(run.code.owner, []).append(run)
    for methods in classes.values():
        methods = [run for run in methods if run.code.kind != "cached_property"]
        kept = {name for run in methods if run.code.name.endswith(".__init__") for name in _written(run)}
        for run in methods:
            if not run.code.name.endswith(".__init__"):
                kept -= _written(run)
        for run in methods:
            if not run.code.name.endswith(".__init__"):
                yield from _stale(run, kept)


def _written(run: Run) -> set[str]:
    """Return the attributes of its object that a method writes."""
    receiver = run.env.get(run.code.parameters[0]) if run.code.parameters else None
    return {name for term, name, _, _ in run.writes if term == receiver}


def _stale(run: Run, kept: set[str]) -> Iterator[Fact]:
    terms = run.terms
    receiver = terms.make("param", (run.code, run.code.parameters[0])) if run.code.parameters else None
    # a test runner makes an object for each test; who gets the object may return one with another key
    once = run.code.name.rpartition(".")[2].startswith((*ONCE, "test")) or receiver in run.forgotten
    class_ = run.code.owner
    succeeded = class_ is not None and class_.name in run.code.reads  # by an object with a child of the key
    succeeded = succeeded or any(
        terms.operation(leaf) == "copy" and terms.args(leaf)[0] == receiver
        for _, value in run.returns
        for leaf in leaves(value)
    )
    written = {(terms.args(t)[0] if name == presence.ELEMENT else t, name) for t, name, _, _ in run.writes}
    for use in run.ledger.consumptions:
        if terms.operation(use.term) != "attr" or terms.args(use.term)[0] != receiver:
            continue
        tests = [run.decisions.tests[number] for mask in use.path for number in bit_numbers(mask)]
        if tests and not presence.slots(terms, tests).isdisjoint(written):
            continue  # what the key makes is kept, and is there in the next call
        name = terms.data(use.term)[0]
        if name in kept and use.certainty == Certainty.KNOWN and run.knowledge.is_known(use.term):
            if asks_for_its_type(run.terms, run.decisions, use):
                continue
            place = Place(use.node, use.what, use.key)
            yield facts.Reuse(
                node=use.node,
                confidence=Confidence.POSSIBLE if once or succeeded else Confidence.LIKELY,
                key=f"self.{name}",
                first=place,
                again=place,
                effect=_effect(use, use),
                repeated_by="call",
                identity=(run.code, use.term),
            )


def settle(file: File) -> Iterator[tuple[Term, Fact]]:
    """Return the notes that turn out to be about keys, with the keys."""
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
    guards = _guards(file)
    for pending in file.pending:
        confidence = _settled(file, pending, elements, rearranged)
        if confidence is not None and not _guarded(file, pending, guards):
            fact = _built(file, pending, confidence)
            if fact is not None:
                yield pending.term, fact


def _learn_attributes(file: File) -> None:
    """Take an attribute for a key in all methods of a class whose methods write nothing but keys to it."""
    terms, knowledge = file.terms, file.knowledge
    written: dict[tuple[ClassCode, str], set[Term]] = {}
    for run in file.runs.values():
        owner = run.code.owner
        if owner is not None and run.code.parameters:
            receiver = terms.make("param", (run.code, run.code.parameters[0]))
            for term, name, value, _ in run.writes:
                if term == receiver and value != Const(None):
                    written.setdefault((owner, name), set()).update(leaves(value) or [receiver])  # or what is no key
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


def _built(file: File, pending: Pending, confidence: Confidence) -> Fact | None:
    """Return the fact of a note; of a parameter that gets other things as well, no rewrite is sure."""
    fact = pending.build(confidence, file.knowledge.kind(pending.term))
    known = file.knowledge.is_known(pending.term) or file.gets_keys_only(pending.term)
    passed = not known and pending.term in file.knowledge.passed
    return replace(fact, exact=False) if passed and isinstance(fact, facts.ShapeLogic) else fact


def _settled(file: File, pending: Pending, elements: set[Term], rearranged: set[Term]) -> Confidence | None:
    knowledge, term = file.knowledge, pending.term
    rank, by_source = knowledge.rank(term), term in knowledge.origins
    raw = knowledge.kind(term) == KeyKind.RAW
    if not knowledge.is_known(term):
        if pending.need in ("key", "known") and term in rearranged:
            return Confidence.LIKELY
        if pending.need in ("key", "known", "raw") and file.gets_keys_only(term):
            return Confidence.LIKELY
        if pending.need == "key" and pending.metadata and knowledge.passed.get(term):
            return Confidence.LIKELY
        if pending.need in ("known", "raw"):
            wanted = term in knowledge.passed and (pending.need == "known" or knowledge.passed[term])
            return Confidence.LIKELY if wanted else None
        telling = pending.need == "word" or (pending.need == "key" and pending.metadata)
        if (telling and term in knowledge.generators) or pending.need == "seed":
            return Confidence.POSSIBLE if file.has_other_generators else Confidence.LIKELY
        wanted = pending.need in ("key", "single", "untyped", "word")
        return Confidence.POSSIBLE if wanted and term in knowledge.named else None
    if not by_source and not knowledge.used_on(term, pending.path):
        return None
    sure = Confidence.CERTAIN if by_source else Confidence.LIKELY
    if pending.need in ("key", "known"):
        return sure
    if pending.need == "raw":
        return sure if knowledge.kind(term) != KeyKind.TYPED else None
    if pending.need in ("single", "word", "seed"):
        return sure if rank == 0 and (by_source or term not in elements) else None
    if pending.need == "array":
        return sure if rank is None or rank > 0 else None
    if pending.need == "flat":
        return sure if rank == 1 else None
    if pending.need == "raw-array":
        return sure if knowledge.kind(term) != KeyKind.TYPED and rank != 0 else None
    if pending.need == "raw-flat":
        if knowledge.kind(term) == KeyKind.TYPED or rank in (None, 0):
            return None
        return sure if raw or rank == 1 else Confidence.POSSIBLE
    if pending.need == "untyped":
        return sure if raw or (knowledge.kind(term) == KeyKind.UNKNOWN and rank is not None) else None
    if pending.need.startswith("rank<"):
        return sure if rank is not None and rank < int(pending.need[5:]) else None
    return None


OBSTACLES = {
    facts.KeyIndexing: "its words are read",
    facts.KeyArithmetic: "arithmetic is done on it",
    facts.KeyTransposition: "its buffer axis is moved",
    facts.ShapeLogic: "its shape is looked at",
    facts.RawKeyLiteral: "it is put beside raw words",
    facts.DtypeLogic: "its dtype is looked at",
    facts.Conversion: "it is converted",
}


def obstacles(file: File, settled: Iterable[tuple[Term, Fact]]) -> dict[ast.expr, tuple[str, ...]]:
    """Return, for each call of a key constructor, why a typed key in its place may break something.

    A key that stays with known calls is safe; one that is handed to code out of reach, returned or kept is not.
    """
    terms = file.terms
    found: dict[Term, list[str]] = {}
    for term, fact in settled:
        why = next((words for kind, words in OBSTACLES.items() if isinstance(fact, kind)), None)
        harmless = isinstance(fact, facts.Conversion) and (fact.effect == "same" or fact.form == "print" or fact.before)
        if why is not None and not harmless:
            found.setdefault(terms.seed_of(term), []).append(f"{why} on line {_place(fact.node)[0]}")
    for run in file.runs.values():
        for use in run.ledger.consumptions:
            if use.certainty != Certainty.KNOWN:
                words = f"`{use.what}` on line {_place(use.node)[0]} takes it and is out of reach"
                found.setdefault(terms.seed_of(use.term), []).append(words)
        for _, value in run.returns:
            for term in leaves(value):
                found.setdefault(terms.seed_of(term), []).append("it is returned")
        for _, name, value, _ in run.writes:
            for term in leaves(value):
                kind = "attribute" if item_index(name) is None else "item"
                found.setdefault(terms.seed_of(term), []).append(f"it is kept in the {kind} `{name}`")
    return {node: tuple(dict.fromkeys(found.get(term, ()))) for node, term in file.constructed.items()}


def with_makers(file: File, found: Iterable[tuple[Term, Fact]]) -> Iterator[Fact]:
    """Return facts about keys with the constructors of these, where they are in this file."""
    makers = {term: node for node, term in file.constructed.items()}
    for term, fact in found:
        maker = makers.get(file.terms.seed_of(term))
        yield fact if maker is None else replace(fact, maker=maker)


def handed_out(file: File) -> Iterator[tuple[Term, Fact]]:
    """Return the calls that give keys to what is out of reach, with the keys."""
    for run in file.runs.values():
        knowledge = run.knowledge
        for use in run.ledger.consumptions:
            if use.certainty != Certainty.KNOWN and (knowledge.is_known(use.term) or use.term in knowledge.named):
                yield use.term, facts.HandedOut(node=use.node, confidence=Confidence.LIKELY)


KEY_DTYPES = (".prng_key", ".extended")
MAX_QUESTIONS = 16  # looked at in one decision


def _guards(file: File) -> dict[Term, int]:
    """Return the decisions that ask whether a term is a typed key, by term; also among other questions."""
    terms = file.terms
    guards: dict[Term, int] = {}
    for number, decision in enumerate(file.decisions.tests):
        waiting, steps = [decision], 0
        while waiting and (steps := steps + 1) < MAX_QUESTIONS:
            test = waiting.pop()
            if terms.operation(test) != "op" or not terms.args(test):
                continue
            data, parts = terms.data(test), file.decisions.parts(test)
            if parts is not None:
                waiting += [file.decisions.tests[inner] for mask in parts for inner in bit_numbers(mask)]
            elif data in CONNECTIVES or (isinstance(data, tuple) and data[0] == "choice"):
                waiting += terms.args(test)
            elif (key := _typed_key_asked(terms, test)) is not None:
                guards[key] = guards.get(key, 0) | 1 << number
    return guards


def _typed_key_asked(terms: Terms, test: Term) -> Term | None:
    """Return the term of which a test asks whether it is a typed key."""
    asked, args = terms.data(test), terms.args(test)
    if not isinstance(asked, str):
        return None
    if asked.endswith("issubdtype") and terms.operation(args[0]) == "op" and terms.data(args[0]) == "dtype":
        is_number = terms.operation(args[1]) == "symbol" and not terms.data(args[1]).endswith(KEY_DTYPES)
        return None if is_number else terms.args(args[0])[0]
    if asked == "isinstance" and terms.data(args[1]) == "numpy.ndarray":  # no typed key is one
        return args[0]
    return None


def _guarded(file: File, pending: Pending, guards: dict[Term, int]) -> bool:
    """Say whether the note lies behind a test for typed keys, so that both kinds are provided for."""
    mask = guards.get(pending.term, 0)
    return bool(mask & (pending.path[0] | pending.path[1]))


def unique(found: Iterable[Fact]) -> list[Fact]:
    """Return the facts in the order of their places, each type once at a node, the surest one."""
    best: dict[tuple[type[Fact], ast.AST, object], Fact] = {}
    found = _with_one_identity(list(found))
    for fact in found:
        slot = (type(fact), fact.node, getattr(fact, "where", None) or getattr(fact, "qualified", None))
        if slot not in best or fact.confidence > best[slot].confidence:
            best[slot] = fact
    return sorted(best.values(), key=lambda fact: _place(fact.node))


def _with_one_identity(found: list[Fact]) -> list[Fact]:
    """Give reuses of one key one identity, which has several terms where a function is interpreted several times.

    They are told by a place that consumes a key of one name again. So are the keys of two iterations of a loop.
    """
    leaders: dict[Hashable, Hashable] = {}

    def leader(slot: Hashable) -> Hashable:
        while (above := leaders.setdefault(slot, slot)) != slot:
            slot = above
        return slot

    reuses = [fact for fact in found if isinstance(fact, facts.Reuse)]
    if len(reuses) < 2:
        return found
    for fact in reuses:
        leaders[leader((fact.node, fact.key))] = leader(fact.identity)
    return [replace(fact, identity=leader(fact.identity)) if isinstance(fact, facts.Reuse) else fact for fact in found]
