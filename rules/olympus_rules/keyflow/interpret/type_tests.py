"""Whether a value is an instance of a class, as far as both are known."""

from __future__ import annotations

from olympus_rules.code.instructions import ClassCode
from olympus_rules.keyflow.domain.access import as_term, choose
from olympus_rules.keyflow.domain.paths import implies
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Choice, Class, Const, Library, Map, Sequence, Value
from olympus_rules.keyflow.interpret.flow import Flow
from olympus_rules.libraries.names import ARRAY

BUILTINS: dict[str, type] = {
    f"builtins.{each.__name__}": each for each in (bool, bytes, dict, float, frozenset, int, list, set, str, tuple)
}
SCALARS = frozenset({bool, bytes, float, int, str})
CONTAINERS: dict[str, type] = {"list": list, "set": set, "tuple": tuple}  # by the kind of a sequence
MADE = frozenset({"clone", "fold_in", "seed", "split"})


def answer(flow: Flow, subject: Value, asked: Value) -> Value | None:
    """Return what ``isinstance`` returns, for each value that the subject may be; ``None`` if one is undecided."""
    name = _name(flow, asked)
    if name is None:
        return None
    arms = subject.arms if isinstance(subject, Choice) else [(flow.path, subject)]
    answers = [(path, _is_instance(flow, part, name)) for path, part in arms]
    if any(each is None for _, each in answers):
        return None
    return choose(flow, [(path, Const(each)) for path, each in answers])


def _name(flow: Flow, asked: Value) -> str | None:
    """Return the qualified name of a class; ``None`` for several, and for one without a name."""
    term = as_term(flow, asked)
    return str(flow.terms.data(term)) if flow.terms.operation(term) == "symbol" else None


def _is_instance(flow: Flow, value: Value, name: str) -> bool | None:
    if isinstance(value, Term):
        return _is_object(flow, value, name)
    is_class = name in BUILTINS or _is_of_project(flow, name)
    if isinstance(value, Const) and not value.counter:
        return isinstance(value.value, BUILTINS[name]) if name in BUILTINS else False if is_class else None
    if name not in BUILTINS or not isinstance(value, Map | Sequence):
        return None
    type_ = dict if isinstance(value, Map) else CONTAINERS.get(value.kind)
    return True if type_ is BUILTINS[name] else False if BUILTINS[name] in SCALARS else None


def _is_object(flow: Flow, term: Term, name: str) -> bool | None:
    """Return whether a term is of a class: a key that is made here, or an object."""
    made = term
    while flow.terms.operation(made) == "item" and flow.knowledge.rank(made) == 0:
        made = flow.terms.args(made)[0]
    is_made = flow.terms.operation(made) in MADE and term in flow.knowledge.origins
    is_used = any(implies(flow.path, use) for use in flow.knowledge.use_paths.get(term, ()))
    if is_made or (is_used and flow.knowledge.rank(term) == 0):  # what holds several may be a list
        return True if name == ARRAY else False if name in BUILTINS or _is_of_project(flow, name) else None
    class_ = flow.file.classes.get(term)
    own = None if class_ is None else _name(flow, Class(class_))
    return True if own is not None and name in flow.terms.bases[own] else None  # a metaclass may make another object


def _is_of_project(flow: Flow, name: str) -> bool:
    """Return whether a name is that of a class of the project of which no key is an instance.

    A protocol, an abstract class and one with a metaclass may take other objects for theirs.
    """
    head, _, rest = name.rpartition(".")
    own = flow.file.module.definitions.get(rest) if head == flow.file.name else None
    class_ = own if isinstance(own, ClassCode) else flow.linker.hierarchy.known_class(Library(name))
    if class_ is None:
        return False
    ancestry = list(flow.linker.hierarchy.ancestry(class_))
    bases = [base for each in ancestry for base in flow.linker.hierarchy.bases.get(each, ())]
    return not any(each.left_open or each.node.keywords for each in ancestry) and not any(
        isinstance(base, Library) and base.qualified.endswith((".Protocol", ".ABC")) for base in bases
    )
